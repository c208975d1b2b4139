#!/usr/bin/env bash
# counters: from the key and the device to metrics, warnings and `list counters`. The device is
# tests/modules/device_fake.c, whose counters are arithmetic.
. "$top_srcdir/tests/tap.sh"
with_modules

# derived NAME: how many metrics of the benchmark were derived from counts.
derived()
{
    "$GBRUN" export --format json --where "bench = '$1'" results.gbr | grep -o '"counted_[a-z0-9_]*"' | grep -c .
}

defaults=$(few_samples 12 'device = fake' 'iterations = 2')
labs=(library=libc.so.6 function=labs 'signature=long(long)' arg.1=-1 work.flops=1)

# ---- metrics ----
# GB_F32 is 2, GB_BF16 4; GB_MATH_VECTOR is 2, GB_MATH_TENSOR 3.
measured <<INI
$defaults
isolate = yes
$(section bench counted good size=1Mi counters=yes)
$(section bench plain good size=1Mi)
$(section bench named good size=1Mi 'counters=fake.cycles,fake.share , fake.cycles')
$(section bench both good size=1Mi 'counters=yes, fake.cycles')
$(section bench swept good size=1Mi 'sweep.counters=no, yes')
$(section bench undeclared good 'counters=fake.format, fake.unit')
$(section bench labs call "${labs[@]}" 'work.math={math}' 'counters=fake.format, fake.unit' \
    'sweep.math=fp32 vector, bf16 tensor')
INI
equals "a counted case is fine" "0 ok,ok" "$code $(of counted status,verified)"
equals "work and intensities are of one iteration" "1048576,33554432,16777216,8388608,0.03125,0.0625,0.125" \
    "$(of counted counted_flops,counted_bytes_l1,counted_bytes_l2,counted_bytes_dram,counted_intensity_l1,counted_intensity_l2,counted_intensity_dram)"
equals "and there are no others" 7 "$(derived counted)"
equals "nothing is warned of" 0 "$(said 'warning')"
"$GBRUN" show --verbose results.gbr >verbose.txt
succeeds "how it was counted is for those who ask" \
    grep -q 'info: counters: 2 passes; work is what was declared' verbose.txt
# One warm-up sample at least, 12 samples, 2 passes, each after a reset; verify comes after that.
equals "passes follow the samples and precede verify" "$(of counted runs)" "$(of counted resets)"
equals "two passes are two more runs" "$(($(of counted runs) - 2))" "$(of plain runs)"
equals "without the key there are none" 0 "$(derived plain)"
equals "counters by their names" "1000,50" "$(of named fake.cycles,fake.share)"
equals "are not more than was asked for" 0 "$(derived named)"
equals "both at once" "1000,1048576" "$(of both fake.cycles,counted_flops)"
equals "the device learns the declared arithmetic" "0,0 2,2 4,3" \
    "$(of undeclared fake.format,fake.unit) $(of labs fake.format,fake.unit)"
equals "it can be swept" "no yes" "$(of swept counters)"
equals "and is no part of what a case is" 1 "$(of swept uid | tr ' ' '\n' | sort -u | wc -l)"

# ---- what is said ----
measured <<INI
$defaults
counters = yes
$(section device much fake excess=1.11)
$(section device enough fake excess=1.09)
$(section device little fake excess=0.7)
$(section bench good good size=1Mi 'sweep.device=much, enough, little')
$(section bench labs call "${labs[@]}" 'work.math=fp64 vector' device=much)
INI
ended=$code
notes results.gbr
equals "a difference of more than 10 % is a warning, not a failure" \
    "0 3 1" "$ended $(said 'FLOP: the benchmark declares') $(said 'bytes of memory: the benchmark')"
has "with both numbers, and what may explain it" out.txt \
    'warning: FLOP: the benchmark declares 1.049e+06 an iteration, the counters say 1.164e+06 (+11 %); the type of their arithmetic is not declared'
has "and the direction" out.txt 'counters say 7.34e+05 (-30 %) (good'
has "arithmetic that is declared is not asked for" out.txt \
    'FLOP: the benchmark declares 1 an iteration, the counters say 1.11 (+11 %) (labs)'

measured <<INI
$defaults
$(section device much fake excess=3)
[bench good]
counters = yes
device = much
zip.setting = size,cache: 64Ki, warm | 64Ki, cold | 256Ki, warm | 256Ki, cold | 512Ki, warm
INI
ended=$code
notes results.gbr
equals "memory is compared where it must see what was declared" "0 5 1 1" \
    "$ended $(column status | grep -c ok) $(said 'bytes of memory:') $(said 'bytes read from memory:')"

measured <<INI
$defaults
$(section device cached fake excess=0.3 asked=1)
$(section device more fake excess=3 asked=1)
[bench good]
counters = yes
zip.setting = size,cache,device: 64Ki, cold, cached | 512Ki, warm, cached | 512Ki, warm, more
INI
ended=$code
notes results.gbr
equals "what a cache gave again and again, as declared, is none that memory must see" "0 3 1 0" \
    "$ended $(column status | grep -c ok) $(said 'bytes of memory:') $(said 'bytes read from memory:')"

measured <<INI
$defaults
$(section device closed fake counting=forbidden)
$(section bench good good size=1Mi counters=yes device=closed sweep.factor=1:5)
INI
equals "forbidden counters cost no case" "0 5" "$code $(column status | grep -c '^ok$')"
equals "and are one line" 1 "$(said 'counters: forbidden to this user: be another')"

measured <<INI
$defaults
$(section bench good good size=1Mi 'counters=yes, fake.nothing, fake.broken' 'sweep.device=fake, shorter')
INI
equals "what is missing costs no case" "0 2" "$code $(column status | grep -c '^ok$')"
notes results.gbr
equals "a device without counters says so" 1 "$(said 'counters: the device shorter has none')"
equals "so does one without this counter" 1 "$(said 'counters: fake.nothing: no counter')"
equals "and one that cannot read it" 1 "$(said 'these counters could not be read: fake.broken')"
equals "the others are there" 1048576 "$(column counted_flops --where "device = 'fake'")"

measured <<INI
$defaults
$(section bench good good size=1Mi device=shorter 'sweep.counters=no, false, off, 0')
INI
equals "no, false, off and 0 ask nothing" "0 4 0" "$code $(column status | grep -c ok) $(said 'warning\|has none')"

measured <<INI
$defaults
$(section device odd fake counting=garbage)
$(section bench good good size=1Mi counters=yes device=odd)
INI
equals "garbage costs no case" "0 ok" "$code $(column status)"
notes results.gbr
has "it is the plugin's bug" out.txt 'plugin bug: gave counters without usable names'
has "a count below zero, too" out.txt 'plugin bug: the counter fake.negative is reported as -3'
equals "no work is made of it" 0 "$(derived good)"
equals "and nothing is written for terminals" 0 "$(grep -c $'\033' out.txt)"

measured <<INI
$defaults
$(section device breaks fake counting=error)
$(section device dies fake counting=crash)
$(section bench good good size=1Mi counters=yes 'sweep.device=breaks, dies, fake')
INI
equals "counting that ends in an error or a crash fails only its own case, with its samples" \
    "1 device error,12 crashed,12 ok,12" "$code $(column status,n_samples | paste -sd ' ')"
succeeds "an error says where" grep -q 'device error.*the counters broke the device' out.txt
has "so does a crash" out.txt 'crashed (SIGABRT, while counting)'

# ---- list ----
# Without a configuration all modules are asked; some of those for tests hang.
mkdir alone
ln -s "$GBRUN_PLUGIN_PATH/device_fake.so" "$GBRUN_PLUGIN_PATH/good.so" alone/
export GBRUN_PLUGIN_PATH=$TMPDIR/alone
list()
{
    ran "$GBRUN" list counters "$@"
}
list --device fake
equals "counters of a device are listed" "0 counter unit device description
fake.cycles cycle fake cycles of arithmetic
fake.share percent fake half of everything" "$code $(sed 's/  */ /g' out.txt)"
list --format csv --device fake HALF
equals "TEXT is looked for in descriptions, too" \
    "fake.share,percent,fake,half of everything" "$(tail -n +2 out.txt | tr -d '\r')"
list --device fake:2 fake.cycles
equals "a counter's name lists its forms" 2 "$(grep -c '^fake.cycles' out.txt)"
list --device nonsense
equals "an unknown device" 2 "$code"
list --chip FK1
equals "a chip's counters are its plugin's" "0 2 0" \
    "$code $(grep -c 'fake$\|fake  ' out.txt) $(grep -c 'no counters' err.txt)"
list
has "all devices are asked" out.txt 'task-clock'
try_each "$GBRUN" list counters <<'TABLE'
an index that is not there is reported|0|~fake: no counters: there is no such device|--device fake:3
so is that nothing was found|0|~no counter has 'nonsense' in its name or description|--device fake nonsense
a device without counters is reported|0|~shorter: no counters: it has no counters|--device shorter
TABLE
for how in forbidden garbage error crash; do
    printf '[device %s]\nplugin = fake\ncounting = %s\n' $how $how
done >odd.ini
printf '[bench good]\nsweep.device = forbidden, garbage, error, crash\n' >>odd.ini
list -c odd.ini
equals "listing with what is wrong ends" 0 "$code"
has "and says why" err.txt 'forbidden: no counters: counters are forbidden by an option' \
    "error: no counters: device error: listing counters: the counters' list is lost" \
    'crash: no counters: crashed (SIGABRT) while listing counters'
equals "a plugin's control characters stay with it" 0 "$(cat out.txt err.txt | grep -c $'\033')"
finish
