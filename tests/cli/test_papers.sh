#!/usr/bin/env bash
# What a document has for a column stands beside what is measured, in tables, exports, group tables and bars,
# and is no part of a case.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
cat >bench.ini <<'INI'
[policy few]
plugin = fixed
samples = 10
[bench copy]
policy = few
device = cpu
zip.size = bytes, paper.median_ns, paper.metric.none:
    1KiB, 1 ms, 1 | 2KiB, 0.5 ms, none | 4KiB, none, 2
let.paper.bytes_per_s = case bytes when 1024 then 1e6 else 'none' end
INI
"$GBRUN" -q -c bench.ini -o results.gbr >table.txt
equals "figures in a zip and computed ones are read" 0 $?
columns="label,paper.median_ns,median_ns,ratio.median_ns,paper.bytes_per_s,paper.metric.none,ratio.metric.none"
"$GBRUN" export --columns "$columns" results.gbr >cases.csv
equals "labels are without them" "copy bytes=1024 copy bytes=2048 copy bytes=4096" \
    "$(tail -n +2 cases.csv | cut -d, -f1 | tr '\n' ' ' | sed 's/ $//')"
equals "theirs is in the column's unit, or empty" "1000000 500000 " \
    "$(tail -n +2 cases.csv | cut -d, -f2 | tr '\n' ' ' | sed 's/ $//')"
equals "the ratio is ours over theirs" "" "$(awk -F, 'NR > 1 && $2 != "" {
    if ($4 < 0.999999 * $3 / $2 || $4 > 1.000001 * $3 / $2) print
    next }
    NR > 1 && $4 != "" { print }' cases.csv)"
equals "a metric that there is not has no ratio" ",,," "$(tail -n +2 cases.csv | cut -d, -f7 | tr '\n' ',')"
equals "nor has a computed one where there is none" "1000000,," "$(tail -n +2 cases.csv | cut -d, -f5 | paste -sd,)"
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

# refused NAME LINE WORDS: instead of the zip.
refused()
{
    sed "s/^zip.*/$2/; /1 ms/d; /^let/d" bench.ini >wrong.ini
    "$GBRUN" check -c wrong.ini >text.txt 2>&1
    succeeds "$1" grep -qF "$3" text.txt
}
refused "a column that there is not" "paper.medain_ns = 1 us" "'paper.medain_ns': expected paper. and a column"
refused "a column of words" "paper.status = 1" "'paper.status': expected paper. and a column that is a number"
refused "a time without a unit" "paper.median_ns = 5" "'5' is not a duration"
refused "an axis of figures" "sweep.paper.median_ns = 1 us, 2 us" "name it in a zip"
finish
