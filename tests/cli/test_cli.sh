#!/usr/bin/env bash
# The command line as its user meets it: exit codes, streams, stopping and resuming, full disks, merging.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

# says NAME CODE TEXT COMMAND...: the exit code and the whole of standard error.
says()
{
    local name=$1 code=$2 text=$3 got
    shift 3
    got=$("$@" 2>&1 >out.txt)
    equals "$name: exit code" "$code" "$?"
    equals "$name: message" "$text" "$got"
}

# column NAME [FILE]: one column of the cases, one a line.
column()
{
    "$GBRUN" export --columns "$1" "${2:-results.gbr}" | tail -n +2 | tr -d '\r'
}

# ---- usage ----
says "no argument" 2 "usage: gbrun FILE.ini, gbrun VERB [OPTION...]; see \`gbrun help\`" "$GBRUN"
says "unknown verb" 2 "gbrun: error: unknown verb 'shwo', did you mean show?: see \`gbrun help\`" "$GBRUN" shwo
says "unknown option" 2 \
    "gbrun: error: run: unknown option --confg, did you mean --config?: see \`gbrun help run\`" \
    "$GBRUN" run --confg x.ini
says "missing value" 2 "gbrun: error: run: -c needs a value" "$GBRUN" -c
says "no such configuration" 2 "none.ini: error: cannot be opened: No such file or directory" \
    "$GBRUN" -c none.ini
says "no results file" 2 "gbrun: error: none.gbr: there is no such results file" "$GBRUN" show none.gbr
succeeds "version" "$GBRUN" --version
for verb in run list check help show export merge report replay doctor; do
    equals "help $verb, $verb --help" "0 $("$GBRUN" help $verb)" "$? $("$GBRUN" $verb --help)"
done
succeeds "doctor" "$GBRUN" doctor

# ---- three mistakes in one file ----
cat >wrong.ini <<'INI'
[gbrun]
sed = 42
[bench copy]
bytes = 4q
sweep.cache = warm, cld
INI
says "three mistakes" 2 "wrong.ini:2:1: error: unknown key 'sed' in [gbrun]; did you mean 'seed'?
wrong.ini:4:9: error: '4q' is not a size: expected a number with one of B kB MB GB TB KiB MiB GiB TiB
wrong.ini:5:21: error: 'cld' is not a choice: expected one of warm, cold; did you mean 'cold'?" \
    "$GBRUN" check -c wrong.ini

# ---- exit codes for automatic tests ----
{ few_samples 3 'device = fake'; printf '[bench skipper]\nrounds = 2\n'; } >skips.ini
says "nothing measured" 1 "gbrun: nothing was measured: skipped 2 of 2 (each round counts)" \
    "$GBRUN" -q -c skips.ini -o skips.gbr
equals "it is in the file" 1 "$(sql skips.gbr "select exit_code from run")"
equals "list runs says so" "all skipped" "$("$GBRUN" list runs skips.gbr --format csv | tail -n 1 | tr -d '\r' | cut -d, -f6)"
says "nothing was missing, and nothing measured" 1 \
    "gbrun: nothing was measured: skipped 2 of 2 (each round counts)" "$GBRUN" run -q --resume skips.gbr
printf '[bench good]\n' >>skips.ini
says "something measured" 0 "" "$GBRUN" -q -c skips.ini -o some.gbr
strict="failed 0, skipped 2, not certified 1, of 3 (each round counts)"
says "run --strict" 3 "gbrun: --strict: $strict" "$GBRUN" -q -c skips.ini -o some.gbr --strict
equals "the code is in the file" 3 "$(sql some.gbr "select exit_code from run order by id desc limit 1")"
says "show --strict" 3 "gbrun: --strict: $strict" "$GBRUN" show some.gbr --strict
says "show --strict of what is chosen" 3 \
    "gbrun: --strict: failed 0, skipped 0, not certified 1, of 1 (each round counts)" \
    "$GBRUN" show some.gbr --strict --where "bench = 'good'"
sql some.gbr "update bench_case set verdict = 'certified'"
says "what is certified" 0 "" "$GBRUN" show some.gbr --strict --where "bench = 'good'"
printf '[bench wrong_result]\n' >>skips.ini
"$GBRUN" -q -c skips.ini -o some.gbr --strict >out.txt 2>err.txt
equals "a failure stays one, strictly" 1 $?
equals "and is counted" "gbrun: --strict: failed 1, skipped 2, not certified 1, of 4 (each round counts)" \
    "$(tail -n 1 err.txt)"

# ---- several files ----
"$GBRUN" show some.gbr skips.gbr --format md >both.txt 2>err.txt
equals "show takes several files" "## some.gbr ## skips.gbr" "$(grep '^##' both.txt | paste -sd ' ')"
equals "and has what each of them has" "$("$GBRUN" show skips.gbr --format md)" "$(sed '1,/^## skips/d' both.txt | tail -n +2)"
says "but not in formats for programs" 2 \
    "gbrun: error: --format csv: 'skips.gbr': expected one results file; gbrun merge makes one of several" \
    "$GBRUN" show some.gbr skips.gbr --format csv
says "a file that is not there is an error" 2 "gbrun: error: none.gbr: there is no such results file" \
    "$GBRUN" show skips.gbr none.gbr
"$GBRUN" -q -c skips.ini -s "policy few.samples=1" -o one.gbr >/dev/null 2>&1
equals "one sample is no plural" "1 sample" \
    "$("$GBRUN" export one.gbr --where "bench = 'good'" --columns stop_reason | tail -n 1 | tr -d '\r')"

# ---- a run ----
cat >good.ini <<'INI'
[policy few]
plugin = fixed
samples = 12
[bench good]
policy = few
device = cpu
sweep.factor = 1, 2, 3
INI
"$GBRUN" -c good.ini >out.txt 2>err.txt
equals "a good run ends with exit code 0" 0 $?
equals "progress: a line for each case" 3 "$(grep -c '^[123]/3  good factor=[123]  ' err.txt)"
equals "the table goes to standard output" 3 "$(grep -c '^good  ' out.txt)"
equals "nothing is left beside the results file" "results.gbr" "$(echo results.gbr*)"
equals "show prints the same table, below the line of its run" "run 1  $(cat out.txt)" "$("$GBRUN" show | sed "1{s|^run 1  .*|run 1  |;N;s|\n||}")"
"$GBRUN" -q -c good.ini -o quiet.gbr >out.txt 2>err.txt
equals "--quiet: only the table" "" "$(cat err.txt)"
"$GBRUN" -q -c good.ini -s good.sweep.factor=5 -o set.gbr >/dev/null
equals "-s overrides" 5 "$(column factor set.gbr)"
"$GBRUN" check -c good.ini --print >printed.ini
equals "check --print is a configuration" "printed.ini: ok, 3 cases" "$("$GBRUN" check -c printed.ini)"
"$GBRUN" list -c good.ini 2>/dev/null >list.txt
equals "list" "good factor=1
good factor=2
good factor=3" "$(cat list.txt)"
for format in csv json jsonl md; do
    succeeds "export --format $format" "$GBRUN" export --format $format
done
equals "export csv: a row for each case" 3 "$(column factor | wc -l)"
equals "--where" 2 "$("$GBRUN" export --where 'factor > 1' --columns factor | tail -n +2 | wc -l)"
"$GBRUN" export --format json >all.json
if command -v python3 >/dev/null; then
    succeeds "the JSON is JSON" python3 -m json.tool all.json
else
    skip "the JSON is JSON" "no python3"
fi
"$GBRUN" export | head -n 1 >/dev/null
equals "a closed pipe is no failure worth words" "" "$("$GBRUN" export 2>&1 | head -c 1 >/dev/null)"

# ---- processes ----
cat >process.ini <<'INI'
[gbrun]
rounds = 2
[policy few]
plugin = fixed
samples = 10
[device one]
plugin = cpu
cpus = 0
[defaults]
policy = few
device = cpu
[bench shared]
plugin = process
let.number = 0
sweep.number = 1, 2
[bench isolated]
plugin = process
isolate = yes
[bench next]
plugin = process
[bench pinned]
plugin = process
device = one
[bench variable]
plugin = process
sweep.env.GBRUN_TEST = 7, 8
INI
"$GBRUN" -q -c process.ini -o process.gbr >/dev/null 2>err.txt
equals "a run of processes" 0 $?
value()
{
    "$GBRUN" export --columns "$1" --where "$2" process.gbr | tail -n +2 | tr -d '\r' | sort -u
}
equals "cases share a process" 1 "$(value pid "bench = 'shared' and round = 0" | wc -l)"
equals "an isolated case does not" 1 "$(value made "bench = 'isolated'")"
equals "and leaves none to the next" 1 "$(value made "bench = 'next' and round = 0")"
equals "pinned to one CPU" 1 "$(value cpus "bench = 'pinned'")"
equals "a variable of the environment reaches the worker" "7
8" "$(value variable "bench = 'variable'")"
equals "each of its values has a process of its own" 2 "$(value pid "bench = 'variable' and round = 0" | wc -l)"
equals "rounds are interleaved" "shared shared isolated next pinned variable variable shared shared isolated next pinned variable variable" \
    "$("$GBRUN" export --columns bench --sort sequence process.gbr | tail -n +2 | tr -d '\r' | paste -sd ' ')"

cat >prefix.ini <<'INI'
[policy few]
plugin = fixed
samples = 10
[bench process]
device = cpu
policy = few
env.GBRUN_TES = 1
INI
GBRUN_TEST=5 "$GBRUN" -q -c prefix.ini -o prefix.gbr >/dev/null 2>err.txt
equals "a variable with a longer name is left as it is" "5" "$(column metric.variable prefix.gbr)"

# ---- several jobs ----
{ few_samples 3 'device = cpu'; cat; } >jobs.ini <<INI
[gbrun]
jobs = 2
[device left]
plugin = fake
[device right]
plugin = fake
[bench beside]
exclusive = yes
log = $TMPDIR/jobs
linger = 20 ms
let.number = 0
sweep.number = 1, 2
sweep.device = left, right
INI
"$GBRUN" -q -c jobs.ini -o jobs.gbr >/dev/null
equals "a run of two jobs" 0 $?
equals "a benchmark that wants the machine to itself is not run beside another" "begin end begin end begin end begin end" \
    "$(sed -n 's/^\(begin\|end\) .*/\1/p' jobs | xargs)"

# ---- stopping and resuming ----
# One case waits for log.go, which comes when the signal has.
{ few_samples 3 'device = fake' 'warmup = 0'; cat; } >slow.ini <<INI
[bench beside]
log = $TMPDIR/log
let.number = 0
sweep.number = 1:12
INI
mkfifo err
# stop_after N SIGNAL: starts the run, sends the signal when N cases are announced and the next one is held; code.
stop_after()
{
    rm -f results.gbr* log*
    "$GBRUN" -c slow.ini -s "beside.held_from=$((8 * ($1 + 1)))" >out.txt 2>err &
    exec 6<err
    heard '*/12  *' "$1" <&6
    kill -"$2" $!
    : >log.go
    cat <&6 >err.txt
    wait $!
    code=$?
}
stop_after 5 INT
equals "Ctrl-C: exit code 1" 1 "$code"
succeeds "it says how to go on" grep -q 'to finish them: gbrun run --resume results.gbr' err.txt
"$GBRUN" run --resume results.gbr >out.txt 2>err.txt
equals "resuming ends with exit code 0" 0 $?
equals "all cases are there, once, in the order of the sweep" "$(seq 1 12)" "$(column number)"
equals "and all are fine" ok "$(column status | sort -u)"
equals "nothing is left to resume" 0 "$("$GBRUN" run --resume results.gbr 2>&1 >/dev/null | grep -c '/12')"
for n in 0 3 9; do
    stop_after $n KILL
    if [ -s results.gbr ] && "$GBRUN" show >/dev/null 2>&1; then
        succeeds "killed after $n: every announced case is there" test "$(column status | grep -c ok)" -ge $n
        "$GBRUN" run -q --resume results.gbr >/dev/null 2>&1
        equals "killed after $n: resumed" "$(seq 1 12)" "$(column number | sort -n)"
    else
        equals "killed before anything was announced" 0 $n
    fi
done

# ---- a full disk ----
# As the limit of a file's size, which needs no rights; it is met in the middle of the run.
{ few_samples 3000 'device = cpu' 'iterations = 1' 'warmup = 0'; printf '[bench good]\nsize = 1\nsweep.factor = 1:20\n'; } >full.ini
(
    ulimit -f 160
    exec "$GBRUN" -c full.ini -o full.gbr >out.txt 2>err.txt
)
equals "a full disk: exit code 4" 4 $?
succeeds "it is named" grep -q '^gbrun: error: full.gbr: ' err.txt
succeeds "what was there before can be read" "$GBRUN" show full.gbr

# ---- merging ----
"$GBRUN" -q -c good.ini -o a.gbr >/dev/null
"$GBRUN" -q -c good.ini -o b.gbr >/dev/null
"$GBRUN" merge -o ab.gbr a.gbr b.gbr 2>err.txt
"$GBRUN" merge -o ba.gbr b.gbr a.gbr b.gbr 2>err.txt
equals "merging in any order, and again, gives the same" "$("$GBRUN" export --run all ab.gbr)" \
    "$("$GBRUN" export --run all ba.gbr)"
equals "nothing is lost" 6 "$("$GBRUN" export --run all --columns factor ab.gbr | tail -n +2 | wc -l)"
finish
