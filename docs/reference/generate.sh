#!/bin/sh
# generate.sh - writes the reference pages from the tables of the program: make docs does so, and
# tests/cli/test_reference.sh compares. What a build without the headers of CUDA lacks stays as it is:
# sections of plugins, and that others run on a GPU too. usage: generate.sh GBRUN FOLDER
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

listed=$(gbrun list plugins --format csv)
cuda=$(echo "$listed" | grep '^device,cuda,' || :)

# old_section ID: as it is in plugins.md.
old_section()
{
    awk -v head="### $1" '/^##/ { inside = $0 == head } inside' "$old/plugins.md"
}

# section KIND ID: of plugins.md.
section()
{
    if ! echo "$listed" | grep -q "^$1,$2,"; then
        printf '\n'
        old_section "$2"
        return
    fi
    runs_on=''
    [ "$cuda" ] || runs_on=$(old_section "$2" | grep '^Runs on: ' || :)
    printf '\n### %s\n\n' "$2"
    gbrun help plugin "$2" | awk -v old="$runs_on" '
        /^(module|options|also):/ { exit }
        NR == 1 { next }
        /^runs on: / { sub(/^r/, "R"); print "\n" (old != "" ? old : $0 "."); next }
        { print }'
    printf '\n'
    # Where gbrun is installed as well, the first is of the build tree.
    gbrun help --markdown plugin "$2" | awk '/^## / { n++; next } n < 2'
}

plugins()
{
    echo 'Options of the plugins that come with gbrun; `gbrun help ID` prints what stands here.'
    for kind in benchmark:Benchmarks policy:'Stopping policies' search:Searches device:Devices; do
        printf '\n## %s\n' "${kind#*:}"
        {
            echo "$listed" | grep "^${kind%:*}," | cut -d, -f2 | grep -vx skeleton
            [ "$cuda" ] || awk -v title="## ${kind#*:}" '
                /^## / { inside = $0 == title }
                inside && /^### / { print $2 }' "$old/plugins.md"
        } | sort -u | while read -r id; do
            section "${kind%:*}" "$id"
        done
    done
}

verbs | page verbs Verbs
plugins | page plugins Plugins
topics sections gbrun keys bench sides values checks | page configuration Configuration
{
    gbrun help --markdown columns
    topics tables marks verdicts statuses
} | page columns Columns
