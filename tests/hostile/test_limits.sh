#!/usr/bin/env bash
# More than gbrun keeps of a case or takes in: what is dropped is counted and reported, what is refused names its limit.
. "$top_srcdir/tests/tap.sh"
with_modules

# ---- more metrics, messages, checks and lines than are kept ----
cat >flood.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[defaults]
policy = few
device = cpu
iterations = 1
time_limit = 60 s
[bench flood]
sweep.what = metrics, messages, checks
[bench updates]
plugin = flood
n = 450000
what = updates
[bench lines]
plugin = flood
what = lines
n = 5000
fails = yes
[bench after]
plugin = good
INI
"$GBRUN" -c flood.ini --verbose >table.txt 2>text.txt
dropped='of a case up to 1000 of each are kept, and 32 MiB of text'
for label in 'flood what=metrics' 'flood what=messages' 'flood what=checks' updates after; do
    succeeds "a flood is no failure: $label" grep -q "^[0-9]/6  $label  [0-9].* samples\$" text.txt
done
succeeds "dropped metrics are counted" grep -q "warning: 1500 metrics were dropped: $dropped" table.txt
succeeds "dropped messages are counted" grep -q "warning: 1500 messages were dropped: $dropped" table.txt
succeeds "dropped checks are counted" grep -q "warning: [0-9]* check results, 1500 comparisons were dropped: $dropped" table.txt
equals "lines that are passed on are limited" 1000 "$(grep -c '^\[lines\] number' text.txt)"
succeeds "and the rest is counted" grep -q '^\[lines\] and [1-9][0-9]*000 more lines, not shown: up to 1000 of a case are' text.txt
succeeds "the last lines are the last" \
    grep -q 'printed (the last 20 of 5000 lines): number 4981 .*number 5000 (lines)' table.txt

# ---- what a worker may not send ----
cat >forged.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[defaults]
policy = few
time_limit = 20 s
[bench forger]
device = fake
sweep.what = garbage, checksum, huge, out_of_place, short, early, foreign, clocks, estimates
[bench after]
plugin = good
device = fake
INI
rm -f results.gbr
"$GBRUN" -c forged.ini >table.txt 2>text.txt
while IFS='|' read -r what expected; do
    # Where the worker was is known if it is still there when its message is read.
    equals "forged: $what" "$expected" "$(
        sed -n "s/^.*forger what=$what  *\(.*\), .*/\1/p" text.txt | sed 's/, in run$//')"
done <<'LIST'
garbage|crashed (sent something that is not a message
checksum|crashed (sent a message with a wrong checksum
huge|crashed (sent something that is not a message
out_of_place|crashed (sent a message that makes no sense
short|crashed (sent a message that makes no sense
early|crashed (sent a message that makes no sense
foreign|crashed (sent a message that makes no sense
clocks|crashed (sent a message that makes no sense
estimates|crashed (sent a message that makes no sense
LIST
succeeds "the next case is fine" grep -q '^10/10  after  1.0.* samples$' text.txt

# ---- descriptions of plugins ----
mkdir probed
cp "$GBRUN_PLUGIN_PATH/good.so" probed/a.so
cp "$GBRUN_PLUGIN_PATH/forger.so" probed/b.so
cp "$GBRUN_PLUGIN_PATH/plain.so" probed/c.so
for what in backwards short endless; do
    FORGE_AT_LOAD=$what GBRUN_PLUGIN_PATH=$PWD/probed "$GBRUN" list plugins >plugins.txt 2>&1
    equals "a forged description ends: $what" 0 $?
    succeeds "it is an error: $what" \
        grep -q '/b.so: cannot be used: sent a message that makes no sense while loading a module' plugins.txt
    equals "modules before and after it are there: $what" 2 "$(grep -o '/[ac]\.so$' plugins.txt | sort -u | wc -l)"
done

succeeds "a plugin with the shortest texts is found" grep -q 'benchmark  terse .*/c.so$' plugins.txt

# ---- devices that were not opened ----
cat >opened.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[defaults]
policy = few
device = fake
[bench gone]
plugin = forger
device = fake:1
env.FORGE_AT_LOAD = exit
[bench good]
device = fake:1
INI
rm -f results.gbr
"$GBRUN" -c opened.ini >table.txt 2>text.txt
succeeds "a case dies before its device was opened" grep -q 'gone .*crashed (exit 3, while loading a module)' text.txt
succeeds "the device is stored with its clocks" grep -q '^fake:1  Fake 1000  (synthetic clock: ' table.txt
equals "a case that opened no device has none" 'gone, good,Fake 1000' \
    "$("$GBRUN" export results.gbr --columns bench,device_model | tail -n +2 | tr -d '\r' | paste -s -d ' ')"
finish
