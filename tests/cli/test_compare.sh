#!/usr/bin/env bash
# `gbrun compare` from the command line: forms, refusals, exit codes. What is compared are counts, which
# do not depend on the machine; the times themselves are the matter of tests/compare/.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

# compare CODE NAME ARGUMENT...: out.txt, err.txt; the exit code.
compare()
{
    local expected=$1 name=$2 code
    shift 2
    "$GBRUN" compare "$@" >out.txt 2>err.txt
    code=$?
    equals "$name: exit code" "$expected" "$code"
}

# says NAME TEXT: all of standard error.
says()
{
    equals "$1: message" "gbrun: error: $2" "$(cat err.txt)"
}

# has NAME TEXT: a line of standard output has the text.
has()
{
    if grep -qF -- "$2" out.txt; then
        pass "$1"
    else
        fail "$1" "expected a line with: $2" "$(cat out.txt)"
    fi
}

few_samples 10 'device = cpu' >few.ini
{
    cat few.ini
    printf '[bench copy]\nrounds = 3\nsweep.bytes = 4KiB, 6KiB\nsweep.method = memcpy, stream\n'
} >copy.ini
for file in old new old; do
    succeeds "$file.gbr is measured" "$GBRUN" -q -c copy.ini -o "$file.gbr"
done

count=(--metric bytes_read)
compare 0 "two files" "${count[@]}" old.gbr new.gbr
has "two files: the base" "base: run 2 of old.gbr, 20"
has "two files: four cases" "4 same; geometric mean of 4 ratios 1.000"
compare 0 "three files" "${count[@]}" old.gbr new.gbr old.gbr
has "three files: a column each" "1.000 same  1.000 same"
compare 0 "two runs of a file" "${count[@]}" old.gbr
has "two runs: the one before" "base: run 1 of old.gbr, 20"
has "two runs: the newest" "new: run 2 of old.gbr, 20"
compare 0 "runs by their numbers" "${count[@]}" old.gbr --base 2 --new 1
has "runs by their numbers: the base" "base: run 2 of old.gbr, 20"
compare 0 "a run by a fact" "${count[@]}" old.gbr --base "host=$(uname -n)" --new previous
has "a run by a fact: the newest that has it" "base: run 2 of old.gbr, 20"

compare 3 "values of an axis" "${count[@]}" new.gbr --by bytes --base 4KiB
has "values of an axis: the base" "base: 4096, run 1 of new.gbr"
has "values of an axis: as counts" "2 slower; geometric mean of 2 ratios 1.500"
compare 0 "values of an axis, the other way round" "${count[@]}" new.gbr --by bytes --base 6144
has "values of an axis: the other way round" "2 faster"
compare 0 "values of an axis, within the margin" "${count[@]}" new.gbr --by bytes --base 4KiB --margin 60%
compare 0 "values of an axis, paired" new.gbr --by method --base stream --margin 99.9% -f csv
equals "values of an axis: three pairs in each row" 2 "$(grep -c ',3,3,paired,' out.txt)"

compare 0 "round by round, too few" new.gbr --by method --base stream --margin 99.9% --sequential
has "round by round, too few: the note" "unclear: copy bytes=4096: 3 rounds, 4 at least are needed"
has "round by round, too few: how many" "round by round: 2 not decided after 3"
compare 2 "round by round, of two files" old.gbr new.gbr --sequential
says "round by round, of two files" "--sequential: goes with --by and --base: rounds of two runs are no pairs"
compare 2 "round by round, of two runs" old.gbr --by host --base "$(uname -n)" --sequential
says "round by round, of two runs" "--sequential: rounds of two runs are no pairs: expected --by with an option or \
setting whose values are in one run"
compare 2 "no alpha" old.gbr new.gbr --alpha 0
"$GBRUN" -q -c copy.ini -o six.gbr -s copy.rounds=6 >/dev/null
"$GBRUN" compare six.gbr --by bytes --base 4KiB --sequential -f csv >out.txt # whatever it says
equals "round by round: after four rounds or more, as many of both sides" "ok ok" \
    "$(awk -F, 'NR > 1 {print ($14 == $15 && $14 >= 4 && $16 == "sequential") ? "ok" : $0}' out.txt | paste -sd ' ')"

compare 3 "uncertified cases, strictly" "${count[@]}" old.gbr new.gbr --strict
equals "uncertified cases: message" \
    "gbrun: --strict: 4 of 4 compared cases of new.gbr are not certified by their policy" "$(cat err.txt)"

for format in table md csv json junit github; do
    compare 0 "format $format" "${count[@]}" old.gbr new.gbr --format $format
done
if command -v python3 >/dev/null; then
    compare 3 "JSON" "${count[@]}" new.gbr --by bytes --base 4KiB --format json
    succeeds "JSON is JSON" python3 -c 'import json; print(json.load(open("out.txt"))["exit_code"])'
    compare 3 "XML" "${count[@]}" new.gbr --by bytes --base 4KiB --format junit
    succeeds "XML is XML" python3 -c 'import xml.dom.minidom as x; x.parse("out.txt")'
fi

# Cases that fail, that are gone, that are new.
{
    cat copy.ini
    printf '[bench fails]\nplugin = failer\n'
} >fails.ini
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
"$GBRUN" -q -c fails.ini -o fails.gbr >/dev/null 2>&1
"$GBRUN" -q -c copy.ini -o less.gbr -s copy.bytes=4KiB >/dev/null
compare 0 "a new case that fails" "${count[@]}" new.gbr fails.gbr
compare 1 "a case that fails on both sides" "${count[@]}" fails.gbr fails.gbr
compare 3 "a case that is missing" "${count[@]}" new.gbr less.gbr
compare 0 "new cases" "${count[@]}" less.gbr new.gbr

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
compare 3 "Google Benchmark" google_old.json google_new.json --format csv
equals "Google Benchmark: repetitions are rounds, aggregates are left out" \
    "bad,failed,0,0 copy,unclear,1,1 gemm m=4096,slower,4,4" \
    "$(awk -F, 'NR > 1 {print $2 "," $13 "," $14 "," $15}' out.txt | paste -sd ' ')"
equals "Google Benchmark: microseconds" "811999.8" "$(awk -F, '/gemm/ {printf "%.1f", $5}' out.txt)"
compare 3 "Google Benchmark as a table" google_old.json google_new.json
has "Google Benchmark: the base" "base: google_old.json, of Google Benchmark"
has "Google Benchmark: why it failed" "failed: bad: failed: no memory"

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
compare 3 "NVBench" sub/nv_old.json sub/nv_new.json --format csv
equals "NVBench: states, the float file, what was skipped" \
    "copy Bytes=1024,10000,20000,slower copy Bytes=2048,2000000000,2000000000,unclear copy Bytes=4096,,,skipped" \
    "$(awk -F, 'NR > 1 {print $2 "," $5 "," $6 "," $13}' out.txt | paste -sd ' ')"
nvbench 1e-05 nonesuch.bin >sub/nv_bad.json
compare 2 "NVBench without its float file" sub/nv_old.json sub/nv_bad.json

printf '{"results":[{"command":"./work 1","mean":1,"times":[1.0,1.01,0.99,1.0,1.0,1.0]}]}' >hyper_old.json
printf '{"results":[{"command":"./work 1","mean":1,"times":[0.5,0.51,0.49,0.5,0.5,0.5]}]}' >hyper_new.json
compare 0 "hyperfine" hyper_old.json hyper_new.json --format csv
equals "hyperfine: runs are rounds" "./work 1,faster,6,6" "$(awk -F, 'NR > 1 {print $2 "," $13 "," $14 "," $15}' out.txt)"

printf '{"version":"1.0","metadata":{"unit":"second"},"benchmarks":[{"metadata":{"name":"g"},"runs":[
    {"warmups":[[1,0.5]]},{"values":[8.1e-4,8.2e-4,9e-4]},{"values":[8.2e-4]},{"values":[8.3e-4,8.3e-4]}]}]}' >pyperf.json
compare 0 "pyperf" pyperf.json pyperf.json --format csv
equals "pyperf: processes are rounds" "g,3,3" "$(awk -F, 'NR > 1 {print $2 "," $14 "," $15}' out.txt)"

# A baseline of another tool for cases of gbrun, by their labels.
printf '{"context":{},"benchmarks":[{"name":"copy/bytes:4096/method:memcpy","real_time":1e9,"time_unit":"s"}]}' >base.json
compare 0 "another tool's baseline" base.json new.gbr --format csv
equals "another tool's baseline: its case" 1 "$(grep -c '"*copy bytes=4096 method=memcpy"*,' out.txt)"
equals "another tool's baseline: the rest is new" 3 "$(tail -n +2 out.txt | grep -c ',new,')"

printf '{"a":1}' >other.json
compare 2 "other JSON" other.json new.gbr
says "other JSON" "other.json: is JSON, but not of Google Benchmark, NVBench, hyperfine or pyperf"
printf '{"a":' >broken.json
compare 2 "broken JSON" broken.json new.gbr
says "broken JSON" "broken.json: is neither a results file nor JSON"
printf '{"results":[]}' >empty.json
compare 2 "no times" empty.json new.gbr
says "no times" "empty.json: no time is in this file of hyperfine"
compare 2 "a metric of another tool" base.json new.gbr --metric flops
says "a metric of another tool" "--metric flops: of base.json only times are known"

# What is compared must be comparable.
"$GBRUN" -q -c copy.ini -o cold.gbr -s copy.cache=cold >/dev/null
compare 2 "another cache state" "${count[@]}" new.gbr cold.gbr
says "another cache state" "4 of 4 cases of cold.gbr are of another cache (cold, the base has warm): they are \
not compared without --force"
compare 0 "another cache state by force" "${count[@]}" new.gbr cold.gbr --force
has "another cache state: each line says so" "same, other cache"

compare 2 "a file that is not there" old.gbr nonesuch.gbr
compare 2 "one run only" new.gbr
says "one run only" "new.gbr: holds one run, so none is previous"
compare 2 "a run that is not there" old.gbr --base 7
says "a run that is not there" "old.gbr: has no run 7, only 1 to 2"
compare 2 "a run by words" old.gbr --base yesterday
says "a run by words" "run 'yesterday': expected its number, newest, previous, or NAME=VALUE of a label"
compare 2 "an unknown label" old.gbr --base commit=abc
says "an unknown label" "old.gbr: no run has commit=abc, nor another value of it"
compare 2 "an unknown axis" new.gbr --by color --base red
says "an unknown axis" "--by color: no case has such an option or setting, and no run such a fact"
compare 2 "an unknown value" new.gbr --by bytes --base 5
says "an unknown value" "--base 5: no value of bytes; there are 4096, 6144"
compare 2 "an unknown metric" new.gbr old.gbr --metric nonesuch
compare 2 "an unknown format" new.gbr old.gbr --format yaml
says "an unknown format" "--format yaml: expected table, md, csv, json, junit or github, and with --by host hostlist"
compare 2 "a margin that is none" new.gbr old.gbr --margin 120%
says "a margin that is none" "--margin 120%: expected a ratio from 0 to 1, such as 1% or 0.01"
compare 2 "--by without a base" new.gbr --by bytes
compare 2 "--run without --by" new.gbr old.gbr --run 1
finish
