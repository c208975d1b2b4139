#!/bin/sh
# draw.sh - draws the pictures of the documents anew: make pictures. They need rsvg-convert, that of the page chromium,
# and a quiet machine for a minute; samples of the first are computed, so that it is the same everywhere.
# usage: draw.sh GBRUN SOURCES FOLDER
set -eu
gbrun=$(realpath "$1") sources=$(realpath "$2") folder=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Where four stopping rules end on a second of samples with noise, outliers and a slow drift.
cc -O2 -fPIC -shared -I"$sources/include" "$sources/docs/examples/simulated.c" -o simulated.so -lm
cat >replay.ini <<'INI'
[device drift]
plugin = ./simulated.so:simulated
time = 40us
drift = 0.01
outliers = 0.01
gap = 40us

[bench work]
plugin = ./simulated.so:simulated_work
device = drift
policy = second
iterations = 1
rounds = 1

[policy second]
plugin = budget
time = 1 s
INI
"$gbrun" -q -c replay.ini -o replay.gbr
"$gbrun" replay replay.gbr -P 'fixed samples=100' -P entropy -P stdrel -P steady --plot "$folder/replay.png" >replay.txt

# A page, with the run of an hour ago as its baseline.
cat >page.ini <<'INI'
[defaults]
device = cpu
max_time = 0.5 s
rounds = 5

[bench copy]
sweep.bytes = 4KiB:4MiB:x4
sweep.method = memcpy, stream

[bench elementwise]
sweep.n = 4Ki:1Mi:x4
kernel = triad
threads = 1
INI
for file in old new; do "$gbrun" -q -c page.ini -o $file.gbr || test $? = 1; done
"$gbrun" report new.gbr --baseline old.gbr -o page.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size=1100,940 --screenshot="$folder/page.png" "file://$work/page.html" >/dev/null 2>&1

# The ratio of each case to another method, with its interval.
"$gbrun" report new.gbr --where "bench = 'copy'" --relative-to method=memcpy --chart lines --x bytes --y ratio \
    --by method -o "$folder/compare.png"

# Cases under the roofs of this machine.
cat >roofline.ini <<'INI'
[defaults]
device = cpu
max_time = 0.3 s

[bench roofs]
plugin = ceilings
sweep.roof = dram_copy, l2_copy, l3_copy, fp32_fma

[bench elementwise]
n = 4Mi
cache = cold
sweep.kernel = copy, triad, gelu, softmax

[bench product]
plugin = gemm_verify
kernel = simd
dtype = fp32
sweep.size = 16, 64, 256, 1024
let.m = size
let.n = size
let.k = size
INI
"$gbrun" -q -c roofline.ini -o roofline.gbr || test $? = 1
"$gbrun" report --roofline roofline.gbr -o "$folder/roofline.png"
