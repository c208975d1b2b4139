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
equals "registers, memory and occupancy are told" "" \
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
equals "more than there is is skipped" "skipped 0" "$(column status) $code"
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
equals "an error of the compiler fails the case" "failed 1" "$(column status) $code"
succeeds "with its line" grep -q 'misspelt.cu(14): error: .*fcator' <(column status_text)
measure 'entry = sum_of' 'signature = void(pointer, int)' 'arg.1 = buffer(double[1])' 'arg.2 = 1' \
    'grid = 1' 'block = 1'
equals "a signature of another length does not run" 2 "$code"
measure 'entry = sum_of' 'signature = void(pointer, struct(float, float), uchar)' \
    'arg.1 = buffer(double[1])' 'arg.2 = struct(1, 1)' 'arg.3 = 1' 'grid = 1' 'block = 1'
equals "nor one of other sizes, where the driver knows" 1 "$code"
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
succeeds "with its line" grep -q 'line 11' <(column status_text)

rm -rf "$XDG_CACHE_HOME"
run "$top_srcdir/conf/kernel.ini" -o results.gbr
verified "the configuration that comes along"
number_of_cases 51
run "$top_srcdir/conf/kernel.ini" -o results.gbr
equals "its second run compiles nothing" 1 "$(in_a_line sort -u <(column cached))"
finish
