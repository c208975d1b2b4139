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
says "an unknown format" "--format yaml: expected table, md, csv, json, junit or github"
compare 2 "a margin that is none" new.gbr old.gbr --margin 120%
says "a margin that is none" "--margin 120%: expected a ratio from 0 to 1, such as 1% or 0.01"
compare 2 "--by without a base" new.gbr --by bytes
compare 2 "--run without --by" new.gbr old.gbr --run 1
finish
