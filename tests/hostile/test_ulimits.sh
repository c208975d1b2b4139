#!/usr/bin/env bash
# Limits of the shell: whatever they stop, a sentence names the limit, and no error ends in "Success".
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
few_samples 10 'device = cpu' '[bench nop]' >few.ini
"$GBRUN" -q -c few.ini -o before.gbr >/dev/null || fail "a run without limits"

# limited FLAG VALUE COMMAND...: it does what it should, or says which limit it met; never by a signal.
limited()
{
    local flag=$1 value=$2 code
    shift 2
    rm -f results.gbr*
    (
        ulimit "-$flag" "$value" || exit 0
        exec "$@"
    ) </dev/null 2>&1 | cat >out
    code=${PIPESTATUS[0]}
    case $code in
    0) pass "ulimit -$flag $value $2: no need of more" ;;
    127) pass "ulimit -$flag $value $2: the loader's business" ;;
    [1-4]) has "ulimit -$flag $value $2: exit code $code, and why" out "ulimit -$flag, is $value$([ "$flag" = n ] || echo " KiB"))" ;;
    *) fail "ulimit -$flag $value $2: exit code $code" "$(cat out)" ;;
    esac
    equals "ulimit -$flag $value $2: a reason" "" "$(grep -i success out)"
}
for value in 4 5 6 7 8 9 10 12 14 16; do
    limited n $value "$GBRUN" run -q -c few.ini
done
for value in 0 1 8 50; do
    limited f $value "$GBRUN" run -q -c few.ini
    limited f $value "$GBRUN" export --rows sample -o out.csv before.gbr
    limited f $value "$GBRUN" report --pivot bench -o out.svg before.gbr
done
for value in 7000 9000 12000 20000; do
    limited v $value "$GBRUN" run -q -c few.ini
    limited v $value "$GBRUN" show before.gbr
done
if [ "$(id -u)" != 0 ]; then
    limited u 1 "$GBRUN" run -q -c few.ini
else
    skip "ulimit -u" "root has no such limit"
fi
for command in "help keys" "list plugins" "show before.gbr" "export --rows sample -f json before.gbr"; do
    # shellcheck disable=SC2086
    reason=$("$GBRUN" $command 2>&1 >/dev/full)
    equals "$command on a full disk: exit code" 4 "$?"
    succeeds "$command on a full disk: the reason" grep -q "No space left on device" <<<"$reason"
done
finish
