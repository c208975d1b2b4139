#!/usr/bin/env bash
# plugin = python on a GPU: conf/triton.ini is measured as graphs and is right; what cannot be captured or is launched on
# a stream of its own ends as it should. python3 has to have PyTorch and Triton. (What is raised or wrong is in
# tests/python/test_plugin.sh and python.py.)
. "$top_srcdir/tests/gpu/common.sh"
begin
need_triton
cp "$top_srcdir"/conf/triton* .
export PYTHONDONTWRITEBYTECODE=1 TRITON_CACHE_DIR=$TMPDIR/cache

run triton.ini -o results.gbr --rounds 1
why=$(grep -m 1 'has no shared library that can be opened' text.txt)
[ -z "$why" ] || leave "$why"
# What needs more shared memory than this GPU has is skipped.
all_fine "conf/triton.ini is measured, and right" 'ok,ok|skipped,[a-z]*'
number_of_cases 42
equals "few of them are skipped" "" "$(column status | grep -c skipped | awk '$1 > 6')"
equals "all are launched as graphs" graph "$(column launched "status = 'ok'" | sort -u)"
equals "what PyTorch leaves in the process is no trace of a case" "" "$(grep -E 'changed the process|behind' text.txt)"
column bench,n,columns,by,block,warps,tile_m,tile_n,tile_k,median_ns,rel_iqr "status = 'ok'" | sed 's/^/# /'
equals "a large sum is bound by memory, whoever adds" "" \
    "$(column by,median_ns "bench = 'add' and n = 16777216" | awk -F, '{ t[$1] = t[$1] ? (t[$1] < $2 ? t[$1] : $2) : $2 }
        END { if (!(t["triton"] < 1.2 * t["torch"] && t["torch"] < 1.2 * t["triton"])) print t["triton"], t["torch"] }')"

cat >odd.py <<'PY'
import gbrun
import torch

A, B = (torch.randn(1 << 20, device="cuda") for _ in range(2))


def allocates():
    return lambda: A + B


def waits():
    return gbrun.Bench(lambda: (A + B).sum().item(), synchronizes=True)


def every_call():
    return gbrun.Bench(lambda: torch.add(A, B), every_call=True)


def takes_stream(stream):
    with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
        torch.add(A, B)


def resets():
    left = torch.zeros_like(A)
    return gbrun.Bench(lambda: left.add_(A), reset=lambda: left.zero_(), verify=lambda: A.double())


def elsewhere():
    return lambda: sum(range(1000))
PY
head="$(few_samples 50 'device = cuda' 'max_time = 5 s')
[bench odd]
plugin = python"
fine "what allocates, takes the stream, has a reset, is called each time" \
    'sweep.call = odd.py:allocates, odd.py:takes_stream, odd.py:resets, odd.py:every_call'
equals "all but the last as graphs" "graph graph graph stream" "$(column launched | xargs)"
fine "what waits for the device" 'call = odd.py:waits'
equals "is launched in the stream" "stream" "$(column launched)"
measure 'call = odd.py:elsewhere'
equals "what puts nothing on the GPU is no measurement of it" "1 failed" "$code $(column status)"
echo "# what puts nothing on the GPU: $(column status,status_text,reading_note)"
finish
