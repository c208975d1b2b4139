#!/usr/bin/env bash
# counters: from the key and the device to metrics, warnings and `list counters`. The device is
# tests/modules/device_fake.c, whose counters are arithmetic.
. "$top_srcdir/tests/tap.sh"
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 99

# run: measures stdin; code, text.txt, table.txt
run()
{
    rm -f results.gbr
    "$GBRUN" -c - >table.txt 2>text.txt
    code=$?
}

# How many metrics were derived from counts.
n_derived()
{
    "$GBRUN" export --format json results.gbr | grep -o '"counted_[a-z0-9_]*"' | grep -c .
}

# column NAMES [WHERE]: of each case one line
column()
{
    "$GBRUN" export --columns "$1" --where "${2:-1}" results.gbr | tail -n +2
}

said()
{
    grep -c -- "$1" table.txt
}

defaults='[policy few]
plugin = fixed
samples = 12
[defaults]
policy = few
device = fake
iterations = 2'

# ---- metrics ----
run <<INI
$defaults
[bench good]
size = 1Mi
counters = yes
INI
equals "a counted case is fine" "0 ok ok" "$code $(column status,verified | tr , ' ')"
equals "work and intensities are of one iteration" \
    "1048576,33554432,16777216,8388608,0.03125,0.0625,0.125" \
    "$(column counted_flops,counted_bytes_l1,counted_bytes_l2,counted_bytes_dram,counted_intensity_l1,counted_intensity_l2,counted_intensity_dram)"
equals "and there are no others" 7 "$(n_derived)"
equals "nothing is warned of" 0 "$(said 'warning')"
"$GBRUN" show --verbose results.gbr >verbose.txt
succeeds "how it was counted is for those who ask" \
    grep -q 'info: counters: 2 passes; work is what was declared' verbose.txt

# One warm-up sample at least, 12 samples, 2 passes, each after a reset; verify comes after that.
equals "passes follow the samples and precede verify" \
    "$(column runs)" "$(column resets)"
counted=$(column runs)
run <<INI
$defaults
[bench good]
size = 1Mi
INI
equals "two passes are two more runs" "$((counted - 2))" "$(column runs)"
equals "without the key there are none" 0 "$(n_derived)"

run <<INI
$defaults
[bench good]
size = 1Mi
counters = fake.cycles,fake.share , fake.cycles
INI
equals "counters by their names" "1000,50" "$(column fake.cycles,fake.share)"
equals "are not more than was asked for" 0 "$(n_derived)"

run <<INI
$defaults
[bench good]
size = 1Mi
counters = yes, fake.cycles
INI
equals "both at once" "1000,1048576" "$(column fake.cycles,counted_flops)"

# GB_F32 is 2, GB_BF16 4; GB_MATH_VECTOR is 2, GB_MATH_TENSOR 3.
run <<INI
$defaults
[bench good]
counters = fake.format, fake.unit
[bench labs]
plugin = call
library = libc.so.6
function = labs
signature = long(long)
arg.1 = -1
work.flops = 1
work.math = {math}
counters = fake.format, fake.unit
sweep.math = fp32 vector, bf16 tensor
INI
equals "the device learns the declared arithmetic" \
    "0 0,0 2,2 4,3" "$code $(column fake.format,fake.unit | tr '\n' ' ' | sed 's/ $//')"

# ---- what is said ----
run <<INI
$defaults
[device much]
plugin = fake
excess = 1.11
[device enough]
plugin = fake
excess = 1.09
[device little]
plugin = fake
excess = 0.7
[bench good]
size = 1Mi
counters = yes
sweep.device = much, enough, little
INI
equals "a difference of more than 10 % is a warning, not a failure" \
    "0 2 1" "$code $(said 'FLOP: the benchmark declares') $(said 'bytes of memory: the benchmark')"
succeeds "with both numbers" grep -q \
    'warning: FLOP: the benchmark declares 1.049e+06 an iteration, the counters say 1.164e+06 (+11 %)' \
    table.txt
succeeds "and what may explain it" grep -q \
    '(+11 %); of which arithmetic they are is not declared' table.txt
succeeds "and the direction" grep -q 'counters say 7.34e+05 (-30 %) (good' table.txt

run <<INI
$defaults
[device much]
plugin = fake
excess = 1.11
[bench labs]
plugin = call
library = libc.so.6
function = labs
signature = long(long)
arg.1 = -1
work.flops = 1
work.math = fp64 vector
counters = yes
device = much
INI
succeeds "arithmetic that is declared is not asked for" grep -q \
    'FLOP: the benchmark declares 1 an iteration, the counters say 1.11 (+11 %) (labs)' table.txt

run <<INI
$defaults
[device much]
plugin = fake
excess = 3
[bench good]
counters = yes
device = much
zip.setting = size,cache: 64Ki, warm | 64Ki, cold | 256Ki, warm | 256Ki, cold | 512Ki, warm
INI
equals "memory is compared where it must see what was declared" "0 5 1 1" \
    "$code $(column status | grep -c ok) $(said 'bytes of memory:') $(said 'bytes read from memory:')"

run <<INI
$defaults
[device cached]
plugin = fake
excess = 0.3
asked = 1
[device more]
plugin = fake
excess = 3
asked = 1
[bench good]
counters = yes
zip.setting = size,cache,device: 64Ki, cold, cached | 512Ki, warm, cached | 512Ki, warm, more
INI
equals "what a cache gave again and again, as declared, is none that memory must see" "0 3 1 0" \
    "$code $(column status | grep -c ok) $(said 'bytes of memory:') $(said 'bytes read from memory:')"

run <<INI
$defaults
[device closed]
plugin = fake
counting = forbidden
[bench good]
size = 1Mi
counters = yes
device = closed
sweep.factor = 1:5
INI
equals "forbidden counters cost no case" "0 5" "$code $(column status | grep -c '^ok$')"
equals "and are one line" 1 "$(said 'counters: forbidden to this user: be another')"

run <<INI
$defaults
[bench good]
size = 1Mi
counters = yes, fake.nothing, fake.broken
sweep.device = fake, shorter
INI
equals "what is missing costs no case" "0 2" "$code $(column status | grep -c '^ok$')"
equals "a device without counters says so" 1 "$(said 'counters: the device shorter has none')"
equals "so does one without this counter" 1 "$(said 'counters: fake.nothing: no counter')"
equals "and one that cannot read it" 1 "$(said 'counters that could not be read: fake.broken')"
equals "the others are there" 1048576 "$(column counted_flops "device = 'fake'")"

for word in no false off 0; do
    run <<INI
$defaults
[bench good]
size = 1Mi
device = shorter
counters = $word
INI
    equals "counters = $word asks nothing" "0 0" "$code $(said 'counters')"
done

run <<INI
$defaults
[device odd]
plugin = fake
counting = garbage
[bench good]
size = 1Mi
counters = yes
device = odd
INI
equals "garbage costs no case" "0 ok" "$code $(column status)"
succeeds "it is the plugin's bug" grep -q 'plugin bug: gave counters without usable names' table.txt
succeeds "a count below zero, too" grep -q 'plugin bug: the counter fake.negative is reported as -3' \
    table.txt
equals "no work is made of it" 0 "$(n_derived)"
equals "and nothing is written for terminals" 0 "$(grep -c $'\033' table.txt)"

for how in error crash; do
    run <<INI
$defaults
[device broken]
plugin = fake
counting = $how
[bench good]
size = 1Mi
counters = yes
sweep.device = broken, fake
INI
    equals "counting that ends in $how costs its own case" 1 "$code"
    equals "with its samples" "12 12" "$(column n_samples | tr '\n' ' ' | sed 's/ $//')"
    equals "and the next one is fine" "ok" "$(column status "device = 'fake'")"
    case $how in
    error) words='device error.*the counters broke the device' ;;
    crash) words='crashed (SIGABRT, while counting)' ;;
    esac
    succeeds "and says where" grep -q "$words" table.txt
done

run <<INI
$defaults
[bench good]
size = 1Mi
sweep.counters = no, yes
INI
equals "it can be swept" "no yes" "$(column counters | tr '\n' ' ' | sed 's/ $//')"
equals "and is no part of what a case is" 1 "$(column uid | sort -u | wc -l)"

# ---- list ----
# Without a configuration all modules are asked; some of those for tests hang.
mkdir alone
ln -s "$GBRUN_PLUGIN_PATH/device_fake.so" "$GBRUN_PLUGIN_PATH/good.so" alone/
export GBRUN_PLUGIN_PATH=$TMPDIR/alone
list()
{
    "$GBRUN" list counters "$@" >list.txt 2>text.txt
}
list --device fake
equals "counters of a device" 0 $?
equals "are listed" "counter unit device description
fake.cycles cycle fake cycles of arithmetic
fake.share percent fake half of everything" "$(sed 's/  */ /g' list.txt)"
list --format csv --device fake HALF
equals "TEXT is looked for in descriptions, too" \
    "fake.share,percent,fake,half of everything" "$(tail -n +2 list.txt | tr -d '\r')"
list --device fake:2 fake.cycles
equals "a counter's name lists its forms" 2 "$(grep -c '^fake.cycles' list.txt)"
list --device fake:3
succeeds "an index that is not there is reported" grep -q 'fake: no counters: there is no such device' \
    text.txt
list --device fake nonsense
succeeds "so is that nothing was found" \
    grep -q "no counter has 'nonsense' in its name or description" text.txt
list --device nonsense
equals "and an unknown device" 2 $?
list --chip FK1
equals "a chip's counters are its plugin's" "0 2 0" \
    "$? $(grep -c 'fake$\|fake  ' list.txt) $(grep -c 'no counters' text.txt)"
list --device shorter
succeeds "a device without counters is reported" grep -q 'shorter: no counters: it has no counters' text.txt
list
succeeds "all devices are asked" grep -q 'task-clock' list.txt
for how in forbidden garbage error crash; do
    printf '[device odd]\nplugin = fake\ncounting = %s\n[bench good]\ndevice = odd\n' "$how" >odd.ini
    "$GBRUN" list counters -c odd.ini >list.txt 2>text.txt
    code=$?
    case $how in
    forbidden) words='odd: no counters: counters are forbidden by an option' ;;
    error) words="odd: no counters: .*the counters' list is lost" ;;
    crash) words='odd: no counters: crashed (SIGABRT) while listing counters' ;;
    garbage) words='' ;;
    esac
    equals "listing with $how ends" 0 "$code"
    succeeds "and says why" grep -q "$words" text.txt list.txt
done
equals "a plugin's control characters stay with it" 0 "$(cat list.txt text.txt | grep -c $'\033')"
finish
