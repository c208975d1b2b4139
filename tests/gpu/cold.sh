#!/usr/bin/env bash
# What a 1 MiB copy and a small product cost after one kind of cache was emptied: the L2 by writing and by
# reading, the caches of instructions and constants, the TLB. `cache = cold` is a flush by writes. The table is
# the result; SAMPLES=2048 ./run-gpu-tests -v cold: of so many samples each, default 512.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module cold

few_samples "${SAMPLES:-512}" 'device = cuda:0' 'clock = kernel' 'warmup = 50 ms' >cold.ini
cat >>cold.ini <<INI
[bench cold]
sweep.kind = copy, gemm
zip.way = before, cache: nothing, warm | write, warm | read, warm | read_twice, warm | both, warm |
    instructions, warm | constants, warm | nothing, cold
[bench tlb]
plugin = cold
before = tlb
sweep.kind = copy, gemm
sweep.reach = 16GiB, 16TiB
INI
run cold.ini -q
all_fine "all cases, and what is done before each sample"
number_of_cases 20

# Of each case a line: kind, way, reading, half the width of its interval, standard deviation, in us.
column kind,before,cache,metric.reach,estimate_ns,low_ns,high_ns,stdev_ns | awk -F, '
    {
        way = $3 == "cold" ? "cache=cold" : $2
        if (way == "tlb")
            way = sprintf("tlb:%.0fGiB", $4 / 2 ^ 30)
        printf "%s %s %.4f %.4f %.4f\n", $1, way, $5 / 1e3, ($7 - $6) / 2e3, $8 / 1e3
    }' | sort -s -k 1,1 >ways.txt

echo "# us: kernel, what is done before    reading       +-    stdev   over nothing"
awk '
    NR == FNR { if ($2 == "nothing") warm[$1] = $3; next }
    { printf "# %-4s %-30s %8.3f %8.3f %8.3f %+8.3f %+7.1f %%\n", $1, $2, $3, $4, $5, $3 - warm[$1],
          (warm[$1] ? 100 * ($3 / warm[$1] - 1) : 0) }' ways.txt ways.txt

# percent_over KIND WAY OTHER: how much longer it takes after WAY than after OTHER.
percent_over()
{
    awk -v kind="$1" -v way="$2" -v other="$3" '
        $1 == kind { reading[$2] = $3 }
        END { if (reading[way] > 0 && reading[other] > 0) printf "%.2f\n", 100 * (reading[way] / reading[other] - 1) }' \
        ways.txt
}

equals "all are launched as graphs, after what is done before" graph "$(column launched | sort -u)"
units=$("$GBRUN" list devices | awk -F '  +' '$1 == "cuda:0" { print $3 }')
equals "caches of every multiprocessor are emptied" "$units" \
    "$(column metric.multiprocessors "before in ('instructions', 'constants', 'tlb')" | sort -u)"
for kind in copy gemm; do
    within "$kind: cache = cold is as a flush by writes, to 5 %" -5 "$(percent_over $kind cache=cold write)" 5
    within "$kind: a flush by writes costs time" 2 "$(percent_over $kind write nothing)" 1000
    within "$kind: and so does one by reads" 2 "$(percent_over $kind read_twice nothing)" 1000
done
finish
