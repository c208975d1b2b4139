#!/bin/bash
#SBATCH --job-name=gbrun
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=gbrun-%A-%a.txt
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@60
# time_limit.sh - a sweep that takes longer than a job may: 60 s before its end the script gets a signal, ends
# gbrun in order, and puts itself into the queue again (USR1: TERM is also what scancel sends).
#   sbatch --array=0-7 --time=04:00:00 time_limit.sh sweep.ini [OPTION of gbrun run]...
config=$1
shift
gbrun run -q -c "$config" --shard auto --continue -o "part-$SLURM_ARRAY_TASK_ID.gbr" "$@" &
run=$!
is_ended=
trap 'is_ended=yes; kill -TERM $run' USR1
wait $run
code=$?
while kill -0 $run 2>/dev/null; do # the first wait ended by the signal
    wait $run
    code=$?
done
[ -z "$is_ended" ] || exec scontrol requeue "$SLURM_JOB_ID"
exit $code
