#!/usr/bin/env bash
# Odd ways of putting 50 us of work onto a GPU: the clock kernel reads each right, or the case is refused
# with a reason. Nothing is read as shorter than it is.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module odd_ways

on_the_queue='plain two three alternating counting own_graph dependent cooperative forked_joined thread_on_queue'
# Host functions, copies and allocations take time of their own; run may wait for the work.
longer='host_function waits_for_stream waits_for_device waits_for_event allocates allocates_async copies_pinned'
# Not on the queue, or not all of it: may be refused.
elsewhere='copies_pageable forked_unjoined blocking_stream legacy_stream per_thread_stream thread_on_stream'

# in_list WORD LIST: it is one of them.
in_list()
{
    [[ " $2 " == *" $1 "* ]]
}

ways="$on_the_queue $longer $elsewhere"
few_samples 200 'device = cuda' 'clock = kernel' 'time_limit = 30 s' '[bench odd_ways]' "sweep.way = ${ways// /, }" \
    '[bench large_copy]' 'plugin = odd_ways' 'way = only_copies_pageable' 'bytes = 8MiB' \
    '[bench odd_ways_every_call]' 'sweep.way = plain, alternating, counting' >odd.ini
run odd.ini -q
# A case a line; texts, which may hold commas, in files of their own: why it was not read as asked for,
# and why it was not measured.
column bench,way,status,verified,clock,launched,median_ns,mean_ns >cases.txt
column reading_note | sed 's/^"//; s/"$//' >notes.txt
column status_text | sed 's/^"//; s/"$//' >reasons.txt

# judge: of the case in the variables below; prints what is wrong with it.
judge()
{
    local least=49.9 most=53.5
    if [ "$status" != ok ]; then
        if ! in_list "$status" 'failed skipped' || [ -z "$reason" ]; then
            echo "it ended with status $status and reason '$reason'"
        elif ! in_list "$way" "$elsewhere" && [ "$bench" != large_copy ]; then
            echo "refused, although all of its work is on the queue: $reason"
        fi
        return
    fi
    if [ "$way" = alternating ]; then
        least=48.5 # not as many calls of each kind
    elif [ "$bench" = large_copy ]; then
        most=100000
    elif ! in_list "$way" "$on_the_queue"; then
        most=500
    fi
    is_within $least "$reading" $most || echo "$reading us are not between $least and $most us"
    if in_list "$way" "$longer" && [[ $way = waits* ]] && ! is_within $least "$reading" 53.5 && [ -z "$note" ]; then
        echo "longer than the work, and no note says why"
    fi
    if [ "$way" = counting ]; then
        [ "$verified" = ok ] || echo "run was not called for each sample: verified = $verified"
    fi
    if [ "$bench" = odd_ways_every_call ] && [ "$launched" != stream ]; then
        echo "run was not called for each sample: launched = $launched"
    fi
}

printf '# %-30s %-8s %11s %-7s %-8s %s\n' way status 'reading us' clock launched 'note or reason'
n_judged=0
while IFS=, read -r bench way status verified clock launched median mean &&
    read -r note <&3 && read -r reason <&4; do
    [ "$way" != alternating ] || median=$mean
    reading=
    [ -z "$median" ] || reading=$(awk -v x="$median" 'BEGIN { printf "%.3f", x / 1000 }' </dev/null)
    name=$way
    [ "$bench" = odd_ways ] || name="$way ($bench)"
    n_judged=$((n_judged + 1))
    equals "$name: 50 us, or refused with a reason" "" "$(judge)"
    printf '# %-30s %-8s %11s %-7s %-8s %s\n' "${name/odd_ways_/}" "$status" "${reading:--}" "$clock" \
        "${launched:--}" "${note:-$reason}"
done <cases.txt 3<notes.txt 4<reasons.txt
equals "each case was judged" 27 "$n_judged"
finish
