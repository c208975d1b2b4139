/* store_series.c - see store_read.h: samples that a benchmark has given itself. */
#include "core/store/store_internal.h"
#include "core/store/store_read.h"

#include <math.h>
#include <string.h>

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
    sqlite3_stmt *select = store_statement_on(
        store, "SELECT n, bins FROM series WHERE case_id = ?1 AND name = ?2", case_id, error);
    if (!select || !store_bind_text(store, select, 2, name, error))
        return store_failure(error);
    const int code = sqlite3_step(select);
    const bool is_sound = code != SQLITE_ROW || take_bins(select, arena, ret, ret_n);
    const int32_t status = store_end_rows(store, select, code == SQLITE_ROW ? SQLITE_DONE : code,
                                          error);
    if (status == GB_OK && !is_sound)
        return error_set(
            error, GB_CORRUPT,
            "%s: damaged: the values of series %s of case %lld are not those it claims",
            store->path, name, (long long)case_id);
    return status;
}
