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

# names KIND FILES: FILE:NAME of functions (or classes) that are submissions, a line each; of numpy one of each kind.
short=(plain own_buffer threads_joined compiled nothing lazy_subclass keeps_by_a_part every_other batches thread_later
    patches_the_harness looks_into_the_judge)
names()
{
    local file
    for file in $2; do
        sed -n "s/^$1 \([a-zA-Z]\w*\)(\(data\|Model\|nn.Module\)):.*/\1/p" "$file" | grep -vx 'work\|Lazy\|Wrapper' |
            if [ -n "${LONG-}${GPU-}" ]; then cat; else grep -xF "$(printf '%s\n' "${short[@]}")"; fi | sed "s/^/$file:/"
    done
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

# group NAME REFERENCE KIND KEYS HONEST CHEATS: files of these. All are measured by one run, those that are right and nearly
# as fast as their twin by another.
group()
{
    local name=$1 reference=$2 keys=$4 honest cheats right twin
    mapfile -t honest < <(names "$3" "$5")
    mapfile -t cheats < <(names "$3" "$6")
    twin=$(printf '%s\n' "${honest[@]}" | grep -m 1 ':\(plain\|ModelNew\)$')
    judged "$reference" "$keys" "${honest[@]}" "${cheats[@]}"
    head -n ${#honest[@]} out.csv >honest.csv
    tail -n +$((${#honest[@]} + 1)) out.csv >cheats.csv
    equals "$name: nothing honest is refused" "$(printf '%s,ok\n' "${honest[@]#*:}")" "$(cut -d, -f1,2 honest.csv)"
    [ -z "${GPU-}" ] || equals "$name: what is imported is imported once" "" "$("$GBRUN" show --notes results.gbr | grep 'imports anew')"
    equals "$name: each cheat has an outcome" "${#cheats[@]}" "$(grep -c . cheats.csv)"
    equals "$name: each cheat is found" "" "$(awk -F, -v slow=" $as_slow " \
        '$2 == "ok" && !index(slow, " " $1 " ") { print $1 }' cheats.csv)"
    awk -F, -v group="$name" -v twin="${twin#*:}" '$1 == twin && !least { least = $3 }
        { printf "# %-8s %-32s %-14s %s\n", group, $1, $2, $2 == "ok" ? $3 / least : "" }' out.csv
    mapfile -t right < <(printf '%s\n' "${cheats[@]}" | paste -d, cheats.csv - |
        awk -F, -v least="$(sed -n "s/^${twin#*:},ok,//p" honest.csv | head -n 1)" '$2 == "ok" && $3 < 3 * least { print $NF }')
    [ -n "${LONG-}${GPU-}" ] && [ ${#right[@]} -gt 0 ] || return
    judged "$reference" "$keys
rounds = 6" "$twin" "${right[@]}"
    awk -F, '{ printf "# %-32s %-14s %s\n", $1, $2, $3 }' out.csv
    equals "$name: none gains" "" "$(gains call "${twin#*:}")"
}

cp "$top_srcdir"/tests/judge/python/*.py .
find_python numpy
keys="python = $python
size = 1024"
if ! python_has numpy; then
    skip "submissions with arrays" "there is no python3 with a shared library and NumPy"
elif [ -z "${GPU-}" ]; then
    group numpy reference.py def "$keys" honest.py cheats.py
    equals "nothing was written beside the reference" "" "$(find . -name attack)"
fi
if [ -z "${LONG-}${GPU-}" ] || ! python_has torch; then
    skip "submissions with tensors" "PyTorch is not installed, or LONG=1 is not set"
elif [ -n "${GPU-}" ]; then
    group cuda torch_reference.py def "$keys" 'cuda_honest.py torch_honest.py' 'cuda_cheats.py torch_cheats.py'
else
    group torch torch_reference.py def "$keys" torch_honest.py torch_cheats.py
    group models kernel_bench.py class "${keys%size*}" kernel_bench_honest.py kernel_bench_cheats.py
fi
finish
