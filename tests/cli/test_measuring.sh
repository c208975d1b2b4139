#!/usr/bin/env bash
# What is done around the samples that count: warming up before them, and stopping in the middle of them.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

# column NAME [FILE]: one column of the cases, one a line.
column()
{
    "$GBRUN" export --columns "$1" "${2:-results.gbr}" | tail -n +2 | tr -d '\r'
}

# ---- warm-up ----
# The fake device counts what it has run; `good` counts the calls of run. No warm-up: three calls to calibrate.
cat >warm.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[bench good]
policy = few
device = fake
isolate = yes
sweep.warmup = 0, 100 ms
INI
"$GBRUN" -c warm.ini >/dev/null 2>err.txt
equals "cases with and without warm-up are fine" "ok ok" "$(column status | paste -sd ' ')"
equals "the policy sees no sample of the warm-up" "12 12" "$(column n_samples | paste -sd ' ')"
runs=$(column metric.runs)
equals "warmup = 0: only calibration is run before the samples" 15 "$(head -n 1 <<<"$runs")"
succeeds "warmup = 100 ms: more is run before the samples ($(tail -n 1 <<<"$runs") calls)" \
    test "$(tail -n 1 <<<"$runs")" -gt 15

# ---- measuring on while the policy is undecided ----
# steady decides nothing within 0.1 s, and says so; fixed says nothing.
cat >undecided.ini <<'INI'
[policy many]
plugin = fixed
samples = 1000000000
[device fake]
time = 100 us
[bench good]
device = fake
max_time = 5 ms
sweep.max_time_undecided = 0, 3 s
sweep.policy = steady, many
INI
rm results.gbr
"$GBRUN" -c undecided.ini >table.txt 2>err.txt
equals "measuring goes on for a policy that is undecided, and for no other" "max_time max_time on max_time" \
    "$(column stop_reason | sed 's/^\(max_time\) 5.*/\1/; /^max_time$/!s/.*/on/' | paste -sd ' ')"
equals "what stands in the way is stored" 1 "$(column note | grep -c '^"0.1 s needed at this precision, .* so far"$')"
equals "and below the table" 1 "$(grep -c ': 0.1 s needed at this precision, .* so far$' table.txt)"

# ---- samples whose times are lost ----
# Calibration takes three samples, of which the third is lost, as is every third from there on.
cat >lost.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[device lossy]
plugin = fake
lose_every = 3
[bench good]
policy = few
device = lossy
warmup = 0
iterations = 1
INI
"$GBRUN" -c lost.ini -o lost.gbr >/dev/null 2>err.txt
equals "samples lost before the first that counts are not counted" "12 5" \
    "$(column n_samples,n_lost lost.gbr | tr ',' ' ')"

# ---- clocks that a device does not read ----
cat >clocks.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[device half]
plugin = fake
leaves_garbage = yes
[bench good]
policy = few
warmup = 0
device = fake
INI
for device in fake half; do
    "$GBRUN" -c clocks.ini -s good.device=$device -o $device.gbr >/dev/null 2>err.txt
    "$GBRUN" export --rows sample --columns status $device.gbr | head -n 1 | tr -d '\r' >$device.txt
done
equals "a column for each clock that was read" "status,sample,time_ns,offset_ns,synthetic_ns" \
    "$(cut -d , -f 1-5 fake.txt)"
equals "and none for one that was not" "status,sample,time_ns,synthetic_ns" "$(cut -d , -f 1-4 half.txt)"

# ---- a cold cache ----
# The device's own memory, taken by the first cold case, is nothing that the benchmark leaves behind.
cat >cold.ini <<'INI'
[policy few]
plugin = fixed
samples = 2
[device large]
plugin = cpu
flush = 300 MiB
[bench good]
policy = few
device = large
cache = cold
warmup = 0
INI
"$GBRUN" -c cold.ini -o cold.gbr >cold.txt 2>err.txt
equals "cold samples" "ok" "$(column status cold.gbr)"
equals "what flushes the cache is not taken for a leak" 0 "$(grep -c behind cold.txt)"

# ---- benchmarks that do one iteration at a time ----
cat >single.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[defaults]
device = cpu
policy = few
warmup = 0
[bench single]
[bench many]
plugin = single
iterations = 2
INI
"$GBRUN" -c single.ini -o single.gbr >/dev/null 2>err.txt
equals "samples of GB_BENCH_SINGLE are not lengthened" "ok" "$(column status single.gbr | head -n 1)"
equals "they have one iteration" "1" "$(column iterations single.gbr | head -n 1)"
equals "more are refused" "iterations = 2: this benchmark can only do one iteration a sample (GB_BENCH_SINGLE): \
expected iterations = auto" \
    "$(column status_text single.gbr | tail -n 1)"

cat >coarse.ini <<'INI'
[device coarse]
plugin = fake
tick = 100 ns
[policy strict]
plugin = median_ci
precision = 1%
[defaults]
device = coarse
policy = strict
warmup = 0
[bench single]
[bench good]
[bench emptied]
plugin = good
cache = cold
INI
"$GBRUN" -c coarse.ini -o coarse.gbr >/dev/null 2>err.txt
coarse='timer resolution of 100 ns too coarse for 1 %'
equals "more iterations are advised only where the benchmark does them, and they are no warm ones" \
    "$coarse: this benchmark can only do one iteration a sample,$coarse: raise iterations,$coarse" \
    "$(column stop_reason coarse.gbr | paste -sd,)"
succeeds "its help says so as well" grep -q GB_BENCH_SINGLE <("$GBRUN" help single)
succeeds "and that of no other" test 0 = "$("$GBRUN" help good | grep -c GB_BENCH_SINGLE)"

# ---- inputs for as many iterations as follow ----
cat >batches.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[defaults]
device = cpu
policy = few
warmup = 0
[bench batches]
[bench seven]
plugin = batches
iterations = 7
[bench cold]
plugin = batches
cache = cold
[bench verified]
plugin = batches
verify = samples
[bench counted]
plugin = batches
counters = instructions
INI
"$GBRUN" -c batches.ini -o batches.gbr >/dev/null 2>err.txt
equals "reset knows how many iterations follow" "ok ok ok ok ok" "$(column status batches.gbr | xargs)"
equals "run got so many" "7 1" "$(column iterations batches.gbr | sed -n '2,3p' | xargs)"
equals "and more where the clock needs them" yes \
    "$([ "$(column iterations batches.gbr | head -n 1)" -gt 100 ] && echo yes)"

# ---- Ctrl-C in the middle of a case ----
# The case in the middle sends the signal itself, and has never enough: it can only be cancelled.
cat >stop.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[policy never]
plugin = policy_never
[defaults]
device = fake
policy = few
[bench before]
plugin = good
[bench stopped]
plugin = crash
kind = interrupt
policy = never
max_time = 24 h
max_samples = 1000000000
[bench after]
plugin = good
sweep.factor = 1, 2
INI
"$GBRUN" -c stop.ini >/dev/null 2>err.txt
equals "a run that was interrupted ends with exit code 1" 1 $?
equals "the case that was cut short is cancelled" 1 "$(grep -c '^2/4  stopped  .*cancelled$' err.txt)"
equals "it is one of those that are left" \
    "gbrun: stopped with 3 of 4 cases left; to finish them: gbrun run --resume results.gbr" \
    "$(grep '^gbrun: stopped' err.txt)"
equals "what was measured of it is kept" "ok cancelled" "$(column status | paste -sd ' ')"
"$GBRUN" run --resume results.gbr >/dev/null 2>err.txt
equals "resuming begins with it" 1 "$(grep -c '^2/4  stopped  ' err.txt)"

# ---- stopping a case that does not listen ----
# It waits in vain for another one, and for no signal: only its end can be seen.
few_samples 12 'device = fake' >deaf.ini
printf '[bench beside]\nlog = %s/log\n' "$TMPDIR" >>deaf.ini
mkfifo log err
exec 5<>log

# begin_deaf COMMAND...: starts the run by it, with options, and returns when its case is in run.
begin_deaf()
{
    rm -f results.gbr*
    "$@" "$GBRUN" -c deaf.ini "${options[@]}" >/dev/null 2>err &
    exec 6<err
    heard 'begin *' <&5
}

options=(-s beside.until_cancelled=yes -s beside.deaf=yes -s 'beside.time_limit=20 s')
begin_deaf hurry exec
kill -INT $!
cat <&6 >err.txt
wait $!
equals "the limit of a case that is stopped ends it as cancelled" "1 cancelled" "$? $(column status)"

options=(-s beside.held_from=0 -s 'beside.time_limit=1000 s')
for signals in "INT INT" "TERM HUP" "HUP TERM"; do
    begin_deaf env
    kill -"${signals% *}" $!
    heard '*once more to stop at once*' <&6
    kill -"${signals#* }" $!
    cat <&6 >err.txt
    wait $!
    equals "two signals end the run at once: $signals" "1 cancelled 1" \
        "$? $(column status) $(grep -c '^gbrun: stopping at once$' err.txt)"
done
finish
