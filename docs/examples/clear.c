#include <gbrun/gbrun.h>
#include <string.h>

struct clear { uint64_t bytes; char memory[]; };
static const struct gb_option options[] = {
    GB_BYTES(struct clear, bytes, "1MiB", "1:", "memory to clear")};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const struct clear *wanted = params; /* filled from the INI file, checked by the table above */
    struct clear *clear = *ret_bench = host->allocate(host, sizeof *clear + wanted->bytes);
    if (clear)
        clear->bytes = wanted->bytes;
    return clear ? GB_OK : GB_NO_MEMORY;
}
static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations) /* timed */
{
    struct clear *clear = bench;
    (void)queue; /* of a GPU; here run computes and returns */
    for (; iterations > 0; iterations--) {
        memset(clear->memory, 0, clear->bytes);
        GB_KEEP(clear); /* compiler barrier: no iteration is optimized away */
    }
    return GB_OK;
}
static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run};
static const struct gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH,
    .id = "clear", .version = "1.0", .summary = "sets memory to zero", .devices = "cpu",
    GB_OPTIONS(options, struct clear), .ops = &ops};
GB_MODULE(&plugin)
