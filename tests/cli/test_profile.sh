#!/usr/bin/env bash
# run --profile: one case in the process that was started, for a profiler.
. "$top_srcdir/tests/tap.sh"
with_modules
mkdir "$TMPDIR/here" && cd "$TMPDIR/here" || exit 99
export TMPDIR=$TMPDIR/here/scratch
mkdir "$TMPDIR"

{ few_samples 12 'iterations = 1' 'device = fake' '[gbrun]' 'results = never.gbr'; cat; } >bench.ini <<INI
$(section device refusing fake refuses_profile=yes)
$(section device dying fake where=measure)
$(section device failing fake error_at=3)
$(section bench good good rounds=3 'sweep.size=1Ki, 2Ki')
$(section bench ready good min_samples=4)
$(section bench refused good device=refusing)
$(section bench dead good device=dying)
$(section bench broken good device=failing)
[bench wrong_result]
$(section bench ignoring attack where=prepare attack=ignored_signals)
$(section bench kernel good breakdown=yes counters=yes env.FAKE_DEVICES=1 device=fake:0)
INI

# profile CASE [OPTION]...: pid, code, out.txt, err.txt
profile()
{
    "$GBRUN" run -c bench.ini --profile "$@" >out.txt 2>err.txt &
    pid=$!
    wait "$pid"
    code=$?
}

profile 2 --verbose
equals "a case by its number" "0 1" "$code $(said '^good  *2048 ')"
equals "runs in the process that was started" 1 "$(said "range begins in process $pid: good size=2048")"
equals "the range holds min_samples samples, once for all rounds" "1 1" \
    "$(said 'range ends after 10 samples') $(said 'max_samples 10')"
equals "it is checked" 1 "$(said 'ok abs')"
equals "times are unreliable" 1 \
    "$(said 'warning: measured with --profile: times under a profiler are unreliable')"
equals "nothing is stored" "" "$(find . -name '*.gbr*')"
equals "nor left behind" "" "$(ls "$TMPDIR")"
profile 'good size=1024' --verbose
equals "a case by its label" 1 "$(said "range begins in process $pid: good size=1024")"
profile ready --verbose
equals "with as many samples as the configuration asks for at least" 1 "$(said 'range ends after 4 samples')"
profile kernel --verbose
equals "nothing else is run in it" "0 0 0" "$(said 'counters:') $(said 'no breakdown') $(said 'there is no list')"
equals "variables of the case are set in the process" 1 \
    "$(said "range begins in process $pid: kernel, where FAKE_DEVICES is set")"
profile 1 -o kept.gbr
equals "a file that is named is written" "1 ok" \
    "$(column status kept.gbr | wc -l) $(column status kept.gbr | tail -n 1)"

profile refused --verbose
equals "a device may mark no range" "0 1" "$code $(said 'no range is marked: no profiler is there')"
profile 1 --verbose -s good.device=cpu -p "$top_builddir/plugins/device_cpu/.libs"
equals "or have none" "0 1" "$code $(said 'no range is marked: this device has none for profilers')"

# ---- what goes wrong ----
profile wrong_result
equals "a wrong result is the exit code" "1 1" "$code $(said 'FAIL abs')"
profile ignoring
equals "a plugin that ignores the end of children does not change it" "0 1" "$code $(said 'plugin bug: changed')"
profile broken
equals "so is a device that breaks" "1 1" "$code $(said 'device error (illegal address)')"
"$GBRUN" run -c bench.ini --profile dead 2>err.txt | cat >out.txt
code=${PIPESTATUS[0]}
equals "of a crash the table says so" 1 "$(said 'crashed (closed its connection, in run, while')"
equals "and the profiler sees the signal" 134 "$code"
equals "nothing is left behind by it" "" "$(ls "$TMPDIR")"

try_each "$GBRUN" run -c bench.ini <<'TABLE'
a number above all|2|~no case of the 9 has this number; gbrun list cases -c bench.ini|--profile 10
none|2|~no case of the 9 has this number|--profile 0
an unknown label|2|~no case of the 9 has this label|--profile 'good size=3072'
a breakdown|2|~--profile is not for --resume, --breakdown, --events or --claim|--profile 1 --breakdown
a resumed run|2|~--profile is not for --resume, --breakdown, --events or --claim|--profile 1 --resume kept.gbr
TABLE
finish
