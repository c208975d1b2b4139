# tap.sh - for test scripts: source it, then check each claim; the last line is `finish`.
# shellcheck shell=bash
set -u
n_checks=${n_checks-0}

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

# skip_rest NAME WHY: nothing more is tried.
skip_rest()
{
    skip "$@"
    finish
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

# read_all NAME FILE: the variable is the file's text, without the ends of lines at its end. (Neither this nor what follows
# starts a process where the builtins of the shell can do it: there are thousands of calls.)
read_all()
{
    local -n read_text=$1
    read_text=
    IFS= read -rd '' read_text <"$2"
    while [[ $read_text = *$'\n' ]]; do read_text=${read_text%$'\n'}; done
}

# has NAME FILE TEXT...: a line of the file has each of the texts.
has()
{
    local name=$1 file=$2 text whole
    shift 2
    read_all whole "$file"
    for text; do
        [[ $whole = *"$text"* ]] || grep -qF -- "$text" "$file" || { fail "$name" "expected a line with: $text" "$(cat "$file")"; return; }
    done
    pass "$name"
}

# ran COMMAND...: out.txt and err.txt are what it printed, code is its exit status.
ran()
{
    "$@" >out.txt 2>err.txt </dev/null
    code=$?
}

# exits NAME CODE COMMAND...: as ran, with this exit status.
exits()
{
    ran "${@:3}"
    [ "$code" = "$2" ] || code+=" $(<err.txt)"
    equals "$1: exit code" "$2" "$code"
    code=${code%% *}
}

# try_each COMMAND... <<TABLE: lines of NAME|CODE|MESSAGE|ARGUMENTS[|OUTPUT]... With the arguments, which are words of the
# shell, the command ends with this exit status. MESSAGE is all that it says on standard error, `-` where that is nothing,
# or after `~` a text in a line of it; where it is empty nothing is looked at. OUTPUT is a text in a line of out.txt. A
# line that ends in \ goes on in the next one.
try_each()
{
    local name expected message arguments output parts got
    while IFS='|' read -r name expected message arguments output; do
        eval "parts=($arguments)"
        ran "$@" "${parts[@]}"
        read_all got err.txt
        case $message in
        '') got= ;;
        -) got=${got:--} ;;
        '~'*) [[ $got != *"${message#\~}"* ]] || got=$message ;;
        esac
        equals "$name" "$expected $message" "$code $got"
        IFS='|' read -ra parts <<<"$output"
        [ -z "$output" ] || has "$name: output" out.txt "${parts[@]}"
    done < <(sed -e :a -e '/\\$/N; s/\\\n//; ta')
}

# rows ARGUMENT...: what gbrun export prints with them, without its head.
rows()
{
    "$GBRUN" export "$@" | sed $'1d; s/\r//g'
}

# column NAMES [ARGUMENT]...: these columns of the cases, a case a line.
column()
{
    rows --columns "$@"
}

# values COLUMNS [ARGUMENT]...: as column, on a line; order: in the order measured, with blanks between columns, too.
values()
{
    local all
    all=$(column "$@" && echo .)
    all=${all%?}
    all=${all%$'\n'}
    echo "${all//$'\n'/ }"
}
order()
{
    local all
    all=$(values "$1" --sort sequence "${@:2}")
    echo "${all//,/ }"
}

# of BENCH COLUMNS: of its cases in results.gbr, on a line.
of()
{
    values "$2" --where "bench = '$1'"
}

# statuses: NAME STATUS of each case in results.gbr, a line each.
statuses()
{
    local all
    all=$(column bench,status)
    echo "${all//,/ }"
}

# said TEXT: how many lines of out.txt have it.
said()
{
    grep -c -- "$1" out.txt
}

# measured <<INI: as ran, of a run of the configuration into a new results.gbr; measured_with OPTION... <<INI: so, too.
# shellcheck disable=SC2120 # options are of tests
measured_with()
{
    [ ! -e results.gbr ] || rm -f results.gbr*
    "$GBRUN" -c - "$@" >out.txt 2>err.txt
    code=$?
}
measured()
{
    # shellcheck disable=SC2119 # none of this function's
    measured_with
}

# notes [FILE]: out.txt is what show --notes prints of it, or of results.gbr.
# shellcheck disable=SC2120 # some scripts have one file only
notes()
{
    ran "$GBRUN" show --notes "${1:-results.gbr}"
}

# cells LIST: some columns of the CSV in out.txt, without the head. Text with commas in it becomes a word.
cells()
{
    sed 's/"[^"]*"/quoted/g' out.txt | awk -F, -v names="$1" '
        NR == 1 { n = split(names, name, ","); for (i = 1; i <= NF; i++) place[$i] = i; next }
        { for (i = 1; i <= n; i++) printf "%s%s", $place[name[i]], i < n ? "," : "\n" }'
}

# is_alone PATTERN: in the log of the module `beside` nothing of another case stands between begin and end of
# those whose number matches.
is_alone()
{
    awk -v which="$1" '
        $1 == "made" || $1 == "killed" { next }
        owner != "" && $2 != owner { bad = 1; print "line " NR " of " $2 " inside " owner }
        $1 == "begin" && $2 ~ which { owner = $2; if (n_open) { bad = 1; print owner " beside others" } }
        $1 == "begin" { n_open++ }
        $1 == "end" { n_open--; if ($2 == owner) owner = "" }
        END { exit bad || NR == 0 }' log
}

# until_taken PID: no signal is on its way to it.
until_taken()
{
    until grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$1/status"; do :; done
}

# status LABEL: what err.txt says of a case when it was done, without its times: "ok n=12", "crashed (SIGSEGV, in run)". Of
# all cases, behind their labels and |, where the label is empty.
# (An emulator says itself that a program ended by a signal.)
status()
{
    awk -F '  ' -v label="$1" '$1 ~ /^[0-9]*\/[0-9]*$/ && (label == "" || $2 == label) {
        n = ""
        for (i = 3; i <= NF; i++) if ($i ~ /^n=/) n = " " $i
        sub(/; it printed \047qemu: uncaught target signal [^\047]*\047/, "", $NF)
        print (label == "" ? $2 "|" : "") (n != "" && NF == 5 ? "ok" : $NF) n
    }' err.txt
}

# each_status <<TABLE: lines of LABEL|STATUS, as status says it; a label with {a,b} in it is two.
each_status()
{
    local label expected list parts word
    local -A by_label=()
    while IFS='|' read -r label expected; do
        [ -z "$label" ] || by_label[$label]+=${by_label[$label]:+$'\n'}$expected
    done < <(status '')
    while IFS='|' read -r label expected; do
        list=${label#*\{} parts=("$label")
        [[ $label != *\{* ]] || IFS=, read -ra parts <<<"${list%%\}*}"
        for word in "${parts[@]}"; do
            [[ $label != *\{* ]] || word=${label%%\{*}$word${label##*\}}
            equals "$word" "$expected" "${by_label[$word]-}"
        done
    done
}

# errors_of CONFIGURATION FILE: of each error in the file that has a place, SECTION COLUMN TEXT, where the place is the key
# that the text begins with.
errors_of()
{
    awk 'FNR == NR {
            if (sub(/^\[bench /, "")) section = substr($0, 1, length($0) - 1)
            sections[FNR] = section
            keys[FNR] = substr($0, 1, index($0, " = ") - 1)
            next
        }
        match($0, /:[0-9]+:[0-9]+: error: /) {
            split(substr($0, RSTART + 1), place, ":")
            text = substr($0, RSTART + RLENGTH)
            key = keys[place[1]]
            print sections[place[1]], place[2] (index(text, key ": ") == 1 ? "" : " at " key), text
        }' "$1" "$2"
}

# with_modules: in the folder of the test, where gbrun finds the plugins of tests.
with_modules()
{
    export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
    cd "$TMPDIR" || exit 99
}

# processor N: the number of the Nth processor that this test may use.
processor()
{
    sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr , '\n' | while IFS=- read -r first last; do
        seq "$first" "${last:-$first}"
    done | sed -n "$1p"
}

# gains KEY HONEST: which of results.gbr, by this key, read less than 0.98 of the honest one in each round against each of
# its rounds. Of equal codes with six rounds less than one in 900 does, however far processes are apart.
gains()
{
    rows --columns "$1,median_ns" --where "status = 'ok'" | sed 's/^[^:,]*://' | awk -F, -v honest="$2" '
        $1 == honest { if (!least || $2 < least) least = $2; next }
        !($1 in most) || $2 > most[$1] { most[$1] = $2 }
        END { for (name in most) if (most[name] < 0.98 * least) print name, most[name] / least }'
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

# section KIND NAME PLUGIN [KEY=VALUE]...: of a configuration: `section device slow fake time=1us`.
section()
{
    printf '[%s %s]\nplugin = %s\n' "$1" "$2" "$3"
    [ $# = 3 ] || printf '%s\n' "${@:4}"
}

# preloaded LIBRARY COMMAND...: with one of the tests' own, which sanitizers would want behind theirs.
preloaded()
{
    local -x LD_PRELOAD=$top_builddir/tests/.libs/$1.so ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
    "${@:2}"
}

# hurry COMMAND...: runs gbrun, or what runs it, without waiting for the time limits of modules that hang
# (tests/hurry.c). `hurry exec COMMAND... &`: so that $! is the command's.
n_hurries=0
hurry()
{
    n_hurries=$((n_hurries + 1))
    HURRY_FILE=$TMPDIR/.hurry.$BASHPID.$n_hurries preloaded hurry "$@"
}

# at_call N WHAT IN SIGNAL COMMAND...: runs it so that its Nth call of that kind in the supervisor or a worker fails, or if
# SIGNAL is not 0 its process gets that signal there (tests/hostile/fail_nth.c).
at_call()
{
    local -x FAIL_AT=$1 FAIL_WHAT=$2 FAIL_IN=$3 FAIL_SIGNAL=$4 FAIL_MARK=${FAIL_MARK-$TMPDIR/mark}
    rm -f "$FAIL_MARK"
    preloaded fail_nth "${@:5}"
}

finish()
{
    echo "1..$n_checks"
    exit 0
}
