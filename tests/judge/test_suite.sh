#!/usr/bin/env bash
# Submissions in Python that cheat, and honest ones: none of the former gains, none of the latter is refused. A table of
# them is printed. Groups: numpy, one of each kind; with LONG=1 all of it, torch and models; with GPU=1 cuda and torch.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
with_modules

# Those that may be right, and then are as slow as their twin.
device=cpu
[ -z "${GPU-}" ] || device=cuda
as_slow='batches lazy_instance persisting_inputs slows_what_follows on_the_host keeps_by_version side_stream default_stream patches_streams in_a_child looks_into_the_judge'

# names FILE KIND: its functions (or classes) that are submissions, a line each; of numpy those of one kind each.
short=(plain own_buffer threads_joined compiled nothing lazy_subclass keeps_by_a_part every_other batches thread_later
    patches_the_harness looks_into_the_judge)
names()
{
    sed -n "s/^$2 \([a-zA-Z]\w*\)(\(data\|Model\|nn.Module\)):.*/\1/p" "$1" | grep -vx 'work\|Lazy\|Wrapper' |
        if [ -n "${LONG-}${GPU-}" ]; then cat; else grep -xF "$(printf '%s\n' "${short[@]}")"; fi
}

# judged REFERENCE KEYS FILE:NAME...: results.gbr and out.csv of these.
judged()
{
    local reference=$1 keys=$2 list
    shift 2
    list=$(printf ', ./%s' "$@")
    rm -f results.gbr
    cat >bench.ini <<INI
$(few_samples "3${LONG:+0}" "device = $device" 'max_time = 1 h' 'time_limit = 24 h' 'verify = judge')
[bench task]
plugin = python
reference = ./$reference
sweep.call = ${list#, }
$keys
INI
    ran "$GBRUN" -q -c bench.ini
    column call,status,median_ns | sed 's/^[^:]*://' >out.csv
}

# group NAME HONEST CHEATS REFERENCE KIND KEYS
group()
{
    local honest cheats right twin
    mapfile -t honest < <(names "$2" "$5")
    twin=$(printf '%s\n' "${honest[@]}" | grep -xm 1 'plain\|ModelNew')
    judged "$4" "$6" "${honest[@]/#/$2:}"
    cp out.csv honest.csv
    equals "$1: nothing honest is refused" "$(printf '%s,ok\n' "${honest[@]}")" "$(cut -d, -f1,2 out.csv)"
    [ -z "${GPU-}" ] || equals "$1: what is imported is imported once" "" "$("$GBRUN" show --notes results.gbr | grep 'imports anew')"
    [ -n "$3" ] || return
    mapfile -t cheats < <(names "$3" "$5")
    judged "$4" "$6" "${cheats[@]/#/$3:}"
    equals "$1: each cheat has an outcome" "${#cheats[@]}" "$(grep -c . out.csv)"
    equals "$1: each cheat is found" "" "$(awk -F, -v slow=" $as_slow " \
        '$2 == "ok" && !index(slow, " " $1 " ") { print $1 }' out.csv)"
    awk -F, -v group="$1" -v twin="$twin" 'FNR == NR { if ($1 == twin) least = $3; next }
        { printf "# %-8s %-32s %-14s %s\n", group, $1, $2, $2 == "ok" ? $3 / least : "" }' honest.csv out.csv
    mapfile -t right < <(awk -F, '$2 == "ok" { print $1 }' out.csv)
    [ -n "${LONG-}${GPU-}" ] && [ ${#right[@]} -gt 0 ] || return
    judged "$4" "$6
rounds = 6" "$2:$twin" "${right[@]/#/$3:}"
    equals "$1: none gains" "" "$(gains call "$twin")"
}

cp "$top_srcdir"/tests/judge/python/*.py .
find_python numpy
keys="python = $python
size = 1024"
if ! python_has numpy; then
    skip "submissions with arrays" "there is no python3 with a shared library and NumPy"
elif [ -z "${GPU-}" ]; then
    group numpy honest.py cheats.py reference.py def "$keys"
    equals "nothing was written beside the reference" "" "$(find . -name attack)"
fi
if [ -z "${LONG-}${GPU-}" ] || ! python_has torch; then
    skip "submissions with tensors" "PyTorch is not installed, or LONG=1 is not set"
elif [ -n "${GPU-}" ]; then
    group cuda cuda_honest.py cuda_cheats.py torch_reference.py def "$keys"
    group torch torch_honest.py torch_cheats.py torch_reference.py def "$keys"
else
    group torch torch_honest.py torch_cheats.py torch_reference.py def "$keys"
    group models kernel_bench_honest.py kernel_bench_cheats.py kernel_bench.py class "${keys%size*}"
fi
finish
