#!/usr/bin/env bash
# Copies of several GPUs at once are right in all directions, with every option, and their bandwidths, which are
# printed, go together.
. "$top_srcdir/tests/gpu/common.sh"
begin
n=$(n_gpus)
[ "$n" -ge 2 ] || leave "one GPU: it has no peers"
head=$(few_samples 30 'device = cuda' 'time_limit = 2 min')

# print_rates: what crossed the links of each case.
print_rates()
{
    column directions,bytes,items_per_s |
        awk -F, '{ printf "# %-5s %10d bytes  %8.2f GB/s\n", $1, $2, $3 / 1e9 }'
}

# Each case opens all GPUs, which takes a second: sizes, launches and caches are not tried with all directions.
measure '[bench copy]' 'zip.way = from, to, directions, bytes: device, peer, one, 1 | peer, device, one, 4099 |
    device, peer, both, 1MiB | device, peer, all, 4099 | device, peer, one, 256MiB | device, peer, both, 256MiB |
    device, peer, all, 256MiB'
if grep -q "cannot access the memory of GPU" text.txt; then
    skip "copies between GPUs" "a GPU does not reach another one's memory"
else
    all_verified "copies between GPUs"
    print_rates
    # Two directions of one link carry more than one, and less than twice as much.
    within "both directions at once carry 1.3 to 2.1 times as much as one" 1.3 "$(
        column directions,items_per_s "\"from\" = 'device' and bytes = 268435456" | awk -F, '
            { rate[$1] = $2 }
            END { if (rate["one"] > 0) print rate["both"] / rate["one"] }')" 2.1
    verified "copies between GPUs: launch, cache, several iterations" '[bench copy]' 'bytes = 1MiB' 'iterations = 3' \
        'zip.way = from, to, directions, launch, cache:
    device, peer, one, stream, warm | peer, device, one, graph, cold | device, peer, both, graph, warm |
    device, peer, all, stream, cold'
    verified "copies between GPUs by a kernel and by the driver" '[bench copy]' 'bytes = 1MiB' \
        'zip.way = from, to, method: device, peer, kernel | peer, device, memcpy'
fi
verified "copies from and to the host at once" '[bench copy]' 'bytes = 64MiB' 'method = memcpy' \
    'zip.way = from, to, directions: device, pinned, one | pinned, device, one | device, pinned, both'
print_rates
finish
