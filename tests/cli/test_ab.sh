#!/usr/bin/env bash
# `gbrun ab`: sides, verdicts, stopping, going on after a kill, two builds. The device `fake` (tests/modules) takes the
# times that its options say, so that verdicts do not depend on the machine.
. "$top_srcdir/tests/tap.sh"
with_modules

# ab CODE NAME ARGUMENT...: out.txt, err.txt; the exit code.
ab()
{
    exits "$2" "$1" "$GBRUN" ab "${@:3}"
}

# ab_each <<TABLE: lines of CODE|NAME|ROWS|COLUMNS|ARGUMENT..., of comparisons of fake.ini as CSV.
ab_each()
{
    local expected name rows columns arguments
    while IFS='|' read -r expected name rows columns arguments; do
        eval "ab $expected '$name' -c fake.ini -f csv -o ab.gbr $arguments"
        equals "$name: verdicts" "$rows" "$(row "$columns")"
    done
}

# row COLUMN...: of each case in out.txt, a CSV, these columns by number.
row()
{
    awk -F, -v columns="$*" 'BEGIN {n = split(columns, c, " ")}
        NR > 1 {for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? "," : "\n"}' out.txt | paste -sd ' '
}

{
    few_samples 7 'device = quick' 'warmup = 0'
    section device quick fake
    section device twin fake
    section device later fake time=1.02us
    section device hardly fake time=1.005us
    section device noisy fake step=300ns
    section bench one process
    section bench other process
} >fake.ini

# ---- verdicts ----
ab 3 "2 % slower" -c fake.ini --new device=later -f csv -o ab.gbr
equals "2 % slower: after 27 rounds" "one,slower,27,27,sequential other,slower,27,27,sequential" "$(row 2 13 14 15 16)"
equals "2 % slower: by so much" "1.019 1.019" "$(awk -F, 'NR > 1 {printf "%.3f\n", $8}' out.txt | paste -sd ' ')"
cp out.txt first.txt
has "2 % slower: undecided before, then decided" err.txt "round 3: 0 of 2 decided; one 1.019, other 1.019" \
    "round 7: 0 of 2 decided; one 1.01942 [1.01872, 1.02011], other 1.01942 [1.01872, 1.02011]" \
    "round 27: 2 of 2 decided (2 slower)"
equals "no line for a visit" 0 "$(grep -c '^[0-9]*/' err.txt)"
# orders SEED: of each case, a block of two rounds a word: which side began in each of both.
orders()
{
    "$GBRUN" ab -c fake.ini --new device=later -q -s "gbrun.seed=$1" -o order.gbr >/dev/null
    column bench,round,side --sort sequence order.gbr | awk -F, '!(($1, $2) in begun) {
        begun[$1, $2] = 1
        if ($2 % 2) print $1 ":" before[$1] "-" $3
        before[$1] = $3}' | sort | paste -sd ' '
}
orders 1 >one.txt
orders 2 >two.txt
equals "blocks of two rounds begin with both sides" 26 "$(tr ' ' '\n' <one.txt | grep -cxE '(one|other):(base-new|new-base)')"
equals "both orders of a block come, and depend on the seed" "2 differ" \
    "$(tr ' ' '\n' <one.txt | cut -d: -f2 | sort -u | wc -l) $(cmp -s one.txt two.txt || echo differ)"
equals "each visit has a fresh process" "1" "$(column metric.made ab.gbr | sort -u)"
"$GBRUN" ab -c fake.ini --new device=later -q -s defaults.isolate=no -o shared.gbr >/dev/null
equals "not where [defaults] says so" 54 "$(column metric.made shared.gbr | sort -n | tail -n 1)"
exits "compare" 3 "$GBRUN" compare ab.gbr --by side --base base -f csv
equals "compare says the same" "$(cat first.txt)" "$(cat out.txt)"
ran "$GBRUN" compare ab.gbr --by side --base base --margin 3% -f csv
equals "compare under another margin" "changed changed" "$(row 13)"
equals "ratios in a table" "base, new,1.019" "$(column side,ratio --relative-to side=base --rows combined ab.gbr |
    sed 's/\(\.[0-9]\{3\}\)[0-9]*/\1/' | sort -u | paste -sd ' ')"
noisy=(--base device=noisy --new device=noisy --new seed=2 -s "policy few.samples=3" -s defaults.isolate=no)
ab_each <<'EOF'
0|2 % faster|one,faster other,faster|2 13|--base device=later
0|two devices that are the same|same,4 same,4|13 14|--new device=twin
0|less than the margin|changed changed|13|--new device=hardly
3|less than the margin, another margin|slower slower|13|--new device=hardly --margin 0.1%
0|one benchmark of two: the other is left out|one|2|--new one.device=twin
0|not decided, after so many rounds|unclear,5 unclear,5|13 14|"${noisy[@]}" --max-rounds 5
EOF
ab 3 "not decided, strictly" -c fake.ini "${noisy[@]}" --max-rounds 5 --strict -o noisy.gbr
has "not decided: a reason" out.txt "round by round: 2 not decided after 5"

# ---- what may differ: environment, plugin, policy; a side that fails ----
few_samples 7 'device = fake' '[bench process]' >process.ini
ab 0 "two environments" -c process.ini --base env.GBRUN_TEST=1 --new env.GBRUN_TEST=2 -f csv -o env.gbr
equals "two environments: in the sides' processes" "base,1 new,2" \
    "$(column side,metric.variable env.gbr | sort -u | paste -sd ' ')"
ab 0 "two plugins" -c process.ini --base plugin=good -f csv -o ab.gbr
equals "two plugins: verdict" "process,same" "$(row 2 13)"
ab 3 "a side that fails" -c process.ini --new plugin=failer -f csv -o ab.gbr
equals "a side that fails: it is not tried again" "broken 2" "$(row 13) $(rows ab.gbr | wc -l)"
ab 1 "both sides fail" -c process.ini --base plugin=failer --new plugin=failer -q -o ab.gbr

# ---- [ab NAME] ----
cat fake.ini - >sections.ini <<'EOF'
[ab slow]
new = device=later, other.seed=3
[ab same]
base = device=quick
new = device=twin
margin = 2%
EOF
{
    cat fake.ini
    printf '[ab wrong]\nbase = device=quick, sampels=3\nnew = device\nmargn = 3%%\nalpha = 70%%\n'
} >wrong.ini
line=$(grep -n '^\[ab' wrong.ini | cut -d : -f 1)
ab 2 "mistakes" -c wrong.ini
equals "mistakes: all of them, each once" \
    "1:22: error: unknown key 'sampels' in [bench one]: see 'gbrun help process' for its options
1:22: error: unknown key 'sampels' in [bench other]: see 'gbrun help process' for its options
2:7: error: 'device': expected KEY=VALUE or BENCH.KEY=VALUE, such as plugin=./old.so
3:1: error: unknown key 'margn' in [ab wrong]; did you mean 'margin'?
4:9: error: alpha = 70% is out of range: expected 0.01%:50%" \
    "$(awk -F : -v OFS=: -v line="$line" 'sub(/^wrong.ini:/, "") { $1 -= line; print }' err.txt)"
ran "$GBRUN" check -c wrong.ini
equals "check finds those of the section" "3" \
    "$(awk -F : -v line="$line" '$1 == "wrong.ini" && $2 > line + 1' err.txt | wc -l)"
printf '[defaults]\ndevice = fake\n[bench process]\nsweep.seed = 1, 2\n' >axis.ini
try_each "$GBRUN" <<'EOF'
a section|3||ab -c sections.ini slow -q -o ab.gbr|  sides: as configured, now device=later, other.seed=3
another section, over which the command line goes|0||\
ab -c sections.ini same --new device=later --margin 5% -f json -o ab.gbr|"margin":0.05
which section?|2|sections.ini: error: which [ab NAME] is meant? there are slow, same|ab -c sections.ini
no such section|2|sections.ini: error: there is no [ab fast]; there is slow, same|ab -c sections.ini fast
a section is no matter of gbrun run|0||run -q -c sections.ini -o run.gbr
no sides|2|fake.ini: error: nothing tells the sides apart: expected --base KEY=VALUE or --new KEY=VALUE, or 'base' and 'new' in [ab NAME]|ab -c fake.ini
no value|2|--base: error: 'device': expected KEY=VALUE or BENCH.KEY=VALUE, such as plugin=./old.so|\
ab -c fake.ini --base device
a swept side|2|--new: error: 'sweep.seed': a side of ab gives one value to an option or setting: the cases of both sides are the same|ab -c fake.ini --new sweep.seed=1,2
what both sides share|2|--new: error: 'rounds' is always the same on both sides of ab: expected an option, a setting, plugin or env.NAME|ab -c fake.ini --new rounds=3
too few rounds|2|--max-rounds: error: max_rounds = 3 is out of range: expected 4:10000|\
ab -c fake.ini --new seed=1 --max-rounds 3
no plugin file to build|2|gbrun: error: there is nothing to build: no [bench NAME] has a path as its plugin or library, such as plugin = ./NAME.so|ab -c fake.ini --new-build true
a build that fails|2|gbrun: error: --base-build 'false': ended with code 1|ab -c fake.ini --base-build false
an axis of one side|2|~axis.ini:3:1: error: [bench process]: the base has 2 cases and the other side 1: a side must not change an axis|ab -c axis.ini --new seed=1
an axis that both sides change|0||ab -c axis.ini --base seed=1 --new seed=2 -q -o ab.gbr
EOF

# ---- killed in the middle ----
# The fourth round is not finished before there is log.go.
sed "s|plugin = process|plugin = beside\nlog = $TMPDIR/log\nheld_after = 15|" fake.ini >killed.ini
mkfifo err
"$GBRUN" ab -c killed.ini "${noisy[@]}" --max-rounds 12 -o killed.gbr >/dev/null 2>err &
heard 'round 3:*' <err
kill -9 $!
wait $! 2>/dev/null
: >log.go
"$GBRUN" run -q -c fake.ini -o plain.gbr >/dev/null
try_each "$GBRUN" <<'EOF'
run does not go on with it|2|gbrun: error: --resume killed.gbr: the run is one of `gbrun ab`: expected gbrun ab --resume|\
run --resume killed.gbr
it has its sides|2||ab --resume killed.gbr --new seed=3
a run that is none of ab|2|~the run is not of `gbrun ab`: expected gbrun run --resume|ab --resume plain.gbr
EOF
ran "$GBRUN" ab --resume killed.gbr -f csv
cp out.txt resumed.txt
equals "each visit is there once" "$(rows killed.gbr | wc -l)" "$(column bench,side,round killed.gbr | sort -u | wc -l)"
equals "it went on until all was decided, or to the last round" "" \
    "$(awk -F, 'NR > 1 && $13 == "unclear" && $14 < 12' resumed.txt)"
ran "$GBRUN" compare killed.gbr --by side --base base -f csv
equals "compare says what the end said" "$(cat resumed.txt)" "$(cat out.txt)"

# ---- two builds ----
few_samples 20 'device = fake' '[device fake]' 'by_items = yes' 'time = 1ns' '[bench wait]' 'plugin = ./wait.so:lasting' \
    >wait.ini
cat >build.sh <<EOF
sed "s/10us/\$1ns/" "$top_srcdir/tests/modules/plain.c" >wait.c
${CC:-cc} -O0 -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" wait.c -o wait.so
EOF
built() # NAME SIDES: how long what was built says that it lasts.
{
    equals "$1" "$2" "$(column side,items ab.gbr | sort -u | paste -sd ' ')"
}
ab 3 "two builds" -c wait.ini --base-build 'sh build.sh 20000' --new-build 'sh build.sh 40000' -f csv -o ab.gbr
equals "two builds: verdict" "slower" "$(row 13)"
built "two builds: both are measured" "base,20000 new,40000"
ab 0 "only the base is built" -c wait.ini --base-build 'sh build.sh 80000' -q -o ab.gbr
built "only the base is built: the other is as it was" "base,80000 new,40000"
has "two builds: what differs" out.txt "build of lasting: "
ab 2 "a build that makes nothing" -c wait.ini --new-build 'rm wait.so'
has "a build that makes nothing: message" err.txt "wait.so cannot be copied to gbrun-ab-"
equals "no copies are left" "" "$(echo gbrun-ab-*/* | grep -v '\*')"
finish
