#!/usr/bin/env bash
# Submissions in Python that are not trusted: each cheat is found, nothing honest is refused.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
export PYTHONDONTWRITEBYTECODE=1
find_python numpy
if ! python_has numpy; then
    skip "submissions in Python" "there is no python3 with a shared library and NumPy"
    finish
fi
mkdir trusted

cat >trusted/task.py <<'PY'
import numpy as np

FLOAT = np.float32
PY
# x is new for each seed, weights are not; counts is changed in place.
cat >trusted/reference.py <<'PY'
import numpy as np
from task import FLOAT


def generate_input(n, seed):
    random = np.random.default_rng(seed)
    weights = np.linspace(0.5, 1, n, dtype=FLOAT)
    return {"x": random.standard_normal((n, 4), dtype=FLOAT).T, "weights": weights, "scale": float(random.uniform(1, 2)),
            "counts": random.integers(0, 9, n), "mode": "sum"}


def ref_kernel(data):
    data["counts"] += 1
    rows = np.sqrt(np.abs(data["x"])) * data["weights"]
    return rows, (rows.sum(dtype=np.float64) * data["scale"]).item()
PY
cat >submission.py <<'PY'
import ctypes
import os
import subprocess
import sys

import numpy as np
from task import FLOAT

HONEST = """plain in_place view_returned not_contiguous keeps_weights changes_its_dict compiles_at_first
    writes_its_files""".split()


def work(data):
    data["counts"] += 1
    rows = np.sqrt(np.abs(data["x"])) * data["weights"]
    return rows, float(rows.sum(dtype=np.float64) * data["scale"])


plain = work


def in_place(data):
    np.add(data["counts"], 1, out=data["counts"])
    rows = np.abs(data["x"])
    np.sqrt(rows, out=rows)
    rows *= data["weights"]
    return rows, float(rows.sum(dtype=np.float64) * data["scale"])


def view_returned(data):
    rows, total = work(data)
    larger = np.zeros((8, rows.shape[1]), FLOAT)
    larger[2:6] = rows
    return larger[2:6], total


def not_contiguous(data):
    rows, total = work(data)
    return np.asfortranarray(rows), total


def keeps_weights(data, kept={}):
    if data["weights"].ctypes.data not in kept:
        kept[data["weights"].ctypes.data] = data["weights"].copy()
    return work({**data, "weights": kept[data["weights"].ctypes.data]})


def changes_its_dict(data):
    result = work(data)
    data.pop("x")
    data["mode"] = None
    return result


def compiles_at_first(data, kept=[]):
    if not kept:
        kept.append(subprocess.run([sys.executable, "-c", "print(3)"], stdout=subprocess.PIPE, check=True).stdout)
    return work(data)


def writes_its_files(data):
    with open(os.environ["TMPDIR"] + "/cache", "w") as file:
        file.write("3")
    return work(data)


def nothing(data):
    return np.empty(data["x"].shape, FLOAT), 0.0


def without_counts(data):
    return work({**data, "counts": data["counts"].copy()})


def empty_output(data):
    return np.empty(0, FLOAT), work(data)[1]


def other_type(data):
    rows, total = work(data)
    return rows.astype(np.float16), total


class Lazy(np.ndarray):
    pass


def lazy(data):
    rows, total = work(data)
    return rows.view(Lazy), total


def easy_inputs(data):
    result = work(data)
    data["x"][:] = 0
    return result


def child_left(data, calls=[]):
    """Is not stopped with its parent, which leaves it before the first sample, and has the same memory."""
    calls.append(os.fork() if len(calls) == 10 else 1)
    if calls[-1] > 0:
        return nothing(data) if 0 not in calls else work(data)
    ctypes.CDLL(None).prctl(15, b"a\n) S 1", 0, 0, 0)  # its name
    while True:
        for judged in list(sys.modules["gbrun_judged"]._objects.values()):
            judged.calls.subject.run(None, None, 1)


def writes_elsewhere(data):
    with open("left", "w") as file:
        file.write("3")
    return work(data)


def says_done(data):
    with open("/proc/self/maps") as file:
        page = next(int(line.split("-")[0], 16) for line in file if "gbrun shared" in line)
    words = (ctypes.c_uint32 * 2).from_address(page)
    words[1] = words[0]
    return nothing(data)
PY

few_samples 3 'device = cpu' 'max_time = 1 h' 'time_limit = 24 h' 'verify = judge' 'iterations = 16' >common.ini
PATH=$(dirname "$(command -v "$python")"):$PATH
task='plugin = python
reference = trusted/reference.py
n = 32'

# judged SETTINGS CALL...: results.gbr of these calls.
judged()
{
    local settings=$1 list
    shift
    list=$*
    rm -f results.gbr
    { cat common.ini; printf '[bench task]\n%s\nsweep.call = %s\n' "$settings" "${list// /, }"; } >bench.ini
    ran "$GBRUN" -q -c bench.ini
}

mapfile -t honest < <("$python" -c 'import ast, re, sys
text = open("submission.py").read()
print(*("submission.py:" + name for name in re.search("HONEST = \"\"\"(.*?)\"\"\"", text, re.S)[1].split()), sep="\n")')
if ! "$python" -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)'; then
    skip "compilers and files of a submission's own" "this kernel has no Landlock"
    unset 'honest[-1]' 'honest[-1]' # they come last
fi
mapfile -t cheats < <(sed -n '/^def nothing/,$ s/^def \(.*\)(.*/submission.py:\1/p' submission.py)

judged "$task" "${honest[@]}"
equals "nothing honest is refused" "0 $(printf '%s,ok\n' "${honest[@]}")" "$code $(column call,status)"
succeeds "outputs of samples were compared" test "$(column metric.checked_calls | sort -n | head -n 1)" -ge 9
equals "the time is the judge's" judged "$(column clock | sort -u)"

judged "$task" "${cheats[@]}"
equals "each cheat is found" "1 ${#cheats[@]}" "$code $(column status | grep -c 'wrong result\|failed')"
has "it is said what was expected" err.txt 'output 0 is ndarray of float16, shape (4, 32): expected a numpy.ndarray of float32' \
    'output 0 is Lazy of float32' 'output 0 is ndarray of float32, shape (0,)' "input['x']: was written to" "input['counts']: "
succeeds "no file was written" test ! -e left
equals "no process and no folder is left" "" "$(grep 'child processes' err.txt out.txt; find . -name 'gbrun-judged-*')"

# Layouts, and what is missing in them.
cat >trusted/model.py <<'PY'
import numpy as np


class Model:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def get_inputs():
    return [np.random.rand(100)]


def get_init_inputs():
    return [3.0]
PY
judged "$task
sweep.layout = kernelbench, gpumode" submission.py:plain
equals "a name that is missing is an error, and the next case is not the worse for it" "1 failed ok" \
    "$code $(column status | paste -sd ' ')"
has "which says where" err.txt "trusted/reference.py has no 'Model': expected it, as KernelBench's layout has it"
judged "$task" submission.py
has "of the submission, too" err.txt "submission.py has no 'custom_kernel': expected it, as GPU MODE's layout has it"
echo 'x = 3' >trusted/none.py
judged "plugin = python
reference = trusted/none.py" submission.py
has "and what has no layout" err.txt 'none.py is of no known layout: expected generate_input and ref_kernel'

# Without any package; with a check of its own.
cat >trusted/plain.py <<'PY'
import array
import random


def generate_input(n: int, seed: int):
    return array.array("d", [random.random() for _ in range(n)]), list(range(seed % 7, n))[:5], array.array("i", [0] * n)


def ref_kernel(data):
    values, offsets, order = data
    for i, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        order[i] = at
    return order, sum(offsets), True


def check_implementation(data, output):
    expected = ref_kernel(data)
    return "" if list(output[0]) == list(expected[0]) and output[1:] == expected[1:] else "not the order"
PY
cat >sorts.py <<'PY'
def custom_kernel(data):
    values, offsets, order = data
    order[:] = type(order)(order.format and memoryview(__import__("array").array("i", sorted(range(len(values)), key=values.__getitem__))))
    return order, sum(offsets), True


def unsorted(data):
    return data[2], sum(data[1]), True
PY
judged "plugin = python
reference = trusted/plain.py
n = 32" sorts.py sorts.py:unsorted
equals "arrays of Python's own, and a check of the reference's" "1 ok wrong result" "$code $(column status | paste -sd ' ')"
has "in its words" err.txt 'check_implementation: not the order'

# Memory for the result among the inputs, which the reference leaves alone.
cat >trusted/buffer.py <<'PY'
import numpy as np


def generate_input(n, seed):
    return np.random.rand(n), np.empty(n)


def ref_kernel(data):
    return data[0] * 2
PY
cat >buffers.py <<'PY'
import numpy as np


def custom_kernel(data):
    return np.multiply(data[0], 2, out=data[1], casting="same_kind")


def other_input(data):
    return np.multiply(data[0], 2, out=data[0])


def left(data):
    return data[1]
PY
judged "plugin = python
reference = trusted/buffer.py
n = 32" buffers.py buffers.py:other_input buffers.py:left
equals "memory for the result may be written to" "1 ok wrong result wrong result" "$code $(column status | paste -sd ' ')"
sed 's/np.empty(n)/np.empty(n, "f4")/' trusted/buffer.py >trusted/rounded.py
cat >>trusted/rounded.py <<'PY'


def check_implementation(data, output):
    return np.allclose(output, ref_kernel(data)), "not twice as much"
PY
judged "plugin = python
reference = trusted/rounded.py
n = 32
sweep.subject = function, reference" buffers.py buffers.py:left
equals "also if it is of other numbers, where a check of the reference's takes them" \
    "1 function,ok function,wrong result reference,ok reference,ok" "$code $(column subject,status | sort | paste -sd ' ')"
has "with its words" err.txt 'check_implementation: not twice as much'

# Objects of classes in the task's files; numbers of the inputs' type, where a check of the reference's takes them.
cat >trusted/kinds.py <<'PY'
import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Config:
    scale: float
    weights: np.ndarray
    known: set
PY
cat >trusted/objects.py <<'PY'
from typing import NamedTuple

import numpy as np
from kinds import Config


class Data(NamedTuple):
    x: np.ndarray
    config: Config


class Result(NamedTuple):
    sums: np.ndarray
    last: float


def generate_input(n, seed):
    random = np.random.default_rng(seed)
    return Data(random.random(n, "f4"), Config(random.random(), random.random(n, "f4"), {"a", "b"}))


def ref_kernel(data):
    sums = np.cumsum(data.x * data.config.weights, dtype="f8") * data.config.scale
    return Result(sums, sums[-1].item())


def check_implementation(data, output):
    return all(np.allclose(a, b, 1e-3) for a, b in zip(output, ref_kernel(data)))
PY
cat >objects.py <<'PY'
import numpy as np
from kinds import Config


def custom_kernel(data, kind="f4"):
    assert type(data.config) is Config and data.config.known == {"a", "b"}
    sums = np.cumsum(data.x * data.config.weights, dtype="f4") * np.float32(data.config.scale)
    return sums.astype(kind), float(sums[-1])


def half(data):
    return custom_kernel(data, "f2")


def first(data, kept=[]):
    kept.append(data.config) if not kept else None
    return custom_kernel(data._replace(config=Config(kept[0].scale, data.config.weights, kept[0].known)))
PY
judged "plugin = python
reference = trusted/objects.py
n = 32" objects.py objects.py:half objects.py:first
equals "objects are built anew" "1 ok failed wrong result" "$code $(column status | paste -sd ' ')"
has "other types of numbers are refused" err.txt 'output 0 is ndarray of float16, shape (32,): expected'

# A reference that draws numbers of its own: the same ones are drawn by what is judged.
cat >trusted/dropout.py <<'PY'
import numpy as np


def generate_input(n, seed):
    return np.random.rand(n)


def ref_kernel(data):
    return data * (np.random.rand(len(data)) < 0.8)
PY
cat >dropouts.py <<'PY'
import numpy as np


def custom_kernel(data):
    kept = np.random.rand(len(data)) < 0.8
    return np.where(kept, data, 0)


def first(data, kept=[]):
    kept.append(np.random.rand(len(data)) < 0.8) if not kept else None
    return np.where(kept[0], data, 0)
PY
judged "plugin = python
reference = trusted/dropout.py
n = 32
sweep.subject = function, reference" dropouts.py dropouts.py:first
equals "what is random has its seed" "1 function,ok function,wrong result reference,ok reference,ok" \
    "$code $(column subject,status | sort | paste -sd ' ')"

# Each of these imports PyTorch twice.
if [ -n "${LONG-}" ] && "$python" -c 'import torch' 2>/dev/null; then
    cat >trusted/model.py <<'PY'
import torch


class Model(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.linear = torch.nn.Linear(n, m)

    def forward(self, x, mask):
        return torch.relu(self.linear(x.float())).to(torch.bfloat16).t(), mask


def get_inputs():
    return [torch.rand(8, 2, 16).half()[:, 1], torch.rand(8, 1).expand(8, 4) > 0.5]


def get_init_inputs():
    return [16, 4]
PY
    sed 's/Model/ModelNew/; /^def/,$ d' trusted/model.py >models.py
    cat >>models.py <<'PY'


class Kept(ModelNew):
    kept = None

    def forward(self, x, mask):
        self.kept = self.kept or super().forward(x, mask)
        return self.kept


class Lazy(torch.Tensor):
    pass


class Subclass(ModelNew):
    def forward(self, x, mask):
        return super().forward(x, mask)[0].as_subclass(Lazy), mask


class Wide(ModelNew):
    def forward(self, x, mask):
        return super().forward(x, mask)[0].float(), mask


class Empty(ModelNew):
    def forward(self, x, mask):
        return torch.empty(4, 8, dtype=torch.bfloat16), mask


class Meta(ModelNew):
    def forward(self, x, mask):
        return torch.empty(4, 8, dtype=torch.bfloat16, device="meta"), mask
PY
    judged "plugin = python
reference = trusted/model.py
check.rms = 0.02" models.py models.py:Kept models.py:Subclass models.py:Wide models.py:Empty models.py:Meta
    equals "models of PyTorch" "1 ok,wrong result,failed,failed,wrong result,failed" "$code $(column status | paste -sd ,)"
    has "are refused with words" err.txt 'output 0 is Tensor of torch.float32, shape (4, 8) on cpu: expected a torch.Tensor of bfloat16' \
        'output 0 is Lazy of' 'on meta'
else
    skip "models of PyTorch" "PyTorch is not installed, or LONG=1 is not set"
fi

finish
