#!/usr/bin/env bash
# numbers.sh - the figures that gbrun itself must keep, measured on this machine and printed with what is asked of them.
# make bench runs it.
# usage: numbers.sh [PART]...; all of them without one: sweep cases memory loop call fresh verify stopping compare
set -euo pipefail
export GBRUN=${GBRUN:?the path of the program}
bench=${BENCH:?the folder of the benchmark programs}
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../gpu/common.sh
. "$scripts/../gpu/common.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# cost COMMAND...: sets wall (seconds) and peak (bytes); its standard output is dropped.
cost()
{
    "$bench/measure" "$@" >/dev/null 2>cost.txt
    read -r wall peak code < <(tail -n 1 cost.txt)
    [ "$code" = 0 ] || {
        cat cost.txt
        exit 1
    }
}

# nop_cases N: a configuration of N cases that do nothing, for a results.gbr that is not there yet.
nop_cases()
{
    rm -f results.gbr*
    few_samples 10 '[bench nop]' 'let.number = 0' "sweep.number = 1:$1" >nop.ini
}

# with_modules NAME: runs what stands in NAME.ini, with the modules of the bench, into results.gbr.
with_modules()
{
    rm -f results.gbr*
    GBRUN_PLUGIN_PATH=$bench/.libs "$GBRUN" -q -c "$1.ini" --format csv >"$1.csv"
}

# one WHERE [ARGUMENT...]: the median of the last case there.
one()
{
    rows median_ns --where "$@" | tail -n 1
}

half_a_second='[policy half]
plugin = budget
time = 500ms
[defaults]
policy = half'

sweep()
{
    cat >sweep.ini <<'INI'
[bench streams]
plugin = multistream_matmul
sweep.streams = 1:100
sweep.rows = 1:100
sweep.cols = 1:20
let.outputs = rows * cols
only = streams > 50
INI
    cost "$GBRUN" list -c sweep.ini
    verdict "list 100,000 of 200,000 cases (only, let)" "$wall" s :2
    verdict "  peak memory" "$(calculate "$peak / 1048576" %.1f)" MiB :200
}

cases()
{
    nop_cases 10000
    cost "$GBRUN" -q -c nop.ini
    verdict "10,000 nop cases of 10 samples: wall time a case" "$(calculate "$wall / 10")" ms :1
}

# Its memory while it measures; the store's page cache is full after some 10,000 cases, and the table at the
# end holds all of them.
memory()
{
    local n=40000 early=0 late=0 pid
    nop_cases $n
    "$GBRUN" -c nop.ini >/dev/null 2>announced.txt &
    pid=$!
    while [ "$late" = 0 ] && kill -0 "$pid" 2>/dev/null; do
        sleep 0.1
        n_done=$(wc -l <announced.txt)
        resident=$(awk '/VmRSS/ {print $2 * 1024}' "/proc/$pid/status")
        [ "$early" = 0 ] && [ "$n_done" -ge $((n / 2)) ] && early=$resident
        [ "$n_done" -ge $((n * 9 / 10)) ] && late=$resident
    done
    wait "$pid"
    verdict "supervisor's memory: growth from 20,000 to 36,000 cases" \
        "$(calculate "($late - $early) / 1048576" %.2f)" MiB :0.5
}

loop()
{
    if [ ! -x "$bench/google" ]; then
        echo "loop: libbenchmark was not there when this was built: nothing to compare with"
        return
    fi
    printf '%s\n' "$half_a_second" '[bench loop]' 'sweep.body = empty, step' >loop.ini
    with_modules loop
    "$bench/google" --benchmark_repetitions=9 --benchmark_min_time=0.1 --benchmark_format=csv >google.csv 2>google.log
    local body
    for body in empty step; do
        # Half a percent is the noise of two medians.
        verdict "loop '$body': ns an iteration; Google Benchmark's as limit" \
            "$(printf %.4f "$(one "body = '$body'")")" ns \
            ":$(awk -F , -v body="\"${body}_median\"" '$1 == body {printf "%.4f", 1.005 * $3}' google.csv)"
    done
}

# Short sorts, each of an input that reset has prepared, beside so many of them that only they take time: long
# samples, which other processes interrupt, so that it is processor time.
fresh()
{
    cat >fresh.ini <<'INI'
[defaults]
device = cpu
max_time = 2 s
rounds = 5
[bench sort_ten]
[bench in_one_go]
plugin = sort_ten
iterations = 100000
clock = thread
INI
    with_modules fresh
    local each all
    each=$(one "bench = 'sort_ten'" --rows combined)
    all=$(one "bench = 'in_one_go'" --rows combined)
    verdict "sorts of ten numbers, beside $(printf %.1f "$all") ns in one go" \
        "$(calculate "100 * ($each / $all - 1)" %.2f)" % -5:5
}

# The benchmark `call` against a compiled loop that calls the same function of the same library.
call()
{
    local body theirs
    {
        printf '%s\n' "$half_a_second" '[bench compiled_function]' 'plugin = loop' 'body = function' \
            '[bench called_function]' 'plugin = call' "library = $bench/.libs/loop_module.so" \
            'function = loop_function' 'signature = uint64(uint64)' 'arg.1 = 1' 'expect = 7806831264735756412' \
            '[bench compiled_stack]' 'plugin = loop' 'body = stack' \
            '[bench called_stack]' 'plugin = call' "library = $bench/.libs/loop_module.so" 'function = loop_stack' \
            'signature = double(long, double, long, double, long, double, long, double, long, double, long,
  double, long, double, long, double)' 'expect = 136'
        arguments {1..16}
    } >call.ini
    with_modules call
    for body in function stack; do
        theirs=$(one "bench = 'compiled_$body'")
        verdict "call, '$body': ns beside $(printf %.2f "$theirs") of a compiled loop" \
            "$(calculate "$(one "bench = 'called_$body'") - $theirs" %.2f)" ns :15
    done
}

verify()
{
    local path seconds
    while read -r path seconds; do
        [ "$path" = portable ] ||
            verdict "comparing 1 GB of fp16 outputs on one core: all metrics, $path" "$seconds" s :0.5
    done < <("$bench/verify")
}

# The gates of the stopping policies, on fewer traces than a proof takes.
stopping()
{
    "$bench/../stopping/stopping" --quick >stopping.txt || n_failed=$((n_failed + 1))
    sed '1,/^Gates/d' stopping.txt
}

# The tables of comparisons; PAIRS is the number of simulated pairs (1000).
compare()
{
    "$bench/compare" "${PAIRS:-1000}" || n_failed=$((n_failed + 1))
    nop_cases 10000
    "$GBRUN" -q -c nop.ini -s nop.rounds=3 >/dev/null 2>&1
    cost "$GBRUN" compare results.gbr results.gbr
    verdict "10,000 cases of 3 rounds compared with themselves" "$wall" s :1
}

[ $# -gt 0 ] || set -- sweep cases memory loop call fresh verify stopping compare
for name; do
    case $name in
    sweep | cases | memory | loop | call | fresh | verify | stopping | compare) $name ;;
    *)
        sed -n '/^# usage/,/^set /s/^# //p' "$scripts/numbers.sh" >&2
        exit 2
        ;;
    esac
done
[ "$n_failed" = 0 ]
