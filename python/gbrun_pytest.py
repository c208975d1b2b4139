"""gbrun in pytest: the fixture gbrun; and benchmark, that of pytest-benchmark, where that plugin is not installed.

docs/python.md describes both. What is measured goes into a results file; the tables at the end are those of `gbrun show`
and `gbrun compare`.
"""
from __future__ import annotations

import argparse
import csv
import functools
import importlib
import importlib.util
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import types
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator

import pytest

if TYPE_CHECKING:
    import gbrun as gbrun_module

VERDICTS = "slower faster changed same unclear broken fixed failed missing new skipped".split()
XDIST = "xdist measures several tests at once, which disturb each other: expected -n 0"
# Options of pytest-benchmark, with how many values, some of them keywords of its mark, that gbrun has no use for: what
# is so instead, which the end of the session says; and those that are refused: what does it.
REPLACED = {
    "warmup": ("?", "what is measured is warmed up"),
    "warmup-iterations": (None, "what is measured is warmed up"),
    "disable-gc": (0, "the garbage collector is off meanwhile"),
    "min-time": (None, "a sample is as long as the clock needs"),
    "calibration-precision": (None, "a sample is as long as the clock needs"),
    "timer": (None, "the clock is gbrun's"),
    "save-data": (0, "results files have all samples"),
    "group-by": (None, "tables are by test"),
    "name": (None, "names are the tests' ids"),
    "columns": (None, "columns are gbrun's"),
    "quiet": (0, "tables are printed"),
}
REFUSED = {
    "json": "--gbrun-save FILE, and gbrun export --format json FILE",
    "compare": "--gbrun-compare BASE",
    "compare-fail": "--gbrun-compare BASE --gbrun-fail slower",
    "histogram": "--gbrun-save FILE, and gbrun report FILE",
    "cprofile": "a profiler",
    "verbose": "--gbrun-save FILE, and gbrun show --verbose FILE",
}
# Hooks of pytest-benchmark, which are about its report and its files: conftest.py may have them, none is called.
HOOKS: dict[str, Callable[..., None]] = {
    "pytest_benchmark_scale_unit": lambda config, unit, benchmarks, best, worst, sort: None,
    "pytest_benchmark_generate_machine_info": lambda config: None,
    "pytest_benchmark_update_machine_info": lambda config, machine_info: None,
    "pytest_benchmark_generate_commit_info": lambda config: None,
    "pytest_benchmark_update_commit_info": lambda config, commit_info: None,
    "pytest_benchmark_group_stats": lambda config, benchmarks, group_by: None,
    "pytest_benchmark_generate_json": lambda config, benchmarks, include_data, machine_info, commit_info: None,
    "pytest_benchmark_update_json": lambda config, benchmarks, output_json: None,
    "pytest_benchmark_compare_machine_info": lambda config, benchmarksession, machine_info, compared_benchmark: None,
}
# Modules that suites have the type of the fixture from.
MODULES = "pytest_benchmark", "pytest_benchmark.fixture", "pytest_codspeed"
# Columns to sort by, as gbrun has them; empty: tables are by test as it is.
COLUMNS = {"name": "", "fullname": "", "min": "min_ns", "max": "max_ns", "mean": "mean_ns", "stddev": "stdev_ns"}


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    group = parser.getgroup("gbrun", "benchmarks")
    group.addoption("--gbrun-save", metavar="FILE", help="append the measurements to this results file")
    group.addoption("--gbrun-compare", metavar="BASE", help="compare with a results file, or with a run of --gbrun-save: "
                    "previous, its number, or NAME=VALUE")  # fmt: skip
    group.addoption("--gbrun-fail", metavar="VERDICTS", help="fail where a case has one of these verdicts, separated by commas: "
                    "slower, unclear, ... (gbrun help compare)")  # fmt: skip
    if not _serves_benchmark(pluginmanager):
        return
    pluginmanager.add_hookspecs(type("Hooks", (), HOOKS))
    absent = [name for name in MODULES if name not in sys.modules and not importlib.util.find_spec(name.partition(".")[0])]
    for name in absent:  # now, as conftest.py may import them
        sys.modules[name] = types.ModuleType(name, __doc__)
        vars(sys.modules[name]).update(BenchmarkFixture=Benchmark)
    for name, words in (("skip", "skip tests of benchmark and gbrun"), ("only", "skip all other tests"),
                        ("disable", "call what benchmark measures once, and measure nothing"),
                        ("enable", "measure, whatever --benchmark-disable says")):  # fmt: skip
        group.addoption(f"--benchmark-{name}", action="store_true", help=words)
    group.addoption("--benchmark-min-rounds", type=int, metavar="N", help="fewest samples of a benchmark")
    group.addoption("--benchmark-max-time", type=float, metavar="SECONDS", default=1.0,
                    help="seconds to measure a benchmark, at most; 1.0 if not given")  # fmt: skip
    group.addoption("--benchmark-sort", metavar="COLUMN", choices=list(COLUMNS), help=f"sort by {', '.join(COLUMNS)}")
    group.addoption("--benchmark-save", metavar="NAME", help="--gbrun-save .benchmarks/NAME.gbr")
    group.addoption("--benchmark-autosave", dest="benchmark_save", action="store_const", const="autosave",
                    help="--gbrun-save .benchmarks/autosave.gbr")  # fmt: skip
    group.addoption("--benchmark-storage", metavar="FOLDER", default=".benchmarks", help="in place of .benchmarks")
    for name, (nargs, words) in REPLACED.items():
        given: dict[str, Any] = {"action": "store_true"} if nargs == 0 else {"nargs": nargs, "const": "on"} if nargs else {}
        group.addoption(f"--benchmark-{name}", help=f"accepted: {words}", **given)
    for name, words in REFUSED.items():
        group.addoption(f"--benchmark-{name}", action=_Refused, nargs="?", const=words, help=argparse.SUPPRESS)


class _Refused(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        words = REFUSED[str(option_string)[len("--benchmark-") :]]
        raise pytest.UsageError(f"{option_string} is of pytest-benchmark, which is not installed: expected {words}")


def _serves_benchmark(manager: pytest.PytestPluginManager) -> bool:
    stands_in = getattr(sys.modules.get(MODULES[0]), "BenchmarkFixture", None) is Benchmark
    return manager.is_blocked("benchmark") or stands_in or importlib.util.find_spec(MODULES[0]) is None


def pytest_configure(config: pytest.Config) -> None:
    session = _Session(config)
    config.pluginmanager.register(session, "gbrun-session")
    if _serves_benchmark(config.pluginmanager):
        config.addinivalue_line("markers", "benchmark(group, min_rounds, max_time): settings of the fixture benchmark")
        config.pluginmanager.register(_Served(config, session), "gbrun-benchmark")


class _Session:
    """What all tests of one process share: the results file."""

    def __init__(self, config: pytest.Config) -> None:
        self.save, self.base = config.getoption("gbrun_save"), config.getoption("gbrun_compare")
        named, column = config.getoption("benchmark_save", None), config.getoption("benchmark_sort", None)
        if named and not self.save:
            folder = pathlib.Path(config.getoption("benchmark_storage"))
            folder.mkdir(parents=True, exist_ok=True)
            self.save = str(folder / f"{named}.gbr")
        self.sorted = ["--sort", COLUMNS[column]] if column and COLUMNS[column] else []
        self.notes: dict[str, None] = {}
        for name in REPLACED:
            if config.getoption(f"benchmark_{name.replace('-', '_')}", None):
                self.note(name)
        self.failing = [word for word in (config.getoption("gbrun_fail") or "").split(",") if word]
        self.is_worker = hasattr(config, "workerinput")
        self.folder = None if self.save else tempfile.TemporaryDirectory(prefix="gbrun-")
        self.path = str(pathlib.Path(self.save or f"{self.folder.name}/pytest.gbr").absolute())  # type: ignore[union-attr]
        self.texts: list[str] = []
        self.names: dict[str, str] = {}  # of cases: the test that has them
        self.check(config)

    def check(self, config: pytest.Config) -> None:
        unknown = [word for word in self.failing if word not in VERDICTS]
        is_file = self.base is not None and os.path.isfile(self.base)
        if unknown:
            raise pytest.UsageError(f"--gbrun-fail {unknown[0]}: expected some of {', '.join(VERDICTS)}")
        if self.failing and self.base is None:
            raise pytest.UsageError("--gbrun-fail: nothing is compared: expected --gbrun-compare BASE")
        if is_file and os.path.exists(self.path) and os.path.samefile(self.base, self.path):
            raise pytest.UsageError(f"--gbrun-compare {self.base}: results are appended to it: expected previous")
        if self.base is not None and not is_file and not os.path.exists(self.path):
            raise pytest.UsageError(f"--gbrun-compare {self.base}: there is no such results file, and no run of --gbrun-save")
        if (self.save or self.base) and (self.is_worker or config.getoption("numprocesses", None)):
            raise pytest.UsageError(f"--gbrun-save, --gbrun-compare: {XDIST}")

    def note(self, name: str) -> None:
        """For the end of the session: what is so in place of an option or a keyword of the mark."""
        self.notes[f"--benchmark-{name}: {REPLACED[name][1]}"] = None

    def measure(self, item: pytest.Item, fn: Callable[..., Any], name: str | None = None, group: str | None = None,
                **settings: Any) -> gbrun_module.Measurement:  # fmt: skip
        import gbrun

        case, let = _case(item, name, group)
        other = self.names.setdefault(f"{case} {let}", item.nodeid)
        if other != item.nodeid:
            raise gbrun.Error(f"{case}: this is a case of {other}, too: expected gbrun(..., name=...), which tells them apart")
        return gbrun.measure(fn, name=case, let=let, results=self.path, **settings)

    @pytest.fixture
    def gbrun(self, request: pytest.FixtureRequest) -> Gbrun:
        """Measures a function: gbrun(fn, *args, precision=, rounds=, isolate=, setup=), a gbrun.Measurement."""
        if self.is_worker:
            pytest.fail(f"gbrun: {XDIST}", pytrace=False)
        return Gbrun(self, request.node)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.names:
            return
        for name in HOOKS:
            hook = getattr(session.config.hook, name, None)
            if hook is not None and hook.get_hookimpls():
                self.notes[f"{name}: not called, as tables and files are gbrun's"] = None
        self.show("show", *self.sorted, self.path)
        if self.base is not None:
            sides = [self.base, self.path] if os.path.isfile(self.base) else ["--base", self.base, self.path]
            code = self.show("compare", *sides)
            if self.failing and self.found(code, sides) and session.exitstatus == 0:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def show(self, *arguments: str) -> int:
        """What is not kept has no path that anyone could use."""
        code, text = _said(*arguments)
        self.texts.append(text if self.save else text.replace(self.path, "FILE (--gbrun-save FILE keeps it)"))
        return code

    def found(self, code: int, sides: list[str]) -> bool:
        """Does any case have a verdict that --gbrun-fail names? What could not be compared has none."""
        if code not in (0, 3):
            return True
        counts = json.loads(_said("compare", "--format", "json", *sides)[1])["comparisons"][0]["counts"]
        found = [f"{counts[word]} {word}" for word in self.failing if counts[word]]
        if found:
            self.texts.append(f"failed: {', '.join(found)}\n")
        return bool(found)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.texts:
            terminalreporter.section("gbrun")
            terminalreporter.write("\n".join([*self.texts, *self.notes]) + "\n")

    def pytest_unconfigure(self) -> None:
        if self.folder is not None:
            self.folder.cleanup()


def _said(*arguments: str) -> tuple[int, str]:
    """The exit code of the program, and what it printed."""
    import gbrun

    done = subprocess.run([gbrun._program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _case(item: pytest.Item, name: str | None, group: str | None) -> tuple[str, dict[str, Any]]:
    """The name of a case, the id of the test without its parameters; and these, as gbrun.measure's let."""
    import gbrun

    call = getattr(item, "callspec", None)
    node = item.nodeid
    if call is not None and node.endswith(f"[{call.id}]"):
        node = node[: -len(call.id) - 2]
    let = {} if group is None else {"group": gbrun._variable(group, "")}
    for key, value in getattr(call, "params", {}).items():
        axis = re.sub(r"[^A-Za-z0-9_]", "_", key)
        let[axis + "_" * (axis in _keywords())] = gbrun._variable(value, f"{key}{getattr(call, 'indices', {}).get(key, '')}")
    return re.sub(r"[\s\"',=]", "_", node if name is None else f"{node}::{name}"), let


@functools.lru_cache(maxsize=None)
def _keywords() -> set[str]:
    """Settings of a measurement, which no parameter of a test means."""
    rows = csv.DictReader(_said("list", "keywords", "--format", "csv")[1].splitlines())
    kinds = "keys of every benchmark", "policy ", "device "
    return {"device", "policy", *(row["keyword"] for row in rows if row["of"].startswith(kinds))}


class Gbrun:
    """The fixture gbrun of one test."""

    def __init__(self, session: _Session, item: pytest.Item) -> None:
        self._session, self._item = session, item
        self._names: list[str | None] = []

    def __call__(self, fn: Callable[..., Any], *args: Any, precision: float | None = None, rounds: int | None = None,
                 isolate: bool = False, setup: Callable[[], Any] | None = None, name: str | None = None,
                 **settings: Any) -> gbrun_module.Measurement:  # fmt: skip
        """Measures fn(*args), as gbrun.measure does, with its other settings.

        setup: called before each sample, which is one call then. isolate: in a process of its own, for functions of
        modules. name: tells the cases of one test apart.
        """
        if name in self._names:
            raise ValueError("gbrun: called again in one test: expected name=..., which tells its cases apart")
        self._names.append(name)
        given = {"precision": precision, "rounds": rounds}
        settings.update((key, value) for key, value in given.items() if value is not None)
        if setup is not None:
            settings.update(reset=setup, single=True)
        if args:
            fn = functools.partial(fn, *args)
        return self._session.measure(self._item, fn, name, isolate=isolate, **settings)


# --- pytest-benchmark's fixture ------------------------------------------------------------------------------------


class _Served:
    """The fixture benchmark, and options for it."""

    def __init__(self, config: pytest.Config, session: _Session) -> None:
        self.session = session
        option = functools.partial(config.getoption, default=False)
        self.skips, self.only = option("benchmark_skip"), option("benchmark_only")
        self.is_off = option("benchmark_disable") and not option("benchmark_enable")
        self.settings = {"max_time": config.getoption("benchmark_max_time"),
                         "min_rounds": config.getoption("benchmark_min_rounds")}  # fmt: skip
        if self.only and (self.skips or self.is_off):
            raise pytest.UsageError("--benchmark-only: expected no --benchmark-skip or --benchmark-disable with it")
        if session.is_worker and option("benchmark_enable"):
            raise pytest.UsageError(f"--benchmark-enable: {XDIST}")

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        is_one = not {"benchmark", "gbrun"}.isdisjoint(getattr(item, "fixturenames", ()))
        if self.skips and is_one:
            pytest.skip("a benchmark (--benchmark-skip)")
        if self.only and not is_one:
            pytest.skip("no benchmark (--benchmark-only)")

    @pytest.fixture
    def benchmark(self, request: pytest.FixtureRequest) -> Iterator[Benchmark]:
        """pytest-benchmark's: benchmark(fn, *args, **kwargs), benchmark.pedantic(fn, ...); by gbrun."""
        if self.session.is_worker:
            warnings.warn(pytest.PytestWarning(f"benchmark: called once, not measured: {XDIST}"))
        found = Benchmark(self, request.node)
        yield found
        for undo in reversed(found._undo):
            undo()
        request.node.user_properties.extend((f"benchmark.{key}", value) for key, value in found.extra_info.items())

    @pytest.fixture
    def benchmark_weave(self, benchmark: Benchmark) -> Callable[..., None]:
        return benchmark.weave


class Benchmark:
    """The fixture benchmark of one test."""

    def __init__(self, served: _Served, item: Any) -> None:
        self._served, self._item = served, item
        self._undo: list[Callable[[], None]] = []
        self._mode: str | None = None
        call = getattr(item, "callspec", None)
        self.name, self.fullname = item.name, item.nodeid
        self.param: str | None = getattr(call, "id", None)
        self.params: dict[str, Any] | None = getattr(call, "params", None)
        self.extra_info: dict[str, Any] = {}
        self.stats: Stats | None = None
        self.enabled = not (served.is_off or served.session.is_worker)
        self.options = dict(served.settings)
        for marker in reversed(list(item.iter_markers("benchmark"))):
            self.options.update(marker.kwargs)
        self.group: str | None = self.options.pop("group", None)
        for key in set(self.options) - {"max_time", "min_rounds"}:
            if key.replace("_", "-") in REPLACED:
                served.session.note(key.replace("_", "-"))
            else:
                served.session.notes[f"mark benchmark: gbrun has nothing like {key}={self.options[key]!r}"] = None

    @property
    def disabled(self) -> bool:
        return not self.enabled

    def __call__(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Measures fn(*args, **kwargs), and returns what one more call returns."""
        import gbrun

        self._use("benchmark(...)")
        if self.enabled:
            settings = {"max_time": f"{self.options['max_time']} s"}
            if self.options["min_rounds"]:
                settings["min_samples"] = self.options["min_rounds"]
            called = functools.partial(fn, *args, **kwargs)
            vars(called)["may_be_idle"] = True  # pytest-benchmark measures the call of a generator function
            self._measure(called, **settings)
        result = fn(*args, **kwargs)
        words = self.enabled and gbrun._unstarted(result)
        if words:
            self._served.session.notes[f"{self.fullname}: {words}"] = None
        return result

    def pedantic(self, target: Callable[..., Any], args: Any = (), kwargs: Any = None, setup: Any = None,
                 teardown: Any = None, rounds: int = 1, warmup_rounds: int = 0, iterations: int = 1) -> Any:  # fmt: skip
        """`rounds` samples of `iterations` calls; with one iteration target is called as often as that says."""
        self._use("benchmark.pedantic(...)")
        if setup is not None and (iterations != 1 or args or kwargs):
            raise ValueError("benchmark.pedantic: with setup there is one iteration, and setup returns args and kwargs")
        if min(rounds, iterations) < 1 or warmup_rounds < 0:
            raise ValueError("benchmark.pedantic: expected rounds and iterations from 1, and warmup_rounds from 0")
        call = _Pedantic(target, args, kwargs or {}, setup, teardown)
        if not self.enabled:
            call.round()
        elif iterations == 1:
            call.skipped, call.warmup_rounds = 1, warmup_rounds
            self._measure(call.run, reset=call.reset, single=True, policy="fixed", samples=rounds, rounds=1)
        else:
            call.rounds(warmup_rounds)
            self._measure(call.run, reset=call.reset, iterations=iterations, policy="fixed", samples=rounds, rounds=1)
        call.end()
        return call.result

    def weave(self, target: Any, **kwargs: Any) -> None:
        """Measures the calls of a function while the test runs: the function, or "module.function"."""
        if kwargs:
            raise TypeError(f"benchmark.weave: {next(iter(kwargs))}: expected a function, or its name with its module's")
        place, _, name = str(target).rpartition(".") if isinstance(target, str) else ("", "", "")
        if isinstance(target, types.FunctionType):
            place, _, name = f"{target.__module__}.{target.__qualname__}".rpartition(".")
        if not place:
            raise TypeError(f"benchmark.weave: {target!r}: expected a function, or its name with its module's")
        owner = importlib.util.resolve_name(place, None)
        self._weave(_found(owner), name)

    patch = weave

    def _weave(self, owner: Any, name: str) -> None:
        function = getattr(owner, name)

        @functools.wraps(function)
        def woven(*args: Any, **kwargs: Any) -> Any:
            if self._mode is not None:  # called by itself, or again
                return function(*args, **kwargs)
            return self(function, *args, **kwargs)

        setattr(owner, name, woven)
        self._undo.append(lambda: setattr(owner, name, function))

    def _use(self, mode: str) -> None:
        if self._mode is not None:
            raise RuntimeError(f"benchmark: a test measures once, and this one has called {self._mode}: expected another test")
        self._mode = mode

    def _measure(self, fn: Callable[[], Any], **settings: Any) -> None:
        group = None if self.group is None else str(self.group)
        found = self._served.session.measure(self._item, fn, None, group, device="cpu", **settings)
        self.stats = Stats(found)


def _found(name: str) -> Any:
    """A module, or a class in one."""
    try:
        return importlib.import_module(name)
    except ImportError:
        place, _, rest = name.rpartition(".")
        if not place:
            raise
        return getattr(_found(place), rest)


class _Pedantic:
    """Calls of one target, with what is done before and after each."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any, setup: Any, teardown: Any) -> None:
        self.target, self.args, self.kwargs, self.setup, self.teardown = target, args, kwargs, setup, teardown
        self.skipped = self.warmup_rounds = 0  # gbrun's warm-up is the first call: these rounds take its place
        self.is_open = False
        self.result: Any = None

    def reset(self) -> None:
        if self.skipped:
            return
        self.end()
        given = self.setup() if self.setup is not None else None
        if given is not None:
            self.args, self.kwargs = given
        self.is_open = True

    def run(self) -> None:
        if self.skipped:
            self.skipped = 0
            self.rounds(self.warmup_rounds)
            return
        self.result = self.target(*self.args, **self.kwargs)

    def rounds(self, n: int) -> None:
        for _ in range(n):
            self.round()

    def round(self) -> None:
        self.reset()
        self.run()

    def end(self) -> None:
        if self.is_open and self.teardown is not None:
            self.teardown(*self.args, **self.kwargs)
        self.is_open = False


class Stats:
    """benchmark.stats, and its stats: of the samples, in seconds; measurement is gbrun's, with the estimate."""

    def __init__(self, measurement: gbrun_module.Measurement) -> None:
        self.measurement, self.iterations = measurement, measurement.iterations
        self.data = [float(value) for value in measurement.samples]
        self.sorted_data = sorted(self.data)
        self.rounds, self.total = len(self.data), math.fsum(self.data)
        self.min, self.max, self.mean = self.sorted_data[0], self.sorted_data[-1], self.total / self.rounds
        self.median, self.ops = statistics.median(self.data), 1 / self.mean if self.mean else math.inf
        self.stddev = statistics.stdev(self.data) if self.rounds > 1 else 0.0
        self.q1, self.q3 = measurement.quantile(0.25), measurement.quantile(0.75)
        self.iqr = self.q3 - self.q1

    @property
    def stats(self) -> Stats:
        return self

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)
