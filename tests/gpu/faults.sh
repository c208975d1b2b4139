#!/usr/bin/env bash
# Everything that can go wrong on a GPU fails only its own case, whose status names CUDA's error; the others
# are measured, and the device is usable afterwards.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module cuda_kernels
head=$(few_samples 50 'time_limit = 4 s')

# What goes wrong, the status of its case, what its words match: GPUs of different generations name some
# faults in different ways.
faults='illegal|device error|CUDA_ERROR_ILLEGAL_ADDRESS
misaligned|device error|CUDA_ERROR_MISALIGNED_ADDRESS
trap|device error|CUDA_ERROR_(LAUNCH_FAILED|ILLEGAL_INSTRUCTION)
assertion|device error|CUDA_ERROR_ASSERT
reset|device error|CUDA_ERROR_(CONTEXT_IS_DESTROYED|INVALID_CONTEXT)
bad_launch|failed|CUDA_ERROR_INVALID_VALUE
too_much|failed|out of memory \(CUDA_ERROR_OUT_OF_MEMORY\): .* GiB asked for, .* free
endless|timed out|after 4'
pairs=$(awk -F '|' '{ printf "%s%s, %d | spin, %d", (NR > 1 ? " |\n    " : ""), $1, NR, NR }' <<<"$faults")

# After each of them stands a case that must not notice.
measure '[bench mixed]' 'plugin = cuda_kernels' "zip.fault = kind, number: $pairs"
equals "a run with poisoned cases ends with exit code 1" 1 "$code"
n_faults=$(grep -c . <<<"$faults")
number_of_cases $((2 * n_faults))
equals "the cases between them are fine" "$n_faults" \
    "$(column status,n_samples "kind = 'spin'" | grep -cx 'ok,50')"
while IFS='|' read -r kind status words; do
    got=$(column status,status_text "kind = '$kind'")
    if [ "${got%%,*}" = "$status" ] && grep -qE "$words" <<<"$got"; then
        pass "$kind: $status"
    else
        fail "$kind: $status" "expected: $status, $words" "got: $got"
    fi
done <<<"$faults"

# The same one after the other, without a case between.
measure '[bench row]' 'plugin = cuda_kernels' 'sweep.number = 1:2' 'sweep.kind = illegal, trap, spin'
equals "two faults in a row cost two cases" \
    "device error device error ok device error device error ok" \
    "$(column status | xargs)"

head=
fine "the device is usable afterwards" '[bench spin]' 'plugin = cuda_kernels' 'duration = 20 us' 'max_time = 1 s'
finish
