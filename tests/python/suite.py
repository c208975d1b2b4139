"""What test_pytest.sh runs as test_suite.py: gbrun's fixture, and a suite as they are written for pytest-benchmark."""
import os
import sys

import gbrun as measuring
import pytest

FEW = {"policy": "fixed", "samples": 3, "rounds": 1}


def count(n=10):
    """Longer in a later session, if that is asked for."""
    return sum(range(n * int(os.environ.get("LONGER", 1))))


original = count


def where():
    print(os.getpid(), file=sys.stderr)


@pytest.mark.parametrize("n,policy", [(1, "a b"), (2, count), (2, None), (2, object())])
def test_axes(gbrun, n, policy):
    assert gbrun(count, n, **FEW).time > 0


def test_keywords(gbrun, capfd):
    assert gbrun(count, precision=0.2, rounds=2, max_time="50 ms", name="named").rounds[1] > 0
    events = []
    gbrun(events.append, "run", setup=lambda: events.append("setup"), **FEW)
    assert events == ["setup", "run"] * 4
    gbrun(where, isolate=True, name="isolated", **FEW)
    assert str(os.getpid()) not in capfd.readouterr().err.split()
    with pytest.raises(ValueError, match="expected functions that can be imported"):
        gbrun(lambda: 1, isolate=True, name="local", **FEW)
    with pytest.raises(ValueError, match="called again"):
        gbrun(count, **FEW)


def test_visits(gbrun):
    assert len(gbrun(count, 30, policy="fixed", samples=20, rounds=7).rounds) == 7


def test_alone():
    pass


@pytest.mark.benchmark(group="sums", max_time=0.02, min_rounds=20, warmup=True)
@pytest.mark.parametrize("n", [100])
def test_call(benchmark, n, monkeypatch):
    asked, measure = {}, measuring.measure
    monkeypatch.setattr(measuring, "measure", lambda fn, **settings: measure(fn, **(asked.update(settings) or settings)))
    benchmark.extra_info["words"] = "yes"
    assert benchmark(count, n=n) == count(n)
    assert (asked["max_time"], asked["min_samples"]) == ("0.02 s", 20)
    assert (benchmark.group, benchmark.name, benchmark.params) == ("sums", "test_call[100]", {"n": 100})
    stats = benchmark.stats.stats
    assert len(stats.data) == stats.rounds and benchmark.stats["iterations"] > 1
    assert 0 < stats.min <= stats.q1 <= stats.median <= stats.q3 <= stats.max and stats.iqr == stats.q3 - stats.q1
    assert stats.min <= stats.mean <= stats.max and stats.stddev >= 0 and stats.ops == pytest.approx(1 / stats.mean)
    with pytest.raises(RuntimeError, match="measures once"):
        benchmark(count)


@pytest.mark.parametrize("rounds,warmup_rounds", [(1, 0), (4, 2)])
def test_pedantic(benchmark, rounds, warmup_rounds):
    runs = []
    benchmark.pedantic(runs.append, args=[7], rounds=rounds, warmup_rounds=warmup_rounds)
    assert runs == [7] * (rounds + warmup_rounds) and benchmark.stats.rounds == rounds


def test_pedantic_setup(benchmark):
    events = []

    def setup():
        events.append("setup")
        return ([1, 2],), {}

    found = benchmark.pedantic(list.pop, setup=setup, teardown=lambda of: events.append(len(of)), rounds=3)
    assert found == 2 and events == ["setup", 1] * 3


def test_pedantic_in_a_row(benchmark):
    benchmark.pedantic(count, kwargs={"n": 5}, rounds=4, iterations=10)
    assert (benchmark.stats.rounds, benchmark.stats.iterations) == (4, 10)


def test_refused(benchmark):
    for wrong in ({"rounds": 0}, {"setup": count, "args": (1,)}, {"warmup_rounds": -1}):
        benchmark._mode = None
        with pytest.raises(ValueError, match="benchmark.pedantic: "):
            benchmark.pedantic(count, **wrong)
    with pytest.raises(TypeError, match="expected a function, or its name"):
        benchmark.weave(count, methods="x")


@pytest.mark.parametrize("target", [count, f"{__name__}.count"])
def test_weave(benchmark, benchmark_weave, target):
    benchmark_weave(target)
    assert count is not original and count(9) == original(9)
    assert benchmark.stats.rounds > 0


def test_woven_no_more():
    assert count is original
