#!/usr/bin/env bash
# Standard error that nobody reads, and plugins that print without end: time limits, signals and other cases go on.
# gbrun stands still itself (Ctrl-Z, a slow disk: an hour in which it asks no clock): that is charged to no case.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 3 'device = cpu' 'iterations = 1' 'time_limit = 20 s' '[bench flood]' 'what = for_ever' \
    '[bench crash]' 'kind = act' 'where = prepare' >endless.ini
few_samples 3 'device = cpu' 'time_limit = 60 min' '[bench crash]' 'kind = act' 'where = prepare' >long.ini

# A pipe that is full, and that nobody reads.
fill()
{
    exec 7<&-
    rm -f full
    mkfifo full
    exec 7<>full
    head -c 65536 /dev/zero >&7
}
mkfifo told

# ---- a time limit holds though nothing can be printed ----
fill
ACT='echo >told' hurry exec "$GBRUN" -c endless.ini >table.txt 2>&7 &
pid=$!
read -r _ <told
pass "cases end though nothing can be printed"
cat <&7 >text.txt &
reader=$!
wait $pid
equals "and the run does when it is read" 1 $?
kill $reader
succeeds "the endless case is timed out" grep -q 'flood: timed out after 20.0 s' table.txt
succeeds "the case after it is fine" grep -q '^crash .* ok *$' table.txt

# ---- signals ----
for signal in INT TERM HUP; do
    rm -f results.gbr
    fill
    ACT='echo >told; exec yes' "$GBRUN" -c long.ini >table.txt 2>&7 &
    pid=$!
    read -r _ <told
    kill -$signal $pid
    until_taken $pid
    kill -$signal $pid
    wait $pid
    equals "$signal twice ends it, with exit code 1" 1 $?
    equals "its case is left: $signal" cancelled "$(column status)"
done
exec 7<&-
rm -f results.gbr
hurry ran "$GBRUN" -c endless.ini
succeeds "what is not passed on is counted" grep -q '^\[flood\] [0-9]* more lines: at most 1000 of a case are shown' err.txt

# ---- gbrun stands still ----
hurry measured <<INI
$(few_samples 3 'device = cpu' 'iterations = 1' 'time_limit = 60 s')
$(section bench slow slow where=prepare 'sweep.time=1 h, 2 h')
INI
equals "cases that waited for gbrun are fine" "0 ok ok" "$code $(values status)"
finish
