#!/usr/bin/env bash
# docs/results.schema.json is true of what gbrun exports as JSON, and refuses what is something else.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
find_python jsonschema
if ! "${python:-false}" -c 'import jsonschema' 2>/dev/null; then
    skip "JSON by its schema" "Python's jsonschema is not installed"
    finish
fi
schema=$top_srcdir/docs/results.schema.json
validate=$top_srcdir/tests/python/validate.py

cat >bench.ini <<'INI'
[defaults]
policy = few
device = cpu
[policy few]
plugin = fixed
samples = 6
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
    succeeds "--rows $rows by the schema" "$python" "$validate" "$schema" $rows.json
done
succeeds "with ratios" "$GBRUN" export results.gbr -f json --relative-to bytes=4096 -o ratios.json
succeeds "ratios by the schema" "$python" "$validate" "$schema" ratios.json
for file in cases samples combined; do
    succeeds "$file.json by the schema" "$python" "$validate" "$schema" "$top_srcdir/tests/golden/$file.json"
done
"$GBRUN" export results.gbr -f jsonl -o lines.jsonl
succeeds "each line is a case" "$python" "$validate" "$schema" lines.jsonl
succeeds "what differs is refused" "$python" "$validate" --changed "$schema" sample.json
finish
