/* copy_cpu.c - see copy.h: one thread copies. Plugin side. */
#include "copy.h"

#include "plugins/common/bench_steps.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct copy_cpu {
    void (*once)(unsigned char *restrict to, const unsigned char *restrict from, uint64_t bytes);
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

/* --- the backend --- */

static int32_t create(struct copy *copy)
{
    static const struct copy_cpu ways[] = {
        [METHOD_AUTO] = {copy_memcpy}, [METHOD_MEMCPY] = {copy_memcpy},
        [METHOD_LOOP] = {copy_loop},   [METHOD_STREAM] = {copy_stream},
        [METHOD_KERNEL] = {NULL},
    };
    const struct params *params = copy->params;
    if (params->method == METHOD_KERNEL)
        return copy_skip_method(copy, "for GPUs");
    if (ways[params->method].once == NULL)
        return copy_skip_method(copy, "for processors with SSE2, which this build is not for");
    if (params->directions != DIRECTIONS_ONE)
        return copy_skip_directions(copy, "for GPUs");
    if (params->from != PLACE_DEVICE || params->to != PLACE_DEVICE)
        return copy_skip_place(copy, "for GPUs: the CPU has one kind of memory, device");
    struct copy_cpu *own = copy->own;
    *own = ways[params->method];
    copy->n_transfers = 1;
    return GB_OK;
}

static int32_t prepare(struct copy *copy, const struct gb_queue *queue)
{
    const uint64_t bytes = copy->params->bytes;
    int32_t status = GB_OK;
    (void)queue;
    copy->transfers->from = device_memory(copy->host, bytes, GB_MEMORY_DEVICE, &status);
    copy->transfers->to = device_memory(copy->host, bytes, GB_MEMORY_DEVICE, &status);
    return status;
}

static int32_t run(const struct copy *copy, const struct gb_queue *queue, uint64_t iterations)
{
    const struct copy_cpu *own = copy->own;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        own->once(copy->transfers->to, copy->transfers->from, copy->params->bytes);
        GB_CLOBBER();
    }
    return GB_OK;
}

const struct backend copy_cpu = {
    .own_bytes = sizeof(struct copy_cpu),
    .create = create,
    .prepare = prepare,
    .run = run,
};
