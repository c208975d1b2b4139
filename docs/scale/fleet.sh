#!/bin/sh
#SBATCH --job-name=fleet
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=fleet-%j.txt
# fleet.sh - all nodes measure the same, and who is slower than the others is printed; once a night, by `scrontab` or
# `sbatch --begin=22:00`:
#   sbatch --nodes=64 fleet.sh fleet.ini [OPTION of gbrun run]...
# DRAIN=yes in the environment drains those nodes.
folder=fleet-$SLURM_JOB_ID
mkdir -p "$folder"
# shellcheck disable=SC2016 # for the tasks' shell
folder=$folder srun --kill-on-bad-exit=0 sh -c 'config=$1; shift
    exec gbrun run -q -c "$config" --shard each --continue -o "$folder/$(uname -n).gbr" "$@"' sh "$@"
gbrun compare --by host "$folder"/*.gbr >"$folder/nodes.txt"
code=$?
cat "$folder/nodes.txt"
slow=$(gbrun compare --by host "$folder"/*.gbr --format hostlist)
if [ "$code" = 3 ] && [ -n "$slow" ] && [ "${DRAIN:-}" = yes ]; then
    scontrol update nodename="$slow" state=drain reason="unlike the others: $folder (gbrun)"
fi
exit $code
