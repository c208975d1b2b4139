# tap.sh - for test scripts: source it, then check each claim; the last line is `finish`.
# shellcheck shell=bash
set -u
n_checks=0

# pass NAME, fail NAME [WHY]...: one result.
pass()
{
    n_checks=$((n_checks + 1))
    echo "ok $n_checks - $1"
}

fail()
{
    n_checks=$((n_checks + 1))
    echo "not ok $n_checks - $1"
    shift
    [ $# = 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
}

skip()
{
    n_checks=$((n_checks + 1))
    echo "ok $n_checks - $1 # SKIP $2"
}

# succeeds NAME COMMAND...: the command's exit status is 0; its output is shown if it is not.
succeeds()
{
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        pass "$name"
    else
        fail "$name" "exit status $? from: $*" "$output"
    fi
}

# equals NAME EXPECTED ACTUAL: two texts are the same.
equals()
{
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1" "expected:" "$2" "got:" "$3"
    fi
}

# sql FILE STATEMENTS: of a results file; a row is a line, with | between its values.
sql()
{
    "$top_builddir/tests/cli/sql" "$@"
}

# heard PATTERN [N] <&DESCRIPTOR: waits until N lines (1) that match have come out of a pipe, or it has ended.
heard()
{
    local line n=${2:-1}
    while [ "$n" -gt 0 ] && read -r line; do
        # shellcheck disable=SC2053 # a pattern
        [[ $line != $1 ]] || n=$((n - 1))
    done
}

# few_samples N [LINE]...: the head of a configuration in which each case takes N samples; the lines are further defaults.
few_samples()
{
    printf '[policy few]\nplugin = fixed\nsamples = %s\n[defaults]\npolicy = few\n' "$1"
    shift
    [ $# = 0 ] || printf '%s\n' "$@"
}

# hurry COMMAND...: runs gbrun, or what runs it, without waiting for the time limits of modules that hang
# (tests/hurry.c). `hurry exec COMMAND... &`: so that $! is the command's.
n_hurries=0
hurry()
{
    n_hurries=$((n_hurries + 1))
    local -x LD_PRELOAD=$top_builddir/tests/.libs/hurry.so HURRY_FILE=$TMPDIR/.hurry.$BASHPID.$n_hurries
    local -x ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
    "$@"
}

# at_call N WHAT IN SIGNAL COMMAND...: runs it so that its Nth call of that kind in the supervisor or a worker fails, or if
# SIGNAL is not 0 its process gets that signal there (tests/hostile/fail_nth.c).
at_call()
{
    local -x FAIL_AT=$1 FAIL_WHAT=$2 FAIL_IN=$3 FAIL_SIGNAL=$4 FAIL_MARK=${FAIL_MARK-$TMPDIR/mark}
    local -x LD_PRELOAD=$top_builddir/tests/.libs/fail_nth.so ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
    rm -f "$FAIL_MARK"
    "${@:5}"
}

finish()
{
    echo "1..$n_checks"
    exit 0
}
