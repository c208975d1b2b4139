"""Runs tests and prints a line of TAP without its number for each: ok, not ok, with what went wrong, or skipped.

usage, at the end of a file of tests: results.main(CLASS); the arguments are names of its tests, none: all.
LONG of the environment is there: also what looks at real time; long says so.
"""
import os
import sys
import unittest

long = bool(os.environ.get("LONG"))


class _Result(unittest.TestResult):
    def addSuccess(self, test):
        self._say("ok - " + test._testMethodName)

    def addSkip(self, test, reason):
        self._say(f"ok - {test._testMethodName} # SKIP {reason}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._say(f"not ok - {test._testMethodName}\n" + self._exc_info_to_string(error, test).rstrip().replace("\n", "\n# "))

    addError = addFailure

    def _say(self, text):
        print(text, flush=True)


def main(tests):
    names = sys.argv[1:] or unittest.TestLoader().getTestCaseNames(tests)
    unittest.TestSuite(map(tests, names)).run(_Result())
    print(f"# all {len(names)} tests", flush=True)
