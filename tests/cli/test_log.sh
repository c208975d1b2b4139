#!/usr/bin/env bash
# `gbrun log`: histories over runs and files, their order, change points, formats. The device `fake` (tests/modules)
# takes the times that its options say.
. "$top_srcdir/tests/tap.sh"
with_modules

{
    few_samples 7 'device = quick' 'rounds = 2'
    section device quick fake
    section bench one process
    section bench other process seed=3
} >bench.ini

# measure FILE VERSION TIME: a run with a label.
measure()
{
    "$GBRUN" -q -c bench.ini -s "device quick.time=$3" -o "$1" --label "version=$2" >/dev/null || fail "$2 is measured"
}
for version in 1.8 1.9 1.10 1.11; do measure log.gbr $version 1us; done
for version in 1.13 1.12 1.14; do measure log.gbr $version 1.05us; done

exits "a history" 0 "$GBRUN" log log.gbr
equals "each case in each run" 14 "$(grep -c ' 20[0-9][0-9]-' out.txt)"
has "how many" out.txt "2 cases, 7 runs, 2 changes"
equals "the fifth run is slower" "5 5" "$(grep slower out.txt | grep -oE ' [0-9] +20' | tr -d ' ' | sed 's/20$//' | paste -sd ' ')"
"$GBRUN" log log.gbr --changes -f csv >out.txt
equals "only changes" "one,1.13,slower,1.049 other,1.13,slower,1.049" \
    "$(awk -F, 'NR > 1 {printf "%s,%s,%s,%.3f\n", $1, $7 != "" ? $7 : "1.13", $15, $16}' out.txt | paste -sd ' ')"
"$GBRUN" log log.gbr --by label.version -f csv >out.txt
equals "in order of a label, numbers as numbers" "1.8 1.9 1.10 1.11 1.12 1.13 1.14" \
    "$(awk -F, '$1 == "one" {print $7}' out.txt | paste -sd ' ')"
equals "the change is at another run then" "1.12" "$(awk -F, '$1 == "one" && $15 != "" {print $7}' out.txt)"
equals "segments" "0 0 0 0 1 1 1" "$(awk -F, '$1 == "one" {print $14}' out.txt | paste -sd ' ')"
"$GBRUN" log log.gbr --margin 6% --changes >out.txt
equals "within the margin: none" "2 cases, 7 runs, 0 changes" "$(cat out.txt)"
cp log.gbr copy.gbr
sql copy.gbr 'DELETE FROM bench_case WHERE run_id = 7'
"$GBRUN" log log.gbr >whole.txt
succeeds "runs that are in several files count once, with all of their cases" \
    cmp whole.txt <("$GBRUN" log copy.gbr log.gbr log.gbr)

measure more.gbr 2.0 1us
"$GBRUN" -q -c bench.ini -o more.gbr >/dev/null
"$GBRUN" log log.gbr more.gbr --by label.version >out.txt
has "two files" out.txt "2 cases, 8 runs, 2 changes, 2 to be confirmed by a rerun; 1 run without label.version"
has "faster again" out.txt "faster 0.9537 [0.9514, 0.9560], to be confirmed by a rerun"
measure more.gbr 2.1 1us
"$GBRUN" log log.gbr more.gbr --by label.version >out.txt
has "a second run agrees" out.txt "2 cases, 9 runs, 4 changes; 1 run without label.version"
for i in 0 1 2 3 4 5 6 7 8 9; do measure drift.gbr $i 1.0${i}us; done
"$GBRUN" log drift.gbr --changes >out.txt
has "a drift" out.txt "drift, slower 1.0873 [1.0863, 1.0884] over 10 runs, +0.93 % a run" "2 cases, 10 runs, 0 changes, 2 drifts"
"$GBRUN" log drift.gbr --changes -f csv >out.txt
equals "a drift, as CSV" "slower,drift,0 slower,drift,0" "$(awk -F, 'NR > 1 {print $15 "," $20 "," $14}' out.txt | paste -sd ' ')"
"$GBRUN" log log.gbr --metric made -f csv >out.txt
equals "of a metric" "7" "$(grep -c '^one,' out.txt)"
if command -v python3 >/dev/null; then
    "$GBRUN" log log.gbr -f json >out.txt
    equals "JSON" "2 7 slower" "$(python3 -c '
import json
h = json.load(open("out.txt"))
print(len(h["cases"]), len(h["cases"][0]["points"]), h["cases"][0]["points"][4]["change"]["verdict"])')"
fi
"$GBRUN" log log.gbr -f md >out.txt
equals "Markdown: each row has its case" 7 "$(grep -cE '^\| *one *\|' out.txt)"

# A run in which a case fails has no value, and is in no segment's way.
cp log.gbr failed.gbr
"$GBRUN" -q -c bench.ini -o failed.gbr -s "device quick.error_at=3" >/dev/null 2>&1
"$GBRUN" log failed.gbr >out.txt
equals "a run that failed" 2 "$(grep -c ' 8  20.*device error' out.txt)"
has "a run that failed: the change is found all the same" out.txt "2 cases, 8 runs, 2 changes"

# ---- the newest change ----
# gated NAME CODE TIME [OPTION]...: after one more run, of this time in which `one` alone is slower.
gated()
{
    "$GBRUN" -q -c bench.ini -s one.device=own -s "device own.$3" -o gate.gbr ${commit:+--label commit=$commit} \
        >/dev/null 2>&1
    exits "$1" "$2" "$GBRUN" log gate.gbr --gate "${@:4}"
}
section device own fake >>bench.ini
for i in 1 2 3 4; do gated "gate: run $i" 0 time=1us --strict; done
gated "gate: a change that nothing confirms" 0 time=1.05us
exits "gate: the same, strictly" 3 "$GBRUN" log gate.gbr --gate --strict
has "gate: what" err.txt "gbrun: --gate: 1 case is worse by the newest run" \
    "one: slower 1.0485 [1.0467, 1.0504], to be confirmed by a rerun, run 5 of gate.gbr"
gated "gate: confirmed by the newest run" 3 time=1.05us
has "gate: at the run before" err.txt "one: slower 1.04854 [1.04784, 1.04925], run 5 of gate.gbr"
gated "gate: known before" 0 time=1.05us
for i in 8 9 10; do gated "gate: faster, run $i" 0 time=1us --strict; done
commit=abc gated "gate: of a commit" 0 time=1.05us
for i in 1 2 3; do commit=abc gated "gate: as long as it is the newest commit" 3 time=1.05us; done
gated "gate: a case that fails" 3 error_at=3
has "gate: how it fails" err.txt "one: device error, run 15 of gate.gbr"
"$GBRUN" -q -c bench.ini -o gate.gbr -s one.margin=10% -s one.device=own -s "device own.time=1.05us" >/dev/null
exits "gate: within the case's own margin" 0 "$GBRUN" log gate.gbr --gate --strict -f csv
equals "gate: whose margin that is" "one:0.1 other:0.01" "$(cells case,margin | sort -u | tr , : | paste -sd ' ')"
# The second slow run does not agree with the first, the third does.
rm gate.gbr
for ns in 1004 1010 1013 1001 1007 1000 1490 1550; do gated "gate: $ns ns" 0 time=${ns}ns; done
gated "gate: confirmed two runs later" 3 time=1492ns
has "gate: where it was" err.txt ", run 7 of gate.gbr"
gated "gate: known then" 0 time=1490ns

try_each "$GBRUN" log <<'EOF'
strict alone|2|gbrun: error: --strict: goes with --gate|log.gbr --strict
no such label|2|gbrun: error: --by label.commit: no run has such a fact or label|log.gbr --by label.commit
no such format|2|gbrun: error: --format junit: expected table, md, csv or json|log.gbr --format junit
no such file|2|gbrun: error: none.gbr: there is no such results file|none.gbr
no margin|2|--margin: error: 'much' is not a number: expected one such as 0.5, 1e-3, 64Ki or 5%|log.gbr --margin much
EOF
finish
