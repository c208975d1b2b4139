#!/usr/bin/env bash
# `gbrun compare` from the command line: forms, refusals, exit codes. What is compared are counts, which
# do not depend on the machine; the times themselves are the matter of tests/compare/.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

few_samples 10 'device = cpu' '[gbrun]' 'sentinel = no' '[device cpu]' 'flush = 64KiB' '[bench copy]' 'rounds = 3' 'sweep.bytes = 4KiB, 6KiB' 'sweep.method = memcpy, stream' \
    >copy.ini
{ cat copy.ini; printf '[bench fails]\nplugin = failer\n'; } >fails.ini
for file in old new old; do
    succeeds "$file.gbr is measured" "$GBRUN" -q -c copy.ini -o "$file.gbr"
done
"$GBRUN" -q -c copy.ini -o six.gbr -s copy.rounds=6 >/dev/null
for number in 8 9; do
    "$GBRUN" -q -c copy.ini -o labels.gbr --label side="run $number" >/dev/null
done
"$GBRUN" -q -c copy.ini -o less.gbr -s copy.bytes=4KiB >/dev/null
"$GBRUN" -q -c copy.ini -o cold.gbr -s copy.cache=cold >/dev/null
GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs "$GBRUN" -q -c fails.ini -o fails.gbr >/dev/null 2>&1

no_pairs='rounds of two runs are not pairs: expected --by with an option or setting whose values are in one run'
unforced='they are compared only with --force'
try_each "$GBRUN" compare --metric bytes_read <<TABLE
two files|0||old.gbr new.gbr|base: run 2 of old.gbr, 20|4 same; geometric mean of 4 ratios 1.000
three files: a column each|0||old.gbr new.gbr old.gbr|1.000 same  1.000 same
two runs of a file: the newest, and the one before|0||old.gbr|base: run 1 of old.gbr, 20|new: run 2 of old.gbr, 20
runs by their numbers|0||old.gbr --base 2 --new 1|base: run 2 of old.gbr, 20
a run by a fact: the newest that has it|0||old.gbr --base "host=$(uname -n)" --new previous|base: run 2 of old.gbr, 20
a label whose values look like numbers of runs|0||labels.gbr --by label.side --base "run 8"|\
base: run 8, run 1 of labels.gbr, 20|new: run 9, run 2 of labels.gbr
values of an axis|3||new.gbr --by bytes --base 4KiB|base: 4096, run 1 of new.gbr|\
2 slower; geometric mean of 2 ratios 1.500
values of an axis, the other way round|0||new.gbr --by bytes --base 6144|2 faster
values of an axis, within the margin|0||new.gbr --by bytes --base 4KiB --margin 60%
uncertified cases, strictly|3|gbrun: --strict: 4 of 4 compared cases of new.gbr are not certified by their policy|\
old.gbr new.gbr --strict
a case that fails on both sides|1||fails.gbr fails.gbr
a case that is missing|3||new.gbr less.gbr
another cache state|2|gbrun: error: 4 of 4 cases of cold.gbr have another cache (cold, the base has warm): $unforced|\
new.gbr cold.gbr
another cache state by force: each line says so|0||new.gbr cold.gbr --force|same, other cache
TABLE
# ---- baselines by name, margins of cases, another machine ----
with_modules
{
    few_samples 7 'device = quick' 'rounds = 3' 'isolate = yes'
    section device quick fake
    section bench one process
    section bench other process 'margin = 10%' seed=3
} >named.ini
slower=("-c" named.ini -s "device quick.time=1.05us")
try_each "$GBRUN" run -q -o named.gbr <<'EOF'
no baseline yet: nothing is measured|2|gbrun: error: --baseline main: named.gbr: holds no run|-c named.ini --baseline main
a baseline is saved|0|-|-c named.ini --save-baseline main
a run beside a baseline|3|-|"${slower[@]}" --baseline main|base: run 1 of named.gbr|1 slower, 1 changed
a baseline that takes the name of the one it is compared with|3|-|"${slower[@]}" --baseline main --save-baseline main|\
base: run 1 of named.gbr
another one|0|-|-c named.ini --save-baseline main-of-june
the newest that has the name|0|-|"${slower[@]}" --baseline main|base: run 3 of named.gbr
a format of no comparison|2|gbrun: error: --baseline is not for --profile or --format jsonl|--baseline main -f jsonl
EOF
rm named.gbr
"$GBRUN" run -q -o named.gbr -c named.ini --save-baseline main >/dev/null
"$GBRUN" run -q -o named.gbr "${slower[@]}" >/dev/null
try_each "$GBRUN" compare named.gbr <<'EOF'
compare takes the name|3||--baseline main|base: run 1 of named.gbr|changed, 2 runs, margin 10 %
no such name|2|gbrun: error: named.gbr: no run has baseline=now; there are main|--baseline now
two bases|2|gbrun: error: --baseline main: names the base: leave out --base and --by|--baseline main --base 1
EOF
ran "$GBRUN" compare named.gbr --baseline main --margin 20% -f csv
equals "a case's own margin goes over that of all" "one:changed:0.2 other:changed:0.1" \
    "$(cells case,verdict,margin | tr ', ' ': ' | paste -sd ' ')"
"$GBRUN" run -q -o named.gbr "${slower[@]}" -s "device quick.models=EPYC" >/dev/null
try_each "$GBRUN" compare named.gbr <<'EOF'
another model of the processor: unclear, whatever the times|0|-|--baseline main|\
unclear, other device model|unclear: one: another device model (EPYC, the base has |2 unclear
the same, strictly|3|-|--baseline main --strict|2 unclear
by force|3||--baseline main --force|slower, 2 runs, other device model
counts do not depend on it|0||--baseline main --metric made|same, other device model
EOF

# Runs that are not compared say by how much runs differ.
for number in 1 2 3 4 5; do
    "$GBRUN" -q -c copy.ini -o many.gbr >/dev/null
done
scopes() { "$GBRUN" compare "$@" --format csv | awk -F, 'NR > 1 {print $17}' | sort | uniq -c | xargs; }
equals "no other run: of these two" "4 runs" "$(scopes old.gbr new.gbr --base 1)"
equals "three other runs of the file" "4 history" "$(scopes many.gbr)"
equals "a history" "4 history" "$(scopes six.gbr cold.gbr --force --history many.gbr)"
equals "the same runs again add nothing" "4 runs" "$(scopes old.gbr new.gbr --base 1 --history old.gbr)"
# chosen OPTION...: the cases that are compared, and their verdicts; what was said.
chosen()
{
    "$GBRUN" compare --metric bytes_read --format csv "$@" 2>err.txt | awk -F, 'NR > 1 { print $1 ":" $2 ":" $13 }' | paste -sd ' '
}
equals "cases that --where chooses" "new.gbr:copy bytes=4096 method=stream:same" \
    "$(chosen old.gbr new.gbr --where "bytes < 5000 and method = 'stream'")"
equals "by a result of one side: a case that is missing" "less.gbr:copy bytes=6144 method=memcpy:missing less.gbr:copy bytes=6144 method=stream:missing" \
    "$(chosen new.gbr less.gbr --where 'bytes_read > 5000')"
cp new.gbr broken.gbr
sql broken.gbr "UPDATE bench_case SET status = 'failed' WHERE position = 3"
equals "or one that fails there" "broken.gbr:copy bytes=6144 method=stream:broken" \
    "$(chosen new.gbr broken.gbr --where "bytes = 6144 and method = 'stream' and status = 'ok'")"
equals "values of an axis: those of the cases chosen" "6144:copy method=memcpy:slower" \
    "$(chosen new.gbr --by bytes --base 4KiB --where "method = 'memcpy'")"
equals "a history" "copy bytes=4096 method=memcpy" \
    "$("$GBRUN" log many.gbr --where "bytes = 4096 and method = 'memcpy'" -f csv | awk -F, 'NR > 1 { print $1 }' | sort -u)"
for format in table md csv json junit github; do
    exits "format $format" 0 "$GBRUN" compare --metric bytes_read old.gbr new.gbr --format $format
done
exits "values of an axis, paired" 0 "$GBRUN" compare new.gbr --by method --base stream --margin 99.9% -f csv
equals "values of an axis: three pairs in each row" 2 "$(grep -c ',3,3,paired,' out.txt)"
ran "$GBRUN" compare six.gbr --by bytes --base 4KiB --sequential -f csv # whatever it says
equals "round by round: after four rounds or more, as many of both sides" "ok ok" \
    "$(awk -F, 'NR > 1 {print ($14 == $15 && $14 >= 4 && $16 == "sequential") ? "ok" : $0}' out.txt | paste -sd ' ')"
if command -v python3 >/dev/null; then
    exits "JSON" 3 "$GBRUN" compare --metric bytes_read new.gbr --by bytes --base 4KiB --format json
    succeeds "JSON is JSON" python3 -c 'import json; print(json.load(open("out.txt"))["exit_code"])'
    exits "XML" 3 "$GBRUN" compare --metric bytes_read new.gbr --by bytes --base 4KiB --format junit
    succeeds "XML is XML" python3 -c 'import xml.dom.minidom as x; x.parse("out.txt")'
fi

# ---- files of other tools ----

# google MEDIAN: four repetitions of gemm/m:4096, one of copy, an aggregate, one that failed; ns, us.
google()
{
    printf '{"context":{"num_cpus":2},"benchmarks":['
    for factor in 0.999 1.000 1.001 1.000; do
        awk -v f="$factor" -v m="$1" 'BEGIN {printf "{\"name\":\"gemm/m:4096\",\"run_type\":\"iteration\",\"iterations\":10,"
            printf "\"real_time\":%.6f,\"cpu_time\":1,\"time_unit\":\"us\"},", f * m}'
    done
    printf '{"name":"copy","run_type":"iteration","real_time":100,"cpu_time":1,"time_unit":"ns"},'
    printf '{"name":"gemm/m:4096_mean","run_type":"aggregate","aggregate_name":"mean","real_time":5,"time_unit":"us"},'
    printf '{"name":"bad","run_type":"iteration","error_occurred":true,"error_message":"no memory"}]}'
}
google 812 >google_old.json
google 900 >google_new.json
exits "Google Benchmark" 3 "$GBRUN" compare google_old.json google_new.json --format csv
equals "Google Benchmark: repetitions are rounds, aggregates are left out" \
    "bad,failed,0,0 copy,unclear,1,1 gemm m=4096,slower,4,4" \
    "$(awk -F, 'NR > 1 {print $2 "," $13 "," $14 "," $15}' out.txt | paste -sd ' ')"
equals "Google Benchmark: microseconds" "811999.8" "$(awk -F, '/gemm/ {printf "%.1f", $5}' out.txt)"
exits "Google Benchmark as a table" 3 "$GBRUN" compare google_old.json google_new.json
has "Google Benchmark: the base, and why one failed" out.txt "base: google_old.json, of Google Benchmark" \
    "failed: bad: failed: no memory"

# nvbench SECONDS FILE: a state with a float file, one without, one that was skipped.
nvbench()
{
    local state='{"name":"Device=0 Bytes=%s","device":0,"is_skipped":%s,"skip_reason":"%s","axis_values":[{"name":"Bytes","type":"int64","value":"%s"}],"summaries":[%s]}'
    local mean="{\"tag\":\"nv/cold/time/gpu/mean\",\"data\":[{\"name\":\"value\",\"type\":\"float64\",\"value\":\"$1\"}]},
        {\"tag\":\"nv/cold/time/gpu/stdev/relative\",\"data\":[{\"name\":\"value\",\"type\":\"float64\",\"value\":\"0.01\"}]},
        {\"tag\":\"nv/cold/sample_size\",\"data\":[{\"name\":\"value\",\"type\":\"int64\",\"value\":\"100\"}]}"
    local file="{\"tag\":\"nv/json/bin:nv/cold/sample_times\",\"data\":[{\"name\":\"filename\",\"type\":\"string\",\"value\":\"$2\"}]}"
    printf '{"meta":{"version":{"json":{"major":1}}},"devices":[],"benchmarks":[{"name":"copy","states":['
    # shellcheck disable=SC2059 # the format of a state
    printf "$state,$state,$state]}]}" 1024 false '' 1024 "$mean" 2048 false '' 2048 "$mean,$file" \
        4096 true 'too large' 4096 ''
}
# 2, 2 and 4 in float32, as seconds
mkdir -p sub && printf '\000\000\000\100\000\000\000\100\000\000\200\100' >sub/times.bin
nvbench 1e-05 times.bin >sub/nv_old.json
nvbench 2e-05 times.bin >sub/nv_new.json
exits "NVBench" 3 "$GBRUN" compare sub/nv_old.json sub/nv_new.json --format csv
equals "NVBench: states, the float file, what was skipped" \
    "copy Bytes=1024,10000,20000,slower copy Bytes=2048,2000000000,2000000000,unclear copy Bytes=4096,,,skipped" \
    "$(awk -F, 'NR > 1 {print $2 "," $5 "," $6 "," $13}' out.txt | paste -sd ' ')"
nvbench 1e-05 nonesuch.bin >sub/nv_bad.json

# reads NAME WANTED FILE: the cases, their verdict against itself, and rounds.
reads()
{
    "$GBRUN" compare "$3" "$3" --format csv >out.txt 2>err.txt
    equals "$1" "$2" "$(awk -F, 'NR > 1 {print $2 "," $5 "," $14}' out.txt | paste -sd ' ')$(cat err.txt)"
}
printf '{"context":{},"benchmarks":[{"name":"a/1_mean","run_name":"a/1","run_type":"aggregate","aggregate_name":"mean","repetitions":9,"real_time":5,"time_unit":"us"},
    {"name":"a/1_median","run_name":"a/1","run_type":"aggregate","aggregate_name":"median","real_time":4,"time_unit":"us"},
    {"name":"a_BigO","run_name":"a","run_type":"aggregate","aggregate_name":"BigO","real_coefficient":1,"big_o":"N","time_unit":"ns"},
    {"name":"a_RMS","cpu_coefficient":1,"rms":0.1},
    {"name":"b","real_time":NaN,"time_unit":"ns"},{"name":"b","real_time":7,"time_unit":"ns","say":"NaN \\" Infinity"},
    {"name":"c","real_time":-Infinity}]}' >only.json
reads "aggregates alone, no complexities, numbers that JSON has not" "a 1,4000,1 b,7,1 c,,0" only.json
printf '{"results":[{"command":"w","parameters":{"x":"1"},"times":[1.0]},{"command":"w","parameters":{"y":"1"},"times":[2.0]},{"command":"w","parameters":{"y":"1"},"times":[2.0]}]}' >names.json
reads "hyperfine's parameters that differ in their names" "w x=1,1000000000,1 w y=1,2000000000,2" names.json
printf '{"results":[{"command":"w","parameters":{"x":"1"},"times":[1]},{"command":"w x=1","times":[2]}]}' >words.json
reads "hyperfine's commands as long as another's parameters" 'w x=1,2000000000,1 "w {""x"":""1""}",1000000000,1' words.json
printf '{"context":{},"benchmarks":[{"name":"a/b","real_time":1},{"name":"a b","real_time":3},{"name":"c:1","real_time":1},
    {"name":"d","real_time":1,"time_unit":"min"},{"name":"e_mean","run_name":"e/1","run_type":"aggregate","aggregate_name":"mean","real_time":5},
    {"name":"e","run_name":"e 1","run_type":"aggregate","aggregate_name":"mean","real_time":6}]}' >same.json
reads "Google Benchmark's names that only its signs tell apart, an unknown unit" \
    "a b,3,1 a/b,1,1 c=1,1,1 d,,0 e 1,6,1 e/1,5,1" same.json
nvbench 1e-05 times.bin | sed 's/"name":"Device=0 Bytes=1024","device":0/"device":7/; s/"value":"\(1024\|2048\)"}\]/"value":"1"}]/g' >sub/nv_devices.json
reads "NVBench on two devices" "copy Bytes=1 device=0,2000000000,1 copy Bytes=1 device=7,10000,1 copy Bytes=4096 device=0,,0" sub/nv_devices.json
printf '{"results":[{"command":"a","times":[1,1]},{"command":"b","mean":3,"median":2.5},{"command":"c","times":[],"mean":2},{"command":"d"}]}' >means.json
reads "hyperfine's means alone" "a,1000000000,2 b,2500000000,1 c,2000000000,1 d,,0" means.json
printf '{"version":"1.0","metadata":{"unit":"second"},"benchmarks":[{"metadata":{"name":"memory","unit":"byte"},"runs":[{"values":[4096]}]},{"metadata":{"name":"time"},"runs":[{"values":[1.5]}]}]}' >units.json
reads "pyperf's units other than seconds are no times" "memory,,0 time,1500000000,1" units.json
sed 's|nv/cold/time/gpu|nv/cpu_only/time/cpu|g; s|nv/cold|nv/cpu_only|g' sub/nv_old.json >sub/nv_cpu.json
reads "NVBench without a GPU" "copy Bytes=1024,10000,1 copy Bytes=2048,2000000000,1 copy Bytes=4096,,0" sub/nv_cpu.json
for name in /dev/zero ../only.json /etc/passwd; do
    nvbench 1e-05 "$name" >sub/nv_outside.json
    exits "NVBench's file $name" 2 "$GBRUN" compare sub/nv_outside.json sub/nv_new.json
    has "NVBench's file $name is not beside it" err.txt "names the file $name: expected one in its folder"
done
gzip -c only.json >only.json.gz
cp only.json.gz packed
(printf '\357\273\277' && cat only.json) >marked.json
for file in only.json.gz packed marked.json; do
    reads "$file is unpacked, without its mark" "a 1,4000,1 b,7,1 c,,0" $file
done
for name in - /dev/stdin; do
    equals "a pipe as $name" "a 1 b c" \
        "$(gzip -dc only.json.gz | "$GBRUN" compare only.json $name --format csv 2>&1 | awk -F, 'NR > 1 {print $2}' | paste -sd ' ')"
done
head -c 3000000 /dev/zero | gzip >part.gz
for ((i = 0; i < 100; i++)); do cat part.gz; done >bomb.json.gz
exits "what is too large unpacked" 2 "$GBRUN" compare only.json bomb.json.gz
has "is larger than read" err.txt "bomb.json.gz: is larger than 256 MiB"

printf '{"results":[{"command":"./work 1","mean":1,"times":[1.0,1.01,0.99,1.0,1.0,1.0]}]}' >hyper_old.json
printf '{"results":[{"command":"./work 1","mean":1,"times":[0.5,0.51,0.49,0.5,0.5,0.5]}]}' >hyper_new.json
exits "hyperfine" 0 "$GBRUN" compare hyper_old.json hyper_new.json --format csv
equals "hyperfine: runs are rounds" "./work 1,faster,6,6" "$(awk -F, 'NR > 1 {print $2 "," $13 "," $14 "," $15}' out.txt)"

printf '{"version":"1.0","metadata":{"unit":"second"},"benchmarks":[{"metadata":{"name":"g"},"runs":[
    {"warmups":[[1,0.5]]},{"values":[8.1e-4,8.2e-4,9e-4]},{"values":[8.2e-4]},{"values":[8.3e-4,8.3e-4]}]}]}' >pyperf.json
exits "pyperf" 0 "$GBRUN" compare pyperf.json pyperf.json --format csv
equals "pyperf: processes are rounds" "g,3,3" "$(awk -F, 'NR > 1 {print $2 "," $14 "," $15}' out.txt)"

# A baseline of another tool for cases of gbrun, by their labels.
printf '{"context":{},"benchmarks":[{"name":"copy/bytes:4096/method:memcpy","real_time":1e9,"time_unit":"s"}]}' >base.json
exits "another tool's baseline" 0 "$GBRUN" compare base.json new.gbr --format csv
equals "another tool's baseline: its case" 1 "$(grep -c '"*copy bytes=4096 method=memcpy"*,' out.txt)"
equals "another tool's baseline: the rest is new" 3 "$(tail -n +2 out.txt | grep -c ',new,')"

# ---- what fails before its clock is known ----
"$GBRUN" command -q -r 1 false true -o two.gbr >/dev/null 2>&1
"$GBRUN" command -q -r 1 true -o one.gbr >/dev/null 2>&1
equals "a run without an interval has neither end of it" ",," \
    "$("$GBRUN" log one.gbr -f csv | awk -F, 'NR > 1 { print "," $9 "," $10 }')"

# ---- what cannot be compared ----
printf '{"a":1}' >other.json
printf '{"a":' >broken.json
printf '{"results":[]}' >empty.json
try_each "$GBRUN" compare <<TABLE
round by round, too few|0||new.gbr --by method --base stream --margin 99.9% --sequential|\
unclear: copy bytes=4096: 3 rounds, at least 4 are needed|round by round: 2 not decided after 3
round by round, of two files|2|gbrun: error: --sequential: goes with --by and --base: rounds of two runs are not pairs|\
old.gbr new.gbr --sequential
round by round, of two runs|2|gbrun: error: --sequential: $no_pairs|old.gbr --by host --base "$(uname -n)" --sequential
no alpha|2||old.gbr new.gbr --alpha 0
NVBench without its float file|2||sub/nv_old.json sub/nv_bad.json
other JSON|2|gbrun: error: other.json: is JSON, but not of Google Benchmark, NVBench, hyperfine or pyperf|other.json new.gbr
broken JSON|2|gbrun: error: broken.json: is neither a results file nor JSON|broken.json new.gbr
no times|2|gbrun: error: empty.json: no time is in this file of hyperfine|empty.json new.gbr
a metric of another tool|2|gbrun: error: --metric flops: base.json contains only times|base.json new.gbr --metric flops
a file that is not there|2||old.gbr nonesuch.gbr
one run only|2|gbrun: error: new.gbr: contains only one run: there is no previous one|new.gbr
a run that is not there|2|gbrun: error: old.gbr: has no run 7, only 1 to 2|old.gbr --base 7
a run by words|2|gbrun: error: run 'yesterday': expected its number, newest, previous, or NAME=VALUE of a label|\
old.gbr --base yesterday
an unknown label|2|gbrun: error: old.gbr: no run has commit=abc, nor another value of it|old.gbr --base commit=abc
an unknown axis|2|gbrun: error: --by color: no case has such an option or setting, and no run such a fact|\
new.gbr --by color --base red
an unknown value|2|gbrun: error: --base 5: no value of bytes; there are 4096, 6144|new.gbr --by bytes --base 5
an unknown metric|2||new.gbr old.gbr --metric nonesuch
an unknown format|2|gbrun: error: --format yaml: expected table, md, csv, json, junit or github, and with --by host hostlist|\
new.gbr old.gbr --format yaml
--where that chooses nothing|1|gbrun: no case matches --where bytes = 1|old.gbr new.gbr --where "bytes = 1"
--where that chooses nothing of a run|2|gbrun: error: --where: no case of the run matches 'bytes = 1'|\
new.gbr --by bytes --base 4KiB --where "bytes = 1"
--where with an unknown name|2|gbrun: error: --where: unknown name 'bites'; did you mean 'bytes'?|old.gbr new.gbr --where "bites = 1"
--where of other tools|2|gbrun: error: --where: goes with a results file: none of the files is one|\
hyper_old.json hyper_new.json --where "bytes = 1"
a value that fails|3||two.gbr --by argv --base true|1 broken
a base that fails|1|gbrun: no case of true could be compared|two.gbr --by argv --base false|1 fixed
a margin that is none|2|--margin: error: margin = 120% is out of range: expected 0:99.9%|\
new.gbr old.gbr --margin 120%
--by without a base|2||new.gbr --by bytes
--run without --by|2||new.gbr old.gbr --run 1
TABLE
finish
