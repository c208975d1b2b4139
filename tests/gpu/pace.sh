#!/usr/bin/env bash
# Power and heat: a bf16 product of cuBLAS with pace = burst, sustained and free, in three processes;
# energy; throttling that is not the next case's. On an H200 a product of 4096 is about 175.9 us in
# bursts and 200.3 us under lasting load, one of 8192 about 1,372 and 1,635 us. It takes three minutes.
# SIZE=8192 PROCESSES=5 tests/gpu/pace.sh: another size, as many processes.
. "$top_srcdir/tests/gpu/common.sh"
begin
size=${SIZE:-4096}
processes=${PROCESSES:-3}

input='buffer(bf16[{n * n}], uniform=-1:1)'
head="[policy precise]
plugin = steady
precision = 0.5%
confidence = 95%
[policy few]
plugin = fixed
samples = 400
[defaults]
device = cuda:0
policy = precise
[bench product]
$(gemm_ex 'before = cublasCreate_v2(out handle), cublasSetStream_v2(handle, stream)' "let.n = $size")
$(arguments handle 1 0 '{n}' '{n}' '{n}' 'constant(float, 1)' "$input" 14 '{n}' "$input" 14 '{n}' 'constant(float, 0)' \
    'buffer(bf16[{n * n}], out)' 14 '{n}' 68 -1)
work.flops = {2 * n * n * n}
work.math = bf16 tensor
zip.way = cache, pace: cold, sustained | cold, burst | warm, sustained | cold, free
[bench spin]
duration = 200 us
policy = few"

# range VALUE...: the range of the values over their mean, in %.
range()
{
    printf '%s\n' "$@" | awk '
        NR == 1 || $1 < low { low = $1 }
        NR == 1 || $1 > high { high = $1 }
        { sum += $1 }
        END { printf "%.3f", 100 * (high - low) * NR / sum }'
}

at_most()
{
    within "$1: $2" "" "$2" "$3" "$(cat rows.txt)"
}

: >rows.txt
for process in $(seq "$processes"); do
    measure
    if [ "$(column status "bench = 'product'" | sort -u)" = skipped ]; then
        skip "the product" "$(column status_text "bench = 'product'" | head -n 1)"
        finish
    fi
    all_fine "process $process"
    columns=cache,pace,median_ns,verdict,wall_ns,gap_ns,load_ns,pace_missed
    column $columns,clock_mean_hz,n_throttled,energy_joules,flops_per_joule,power_before_watts,clock_begin_hz \
        "bench = 'product'" | tee -a rows.txt | awk -F, '{
            printf "# %s %s: %.2f us (%s), case %.1f s, gap %.1f us, load %.1f s, missed %d, " \
                "%.0f MHz, throttled %d, %s J, %s FLOP/J, %s W before\n", \
                $1, $2, $3 / 1e3, $4, $5 / 1e9, $6 / 1e3, $7 / 1e9, $8, $9 / 1e6, $10, $11, $12, $13 }'
    equals "throttling of the product is not the next case's" 0 "$(column n_throttled "bench = 'spin'")"
done

for way in cold,burst cold,sustained warm,sustained; do
    mapfile -t medians < <(grep "^$way," rows.txt | cut -d, -f3)
    at_most "$way: range of $processes processes in %" "$(range "${medians[@]}")" 0.5
    equals "$way: every interval is within 0.5 %" "$processes" "$(grep -c "^$way,[^,]*,certified," rows.txt)"
    equals "$way: the pace was reached" "$processes" "$(grep "^$way," rows.txt | cut -d, -f8 | grep -cx 0)"
    at_most "$way: longest case in s" "$(grep "^$way," rows.txt | awk -F, '
        $5 > most { most = $5 }
        END { printf "%.1f", most / 1e9 }')" 20
done
# What the multiprocessors count over what the driver asks for.
at_most "bursts run at the driver's clock, off by %" "$(awk -F, '
    $2 == "burst" { off = 100 * ($9 / $14 - 1); off = off < 0 ? -off : off; most = off > most ? off : most }
    END { printf "%.2f", most }' rows.txt)" 1
equals "bursts are not throttled" 0 "$(awk -F, '$2 == "burst" { n += $10 } END { print n + 0 }' rows.txt)"
mapfile -t energies < <(grep '^warm,sustained,' rows.txt | cut -d, -f11 | grep .)
if [ ${#energies[@]} -gt 0 ]; then
    at_most "energy of a product: range in %" "$(range "${energies[@]}")" 3
else
    skip "energy of a product" "this GPU has no counter of energy"
fi
finish
