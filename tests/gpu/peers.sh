#!/usr/bin/env bash
# Work of several GPUs at once: copies in all directions and collectives of NCCL are right, with every
# option, and their bandwidths, which are printed, go together. NCCL is $NCCL, or where the loader looks,
# or the one that PyTorch brought along.
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

# --- copies ---

pairs='zip.way = from, to, directions: device, peer, one | peer, device, one | device, peer, both'
measure '[bench copy]' "$pairs | device, peer, all" 'sweep.bytes = 1, 4099, 1MiB, 256MiB'
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
    verified "copies between GPUs: launch, cache and several iterations" '[bench copy]' "$pairs | device, peer, all" \
        'bytes = 1MiB' 'iterations = 3' 'sweep.launch = stream, graph' 'sweep.cache = warm, cold'
    verified "copies between GPUs by a kernel and by the driver" '[bench copy]' 'sweep.method = kernel, memcpy' \
        'bytes = 1MiB' 'zip.way = from, to: device, peer | peer, device'
fi
verified "copies from and to the host at once" '[bench copy]' 'bytes = 64MiB' 'method = memcpy' \
    'zip.way = from, to, directions: device, pinned, one | pinned, device, one | device, pinned, both'
print_rates

# --- NCCL ---

# Where Python keeps what packages brought along.
nccl_of_python()
{
    python3 - <<'PYTHON' 2>/dev/null
import glob, site, sys
folders = sys.path + site.getsitepackages() + [site.getusersitepackages()]
found = [f for p in folders for f in glob.glob(p + "/nvidia/nccl/lib/libnccl.so.2")]
print(found[0] if found else "")
PYTHON
}
library=${NCCL:-$(nccl_of_python)}
[ -n "$library" ] || library=$(find /usr/lib /usr/local /opt -name libnccl.so.2 -print -quit 2>/dev/null)
library=${library:-libnccl.so.2}
nccl="[bench nccl]
library = $library"
all='sweep.collective = all_reduce, all_gather, reduce_scatter, all_to_all, broadcast'

measure "$nccl" 'iterations = 20' "$all" 'sweep.bytes = 1KiB, 1MiB, 64MiB, 512MiB'
! grep -q "libnccl.so.2 was not found" text.txt ||
    skip_rest "collectives of NCCL" "there is no libnccl.so.2: set NCCL to its path"
all_verified "collectives"
echo "# NCCL $(column metric.nccl_version | sort -u) of $library, $n GPUs"
echo "# collective  bytes  median  algorithm bandwidth  bus bandwidth"
column collective,bytes,median_ns,items_per_s,bytes_per_s | awk -F, '
    { printf "# %-14s %10d  %9.2f us  %8.2f GB/s  %8.2f GB/s\n", $1, $2, $3 / 1e3, $4 / 1e9, $5 / 1e9 }'

types='sweep.dtype = fp32, fp16, bf16, fp64, int32, int64, int8'
# Each case makes its communicators, which takes seconds: a type, an operation and a size are not tried with all others.
verified "collectives of each type" "$nccl" 'collective = all_reduce' "$types" 'bytes = 1MiB'
verified "each collective in halves" "$nccl" "$all" 'dtype = fp16' 'bytes = 1MiB'
verified "reductions, also in place" "$nccl" 'sweep.collective = all_reduce, reduce_scatter' \
    'zip.how = op, in_place, bytes: sum, yes, 33MiB | max, no, 1000 | min, yes, 1000' 'iterations = 3'
verified "others in place, warm and cold" "$nccl" 'sweep.collective = all_gather, broadcast' \
    'in_place = yes' 'sweep.cache = warm, cold' 'sweep.ranks = 0, 2'
verified "collectives whose first rank is another GPU" "$nccl" 'device = cuda:1' "$all" 'bytes = 1MiB' 'ranks = 2'
finish
