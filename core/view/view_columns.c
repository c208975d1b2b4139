/* view_columns.c - the columns of a result, and cells as text. */
#include "core/view/view_cases.h"

#include <math.h>
#include <string.h>

double spread_of(const struct stored_case *c)
{
    return (c->summary.q3 - c->summary.q1) / c->summary.median;
}

const char *fact_of(const struct fact *facts, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (text_equal(facts[i].name, name))
            return facts[i].value;
    return "";
}

/* Makers of cells, by the kind named in the map below. */
static struct cell cell_INTEGER(int64_t value)
{
    return (struct cell){.kind = CELL_INTEGER, .integer = value, .real = (double)value};
}

static struct cell cell_REAL(double value)
{
    return (struct cell){.kind = isnan(value) ? CELL_NULL : CELL_REAL, .real = value};
}

static struct cell cell_TEXT(const char *value)
{
    return (struct cell){.kind = value ? CELL_TEXT : CELL_NULL, .text = value};
}

static double estimated(const struct stored_case *c, double value)
{
    return c->record.has_estimate ? value : NAN;
}

static double per_ns(const struct stored_case *c, double amount)
{
    return amount > 0 ? amount / central_ns(c) : NAN;
}

static double checked(const struct stored_case *c, double value)
{
    return main_check(c) ? value : NAN;
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

static const char *const verified_words[] = {"unchecked", "ok", "failed"};
static const struct check_record no_check = {.metric = NULL};

/* X(name, kind, unit, value), or Y with the name as text between; c: the stored case, r: its
 * record, e: the estimate, k: the check. */
#define RESULT_COLUMN_MAP(X, Y)                                                                    \
    X(run, INTEGER, UNIT_NONE, row->run->number)                                                   \
    X(run_uuid, TEXT, UNIT_NONE, row->run->record.uuid)                                            \
    X(run_started, TEXT, UNIT_NONE, row->run->record.started)                                      \
    X(host, TEXT, UNIT_NONE, fact_of(row->run->record.facts, row->run->record.n_facts, "host"))    \
    X(gbrun_version, TEXT, UNIT_NONE, row->run->record.version)                                    \
    X(bench, TEXT, UNIT_NONE, c->bench)                                                            \
    X(label, TEXT, UNIT_NONE, row->label)                                                          \
    X(plugin, TEXT, UNIT_NONE, c->plugin)                                                          \
    X(plugin_version, TEXT, UNIT_NONE, c->plugin_version)                                          \
    X(device, TEXT, UNIT_NONE, c->device_name)                                                     \
    X(device_number, REAL, UNIT_NONE, row->device ? (double)row->device->record.index : NAN)       \
    X(device_model, TEXT, UNIT_NONE, row->device ? row->device->record.model : NULL)               \
    X(device_uuid, TEXT, UNIT_NONE, row->device ? row->device->record.uuid : NULL)                 \
    X(policy, TEXT, UNIT_NONE, c->policy)                                                          \
    X(policy_plugin, TEXT, UNIT_NONE, c->policy_plugin)                                            \
    X(policy_options, TEXT, UNIT_NONE, c->policy_options)                                          \
    X(cache, TEXT, UNIT_NONE, c->cache)                                                            \
    X(launch, TEXT, UNIT_NONE, c->launch)                                                          \
    X(seed, INTEGER, UNIT_NONE, c->seed)                                                           \
    X(round, REAL, UNIT_NONE, row->n_rounds > 1 ? NAN : (double)r->round)                          \
    X(position, INTEGER, UNIT_NONE, (int64_t)c->position)                                          \
    X(sequence, INTEGER, UNIT_NONE, (int64_t)r->sequence)                                          \
    X(status, TEXT, UNIT_NONE, case_status_word(r->status))                                        \
    X(status_text, TEXT, UNIT_NONE, r->status_text)                                                \
    X(stop_reason, TEXT, UNIT_NONE, r->stop_reason)                                                \
    X(verified, TEXT, UNIT_NONE, verified_words[verified_of(c)])                                   \
    X(check, TEXT, UNIT_NONE, row->check)                                                          \
    X(check_metric, TEXT, UNIT_NONE, k->metric)                                                    \
    X(check_value, REAL, UNIT_NONE, checked(c, k->value))                                          \
    X(check_tolerance, REAL, UNIT_NONE, checked(c, k->tolerance))                                  \
    Y(check_abs, "check.abs", REAL, UNIT_NONE, metric_of_check(c, VERIFY_ABS))                     \
    Y(check_rel, "check.rel", REAL, UNIT_NONE, metric_of_check(c, VERIFY_REL))                     \
    Y(check_rel_floor, "check.rel_floor", REAL, UNIT_NONE, metric_of_check(c, VERIFY_REL_FLOOR))   \
    Y(check_ulp, "check.ulp", REAL, UNIT_NONE, metric_of_check(c, VERIFY_ULP))                     \
    Y(check_rms, "check.rms", REAL, UNIT_NONE, metric_of_check(c, VERIFY_RMS))                     \
    Y(check_bound, "check.bound", REAL, UNIT_NONE, metric_of_check(c, VERIFY_BOUND))               \
    X(exact_ratio, REAL, UNIT_RATIO, exact_ratio(c))                                               \
    X(clock, TEXT, UNIT_NONE, r->clock)                                                            \
    X(iterations, INTEGER, UNIT_NONE, (int64_t)r->iterations)                                      \
    X(n_samples, INTEGER, UNIT_NONE, (int64_t)r->n_samples)                                        \
    X(n_lost, INTEGER, UNIT_NONE, (int64_t)r->n_lost)                                              \
    X(n_throttled, INTEGER, UNIT_NONE, (int64_t)c->n_throttled)                                    \
    X(median_ns, REAL, UNIT_NS, c->summary.median)                                                 \
    X(mean_ns, REAL, UNIT_NS, c->summary.mean)                                                     \
    X(stdev_ns, REAL, UNIT_NS, c->summary.stdev)                                                   \
    X(min_ns, REAL, UNIT_NS, c->summary.min)                                                       \
    X(max_ns, REAL, UNIT_NS, c->summary.max)                                                       \
    X(q1_ns, REAL, UNIT_NS, c->summary.q1)                                                         \
    X(q3_ns, REAL, UNIT_NS, c->summary.q3)                                                         \
    X(p10_ns, REAL, UNIT_NS, c->summary.p10)                                                       \
    X(p90_ns, REAL, UNIT_NS, c->summary.p90)                                                       \
    X(p99_ns, REAL, UNIT_NS, c->summary.p99)                                                       \
    X(spread, REAL, UNIT_RATIO, spread_of(c))                                                      \
    X(estimate_ns, REAL, UNIT_NS, estimated(c, e->value_ns))                                       \
    X(low_ns, REAL, UNIT_NS, estimated(c, e->low_ns))                                              \
    X(high_ns, REAL, UNIT_NS, estimated(c, e->high_ns))                                            \
    X(confidence, REAL, UNIT_RATIO, estimated(c, e->confidence))                                   \
    X(statistic, TEXT, UNIT_NONE, r->has_estimate ? e->statistic : NULL)                           \
    X(verdict, TEXT, UNIT_NONE, r->has_estimate ? verdict_words(e->verdict) : NULL)                \
    X(n_discarded, INTEGER, UNIT_NONE, (int64_t)e->n_discarded)                                    \
    X(n_effective, REAL, UNIT_NONE, estimated(c, e->n_effective))                                  \
    X(excluded_mode_weight, REAL, UNIT_RATIO, estimated(c, e->excluded_mode_weight))               \
    X(n_modes, INTEGER, UNIT_NONE, e->n_modes > 1 ? e->n_modes : 1)                                \
    X(n_rounds, INTEGER, UNIT_NONE, (int64_t)row->n_rounds)                                        \
    X(apart, REAL, UNIT_RATIO, row->apart_ratio)                                                   \
    X(tick_ns, REAL, UNIT_NS, r->tick_ns)                                                          \
    X(overhead_ns, REAL, UNIT_NS, r->overhead_ns)                                                  \
    X(flops, REAL, UNIT_NONE, r->work.flops)                                                       \
    X(bytes_read, REAL, UNIT_BYTES, r->work.bytes_read)                                            \
    X(bytes_written, REAL, UNIT_BYTES, r->work.bytes_written)                                      \
    X(items, REAL, UNIT_NONE, r->work.items)                                                       \
    X(item, TEXT, UNIT_NONE, r->work.item)                                                         \
    X(math_format, TEXT, UNIT_NONE, math_format_word(r->work.math_format))                         \
    X(math_unit, TEXT, UNIT_NONE, math_unit_word(r->work.math_unit))                               \
    X(gflops, REAL, UNIT_GFLOPS, per_ns(c, r->work.flops))                                         \
    X(bytes_per_s, REAL, UNIT_BYTES_PER_S,                                                         \
      per_ns(c, r->work.bytes_read + r->work.bytes_written) * 1e9)                                 \
    X(items_per_s, REAL, UNIT_PER_S, per_ns(c, r->work.items) * 1e9)                               \
    X(intensity, REAL, UNIT_FLOPS_PER_BYTE, row->roofline.intensity)                               \
    X(bound, TEXT, UNIT_NONE, bound_word(row->roofline.bound))                                     \
    X(ridge, REAL, UNIT_FLOPS_PER_BYTE, row->roofline.ridge)                                       \
    X(roof_name, TEXT, UNIT_NONE, row->roofline.roof ? row->roofline.roof->name : NULL)            \
    X(roof_ratio, REAL, UNIT_RATIO, roof_ratio(row))                                               \
    X(model_ns, REAL, UNIT_NS, row->roofline.model_ns)                                             \
    X(roofs_source, TEXT, UNIT_NONE, row->roofline.roof ? row->roofs->source : NULL)               \
    X(clock_begin_hz, REAL, UNIT_HZ, telemetry_at(c, TELEMETRY_BEGIN)->clock_hz)                   \
    X(clock_end_hz, REAL, UNIT_HZ, telemetry_at(c, TELEMETRY_END)->clock_hz)                       \
    X(memory_clock_hz, REAL, UNIT_HZ, telemetry_at(c, TELEMETRY_END)->memory_clock_hz)             \
    X(temperature_celsius, REAL, UNIT_CELSIUS,                                                     \
      telemetry_at(c, TELEMETRY_END)->temperature_celsius)                                         \
    X(power_watts, REAL, UNIT_WATTS, mean_power_watts(c))                                          \
    X(energy_joules, REAL, UNIT_JOULES, iteration_energy_joules(c))                                \
    X(throttle_reasons, TEXT, UNIT_NONE, throttle_words(c))                                        \
    X(wall_ns, REAL, UNIT_NS, r->wall_ns)                                                          \
    X(started, TEXT, UNIT_NONE, r->started)                                                        \
    X(uid, TEXT, UNIT_NONE, r->uid)                                                                \
    X(uuid, TEXT, UNIT_NONE, row->n_rounds > 1 ? NULL : r->uuid)

enum {
#define RESULT_CONSTANT(name, kind, unit, value) RESULT_##name,
#define RESULT_CONSTANT_AS(name, words, kind, unit, value) RESULT_##name,
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
} results[RESULT_COLUMNS] = {
#define RESULT_ENTRY(name, kind, unit, value) {#name, CELL_##kind, unit},
#define RESULT_ENTRY_AS(name, words, kind, unit, value) {words, CELL_##kind, unit},
    RESULT_COLUMN_MAP(RESULT_ENTRY, RESULT_ENTRY_AS)
#undef RESULT_ENTRY
#undef RESULT_ENTRY_AS
};

static struct cell result_cell(const struct view_row *row, int result)
{
    const struct stored_case *c = &row->c;
    const struct case_record *r = &c->record;
    const struct gb_estimate *e = &r->estimate;
    const struct check_record *k = main_check(c);
    if (!k)
        k = &no_check;
    switch (result) {
#define RESULT_CASE(name, kind, unit, value)                                                       \
    case RESULT_##name:                                                                            \
        return cell_##kind(value);
#define RESULT_CASE_AS(name, words, kind, unit, value) RESULT_CASE(name, kind, unit, value)
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

const char *result_column_unit(size_t i)
{
    static const char *const words[] = {"",        "ns",  "bytes", "",  "GFLOP/s", "FLOP/byte",
                                        "bytes/s", "1/s", "Hz",    "C", "W",       "J"};
    return words[results[i].unit];
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

bool is_setting_column(const char *name)
{
    static const char *const settings[] = {"device", "policy", "clock", "cache", "launch"};
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
    return cell;
}

static const struct parameter *find_parameter(const struct stored_case *c, const char *name)
{
    for (size_t i = 0; i < c->n_parameters; i++)
        if (text_equal(c->parameters[i].name, name))
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

struct cell cell_of(const struct view_row *row, const struct view_column *column)
{
    if (column->kind == COLUMN_METRIC)
        return metric_cell(&row->c, column->name);
    const struct parameter *parameter = find_parameter(&row->c, column->name);
    if (parameter)
        return cell_of_parameter(parameter);
    if (column->kind == COLUMN_PARAMETER)
        return (struct cell){0};
    struct cell cell = result_cell(row, column->result);
    cell.unit = results[column->result].unit;
    return cell;
}
