#include <gbrun/gbrun.h>
#include <string.h>

struct clear {
    const struct gb_host *host; /* set by gbrun, as `bytes` is, by the table below */
    uint64_t bytes;
    char *memory;
};
static const struct gb_option options[] = {GB_BYTES(struct clear, bytes, "1MiB", "1:", "size")};
GB_UNTIMED(prepare, struct clear, clear)
{
    clear->memory = clear->host->allocate(clear->host, clear->bytes);
    return clear->memory ? GB_OK : GB_NO_MEMORY;
}
GB_TIMED(run, struct clear, clear) /* one iteration; gbrun chooses how many make a sample */
{
    memset(clear->memory, 0, clear->bytes);
}
GB_BENCH(clear, struct clear, options, "sets memory to zero", .prepare = prepare, .run = run)
GB_MODULE(&clear)
