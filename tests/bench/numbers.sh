#!/usr/bin/env bash
# numbers.sh - the figures that gbrun itself must keep, measured on this machine and printed with what is
# asked of them. usage: numbers.sh [sweep] [cases] [memory] [loop] [call] [fresh] [verify] [faults] [stopping] [compare]
# [kill] [peers]; all of them without an argument. make bench runs it; KILLS is the number of runs killed (200).
set -euo pipefail
gbrun=${GBRUN:?the path of the program}
bench=${BENCH:?the folder of the benchmark programs}
kills=${KILLS:-200}
scripts=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
n_failed=0

# verdict NAME FIGURE UNIT LIMIT: at most the limit.
verdict()
{
    local word=ok
    if ! awk -v a="$2" -v b="$4" 'BEGIN {exit !(a <= b)}'; then
        word=MISSED
        n_failed=$((n_failed + 1))
    fi
    printf '%-58s %12s %-8s limit %-8s %s\n' "$1" "$2" "$3" "$4" "$word"
}

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

mebibytes()
{
    awk -v bytes="$1" 'BEGIN {printf "%.1f", bytes / 1048576}'
}

# nop_cases N: a configuration of N cases that do nothing.
nop_cases()
{
    cat <<INI
[gbrun]
results = nop_$1.gbr
[policy ten]
plugin = fixed
samples = 10
[bench nop]
policy = ten
iterations = 1
let.number = 0
sweep.number = 1:$1
INI
}

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
    cost "$gbrun" list -c sweep.ini
    verdict "list 100,000 of 200,000 cases (only, let)" "$wall" s 2
    verdict "  peak memory" "$(mebibytes "$peak")" MiB 200
}

cases()
{
    nop_cases 10000 >nop.ini
    cost "$gbrun" -q -c nop.ini
    verdict "10,000 nop cases of 10 samples: wall time a case" \
        "$(awk -v s="$wall" 'BEGIN {printf "%.3f", s / 10}')" ms 1
}

# Its memory while it measures; the store's page cache is full after some 10,000 cases, and the table at the
# end holds all of them.
memory()
{
    local n=40000 early=0 late=0 pid
    nop_cases $n >nop.ini
    "$gbrun" -c nop.ini >/dev/null 2>announced.txt &
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
        "$(awk -v a="$early" -v b="$late" 'BEGIN {printf "%.2f", (b - a) / 1048576}')" MiB 0.5
}

loop()
{
    if [ ! -x "$bench/loop_google" ]; then
        echo "loop: libbenchmark was not there when this was built: nothing to compare with"
        return
    fi
    cat >loop.ini <<'INI'
[policy half]
plugin = budget
time = 500ms
[bench loop]
policy = half
sweep.body = empty, step
INI
    GBRUN_PLUGIN_PATH=$bench/.libs "$gbrun" -q -c loop.ini --format csv >loop.csv
    "$bench/loop_google" --benchmark_repetitions=9 --benchmark_min_time=0.1 >google.txt
    local body ours theirs
    for body in empty step; do
        ours=$("$gbrun" export --format csv --where "body = '$body'" --columns median_ns |
            tail -n 1 | tr -d '\r')
        theirs=$(awk -v body=$body '$1 == body {print $2}' google.txt)
        # Half a percent is the noise of two medians.
        verdict "loop '$body': ns an iteration; Google Benchmark's as limit" \
            "$(printf %.4f "$ours")" ns "$(awk -v x="$theirs" 'BEGIN {printf "%.4f", 1.005 * x}')"
    done
}

# median BENCH: nanoseconds an iteration, of the newest run.
median()
{
    "$gbrun" export --format csv --where "bench = '$1'" --columns median_ns | tail -n 1 | tr -d '\r'
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
    local one all name
    GBRUN_PLUGIN_PATH=$bench/.libs "$gbrun" -q -c fresh.ini -o fresh.gbr --format csv >fresh.csv
    for name in sort_ten in_one_go; do
        "$gbrun" export fresh.gbr --rows combined --where "bench = '$name'" --columns median_ns |
            tail -n 1 | tr -d '\r' >"$name.txt"
    done
    one=$(<sort_ten.txt) all=$(<in_one_go.txt)
    verdict "sorts of ten numbers, beside $(printf %.1f "$all") ns in one go" \
        "$(awk -v a="$one" -v b="$all" 'BEGIN {d = 100 * (a / b - 1); printf "%.2f", d < 0 ? -d : d}')" % 5
}

# The benchmark `call` against a compiled loop that calls the same function of the same library.
call()
{
    local body ours theirs sixteen
    sixteen=$(for i in {1..16}; do printf 'arg.%d = %d\n' "$i" "$i"; done)
    cat >call.ini <<INI
[defaults]
policy = half
[policy half]
plugin = budget
time = 500ms
[bench compiled_function]
plugin = loop
body = function
[bench called_function]
plugin = call
library = $bench/.libs/loop_module.so
function = loop_function
signature = uint64(uint64)
arg.1 = 1
expect = 7806831264735756412
[bench compiled_stack]
plugin = loop
body = stack
[bench called_stack]
plugin = call
library = $bench/.libs/loop_module.so
function = loop_stack
signature = double(long, double, long, double, long, double, long, double, long, double, long,
  double, long, double, long, double)
$sixteen
expect = 136
INI
    GBRUN_PLUGIN_PATH=$bench/.libs "$gbrun" -q -c call.ini --format csv >call.csv
    for body in function stack; do
        ours=$(median "called_$body")
        theirs=$(median "compiled_$body")
        verdict "call, '$body': ns beside $(printf %.2f "$theirs") of a compiled loop" \
            "$(awk -v a="$ours" -v b="$theirs" 'BEGIN {printf "%.2f", a - b}')" ns 15
    done
}

verify()
{
    local path seconds
    "$bench/verify" >verify.txt
    while read -r path seconds && [ -n "$path" ]; do
        [ "$path" = portable ] ||
            verdict "comparing 1 GB of fp16 outputs on one core: all metrics, $path" "$seconds" s 0.5
    done <verify.txt
    sed '1,/^$/d' verify.txt
}

# What finds which faults of products, and what it takes for one; see gemm_verify.c.
faults()
{
    local name n found code=0
    "$bench/gemm_verify" 0 >faults.txt || code=$?
    while read -r name n found _; do
        case $name in
        none) verdict "bound: correct products rejected, of $n" "$found" products 0 ;;
        *) verdict "bound: ${name//_/ } found $found of $n; not found" "$((n - found))" products 0 ;;
        esac
    done < <(sed '1,/^ *fault /d' faults.txt)
    verdict "bound: finds all, and no other tolerance more: exit code" "$code" "" 0
    cat faults.txt
}

# The gates of the stopping policies, on fewer traces than a proof takes.
stopping()
{
    "$bench/../stopping/stopping" --quick >stopping.txt || n_failed=$((n_failed + 1))
    sed '1,/^Gates/d' stopping.txt
}

# rows FILE COLUMNS: the file's cases, one a line.
rows()
{
    "$gbrun" export --format csv --columns "$2" "$1" | tail -n +2 | tr -d '\r'
}

# One run killed at a random moment: the file must open, hold every case that was announced, and be finished by
# --resume without a case twice. Says what is wrong, if anything is.
kill_one()
{
    local file=nop_400.gbr announced
    rm -f "$file"*
    "$gbrun" -c nop.ini >/dev/null 2>announced.txt &
    local pid=$!
    sleep "0.$(printf %03d $((RANDOM % 250)))"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    announced=$(grep -c '^[0-9]*/400 ' announced.txt || true)
    if ! "$gbrun" show "$file" >/dev/null 2>error.txt; then
        # Killed before the file or the run in it was there.
        [ "$announced" = 0 ] || cat error.txt
        return 0
    fi
    n_opened=$((n_opened + 1))
    [ "$(rows "$file" status | grep -c ok || true)" -ge "$announced" ] ||
        echo "$announced cases were announced, fewer are there"
    "$gbrun" run --quiet --resume "$file" >/dev/null 2>error.txt || cat error.txt
    equal_numbers=$(rows "$file" number | sort | uniq | wc -l)
    all_numbers=$(rows "$file" number | wc -l)
    [ "$equal_numbers $all_numbers" = "400 400" ] ||
        echo "after --resume: $all_numbers rows of $equal_numbers cases, expected 400 of 400"
}

# The tables of comparisons; PAIRS is the number of simulated pairs (1000).
compare()
{
    "$bench/compare" "${PAIRS:-1000}" || n_failed=$((n_failed + 1))
    nop_cases 10000 >nop.ini
    "$gbrun" -q -c nop.ini -s nop.rounds=3 >/dev/null 2>&1
    cost "$gbrun" compare nop_10000.gbr nop_10000.gbr
    verdict "10,000 cases of 3 rounds compared with themselves" "$wall" s 1
}

kill_runs()
{
    local n_broken=0 n_opened=0 i
    nop_cases 400 >nop.ini
    for ((i = 0; i < kills; i++)); do
        kill_one >wrong.txt
        if [ -s wrong.txt ]; then
            n_broken=$((n_broken + 1))
            cat wrong.txt
        fi
    done
    verdict "$kills runs killed ($n_opened had begun): broken" "$n_broken" runs 0
}

peers()
{
    bash "$scripts/peers.sh"
}

[ $# -gt 0 ] || set -- sweep cases memory loop call fresh verify faults stopping compare kill peers
for name; do
    case $name in
    sweep | cases | memory | loop | call | fresh | verify | faults | stopping | compare | peers) $name ;;
    kill) kill_runs ;;
    *)
        echo "usage: numbers.sh [sweep] [cases] [memory] [loop] [call] [fresh] [verify] [faults] [stopping]" \
            "[compare] [kill] [peers]" >&2
        exit 2
        ;;
    esac
done
[ "$n_failed" = 0 ]
