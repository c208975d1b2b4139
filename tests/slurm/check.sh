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

# Nodes are one machine: they do not wait for its processors.
n_cases=40
few_samples 1 'device = cpu' 'iterations = 1' 'warmup = 0' 'rounds = 2' '[gbrun]' 'claim_limit = 2 s' 'lock = no' \
    '[bench beside]' "log = $TMPDIR/log" 'linger = 100 ms' 'let.number = 0' "sweep.number = 1:$n_cases" >sweep.ini
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
# What tasks and Slurm say of errors.
cluster_said()
{
    grep -h error gbrun-*.txt "$TMPDIR/cluster/slurmctld.out" | tail -n 5
}
# submit LAST SCRIPT [ARGUMENT]...: an array of tasks 0 to LAST measures the sweep; sets job.
submit()
{
    job=$(sbatch --parsable --array="0-$1" "$scripts/$2" sweep.ini "${@:3}")
}
# ends NAME: waits until no task of the job is left.
ends()
{
    wait_until 60 is_over "$job" && return
    fail "$1" "$(squeue)" "$(cluster_said)"
}
# complete NAME FILE: the job ends, and FILE-*.gbr, of which none are left then, have each case and round once.
complete()
{
    ends "$1"
    equals "$1: missing, foreign, twice" "0 0 0" "$(union "$2"-*.gbr)"
    rm -f "$2"-*.gbr*
}
# begin FILE TASK...: waits until each of these tasks has measured a case.
begin()
{
    local name=$1 task
    shift
    for task; do
        wait_until 20 has_begun "$name-$task.gbr" || fail "task $task of $name begins" "$(squeue)" "$(cluster_said)"
    done
}
has_restarted()
{
    is_state "$1" PENDING && return 1
    scontrol show job "$1" | grep -q 'Restarts=[1-9]'
}
# again TASK...: waits until these tasks are requeued and have started. Slurm itself waits for minutes, and may say so
# late; and it kills a task again that starts in the second in which it was killed.
again()
{
    local task
    for task; do
        wait_until 20 is_state "${job}_$task" PENDING || fail "task $task is requeued" "$(squeue)" "$(cluster_said)"
    done
    for task; do
        for _ in 1 2 3 4 5; do
            scontrol update "jobid=${job}_$task" starttime=now+2seconds 2>/dev/null
            wait_until 6 has_restarted "${job}_$task" && continue 2
        done
        fail "task $task starts again" "$(squeue)" "$(cluster_said)"
    done
}
host_of()
{
    sqlite3 "$1" "SELECT DISTINCT value FROM run_fact WHERE name = 'host'" | paste -sd ' '
}

# --- an array of 4 ---
submit 3 array.sh
complete "an array of 4" part
equals "on all nodes" "node1 node2 node3 node4" "$(host_of union.gbr)"
equals "is shown as one" "4 of 4 shards on 4 nodes, $n_cases of $n_cases cases" "$(gbrun show union.gbr | tail -n 1)"

# --- an array of 8: one killed, one requeued, one on a node that comes back under another name ---
submit 7 array.sh
begin part 2 4 6
scancel -s KILL "${job}_2"
node=$(squeue --noheader --jobs "${job}_6" --format=%N)
scontrol requeue "${job}_4,${job}_6"
node_stop "$node"
node_start "$node" "spare"
scontrol update "jobid=${job}_6" "reqnodelist=$node"
again 4 6
ends "an array of 8"
equals "requeued tasks are complete" "1 1 1 1" "$(for task in 4 6; do
    sqlite3 "part-$task.gbr" "SELECT count(*) = 10 FROM bench_case WHERE done; SELECT count(*) FROM run"; done | xargs)"
succeeds "cases measured under the new name say so" grep -q "^# [1-9]" <<<"# $(sqlite3 part-6.gbr \
    "SELECT count(*) FROM message WHERE text = 'measured on spare, in a run that started on $node'")"
read -r missing foreign twice <<<"$(union part-*.gbr)"
equals "nothing but cases of the killed one is missing" "yes 0 0" \
    "$([ "$missing" -ge 1 ] && [ "$missing" -le 9 ] && echo yes) $foreign $twice"
gbrun show union.gbr >shown.txt 2>&1
succeeds "which is said" grep -q '^shard 3/8 has not ended' shown.txt
submit 7 array.sh
complete "the same array again" part
equals "is shown as one" "8 of 8 shards on 4 nodes, $n_cases of $n_cases cases" "$(gbrun show union.gbr | tail -n 1)"

node_stop "$node"
node_start "$node"
wait_until 30 are_idle 4 || fail "the node has its name again" "$(sinfo)"

# --- a folder of claims: two of four tasks are killed ---
submit 3 claim.sh claims
for task in 1 3; do
    begin "claim-$job" $task
    scancel -s KILL "${job}_$task"
done
complete "claims, two of four killed" claim
equals "none has more rounds of a case than others have" 1 \
    "$(sqlite3 union.gbr 'SELECT max(n) FROM (SELECT count(DISTINCT run_id) AS n FROM bench_case WHERE done GROUP BY position)')"

# --- out of time: the signal that Slurm sends to the script then ---
submit 3 time_limit.sh
begin part 0 1 2 3
scancel --signal=USR1 --batch "${job}_1"
scancel "${job}_2"
again 1
ends "out of time"
equals "who is out of time puts himself into the queue, who is cancelled does not" "REQUEUED 1 CANCELLED 0" \
    "$(for task in 1 2; do scontrol show job "${job}_$task" | tr ' ' '\n' |
        sed -n 's/^JobState=COMPLETED/REQUEUED/p; s/^JobState=//p; s/^Restarts=//p'; done | grep -v COMPLETED | xargs)"
submit 3 time_limit.sh
complete "out of time" part

# --- preempted ---
submit 3 array.sh
begin part 0 1 2 3
sbatch --wait --partition=urgent --nodes=4 --exclusive --output=urgent.txt --wrap 'gbrun list cases -c sweep.ini' >/dev/null
again 0 1 2 3
complete "preempted" part
equals "no case twice nor a second run" "4" "$(sqlite3 union.gbr 'SELECT count(*) FROM run')"

# --- one task a GPU ---
job=$(sbatch --parsable --ntasks=8 "$scripts/gpus.sh" sweep.ini)
complete "one task a GPU" part
equals "each has a GPU of its node for itself" "node1:0 node1:1 node2:0 node2:1 node3:0 node3:1 node4:0 node4:1" \
    "$(sqlite3 union.gbr "SELECT host.value || ':' || gpu.value FROM run
        JOIN run_fact AS host ON host.run_id = run.id AND host.name = 'host'
        JOIN run_fact AS gpu ON gpu.run_id = run.id AND gpu.name = 'job_gpus' ORDER BY 1" | xargs)"

# --- a fleet, in which one node takes half as long again ---
cat >nap.sh <<'NAP'
[ "$(uname -n)" = node3 ] && s=0.06 || s=0.04
sleep "$s"
NAP
few_samples 1 'device = cpu' 'iterations = 1' 'warmup = 0' 'rounds = 3' '[gbrun]' 'lock = no' \
    '[bench nap]' 'plugin = command' 'argv = sh nap.sh {number}' 'let.number = 0' 'sweep.number = 1:3' >fleet.ini
DRAIN=yes sbatch --parsable --wait --nodes=4 "$scripts/fleet.sh" fleet.ini --label night=1 >job.txt
equals "a fleet's job ends with" 3 $?
equals "the slow node is drained, and only it" "node3" "$(sinfo --noheader --Node --partition=all --states=drain --format=%N)"
succeeds "and the table says why" grep -q '^node3: slower in 3 of 3 cases' "fleet-$(cat job.txt)/nodes.txt"
finish
