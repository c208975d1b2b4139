#!/usr/bin/env bash
# check.sh - gbrun under Slurm, with the scripts of docs/scale/: tasks are killed, requeued, preempted, run out of time,
# a node comes back under another name; the union of all files is what a task alone would have measured, each case and
# round once. make slurm-check runs it; see cluster.sh.
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/slurm/cluster.sh
. "$here/cluster.sh"
cluster_enter
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
scripts=$top_srcdir/docs/scale
mkdir "$TMPDIR/work" "$TMPDIR/bin" && cd "$TMPDIR/work" || exit 99
ln -s "$GBRUN" "$TMPDIR/bin/gbrun"
PATH=$TMPDIR/bin:$PATH
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cluster_start "$TMPDIR/cluster" 4
pass "Slurm $(sinfo --version | cut -d ' ' -f 2) with 4 nodes"

n_cases=40
cat >sweep.ini <<INI
[policy few]
plugin = fixed
samples = 1
[defaults]
policy = few
device = cpu
iterations = 1
warmup = 0
rounds = 2
[gbrun]
claim_limit = 2 s
[bench beside]
log = $TMPDIR/log
linger = 100 ms
let.number = 0
sweep.number = 1:$n_cases
INI
gbrun list cases -c sweep.ini --format csv >list.csv 2>/dev/null
equals "cases of the list" "$n_cases" "$(tail -n +2 list.csv | wc -l)"

# union FILE...: merges them; "MISSING FOREIGN TWICE" of what is in the list in both rounds.
union()
{
    rm -f union.gbr
    gbrun merge -o union.gbr "$@" &>merge.txt || cat merge.txt
    sqlite3 union.gbr -cmd '.mode csv' -cmd '.import list.csv list' -cmd '.mode list' -cmd '.separator " "' '
        WITH wanted AS (SELECT label, "case" - 1 AS position, round.value AS round
                FROM list, json_each("[0,1]") AS round),
            found AS (SELECT r.label, c.position, c.round
                FROM bench_case AS c JOIN result AS r ON r.uuid = c.uuid WHERE c.done)
        SELECT (SELECT count(*) FROM (SELECT * FROM wanted EXCEPT SELECT * FROM found)),
            (SELECT count(*) FROM (SELECT * FROM found EXCEPT SELECT * FROM wanted)),
            (SELECT count(*) FROM found) - (SELECT count(*) FROM (SELECT DISTINCT * FROM found))'
}
# has_begun FILE: has one case and not all.
has_begun()
{
    [ "$(sqlite3 -readonly "$1" 'SELECT count(*) FROM bench_case WHERE done')" -ge 1 ]
}
# state JOB: its word, such as RUNNING.
state()
{
    scontrol show job "$1" | sed -n 's/^ *JobState=\([A-Z_]*\).*/\1/p'
}
is_state()
{
    [ "$(state "$1")" = "$2" ]
}
is_over()
{
    [ -z "$(squeue --noheader --jobs "$1" 2>/dev/null)" ]
}
# What tasks print, each line once.
said()
{
    cat gbrun-*.txt | sort | uniq -c
}
# ends NAME JOB: waits until no task of the job is left.
ends()
{
    wait_until 60 is_over "$2" && return
    fail "$1" "$(squeue)" "$(said)"
}
# begin FILE TASK...: waits until each of these tasks has measured a case.
begin()
{
    local name=$1 task
    shift
    for task; do
        wait_until 20 has_begun "$name-$task.gbr" || fail "task $task of $name begins" "$(squeue)" "$(said)"
    done
}
# again JOB TASK...: waits until these tasks are requeued, and has them start soon; Slurm itself waits for minutes. If
# a task starts in the second in which it was killed, Slurm kills it again.
again()
{
    local job=$1 task
    shift
    for task; do
        wait_until 20 is_state "${job}_$task" PENDING || fail "task $task is requeued" "$(squeue)"
        scontrol update "jobid=${job}_$task" starttime=now+2seconds
    done
}
host_of()
{
    sqlite3 "$1" "SELECT DISTINCT value FROM run_fact WHERE name = 'host'" | paste -sd ' '
}

# --- an array of 4 ---
job=$(sbatch --parsable --array=0-3 "$scripts/array.sh" sweep.ini)
ends "an array of 4" "$job"
equals "an array of 4: missing, foreign, twice" "0 0 0" "$(union part-*.gbr)"
equals "on all nodes" "node1 node2 node3 node4" "$(host_of union.gbr)"
equals "is shown as one" "4 of 4 shards on 4 nodes, $n_cases of $n_cases cases" "$(gbrun show union.gbr | tail -n 1)"
rm -f ./*.gbr*

# --- an array of 8: one killed, one requeued, one on a node that comes back under another name ---
job=$(sbatch --parsable --array=0-7 "$scripts/array.sh" sweep.ini)
begin part 2 4 6
scancel -s KILL "${job}_2"
node=$(squeue --noheader --jobs "${job}_6" --format=%N)
scontrol requeue "${job}_4,${job}_6"
node_stop "$node"
node_start "$node" "spare"
scontrol update "jobid=${job}_6" "reqnodelist=$node"
again "$job" 4 6
ends "an array of 8" "$job"
equals "requeued tasks are complete" "1 1 1 1" "$(for task in 4 6; do
    sqlite3 "part-$task.gbr" "SELECT count(*) = 10 FROM bench_case WHERE done; SELECT count(*) FROM run"; done | xargs)"
read -r missing foreign twice <<<"$(union part-*.gbr)"
equals "nothing but cases of the killed one is missing" "yes 0 0" \
    "$([ "$missing" -ge 1 ] && [ "$missing" -le 9 ] && echo yes) $foreign $twice"
gbrun show union.gbr >shown.txt 2>&1
succeeds "which is said" grep -q '^shard 3/8 has not ended' shown.txt
job=$(sbatch --parsable --array=0-7 "$scripts/array.sh" sweep.ini)
ends "the same array again" "$job"
equals "the same array again: missing, foreign, twice" "0 0 0" "$(union part-*.gbr)"
equals "is shown as one" "8 of 8 shards on 4 nodes, $n_cases of $n_cases cases" "$(gbrun show union.gbr | tail -n 1)"

# --- a folder of claims: two of four tasks are killed ---
rm -f ./*.gbr*
job=$(sbatch --parsable --array=0-3 "$scripts/claim.sh" sweep.ini claims)
for task in 1 3; do
    begin "claim-$job" $task
    scancel -s KILL "${job}_$task"
done
ends "claims" "$job"
equals "claims, two of four killed: missing, foreign, twice" "0 0 0" "$(union claim-*.gbr)"
equals "none has more rounds of a case than others have" 1 \
    "$(sqlite3 union.gbr 'SELECT max(n) FROM (SELECT count(DISTINCT run_id) AS n FROM bench_case WHERE done GROUP BY position)')"

# --- out of time: the signal that Slurm sends to the script then ---
rm -f ./*.gbr*
job=$(sbatch --parsable --array=0-3 "$scripts/time_limit.sh" sweep.ini)
begin part 0 1 2 3
scancel --signal=USR1 --batch "${job}_1"
scancel "${job}_2"
again "$job" 1
ends "out of time" "$job"
equals "who is out of time puts himself into the queue, who is cancelled does not" "REQUEUED 1 CANCELLED 0" \
    "$(for task in 1 2; do scontrol show job "${job}_$task" | tr ' ' '\n' |
        sed -n 's/^JobState=COMPLETED/REQUEUED/p; s/^JobState=//p; s/^Restarts=//p'; done | grep -v COMPLETED | xargs)"
sbatch --wait --array=0-3 "$scripts/time_limit.sh" sweep.ini >/dev/null
equals "out of time: missing, foreign, twice" "0 0 0" "$(union part-*.gbr)"

# --- preempted ---
rm -f ./*.gbr*
job=$(sbatch --parsable --array=0-3 "$scripts/array.sh" sweep.ini)
begin part 0 1 2 3
sbatch --wait --partition=urgent --nodes=4 --exclusive --output=urgent.txt --wrap 'gbrun list cases -c sweep.ini' >/dev/null
again "$job" 0 1 2 3
ends "preempted" "$job"
equals "preempted: missing, foreign, twice" "0 0 0" "$(union part-*.gbr)"
equals "no case twice nor a second run" "4" "$(sqlite3 union.gbr 'SELECT count(*) FROM run')"
finish
