#!/usr/bin/env bash
# Plugins that crash, hang, print, lie and damage the process they run in: each costs its own case and no other.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

# run CONFIGURATION: measures it; sets code; table.txt is the table, text.txt what went to standard error.
run()
{
    rm -f results.gbr
    hurry "$GBRUN" -c "$1" >table.txt 2>text.txt
    code=$?
}

# An emulator says itself that a program ended by a signal.
without_emulator()
{
    sed "s/; it printed 'qemu: uncaught target signal [^']*'//"
}

# status LABEL: what was said of a case when it was done, without its times: "ok n=12", "crashed (SIGSEGV, in run)".
status()
{
    grep -a '^[0-9]*/[0-9]*  ' text.txt | without_emulator | awk -F '  ' -v label="$1" '$2 == label {
        n = ""
        for (i = 3; i <= NF; i++) if ($i ~ /^n=/) n = " " $i
        print (n != "" && NF == 5 ? "ok" : $NF) n
    }'
}

defaults='
[policy few]
plugin = fixed
samples = 12
[defaults]
policy = few
device = cpu
iterations = 1
warmup = 1 ms'

# ---- crashes in every callback ----
cat >crash.ini <<INI
$defaults
[bench before]
plugin = good
[bench crash]
sweep.where = create, prepare, run, reset, verify, work, destroy
sweep.kind = segv, exit0
[bench kinds]
plugin = crash
where = verify
sweep.kind = abort, exit3, stack_overflow, illegal_instruction
[bench after]
plugin = good
INI
run crash.ini
equals "a run with crashes ends with exit code 1" 1 "$code"
equals "all cases are there" 20 "$(grep -ac '^[0-9]*/20  ' text.txt)"
equals "the case before them is fine" "ok n=12" "$(status before)"
equals "the case after them is fine" "ok n=12" "$(status after)"
while IFS='|' read -r where phase; do
    equals "a crash in $where" "crashed (SIGSEGV, in $phase" "$(status "crash where=$where kind=segv")"
    equals "an exit in $where" "crashed (exit 0, in $phase" "$(status "crash where=$where kind=exit0")"
done <<'LIST'
create|create)
prepare|prepare)
run|run, while warming up)
reset|run, while warming up)
verify|verify) n=12
work|work)
destroy|destroy) n=12
LIST
while read -r kind how; do
    equals "$kind: what was measured before is kept" "crashed ($how, in verify) n=12" "$(status "kinds kind=$kind")"
done <<'LIST'
abort SIGABRT
exit3 exit 3
stack_overflow SIGSEGV
illegal_instruction SIGILL
LIST

# ---- hanging ----
cat >hang.ini <<INI
$defaults
[bench hang]
plugin = crash
kind = loop
time_limit = 20 s
sweep.where = create, run, verify
[bench forker]
plugin = attack
where = prepare
sweep.attack = children, children_then_abort
[bench returning]
plugin = attack
attack = child_returns
sweep.where = create, prepare, verify, destroy
[bench after]
plugin = good
INI
run hang.ini
equals "a hanging create is killed" 'timed out after 20.0 s, in create' "$(status "hang where=create")"
equals "a hanging run is killed" 'timed out after 20.0 s, in run, while warming up' \
    "$(status "hang where=run")"
equals "a hanging verify keeps its samples" 'timed out after 20.0 s, in verify n=12' \
    "$(status "hang where=verify")"
equals "a child left running does not matter" "ok n=12" "$(status "forker attack=children")"
equals "a child that holds the connection does not hide a crash" 'crashed (SIGABRT, in prepare)' \
    "$(status "forker attack=children_then_abort")"
for where in create prepare verify destroy; do
    equals "a child that returns from $where does not speak for the worker" "ok n=12" \
        "$(status "returning where=$where")"
done
equals "the next case is fine" "ok n=12" "$(status after)"
equals "no process is left behind" "" "$(grep -las "HURRY_FILE=$TMPDIR" /proc/[0-9]*/environ)"

# ---- the process around the benchmark ----
cat >process.ini <<INI
$defaults
[bench fd_closer]
plugin = attack
where = prepare
attack = close_all
[bench throwing]
sweep.where = create, run
[bench leak]
plugin = leftover
what = leak
[bench after]
plugin = good
sweep.factor = 1, 2, 3
INI
if "$GBRUN" help throwing >/dev/null 2>&1; then
    has_cxx=yes
else
    has_cxx=no
    sed -i '/throwing/,/create, run/d' process.ini
fi
run process.ini
equals "closing all descriptors costs the case" "crashed (closed its connection, in work)" "$(status fd_closer)"
if [ $has_cxx = yes ]; then
    equals "a C++ exception costs the case" 'crashed (SIGABRT, in create)' "$(status "throwing where=create")"
else
    skip "a C++ exception costs the case" "no C++ compiler"
fi
equals "a leak is survived" "ok n=12" "$(status leak)"
succeeds "and told" grep -q 'left 1.0 GiB of memory behind (leak)\|left 1 GiB of memory behind (leak)' table.txt
for factor in 1 2 3; do
    equals "later cases are fine: $factor" "ok n=12" "$(status "after factor=$factor")"
done

# ---- words ----
cat >words.ini <<INI
$defaults
[bench printer]
[bench failer]
sweep.kind = words, silent, unknown, device_error, no_memory, cancelled, wrong_result, twice, null_text,
  invalid_utf8
[bench wrong_result]
sweep.fault = value, nan, infinity, vacuous, none
[bench skipper]
INI
run words.ini
equals "what plugins print stays off standard output" 0 "$(grep -c 'line on \|newline on \|unflushed on ' table.txt)"
succeeds "it goes to standard error, with the case's name" grep -aq '^\[printer\] ' text.txt
equals "its control characters do not reach a terminal" 0 "$(tr -d '\n\t\040-\377' <text.txt | wc -c)"
equals "printing harms nobody" "ok n=12" "$(status printer)"
while IFS='|' read -r kind expected; do
    equals "failing: $kind" "$expected" "$(status "failer kind=$kind")"
done <<'LIST'
words|failed: the planned failure
silent|failed: run: failed
unknown|failed: run: status -77
device_error|device error (the planned failure)
no_memory|failed: run: out of memory
cancelled|failed: run: cancelled
wrong_result|wrong result: run: wrong result
twice|failed: a second failure
null_text|failed: run: failed
invalid_utf8|failed: caf? ?????? é
LIST
equals "a wrong value is found" \
    'wrong result: C: abs 3e-05 > 1e-06 at [17]: expected 1.5, got 1.50003 n=12' \
    "$(status "wrong_result fault=value")"
equals "NaN is found" 'wrong result: C: not finite at [5]: expected 1.5, got nan (1 of 256 values) n=12' \
    "$(status "wrong_result fault=nan")"
equals "a right result passes" "ok n=12" "$(status "wrong_result fault=none")"
equals "a skipped case is no failure" "skipped: needs a device that is not here" "$(status skipper)"

# ---- policies ----
cat >policies.ini <<INI
[policy never]
plugin = policy_never
[policy liar]
plugin = policy_liar
[policy zero]
plugin = policy_zero
[policy huge]
plugin = policy_huge
[policy breaks]
plugin = policy_crash
[bench policies]
plugin = good
device = cpu
max_samples = 500
sweep.policy = never, liar, zero, huge, breaks
INI
run policies.ini
for policy in never zero huge liar; do
    equals "a policy that is '$policy' is survived" ok "$(status "policies policy=$policy" | cut -d ' ' -f 1)"
done
equals "a policy that never has enough is stopped" "ok n=500" "$(status "policies policy=never")"
equals "a policy that crashes costs the case" 'crashed (SIGSEGV, in the policy)' \
    "$(status "policies policy=breaks")"
succeeds "a lying policy is called one" grep -q "the policy's report makes no sense" table.txt

# ---- devices ----
cat >devices.ini <<INI
[policy few]
plugin = fixed
samples = 12
[defaults]
policy = few
time_limit = 20 s
[device lossy]
plugin = fake
lose_every = 3
[device poisoned]
plugin = fake
error_at = 10
[device breaks_at_open]
plugin = fake
where = open
[device breaks_at_describe]
plugin = fake
where = describe
[device hangs]
plugin = fake
where = open
kind = loop
[device throttled]
plugin = fake
throttle_from = 5
[bench good]
sweep.device = fake, fake:2, fake:9, lossy, poisoned, breaks_at_open, breaks_at_describe, hangs, throttled, absent, cpu
INI
run devices.ini
while IFS='|' read -r device expected; do
    equals "device $device" "$expected" "$(status "good device=$device")"
done <<'LIST'
fake|ok n=12
fake:2|ok n=12
fake:9|failed: device fake:9: there is only fake:0 (Fake 1000, FAKE-0), fake:1 (Fake 1000, FAKE-1), fake:2 (Fake 2000, FAKE-2)
lossy|ok n=12
poisoned|device error (illegal address)
breaks_at_open|crashed (SIGABRT, while opening the device)
breaks_at_describe|failed: device breaks_at_describe is not there: crashed (SIGABRT) while describing devices
hangs|timed out after 20.0 s, while opening the device
throttled|ok n=12
absent|failed: device absent is not there: no such hardware was ever built
cpu|ok n=12
LIST
succeeds "lost samples are counted" grep -q 'lost the times of' table.txt
succeeds "throttled samples are marked" grep -q 'throttled samples' table.txt

# ---- modules that cannot be used ----
HANG_ON_LOAD=yes hurry "$GBRUN" list plugins >/dev/null 2>modules.txt
while IFS='|' read -r module expected; do
    equals "$module" "$expected" "$(sed -n "s|^.*/$module.so: cannot be used: ||p" modules.txt | without_emulator)"
done <<'LIST'
call_targets|exports no gb_module_v1: not a gbrun module
wrong_abi|was built for ABI 2.0: expected 1.x
null_module|gb_module_v1 returned no description, or one that is too short
tiny_module|gb_module_v1 returned no description, or one that is too short
crash_on_load|crashed (SIGSEGV) while loading a module
exit_on_load|crashed (exit 0) while loading a module
hang_on_load|took more than 10 s while loading a module
LIST
head -c 3000 "$GBRUN_PLUGIN_PATH/good.so" >truncated.so
cat >truncated.ini <<'INI'
[bench broken]
plugin = ./truncated.so
[bench fine]
plugin = nop
INI
"$GBRUN" -c truncated.ini >/dev/null 2>text.txt
equals "a truncated module is a configuration error" 2 $?
succeeds "that names the file" grep -q '^truncated.ini:2:10: error: .*truncated.so' text.txt
mkdir crashing && cp "$top_builddir/tests/modules/.libs/crash_on_load.so" crashing/crashing.so
printf '[bench crashing]\n' >crashing.ini
"$GBRUN" run -p crashing -c crashing.ini >/dev/null 2>text.txt
equals "a benchmark whose module crashes is a configuration error" 2 $?
succeeds "that says so, also where the section has no plugin" grep -q '/crashing.so cannot be used: crashed (SIGSEGV)' text.txt
finish
