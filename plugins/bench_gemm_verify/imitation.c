/* imitation.c - see imitation.h. Plugin side. */
#include "imitation.h"

#include "sums.h"

#include "plugins/common/verified_sums.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { EVERY = 4 };

struct imitation {
    struct product_shape shape;
    const double *a, *b;
    int32_t accumulate;
    double *sums;
    atomic_uint_fast64_t next_row;
};

static double towards_zero(double value)
{
    const float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? (double)nextafterf(nearest, 0.0F)
                                               : (double)nearest;
}

static double sum_by_one(const struct imitation *job, const double *a, const double *b)
{
    const bool is_half = job->accumulate == ACCUMULATE_FP16;
    float sum = 0.0F;
    for (uint64_t k = 0; k < job->shape.k; k++) {
        sum = fmaf((float)a[k], (float)b[k], sum);
        sum = is_half ? sums_round_half(sum) : sum;
    }
    return (double)sum;
}

static double sum_by_four(const struct imitation *job, const double *a, const double *b)
{
    const bool is_nearest = job->accumulate == ACCUMULATE_EVERY4_NEAREST;
    double sum = 0.0;
    for (uint64_t k = 0; k < job->shape.k; k++) {
        sum = fma(a[k], b[k], sum);
        if (k % EVERY == EVERY - 1 || k + 1 == job->shape.k)
            sum = is_nearest ? (double)(float)sum : towards_zero(sum);
    }
    return sum;
}

static void imitate_rows(void *context)
{
    struct imitation *job = context;
    const struct product_shape *shape = &job->shape;
    const bool is_by_one = job->accumulate == ACCUMULATE_FP32 || job->accumulate == ACCUMULATE_FP16;
    for (;;) {
        const uint64_t row = atomic_fetch_add(&job->next_row, 1);
        if (row >= shape->m)
            return;
        for (uint64_t column = 0; column < shape->n; column++) {
            const double *a = job->a + row * shape->k;
            const double *b = job->b + column * shape->k;
            job->sums[row * shape->n + column] = is_by_one ? sum_by_one(job, a, b)
                                                           : sum_by_four(job, a, b);
        }
    }
}

void imitation_product(const struct product_shape *shape, const double *a, const double *b,
                       int32_t accumulate, double *ret)
{
    struct imitation job = {.shape = *shape, .a = a, .b = b, .accumulate = accumulate, .sums = ret};
    all_cpus_run(imitate_rows, &job, 0);
}
