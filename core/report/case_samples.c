/* case_samples.c - see case_samples.h. */
#include "core/report/case_samples.h"

#include <math.h>

/* A round as it is read: every step-th sample is kept, `per_bucket` of them share a bucket. */
struct reader {
    struct case_samples *samples;
    uint64_t step, per_bucket;
    uint64_t n_in_bucket, n_seen;
    double clock_sum;
};

static void end_bucket(struct reader *reader)
{
    struct sample_buckets *buckets = &reader->samples->buckets;
    if (reader->n_in_bucket == 0)
        return;
    buckets->clock_hz[buckets->n++] = reader->clock_sum / (double)reader->n_in_bucket;
    reader->n_in_bucket = 0;
    reader->clock_sum = 0;
}

static void add_to_bucket(struct reader *reader, double value, double clock_hz)
{
    struct sample_buckets *buckets = &reader->samples->buckets;
    size_t i = buckets->n;
    bool is_first = reader->n_in_bucket == 0;
    buckets->low[i] = is_first ? value : fmin(buckets->low[i], value);
    buckets->high[i] = is_first ? value : fmax(buckets->high[i], value);
    reader->clock_sum += clock_hz > 0 ? clock_hz : NAN;
    if (++reader->n_in_bucket == reader->per_bucket)
        end_bucket(reader);
}

static void add_sample(struct reader *reader, double value, double clock_hz)
{
    struct case_samples *samples = reader->samples;
    if (!isfinite(value))
        return;
    if (reader->n_seen++ % reader->step == 0)
        samples->sorted[samples->n_sorted++] = value;
    samples->n++;
    if (reader->per_bucket > 0)
        add_to_bucket(reader, value, clock_hz);
}

static int32_t read_round(struct view *view, const struct view_row *row, struct reader *reader,
                          double *values, struct gb_error *error)
{
    static const char *const names[] = {"clock_hz"};
    const size_t n_names = reader->per_bucket > 0;
    int32_t status = GB_OK;
    for (uint64_t first = 0; first < row->c.record.n_samples && status == GB_OK;
         first += STORE_CHUNK) {
        uint64_t left = row->c.record.n_samples - first,
                 n = left < STORE_CHUNK ? left : STORE_CHUNK;
        status = view_read_samples(view, row, names, n_names, first, n, values, error);
        for (uint64_t i = 0; status == GB_OK && i < n; i++)
            add_sample(reader, values[i], n_names ? values[STORE_CHUNK + i] : NAN);
    }
    end_bucket(reader);
    return status;
}

int32_t case_samples_read(struct view *view, const struct view_row *rounds, size_t n_rounds,
                          uint64_t most_sorted, uint64_t most_buckets, struct arena *arena,
                          struct case_samples *ret, struct gb_error *error)
{
    /* Not zeroed, which would take longer than reading a few samples. */
    CLEANUP(free_pointer) double *values = memory_resize(NULL, 2 * STORE_CHUNK * sizeof *values);
    struct reader reader = {.samples = ret};
    uint64_t n = 0;
    int32_t status = GB_OK;
    for (size_t i = 0; i < n_rounds; i++)
        n += rounds[i].c.record.n_samples;
    reader.step = n / most_sorted + 1;
    reader.per_bucket = most_buckets > 0 ? n / most_buckets + 1 : 0;
    size_t n_buckets = reader.per_bucket > 0 ? n / reader.per_bucket + n_rounds : 0;
    *ret = (struct case_samples){
        .sorted = ARENA_ARRAY(arena, double, n / reader.step + n_rounds + 1),
        .n_rounds = n_rounds,
        .buckets = {.per_bucket = reader.per_bucket,
                    .low = ARENA_ARRAY(arena, double, n_buckets + 1),
                    .high = ARENA_ARRAY(arena, double, n_buckets + 1),
                    .clock_hz = ARENA_ARRAY(arena, double, n_buckets + 1),
                    .first = ARENA_ARRAY(arena, size_t, n_rounds + 1),
                    .discarded = ARENA_ARRAY(arena, size_t, n_rounds + 1)}};
    for (size_t i = 0; i < n_rounds && status == GB_OK; i++) {
        const struct case_record *record = &rounds[i].c.record;
        ret->buckets.first[i] = ret->buckets.n;
        if (reader.per_bucket > 0 && record->has_estimate)
            ret->buckets.discarded[i] = record->estimate.n_discarded / reader.per_bucket;
        status = read_round(view, &rounds[i], &reader, values, error);
    }
    sort_values(ret->sorted, ret->n_sorted);
    return status;
}

/* ---- series ---- */

static const struct series_record *find_series(const struct view_row *row, const char *name)
{
    for (size_t i = 0; i < row->c.record.n_series; i++)
        if (text_equal(row->c.record.series[i].name, name) && row->c.record.series[i].n > 0)
            return &row->c.record.series[i];
    return NULL;
}

/* Of a round, at the middles of equal shares. */
static int32_t add_quantiles(struct view *view, const struct view_row *row,
                             const struct series_record *series, size_t n, struct case_series *ret,
                             struct gb_error *error)
{
    CLEANUP(arena_free) struct arena own = {0};
    const struct bin *bins = NULL;
    const double ns = view_ns_of_unit(series->unit), factor = ns > 0 ? ns : 1;
    size_t n_bins = 0, bin = 0;
    double before = 0; /* values in the bins before */
    int32_t status = store_series_bins(view->store, row->c.id, series->name, &own, &bins, &n_bins,
                                       error);
    for (size_t i = 0; status == GB_OK && n_bins > 0 && i < n; i++) {
        const double rank = ((double)i + 0.5) / (double)n * (double)series->n;
        while (bin + 1 < n_bins && before + bins[bin].count <= rank)
            before += bins[bin++].count;
        ret->sorted[ret->n_sorted++] = bins[bin].value * factor;
    }
    return status;
}

int32_t case_series_read(struct view *view, const struct view_row *rounds, size_t n_rounds,
                         const char *name, struct arena *arena, struct case_series *ret,
                         struct gb_error *error)
{
    enum { MOST = 1 << 15 };
    int32_t status = GB_OK;
    *ret = (struct case_series){.sorted = ARENA_ARRAY(arena, double, MOST), .unit = ""};
    for (size_t i = 0; i < n_rounds && status == GB_OK; i++) {
        const struct series_record *series = find_series(&rounds[i], name);
        if (!series)
            continue;
        if (ret->record.n == 0)
            ret->record = *series;
        if (text_equal(series->unit, ret->record.unit))
            status = add_quantiles(view, &rounds[i], series, MOST / n_rounds, ret, error);
    }
    ret->is_time = ret->record.n > 0 && view_ns_of_unit(ret->record.unit) > 0;
    const bool has_unit = ret->record.n > 0 && !text_equal(ret->record.unit, "1");
    ret->unit = ret->is_time ? "ns" : has_unit ? ret->record.unit : "";
    sort_values(ret->sorted, ret->n_sorted);
    return status;
}
