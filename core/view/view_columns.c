/* view_columns.c - the columns of a result, and cells as text. */
#include "core/view/view_cases.h"

#include <math.h>

static struct cell cell_INTEGER(int64_t value)
{
    return (struct cell){.kind = CELL_INTEGER, .integer = value, .real = (double)value};
}

static double estimated(const struct stored_case *c, double value)
{
    return c->record.has_estimate ? value : NAN;
}

static double per_ns(const struct stored_case *c, double amount)
{
    return amount > 0 ? amount / central_ns(c) : NAN;
}

/* Amounts that are 0 where they are not known, or nothing of the sort was done. */
static double known(double amount)
{
    return amount > 0 ? amount : NAN;
}

static double watched(const struct case_record *record, double value)
{
    return record->interference.is_known ? value : NAN;
}

static double checked(const struct stored_case *c, double value)
{
    return record_main_check(&c->record) ? value : NAN;
}

/* The metric of the first comparison. */
static double metric_of_check(const struct stored_case *c, int metric)
{
    for (size_t i = 0; i < c->record.n_checks; i++)
        if (text_equal(c->record.checks[i].metric, verify_metric_name(metric)))
            return c->record.checks[i].value;
    return NAN;
}

/* Of the elements in the first comparison. */
static double exact_ratio(const struct stored_case *c)
{
    const struct check_summary_record *summary = c->record.summaries;
    return c->record.n_summaries && summary->n ? (double)summary->n_exact / (double)summary->n
                                               : NAN;
}

static const struct check_record no_check = {.metric = NULL};

/* X(name, kind, unit, value, help), or Y with the name as text between; c: the stored case, r: its
 * record, e: the estimate, k: the check, a: the kernel. Times are of one iteration. */
#define RESULT_COLUMN_MAP(X, Y)                                                                    \
    X(run, INTEGER, UNIT_NONE, row->run->number, "Number of the run, from 1 by start")             \
    X(run_uuid, TEXT, UNIT_NONE, row->run->record.uuid, "UUID of the run, the same in every file") \
    X(run_started, TEXT, UNIT_NONE, row->run->record.started,                                      \
      "When the run began (UTC, ISO 8601)")                                                        \
    X(host, TEXT, UNIT_NONE, fact_of(row->run->record.facts, row->run->record.n_facts, "host"),    \
      "Name of the machine")                                                                       \
    X(gbrun_version, TEXT, UNIT_NONE, row->run->record.version,                                    \
      "Version of gbrun that measured the case")                                                   \
    X(bench, TEXT, UNIT_NONE, c->bench, "Name of the [bench NAME] section")                        \
    X(label, TEXT, UNIT_NONE, row->label,                                                          \
      "The section's name and the axes of the sweep, as a run shows the case")                     \
    X(plugin, TEXT, UNIT_NONE, c->plugin, "Id of the benchmark plugin")                            \
    X(plugin_version, TEXT, UNIT_NONE, c->plugin_version, "Its version")                           \
    X(device, TEXT, UNIT_NONE, c->device_name,                                                     \
      "Name of the [device NAME] section, or the id of the device plugin")                         \
    X(device_number, REAL, UNIT_NONE, row->device ? (double)row->device->record.index : NAN,       \
      "Which of the plugin's devices, from 0")                                                     \
    X(device_model, TEXT, UNIT_NONE, row->device ? row->device->record.model : NULL,               \
      "Model of the device")                                                                       \
    X(device_uuid, TEXT, UNIT_NONE, row->device ? row->device->record.uuid : NULL,                 \
      "UUID of the device; empty if it has none")                                                  \
    X(policy, TEXT, UNIT_NONE, c->policy,                                                          \
      "Name of the [policy NAME] section, or the id of the policy plugin")                         \
    X(policy_plugin, TEXT, UNIT_NONE, c->policy_plugin, "Id of the policy plugin")                 \
    X(policy_options, TEXT, UNIT_NONE, c->policy_options, "Options of the policy, as key=value")   \
    X(cache, TEXT, UNIT_NONE, c->cache,                                                            \
      "warm or cold: whether caches were flushed before every sample")                             \
    X(launch, TEXT, UNIT_NONE, c->launch, "stream, graph or auto: how samples should be launched") \
    X(launched, TEXT, UNIT_NONE, launched_word(c), "stream or graph: how samples were launched")   \
    X(reading_note, TEXT, UNIT_NONE, r->reading_note,                                              \
      "Why samples were not taken as asked for, or as those of other cases are")                   \
    X(graph_ns, REAL, UNIT_NS, r->graph_ns > 0 ? r->graph_ns : NAN,                                \
      "What an iteration takes as a graph, where it was launched in the stream")                   \
    X(pace, TEXT, UNIT_NONE, c->pace,                                                              \
      "free, burst or sustained: what was done about power and heat")                              \
    X(gap_ns, REAL, UNIT_NS, known(r->pace.gap_ns),                                                \
      "Idle time of the device after each sample, with pace = burst")                              \
    X(load_ns, REAL, UNIT_NS, known(r->pace.load_ns),                                              \
      "Load before the first sample, with pace = sustained")                                       \
    X(pace_missed, INTEGER, UNIT_NONE, r->pace.is_missed,                                          \
      "1: throttled in spite of the gaps of burst, or not settled within pace_limit")              \
    X(waited_ns, REAL, UNIT_NS, known(r->pace.waited_ns),                                          \
      "How long cool_below and clock_at_least waited before the case")                             \
    X(seed, INTEGER, UNIT_NONE, c->seed, "Seed of the case")                                       \
    X(round, REAL, UNIT_NONE, row->n_rounds > 1 ? NAN : (double)r->round,                          \
      "Round of the case, from 0; empty where rounds are combined")                                \
    X(position, INTEGER, UNIT_NONE, (int64_t)c->position,                                          \
      "Number of the case in the sweep, from 0")                                                   \
    X(sequence, INTEGER, UNIT_NONE, (int64_t)r->sequence,                                          \
      "Order in which cases were measured, from 0")                                                \
    X(status, TEXT, UNIT_NONE, case_status_word(r->status),                                        \
      "How the case ended: see `gbrun help statuses`")                                             \
    X(status_text, TEXT, UNIT_NONE, r->status_text,                                                \
      "Details of the status, such as the signal or the plugin's reason")                          \
    X(stop_reason, TEXT, UNIT_NONE, r->stop_reason, "Why no further sample was taken")             \
    X(verified, TEXT, UNIT_NONE, verified_word(record_verified(r)),                                \
      "ok, failed or unchecked: whether the output agreed with the reference")                     \
    X(check, TEXT, UNIT_NONE, row->check,                                                          \
      "The comparison as a table shows it: ok or FAIL, metric and value")                          \
    X(check_metric, TEXT, UNIT_NONE, k->metric,                                                    \
      "The metric that decided: the first that failed, else the first with a tolerance")           \
    X(check_value, REAL, UNIT_NONE, checked(c, k->value), "Its value; the unit is the metric's")   \
    X(check_tolerance, REAL, UNIT_NONE, checked(c, k->tolerance),                                  \
      "The tolerance it was compared with")                                                        \
    Y(check_abs, "check.abs", REAL, UNIT_NONE, metric_of_check(c, VERIFY_ABS),                     \
      "Largest absolute difference from the reference")                                            \
    Y(check_rel, "check.rel", REAL, UNIT_NONE, metric_of_check(c, VERIFY_REL),                     \
      "Largest relative difference")                                                               \
    Y(check_rel_floor, "check.rel_floor", REAL, UNIT_NONE, metric_of_check(c, VERIFY_REL_FLOOR),   \
      "Largest relative difference where the reference is above check.floor")                      \
    Y(check_ulp, "check.ulp", REAL, UNIT_NONE, metric_of_check(c, VERIFY_ULP),                     \
      "Largest difference in units in the last place")                                             \
    Y(check_rms, "check.rms", REAL, UNIT_NONE, metric_of_check(c, VERIFY_RMS),                     \
      "Root mean square of the differences over the largest magnitude")                            \
    Y(check_bound, "check.bound", REAL, UNIT_NONE, metric_of_check(c, VERIFY_BOUND),               \
      "Largest error as a share of what rounding alone can explain")                               \
    Y(check_noise, "check.noise", REAL, UNIT_NONE, metric_of_check(c, VERIFY_NOISE),               \
      "Root mean square of the errors over the standard deviation that rounding explains")         \
    Y(check_allclose, "check.allclose", REAL, UNIT_NONE, metric_of_check(c, VERIFY_ALLCLOSE),      \
      "Largest difference over check.atol + check.rtol times the reference")                       \
    Y(check_norm, "check.norm", REAL, UNIT_NONE, metric_of_check(c, VERIFY_NORM),                  \
      "Euclidean norm of the differences over that of the references")                             \
    Y(check_mean_abs, "check.mean_abs", REAL, UNIT_NONE, metric_of_check(c, VERIFY_MEAN_ABS),      \
      "Mean absolute difference")                                                                  \
    Y(check_mean_rel, "check.mean_rel", REAL, UNIT_NONE, metric_of_check(c, VERIFY_MEAN_REL),      \
      "Mean relative difference")                                                                  \
    Y(check_beyond_1ulp, "check.beyond_1ulp", REAL, UNIT_RATIO,                                    \
      metric_of_check(c, VERIFY_BEYOND_1ULP),                                                      \
      "Share of the values that are off by more than 1 unit in the last place")                    \
    Y(check_beyond_2ulp, "check.beyond_2ulp", REAL, UNIT_RATIO,                                    \
      metric_of_check(c, VERIFY_BEYOND_2ULP), "The same for 2 units")                              \
    Y(check_beyond_4ulp, "check.beyond_4ulp", REAL, UNIT_RATIO,                                    \
      metric_of_check(c, VERIFY_BEYOND_4ULP), "The same for 4 units")                              \
    X(exact_ratio, REAL, UNIT_RATIO, exact_ratio(c),                                               \
      "Share of the values in the first comparison that equal the reference")                      \
    X(clock, TEXT, UNIT_NONE, r->clock, "The clock that counts")                                   \
    X(iterations, INTEGER, UNIT_NONE, (int64_t)r->iterations, "Runs of the code in one sample")    \
    X(n_samples, INTEGER, UNIT_NONE, (int64_t)r->n_samples, "Number of samples")                   \
    X(n_lost, INTEGER, UNIT_NONE, (int64_t)r->n_lost, "Samples whose times the device lost")       \
    X(n_throttled, INTEGER, UNIT_NONE, (int64_t)c->n_throttled,                                    \
      "Samples during which the device was throttled")                                             \
    X(median_ns, REAL, UNIT_NS, c->summary.median, "Median time of one iteration")                 \
    X(mean_ns, REAL, UNIT_NS, c->summary.mean, "Mean time")                                        \
    X(stdev_ns, REAL, UNIT_NS, c->summary.stdev, "Standard deviation of the times")                \
    X(min_ns, REAL, UNIT_NS, c->summary.min, "Shortest time")                                      \
    X(max_ns, REAL, UNIT_NS, c->summary.max, "Longest time")                                       \
    X(q1_ns, REAL, UNIT_NS, c->summary.q1, "First quartile (25th percentile)")                     \
    X(q3_ns, REAL, UNIT_NS, c->summary.q3, "Third quartile (75th percentile)")                     \
    X(p10_ns, REAL, UNIT_NS, c->summary.p10, "10th percentile")                                    \
    X(p90_ns, REAL, UNIT_NS, c->summary.p90, "90th percentile")                                    \
    X(p99_ns, REAL, UNIT_NS, c->summary.p99, "99th percentile (tail latency)")                     \
    X(relative_iqr, REAL, UNIT_RATIO, relative_iqr(c),                                             \
      "Relative interquartile range, (q3 - q1) / median")                                          \
    X(estimate_ns, REAL, UNIT_NS, estimated(c, e->value_ns),                                       \
      "The policy's estimate of the statistic")                                                    \
    X(low_ns, REAL, UNIT_NS, estimated(c, e->low_ns), "Lower end of its confidence interval")      \
    X(high_ns, REAL, UNIT_NS, estimated(c, e->high_ns), "Upper end of its confidence interval")    \
    X(confidence, REAL, UNIT_RATIO, estimated(c, e->confidence),                                   \
      "Confidence level of the interval")                                                          \
    X(ratio, REAL, UNIT_NONE, relative ? exp(relative->theta) : NAN,                               \
      "With --relative-to: time over that of the base, over all rounds of the case")               \
    X(ratio_low, REAL, UNIT_NONE, relative ? exp(relative->low) : NAN,                             \
      "Lower end of its 95 % interval, as of `gbrun compare`")                                     \
    X(ratio_high, REAL, UNIT_NONE, relative ? exp(relative->high) : NAN,                           \
      "Upper end of its 95 % interval")                                                            \
    X(statistic, TEXT, UNIT_NONE, r->has_estimate ? e->statistic : NULL,                           \
      "What is estimated: median, mean")                                                           \
    X(verdict, TEXT, UNIT_NONE, r->has_estimate ? verdict_words(e->verdict) : NULL,                \
      "What the policy guarantees: see `gbrun help verdicts`")                                     \
    X(note, TEXT, UNIT_NONE, r->has_estimate ? e->note : NULL,                                     \
      "What stands in the way of a better verdict, in the policy's words")                         \
    X(n_discarded, INTEGER, UNIT_NONE, (int64_t)e->n_discarded,                                    \
      "Samples that the policy discarded as warm-up")                                              \
    X(n_effective, REAL, UNIT_NONE, estimated(c, e->n_effective),                                  \
      "Effective sample size: how many independent samples carry the same information")            \
    X(detectable_mode_weight, REAL, UNIT_RATIO, estimated(c, e->detectable_mode_weight),           \
      "Smallest share of the samples at which a further mode would have been detected")            \
    X(n_modes, INTEGER, UNIT_NONE, e->n_modes > 1 ? e->n_modes : 1,                                \
      "Number of modes in the distribution of the times")                                          \
    X(n_rounds, INTEGER, UNIT_NONE, (int64_t)row->n_rounds,                                        \
      "Number of rounds that count; 1 unless rounds are combined")                                 \
    X(round_variation, REAL, UNIT_RATIO, row->apart_ratio,                                         \
      "Between-round variation: range of the rounds' medians over their median")                   \
    X(tick_ns, REAL, UNIT_NS, r->tick_ns, "Timer resolution")                                      \
    X(overhead_ns, REAL, UNIT_NS, r->overhead_ns,                                                  \
      "Timer overhead of one sample; it is not subtracted")                                        \
    X(offset_ns, REAL, UNIT_NS, r->offset_ns,                                                      \
      "What the clock reads of no work; subtracted from every sample")                             \
    X(offset_error_ns, REAL, UNIT_NS, r->offset_error_ns,                                          \
      "Half the width of its 95 % interval; the estimate's interval is wider by it")               \
    X(dithered, INTEGER, UNIT_NONE, r->is_dithered,                                                \
      "1: samples fall anywhere between two ticks, so that their mean resolves more than one")     \
    X(flops, REAL, UNIT_NONE, r->work.flops, "Floating-point operations of one iteration")         \
    X(bytes_read, REAL, UNIT_BYTES, r->work.bytes_read, "Bytes that one iteration reads")          \
    X(bytes_written, REAL, UNIT_BYTES, r->work.bytes_written, "Bytes that one iteration writes")   \
    X(items, REAL, UNIT_NONE, r->work.items, "Items that one iteration processes")                 \
    X(item, TEXT, UNIT_NONE, r->work.item, "What an item is")                                      \
    X(math_format, TEXT, UNIT_NONE, math_format_word(r->work.math_format),                         \
      "Number format of the operations: fp32, bf16 ...")                                           \
    X(math_unit, TEXT, UNIT_NONE, math_unit_word(r->work.math_unit),                               \
      "Unit that computes them: scalar, vector, tensor")                                           \
    X(gflops, REAL, UNIT_GFLOPS, per_ns(c, r->work.flops),                                         \
      "Throughput in floating-point operations")                                                   \
    X(bytes_per_s, REAL, UNIT_BYTES_PER_S,                                                         \
      per_ns(c, r->work.bytes_read + r->work.bytes_written) * 1e9,                                 \
      "Bandwidth: bytes read and written a second")                                                \
    X(items_per_s, REAL, UNIT_PER_S, per_ns(c, r->work.items) * 1e9, "Throughput in items")        \
    X(intensity, REAL, UNIT_FLOPS_PER_BYTE, row->roofline.intensity, "Arithmetic intensity")       \
    X(bound, TEXT, UNIT_NONE, bound_word(row->roofline.bound),                                     \
      "memory-bound or math-bound, by the roofline model; latency-bound: far from both, on a "     \
      "device "                                                                                    \
      "that its kernels cannot fill")                                                              \
    X(ridge, REAL, UNIT_FLOPS_PER_BYTE, row->roofline.ridge,                                       \
      "Ridge point: the intensity at which both roofs meet")                                       \
    X(roof_name, TEXT, UNIT_NONE, row->roofline.roof ? row->roofline.roof->name : NULL,            \
      "The roof that is nearest")                                                                  \
    X(roof_ratio, REAL, UNIT_RATIO, roof_ratio(row),                                               \
      "Share of that roof that is reached: model_ns over the time measured. Tables mark one "      \
      "above "                                                                                     \
      "1.005 by !: the roof was measured too low, or the bytes are in a cache further inside")     \
    X(model_ns, REAL, UNIT_NS, row->roofline.model_ns,                                             \
      "Time of one iteration by the roofline model")                                               \
    X(roofs_source, TEXT, UNIT_NONE, row->roofline.roof ? row->roofs->source : NULL,               \
      "Where the roofs were measured")                                                             \
    X(clock_begin_hz, REAL, UNIT_HZ, telemetry_at(c, TELEMETRY_BEGIN)->clock_hz,                   \
      "Clock rate of the device before the first sample")                                          \
    X(clock_end_hz, REAL, UNIT_HZ, telemetry_at(c, TELEMETRY_END)->clock_hz,                       \
      "Clock rate of the device after the last sample")                                            \
    X(clock_mean_hz, REAL, UNIT_HZ, known(r->pace.clock_mean_hz),                                  \
      "Mean clock rate of the device over the samples")                                            \
    X(clock_low_hz, REAL, UNIT_HZ, known(r->pace.clock_low_hz), "The lowest over the samples")     \
    X(clock_high_hz, REAL, UNIT_HZ, known(r->pace.clock_high_hz), "The highest")                   \
    X(memory_clock_hz, REAL, UNIT_HZ, telemetry_at(c, TELEMETRY_END)->memory_clock_hz,             \
      "Clock rate of its memory after the last sample")                                            \
    X(temperature_celsius, REAL, UNIT_CELSIUS,                                                     \
      telemetry_at(c, TELEMETRY_END)->temperature_celsius,                                         \
      "Temperature of the device after the last sample")                                           \
    X(power_watts, REAL, UNIT_WATTS, mean_power_watts(c),                                          \
      "Mean power over the samples, or at their end where they took less than 1 s")                \
    X(energy_joules, REAL, UNIT_JOULES, iteration_energy_joules(c),                                \
      "Energy of one iteration; only with cache = warm and pace = sustained, or free and 1 s of "  \
      "samples or more, then wrong by up to a step of the device's counter at each end")           \
    X(flops_per_joule, REAL, UNIT_FLOPS_PER_JOULE,                                                 \
      r->work.flops > 0 ? r->work.flops / iteration_energy_joules(c) : NAN,                        \
      "Floating-point operations for each joule, where energy_joules is known")                    \
    X(power_before_watts, REAL, UNIT_WATTS, telemetry_at(c, TELEMETRY_BEFORE)->power_watts,        \
      "Power before the case: that of the idle device, if nothing ran shortly before")             \
    X(throttle_reasons, TEXT, UNIT_NONE, throttle_words(c),                                        \
      "Why the device was throttled, in words; empty if it was not")                               \
    X(kernels, REAL, UNIT_NONE, r->has_activities ? (double)r->n_kernels : NAN,                    \
      "Kernels in one sample")                                                                     \
    X(kernel, TEXT, UNIT_NONE, a ? a->name : NULL,                                                 \
      "Name of the kernel: of several the longest if breakdown = yes, else the one with most "     \
      "threads")                                                                                   \
    X(grid, TEXT, UNIT_NONE, row->grid, "Its grid, in blocks: 132x2")                              \
    X(block, TEXT, UNIT_NONE, row->block, "Its blocks, in threads: 16x16")                         \
    X(registers, REAL, UNIT_NONE, a ? (double)a->registers : NAN, "Registers of each thread")      \
    X(shared_bytes, REAL, UNIT_BYTES, a ? (double)a->shared_bytes : NAN,                           \
      "Shared memory of each block, static and dynamic")                                           \
    X(occupancy, REAL, UNIT_RATIO, a ? a->occupancy : NAN,                                         \
      "Its occupancy: threads that fit on a multiprocessor over those it has")                     \
    X(wall_ns, REAL, UNIT_NS, r->wall_ns, "Time that the whole case took")                         \
    X(build_ns, REAL, UNIT_NS, r->build_ns,                                                        \
      "Time that building it on a lane of its search took before that, stops included")            \
    X(lanes, REAL, UNIT_NONE, (double)r->n_lanes,                                                  \
      "Lanes of its search that built other cases while it was measured: the most at a time")      \
    X(lock_wait_ns, REAL, UNIT_NS, r->lock_wait_ns,                                                \
      "Time that it waited before that for another gbrun process on the device or the machine")    \
    X(others_cpu_ns, REAL, UNIT_NS, watched(r, r->interference.others_cpu_ns),                     \
      "Processor time of other processes between its first sample and its last")                   \
    X(stolen_ns, REAL, UNIT_NS, watched(r, r->interference.stolen_ns),                             \
      "Processor time that the hypervisor gave to other guests meanwhile")                         \
    X(waited_cpu_ns, REAL, UNIT_NS, watched(r, r->interference.waited_cpu_ns),                     \
      "Time that its threads waited for a processor meanwhile")                                    \
    X(n_preempted, REAL, UNIT_NONE, watched(r, (double)r->interference.n_preempted),               \
      "How often a processor was taken from them")                                                 \
    X(others_on_device, REAL, UNIT_NONE, (double)others_on_device(r),                              \
      "Other processes that computed on the device before its first sample and after its last")    \
    X(started, TEXT, UNIT_NONE, r->started, "When the case began (UTC, ISO 8601)")                 \
    X(uid, TEXT, UNIT_NONE, r->uid,                                                                \
      "Identity of what was measured: the same for the same case in every run and file")           \
    X(uuid, TEXT, UNIT_NONE, row->n_rounds > 1 ? NULL : r->uuid,                                   \
      "UUID of this record; empty where rounds are combined")

enum {
#define RESULT_CONSTANT(name, kind, unit, value, help) RESULT_##name,
#define RESULT_CONSTANT_AS(name, words, kind, unit, value, help) RESULT_##name,
    RESULT_COLUMN_MAP(RESULT_CONSTANT, RESULT_CONSTANT_AS)
#undef RESULT_CONSTANT
#undef RESULT_CONSTANT_AS
        RESULT_COLUMNS
};
_Static_assert(RESULT_plugin_version + 1 == RESULT_COLUMNS_BEFORE_PARAMETERS,
               "parameters follow the plugin's version");

static const struct {
    const char *name;
    int kind, unit;
    const char *help;
} results[RESULT_COLUMNS] = {
#define RESULT_ENTRY(name, kind, unit, value, help) {#name, CELL_##kind, unit, help},
#define RESULT_ENTRY_AS(name, words, kind, unit, value, help) {words, CELL_##kind, unit, help},
    RESULT_COLUMN_MAP(RESULT_ENTRY, RESULT_ENTRY_AS)
#undef RESULT_ENTRY
#undef RESULT_ENTRY_AS
};

static struct cell result_cell(const struct view_row *row, int result)
{
    const struct stored_case *c = &row->c;
    const struct case_record *r = &c->record;
    const struct gb_estimate *e = &r->estimate;
    const struct gb_activity *a = row->kernel;
    const struct check_record *k = record_main_check(&c->record);
    const struct relative *relative = row->relative;
    if (!k)
        k = &no_check;
    switch (result) {
#define RESULT_CASE(name, kind, unit, value, help)                                                 \
    case RESULT_##name:                                                                            \
        return cell_##kind(value);
#define RESULT_CASE_AS(name, words, kind, unit, value, help)                                       \
    RESULT_CASE(name, kind, unit, value, help)
        RESULT_COLUMN_MAP(RESULT_CASE, RESULT_CASE_AS)
#undef RESULT_CASE
#undef RESULT_CASE_AS
    default:
        return (struct cell){0};
    }
}

size_t result_columns(void)
{
    return RESULT_COLUMNS;
}

const char *result_column_name(size_t i)
{
    return results[i].name;
}

bool result_column_is_text(size_t i)
{
    return results[i].kind == CELL_TEXT;
}

static const char *const unit_words[] = {
    [UNIT_NONE] = "",
    [UNIT_NS] = "ns",
    [UNIT_BYTES] = "bytes",
    [UNIT_RATIO] = "ratio",
    [UNIT_GFLOPS] = "GFLOP/s",
    [UNIT_FLOPS_PER_BYTE] = "FLOP/byte",
    [UNIT_BYTES_PER_S] = "bytes/s",
    [UNIT_PER_S] = "1/s",
    [UNIT_HZ] = "Hz",
    [UNIT_CELSIUS] = "C",
    [UNIT_WATTS] = "W",
    [UNIT_JOULES] = "J",
    [UNIT_FLOPS_PER_JOULE] = "FLOP/J",
};

const char *result_column_unit(size_t i)
{
    return results[i].unit == UNIT_RATIO ? "" : unit_words[results[i].unit];
}

bool result_column_help(size_t i, struct help_entry *ret)
{
    if (i < RESULT_COLUMNS)
        *ret = (struct help_entry){results[i].name, unit_words[results[i].unit], results[i].help};
    return i < RESULT_COLUMNS;
}

struct view_column result_column(size_t i)
{
    return (struct view_column){.kind = COLUMN_RESULT,
                                .result = (int)i,
                                .name = results[i].name,
                                .head = results[i].name,
                                .unit = ""};
}

bool result_column_named(const char *name, struct view_column *ret)
{
    for (size_t i = 0; i < RESULT_COLUMNS; i++)
        if (text_equal(results[i].name, name)) {
            *ret = result_column(i);
            return true;
        }
    return false;
}

bool result_column_is_relative(size_t i)
{
    return i >= RESULT_ratio && i <= RESULT_ratio_high;
}

struct telemetry_column telemetry_column(size_t i)
{
    static const struct {
        const char *head;
        size_t result;
    } columns[TELEMETRY_COLUMNS] = {
        {"clock rate", RESULT_clock_end_hz},    {"temperature", RESULT_temperature_celsius},
        {"power", RESULT_power_watts},          {"energy", RESULT_energy_joules},
        {"mean clock", RESULT_clock_mean_hz},   {"power before", RESULT_power_before_watts},
        {"efficiency", RESULT_flops_per_joule},
    };
    return (struct telemetry_column){columns[i].head, result_column(columns[i].result)};
}

bool is_setting_column(const char *name)
{
    static const char *const settings[] = {"device", "policy", "clock", "cache", "launch", "pace"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (text_equal(settings[i], name))
            return true;
    return false;
}

struct cell cell_of_parameter(const struct parameter *parameter)
{
    const struct value *value = &parameter->value;
    struct cell cell = {.kind = CELL_TEXT, .text = value->text, .real = value->number};
    switch (value->type) {
    case GB_TYPE_INT:
        cell.kind = CELL_INTEGER;
        cell.integer = value->integer;
        break;
    case GB_TYPE_BYTES:
        cell.kind = CELL_INTEGER;
        cell.integer = (int64_t)value->bytes;
        cell.unit = UNIT_BYTES;
        break;
    case GB_TYPE_BOOL:
        cell.kind = CELL_BOOL;
        cell.integer = value->integer;
        break;
    case GB_TYPE_FLOAT:
        cell.kind = CELL_REAL;
        break;
    case GB_TYPE_DURATION:
        cell.kind = CELL_REAL;
        cell.unit = UNIT_NS;
        break;
    default:
        break;
    }
    if (cell.kind == CELL_REAL && isnan(cell.real))
        cell = (struct cell){.kind = CELL_NULL};
    return cell;
}

const struct parameter *find_parameter(const struct stored_case *c, const char *name)
{
    for (size_t i = 0; i < c->n_parameters; i++)
        if (*c->parameters[i].name == *name && text_equal(c->parameters[i].name, name))
            return &c->parameters[i];
    return NULL;
}

static struct cell metric_cell(const struct stored_case *c, const char *name)
{
    struct cell cell = {0};
    for (size_t i = 0; i < c->record.n_metrics; i++)
        if (text_equal(c->record.metrics[i].name, name))
            cell = cell_REAL(c->record.metrics[i].value);
    return cell;
}

const char *paper_ratio_of(const char *parameter, struct arena *arena)
{
    return text_starts_with(parameter, PAPER_PREFIX)
               ? arena_printf(arena, RATIO_PREFIX "%s", parameter + sizeof PAPER_PREFIX - 1)
               : NULL;
}

bool is_paper_ratio(const char *metric)
{
    return text_starts_with(metric, RATIO_PREFIX);
}

static bool paper_column(const char *name, struct view_column *ret)
{
    *ret = (struct view_column){.kind = COLUMN_METRIC, .name = name};
    if (text_starts_with(name, METRIC_PREFIX))
        ret->name += sizeof METRIC_PREFIX - 1;
    else
        return result_column_named(name, ret) && !result_column_is_text((size_t)ret->result);
    return *ret->name != 0;
}

bool is_paper_column(const char *name)
{
    struct view_column column;
    return paper_column(name, &column);
}

/* What was measured over what the document has. */
static struct cell ratio_cell(const struct view_row *row, const char *name)
{
    const struct stored_case *c = &row->c;
    struct view_column column;
    if (!paper_column(name, &column))
        return (struct cell){0};
    const struct cell ours = cell_of_known(row, &column);
    for (size_t i = 0; i < c->n_parameters && ours.kind != CELL_NULL; i++)
        if (text_starts_with(c->parameters[i].name, PAPER_PREFIX) &&
            text_equal(c->parameters[i].name + sizeof PAPER_PREFIX - 1, name))
            return cell_REAL(ours.real / c->parameters[i].value.number);
    return (struct cell){0};
}

struct cell cell_of_known(const struct view_row *row, const struct view_column *column)
{
    if (column->kind == COLUMN_METRIC)
        return is_paper_ratio(column->name)
                   ? ratio_cell(row, column->name + sizeof RATIO_PREFIX - 1)
                   : metric_cell(&row->c, column->name);
    const struct parameter *parameter = find_parameter(&row->c, column->name);
    if (parameter)
        return cell_of_parameter(parameter);
    if (column->kind == COLUMN_PARAMETER)
        return (struct cell){0};
    struct cell cell = result_cell(row, column->result);
    cell.unit = results[column->result].unit;
    return cell;
}
