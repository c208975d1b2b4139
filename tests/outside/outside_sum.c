/* outside_sum.c - a benchmark built outside of gbrun's tree: the sum of an array. */
#include <gbrun/gbrun.h>

struct sum {
    const struct gb_host *host;
    int64_t n;
    double *values;
    double total;
};

static const struct gb_option options[] = {
    GB_INT(struct sum, n, "1Mi", "1:", "elements", "elements of the array"),
};

GB_UNTIMED(prepare, struct sum, sum)
{
    struct gb_fill whole_numbers = {sizeof whole_numbers, GB_F64, 0, -100, 100, 1, 0};
    const uint64_t n = (uint64_t)sum->n;
    sum->values = (double *)sum->host->allocate(sum->host, n * sizeof *sum->values);
    if (!sum->values)
        return GB_NO_MEMORY;
    return sum->host->fill(sum->host, sum->values, n, &whole_numbers);
}

GB_TIMED(run, struct sum, sum)
{
    double total = 0;
    int64_t i;
    for (i = 0; i < sum->n; i++)
        total += sum->values[i];
    sum->total = total;
}

/* Sums of whole numbers are exact in any order: the reference adds from the other end. */
GB_UNTIMED(verify, struct sum, sum)
{
    struct gb_check check = {0};
    double reference = 0;
    int64_t i;
    for (i = sum->n; i > 0; i--)
        reference += sum->values[i - 1];
    check.size = sizeof check;
    check.format = GB_F64;
    check.name = "total";
    check.n = 1;
    check.output = &sum->total;
    check.reference = &reference;
    check.flags = GB_CHECK_EXACT;
    return sum->host->check(sum->host, &check);
}

GB_BENCH(outside_sum, struct sum, options, "Sum of an array, on one thread", .prepare = prepare,
         .run = run, .verify = verify)
GB_MODULE(&outside_sum)
