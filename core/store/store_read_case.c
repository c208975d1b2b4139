/* store_read_case.c - see store_read.h: cases out of the file, many by a query for each table. */
#include "core/base/members.h"
#include "core/store/store_case.h"
#include "core/store/store_read.h"
#include "core/store/store_schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The members of a parameter's value that follow from those stored. */
static void complete_value(struct value *value)
{
    if (value->type == GB_TYPE_INT)
        value->integer = strtoll(value->text, NULL, 10);
    else if (value->type == GB_TYPE_BOOL)
        value->integer = value->number != 0;
    else if (value->type == GB_TYPE_BYTES)
        value->bytes = strtoull(value->text, NULL, 10);
}

/* Likewise of a case. */
static void complete_case(struct stored_case *c)
{
    c->record.estimate.size = sizeof c->record.estimate;
    c->record.work.size = sizeof c->record.work;
    c->summary.n = isnan(c->summary.median) ? 0 : c->record.n_samples;
}

/* Cases being read, by their ids. */
struct case_reader {
    struct row_reader rows;
    struct stored_case *cases;
    const int64_t *ids;
    size_t n;
    size_t *n_of; /* rows of each in the table read last */
};

/* Those of one case after those of the other; *ret_n: in all. The caller's to free. */
static void *read_rows(struct case_reader *reader, int table, size_t *ret_n)
{
    void *rows = rows_of(&reader->rows, table, SQL_SELECT_OF_PARENT, reader->ids, reader->n,
                         reader->n_of);
    *ret_n = 0;
    for (size_t i = 0; i < reader->n; i++)
        *ret_n += reader->n_of[i];
    return rows;
}

/* What belongs to a case as an array of the rows themselves. */
static const struct {
    int table;
    size_t items, n; /* offsets of the members */
} arrays[] = {
#define CASE_ARRAY(table, member)                                                                  \
    {                                                                                              \
        table, offsetof(struct stored_case, member), offsetof(struct stored_case, n_##member)      \
    }
#define RECORD_ARRAY(table, member)                                                                \
    {                                                                                              \
        table, offsetof(struct stored_case, record.member),                                        \
            offsetof(struct stored_case, record.n_##member)                                        \
    }
    CASE_ARRAY(TABLE_PARAMETER, parameters), RECORD_ARRAY(TABLE_METRIC, metrics),
    RECORD_ARRAY(TABLE_MESSAGE, messages),   RECORD_ARRAY(TABLE_ACTIVITY, activities),
    RECORD_ARRAY(TABLE_CHECK, checks),       RECORD_ARRAY(TABLE_CHECK_SUMMARY, summaries),
    RECORD_ARRAY(TABLE_CHECK_WORST, worst),
#undef CASE_ARRAY
#undef RECORD_ARRAY
};

static void read_arrays(struct case_reader *reader, size_t which)
{
    const int table = arrays[which].table;
    size_t n = 0;
    char *rows = read_rows(reader, table, &n);
    rows = rows_keep(&reader->rows, table, rows, n);
    for (size_t i = 0; i < reader->n; i++) {
        char *c = (char *)&reader->cases[i];
        if (!reader->n_of[i])
            continue;
        memcpy(c + arrays[which].items, &rows, sizeof rows);
        memcpy(c + arrays[which].n, &reader->n_of[i], sizeof *reader->n_of);
        rows += reader->n_of[i] * store_schema.tables[table].row_bytes;
    }
}

static void read_series(struct case_reader *reader)
{
    size_t n = 0;
    CLEANUP(free_pointer) struct series_row *rows = read_rows(reader, TABLE_SERIES, &n);
    struct series_record *series = ARENA_ARRAY(reader->rows.arena, struct series_record, n);
    for (size_t i = 0; i < n; i++)
        series[i] = rows[i].record;
    for (size_t i = 0; i < reader->n; series += reader->n_of[i++]) {
        reader->cases[i].record.series = series;
        reader->cases[i].record.n_series = reader->n_of[i];
    }
}

/* The rest is taken row by row. */
static void read_each(struct case_reader *reader, int table,
                      void (*take)(struct stored_case *c, const void *row))
{
    size_t n = 0;
    CLEANUP(free_pointer) char *rows = read_rows(reader, table, &n);
    const char *row = rows;
    for (size_t i = 0; i < reader->n; i++)
        for (size_t j = 0; j < reader->n_of[i]; j++, row += store_schema.tables[table].row_bytes)
            take(&reader->cases[i], row);
}

static void take_class(struct stored_case *c, const void *row)
{
    const struct histogram_row *class = row;
    struct check_summary_record *summaries = (struct check_summary_record *)c->record.summaries;
    if (class->ordinal >= c->record.n_summaries || class->class >= VERIFY_CLASSES)
        return;
    summaries[class->ordinal].histogram[class->class] = class->count;
    summaries[class->ordinal].above_floor[class->class] = class->above_floor;
}

static void take_mode(struct stored_case *c, const void *row)
{
    struct gb_estimate *estimate = &c->record.estimate;
    if (estimate->n_modes < GB_MODES_MAX)
        memcpy(&estimate->modes[estimate->n_modes++], row, sizeof *estimate->modes);
}

static void take_moment(struct stored_case *c, const void *row)
{
    const struct telemetry_row *telemetry = row;
    const int at = text_choice(WORDS_OF(telemetry_moments, TELEMETRY_MOMENTS), telemetry->moment);
    if (at < 0)
        return; /* of a later version */
    struct telemetry_record *moment = &c->record.telemetry[at];
    *moment = telemetry->record;
    moment->is_known = true;
    moment->values.size = sizeof moment->values;
}

static void take_sentinel(struct stored_case *c, const void *row)
{
    const struct sentinel_row *sentinel = row;
    for (int i = 0; i < SENTINEL_MOMENTS; i++)
        if (text_equal(sentinel->moment, telemetry_moments[i]))
            c->record.sentinel[i] = sentinel->record;
}

static void read_children(struct case_reader *reader)
{
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        read_arrays(reader, i);
    read_series(reader);
    read_each(reader, TABLE_CHECK_HISTOGRAM, take_class);
    read_each(reader, TABLE_MODE, take_mode);
    read_each(reader, TABLE_TELEMETRY, take_moment);
    read_each(reader, TABLE_SENTINEL, take_sentinel);
    for (size_t i = 0; i < reader->n; i++)
        for (size_t j = 0; j < reader->cases[i].n_parameters; j++)
            complete_value(&reader->cases[i].parameters[j].value);
}

static int32_t read_cases(struct case_reader *reader)
{
    struct store *store = reader->rows.store;
    reader->cases = rows_of(&reader->rows, TABLE_CASE, SQL_SELECT, reader->ids, reader->n,
                            reader->n_of);
    for (size_t i = 0; reader->rows.status == GB_OK && i < reader->n; i++)
        if (!reader->n_of[i])
            return error_set(reader->rows.error, GB_NOT_FOUND, "%s: has no case %lld", store->path,
                             (long long)reader->ids[i]);
    if (reader->rows.status == GB_OK)
        reader->rows.status = samples_check(store, reader->ids, reader->cases, reader->n,
                                            reader->rows.error);
    for (size_t i = 0; reader->rows.status == GB_OK && i < reader->n; i++)
        complete_case(&reader->cases[i]);
    if (reader->rows.status == GB_OK)
        read_children(reader);
    return reader->rows.status;
}

struct place {
    int64_t id;
    size_t index;
};

ORDER_BY_NUMBER(compare_places, struct place, id)

/* Ascending, with the index that each has among the ids. */
static struct place *sort_ids(const int64_t *ids, size_t n, struct arena *arena)
{
    struct place *places = ARENA_ARRAY(arena, struct place, n);
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){ids[i], i};
    if (n)
        qsort(places, n, sizeof *places, compare_places);
    return places;
}

/* The cases, which are in the order of ids, as they were asked for. */
static struct stored_case *reorder(struct stored_case *cases, const struct place *places, size_t n)
{
    struct stored_case *ordered = memory_allocate(n * sizeof *ordered);
    for (size_t i = 0; i < n; i++)
        ordered[places[i].index] = cases[i];
    free(cases);
    return ordered;
}

int32_t store_cases_read(struct store *store, const int64_t *ids, size_t n, struct arena *arena,
                         struct stored_case **ret, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    const struct place *places = sort_ids(ids, n, &scratch);
    int64_t *sorted = ARENA_ARRAY(&scratch, int64_t, n);
    bool is_in_order = true;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = places[i].id;
        is_in_order &= places[i].index == i;
    }
    struct case_reader reader = {.rows = {store, arena, error, GB_OK},
                                 .ids = sorted,
                                 .n = n,
                                 .n_of = ARENA_ARRAY(&scratch, size_t, n)};
    const int32_t status = read_cases(&reader);
    if (status == GB_OK)
        *ret = is_in_order ? reader.cases : reorder(reader.cases, places, n);
    else
        free(reader.cases);
    return status;
}

int32_t store_case_read(struct store *store, int64_t case_id, struct arena *arena,
                        struct stored_case *ret, struct gb_error *error)
{
    CLEANUP(free_pointer) struct stored_case *c = NULL;
    const int32_t status = store_cases_read(store, &case_id, 1, arena, &c, error);
    if (status == GB_OK)
        *ret = *c;
    return status;
}

const struct parameter *find_parameter(const struct stored_case *c, const char *name)
{
    for (size_t i = 0; i < c->n_parameters; i++)
        if (*c->parameters[i].name == *name && text_equal(c->parameters[i].name, name))
            return &c->parameters[i];
    return NULL;
}

const char *launched_word(const struct stored_case *c)
{
    bool is_known = *c->record.launched || text_equal(c->launch, launch_word(GB_LAUNCH_AUTO));
    return is_known ? c->record.launched : c->launch; /* of a file that did not say more */
}

bool estimate_is_central(const struct case_record *record)
{
    const char *statistic = record->estimate.statistic;
    return record->has_estimate && (text_equal(statistic, "median") ||
                                    (record->is_dithered && text_equal(statistic, "mean")));
}

double central_ns(const struct stored_case *c)
{
    const double value_ns = c->record.estimate.value_ns;
    bool is_known = estimate_is_central(&c->record) && isfinite(value_ns) && value_ns > 0;
    return is_known ? value_ns : c->summary.median;
}
