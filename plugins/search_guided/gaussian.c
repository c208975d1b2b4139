/* gaussian.c - see gaussian.h. Plugin side. */
#include "gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths and noise that are tried; most of a likelihood is decided by fewer points. */
enum { FIT_POINTS_MAX = 160, FIT_PASSES = 2 };
static const double SHORTEST = 0.08, LONGEST = 12, NOISE_LEAST = 1e-6, NOISE_MOST = 0.1,
                    NOISE_USUAL = 1e-3;

static double usual_length(const struct gaussian *model)
{
    return 0.6 * sqrt((double)model->n_axes);
}

/* How often 2 divides it; -1: it is no whole number of at least 1. */
static int twos(double number)
{
    int n = 0;
    if (!(number >= 1) || number > 1e15 || number != floor(number))
        return -1;
    for (; fmod(number, 2) == 0; number /= 2)
        n++;
    return n;
}

/* Do powers of two divide its values differently, and not as their order says? */
static int has_twos(const struct gb_search_axis *axis)
{
    int n_falls = 0;
    for (uint32_t i = 0; axis->numbers && i < axis->n; i++) {
        if (twos(axis->numbers[i]) < 0)
            return 0;
        n_falls += i > 0 && twos(axis->numbers[i]) < twos(axis->numbers[i - 1]);
    }
    return n_falls > 1;
}

static int32_t add_axis(struct gaussian *model, const struct gb_search_space *space, uint32_t i,
                        int by_twos)
{
    const struct gb_search_axis *axis = space->axes[i];
    struct gaussian_axis *added = &model->axes[model->n_axes++];
    added->axis = i;
    added->are_words = axis->kind == GB_AXIS_WORDS;
    added->at = calloc(axis->n, sizeof *added->at);
    for (uint32_t k = 0; added->at && k < axis->n; k++)
        added->at[k] = by_twos
                           ? (float)(twos(axis->numbers[k]) < 5 ? twos(axis->numbers[k]) : 5) / 5
                           : (float)k / (float)(axis->n - 1);
    return added->at ? GB_OK : GB_NO_MEMORY;
}

int32_t gaussian_new(struct gaussian *model, const struct gb_search_space *space)
{
    const size_t most = 2 * (size_t)space->n_axes;
    int32_t status;
    model->axes = calloc(most, sizeof *model->axes);
    model->lengths = calloc(most, sizeof *model->lengths);
    model->noise = NOISE_USUAL;
    model->ceiling = INFINITY;
    status = model->axes && model->lengths ? GB_OK : GB_NO_MEMORY;
    for (uint32_t i = 0; i < space->n_axes && status == GB_OK; i++) {
        if (space->axes[i]->n > 1)
            status = add_axis(model, space, i, 0);
        if (status == GB_OK && has_twos(space->axes[i]))
            status = add_axis(model, space, i, 1);
    }
    for (uint32_t i = 0; i < model->n_axes; i++)
        model->lengths[i] = usual_length(model);
    return status;
}

void gaussian_free(struct gaussian *model)
{
    for (uint32_t i = 0; i < model->n_axes; i++)
        free(model->axes[i].at);
    free(model->axes);
    free(model->lengths);
    free(model->places);
    free(model->targets);
    free(model->factor);
    free(model->weights);
    free(model->ones);
    memset(model, 0, sizeof *model);
}

void gaussian_place(const struct gaussian *model, const uint32_t *indices, float *ret_place)
{
    for (uint32_t i = 0; i < model->n_axes; i++)
        ret_place[i] = model->axes[i].at[indices[model->axes[i].axis]];
}

double gaussian_kernel(const struct gaussian *model, const float *a, const float *b)
{
    double squares = 0, r;
    for (uint32_t i = 0; i < model->n_axes; i++) {
        double d = (double)a[i] - (double)b[i];
        if (model->axes[i].are_words && d != 0)
            d = 1;
        d /= model->lengths[i];
        squares += d * d;
    }
    r = sqrt(3 * squares);
    return (1 + r) * exp(-r);
}

/* ---- points ---- */

static size_t row_of(uint32_t i)
{
    return (size_t)i * (i + 1) / 2;
}

static int resize(void *address, size_t bytes)
{
    void *block, **slot = address;
    block = realloc(*slot, bytes);
    if (block)
        *slot = block;
    return block != NULL;
}

static int32_t make_room(struct gaussian *model)
{
    const size_t n = model->capacity ? 2 * (size_t)model->capacity : 32;
    if (model->n < model->capacity)
        return GB_OK;
    if (!resize(&model->places, n * (model->n_axes + 1) * sizeof *model->places) ||
        !resize(&model->targets, n * GAUSSIAN_TARGETS * sizeof *model->targets) ||
        !resize(&model->weights, n * GAUSSIAN_TARGETS * sizeof *model->weights) ||
        !resize(&model->ones, n * sizeof *model->ones) ||
        !resize(&model->factor, row_of((uint32_t)n) * sizeof *model->factor))
        return GB_NO_MEMORY;
    model->capacity = (uint32_t)n;
    return GB_OK;
}

/* Solves factor x = b in place, of the first n points. */
static void solve_lower(const struct gaussian *model, uint32_t n, double *x)
{
    for (uint32_t i = 0; i < n; i++) {
        const double *row = model->factor + row_of(i);
        double sum = x[i];
        for (uint32_t j = 0; j < i; j++)
            sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}

static void kernels(const struct gaussian *model, const float *place, uint32_t n, double *ret)
{
    for (uint32_t i = 0; i < n; i++)
        ret[i] = gaussian_kernel(model, place, model->places + (size_t)i * model->n_axes);
}

/* The row of Cholesky's factor for point i, whose place is there, and what follows from it. */
static void factor_row(struct gaussian *model, uint32_t i)
{
    double *row = model->factor + row_of(i), square = 1 + model->noise;
    kernels(model, model->places + (size_t)i * model->n_axes, i, row);
    solve_lower(model, i, row);
    for (uint32_t j = 0; j < i; j++)
        square -= row[j] * row[j];
    /* Rounding may leave nothing of points that lie together. */
    row[i] = sqrt(square > 0.1 * model->noise ? square : 0.1 * model->noise);
}

int32_t gaussian_add(struct gaussian *model, const float *place, const double *targets)
{
    const uint32_t n = model->n;
    if (n == GAUSSIAN_POINTS_MAX)
        return GB_INVALID;
    if (make_room(model) != GB_OK)
        return GB_NO_MEMORY;
    memcpy(model->places + (size_t)n * model->n_axes, place, model->n_axes * sizeof *place);
    memcpy(model->targets + (size_t)n * GAUSSIAN_TARGETS, targets,
           GAUSSIAN_TARGETS * sizeof *targets);
    factor_row(model, n);
    model->n++;
    return GB_OK;
}

void gaussian_project(const struct gaussian *model, const float *place, double *ret)
{
    kernels(model, place, model->n, ret);
    solve_lower(model, model->n, ret);
}

/* ---- mean, variance, likelihood ---- */

/* Of the first n points. The mean is that of generalized least squares. */
static void solve_target(struct gaussian *model, uint32_t n, uint32_t target)
{
    double *weights = model->weights + (size_t)target * model->capacity;
    double sum = 0, ones = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        weights[i] = model->targets[(size_t)i * GAUSSIAN_TARGETS + target];
    for (uint32_t i = 0; i < n && target == 0; i++)
        weights[i] = weights[i] < model->ceiling ? weights[i] : model->ceiling;
    solve_lower(model, n, weights);
    for (uint32_t i = 0; i < n; i++) {
        sum += model->ones[i] * weights[i];
        ones += model->ones[i] * model->ones[i];
    }
    model->mean[target] = sum / ones;
    for (uint32_t i = 0; i < n; i++) {
        weights[i] -= model->mean[target] * model->ones[i];
        squares += weights[i] * weights[i];
    }
    /* A little of what is always there keeps it above 0 where all targets are the same. */
    model->variance[target] = squares / n + 1e-12;
}

static void solve_ones(struct gaussian *model, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        model->ones[i] = 1;
    solve_lower(model, n, model->ones);
}

void gaussian_solve(struct gaussian *model)
{
    solve_ones(model, model->n);
    for (uint32_t target = 0; target < GAUSSIAN_TARGETS; target++)
        solve_target(model, model->n, target);
}

/* Minus twice the logarithm of likelihood times prior, but for a constant. Lengths are thought to
 * lie around that of the start, by a factor of e: few points say little. */
static double cost_of(struct gaussian *model, uint32_t n)
{
    const double usual = usual_length(model);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        factor_row(model, i);
    solve_ones(model, n);
    solve_target(model, n, 0);
    for (uint32_t i = 0; i < n; i++)
        sum += 2 * log(model->factor[row_of(i) + i]);
    for (uint32_t i = 0; i < model->n_axes; i++) {
        const double away = log(model->lengths[i] / usual);
        sum += away * away;
    }
    sum += 0.1 * log(model->noise / NOISE_USUAL) * log(model->noise / NOISE_USUAL);
    return n * log(model->variance[0]) + sum;
}

/* Tries the value divided and multiplied by a step, and keeps the best. */
static double step(struct gaussian *model, uint32_t n, double *value, double factor, double low,
                   double high, double best)
{
    const double before = *value, tried[] = {before / factor, before * factor};
    double kept = before;
    for (int k = 0; k < 2; k++) {
        if (tried[k] < low || tried[k] > high)
            continue;
        *value = tried[k];
        const double cost = cost_of(model, n);
        if (cost < best) {
            best = cost;
            kept = tried[k];
        }
    }
    *value = kept;
    return best;
}

void gaussian_fit(struct gaussian *model)
{
    const uint32_t n = model->n < FIT_POINTS_MAX ? model->n : FIT_POINTS_MAX;
    double best = cost_of(model, n);
    for (int pass = 0; pass < FIT_PASSES; pass++) {
        for (uint32_t i = 0; i < model->n_axes; i++)
            best = step(model, n, &model->lengths[i], pass ? 1.5 : 2, SHORTEST, LONGEST, best);
        best = step(model, n, &model->noise, 4, NOISE_LEAST, NOISE_MOST, best);
    }
    for (uint32_t i = 0; i < model->n; i++)
        factor_row(model, i);
    gaussian_solve(model);
}
