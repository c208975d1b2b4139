#!/usr/bin/env bash
# launch = graph, telemetry and warnings of a device at its opening, from the worker to what is shown.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

# run: measures stdin; code, text.txt
run()
{
    rm -f results.gbr
    "$GBRUN" -c - >table.txt 2>text.txt
    code=$?
}

# column NAMES [WHERE]: values of the cases, one a line
column()
{
    "$GBRUN" export --columns "$1" --where "${2:-1}" | tail -n +2
}

defaults='[policy few]
plugin = fixed
samples = 12
[defaults]
policy = few
iterations = 2'

# ---- launch ----
run <<INI
$defaults
[bench good]
sweep.device = fake, shorter, cpu
sweep.launch = stream, graph
[bench two_second]
device = fake
launch = graph
[bench broken]
plugin = crash
device = cpu
where = create
launch = graph
INI
equals "a launch that cannot be is a failure" 1 "$code"
equals "graphs are launched where the device can" "fake,stream,ok,1035
fake,graph,ok,517.5" "$(column device,launch,status,median_ns "device = 'fake' and bench = 'good'")"
equals "a device that cannot says so" "cpu,failed,launch = graph: device cpu cannot launch graphs
shorter,failed,launch = graph: device shorter cannot launch graphs" \
    "$(column device,status,status_text "bench = 'good' and launch = 'graph' and device <> 'fake'" | sort)"
equals "before anything is created" \
    "failed,launch = graph: device cpu cannot launch graphs" \
    "$(column status,status_text "bench = 'broken'")"
equals "a benchmark that waits inside run cannot be captured" \
    '"launch = graph: benchmark two_second waits for the device inside run, which cannot be captured: expected launch = stream"' \
    "$(column status_text "bench = 'two_second'" | sed 's/^[^"].*/"&"/')"

run <<INI
$defaults
[bench good]
device = fake
[bench same]
like = good
launch = graph
INI
equals "a table tells how each was launched, where that differs" "good stream same graph" \
    "$(awk '$1 == "good" || $1 == "same" { print $1, $2 }' table.txt | paste -sd ' ')"
for launch in stream graph auto; do
    run <<INI
$defaults
[bench good]
device = fake
launch = $launch
INI
    equals "and nothing where it does not: $launch" 0 "$(grep -c 'launch' table.txt)"
done

# ---- telemetry ----
run <<INI
$defaults
[device held]
plugin = fake
throttle_from = 10
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
    printf '%s\n' "$telemetry" | grep -oE "\"$1\":\{[^}]*" | grep -oE "\"$2\":[0-9]+" | cut -d: -f2
}
equals "iterations between them are the samples'" "0 24" "$(samples begin iterations) $(samples end iterations)"
equals "and so is what the counter moved by" 12 \
    $(($(samples end energy_joules) - $(samples begin energy_joules)))
equals "throttled samples are reported with the reason" \
    "  1 case has throttled samples: 5 of its 12 (throttled by its option)" "$(grep throttled table.txt)"
succeeds "a verbose table has what the device told" \
    sh -c '"$GBRUN" show --verbose | grep -E "clock rate +temperature +power" && "$GBRUN" show --verbose | grep -E "2.000 GHz +40 C +100.0 W"'

run <<INI
$defaults
[device dies]
plugin = fake
where = telemetry
[device breaks]
plugin = fake
where = telemetry
kind = error
[bench good]
sweep.device = dies, breaks, fake
INI
equals "a device that breaks of being asked costs its own case" \
    "crashed,\"SIGABRT, while reading the device's telemetry\"
device error,the fake device's planned failure
ok," "$(column status,status_text)"

# ---- what a device warned of at its opening ----
run <<INI
$defaults
[device blind]
plugin = fake
warning = no clock: the other one is used
[bench good]
device = blind
sweep.size = 1, 2, 3
INI
equals "holds for every case and is said once" \
    "  warning: no clock: the other one is used (3 cases, first in good size=1)" \
    "$(grep 'no clock' table.txt)"
equals "also of the last case alone" \
    "  warning: no clock: the other one is used (good size=3)" \
    "$("$GBRUN" show --where 'size = 3' | grep 'no clock')"

run <<INI
$defaults
[device slow]
plugin = fake
warning = 3 of 16 links are down, 1.5 GB/s
[device slower]
plugin = fake
warning = 12 of 16 links are down, 0.25 GB/s
[bench good]
sweep.device = slow, slower
INI
equals "warnings that differ in numbers are one" \
    "  warning: 3 of 16 links are down, 1.5 GB/s (good device=slow, and with other numbers 1 more)" \
    "$(grep 'links' table.txt)"
equals "and each its own with --verbose" 2 "$("$GBRUN" show --verbose | grep -c 'links are down')"

finish
