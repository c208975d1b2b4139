/* clock_history.c - see clock_history.h. Plugin side. */
#include "clock_history.h"

#include <math.h>
#include <stddef.h>

enum { PARTS = 8 };
static const double STANDARD_ERRORS = 8.0;

static void join(struct clock_stretch *to, const struct clock_stretch *from)
{
    to->sum += from->sum;
    to->squares += from->squares;
    to->n_known += from->n_known;
    to->n_throttled += from->n_throttled;
}

static void halve(struct clock_history *history)
{
    for (size_t i = 0; i < CLOCK_STRETCHES / 2; i++) {
        struct clock_stretch joined = history->stretches[2 * i];
        join(&joined, &history->stretches[2 * i + 1]);
        history->stretches[i] = joined;
    }
    for (size_t i = CLOCK_STRETCHES / 2; i < CLOCK_STRETCHES; i++)
        history->stretches[i] = (struct clock_stretch){0};
    history->length *= 2;
}

void clock_history_add(struct clock_history *history, double clock_hz, bool is_throttled)
{
    if (history->length == 0)
        history->length = 1;
    if (history->n == history->length * CLOCK_STRETCHES)
        halve(history);
    struct clock_stretch *stretch = &history->stretches[history->n / history->length];
    if (clock_hz > 0.0 && isfinite(clock_hz)) {
        const double step = history->last_hz > 0.0 ? clock_hz - history->last_hz : 0.0;
        stretch->sum += clock_hz;
        stretch->squares += step * step;
        stretch->n_known++;
        history->last_hz = clock_hz;
    }
    history->n++;
    if (is_throttled) {
        stretch->n_throttled++;
        history->behind_throttled = history->n;
    }
}

bool clock_history_is_throttled(const struct clock_history *history, uint64_t first)
{
    return history->behind_throttled > first;
}

/* The stretches from `first` on; a stretch that `first` divides is left out. */
static size_t first_stretch(const struct clock_history *history, uint64_t first)
{
    return history->length > 0 ? (size_t)((first + history->length - 1) / history->length) : 0;
}

static size_t n_stretches(const struct clock_history *history)
{
    return first_stretch(history, history->n);
}

static struct clock_stretch sum_of(const struct clock_history *history, size_t first, size_t end)
{
    struct clock_stretch sum = {0};
    for (size_t i = first; i < end; i++)
        join(&sum, &history->stretches[i]);
    return sum;
}

double clock_history_throttled_share(const struct clock_history *history, uint64_t first)
{
    const size_t from = first_stretch(history, first);
    const struct clock_stretch sum = sum_of(history, from, n_stretches(history));
    const uint64_t n = history->n - (uint64_t)from * history->length;
    return sum.n_throttled > 0 ? (double)sum.n_throttled / (double)n : 0.0;
}

/* The mean clocks of equal parts. */
struct parts {
    size_t from, end; /* the stretches that they divide */
    double means[PARTS];
    double low, high; /* the least and the most of these */
    struct clock_stretch all;
};

static size_t begin_of(const struct parts *parts, size_t part)
{
    return parts->from + (parts->end - parts->from) * part / PARTS;
}

/* Of the samples from `first` on; false where a part has no known clock. */
static bool divide(const struct clock_history *history, uint64_t first, struct parts *ret)
{
    *ret = (struct parts){.from = first_stretch(history, first),
                          .end = n_stretches(history),
                          .low = (double)INFINITY};
    if (ret->end < ret->from + PARTS)
        return false;
    for (size_t i = 0; i < PARTS; i++) {
        const struct clock_stretch part = sum_of(history, begin_of(ret, i), begin_of(ret, i + 1));
        if (part.n_known == 0)
            return false;
        ret->means[i] = part.sum / (double)part.n_known;
        ret->low = fmin(ret->low, ret->means[i]);
        ret->high = fmax(ret->high, ret->means[i]);
        join(&ret->all, &part);
    }
    return true;
}

/* Of the mean of a part. */
static double error_of(const struct parts *parts)
{
    const double n = (double)parts->all.n_known;
    return sqrt(0.5 * parts->all.squares / n * (double)PARTS / n);
}

struct clock_trend clock_history_trend(const struct clock_history *history, uint64_t first,
                                       double tolerance)
{
    const struct clock_trend none = {false, false, 0};
    struct parts parts;
    if (!divide(history, first, &parts))
        return none;
    const double middle = 0.5 * (parts.low + parts.high);
    const double span = parts.high - parts.low;
    if (span <= tolerance * middle || span <= STANDARD_ERRORS * error_of(&parts))
        return none;
    struct clock_trend trend = none;
    for (size_t i = 1; i < PARTS; i++) {
        if ((parts.means[i] > middle) == (parts.means[i - 1] > middle))
            continue;
        if (trend.is_there)
            return none;
        trend.is_there = true;
        trend.is_rising = parts.means[i] > middle;
        trend.turn = begin_of(&parts, i) * history->length;
    }
    return trend;
}

bool clock_history_has_left(const struct clock_history *history, uint64_t n, uint64_t first,
                            double tolerance)
{
    struct parts parts;
    const struct clock_stretch start = sum_of(
        history, 0, history->length > 0 ? (size_t)(n / history->length) : 0);
    if (start.n_known == 0 || !divide(history, first, &parts))
        return false;
    const double mean = start.sum / (double)start.n_known;
    const double outside = fmax(parts.low - mean, mean - parts.high);
    return outside > tolerance * mean && outside > STANDARD_ERRORS * error_of(&parts);
}
