#!/usr/bin/env bash
# kill -9 at random moments, of runs, of their workers and of merges: what was announced is there, nothing is there twice
# or was never measured, and what is missing can be measured or merged afterwards. make check kills a few times, make
# hostile 500 times; KILLS=N and SEED=N say otherwise.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
mkdir plugins
cp "$top_builddir"/tests/modules/.libs/{good,device_fake}.so plugins
export GBRUN_PLUGIN_PATH=$PWD/plugins:$top_builddir/plugins/policy_fixed/.libs
[ "${HOSTILE-}" != all ] || KILLS=${KILLS-500}
kills=${KILLS-12}
seed=${SEED-$RANDOM}
RANDOM=$seed
n_cases=30

few_samples 10 'device = exact' 'iterations = 1' >cases.ini
cat >>cases.ini <<INI
[device exact]
plugin = fake
step = 0ns
[bench good]
sweep.factor = 1:$n_cases
INI
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
milliseconds()
{
    local now=${EPOCHREALTIME/./}
    echo $((now / 1000))
}
begin=$(milliseconds)
"$GBRUN" -c cases.ini -o first.gbr >table.txt 2>text.txt
run_ms=$(($(milliseconds) - begin))
"$GBRUN" run -q -c cases.ini -o second.gbr >table.txt 2>text.txt
rows first.gbr | sort >reference.csv
begin=$(milliseconds)
"$GBRUN" merge -o both.gbr first.gbr second.gbr 2>text.txt
merge_ms=$(($(milliseconds) - begin))
sort reference.csv reference.csv >both.csv
equals "without a kill" "$n_cases" "$(grep -c ',ok,10,' reference.csv)"

# at_random MILLISECONDS: waits up to so long.
at_random()
{
    sleep "$(printf '0.%04d' $((RANDOM * 10 * $1 / 32768 % 10000)))"
}
# compare WHAT FILE [EXPECTED]: says what is wrong with what is stored: announced and lost, invented, twice; or other
# than expected.
compare()
{
    local found
    found=$(rows "$2" | sort)
    if [ "${3-}" ]; then
        [ "$found" = "$(cat "$3")" ] || echo "$1: the file holds: $found"
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
    "$GBRUN" -c cases.ini >out.txt 2>&1 &
    at_random $((run_ms * 11 / 10))
    { kill -9 $! && wait $!; } 2>/dev/null
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
    local pid workers n_crashed=0
    rm -f results.gbr*
    "$GBRUN" -c cases.ini >out.txt 2>&1 &
    pid=$!
    at_random "$run_ms"
    workers=$(pgrep -P $pid)
    # shellcheck disable=SC2086 # one word each
    [ -z "$workers" ] || kill -9 $workers 2>/dev/null
    wait $pid
    # One that is asked what a module holds is killed before anything is measured.
    if [ ! -e results.gbr ] && grep -q 'cannot be used: crashed (SIGKILL)' out.txt; then
        return
    fi
    n_crashed=$(rows results.gbr | grep -c ',crashed,')
    [ "$n_crashed" -le 1 ] || echo "worker: $n_crashed cases crashed"
    [ "$(($(rows results.gbr | grep -cxFf reference.csv) + n_crashed))" = $n_cases ] ||
        echo "worker: not all others are there: $(rows results.gbr; cat out.txt)"
    compare worker results.gbr | grep -v 'invented: .*,crashed,'
}
kill_merge()
{
    local is_new=yes
    rm -f merged.gbr*
    if [ $((RANDOM % 2)) = 0 ]; then
        cp first.gbr merged.gbr
        is_new=no
    fi
    "$GBRUN" merge -o merged.gbr first.gbr second.gbr >out.txt 2>&1 &
    at_random $((merge_ms * 11 / 10))
    { kill -9 $! && wait $!; } 2>/dev/null
    rows merged.gbr | sort >found
    cmp -s found both.csv || cmp -s found reference.csv || { ! grep -q . found && [ $is_new = yes ]; } ||
        echo "merge: the file holds: $(cat found)"
    "$GBRUN" merge -o merged.gbr first.gbr second.gbr >out.txt 2>&1 || echo "merging again: $(cat out.txt)"
    compare "merged again" merged.gbr both.csv
}

wrong=
for ((i = 0; i < kills; i++)); do
    case $((RANDOM % 4)) in
    0) found=$(kill_worker) ;;
    1) found=$(kill_merge) ;;
    *) found=$(kill_run) ;;
    esac
    [ -z "$found" ] || wrong+="kill $i: $found
"
done
equals "$kills kills (SEED=$seed, a run of $run_ms ms): nothing lost, invented or there twice" "" "$wrong"
finish
