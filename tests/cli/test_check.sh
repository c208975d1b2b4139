#!/usr/bin/env bash
# test_check.sh - comparisons from a configuration to what is shown: settings, files, columns.
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
modules=$top_builddir/tests/modules/.libs
mkdir "$TMPDIR/config" "$TMPDIR/elsewhere"
cd "$TMPDIR/elsewhere" || exit 1

# run_with LINES: the benchmark with one wrong value, and these settings beside.
run_with()
{
    rm -f results.gbr
    cat >"$TMPDIR/config/bench.ini" <<EOF
[defaults]
policy = fixed
max_samples = 10
[bench wrong]
plugin = $modules/wrong_result.so
$1
EOF
    "$GBRUN" -c "$TMPDIR/config/bench.ini" >stdout 2>stderr
}

run_with "check.dump = deep/dump"
equals "a wrong result ends with exit code 1" 1 $?
uid=$("$GBRUN" export --columns uid results.gbr | tail -n 1)
equals "files are named by the case, in a folder beside the INI file" \
    "$uid-C-output.npy $uid-C-reference.npy" "$(cd "$TMPDIR/config/deep/dump" && echo *)"
equals "the output has its numbers" 1152 "$(wc -c <"$TMPDIR/config/deep/dump/$uid-C-output.npy")"

rm "$TMPDIR/config/deep/dump/$uid-C-reference.npy"
mkdir "$TMPDIR/config/deep/dump/$uid-C-reference.npy"
run_with "check.dump = deep/dump"
succeeds "one of the two that cannot be written is a warning, too" \
    grep -q "warning: check.dump: .*-reference.npy: cannot be written: Is a directory" <<<"$("$GBRUN" show results.gbr)"

rm -r "$TMPDIR/config/deep"
echo >"$TMPDIR/config/deep"
run_with "check.dump = deep/dump"
equals "files that cannot be written change no exit code" 1 $?
equals "they are a warning of the case" \
    "  warning: check.dump: $TMPDIR/config/deep: the folder cannot be made: Not a directory (wrong)" \
    "$("$GBRUN" show results.gbr | grep check.dump)"

run_with "check.abs = 1e-3
check.dump = none"
equals "a tolerance that is kept passes" 0 $?
succeeds "nothing is written then" test ! -e "$TMPDIR/config/none"
equals "the histogram is shown" "0 255 (99.6094 %) [1e-5, 1e-4) 1 (0.3906 %)" \
    "$("$GBRUN" show --verbose results.gbr | sed -n '/^relative difference/,/^$/p' |
        grep -E '^(0|\[1e-5, 1e-4\)) ' | tr -s ' \n' ' ' | sed 's/ $//')"
equals "metrics are columns, judged or not" "252,0.99609375" \
    "$("$GBRUN" export --columns check.ulp,exact_ratio results.gbr | tail -n 1)"

run_with "check.allclose = 1
check.atol = {1 * 1e-3}
check.rtol = 0
check.norm = {3 * 1e-6}
check.worst = 2"
equals "a formula is for tolerances only" 2 $?
run_with "check.allclose = 1
check.atol = 1e-4
check.rtol = 0
check.norm = {3 * 1e-6}
check.worst = 2"
equals "metrics of a second look are judged" 0 $?
equals "and are columns" "0.00390625,0.00390625" \
    "$("$GBRUN" export --columns check.beyond_1ulp,check.beyond_4ulp results.gbr | tail -n 1)"
equals "the worst values are recorded" "C|17|1.5|1.50003|252" \
    "$("$GBRUN" export -f json results.gbr | sed -n 's/.*"worst":\[{"name":"\([^"]*\)","index":\([0-9]*\),"reference":\([0-9.]*\),"output":\(1.50003\)[0-9]*,"ulps":\([0-9]*\)}\],.*/\1|\2|\3|\4|\5/p')"
equals "and named" "C[17]: expected 1.5, got 1.50003004 (252 ulp)" \
    "$("$GBRUN" show --verbose results.gbr | grep -o 'C.17.: expected .* ulp)')"

run_with "fault = vacuous
sweep.check.allow_overflow = no, yes"
equals "each case has its own settings" "check.allow_overflow,pass_rate no,0 yes,1" \
    "$("$GBRUN" export --group-by check.allow_overflow --columns pass_rate results.gbr | xargs)"

run_with "sweep.check.ulp = 251, 252
zip.pair = check.abs, check.rel: 1, 1 | 1e-9, 1"
equals "each case has its own tolerances" \
    "251,1,wrong result 251,1e-09,wrong result 252,1,ok 252,1e-09,wrong result" \
    "$("$GBRUN" export --columns check.ulp,check.abs,status results.gbr | tail -n +2 | xargs -d '\n')"
equals "a tolerance that is swept names the case" "wrong check.ulp=252 check.abs=1 check.rel=1" \
    "$("$GBRUN" export --columns label --where "status = 'ok'" results.gbr | tail -n 1)"

# refused WORDS LINES: gbrun check of a product with the probabilistic bound and these settings.
refused()
{
    cat >"$TMPDIR/config/sums.ini" <<EOF
[bench sums]
plugin = gemm_verify
device = cpu
check.bound_kind = probabilistic
$2
EOF
    equals "gbrun check: $1" \
        "sums.ini:1:1: error: check.bound_kind: the probabilistic bound does not hold for $1: \
expected auto or deterministic" \
        "$("$GBRUN" check -c "$TMPDIR/config/sums.ini" 2>&1 | grep -o 'sums.ini.*')"
}
refused "products of one sign" "sweep.range = r0, r4"
refused "sums that are truncated" "accumulate = every4"
printf '%s\n' "[bench sums]" "plugin = gemm_verify" "check.bound_kind = probabilistic" \
    >"$TMPDIR/config/sums.ini"
succeeds "gbrun check: sums of both signs to nearest" "$GBRUN" check -c "$TMPDIR/config/sums.ini"

# Built when the struct of a comparison was shorter.
cat >"$TMPDIR/config/old.ini" <<EOF
[bench old]
plugin = $modules/old_abi.so
policy = fixed
max_samples = 10
check.abs = 0
check.safety = 3
check.bound_kind = probabilistic
EOF
succeeds "a plugin of an earlier ABI is compared" \
    "$GBRUN" -c "$TMPDIR/config/old.ini" -o old.gbr
equals "and its values are counted" "1" "$("$GBRUN" export --columns exact_ratio old.gbr | tail -n 1)"
finish
