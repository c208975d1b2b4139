#!/usr/bin/env bash
# The benchmarks for CUDA end ok, and their results are right, with every option they have.
. "$top_srcdir/tests/gpu/common.sh"
begin
head=$(few_samples 20 'device = cuda' 'time_limit = 60 s')

verified "copy by a kernel, all widths" '[bench copy]' 'method = kernel' 'sweep.width = 1, 2, 4, 8, 16' \
    'sweep.bytes = 1, 15, 4099, 1MiB, 33MiB' 'sweep.cache = warm, cold'
partly "copy between device, pinned and pageable memory" 'a copy within host memory: expected device or peer on one side' '[bench copy]' \
    'sweep.method = auto, memcpy' 'sweep.bytes = 1, 4099, 1MiB' \
    'sweep.from = device, pinned, pageable' 'sweep.to = device, pinned, pageable'
equals "copy: from the device to pinned and pageable memory and back, both methods" 24 \
    "$(column status "status = 'ok' and (\"from\" = 'device') <> (\"to\" = 'device')" | grep -c ok)"
verified "copy by a kernel from and to pinned memory" '[bench copy]' 'method = kernel' 'bytes = 1MiB' \
    'sweep.from = device, pinned' 'sweep.to = device, pinned'

verified "spin by duration" '[bench spin]' 'sweep.duration = 1us, 50us, 1ms' 'sweep.kernels = 1, 3'
fine "spin by cycles" '[bench spin]' 'cycles = 100000' 'sweep.record = after, timed'
fine "nop" '[bench nop]' 'sweep.cache = warm, cold' 'sweep.launch = stream, graph'

matmul='[bench multistream_matmul]'
verified "multistream_matmul: streams, order and input" "$matmul" 'aligned = 256' 'sweep.streams = 1:16' \
    'sweep.order = breadth, depth' 'sweep.input = ones, random'
verified "multistream_matmul: block, priority, allocation and launch" "$matmul" 'aligned = 256' 'streams = 4' \
    'sweep.block = 4, 8, 16, 32' 'sweep.priority = uniform, graded' 'sweep.allocation = malloc, pool' \
    'sweep.launch = stream, graph'
verified "multistream_matmul: sizes that fill no block" "$matmul" 'aligned = 100' 'streams = 3' 'sweep.rows = 1, 33' \
    'sweep.cols = 1, 17' 'sweep.problems = 1, 7' 'input = random'
partly "multistream_matmul: some of the multiprocessors" '' "$matmul" 'aligned = 256' 'streams = 4' 'sweep.units = 0, 8'

verified "histogram: methods, distributions and sizes" '[bench histogram]' 'sweep.n = 1, 5, 4099, 1Mi' \
    'sweep.bins = 1, 7, 256, 12288' 'sweep.distribution = uniform, one, skewed' 'sweep.method = private, global'
verified "histogram: block, launch, cache and several iterations" '[bench histogram]' 'n = 1000003' \
    'sweep.block = 1, 33, 256, 1024' 'iterations = 3' 'sweep.method = private, global' \
    'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
partly "histogram: more bins than shared memory holds" 'a block has shared memory for 12288' '[bench histogram]' \
    'n = 1Mi' 'sweep.bins = 12289, 16Mi' 'sweep.method = private, global'

element='[bench elementwise]'
types='sweep.dtype = fp32, fp16, bf16, fp64'
verified "elementwise: kernels, types and sizes" "$element" "$types" 'sweep.n = 4096, 1Mi, 33Mi' 'columns = 64' \
    'sweep.kernel = copy, scale, add, triad, gelu, relu, softmax, layernorm, batchnorm, maxpool, sum'
verified "elementwise: sizes that fill no vector" "$element" 'sweep.kernel = copy, add, gelu, sum' "$types" \
    'sweep.n = 1, 7, 4099'
partly "elementwise: rows of warps and of blocks" \
    'a block of .* threads holds\|the registers of this kernel allow at most' "$element" \
    'sweep.kernel = softmax, layernorm' "$types" 'n = 1Mi' 'sweep.columns = 8, 256, 2048, 4096, 16384' \
    'sweep.block = 32, 256, 1024'
verified "elementwise: launch, cache and several iterations" "$element" 'sweep.kernel = triad, softmax, sum' \
    'n = 1Mi' 'iterations = 3' 'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
verified "elementwise: sums of blocks of all sizes, launch after launch" "$element" 'kernel = sum' "$types" \
    'sweep.n = 1000003, 33Mi' 'sweep.block = 32, 160, 1024' 'iterations = 3'

sizes='zip.size = m, n, k: 1, 1, 1 | 119, 121, 9 | 127, 130, 770 | 144, 256, 66 | 260, 129, 33'
verified "padding: sizes that fill no tile" '[bench padding]' "$sizes" 'sweep.problem = dense, batched' 'batch = 2' \
    'sweep.schedule = baseline, partition, pad, partition_pad, tuned'
verified "padding: all tiles" '[bench padding]' "$sizes" 'schedule = tuned' 'batch = 3' \
    'sweep.tile = auto, 96x96x8, 96x128x8, 192x192x8/2, 128x128x8, 64x64x16'
partly "padding: both problems, beside cuBLAS" 'libcublas was not found' '[bench padding]' \
    'sweep.problem = dense, batched' 'sweep.launch = stream, graph' 'sweep.schedule = partition, pad, tuned, cublas'
partly "padding: a kernel that is compiled by itself" 'libnvrtc was not found' '[bench padding]' \
    'm = 100' 'n = 100' 'k = 30' 'schedule = pad' 'compile = yes'
shapes='zip.shape = n, c, h, w, k, r, s, stride, pad, dilation, groups:
    2, 6, 11, 9, 4, 3, 2, 2, 1, 1, 2 | 3, 8, 7, 7, 8, 3, 3, 1, 2, 2, 8 | 1, 40, 8, 33, 13, 3, 3, 1, 1, 1, 1'
directions='sweep.direction = forward, backward_data, backward_weight'
verified "convolution: directions, methods, types and layouts" '[bench convolution]' "$shapes" "$directions" \
    'sweep.method = direct, implicit_gemm' 'sweep.dtype = fp32, fp16, bf16' 'sweep.layout = nchw, nhwc'
verified "convolution: launch and several iterations" '[bench convolution]' 'c = 24' 'k = 40' "$directions" \
    'sweep.launch = stream, graph' 'iterations = 3'

gemm='[bench gemm_verify]'
partly "gemm_verify: kernels, types and layouts" '' "$gemm" 'm = 100' 'n = 72' 'k = 200' \
    'sweep.kernel = cuda, tensor, cublas' 'sweep.layout = nn, nt, tn, tt' \
    'sweep.dtype = fp16, bf16, fp32, tf32, fp64, fp8_e4m3, fp8_e5m2, int8'
partly "gemm_verify: sums and slices of them" '' "$gemm" 'm = 33' 'n = 65' 'k = 130' \
    'sweep.kernel = cuda, tensor, cublas' 'sweep.dtype = fp16, bf16, fp64' 'sweep.split_k = 1, 3' \
    'sweep.accumulate = auto, fp16, fp64, every4, every4_nearest'
partly "gemm_verify: whole numbers are right to the bit, whatever the reference" '' "$gemm" 'm = 64' 'n = 64' \
    'k = 256' 'sweep.kernel = cuda, tensor' 'sweep.dtype = fp16, bf16, fp32, tf32' \
    'sweep.reference = cpu, gpu, gpu_tensor' 'integral = yes'
verified "gemm_verify: the noise is judged by a reference on either side" "$gemm" 'm = 33' 'n = 65' 'k = 1030' \
    'kernel = cuda' 'sweep.dtype = fp16, bf16, fp32' 'sweep.range = r0, r4' 'sweep.reference = cpu, gpu'
equals "and is the same" "6 0" "$(column '"check.noise"' |
    awk 'NR % 2 { of_cpu = $1; next } { pairs++; off += !($1 > 0 && ($1 / of_cpu - 1) ^ 2 < 1e-8) } END { print pairs, off + 0 }')"
measure "$gemm" 'm = 64' 'n = 64' 'k = 256' 'kernel = tensor' \
    'sweep.range = r0, r4' 'sweep.fault = skipped_k_step, stale_tile, swapped_rows, unwritten, all_zero'
equals "gemm_verify: planted faults are found" "wrong result" "$(column status | sort -u)"
finish
