#!/usr/bin/env bash
# A case that makes all launches of its process slower: kernels of two streams side by side do, for as
# long as the process lives. Cases after it read what those before it did.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module truth

# measure NAME=KIND...: a benchmark for each, in this order, in one run of $ROUNDS rounds, 1 by default.
measure()
{
    local bench
    few_samples 4096 'device = cuda' 'clock = kernel' 'warmup = 20 ms' '[gbrun]' "rounds = ${ROUNDS:-1}" >state.ini
    for bench; do
        printf '[bench %s]\nplugin = truth_plain\nkind = %s\n' "${bench%=*}" "${bench#*=}" >>state.ini
    done
    run state.ini -q
    all_fine "$*"
    column bench,kind,launched,estimate_ns,offset_ns,offset_error_ns | tr , ' ' >state.txt
    awk '{ printf "# %-8s %-6s launched: %-6s %9.2f ns, offset %.2f +- %.2f ns\n", $1, $2, $3, $4, $5, $6 }' \
        state.txt
    grep ' empty ' state.txt >>empty.txt
    equals "$*: the empty kernel is read as it is alone" "" \
        "$(column reading_note "kind = 'empty'" | grep .)"
}

# agree NAME COLUMN: of the empty kernels in empty.txt, to 10 ns.
agree()
{
    local range
    range=$(awk -v column="$2" '
        { x = $column; if (NR == 1 || x < least) least = x; if (NR == 1 || x > most) most = x }
        END { printf "%.2f", (NR > 1 && least > 0 ? most - least : 1e9) }' empty.txt)
    within "$1 ($range ns)" "" "$range" 10 "$(cat empty.txt)"
}

: >empty.txt
measure before=empty fork=fork after=empty
agree "an empty kernel takes the same before and after kernels of two streams" 4
agree "so do two stamps with nothing between" 5
# The process has not seen its faster state here.
measure fork=fork after=empty
agree "an empty kernel takes the same where they were first" 4
agree "so do two stamps where they were first" 5
# The slower state may show only when the next case has begun.
ROUNDS=6 measure fork=fork after=empty
agree "an empty kernel takes the same in each of six rounds" 4
# Without work of several streams it is one process throughout.
measure one=empty many=graph two=empty
agree "an empty kernel takes the same before and after a graph" 4
# Nor where the device fills an array.
few_samples 200 'device = cuda' '[gbrun]' 'rounds = 6' >fill.ini
printf '%s\n' '[bench elementwise]' 'kernel = scale' 'n = 256Ki' >>fill.ini
run fill.ini -q
all_fine "arrays that are filled"
equals "six visits of a case whose arrays are filled open the device once" 1 \
    "$("$GBRUN" export --format jsonl results.gbr | grep -o '"open_ns":[0-9]*' | awk -F: '$2 > 5e6' | grep -c .)"
finish
