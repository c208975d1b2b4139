#!/usr/bin/env bash
# tests/golden/mistakes.md: each mistake gets the message that the page has, and no other. With UPDATE_GOLDEN=1 the page is
# written anew, to be looked at.
. "$top_srcdir/tests/tap.sh"
page=$top_srcdir/tests/golden/mistakes.md
modules=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99
mkdir folder
: >mine.c
printf '!<arch>\n' >other.so
# The first bytes of an ELF file: an object file (type 1), and a shared one (type 3) of AArch64 (183).
elf()
{
    # shellcheck disable=SC2059 # numbers in octal
    printf "$(printf '\\177ELF\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\%03o\\0\\%03o\\0\\1\\0\\0\\0' "$1" "$2")"
    head -c 40 /dev/zero
}
machine=$(od -An -tu1 -j18 -N1 "$GBRUN" | tr -d ' ')
elf 1 "$machine" >mine.o
elf 3 "$([ "$machine" = 183 ] && echo 62 || echo 183)" >arm.so
cp "$modules/wrong_abi.so" . || exit 99
export GBRUN_PLUGIN_PATH=$TMPDIR
printf '%s\n' '[bench copy]' 'bytes = 1k' >measured.ini
"$GBRUN" -q measured.ini --policy fixed -o e.gbr >table 2>&1 || fail "there is something to look at" "$(cat table)"

# message CELL TABLE: what gbrun says of what stands in the cell, without the names of other folders.
message()
{
    local text=${1//<br>/$'\n'}
    text=${text//\`/}
    text=${text//\\|/|}
    if [[ $text = gbrun* ]]; then
        cp measured.ini e.ini
        eval "'$GBRUN' ${text#gbrun}" 2>&1 >/dev/null
    else
        [[ $2 != Values && $2 != Keys && $2 != Expressions ]] || text="[bench copy]"$'\n'$text
        printf '%s\n' "$text" >e.ini
        "$GBRUN" check -c e.ini 2>&1 >/dev/null
    fi | grep -v '^gbrun: the machine is busy' | sed "s|$TMPDIR|.|g; s/the [0-9]* plugin folders/the 20 plugin folders/"
}

while IFS= read -r line; do
    case $line in
    '## '*) table=${line#\#\# } ;;
    '| `'*)
        cell=${line#| }
        cell=${cell%% | *}
        said=${line#"| $cell | "}
        said=${said%|}
        said=$(sed -E 's/^(`` ?|`)//; s/( ?``|`) *$//; s/\\\|/|/g' <<<"$said")
        got=$(message "$cell" "$table" | paste -sd '/')
        if [[ $cell = *arm.so* && $machine != 62 ]]; then
            skip "$cell" "the page is of x86-64"
        else
            equals "$cell" "$said" "$got"
        fi
        open='`' close='`'
        [[ $got != *'`'* ]] || open='`` ' close=' ``'
        line="| $cell | $open${got//|/\\|}$close |"
        ;;
    esac
    [ -z "${UPDATE_GOLDEN-}" ] || printf '%s\n' "$line" >>new.md
done <"$page"
[ -z "${UPDATE_GOLDEN-}" ] || cp new.md "$page"
equals "they are sixty and more" yes "$([ "$(grep -c '^| `' "$page")" -ge 60 ] && echo yes)"
finish
