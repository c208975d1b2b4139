#!/usr/bin/env bash
# test_paging.sh - a part of very many cases: --limit and --offset of show and export.
. "$top_srcdir/tests/tap.sh"
with_modules
{ few_samples 3 'device = fake' 'warmup = 0'; cat; } >a.ini <<INI
$(section bench lasting lasting 'sweep.duration=1us, 2us, 3us, 4us, 5us, 6us, 7us' rounds=2)
INI
"$GBRUN" -q -c a.ini -o a.gbr >ran.txt 2>&1

# durations [OPTION]...: of the rows of a table; the line on what is shown.
durations()
{
    "$GBRUN" show a.gbr "$@" >shown.txt 2>&1
    awk '/^lasting/ { print $2 }' shown.txt | paste -sd' '
}
page()
{
    sed -n 's/^\(cases\|there are\) /&/p' shown.txt
}
while IFS='|' read -r name shown of options; do
    eval "equals '$name' '$shown' \"\$(durations $options)\""
    equals "$name: of how many" "$of" "$(page)"
done <<'LIST'
all|1.000 2.000 3.000 4.000 5.000 6.000 7.000||
the first|1.000 2.000|cases 1 to 2 of 7; --offset 2 shows the next, --limit 0 all|--limit 2
the next|3.000 4.000|cases 3 to 4 of 7; --offset 4 shows the next, --limit 0 all|-n 2 --offset 2
the last|7.000|cases 7 to 7 of 7|--limit 2 --offset 6
none||there are 7 cases|--limit 2 --offset 7
all the same|1.000 2.000 3.000 4.000 5.000 6.000 7.000||--limit 7
sorted|7.000 6.000 5.000|cases 1 to 3 of 7; --offset 3 shows the next, --limit 0 all|--sort=-duration --limit 3
chosen|4.000 5.000|cases 1 to 2 of 4; --offset 2 shows the next, --limit 0 all|--where 'duration > 3000' --limit 2
LIST
equals "exported with their rounds" "2000 2000 3000 3000" "$(column duration --limit 2 --offset 1 a.gbr | paste -sd' ')"
equals "exported with rounds as one" "2000 3000" \
    "$(column duration --rows combined --limit 2 --offset 1 a.gbr | paste -sd' ')"
try_each "$GBRUN" show a.gbr <<'LIST'
no number|2|--limit: error: 'many' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6|--limit many
a run by words|2|gbrun: error: run 'many': expected its number, newest, previous, or NAME=VALUE of a label, or all|--run many
a negative one|2|--limit: error: limit = -1 is out of range: expected 0:1e15|--limit -1
a fraction|2|--offset: error: '1.5' is not an integer: expected a whole number|--offset 1.5
groups|2|gbrun: error: --limit and --offset are not for --group-by or --pivot|--limit 1 --group-by bench
a pivot|2|gbrun: error: --limit and --offset are not for --group-by or --pivot|--offset 1 --pivot duration
LIST

# --- failures that are not shown are not hidden ---
mkdir many
"$top_builddir/tests/scale/shards" many 1 10001
shown()
{
    "$GBRUN" show many/shard-00001.gbr --columns bench,status "$@" >shown.txt 2>&1
    grep -c '^sweep ' shown.txt
}
equals "a table has all if that is asked for" 10001 "$(shown --limit 0)"
equals "an export has all" 10001 "$(column uid many/shard-00001.gbr | wc -l)"
equals "JSON has all" 10001 "$("$GBRUN" show many/shard-00001.gbr --columns bench --format jsonl | wc -l)"
sql many/shard-00001.gbr "UPDATE bench_case SET status = 'failed' WHERE position IN (3, 10000)"
equals "or 10,000 cases; what failed is counted over all" "10000 cases 1 to 10000 of 10001, 2 of all failed (--where \"status not in ('ok', 'skipped')\"); --offset 10000 shows the next, --limit 0 all" \
    "$(shown) $(page)"
"$GBRUN" show many/shard-00001.gbr --offset 20 --limit 5 --strict >shown.txt 2>said.txt
equals "and --strict judges all" "3 gbrun: --strict: 2 failed, 0 skipped, 0 not certified, of 10001 visits" "$? $(cat said.txt)"
finish
