#!/usr/bin/env bash
# What a document has for a column stands beside what is measured, in tables, exports, group tables and bars,
# and is no part of a case.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
{ few_samples 10 'device = cpu'; cat; } >bench.ini <<'INI'
[bench copy]
zip.size = bytes, paper.median_ns, paper.metric.none:
    1KiB, 1 ms, 1 | 2KiB, 0.5 ms, none | 4KiB, none, 2
let.paper.bytes_per_s = case bytes when 1024 then 1e6 else 'none' end
INI
"$GBRUN" -q -c bench.ini -o results.gbr >table.txt
equals "figures in a zip and computed ones are read" 0 $?
columns=label,paper.median_ns,median_ns,ratio.median_ns,paper.bytes_per_s,paper.metric.none,ratio.metric.none
column $columns results.gbr >cases.csv
# of N: a column of it.
of()
{
    cut -d, -f"$1" cases.csv | paste -sd,
}
equals "labels are without them" "copy bytes=1024,copy bytes=2048,copy bytes=4096" "$(of 1)"
equals "theirs is in the column's unit, or empty" "1000000,500000," "$(of 2)"
equals "the ratio is ours over theirs" "" "$(awk -F, '$2 != "" { if ($4 < 0.999999 * $3 / $2 || $4 > 1.000001 * $3 / $2) print }
    $2 == "" && $4 != ""' cases.csv)"
equals "a metric that there is not has no ratio" ",," "$(of 7)"
equals "nor has a computed one where there is none" "1000000,," "$(of 5)"
sed 's/, paper.metric.none:/:/; s/, \(1\|2\|none\)\( |\|$\)/\2/g; /^let/d' bench.ini >times.ini
succeeds "the table has both" sh -c "\"\$GBRUN\" -q -c times.ini | grep -q 'paper.median_ns .*median .*ratio.median_ns'"
equals "a group table averages those that there are" "750.0 us" "$("$GBRUN" show --group-by bench \
    --columns 'avg(paper.median_ns)' results.gbr | sed -n 's/^copy  *//p')"
succeeds "bars say theirs and the ratio" sh -c "\"\$GBRUN\" report --pivot bytes results.gbr |
    grep -q '^1 KiB |.*; 1.000 ms, [0-9.e-]*\$'"
sed 's/^zip.*/sweep.bytes = 1KiB, 2KiB, 4KiB/; /1 ms/d; /^let/d' bench.ini >plain.ini
"$GBRUN" -q -c plain.ini -o plain.gbr >/dev/null
equals "the case is the same without them" "$("$GBRUN" export --columns uid plain.gbr)" \
    "$("$GBRUN" export --columns uid results.gbr)"

# Instead of the zip.
while IFS='|' read -r name line words; do
    sed "s/^zip.*/$line/; /1 ms/d; /^let/d" bench.ini >wrong.ini
    ran "$GBRUN" check -c wrong.ini
    has "$name" err.txt "$words"
done <<'LIST'
a column that there is not|paper.medain_ns = 1 us|'paper.medain_ns': expected paper. and a column
a column of words|paper.status = 1|'paper.status': expected paper. and a column that is a number
a time without a unit|paper.median_ns = 5|'5' is not a duration
an axis of figures|sweep.paper.median_ns = 1 us, 2 us|name it in a zip
LIST
finish
