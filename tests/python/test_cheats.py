"""Tests of gbrun.measure(fn, verify=) with functions that cheat, and with honest ones. usage: test_cheats.py [NAME]...,
or test_cheats.py --table [cuda]: who gains, in all grades; PYTHONPATH: where gbrun.py is; GBRUN_LIBRARY: libgbrun.
"""
import random
import sys
import types
import unittest
import unittest.mock

import cheats
import gbrun
import results

GRADES = ("auto", "strict")
# Found by the samples that happen to be verified.
BY_CHANCE = ("alternates", "skips_every_third", "computes_every_10th", "computes_every_64th", "keeps_by_corners")
CONSTANT = "has_a_reference_that_was_computed_before"  # so nothing can be renewed


def packages():
    return [package for package in map(gbrun._package, ("numpy", "torch")) if package]


def tried(package, make, device="cpu", n=48, **settings):
    """The problem, and whether it gained."""
    problem = cheats.Problem(package, n, device)
    try:
        return problem, problem.gains(make, **settings)
    finally:
        getattr(problem, "finally_", lambda: None)()


def tries(functions, grades, excluded):
    """What came of each function in each grade: LONG with all packages, else with one after the other."""
    for i, (name, make) in enumerate(functions.items()):
        for j, grade in enumerate(grades):
            for package in packages() if results.long else [packages()[(i + j) % len(packages())]]:
                if (name, grade) not in excluded:
                    problem, gains = tried(package, make, grade=grade)
                    words = f"{name}, {package.__name__}, {grade}: {problem.n_computed} of {problem.n_calls}"
                    yield problem, gains, words


@unittest.skipUnless(packages(), "NumPy is not installed")
class Tests(unittest.TestCase):
    def test_cheats_gain_nothing(self):
        for _, gains, words in tries(cheats.CHEATS, GRADES, [(name, "auto") for name in BY_CHANCE]):
            self.assertFalse(gains, words)

    def test_honest_ones_are_not_refused(self):
        for problem, _, words in tries(cheats.TWINS, ("end", *GRADES), [(CONSTANT, "strict")]):
            self.assertIsNone(problem.error, words)
            self.assertTrue(problem.found.verified)

    def test_what_cannot_be_renewed_is_said(self):
        numpy = packages()[0]
        values, constant = numpy.arange(3) * 1.0, numpy.ones(3)
        few = {"policy": "fixed", "samples": 5, "device": "cpu"}
        for verify, words in (
            (lambda: [1.0], "reads no arrays"),
            (lambda: constant, "computed before"),
            (lambda: constant * 0, "does not depend"),
            (lambda: [1 / int(values[1] == 1)] * 3, "verify raises"),
        ):
            result = numpy.array(verify())
            found = gbrun.measure(lambda result=result: result + 0, verify=verify, **few)
            self.assertIn(words, " ".join(found.messages))
            with self.assertRaisesRegex(ValueError, words):
                gbrun.measure(lambda result=result: result + 0, verify=verify, grade="strict", **few)
        for settings in ({"grade": "strict"}, {"inputs": [values]}, {"verify": list, "grade": "stern"},
                         {"verify": list, "inputs": [1]}):  # fmt: skip
            self.assertRaises(ValueError, gbrun.measure, list, **few, **settings)

    def test_what_is_wrong_in_its_first_sample_is_said(self):
        values = packages()[0].arange(3) * 1.0

        def in_place():
            values[:] = values + 1
            return values

        for grade in GRADES:
            with self.assertRaises(gbrun.WrongResult):
                gbrun.measure(in_place, verify=lambda: values * 2, inputs=[values], grade=grade, device="cpu", policy="fixed",
                              samples=5)  # fmt: skip

    def test_inputs_are_at_the_end_what_they_were(self):
        for package in packages():
            for name in ("computes", "needs_a_positive_definite_matrix", "needs_what_is_sorted", "sorts_whole_numbers",
                         "makes_its_inputs_by_a_function"):  # fmt: skip
                problem = cheats.Problem(package)
                before = [problem.copy(values) for values in (problem.a, problem.b)]
                self.assertTrue(problem.measure(cheats.TWINS[name]), name)
                for values, then in zip((problem.a, problem.b), before):
                    self.assertTrue(bool((values == then).all()), name)


    # What stands behind these holds each alone: a cheat that one of them would let pass is found by another.

    def verification(self, values, fn):
        return gbrun._Verification(fn, lambda: values + 1, None, [values], True, True)

    def test_a_refresh_renews_all(self):
        values = packages()[0].arange(300) % 7 + 1.5
        before = values + 0
        verification = self.verification(values, lambda: values + 1)
        verification.refresh(None, 7)
        self.assertFalse((values == before).any())
        verification.refresh(None, 0)
        self.assertTrue((values == before).all())

    def test_a_reset_renews_a_part_of_inputs_and_outputs(self):
        values = packages()[0].arange(300) % 7 + 1.5
        before = values + 0
        verification = self.verification(values, lambda: values + 1)
        with unittest.mock.patch.object(gbrun, "_secret", random.Random(3)):
            verification.run(None, 1)
            output = verification.left() + 0
            verification.reset(None, 1)
        self.assertEqual(int((values != before).sum()), 5)  # a 64th
        self.assertEqual(int((verification.left() != output).sum()), 5)
        verification.refresh(None, 0)
        verification.reset(None, 1)  # what follows is as the first
        self.assertTrue((values == before).all())

    def test_what_is_written_after_the_call_is_none_of_it(self):
        values = packages()[0].arange(300) % 7 + 1.5
        output = values + 1
        runtime = types.SimpleNamespace(deviceSynchronize=lambda: output.__iadd__(is_late))
        package = types.SimpleNamespace(ndarray=type("ndarray", (), {}), cuda=types.SimpleNamespace(runtime=runtime))
        with unittest.mock.patch.dict(sys.modules, cupy=package):
            for is_late, expected in ((0, []), (1, [("output", "was written after the call had returned")])):
                verification = self.verification(values, lambda: output)
                verification.run(None, 1)
                self.assertEqual([found for found in verification.verify(None) if isinstance(found[1], str)], expected)


def table(device):
    """On a GPU what gains is seen by the time; without grades gbrun.measure takes none."""
    is_cuda = device != "cpu"
    for package in packages()[1 if is_cuda else 0 :]:
        for kind in ("CHEATS", "TWINS"):
            made = {**getattr(cheats, kind), **(getattr(cheats, "CUDA_" + kind) if is_cuda else {})}
            for grade in GRADES if hasattr(gbrun, "_Verification") else ("",):
                counts, n, settings = [0, 0], 1024 if is_cuda else 48, {"grade": grade} if grade else {}
                honest = tried(package, cheats.TWINS["computes"], device, n, **settings)[0]
                for name, make in made.items():
                    if grade == "strict" and name == CONSTANT:
                        continue
                    problem, gains = tried(package, make, device, n, **settings)
                    if is_cuda:
                        gains = kind == "CHEATS" and problem.error is None and problem.found.time < 0.9 * honest.found.time
                    counts[0] += gains
                    counts[1] += problem.error is not None
                    time = f"{problem.found.time / honest.found.time:.2f}" if problem.found else ""
                    print(f"{package.__name__:6} {device} {grade:6} {name:40} {'GAINS' if gains else '-':6} {time}"
                          f" {problem.n_computed}/{problem.n_calls} {str(problem.error)[:90]}", flush=True)  # fmt: skip
                print(f"# {package.__name__} {device} {grade} {kind}: {counts[0]} gain, {counts[1]} are refused")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        table((sys.argv + ["cpu"])[2])
    else:
        results.main(Tests)
