#!/usr/bin/env bash
# The range that gbrun run --profile shows to ncu holds the kernels of the case, as many as there are samples,
# and none of gbrun's own.
. "$top_srcdir/tests/gpu/common.sh"
begin
ncu=$(cuda_tool ncu) || leave "there is no ncu on PATH or in /usr/local/cuda/bin"
few_samples 10 'device = cuda' 'time_limit = 2 min' '[bench copy]' 'method = kernel' 'bytes = 1MiB' \
    'sweep.launch = stream, graph' 'sweep.cache = warm, cold' >bench.ini

# kernels NUMBER: the names of what ncu saw of this case, with how often each.
kernels()
{
    "$ncu" --profile-from-start off --csv --section LaunchStats "$GBRUN" run -c bench.ini --profile "$1" \
        >ncu.csv 2>ncu.txt
    awk -F'","' '/^"[0-9]/ && !($1 in seen) { seen[$1] = 1; split($5, name, "("); n[name[1]]++ }
                 END { for (i in n) print n[i], i }' ncu.csv
}

if kernels 1 | grep -q . || ! grep -qs ERR_NVGPUCTRPERM ncu.csv ncu.txt; then
    for number in 1 2 3 4; do
        found=$(kernels "$number")
        succeeds "case $number: ten launches of one kernel: $found" grep -qx '10 [a-z_<>0-9, ]*copy[^ ]*' <<<"$found"
        equals "case $number: and no other" 1 "$(wc -l <<<"$found")"
    done
else
    skip "what ncu sees" "the driver reserves profiling for root"
fi
finish
