/* store_samples.c - see store_case.h and store_read.h: columns of samples, in chunks; samples that
 * a benchmark has given itself. */
#include "core/base/long_summary.h"
#include "core/store/store_case.h"
#include "core/store/store_internal.h"
#include "core/store/store_read.h"
#include "core/store/store_schema.h"

#include <math.h>
#include <string.h>

/* Chunks hold doubles as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored little-endian");

static const double *column_named(const struct sample_column *columns, size_t n_columns,
                                  const char *name)
{
    const struct sample_column *found = ITEM_NAMED(columns, n_columns, name, name);
    return found ? found->values : NULL;
}

uint64_t samples_throttled(const struct sample_column *columns, size_t n_columns, uint64_t n)
{
    const double *throttle = column_named(columns, n_columns, "throttle");
    const double *flags = column_named(columns, n_columns, "flags");
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        bool by_reason = throttle && throttle[i] != 0;
        bool by_flag = flags && ((uint64_t)flags[i] & GB_SAMPLE_THROTTLED);
        count += by_reason || by_flag;
    }
    return count;
}

/* ---- chunks ---- */

double sample_gap(const char *column)
{
    return IS_AMONG(column, "clock_hz", "throttle", "flags") ? 0 : NAN;
}

/* Gaps are looked for in pieces of so many samples: a flag here and there does not cost a whole
 * chunk, nor do many short chunks cost more than their values. */
enum { PIECE = 256 };

/* Do all values equal a gap? */
static bool equals_gap(const char *name, const double *values, uint64_t n)
{
    double gap = sample_gap(name);
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(values[i]) && values[i] != gap)
            return false;
    return true;
}

static int32_t write_chunk(struct store *store, int64_t case_id, const char *name, uint64_t first,
                           uint64_t n, const double *values, struct gb_error *error)
{
    bool is_constant = memcmp(values, values + 1, (n - 1) * sizeof *values) == 0;
    struct sample_chunk row = {name, first, n, {values, (is_constant ? 1 : n) * sizeof *values}};
    return row_write(store, TABLE_SAMPLES, SQL_INSERT, case_id, 0, &row, error);
}

/* One part of a column: the values that do not equal a gap, in as few chunks as that takes. */
static int32_t write_part(struct store *store, int64_t case_id, const char *name, uint64_t first,
                          uint64_t n, const double *values, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (uint64_t begin = 0, end = 0; status == GB_OK && begin < n; begin = end) {
        uint64_t piece = n - begin < PIECE ? n - begin : PIECE;
        bool is_gap = equals_gap(name, values + begin, piece);
        for (end = begin; end < n; end += piece) {
            piece = n - end < PIECE ? n - end : PIECE;
            if (equals_gap(name, values + end, piece) != is_gap)
                break;
        }
        if (!is_gap)
            status = write_chunk(store, case_id, name, first + begin, end - begin, values + begin,
                                 error);
    }
    return status;
}

int32_t samples_write(struct store *store, int64_t case_id, const char *clock, uint64_t first,
                      uint64_t n, const struct sample_column *columns, size_t n_columns,
                      struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < n_columns; i++)
        for (uint64_t done = 0; status == GB_OK && done < n; done += STORE_CHUNK) {
            uint64_t part = n - done < STORE_CHUNK ? n - done : STORE_CHUNK;
            bool counts = text_equal(columns[i].name, clock);
            status = (counts ? write_chunk : write_part)(store, case_id, columns[i].name,
                                                         first + done, part,
                                                         columns[i].values + done, error);
        }
    return status;
}

static int32_t samples_damaged(struct store *store, int64_t case_id, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    error_set(error, GB_CORRUPT, "%s: damaged: the samples of case %lld are not those it claims",
              store->path, (long long)case_id);
    struct query select = query_begin(
        store, NULL, "SELECT position + 1, bench FROM bench_case WHERE id = ?1", "i", case_id);
    if (query_next(&select))
        error_set(error, GB_CORRUPT,
                  "%s: damaged: the samples of case %lld of [bench %s] are not those it claims",
                  store->path, (long long)sqlite3_column_int64(select.row, 0),
                  row_text(select.row, 1, &scratch));
    query_end(&select);
    return GB_CORRUPT;
}

/* What a chunk must be, so that what is read of a case is bounded by what the file holds. */
#define CHUNK_IS_SOUND                                                                             \
    "(first >= 0 AND n BETWEEN 1 AND 65536 AND typeof(data) = 'blob'"                              \
    " AND length(data) IN (8, 8 * n))"
_Static_assert(STORE_CHUNK == 65536, "as in CHUNK_IS_SOUND");

/* Of cases that lie near to each other: sets is_sound of those that are. */
static int32_t check_near(struct store *store, const int64_t *ids, const struct stored_case *cases,
                          size_t n, bool *is_sound, struct gb_error *error)
{
    static const char of_clocks[] =
        "SELECT c.id, c.clock, total(n), max(CAST(first AS REAL) + n), min(" CHUNK_IS_SOUND ")"
        " FROM bench_case AS c JOIN samples AS s ON s.case_id = c.id AND s.name = c.clock"
        " WHERE c.id BETWEEN ?1 AND ?2 GROUP BY c.id";
    struct query select = query_begin(store, error, of_clocks, "ii", ids[0], ids[n - 1]);
    size_t at = 0;
    while (query_next(&select)) {
        while (at + 1 < n && ids[at] < sqlite3_column_int64(select.row, 0))
            at++;
        const double n_samples = (double)cases[at].record.n_samples;
        is_sound[at] |= ids[at] == sqlite3_column_int64(select.row, 0) &&
                        row_text_is(select.row, 1, cases[at].record.clock) &&
                        sqlite3_column_double(select.row, 2) == n_samples &&
                        sqlite3_column_double(select.row, 3) == n_samples &&
                        sqlite3_column_int(select.row, 4);
    }
    return query_end(&select);
}

int32_t samples_check(struct store *store, const int64_t *ids, const struct stored_case *cases,
                      size_t n_cases, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    bool *is_sound = ARENA_ARRAY(&scratch, bool, n_cases);
    int32_t status = GB_OK;
    for (size_t i = 0; i < n_cases; i++)
        is_sound[i] = cases[i].record.n_samples == 0;
    for (size_t i = 0, n; status == GB_OK && i < n_cases; i += n) {
        n = near_ids(ids + i, n_cases - i);
        status = check_near(store, ids + i, cases + i, n, is_sound + i, error);
    }
    for (size_t i = 0; status == GB_OK && i < n_cases; i++)
        if (!is_sound[i])
            status = samples_damaged(store, ids[i], error);
    return status;
}

/* The part of a chunk (first, n, data) that lies in [from, from + n_wanted). */
static void take_chunk(sqlite3_stmt *row, uint64_t from, uint64_t n_wanted, double *values)
{
    uint64_t first = (uint64_t)sqlite3_column_int64(row, 0);
    uint64_t n = (uint64_t)sqlite3_column_int64(row, 1);
    const char *data = sqlite3_column_blob(row, 2);
    uint64_t n_stored = (uint64_t)sqlite3_column_bytes(row, 2) / sizeof *values;
    uint64_t begin = first > from ? first : from;
    n = n_stored == 1 || n_stored > n ? n : n_stored;
    uint64_t end = first + n < from + n_wanted ? first + n : from + n_wanted;
    if (begin >= end || n_stored == 0)
        return;
    if (n_stored > 1)
        memcpy(values + (begin - from), data + (begin - first) * sizeof *values,
               (end - begin) * sizeof *values);
    else
        for (uint64_t i = begin; i < end; i++)
            memcpy(values + (i - from), data, sizeof *values);
}

int32_t store_samples_read(struct store *store, int64_t case_id, const char *column, uint64_t first,
                           uint64_t n, double *values, struct gb_error *error)
{
    /* With both limits on `first` the index finds the few chunks that can matter. */
    struct query select = query_begin(
        store, error,
        "SELECT first, n, data, " CHUNK_IS_SOUND " FROM samples WHERE case_id = ?1 AND name = ?2"
        " AND first < ?4 AND first > ?3 - ?5 AND (first + n > ?3 OR n < 1) ORDER BY first",
        "itiii", case_id, column, (int64_t)first, (int64_t)(first + n), (int64_t)STORE_CHUNK);
    for (uint64_t i = 0; i < n && select.row; i++)
        values[i] = NAN;
    bool is_sound = true;
    while (is_sound && query_next(&select)) {
        is_sound = sqlite3_column_int(select.row, 3);
        if (is_sound)
            take_chunk(select.row, first, n, values);
    }
    int32_t status = query_end(&select);
    return status != GB_OK || is_sound ? status : samples_damaged(store, case_id, error);
}

/* ---- summaries ---- */

static struct summary summary_of_finite(const double *values, size_t n)
{
    CLEANUP(free_pointer) double *finite = memory_resize(NULL, (n + 1) * sizeof *finite);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            finite[kept++] = values[i];
    return summary_of(finite, kept);
}

int32_t samples_summarize(struct store *store, int64_t case_id, uint64_t n_stored,
                          const struct case_record *record, struct summary *ret,
                          struct gb_error *error)
{
    const double *last = column_named(record->columns, record->n_columns, record->clock);
    uint64_t n_last = last ? record->n_samples : 0;
    if (n_stored == 0) {
        *ret = summary_of_finite(last, n_last);
        return GB_OK;
    }
    int32_t status = GB_OK;
    CLEANUP(free_pointer) double *values = memory_resize(NULL, STORE_CHUNK * sizeof *values);
    struct long_summary *summary = long_summary_new();
    while (status == GB_OK && long_summary_begin_pass(summary)) {
        for (uint64_t first = 0; status == GB_OK && first < n_stored; first += STORE_CHUNK) {
            uint64_t n = n_stored - first < STORE_CHUNK ? n_stored - first : STORE_CHUNK;
            status = store_samples_read(store, case_id, record->clock, first, n, values, error);
            long_summary_add(summary, values, n);
        }
        long_summary_add(summary, last, n_last);
    }
    if (status == GB_OK)
        *ret = long_summary_get(summary);
    long_summary_free(summary);
    return status;
}

/* ---- series ---- */

_Static_assert(sizeof(struct bin) == 2 * sizeof(double), "bins are stored as they lie in memory");

bool series_bins_are_sound(const struct bin *bins, uint64_t n_bins, uint64_t n)
{
    double total = 0;
    for (uint64_t i = 0; i < n_bins; i++) {
        if (!isfinite(bins[i].value) || (i > 0 && !(bins[i].value > bins[i - 1].value)) ||
            !(bins[i].count >= 1) || bins[i].count > 0x1p53 || bins[i].count > floor(bins[i].count))
            return false;
        total += bins[i].count;
    }
    return total <= 0x1p53 && n == (uint64_t)total;
}

static bool take_bins(sqlite3_stmt *row, struct arena *arena, const struct bin **ret, size_t *ret_n)
{
    const size_t bytes = (size_t)sqlite3_column_bytes(row, 1);
    const size_t n = bytes / sizeof(struct bin);
    struct bin *bins = ARENA_ARRAY(arena, struct bin, n + 1);
    if (bytes > 0)
        memcpy(bins, sqlite3_column_blob(row, 1), n * sizeof *bins);
    *ret = bins;
    *ret_n = n;
    return bytes % sizeof *bins == 0 &&
           series_bins_are_sound(bins, n, (uint64_t)sqlite3_column_int64(row, 0));
}

int32_t store_series_bins(struct store *store, int64_t case_id, const char *name,
                          struct arena *arena, const struct bin **ret, size_t *ret_n,
                          struct gb_error *error)
{
    *ret = NULL;
    *ret_n = 0;
    struct query select = query_begin(store, error,
                                      "SELECT n, bins FROM series WHERE case_id = ?1 AND name = ?2",
                                      "it", case_id, name);
    const bool is_sound = !query_next(&select) || take_bins(select.row, arena, ret, ret_n);
    const int32_t status = query_end(&select);
    if (status == GB_OK && !is_sound)
        return error_set(
            error, GB_CORRUPT,
            "%s: damaged: the values of series %s of case %lld are not those it claims",
            store->path, name, (long long)case_id);
    return status;
}
