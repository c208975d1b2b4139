/* gaussian.c - see gaussian.h. Plugin side. */
#include "gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each pass tries two values of each parameter. */
enum { FIT_PASSES = GAUSSIAN_FIT_STEPS / 2, TWOS_MAX = 5 };
static const double SHORTEST = 0.08, LONGEST = 20, NOISE_LEAST = 1e-6, NOISE_MOST = 0.1,
                    NOISE_USUAL = 1e-3, SHARE_LEAST = 0.1, SHARE_MOST = 10, SHARE_USUAL = 2;

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

/* The kernel's factors of one axis. */
static void make_factors(const struct gaussian *model, struct gaussian_axis *axis)
{
    const double n = axis->n_levels - 1;
    for (uint32_t k = 0; k < axis->n_levels; k++) {
        const double distance = axis->are_words ? k > 0 : k / n;
        axis->factors[k] = (float)((1 + model->share * exp(-distance / axis->length)) /
                                   (1 + model->share));
    }
}

static void make_all_factors(struct gaussian *model)
{
    for (uint32_t i = 0; i < model->n_axes; i++)
        make_factors(model, &model->axes[i]);
}

static uint64_t twos_level(double number)
{
    const int n = twos(number);
    return n < TWOS_MAX ? (uint64_t)n : TWOS_MAX;
}

static int32_t add_axis(struct gaussian *model, const struct gb_search_space *space, uint32_t i,
                        int by_twos)
{
    const struct gb_search_axis *axis = space->axes[i];
    struct gaussian_axis *added = &model->axes[model->n_axes++];
    const uint32_t most = by_twos ? TWOS_MAX + 1 : GAUSSIAN_LEVELS_MAX;
    added->axis = i;
    added->are_words = axis->kind == GB_AXIS_WORDS;
    added->n_levels = axis->n < most && !by_twos ? axis->n : most;
    added->level = calloc(axis->n, sizeof *added->level);
    added->factors = calloc(added->n_levels, sizeof *added->factors);
    for (uint32_t k = 0; added->level && k < axis->n; k++)
        added->level[k] = (uint16_t)(by_twos ? twos_level(axis->numbers[k])
                                             : (uint64_t)k * added->n_levels / axis->n);
    return added->level && added->factors ? GB_OK : GB_NO_MEMORY;
}

int32_t gaussian_new(struct gaussian *model, const struct gb_search_space *space)
{
    const size_t most = 2 * (size_t)space->n_axes;
    int32_t status;
    model->axes = calloc(most, sizeof *model->axes);
    model->noise = NOISE_USUAL;
    model->share = SHARE_USUAL;
    model->ceiling = INFINITY;
    status = model->axes ? GB_OK : GB_NO_MEMORY;
    for (uint32_t i = 0; i < space->n_axes && status == GB_OK; i++) {
        if (space->axes[i]->n > 1)
            status = add_axis(model, space, i, 0);
        if (status == GB_OK && has_twos(space->axes[i]))
            status = add_axis(model, space, i, 1);
    }
    for (uint32_t i = 0; i < model->n_axes; i++)
        model->axes[i].length = usual_length(model);
    if (status == GB_OK)
        make_all_factors(model);
    return status;
}

void gaussian_free(struct gaussian *model)
{
    for (uint32_t i = 0; i < model->n_axes; i++) {
        free(model->axes[i].level);
        free(model->axes[i].factors);
    }
    free(model->axes);
    free(model->places);
    free(model->targets);
    free(model->factor);
    free(model->weights);
    free(model->ones);
    memset(model, 0, sizeof *model);
}

void gaussian_place(const struct gaussian *model, const uint32_t *indices, uint16_t *ret_place)
{
    for (uint32_t i = 0; i < model->n_axes; i++)
        ret_place[i] = model->axes[i].level[indices[model->axes[i].axis]];
}

double gaussian_kernel(const struct gaussian *model, const uint16_t *a, const uint16_t *b)
{
    float product = 1;
    for (uint32_t i = 0; i < model->n_axes; i++)
        product *= model->axes[i].factors[abs(a[i] - b[i])];
    return product;
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

/* Sums that do not wait for each other. */
static double dot(const double *a, const double *b, size_t n)
{
    double sums[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/* Solves factor x = b in place, of the first n points. */
static void solve_lower(const struct gaussian *model, uint32_t n, double *x)
{
    for (uint32_t i = 0; i < n; i++) {
        const double *row = model->factor + row_of(i);
        x[i] = (x[i] - dot(row, x, i)) / row[i];
    }
}

static void kernels(const struct gaussian *model, const uint16_t *place, uint32_t n, double *ret)
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
    square -= dot(row, row, i);
    /* Rounding may leave nothing of points that lie together. */
    row[i] = sqrt(square > 0.1 * model->noise ? square : 0.1 * model->noise);
}

int32_t gaussian_add(struct gaussian *model, const uint16_t *place, const double *targets)
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

double gaussian_project(const struct gaussian *model, const uint16_t *place, double *ret)
{
    kernels(model, place, model->n, ret);
    const double squares = dot(ret, ret, model->n);
    solve_lower(model, model->n, ret);
    return squares;
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

static double squared_log(double value, double usual)
{
    return log(value / usual) * log(value / usual);
}

/* Minus twice the logarithm of likelihood times prior, but for a constant. Lengths are thought to
 * lie around that of the start, by a factor of e: few points say little. */
static double cost_of(struct gaussian *model, uint32_t n)
{
    double sum = 0.5 * squared_log(model->share, SHARE_USUAL) +
                 0.1 * squared_log(model->noise, NOISE_USUAL);
    for (uint32_t i = 0; i < n; i++)
        factor_row(model, i);
    solve_ones(model, n);
    solve_target(model, n, 0);
    for (uint32_t i = 0; i < n; i++)
        sum += 2 * log(model->factor[row_of(i) + i]);
    for (uint32_t i = 0; i < model->n_axes; i++)
        sum += squared_log(model->axes[i].length, usual_length(model));
    return n * log(model->variance[0]) + sum;
}

/* A parameter of the model, and where it may be. */
struct parameter {
    double *value, factor, low, high;
};

/* Tries the value divided and multiplied by a step, and keeps the best. */
static double step(struct gaussian *model, uint32_t n, const struct parameter *parameter,
                   double best)
{
    const double before = *parameter->value;
    const double tried[] = {before / parameter->factor, before * parameter->factor};
    double kept = before;
    for (int k = 0; k < 2; k++) {
        if (tried[k] < parameter->low || tried[k] > parameter->high)
            continue;
        *parameter->value = tried[k];
        make_all_factors(model);
        const double cost = cost_of(model, n);
        if (cost < best) {
            best = cost;
            kept = tried[k];
        }
    }
    *parameter->value = kept;
    make_all_factors(model);
    return best;
}

void gaussian_fit(struct gaussian *model, uint32_t n_fit)
{
    const uint32_t n = model->n < n_fit ? model->n : n_fit;
    double best = cost_of(model, n);
    for (int pass = 0; pass < FIT_PASSES; pass++) {
        const double factor = pass ? 1.5 : 2;
        for (uint32_t i = 0; i < model->n_axes; i++)
            best = step(model, n,
                        &(struct parameter){&model->axes[i].length, factor, SHORTEST, LONGEST},
                        best);
        best = step(model, n, &(struct parameter){&model->share, factor, SHARE_LEAST, SHARE_MOST},
                    best);
        best = step(model, n, &(struct parameter){&model->noise, 4, NOISE_LEAST, NOISE_MOST}, best);
    }
    for (uint32_t i = 0; i < model->n; i++)
        factor_row(model, i);
    gaussian_solve(model);
}
