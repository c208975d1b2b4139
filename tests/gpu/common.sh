# common.sh - what the scripts here share, with what tap.sh has.
# shellcheck shell=bash
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"

# Why gbrun cannot use a GPU here; nothing if it can.
why_no_gpu()
{
    local devices
    devices=$("$GBRUN" list devices 2>&1)
    grep -q '^cuda:0 ' <<<"$devices" && return
    devices=$(sed -n 's/^cuda: absent: //p' <<<"$devices")
    echo "no GPU: ${devices:-gbrun was built without the device cuda}"
}

# leave REASON: the script ends, as there is nothing for it to do here.
leave()
{
    echo "$1"
    exit 77
}

# begin: leaves where there is no GPU; goes to a folder of the script's own.
begin()
{
    local reason
    reason=$(why_no_gpu)
    [ -z "$reason" ] || leave "$reason"
    cd "$TMPDIR" || exit 99
}

# need_module NAME: leaves where this one of tests/modules/ is not; all of them are found then.
need_module()
{
    export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
    [ -f "$GBRUN_PLUGIN_PATH/$1.so" ] || leave "there is no module $1: gbrun was built without nvcc"
}

# need_triton: leaves where python3 has none of what the scripts of Python need.
need_triton()
{
    python3 -c 'import torch, triton' 2>/dev/null || leave "python3 has no PyTorch or Triton"
}

n_gpus()
{
    "$GBRUN" list devices 2>/dev/null | grep -c '^cuda:[0-9]'
}

# cuda_tool NAME: its path; nothing if it is not here.
cuda_tool()
{
    PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v "$1"
}

# ---- what is measured, and what came of it ----

# run CONFIGURATION [ARGUMENT]...: measures it afresh into results.gbr; sets code; table.txt is the
# table, text.txt what went to standard error.
run()
{
    rm -f results.gbr
    code=0
    "$GBRUN" -c "$@" >table.txt 2>text.txt || code=$?
}

# measure LINE...: runs what the script has in $head, with these lines behind it.
measure()
{
    printf '%s\n' "$head" "$@" >bench.ini
    run bench.ini
}

# column COLUMNS [WHERE]: of each case of results.gbr one line, the columns with commas between.
column()
{
    rows --columns "$1" ${2:+--where "$2"}
}

# median <FILE: of its numbers, one a line.
median()
{
    sort -g | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

# all_fine NAME [PATTERN]: the run ended with 0, and each case is ok and verified or unchecked, or as PATTERN says of
# status and verified; else shows what was said.
all_fine()
{
    local wrong
    wrong=$(column status,verified,label,status_text | grep -vE "^(${2:-ok,(ok|unchecked)}),")
    if [ "$code" = 0 ] && [ -z "$wrong" ] && [ -s results.gbr ]; then
        pass "$1"
    else
        fail "$1" "exit code $code" "$wrong" "$(tail -n 20 text.txt)"
    fi
}

# all_verified NAME: as all_fine, and each case was checked.
all_verified()
{
    all_fine "$1"
    equals "$1: all are checked" ok "$(column verified "status = 'ok'" | sort -u)"
}

# fine NAME LINE..., verified NAME LINE...: measures them; all is fine, or all is verified.
fine()
{
    measure "${@:2}"
    all_fine "$1"
}
verified()
{
    measure "${@:2}"
    all_verified "$1"
}

# partly NAME REASON LINE...: measures them; all is verified or skipped, not all is skipped, and none for another
# reason (a pattern), where there is one.
partly()
{
    measure "${@:3}"
    all_fine "$1" 'ok,ok|skipped,[a-z]*'
    succeeds "$1: not all is skipped" grep -q ok <(column status)
    [ -z "$2" ] || equals "skipped for no other reason than: $2" "" \
        "$(column status_text "status = 'skipped'" | grep -v "$2")"
}

# number_of_cases N: as many are in results.gbr.
number_of_cases()
{
    equals "$1 cases were measured" "$1" "$(column status | grep -c .)"
}

# is_within LOW VALUE HIGH: the value is there, at least LOW and at most HIGH; either may be empty.
is_within()
{
    awk -v low="$1" -v x="$2" -v high="$3" \
        'BEGIN { exit !(x != "" && (low == "" || x >= low) && (high == "" || x <= high)) }' </dev/null
}

# within NAME LOW VALUE HIGH [WORDS]...: else shows the words.
within()
{
    if is_within "$2" "$3" "$4"; then
        pass "$1"
    else
        fail "$1" "${3:-nothing was measured}, expected ${2:-any} to ${4:-any}" "${@:5}"
    fi
}

# verdict NAME FIGURE UNIT LOW:HIGH: prints a figure and what is asked of it, and counts in n_failed what misses it.
n_failed=0
verdict()
{
    local word=ok
    if ! is_within "${4%:*}" "$2" "${4#*:}"; then
        word=MISSED
        n_failed=$((n_failed + 1))
    fi
    printf '%-58s %10s %-8s limit %-10s %s\n' "$1" "${2:--}" "$3" "$4" "$word"
}

# calculate EXPRESSION [FORMAT]: by awk, as %.3f.
calculate()
{
    awk "BEGIN { printf \"${2:-%.3f}\", $1 }" </dev/null
}

# verdicts NAME <FILE: a result for each line pass|WHAT| and fail|WHAT|WORDS; figure|WHAT|WORDS is printed.
verdicts()
{
    local verdict what words
    while IFS='|' read -r verdict what words; do
        case $verdict in
        pass) pass "$1$what" ;;
        fail) fail "$1$what" "$words" ;;
        figure) echo "# $what: $words" ;;
        esac
    done
}

# arguments VALUE...: as lines arg.1, arg.2 and so on of a function that is called.
arguments()
{
    local i=0 value
    for value; do
        i=$((i + 1))
        echo "arg.$i = $value"
    done
}

# gemm_ex LINE...: what a section about a product of cuBLAS, with sums in fp32, has before its arguments.
gemm_ex()
{
    cat <<'INI'
plugin = call
library = libcublas.so.13, libcublas.so.12
optional = yes
ok = 0
after = cublasDestroy_v2(handle)
function = cublasGemmEx
signature = int(pointer, int, int, int, int, int, pointer, pointer, int, int, pointer, int, int,
  pointer, pointer, int, int, int, int)
INI
    printf '%s\n' "$@"
}

# ---- kernels that know their own times ----

# Kernels of tests/modules/truth.cu, as rows for `zip.kernel = kind, blocks, bytes:`. Those of the
# second list are several kernels a sample, which are launched in the stream and read by events. They
# come last, as kernels that run side by side make all launches of a process slower.
kernel_kinds='empty, 1, 4KiB | empty, 132, 4KiB | empty, 1000000, 4KiB | spin, 1, 4KiB |
    copy, 1, 1MiB | copy, 1, 4MiB | copy, 1, 64MiB | copy, 1, 1GiB |
    copy4, 1, 1MiB | copy4, 1, 64MiB | copy4, 1, 1GiB |
    fma, 131072, 4KiB | reduce, 1056, 64MiB | atomics, 65536, 4KiB | shared, 528, 4KiB |
    transpose, 1, 64MiB | registers, 1056, 4KiB | cluster, 1056, 4KiB | cooperative, 132, 4KiB |
    print, 1, 4KiB | allocate, 132, 4KiB'
kernel_chains='graph, 1, 4KiB | fork, 1, 4KiB'

# beside_span: of each case of results.gbr what its clock reads and how much that is above the
# kernels' own time: kernel cache reading difference launched, in microseconds. Means, as what both
# were read from moves in steps of 32 ns.
beside_span()
{
    column kind,blocks,bytes,cache,launched,mean_ns,metric.span_mean | awk -F, '
        {
            name = $1
            if ($1 ~ /copy|reduce|transpose/)
                name = name ":" $3 / 1048576 "MiB"
            else if ($2 > 1)
                name = name ":" $2
            printf "%s %s %.3f %.3f %s\n", name, $4, $6 / 1000, ($6 - $7) / 1000, $5
        }'
}

# sides CLOCK...: measures them by each clock, warm and cold, into sides.txt: clock kernel cache reading difference
# launched; and into notes.CLOCK.txt what notes say. Shows what went wrong, if anything did.
sides()
{
    local clock
    : >sides.txt
    for clock; do
        few_samples "${SAMPLES:-512}" 'device = cuda' "clock = $clock" 'warmup = 50 ms' >truth.ini
        cat >>truth.ini <<INI
[bench kernels]
plugin = truth
sweep.cache = warm, cold
spans = ${SAMPLES:-512}
zip.kernel = kind, blocks, bytes: $kernel_kinds
[bench chains]
like = kernels
zip.kernel = kind, blocks, bytes: $kernel_chains
INI
        run truth.ini -q
        column label,clock,status_text "status <> 'ok'" | grep . || true
        column kind,blocks,bytes,cache,reading_note | grep -v ',$' >"notes.$clock.txt" || true
        beside_span | sed "s/^/$clock /" >>sides.txt
    done
}

# table_of_sides: what is in sides.txt, each kernel a line; its own time is that under the first clock.
# `launched` is how it was by the clock kernel.
table_of_sides()
{
    awk '
        { key = $2 " " $3; above[$1, key] = $5 }
        !(key in span) { order[++n] = key; span[key] = $4 - $5 }
        $1 == "kernel" { launched[key] = $6 }
        function cell(clock, key) { return (clock, key) in above ? above[clock, key] : "-" }
        END {
            printf "%-26s %9s %8s %8s %8s  %s\n", "us: kernel", "own time", "event", "record", "kernel", "launched"
            for (i = 1; i <= n; i++)
                printf "%-26s %9.3f %8s %8s %8s  %s\n", order[i], span[order[i]], cell("event", order[i]),
                    cell("record", order[i]), cell("kernel", order[i]), launched[order[i]]
        }' sides.txt
}

# range_of_sides CACHE: how much the readings by the clock kernel are above the kernels' own times, of those
# that were launched as a graph: least most difference, then which kernels these are. Without two that take
# longer to launch or to end than others do: a cooperative launch, 0.2 us, and the ends of a million
# blocks, which the GPU counts when the last one is through, 0.3 us.
range_of_sides()
{
    awk -v cache="$1" '
        $1 == "kernel" && $3 == cache && $6 == "graph" && $2 !~ /^cooperative|:1000000$/ {
            if (n++ == 0 || $5 < least) { least = $5; first = $2 }
            if (n == 1 || $5 > most) { most = $5; last = $2 }
        }
        END { if (n > 0) printf "%.3f %.3f %.3f %s %s\n", least, most, most - least, first, last }' sides.txt
}
