#!/usr/bin/env bash
# On a machine whose processors are taken by others a run says so when it begins, and each case that was disturbed does.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
unset GBRUN_IGNORE_LOAD

{
    few_samples 50 'device = cpu'
    section bench wall spin 'duration=1 ms'
    section bench thread spin 'duration=1 ms' clock=thread
} >busy.ini
# All of it on one processor, on which two others compute; that many more wait there says that the machine has no room,
# however many processors it has, and takes none of them.
taskset -pc "$(processor 1)" $$ >pinned.txt || exit 99
pids=()
trap 'kill "${pids[@]}" 2>/dev/null' EXIT
compute()
{
    "$@" bash -c 'while :; do :; done' &
    pids+=($!)
}
compute env
compute env
for ((i = 2; i < 2 * $(getconf _NPROCESSORS_ONLN); i++)); do compute chrt -i 0; done
exits "a run on a busy machine" 0 "$GBRUN" -c busy.ini
succeeds "it says so when it begins" \
    grep -q '^gbrun: the machine is busy: load [0-9.]*, [0-9]* processes running on [0-9]* CPUs: ps ' err.txt
notes results.gbr
succeeds "so does the case" \
    grep -q 'machine was busy: its threads waited [0-9.]* % of their runnable time.*; the interval tolerates .* (wall)' out.txt
equals "but for one whose clock stands still meanwhile" 0 "$(grep -c 'was busy.*(thread)' out.txt)"
# known: does every case say what others did, and how long it waited for a processor?
known()
{
    column others_cpu_ns,waited_cpu_ns,n_preempted |
        awk -F , '$1 > 1e7 && $2 > 1e6 && $3 > 0 { n++ } END { exit n != 2 }'
}
succeeds "what others did is stored" known
rm results.gbr
GBRUN_IGNORE_LOAD=1 ran "$GBRUN" -c busy.ini
equals "GBRUN_IGNORE_LOAD: nothing is said" 0 "$(cat out.txt err.txt | grep -c busy)"
succeeds "and it is stored nevertheless" known
ran "$GBRUN" -q -c busy.ini -s "policy few.samples=1"
equals "--quiet: nothing at its start" "" "$(cat err.txt)"
kill "${pids[@]}"
wait 2>wait.txt

with_modules
measured <<INI
$(few_samples 3)
$(section device gpu fake processes=2)
$(section bench good good rounds=2 device=gpu:1)
INI
equals "other processes on a device that is used are reported as well, once" \
    'gbrun: device gpu:1: other processes use it: 2' "$(grep 'other processes use it' err.txt)"
has "and by their cases" out.txt 'the device was shared: other processes computed on it'
equals "with their number" 2 "$(column others_on_device | sort -u)"
finish
