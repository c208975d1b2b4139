#!/usr/bin/env bash
# Functions of libraries for GPUs, described in a configuration: device memory, the stream, statuses,
# references on either side, cuBLAS.
. "$top_srcdir/tests/gpu/common.sh"
begin

# bench NAME PLUGIN FUNCTION SIGNATURE LINE...: a section about a function of the driver.
bench()
{
    printf '%s\n' "[bench $1]" "plugin = $2" 'library = libcuda.so.1' "function = $3" "signature = $4" 'ok = 0' "${@:5}"
}
# memset NAME PLUGIN LINE...: one that sets all bytes of an array to 7.
memset()
{
    bench "$1" "$2" cuMemsetD8Async "int(pointer, uint8, size_t, pointer)" "arg.2 = 7" "arg.4 = stream" "${@:3}"
}

head=$(few_samples 20 'device = cuda' 'time_limit = 60 s')
verified "memory of the device, pinned memory and the stream are passed" \
    "$(memset memset call "arg.1 = buffer({bytes}, out, expect=7)" "arg.3 = {bytes}" \
        "work.bytes_written = {bytes}" "sweep.bytes = 1, 1MiB, 33MiB")" \
    "$(bench copy call cuMemcpyDtoDAsync_v2 "int(pointer, pointer, size_t, pointer)" \
        "arg.source = buffer(fp16[{n}], uniform=-1:1)" "sweep.n = 100, 1M" \
        "$(arguments "buffer(fp16[{n}], out, expect=source)" source "{2 * n}" stream)")" \
    "$(memset on_host call "arg.1 = buffer(1MiB, out)" "arg.3 = 1MiB" \
        "reference = memset" "reference_library = libc.so.6" "reference_memory = host" \
        "reference_signature = pointer(pointer, int, size_t)" "ref.1 = arg.1" "ref.2 = 7" "ref.3 = 1MiB")" \
    "$(bench waits call_synchronous cuMemcpyDtoH_v2 "int(pointer, pointer, size_t)" \
        "arg.source = buffer(int32[1000], shuffle)" \
        "$(arguments "buffer(int32[1000], host, out, expect=source)" source 4000)")" \
    "$(memset restored call_synchronous "arg.1 = buffer(1000, fill=1, restore, expect=7)" "arg.3 = 1000")" \
    "$(bench pinned call_synchronous cuMemcpyHtoDAsync_v2 "int(pointer, pointer, size_t, pointer)" \
        "arg.source = buffer(100, pinned, fill=3)" "$(arguments "buffer(100, out, expect=3)" source 100 stream)")"

measure "$(memset wrong call "arg.1 = buffer(1000, out, expect=7)" "arg.3 = 999")" \
    "$(memset status call "arg.1 = null" "arg.3 = 999")" \
    "$(memset asynchronous call "arg.1 = buffer(1000, restore)" "arg.3 = 999")"
equals "a wrong result, a status and a restored buffer of a function that does not wait are reported" \
    "wrong result failed failed 1" "$(column status | xargs) $code"
succeeds "with the words for it" grep -q 'expected plugin = call_synchronous' text.txt

run "$top_srcdir/conf/call_cublas.ini" -s defaults.policy=fixed -s defaults.max_samples=20
all_fine "cuBLAS, in conf/call_cublas.ini" 'ok,ok|skipped,[a-z]*'
finish
