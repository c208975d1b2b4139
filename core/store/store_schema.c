/* store_schema.c - see store_schema.h. The comments of the columns are those of the file itself. */
#include "core/store/store_schema.h"

#include "core/base/number_format.h"
#include "core/store/store_internal.h"

const char *const telemetry_moments[TELEMETRY_MOMENTS] = {"begin", "end", "before"};

/* ---- words ---- */

static const char *type_word(int32_t type)
{
    return type >= 0 && type <= GB_TYPE_DURATION ? option_type_word((uint32_t)type) : "string";
}

static int32_t type_named(const char *word)
{
    for (int32_t type = 1; type <= GB_TYPE_DURATION; type++)
        if (text_equal(type_word(type), word))
            return type;
    return GB_TYPE_STRING;
}

/* "fp32"; "" for 0 and what is unknown. */
static const char *format_word(int32_t format)
{
    const struct gb_format *known = number_format_of((uint32_t)format);
    return known ? known->name : "";
}

static int32_t format_named(const char *word)
{
    const struct gb_format *known = number_format_named(word);
    return known ? (int32_t)known->format : 0;
}

static const char *const unit_words[] = {[0] = "",
                                         [GB_MATH_SCALAR] = "scalar",
                                         [GB_MATH_VECTOR] = "vector",
                                         [GB_MATH_TENSOR] = "tensor"};
enum { UNIT_WORDS = sizeof unit_words / sizeof *unit_words };

static const char *unit_word(int32_t unit)
{
    return unit_words[unit > 0 && unit < UNIT_WORDS ? unit : 0];
}

static int32_t unit_named(const char *word)
{
    return (int32_t)(text_index(WORDS_OF(unit_words, UNIT_WORDS), word) % UNIT_WORDS);
}

static const struct stored_words activity_kinds = {activity_word, activity_named};
static const struct stored_words statuses = {case_status_word, case_status_named};
static const struct stored_words verdicts = {verdict_words, verdict_named};
static const struct stored_words types = {type_word, type_named};
static const struct stored_words formats = {format_word, format_named};
static const struct stored_words units = {unit_word, unit_named};

/* ---- columns ---- */

#define ROW struct stored_run
#define IF_ENDED .guard = offsetof(ROW, has_ended)
static const struct stored_column run_columns[] = {
    COLUMN(id, "INTEGER PRIMARY KEY", 1, id, "in this file only; uuid is the same in every file",
           .role = ROLE_ID),
    COLUMN(uuid, "TEXT NOT NULL UNIQUE", 1, record.uuid, NULL, .shown_as = "run_uuid",
           RESULT("UUID of the run, the same in every file")),
    COLUMN(started, "TEXT NOT NULL", 1, record.started,
           "UTC, ISO 8601; runs are numbered by (started, uuid)", .shown_as = "run_started",
           RESULT("When the run began (UTC, ISO 8601)")),
    COLUMN(finished, "TEXT", 1, record.finished, "NULL: still running, or killed", IF_ENDED),
    COLUMN(exit_code, "INTEGER", 1, exit_code, "of gbrun; NULL with finished", IF_ENDED),
    COLUMN(version, "TEXT NOT NULL", 1, record.version, "of gbrun", .shown_as = "gbrun_version",
           RESULT("Version of gbrun that measured the case")),
    COLUMN(command_line, "TEXT NOT NULL", 1, record.command_line, NULL),
    COLUMN(config_path, "TEXT NOT NULL", 1, record.config_path, NULL),
    COLUMN(config_folder, "TEXT NOT NULL", 1, record.config_folder,
           "relative paths in config start here"),
    COLUMN(config, "TEXT NOT NULL", 1, record.config, "the settings used, as a configuration file"),
    COLUMN(config_sha256, "TEXT NOT NULL", 1, record.config_sha256, NULL),
    COLUMN(seed, "INTEGER NOT NULL", 1, record.seed, NULL),
    COLUMN(n_cases, "INTEGER NOT NULL", 1, record.n_cases,
           "of the sweep, each round and each device counted"),
};
#undef ROW

#define ROW struct fact
static const struct stored_column run_fact_columns[] = {
    COLUMN_PARENT(run_id, "run", 1),
    COLUMN(name, "TEXT NOT NULL", 1, name, NULL),
    COLUMN(value, "TEXT NOT NULL", 1, value, NULL),
};
static const struct stored_column device_fact_columns[] = {
    COLUMN_PARENT(device_id, "device", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(name, "TEXT NOT NULL", 1, name, NULL),
    COLUMN(value, "TEXT NOT NULL", 1, value, NULL),
};
#undef ROW

#define ROW struct module_record
static const struct stored_column module_columns[] = {
    COLUMN_PARENT(run_id, "run", 1),
    COLUMN(kind, "TEXT NOT NULL", 1, kind, "benchmark, policy, device"),
    COLUMN(id, "TEXT NOT NULL", 1, id, NULL),
    COLUMN(version, "TEXT NOT NULL", 1, version, NULL),
    COLUMN(path, "TEXT NOT NULL", 1, path, NULL),
    COLUMN(sha256, "TEXT NOT NULL", 1, sha256, "of the file"),
};
#undef ROW

#define ROW struct stored_device
static const struct stored_column device_columns[] = {
    COLUMN(id, "INTEGER PRIMARY KEY", 1, id, NULL, .role = ROLE_ID),
    COLUMN(record_uuid, "TEXT NOT NULL UNIQUE", 1, record_uuid, "of this row"),
    COLUMN_PARENT(run_id, "run", 1),
    COLUMN(plugin, "TEXT NOT NULL", 1, record.plugin, NULL),
    COLUMN(name, "TEXT NOT NULL", 1, record.name,
           "of the [device NAME] section, or the plugin's id"),
    COLUMN(number, "INTEGER NOT NULL", 1, record.index, "among the plugin's devices, from 0",
           .shown_as = "device_number", RESULT("Which of the plugin's devices, from 0"),
           .is_real = true),
    COLUMN(model, "TEXT NOT NULL", 1, record.model, NULL, .shown_as = "device_model",
           RESULT("Model of the device")),
    COLUMN(uuid, "TEXT NOT NULL", 1, record.uuid, "of the hardware, or empty",
           .shown_as = "device_uuid", RESULT("UUID of the device; empty if it has none")),
};
#undef ROW

#define ROW struct clock_record
static const struct stored_column clock_columns[] = {
    COLUMN_PARENT(device_id, "device", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(name, "TEXT NOT NULL", 1, name, NULL),
    COLUMN(tick_ns, "REAL", 1, tick_ns, "timer resolution"),
    COLUMN(overhead_ns, "REAL", 1, overhead_ns, "timer overhead; never subtracted"),
};
#undef ROW

#define ROW struct stored_case
#define IF_ESTIMATED .guard = offsetof(ROW, record.has_estimate)
#define IF_WATCHED .guard = offsetof(ROW, record.interference.is_known)
static const struct stored_column case_columns[] = {
    COLUMN(id, "INTEGER PRIMARY KEY", 1, id, NULL, .role = ROLE_ID),
    COLUMN(uuid, "TEXT NOT NULL UNIQUE", 1, record.uuid, "of this record"),
    COLUMN(run_id, "INTEGER NOT NULL REFERENCES run ON DELETE CASCADE", 1, run_id, NULL,
           .role = ROLE_PARENT),
    COLUMN(
        uid, "TEXT NOT NULL", 1, record.uid,
        "the case's identity, the same in every run and on every machine",
        RESULT("Identity of what was measured: the same for the same case in every run and file")),
    COLUMN(bench, "TEXT NOT NULL", 1, bench, "NAME of [bench NAME]",
           RESULT("Name of the [bench NAME] section")),
    COLUMN(plugin, "TEXT NOT NULL", 1, plugin, NULL, RESULT("Id of the benchmark plugin")),
    COLUMN(plugin_version, "TEXT NOT NULL", 1, plugin_version, NULL, RESULT("Its version")),
    COLUMN(plugin_sha256, "TEXT NOT NULL DEFAULT ''", 4, record.builds[GB_PLUGIN_BENCH - 1],
           "of the module that ran, as in module; '': not known"),
    COLUMN(policy_sha256, "TEXT NOT NULL DEFAULT ''", 4, record.builds[GB_PLUGIN_POLICY - 1],
           "likewise of the policy"),
    COLUMN(device_sha256, "TEXT NOT NULL DEFAULT ''", 4, record.builds[GB_PLUGIN_DEVICE - 1],
           "likewise of the device"),
    COLUMN(position, "INTEGER NOT NULL", 1, position, "in the sweep, from 0",
           RESULT("Number of the case in the sweep, from 0")),
    COLUMN(sequence, "INTEGER NOT NULL", 1, record.sequence, "in the order measured, from 0",
           RESULT("Order in which cases were measured, from 0")),
    COLUMN(round, "INTEGER NOT NULL", 1, record.round, "from 0"),
    COLUMN(part, "INTEGER NOT NULL DEFAULT 0", 12, record.is_part,
           "1: with rounds = auto, so that the policy took a part of the samples"),
    COLUMN(pid, "INTEGER NOT NULL DEFAULT 0", 13, record.pid,
           "of the process that it ran in; 0: not known",
           RESULT("Process that it ran in: visits of one number share what a process fixes; 0: not "
                  "known")),
    COLUMN(attempt, "INTEGER NOT NULL DEFAULT 0", 10, record.attempt,
           "of run --claim: larger where the case was taken from a task that was gone"),
    COLUMN(policy, "TEXT NOT NULL", 1, policy, "NAME of [policy NAME], or the plugin's id",
           RESULT("Name of the [policy NAME] section, or the id of the policy plugin")),
    COLUMN(policy_plugin, "TEXT NOT NULL", 1, policy_plugin, NULL,
           RESULT("Id of the policy plugin")),
    COLUMN(policy_options, "TEXT NOT NULL", 1, policy_options,
           "key=value, as written, blanks between", RESULT("Options of the policy, as key=value")),
    COLUMN(device_id, "INTEGER REFERENCES device", 1, record.device_id, "NULL: none was opened",
           .role = ROLE_DEVICE),
    COLUMN(device_name, "TEXT NOT NULL", 1, device_name, "as asked for", .shown_as = "device",
           RESULT("Name of the [device NAME] section, or the id of the device plugin")),
    COLUMN(device_index, "INTEGER NOT NULL", 1, device_index, "as asked for; -1: any"),
    COLUMN(cache, "TEXT NOT NULL", 1, cache, "warm or cold before each sample",
           RESULT("warm or cold: whether caches were flushed before every sample")),
    COLUMN(launch, "TEXT NOT NULL DEFAULT 'stream'", 2, launch,
           "stream, graph or auto, as asked for",
           RESULT("stream, graph or auto: how samples should be launched")),
    COLUMN(pace, "TEXT NOT NULL DEFAULT 'free'", 4, pace,
           "or burst, sustained: how power and heat were handled",
           RESULT("free, burst or sustained: how power and heat were handled")),
    COLUMN(environment, "TEXT NOT NULL", 1, environment, "NAME=value of the process, one a line"),
    COLUMN(seed, "INTEGER NOT NULL", 1, seed, NULL, RESULT("Seed of the case")),
    COLUMN(status, "TEXT NOT NULL", 1, record.status,
           "ok, skipped, failed, wrong result, contradicted, crashed, timed out,\n"
           "device error, cancelled, running",
           .words = &statuses, RESULT("How the case ended: see `gbrun help statuses`")),
    COLUMN(done, "INTEGER NOT NULL", 1, is_done,
           "0: cancelled or running: measured again by --resume"),
    COLUMN(status_text, "TEXT NOT NULL", 1, record.status_text, NULL,
           RESULT("Details of the status, such as the signal or the plugin's reason")),
    COLUMN(stop_reason, "TEXT NOT NULL", 1, record.stop_reason, NULL,
           RESULT("Why no further sample was taken")),
    COLUMN(clock, "TEXT NOT NULL", 1, record.clock, "the column of samples that counts",
           RESULT("The clock that counts")),
    COLUMN(iterations, "INTEGER NOT NULL", 1, record.iterations, "in a sample",
           RESULT("Runs of the code in one sample")),
    COLUMN(tick_ns, "REAL", 1, record.tick_ns, "of the clock", RESULT_IN(NS, "Timer resolution")),
    COLUMN(overhead_ns, "REAL", 1, record.overhead_ns, "timer overhead, on the clock",
           RESULT_IN(NS, "Timer overhead of one sample; it is not subtracted")),
    COLUMN(launched, "TEXT NOT NULL DEFAULT ''", 4, record.launched,
           "stream or graph: as samples were; '': not known"),
    COLUMN(offset_ns, "REAL DEFAULT 0", 4, record.offset_ns,
           "subtracted from each sample: the clock's reading without any work",
           RESULT_IN(NS, "The clock's reading without any work; subtracted from every sample")),
    COLUMN(offset_error_ns, "REAL DEFAULT 0", 4, record.offset_error_ns,
           "half the width of its 95 % interval; part of that of the estimate",
           RESULT_IN(
               NS, "Half the width of its 95 % interval; the estimate's interval is wider by it")),
    COLUMN(dithered, "INTEGER NOT NULL DEFAULT 0", 4, record.is_dithered,
           "the phase of samples against the clock is uniform: means resolve more than tick_ns",
           RESULT("1: samples fall anywhere between two ticks, so that their mean "
                  "resolves more than one")),
    COLUMN(graph_ns, "REAL DEFAULT 0", 4, record.graph_ns,
           "of an iteration in the stream: what it takes as a graph; 0: not known",
           RESULT_IN(NS, "Time of an iteration as a graph, if it was launched in the stream"),
           .is_amount = true),
    COLUMN(reading_note, "TEXT NOT NULL DEFAULT ''", 4, record.reading_note,
           "why samples were not taken as asked for, or as others are",
           RESULT("Why samples were not taken as requested, or not as in other cases")),
    COLUMN(started, "TEXT NOT NULL", 1, record.started, "UTC, ISO 8601",
           RESULT("When the case began (UTC, ISO 8601)")),
    COLUMN(wall_ns, "REAL", 1, record.wall_ns, "from create to destroy",
           RESULT_IN(NS, "Total time of the case")),
    COLUMN(
        build_ns, "REAL DEFAULT 0", 11, record.build_ns,
        "before that, without the device, on a lane of a search, stops included; 0: not there",
        RESULT_IN(
            NS, "Time that building it on a lane of its search took before that, stops included")),
    COLUMN(
        n_lanes, "INTEGER NOT NULL DEFAULT 0", 11, record.n_lanes,
        "lanes that built other cases while it was measured: the most at a time",
        .shown_as = "lanes",
        RESULT(
            "Lanes of its search that built other cases while it was measured: the most at a time"),
        .is_real = true),
    COLUMN(lock_wait_ns, "REAL DEFAULT 0", 5, record.lock_wait_ns,
           "for other gbrun processes on the device or the machine; in no other time",
           RESULT_IN(NS, "Time that it waited before that for another gbrun process on the device "
                         "or the machine")),
    COLUMN(n_samples, "INTEGER NOT NULL", 1, record.n_samples, NULL, RESULT("Number of samples")),
    COLUMN(n_lost, "INTEGER NOT NULL", 1, record.n_lost, "samples whose times were lost",
           RESULT("Samples whose times the device lost")),
    COLUMN(n_throttled, "INTEGER NOT NULL", 1, n_throttled,
           "samples during which the device was throttled",
           RESULT("Samples during which the device was throttled")),
#define PACE_COLUMN(type, member, column, sql, since, comment, ...)                                \
    COLUMN(column, sql, since, record.pace.member, comment, __VA_ARGS__),
    PACE_MAP(PACE_COLUMN)
#undef PACE_COLUMN
        COLUMN(sampled_ns, "REAL", 5, record.interference.sampled_ns,
               "from before the first sample to after the last; NULL: not known, as what follows",
               IF_WATCHED),
    COLUMN(
        others_cpu_ns, "REAL", 5, record.interference.others_cpu_ns,
        "that all processors worked for other processes meanwhile", IF_WATCHED,
        RESULT_IN(NS, "Processor time of other processes between its first sample and its last")),
    COLUMN(stolen_ns, "REAL", 5, record.interference.stolen_ns,
           "that the hypervisor took from all processors", IF_WATCHED,
           RESULT_IN(NS, "Processor time that the hypervisor gave to other guests meanwhile")),
    COLUMN(waited_cpu_ns, "REAL", 5, record.interference.waited_cpu_ns,
           "that threads of the worker waited for a processor", IF_WATCHED,
           RESULT_IN(NS, "Time that its threads waited for a processor meanwhile")),
    COLUMN(n_preempted, "INTEGER", 5, record.interference.n_preempted,
           "how often one was taken from them", IF_WATCHED,
           RESULT("How often a processor was taken from them"), .is_real = true),
#define PHASE_COLUMN(member, words, help) COLUMN(member, "REAL", 8, record.phases.member, help),
    PHASES_MAP(PHASE_COLUMN)
#undef PHASE_COLUMN
        COLUMN(n_kernels, "INTEGER", 4, record.n_kernels, "in one sample; NULL: not known",
               .guard = offsetof(ROW, record.has_activities), .shown_as = "kernels",
               RESULT("Kernels in one sample"), .is_real = true),
    COLUMN(min_ns, "REAL", 1, summary.min,
           "of one iteration, over the samples on the clock, as all that follow",
           RESULT_IN(NS, "Shortest time")),
    COLUMN(max_ns, "REAL", 1, summary.max, NULL, RESULT_IN(NS, "Longest time")),
    COLUMN(mean_ns, "REAL", 1, summary.mean, NULL, RESULT_IN(NS, "Mean time")),
    COLUMN(stdev_ns, "REAL", 1, summary.stdev, NULL,
           RESULT_IN(NS, "Standard deviation of the times")),
    COLUMN(median_ns, "REAL", 1, summary.median, NULL,
           RESULT_IN(NS, "Median time of one iteration")),
    COLUMN(q1_ns, "REAL", 1, summary.q1, NULL, RESULT_IN(NS, "First quartile (25th percentile)")),
    COLUMN(q3_ns, "REAL", 1, summary.q3, NULL, RESULT_IN(NS, "Third quartile (75th percentile)")),
    COLUMN(p10_ns, "REAL", 1, summary.p10, NULL, RESULT_IN(NS, "10th percentile")),
    COLUMN(p90_ns, "REAL", 1, summary.p90, NULL, RESULT_IN(NS, "90th percentile")),
    COLUMN(p99_ns, "REAL", 1, summary.p99, NULL, RESULT_IN(NS, "99th percentile (tail latency)")),
    COLUMN(verdict, "TEXT", 1, record.estimate.verdict,
           "what the policy guarantees; NULL: it made no estimate", .words = &verdicts,
           IF_ESTIMATED, RESULT("What the policy guarantees: see `gbrun help verdicts`")),
    COLUMN(statistic, "TEXT", 1, record.estimate.statistic, "what it estimates: median, mean",
           IF_ESTIMATED, RESULT("What is estimated: median, mean")),
    COLUMN(estimate_ns, "REAL", 1, record.estimate.value_ns, NULL, IF_ESTIMATED,
           RESULT_IN(NS, "The policy's estimate of the statistic")),
    COLUMN(low_ns, "REAL", 1, record.estimate.low_ns,
           "the interval of the estimate; may be infinite; NULL: none claimed", IF_ESTIMATED,
           RESULT_IN(NS, "Lower end of its confidence interval")),
    COLUMN(high_ns, "REAL", 1, record.estimate.high_ns, NULL, IF_ESTIMATED,
           RESULT_IN(NS, "Upper end of its confidence interval")),
    COLUMN(confidence, "REAL", 1, record.estimate.confidence, "of the interval, 0 to 1",
           IF_ESTIMATED, RESULT_IN(RATIO, "Confidence level of the interval")),
    COLUMN(n_observed, "INTEGER", 1, record.estimate.n, "samples that the policy saw",
           IF_ESTIMATED),
    COLUMN(n_discarded, "INTEGER", 1, record.estimate.n_discarded,
           "of them, left out at the start as warm-up", IF_ESTIMATED),
    COLUMN(
        n_effective, "REAL", 1, record.estimate.n_effective,
        "effective sample size of the rest; 0: not known", IF_ESTIMATED,
        RESULT("Effective sample size: how many independent samples carry the same information")),
    COLUMN(excluded_mode_weight, "REAL", 1, record.estimate.detectable_mode_weight,
           "a mode of this weight would have been detected; 0: not known", IF_ESTIMATED,
           .shown_as = "detectable_mode_weight",
           RESULT_IN(
               RATIO,
               "Smallest share of the samples at which a further mode would have been detected")),
    COLUMN(precision, "REAL", 12, record.estimate.precision,
           "half width of the interval that was asked for, over the estimate; 0 or NULL: none",
           IF_ESTIMATED,
           RESULT_IN(RATIO, "Half width of the interval that the policy asks for; 0: none")),
    COLUMN(note, "TEXT", 6, record.estimate.note,
           "why the verdict is no better, in the policy's words", IF_ESTIMATED,
           RESULT("Why the verdict is no better, in the policy's words")),
    COLUMN(flops, "REAL", 1, record.work.flops,
           "floating-point operations of one iteration; 0: not declared",
           RESULT("Floating-point operations of one iteration")),
    COLUMN(bytes_read, "REAL", 1, record.work.bytes_read, "of one iteration",
           RESULT_IN(BYTES, "Bytes that one iteration reads")),
    COLUMN(bytes_written, "REAL", 1, record.work.bytes_written, NULL,
           RESULT_IN(BYTES, "Bytes that one iteration writes")),
    COLUMN(items, "REAL", 1, record.work.items, "whatever else is counted",
           RESULT("Items that one iteration processes")),
    COLUMN(item, "TEXT", 1, record.work.item, "its name", .has_lines = true,
           RESULT("What an item is")),
    COLUMN(math_format, "TEXT NOT NULL DEFAULT ''", 3, record.work.math_format,
           "of the numbers that are multiplied: fp32, bf16", .words = &formats,
           RESULT("Number format of the operations: fp32, bf16 ...")),
    COLUMN(math_unit, "TEXT NOT NULL DEFAULT ''", 3, record.work.math_unit,
           "what computes: scalar, vector, tensor; '': not declared", .words = &units,
           RESULT("Unit that computes them: scalar, vector, tensor")),
};
#undef ROW

#define ROW struct parameter
static const struct stored_column parameter_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(name, "TEXT NOT NULL", 1, name, NULL),
    COLUMN(value, "TEXT NOT NULL", 1, value.text,
           "canonical: 1048576, 0.005, 2000000ns, yes, words"),
    COLUMN(number, "REAL", 1, value.number,
           "the same as a number (bytes, ns, 0 or 1); NULL: words"),
    COLUMN(type, "TEXT NOT NULL", 1, value.type,
           "int, float, bool, string, choice, bytes, duration", .words = &types),
    COLUMN(is_axis, "INTEGER NOT NULL", 1, is_axis, "of a sweep"),
    COLUMN(is_default, "INTEGER NOT NULL", 1, is_default, "not set: the default of the option"),
    COLUMN(is_variable, "INTEGER NOT NULL", 1, is_variable,
           "let.NAME, not an option of the plugin"),
    COLUMN(is_identity, "INTEGER NOT NULL", 1, is_identity, "part of the uid"),
};
#undef ROW

#define ROW struct sample_chunk
static const struct stored_column samples_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 1),
    COLUMN(name, "TEXT NOT NULL", 1, name,
           "a clock (ns of one iteration), elapsed (ns since the first\n"
           "sample's start), iterations, clock_hz, throttle, flags; a gap\n"
           "is not known (a clock), 0, or the case's iterations"),
    COLUMN(first, "INTEGER NOT NULL", 1, first, "number of the chunk's first sample, from 0"),
    COLUMN(n, "INTEGER NOT NULL", 1, n, "65536 at most"),
    COLUMN(data, "BLOB NOT NULL", 1, data,
           "n IEEE 754 doubles, little-endian; or one that stands for all"),
};
#undef ROW

#define ROW struct metric_record
static const struct stored_column metric_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(name, "TEXT NOT NULL", 1, name, NULL),
    COLUMN(value, "REAL", 1, value, "NULL: not a number"),
    COLUMN(unit, "TEXT NOT NULL", 1, unit, NULL),
};
#undef ROW

#define ROW struct check_record
static const struct stored_column check_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(name, "TEXT NOT NULL", 1, name, "of the output"),
    COLUMN(metric, "TEXT NOT NULL", 1, metric, "abs, rel, rel_floor, ulp, rms, bound"),
    COLUMN(value, "REAL", 1, value, NULL),
    COLUMN(tolerance, "REAL", 1, tolerance, "NULL: measured, not judged"),
    COLUMN(passed, "INTEGER NOT NULL", 1, passed, NULL),
    COLUMN(element, "INTEGER NOT NULL", 1, index, "index of the worst one"),
    COLUMN(reference, "REAL", 1, reference, "there; NULL: not a number"),
    COLUMN(output, "REAL", 1, output, NULL),
    COLUMN(text, "TEXT NOT NULL", 1, text, NULL, .has_lines = true),
};
#undef ROW

#define ROW struct check_summary_record
static const struct stored_column check_summary_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 2),
    COLUMN_ORDINAL(2, "from 0"),
    COLUMN(name, "TEXT NOT NULL", 2, name, "of the output, as in check_result"),
    COLUMN(n, "INTEGER NOT NULL", 2, n, "compared"),
    COLUMN(n_exact, "INTEGER NOT NULL", 2, n_exact,
           "equal to the reference rounded to the output's format"),
    COLUMN(n_overflowed, "INTEGER NOT NULL", 2, n_overflowed, "infinities in the output"),
    COLUMN(n_nan, "INTEGER NOT NULL", 2, n_nan, "in the output where the reference is none"),
    COLUMN(n_infinite_mismatch, "INTEGER NOT NULL", 2, n_infinite_mismatch,
           "infinite on one side only"),
    COLUMN(n_zero_mismatch, "INTEGER NOT NULL", 2, n_zero_mismatch, "reference 0, output not"),
    COLUMN(floor, "REAL", 8, floor, "check.floor; NULL: not known, as check_histogram.above_floor"),
};
#undef ROW

#define ROW struct histogram_row
static const struct stored_column check_histogram_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 2),
    COLUMN(ordinal, "INTEGER NOT NULL", 2, ordinal, "of its check_summary"),
    COLUMN(class, "INTEGER NOT NULL", 2, class, "from 0; classes without elements are left out"),
    COLUMN(label, "TEXT NOT NULL", 2, label, "of the class: 0, (0, 1e-6), [1e-6, 1e-5) ..."),
    COLUMN(count, "INTEGER NOT NULL", 2, count, "of elements"),
    COLUMN(above_floor, "INTEGER NOT NULL DEFAULT 0", 8, above_floor,
           "of these, with a reference above check_summary.floor in magnitude"),
};
#undef ROW

#define ROW struct worst_record
static const struct stored_column check_worst_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 8),
    COLUMN_ORDINAL(8, "comparisons one after the other, the worst element first"),
    COLUMN(name, "TEXT NOT NULL", 8, name, "of the output, as in check_result"),
    COLUMN(element, "INTEGER NOT NULL", 8, index, "its index"),
    COLUMN(reference, "REAL", 8, reference, "rounded to the output's format"),
    COLUMN(output, "REAL", 8, output, NULL),
    COLUMN(ulps, "REAL", 8, ulps, "their difference in spacings of the reference"),
};
#undef ROW

#define ROW struct gb_mode
static const struct stored_column mode_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(median_ns, "REAL", 1, median_ns, NULL),
    COLUMN(low_ns, "REAL", 1, low_ns, NULL),
    COLUMN(high_ns, "REAL", 1, high_ns, NULL),
    COLUMN(weight, "REAL", 1, weight, "share of the samples, 0 to 1"),
};
#undef ROW

#define ROW struct telemetry_row
static const struct stored_column telemetry_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 2),
    COLUMN(moment, "TEXT NOT NULL", 2, moment,
           "before: before anything of the case was run;\n"
           "begin: before the first sample; end: after the last one"),
    COLUMN(elapsed_ns, "REAL NOT NULL", 2, record.elapsed_ns, "since begin, on the host's clock"),
    COLUMN(iterations, "INTEGER NOT NULL", 2, record.iterations,
           "run since begin, lost ones included"),
    COLUMN(clock_hz, "REAL", 2, record.values.clock_hz, NULL),
    COLUMN(memory_clock_hz, "REAL", 2, record.values.memory_clock_hz, NULL,
           RESULT_IN(HZ, "Clock rate of its memory after the last sample")),
    COLUMN(temperature_celsius, "REAL", 2, record.values.temperature_celsius, NULL,
           RESULT_IN(CELSIUS, "Temperature of the device after the last sample")),
    COLUMN(power_watts, "REAL", 2, record.values.power_watts, NULL),
    COLUMN(energy_joules, "REAL", 2, record.values.energy_joules, "a counter that only grows"),
    COLUMN(throttle, "INTEGER NOT NULL", 2, record.values.throttle,
           "the device's own bits; 0: not throttled"),
    COLUMN(throttle_text, "TEXT NOT NULL", 2, record.values.throttle_text, "what they mean"),
    COLUMN(n_others, "INTEGER NOT NULL DEFAULT 0", 6, record.values.n_others,
           "other processes that computed on the device"),
};
#undef ROW

#define ROW struct sentinel_row
static const struct stored_column sentinel_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 12),
    COLUMN(moment, "TEXT NOT NULL", 12, moment, "begin: before the first sample; end: after all"),
    COLUMN(at, "TEXT NOT NULL", 12, record.at, "UTC, ISO 8601"),
    COLUMN(version, "INTEGER NOT NULL", 12, record.version,
           "of the work; times of different versions are not compared"),
    COLUMN(time_ns, "REAL NOT NULL", 12, record.time_ns, NULL),
};
#undef ROW

#define ROW struct gb_activity
static const struct stored_column activity_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 4),
    COLUMN_ORDINAL(4, "in the order in which they were put on the queue"),
    COLUMN(kind, "TEXT NOT NULL", 4, kind, "kernel, copy, fill, other", .words = &activity_kinds),
    COLUMN(name, "TEXT NOT NULL", 4, name, "of the kernel; else what it is, in words"),
    COLUMN(grid_x, "INTEGER NOT NULL", 4, grid[0], "blocks of a kernel; else 0"),
    COLUMN(grid_y, "INTEGER NOT NULL", 4, grid[1], NULL),
    COLUMN(grid_z, "INTEGER NOT NULL", 4, grid[2], NULL),
    COLUMN(block_x, "INTEGER NOT NULL", 4, block[0], "threads of a block"),
    COLUMN(block_y, "INTEGER NOT NULL", 4, block[1], NULL),
    COLUMN(block_z, "INTEGER NOT NULL", 4, block[2], NULL),
    COLUMN(registers, "INTEGER NOT NULL", 4, registers, "of a thread"),
    COLUMN(shared_bytes, "INTEGER NOT NULL", 4, shared_bytes, "of a block, static and dynamic"),
    COLUMN(bytes, "INTEGER NOT NULL", 4, bytes, "copied or filled"),
    COLUMN(occupancy, "REAL", 4, occupancy,
           "threads that fit on a multiprocessor over those it has, 0 to 1; NULL: not known"),
    COLUMN(parallel, "INTEGER NOT NULL", 4, parallel,
           "0: follows the one before; else the number of its parallel section,\n"
           "all of which have the times of the whole section"),
    COLUMN(time_ns, "REAL", 4, time_ns, "its own time, the mean; NULL: not measured"),
    COLUMN(low_ns, "REAL", 4, low_ns, "the 95 % interval of the mean"),
    COLUMN(high_ns, "REAL", 4, high_ns, NULL),
    COLUMN(gap_ns, "REAL", 4, gap_ns, "between the end of the one before and its start"),
};
#undef ROW

#define ROW struct series_row
#define QUANTILE(name, i)                                                                          \
    COLUMN(name, "REAL", 9, record.quantiles[i].value, NULL),                                      \
        COLUMN(name##_low, "REAL", 9, record.quantiles[i].low, NULL),                              \
        COLUMN(name##_high, "REAL", 9, record.quantiles[i].high, NULL)
static const struct stored_column series_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 9),
    COLUMN_ORDINAL(9, NULL),
    COLUMN(name, "TEXT NOT NULL", 9, record.name, NULL),
    COLUMN(unit, "TEXT NOT NULL", 9, record.unit, NULL),
    COLUMN(n, "INTEGER NOT NULL", 9, record.n, "values"),
    COLUMN(n_refused, "INTEGER NOT NULL", 9, record.n_refused,
           "others, that were not finite or 2^64 and above"),
    COLUMN(min, "REAL", 9, record.min, NULL),
    COLUMN(max, "REAL", 9, record.max, NULL),
    COLUMN(mean, "REAL", 9, record.mean, NULL),
    COLUMN(stdev, "REAL", 9, record.stdev, NULL),
    COLUMN(error_ratio, "REAL NOT NULL", 9, record.error_ratio,
           "of quantiles and bins: each value is known to this share of it; 0: exactly"),
    COLUMN(p50, "REAL", 9, record.quantiles[0].value,
           "quantiles, and the 95 % interval of each, of the effective sample\n"
           "size; an end that it is too small for is infinite"),
    COLUMN(p50_low, "REAL", 9, record.quantiles[0].low, NULL),
    COLUMN(p50_high, "REAL", 9, record.quantiles[0].high, NULL),
    QUANTILE(p90, 1),
    QUANTILE(p99, 2),
    QUANTILE(p999, 3),
    COLUMN(n_bins, "INTEGER NOT NULL", 9, record.n_bins, NULL),
    COLUMN(bins, "BLOB NOT NULL", 9, bins,
           "n_bins pairs of IEEE 754 doubles, little-endian: a value,\n"
           "ascending, and how many there are of it"),
};
#undef QUANTILE
#undef ROW

#define ROW struct message_record
static const struct stored_column message_columns[] = {
    COLUMN_PARENT(case_id, "bench_case", 1),
    COLUMN_ORDINAL(1, NULL),
    COLUMN(severity, "INTEGER NOT NULL", 1, severity,
           "0 debug, 1 info, 2 warning, 3 error, 4 bug of the plugin,\n"
           "5 bug of gbrun"),
    COLUMN(text, "TEXT NOT NULL", 1, text, NULL, .has_lines = true),
};
#undef ROW

/* ---- which of two rows wins; the view ---- */

/* A run that has ended wins over a copy of it that had not; of two ends the later one. The last
 * members make the order total, so that the order of merging does not matter. */
#define RUN_RANK(row)                                                                              \
    "(ifnull(" row ".finished, ''), ifnull(" row ".exit_code, -1), " row ".n_cases, " row          \
    ".version, " row ".command_line, " row ".config_path, " row ".config_folder, " row ".config)"

/* The record that came to its end wins over one that was still being measured, then the one with
 * more samples. */
#define CASE_RANK(row)                                                                             \
    "(" row ".done, " row ".status <> 'running', " row ".attempt, " row ".n_samples)"

/* A row is one visit; the policies' word stands in bench_case. */
#define VISIT_VERDICT                                                                              \
    "CASE c.verdict WHEN 'certified' THEN 'certified in this visit' ELSE c.verdict END AS verdict"

static const char result_view[] =
    "CREATE VIEW result AS -- one readable row a case and round; times in ns of one iteration\n"
    "SELECT (SELECT count(*) FROM run AS e WHERE (e.started, e.uuid) <= (r.started, r.uuid))\n"
    "        AS run,\n"
    "    r.uuid AS run_uuid, c.bench, c.plugin,\n"
    "    c.bench || (SELECT ifnull(' ' || group_concat(name || '=' || CASE\n"
    "            WHEN value = '' OR value GLOB '*[' || char(9) || ' \"]*'\n"
    "            THEN '\"' || value || '\"' ELSE value END, ' '), '')\n"
    "        FROM (SELECT name, value FROM parameter WHERE case_id = c.id AND is_axis\n"
    "            ORDER BY ordinal)) AS label, -- bench and axes\n"
    "    (SELECT group_concat(name || '=' || value, ' ')\n"
    "        FROM (SELECT name, value FROM parameter WHERE case_id = c.id ORDER BY ordinal))\n"
    "        AS parameters,\n"
    "    d.model AS device, c.policy, c.cache, c.launch, c.pace, c.clock, c.round,\n"
    "    c.started,\n"
    "    c.status, c.status_text, c.stop_reason, " VISIT_VERDICT ", c.n_samples, c.n_effective,\n"
    "    c.n_discarded, c.median_ns, c.statistic, c.estimate_ns, c.low_ns, c.high_ns,\n"
    "    c.confidence, c.mean_ns, c.stdev_ns, c.min_ns, c.max_ns,\n"
    "    (c.q3_ns - c.q1_ns) / c.median_ns AS spread, -- the relative IQR\n"
    "    -- rates are over the estimate of the median, or else over the samples' median\n"
    "    nullif(c.flops, 0) / c.time_ns AS gflops,\n"
    "    nullif(c.bytes_read + c.bytes_written, 0) / c.time_ns * 1e9 AS bytes_per_s,\n"
    "    CASE (SELECT min(passed) FROM check_result\n"
    "        WHERE case_id = c.id AND (tolerance IS NOT NULL OR NOT passed))\n"
    "        WHEN 0 THEN 'failed' WHEN 1 THEN 'ok' ELSE 'unchecked' END AS verified,\n"
    "    c.uid, c.uuid\n"
    "FROM (SELECT *, CASE WHEN (statistic = 'median' OR (statistic = 'mean' AND dithered))\n"
    "        AND estimate_ns > 0 THEN estimate_ns ELSE median_ns END AS time_ns\n"
    "    FROM bench_case) AS c\n"
    "    JOIN run AS r ON r.id = c.run_id LEFT JOIN device AS d ON d.id = c.device_id\n"
    "WHERE " STORE_IS_LATEST "\n"
    "ORDER BY r.started, r.uuid, c.sequence, c.started, c.uuid";

/* JSON knows neither infinities nor NaN. */
#define IS_FINITE " BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308"
/* The parameters of a case as an object: bytes, ns, true and false. The condition that chooses
 * among them stands between the two. */
#define PARAMETERS_BEGIN                                                                           \
    "    (SELECT json_group_object(name, json(CASE\n"                                              \
    "            WHEN type = 'bool' THEN CASE number WHEN 0 THEN 'false' ELSE 'true' END\n"        \
    "            WHEN type IN ('int', 'bytes') THEN json_quote(CAST(value AS INTEGER))\n"          \
    "            WHEN number" IS_FINITE " THEN json_quote(number)\n"                               \
    "            ELSE json_quote(value) END))\n"                                                   \
    "        FROM (SELECT * FROM parameter WHERE case_id = c.id"
#define PARAMETERS_END " ORDER BY ordinal))\n"

static const char case_json_view[] =
    "CREATE VIEW case_json AS -- a row a case and round; options and metrics as JSON objects\n"
    "SELECT c.id AS case_id, r.uuid AS run_uuid, c.uuid, c.uid, c.bench, "
    "c.round,\n" PARAMETERS_BEGIN PARAMETERS_END
    "        AS parameters, -- bytes, ns, true and false\n" PARAMETERS_BEGIN
    " AND is_axis" PARAMETERS_END "        AS axes, -- of them, those that are swept\n"
    "    (SELECT json_group_object(name, CASE WHEN value" IS_FINITE " THEN value END)\n"
    "        FROM (SELECT * FROM metric WHERE case_id = c.id ORDER BY ordinal)) AS metrics,\n"
    "    c.status, " VISIT_VERDICT
    ", c.n_samples, c.median_ns, c.estimate_ns, c.low_ns, c.high_ns\n"
    "FROM bench_case AS c JOIN run AS r ON r.id = c.run_id\n"
    "WHERE " STORE_IS_LATEST "\n"
    "ORDER BY r.started, r.uuid, c.sequence, c.started, c.uuid";

/* ---- tables ---- */

#define TABLE(name_, comment_, columns_, row, parent_, ...)                                        \
    {                                                                                              \
        .name = name_, .comment = comment_, .columns = columns_,                                   \
        .n_columns = sizeof columns_ / sizeof *columns_, .row_bytes = sizeof(row),                 \
        .parent = parent_, __VA_ARGS__                                                             \
    }
const struct stored_schema store_schema = {
    .views = {{"result", result_view, 12}, {"case_json", case_json_view, 12}},
    .tables[TABLE_RUN] = TABLE("run", "one call of `gbrun run`", run_columns, struct stored_run,
                               TABLE_NONE, .order = STORE_RUN_ORDER, .uuid = "uuid",
                               .newer = RUN_RANK("excluded") " > " RUN_RANK("run")),
    .tables[TABLE_RUN_FACT] = TABLE(
        "run_fact", "about the machine: host, kernel, cpu, governor ...", run_fact_columns,
        struct fact, TABLE_RUN, .key = "run_id, name, value"),
    .tables[TABLE_MODULE] = TABLE("module", "a build of a plugin that ran in a run", module_columns,
                                  struct module_record, TABLE_RUN,
                                  .key = "run_id, kind, id, path, sha256, version"),
    .tables[TABLE_DEVICE] = TABLE("device", "a device opened in a run", device_columns,
                                  struct stored_device, TABLE_RUN,
                                  .order = "name, number, record_uuid", .uuid = "record_uuid",
                                  .index = "CREATE INDEX device_run ON device (run_id)"),
    .tables[TABLE_DEVICE_FACT] = TABLE("device_fact", "driver, memory, units ...",
                                       device_fact_columns, struct fact, TABLE_DEVICE,
                                       .key = "device_id, ordinal"),
    .tables[TABLE_CLOCK] = TABLE("clock", "a clock of a device", clock_columns, struct clock_record,
                                 TABLE_DEVICE, .key = "device_id, ordinal"),
    .tables[TABLE_CASE] = TABLE(
        "bench_case", "one case, measured once: a point of a sweep, in one round", case_columns,
        struct stored_case, TABLE_RUN, .order = "id", .uuid = "uuid",
        .newer = CASE_RANK("excluded") " > " CASE_RANK("bench_case"),
        .index = "CREATE INDEX bench_case_place ON bench_case (run_id, position, round)"),
    .tables[TABLE_PARAMETER] = TABLE("parameter", "an option or variable of a case",
                                     parameter_columns, struct parameter, TABLE_CASE,
                                     .key = "case_id, ordinal"),
    .tables[TABLE_SAMPLES] = TABLE("samples", "the samples of a case, by column, in chunks",
                                   samples_columns, struct sample_chunk, TABLE_CASE,
                                   .key = "case_id, name, first", .has_rowid = true),
    .tables[TABLE_METRIC] = TABLE("metric", "a number that the plugin or the policy reported",
                                  metric_columns, struct metric_record, TABLE_CASE,
                                  .key = "case_id, ordinal"),
    .tables[TABLE_SERIES] = TABLE("series", "samples that the benchmark reports itself, by name",
                                  series_columns, struct series_row, TABLE_CASE,
                                  .key = "case_id, ordinal"),
    .tables[TABLE_CHECK] = TABLE("check_result", "one metric of the comparison of one output",
                                 check_columns, struct check_record, TABLE_CASE,
                                 .key = "case_id, ordinal"),
    .tables[TABLE_CHECK_SUMMARY] = TABLE(
        "check_summary", "one comparison of one output; counts of elements", check_summary_columns,
        struct check_summary_record, TABLE_CASE, .key = "case_id, ordinal"),
    .tables[TABLE_CHECK_HISTOGRAM] = TABLE(
        "check_histogram", "relative differences of one comparison; adds up to its n",
        check_histogram_columns, struct histogram_row, TABLE_CASE,
        .key = "case_id, ordinal, class"),
    .tables[TABLE_CHECK_WORST] = TABLE(
        "check_worst", "elements with the largest errors, as many as check.worst asks for",
        check_worst_columns, struct worst_record, TABLE_CASE, .key = "case_id, ordinal"),
    .tables[TABLE_MODE] = TABLE("mode", "of a case with several modes", mode_columns,
                                struct gb_mode, TABLE_CASE, .key = "case_id, ordinal"),
    .tables[TABLE_TELEMETRY] = TABLE(
        "telemetry", "the device's own readings around the samples; NULL: not known",
        telemetry_columns, struct telemetry_row, TABLE_CASE, .key = "case_id, moment"),
    .tables[TABLE_SENTINEL] = TABLE(
        "sentinel", "how long the device's own reference work took beside the samples",
        sentinel_columns, struct sentinel_row, TABLE_CASE, .key = "case_id, moment"),
    .tables[TABLE_ACTIVITY] = TABLE("activity", "kernels, copies and fills of one sample of a case",
                                    activity_columns, struct gb_activity, TABLE_CASE,
                                    .key = "case_id, ordinal"),
    .tables[TABLE_MESSAGE] = TABLE("message", NULL, message_columns, struct message_record,
                                   TABLE_CASE, .key = "case_id, ordinal"),
};
