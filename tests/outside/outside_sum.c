/* outside_sum.c - a benchmark built outside of gbrun's tree: the sum of an array. */
#include <gbrun/gbrun.h>

struct params {
    int64_t n;
};

struct sum {
    const struct gb_host *host;
    uint64_t n;
    double *values;
    double total;
};

static int32_t sum_create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct sum *sum = (struct sum *)host->allocate(host, sizeof *sum);
    if (!sum)
        return GB_NO_MEMORY;
    sum->host = host;
    sum->n = (uint64_t)((const struct params *)params)->n;
    *ret_bench = sum;
    return GB_OK;
}

static int32_t sum_prepare(void *bench, const struct gb_queue *queue)
{
    struct sum *sum = (struct sum *)bench;
    struct gb_fill whole_numbers = {sizeof whole_numbers, GB_F64, 0, -100, 100, 1, 0};
    (void)queue;
    sum->values = (double *)sum->host->allocate(sum->host, sum->n * sizeof *sum->values);
    if (!sum->values)
        return GB_NO_MEMORY;
    return sum->host->fill(sum->host, sum->values, sum->n, &whole_numbers);
}

static int32_t sum_run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    struct sum *sum = (struct sum *)bench;
    (void)queue;
    while (iterations-- > 0) {
        double total = 0;
        uint64_t i;
        for (i = 0; i < sum->n; i++)
            total += sum->values[i];
        sum->total = total;
        GB_CLOBBER();
    }
    return GB_OK;
}

/* Sums of whole numbers are exact in any order: the reference adds from the other end. */
static int32_t sum_verify(void *bench, const struct gb_queue *queue)
{
    struct sum *sum = (struct sum *)bench;
    struct gb_check check = {0};
    double reference = 0;
    uint64_t i;
    (void)queue;
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

static int32_t sum_work(void *bench, struct gb_work *work)
{
    const struct sum *sum = (const struct sum *)bench;
    work->flops = (double)sum->n;
    work->bytes_read = (double)sum->n * 8;
    return GB_OK;
}

static void sum_destroy(void *bench)
{
    (void)bench; /* the host frees what it allocated */
}

static const struct gb_option options[] = {
    GB_INT(struct params, n, "1Mi", "1:", "elements", "elements of the array"),
};

static const struct gb_bench_ops ops = {
    sizeof ops, 0, sum_create, sum_prepare, sum_run, NULL, sum_verify, sum_work, sum_destroy,
};

static const struct gb_plugin sum_plugin = {
    sizeof sum_plugin,
    GB_PLUGIN_BENCH,
    "outside_sum",
    "1.0",
    "Sum of an array, on one thread",
    NULL,
    "cpu",
    options,
    1,
    0,
    sizeof(struct params),
    &ops,
    NULL,
};

static const struct gb_plugin *const plugins[] = {&sum_plugin};
static const struct gb_module module = {sizeof module, GB_ABI_MAJOR, GB_ABI_MINOR, 1, plugins};

GB_EXPORT const struct gb_module *gb_module_v1(void)
{
    return &module;
}
