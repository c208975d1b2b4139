# Completion of gbrun for fish. Verbs, options, columns and words are asked of the program.

# Words of what `gbrun list KIND...` lists, each with its meaning.
function __gbrun_entries
    gbrun list $argv --format csv 2>/dev/null | tail -n +2 | tr -d '\r' | awk -F, '
        $1 ~ /^[A-Za-z0-9_.-]+$/ && !seen[$1]++ {
            meaning = $0
            if (sub(/"$/, "", meaning)) sub(/.*[^"]"/, "", meaning)
            else sub(/.*,/, "", meaning)
            print $1 "\t" meaning
        }'
end

function __gbrun_verb
    set -l verbs (gbrun list verbs --format csv 2>/dev/null | tail -n +2 | cut -d, -f1)
    for word in (commandline -opc)[2..-1]
        if contains -- $word $verbs
            echo $word
            return
        end
    end
    return 1
end

function __gbrun_is
    contains -- "$(__gbrun_verb)" $argv
end

# The option that the word is the value of.
function __gbrun_after
    contains -- (commandline -opc)[-1] $argv
end

function __gbrun_options
    set -l verb (__gbrun_verb; or echo run)
    __gbrun_entries keywords $verb
end

# The last item of a list with commas.
function __gbrun_columns
    set -l before (string match -r '.*,' -- (commandline -ct))
    __gbrun_entries columns | sed "s/^/$before/"
end

function __gbrun_words
    set -l words (commandline -opc)
    if test $words[-1] = help
        __gbrun_entries keywords
    else
        __gbrun_entries keywords $words[-1]
    end
end

function __gbrun_configurations
    set -l files *.ini
    printf '%s\n' $files
end

set -l takes_columns --columns --sort --group-by --pivot
complete -c gbrun -f
complete -c gbrun -n 'not __gbrun_verb >/dev/null; and not __gbrun_after -c --config' -a '(__gbrun_entries verbs)'
complete -c gbrun -n 'string match -q -- "-*" (commandline -ct)' -a '(__gbrun_options)'
complete -c gbrun -n "__gbrun_after $takes_columns" -a '(__gbrun_columns)'
complete -c gbrun -n '__gbrun_after -f --format' -a 'table csv json jsonl md'
complete -c gbrun -n '__gbrun_after --rows' -a 'case sample combined'
complete -c gbrun -n '__gbrun_after -c --config' -a '(__fish_complete_suffix .ini)'
complete -c gbrun -n '__gbrun_after -p --plugin-path' -a '(__fish_complete_directories)'
complete -c gbrun -n '__gbrun_after -o --output --plot -R --resume --roofs' -F
complete -c gbrun -n 'not __gbrun_verb >/dev/null; or __gbrun_is run check' -a '(__gbrun_configurations)'
complete -c gbrun -n '__gbrun_is list' -a 'cases plugins devices counters runs verbs columns keywords'
complete -c gbrun -n '__gbrun_is help' -a '(__gbrun_words)'
complete -c gbrun -n "__gbrun_is show export merge compare log report replay search; and not __gbrun_after $takes_columns" -F
