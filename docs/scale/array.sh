#!/bin/sh
#SBATCH --job-name=gbrun
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gbrun-%A-%a.txt
# array.sh - a sweep dealt to the tasks of a job array, into part-0.gbr, part-1.gbr ...:
#   sbatch --array=0-7 array.sh sweep.ini [OPTION of gbrun run]...
# A task that is requeued goes on where it was. Submitted again, for what was lost, with the same array: tasks that are
# complete have nothing to do.
config=$1
shift
exec gbrun run -q -c "$config" --shard auto --continue -o "part-$SLURM_ARRAY_TASK_ID.gbr" "$@"
