#!/usr/bin/env bash
# Why CUDA cannot be used, with drivers that are absent, too old, or of no use; and that nothing else
# suffers from it.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
if ! "$GBRUN" list plugins | grep -q '^device *cuda '; then
    echo "gbrun was built without the device cuda"
    exit 77
fi
fake=$top_builddir/tests/fake_cuda/.libs

# why [VARIABLE=VALUE]...: what list devices says of CUDA with the driver of the tests, whose one name
# for errors is "other".
why()
{
    env LD_LIBRARY_PATH="$fake" "$@" "$GBRUN" list devices 2>&1 >devices.txt | sed -n 's/^cuda: absent: //p'
}

equals "too old" "the driver is too old: it is for CUDA 11.4: expected 12.0 or later" "$(why FAKE_CUDA_VERSION=11040)"
equals "no device" "no device: the driver found none; other (CUDA_ERROR_OTHER)" \
    "$(unset CUDA_VISIBLE_DEVICES; why FAKE_CUDA_INIT=100)"
equals "none is visible" "no device is visible: CUDA_VISIBLE_DEVICES is '7'" \
    "$(why FAKE_CUDA_INIT=100 CUDA_VISIBLE_DEVICES=7)"
equals "half of it is of another version" "libcuda.so.1 and the kernel's driver differ; other (CUDA_ERROR_OTHER)" \
    "$(why FAKE_CUDA_INIT=803)"
equals "anything else has the driver's own name" \
    "the driver cannot be initialized: other (CUDA_ERROR_OTHER)" "$(why FAKE_CUDA_INIT=3)"
equals "the CPU is there all the same" 1 "$(grep -c '^cpu:0 ' devices.txt)"

mkdir empty
printf 'int cuInit(unsigned flags) { return (int)flags; }\n' >lacks.c
if ${CC:-cc} -shared -fPIC -Wl,-soname,libcuda.so.1 lacks.c -o empty/libcuda.so.1 2>/dev/null; then
    equals "a driver that lacks functions" \
        "the driver is too old: libcuda.so.1 has no cuDriverGetVersion: expected a driver for CUDA 12.0 or later" \
        "$(why LD_LIBRARY_PATH="$TMPDIR/empty")"
else
    skip "a driver that lacks functions" "no compiler"
fi

few_samples 10 '[bench nop]' '[bench spin]' >bench.ini
env LD_LIBRARY_PATH="$fake" FAKE_CUDA_INIT=100 "$GBRUN" -q -c bench.ini >table.txt 2>text.txt
equals "device = auto is the CPU then" "0 2" "$? $(grep -c '^\(nop\|spin\) ' table.txt)"

# ---- cases that ask for one ----
few_samples 10 '[bench gpu]' 'plugin = nop' 'device = cuda' '[bench half]' 'plugin = nop' 'sweep.device = cpu, cuda' \
    '[bench one]' 'plugin = nop' 'device = cuda:0' >mixed.ini
# with_none WORD...: gbrun on it, where the driver finds no GPU.
with_none()
{
    env LD_LIBRARY_PATH="$fake" FAKE_CUDA_INIT=100 "$GBRUN" -q -c mixed.ini "$@" >table.txt 2>text.txt
}
with_none gpu half -o half.gbr
equals "what is for the CPU is measured, the rest skipped" "0 gpu,cuda,skipped half,cpu,ok half,cuda,skipped" \
    "$? $(column bench,device,status half.gbr | xargs)"
has "with the reason" table.txt 'gpu and 1 more: device cuda is not available: no device: the driver found none'
with_none gpu half -o half.gbr --strict
equals "not so with --strict" "3 gbrun: --strict: 0 failed, 2 skipped, 1 not certified, of 3 visits" \
    "$? $(cat text.txt)"
with_none gpu -o none.gbr
equals "nothing at all was measured" "0 gbrun: nothing was measured: 1 of 1 visits were skipped" \
    "$? $(cat text.txt)"
has "and there is no table" table.txt 'all cases were skipped'
with_none one -o one.gbr
equals "one that is named must be there" "1 one,failed" "$? $(column bench,status one.gbr)"
finish
