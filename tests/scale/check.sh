#!/usr/bin/env bash
# check.sh - what very many tasks and cases take: each step with its time and the most memory that it had. Limits are
# checked where one is written; nothing else runs on the machine then. usage (make scale-check): SCALE_SHARDS=N shards
# (10000), SCALE_CASES=N cases of each (100), SCALE_KILLS=N times that tasks which share cases are killed (50).
# SCALE_FOLDER: where files are made (1 GB for each 400,000 cases), TMPDIR if not given.
set -u
gbrun=${GBRUN:-$PWD/gbrun}
top_builddir=${top_builddir:-$PWD}
n_shards=${SCALE_SHARDS:-10000}
n_cases=${SCALE_CASES:-100}
n_all=$((n_shards * n_cases))
folder=$(mktemp -d "${SCALE_FOLDER:-${TMPDIR:-/tmp}}/gbrun-scale.XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
n_failed=0
[ -x /usr/bin/time ] || { echo "scale-check: GNU time is missing: install the package time" >&2; exit 77; }

failed()
{
    echo "FAILED: $*"
    n_failed=$((n_failed + 1))
}

# step NAME SECONDS MIB COMMAND...: runs it; more time or memory than that is a failure (0: any).
step()
{
    local name=$1 seconds=$2 mib=$3
    shift 3
    /usr/bin/time -o time.txt -f '%e %U %S %M' "$@" >out.txt 2>err.txt || failed "$name: exit code $?: $(tail -n 1 err.txt)"
    tail -n 1 time.txt | awk -v name="$name" -v seconds="$seconds" -v mib="$mib" '{
        printf "%-58s %7.2f s  (%.2f user, %.2f system)  %6.1f MiB%s\n", name, $1, $2, $3, $4 / 1024,
            (seconds && $1 > seconds) || (mib && $4 / 1024 > mib) ? "  OVER" : ""
        exit (seconds && $1 > seconds) || (mib && $4 / 1024 > mib) }' || failed "$name: over $seconds s or $mib MiB"
}

# equals NAME EXPECTED ACTUAL
equals()
{
    [ "$2" = "$3" ] || failed "$1: $3 instead of $2"
}

cat >sweep.ini <<INI
[policy one]
plugin = fixed
samples = 1
[defaults]
policy = one
device = cpu
warmup = 0
[bench sweep]
plugin = nop
let.size = 0
let.kind = 0
sweep.size = 1:$n_shards
sweep.kind = 1:$n_cases
INI
echo "$n_all cases, $n_shards shards"
step "list all cases" 60 100 "$gbrun" list cases -c sweep.ini
equals "cases" "$n_all" "$(wc -l <out.txt)"
step "list one shard" 10 100 "$gbrun" list cases -c sweep.ini --shard "$n_shards/$n_shards"
equals "cases of a shard" "$n_cases" "$(wc -l <out.txt)"
mkdir parts
step "make the files of all shards (not by gbrun)" 0 0 "$top_builddir/tests/scale/shards" parts "$n_shards" "$n_cases"
step "merge all" 60 300 "$gbrun" merge --plan -o all.gbr parts
equals "merged" "all.gbr: plan 5ca1ab1e5ca1ab1e: $n_shards of $n_shards shards" "$(tail -n 1 err.txt | sed 's/ on .*//')"
half=$(tail -n 1 time.txt | awk '{ print $1 / 2 }')
"$gbrun" merge -o cut.gbr parts 2>/dev/null &
sleep "$half"
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
step "merge all, after kill -9 in the middle of it" 80 300 "$gbrun" merge --plan -o cut.gbr parts
if command -v sqlite3 >/dev/null; then
    same="SELECT count(*), count(DISTINCT uuid), count(DISTINCT position), min(position), max(position) FROM bench_case"
    equals "records" "$n_all|$n_all|$n_all|0|$((n_all - 1))" "$(sqlite3 all.gbr "$same")"
    equals "records after the kill" "$(sqlite3 all.gbr "$same")" "$(sqlite3 cut.gbr "$same")"
fi
rm -rf parts cut.gbr
step "show the first cases" 30 300 "$gbrun" show all.gbr
step "show the last cases" 30 300 "$gbrun" show all.gbr --offset $((n_all - 10))
step "deal one shard by what cases took" 30 300 "$gbrun" list cases -c sweep.ini --shard "1/$n_shards" --costs all.gbr
step "list the runs" 60 300 "$gbrun" list runs all.gbr

# --- what sharing cases costs ---
n_claimed=1000
sed -i "s/^sweep.size.*/sweep.size = 1:$n_claimed/; s/^sweep.kind.*/sweep.kind = 1/" sweep.ini
took()
{
    local began
    began=$(date +%s%N)
    "$gbrun" -q -c sweep.ini -s gbrun.durability=process -s gbrun.lock=no -o "$@" >/dev/null 2>&1 || failed "a run: exit code $?"
    echo $((($(date +%s%N) - began) / 1000))
}
alone=$(for i in 1 2 3; do took "alone$i.gbr"; done | sort -n | head -n 1)
shared=$(for i in 1 2 3; do took "shared$i.gbr" --claim "folder$i"; done | sort -n | head -n 1)
each=$(((shared - alone) / n_claimed))
echo "--claim: $each us a case ($alone us alone, $shared us shared, $n_claimed cases, the least of 3)"
[ "$each" -le 1000 ] || failed "--claim takes more than 1 ms a case"
[ "$n_failed" = 0 ]
