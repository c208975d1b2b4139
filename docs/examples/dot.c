/* dot.c - a dot product in two variants, its result checked, its work declared. */
#include <gbrun/gbrun.h>

enum { SIMPLE, UNROLLED, BROKEN };
static const char *const variants[] = {"simple", "unrolled", "broken"};
struct params {
    int64_t n;
    int32_t variant;
};
static const struct gb_option options[] = {
    GB_INT(struct params, n, "1Mi", "1:2^28", "elements", "length of the vectors"),
    GB_CHOICE(struct params, variant, "simple", variants, "how it is computed")};

struct dot {
    const struct gb_host *host;
    const struct params *params;
    uint64_t n;
    float *x, *y, result;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct dot *dot = host->allocate(host, sizeof *dot); /* zeroed; gbrun frees it */
    if (!dot)
        return GB_NO_MEMORY;
    *dot = (struct dot){.host = host, .params = params};
    dot->n = (uint64_t)dot->params->n;
    *ret_bench = dot;
    return GB_OK;
}

/* Untimed: inputs are whole numbers from -8 to 8, so that no rounding is in the way. */
static int32_t prepare(void *bench, const struct gb_queue *queue)
{
    struct dot *dot = bench;
    const struct gb_fill fill = {
        .size = sizeof fill, .format = GB_F32, .low = -8, .high = 8, .integral = 1};
    (void)queue;
    dot->x = dot->host->allocate(dot->host, 2 * dot->n * sizeof(float));
    if (!dot->x)
        return GB_NO_MEMORY;
    dot->y = dot->x + dot->n;
    return dot->host->fill(dot->host, dot->x, 2 * dot->n, &fill);
}

static float simple(const float *x, const float *y, uint64_t n)
{
    float sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Eight sums that do not wait for each other. */
static float unrolled(const float *x, const float *y, uint64_t n)
{
    float sums[8] = {0}, sum = 0;
    uint64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++)
            sums[j] += x[i + j] * y[i + j];
    for (; i < n; i++)
        sum += x[i] * y[i];
    for (int j = 0; j < 8; j++)
        sum += sums[j];
    return sum;
}

/* The timed function: no allocation, no output, nothing but the work. */
static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    struct dot *dot = bench;
    (void)queue;
    for (; iterations > 0; iterations--) {
        switch (dot->params->variant) {
        case SIMPLE:
            dot->result = simple(dot->x, dot->y, dot->n);
            break;
        case UNROLLED:
            dot->result = unrolled(dot->x, dot->y, dot->n);
            break;
        case BROKEN: /* forgets the last element */
            dot->result = simple(dot->x, dot->y, dot->n - 1);
            break;
        }
        GB_KEEP(dot); /* compiler barrier: each iteration is computed */
    }
    return GB_OK;
}

/* Once, after the last sample: the same in double precision. */
static int32_t verify(void *bench, const struct gb_queue *queue)
{
    struct dot *dot = bench;
    double reference = 0;
    (void)queue;
    for (uint64_t i = 0; i < dot->n; i++)
        reference += (double)dot->x[i] * dot->y[i];
    const struct gb_check check = {.size = sizeof check, .format = GB_F32, .name = "dot", .n = 1,
        .output = &dot->result, .reference = &reference,
        .default_metric = "abs", .default_tolerance = 0};
    return dot->host->check(dot->host, &check);
}

static int32_t work(void *bench, struct gb_work *work)
{
    const struct dot *dot = bench;
    work->flops = 2 * (double)dot->n;
    work->bytes_read = 2 * sizeof(float) * (double)dot->n;
    GB_WORK_MATH(work, GB_F32, GB_MATH_VECTOR);
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .prepare = prepare,
    .run = run, .verify = verify, .work = work};
static const struct gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH,
    .id = "dot", .version = "1.0", .summary = "dot product", .devices = "cpu",
    GB_OPTIONS(options, struct params), .ops = &ops};
GB_MODULE(&plugin)
