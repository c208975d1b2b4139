"""Tests of gbrun.measure(fn, verify=) with functions that cheat, and with honest ones. usage: test_cheats.py [NAME]...,
or test_cheats.py --table [cuda]: who gains, in all grades; PYTHONPATH: where gbrun.py is; GBRUN_LIBRARY: libgbrun.
"""
import sys
import unittest

import cheats
import gbrun
import results

GRADES = ("auto", "strict")
COPIES = "has_a_reference_with_copies_of_its_own"  # which cannot be renewed


def packages():
    return [package for package in map(gbrun._package, ("numpy", "torch")) if package]


def tried(package, make, device="cpu", **settings):
    """The problem, and whether it gained."""
    problem = cheats.Problem(package, device=device)
    try:
        return problem, problem.gains(make, **settings)
    finally:
        getattr(problem, "finally_", lambda: None)()


@unittest.skipUnless(packages(), "NumPy is not installed")
class Tests(unittest.TestCase):
    def test_cheats_gain_nothing(self):
        for package in packages():
            for name, make in cheats.CHEATS.items():
                for grade in GRADES:
                    if name in ("alternates", "skips_every_third") and grade == "auto":
                        continue  # found by chance
                    problem, gains = tried(package, make, grade=grade)
                    words = f"{name}, {package.__name__}, {grade}: {problem.n_computed} of {problem.n_calls}"
                    self.assertFalse(gains, words)

    def test_honest_ones_are_not_refused(self):
        for package in packages():
            for name, make in cheats.TWINS.items():
                for grade in GRADES if name != COPIES else ("auto", "end"):
                    problem, _ = tried(package, make, grade=grade)
                    self.assertIsNone(problem.error, f"{name}, {package.__name__}, {grade}")
                    self.assertTrue(problem.found.verified)


def table(device):
    """Before there were grades it took none."""
    has_grades = hasattr(gbrun, "_Verification")
    for package in packages():
        if device != "cpu" and package.__name__ != "torch":
            continue
        for kind in ("CHEATS", "TWINS"):
            for grade in GRADES if has_grades else ("",):
                made = getattr(cheats, kind)
                rows = []
                for name, make in made.items():
                    settings = {"grade": grade} if grade else {}
                    if grade == "strict" and name == COPIES:
                        continue
                    problem, gains = tried(package, make, device, **settings)
                    rows.append((name, gains, problem))
                    print(f"{package.__name__:6} {device} {grade:6} {name:40} {'GAINS' if gains else '-':6}"
                          f" {problem.n_computed}/{problem.n_calls} {str(problem.error)[:90]}", flush=True)  # fmt: skip
                print(f"# {package.__name__} {device} {grade} {kind}: {sum(row[1] for row in rows)} of {len(rows)} gain,"
                      f" {sum(row[2].error is not None for row in rows)} are refused")  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        table((sys.argv + ["cpu"])[2])
    else:
        results.main(Tests)
