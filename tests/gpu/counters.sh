#!/usr/bin/env bash
# Hardware counters agree with declared work, leave times alone, and cost nothing where they are
# absent. (Forbidden ones: tests/plugins/test_profiler.c, tests/cli/test_counters.sh.)
. "$top_srcdir/tests/gpu/common.sh"
begin
head="[device without]
plugin = cuda
cupti = no
$(few_samples 40 'device = cuda' 'time_limit = 120 s')"

# What helps to understand a failure: values, messages and passes of all cases.
show_all()
{
    "$GBRUN" show --verbose results.gbr 2>&1 | cut -c1-400
}

# near NAME PERCENT EXPECTED COLUMN [WHERE]
near()
{
    local value
    value=$(column "$4" "${5:-1}")
    within "$1" "$((-$2))" "$(awk -v x="$value" -v expected="$3" \
        'BEGIN { if (x != "") print (expected > 0 ? 100 * (x / expected - 1) : x == 0 ? 0 : "") }')" "$2" \
        "$4: '$value', expected $3 within $2 %" "$(show_all)"
    echo "#   $4: $value, expected $3"
}

said()
{
    grep -c -- "$1" table.txt
}

# all_counted NAME: all_fine, and what was said of counters; counted NAME LINE...: measures them.
all_counted()
{
    all_fine "$1"
    equals "$1: nothing is missing" "" "$(grep -- 'counters: ' table.txt)"
}
counted()
{
    measure "${@:2}"
    all_counted "$1"
}

mega=1048576

measure '[bench copy]' 'method = kernel' 'bytes = 512MiB' 'counters = yes'
if [ "$(said 'counters are forbidden')" != 0 ]; then
    all_fine "where counters are forbidden the run goes on"
    equals "which is said once" 1 "$(said 'counters are forbidden')"
    skip "counters" "they are forbidden here: $(grep -o 'counters are forbidden.*' table.txt)"
    finish
fi
all_counted "copy"
near "copy: bytes read from memory" 2 $((512 * mega)) dram__bytes_read.sum
near "copy: bytes written to memory" 2 $((512 * mega)) dram__bytes_write.sum
near "copy: bytes of memory" 2 $((1024 * mega)) counted_bytes_dram
near "copy: bytes of L1" 5 $((1024 * mega)) counted_bytes_l1
equals "copy: no operations" 0 "$(column counted_flops)"
equals "copy: nothing to warn of" 0 "$(said 'the benchmark declares')"

counted "triad" '[bench ceilings]' 'roof = dram_triad' 'bytes = 768MiB' 'counters = yes'
equals "triad: nothing to warn of" 0 "$(said 'the benchmark declares')"
# a = b + 3 c: two operations and twelve bytes for each element of 4.
near "triad: two operations for twelve bytes" 2 \
    "$(column counted_flops | awk '{ printf "%.0f", 6 * $1 }')" counted_bytes_dram

cube='m = 1024
n = 1024
k = 1024
counters = yes'
for gemm in 'FP32 GEMM|[bench gemm_verify]|dtype = fp32' 'FP32 GEMM of padding|[bench padding]|schedule = pad' \
    'FP16 GEMM, of tensor cores|[bench gemm_verify]|dtype = fp16'; do
    IFS='|' read -r name section line <<<"$gemm"
    counted "$name" "$section" "$line" "$cube"
    near "$name: operations" 2 $((2 * 1024 * 1024 * 1024)) counted_flops
done

# Threads that do next to nothing: instructions of half precision that set their constants and
# convert from fp16 would be more than the work.
export XDG_CACHE_HOME=$TMPDIR/cache
cat >short.cu <<'CU'
#define KERNEL(name, type, expression)                                                             \
    extern "C" __global__ void name(type *to, const type *a, const type *b, int n)                \
    {                                                                                              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        if (i < n)                                                                                 \
            to[i] = expression;                                                                    \
    }
__device__ float wide(unsigned short half)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(half));
    return x;
}
__device__ unsigned short narrow(float x)
{
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
    return half;
}
__device__ unsigned power(unsigned x, unsigned y)
{
#pragma unroll
    for (int k = 0; k < 128; k++)
        asm("fma.rn.f16x2 %0, %0, %0, %1;" : "+r"(x) : "r"(y));
    return x;
}
KERNEL(copy, float, a[i])
KERNEL(scale, float, 3.0f * a[i])
KERNEL(line, float, 3.0f * a[i] + 2.0f)
KERNEL(triad, float, 3.0f * a[i] + b[i])
KERNEL(triad_of_halves, unsigned short, narrow(3.0f * wide(a[i]) + wide(b[i])))
KERNEL(powers_of_halves, unsigned, power(a[i], b[i]))
CU

# short LINE...: a million threads of a kernel with elements {type}, {each} operations for each.
short()
{
    measure '[bench short]' 'plugin = kernel' 'source = short.cu' \
        'signature = void(pointer, pointer, pointer, int)' 'arg.1 = buffer({type}[1Mi], out)' \
        'arg.2 = buffer({type}[1Mi], fill=1)' 'arg.3 = buffer({type}[1Mi], fill=2)' 'arg.4 = 1Mi' \
        'grid = 4096' 'block = 256' 'work.flops = {each * 1048576}' 'counters = yes' "$@"
}

# in_halves OPERATION: such instructions of all threads; nothing where there are none.
in_halves()
{
    column "smsp__sass_thread_inst_executed_op_$1_pred_on.sum" | grep '^[0-9]'
}

short 'work.math = {math} vector' 'zip.kernel = entry, type, math, each: copy, float, fp32, 0 |
  scale, float, fp32, 1 | line, float, fp32, 2 | triad, float, fp32, 2 |
  triad_of_halves, fp16, fp32, 2 | powers_of_halves, uint32, fp16, 512'
all_counted "short threads"
equals "short threads: fp32 is counted exactly, whatever sets constants and converts" \
    "copy,0 line,2 scale,1 triad,2 triad_of_halves,2" \
    "$(column entry,counted_flops | awk -F, '!/powers/ { print $1 "," $2 / 1048576 }' |
        sort | xargs)"
within "short threads: fp16 is counted where it is declared" 512 \
    "$(column entry,counted_flops | awk -F, '/powers/ { print $2 / 1048576 }')" 537.6
equals "short threads: nothing to warn of" 0 "$(said 'the benchmark declares')"
if in_halves hadd >/dev/null; then
    equals "what was left out is for those who ask" 0 \
        "$("$GBRUN" show --verbose results.gbr | tr -s ' \n' '  ' |
            grep -q 'without half precision, which is constants and conversions here'; echo $?)"
else
    skip "what was left out is for those who ask" "this GPU converts without half precision"
fi

short 'entry = line' 'sweep.type = float' 'sweep.each = 2'
all_fine "arithmetic that is not declared"
halves=$(awk -v fma="$(in_halves hfma)" -v add="$(in_halves hadd)" -v mul="$(in_halves hmul)" \
    'BEGIN { printf "%.0f", 4 * fma + 2 * add + 2 * mul }')
equals "is counted, and all of half precision" $((2 * mega + halves)) \
    "$(column counted_flops | awk '{ printf "%.0f", $1 }')"
echo "#   $halves of them are of half precision"
equals "where that is much, the warning says so" "$((10 * halves > 2 * mega))" \
    "$(said 'FLOP: .*; the type of their arithmetic is not declared')"

counted "elements of several formats" '[bench elementwise]' 'n = 4Mi' 'counters = yes' \
    'sweep.kernel = scale, add, triad' 'sweep.dtype = fp32, fp16, bf16'
equals "elements of several formats: nothing to warn of" 0 "$(said 'the benchmark declares')"
column label,flops,counted_flops | sed 's/^/#   /'

counted "warm and cold" '[bench copy]' 'method = kernel' 'bytes = 8MiB' 'counters = yes' 'sweep.cache = warm, cold'
near "cold: all is read from memory" 5 $((8 * mega)) dram__bytes_read.sum "cache = 'cold'"
equals "warm: hardly anything is" "" \
    "$(column dram__bytes_read.sum "cache = 'warm'" | awk -v most=$((8 * mega / 10)) '$1 > most')"

fine "counters by name" '[bench copy]' 'method = kernel' 'bytes = 64MiB' \
    'counters = gpu__time_duration.sum, lts__t_sector_hit_rate.pct, no__such.sum, dram__bytes_read'
equals "unknown ones are reported in one line" 1 \
    "$(said 'counters: no__such.sum, dram__bytes_read: no counter of the chip')"
within "a rate is a rate" 0.001 "$(column lts__t_sector_hit_rate.pct)" 100
within "time is some 30 us" 10001 "$(column gpu__time_duration.sum)" 999999

# The same case before, with and after counting, in one worker.
counted "times" '[bench before]' 'plugin = copy' 'method = kernel' 'bytes = 64MiB' \
    '[bench counted]' 'like = before' 'counters = yes' '[bench after]' 'like = before'
medians=$(column bench,median_ns | xargs)
equals "times are the same before, with and after counting" "" \
    "$(echo "$medians" | tr ' ' '\n' | awk -F, '{ m[$1] = $2 } END {
        for (i in m) if (m[i] < 0.98 * m["before"] || m[i] > 1.02 * m["before"]) print i, m[i], m["before"]
    }')"
echo "#   $medians"
equals "the clock is the same" "$(column clock "bench = 'before'")" "$(column clock | sort -u)"

counted "graphs" '[bench gemm_verify]' 'dtype = fp32' 'm = 512' 'n = 512' 'k = 512' 'counters = yes' \
    'sweep.launch = stream, graph'
equals "a graph's work is the same" 1 "$(column counted_flops | sort -u | wc -l)"
counted "work on several streams" '[bench multistream_matmul]' 'streams = 4' 'problems = 8' 'counters = yes'

fine "no libcupti on purpose" '[bench copy]' 'bytes = 1MiB' 'counters = yes' 'sweep.width = 4, 8, 16' 'device = without'
equals "is reported once" 1 "$(said "counters: the device's option cupti is no")"

"$GBRUN" list counters --device cuda dram__bytes >list.txt 2>text.txt
succeeds "counters of this GPU are listed" grep -q '^dram__bytes_read.sum  *byte  *cuda ' list.txt
succeeds "GH100's are, too, by name" \
    sh -c "'$GBRUN' list counters --chip GH100 dram__bytes | grep -q '^dram__bytes_write.sum '"
finish
