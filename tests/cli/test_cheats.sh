#!/usr/bin/env bash
# Kernels that cheat: a result that is right at the end, and is not that of each call, is found by calls on renewed
# inputs and outputs.
. "$top_srcdir/tests/tap.sh"
with_modules

# cheats LINE...: all ways of cheating with these settings.
cheats()
{
    hurry measured <<EOF
$(few_samples 40)
[bench cheater]
sweep.cheat = none, cached, skipping, late
$(printf '%s\n' "$@")
EOF
}

# of COLUMN: of the cases, on one line.
of()
{
    column "$1" | paste -sd ','
}

cheats "verify = end" "min_samples = 40"
equals "verified at the end: two of three pass" "ok,ok" "$(of status | cut -d, -f1-2)"

cheats "verify = strict"
equals "verified between the samples: all are found" "1 ok,wrong result,wrong result,wrong result" "$code $(of status)"
succeeds "and counted" test "$(of metric.checked_calls | cut -d, -f1)" -ge 6
equals "the honest one has all its samples" "40" "$(of n_samples | cut -d, -f1)"
succeeds "a message says in which call" grep -q \
    'wrong result: renewed: squares: .* (sample [0-9]*, run 1 of 1)' err.txt

cheats "verify = strict" "inputs = 1"
equals "with one set of inputs a result of an earlier call is right" "ok,ok,wrong result,wrong result" "$(of status)"

# Samples seem to last so long that a verification is a small part of their time, whatever delays it.
cheats "min_samples = 100" "iterations = 1" "lasts = 1 s" "max_time = 1 h" "time_limit = 24 h"
equals "auto: after the samples, where that takes little time" "wrong result,wrong result,wrong result" \
    "$(of status | cut -d, -f2-)"

measured <<EOF
[defaults]
policy = fixed
$(section bench good good "let.verify='strict'")
$(section bench several good let.inputs=3)
$(section bench plain good)
EOF
equals "what cannot renew its inputs is verified at the end" "failed,failed,ok" "$(of status)"
has "verify = strict of a formula fails there, and so do several inputs" err.txt \
    'verify = strict: benchmark good cannot renew inputs and outputs: expected verify = end' \
    'inputs = 3: benchmark good has one set of inputs: expected inputs = 1'

cat >bench.ini <<'EOF'
[defaults]
verify = strict
[bench cheater]
[bench plain]
plugin = good
verify = end
[bench good]
[bench swept]
plugin = good
sweep.verify = end, strict
zip.sets = inputs: 0 | 3
EOF
exits "one that is written down is refused before anything runs" 2 "$GBRUN" check -c bench.ini
equals "with its place" \
    "2:10: error: verify = strict: benchmark good cannot renew inputs and outputs: expected verify = end
10:21: error: verify = strict: benchmark good cannot renew inputs and outputs: expected verify = end
11:24: error: inputs = 3: benchmark good has one set of inputs: expected inputs = 1" "$(sed 's/^bench.ini://' err.txt)"
exits "by run as well" 2 "$GBRUN" -c bench.ini -o none.gbr
equals "by run as well: messages" 3 "$(grep -c 'error: ' err.txt)"

measured <<EOF
[gbrun]
rounds = 3
seed = 5
$(few_samples 3)
[bench cheater]
seed = each round
$(section bench swept cheater 'sweep.seed=9, 10')
EOF
equals "a seed of its own for each round, but for the first" "3 5" "$(column seed --where "bench = 'cheater'" | sort -un |
    awk 'NR == 1 {first = $1} END {print NR, first}')"
equals "seeds are swept" "9 10" "$(column seed --where "bench = 'swept'" | sort -un | xargs)"

# Functions of a library; a plugin of gbrun's own.
doubles=("library=$top_builddir/tests/modules/.libs/call_targets.so" 'signature=void(pointer, pointer, int)' arg.3=50)
GBRUN_PLUGIN_PATH='' measured <<EOF
[defaults]
policy = fixed
$(section bench doubled call "${doubles[@]}" 'sweep.function=double_all, double_cached, double_once' \
    'sweep.verify=end, strict' reference=double_all isolate=yes \
    'arg.1=buffer(float[50], out)' 'arg.2=buffer(float[50], uniform=-1:1)')
$(section bench restored call "${doubles[@]}" function=double_all reference=double_all verify=strict \
    'arg.1=buffer(float[50], uniform=-1:1, out, restore)' arg.2=arg.1)
$(section bench expected call "${doubles[@]}" function=double_all verify=strict \
    'arg.1=buffer(float[50], expect=6)' 'arg.2=buffer(float[50], fill=3)')
$(section bench unchecked call "${doubles[@]}" function=double_all verify=strict \
    'arg.1=buffer(float[50])' 'arg.2=buffer(float[50], fill=3)')
$(section bench product gemm_verify device=cpu m=48 n=40 k=32 verify=strict inputs=3 policy=forty)
$(section policy forty fixed samples=40)
EOF
equals "functions of a library that cheat are found by calls on renewed buffers; gemm_verify is right with each input" \
    "ok,ok,ok,wrong result,ok,wrong result,ok,ok,failed,ok" "$(of status)"
has "where nothing is compared it is refused" err.txt \
    'verify = strict: this case compares no output: expected verify = end'
succeeds "gemm_verify with several inputs is checked, three samples at least" \
    test "$(column metric.checked_calls | tail -n 1)" -ge 3
finish
