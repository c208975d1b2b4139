/*
 * copy.c - the benchmark `copy`: memory to memory. Plugin side.
 */
#include <gbrun/gbrun.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { METHOD_MEMCPY, METHOD_LOOP, METHOD_STREAM };
static const char *const methods[] = {"memcpy", "loop", "stream"};

struct params {
    uint64_t bytes;
    int32_t method;
};

struct copy {
    const struct gb_host *host;
    const struct params *params;
    unsigned char *from, *to;
    void (*once)(unsigned char *restrict to, const unsigned char *restrict from, uint64_t bytes);
};

static const struct gb_option options[] = {
    GB_BYTES(struct params, bytes, "1MiB", "1:1TiB", "bytes to copy in an iteration"),
    GB_CHOICE(struct params, method, "memcpy", methods,
              "the C library's memcpy, a loop over words, or stores that bypass the caches"),
};

/* --- the ways to copy --- */

static void copy_memcpy(unsigned char *restrict to, const unsigned char *restrict from,
                        uint64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

/* Each word is read and written by itself: the clobber keeps the compiler from making a call of
 * memcpy out of the loop. */
static void copy_loop(unsigned char *restrict to, const unsigned char *restrict from,
                      uint64_t bytes)
{
    const uint64_t words = bytes / sizeof(uint64_t);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, from + i * sizeof word, sizeof word);
        memcpy(to + i * sizeof word, &word, sizeof word);
        GB_CLOBBER();
    }
    for (uint64_t i = words * sizeof(uint64_t); i < bytes; i++)
        to[i] = from[i];
}

#ifdef __SSE2__
static void copy_stream(unsigned char *restrict to, const unsigned char *restrict from,
                        uint64_t bytes)
{
    const uint64_t lines = bytes / 64;
    for (uint64_t i = 0; i < lines; i++) {
        const __m128i *source = (const __m128i *)(const void *)(from + i * 64);
        __m128i *target = (__m128i *)(void *)(to + i * 64);
        for (int j = 0; j < 4; j++)
            _mm_stream_si128(target + j, _mm_load_si128(source + j));
    }
    _mm_sfence();
    memcpy(to + lines * 64, from + lines * 64, (size_t)(bytes - lines * 64));
}
#else
#define copy_stream NULL
#endif

/* --- the benchmark --- */

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    static void (*const ways[])(unsigned char *restrict, const unsigned char *restrict,
                                uint64_t) = {copy_memcpy, copy_loop, copy_stream};
    const struct params *settings = params;
    if (ways[settings->method] == NULL)
        return host->skip(host, "method = stream needs SSE2, which this build does not have");
    struct copy *bench = host->allocate(host, sizeof *bench);
    if (bench == NULL)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = settings;
    bench->once = ways[settings->method];
    *ret_bench = bench;
    return GB_OK;
}

static int32_t take_memory(const struct copy *bench, unsigned char **ret)
{
    void *memory = NULL;
    const int32_t status = bench->host->device_allocate(bench->host, bench->params->bytes,
                                                        GB_MEMORY_DEVICE, &memory);
    *ret = memory;
    return status;
}

/* Whole words at random, which is faster; the last few bytes apart. */
static int32_t fill_random(const struct gb_host *host, unsigned char *memory, uint64_t bytes)
{
    const uint64_t words = bytes / sizeof(uint32_t);
    const struct gb_fill word = {
        .size = sizeof word, .format = GB_U32, .stream = 0, .low = 0.0, .high = 4294967295.0};
    const struct gb_fill byte = {
        .size = sizeof byte, .format = GB_U8, .stream = 1, .low = 0.0, .high = 255.0};
    const int32_t status = host->fill(host, memory, words, &word);
    if (status != GB_OK)
        return status;
    return host->fill(host, memory + words * sizeof(uint32_t), bytes % sizeof(uint32_t), &byte);
}

/* The target starts out wrong in every byte, so that none can be left uncopied unseen. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct copy *bench = object;
    (void)queue;
    int32_t status = take_memory(bench, &bench->from);
    if (status == GB_OK)
        status = take_memory(bench, &bench->to);
    if (status == GB_OK)
        status = fill_random(bench->host, bench->from, bench->params->bytes);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < bench->params->bytes; i++)
        bench->to[i] = (unsigned char)~bench->from[i];
    return GB_OK;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct copy *bench = object;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        bench->once(bench->to, bench->from, bench->params->bytes);
        GB_CLOBBER();
    }
    return GB_OK;
}

/* Every byte is compared, and the right ones are counted block by block: that says where a copy
 * went wrong without eight bytes of reference for each byte copied. */
static int32_t verify(void *object, const struct gb_queue *queue)
{
    enum { BLOCK = 4096 };
    const struct copy *bench = object;
    const struct gb_host *host = bench->host;
    const uint64_t bytes = bench->params->bytes;
    const uint64_t n_blocks = (bytes + BLOCK - 1) / BLOCK;
    int32_t *right = host->allocate(host, n_blocks * sizeof *right);
    double *wanted = host->allocate(host, n_blocks * sizeof *wanted);
    (void)queue;
    if (right == NULL || wanted == NULL)
        return GB_NO_MEMORY;
    for (uint64_t block = 0; block < n_blocks; block++) {
        const uint64_t first = block * BLOCK;
        const uint64_t end = first + BLOCK < bytes ? first + BLOCK : bytes;
        for (uint64_t i = first; i < end; i++)
            right[block] += bench->to[i] == bench->from[i];
        wanted[block] = (double)(end - first);
    }
    const struct gb_check check = {
        .size = sizeof check,
        .format = GB_I32,
        .name = "right bytes in each 4 KiB",
        .n = n_blocks,
        .output = right,
        .reference = wanted,
        .flags = GB_CHECK_EXACT,
        .default_metric = "abs",
        .default_tolerance = 0.0,
    };
    return host->check(host, &check);
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct copy *bench = object;
    work->bytes_read = (double)bench->params->bytes;
    work->bytes_written = (double)bench->params->bytes;
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .work = work,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "copy",
    .version = "1.0",
    .summary = "copies memory to memory",
    .help =
        "One thread copies random bytes to another place; afterwards every byte is compared.\n\n"
        "Rates count each byte once as read and once as written. With cache = warm, sizes that fit "
        "into a cache show the bandwidth of that cache.",
    .devices = "cpu",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
