/* exchange_json.c - see exchange.h: formats in JSON that hold a list of benchmarks. */
#include "core/view/exchange_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "axis": value, for each axis, and the device where it tells cases apart; numbers as numbers where
 * typed. */
static void add_axes(struct json_writer *json, const struct exchange_case *c, bool is_typed)
{
    const struct stored_case *stored = &c->shown.row.c;
    for (size_t i = 0; i < stored->n_parameters; i++) {
        const struct parameter *parameter = &stored->parameters[i];
        if (!parameter->is_axis)
            continue;
        struct cell cell = cell_of_parameter(parameter);
        if (is_typed)
            json_cell(json, parameter->name, &cell);
        else
            json_text(json, parameter->name, parameter->value.text);
    }
    if (c->device)
        json_text(json, "device", c->device);
}

static const double S = 1e9, MS = 1e6; /* ns */

static void add_values(struct json_writer *json, const char *name, const struct exchange_case *c,
                       double unit_ns)
{
    json_open(json, name, JSON_ARRAY);
    for (size_t i = 0; i < c->n; i++)
        if (isfinite(c->values[i]))
            json_real(json, NULL, c->values[i] / unit_ns);
    json_close(json, JSON_ARRAY);
}

/* ---- Google Benchmark ---- */

static void google_begin(struct exchange *exchange)
{
    struct json_writer *json = &exchange->json;
    json_open(json, "context", JSON_OBJECT);
    json_values(json, VALUES(TEXT("date", exchange->run->started),
                             TEXT("host_name", FACT(exchange->run, "host")),
                             TEXT("executable", exchange->run->command_line)));
    const char *processors = FACT(exchange->run, "cpus");
    if (*processors)
        json_real(json, "num_cpus", strtod(processors, NULL));
    json_integer(json, "json_schema_version", 1);
    json_close(json, JSON_OBJECT);
    json_open(json, "benchmarks", JSON_ARRAY);
}

static void google_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    const struct gb_work *work = &c->shown.row.c.record.work;
    for (size_t i = 0; i < c->n; i++) {
        if (!isfinite(c->values[i]))
            continue;
        double bytes = work->bytes_read + work->bytes_written;
        json_row(json);
        json_values(json, VALUES(TEXT("name", c->name), TEXT("run_name", c->name),
                                 TEXT("run_type", "iteration"), INTEGER("repetitions", c->n),
                                 INTEGER("repetition_index", i)));
        exchange_label(json, c);
        json_values(json,
                    VALUES(INTEGER("iterations", c->iterations[i]), REAL("real_time", c->values[i]),
                           REAL("cpu_time", NAN), TEXT("time_unit", "ns")));
        if (bytes > 0)
            json_real(json, "bytes_per_second", bytes / c->values[i] * S);
        if (work->items > 0)
            json_real(json, "items_per_second", work->items / c->values[i] * S);
        json_close(json, JSON_OBJECT);
    }
}

const struct exchange_writer exchange_google = {
    .name = "google",
    .help = "Google Benchmark's JSON, a repetition for each round, without a processor time: "
            "github-action-benchmark",
    .json = "{[",
    .begin = google_begin,
    .add = google_add,
};

/* ---- hyperfine ---- */

static void results_begin(struct exchange *exchange)
{
    json_open(&exchange->json, "results", JSON_ARRAY);
}

static void hyperfine_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    struct summary summary = summary_of(c->values, c->n);
    json_row(json);
    json_values(json, VALUES(TEXT("command", c->name), REAL("mean", summary.mean / S),
                             REAL("stddev", summary.stdev / S), REAL("median", summary.median / S),
                             REAL("user", NAN), REAL("system", NAN), REAL("min", summary.min / S),
                             REAL("max", summary.max / S)));
    add_values(json, "times", c, S);
    exchange_label(json, c);
    json_open(json, "parameters", JSON_OBJECT);
    add_axes(json, c, false);
    json_close(json, JSON_OBJECT);
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_hyperfine = {
    .name = "hyperfine",
    .help = "hyperfine's JSON, a run for each round: its scripts, which want five and more",
    .json = "{[",
    .begin = results_begin,
    .add = hyperfine_add,
};

/* ---- pyperf ---- */

static void pyperf_begin(struct exchange *exchange)
{
    struct json_writer *json = &exchange->json;
    json_text(json, "version", "1.0");
    json_object(json, "metadata", VALUES(TEXT("hostname", FACT(exchange->run, "host"))));
    json_open(json, "benchmarks", JSON_ARRAY);
}

/* A run holds values of one process: with --rows sample all samples of a round. */
static void pyperf_runs(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    size_t at = 0;
    for (size_t i = 0; i < (exchange->rows == ROWS_SAMPLE ? c->n_rounds : c->n); i++) {
        size_t n = exchange->rows == ROWS_SAMPLE ? c->rounds[i].c.record.n_samples : 1;
        json_open(json, NULL, JSON_OBJECT);
        json_open(json, "metadata", JSON_OBJECT);
        if (at < c->n && c->iterations[at] > 0)
            json_integer(json, "loops", (int64_t)c->iterations[at]);
        json_close(json, JSON_OBJECT);
        json_open(json, "values", JSON_ARRAY);
        for (size_t j = 0; j < n && at < c->n; j++, at++)
            if (c->values[at] > 0)
                json_real(json, NULL, c->values[at] / S);
        json_close(json, JSON_ARRAY);
        json_close(json, JSON_OBJECT);
    }
}

static void pyperf_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    json_row(json);
    json_open(json, "metadata", JSON_OBJECT);
    json_values(json, VALUES(TEXT("name", c->name), TEXT("unit", "second")));
    exchange_label(json, c);
    json_close(json, JSON_OBJECT);
    json_open(json, "runs", JSON_ARRAY);
    pyperf_runs(exchange, c);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_pyperf = {
    .name = "pyperf",
    .help = "pyperf's JSON, a run for each round: pyperf compare_to, stats, hist",
    .json = "{[",
    .begin = pyperf_begin,
    .add = pyperf_add,
};

/* ---- JMH ---- */

static void jmh_metric(struct json_writer *json, const struct exchange_case *c)
{
    const struct shown *shown = &c->shown;
    const struct summary *summary = &shown->row.c.summary;
    json_open(json, "primaryMetric", JSON_OBJECT);
    json_values(json, VALUES(REAL("score", shown->central_ns),
                             REAL("scoreError", (shown->high_ns - shown->low_ns) / 2)));
    json_open(json, "scoreConfidence", JSON_ARRAY);
    json_real(json, NULL, shown->low_ns);
    json_real(json, NULL, shown->high_ns);
    json_close(json, JSON_ARRAY);
    json_object(json, "scorePercentiles",
                VALUES(REAL("0.0", summary->min), REAL("25.0", summary->q1),
                       REAL("50.0", summary->median), REAL("75.0", summary->q3),
                       REAL("90.0", summary->p90), REAL("99.0", summary->p99),
                       REAL("100.0", summary->max)));
    json_text(json, "scoreUnit", "ns/op");
    json_open(json, "rawData", JSON_ARRAY);
    for (size_t i = 0; i < c->n; i++) {
        json_open(json, NULL, JSON_ARRAY);
        json_real(json, NULL, c->values[i]);
        json_close(json, JSON_ARRAY);
    }
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

static void jmh_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    CLEANUP(text_free) struct text benchmark = {0};
    text_printf(&benchmark, "gbrun.%s", c->shown.row.c.bench);
    json_row(json);
    json_values(json, VALUES(TEXT("benchmark", text_get(&benchmark)), TEXT("mode", "avgt"),
                             INTEGER("forks", c->n), INTEGER("measurementIterations", 1)));
    json_open(json, "params", JSON_OBJECT);
    add_axes(json, c, false);
    json_close(json, JSON_OBJECT);
    jmh_metric(json, c);
    json_object(json, "secondaryMetrics", NULL, 0);
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_jmh = {
    .name = "jmh",
    .help = "JMH's JSON, a fork for each round: visualizers, plugins of CI systems",
    .json = "[",
    .add = jmh_add,
};

/* ---- autotuning, T4 ---- */

static void t4_begin(struct exchange *exchange)
{
    struct json_writer *json = &exchange->json;
    json_text(json, "schema_version", "1.0.0");
    json_open(json, "results", JSON_ARRAY);
}

static const char *invalidity(int status)
{
    return status == CASE_OK             ? "correct"
           : status == CASE_TIMED_OUT    ? "timeout"
           : status == CASE_WRONG_RESULT ? "correctness"
           : status == CASE_CONTRADICTED ? "correctness"
           : status == CASE_SKIPPED      ? "constraints"
                                         : "runtime";
}

static void t4_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    const struct case_record *record = &c->shown.row.c.record;
    json_row(json);
    json_text(json, "timestamp", record->started);
    json_open(json, "configuration", JSON_OBJECT);
    json_text(json, "bench", c->shown.row.c.bench);
    add_axes(json, c, true);
    json_close(json, JSON_OBJECT);
    json_texts(json, "objectives", (const char *const[]){"time"}, 1);
    json_open(json, "times", JSON_OBJECT);
    json_real(json, "compilation_time", record->phases.prepare_ns / MS);
    add_values(json, "runtimes", c, MS);
    json_values(json, VALUES(REAL("framework", record->wall_ns / MS), REAL("search_algorithm", NAN),
                             REAL("validation", record->phases.verify_ns / MS)));
    json_close(json, JSON_OBJECT);
    json_values(json, VALUES(TEXT("invalidity", invalidity(record->status)),
                             INTEGER("correctness", record->status == CASE_OK)));
    json_open(json, "measurements", JSON_ARRAY);
    if (c->is_ok)
        json_object(json, NULL,
                    VALUES(TEXT("name", "time"), REAL("value", c->shown.central_ns / MS),
                           TEXT("unit", "ms")));
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_t4 = {
    .name = "t4",
    .help = "results of autotuning, schema T4 1.0.0, failed cases too: Kernel Tuner",
    .takes_failures = true,
    .json = "{[",
    .begin = t4_begin,
    .add = t4_add,
};

/* ---- github-action-benchmark, Bencher ---- */

static void github_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    CLEANUP(text_free) struct text range = {0}, extra = {0};
    const struct shown *shown = &c->shown;
    double half = (shown->high_ns - shown->low_ns) / 2;
    text_printf(&extra, "%llu samples in %s", (unsigned long long)shown->row.c.record.n_samples,
                COUNT_TEXT(c->n_rounds, "round"));
    json_row(json);
    json_text(json, "name", c->name);
    json_text(json, "unit", "ns"); /* a series keeps its unit for ever */
    json_real(json, "value", shown->central_ns);
    if (shown->has_interval && isfinite(half)) {
        text_printf(&range, "\u00B1 %.6g", half);
        json_text(json, "range", text_get(&range));
    }
    json_text(json, "extra", text_get(&extra));
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_github = {
    .name = "github",
    .help = "github-action-benchmark's customSmallerIsBetter, times in ns",
    .json = "[",
    .add = github_add,
};

static void bmf_measure(struct json_writer *json, const char *name, double value, double low,
                        double high)
{
    json_open(json, name, JSON_OBJECT);
    json_real(json, "value", value);
    if (isfinite(low))
        json_real(json, "lower_value", low);
    if (isfinite(high))
        json_real(json, "upper_value", high);
    json_close(json, JSON_OBJECT);
}

static void bmf_add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    const struct shown *shown = &c->shown;
    const struct gb_work *work = &shown->row.c.record.work;
    double bytes = work->bytes_read + work->bytes_written;
    double amount = work->flops > 0 ? work->flops : work->items > 0 ? work->items : bytes;
    json_line(json);
    json_open(json, c->name, JSON_OBJECT);
    bmf_measure(json, "latency", shown->central_ns, shown->low_ns, shown->high_ns);
    if (amount > 0)
        bmf_measure(json, "throughput", amount / shown->central_ns * S, amount / shown->high_ns * S,
                    amount / shown->low_ns * S);
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_bmf = {
    .name = "bmf",
    .help =
        "Bencher Metric Format: latency in ns, throughput of operations, items or bytes per second",
    .json = "{",
    .add = bmf_add,
};
