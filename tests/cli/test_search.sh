#!/usr/bin/env bash
# Searches from the command line: what is measured, what is claimed, what is stored; cases that misbehave. On the device
# `fake`, whose time is arithmetic. Of going on after an interruption see test_lanes.sh and
# tests/hostile/test_bad_searches.sh, which has searches that misbehave as well.
. "$top_srcdir/tests/tap.sh"
with_modules

# search FILE ARGUMENT...: runs the configuration into a fresh results.gbr; err.txt and code.
search()
{
    rm -f results.gbr
    ran "$GBRUN" run -c "$@"
}

# found NAME LABEL TEXT: a line of `gbrun search` that begins with the label.
found()
{
    equals "$1" "$3" "$("$GBRUN" search 2>&1 | sed -n "s/^ *$2 *//p" | head -n 1)"
}

# claims NAME TEXT: the first line, without the time.
claims()
{
    equals "$1" "$2" "$("$GBRUN" search 2>&1 | sed 's/, after .* of measuring$//' | head -n 1)"
}

{ section device fake fake by_items=yes time=1ns; printf '[defaults]\ndevice = fake\n'; } >fake.ini
cat fake.ini - >spins.ini <<END
$(section search tiles race tolerance=20%)
$(section bench lasting lasting search=tiles 'sweep.duration=40us, 10us, 80us, 160us' 'sweep.kernels=1, 3')
[bench good]
max_samples = 10
rounds = 1
END
search spins.ini
equals "a race: exit code" 0 "$code"
claims "a race: claim" "search tiles (race): best of all 8 cases within 20 % at 95 %"
found "a race: best" best "lasting duration=10000ns kernels=1"
found "a race: end" ended "all other cases are ruled out"
found "a race: nothing is left" "not ruled out" 0
equals "what has no search is measured first, as ever" good "$(order bench | cut -d' ' -f1)"
equals "each case has six samples first" "6 6 6 6 6 6 6 6" "$(order n_samples | cut -d' ' -f2-9)"
equals "then the leader has more, four times" "lasting 10000 1 3 lasting 10000 1 4" \
    "$(order bench,duration,kernels,round | grep -o 'lasting [0-9]* [0-9] [0-9]' | tail -n 2 | xargs)"
equals "the curve ends at the best" "lasting duration=10000ns kernels=1" \
    "$("$GBRUN" search | sed -n 's/.*  ##############################  //p' | tail -n 1)"
"$GBRUN" report -o page.html 2>&1
equals "the page has the claim, and a chart of the visits" "1 1" \
    "$(grep -c "^<pre>$("$GBRUN" search | head -n 1)\$" page.html) $(sed -n '/^<pre>search/,/<h2>/p' page.html | grep -m 1 -c '<svg')"
equals "duration matters more" duration "$("$GBRUN" search | awk '/ %$/ { print $NF - 0, $(NF - 1), $1 }' |
    sort -k2,2nr | awk '{ print $3 }' | head -n 1)"

# A case that is ruled out needs no proof: samples are verified from its second visit on.
{
    section search quick race
    section bench scale call search=quick device=cpu "library = $top_builddir/tests/modules/.libs/call_targets.so" \
        function=scale_on_host reference=scale_on_host 'signature = void(pointer, pointer, int, int)' \
        'arg.1 = buffer(int[{n}], out)' 'arg.2 = buffer(int[{n}], uniform=0:9)' arg.3=3 'arg.4 = {n}' 'sweep.n = 100, 50000'
} >verified.ini
for way in race exhaustive; do
    search verified.ini --search $way
    [ $way = race ] && first=0 || first=2
    equals "samples are verified, by visits: $way" "0 $first 2 0" "$code $("$GBRUN" export --format csv \
        --columns round,metric.renewed_ns,verified | awk -F, 'NR > 1 && $1 == 0 { first += $2 != "" }
            NR > 1 { all += $1 == 0; wrong += $3 != "ok" } END { print first + 0, all, wrong + 0 }')"
done

for name in exhaustive '*'; do
    search spins.ini --search exhaustive -s "search $name.samples=4"
    equals "-s 'search $name'" "0 4 4 4 4 4 4 4 4" "$code $(order n_samples | cut -d' ' -f2-9)"
done
search spins.ini --search exhaustive -s 'search random.samples=4'
has "-s for a search that nobody names" err.txt "unknown section 'search random'"
search spins.ini --search exhaustive
equals "the order of the configuration" "40000 40000 10000 10000 80000 80000 160000 160000" \
    "$(order duration --where "bench = 'lasting'")"
search spins.ini -s 'search tiles.plugin=random' -s 'search tiles.cases=3'
found "a budget of cases" ended "cases = 3"
claims "a share of all" "search tiles (random): best of the 3 measured, and in the best 63.2 % of all 8 at 95 %"
while IFS='|' read -r label expected settings; do
    IFS=';' read -ra settings <<<"$settings"
    search spins.ini "${settings[@]/#/-ssearch tiles.}"
    found "${settings[*]}" "$label" "$expected"
done <<'END'
best|lasting duration=160000ns kernels=3|plugin=local;goal=max median_ns
best|lasting duration=80000ns kernels=1|plugin=local;goal=min abs(median_ns - 80000) + n_samples
best|lasting duration=40000ns kernels=1|plugin=local;where=median_ns > 35000 and kernels = 1
ended|budget = 1.00 us|plugin=random;samples=1;budget=1us
END
rm results.gbr
try_each "$GBRUN" run -c spins.ini <<'END'
an unknown column|2|~search tiles: goal 'medain_ns': there is no such column|-s "search tiles.goal=min medain_ns"
neither min nor max|2|~goal 'fast': expected min or max|-s "search tiles.goal=fast"
an unknown key|2|~unknown key 'tolerances' in [search tiles]|-s "search tiles.tolerances=3"
an unknown search|2|~unknown search 'rce'; did you mean 'race'?|--search=rce
a metric that no case has|4|~search tiles: goal: no column 'metric.nothing'|-s "search tiles.goal=min metric.nothing"
a goal without a direction|2|~: error:|-s "search tiles.goal=min median, gflops"
an empty goal|2|~: error:|-s "search tiles.goal=min median,"
five goals|2|~: error:|-s "search tiles.goal=min a, min b, min c, min d, min e"
END

{
    section search tiles race 'goal = min metric.error, max nonsense,  min duration, min alsonot'
    section search other local 'goal = max nothing'
    section bench lasting lasting search=tiles 'sweep.duration=10us, 20us'
    section bench lasting@other lasting search=other
} >goals.ini
unknown='there is no such column'
equals "check finds unknown columns, each in its place" "goals.ini:3:26: error: search tiles: goal 'nonsense': $unknown
goals.ini:3:55: error: search tiles: goal 'alsonot': $unknown
goals.ini:6:8: error: search other: goal 'nothing': $unknown" \
    "$("$GBRUN" check -c goals.ini 2>&1 | sed 's/ column: .*/ column/')"
sed -i 's/ max nonsense,//; s/, min alsonot//; s/max nothing/max kernels/' goals.ini
equals "check takes axes and metrics" 0 "$("$GBRUN" check -c goals.ini >out.txt 2>&1; echo $?)"

# --- several benchmarks, one space -----------------------------------------------------------------

cat fake.ini - >two.ini <<END
$(section search both race tolerance=20%)
$(section bench slow lasting search=both 'sweep.duration=50us, 90us')
[bench good]
search = both
END
search two.ini
found "benchmarks of one search are one space" best good
found "of all their cases" measured "3 of 3 cases, 3 of them ok, in 9 visits"

# --- cases that misbehave --------------------------------------------------------------------------

{ few_samples 6 'device = fake'; cat; } >faults.ini <<END
$(section search good race tolerance=50%)
$(section bench crash crash search=good 'sweep.kind=segv, none, exit3')
$(section bench wrong_result wrong_result search=good 'sweep.fault=value, nan, none')
[bench skipper]
search = good
END
search faults.ini
equals "failed cases count for the exit code" 1 "$code"
equals "each of them was measured once" 4 "$(column status | grep -c 'crashed\|wrong result')"
equals "the best is one that works" 1 "$("$GBRUN" search | grep -cE 'best +(crash .*kind=none|wrong_result fault=none)')"

# --- a search that cannot begin, and several goals ---------------------------------------------------

{
    cat fake.ini
    section search bad hostile
    section bench lasting lasting search=bad 'sweep.duration=10us, 20us, 30us'
} >hostile.ini
search hostile.ini -s "search bad.way=create"
equals "a search that cannot begin: exit code" 1 "$code"
claims "a search that cannot begin: claim" "search bad (hostile): nothing is claimed"
found "a search that cannot begin: reason" ended "the search failed: does not like the space"
found "a search that cannot begin: nothing was measured" measured "0 of 3 cases, 0 of them ok, in 0 visits"

# front GOALS: the cases of the front of an exhaustive search.
front()
{
    search spins.ini -s 'search tiles.plugin=exhaustive' -s "search tiles.goal=$1" -s 'search tiles.tolerance=10%' lasting
    "$GBRUN" search | sed -n '/case of the front$/,/^$/p' | sed '1d; s/.*lasting //; s/^and/and/; /^$/d' | tr '\n' '|'
}
equals "two goals: the front" "duration=10000ns kernels=1|duration=10000ns kernels=3|" "$(front 'min median, max kernels * 1.0')"
equals "the search is for the first one" "lasting duration=10000ns kernels=1" "$("$GBRUN" search | sed -n 's/^  best  *//p')"
equals "the page has the front, too" 1 "$("$GBRUN" report -o page.html 2>&1; grep -c 'case of the front' page.html)"
equals "commas between parentheses, and cases that are as good" "|and 1 within 10 % of the one above in all goals|" \
    "$(front 'min max(kernels, 7), min max(duration, 20000)' | sed 's/^duration=10000ns kernels=[13]//')"
equals "one goal: no front" "" "$(front 'min median')"
# A goal that is a column is read from each visit for itself: not from all of them again, which would make this a
# quarter of a minute of work.
few_samples 3 'search = all' 'iterations = 1' 'device = fake' '[search all]' 'plugin = exhaustive' \
    'goal=min factor * 2' '[bench good]' sweep.factor=1:50 sweep.size=1:10 >many.ini
search many.ini
equals "five hundred visits by a column: exit code" 0 "$code"
claims "five hundred visits by a column" "search all (exhaustive): best of the 500 measured of 500 cases"
succeeds "are read in seconds of processor time" bash -c "ulimit -t 5; exec '$GBRUN' search"
printf '[bench lasting]\n' >>many.ini
search many.ini -s 'search all.goal=max metric.runs' -s good.factor=1 -s good.size=1
claims "a metric that one benchmark has" "search all (exhaustive): best of all 2 cases within 1 % at 95 %"
found "is no value of another" best "good"
printf '[search all]\nplugin = exhaustive\ngoal = max metric.runs\n[bench crash]\nsearch = all\nsweep.kind = segv, exit3\n' >fails.ini
search fails.ini
equals "no case has the metric, as all crashed: exit code" 1 "$code"
found "... which are counted" measured "2 of 2 cases, 0 of them ok, in 2 visits"

"$GBRUN" run -c spins.ini -o plain.gbr good >/dev/null 2>&1
equals "a run without a search" 1 "$("$GBRUN" search plain.gbr 2>&1 | grep -c 'run 1 has no search')"
finish
