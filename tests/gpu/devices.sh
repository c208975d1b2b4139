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

# ---- two tasks of a job on this node, at once ----
# tasks CONFIGURATION N: task 0 and 1 into task-0.gbr and task-1.gbr, N GPUs a case; codes has how they ended.
tasks()
{
    local task pids=()
    rm -f task-?.gbr
    for task in 0 1; do
        OMPI_COMM_WORLD_RANK=$task OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$task OMPI_COMM_WORLD_LOCAL_SIZE=2 \
            "$GBRUN" run -q -c "$1" --shard auto --gpus-per-case "$2" -o task-$task.gbr >task-$task.txt 2>&1 &
        pids+=($!)
    done
    codes=
    for task in "${pids[@]}"; do
        wait "$task"
        codes+="$? "
    done
}
# of_task TASK COLUMNS: of each case of it one line.
of_task()
{
    "$GBRUN" export --columns "$2" "task-$1.gbr" | tail -n +2 | tr -d '\r'
}
measure '' '[defaults]' 'device = cuda:all'
tasks devices.ini 1
equals "two tasks with a GPU for each case" "0 0 " "$codes$([ "$codes" = '0 0 ' ] || tail -n 5 task-?.txt)"
equals "have half of the cases each" "20 ok 20 ok" "$(for task in 0 1; do
    of_task $task status; done | uniq -c | awk '{ n = $1 / 2; print n, $2, n, $2 }')"
equals "none of them twice" 40 "$(for task in 0 1; do of_task $task number; done | sort -u | grep -c .)"
equals "and GPUs of their own" "$n" "$(for task in 0 1; do of_task $task device_uuid | sort -u; done | grep -c '^GPU-')"
equals "which are different ones" "" "$(for task in 0 1; do of_task $task device_uuid | sort -u; done | sort | uniq -d)"

cat >pairs.ini <<'INI'
[policy few]
plugin = fixed
samples = 30
[bench copy]
policy = few
device = cuda:all
time_limit = 1 min
bytes = 16 MiB
from = device
to = peer
sweep.directions = one, both
INI
tasks pairs.ini 2
if grep -q "does not reach the memory of GPU" task-?.txt; then
    skip "two tasks with two GPUs for each case" "a GPU does not reach another one's memory"
else
    equals "two tasks with two GPUs for each case" "0 0 ok,ok ok,ok" "$codes$(for task in 0 1; do
        of_task $task status,verified; done | xargs)$([ "$codes" = '0 0 ' ] || tail -n 5 task-?.txt)"
fi
finish
