"""Tests of python/gbrun.py. usage: test_gbrun.py [NAME]...; GBRUN: the program; PYTHONPATH: where gbrun.py is.

NAME is a test; without it all are run. Works on results.gbr in the current folder, of test_gbrun.sh, against what the program exports of it.
"""
import contextlib
import csv
import io
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

import gbrun
import results

FILE = "results.gbr"


def exported(*options):
    """Rows of the program's own CSV, as dicts of texts."""
    text = subprocess.run(
        [os.environ["GBRUN"], "export", FILE, *options], check=True, stdout=subprocess.PIPE, universal_newlines=True
    ).stdout
    return list(csv.DictReader(io.StringIO(text)))


@contextlib.contextmanager
def without(*names):
    """gbrun.py as it is where these packages cannot be imported."""
    find = gbrun._package
    gbrun._package = lambda name: None if name in names else find(name)
    try:
        yield
    finally:
        gbrun._package = find


def same(value, text):
    """Is the value what a cell of a CSV says?"""
    if text == "":
        return value is None or value != value or value == ""
    try:
        return abs(float(value) - float(text)) <= 1e-12 * abs(float(text))
    except ValueError:
        return str(value) == text


def changed(statement, *values):
    """A copy of the file in which one statement was run."""
    shutil.copy(FILE, "changed.gbr")
    with contextlib.closing(sqlite3.connect("changed.gbr")) as file, file:
        file.execute(statement, values)
    return "changed.gbr"


def has_thread():
    """Has every case the processor time of its thread, which is read only where that is cheap?"""
    with contextlib.closing(sqlite3.connect(FILE)) as file:
        columns = "SELECT count(DISTINCT case_id) FROM samples WHERE name = '%s'"
        with_thread, all_cases = (file.execute(columns % name).fetchone()[0] for name in ("thread", "wall"))
        return with_thread == all_cases


needs_thread = unittest.skipUnless(has_thread(), "the clock thread is not cheap here")


class Tests(unittest.TestCase):
    def check_cases(self, rows):
        expected = exported()
        self.assertEqual(len(rows), len(expected))
        for row, cells in zip(rows, expected):
            for name in ("run", "run_uuid", "host", "uuid", "uid", "label", "bench", "round", "status", "verified",
                         "device_model", "median_ns", "low_ns", "high_ns", "gflops", "bytes_per_s", "bytes", "method",
                         "kernel", "n", "n_samples"):
                self.assertTrue(same(row[name], cells[name]), f"{name}: {row[name]!r}, not {cells[name]!r}")

    def check_samples(self, columns):
        expected = exported("--rows", "sample")
        heads = list(expected[0])
        read = heads[heads.index("sample") + 1 :]
        self.assertEqual(list(columns)[-len(read) :], read)
        for name in ["run_uuid", "uuid", "uid", "bench", "round", "bytes", "method"] + read:
            values = list(columns[name])
            self.assertEqual(len(values), len(expected), name)
            for value, cells in zip(values, expected):
                self.assertTrue(same(value, cells[name]), f"{name}: {value!r}, not {cells[name]!r}")

    def test_cases_without_packages(self):
        with without("pandas", "numpy"):
            self.check_cases(gbrun.cases(FILE))
            self.assertEqual(gbrun.records(FILE), gbrun.cases(FILE))

    def test_cases_with_pandas(self):
        self.needs("pandas")
        self.check_cases(gbrun.cases(FILE).to_dict("records"))
        self.check_cases(gbrun.records(FILE))

    def test_samples_without_packages(self):
        with without("pandas", "numpy"):
            self.check_samples(gbrun.samples(FILE))

    def test_samples_with_numpy(self):
        self.needs("numpy")
        with without("pandas"):
            found = gbrun.samples(FILE)
        self.assertEqual(found["time_ns"].dtype, "f8")
        self.check_samples(found)

    def test_samples_with_pandas(self):
        self.needs("pandas")
        frame = gbrun.samples(FILE)
        self.check_samples(frame)
        joined = frame.merge(gbrun.cases(FILE), on="uuid")
        self.assertEqual(len(joined), len(frame))
        medians = joined.groupby("uuid").agg({"time_ns": "median", "median_ns": "first"})
        self.assertTrue(((medians.time_ns - medians.median_ns).abs() <= 1e-9 * medians.median_ns).all())

    def test_where(self):
        with without("pandas"):
            found = gbrun.cases(FILE, "bench = 'copy' and bytes > 20000 -- a comment")
            self.assertEqual({row["bytes"] for row in found}, {65536})
            self.assertEqual(gbrun.cases(FILE, "verified = 'failed'"), [])
            self.assertEqual(len(gbrun.samples(FILE, "0")["time_ns"]), 0)
            with self.assertRaisesRegex(sqlite3.OperationalError, "nonsense"):
                gbrun.cases(FILE, "nonsense = 1")

    def test_runs(self):
        with without("pandas"):
            n = len(exported())
            self.assertEqual({row["run"] for row in gbrun.cases(FILE)}, {2})
            self.assertEqual({row["run"] for row in gbrun.cases(FILE, run=1)}, {1})
            self.assertEqual(len(gbrun.cases(FILE, run="all")), 2 * n)
            self.assertEqual(gbrun.cases(FILE, run=3), [])
            for run in ("last", 0, None):
                with self.assertRaisesRegex(ValueError, "expected 'newest', 'all' or a number"):
                    gbrun.cases(FILE, run=run)

    def test_columns_of_samples(self):
        with without("pandas"):
            found = gbrun.samples(FILE, columns=["label"])
            self.assertEqual(list(found)[:2], ["label", "time_ns"])
            with self.assertRaisesRegex(ValueError, "no column 'labl'"):
                gbrun.samples(FILE, columns=["labl"])

    @needs_thread
    def test_gaps(self):
        with without("pandas"):
            whole = len(gbrun.samples(FILE)["time_ns"])
            found = gbrun.samples(changed("UPDATE samples SET name = 'clock_hz' WHERE name = 'thread' AND case_id % 2"))
            self.assertEqual(len(found["clock_hz"]), whole)
            self.assertTrue(0 < sum(value == 0 for value in found["clock_hz"]) < whole)
            self.assertTrue(0 < sum(value != value for value in found["thread_ns"]) < whole)

    def test_samples_in_other_chunks(self):
        """One double for all of them; a first chunk that begins with the third."""
        for packages in (("pandas",), ("pandas", "numpy")):
            with without(*packages):
                path = changed("UPDATE samples SET data = ? WHERE name = 'wall'", struct.pack("<d", 4.5))
                self.assertEqual(set(gbrun.samples(path)["wall_ns"]), {4.5})
                whole = list(gbrun.samples(FILE)["elapsed_ns"])
                n = gbrun.cases(FILE)[0]["n_samples"]  # of every case
                path = changed("UPDATE samples SET first = 2, n = n - 2, data = substr(data, 17) WHERE name = 'elapsed'")
                for i, (value, expected) in enumerate(zip(gbrun.samples(path)["elapsed_ns"], whole)):
                    self.assertTrue(value != value if i % n < 2 else value == expected, f"{i}: {value!r}")

    @needs_thread
    def test_iterations(self):
        with without("pandas"):
            stored = {row["uuid"]: row["iterations"] for row in gbrun.cases(FILE)}
            path = changed("UPDATE samples SET name = 'iterations', data = ? WHERE name = 'thread' AND case_id % 2",
                           struct.pack("<d", 7))
            found = gbrun.samples(path)
            for uuid, iterations in zip(found["uuid"], found["iterations"]):
                self.assertIn(iterations, (7, stored[uuid]))
            self.assertGreater(len(set(found["iterations"])), 1)

    @needs_thread
    def test_damage(self):
        for statement in ("UPDATE samples SET n = n + 1",
                          "UPDATE samples SET data = zeroblob(9)",
                          "UPDATE samples SET n = 1 << 40, data = zeroblob(8) WHERE name = 'wall'",
                          "UPDATE samples SET first = -1 WHERE name = 'thread'",
                          "UPDATE samples SET data = 'text of 8' WHERE name = 'thread'",
                          "UPDATE bench_case SET n_samples = 1 << 40"):
            with self.assertRaisesRegex(ValueError, "changed.gbr: damaged: the samples of copy"):
                gbrun.samples(changed(statement))

    def test_other_files(self):
        with self.assertRaises(FileNotFoundError):
            gbrun.cases("nowhere.gbr")
        with open("text.gbr", "w") as file:
            file.write("not a database" * 100)
        for path in ("text.gbr", changed("PRAGMA application_id = 1")):
            with self.assertRaisesRegex(ValueError, "not a results file"):
                gbrun.cases(path)

    def test_names(self):
        """A path with signs of URIs, an option with quotes, one that has the name of a column."""
        shutil.copy(changed("UPDATE parameter SET name = 'it''s \"n\"' WHERE name = 'n'"), "100% a?b#c.gbr")
        with without("pandas"):
            self.assertIn(1000, {row["it's \"n\""] for row in gbrun.cases("100% a?b#c.gbr")})
            found = gbrun.cases(changed("UPDATE parameter SET name = 'seed' WHERE name = 'n'"), "seed = 1000")
            self.assertEqual({row["bench"] for row in found}, {"elementwise"})

    def test_to_parquet(self):
        with self.assertRaisesRegex(ValueError, "expected 'case' or 'sample'"):
            gbrun.to_parquet(FILE, "cases.parquet", rows="combined")
        with without("pandas"), self.assertRaisesRegex(ImportError, "needs pandas"):
            gbrun.to_parquet(FILE, "cases.parquet")
        self.needs("pandas")
        try:
            gbrun.to_parquet(FILE, "cases.parquet")
        except ImportError as error:
            self.assertIn("pyarrow", str(error))
            self.skipTest("pyarrow is not installed")
        self.assertEqual(len(gbrun._package("pandas").read_parquet("cases.parquet")), len(exported()))
        gbrun.to_parquet(FILE, "samples.parquet", "bench = 'copy'", rows="sample")
        self.assertEqual(set(gbrun._package("pandas").read_parquet("samples.parquet").bench), {"copy"})

    def test_more_metrics_than_sqlite_has_columns(self):
        shutil.copy(FILE, "changed.gbr")
        with contextlib.closing(sqlite3.connect("changed.gbr")) as file, file:
            file.executemany(
                "INSERT INTO metric SELECT id, ?1 + 1000, 'm' || ?1, ?1, '' FROM bench_case WHERE bench = 'elementwise'",
                [(i,) for i in range(2500)],
            )
        few, rows = (gbrun.records(path, where="bench = 'elementwise'") for path in (FILE, "changed.gbr"))
        self.assertEqual(len(rows), len(few))
        for row, of_few in zip(rows, few):
            self.assertEqual([row[f"metric.m{i}"] for i in range(2500)], list(range(2500)))
            self.assertEqual({name: row[name] for name in of_few}, of_few)
        self.assertEqual(len(gbrun.records("changed.gbr", where='"metric.m2499" = 2499')), len(few))
        self.assertEqual(gbrun.records("changed.gbr", where='"metric.m2499" = 7'), [])

    @unittest.skipUnless(results.long, "real time is looked at by make check-long")
    def test_million_samples(self):
        """At most 0.5 s of processor time, the best of five."""
        self.needs("pandas")
        n = 10**6
        shutil.copy(FILE, "changed.gbr")
        with contextlib.closing(sqlite3.connect("changed.gbr")) as file, file:
            case, clock = file.execute("SELECT id, clock FROM bench_case ORDER BY id DESC").fetchone()
            file.execute("UPDATE bench_case SET n_samples = ? WHERE id = ?", (n, case))
            file.execute("DELETE FROM samples WHERE case_id = ?", (case,))
            for name in (clock, "thread", "elapsed"):
                for first in range(0, n, 65536):
                    chunk = min(65536, n - first)
                    data = gbrun._package("numpy").random.default_rng(first).random(chunk).tobytes()
                    file.execute("INSERT INTO samples VALUES (?, ?, ?, ?, ?)", (case, name, first, chunk, data))
        taken = []
        for _ in range(5):
            begin = time.process_time()
            frame = gbrun.samples("changed.gbr")
            taken.append(time.process_time() - begin)
        self.assertGreaterEqual(len(frame), n)
        self.assertLess(min(taken), 0.5)

    def test_structs_are_those_of_the_headers(self):
        """Members of what libgbrun takes and returns: names, order and types are written in C only once."""
        kinds = {"int32_t": "i32", "uint32_t": "u32", "uint64_t": "u64", "double": "f64", "const char*": "text"}
        known = {gbrun._i32: "i32", gbrun._u32: "u32", gbrun._u64: "u64", gbrun._double: "f64", gbrun._text_type: "text"}
        include = pathlib.Path(os.environ["top_srcdir"]) / "include" / "gbrun"
        texts = [re.sub(r"/\*.*?\*/", "", (include / name).read_text(), flags=re.S) for name in ("measure.h", "check.h")]
        structs = dict(re.findall(r"struct gb(?:run)?_(\w+) \{(.*?)\n\};", "".join(texts), re.S))
        for name in ("subject", "activity", "mode", "message", "metric", "compared", "result", "comparison", "check"):
            expected = []
            for line in filter(None, map(str.strip, structs[name].split(";"))):
                called = re.match(r"int32_t \(\*(\w+)\)", line)
                if called:
                    expected.append((called.group(1), "other"))
                    continue
                kind, members = re.match(r"((?:const |struct )*\w+)\s+(.*)", line, re.S).groups()
                for member in members.split(","):
                    star, member, array = re.match(r"\s*(\**)(\w+)(.*)", member, re.S).groups()
                    expected.append((member, "other" if array else kinds.get(kind + star, "other")))
            fields = getattr(gbrun, "_" + name.capitalize())._fields_
            self.assertEqual([(member, known.get(kind, "other")) for member, kind in fields], expected, name)

    def needs(self, package):
        if gbrun._package(package) is None:
            self.skipTest(f"{package} is not installed")


if __name__ == "__main__":
    results.main(Tests)
