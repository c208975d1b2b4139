#!/usr/bin/env bash
# The device's own reference work beside the samples: what changes in it is the machine. A simulated device drifts and
# steps by its options, so that its readings are the same everywhere.
. "$top_srcdir/tests/tap.sh"
cp "$top_srcdir"/docs/examples/simulated.* "$TMPDIR" && cd "$TMPDIR" || exit 99
succeeds "the example compiles" "${CC:-cc}" -std=c99 -O2 -fPIC -shared "-I$top_srcdir/include" simulated.c -o simulated.so -lm

# Eight cases of 1 s each on a device: steps after 4.1 s.
machine()
{
    section policy many fixed samples=10000
    section device simulated ./simulated.so:simulated 'time=99 us' noise=0.001 "$@"
    section bench work ./simulated.so:simulated_work iterations=1 warmup=0 'sweep.part=1:8' policy=many
}
machine >calm.ini
machine step=0.02 'step_at=4.1 s' >step.ini
machine drift=0.004 >drift.ini
for name in calm step drift; do
    "$GBRUN" -q -c $name.ini -o $name.gbr >$name.txt 2>&1
    "$GBRUN" show --notes $name.gbr >$name.txt
done
readings() { sql "$1" "SELECT group_concat(round(time_ns), ' ') FROM (SELECT time_ns FROM sentinel JOIN bench_case
    ON id = case_id ORDER BY sequence, at, moment)"; }
equals "a device that stays" 15 "$(readings calm.gbr | tr ' ' '\n' | grep -cx '100000.0')"
equals "one that steps, in the fourth case" "6 100000.0 9 102000.0" "$(readings step.gbr | tr ' ' '\n' | sort | uniq -c | xargs)"
equals "no change, no note" 0 "$(grep -c became calm.txt)"
has "a step is noted" step.txt "simulated:0 became 2 % slower at "
has "by its own work" step.txt "the machine changed, according to its reference work:"
has "a drift is noted" drift.txt "simulated:0 became 2."
has "the case during which it stepped is as uncertain" step.txt "work      4  99.05 us   ±2.01 %"
equals "and no other is" 7 "$(grep -c '±0.00 %' step.txt)"
"$GBRUN" export step.gbr --format json >step.json
equals "readings are in JSON" 15 "$(grep -o '"at":"[^"]*","version":1,"time_ns":10[02]000' step.json | wc -l)"

"$GBRUN" -q -c calm.ini -s gbrun.sentinel=no -o none.gbr >none.txt 2>&1
equals "sentinel = no" 0 "$(sql none.gbr 'SELECT count(*) FROM sentinel')"
"$GBRUN" -q -c calm.ini -s work.max_samples=50 -o short.gbr >short.txt 2>&1
equals "1 % of the time at most, 40 ms: one" 1 "$(sql short.gbr 'SELECT count(*) FROM sentinel')"
"$GBRUN" merge -o all.gbr calm.gbr step.gbr >merge.txt 2>&1
equals "readings are merged" 30 "$(sql all.gbr 'SELECT count(*) FROM sentinel')"

# Another machine: 3 % slower from the beginning, for the code as for its reference work.
machine step=0.03 >slower.ini
machine step=0.02 'step_at=8 s' >moving.ini
for name in calm slower moving; do
    "$GBRUN" -q -c $name.ini -s work.rounds=2 -s work.isolate=no -o two_$name.gbr >$name.txt 2>&1
done
exits "two runs of a machine that changed" 0 "$GBRUN" compare two_calm.gbr two_slower.gbr --force
has "it is said" out.txt "the machine became 3 % slower, by its own reference work: that much is not the code" \
    "machine: what its reference work says of it is included in the intervals"
"$GBRUN" compare two_calm.gbr two_slower.gbr --force --format csv >out.txt
equals "nothing is called slower" "8 unclear,machine" "$(awk -F, 'NR > 1 {print $13 "," $17}' out.txt | sort | uniq -c | xargs)"
equals "it did not move within a run" 0 "$("$GBRUN" compare two_calm.gbr two_slower.gbr --force | grep -c moved)"

# One that changes between the two rounds of a run: runs may differ by as much.
exits "a machine that moved within a run" 0 "$GBRUN" compare two_calm.gbr two_moving.gbr --force
has "it is said, too" out.txt "the machine moved by 2 % within a run, by its own reference work: runs are taken to vary as"
"$GBRUN" compare two_calm.gbr two_moving.gbr --force --format csv >out.txt
equals "nor is anything called" "8 unclear,machine" "$(awk -F, 'NR > 1 {print $13 "," $17}' out.txt | sort | uniq -c | xargs)"
finish
