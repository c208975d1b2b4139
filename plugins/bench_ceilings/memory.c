/* memory.c - see memory.h. Plugin side. */
#include "memory.h"

#include "roofs.h"

#include "plugins/common/simd.h"
#include "plugins/common/system/system_file.h"

#include <gbrun/bench.h>
#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* --- the ways --- */

#define NAME(way) way##_portable
#define TARGET
#define VECTOR_BYTES 16
#define STORE(at, a, b) ((at)[0] = (a), (at)[1] = (b))
#define FINISH (void)0
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#include "memory_body.h"

static bool always(void)
{
    return true;
}

#define WAYS(suffix, bytes, is_past, is_here) WAYS_NAMED(#suffix, suffix, bytes, is_past, is_here)
#define WAYS_NAMED(name, suffix, bytes, is_past, is_here)                                          \
    {                                                                                              \
        name, (bytes) / sizeof(uint64_t), is_past, is_here, read_##suffix, write_##suffix,         \
            copy_##suffix, triad_##suffix                                                          \
    }

#ifdef __x86_64__
#define NAME(way) way##_portable_stream
#define TARGET
#define VECTOR_BYTES 16
#define STORE(at, a, b)                                                                            \
    (_mm_stream_si128((void *)(at), (__m128i)(a)),                                                 \
     _mm_stream_si128((void *)((at) + 1), (__m128i)(b)))
#define FINISH _mm_sfence()
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#include "memory_body.h"

#define NAME(way) way##_avx2
#define TARGET FOR_AVX2
#define VECTOR_BYTES 32
#define STORE(at, a, b) ((at)[0] = (a), (at)[1] = (b))
#define FINISH (void)0
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#include "memory_body.h"

#define NAME(way) way##_avx2_stream
#define TARGET FOR_AVX2
#define VECTOR_BYTES 32
#define STORE(at, a, b)                                                                            \
    (_mm256_stream_si256((void *)(at), (__m256i)(a)),                                              \
     _mm256_stream_si256((void *)((at) + 1), (__m256i)(b)))
#define FINISH _mm_sfence()
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#include "memory_body.h"

#define NAME(way) way##_avx512
#define TARGET FOR_AVX512
#define VECTOR_BYTES 64
#define STORE(at, a, b) ((at)[0] = (a), (at)[1] = (b))
#define FINISH (void)0
#define XOR3(a, b, c)                                                                              \
    ((WORDS)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0x96))
#include "memory_body.h"

#define NAME(way) way##_avx512_stream
#define TARGET FOR_AVX512
#define VECTOR_BYTES 64
#define STORE(at, a, b)                                                                            \
    (_mm512_stream_si512((void *)(at), (__m512i)(a)),                                              \
     _mm512_stream_si512((void *)((at) + 1), (__m512i)(b)))
#define FINISH _mm_sfence()
#define XOR3(a, b, c)                                                                              \
    ((WORDS)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0x96))
#include "memory_body.h"

const struct memory_ways memory_ways[] = {
    WAYS(avx512_stream, 64, true, has_avx512), WAYS(avx512, 64, false, has_avx512),
    WAYS(avx2_stream, 32, true, has_avx2),     WAYS(avx2, 32, false, has_avx2),
    WAYS(portable_stream, 16, true, always),   WAYS(portable, 16, false, always),
};
#elif defined(__aarch64__)
/* A pair of stores that are not to leave the memory in the caches; there is none of a single one.
 */
#define NAME(way) way##_neon_stream
#define TARGET
#define VECTOR_BYTES 16
#define STORE(at, a, b)                                                                            \
    __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(at), "w"(a), "w"(b) : "memory")
#define FINISH (void)0
#define XOR3(a, b, c) ((a) ^ (b) ^ (c))
#include "memory_body.h"

#include "memory_sve.h"

/* Where vectors of SVE are no longer than those of NEON, as on Grace, they are no faster. */
#define read_sve_stream read_sve
const struct memory_ways memory_ways[] = {
    WAYS_NAMED("sve512_stream", sve_stream, 64, true, has_sve512),
    WAYS_NAMED("sve512", sve, 64, false, has_sve512),
    WAYS_NAMED("sve256_stream", sve_stream, 32, true, has_sve256),
    WAYS_NAMED("sve256", sve, 32, false, has_sve256),
    WAYS(neon_stream, 16, true, always),
    WAYS(portable, 16, false, always),
};
#else
const struct memory_ways memory_ways[] = {WAYS(portable, 16, false, always)};
#endif
const uint32_t n_memory_ways = sizeof memory_ways / sizeof memory_ways[0];

/* The last way is always there. */
const struct memory_ways *memory_ways_here(bool is_past_caches)
{
    uint32_t i = 0;
    while (i + 1 < n_memory_ways &&
           !(memory_ways[i].is_past_caches == is_past_caches && memory_ways[i].is_here()))
        i++;
    return &memory_ways[i];
}

/* --- what stands in memory --- */

static const uint64_t WORD_FACTOR = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t word_at(uint64_t i)
{
    return i * WORD_FACTOR;
}

/* Array 1 or 2 of a triad: 32 bits with a sign. */
static double number_at(uint64_t i, uint32_t which)
{
    return (double)(int32_t)(uint32_t)(word_at(i + which) >> 32);
}

void memory_fill(void *array, uint64_t bytes, uint64_t first)
{
    uint64_t *words = array;
    for (uint64_t i = 0; i < bytes / sizeof *words; i++)
        words[i] = word_at(first + i);
}

void memory_fill_triad(void *array, uint64_t bytes, uint64_t first, uint32_t which)
{
    double *numbers = array;
    for (uint64_t i = 0; i < bytes / sizeof *numbers; i++)
        numbers[i] = number_at(first + i, which);
}

uint64_t memory_sum(uint64_t first, uint64_t bytes, uint32_t n_lanes)
{
    uint64_t lanes[8] = {0};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < bytes / sizeof(uint64_t); i++)
        lanes[i % n_lanes] ^= word_at(first + i);
    for (uint32_t i = 0; i < n_lanes; i++)
        sum += lanes[i];
    return sum;
}

uint64_t memory_right(int32_t access, const void *array, uint64_t bytes, uint64_t first,
                      uint64_t written)
{
    const uint64_t *words = array;
    const double *numbers = array;
    uint64_t n_right = 0;
    for (uint64_t i = 0; i < bytes / sizeof *words; i++) {
        const uint64_t at = first + i;
        n_right += access == ACCESS_WRITE ? words[i] == written
                   : access == ACCESS_COPY
                       ? words[i] == word_at(at)
                       : numbers[i] == number_at(at, 1) + MEMORY_SCALE * number_at(at, 2);
    }
    return n_right;
}

/* --- the caches --- */

enum { LEVEL_MAX = 4 };

static bool find(const char *folder, uint32_t cpu, uint32_t level, struct cpu_cache *ret)
{
    for (uint32_t i = 0; cpu_cache_read(folder, cpu, i, ret); i++)
        if (ret->level == level && ret->kind != 'i' && ret->bytes > 0)
            return true;
    *ret = (struct cpu_cache){0};
    return false;
}

/* Of each CPU its cache of the level; bytes are 0 where it has none. Returns how many have one. */
static uint32_t find_all(const char *folder, const uint32_t *cpus, uint32_t n, uint32_t level,
                         struct cpu_cache *caches)
{
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < n; i++)
        n_found += find(folder, cpus[i], level, &caches[i]);
    return n_found;
}

/* How many of the first n others use the same cache as this one. */
static uint32_t count_others(const struct cpu_cache *caches, uint32_t n,
                             const struct cpu_cache *this)
{
    uint32_t n_others = 0;
    for (uint32_t i = 0; i < n; i++)
        n_others += &caches[i] != this && caches[i].bytes > 0 &&
                    caches[i].first_cpu == this->first_cpu;
    return n_others;
}

uint64_t caches_share(const char *folder, const uint32_t *cpus, uint32_t n, uint32_t level)
{
    struct cpu_cache caches[CACHES_CPUS_MAX];
    uint64_t smallest = UINT64_MAX;
    if (n == 0 || n > CACHES_CPUS_MAX || find_all(folder, cpus, n, level, caches) < n)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t share = caches[i].bytes / (1 + count_others(caches, n, &caches[i]));
        smallest = share < smallest ? share : smallest;
    }
    return smallest;
}

uint64_t caches_last_level(const char *folder, const uint32_t *cpus, uint32_t n)
{
    struct cpu_cache caches[CACHES_CPUS_MAX];
    uint64_t sum = 0;
    if (n > CACHES_CPUS_MAX)
        return 0;
    for (uint32_t level = LEVEL_MAX; level > 0 && sum == 0; level--) {
        find_all(folder, cpus, n, level, caches);
        for (uint32_t i = 0; i < n; i++)
            sum += count_others(caches, i, &caches[i]) == 0 ? caches[i].bytes : 0;
    }
    return sum;
}
