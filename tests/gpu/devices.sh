#!/usr/bin/env bash
# Several GPUs at once: cases spread over them, cases measured on each, one GPU chosen.
. "$top_srcdir/tests/gpu/common.sh"
begin
n=$(n_gpus)
[ "$n" -ge 2 ] || leave "one GPU: there is nothing to spread over"
need_module cuda_kernels
head='[policy few]
plugin = fixed
samples = 200
[bench spins]
plugin = cuda_kernels
policy = few
time_limit = 30 s
duration = 50 us
sweep.number = 1:40'

# used: on how many GPUs cases were measured, and on the least busy one how many.
used()
{
    column device_number | sort | uniq -c | awk '
        { n++; if (n == 1 || $1 < least) least = $1 }
        END { print n + 0, least + 0 }'
}

# Of GPUs that differ, only those of the first one's model share cases.
n_equal=$("$GBRUN" list devices --format csv 2>/dev/null | tr -d '\r' |
    awk -F, '$1 ~ /^cuda:/ { if (model == "") model = $2; n += $2 == model } END { print n }')

fine "devices = all" '[gbrun]' 'devices = all'
read -r n_used least < <(used)
number_of_cases 40
if [ "$n_equal" -lt 2 ]; then
    skip "cases are spread over equal GPUs" "no two of them are equal"
else
    equals "cases are spread over equal GPUs" "$n_equal" "$n_used"
    within "each GPU has some of them" 1 "$least" "" "$(column device_number | sort | uniq -c)"
    equals "each by its own UUID" "$n_equal" "$(column device_uuid | sort -u | grep -c '^GPU-')"
fi

fine "distribute = each" '[gbrun]' 'devices = all' 'distribute = each'
equals "each case was measured on each GPU" "$n 40" "$(used)"

fine "device = cuda:1" 'device = cuda:1'
equals "means the second" 1 "$(column device_number | sort -u)"
uuid=$(column device_uuid | sort -u)
fine "device = cuda:$uuid" "device = cuda:$uuid"
equals "means the one with this UUID" "$uuid" "$(column device_uuid | sort -u)"

# ---- two tasks of a job on this node, at once ----
# tasks CONFIGURATION N: task 0 and 1 into task-0.gbr and task-1.gbr, N GPUs a case; codes has how they ended.
tasks()
{
    local task pids=()
    rm -f task-?.gbr
    for task in 0 1; do
        OMPI_COMM_WORLD_RANK=$task OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$task OMPI_COMM_WORLD_LOCAL_SIZE=2 \
            "$GBRUN" run -q -c "$1" --shard auto --gpus-per-case "$2" -o task-$task.gbr >task-$task.txt 2>&1 &
        pids+=($!)
    done
    codes=
    for task in "${pids[@]}"; do
        wait "$task"
        codes+="$? "
    done
}

# of_tasks COLUMNS [COMMAND...]: of each case of task 0, then of task 1, one line; as the command leaves it of either.
of_tasks()
{
    local task columns=$1
    shift
    for task in 0 1; do
        "$GBRUN" export --columns "$columns" "task-$task.gbr" | tail -n +2 | tr -d '\r' | "${@:-cat}"
    done
}

printf '%s\n' "$head" '[defaults]' 'device = cuda:all' >spins.ini
tasks spins.ini 1
equals "two tasks with a GPU for each case" "0 0 " "$codes$([ "$codes" = '0 0 ' ] || tail -n 5 task-?.txt)"
equals "have half of the cases each" "20 ok 20 ok" "$(of_tasks status uniq -c | xargs)"
equals "none of them twice" 40 "$(of_tasks number | sort -u | grep -c .)"
equals "and GPUs of their own" "$n" "$(of_tasks device_uuid sort -u | grep -c '^GPU-')"
equals "which are different ones" "" "$(of_tasks device_uuid sort -u | sort | uniq -d)"

few_samples 30 'device = cuda:all' 'time_limit = 1 min' '[bench copy]' 'bytes = 16 MiB' 'from = device' 'to = peer' \
    'sweep.directions = one, both' >pairs.ini
tasks pairs.ini 2
if grep -q "cannot access the memory of GPU" task-?.txt; then
    skip "two tasks with two GPUs for each case" "a GPU does not reach another one's memory"
else
    equals "two tasks with two GPUs for each case" "0 0 ok,ok ok,ok" "$codes$(of_tasks status,verified |
        xargs)$([ "$codes" = '0 0 ' ] || tail -n 5 task-?.txt)"
fi
finish
