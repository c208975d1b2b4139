#!/usr/bin/env bash
# `gbrun replay`: policies on recorded samples do what they did when these were measured; files of
# samples from elsewhere, of which tests/replay/test_trace_file.c has more; policies that crash; plots.
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
    ran "$GBRUN" replay "$@"
}

# ---- what was measured is replayed ----
{
    printf '%s\n' '[gbrun]' 'results = measured.gbr' '[defaults]' 'max_time = 300 ms' '[device fake]' 'throttle_from = 30'
    section policy some fixed samples=77
    section policy short budget 'time=3 ms'
    section policy noise stdrel 'min_time=20 us' max_noise=2%
    section policy interval median_ci precision=0.2% floor_wall=0
    section bench good good rounds=1 'sweep.device=fake, cpu' 'sweep.policy=some, short, noise, interval, policy_sees'
} >measured.ini
succeeds "cases are measured" "$GBRUN" -c measured.ini -q
columns=stop_reason,verdict,statistic,estimate_ns,low_ns,high_ns,confidence,n_discarded,n_effective
for policy in some short noise interval policy_sees; do
    # On a busy machine max_time may end one first: the replay ends with its samples, for no reason.
    expected=$(column "n_samples,$columns" --where "policy = '$policy'" measured.gbr |
        sed 's/^\([0-9]*\),max_time [^,]*/\1,/')
    replay -c measured.ini -P "$policy" --where "policy = '$policy'" --format csv measured.gbr
    equals "$policy: the replay of two cases stops where the measurement did, with all its numbers" \
        "0 2 $expected" "$code $(wc -l <<<"$expected") $(cells "stopped_at,$columns")"
    equals "$policy: all samples are used" "1 1" "$(cells share | xargs)"
done
equals "the number depends on the samples" 2 "$(cells estimate_ns | grep . | sort -u | wc -l)"
# Every policy that comes with gbrun. Where max_time ended one before a sample was begun, the samples
# end first.
ids=$(GBRUN_PLUGIN_PATH='' "$GBRUN" list plugins --format csv | tr -d '\r' |
    awk -F, '$1 == "policy" { print $2 }' | sort -u)
printf '%s\n' '[gbrun]' 'results = all.gbr' '[bench spin]' 'duration = 10us' 'max_time = 100 ms' 'warmup = 0' \
    'device = cpu' "sweep.policy = $(printf '%s\n' "$ids" | paste -sd ,)" >all.ini
succeeds "there are cases of all policies" "$GBRUN" -c all.ini -q
columns=n_samples,verdict,statistic,estimate_ns,low_ns,high_ns,confidence,n_discarded,n_effective,n_modes
for policy in $ids; do
    replay -P "$policy" --max-time 100ms --where "policy = '$policy'" --format csv all.gbr
    equals "$policy: a replay gives the same numbers" \
        "$(column "$columns" --where "policy = '$policy'" all.gbr)" "$(cells "${columns/n_samples/stopped_at}")"
done

# ---- the centre of a dithered timer's samples ----
# 73 samples of seven values that are 10 ns, or 40 ns, apart: not all are as often.
{ few_samples 73 'warmup = 0'; cat; } >dithered.ini <<INI
$(section device fake fake is_dithered=yes 'tick=32 ns')
$(section device wide fake is_dithered=yes 'tick=32 ns' 'step=40 ns')
$(section device fine fake 'step=10 ns' 'tick=32 ns')
[bench good]
sweep.device = fake, wide, fine
INI
succeeds "dithered cases are measured" "$GBRUN" -c dithered.ini -q -o dithered.gbr
replay -P 'fixed samples=73' --format csv dithered.gbr
while IFS=, read -r device median all_centre estimate error; do
    centre=$median
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
        "$(awk -v like="$centre" '{ printf (like ~ /[.]/ ? "%.6f" : "%s"), $1 }' <<<"$all_centre")"
    echo "$centre $median $estimate $error" >>centres.txt
done < <(cells device,all_median_ns,all_centre_ns,estimate_ns,error)
equals "two of three are no median" "2 3" "$(awk '$1 != $2' centres.txt | grep -c .) $(wc -l <centres.txt)"
equals "errors are those from it" "" "$(awk '{ error = $3 / $1 - 1 - $4 } error > 1e-9 || error < -1e-9' centres.txt)"
replay -P 'fixed samples=73' --where "device = 'fake'" dithered.gbr
succeeds "both are said" grep -q 'median 1.0[0-9]* us, between the ticks 1.0[0-9]* us$' out.txt

# ---- options, files of samples, several files and runs ----
# A configuration that names what this machine lacks.
{
    printf '[gbrun]\ndevices = quantum\n'
    section policy few fixed samples=11
    section device quantum ./quantum.so
    section bench none ./none.so policy=few
} >elsewhere.ini
cp measured.gbr other.gbr
"$GBRUN" -c measured.ini -q -s good.policy=some >/dev/null 2>&1
awk 'BEGIN { print "n,time_us"
    for (i = 1; i <= 60; i++) print i "," 100 + (i * 37) % 11 / 4 + (i == 41 ? 50 : 0) }' >trace.csv
awk 'BEGIN { for (i = 0; i < 200000; i++) print 100 + i % 7 }' >long.csv # more than go over the wire at a time
head -n 150 long.csv >harm.csv
printf 'a;b\n7;1\n8;2\n' >two.csv
printf '\000\000\300\077\000\000\000\100\000\000\100\100' | tee three.f32 >three.data
one="--run 1 --where \"device = 'fake' and policy = 'some'\" measured.gbr"
both="--where \"policy = 'some'\" measured.gbr"
while IFS='|' read -r name expected columns arguments; do
    eval "replay -f csv $arguments"
    equals "$name" "$expected" "$code $(cells "$columns" | paste -sd ' ')"
done <<TABLE
without --policy those of the configuration, in its order|0 some short noise interval|policy|-c measured.ini $one
short of samples: not yet|0 not yet,77,0|outcome,stopped_at,error|-c measured.ini -P short $one
options of a named policy can be overridden|0 some samples=12,12|policy,stopped_at|-c measured.ini -P 'some samples=12' $one
so they can by --set|0 13|stopped_at|-c measured.ini -s 'policy some.samples=13' -P some $one
min-samples holds|0 30|stopped_at|-P 'fixed samples=20' --min-samples 30 $one
max-samples holds|0 25,max_samples 25|stopped_at,stop_reason|-P policy_never --max-samples 25 $one
max-time holds|0 max_time 20.0 us|stop_reason|-P policy_never --max-time 20us $one
policies of what is not here|0 few,11|policy,stopped_at|-c elsewhere.ini $one
all runs of several files|0 measured.gbr,1 measured.gbr,1 measured.gbr,2 measured.gbr,2 other.gbr,1 other.gbr,1|file,run|\
-P fixed --run all $both other.gbr
one run|0 1 1|run|-P fixed --run 1 $both
elapsed time is that of samples and what is between them|0 5|stopped_at|\
-P 'budget time=1 ms' --overhead 100us --min-samples 1 trace.csv
--unit wins over the head|0 101250000|all_median_ns|-P 'fixed samples=20' -u ms trace.csv
a column by its head|0 1500|all_median_ns|-P fixed -u us --column b two.csv
a column by its number|0 7500|all_median_ns|-P fixed -u us --column 1 two.csv
float32 in seconds, as nvbench writes it|0 2000000000,not yet|all_median_ns,outcome|-P policy_never three.f32
--input says what a file holds|0 2000|all_median_ns|-P policy_never -i f32 -u us three.data
long files|0 150001 20 194175|stopped_at|\
-P 'fixed samples=150001' -P policy_zero -P 'budget time=20 ms' --max-samples 1e6 -u ns long.csv
one that wants more than there can be|0 not yet not yet|outcome|-P policy_huge -P 'policy_huge most=yes' trace.csv
lies do not become numbers|0 not yet,,|outcome,estimate_ns,low_ns|-P policy_liar trace.csv
it is started anew for each case|1 failed failed failed failed|outcome|\
-P 'policy_crash from=10 where=observe' --run all $both
TABLE
"$GBRUN" replay -P fixed -f csv - >out.txt 2>err.txt < <(cut -d, -f2 trace.csv)
equals "standard input" "standard input,60" "$(cells label,n_samples)"

policies=(-P policy_zero -P 'policy_crash from=10' -P 'policy_crash where=report kind=fail'
    -P policy_never -P 'policy_liar lie=reversed')
for format in table=txt csv json jsonl md; do
    for again in '' ' again'; do
        replay "${policies[@]}" --max-samples 50 --overhead 10us --tick 250ns -f "${format%=*}" trace.csv
        [ -z "${REPLAY_WRITE_GOLDEN-}" ] || cp out.txt "$golden/replay.${format#*=}"
        equals "$format as expected$again, a crash is exit code 1" "1 $(cat "$golden/replay.${format#*=}")" \
            "$code $(cat out.txt)"
    done
done

# ---- mistakes ----
printf '[gbrun]\nresults = crash.gbr\n[bench crash]\ndevice = cpu\n' >crash.ini
"$GBRUN" -c crash.ini -q >/dev/null 2>&1
exits "a case without samples" 2 "$GBRUN" replay -P fixed crash.gbr
equals "a case without samples: message" "left out: crash: has no samples
gbrun: error: there is nothing to replay: no case with samples" "$(cat err.txt)"
exits "options of policies" 2 "$GBRUN" replay -P ' fixed  sampels=3' -P 'fixed samples=0' -P fxied -P 'fixed ten' \
    -P samples=3 -P 'fixed samples=1 samples=2' --max-time 3 trace.csv
equals "options of policies: message" \
    "--max-time: error: '3' is not a duration: expected a number with one of ns us ms s min h
--policy:1:9: error: unknown key 'sampels' in [policy fixed]; did you mean 'samples'?
--policy:2:15: error: samples = 0 is out of range: expected 1:1000000000
--policy:3:1: error: unknown policy plugin 'fxied'; did you mean 'fixed'?
--policy:4:7: error: 'ten' is not an option: expected key=value
--policy:5:1: error: 'samples=3' names no policy: expected its name, then key=value for its options
--policy:6:17: error: 'samples' is given twice" "$(cat err.txt)"
printf 'time_ns\n1\n2\nthree\n' >bad.csv
mkdir "a b" && cp "$GBRUN_PLUGIN_PATH/crash_on_load.so" "a b"
try_each "$GBRUN" replay <<TABLE
no such file|2|gbrun: error: none.csv: cannot be opened: No such file or directory|none.csv
no such results file|2|gbrun: error: none.gbr: there is no such results file|none.gbr
not a number|2|bad.csv:4:1: error: 'three' is not a number: expected a time|-P fixed bad.csv
a module that dies when it is loaded, with a blank in its path|2|--policy:1:1: error: \
$PWD/a b/crash_on_load.so cannot be used: crashed (SIGSEGV) while loading a module|\
-P '"$PWD/a b/crash_on_load.so"' trace.csv
a path in a quote that does not end|2|--policy:1:1: error: a quote is not closed|-P '"a b/crash_on_load.so' trace.csv
options for the other kind of files|2|gbrun: error: --column is for files of samples, and there is none among the files|\
--column 2 measured.gbr
options for results|2|gbrun: error: --run is for results files, and there is none among the files|--run 1 trace.csv
unknown unit|2|gbrun: error: --unit h: expected ns, us, ms or s|-u h trace.csv
unknown input|2|gbrun: error: --input f16: expected csv, f32 or f64|-i f16 trace.csv
nothing is overridden|2|gbrun: error: --set defaults.x=1: expected a configuration to override: -c FILE|\
-s defaults.x=1 trace.csv
an unknown kind of plot|2|gbrun: error: x.jpg: unknown kind of plot: expected a name in .svg, .png or .pdf|\
-P fixed --plot x.jpg trace.csv
TABLE

# ---- policies that do harm ----
policies=() expected=''
for where in create observe next report destroy; do
    for kind in segv abort exit0 fail status; do
        policies+=(-P "policy_crash from=10 where=$where kind=$kind")
        case "$where $kind" in
        'destroy fail' | 'destroy status') expected+="$kind in $where: stopped"$'\n' ;; # it is not asked
        *) expected+="$kind in $where: failed"$'\n' ;;
        esac
    done
done
replay "${policies[@]}" -P 'fixed samples=20' -u us -f csv harm.csv
equals "what goes wrong in a policy costs its line" "1 ${expected}fixed samples=20: stopped,20" "$code $(
    cells policy,outcome,stopped_at |
        sed -E 's/^policy_crash from=10 where=(.*) kind=(.*),(failed|stopped),.*/\2 in \1: \3/; s/samples=20,/samples=20: /')"
hurry replay -P 'policy_crash from=10 where=observe kind=loop' -P fixed --time-limit 20s -f csv trace.csv
equals "one that computes for ever is killed" "1 failed,timed out after 20.0 s" \
    "$code $(cells outcome,stop_reason | head -n 1)"

# ---- plots ----
PATH=/nonexistent replay -P fixed --plot x.png trace.csv
equals "without rsvg-convert PNG is a mistake" 2 "$code"
PATH=/nonexistent replay -P 'fixed samples=20' --plot x.svg trace.csv
equals "SVG needs no program" "0 </svg>" "$code $(tail -n 1 x.svg)"
replay -P 'fixed samples=20' -P policy_zero -P policy_never --plot six.svg trace.csv
equals "it is named" "0 six.svg: trace.csv" "$code $(cat err.txt)"
equals "it has six panels" 6 "$(grep -c '^</svg><path class="axis"\|^<path class="axis"' six.svg)"
equals "one labelled line for those that stop together, and one without words in each other panel" "1 5" \
    "$(grep -c '>fixed samples=20, policy_zero 20<' six.svg) $(grep -c 'stroke-dasharray="none"' six.svg)"
equals "it says which do not stop" 1 "$(grep -c 'Not yet stopped: policy_never' six.svg)"
replay -P 'fixed samples=20' --plot y.svg trace.csv
equals "the same picture again" "" "$(cmp x.svg y.svg)"
replay -P fixed --plot some.svg --run 1 --where "policy = 'some'" measured.gbr
equals "several cases, a file for each" "some-1.svg: good device=fake policy=some
some-2.svg: good device=cpu policy=some" "$(cat err.txt)"
equals "titles have case, run, device, clock and samples" "1 1" \
    "$(grep -c '>good device=fake policy=some (run 1)<' some-1.svg) $(
        grep -cE '>fake:0 Fake 1000, synthetic clock, 77 samples in [0-9.]+ us, median ' some-1.svg)"
if command -v rsvg-convert >/dev/null; then
    for format in png pdf; do
        replay -P 'fixed samples=20' --plot x.$format trace.csv
        equals "$format is drawn" "0 yes" "$code $([ -s x.$format ] && echo yes)"
    done
else
    skip "plots" "rsvg-convert is not installed"
fi
name="a'; system('touch pwned') \`touch pwned\` \$(touch pwned) {/x}.csv"
name=${name//\//_}
cp trace.csv "$name"
replay -P fixed --plot '|touch pwned;.svg' "$name"
equals "names are no commands" "0 no" "$code $([ -e pwned ] && echo yes || echo no)"

finish
