#!/bin/sh
#SBATCH --job-name=gbrun
#SBATCH --ntasks=8
#SBATCH --gpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gbrun-%j.txt
# gpus.sh - one task a GPU, on as many nodes as that takes; each measures its shard into part-0.gbr, part-1.gbr ...:
#   sbatch --ntasks=16 gpus.sh sweep.ini [OPTION of gbrun run]...
# shellcheck disable=SC2016 # for the tasks' shell
exec srun --cpu-bind=cores --kill-on-bad-exit=0 sh -c \
    'config=$1; shift; exec gbrun run -q -c "$config" --shard auto --continue -o "part-$SLURM_PROCID.gbr" "$@"' sh "$@"
