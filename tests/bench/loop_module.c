/* loop_module.c - the loops of loop_google.cc as a benchmark of gbrun. */
#include "tests/bench/step.h"

#include <gbrun/gbrun.h>

struct params {
    int32_t body;
};

static const char *const bodies[] = {"empty", "step"};
static const struct gb_option options[] = {
    GB_CHOICE(struct params, body, "empty", bodies, "what is done in each iteration"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    int32_t *body = host->allocate(host, sizeof *body);
    if (!body)
        return GB_NO_MEMORY;
    *body = ((const struct params *)params)->body;
    *ret_bench = body;
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    if (*(const int32_t *)bench == 0) {
        for (; iterations > 0; iterations--)
            GB_CLOBBER();
        return GB_OK;
    }
    uint64_t x = 1;
    for (; iterations > 0; iterations--) {
        x = step(x);
        GB_KEEP(x);
    }
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "loop",
    .version = "1.0",
    .summary = "an empty loop, or one with a function of about a nanosecond",
    .options = options,
    .n_options = 1,
    .params_size = sizeof(struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
