#!/usr/bin/env bash
# Which clocks there are, with CUPTI and without it, and how samples are launched and read by them.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module cuda_kernels
head="[device without]
plugin = cuda
cupti = no
[device odd]
plugin = cuda
cupti = $top_builddir/tests/modules/.libs/fake_cupti.so
$(few_samples 60 'device = cuda' 'time_limit = 30 s')
[bench work]
plugin = cuda_kernels
duration = 50 us"

# not_short NAME [LEAST]: no sample is shorter than LEAST ns, nor twenty times as long as the kernel.
not_short()
{
    equals "$1" "" "$(column clock,launched,min_ns,label | awk -F, -v least="${2:-49000}" \
        '!($3 >= least && $3 <= 1000000) { print }')"
}

# refused NAME WORDS LINE...: each case fails, with these words.
refused()
{
    measure "${@:3}"
    equals "$1" "failed 1" "$(column status | sort -u) $code"
    equals "$1: with the reason" "" "$(column status_text | grep -vF -- "$2")"
}

# --- Clocks ---

fine "a kernel is measured"
equals "by the clock kernel, as a graph" kernel,graph "$(column clock,launched)"
clocks='kernel event wall'
has_records=no
measure 'clock = record'
if column status_text | grep -qF "clock 'record' is not offered"; then
    skip "the clock record" "there is no CUPTI on this machine"
else
    has_records=yes
    clocks+=' record'
    all_fine "the clock record"
    succeeds "the clock record: a note has the clock kernel's time beside it" \
        grep -q 'it takes .* us while recorded, .* us by the clock kernel without recording' \
        <(column reading_note)
fi
fine "every clock can be chosen" "sweep.clock = ${clocks// /, }"
equals "and counts" "$clocks" "$(column clock | xargs)"
not_short "each reads the length of the kernel at least"
fine "every clock, of a graph" "sweep.clock = ${clocks// /, }" 'launch = graph'
equals "which is launched" graph "$(column launched | sort -u)"
not_short "each reads the length of the kernel in a graph at least"

fine "the clock kernel needs no CUPTI" 'device = without'
equals "and nothing is said about it" "" "$(grep -hi 'cupti\|no clock' text.txt table.txt)"
refused "without it there is no clock record" "expected one of kernel, event, wall" 'device = without' 'clock = record'

# --- CUPTI that is taken, forbidden or loses records: tests/modules/fake_cupti.c ---

if [ $has_records = yes ]; then
    FAKE_CUPTI=busy refused "CUPTI that another profiler has" 'CUPTI is busy: another profiler is attached' \
        'device = odd' 'clock = record'
    FAKE_CUPTI=forbidden refused "CUPTI that is forbidden" 'CUPTI is forbidden to this user' \
        'device = odd' 'clock = record'
    FAKE_CUPTI=forbidden fine "CUPTI that is forbidden: the clock kernel" 'device = odd'
    equals "CUPTI that is forbidden: nothing is said about it" "" \
        "$(grep -hi 'cupti\|no clock' text.txt table.txt)"
    FAKE_CUPTI=drop fine "CUPTI that loses records" 'device = odd' 'clock = record' 'sweep.kind = spin, many'
    equals "CUPTI that loses records: the samples are counted" "" \
        "$(column kind,n_lost | awk -F, '!($2 > 0) { print }')"
    equals "CUPTI that loses records: no sample is short" "" "$(column kind,min_ns |
        awk -F, '!($2 >= ($1 == "many" ? 4 : 1) * 49000) { print }')"
    FAKE_CUPTI=none fine "CUPTI by its path" 'device = odd' 'clock = record'
    equals "CUPTI by its path: its clock counts" record "$(column clock)"
fi

# --- Launches ---

fine "warm and cold caches" 'sweep.cache = warm, cold' 'sweep.kind = copy, fill, spin, many, empty'

fine "launched as is best" 'sweep.kind = spin, copy, fill, many'
equals "one operation is a graph, several are launched in the stream" \
    "spin,graph copy,graph fill,graph many,stream" "$(column kind,launched | xargs)"
equals "what a graph would take is known of those in the stream" "" "$(column kind,graph_ns,median_ns |
    awk -F, '$1 == "many" ? !($2 >= 4 * 49000 && $2 <= $3) : $2 > 0 { print }')"
fine "eight kernels" 'sweep.launch = stream, graph' 'kind = many' 'kernels = 8'
not_short "a graph holds all of the work" $((8 * 49000))

# --- What waits, what puts no work anywhere, and what puts it elsewhere ---

fine "a benchmark that waits inside run" 'kind = waits'
if [ $has_records = yes ]; then
    equals "a benchmark that waits inside run: a note says what is read" \
        "read from the records of CUPTI, as run waits for the device" \
        "$(column reading_note | tr -d '"')"
    within "a benchmark that waits inside run: the wait is not timed" "" "$(column median_ns)" 53500
fi
fine "a benchmark that waits, without CUPTI" 'device = without' 'kind = waits'
not_short "a benchmark that waits, without CUPTI: it is not short"
succeeds "a benchmark that waits, without CUPTI: a note says what is timed" \
    grep -q "^\"*run waits for the device, and the host's part in that is timed as well: .*cupti is no" \
    <(column reading_note)
measure 'sweep.launch = graph, stream' 'kind = waits'
equals "what waits cannot be a graph, and the next case is fine" "failed ok 1" "$(column status | xargs) $code"
succeeds "which is reported" grep -q 'launch = graph: run cannot be captured' table.txt

refused "nothing is nothing to time" 'run put no work' 'sweep.launch = auto, graph' 'kind = nothing'
refused "work that the queue does not wait for" \
    'run leaves work on the device that its queue does not wait for' 'sweep.clock = kernel, event, wall' 'kind = aside'
if [ $has_records = yes ]; then
    fine "work that the queue does not wait for is in the records" 'sweep.kind = aside, spin' 'clock = record'
    not_short "work that the queue does not wait for is in the records as long as it was"
    refused "nothing is not recorded" 'run put no work' 'kind = nothing' 'clock = record'
fi
finish
