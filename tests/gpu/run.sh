#!/usr/bin/env bash
# run-gpu-tests - runs the tests that need a GPU: one line for each, then the results of those that
# failed, then how many there were. Without a GPU all are skipped. It needs a shell, coreutils, awk and
# grep. In a build tree it is tests/gpu/run.sh, started by make check-gpu.
# usage: run-gpu-tests [-v] [NAME]...     -v: print all results; NAME: faults, clocks, device_cuda ...
set -u
usage()
{
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}

verbose=no
if [ "${1-}" = -v ]; then
    verbose=yes
    shift
fi
case ${1-} in -*) usage ;; esac

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gbrun-gpu-tests.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

# Tests find things where a build tree has them; in the bundle they are made to look like one.
if [ -z "${top_builddir-}" ]; then
    top_srcdir=$(cd "$(dirname "$0")" && pwd)
    top_builddir=$scratch/tree
    GBRUN=$top_srcdir/bin/gbrun
    mkdir -p "$top_builddir"/{packaging,plugins,tests/modules}
    for module in "$top_srcdir"/lib/gbrun/*.so; do
        name=$(basename "$module" .so)
        mkdir "$top_builddir/plugins/$name"
        ln -s "$top_srcdir/lib/gbrun" "$top_builddir/plugins/$name/.libs"
    done
    ln -s "$top_srcdir/tests/modules" "$top_builddir/tests/modules/.libs"
    ln -s "$top_srcdir/tests/modules" "$top_builddir/packaging/bundle"
    programs=$top_srcdir/tests
else
    programs=$top_builddir/tests/plugins
fi
export top_srcdir top_builddir GBRUN
export CK_TAP_LOG_FILE_NAME=- CK_TIMEOUT_MULTIPLIER=0
if [ ! -x "$GBRUN" ]; then
    echo "run-gpu-tests: there is no program $GBRUN" >&2
    exit 2
fi

# The tests asked for, by their names; all of them without an argument.
tests=()
for file in "$programs"/test_device_cuda "$top_srcdir"/tests/gpu/*.sh; do
    name=$(basename "$file" .sh)
    name=${name#test_}
    case $name in common | numbers | run) continue ;; esac
    [ -x "$file" ] || [[ $file = *.sh ]] || continue
    for wanted in "${@:-$name}"; do
        [ "$wanted" != "$name" ] || tests+=("$file")
    done
done
[ ${#tests[@]} -gt 0 ] || usage

. "$top_srcdir/tests/gpu/common.sh"
no_gpu=$(why_no_gpu)

# count FILE: results that passed, failed and were skipped in what a test printed.
count()
{
    awk '
        /^1\.\.0 # SKIP/ { skipped++; planned = 0; has_plan = 1; next }
        /^1\.\.[0-9]+/ { planned = substr($1, 4) + 0; has_plan = 1; next }
        /^ok .*# SKIP/ { skipped++; results++; next }
        /^ok / { passed++; results++; next }
        /^not ok / { failed++; results++; next }
        /^Bail out!/ { failed++ }
        END {
            if (!has_plan || results + 0 != planned)
                failed++
            print passed + 0, failed + 0, skipped + 0
        }' "$1"
}

n_passed=0 n_failed=0 n_skipped=0
for file in "${tests[@]}"; do
    name=$(basename "$file" .sh)
    out=$scratch/$name.out
    SECONDS=0
    if [ -n "$no_gpu" ]; then
        echo "1..0 # SKIP $no_gpu" >"$out"
    else
        bash "$top_srcdir/tests/isolate.sh" "$file" >"$out"
    fi
    read -r passed failed skipped < <(count "$out")
    if [ "$failed" != 0 ]; then
        word=FAIL
    elif [ "$passed" != 0 ]; then
        word=PASS
    else
        word=SKIP
    fi
    printf '%s  %-16s %3d passed, %d failed, %d skipped  %d s%s\n' "$word" "${name#test_}" \
        "$passed" "$failed" "$skipped" "$SECONDS" \
        "$(sed -n 's/^1\.\.0 # SKIP /  (/p' "$out" | sed 's/$/)/')"
    if [ $verbose = yes ]; then
        sed 's/^/    /' "$out"
    elif [ "$failed" != 0 ]; then
        grep -vE '^ok ' "$out" | sed 's/^/    /'
    else
        sed -n 's/^ok [0-9]* - \(.*# SKIP.*\)/    \1/p' "$out"
    fi
    n_passed=$((n_passed + passed))
    n_failed=$((n_failed + failed))
    n_skipped=$((n_skipped + skipped))
done
echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
[ $n_failed = 0 ]
