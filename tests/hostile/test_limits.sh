#!/usr/bin/env bash
# More than gbrun keeps of a case or takes in: what is dropped is counted and reported, what is refused names its limit.
. "$top_srcdir/tests/tap.sh"
with_modules

# ---- more metrics, messages, checks and lines than are kept ----
measured_with --verbose <<INI
$(few_samples 3 'device = cpu' 'iterations = 1' 'time_limit = 60 min')
$(section bench flood flood 'sweep.what=metrics, messages, checks')
$(section bench updates flood n=450000 what=updates)
$(section bench lines flood what=lines n=5000 fails=yes)
$(section bench after good)
INI
dropped='of a case up to 1000 of each are kept, and 32 MiB of text'
for label in 'flood what=metrics' 'flood what=messages' 'flood what=checks' updates after; do
    succeeds "a flood is no failure: $label" grep -q "^[0-9]/6  $label  [0-9].* samples\$" err.txt
done
has "what is dropped is counted: metrics, messages, checks" out.txt "warning: 1500 metrics were dropped: $dropped" \
    "warning: 1500 messages were dropped: $dropped" " check results, 1500 comparisons were dropped: $dropped"
equals "lines that are passed on are limited" 1000 "$(grep -c '^\[lines\] number' err.txt)"
succeeds "and the rest is counted" \
    grep -q '^\[lines\] [1-9][0-9]*000 more lines: at most 1000 of a case are shown' err.txt
succeeds "the last lines are the last" \
    grep -q 'printed (the last 20 of 5000 lines): number 4981 .*number 5000 (lines)' out.txt

# ---- what a worker may not send ----
measured <<INI
$(few_samples 3 'device = fake' 'time_limit = 60 min')
[bench forger]
sweep.what = garbage, checksum, huge, out_of_place, short, early, foreign, clocks, estimates
$(section bench after good)
INI
# Where the worker was is known if it is still there when its message is read.
sed -i 's/\(forger what=.*\), in run, [^,]*$/\1/; t; s/\(forger what=.*\), [^,]*$/\1/' err.txt
each_status <<'LIST'
forger what={garbage,huge}|crashed (sent something that is not a message
forger what=checksum|crashed (sent a message with a wrong checksum
forger what={out_of_place,short,early,foreign,clocks,estimates}|crashed (sent an invalid message
after|ok n=3
LIST

# ---- descriptions of plugins ----
mkdir probed
cp "$GBRUN_PLUGIN_PATH/good.so" probed/a.so
cp "$GBRUN_PLUGIN_PATH/forger.so" probed/b.so
cp "$GBRUN_PLUGIN_PATH/plain.so" probed/c.so
for what in backwards short endless; do
    FORGE_AT_LOAD=$what GBRUN_PLUGIN_PATH=$PWD/probed "$GBRUN" list plugins >plugins.txt 2>&1
    equals "a forged description ends: $what" 0 $?
    succeeds "it is an error: $what" \
        grep -q '/b.so: cannot be used: sent an invalid message while loading a module' plugins.txt
    equals "modules before and after it are there: $what" 2 "$(grep -o '/[ac]\.so$' plugins.txt | sort -u | wc -l)"
done

succeeds "a plugin with the shortest texts is found" grep -q 'benchmark  terse .*/c.so$' plugins.txt

# ---- devices that were not opened ----
measured <<INI
$(few_samples 3 'device = fake:1')
$(section bench gone forger env.FORGE_AT_LOAD=exit)
[bench good]
INI
equals "a case dies before its device was opened" 'crashed (exit 3, while loading a module)' "$(status gone)"
has "the device is stored with its clocks" out.txt 'fake:1  Fake 1000  (synthetic clock: '
equals "a case that opened no device has none" 'gone, good,Fake 1000' "$(column bench,device_model | paste -s -d ' ')"
finish
