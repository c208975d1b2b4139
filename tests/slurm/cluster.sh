# cluster.sh - to be sourced: a cluster of Slurm on one machine, as Debian has it: a controller, and for each node a
# slurmd that has a host name of its own. All of it is in namespaces of its own (processes, network, mounts, host
# names), so that no port is open to others, and the end of the script ends all that was started.
# shellcheck shell=bash

# Runs this script anew, in namespaces of its own; ends with 77 and the reason where there can be no cluster.
cluster_enter()
{
    local namespaces=(--pid --net --uts --mount --mount-proc --fork --kill-child)
    [ $$ != 1 ] || return

    local name why missing=
    PATH=$PATH:/usr/sbin:/sbin
    for name in munged slurmctld slurmd sbatch unshare ip sqlite3; do
        command -v "$name" >/dev/null || missing="$missing $name"
    done
    if [ -n "$missing" ]; then
        echo "not installed:$missing (Debian, Ubuntu: apt-get install slurm-wlm munge iproute2 sqlite3)"
        exit 77
    fi
    if [ "$(id -u)" != 0 ]; then
        echo "needs root: slurmd starts tasks for users, and each node has a host name of its own"
        exit 77
    fi
    if ! why=$(unshare "${namespaces[@]}" true 2>&1); then
        echo "namespaces cannot be made here: $why"
        exit 77
    fi
    exec unshare "${namespaces[@]}" bash "$0"
}

# wait_until SECONDS COMMAND...: until it succeeds; false: it did not in that time.
wait_until()
{
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

# node_start NODE [HOSTNAME]
node_start()
{
    unshare --uts sh -c 'hostname "$1" && exec slurmd -D -N "$2"' sh "${2:-$1}" "$1" &>>"$cluster/$1.out" &
    node_pids[$1]=$!
}
# Its tasks go on, as those of a slurmd that is restarted do.
node_stop()
{
    kill "${node_pids[$1]}" && wait "${node_pids[$1]}"
}
declare -A node_pids=()

are_idle()
{
    [ "$(sinfo --noheader --Node --partition=all --states=idle --format=%N | wc -l)" = "$1" ]
}

# cluster_start FOLDER N: nodes node1 to nodeN of 4 processors and 2 GPUs, as far as Slurm knows; sets SLURM_CONF. What
# is in the partition urgent preempts the rest.
cluster_start()
{
    cluster=$1
    local n=$2 i
    mkdir -p "$cluster/state" "$cluster/spool" "$cluster/dev" && chmod 755 "$cluster"
    ip link set lo up && ip address add 192.0.2.1/32 dev lo # without another address getaddrinfo knows none
    for i in 0 1; do mknod "$cluster/dev/gpu$i" c 1 3; done
    cat >"$cluster/slurm.conf" <<CONF
ClusterName=check
SlurmctldHost=control(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.sock
CredType=cred/munge
MpiDefault=none
ReturnToService=2
KillWait=5
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmctldLogFile=$cluster/slurmctld.log
StateSaveLocation=$cluster/state
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmdLogFile=$cluster/slurmd.%n.log
SlurmdSpoolDir=$cluster/spool/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU,CR_LLN
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
GresTypes=gpu
NodeName=node[1-$n] NodeAddr=127.0.0.1 Port=[18001-$((18000 + n))] CPUs=4 RealMemory=100 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES
PartitionName=urgent Nodes=ALL PriorityTier=2
CONF
    echo "Name=gpu File=$cluster/dev/gpu[0-1] Flags=nvidia_gpu_env" >"$cluster/gres.conf"
    echo "CgroupPlugin=cgroup/v1" >"$cluster/cgroup.conf"
    export SLURM_CONF=$cluster/slurm.conf
    (umask 077 && head -c 128 /dev/urandom >"$cluster/munge.key")
    munged --foreground --force --key-file="$cluster/munge.key" --socket="$cluster/munge.sock" \
        --pid-file="$cluster/munged.pid" --log-file="$cluster/munged.log" --seed-file="$cluster/munged.seed" \
        &>"$cluster/munged.out" &
    wait_until 10 test -S "$cluster/munge.sock"
    unshare --uts sh -c 'hostname control && exec slurmctld -D -c' &>"$cluster/slurmctld.out" &
    for ((i = 1; i <= n; i++)); do
        mkdir "$cluster/spool/node$i"
        node_start "node$i"
    done
    wait_until 30 are_idle "$n" && return
    tail -n 5 "$cluster"/*.out | sed 's/^/# /'
    echo "Bail out! Slurm did not start"
    exit 1
}
