#!/usr/bin/env bash
# Code that is not trusted, on a GPU: no cheat gains, nothing honest is refused. What needs no GPU is in
# tests/judge/test_judge.sh.
. "$top_srcdir/tests/gpu/common.sh"
begin
modules=$top_builddir/tests/modules/.libs
[ -f "$modules/judged.so" ] || leave "there is no judged.so: gbrun was built without nvcc"
export XDG_CACHE_HOME=$TMPDIR/cache

head=$(few_samples 4 'device = cuda' 'verify = judge' 'time_limit = 20 s')
called="plugin = call
library = $modules/judged.so
reference_library = $modules/judged_reference.so
reference = reference
signature = void(pointer, pointer, int, pointer)
arg.1 = buffer(float[262144], out)
arg.2 = buffer(float[262144], uniform=-1:1)
arg.3 = 262144
arg.4 = stream"

# judged NAME BODY HONEST... -- CHEAT...: measures those by the key in $key, and looks at what became of each. The
# cheats in $slow do the work after all, and are measured once more beside the first honest one.
judged()
{
    local name=$1 body=$2 all=() n_honest=0
    shift 2
    while [ "$1" != -- ]; do
        all+=("$1")
        n_honest=$((n_honest + 1))
        shift
    done
    all+=("${@:2}")
    measure "[bench task]" "$body" "sweep.$key = $(printf ', %s' "${all[@]}" | cut -c 3-)"
    column "$key,status,median_ns,metric.launched_as_graph,metric.checked_calls,status_text" | tee all.csv | sed 's/^/# /'
    equals "$name: nothing honest is refused" "$(printf '%s,ok\n' "${all[@]:0:n_honest}")" \
        "$(head -n $n_honest all.csv | cut -d, -f 1,2)"
    tail -n +$((n_honest + 1)) all.csv >cheats.csv
    equals "$name: valid are those cheats that do the work" "$slow" "$(grep ',ok,' cheats.csv | cut -d, -f 1 | xargs)"
    [ -n "$slow" ] || return
    measure "[bench task]" "$body" "rounds = 6" "sweep.$key = ${all[0]}, ${slow// /, }"
    column "$key,median_ns" | sed 's/^/# /'
    equals "$name: no cheat gains" "" "$(gains "$key" "${all[0]}")"
}

slow="kept_by_few stream_not_joined many_streams"
key=function
judged "functions" "$called" plain streams_joined two_kernels atomics own_graph has_workspace allocates waits \
    waits_for_own_stream default_stream -- \
    nothing zeros half fewer_steps first_calls_only all_but_every_8th kept_by_address kept_by_few writes_inputs \
    only_if_poisoned stream_not_joined many_streams patches_the_wait persists
equals "functions: work that is left is seen" "persists,timed out" "$(grep -o '^persists,[a-z ]*' all.csv)"
equals "functions: what can be is launched as a graph" "plain,1 waits,0" \
    "$(awk -F, '$1 == "plain" || $1 == "waits" { print $1 "," $4 }' all.csv | sort | xargs)"

cat >reference.cu <<'CU'
__device__ float task(float x, int n_steps)
{
    float y = x;
    for (int i = 0; i < n_steps; i++)
        y = fmaf(y, 0.75f, x * x - 0.25f);
    return y + x;
}
extern "C" __global__ void reference(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = task(in[i], 400);
}
CU
{
    sed '/^extern/,$d' reference.cu
    cat <<'CU'
__device__ float kept[262144];
__device__ int n_launches, n_ended, known;
#define SUBMISSION(name)                                                    \
    extern "C" __global__ void name(float *out, const float *in, int n)     \
    {                                                                       \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                \
        const int number = n_launches;                                      \
        if (i < n)                                                          \
            name##_(out, in, n, i, number);                                 \
        __syncthreads();                                                    \
        if (threadIdx.x == 0 && atomicAdd(&n_ended, 1) + 1 == gridDim.x) {  \
            n_ended = 0;                                                    \
            n_launches = number + 1;                                        \
        }                                                                   \
    }
#define BODY(name) __device__ void name##_(float *out, const float *in, int n, int i, int number)
#define WORK out[i] = task(in[i], 400)
BODY(plain) { WORK; } SUBMISSION(plain)
BODY(adds) { out[i] = 0; atomicAdd(&out[i], task(in[i], 400)); } SUBMISSION(adds)
BODY(nothing) {} SUBMISSION(nothing)
BODY(zeros) { out[i] = 0; } SUBMISSION(zeros)
BODY(half) { if (i < n / 2) WORK; } SUBMISSION(half)
BODY(fewer_steps) { out[i] = task(in[i], 20); } SUBMISSION(fewer_steps)
BODY(first_only) { if (number < 100) WORK; } SUBMISSION(first_only)
BODY(all_but_every_8th) { if (number % 8 != 7) WORK; } SUBMISSION(all_but_every_8th)
BODY(keeps_first) { if (number == 0) kept[i] = task(in[i], 400); out[i] = kept[i]; } SUBMISSION(keeps_first)
BODY(writes_inputs) { ((float *)in)[i] = 0; out[i] = -1; } SUBMISSION(writes_inputs)
BODY(only_if_poisoned) { if (isnan(out[0]) || out[0] == out[1]) WORK; } SUBMISSION(only_if_poisoned)
CU
} >submissions.cu
slow=
key=entry
judged "kernels" "plugin = kernel
source = submissions.cu
reference_source = reference.cu
reference_entry = reference
signature = void(pointer, pointer, int)
arg.1 = buffer(float[262144], out)
arg.2 = buffer(float[262144], uniform=-1:1)
arg.3 = 262144
grid = 1024
block = 256" plain adds -- nothing zeros half fewer_steps first_only all_but_every_8th keeps_first writes_inputs \
    only_if_poisoned

# The device fills inputs itself; a reference on the host gets the host's.
cat >copy.cu <<'CU'
template <class T> __global__ void copy(T *out, const T *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
CU
verified "numbers of a device are those of the host" '[bench copy]
plugin = kernel
source = copy.cu
entry = copy<{c}>
signature = void(pointer, pointer, int)
arg.1 = buffer({type}[100003], out)
arg.2 = buffer({type}[100003], uniform={range})
arg.3 = 100003
reference = memcpy
reference_library = libc.so.6
reference_signature = pointer(pointer, pointer, size_t)
ref.1 = arg.1
ref.2 = arg.2
ref.3 = {100003 * size}
grid = 64
block = 256
check.abs = 0
zip.format = type, c, size, range: float, float, 4, -1:1 | double, double, 8, -3:1e6 | fp16, short, 2, -1:1 |
    bf16, short, 2, -1e-30:1e30 | int, int, 4, -7:1000000 | int64, long long, 8, -99:99 | int8, char, 1, -9:9'
cat >in_place.cu <<'CU'
extern "C" __global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}
CU
sed 's/\*= 2/+= x[i]/' in_place.cu >in_place_reference.cu
verified "in place" '[bench twice]
plugin = kernel
source = in_place.cu
reference_source = in_place_reference.cu
reference_entry = twice
entry = twice
signature = void(pointer, int)
arg.1 = buffer(float[1000], uniform=-1:1, restore, out)
arg.2 = 1000
grid = 4
block = 256'
measure '[bench same]
plugin = kernel
source = in_place.cu
entry = twice
signature = void(pointer, int)
arg.1 = buffer(float[1000], fill=1, out, expect=2)
arg.2 = 1000
grid = 4
block = 256'
equals "a kernel without a reference of its own file is refused" 2 "$code"
succeeds "with the reason" grep -q 'reference_source: verify = judge: the judge cannot take the reference' text.txt
finish
