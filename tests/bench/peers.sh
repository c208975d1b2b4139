#!/usr/bin/env bash
# peers.sh - the examples sort_ten, push and command beside Google Benchmark, nanobench (where NANOBENCH is the folder
# of its nanobench.h) and hyperfine, on the same work: in each of PROCESSES (5) rounds every tool once, in turn. Each
# row has the median of the rounds and their range; nothing is judged. numbers.sh peers runs it.
set -euo pipefail
export GBRUN=${GBRUN:?the path of the program}
bench=${BENCH:?the folder of the benchmark programs}
sources=$(cd "$(dirname "$0")/../.." && pwd)
export GBRUN_PLUGIN_PATH=$bench/.libs LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=../gpu/common.sh
. "$sources/tests/gpu/common.sh"
n_rounds=${PROCESSES:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
seq 10000 | shuf --random-source=<(yes) >numbers

cat >peers.ini <<'INI'
[defaults]
device = cpu
max_time = 2 s
[bench sort_ten]
[bench all_at_once]
plugin = sort_ten
iterations = 100000
clock = thread
[bench push]
iterations = 100000
INI

# note WORK TOOL NANOSECONDS
note()
{
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>readings.tsv
}

# value FILE COLUMN WHERE
value()
{
    "$GBRUN" export "$1" --format csv --columns "$2" --where "$3" | tail -n 1 | tr -d '\r'
}

ours()
{
    local of
    rm -f ./*.gbr
    "$GBRUN" -q -c peers.ini -o peers.gbr >/dev/null
    note "sort of ten" "all in one sample" "$(value peers.gbr median_ns "bench = 'all_at_once'")"
    note "sort of ten" gbrun "$(value peers.gbr median_ns "bench = 'sort_ten'")"
    note push "gbrun, median" "$(value peers.gbr latency_p50 "bench = 'push'")"
    note push "gbrun, 99.9 %" "$(value peers.gbr latency_p999 "bench = 'push'")"
    for of in true 'sort -n numbers'; do
        "$GBRUN" command -q -o "${of%% *}.gbr" --rounds 1 --max-time 2s "$of" >/dev/null
        note "$of" gbrun "$(value "${of%% *}.gbr" median_ns "run = 1")"
    done
}

hyper()
{
    local of
    command -v hyperfine >/dev/null || return 0
    for of in true 'sort -n numbers'; do
        hyperfine -N --style none --export-json hyper.json "$of" >/dev/null 2>&1
        note "$of" "hyperfine -N" "$(sed -n 's/^ *"median": *\([0-9.e-]*\).*/\1/p' hyper.json |
            awk '{printf "%.1f", 1e9 * $1}')"
    done
}

[ -x "$bench/google" ] || echo "libbenchmark was not there when this was built: left out"
command -v hyperfine >/dev/null || echo "hyperfine is not installed: left out"
if [ -n "${NANOBENCH:-}" ]; then
    "${CXX:-c++}" -std=c++17 -O2 -I"$sources" -I"$NANOBENCH" -o nano "$sources/tests/bench/peers_nano.cc"
else
    echo "NANOBENCH names no folder with nanobench.h: left out"
fi
for ((i = 0; i < n_rounds; i++)); do
    ours
    [ ! -x "$bench/google" ] || "$bench/google" --benchmark_filter=Google --benchmark_min_time=0.5 >>readings.tsv
    [ ! -x nano ] || ./nano >>readings.tsv
    hyper
done

# Tools in the order in which they were read first.
printf '%-18s %-30s %14s %8s\n' work tool "median, ns" "range"
awk -F '\t' '!seen[$1, $2]++ { print $1 FS $2 }' readings.tsv | sort -s -t $'\t' -k 1,1 |
    while IFS=$'\t' read -r work tool; do
        awk -F '\t' -v work="$work" -v tool="$tool" '$1 == work && $2 == tool { print $3 }' readings.tsv |
            sort -g >values.txt
        middle=$(median <values.txt)
        printf '%-18s %-30s %14.1f %7.1f%%\n' "$work" "$tool" "$middle" \
            "$(calculate "100 * ($(tail -n 1 values.txt) - $(head -n 1 values.txt)) / $middle")"
    done
