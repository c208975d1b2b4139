"""A program that uses gbrun.py, for mypy --strict: what it says of types is what a caller meets (tests/lint.sh)."""
from __future__ import annotations

import functools
from typing import Any

import gbrun
import gbrun_pytest


def add(a: int, b: int = 1) -> int:
    return a + b


found: gbrun.Measurement = gbrun.measure(functools.partial(add, 1), precision=0.01, isolate=True, results="x.gbr")
ratio: float = found / gbrun.measure(lambda: add(2), reset=lambda: None, let={"n": 2})
numbers: list[float] = [found + 1, 1 - found, -found, abs(found), found.quantile(0.5), found.samples[0], found.frequency.low]
texts: list[str] = [f"{found:.3g}", found.verdict, found.clock, found._repr_html_(), gbrun.__version__]
certain: bool = found < 1e-3 and found == ratio and found.is_certified
kernels: list[gbrun.Kernel] = found.kernels
verified: bool | None = found.verified
compared: gbrun.Comparison = gbrun.compare(add, add, margin=0.02)
interval: tuple[float, float] = (compared.low, compared.base.high)
tuned: gbrun.Tuned = gbrun.tune([{"n": 1}, {"n": 2}], add, key="add", precision=0.1)
seconds: float = gbrun.Race(budget=0.01)(lambda: add(3))[0] + float(tuned) + tuned.times[tuned.index]
with gbrun.results("x.gbr", label={"commit": "abc"}):
    milliseconds: Any = gbrun.do_bench(lambda: add(3), quantiles=[0.5])
rows: list[dict[str, Any]] = gbrun.records("x.gbr", where="bench = 'add'", run=1)
bench = gbrun.Bench(add, verify=lambda: gbrun.Expected([3], terms=2), flops=1)
gbrun.to_parquet("x.gbr", "x.parquet", rows="sample")
status: int = gbrun.WrongResult("no").status


def test(gbrun: gbrun_pytest.Gbrun, benchmark: gbrun_pytest.Benchmark) -> None:
    assert gbrun(add, 1, precision=0.1, setup=lambda: None) < 1
    benchmark.pedantic(add, args=(1,), rounds=3)
    assert benchmark.stats is not None and benchmark.stats.mean < 1


gbrun.measure(3)  # type: ignore[arg-type]
gbrun.measure(add, flops="many")  # type: ignore[arg-type]
found.missing  # type: ignore[attr-defined]
