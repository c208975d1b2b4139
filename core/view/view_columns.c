/* view_columns.c - the columns of a result, and cells as text. */
#include "core/base/members.h"
#include "core/store/store_schema.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cell cell_INTEGER(int64_t value)
{
    return (struct cell){.kind = CELL_INTEGER, .integer = value, .real = (double)value};
}

static double per_ns(const struct stored_case *c, double amount)
{
    return amount > 0 ? amount / central_ns(c) : NAN;
}

static double checked(const struct stored_case *c, double value)
{
    return record_main_check(&c->record) ? value : NAN;
}

/* The metric of the first comparison. */
static double metric_of_check(const struct stored_case *c, int metric)
{
    const struct check_record *check = ITEM_NAMED(c->record.checks, c->record.n_checks, metric,
                                                  verify_metric_name(metric));
    return check ? check->value : NAN;
}

/* Of the elements in the first comparison. */
static double exact_ratio(const struct stored_case *c)
{
    const struct check_summary_record *summary = c->record.summaries;
    return c->record.n_summaries && summary->n ? (double)summary->n_exact / (double)summary->n
                                               : NAN;
}

static const struct check_record no_check = {.metric = NULL};

/* What is computed from what is stored. X(name, kind, unit, value, help); c: the stored case, r:
 * its record, e: the estimate, k: the check, a: the kernel. Times are of one iteration. */
#define COMPUTED_COLUMN_MAP(X)                                                                     \
    X(run, INTEGER, NONE, row->run->number, "Number of the run, from 1 by start")                  \
    X(host, TEXT, NONE, fact_of(row->run->record.facts, row->run->record.n_facts, "host"),         \
      "Name of the machine")                                                                       \
    X(label, TEXT, NONE, row->label,                                                               \
      "The section's name and the axes of the sweep, as a run shows the case")                     \
    X(launched, TEXT, NONE, launched_word(c), "stream or graph: how samples were launched")        \
    X(round, REAL, NONE, row->n_rounds > 1 ? NAN : (double)r->round,                               \
      "Round of the case, from 0; empty where rounds are combined")                                \
    X(verified, TEXT, NONE, verified_word(record_verified(r)),                                     \
      "ok, failed or unchecked: whether the output agreed with the reference")                     \
    X(check, TEXT, NONE, row->check,                                                               \
      "The comparison as a table shows it: ok or FAIL, metric and value")                          \
    X(check_metric, TEXT, NONE, k->metric,                                                         \
      "The metric that decided: the first that failed, else the first with a tolerance")           \
    X(check_value, REAL, NONE, checked(c, k->value), "Its value; the unit is the metric's")        \
    X(check_tolerance, REAL, NONE, checked(c, k->tolerance), "The tolerance it was compared with") \
    X(exact_ratio, REAL, RATIO, exact_ratio(c),                                                    \
      "Share of the values in the first comparison that equal the reference")                      \
    X(relative_iqr, REAL, RATIO, relative_iqr(c),                                                  \
      "Relative interquartile range, (q3 - q1) / median")                                          \
    X(ratio, REAL, NONE, relative ? exp(relative->theta) : NAN,                                    \
      "With --relative-to: time over that of the base, over all rounds of the case")               \
    X(ratio_low, REAL, NONE, relative ? exp(relative->low) : NAN,                                  \
      "Lower end of its 95 % interval, as of `gbrun compare`")                                     \
    X(ratio_high, REAL, NONE, relative ? exp(relative->high) : NAN,                                \
      "Upper end of its 95 % interval")                                                            \
    X(n_discarded, INTEGER, NONE, (int64_t)e->n_discarded,                                         \
      "Samples that the policy discarded as warm-up")                                              \
    X(n_modes, INTEGER, NONE, e->n_modes > 1 ? e->n_modes : 1,                                     \
      "Number of modes in the distribution of the times")                                          \
    X(n_rounds, INTEGER, NONE, (int64_t)row->n_rounds,                                             \
      "Number of rounds that count; 1 unless rounds are combined")                                 \
    X(round_variation, REAL, RATIO, row->apart_ratio,                                              \
      "Between-round variation: range of the rounds' medians over their median")                   \
    X(gflops, REAL, GFLOPS, per_ns(c, r->work.flops), "Throughput in floating-point operations")   \
    X(bytes_per_s, REAL, BYTES_PER_S, per_ns(c, r->work.bytes_read + r->work.bytes_written) * 1e9, \
      "Bandwidth: bytes read and written a second")                                                \
    X(items_per_s, REAL, PER_S, per_ns(c, r->work.items) * 1e9, "Throughput in items")             \
    X(intensity, REAL, FLOPS_PER_BYTE, row->roofline.intensity, "Arithmetic intensity")            \
    X(bound, TEXT, NONE, bound_word(row->roofline.bound),                                          \
      "memory-bound or math-bound, by the roofline model; latency-bound: far from both, on a "     \
      "device that its kernels cannot fill")                                                       \
    X(ridge, REAL, FLOPS_PER_BYTE, row->roofline.ridge,                                            \
      "Ridge point: the intensity at which both roofs meet")                                       \
    X(roof_name, TEXT, NONE, row->roofline.roof ? row->roofline.roof->name : NULL,                 \
      "The roof that is nearest")                                                                  \
    X(roof_ratio, REAL, RATIO, roof_ratio(row),                                                    \
      "Share of that roof that is reached: model_ns over the time measured. Tables mark one "      \
      "above 1.005 by !: the roof was measured too low, or the bytes are in a cache further "      \
      "inside")                                                                                    \
    X(model_ns, REAL, NS, row->roofline.model_ns, "Time of one iteration by the roofline model")   \
    X(roofs_source, TEXT, NONE, row->roofline.roof ? row->roofs->source : NULL,                    \
      "Where the roofs were measured")                                                             \
    X(clock_begin_hz, REAL, HZ, telemetry_at(c, TELEMETRY_BEGIN)->clock_hz,                        \
      "Clock rate of the device before the first sample")                                          \
    X(clock_end_hz, REAL, HZ, telemetry_at(c, TELEMETRY_END)->clock_hz,                            \
      "Clock rate of the device after the last sample")                                            \
    X(power_watts, REAL, WATTS, mean_power_watts(c),                                               \
      "Mean power over the samples, or at their end where they took less than 1 s")                \
    X(energy_joules, REAL, JOULES, iteration_energy_joules(c),                                     \
      "Energy of one iteration; only with cache = warm and pace = sustained, or free and 1 s of "  \
      "samples or more, then wrong by up to a step of the device's counter at each end")           \
    X(flops_per_joule, REAL, FLOPS_PER_JOULE,                                                      \
      r->work.flops > 0 ? r->work.flops / iteration_energy_joules(c) : NAN,                        \
      "Floating-point operations for each joule, where energy_joules is known")                    \
    X(power_before_watts, REAL, WATTS, telemetry_at(c, TELEMETRY_BEFORE)->power_watts,             \
      "Power before the case: that of the idle device, if nothing ran shortly before")             \
    X(throttle_reasons, TEXT, NONE, throttle_words(c),                                             \
      "Why the device was throttled, in words; empty if it was not")                               \
    X(kernel, TEXT, NONE, a ? a->name : NULL,                                                      \
      "Name of the kernel: of several the longest if breakdown = yes, else the one with most "     \
      "threads")                                                                                   \
    X(grid, TEXT, NONE, row->grid, "Its grid, in blocks: 132x2")                                   \
    X(block, TEXT, NONE, row->block, "Its blocks, in threads: 16x16")                              \
    X(registers, REAL, NONE, a ? (double)a->registers : NAN, "Registers of each thread")           \
    X(shared_bytes, REAL, BYTES, a ? (double)a->shared_bytes : NAN,                                \
      "Shared memory of each block, static and dynamic")                                           \
    X(occupancy, REAL, RATIO, a ? a->occupancy : NAN,                                              \
      "Its occupancy: threads that fit on a multiprocessor over those it has")                     \
    X(others_on_device, REAL, NONE, (double)others_on_device(r),                                   \
      "Other processes that computed on the device before its first sample and after its last")    \
    X(uuid, TEXT, NONE, row->n_rounds > 1 ? NULL : r->uuid,                                        \
      "UUID of this record; empty where rounds are combined")

/* In which order they are known to readers of exports; one that is not listed comes before
 * "started". */
static const char names_in_order[] =
    " run run_uuid run_started host gbrun_version bench label plugin plugin_version device "
    "device_number device_model device_uuid policy policy_plugin policy_options cache launch "
    "launched reading_note graph_ns pace gap_ns load_ns pace_missed waited_ns seed round position "
    "sequence status status_text stop_reason verified check check_metric check_value "
    "check_tolerance check.abs check.rel check.rel_floor check.ulp check.rms check.bound "
    "check.noise check.allclose check.norm check.mean_abs check.mean_rel check.beyond_1ulp "
    "check.beyond_2ulp check.beyond_4ulp exact_ratio clock iterations n_samples n_lost n_throttled "
    "median_ns mean_ns stdev_ns min_ns max_ns q1_ns q3_ns p10_ns p90_ns p99_ns relative_iqr "
    "estimate_ns low_ns high_ns confidence ratio ratio_low ratio_high statistic verdict note "
    "n_discarded n_effective detectable_mode_weight n_modes n_rounds round_variation tick_ns "
    "overhead_ns offset_ns offset_error_ns dithered flops bytes_read bytes_written items item "
    "math_format math_unit gflops bytes_per_s items_per_s intensity bound ridge roof_name "
    "roof_ratio model_ns roofs_source clock_begin_hz clock_end_hz clock_mean_hz clock_low_hz "
    "clock_high_hz memory_clock_hz temperature_celsius power_watts energy_joules flops_per_joule "
    "power_before_watts throttle_reasons kernels kernel grid block registers shared_bytes "
    "occupancy wall_ns build_ns lanes lock_wait_ns others_cpu_ns stolen_ns waited_cpu_ns "
    "n_preempted others_on_device started uid uuid ";

enum {
#define COMPUTED_CONSTANT(name, kind, unit, value, help) COMPUTED_##name,
    COMPUTED_COLUMN_MAP(COMPUTED_CONSTANT)
#undef COMPUTED_CONSTANT
        COMPUTED_COLUMNS
};

/* The columns of a result: members that the store's tables show, what is computed here, and metrics
 * of checks. Made once. */
static struct result {
    const char *name;
    int kind, unit;
    const char *help;
    const struct stored_column *stored; /* NULL: it is computed */
    int of;        /* stored: TABLE_...; else COMPUTED_..., or COMPUTED_COLUMNS and the metric */
    size_t offset; /* stored: of the member, in what row_member takes it from */
    const char *place;
} * results;
static size_t n_results;

static void add_result(struct result result)
{
    char name[64];
    snprintf(name, sizeof name, " %s ", result.name);
    result.place = strstr(names_in_order, name);
    if (!result.place)
        result.place = strstr(names_in_order, " started ");
    MEMORY_APPEND(results, n_results, result);
}

static void add_stored(int table)
{
    for (size_t i = 0; i < store_schema.tables[table].n_columns; i++) {
        const struct stored_column *column = &store_schema.tables[table].columns[i];
        const bool is_text = column->words || column->type == STORED_TEXT ||
                             column->type == STORED_CHARS;
        if (column->help)
            add_result((struct result){
                column->shown_as ? column->shown_as : column->name, is_text ? CELL_TEXT : CELL_REAL,
                column->unit, column->help, column, table,
                table == TABLE_TELEMETRY ? column->offset - offsetof(struct telemetry_row, record)
                                         : column->offset,
                NULL});
    }
}

ORDER_BY(compare_places, struct result, ORDER_OF(x->place, y->place),
         text_equal(x->name, "started") - text_equal(y->name, "started"), strcmp(x->name, y->name))

static void make_results(void)
{
    static const int tables[] = {TABLE_RUN, TABLE_DEVICE, TABLE_CASE, TABLE_TELEMETRY};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        add_stored(tables[i]);
#define COMPUTED_ENTRY(name, kind, unit, value, help)                                              \
    add_result(                                                                                    \
        (struct result){#name, CELL_##kind, UNIT_##unit, help, NULL, COMPUTED_##name, 0, NULL});
    COMPUTED_COLUMN_MAP(COMPUTED_ENTRY)
#undef COMPUTED_ENTRY
#define METRIC_ENTRY(name, word, unit, help)                                                       \
    add_result((struct result){"check." word, CELL_REAL, UNIT_##unit, help, NULL,                  \
                               COMPUTED_COLUMNS + VERIFY_##name, 0, NULL});
    VERIFY_METRIC_MAP(METRIC_ENTRY)
#undef METRIC_ENTRY
    qsort(results, n_results, sizeof *results, compare_places);
}

static const struct result *result_at(size_t i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_results);
    return i < n_results ? &results[i] : NULL;
}

static struct cell computed_cell(const struct view_row *row, int computed)
{
    const struct stored_case *c = &row->c;
    const struct case_record *r = &c->record;
    const struct gb_estimate *e = &r->estimate;
    const struct gb_activity *a = row->kernel;
    const struct check_record *k = record_main_check(&c->record);
    const struct relative *relative = row->relative;
    if (!k)
        k = &no_check;
    switch (computed) {
#define COMPUTED_CASE(name, kind, unit, value, help)                                               \
    case COMPUTED_##name:                                                                          \
        return cell_##kind(value);
        COMPUTED_COLUMN_MAP(COMPUTED_CASE)
#undef COMPUTED_CASE
    default:
        return cell_REAL(metric_of_check(c, computed - COMPUTED_COLUMNS));
    }
}

/* What a table's members are of; NULL: it is not known. Telemetry: as read after the last sample.
 */
static const char *row_of(const struct view_row *row, int table)
{
    const struct telemetry_record *end = &row->c.record.telemetry[TELEMETRY_END];
    switch (table) {
    case TABLE_RUN:
        return (const char *)row->run;
    case TABLE_DEVICE:
        return (const char *)row->device;
    case TABLE_TELEMETRY:
        return end->is_known ? (const char *)end : NULL;
    default:
        return (const char *)&row->c;
    }
}

static struct cell stored_cell(const struct view_row *row, const struct result *result)
{
    const struct stored_column *column = result->stored;
    const char *bytes = row_of(row, result->of);
    if (!bytes || (column->guard && !*(const bool *)(bytes + column->guard)))
        return (struct cell){0};
    const void *member = bytes + result->offset;
    switch (column->type) {
    case STORED_TEXT:
        return cell_TEXT(*(const char *const *)member);
    case STORED_CHARS:
        return cell_TEXT(member);
    case STORED_REAL: {
        const double value = *(const double *)member;
        return cell_REAL(column->is_amount && !(value > 0) ? NAN : value);
    }
    default: {
        const int64_t value = stored_integer(column->type, member);
        return column->words     ? cell_TEXT(column->words->word((int32_t)value))
               : column->is_real ? cell_REAL((double)value)
                                 : cell_INTEGER(value);
    }
    }
}

size_t result_columns(void)
{
    result_at(0);
    return n_results;
}

const char *result_column_name(size_t i)
{
    return result_at(i)->name;
}

bool result_column_is_text(size_t i)
{
    return result_at(i)->kind == CELL_TEXT;
}

static const char *const unit_words[] = {
#define UNIT_WORD(name, word) word,
    UNIT_MAP(UNIT_WORD)
#undef UNIT_WORD
};

const char *result_column_unit(size_t i)
{
    const int unit = result_at(i)->unit;
    return unit == UNIT_RATIO ? "" : unit_words[unit];
}

bool result_column_help(size_t i, struct help_entry *ret)
{
    const struct result *result = result_at(i);
    if (result)
        *ret = (struct help_entry){result->name, unit_words[result->unit], result->help};
    return result;
}

struct view_column result_column(size_t i)
{
    const char *name = result_at(i)->name;
    return (struct view_column){
        .kind = COLUMN_RESULT, .result = (int)i, .name = name, .head = name, .unit = ""};
}

bool result_column_named(const char *name, struct view_column *ret)
{
    const size_t n = result_columns(), i = text_index(TEXTS_OF(results, n, name), name);
    if (i < n)
        *ret = result_column(i);
    return i < n;
}

bool result_column_is_relative(size_t i)
{
    const struct result *result = result_at(i);
    return !result->stored && result->of >= COMPUTED_ratio && result->of <= COMPUTED_ratio_high;
}

struct telemetry_column telemetry_column(size_t i)
{
    static const struct {
        const char *head, *name;
    } columns[TELEMETRY_COLUMNS] = {
        {"clock rate", "clock_end_hz"},    {"temperature", "temperature_celsius"},
        {"power", "power_watts"},          {"energy", "energy_joules"},
        {"mean clock", "clock_mean_hz"},   {"power before", "power_before_watts"},
        {"efficiency", "flops_per_joule"},
    };
    static struct telemetry_column found[TELEMETRY_COLUMNS];
    struct telemetry_column *column = &found[i];
    if (!column->head)
        result_column_named(columns[i].name, &column->column);
    column->head = columns[i].head;
    return *column;
}

bool is_setting_column(const char *name)
{
    return IS_AMONG(name, "device", "policy", "clock", "cache", "launch", "pace");
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

static struct cell metric_cell(const struct stored_case *c, const char *name)
{
    const struct metric_record *metric = ITEM_NAMED(c->record.metrics, c->record.n_metrics, name,
                                                    name);
    return metric ? cell_REAL(metric->value) : (struct cell){0};
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
    const struct result *result = result_at((size_t)column->result);
    struct cell cell = result->stored ? stored_cell(row, result) : computed_cell(row, result->of);
    cell.unit = result->unit;
    return cell;
}
