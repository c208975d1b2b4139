#!/usr/bin/env bash
# `gbrun ab`: sides, verdicts, stopping, going on after a kill, two builds. The device `fake` (tests/modules) takes the
# times that its options say, so that verdicts do not depend on the machine.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs

# ab CODE NAME ARGUMENT...: out.txt, err.txt; the exit code.
ab()
{
    local expected=$1 name=$2 code
    shift 2
    "$GBRUN" ab "$@" >out.txt 2>err.txt
    code=$?
    equals "$name: exit code" "$expected" "$code"
}

# row COLUMN...: of each case in out.txt, a CSV, these columns by number.
row()
{
    awk -F, -v columns="$*" 'BEGIN {n = split(columns, c, " ")}
        NR > 1 {for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? "," : "\n"}' out.txt | paste -sd ' '
}

# has NAME FILE TEXT: a line has the text.
has()
{
    if grep -qF -- "$3" "$2"; then
        pass "$1"
    else
        fail "$1" "expected a line with: $3" "$(cat "$2")"
    fi
}

cat >fake.ini <<'EOF'
[defaults]
device = quick
policy = few
warmup = 0
[policy few]
plugin = fixed
samples = 7
[device quick]
plugin = fake
[device twin]
plugin = fake
[device later]
plugin = fake
time = 1.02us
[device hardly]
plugin = fake
time = 1.005us
[device noisy]
plugin = fake
step = 300ns
[bench one]
plugin = process
[bench other]
plugin = process
EOF

# ---- verdicts ----
ab 3 "2 % slower" -c fake.ini --new device=later -f csv -o ab.gbr
equals "2 % slower: after four rounds" "one,slower,4,4,sequential other,slower,4,4,sequential" "$(row 2 13 14 15 16)"
equals "2 % slower: by so much" "1.019 1.019" "$(awk -F, 'NR > 1 {printf "%.3f\n", $8}' out.txt | paste -sd ' ')"
cp out.txt first.txt
has "2 % slower: undecided before" err.txt "round 3: 0 of 2 decided; one 1.019, other 1.019"
has "2 % slower: decided" err.txt "round 4: 2 of 2 decided (2 slower)"
equals "no line for a visit" 0 "$(grep -c '^[0-9]*/' err.txt)"
equals "rounds begin with another side each" "base new base new new base new base base new base new new base new base" \
    "$("$GBRUN" export ab.gbr --columns side --sort sequence | tail -n +2 | tr -d '\r' | paste -sd ' ')"
"$GBRUN" compare ab.gbr --by side --base base -f csv >out.txt
equals "compare says the same: exit code" 3 $?
equals "compare says the same" "$(cat first.txt)" "$(cat out.txt)"
"$GBRUN" compare ab.gbr --by side --base base --margin 3% -f csv >out.txt
equals "compare under another margin" "changed changed" "$(row 13)"
"$GBRUN" export ab.gbr --relative-to side=base --rows combined --columns side,ratio | tail -n +2 | tr -d '\r' >out.txt
equals "ratios in a table" "base, new,1.019" "$(sed 's/\(\.[0-9]\{3\}\)[0-9]*/\1/' out.txt | sort -u | paste -sd ' ')"
ab 0 "2 % faster" -c fake.ini --base device=later -f csv -o ab.gbr
equals "2 % faster: verdicts" "one,faster other,faster" "$(row 2 13)"
ab 0 "two devices that are the same" -c fake.ini --new device=twin -f csv -o ab.gbr
equals "two devices that are the same: verdicts" "same,4 same,4" "$(row 13 14)"
ab 0 "less than the margin" -c fake.ini --new device=hardly -f csv -o ab.gbr
equals "less than the margin: verdicts" "changed changed" "$(row 13)"
ab 3 "less than the margin, another margin" -c fake.ini --new device=hardly --margin 0.1% -f csv -o ab.gbr
ab 0 "one benchmark of two" -c fake.ini --new one.device=twin -f csv -o ab.gbr
equals "one benchmark of two: the other is left out" "one" "$(row 2)"
ab 0 "not decided" -c fake.ini --base device=noisy --new device=noisy --new seed=2 -f csv \
    -s "policy few.samples=3" --max-rounds 5 -o noisy.gbr
equals "not decided: after so many rounds" "unclear,5 unclear,5" "$(row 13 14)"
ab 3 "not decided, strictly" -c fake.ini --base device=noisy --new device=noisy --new seed=2 --strict \
    -s "policy few.samples=3" --max-rounds 5 -o noisy.gbr
has "not decided: a reason" out.txt "round by round: 2 not decided after 5"

# ---- what may differ: environment, plugin, policy; a side that fails ----
{
    few_samples 7 'device = fake'
    printf '[bench process]\n'
} >process.ini
ab 0 "two environments" -c process.ini --base env.GBRUN_TEST=1 --new env.GBRUN_TEST=2 -f csv -o env.gbr
equals "two environments: in the sides' processes" "base,1 new,2" \
    "$("$GBRUN" export env.gbr --columns side,metric.variable | tail -n +2 | tr -d '\r' | sort -u | paste -sd ' ')"
ab 0 "two plugins" -c process.ini --base plugin=good -f csv -o ab.gbr
equals "two plugins: verdict" "process,same" "$(row 2 13)"
ab 3 "a side that fails" -c process.ini --new plugin=failer -f csv -o ab.gbr
equals "a side that fails: it is not tried again" "broken 2" "$(row 13) $("$GBRUN" export ab.gbr | tail -n +2 | wc -l)"
ab 1 "both sides fail" -c process.ini --base plugin=failer --new plugin=failer -q -o ab.gbr

# ---- [ab NAME] ----
{
    cat fake.ini
    printf '[ab slow]\nnew = device=later, other.seed=3\n[ab same]\nbase = device=quick\nnew = device=twin\nmargin = 2%%\n'
} >sections.ini
ab 3 "a section" -c sections.ini slow -q -o ab.gbr
has "a section: the sides" out.txt "  sides: as configured, now device=later, other.seed=3"
ab 0 "another section, over which the command line goes" -c sections.ini same --new device=later --margin 5% -f json \
    -o ab.gbr
has "another section: the margin of the command line" out.txt '"margin":0.05'
ab 2 "which section?" -c sections.ini
equals "which section? message" "sections.ini: error: which [ab NAME] is meant? there are slow, same" "$(cat err.txt)"
ab 2 "no such section" -c sections.ini fast
equals "no such section: message" "sections.ini: error: there is no [ab fast]; there is slow, same" "$(cat err.txt)"
{
    cat fake.ini
    printf '[ab wrong]\nbase = device=quick, sampels=3\nnew = device\nmargn = 3%%\nalpha = 70%%\n'
} >wrong.ini
ab 2 "mistakes" -c wrong.ini
equals "mistakes: all of them, each once" "26:22: error: unknown key 'sampels' in [bench one]: see 'gbrun help process' for its options
26:22: error: unknown key 'sampels' in [bench other]: see 'gbrun help process' for its options
27:7: error: 'device': expected KEY=VALUE or BENCH.KEY=VALUE, such as plugin=./old.so
28:1: error: unknown key 'margn' in [ab wrong]; did you mean 'margin'?
29:9: error: alpha = 70% is out of range: expected 0.01%:50%" "$(sed 's/^wrong.ini://' err.txt)"
"$GBRUN" check -c wrong.ini >out.txt 2>err.txt
equals "check finds those of the section" "3" "$(grep -c '^wrong.ini:2[789]' err.txt)"
succeeds "a section is no matter of gbrun run" "$GBRUN" run -q -c sections.ini -o run.gbr
while IFS='|' read -r name message arguments; do
    # shellcheck disable=SC2086 # several arguments
    ab 2 "$name" -c fake.ini $arguments
    equals "$name: message" "$message" "$(cat err.txt)"
done <<'EOF'
no sides|fake.ini: error: nothing tells the sides apart: expected --base KEY=VALUE or --new KEY=VALUE, or 'base' and 'new' in [ab NAME]|
no value|--base: error: 'device': expected KEY=VALUE or BENCH.KEY=VALUE, such as plugin=./old.so|--base device
an axis|--new: error: 'sweep.seed': a side of ab gives one value to an option or setting: the cases of both sides are the same|--new sweep.seed=1,2
what both sides share|--new: error: 'rounds' is the same of both sides of ab: expected an option, a setting, plugin or env.NAME|--new rounds=3
too few rounds|--max-rounds: error: max_rounds = 3 is out of range: expected 4:10000|--new seed=1 --max-rounds 3
no plugin file to build|gbrun: error: nothing is built: no [bench NAME] has a path as its plugin or library, such as plugin = ./NAME.so|--new-build true
a build that fails|gbrun: error: --base-build 'false': ended with code 1|--base-build false
EOF
printf '[defaults]\ndevice = fake\n[bench process]\nsweep.seed = 1, 2\n' >axis.ini
ab 2 "an axis of one side" -c axis.ini --new seed=1
has "an axis of one side: message" err.txt \
    "axis.ini:3:1: error: [bench process]: the base has 2 cases and the other side 1: what a side changes is no axis"
ab 0 "an axis that both sides change" -c axis.ini --base seed=1 --new seed=2 -q -o ab.gbr

# ---- killed in the middle ----
# The fourth round is not finished before there is log.go.
sed "s|plugin = process|plugin = beside\nlog = $TMPDIR/log\nheld_after = 15|" fake.ini >killed.ini
mkfifo err
"$GBRUN" ab -c killed.ini --base device=noisy --new device=noisy --new seed=2 -s "policy few.samples=3" --max-rounds 12 \
    -o killed.gbr >/dev/null 2>err &
heard 'round 3:*' <err
kill -9 $!
wait $! 2>/dev/null
: >log.go
"$GBRUN" run --resume killed.gbr >/dev/null 2>err.txt
equals "run does not go on with it" "gbrun: error: --resume killed.gbr: the run is one of \`gbrun ab\`: expected \
gbrun ab --resume" "$(cat err.txt)"
ab 2 "it has its sides" --resume killed.gbr --new seed=3
"$GBRUN" ab --resume killed.gbr -f csv >resumed.txt 2>err.txt
equals "each visit is there once" "$("$GBRUN" export killed.gbr | tail -n +2 | wc -l)" \
    "$("$GBRUN" export killed.gbr --columns bench,side,round | tail -n +2 | sort -u | wc -l)"
equals "it went on until all was decided, or to the last round" "" \
    "$(awk -F, 'NR > 1 && $13 == "unclear" && $14 < 12' resumed.txt)"
"$GBRUN" compare killed.gbr --by side --base base -f csv >out.txt
equals "compare says what the end said" "$(cat resumed.txt)" "$(cat out.txt)"
"$GBRUN" run -q -c fake.ini -o plain.gbr >/dev/null
ab 2 "a run that is none of ab" --resume plain.gbr
has "a run that is none of ab: message" err.txt "the run is not of \`gbrun ab\`: expected gbrun run --resume"

# ---- two builds ----
cat >wait.c <<'EOF'
#include <gbrun/gbrun.h>

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    host->metric(host, "built", NANOSECONDS, "");
    *ret_bench = host->allocate(host, 1);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

/* What the device goes by. */
static int32_t work(void *bench, struct gb_work *work)
{
    (void)bench;
    work->items = NANOSECONDS;
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run, .work = work};
static const struct gb_plugin plugin = {
    .size = sizeof plugin, .kind = GB_PLUGIN_BENCH, .id = "wait", .version = "1.0",
    .summary = "waits", .ops = &ops};
GB_MODULE(&plugin)
EOF
{
    few_samples 20 'device = fake'
    printf '[device fake]\nby_items = yes\ntime = 1ns\n[bench wait]\nplugin = ./wait.so\n'
} >wait.ini
cat >build.sh <<EOF
${CC:-cc} -O1 -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" -DNANOSECONDS="\$1" wait.c -o wait.so
EOF
built() # NAME: what the plugins of base and new were built with.
{
    equals "$1" "$2" "$("$GBRUN" export ab.gbr --columns side,metric.built | tail -n +2 | tr -d '\r' | sort -u | paste -sd ' ')"
}
ab 3 "two builds" -c wait.ini --base-build 'sh build.sh 20000' --new-build 'sh build.sh 40000' -f csv -o ab.gbr
equals "two builds: verdict" "slower" "$(row 13)"
built "two builds: both are measured" "base,20000 new,40000"
ab 0 "only the base is built" -c wait.ini --base-build 'sh build.sh 80000' -q -o ab.gbr
built "only the base is built: the other is as it was" "base,80000 new,40000"
has "two builds: what differs" out.txt "build of wait: "
ab 2 "a build that makes nothing" -c wait.ini --new-build 'rm wait.so'
has "a build that makes nothing: message" err.txt "wait.so cannot be copied to gbrun-ab-"
equals "no copies are left" "" "$(echo gbrun-ab-*/* | grep -v '\*')"
finish
