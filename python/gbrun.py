"""Results files of gbrun: cases and samples as DataFrames, or without pandas as lists and arrays.

    import gbrun
    frame = gbrun.cases("results.gbr", "bench = 'copy' and bytes >= 65536")
    times = gbrun.samples("results.gbr", "bench = 'copy'")
    gbrun.to_parquet("results.gbr", "samples.parquet", rows="sample")

One file: copy it beside a script, or put its folder on PYTHONPATH. It needs Python's own library only and reads the
SQLite file itself, also while a run writes it and where gbrun is not installed. NumPy and pandas are used where they
can be imported. Times are nanoseconds of one iteration; docs/results.md has the schema.
"""
import array
import contextlib
import math
import pathlib
import sqlite3
import sys

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

__all__ = ["cases", "records", "samples", "to_parquet"]

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
METRIC = "(SELECT value FROM metric WHERE case_id = c.id AND name = {} ORDER BY ordinal LIMIT 1)"


def cases(path, where=None, run="newest"):
    """A row for each case and round, in the order of the configuration: a DataFrame, or without pandas a list of dicts.

    Columns are those of the table bench_case, who measured (run, run_uuid, host, device_model), label, verified,
    gflops and bytes_per_s; options under their names (numbers in bytes and ns, booleans as 0 and 1); metrics of
    plugins as metric.NAME. An option that has the name of a column stands in its place.
    where: an SQL expression of these columns. run: "newest", "all", or a number, from 1 by start.
    """
    if pandas is None:
        return records(path, where, run)
    names, rows = _rows(path, where, run)
    return pandas.DataFrame(rows, columns=names)


def records(path, where=None, run="newest"):
    """The same as a list of dicts, also where pandas is there: for scripts that run anywhere."""
    names, rows = _rows(path, where, run)
    return [dict(zip(names, row)) for row in rows]


def samples(path, where=None, run="newest", columns=None):
    """A row for each sample: a DataFrame, or a dict of equally long columns where pandas is missing (arrays of NumPy,
    or else array.array; lists of texts).

    time_ns is the time on the clock that counts; each clock that was read is a column NAME_ns; then elapsed_ns (end
    of the sample since the start of the first), and iterations, clock_hz, throttle, flags where the file has them.
    columns: names, as of cases(), to repeat in each row; None: run_uuid, uuid, uid, bench, round and the swept
    options. The rest of a case joins by its uuid: samples(path).merge(cases(path), on="uuid").
    """
    with _opened(path) as file:
        known = _expressions(file)
        found = [dict(zip(OF_SAMPLES, row)) for row in _select(file, known, OF_SAMPLES, where, run)]
        found = {case[CASE_ID]: case for case in found if case["n_samples"] > 0}
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
    return result if pandas is None else pandas.DataFrame(result, copy=False)


def to_parquet(path, target, where=None, run="newest", rows="case"):
    """Writes cases (rows="case") or samples (rows="sample") to a Parquet file.

    Needs pandas, with pyarrow or fastparquet. An option that is a number in some cases and a word in others is text.
    """
    if rows not in ("case", "sample"):
        raise ValueError(f"to_parquet: rows={rows!r}: expected 'case' or 'sample'")
    if pandas is None:
        raise ImportError("to_parquet needs pandas, and pyarrow or fastparquet")
    frame = (cases if rows == "case" else samples)(path, where, run)
    for name in frame.columns[frame.dtypes == object]:
        if len({type(value) for value in frame[name] if value is not None}) > 1:
            frame[name] = [None if value is None else str(value) for value in frame[name]]
    frame.to_parquet(target, index=False)


def _rows(path, where, run):
    with _opened(path) as file:
        known = _expressions(file)
        names = [name for name in known if name != CASE_ID]
        return names, _select(file, known, names, where, run)


@contextlib.contextmanager
def _opened(path):
    """A read-only connection that sees one state of the file."""
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


def _name(text):
    return '"' + text.replace('"', '""') + '"'


def _text(text):
    return "'" + text.replace("'", "''") + "'"


def _expressions(file):
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


def _select(file, known, names, where, run):
    """Rows with these of the known columns, of the chosen cases, in the order of the configuration."""
    if run == "newest":
        number = file.execute("SELECT count(*) FROM run").fetchone()[0]
    elif run == "all" or (isinstance(run, int) and run > 0):
        number = run
    else:
        raise ValueError(f"run={run!r}: expected 'newest', 'all' or a number from 1")
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


def _axes(file, case_ids):
    """Names of the options that are swept in any of the cases, in the order of their tables."""
    found = {}
    for case_id, name in file.execute("SELECT case_id, name FROM parameter WHERE is_axis ORDER BY case_id, ordinal"):
        if case_id in case_ids:
            found[name] = True
    return list(found)


class _Samples:
    """Samples of cases, one after the other, by columns."""

    def __init__(self, path, found):
        self.path = path
        self.cases = found
        self.total = 0
        self.values = {}

    def read(self, file):
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

    def check(self, file, case):
        """What the case claims to have must be there: it bounds what is allocated."""
        n, end, are_sound = file.execute(
            f"""SELECT total(n), max(first + n), min(n BETWEEN 1 AND {CHUNK_MAX} AND length(data) IN (8, 8 * n))
            FROM samples WHERE case_id = ? AND name = ?""",
            (case[CASE_ID], case["clock"]),
        ).fetchone()
        if n != case["n_samples"] or end != n or not are_sound:
            raise self.damaged(case)

    def damaged(self, case):
        return ValueError(f"{self.path}: damaged: the samples of {case['label']} are not those it claims")

    def take(self, case, name, first, n, data):
        is_sound = 0 <= first and 1 <= n <= CHUNK_MAX and first + n <= case["n_samples"]
        if not is_sound or not isinstance(data, bytes) or len(data) not in (8, 8 * n):
            raise self.damaged(case)
        chunk = self.decoded(data, n)
        begin = case["first"] + first
        self.column(name, GAPS.get(name, math.nan))[begin : begin + n] = chunk
        if name == case["clock"]:
            self.values["time_ns"][begin : begin + n] = chunk

    @staticmethod
    def decoded(data, n):
        if numpy is not None:
            return numpy.frombuffer(data, "<f8")  # one value fills all that it is assigned to
        chunk = array.array("d")
        chunk.frombytes(data)
        if sys.byteorder == "big":
            chunk.byteswap()
        return chunk if len(chunk) == n else chunk * n

    def column(self, name, gap):
        if name not in self.values and name == "iterations":
            self.values[name] = self.repeated([float(case["iterations"]) for case in self.cases])
        elif name not in self.values:
            self.values[name] = (
                array.array("d", [gap]) * self.total if numpy is None else numpy.full(self.total, gap)
            )
        return self.values[name]

    def columns(self):
        """{name: values}: the clock that counts, clocks, elapsed, what is no time."""
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

    def repeated(self, values):
        """A value for each case, as one for each of its samples."""
        counts = [case["n_samples"] for case in self.cases]
        kinds = {type(value) for value in values}
        if numpy is not None:
            is_number = kinds and kinds <= {int, float}
            return numpy.repeat(numpy.array(values, dtype=None if is_number else object), counts)
        kind = "q" if kinds == {int} else "d" if kinds and kinds <= {int, float} else None
        result = array.array(kind) if kind else []
        for value, n in zip(values, counts):
            result.extend((array.array(kind, [value]) if kind else [value]) * n)
        return result
