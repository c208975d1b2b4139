#!/usr/bin/env bash
# test_screen.sh - what a person sees: on terminals of several widths, in colours or without, and in
# a pipe.
. "${top_srcdir:-.}/tests/tap.sh"
gbrun=${top_builddir:-.}/gbrun
escape=$(printf '\033')
unset NO_COLOR CLICOLOR CLICOLOR_FORCE
cd "$TMPDIR" || exit 99
case $gbrun in /*) ;; *) gbrun=$OLDPWD/$gbrun ;; esac

few_samples 50 '[bench copies]' 'plugin = copy' 'sweep.bytes = 1KiB, 2KiB, 4KiB' '[bench products]' \
    'plugin = multistream_matmul' 'problems = 2' 'rows = 4' 'cols = 4' 'aligned = 64' 'sweep.streams = 1, 2' >cases.ini

# on_terminal COLUMNS COMMAND: runs the command on a terminal that wide; raw has all that it wrote.
on_terminal()
{
    TERM=${TERM-xterm} script -qec "stty cols $1 rows 30 -echo; $2" /dev/null </dev/null >raw 2>&1
}

# screen: the lines that are left of raw, as a terminal shows them.
screen()
{
    LC_ALL=C awk -v escape="$escape" '
        function put(text) { if (text != "") { line[row] = substr(line[row], 1, column) text; column += length(text) } }
        BEGIN { RS = "\001"; row = 0; column = 0 }
        {
            text = $0
            while (match(text, /[\r\n]|\033\[[0-9;]*[A-Za-z]/)) {
                put(substr(text, 1, RSTART - 1))
                what = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                if (what == "\r") column = 0
                else if (what == "\n") most = ++row > most ? row : most
                else if (what ~ /A$/) row -= substr(what, 3) + 0
                else if (what ~ /J$/) { line[row] = substr(line[row], 1, column); for (i = row + 1; i < 1000; i++) delete line[i] }
                else if (what ~ /K$/) line[row] = substr(line[row], 1, column)
            }
            put(text)
        }
        END { for (i = 0; i < most; i++) print line[i] }' raw
}

# widest: columns of the widest line; bytes that continue a code point are none.
widest()
{
    LC_ALL=C tr -d '\200-\277' | awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }'
}

# sees FILE: whether it has colours, other sequences, or neither.
sees()
{
    if grep -q "$escape\[3[0-9]m" "$1"; then
        echo colours
    else
        grep -q "$escape" "$1" && echo sequences || echo text
    fi
}

if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    skip 'terminals' 'script(1) is missing'
else
    for columns in 60 80 200; do
        TERM=xterm on_terminal "$columns" "'$gbrun' run -c cases.ini -o $columns.gbr"
        screen >shown
        equals "at $columns columns each case is there once" "3 2" \
            "$(grep -c '^copies\|^[0-9]/5 *copies' shown) $(grep -c '^products\|^[0-9]/5 *products' shown)"
        [ "$columns" -lt 80 ] || equals "at $columns columns the machine comes first, on one line" "1 2" \
            "$(grep -n 'wall clock: resolution' shown | cut -d: -f1 | head -n 1) $(grep -n '^$' shown | head -n 1 | cut -d: -f1)"
        succeeds "at $columns columns each line fits" test "$(widest <shown)" -le "$columns"
        [ "$columns" -lt 80 ] || succeeds "at $columns columns there is a rate" grep -q '^bench.*GB/s' shown
        grep -q '^bench.*stop reason' shown
        equals "at $columns columns there is the reason to stop" "$((columns > 100))" "$((!$?))"
    done
    few_samples 50 "[bench a_copy_with_a_name_of_more_than_30_letters]" 'plugin = copy' 'sweep.bytes = 1KiB, 2KiB' >long.ini
    TERM=xterm on_terminal 60 "'$gbrun' run -c long.ini -o long.gbr"
    succeeds 'a long name leaves room for the time' grep -q "^${escape}\[J1/2  a_copy.*=1024  [0-9.]* [mun]*s" <(tr '\r' '\n' <raw)
    TERM=xterm on_terminal 200 "'$gbrun' run -c cases.ini -o again.gbr"
    succeeds 'on a terminal there is a live line' grep -q '\] [0-9]/5' raw
    succeeds 'which has an interval so far' grep -q "n=50\|±" raw
    equals 'and colours' colours "$(sees raw)"
    while IFS='|' read -r name expected variables options; do
        # shellcheck disable=SC2163 # NAME=VALUE
        ([ -z "$variables" ] || export "$variables"; on_terminal 200 "'$gbrun' show 200.gbr $options")
        equals "$name" "$expected" "$(sees raw | sed 's/sequences/text/')"
    done <<'LIST'
NO_COLOR takes colours away|text|NO_COLOR=1|
so does CLICOLOR=0|text|CLICOLOR=0|
and --color never|text||--color never
--color always wins over NO_COLOR|colours|NO_COLOR=1|--color always
LIST
    TERM=dumb on_terminal 80 "'$gbrun' run -c cases.ini -o dumb.gbr"
    equals 'a dumb terminal gets no sequences' text "$(sees raw)"
    succeeds 'but a line for each case' grep -q '^5/5  products' raw
    TERM=xterm on_terminal 80 "'$gbrun' run -c cases.ini -o file.gbr >table"
    equals 'a table in a file has no colours' text "$(sees table)"
    screen >shown
    succeeds 'and the terminal keeps the lines of cases' grep -q '^5/5  products' shown
fi

"$gbrun" run -c cases.ini -o pipe.gbr >piped 2>&1
succeeds 'a pipe gets a line for each case' grep -q '^5/5  products' piped
equals 'and no sequences' text "$(sees piped)"
while IFS='|' read -r name expected variables arguments; do
    # shellcheck disable=SC2086 # words
    env $variables "$gbrun" $arguments >piped
    equals "$name" "$expected" "$(sees piped)"
done <<'LIST'
CLICOLOR_FORCE colours a pipe|colours|CLICOLOR_FORCE=1|show pipe.gbr
unless NO_COLOR is set|text|CLICOLOR_FORCE=1 NO_COLOR=1|show pipe.gbr
or it is 0|text|CLICOLOR_FORCE=0|show pipe.gbr
doctor has colours|colours||doctor --color always
compare has them for verdicts|colours||compare pipe.gbr --by streams --base 1 --color always
Markdown has none|text||show pipe.gbr --format md --color always
LIST
equals 'other words for --color are refused' \
    'gbrun: error: --color blue: expected auto, always or never' "$("$gbrun" show pipe.gbr --color blue 2>&1)"
finish
