/* replay_trace.c - see replay.h: recorded samples, of a case or of a file. */
#include "core/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_COLUMNS = 6 };

/* Beside the clock that counts, in the order of struct trace_columns. */
static const char *const column_names[CASE_COLUMNS - 1] = {"elapsed", "iterations", "clock_hz",
                                                           "throttle", "flags"};

static int32_t no_memory(uint64_t n, struct gb_error *error)
{
    return error_set(error, GB_NO_MEMORY, "out of memory for %llu samples", (unsigned long long)n);
}

static const double FEW_TICKS = 2.0;
static const double ROUNDING = 0.25; /* ticks: between two of them */

/* The mean of dithered readings near their median, which is one of few ticks and up to half a tick
 * off: of those within two ticks, or four standard deviations of these if that is more. The rule of
 * plugins/common/policy/dithered_mean.c, which core/ does not see, without what an interval asks.
 */
static double mean_near(const double *sorted, size_t n, double median, double tick)
{
    double mean = 0.0;
    double reach = 0.0;
    double wanted = FEW_TICKS * tick;
    for (int i = 0; i < 6 && wanted > reach; i++) {
        double sum = 0.0;
        double squares = 0.0;
        double n_near = 0.0;
        reach = wanted;
        for (size_t j = 0; j < n; j++) {
            const double off = sorted[j] - median;
            if (fabs(off) > reach + ROUNDING * tick)
                continue;
            sum += off;
            squares += off * off;
            n_near++;
        }
        mean = sum / n_near;
        wanted = 4.0 * sqrt(fmax(squares / n_near - mean * mean, 0.0));
    }
    return median + mean;
}

/* Where half of the values lie below, between the distinct values, each of which stands in the
 * middle of its own: the rule of plugins/policy_steady/rank_index.c for the median. */
static double median_between(const double *sorted, size_t n)
{
    double before = NAN;
    double middle_before = 0.0;
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && sorted[end] <= sorted[begin])
            end++;
        const double middle = 0.5 * (double)(begin + end);
        const double beyond = middle - 0.5 * (double)n;
        if (beyond >= 0.0)
            return begin == 0 ? sorted[0]
                              : sorted[begin] -
                                    (sorted[begin] - before) * beyond / (middle - middle_before);
        before = sorted[begin];
        middle_before = middle;
    }
    return before;
}

/* Of the samples whose time is known. */
static int32_t find_centre(struct trace *trace, struct gb_error *error)
{
    CLEANUP(free_pointer) double *sorted = malloc((trace->n + 1) * sizeof *sorted);
    size_t n = 0;
    if (!sorted)
        return no_memory(trace->n, error);
    for (uint64_t i = 0; i < trace->n; i++)
        if (!isnan(trace->time_ns[i]))
            sorted[n++] = trace->time_ns[i];
    sort_values(sorted, n);
    trace->median_ns = trace->centre_ns = quantile_of_sorted(sorted, n, 0.5);
    const double quartiles = quantile_of_sorted(sorted, n, 0.75) -
                             quantile_of_sorted(sorted, n, 0.25);
    if (trace->is_dithered && trace->tick_ns > 0)
        trace->centre_ns = quartiles <= (FEW_TICKS + ROUNDING) * trace->tick_ns
                               ? mean_near(sorted, n, trace->median_ns, trace->tick_ns)
                               : median_between(sorted, n);
    return GB_OK;
}

static int32_t load_times(struct trace *trace, struct gb_error *error)
{
    struct stored_case *c = &trace->row.c;
    int32_t status = GB_OK;
    bool is_possible = trace->n < SIZE_MAX / sizeof *trace->time_ns; /* a file can claim anything */
    trace->time_ns = is_possible ? malloc((trace->n + 1) * sizeof *trace->time_ns) : NULL;
    if (!trace->time_ns)
        return no_memory(trace->n, error);
    for (uint64_t first = 0; status == GB_OK && first < trace->n; first += STORE_CHUNK) {
        uint64_t n = trace->n - first < STORE_CHUNK ? trace->n - first : STORE_CHUNK;
        status = store_samples_read(trace->view->store, c->id, c->record.clock, first, n,
                                    trace->time_ns + first, error);
    }
    if (status == GB_OK)
        status = store_samples_read(trace->view->store, c->id, "elapsed", trace->n - 1, 1,
                                    &trace->elapsed_ns, error);
    return status;
}

/* Was the case measured in several rounds? */
static bool has_rounds(const struct view *view, const struct view_entry *entry)
{
    for (size_t i = 0; i < view->n_entries; i++)
        if (view->entries[i].place == entry->place &&
            view->entries[i].row->c.record.round != entry->row->c.record.round)
            return true;
    return false;
}

int32_t trace_of_case(struct view *view, const struct view_entry *entry, const char *file,
                      struct arena *arena, struct trace *ret, struct gb_error *error)
{
    struct trace trace = {.file = file, .view = view, .row = *entry->row};
    const struct case_record *record = &trace.row.c.record;
    trace.label = trace.row.label;
    trace.device = trace.row.device ? device_label(&trace.row, arena) : "";
    trace.clock = record->clock;
    trace.run = trace.row.run->number;
    trace.round = record->round;
    trace.has_rounds = has_rounds(view, entry);
    trace.n = record->n_samples;
    trace.seed = (uint64_t)trace.row.c.seed;
    if (record->iterations > 0 && record->tick_ns > 0)
        trace.tick_ns = record->tick_ns / (double)record->iterations;
    if (record->iterations > 0)
        trace.error_ns = record->offset_error_ns / (double)record->iterations;
    trace.is_dithered = record->is_dithered;
    trace.is_part = record->is_part;
    trace.load_ns = text_equal(trace.row.c.pace, pace_word(PACE_FREE)) ? record->pace.load_ns : 0;
    if (trace.n == 0)
        return error_set(error, GB_NOT_FOUND, "%s: has no samples", trace.label);
    trace.chunk = memory_allocate(sizeof(double) * CASE_COLUMNS * TRACE_CHUNK);
    int32_t status = load_times(&trace, error);
    if (status == GB_OK)
        status = find_centre(&trace, error);
    if (status != GB_OK)
        trace_free(&trace);
    else
        *ret = trace;
    return status;
}

int32_t trace_of_file(const char *path, const struct trace_file_options *options,
                      const struct trace_times *times, struct arena *arena, struct trace *ret,
                      struct gb_error *error)
{
    struct trace_file file;
    int32_t status = trace_file_read(path, options, arena, &file, error);
    if (status != GB_OK)
        return status;
    const char *slash = strrchr(path, '/');
    struct trace trace = {.file = path,
                          .label = text_equal(path, "-") ? "standard input"
                                   : slash               ? slash + 1
                                                         : path,
                          .device = "",
                          .clock = file.column ? file.column : "",
                          .n = file.n,
                          .time_ns = file.time_ns,
                          .tick_ns = times->tick_ns,
                          .overhead_ns = times->overhead_ns,
                          .chunk = memory_allocate(sizeof(double) * TRACE_CHUNK)};
    for (uint64_t i = 0; i < trace.n; i++)
        trace.elapsed_ns += trace.time_ns[i] + trace.overhead_ns;
    status = find_centre(&trace, error);
    if (status != GB_OK)
        trace_free(&trace);
    else
        *ret = trace;
    return status;
}

void trace_free(struct trace *trace)
{
    free(trace->time_ns);
    free(trace->chunk);
    *trace = (struct trace){0};
}

static int32_t read_case(struct trace *trace, uint64_t first, uint64_t n, struct trace_columns *ret,
                         struct gb_error *error)
{
    double *chunk = trace->chunk;
    int32_t status = view_read_samples(trace->view, &trace->row, column_names, CASE_COLUMNS - 1,
                                       first, n, chunk, error);
    *ret = (struct trace_columns){.time_ns = chunk,
                                  .elapsed_ns = chunk + TRACE_CHUNK,
                                  .iterations = chunk + 2 * TRACE_CHUNK,
                                  .clock_hz = chunk + 3 * TRACE_CHUNK,
                                  .throttle = chunk + 4 * TRACE_CHUNK,
                                  .flags = chunk + 5 * TRACE_CHUNK};
    return status;
}

/* Wall time is what was measured and what was not, added up. */
static void add_up(struct trace *trace, uint64_t first, uint64_t n)
{
    if (first < trace->elapsed_at)
        trace->elapsed_at = 0;
    if (trace->elapsed_at == 0)
        trace->elapsed_sum_ns = 0;
    for (uint64_t i = trace->elapsed_at; i < first + n; i++) {
        trace->elapsed_sum_ns += trace->time_ns[i] + trace->overhead_ns;
        if (i >= first)
            trace->chunk[i - first] = trace->elapsed_sum_ns;
    }
    trace->elapsed_at = first + n;
}

int32_t trace_read(struct trace *trace, uint64_t first, uint64_t n, struct trace_columns *ret,
                   struct gb_error *error)
{
    if (trace->view)
        return read_case(trace, first, n, ret, error);
    add_up(trace, first, n);
    *ret = (struct trace_columns){.time_ns = trace->time_ns + first, .elapsed_ns = trace->chunk};
    return GB_OK;
}
