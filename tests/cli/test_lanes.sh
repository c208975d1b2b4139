#!/usr/bin/env bash
# Lanes of a search: cases are built without their device while others are measured.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 6 'time_limit = 60s' 'device = cpu' '[device exact]' 'plugin = fake' by_items=yes 'step = 0ns' \
    '[search any]' 'plugin = exhaustive' lanes=4 '[bench builder]' \
    search=any folder=built 'sweep.size=30, 10, 50, 20, 60, 40, 80, 70' >lanes.ini

# search [-c FILE] ARGUMENT...: a fresh run of lanes.ini, or the file, of which nothing is built yet; err.txt and code.
search()
{
    [ "${1-}" = -c ] || set -- -c lanes.ini "$@"
    rm -rf results.gbr built
    mkdir built
    hurry ran "$GBRUN" run "$@"
}

# claims: the best case of `gbrun search`; on the device exact it is the same each time.
claims()
{
    "$GBRUN" search 2>&1 | grep '^  best '
}

in_order="30 10 50 20 60 40 80 70"
search -s 'search any.lanes=1' -s builder.device=exact
equals "one lane: exit code" 0 "$code"
equals "one lane: the measuring process builds" "1 1 1 1 1 1 1 1" "$(order metric.late)"
equals "one lane: nothing is built ahead" "0 0 0 0 0 0 0 0" "$(order build_ns)"
alone=$(claims)

search -s 'builder.together=4'
equals "four lanes: exit code" 0 "$code"
equals "four lanes: all is built ahead" "0 0 0 0 0 0 0 0" "$(order metric.late)"
equals "four lanes: the order is that of the proposals" "$in_order" "$(order size)"
equals "four lanes: each says how long it was built" 8 "$(column build_ns | awk '$1 > 0' | grep -c .)"
equals "four lanes: four at a time, who wait for each other" "ok ok ok ok ok ok ok ok" "$(order status)"
equals "the first four are built by four processes" 4 \
    "$(cut -d' ' -f1 built/begun.30 built/begun.10 built/begun.50 built/begun.20 | sort -u | grep -c .)"
equals "they are behind what is measured" "$(($(nice) + 10 < 19 ? $(nice) + 10 : 19))" "$(cut -d' ' -f2 built/begun.30)"
cores=$(cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list 2>/dev/null | sort -u | grep -c .)
if [ "$cores" -gt 1 ] && [ "$(nproc)" -gt 2 ] || [ "$(nproc)" = 2 ] && [ "$cores" = 2 ]; then
    equals "and leave it a core" yes "$(awk -v n="$(nproc)" '{ print ($3 < n ? "yes" : "no") }' built/begun.30)"
else
    skip "and leave it a core" "needs two cores"
fi
equals "on the CPU none is at work while one is measured" "0 0 0 0 0 0 0 0" "$(order lanes)"
equals "the fact" 4 "$("$GBRUN" export --format json | grep -o '"search.any.lanes":"[0-9]*"' | grep -o '[0-9]*' | head -n 1)"

search -s 'builder.per_size=10ms'
equals "while one is measured the others are stopped" "0 0 0 0 0 0 0 0" "$(order metric.awake)"
search -s 'builder.device=fake' -s 'builder.sweep.size=1, 2, 3' -s builder.together=3 -s builder.in_turn=yes
equals "another device is measured meanwhile, and says so" "2 1 0" "$(order lanes)"
equals "beside it they go on" "2 1 0" "$(order metric.awake)"

for search in random local; do
    search -s "search any.plugin=$search" -s 'search any.cases=6' -s 'gbrun.seed=5' -s builder.device=exact
    first=$(order size) claim=$(claims)
    search -s "search any.plugin=$search" -s 'search any.cases=6' -s 'gbrun.seed=5' -s builder.device=exact \
        -s builder.per_size=2ms
    equals "$search: the same proposals however long each is built" "$first" "$(order size)"
    equals "$search: the same claim" "$claim" "$(claims)"
done

# --- building that goes wrong --------------------------------------------------------------------------

# ends FAULT STATUS TEXT: how the case ends whose building does that; the others are measured.
ends()
{
    search -s "builder.fault=$1" -s builder.at=50 "${@:4}"
    equals "$1: status, words and order" "ok ok $2 ok ok ok ok ok; $3; $in_order" \
        "$(order status); $(column status_text --where 'size = 50'); $(order size)"
}
ends crash crashed '"SIGABRT, in build"'
# Time passes for all that is built then: the limit of the others is never reached.
ends hang 'timed out' '"after 3600 s, in build"' -s 'builder.let.time_limit=iif(size = 50, 3600e9, 1e17)'
ends fail failed 'does not compile'
ends skip skipped 'not for this device'
ends fact failed '"fake, slot first, -"' -s builder.device=fake
equals "what was not built is no best" 1 "$("$GBRUN" search | grep -c '7 of them ok')"

# --- interrupted and killed ----------------------------------------------------------------------------

search -s builder.together=4 -s builder.device=exact
equals "four lanes: the same claim" "$alone" "$(claims)"
whole=$(order size)
search -s builder.fault=interrupt -s builder.at=20 -s builder.device=exact
equals "an interrupted run ends" 1 "$code"
equals "and has not ended its search" 1 "$("$GBRUN" search 2>&1 | grep -c 'has not ended')"
exits "resumed" 0 "$GBRUN" run --resume results.gbr
equals "resumed: the same visits in the same order" "$whole" "$(order size --where "status = 'ok'")"
equals "resumed: the same claim" "$alone" "$(claims)"

rm -rf results.gbr built
mkdir built
mkfifo built/begun.{30,10,50,20}
"$GBRUN" run -c lanes.ini -s builder.build_time=1h >out.txt 2>err.txt &
killed=$!
cat built/begun.* >begun.txt # once four have begun
equals "so many are built" 4 "$(grep -c . begun.txt)"
kill -9 "$killed"
wait "$killed" 2>/dev/null
while read -r process _; do
    tail --pid="$process" -s 0.1 -f /dev/null
done <begun.txt
pass "a gbrun that is killed leaves no process behind"

# --- a search that ends while cases are open --------------------------------------------------------------

{ few_samples 6 'device = cpu'; cat; } >two.ini <<END
$(section search bad hostile way=hang_observe lanes=4 time_limit=20s)
$(section search good exhaustive lanes=4)
$(section bench first builder folder=built search=bad 'sweep.size=10, 11, 12, 13, 14, 15')
$(section bench second builder folder=built search=good 'sweep.size=20, 21, 22, 23, 24, 25')
END
search -c two.ini
equals "a search that hangs: the run is fine" 0 "$code"
equals "it is ended" 1 "$("$GBRUN" search | grep -c 'the search did not answer')"
succeeds "what it had asked for is not measured any more" test "$(column size --where "bench = 'first'" | wc -l)" -lt 4
equals "the next one measures all of its own" "20 21 22 23 24 25" "$(order size --where "bench = 'second'")"

# --- settings ------------------------------------------------------------------------------------------

try_each "$GBRUN" run -c lanes.ini <<'TABLE'
no number|2|~lanes 'many': expected auto or a number from 1 to 64|-s 'search any.lanes=many'
too many|2|~lanes '65': expected auto or a number from 1 to 64|-s 'search any.lanes=65'
TABLE
search -s 'search any.lanes=auto'
equals "auto: exit code" 0 "$code"
printf '[search any]\nplugin = race\nlanes = 3\n[bench spin]\nsearch = any\nsweep.duration = 10us, 90us\n' >spin.ini
search -c spin.ini
has "a benchmark that cannot be built ahead is prepared as ever" err.txt \
    'search any: lanes = 3 has no effect: none of its benchmarks can be built without its device'
finish
