/* test_exchange_members.c - each member of each export comes from a column of the results file, is
 * a constant of its format, or is null: what was not measured is not made up. */
#include "core/view/exchange.h"
#include "tests/view/members.h"

#include <ctype.h>
#include <fnmatch.h>

static void walk_json(const char *format, const char *export, struct members *out)
{
    struct json_reader reader;
    json_read_begin(&reader, format, export, strlen(export));
    const enum json_token token = json_read(&reader);
    if (strcmp(format, "bmf") == 0) /* its keys are names of cases */
        walk_members(&reader, "", true, out);
    else
        walk_value(&reader, token, "", out);
    json_read_end(&reader);
}

/* NAME="VALUE" of a tag or of labels; a property's value goes by its name. Returns what follows. */
static const char *walk_attribute(const char *at, const char *owner, struct members *out)
{
    static char property[64];
    CLEANUP(text_free) struct text path = {0}, value = {0};
    const size_t n = strcspn(at, "=");
    const char *begin = at + n + 2, *end = strchr(begin, '"');
    text_add_n(&value, begin, (size_t)(end - begin));
    text_printf(&path, "%s@%.*s", owner, (int)n, at);
    if (strcmp(owner, "property") == 0 && strncmp(at, "name", n) == 0)
        snprintf(property, sizeof property, "%s", text_get(&value));
    else if (strcmp(owner, "property") == 0)
        text_printf(&path, ":%s", property);
    add_member(out, text_get(&path), text_get(&value));
    return end + 1;
}

static void walk_xml(const char *export, struct members *out)
{
    char owner[64];
    for (const char *at = export; (at = strchr(at, '<'));) {
        const size_t n = strcspn(++at, " />");
        snprintf(owner, sizeof owner, "%.*s", (int)n, at);
        for (at += n; *at == ' ' && isalpha((unsigned char)at[1]);)
            at = walk_attribute(at + 1, owner, out);
    }
}

static void walk_metrics(char *export, struct members *out)
{
    char *save = NULL, family[64];
    for (char *line = strtok_r(export, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (*line == '#')
            continue;
        const char *at = line + strcspn(line, "{");
        snprintf(family, sizeof family, "%.*s", (int)(at - line), line);
        while (*at != '}')
            at = walk_attribute(at + 1, family, out);
        add_member(out, family, at + 2);
    }
}

static void read_members(const char *file, const char *format, struct members *out)
{
    struct store *store = fixture_open(file, STORE_READ);
    struct gb_error error = {0};
    char *data = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&data, &n);
    const struct view_options options = {0};
    ck_assert_msg(exchange_export(store, &options, exchange_named(format), fixture_path("x.json"),
                                  stream, &error) == GB_OK,
                  "%s: %s", format, error.text);
    fclose(stream);
    fixture_close(store);
    if (strcmp(format, "junit") == 0)
        walk_xml(data, out);
    else if (strcmp(format, "openmetrics") == 0)
        walk_metrics(data, out);
    else
        walk_json(format, data, out);
    free(data);
}

/* ---- where they come from ---- */

#define CASES "UPDATE bench_case SET "
#define BENCH CASES "bench = 'other'"
#define ESTIMATE CASES "estimate_ns = 2 * estimate_ns"
#define ROUNDS "DELETE FROM bench_case WHERE round = 2"
#define AXES "UPDATE parameter SET value = '7', number = 7 WHERE is_axis"
#define NAMES_OF_AXES "UPDATE parameter SET name = name || '2' WHERE is_axis"
#define TYPES_OF_AXES                                                                              \
    "UPDATE parameter SET type = 'float', value = '1.5', number = 1.5 WHERE is_axis"
#define WALL "UPDATE samples SET data = x'0000000000408F40' WHERE name = 'wall'"
#define COUNT                                                                                      \
    CASES "n_samples = 4 WHERE status = 'ok'; UPDATE samples SET n = 4, data = substr(data, 1, "   \
          "32)"
#define RATE "UPDATE samples SET data = x'000000C00B5AE641' WHERE name = 'clock_hz'"
#define DEVICE "UPDATE device SET model = 'other'"
#define DEVICE_ID "UPDATE device SET id = 5; UPDATE bench_case SET device_id = 5"
#define STATUS CASES "status = 'timed out' WHERE status != 'ok'"
#define FAILED CASES "status = 'timed out'"
#define HOST "UPDATE run_fact SET value = 'other' WHERE name = 'host'"
#define COMMAND "UPDATE run SET command_line = 'other'"
#define RUN_STARTED "UPDATE run SET started = '2026-01-01T09:00:00.000Z'"

/* FROM: a change of the file that shows in the member; or, after =, all that it ever is; *: words
 * of the format. */
static const struct trace {
    const char *format, *members, *from;
} traces[] = {
    {"google", "context.date", RUN_STARTED},
    {"google", "context.host_name", HOST},
    {"google", "context.executable", COMMAND},
    {"google", "context.num_cpus", "UPDATE run_fact SET value = '8' WHERE name = 'cpus'"},
    {"google", "context.json_schema_version", "=1"},
    {"google", "benchmarks#.name", BENCH},
    {"google", "benchmarks#.name", AXES},
    {"google", "benchmarks#.run_name", BENCH},
    {"google", "benchmarks#.gbrun_label", BENCH},
    {"google", "benchmarks#.run_type", "=iteration"},
    {"google", "benchmarks#.repetitions", ROUNDS},
    {"google", "benchmarks#.repetition_index", ROUNDS},
    {"google", "benchmarks#.iterations", CASES "iterations = 3 WHERE round = 1"},
    {"google", "benchmarks#.real_time", ESTIMATE},
    {"google", "benchmarks#.cpu_time", "=null"},
    {"google", "benchmarks#.time_unit", "=ns"},
    {"google", "benchmarks#.bytes_per_second", CASES "bytes_read = 1"},
    {"google", "benchmarks#.bytes_per_second", CASES "bytes_written = 1"},
    {"google", "benchmarks#.items_per_second", CASES "items = 1"},
    {"hyperfine", "results#.command", BENCH},
    {"hyperfine", "results#.gbrun_label", BENCH},
    {"hyperfine", "results#.m*", ESTIMATE},
    {"hyperfine", "results#.stddev", ESTIMATE},
    {"hyperfine", "results#.times#", ESTIMATE},
    {"hyperfine", "results#.user", "=null"},
    {"hyperfine", "results#.system", "=null"},
    {"hyperfine", "results#.parameters.*", AXES},
    {"nvbench", "meta.argv#", COMMAND},
    {"nvbench", "meta.version.json.major", "=1"},
    {"nvbench", "meta.version.json.minor", "=0"},
    {"nvbench", "meta.version.json.patch", "=0"},
    {"nvbench", "meta.version.json.string", "=1.0.0"},
    {"nvbench", "devices#.id", "DELETE FROM device"},
    {"nvbench", "devices#.name", DEVICE},
    {"nvbench", "benchmarks#.name", BENCH},
    {"nvbench", "benchmarks#.devices#", "DELETE FROM device"},
    {"nvbench", "benchmarks#.axes#.name", NAMES_OF_AXES},
    {"nvbench", "benchmarks#.axes#.type", TYPES_OF_AXES},
    {"nvbench", "benchmarks#.axes#.flags", "="},
    {"nvbench", "benchmarks#.axes#.values#.description", "="},
    {"nvbench", "benchmarks#.axes#.values#.*[eg]", AXES},
    {"nvbench", "benchmarks#.states#.name", AXES},
    {"nvbench", "benchmarks#.states#.gbrun_label", AXES},
    {"nvbench", "benchmarks#.states#.name", CASES "device_id = NULL"},
    {"nvbench", "benchmarks#.states#.device", CASES "device_id = NULL"},
    {"nvbench", "benchmarks#.states#.axis_values#.name", NAMES_OF_AXES},
    {"nvbench", "benchmarks#.states#.axis_values#.type", TYPES_OF_AXES},
    {"nvbench", "benchmarks#.states#.axis_values#.value", AXES},
    {"nvbench", "benchmarks#.states#.is_skipped", FAILED},
    {"nvbench", "benchmarks#.states#.skip_reason", STATUS},
    {"nvbench", "benchmarks#.states#.summaries#:*.tag", "*"},
    {"nvbench", "benchmarks#.states#.summaries#:*.name", "*"},
    {"nvbench", "benchmarks#.states#.summaries#:*.data#.name", "*"},
    {"nvbench", "benchmarks#.states#.summaries#:*.hint", "*"},
    {"nvbench", "benchmarks#.states#.summaries#:*.hide", "=Not needed in a table."},
    {"nvbench", "benchmarks#.states#.summaries#:*.description", "="},
    {"nvbench", "benchmarks#.states#.summaries#:*.data#.type", "*"},
    {"nvbench", "benchmarks#.states#.summaries#:*/time/*.data#.value", WALL},
    {"nvbench", "benchmarks#.states#.summaries#:*/sample_size.data#.value", COUNT},
    {"nvbench", "benchmarks#.states#.summaries#:*clock_rate*.data#.value", RATE},
    {"nvbench", "benchmarks#.states#.summaries#:*bin*.data#.value", COUNT},
    {"pyperf", "version", "=1.0"},
    {"pyperf", "metadata.hostname", HOST},
    {"pyperf", "benchmarks#.metadata.name", BENCH},
    {"pyperf", "benchmarks#.metadata.gbrun_label", BENCH},
    {"pyperf", "benchmarks#.metadata.unit", "=second"},
    {"pyperf", "benchmarks#.runs#.metadata.loops", CASES "iterations = 3 WHERE round = 1"},
    {"pyperf", "benchmarks#.runs#.values#", ESTIMATE},
    {"jmh", "#.benchmark", BENCH},
    {"jmh", "#.mode", "=avgt"},
    {"jmh", "#.forks", ROUNDS},
    {"jmh", "#.measurementIterations", "=1"}, /* a fork's: rawData has one value for each */
    {"jmh", "#.params.*", AXES},
    {"jmh", "#.primaryMetric.score", ESTIMATE},
    {"jmh", "#.primaryMetric.scoreError", ESTIMATE},
    {"jmh", "#.primaryMetric.scoreConfidence#", ESTIMATE},
    {"jmh", "#.primaryMetric.scoreUnit", "=ns/op"},
    {"jmh", "#.primaryMetric.rawData##", ESTIMATE},
    {"jmh", "#.primaryMetric.scorePercentiles.0.0", CASES "min_ns = min_ns / 2"},
    {"jmh", "#.primaryMetric.scorePercentiles.25.0", CASES "q1_ns = q1_ns / 2"},
    {"jmh", "#.primaryMetric.scorePercentiles.50.0", CASES "median_ns = median_ns / 2"},
    {"jmh", "#.primaryMetric.scorePercentiles.75.0", CASES "q3_ns = q3_ns * 2"},
    {"jmh", "#.primaryMetric.scorePercentiles.90.0", CASES "p90_ns = p90_ns * 2"},
    {"jmh", "#.primaryMetric.scorePercentiles.99.0", CASES "p99_ns = p99_ns * 2"},
    {"jmh", "#.primaryMetric.scorePercentiles.100.0", CASES "max_ns = max_ns * 2"},
    {"t4", "schema_version", "=1.0.0"},
    {"t4", "results#.timestamp", CASES "started = '2026-01-01T11:00:00.000Z'"},
    {"t4", "results#.configuration.bench", BENCH},
    {"t4", "results#.configuration.[!b]*", AXES},
    {"t4", "results#.objectives#", "=time"},
    {"t4", "results#.times.compilation_time", CASES "prepare_ns = 1"},
    {"t4", "results#.times.runtimes#", ESTIMATE},
    {"t4", "results#.times.framework", CASES "wall_ns = 1"},
    {"t4", "results#.times.search_algorithm", "=null"},
    {"t4", "results#.times.validation", CASES "verify_ns = 1"},
    {"t4", "results#.invalidity", STATUS},
    {"t4", "results#.correctness", FAILED},
    {"t4", "results#.measurements#.name", "=time"},
    {"t4", "results#.measurements#.unit", "=ms"},
    {"t4", "results#.measurements#.value", ESTIMATE},
    {"github", "#.name", BENCH},
    {"github", "#.unit", "=ns"},
    {"github", "#.value", ESTIMATE},
    {"github", "#.range", ESTIMATE},
    {"github", "#.extra", COUNT},
    {"github", "#.extra", ROUNDS},
    {"bmf", "{}", BENCH},
    {"bmf", "{}.*", ESTIMATE},
    {"bmf", "{}.throughput.*", CASES "flops = 7"},
    {"junit", "[?]xml@version", "=1.0"},
    {"junit", "[?]xml@encoding", "=UTF-8"},
    {"junit", "testsuite@name", "=gbrun"},
    {"junit", "testsuite@hostname", HOST},
    {"junit", "testsuite@timestamp", RUN_STARTED},
    {"junit", "testsuite@tests", "DELETE FROM bench_case WHERE status != 'ok'"},
    {"junit", "testsuite@failures", FAILED},
    {"junit", "testsuite@errors", "=0"}, /* JUnit's are failures here */
    {"junit", "testsuite@skipped", CASES "status = 'skipped'"},
    {"junit", "testcase@classname", BENCH},
    {"junit", "testcase@name", AXES},
    {"junit", "testcase@time", CASES "wall_ns = 2 * wall_ns"},
    {"junit", "failure@message", STATUS},
    {"junit", "property@name", "*"},
    {"junit", "property@value:*", ESTIMATE},
    {"openmetrics", "*@bench", BENCH},
    {"openmetrics", "*@device", DEVICE},
    {"openmetrics", "*@device_name", CASES "device_name = 'other'"},
    {"openmetrics", "*@policy", CASES "policy = 'other'"},
    {"openmetrics", "*@uid", CASES "uid = 'f' || substr(uid, 2)"},
    {"openmetrics", "*@option_*", AXES},
    {"openmetrics", "gbrun_ok", FAILED " WHERE position = 0"},
    {"openmetrics", "gbrun_time_*seconds", ESTIMATE},
    {"openmetrics", "gbrun_certified", CASES "estimate_ns = 1e3, low_ns = 999, high_ns = 1001"},
    {"openmetrics", "gbrun_samples", COUNT},
    {"openmetrics", "gbrun_flops", CASES "flops = 7"},
    {"openmetrics", "gbrun_bytes_per_second", CASES "bytes_written = 7"},
    {"trace", "displayTimeUnit", "=ns"},
    {"trace", "traceEvents#.name", BENCH}, /* of a case; the others' are those of the format */
    {"trace", "traceEvents#:*.cat", "*"},
    {"trace", "traceEvents#:*.ph", "*"},
    {"trace", "traceEvents#:*.pid", "=1"}, /* number of the run in the export */
    {"trace", "traceEvents#:[!t_]*.tid", DEVICE_ID},
    {"trace", "traceEvents#:__metadata.tid", DEVICE_ID},
    {"trace", "traceEvents#:telemetry.tid", "=0"}, /* all of the process */
    {"trace", "traceEvents#:__metadata.args.name", DEVICE},
    {"trace", "traceEvents#:__metadata.ts", "=0"},
    {"trace", "traceEvents#:[!_]*.ts", CASES "started = '2026-01-01T11:00:00.000Z'"},
    {"trace", "traceEvents#:case.dur", CASES "wall_ns = 7"},
    {"trace", "traceEvents#:case.args.status", STATUS},
    {"trace", "traceEvents#:case.args.round", CASES "round = round + 1"},
    {"trace", "traceEvents#:case.args.median_ns", ESTIMATE},
    {"trace", "traceEvents#:phase.dur", CASES "prepare_ns = 1"},
    {"trace", "traceEvents#:phase.ts", CASES "open_ns = 1"},
    {"trace", "traceEvents#:sample.dur", WALL},
    {"trace", "traceEvents#:sample.ts",
     "UPDATE samples SET data = x'0000000000408F40' WHERE name = 'elapsed'"},
    {"trace", "traceEvents#:telemetry.args.value", RATE},
    {"trace", "traceEvents#:telemetry.args.value", "UPDATE telemetry SET power_watts = 7"},
    {"trace", "traceEvents#:telemetry.args.value", "UPDATE telemetry SET temperature_celsius = 7"},
};

TEST_FIXTURE(fixture_begin, fixture_end)

static void make_file(const char *name)
{
    views_make(
        name, 1,
        "1009.5,1019.5,1029.5 streams rows=32 +streams=1 +dtype=fp16\n"
        "2009.5,2019.5,2029.5 streams rows=32 +streams=2 +dtype=bf16\n"
        "! streams rows=32 +streams=4 +dtype=bf16\n",
        "UPDATE bench_case SET open_ns = 1e4, prepare_ns = 2e4, warmup_ns = 3e5,"
        " measure_ns = 4e5, count_ns = 5e4, verify_ns = 1e5, items = 7, item = 'key';"
        "INSERT INTO samples SELECT id, 'clock_hz', 0, 20, x'000000C00B5AD641'"
        " FROM bench_case WHERE status = 'ok';"
        "INSERT INTO telemetry SELECT id, column1, 1e9, 20, 1.5e9, 2.6e9, 50, 300, 1e6, 0, '', 0"
        " FROM bench_case, (VALUES ('begin'), ('end'));"
        "INSERT INTO run_fact VALUES (1, 'cpus', '4')");
}

/* A member is in the table: in each line of it its values are what the line says. */
static void check_constant(const struct trace *trace, const struct member *member)
{
    const char *constant = trace->from + 1, *line = text_get(&member->values);
    for (const size_t n = strlen(constant); *line; line += n + 1)
        ck_assert_msg(strncmp(line, constant, n) == 0 && line[n] == '\n', "%s: %s: not %s:\n%s",
                      trace->format, text_get(&member->path), constant, line);
}

static bool is_change(const struct trace *trace)
{
    return !strchr("=*", *trace->from);
}

TEST(each_member_is_in_the_table)
{
    make_file("base.gbr");
    for (const struct trace *of = traces; of < traces + N_OF(traces); of++) {
        static struct members members;
        if (of > traces && strcmp(of->format, of[-1].format) == 0)
            continue;
        read_members("base.gbr", of->format, &members);
        for (size_t i = 0; i < members.n; i++) {
            bool is_known = false;
            const char *path = text_get(&members.items[i].path);
            for (size_t j = 0; j < N_OF(traces); j++) {
                if (strcmp(traces[j].format, of->format) != 0 ||
                    fnmatch(traces[j].members, path, 0) != 0)
                    continue;
                is_known = true;
                if (*traces[j].from == '=')
                    check_constant(&traces[j], &members.items[i]);
            }
            ck_assert_msg(is_known, "%s: where does %s come from?\n%s", of->format, path,
                          text_get(&members.items[i].values));
        }
        clear_members(&members);
    }
}

TEST_TIMES(members_follow_the_file, N_OF(traces))
{
    static struct members base, changed;
    const struct trace *trace = &traces[_i];
    size_t n_found = 0;
    make_file("base.gbr");
    read_members("base.gbr", trace->format, &base);
    if (is_change(trace))
        fixture_change("base.gbr", trace->from);
    read_members("base.gbr", trace->format, &changed);
    for (size_t i = 0; i < base.n; i++) {
        const char *path = text_get(&base.items[i].path);
        const struct member *now = find_member(&changed, path);
        if (fnmatch(trace->members, path, 0) != 0)
            continue;
        n_found++;
        ck_assert_msg(!is_change(trace) || !now ||
                          strcmp(text_get(&now->values), text_get(&base.items[i].values)) != 0,
                      "%s: %s is the same after %s:\n%s", trace->format, path, trace->from,
                      text_get(&base.items[i].values));
    }
    ck_assert_msg(n_found > 0, "%s: no %s", trace->format, trace->members);
    clear_members(&base);
    clear_members(&changed);
}
