#!/usr/bin/env bash
# compute-sanitizer finds no wrong access and no race in the kernels of the plugins, nor in those of the
# clock. It is a profiler, too: CUPTI is taken then, which the clock kernel does not need.
. "$top_srcdir/tests/gpu/common.sh"
begin
sanitizer=$(cuda_tool compute-sanitizer) || leave "there is no compute-sanitizer on PATH or in /usr/local/cuda/bin"
need_module cuda_kernels

head=$(few_samples 2 'iterations = 1' 'device = cuda' 'time_limit = 5 min')
echo "$head" >small.ini
cat >>small.ini <<'INI'
[bench kernels]
plugin = cuda_kernels
bytes = 64KiB
sweep.kind = empty, copy, fill, many
[bench copy]
method = kernel
sweep.width = 1, 2, 4, 8, 16
sweep.bytes = 1, 4099, 64KiB
[bench driver]
plugin = copy
method = memcpy
bytes = 64KiB
sweep.from = device, pinned, pageable
[bench spin]
duration = 5us
sweep.record = after, timed
[bench nop]
sweep.launch = stream, graph
[bench multistream_matmul]
aligned = 64
sweep.streams = 1, 5
sweep.block = 4, 16
sweep.input = ones, random
[bench padding]
zip.size = m, n, k: 33, 130, 13 | 128, 128, 16
sweep.problem = dense, batched
batch = 2
sweep.schedule = baseline, partition, pad, partition_pad, tuned
[bench gemm_verify]
m = 33
n = 65
k = 70
split_k = 2
reference = gpu
sweep.kernel = cuda, tensor
sweep.dtype = fp16, bf16, fp32, tf32, fp64, int8
exclude = (kernel = 'tensor' and dtype = 'fp32') or (kernel = 'cuda' and dtype = 'fp64')
INI
cat >kernels.cu <<'CU'
__global__ void one_too_many(int *x, int n)
{
    x[threadIdx.x * n] = 1;
}
__global__ void without_waiting(int *x)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = tile[255 - threadIdx.x];
}
CU
cat >>small.ini <<'INI'
[bench call]
library = libcuda.so.1
function = cuMemcpyDtoDAsync_v2
signature = int(pointer, pointer, size_t, pointer)
arg.source = buffer(int32[{n}], shuffle)
arg.1 = buffer(int32[{n}], out, expect=source)
arg.2 = source
arg.3 = {4 * n}
arg.4 = stream
ok = 0
sweep.n = 1, 1001
[bench call_synchronous]
like = call
plugin = call_synchronous
function = cuMemcpyDtoHAsync_v2
arg.1 = buffer(int32[{n}], pinned, out, expect=source)
sweep.n = 1001
[bench transpose]
plugin = kernel
source = transpose.cu
entry = transpose<{tile}>
signature = void(pointer, pointer)
arg.1 = buffer(float[4096], out)
arg.2 = buffer(float[4096], count)
grid = {64 / tile}, {64 / tile}
block = {tile}, 8
cache_folder = kernels
sweep.tile = 32, 64
reference_entry = transpose_simply
reference_grid = 4, 4
reference_block = 16, 16
INI
if [ -f "$top_builddir/packaging/bundle/saxpy.so" ]; then
    cp "$top_builddir/packaging/bundle/saxpy.so" .
    printf '[bench saxpy]\nplugin = ./saxpy.so\nn = 1000\n' >>small.ini
fi
if [ -f "$GBRUN_PLUGIN_PATH/truth.so" ]; then
    cat >>small.ini <<'INI'
[bench truth]
blocks = 8
bytes = 64KiB
sweep.kind = empty, spin, chain, copy, copy4, stores, fma, reduce, atomics, shared, transpose, registers, cluster,
    cooperative, graph, fork, print, allocate
sweep.cache = warm, cold
[bench odd_ways]
sweep.way = plain, two, own_graph, dependent, cooperative, allocates, allocates_async, copies_pinned,
    forked_joined
sweep.clock = kernel, event
INI
fi

# look TOOL CONFIGURATION: what the tool says of each process is in log.*.
look()
{
    rm -f results.gbr log.*
    "$sanitizer" --tool "$1" --target-processes all --report-api-errors no --error-exitcode 9 \
        --log-file "log.%p" "$GBRUN" -c "$2" >table.txt 2>text.txt
    code=$?
    return 0
}

# Both at the same time, as either takes minutes.
for tool in memcheck racecheck; do
    mkdir "$tool"
    cp ./small.ini "$top_srcdir/docs/examples/transpose.cu" "$tool"
    [ ! -f saxpy.so ] || cp saxpy.so "$tool"
    (cd "$tool" && look "$tool" small.ini && echo "$code" >code) &
done
wait
for tool in memcheck racecheck; do
    cd "$TMPDIR/$tool" || exit 99
    code=$(cat code)
    all_fine "$tool: all cases"
    # One summary for each process that used the device: "ERROR SUMMARY: 0 errors", or, of races,
    # "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)".
    summaries=$(cat log.* | grep -o '[A-Z]* SUMMARY: .*')
    equals "$tool: nothing is wrong" "" "$(grep -v 'SUMMARY: 0 ' <<<"$summaries")"
    succeeds "$tool: it looked at the worker" grep -q 'SUMMARY: 0 ' <<<"$summaries"
    equals "$tool: by the clock kernel" "" "$(column clock,label "bench <> 'odd_ways'" | grep -v '^kernel,')"
done
cd "$TMPDIR" || exit 99

# planted TOOL ENTRY LINE...: looks at one kernel of kernels.cu.
planted()
{
    printf '%s\n' "$head" '[bench planted]' 'plugin = kernel' 'source = kernels.cu' "entry = $2" 'grid = 1' \
        'cache_folder = kernels' "${@:3}" >planted.ini
    look "$1" planted.ini
}
# The arrays end where they end: one element behind is found, although the driver gives more.
two=('signature = void(pointer, int)' 'arg.1 = buffer(int[1001])' 'arg.2 = {last}' 'block = 2')
planted memcheck one_too_many "${two[@]}" 'sweep.last = 1000'
all_fine "memcheck: the last element of an array"
planted memcheck one_too_many "${two[@]}" 'sweep.last = 1001'
succeeds "memcheck: one element behind it is found" grep -q 'Invalid __global__ write of size 4' log.*
succeeds "memcheck: with the name of the kernel" grep -q 'one_too_many' log.*
planted racecheck without_waiting 'signature = void(pointer)' 'arg.1 = buffer(int[256])' 'block = 256'
succeeds "racecheck: a forgotten __syncthreads is found" \
    grep -q 'RACECHECK SUMMARY: [1-9][0-9]* hazard' log.*
finish
