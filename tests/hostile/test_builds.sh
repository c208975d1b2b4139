#!/usr/bin/env bash
# A plugin is rebuilt during a run, and between an interrupted run and --resume: what is recorded is the code that ran,
# and builds are not mixed in silence.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
mkdir plugins
GBRUN_PLUGIN_PATH=$PWD/plugins:$(printf '%s:' "$top_builddir"/plugins/policy_fixed/.libs)
export GBRUN_PLUGIN_PATH

# configuration WHAT [LINE]...: four cases of the benchmark, and before the third a case that does WHAT.
configuration()
{
    few_samples 12 'device = fake' 'iterations = 1' "${@:2}"
    section bench one good 'sweep.size=1, 2'
    section bench crash crash where=prepare "kind=$1"
    section bench two good 'sweep.size=3, 4'
}
configuration none >cases.ini
configuration act >replaced.ini
configuration act 'isolate = yes' >isolated.ini
{
    few_samples 12 'device = fake' 'iterations = 1' 'isolate = yes'
    section bench one good
    section bench two good env.REPLACE=before
} >before.ini
sed 's/=before/=after/' before.ini >after.ini

# build N: puts build N of the plugin in its place, as a linker and `make install` do; the other one is REPLACE_WITH.
build()
{
    cp "$top_builddir/tests/modules/.libs/good.so" new.so
    echo "$1" >>new.so
    mv new.so plugins/good.so
}
build 2
second=$(sha256sum plugins/good.so | cut -c1-64)
build 1
first=$(sha256sum plugins/good.so | cut -c1-64)
cp "$top_builddir"/tests/modules/.libs/{device_fake,faults}.so plugins
export REPLACE_WITH=$PWD/other.so
# during FILE [COMMAND]: measures with build 1, which FILE may replace by build 2; the third case gives the command.
during()
{
    build 2
    mv plugins/good.so other.so
    build 1
    rm -f results.gbr
    ACT=${2-} "$GBRUN" run -c "$1" >out.txt 2>err.txt
}
# modules: the builds of the benchmark that the file names, sorted, on one line.
modules()
{
    "$GBRUN" export --format json | grep -o '"kind":"benchmark","id":"good"[^}]*' | grep -o '"sha256":"[^"]*' | cut -d'"' -f4 |
        sort | tr '\n' ' '
}
both=$(printf '%s\n' "$first" "$second" | sort | tr '\n' ' ')
ok()
{
    column status | grep -c '^ok$'
}

during cases.ini
equals "one build" "$first " "$(modules)"
succeeds "no word of others" test -z "$(grep -i build err.txt out.txt)"

during replaced.ini 'mv other.so plugins/good.so'
equals "rebuilt while one worker has it loaded: cases" 5 "$(ok)"
equals "rebuilt while one worker has it loaded: that is the build" "$first " "$(modules)"

for moment in before after; do
    expected=$first" "
    [ $moment = after ] || expected=$both
    preloaded replace_module during $moment.ini
    equals "rebuilt $moment it was loaded, when its digest was known: cases" 2 "$(ok)"
    equals "rebuilt $moment it was loaded: what was loaded" "$expected" "$(modules)"
done

during isolated.ini 'mv other.so plugins/good.so'
equals "rebuilt, a process for each case: cases" 5 "$(ok)"
equals "rebuilt, a process for each case: both builds" "$both" "$(modules)"
equals "the run says so, once" 1 "$(grep -c 'plugins/good.so is a different build than the run began with' err.txt)"
succeeds "the table says of which cases" grep -q 'warning: measured with a different build of' out.txt
of_cases="SELECT bench, plugin_sha256, policy_sha256, device_sha256 FROM bench_case ORDER BY uuid"
equals "each case has its own" "one|1 one|1 two|2 two|2" "$(sql results.gbr "SELECT bench, plugin_sha256
    FROM bench_case WHERE bench <> 'crash' ORDER BY sequence" | sed "s/$first/1/; s/$second/2/" | paste -sd ' ')"
equals "and refers to a row" 0 "$(sql results.gbr "SELECT count(*) FROM bench_case AS c WHERE NOT EXISTS
    (SELECT 1 FROM module AS m WHERE m.run_id = c.run_id AND m.id = c.plugin AND m.sha256 = c.plugin_sha256)")"
cp results.gbr copy.gbr
"$GBRUN" merge -o merged.gbr results.gbr copy.gbr 2>/dev/null
equals "merged" "$(sql results.gbr "$of_cases")" "$(sql merged.gbr "$of_cases")"

# ---- between an interrupted run and --resume ----
# shellcheck disable=SC2016 # for the inner shell
during isolated.ini 'kill -INT "$(cut -d " " -f 4 /proc/$PPID/stat)"'
n=$(ok)
succeeds "interrupted" test "$n" -lt 5
build 2
exits "another build: exit code" 2 "$GBRUN" run -q --resume results.gbr
succeeds "another build: which" grep -q "benchmark good: .*plugins/good.so was ${first:0:12} (version 1.0) and is ${second:0:12}" err.txt
succeeds "another build: what to do" grep -q 'restore them, or accept both with --accept-changes' err.txt
equals "nothing is measured" "$n" "$(ok)"
mkdir elsewhere
mv plugins/good.so elsewhere
exits "another build elsewhere: exit code" 2 "$GBRUN" run -q -p elsewhere --resume results.gbr
build 1
cp results.gbr before.gbr
exits "the same build: exit code" 0 "$GBRUN" run -q --resume results.gbr
equals "the same build: all cases" "5 $first " "$(ok) $(modules)"
mv before.gbr results.gbr
build 2
exits "accepted: exit code" 0 "$GBRUN" run -q --resume results.gbr --accept-changes
equals "accepted: all cases, both builds" "5 $both" "$(ok) $(modules)"
succeeds "accepted: the table says so" grep -q 'warning: measured with a different build of' out.txt
finish
