#!/usr/bin/env bash
# On a machine whose processors are taken by others a run says so when it begins, and each case that was disturbed does.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
unset GBRUN_IGNORE_LOAD

cat >busy.ini <<'INI'
[policy few]
plugin = fixed
samples = 40
[defaults]
policy = few
device = cpu
warmup = 0
[bench wall]
plugin = spin
duration = 1 ms
[bench thread]
plugin = spin
duration = 1 ms
clock = thread
INI
pids=()
trap 'kill "${pids[@]}" 2>/dev/null' EXIT
for _ in $(seq $((2 * $(nproc)))); do
    bash -c 'while :; do :; done' &
    pids+=($!)
done
"$GBRUN" -c busy.ini >table.txt 2>text.txt
equals "a run on a busy machine" 0 $?
succeeds "it says so when it begins" \
    grep -q '^gbrun: the machine is busy: load [0-9.]*, [0-9]* processes running on [0-9]* CPUs: ps ' text.txt
succeeds "so does the case" \
    grep -q 'warning: the machine was busy: its threads waited [0-9.]* % of the time .*; the interval allows for .* (wall)' table.txt
equals "but for one whose clock stands still meanwhile" 0 "$(grep -c 'was busy.*(thread)' table.txt)"
# known: does every case say what others did, and how long it waited for a processor?
known()
{
    "$GBRUN" export --columns others_cpu_ns,waited_cpu_ns,n_preempted | tr -d '\r' |
        awk -F , 'NR > 1 && $1 > 1e7 && $2 > 1e6 && $3 > 0 { n++ } END { exit n != 2 }'
}
succeeds "what others did is stored" known
rm results.gbr
GBRUN_IGNORE_LOAD=1 "$GBRUN" -c busy.ini >table.txt 2>text.txt
equals "GBRUN_IGNORE_LOAD: nothing is said" 0 "$(cat table.txt text.txt | grep -c busy)"
succeeds "and it is stored nevertheless" known
"$GBRUN" -q -c busy.ini -s "policy few.samples=1" >table.txt 2>text.txt
equals "--quiet: nothing at its start" "" "$(cat text.txt)"
kill "${pids[@]}"
wait 2>wait.txt

cat >used.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[defaults]
policy = few
[device gpu]
plugin = fake
processes = 2
[bench good]
rounds = 2
device = gpu:1
INI
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
"$GBRUN" -c used.ini -o used.gbr >table.txt 2>text.txt
succeeds "other processes on a device are reported as well" grep -q '^gbrun: device gpu:1: other processes use it: 2$' text.txt
equals "of those that are used, once" 1 "$(grep -c 'other processes use it' text.txt)"
succeeds "and by their cases" grep -q 'the device was shared: other processes computed on it' table.txt
equals "with their number" 2 \
    "$("$GBRUN" export --columns others_on_device used.gbr | tr -d '\r' | tail -n +2 | sort | uniq | xargs)"
finish
