#!/usr/bin/env bash
# Which clock counts, with CUPTI and without it; caches; graphs.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

head="[policy few]
plugin = fixed
samples = 60
[device without]
plugin = cuda
cupti = no
[device astray]
plugin = cuda
cupti = /there/is/no/libcupti.so
[device odd]
plugin = cuda
cupti = $top_builddir/tests/modules/.libs/fake_cupti.so
[defaults]
policy = few
device = cuda
time_limit = 30 s
[bench work]
plugin = cuda_kernels
duration = 50 us
"
# measure LINE...: [bench work] with these lines as well.
measure()
{
    printf '%s' "$head" >work.ini
    printf '%s\n' "$@" >>work.ini
    run work.ini
}

# falls_back NAME WORDS: the run is fine, events counted, and the table says why, once.
falls_back()
{
    all_fine "$1"
    equals "$1: events count" event "$(column clock | sort -u)"
    equals "$1: which is said once" 1 "$(grep -c 'no clock kernel' table.txt)"
    succeeds "$1: with the reason" \
        grep -q "no clock kernel, the clock event is used in its place: .*$2" table.txt
}

measure
all_fine "a kernel is measured"
if grep -q 'libcupti was not found' table.txt; then
    clocks='event wall'
    skip "the clock kernel" "there is no CUPTI on this machine"
else
    clocks='kernel event wall busy'
    equals "by its own record" kernel "$(column clock)"
    # tests/modules/fake_cupti.c
    FAKE_CUPTI=busy measure 'device = odd'
    falls_back "CUPTI that another profiler has" 'CUPTI is busy'
    FAKE_CUPTI=forbidden measure 'device = odd'
    falls_back "CUPTI that is forbidden" 'CUPTI is forbidden to this user'
    FAKE_CUPTI=drop measure 'device = odd' 'sweep.number = 1:3'
    all_fine "CUPTI that loses records"
    equals "CUPTI that loses records: it counts all the same" kernel "$(column clock | sort -u)"
    if [ "$(column n_lost | awk '{ n += $1 } END { print n + 0 }')" -gt 0 ]; then
        pass "CUPTI that loses records: the samples are counted"
    else
        fail "CUPTI that loses records: the samples are counted" "$(cat table.txt)"
    fi
    FAKE_CUPTI=none measure 'device = odd'
    equals "CUPTI by its path counts" kernel "$(column clock)"
fi
measure "sweep.clock = ${clocks// /, }"
all_fine "every clock can be chosen"
equals "and counts" "$clocks" "$(in_a_line column clock)"
# 50 us and what each clock adds to it; twenty times as much is no clock at all.
equals "each reads the length of the kernel at least" "" "$(column clock,min_ns |
    awk -F, '$2 < 49000 || $2 > 1000000 { print }')"

measure 'device = without'
all_fine "without CUPTI on purpose"
equals "events count" event "$(column clock)"
equals "and nothing is said about it" "" "$(grep -h 'no clock kernel' text.txt table.txt)"
measure 'device = astray' 'sweep.number = 1:3'
falls_back "without CUPTI where it was looked for" '/there/is/no/libcupti.so'
measure 'device = without' 'clock = kernel'
equals "a clock that is not there is no silent choice" 1 "$code"
succeeds "but an error that names it" grep -q 'kernel' <(column status_text)

measure 'sweep.cache = warm, cold' 'sweep.kind = copy, fill, spin, many, empty'
all_fine "warm and cold caches"
number_of_cases 10
equals "are part of the result" "5 5" \
    "$(in_a_line column cache | awk '{ print gsub(/warm/, ""), gsub(/cold/, "") }')"

measure 'kind = waits'
all_fine "a benchmark that waits inside run"
measure 'sweep.launch = stream, graph' 'sweep.kind = spin, copy, fill, many'
all_fine "launched as a graph"
number_of_cases 8
measure 'sweep.launch = stream, graph' 'kind = many' 'kernels = 8'
equals "a graph holds all of the work" "" "$(column launch,min_ns |
    awk -F, '$2 < 8 * 49000 { print }')"
measure 'launch = graph' 'kind = waits'
equals "what waits cannot be a graph" "failed 1" "$(column status) $code"
succeeds "which is reported" grep -q 'launch = graph: what run does cannot be captured' table.txt
measure 'sweep.launch = graph, stream' 'kind = waits'
equals "and the next case is fine" "failed ok" "$(in_a_line column status)"
measure 'launch = graph' 'kind = nothing'
succeeds "nothing cannot be a graph either" grep -q 'run put no work' text.txt
finish
