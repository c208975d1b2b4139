/* two_sorts.c - qsort and insertion sort of random numbers, new ones before each call. */
#include <gbrun/gbrun.h>
#include <stdlib.h>

struct sorts {
    const struct gb_host *host;
    int64_t n;
    uint64_t n_samples;
    double *values;
};
static const struct gb_option options[] = {
    GB_INT(struct sorts, n, "1000", "1:2^24", "elements", "numbers to sort")};

GB_UNTIMED(fill, struct sorts, sorts)
{
    sorts->values = gb_random(sorts->host, sorts->values, GB_F64, sorts->n, 0, 1,
                              sorts->n_samples++);
    return sorts->values ? GB_OK : GB_NO_MEMORY;
}

GB_UNTIMED(verify, struct sorts, sorts)
{
    int64_t i = 1;
    while (i < sorts->n && sorts->values[i - 1] <= sorts->values[i])
        i++;
    return sorts->host->checked(sorts->host, "order", i == sorts->n, "numbers are not in order");
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

GB_TIMED(quick, struct sorts, sorts)
{
    qsort(sorts->values, (size_t)sorts->n, sizeof *sorts->values, compare);
}

GB_TIMED(insert, struct sorts, sorts)
{
    for (int64_t i = 1, j; i < sorts->n; i++) {
        const double value = sorts->values[i];
        for (j = i; j > 0 && sorts->values[j - 1] > value; j--)
            sorts->values[j] = sorts->values[j - 1];
        sorts->values[j] = value;
    }
}

#define SORTS .flags = GB_BENCH_SINGLE, .prepare = fill, .reset = fill, .verify = verify
GB_BENCH(qsort_numbers, struct sorts, options, "qsort", SORTS, .run = quick)
GB_BENCH(insertion_sort, struct sorts, options, "sort by insertion", SORTS, .run = insert)
GB_MODULE(&qsort_numbers, &insertion_sort)
