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
echo '__global__ void included(int *x);' >"$TMPDIR/config/include/types.h"
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
wrong "a type of another kind" 14:13 "parameter 3 is double, but in" \
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
other_says "a number of parameters" 2 "bench.ini:9:13: error: signature: it has 1 parameter, but the kernel in \
$TMPDIR/config/scale.cu:3 has 4" 'source = scale.cu' 'include = include' 'entry = my::scale<float>' \
    'signature = void(pointer)' 'arg.1 = buffer(4)'
other_says "an argument that a kernel does not reach" 2 \
    'bench.ini:9:9: error: arg.1: a kernel does not reach this' 'source = scale.ptx' \
    'entry = _Z5scalePf' 'signature = void(pointer)' 'arg.1 = buffer(4, host)'
other_says "a kernel that a macro makes" 0 'ok, 1 case' 'source = scale.cu' \
    'entry = made_by_a_macro' 'signature = void(pointer, int)' 'arg.1 = buffer(4)' 'arg.2 = 1'
other_says "a kernel in a header" 0 'ok, 1 case' 'source = scale.cu' 'include = include' \
    'entry = included' 'signature = void(pointer)' 'arg.1 = buffer(4)'
other_says "a header that is not found" 2 "there is no 'included' in" 'source = scale.cu' \
    'entry = included' 'signature = void(pointer)' 'arg.1 = buffer(4)'
other_says "a file of another kind" 2 'bench.ini:6:10: error: source: ' 'source = scale.c' \
    'entry = f' 'signature = void()'
other_says "no file" 2 'bench.ini:6:10: error: source: ' 'source = none.cu' 'entry = f' \
    'signature = void()'
head -c 100 /dev/zero >"$TMPDIR/config/empty.cubin"
other_says "a cubin is looked into as far as it is one" 0 'ok, 1 case' 'source = empty.cubin' \
    'entry = f' 'signature = void()'

succeeds "the configuration that comes along is sound" "$GBRUN" check -c "$top_srcdir/conf/kernel.ini"
finish
