#!/usr/bin/env bash
# gbrun search --space: searches on recorded spaces, in the time that they would have taken.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

# A cache as Kernel Tuner writes it: 8 x 8 cases, a bowl around x = 64, y = 6; y = 1 does not compile.
awk 'BEGIN {
    printf "{\"tune_params_keys\": [\"x\", \"y\"], \"cache\": {\n"
    for (i = 0; i < 8; i++)
        for (y = 1; y <= 8; y++) {
            ms = 2 + (i - 5) ^ 2 + (y - 6) ^ 2
            printf "%s\"%d,%d\": {\"x\": %d, \"y\": %d, \"compile_time\": 500, ", n++ ? ",\n" : "", 2 * 2 ^ i, y, 2 * 2 ^ i, y
            if (y == 1)
                printf "\"time\": \"CompilationFailedConfig\"}"
            else
                printf "\"time\": %d, \"times\": [%d, %d, %d, %d]}", ms, ms + 1, ms, ms, ms
        }
    printf "}}\n"
}' >cache.json

# line LABEL: what the last search says of it.
line()
{
    sed -n "s/^$1    *//p" out.txt
}

space()
{
    "$GBRUN" search --space "$@" >out.txt 2>err.txt
    code=$?
}

space cache.json
equals "all cases: exit code" 0 "$code"
equals "all cases: the space" "64, optimum 2.000 ms, brute force 35.53 s" "$(line cases)"
equals "all cases: it ends with brute force" "100.00 % of brute force" \
    "$(line 'ended after' | grep -o '[0-9.]* % of brute force' | head -n 1)"
equals "all cases: measured" "median 64, 90th percentile 64" "$(line 'cases measured')"

gzip -k cache.json
space cache.json.gz --plugin guided --repeat 10 --until-found
equals "guided: exit code" 0 "$code"
equals "guided: found each time" "guided, 10 times; within 1 % of the optimum in 10" "$(line search)"
is_less()
{
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a < b) }'
    equals "$1" 0 $?
}
is_less "guided: found early" "$(line 'found after' | sed 's/.*percentile.*(\(.*\) % of.*/\1/')" 60
space cache.json --plugin random --repeat 2
is_less "the 90th percentile of two is the larger one" \
    "$(line 'found after' | sed 's/.*median.*(\(.*\) % of.*(.*/\1/')" \
    "$(line 'found after' | sed 's/.*percentile.*(\(.*\) % of.*/\1/')"
space cache.json.gz --plugin guided --repeat 10 --until-found
cp out.txt first.txt
space cache.json.gz --plugin guided --repeat 10 --until-found
equals "the same seeds, the same searches" "$(cat first.txt)" "$(cat out.txt)"

space cache.json --plugin guided --repeat 3 --option cases=20
equals "limits of a search hold" "median 20, 90th percentile 20" "$(line 'cases measured')"

space cache.json --plugin local --lanes 8
# At most 32 s / 8 of preparation and 3.5 s of the device.
is_less "lanes prepare beside each other" "$(line cases | sed 's/.*force \(.*\) s with 8 lanes.*/\1/')" 7.6
equals "local with lanes measures all" "median 64, 90th percentile 64" "$(line 'cases measured')"

# --- what was measured here ------------------------------------------------------------------------

few_samples 13 '[bench wrong_result]' 'sweep.fault = none, value, nan' >own.ini
GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs "$GBRUN" run -c own.ini -o own.gbr >/dev/null 2>&1
"$GBRUN" export own.gbr --format t4 --rows sample -o own.json
space own.json --lanes 2
equals "own results: exit code" 0 "$code"
equals "own results: cases" 3 "$(line cases | cut -d, -f1)"
equals "own results: what is right has its samples, the rest none" \
    "median 4.33, 90th percentile 4.33" "$(line 'runs a case')"
prepared=$(grep -c '"compilation_time":0[,}]' own.json)
equals "own results: each case has a time of preparation" 0 "$prepared"

echo '{"results": [1]}' >broken.json
try_each "$GBRUN" search <<'TABLE'
no object|2|~broken.json:1:15: error: 'results' is not an object|--space broken.json
no file|2|~gbrun: error: missing.json: cannot be read: No such file or directory|--space missing.json
repetitions of none|2|~gbrun: error: --repeat is for recorded spaces: expected --space FILE with it|--repeat 3
results beside it|2|~gbrun: error: --space: expected no results file and no --run with it|--space cache.json results.gbr
no lanes|2|~--lanes: error: lanes = 0 is out of range: expected 1:256|--space cache.json --lanes 0
no value|2|~--option: error: 'cases' has no '=': expected KEY=VALUE, such as tolerance=2%|--space cache.json --option cases
an unknown option|2|~--option: error: unknown key 'case' in [search space]: see 'gbrun help guided' for its options|\
--space cache.json --plugin guided --option case=3
TABLE
finish
