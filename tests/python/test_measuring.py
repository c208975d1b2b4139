"""Tests of what python/gbrun.py measures. usage: test_measuring.py [NAME]...; PYTHONPATH: where gbrun.py is;
GBRUN_LIBRARY: libgbrun.
"""
import array
import contextlib
import fractions
import functools
import gc
import importlib
import json
import math
import numbers
import os
import pickle
import random
import signal
import sqlite3
import sys
import threading
import time
import timeit
import types
import unittest
import unittest.mock

import gbrun
import results

FEW = {"policy": "fixed", "samples": 20, "device": "cpu"}


def work(n=300):
    return sum(range(n))


def measure(fn, **settings):
    return gbrun.measure(fn, **{**FEW, **settings})


def verify(output, expected, **settings):
    return measure(lambda: output, verify=lambda: expected, **settings)


def context(seen):
    """A function of contexts that notes what each was made with, and None when it is left."""

    @contextlib.contextmanager
    def noted(*of):
        seen.append(of)
        yield
        seen.append(None)

    return noted


class Tests(unittest.TestCase):
    def refused(self, error, words, call, *of, **settings):
        """The error that it raises, which has these words."""
        with self.assertRaises(error) as caught:
            call(*of, **settings)
        self.assertIn(words, str(caught.exception))
        return caught.exception

    def test_what_has_not_run_is_no_work(self):
        async def coroutine():
            pass

        async def stream_of_values():
            yield 1

        def generator():
            yield 1

        class Called:
            async def __call__(self):
                pass

        words = "which has not run: expected"
        for fn in (lambda: coroutine(), lambda: generator(), lambda: stream_of_values(), Called(), lambda: map(work, [1])):
            self.refused(gbrun.Error, words, measure, fn)
            self.refused(gbrun.Error, words, gbrun.compare, work, fn, device="cpu", visit="1 ms", max_rounds=4)
        self.refused(gbrun.Error, words, measure, work, reset=lambda: generator())
        self.assertGreater(measure(lambda: list(generator())).time, 0)

    def test_on_the_cpu_a_parameter_stream_keeps_its_default(self):
        seen = set()

        def with_default(stream=7):
            seen.add(stream)
            return 1

        def without(stream):
            seen.add(stream)

        measure(with_default)
        measure(functools.partial(with_default, stream=8))
        measure(with_default, verify=lambda stream=7: stream - 6, reset=lambda stream=9: seen.add(stream))
        self.assertEqual(seen, {7, 8, 9})
        measure(without)
        self.assertIn(None, seen)

    def test_measurements_are_compared_and_computed_with_as_numbers(self):
        found = measure(work)
        for value in (found.time, found):
            self.assertTrue(found <= value and found >= value and not found < value and not found > value)
            self.assertEqual((found / value, found - value, found + value), (1, 0, 2 * found.time))
        self.assertTrue(found < 1 and 1 > found)
        self.assertTrue(found < fractions.Fraction(1) and 1 % found < found)
        self.assertEqual((-found, +found, abs(found), round(found, 9), int(found)),
                         (-found.time, found.time, found.time, round(found.time, 9), 0))
        self.assertEqual((found**2, 2**found, found // 1, 1 // found), (found.time**2, 2**found.time, 0, 1 // found.time))
        self.assertEqual((2 * found, 1 / found), (2 * found.time, 1 / found.time))
        self.assertIs(min([found, 1]), found)
        self.assertEqual(f"{found:.3e}", f"{found.time:.3e}")
        with self.assertRaises(TypeError):
            found < "1"
        self.assertEqual((found == found.time, found != found.time, found == "1", hash(found)),
                         (True, False, False, hash(found.time)))
        self.assertEqual((math.floor(found), math.ceil(found), math.trunc(found), divmod(1, found), complex(found)),
                         (0, 1, 0, divmod(1, found.time), complex(found.time)))
        self.assertEqual(sum([found, found]), 2 * found.time)
        self.assertIsInstance(found, numbers.Real)
        self.assertIn("clock of cpu", str(found))

    def test_views_of_memory_that_are_not_contiguous(self):
        values = array.array("d", range(1, 11))
        view = memoryview(values)[::-2]
        self.assertTrue(verify(view, list(view)).verified)
        square = memoryview(values).cast("B").cast("d", (2, 5))
        self.assertTrue(verify(square, square).verified)
        if gbrun._package("numpy") is None:
            return
        for of in (view, square):
            before = of.tolist()
            found = measure(lambda: of, verify=lambda: of, inputs=[of], grade="strict")
            self.assertTrue(found.verified)
            self.assertEqual(of.tolist(), before)

    def test_a_forked_child_measures(self):
        """Also one that was forked while this process had measured: its run is its own."""
        path = "forked.gbr"
        measure(work, results=path, name="before")
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                measure(work, results=path, name="child")
                code = 0
            os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        measure(work, results=path, name="after")
        found = [(row["run_uuid"], row["bench"]) for row in gbrun.records(path, run="all")]
        self.assertEqual(sorted(bench for _, bench in found), ["after", "before", "child"])
        self.assertEqual(len({run for run, _ in found}), 2)

    def test_a_function_is_measured(self):
        found = gbrun.measure(work, precision=0.2, max_time="1 s")
        self.assertGreater(found.time, 0)
        self.assertEqual(float(found), found.time)
        self.assertLessEqual(found.low, found.time)
        self.assertGreaterEqual(found.high, found.time)
        self.assertEqual(len(found.samples), len(found.elapsed))
        self.assertLess(min(found.samples), found.time * 1.5)
        self.assertEqual((found.device, found.clock), ("cpu:0", "wall"))
        self.assertGreater(found.call_time, 0)
        self.assertLess(found.call_time, found.time)
        self.assertEqual(found.kernels, [])

    def test_the_way_into_python_is_small_or_known(self):
        entry, call = gbrun._call_times("cpu:0")
        self.assertGreater(entry, 0)
        self.assertEqual(gbrun._call_times("cuda"), (0, 0))
        if results.long:
            found = measure(work)
            self.assertGreater(found.iterations * found.time, 300 * entry)
            self.assertLess(found.call_time - call, found.time / 300)
        self.assertEqual(measure(work, single=True).call_time, call + entry)

    @unittest.skipUnless(results.long, "real time is looked at by make check-long")
    def test_it_agrees_with_timeit(self):
        theirs, ours = [], []
        for _ in range(8):  # in turns, and short: in between, others have the processor
            theirs += [time / 200 for time in timeit.repeat(work, number=200, repeat=60)]
            ours += list(gbrun.measure(work, max_time="0.2 s").samples)
        self.assertTrue(0.7 < min(ours) / min(theirs) < 1.4, f"{min(ours)} {min(theirs)}")

    def test_twice_the_work_takes_twice_as_long(self):
        rounds = 40 if results.long else 4
        ratio = gbrun.compare(lambda: work(2000), lambda: work(4000), visit="20 ms", max_rounds=rounds, margin=0.2)
        self.assertTrue(ratio.low < ratio.ratio < ratio.high, repr(ratio))
        self.assertIn(f"{ratio.verdict}, in this process: ", repr(ratio))
        if results.long:
            self.assertEqual(ratio.verdict, "slower", repr(ratio))
            self.assertTrue(ratio.low < 2.7 and 1.5 < ratio.high, repr(ratio))
            self.assertGreater(ratio.new_time, ratio.base_time)

    def test_functions_of_modules_are_compared_in_processes_of_their_own(self):
        log = os.path.abspath("apart.txt")
        with open("apart.py", "w") as file:
            file.write(f"""import os
open({log!r}, "a").write(f"{{os.getpid()}}\\n")
def one():
    return sum(range(300))
def other():
    print("printed")
    return sum(range(300))
def fails():
    raise KeyError("there")
def adds(n):
    return n + 1
def leaves():
    os._exit(7)
""")
        patch = unittest.mock.patch.object(sys, "path", [os.getcwd(), *sys.path])
        patch.start()
        self.addCleanup(patch.stop)
        import apart

        calls = functools.partial(apart.adds, 2), {"reset": apart.one, "single": True}
        with gbrun.results("apart.gbr"):
            for fn, given in ((apart.one, {}), calls, (apart.one, {"let": {"n": 3}})):
                self.assertEqual(len(measure(fn, isolate=True, name="a::b", **given).samples), 20)
            measure(work, name="here")
        cases = gbrun.records("apart.gbr", run="all")
        self.assertEqual([(case["run"], case["bench"]) for case in cases], [(1, "a::b")] * 3 + [(1, "here")])
        with open(log) as file:
            self.assertEqual(len(set(file.read().split()) - {str(os.getpid())}), 3)
        self.refused(KeyError, "there", gbrun.measure, apart.fails, isolate=True)
        self.refused(gbrun.Error, "apart.leaves: the process that measured it ended with code 7",
                     gbrun.measure, apart.leaves, isolate=True)  # fmt: skip
        for local in (lambda: 1, work, threading.Lock().acquire):
            self.refused(ValueError, "isolate=True: expected functions that can be imported", gbrun.measure, local,
                         isolate=True)  # fmt: skip

        # On a device: by processes that are forked from one which has imported what the module imports, if it can be; that
        # one, which has heavy, is asked for the first of threads.
        fake = {"device": "fake", "policy": "fixed", "samples": 20, "time": "1 ms"}
        os.mkdir("packages")
        sys.path.append(os.path.abspath("packages"))
        with open("packages/heavy.py", "w") as file:
            file.write(f"import os\nopen({log!r}, 'a').write(f'{{os.getpid()}}\\n')\n")
        with open("packages/threads.py", "w") as file:
            file.write("import heavy, sys, threading\nif 'unittest' not in sys.modules:\n"
                       "    threading.Thread(target=threading.Event().wait, daemon=True).start()\n")
        for package, n_imports in (("heavy", 1), ("threads", 2)):
            with open(f"apart_{package}.py", "w") as file:
                file.write(f"import {package}, os\ndef pid():\n    return 1\ndef leaves():\n    os._exit(7)\n")
            there = importlib.import_module(f"apart_{package}")
            with open(log, "w"):
                pass
            for fn, n in ((there.pid, 20), (there.leaves, 0), (there.pid, 20)):
                with contextlib.suppress(gbrun.Error):
                    self.assertEqual(len(gbrun.measure(fn, isolate=True, **fake).samples), n)
            with open(log) as file:
                self.assertEqual(len(file.read().split()), n_imports)
        with open(log, "w") as file:
            file.write(f"{os.getpid()}\n")

        settings = dict(FEW, max_rounds=5, margin=0, visit="1 h")
        found = gbrun.compare(apart.one, apart.other, **settings)
        self.assertTrue(found.is_isolated)
        self.assertNotIn("in this process", repr(found))
        self.assertEqual((len(found.base.samples), len(found.new.samples)), (20, 20))
        with open(log) as file:
            pids = file.read().split()
        self.assertEqual(len(set(pids)), 1 + 2 * len(found.base_rounds))  # this one, and one of each visit
        self.refused(KeyError, "there", gbrun.compare, apart.one, apart.fails, **settings)
        here = gbrun.compare(apart.one, lambda: None, **settings)
        self.assertFalse(here.is_isolated)
        self.assertIn(f"{here.verdict}, in this process: ", repr(here))
        self.assertFalse(gbrun.compare(apart.one, apart.other, isolate=False, **settings).is_isolated)
        self.refused(ValueError, "isolate=True", gbrun.compare, apart.one, lambda: None, isolate=True, **settings)

    def test_what_is_raised_arrives_as_itself(self):
        def fails():
            raise kept

        kept = ValueError("mine")
        self.assertIs(self.refused(ValueError, "mine", measure, fails), kept)
        self.refused(SystemExit, "3", measure, lambda: sys.exit(3))
        self.refused(ZeroDivisionError, "", gbrun.compare, work, lambda: 1 / 0, device="cpu")
        self.assertGreater(measure(work).time, 0)

    def test_an_exception_without_words_arrives(self):
        class Wordless(Exception):
            def __str__(self):
                raise ValueError("it has none")

        def fails():
            raise Wordless

        seen = []
        with unittest.mock.patch.object(sys, "unraisablehook", seen.append):
            for callbacks in ({"fn": fails}, {"fn": work, "reset": fails}, {"fn": work, "verify": fails}):
                with self.assertRaises(Wordless):
                    measure(**callbacks)
        self.assertEqual(seen, [])

    def test_a_signal_ends_a_call_wherever_it_arrives(self):
        class Ended(Exception):
            pass

        def interrupt():  # each time at another place: in fn, where a callback begins, in C
            while not end.wait(0.003):
                arrived or os.kill(os.getpid(), signal.SIGALRM)

        def handler(*of):
            arrived.append(of)
            raise Ended

        long = {"device": "cpu", "policy": "fixed", "samples": 10**9, "max_samples": 10**9, "max_time": "60 s"}
        calls = [
            lambda: gbrun.measure(work, **long),
            lambda: gbrun.measure(time.monotonic, reset=work, single=True, **long),
            lambda: gbrun.compare(work, work, device="cpu", margin=1e-6, visit="60 s"),
        ]
        measure(work)  # imports what it needs: an import that is interrupted fails in its own ways
        hook, end, arrived = sys.unraisablehook, threading.Event(), [None]
        before = signal.signal(signal.SIGALRM, handler)
        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            for call in calls * (15 if results.long else 4):
                with self.assertRaises(Ended):
                    arrived.clear()
                    call()
        finally:
            end.set()
            thread.join()
            signal.signal(signal.SIGALRM, before)
        self.assertIs(sys.unraisablehook, hook)
        self.assertTrue(gc.isenabled())

    def test_other_exceptions_in_callbacks_go_where_they_went(self):
        class Late:
            def __del__(self):
                raise ValueError("late")

        seen = []
        with unittest.mock.patch.object(sys, "unraisablehook", seen.append):
            self.assertGreater(measure(lambda: Late() and None).time, 0)
        self.assertIs(seen[0].exc_type, ValueError)

    def test_what_runs_nothing_is_refused(self):
        async def waits():
            pass

        def generates():
            yield 1

        async def both():
            yield 1

        for function, words in ((waits, "asyncio.run"), (generates, "list(f())"), (both, "list(f())")):
            self.refused(gbrun.Error, words, measure, function)
            self.refused(gbrun.Error, words, gbrun.compare, work, function, device="cpu")

    def test_they_go_to_other_processes(self):
        found = measure(work)
        for error in (gbrun.Error("a", -5), gbrun.Skipped("b"), gbrun.WrongResult("c", found)):
            copied = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copied), str(copied), copied.status), (type(error), str(error), error.status))
        self.assertEqual((copied.measurement.time, list(copied.measurement.samples)), (found.time, list(found.samples)))

    def test_a_process_forked_from_within_a_call_is_refused(self):
        begun, end = threading.Event(), threading.Event()
        thread = threading.Thread(target=lambda: measure(lambda: begun.set() or end.wait(), single=True))
        thread.start()
        begun.wait()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                for call in ((measure,), (gbrun.compare, work)):
                    self.refused(gbrun.Error, "was forked while another thread measured", *call, work)
                os._exit(0)
            os._exit(1)
        end.set()
        thread.join()
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_wrong_settings_are_value_errors(self):
        for settings, words in (
            ({"precison": 0.1}, "did you mean 'precision'"),
            ({"device": "toaster"}, "toaster"),
            ({"name": "two\nlines"}, "a setting is one line"),
            ({"name": "a\0b"}, "a setting is one line"),
            ({"let": {"a\0": 1}}, "a setting is one line"),
            ({"let": {"n": "'a ;b'"}}, "which begins a comment"),
        ):
            self.refused((ValueError, gbrun.Error), words, gbrun.measure, work, **settings)

    def test_numbers_have_ranges(self):
        nan, infinite = float("nan"), float("inf")
        wrong = {
            "precision": (nan, infinite, -1, 0, 0.21), "confidence": (nan, infinite, 0.01, 1), "max_time": (nan, -1),
            "warmup": (nan, infinite, -1), "min_samples": (nan, infinite, -1, 0.5), "max_samples": (nan, infinite, -1),
            "iterations": (nan, infinite, -1), "flops": (nan, infinite, -1), "bytes_read": (nan, infinite, -1),
            "bytes_written": (nan, infinite, -1), "items": (nan, infinite, -1),
        }  # fmt: skip
        for name, values in wrong.items():
            for value in values:
                with self.subTest(name=name, value=value):
                    settings = {"device": "cpu", "policy": "steady", name: value}
                    self.refused((ValueError, gbrun.Error), "expected", gbrun.measure, work, **settings)

    def test_settings_are_words_numbers_and_groups(self):
        text = gbrun._lines({"device": "cpu", "precision": 0.005, "breakdown": True, "let": {"n": 3}})
        self.assertEqual(text, b"device = cpu\nprecision = 0.005\nbreakdown = yes\nlet.n = 3\n")

    def test_visits_are_rounds(self):
        self.assertEqual(len(measure(work).rounds), 1)
        calls = []
        found = measure(work, rounds=3, verify=lambda: calls.append(1) or work(), results="visits.gbr")
        self.assertEqual((len(found.rounds), len(calls), len(found.samples)), (3, 3, 20))
        self.assertTrue(found.verified and min(found.rounds) <= found.time <= max(found.rounds))
        self.assertEqual(found.time, sorted(found.rounds)[1])
        self.assertIn("3 visits, in the first 20 samples", str(found))
        self.assertEqual([case["round"] for case in gbrun.records("visits.gbr")], [0, 1, 2])
        self.refused(ValueError, "expected max_rounds", gbrun.compare, work, work, rounds=3)

    def test_what_only_the_first_visit_computes_is_found(self):
        calls = []

        def honest_at_first():
            return work() if len(calls) < 2 else 0

        words = self.refused(gbrun.WrongResult, "", measure, honest_at_first, rounds=3,
                             verify=lambda: calls.append(1) or work())  # fmt: skip
        self.assertEqual(len(words.measurement.rounds), 2)

    def test_results_are_appended(self):
        with gbrun.results("measured.gbr", label={"commit": "abc"}, **FEW):
            gbrun.measure(work, name="first", let={"n": 300})
            gbrun.measure(work, name="second")
        measure(work, name="elsewhere")
        found = gbrun.records("measured.gbr", run="all")
        self.assertEqual([case["bench"] for case in found], ["first", "second"])

    def test_texts_are_kept_as_they_are(self):
        texts = ["#5", "a ; b", ' "x" ', "\\", 'half" # an inch', "", '"', " ", "plain; c#", "\u00e4"]
        for path in ("file ;1.gbr", "#2.gbr"):
            measure(work, results=path, label={f"l{i}": text for i, text in enumerate(texts)})
            with contextlib.closing(sqlite3.connect(path)) as file:
                facts = dict(file.execute("SELECT name, value FROM run_fact WHERE name LIKE 'label.%'"))
            self.assertEqual([facts[f"label.l{i}"] for i in range(len(texts))], texts)

    def simulated(self, seed, of, counted):
        """Instead of measure: samples of what fn returns, with noise of each sample and of each visit."""
        draw = random.Random(seed)

        def measured(fn, samples, **settings):
            centre = fn() * draw.gauss(1, 0.003)
            counted[0] += samples
            return types.SimpleNamespace(samples=[centre * draw.lognormvariate(0, 0.01) for _ in range(samples)])

        return unittest.mock.patch.object(gbrun, "measure", measured)

    def test_a_race_finds_the_best_in_few_samples(self):
        times = [1e-5 * (1 + 0.03 * i) for i in range(30)]
        asked, good, certain = [0], 0, 0
        for seed in range(20):
            random.Random(seed).shuffle(times)
            with self.simulated(seed, times, asked):
                found = gbrun.tune([{"i": i} for i in range(30)], lambda i: times[i], device="cpu", options={"seed": seed})
            self.assertEqual(found.best, {"i": found.index})
            good += times[found.index] <= 1.01 * min(times)
            certain += found.is_certified
        self.assertEqual(good, 20)
        self.assertGreaterEqual(certain, 15)
        self.assertLess(asked[0] / 20, 30 * 12)  # each was measured by six samples at least
        self.assertRegex(repr(found), r"^\{'i': \d+\}: \d+\.\d+ us \[.*\], best of .*, \d+ visits, \d+ samples$")

    def autotuned(self, bench, kernels):
        """triton.autotune as far as do_bench is concerned: all are asked, then the least answer is looked for."""
        timings = {}
        for name, kernel in kernels.items():
            try:
                timings[name] = bench(kernel, quantiles=(0.5, 0.2, 0.8))
            except MemoryError:
                timings[name] = [math.inf] * 3
        return min(timings, key=timings.get), timings

    def test_an_autotuner_gets_the_winner_of_a_race(self):
        times = {f"k{i}": 1e-5 * (1 + 0.03 * i) for i in range(30)}
        kernels = {name: functools.partial(float, time) for name, time in times.items()}

        def fails():
            raise MemoryError

        for seed in range(20):
            asked = [0]
            names = list(times)
            random.Random(seed).shuffle(names)
            race = gbrun.Race(device="cpu", options={"seed": seed})
            with self.simulated(seed, times, asked):
                best, timings = self.autotuned(race, {"fails": fails, **{name: kernels[name] for name in names}})
                n = asked[0]
                self.assertEqual(best, "k0")
                self.assertEqual(json.loads(json.dumps(timings[best])), timings[best])
                self.assertAlmostEqual(timings[best][0], 1e-2, delta=2e-4)
                self.assertEqual((sorted(timings, key=timings.get)[0], timings["fails"][0]), (best, math.inf))
                self.assertEqual((asked[0], names[race.tuned.index]), (n, best))  # what was decided is not measured again
                self.assertLess(n, 30 * 12)

    def test_an_interrupted_race_leaves_its_answers(self):
        with self.simulated(0, [], [0]):
            race = gbrun.Race(device="cpu")
            slow, fast = race(lambda: 2e-5), race(lambda: 1e-5)
        with unittest.mock.patch.object(gbrun, "measure", side_effect=KeyboardInterrupt):
            self.refused(KeyboardInterrupt, "", lambda: slow < fast)
            self.assertTrue(fast < slow and slow > fast and fast <= [math.inf] and not fast >= slow)
            self.assertIsNone(race.tuned)

    def test_what_a_configuration_raises_leaves_it_out(self):
        def fn(config):
            if config != "good":
                raise LookupError(config)

        found = gbrun.tune(["bad", "good"], fn, policy="fixed", device="cpu", search="exhaustive", samples=20)
        self.assertEqual((found.best, found.scope, [type(e) for e in found.errors.values()]), ("good", "all", [LookupError]))
        self.assertTrue(math.isnan(found.times[0]) and float(found) > 0)
        self.assertAlmostEqual(found.times[1] / float(found), 1)
        self.refused(LookupError, "bad", gbrun.tune, ["bad"], fn, device="cpu")
        self.refused(ValueError, "are the same", gbrun.tune, [{"a": 1}, {"a": 1}], fn, device="cpu")
        self.refused(ValueError, "has 0 cases", gbrun.tune, [], fn, device="cpu")
        self.refused(ValueError, "tolerance", gbrun.tune, ["good"], fn, device="cpu", tolerance=-1)
        self.refused(ValueError, "race", gbrun.tune, ["good"], fn, device="cpu", search="rice")
        self.refused(KeyboardInterrupt, "", gbrun.tune, ["good"], lambda c: signal.raise_signal(signal.SIGINT), device="cpu")

    def test_what_was_tuned_is_known_by_its_key(self):
        calls = []
        few = {"search": "exhaustive", "device": "cpu", "policy": "fixed", "samples": 20}
        first = gbrun.tune([1, 2], calls.append, key=3, **few)
        n = len(calls)
        self.assertIs(gbrun.tune([1, 2], calls.append, key=3, **few), first)
        self.assertEqual(len(calls), n)
        self.assertIsNot(gbrun.tune([1, 2], calls.append, key=4, **few), first)

    def test_configurations_are_prepared_before_they_are_measured(self):
        prepared, kept = {}, os.path.join(os.environ["TMPDIR"], "tuned.gbr")

        def prepare(n, way):
            prepared[n] = threading.get_ident()

        def fn(n, way):
            return prepared[n]

        configs = [{"n": n, "way": "plain"} for n in range(5)]
        found = gbrun.tune(configs, fn, prepare=prepare, search="exhaustive", results=kept, name="fn", **FEW)
        self.assertNotIn(threading.get_ident(), prepared.values())
        self.assertEqual((len(prepared), found.visits), (5, 5))
        self.assertEqual({(case["n"], case["way"]) for case in gbrun.records(kept)}, {(n, "plain") for n in range(5)})

    def test_do_bench_takes_one_visit(self):
        with unittest.mock.patch.object(gbrun, "measure") as called:
            gbrun.do_bench(work, return_mode="all")
        self.assertEqual(called.call_args[1]["rounds"], 1)

    def test_do_bench_answers_as_tritons(self):
        def bench(fn=work, **settings):
            return gbrun.do_bench(fn, rep=200, policy="fixed", samples=20, max_time="60 s", flush="64KiB", **settings)

        self.assertIsInstance(bench(warmup=1), float)
        values = bench(quantiles=[0.5, 0.2, 0.8])
        self.assertTrue(values[1] <= values[0] <= values[2])
        self.assertIsInstance(bench(quantiles=[0.5]), float)
        self.assertEqual(len(bench(return_mode="all")), 20)
        self.assertTrue(0 < bench(return_mode="min") <= bench(return_mode="max"))
        self.refused(ValueError, "modus", bench, return_mode="modus")
        tensor = types.SimpleNamespace(grad=1)
        grads = []
        bench(lambda: (grads.append(tensor.grad), setattr(tensor, "grad", 1)), grad_to_none=[tensor])
        self.assertEqual(set(grads), {None})

    def test_a_notebook_and_a_terminal_show_it(self):
        found = measure(work, name="<b>")
        shown = found._repr_html_()
        self.assertIn("<svg", shown)
        self.assertEqual(shown.count("<div>"), shown.count("</div>"))
        found.messages.append("a < b")
        self.assertIn("a &lt; b", found._repr_html_())
        self.assertRegex(repr(found), r"^[0-9.]+ [nu]s")

    def test_a_clock_that_moves_is_told(self):
        os.environ["GBRUN_PLUGIN_PATH"] = os.environ["top_builddir"] + "/tests/modules/.libs"
        fake = {"device": "fake", "policy": "fixed", "samples": 21, "time": "1 ms"}
        found = gbrun.measure(work, settles_in="50 ms", **fake)
        mean, low, high = found.frequency
        self.assertTrue(2e9 <= low < mean < high <= 2.5e9)
        self.assertRegex(repr(found), r"\n  the clock of the device moved between 2\.[0-9]+ and 2\.[0-9]+ GHz$")
        found = gbrun.measure(work, **fake)
        self.assertAlmostEqual(found.time, 1e-3)
        self.assertEqual(found.frequency, (2e9, 2e9, 2e9))
        self.assertNotIn("moved", repr(found))

    def test_a_stream_is_the_current_one(self):
        streams, seen = [], []
        cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(ExternalStream=context(streams)))
        with unittest.mock.patch.dict(sys.modules, cupy=cupy):
            calls = gbrun._Calls(gbrun._library(), work)
            calls._in_stream(gbrun._with_stream(lambda stream: seen.append(stream)), 7, 2)
        self.assertEqual((streams, seen), ([(7,), None], [7, 7]))

    def test_a_backward_pass_is_captured_with_its_forward_pass(self):
        def tensor(number):
            return types.SimpleNamespace(grad_fn=types.SimpleNamespace(_sequence_nr=lambda: number))

        entered, ran = [], []
        cuda = types.SimpleNamespace(
            is_initialized=lambda: True, is_current_stream_capturing=lambda: True, ExternalStream=int,
            stream=context(entered), MemPool=lambda: "pool", use_mem_pool=context(entered),
        )  # fmt: skip
        autograd = types.SimpleNamespace(_engine_run_backward=lambda tensors: ran.append(tensors), _get_sequence_nr=lambda: 5)
        engine = autograd._engine_run_backward
        with unittest.mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=cuda, autograd=autograd)):
            for roots, captured in (([tensor(5)], True), ([tensor(4)], False), ([tensor(6), tensor(1)], False), ([1], False)):
                ran.clear()
                calls = gbrun._Calls(gbrun._library(), lambda roots=roots: autograd._engine_run_backward(roots))
                self.assertEqual(calls.subject.run(None, 7, 1) == 0, captured)
                self.assertEqual(ran, [roots] if captured else [])
                self.assertIs(autograd._engine_run_backward, engine)
        self.assertIn((7,), entered)
        self.assertIn(("pool",), entered)

    def test_results_are_verified(self):
        found = verify(array.array("f", [0.1, 0.2]), [0.1, 0.2])
        self.assertIs(found.verified, True)
        self.assertEqual(found.check, "output: 2 values equal")
        self.assertIsNone(measure(work).verified)
        self.assertTrue(verify((3, 0.5), (3, 0.5)).verified)
        expected = gbrun.Expected([1.0, 2.0], magnitude=[1.0, 2.0], terms=4)
        self.assertIn("bound", verify(array.array("f", [1, 2.0000003]), expected).check)
        rough = array.array("f", [1, 2.001])
        self.refused(gbrun.WrongResult, "", verify, rough, expected)
        self.assertTrue(verify(rough, expected._replace(accumulate="float16")).verified)
        self.refused(ValueError, "accumulate = 'fp16': expected one of float64, float32", verify, rough,
                     expected._replace(accumulate="fp16"))  # fmt: skip
        for terms in (float("nan"), float("inf"), -1, 0.5):
            self.refused(ValueError, "expected a whole number", verify, rough, expected._replace(terms=terms))
        with gbrun.results("verified.gbr", check={"rms": 0.1}):
            self.assertTrue(verify([1.0, 2.0], [1.0, 2.001]).verified)

    def test_wrong_results_are_refused(self):
        for output, expected, check, words in (
            ([1.0, 2.5], [1.0, 2.0], {}, "rms"),
            ([1.0, 2.0], [1.0, 2.001], {"abs": 1e-6}, "abs"),
            ([1.0, math.nan], [1.0, 2.0], {"rms": 1}, "got nan"),
            ([1.0], [1.0, 2.0], {}, "shape (1,): expected (2,)"),
            ((1.0, 2.0), 1.0, {}, "2 outputs: expected 1"),
            (2**60 + 1, 2**60, {}, "output"),
        ):
            found = self.refused(gbrun.WrongResult, words, verify, output, expected, check=check).measurement
            self.assertIs(found.verified, False)
            self.assertGreater(found.time, 0)

    def test_what_cannot_be_verified_is_said(self):
        for output, expected, check, error, words in (
            (None, 1.0, {}, gbrun.Error, "returned None: expected it to return what it computed"),
            (None, None, {}, gbrun.Error, "returned None"),
            ([], [], {}, gbrun.Error, "returned an empty list"),
            ("text", 1.0, {}, gbrun.Error, "returned str"),
            (1.0, 1.0, {"rmz": 1}, ValueError, "rmz"),
        ):
            self.refused(error, words, verify, output, expected, check=check)
        self.refused(ValueError, "expected verify=", measure, work, check={"rms": 1})

    def test_what_is_measured_and_its_reference_share_memory(self):
        memory = [0.0]

        def put(value):
            memory[0] += value
            return array.array("d", memory)

        def reset():
            memory[0] = 0.0

        self.assertTrue(measure(lambda: put(1), verify=lambda: put(1), reset=reset, iterations=1).verified)
        self.refused(gbrun.WrongResult, "", measure, lambda: put(1), verify=lambda: put(2), reset=reset, iterations=1)

    def test_arrays_of_numpy_are_verified(self):
        numpy = gbrun._package("numpy") or self.skipTest("NumPy is not installed")
        for kind in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "?"):
            values = numpy.arange(12).reshape(3, 4).astype(kind).T
            self.assertTrue(verify((values, values[0]), (values.copy(), values[0].copy())).verified, kind)
            wrong = values.copy()
            wrong[2, 1] = 0
            self.refused(gbrun.WrongResult, "", verify, wrong, values)

    def test_tensors_are_read_where_they_lie(self):
        values = array.array("H", [0x3F80, 0x4000])  # 1 and 2 in bfloat16

        class Tensor:
            dtype, shape, layout, device = "torch.bfloat16", (2,), "torch.strided", types.SimpleNamespace(type="cpu")
            detach = cpu = contiguous = lambda self: self
            numel, element_size = (lambda self: 2), (lambda self: 2)
            stride, is_neg, is_conj = (lambda self: (1,)), (lambda self: False), (lambda self: False)

            def data_ptr(self):
                return values.buffer_info()[0]

            def __getitem__(self, at):
                return values[at[0]]

        class Lazy(Tensor):
            pass

        of_cpu = types.SimpleNamespace(is_initialized=lambda: False)
        torch = types.SimpleNamespace(Tensor=Tensor, strided="torch.strided", cuda=of_cpu)
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            self.assertTrue(measure(Tensor, verify=lambda: [1.0, 2.0]).verified)
            self.refused(gbrun.WrongResult, "", measure, Tensor, verify=lambda: [1.0, 3.0])
            self.refused(gbrun.Error, "may compute later", measure, Lazy, verify=lambda: [1.0, 2.0])

    def test_collections_go_on_afterwards(self):
        self.assertTrue(gc.isenabled())
        measure(lambda: self.assertFalse(gc.isenabled()))
        self.assertTrue(gc.isenabled())

    def test_calls_leave_nothing(self):
        def calls(n):
            for _ in range(n):
                measure(work)
                with contextlib.suppress(ZeroDivisionError):  # assertRaises clears frames
                    measure(lambda: 1 / 0)
                with contextlib.suppress(ZeroDivisionError):
                    gbrun.compare(work, lambda: 1 / 0, device="cpu", visit="1 ms")
            gc.collect()
            return len(gc.get_objects())

        n = 20 if results.long else 8
        before = calls(n // 4)
        self.assertLess(calls(n) - before, n)

    def test_quantiles(self):
        found = measure(work)
        found.samples = [3.0, 1.0, 2.0]
        self.assertEqual([found.quantile(q) for q in (0, 0.25, 0.5, 1)], [1, 1.5, 2, 3])
        self.refused(ValueError, "", found.quantile, 2)

    def test_times_are_read_by_people(self):
        texts = [gbrun._time(value) for value in (5.06e-6, 1.2345678, 0.0, 2.5e-10, 0.0123456)]
        self.assertEqual(texts, ["5.060 us", "1.235 s", "0.000 ns", "0.2500 ns", "12.35 ms"])
        self.assertEqual(gbrun._time(math.nan), "nan")


if __name__ == "__main__":
    results.main(Tests)
