#!/usr/bin/env bash
# Searches that break their rules, crash, hang, lie or never end: they cost nothing but themselves, and what was
# measured stays. Searches that are killed in the middle go on as if they had not been.
. "$top_srcdir/tests/tap.sh"
with_modules

{ few_samples 10 'device = exact' 'iterations = 1' 'max_time = 100 s'; section device exact fake step=0ns; } >exact.ini

# --- hostile searches: an honest one comes after it, in the same run ---------------------------------

cat exact.ini - >hostile.ini <<END
$(section search bad hostile 'time_limit=60 s' 'goal=min factor')
$(section search fine exhaustive)
$(section bench good good search=bad 'sweep.factor=5, 2, 3, 1')
$(section bench after good search=fine 'sweep.factor=9, 7')
$(section bench beside good)
END

# hostile WAY KEY TEXT VISITS [SETTING]...: the search ends so, having had so many visits; all else is as it was.
hostile()
{
    local way=$1 key=$2 text=$3 visits=$4
    shift 4
    rm -f results.gbr
    exits "$way: the run's exit code" 0 hurry "$GBRUN" run -q -c hostile.ini -s "search bad.way=$way" "$@"
    "$GBRUN" search >searches.txt
    column bench --sort sequence >benches.txt
    equals "$way: nothing is claimed" "search bad (hostile): nothing is claimed" \
        "$(sed 's/, after .* of measuring$//; q' searches.txt)"
    equals "$way: $key" "$text" "$(sed -n "s/^  $key *//p" searches.txt | head -n 1)"
    [ "$visits" = - ] || equals "$way: its visits are stored" "$visits" "$(grep -c '^good\|^wrong' benches.txt)"
    equals "$way: the others are measured, and searched" "beside after after 1" \
        "$(grep '^beside\|^after' benches.txt | tr '\n' ' ')$(grep -c 'best of all 2 cases' searches.txt)"
}
hostile missing ended "the search proposed case 11, which does not exist: there are 4" 2
hostile action ended "the search proposed an unknown action: 77" 2
hostile repeat ended "the search proposed case 0 more often than 100 times" 100
hostile samples ended "the search proposed 18446744073709551615 samples: expected at most 1000000" 2
hostile wait ended "the search waits although nothing is being measured" 2
hostile crash ended "the search crashed (SIGSEGV) in the search" 2
equals "crash: what was measured is counted" "2 of 4 cases, 2 of them ok, in 2 visits" \
    "$("$GBRUN" search | sed -n 's/^  measured *//p' | head -n 1)"
equals "crash: the best of it is shown" "good factor=2" "$("$GBRUN" search | sed -n 's/^  best visit *//p' | head -n 1)"
hostile words ended "the search is done" 2
succeeds "words: what it prints is cut, and counted" \
    grep -q '^\[bad\] [1-9][0-9]* more lines: at most 1000 of a search are shown$' err.txt
within_bytes=$(wc -c <err.txt)
equals "words: it does not fill a disk" yes "$([ "$within_bytes" -lt 5000000 ] && echo yes || echo "$within_bytes")"
hostile exit ended "the search crashed (exit 0) in the search" 2
hostile text ended '?[2Jall is well best: nop?' 2
hostile create ended "the search failed: does not like the space" 0
hostile fail_observe ended "the search failed: observe returned status -1" 2
hostile report ended "the search crashed (SIGABRT) in the search" 2
hostile claim note "nothing is claimed: the search claims the best of all cases, of which 2 were not measured" 2
hostile wrong note "nothing is claimed: the search calls case 3 the best, which was not measured as ok" 2
hostile lie note "nothing is claimed: the search has ruled out case 1, whose samples are better than the best's" 2
hostile list note "nothing is claimed: the search lists cases as not ruled out that do not exist" 2
for way in hang_create hang hang_observe hang_report; do
    hostile "$way" ended "the search did not answer: time_limit = 60.0 s" "$([ "$way" = hang_create ] && echo 0 || echo 2)"
done
hostile slow ended "the search spent its budget on its own computing: budget = 400 s" - -s 'search bad.budget=400 s' \
    -s 'search bad.time_limit=400 s'
hostile never ended "the search proposed case 0 more often than 100 times" 400
hostile never ended "budget = 1.00 us" 1 -s 'search bad.budget = 1us'
hostile many ended "the search is done" 3 -s defaults.max_time=1ms

# --- stopped by the user, while a search takes its time ----------------------------------------------

rm -f results.gbr
mkfifo told
HURRY_TELL=told "$GBRUN" run -q -c hostile.ini -s 'search bad.way=hang' -s 'search bad.time_limit=60 min' >out.txt 2>err.txt &
read -r _ <told
kill -INT $!
wait $!
equals "a run that is stopped does not wait for its search: exit code" 1 $?
equals "and its search has not ended" 1 "$("$GBRUN" search | grep -c '^search bad (hostile): has not ended')"

# --- killed in the middle, and resumed ------------------------------------------------------------------

cat <(grep -v max_time exact.ini) - >long.ini <<'END'
[search any]
goal = min (factor - 13) * (factor - 13) + size
samples = 2
[bench good]
search = any
sweep.factor = 10:15
sweep.size = 1, 2, 3
END
order()
{
    column factor,size,round,n_samples --sort sequence "$1" 2>/dev/null
}
# facts FILE: how its search ended, without times.
facts()
{
    "$GBRUN" search "$1" | sed 's/, after .*//' | grep -v '^ *[0-9.]* [a-z]*s  \|^ *after  visit'
}
# again SEARCH N: run whole, and killed at the Nth message to a worker; the two are the same.
again()
{
    rm -f whole.gbr killed.gbr
    sed "s/^\[search any\]/&\nplugin = $1/" long.ini >this.ini
    [ "$1" = local ] || [ "$1" = random ] || [ "$1" = guided ] || sed -i '/^samples = 2/d' this.ini
    [ "$1" != random ] || sed -i 's/^samples = 2/&\ncases = 15/' this.ini
    "$GBRUN" run -q -c this.ini -o whole.gbr >out.txt 2>err.txt
    { at_call "$2" wire supervisor 9 "$GBRUN" run -q -c this.ini -o killed.gbr; } >out.txt 2>&1
    order killed.gbr >before.txt
    equals "$1: killed in the middle" 1 $(($(wc -l <before.txt) > 2 && $(wc -l <before.txt) < $(order whole.gbr | wc -l)))
    exits "$1: resumed, exit code" 0 "$GBRUN" run -q --resume killed.gbr
    equals "$1: what was measured stays" "$(cat before.txt)" "$(order killed.gbr | head -n "$(wc -l <before.txt)")"
    equals "$1: the same proposals, in the same order" "$(order whole.gbr)" "$(order killed.gbr)"
    equals "$1: the same claim" "$(facts whole.gbr)" "$(facts killed.gbr)"
    "$GBRUN" run -q --resume killed.gbr >out.txt 2>err.txt
    equals "$1: replayed from the file, the same again" "$(order whole.gbr)$(facts whole.gbr)" \
        "$(order killed.gbr)$(facts killed.gbr)"
}
again local 20
again random 20
again race 70

# One that chooses by its own clock cannot go on: what it had measured stays.
sed 's/^\[search any\]/&\nplugin = hostile\nway = moody/; /^samples = 2/d' long.ini >moody.ini
rm -f moody.gbr
"$GBRUN" run -q -c moody.ini -o moody.gbr >out.txt 2>err.txt
order moody.gbr >before.txt
"$GBRUN" run -q --resume moody.gbr >out.txt 2>err.txt
equals "a search that does not repeat itself is ended" 1 \
    "$("$GBRUN" search moody.gbr | grep -c '^  ended  *the search is not deterministic: it proposed visit ')"
equals "and nothing is measured for it" "$(cat before.txt)" "$(order moody.gbr)"
finish
