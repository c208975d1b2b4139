/*
 * skeleton.c - a module with all that a benchmark may have, complete and working. `gbrun new`
 * writes shorter ones, and policies and devices.
 *
 * Copy it, rename what says `skeleton`, and take out what is not needed: each part says Required or
 * Not required. It is strict C99 and needs nothing but the headers of gbrun:
 *
 *   cc -std=c99 -O2 -fPIC -fvisibility=hidden -shared -Wl,-z,defs skeleton.c -o skeleton.so
 *   gbrun run -c bench.ini            with "plugin = ./skeleton.so" in a [bench NAME] section
 */
#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- A benchmark: every element of an array times a factor, or plus it --- */

enum { OPERATION_SCALE, OPERATION_OFFSET };
static const char *const operations[] = {"scale", "offset"};

/*
 * Options, one of each type. Not required: a benchmark without any leaves GB_OPTIONS out. The host
 * fills this struct from bench.ini before create, with every value checked against the table below;
 * it and all it points to stay as they are until destroy has returned.
 */
struct params {
    int64_t elements;       /* GB_INT */
    double factor;          /* GB_FLOAT */
    int32_t in_place;       /* GB_BOOL: 0 or 1 */
    const char *label;      /* GB_STRING: never NULL */
    int32_t operation;      /* GB_CHOICE: index of the word */
    uint64_t gap;           /* GB_BYTES */
    double settle;          /* GB_DURATION: nanoseconds */
    struct gb_list weights; /* GB_LIST of GB_TYPE_FLOAT: items are doubles */
    struct gb_map note;     /* GB_MAP: note.KEY = VALUE, as often as wanted */
};

/* The member's name is the option's name: struct, member, default as a user would write it, range
 * "LOW:HIGH" (either may be empty), unit, help without a full stop. A default of NULL: the user has
 * to give a value. */
static const struct gb_option bench_options[] = {
    GB_INT(struct params, elements, "4096", "1:1e9", "elements", "length of the array"),
    GB_FLOAT(struct params, factor, "2", "-1e6:1e6", NULL, "factor, or what is added"),
    GB_BOOL(struct params, in_place, "no", "write the result over the input"),
    GB_STRING(struct params, label, "", "words to write to the log"),
    GB_CHOICE(struct params, operation, "scale", operations, "what is done with each element"),
    GB_BYTES(struct params, gap, "0", "0:1GiB", "memory left free between input and output"),
    GB_DURATION(struct params, settle, "0", "0:10s", "processor time to burn before measuring"),
    GB_LIST(struct params, weights, GB_TYPE_FLOAT, "1", "-1e6:1e6", NULL,
            "factors for the elements, used in turn"),
    GB_MAP(struct params, note, "numbers to store with the case"),
};

/* The object: whatever run needs, found without a search. */
struct bench {
    const struct gb_host *host;
    const struct params *params;
    uint64_t n;
    double *original; /* the input once more: what reset puts back and verify starts from */
    double *input;
    double *output; /* input itself if in_place */
};

static double weight(const struct params *params, uint64_t i)
{
    const double *weights = params->weights.items;
    return params->weights.n > 0 ? weights[i % params->weights.n] : 1.0;
}

/*
 * create: Required. Checks what the table cannot and makes the object. Memory of host->allocate is
 * zeroed and freed by the host after destroy. If something is wrong, return what host->fail or
 * host->skip returns: the words given to them are shown with the case.
 */
static int32_t bench_create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const struct params *settings = params;
    if (settings->factor == 0.0 && settings->operation == OPERATION_SCALE)
        return host->fail(host, "factor = 0 makes every output zero: expected another value");
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (bench == NULL)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = settings;
    bench->n = (uint64_t)settings->elements;
    *ret_bench = bench;
    return GB_OK;
}

static void burn(double ns)
{
    const clock_t begin = clock();
    while ((double)(clock() - begin) / CLOCKS_PER_SEC * 1e9 < ns)
        GB_CLOBBER();
}

/*
 * prepare: Not required. Allocates, fills, uploads; is not timed. Memory for the device comes from
 * host->device_allocate and is freed by the host, too. On a device with queues, work may be
 * enqueued here: it is waited for before measuring.
 */
static int32_t bench_prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    const struct params *params = bench->params;
    const struct gb_fill fill = {.size = sizeof fill, .format = GB_F64, .low = -1.0, .high = 1.0};
    const uint64_t bytes = bench->n * sizeof(double);
    const uint64_t gap = params->gap / sizeof(double);
    (void)queue;

    bench->original = host->allocate(host, bytes);
    bench->input = host->allocate(host, 2 * bytes + gap * sizeof(double));
    if (bench->original == NULL || bench->input == NULL)
        return GB_NO_MEMORY;
    bench->output = params->in_place ? bench->input : bench->input + bench->n + gap;
    const int32_t status = host->fill(host, bench->original, bench->n, &fill);
    if (status != GB_OK)
        return status;
    memcpy(bench->input, bench->original, bytes);
    burn(params->settle);

    if (params->label[0] != '\0')
        host->log(host, GB_LOG_INFO, params->label);
    for (uint64_t i = 0; i < params->note.n; i++)
        host->metric(host, params->note.keys[i], strtod(params->note.values[i], NULL), "");
    return GB_OK;
}

/*
 * reset: Not required. Called before each sample, untimed, for a run that spoils its input: here,
 * if it writes over it. Leave it NULL otherwise, as it costs time between samples.
 */
static int32_t bench_reset(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    (void)queue;
    if (bench->params->in_place)
        memcpy(bench->input, bench->original, bench->n * sizeof(double));
    return GB_OK;
}

/*
 * run: Required. This is what is timed: no allocation, no logging, no checks. The host decides how
 * many iterations a sample has, starts and stops the clocks; where each needs an input of its own,
 * reset prepares host->iterations of them. On a device with queues, enqueue on queue->native and
 * return.
 */
static int32_t bench_run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    const struct params *params = bench->params;
    (void)queue;
    for (uint64_t iteration = 0; iteration < iterations; iteration++) {
        for (uint64_t i = 0; i < bench->n; i++) {
            const double value = bench->input[i] * weight(params, i);
            bench->output[i] = params->operation == OPERATION_SCALE ? value * params->factor
                                                                    : value + params->factor;
        }
        GB_CLOBBER(); /* or the compiler may see that all but one iteration can be left out */
    }
    return GB_OK;
}

/*
 * verify: Not required, but a case without it is shown as unchecked. Called once after the last
 * sample. The reference is computed in another way than run does and given as float64; which
 * differences count is the user's choice (check.abs, check.rms ... in bench.ini), the default is
 * named here. Return what host->check returns.
 */
static int32_t bench_verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    const struct params *params = bench->params;
    double *reference = host->allocate(host, bench->n * sizeof(double));
    if (reference == NULL)
        return GB_NO_MEMORY;
    if (params->in_place) { /* after several iterations it holds a power: do it once, anew */
        int32_t status = bench_reset(bench, queue);
        if (status == GB_OK)
            status = bench_run(bench, queue, 1);
        if (status != GB_OK)
            return status;
    }
    for (uint64_t i = 0; i < bench->n; i++) {
        const double value = weight(params, i) * bench->original[i];
        reference[i] = params->operation == OPERATION_SCALE ? params->factor * value
                                                            : params->factor + value;
    }
    const struct gb_check check = {
        .size = sizeof check,
        .format = GB_F64,
        .name = "output",
        .n = bench->n,
        .output = bench->output,
        .reference = reference,
        .default_metric = "rel_floor",
        .default_tolerance = 1e-15,
    };
    return host->check(host, &check);
}

/*
 * work: Not required. What one iteration does; rates in the table come from it, and what bounds
 * the case: for that say which numbers are computed with, and by what. The host has zeroed what
 * does not apply.
 */
static int32_t bench_work(void *object, struct gb_work *work)
{
    const struct bench *bench = object;
    work->flops = 2.0 * (double)bench->n;
    work->bytes_read = (double)(bench->n * sizeof(double));
    work->bytes_written = work->bytes_read;
    work->items = (double)bench->n;
    work->item = "element";
    GB_WORK_MATH(work, GB_F64, GB_MATH_VECTOR);
    return GB_OK;
}

/*
 * destroy: Not required, and left out here. It ends threads and closes files; what came from the
 * host the host frees.
 */

/* Members that are left out are NULL or 0. */
static const struct gb_bench_ops bench_ops = {
    .size = sizeof bench_ops, /* Required: lets the struct grow in later versions */
    .flags = 0,               /* Not required: GB_BENCH_... */
    .create = bench_create,   /* Required */
    .prepare = bench_prepare, /* Not required */
    .run = bench_run,         /* Required */
    .reset = bench_reset,     /* Not required */
    .verify = bench_verify,   /* Not required */
    .work = bench_work,       /* Not required */
    .destroy = NULL,          /* Not required */
};

/* --- The module: its plugin, and the one function that is exported --- */

static const struct gb_plugin bench_plugin = {
    .size = sizeof bench_plugin, /* Required */
    .kind = GB_PLUGIN_BENCH,     /* Required */
    .id = "skeleton",            /* Required: what `plugin =` in bench.ini says */
    .version = "1.0",            /* Required: stored with the results */
    .summary = "scales an array; a benchmark to start from", /* Required */
    .help = "Shows each type of option and each function that a benchmark may have. The array is "
            "read, scaled and written once an iteration.", /* Not required */
    .devices = "cpu",                                      /* Not required; NULL: any */
    GB_OPTIONS(bench_options, struct params),              /* Not required */
    .ops = &bench_ops,                                     /* Required */
};

/* Required: the one function that the module exports. */
GB_MODULE(&bench_plugin)
