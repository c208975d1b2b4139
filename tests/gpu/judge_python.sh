#!/usr/bin/env bash
# Submissions in Python on a GPU, with PyTorch, CuPy and Triton: no cheat gains, nothing honest is refused.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_triton
export GPU=1 XDG_CACHE_HOME=$TMPDIR/cache
mkdir compiled
cd compiled || exit 99
cat >reference.py <<'PY'
import torch


def generate_input(n: int, seed: int):
    made = torch.Generator("cuda").manual_seed(seed)
    return torch.randn(n, n, device="cuda", generator=made), torch.randn(n, n, device="cuda", generator=made)


def ref_kernel(data):
    a, b = data
    return torch.relu(a * 2 + b) * 0.5
PY
sed 's/ref_kernel/custom_kernel/' reference.py >same.py
measured <<INI
$(few_samples 3 'device = cuda' 'verify = judge')
[bench task]
plugin = python
call = same.py
reference = reference.py
sweep.subject = function, compiled
n = 2048
INI
equals "the reference as it is compiled is judged, too" "ok ok" "$(column status | paste -sd ' ')"
cd ..
. "$top_srcdir/tests/judge/test_suite.sh"
