#!/bin/sh
# draw.sh - draws the pictures of the documents anew: make pictures. They need rsvg-convert, that of the page chromium,
# and a quiet machine for a minute; samples of the first are computed, so that it is the same everywhere.
# usage: draw.sh GBRUN SOURCES FOLDER
set -eu
gbrun=$(realpath "$1") sources=$(realpath "$2") folder=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Where four stopping rules end on a second of samples with noise, outliers and a step.
cc -O2 -fPIC -shared -I"$sources/include" "$sources/docs/examples/simulated.c" -o simulated.so -lm
cat >replay.ini <<'INI'
[device step]
plugin = ./simulated.so:simulated
time = 40us
noise = 0.02
step = 0.01
step_at = 50 ms
outliers = 0.01
gap = 40us

[bench work]
plugin = ./simulated.so:simulated_work
device = step
policy = second
iterations = 1
rounds = 1

[policy second]
plugin = budget
time = 1 s
INI
"$gbrun" -q -c replay.ini -o replay.gbr >/dev/null
"$gbrun" replay replay.gbr -P fixed -P entropy -P stdrel -P steady --plot "$folder/replay.png" >replay.txt

# A page of a library's new build, with the old one as its baseline: one function is faster, the other slower.
cat >work.c <<'C'
#include <stddef.h>
int forward(const int *x, size_t n)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < FORWARD; j++)
            sum += x[i] ^ j;
    return sum;
}
int backward(const int *x, size_t n)
{
    int sum = 0;
    for (size_t i = n; i > 0; i--)
        for (int j = 0; j < BACKWARD; j++)
            sum += x[i - 1] ^ j;
    return sum;
}
C
cat >page.ini <<'INI'
[defaults]
device = cpu
max_time = 0.4 s
rounds = 5

[bench sum]
plugin = call
library = ./work.so
sweep.n = 1Ki:256Ki:x4
sweep.function = forward, backward
signature = int(pointer, size_t)
arg.1 = buffer(int[{n}], count)
arg.2 = {n}
work.bytes_read = {4 * n}
INI
build() { cc -O1 -fPIC -shared "$@" work.c -o work.so; }
build -DFORWARD=3 -DBACKWARD=1
"$gbrun" -q -c page.ini -o old.gbr >/dev/null
build -DFORWARD=1 -DBACKWARD=2
"$gbrun" -q -c page.ini -o new.gbr >/dev/null
"$gbrun" report new.gbr --baseline old.gbr -o page.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size=1240,860 --screenshot="$folder/page.png" "file://$work/page.html" >/dev/null 2>&1

# The ratio of each case to another function, with its interval.
"$gbrun" report old.gbr --relative-to function=forward --chart lines --x n --y ratio --by function -o "$folder/compare.png"

# Cases under the roofs of this machine.
cat >roofline.ini <<'INI'
[defaults]
device = cpu
max_time = 0.5 s

[bench roofs]
plugin = ceilings
threads = 1
sweep.roof = l1_copy, l2_copy, fp32_fma

[bench elementwise]
n = 16Ki
threads = 1
sweep.kernel = triad, gelu, softmax

[bench product]
plugin = gemm_verify
kernel = simd
dtype = fp32
sweep.size = 16, 32, 64
let.m = size
let.n = size
let.k = size
INI
"$gbrun" -q -c roofline.ini -o roofline.gbr >/dev/null || test $? = 1
"$gbrun" report --roofline roofline.gbr -o "$folder/roofline.png"
