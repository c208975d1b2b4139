#!/bin/sh
#flux: --job-name=gbrun
#flux: --nslots=8
#flux: --gpus-per-slot=1
#flux: --output=gbrun-{{id}}.txt
# flux.sh - one task a GPU under Flux, each with its shard in part-0.gbr, part-1.gbr ...:
#   flux batch flux.sh sweep.ini [OPTION of gbrun run]...
# Without gpu-affinity=per-task each task would see the GPUs of all.
# shellcheck disable=SC2016 # for the tasks' shell
exec flux run --ntasks=8 --gpus-per-task=1 -o gpu-affinity=per-task -o cpu-affinity=per-task sh -c \
    'config=$1; shift
    exec gbrun run -q -c "$config" --shard auto --continue -o "part-$FLUX_TASK_RANK.gbr" "$@"' sh "$@"
