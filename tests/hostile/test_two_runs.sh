#!/usr/bin/env bash
# Two gbrun processes on one machine: who measures where, who waits for whom, what says so. Each case of the module
# `beside` adds lines to a log that all have in common: made, begin, end.
. "$top_srcdir/tests/tap.sh"
with_modules
mkdir locks
export GBRUN_LOCK_FOLDER=$TMPDIR/locks

{
    few_samples 3 'iterations = 1' 'time_limit = 10 min'
    section device gpu fake n_devices=2 'uuids=GPU-aaaa1111, GPU-bbbb2222'
    section device left cpu cpus="$(processor 1)"
    section device right cpu cpus="$(processor "$(nproc)")"
} >common.ini
# start NAME NUMBERS LINE...: measures cases of these numbers in the background, in NAME.gbr; NAME.txt: standard error.
start()
{
    { cat common.ini; section bench beside beside "log=$TMPDIR/log" let.number=0 "sweep.number=$2" "${@:3}"; } >"$1.ini"
    rm -f "$1.gbr"*
    : >"$1.txt"
    "$GBRUN" -c "$1.ini" -o "$1.gbr" "${options[@]}" >"$1.table" 2>"$1.txt" &
    pids[$1]=$!
}
declare -A pids
options=()
# both: waits for a and b; sets codes.
both()
{
    wait "${pids[a]}"
    codes=$?
    wait "${pids[b]}"
    codes="$codes $?"
}

# empty_log: its file is there, so that who waits for a line need not look for it now and then.
empty_log()
{
    rm -f log.go
    : >log
}

# wait_for TEXT FILE: until a line of the file has it.
wait_for()
{
    tail -n +1 -F "$2" 2>/dev/null | grep -q -m 1 "$1"
}

# ---- the same device: no case ends before the other run waits for its turn ----
for device in cpu:gbrun-cpus gpu:1:gbrun-GPU-bbbb2222; do
    lock=locks/${device##*:}.lock
    device=${device%:*}
    empty_log
    turns=("device = $device" "wanted = $TMPDIR/$lock" 'wanted_until = 16')
    start a 1:8 "${turns[@]}" 'held_from = 0'
    wait_for ^begin log
    start b 11:18 "${turns[@]}"
    wait_for '^gbrun: .* waits for' b.txt
    touch log.go
    both
    equals "two runs on one device: $device" "0 0" "$codes"
    equals "all cases are measured, one at a time, in turns: $device" \
        "$(for i in {1..8}; do echo "begin $i end $i begin $((i + 10)) end $((i + 10))"; done)" \
        "$(awk '$1 != "made" {print $1, $2}' log | paste -sd '   \n')"
    succeeds "who waits says how long: $device" test "$(column lock_wait_ns b.gbr | head -n 1 | cut -d . -f 1)" -ge 1000000000
done
equals "the lock of a GPU has the name of its UUID, and is for all users" "666 gbrun-GPU-bbbb2222.lock" \
    "$(stat -c '%a %n' locks/gbrun-GPU* | sed 's|locks/||')"

# pairs <<TABLE: lines of NAME|ALONE|CASES|NUMBERS; LINE...|NUMBERS; LINE...: two runs at the same time end well, and so
# many cases do; where it says alone, nothing is measured beside any.
pairs()
{
    local name alone n first second lines
    while IFS='|' read -r name alone n first second; do
        empty_log
        mapfile -t lines <<<"${first//; /$'\n'}"
        start a "${lines[@]}"
        mapfile -t lines <<<"${second//; /$'\n'}"
        start b "${lines[@]}"
        both
        equals "$name" "0 0 $n" "$codes $(grep -c '^end' log)"
        [ -z "$alone" ] || succeeds "$name: nothing is measured beside" is_alone .
    done
}
pairs <<'TABLE'
cases that ask to be alone|alone|6|1:3; device = cpu; alone = yes; linger = 20 ms|11:13; device = gpu:0; alone = yes; linger = 20 ms
a run with exclusive = yes, and one on another device|alone|12|1:6; device = gpu:0; exclusive = yes; linger = 20 ms|11:16; device = gpu:1; linger = 20 ms
two devices are measured at the same time||2|1; device = gpu:0; meet_begun = 2|2; device = gpu:1; meet_begun = 2
TABLE
if [ "$(nproc)" -gt 1 ]; then
    pairs <<'TABLE'
as are two CPUs||2|1; device = left; meet_begun = 2|2; device = right; meet_begun = 2
one of them, and all|alone|8|1:4; device = left; linger = 20 ms|11:14; device = cpu; linger = 20 ms
TABLE
else
    skip "two CPUs" "there is one"
fi
options=(-s gbrun.lock=no)
pairs <<<'lock = no: on the same one||2|1; device = cpu; meet_begun = 2|2; device = cpu; meet_begun = 2'
equals "and nobody waits" "0 0" "$(column lock_wait_ns a.gbr) $(column lock_wait_ns b.gbr)"
options=()

# ---- whoever waits says for whom ----
# beside_held NUMBERS: b begins while a is held in its case.
beside_held()
{
    empty_log
    start a 1 'device = cpu' 'held_from = 0'
    wait_for ^begin log
    start b "$1" 'device = cpu'
}

[ "${HOSTILE-}" != all ] || options=(-s 'defaults.time_limit=20 s') # and it waits for longer
beside_held 2
wait_for '^gbrun: .* waits for' b.txt
[ "${HOSTILE-}" != all ] || sleep 21
touch log.go
both
equals "waiting is not charged to time_limit" "0 0" "$codes"
succeeds "it is known who is waited for" \
    grep -q "^gbrun: device cpu:0 waits for process ${pids[a]}, which holds $TMPDIR/locks/gbrun-cpus.lock$" b.txt

options=(-s 'gbrun.lock_limit=300 ms')
beside_held 11:13
wait "${pids[b]}"
equals "lock_limit: it is measured beside the other" 0 $?
touch log.go
wait "${pids[a]}"
said="measured beside process ${pids[a]}, which holds $TMPDIR/locks/gbrun-cpus.lock: lock_limit, 300 ms, is over"
equals "which is said once during the run" 1 "$(grep -c "^gbrun: $said" b.txt)"
equals "and of each case" 3 "$("$GBRUN" export --format jsonl b.gbr | grep -c "$said")"
succeeds "in the table as well" grep -q "warning: measured beside process" b.table
options=()

beside_held 2
kill -KILL "${pids[a]}"
wait "${pids[b]}"
equals "the lock of a process that was killed is free" 0 $?

# ---- locks that cannot be had ----
# refused NAME PROBLEM: the case is measured, and says so.
refused()
{
    empty_log
    start a 1:2 'device = cpu'
    wait "${pids[a]}"
    equals "$1: the run goes on" 0 $?
    equals "$1: it is said once" 1 "$(grep -c "^gbrun: measured without a lock: $2: other gbrun processes may measure at the same time" a.txt)"
    equals "$1: and of each case" 2 "$("$GBRUN" export --format jsonl a.gbr | grep -c "measured without a lock: $2")"
}
GBRUN_LOCK_FOLDER=$TMPDIR/none refused "no folder" "$TMPDIR/none/gbrun-machine.lock: No such file or directory"
echo precious >kept
rm locks/gbrun-cpus.lock
ln -s ../kept locks/gbrun-cpus.lock
refused "a link in its place" "$TMPDIR/locks/gbrun-cpus.lock: Too many levels of symbolic links"
equals "and what it points to is as it was" precious "$(cat kept)"
rm locks/gbrun-cpus.lock
mkfifo locks/gbrun-cpus.lock
refused "a pipe in its place" "$TMPDIR/locks/gbrun-cpus.lock: is not a regular file"
finish
