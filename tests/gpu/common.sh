# common.sh - what the scripts here share: source it after tap.sh.
# shellcheck shell=bash

# Why gbrun cannot use a GPU here; nothing if it can.
why_no_gpu()
{
    local devices
    devices=$("$GBRUN" list devices 2>&1)
    grep -q '^cuda:0 ' <<<"$devices" && return
    devices=$(sed -n 's/^cuda: absent: //p' <<<"$devices")
    echo "no GPU: ${devices:-gbrun was built without the device cuda}"
}

# need_gpu: ends the script with 77 where there is none.
need_gpu()
{
    local reason
    reason=$(why_no_gpu)
    if [ -n "$reason" ]; then
        echo "$reason"
        exit 77
    fi
}

n_gpus()
{
    "$GBRUN" list devices 2>/dev/null | grep -c '^cuda:[0-9]'
}

# run CONFIGURATION [ARGUMENT]...: measures it afresh into results.gbr; sets code; table.txt is the
# table, text.txt what went to standard error.
run()
{
    rm -f results.gbr
    "$GBRUN" -c "$@" >table.txt 2>text.txt
    code=$?
}

# column NAMES [WHERE]: of each case of results.gbr one line, the columns with commas between.
column()
{
    "$GBRUN" export --format csv --columns "$1" ${2:+--where "$2"} results.gbr 2>&1 |
        tail -n +2 | tr -d '\r'
}

# in_a_line COMMAND...: what it prints, with blanks between the lines.
in_a_line()
{
    "$@" | tr '\n' ' ' | sed 's/ $//'
}

# all_fine NAME: the run ended with 0, and each case is ok and verified or unchecked; else shows what
# was said.
all_fine()
{
    local wrong
    wrong=$(column status,verified,label,status_text | grep -v '^ok,\(ok\|unchecked\),')
    if [ "$code" = 0 ] && [ -z "$wrong" ] && [ -s results.gbr ]; then
        pass "$1"
    else
        fail "$1" "exit code $code" "$wrong" "$(tail -n 20 text.txt)"
    fi
}

# number_of_cases N: as many are in results.gbr.
number_of_cases()
{
    equals "$1 cases were measured" "$1" "$(column status | grep -c .)"
}
