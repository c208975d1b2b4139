/* sample_array.c - see sample_array.h. Plugin side. */
#include "sample_array.h"

#include <math.h>
#include <stdlib.h>

enum { CAPACITY_FIRST = 1024 };

/* Grown by half, so that a long recording never holds much more than it needs; realloc moves large
 * blocks by their page tables, without a second copy. */
static int32_t reserve(double **block, uint64_t *capacity, uint64_t needed)
{
    if (needed <= *capacity)
        return GB_OK;
    uint64_t wanted = *capacity + *capacity / 2;
    if (wanted < CAPACITY_FIRST)
        wanted = CAPACITY_FIRST;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / sizeof **block)
        return GB_NO_MEMORY;
    double *grown = realloc(*block, (size_t)wanted * sizeof **block);
    if (grown == NULL)
        return GB_NO_MEMORY;
    *block = grown;
    *capacity = wanted;
    return GB_OK;
}

double elapsed_at(const struct gb_samples *samples, double before)
{
    if (samples->n > 0 && samples->elapsed_ns != NULL)
        return samples->elapsed_ns[samples->n - 1];
    for (uint64_t i = 0; i < samples->n; i++)
        if (isfinite(samples->time_ns[i]))
            before += samples->time_ns[i] *
                      (samples->iterations != NULL ? (double)samples->iterations[i] : 1.0);
    return before;
}

int32_t sample_array_add(struct sample_array *array, const struct gb_samples *samples)
{
    if (samples->n == 0)
        return GB_OK;
    const int32_t status = reserve(&array->times, &array->capacity, array->n + samples->n);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < samples->n; i++) {
        if (isfinite(samples->time_ns[i]))
            array->times[array->n++] = samples->time_ns[i];
        else
            array->n_not_finite++;
    }
    array->elapsed_ns = elapsed_at(samples, array->elapsed_ns);
    array->traits = samples->traits;
    if (samples->tick_ns > array->tick_ns)
        array->tick_ns = samples->tick_ns;
    return GB_OK;
}

uint64_t sample_array_seen(const struct sample_array *array)
{
    return array->n + array->n_not_finite;
}

int32_t sample_array_reserve_scratch(struct sample_array *array)
{
    return reserve(&array->scratch, &array->scratch_capacity, array->n);
}

void sample_array_free(struct sample_array *array)
{
    free(array->times);
    free(array->scratch);
    *array = (struct sample_array){0};
}
