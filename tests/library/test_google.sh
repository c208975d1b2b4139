#!/usr/bin/env bash
# A file written for Google Benchmark (google.cc) compiles as it is, as a module that `gbrun run` measures and as a program
# with libgbrun. What its functions count is in their counters, so that nothing depends on times.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
read -ra cxx <<<"${CXX:-c++}"
command -v "${cxx[0]}" >/dev/null || skip_rest "files for Google Benchmark" "no C++ compiler"
file=$top_srcdir/tests/library/google.cc
read -ra found <<<"$(PKG_CONFIG_PATH=$top_builddir "${PKG_CONFIG:-pkg-config}" --cflags gbrun-benchmark)"
read -ra link <<<"$(PKG_CONFIG_PATH=$top_builddir "${PKG_CONFIG:-pkg-config}" --libs gbrun-benchmark)"
flags=(-Wall -Wextra -Wpedantic -Wshadow -Werror "${found[@]}")
[ -z "${SANITIZE:-}" ] || read -ra link <<<"${link[*]} $SANITIZE_CFLAGS"

for compiler in "${cxx[0]}" ${LONG:+g++ clang++}; do
    for standard in 20 ${LONG:+11 14 17}; do
        if command -v "$compiler" >/dev/null; then
            succeeds "no warning by $compiler, C++$standard" "$compiler" "-std=c++$standard" -fsyntax-only "${flags[@]}" "$file"
        fi
    done
done

# ---- as a program ----
# What C++ takes longest for is done once: a module is of the same object.
compiled=("${cxx[@]}" -std=c++11 -fPIC "${flags[@]}" -c)
succeeds "no warning, C++11" "${compiled[@]}" -O1 "$file" -o google.o
succeeds "a program" "${cxx[@]}" google.o -o program "${link[@]}"
ran ./program --gbrun_set=policy=fixed --gbrun_set=samples=3 --gbrun_set=results=program.gbr
equals "its exit status: some failed" 1 "$code"
# Without times, rates, which follow from them, and what else depends on them.
sed -E 's/ +[0-9.e+-]+ (ns|us|ms)(  [0-9.e+-]+ to [0-9.e+-]+)?  [a-z]+( |$)/ /; s/(second|rate|invariant)=[0-9.e+]+/\1=N/g; s/ +/ /g; s/ $//' \
    out.txt >lines.txt
equals "each family with its arguments, counters, labels, and what is refused" "$(cat - <<'TEXT'
loop bytes_per_second=N items_per_second=N every=2 invariant=N/s inverse=0.25 left=0 rate=N/s setups=1 a label
keep_running turns=0
KeepRunning.Batch batch=10 of_one=1
pausing pauses=1
scoped
pauses_twice failed: PauseTiming is served once in each turn of the loop, or never
pauses_at_times failed: PauseTiming is served once in each turn of the loop, or never
pauses_at_first failed: PauseTiming is served once in each turn of the loop, or never
manual failed: UseManualTime is served in a module of gbrun only
args/N:1/2 sum=2001
args/N:3/4 sum=4003
args/N:5/7 sum=7005
args/N:6/7 sum=7006
range/-1 value=-1
range/2 value=2
range/4 value=4
range/16 value=16
range/40 value=40
range/50 value=50
range/52 value=52
range/54 value=54
range/-3 value=-3
range/-1 value=-1
range/0 value=0
range/1 value=1
range/3 value=3
registered/x:21 value=21
registered/x:22 value=22
given size=5
given_again size=5
templated<char, 3> bytes=3
templated<int16_t,3> bytes=6
captured/five a=5 said
data/size/17 size=17 torn=1
empty<int>/of_int value=19
bare/fixture
skips/0 skipped: not on this machine
skips/1 failed: an error before
skips/2 failed: an error inside
skips/3 failed: thrown
skips/4 failed: it left its loop
skips/5 failed: max_iterations is not served: a loop has no last turn here
no_loop failed: it has no loop over its state, or left it at once
threads failed: Threads: one thread is served
TEXT
)" "$(cat lines.txt)"
equals "what a report of Google's would have more" "keep_running: Complexity: no curve is fitted to the times
keep_running: MeasureProcessCPUTime: wall time is measured" "$(cat err.txt)"
equals "results files have arguments, and what a turn does" "1,2 3,4 5,7 6,7 11,7" \
    "$(values arg_n,arg1 program.gbr --where "bench = 'args'") $(values items,bytes_read program.gbr --where "bench = 'loop'" | cut -d ' ' -f 1)"
ran ./program --gbrun_set=clock=instructions --benchmark_filter='^scoped$'
if [ -n "${SANITIZE:-}" ] || grep -q 'cannot be counted' out.txt; then
    skip "instructions" "there are the sanitizers' among them, or nothing counts them"
else
    equals "instructions of a turn with nothing in it, the way there subtracted" 1 \
        "$(grep -cE '^scoped +-?[0-4] instructions  exact' out.txt)"
fi
try_each ./program <<'TABLE'
names|0|-|--benchmark_list_tests --benchmark_filter='^args.*7'|args/N:6/7
all others|0|-|--benchmark_list_tests --benchmark_filter=-[a-j]|loop
refused|1|'--benchmark_out=x' is not supported: --help lists the flags that are|--benchmark_out=x
no filter|1|~--benchmark_filter=(: |--benchmark_filter='('
unknown|1|./program: unknown argument 'x': expected what --help lists|x
help|0|-|--help|--gbrun_set=KEY=VALUE
a mistake in a setting|1||--gbrun_set=colour=red --benchmark_filter=bare|bare/fixture|unknown key 'colour'
TABLE
{
    (cd "$top_srcdir/include/gbrun/google/benchmark" && printf '#include <benchmark/%s>\n' [!b]*.h benchmark_*.h)
    printf 'void f(int);\nvoid f(benchmark::State &s) { for (auto _ : s) ; }\nBENCHMARK_NAMED(f, named)->Repetitions(3);'
} >one.cc
succeeds "a file without BENCHMARK_MAIN" "${compiled[@]}" one.cc -o one.o
succeeds "a file with it alone" "${compiled[@]}" "$top_srcdir/include/gbrun/google/benchmark/benchmark_main.cc" -o main.o
succeeds "a program of both" "${cxx[@]}" one.o main.o -o two "${link[@]}"
equals "it measures" "f/named" "$(./two --gbrun_set=policy=fixed --gbrun_set=samples=3 | cut -d ' ' -f 1)"
"${cxx[@]}" one.o main.o -o alone
exits "without the library" 1 ./alone
has "it says so" err.txt 'libgbrun is not linked'

# ---- as a module ----
succeeds "a module" "${cxx[@]}" -shared google.o -o module.so
{
    few_samples 3
    ./program --gbrun_configuration=./module.so
} >module.ini
has "its configuration" module.ini 'plugin = ./module.so:keeprunning_batch' 'zip.args = arg_n, arg1: 1, 2 | 3, 4 | 5, 7 | 6, 7' \
    'sweep.arg0 = 17' 'iterations = 1' 'measure = manual_time' 'rounds = 2' '[bench templated_int16_t_3]'
exits "some of it fails" 1 "$GBRUN" -q -c module.ini -o module.gbr
metric()
{
    column "$1" module.gbr --where "bench = '$2'" | sort -u | paste -sd ' '
}
while IFS='|' read -r bench columns expected; do
    equals "$bench: $columns" "$expected" "$(metric "$columns" "$bench")"
done <<'TABLE'
loop|status,metric.setups,metric.left,metric.every,metric.rate_per_turn,metric.inverse,metric.complexity_n|ok,1,0,2,3,0.25,13
loop|bytes_read,items|7,11
keep_running|status,metric.turns|ok,0
keeprunning_batch|metric.batch,metric.of_one|10,1
pausing|status,iterations,metric.pauses|ok,1,1
manual|status,clock,median_ns,iterations|ok,manual_time,5000,1
args|arg_n,arg1,metric.sum|1,2,2001 3,4,4003 5,7,7005 6,7,7006
empty_int_of_int|status,metric.value|ok,19
data_size|metric.size,metric.torn|17,1
captured_five|benchmark,metric.a|captured/five,5
skips|arg0,status,status_text|0,skipped,not on this machine 1,failed,an error before 2,failed,an error inside 3,failed,thrown 4,failed,it left its loop 5,failed,max_iterations is not served: a loop has no last turn here
threads|status,status_text|failed,Threads: one thread is served
pauses_at_times|status,status_text|failed,"PauseTiming is served once in each turn of the loop, or never"
TABLE
ran "$GBRUN" show --notes --verbose module.gbr
has "notes" out.txt 'Complexity: no curve is fitted' 'a label'
"$GBRUN" help --plugin-path . range >help.txt
has "help" help.txt 'range, written for Google Benchmark' 'sweep.arg0 = -1, 2, 4, 16, 40, 50, 52, 54, -3, 0, 1, 3' 'arg0 = -1'
finish
