#!/usr/bin/env bash
# libgbrun on a GPU: contexts and streams of the program's own are as they were after each call, also after
# errors; it reads what `gbrun run` reads; compute-sanitizer finds nothing. CALLS=10000 ./run-gpu-tests -v library:
# memory is flat over so many; default 200.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
program=$top_builddir/tests/modules/.libs/library_contexts
if [ ! -x "$program" ]; then
    echo "there is no library_contexts: it is built with nvcc"
    exit 77
fi
cd "$TMPDIR" || exit 99

# results NAME COMMAND...: a test for each line that the program prints.
results()
{
    local name=$1 verdict what words
    shift
    code=0
    "$@" >results.txt 2>errors.txt || code=$?
    while IFS='|' read -r verdict what words; do
        case $verdict in
        pass) pass "$name: $what" ;;
        fail) fail "$name: $what" "$words" ;;
        figure) echo "# $what: $words" ;;
        esac
    done <results.txt
    equals "$name: it comes to its end" "end, exit code 0" "$(tail -n 1 results.txt), exit code $code"
    equals "$name: nothing is printed by the library" "" "$(head -n 5 errors.txt)"
}
results contexts "$program"
results costs "$program" costs "${CALLS:-200}"
results sticky "$program" sticky

# The same kernel by `gbrun run`.
cat >add.cu <<'CU'
__global__ void add(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
CU
cat >add.ini <<'INI'
[policy many]
plugin = fixed
samples = 2000
[bench kernel]
device = cuda
policy = many
source = add.cu
entry = add
signature = void(pointer, int)
arg.1 = buffer(float[1048576])
arg.2 = 1048576
grid = 4096
block = 256
cache_folder = kernels
sweep.cache = warm, cold
INI
run add.ini -q
all_fine "the same kernel by gbrun run"
for cache in warm cold; do
    by_run=$(column mean_ns "cache = '$cache'")
    by_library=$("$program" mean "$cache")
    echo "# $cache: gbrun run $by_run ns, libgbrun $by_library ns"
    succeeds "both read the same, $cache" awk -v a="$by_run" -v b="$by_library" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b > 0 && d <= 0.02 * a) }'
done

sanitizer=$(PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v compute-sanitizer)
if [ -z "$sanitizer" ]; then
    skip "compute-sanitizer" "it is not here"
else
    results memcheck "$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 9 --log-file log \
        "$program" quick
    equals "memcheck: nothing is wrong" "ERROR SUMMARY: 0 errors" "$(grep -o 'ERROR SUMMARY: .*' log)"
fi
finish
