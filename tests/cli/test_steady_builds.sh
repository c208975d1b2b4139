#!/usr/bin/env bash
# The same samples give the same verdict and the same numbers, to the last bit, whichever compiler
# built the policy and whatever it optimizes: replayed samples say what measured ones said.
. "$top_srcdir/tests/tap.sh"

sources=$(cd "$top_srcdir" && ls plugins/common/policy/*.c tests/policy/steady_traces.c \
    plugins/policy_steady/{clock_history,modes,rank_index,steady_attempt}.c)

# build NAME COMPILER FLAGS: prints what the build says of the traces.
build()
{
    # shellcheck disable=SC2086 # lists of files, and a compiler may come with flags
    (cd "$top_srcdir" && $2 -std=gnu99 -ffp-contract=off $3 -I. -Iinclude -o "$TMPDIR/traces" $sources -lm) &&
        "$TMPDIR/traces"
}

expected=$(build plain "${CC:-cc}" -O0)
equals "traces have verdicts" 60 "$(printf '%s\n' "$expected" | grep -c '^[0-9]*: ')"
equals "verdicts differ" 3 "$(printf '%s\n' "$expected" | grep -oE 'interval within|modes, each|timer resolution' |
    sort -u | wc -l)"
equals "so does what is estimated" 2 "$(printf '%s\n' "$expected" | grep -oE '(mean|median) -?0x' | sort -u | wc -l)"
compare()
{
    equals "$1" "$expected" "$(build "$@")"
}
[ -z "${LONG-}" ] || compare "optimized" "${CC:-cc}" -O3
if grep -qw fma /proc/cpuinfo 2>/dev/null; then
    compare "optimized for processors with FMA" "${CC:-cc}" "-O3 -mavx2 -mfma"
else
    compare "optimized" "${CC:-cc}" -O3
fi
if [ -z "${LONG-}" ]; then
    finish
elif command -v clang >/dev/null; then
    compare "clang" clang -O2
else
    skip "clang" "not installed"
fi
finish
