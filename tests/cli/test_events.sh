#!/usr/bin/env bash
# `--events FD` of `gbrun run` and `gbrun ab`: what happens as lines of JSON, whatever their reader does.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
with_modules
find_python jsonschema

# kinds FILE: its events, in order.
kinds()
{
    sed 's/^{"event":"\([a-z_]*\)",.*}$/\1/' "$1" | paste -sd ' '
}

# member NAME FILE: of each line that has it; texts and numbers.
member()
{
    sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | paste -sd ' '
}

# by_schema NAME FILE
by_schema()
{
    if "${python:-false}" -c 'import jsonschema' 2>/dev/null; then
        succeeds "$1: lines by the schema" \
            "$python" "$top_srcdir/tests/python/validate.py" "$top_srcdir/docs/events.schema.json" "$2"
    else
        skip "$1: lines by the schema" "Python's jsonschema is not installed"
    fi
}

few_samples 6 'device = quick' 'warmup = 0' '[device quick]' 'plugin = fake' '[bench one]' 'plugin = process' \
    'rounds = 2' '[bench missing]' 'plugin = process' 'device = quick:7' >few.ini
"$GBRUN" run -q -c few.ini -o few.gbr --events 3 3>few.jsonl >/dev/null 2>&1
equals "one case fails: exit code" 1 $?
equals "what happens, in order" "run_begin case_begin case_end case_begin case_end case_begin case_end run_end" \
    "$(kinds few.jsonl | sed 's/ estimate//g')" # one a second
equals "how the cases ended" "failed ok ok" "$(member status few.jsonl | tr " " "\n" | sort | paste -sd " ")"
equals "how the run ended, of how many" "1 1 0 3" \
    "$(member exit_code few.jsonl) $(member n_bad few.jsonl) $(member n_left few.jsonl) $(member n_visits few.jsonl)"
equals "which cases: as in the results file" "$(column uuid few.gbr | sort)" \
    "$(grep case_end few.jsonl | sed 's/.*"uuid":"\([^"]*\).*/\1/' | sort)"
by_schema "few cases" few.jsonl

# ---- a case that takes long; killed, and finished ----

printf '%s\n' '[policy endless]' 'plugin = fixed' 'samples = 1e9' '[bench copy]' 'policy = endless' 'bytes = 16KiB' \
    'max_time = 60s' 'time_limit = 100s' >long.ini
mkfifo fifo
"$GBRUN" run -q -c long.ini -o long.gbr --events 3 3>fifo >/dev/null 2>&1 &
pid=$!
n=0
while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in *'"estimate"'*) n=$((n + 1)) ;; esac
    [ $n = 2 ] && kill -9 $pid && n=3
done <fifo >long.jsonl
wait $pid 2>/dev/null
equals "estimates come while it is measured" "run_begin case_begin estimate estimate" "$(kinds long.jsonl | cut -d ' ' -f 1-4)"
equals "nothing ended" 0 "$(grep -c _end long.jsonl)"
equals "the last line is whole" 0 "$(grep -vc '^{"event":.*}$' long.jsonl)"
by_schema "of a run that was killed" long.jsonl

# ---- readers ----

sed '/^\[bench/,$d' few.ini >many.ini
section bench many process rounds=250 >>many.ini
exec 4<>fifo
"$GBRUN" run -q -c many.ini -o many.gbr --events 3 3>fifo >/dev/null 2>err.txt
equals "a reader that never reads: exit code" 0 $?
equals "... it is said that lines were lost" 1 "$(grep -c '^gbrun: --events: [1-9][0-9]* lines could not be written: the reader is slow$' err.txt)"
exec 4>&-
equals "... all was measured" 250 "$(rows many.gbr | wc -l)"

{
    "$GBRUN" run -q -c many.ini -o gone.gbr --events 3 3>&1 >/dev/null 2>err.txt
    echo $? >code.txt
} | head -n 1 >/dev/null
equals "a reader that goes away: exit code" 0 "$(cat code.txt)"
equals "... it is said" 1 "$(grep -c '^gbrun: --events: [1-9][0-9]* lines could not be written: the reader is gone$' err.txt)"
equals "... all was measured" 250 "$(rows gone.gbr | wc -l)"

# ---- ab ----

few_samples 7 'device = quick' 'warmup = 0' '[device quick]' 'plugin = fake' '[device later]' 'plugin = fake' \
    'time = 1.5us' '[bench one]' 'plugin = process' >ab.ini
"$GBRUN" ab -q -c ab.ini --new device=later --max-rounds 6 -o ab.gbr --events 5 5>ab.jsonl >/dev/null 2>&1
equals "ab: exit code, slower" 3 $?
equals "ab: begins" "run_begin case_begin case_end case_begin case_end round_end" "$(kinds ab.jsonl | sed "s/ estimate//g" | cut -d ' ' -f 1-6)"
equals "ab: ends" "round_end run_end" "$(kinds ab.jsonl | awk '{print $(NF - 1), $NF}')"
equals "ab: its last round decided" "1 of 1" "$(tail -n 2 ab.jsonl | member n_decided -) of $(tail -n 2 ab.jsonl | member n_pairs -)"
equals "ab: its exit code" 3 "$(member exit_code ab.jsonl)"
by_schema "ab" ab.jsonl

# ---- descriptors ----

try_each "$GBRUN" run -c few.ini -o refused.gbr <<'TABLE' 9<long.ini
only for reading|2|~--events 9: descriptor 9 is only open for reading|--events 9
standard output|2|~--events 1: expected the number of a descriptor from 3 on|--events 1
no number|2|~--events out.jsonl: expected the number|--events out.jsonl
nothing is measured|2|~--dry-run is not for --resume, --profile, --events or --claim|--dry-run --events 9
not open|2|~--events 8: descriptor 8 is not open: expected one open for writing|--events 8
TABLE
finish
