#!/usr/bin/env bash
# Configurations, expressions and files that would take for ever, or all memory: each ends soon, with the limit it is over.
. "$top_srcdir/tests/tap.sh"
with_modules

# refuses NAME TEXT COMMAND...: within 4 GB of memory the command fails with a message that has the text.
refuses()
{
    local name=$1 text=$2
    shift 2
    (
        [ -n "${SANITIZE:-}" ] || ulimit -v 4000000
        "$@" >output.txt 2>&1
    )
    equals "$name" 2 $?
    succeeds "and says why: $name" grep -qF -- "$text" output.txt
}
# numbered N FORMAT: a line of that format for each number below N; %d, twice at most, is the number and the one before.
numbered()
{
    awk -v n="$1" -v format="$2" 'BEGIN { for (i = 1; i < n; i++) printf(format "\n", i, i - 1) }'
}

# ---- configurations ----
{
    echo '[bench nop]'
    numbered 100000 'let.a%d = %d'
} >lets.ini
refuses "100,000 variables" 'lets.ini:10002:1: error: the section has too many keys: expected up to 10000' \
    "$GBRUN" check -c lets.ini
{
    printf '[defaults]\nmax_time = 1 s\n[bench nop]\nlet.a0 = 1\n'
    numbered 900 'let.a%d = a%d + 1'
} >chain.ini
refuses "variables behind each other" 'chain.ini:3:1: error: [bench nop] has 901 keys, 900 of them let.' "$GBRUN" check -c chain.ini
{
    printf '[defaults]\nmax_time = 1 s\n[bench b0]\nplugin = nop\n'
    numbered 100000 '[bench b%d]\nlike = b%d'
} >like.ini
refuses "a chain of like" "like.ini:206:8: error: 'like' leads from section to section: expected up to 100" "$GBRUN" check -c like.ini
succeeds "and of sections" grep -q '^like.ini:20001:1: error: there are too many sections: expected up to 10000' output.txt
{
    numbered 9000 '[bench b%d]\nlike = b%d' | tac | sed 'N; s/\(.*\)\n\(.*\)/\2\n\1/'
    printf '[bench b0]\nplugin = nop\n'
} >reversed.ini
refuses "the chain backwards" "'like' leads from section to section: expected up to 100" "$GBRUN" check -c reversed.ini
{
    echo '[bench nop]'
    printf 'zip.a = b,\n'
    numbered 5000 ' a%d,'
    printf ' c: 1\n'
} >zip.ini
refuses "a zip of many names" "zip.ini:2: error: 'zip.a' names 5001 options: expected up to 64" "$GBRUN" check -c zip.ini

# ---- expressions ----
while IFS='|' read -r name expression; do
    printf '[bench nop]\nlet.a = %s\n' "$expression" >expression.ini
    refuses "$name" 'expression.ini:2:9: error: let.a: ' "$GBRUN" check -c expression.ini
    succeeds "what it may be: $name" grep -q 'printf: a width or precision is above 1000$' output.txt
done <<'LIST'
a precision from an argument|length(printf('%.*c', 1000000000, 'x'))
a width from an argument|length(format('%d%%%*d', 1, -1000000000, 1))
a precision|length(printf('%.1000000000c', 'x'))
a width|length(printf('%01001d', 1))
LIST
cat >printf.ini <<'INI'
[bench good]
sweep.factor = 1, 2
let.padded = printf('%04d|%-*d|%.*f', factor, 3, factor, 2, factor / 3.0)
only = padded = '0001|1  |0.33'
INI
equals "printf does what it did" 1 "$("$GBRUN" list cases -c printf.ini 2>&1 | grep -c 'good factor=1')"

# ---- recorded samples ----
refuses "zeros without end as text" '/dev/zero:1:1: error: a byte of value 0: expected text' \
    "$GBRUN" replay /dev/zero --unit ns --policy fixed
refuses "a line without end" '<stdin>:1: error: the line is too long: expected up to 1048576 bytes' \
    bash -c 'tr "\0" 1 </dev/zero | "$0" replay - --unit ns --policy fixed' "$GBRUN"

# ---- long inputs ----
# soon NAME COMMAND...: it succeeds within seconds of processor time, where looking at all for each would take a minute.
soon()
{
    (
        ulimit -t 10
        "${@:2}" >/dev/null 2>output.txt
    )
    equals "$1" 0 $?
}
# series N FORMAT: of each number up to N, with commas between.
series()
{
    awk -v n="$1" -v format="$2" 'BEGIN { for (i = 1; i <= n; i++) printf((i > 1 ? "," : "") format, i) }'
}
printf '[bench nop]\nsweep.max_samples = %s\n' "$(series 128000 %d)" >sweep.ini
soon "an axis of 128,000 values" "$GBRUN" check -c sweep.ini
printf '{"results":[{"command":"x","times":[%s]}]}' "$(series 40000 %d)" >hyperfine.json
printf '{"benchmarks":[{"runs":[%s]}]}' "$(series 8000 '{"values":[%d]}')" >pyperf.json
state='{"axis_values":[{"name":"n","value":"%d"}],"summaries":[{"tag":"nv/cold/time/gpu/mean","data":[{"name":"value","value":"1"}]}]}'
printf '{"meta":{"version":{}},"benchmarks":[{"name":"b","states":[%s]}]}' "$(series 8000 "$state")" >nvbench.json
for tool in hyperfine pyperf nvbench; do
    soon "a long file of $tool" "$GBRUN" compare $tool.json $tool.json
done

# ---- a device that loses the time of every sample ----
measured <<INI
$(few_samples 3)
$(section device lossy fake lose_every=1)
$(section bench good good device=lossy 'max_time=300 ms')
$(section bench after good device=fake)
INI
equals "a device that loses all samples ends at max_time" \
    'failed: device lossy: lost the times of all N samples within max_time (300 ms)' "$(status good | sed 's/all [0-9]* /all N /')"
equals "the next case is fine" 'ok n=3' "$(status after)"
finish
