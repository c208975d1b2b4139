#!/usr/bin/env bash
# Rounds of a case: between those of the others, in order, also with several jobs and after a stop; what
# is recorded of their times; and what they say together.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 20 'device = fake' 'warmup = 0' '[gbrun]' 'rounds = 3' '[bench beside]' "log=$TMPDIR/log" let.number=0 \
    sweep.number=1:6 >rounds.ini

# of COLUMNS [OPTION...]: of rounds.gbr, blanks for commas.
of()
{
    column "$@" rounds.gbr | tr ',' ' '
}

# in_order COLUMN...: of what has the same values in these columns, no round was begun before one with
# a lower number; there are 18 in all.
in_order()
{
    of "started,round${1:+,$1}" | sort -k1,1 -k2,2n |
        awk '{key = $3 " " $4; if ($2 < last[key]) exit 1; last[key] = $2} END {if (NR != 18) exit 1}'
}

exits "a run of rounds" 0 "$GBRUN" -q -c rounds.ini -o rounds.gbr
equals "every case comes once in each round" "1 2 3 4 5 6 1 2 3 4 5 6 1 2 3 4 5 6" \
    "$(of number --sort sequence | paste -sd ' ')"
equals "they are exported in the order of the configuration" "0 6 12 1 7 13 2 8 14 3 9 15 4 10 16 5 11 17" \
    "$(of sequence | paste -sd ' ')"
succeeds "when each was begun is known to the millisecond" \
    test "$(of started | grep -cE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$')" = 18
succeeds "rounds do not overlap" in_order

{
    few_samples 20 '[gbrun]' 'rounds = 3' 'jobs = 2'
    section device left cpu
    section device right cpu
    section bench nop nop let.number=0 sweep.number=1:3 'sweep.device=left, right'
} >jobs.ini
rm -f rounds.gbr
exits "with several jobs" 0 "$GBRUN" -q -c jobs.ini -o rounds.gbr
succeeds "the rounds of each case are begun in order" in_order number,device

# ---- after a stop ----
# The fifth case waits for log.go.
rm -f rounds.gbr
mkfifo err
"$GBRUN" -c rounds.ini -s beside.held_from=40 -o rounds.gbr >/dev/null 2>err &
heard '*/18  *' 4 <err
kill -KILL $!
wait $! 2>/dev/null
: >log.go
exits "resumed" 0 "$GBRUN" run -q --resume rounds.gbr
equals "each round of each case is there, once" 18 "$(of number,round | sort -u | wc -l)"
succeeds "and rounds are in order still" in_order

# ---- together ----
equals "--rows combined: one row for each case" "1 3 60
2 3 60
3 3 60
4 3 60
5 3 60
6 3 60" "$(of number,n_rounds,n_samples --rows combined)"
succeeds "its interval holds the medians of all rounds" \
    test "$(of "number,low_ns,high_ns" --rows combined | sort >combined.txt
        of "number,estimate_ns" | sort | join - combined.txt | awk '$2 >= $3 && $2 <= $4' | wc -l)" = 18
equals "rows of an unknown kind" "gbrun: error: --rows raw: expected case, sample or combined" \
    "$("$GBRUN" export --rows raw rounds.gbr 2>&1)"
succeeds "show says what rounds differ by" grep -q ' round variation ' <("$GBRUN" show -v rounds.gbr)
finish
