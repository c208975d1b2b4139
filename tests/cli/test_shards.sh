#!/usr/bin/env bash
# test_shards.sh - a sweep dealt to several tasks: which cases each has, what the environment of schedulers
# says, what is stored, what goes on where it was interrupted.
. "$top_srcdir/tests/tap.sh"
with_modules
unset SLURM_ARRAY_TASK_ID SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK FLUX_TASK_RANK JOB_COMPLETION_INDEX PARALLEL_SEQ
{ few_samples 3 'device = fake' 'warmup = 0'; cat; } >a.ini <<INI
[bench lasting]
sweep.duration = 1us, 2us, 3us, 4us, 5us, 6us, 7us, 8us, 9us
$(section bench other lasting 'sweep.duration=100us, 1us' rounds=2)
INI

cases()
{
    "$GBRUN" list cases -c a.ini "$@" 2>/dev/null
}
run()
{
    ran "$GBRUN" run -q -c a.ini "$@"
}
# n_runs FILE: how many it holds.
n_runs()
{
    "$GBRUN" list runs "$1" --format csv | tail -n +2 | wc -l
}
cases >all.txt
equals "as many as there are" 11 "$(wc -l <all.txt)"

# --- which cases ---
for n in 1 3 11 20; do
    for ((i = 1; i <= n; i++)); do
        cases --shard "$i/$n" >"part.$i"
        awk -v i="$i" -v n="$n" '(NR - 1) % n == i - 1' all.txt | cmp -s - "part.$i" ||
            fail "shard $i of $n" "$(head -n 3 "part.$i")"
    done
    equals "$n shards are all cases, each once" "" \
        "$(for ((i = 1; i <= n; i++)); do cat "part.$i"; done | sort | diff - <(sort all.txt))"
done
equals "of a sample, too" "$(cases --sample 5 | sed -n '2p;4p')" "$(cases --sample 5 --shard 2/2)"
equals "in the order of measuring" "$(cases -s gbrun.order=shuffled | grep -Fxf <(cases --shard 2/3))" \
    "$(cases -s gbrun.order=shuffled --shard 2/3)"

# --- what the environment says ---
told()
{
    env "$@" "$GBRUN" list cases -c a.ini --shard "${shard:-auto}" 2>told.txt >told.cases
    cat told.cases told.txt | head -n 1
}
second=$(cases --shard 2/4 | head -n 1)
expected='expected I/N with I from 1 to N, such as 2/4, or auto, auto/N or each; N up to 10000000'
while IFS='|' read -r name given variables said; do
    # shellcheck disable=SC2086 # several variables
    equals "$name" "${said:-$second}" "$(shard=$given told $variables)"
done <<LIST
an array of Slurm||SLURM_ARRAY_TASK_ID=13 SLURM_ARRAY_TASK_MIN=11 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4|
tasks of srun||SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=8|
tasks of the jobs of an array||SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2|
Open MPI||OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4|
PMI||PMI_RANK=1 PMI_SIZE=4|
Flux||FLUX_TASK_RANK=1 FLUX_JOB_SIZE=4|
Kubernetes, which does not say how many|auto/4|JOB_COMPLETION_INDEX=1|
GNU parallel|auto/4|PARALLEL_SEQ=2|
behind the last|5/4|A=1|--shard: error: '5/4': $expected
before the first|0/4|A=1|--shard: error: '0/4': $expected
a negative one|-1/4|A=1|--shard: error: '-1/4': $expected
of none|auto/0|A=1|--shard: error: 'auto/0': $expected
a number is not said|auto|PARALLEL_SEQ=2|--shard: error: auto: PARALLEL_SEQ does not say how many tasks there are: expected auto/N
behind the last, of GNU parallel|auto/4|PARALLEL_SEQ=5|--shard: error: auto/4: PARALLEL_SEQ says that this is task 5
LIST
said=$(told A=1)
succeeds "no scheduler" grep -q '^--shard: error: auto: no variable of a scheduler says' <<<"$said"
SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 run -o warned.gbr
has "without it a task among others is warned" err.txt \
    'gbrun: warning: by SLURM_PROCID this is task 2 of 4, and each measures all cases'
SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 run -o each.gbr --shard each
equals "--shard each means it" "0 13" "$(grep -c warning err.txt) $(rows each.gbr | wc -l)"

# --- what is measured and stored ---
for i in 1 2 3; do
    SLURM_JOB_ID=77 SLURM_ARRAY_TASK_ID=$i run --shard "$i/3" -o "shard$i.gbr"
    equals "shard $i is measured" 0 "$code"
done
"$GBRUN" merge -o merged.gbr shard?.gbr >/dev/null 2>&1
equals "merged they are all cases in all rounds" "13 13" \
    "$(column bench,uid,round --run all merged.gbr | sort -u | wc -l) $(rows --run all merged.gbr | wc -l)"
fact()
{
    "$GBRUN" show --verbose "$1" | sed -n "s/^  $2: //p"
}
# plans FILE...: how many are in them.
plans()
{
    for file; do fact "$file" plan; done | sort -u | wc -l
}
run -s '*.warmup=1us' --shard 1/3 -o other.gbr
run -s gbrun.results=x.gbr -s gbrun.lock=no --shard 1/3 -o same.gbr
equals "one plan; other settings are another, another results file is not" "1 2 1" \
    "$(plans shard1.gbr shard2.gbr shard3.gbr) $(plans other.gbr shard1.gbr) $(plans same.gbr shard1.gbr)"
for value in one two; do
    run -s "*.env.NOTE=a  ; $value" --shard 1/3 -o $value.gbr
done
equals "what stands behind a semicolon in quotes is another plan" 2 "$(plans one.gbr two.gbr)"
equals "shard and job are facts" "2/3 11 2 77" \
    "$(for name in shard plan_cases job_task job; do fact shard2.gbr $name; done | xargs)"
run --shard 15/20 -o empty.gbr
equals "an empty shard is fine" 0 "$code"

# --- shown as one ---
"$GBRUN" merge -o part.gbr shard1.gbr shard3.gbr >/dev/null 2>&1
show()
{
    "$GBRUN" show "$@" >shown.txt 2>&1
}
show part.gbr
equals "what is missing" "2 of 3 shards on 1 node, 7 of 11 cases
shard 2 of 3 is missing: gbrun run --resume part.gbr --shard 2/3" "$(tail -n 2 shown.txt)"
cp part.gbr whole3.gbr
mv a.ini away.ini
ran "$GBRUN" run -q --resume whole3.gbr --shard 2/3
equals "and measured by the configuration stored with the others" "0 3 of 3 shards on 1 node, 11 of 11 cases" \
    "$code $("$GBRUN" show whole3.gbr | tail -n 1)"
mv away.ini a.ini
equals "the same cases as with it" "$(column uid,round merged.gbr | sort)" "$(column uid,round whole3.gbr | sort)"
ran "$GBRUN" run -q --resume whole3.gbr --shard 2/3
equals "once it is there, there is nothing to do" "0 3" "$code $(n_runs whole3.gbr)"
equals "runs are listed with their shards" "1/3 3/3 2/3" \
    "$("$GBRUN" list runs whole3.gbr --format csv | tr -d '\r' | tail -n +2 | cut -d , -f 9 | paste -sd' ')"
try_each "$GBRUN" run -q --resume <<'LIST'
shards of another plan|2|gbrun: error: --resume whole3.gbr --shard 2/4: the run is shard 2/3 of its plan: expected I/3|\
whole3.gbr --shard 2/4
each|2|gbrun: error: --resume whole3.gbr --shard each: the run is shard 2/3 of its plan: expected I/3|whole3.gbr --shard each
rounds|2|gbrun: error: --resume whole3.gbr: continues with the cases and settings of the run: leave out 'rounds'|\
whole3.gbr --shard 2/3 --rounds 2
a run that is none|2|gbrun: error: --resume warned.gbr --shard 2/3: the run was not dealt into shards|warned.gbr --shard 2/3
LIST
show merged.gbr
equals "all are shown as one" "11 3 of 3 shards on 1 node, 11 of 11 cases" \
    "$(grep -cE '^(lasting|other) ' shown.txt) $(tail -n 1 shown.txt)"
equals "in the order of the sweep" "$(cut -d ' ' -f 1 all.txt)" "$(awk '/^(lasting|other) / { print $1 }' shown.txt)"
equals "exported as one, one alone by its number" "13 5" "$(rows merged.gbr | wc -l) $(rows --run 1 merged.gbr | wc -l)"
"$GBRUN" export merged.gbr --format trace >trace.json
equals "as a trace: each case once, a process for each shard" "13 3 shard 1/3 shard 2/3 shard 3/3" \
    "$(grep -c '"cat": *"case"' trace.json) $(grep '"cat": *"case"' trace.json | grep -o '"pid": *[0-9]*' | sort -u | wc -l) $(
        grep -o 'shard ./3 on' trace.json | cut -d ' ' -f 1,2 | sort | paste -sd' ')"
"$GBRUN" export merged.gbr --format nvbench >nvbench.json
equals "for NVBench: each case once, on one device, as all have that model" "11 1" \
    "$(grep -c '"name": *"Device=0 ' nvbench.json) $(sed 's/"benchmarks".*//' nvbench.json | grep -o '"id": *[0-9]*' | wc -l)"
run -o whole.gbr
"$GBRUN" compare whole.gbr merged.gbr --margin 0.9 >compared.txt 2>&1
equals "compared as one" "11" "$(grep -cE '^(lasting|other) ' compared.txt)"
ran "$GBRUN" report merged.gbr -o page.html
equals "a page of all" "0 11" "$code $(grep -oE '(lasting|other) duration=[0-9]+ns' page.html | sort -u | wc -l)"
equals "one run in a history" "11 cases, 1 run, 0 changes" "$("$GBRUN" log merged.gbr | tail -n 1)"
run --shard 2/3 -o merged.gbr
equals "and with a shard that came again two" "11 cases, 2 runs" "$("$GBRUN" log merged.gbr | tail -n 1 | cut -d , -f 1,2)"
equals "after a run its own table" 4 "$(grep -cE '^(lasting|other) ' out.txt)"
show merged.gbr
equals "a shard that was measured again counts once" "3 of 3 shards on 1 node, 11 of 11 cases" "$(tail -n 1 shown.txt)"

# --- by what cases take ---
for n in 2 3; do
    equals "$n shards by costs are all cases, each once" "" \
        "$(for ((i = 1; i <= n; i++)); do cases --shard "$i/$n" --costs each.gbr; done | sort | diff - <(sort all.txt))"
done
few_samples 3 'device = fake' 'warmup = 0' '[bench lasting]' 'sweep.iterations = 1, 2, 3' \
    'sweep.duration = 10us, 2ms' >costs.ini
"$GBRUN" -q -c costs.ini -o costs.gbr >/dev/null 2>&1
sql costs.gbr "UPDATE bench_case SET wall_ns = 1e8 + 1e9 * (position % 2)"
shares()
{
    for i in 1 2; do
        "$GBRUN" list cases -c costs.ini --shard "$i/2" "$@" 2>/dev/null | grep -c 2000000ns
    done | sort | xargs
}
equals "each second: all that take long are one's" "0 3" "$(shares)"
equals "by costs they are shared" "1 2" "$(shares --costs costs.gbr)"
cp each.gbr changing.gbr
run --shard 1/2 --costs changing.gbr -o balanced.gbr
cp costs.gbr changing.gbr
try_each "$GBRUN" run -q <<'LIST'
a file that is not there|2|a.ini: error: none.gbr: there is no such results file|\
-c a.ini --costs none.gbr --shard 1/2 -o none_there.gbr
costs without a shard|2|a.ini: error: costs = each.gbr: is for shard = I/N, which it balances|-c a.ini --costs each.gbr
resuming by other costs is refused|2|~shards are dealt by changing.gbr, which has changed since|--resume balanced.gbr
not with --resume|2||-c a.ini --continue --resume going.gbr
LIST

# --- going on ---
while IFS='|' read -r name shard expected; do
    run --shard "$shard" -o going.gbr --continue
    equals "$name" "0 $expected" "$code $(n_runs going.gbr)"
done <<'LIST'
--continue begins|2/3|1
has nothing to do|2/3|1
another shard begins|3/3|2
LIST
# The fourth case waits for log.go.
{ few_samples 3 'device = fake' 'warmup = 0'; cat; } >slow.ini <<INI
$(section bench beside beside "log=$TMPDIR/log" held_from=32 let.number=0 sweep.number=1:8)
INI
mkfifo log
exec 5<>log
"$GBRUN" run -q -c slow.ini -o slow.gbr --continue >/dev/null 2>&1 &
heard "begin 4 *" <&5
kill -KILL $!
wait $! 2>/dev/null
: >log.go
ran "$GBRUN" run -q -c slow.ini -o slow.gbr --continue
equals "goes on with one that was killed" "0 8 1" "$code $(rows --run all slow.gbr | wc -l) $(n_runs slow.gbr)"
equals "where it was" "4 5 6 7 8" "$(while read -r -t 0 <&5 && read -r word number _ <&5; do
    [ "$word" != begin ] || echo "$number"; done | xargs)"
run --shard 2/3 -o moved.gbr
sql moved.gbr "PRAGMA foreign_keys = ON; UPDATE run_fact SET value = 'elsewhere' WHERE name = 'host';
    UPDATE run SET finished = NULL; DELETE FROM bench_case WHERE id = (SELECT max(id) FROM bench_case)"
run --shard 2/3 -o moved.gbr --continue
equals "on another machine a message says so" "0 1" \
    "$code $(grep -c "the run started on elsewhere and continues on $(uname -n):" err.txt)"
equals "and each case that is measured there" 1 "$(sql moved.gbr "SELECT count(*) FROM message
    WHERE text = 'measured on $(uname -n), in a run that started on elsewhere'")"
finish
