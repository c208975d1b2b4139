#!/usr/bin/env bash
# gbrun stands still itself (Ctrl-Z, a slow disk): that is charged to no case.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

cat >paused.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[bench good]
policy = few
device = cpu
iterations = 1
warmup = 300 ms
time_limit = 900 ms
sweep.factor = 1:7
INI
"$GBRUN" -c paused.ini >table.txt 2>text.txt &
pid=$!
for _ in 1 2 3 4; do
    sleep 0.45
    kill -STOP $pid
    sleep 1.2
    kill -CONT $pid
done
wait $pid
equals "cases that waited for gbrun are fine" 0 $?
equals "all of them" 7 "$(grep -c "^[1-7]/7  good factor=[1-7]  .* 3 samples$" text.txt)"
finish
