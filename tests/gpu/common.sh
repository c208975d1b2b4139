# common.sh - what the scripts here share: source it after tap.sh.
# shellcheck shell=bash

# Why gbrun cannot use a GPU here; nothing if it can.
why_no_gpu()
{
    local devices
    devices=$("$GBRUN" list devices 2>&1)
    grep -q '^cuda:0 ' <<<"$devices" && return
    devices=$(sed -n 's/^cuda: absent: //p' <<<"$devices")
    echo "no GPU: ${devices:-gbrun was built without the device cuda}"
}

# need_gpu: ends the script with 77 where there is none.
need_gpu()
{
    local reason
    reason=$(why_no_gpu)
    if [ -n "$reason" ]; then
        echo "$reason"
        exit 77
    fi
}

n_gpus()
{
    "$GBRUN" list devices 2>/dev/null | grep -c '^cuda:[0-9]'
}

# run CONFIGURATION [ARGUMENT]...: measures it afresh into results.gbr; sets code; table.txt is the
# table, text.txt what went to standard error.
run()
{
    rm -f results.gbr
    code=0
    "$GBRUN" -c "$@" >table.txt 2>text.txt || code=$?
}

# column NAMES [WHERE]: of each case of results.gbr one line, the columns with commas between.
column()
{
    "$GBRUN" export --format csv --columns "$1" ${2:+--where "$2"} results.gbr 2>&1 |
        tail -n +2 | tr -d '\r'
}

# in_a_line COMMAND...: what it prints, with blanks between the lines.
in_a_line()
{
    "$@" | tr '\n' ' ' | sed 's/ $//'
}

# all_fine NAME: the run ended with 0, and each case is ok and verified or unchecked; else shows what
# was said.
all_fine()
{
    local wrong
    wrong=$(column status,verified,label,status_text | grep -v '^ok,\(ok\|unchecked\),')
    if [ "$code" = 0 ] && [ -z "$wrong" ] && [ -s results.gbr ]; then
        pass "$1"
    else
        fail "$1" "exit code $code" "$wrong" "$(tail -n 20 text.txt)"
    fi
}

# number_of_cases N: as many are in results.gbr.
number_of_cases()
{
    equals "$1 cases were measured" "$1" "$(column status | grep -c .)"
}

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

# stamped_kernels CLOCK: the kernels that stamp, warm and cold, by that clock, into results.gbr.
stamped_kernels()
{
    cat >truth.ini <<INI
[policy many]
plugin = fixed
samples = ${SAMPLES:-512}
[defaults]
policy = many
device = cuda
clock = $1
warmup = 50 ms
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
}

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

# sides CLOCK...: measures them by each clock, into sides.txt: clock kernel cache reading difference
# launched; and into notes.CLOCK.txt what notes say. Shows what went wrong, if anything did.
sides()
{
    local clock
    : >sides.txt
    for clock; do
        stamped_kernels "$clock"
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
