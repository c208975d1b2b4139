#!/usr/bin/env bash
# A worker that was killed and does not end stops its own device only; a worker that answers without end is ended.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 3 'iterations = 1' 'time_limit = 20 s' '[bench holder]' 'device = cpu' 'seconds = 30' \
    '[bench good]' 'sweep.device = cpu, fake' >held.ini
exits "a run with a worker that does not end comes to its end" 1 hurry "$GBRUN" -c held.ini
if grep -q 'nothing can be traced here' err.txt; then
    skip "a worker that does not end" "processes cannot be traced here"
else
    each_status <<'TABLE'
holder|timed out after 20.0 s, in prepare
good device=cpu|failed: device cpu:0 is no longer used: a killed process on it does not terminate
good device=fake|ok n=3
TABLE
    has "its device is no longer used" err.txt ' was killed but does not terminate: device cpu:0 is no longer used'
    rm results.gbr
    sed -i 's/^time_limit = .*/time_limit = 60 min/; s/^seconds = .*/seconds = 60/' held.ini
    mkfifo told
    HURRY_TELL=told "$GBRUN" -c held.ini >out.txt 2>err.txt &
    pid=$!
    read -r _ <told
    kill -INT $pid
    until_taken $pid
    kill -INT $pid
    wait $pid
    equals "Ctrl-C twice ends it as well" 1 $?
fi

few_samples 3 'iterations = 1' '[bench holder]' 'device = cpu' 'seconds = 8' 'goes_on = yes' \
    '[bench good]' 'sweep.device = fake, cpu' >closed.ini
rm -f results.gbr
exits "a worker that ends late costs no case" 0 "$GBRUN" -c closed.ini
if grep -q 'nothing can be traced here' err.txt; then
    skip "a worker that ends late" "processes cannot be traced here"
else
    read -r first second third < <(column started | date -f - +%s | xargs)
    succeeds "the next one on another device does not wait for it" test $((second - first)) -lt 6
    succeeds "the next one on its device does" test $((third - first)) -ge 6
fi

mkdir probed
cp "$GBRUN_PLUGIN_PATH/good.so" probed/a.so
cp "$GBRUN_PLUGIN_PATH/forger.so" probed/b.so
for what in messages prints; do
    FORGE_AT_LOAD=$what GBRUN_PLUGIN_PATH=$PWD/probed hurry "$GBRUN" list plugins >plugins.txt 2>&1
    equals "a module that goes on without end while it is loaded is ended: $what" 0 $?
    succeeds "its time is over: $what" grep -q '/b.so: cannot be used: took more than 10 s while loading a module' plugins.txt
    succeeds "the module before it is there: $what" grep -q 'benchmark  good .*/a.so$' plugins.txt
done
finish
