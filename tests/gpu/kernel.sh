#!/usr/bin/env bash
# A kernel of the user's own: compiled, kept, launched, verified, tuned. What needs no GPU, the cache and what is said
# of sources, files and limits, is in tests/plugins/test_kernel*.c, what is refused in tests/cli/test_kernel_cases.sh.
. "$top_srcdir/tests/gpu/common.sh"
begin
export XDG_CACHE_HOME=$TMPDIR/cache

cat >odd.cu <<'CU'
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
CU

head="$(few_samples 20 'device = cuda' 'time_limit = 30 s')
[bench work]
plugin = kernel"
# of ENTRY SIGNATURE ARGUMENT...: sets `of`, the lines about this kernel of odd.cu.
of()
{
    of=('source = odd.cu' "entry = $1" "signature = void($2)" "$(arguments "${@:3}")")
}

of twice 'pointer, int' 'buffer(int[1000], fill=7, restore, out, expect=14)' 1000
verified "a kernel that changes its input" "${of[@]}" 'grid = 4' 'block = 256' 'iterations = 1' \
    'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
measure "${of[@]}" 'grid = 3' 'block = 256' 'iterations = 1'
equals "one that leaves its last elements out is found" "wrong result 1" "$(column status) $code"
for ((i = 24999; i >= 0; i--)); do
    printf -v hex '\\x%02x\\x%02x\\x00\\x00' $((i & 255)) $((i >> 8))
    # shellcheck disable=SC2059
    printf "$hex"
done >back.bin
of reverse pointer 'buffer(int[25000], count, restore, out)'
verified "100000 bytes of shared memory, against a file" "${of[@]}" 'output.1 = back.bin' 'grid = 1' \
    'block = 1024' 'shared = 100000' 'iterations = 1'
printf '\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0' >ranks.bin
of rank_in_cluster pointer 'buffer(uint[4], out)'
measure "${of[@]}" 'output.1 = ranks.bin' 'grid = 4' 'block = 32' 'cluster = 2'
if [ "$(column status)" = skipped ]; then
    skip "clusters" "this device has none"
else
    all_verified "clusters"
fi

of sum_of 'pointer, struct(float, longlong), uchar' 'buffer(double[1], out, expect=1042.5)' 'struct(0.5, 1000)' 42
verified "structs and bytes by value" "${of[@]}" 'grid = 1' 'block = 1'
of hungry pointer 'buffer(float[8192], uniform=-1:1)'
fine "a compiler's option in two words" "${of[@]}" 'grid = 1' 'block = 128' 'options = -maxrregcount 24'
succeeds "registers that do not fit are reported as spills" \
    awk -F, '{ exit !($1 <= 24 && $2 > 0 && $3 > 0) }' <(column registers,spill_bytes,local_bytes)
of copy_ints 'pointer, pointer, int' 'buffer(int[1000], out)' 'buffer(int[1000], shuffle)' 1000
of+=('grid = 4' 'block = 256')
verified "against a function of the host" "${of[@]}" 'reference = memcpy' 'reference_library = libc.so.6' \
    'reference_signature = pointer(pointer, pointer, size_t)' 'ref.1 = arg.1' 'ref.2 = arg.2' 'ref.3 = 4000'
# Of binaries for two generations one at most is the device's; PTX of an old one is translated.
measure "${of[@]}" 'sweep.options = --gpu-architecture=sm_80, --gpu-architecture=sm_90'
equals "a binary for another device fails its case" "failed 1" \
    "$(column status | sort -u | grep -v '^ok$') $code"
succeeds "and a message says what the device is" grep -q 'for this device, which is sm_' <(column status_text)
of copy_ints 'pointer, pointer, int' 'buffer(int[1000], out, expect=from)' from 1000
verified "PTX of an older architecture" "${of[@]::3}" 'arg.from = buffer(int[1000], shuffle)' "${of[3]}" \
    'grid = 4' 'block = 256' 'options = --gpu-architecture=compute_80'

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
of add_one pointer 'buffer(int[1], out, expect=42)'
verified "a kernel of PTX" "${of[@]:1}" 'source = add.ptx' 'grid = 1' 'block = 1'
sed 's/add.u32/ad.u32/' add.ptx >wrong.ptx
measure "${of[@]:1}" 'source = wrong.ptx' 'grid = 1' 'block = 1'
equals "an error in PTX fails the case" "failed 1" "$(column status) $code"
succeeds "with its line" grep -q 'wrong.ptx(11): error' <(column status_text)

rm -rf "$XDG_CACHE_HOME"
run "$top_srcdir/conf/kernel.ini" -o results.gbr --rounds 1
all_verified "the configuration that comes along, with templates, macros and another kernel to compare with"
number_of_cases 51
equals "registers, memory and occupancy are reported" "" \
    "$(column registers,shared_bytes,blocks_per_unit,occupancy,compile_ms |
        awk -F, '!($1 > 3 && $2 >= 128 && $3 >= 1 && $4 > 0 && $4 <= 1 && $5 > 0) { print }')"
run "$top_srcdir/conf/kernel.ini" -o results.gbr --rounds 1
equals "its second run compiles nothing" 1 "$(column cached | sort -u | xargs)"
finish
