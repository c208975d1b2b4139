#!/usr/bin/env bash
# launch = graph, telemetry and warnings of a device at its opening, from the worker to what is shown.
. "$top_srcdir/tests/tap.sh"
with_modules
defaults=$(few_samples 12 'iterations = 2')

# ---- launch ----
measured <<INI
$defaults
$(section bench good good 'sweep.device=fake, shorter, cpu' 'sweep.launch=stream, graph')
$(section bench two_second two_second device=fake launch=graph)
$(section bench broken crash device=cpu where=create launch=graph)
INI
equals "a launch that cannot be is a failure" 1 "$code"
equals "graphs are launched where the device can" "fake,stream,ok,1035
fake,graph,ok,517.5" "$(column device,launch,status,median_ns --where "device = 'fake' and bench = 'good'")"
equals "a device that cannot says so, before anything is created" \
    "broken,cpu,failed,launch = graph: device cpu cannot launch graphs
good,cpu,failed,launch = graph: device cpu cannot launch graphs
good,shorter,failed,launch = graph: device shorter cannot launch graphs" \
    "$(column bench,device,status,status_text --where "launch = 'graph' and device <> 'fake'" | sort)"
equals "a benchmark that waits inside run cannot be captured" \
    'launch = graph: benchmark two_second waits for the device inside run, which cannot be captured: expected launch = stream' \
    "$(column status_text --where "bench = 'two_second'" | tr -d '"')"

measured <<INI
$defaults
$(section bench good good device=fake)
$(section bench same good device=fake launch=graph)
INI
equals "a table tells how each was launched, where that differs" "good stream same graph" \
    "$(awk '$1 == "good" || $1 == "same" { print $1, $2 }' out.txt | paste -sd ' ')"
for launch in stream graph auto; do
    measured <<<"$defaults
$(section bench good good device=fake launch=$launch)"
    equals "and nothing where it does not: $launch" 0 "$(grep -c 'launch' out.txt)"
done

# ---- telemetry ----
measured <<INI
$defaults
$(section device held fake throttle_from=10)
[bench good]
sweep.device = fake, held
INI
equals "the device was asked before the samples and after them" "40,100,2e+09,2e+09,1e+09,
40,100,2e+09,2e+09,1e+09,throttled by its option" \
    "$(column temperature_celsius,power_watts,clock_begin_hz,clock_end_hz,memory_clock_hz,throttle_reasons |
        sed 's/2000000000/2e+09/g; s/1000000000/1e+09/g')"
telemetry=$("$GBRUN" export --format jsonl --where "device = 'fake'" | grep -o '"telemetry":.*')
samples()
{
    grep -oE "\"$1\":\{[^}]*" <<<"$telemetry" | grep -oE "\"$2\":[0-9]+" | cut -d: -f2
}
equals "iterations between them are the samples'" "0 24" "$(samples begin iterations) $(samples end iterations)"
equals "and so is what the counter moved by" 12 $(($(samples end energy_joules) - $(samples begin energy_joules)))
equals "throttled samples are reported with the reason" \
    "  throttled samples: 5 of 12: throttled by its option (good device=held)" "$(grep throttled out.txt)"
"$GBRUN" show --verbose >verbose.txt
succeeds "a verbose table has what the device told" grep -E "clock rate +temperature +power" verbose.txt
succeeds "as numbers" grep -E "2.000 GHz +40 C +100.0 W" verbose.txt

measured <<INI
$defaults
$(section device dies fake where=telemetry)
$(section device breaks fake where=telemetry kind=error)
[bench good]
sweep.device = dies, breaks, fake
INI
equals "a device that breaks of being asked fails only its own case" \
    "crashed,\"SIGABRT, while reading the device's telemetry\"
device error,the fake device's planned failure
ok," "$(column status,status_text)"

# ---- what a device warned of at its opening ----
measured <<INI
$defaults
$(section device blind fake 'warning=no clock: the other one is used')
$(section bench good good device=blind 'sweep.size=1, 2, 3')
INI
equals "holds for every case and is said once" \
    "  warning: no clock: the other one is used (all 3 cases)" "$(grep 'no clock' out.txt)"
equals "also of the last case alone" \
    "  warning: no clock: the other one is used" "$("$GBRUN" show --where 'size = 3' | grep 'no clock')"

measured <<INI
$defaults
$(section device slow fake 'warning=3 of 16 links are down, 1.5 GB/s')
$(section device slower fake 'warning=12 of 16 links are down, 0.25 GB/s')
[bench good]
sweep.device = slow, slower
INI
equals "warnings that differ in numbers are one, of their ranges" \
    "  warning: 3..12 of 16 links are down, 0.25..1.5 GB/s (both cases)" \
    "$(grep 'links' out.txt)"
equals "and each its own with --verbose" 2 "$("$GBRUN" show --verbose | grep -c 'links are down')"

finish
