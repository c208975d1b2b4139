# Completion of gbrun for bash. Verbs, options, columns, words and plugins are asked of the program,
# so that this file has no list of them.
# shellcheck shell=bash

# First fields of what `gbrun list KIND...` lists, one a line; $1 is the program. Those with blanks or
# signs are left out.
_gbrun_list()
{
    local program=$1
    shift
    "$program" list "$@" --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | tr -d '\r"' |
        grep -xE -e '[A-Za-z0-9_.-]+' | sort -u
}

# Ids of plugins of a kind.
_gbrun_plugins()
{
    "$1" list plugins --format csv 2>/dev/null | awk -F, -v kind="$2" '$1 == kind { gsub(/"/, "", $2); print $2 }'
}

# What follows an option of a verb, as its help has it: FILE, LIST, case|sample|combined.
_gbrun_argument()
{
    "$1" help "$2" 2>/dev/null | sed -nE "s/^  (-., )?$3 ([^ ]+).*/\2/p; s/^  $3, --[^ ]+ ([^ ]+).*/\1/p" | head -n 1
}

# The value of an option of the command line so far, or nothing: -c --config.
_gbrun_given()
{
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i - 1]} in
        "$1" | "$2") printf '%s\n' "${COMP_WORDS[i]}" ;;
        esac
        case ${COMP_WORDS[i]} in
        "$2"=*) printf '%s\n' "${COMP_WORDS[i]#*=}" ;;
        esac
    done | tail -n 1
}

# The configuration of the command line so far: after -c, or a word of its own.
_gbrun_configuration()
{
    local i given
    given=$(_gbrun_given -c --config)
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ -n $given || ${COMP_WORDS[i]} != *.ini ]] || given=${COMP_WORDS[i]}
    done
    printf '%s\n' "$given"
}

# Names of the [bench NAME] sections of a configuration.
_gbrun_benches()
{
    sed -n 's/^[[:blank:]]*\[[[:blank:]]*bench[[:blank:]]\{1,\}\([^]]*[^][:blank:]]\)[[:blank:]]*\].*/\1/p' \
        "$1" 2>/dev/null
}

# SECTION.KEY= for all keys of a section that is begun, else SECTION. of the configuration.
_gbrun_settings()
{
    local program=$1 configuration=$2 section=${3%%.*}
    case $3 in
    *.*)
        "$program" check --print -c "$configuration" 2>/dev/null | awk -v section="$section" '
            /^\[/ { name = $0; sub(/^\[(bench )?/, "", name); sub(/\].*/, "", name); next }
            name == section && / = / { sub(/^; */, ""); sub(/ =.*/, ""); print section "." $0 "=" }'
        ;;
    *) { echo gbrun; echo defaults; _gbrun_benches "$configuration"; } | sed 's/$/./' ;;
    esac
}

# Columns of exports, and of the results file on the command line its parameters and metrics.
_gbrun_columns()
{
    local i file=results.gbr
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        *.gbr) file=${COMP_WORDS[i]} ;;
        esac
    done
    _gbrun_list "$1" columns
    [ ! -f "$file" ] || timeout 1 "$1" export "$file" 2>/dev/null | head -n 1 | tr ',' '\n'
}

_gbrun_words()
{
    local IFS=$'\n'
    # shellcheck disable=SC2207 # one word a line
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

# The last item of a list with commas.
_gbrun_items()
{
    local before=
    [[ $2 != *,* ]] || before=${2%,*},
    _gbrun_words "$(sort -u <<<"$1" | sed "s/^/$before/")" "$2"
    compopt -o nospace 2>/dev/null
}

# Folders, and files of one suffix, or of one of several: @(.a|.b).
_gbrun_files()
{
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    # shellcheck disable=SC2207 # one name a line
    COMPREPLY=($(compgen -d -- "$2") $(
        shopt -s extglob
        [ -z "$1" ] || compgen -f -X "!*$1" -- "$2"
    ))
}

# What follows the option `before` of a verb; false: it takes nothing.
_gbrun_value()
{
    local program=$1 verb=$2 before=$3 word=$4
    local argument
    argument=$(_gbrun_argument "$program" "$verb" "$before")
    argument=${argument%...}
    case $verb$before in
    report-o | report--output | replay--plot) argument=PICTURE ;;
    *-c | *--config) argument=INI ;;
    *--columns | *--sort | *--group-by | *--pivot) argument=COLUMNS ;;
    *-P | *--policy) argument=POLICY ;;
    *--bench) argument=BENCH ;;
    esac
    case $argument in
    PICTURE) _gbrun_files '@(.svg|.png|.pdf)' "$word" ;;
    INI) _gbrun_files .ini "$word" ;;
    COLUMNS) _gbrun_items "$(_gbrun_columns "$program")" "$word" ;;
    POLICY) _gbrun_words "$(_gbrun_plugins "$program" policy)" "$word" ;;
    BENCH) _gbrun_words "$(_gbrun_benches "$(_gbrun_configuration)")" "$word" ;;
    FILE) _gbrun_files .gbr "$word" ;;
    FOLDER) _gbrun_files '' "$word" ;;
    FORMAT) _gbrun_words $'table\ncsv\njson\njsonl\nmd' "$word" ;;
    SECTION.KEY=VALUE)
        _gbrun_words "$(_gbrun_settings "$program" "$(_gbrun_configuration)" "$word")" "$word"
        compopt -o nospace 2>/dev/null
        ;;
    *'|'*) _gbrun_words "$(tr '|' '\n' <<<"$argument" | grep -x '[a-z0-9]*')" "$word" ;;
    '') return 1 ;;
    esac
}

_gbrun()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} verb='' verbs i at=0
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    verbs=$(_gbrun_list "$program" verbs)
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ $'\n'$verbs$'\n' == *$'\n'"${COMP_WORDS[i]}"$'\n'* ]]; then
            verb=${COMP_WORDS[i]} at=$i
            break
        fi
    done

    if [[ $before == -* ]] && _gbrun_value "$program" "${verb:-run}" "$before" "$word"; then
        return
    fi
    if [[ $word == -* ]]; then
        _gbrun_words "$(_gbrun_list "$program" keywords "${verb:-run}")" "$word"
        return
    fi
    local configuration
    configuration=$(_gbrun_configuration)
    [[ $verb != '' || -z $configuration ]] || verb=run # `gbrun bench.ini NAME`
    case $verb$((COMP_CWORD - at)) in
    run* | check*)
        if [ -n "$configuration" ]; then
            _gbrun_words "$(_gbrun_benches "$configuration")" "$word"
        else
            _gbrun_files .ini "$word"
        fi
        ;;
    list1) _gbrun_words $'cases\nplugins\ndevices\ncounters\nruns\nverbs\ncolumns\nkeywords' "$word" ;;
    list2) [ "$before" != runs ] || _gbrun_files .gbr "$word"
        [ "$before" != cases ] || _gbrun_files .ini "$word"
        [ "$before" != keywords ] || _gbrun_words "$(_gbrun_list "$program" keywords topics)" "$word" ;;
    help1) _gbrun_words "$(_gbrun_list "$program" keywords | grep -v '^-')" "$word" ;;
    help2) _gbrun_words "$(_gbrun_list "$program" keywords "$before" | sed 's/^--//')" "$word" ;;
    show* | export* | merge* | compare* | log* | report* | search*) _gbrun_files .gbr "$word" ;;
    replay*) _gbrun_files '@(.gbr|.csv|.f32|.f64|.bin)' "$word" ;;
    [0-9]*)
        _gbrun_files .ini "$word"
        local files=("${COMPREPLY[@]}")
        _gbrun_words "$verbs" "$word"
        [ -z "$word" ] || COMPREPLY+=("${files[@]}")
        ;;
    esac
}

complete -F _gbrun gbrun
