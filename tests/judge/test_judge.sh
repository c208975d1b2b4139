#!/usr/bin/env bash
# Code that is not trusted: each cheat is found, nothing honest is refused, and nothing of gbrun is in reach.
. "$top_srcdir/tests/tap.sh"
with_modules

submissions=$top_srcdir/tests/judge/submissions.c
flags=(-std=gnu17 -O1 -Wall -fPIC -shared -pthread)
$CC "${flags[@]}" -o submissions.so "$submissions" -lm
$CC "${flags[@]}" -DREFERENCE_ONLY -o reference.so "$submissions" -lm

few_samples 3 'device = cpu' 'max_time = 1 h' 'time_limit = 24 h' 'verify = judge' 'iterations = 64' >common.ini
task='plugin = call
library = ./submissions.so
reference_library = ./reference.so
signature = void(pointer, pointer, pointer, int)
arg.1 = buffer(float[512], out)
arg.2 = buffer(float[512], uniform=-1:1)
arg.3 = buffer(float[512], fill=0.5)
arg.4 = 512
reference = reference'

# judged FUNCTION...: results.gbr of these.
judged()
{
    local list=$*
    rm -f results.gbr
    { cat common.ini; printf '[bench task]\n%s\nsweep.function = %s\n' "$task" "${list// /, }"; } >bench.ini
    ran "$GBRUN" -q -c bench.ini
}

mapfile -t all < <(sed -n 's/^\(SUBMISSION\|WORKS_IF\)(\([a-z_]*\).*/\2/p' "$submissions")
n_honest=14 # they come first
honest=("${all[@]:0:n_honest}") cheats=("${all[@]:n_honest}")

judged "${honest[@]}"
equals "nothing honest is refused" "0 $(printf '%s,ok\n' "${honest[@]}")" "$code $(column function,status)"
succeeds "outputs of samples were compared" test "$(column metric.checked_calls | sort -n | head -n 1)" -ge 9
equals "the time is the judge's" judged "$(column clock | sort -u)"

exec 9>inherited
judged "${cheats[@]}"
exec 9>&-
equals "each cheat is found" "1 ${#cheats[@]}" "$code $(column status | wc -l)"
# Work that goes on beside the calls may be done in time, and all of that is counted. Where signals to others are refused by
# Landlock the group of a process's own is left, with which it stops itself.
equals "by its results, or where there are none by how it ended" \
    "$(printf '%s,failed ' stops_itself other_program works_when_continued is_the_harness takes_memory_away exits crashes smashes_the_stack)" \
    "$(column function,status | grep -v ',wrong result$\|^batches,\|^slow_at_first,\|says_done,\|when_done,\|_outside,\|stops_the_judge,\|_left,\|_ahead,\|_by_thread,' | tr '\n' ' ')"
succeeds "also where it starts another beside the sandbox" test "$(column function,status | grep -c '^child_outside,\(failed\|wrong result\)$')" = 1
for name in batches works_when_done; do
    succeeds "what is done for all sets at once is counted for each: $name" \
        test "$(column metric.judged_p50 --where "function = '$name'" | cut -d. -f1)" -ge 4000000
done
has "an input that was changed is named" err.txt 'arg.2 was written to'

cat common.ini - >bench.ini <<'EOF'
[bench returned]
plugin = call
library = ./submissions.so
reference_library = ./reference.so
sweep.function = sums, keeps_sum, returns_zero
signature = double(pointer, int)
arg.1 = buffer(float[512], uniform=-1:1)
arg.2 = 512
reference = reference_sum
EOF
rm -f results.gbr
mkdir -p gbrun-judged-left/folder gbrun-judged-used
touch gbrun-judged-left/folder/file
exec 9<gbrun-judged-used
flock 9
ran "$GBRUN" -q -c bench.ini
exec 9<&-
equals "what is returned is compared" "ok,wrong result,wrong result" "$(column status | paste -sd ,)"
equals "folders that nobody uses any more are removed" gbrun-judged-used "$(echo gbrun-judged-*)"

succeeds "no process loads a submission but one that can do no harm" test ! -e loaded

# A device with queues: memory of its own, copies of what was drawn, a graph of all runs.
# of_a_device NUMBER_OF_SETS SAMPLES FUNCTIONS
of_a_device()
{
    { sed "s/device = cpu/device = fake/; s/iterations = .*/iterations = $1/; s/samples = .*/samples = $2/" common.ini
        printf '[bench task]\n%s\nsweep.function = %s\n' "$task" "$3"; } >bench.ini
    rm -f results.gbr
    ran "$GBRUN" -c bench.ini
}
of_a_device 64 3 'plain, prints, nothing, keeps_by_address'
equals "on a device with queues as well" "ok,ok,wrong result,wrong result" "$(column status | paste -sd ,)"
equals "what can be is launched as a graph" 1 "$(column metric.launched_as_graph | head -n 1)"
# Of three sets each is copied, and so each of ten calls that follow each other is compared.
of_a_device 3 4 'plain, nine_in_ten'
equals "what is copied is drawn without any of it twice" "ok,wrong result" "$(column status | paste -sd ,)"
sed -i '/^iterations/d' common.ini
of_a_device 0 40 slow_at_first
has "what is slow at first has as many sets as others" err.txt 'many sets'

# What cannot be judged.
{ cat common.ini; printf '[bench own]\n%s\nfunction = plain\n' "$(grep -v reference_library <<<"$task")"; } >bench.ini
exits "a reference of the submission's own library is refused" 2 "$GBRUN" check -c bench.ini
has "with the reason" err.txt 'verify = judge: the judge cannot take the reference from the submission, which it does not load: expected reference and'
cat common.ini - >bench.ini <<EOF
[bench good]
[bench other]
$task
function = plain
measure = latency
[bench known]
plugin = call
library = ./submissions.so
reference_library = ./reference.so
signature = double keeps_sum(pointer, int)
arg.1 = buffer(float[512], fill=2)
arg.2 = 512
reference = reference_sum
expect = 1024
EOF
rm -f results.gbr
ran "$GBRUN" -q -c bench.ini
equals "what cannot be judged fails" "failed,failed,failed" "$(column status | paste -sd ,)"
has "it is said why" err.txt 'verify = judge: benchmark good cannot be judged: expected call, kernel or python' \
    'is judged by its time: expected measure = time' "'expect' would be known to the function"

finish
