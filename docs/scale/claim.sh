#!/bin/sh
#SBATCH --job-name=gbrun
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gbrun-%A-%a.txt
# claim.sh - tasks that share the cases of a sweep by a folder, into claim-JOB-0.gbr, claim-JOB-1.gbr ...: as many as
# there is room for, started whenever, some of which may be lost:
#   sbatch --array=0-7 claim.sh sweep.ini FOLDER [OPTION of gbrun run]...
config=$1 folder=$2
shift 2
exec gbrun run -q -c "$config" --claim "$folder" -o "claim-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID.gbr" "$@"
