#!/usr/bin/env bash
# Functions of libraries for GPUs, described in a configuration: device memory, the stream, statuses,
# references on either side, cuBLAS.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
cd "$TMPDIR" || exit 99

begin()
{
    cat >bench.ini <<'INI'
[policy few]
plugin = fixed
samples = 20
[defaults]
policy = few
device = cuda
time_limit = 60 s
INI
}

# bench NAME PLUGIN FUNCTION SIGNATURE LINE...: a section about a function of the driver.
bench()
{
    printf '[bench %s]\nplugin = %s\nlibrary = libcuda.so.1\nfunction = %s\nsignature = %s\nok = 0\n' \
        "$1" "$2" "$3" "$4" >>bench.ini
    shift 4
    printf '%s\n' "$@" >>bench.ini
}

begin
bench memset call cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" \
    "arg.1 = buffer({bytes}, out, expect=7)" "arg.2 = 7" "arg.3 = {bytes}" "arg.4 = stream" \
    "work.bytes_written = {bytes}" "sweep.bytes = 1, 1MiB, 33MiB"
bench copy call cuMemcpyDtoDAsync_v2 "int(pointer, pointer, size_t, pointer)" \
    "arg.source = buffer(fp16[{n}], uniform=-1:1)" "arg.1 = buffer(fp16[{n}], out, expect=source)" \
    "arg.2 = source" "arg.3 = {2 * n}" "arg.4 = stream" "sweep.n = 100, 1M"
bench on_host call cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" \
    "arg.1 = buffer(1MiB, out)" "arg.2 = 9" "arg.3 = 1MiB" "arg.4 = stream" \
    "reference = memset" "reference_library = libc.so.6" "reference_memory = host" \
    "reference_signature = pointer(pointer, int, size_t)" "ref.1 = arg.1" "ref.2 = 9" "ref.3 = 1MiB"
bench waits call_synchronous cuMemcpyDtoH_v2 "int(pointer, pointer, size_t)" \
    "arg.source = buffer(int32[1000], shuffle)" "arg.1 = buffer(int32[1000], host, out, expect=source)" \
    "arg.2 = source" "arg.3 = 4000"
bench restored call_synchronous cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" \
    "arg.1 = buffer(1000, fill=1, restore, expect=7)" "arg.2 = 7" "arg.3 = 1000" "arg.4 = stream"
bench pinned call_synchronous cuMemcpyHtoDAsync_v2 "int(pointer, pointer, size_t, pointer)" \
    "arg.source = buffer(100, pinned, fill=3)" "arg.1 = buffer(100, out, expect=3)" \
    "arg.2 = source" "arg.3 = 100" "arg.4 = stream"
run bench.ini
all_fine "memory of the device, pinned memory and the stream are passed"
number_of_cases 9
equals "all are checked" ok "$(column verified "status = 'ok'" | sort -u)"

begin
bench wrong call cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" \
    "arg.1 = buffer(1000, out, expect=7)" "arg.2 = 7" "arg.3 = 999" "arg.4 = stream"
bench status call cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" "arg.1 = null" "arg.2 = 7" \
    "arg.3 = 999" "arg.4 = stream"
bench asynchronous call cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" \
    "arg.1 = buffer(1000, restore)" "arg.2 = 7" "arg.3 = 999" "arg.4 = stream"
run bench.ini
equals "a wrong result, a status and a restored buffer of a function that does not wait are reported" \
    "wrong result failed failed 1" "$(in_a_line column status) $code"
succeeds "with the words for it" grep -q 'expected plugin = call_synchronous' text.txt

run "$top_srcdir/conf/call_cublas.ini" -s defaults.policy=fixed -s defaults.max_samples=20
wrong=$(column status,verified,label,status_text | grep -vE '^(ok,ok|skipped,[a-z]*),')
equals "cuBLAS, in conf/call_cublas.ini" " 0" "$wrong $code"
finish
