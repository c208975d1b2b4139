#!/usr/bin/env bash
# A benchmark, a device and a policy that do what they must not, in each of their functions (tests/modules/attack.c):
# each is named, ends within its time limit, and the case after it is measured as if nothing had been. With HOSTILE=all
# (make hostile) everything is done in every function.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
mkdir plugins
cp "$top_builddir"/tests/modules/.libs/{attack,device_fake,good}.so plugins
export GBRUN_PLUGIN_PATH=$PWD/plugins

bench='create prepare work reset run verify'
device='open allocate copy fill queue_create synchronize clock measure flush'
policy='policy_create observe next report'
answering="$bench $device $policy count describe" # their statuses are looked at
ending='destroy release is_spent policy_destroy'  # when samples are complete
any="$bench $device $policy $ending telemetry"

# LIST: where|what is expected|attacks. % is the attack in capitals; HARMLESS: it is measured. Where attacks are lies,
# which only one function tells, any function of the same plugin will do.
crash="crashed \\("
cat >list <<LIST
$answering|(failed: \|skipped\|device error \|wrong result: )|skipped failed no_memory invalid unsupported device_error cancelled wrong_result io corrupt status_77 status_minus_77 status_lowest status_highest
$any|$crash%, |sighup sigint sigquit sigill sigtrap sigabrt sigbus sigfpe sigkill sigusr1 sigsegv sigpipe sigalrm sigterm sigxcpu sigsys
$any|$crash(signal 40\|SIGRTMIN)|real_time_signal
$any|$crash(SIGSEGV\|SIGBUS), |null_pointer wild_pointer stack_overflow
$any|$crash(exit 0\|closed)|exit thread_exit exec
$any|${crash}exit 255, |exit_group
$any|${crash}exit 7, |quick_exit
$any|${crash}exit 4, |exec_self
$any|${crash}exit 9, |idle_page
$any|${crash}SIGABRT, |abort longjmp
$any|${crash}SIGKILL, |kill_group
$any|$crash(SIGKILL\|SIGSEGV\|SIGSYS), |seccomp
$any|${crash}closed its connection, |close_all replace_all shut_down
$any|${crash}sent something that is not a message, |garbage
$bench $device $policy|timed out after 20.0 s|spin sleep deaf stop endless_metrics
$bench $device $policy|HARMLESS|nothing crash_at_exit hang_at_exit close_standard truncate_all use_up not_dumped renamed scribbled_page lines long_line binary stolen_line log_megabytes log_not_utf8 log_controls log_no_text metric_megabytes metric_not_utf8 metric_controls metric_no_text odd_extension late_exclusive
$bench $device $policy|HARMLESS changed the process's working directory|folder
$bench $device $policy|HARMLESS changed the process's umask|umask
$bench $device $policy|HARMLESS changed the process's signal|signal_mask handlers ignored_signals
$bench $device $policy|HARMLESS changed the process's timers|alarm timer
$bench $device $policy|HARMLESS changed the process's environment|environment
$bench $device $policy|HARMLESS changed the process's locale|locale
$bench $device $policy|HARMLESS changed the process's .*(priority\|scheduling)|nice
$bench $device $policy|HARMLESS changed the process's resource limits|no_files no_time no_file_size no_stack no_processes
$bench $policy|HARMLESS left child processes behind|children child_returns child_crashes daemon
$bench|failed: w{100}|fail_megabytes
$bench|failed: caf|fail_not_utf8
$bench|failed: .\\[2J|fail_controls
$bench|failed: |fail_no_text fill_nothing
$bench|skipped|skip_megabytes skip_not_utf8 skip_controls skip_no_text
$bench $policy|(wrong result\|failed: policy): check|check_nothing check_short
$bench $policy|failed: |allocate_all
run|HARMLESS|work_nan work_negative work_infinite work_size work_megabytes work_not_utf8 work_odd_math
run|${crash}SIGSEGV, in work|work_dangling
run|${crash}SIGSEGV, in prepare|null_bench
measure|failed: device .* measured a sample of .*(nan\|inf)|nan_times infinite_times minus_infinite_times begin_nan
measure|HARMLESS|negative_times zero_times denormal_times largest_times minus_largest_times all_devices info_unended info_controls info_empty null_facts null_queue clock_unended clock_empty clocks_alike clock_nan clock_negative clock_endless_sample clock_controls clock_size too_many_lost nothing_filled all_filled standing_still hz_nan flags_all reading_unended reading_nan reading_odd telemetry_odd telemetry_unended telemetry_size spent_always spent_odd
measure|skipped: device .* is not available: |no_devices
measure|failed: device .* is not available: |many_facts
measure|${crash}SIGSEGV, while opening the device|null_device
measure|failed: device .*: offers no clock|no_clock
measure|failed: device .*: measured more samples than asked for|too_many_done all_done
measure|failed: device .*: measured no sample|none_done columns_null
measure|failed: device .*: lost the times of all|all_lost
measure|ok n=[0-9]*|jumping
measure|timed out after 20.0 s|backwards slow_measure
next|ok n=12|reason_unended reason_controls
next|HARMLESS|wants_negative next_size estimate_nan estimate_infinite statistic_unended statistic_controls counts_odd confidence_odd
next|HARMLESS the policy's report is invalid|estimate_reversed verdict_odd modes_many modes_nan
next|ok n=10|enough_at_once decision_odd
next|ok n=[0-9]*|never_enough wants_all wants_nan wants_infinite samples_overwritten
LIST
# What the allocator of the sanitizers takes another way.
[ "${SANITIZE-}" ] || cat >>list <<LIST
$any|$crash|free_twice underflow free_of_host
$bench|$crash|unmapped_page
$bench $policy|failed: |hog hog_of_host
$bench|(ok n=12\|${crash}exit 4, )|no_memory_left
$bench $policy|(ok n=12\|$crash)|host_itself
LIST
cat >>list <<LIST
$bench $device $policy|HARMLESS|metric_empty metric_quotes log_empty rounding flush_to_zero
$bench $policy|HARMLESS changed the process's signal mask, signal handlers|signals
$bench $policy|HARMLESS changed the process's|everything
$bench|${crash}SIGABRT, |children_then_abort
LIST

# Each line: number, where, attack, what is expected.
number=0
while IFS='|' read -r where expected names; do
    read -ra places <<<"$where"
    for attack in $names; do
        number=$((number + 1))
        chosen=${places[$((number * 5 % ${#places[@]}))]}
        [ "${HOSTILE-}" != all ] || chosen=$where
        for place in $chosen; do
            printf '%s %s %s\n' "$place" "$attack" "${expected//%/${attack^^}}"
        done
    done
done < <(sed 's/\\|/\x01/g' list) | sed 's/\x01/|/g' | nl -n rz -w 4 -s ' ' >attacks
n=$(wc -l <attacks)

# The case of attack 7 is a0007, its healthy neighbour n0007. A device that says it is a million takes a run of its own:
# with so many, whatever is done is slow.
configuration()
{
    few_samples 12 'device = fake' 'max_time = 1 h' 'time_limit = 2 h' 'iterations = 1'
    while read -r number place attack expected; do
        limit=
        [[ $expected != timed* ]] || limit='time_limit = 20 s'
        words="plugin = attack
where = $place
attack = $attack"
        case " $bench destroy " in
        *" $place "*) printf '[bench a%s]\n%s\n' "$number" "$words" ;;
        *)  case " $policy policy_destroy " in
            *" $place "*) kind=policy other='max_samples = 20000' ;;
            *) kind=device other='cache = cold' ;;
            esac
            printf '[%s a%s]\n%s\n[bench a%s]\nplugin = attack\n%s\n%s = a%s\n' \
                $kind "$number" "$words" "$number" "$other" $kind "$number" ;;
        esac
        printf '%s\n[bench n%s]\nplugin = good\n' "$limit" "$number"
    done
}
grep -v ' all_devices ' attacks | configuration >attacks.ini
hurry "$GBRUN" -c attacks.ini >table.txt 2>text.txt
equals "a run with $n attacks ends with exit code 1" 1 $?
grep ' all_devices ' attacks | configuration >many.ini
"$GBRUN" -c many.ini >/dev/null 2>>text.txt
equals "a device that is a million is none for its run" 0 $?

# outcome LABEL: as in a line of progress, without its times: "ok n=12", "ok n=12 crashed (SIGSEGV, in destroy)".
grep -a '^[0-9]*/[0-9]*  [an][0-9]*  ' text.txt | sort -u -t ' ' -k 3,3 | awk -F '  ' '{
    n = ""
    for (i = 3; i <= NF; i++) if ($i ~ /^n=/) n = "ok " $i " "
    print $2, n (n != "" && $NF ~ /(samples|max_time.*)$|^$|^ *n=/ ? "" : $NF)
}' >outcomes
"$GBRUN" export --run all results.gbr --format jsonl >cases.jsonl
sed -n 's/.*"bench":"\(a[0-9]*\)".*/\1 &/p' cases.jsonl >messages
declare -A outcome_of message_of
while read -r label outcome; do
    outcome_of[$label]=$outcome
done <outcomes
while read -r label message; do
    message_of[$label]=$message
done <messages
wrong=
while read -r number place attack expected; do
    got=${outcome_of[a$number]-}
    words=${expected#HARMLESS}
    words=${words# }
    case $expected in
    HARMLESS*) expected='^ok n=12 *[^a-z]*$' ;;
    ok*) expected="^$expected" words= ;;
    *) expected="^(ok n=12 )?$expected" words= ;;
    esac
    [[ $got =~ $expected ]] ||
        wrong+="$attack in $place (a$number): $got, expected $expected
"
    [[ ${message_of[a$number]-} =~ $words ]] ||
        wrong+="$attack in $place (a$number): nothing says: $words
"
done <attacks
equals "each attack is named, or harmless" "" "$wrong"
column bench,status,n_samples --run all >cases.csv
equals "each healthy neighbour is stored" "$n" "$(grep -c '^n[0-9]*,ok,12$' cases.csv)"
equals "no case is missing" $((2 * n)) "$(grep -c '^[an][0-9]*,' cases.csv)"
"$GBRUN" export --run all results.gbr --format json >results.json
equals "an export is valid UTF-8" 0 "$(LC_ALL=C.UTF-8 grep -axvc '.*' results.json)"

# ---- modules with one defect each ----
mapfile -t shapes < <(sed -n 's/^    X(\([a-z0-9_]*\), .*/\1/p' "$top_srcdir/tests/modules/misshaped.c")
n_shapes=${#shapes[@]}
tee "${shapes[@]/%/.so}" <"$top_builddir/tests/modules/.libs/misshaped.so" >misshaped.so
{
    printf '[bench %s]\n' "${shapes[@]}" | sed 's|^\[bench \(.*\)\]|&\nplugin = ./\1.so:misshaped\ndevice = cpu|'
    printf '[bench good]\n'
} >misshaped.ini
"$GBRUN" check -c misshaped.ini >check.txt 2>&1
equals "modules with defects cannot be used" 2 $?
sound=' size_huge abi_minor_last plugin_size_huge version_megabytes summary_controls help_megabytes options_null '
wrong=
for ((i = 0; i < n_shapes; i++)); do
    shape=${shapes[i]}
    lines="^misshaped.ini:($((3 * i + 2))|$((3 * i + 3)))"
    case $sound in
    *" $shape "*) grep -qaE "$lines:" check.txt && wrong+="$shape is none
" ;;
    *) grep -qaE "$lines:10: error: .*(/$shape.so cannot be used: |runs on w)" check.txt || wrong+="$shape
" ;;
    esac
done
equals "$n_shapes defects of modules are named, or harmless" "" "$wrong"
finish
