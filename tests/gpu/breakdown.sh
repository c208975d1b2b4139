#!/usr/bin/env bash
# What a sample puts on the GPU, kernel by kernel and with its times: a chain of one kernel, a block of a
# transformer, products whose sums the library splits.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

# begin: the head of work.ini. Samples are launched as those of a breakdown are, which the sum is
# compared with.
begin()
{
    cat >work.ini <<'INI'
[policy few]
plugin = fixed
samples = 200
[defaults]
policy = few
device = cuda
launch = graph
iterations = 1
time_limit = 60 s
INI
}

# activities BENCH: each of its activities as a line "KIND NANOSECONDS GAP REGISTERS BLOCKS NAME".
activities()
{
    "$GBRUN" export --format jsonl --where "bench = '$1'" results.gbr | sed 's/.*"activities"://; s/},{/}\n{/g' | awk '
        function value(key) { return match($0, "\"" key "\":[^,}]*") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : "" }
        match($0, /"name":"[^"]*"/) {
            name = substr($0, RSTART + 8, RLENGTH - 9)
            kind = value("kind")
            gsub(/"/, "", kind)
            print kind, value("time_ns"), value("gap_ns"), value("registers"), value("grid_x") * value("grid_y") * value("grid_z"), name
        }'
}

# described BENCH: each of its kernels has a time, registers and blocks, and the table that was printed has
# a line with a time for each activity.
described()
{
    local wrong lines
    activities "$1" >activities.txt
    wrong=$(awk '$1 == "kernel" && !($2 > 0 && $4 > 0 && $5 > 0)' activities.txt)
    if grep -q '^kernel ' activities.txt && [ -z "$wrong" ]; then
        pass "$1: each kernel has a time, registers and blocks"
    else
        fail "$1: each kernel has a time, registers and blocks" "$wrong" "$(tail -n 20 text.txt)"
    fi
    lines=$(sed -n "/^breakdown of $1,/,/^ *sum /p" table.txt | grep -cE '^ *[0-9]+ .* [0-9.]+ [mun]s ')
    equals "$1: the table has as many" "$(wc -l <activities.txt)" "$lines"
    sed 's/^/# /' activities.txt
}

# adds_up BENCH: kernels and gaps are the whole sample, to 10 %.
adds_up()
{
    local sample sum
    sample=$(column median_ns "bench = '$1'")
    sum=$(awk '{ sum += $2 + $3 } END { printf "%.1f", sum }' activities.txt)
    if awk -v sum="$sum" -v sample="$sample" 'BEGIN { exit !(sample > 0 && sum >= 0.9 * sample && sum <= 1.1 * sample) }'; then
        pass "$1: the sum is the sample, to 10 %"
    else
        fail "$1: the sum is the sample, to 10 %" "sum $sum ns, sample $sample ns"
    fi
}

# --- A chain of one kernel ---

begin
printf '[bench spin]\nduration = 10 us\nkernels = 20\n' >>work.ini
run work.ini --breakdown
all_fine "twenty spins"
described spin
equals "each of them is there" "20 kernel spin" \
    "$(awk '{ print $1, $6 }' activities.txt | uniq -c | sed 's/^ *//')"
equals "and takes 10 to 12 us" "" "$(awk '$2 < 9900 || $2 > 12000' activities.txt)"
adds_up spin

# --- A block of a transformer ---

if [ -f "$GBRUN_PLUGIN_PATH/transformer_block.so" ]; then
    begin
    echo '[bench transformer_block]' >>work.ini
    run work.ini --breakdown
    all_fine "a block of a transformer"
    described transformer_block
    # Names are mangled where there is no library of C++.
    equals "its kernels are in order" "layer_norm qkv_product attention_scores softmax times_values \
output_projection layer_norm mlp_up_gelu mlp_down" \
        "$(in_a_line awk '{ sub(/^_Z[0-9]+/, "", $6); sub(/[P(].*/, "", $6); print $6 }' activities.txt)"
    equals "with their blocks" "256 768 1024 1024 256 256 256 1024 256" "$(in_a_line awk '{ print $5 }' activities.txt)"
    adds_up transformer_block
else
    skip "a block of a transformer" "there is no module: gbrun was built without nvcc"
fi

# --- Sums that the library splits among kernels ---

begin
cat >>work.ini <<'INI'
[bench gemm_ex]
plugin = call
library = libcublas.so.13, libcublas.so.12
optional = yes
ok = 0
before = cublasCreate_v2(out handle), cublasSetStream_v2(handle, stream), cublasSetWorkspace_v2(handle, workspace, ulong {room})
after = cublasDestroy_v2(handle)
function = cublasGemmEx
signature = int(pointer, int, int, int, int, int, pointer, pointer, int, int, pointer, int, int,
  pointer, pointer, int, int, int, int)
let.n = 128
let.k = 65536
let.room = 33554432
arg.workspace = buffer({room})
arg.1 = handle
arg.2 = 0
arg.3 = 0
arg.4 = {n}
arg.5 = {n}
arg.6 = {k}
arg.7 = constant(float, 1)
arg.8 = buffer(fp16[{n * k}], fill=1)
arg.9 = 2
arg.10 = {n}
arg.11 = buffer(fp16[{n * k}], fill=1)
arg.12 = 2
arg.13 = {k}
arg.14 = constant(float, 0)
arg.15 = buffer(float[{n * n}], out, expect={k})
arg.16 = 0
arg.17 = {n}
arg.18 = 68
arg.19 = -1
[bench lt_matmul]
plugin = call
library = libcublasLt.so.13, libcublasLt.so.12
optional = yes
ok = 0
before = cublasLtCreate(out handle), cublasLtMatmulDescCreate(out product, 68, 0),
  cublasLtMatrixLayoutCreate(out first, 2, ulong {n}, ulong {k}, long {n}),
  cublasLtMatrixLayoutCreate(out second, 2, ulong {k}, ulong {n}, long {k}),
  cublasLtMatrixLayoutCreate(out result, 0, ulong {n}, ulong {n}, long {n}),
  cublasLtMatmulPreferenceCreate(out preference),
  cublasLtMatmulPreferenceSetAttribute(preference, 1, room, ulong 8),
  cublasLtMatmulAlgoGetHeuristic(handle, product, first, second, result, result, preference, 1, algorithm, found)
after = cublasLtDestroy(handle)
function = cublasLtMatmul
signature = int(pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer,
  pointer, pointer, pointer, pointer, pointer, size_t, pointer)
let.n = 128
let.k = 65536
let.room = 33554432
arg.room = constant(uint64, {room})
arg.algorithm = buffer(96, host)
arg.found = buffer(int32[1], host)
arg.1 = handle
arg.2 = product
arg.3 = constant(float, 1)
arg.4 = buffer(fp16[{n * k}], fill=1)
arg.5 = first
arg.6 = buffer(fp16[{n * k}], fill=1)
arg.7 = second
arg.8 = constant(float, 0)
arg.9 = buffer(float[{n * n}], out, expect={k})
arg.10 = result
arg.11 = arg.9
arg.12 = result
arg.13 = algorithm
arg.14 = buffer({room})
arg.15 = {room}
arg.16 = stream
INI
run work.ini --breakdown
for bench in gemm_ex lt_matmul; do
    reason=$(column status_text "bench = '$bench' and status = 'skipped'")
    if [ -n "$reason" ]; then
        skip "$bench: a split sum" "$reason"
        continue
    fi
    equals "$bench: the product is right" "ok,ok," "$(column status,verified,status_text "bench = '$bench'")"
    described "$bench"
    if ! grep -qi split activities.txt; then
        skip "$bench: a split sum" "this library took another algorithm"
        continue
    fi
    n=$(grep -c ^kernel activities.txt)
    succeeds "$bench: a split sum is $n kernels" test "$n" -ge 2
    adds_up "$bench"
done
finish
