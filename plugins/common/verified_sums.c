/* verified_sums.c - see verified_sums.h. Plugin side. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "verified_sums.h"

#include "plugins/common/bench_memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- parsing --- */

/* The ranges that the experiments on half precision name so. */
static const struct {
    const char *name;
    double low, high;
} named[] = {{"r0", -1, 1}, {"r1", -10, 10}, {"r4", 1, 5}, {"r5", 5, 10}};

static bool take_named(const char *text, size_t length, struct range *range)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (strlen(named[i].name) == length && strncmp(text, named[i].name, length) == 0) {
            range->intervals[range->n].low = named[i].low;
            range->intervals[range->n].high = named[i].high;
            return true;
        }
    }
    return false;
}

/* A number ends before "..", which strtod would take the first dot of. */
static bool take_number(const char **text, const char *end, double *ret)
{
    char buffer[64];
    char *stop = NULL;
    const char *dots = strstr(*text, "..");
    const char *until = dots != NULL && dots < end ? dots : end;
    const size_t length = (size_t)(until - *text);
    if (length == 0 || length >= sizeof buffer)
        return false;
    memcpy(buffer, *text, length);
    buffer[length] = '\0';
    *ret = strtod(buffer, &stop);
    stop += strspn(stop, " ");
    *text = until;
    return stop != buffer && *stop == '\0' && isfinite(*ret);
}

static bool take_interval(const char *text, const char *end, struct range *range)
{
    double low = 0.0;
    double high = 0.0;
    if (!take_number(&text, end, &low) || text == end)
        return false;
    text += strlen("..");
    if (text >= end || !take_number(&text, end, &high) || text != end || low > high)
        return false;
    range->intervals[range->n].low = low;
    range->intervals[range->n].high = high;
    return true;
}

bool range_parse(const char *text, struct range *ret, char *reason, size_t bytes)
{
    struct range range = {0};
    const char *at = text;
    for (;;) {
        at += strspn(at, " ");
        const char *bar = at + strcspn(at, "|");
        const char *end = bar;
        while (end > at && end[-1] == ' ')
            end--;
        if (range.n == RANGE_INTERVALS_MAX) {
            snprintf(reason, bytes, "range = %s: expected at most %d intervals", text,
                     RANGE_INTERVALS_MAX);
            return false;
        }
        if (!take_named(at, (size_t)(end - at), &range) && !take_interval(at, end, &range)) {
            snprintf(reason, bytes,
                     "range = %s: '%.*s' is neither r0, r1, r4, r5 nor LOW..HIGH with LOW <= HIGH",
                     text, (int)(end - at), at);
            return false;
        }
        range.n++;
        if (*bar == '\0')
            break;
        at = bar + 1;
    }
    *ret = range;
    return true;
}

double range_largest(const struct range *range)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < range->n; i++) {
        largest = fmax(largest, fabs(range->intervals[i].low));
        largest = fmax(largest, fabs(range->intervals[i].high));
    }
    return largest;
}

bool range_has_one_sign(const struct range *range)
{
    bool has_negative = false;
    bool has_positive = false;
    for (uint32_t i = 0; i < range->n; i++) {
        has_negative |= range->intervals[i].low < 0.0;
        has_positive |= range->intervals[i].high > 0.0;
    }
    return !(has_negative && has_positive);
}

void range_validate(const char *text, gb_problem_fn *problem, void *context)
{
    struct range range;
    char reason[240];
    if (!range_parse(text, &range, reason, sizeof reason))
        problem(context, "range", 0, reason);
}

bool range_text_has_one_sign(const char *text)
{
    struct range range;
    char reason[240];
    return range_parse(text, &range, reason, sizeof reason) && range_has_one_sign(&range);
}

int32_t range_refuse_inexact(const struct range *range, const struct gb_host *host,
                             const struct gb_format *format, const char *dtype, double n,
                             double limit)
{
    const double largest = range_largest(range), whole = ldexp(1.0, format->digits);
    if (!format->is_integer && largest > whole)
        return host_skip(host, "integral = yes: the integers of %s end at %g, the range at %g",
                         dtype, whole, largest);
    if (n * largest * largest > limit)
        return host_skip(
            host, "sums of whole numbers are exact up to %g, but %g products up to %g are %g",
            limit, n, largest * largest, n * largest * largest);
    return GB_OK;
}

/* --- filling --- */

static double share_of(const struct range *range, uint32_t i, bool is_integral)
{
    const double low = range->intervals[i].low;
    const double high = range->intervals[i].high;
    return is_integral ? fmax(0.0, floor(high) - ceil(low) + 1.0) : high - low;
}

/* Streams: of matrix x and interval i 2 i n_matrices + x, where picks have one of their own. */
enum { N_MATRICES = 2 };

static int32_t fill_interval(const struct range *range, const struct gb_host *host, void *data,
                             uint64_t n, const struct gb_fill *fill, uint32_t i)
{
    struct gb_fill request = *fill;
    request.stream = (uint64_t)N_MATRICES * i + fill->stream;
    request.low = range->intervals[i].low;
    request.high = range->intervals[i].high;
    const int32_t status = host->fill(host, data, n, &request);
    if (status != GB_INVALID)
        return status;
    return host_fail(host, "range: %g..%g cannot be drawn from%s", request.low, request.high,
                     fill->integral != 0 || fill->format == GB_I8
                         ? ": it must contain integers, within the range of the type"
                         : "");
}

/* Which interval element i is of. */
static uint32_t pick(const struct range *range, const struct gb_host *host,
                     const struct gb_fill *fill, uint64_t i, bool is_integral)
{
    const uint64_t stream = (uint64_t)N_MATRICES * RANGE_INTERVALS_MAX + fill->stream;
    double total = 0.0;
    for (uint32_t j = 0; j < range->n; j++)
        total += share_of(range, j, is_integral);
    double rest = total * (double)(host->random(host, stream, i) >> 11) * 0x1p-53;
    for (uint32_t j = 0; j + 1 < range->n; j++) {
        rest -= share_of(range, j, is_integral);
        if (rest < 0.0)
            return j;
    }
    return range->n - 1;
}

/* low and high are those of each interval; `stream` counts matrices from 0. */
static int32_t range_fill(const struct range *range, const struct gb_host *host, void *data,
                          uint64_t n, uint32_t bytes, const struct gb_fill *fill)
{
    const bool is_integral = fill->integral != 0 || fill->format == GB_I8;
    int32_t status = fill_interval(range, host, data, n, fill, 0);
    if (status != GB_OK || range->n == 1)
        return status;
    char *other = malloc(n * bytes);
    if (other == NULL)
        return GB_NO_MEMORY;
    for (uint32_t j = 1; status == GB_OK && j < range->n; j++) {
        status = fill_interval(range, host, other, n, fill, j);
        for (uint64_t i = 0; status == GB_OK && i < n; i++) {
            if (pick(range, host, fill, i, is_integral) == j)
                memcpy((char *)data + i * bytes, other + i * bytes, bytes);
        }
    }
    free(other);
    return status;
}

/* --- arrays --- */

void arrays_describe(struct verified_array arrays[ARRAYS], const uint64_t lengths[ARRAYS],
                     const struct gb_format *input, const struct gb_format *output)
{
    for (int i = 0; i < ARRAYS; i++) {
        arrays[i].n = lengths[i];
        arrays[i].format = i == ARRAY_OUTPUT ? output : input;
    }
}

int32_t arrays_take(struct verified_array arrays[ARRAYS], const struct gb_host *host,
                    bool is_in_place)
{
    int32_t status = GB_OK;
    for (int i = 0; i < ARRAYS; i++) {
        const uint64_t bytes = arrays[i].n * arrays[i].format->bytes;
        arrays[i].device = device_memory(host, bytes, GB_MEMORY_DEVICE, &status);
        arrays[i].host = is_in_place ? arrays[i].device : host_memory(host, bytes, &status);
    }
    return status;
}

static void upload(const struct verified_array *array, const struct gb_host *host, int32_t *status)
{
    if (array->device != array->host)
        copy_memory(host, array->device, array->host, array->n * array->format->bytes, status);
}

/* Numbers that could be results, other ones for each set, so that what was not written is wrong,
 * and looks like any other. */
static int32_t poison(const struct verified_array *output, const struct gb_host *host, uint64_t set)
{
    const struct gb_fill fill = {.size = sizeof fill,
                                 .format = output->format->format,
                                 .stream = ~set, /* no input's */
                                 .low = output->format->is_integer ? 0 : -1,
                                 .high = output->format->is_integer ? 100 : 1};
    return host->fill(host, output->host, output->n, &fill);
}

int32_t arrays_refresh(const struct verified_array arrays[ARRAYS], const struct gb_host *host,
                       const struct range *range, bool is_integral, uint64_t set)
{
    int32_t status = GB_OK;
    for (uint64_t i = 0; i < ARRAYS && status == GB_OK; i++) {
        const struct verified_array *array = &arrays[i];
        const struct gb_fill fill = {.size = sizeof fill,
                                     .format = array->format->format,
                                     .stream = N_MATRICES * set + i,
                                     .integral = is_integral};
        status = i == ARRAY_OUTPUT
                     ? poison(array, host, set)
                     : range_fill(range, host, array->host, array->n, array->format->bytes, &fill);
        upload(array, host, &status);
    }
    return status;
}

void arrays_read_output(const struct verified_array arrays[ARRAYS], const struct gb_host *host,
                        int32_t *status)
{
    const struct verified_array *output = &arrays[ARRAY_OUTPUT];
    if (output->device != output->host)
        copy_memory(host, output->host, output->device, output->n * output->format->bytes, status);
}

/* --- all CPUs --- */

enum { THREADS_MAX = 1024 };

/* All CPUs are asked for: the kernel takes away what the process may not use. */
static uint32_t count_all(void)
{
    cpu_set_t mine;
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return 1;
    uint32_t n = (uint32_t)CPU_COUNT(&mine);
    if (sched_setaffinity(0, sizeof all, &all) == 0 && sched_getaffinity(0, sizeof all, &all) == 0)
        n = (uint32_t)CPU_COUNT(&all);
    sched_setaffinity(0, sizeof mine, &mine);
    return n < THREADS_MAX ? n : THREADS_MAX;
}

struct phase {
    all_cpus_fn *work;
    void *context;
};

static void *work_anywhere(void *object)
{
    const struct phase *phase = object;
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    phase->work(phase->context);
    return NULL;
}

void all_cpus_run(all_cpus_fn *work, void *context, uint32_t n_threads)
{
    pthread_t threads[THREADS_MAX];
    struct phase phase = {work, context};
    const uint32_t wanted = n_threads != 0 ? n_threads : count_all();
    const uint32_t n_wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    uint32_t n = 0;
    while (n_wanted > 1 && n < n_wanted &&
           pthread_create(&threads[n], NULL, work_anywhere, &phase) == 0)
        n++;
    if (n == 0)
        work(context);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}
