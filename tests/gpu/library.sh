#!/usr/bin/env bash
# libgbrun on a GPU: contexts and streams of the program's own are as they were after each call, also after
# errors; it reads what `gbrun run` reads; compute-sanitizer finds nothing. CALLS=10000 ./run-gpu-tests -v library:
# memory is flat over so many; default 200.
. "$top_srcdir/tests/gpu/common.sh"
begin
program=$top_builddir/tests/modules/.libs/library_contexts
[ -x "$program" ] || leave "there is no library_contexts: it is built with nvcc"

# results NAME COMMAND...: a test for each line that the program prints.
results()
{
    local name=$1
    shift
    code=0
    "$@" >results.txt 2>errors.txt || code=$?
    verdicts "$name: " <results.txt
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
head=$(few_samples 2000 'device = cuda')
fine "the same kernel by gbrun run" '[bench kernel]' 'source = add.cu' 'entry = add' 'signature = void(pointer, int)' \
    'arg.1 = buffer(float[1048576])' 'arg.2 = 1048576' 'grid = 4096' 'block = 256' 'cache_folder = kernels' \
    'sweep.cache = warm, cold'
for cache in warm cold; do
    by_run=$(column mean_ns "cache = '$cache'")
    by_library=$("$program" mean "$cache")
    echo "# $cache: gbrun run $by_run ns, libgbrun $by_library ns"
    within "both read the same, $cache" 0.98 \
        "$(awk -v a="$by_run" -v b="$by_library" 'BEGIN { if (a > 0) print b / a }')" 1.02
done

sanitizer=$(cuda_tool compute-sanitizer)
if [ -z "$sanitizer" ]; then
    skip "compute-sanitizer" "it is not here"
else
    results memcheck "$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 9 --log-file log \
        "$program" quick
    equals "memcheck: nothing is wrong" "ERROR SUMMARY: 0 errors" "$(grep -o 'ERROR SUMMARY: .*' log)"
fi
finish
