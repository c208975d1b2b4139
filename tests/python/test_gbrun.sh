#!/usr/bin/env bash
# python/gbrun.py: what it reads of a results file, with and without NumPy and pandas, against what gbrun exports;
# what it measures on the CPU.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

. "$top_srcdir/tests/python/python.sh"
find_python pandas
if [ -z "$python" ]; then
    skip "gbrun.py" "python3 is not installed"
    finish
fi

few_samples 6 'device = cpu' >bench.ini
cat >>bench.ini <<'INI'
[bench copy]
rounds = 2
sweep.bytes = 4KiB, 64KiB
sweep.method = memcpy, stream
[bench elementwise]
n = 1000
INI
succeeds "measured" "$GBRUN" -q -c bench.ini -o results.gbr
succeeds "and again" "$GBRUN" -q -c bench.ini -o results.gbr
import_compiled
equals "its version is that of the program" "$("$GBRUN" --version | cut -d ' ' -f 2)" \
    "$("$python" -c 'import gbrun; print(gbrun.__version__)' 2>&1)"
tests=("$top_srcdir/tests/python/test_gbrun.py")
if [ -n "${SANITIZE:-}" ]; then
    skip "measuring" "Python has no sanitizers"
else
    tests+=("$top_srcdir/tests/python/test_measuring.py" "$top_srcdir/tests/python/test_cheats.py")
fi
for test in "${tests[@]}"; do
    "$python" "$test" >said.txt 2>&1
    code=$?
    awk -v n="$n_checks" '/^(not )?ok / { sub(/ok/, "ok " ++n) } { print }' said.txt
    n_checks=$((n_checks + $(grep -cE '^(not )?ok ' said.txt)))
    equals "${test##*/} ends" "0 # all" "$code $(tail -n 1 said.txt | grep -o '^# all')"
done
finish
