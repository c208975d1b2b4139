#!/usr/bin/env bash
# pace = free, burst, sustained; waiting for the device: on the device `fake`, whose time is arithmetic.
. "$top_srcdir/tests/tap.sh"
with_modules

# run OPTION...: measures one case on the device with these options; those of the benchmark begin with "bench.".
run()
{
    local option device='' bench=''
    for option; do
        case $option in
        bench.*) bench+=${option#bench.}$'\n' ;;
        *) device+=$option$'\n' ;;
        esac
    done
    measured <<INI
$(few_samples 12 'iterations = 1')
[device hot]
plugin = fake
time = 1 ms
step = 0
$device
[bench good]
device = hot
$bench
INI
}

# within NAME COLUMN LOW HIGH: the case's value is.
within()
{
    local x
    x=$(column "$2")
    equals "$1" yes "$(awk -v x="$x" -v low="$3" -v high="$4" 'BEGIN { print (x != "" && x >= low && x <= high ? "yes" : x) }')"
}

# ---- free ----
run needs_gap=3
equals "without a pace the device is throttled" "0 free,12,1500000,,,0" \
    "$code $(column pace,n_throttled,median_ns,gap_ns,load_ns,pace_missed)"
succeeds "which a note says, with the key" grep -qE \
    '^  power or heat changed the clock: .*pace = burst .*pace = sustained' <("$GBRUN" show --notes)
equals "and a table has no column of paces" 0 "$(grep -c '^bench.* pace ' out.txt)"
run
equals "nothing is said where nothing happened" 0 "$(grep -c pace out.txt)"
run settles_in='30 ms'
succeeds "a clock that moves is one that power changed" grep -q 'changed the clock' <("$GBRUN" show --notes)
equals "and its mean is over the samples" 1 "$(column clock_mean_hz,clock_low_hz,clock_high_hz |
    awk -F, '{ print ($2 < $1 && $1 < $3 && $3 <= 2.5e9 && $2 >= 2e9) }')"

run counts_clock=yes bench.sweep.seed='1, 2'
equals "load at one clock, which is counted, counts for the next case" 12011000 "$(column load_ns | xargs)"
run counts_clock=yes settles_in='30 ms' bench.sweep.seed='1, 2'
equals "and at another clock does not" "" "$(column load_ns | xargs)"
run bench.sweep.seed='1, 2'
equals "nor at one that is reported only" "" "$(column load_ns | xargs)"

# ---- burst ----
# A sample of 1 ms, and 1 us until the next, is first seen throttled: 1.5 ms.
run needs_gap=3 bench.pace=burst
equals "gaps are doubled until the device is not throttled" "0 burst,0,1000000,0" \
    "$code $(column pace,n_throttled,median_ns,pace_missed)"
within "to four lengths of a sample" gap_ns 6.0e6 6.01e6
succeeds "a note says how long they were" grep -qx '    good: idle for 6\.00[0-9] ms after each sample (burst)' <("$GBRUN" show --notes)
succeeds "and a table has the pace" grep -qE '^good +burst ' out.txt
run bench.pace=burst
within "two lengths are the first" gap_ns 2.0e6 2.003e6
run needs_gap=1000 bench.pace=burst
within "32 lengths are the last" gap_ns 48.0e6 48.1e6
equals "the case is measured all the same" "0 ok,12,1" "$code $(column status,n_throttled,pace_missed)"
succeeds "and a note says that they were not enough" \
    grep -qx '    good: throttled or below its highest clock although idle for 48\.0[0-9] ms after each sample (burst)' <("$GBRUN" show --notes)
run needs_gap=1000 bench.pace=burst 'bench.pace_limit=100 ms'
within "the search is limited in time" gap_ns 3.0e6 3.1e6
equals "and has missed its pace then" "0 1" "$code $(column pace_missed)"
# What is 20 % above the clock under load was seen before there was load.
run settles_in='10 ms' bench.pace=burst 'bench.warmup=0'
equals "a clock below the highest is no burst" "0 1" "$code $(column pace_missed)"
run ignores_gaps=yes bench.pace=burst
equals "a device without gaps is an error" \
    "1 failed,pace = burst: device hot leaves no gaps between samples" "$code $(column status,status_text)"

# ---- sustained ----
run 'settles_in=4 s' bench.pace=sustained
equals "the samples are those of the settled device" "0 sustained,1000000,0,2000000000" \
    "$code $(column pace,median_ns,pace_missed,clock_high_hz | sed 's/2e+09/2000000000/')"
within "which was loaded until then" load_ns 4.5e9 8e9
succeeds "a note says how long" grep -qE '^    good: settled after [4-8]\.?[0-9]* s of load \(sustained\)' <("$GBRUN" show --notes)
run bench.pace=sustained
within "one that is settled already is seen to be for three seconds" load_ns 3e9 3.1e9
run 'settles_in=40 s' bench.pace=sustained
within "loading is limited" load_ns 20e9 20.5e9
equals "and the case is measured all the same" "0 ok,1" "$code $(column status,pace_missed)"
succeeds "which a note says" grep -qE '^    good: not settled after 20\.?[0-9]* s of load' <("$GBRUN" show --notes)
run 'settles_in=40 s' bench.pace=sustained 'bench.pace_limit=60 s'
equals "the limit can be raised" "0 0" "$code $(column pace_missed)"
# 100 W over samples of 1 ms and 1 us between them: 0.1001 J, if both ends are steps of the counter;
# from reading to reading it would be off by up to 0.1 s of 1 s.
run 'energy_step=100 ms' bench.pace=sustained
within "energy is counted from step to step" energy_joules 0.0995 0.1007
within "and work for each joule" flops_per_joule 10160 10300
equals "the power before the case is kept" 100 "$(column power_before_watts)"
# counter WHEN: what the case's counter of energy said then.
counter()
{
    "$GBRUN" export --format jsonl | sed -E "s/.*\"$1\":\{[^}]*\"energy_joules\":([0-9a-z]*).*/\1/"
}
run 'energy_step=100 ms' spares_energy=yes
equals "a short visit does not ask for its counter" "null null" "$(counter begin) $(counter end)"
run 'energy_step=100 ms' spares_energy=yes bench.iterations=200
equals "one of twelve times 0.2 s does, after two of them" 200 $(($(counter end) - $(counter begin)))
run 'energy_step=100 ms' bench.pace=burst
equals "the energy of gaps is no iteration's" "" "$(column energy_joules)"
run lose_every=2 bench.pace=sustained
equals "samples that are lost while loading are not the case's" 12 "$(column n_lost)"

# ---- waiting ----
run heat=3 bench.cool_below=41.5
equals "the device is left idle until it is cool" "0 ok 40" "$code $(column status,temperature_celsius | tr , ' ')"
within "and how long is kept" waited_ns 0.2e9 5e9
succeeds "and said" grep -qE '^    good: waited [0-9.]+ m?s' <("$GBRUN" show --notes)
run heat=3 bench.clock_at_least=1.9G
equals "or until its clock is up" "0 2e+09" "$code $(column clock_begin_hz | sed 's/^2000000000$/2e+09/')"
within "which takes time as well" waited_ns 0.2e9 5e9
run heat=1000 bench.cool_below=41.5 bench.clock_at_least=1900M 'bench.pace_limit=150 ms'
equals "waiting is limited" "0 ok" "$code $(column status)"
succeeds "which is said of heat" grep -qE 'cool_below = 41.5: still at 10[0-9]+ C when pace_limit was over' <("$GBRUN" show --notes)
succeeds "and of the clock" grep -q 'clock_at_least = 1900M: still at 1000 MHz when pace_limit was over' <("$GBRUN" show --notes)

# ---- identity ----
run 'bench.sweep.pace=free, burst, sustained' 'bench.pace_limit=10 s'
equals "paces can be swept, and are cases of their own" 3 "$(column uid | sort -u | grep -c .)"
first=$(column uid | head -n 1)
run
equals "a free one is what it was without" "$first" "$(column uid)"
equals "limits and waits are no part of it" "$first" "$(run bench.pace_limit=5s bench.cool_below=200 && column uid)"

# ---- a run that is stopped ----
# While it is loading, which does not end before its limit as all samples are lost.
mkfifo log
exec 5<>log
for pace in burst sustained; do
    rm -f results.gbr*
    "$GBRUN" -c - >out.txt 2>err.txt <<INI &
$(section device hot fake lose_every=1)
$(section bench beside beside device=hot "pace=$pace" 'pace_limit=24 h' iterations=1 "log=$TMPDIR/log")
INI
    heard 'begin *' <&5
    kill -INT $!
    wait $!
    equals "Ctrl-C ends a case that is being loaded: $pace" "1 cancelled 0" "$? $(column status,n_samples | tr , ' ')"
done

finish
