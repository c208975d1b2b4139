#!/bin/sh
# parallel.sh - a sweep in N shards by GNU parallel, one after the other on each of some machines that share this folder
# (HOSTS: as for parallel's --sshlogin, such as node1,node2; `:` is this one); into part-1.gbr, part-2.gbr ...:
#   parallel.sh N HOSTS sweep.ini [OPTION of gbrun run]...
# Run again, what was interrupted goes on, and what is complete has nothing to do.
if [ $# -lt 3 ]; then
    echo "usage: parallel.sh N HOSTS sweep.ini [OPTION of gbrun run]..." >&2
    exit 2
fi
n=$1 hosts=$2 config=$3
shift 3
seq "$n" | parallel --quote --jobs 1 --sshlogin "$hosts" --workdir . --joblog parallel.log \
    gbrun run -q -c "$config" --shard "{}/$n" --continue -o "part-{}.gbr" "$@"
