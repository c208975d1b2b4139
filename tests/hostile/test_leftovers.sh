#!/usr/bin/env bash
# What a case leaves behind is reported with that case, and the next one finds nothing of it: it gets a fresh process.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 3 'device = cpu' 'iterations = 1' >common.ini
# WHAT|TEXT: what a case leaves, and what is said of it; nothing where the next case may have the same process.
cat >list <<'LIST'
nothing|
affinity|changed the process's CPU affinity
scheduler|changed the process's scheduling
limit|changed the process's resource limits
alarm|changed the process's timers
personality|changed the process's personality
memory|changed the process's memory policy
child|left child processes behind
daemon|left child processes behind
threads|left threads behind that are still computing
traced|
timer|changed the process's timers
tracer|left the process traced
sleepers|left threads behind: [0-9]* more than when the device was opened
mapping|left 5[.0-9]* GiB of mapped memory behind
shared|left 30[.0-9]* MiB of memory behind
nodes|changed the process's memory policy
page|
regions|left 2[0-9]* regions of memory behind
files|left 300 open files behind
input|changed the process's open files
hostname|changed the process's namespaces
network|changed the process's namespaces
napper|left threads behind that are still computing
group|changed the process's root folder, session or process group
death|changed the process's attributes
privileges|changed the process's attributes
folder|changed the process's working directory
mask|changed the process's umask
handler|changed the process's signal handlers
blocked|changed the process's signal mask
reaping|changed the process's signal handlers
clamp|changed the process's scheduling
locked|changed the process's memory policy
poison|changed the process's attributes
LIST
# The tracer of `traced`, gbrun, lets it go on; the `page` cannot be cut.
{
    cat common.ini
    section bench first process
    while IFS='|' read -r what _; do
        section bench "$what" leftover "what=$what"
        section bench "after_$what" process
    done <list
} >leaves.ini
"$GBRUN" -c leaves.ini >table.txt 2>text.txt
"$GBRUN" export --format jsonl >cases.jsonl
declare -A pids cpus
while IFS=, read -r name pid set; do
    pids[$name]=$pid cpus[$name]=$set
done < <("$GBRUN" export --columns bench,pid,cpus | tr -d '\r')
before=first
while IFS='|' read -r what text; do
    after=after_$what
    if grep -q "  $what  .*not possible here" text.txt; then
        skip "$what" "not possible here"
    else
        equals "both cases are fine: $what" 2 "$(grep -c "  \(after_\)\?$what  .* 3 samples\$" text.txt)"
        equals "what is left is reported: $what" "${text:+1}" "$(grep "\"bench\":\"$what\"" cases.jsonl | grep -c "${text:-changed the process\|left .* behind}" | grep -v 0)"
        equals "and the next case has a fresh process: $what" "${text:+yes}" "$([ "${pids[$before]}" = "${pids[$after]}" ] || echo yes)"
        equals "with the same processors: $what" "${cpus[$before]}" "${cpus[$after]}"
    fi
    before=$after
done <list

# What each leaves is too little to be reported: before it fails a later one, the process is replaced.
{
    cat common.ini
    for i in {1..12}; do
        section bench "few_$i" leftover what=few_files
        section bench "after_few_$i" process
    done
} >few.ini
run_few() { "$GBRUN" -c few.ini -o few.gbr >few.txt 2>&1; }
succeeds "little that many cases leave fails none" run_few
equals "nor is it reported" 0 "$(grep -c 'behind' few.txt)"
equals "the process was replaced" 3 "$("$GBRUN" export few.gbr --columns pid --where "bench LIKE 'after%'" | sort -u | grep -c '^[0-9]')"

# left_by END WORDS: a case starts a process that leaves its session, and does not end well; the next one is fine.
left_by()
{
    hurry measured <<INI
$(cat common.ini)
$(section bench leftover leftover what=daemon "then=$1" 'time_limit=10 min' "env.LEFT_BY=$TMPDIR")
$(section bench after process)
INI
    equals "it ends as it does: $1" "$2" "$(status leftover)"
    has "what it started is reported: $1" out.txt 'left child processes behind, which were killed: 1 (leftover)'
    equals "and is gone: $1" 0 "$(grep -la "LEFT_BY=$TMPDIR" /proc/[0-9]*/environ 2>/dev/null | wc -l)"
    equals "the next case is fine: $1" 'ok n=3' "$(status after)"
}
if [ -r /proc/thread-self/children ]; then
    left_by crash 'crashed (SIGABRT, in prepare)'
    left_by hang 'timed out after 600 s, in prepare'
else
    skip "processes that leave their session" "the kernel does not list children"
fi
finish
