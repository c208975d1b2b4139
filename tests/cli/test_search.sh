#!/usr/bin/env bash
# Searches from the command line: what is measured, what is claimed, what is stored; going on after an
# interruption; searches and cases that misbehave.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

# search FILE ARGUMENT...: runs the configuration into a fresh results.gbr; err.txt and code.
search()
{
    rm -f results.gbr
    "$GBRUN" run -c "$@" >out.txt 2>err.txt
    code=$?
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

# order COLUMN: its values in the order measured.
order()
{
    "$GBRUN" export --format csv --rows case --sort sequence --columns "$1" | sed 1d | tr '\n' ' '
}

cat >spins.ini <<'END'
[search tiles]
plugin = race
tolerance = 20%
[defaults]
search = tiles
[bench spin]
sweep.duration = 40us, 10us, 80us, 160us
sweep.kernels = 1, 3
[bench nop]
search =
max_samples = 10
END
search spins.ini
equals "a race: exit code" 0 "$code"
claims "a race: claim" "search tiles (race): best of all 8 cases within 20 % at 95 %"
found "a race: best" best "spin duration=10000ns kernels=1"
found "a race: end" ended "each other case is ruled out"
found "a race: nothing is left" "not ruled out" 0
equals "what has no search is measured first, as ever" nop "$(order bench | cut -d' ' -f1)"
equals "each case has six samples first" "6 6 6 6 6 6 6 6 " "$(order n_samples | cut -d' ' -f2-9) "
equals "then the leader has more, twice" "spin 10000 1 1 spin 10000 1 2 " \
    "$("$GBRUN" export --format csv --rows case --sort sequence --columns bench,duration,kernels,round |
        tail -n 2 | tr ',\n' '  ')"
equals "the curve ends at the best" "spin duration=10000ns kernels=1" \
    "$("$GBRUN" search | sed -n 's/.*  ##############################  //p' | tail -n 1)"
"$GBRUN" report -o page.html 2>&1
equals "the page has the claim, and a chart of the visits" "1 1" \
    "$(grep -c "^<pre>$("$GBRUN" search | head -n 1)\$" page.html) $(sed -n '/<h2>Searches/,/<h2>/p' page.html | grep -m 1 -c '<svg')"
equals "duration matters more" duration "$("$GBRUN" search | awk '/ %$/ { print $NF - 0, $(NF - 1), $1 }' |
    sort -k2,2nr | awk '{ print $3 }' | head -n 1)"

search spins.ini --search exhaustive -s 'search exhaustive.samples=4'
equals "-s for a search without a section" "0 4 4 4 4 4 4 4 4 " "$code $(order n_samples | cut -d' ' -f2-9) "
search spins.ini --search exhaustive -s 'search *.samples=3'
equals "-s for all of them" "0 3 3 3 3 3 3 3 3 " "$code $(order n_samples | cut -d' ' -f2-9) "
search spins.ini --search exhaustive -s 'search random.samples=4'
equals "-s for a search that nobody names" 1 "$(grep -c "unknown section 'search random'" err.txt)"
search spins.ini --search exhaustive
equals "the order of the configuration" "40000 40000 10000 10000 80000 80000 160000 160000 " \
    "$("$GBRUN" export --format csv --rows case --where "bench = 'spin'" --sort sequence --columns duration |
        sed 1d | tr '\n' ' ')"

search spins.ini -s 'search tiles.plugin=random' -s 'search tiles.cases=3'
found "a budget of cases" ended "cases = 3"
claims "a share of all" "search tiles (random): best of the 3 measured, and in the best 63.2 % of all 8 at 95 %"
search spins.ini -s 'search tiles.plugin=local' -s 'search tiles.goal=max median_ns'
found "a maximum" best "spin duration=160000ns kernels=3"
search spins.ini -s 'search tiles.plugin=local' -s 'search tiles.goal=min abs(median_ns - 80000) + n_samples'
found "an expression" best "spin duration=80000ns kernels=1"
search spins.ini -s 'search tiles.plugin=local' -s 'search tiles.where=median_ns > 35000 and kernels = 1'
found "a condition" best "spin duration=40000ns kernels=1"
search spins.ini -s 'search tiles.plugin=random' -s 'search tiles.samples=1' -s 'search tiles.budget=1us'
found "a budget of time" ended "budget = 1.00 us"

search spins.ini -s 'search tiles.goal=min medain_ns'
equals "an unknown column: exit code" 2 "$code"
equals "an unknown column: message" 1 "$(grep -c "search tiles: goal 'medain_ns': there is no such column" err.txt)"
cat >goals.ini <<'END'
[search tiles]
plugin = race
goal = min metric.error, max nonsense,  min duration, min alsonot
[search other]
goal = max nothing
plugin = local
[bench spin]
search = tiles
sweep.duration = 10us, 20us
[bench spin@other]
plugin = spin
search = other
END
unknown='there is no such column'
equals "check finds unknown columns, each in its place" \
    "goals.ini:3:26: error: search tiles: goal 'nonsense': $unknown
goals.ini:3:55: error: search tiles: goal 'alsonot': $unknown
goals.ini:5:8: error: search other: goal 'nothing': $unknown" \
    "$("$GBRUN" check -c goals.ini 2>&1 | sed 's/ column: .*/ column/')"
sed -i 's/ max nonsense,//; s/, min alsonot//; s/max nothing/max kernels/' goals.ini
equals "check takes axes and metrics" 0 "$("$GBRUN" check -c goals.ini >out.txt 2>&1; echo $?)"
search spins.ini -s 'search tiles.goal=fast'
equals "no goal" 1 "$(grep -c "goal 'fast': expected min or max" err.txt)"
search spins.ini -s 'search tiles.tolerances=3'
equals "an unknown key" 1 "$(grep -c "unknown key 'tolerances' in \[search tiles\]" err.txt)"
search spins.ini --search rce
equals "an unknown search" 1 "$(grep -c "unknown search 'rce'; did you mean 'race'?" err.txt)"

# --- several benchmarks, one space -----------------------------------------------------------------

cat >two.ini <<'END'
[search both]
plugin = race
tolerance = 20%
[bench slow]
plugin = spin
search = both
sweep.duration = 50us, 90us
[bench fast]
plugin = nop
search = both
END
search two.ini
found "benchmarks of one search are one space" best fast
found "of all their cases" measured "3 of 3 cases, 3 of them ok, in 5 visits"

# --- cases that misbehave --------------------------------------------------------------------------

few_samples 6 'time_limit = 5s' >faults.ini
cat >>faults.ini <<'END'
[search good]
plugin = race
tolerance = 50%
[bench crash]
search = good
sweep.kind = segv, none, exit3
[bench wrong_result]
search = good
sweep.fault = value, nan, none
[bench skipper]
search = good
END
search faults.ini
equals "failed cases count for the exit code" 1 "$code"
equals "each of them was measured once" 4 \
    "$("$GBRUN" export --format csv --rows case --columns status | grep -c 'crashed\|wrong result')"
equals "the best is one that works" 1 "$("$GBRUN" search | grep -cE 'best +(crash .*kind=none|wrong_result fault=none)')"

# --- resumed -----------------------------------------------------------------------------------------

cat >long.ini <<'END'
[gbrun]
seed = 7
[search any]
plugin = local
samples = 2
[bench spin]
search = any
sweep.duration = 10us, 20us, 30us, 40us, 50us
sweep.kernels = 1:3
[bench crash]
search = any
sweep.after = 0
kind = interrupt
END
sed '/bench crash/,$d' long.ini >whole.ini
search whole.ini
whole=$(order duration,kernels)
search whole.ini
equals "the same seed, the same order" "$(wc -w <<<"$whole")" "$(order duration,kernels | wc -w)"
search long.ini
equals "an interrupted run ends" 1 "$code"
equals "and has not ended its search" 1 "$("$GBRUN" search 2>&1 | grep -c 'has not ended: gbrun run --resume goes on with it')"
before=$(order duration,kernels)
"$GBRUN" run --resume results.gbr >out.txt 2>err.txt
equals "the visits of before are not measured again" "$before" "$(order duration,kernels | cut -c1-${#before})"

# --- searches that misbehave -------------------------------------------------------------------------

cat >hostile.ini <<'END'
[search bad]
plugin = hostile
[bench spin]
search = bad
sweep.duration = 10us, 20us, 30us
END
# hostile WAY KEY TEXT [CODE]: the search ends so; the run is fine.
hostile()
{
    search hostile.ini -s "search bad.way=$1"
    equals "$1: exit code" "${4:-0}" "$code"
    claims "$1: claim" "search bad (hostile): nothing is claimed"
    found "$1: reason" "$2" "$3"
}
hostile missing ended "the search proposed case 10, which does not exist: there are 3"
hostile repeat ended "the search proposed case 0 more often than 100 times"
hostile wait ended "the search waits although nothing is being measured"
hostile claim note "nothing is claimed: the search claims the best of all cases, of which 1 were not measured"
hostile wrong note "nothing is claimed: the search calls case 2 the best, which was not measured as ok"
hostile crash ended "the search crashed (SIGSEGV) in the search"
hostile report ended "the search crashed (SIGABRT) in the search"
hostile create ended "the search failed: does not like the space" 1
found "create: nothing was measured" measured "0 of 3 cases, 0 of them ok, in 0 visits"

# front GOALS: the cases of the front of an exhaustive search.
front()
{
    search spins.ini -s 'search tiles.plugin=exhaustive' -s "search tiles.goal=$1" -s 'search tiles.tolerance=10%' spin
    "$GBRUN" search | sed -n '/case of the front$/,/^$/p' | sed '1d; s/.*spin //; s/^and/and/; /^$/d' | tr '\n' '|'
}
equals "two goals: the front" "duration=10000ns kernels=1|duration=10000ns kernels=3|" "$(front 'min median, max kernels * 1.0')"
equals "the search is for the first one" "spin duration=10000ns kernels=1" "$("$GBRUN" search | sed -n 's/^  best  *//p')"
equals "the page has the front, too" 1 "$("$GBRUN" report -o page.html 2>&1; grep -c 'case of the front' page.html)"
equals "commas between parentheses, and cases that are as good" \
    "|and 1 within 10 % of the one above in all goals|" \
    "$(front 'min max(kernels, 7), min max(duration, 20000)' | sed 's/^duration=10000ns kernels=[13]//')"
equals "one goal: no front" "" "$(front 'min median')"
for wrong in 'min median, gflops' 'min median,' 'min a, min b, min c, min d, min e'; do
    search spins.ini -s "search tiles.goal=$wrong"
    equals "goal = $wrong: is refused" 2 "$code$(grep -c 'no such thing' err.txt | sed 's/0//')"
done

# A goal that is a column is read from each visit for itself: not from all of them again, which would make this take a
# minute.
numbers()
{
    seq -s ', ' "$1" "$2" | fold -s -w 100 | sed '2,$s/^/    /'
}
{
    few_samples 3 'search = all' 'iterations = 1'
    printf '[search all]\nplugin = exhaustive\ngoal = min factor * 2\n'
    printf '[bench good]\nsweep.factor = %s\nsweep.size = %s\n' "$(numbers 1 50)" "$(numbers 1 20)"
} >many.ini
search many.ini
equals "a thousand visits by a column: exit code" 0 "$code"
claims "a thousand visits by a column" "search all (exhaustive): best of the 1000 measured of 1000 cases"
succeeds "are read in seconds" timeout 8 "$GBRUN" search
printf '[bench nop]\n' >>many.ini
search many.ini -s 'search all.goal=max metric.runs' -s good.factor=1 -s good.size=1
claims "a metric that one benchmark has" "search all (exhaustive): best of all 2 cases within 1 % at 95 %"
found "is no value of another" best "good"
search spins.ini -s 'search tiles.goal=min metric.nothing'
equals "a metric that the first visit has not" "41" "$code$(grep -c "search tiles: goal: no column 'metric.nothing'" err.txt)"
printf '[search all]\nplugin = exhaustive\ngoal = max metric.runs\n[bench crash]\nsearch = all\nsweep.kind = segv, exit3\n' >fails.ini
search fails.ini
equals "no case has the metric, as all crashed: exit code" 1 "$code"
found "... which are counted" measured "2 of 2 cases, 0 of them ok, in 2 visits"

"$GBRUN" run -c spins.ini -o plain.gbr nop >/dev/null 2>&1
equals "a run without a search" 1 "$("$GBRUN" search plain.gbr 2>&1 | grep -c 'run 1 has no search')"
finish
