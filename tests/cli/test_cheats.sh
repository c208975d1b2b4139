#!/usr/bin/env bash
# Kernels that cheat: a result that is right at the end, and is not that of each call, is found by calls on renewed
# inputs and outputs.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1

# run_cheats LINES: all ways of cheating with these settings.
run_cheats()
{
    rm -f results.gbr
    cat >bench.ini <<EOF
[policy few]
plugin = fixed
samples = 40
[defaults]
policy = few
[bench cheater]
sweep.cheat = none, cached, skipping, late
$1
EOF
    hurry "$GBRUN" -c bench.ini >stdout 2>stderr
}

# column NAME: of the cases, on one line.
column()
{
    "$GBRUN" export --columns "$1" results.gbr | tail -n +2 | paste -sd ','
}

run_cheats "verify = end
min_samples = 40"
equals "verified at the end: two of three pass" "ok,ok" "$(column status | cut -d, -f1-2)"

run_cheats "verify = samples"
equals "verified between the samples: all are found" "1 ok,wrong result,wrong result,wrong result" "$? $(column status)"
equals "and counted" "1" "$(("$(column metric.checked_calls | cut -d, -f1)" >= 6))"
equals "the honest one has all its samples" "40" "$(column n_samples | cut -d, -f1)"
succeeds "a message says in which call" grep -q \
    'wrong result: renewed: squares: .* (call [0-9]* on renewed inputs and outputs)' stderr

run_cheats "verify = samples
inputs = 1"
equals "with one set of inputs a result of an earlier call is right" "ok,ok,wrong result,wrong result" "$(column status)"

# Samples seem to last so long that a verification is a small part of their time, whatever delays it.
run_cheats "min_samples = 400
iterations = 1
lasts = 1 s
max_time = 1 h
time_limit = 24 h"
equals "auto: after the samples, where that takes little time" "wrong result,wrong result,wrong result" \
    "$(column status | cut -d, -f2-)"

cat >bench.ini <<'EOF'
[defaults]
policy = fixed
[bench good]
let.verify = 'samples'
[bench several]
plugin = good
let.inputs = 3
[bench plain]
plugin = good
EOF
"$GBRUN" -c bench.ini -o good.gbr >stdout 2>stderr
equals "what cannot renew its inputs is verified at the end" "failed,failed,ok" \
    "$("$GBRUN" export --columns status good.gbr | tail -n +2 | paste -sd ',')"
succeeds "verify = samples of a formula fails there" grep -q \
    'verify = samples: benchmark good cannot renew inputs and outputs: expected verify = end' stderr
succeeds "so do several inputs" grep -q \
    'inputs = 3: benchmark good has one set of inputs: expected inputs = 1' stderr

cat >bench.ini <<'EOF'
[defaults]
verify = samples
[bench cheater]
[bench plain]
plugin = good
verify = end
[bench good]
[bench swept]
plugin = good
sweep.verify = end, samples
zip.sets = inputs: 0 | 3
EOF
"$GBRUN" check -c bench.ini >stdout 2>stderr
equals "one that is written down is refused before anything runs, with its place" \
"2 bench.ini:2:10: error: verify = samples: benchmark good cannot renew inputs and outputs: expected verify = end
bench.ini:10:21: error: verify = samples: benchmark good cannot renew inputs and outputs: expected verify = end
bench.ini:11:24: error: inputs = 3: benchmark good has one set of inputs: expected inputs = 1" \
    "$? $(cat stderr)"
"$GBRUN" -c bench.ini -o none.gbr >stdout 2>stderr
equals "by run as well" "2 3" "$? $(grep -c 'error: ' stderr)"

cat >bench.ini <<'EOF'
[gbrun]
rounds = 3
seed = 5
[policy few]
plugin = fixed
samples = 3
[bench cheater]
policy = few
seed = each round
[bench swept]
plugin = cheater
policy = few
sweep.seed = 9, 10
EOF
"$GBRUN" -c bench.ini -o seeds.gbr >stdout 2>stderr
equals "a seed of its own for each round, but for the first" "3 5" \
    "$("$GBRUN" export --columns seed --where "bench = 'cheater'" seeds.gbr | tail -n +2 | sort -un |
        awk 'NR == 1 {first = $1} END {print NR, first}')"
equals "seeds are swept" "9 10" \
    "$("$GBRUN" export --columns seed --where "bench = 'swept'" seeds.gbr | tail -n +2 | sort -un | xargs)"

cat >bench.ini <<EOF
[defaults]
policy = fixed
[bench doubled]
plugin = call
library = $top_builddir/tests/modules/.libs/call_targets.so
signature = void(pointer, pointer, int)
sweep.function = double_all, double_cached, double_once
sweep.verify = end, samples
reference = double_all
arg.1 = buffer(float[50], out)
arg.2 = buffer(float[50], uniform=-1:1)
arg.3 = 50
isolate = yes
[bench restored]
plugin = call
library = $top_builddir/tests/modules/.libs/call_targets.so
signature = void(pointer, pointer, int)
function = double_all
reference = double_all
verify = samples
arg.1 = buffer(float[50], uniform=-1:1, out, restore)
arg.2 = arg.1
arg.3 = 50
[bench expected]
plugin = call
library = $top_builddir/tests/modules/.libs/call_targets.so
signature = void(pointer, pointer, int)
function = double_all
verify = samples
arg.1 = buffer(float[50], expect=6)
arg.2 = buffer(float[50], fill=3)
arg.3 = 50
[bench unchecked]
plugin = call
library = $top_builddir/tests/modules/.libs/call_targets.so
signature = void(pointer, pointer, int)
function = double_all
verify = samples
arg.1 = buffer(float[50])
arg.2 = buffer(float[50], fill=3)
arg.3 = 50
EOF
export GBRUN_PLUGIN_PATH=
"$GBRUN" -c bench.ini -o calls.gbr >stdout 2>stderr
equals "functions of a library that cheat are found by calls on renewed buffers" \
    "ok,ok,ok,wrong result,ok,wrong result,ok,ok,failed" \
    "$("$GBRUN" export --columns status calls.gbr | tail -n +2 | paste -sd ',')"
succeeds "where nothing is compared it is refused" grep -q \
    'verify = samples: nothing of this case is compared with anything: expected verify = end' stderr

{ few_samples 40; cat; } >bench.ini <<'EOF'
[bench product]
plugin = gemm_verify
device = cpu
m = 48
n = 40
k = 32
verify = samples
inputs = 3
EOF
export GBRUN_PLUGIN_PATH=$top_builddir/plugins/bench_gemm_verify/.libs
succeeds "gemm_verify has several inputs" "$GBRUN" -c bench.ini -o product.gbr
equals "its products are right with each" "1" \
    "$(("$("$GBRUN" export --columns metric.checked_calls product.gbr | tail -n 1)" >= 6))"
finish
