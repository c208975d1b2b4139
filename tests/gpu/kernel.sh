#!/usr/bin/env bash
# A kernel of the user's own: compiled, kept, launched, verified, tuned.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
cd "$TMPDIR" || exit 99
export XDG_CACHE_HOME=$TMPDIR/cache

cat >scale.cu <<'CU'
#include "factor.h"
#ifndef WIDTH
#define WIDTH 256
#endif
template <typename T, int PER_THREAD>
__global__ void scale(T *to, const T *from, T factor, int n)
{
    __shared__ T tile[WIDTH];
    for (int j = 0; j < PER_THREAD; j++) {
        const int i = (blockIdx.x * PER_THREAD + j) * WIDTH + threadIdx.x;
        tile[threadIdx.x] = i < n ? from[i] : T(0);
        __syncthreads();
        if (i < n)
            to[i] = FACTOR * factor * tile[threadIdx.x];
        __syncthreads();
    }
}
extern "C" __global__ void scale_simply(float *to, const float *from, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = factor * from[i];
}
extern "C" __global__ void scale_wrongly(float *to, const float *from, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        to[i] = factor * from[i];
}
extern "C" __global__ void twice(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}
extern "C" __global__ void reverse(int *x)
{
    extern __shared__ int kept[];
    for (int i = threadIdx.x; i < 25000; i += blockDim.x)
        kept[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 25000; i += blockDim.x)
        x[24999 - i] = kept[i];
}
extern "C" __global__ void rank_in_cluster(unsigned *x)
{
    unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    x[blockIdx.x] = rank;
}
struct pair {
    float a;
    long long b;
};
extern "C" __global__ void sum_of(double *to, struct pair p, unsigned char c)
{
    *to = p.a + p.b + c;
}
extern "C" __global__ void astray(int *x)
{
    x[1L << 40] = 1;
}
extern "C" __global__ void __launch_bounds__(128) bounded(int *x)
{
    x[threadIdx.x] = 1;
}
extern "C" __global__ void copy_ints(int *to, const int *from, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
extern "C" __global__ void hungry(float *x)
{
    float kept[64], sum = 0;
    for (int i = 0; i < 64; i++)
        kept[i] = x[64 * threadIdx.x + i];
    __syncthreads();
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            sum += kept[i] * kept[j];
    for (int i = 0; i < 64; i++)
        x[64 * threadIdx.x + i] = kept[63 - i] + sum;
}
#ifdef BROKEN
#error broken as asked
#endif
CU
echo '#define FACTOR 1' >factor.h

# measure LINE...: [bench work] about scale.cu with these lines.
measure()
{
    cat >work.ini <<'INI'
[policy few]
plugin = fixed
samples = 20
[defaults]
policy = few
device = cuda
time_limit = 30 s
[bench work]
plugin = kernel
INI
    grep -q '^source' <<<"$(printf '%s\n' "$@")" || echo 'source = scale.cu' >>work.ini
    printf '%s\n' "$@" >>work.ini
    run work.ini
}

verified()
{
    all_fine "$1"
    equals "$1: it is checked" ok "$(column verified "status = 'ok'" | sort -u)"
}

scale=('signature = void(pointer, pointer, float, int)' 'arg.1 = buffer(float[{n}], out)'
    'arg.2 = buffer(float[{n}], uniform=-1:1)' 'arg.3 = 0.75' 'arg.4 = {n}')
simply=('reference_entry = scale_simply' 'reference_grid = {(n + 255) / 256}' 'reference_block = 256')
sweep=('entry = scale<float, {per_thread}>' 'define.WIDTH = {width}' 'block = {width}'
    'grid = {(n + width * per_thread - 1) / (width * per_thread)}' 'sweep.n = 1, 1000, 1Mi'
    'sweep.width = 32, 256, 1024' 'sweep.per_thread = 1, 4')

measure "${scale[@]}" "${simply[@]}" "${sweep[@]}"
verified "templates and macros, against another kernel"
number_of_cases 18
equals "each is compiled once" "0 1" "$(in_a_line sort -u <(column cached))"
equals "as often as it differs" 6 "$(column cached | grep -c 0)"
measure "${scale[@]}" "${simply[@]}" "${sweep[@]}"
equals "a second run compiles nothing" 1 "$(in_a_line sort -u <(column cached))"
equals "registers, memory and occupancy are reported" "" \
    "$(column registers,shared_bytes,blocks_per_unit,occupancy,compile_ms |
        awk -F, '!($1 > 3 && $2 >= 128 && $3 >= 1 && $4 > 0 && $4 <= 1 && $5 > 0) { print }')"
echo '#define FACTOR 3' >factor.h
measure "${scale[@]}" "${simply[@]}" "${sweep[@]}"
equals "a changed header is compiled in" "wrong result" "$(column status | sort -u)"
equals "though the kernels were kept" 6 "$(column cached | grep -c 0)"
echo '#define FACTOR 1' >factor.h
for file in "$XDG_CACHE_HOME"/gbrun/kernels/*.kernel; do
    head -c 500 "$file" >short.kernel
    mv short.kernel "$file"
done
measure "${scale[@]}" "${simply[@]}" "${sweep[@]}"
verified "damaged kernels are compiled again"
measure "${scale[@]}" "${simply[@]}" "${sweep[@]}" 'cache_folder = none'
equals "nothing is kept where none is" 0 "$(in_a_line sort -u <(column cached))"

measure "${scale[@]}" "${simply[@]}" 'entry = scale_wrongly' 'grid = 4' 'block = 256' 'let.n = 1000'
equals "a wrong kernel is found" "wrong result 1" "$(column status) $code"
measure "${scale[@]}" 'entry = scale_simply' 'grid = 4' 'block = 256' 'let.n = 1000'
equals "without a reference nothing is checked" unchecked "$(column verified)"

measure 'entry = twice' 'signature = void(pointer, int)' \
    'arg.1 = buffer(int[1000], fill=7, restore, out, expect=14)' 'arg.2 = 1000' 'grid = 4' \
    'block = 256' 'iterations = 1' 'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
verified "a kernel that changes its input"
measure 'entry = reverse' 'signature = void(pointer)' \
    'arg.1 = buffer(int[25000], count, restore, out)' 'output.1 = back.bin' 'grid = 1' \
    'block = 1024' 'shared = 100000' 'iterations = 1'
equals "a file that is not there is found before" 2 "$code"
for ((i = 24999; i >= 0; i--)); do
    printf -v hex '\\x%02x\\x%02x\\x00\\x00' $((i & 255)) $((i >> 8))
    # shellcheck disable=SC2059
    printf "$hex"
done >back.bin
measure 'entry = reverse' 'signature = void(pointer)' \
    'arg.1 = buffer(int[25000], count, restore, out)' 'output.1 = back.bin' 'grid = 1' \
    'block = 1024' 'shared = 100000' 'iterations = 1'
verified "100000 bytes of shared memory, against a file"
measure 'entry = reverse' 'signature = void(pointer)' 'arg.1 = buffer(int[25000], count)' \
    'grid = 1' 'block = 1024' 'shared = 1000000'
equals "more than there is is skipped" "skipped 1" "$(column status) $code"
measure 'entry = sum_of' 'signature = void(pointer, struct(float, longlong), uchar)' \
    'arg.1 = buffer(double[1], out, expect=1042.5)' 'arg.2 = struct(0.5, 1000)' 'arg.3 = 42' \
    'grid = 1' 'block = 1'
verified "structs and bytes by value"
printf '\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0' >ranks.bin
measure 'entry = rank_in_cluster' 'signature = void(pointer)' 'arg.1 = buffer(uint[4], out)' \
    'output.1 = ranks.bin' 'grid = 4' 'block = 32' 'cluster = 2'
if [ "$(column status)" = skipped ]; then
    skip "clusters" "this device has none"
else
    verified "clusters"
fi

sed 's/FACTOR \* factor/FACTOR * fcator/' scale.cu >misspelt.cu
measure "${scale[@]}" 'source = misspelt.cu' 'entry = scale<float, 1>' 'grid = 4' 'block = 256' \
    'let.n = 1000'
equals "an error of the compiler is found before" 2 "$code"
succeeds "with both lines" \
    grep -q 'work.ini:[0-9]*:10: error: source: .*misspelt.cu(14): error: .*fcator' text.txt
measure 'entry = sum_of' 'signature = void(pointer, int)' 'arg.1 = buffer(double[1])' 'arg.2 = 1' \
    'grid = 1' 'block = 1'
equals "a signature of another length does not run" 2 "$code"
measure 'entry = sum_of' 'signature = void(pointer, struct(float, float), uchar)' \
    'arg.1 = buffer(double[1])' 'arg.2 = struct(1, 1)' 'arg.3 = 1' 'grid = 1' 'block = 1'
equals "nor one of other sizes" 2 "$code"
hungry=('entry = hungry' 'signature = void(pointer)' 'arg.1 = buffer(float[8192], uniform=-1:1)'
    'grid = 1' 'block = 128')
measure "${hungry[@]}" 'options = -maxrregcount 24'
all_fine "a compiler's option in two words"
succeeds "registers that do not fit are reported as spills" \
    awk -F, '{ exit !($1 <= 24 && $2 > 0 && $3 > 0) }' <(column registers,spill_bytes,local_bytes)
measure "${hungry[@]}" 'define.UNREAD = 1'
all_fine "a macro that the source never reads"
succeeds "is warned of" grep -q 'the macro UNREAD changes nothing' text.txt table.txt
measure 'entry = bounded' 'signature = void(pointer)' 'arg.1 = buffer(int[256])' 'grid = 1' \
    'sweep.block = 128, 256'
equals "threads beyond __launch_bounds__ are skipped" "ok skipped 0" "$(in_a_line column status) $code"
succeeds "with what would fit" grep -q 'a block of 256 threads does not fit: .* up to 128' \
    <(column status_text)
copy=('entry = copy_ints' 'signature = void(pointer, pointer, int)' 'arg.2 = buffer(int[1000], shuffle)'
    'arg.3 = 1000' 'grid = 4' 'block = 256')
measure "${copy[@]}" 'arg.1 = buffer(int[1000], out)' 'reference = memcpy' 'reference_library = libc.so.6' \
    'reference_signature = pointer(pointer, pointer, size_t)' 'ref.1 = arg.1' 'ref.2 = arg.2' \
    'ref.3 = 4000'
verified "against a function of the host"
measure "${copy[@]}" 'arg.1 = buffer(int[1000], out)' 'input.2 = back.npy' 'output.1 = back.npy'
equals "an .npy that is not there is found before" 2 "$code"
npy_head="{'descr': '<i4', 'fortran_order': False, 'shape': (1000,), }"
{
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$npy_head"
    head -c 4000 back.bin
} >back.npy
measure "${copy[@]}" 'arg.1 = buffer(int[1000], out)' 'input.2 = back.npy' 'output.1 = back.npy'
verified "from one .npy to another"
copy+=('arg.1 = buffer(int[1000], out, expect=from)')
copy[2]=$'arg.from = buffer(int[1000], shuffle)\narg.2 = from'
measure "${copy[@]}" 'sweep.options = -DSOUND, -DBROKEN'
equals "an error in one case of a sweep costs this one only" "ok failed 1" \
    "$(in_a_line column status) $code"
succeeds "with its line" grep -q 'scale.cu([0-9]*): .*broken as asked' <(column status_text)
measure "${copy[@]}" 'options = --no-such-option'
equals "an option that NVRTC does not know is found before" 2 "$code"
succeeds "with its place" grep -q 'work.ini:[0-9]*:11: error: options: NVRTC says' text.txt
measure "${copy[@]}" 'cache_folder = scale.cu'
all_fine "a folder that cannot be written"
succeeds "is reported" grep -q 'compiled again next time: .*Not a directory' text.txt table.txt

# Of binaries for two generations one at most is the device's; PTX of an old one is translated.
measure "${copy[@]}" 'sweep.options = --gpu-architecture=sm_80, --gpu-architecture=sm_90'
equals "a binary for another device fails its case" "failed 1" \
    "$(column status | sort -u | grep -v '^ok$') $code"
succeeds "and a message says what the device is" grep -q 'for this device, which is sm_' <(column status_text)
measure "${copy[@]}" 'options = --gpu-architecture=compute_80'
verified "PTX of an older architecture"

measure 'entry = astray' 'signature = void(pointer)' 'arg.1 = buffer(4)' 'grid = 1' 'block = 1' \
    'sweep.shared = 0, 4'
equals "an illegal address costs its own case only" "device error" "$(column status | sort -u)"

cat >add.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry add_one(.param .u64 to)
{
    .reg .u64 %a;
    .reg .u32 %v;
    ld.param.u64 %a, [to];
    ld.global.u32 %v, [%a];
    mov.u32 %v, 41;
    add.u32 %v, %v, 1;
    st.global.u32 [%a], %v;
    ret;
}
PTX
measure 'source = add.ptx' 'entry = add_one' 'signature = void(pointer)' \
    'arg.1 = buffer(int[1], out, expect=42)' 'grid = 1' 'block = 1'
verified "a kernel of PTX"
sed 's/add.u32/ad.u32/' add.ptx >wrong.ptx
measure 'source = wrong.ptx' 'entry = add_one' 'signature = void(pointer)' 'arg.1 = buffer(4)' \
    'grid = 1' 'block = 1'
equals "an error in PTX fails the case" "failed 1" "$(column status) $code"
succeeds "with its line" grep -q 'wrong.ptx(11): error' <(column status_text)

# Two runs that compile the same at once, in a folder that is not there yet.
rm -rf "$XDG_CACHE_HOME"
measure "${scale[@]}" "${simply[@]}" "${sweep[@]}" >/dev/null
rm -rf "$XDG_CACHE_HOME"
for i in 1 2; do
    "$GBRUN" -q -c work.ini -o "at_once$i.gbr" >"at_once$i.txt" 2>&1 &
done
wait
for i in 1 2; do
    mv "at_once$i.gbr" results.gbr
    equals "run $i of two at once is right" "ok,ok" "$(column status,verified | sort -u)"
done
files=$(find "$XDG_CACHE_HOME" -type f)
equals "what both made is kept once" 6 "$(grep -c '\.kernel$' <<<"$files")"
equals "and nothing else" "" "$(grep -v '\.kernel$' <<<"$files")"

rm -rf "$XDG_CACHE_HOME"
run "$top_srcdir/conf/kernel.ini" -o results.gbr
verified "the configuration that comes along"
number_of_cases 51
run "$top_srcdir/conf/kernel.ini" -o results.gbr
equals "its second run compiles nothing" 1 "$(in_a_line sort -u <(column cached))"
finish
