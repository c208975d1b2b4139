#!/usr/bin/env bash
# `gbrun report` and --roofs: from measured roofs to pictures, on the command line.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
export XDG_DATA_HOME=$TMPDIR/data

cat >bench.ini <<'INI'
[gbrun]
results = results.gbr
roofs = others.gbr
[defaults]
policy = few
device = cpu
[policy few]
plugin = fixed
samples = 10
[bench copy]
plugin = copy
sweep.bytes = 4KiB, 8KiB
[bench spin]
plugin = nop
[bench gemm]
plugin = gemm_verify
m = 16
n = 16
k = 16
kernel = scalar
INI
cat >roofs.ini <<'INI'
[defaults]
policy = few
device = cpu
[policy few]
plugin = fixed
samples = 2
[bench roofs]
plugin = ceilings
bytes = 64KiB
sweep.roof = dram_copy, l3_copy, l2_copy
INI

# says NAME CODE PATTERN ARGUMENT...: the exit code, and what standard error matches.
says()
{
    local name=$1 code=$2 pattern=$3
    shift 3
    "$GBRUN" "$@" >out.txt 2>err.txt
    equals "$name: exit code" "$code" "$?"
    grep -q -- "$pattern" err.txt
    equals "$name: message" 0 "$?"
}

no_gnuplot()
{
    PATH=/nonexistent "$GBRUN" "$@"
}

succeeds "cases are measured" "$GBRUN" -c bench.ini -q
succeeds "roofs are measured" "$GBRUN" -c roofs.ini -q -o others.gbr
"$GBRUN" show results.gbr >shown.txt
grep -q "^roofs of .*: run 1 of .*others.gbr" shown.txt
equals "the configured file is found and named" 0 "$?"
grep -q "% l[23]_copy\|% dram_copy" shown.txt
equals "and cases are compared with it" 0 "$?"

equals "what computes is known of each case" "fp32,scalar,5" "$("$GBRUN" export results.gbr \
    --where "bench = 'gemm'" --columns math_format,math_unit,intensity | sed -n '2s/[.].*//p')"

mv others.gbr moved.gbr
"$GBRUN" show results.gbr >shown.txt
grep -q "roofs that cannot be used: .*others.gbr: there is no such results file" shown.txt
equals "one that is gone is said to be" 0 "$?"
mkdir -p data/gbrun && cp moved.gbr data/gbrun/roofs.gbr
"$GBRUN" export results.gbr --columns roofs_source | grep -q "run 1 of .*/data/gbrun/roofs.gbr"
equals "the user's file is found" 0 "$?"
"$GBRUN" export results.gbr --roofs moved.gbr --columns roofs_source | grep -q "run 1 of moved.gbr"
equals "the file that is named comes first" 0 "$?"
says "a file that is not there" 2 "none.gbr: there is no such results file" \
    export results.gbr --roofs none.gbr

says "a picture of another kind" 2 "expected a name in .html, .svg, .png, .pdf or .gp" \
    report results.gbr -o out.jpg
says "no such parameter" 2 "no column 'byts': did you mean 'bytes'" report results.gbr --pivot byts
says "nothing to draw" 2 "there is nothing to report" report results.gbr --where "bytes = 1"
says "no file" 2 "none.gbr: there is no such results file" report none.gbr

"$GBRUN" report >report.txt 2>err.txt
equals "text without -o" 0 "$?"
grep -q "^gbrun: roofs that cannot be used: .*others.gbr" err.txt
equals "a file of roofs that is gone is said to be there too" 0 "$?"
grep -q "left out: 1 case without declared work" report.txt
equals "cases without work are counted" 0 "$?"
"$GBRUN" report results.gbr --pivot bytes | grep -c '|#.*ns' >count.txt
equals "a bar for each value" 2 "$(cat count.txt)"
succeeds "several files" "$GBRUN" report results.gbr moved.gbr results.gbr --pivot bytes

# ---- charts ----
"$GBRUN" report results.gbr --pivot bytes >pivot.txt
"$GBRUN" report results.gbr --chart bars --x bytes >chart.txt
equals "--pivot is a chart of bars" "" "$(cmp pivot.txt chart.txt)"
"$GBRUN" report results.gbr --chart bars --x bytes --y bytes_per_s --ideal bytes >chart.txt
equals "of another column, with an ideal that begins at the first bar" 1 \
    "$(grep -c '|#.* [GM]*bytes/s; ideal' chart.txt | sed 's/2/1/')"
first=$(sed -n 's/.*# \(.*\); ideal \(.*\)/\1=\2/p' chart.txt | head -n 1)
equals "exactly there" "${first%%=*}" "${first##*=}"
"$GBRUN" report results.gbr --chart heat --x bytes --by bench >chart.txt
grep -q '^bench \\ bytes' chart.txt
equals "a row of a heat table for each value of --by" 0 "$?"
"$GBRUN" report results.gbr --chart forest | grep -c '+.*|' >count.txt
equals "an interval for each case" 4 "$(cat count.txt)"
"$GBRUN" report results.gbr --chart box --x bytes | grep -c '|.*M.*|' >count.txt
equals "a box for each value" 2 "$(cat count.txt)"
"$GBRUN" report results.gbr --chart ecdf --where "bench = 'copy'" >chart.txt
equals "shares of the samples rise" "" "$(sed -n 's/^copy.*=[0-9]* *//p' chart.txt | awk '
    function ns(number, unit) { return number * (unit == "ns" ? 1 : unit == "us" ? 1e3 : 1e6) }
    { for (i = 3; i < NF; i += 2) if (ns($i, $(i + 1)) < ns($(i - 2), $(i - 1))) print "falls" }')"
# shellcheck disable=SC2086 # words of options
for chart in 'bars --x bytes' 'lines --x bytes' 'heat --x bytes --by bench' 'box --x bytes' ecdf forest; do
    succeeds "a picture of ${chart%% *}" no_gnuplot report results.gbr --chart $chart -o chart.svg
    if command -v gnuplot >/dev/null; then
        succeeds "and by gnuplot" "$GBRUN" report results.gbr --chart $chart -o chart.png
    fi
done
says "an unknown chart" 2 "--chart pie: expected auto, bars" report results.gbr --chart pie
says "a chart over nothing" 2 "what should the chart go over? expected --x NAME" report results.gbr --y mean_ns
cp results.gbr other.gbr
"$GBRUN" report results.gbr other.gbr --chart bars --x bytes --by file >chart.txt
equals "files beside each other" "file = other.gbr file = results.gbr" "$(grep '^file = ' chart.txt | sort -u | paste -sd ' ')"
equals "in the same charts" 0 "$(grep -c 'gbr: ' chart.txt)"
says "a heat table of one row" 2 "expected --by NAME" report results.gbr --chart heat --x bytes
says "a forest over something" 2 "it takes --by, but no --x" report results.gbr --chart forest --x bytes
says "two charts" 2 "give one of them" report results.gbr --pivot bytes --x bytes
says "an ideal that cannot be computed" 2 "unknown name 'byts'" report results.gbr --x bytes --ideal byts

# ---- pages ----
succeeds "a page" no_gnuplot report results.gbr moved.gbr --run all -o page.html
equals "of each run" 2 "$(grep -c '<h1>' page.html)"
equals "nothing is loaded" "" "$(grep -oE '(src|href|url)[=(]"?[^#"]' page.html)"
if command -v tidy >/dev/null; then
    equals "tidy sees no mistake" "" "$(tidy -e -q page.html 2>&1 | grep ' Error: ')"
else
    skip "tidy" "it is not installed"
fi
succeeds "with a baseline" "$GBRUN" report results.gbr --baseline results.gbr -o page.html
equals "each case that was measured has a ratio" 4 "$(grep -c 'data-v="1">1 ' page.html)"
says "no baseline" 2 "none.gbr: there is no such results file" report results.gbr --baseline none.gbr -o x.html
says "a baseline of a picture" 2 "--baseline is for a page" report results.gbr --baseline results.gbr -o x.svg
says "a chart in a page" 2 "--x is for pictures and text" report results.gbr --x bytes -o x.html
says "a page of nothing" 2 "no case matches --where bytes = 1" report results.gbr --where "bytes = 1" -o x.html
says "a page that cannot be written" 4 "/nowhere/x.html: cannot be written" report results.gbr -o /nowhere/x.html
equals "no page is left" "" "$(ls x.html 2>/dev/null)"

no_gnuplot report results.gbr -o out.png 2>err.txt
equals "without gnuplot it is a mistake to ask for a picture" 2 "$?"
succeeds "SVG needs none" no_gnuplot report results.gbr --roofline --pivot bytes -o out.svg
equals "and is whole" "</svg>" "$(tail -n 1 out.svg)"
succeeds "the script needs none" no_gnuplot report results.gbr --roofs moved.gbr -o out.gp
grep -q "arithmetic intensity (FLOP/byte)" out.gp
equals "the script has the axes" 0 "$?"
if command -v gnuplot >/dev/null; then
    for kind in png pdf; do
        succeeds "$kind" "$GBRUN" report results.gbr --roofline --pivot bytes -o out.$kind
        equals "$kind is not empty" 0 "$([ -s out.$kind ]; echo $?)"
    done
    succeeds "the script runs" gnuplot out.gp
else
    skip "pictures" "gnuplot is not installed"
fi

# What gnuplot would draw, rsvg-convert draws from our own SVG.
if rsvg=$(command -v rsvg-convert); then
    mkdir only
    ln -s "$rsvg" only/rsvg-convert
    for kind in png pdf; do
        succeeds "$kind without gnuplot" env PATH="$PWD/only" "$GBRUN" report results.gbr --chart bars --x bytes -o rsvg.$kind
    done
    equals "they are what their names say" "PNG %PDF" "$(head -c 4 rsvg.png | tail -c 3) $(head -c 4 rsvg.pdf)"
else
    skip "pictures without gnuplot" "rsvg-convert is not installed"
fi

finish
