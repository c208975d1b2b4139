#!/usr/bin/env bash
# `gbrun report` and --roofs: from measured roofs to pictures, on the command line.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
export XDG_DATA_HOME=$TMPDIR/data

{
    few_samples 10 'device = cpu' '[gbrun]' 'results = results.gbr' 'roofs = others.gbr'
    section bench copy copy 'sweep.bytes=4KiB, 8KiB'
    section bench spin nop
    section bench gemm gemm_verify m=16 n=16 k=16 kernel=scalar
} >bench.ini
{ few_samples 2 'device = cpu'; section bench roofs ceilings bytes=64KiB 'sweep.roof=dram_copy, l3_copy, l2_copy'; } >roofs.ini

# Where no other program can be found.
alone()
{
    PATH=/nonexistent "$GBRUN" "$@"
}

# draws ARGUMENT...: out.txt, of report on the results.
draws()
{
    ran "$GBRUN" report results.gbr "$@"
}

succeeds "cases are measured" "$GBRUN" -c bench.ini -q
succeeds "roofs are measured" "$GBRUN" -c roofs.ini -q -o others.gbr
"$GBRUN" show results.gbr >shown.txt
succeeds "the configured file is found and named" grep -q "^roofs of .*: run 1 of .*others.gbr" shown.txt
succeeds "and cases are compared with it" grep -qE '%!? (l[23]|dram)_copy' shown.txt
equals "what computes is known of each case" "fp32,scalar,5" \
    "$(column math_format,math_unit,intensity --where "bench = 'gemm'" results.gbr | sed 's/[.].*//')"
mv others.gbr moved.gbr
mkdir -p data/gbrun
has "one that is gone is said to be" <("$GBRUN" show results.gbr) 'others.gbr: there is no such results file'
cp moved.gbr data/gbrun/roofs.gbr
has "the user's file is found" <(column roofs_source results.gbr) '/data/gbrun/roofs.gbr'
has "the file that is named comes first" <(column roofs_source --roofs moved.gbr results.gbr) 'run 1 of moved.gbr'

ran "$GBRUN" report
equals "text without -o" 0 "$code"
succeeds "a file of roofs that is gone is said to be there too" grep -q "^gbrun: roofs that cannot be used: .*others.gbr" err.txt
has "cases without work are counted" out.txt "left out: 1 case without declared work"
draws --pivot bytes
cp out.txt pivot.txt
equals "a bar for each value" 2 "$(grep -c '|#.*ns' pivot.txt)"
succeeds "several files" "$GBRUN" report results.gbr moved.gbr results.gbr --pivot bytes

# ---- charts ----
draws --chart bars --x bytes
equals "--pivot is a chart of bars" "" "$(cmp pivot.txt out.txt)"
draws --chart bars --x bytes --y bytes_per_s --ideal bytes
equals "of another column, with an ideal that begins at the first bar" 1 \
    "$(grep -c '|#.* [GM]*bytes/s; ideal' out.txt | sed 's/2/1/')"
first=$(sed -n 's/.*# \(.*\); ideal \(.*\)/\1=\2/p' out.txt | head -n 1)
equals "exactly there" "${first%%=*}" "${first##*=}"
draws --chart heat --x bytes --by bench
has "a row of a heat table for each value of --by" out.txt 'bench \ bytes'
draws --chart forest
equals "an interval for each case" 4 "$(grep -c '+.*|' out.txt)"
draws --chart box --x bytes
equals "a box for each value" 2 "$(grep -c '|.*M.*|' out.txt)"
draws --chart ecdf --where "bench = 'copy'"
equals "shares of the samples rise" "" "$(sed -n 's/^copy.*=[0-9]* *//p' out.txt | awk '
    function ns(number, unit) { return number * (unit == "ns" ? 1 : unit == "us" ? 1e3 : 1e6) }
    { for (i = 3; i < NF; i += 2) if (ns($i, $(i + 1)) < ns($(i - 2), $(i - 1))) print "falls" }')"
# shellcheck disable=SC2086 # words of options
for chart in 'bars --x bytes' 'lines --x bytes' 'heat --x bytes --by bench' 'box --x bytes' ecdf forest; do
    succeeds "a picture of ${chart%% *}" alone report results.gbr --chart $chart -o chart.svg
    if command -v rsvg-convert >/dev/null; then
        succeeds "and as PNG" "$GBRUN" report results.gbr --chart $chart -o chart.png
    fi
done
cp results.gbr other.gbr
draws other.gbr --chart bars --x bytes --by file
equals "files beside each other, in the same charts" "file = other.gbr file = results.gbr 0" \
    "$(grep '^file = ' out.txt | sort -u | paste -sd ' ') $(grep -c 'gbr: ' out.txt)"

# ---- pages ----
succeeds "a page" alone report results.gbr moved.gbr --run all -o page.html
equals "of each run" 2 "$(grep -c '<h1>' page.html)"
equals "nothing is loaded" "" "$(grep -oE '(src|href|url)[=(]"?[^#"]' page.html)"
if command -v tidy >/dev/null; then
    equals "tidy sees no mistake" "" "$(tidy -e -q page.html 2>&1 | grep ' Error: ')"
else
    skip "tidy" "it is not installed"
fi
succeeds "with a baseline" "$GBRUN" report results.gbr --baseline results.gbr -o page.html
equals "each case that was measured has a ratio" 4 "$(grep -c 'data-v="1">1[. ]' page.html)"

# ---- what cannot be drawn ----
try_each "$GBRUN" <<'TABLE'
roofs that are not there|2|~none.gbr: there is no such results file|export results.gbr --roofs none.gbr
a picture of another kind|2|~expected a name in .html, .svg, .png or .pdf|report results.gbr -o out.jpg
no such parameter|2|~no column 'byts': did you mean 'bytes'|report results.gbr --pivot byts
nothing to draw|2|~there is nothing to report|report results.gbr --where "bytes = 1"
no file|2|~none.gbr: there is no such results file|report none.gbr
an unknown chart|2|~--chart pie: expected auto, bars|report results.gbr --chart pie
a chart over nothing|2|~the chart has no x axis: expected --x NAME|report results.gbr --y mean_ns
a heat table of one row|2|~expected --by NAME|report results.gbr --chart heat --x bytes
a forest over something|2|~it takes --by, but no --x|report results.gbr --chart forest --x bytes
two charts|2|~give one of them|report results.gbr --pivot bytes --x bytes
an ideal that cannot be computed|2|~unknown name 'byts'|report results.gbr --x bytes --ideal byts
no baseline|2|~none.gbr: there is no such results file|report results.gbr --baseline none.gbr -o x.html
a baseline of a picture|2|~--baseline is for a page|report results.gbr --baseline results.gbr -o x.svg
a chart in a page|2|~--x is for pictures and text|report results.gbr --x bytes -o x.html
a page of nothing|2|~no case matches --where bytes = 1|report results.gbr --where "bytes = 1" -o x.html
a page that cannot be written|4|~/nowhere/x.html: cannot be written|report results.gbr -o /nowhere/x.html
TABLE
equals "no page is left" "" "$(ls x.html 2>/dev/null)"
try_each "$GBRUN" <<'TABLE'
a script for another program|2|~expected a name in .html, .svg, .png or .pdf|report results.gbr -o out.gp
TABLE
alone report results.gbr -o out.png 2>err.txt
equals "without rsvg-convert PNG is a mistake" 2 "$?"
has "which says what to install" err.txt 'need rsvg-convert, which is not on the PATH: install it'
succeeds "SVG needs nothing" alone report results.gbr --roofline --pivot bytes -o out.svg
equals "and is whole" "</svg>" "$(tail -n 1 out.svg)"
succeeds "with other roofs" alone report results.gbr --roofs moved.gbr -o out.svg
has "it has the axes" out.svg "arithmetic intensity (FLOP/byte)"

# A converter that keeps what it gets and says what it was asked for.
mkdir bin
printf '#!/bin/sh\n/bin/cat >got.svg\necho "$@"\n' >bin/rsvg-convert
chmod +x bin/rsvg-convert
for kind in png pdf; do
    PATH="$PWD/bin" ran "$GBRUN" report results.gbr --roofs moved.gbr -o out.$kind
    equals "$kind is made of our SVG" "0 $(cat out.svg)" "$code $(cat got.svg)"
done
equals "as it asks for it" "-f png -b white -f pdf" "$(cat out.png out.pdf | paste -sd ' ')"
printf '#!/bin/sh\necho first >&2\necho "line 3: no font" >&2\nexit 1\n' >bin/rsvg-convert
PATH="$PWD/bin" ran "$GBRUN" report results.gbr --roofs moved.gbr -o bad.png
equals "where it fails there is no file" "4 gbrun: error: rsvg-convert failed: line 3: no font no" \
    "$code $(tail -n 1 err.txt) $([ -e bad.png ] && echo yes || echo no)"
if command -v rsvg-convert >/dev/null; then
    for kind in png pdf; do
        succeeds "$kind" "$GBRUN" report results.gbr --roofline --pivot bytes -o out.$kind
    done
    equals "they are what their names say" "PNG %PDF" "$(head -c 4 out.png | tail -c 3) $(head -c 4 out.pdf)"
else
    skip "pictures" "rsvg-convert is not installed"
fi

finish
