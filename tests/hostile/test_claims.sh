#!/usr/bin/env bash
# Several tasks share the cases of one configuration by a folder of claims (run --claim); some are killed, stopped or
# ended by SIGTERM at one of their calls (fail_nth.c). The union of their files has each case of each round once, all
# rounds of one from one task. HOSTILE=all: 50 times.
. "$top_srcdir/tests/tap.sh"
with_modules
[ "${HOSTILE:-}" = all ] && times=50 || times=2
n_cases=12
mkfifo told

# begin LIMIT [LINE]...: task.ini; nothing is measured yet.
begin()
{
    rm -rf folder ./*.gbr*
    {
        few_samples 1 'iterations = 1' '[gbrun]' 'lock = no' 'durability = process' "claim_limit = $1" "${@:2}"
        section bench beside beside "log=$TMPDIR/log" 'linger=2 ms' let.number=0 sweep.number=1:$n_cases
    } >task.ini
}

# start NAME [OPTION]...: a task in the background; its pid in pids[NAME]. struck N WHAT SIGNAL NAME: one that gets the
# signal at its Nth call that has to do with files, or message to its worker (wire).
declare -A pids
start()
{
    "$GBRUN" -q -c task.ini -o "$1.gbr" --claim folder "${@:2}" >"$1.txt" 2>&1 &
    pids[$1]=$!
}
struck()
{
    FAIL_MARK=$TMPDIR/mark.$4 at_call "$1" "$2" supervisor "$3" start "$4"
}

# union: merges all files; "ROWS CASES TASKS": records, different cases of rounds, the most tasks that one case has.
union()
{
    rm -f union.gbr
    # A task that is killed at once leaves a file of 0 bytes.
    find . -name '[a-d].gbr' -empty -delete
    # of a task that was killed before it stored anything there is an empty file: exit code 3
    "$GBRUN" merge --keep-going -o union.gbr [a-d].gbr >merge.txt 2>&1 || [ $? = 3 ] || cat merge.txt
    sql union.gbr 'SELECT sum(n), count(*), max(tasks) FROM (SELECT count(*) AS n, 1 AS one,
        (SELECT count(DISTINCT run_id) FROM bench_case AS o WHERE o.position = c.position) AS tasks
        FROM bench_case AS c WHERE done GROUP BY position, round)' | tr '|' ' '
}

# attempts FILE: POSITION|ATTEMPT of each case that was begun more than once.
attempts()
{
    sql "$1" 'SELECT position, attempt FROM bench_case WHERE attempt > 0 ORDER BY position' | paste -sd' '
}

# in_between NAME: it has some of its cases, and not all.
in_between()
{
    local n
    n=$(sql "$1.gbr" "SELECT count(*) FROM bench_case WHERE done")
    echo "$n"
    [ "$n" -gt 0 ] && [ "$n" -lt "$n_cases" ]
}

# ---- killed ----
failures=
for ((i = 1; i <= times; i++)); do
    rounds=$((1 + i % 2))
    begin '1 s' "rounds = $rounds"
    struck $((60 + i * 37 % 250)) files 9 a
    struck $((60 + i * 101 % 250)) files 9 b
    for name in c d; do start "$name"; done
    wait "${pids[c]}" && wait "${pids[d]}" || failures="$failures
time $i: $(cat c.txt d.txt)"
    wait "${pids[a]}" "${pids[b]}" 2>/dev/null
    found=$(union)
    [ "$found" = "$((n_cases * rounds)) $((n_cases * rounds)) 1" ] || failures="$failures
time $i: $found, files: $(cat merge.txt)"
done &>killed.txt
equals "4 tasks, 2 of them killed, $times times: each case once" "" "$failures"

# ---- what is stored and not called done ----
begin '1 s'
start a && wait "${pids[a]}"
rm folder/claims/7.1 folder/claims/9.*
: >folder/claims/9.0
start b && wait "${pids[b]}"
equals "a case that was stored and not called done is in the union once" "$n_cases $n_cases 1" "$(union)"
equals "of the later attempt, as is one whose taker did not get to write who it is" "7|1 9|1" "$(attempts union.gbr)"
"$GBRUN" merge -o other.gbr b.gbr a.gbr >/dev/null 2>&1
equals "whatever the order of merging" "7|1 9|1" "$(attempts other.gbr)"
rm folder/claims/3.1
start b && wait "${pids[b]}"
equals "also within one file" "3|1 7|1 9|1" "$(attempts b.gbr)"

# ---- stopped, and taken for gone ----
begin '1 s' 'rounds = 2'
FAIL_TELL=told struck 10 wire 19 a
read -r _ <told
start b && wait "${pids[b]}"
codes=$?
succeeds "it had begun, and was not at its end" in_between a
kill -CONT "${pids[a]}"
wait "${pids[a]}"
equals "a task that was stopped meanwhile and one that took its cases end well" "0 0" "$codes $?"
equals "and each case is in the union once" "$((2 * n_cases)) $((2 * n_cases)) 1" "$(union)"

# ---- nobody waits for who ends in order, nor for oneself: else this test would be over its time ----
begin '60 min'
struck 10 wire 15 a
wait "${pids[a]}"
equals "a task ends upon SIGTERM" 1 $?
succeeds "of its cases there are some" in_between a
start b && wait "${pids[b]}"
equals "gives its cases back at once" 0 $?
equals "and each is in the union once, cancelled ones apart" "$n_cases $n_cases 1" "$(union)"

begin '60 min'
struck 10 wire 9 a
wait "${pids[a]}" &>killed.txt
succeeds "a run that is resumed goes on at once with its own cases" "$GBRUN" -q --resume a.gbr --claim folder
equals "and each is there once" "$n_cases $n_cases 1" "$(union)"

# ---- errors ----
try_each "$GBRUN" -q -c task.ini -o b.gbr <<'TABLE'
a folder of another plan is an error|2|~belongs to another plan|-s gbrun.seed=1 --claim folder
so is one that cannot be made|4|~nowhere/folder: cannot be made: No such|--claim nowhere/folder
TABLE
start c && wait "${pids[c]}"
equals "who comes when all is done has nothing to do" "0 0" "$? $(sql c.gbr 'SELECT count(*) FROM bench_case')"
finish
