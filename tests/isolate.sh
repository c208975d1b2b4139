#!/bin/sh
# isolate.sh - runs one test for make check: in a private TMPDIR, with a time limit and with the same
# environment everywhere. A test prints TAP; for one that prints none its exit status counts (77:
# skipped). Programs for another machine are run by $TEST_RUNNER. usage: isolate.sh TEST
set -u
LC_ALL=C TZ=UTC0
export LC_ALL TZ
unset MAKEFLAGS MFLAGS MAKELEVEL GBRUN_PLUGIN_PATH COLUMNS

TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/gbrun-test.XXXXXX") || exit 99
export TMPDIR
trap 'chmod -R u+w "$TMPDIR"; rm -rf "$TMPDIR" "$TMPDIR.out"' EXIT
trap 'exit 99' HUP INT TERM

# shellcheck disable=SC2086 # words: an emulator with its arguments
case $1 in
*.sh) set -- bash "$@" ;;
*) set -- ${TEST_RUNNER-} "$@" ;;
esac
# Tests that are run at the same time do not wait for each other, nor say that the machine is busy.
mkdir "$TMPDIR/.locks"
GBRUN_LOCK_FOLDER=$TMPDIR/.locks GBRUN_IGNORE_LOAD=1
export GBRUN_LOCK_FOLDER GBRUN_IGNORE_LOAD
began=$(date +%s)
timeout -k 10 "${TEST_TIME_LIMIT:-600}" "$@" >"$TMPDIR.out" 2>&1 </dev/null
status=$?
took=$(($(date +%s) - began))
[ "$status" != 124 ] || echo "# ended after ${TEST_TIME_LIMIT:-600} s" >>"$TMPDIR.out"
# What a program of Check says of a test that it skips stands before that test's result.
awk '/^# skipped: / { why = substr($0, 12) }
/^(not )?ok / { if (why != "" && $1 == "ok") $0 = $0 " # SKIP " why; why = "" }
{ print }' "$TMPDIR.out"
echo "# took $took s"

if ! grep -qE '^(1\.\.|ok|not ok)' "$TMPDIR.out"; then
    case $status in
    77) echo "1..0 # SKIP $(tail -n 1 "$TMPDIR.out")" ;;
    0) printf '1..1\nok 1\n' ;;
    *) printf '1..1\nnot ok 1 - exit status %s\n' "$status" ;;
    esac
elif [ "$status" != 0 ] && ! grep -q '^not ok' "$TMPDIR.out"; then
    echo "Bail out! exit status $status though no line of it failed"
fi
