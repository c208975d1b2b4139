#!/usr/bin/env bash
# A plugin is rebuilt during a run, and between an interrupted run and --resume: what is recorded is the code that ran,
# and builds are not mixed in silence.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
mkdir plugins
GBRUN_PLUGIN_PATH=$PWD/plugins:$(printf '%s:' "$top_builddir"/plugins/{device_cpu,policy_fixed}/.libs)
export GBRUN_PLUGIN_PATH

few_samples 12 'device = cpu' 'iterations = 1' >cases.ini
cat >>cases.ini <<INI
[bench good]
sweep.size = $(seq -s ', ' 40)
INI
sed 's/^iterations/isolate = yes\niterations/' cases.ini >isolated.ini

# build N: puts build N of the plugin in its place, as a linker and `make install` do.
build()
{
    cp "$top_builddir/tests/modules/.libs/good.so" new.so
    echo "$1" >>new.so
    mv new.so plugins/good.so
}
build_2()
{
    build 2
}
interrupt()
{
    kill -INT "$(cat pid)"
}
build 1
first=$(sha256sum plugins/good.so | cut -c1-64)
build 2
second=$(sha256sum plugins/good.so | cut -c1-64)

# during ACTION ARGUMENT...: measures with build 1; the action comes when the first case has been stored.
during()
{
    local action=$1
    shift
    build 1
    rm -f results.gbr
    # shellcheck disable=SC2016 # for the inner shell
    sh -c 'echo $$ >pid; exec "$@"' sh "$GBRUN" run "$@" 2>&1 >table.txt | while read -r line; do
        case $line in
        1/*) "$action" ;;
        esac
        printf '%s\n' "$line"
    done >text.txt
}
# modules: the builds of the benchmark that the file names, sorted, on one line.
modules()
{
    "$GBRUN" export --format json | grep -o '"kind":"benchmark"[^}]*' | grep -o '"sha256":"[^"]*' | cut -d'"' -f4 |
        sort | tr '\n' ' '
}
both=$(printf '%s\n' "$first" "$second" | sort | tr '\n' ' ')
ok()
{
    "$GBRUN" export --columns status | tail -n +2 | grep -c '^ok$'
}

during : -c cases.ini
equals "one build" "$first " "$(modules)"
succeeds "no word of others" test -z "$(grep -i build text.txt table.txt)"

during build_2 -c cases.ini
equals "rebuilt while one worker has it loaded: cases" 40 "$(ok)"
equals "rebuilt while one worker has it loaded: that is the build" "$first " "$(modules)"

during build_2 -c isolated.ini
equals "rebuilt, a process for each case: cases" 40 "$(ok)"
equals "rebuilt, a process for each case: both builds" "$both" "$(modules)"
equals "the run says so, once" 1 "$(grep -c 'plugins/good.so is another build now than the run began with' text.txt)"
succeeds "the table says of which cases" grep -q 'warning: measured with another build of' table.txt
if command -v sqlite3 >/dev/null; then
    equals "each case has its own" "1|$first
0|$second" "$(sqlite3 results.gbr "SELECT min(sequence) = 0, plugin_sha256 FROM bench_case GROUP BY 2 ORDER BY min(sequence)")"
    equals "and refers to a row" 0 "$(sqlite3 results.gbr "SELECT count(*) FROM bench_case AS c WHERE NOT EXISTS
        (SELECT 1 FROM module AS m WHERE m.run_id = c.run_id AND m.id = c.plugin AND m.sha256 = c.plugin_sha256)")"
    cp results.gbr copy.gbr
    "$GBRUN" merge -o merged.gbr results.gbr copy.gbr 2>/dev/null
    equals "merged" "$(sqlite3 results.gbr "SELECT uuid, plugin_sha256, policy_sha256, device_sha256 FROM bench_case")" \
        "$(sqlite3 merged.gbr "SELECT uuid, plugin_sha256, policy_sha256, device_sha256 FROM bench_case")"
fi

# ---- between an interrupted run and --resume ----
during interrupt -c isolated.ini
n=$(ok)
succeeds "interrupted" test "$n" -lt 40
build 2
"$GBRUN" run -q --resume results.gbr >table.txt 2>text.txt
equals "another build: exit code" 2 "$?"
succeeds "another build: which" grep -q "benchmark good: .*plugins/good.so was ${first:0:12} (version 1.0) and is ${second:0:12}" text.txt
succeeds "another build: what to do" grep -q 'bring them back, or mix them with --accept-changes' text.txt
equals "nothing is measured" "$n" "$(ok)"
mkdir elsewhere
mv plugins/good.so elsewhere
"$GBRUN" run -q -p elsewhere --resume results.gbr >table.txt 2>text.txt
equals "another build elsewhere: exit code" 2 "$?"
build 1
cp results.gbr before.gbr
"$GBRUN" run -q --resume results.gbr >table.txt 2>text.txt
equals "the same build: exit code" 0 "$?"
equals "the same build: all cases" "40 $first " "$(ok) $(modules)"
mv before.gbr results.gbr
build 2
"$GBRUN" run -q --resume results.gbr --accept-changes >table.txt 2>text.txt
equals "accepted: exit code" 0 "$?"
equals "accepted: all cases, both builds" "40 $both" "$(ok) $(modules)"
succeeds "accepted: the table says so" grep -q 'warning: measured with another build of' table.txt
finish
