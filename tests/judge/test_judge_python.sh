#!/usr/bin/env bash
# Submissions in Python that are not trusted: each cheat is found, nothing honest is refused.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
export PYTHONDONTWRITEBYTECODE=1
find_python numpy
if ! "$python" -c 'import ctypes, sys, numpy; ctypes.CDLL(sys.argv[1])' \
        "$("$python" "$top_srcdir/plugins/bench_python/ask.py" | sed -n 1p)" 2>/dev/null; then
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
import threading
import time

import numpy as np
from task import FLOAT

HONEST = """plain in_place view_returned not_contiguous keeps_weights changes_its_dict threads_joined compiles_at_first
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


def threads_joined(data):
    result = []
    thread = threading.Thread(target=lambda: result.append(work(data)))
    thread.start()
    thread.join()
    return result[0]


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


def by_address(data, kept={}):
    key = data["x"].ctypes.data
    if key not in kept:
        kept[key] = work(data)
    return kept[key]


def by_shape(data, kept={}):
    if data["x"].shape not in kept:
        kept[data["x"].shape] = work(data)
    return kept[data["x"].shape]


def by_some_elements(data, kept={}):
    key = tuple(data["x"][0, :2] > 0)
    if key not in kept:
        kept[key] = work(data)
    return kept[key]


def first_only(data, kept=[]):
    if not kept:
        kept.append(work(data))
    return kept[0]


def every_64th(data, calls=[0]):
    calls[0] += 1
    return nothing(data) if calls[0] % 64 == 0 else work(data)


def without_counts(data):
    return work({**data, "counts": data["counts"].copy()})


def thread_left(data):
    rows = np.empty(data["x"].shape, FLOAT)
    threading.Thread(target=lambda: np.copyto(rows, work(data)[0]), daemon=True).start()
    return rows, 1.0


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


def patches(data):
    time.perf_counter = time.monotonic = lambda: 0.0
    np.copyto = np.array_equal = lambda *args, **more: True
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "") == "gbrun_judged":
            module._storer = module._store = lambda *args: lambda value: None
    return nothing(data)


def child_left(data, started=[]):
    if not started:
        started.append(os.fork())
        while started[0] == 0:
            work(data)
    return nothing(data)


def writes_elsewhere(data):
    with open("left", "w") as file:
        file.write("3")
    return work(data)


def reads_the_judge(data):
    with open(f"/proc/{os.getppid()}/mem", "rb") as file:
        file.read(1)
    return work(data)


def slows_the_judge(data):
    os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    return work(data)


def says_done(data):
    with open("/proc/self/cmdline") as file:
        page = int(file.read().split("\0")[2], 16)
    words = (ctypes.c_uint32 * 2).from_address(page)
    words[1] = words[0]
    return nothing(data)



PY

cat >common.ini <<'EOF'
[defaults]
device = cpu
policy = fixed
max_time = 1 h
time_limit = 24 h
verify = judge
iterations = 64
[policy fixed]
samples = 3
EOF
mkdir bin
ln -s "$(command -v "$python")" bin/python3
PATH=$PWD/bin:$PATH
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
equals "no folder is left" "" "$(find . -name 'gbrun-judged-*')"

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
judged "${task/n = 32/layout = kernelbench}" submission.py
equals "a name that is missing is an error" "1 failed" "$code $(column status)"
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
    return np.multiply(data[0], 2, out=data[1])


def other_input(data):
    return np.multiply(data[0], 2, out=data[0])


def left(data):
    return data[1]
PY
judged "plugin = python
reference = trusted/buffer.py
n = 32" buffers.py buffers.py:other_input buffers.py:left
equals "memory for the result may be written to" "1 ok wrong result wrong result" "$code $(column status | paste -sd ' ')"

if "$python" -c 'import torch' 2>/dev/null; then
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
    skip "models of PyTorch" "PyTorch is not there"
fi

# The verb.
{ cat common.ini; printf '[bench task]\n%s\nsweep.call = submission.py:plain, submission.py:nothing\n' "$task"; } >bench.ini
ran "$GBRUN" judge -q -c bench.ini --max-rounds 4 --visit 1ms --format json -o judged.gbr
equals "judge compares with the reference, and finds what is wrong" "wrong 3" \
    "$(sed -n 's/.*:nothing.*"verdict":"\([a-z]*\)".*/\1/p' out.txt) $code"
finish
