#!/usr/bin/env bash
# The command line as its user meets it: exit codes, streams, stopping and resuming, full disks.
. "$top_srcdir/tests/tap.sh"
with_modules

# ---- usage, and three mistakes in one file ----
cat >wrong.ini <<'INI'
[gbrun]
sed = 42
[bench copy]
bytes = 4q
sweep.cache = warm, cld
INI
exits "three mistakes" 2 "$GBRUN" check -c wrong.ini
equals "three mistakes: message" "wrong.ini:2:1: error: unknown key 'sed' in [gbrun]; did you mean 'seed'?
wrong.ini:4:9: error: '4q' is not a size: expected a number with one of B kB MB GB TB KiB MiB GiB TiB
wrong.ini:5:21: error: 'cld' is not a choice: expected one of warm, cold; did you mean 'cold'?" "$(cat err.txt)"
try_each "$GBRUN" <<'TABLE'
no argument: where to begin|2|~gbrun command 'sleep|
unknown verb|2|gbrun: error: unknown verb 'shwo'; did you mean 'show'?|shwo
an option given twice|2|gbrun: error: compare: --margin is given twice, 1% and 2%|compare --margin 1% --margin 2% a b
unknown option|2|gbrun: error: run: unknown option --confg; did you mean --config?|\
run --confg x.ini
missing value|2|gbrun: error: run: -c needs a value|-c
no such configuration|2|none.ini: error: cannot be opened: No such file or directory|-c none.ini
no results file|2|gbrun: error: none.gbr: there is no such results file|show none.gbr
TABLE

# ---- exit codes for automatic tests, several files ----
few_samples 3 'device = fake' '[bench skipper]' 'rounds = 2' >skips.ini
{ cat skips.ini; printf '[bench good]\n'; } >some.ini
{ cat some.ini; printf '[bench wrong_result]\n'; } >wrong.ini
strict="0 failed, 2 skipped, 1 not certified, of"
try_each "$GBRUN" <<TABLE
nothing measured|0|gbrun: nothing was measured: 2 of 2 visits were skipped|-q -c skips.ini -o skips.gbr
nothing was missing, and nothing measured|0|gbrun: nothing was measured: 2 of 2 visits were skipped|\
run -q --resume skips.gbr
something measured|0|-|-q -c some.ini -o some.gbr
run --strict|3|gbrun: --strict: $strict 3 visits|-q -c some.ini -o some.gbr --strict
show --strict|3|gbrun: --strict: $strict 3 visits|show some.gbr --strict
show --strict of what is chosen|3|gbrun: --strict: 0 failed, 0 skipped, 1 not certified, of 1 visits|\
show some.gbr --strict --where "bench = 'good'"
a failure stays one, strictly, and is counted|1|~gbrun: --strict: 1 failed, 2 skipped, 1 not certified, of 4 visits|\
-q -c wrong.ini -o wrong.gbr --strict
one sample is no plural|0||-q -c some.ini -s "policy few.samples=1" -o one.gbr
show takes several files|0||show some.gbr skips.gbr --format md
but not in formats for programs|2|gbrun: error: --format csv: 'skips.gbr': expected one results file; gbrun merge makes one of several|\
show some.gbr skips.gbr --format csv
a file that is not there is an error|2|gbrun: error: none.gbr: there is no such results file|show skips.gbr none.gbr
TABLE
equals "the codes are in the files" "0 3" "$(sql skips.gbr "select exit_code from run") $(
    sql some.gbr "select exit_code from run order by id desc limit 1")"
equals "list runs says so" "all skipped" \
    "$("$GBRUN" list runs skips.gbr --format csv | tail -n 1 | tr -d '\r' | cut -d, -f6)"
equals "one sample" "1 sample" "$(column stop_reason --where "bench = 'good'" one.gbr)"
"$GBRUN" show some.gbr skips.gbr --format md >both.txt
equals "of several files each is named" "## some.gbr ## skips.gbr" "$(grep '^##' both.txt | xargs)"
equals "and has what each of them has" "$("$GBRUN" show skips.gbr --format md)" \
    "$(sed '1,/^## skips/d' both.txt | tail -n +2)"
sql some.gbr "update bench_case set verdict = 'certified'"
exits "what is certified" 0 "$GBRUN" show some.gbr --strict --where "bench = 'good'"
equals "what is certified: nothing is said" "" "$(cat err.txt)"

# ---- a run ----
few_samples 12 'device = cpu' '[bench good]' 'sweep.factor = 1, 2, 3' >good.ini
exits "a good run" 0 "$GBRUN" -c good.ini
equals "progress: a line for each case" 3 "$(grep -c '^[123]/3  good factor=[123]  ' err.txt)"
equals "the table goes to standard output" 3 "$(grep -c '^good  ' out.txt)"
equals "nothing is left beside the results file" "results.gbr" "$(echo results.gbr*)"
equals "show prints the same table, below the line of its run" "run 1  $(cat out.txt)" \
    "$("$GBRUN" show | sed "1{s|^run 1  .*|run 1  |;N;s|\n||}")"
exits "--quiet" 0 "$GBRUN" -q -c good.ini -s good.sweep.factor=5 -o set.gbr
equals "--quiet: only the table; -s overrides" " 5" "$(cat err.txt) $(column factor set.gbr)"
"$GBRUN" check -c good.ini --print >printed.ini
equals "check --print is a configuration" "printed.ini: ok, 3 cases" "$("$GBRUN" check -c printed.ini)"
equals "list" "good factor=1
good factor=2
good factor=3" "$("$GBRUN" list -c good.ini 2>/dev/null)"
for format in csv json jsonl md; do
    succeeds "export --format $format" "$GBRUN" export --format $format
done
equals "export csv: a row for each case, of --where" "3 2" "$(column factor | wc -l) $(column factor --where 'factor > 1' | wc -l)"
equals "a closed pipe is no failure worth words" "" "$("$GBRUN" export 2>&1 | head -c 1 >/dev/null)"

# ---- processes ----
{
    few_samples 10 'device = cpu' '[gbrun]' 'rounds = 2'
    section device one cpu cpus="$(processor 1)"
    section bench shared process let.number=0 'sweep.number=1, 2'
    section bench isolated process isolate=yes
    section bench next process
    section bench pinned process device=one
    section bench variable process 'sweep.env.GBRUN_TEST=7, 8'
    section bench longer process env.GBRUN_TES=1
} >process.ini
GBRUN_TEST=5 exits "a run of processes" 0 "$GBRUN" -q -c process.ini -o process.gbr
value()
{
    column "$1" --where "$2" process.gbr | sort -u | xargs
}
equals "cases share a process" 1 "$(value pid "bench = 'shared' and round = 0" | wc -w)"
equals "an isolated case does not" 1 "$(value made "bench = 'isolated'")"
equals "and leaves none to the next" 1 "$(value made "bench = 'next' and round = 0")"
equals "pinned to one CPU" 1 "$(value cpus "bench = 'pinned'")"
equals "a variable of the environment reaches the worker" "7 8" "$(value variable "bench = 'variable'")"
equals "each of its values has a process of its own" 2 "$(value pid "bench = 'variable' and round = 0" | wc -w)"
equals "one with a longer name is left as it is" 5 "$(value variable "bench = 'longer'")"

# ---- stopping and resuming; what is killed is in tests/hostile/test_kills.sh ----
# The sixth case waits for log.go, which comes when the signal has.
{ few_samples 3 'device = fake' 'warmup = 0'; cat; } >slow.ini <<INI
$(section bench beside beside "log=$TMPDIR/log" let.number=0 sweep.number=1:12 held_from=48)
INI
mkfifo err
rm -f results.gbr*
"$GBRUN" -c slow.ini >out.txt 2>err &
exec 6<err
heard '*/12  *' 5 <&6
kill -INT $!
: >log.go
cat <&6 >err.txt
wait $!
equals "Ctrl-C: exit code 1" 1 $?
has "it says how to go on" err.txt 'to finish them: gbrun run --resume results.gbr'
exits "resuming" 0 "$GBRUN" run --resume results.gbr
equals "all cases are there, once, in the order of the sweep" "$(seq 1 12)" "$(column number)"
equals "and all are fine" ok "$(column status | sort -u)"
equals "nothing is left to resume" 0 "$("$GBRUN" run --resume results.gbr 2>&1 >/dev/null | grep -c '/12')"

# ---- a full disk ----
# As the limit of a file's size, which needs no rights; it is met in the middle of the run.
few_samples 3000 'device = cpu' 'iterations = 1' 'warmup = 0' '[bench good]' 'size = 1' 'sweep.factor = 1:20' >full.ini
(
    ulimit -f 160
    exec "$GBRUN" -c full.ini -o full.gbr >out.txt 2>err.txt
)
equals "a full disk: exit code 4" 4 $?
has "it is named" err.txt 'gbrun: error: full.gbr: '
succeeds "what was there before can be read" "$GBRUN" show full.gbr
finish
