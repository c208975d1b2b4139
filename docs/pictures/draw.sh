#!/bin/sh
# draw.sh - draws the pictures of the documents anew: make pictures. They need rsvg-convert, that of the page chromium.
# Samples of the first and the last are computed, so that they are the same everywhere; those between want a quiet machine.
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

# Cases under roofs, on the simulated device: each takes 1 us there, so that its work alone says where it stands.
cat >roofs.c <<'C'
#include <gbrun/gbrun.h>
struct figures {
    const struct gb_host *host;
    const char *roof, *kernel;
    int64_t size;
    double flops, bytes;
};
static const struct gb_option options[] = {
    GB_STRING(struct figures, roof, "", "a name"), GB_STRING(struct figures, kernel, "", "a name"),
    GB_INT(struct figures, size, "0", "0:", NULL, "a number"),
    GB_FLOAT(struct figures, flops, "0", "0:", NULL, "operations"),
    GB_FLOAT(struct figures, bytes, "0", "0:", NULL, "bytes")};
GB_TIMED(run, struct figures, a)
{
    (void)a;
}
GB_WORK(work, struct figures, a, .flops = a->flops, .bytes_read = a->bytes / 2, .bytes_written = a->bytes / 2,
        .math_format = GB_F32, .math_unit = GB_MATH_VECTOR)
GB_BENCH_ON("simulated", ceilings, struct figures, options, "a roof", .run = run, .work = work)
GB_BENCH_ON("simulated", computed, struct figures, options, "a case", .run = run, .work = work)
GB_MODULE(&ceilings, &computed)
C
cc -O2 -fPIC -shared -I"$sources/include" roofs.c -o roofs.so
cat >roofline.ini <<'INI'
[device accelerator]
plugin = ./simulated.so:simulated

[defaults]
device = accelerator
policy = fixed
iterations = 1
rounds = 1

[bench roofs]
plugin = ./roofs.so:ceilings
sweep.roof = dram_copy, fp32_fma
let.bytes = case roof when 'dram_copy' then 4.1e6 else 0 end
let.flops = case roof when 'fp32_fma' then 6e7 else 0 end

[bench elementwise]
plugin = ./roofs.so:computed
sweep.kernel = copy, triad, gelu, softmax
let.bytes = case kernel when 'copy' then 4e6 when 'triad' then 3.9e6 when 'gelu' then 3.7e6 else 2.4e6 end
let.flops = case kernel when 'copy' then 0 when 'triad' then 6.5e5 when 'gelu' then 5.5e6 else 1.5e6 end

[bench product]
plugin = ./roofs.so:computed
sweep.size = 128, 512, 2048
let.bytes = case size when 128 then 6e4 when 512 then 3e5 else 1.4e5 end
let.flops = case size when 128 then 1.3e6 when 512 then 2.6e7 else 4.8e7 end
INI
"$gbrun" -q -c roofline.ini -o roofline.gbr >/dev/null
"$gbrun" report --roofline roofline.gbr -o "$folder/roofline.png"
