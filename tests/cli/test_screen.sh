#!/usr/bin/env bash
# test_screen.sh - what a person sees: on terminals of several widths, in colours or without, and in
# a pipe.
. "${top_srcdir:-.}/tests/tap.sh"
gbrun=${top_builddir:-.}/gbrun
escape=$(printf '\033')
unset NO_COLOR CLICOLOR CLICOLOR_FORCE
cd "$TMPDIR" || exit 99
case $gbrun in /*) ;; *) gbrun=$OLDPWD/$gbrun ;; esac

{
    few_samples 50
    printf '[bench copies]\nplugin = copy\nsweep.bytes = 1KiB, 2KiB, 4KiB\n'
    printf '[bench products]\nplugin = multistream_matmul\nproblems = 2\nrows = 4\ncols = 4\n'
    printf 'aligned = 64\nsweep.streams = 1, 2\n'
} >cases.ini

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

has_colours()
{
    grep -q "$escape\[3[0-9]m" "$1"
}

if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    skip 'terminals' 'script(1) is missing'
else
    for columns in 60 80 200; do
        TERM=xterm on_terminal "$columns" "'$gbrun' run -c cases.ini -o $columns.gbr"
        screen >shown
        for label in 'copies' 'products'; do
            expected=3
            [ "$label" = copies ] || expected=2
            equals "at $columns columns each case of $label is there once" "$expected" \
                "$(grep -c "^$label\|^[0-9]/5 *$label" shown)"
        done
        [ "$columns" -lt 80 ] || equals "at $columns columns the machine comes first, on one line" "1 2" \
            "$(grep -n 'wall clock: resolution' shown | cut -d: -f1 | head -n 1) $(grep -n '^$' shown | head -n 1 | cut -d: -f1)"
        if [ "$(widest <shown)" -le "$columns" ]; then
            pass "at $columns columns each line fits"
        else
            fail "at $columns columns each line fits" "$(cat shown)"
        fi
        [ "$columns" -lt 80 ] || succeeds "at $columns columns there is a rate" grep -q '^bench.*GB/s' shown
        grep -q '^bench.*stopped because' shown
        equals "at $columns columns there is the reason to stop" "$((columns > 100))" "$((!$?))"
    done
    succeeds 'on a terminal there is a live line' grep -q '\] [0-9]/5' raw
    succeeds 'which has an interval so far' grep -q "n=50\|±" raw
    succeeds 'and colours' has_colours raw

    NO_COLOR=1 on_terminal 200 "'$gbrun' show 200.gbr"
    equals 'NO_COLOR takes colours away' no "$(has_colours raw && echo yes || echo no)"
    CLICOLOR=0 on_terminal 200 "'$gbrun' show 200.gbr"
    equals 'so does CLICOLOR=0' no "$(has_colours raw && echo yes || echo no)"
    on_terminal 200 "'$gbrun' show 200.gbr --color never"
    equals 'and --color never' no "$(has_colours raw && echo yes || echo no)"
    NO_COLOR=1 on_terminal 200 "'$gbrun' show 200.gbr --color always"
    equals '--color always wins over NO_COLOR' yes "$(has_colours raw && echo yes || echo no)"
    TERM=dumb on_terminal 80 "'$gbrun' run -c cases.ini -o dumb.gbr"
    equals 'a dumb terminal gets no sequences' no "$(grep -q "$escape" raw && echo yes || echo no)"
    succeeds 'but a line for each case' grep -q '^5/5  products' raw
    TERM=xterm on_terminal 80 "'$gbrun' run -c cases.ini -o file.gbr >table"
    equals 'a table in a file has no colours' no "$(grep -q "$escape" table && echo yes || echo no)"
    screen >shown
    succeeds 'and the terminal keeps the lines of cases' grep -q '^5/5  products' shown
fi

"$gbrun" run -c cases.ini -o pipe.gbr >piped 2>&1
equals 'a pipe gets no sequences' no "$(grep -q "$escape" piped && echo yes || echo no)"
succeeds 'but a line for each case' grep -q '^5/5  products' piped
CLICOLOR_FORCE=1 "$gbrun" show pipe.gbr >piped
equals 'CLICOLOR_FORCE colours a pipe' yes "$(has_colours piped && echo yes || echo no)"
CLICOLOR_FORCE=1 NO_COLOR=1 "$gbrun" show pipe.gbr >piped
equals 'unless NO_COLOR is set' no "$(has_colours piped && echo yes || echo no)"
CLICOLOR_FORCE=0 "$gbrun" show pipe.gbr >piped
equals 'or it is 0' no "$(has_colours piped && echo yes || echo no)"
"$gbrun" doctor --color always >piped
equals 'doctor has colours' yes "$(has_colours piped && echo yes || echo no)"
"$gbrun" compare pipe.gbr --by streams --base 1 --color always >piped
equals 'compare has them for verdicts' yes "$(has_colours piped && echo yes || echo no)"
"$gbrun" show pipe.gbr --format md --color always >piped
equals 'Markdown has none' no "$(grep -q "$escape" piped && echo yes || echo no)"
equals 'other words for --color are refused' \
    'gbrun: error: --color blue: expected auto, always or never' "$("$gbrun" show pipe.gbr --color blue 2>&1)"
finish
