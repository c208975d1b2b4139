#!/usr/bin/env bash
# `gbrun help`: every verb, section, plugin and option is explained, fits a terminal, and stands in
# the manual pages, which groff formats without a complaint.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

gbrun()
{
    "$GBRUN" "$@" </dev/null
}

# The first words of the indented lines under a heading of the overview.
verbs=$(gbrun help | awk '/^verbs:/ { inside = 1; next } !NF { inside = 0 } inside { print $1 }')
equals "the overview lists the verbs" "run list check help show export merge report replay doctor" \
    "$(printf '%s\n' "$verbs" | paste -sd ' ')"
equals "--help and -h print the overview" "$(gbrun help; gbrun help)" "$(gbrun --help; gbrun -h)"
equals "--version names version and ABI" 1 \
    "$(gbrun --version | grep -cE '^gbrun [0-9.]+ \(plugin ABI [0-9]+\.[0-9]+\)$')"

pages=$top_srcdir/docs/man
for verb in $verbs; do
    help=$(gbrun help "$verb")
    if [[ $help == "usage: gbrun $verb"* ]]; then
        pass "help $verb begins with its usage"
    else
        fail "help $verb begins with its usage" "$help"
    fi
    equals "gbrun $verb --help is the same" "$help" "$(gbrun "$verb" --help)"
    equals "gbrun(1) has $verb" 1 "$(grep -cxF "@OPTIONS $verb@" "$pages/gbrun.1.in")"
done

ids=$(gbrun list plugins --format csv | tail -n +2 | cut -d, -f2 | sort -u)
for name in gbrun bench $ids; do
    if help=$(gbrun help "$name") && [ -n "$help" ]; then
        pass "help $name says something"
    else
        fail "help $name says something" "$help"
    fi
    case $name in
    skeleton | nop) continue ;; # not installed; without options
    esac
    equals "gbrun.ini(5) has $name" 1 "$(grep -cxF "@OPTIONS $name@" "$pages/gbrun.ini.5.in")"
    rows=$(gbrun help --markdown "$name" | grep -c '^| `')
    equals "help --roff $name has as many options as the Markdown table" "$rows" \
        "$(gbrun help --roff "$name" | grep -cx '\.TP')"
done

# But for the paths of modules, which are as long as they are.
for name in $verbs gbrun bench $ids; do
    equals "help $name fits 100 columns" "" \
        "$(gbrun help "$name" | LC_ALL=C.UTF-8 awk '!/^module: / && length > 100')"
done

equals "help on an option finds it in its plugin" 1 \
    "$(gbrun help precision | grep -c '^policy steady: precision$')"
gbrun help no_such_thing >out 2>&1
equals "help on nothing known is an error of usage" \
    "2 gbrun: error: help no_such_thing: no verb, plugin, section or option is called so" \
    "$? $(cat out)"

for page in gbrun.1 gbrun.ini.5; do
    if ! sh "$top_srcdir/docs/man/expand.sh" "$GBRUN" 0 "$pages/$page.in" >"$page" 2>errors; then
        fail "$page is filled in" "$(cat errors)"
        continue
    fi
    equals "$page has nothing left to fill in" "" "$(grep -n '@[A-Z]' "$page")"
    if command -v groff >/dev/null; then
        # Paragraphs that cannot be justified are no mistakes.
        equals "$page is formatted without a complaint" "" \
            "$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | grep -v 'adjust line')"
    else
        skip "$page is formatted without a complaint" "there is no groff"
    fi
done

finish
