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

# Outputs are compared element by element, on the host: large ones take longer than all else.
measure "$nccl" 'iterations = 20' "$all" 'sweep.bytes = 1KiB, 1MiB, 64MiB'
! grep -q "libnccl.so.2 was not found" text.txt ||
    skip_rest "collectives of NCCL" "there is no libnccl.so.2: set NCCL to its path"
all_verified "collectives"
echo "# NCCL $(column metric.nccl_version | sort -u) of $library, $n GPUs"
echo "# collective  bytes  median  algorithm bandwidth  bus bandwidth"
column collective,bytes,median_ns,items_per_s,bytes_per_s | awk -F, '
    { printf "# %-14s %10d  %9.2f us  %8.2f GB/s  %8.2f GB/s\n", $1, $2, $3 / 1e3, $4 / 1e9, $5 / 1e9 }'

# Each case makes its communicators, which takes seconds: a type, an operation and a size are not tried with all others.
verified "collectives of each type, and each in halves" "$nccl" 'bytes = 1MiB' 'zip.of = collective, dtype: all_reduce, fp32 |
    all_reduce, bf16 | all_reduce, fp64 | all_reduce, int32 | all_reduce, int64 | all_reduce, int8 | all_reduce, fp16 |
    all_gather, fp16 | reduce_scatter, fp16 | all_to_all, fp16 | broadcast, fp16'
verified "reductions, also in place" "$nccl" 'sweep.collective = all_reduce, reduce_scatter' \
    'zip.how = op, in_place, bytes: sum, yes, 33MiB | max, no, 1000 | min, yes, 1000' 'iterations = 3'
verified "others in place, warm and cold" "$nccl" 'in_place = yes' 'zip.how = collective, cache, ranks:
    all_gather, warm, 0 | all_gather, cold, 2 | broadcast, warm, 2 | broadcast, cold, 0'
verified "collectives whose first rank is another GPU" "$nccl" 'device = cuda:1' "$all" 'bytes = 1MiB' 'ranks = 2'
finish
