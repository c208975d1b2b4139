/*
 * bad_metric.c - hands the host metrics and log lines that make no sense: NaN, infinities, names
 * that are empty, missing, very long or repeated, text that is no UTF-8, severities that do not
 * exist, a line of 1 MiB. gbrun must store what can be stored, write valid CSV and JSON, and never
 * crash.
 */
#include <gbrun/gbrun.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

static const char *const kinds[] = {"values", "names", "utf8", "log", "all"};
enum { ALL = 4 };

struct params {
    int32_t where;
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "verify", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "all", kinds, "what it hands over"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static char *long_text(size_t length)
{
    char *text = malloc(length + 1);
    if (text) {
        memset(text, 'm', length);
        text[length] = 0;
    }
    return text;
}

static void hand_over_values(const struct gb_host *host)
{
    host->metric(host, "not_a_number", (double)NAN, "s");
    host->metric(host, "infinite", (double)INFINITY, "s");
    host->metric(host, "minus_infinite", -(double)INFINITY, "s");
    host->metric(host, "huge", 1.7976931348623157e308, "s");
    host->metric(host, "repeated", 1, "s");
    host->metric(host, "repeated", 2, "s"); /* the one that counts */
}

static void hand_over_names(const struct gb_host *host)
{
    char *name = long_text(10000);
    host->metric(host, "", 1, "");
    host->metric(host, NULL, 2, "s");
    host->metric(host, "no_unit", 3, NULL);
    host->metric(host, "quotes \" ' , ; | \n \t \\", 4, "a|b,\"c\"");
    if (name)
        host->metric(host, name, 5, name);
    free(name);
}

static void hand_over_utf8(const struct gb_host *host)
{
    host->metric(host, "caf\xe9", 1, "\xff");
    host->metric(host, "overlong \xc0\x80", 2, "\xed\xa0\x80");
    host->log(host, GB_LOG_INFO, "cut short: \xe2\x82");
}

static void hand_over_log(const struct gb_host *host)
{
    char *line = long_text(1 << 20);
    host->log(host, GB_LOG_INFO, NULL);
    host->log(host, GB_LOG_INFO, "");
    host->log(host, GB_LOG_WARNING, "two\nlines");
    host->log(host, -5, "severity below all");
    host->log(host, 1000, "severity above all");
    if (line)
        host->log(host, GB_LOG_ERROR, line);
    free(line);
}

/* By kinds[]. */
static void (*const hand_over[])(const struct gb_host *) = {hand_over_values, hand_over_names,
                                                            hand_over_utf8, hand_over_log};

static int32_t act(struct bench *bench, int32_t where)
{
    for (int32_t i = 0; i < ALL && where == bench->params.where; i++) {
        if (bench->params.what == ALL || bench->params.what == i)
            hand_over[i](bench->host);
    }
    return GB_OK;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = calloc(1, sizeof *bench);
    int32_t status;
    if (!bench)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = *(const struct params *)params;
    status = act(bench, CREATE);
    if (status != GB_OK)
        free(bench);
    else
        *ret_bench = bench;
    return status;
}

static int32_t prepare(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, PREPARE);
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    (void)iterations;
    return act(bench, RUN);
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, RESET);
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, VERIFY);
}

static int32_t work(void *bench, struct gb_work *work)
{
    work->items = 1;
    return act(bench, WORK);
}

static void destroy(void *bench)
{
    if (bench)
        act(bench, DESTROY);
    free(bench);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .reset = reset,
    .verify = verify,
    .work = work,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "bad_metric",
    .version = "1.0",
    .summary = "reports nonsense",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};
static const struct gb_plugin *const plugins[] = {&plugin};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 1,
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
