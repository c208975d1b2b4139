#!/usr/bin/env bash
# `gbrun export` for other tools: what a parser of each format, and the tools that are installed, make of it.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

few_samples 6 'device = cpu' '[bench copy]' 'rounds = 5' 'sweep.bytes = 4KiB, 8KiB' >bench.ini
succeeds "measured" "$GBRUN" -q -c bench.ini -o old.gbr
succeeds "and again" "$GBRUN" -q -c bench.ini -o new.gbr
for format in google nvbench hyperfine pyperf jmh t4 github bmf junit openmetrics trace; do
    for run in old new; do
        succeeds "$run as $format" "$GBRUN" export $run.gbr -f $format -o $run.$format
    done
done

try_each "$GBRUN" <<'TABLE'
an unknown format|2|~--format xml: expected|export old.gbr -f xml
columns of one's own|2|~--columns: --format google has rows and columns of its own|export old.gbr -f google --columns bench
not of show|2|~--format google: expected table, csv, json, jsonl or md|show old.gbr -f google
TABLE
equals "help has all of them" 11 "$("$GBRUN" help formats | grep -c '^  [a-z]')"

if command -v python3 >/dev/null; then
    for format in google nvbench hyperfine pyperf jmh t4 github bmf trace; do
        succeeds "$format is JSON" python3 -c "import json; json.load(open('old.$format'))"
    done
    succeeds "junit is XML" python3 -c "import xml.etree.ElementTree as e; e.parse('old.junit')"
else
    skip "parsers" "python3 is not installed"
fi
# module NAME: is it there for Python?
module()
{
    python3 -c "import $1" 2>/dev/null
}
if module pyperf; then
    succeeds "pyperf compares" python3 -m pyperf compare_to old.pyperf new.pyperf
else
    skip "pyperf" "it is not installed"
fi
if module junitparser; then
    equals "junitparser" 2 "$(python3 -c "import junitparser as j; print(sum(s.tests for s in j.JUnitXml.fromfile('old.junit')))")"
else
    skip "junitparser" "it is not installed"
fi
if module prometheus_client; then
    succeeds "prometheus_client" python3 -c "
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
assert {f.name for f in parse(open('old.openmetrics').read())} >= {'gbrun_ok', 'gbrun_time_seconds'}"
else
    skip "prometheus_client" "it is not installed"
fi
if command -v nvbench-compare-legacy >/dev/null; then
    succeeds "nvbench_compare" nvbench-compare-legacy old.nvbench new.nvbench
    succeeds "nvbench_compare, robust" nvbench-compare-robust old.nvbench new.nvbench
    succeeds "nvbench_json_summary" nvbench-json-summary old.nvbench
else
    skip "nvbench_compare" "it is not installed"
fi
# Exported and read again they are the same cases with the same times: also of several devices and policies, and with
# words that differ in a slash only.
measured <<INI
[gbrun]
plugin_path = $top_builddir/tests/modules/.libs
distribute = each
[device two]
plugin = fake
n_devices = 2
[policy few]
plugin = fixed
samples = 8
[policy more]
plugin = fixed
samples = 9
[defaults]
device = two:all
policy = few
[bench good]
rounds = 5
sweep.policy = few, more
[bench good/path]
plugin = good
sweep.env.A = a/b, a_b, a%2Fb
INI
equals "measured on two devices" "0 10" "$code $("$GBRUN" export results.gbr -f openmetrics | grep -c '^gbrun_ok')"
for format in google nvbench hyperfine pyperf; do
    succeeds "results as $format" "$GBRUN" export results.gbr -f $format -o results.$format
done
for file in old:google old:nvbench old:hyperfine old:pyperf results:google results:nvbench results:hyperfine results:pyperf; do
    run=${file%:*} tool=${file#*:}
    "$GBRUN" compare "$run.$tool" "$run.gbr" --format csv >out.txt 2>err.txt
    equals "$run as $tool and back" "$(values bench "$run.gbr" --rows combined | wc -w) both" \
        "$(awk -F, 'NR > 1 {n++; all = all ($14 > 0 && $15 > 0 ? "" : "one")} END {print n, all "both"}' out.txt)$(cat err.txt)"
    equals "$run as $tool: ratios" "" "$(awk -F, 'NR > 1 && ("'"$tool"'" != "nvbench") && ($8 < 0.999999 || $8 > 1.000001)' out.txt)"
done
# What other tools tell cases apart by.
for keys in 'google:"name":"[^"]*"' 'hyperfine:"command":"[^"]*"' 'hyperfine:"parameters":{[^}]*}' 'pyperf:"name":"[^"]*"' \
    'jmh:"benchmark":.*"params":{[^}]*}' 't4:"configuration":{[^}]*}' 'github:"name":"[^"]*"' 'bmf:^"[^"]*":{"latency' \
    'junit:<testcase[^>]* name="[^"]*"' 'openmetrics:^gbrun_ok{[^}]*}'; do
    equals "${keys%%:*} tells 10 cases apart: ${keys#*:}" 10 \
        "$("$GBRUN" export results.gbr -f "${keys%%:*}" --rows combined | grep -o "${keys#*:}" | sort -u | wc -l)"
done
finish
