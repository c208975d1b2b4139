#!/usr/bin/env bash
# `--format json` of check and help: the same as for people, in parts.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
printf '[bench copy]\nrounds = 2\nsweep.bytes = 1k, 2k\n[bench q]\nplugin = copy\n' >good.ini
printf '[bench copy]\nbyts = 1k\ncache = hot\n' >bad.ini

# check CODE FILE: out.json; nothing on standard error.
check()
{
    "$GBRUN" check -c "$2" --format json >out.json 2>err.txt
    equals "check $2: exit code" "$1" $?
    equals "check $2: says nothing beside" "" "$(cat err.txt)"
}
check 0 good.ini
equals "cases of each benchmark" \
    '{"format":"gbrun check 1","configuration":"good.ini","is_ok":true,"n_cases":3,"benchmarks":[{"name":"copy","n_cases":2},{"name":"q","n_cases":1}],"n_errors":0,"errors":[]}' \
    "$(cat out.json)"
check 2 bad.ini
equals "each error has a place, and what to do" \
    "{\"format\":\"gbrun check 1\",\"configuration\":\"bad.ini\",\"is_ok\":false,\"n_cases\":0,\"benchmarks\":[],\"n_errors\":2,\"errors\":[
{\"file\":\"bad.ini\",\"line\":2,\"column\":1,\"message\":\"unknown key 'byts' in [bench copy]; did you mean 'bytes'?\",\"hint\":\"did you mean 'bytes'?\"},
{\"file\":\"bad.ini\",\"line\":3,\"column\":9,\"message\":\"'hot' is not a choice: expected one of warm, cold\",\"hint\":\"expected one of warm, cold\"}]}" \
    "$(cat out.json)"
check 2 nothere.ini
equals "a place that is not known is null" 1 \
    "$(grep -c '"file":"nothere.ini","line":null,"column":null,.*"hint":null' out.json)"
"$GBRUN" check -c bad.ini >/dev/null 2>text.txt
equals "as text: the same messages" 2 "$(grep -c '^bad.ini:' text.txt)"

try_each "$GBRUN" <<'TABLE'
no configuration|2|gbrun: error: no configuration: expected FILE.ini or -c FILE|check --format json
another format of check|2|gbrun: error: --format xml: expected text or json|check -c good.ini --format xml
a configuration as JSON|2|gbrun: error: --print prints a configuration: expected no --format json with it|\
check -c good.ini --print --format json
another format of help|2|gbrun: error: --format xml: expected text or json|help --format xml
two formats of help|2|gbrun: error: --format json: expected no --roff or --markdown with it|\
help fixed --format json --roff
an unknown name|2|gbrun: error: help: unknown name 'fixd'; did you mean 'fixed'?|help fixd --format json
TABLE

command -v python3 >/dev/null || skip_rest "what help has" "python3 is not installed"
# topics EXPRESSION [ARGUMENT]...: of the topics t that help has with these arguments, in Python.
topics()
{
    "$GBRUN" help "${@:2}" --format json |
        python3 -c "import json, sys; d = json.load(sys.stdin); assert d['format'] == 'gbrun help 1'; t = d['topics']; print($1)"
}
equals "a plugin with its options" "policy fixed, [('samples', 'int', 'samples')]" \
    "$(topics "f\"{t[0]['kind']} {t[0]['id']}, {[(e['name'], e['type'], e['unit']) for e in t[0]['entries']]}\"" fixed)"
equals "choices" "['warm', 'cold']" "$(topics "[e['choices'] for x in t for e in x['entries'] if 'choices' in e][0]" cache)"
equals "one option of one plugin" "copy bytes 1MiB" \
    "$(topics "' '.join((t[0]['topic'], t[0]['entries'][0]['name'], t[0]['entries'][0]['default']))" copy bytes)"
equals "options of a verb" "format f FORMAT" \
    "$(topics "[' '.join((e['name'], e['letter'], e['argument'])) for e in t[0]['entries'] if e['letter'] == 'f'][0]" check)"
equals "columns" "$("$GBRUN" list columns --format csv | tail -n +2 | wc -l)" \
    "$(topics "sum(len(x['entries']) for x in t)" columns)"
equals "all topics, without entries" "True 0" \
    "$(topics "{'run', 'steady', 'copy', 'columns', 'topics'} <= {x['topic'] for x in t}, sum(len(x['entries']) for x in t)" | tr -d '(),')"
finish
