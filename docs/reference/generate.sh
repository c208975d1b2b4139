#!/bin/sh
# generate.sh - writes the reference pages from the tables of the program: make docs does so, and
# tests/cli/test_reference.sh compares. Of a plugin that this build lacks, as the headers of CUDA were
# not found, the section stays as it is. usage: generate.sh GBRUN FOLDER
set -eu
program=$1 folder=$2
old=$(dirname "$0")
LC_ALL=C COLUMNS=100
export LC_ALL COLUMNS

gbrun()
{
    "$program" "$@" </dev/null
}

# page NAME TITLE: the page NAME.md from standard input.
page()
{
    {
        printf '<!-- Written by make docs from the tables of the program: do not edit. -->\n# %s\n\n' "$2"
        awk '/^## [a-z]/ && !/^## gbrun/ { $0 = "## " toupper(substr($0, 4, 1)) substr($0, 5) } { print }'
    } | cat -s >"$folder/$1.md.new"
    mv "$folder/$1.md.new" "$folder/$1.md"
}

# topics NAME...: what `gbrun help NAME` says, each under its title.
topics()
{
    for topic; do
        printf '\n## %s\n\n' "$(gbrun help "$topic" | head -n 1)"
        gbrun help --markdown "$topic"
    done
}

verbs()
{
    echo '`gbrun -c FILE` is `gbrun run -c FILE`; `gbrun help VERB` prints what stands here.'
    gbrun list verbs --format csv | tail -n +2 | cut -d, -f1 | while read -r verb; do
        printf '\n## gbrun %s\n\n' "$verb"
        gbrun help "$verb" | awk '
            /^(options|also):/ { exit }
            NR == 1 { sub(/^usage: /, ""); print "    " $0; next }
            { print }'
        printf '\n'
        gbrun help --markdown "$verb"
    done
    topics exit-codes environment
}

# section KIND ID: of plugins.md.
section()
{
    if ! gbrun help "$2" >/dev/null 2>&1; then
        printf '\n'
        awk -v head="### $2" '/^##/ { inside = $0 == head } inside' "$old/plugins.md"
        return
    fi
    printf '\n### %s\n\n' "$2"
    gbrun help "$2" | awk '
        /^(module|options|also):/ { exit }
        NR == 1 { next }
        /^runs on: / { sub(/^r/, "R"); print "\n" $0 "."; next }
        { print }'
    printf '\n'
    gbrun help --markdown "$2"
}

plugins()
{
    echo 'Options of the plugins that come with gbrun; `gbrun help ID` prints what stands here.'
    for kind in benchmark policy device; do
        case $kind in
        benchmark) printf '\n## Benchmarks\n' ;;
        policy) printf '\n## Stopping policies\n' ;;
        device) printf '\n## Devices\n' ;;
        esac
        {
            gbrun list plugins --format csv | tail -n +2 | grep -v '^[a-z]*,skeleton,'
            echo benchmark,kernel,
            echo device,cuda,
        } | awk -F, -v kind=$kind '$1 == kind { print $2 }' | sort -u | while read -r id; do
            section $kind "$id"
        done
    done
}

verbs | page verbs Verbs
plugins | page plugins Plugins
topics sections gbrun keys bench values checks | page configuration Configuration
{
    gbrun help --markdown columns
    topics tables marks verdicts statuses
} | page columns Columns
