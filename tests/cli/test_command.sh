#!/usr/bin/env bash
# test_command.sh - whole programs as benchmarks, and `gbrun command` and `gbrun call`, which make a
# configuration from words: what is passed to a program, what is compared, what goes wrong in it.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1

# measure <<TABLE: lines of NAME|ARGV|LINE; LINE...: a section about a program each.
measure()
{
    {
        few_samples 3 'device = cpu'
        awk -F '|' '{ print "[bench " $1 "]\nplugin = command\nargv = " $2; gsub(/; /, "\n", $3); print $3 }'
    } >bench.ini
    rm -f results.gbr
    "$GBRUN" -q -c bench.ini -o results.gbr >stdout 2>stderr
}

mkdir folder
printf 'one\ntwo\n' >input.txt
printf '#!/bin/sh\nread line; echo "$line:$PWD:$NAME"; exit 7\n' >folder/program
chmod +x folder/program
printf 'text\n' >not_executable
# shellcheck disable=SC2016 # its own variable
printf '#!/bin/sh\necho run $GBRUN_RUN; echo took 1.$GBRUN_RUN ms\n' >counts
chmod +x counts
echo '{"x": [1,{"b":2}], "a" : [ {}, {"c":"]}\"", "b": 2.5e1 } ]}' >figures.json

# --- What a program gets, and what is compared ------------------------------------------------------

measure <<TABLE
words|printf '[%s]' 'a b' "c \"d" e\\ f ''|expect_output = [a b][c "d][e f][]
all|./program|folder = folder; input = input.txt; env.NAME = value; exit_codes = 0, 7; expect_output = one:$PWD/folder:value
whole_file|cat|input = input.txt; expect_file = input.txt; output = out.txt
newline|printf 'a\\tb\\n'|expect_output = a\\tb
swept|echo {n}|expect_output = {n}; sweep.n = 1, 22
ignored|sh -c 'kill -9 \$\$'|ignore_failure = yes
closes|sh -c 'exec <&- >&- 2>&-; exit 0'|
steps|cat state|setup = sh -c 'echo 0 >state'; prepare = sh -c 'echo p >>log'; conclude = sh -c 'echo c >>log'; \
cleanup = sh -c 'mv state end'; expect_output = 0
numbered|sh -c 'echo \$GBRUN_RUN >>numbers'|prepare = sh -c 'echo p\$GBRUN_RUN >>numbers'; \
conclude = sh -c 'echo c\$GBRUN_RUN >>numbers'
piped|true|setup = sh -c '(sleep infinity)& echo \$! >left'; cleanup = sh -c 'kill \$(cat left)'
figure|./counts|figure = took ([0-9.]+) m?s; figure_unit = ms; measure = figure
path|cat figures.json|figure = \$.a[1].b; figure_name = mean; figure_unit = widgets
memory|dd if=/dev/zero of=/dev/null bs=96M count=1|
TABLE
equals "all that is right passes" "0 " "$? $(statuses | grep -v ' ok$')"
equals "each run has its number, also before and after it" "p1 1 c1 p2 2 c2 p3 3 c3 p4 4 c4" "$(xargs <numbers)"
equals "a figure of the program is its time" "1300000,3" "$(column bench,median_ns,n_samples results.gbr | sed -n 's/^figure,//p')"
equals "or a series" 25 "$(column bench,metric.mean_p50 results.gbr | sed -n 's/^path,//p')"
equals "as many as there are, one twice" 14 "$(statuses | wc -l)"
equals "standard output goes to a file" "one two" "$(xargs <out.txt)"
equals "each run is prepared and concluded, in turn" "" "$(tr -d '\n' <log | sed 's/pc//g')"
succeeds "cleanup is run at the end" test -e end
for metric in spawn_overhead_ns user_time system_time; do
    succeeds "$metric is measured" grep -qE '^words,[0-9.e-]+' <(column "bench,$metric" results.gbr)
done
equals "peak memory is that of the program" yes "$(column bench,peak_memory results.gbr |
    awk -F, '$1 == "memory" { print ($2 > 96e6 && $2 < 200e6 ? "yes" : $2) }')"

# --- What goes wrong fails its case -----------------------------------------------------------------

# What is right has no limit that it could meet.
printf abc >without_end.txt
measure <<TABLE
code|sh -c 'exit 127'|
killed|sh -c 'kill -9 \$\$'|
wrong|printf 'a\\nbc\\n'|expect_output = a\\nbd
short|printf abc|expect_output = abcd
line_end|printf 'abc\\n'|expect_file = without_end.txt
endless|yes|ignore_failure = yes; time_limit = 0.2 s
endless_output|sh -c 'if test -p /dev/stdout; then exec yes; fi'|expect_output = y\\ny
hangs|sh -c 'sleep infinity & echo \$! >pid; wait'|time_limit = 0.5 s
prepares|true|prepare = false
no_number|./counts|figure = took([a-z]*)
no_match|./counts|figure = gave ([0-9]+)
two_groups|./counts|figure = (t)(o)
no_path|cat figures.json|figure = \$.a[2].b
no_member|cat figures.json|figure = \$.a[1].c
good|true|
TABLE
equals "what goes wrong ends with exit code 1, and fails its case only" "1 code failed
killed failed
wrong wrong result
short wrong result
line_end wrong result
endless timed out
endless_output wrong result
hangs timed out
prepares failed
no_number failed
no_match failed
two_groups failed
no_path failed
no_member failed
good ok" "$? $(statuses)"
has "an exit code and a signal are reported, what was printed with its place, what is missing, what prepare did" stdout \
    "argv, run 1: 'sh -c 'exit 127'' ended with exit code 127: expected 0" "was killed by signal 9 (Killed)" 'output: line 2, byte 2: "c": expected "d"' \
    'output: line 1, byte 4: the output ends here: expected "d"' "prepare: 'false' ended with exit code 1" \
    'figure = gave ([0-9]+): no such number in the 18 bytes of output: "run 1"' \
    'figure = (t)(o): more groups, or none: expected a regular expression with one group'

succeeds "nothing of what hung is left" test ! -s pid -o ! -e "/proc/$(cat pid)/stat"

# --- What of a file is in memory when a program begins -----------------------------------------------

if command -v fincore >/dev/null && [ "$(stat -f -c %T .)" != tmpfs ]; then
    head -c 4194304 /dev/zero >data
    printf '#!/bin/sh\nfincore -b -n -o RES data | tr -d " " >>"$1"; cat data >/dev/null\n' >look
    chmod +x look
    measure <<'TABLE'
warm|./look warm.txt|disk_cache = warm; files = data
cold|./look cold.txt|disk_cache = cold; files = data
TABLE
    equals "files that are read, or evicted from the page cache, before each run" "4194304 0" \
        "$(sort -u warm.txt | xargs) $(sort -u cold.txt | xargs)"
else
    skip "files in memory" "there is no fincore, or files are always in memory here"
fi
if [ ! -w /proc/sys/vm/drop_caches ] || [ "${HOSTILE:-}" = all ]; then # slows the machine down
    measure <<<'dropped|true|disk_cache = dropped'
    if [ ! -w /proc/sys/vm/drop_caches ]; then
        has "who may not drop all of them learns what to do" stderr \
            'expected to run as root, or disk_cache = cold with the names of files'
    else
        equals "all that is in memory can be dropped" "dropped ok" "$(statuses)"
    fi
fi

# --- What is killed takes its program along -----------------------------------------------------------

# killed WHO: starts a program that would go on for an hour, and kills gbrun or its worker; the program must end, which
# closes the pipe that it alone holds then: until that nothing goes on here.
printf '[bench long]\nplugin = command\ndevice = cpu\nargv = ./long\n' >long.ini
printf '#!/bin/sh\nexec 7>%s/alive; echo $$ $PPID >&7\nsleep 3600\ntrue\n' "$PWD" >long
chmod +x long
mkfifo alive
killed()
{
    local worker rest
    "$GBRUN" -q -c long.ini -o long.gbr >stdout 2>stderr &
    exec 6<alive
    read -r _ worker <&6
    if [ "$1" = worker ]; then
        kill -KILL "$worker"
    else
        kill -KILL $!
    fi
    read -r rest <&6
    exec 6<&-
    equals "a program ends with $1 that is killed" "" "$rest"
    kill $! 2>/dev/null
    wait $!
}
killed gbrun
killed worker

# --- What is found before anything runs -------------------------------------------------------------

n=0
for argv in 'no_such_program x' ./none ./not_executable ./folder 'true |cat' 'true *.c' "echo 'a b" \
    $'true\nprepare = no_such' $'true\nexit_codes = '; do
    printf '[bench c%d]\nplugin = command\ndevice = cpu\nargv = %s\n' $((++n)) "$argv"
done >bench.ini
exits "what cannot be run" 2 "$GBRUN" check -c bench.ini
equals "what cannot be run: messages" "c1 8 argv: program 'no_such_program' was not found in PATH
c2 8 argv: $PWD/./none cannot be run: No such file or directory
c3 8 argv: $PWD/./not_executable cannot be run: Permission denied: it is not executable
c4 8 argv: $PWD/./folder cannot be run: Is a directory
c5 13 argv: '|' has a meaning for a shell only, and none is used: expected a program and its arguments, '|' in quotes, or sh -c '...'
c6 13 argv: '*' has a meaning for a shell only, and none is used: expected a program and its arguments, '*' in quotes, or sh -c '...'
c7 13 argv: an unterminated text: expected another '
c8 11 prepare: program 'no_such' was not found in PATH
c9 13 exit_codes: no exit code would be accepted: expected at least one, such as 0" "$(errors_of bench.ini err.txt)"

# --- gbrun command, gbrun call ----------------------------------------------------------------------

exits "programs are compared without a configuration" 0 \
    "$GBRUN" command -q -r 3 --policy fixed -s 'sh -c "echo 1 >made"' true "sh -c 'exit 0'" -o two.gbr
succeeds "the first one is the base" grep -qE '^command  true .* base ' out.txt
succeeds "and setup was run" test -e made
equals "each in three rounds, in turn" 6 "$(rows two.gbr | grep -c ,ok,)"
exits "names and sweeps" 0 "$GBRUN" command -q -r 2 -n first -n 'second, | one' --policy fixed 'echo {n}' \
    'printf "%d, |" {n}' --sweep n=1,2 -f csv
equals "names and sweeps: cases" 12 "$(tail -n +2 out.txt | grep -c ',ok,')"
has "a name may hold what separates values" out.txt '"second, | one"'
try_each "$GBRUN" <<'TABLE'
other codes are accepted|0||command -q -r 2 --policy fixed --exit-codes 0,3 "sh -c 'exit 3'"
a figure of the command|0||command -q -r 2 --policy fixed --figure 'took (.*) ms' --figure-unit ms ./counts|1.250 ms
failures are ignored where that is asked for, and reported|0||command -i -q -r 2 --policy fixed false|\
warning: ignore_failure: of 3 runs 3 failed, the last one with exit code 1
and else are failures|1||command -q --policy fixed false
a name for each command|2|gbrun: error: --name: 1 for 2 commands: expected one for each|command -n a true false
a command is needed|2||command
also a variadic function|0||call -q --policy fixed libc.so.6 \
'int snprintf(char *restrict, size_t, const char *restrict, ...)' 'buffer(64, out, expect="7 0.5")' 64 '"%d %.1f"' 7 0.5
a prototype is needed|2||call libm.so.6
TABLE
exits "a mistake" 2 "$GBRUN" command 'echo a | b'
equals "a mistake is shown in the word" "    echo a | b
           ^" "$(tail -n 2 err.txt)"
equals "nothing is kept" "" "$(find . -name 'gbrun-run-*')"
exits "a function is measured without a configuration" 0 "$GBRUN" call --policy fixed -q -o call.gbr libm.so.6 \
    'double fabs(double x);' -s '*.expect=1.5' -- -1.5
equals "and is right" "fabs,ok,ok" "$(column bench,status,verified call.gbr)"
exits "a mistake in a prototype" 2 "$GBRUN" call libm.so.6 'double sin(dubble)' 1
equals "a mistake in a prototype is shown in it" \
    "argument 2:1:12: error: signature: unknown type 'dubble': expected a type such as int, size_t, double, pointer
    double sin(dubble)
               ^" "$(cat err.txt)"
finish
