/* verified_sums.c - see verified_sums.h. Plugin side. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "verified_sums.h"

#include "plugins/common/bench_steps.h"

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
            snprintf(reason, bytes, "range = %s: at most %d intervals", text, RANGE_INTERVALS_MAX);
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
                         ? ": there must be whole numbers in it, within the range of the type"
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

int32_t range_fill(const struct range *range, const struct gb_host *host, void *data, uint64_t n,
                   uint32_t bytes, const struct gb_fill *fill)
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
