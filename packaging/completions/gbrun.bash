# Completion of gbrun for bash. What can be asked of the program is asked, so that this file needs
# no list of options or plugins.
# shellcheck shell=bash

# Ids of plugins, one a line: the column "id" of the table. Of one kind, if it is given.
_gbrun_plugins()
{
    "$1" list plugins --format csv 2>/dev/null | awk -F, -v wanted="${2-}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "id") column = i
                  else if ($i == "kind") kind = i
                  next }
        column && (wanted == "" || $kind == wanted) { gsub(/"/, "", $column); print $column }'
}

# Long options that the help of a verb names.
_gbrun_options()
{
    "$1" help "$2" 2>/dev/null | grep -oE -e '--[a-z][a-z-]*' | sort -u
}

# The configuration on the command line so far, or nothing.
_gbrun_configuration()
{
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i - 1]} in
        -c | --config) printf '%s\n' "${COMP_WORDS[i]}" ;;
        esac
        case ${COMP_WORDS[i]} in
        --config=*) printf '%s\n' "${COMP_WORDS[i]#--config=}" ;;
        esac
    done | tail -n 1
}

# Names of the [bench NAME] sections of a configuration.
_gbrun_benches()
{
    sed -n 's/^[[:blank:]]*\[[[:blank:]]*bench[[:blank:]]\{1,\}\([^]]*[^][:blank:]]\)[[:blank:]]*\].*/\1/p' \
        "$1" 2>/dev/null
}

_gbrun_words()
{
    local IFS=$'\n'
    # shellcheck disable=SC2207 # one word a line
    COMPREPLY=($(compgen -W "$1" -- "$2"))
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

_gbrun()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} verb='' configuration i
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    local verbs='run list check help show merge export report replay doctor'
    verbs=${verbs// /$'\n'}
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ $'\n'$verbs$'\n' == *$'\n'"${COMP_WORDS[i]}"$'\n'* ]]; then
            verb=${COMP_WORDS[i]}
            break
        fi
    done

    case $verb$before in
    report-o | report--output)
        _gbrun_files '@(.svg|.png|.pdf|.gp)' "$word"
        return
        ;;
    esac
    case $before in
    -c | --config)
        _gbrun_files .ini "$word"
        return
        ;;
    -R | --resume | -o | --output | --roofs)
        _gbrun_files .gbr "$word"
        return
        ;;
    -f | --format)
        _gbrun_words $'table\ncsv\njson\njsonl\nmd' "$word"
        return
        ;;
    -P | --policy)
        _gbrun_words "$(_gbrun_plugins "$program" policy)" "$word"
        return
        ;;
    --plot)
        _gbrun_files '@(.svg|.png|.pdf|.gp)' "$word"
        return
        ;;
    -p | --plugin-path)
        _gbrun_files '' "$word"
        return
        ;;
    -s | --set)
        configuration=$(_gbrun_configuration)
        _gbrun_words "$(_gbrun_benches "$configuration" | sed 's/$/./')" "$word"
        compopt -o nospace 2>/dev/null
        return
        ;;
    --bench)
        configuration=$(_gbrun_configuration)
        _gbrun_words "$(_gbrun_benches "$configuration")" "$word"
        return
        ;;
    esac

    if [[ $word == -* ]]; then
        _gbrun_words "$(_gbrun_options "$program" "${verb:-run}")" "$word"
        return
    fi
    case $verb in
    '') _gbrun_words "$verbs" "$word" ;;
    list) _gbrun_words $'cases\nplugins\ndevices\ncounters' "$word" ;;
    help) _gbrun_words "$verbs"$'\n'"$(_gbrun_plugins "$program")" "$word" ;;
    show | merge | export | report) _gbrun_files .gbr "$word" ;;
    replay) _gbrun_files '@(.gbr|.csv|.f32|.f64|.bin)' "$word" ;;
    esac
}

complete -F _gbrun gbrun
