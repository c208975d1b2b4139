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
equals "the overview lists the verbs" "run list check help show export merge compare ab judge call command log bisect report replay search new doctor" \
    "$(printf '%s\n' "$verbs" | paste -sd ' ')"
equals "--help and -h print the overview" "$(gbrun help; gbrun help)" "$(gbrun --help; gbrun -h)"
equals "--version names version and ABI" 1 \
    "$(gbrun --version | grep -cE '^gbrun [0-9.]+ \(plugin ABI [0-9]+\.[0-9]+\)$')"

# The text of each topic; but for the paths of modules, which are as long as they are, it fits 100 columns.
declare -A texts=()
# read_help NAME
read_help()
{
    help=$(gbrun help "$1")
    texts[$1]=$help
    equals "help $1 fits 100 columns" "" "$(LC_ALL=C.UTF-8 awk '!/^module: / && length > 100' <<<"$help")"
}
pages=$top_srcdir/docs/man
for verb in $verbs; do
    read_help "$verb"
    equals "help $verb begins with its usage" "usage: gbrun $verb" "${help:0:$((13 + ${#verb}))}"
    equals "gbrun $verb --help is the same" "$help" "$(gbrun "$verb" --help)"
    rows=$(gbrun help --markdown "$verb" | grep -c '^| `-')
    equals "list keywords $verb has the options of its help" "$rows" \
        "$(gbrun list keywords "$verb" --format csv | tail -n +2 | grep -c '^--')"
    equals "gbrun(1) has $verb" 1 "$(grep -cxF "@OPTIONS $verb@" "$pages/gbrun.1.in")"
done

ids=$(gbrun list plugins --format csv | tail -n +2 | cut -d, -f2 | sort -u)
for name in gbrun bench $ids; do
    read_help "$name"
    [ -n "$help" ] || fail "help $name says something"
    case $name in
    skeleton | nop) continue ;; # not installed; without options
    esac
    equals "gbrun.ini(5) has $name" 1 "$(grep -cxE "@(OPTIONS|PLUGIN [a-z]+) $name@" "$pages/gbrun.ini.5.in")"
    rows=$(gbrun help --markdown "$name" | grep -c '^| `')
    equals "help --roff $name has as many options as the Markdown table" "$rows" \
        "$(gbrun help --roff "$name" | grep -cx '\.TP')"
done

# ---- words ----

# Every word that is listed is explained by its topic, and found there, of which one is tried in each (LONG: all); and
# what is listed is all that tables and exports show.
gbrun list keywords --format csv | tail -n +2 | tr -d '\r"' | cut -d, -f1,2 | sort -u | sort -t, -k2,2 -s >words.csv
unknown=$(tried=
while IFS=, read -r word topic; do
    [ "$topic" != verbs ] || continue
    [ -n "${texts[$topic]-}" ] || texts[$topic]=$(gbrun help "$topic")
    if [ "$topic" != "$tried" ] || [ -n "${LONG-}" ] || [[ ${texts[$topic]} != *"$word"* ]]; then
        gbrun help "$topic" "${word#--}" | grep -qF -e "$word" || echo "$topic $word"
    fi
    tried=$topic
done <words.csv)
equals "each word of list keywords is explained" "" "$unknown"
for word in sections '[gbrun]' defaults '[policy NAME]' gbrun bench plugin like device policy cache clock launch counters \
    rounds sweep sweep.rows zip let only exclude env.PATH check.abs check.bound check.floor duration '*' '?' '~' '!' \
    certified 'gave up' ok 'timed out' 0 4 COLUMNS median_ns relative_iqr 'rel. IQR' 'stop reason' pass_rate \
    time_ns all_centre_ns kind; do
    # shellcheck disable=SC2086 # several words may be given as they are
    (set -f; help=$(gbrun help $word 2>&1) && [ -n "$help" ]) ||
        fail "help explains '$word'" "$(set -f; gbrun help $word 2>&1)"
done
pass "help explains the words of configurations and tables"

few_samples 3 '[gbrun]' 'results = one.gbr' '[bench one]' 'plugin = nop' >one.ini
gbrun -c one.ini --quiet >/dev/null
gbrun list columns --format csv | tr -d '\r' >columns.csv
# columns_of TITLE: the columns that are documented under it, sorted.
columns_of()
{
    awk -F, -v title="$1" '$3 == title { print $1 }' columns.csv | sort
}
heads_of()
{
    gbrun "$@" 2>/dev/null | head -n 1 | tr -d '\r' | tr ',' '\n' | sort
}
cases=$(columns_of 'columns of cases')
equals "the columns of exports are documented" "$cases" "$(heads_of export one.gbr --relative-to 1)"
equals "and those of combined rows" "$cases" "$(heads_of export --rows combined one.gbr --relative-to bench=one)"
equals "and without a base there are no ratios" "ratio ratio_high ratio_low" \
    "$(grep -vxF -e "$(heads_of export one.gbr)" <<<"$cases" | paste -sd ' ')"
equals "and those of samples" "" "$(heads_of export --rows sample one.gbr | sed 's/^\(wall\|cpu\|thread\)_ns$/CLOCK_ns/' |
    grep -vxF -e "$(columns_of 'columns of samples')" -e "$cases")"
equals "and those of groups" "count pass_rate" \
    "$(gbrun show one.gbr --group-by bench --columns 'count,pass_rate,avg(median_ns),max(median_ns)' |
        grep -m 1 '^bench ' | tr -s ' ' '\n' | grep -xF -e "$(columns_of 'columns of groups')" | paste -sd ' ')"
equals "and those of replays" "$(columns_of 'columns of replays')" "$(heads_of replay one.gbr --format csv)"
members=$(columns_of 'further members of cases in JSON')
equals "and members of JSON" "$members" "$(gbrun export one.gbr --rows sample --format json |
    grep -oE '"[a-z]+":[[{]' | tr -d '":[{' | sort -u | grep -xF -e "$members")"
for list in plugins devices; do
    columns=$(columns_of "columns of list $list")
    equals "and those of list $list, also as JSON" "$columns
$columns" "$(heads_of list $list --format csv
        gbrun list $list --format json 2>/dev/null | sed -n 2p | grep -oE '"[a-z]+":' | tr -d '":' | sort)"
done
equals "and those of list cases" "$(columns_of 'columns of list cases')" "$(heads_of list cases -c one.ini --format csv)"
equals "and those of list keywords" "$(grep -F '"columns of list keywords' columns.csv | cut -d, -f1 | sort)" \
    "$(heads_of list keywords --format csv)"
equals "a list of cases as JSON" '{"case":"1","bench":"one"' \
    "$(gbrun list cases -c one.ini --format json | sed -n 2p | cut -d, -f1,2)"
equals "an empty one" "[]" "$(gbrun list counters none --format json 2>/dev/null)"
if command -v python3 >/dev/null; then
    succeeds "and all keywords are JSON" bash -c "'$GBRUN' list keywords --format json | python3 -m json.tool"
else
    skip "all keywords are JSON" "python3 is not installed"
fi
equals "list verbs lists the verbs" "$verbs" "$(gbrun list verbs --format csv | tail -n +2 | cut -d, -f1)"
# What stands over a table, in marks and in verdicts is explained.
for head in $(gbrun show one.gbr | sed -n '/^bench /s/stop reason//p' | sed 's/rel\. IQR//'); do
    gbrun help "$head" >/dev/null 2>&1 || fail "help explains the table's word $head"
done

equals "help on an option finds it in its plugin" 1 "$(gbrun help precision | grep -c '^policy steady: precision$')"
equals "a plugin and its option" "policy steady: precision" "$(gbrun help steady precision | head -n 1)"
equals "a verb and its option" "verb run: --config" "$(gbrun help run config | head -n 1)"
equals "a verb that is a column as well says so" "also: \`gbrun help columns run\`" "$(gbrun help run | tail -n 1)"

expected="expected a verb, a plugin, a topic, or a word that \`gbrun list keywords\` lists"
try_each "$GBRUN" <<TABLE
help on nothing known|2|gbrun: error: help: unknown name 'no_such_thing': $expected|help no_such_thing
a near miss|2|gbrun: error: help: unknown name 'medain_ns'; did you mean 'median_ns'?|help medain_ns
a near miss of an option|2|gbrun: error: help steady: unknown name 'precison'; did you mean 'precision'?|help steady precison
an option that a plugin does not have|2|gbrun: error: help steady: unknown name 'qqqqqq': \`gbrun help steady\` lists what \
there is|help steady qqqqqq
a word too many|2|gbrun: error: help: unknown name 'median_ns qqqqqq': $expected|help median_ns qqqqqq
an unknown topic of list keywords|2|gbrun: error: list keywords: unknown topic 'qq': \`gbrun help\` names the topics|\
list keywords qq
TABLE

# ---- width ----

for width in 60 140; do
    for name in run keys columns steady sweep; do
        equals "help $name fits $width columns" "" "$(COLUMNS=$width gbrun help $name |
            LC_ALL=C.UTF-8 awk -v most=$width '!/^(module|usage|also): / && length > most')"
    done
done
equals "wider help has fewer lines" 1 \
    $(($(COLUMNS=60 gbrun help keys | wc -l) > $(COLUMNS=140 gbrun help keys | wc -l)))

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
