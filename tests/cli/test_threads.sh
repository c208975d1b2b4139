#!/usr/bin/env bash
# test_threads.sh - benchmarks that run in several threads, from the command line.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
cp "$top_srcdir"/docs/examples/contention.c .
succeeds 'the example compiles' "${CC:-cc}" -std=c99 -O2 -fPIC -shared "-I$top_srcdir/include" \
    contention.c -o contention.so

few_samples 20 'iterations = 100' '[bench counters]' 'plugin = ./contention.so' \
    'sweep.counter = atomic, mutex, neighbours, padded' 'sweep.threads = 1, 2, 5' >counters.ini
"$GBRUN" run -q -c counters.ini -o counters.gbr >shown 2>&1
equals 'all are measured' 0 $?
equals 'no increment is lost' "ok ok ok ok ok ok ok ok ok ok ok ok" "$(values verified counters.gbr)"
equals 'the work is that of all threads' "1 2 5 1 2 5 1 2 5 1 2 5" "$(values items counters.gbr)"
equals 'threads belong to the identity' 12 "$(column uid counters.gbr | sort -u | wc -l)"
succeeds 'and are an axis' grep -q '^bench *counter *threads ' shown
# Ten times over: a case that has one thread has no times of threads, one with five has five.
equals 'each thread has its time' "0 1 1 0 1 1 0 1 1 0 1 1" \
    "$(values "case when \"metric.thread.1\" > 0 then 1 else 0 end as has" counters.gbr)"
equals 'so has the last of five' "0 0 1 0 0 1 0 0 1 0 0 1" \
    "$(values "case when \"metric.thread.4\" > 0 then 1 else 0 end as has" counters.gbr)"
equals 'a sample ends with the slowest' 8 \
    "$(column '"metric.thread_slowest" / median_ns as share' counters.gbr --where 'threads > 1' | awk '$1 > 0 && $1 < 1.001' | wc -l)"

equals 'a benchmark that runs in one has no such key' \
    "one.ini:3:1: error: unknown key 'threads' in [bench copy]: the benchmark runs in one thread" \
    "$(printf '[bench copy]\nplugin = copy\nthreads = 2\n' >one.ini && "$GBRUN" check -c one.ini 2>&1)"
few_samples 5 'iterations = 100' 'threads = 2' '[bench copy]' 'bytes = 1KiB' '[bench contention]' \
    'plugin = ./contention.so' >both.ini
"$GBRUN" run -q -c both.ini -o both.gbr >shown 2>&1
equals 'as a default it is for those that have it' "0 copy,0 contention,2" \
    "$? $(column bench,items both.gbr | sed 's/,$/,0/' | xargs)"
equals 'several values are a sweep' \
    "several.ini:3:11: error: '1, 2' is more than one value: to measure each of them, write sweep.threads = 1, 2" \
    "$(printf '[bench c]\nplugin = ./contention.so\nthreads = 1, 2\n' >several.ini && "$GBRUN" check -c several.ini 2>&1)"

n=$(nproc)
{
    few_samples 5 'iterations = 100'
    printf '[bench counters]\nplugin = ./contention.so\ncounter = padded\nthreads = %s\n' "$((n + 1))"
} >many.ini
"$GBRUN" run -q -c many.ini -o many.gbr >shown 2>&1
succeeds 'more threads than processors are warned of' \
    grep -q "warning: threads = $((n + 1)): only $n processors are available" shown

{
    few_samples 5 'iterations = 100'
    section device cores cpu pin=none
    section bench counters ./contention.so device=cores threads=2
} >pinned.ini
try_each "$GBRUN" run -q -c pinned.ini -o pinned.gbr <<'TABLE'
pin = none|0||
pin = compact|0||-s 'device cores.pin=compact'
pin = scatter|0||-s 'device cores.pin=scatter'
TABLE
ran "$GBRUN" run -q -c pinned.ini -o pinned.gbr -s 'device cores.pin=dense'
has 'other words for pin are refused' <(cat out.txt err.txt) \
    "pin: 'dense': expected none, compact, scatter or CPUs such as 0-3,8"
ran "$GBRUN" run -q -c pinned.ini -o pinned.gbr -s 'device cores.numa_node=1023'
succeeds 'so is a node that is not there' \
    grep -qE 'numa_node = 1023: (unknown node|this system shows no nodes)' out.txt err.txt

# An option of that name which a plugin has had before stays what it is.
few_samples 2 '[bench e]' 'plugin = elementwise' 'n = 64' 'threads = 1' >own.ini
"$GBRUN" run -q -c own.ini -o own.gbr >shown 2>&1
equals "a plugin's own option threads" "0 ok" "$? $(values status own.gbr)"
finish
