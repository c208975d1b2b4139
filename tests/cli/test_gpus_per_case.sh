#!/usr/bin/env bash
# gpus_per_case: cases that see several GPUs of a node each, and tasks of a job that share them out. The devices are
# made up (tests/modules/device_fake.c) and are chosen by a variable, as those of CUDA are by CUDA_VISIBLE_DEVICES. Which
# groups a task has is tested in tests/run/test_device_groups.c.
. "$top_srcdir/tests/tap.sh"
unset SLURM_LOCALID SLURM_NODEID OMPI_COMM_WORLD_LOCAL_RANK FLUX_TASK_LOCAL_ID MPI_LOCALRANKID PALS_LOCAL_RANKID
with_modules
head=$(few_samples 1 'iterations = 1'
    section device gpu fake n_devices=8 is_chosen=yes 'uuids=GPU-a, GPU-b, GPU-c, GPU-d, GPU-e, GPU-f, GPU-g, GPU-h')
printf '%s\n[bench process]\ndevice = gpu:all\n' "$head" >bench.ini

# groups [OPTION]...: each group that cases were measured on, with how many devices a case found in the variable.
groups()
{
    rm -f results.gbr*
    "$GBRUN" run -q -c bench.ini -s gbrun.distribute=each -o results.gbr "$@" >table.txt 2>text.txt
    sql results.gbr "SELECT f.value, CAST(m.value AS INTEGER) FROM bench_case AS c
        JOIN device AS d ON d.id = c.device_id JOIN device_fact AS f ON f.device_id = d.id AND f.name = 'group'
        JOIN metric AS m ON m.case_id = c.id AND m.name = 'visible' WHERE c.status = 'ok' ORDER BY 1" |
        sed 's/GPU-//g; s/|/:/' | xargs
}
equals "groups of two" "a,b:2 c,d:2 e,f:2 g,h:2" "$(groups --gpus-per-case 2)"
equals "what is left over is not used" "a,b,c:3 d,e,f:3" "$(groups --gpus-per-case 3)"
equals "without it there are no groups" "" "$(groups)"
equals "and none of its environment" "8|0" "$(sql results.gbr \
    "SELECT count(*), CAST(max(value) AS INTEGER) FROM metric WHERE name = 'visible'")"

# ---- tasks of a job ----
for ((i = 0; i < 4; i++)); do
    OMPI_COMM_WORLD_LOCAL_RANK=$i OMPI_COMM_WORLD_LOCAL_SIZE=4 groups --gpus-per-case 2
done >tasks.txt
equals "four tasks that see all devices" "a,b:2 c,d:2 e,f:2 g,h:2" "$(xargs <tasks.txt)"
equals "a task to which the scheduler gave its own" "c,d:2" \
    "$(FAKE_VISIBLE=GPU-d,GPU-c SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=4 groups --gpus-per-case 2)"
succeeds "which it cannot know" grep -q '^gbrun: 4 tasks on this node, and each case takes 2 of 2 devices' text.txt

# ---- not enough ----
groups --gpus-per-case 16 >none.txt
succeeds "not enough devices" grep -q 'device gpu is not available: gpus_per_case = 16: 8 can be used here' text.txt
groups --gpus-per-case 65 &>none.txt
succeeds "nonsense" grep -q 'gpus_per_case' text.txt
measured_with -q --gpus-per-case 2 <<INI
$head
$(section bench process process device=gpu:2 env.FAKE_VISIBLE=GPU-a,GPU-b)
INI
succeeds "a case that chooses others is not measured on them" \
    grep -q 'GPU-a was found in place of GPU-c' out.txt err.txt

# ---- a group is locked as a whole ----
for who in group:gpu:0 one:gpu:1; do
    cat >"${who%%:*}.ini" <<INI
$head
$(section bench beside beside "device=${who#*:}" "log=$TMPDIR/log" 'linger=50 ms' let.number=0 sweep.number=1:8)
INI
done
"$GBRUN" run -q -c group.ini --gpus-per-case 2 -o group.gbr >group.txt 2>&1 &
"$GBRUN" run -q -c one.ini -o one.gbr >one.txt 2>&1
wait $!
equals "all were measured" "8 8" "$(for i in group one; do
    sql "$i.gbr" "SELECT count(*) FROM bench_case WHERE status = 'ok'"; done | xargs)"
succeeds "no case on a device of a group beside the group's" is_alone .
finish
