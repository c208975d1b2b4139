/* plugin_name.c - y = factor * x of arrays: a benchmark to start from. Change what is computed. */
#include <gbrun/gbrun.h>

/* Options, what else is needed, and the host. */
struct arrays {
    const struct gb_host *host;
    int64_t n;
    double factor;
    double *x, *y;
};
static const struct gb_option options[] = {
    GB_INT(struct arrays, n, "64Ki", "1:2^28", "elements", "length of the arrays"),
    GB_FLOAT(struct arrays, factor, "0.5", NULL, NULL, "what they are multiplied by")};

/* New inputs, which are a function of seed and set; the output holds other numbers, which could be
 * results: so that a result which was kept from an earlier call is found. Untimed. */
static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    struct arrays *a = object;
    (void)queue;
    a->x = gb_random(a->host, a->x, GB_F64, a->n, -1, 1, set);
    a->y = gb_random(a->host, a->y, GB_F64, a->n, -1, 1, ~set); /* gbrun frees both */
    return a->x && a->y ? GB_OK : GB_NO_MEMORY;
}

/* Once, untimed. */
GB_UNTIMED(prepare, struct arrays, a)
{
    return refresh(a, NULL, 0);
}

/* One iteration of what is timed. */
GB_TIMED(run, struct arrays, a)
{
    for (int64_t i = 0; i < a->n; i++)
        a->y[i] = a->factor * a->x[i];
}

/* After the last sample: the output against a reference that is computed in another way. */
GB_UNTIMED(verify, struct arrays, a)
{
    double *reference = a->host->allocate(a->host, (uint64_t)a->n * sizeof *reference);
    for (int64_t i = 0; reference && i < a->n; i++)
        reference[i] = (double)((long double)a->x[i] * (long double)a->factor);
    const struct gb_check check = {.size = sizeof check,
                                   .format = GB_F64,
                                   .name = "y",
                                   .n = (uint64_t)a->n,
                                   .output = a->y,
                                   .reference = reference,
                                   .default_metric = "rel",
                                   .default_tolerance = 1e-15};
    return reference ? a->host->check(a->host, &check) : GB_NO_MEMORY;
}

/* What one iteration does: rates are computed from it. */
GB_WORK(work, struct arrays, a, .flops = (double)a->n, .bytes_read = 8 * (double)a->n,
        .bytes_written = 8 * (double)a->n)

GB_BENCH(plugin_name, struct arrays, options, "y = factor * x of arrays", .prepare = prepare,
         .run = run, .verify = verify, .work = work, .refresh = refresh)
GB_MODULE(&plugin_name)
