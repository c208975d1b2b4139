"""Functions that cheat, and honest ones that are like them, for test_cheats.py: each is made by a function of a Problem.

A cheat counts in problem.n_computed how often it does its work; what is refused, and what does it each time it is called,
gains nothing.
"""
import builtins
import gc
import inspect
import itertools
import math
import os
import sys
import threading
import time

import gbrun
import results

CHEATS, TWINS = {}, {}
SAMPLES = 150 if results.long else 20


def cheat(make):
    CHEATS[make.__name__] = make


def twin(make):
    TWINS[make.__name__] = make


class Problem:
    """A product of matrices, in NumPy, or in PyTorch on a device: fn, reference and settings of gbrun.measure."""

    def __init__(self, package, n=48, device="cpu"):
        self.package, self.n, self.device = package, n, device
        self.is_torch = package.__name__ == "torch"
        self.n_calls = self.n_computed = 0
        self.a, self.b = (self.values(seed) for seed in (1, 2))
        self.settings = {}

    def values(self, seed, *shape, kind="float32"):
        shape = shape or (self.n, self.n)
        i = self.package.arange(math.prod(shape), **({"device": self.device} if self.is_torch else {})) * 1.0
        values = (self.package.sin(seed * 1000 + 0.37 * i * i) + 0.01 * (i % 7)).reshape(shape)
        return values.to(getattr(self.package, kind)) if self.is_torch else values.astype(kind)

    def compute(self):
        self.n_computed += 1
        return self.a @ self.b

    def works(self, fn):
        """Of an honest function: each call is one that computes."""

        def counted():
            self.n_computed += 1
            return fn()

        return counted

    def copy(self, values):
        return values.clone() if self.is_torch else values.copy()

    def wide(self, values):
        return values.double() if self.is_torch else values.astype("f8")

    def host(self, values):
        return values.cpu().numpy() if self.is_torch else values

    def measure(self, make, **settings):
        """Returns whether it was accepted; its error, and what was measured, are kept."""
        a, b = self.a, self.b
        fn = make(self)
        a, b = (a, b) if self.a is None else (self.a, self.b)

        def counted():
            self.n_calls += 1
            return fn()

        def reference():
            return self.wide(a) @ self.wide(b)

        settings = {"verify": reference, "policy": "fixed", "samples": SAMPLES, "check": {"rms": 1e-5},
                    "device": "cuda" if self.device.startswith("cuda") else "cpu", **self.settings, **settings}  # fmt: skip
        self.error = self.found = None
        try:
            self.found = gbrun.measure(settings.pop("fn", counted), **settings)
        except Exception as error:  # its own as well
            self.error = error
        return self.error is None

    def gains(self, make, **settings):
        return self.measure(make, **settings) and self.n_computed < 0.98 * self.n_calls


def kept_by(key):
    """A cheat that keeps results by this key of the problem."""

    def make(problem):
        kept = {}

        def fn():
            of = key(problem)
            if of not in kept:
                kept[of] = problem.compute()
            return kept[of]

        return fn

    return make


def bytes_of(values):
    return values.tobytes()


for name, key in {
    "keeps_the_first": lambda p: 0,
    "keeps_by_id": lambda p: (id(p.a), id(p.b)),
    "keeps_by_shape": lambda p: (tuple(p.a.shape), str(p.a.dtype)),
    "keeps_by_address": lambda p: (gbrun._span(p.a), gbrun._span(p.b)),
    "keeps_by_corners": lambda p: (float(p.a[0, 0]), float(p.a[-1, -1]), float(p.b[0, 0]), float(p.b[-1, -1])),
    "keeps_by_a_row": lambda p: (bytes_of(p.host(p.a[0])), bytes_of(p.host(p.b[0]))),
    "keeps_by_one_input": lambda p: bytes_of(p.host(p.a)),
    "keeps_by_all_bytes": lambda p: (bytes_of(p.host(p.a)), bytes_of(p.host(p.b))),
    "keeps_by_sums": lambda p: (float(p.wide(p.a).sum()), float(p.wide(p.b).sum())),
}.items():
    CHEATS[name] = kept_by(key)


def computes_if(is_due):
    """A cheat that returns its last result unless is_due(number of the call, problem)."""

    def make(problem):
        numbers, last = itertools.count(), []

        def fn():
            if is_due(next(numbers), problem) or not last:
                last[:] = [problem.compute()]
            return last[0]

        return fn

    return make


CHEATS["stops_after_two_thirds"] = computes_if(lambda i, p: 3 * i < 2 * SAMPLES)
CHEATS["computes_every_64th"] = computes_if(lambda i, p: i % 64 == 0)
CHEATS["computes_every_10th"] = computes_if(lambda i, p: i % 10 == 0)
CHEATS["alternates"] = computes_if(lambda i, p: i % 2 == 0)
CHEATS["skips_every_third"] = computes_if(lambda i, p: i % 3)


@cheat
def computes_if_the_inputs_are_others(problem):
    first, result = [problem.copy(x) for x in (problem.a, problem.b)], []

    def fn():
        same = all(bytes_of(problem.host(x)) == bytes_of(problem.host(y)) for x, y in zip(first, (problem.a, problem.b)))
        if not same or not result:
            result[:] = [problem.compute()]
        return result[0]

    return fn


@cheat
def computes_if_the_output_was_written(problem):
    seen, result = [], []

    def fn():
        if not result or bytes_of(problem.host(result[0])) != seen[0]:
            result[:] = [problem.compute()]
            seen[:] = [bytes_of(problem.host(result[0]))]
        return result[0]

    return fn


CHEATS["returns_zeros"] = lambda p: lambda: p.package.zeros_like(p.a)
CHEATS["returns_memory_as_it_is"] = lambda p: lambda: p.package.empty_like(p.a)
CHEATS["returns_an_input"] = lambda p: lambda: p.a
CHEATS["returns_the_mean"] = lambda p: lambda: p.package.full_like(p.a, float(p.a.mean() * p.b.mean() * p.n))
CHEATS["returns_half_of_the_shape"] = lambda p: lambda: p.a[: p.n // 2] @ p.b
CHEATS["returns_nan"] = lambda p: lambda: p.package.full_like(p.a, math.nan)


@cheat
def computes_the_upper_half(problem):
    out, half = problem.compute(), problem.n // 2

    def fn():
        out[:half] = problem.a[:half] @ problem.b
        return out

    return fn


@cheat
def computes_in_half_precision(problem):
    kind = "float16" if not problem.is_torch else problem.package.bfloat16

    def fn():
        if problem.is_torch:
            return problem.a.to(kind).float() @ problem.b.to(kind).float()
        return problem.a.astype(kind).astype("f4") @ problem.b.astype(kind).astype("f4")

    return fn


@cheat
def returns_what_computes_later(problem):
    """When it is looked at."""
    base = problem.package.Tensor if problem.is_torch else problem.package.ndarray

    class Later(base):
        def cpu(self):
            return problem.compute().cpu()

        def __buffer__(self, flags):
            return memoryview(problem.compute())

        def __array__(self, *args):
            return problem.compute()

    def fn():
        empty = problem.package.empty_like(problem.a)
        return empty.as_subclass(Later) if problem.is_torch else empty.view(Later)

    return fn


@cheat
def returns_an_object_of_its_own(problem):
    class Later:
        dtype, shape = "float32", (problem.n, problem.n)

        def get(self):
            return problem.compute()

    return Later


@cheat
def is_one_call_late(problem):
    """As a thread is that finishes while the next call begins."""
    pending = [problem.copy(problem.a), problem.copy(problem.b)]

    def fn():
        a, b = pending
        pending[:] = [problem.copy(problem.a), problem.copy(problem.b)]
        return a @ b

    return fn


@cheat
def leaves_the_work_to_a_thread(problem):
    """It ends when a call of the function that looks at results has begun."""
    out, begun = problem.package.empty_like(problem.a), threading.Event()

    def work():
        begun.wait(10)
        out[:] = problem.compute()

    def fn():
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return out

    problem.finally_ = begun.set
    return fn


@cheat
def makes_its_inputs_zeros(problem):
    def fn():
        problem.a[:] = 0
        return problem.package.zeros_like(problem.a)

    return fn


@cheat
def makes_its_inputs_easy_once(problem):
    kept = []

    def fn():
        if not kept:
            problem.b[:] = 0
            kept.append(problem.package.zeros_like(problem.a))
        return kept[0]

    return fn


def that_replaces(*pairs):
    """A cheat that replaces these attributes of objects in its first call, and returns zeros."""

    def make(problem):
        places = [pair(problem) for pair in pairs]
        before = [(of, name, getattr(of, name)) for of, name, _ in places]

        def fn():
            for of, name, value in places:
                setattr(of, name, value)
            return problem.package.zeros_like(problem.a)

        def restore():
            for of, name, value in before:
                setattr(of, name, value)

        problem.finally_ = restore
        return fn

    return make


CHEATS["replaces_the_comparison"] = that_replaces(lambda p: (gbrun, "_compared", lambda outputs, expected: iter(())))
CHEATS["replaces_the_copy"] = that_replaces(
    lambda p: (gbrun, "_copied", lambda value, role, as_double=False: gbrun._Copy((), 1, bytes(8)))
)
CHEATS["replaces_the_check"] = that_replaces(
    lambda p: (gbrun._library(), "gbrun_check", lambda check: 0),
    lambda p: (gbrun._library(), "gbrun_checked", lambda name, passed, text: 0),
)
CHEATS["replaces_the_times"] = that_replaces(lambda p: (gbrun, "_seconds", lambda values, n: [1e-9] * n))
CHEATS["replaces_the_measurement"] = that_replaces(lambda p: (gbrun.Measurement, "__init__", lambda self, result: None))
CHEATS["replaces_the_clock"] = that_replaces(lambda p: (time, "perf_counter", lambda: 0.0))
CHEATS["replaces_builtins"] = that_replaces(lambda p: (builtins, "all", lambda values: True))
CHEATS["replaces_equality"] = that_replaces(lambda p: (p.package, "allclose", lambda *args, **settings: True))
CHEATS["replaces_code"] = that_replaces(lambda p: (gbrun._compared, "__code__", (lambda outputs, expected: iter(())).__code__))


@cheat
def sets_the_environment(problem):
    def fn():
        os.environ["OMP_NUM_THREADS"] = "77"
        return problem.a @ problem.b

    before = os.environ.get("OMP_NUM_THREADS")
    problem.finally_ = lambda: os.environ.pop("OMP_NUM_THREADS") if before is None else os.environ.update(OMP_NUM_THREADS=before)
    return fn


@cheat
def sees_each_call(problem):
    def fn():
        sys.setprofile(lambda frame, event, argument: None)
        return problem.package.zeros_like(problem.a)

    problem.finally_ = lambda: sys.setprofile(None)
    return fn


@cheat
def keeps_what_the_reference_returned(problem):
    def fn():
        for values in gc.get_objects():
            if type(values) is type(problem.a) and str(values.dtype).endswith("float64") and values.shape == problem.a.shape:
                return problem.copy(values)
        return problem.package.zeros_like(problem.a)

    return fn


@cheat
def calls_the_reference_once(problem):
    kept = []

    def fn():
        if not kept:
            frame = inspect.currentframe()
            while frame is not None and "verify" not in frame.f_locals:
                frame = frame.f_back
            kept.append(frame.f_locals["verify"]() if frame is not None else problem.compute())
        return kept[0]

    return fn


@cheat
def keeps_one_factor(problem):
    """Of a product that is renewed by a factor."""
    kept = []

    def fn():
        first = float(problem.a[0, 0])
        if not kept:
            kept[:] = [first, problem.compute()]
        return kept[1] * (first / kept[0])

    return fn


@cheat
def hides_what_it_reads(problem):
    class Hidden:
        __slots__ = ("a", "b", "kept")

        def product(self):
            if self.kept is None:
                self.kept = self.a @ self.b
            return self.kept

    hidden = Hidden()
    hidden.a, hidden.b, hidden.kept = problem.a, problem.b, None
    problem.a = problem.b = None
    return lambda: hidden.product()


# --- Honest ones ----------------------------------------------------------------------------------------------------


TWINS["computes"] = lambda p: p.compute
TWINS["returns_a_view"] = lambda p: p.works(lambda: (p.b.T @ p.a.T).T)


@twin
def in_place_with_a_reset(problem):
    x, first, b = problem.copy(problem.a), problem.a, problem.b

    def reset():
        x[:] = first

    def fn():
        x[:] = x @ b
        return x

    problem.settings["reset"] = reset
    return problem.works(fn)


@twin
def writes_into_an_output_of_its_own(problem):
    out = problem.package.empty_like(problem.a)
    return problem.works(lambda: problem.package.matmul(problem.a, problem.b, out=out))


@twin
def reads_what_is_not_contiguous(problem):
    problem.a = problem.values(3, problem.n, 2 * problem.n)[:, ::2]
    problem.b = problem.values(4).T
    return problem.compute


@twin
def keeps_weights(problem):
    """Made ready once, of a constant that is no input."""
    weights = problem.copy(problem.b.T)
    problem.settings["inputs"] = [problem.a]
    return problem.works(lambda: problem.a @ weights.T)


@twin
def has_several_outputs(problem):
    def outputs(product, a):
        return product, abs(product).sum(), (a > 0)

    a, b = problem.a, problem.b
    problem.settings.update(verify=lambda: outputs(problem.wide(a) @ problem.wide(b), a), check={"rms": 1e-3})
    return problem.works(lambda: outputs(problem.a @ problem.b, problem.a))


@twin
def returns_a_list(problem):
    a, b = problem.a, problem.b
    problem.settings["verify"] = lambda: (problem.wide(a) @ problem.wide(b), problem.wide(b) @ problem.wide(a))
    return problem.works(lambda: [problem.a @ problem.b, problem.b @ problem.a])


@twin
def is_tuned_at_its_first_call(problem):
    chosen = []
    ways = [lambda: problem.a @ problem.b, lambda: (problem.b.T @ problem.a.T).T]

    def fn():
        if not chosen:
            for way in ways:
                way()
            chosen.append(ways[1])
        return chosen[0]()

    return problem.works(fn)


@twin
def is_random_with_a_seed(problem):
    a, n, package = problem.a, problem.n, problem.package

    def kept():
        if problem.is_torch:
            package.manual_seed(7)
            return (package.rand((n, n), device=problem.device) < 0.5).to(a.dtype)
        return (package.random.default_rng(7).random((n, n)) < 0.5).astype(a.dtype)

    problem.settings["verify"] = lambda: problem.wide(a) * problem.wide(kept())
    return problem.works(lambda: a * kept())


@twin
def joins_its_threads(problem):
    half = problem.n // 2

    def fn():
        out = problem.package.empty_like(problem.a)

        def work(part):
            out[part] = problem.a[part] @ problem.b

        threads = [threading.Thread(target=work, args=(part,)) for part in (slice(half), slice(half, None))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return out

    problem.settings["samples"] = 40
    return problem.works(fn)


@twin
def keeps_a_border(problem):
    out, a = problem.package.zeros_like(problem.a), problem.a

    def put(to, of):
        to[1:-1] = of[2:] + of[:-2]
        return to

    problem.settings["verify"] = lambda: put(problem.package.zeros_like(problem.wide(a)), problem.wide(a))
    return problem.works(lambda: put(out, a))


@twin
def needs_a_positive_definite_matrix(problem):
    a = problem.values(5)
    spd = a @ a.T + problem.n * (problem.package.eye(problem.n, device=problem.device) if problem.is_torch
                                 else problem.package.eye(problem.n, dtype="f4"))  # fmt: skip
    cholesky = problem.package.linalg.cholesky
    problem.settings["verify"] = lambda: cholesky(problem.wide(spd))
    return problem.works(lambda: cholesky(spd))


@twin
def needs_what_is_sorted(problem):
    table = problem.values(6, problem.n * 4)
    table = table.sort().values if problem.is_torch else problem.package.sort(table)
    a, package = problem.a.reshape(-1), problem.package
    problem.settings.update(verify=lambda: package.searchsorted(problem.wide(table), problem.wide(a)), check={})
    return problem.works(lambda: package.searchsorted(table, a))


@twin
def has_a_reference_with_copies_of_its_own(problem):
    """In another format, made before."""
    a, b = problem.wide(problem.a), problem.wide(problem.b)
    problem.settings["verify"] = lambda: a @ b
    return problem.compute


@twin
def has_a_reference_with_a_transpose_of_its_own(problem):
    b = problem.copy(problem.b.T) + 0
    problem.settings["verify"] = lambda: problem.wide(problem.a) @ problem.wide(b).T
    return problem.compute


@twin
def reads_a_rounded_copy(problem):
    a = problem.copy(problem.a)
    rounded = a.half().float() if problem.is_torch else a.astype("f2").astype("f4")
    problem.settings.update(verify=lambda: 2 * problem.wide(a), check={"rms": 1e-3})
    return problem.works(lambda: rounded + rounded)


@twin
def has_a_reference_that_was_computed_before(problem):
    expected = problem.wide(problem.a) @ problem.wide(problem.b)
    problem.settings["verify"] = lambda: expected
    return problem.compute


@twin
def sorts_whole_numbers(problem):
    whole = problem.values(8, problem.n * problem.n)
    whole = (whole * 1000).long() if problem.is_torch else (whole * 1000).astype("i8")

    def ordered():
        return whole.sort().values if problem.is_torch else problem.package.sort(whole)

    problem.settings.update(verify=ordered, check={}, inputs=[whole])
    return problem.works(ordered)


@twin
def makes_its_inputs_by_a_function(problem):
    a, first = problem.a, problem.copy(problem.a)

    def fill(number):
        a[:] = first * (1 + number % 1000 / 1000)

    problem.settings["inputs"] = fill
    return problem.compute


@twin
def returns_a_number(problem):
    a = problem.a
    problem.settings.update(verify=lambda: float((problem.wide(a) ** 2).sum()), check={"rel": 1e-3})
    return problem.works(lambda: float((a * a).sum()))


@twin
def calls_a_method(problem):
    class Layer:
        def __init__(self):
            self.a, self.b = problem.a, problem.b

        def forward(self):
            problem.n_computed += 1
            return self.a @ self.b

        def exact(self):
            return problem.wide(self.a) @ problem.wide(self.b)

    layer = Layer()
    problem.settings.update(fn=layer.forward, verify=layer.exact)
    return layer.forward


# --- On a GPU of CUDA -----------------------------------------------------------------------------------------------

CUDA_CHEATS, CUDA_TWINS = {}, {}


def on_a_stream_of_its_own(joins):
    def make(problem):
        cuda, out = problem.package.cuda, problem.package.empty_like(problem.a)
        stream = cuda.Stream()

        def fn():
            stream.wait_stream(cuda.current_stream())
            with cuda.stream(stream):
                problem.package.matmul(problem.a, problem.b, out=out)
            if joins:
                cuda.current_stream().wait_stream(stream)
            return out

        return fn

    return make


CUDA_CHEATS["leaves_the_work_on_a_stream"] = on_a_stream_of_its_own(False)
CUDA_TWINS["joins_a_stream_of_its_own"] = on_a_stream_of_its_own(True)


def does_nothing_while_captured(problem):
    kept = []

    def fn():
        if not kept or not problem.package.cuda.is_current_stream_capturing():
            kept[:] = [problem.a @ problem.b]
        return kept[0]

    return fn


def is_captured_as_a_copy(problem):
    kept = does_nothing_while_captured(problem)
    return lambda: kept().clone()


def computes_in_another_precision(problem):
    def fn():
        problem.package.backends.cuda.matmul.allow_tf32 = True
        return problem.a @ problem.b

    problem.finally_ = lambda: setattr(problem.package.backends.cuda.matmul, "allow_tf32", False)
    problem.settings["check"] = {"rms": 1e-2}
    return fn


CUDA_CHEATS.update({make.__name__: make for make in (does_nothing_while_captured, is_captured_as_a_copy,
                                                     computes_in_another_precision)})  # fmt: skip
CUDA_CHEATS["replaces_synchronize"] = that_replaces(lambda p: (p.package.cuda, "synchronize", lambda device=None: None))
CUDA_CHEATS["replaces_elapsed_time"] = that_replaces(lambda p: (p.package.cuda.Event, "elapsed_time", lambda self, end: 1e-3))


def has_a_graph_of_its_own(problem):
    cuda, graph = problem.package.cuda, problem.package.cuda.CUDAGraph()
    cuda.synchronize()
    with cuda.graph(graph):
        out = problem.a @ problem.b

    def fn():
        graph.replay()
        return out

    return fn


def is_compiled(problem):
    a, b = problem.a, problem.b
    product = problem.package.compile(lambda a, b: (a @ b) * 1.0)
    return lambda: product(a, b)


def waits(problem):
    problem.settings["synchronizes"] = True

    def fn():
        out = problem.a @ problem.b
        problem.package.cuda.synchronize()
        return out

    return fn


CUDA_TWINS.update({make.__name__: make for make in (has_a_graph_of_its_own, is_compiled, waits)})
