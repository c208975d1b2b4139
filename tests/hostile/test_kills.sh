#!/usr/bin/env bash
# shellcheck disable=SC2317 # functions are called by names that are put together
# SIGKILL at the Nth call of a kind, in runs, in their workers and in merges (fail_nth.c): what was announced is there,
# nothing is there twice or was never measured, and what is missing can be measured or merged afterwards. make check
# takes a few N, make hostile (HOSTILE=all) every one.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
mkdir plugins
cp "$top_builddir"/tests/modules/.libs/{good,device_fake}.so plugins
export GBRUN_PLUGIN_PATH=$PWD/plugins:$top_builddir/plugins/policy_fixed/.libs
n_cases=5

{
    few_samples 10 'device = exact' 'iterations = 1'
    section device exact fake step=0ns
    section bench good good sweep.factor=1:$n_cases
} >cases.ini
# rows FILE: a line for each case, with what is the same in every run; none where the file ends before its first case.
rows()
{
    "$GBRUN" export "$1" --run all --columns factor,status,n_samples,median_ns,mean_ns 2>&1 |
        grep -v "^factor,\|no column 'factor'\|there is no such\|: holds no run\$\|: empty: nothing" | tr -d '\r'
}
# announced: the lines of out.txt that say that a case is done, as those of `rows` begin.
announced()
{
    sed -n "s|^[0-9]*/$n_cases  good factor=\([0-9]*\)  .* 10 samples\$|\1,ok,|p" out.txt
}
"$GBRUN" -q -c cases.ini -o first.gbr >table.txt 2>text.txt
"$GBRUN" run -q -c cases.ini -o second.gbr >table.txt 2>text.txt
rows first.gbr | sort >reference.csv
sort reference.csv reference.csv >both.csv
equals "without a kill" "$n_cases" "$(grep -c ',ok,10,' reference.csv)"

# killed_at N WHAT IN COMMAND...: the command's process is killed at that call of it; its words are in out.txt.
killed_at()
{
    at_call "$1" "$2" "$3" 9 "${@:4}" >out.txt 2>&1
}
# compare WHAT FILE [EXPECTED]: says what is wrong with what is stored: announced and lost, invented, twice; or other
# than expected.
compare()
{
    local found
    found=$(rows "$2" | sort)
    if [ "${3-}" ]; then
        [ "$found" = "$(<"$3")" ] || echo "$1: the file holds: $found"
        return
    fi
    announced | while read -r line; do
        grep -q "^$line" <<<"$found" || echo "$1: lost: $line"
    done
    grep -v ',running,\|^$' <<<"$found" | grep -vxFf reference.csv | sed "s/^/$1: invented: /"
    cut -d , -f 1 <<<"$found" | grep -v '^$' | uniq -d | sed "s/^/$1: twice: /"
}

kill_run()
{
    rm -f results.gbr*
    { killed_at "$1" files supervisor "$GBRUN" -c cases.ini; } 2>/dev/null
    compare "run" results.gbr
    if [ ! -e results.gbr ]; then
        return
    elif "$GBRUN" run -q --resume results.gbr >table.txt 2>text.txt; then
        compare "run, resumed" results.gbr reference.csv
    elif ! grep -q 'results.gbr: \(holds no run$\|empty: nothing\)' text.txt; then
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
    [ "$n_crashed" -le 1 ] || echo "worker: $n_crashed cases crashed"
    [ "$(($(grep -cxFf reference.csv <<<"$found") + n_crashed))" = "$n_cases" ] ||
        echo "worker: not all others are there: $found $(cat out.txt)"
    compare worker results.gbr | grep -v 'invented: .*,crashed,'
}
kill_merge()
{
    local is_new=yes
    rm -f merged.gbr*
    if [ $(($1 % 2)) = 0 ]; then
        cp first.gbr merged.gbr
        is_new=no
    fi
    { killed_at "$1" files supervisor "$GBRUN" merge -o merged.gbr first.gbr second.gbr; } 2>/dev/null
    rows merged.gbr | sort >found
    cmp -s found both.csv || cmp -s found reference.csv || { ! grep -q . found && [ "$is_new" = yes ]; } ||
        echo "merge: the file holds: $(cat found)"
    "$GBRUN" merge -o merged.gbr first.gbr second.gbr >out.txt 2>&1 || echo "merging again: $(cat out.txt)"
    compare "merged again" merged.gbr both.csv
}

# each WHAT STEP: does it at every STEPth call, until the command ends before it is killed.
each()
{
    local i found wrong='' n=0 step=$2
    [ "${HOSTILE-}" != all ] || step=1
    for ((i = 1;; i += step)); do
        found=$("kill_$1" $i)
        [ -z "$found" ] || wrong+="at call $i ($(cat mark 2>/dev/null)): $found
"
        [ -e mark ] || break
        n=$((n + 1))
    done
    echo "# $1: $n kills, of $i calls"
    succeeds "$1: is killed" test $n -gt 2
    equals "$1, killed: nothing lost, invented or there twice" "" "$wrong"
}
each run 37
each worker 17
each merge 29
finish
