#!/usr/bin/env bash
# multistream_matmul takes as long as its problems' own times predict, in each of several processes, and stamps
# do not slow it. PROCESSES=10 ./run-gpu-tests -v streams: so many, with tables of what was measured; default 3.
. "$top_srcdir/tests/gpu/common.sh"
begin
n_processes=${PROCESSES:-3}
head=$(few_samples 20 'device = cuda:0' 'max_time = 1 min')

# Of each number of streams a line: streams, both speed-ups, by how many percent they differ, the whole over the
# prediction of the same run, the host's time over it, milliseconds of fastest and slowest problem, units.
lines_of_streams()
{
    column "streams,median_ns,predicted_time,measured_to_predicted,fastest_problem,slowest_problem,units_used" \
        "bench = 'streams'" | awk -F, '
        NF == 7 && $3 > 0 {
            if (!one) { one = $2; one_predicted = $3 }
            measured = one / $2; predicted = one_predicted / $3
            printf "%2d %7.3f %7.3f %+6.2f %8.4f %8.4f %7.3f %7.3f %4d\n", $1, measured, predicted,
                100 * (measured / predicted - 1), $4, $2 / $3, $5 / 1e6, $6 / 1e6, $7
        }'
}

# The problems of a case: number, multiprocessor, milliseconds.
lines_of_problems()
{
    local i names=
    for i in {0..15}; do names="$names,problem_$i,problem_${i}_unit"; done
    column "${names#,}" "bench = 'streams' and streams = $1" | tr ',' '\n' | paste - - |
        awk -v streams="$1" '{ printf "%2d %6d %4d %7.3f\n", NR - 1, (NR - 1) % streams, $2, $1 / 1e6 }'
}

: >costs.txt
for ((i = 1; i <= n_processes; i++)); do
    fine "process $i: all is right" \
        '[bench streams]' 'plugin = multistream_matmul' 'stamps = each' 'sweep.streams = 1, 2, 4, 5, 8, 16' \
        '[bench stamps]' 'plugin = multistream_matmul' 'streams = 16' 'sweep.stamps = no, yes'
    lines_of_streams >lines.txt
    echo "# streams, speed-up measured and predicted, difference in %, run and median over prediction,"
    echo "#     fastest and slowest problem in ms, multiprocessors"
    sed 's/^/# /' lines.txt
    equals "process $i: each number of streams is within 1 % of its prediction" "1 2 4 5 8 16" \
        "$(awk '$4 >= -1 && $4 <= 1 { print $1 }' lines.txt | xargs)"
    equals "process $i: and so is each run by itself" "1 2 4 5 8 16" \
        "$(awk '$5 > 0.9999 && $5 <= 1.01 { print $1 }' lines.txt | xargs)"
    equals "process $i: on so many multiprocessors at least, at most two a problem" "1 2 4 5 8 16" \
        "$(awk '$9 >= $1 && $9 <= 32 { print $1 }' lines.txt | xargs)"
    column "stamps,min_ns" "bench = 'stamps'" | awk -F, '
        { time[$1] = $2 } END { printf "%.3f\n", time["no"] ? 100 * (time["yes"] / time["no"] - 1) : 100 }' >>costs.txt
done
for streams in 1 5 16; do
    echo "# problems on $streams streams: problem, stream, multiprocessor, ms"
    lines_of_problems "$streams" | sed 's/^/# /'
done
echo "# what stamps cost, percent of the time on 16 streams: $(xargs <costs.txt)"
# Of several processes the median: two cases of one do not always run on the same multiprocessors.
within "stamps cost less than 0.1 %" -5 "$(median <costs.txt)" 0.0999
finish
