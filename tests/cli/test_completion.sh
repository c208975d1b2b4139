#!/usr/bin/env bash
# Completion offers what a user could type next; the shells ask the program itself.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/packaging/completions/gbrun.bash"
completions=$top_srcdir/packaging/completions

mkdir "$TMPDIR/bin" "$TMPDIR/folder"
ln -s "$GBRUN" "$TMPDIR/bin/gbrun"
PATH=$TMPDIR/bin:$PATH
export PATH

compopt()
{
    :
}

sorted()
{
    printf '%s\n' "$@" | sort | paste -sd ' '
}

# offers NAME EXPECTED WORD...: the words so far, the last of them unfinished. Files come in the order of their folder.
offers()
{
    local name=$1 expected=$2
    shift 2
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _gbrun
    # shellcheck disable=SC2086 # words
    equals "$name" "$(sorted $expected)" "$(sorted "${COMPREPLY[@]}")"
}

cd "$TMPDIR/folder" || exit 1
{ few_samples 3 'device = cpu'; printf '%s\n' '[gbrun]' 'results = old.gbr' '[bench streams]' 'plugin = spin' \
    'sweep.duration = 1 us, 2 us'; } >bench.ini
printf '%s\n' '[gbrun]' '[bench streams]' 'plugin = copy' '  [ bench gemm ] ; a comment' '# [bench no]' >seen.ini
gbrun -c bench.ini --quiet >/dev/null 2>&1
mkdir conf
: >notes.txt
: >trace.csv
: >old.svg

verbs=$(gbrun list verbs --format csv | tail -n +2 | cut -d, -f1 | sort | paste -sd ' ')
offers "verbs" "$verbs" gbrun ''
offers "verbs by their start" "merge" gbrun me
offers "long options of the verb that stands there" \
    "--chip --config --costs --device --estimate --format --plugin-path --sample --set --shard --where" gbrun list cases --
offers "long options of run without a verb" "--resume --rounds --run" gbrun --r
offers "long options by their start" "--resume --rounds --run" gbrun run --r
offers "configurations by their start, as a verb" "bench.ini" gbrun be
offers "configurations of run" "conf bench.ini seen.ini" gbrun run ''
offers "benchmarks of a configuration" "streams" gbrun bench.ini s
offers "benchmarks of that of check" "streams" gbrun check -c bench.ini ''
offers "configurations after -c" "conf bench.ini seen.ini" gbrun -c ''
offers "results files of show" "conf old.gbr" gbrun show ''
offers "samples and results files of replay" "conf old.gbr trace.csv" gbrun replay ''
offers "policies after -P" "stdrel steady" gbrun replay -P st
offers "configurations after -c of replay" "conf bench.ini seen.ini" gbrun replay -c ''
offers "plots after --plot" "conf old.svg" gbrun replay --plot ''
offers "results files of report" "conf old.gbr" gbrun report ''
offers "pictures after -o of report" "conf old.svg" gbrun report -o ''
offers "results files after --roofs" "conf old.gbr" gbrun show --roofs ''
offers "results files after --resume" "old.gbr" gbrun run --resume o
offers "folders after -p" "conf" gbrun run -p ''
offers "what list lists" "cases plugins devices counters runs verbs columns keywords" gbrun list ''
offers "topics after list keywords" "values verbs verdicts" gbrun list keywords v
offers "words after help" "nop" gbrun help nop
offers "words of a topic" "precision" gbrun help steady prec
offers "options of a verb after help" "columns" gbrun help export co
offers "formats" "json jsonl" gbrun show --format j
offers "the choices of an option" "case combined" gbrun export --rows c
offers "columns" "relative_iqr" gbrun show --columns relat
offers "columns after a comma" "label,median_ns" gbrun show --columns label,medi
offers "columns after --sort" "low_ns" gbrun show --sort low
offers "columns after --group-by" "verified" gbrun export --group-by veri
offers "parameters of the results file" "duration" gbrun show old.gbr --pivot dur
offers "sections after -s" "gbrun. defaults. streams. gemm." gbrun -c seen.ini -s ''
offers "keys of a section after -s" "streams.max_samples= streams.max_time= streams.max_time_undecided=" gbrun -c bench.ini -s streams.max
offers "keys of [gbrun] after -s" "gbrun.seed=" gbrun -c bench.ini -s gbrun.see
offers "benchmarks after --bench" "" gbrun doctor --bench g
offers "nothing for an unknown place" "" gbrun doctor x

# ---- zsh and fish ----

# What zsh would add; its own functions are played.
in_zsh()
{
    zsh -f -c '
        _describe() { local -a all; all=("${(@P)4}"); print -rl -- ${all%%:*}; }
        _files() { print -r -- files "$@"; }
        compset() { true; }
        compadd() { print -rl -- "$@"; }
        words=("$@") CURRENT=$#
        fpath=("$completions" $fpath)
        autoload -Uz _gbrun
        _gbrun' zsh "$@" | sort | paste -sd ' '
}
in_fish()
{
    fish --no-config -c "source '$completions/gbrun.fish'; complete -C '$*'" | cut -f1 | sort | paste -sd ' '
}
export completions
for shell in zsh fish; do
    if ! command -v $shell >/dev/null; then
        skip "completion for $shell" "there is no $shell"
        continue
    fi
    succeeds "$shell reads its completion" $shell -n "$completions/$([ $shell = zsh ] && echo _gbrun || echo gbrun.fish)"
    equals "$shell: options of a verb" 1 "$(in_$shell gbrun show -- | grep -c -e '--columns.*--where')"
    equals "$shell: columns" 1 "$(in_$shell gbrun show --columns relative | grep -cw relative_iqr)"
    equals "$shell: words of a topic" 1 "$(in_$shell gbrun help steady prec | grep -cw precision)"
    equals "$shell: formats" 1 "$(in_$shell gbrun show --format j | grep -cw 'json jsonl')"
done
! command -v zsh >/dev/null || equals "zsh: verbs and configurations" \
    "$(printf '%s\n' "${verbs// /$'\n'}" 'files -g *.ini' | sort | paste -sd ' ')" "$(in_zsh gbrun '')"
! command -v fish >/dev/null || equals "fish: verbs and configurations" \
    "$(printf '%s\n' "${verbs// /$'\n'}" bench.ini seen.ini | sort | paste -sd ' ')" "$(in_fish 'gbrun ')"
! command -v fish >/dev/null || equals "fish: a verb by its start" "merge" "$(in_fish 'gbrun me')"

finish
