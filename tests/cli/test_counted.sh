#!/usr/bin/env bash
# clock = instructions, from the key to counts that agree to the digit, in the file, in tables, exports and comparisons.
# Whoever counts them on this machine does: the processor, or a trap after each. What is counted is short.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
targets=$top_builddir/tests/modules/.libs/call_targets.so
counted='device = cpu
clock = instructions'
text='"a text of more than sixteen bytes"'

# Of a device whose counts are 1005 each and whose empty calls take 7, 5 and 6: the least is not theirs.
GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs measured <<INI
[defaults]
clock = instructions
$(section device fake fake counting=exact)
$(section bench good good device=fake)
INI
equals "what a call of nothing takes is subtracted, the least of it" "1000,5,exact" \
    "$(column instructions,metric.empty_instructions,verdict)"
measured <<INI
[defaults]
$counted
[bench nop]
INI
! grep -q 'instructions cannot be counted' err.txt ||
    skip_rest "clock = instructions" "$(grep -o 'instructions cannot be counted.*' err.txt)"

# ---- the same each time ----
cat >same.ini <<INI
[defaults]
$counted
[bench strlen]
plugin = call
library = libc.so.6
signature = size_t strlen(const char *s)
arg.1 = $text
[bench memcpy]
plugin = call
library = libc.so.6
signature = void *memcpy(void *to, const void *from, size_t n)
arg.1 = buffer(4000)
arg.2 = buffer(4000)
sweep.arg.3 = 1, 100, 4000
[bench copy]
bytes = 4096
[bench nops]
plugin = call
library = $targets
signature = void(void)
sweep.function = two_nops, three_nops
INI
# counts FILE: of each case.
counts()
{
    order label,instructions,verdict,n_samples,round "$1"
}
succeeds "instructions are counted" "$GBRUN" -q -c same.ini -o one.gbr
mkdir -p another/folder
FILLER=$(printf '%0900d' 7) "$GBRUN" -q -c same.ini -o another/folder/other.gbr >/dev/null
equals "two runs agree to the digit, whatever the environment" "$(counts one.gbr)" "$(counts another/folder/other.gbr)"
equals "of each there are no samples, and a verdict in one visit" 7 "$(counts one.gbr | grep -o ' exact 0 0' | wc -l)"
equals "what does little has few" "2 3" "$(values instructions one.gbr --where "bench = 'nops'")"
equals "what is a time has no column" 0 "$("$GBRUN" show one.gbr | grep -c -e median -e interval -e 'GB/s')"
equals "nor a value" 1 "$(column median_ns,estimate_ns,low_ns,mean_ns,min_ns one.gbr | sort -u | wc -l)"
equals "the file names what counted" 7 "$(column clock one.gbr | grep -cx 'instructions by \(perf\|step\)')"

# ---- compared ----
exits "one instruction more is found" 3 "$GBRUN" compare one.gbr --by function --base two_nops --metric instructions \
    --where "bench = 'nops'"
has "by name and number" out.txt "slower" "(+1)"
exits "a margin that is given counts" 0 "$GBRUN" compare one.gbr --by function --base two_nops --metric instructions \
    --where "bench = 'nops'" --margin 60%
has "and the difference is small then" out.txt "changed"
exits "what is the same is the same" 0 "$GBRUN" compare one.gbr another/folder/other.gbr --metric instructions --strict
has "to the digit" out.txt "7 same"
exits "times of counts are not compared" 1 "$GBRUN" compare one.gbr another/folder/other.gbr
has "and what can be is said" out.txt "instructions were counted, not time: compare them with --metric instructions"

# ---- programs ----
if [ "$(uname -m)" = x86_64 ] && command -v cc >/dev/null; then
    printf '%s\n' '.globl _start' '_start: xor %edi, %edi' 'mov $9, %ecx' 'lea _start(%rip), %rsi' \
        'lea -64(%rsp), %rdi' 'rep movsb' 'xor %edi, %edi' 'mov $60, %eax' 'syscall' |
        cc -x assembler -nostdlib -static -o eight - 2>cc.txt
fi
# One that goes on in the handler of its own signal, or ends with 3.
if [ -x eight ]; then
    printf '%s\n' '.globl _start' '_start: mov $13, %eax' 'mov $10, %edi' 'lea action(%rip), %rsi' 'xor %edx, %edx' \
        'mov $8, %r10d' 'syscall' 'mov $39, %eax' 'syscall' 'mov %eax, %edi' 'mov $10, %esi' 'mov $62, %eax' 'syscall' \
        'mov $3, %edi' 'mov $60, %eax' 'syscall' 'handler: xor %edi, %edi' 'mov $60, %eax' 'syscall' '.data' \
        'action: .quad handler, 0x04000000, handler, 0' | cc -x assembler -nostdlib -static -o signalled -
    printf '[defaults]\n%s\n[bench signalled]\nplugin = command\nargv = ./signalled\n' "$counted" >signalled.ini
fi
if [ ! -x eight ]; then
    skip "programs" "no assembler for this processor"
else
    cat >program.ini <<INI
[defaults]
$counted
[bench eight]
plugin = command
argv = ./eight
INI
    "$GBRUN" -q -c program.ini -o program.gbr >out.txt 2>err.txt
    if grep -q 'cannot be traced' err.txt out.txt; then
        skip "programs" "they cannot be traced here"
    else
        equals "a program is counted from its first instruction to its last" "8,exact" \
            "$(column instructions,verdict program.gbr)"
        "$GBRUN" -q -c signalled.ini -o signalled.gbr >out.txt 2>err.txt
        equals "its signals are its own" "15,exact" "$(column instructions,verdict signalled.gbr)"
        equals "its times are not known" 0 "$("$GBRUN" export program.gbr | grep -c 'user_time')"
        PATH=/nonexistent ran "$GBRUN" -c program.ini -s '*.count_by=step' -s '*.count_limit=3'
        has "more than the limit is an error that says what to do" out.txt \
            'more than 3 instructions are too many for single steps' 'a larger count_limit'
        ran "$GBRUN" -c program.ini -s '*.exit_codes=3'
        has "how it has to end is looked at" out.txt 'ended with exit code 0: expected 3'
        ran env PATH=/nonexistent "$GBRUN" -c program.ini -s '*.count_by=valgrind'
        has "Valgrind has to be there" out.txt 'count_by = valgrind: it is not in PATH'
        if command -v valgrind >/dev/null; then
            "$GBRUN" -q -c program.ini -s '*.count_by=valgrind' -o valgrind.gbr >/dev/null
            equals "Valgrind counts, too, each turn of a string instruction" "17,instructions by valgrind" "$(column instructions,clock valgrind.gbr)"
            exits "counts of one are not compared with those of another" 2 \
                "$GBRUN" compare program.gbr valgrind.gbr --metric instructions
            has "and why is said" err.txt 'have another clock (instructions by valgrind, the base has instructions by'
        else
            skip "Valgrind counts, too" "there is no valgrind"
        fi
    fi
fi

# ---- what cannot be ----
printf '[bench copy]\n%s\nbytes = 4096\n' "$counted" >own.ini
while IFS='|' read -r setting message; do
    exits "$setting" 2 "$GBRUN" check -c own.ini -s "copy.$setting"
    has "$setting: why" err.txt "$message"
done <<'TABLE'
warmup=1 s|clock = instructions: expected warmup = 0
pace=burst|clock = instructions: expected pace = free
measure=latency|clock = instructions: expected measure = time
policy=fixed|'policy' has no use with clock = instructions
sweep.max_time=1s, 2s|'sweep.max_time' has no use with clock = instructions
zip.a=min_samples,max_samples: 1,2|'zip.a' has no use with clock = instructions
TABLE
exits "what is said of all benchmarks is for others" 0 "$GBRUN" check -c own.ini -s '*.max_time=1s' --policy fixed
exits "a value of an axis" 1 "$GBRUN" -q -c own.ini -s copy.sweep.pace=free,burst
has "it alone fails" out.txt 'copy pace=burst: failed: clock = instructions: expected pace = free' 'exact'
exits "what counts programs only" 1 "$GBRUN" -c own.ini -s '*.count_by=valgrind'
has "and why" out.txt 'count_by = valgrind: it counts whole programs'
printf '[defaults]\n%s\n[bench copy]\nbytes = 4096\n' "$counted" >all.ini
exits "sides that are judged by times" 2 "$GBRUN" ab -c all.ini --new bytes=8192
has "and how they are compared" err.txt 'sides are judged by times'
if [ "$(of nop clock)" = "instructions by step" ]; then
    ran "$GBRUN" -c own.ini -s '*.count_limit=10'
    has "work that is too long for traps" out.txt 'more than 10 instructions are too many for single steps'
fi
finish
