#!/usr/bin/env bash
# test_kernel_cases.sh - kernels described in a configuration: what is refused before anything runs, with
# its place. No GPU is needed.
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
if [ ! -e "$top_builddir/plugins/bench_kernel/bench_kernel.la" ]; then
    echo "built without the headers of CUDA"
    exit 77
fi
mkdir "$TMPDIR/config" "$TMPDIR/config/include" "$TMPDIR/elsewhere"
cd "$TMPDIR/elsewhere" || exit 99
config=$TMPDIR/config/bench.ini

cat >"$TMPDIR/config/scale.cu" <<'CU'
#include "types.h"
namespace my {
template <typename T> __global__ void scale(T *to, const T *from, float factor, int n)
{
}
}
__global__ void rename(struct pair p) {}
DEFINE_KERNEL(made_by_a_macro)
CU
cat >"$TMPDIR/config/include/types.h" <<'CU'
struct pair {
    int a, b;
};
#define DEFINE_KERNEL(name) __global__ void name(int *x, int n) {}
__global__ void included(int *x) {}
CU
cat >"$TMPDIR/config/scale.ptx" <<'PTX'
.visible .entry _Z5scalePf(
    .param .u64 _Z5scalePf_param_0
)
{ ret; }
PTX

# check [LINE]...: the section below, then these lines, which are from line 14 on; what check says is
# in said.txt.
check()
{
    cat >"$config" <<'INI'
[bench scale]
device = cuda
plugin = kernel
source = scale.cu
include = include
entry = my::scale<{type}>
arg.1 = buffer({type}[{n}], out)
arg.2 = buffer({type}[{n}], uniform=-1:1)
arg.3 = 0.5
arg.4 = {n}
grid = {(n + block_size - 1) / block_size}
sweep.type = float, double
sweep.n = 1, 1000, 1Mi
INI
    printf '%s\n' "$@" >>"$config"
    "$GBRUN" check -c "$config" >said.txt 2>&1
}

# good NAME LINE...: nothing is wrong with it.
good()
{
    local name=$1
    shift
    if check "$@"; then
        pass "$name"
    else
        fail "$name" "$(cat said.txt)"
    fi
}

# wrong NAME WHERE WORDS LINE...: this is said of the place LINE:COLUMN, and the exit status is 2.
wrong()
{
    local name=$1 where=$2 words=$3 code
    shift 3
    check "$@"
    code=$?
    if [ "$code" = 2 ] && grep -qF "bench.ini:$where: error: " said.txt &&
        grep -F "bench.ini:$where: error: " said.txt | grep -qF "$words"; then
        pass "$name"
    else
        fail "$name" "exit status $code, expected $where: $words" "$(cat said.txt)"
    fi
}

# NVRTC is asked where there is one: it is, if it refuses this option.
has_nvrtc=
check 'signature = void(pointer, pointer, float, int)' 'block = 1' \
    'sweep.block_size = 64' 'options = --no-such-option'
grep -qF 'options: NVRTC says: unrecognized option' said.txt && has_nvrtc=yes
# compiled TEST NAME ARGUMENT...: a test of what only compiling shows.
compiled()
{
    if [ -n "$has_nvrtc" ]; then
        "$@"
    else
        skip "${*:2:2}" "there is no NVRTC"
    fi
}

signature='signature = void(pointer, pointer, float, int)'
block='block = {block_size}'
sizes='sweep.block_size = 64, 128, 256'
good "templates, expressions and axes" "$signature" "$block" "$sizes"
equals "all cases are there" "$config: ok, 18 cases" "$(cat said.txt)"
good "macros can be swept" "$signature" "$block" "$sizes" 'sweep.define.UNROLL = 1, 2, 4'
equals "as an axis" "$config: ok, 54 cases" "$(cat said.txt)"

wrong "an argument too many" 10:9 "arg.4: the signature has 3 parameters only" \
    'signature = void(pointer, pointer, float)' "$block" "$sizes"
wrong "a missing argument" 14:13 "arg.5 is missing" \
    'signature = void(pointer, pointer, float, int, int)' "$block" "$sizes"
compiled wrong "a type of another size" 14:13 \
    "parameter 3 is double, but in $TMPDIR/config/scale.cu it is a float of 4 bytes" \
    'signature = void(pointer, pointer, double, int)' "$block" "$sizes"
wrong "a malformed signature" 14:36 "expected" \
    'signature = void(pointer, pointer, flaot, int)' "$block" "$sizes"
wrong "too many threads in some cases" 15:9 "out of range: expected whole numbers of threads" \
    "$signature" "$block" 'sweep.block_size = 512, 2048'
wrong "a reference that is not there" 17:19 "reference_entry: there is no 'simple' in" \
    "$signature" "$block" "$sizes" 'reference_entry = simple'
wrong "a library that is not there" 18:21 "cannot open shared object file" \
    "$signature" "$block" "$sizes" 'reference = f' 'reference_library = ./none.so'
wrong "a file that is not there" 17:12 "output.1: $TMPDIR/config/none.npy: No such file" \
    "$signature" "$block" "$sizes" 'output.1 = none.npy'
good "work and its arithmetic" "$signature" "$block" "$sizes" 'work.flops = {n}' \
    'work.math = {math} vector' 'sweep.math = fp32, fp64'
wrong "an unknown format of arithmetic" 17:13 \
    "work.math: unknown word 'float': expected a format and a unit, such as fp32 vector" \
    "$signature" "$block" "$sizes" 'work.math = {type} vector'
wrong "an unknown unit of arithmetic" 17:18 \
    "work.math: unknown word 'cores': expected scalar, vector or tensor" \
    "$signature" "$block" "$sizes" 'work.math = fp32 cores'

# other LINE...: one case of another kernel.
other()
{
    printf '[bench other]\nplugin = kernel\ndevice = cuda\ngrid = 1\nblock = 1\n' >"$config"
    printf '%s\n' "$@" >>"$config"
    "$GBRUN" check -c "$config" >said.txt 2>&1
}
# other_says NAME STATUS WORDS LINE...
other_says()
{
    local name=$1 status=$2 words=$3 code
    shift 3
    other "$@"
    code=$?
    if [ "$code" = "$status" ] && grep -qF "$words" said.txt; then
        pass "$name"
    else
        fail "$name" "exit status $code" "$(cat said.txt)"
    fi
}
other_says "a kernel of PTX" 0 'ok, 1 case' 'source = scale.ptx' 'entry = _Z5scalePf' \
    'signature = void(pointer)' 'arg.1 = buffer(4)'
other_says "PTX knows sizes" 2 'bench.ini:8:13: error: signature: parameter 1 is int32, but in' \
    'source = scale.ptx' 'entry = _Z5scalePf' 'signature = void(int)' 'arg.1 = 4'
other_says "and names" 2 "bench.ini:7:9: error: entry: there is no kernel 'scale' in" \
    'source = scale.ptx' 'entry = scale' 'signature = void(pointer)' 'arg.1 = buffer(4)'
compiled other_says "a number of parameters" 2 "bench.ini:9:13: error: signature: it has 1 parameter, but the \
kernel in $TMPDIR/config/scale.cu has 4" 'source = scale.cu' 'include = include' 'entry = my::scale<float>' \
    'signature = void(pointer)' 'arg.1 = buffer(4)'
other_says "an argument that a kernel does not reach" 2 \
    'bench.ini:9:9: error: arg.1: a kernel does not reach this' 'source = scale.ptx' \
    'entry = _Z5scalePf' 'signature = void(pointer)' 'arg.1 = buffer(4, host)'
other_says "a kernel that a macro makes" 0 'ok, 1 case' 'source = scale.cu' 'include = include' \
    'entry = made_by_a_macro' 'signature = void(pointer, int)' 'arg.1 = buffer(4)' 'arg.2 = 1'
other_says "a kernel in a header" 0 'ok, 1 case' 'source = scale.cu' 'include = include' \
    'entry = included' 'signature = void(pointer)' 'arg.1 = buffer(4)'
compiled other_says "a kind of parameter" 2 'parameter 2 is float, but in' 'source = scale.cu' \
    'include = include' 'entry = made_by_a_macro' 'signature = void(pointer, float)' 'arg.1 = buffer(4)' 'arg.2 = 1'
other_says "a kernel in a header that is not found" 2 "there is no 'included' in" 'source = scale.cu' \
    'entry = included' 'signature = void(pointer)' 'arg.1 = buffer(4)'
compiled other_says "a header that is not found" 2 \
    "bench.ini:6:10: error: source: $TMPDIR/config/scale.cu(1): catastrophic error: " 'source = scale.cu' \
    'entry = rename' 'signature = void(struct(int, int))' 'arg.1 = struct(1, 2)'
other_says "a file of another kind" 2 'bench.ini:6:10: error: source: ' 'source = scale.c' \
    'entry = f' 'signature = void()'
other_says "no file" 2 'bench.ini:6:10: error: source: ' 'source = none.cu' 'entry = f' \
    'signature = void()'
head -c 100 /dev/zero >"$TMPDIR/config/empty.cubin"
other_says "a cubin is looked into as far as it is one" 0 'ok, 1 case' 'source = empty.cubin' \
    'entry = f' 'signature = void()'

cat >"$TMPDIR/config/tile.cu" <<'CU'
#define SHAPE 4, 8
template <int ROWS, int COLUMNS = 8> __global__ void tile(float *x)
{
    static_assert(ROWS < 64, "too many rows");
    x[ROWS] = COLUMNS;
}
__global__ void plain(float *x) {}
CU
# tile WORDS ENTRY LINE...: what is said of this entry of tile.cu, or `ok`.
tile()
{
    local words=$1 entry=$2 status=2
    shift 2
    [ "$words" = ok ] && status=0 && words='ok, 1 case'
    other_says "$entry $*" "$status" "$words" 'source = tile.cu' "entry = $entry" \
        'signature = void(pointer)' 'arg.1 = buffer(4)' "$@"
}
here=$TMPDIR/config/tile.cu
tile "bench.ini:7:9: error: entry: there is no 'tiel' in $here, only tile, plain" 'tiel<4>'
compiled tile "bench.ini:7:9: error: entry: 'tile' in $here: error: cannot determine which instance" tile
compiled tile "bench.ini:7:9: error: entry: 'tile<4, 5, 6>' in $here: error: " 'tile<4, 5, 6>'
compiled tile "bench.ini:7:9: error: entry: 'tile<>' in $here: error: " 'tile<>'
compiled tile "bench.ini:7:9: error: entry: 'tile<4' in $here: error: expected a \">\"" 'tile<4'
compiled tile "bench.ini:7:9: error: entry: 'plain<4>' in $here: error: " 'plain<4>'
# The source refuses it: the case fails when it is run, others may be sound.
tile ok 'tile<64>'
tile ok 'tile<4>'
tile ok 'tile<4, 5>'
tile ok 'tile<SHAPE>'
tile ok 'tile<GIVEN>' 'define.GIVEN = 4, 8'
tile ok plain
tile "bench.ini:10:11: error: include: $TMPDIR/config/nowhere: No such file or directory" plain \
    'include = nowhere'
tile "bench.ini:10:11: error: include: $here: expected a folder" plain 'include = tile.cu'
tile "bench.ini:10:13: error: define.2X: '2X' is no name of a macro: expected letters, digits" plain \
    'define.2X = 4'
tile "bench.ini:10:22: error: options: '-I': expected a value behind it" plain \
    'options = -std c++17 -I'
tile "bench.ini:10:10: error: shared: 1000000000 is out of range: expected bytes, a whole number up to" \
    plain 'shared = 1G'
tile ok plain 'options = -I include -Iinclude --include-path include -D A=4 -std=c++20'
compiled tile "bench.ini:10:11: error: options: NVRTC says: unrecognized option --no-such-option" plain \
    'options = --no-such-option'
compiled tile "bench.ini:10:27: error: options: NVRTC says: unrecognized option -O3" plain \
    'options = --use_fast_math -O3'
compiled tile "bench.ini:10:11: error: options: NVRTC says: invalid value for --std" plain \
    'options = --std c++99'

# An error that only some macros bring about: cases with the same text are compiled once, and of those with
# other texts the first, the fourth and the sixteenth.
cat >"$TMPDIR/config/macro.cu" <<'CU'
__global__ void f(float *x) { *x = VALUE; }
CU
# macro STATUS WORDS LINE...: what is said of the sweep.
macro()
{
    local status=$1 words=$2
    shift 2
    other_says "a macro: $*" "$status" "$words" 'source = macro.cu' 'entry = f' 'signature = void(pointer)' \
        'arg.1 = buffer(4)' "$@"
}
here=$TMPDIR/config/macro.cu
undefined="bench.ini:6:10: error: source: $here(1): error: identifier"
compiled macro 2 "$undefined \"VALUE\" is undefined"
macro 0 'ok, 80 cases' 'sweep.define.VALUE = 1:40' 'shared = {bytes}' 'sweep.bytes = 0, 4'
compiled macro 2 "$undefined \"four\" is undefined" 'sweep.define.VALUE = 1, 2, 3, four, 5'
macro 0 'ok, 5 cases' 'sweep.define.VALUE = 1, two, 3, 4, 5'

# Where there is no NVRTC the name is looked for in the text, and no more.
mkdir "$TMPDIR/none"
ln -s "$top_builddir/plugins/bench_nop/.libs/bench_nop.so" "$TMPDIR/none/libnvrtc.so.13"
export LD_LIBRARY_PATH=$TMPDIR/none
here=$TMPDIR/config/tile.cu
tile "bench.ini:7:9: error: entry: there is no 'tiel' in $here, only tile, plain" 'tiel<4>'
tile ok 'tile<4, 5, 6>'
tile ok plain 'options = --no-such-option'
unset LD_LIBRARY_PATH

# shape GRID WORDS: what is said of a grid.
shape()
{
    sed -i "s/^grid = .*/grid = $1/" "$config"
    "$GBRUN" check -c "$config" >said.txt 2>&1
    equals "grid = $1" "$config:4:$2" "$(head -n 1 said.txt)"
}
other 'source = tile.cu' 'entry = plain' 'signature = void(pointer)' 'arg.1 = buffer(4)'
shape '1,' '9: error: grid: it ends too early: expected a number'
shape '1, 2, 3,' '15: error: grid: '"','"': expected up to three numbers'
shape '1, 2 * 3' "13: error: grid: '* 3': expected nothing more (an expression stands in braces, such as \
{n / 256})"

succeeds "the configuration that comes along is sound" "$GBRUN" check -c "$top_srcdir/conf/kernel.ini"
finish
