#!/usr/bin/env bash
# What a sample puts on the GPU, kernel by kernel and with its times: a chain of one kernel, one of several,
# products whose sums the library splits.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module cuda_kernels
# Samples are launched as those of a breakdown are, which the sum is compared with.
head=$(few_samples 200 'device = cuda' 'launch = graph' 'iterations = 1' 'time_limit = 60 s')

# break_down LINE...
break_down()
{
    printf '%s\n' "$head" "$@" >work.ini
    run work.ini --breakdown
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
    local lines
    activities "$1" >activities.txt
    equals "$1: each kernel has a time, registers and blocks" "all" "$(awk '
        $1 == "kernel" { n++ }
        $1 == "kernel" && !($2 > 0 && $4 > 0 && $5 > 0)
        END { if (n > 0) print "all" }' activities.txt)"
    lines=$(sed -n "/^breakdown of $1,/,/^ *sum /p" table.txt | grep -cE '^ *[0-9]+ .* [0-9.]+ [mun]s ')
    equals "$1: the table has as many" "$(wc -l <activities.txt)" "$lines"
    sed 's/^/# /' activities.txt
}

# adds_up BENCH: kernels and gaps are the whole sample, to 10 %.
adds_up()
{
    within "$1: the sum is the sample, to 10 %" 0.9 "$(awk -v sample="$(column median_ns "bench = '$1'")" \
        '{ sum += $2 + $3 } END { if (sample > 0) print sum / sample }' activities.txt)" 1.1
}

break_down '[bench spin]' 'duration = 10 us' 'kernels = 20'
all_fine "twenty spins"
described spin
equals "each of them is there" "20 kernel spin" \
    "$(awk '{ print $1, $6 }' activities.txt | uniq -c | sed 's/^ *//')"
equals "and takes 10 to 12 us" "" "$(awk '$2 < 9900 || $2 > 12000' activities.txt)"
adds_up spin

if [ -f "$GBRUN_PLUGIN_PATH/odd_ways.so" ]; then
    break_down '[bench odd_ways]' 'way = chain' 'duration = 50 us'
    all_fine "a chain of different kernels"
    described odd_ways
    # Names are mangled where there is no library of C++.
    equals "its kernels are in order" "first wide slow first" \
        "$(awk '{ sub(/^_Z[0-9]+/, "", $6); sub(/[y(].*/, "", $6); print $6 }' activities.txt | xargs)"
    equals "with their blocks" "1 64 3 1" "$(awk '{ print $5 }' activities.txt | xargs)"
    equals "and times: 10, 10, 20 and 10 us" "" \
        "$(awk '{ us = NR == 3 ? 20 : 10; if ($2 < 990 * us || $2 > 1000 * us + 2000) print }' activities.txt)"
    adds_up odd_ways
else
    skip "a chain of different kernels" "there is no module: gbrun was built without nvcc"
fi

# A sum that the library splits among kernels.
input='buffer(fp16[{n * k}], fill=1)'
break_down '[bench gemm_ex]' "$(gemm_ex 'before = cublasCreate_v2(out handle), cublasSetStream_v2(handle, stream),
  cublasSetWorkspace_v2(handle, workspace, ulong {room})' 'let.n = 128' 'let.k = 65536' 'let.room = 33554432' \
    'arg.workspace = buffer({room})')" \
    "$(arguments handle 0 0 '{n}' '{n}' '{k}' 'constant(float, 1)' "$input" 2 '{n}' "$input" 2 '{k}' \
        'constant(float, 0)' 'buffer(float[{n * n}], out, expect={k})' 0 '{n}' 68 -1)"
[ "$(column status)" != skipped ] || skip_rest "a split sum" "$(column status_text)"
equals "the product is right" "ok,ok," "$(column status,verified,status_text)"
described gemm_ex
if grep -qi split activities.txt; then
    n=$(grep -c ^kernel activities.txt)
    succeeds "a split sum is $n kernels" test "$n" -ge 2
    adds_up gemm_ex
else
    skip "a split sum" "this library took another algorithm"
fi
finish
