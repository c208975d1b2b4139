#!/usr/bin/env bash
# Several devices in one run: which are chosen, cases spread over them or measured on each, cases that are to be alone.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

head='
[policy few]
plugin = fixed
samples = 12
[defaults]
policy = few
iterations = 1
warmup = 0
[device gpu]
plugin = fake
n_devices = 4
models = Big, Big, Big, Small
uuids = GPU-aaaa1111, GPU-aaaa2222, GPU-bbbb3333, GPU-cccc4444'

# run ARGUMENT...: measures bench.ini afresh; sets code; text.txt is what went to standard error, the log is new.
run()
{
    rm -f results.gbr* log*
    hurry "$GBRUN" -c bench.ini "$@" >table.txt 2>text.txt
    code=$?
}

# status LABEL: what was said of a case when it was done, without its times.
status()
{
    grep -a '^[0-9]*/[0-9]*  ' text.txt | awk -F '  ' -v label="$1" '$2 == label {
        n = ""
        for (i = 3; i <= NF; i++) if ($i ~ /^n=/) n = " " $i
        print (n != "" && NF == 5 ? "ok" : $NF) n
    }'
}

# column NAMES [FILE]: columns of the cases, one case a line.
column()
{
    "$GBRUN" export --columns "$1" "${2:-results.gbr}" | tail -n +2 | tr -d '\r'
}

# is_alone PATTERN: in the log, nothing of another case stands between begin and end of those whose number matches.
is_alone()
{
    awk -v which="$1" '
        $1 == "made" || $1 == "killed" { next }
        owner != "" && $2 != owner { bad = 1; print "line " NR " of " $2 " inside " owner }
        $1 == "begin" && $2 ~ which { owner = $2; if (n_open) { bad = 1; print owner " beside others" } }
        $1 == "begin" { n_open++ }
        $1 == "end" { n_open--; if ($2 == owner) owner = "" }
        END { exit bad }' log
}

# ---- which devices ----
cat >bench.ini <<INI
$head
[bench good]
sweep.device = gpu, gpu:1, gpu:GPU-bbbb3333, gpu:GPU-cccc, gpu:GPU-aaaa, gpu:GPU-b, gpu:GPU-dddd, gpu:9, gpu:all, cpu:all
INI
run
equals "some of the devices are not there" 1 "$code"
all='gpu:0 (Big, GPU-aaaa1111), gpu:1 (Big, GPU-aaaa2222), gpu:2 (Big, GPU-bbbb3333), gpu:3 (Small, GPU-cccc4444)'
while IFS='|' read -r device expected; do
    equals "device $device" "$expected" "$(status "good device=$device")"
done <<LIST
gpu|ok n=12
gpu:1|ok n=12
gpu:GPU-bbbb3333|ok n=12
gpu:GPU-cccc|ok n=12
gpu:GPU-aaaa|failed: device gpu:GPU-aaaa: more than one UUID begins so: there is $all
gpu:GPU-b|failed: device gpu:GPU-b: expected four characters or more after the dash: there is $all
gpu:GPU-dddd|failed: device gpu:GPU-dddd: no UUID begins so: there is $all
gpu:9|failed: device gpu:9: there is only $all
gpu:all on gpu:0|ok n=12
cpu:all|ok n=12
LIST
equals "the device of a UUID" "good,2
good,3" "$("$GBRUN" export --columns bench,device_number --where "device like 'gpu:GPU-bbbb%' or device = 'gpu:GPU-cccc'" | tail -n +2 | tr -d '\r')"
equals "list says which" 'gpu:GPU-cccc' "$("$GBRUN" list -c bench.ini --format csv | awk -F , '$1 == 4 {print $NF}' | tr -d '\r')"

# ---- spread ----
cat >bench.ini <<INI
[gbrun]
devices = all
$head
[bench beside]
log = $TMPDIR/log
let.number = 0
sweep.number = 1:6
INI
run -s beside.meet_begun=3
equals "spread: three cases that wait for each other are measured side by side" 0 "$code"
equals "spread: each case once" "1 2 3 4 5 6" "$(column number | sort | paste -sd ' ')"
equals "spread: on all equal devices, on no other" "0 1 2" "$(column index | sort -u | paste -sd ' ')"
equals "spread: the device that is left out is named" \
    "gbrun: device gpu:3 (Small) is left out: cases are spread over devices of the first one's model; distribute = each uses all" \
    "$(grep '^gbrun' text.txt)"
equals "progress counts each case once" 6 "$(grep -c '^[0-9]*/6  beside number=[0-9] on gpu:[012]  ' text.txt)"
equals "what is stored is where it was measured" "$(column index)" "$(column device_number)"
run -s gbrun.jobs=1 -s beside.linger=5ms
succeeds "one job at a time, if that is asked for" is_alone .
equals "and that is fine" 0 "$code"
run -s gbrun.devices=gpu
equals "without all, auto is one device" "0" "$(column index | sort -u)"
run -s gbrun.jobs=2 -s beside.meet_begun=2 -s beside.device=gpu:all
equals "NAME:all with two jobs" "0 6" "$code $(column number | wc -l)"

# ---- each ----
run -s gbrun.distribute=each -s beside.meet_begun=4 -s gbrun.rounds=2 -s beside.sweep.number=1,2
equals "each: four cases side by side" 0 "$code"
equals "each: every case on every device in every round" 16 "$(column number,index,round | sort -u | wc -l)"
equals "each: progress counts them all" 16 "$(grep -c '^[0-9]*/16  beside number=[12] on gpu:[0-3]  ' text.txt)"
equals "each: nothing is left out" "" "$(grep '^gbrun' text.txt)"
equals "each: a row of the table for each device, the rounds in one" 8 "$(grep -c '^beside ' table.txt)"
equals "each: the table tells them apart" "2 gpu:0
2 gpu:1
2 gpu:2
2 gpu:3" "$(grep -o '^beside  *[12]  gpu[:0-9]*' table.txt | awk '{print $NF}' | sort | uniq -c | sed 's/^ *//')"
run -s gbrun.distribute=each -s beside.sweep.device=gpu:all -s beside.sweep.number=1
equals "each: a swept device has the names of all" "gpu:0
gpu:1
gpu:2
gpu:3" "$(column device | sort)"

# ---- one of them crashes ----
run -s gbrun.distribute=each -s beside.crash_on=1
equals "a device that crashes" 1 "$code"
equals "costs its own cases" 6 "$(grep -c 'on gpu:1  crashed (SIGABRT, in run, while warming up)' text.txt)"
equals "and no other" 18 "$(column status | grep -c ok)"

run -s "device gpu.closed_device=1"
equals "spread: a device that cannot be opened costs one case" "1 5" \
    "$(column status | grep -c 'device error') $(column status | grep -c ok)"
equals "and is said to be left out" "gbrun: device gpu:1 cannot be opened: the others go on without it" \
    "$(grep -o '^gbrun: device gpu:1 can.*' text.txt)"
run -s "device gpu.closed_device=1" -s gbrun.distribute=each
equals "each: it costs all of its own" "6 18" \
    "$(column status | grep -c 'device error') $(column status | grep -c ok)"
run -s "device gpu.where=open"
equals "if none can be opened each case says so" 6 "$(grep -c 'crashed (SIGABRT, while opening the device)' text.txt)"

# ---- alone ----
run -s beside.exclusive=yes -s beside.linger=20ms
equals "exclusive = yes" 0 "$code"
succeeds "exclusive = yes: no case runs beside another" is_alone .
run -s beside.meet_made=3 -s beside.alone=yes -s beside.linger=20ms
equals "three cases ask to be alone at once" 0 "$code"
succeeds "each of them is" is_alone .
equals "none is lost" 6 "$(column status | grep -c ok)"
cat >mixed.ini <<INI
[bench more]
plugin = beside
log = $TMPDIR/log
let.number = 0
sweep.number = 7:12
linger = 10 ms
INI
cp bench.ini only.ini
cat mixed.ini >>bench.ini
run -s gbrun.order=shuffled -s beside.alone=yes -s beside.linger=20ms
equals "among other cases" "0 12" "$code $(column status | grep -c ok)"
succeeds "those that asked are alone" is_alone '^[1-6]$'
for order in listed shuffled; do
    run -s gbrun.order=$order -s beside.exclusive=yes -s beside.linger=20ms
    equals "exclusive = yes among other cases, $order" "0 12" "$code $(column status | grep -c ok)"
    succeeds "those are alone, $order" is_alone '^[1-6]$'
done
run -s beside.sweep.number=1 -s beside.alone=yes -s more.sweep.number=7:66
succeeds "one that waits is not overtaken by all" test "$(grep begin log | tail -n 1)" != "begin 1 on 0"
cp only.ini bench.ini
cat >bench.ini <<INI
[gbrun]
devices = all
$head
[bench one]
plugin = beside
device = gpu
log = $TMPDIR/log
number = 9
linger = 20 ms
[bench beside]
log = $TMPDIR/log
let.number = 0
sweep.number = 1:3
INI
run
equals "a case of one device, then three of all" "0 4" "$code $(column status | grep -c ok)"
succeeds "beside one that has one device there is no room for more" is_alone '^9$'
cp only.ini bench.ini
run -s gbrun.jobs=1 -s beside.device=gpu -s beside.alone=yes
equals "on one device it is alone anyway" "0 6" "$code $(column status | grep -c ok)"
sed -i 's/Big, Big, Big, Small/Big/; s/n_devices = 4/n_devices = 6/' bench.ini
cat >>bench.ini <<INI
[bench hangs]
plugin = beside
log = $TMPDIR/log
alone = yes
deaf = yes
number = 9
time_limit = 20 s
INI
run -s beside.sweep.number=1:5 -s beside.meet_made=6 -s beside.alone=yes -s beside.time_limit=20s
equals "waiting does not count against the time limit" "1 5 1" \
    "$code $(column status | grep -c ok) $(grep -c '  hangs.*timed out after 20.0 s, in run' text.txt)"
equals "nor against the time that is shown" 0 "$(column status,wall_ns | awk -F , '$1 == "ok" && $2 > 20e9' | wc -l)"
cp only.ini bench.ini
sed -i 's/Big, Big, Big, Small/Big/; s/n_devices = 4/n_devices = 6/' bench.ini
cat >>bench.ini <<INI
[bench victim]
plugin = beside
log = $TMPDIR/log
alone = yes
killed_waiting = yes
meet_made = 6
let.number = 0
sweep.number = 9, 10
INI
run -s beside.sweep.number=1:4 -s beside.meet_made=6 -s beside.alone=yes -s beside.meet_killed=2 -s beside.linger=300ms
equals "one that dies while it waits" "crashed (SIGKILL, while waiting to be alone)" "$(grep -o 'crashed (SIGKILL.*' text.txt | sort -u)"
equals "costs its own case" 4 "$(column status | grep -c ok)"
succeeds "and the others are alone all the same" is_alone .
cp only.ini bench.ini
rm -f results.gbr* log*
: >log
mkfifo err
"$GBRUN" -c bench.ini -s beside.sweep.number=1:3 -s beside.alone=yes -s beside.meet_made=3 \
    -s beside.until_cancelled=yes >/dev/null 2>text.txt &
pid=$!
heard 'begin *' < <(tail --pid=$pid -n +1 -f log)
kill -INT $pid
wait $pid
equals "Ctrl-C reaches those that wait" "1 3" "$? $(column status | grep -c cancelled)"
equals "only one had begun" 1 "$(grep -c begin log)"

# ---- resuming ----
# killed_after N ARGUMENT...: starts the run afresh, kills it when N cases are announced and the rest are held.
killed_after()
{
    local n=$1
    shift
    rm -f results.gbr* log*
    "$GBRUN" -c bench.ini "$@" >/dev/null 2>err &
    exec 6<err
    heard '[0-9]*/[0-9]*  *' "$n" <&6
    kill -KILL $!
    wait $! 2>/dev/null
    : >log.go
}

# resumed NAME CASES AT_ONCE COLUMNS: finishes it; each value of the columns is there once, and only what was in flight
# has begun a second time.
resumed()
{
    "$GBRUN" run --resume results.gbr >table.txt 2>text.txt
    equals "$1: resumed" 0 $?
    equals "$1: nothing is missing, nothing is twice" "$2 $2" \
        "$(column "$4" | sort -u | wc -l) $(column "$4" | wc -l)"
    succeeds "$1: only what was in flight is measured again" test "$(grep -c begin log)" -le $(($2 + $3))
    equals "$1: all is well" ok "$(column status | sort -u)"
    equals "$1: progress ends with all" 1 "$(grep -c "^$2/$2  " text.txt)"
}
killed_after 4 -s beside.held_from=40 -s beside.sweep.number=1:12 # 5 to 7 are in flight
cp results.gbr spread_a.gbr
for part in wal shm; do [ ! -f results.gbr-$part ] || cp results.gbr-$part spread_a.gbr-$part; done
resumed "spread" 12 3 number
"$GBRUN" run -q --resume spread_a.gbr >/dev/null 2>&1
"$GBRUN" merge -o spread_m.gbr spread_a.gbr results.gbr 2>/dev/null
equals "spread: copies resumed apart and merged hold each case once" "12 12" \
    "$(column number spread_m.gbr | sort -u | wc -l) $(column number spread_m.gbr | wc -l)"

killed_after 9 -s gbrun.distribute=each -s beside.held_from=25 # 3 is done on gpu:0 only
cp results.gbr each_a.gbr
for part in wal shm; do [ ! -f results.gbr-$part ] || cp results.gbr-$part each_a.gbr-$part; done
resumed "each" 24 4 number,device_number
"$GBRUN" run -q --resume each_a.gbr >/dev/null 2>&1
"$GBRUN" merge -o each_m.gbr each_a.gbr results.gbr 2>/dev/null
equals "each: copies resumed apart and merged hold each case once for each device" "24 24" \
    "$(column number,device_number each_m.gbr | sort -u | wc -l) $(column number,device_number each_m.gbr | wc -l)"

killed_after 9 -s gbrun.distribute=each -s beside.held_from=25
FAKE_DEVICES=2 "$GBRUN" run --resume results.gbr >table.txt 2>text.txt
equals "devices that are gone: the others go on" 12 \
    "$("$GBRUN" export --columns number --where "device_number < 2" | tail -n +2 | wc -l)"
succeeds "and it is said" grep -q '^gbrun: device gpu:[23] (.*), used before, is not there: going on without it$' text.txt
finish
