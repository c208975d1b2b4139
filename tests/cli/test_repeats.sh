#!/usr/bin/env bash
# rounds = auto: how often a case is visited, what its visits take together, and what its verdict is then. Times are
# those of the device `fake`, whose clock is arithmetic, so that counts are exact.
. "$top_srcdir/tests/tap.sh"
with_modules

{
    printf '[defaults]\ndevice = fake\nwarmup = 0\n'
    section device fake fake by_items=yes time=1ns step=0 # samples before, and of other cases, do not matter
    section bench still lasting 'sweep.kernels = 1, 2'
    section bench moves lasting 'shift = 1.5%' 'seed = each round'
    section bench counted lasting policy=fixed
    section bench steered lasting pace=sustained
} >auto.ini

# measured ROUNDS [OPTION...]: bench, visits and samples of each case, and its verdict if visits were $apart s apart, in
# these processes.
apart=1 process='round + 1'
measured()
{
    rm -f auto.gbr
    "$GBRUN" run -q -c auto.ini -o auto.gbr -s "gbrun.rounds=$1" "${@:2}" >shown.txt 2>&1
    sql auto.gbr "UPDATE bench_case SET pid = $process, started =
        strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (round * $apart) || ' seconds')"
    "$GBRUN" export auto.gbr --rows combined --columns bench,n_rounds,n_samples,verdict | tail -n +2
}

# One visit takes 9091 samples of 10 us and a gap, which are 0.1 s. Seven more take 0.04 of that each.
equals "one visit is certified in this visit" "still,1,9091,certified in this visit
still,1,4762,certified in this visit
moves,1,9185,certified in this visit
counted,1,100,none
steered,1,9091,certified in this visit" "$(measured 1)"
notes auto.gbr
has "and the notes say so" out.txt "certified in this visit: the next one may differ (4 of 5 cases"
exits "--strict takes that" 0 "$GBRUN" run -q -c auto.ini -o auto.gbr -s gbrun.rounds=1 --strict still
equals "what agrees has eight visits and 1.3 times the samples, what does not as many as there may be" \
    "still,8,11639,certified
still,8,6099,certified
moves,12,13194,unconverged
counted,1,100,none
steered,1,9091,certified in this visit" "$(measured auto)"
notes auto.gbr
has "and the notes say by how much" out.txt "moves: visits differ: after 12 of them, the next may differ by 2 %"
equals "which is why they ended, and of others their policy's reason" \
    "visits differ: after 12 of them, the next may differ by 2 %|interval within 1 %" \
    "$("$GBRUN" export auto.gbr --rows combined --columns bench,stop_reason | sed -n 's/^moves,//p; s/^steered,/|/p' |
        tr -d '"\n')"
equals "a visit comes between those of the others" "0 1 2 3 4 0 1 2 0 1 2 0" \
    "$(sql auto.gbr 'SELECT position FROM bench_case ORDER BY sequence LIMIT 12' | paste -sd ' ')"
equals "each visit keeps the word of its policy, and says what it asked for" "certified|0.01" \
    "$(sql auto.gbr "SELECT DISTINCT verdict, precision FROM bench_case WHERE bench = 'moves'")"
equals "and is shown as what it is" "certified in this visit" \
    "$(sql auto.gbr "SELECT DISTINCT verdict FROM result WHERE bench = 'moves'")"
equals "the run says how many visits there were" 30 "$(sql auto.gbr 'SELECT n_cases FROM run')"
equals "rounds = 7 are too few" "still,7,63637,certified in this visit" "$(measured 7 still | head -n 1)"
equals "rounds = 8 are enough" "still,8,72728,certified" "$(measured 8 still | head -n 1)"
equals "where they differ it is not certified" "unconverged" "$(measured 8 moves | cut -d, -f4)"
equals "of visits within a second nothing is known of the next one" "certified in this visit" \
    "$(apart=0.9 measured 8 still | head -n 1 | cut -d, -f4)"
equals "nor of processes, of visits in two" "certified in this visit certified" \
    "$(process='1 + round % 2' measured 8 still | head -n 1 | cut -d, -f4) $(process='1 + round % 3' measured 8 still |
        head -n 1 | cut -d, -f4)"
equals "of files that know of no process it is believed" certified \
    "$(process=0 measured 8 still | head -n 1 | cut -d, -f4)"

# ---- what a process adds: 1 % more in every second of three, 2 % more in the third ----
# of_processes WHEN: visits, processes, and the verdict of visits a second apart
of_processes()
{
    rm -f auto.gbr opened
    "$GBRUN" run -q -c auto.ini -o auto.gbr still -s still.kernels=1 -s "device fake.state=1%" \
        -s "device fake.opened=opened" -s still.isolate="$1" >shown.txt 2>&1
    sql auto.gbr "UPDATE bench_case SET started =
        strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (round * 1) || ' seconds')"
    "$GBRUN" export auto.gbr --rows combined --columns n_rounds,verdict | tail -n +2
    sql auto.gbr 'SELECT count(DISTINCT pid) FROM bench_case'
}
equals "isolate = yes: each visit has its own, and they are seen to differ" "12,unconverged 12" \
    "$(of_processes yes | paste -sd ' ')"
equals "isolate = no: all share one, and of others nothing is known" "8,certified in this visit 1" \
    "$(of_processes no | paste -sd ' ')"

rm -f auto.gbr
"$GBRUN" run -q -c auto.ini -o auto.gbr still -s still.kernels=1 -s gbrun.apart=40ms >shown.txt 2>&1
equals "apart: they begin no sooner" 1 "$(sql auto.gbr \
    'SELECT min(julianday(started)) + 7 * 0.039 / 86400 < max(julianday(started)) FROM bench_case')"
equals "a benchmark may say otherwise" "still,1,9091,certified in this visit" \
    "$(measured auto still moves -s still.rounds=1 | head -n 1)"
equals "the samples that it may take are those of all visits" "still,1,600,unconverged" \
    "$(measured auto still -s still.max_samples=600 | head -n 1)"

# ---- to be gone on with ----
measured auto >whole.txt
sql auto.gbr "PRAGMA foreign_keys = ON; UPDATE run SET finished = NULL; DELETE FROM bench_case WHERE sequence > 13"
exits "a run that ended between the rounds is resumed" 0 "$GBRUN" run -q --resume auto.gbr
equals "and has what it would have had" "$(cat whole.txt)" \
    "$("$GBRUN" export auto.gbr --rows combined --columns bench,n_rounds,n_samples,verdict | tail -n +2)"

# ---- how long ----
"$GBRUN" run --dry-run -c auto.ini -s gbrun.rounds=auto -o none.gbr >plan.txt 2>&1
succeeds "a plan says eight or more" grep -q " 8+ " plan.txt
finish
