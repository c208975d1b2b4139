#!/usr/bin/env bash
# test_ranges.sh - numbers of all tables that `gbrun help` knows: each has a range, takes its limits and refuses what is
# beyond, NaN, infinities and nothing, at its place. So of options of verbs that are numbers.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1

# TOPIC|KIND|NAME|TYPE|RANGE, KIND as in titles: section, keys, benchmark, device, policy, search.
"$GBRUN" help -f json | sed -n 's/^{"topic":"\([^"]*\)","title":"\([a-z]*\).*/\1 \2/p' >topics.txt
while read -r topic kind; do
    case $kind in
    section | keys | benchmark | device | policy | search)
        "$GBRUN" help -f json "$topic" | awk -v topic="$topic" -v kind="$kind" '
            /^{"topic"/ { index($0, "\"title\":\"" kind) && !/"title":"verb/ ? here = 1 : here = 0 }
            here && match($0, /^{"name":"[^"]*","type":"(int|float|bytes|duration)"/) {
                split(substr($0, RSTART, RLENGTH), words, "\"")
                range = /"range":null/ ? "" : $0
                if (range != "") { sub(/.*"range":"/, "", range); sub(/".*/, "", range) }
                print topic "|" kind "|" words[4] "|" words[8] "|" range
            }'
        ;;
    esac
done <topics.txt >numbers.txt
succeeds "tables have numbers" test "$(wc -l <numbers.txt)" -gt 130
equals "each with both ends of its range" "" "$(grep -v '|[^|:]*[^|:]:[^|:]*[^|:]$' numbers.txt)"

# write VALUE: every.ini gives all of them that value, or `low` and `high` their own ends; a line each.
write()
{
    awk -F '|' -v value="$1" '
        function section(topic, kind)
        {
            if (topic == "bench") return "[bench keys]\nplugin = nop\nsearch = keys"
            if (topic == "sides") return "[ab keys]"
            if (topic == "searches") return "[search keys]\nplugin = guided"
            if (topic == "gbrun") return "[gbrun]"
            if (kind == "benchmark") return "[bench " topic "]\nplugin = " topic
            return "[" kind " " topic "]"
        }
        # One more digit, or one less than 0.
        function beyond(end, type, is_low)
        {
            if (end == "inf") return end
            if (is_low) return type == "duration" && end == "1ms" ? "0.9 ms" : end ~ /^-/ ? end "0" : \
                end ~ /^0$/ ? "-1" : "0"
            return end ~ /^[0-9]+$/ ? end "1" : end ~ /\^/ ? "9e18" : "9" end
        }
        $1 == "bench" && $3 == "threads" { next } # of a plugin that has them: test_threads.sh
        value == "" && $1 == "skeleton" && $3 == "weights" { next } # an empty list
        $1 != last { print section($1, $2); last = $1 }
        {
            split($5, ends, ":")
            low = value == "low" || value == "below"
            if (low || value == "high" || value == "above") {
                is_beyond = value == "below" || value == "above"
                print $3 " = " (is_beyond ? beyond(ends[low ? 1 : 2], $4, low) : ends[low ? 1 : 2])
            } else
                print $3 " = " value
        }' <(grep -E "\|($kinds)\|" numbers.txt) >every.ini
    "$GBRUN" check -c every.ini >out.txt 2>err.txt
}
# The keys that were not refused for their number, where they stand, and those that were.
number="\(out of range: expected [^ ].*:\|' is not \|is too \|has no value\)"
lines() { sed -n "s/^every.ini:\([0-9]*\):[0-9]*: error: .*$number.*/\1/p" err.txt | sort -un; }
taken() { awk 'NR == FNR { refused[$1]; next } / = / && !/^(plugin|search) = / && !(FNR in refused)' <(lines) every.ini; }
refused() { awk 'NR == FNR { refused[$1]; next } FNR in refused' <(lines) every.ini; }

# Not more at a time than the errors that are shown.
for kinds in 'section|keys' benchmark 'device|policy|search'; do
    for value in low high; do
        write $value
        equals "the $value ends are accepted: $kinds" "" "$(refused)"
    done
    for value in nan -nan -inf 1e999 -1e999 x '' below; do
        write "$value"
        equals "'$value' is refused, at its place: $kinds" "" "$(taken)"
    done
    for value in inf above; do
        write $value
        equals "$value is refused, unless the range has it: $kinds" \
            "$(grep -E "\|($kinds)\|" numbers.txt | sed -n 's/^[^|]*|[^|]*|\([^|]*\)|.*:inf$/\1 = inf/p')" "$(taken)"
    done
done

# --- Options of verbs ---------------------------------------------------------------------------------

few_samples 3 'device = cpu' >bench.ini
printf '[bench nop]\nplugin = nop\n' >>bench.ini
printf '\n[ab]\nbase = iterations=1\nnew = iterations=2\n' | cat bench.ini - >sides.ini
"$GBRUN" -q -c bench.ini -o r.gbr >out.txt 2>&1
printf '{}' >space.json
# VERB|OPERANDS with which the option is read
while IFS='|' read -r verb words; do
    "$GBRUN" help -f json "$verb" | awk -v verb="$verb" '/^{"topic"/ { here = /"title":"verb/ }
        here && /"argument":"(N|RATIO|TIME|DURATION|CODE|FD|I\/N)"/ { split($0, word, "\""); print word[4] }' >options.txt
    while read -r option; do
        for value in nan -1 1e999 1/999999999 x ''; do
            # shellcheck disable=SC2086 # several words
            "$GBRUN" $verb "--$option=$value" $words >out.txt 2>err.txt </dev/null
            code=$?
            [ $code = 2 ] && grep -q -- "--$option" err.txt || echo "$verb --$option=$value: $code $(tail -n 1 err.txt)"
        done
    done <options.txt
done >wrong.txt <<'TABLE'
run|-q -c bench.ini
list|cases -c bench.ini
check|-c bench.ini
show|r.gbr
export|r.gbr
compare|r.gbr r.gbr
ab|-q -c sides.ini
judge|-c sides.ini
call|-q libc.so.6 int\40abs(int) 1
command|-q true
log|r.gbr
report|r.gbr
replay|r.gbr
search|--space space.json
TABLE
equals "numbers of verbs are refused, by their option" "" "$(cat wrong.txt)"
finish
