#!/usr/bin/env bash
# What is done around the samples that count: warming up before them, and stopping in the middle of them.
. "$top_srcdir/tests/tap.sh"
with_modules

# ---- warm-up, lost samples, a cold cache ----
# The fake device counts what it has run; `good` counts the calls of run. No warm-up: three calls to calibrate. Of those,
# the third is lost with the device `lossy`, as is every third from there on. What the first cold case takes for the
# device is nothing that the benchmark leaves behind.
measured <<INI
$(few_samples 12 'device = fake')
$(section policy two fixed samples=2)
$(section device lossy fake lose_every=3)
$(section device large cpu 'flush=300 MiB')
$(section bench good good isolate=yes 'sweep.warmup=0, 100 ms')
$(section bench lost good device=lossy warmup=0 iterations=1)
$(section bench cold good policy=two device=large cache=cold warmup=0)
INI
equals "cases with and without warm-up are fine, and the policy sees no sample of it" "ok,12 ok,12" \
    "$(of good status,n_samples)"
read -r cold warm < <(of good metric.runs)
equals "warmup = 0: only calibration is run before the samples" 15 "$cold"
succeeds "warmup = 100 ms: more is run before the samples ($warm calls)" test "$warm" -gt 15
equals "samples lost before the first that counts are not counted" "12,5" "$(of lost n_samples,n_lost)"
equals "cold samples; what flushes the cache is not taken for a leak" "ok 0" "$(of cold status) $(grep -c behind out.txt)"

# What is read of the machine between a warm-up and the first sample would cool the caches of that: there is one more
# call. Not where one takes longer than the warm-up.
if [ -r /proc/self/io ]; then
    measured <<INI
$(few_samples 12 'device = cpu' 'iterations = 1')
$(section bench read giver n=1 reads=yes measure=read 'warmup=200 ms')
INI
    equals "nothing is read between the last call of a warm-up and the first sample" ok \
        "$(awk -F, '{ print ($2 > 0 && $1 < $2 + 20 ? "ok" : $0) }' <<<"$(of read max_ns,min_ns)")"
else
    skip "the last call of a warm-up" "there is no /proc/self/io"
fi

# ---- measuring on while the policy is undecided ----
# steady decides nothing within 0.1 s, and says so; fixed says nothing.
measured <<INI
$(section policy many fixed samples=1000000000)
[device fake]
time = 100 us
$(section bench good good device=fake rounds=1 'max_time=5 ms' 'sweep.max_time_undecided=0, 3 s' 'sweep.policy=steady, many')
INI
equals "measuring goes on for a policy that is undecided, and for no other" "max_time max_time on max_time" \
    "$(column stop_reason | sed 's/^\(max_time\) 5.*/\1/; /^max_time$/!s/.*/on/' | paste -sd ' ')"
equals "what prevents it is stored, and below the table" "1 1" \
    "$(column note | grep -c '^"0.1 s needed at this precision, .* so far"$') $(
        grep -c ': 0.1 s needed at this precision, .* so far$' <("$GBRUN" show --notes))"

# ---- clocks that a device does not read ----
while read -r device columns; do
    measured <<INI
$(few_samples 12 'warmup = 0')
$(section device half fake leaves_garbage=yes)
[bench good]
device = $device
INI
    head=$("$GBRUN" export --rows sample --columns status | head -n 1)
    equals "a column for each clock that was read, and no other: $device" "$columns" "${head:0:${#columns}}"
done <<'LIST'
fake status,sample,time_ns,offset_ns,synthetic_ns
half status,sample,time_ns,synthetic_ns
LIST

# ---- benchmarks that do one iteration at a time, and inputs for as many as follow ----
measured <<INI
$(few_samples 12 'device = cpu' 'warmup = 0' '[device cpu]' 'flush = 64KiB')
[bench single]
$(section bench many single iterations=2)
[bench batches]
$(section bench seven batches iterations=7)
$(section bench cold batches cache=cold)
$(section bench verified batches verify=strict)
$(section bench counted batches counters=instructions)
INI
equals "samples of GB_BENCH_SINGLE are not lengthened" "ok,1" "$(of single status,iterations)"
equals "more are refused" "iterations = 2: this benchmark can only do one iteration a sample (GB_BENCH_SINGLE): \
expected iterations = auto" "$(of many status_text)"
equals "reset knows how many iterations follow" "ok ok ok ok ok" "$(column status --where "plugin = 'batches'" | xargs)"
equals "run got so many" "7 1" "$(of seven iterations) $(of cold iterations)"
succeeds "and more where the clock needs them" test "$(of batches iterations)" -gt 100
measured <<INI
$(section device coarse fake 'tick=100 ns')
$(section policy strict median_ci precision=1%)
[defaults]
device = coarse
policy = strict
warmup = 0
[bench single]
[bench good]
$(section bench emptied good cache=cold)
INI
coarse='timer resolution of 100 ns too coarse for 1 %'
equals "more iterations are advised only where the benchmark does them, and they are no warm ones" \
    "$coarse: this benchmark can only do one iteration a sample,$coarse: raise iterations,$coarse" \
    "$(column stop_reason | paste -sd,)"
equals "its help says so as well, and that of no other" "yes " "$(
    "$GBRUN" help single | grep -q GB_BENCH_SINGLE && echo yes) $("$GBRUN" help good | grep GB_BENCH_SINGLE)"

# ---- Ctrl-C in the middle of a case ----
# The case in the middle sends the signal itself, and has never enough: it can only be cancelled.
measured <<INI
$(few_samples 12 'device = fake')
[policy never]
plugin = policy_never
$(section bench before good)
$(section bench stopped crash kind=interrupt policy=never 'max_time=24 h' max_samples=1000000000)
$(section bench after good 'sweep.factor=1, 2')
INI
equals "a run that was interrupted ends with exit code 1" 1 "$code"
equals "the case that was cut short is cancelled" 1 "$(grep -c '^2/4  stopped  .*cancelled$' err.txt)"
equals "it is one of those that are left" \
    "gbrun: stopped with 3 of 4 cases left; to finish them: gbrun run --resume results.gbr" \
    "$(grep '^gbrun: stopped' err.txt)"
equals "what was measured of it is kept" "ok cancelled" "$(column status | paste -sd ' ')"
ran "$GBRUN" run --resume results.gbr
equals "resuming begins with it" 1 "$(grep -c '^2/4  stopped  ' err.txt)"

# ---- signals that users hardly send ----
# What a case sends to gbrun ends the run as Ctrl-C does, and is named with the case; its own ends the case alone.
for signal in sigalrm sigusr1 sigterm; do
    hurry measured <<INI
$(few_samples 12 'device = fake')
$(section policy never policy_never)
$(section bench sender crash kind=$signal policy=never 'max_time=24 h' max_samples=1000000000)
INI
    equals "the run ends, with what there is: $signal" "1 cancelled" "$code $(status sender | cut -d ' ' -f 1)"
    succeeds "the signal is named, and whose it was: $signal" \
        grep -q "^gbrun: ${signal^^} came from process [0-9]* of the case sender\$" err.txt
done
hurry measured <<INI
$(few_samples 12 'device = fake')
$(section bench raiser crash kind=alarm)
$(section bench after good)
INI
equals "an alarm of the case's own is named" 'crashed (SIGALRM, in run, while warming up)' "$(status raiser)"
equals "and the next case is fine" 'ok n=12' "$(status after)"

# ---- stopping a case that does not listen ----
# It waits in vain for another one, and for no signal: only its end can be seen.
few_samples 12 'device = fake' '[bench beside]' "log = $TMPDIR/log" >deaf.ini
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
for signals in "INT INT" "TERM HUP" "HUP TERM" "ALRM INT"; do
    begin_deaf env
    kill -"${signals% *}" $!
    heard '*interrupt again to stop at once*' <&6
    kill -"${signals#* }" $!
    cat <&6 >err.txt
    wait $!
    equals "two signals end the run at once: $signals" "1 cancelled 1" \
        "$? $(column status) $(grep -c '^gbrun: stopping at once$' err.txt)"
done
begin_deaf env
kill -USR2 $!
succeeds "a signal that users hardly send is named, with its sender" heard '*SIGUSR2 came from process *, *' <&6
kill -INT $!
cat <&6 >err.txt
wait $!
finish
