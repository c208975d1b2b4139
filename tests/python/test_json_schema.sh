#!/usr/bin/env bash
# docs/*.schema.json are true of what gbrun exports and answers as JSON, and refuse what is something else.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
find_python jsonschema
"${python:-false}" -c 'import jsonschema' 2>/dev/null ||
    skip_rest "JSON by its schema" "Python's jsonschema is not installed"
schema=$top_srcdir/docs/results.schema.json
validate=$top_srcdir/tests/python/validate.py

few_samples 6 'device = cpu' >bench.ini
cat >>bench.ini <<'INI'
[bench copy]
rounds = 2
sweep.bytes = 4KiB, 64KiB
[bench slow]
plugin = copy
bytes = 256MiB
time_limit = 1ms
INI
"$GBRUN" -q -c bench.ini -o results.gbr >run.txt 2>&1
equals "measured; one case failed" 1 "$?"
for rows in case combined sample; do
    succeeds "exported, --rows $rows" "$GBRUN" export results.gbr -f json --rows $rows -o $rows.json
done
succeeds "with ratios" "$GBRUN" export results.gbr -f json --relative-to bytes=4096 -o ratios.json
succeeds "each line is a case" "$GBRUN" export results.gbr -f jsonl -o lines.jsonl
succeeds "by the schema" "$python" "$validate" "$schema" {case,combined,sample,ratios}.json lines.jsonl \
    "$top_srcdir"/tests/golden/{cases,samples,combined}.json
succeeds "what differs is refused" "$python" "$validate" --changed "$schema" sample.json

# ---- check ----

schema=$top_srcdir/docs/check.schema.json
printf '[bench copy]\nbyts = 1k\ncache = hot\n' >bad.ini
for file in bench.ini bad.ini nothere.ini; do
    "$GBRUN" check -c $file --format json >check-$file.json 2>err.txt
done
succeeds "check by the schema" "$python" "$validate" "$schema" check-{bench,bad,nothere}.ini.json
succeeds "check: what differs is refused" "$python" "$validate" --changed "$schema" check-bad.ini.json

# ---- help: topics of each kind, and entries of each ----

schema=$top_srcdir/docs/help.schema.json
"$GBRUN" help --format json >topics.json
for name in check list bench columns marks keys copy call fixed steady cpu guided; do
    "$GBRUN" help "$name" --format json | paste -sd " "
done >help.jsonl
equals "topics of each kind" 12 "$(grep -c '"topics":\[ *{' help.jsonl)"
succeeds "help by the schema" "$python" "$validate" "$schema" topics.json help.jsonl
"$python" -c 'import json
found = {topic["topic"]: topic for line in open("help.jsonl") for topic in json.loads(line)["topics"]}
print(json.dumps({"format": "gbrun help 1", "topics": [found["fixed"], found["check"]]}))' >help.json
succeeds "help: what differs is refused" "$python" "$validate" --changed "$schema" help.json
finish
