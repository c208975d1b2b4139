#!/usr/bin/env bash
# `gbrun replay`: policies on recorded samples do what they did when these were measured; files of
# samples from elsewhere; policies that crash; plots.
. "$top_srcdir/tests/tap.sh"
# All but those that take their ten seconds: every module is asked for a policy that no file is named after.
mkdir "$TMPDIR/modules"
ln -s "$top_builddir"/tests/modules/.libs/*.so "$TMPDIR/modules"
rm "$TMPDIR"/modules/hang_*.so
export GBRUN_PLUGIN_PATH=$TMPDIR/modules
golden=$(cd "$top_srcdir/tests/golden" && pwd)
cd "$TMPDIR" || exit 99

# replay ARGUMENT...: out.txt, err.txt and code.
replay()
{
    "$GBRUN" replay "$@" >out.txt 2>err.txt
    code=$?
}

# says NAME CODE TEXT ARGUMENT...: the exit code and the whole of standard error.
says()
{
    local name=$1 expected_code=$2 text=$3
    shift 3
    replay "$@"
    equals "$name: exit code" "$expected_code" "$code"
    equals "$name: message" "$text" "$(cat err.txt)"
}

# cell ROW HEAD: of the CSV in out.txt, in which no field has a comma; rows from 1.
cell()
{
    awk -F, -v row="$1" -v head="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == head) column = i }
        NR == row + 1 { print $column }' out.txt
}

# columns_of LIST: some columns of the CSV in out.txt, without the head. Text with commas in it becomes
# a word.
columns_of()
{
    sed 's/"[^"]*"/quoted/g' out.txt | awk -F, -v names="$1" '
        NR == 1 { n = split(names, name, ","); for (i = 1; i <= NF; i++) place[$i] = i; next }
        { for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? "," : ""), $place[name[i]]; print "" }'
}

# ---- what was measured is replayed ----
cat >measured.ini <<'INI'
[gbrun]
results = measured.gbr
[defaults]
max_time = 300 ms
[device fake]
throttle_from = 30
[policy some]
plugin = fixed
samples = 77
[policy short]
plugin = budget
time = 3 ms
[policy noise]
plugin = stdrel
min_time = 20 us
max_noise = 2%
[policy interval]
plugin = median_ci
precision = 0.2%
floor_wall = 0
[bench good]
sweep.device = fake, cpu
sweep.policy = some, short, noise, interval, policy_sees
INI
succeeds "cases are measured" "$GBRUN" -c measured.ini -q
columns=stop_reason,verdict,statistic,estimate_ns,low_ns,high_ns,confidence,n_discarded,n_effective
for policy in some short noise interval policy_sees; do
    # On a busy machine max_time may end one first: the replay ends with its samples, for no reason.
    "$GBRUN" export --where "policy = '$policy'" --columns "n_samples,$columns" measured.gbr |
        tail -n +2 | sed 's/^\([0-9]*\),max_time [^,]*/\1,/' >expected.txt
    equals "$policy: there is something to compare" 2 "$(wc -l <expected.txt)"
    replay -c measured.ini -P "$policy" --where "policy = '$policy'" --format csv measured.gbr
    equals "$policy: exit code" 0 "$code"
    equals "$policy: the replay stops where the measurement did, with all its numbers" \
        "$(cat expected.txt)" \
        "$(columns_of "stopped_at,$columns")"
    equals "$policy: all samples are used" "1 1" "$(cell 1 share) $(cell 2 share)"
done
case "$(cell 1 estimate_ns)" in
'' | "$(cell 2 estimate_ns)") fail "the number depends on the samples" "$(cat out.txt)" ;;
*) pass "the number depends on the samples" ;;
esac
# Every policy that comes with gbrun. Where max_time ended one before a sample was begun, the samples
# end first.
ids=$(GBRUN_PLUGIN_PATH='' "$GBRUN" list plugins --format csv | tr -d '\r' |
    awk -F, '$1 == "policy" { print $2 }' | sort -u)
printf '%s\n' '[gbrun]' 'results = all.gbr' '[bench spin]' 'duration = 10us' 'max_time = 250 ms' \
    'device = cpu' "sweep.policy = $(printf '%s\n' "$ids" | paste -sd ,)" >all.ini
succeeds "there are cases of all policies" "$GBRUN" -c all.ini -q
columns=n_samples,verdict,statistic,estimate_ns,low_ns,high_ns,confidence,n_discarded,n_effective,n_modes
for policy in $ids; do
    replay -P "$policy" --max-time 250ms --where "policy = '$policy'" --format csv all.gbr
    equals "$policy: a replay gives the same numbers" \
        "$("$GBRUN" export --where "policy = '$policy'" --columns "$columns" all.gbr | tail -n +2)" \
        "$(columns_of "${columns/n_samples/stopped_at}")"
done

replay -c measured.ini --where "policy = 'some' and device = 'fake'" --format csv measured.gbr
equals "without --policy those of the configuration are replayed, in its order" \
    "some short noise interval" "$(columns_of policy | paste -sd ' ')"
equals "short of samples: not yet" "not yet 77 0" \
    "$(cell 2 outcome) $(cell 2 stopped_at) $(cell 2 error)"
replay -c measured.ini -P 'some samples=12' --where "policy = 'some' and device = 'fake'" --format csv \
    measured.gbr
equals "options of a named policy can be overridden" "some samples=12 12" \
    "$(cell 1 policy) $(cell 1 stopped_at)"
replay -c measured.ini -s 'policy some.samples=13' -P some --where "policy = 'some' and device = 'fake'" \
    --format csv measured.gbr
equals "so they can by --set" 13 "$(cell 1 stopped_at)"
replay -P 'fixed samples=20' --min-samples 30 --format csv --where "device = 'fake' and policy = 'some'" \
    measured.gbr
equals "min-samples holds" 30 "$(cell 1 stopped_at)"
replay -P policy_never --max-samples 25 --format csv --where "device = 'fake' and policy = 'some'" \
    measured.gbr
equals "max-samples holds" "25 max_samples 25" "$(cell 1 stopped_at) $(cell 1 stop_reason)"
replay -P policy_never --max-time 20us --format csv --where "device = 'fake' and policy = 'some'" \
    measured.gbr
equals "max-time holds" "max_time 20.0 us" "$(cell 1 stop_reason)"

# ---- the centre of a dithered timer's samples ----
# 73 samples of seven values that are 10 ns, or 40 ns, apart: not all are as often.
few_samples 73 'warmup = 0' >dithered.ini
cat >>dithered.ini <<'INI'
[device fake]
is_dithered = yes
tick = 32 ns
[device wide]
plugin = fake
is_dithered = yes
tick = 32 ns
step = 40 ns
[device fine]
plugin = fake
step = 10 ns
tick = 32 ns
[bench good]
sweep.device = fake, wide, fine
INI
succeeds "dithered cases are measured" "$GBRUN" -c dithered.ini -q -o dithered.gbr
replay -P 'fixed samples=73' --format csv dithered.gbr
for place in 1 2 3; do
    device=$(cell $place device)
    centre=$(cell $place all_median_ns)
    "$GBRUN" export --rows sample --columns device --where "device = '${device%:*}'" dithered.gbr |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ns") at = i; next } { print $at }' |
        sort -g >times.txt
    case $device in
    fake*) centre=$(awk '{ sum += $1 } END { printf "%.6f", sum / NR }' times.txt) ;;
    wide*) # the shares of samples below each value and half of its own, and one half between them
        centre=$(uniq -c times.txt | awk -v n="$(grep -c . times.txt)" '
            { middle = below + $1 / 2; below += $1 }
            middle >= n / 2 { printf "%.6f", $2 - ($2 - last) * (middle - n / 2) / (middle - last_middle); exit }
            { last = $2; last_middle = middle }') ;;
    esac
    equals "$device: what estimates are compared with" "$centre" \
        "$(cell $place all_centre_ns | awk -v like="$centre" '{ printf (like ~ /[.]/ ? "%.6f" : "%s"), $1 }')"
    echo "$centre $(cell $place all_median_ns) $(cell $place estimate_ns) $(cell $place error)" >>centres.txt
done
equals "two of them are no median" 2 "$(awk '$1 != $2' centres.txt | grep -c .)"
equals "errors are those from it" "" "$(awk '{ error = $3 / $1 - 1 - $4 } error > 1e-9 || error < -1e-9' centres.txt)"
replay -P 'fixed samples=73' --where "device = 'fake'" dithered.gbr
succeeds "both are said" grep -q 'median 1.0[0-9]* us, between the ticks 1.0[0-9]* us$' out.txt

# ---- the configuration may name what this machine lacks ----
cat >elsewhere.ini <<'INI'
[gbrun]
devices = quantum
[policy few]
plugin = fixed
samples = 11
[device quantum]
plugin = ./quantum.so
[bench none]
plugin = ./none.so
policy = few
INI
replay -c elsewhere.ini --where "device = 'fake' and policy = 'some'" --format csv measured.gbr
equals "its policies are replayed all the same" "0 few 11" \
    "$code $(cell 1 policy) $(cell 1 stopped_at)"

# ---- several files, runs, no samples ----
cp measured.gbr other.gbr
"$GBRUN" -c measured.ini -q -s good.policy=some >/dev/null 2>&1
replay -P fixed --run all --where "policy = 'some'" --format csv measured.gbr other.gbr
equals "all runs of several files" "measured.gbr 1,measured.gbr 1,measured.gbr 2,measured.gbr 2,other.gbr 1,other.gbr 1" \
    "$(tail -n +2 out.txt | awk -F, '{ print $1, $2 }' | paste -sd ,)"
replay -P fixed --run 1 --where "policy = 'some'" --format csv measured.gbr
equals "one run" 2 "$(tail -n +2 out.txt | wc -l)"
cat >crash.ini <<'INI'
[gbrun]
results = crash.gbr
[bench crash]
device = cpu
INI
"$GBRUN" -c crash.ini -q >/dev/null 2>&1
says "a case without samples" 2 "left out: crash: has no samples
gbrun: error: there is nothing to replay: no case with samples" -P fixed crash.gbr

# ---- a file of samples ----
awk 'BEGIN { print "n,time_us"
    for (i = 1; i <= 60; i++) print i "," 100 + (i * 37) % 11 / 4 + (i == 41 ? 50 : 0) }' >trace.csv
policies=(-P policy_zero -P 'policy_crash from=10' -P 'policy_crash where=report kind=fail'
    -P policy_never -P 'policy_liar lie=reversed')
for format in table csv json jsonl md; do
    extension=$format
    [ $format = table ] && extension=txt
    replay "${policies[@]}" --max-samples 50 --overhead 10us --tick 250ns -f $format trace.csv
    equals "$format: a crash is exit code 1" 1 "$code"
    if [ -n "${REPLAY_WRITE_GOLDEN-}" ]; then
        cp out.txt "$golden/replay.$extension"
    fi
    equals "$format as expected" "$(cat "$golden/replay.$extension")" "$(cat out.txt)"
    cp out.txt first.txt
    replay "${policies[@]}" --max-samples 50 --overhead 10us --tick 250ns -f $format trace.csv
    equals "$format: the same again" "$(cat first.txt)" "$(cat out.txt)"
done
replay -P 'budget time=1 ms' --overhead 100us --min-samples 1 -f csv trace.csv
equals "elapsed time is that of samples and what is between them" 5 "$(cell 1 stopped_at)"
replay -P 'fixed samples=20' -f csv -u ms trace.csv
equals "--unit wins over the head" 101250000 "$(cell 1 all_median_ns)"
cut -d, -f2 trace.csv >column.csv
printf 'a;b\n7;1\n8;2\n' >two.csv
replay -P fixed -f csv -u us --column b two.csv
equals "a column by its head" 1500 "$(cell 1 all_median_ns)"
replay -P fixed -f csv -u us --column 1 two.csv
equals "a column by its number" 7500 "$(cell 1 all_median_ns)"
replay -P fixed -f csv - <column.csv
equals "standard input" "standard input 60" "$(cell 1 label) $(cell 1 n_samples)"
printf '\000\000\300\077\000\000\000\100\000\000\100\100' >three.f32
replay -P policy_never -f csv three.f32
equals "float32 in seconds, as nvbench writes it" "2000000000 not yet" \
    "$(cell 1 all_median_ns) $(cell 1 outcome)"
cp three.f32 three.data
replay -P policy_never -f csv -i f32 -u us three.data
equals "--input says what a file holds" 2000 "$(cell 1 all_median_ns)"

# more samples than go over the wire at a time
awk 'BEGIN { for (i = 0; i < 200000; i++) print 100 + i % 7 }' >long.csv
replay -P 'fixed samples=150001' -P policy_zero -P 'budget time=20 ms' --max-samples 1e6 -u ns -f csv \
    long.csv
equals "long files" "150001 20 194175" \
    "$(cell 1 stopped_at) $(cell 2 stopped_at) $(cell 3 stopped_at)"

# ---- mistakes ----
says "no such file" 2 "gbrun: error: none.csv: cannot be opened: No such file or directory" none.csv
says "no such results file" 2 "gbrun: error: none.gbr: there is no such results file" none.gbr
printf 'time_ns\n1\n2\nthree\n' >bad.csv
says "not a number" 2 "bad.csv:4:1: error: 'three' is not a number: expected a time" -P fixed bad.csv
: >empty.csv
says "empty" 2 "gbrun: error: empty.csv: the file is empty: expected samples" -P fixed empty.csv
head -c 10 three.f32 >cut.f32
says "cut off" 2 "gbrun: error: cut.f32: 2 bytes are left over after 2 values of 4 bytes: the file is cut \
off, or of another type than f32" -P fixed cut.f32
says "no unit" 2 "column2.csv:1: error: the unit of the times is not known: give --unit ns, us, ms or s, or \
a header such as time_ns" -P fixed column2.csv 2>/dev/null < <(echo 1 >column2.csv)
says "options of policies" 2 "--max-time: error: '3' is not a duration: expected a number with one of ns us ms s min h
--policy:1:9: error: unknown key 'sampels' in [policy fixed]; did you mean 'samples'?
--policy:2:15: error: samples = 0 is out of range: expected 1:1000000000
--policy:3:1: error: unknown policy plugin 'fxied'; did you mean 'fixed'?
--policy:4:7: error: 'ten' is not an option: expected key=value
--policy:5:1: error: 'samples=3' names no policy: expected its name, then key=value for its options
--policy:6:17: error: 'samples' is given twice" \
    -P ' fixed  sampels=3' -P 'fixed samples=0' -P fxied -P 'fixed ten' -P samples=3 \
    -P 'fixed samples=1 samples=2' --max-time 3 trace.csv
mkdir "a b" && cp "$GBRUN_PLUGIN_PATH/crash_on_load.so" "a b"
says "a module that dies when it is loaded, with a blank in its path" 2 \
    "--policy:1:1: error: $PWD/a b/crash_on_load.so cannot be used: crashed (SIGSEGV) while loading a module" \
    -P "\"$PWD/a b/crash_on_load.so\"" trace.csv
says "a path in a quote that does not end" 2 "--policy:1:1: error: a quote is not closed" \
    -P '"a b/crash_on_load.so' trace.csv
says "options for the other kind of files" 2 \
    "gbrun: error: --column is for files of samples, and there is none among the files" \
    --column 2 measured.gbr
says "options for results" 2 "gbrun: error: --run is for results files, and there is none among the files" \
    --run 1 trace.csv
says "unknown unit" 2 "gbrun: error: --unit h: expected ns, us, ms or s" -u h trace.csv
says "unknown input" 2 "gbrun: error: --input f16: expected csv, f32 or f64" -i f16 trace.csv
says "nothing is overridden" 2 \
    "gbrun: error: --set defaults.x=1: expected a configuration to override: -c FILE" -s defaults.x=1 trace.csv

# ---- policies that do harm ----
head -n 150 long.csv >harm.csv
for where in create observe next report destroy; do
    for kind in segv abort exit0 fail status; do
        replay -P "policy_crash from=10 where=$where kind=$kind" -P 'fixed samples=20' -u us -f csv \
            harm.csv
        expected="1 failed stopped 20"
        case "$where $kind" in
        'destroy fail' | 'destroy status') expected="0 stopped stopped 20" ;; # it is not asked
        esac
        equals "$kind in $where costs its line" "$expected" \
            "$code $(cell 1 outcome) $(cell 2 outcome) $(cell 2 stopped_at)"
    done
done
hurry replay -P 'policy_crash from=10 where=observe kind=loop' -P fixed --time-limit 20s -f csv trace.csv
equals "one that computes for ever is killed" "1 failed timed out after 20.0 s" \
    "$code $(cell 1 outcome) $(cell 1 stop_reason)"
replay -P policy_huge -P 'policy_huge most=yes' -f csv trace.csv
equals "one that wants more than there can be" "not yet,not yet" "$(cell 1 outcome),$(cell 2 outcome)"
replay -P policy_liar -f csv trace.csv
equals "lies do not become numbers" "not yet,," "$(cell 1 outcome),$(cell 1 estimate_ns),$(cell 1 low_ns)"
replay -P 'policy_crash from=10 where=observe' --run all -f csv --where "policy = 'some'" measured.gbr
equals "it is started anew for each case" "failed failed failed" \
    "$(cell 1 outcome) $(cell 2 outcome) $(cell 3 outcome)"

# ---- plots ----
says "an unknown kind of plot" 2 \
    "gbrun: error: x.jpg: unknown kind of plot: expected a name in .svg, .png, .pdf or .gp" \
    -P fixed --plot x.jpg trace.csv
mkdir bin
with_path=$PATH
PATH=$TMPDIR/bin
replay -P fixed --plot x.png trace.csv
without_gnuplot=$code
replay -P 'fixed samples=20' --plot x.svg trace.csv
svg=$code
replay -P 'fixed samples=20' -P policy_zero -P policy_never --plot x.gp trace.csv
script=$code
PATH=$with_path
equals "without gnuplot it is a mistake to ask for a picture" 2 "$without_gnuplot"
equals "SVG needs no gnuplot" "0 </svg>" "$svg $(tail -n 1 x.svg)"
equals "the script needs no gnuplot" "0 x.gp: trace.csv" "$script $(cat err.txt)"
equals "it has six panels" 6 "$(grep -c '^plot ' x.gp)"
equals "one labelled line for those that stop together, and one without words in each other panel" "1 5" \
    "$(grep -c "^set label 'fixed samples=20, policy_zero 20'" x.gp) $(grep -c '^set arrow' x.gp)"
equals "it says which do not stop" 1 "$(grep -c 'Not yet stopped: policy_never' x.gp)"
equals "it names its own output" "set output './x.svg'" "$(grep '^set output' x.gp)"
replay -P 'fixed samples=20' --plot y.svg trace.csv
equals "the same picture again" "" "$(cmp x.svg y.svg)"
replay -P fixed --plot some.svg --run 1 --where "policy = 'some'" measured.gbr
equals "several cases, a file for each" "some-1.svg: good device=fake policy=some
some-2.svg: good device=cpu policy=some" "$(cat err.txt)"
equals "titles have case, run, device, clock and samples" "1 1" \
    "$(grep -c '>good device=fake policy=some (run 1)<' some-1.svg) $(
        grep -cE '>fake:0 Fake 1000, synthetic clock, 77 samples in [0-9.]+ us, median ' some-1.svg)"
if command -v gnuplot >/dev/null; then
    for format in png pdf; do
        replay -P 'fixed samples=20' --plot x.$format trace.csv
        equals "$format: exit code" 0 "$code"
        equals "$format is drawn" yes "$([ -s x.$format ] && echo yes)"
    done
    rm x.svg
    succeeds "gnuplot draws the script" gnuplot -d x.gp
    equals "into its file" 1 "$(grep -c '</svg>' x.svg)"
    name="a'; system('touch pwned') \`touch pwned\` \$(touch pwned) {/x}.csv"
    name=${name//\//_}
    cp trace.csv "$name"
    replay -P fixed --plot '|touch pwned;.svg' "$name"
    equals "names are no commands" "0 no" "$code $([ -e pwned ] && echo yes || echo no)"
    printf '#!/bin/sh\necho "line 3: no terminal" >&2\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$TMPDIR/bin:$PATH
    says "gnuplot fails" 4 "gbrun: error: gnuplot failed: line 3: no terminal" -P fixed --plot z.png trace.csv
    PATH=$with_path
    equals "then there is no file" "" "$(ls z.png 2>/dev/null)"
else
    skip "plots" "gnuplot is not installed"
fi

finish
