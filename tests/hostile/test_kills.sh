#!/usr/bin/env bash
# shellcheck disable=SC2317 # functions are called by names that are put together
# SIGKILL at the Nth call of a kind, in runs, in their workers and in merges, or the failure of that call (fail_nth.c):
# what was announced is there, nothing is there twice or was never measured. What a kill leaves out can be measured or
# merged afterwards; a call that fails is an error that says what it was, or all is there; never a signal. make check
# takes a few N, make hostile (HOSTILE=all) every one. HOSTILE=7: every 7th call fails, of SQLite every 21st, of
# allocations every 210th, in place of every 61st, 183rd and 1830th.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
mkdir plugins
cp "$top_builddir"/tests/modules/.libs/{good,device_fake}.so plugins
export GBRUN_PLUGIN_PATH=$PWD/plugins:$top_builddir/plugins/policy_fixed/.libs
n_cases=5

{
    few_samples 10 'device = exact' 'iterations = 1' 'time_limit = 10 min'
    section device exact fake step=0ns
    section bench good good sweep.factor=1:$n_cases
} >cases.ini
# rows FILE: a line for each case, with what is the same in every run; none where the file ends before its first case.
rows()
{
    "$GBRUN" export "$1" --run all --columns factor,status,n_samples,median_ns,mean_ns,metric.runs 2>&1 | tr -d '\r' |
        grep -v "^factor,\|no column '\|there is no such\|: holds no run\$\|: empty: not" | sort
}
"$GBRUN" -q -c cases.ini -o first.gbr >table.txt 2>text.txt
"$GBRUN" run -q -c cases.ini -o second.gbr >table.txt 2>text.txt
rows first.gbr >reference.csv
sort reference.csv reference.csv >both.csv
equals "without a fault" "$n_cases" "$(grep -c ',ok,10,' reference.csv)"

# holds WHAT FILE EXPECTED: says it where the file holds something else.
holds()
{
    [ "$(rows "$2")" = "$(<"$3")" ] || echo "$1: the file holds: $(rows "$2")"
}
# compare FILE STATUSES: what is wrong with what is stored: announced in out.txt and lost; invented, unless its status
# is one of these (a pattern); or twice.
compare()
{
    local found line
    found=$(rows "$1")
    sed -n "s|^[0-9]*/$n_cases  good factor=\([0-9]*\)  .* 10 samples\$|\1,ok,|p" out.txt | while read -r line; do
        grep -q "^$line" <<<"$found" || echo "lost: $line"
    done
    grep -v ",\($2\),\|^\$" <<<"$found" | grep -vxFf reference.csv | sed 's/^/invented: /'
    cut -d , -f 1 <<<"$found" | grep -v '^$' | uniq -d | sed 's/^/twice: /'
}

# ---- killed ----
# killed_at N WHAT IN COMMAND...: the command's process is killed at that call of it; its words are in out.txt.
killed_at()
{
    { at_call "$1" "$2" "$3" 9 "${@:4}" >out.txt 2>&1; } 2>/dev/null
}
kill_run()
{
    rm -f results.gbr*
    killed_at "$1" files supervisor "$GBRUN" -c cases.ini
    compare results.gbr running
    if [ ! -e results.gbr ]; then
        return
    elif "$GBRUN" run -q --resume results.gbr >table.txt 2>text.txt; then
        holds resumed results.gbr reference.csv
    elif ! grep -q 'results.gbr: \(holds no run$\|empty: not\)' text.txt; then
        echo "resuming: $(cat text.txt)"
    fi
}
kill_worker()
{
    local found n_crashed
    rm -f results.gbr*
    killed_at "$1" wire worker "$GBRUN" -c cases.ini
    # One that is asked what a module holds is killed before anything is measured.
    if [ ! -e results.gbr ] && grep -q 'cannot be used: crashed (SIGKILL)' out.txt; then
        return
    fi
    found=$(rows results.gbr)
    n_crashed=$(grep -c ',crashed,' <<<"$found")
    [ "$n_crashed" -le 1 ] || echo "$n_crashed cases crashed"
    [ "$(($(grep -cxFf reference.csv <<<"$found") + n_crashed))" = "$n_cases" ] ||
        echo "not all others are there: $found $(cat out.txt)"
    compare results.gbr 'running\|crashed'
}
kill_merge()
{
    rm -f merged.gbr*
    [ $(($1 % 2)) = 1 ] || cp first.gbr merged.gbr
    killed_at "$1" files supervisor "$GBRUN" merge -o merged.gbr first.gbr second.gbr
    case $(rows merged.gbr) in
    "$(<both.csv)" | "$(<reference.csv)") ;;
    *) [ -z "$(rows merged.gbr)" ] && [ $(($1 % 2)) = 1 ] || echo "the file holds: $(rows merged.gbr)" ;;
    esac
    "$GBRUN" merge -o merged.gbr first.gbr second.gbr >out.txt 2>&1 || echo "merging again: $(cat out.txt)"
    holds "merged again" merged.gbr both.csv
}

# ---- a call fails ----
# fail_in WHAT IN FILE COMMAND... N: FILE is what the command makes.
fail_in()
{
    local code
    rm -rf "$3"*
    at_call "${@: -1}" "$1" "$2" 0 "${@:4:$#-4}" >out.txt 2>&1
    code=$?
    [[ $code = [0-4] ]] || echo "exit $code"
    [ "$code" = 0 ] || [ -s out.txt ] || echo "exit $code without a word"
    [ "$code" != 0 ] || holds "exit 0" "$3" reference.csv
    compare "$3" 'crashed\|failed\|cancelled\|running'
    # What SQLite did not do itself it has no words for.
    grep "crashed (SIG\|: Success$([ "$1" = sqlite ] || echo '\|not an error')" out.txt
}

# each NAME LEAST STEP COMMAND...: does COMMAND N at every STEPth call, more than LEAST times, until one ends before it.
each()
{
    local i found wrong='' n=0 step=$3
    [ "${HOSTILE-}" != all ] || step=1
    for ((i = 1;; i += step)); do
        found=$("${@:4}" $i)
        [ -z "$found" ] || wrong+="at call $i ($(cat mark 2>/dev/null)): $found
"
        [ -e mark ] || break
        n=$((n + 1))
    done
    echo "# $1: $n of about $i calls"
    succeeds "$1: calls are reached" test $n -gt "$2"
    equals "$1: nothing lost, invented or there twice" "" "$wrong"
}
each "a run is killed" 2 37 kill_run
each "a worker is killed" 2 17 kill_worker
each "a merge is killed" 2 29 kill_merge
[ -z "${SANITIZE-}" ] || skip_rest "calls that fail" "the sanitizers have an allocator of their own"
case ${HOSTILE-} in [1-9]*) step=$HOSTILE ;; *) step=61 ;; esac
for what in memory files processes sqlite; do
    case $what in
    memory) at=$((30 * step)) ;;
    files) at=$step ;;
    processes) at=$((step / 5 + 1)) ;;
    sqlite) at=$((3 * step)) ;;
    esac
    each "a run, $what, in the supervisor" 0 "$at" fail_in $what supervisor results.gbr \
        "$GBRUN" -c cases.ini -s gbrun.durability=process
    [ $what = processes ] || each "a merge, $what" 0 "$at" fail_in $what supervisor merged.gbr \
        "$GBRUN" merge -o merged.gbr first.gbr
done
each "a run, memory, in the worker" 0 $((3 * step)) fail_in memory worker results.gbr \
    "$GBRUN" -c cases.ini -s gbrun.durability=process
each "a run, files, in the worker" 0 "$step" fail_in files worker results.gbr \
    "$GBRUN" -c cases.ini -s gbrun.durability=process
finish
