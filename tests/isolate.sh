#!/usr/bin/env bash
# isolate.sh - runs one test for make check: in a private TMPDIR, with a time limit and with the same environment
# everywhere. A test prints TAP; for one that prints none its exit status counts (77: skipped). Programs for another
# machine are run by $TEST_RUNNER. The limit is for what hangs: no test comes near it, however busy the machine is.
# It is started for each test, so it starts little itself. usage: isolate.sh TEST
set -u
export LC_ALL=C TZ=UTC0
unset MAKEFLAGS MFLAGS MAKELEVEL GBRUN_PLUGIN_PATH COLUMNS

TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/gbrun-test.XXXXXX") || exit 99
export TMPDIR
out=$TMPDIR.out
trap 'rm -rf "$TMPDIR" "$out"* 2>/dev/null || { chmod -R u+w "$TMPDIR"; rm -rf "$TMPDIR" "$out"*; }' EXIT
trap 'exit 99' HUP INT TERM

# shellcheck disable=SC2086 # words: an emulator with its arguments
case $1 in
*.sh) set -- bash "$@" ;;
*) set -- ${TEST_RUNNER-} "$@" ;;
esac
# Tests that are run at the same time do not wait for each other, nor say that the machine is busy.
export GBRUN_LOCK_FOLDER=$TMPDIR/.locks GBRUN_IGNORE_LOAD=1
# What git says of the tree that they are built in is not theirs; a run would ask it for each module.
export GIT_CEILING_DIRECTORIES=$top_srcdir:$top_builddir
mkdir "$GBRUN_LOCK_FOLDER"
limit=${TEST_TIME_LIMIT:-1800} status=0
TIMEFORMAT='# took %3R s, processor %3U s + %3S s'
{ time timeout -k 10 "$limit" "$@" >"$out" 2>&1 </dev/null || status=$?; } 2>"$out.time"
awk -v status="$status" -v limit="$limit" '
    # What a program of Check says of a test that it skips stands before the result of that test.
    /^# skipped: / { why = substr($0, 12) }
    /^(not )?ok / { if (why != "" && $1 == "ok") $0 = $0 " # SKIP " why; why = "" }
    { print }
    FILENAME == ARGV[1] { last = $0 }
    FILENAME == ARGV[1] && /^(1\.\.|ok|not ok)/ { tap = 1 }
    /^not ok/ { failed = 1 }
    END {
        if (status == 124)
            print "# ended after " limit " s"
        if (tap && status != 0 && !failed)
            print "Bail out! exit status " status " though no line of it failed"
        else if (!tap && status == 77)
            print "1..0 # SKIP " last
        else if (!tap)
            print "1..1\n" (status == 0 ? "ok 1" : "not ok 1 - exit status " status)
    }' "$out" "$out.time"
