#!/usr/bin/env bash
# compute-sanitizer finds no wrong access and no race in the kernels of the plugins. It is a profiler,
# too: CUPTI is taken then, and events count.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
sanitizer=$(PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v compute-sanitizer)
if [ -z "$sanitizer" ]; then
    echo "there is no compute-sanitizer on PATH or in /usr/local/cuda/bin"
    exit 77
fi
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

cat >small.ini <<'INI'
[policy two]
plugin = fixed
samples = 2
[defaults]
policy = two
min_samples = 1
iterations = 1
device = cuda
time_limit = 5 min
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
if [ -f "$top_builddir/bundle/saxpy.so" ]; then
    cp "$top_builddir/bundle/saxpy.so" .
    printf '[bench saxpy]\nplugin = ./saxpy.so\nn = 1000\n' >>small.ini
fi

for tool in memcheck racecheck; do
    rm -f results.gbr log.*
    "$sanitizer" --tool "$tool" --target-processes all --report-api-errors no --error-exitcode 9 \
        --log-file "log.%p" "$GBRUN" -c small.ini >table.txt 2>text.txt
    code=$?
    all_fine "$tool: all cases"
    # One summary for each process that used the device: "ERROR SUMMARY: 0 errors", or, of races,
    # "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)".
    summaries=$(cat log.* | grep -o '[A-Z]* SUMMARY: .*')
    equals "$tool: nothing is wrong" "" "$(grep -v 'SUMMARY: 0 ' <<<"$summaries")"
    succeeds "$tool: it looked at the worker" grep -q 'SUMMARY: 0 ' <<<"$summaries"
    equals "$tool: events count" event "$(column clock | sort -u)"
    equals "$tool: which is said once" 1 "$(grep -c 'no clock kernel' table.txt)"
done
finish
