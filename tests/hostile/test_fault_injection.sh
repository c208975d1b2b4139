#!/usr/bin/env bash
# Each allocation, each operation on files, each start of a process and each call of SQLite fails once, in a run of three
# cases and in a merge: an error that says what it was, or all is there; never a signal, never a wrong file. make check
# takes every 31st call, of SQLite every 93rd, of allocations of the supervisor every 930th; with HOSTILE=all (make hostile) it is all of them. HOSTILE=7
# for 31 takes every 7th, 21st and 210th.
. "$top_srcdir/tests/tap.sh"
if [ "${SANITIZE-}" ]; then
    skip "calls that fail" "the sanitizers have an allocator of their own"
    finish
fi
cd "$TMPDIR" || exit 1
GBRUN_PLUGIN_PATH=$PWD/plugins:$top_builddir/plugins/policy_fixed/.libs
export GBRUN_PLUGIN_PATH
mkdir plugins
cp "$top_builddir"/tests/modules/.libs/{good,device_fake}.so plugins

{
    few_samples 10 'device = exact' 'iterations = 1' 'time_limit = 10 min'
    section device exact fake step=0ns
    section bench good good 'sweep.factor=1, 2, 3'
} >cases.ini

# facts FILE: what must be the same in each run; nothing where the file ends before its first case.
facts()
{
    "$GBRUN" export "$1" --columns factor,status,n_samples,median_ns,mean_ns,metric.runs 2>&1 |
        grep -v "^factor,\|no column '\(factor\|metric.runs\)'\|there is no such\|: holds no run\$\|: empty: nothing" | tr -d '\r'
}
"$GBRUN" run -q -c cases.ini -o reference.gbr >/dev/null 2>text.txt
reference=$(facts reference.gbr)
equals "three cases without a fault" 3 "$(grep -c '^[123],ok,10,' <<<"$reference")"

# look FILE CODE: what is wrong after a command that ended so; its words are in out.txt.
look()
{
    local line said stored='' seen=' ' factor
    said=$(<out.txt)
    [[ $2 = [0-4] ]] || echo "exit $2"
    [ "$2" = 0 ] || [ -n "$said" ] || echo "exit $2 without a word"
    [ ! -e "$1" ] || stored=$(facts "$1")
    [ "$2" != 0 ] || [ "$stored" = "$reference" ] || echo "exit 0 with: $stored"
    while read -r line; do
        case $line in
        '' | *,crashed,* | *,failed,* | *,cancelled,* | *,running,*) ;;
        *) [[ $'\n'$reference$'\n' = *$'\n'"$line"$'\n'* ]] || echo "stored: $line" ;;
        esac
        factor=${line%%,*}
        [[ $factor != [123] || $seen != *" $factor "* ]] || echo "a case is there twice"
        seen+="$factor "
    done <<<"$stored"
    while read -r line; do
        [[ ! $line =~ ^[123]/3\ \ good\ factor=([123])\ \ .*\ 10\ samples$ ||
            $'\n'$stored = *$'\n'"${BASH_REMATCH[1]},ok,"* ]] || echo "announced and not there: ${BASH_REMATCH[1]}"
        [[ $line != *'crashed (SIG'* && $line != *': Success'* ]] || echo "$line"
    done <<<"$said"
}

# inject NAME WHAT IN FILE COMMAND...: FILE is what the command makes.
inject()
{
    local name=$1 what=$2 in=$3 file=$4 step=31 i wrong='' found n=0
    shift 4
    case ${HOSTILE-} in [1-9]*) step=$HOSTILE ;; esac
    case $in-$what in
    *sqlite | worker-memory) step=$((3 * step)) ;;
    *memory) step=$((30 * step)) ;;
    *processes) step=$((step / 5 + 1)) ;;
    esac
    [ "${HOSTILE-}" != all ] || step=1
    for ((i = 1;; i += step)); do
        rm -rf "$file"*
        at_call $i "$what" "$in" 0 "$@" >out.txt 2>&1
        found=$(look "$file" $?)
        # What SQLite did not do itself it has no words for.
        [ "$what" = sqlite ] || found+=$(grep 'not an error' out.txt)
        [ -z "$found" ] || wrong+="$what $i ($(cat mark 2>/dev/null)): $found
"
        [ -e mark ] || break
        n=$((n + 1))
    done
    echo "# $name: $n of about $i"
    [ $n -gt 0 ] || wrong="no call was reached"
    equals "$name" "" "$wrong"
}

for in in supervisor worker; do
    for what in memory files processes sqlite; do
        case $in-$what in worker-sqlite | worker-processes) continue ;; esac # there are none
        inject "a run, $what, in the $in" $what $in results.gbr "$GBRUN" -c cases.ini -s gbrun.durability=process
    done
done
for what in memory files sqlite; do
    inject "a merge, $what" $what supervisor merged.gbr "$GBRUN" merge -o merged.gbr reference.gbr
done
finish
