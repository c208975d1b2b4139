#!/usr/bin/env bash
# What verify = auto and verify = strict find in this process, and that they refuse nothing honest.
. "$top_srcdir/tests/tap.sh"
with_modules

$CC -std=gnu17 -O1 -Wall -fPIC -shared -I"$top_srcdir" -o grades.so "$top_srcdir/tests/judge/grades.c" -lm

# graded VERIFY FUNCTIONS [LINE...]: results.gbr of these.
graded()
{
    local verify=$1 functions=$2
    shift 2
    measured <<INI
$(few_samples "${samples:-10}" 'device = cpu' 'max_time = 1 h' 'time_limit = 24 h' "verify = $verify")
[bench task]
plugin = call
library = ./grades.so
sweep.function = $functions
signature = void(pointer, pointer, int)
arg.1 = buffer(float[600], out)
arg.2 = buffer(float[600], uniform=-1:1)
arg.3 = 600
reference = ${to:-reference}
$(printf '%s\n' "$@")
INI
}

found()
{
    column function,status | paste -sd ' '
}

honest='reference, backwards, notes_process'
kept=(nothing first every_other first_hundred where_poisoned where_far_off by_address writes_input)
for verify in auto strict; do
    rm -f processes
    graded $verify "$honest" rounds=2 isolate=no
    equals "$verify: nothing honest is refused" "0 $(printf 'ok\n%.0s' 1 2 3 4 5 6 | paste -sd ' ')" \
        "$code $(column status | paste -sd ' ')"
    succeeds "$verify: three calls at least are checked" \
        test "$(column metric.checked_calls | sort -n | head -n 1)" -ge 3
    equals "$verify: who may have changed its process is alone in it" \
        "$(test $verify = auto && echo 1 || echo 2)" "$(sort -u processes | wc -l)"
    samples=120 graded $verify "$(IFS=, && echo "${kept[*]}")" iterations=1
    equals "$verify: calls that do not work, or only look as if" "1 $(printf '%s,wrong result\n' "${kept[@]}" |
        paste -sd ' ')" "$code $(found)"
done
has "what is wrong with which sample" err.txt 'function=first  wrong result: renewed: arg.1: rms '

# Right in each call that is looked at, and quick where nothing is new.
graded auto 'reference, remembers'
equals "a reading that calls on renewed inputs contradict" "1 reference,ok remembers,contradicted" "$code $(found)"
equals "the time is theirs" "$(column metric.renewed_ns | tail -n 1)" "$(column estimate_ns | tail -n 1)"
graded auto 'waits, waits_for_a_process'
equals "waiting is no work, but for a process" "1 waits,ok waits_for_a_process,contradicted" "$code $(found)"
to=doubles graded auto doubles_cold
equals "cold caches are no work either" "0 doubles_cold,ok" "$code $(found)"
to=doubles graded auto done_ahead_at_times iterations=1
equals "what is done ahead in some calls is not the time of them all" "done_ahead_at_times,contradicted" "$(found)"
graded strict remembers
equals "where all calls are such, it has to work" "0 remembers,ok" "$code $(found)"

# Comparisons that nothing can fail.
for verify in auto strict; do
    graded $verify backwards check.abs=5
    equals "$verify: zeros would pass, too" "backwards,$(test $verify = auto && echo ok || echo wrong result)" "$(found)"
    cat out.txt >>err.txt
    has "$verify: it is said" err.txt 'arg.1: zeros would pass, too'
done
to=not_numbers graded auto not_numbers
equals "what should not be numbers is compared with nothing" "not_numbers,wrong result" "$(found)"
has "with the reason" err.txt 'vacuous: 600 of 600 references are NaN'

graded strict backwards iterations=5000
equals "as many iterations as sets of inputs" "backwards,failed" "$(found)"
has "they are limited" err.txt 'verify = strict: iterations = 5000: there can be 4096 sets of inputs'
finish
