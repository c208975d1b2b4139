#!/usr/bin/env bash
# Collectives of NCCL are right, with every option, and their bandwidths are printed. NCCL is $NCCL, or where the loader
# looks, or the one that PyTorch brought along.
. "$top_srcdir/tests/gpu/common.sh"
begin
n=$(n_gpus)
[ "$n" -ge 2 ] || leave "one GPU: it has no peers"
head=$(few_samples 30 'device = cuda' 'time_limit = 2 min')

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

# Each case makes its communicators, which takes seconds: what there is is not tried with all else. Outputs are compared
# element by element on the host, which takes longest of large ones.
measure "$nccl" 'iterations = 20' "$all" 'sweep.bytes = 1KiB, 64MiB'
! grep -q "libnccl.so.2 was not found" text.txt ||
    skip_rest "collectives of NCCL" "there is no libnccl.so.2: set NCCL to its path"
all_verified "collectives"
echo "# NCCL $(column metric.nccl_version | sort -u) of $library, $n GPUs"
echo "# collective  bytes  median  algorithm bandwidth  bus bandwidth"
column collective,bytes,median_ns,items_per_s,bytes_per_s | awk -F, '
    { printf "# %-14s %10d  %9.2f us  %8.2f GB/s  %8.2f GB/s\n", $1, $2, $3 / 1e3, $4 / 1e9, $5 / 1e9 }'

verified "collectives of each type" "$nccl" 'bytes = 1MiB' 'zip.of = collective, dtype: all_reduce, fp16 |
    reduce_scatter, bf16 | all_gather, fp64 | all_to_all, int8 | broadcast, int64 | all_reduce, int32'
verified "reductions, also in place" "$nccl" 'iterations = 3' 'zip.how = collective, op, in_place, bytes:
    all_reduce, sum, yes, 33MiB | reduce_scatter, max, no, 1000 | all_reduce, min, yes, 1000 |
    reduce_scatter, sum, yes, 1MiB'
verified "others in place, warm and cold" "$nccl" 'in_place = yes' 'zip.how = collective, cache, ranks:
    all_gather, warm, 0 | broadcast, cold, 2'
verified "collectives whose first rank is another GPU" "$nccl" 'device = cuda:1' 'bytes = 1MiB' 'ranks = 2' \
    'sweep.collective = reduce_scatter, broadcast'
finish
