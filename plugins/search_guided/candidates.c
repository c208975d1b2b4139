/* candidates.c - see candidates.h. Plugin side. */
#include "candidates.h"

#include "../common/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_OF_CANDIDATES = 0x4341 };

/* What the share of all cases counts for beside neighbours, of which one at the same place is 1. */
static const double PRIOR_WEIGHT = 0.5;

int32_t failures_add(struct failures *failures, const struct gaussian *model, const uint16_t *place)
{
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

/* ---- which ---- */

static int32_t make_room(struct candidates *candidates, uint32_t n, uint32_t n_axes)
{
    candidates_free(candidates);
    candidates->n = n;
    candidates->cases = calloc(n, sizeof *candidates->cases);
    candidates->places = calloc((size_t)n * (n_axes + 1), sizeof *candidates->places);
    candidates->squares = calloc(n, sizeof(float));
    candidates->n_good = calloc(n, sizeof(float));
    candidates->n_bad = calloc(n, sizeof(float));
    for (int target = 0; target < GAUSSIAN_TARGETS; target++)
        candidates->means[target] = calloc(n, sizeof(float));
    return candidates->cases && candidates->places && candidates->squares && candidates->n_good &&
                   candidates->n_bad && candidates->means[0] && candidates->means[1]
               ? GB_OK
               : GB_NO_MEMORY;
}

int32_t candidates_choose(struct candidates *candidates, const struct gb_host *host,
                          const struct gb_search_space *space, const struct gaussian *model,
                          uint32_t n, uint64_t first)
{
    uint32_t *indices = calloc(space->n_axes, sizeof *indices);
    int32_t status = indices ? make_room(candidates, n, model->n_axes) : GB_NO_MEMORY;
    for (uint32_t i = 0; i < n && status == GB_OK; i++) {
        const uint64_t k = n == space->n_cases ? i
                                               : search_random_below(host, STREAM_OF_CANDIDATES,
                                                                     first + i, space->n_cases);
        candidates->cases[i] = k;
        status = space->place(space, k, indices);
        gaussian_place(model, indices, candidates->places + (size_t)i * model->n_axes);
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
    if (candidates->n == 0)
        return;
    memset(candidates->squares, 0, candidates->n * sizeof *candidates->squares);
    memset(candidates->n_good, 0, candidates->n * sizeof *candidates->n_good);
    memset(candidates->n_bad, 0, candidates->n * sizeof *candidates->n_bad);
}

void candidates_free(struct candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->n_rows; i++)
        free(candidates->rows[i]);
    for (int target = 0; target < GAUSSIAN_TARGETS; target++)
        free(candidates->means[target]);
    free(candidates->cases);
    free(candidates->places);
    free(candidates->squares);
    free(candidates->n_good);
    free(candidates->n_bad);
    memset(candidates, 0, sizeof *candidates);
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
static int32_t add_row(struct candidates *candidates, const struct gaussian *model)
{
    const uint32_t k = candidates->n_rows, n = candidates->n;
    const uint16_t *place = model->places + (size_t)k * model->n_axes;
    const double *factor = model->factor + (size_t)k * (k + 1) / 2;
    float *row = malloc(n * sizeof *row);
    if (row == NULL)
        return GB_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const uint16_t *there = candidates->places + (size_t)i * model->n_axes;
        row[i] = (float)gaussian_kernel(model, place, there);
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

static void add_failure(struct candidates *candidates, const struct gaussian *model,
                        const uint16_t *place)
{
    for (uint32_t i = 0; i < candidates->n; i++) {
        const uint16_t *there = candidates->places + (size_t)i * model->n_axes;
        const double near = gaussian_kernel(model, place, there);
        candidates->n_bad[i] += (float)(near * near);
    }
}

int32_t candidates_predict(struct candidates *candidates, const struct gaussian *model,
                           const struct failures *failures)
{
    int32_t status = GB_OK;
    while (candidates->n_rows < model->n && status == GB_OK)
        status = add_row(candidates, model);
    for (; candidates->n_failures < failures->n; candidates->n_failures++)
        add_failure(candidates, model, failures->places + candidates->n_failures * model->n_axes);
    for (int target = 0; target < GAUSSIAN_TARGETS && status == GB_OK; target++) {
        const double *weights = model->weights + (size_t)target * model->capacity;
        float *means = candidates->means[target];
        for (uint32_t i = 0; i < candidates->n; i++)
            means[i] = (float)model->mean[target];
        for (uint32_t k = 0; k < model->n; k++)
            add_multiple(means, (float)weights[k], candidates->rows[k], candidates->n);
    }
    return status;
}

static void finish(const struct gaussian *model, const struct failures *failures, double explained,
                   double n_good, double n_bad, struct prediction *ret)
{
    const double left = 1 - explained;
    ret->deviation = sqrt(model->variance[0] * (left > 1e-9 ? left : 1e-9));
    ret->p_ok = (PRIOR_WEIGHT * failures->p_ok + n_good) / (PRIOR_WEIGHT + n_good + n_bad);
}

void candidates_get(const struct candidates *candidates, const struct gaussian *model,
                    const struct failures *failures, uint32_t i, struct prediction *ret)
{
    ret->mean = candidates->means[0][i];
    ret->cost = candidates->means[1][i];
    finish(model, failures, candidates->squares[i], candidates->n_good[i], candidates->n_bad[i],
           ret);
}

void predict_place(const struct gaussian *model, const struct failures *failures,
                   const uint16_t *place, double *scratch, struct prediction *ret)
{
    const double *weights = model->weights, *costs = model->weights + model->capacity;
    double explained = 0, n_bad = 0;
    const double n_good = gaussian_project(model, place, scratch);
    ret->mean = model->mean[0];
    ret->cost = model->mean[1];
    for (uint32_t k = 0; k < model->n; k++) {
        explained += scratch[k] * scratch[k];
        ret->mean += weights[k] * scratch[k];
        ret->cost += costs[k] * scratch[k];
    }
    for (size_t k = 0; k < failures->n; k++) {
        const double near = gaussian_kernel(model, place, failures->places + k * model->n_axes);
        n_bad += near * near;
    }
    finish(model, failures, explained, n_good, n_bad, ret);
}
