#!/usr/bin/env bash
# The benchmarks for CUDA end ok, and their results are right, with every option they have.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
cd "$TMPDIR" || exit 99

# measure LINE...: a section with few samples, and these lines.
measure()
{
    cat >bench.ini <<'INI'
[policy few]
plugin = fixed
samples = 20
[defaults]
policy = few
device = cuda
time_limit = 60 s
INI
    printf '%s\n' "$@" >>bench.ini
    run bench.ini
}

# verified NAME: all cases are ok, and each was checked.
verified()
{
    all_fine "$1"
    equals "$1: all are checked" ok "$(column verified "status = 'ok'" | sort -u)"
}

# skipped_for REASON: no case but those with this reason was skipped.
skipped_for()
{
    local others
    others=$(column status_text "status = 'skipped'" | grep -v "$1")
    equals "skipped for no other reason than: $1" "" "$others"
}

# fine_or_skipped NAME: as all_fine, though some cases may be skipped.
fine_or_skipped()
{
    local wrong
    wrong=$(column status,verified,label,status_text | grep -vE '^(ok,ok|skipped,[a-z]*),')
    if [ "$code" = 0 ] && [ -z "$wrong" ] && [ "$(column status | grep -c ok)" -gt 0 ]; then
        pass "$1"
    else
        fail "$1" "exit code $code" "$wrong" "$(tail -n 20 text.txt)"
    fi
}

measure '[bench copy]' 'method = kernel' 'sweep.width = 1, 2, 4, 8, 16' \
    'sweep.bytes = 1, 15, 4099, 1MiB, 33MiB' 'sweep.cache = warm, cold'
verified "copy by a kernel, all widths"
number_of_cases 50
measure '[bench copy]' 'sweep.method = auto, memcpy' 'sweep.bytes = 1, 4099, 1MiB' \
    'sweep.from = device, pinned, pageable' 'sweep.to = device, pinned, pageable'
fine_or_skipped "copy between device, pinned and pageable memory"
skipped_for 'no work for a GPU with method = memcpy'
equals "copy: from the device to pinned and pageable memory and back, both methods" 24 \
    "$(column status "status = 'ok' and (\"from\" = 'device') <> (\"to\" = 'device')" | grep -c ok)"
measure '[bench copy]' 'method = kernel' 'bytes = 1MiB' 'sweep.from = device, pinned' \
    'sweep.to = device, pinned'
verified "copy by a kernel from and to pinned memory"
measure '[bench copy]' 'sweep.method = loop, stream'
equals "copy: methods of the CPU are skipped" "skipped skipped 1" "$(in_a_line column status) $code"

measure '[bench copy]' 'sweep.method = kernel, memcpy' 'bytes = 1MiB' \
    'zip.way = from, to: device, peer | peer, device'
if [ "$(n_gpus)" -lt 2 ]; then
    equals "copy to and from a peer is skipped" skipped "$(column status | sort -u)"
    skipped_for 'there is one GPU'
elif grep -q "does not reach the memory of GPU" text.txt; then
    skip "copy to and from a peer" "this GPU does not reach the next one's memory"
else
    verified "copy to and from a peer"
fi

measure '[bench spin]' 'sweep.duration = 1us, 50us, 1ms' 'sweep.kernels = 1, 3'
verified "spin by duration"
measure '[bench spin]' 'cycles = 100000' 'sweep.record = after, timed'
all_fine "spin by cycles"
measure '[bench nop]' 'sweep.cache = warm, cold' 'sweep.launch = stream, graph'
all_fine "nop"

measure '[bench multistream_matmul]' 'aligned = 256' 'sweep.streams = 1:16' 'sweep.order = breadth, depth' \
    'sweep.input = ones, random'
verified "multistream_matmul: streams, order and input"
measure '[bench multistream_matmul]' 'aligned = 256' 'streams = 4' 'sweep.block = 4, 8, 16, 32' \
    'sweep.priority = uniform, graded' 'sweep.allocation = malloc, pool' 'sweep.launch = stream, graph'
verified "multistream_matmul: block, priority, allocation and launch"
measure '[bench multistream_matmul]' 'aligned = 100' 'streams = 3' 'sweep.rows = 1, 33' \
    'sweep.cols = 1, 17' 'sweep.problems = 1, 7' 'input = random'
verified "multistream_matmul: sizes that fill no block"
measure '[bench multistream_matmul]' 'aligned = 256' 'streams = 4' 'sweep.units = 0, 8'
fine_or_skipped "multistream_matmul: some of the multiprocessors"

measure '[bench histogram]' 'sweep.n = 1, 5, 4099, 1Mi' 'sweep.bins = 1, 7, 256, 12288' \
    'sweep.distribution = uniform, one, skewed' 'sweep.method = private, global'
verified "histogram: methods, distributions and sizes"
number_of_cases 96
measure '[bench histogram]' 'n = 1000003' 'sweep.block = 1, 33, 256, 1024' 'iterations = 3' \
    'sweep.method = private, global' 'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
verified "histogram: block, launch, cache and several iterations"
measure '[bench histogram]' 'n = 1Mi' 'sweep.bins = 12289, 16Mi' 'sweep.method = private, global'
fine_or_skipped "histogram: more bins than shared memory holds"
skipped_for 'a block has shared memory for 12288'

kernels='sweep.kernel = copy, scale, add, triad, gelu, relu, softmax, layernorm, batchnorm, maxpool, sum'
types='sweep.dtype = fp32, fp16, bf16, fp64'
measure '[bench elementwise]' "$kernels" "$types" 'sweep.n = 4096, 1Mi, 33Mi' 'columns = 64'
verified "elementwise: kernels, types and sizes"
number_of_cases 132
measure '[bench elementwise]' 'sweep.kernel = copy, add, gelu, sum' "$types" 'sweep.n = 1, 7, 4099'
verified "elementwise: sizes that fill no vector"
measure '[bench elementwise]' 'sweep.kernel = softmax, layernorm' "$types" 'n = 1Mi' \
    'sweep.columns = 8, 256, 2048, 4096, 16384' 'sweep.block = 32, 256, 1024'
fine_or_skipped "elementwise: rows of warps and of blocks"
skipped_for 'a block of .* threads holds\|with its registers this kernel has at most'
measure '[bench elementwise]' 'sweep.kernel = triad, softmax, sum' 'n = 1Mi' 'iterations = 3' \
    'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
verified "elementwise: launch, cache and several iterations"
measure '[bench elementwise]' 'kernel = sum' "$types" 'sweep.n = 1000003, 33Mi' \
    'sweep.block = 32, 160, 1024' 'iterations = 3'
verified "elementwise: sums of blocks of all sizes, launch after launch"

sizes='zip.size = m, n, k: 1, 1, 1 | 119, 121, 9 | 127, 130, 770 | 144, 256, 66 | 260, 129, 33'
measure '[bench padding]' "$sizes" 'sweep.problem = dense, batched' 'batch = 2' \
    'sweep.schedule = baseline, partition, pad, partition_pad, tuned'
verified "padding: sizes that fill no tile"
number_of_cases 50
measure '[bench padding]' "$sizes" 'schedule = tuned' 'batch = 3' \
    'sweep.tile = auto, 96x96x8, 96x128x8, 192x192x8/2, 128x128x8, 64x64x16'
verified "padding: all tiles"
measure '[bench padding]' 'sweep.problem = dense, batched' 'sweep.launch = stream, graph' \
    'sweep.schedule = partition, pad, tuned, cublas'
fine_or_skipped "padding: both problems, beside cuBLAS"
skipped_for 'libcublas was not found'
measure '[bench padding]' 'm = 100' 'n = 100' 'k = 30' 'schedule = pad' 'compile = yes'
fine_or_skipped "padding: a kernel that is compiled by itself"
skipped_for 'libnvrtc was not found'
shapes='zip.shape = n, c, h, w, k, r, s, stride, pad, dilation, groups:
    2, 6, 11, 9, 4, 3, 2, 2, 1, 1, 2 | 3, 8, 7, 7, 8, 3, 3, 1, 2, 2, 8 | 1, 40, 8, 33, 13, 3, 3, 1, 1, 1, 1'
directions='sweep.direction = forward, backward_data, backward_weight'
measure '[bench convolution]' "$shapes" "$directions" 'sweep.method = direct, implicit_gemm' \
    'sweep.dtype = fp32, fp16, bf16' 'sweep.layout = nchw, nhwc'
verified "convolution: directions, methods, types and layouts"
number_of_cases 108
measure '[bench convolution]' 'c = 24' 'k = 40' "$directions" 'sweep.launch = stream, graph' 'iterations = 3'
verified "convolution: launch and several iterations"
measure '[bench gemm_verify]' 'm = 100' 'n = 72' 'k = 200' 'sweep.kernel = cuda, tensor, cublas' \
    'sweep.dtype = fp16, bf16, fp32, tf32, fp64, fp8_e4m3, fp8_e5m2, int8' 'sweep.layout = nn, nt, tn, tt'
fine_or_skipped "gemm_verify: kernels, types and layouts"
measure '[bench gemm_verify]' 'm = 33' 'n = 65' 'k = 130' 'sweep.kernel = cuda, tensor, cublas' \
    'sweep.dtype = fp16, bf16, fp64' 'sweep.accumulate = auto, fp16, fp64, every4, every4_nearest' 'sweep.split_k = 1, 3'
fine_or_skipped "gemm_verify: sums and slices of them"
measure '[bench gemm_verify]' 'm = 64' 'n = 64' 'k = 256' 'sweep.kernel = cuda, tensor' \
    'sweep.dtype = fp16, bf16, fp32, tf32' 'sweep.reference = cpu, gpu, gpu_tensor' 'integral = yes'
fine_or_skipped "gemm_verify: whole numbers are right to the bit, whatever the reference"
measure '[bench gemm_verify]' 'm = 33' 'n = 65' 'k = 1030' 'kernel = cuda' \
    'sweep.dtype = fp16, bf16, fp32' 'sweep.range = r0, r4' 'sweep.reference = cpu, gpu'
verified "gemm_verify: the noise is judged by a reference on either side"
equals "and is the same" "6 0" "$(column '"check.noise"' |
    awk 'NR % 2 { of_cpu = $1; next } { pairs++; off += !($1 > 0 && ($1 / of_cpu - 1) ^ 2 < 1e-8) } END { print pairs, off + 0 }')"
measure '[bench gemm_verify]' 'm = 64' 'n = 64' 'k = 256' 'kernel = tensor' \
    'sweep.range = r0, r4' 'sweep.fault = skipped_k_step, stale_tile, swapped_rows, unwritten, all_zero'
equals "gemm_verify: planted faults are found" "wrong result" "$(column status | sort -u)"
finish
