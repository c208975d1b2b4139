#!/usr/bin/env bash
# Completion for bash offers what a user could type next; the program is played by a function.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/packaging/completions/gbrun.bash"

gbrun()
{
    case "$*" in
    'list plugins --format csv')
        printf '%s\n' 'kind,id,version' 'bench,nop,1.0' 'bench,"copy",1.0' 'policy,fixed,1.0'
        ;;
    'help run') printf '%s\n' '  -c, --config FILE' '      --resume FILE' '      --config again' ;;
    'help list') printf '%s\n' '      --format FORMAT  and --where SQL' ;;
    esac
}
compopt()
{
    :
}

# offers NAME EXPECTED WORD...: the words so far, the last of them unfinished.
offers()
{
    local name=$1 expected=$2
    shift 2
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _gbrun
    equals "$name" "$expected" "${COMPREPLY[*]}"
}

mkdir "$TMPDIR/folder"
cd "$TMPDIR/folder" || exit 1
printf '%s\n' '[gbrun]' '[bench streams]' '  [ bench gemm ] ; a comment' '# [bench no]' >bench.ini
mkdir conf
: >old.gbr
: >notes.txt
: >trace.csv
: >old.svg

offers "verbs" "run list check help show merge export report replay doctor" gbrun ''
offers "verbs by their start" "merge" gbrun me
offers "long options of the verb that stands there" "--format --where" gbrun list cases --
offers "long options of run without a verb" "--config --resume" gbrun --
offers "long options by their start" "--resume" gbrun run --r
offers "configurations after -c" "conf bench.ini" gbrun -c ''
offers "results files of show" "conf old.gbr" gbrun show ''
offers "samples and results files of replay" "conf old.gbr trace.csv" gbrun replay ''
offers "policies after -P" "fixed" gbrun replay -P ''
offers "configurations after -c of replay" "conf bench.ini" gbrun replay -c ''
offers "plots after --plot" "conf old.svg" gbrun replay --plot ''
offers "results files of report" "conf old.gbr" gbrun report ''
offers "pictures after -o of report" "conf old.svg" gbrun report -o ''
offers "results files after --roofs" "conf old.gbr" gbrun show --roofs ''
offers "results files after --resume" "old.gbr" gbrun run --resume o
offers "folders after -p" "conf" gbrun run -p ''
offers "what list lists" "cases plugins devices counters" gbrun list ''
offers "plugins after help" "nop" gbrun help no
offers "quoted ids are bare" "copy" gbrun help co
offers "sections after -s" "streams. gemm." gbrun -c bench.ini -s ''
offers "benchmarks after --bench" "gemm" gbrun run --config=bench.ini --bench g
offers "nothing for an unknown place" "" gbrun doctor x

finish
