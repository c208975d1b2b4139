#!/usr/bin/env bash
# Several GPUs at once: cases spread over them, cases measured on each, one GPU chosen.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
n=$(n_gpus)
if [ "$n" -lt 2 ]; then
    echo "one GPU: there is nothing to spread over"
    exit 77
fi
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

# measure LINES-OF-[gbrun] LINE...: 40 cases, on what the further lines say.
measure()
{
    local run_lines=$1
    shift
    cat >devices.ini <<INI
[gbrun]
$run_lines
[policy few]
plugin = fixed
samples = 200
[bench spins]
plugin = cuda_kernels
policy = few
time_limit = 30 s
duration = 50 us
sweep.number = 1:40
INI
    printf '%s\n' "$@" >>devices.ini
    run devices.ini
}

# used: on how many GPUs cases were measured, and on the least busy one how many.
used()
{
    column device_number | sort | uniq -c | awk '
        { n++; if (n == 1 || $1 < least) least = $1 }
        END { print n + 0, least + 0 }'
}

# Of GPUs that differ, only those of the first one's model share cases.
n_equal=$("$GBRUN" list devices --format csv 2>/dev/null | tr -d '\r' |
    awk -F, '$1 ~ /^cuda:/ { if (model == "") model = $2; n += $2 == model } END { print n }')

measure 'devices = all'
read -r n_used least < <(used)
all_fine "devices = all"
number_of_cases 40
if [ "$n_equal" -lt 2 ]; then
    skip "cases are spread over equal GPUs" "no two of them are equal"
else
    equals "cases are spread over equal GPUs" "$n_equal" "$n_used"
    equals "no case twice" 40 "$(column number | sort -u | grep -c .)"
    if [ "$least" -gt 0 ]; then
        pass "each GPU has some of them"
    else
        fail "each GPU has some of them" "$(column device_number | sort | uniq -c)"
    fi
    equals "each by its own UUID" "$n_equal" "$(column device_uuid | sort -u | grep -c '^GPU-')"
fi

measure $'devices = all\ndistribute = each'
all_fine "distribute = each"
number_of_cases $((40 * n))
equals "each case was measured on each GPU" "$n 40" "$(used)"

measure 'distribute = each' 'device = cuda:all'
all_fine "device = cuda:all"
equals "means all of them, too" "$n 40" "$(used)"

measure '' 'device = cuda:1'
all_fine "device = cuda:1"
equals "means the second" 1 "$(column device_number | sort -u)"
uuid=$(column device_uuid | sort -u)
measure '' "device = cuda:$uuid"
all_fine "device = cuda:$uuid"
equals "means the one with this UUID" "$uuid" "$(column device_uuid | sort -u)"

measure $'devices = all\ndistribute = each' 'exclusive = yes'
all_fine "exclusive cases on all GPUs"
equals "were measured on each" "$n 40" "$(used)"
finish
