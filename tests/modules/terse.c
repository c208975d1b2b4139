/* terse.c - a good benchmark with many options whose texts are as short as they may be: it must be
 * found. */
#include <gbrun/gbrun.h>

struct params {
    const char *texts[24];
};

#define TERSE(i, name_)                                                                            \
    {                                                                                              \
        .size = sizeof(struct gb_option), .type = GB_TYPE_STRING, .name = (name_),                 \
        .offset = (i) * sizeof(char *), .default_value = "", .help = "x"                           \
    }
static const struct gb_option options[] = {
    TERSE(0, "a"),  TERSE(1, "b"),  TERSE(2, "c"),  TERSE(3, "d"),  TERSE(4, "e"),  TERSE(5, "f"),
    TERSE(6, "g"),  TERSE(7, "h"),  TERSE(8, "i"),  TERSE(9, "j"),  TERSE(10, "k"), TERSE(11, "l"),
    TERSE(12, "m"), TERSE(13, "n"), TERSE(14, "o"), TERSE(15, "p"), TERSE(16, "q"), TERSE(17, "r"),
    TERSE(18, "s"), TERSE(19, "t"), TERSE(20, "u"), TERSE(21, "v"), TERSE(22, "w"), TERSE(23, "x")};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = (void *)(uintptr_t)host;
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops, .flags = GB_BENCH_SINGLE, .create = create, .run = run};
static const struct gb_plugin plugin = {.size = sizeof plugin,
                                        .kind = GB_PLUGIN_BENCH,
                                        .id = "terse",
                                        .version = "",
                                        .summary = "",
                                        GB_OPTIONS(options, struct params),
                                        .ops = &ops};

GB_MODULE(&plugin)
