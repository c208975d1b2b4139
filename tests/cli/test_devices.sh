#!/usr/bin/env bash
# Several devices in one run: which are chosen, cases spread over them or measured on each, cases that are to be alone.
. "$top_srcdir/tests/tap.sh"
with_modules

head=$(few_samples 12 'iterations = 1' 'warmup = 0'
    section device gpu fake 'n_devices = 4' 'models = Big, Big, Big, Small' \
        'uuids = GPU-aaaa1111, GPU-aaaa2222, GPU-bbbb3333, GPU-cccc4444')

# beside NAME N|FROM:TO [LINE]...: a section of cases that look at each other, so many of them or with these numbers.
beside()
{
    local numbers=$2
    [[ $numbers = *:* ]] || numbers=1:$numbers
    section bench "$1" beside "log=$TMPDIR/log" let.number=0 "sweep.number = $numbers" "${@:3}"
}

# of ARGUMENT...: the whole configuration of such cases, on all devices; on six of one model where it is of_six.
of()
{
    printf '[gbrun]\ndevices = all\n%s\n' "$head"
    beside "$@"
}
of_six()
{
    of "$@" | sed 's/Big, Big, Big, Small/Big/; s/n_devices = 4/n_devices = 6/'
}

# run ARGUMENT...: measures bench.ini afresh, with a new log.
run()
{
    rm -f results.gbr* log*
    hurry ran "$GBRUN" -c bench.ini "$@"
}

# counts WORD: how many cases have the status.
counts()
{
    column status | grep -c "$1"
}

# alone NAME PATTERN N ARGUMENT...: N cases are ok, and no case runs beside those whose number matches.
alone()
{
    run "${@:4}"
    equals "$1: all are fine" "0 $3" "$code $(counts ok)"
    succeeds "$1: they are alone" is_alone "$2"
}

# ---- which devices: more of them in tests/run/test_visit.c ----
cat >bench.ini <<INI
$head
[bench good]
sweep.device = gpu:GPU-bbbb3333, gpu:GPU-cccc, gpu:GPU-dddd, cpu:all
INI
run
equals "some of the devices are not there" 1 "$code"
all='gpu:0 (Big, GPU-aaaa1111), gpu:1 (Big, GPU-aaaa2222), gpu:2 (Big, GPU-bbbb3333), gpu:3 (Small, GPU-cccc4444)'
each_status <<LIST
good device={gpu:GPU-bbbb3333,gpu:GPU-cccc,cpu:all}|ok n=12
good device=gpu:GPU-dddd|failed: device gpu:GPU-dddd: no UUID begins like this: available: $all
LIST
equals "the device of a UUID" "2 3" "$(column device_number --where "device in ('gpu:GPU-bbbb3333', 'gpu:GPU-cccc')" | xargs)"
equals "list says which" 'gpu:GPU-cccc' \
    "$("$GBRUN" list -c bench.ini --format csv | awk -F , '$1 == 2 {print $NF}' | tr -d '\r')"

# ---- spread ----
of beside 6 >bench.ini
run -s beside.meet_begun=3
equals "spread: three cases that wait for each other are measured side by side, each once" "0 1 2 3 4 5 6" \
    "$code $(column number | sort | xargs)"
equals "spread: on all equal devices, on no other" "0 1 2" "$(column index | sort -u | xargs)"
equals "spread: the device that is left out is named" \
    "gbrun: device gpu:3 (Small) is not used: cases are spread over devices of the same model as the first; distribute = each uses all" \
    "$(grep '^gbrun' err.txt)"
equals "progress counts each case once" 6 "$(grep -c '^[0-9]*/6  beside number=[0-9] on gpu:[012]  ' err.txt)"
equals "what is stored is where it was measured" "$(column index)" "$(column device_number)"
alone "one job at a time, if that is asked for" . 6 -s gbrun.jobs=1 -s beside.linger=5ms
run -s gbrun.devices=gpu
equals "without all, auto is one device" "0" "$(column index | sort -u)"
run -s gbrun.jobs=2 -s beside.meet_begun=2 -s beside.device=gpu:all
equals "NAME:all with two jobs" "0 6" "$code $(column number | wc -l)"

# ---- each ----
run -s gbrun.distribute=each -s beside.meet_begun=4 -s gbrun.rounds=2 -s beside.sweep.number=1,2
equals "each: four cases side by side, every case on every device in every round" "0 16" \
    "$code $(column number,index,round | sort -u | wc -l)"
equals "each: progress counts them all" 16 "$(grep -c '^[0-9]*/16  beside number=[12] on gpu:[0-3]  ' err.txt)"
equals "each: nothing is left out" "" "$(grep '^gbrun' err.txt)"
equals "each: a row of the table for each device, the rounds in one" 8 "$(grep -c '^beside ' out.txt)"
equals "each: the table tells them apart" "2 gpu:0 2 gpu:1 2 gpu:2 2 gpu:3" \
    "$(grep -o '^beside  *[12]  gpu[:0-9]*' out.txt | awk '{print $NF}' | sort | uniq -c | xargs)"
run -s gbrun.distribute=each -s beside.sweep.device=gpu:all -s beside.sweep.number=1
equals "each: a swept device has the names of all" "gpu:0 gpu:1 gpu:2 gpu:3" "$(column device | sort | xargs)"

# ---- one of them crashes ----
run -s gbrun.distribute=each -s beside.crash_on=1
equals "a device that crashes fails only its own cases, and no other" "1 6 18" \
    "$code $(grep -c 'on gpu:1  crashed (SIGABRT, in run, while warming up)' err.txt) $(counts ok)"
run -s "device gpu.closed_device=1"
equals "spread: a device that cannot be opened costs one case" "1 5" "$(counts 'device error') $(counts ok)"
equals "and is said to be left out" "gbrun: device gpu:1 cannot be opened: continuing with the others" \
    "$(grep -o '^gbrun: device gpu:1 can.*' err.txt)"
run -s "device gpu.closed_device=1" -s gbrun.distribute=each
equals "each: it costs all of its own" "6 18" "$(counts 'device error') $(counts ok)"
run -s "device gpu.where=open"
equals "if none can be opened each case says so" 6 "$(grep -c 'crashed (SIGABRT, while opening the device)' err.txt)"

# ---- alone ----
alone "exclusive = yes" . 6 -s beside.exclusive=yes -s beside.linger=20ms
alone "three cases ask to be alone at once" . 6 -s beside.meet_made=3 -s beside.alone=yes -s beside.linger=20ms
alone "on one device it is alone anyway" . 6 -s gbrun.jobs=1 -s beside.device=gpu -s beside.alone=yes
beside more 7:12 'linger = 10 ms' >>bench.ini
alone "among other cases" '^[1-6]$' 12 -s gbrun.order=shuffled -s beside.alone=yes -s beside.linger=20ms
for order in listed shuffled; do
    alone "exclusive = yes among others, $order" '^[1-6]$' 12 -s gbrun.order=$order -s beside.exclusive=yes \
        -s beside.linger=20ms
done
run -s beside.sweep.number=1 -s beside.alone=yes -s more.sweep.number=7:66
succeeds "one that waits is not overtaken by all" test "$(grep begin log | tail -n 1)" != "begin 1 on 0"
{
    of one 9:9 'device = gpu' 'linger = 20 ms'
    beside beside 3
} >bench.ini
alone "a case of one device, beside which is no room for those of all" '^9$' 4
{
    of_six beside 5 'meet_made = 6' 'alone = yes' 'time_limit = 10 min'
    beside hangs 9:9 'alone = yes' 'deaf = yes' 'time_limit = 10 min'
} >bench.ini
run
equals "waiting does not count against the time limit" "1 5 1" \
    "$code $(counts ok) $(grep -c '  hangs.*timed out after 600 s, in run' err.txt)"
equals "nor against the time that is shown" 0 "$(column status,wall_ns | awk -F , '$1 == "ok" && $2 > 600e9' | wc -l)"
# The first of the others waits until both are gone.
{
    of_six beside 4 'meet_made = 6' 'alone = yes' 'meet_killed = 2'
    beside victim 9:10 'meet_made = 6' 'alone = yes' 'killed_waiting = yes'
} >bench.ini
run
equals "one that dies while it waits fails only its own case" "crashed (SIGKILL, while waiting to be alone) 4" \
    "$(grep -o 'crashed (SIGKILL.*' err.txt | sort -u) $(counts ok)"
succeeds "and the others are alone all the same" is_alone .
of beside 3 'alone = yes' 'meet_made = 3' 'until_cancelled = yes' >bench.ini
rm -f results.gbr* log*
: >log
mkfifo err
"$GBRUN" -c bench.ini >/dev/null 2>err.txt &
pid=$!
heard 'begin *' < <(tail --pid=$pid -n +1 -f log)
kill -INT $pid
wait $pid
equals "Ctrl-C reaches those that wait, of which one had begun" "1 3 1" "$? $(counts cancelled) $(grep -c begin log)"

# ---- resuming ----
# killed_after N FILE ARGUMENT...: starts the run afresh, kills it when N cases are announced and the rest are held; FILE
# is a copy of what it left.
of beside 6 >bench.ini
killed_after()
{
    rm -f results.gbr* log*
    "$GBRUN" -c bench.ini "${@:3}" >/dev/null 2>err &
    exec 6<err
    heard '[0-9]*/[0-9]*  *' "$1" <&6
    kill -KILL $!
    wait $! 2>/dev/null
    : >log.go
    for part in '' -wal -shm; do [ ! -f results.gbr$part ] || cp results.gbr$part "$2$part"; done
}

# resumed NAME CASES AT_ONCE COLUMNS: finishes it; each value of the columns is there once, and only what was in flight
# has begun a second time. So are they where a copy was resumed as well, and both were merged.
resumed()
{
    ran "$GBRUN" run --resume results.gbr
    equals "$1: resumed: nothing is missing, nothing is twice, all is well" "0 $2 $2 ok" \
        "$code $(column "$4" | sort -u | wc -l) $(column "$4" | wc -l) $(column status | sort -u)"
    succeeds "$1: only what was in flight is measured again" test "$(grep -c begin log)" -le $(($2 + $3))
    equals "$1: progress ends with all" 1 "$(grep -c "^$2/$2  " err.txt)"
    "$GBRUN" run -q --resume copy.gbr >/dev/null 2>&1
    "$GBRUN" merge -o "$1.gbr" copy.gbr results.gbr 2>/dev/null
    equals "$1: copies resumed apart and merged hold each case once" "$2 $2" \
        "$(column "$4" "$1.gbr" | sort -u | wc -l) $(column "$4" "$1.gbr" | wc -l)"
    rm copy.gbr*
}
killed_after 4 copy.gbr -s beside.held_from=40 -s beside.sweep.number=1:12 # 5 to 7 are in flight
resumed "spread" 12 3 number
killed_after 9 copy.gbr -s gbrun.distribute=each -s beside.held_from=25 # 3 is done on gpu:0 only
resumed "each" 24 4 number,device_number
killed_after 9 copy.gbr -s gbrun.distribute=each -s beside.held_from=25
FAKE_DEVICES=2 ran "$GBRUN" run --resume results.gbr
equals "devices that are gone: the others go on" 12 "$(column number --where "device_number < 2" | wc -l)"
succeeds "and it is said" grep -q '^gbrun: device gpu:[23] (.*), used before, is not available: continuing without it$' err.txt
sql results.gbr "UPDATE device SET model = 'Big 2' WHERE id = (SELECT min(id) FROM device WHERE model = 'Big')"
equals "each model is listed once, also one in whose name another's stands" "Big,Big 2,Small" \
    "$("$GBRUN" list runs results.gbr --format csv | grep -o '"[^"]*Big[^"]*"' | tr -d '"' | sed 's/, /\n/g' | sort |
        paste -sd ,)"
finish
