#!/usr/bin/env bash
# What a case leaves behind is reported with that case, and the next one finds nothing of it: it gets a fresh process.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

cat >common.ini <<'INI'
[policy few]
plugin = fixed
samples = 3
[defaults]
policy = few
device = cpu
iterations = 1
INI
# leaves WHAT TEXT: a case that leaves it says so, and the case after it is measured in another process.
leaves()
{
    cat common.ini - >leaves.ini <<INI
[bench before]
plugin = process
[bench leftover]
what = $1
[bench after]
plugin = process
INI
    rm -f results.gbr
    "$GBRUN" -c leaves.ini >table.txt 2>text.txt
    if grep -q 'not possible here' text.txt; then
        skip "$1" "not possible here"
        return
    fi
    equals "all cases are fine: $1" 3 "$(grep -c ' 3 samples$' text.txt)"
    "$GBRUN" export results.gbr --columns cpus,pid | tr -d '\r' >found.csv
    if [ "$2" ]; then
        succeeds "what is left is reported: $1" grep -q "$2 (leftover)" table.txt
        equals "and the next case has a fresh process: $1" no \
            "$([ "$(sed -n '2s/.*,//p' found.csv)" = "$(sed -n '4s/.*,//p' found.csv)" ] && echo yes || echo no)"
    else
        equals "nothing is reported: $1" 0 "$(grep -c "(leftover)" table.txt)"
        equals "and the next case has the same process: $1" "$(sed -n '2s/.*,//p' found.csv)" "$(sed -n '4s/.*,//p' found.csv)"
    fi
    equals "with the same processors: $1" "$(sed -n '2s/,.*//p' found.csv)" "$(sed -n '4s/,.*//p' found.csv)"
}
leaves nothing ''
leaves affinity "changed the process's CPU affinity"
leaves scheduler "changed the process's scheduling"
leaves limit "changed the process's resource limits"
leaves alarm "changed the process's timers"
leaves personality "changed the process's personality"
leaves memory "changed the process's memory policy"
leaves child 'left child processes behind'
leaves daemon 'left child processes behind'
leaves threads 'left threads behind that compute'
leaves traced '' # its tracer, gbrun, lets it go on
leaves timer "changed the process's timers"
leaves tracer 'left the process traced'
leaves sleepers 'left threads behind: [0-9]* more than when the device was opened'
leaves mapping 'left 5[.0-9]* GiB of mapped memory behind'
leaves shared 'left 30[.0-9]* MiB of memory behind'
leaves nodes "changed the process's memory policy"
leaves page '' # it cannot be cut

# left_by END WORDS: a case starts a process that leaves its session, and does not end well; the next one is fine.
left_by()
{
    cat common.ini - >leaves.ini <<INI
[bench leftover]
what = daemon
then = $1
time_limit = 1 s
env.LEFT_BY = $TMPDIR
[bench after]
plugin = process
INI
    rm -f results.gbr
    "$GBRUN" -c leaves.ini >table.txt 2>text.txt
    succeeds "it ends as it does: $1" grep -q "leftover  $2" text.txt
    succeeds "what it started is reported: $1" \
        grep -q 'warning: left child processes behind, which were killed: 1 (leftover)' table.txt
    equals "and is gone: $1" 0 "$(grep -la "LEFT_BY=$TMPDIR" /proc/[0-9]*/environ 2>/dev/null | wc -l)"
    equals "the next case is fine: $1" 1 "$(grep -c 'after .* 3 samples$' text.txt)"
}
if [ -r /proc/thread-self/children ]; then
    left_by crash 'crashed (SIGABRT, in prepare)'
    left_by hang 'timed out after 1.00 s, in prepare'
else
    skip "processes that leave their session" "the kernel does not list children"
fi
finish
