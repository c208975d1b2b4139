"""gbrun from Python: times of functions, and results files as DataFrames, or without pandas as lists and arrays.

    import gbrun
    print(gbrun.measure(lambda: torch.add(a, b), cache="cold", precision=0.005))
    print(gbrun.compare(f, g))
    frame = gbrun.cases("results.gbr", "bench = 'copy' and bytes >= 65536")
    times = gbrun.samples("results.gbr", "bench = 'copy'")
    gbrun.to_parquet("results.gbr", "samples.parquet", rows="sample")

`plugin = python` of bench.ini has this file inside, for functions that `gbrun run` measures: Bench.

One file: copy it beside a script, or put its folder on PYTHONPATH. It needs Python's own library only. What measures
calls libgbrun; times are seconds of one call (docs/python.md). What reads results files reads SQLite itself, also while
a run writes it and where gbrun is not installed; its columns are nanoseconds of one iteration (docs/results.md). NumPy
and pandas are used where they can be imported.
"""
from __future__ import annotations

import array
import ast
import atexit
import builtins
import collections
import concurrent.futures
import contextlib
import contextvars
import ctypes
import functools
import gc
import glob
import html
import importlib
import inspect
import itertools
import math
import numbers
import operator
import os
import pathlib
import pickle
import random
import re
import shutil
import site
import struct
import subprocess
import sys
import threading
import time
import traceback
import types
import typing
import uuid
import weakref
from typing import Any, Callable, Iterator, NamedTuple, Sequence, TypeVar

__version__ = "0.1.0"
__all__ = [
    "Bench", "Comparison", "Error", "Expected", "Frequency", "Kernel", "Measurement", "Mode", "Race", "Skipped", "Tuned",
    "WrongResult", "__version__", "cases", "compare", "do_bench", "measure", "records", "results", "samples", "to_parquet",
    "tune",
]  # fmt: skip

APPLICATION_ID = 0x67627231  # "gbr1"
CHUNK_MAX = 65536  # samples
KEYS = ("run_uuid", "uuid", "uid", "bench", "round")  # of each row of samples
GAPS = {"clock_hz": 0.0, "throttle": 0.0, "flags": 0.0}  # of what is no clock; docs/results.md#samples
CASE_ID = "case_id"  # the key in this file
OF_SAMPLES = (CASE_ID, "label", "clock", "iterations", "n_samples")
NO_TIMES = ("iterations", "clock_hz", "throttle", "flags")
WHOLE = ("iterations", "throttle", "flags")  # numbers that are stored as doubles, as all columns are

# The newest record of each case of a run: one that --resume measured again has an unfinished one as well.
IS_LATEST = """NOT EXISTS (SELECT 1 FROM bench_case AS o WHERE o.run_id = c.run_id
    AND o.position = c.position AND o.round = c.round AND o.bench = c.bench AND o.policy = c.policy
    AND o.device_name = c.device_name AND o.device_index = c.device_index AND (o.uid = c.uid OR o.done > c.done)
    AND (o.done, o.started, o.sequence, o.uuid) > (c.done, c.started, c.sequence, c.uuid))"""
RUN_NUMBER = "(SELECT count(*) FROM run AS e WHERE (e.started, e.uuid) <= (r.started, r.uuid))"
LABEL = """c.bench || ifnull((SELECT group_concat(' ' || name || '=' || CASE
    WHEN value = '' OR value GLOB '*[' || char(9) || ' "]*' THEN '"' || value || '"' ELSE value END, '')
    FROM (SELECT name, value FROM parameter WHERE case_id = c.id AND is_axis ORDER BY ordinal)), '')"""
VERIFIED = """CASE (SELECT min(passed) FROM check_result WHERE case_id = c.id AND (tolerance IS NOT NULL OR NOT passed))
    WHEN 0 THEN 'failed' WHEN 1 THEN 'ok' ELSE 'unchecked' END"""
PARAMETER = """(SELECT CASE WHEN type IN ('int', 'bytes') THEN CAST(value AS INTEGER) WHEN type = 'bool'
    THEN CAST(number AS INTEGER) ELSE ifnull(number, value) END FROM parameter WHERE case_id = c.id AND name = {})"""
SELECTED_MOST = 900
METRIC = "(SELECT value FROM metric WHERE case_id = c.id AND name = {} ORDER BY ordinal LIMIT 1)"

if typing.TYPE_CHECKING:
    Path = typing.Union[str, os.PathLike[str]]
    Function = Callable[..., Any]
    Settings = dict[str, Any]
    Real = typing.SupportsFloat  # the operators of numbers.Real return anything there
else:
    Real = numbers.Real
T = TypeVar("T")


@functools.lru_cache(maxsize=None)
def _package(name: str) -> Any:
    """NumPy or pandas, once it is needed; None where it cannot be imported."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cases(path: Path, where: str | None = None, run: str | int = "newest") -> Any:
    """A row for each case and round, in the order of the configuration: a DataFrame, or without pandas a list of dicts.

    Columns are those of the table bench_case, who measured (run, run_uuid, host, device_model), label, verified,
    gflops and bytes_per_s; options under their names (numbers in bytes and ns, booleans as 0 and 1); metrics of
    plugins as metric.NAME. An option that has the name of a column stands in its place.
    where: an SQL expression of these columns. run: "newest", "all", or a number, from 1 by start.
    """
    pandas = _package("pandas")
    if pandas is None:
        return records(path, where, run)
    names, rows = _rows(path, where, run)
    return pandas.DataFrame(rows, columns=names)


def records(path: Path, where: str | None = None, run: str | int = "newest") -> list[dict[str, Any]]:
    """The same as a list of dicts, also where pandas is there: for scripts that run anywhere."""
    names, rows = _rows(path, where, run)
    return [dict(zip(names, row)) for row in rows]


def samples(path: Path, where: str | None = None, run: str | int = "newest", columns: Sequence[str] | None = None) -> Any:
    """A row for each sample: a DataFrame, or a dict of equally long columns where pandas is missing (arrays of NumPy,
    or else array.array; lists of texts).

    time_ns is the time on the clock that counts; each clock that was read is a column NAME_ns; then elapsed_ns (end
    of the sample since the start of the first), and iterations, clock_hz, throttle, flags where the file has them.
    columns: names, as of cases(), to repeat in each row; None: run_uuid, uuid, uid, bench, round and the swept
    options. The rest of a case joins by its uuid: samples(path).merge(cases(path), on="uuid").
    """
    with _opened(path) as file:
        known = _expressions(file)
        all_found = [dict(zip(OF_SAMPLES, row)) for row in _select(file, known, OF_SAMPLES, where, run)]
        found = {case[CASE_ID]: case for case in all_found if case["n_samples"] > 0}
        if columns is None:
            columns = list(KEYS) + [name for name in _axes(file, found) if name not in KEYS]
        for name in columns:
            if name not in known:
                raise ValueError(f"samples: there is no column {name!r}: expected some of {', '.join(known)}")
        rows = [row[1:] for row in _select(file, known, [CASE_ID, *columns], where, run) if row[0] in found]
        read = _Samples(path, list(found.values()))
        read.read(file)
    result = {name: read.repeated([row[i] for row in rows]) for i, name in enumerate(columns)}
    result.update(read.columns())
    pandas = _package("pandas")
    return result if pandas is None else pandas.DataFrame(result, copy=False)


def to_parquet(path: Path, target: Path, where: str | None = None, run: str | int = "newest", rows: str = "case") -> None:
    """Writes cases (rows="case") or samples (rows="sample") to a Parquet file.

    Needs pandas, with pyarrow or fastparquet. An option that is a number in some cases and a word in others is text.
    """
    if rows not in ("case", "sample"):
        raise ValueError(f"to_parquet: rows={rows!r}: expected 'case' or 'sample'")
    if _package("pandas") is None:
        raise ImportError("to_parquet needs pandas, and pyarrow or fastparquet")
    frame = cases(path, where, run) if rows == "case" else samples(path, where, run)
    for name in frame.columns[frame.dtypes == object]:
        if len({type(value) for value in frame[name] if value is not None}) > 1:
            frame[name] = [None if value is None else str(value) for value in frame[name]]
    frame.to_parquet(target, index=False)


def _rows(path: Path, where: str | None, run: Any) -> Any:
    with _opened(path) as file:
        known = _expressions(file)
        names = [name for name in known if name != CASE_ID]
        return names, _select(file, known, names, where, run)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A read-only connection that sees one state of the file."""
    import sqlite3

    open(path, "rb").close()  # its errors name the file
    file = sqlite3.connect(pathlib.Path(path).absolute().as_uri() + "?mode=ro", uri=True, isolation_level=None)
    with contextlib.closing(file):
        file.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            file.execute("BEGIN")
            found = file.execute("PRAGMA application_id").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path}: not a results file of gbrun: {error}") from None
        if found != APPLICATION_ID:
            raise ValueError(f"{path}: not a results file of gbrun")
        yield file


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _expressions(file: Any) -> Any:
    """{column: its SQL} of a case; c: the case, r: the run, d: the device."""
    stored = [row[1] for row in file.execute("PRAGMA table_info(bench_case)")]
    dithered = "c.dithered" if "dithered" in stored else "0"  # not in files of the first versions
    central = f"""CASE WHEN (c.statistic = 'median' OR (c.statistic = 'mean' AND {dithered})) AND c.estimate_ns > 0
        THEN c.estimate_ns ELSE c.median_ns END"""
    result = {
        CASE_ID: "c.id",
        "run": RUN_NUMBER,
        "run_uuid": "r.uuid",
        "host": "(SELECT value FROM run_fact WHERE run_id = r.id AND name = 'host')",
        "label": LABEL,
        "device_model": "d.model",
        "verified": VERIFIED,
    }
    result.update((name, "c." + name) for name in stored if name not in ("id", "run_id", "device_id"))
    result["gflops"] = f"nullif(c.flops, 0) / ({central})"
    result["bytes_per_s"] = f"nullif(c.bytes_read + c.bytes_written, 0) / ({central}) * 1e9"
    for (name,) in file.execute("SELECT name FROM parameter GROUP BY name ORDER BY min(case_id), min(ordinal)"):
        if name != CASE_ID:
            result[name] = PARAMETER.format(_text(name))
    for (name,) in file.execute("SELECT DISTINCT name FROM metric ORDER BY 1"):
        result["metric." + name] = METRIC.format(_text(name))
    return result


def _select(file: Any, known: Any, names: Sequence[str], where: str | None, run: Any) -> Any:
    """Rows with these of the known columns, of the chosen cases, in the order of the configuration."""
    if run == "newest":
        number = file.execute("SELECT count(*) FROM run").fetchone()[0]
    elif run == "all" or (isinstance(run, int) and run > 0):
        number = run
    else:
        raise ValueError(f"run={run!r}: expected 'newest', 'all' or a number from 1")
    parts = [names[i : i + SELECTED_MOST] for i in range(0, len(names), SELECTED_MOST)]
    rows = [_select_part(file, known, part, where, number) for part in parts]
    return rows[0] if len(rows) == 1 else [sum(of_case, ()) for of_case in zip(*rows)]


def _select_part(file: Any, known: Any, names: Sequence[str], where: str | None, number: int) -> Any:
    """Of no more columns than SQLite has room for."""
    if len(known) > SELECTED_MOST:
        words = (where or "").lower()
        known = {name: sql for name, sql in known.items() if name in names or name.lower() in words}
    return file.execute(
        f"""SELECT {", ".join(map(_name, names))} FROM (
            SELECT {", ".join(f"{sql} AS {_name(name)}" for name, sql in known.items())}
            FROM bench_case AS c JOIN run AS r ON r.id = c.run_id LEFT JOIN device AS d ON d.id = c.device_id
            WHERE {IS_LATEST} AND (?1 = 'all' OR {RUN_NUMBER} = ?1)
            ORDER BY r.started, r.uuid, c.position, c.device_name, c.device_index, c.round, c.sequence, c.started,
                c.uuid)
        WHERE (
            {"1" if where is None else where}
        )""",
        (number,),
    ).fetchall()


def _axes(file: Any, case_ids: Any) -> list[str]:
    """Names of the options that are swept in any of the cases, in the order of their tables."""
    found = {}
    for case_id, name in file.execute("SELECT case_id, name FROM parameter WHERE is_axis ORDER BY case_id, ordinal"):
        if case_id in case_ids:
            found[name] = True
    return list(found)


class _Samples:
    """Samples of cases, one after the other, by columns."""

    def __init__(self, path: Path, found: Any) -> None:
        self.path = path
        self.cases = found
        self.total = 0
        self.values: dict[str, Any] = {}

    def read(self, file: Any) -> None:
        for case in self.cases:
            case["first"] = self.total
            self.check(file, case)
            self.total += case["n_samples"]
        self.column("time_ns", math.nan)
        for case in self.cases:
            for chunk in file.execute(
                "SELECT name, first, n, data FROM samples WHERE case_id = ? ORDER BY name, first", (case[CASE_ID],)
            ):
                self.take(case, *chunk)

    def check(self, file: Any, case: Any) -> None:
        """What the case claims to have must be there: it bounds what is allocated."""
        n, end, are_sound = file.execute(
            f"""SELECT total(n), max(first + n), min(n BETWEEN 1 AND {CHUNK_MAX} AND length(data) IN (8, 8 * n))
            FROM samples WHERE case_id = ? AND name = ?""",
            (case[CASE_ID], case["clock"]),
        ).fetchone()
        if n != case["n_samples"] or end != n or not are_sound:
            raise self.damaged(case)

    def damaged(self, case: Any) -> Any:
        return ValueError(f"{self.path}: damaged: the samples of {case['label']} do not match their record")

    def take(self, case: Any, name: str, first: Any, n: int, data: Any) -> None:
        is_sound = 0 <= first and 1 <= n <= CHUNK_MAX and first + n <= case["n_samples"]
        if not is_sound or not isinstance(data, bytes) or len(data) not in (8, 8 * n):
            raise self.damaged(case)
        chunk = self.decoded(data, n)
        begin = case["first"] + first
        self.column(name, GAPS.get(name, math.nan))[begin : begin + n] = chunk
        if name == case["clock"]:
            self.values["time_ns"][begin : begin + n] = chunk

    @staticmethod
    def decoded(data: Any, n: int) -> Any:
        numpy = _package("numpy")
        if numpy is not None:
            return numpy.frombuffer(data, "<f8")  # one value fills all that it is assigned to
        chunk = array.array("d")
        chunk.frombytes(data)
        if sys.byteorder == "big":
            chunk.byteswap()
        return chunk if len(chunk) == n else chunk * n

    def column(self, name: str, gap: Any) -> Any:
        numpy = _package("numpy")
        if name not in self.values and name == "iterations":
            self.values[name] = self.repeated([float(case["iterations"]) for case in self.cases])
        elif name not in self.values:
            self.values[name] = (
                array.array("d", [gap]) * self.total if numpy is None else numpy.full(self.total, gap)
            )
        return self.values[name]

    def columns(self) -> Any:
        """{name: values}: the clock that counts, clocks, elapsed, what is no time."""
        numpy = _package("numpy")
        rank = ["time_ns"] + sorted(n for n in self.values if n not in NO_TIMES + ("time_ns", "elapsed")) + ["elapsed"]
        result = {}
        for name in rank + list(NO_TIMES):
            if name not in self.values:
                continue
            values = self.values[name]
            if name in WHOLE:
                values = array.array("q", map(int, values)) if numpy is None else values.astype("i8")
            result[name if name in NO_TIMES + ("time_ns",) else name + "_ns"] = values
        return result

    def repeated(self, values: Any) -> Any:
        """A value for each case, as one for each of its samples."""
        counts = [case["n_samples"] for case in self.cases]
        kinds = {type(value) for value in values}
        numpy = _package("numpy")
        if numpy is not None:
            is_number = kinds and kinds <= {int, float}
            return numpy.repeat(numpy.array(values, dtype=None if is_number else object), counts)
        kind = "q" if kinds == {int} else "d" if kinds and kinds <= {int, float} else None
        result: Any = array.array(kind) if kind else []
        for value, n in zip(values, counts):
            result.extend((array.array(kind, [value]) if kind else [value]) * n)
        return result


# --- Measuring: libgbrun through ctypes ---------------------------------------------------------------------------

_OK, _SKIPPED, _FAILED, _INVALID, _CANCELLED = 0, 1, -1, -3, -6
_WRONG_RESULT = -7
_SYNCHRONIZES, _SINGLE, _EVERY_CALL, _PREFERS_GRAPH = 1, 2, 8, 32
_THROTTLED, _GRAPH, _COLD = 1, 4, 8
_INFO, _WARNING = 1, 2
_RUN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
_RESET = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
_POLL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_REFRESH = _RUN


def _struct(_name: Any, **fields: Any) -> Any:
    """A struct of gbrun/measure.h: {member: its type}."""
    return type(_name, (ctypes.Structure,), {"_fields_": list(fields.items())})


_i32, _u32, _u64, _double, _text_type = (
    ctypes.c_int32,
    ctypes.c_uint32,
    ctypes.c_uint64,
    ctypes.c_double,
    ctypes.c_char_p,
)
_Subject = _struct(
    "_Subject", size=_u32, flags=_u32, user=ctypes.c_void_p, run=_RUN, reset=_RESET, poll=_POLL,
    flops=_double, bytes_read=_double, bytes_written=_double, items=_double, entry_ns=_double,
    verify=_RESET, refresh=_REFRESH, run_empty=_RUN,
)  # fmt: skip
_Activity = _struct(
    "_Activity", size=_u32, kind=_u32, name=_text_type, grid=_u32 * 3, block=_u32 * 3, registers=_u32, parallel=_u32,
    shared_bytes=_u64, bytes=_u64, occupancy=_double, time_ns=_double, low_ns=_double, high_ns=_double, gap_ns=_double,
)  # fmt: skip
_Mode = _struct("_Mode", median_ns=_double, low_ns=_double, high_ns=_double, weight=_double)
_Message = _struct("_Message", severity=_i32, reserved=_u32, text=_text_type)
_Metric = _struct("_Metric", name=_text_type, value=_double, unit=_text_type)
_Compared = _struct(
    "_Compared", name=_text_type, metric=_text_type, value=_double, tolerance=_double, index=_u64, reference=_double,
    output=_double, text=_text_type, passed=_i32, reserved=_u32,
)  # fmt: skip
_Result = _struct(
    "_Result", size=_u32, status=_i32, error=_text_type,
    time_ns=_double, low_ns=_double, high_ns=_double, confidence=_double, statistic=_text_type,
    verdict=_i32, flags=_u32, verdict_text=_text_type, reason=_text_type, note=_text_type,
    n_discarded=_u64, n_effective=_double,
    n_samples=_u64, samples_ns=ctypes.POINTER(_double), elapsed_ns=ctypes.POINTER(_double), iterations=_u64,
    n_lost=_u64, n_throttled=_u64,
    clock=_text_type, tick_ns=_double, overhead_ns=_double, offset_ns=_double, offset_error_ns=_double,
    graph_ns=_double, way=_text_type, load_ns=_double, clock_mean_hz=_double,
    device=_text_type, device_model=_text_type, device_uuid=_text_type,
    activities_known=_u32, n_modes=_u32, n_activities=_u64, activities=ctypes.POINTER(_Activity),
    n_kernels=_u64, modes=ctypes.POINTER(_Mode),
    n_messages=_u64, messages=ctypes.POINTER(_Message), n_metrics=_u64, metrics=ctypes.POINTER(_Metric),
    median_ns=_double, n_checks=_u64, checks=ctypes.POINTER(_Compared), clock_low_hz=_double, clock_high_hz=_double,
    n_rounds=_u64, rounds_ns=ctypes.POINTER(_double),
)  # fmt: skip
_Comparison = _struct(
    "_Comparison", size=_u32, status=_i32, error=_text_type, ratio=_double, ratio_low=_double, ratio_high=_double,
    verdict=_i32, flags=_u32, verdict_text=_text_type, margin=_double, alpha=_double, n_needed=_u64,
    base_ns=_double, new_ns=_double, n_rounds=_u64, base_rounds_ns=ctypes.POINTER(_double),
    new_rounds_ns=ctypes.POINTER(_double), base_result=ctypes.POINTER(_Result), new_result=ctypes.POINTER(_Result),
)  # fmt: skip
_SearchState = _struct(
    "_SearchState", size=_u32, status=_i32, error=_text_type, action=_i32, visit=_u32, i=_u64, proposal=_u64,
    n_samples=_u64, why=_text_type, scope=_i32, reserved=_u32, scope_text=_text_type, best=_u64, value_ns=_double,
    low_ns=_double, high_ns=_double, share=_double, tolerance=_double, confidence=_double, n_open=_u64,
    open=ctypes.POINTER(_u64), n_visits=_u64, n_cases=_u64, reason=_text_type, note=_text_type,
)  # fmt: skip

_Check = _struct(
    "_Check", size=_u32, format=_u32, name=_text_type, n=_u64, output=ctypes.c_void_p, reference=ctypes.c_void_p,
    magnitude=ctypes.c_void_p, n_products=_u64, accumulate=_u32, flags=_u32, default_metric=_text_type,
    default_tolerance=_double, safety=_double, bound=_u32, summation=_u32, products_at_once=_u32, extra_bits=_u32,
    reference_exact=ctypes.c_void_p, partial_squares=ctypes.c_void_p, n_terms=_u64,
)  # fmt: skip
_FORMATS = {"f8": 1, "f4": 2, "f2": 3, "bfloat16": 4, "float8_e4m3fn": 6, "float8_e5m2": 7,
            "i1": 8, "i4": 9, "i8": 10, "u1": 11, "u4": 12, "u8": 13}  # fmt: skip
_INTEGERS = range(8, 14)
_ACCUMULATORS = {"float64": 1, "float32": 2, "float16": 3, "bfloat16": 4, None: 0}


class Error(RuntimeError):
    """What could not be measured, and why; status is the number that gbrun/abi.h has for it."""

    def __init__(self, text: str, status: int = _FAILED) -> None:
        super().__init__(text)
        self.status = status


class Skipped(Error):
    """What cannot be measured on this device."""


class WrongResult(Error):
    """What fn computed is not what verify= computes; measurement is what was measured."""

    def __init__(self, text: str, measurement: Measurement | None = None) -> None:  # pickle sets it afterwards
        super().__init__(text, _WRONG_RESULT)
        self.measurement = measurement


class Expected(NamedTuple):
    """What verify= may return for an output that is sums of products: its values, sum |a||b| of each as magnitude, how
    many terms a sum has, and the format that sums are kept in, if it is not that of the output: "float32"; then it is
    judged by the bound that docs/verification.md derives."""

    values: Any
    magnitude: Any = None
    terms: int = 0
    accumulate: str | None = None


class Kernel(NamedTuple):
    """A kernel, copy or fill of one sample; time in seconds, NaN without breakdown=True."""

    name: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    registers: int
    shared_bytes: int
    time: float


class Mode(NamedTuple):
    """One of several clusters of the samples: median and interval in seconds, share of the samples."""

    time: float
    low: float
    high: float
    weight: float


class Frequency(NamedTuple):
    """The clock that a device ran at, in Hz, over the samples; 0: not known."""

    mean: float
    low: float
    high: float


def _by_float(operation: Callable[[float, float], T]) -> Callable[[Any, Any], T]:
    def method(self: Any, other: Any) -> Any:
        return operation(float(self), float(other)) if isinstance(other, numbers.Real) else NotImplemented

    return method


def _swapped(operation: Callable[[float, float], T]) -> Callable[[Any, Any], T]:
    return _by_float(lambda one, other: operation(other, one))


class _Number(Real):
    """Compares, computes and hashes as float(it) does, with any real number; its base has the rest."""

    __eq__ = _by_float(operator.eq)
    __lt__ = _by_float(operator.lt)
    __le__ = _by_float(operator.le)
    __gt__ = _by_float(operator.gt)
    __ge__ = _by_float(operator.ge)
    __add__ = _by_float(operator.add)
    __radd__ = _swapped(operator.add)
    __sub__ = _by_float(operator.sub)
    __rsub__ = _swapped(operator.sub)
    __mul__ = _by_float(operator.mul)
    __rmul__ = _swapped(operator.mul)
    __truediv__ = _by_float(operator.truediv)
    __rtruediv__ = _swapped(operator.truediv)
    __floordiv__ = _by_float(operator.floordiv)
    __rfloordiv__ = _swapped(operator.floordiv)
    __mod__ = _by_float(operator.mod)
    __rmod__ = _swapped(operator.mod)
    __pow__ = _by_float(operator.pow)
    __rpow__ = _swapped(operator.pow)

    def __hash__(self) -> int:
        return hash(float(self))

    def __neg__(self) -> float:
        return -float(self)

    def __pos__(self) -> float:
        return float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    def __int__(self) -> int:
        return int(float(self))

    __trunc__ = __int__

    def __floor__(self) -> int:
        return math.floor(float(self))

    def __ceil__(self) -> int:
        return math.ceil(float(self))

    def __round__(self, digits: int | None = None) -> Any:
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)


class Measurement(_Number):
    """What gbrun.measure found. Times are seconds of one call; float(measurement) is the estimate.

    time, low, high     the estimate and its interval of 95 %; NaN where the policy claims none
    verdict             "certified": the interval is as narrow as asked for, and so visits agree; "certified in this
                        visit": of fewer than eight, or within a second: of no later one; else why not, with reason
                        and note. is_certified: one of the two
    rounds              the centre of each visit; time, low, high and verdict are of all of them, the rest of the first
    samples, elapsed    time of each sample, and its end since the first began: arrays of NumPy, or array.array
    kernels             what one sample puts on a GPU; modes: clusters of the samples, if there are several
    offset              the constant that was subtracted from each sample; way: how they were taken, if that is unusual
    frequency           the clock that the device ran at, in Hz: mean, lowest and highest over the samples; 0: unknown
    call_time           on the CPU: what calling an empty function in this way takes, which is part of the time
    verified            True: what fn returned is what verify= returned; None: not compared; check: the comparison's words
    clock, tick, iterations, device, device_model, statistic, is_graph, is_cold, is_throttled, metrics, messages
    """

    def __init__(self, result: Any) -> None:
        def text(value: bytes) -> str:
            return value.decode("utf-8", "replace")

        def seconds(ns: float) -> float:
            return ns / 1e9

        self.time, self.low, self.high = seconds(result.time_ns), seconds(result.low_ns), seconds(result.high_ns)
        self.statistic = text(result.statistic)
        self.verdict, self.reason, self.note = text(result.verdict_text), text(result.reason), text(result.note)
        self.is_certified = self.verdict.startswith(("certified", "exact"))
        self.rounds: Sequence[float] = _seconds(result.rounds_ns, result.n_rounds)
        self.samples: Sequence[float] = _seconds(result.samples_ns, result.n_samples)
        self.elapsed: Sequence[float] = _seconds(result.elapsed_ns, result.n_samples)
        self.iterations: int = result.iterations
        self.clock, self.tick, self.offset = text(result.clock), seconds(result.tick_ns), seconds(result.offset_ns)
        self.way = text(result.way)
        self.frequency = Frequency(result.clock_mean_hz, result.clock_low_hz, result.clock_high_hz)
        self.device, self.device_model = text(result.device), text(result.device_model)
        self.is_throttled = bool(result.flags & _THROTTLED)
        self.is_graph, self.is_cold = bool(result.flags & _GRAPH), bool(result.flags & _COLD)
        self.kernels = [
            Kernel(text(a.name), tuple(a.grid), tuple(a.block), a.registers, a.shared_bytes, a.time_ns / 1e9)
            for a in result.activities[: result.n_activities]
        ]
        self.modes = [
            Mode(m.median_ns / 1e9, m.low_ns / 1e9, m.high_ns / 1e9, m.weight) for m in result.modes[: result.n_modes]
        ]
        self.metrics: dict[str, float] = {text(m.name): m.value for m in result.metrics[: result.n_metrics]}
        self.messages = [text(m.text) for m in result.messages[: result.n_messages] if m.severity >= _WARNING]
        self.call_time = math.nan
        checks = result.checks[: result.n_checks]
        self.verified: bool | None = all(check.passed for check in checks) if checks else None
        self.check = "\n".join(f"{text(check.name)}: {text(check.text)}" for check in checks if check.text)

    def __float__(self) -> float:
        return self.time

    def quantile(self, q: float) -> float:
        """Of the samples, in seconds, interpolated between neighbours."""
        return _quantile(self.samples, q)

    def _sentences(self) -> Iterator[str]:
        n = len(self.samples)
        first = f"{self.metrics['instructions']:.10g} instructions" if "instructions" in self.metrics and n == 0 else f"{_time(self.time)}"
        if math.isfinite(self.low) and math.isfinite(self.high):
            half = (self.high - self.low) / 2
            first += f" \u00b1 {_time(half)}" + (f" ({100 * half / self.time:.2g} %)" if self.time > 0 else "")
        first += f", {self.verdict}" if self.is_certified else f", {self.verdict}: {self.note or self.reason}"
        yield first
        state = ", cold cache" if self.is_cold else ", throttled" if self.is_throttled else ""
        visits = f"{len(self.rounds)} visits, in the first " if len(self.rounds) > 1 else ""
        yield f"{visits}{n} sample{'s' * (n != 1)}, {self.clock} clock of {self.device}, {self.device_model}{state}"
        if self.frequency.low < 0.98 * self.frequency.high:
            low, high = (f"{hz / 1e9:.3f}" for hz in self.frequency[1:])
            yield f"the clock of the device moved between {low} and {high} GHz"
        if self.call_time > 0.01 * self.time:
            yield f"including {_time(self.call_time)} for the call of a Python function"
        for kernel in self.kernels:
            yield kernel.name + (f" {_time(kernel.time)}" if kernel.time > 0 else "")
        yield from ([self.way] if self.way else [])
        yield from self.messages

    def __repr__(self) -> str:
        return "\n  ".join(self._sentences())

    def _repr_html_(self) -> str:
        lines = [html.escape(line) for line in self._sentences()]
        return f"<div><b>{lines[0]}</b>{_histogram(self)}{'<br>'.join(lines[1:])}</div>"


def measure(fn: Function, *, reset: Function | None = None, verify: Function | None = None, inputs: Any = None,
            grade: str = "auto", results: Path | None = None, isolate: bool = False, flops: float = 0,
            bytes_read: float = 0, bytes_written: float = 0, items: float = 0, synchronizes: bool = False,
            single: bool = False, every_call: bool = False, **settings: Any) -> Measurement:  # fmt: skip
    """Measures fn(), a function without arguments or with the one argument `stream`, and returns a Measurement.

    On a GPU fn puts its work on the current stream of PyTorch or CuPy, which is gbrun's meanwhile; one that has an
    argument `stream` gets that CUDA stream's number. Work that CUDA can capture is launched as a graph; fn is then
    called a few times only. The device is the GPU whose context is current on this thread, else the CPU; device="cpu"
    or "cuda:1" says otherwise.

    settings: those of a [bench] section and of the policy, in words or numbers: cache="cold", precision=0.005,
    max_time="2 s", rounds=1, policy="fixed", samples=100, breakdown=True; let={"rows": 32} and label={"commit": "abc"} are
    let.rows and label.commit. results: a results file to append to; name: of the benchmark there.
    isolate: in a process of its own, which imports the modules of fn, reset and verify anew: functions of modules, or
    functools.partial of such with arguments that can be pickled.
    reset: called before each sample, untimed. flops, bytes_read, bytes_written, items: what one call of fn does.
    synchronizes: fn waits for the device itself. single: it can be called once a sample only. every_call: it must be
    called for every sample, since it counts its calls or swaps buffers.

    verify: a function that returns what fn has to return: a number, an array, a tensor, or a tuple of them (or
    Expected). It is called after samples, after reset, and what fn returned in the sample is compared as `gbrun run`
    compares: by check={"rms": 1e-3}, or what is derived: integers are equal, the root mean square of the others is within
    8 units of round-off of the output's format.
    inputs: arrays that fn reads, which are renewed in place before samples and are at the end what they were; or a
    function of a number that fills them, with 0 as they were. Without it, arrays of floating-point numbers that fn and
    verify both read.
    grade: "auto": some samples are verified; "strict": each could be, and inputs are needed; "end": the last one is.

    What fn raises arrives here. ValueError: settings; Skipped, Error: what could not be measured; WrongResult.
    """
    if isolate:
        given = dict(reset=reset, verify=verify, inputs=inputs, grade=grade, flops=flops, bytes_read=bytes_read,
                     bytes_written=bytes_written, items=items, synchronizes=synchronizes, single=single,
                     every_call=every_call)  # fmt: skip
        return _measured_apart(fn, {**given, **_of_one_run(_all_settings(settings, results))})
    library = _library()
    if verify is None and ("check" in settings or grade != "auto" or inputs is not None):
        raise ValueError("check, grade, inputs: nothing is compared: expected verify=, a function that returns what fn has"
                         " to return")  # fmt: skip
    if grade not in ("auto", "strict", "end"):
        raise ValueError(f"grade={grade!r}: expected 'auto', 'strict' or 'end'")
    check = {**_open_results.get().get("check", {}), **settings.pop("check", {})}
    settings = _of_one_run(_all_settings(settings, results))
    calls = _Calls(_failing(library), fn, reset, flops, bytes_read, bytes_written, items, synchronizes, single, every_call)
    with contextlib.ExitStack() as stack:
        verification = None
        if verify is not None:
            on_cpu = str(settings["device"]).startswith("cpu")
            verification = _Verification(fn, verify, reset, inputs, grade != "end", on_cpu)
            stack.callback(verification.close)
            calls.verify_by(verification, library.gbrun_check, library.gbrun_checked)
            settings.update(verification.settings(grade))
        settings["check"] = check
        measured = _measured(library, calls, settings, verification, fn is _nothing)
    return measured


def _measured(library: ctypes.CDLL, calls: Any, settings: Settings, verification: Any, is_nothing: bool) -> Measurement:
    entry, call = (0, 0) if is_nothing else _call_times(settings["device"])
    calls.subject.entry_ns = 1e9 * entry
    calls.subject.run_empty = _Calls(calls.fail, _nothing).subject.run
    text = _lines(settings)
    result = _measuring.call(lambda: library.gbrun_measure(ctypes.byref(calls.subject), text))
    try:
        calls.raise_again(result.contents)
        if result.contents.status != _WRONG_RESULT:
            _raise_status(result.contents)
        changed = "" if verification is None else verification.changes()
        if changed:
            raise WrongResult(changed)
        measurement = Measurement(result.contents)
        error = result.contents.error.decode("utf-8", "replace")
    finally:
        library.gbrun_free(result)
    if measurement.device.startswith("cpu") and measurement.iterations > 0:  # else the first sample was wrong
        measurement.call_time = call + entry / measurement.iterations
    if verification is not None:
        measurement.messages += [verification.note] if verification.note else []
        error += verification.hint if error else ""
    if error:
        raise WrongResult(error, measurement)
    return measurement


def _returned(fn: Function, reset: Function | None, stream: Any) -> Any:
    for call in (reset, fn):
        if call is not None:
            value = call(stream=stream) if _wants_stream(call, stream) else call()
    return value


def _parts(value: Any, role: str, take: Any) -> Any:
    """The arrays of what a function returned. A list of numbers is one."""
    is_several = isinstance(value, (tuple, list)) and not isinstance(value, Expected)
    if isinstance(value, list) and value and all(isinstance(item, (int, float)) for item in value):
        value, is_several = array.array("d", value), False
    return [take(item, role) for item in (value if is_several else [value])]


# Values of an array on the host: shape, number of its format, bytes.
_Copy = collections.namedtuple("_Copy", "shape format data")


def _copied(value: Any, role: str, as_double: bool = False) -> Any:
    """A copy in memory of its own; as_double: of the values in float64, whatever they are held in."""
    if value is None:
        raise Error(f"{role} returned None: expected it to return what it computed: a tensor, an array, a number, or a"
                    " tuple of them")  # fmt: skip
    if isinstance(value, list) and all(isinstance(item, (int, float)) for item in value):
        value = array.array("d", value)
    if isinstance(value, (bool, int, float)):
        value = array.array("d" if as_double or isinstance(value, float) else "q", [value])
        return _Copy((), _FORMATS[_kind(memoryview(value))], value.tobytes())
    if hasattr(value, "data_ptr"):
        return _copied_tensor(value, role, as_double)
    if hasattr(value, "get") and hasattr(value, "dtype"):
        value = value.get()  # CuPy's, to the host
    name = str(getattr(value, "dtype", ""))
    if name in _FORMATS:  # of ml_dtypes, which has no buffers
        return _Copy(value.shape, _FORMATS["f8" if as_double else name],
                     (value.astype("f8") if as_double else value).tobytes())  # fmt: skip
    try:
        view = memoryview(value)
        kind = _kind(view)
    except (TypeError, ValueError):
        kind = None
    if kind is None or kind[0] not in "fiu":
        raise Error(f"{role} returned {type(value).__name__} {name}: expected a tensor, an array or a number, of"
                    " floating-point numbers or integers, or a tuple of them")  # fmt: skip
    data = view.tobytes()
    if as_double or kind not in _FORMATS:
        wide = "d" if as_double else "i"
        values = struct.unpack(f"={len(data) // view.itemsize}{_CODES[kind]}", data)
        data, kind = array.array(wide, values).tobytes(), "f8" if as_double else "i4"
    return _Copy(tuple(view.shape or ()), _FORMATS[kind], data)


_CODES = {"f8": "d", "f4": "f", "f2": "e", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
          "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}  # fmt: skip


def _kind(view: Any) -> Any:
    """Of a memoryview: "f4", "i8"."""
    code = view.format.lstrip("@=<") if sys.byteorder == "little" else view.format.lstrip("@=>")
    letter = "f" if code in "efd" else "i" if code in "bhilqn" else "u" if code in "?BHILQN" else "?"
    kind = f"{letter}{view.itemsize}"
    return kind if kind in _CODES else "?"


def _copied_tensor(tensor: Any, role: str, as_double: bool) -> Any:
    kind = str(tensor.dtype).rpartition(".")[2]
    kinds = {"float64": "f8", "float32": "f4", "float16": "f2", "bool": "u1", "int8": "i1", "int32": "i4", "int64": "i8",
             "uint8": "u1", "uint32": "u4", "uint64": "u8", "int16": "i4", "uint16": "i4"}  # fmt: skip
    kind = kinds.get(kind, kind)
    if kind not in _FORMATS:
        raise Error(f"{role} returned a tensor of {tensor.dtype}: expected floating-point numbers or integers")
    tensor = tensor.detach().cpu()
    if as_double:
        tensor, kind = tensor.double(), "f8"
    elif str(tensor.dtype).endswith("int16"):
        tensor = tensor.int()
    tensor = tensor.contiguous()
    n_bytes = tensor.numel() * tensor.element_size()
    return _Copy(tuple(tensor.shape), _FORMATS[kind], ctypes.string_at(tensor.data_ptr(), n_bytes) if n_bytes else b"")


def _check_of(name: str, output: Any, expected: Any) -> Any:
    expected = expected if isinstance(expected, Expected) else Expected(expected)
    exact: Any = _copied(expected.values, "verify") if output.format in _INTEGERS else None
    is_exact = exact is not None and exact.format == output.format
    reference = exact if is_exact else _copied(expected.values, "verify", as_double=True)
    if output.shape != reference.shape:
        return f"shape {output.shape}: expected {reference.shape}, as verify returned"
    magnitude: Any = None if expected.magnitude is None else _copied(expected.magnitude, "magnitude", as_double=True)
    if magnitude is not None and magnitude.shape != output.shape:
        raise ValueError(f"Expected: magnitude of shape {magnitude.shape}: expected {output.shape}, as of the values")
    if expected.accumulate not in _ACCUMULATORS:
        known = ", ".join(filter(None, _ACCUMULATORS))
        raise ValueError(f"Expected: accumulate = {expected.accumulate!r}: expected one of {known}")
    if not hasattr(expected.terms, "__index__") or not 0 <= expected.terms < 1 << 63:
        raise ValueError(f"Expected: terms = {expected.terms!r}: expected a whole number that is not negative")
    check = _Check(
        size=ctypes.sizeof(_Check), format=output.format, name=name.encode(), n=math.prod(output.shape),
        output=_address(output.data), n_products=expected.terms, accumulate=_ACCUMULATORS[expected.accumulate],
        magnitude=None if magnitude is None else _address(magnitude.data),
        **{"reference_exact" if is_exact else "reference": _address(reference.data)},
    )  # fmt: skip
    check.kept = output, reference, magnitude
    return check


def _address(data: Any) -> Any:
    """Of bytes, which live as long as who asks for it keeps them."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value


class _Verification:
    """What verify= asks for: what fn reads is renewed, what it returned in a sample is kept, and compared with what the
    reference returns. `run`, `reset`, `refresh` and `verify` are the callbacks of a subject."""

    def __init__(self, fn: Function, reference: Any, reset: Any, inputs: Any, is_renewed: bool, on_cpu: bool) -> None:
        self.fn, self.reference, self.user_reset = fn, reference, reset
        self.wants_stream, self.in_a_row = [_wants_stream(fn, stream) for stream in (None, 1)], _with_stream(fn)
        self.reset_once = None if reset is None else _with_stream(reset)
        self.kept: dict[bool, Any] = {False: [], True: []}  # what the last call returned; True: the last one captured
        self.n_runs = {False: 0, True: 0}  # such calls since the last refresh
        self.is_refreshed = self.is_as_first = False
        self.on_cpu, self.note, self.is_guessed = on_cpu, "", False
        self.taken: Any = None
        self.inputs: Any = None
        self.trusted: list[Any] = []
        self.before = _watched()
        if is_renewed:
            self.inputs = self.find(inputs)

    def find(self, given: Any) -> Any:
        """What is renewed: as given, or what the reference reads; and what has the same values, such as copies that one of
        both functions reads in another format. None: nothing."""
        reset = [] if self.user_reset is None else _reached(self.user_reset)
        read = reset + _reached(self.reference)
        self.trusted = [_span(values) for values in read + ([] if given is None or callable(given) else list(given))]
        others = read + _reached(self.fn)
        if given is not None:
            return _Inputs(given, others)
        inputs, why = self.tried([values for values in read if _is_floating(values) and _is_writable(values)], others)
        self.note = why and f"only the last call was verified, as {why}: inputs= names what the function reads"
        return inputs

    def tried(self, chosen: Any, others: Any) -> Any:
        """Those of the chosen that the reference does not just return; or None, and why."""
        inputs, found = None, None
        if not chosen:
            return None, "verify reads no arrays of floating-point numbers that can be found"
        try:
            first = self.expected()
            of_fn = [_span(values) for values in _reached(self.fn)]
            chosen = [values for values in chosen
                      if any(_overlap(_span(values), span) for span in of_fn) or not _is_among(values, first)]  # fmt: skip
            if not chosen:
                return None, "verify returns what was computed before"
            inputs = _Inputs(chosen, others)
            self.is_guessed = any(not x.copies and not any(_overlap(_span(x.values), span) for span in of_fn)
                                  for x in inputs.arrays)  # fmt: skip
            inputs.renew(1)
            found = inputs if self.expected() != first else None
            return found, "" if found else "what verify returns does not depend on what it reads"
        except Exception as error:  # what it cannot do with others
            return None, f"verify raises {_words_of(error)} with other inputs"
        finally:
            if inputs is not None:
                inputs.renew(0)
            _wait_for_devices()

    def expected(self) -> Any:
        """Shapes and values of what the reference returns."""
        value = _returned(self.reference, self.user_reset, 0)
        _wait_for_devices()
        parts = [part for one in _parts(value, "", lambda part, role: part)
                 for part in (one[:2] if isinstance(one, Expected) else [one]) if part is not None]  # fmt: skip
        return [_copied(part, "verify", as_double=True)[::2] for part in parts]

    @property
    def hint(self) -> Any:
        words = "\nWhat verify reads was renewed: if it was made of what the function reads, inputs= names that"
        return words if self.is_guessed else ""

    def settings(self, grade: str) -> Any:
        if grade == "strict" and self.inputs is None:
            raise ValueError(f"grade='strict': {self.note}")
        return {} if self.inputs is None else {"verify": grade}

    def run(self, stream: Any, iterations: int) -> None:
        """Timed: as _with_stream, and keeps what the last call returned."""
        is_captured = stream is not None and _is_capturing(stream)
        kept, self.taken = self.kept[is_captured], None
        kept.clear()
        if iterations > 1:
            self.in_a_row(stream, iterations - 1)
        value = self.fn(stream=stream) if self.wants_stream[stream is not None] else self.fn()
        for part in value if type(value) is tuple else (value,):
            if hasattr(part, "data_ptr"):
                part.data_ptr()  # a copy that is made when it is looked at is made now
        kept.append(value)
        self.n_runs[is_captured] += 1

    def left(self) -> Any:
        """What the last sample left: where it was launched as a graph, what was returned to the capture. What is captured
        may also be only looked at."""
        n_called, n_captured = self.n_runs[False], self.n_runs[True]
        is_replayed = n_called == 0 if self.is_refreshed else n_captured > n_called
        return (self.kept[is_replayed] or self.kept[not is_replayed] or [None])[0]

    def reset(self, stream: Any, iterations: int) -> None:
        """On the CPU each sample has inputs that differ in a part: nothing is gained by what was kept of the last."""
        if self.inputs is not None and self.on_cpu and not self.is_as_first:
            self.inputs.touch()
            self.spoil()
        self.is_as_first = False
        if self.reset_once is not None:
            self.reset_once(stream, 1)

    def refresh(self, stream: Any, number: int) -> None:
        """Among samples that are not refreshed one is often like them, and cannot be recognized."""
        is_rare = self.on_cpu and self.n_runs[False] > 1 and number != 0
        self.is_as_first = number == 0
        self.n_runs, self.is_refreshed, self.taken = {False: 0, True: 0}, True, None
        self.spoil()
        if not is_rare or _secret.random() < 0.5:
            self.inputs.renew(number)

    def spoil(self) -> None:
        """The last outputs get some other values that could be results, unless they are memory that is read."""
        for value in self.kept[False] + self.kept[True]:
            for part in value if type(value) in (tuple, list) and not _span(value) else (value,):
                span = _span(part)
                if span and not any(_overlap(span, other) for other in self.trusted):
                    _spoil(part)

    def verify(self, stream: Any) -> Iterator[Any]:
        """Pairs of a name and a _Check, or of a name and why there is nothing to compare. The output is copied before the
        reference is called, which may use the same memory."""
        changed = self.changes()
        if changed:
            yield "process", changed
            return
        self.taken = self.taken or _taken(self.left())
        self.is_refreshed = False  # what follows may be another visit
        outputs, is_settled = self.taken
        if not outputs:
            raise Error("the measured function returned an empty list: expected its results")
        if not is_settled:
            yield "output", "was written after the call had returned"
        elif self.inputs is not None and not self.inputs.again() and self.user_reset is None:
            yield "inputs", "the function changes what it reads: expected reset=, which undoes that"
        else:
            expected = _returned(self.reference, self.user_reset, stream)
            yield from _compared(outputs, _parts(expected, "verify", lambda value, role: value))

    def changes(self) -> str:
        """Why the process is not what it was; empty: it is."""
        changed = _changes(self.before)
        return f"changed while it was measured: {', '.join(changed[:8])}" if changed else ""

    def close(self) -> None:
        """What was renewed is as it was."""
        inputs, self.inputs = self.inputs, None
        if inputs is not None:
            _wait_for_devices()
            inputs.renew(0)
            _wait_for_devices()


def _is_among(values: Any, copies: Any) -> bool:
    """Of copies as double precision: are these values one of them?"""
    shape = tuple(getattr(values, "shape", (len(values),)))
    return any(shape == other for other, _ in copies) and _copied(values, "", as_double=True)[::2] in copies


def _compared(outputs: Any, expected: Any) -> Iterator[Any]:
    if len(outputs) != len(expected):
        yield "output", f"{len(outputs)} outputs: expected {len(expected)}, as verify returned"
        return
    for i, (output, value) in enumerate(zip(outputs, expected)):
        name = f"output {i}" if len(outputs) > 1 else "output"
        yield name, _check_of(name, output, value)


def _taken(value: Any) -> Any:
    """Copies of the arrays that a call returned; and whether they were there when it did: elements that are looked at
    first are the same after all work has ended."""
    _refuse_lazy(value)
    places = []
    is_several = type(value) in (list, tuple) and not _span(value) and len(value) <= 1000
    for part in value if is_several else (value,):
        _refuse_lazy(part)
        if _span(part):
            shape = part.shape if hasattr(part, "shape") else (len(part),)
            chosen = [tuple(_secret.randrange(n) for n in shape) for _ in range(32)]
            places += [(part, at if hasattr(part, "shape") else at[0]) for at in chosen]
    seen = [_element(part, at) for part, at in places]
    _wait_for_devices()
    copies = _parts(value, "what is measured", _copied)
    return copies, seen == [_element(part, at) for part, at in places]


def _spoil(values: Any) -> None:
    """A 64th of the values becomes others that are near."""
    n = len(values) if getattr(values, "shape", None) != () else 0
    width = -(-n // 64)
    if width == 0 or not _is_writable(values):
        return
    values = values.data if hasattr(values, "data_ptr") else _array_like(values)
    first = _secret.randrange(n - width + 1)
    part = slice(first, first + width)
    if hasattr(values, "dtype") and _is_floating(values):
        with _without_warnings():
            values[part] *= 0.75
    else:
        values[part] = values[part].flip(0) if hasattr(values, "data_ptr") else values[part][::-1]


def _without_warnings() -> Any:
    numpy = sys.modules.get("numpy")
    return contextlib.nullcontext() if numpy is None else numpy.errstate(all="ignore")


def _element(values: Any, at: Any) -> str:
    value = _array_like(values)[at]
    return repr(value.item() if hasattr(value, "item") else value)  # NaN is equal to itself there


def _refuse_lazy(value: Any) -> None:
    """A subclass may compute what it holds when it is looked at."""
    torch, numpy, cupy = (sys.modules.get(name) for name in ("torch", "numpy", "cupy"))
    known = [int, float, bool, type(None), tuple, list, str, array.array, memoryview,
             *(getattr(package, "ndarray", None) for package in (numpy, cupy)), getattr(torch, "Tensor", None)]  # fmt: skip
    kind = type(value)
    is_known = kind in known or (numpy is not None and isinstance(value, numpy.generic))
    if not is_known and (hasattr(value, "dtype") or isinstance(value, tuple(k for k in known if k))):
        raise Error(f"the measured function returned {kind.__module__}.{kind.__qualname__}, which may compute later: expected"
                    " torch.Tensor, numpy.ndarray, cupy.ndarray, a number, or a tuple or list of them")  # fmt: skip
    if hasattr(value, "data_ptr") and (str(value.layout) != "torch.strided" or value.device.type not in ("cpu", "cuda")
                                       or value.is_neg() or value.is_conj()):  # fmt: skip
        raise Error(f"the measured function returned a tensor of layout {value.layout} on {value.device}, or with a sign that is"
                    " applied later: expected one that is written out, on the CPU or a GPU of CUDA")  # fmt: skip


# --- What fn reads ------------------------------------------------------------------------------------------------


class _Inputs:
    """Arrays, or a function of a number that fills them: renewed in place. Of others those that have the same values are
    copies, and get the same as well."""

    def __init__(self, given: Any, others: Any = ()) -> None:
        self.make, self.number = (given if callable(given) else None), 0
        self.arrays: list[Any] = []
        spans: list[Any] = []
        given = [] if self.make else [_valid(values) for values in given]
        for values in sorted(given, key=lambda values: int.__sub__(*_span(values))) + list(others):
            span = _span(values)
            if any(_overlap(span, other) for other in spans):
                continue  # of views the largest is written
            for known in self.arrays:
                view = known.copy_of(values)
                if view is not None:
                    known.copies.append((view, _cloned(view)))
                    break
            else:
                if not any(values is one for one in given):
                    continue
                self.arrays.append(_array_of(values))
            spans.append(span)

    def renew(self, number: int) -> None:
        """0: as they were."""
        self.number = number
        if self.make:
            self.make(number)
        for i, values in enumerate(self.arrays):
            values.renew(number and 1 + (number + i) % 2**63)

    def touch(self) -> None:
        for values in self.arrays:
            values.touch(_secret.getrandbits(63))

    def again(self) -> bool:
        """Writes what was written last. False: it was no longer there."""
        if self.make:
            self.make(self.number)
        return all([values.again() for values in self.arrays])


_secret = random.SystemRandom()


def _valid(values: Any) -> Any:
    if not _span(values) or not _is_writable(values):
        raise ValueError(f"inputs: {type(values).__name__}: expected arrays that can be written, or a function of a number"
                         " that fills them, with 0 as they were")  # fmt: skip
    return values


def _array_of(values: Any) -> Any:
    if isinstance(values, array.array) and _package("numpy"):
        values = memoryview(values)
    values = _array_like(values)
    return (_Array if hasattr(values, "dtype") else _List)(values)


def _cloned(values: Any) -> Any:
    return values.clone() if hasattr(values, "data_ptr") else values.copy()


def _like(values: Any, other: Any) -> Any:
    """The values in the package, type and device of the other."""
    if hasattr(other, "data_ptr"):
        return sys.modules["torch"].as_tensor(values).to(other)
    if hasattr(values, "data_ptr"):
        values = values.detach().cpu().numpy()
    return sys.modules[type(other).__module__.partition(".")[0]].asarray(values, dtype=other.dtype)


class _List:
    """Numbers of a list or array.array, as _Array."""

    def __init__(self, values: Any) -> None:
        self.values, self.original, self.now = values, list(values), list(values)
        self.copies: list[Any] = []
        self.is_whole = not _is_floating(values)
        self.is_sorted = self.original in (sorted(values), sorted(values, reverse=True))

    def renew(self, number: int) -> None:
        draw = random.Random(number)
        self.now = list(self.original)
        if number and self.is_whole:
            draw.shuffle(self.now)
        elif number:
            factor = draw.uniform(0.6, 1)
            self.now = [x * (factor if self.is_sorted else draw.uniform(0.6, 1)) for x in self.original]
        self.write()

    def touch(self, number: int) -> None:
        draw, n = random.Random(number), len(self.now)
        if not (self.is_whole or self.is_sorted):
            first = draw.randrange(n)
            for i in range(first, min(first + -(-n // 64), n)):
                self.now[i] = self.values[i] = self.original[i] * draw.uniform(0.6, 1)

    def write(self) -> None:
        for i, x in enumerate(self.now):
            self.values[i] = x

    def copy_of(self, other: Any) -> None:
        return None

    def again(self) -> bool:
        before = repr(self.values)
        self.write()
        return repr(self.values) == before


class _Array:
    """One that is renewed in place. Numbers with a fraction are those it had times random factors from 0.6 to 1, one for
    each place along each axis, the same along axes of the same length: so signs, zeros, symmetric and triangular
    matrices stay what they are, and nothing overflows. What is sorted has one factor. Whole numbers are shuffled."""

    def __init__(self, values: Any) -> None:
        values = values.data if hasattr(values, "data_ptr") else values
        values = values.reshape(1) if tuple(values.shape) == () else values
        self.values, self.shape = values, tuple(values.shape)
        self.copies: list[Any] = []
        self.original = _cloned(values)
        self.is_whole = not _is_floating(values)
        self.is_sorted = len(self.shape) == 1 and any(
            bool(of.all()) for of in (values[1:] >= values[:-1], values[1:] <= values[:-1])
        )
        self.renew(0, writes=False)

    def copy_of(self, other: Any) -> Any:
        """Has the other the same values, but for rounding, or their transpose? It, or a view of it; or None."""
        with contextlib.suppress(Exception):
            views = [other, other.T] if len(other.shape) == 2 else [other]
            if _is_writable(other) and _is_floating(other) != self.is_whole and 0 not in self.shape:
                return next((view for view in views if self.is_alike(view)), None)
        return None

    def is_alike(self, view: Any) -> bool:
        if tuple(view.shape) != tuple(self.original.shape):
            return False
        same = _like(view.data if hasattr(view, "data_ptr") else view, self.original)
        if self.is_whole:
            return bool((same == self.original).all())
        with _without_warnings():
            return bool(((same == self.original) | (abs(same - self.original) <= abs(self.original) / 16)).all())

    def renew(self, number: int, writes: bool = True) -> None:
        """0: as it was."""
        self.is_first = number == 0
        draw = _Draw(self.values, number)
        self.order = draw.order(math.prod(self.shape)) if number and self.is_whole else None
        self.factors = {} if self.is_whole else {
            n: draw.ones(n) if not number else draw.ones(n) * draw.factors(1) if self.is_sorted else draw.factors(n)
            for n in self.shape
        }  # fmt: skip
        if writes:
            self.write()

    def touch(self, number: int) -> None:
        """Renews a part, which costs little: a 64th along an axis."""
        if self.is_whole or self.is_sorted or 0 in self.shape:
            return
        draw = random.Random(number)
        n = draw.choice(self.shape)
        width = -(-n // 64)
        first = draw.randrange(n - width + 1)
        part = slice(first, first + width)
        self.factors[n][part] = _Draw(self.values, number).factors(width)
        self.is_first = False
        for axis, length in enumerate(self.shape):
            if length == n:
                self.write(axis, part)

    def write(self, axis: int = 0, part: Any = slice(None)) -> None:
        place = (slice(None),) * axis + (part,)
        to = self.values[place]
        to[...] = self.original[place] if self.order is None else self.original.reshape(-1)[self.order].reshape(self.shape)
        with _without_warnings():
            for i, n in enumerate(self.shape if self.factors else ()):
                factors = self.factors[n][part] if i == axis else self.factors[n]
                to *= factors.reshape((-1,) + (1,) * (len(self.shape) - 1 - i))
        for copy, original in self.copies:
            copy = copy.data if hasattr(copy, "data_ptr") else copy
            copy.reshape(self.shape)[place] = original.reshape(self.shape)[place] if self.is_first else _like(to, original)

    def again(self) -> bool:
        before = _cloned(self.values)
        self.write()
        return bool(((self.values == before) | (before != before)).all())


class _Draw:
    """Random numbers for arrays of the package, type and device of one: a function of a number."""

    def __init__(self, like: Any, number: int) -> None:
        self.kind, self.number, self.device = like.dtype, number, getattr(like, "device", None)
        self.torch: Any = sys.modules["torch"] if hasattr(like, "data_ptr") else None
        self.numpy = self.torch or sys.modules[type(like).__module__.partition(".")[0]]

    def of_torch(self) -> Any:
        return {"generator": self.torch.Generator(self.device).manual_seed(self.number), "device": self.device}

    def of_numpy(self) -> Any:
        return _package("numpy").random.default_rng(self.number)

    def ones(self, n: int) -> Any:
        return self.factors(n) ** 0

    def factors(self, n: int) -> Any:
        if self.torch:
            return (0.6 + 0.4 * self.torch.rand(n, **self.of_torch())).to(self.kind)
        return self.numpy.asarray((0.6 + 0.4 * self.of_numpy().random(n, "f4")).astype(self.kind))

    def order(self, n: int) -> Any:
        if self.torch:
            return self.torch.randperm(n, **self.of_torch())
        return self.numpy.asarray(self.of_numpy().permutation(n))


def _array_like(values: Any) -> Any:
    """A memoryview as the array of NumPy that it is of, if there is NumPy: of any shape and strides."""
    if isinstance(values, memoryview) and _package("numpy"):
        with contextlib.suppress(Exception):  # of a format that NumPy does not know
            return _package("numpy").asarray(values)
    return values


def _span(values: Any) -> Any:
    """First and last byte of an array; of a list of numbers something like it; None: it is none."""
    values = _array_like(values)
    torch, numpy, cupy = (sys.modules.get(name) for name in ("torch", "numpy", "cupy"))
    if type(values) is list:
        is_one = bool(values) and all(type(x) is float for x in values)
        return (id(values), id(values)) if is_one else None
    if isinstance(values, array.array):
        address, n = values.buffer_info()
        return (address, address + n * values.itemsize - 1) if n else None
    if torch is not None and isinstance(values, torch.Tensor):
        if values.layout != torch.strided or values.device.type not in ("cpu", "cuda"):
            return None
        address, size = values.data_ptr(), values.element_size()
        strides = [size * stride for stride in values.stride()]
    elif any(package is not None and isinstance(values, package.ndarray) for package in (numpy, cupy)):
        address = values.ctypes.data if hasattr(values, "ctypes") else values.data.ptr
        size, strides = values.itemsize, values.strides
    else:
        return None
    if 0 in values.shape:
        return None
    steps = [(n - 1) * stride for n, stride in zip(values.shape, strides)]
    return address + sum(min(step, 0) for step in steps), address + sum(max(step, 0) for step in steps) + size - 1


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def _is_writable(values: Any) -> Any:
    values = _array_like(values)
    if isinstance(values, (list, array.array)):
        return True
    if type(values).__name__ == "memmap" or type(getattr(values, "base", None)).__name__ == "memmap":
        return False  # but the file would be
    strides = values.stride() if hasattr(values, "data_ptr") else values.strides
    flags = getattr(values, "flags", None)
    return getattr(flags, "writeable", True) and all(step or n == 1 for step, n in zip(strides, values.shape))


def _is_floating(values: Any) -> bool:
    values = _array_like(values)
    if isinstance(values, list):
        return True
    if isinstance(values, array.array):
        return values.typecode in "fd"
    return str(values.dtype).rpartition(".")[2] in ("float16", "bfloat16", "float32", "float64")


def _reached(function: Function) -> Any:
    """Arrays in what a function closes over, its defaults and arguments, the object that it is bound to, globals that its
    code names, functions of the same module among these, and one level of containers. Parameters of models are constant."""
    found: dict[int, Any] = {}
    depths: dict[int, int] = {}
    home: list[Any] = []
    parameter = getattr(getattr(sys.modules.get("torch"), "nn", None), "Parameter", ())

    def visit(value: Any, depth: int) -> None:
        if isinstance(value, parameter) or depths.get(id(value), -1) >= depth:
            return
        depths[id(value)] = depth
        if _span(value):
            found[id(value)] = value
        elif depth:
            for inner in _held(value, home):
                visit(inner, depth - 1)

    visit(function, 3)
    return list(found.values())


def _held(value: Any, home: Any) -> Any:
    if isinstance(value, functools.partial):
        return [*value.args, *value.keywords.values(), *_held(value.func, home)]
    if isinstance(value, types.BuiltinMethodType):
        return [value.__self__]
    if isinstance(value, types.MethodType):
        return [*_held(value.__self__, home), *_held(value.__func__, home)]
    if isinstance(value, types.FunctionType):
        home.append(value.__globals__)
        return _held_by_code(value) if value.__globals__ is home[0] else []
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple, set)):
        return list(value)[:1000]
    if isinstance(value, (type, types.ModuleType)) or not hasattr(value, "__dict__"):
        return []
    call = getattr(type(value), "__call__", None)
    return [*vars(value).values(), *(_held(call, home) if isinstance(call, types.FunctionType) else [])]


def _held_by_code(function: Function) -> Any:
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
    codes: list[Any] = [function.__code__]
    names: list[str] = []
    for code in codes:
        names += code.co_names
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    globals_ = [function.__globals__[name] for name in names if name in function.__globals__]
    return [*cells, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *globals_]


# --- What a function of the same process may not change -------------------------------------------------------------

_WATCHED = {
    "time": "clock_gettime monotonic monotonic_ns perf_counter perf_counter_ns process_time thread_time time time_ns",
    "ctypes": "byref cast string_at",
    "numpy": "allclose array_equal isclose ndarray",
    "torch": "Tensor allclose equal isclose",
    "torch.testing": "assert_allclose assert_close",
    "torch.Tensor": "__eq__ __ne__ __sub__ allclose clone contiguous copy_ cpu data_ptr detach double element_size eq equal"
                    " isclose item numel sub to",
    "torch.cuda": "Event ExternalStream Stream current_stream default_stream is_current_stream_capturing stream synchronize",
    "torch.cuda.Event": "elapsed_time query record synchronize wait",
    "torch.cuda.Stream": "query record_event synchronize wait_event wait_stream",
    "cupy": "ndarray",
    "cupy.cuda": "Event ExternalStream Stream get_elapsed_time",
    "cupy.cuda.runtime": "deviceSynchronize streamSynchronize",
}  # fmt: skip
_SETTINGS = """sys.gettrace sys.getprofile torch.get_default_dtype torch.get_num_threads torch.is_grad_enabled
    torch.are_deterministic_algorithms_enabled torch.get_float32_matmul_precision torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.deterministic torch.backends.cudnn.enabled""".split()
_ENVIRONMENT = """CUDA_LAUNCH_BLOCKING CUDA_VISIBLE_DEVICES GBRUN_LIBRARY GBRUN_PLUGIN_PATH LD_PRELOAD MKL_NUM_THREADS
    NVIDIA_TF32_OVERRIDE OMP_NUM_THREADS OPENBLAS_NUM_THREADS""".split()


def _watched() -> Any:
    """{name: what it is}: functions that measure and compare, and settings that times depend on."""
    found = {f"os.environ[{name!r}]": os.environ.get(name) for name in _ENVIRONMENT}
    names = [f"{place}.{name}" for place, names in _WATCHED.items() for name in names.split()]
    found.update((name, _fixed(value)) for name, value in _present(names))
    found.update((name, value() if callable(value) else value) for name, value in _present(_SETTINGS))
    return found


def _watched_here() -> Any:
    found = {f"builtins.{name}": value for name, value in vars(builtins).items() if name != "_"}
    for name, value in globals().items():
        if isinstance(value, type) and value.__module__ == __name__:
            found.update((f"gbrun.{name}.{key}", _fixed(inner)) for key, inner in vars(value).items() if callable(inner))
        if callable(value):
            found[f"gbrun.{name}"] = _fixed(value)
    return found


def _changes(before: Any) -> Any:
    """Names of what is no longer what it was."""
    now = {**_watched(), **_watched_here()}
    return [name for name, value in {**before, **_here}.items() if name not in now or now[name] != value]


def _present(names: Sequence[str]) -> Iterator[Any]:
    """Pairs of a dotted name and what has it, of what was imported."""
    for name in names:
        first, *rest = name.split(".")
        with contextlib.suppress(Exception):
            yield name, functools.reduce(getattr, rest, sys.modules[first])


def _fixed(function: Function) -> Any:
    return function, getattr(function, "__code__", None), getattr(function, "__defaults__", None)


# --- Two functions, and other ways to call ---------------------------------------------------------------------------


class Comparison(_Number):
    """What gbrun.compare found; times are seconds, float(comparison) is the ratio.

    ratio, low, high    the time of new over that of base, and its interval: 0.9 takes 10 % less
    verdict             "slower", "faster"; "changed": certain, but within the margin; "same"; "unclear"
    base_time, new_time, base_rounds, new_rounds: geometric means, and the centre of each visit
    is_isolated         each visit had a process of its own; else what differs from process to process, such as where
                        memory lies, may be what was found
    base, new           Measurement of the last visit to each; n_needed: rounds that would decide what is unclear
    """

    def __init__(self, result: Any, visits: tuple[Measurement, Measurement] | None = None) -> None:
        self.ratio, self.low, self.high = float(result.ratio), float(result.ratio_low), float(result.ratio_high)
        self.verdict, self.margin = str(result.verdict_text, "utf-8"), float(result.margin)
        self.base_time, self.new_time = float(result.base_ns) / 1e9, float(result.new_ns) / 1e9
        self.base_rounds: Sequence[float] = _seconds(result.base_rounds_ns, result.n_rounds)
        self.new_rounds: Sequence[float] = _seconds(result.new_rounds_ns, result.n_rounds)
        self.n_needed: int = result.n_needed
        self.is_isolated = visits is not None
        self.base, self.new = visits or (Measurement(r.contents) for r in (result.base_result, result.new_result))

    def __float__(self) -> float:
        return self.ratio

    def __repr__(self) -> str:
        return (
            f"{self.verdict}{'' if self.is_isolated else ', in this process'}: {self.ratio:.4f} [{self.low:.4f}, {self.high:.4f}] times as long,"
            f" {_time(self.base_time)} and {_time(self.new_time)}, {len(self.base_rounds)} rounds"
        )

    def _repr_html_(self) -> str:
        return f"<div><b>{html.escape(repr(self))}</b></div>"


def compare(base: Function, new: Function, *, results: Path | None = None, isolate: bool | None = None,
            **settings: Any) -> Comparison:  # fmt: skip
    """Measures two functions in turn until it is certain which takes longer, as `gbrun ab` does; a Comparison.

    isolate: each visit has a process of its own, which imports the function's module. None: where both are functions of
    modules by which they can be imported, and nothing is stored; else in this process, and the verdict says so.
    settings: those of measure but for max_time; margin=0.01, alpha=0.05, visit="0.1 s", max_rounds=40.
    """
    library = _library()
    settings = _all_settings(settings, results)
    can_be_isolated = all(_is_of_module(fn) for fn in (base, new)) and "results" not in settings
    if isolate and not can_be_isolated:
        raise ValueError("isolate=True: expected functions that can be imported from modules, and no results")
    if "rounds" in settings:
        raise ValueError("rounds: a comparison chooses their number: expected max_rounds")
    if isolate or (isolate is None and can_be_isolated):
        return _compare_apart(library, (base, new), settings)
    sides = [_Calls(_failing(library), fn) for fn in (base, new)]
    for side in sides:
        side.subject.entry_ns = 1e9 * _call_times(settings["device"])[0]
    text = _lines(settings)
    result = _measuring.call(
        lambda: library.gbrun_compare(*(ctypes.byref(side.subject) for side in sides), text)
    )
    try:
        for side in sides:
            side.raise_again(result.contents)
        _raise_status(result.contents)
        return Comparison(result.contents)
    finally:
        library.gbrun_comparison_free(result)


def _is_of_module(fn: Function) -> bool:
    """Does a process that is started anew find it, by names?"""
    module, name = getattr(fn, "__module__", ""), getattr(fn, "__qualname__", "")
    found = sys.modules.get(module)
    if module == "__main__" or not isinstance(fn, types.FunctionType) or not getattr(found, "__file__", None):
        return False
    try:
        return functools.reduce(getattr, name.split("."), typing.cast(Any, found)) is fn
    except AttributeError:
        return False


def _compare_apart(library: ctypes.CDLL, sides: Any, settings: Settings) -> Comparison:
    """compare, each visit in a process of its own. Blocks of two rounds begin with either side, at random."""
    rule: dict[str, Any] = {key: settings[key] for key in ("margin", "alpha", "visit", "max_rounds") if key in settings}
    visit = {key: value for key, value in settings.items() if key not in rule}
    visit.update(max_time=settings.get("visit", "0.1 s"), rounds=1)
    rule["device"] = settings["device"]
    chance, first = random.Random(0), 0
    last: dict[int, Measurement] = {}
    rounds: tuple[list[float], list[float]] = [], []
    while True:
        first = 1 - first if len(rounds[0]) % 2 else chance.randrange(2)
        for side in (first, 1 - first):
            last[side] = _measured_apart(sides[side], visit)
            rounds[side].append(1e9 * (last[side].time if last[side].statistic in ("median", "mean") and last[side].time > 0
                                       else last[side].quantile(0.5)))  # fmt: skip
        n, step = len(rounds[0]), max(m.tick / m.iterations / m.time for m in last.values())
        values = [(ctypes.c_double * n)(*side) for side in rounds]
        result = library.gbrun_compare_rounds(*values, n, step, _lines(rule))
        try:
            _raise_status(result.contents)
            if not result.contents.flags & _GOES_ON:
                return Comparison(result.contents, (last[0], last[1]))
        finally:
            library.gbrun_comparison_free(result)


_GOES_ON = 2


def _measured_apart(fn: Function, settings: Settings) -> Measurement:
    """A Measurement, of a process that is started anew; what was raised there is raised here."""
    named = fn.func if isinstance(fn, functools.partial) else fn
    try:
        if getattr(named, "__module__", None) == "__main__":
            raise ValueError("it is of the program itself, __main__")
        call = pickle.dumps((fn, settings))
    except Exception as error:
        raise ValueError("isolate=True: expected functions that can be imported from modules: "
                         f"{_words_of(error)}") from None  # fmt: skip
    file = getattr(sys.modules.get(named.__module__), "__file__", None) if settings["device"] != "cpu" else None
    code, data = _ask_apart((sys.path, file, call))
    if code:
        raise Error(f"{named.__module__}.{named.__qualname__}: the process that measured it ended with code {code}")
    found: Measurement | BaseException = pickle.loads(data)
    if isinstance(found, BaseException):
        raise found
    return found


_forking: list[Any] = []  # idle processes of _measure_here that fork others
os.register_at_fork(after_in_child=_forking.clear)


def _ask_apart(call: Any) -> Any:
    """Of the process that measures: its exit code, and what it answers."""
    process = _forking.pop() if call[1] and _forking else None
    if process is None:
        program = "import sys; sys.path[:0] = sys.argv[1:]; import gbrun; gbrun._measure_here()"
        process = subprocess.Popen([sys.executable, "-c", program, str(_folder())], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)  # fmt: skip
    goes_on = False
    try:
        pickle.dump(call, process.stdin)
        process.stdin.flush()
        goes_on, code, data = pickle.load(process.stdout)
    except (EOFError, OSError):
        code = data = None
    except BaseException:
        process.kill()
        raise
    finally:
        if goes_on:
            _forking.append(process)
        else:
            _end_apart(process)
    return code if goes_on else process.returncode, data


def _end_apart(process: Any) -> None:
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stdout.close()
    process.wait()


@atexit.register
def _end_all_apart() -> None:
    while _forking:
        _end_apart(_forking.pop())


def _measure_here() -> None:
    """What _ask_apart starts: answers go where standard output was, what is printed to standard error. On a GPU each call
    is measured in a process that is forked, and finds imported what the function's file imports."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        while True:
            try:
                sys.path[:], file, call = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            if file:
                _warm(file)
            pid = _fork() if file and _can_be_forked() else -1
            if pid <= 0:
                pickle.dump((pid == 0, 0, _answer_to(call)), out)
                _flush()
                out.flush()
            if pid == 0:
                os._exit(0)
            if pid < 0:
                return
            status = os.waitpid(pid, 0)[1]
            if status:
                code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
                pickle.dump((True, code, None), out)
                out.flush()


def _answer_to(call: Any) -> Any:
    try:
        fn, settings = pickle.loads(call)
        found: Any = measure(fn, **settings)
    except Exception as error:
        found = error
    try:
        return pickle.dumps(found)
    except Exception:
        return pickle.dumps(Error(f"{type(found).__name__}: {found}"))


def _can_be_forked() -> bool:
    """As warm_check of gbrun: one thread, but for those that end at a fork, and no GPU open."""
    if len(os.listdir("/proc/self/task")) > 1:
        pid = _fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    files = glob.glob("/proc/self/fd/*")
    return len(os.listdir("/proc/self/task")) == 1 and not any(
        os.path.realpath(file).startswith("/dev/nvidia") for file in files)


def do_bench(fn: Function, warmup: float = 25, rep: float = 100, grad_to_none: Any = None,
             quantiles: Sequence[float] | None = None, return_mode: str = "mean", **settings: Any) -> Any:  # fmt: skip
    """triton.testing.do_bench by gbrun.measure: the same arguments and results, in milliseconds.

        triton.testing.do_bench = gbrun.do_bench
        @triton.autotune(configs, key, do_bench=gbrun.do_bench)

    With a cold cache, as there. rep is what it takes at most; it ends when the estimate is certain. The median is
    gbrun's estimate, the others are of the samples.
    """
    if return_mode not in ("min", "max", "mean", "median", "all"):
        raise ValueError(f"return_mode={return_mode!r}: expected 'min', 'max', 'mean', 'median' or 'all'")

    def without_gradients() -> None:
        for tensor in grad_to_none:
            tensor.grad = None
        fn()

    settings = {"cache": "cold", "warmup": f"{warmup} ms", "max_time": f"{rep} ms", "rounds": 1, **settings}
    timed: Any = fn if grad_to_none is None else without_gradients
    found = measure(timed, **settings)
    if quantiles is not None:
        values = [1e3 * found.quantile(q) for q in quantiles]
        return values[0] if len(values) == 1 else values
    if return_mode == "all":
        return [1e3 * value for value in found.samples]
    if return_mode == "median":
        return 1e3 * found.time
    of: dict[str, Any] = {"min": min, "max": max, "mean": lambda values: math.fsum(values) / len(values)}
    return 1e3 * of[return_mode](found.samples)


# --- The best of many -------------------------------------------------------------------------------------------------


class Tuned(_Number):
    """What gbrun.tune found; float(tuned) is the time of the best, in seconds.

    best, index         the configuration, and its place among all
    time, low, high     the median of its samples, and the interval that is claimed; NaN: none is
    scope               "all": no other is better by more than tolerance, with confidence; "measured": those in `open` may
                        be; "share", "none": docs/search.md. is_certified: it is "all"
    open                configurations that are not ruled out as better than the best
    times               the median of each one's samples; NaN: it could not be measured; errors: {index: why}
    visits, samples     how many there were of all; reason, note: why it ended, what prevents a better claim
    """

    def __init__(self, configs: Sequence[Any], state: Any, samples: Sequence[Any], errors: dict[int, Exception]) -> None:
        self.index: int = state.best
        self.best = configs[self.index]
        self.time, self.low, self.high = (ns / 1e9 for ns in (state.value_ns, state.low_ns, state.high_ns))
        self.scope, self.reason, self.note = (
            str(text, "utf-8", "replace") for text in (state.scope_text, state.reason, state.note)
        )
        self.is_certified, self.tolerance, self.confidence = self.scope == "all", state.tolerance, state.confidence
        self.open = [configs[i] for i in state.open[: state.n_open]]
        self.times = [_quantile(values, 0.5) if values else math.nan for values in samples]
        self.visits, self.samples, self.errors = state.n_visits, sum(map(len, samples)), errors

    def __float__(self) -> float:
        return float(self.time)

    def __repr__(self) -> str:
        of = f"best of all {len(self.times)}" if self.is_certified else (
            f"best of {sum(map(math.isfinite, self.times))} measured, {len(self.open)} not ruled out:")  # fmt: skip
        return (f"{self.best}: {_time(self.time)} [{_time(self.low)}, {_time(self.high)}], {of} within "
                f"{self.tolerance:.3g} at {self.confidence:.4g}, {self.visits} visits, {self.samples} samples")  # fmt: skip


_SEARCH_MEASURE, _OBSERVED_FAILED, _OBSERVED_WRONG, _OBSERVED_SKIPPED = 1, 1, 2, 3


def _race(names: Sequence[str], values: Any, settings: Settings, visit: Function, begin: Any = lambda i: None) -> Any:
    """A search over cases with these values on the axes of these names. visit(i, n) returns n samples of case i, begin(i)
    is called when that is certain to come. Returns what a Tuned is made of, and an end to what it points to."""
    library, opened = _library(), typing.Deque[Any]()
    samples: list[list[float]] = [[] for _ in values]
    errors: dict[int, Exception] = {}
    search = library.gbrun_search_new(
        (_text_type * len(names))(*(str(name).encode() for name in names)), len(names),
        (_text_type * (len(names) * len(values)))(*(str(text).encode() for case in values for text in case)), len(values),
        _lines({key: value for key, value in settings.items() if value is not None}))  # fmt: skip
    end, state = contextlib.ExitStack(), search.contents
    end.callback(library.gbrun_search_free, search)
    with contextlib.ExitStack() as on_error:
        on_error.push(end)
        while library.gbrun_search_next(search) or opened:
            if state.action == _SEARCH_MEASURE:
                opened.append((state.proposal, state.i, state.n_samples))
                begin(state.i)
                continue
            proposal, i, n = opened.popleft()
            observed, found, since = 0, [], time.perf_counter_ns()
            try:
                found = visit(i, n)
                samples[i].extend(found)
            except Exception as error:
                errors[i] = error
                observed = (_OBSERVED_WRONG if isinstance(error, WrongResult) else
                            _OBSERVED_SKIPPED if isinstance(error, Skipped) else _OBSERVED_FAILED)  # fmt: skip
            library.gbrun_search_observe(search, proposal, observed, (_double * len(found))(*(1e9 * x for x in found)),
                                         len(found), 0, time.perf_counter_ns() - since)  # fmt: skip
        _raise_status(state)
        if state.best >= len(values):
            raise next(iter(errors.values()), Error("no configuration gave a time"))
        on_error.pop_all()
    return end, (state, samples, errors)


def _visit(fn: Function, n: int, settings: Settings) -> Any:
    """Samples of a short visit; n = 0: as many as the policy wants."""
    few: Settings = {"policy": "fixed", "samples": n, "min_samples": n, "max_samples": n} if n else {}
    return list(measure(fn, **dict(settings, rounds=1, **few)).samples)


def tune(configs: Sequence[Any], fn: Function, key: Any = None, *, prepare: Function | None = None, lanes: int = 8,
         search: str = "race", tolerance: float = 0.01, confidence: float = 0.95, budget: str | None = None,
         options: dict[str, Any] | None = None, **settings: Any) -> Tuned:  # fmt: skip
    """The configuration with which fn takes least, and how sure that is; a Tuned.

    fn(**config) of a dict, fn(config) of anything else is what is timed. Short visits to all of them, interleaved; those
    that are slower for certain are dropped (docs/search.md).
    key: what the best depends on, such as shapes; with one, a later call with the same fn and key measures nothing.
    prepare: called like fn on `lanes` threads, such as to compile, while others are measured (on the CPU: before).
    search, tolerance, confidence, budget: as in a [search] section; options: its others, such as {"rounds": 20}.
    settings: those of measure. What fails is left out (.errors).
    """
    configs = list(configs)
    if key is not None and (fn, key) in _tuned:
        return _tuned[fn, key]
    settings = _all_settings(settings, None)
    names = list(configs[0]) if configs and isinstance(configs[0], dict) else []
    is_named = names and all(isinstance(config, dict) and set(config) == set(names) for config in configs)
    values = [[config[name] for name in names] if is_named else [f"#{i}"] for i, config in enumerate(configs)]
    names = names if is_named else ["config"]
    n_threads = max(1, min(lanes, (os.cpu_count() or 2) - 1)) if prepare else 1
    prepared: dict[int, Any] = {}

    def of(function: Function, i: int) -> Any:
        return functools.partial(function, **configs[i]) if isinstance(configs[i], dict) else functools.partial(function, configs[i])

    def begin(i: int) -> None:
        if prepare and i not in prepared:
            prepared[i] = threads.submit(of(prepare, i))

    def visit(i: int, n: int) -> Any:
        if prepare:
            if str(settings["device"]).startswith("cpu"):
                concurrent.futures.wait(prepared.values())
            prepared[i].result()
        variables = {"let": {**settings.get("let", {}), **dict(zip(names, map(_variable, values[i])))}} if "results" in settings else {}
        return _visit(of(fn, i), n, {**settings, **variables})

    of_search = {"search": search, "tolerance": tolerance, "confidence": confidence, "budget": budget, "lanes": n_threads}
    with concurrent.futures.ThreadPoolExecutor(n_threads) as threads:
        try:
            end, found = _race(names, values, {**of_search, **(options or {})}, visit, begin)
        except BaseException:
            for future in prepared.values():
                future.cancel()
            raise
    with end:
        tuned = Tuned(configs, *found)
    if key is not None:
        _tuned[fn, key] = tuned
    return tuned


_tuned: dict[Any, Tuned] = {}


def _variable(value: Any, otherwise: str = "") -> Any:
    """As `let.NAME = ` has it: a number, or a text; of an object its name, or the other words."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and abs(float(value)) < 2**63:
        return value
    text = str(value) if isinstance(value, (str, bool, type(None))) else getattr(value, "__name__", otherwise)
    return "'" + re.sub(r"[\s'\"\\;#]", "_", text if len(text) <= 64 else otherwise) + "'"


class Race:
    """do_bench for triton.autotune, of which the configurations are compared by a race.

        race = gbrun.Race()
        @triton.autotune(configs, key=["n"], do_bench=race)

    Each call measures a short visit and returns its quantiles in milliseconds. When two answers are compared, which
    triton.autotune does once it has all, those that may be the best are measured again in turn, until each but one is
    ruled out as better by more than tolerance, or the budget is used up: seconds for each of them. The answers hold the
    quantiles of all samples from then on, and `tuned` is a Tuned, whose configurations are numbered as they came.
    settings: those of measure; caches are cold, and functions are launched in the stream, as triton.testing.do_bench does.
    """

    def __init__(self, *, budget: float = 0.03, tolerance: float = 0.01, confidence: float = 0.95,
                 options: dict[str, Any] | None = None, **settings: Any) -> None:  # fmt: skip
        self.budget, self.settings = budget, {"cache": "cold", "launch": "stream", **settings}
        self.options = {"tolerance": tolerance, "confidence": confidence, **(options or {})}
        self.tuned: Tuned | None = None
        self._asked: list[weakref.ref[_Answer]] = []

    def __call__(self, fn: Function, quantiles: Sequence[float] = (0.5, 0.2, 0.8)) -> list[float]:
        answer = _Answer(self, fn, quantiles, _visit(fn, _FIRST_SAMPLES, self.settings))
        self._asked = [ref for ref in self._asked if ref() is not None] + [weakref.ref(answer)]
        return answer

    def _decide(self) -> None:
        """Between all answers that are still there; of other calls none is."""
        answers = [answer for answer in (ref() for ref in self._asked) if answer is not None]
        self._asked = []
        if not answers:  # what was interrupted is compared by what is known
            return
        first = {i: answer.samples for i, answer in enumerate(answers)}

        def visit(i: int, n: int) -> Any:
            return first.pop(i, None) or _visit(answers[i].fn, n, self.settings)

        end, found = _race(["config"], [[f"#{i}"] for i in range(len(answers))],
                           {**self.options, "budget": f"{self.budget * len(answers)} s"}, visit)  # fmt: skip
        with end:
            self.tuned = Tuned(range(len(answers)), *found)
        for i, (answer, samples) in enumerate(zip(answers, found[1])):
            answer.settle(samples, i != self.tuned.index)


_FIRST_SAMPLES = 6  # what `race` asks for at 95 %


class _Answer(typing.List[float]):
    """Quantiles of a function's samples, in ms, that are compared by a race of all answers; the best is the least."""

    def __init__(self, race: Race, fn: Function, quantiles: Sequence[float], samples: Any) -> None:
        self.race: Race | None = race
        self.fn, self.quantiles, self.is_beaten = fn, quantiles, True
        self.settle(samples, True, is_last=False)

    def settle(self, samples: Any, is_beaten: bool, is_last: bool = True) -> None:
        self.samples, self.is_beaten = samples, is_beaten
        self[:] = [1e3 * _quantile(samples, q) for q in self.quantiles]
        if is_last:
            self.race, self.fn = None, _nothing

    def _rank(self, other: Any) -> tuple[tuple[bool, list[float]], ...]:
        if self.race is not None:
            self.race._decide()
        return (self.is_beaten, list(self)), (getattr(other, "is_beaten", True), list(other))

    def __lt__(self, other: Any) -> bool:
        one, two = self._rank(other)
        return one < two

    def __gt__(self, other: Any) -> bool:
        one, two = self._rank(other)
        return one > two

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other


@contextlib.contextmanager
def results(path: Path, label: dict[str, Any] | None = None, **settings: Any) -> Iterator[None]:
    """What is measured inside is appended to a results file, with these labels and settings unless a call has others.

        with gbrun.results("x.gbr", label={"commit": "abc"}, cache="cold"):
            gbrun.measure(f, name="f")
    """
    settings = {**settings, "results": os.fspath(path), **({"label": label} if label else {})}
    token = _open_results.set({**_open_results.get(), **settings})
    try:
        yield
    finally:
        _open_results.reset(token)


_open_results: contextvars.ContextVar[dict[str, Any]] = contextvars.ContextVar("gbrun.results", default={})


class _Calls:
    """The callbacks of one measurement. What they raise is kept, since it cannot pass through C; fail gets it and
    returns the status for C."""

    def __init__(self, fail: Function, fn: Function, reset: Function | None = None, flops: float = 0, bytes_read: float = 0,
                 bytes_written: float = 0, items: float = 0, synchronizes: bool = False, single: bool = False,
                 every_call: bool = False) -> None:  # fmt: skip
        if not getattr(fn, "may_be_idle", False):
            _refuse_idle(fn)
        self.fail = fail
        self.raised: BaseException | None = None
        self.is_interrupted = False
        self.pools: list[Any] = []  # as long as graphs use their memory
        self.subject = _Subject(
            size=ctypes.sizeof(_Subject),
            flags=_PREFERS_GRAPH + _SYNCHRONIZES * bool(synchronizes) + _SINGLE * bool(single) + _EVERY_CALL * bool(every_call),
            run=_RUN(self._callback(_with_stream(fn))), poll=_POLL(self._poll),
            flops=flops, bytes_read=bytes_read, bytes_written=bytes_written, items=items,
        )  # fmt: skip
        if reset is not None:
            self.subject.reset = _RESET(self._callback(_with_stream(reset)))

    def verify_by(self, verification: Any, check: Any, checked: Any) -> None:
        """check judges a _Check, checked what went wrong in words."""

        def verify(stream: Any, iterations: int) -> Any:
            status = _OK
            for name, found in verification.verify(stream):
                judged = checked(name.encode(), 0, found.encode()) if isinstance(found, str) else check(ctypes.byref(found))
                status = status if status != _OK else judged
            return status

        subject = self.subject
        subject.run, subject.verify = _RUN(self._callback(verification.run)), _RESET(self._callback(verify))
        if verification.inputs is not None:
            subject.refresh = _REFRESH(self._callback(verification.refresh))
        if verification.inputs is not None or verification.reset_once is not None:
            subject.reset = _RESET(self._callback(verification.reset))
            subject.flags |= _SINGLE

    def _callback(self, call: Function) -> Any:
        """A callback for C. What it does beside the call is timed, too: on the CPU it does little."""

        def callback(user: Any, stream: Any, iterations: int = 1) -> Any:
            try:
                if stream is None:
                    return call(None, iterations) or _OK
                return self._in_stream(call, stream, iterations) or _OK
            except BaseException as error:
                return self._keep(error)

        return callback

    def _in_stream(self, call: Function, stream: Any, iterations: int) -> Any:
        with contextlib.ExitStack() as stack:
            for current in _current_streams(stream, self.pools):
                stack.enter_context(current)
            return call(stream, iterations)

    def _keep(self, error: BaseException) -> Any:
        self.raised = error
        return self.fail(error)

    def _poll(self, user: Any) -> Any:
        try:
            _nothing()  # Python's signal handlers run on the way there
        except BaseException as error:
            self.interrupt(error)
        return self.is_interrupted

    def interrupt(self, error: BaseException) -> None:
        """What the handler of a signal raised, which ends the call at the next poll."""
        self.raised = error
        self.is_interrupted = True

    def raise_again(self, result: Any) -> None:
        """Not what was raised only while fn was captured, and is measured launched in the stream."""
        is_certain = self.is_interrupted or not isinstance(self.raised, Exception)
        if self.raised is not None and (result.status != _OK or is_certain):
            raise self.raised


def _failing(library: ctypes.CDLL) -> Any:
    return lambda error: library.gbrun_fail(_words_of(error).encode("utf-8", "replace"))


def _words_of(error: BaseException) -> Any:
    try:
        return f"{type(error).__name__}: {error}".rstrip(": ")
    except Exception:  # its own, of __str__
        return type(error).__name__


def _refuse_idle(fn: Function) -> None:
    """Calling one of these makes an object and runs nothing of what is written in it."""
    if inspect.iscoroutinefunction(fn):
        raise Error("a coroutine function does nothing when it is called: expected lambda: asyncio.run(f())")
    if inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise Error("a generator function does nothing when it is called: expected a call that runs it, such as lambda: list(f())")


def _unstarted(value: Any) -> str:
    """What a call returned that has not run yet: a call that is measured does not wait for it. Empty: it has."""
    kind = type(value).__name__
    if inspect.isawaitable(value) or inspect.isasyncgen(value):
        return f"the measured function returns a{'n' * (kind[0] == 'a')} {kind}, which has not run: expected lambda: asyncio.run(f())"
    if inspect.isgenerator(value) or isinstance(value, (map, filter, zip)):
        return f"the measured function returns a {kind}, which has not run: expected a call that runs it, such as lambda: list(f())"
    return ""


def _refuse_unstarted(value: Any) -> None:
    words = _unstarted(value)
    if inspect.iscoroutine(value):
        value.close()
    if words:
        raise Error(words)


def _wants_stream(fn: Function, stream: Any) -> bool:
    """Is it called with this stream? Where there is none, on the CPU, a parameter keeps its default."""
    try:
        parameter = inspect.signature(fn).parameters.get("stream")
    except (TypeError, ValueError):  # of builtin functions
        return False
    return parameter is not None and (bool(stream) or parameter.default is parameter.empty)


def _with_stream(fn: Function) -> Any:
    """A function of a stream and of how often fn is called in a row. What the first call returns is looked at."""
    wants, is_first = [_wants_stream(fn, stream) for stream in (None, 1)], True

    def call(stream: Any, iterations: int) -> None:
        nonlocal is_first
        arguments = {"stream": stream} if wants[stream is not None] else {}
        if is_first and iterations:
            is_first, iterations = False, iterations - 1
            value = fn(**arguments)
            if not getattr(fn, "may_be_idle", False):
                _refuse_unstarted(value)
        if arguments:
            for _ in itertools.repeat(None, iterations):
                fn(stream=stream)
        else:
            for _ in itertools.repeat(None, iterations):
                fn()

    return call


def _current_streams(stream: Any, pools: Any) -> Iterator[Any]:
    """Contexts in which this CUDA stream is the current one of the packages that are in use.

    What is captured allocates from a pool of its own, which is kept in pools: PyTorch's allocator asks for events of
    other streams otherwise, which a capture does not survive.
    """
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and torch.cuda.is_initialized():
        yield torch.cuda.stream(torch.cuda.ExternalStream(stream))
        if hasattr(torch.cuda, "use_mem_pool") and torch.cuda.is_current_stream_capturing():
            if not pools:
                pools.append(torch.cuda.MemPool())
            yield torch.cuda.use_mem_pool(pools[0])
            yield _no_older_backward(torch)
    if cupy is not None:
        yield cupy.cuda.ExternalStream(stream)


@contextlib.contextmanager
def _no_older_backward(torch: Any) -> Iterator[Any]:
    """While fn is captured: a backward pass runs on the streams of its forward pass; one that was not captured would
    break the capture, and after it PyTorch's allocator, with the process.
    """
    run_engine: Any = getattr(torch.autograd, "_engine_run_backward", None)
    if run_engine is None:
        yield
        return
    begin = getattr(torch.autograd, "_get_sequence_nr", lambda: math.inf)()

    def run(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        nodes = [getattr(tensor, "grad_fn", None) for tensor in tensors]
        if any(node is None or node._sequence_nr() < begin for node in nodes):
            raise RuntimeError("the backward pass of what was not captured cannot be captured")
        return run_engine(tensors, *args, **kwargs)

    torch.autograd._engine_run_backward = run
    try:
        yield
    finally:
        torch.autograd._engine_run_backward = run_engine


_drivers: list[ctypes.CDLL] = []  # that of CUDA, once something has opened it


def _driver() -> Any:
    """That of CUDA; None: nothing has opened it."""
    with contextlib.suppress(OSError):
        if not _drivers:
            _drivers.append(ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW))
    return _drivers[0] if _drivers else None


def _has_context() -> bool:
    """Is a CUDA context current on this thread?"""
    driver, context = _driver(), ctypes.c_void_p()
    return driver is not None and driver.cuCtxGetCurrent(ctypes.byref(context)) == 0 and context.value is not None


def _is_capturing(stream: Any) -> bool:
    """Is what is put on this CUDA stream captured?"""
    driver, state = _driver(), ctypes.c_int()
    return driver is not None and driver.cuStreamIsCapturing(ctypes.c_void_p(stream), ctypes.byref(state)) == 0 and state.value == 1


class _Measuring:
    """What is the interpreter's while any thread measures: garbage is not collected, as with timeit; and what a signal's
    handler raises is taken where a callback begins. There it is outside of any `try` of Python (3.11 and newer), and
    ctypes gives it to sys.unraisablehook. A signal may also arrive in here: each step can be done twice, or not at all.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.calls: set[object] = set()
        self.was_collecting, self.hook = False, sys.unraisablehook

    def call(self, function: Function) -> Any:
        """Without arguments: a traceback may keep this frame, and what byref returns is no part of a cycle that is found."""
        call = object()
        try:
            self.begin(call)
            return function()
        finally:
            self.end(call)

    def begin(self, call: object) -> None:
        with self.lock:
            if not self.calls:
                self.was_collecting, self.hook = gc.isenabled(), sys.unraisablehook
            self.calls.add(call)
            gc.disable()
            sys.unraisablehook = self.take

    def end(self, call: object) -> None:
        with self.lock:
            self.calls.discard(call)
            if self.calls:
                return
            if sys.unraisablehook == self.take:
                sys.unraisablehook = self.hook
            if self.was_collecting:
                gc.enable()

    def take(self, unraisable: Any) -> None:
        trace = unraisable.exc_traceback
        calls = trace.tb_frame.f_locals.get("self") if trace and trace.tb_frame.f_globals is globals() else None
        if isinstance(calls, _Calls):
            calls.interrupt(unraisable.exc_value)
        else:
            self.hook(unraisable)


    def restart(self) -> None:
        """In a forked child, whose other threads are gone with what they held."""
        if self.calls and self.was_collecting:
            gc.enable()
        if self.calls:
            sys.unraisablehook = self.hook
        self.lock, self.calls = threading.Lock(), set()


_measuring = _Measuring()
os.register_at_fork(after_in_child=_measuring.restart)


def _all_settings(settings: Settings, results: Any) -> Any:
    """Those of a call, with what `with gbrun.results(...)` around it says."""
    settings = {**{key: value for key, value in _open_results.get().items() if key != "check"}, **settings}
    if results is not None:
        settings["results"] = os.fspath(results)
    settings.setdefault("device", "cuda" if _has_context() else "cpu")
    return settings


def _of_one_run(settings: Settings) -> Any:
    """What is stored in one file with the same labels is one run, also by processes that this one starts."""
    if "results" in settings:
        labels = tuple(map(str, settings.get("label", {}).items()))
        settings.setdefault("run", _run_uuid(os.getpid(), os.path.abspath(settings["results"]), labels))
    return settings


@functools.lru_cache(maxsize=None)
def _run_uuid(process: Any, path: Path, labels: dict[str, Any]) -> str:
    return str(uuid.uuid4())


def _lines(settings: Settings) -> Any:
    lines = []
    for key, value in settings.items():
        pairs = [(f"{key}.{name}", v) for name, v in value.items()] if isinstance(value, dict) else [(key, value)]
        for name, v in pairs:
            v = {True: "yes", False: "no"}[v] if isinstance(v, bool) else str(v)
            if any(character in text for text in (name, v) for character in "\n\0"):
                raise ValueError(f"{name!r}: a setting is one line")
            if name == "results" or name.startswith("label."):
                v = _quoted(v)
            elif _COMMENT.search(v):
                raise ValueError(f"{name} = {v}: expected no '#' or ';' after a blank, which begins a comment")
            lines.append(f"{name} = {v}\n")
    return "".join(lines).encode()


_COMMENT = re.compile(r"(^|[ \t])[;#]")


def _quoted(text: str) -> Any:
    """A text that settings do not hold as it stands."""
    if not _COMMENT.search(text) and text == text.strip() and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _raise_status(result: Any) -> None:
    if result.status == _OK:
        return
    text = result.error.decode("utf-8", "replace")
    if result.status == _INVALID:
        raise ValueError(text)
    if "jax" in sys.modules and result.status != _SKIPPED:
        text += "\nJAX has streams of its own: expected device='cpu' and block_until_ready() in the function"
    raise (Skipped if result.status == _SKIPPED else Error)(text, result.status)


def _folder() -> Any:
    """Where this file is, or the package that it is in a wheel."""
    file = pathlib.Path(__file__).resolve()
    return file.parents[file.name == "__init__.py"]


def _around(places: Any) -> Any:
    """The first of these files that is there, beside this file: in a wheel; or in a folder around it: in a bundle, an
    installation, a build tree."""
    folders = [_folder(), *list(_folder().parents)[:2]]
    return next((str(folder / place) for folder in folders for place in places if (folder / place).is_file()), None)


def _program() -> str:
    """The path of the program `gbrun`: around this file, or that of PATH."""
    found = _around(("gbrun_bundle/bin/gbrun", "bin/gbrun", "gbrun")) or shutil.which("gbrun")
    if found is None:
        raise ImportError("the program gbrun was not found beside gbrun.py: expected its folder in PATH")
    return found


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    """libgbrun: GBRUN_LIBRARY, or around this file, or where the system finds it."""
    places = "libgbrun.so.0", "gbrun_bundle/lib/libgbrun.so.0", "lib/libgbrun.so.0", ".libs/libgbrun.so.0"
    try:
        library = ctypes.CDLL(os.environ.get("GBRUN_LIBRARY") or _around(places) or "libgbrun.so.0")
    except OSError as error:
        raise ImportError(f"libgbrun was not found: {error}; GBRUN_LIBRARY=/path/to/libgbrun.so.0 says where") from None
    library.gbrun_measure.restype = ctypes.POINTER(_Result)
    library.gbrun_measure.argtypes = [ctypes.POINTER(_Subject), _text_type]
    library.gbrun_free.restype = None
    library.gbrun_free.argtypes = [ctypes.POINTER(_Result)]
    library.gbrun_compare.restype = ctypes.POINTER(_Comparison)
    library.gbrun_compare.argtypes = [ctypes.POINTER(_Subject), ctypes.POINTER(_Subject), _text_type]
    library.gbrun_compare_rounds.restype = ctypes.POINTER(_Comparison)
    library.gbrun_compare_rounds.argtypes = [ctypes.POINTER(_double)] * 2 + [_u64, _double, _text_type]
    library.gbrun_search_new.restype = ctypes.POINTER(_SearchState)
    library.gbrun_search_new.argtypes = [ctypes.POINTER(_text_type), _u64, ctypes.POINTER(_text_type), _u64, _text_type]
    library.gbrun_search_next.argtypes = [ctypes.POINTER(_SearchState)]
    library.gbrun_search_observe.argtypes = [
        ctypes.POINTER(_SearchState), _u64, _i32, ctypes.POINTER(_double), _u64, _double, _double]  # fmt: skip
    library.gbrun_search_free.restype = None
    library.gbrun_search_free.argtypes = [ctypes.POINTER(_SearchState)]
    library.gbrun_comparison_free.restype = None
    library.gbrun_comparison_free.argtypes = [ctypes.POINTER(_Comparison)]
    library.gbrun_check.argtypes = [ctypes.POINTER(_Check)]
    library.gbrun_checked.argtypes = [_text_type, _i32, _text_type]
    library.gbrun_fail.argtypes = [_text_type]
    library.gbrun_version.restype = _text_type
    return library


# --- plugin = python: functions that gbrun run measures; plugins/bench_python calls _plugin ------------------------


class Bench:
    """What a function of `plugin = python` returns to say more than a callable does.

    fn: what is timed. The others are as of measure: reset, called before each sample; verify, which returns what fn has
    to return; inputs, which are renewed; what one call does; how it can be called.
    """

    def __init__(self, fn: Function, *, reset: Function | None = None, verify: Function | None = None, inputs: Any = None,
                 flops: float = 0, bytes_read: float = 0, bytes_written: float = 0, items: float = 0,
                 synchronizes: bool = False, single: bool = False, every_call: bool = False) -> None:  # fmt: skip
        self.fn, self.reset, self.verify, self.inputs = fn, reset, verify, inputs
        self.calls: Settings = dict(flops=flops, bytes_read=bytes_read, bytes_written=bytes_written, items=items,
                          synchronizes=synchronizes, single=single, every_call=every_call)  # fmt: skip


_FAIL = ctypes.CFUNCTYPE(_i32, ctypes.c_void_p, _text_type)
_CHECK = ctypes.CFUNCTYPE(_i32, ctypes.c_void_p, ctypes.POINTER(_Check))
_CHECKED = ctypes.CFUNCTYPE(_i32, ctypes.c_void_p, _text_type, _i32, _text_type)
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _i32, _text_type)
# struct python_case of plugins/bench_python/python.c; the last two are set here.
_Case = _struct(
    "_Case", host=ctypes.c_void_p, fail=_FAIL, skip=_FAIL, check=_CHECK, checked=_CHECKED, log=_LOG, path=_text_type, function=_text_type,
    n_arguments=_u64, keys=ctypes.POINTER(_text_type), values=ctypes.POINTER(_text_type), gpu=_i32, reserved=_u32,
    stream=ctypes.c_void_p, subject=_Subject, nothing=_Subject,
)  # fmt: skip
_functions: dict[int, Any] = {}  # address of a _Case: what its steps share


def _plugin(step: Any, address: Any) -> Any:
    """One step of the case at this address: "open", "prepare", "close". Returns a status."""
    case = _Case.from_address(address)
    try:
        if step == "open":
            _functions[address] = _Function(case)
        elif step == "prepare":
            _functions[address].prepare()
        else:
            with contextlib.suppress(KeyError):
                _functions.pop(address).close()
            gc.enable()
            _release_memory()
            _freeze_modules()
    except BaseException as error:
        return _plugin_fail(case, error)
    finally:
        _flush()
    return _OK


def _flush() -> None:
    """What was printed belongs to the present case."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _plugin_fail(case: Any, error: BaseException) -> Any:
    """The exception with the part of its traceback that is not of gbrun."""
    _flush()
    if isinstance(error, Error):
        end = case.skip if isinstance(error, Skipped) else case.fail
        return end(case.host, str(error).encode("utf-8", "replace"))
    whole = traceback.TracebackException.from_exception(error)
    own = os.path.dirname(__file__)
    frames = [frame for frame in whole.stack if os.path.dirname(frame.filename) != own]
    most = 12
    lines = [_words_of(error)]
    if isinstance(error, SyntaxError):
        lines = [line.rstrip() for line in whole.format_exception_only()]
        lines = [lines[-1], *lines[:-1]]
    for frame in frames[-most:]:
        lines.append(f"  {frame.filename}:{frame.lineno}, in {frame.name}" + (f": {frame.line}" if frame.line else ""))
    return case.fail(case.host, "\n".join(lines).encode("utf-8", "replace"))


# --- A process that others are forked from ---------------------------------------------------------------------------

_warm_files: set[str] = set()  # need nothing more that takes long to import
_tried: set[str] = set()  # packages that were imported for processes to come, or could not be


def _cold(path: str) -> list[str]:
    names = dict.fromkeys(_packages(os.path.abspath(path), set()))
    return [name for name in names if name not in sys.modules and name not in _tried]


def _is_cold(path: str) -> Any:
    """Would _warm import more than what comes with Python?"""
    own = getattr(sys, "stdlib_module_names", ())
    if path not in _warm_files and all(name.partition(".")[0] in own for name in _cold(path)):
        _warm_files.add(path)
    return path not in _warm_files


def _warm(path: str) -> Any:
    """Imports the packages that this file imports, and those beside it. None of these files is run."""
    for name in _cold(path):
        _tried.add(name)
        with contextlib.suppress(BaseException):  # each process that needs it says what is wrong
            importlib.import_module(name)
    _freeze_modules()
    return _OK


_n_frozen = 0


def _freeze_modules() -> None:
    """What packages have made is no garbage, and not looked at again: after PyTorch's import that takes 80 ms."""
    global _n_frozen
    if len(sys.modules) > _n_frozen:
        _n_frozen = len(sys.modules)
        gc.collect()
        gc.freeze()


def _packages(path: str, seen: set[str]) -> Any:
    seen.add(path)
    try:
        with open(path, "rb") as file:
            nodes = list(ast.walk(ast.parse(file.read())))
    except (OSError, SyntaxError, ValueError):
        return
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and node.level == 0]
    folder = os.path.dirname(path)
    for name in names:
        first = name.partition(".")[0]
        beside = [os.path.join(place, first) for place in (folder, os.path.dirname(folder))]
        files = [file for stem in beside for file in (stem + ".py", os.path.join(stem, "__init__.py")) if os.path.exists(file)]
        if not files:
            yield name
        elif files[0] not in seen:
            yield from _packages(files[0], seen)


def _fork() -> Any:
    """As os.fork, with the environment that the process has now; -1: there can be no process."""
    entries: Any = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    now = [os.fsdecode(entry).split("=", 1) for entry in itertools.takewhile(bool, entries)]
    os.environ.update({name: value for name, value in now})
    if "tempfile" in sys.modules:
        temporary: Any = sys.modules["tempfile"]
        temporary.tempdir = None
    try:
        pid = os.fork()
    except OSError:
        return -1
    if pid == 0 and "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    return pid


class _Function:
    """A function of a file with its arguments, from its import to the last call."""

    def __init__(self, case: Any) -> None:
        self.case, self.verification = case, typing.cast("_Verification | None", None)
        path, name = case.path.decode(), case.function.decode()
        module = _imported(path)
        self.words = f"{name} of {os.path.basename(path)}"
        try:
            function = functools.reduce(getattr, name.split("."), module)
        except AttributeError:
            found = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            known = ", ".join(found) or "(it has none)"
            raise Error(f"{path} has no function '{name}': expected one of {known}") from None
        if not callable(function):
            raise Error(f"{self.words} is not a function but {function!r}")
        given = {case.keys[i].decode(): case.values[i].decode() for i in range(case.n_arguments)}
        self.function = functools.partial(function, **self.arguments(function, given))
        torch = sys.modules.get("torch")
        if case.gpu >= 0 and torch is not None and torch.cuda.is_available():
            torch.cuda.set_device(case.gpu)

    def arguments(self, function: Function, given: Any) -> Any:
        """Of the right types; all that is wrong with their names is one error."""
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):  # of builtin functions
            return {name: _argument(name, text, None) for name, text in given.items()}
        kinds = inspect.Parameter
        takes_all = any(p.kind == kinds.VAR_KEYWORD for p in parameters.values())
        known = {n: p for n, p in parameters.items() if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)}
        wrong = [name for name in given if name not in known and not takes_all]
        missing = [n for n, p in known.items() if p.default is kinds.empty and n not in given and n != "stream"]
        if wrong:
            takes = f"expected some of {', '.join(known)}" if known else "it takes none"
            raise Error(f"{self.words} has no argument '{wrong[0]}': {takes}")
        if missing:
            needs = f"needs the argument '{missing[0]}': expected {missing[0]} = VALUE, or a sweep over it"
            raise Error(f"{self.words} {needs}")
        return {name: _argument(name, text, known.get(name)) for name, text in given.items()}

    def prepare(self) -> None:
        """Calls the function, to find what to time, unless it has an argument `stream`."""
        bench = Bench(self.function)
        if not _wants_stream(self.function, 1):
            with contextlib.ExitStack() as stack:
                self.enter_streams(stack)
                bench = self.bench(self.function())
        _wait_for_devices()
        self.calls = _Calls(lambda error: _plugin_fail(self.case, error), bench.fn, bench.reset, **bench.calls)
        nothing: Any = (lambda stream: None) if _wants_stream(bench.fn, 1) else _nothing
        self.nothing = _Calls(lambda error: _FAILED, nothing)
        if bench.verify is not None:
            host = self.case.host
            self.verification = _Verification(bench.fn, bench.verify, bench.reset, bench.inputs, True, self.case.gpu < 0)
            self.calls.verify_by(self.verification, functools.partial(self.case.check, host),
                                 functools.partial(self.case.checked, host))  # fmt: skip
            if self.verification.note:
                self.case.log(host, _INFO, self.verification.note.encode())
        self.case.subject, self.case.nothing = self.calls.subject, self.nothing.subject
        gc.collect()
        gc.disable()

    def close(self) -> None:
        if self.verification is not None:
            self.verification.close()

    def bench(self, found: Any) -> Any:
        if isinstance(found, Bench):
            return found
        if inspect.isgenerator(found) or inspect.iscoroutine(found):
            raise Error(f"{self.words} returned a {type(found).__name__}, which does nothing when it is made: expected a"
                        " function to be timed, a gbrun.Bench, or a result")  # fmt: skip
        return Bench(found if callable(found) else self.function)

    def enter_streams(self, stack: contextlib.ExitStack) -> None:
        for current in _current_streams(self.case.stream, []) if self.case.stream else ():
            stack.enter_context(current)


def _imported(path: Path) -> Any:
    """The module of a file, executed once in a process; what is beside it can be imported, as with `python3 FILE`."""
    for module in list(sys.modules.values()):
        if getattr(module, "_gbrun_path", None) == path:
            return module
    name = pathlib.Path(path).stem
    while name in sys.modules:
        name += "_"
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = types.ModuleType(name)
    vars(module).update(__file__=path, _gbrun_path=path)
    sys.modules[name] = module
    try:
        with open(path, "rb") as file:
            exec(compile(file.read(), path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def _argument(name: str, text: str, parameter: Any) -> Any:
    """The value of an option: a number, or a text, which has quotes around it; as the function's annotation, or a bool or
    text as its default, asks for it."""
    is_text = text.startswith('"')
    value: Any = text[1:-1].replace('\\"', '"').replace("\\\\", "\\") if is_text else _number(text)
    asked = None if parameter is None else parameter.annotation
    if asked not in (bool, int, float, str, "bool", "int", "float", "str"):
        asked = type(parameter.default) if parameter is not None and type(parameter.default) in (bool, str) else None
    asked = getattr(asked, "__name__", asked)
    if asked == "str":
        return value if is_text else text
    if asked == "bool":
        if value in (0, 1):
            return bool(value)
        if is_text and value.lower() in _WORDS:
            return _WORDS[value.lower()]
        raise Error(f"{name} = {value}: expected yes or no")
    if is_text and value in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[value]
    if is_text and value[:1] in ("[", "(", "{"):
        with contextlib.suppress(SyntaxError, ValueError):
            return ast.literal_eval(value)
    if asked in ("int", "float") and (is_text or (asked == "int" and not isinstance(value, int))):
        raise Error(f"{name} = {value}: expected {'an integer' if asked == 'int' else 'a number'}")
    return float(value) if asked == "float" else value


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _release_memory() -> None:
    """What packages keep of it for a stream that is not used again."""
    gc.collect()
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    if cupy is not None:
        cupy.get_default_memory_pool().free_all_blocks()


def _wait_for_devices() -> None:
    """For what was put on streams of their own."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    if cupy is not None:
        cupy.cuda.runtime.deviceSynchronize()


def _adopt(text: str) -> None:
    """Makes this interpreter, which is embedded in a worker, the one that ask.py has described."""
    found = ast.literal_eval(text)
    vars(sys)["_base_executable"] = sys.executable = found["executable"]
    sys.prefix, sys.exec_prefix = found["prefix"], found["exec_prefix"]
    sys.path[:] = found["path"]
    sys.argv = [found["executable"]]
    if found["home"] is None:
        os.environ.pop("PYTHONHOME", None)
    else:
        os.environ["PYTHONHOME"] = found["home"]
    for folder in found["site"]:
        site.addsitedir(folder)


def _nothing() -> None:
    pass


def _call_times(device: Any) -> Any:
    """(of the way from C into Python, of a call from the loop there) in seconds; on a GPU neither is in the time."""
    return _call_times_of_cpu() if str(device).startswith("cpu") else (0, 0)


@functools.lru_cache(maxsize=None)
def _call_times_of_cpu() -> Any:
    token = _open_results.set({})
    try:
        once = measure(_nothing, device="cpu", policy="fixed", samples=50, single=True).time
        call = measure(_nothing, device="cpu", policy="fixed", samples=50, iterations=2000).time
        return max(once - call, 0), call
    finally:
        _open_results.reset(token)


def _seconds(values_ns: Any, n: int) -> Any:
    numpy = _package("numpy")
    if n == 0:
        return array.array("d") if numpy is None else numpy.zeros(0)
    if numpy is not None:
        return numpy.ctypeslib.as_array(values_ns, (n,)) / 1e9
    return array.array("d", [value / 1e9 for value in values_ns[:n]])


def _quantile(samples: Sequence[float], q: float) -> float:
    values = sorted(samples)
    if not values or not 0 <= q <= 1:
        raise ValueError(f"quantile({q}) of {len(values)} samples")
    at = q * (len(values) - 1)
    below = int(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def _time(seconds: float) -> str:
    """Four digits and a unit: 5.060 us."""
    if not math.isfinite(seconds):
        return str(seconds)
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if abs(seconds) * scale >= 1 or unit == "ns":
            break
    value = seconds * scale
    digits = max(0, 3 - (math.floor(math.log10(abs(value))) if value else 0))
    return f"{value:.{min(digits, 4)}f} {unit}"


def _histogram(measurement: Measurement, width: int = 320, height: int = 60, n_bins: int = 40) -> str:
    """The samples from the 1st to the 99th percentile, the interval shaded, as SVG; empty for few samples."""
    values = sorted(measurement.samples)
    low, high = (measurement.quantile(q) for q in (0.01, 0.99)) if len(values) >= 10 else (0, 0)
    if not high > low:
        return "<br>"
    counts = [0] * n_bins
    for value in values:
        if low <= value <= high:
            counts[min(int((value - low) / (high - low) * n_bins), n_bins - 1)] += 1
    step = width / n_bins
    bars = "".join(
        f'<rect x="{i * step:.1f}" y="{height * (1 - n / max(counts)):.1f}" width="{step - 0.5:.1f}"'
        f' height="{height * n / max(counts):.1f}"/>'
        for i, n in enumerate(counts)
        if n
    )
    ends = [min(max((value - low) / (high - low), 0), 1) * width for value in (measurement.low, measurement.high)]
    shade = "" if any(map(math.isnan, ends)) else (
        f'<rect x="{ends[0]:.1f}" y="0" width="{max(ends[1] - ends[0], 1):.1f}" height="{height}" fill="orange"'
        ' fill-opacity="0.5"/>'
    )  # fmt: skip
    return (
        f'<svg width="{width}" height="{height + 16}" role="img" aria-label="distribution of samples">'
        f'<g fill="steelblue">{bars}</g>{shade}<g font-size="11" fill="currentColor">'
        f'<text x="0" y="{height + 13}">{_time(low)}</text>'
        f'<text x="{width}" y="{height + 13}" text-anchor="end">{_time(high)}</text></g></svg><br>'
    )


_here = _watched_here()  # the last line: nothing has changed it
