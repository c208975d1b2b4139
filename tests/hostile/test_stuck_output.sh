#!/usr/bin/env bash
# Standard error that nobody reads, and plugins that print without end: time limits, signals and other cases go on.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

few_samples 3 'device = cpu' 'iterations = 1' 'time_limit = 1 s' >common.ini
cat common.ini - >endless.ini <<'INI'
[bench flood]
what = for_ever
[bench after]
plugin = good
INI
cat common.ini - >long.ini <<'INI'
[bench flood]
what = for_ever
time_limit = 10 min
INI

# A pipe that is full, and that nobody reads until `drain`.
mkfifo full
exec 7<>full
fill()
{
    head -c 65536 /dev/zero >&7
}
drain()
{
    timeout 1 cat <&7 >"$1"
}
n_cases()
{
    "$GBRUN" export results.gbr --columns status 2>/dev/null | grep -c 'ok\|timed out'
}
# within SECONDS COMMAND...: repeats a command until it succeeds.
within()
{
    local until=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $until ] || return 1
        sleep 0.1
    done
}
has_both()
{
    [ "$(n_cases)" = 2 ]
}
has_run()
{
    "$GBRUN" export --columns status results.gbr >/dev/null 2>&1
}
has_ended()
{
    ! kill -0 "$1" 2>/dev/null
}

# ---- a time limit holds though nothing can be printed ----
fill
"$GBRUN" -c endless.ini >table.txt 2>&7 &
pid=$!
if within 10 has_both; then pass "cases end though nothing can be printed"; else fail "cases end though nothing can be printed"; fi
drain text.txt
wait $pid
equals "and the run does when it is read" 1 $?
succeeds "the endless case is timed out" grep -q 'flood: timed out after 1.00 s' table.txt
succeeds "the case after it is fine" grep -q '^after .* ok *$' table.txt

# ---- signals ----
for signal in INT TERM HUP; do
    rm -f results.gbr
    fill
    "$GBRUN" -c long.ini >table.txt 2>&7 &
    pid=$!
    within 20 has_run
    sleep 0.5
    kill -$signal $pid
    sleep 0.2
    kill -$signal $pid
    if within 3 has_ended $pid; then pass "$signal twice ends it"; else fail "$signal twice ends it"; kill -9 $pid; fi
    wait $pid
    equals "with exit code 1: $signal" 1 $?
    drain /dev/null
    equals "its case is left: $signal" cancelled "$("$GBRUN" export results.gbr --columns status | tail -n 1 | tr -d "\r")"
done
rm -f results.gbr
"$GBRUN" -c endless.ini >table.txt 2>text.txt
succeeds "what is not passed on is counted" grep -q '^\[flood\] and [0-9]* more lines, not shown: up to 1000 of a case are' text.txt
finish
