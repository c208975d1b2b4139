/* model.c - see model.h. Plugin side. */
#include "model.h"

#include "../common/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each pass tries two values of each parameter. */
enum { FIT_PASSES = MODEL_FIT_STEPS / 2, TWOS_MAX = 5 };
static const double SHORTEST = 0.08, LONGEST = 20, NOISE_LEAST = 1e-6, NOISE_MOST = 0.1,
                    NOISE_USUAL = 1e-3, SHARE_LEAST = 0.1, SHARE_MOST = 10, SHARE_USUAL = 2;

static double usual_length(const struct model *model)
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
static void make_factors(const struct model *model, struct model_axis *axis)
{
    const double n = axis->n_levels - 1;
    for (uint32_t k = 0; k < axis->n_levels; k++) {
        const double distance = axis->are_words ? k > 0 : k / n;
        axis->factors[k] = (float)((1 + model->share * exp(-distance / axis->length)) /
                                   (1 + model->share));
    }
}

static void make_all_factors(struct model *model)
{
    for (uint32_t i = 0; i < model->n_axes; i++)
        make_factors(model, &model->axes[i]);
}

static int32_t add_axis(struct model *model, const struct gb_search_space *space, uint32_t i,
                        int by_twos)
{
    const struct gb_search_axis *axis = space->axes[i];
    struct model_axis *added = &model->axes[model->n_axes++];
    const uint32_t most = by_twos ? TWOS_MAX + 1 : MODEL_LEVELS_MAX;
    added->axis = i;
    added->are_words = axis->kind == GB_AXIS_WORDS;
    added->n_levels = axis->n < most && !by_twos ? axis->n : most;
    added->level = calloc(axis->n, sizeof *added->level);
    added->factors = calloc(added->n_levels, sizeof *added->factors);
    for (uint32_t k = 0; added->level && k < axis->n; k++)
        added->level[k] = (uint16_t)(by_twos ? (uint64_t)fmin(twos(axis->numbers[k]), TWOS_MAX)
                                             : (uint64_t)k * added->n_levels / axis->n);
    return added->level && added->factors ? GB_OK : GB_NO_MEMORY;
}

int32_t model_new(struct model *model, const struct gb_search_space *space)
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

static void candidates_free(struct candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->n_rows; i++)
        free(candidates->rows[i]);
    free(candidates->cases);
    free(candidates->places);
    free(candidates->squares);
    memset(candidates, 0, sizeof *candidates);
}

void model_free(struct model *model)
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
    free(model->failures.places);
    candidates_free(&model->candidates);
    memset(model, 0, sizeof *model);
}

void model_place(const struct model *model, const uint32_t *indices, uint16_t *ret_place)
{
    for (uint32_t i = 0; i < model->n_axes; i++)
        ret_place[i] = model->axes[i].level[indices[model->axes[i].axis]];
}

double model_kernel(const struct model *model, const uint16_t *a, const uint16_t *b)
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

static int32_t make_room(struct model *model)
{
    const size_t n = model->capacity ? 2 * (size_t)model->capacity : 32;
    if (model->n < model->capacity)
        return GB_OK;
    if (!resize(&model->places, n * (model->n_axes + 1) * sizeof *model->places) ||
        !resize(&model->targets, n * MODEL_TARGETS * sizeof *model->targets) ||
        !resize(&model->weights, n * MODEL_TARGETS * sizeof *model->weights) ||
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
static void solve_lower(const struct model *model, uint32_t n, double *x)
{
    for (uint32_t i = 0; i < n; i++) {
        const double *row = model->factor + row_of(i);
        x[i] = (x[i] - dot(row, x, i)) / row[i];
    }
}

static void kernels(const struct model *model, const uint16_t *place, uint32_t n, double *ret)
{
    for (uint32_t i = 0; i < n; i++)
        ret[i] = model_kernel(model, place, model->places + (size_t)i * model->n_axes);
}

/* The row of Cholesky's factor for point i, whose place is there, and what follows from it. */
static void factor_row(struct model *model, uint32_t i)
{
    double *row = model->factor + row_of(i), square = 1 + model->noise;
    kernels(model, model->places + (size_t)i * model->n_axes, i, row);
    solve_lower(model, i, row);
    square -= dot(row, row, i);
    /* Rounding may leave nothing of points that lie together. */
    row[i] = sqrt(square > 0.1 * model->noise ? square : 0.1 * model->noise);
}

int32_t model_add(struct model *model, const uint16_t *place, const double *targets)
{
    const uint32_t n = model->n;
    if (n == MODEL_POINTS_MAX)
        return GB_INVALID;
    if (make_room(model) != GB_OK)
        return GB_NO_MEMORY;
    memcpy(model->places + (size_t)n * model->n_axes, place, model->n_axes * sizeof *place);
    memcpy(model->targets + (size_t)n * MODEL_TARGETS, targets, MODEL_TARGETS * sizeof *targets);
    factor_row(model, n);
    model->n++;
    return GB_OK;
}

/* ---- mean, variance, likelihood ---- */

/* Of the first n points. The mean is that of generalized least squares. */
static void solve_target(struct model *model, uint32_t n, uint32_t target)
{
    double *weights = model->weights + (size_t)target * model->capacity;
    double sum = 0, ones = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        weights[i] = model->targets[(size_t)i * MODEL_TARGETS + target];
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

static void solve_ones(struct model *model, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        model->ones[i] = 1;
    solve_lower(model, n, model->ones);
}

void model_solve(struct model *model)
{
    solve_ones(model, model->n);
    for (uint32_t target = 0; target < MODEL_TARGETS; target++)
        solve_target(model, model->n, target);
}

static double squared_log(double value, double usual)
{
    return log(value / usual) * log(value / usual);
}

/* Minus twice the logarithm of likelihood times prior, but for a constant. Lengths are thought to
 * lie around that of the start, by a factor of e: few points say little. */
static double cost_of(struct model *model, uint32_t n)
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
static double step(struct model *model, uint32_t n, const struct parameter *parameter, double best)
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

void model_fit(struct model *model, uint32_t n_fit)
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
    model_solve(model);
}

/* ---- candidates ---- */

enum { STREAM_OF_CANDIDATES = 0x4341 };

/* The weight of the share of all cases beside neighbours, of which one at the same place is 1. */
static const double PRIOR_WEIGHT = 0.5;

int32_t model_add_failure(struct model *model, const uint16_t *place)
{
    struct failures *failures = &model->failures;
    const size_t bytes = model->n_axes * sizeof *place;
    if (failures->n == failures->capacity) {
        const size_t most = failures->n ? 2 * failures->n : 16;
        uint16_t *places = realloc(failures->places, most * (bytes + 1));
        if (places == NULL)
            return GB_NO_MEMORY;
        failures->places = places;
        failures->capacity = most;
    }
    memcpy(failures->places + failures->n++ * model->n_axes, place, bytes);
    return GB_OK;
}

static int32_t make_candidates(struct candidates *candidates, uint32_t n, uint32_t n_axes)
{
    candidates_free(candidates);
    candidates->n = n;
    candidates->cases = calloc(n, sizeof *candidates->cases);
    candidates->places = calloc((size_t)n * (n_axes + 1), sizeof *candidates->places);
    candidates->squares = calloc((size_t)n * (3 + MODEL_TARGETS), sizeof(float));
    if (!candidates->cases || !candidates->places || !candidates->squares)
        return GB_NO_MEMORY;
    candidates->n_good = candidates->squares + n;
    candidates->n_bad = candidates->squares + 2 * (size_t)n;
    for (size_t target = 0; target < MODEL_TARGETS; target++)
        candidates->means[target] = candidates->squares + (3 + target) * n;
    return GB_OK;
}

int32_t candidates_choose(struct model *model, const struct gb_host *host,
                          const struct gb_search_space *space, uint32_t n, uint64_t first)
{
    struct candidates *candidates = &model->candidates;
    uint32_t *indices = calloc(space->n_axes, sizeof *indices);
    int32_t status = indices ? make_candidates(candidates, n, model->n_axes) : GB_NO_MEMORY;
    for (uint32_t i = 0; i < n && status == GB_OK; i++) {
        const uint64_t k = n == space->n_cases ? i
                                               : search_random_below(host, STREAM_OF_CANDIDATES,
                                                                     first + i, space->n_cases);
        candidates->cases[i] = k;
        status = space->place(space, k, indices);
        model_place(model, indices, candidates->places + (size_t)i * model->n_axes);
    }
    free(indices);
    return status;
}

void candidates_forget(struct candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->n_rows; i++)
        free(candidates->rows[i]);
    candidates->n_rows = 0;
    candidates->n_failures = 0;
    if (candidates->n > 0)
        memset(candidates->squares, 0, 3 * (size_t)candidates->n * sizeof *candidates->squares);
}

/* ---- predictions ---- */

/* row += by * other; in parts that compilers make one instruction of. */
static void add_multiple(float *restrict row, float by, const float *restrict other, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            row[i + k] += by * other[i + k];
    for (; i < n; i++)
        row[i] += by * other[i];
}

/* The row of the next point, by those before: the recurrence of forward substitution. */
static int32_t add_row(struct model *model)
{
    struct candidates *candidates = &model->candidates;
    const uint32_t k = candidates->n_rows, n = candidates->n;
    const uint16_t *place = model->places + (size_t)k * model->n_axes;
    const double *factor = model->factor + (size_t)k * (k + 1) / 2;
    float *row = malloc(n * sizeof *row);
    if (row == NULL)
        return GB_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const uint16_t *there = candidates->places + (size_t)i * model->n_axes;
        row[i] = (float)model_kernel(model, place, there);
        candidates->n_good[i] += row[i] * row[i];
    }
    for (uint32_t j = 0; j < k; j++)
        add_multiple(row, (float)-factor[j], candidates->rows[j], n);
    for (uint32_t i = 0; i < n; i++) {
        row[i] /= (float)factor[k];
        candidates->squares[i] += row[i] * row[i];
    }
    candidates->rows[candidates->n_rows++] = row;
    return GB_OK;
}

static void add_failure(struct model *model, const uint16_t *place)
{
    struct candidates *candidates = &model->candidates;
    for (uint32_t i = 0; i < candidates->n; i++) {
        const uint16_t *there = candidates->places + (size_t)i * model->n_axes;
        const double near = model_kernel(model, place, there);
        candidates->n_bad[i] += (float)(near * near);
    }
}

int32_t candidates_predict(struct model *model)
{
    struct candidates *candidates = &model->candidates;
    const struct failures *failures = &model->failures;
    int32_t status = GB_OK;
    while (candidates->n_rows < model->n && status == GB_OK)
        status = add_row(model);
    for (; candidates->n_failures < failures->n; candidates->n_failures++)
        add_failure(model, failures->places + candidates->n_failures * model->n_axes);
    for (int target = 0; target < MODEL_TARGETS && status == GB_OK; target++) {
        const double *weights = model->weights + (size_t)target * model->capacity;
        float *means = candidates->means[target];
        for (uint32_t i = 0; i < candidates->n; i++)
            means[i] = (float)model->mean[target];
        for (uint32_t k = 0; k < model->n; k++)
            add_multiple(means, (float)weights[k], candidates->rows[k], candidates->n);
    }
    return status;
}

static void finish(const struct model *model, double explained, double n_good, double n_bad,
                   struct prediction *ret)
{
    const double left = 1 - explained;
    ret->deviation = sqrt(model->variance[0] * (left > 1e-9 ? left : 1e-9));
    ret->p_ok = (PRIOR_WEIGHT * model->failures.p_ok + n_good) / (PRIOR_WEIGHT + n_good + n_bad);
}

void candidates_get(const struct model *model, uint32_t i, struct prediction *ret)
{
    const struct candidates *candidates = &model->candidates;
    ret->mean = candidates->means[0][i];
    ret->cost = candidates->means[1][i];
    finish(model, candidates->squares[i], candidates->n_good[i], candidates->n_bad[i], ret);
}

void predict_place(const struct model *model, const uint16_t *place, double *scratch,
                   struct prediction *ret)
{
    const struct failures *failures = &model->failures;
    const double *weights = model->weights, *costs = model->weights + model->capacity;
    double explained = 0, n_bad = 0;
    kernels(model, place, model->n, scratch);
    const double n_good = dot(scratch, scratch, model->n);
    solve_lower(model, model->n, scratch);
    ret->mean = model->mean[0];
    ret->cost = model->mean[1];
    for (uint32_t k = 0; k < model->n; k++) {
        explained += scratch[k] * scratch[k];
        ret->mean += weights[k] * scratch[k];
        ret->cost += costs[k] * scratch[k];
    }
    for (size_t k = 0; k < failures->n; k++) {
        const double near = model_kernel(model, place, failures->places + k * model->n_axes);
        n_bad += near * near;
    }
    finish(model, explained, n_good, n_bad, ret);
}
