#!/usr/bin/env bash
# test_kernel_cases.sh - kernels described in a configuration: what is refused before anything runs, with
# its place. No GPU is needed.
. "$top_srcdir/tests/tap.sh"
if [ ! -e "$top_builddir/plugins/bench_kernel/bench_kernel.la" ]; then
    echo "built without the headers of CUDA"
    exit 77
fi
mkdir "$TMPDIR/config" "$TMPDIR/config/include" "$TMPDIR/elsewhere"
cd "$TMPDIR/elsewhere" || exit 99
config=$TMPDIR/config

cat >"$config/scale.cu" <<'CU'
#include "types.h"
namespace my {
template <typename T> __global__ void scale(T *to, const T *from, float factor, int n)
{
}
}
__global__ void rename(struct pair p) {}
DEFINE_KERNEL(made_by_a_macro)
CU
cat >"$config/include/types.h" <<'CU'
struct pair {
    int a, b;
};
#define DEFINE_KERNEL(name) __global__ void name(int *x, int n) {}
__global__ void included(int *x) {}
CU
cat >"$config/scale.ptx" <<'PTX'
.visible .entry _Z5scalePf(
    .param .u64 _Z5scalePf_param_0
)
{ ret; }
PTX
cat >"$config/tile.cu" <<'CU'
#define SHAPE 4, 8
template <int ROWS, int COLUMNS = 8> __global__ void tile(float *x)
{
    static_assert(ROWS < 64, "too many rows");
    x[ROWS] = COLUMNS;
}
__global__ void plain(float *x) {}
CU
cat >"$config/macro.cu" <<'CU'
__global__ void f(float *x) { *x = VALUE; }
CU
head -c 100 /dev/zero >"$config/empty.cubin"

# says LINE... <<TABLE: lines of NAME|EXPECTED|ITEM; ITEM...: a section of these lines and the items, of which those
# without ` = ` are the arguments. EXPECTED is `ok` and the number of cases, or the column and what the error begins
# with, ` ... ` for whatever stands between. All that is right is looked at by one run, all that is wrong by another;
# a name with + is of what only compiling shows, which has a run of its own, as not all of many texts are compiled.
says()
{
    local name expected items file n=0 names=() all=() got
    for file in ok wrong; do printf '[bench r0]\nplugin = nop\n' >"$config/$file.ini"; done
    : >errors.txt
    while IFS='|' read -r name expected items; do
        n=$((n + 1)) names[n]=${name#+} all[n]=$expected file=$config/wrong.ini
        [[ $expected != ok* ]] || file=$config/ok.ini
        if [[ $name = +* ]]; then
            file=$config/one.ini
            : >"$file"
            [ -n "$has_nvrtc" ] || { skip "${name#+}" "there is no NVRTC"; all[n]='' file=/dev/null; }
        fi
        {
            printf '%s\n' "[bench r$n]" 'device = cuda' 'plugin = kernel' "$@"
            awk '{ n = split($0, item, "; ")
                for (i = 1; i <= n; i++) print (item[i] ~ / = / ? "" : "arg." ++n_arguments " = ") item[i] }' <<<"$items"
        } >>"$file"
        [[ $file != */one.ini ]] || refused "$file"
    done
    ! grep -q '^\[bench r[1-9]' "$config/wrong.ini" || refused "$config/wrong.ini"
    ran "$GBRUN" check -c "$config/ok.ini" --format json
    for ((n = 1; n <= ${#names[@]}; n++)); do
        got=$(sed -n "s/^r$n //p" errors.txt)
        if [[ ${all[n]} = ok* ]]; then
            got="ok $(grep -o "\"r$n\",\"n_cases\":[0-9]*" out.txt | sed 's/.*://' || cat err.txt)"
        else
            # shellcheck disable=SC2053 # a pattern
            [[ $got = ${all[n]// ... /*}* ]] && got=${all[n]}
        fi
        [ -z "${all[n]}" ] || equals "${names[n]}" "${all[n]}" "$got"
    done
}

# refused FILE: what is said of its sections goes to errors.txt.
refused()
{
    ran "$GBRUN" check -c "$1"
    [ "$code" = 2 ] || fail "what is wrong is exit code 2" "$code" "$(cat "$1" err.txt)"
    errors_of "$1" err.txt >>errors.txt
}

arguments=('arg.1 = buffer({type}[{n}], out)' 'arg.2 = buffer({type}[{n}], uniform=-1:1)' 'arg.3 = 0.5' 'arg.4 = {n}'
    'sweep.type = float, double' 'sweep.n = 1, 1000, 1Mi')
scaled=('source = scale.cu' 'include = include' 'entry = my::scale<{type}>' "${arguments[@]}"
    'grid = {(n + block_size - 1) / block_size}')
signature='signature = void(pointer, pointer, float, int)'
sizes='block = {block_size}; sweep.block_size = 64, 128, 256'

# NVRTC is asked where there is one: it is, if it refuses this option.
has_nvrtc=
printf '%s\n' '[bench scale]' 'device = cuda' 'plugin = kernel' "${scaled[@]}" "$signature" 'block = 1' \
    'sweep.block_size = 64' 'options = --no-such-option' >"$config/nvrtc.ini"
"$GBRUN" check -c "$config/nvrtc.ini" 2>&1 | grep -qF 'options: NVRTC says: unrecognized option' && has_nvrtc=yes

says "${scaled[@]}" <<TABLE
templates, expressions and axes|ok 18|$signature; $sizes
macros can be swept, as an axis|ok 54|$signature; $sizes; sweep.define.UNROLL = 1, 2, 4
work and its arithmetic|ok 36|$signature; $sizes; work.flops = {n}; work.math = {math} vector; sweep.math = fp32, fp64
an argument too many|9 arg.4: the signature has 3 parameters only|signature = void(pointer, pointer, float); $sizes
a missing argument|13 signature: ... arg.5 is missing|signature = void(pointer, pointer, float, int, int); $sizes
+a type of another size|13 signature: parameter 3 is double, but in $config/scale.cu it is a float of 4 bytes|\
signature = void(pointer, pointer, double, int); $sizes
a malformed signature|36 signature: ... expected|signature = void(pointer, pointer, flaot, int); $sizes
too many threads in some cases|9 block: ... out of range: expected whole numbers of threads|\
$signature; block = {block_size}; sweep.block_size = 512, 2048
a reference that is not there|19 reference_entry: there is no 'simple' in|$signature; $sizes; reference_entry = simple
a library that is not there|21 reference_library: ... cannot open shared object file|\
$signature; $sizes; reference = f; reference_library = ./none.so
a file that is not there|12 output.1: $config/none.npy: No such file|$signature; $sizes; output.1 = none.npy
an unknown format of arithmetic|13 work.math: unknown word 'float': expected a format and a unit, such as fp32 vector|\
$signature; $sizes; work.math = {type} vector
an unknown unit of arithmetic|18 work.math: unknown word 'cores': expected scalar, vector or tensor|\
$signature; $sizes; work.math = fp32 cores
TABLE

ptx='source = scale.ptx; entry = _Z5scalePf'
cuda='source = scale.cu; include = include'
says 'grid = 1' 'block = 1' <<TABLE
a kernel of PTX|ok 1|$ptx; signature = void(pointer); buffer(4)
PTX knows sizes|13 signature: parameter 1 is int32, but in|$ptx; signature = void(int); 4
and names|9 entry: there is no kernel 'scale' in|source = scale.ptx; entry = scale; signature = void(pointer); buffer(4)
+a number of parameters|13 signature: it has 1 parameter, but the kernel in $config/scale.cu has 4|\
$cuda; entry = my::scale<float>; signature = void(pointer); buffer(4)
an argument that a kernel does not reach|9 arg.1: a kernel cannot access this|$ptx; signature = void(pointer); buffer(4, host)
a kernel that a macro makes|ok 1|$cuda; entry = made_by_a_macro; signature = void(pointer, int); buffer(4); 1
a kernel in a header|ok 1|$cuda; entry = included; signature = void(pointer); buffer(4)
+a kind of parameter|13 signature: parameter 2 is float, but in|\
$cuda; entry = made_by_a_macro; signature = void(pointer, float); buffer(4); 1
a kernel in a header that is not found|9 entry: there is no 'included' in|\
source = scale.cu; entry = included; signature = void(pointer); buffer(4)
+a header that is not found|10 source: $config/scale.cu(1): catastrophic error: |\
source = scale.cu; entry = rename; signature = void(struct(int, int)); struct(1, 2)
a file of another kind|10 source: |source = scale.c; entry = f; signature = void()
no file|10 source: |source = none.cu; entry = f; signature = void()
a cubin is looked into as far as it is one|ok 1|source = empty.cubin; entry = f; signature = void()
TABLE

# tile <<TABLE: of entries of tile.cu: EXPECTED|ENTRY[; ITEM]...
tile()
{
    says 'grid = 1' 'block = 1' 'source = tile.cu' 'signature = void(pointer)' 'arg.1 = buffer(4)' < <(
        sed 's/^\(+*\)\([^|]*\)|\(.*\)$/\1\3|\2|entry = \3/')
}
here=$config/tile.cu
# What the source refuses, as 64 rows, fails when the case is run: others may be sound.
tile <<TABLE
9 entry: there is no 'tiel' in $here, only tile, plain|tiel<4>
+9 entry: 'tile' in $here: error: cannot determine which instance|tile
+9 entry: 'tile<4, 5, 6>' in $here: error: |tile<4, 5, 6>
+9 entry: 'tile<>' in $here: error: |tile<>
+9 entry: 'tile<4' in $here: error: expected a ">"|tile<4
+9 entry: 'plain<4>' in $here: error: |plain<4>
ok 1|tile<64>
ok 1|tile<4>
ok 1|tile<4, 5>
ok 1|tile<SHAPE>
ok 1|tile<GIVEN>; define.GIVEN = 4, 8
ok 1|plain
11 include: $config/nowhere: No such file or directory|plain; include = nowhere
11 include: $here: expected a folder|plain; include = tile.cu
13 define.2X: '2X' is not a macro name: expected letters, digits|plain; define.2X = 4
22 options: '-I': expected a value after it|plain; options = -std c++17 -I
10 shared: 1000000000 is out of range: expected bytes, a whole number up to|plain; shared = 1G
ok 1|plain; options = -I include -Iinclude --include-path include -D A=4 -std=c++20
+11 options: NVRTC says: unrecognized option --no-such-option|plain; options = --no-such-option
+27 options: NVRTC says: unrecognized option -O3|plain; options = --use_fast_math -O3
+11 options: NVRTC says: invalid value for --std|plain; options = --std c++99
TABLE

# An error that only some macros bring about: cases with the same text are compiled once, and of those with
# other texts the first, the fourth and the sixteenth.
undefined="10 source: $config/macro.cu(1): error: identifier"
says 'grid = 1' 'block = 1' 'source = macro.cu' 'entry = f' 'signature = void(pointer)' 'arg.1 = buffer(4)' <<TABLE
+an undefined macro|$undefined "VALUE" is undefined|
a macro of forty values|ok 80|sweep.define.VALUE = 1:40; shared = {bytes}; sweep.bytes = 0, 4
+one that the fourth value makes wrong|$undefined "four" is undefined|sweep.define.VALUE = 1, 2, 3, four, 5
one that the second value makes wrong|ok 5|sweep.define.VALUE = 1, two, 3, 4, 5
TABLE

# Where there is no NVRTC the name is looked for in the text, and no more.
mkdir "$TMPDIR/none"
ln -s "$top_builddir/plugins/bench_nop/.libs/bench_nop.so" "$TMPDIR/none/libnvrtc.so.13"
export LD_LIBRARY_PATH=$TMPDIR/none
tile <<TABLE
9 entry: there is no 'tiel' in $here, only tile, plain|tiel<4>
ok 1|tile<4, 5, 6>
ok 1|plain; options = --no-such-option
TABLE
unset LD_LIBRARY_PATH

says 'block = 1' 'source = tile.cu' 'entry = plain' 'signature = void(pointer)' 'arg.1 = buffer(4)' <<'TABLE'
grid = 1,|9 grid: it ends too early: expected a number|grid = 1,
grid = 1, 2, 3,|15 grid: ',': expected up to three numbers|grid = 1, 2, 3,
grid = 1, 2 * 3|13 grid: '* 3': expected nothing more (an expression stands in braces, such as {n / 256})|grid = 1, 2 * 3
TABLE

finish
