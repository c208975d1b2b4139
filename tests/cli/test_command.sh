#!/usr/bin/env bash
# test_command.sh - whole programs as benchmarks, and `gbrun command` and `gbrun call`, which make a
# configuration from words: what is passed to a program, what is compared, what goes wrong in it.
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1

begin()
{
    printf '%s\n' "[defaults]" "device = cpu" "policy = fixed" \
        "[policy fixed]" "samples = 3" >bench.ini
}

# bench NAME ARGV LINE...: a section about a program.
bench()
{
    printf '[bench %s]\nplugin = command\nargv = %s\n' "$1" "$2" >>bench.ini
    shift 2
    printf '%s\n' "$@" >>bench.ini
}

measure()
{
    rm -f results.gbr
    "$GBRUN" -q -c bench.ini -o results.gbr >stdout 2>stderr
}

statuses()
{
    "$GBRUN" export --columns bench,status results.gbr | tr -d '\r' | tail -n +2 | tr ',' ' '
}

mkdir folder
printf 'one\ntwo\n' >input.txt
printf '#!/bin/sh\nread line; echo "$line:$PWD:$NAME"; exit 7\n' >folder/program
chmod +x folder/program
printf 'text\n' >not_executable

# --- What a program gets, and what is compared ------------------------------------------------------

begin
bench words "printf '[%s]' 'a b' \"c \\\"d\" e\\ f ''" 'expect_output = [a b][c "d][e f][]'
bench all "./program" "folder = folder" "input = input.txt" "env.NAME = value" "exit_code = 7" \
    "expect_output = one:$PWD/folder:value"
bench whole_file "cat" "input = input.txt" "expect_file = input.txt" "output = out.txt"
bench newline "printf 'a\\tb\\n'" "expect_output = a\\tb"
bench swept "echo {n}" "expect_output = {n}" "sweep.n = 1, 22"
bench ignored "sh -c 'kill -9 \$\$'" "ignore_failure = yes"
bench closes "sh -c 'exec <&- >&- 2>&-; exit 0'"
bench steps "cat state" "setup = sh -c 'echo 0 >state'" "prepare = sh -c 'echo p >>log'" \
    "conclude = sh -c 'echo c >>log'" "cleanup = sh -c 'mv state end'" "expect_output = 0"
measure
equals "all that is right passes" "0 " "$? $(statuses | grep -v ' ok$')"
equals "as many as there are, one twice" 9 "$(statuses | wc -l)"
equals "standard output goes to a file" "one two" "$(xargs <out.txt)"
equals "each run is prepared and concluded, in turn" "" "$(tr -d '\n' <log | sed 's/pc//g')"
succeeds "cleanup is run at the end" test -e end
for metric in spawn_overhead_ns user_time system_time; do
    succeeds "$metric is measured" grep -qE '^words,[0-9.e-]+' \
        <("$GBRUN" export --columns "bench,$metric" results.gbr)
done
begin
bench memory "dd if=/dev/zero of=/dev/null bs=96M count=1"
measure
equals "peak memory is that of the program" yes \
    "$("$GBRUN" export --columns bench,peak_memory results.gbr | tr -d '\r' |
        awk -F, '$1 == "memory" { print ($2 > 96e6 && $2 < 200e6 ? "yes" : $2) }')"

# --- What goes wrong costs its case -----------------------------------------------------------------

begin
bench code "sh -c 'exit 127'"
bench killed "sh -c 'kill -9 \$\$'"
bench wrong "printf 'a\\nbc\\n'" "expect_output = a\\nbd"
bench short "printf abc" "expect_output = abcd"
bench endless "yes" "ignore_failure = yes" "time_limit = 1 s"
bench endless_output "sh -c 'if test -p /dev/stdout; then exec yes; fi'" "expect_output = y\ny"
bench hangs "sh -c 'sleep infinity & echo \$! >pid; wait'" "time_limit = 0.5 s"
bench prepares "true" "prepare = false"
bench good "true"
measure
equals "what goes wrong ends with exit code 1" 1 $?
equals "and costs its case only" "code failed
killed failed
wrong wrong result
short wrong result
endless timed out
endless_output wrong result
hangs timed out
prepares failed
good ok" "$(statuses)"
succeeds "an exit code is reported" grep -q "ended with exit code 127: expected 0" stdout
succeeds "so is a signal" grep -q "was ended by signal 9 (Killed)" stdout
succeeds "what was printed is reported with its place" \
    grep -qF 'output: line 2, byte 2: "c": expected "d"' stdout
succeeds "so is what is missing" grep -qF 'output: line 1, byte 4: it ends here: expected "d"' stdout
succeeds "a prepare that fails is reported" grep -q "prepare: 'false' ended with exit code 1" stdout
succeeds "nothing of what hung is left" test ! -s pid -o ! -e "/proc/$(cat pid)/stat"

# --- What of a file is in memory when a program begins -----------------------------------------------

if command -v fincore >/dev/null && [ "$(stat -f -c %T .)" != tmpfs ]; then
    head -c 4194304 /dev/zero >data
    printf '#!/bin/sh\nfincore -b -n -o RES data | tr -d " " >>"$1"; cat data >/dev/null\n' >look
    chmod +x look
    begin
    bench warm "./look warm.txt" "disk_cache = warm" "files = data"
    bench cold "./look cold.txt" "disk_cache = cold" "files = data"
    measure
    equals "files that are read, or taken out of memory, before each run" "4194304 0" \
        "$(sort -u warm.txt | xargs) $(sort -u cold.txt | xargs)"
else
    skip "files in memory" "there is no fincore, or files are always in memory here"
fi
begin
bench dropped "true" "disk_cache = dropped"
if [ ! -w /proc/sys/vm/drop_caches ]; then
    measure
    succeeds "who may not drop all of them learns what to do" \
        grep -q 'expected to run as root, or disk_cache = cold with the names of files' stderr
elif [ "${HOSTILE:-}" = all ]; then # slows the machine down
    measure
    equals "all that is in memory can be dropped" "dropped ok" "$(statuses)"
fi

# --- What is killed takes its program along -----------------------------------------------------------

# killed WHO: starts a program that would go on for an hour, and kills gbrun or its worker; the program must end, which
# closes the pipe that it alone holds then.
printf '[bench long]\nplugin = command\ndevice = cpu\nargv = ./long\n' >long.ini
printf '#!/bin/sh\nexec 7>%s/alive; echo $$ $PPID >&7\nsleep 3600\ntrue\n' "$PWD" >long
chmod +x long
mkfifo alive
killed()
{
    local program worker rest
    "$GBRUN" -q -c long.ini -o long.gbr >stdout 2>stderr &
    exec 6<alive
    read -r program worker <&6
    if [ "$1" = worker ]; then
        kill -KILL "$worker"
    else
        kill -KILL $!
    fi
    read -r rest <&6
    exec 6<&-
    succeeds "a program ends with $1 that is killed" test ! -e "/proc/$program/stat" -o \
        "$(sed -n 's/.*) \(.\) .*/\1/p' "/proc/$program/stat" 2>/dev/null)" = Z
    kill $! 2>/dev/null
    wait $!
}
killed gbrun
killed worker

# --- What is found before anything runs -------------------------------------------------------------

# refused NAME EXPECTED ARGV LINE...: the words about the one section, with their place.
refused()
{
    local name=$1 expected=$2
    shift 2
    printf '[bench case]\nplugin = command\ndevice = cpu\nargv = %s\n' "$1" >bench.ini
    shift
    printf '%s\n' "$@" >>bench.ini
    "$GBRUN" check -c bench.ini >stdout 2>stderr
    equals "$name" "2 bench.ini:$expected" "$? $(cat stderr)"
}
refused "a program that there is not" "4:8: error: argv: no program 'no_such_program' in the folders of PATH" \
    "no_such_program x"
refused "a path that there is not" "4:8: error: argv: $PWD/./none cannot be run: No such file or directory" ./none
refused "a file that is not executable" \
    "4:8: error: argv: $PWD/./not_executable cannot be run: Permission denied: it is not executable" \
    ./not_executable
refused "a folder" "4:8: error: argv: $PWD/./folder cannot be run: Is a directory" ./folder
refused "a pipe" "4:13: error: argv: '|' is for a shell, and there is none: expected a program and its arguments, '|' in quotes, or sh -c '...'" \
    "true |cat"
refused "a pattern of files" "4:13: error: argv: '*' is for a shell, and there is none: expected a program and its arguments, '*' in quotes, or sh -c '...'" \
    "true *.c"
refused "a quote without its end" "4:13: error: argv: a text without its end: expected another '" \
    "echo 'a b"
refused "an unknown program of prepare" "5:11: error: prepare: no program 'no_such' in the folders of PATH" \
    true "prepare = no_such"

# --- gbrun command ----------------------------------------------------------------------------------

"$GBRUN" command -q -r 3 --policy fixed -s 'sh -c "echo 1 >made"' true "sh -c 'exit 0'" -o two.gbr \
    >stdout 2>stderr
equals "programs are compared without a configuration" 0 $?
succeeds "the first one is the base" grep -qE '^command  true .* base ' stdout
succeeds "and setup was run" test -e made
equals "each in three rounds, in turn" 6 "$("$GBRUN" export two.gbr | tail -n +2 | grep -c ,ok,)"
"$GBRUN" command -q -r 2 -n first -n 'second, | one' --policy fixed 'echo {n}' 'printf "%d, |" {n}' \
    --sweep n=1,2 -f csv >stdout 2>stderr
equals "names and sweeps" "0 12" "$? $(tail -n +2 stdout | grep -c ',ok,')"
succeeds "a name may hold what separates values" grep -q '"second, | one"' stdout
"$GBRUN" command -i -q -r 2 --policy fixed false >stdout 2>stderr
equals "failures are ignored where that is asked for" 0 $?
"$GBRUN" command -q --policy fixed false >stdout 2>stderr
equals "and else are failures" 1 $?
"$GBRUN" command 'echo a | b' >stdout 2>stderr
equals "a mistake is shown in the word" "2     echo a | b
           ^" "$? $(tail -n 2 stderr)"
"$GBRUN" command -n a true false >stdout 2>stderr
equals "a name for each command" "2 gbrun: error: --name: 1 for 2 commands: expected one for each" \
    "$? $(cat stderr)"
"$GBRUN" command >stdout 2>stderr
equals "a command is needed" 2 $?
equals "nothing is kept" "" "$(find . -name 'gbrun-run-*')"

# --- gbrun call -------------------------------------------------------------------------------------

"$GBRUN" call --policy fixed -q -o call.gbr libm.so.6 'double fabs(double x);' -s '*.expect=1.5' -- -1.5 \
    >stdout 2>stderr
equals "a function is measured without a configuration" "0 fabs,ok,ok" \
    "$? $("$GBRUN" export --columns bench,status,verified call.gbr | tr -d '\r' | tail -n 1)"
"$GBRUN" call -q --policy fixed libc.so.6 'int snprintf(char *restrict, size_t, const char *restrict, ...)' \
    'buffer(64, out, expect="7 0.5")' 64 '"%d %.1f"' 7 0.5 >stdout 2>stderr
equals "also a variadic one" 0 $?
"$GBRUN" call libm.so.6 'double sin(dubble)' 1 >stdout 2>stderr
equals "a mistake in a prototype is shown in it" \
    "2 argument 2:1:12: error: signature: unknown type 'dubble': expected a type such as int, size_t, double, pointer
    double sin(dubble)
               ^" "$? $(cat stderr)"
"$GBRUN" call libm.so.6 >stdout 2>stderr
equals "a prototype is needed" 2 $?
finish
