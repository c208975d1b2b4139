#!/bin/sh
# summary.sh - what make check says at its end: which tests failed, why others were skipped, how many there were, and
# what took longest. usage: summary.sh [TEST]...; without one, all that were run in this folder and below and are still
# there: what a test left that has another name by now is of another run.
# shellcheck disable=SC2046,SC2086 # words without blanks
top=$(dirname "$0")/..
if [ $# = 0 ]; then
    for test in $(find . -name '*.trs' ! -path './build-*' ! -path './gbrun-[0-9]*' | sed 's|^\./||; s|\.trs$||'); do
        if [ -e "$test" ] || [ -e "$top/$test.sh" ]; then set -- "$@" "$test"; fi
    done
fi
files=
for test; do
    test=${test%.sh}
    [ ! -f "$test.trs" ] || files="$files $test.trs $test.log"
done
awk '
    BEGIN { sorted = "sort -k 2,2rn | head -n 20" }
    FNR == 1 { test = FILENAME; sub(/\.[a-z]+$/, "", test); results = FILENAME ~ /\.trs$/ }
    results && /^:test-result: / {
        n[$2 ~ /^X?(PASS|FAIL)$|SKIP/ ? $2 : "FAIL"]++
        next
    }
    # What a script says of a failure stands below it.
    /^(not ok|Bail out!)/ && !/# (TODO|SKIP)/ { failed[++n_failed] = test ": " $0; more = 5; next }
    /^#   / && more-- > 0 { failed[n_failed] = failed[n_failed] "\n" test ": " $0; next }
    { more = 0 }
    /^(ok .*|1\.\.0 *)# SKIP/ {
        sub(/.*# SKIP */, "")
        skipped[$0]++
    }
    /^# took [0-9.]+ s, processor / { wall[test] = $3; processor[test] = $6 + $9 }
    END {
        for (i = 1; i <= n_failed && i <= 50; i++)
            print failed[i]
        for (what in skipped)
            print "skipped " skipped[what] ": " what | sorted
        close(sorted)
        print "Slowest, s of wall time and of processors:"
        slowest = "sort -rn | awk \047NR <= 10 || $1 > 10 { print $0 ($1 > 10 ? \"  over 10 s\" : \"\") }\047"
        for (test in wall) {
            printf "%9.3f %9.3f  %s\n", wall[test], processor[test], test | slowest
            walls += wall[test]
            processors += processor[test]
        }
        close(slowest)
        printf "%9.3f %9.3f  all\n", walls, processors
        passed = n["PASS"] + n["XFAIL"]
        fails = n["FAIL"] + n["XPASS"]
        if (n["SKIP"] > 0)
            printf "Skipped: %.1f %%\n", 100 * n["SKIP"] / (passed + fails + n["SKIP"])
        printf "%d passed, %d failed, %d skipped\n", passed, fails, n["SKIP"]
    }' $files </dev/null
