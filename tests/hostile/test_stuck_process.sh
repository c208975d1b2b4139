#!/usr/bin/env bash
# A worker that was killed and does not end stops its own device only; a worker that answers without end is ended.
. "$top_srcdir/tests/tap.sh"
with_modules

# until_taken PID: no signal is on its way to it.
until_taken()
{
    until grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$1/status"; do :; done
}

few_samples 3 'iterations = 1' 'time_limit = 20 s' >held.ini
cat >>held.ini <<'INI'
[bench holder]
device = cpu
seconds = 30
[bench good]
sweep.device = cpu, fake
INI
hurry "$GBRUN" -c held.ini >table.txt 2>text.txt
equals "a run with a worker that does not end comes to its end" 1 $?
if grep -q 'nothing can be traced here' text.txt; then
    skip "a worker that does not end" "processes cannot be traced here"
else
    succeeds "its case is timed out" grep -q '  holder  timed out after 20.0 s, in prepare' text.txt
    succeeds "its device is not used any more" grep -q '^gbrun: process [0-9]* was killed and does not end: device cpu:0 is not used any more' text.txt
    succeeds "which its other cases say" grep -q \
        'good device=cpu  failed: device cpu:0 is not used any more: a process that was killed on it does not end' text.txt
    succeeds "cases on other devices are fine" grep -q 'good device=fake  [0-9].* 3 samples$' text.txt
    rm results.gbr
    sed -i 's/^time_limit = .*/time_limit = 60 min/; s/^seconds = .*/seconds = 60/' held.ini
    mkfifo told
    HURRY_TELL=told "$GBRUN" -c held.ini >table.txt 2>text.txt &
    pid=$!
    read -r _ <told
    kill -INT $pid
    until_taken $pid
    kill -INT $pid
    wait $pid
    equals "Ctrl-C twice ends it as well" 1 $?
fi

cat >closed.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[defaults]
policy = few
iterations = 1
[bench holder]
device = cpu
seconds = 8
goes_on = yes
[bench good]
sweep.device = fake, cpu
INI
rm -f results.gbr
"$GBRUN" -c closed.ini >table.txt 2>text.txt
equals "a worker that ends late costs no case" 0 $?
if grep -q 'nothing can be traced here' text.txt; then
    skip "a worker that ends late" "processes cannot be traced here"
else
    "$GBRUN" export results.gbr --columns device,started | tr -d '\r' >started.csv
    # seconds I: between the beginnings of case 1 and case I.
    seconds()
    {
        echo $(($(date -d "$(sed -n "$(($1 + 1))s/.*,//p" started.csv)" +%s) - $(date -d "$(sed -n '2s/.*,//p' started.csv)" +%s)))
    }
    succeeds "the next one on another device does not wait for it" test "$(seconds 2)" -lt 6
    succeeds "the next one on its device does" test "$(seconds 3)" -ge 6
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
