/*
 * old_abi.c - a plugin as a compiler of ABI 1.0 saw it, with copies of the structs of that day
 * instead of the headers, and shorter ones than today's: the plugin ends after ops, its ops after
 * destroy. Never bring this file up to date: gbrun must load and run it in every later version of
 * major 1. Options, metric and check must work.
 */
#include <stddef.h>
#include <stdint.h>

struct queue_1_0;

struct work_1_0 {
    uint32_t size;
    uint32_t reserved;
    double flops, bytes_read, bytes_written, items;
    const char *item;
};

struct check_1_0 {
    uint32_t size, format;
    const char *name;
    uint64_t n;
    const void *output;
    const double *reference, *magnitude;
    uint64_t n_products;
    uint32_t accumulate, flags;
    const char *default_metric;
    double default_tolerance;
};

struct host_1_0 {
    uint32_t size, reserved;
    uint64_t seed;
    void *(*allocate)(const struct host_1_0 *host, uint64_t bytes);
    int32_t (*fail)(const struct host_1_0 *host, const char *text);
    int32_t (*skip)(const struct host_1_0 *host, const char *reason);
    void (*log)(const struct host_1_0 *host, int32_t severity, const char *text);
    void (*metric)(const struct host_1_0 *host, const char *name, double value, const char *unit);
    uint64_t (*random)(const struct host_1_0 *host, uint64_t stream, uint64_t index);
    int32_t (*fill)(const struct host_1_0 *host, void *data, uint64_t n, const void *fill);
    int32_t (*check)(const struct host_1_0 *host, const struct check_1_0 *check);
};

struct option_1_0 {
    uint32_t size, type, flags, n_choices;
    uint64_t offset;
    const char *name, *default_value, *range;
    const char *const *choices;
    const char *unit, *help;
};

struct bench_ops_1_0 {
    uint32_t size, flags;
    int32_t (*create)(const struct host_1_0 *host, const void *params, void **ret_bench);
    int32_t (*prepare)(void *bench, const struct queue_1_0 *queue);
    int32_t (*run)(void *bench, const struct queue_1_0 *queue, uint64_t iterations);
    int32_t (*reset)(void *bench, const struct queue_1_0 *queue);
    int32_t (*verify)(void *bench, const struct queue_1_0 *queue);
    int32_t (*work)(void *bench, struct work_1_0 *work);
    void (*destroy)(void *bench);
};

struct plugin_1_0 {
    uint32_t size, kind;
    const char *id, *version, *summary, *help, *devices;
    const struct option_1_0 *options;
    uint32_t n_options, flags;
    uint64_t params_size;
    const void *ops;
};

struct module_1_0 {
    uint32_t size, abi_major, abi_minor, n_plugins;
    const struct plugin_1_0 *const *plugins;
};

enum { OK = 0, NO_MEMORY = -2, TYPE_INT = 1, F64 = 1, PLUGIN_BENCH = 1 };

struct params {
    int64_t addend;
};

static const struct option_1_0 options[] = {
    {sizeof(struct option_1_0), TYPE_INT, 0, 0, offsetof(struct params, addend), "addend", "3",
     "0:1000", NULL, NULL, "what is added in each iteration"},
};

struct bench {
    const struct host_1_0 *host;
    const struct params *params;
    double sum, n;
};

static int32_t create(const struct host_1_0 *host, const void *params, void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (!bench)
        return NO_MEMORY;
    bench->host = host;
    bench->params = params;
    *ret_bench = bench;
    return OK;
}

static int32_t run(void *object, const struct queue_1_0 *queue, uint64_t iterations)
{
    struct bench *bench = object;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        bench->sum += (double)bench->params->addend;
        bench->n += 1;
        __asm__ volatile("" : : : "memory");
    }
    return OK;
}

static int32_t verify(void *object, const struct queue_1_0 *queue)
{
    struct bench *bench = object;
    double expected = bench->n * (double)bench->params->addend;
    struct check_1_0 check = {0};
    (void)queue;
    bench->host->metric(bench->host, "addend", (double)bench->params->addend, "");
    check.size = sizeof check;
    check.format = F64;
    check.name = "sum";
    check.n = 1;
    check.output = &bench->sum;
    check.reference = &expected;
    check.default_metric = "abs";
    return bench->host->check(bench->host, &check);
}

static int32_t work(void *bench, struct work_1_0 *work)
{
    (void)bench;
    work->flops = 1;
    return OK;
}

static void destroy(void *bench)
{
    (void)bench;
}

static const struct bench_ops_1_0 ops = {sizeof ops, 0,      create, NULL,   run,
                                         NULL,       verify, work,   destroy};
static const struct plugin_1_0 plugin = {
    sizeof plugin, PLUGIN_BENCH, "old_abi", "1.0", "was built against ABI 1.0", NULL,
    NULL,          options,      1,         0,     sizeof(struct params),       &ops};
static const struct plugin_1_0 *const plugins[] = {&plugin};
static const struct module_1_0 module = {sizeof module, 1, 0, 1, plugins};

__attribute__((visibility("default"))) const struct module_1_0 *gb_module_v1(void);

const struct module_1_0 *gb_module_v1(void)
{
    return &module;
}
