#!/usr/bin/env bash
# test_check.sh - comparisons from a configuration to what is shown: settings, files, columns.
. "$top_srcdir/tests/tap.sh"
modules=$top_builddir/tests/modules/.libs
mkdir "$TMPDIR/config" "$TMPDIR/elsewhere"
cd "$TMPDIR/elsewhere" || exit 1

# run_with LINE...: the benchmark with one wrong value, and these settings beside.
run_with()
{
    rm -f results.gbr
    printf '%s\n' '[defaults]' 'policy = fixed' 'max_samples = 10' '[bench wrong]' "plugin = $modules/wrong_result.so" \
        "$@" >"$TMPDIR/config/bench.ini"
    ran "$GBRUN" -c "$TMPDIR/config/bench.ini"
}
dump=$TMPDIR/config/deep/dump

run_with "check.dump = deep/dump"
equals "a wrong result ends with exit code 1" 1 "$code"
uid=$(column uid results.gbr)
equals "files are named by the case, in a folder beside the INI file" \
    "$uid-C-output.npy $uid-C-reference.npy" "$(cd "$dump" && echo *)"
equals "the output has its numbers" 1152 "$(wc -c <"$dump/$uid-C-output.npy")"
rm "$dump/$uid-C-reference.npy"
mkdir "$dump/$uid-C-reference.npy"
run_with "check.dump = deep/dump"
succeeds "one of the two that cannot be written is a warning, too" \
    grep -q "warning: check.dump: .*-reference.npy: cannot be written: Is a directory" <("$GBRUN" show --notes results.gbr)
rm -r "$TMPDIR/config/deep"
echo >"$TMPDIR/config/deep"
run_with "check.dump = deep/dump"
equals "files that cannot be written change no exit code, and are a warning of the case" \
    "1   warning: check.dump: $TMPDIR/config/deep: the folder cannot be made: Not a directory" \
    "$code $("$GBRUN" show --notes results.gbr | grep check.dump)"

run_with "check.abs = 1e-3" "check.dump = none"
equals "a tolerance that is kept passes" 0 "$code"
succeeds "nothing is written then" test ! -e "$TMPDIR/config/none"
"$GBRUN" show --verbose results.gbr >verbose.txt
equals "the histogram is shown" "0 255 (99.6094 %) [1e-5, 1e-4) 1 (0.3906 %)" \
    "$(sed -n '/^relative difference/,/^$/p' verbose.txt | grep -E '^(0|\[1e-5, 1e-4\)) ' | xargs)"
equals "metrics are columns, judged or not" "252,0.99609375" "$(column check.ulp,exact_ratio results.gbr)"

judged=('check.allclose = 1' 'check.rtol = 0' 'check.norm = {3 * 1e-6}' 'check.worst = 2')
run_with "${judged[@]}" 'check.atol = {1 * 1e-3}'
equals "a formula is for tolerances only" 2 "$code"
run_with "${judged[@]}" 'check.atol = 1e-4'
equals "metrics of a second look are judged, and are columns" "0 0.00390625,0.00390625" \
    "$code $(column check.beyond_1ulp,check.beyond_4ulp results.gbr)"
equals "the worst values are recorded" "C|17|1.5|1.50003|252" \
    "$("$GBRUN" export -f json results.gbr | sed -n 's/.*"worst":\[{"name":"\([^"]*\)","index":\([0-9]*\),"reference":\([0-9.]*\),"output":\(1.50003\)[0-9]*,"ulps":\([0-9]*\)}\],.*/\1|\2|\3|\4|\5/p')"
has "and named" <("$GBRUN" show --verbose results.gbr) "C[17]: expected 1.5, got 1.50003004 (252 ulp)"

run_with "fault = vacuous" "sweep.check.allow_overflow = no, yes"
equals "each case has its own settings" "check.allow_overflow,pass_rate no,0 yes,1" \
    "$("$GBRUN" export --group-by check.allow_overflow --columns pass_rate results.gbr | xargs)"
run_with "sweep.check.ulp = 251, 252" "zip.pair = check.abs, check.rel: 1, 1 | 1e-9, 1"
equals "each case has its own tolerances" "251,1,wrong result 251,1e-09,wrong result 252,1,ok 252,1e-09,wrong result" \
    "$(column check.ulp,check.abs,status results.gbr | xargs -d '\n')"
equals "a tolerance that is swept names the case" "wrong check.ulp=252 check.abs=1 check.rel=1" \
    "$(column label --where "status = 'ok'" results.gbr)"

printf '%s\n' '[bench sums]' 'plugin = gemm_verify' 'device = cpu' 'check.bound_kind = probabilistic' >sums.ini
bound='sums.ini:1:1: error: check.bound_kind: the probabilistic bound does not hold for'
try_each "$GBRUN" check -c sums.ini -s <<TABLE
products of one sign|2|$bound products of one sign: expected auto or deterministic|sums.sweep.range=r0,r4
sums that are truncated|2|$bound sums that are truncated: expected auto or deterministic|sums.accumulate=every4
sums of both signs to nearest|0||sums.accumulate=fp32
TABLE

# Built when the struct of a comparison was shorter.
section bench old "$modules/old_abi.so" policy=fixed max_samples=10 check.abs=0 check.safety=3 \
    check.bound_kind=probabilistic >old.ini
succeeds "a plugin of an earlier ABI is compared" "$GBRUN" -c old.ini -o old.gbr
equals "and its values are counted" "1" "$(column exact_ratio old.gbr)"
finish
