/*
 * store_schema.h - the tables of a results file, as SQL. Included by store.c and
 * store_upgrade.c only.
 *
 * The comments stand inside the statements so that `sqlite3 results.gbr .schema` shows them.
 * Changing anything here means a new STORE_SCHEMA_VERSION and a step that brings older files up.
 */
#ifndef GBRUN_CORE_STORE_SCHEMA_H
#define GBRUN_CORE_STORE_SCHEMA_H

#include "core/store/store_internal.h"

/* PRAGMA application_id: "gbr1"; PRAGMA user_version. */
enum { STORE_APPLICATION_ID = 0x67627231, STORE_SCHEMA_VERSION = 3 };

/* Since version 2. */
#define STORE_TELEMETRY_TABLE                                                                      \
    "CREATE TABLE telemetry ( -- what the device said of itself around the samples; NULL: not "    \
    "known\n"                                                                                      \
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"                      \
    "    moment TEXT NOT NULL, -- begin: before the first sample; end: after the last one\n"       \
    "    elapsed_ns REAL NOT NULL, -- since begin, on the host's clock\n"                          \
    "    iterations INTEGER NOT NULL, -- run since begin, lost ones included\n"                    \
    "    clock_hz REAL,\n"                                                                         \
    "    memory_clock_hz REAL,\n"                                                                  \
    "    temperature_celsius REAL,\n"                                                              \
    "    power_watts REAL,\n"                                                                      \
    "    energy_joules REAL, -- a counter that only grows\n"                                       \
    "    throttle INTEGER NOT NULL, -- the device's own bits; 0: not held down\n"                  \
    "    throttle_text TEXT NOT NULL, -- what they mean\n"                                         \
    "    PRIMARY KEY (case_id, moment)\n"                                                          \
    ") WITHOUT ROWID"

#define STORE_SUMMARY_TABLE                                                                        \
    "CREATE TABLE check_summary ( -- one comparison of one output; counts of elements\n"           \
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"                      \
    "    ordinal INTEGER NOT NULL, -- from 0\n"                                                    \
    "    name TEXT NOT NULL, -- of the output, as in check_result\n"                               \
    "    n INTEGER NOT NULL, -- compared\n"                                                        \
    "    n_exact INTEGER NOT NULL, -- equal to the reference rounded to the output's format\n"     \
    "    n_overflowed INTEGER NOT NULL, -- infinities in the output\n"                             \
    "    n_nan INTEGER NOT NULL, -- in the output where the reference is none\n"                   \
    "    n_infinite_mismatch INTEGER NOT NULL, -- infinite on one side only\n"                     \
    "    n_zero_mismatch INTEGER NOT NULL, -- reference 0, output not\n"                           \
    "    PRIMARY KEY (case_id, ordinal)\n"                                                         \
    ") WITHOUT ROWID"
#define STORE_HISTOGRAM_TABLE                                                                      \
    "CREATE TABLE check_histogram ( -- relative differences of one comparison; adds up to its n\n" \
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"                      \
    "    ordinal INTEGER NOT NULL, -- of its check_summary\n"                                      \
    "    class INTEGER NOT NULL, -- from 0; classes without elements are left out\n"               \
    "    label TEXT NOT NULL, -- of the class: 0, (0, 1e-6), [1e-6, 1e-5) ...\n"                   \
    "    count INTEGER NOT NULL, -- of elements\n"                                                 \
    "    PRIMARY KEY (case_id, ordinal, class)\n"                                                  \
    ") WITHOUT ROWID"

/* As it is since version 3. */
#define STORE_RESULT_VIEW                                                                          \
    "CREATE VIEW result AS -- one readable row a case and round; times in ns of one iteration\n"   \
    "SELECT (SELECT count(*) FROM run AS e WHERE (e.started, e.uuid) <= (r.started, r.uuid))\n"    \
    "        AS run,\n"                                                                            \
    "    r.uuid AS run_uuid, c.bench, c.plugin,\n"                                                 \
    "    c.bench || (SELECT ifnull(' ' || group_concat(name || '=' || CASE\n"                      \
    "            WHEN value = '' OR value GLOB '*[' || char(9) || ' \"]*'\n"                       \
    "            THEN '\"' || value || '\"' ELSE value END, ' '), '')\n"                           \
    "        FROM (SELECT name, value FROM parameter WHERE case_id = c.id AND is_axis\n"           \
    "            ORDER BY ordinal)) AS label, -- bench and axes\n"                                 \
    "    (SELECT group_concat(name || '=' || value, ' ')\n"                                        \
    "        FROM (SELECT name, value FROM parameter WHERE case_id = c.id ORDER BY ordinal))\n"    \
    "        AS parameters,\n"                                                                     \
    "    d.model AS device, c.policy, c.cache, c.launch, c.clock, c.round, c.started,\n"           \
    "    c.status, c.status_text, c.stop_reason, c.verdict, c.n_samples, c.n_effective,\n"         \
    "    c.n_discarded, c.median_ns, c.statistic, c.estimate_ns, c.low_ns, c.high_ns,\n"           \
    "    c.confidence, c.mean_ns, c.stdev_ns, c.min_ns, c.max_ns,\n"                               \
    "    (c.q3_ns - c.q1_ns) / c.median_ns AS spread, -- a ratio\n"                                \
    "    -- rates are over the estimate of the median, or else over the samples' median\n"         \
    "    nullif(c.flops, 0) / c.time_ns AS gflops,\n"                                              \
    "    nullif(c.bytes_read + c.bytes_written, 0) / c.time_ns * 1e9 AS bytes_per_s,\n"            \
    "    CASE (SELECT min(passed) FROM check_result\n"                                             \
    "        WHERE case_id = c.id AND (tolerance IS NOT NULL OR NOT passed))\n"                    \
    "        WHEN 0 THEN 'failed' WHEN 1 THEN 'ok' ELSE 'unchecked' END AS verified\n"             \
    "FROM (SELECT *, CASE WHEN statistic = 'median' AND estimate_ns > 0 THEN estimate_ns\n"        \
    "        ELSE median_ns END AS time_ns FROM bench_case) AS c\n"                                \
    "    JOIN run AS r ON r.id = c.run_id LEFT JOIN device AS d ON d.id = c.device_id\n"           \
    "WHERE " STORE_IS_LATEST "\n"                                                                  \
    "ORDER BY r.started, r.uuid, c.sequence, c.started, c.uuid"

static const char *const store_schema[] = {
    "CREATE TABLE run ( -- one call of `gbrun run`\n"
    "    id INTEGER PRIMARY KEY, -- in this file only; uuid is the same in every file\n"
    "    uuid TEXT NOT NULL UNIQUE,\n"
    "    started TEXT NOT NULL, -- UTC, ISO 8601; runs are numbered by (started, uuid)\n"
    "    finished TEXT, -- NULL: goes on still, or was killed\n"
    "    exit_code INTEGER, -- of gbrun; NULL with finished\n"
    "    version TEXT NOT NULL, -- of gbrun\n"
    "    command_line TEXT NOT NULL,\n"
    "    config_path TEXT NOT NULL,\n"
    "    config_folder TEXT NOT NULL, -- relative paths in config start here\n"
    "    config TEXT NOT NULL, -- the settings used, as a configuration file\n"
    "    config_sha256 TEXT NOT NULL,\n"
    "    seed INTEGER NOT NULL,\n"
    "    n_cases INTEGER NOT NULL -- of the sweep, each round and each device counted\n"
    ")",

    "CREATE TABLE run_fact ( -- about the machine: host, kernel, cpu, governor ...\n"
    "    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "    name TEXT NOT NULL,\n"
    "    value TEXT NOT NULL,\n"
    "    PRIMARY KEY (run_id, name, value)\n"
    ") WITHOUT ROWID",

    "CREATE TABLE module ( -- a plugin used in a run\n"
    "    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "    kind TEXT NOT NULL, -- benchmark, policy, device\n"
    "    id TEXT NOT NULL,\n"
    "    version TEXT NOT NULL,\n"
    "    path TEXT NOT NULL,\n"
    "    sha256 TEXT NOT NULL, -- of the file\n"
    "    PRIMARY KEY (run_id, kind, id, path, sha256, version)\n"
    ") WITHOUT ROWID",

    "CREATE TABLE device ( -- a device opened in a run\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    record_uuid TEXT NOT NULL UNIQUE, -- of this row\n"
    "    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "    plugin TEXT NOT NULL,\n"
    "    name TEXT NOT NULL, -- of the [device NAME] section, or the plugin's id\n"
    "    number INTEGER NOT NULL, -- among the plugin's devices, from 0\n"
    "    model TEXT NOT NULL,\n"
    "    uuid TEXT NOT NULL -- of the hardware, or empty\n"
    ")",
    "CREATE INDEX device_run ON device (run_id)",

    "CREATE TABLE device_fact ( -- driver, memory, units ...\n"
    "    device_id INTEGER NOT NULL REFERENCES device ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    name TEXT NOT NULL,\n"
    "    value TEXT NOT NULL,\n"
    "    PRIMARY KEY (device_id, ordinal)\n"
    ") WITHOUT ROWID",

    "CREATE TABLE clock ( -- a clock of a device\n"
    "    device_id INTEGER NOT NULL REFERENCES device ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    name TEXT NOT NULL,\n"
    "    tick_ns REAL, -- its smallest step\n"
    "    overhead_ns REAL, -- what it reads around nothing; never subtracted\n"
    "    PRIMARY KEY (device_id, ordinal)\n"
    ") WITHOUT ROWID",

    "CREATE TABLE bench_case ( -- one case, measured once: a point of a sweep, in one round\n"
    "    id INTEGER PRIMARY KEY,\n"
    "    uuid TEXT NOT NULL UNIQUE, -- of this record\n"
    "    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
    "    uid TEXT NOT NULL, -- the case's identity, the same in every run and on every machine\n"
    "    bench TEXT NOT NULL, -- NAME of [bench NAME]\n"
    "    plugin TEXT NOT NULL,\n"
    "    plugin_version TEXT NOT NULL,\n"
    "    position INTEGER NOT NULL, -- in the sweep, from 0\n"
    "    sequence INTEGER NOT NULL, -- in the order measured, from 0\n"
    "    round INTEGER NOT NULL, -- from 0\n"
    "    policy TEXT NOT NULL, -- NAME of [policy NAME], or the plugin's id\n"
    "    policy_plugin TEXT NOT NULL,\n"
    "    policy_options TEXT NOT NULL, -- key=value, as written, blanks between\n"
    "    device_id INTEGER REFERENCES device, -- NULL: none was opened\n"
    "    device_name TEXT NOT NULL, -- as asked for\n"
    "    device_index INTEGER NOT NULL, -- as asked for; -1: any\n"
    "    cache TEXT NOT NULL, -- warm or cold before each sample\n"
    "    launch TEXT NOT NULL DEFAULT 'stream', -- or graph: captured once, launched for each "
    "sample\n"
    "    environment TEXT NOT NULL, -- NAME=value of the process, one a line\n"
    "    seed INTEGER NOT NULL,\n"
    "    status TEXT NOT NULL, -- ok, skipped, failed, wrong result, crashed, timed out,\n"
    "                          -- device error, cancelled, running\n"
    "    done INTEGER NOT NULL, -- 0: cancelled or running: measured again by --resume\n"
    "    status_text TEXT NOT NULL,\n"
    "    stop_reason TEXT NOT NULL,\n"
    "    clock TEXT NOT NULL, -- the column of samples that counts\n"
    "    iterations INTEGER NOT NULL, -- in a sample\n"
    "    tick_ns REAL, -- of the clock\n"
    "    overhead_ns REAL, -- an empty sample, on the clock\n"
    "    started TEXT NOT NULL, -- UTC, ISO 8601\n"
    "    wall_ns REAL, -- from create to destroy\n"
    "    n_samples INTEGER NOT NULL,\n"
    "    n_lost INTEGER NOT NULL, -- samples whose times were lost\n"
    "    n_throttled INTEGER NOT NULL, -- samples during which the device was held down\n"
    "    min_ns REAL, -- of one iteration, over the samples on the clock, as all that follow\n"
    "    max_ns REAL,\n"
    "    mean_ns REAL,\n"
    "    stdev_ns REAL,\n"
    "    median_ns REAL,\n"
    "    q1_ns REAL,\n"
    "    q3_ns REAL,\n"
    "    p10_ns REAL,\n"
    "    p90_ns REAL,\n"
    "    p99_ns REAL,\n"
    "    verdict TEXT, -- what the policy vouches for; NULL: it made no estimate\n"
    "    statistic TEXT, -- what it estimates: median, mean\n"
    "    estimate_ns REAL,\n"
    "    low_ns REAL, -- the interval of the estimate; may be infinite; NULL: none claimed\n"
    "    high_ns REAL,\n"
    "    confidence REAL, -- of the interval, 0 to 1\n"
    "    n_observed INTEGER, -- samples that the policy saw\n"
    "    n_discarded INTEGER, -- of them, left out at the start as warm-up\n"
    "    n_effective REAL, -- worth of the rest as independent samples; 0: not known\n"
    "    excluded_mode_weight REAL, -- a mode of this weight would have been seen; 0: not known\n"
    "    flops REAL, -- floating-point operations of one iteration; 0: not declared\n"
    "    bytes_read REAL, -- of one iteration\n"
    "    bytes_written REAL,\n"
    "    items REAL, -- whatever else is counted\n"
    "    item TEXT, -- its name\n"
    "    math_format TEXT NOT NULL DEFAULT '', -- of the numbers that are multiplied: fp32, bf16\n"
    "    math_unit TEXT NOT NULL DEFAULT '' -- what computes: scalar, vector, tensor; '': not "
    "said\n"
    ")",
    "CREATE INDEX bench_case_place ON bench_case (run_id, position, round)",

    "CREATE TABLE parameter ( -- an option or variable of a case\n"
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    name TEXT NOT NULL,\n"
    "    value TEXT NOT NULL, -- canonical: 1048576, 0.005, 2000000ns, yes, words\n"
    "    number REAL, -- the same as a number (bytes, ns, 0 or 1); NULL: words\n"
    "    type TEXT NOT NULL, -- int, float, bool, string, choice, bytes, duration\n"
    "    is_axis INTEGER NOT NULL, -- of a sweep\n"
    "    is_default INTEGER NOT NULL, -- set by nobody\n"
    "    is_variable INTEGER NOT NULL, -- let.NAME, no option of the plugin\n"
    "    is_identity INTEGER NOT NULL, -- part of the uid\n"
    "    PRIMARY KEY (case_id, ordinal)\n"
    ") WITHOUT ROWID",

    "CREATE TABLE samples ( -- the samples of a case, by column, in chunks\n"
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"
    "    name TEXT NOT NULL, -- a clock (ns of one iteration), elapsed (ns since the first\n"
    "                        -- sample's start), iterations, clock_hz, throttle, flags; a gap\n"
    "                        -- is not known (a clock), 0, or the case's iterations\n"
    "    first INTEGER NOT NULL, -- number of the chunk's first sample, from 0\n"
    "    n INTEGER NOT NULL, -- 65536 at most\n"
    "    data BLOB NOT NULL, -- n IEEE 754 doubles, little-endian; or one that stands for all\n"
    "    PRIMARY KEY (case_id, name, first)\n"
    ")",

    "CREATE TABLE metric ( -- a number that the plugin or the policy reported\n"
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    name TEXT NOT NULL,\n"
    "    value REAL, -- NULL: not a number\n"
    "    unit TEXT NOT NULL,\n"
    "    PRIMARY KEY (case_id, ordinal)\n"
    ") WITHOUT ROWID",

    "CREATE TABLE check_result ( -- one metric of the comparison of one output\n"
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    name TEXT NOT NULL, -- of the output\n"
    "    metric TEXT NOT NULL, -- abs, rel, rel_floor, ulp, rms, bound\n"
    "    value REAL,\n"
    "    tolerance REAL, -- NULL: measured, not judged\n"
    "    passed INTEGER NOT NULL,\n"
    "    element INTEGER NOT NULL, -- index of the worst one\n"
    "    reference REAL, -- there; NULL: not a number\n"
    "    output REAL,\n"
    "    text TEXT NOT NULL,\n"
    "    PRIMARY KEY (case_id, ordinal)\n"
    ") WITHOUT ROWID",

    STORE_SUMMARY_TABLE,
    STORE_HISTOGRAM_TABLE,

    "CREATE TABLE mode ( -- of a case with several modes\n"
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    median_ns REAL,\n"
    "    low_ns REAL,\n"
    "    high_ns REAL,\n"
    "    weight REAL, -- share of the samples, 0 to 1\n"
    "    PRIMARY KEY (case_id, ordinal)\n"
    ") WITHOUT ROWID",

    STORE_TELEMETRY_TABLE,

    "CREATE TABLE message (\n"
    "    case_id INTEGER NOT NULL REFERENCES bench_case ON DELETE CASCADE,\n"
    "    ordinal INTEGER NOT NULL,\n"
    "    severity INTEGER NOT NULL, -- 0 debug, 1 info, 2 warning, 3 error, 4 bug of the plugin,\n"
    "                               -- 5 bug of gbrun\n"
    "    text TEXT NOT NULL,\n"
    "    PRIMARY KEY (case_id, ordinal)\n"
    ") WITHOUT ROWID",

    STORE_RESULT_VIEW,
};

#endif
