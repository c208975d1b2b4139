#!/usr/bin/env bash
# Plugins that crash, hang, print, lie and damage the process they run in: each fails only its own case and no other.
. "$top_srcdir/tests/tap.sh"
with_modules
defaults=$(few_samples 12 'device = fake' 'iterations = 1' 'warmup = 1 ms')

# ---- crashes in every callback ----
hurry measured <<INI
$defaults
$(section bench before good)
$(section bench crash crash 'sweep.where=create, prepare, run, reset, verify, work, destroy' 'sweep.kind=segv, exit0')
$(section bench kinds crash where=verify 'sweep.kind=abort, exit3, stack_overflow, illegal_instruction')
$(section bench after good)
INI
equals "a run with crashes ends with exit code 1" 1 "$code"
equals "all cases are there" 20 "$(grep -ac '^[0-9]*/20  ' err.txt)"
each_status <<'TABLE'
{before,after}|ok n=12
crash where=create kind=segv|crashed (SIGSEGV, in create)
crash where=create kind=exit0|crashed (exit 0, in create)
crash where=prepare kind=segv|crashed (SIGSEGV, in prepare)
crash where=prepare kind=exit0|crashed (exit 0, in prepare)
crash where={run,reset} kind=segv|crashed (SIGSEGV, in run, while warming up)
crash where={run,reset} kind=exit0|crashed (exit 0, in run, while warming up)
crash where=verify kind=segv|crashed (SIGSEGV, in verify) n=12
crash where=verify kind=exit0|crashed (exit 0, in verify) n=12
crash where=work kind=segv|crashed (SIGSEGV, in work)
crash where=work kind=exit0|crashed (exit 0, in work)
crash where=destroy kind=segv|crashed (SIGSEGV, in destroy) n=12
crash where=destroy kind=exit0|crashed (exit 0, in destroy) n=12
kinds kind=abort|crashed (SIGABRT, in verify) n=12
kinds kind=exit3|crashed (exit 3, in verify) n=12
kinds kind=stack_overflow|crashed (SIGSEGV, in verify) n=12
kinds kind=illegal_instruction|crashed (SIGILL, in verify) n=12
TABLE

# ---- hanging ----
hurry measured <<INI
$defaults
$(section bench hang crash kind=loop 'time_limit=20 s' 'sweep.where=create, run, verify')
$(section bench forker attack where=prepare 'sweep.attack=children, children_then_abort')
$(section bench returning attack attack=child_returns 'sweep.where=create, prepare, verify, destroy')
$(section bench after good)
INI
# A child left running does not matter, nor hides a crash, nor speaks for the worker.
each_status <<'TABLE'
hang where=create|timed out after 20.0 s, in create
hang where=run|timed out after 20.0 s, in run, while warming up
hang where=verify|timed out after 20.0 s, in verify n=12
forker attack=children|ok n=12
forker attack=children_then_abort|crashed (SIGABRT, in prepare)
returning where={create,prepare,verify,destroy}|ok n=12
after|ok n=12
TABLE
equals "no process is left behind" "" "$(grep -las "HURRY_FILE=$TMPDIR" /proc/[0-9]*/environ)"

# ---- the process around the benchmark ----
has_cxx=$("$GBRUN" help throwing >/dev/null 2>&1 && echo yes)
hurry measured <<INI
$defaults
$(section bench fd_closer attack where=prepare attack=close_all)
${has_cxx:+[bench throwing]
sweep.where = create, run}
$(section bench leak leftover what=leak)
$(section bench after good 'sweep.factor=1, 2, 3')
INI
each_status <<'TABLE'
fd_closer|crashed (closed its connection, in work)
leak|ok n=12
after factor={1,2,3}|ok n=12
TABLE
if [ -n "$has_cxx" ]; then
    equals "a C++ exception costs the case" 'crashed (SIGABRT, in create)' "$(status "throwing where=create")"
else
    skip "a C++ exception costs the case" "no C++ compiler"
fi
succeeds "a leak is reported" grep -q 'left 1\(.0\)\? GiB of memory behind (leak)' out.txt

# ---- words ----
hurry measured <<INI
$defaults
[bench printer]
[bench skipper]
[bench failer]
sweep.kind = words, silent, unknown, device_error, no_memory, cancelled, wrong_result, twice, null_text, invalid_utf8
$(section bench wrong_result wrong_result 'sweep.fault=value, nan, infinity, vacuous, none')
INI
equals "what plugins print stays off standard output" 0 "$(grep -c 'line on \|newline on \|unflushed on ' out.txt)"
succeeds "it goes to standard error, with the case's name" grep -aq '^\[printer\] ' err.txt
equals "its control characters do not reach a terminal" 0 "$(tr -d '\n\t\040-\377' <err.txt | wc -c)"
each_status <<'TABLE'
printer|ok n=12
failer kind=words|failed: the planned failure
failer kind={silent,null_text}|failed: run: failed
failer kind=unknown|failed: run: status -77
failer kind=device_error|device error (the planned failure)
failer kind=no_memory|failed: run: out of memory
failer kind=cancelled|failed: run: cancelled
failer kind=wrong_result|wrong result: run: wrong result
failer kind=twice|failed: a second failure
failer kind=invalid_utf8|failed: caf? ?????? é
wrong_result fault=value|wrong result: C: abs 3e-05 > 1e-06 at [17]: expected 1.5, got 1.50003 n=12
wrong_result fault=nan|wrong result: C: not finite at [5]: expected 1.5, got nan (1 of 256 values) n=12
wrong_result fault=none|ok n=12
skipper|skipped: needs a device that is not here
TABLE

# ---- policies ----
hurry measured <<INI
$(section policy never policy_never)
$(section policy liar policy_liar)
$(section policy zero policy_zero)
$(section policy huge policy_huge)
$(section policy breaks policy_crash)
$(section bench policies good device=cpu max_samples=500 'sweep.policy=never, liar, zero, huge, breaks')
INI
for policy in zero huge liar; do
    equals "a policy that is '$policy' is survived" ok "$(status "policies policy=$policy" | cut -d ' ' -f 1)"
done
each_status <<'TABLE'
policies policy=never|ok n=500
policies policy=breaks|crashed (SIGSEGV, in the policy)
TABLE
has "a lying policy is called one" out.txt "the policy's report is invalid"

# ---- devices ----
hurry measured <<INI
$(few_samples 12 'time_limit = 10 min')
$(section device lossy fake lose_every=3)
$(section device poisoned fake error_at=10)
$(section device breaks_at_open fake where=open)
$(section device breaks_at_describe fake where=describe)
$(section device hangs fake where=open kind=loop)
$(section device throttled fake throttle_from=5)
[bench good]
sweep.device = fake, fake:2, fake:9, lossy, poisoned, breaks_at_open, breaks_at_describe, hangs, throttled, absent, cpu
INI
each_status <<'TABLE'
good device={fake,fake:2,lossy,throttled,cpu}|ok n=12
good device=fake:9|failed: device fake:9: there is only fake:0 (Fake 1000, FAKE-0), fake:1 (Fake 1000, FAKE-1), fake:2 (Fake 2000, FAKE-2)
good device=poisoned|device error (illegal address)
good device=breaks_at_open|crashed (SIGABRT, while opening the device)
good device=breaks_at_describe|failed: device breaks_at_describe is not available: crashed (SIGABRT) while describing devices
good device=hangs|timed out after 600 s, while opening the device
good device=absent|skipped: device absent is not available: no such hardware was ever built
TABLE
has "lost samples are counted, throttled ones marked" out.txt 'times were lost' 'throttled samples'

# ---- modules that cannot be used ----
HANG_ON_LOAD=yes hurry "$GBRUN" list plugins >/dev/null 2>modules.txt
while IFS='|' read -r module expected; do
    equals "$module" "$expected" "$(sed -n "s/; it printed 'qemu: .*'//; s|^.*/$module.so: cannot be used: ||p" modules.txt)"
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
printf '[bench broken]\nplugin = ./truncated.so\n[bench fine]\nplugin = nop\n' >truncated.ini
mkdir crashing && cp "$top_builddir/tests/modules/.libs/crash_on_load.so" crashing/crashing.so
printf '[bench crashing]\n' >crashing.ini
try_each "$GBRUN" run <<'TABLE'
a truncated module is a configuration error|2|~truncated.ini:2:10: error: |-c truncated.ini
that names the file|2|~truncated.so|-c truncated.ini
so is a benchmark whose module crashes, where the section has no plugin|2|\
~/crashing.so cannot be used: crashed (SIGSEGV)|-p crashing -c crashing.ini
TABLE
finish
