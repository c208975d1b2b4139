#!/usr/bin/env bash
# python/gbrun_pytest.py: the fixtures gbrun and benchmark, their options, what is stored and compared.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
require_python "pytest" pytest python3-pytest
export PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1 GBRUN_LIBRARY=$top_builddir/.libs/libgbrun.so.0
export PATH=$top_builddir:$PATH PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 GBRUN_IGNORE_LOAD=1
unset PYTEST_ADDOPTS
cp "$top_srcdir/tests/python/suite.py" test_suite.py

# tried OPTION...: in out.txt and err.txt; code.
tried()
{
    ran "$python" -m pytest -q -p gbrun_pytest -p no:cacheprovider --rootdir . "$@"
}
# ends NAME CODE LAST-LINE OPTION...: without the time that it took.
ends()
{
    tried "${@:4}"
    equals "$1" "$2 $3" "$code $(grep -hE '^[0-9]+ (passed|skipped|failed)|^ERROR' out.txt err.txt | tail -n 1 |
        sed -e 's/ in [0-9.]*s.*//' -e 's/, [0-9]* deselected//' -e 's/ - Failed.*//')"
}

ends "a suite" 0 "16 passed" --benchmark-max-time 0.02 --gbrun-save kept.gbr --junitxml junit.xml test_suite.py
equals "names are the tests' ids, parameters axes" \
    "test_suite.py::test_axes n=1 policy_=a_b
test_suite.py::test_axes n=2 policy_=count
test_suite.py::test_axes n=2 policy_=None
test_suite.py::test_axes n=2 policy_=policy3
test_suite.py::test_keywords::named
test_suite.py::test_keywords
test_suite.py::test_keywords::isolated
test_suite.py::test_visits
test_suite.py::test_call group=sums n=100
test_suite.py::test_pedantic rounds_=1 warmup_rounds=0
test_suite.py::test_pedantic rounds_=4 warmup_rounds=2
test_suite.py::test_pedantic_setup
test_suite.py::test_pedantic_in_a_row
test_suite.py::test_weave target=count
test_suite.py::test_weave target=test_suite.count" "$(rows --columns label --sort sequence kept.gbr | uniq)"
equals "all of them are one run" 1 "$(rows --columns run_uuid --run all kept.gbr | sort -u | wc -l)"
cp out.txt said.txt
cp kept.gbr base.gbr
equals "the table is that of gbrun show" "" "$("$GBRUN" show kept.gbr | grep -v 'gbrun show' | grep -vxF -f said.txt)"
has "extra_info is a property" junit.xml 'name="benchmark.words" value="yes"'

# What was measured before, and again a hundred times as long.
ends "another run of the same file" 1 "1 passed" --gbrun-save kept.gbr --gbrun-compare 1 --gbrun-fail missing \
    test_suite.py -k test_pedantic_setup
export LONGER=100
for base in "--gbrun-compare base.gbr" "--gbrun-save kept.gbr --gbrun-compare 1"; do
    # shellcheck disable=SC2086 # options
    ends "slower than with $base" 1 "1 passed" $base --gbrun-fail slower test_suite.py -k test_visits
    has "which it says" out.txt 'failed: 1 slower'
done
tried --gbrun-compare base.gbr test_suite.py -k test_visits
has "what is not kept says how to keep it" out.txt 'new: run 1 of FILE (--gbrun-save FILE keeps it)'
ends "what is missing is not slower" 0 "1 passed" --gbrun-compare base.gbr --gbrun-fail faster,fixed test_suite.py \
    -k in_a_row
ends "without measurements there is nothing to compare" 0 "1 passed" --gbrun-compare base.gbr --gbrun-fail slower \
    test_suite.py -k test_alone
unset LONGER
echo '{}' >other.json
ends "what cannot be compared is not taken for no change" 1 "1 passed" --gbrun-compare other.json --gbrun-fail slower \
    test_suite.py -k in_a_row

ends "--benchmark-skip" 0 "2 passed, 14 skipped" --benchmark-skip test_suite.py
ends "--benchmark-only" 0 "2 passed, 1 skipped" --benchmark-only test_suite.py -k "alone or setup or in_a_row"
ends "--benchmark-enable, by what is accepted" 0 "1 passed" --benchmark-disable --benchmark-enable --benchmark-warmup=on \
    --benchmark-warmup-iterations=5 --benchmark-group-by=name --benchmark-columns=min --benchmark-sort=mean \
    --benchmark-autosave --benchmark-storage=stored test_suite.py -k test_call
equals "and saved" "test_suite.py::test_call" "$(rows --columns bench stored/autosave.gbr | uniq)"
has "which says what is done instead" out.txt '--benchmark-group-by: tables are by test'
cat >test_off.py <<'PYTHON'
def test_off(benchmark):
    runs = []
    assert benchmark.disabled and benchmark(runs.append, 1) is None and runs == [1] and benchmark.stats is None
def test_pedantic_off(benchmark):
    runs = []
    benchmark.pedantic(runs.append, args=[1], rounds=9)
    assert runs == [1]
PYTHON
ends "--benchmark-disable" 0 "2 passed" --benchmark-disable test_off.py
equals "has no table" 0 "$(grep -c 'gbrun' out.txt)"

# What suites have beside the fixture: its type, hooks for its report, a generator that is not run.
mkdir unedited && cat >unedited/conftest.py <<'PYTHON'
from pytest_benchmark.fixture import BenchmarkFixture
def pytest_benchmark_group_stats(benchmarks, group_by):
    raise NotImplementedError
PYTHON
cat >unedited/test_typed.py <<'PYTHON'
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
def numbers():
    yield from range(3)
@pytest.mark.benchmark(unknown=1)
def test_typed(benchmark: BenchmarkFixture):
    assert isinstance(benchmark, BenchmarkFixture)
    assert list(benchmark(numbers)) == [0, 1, 2]
PYTHON
ends "a suite that imports pytest-benchmark" 0 "1 passed" --benchmark-max-time 0.02 -W error unedited
has "which hooks are not called, and what is measured" out.txt 'test_typed: the measured function returns a generator' \
    'mark benchmark: gbrun has nothing like unknown=1' \
    "pytest_benchmark_group_stats: not called, as tables and files are gbrun's"

# name | options | what is said
while IFS='|' read -r options words; do
    # shellcheck disable=SC2086 # options
    ends "$options" 4 "ERROR: $words" $options test_off.py
done <<'TABLE'
--gbrun-fail slower|--gbrun-fail: nothing is compared: expected --gbrun-compare BASE
--gbrun-fail slow|--gbrun-fail slow: expected some of slower, faster, changed, same, unclear, broken, fixed, failed, missing, new, skipped
--gbrun-compare x.gbr|--gbrun-compare x.gbr: there is no such results file, and no run of --gbrun-save
--gbrun-save kept.gbr --gbrun-compare kept.gbr|--gbrun-compare kept.gbr: results are appended to it: expected previous
--benchmark-json=x|--benchmark-json is of pytest-benchmark, which is not installed: expected --gbrun-save FILE, and gbrun export --format json FILE
--benchmark-only --benchmark-skip|--benchmark-only: expected no --benchmark-skip or --benchmark-disable with it
TABLE

# Where pytest-benchmark is installed, its fixture and options are its own.
mkdir there && : >there/pytest_benchmark.py
PYTHONPATH=$PYTHONPATH:there tried --benchmark-skip test_off.py
has "pytest-benchmark has its options" err.txt 'unrecognized arguments: --benchmark-skip'
PYTHONPATH=$PYTHONPATH:there ends "but for one that is blocked" 0 "2 passed" -p no:benchmark --benchmark-disable test_off.py

# A worker of xdist, as that plugin makes it.
cat >worker.py <<'PYTHON'
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.workerinput = {}
PYTHON
export PYTHONPATH=$PYTHONPATH:.
ends "of xdist benchmark calls once" 0 "2 passed, 2 warnings" -p worker test_off.py
ends "and gbrun refuses" 1 "ERROR test_suite.py::test_keywords" -p worker test_suite.py -k keywords
has "with the reason" out.txt 'gbrun: xdist measures several tests at once, which disturb each other: expected -n 0'
ends "results are not stored by several" 4 \
    "ERROR: --gbrun-save, --gbrun-compare: xdist measures several tests at once, which disturb each other: expected -n 0" \
    -p worker --gbrun-save x.gbr test_off.py
finish
