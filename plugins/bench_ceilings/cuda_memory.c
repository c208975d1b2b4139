/*
 * cuda_memory.c - bandwidths on CUDA: of the device's memory, its second cache, and shared memory.
 * Plugin side.
 *
 * What stands in memory is made by the device and checked by the host, each word of what was
 * written.
 */
#include "ceilings_cuda.h"

#include "plugins/common/bench_memory.h"

#include <stdio.h>
#include <string.h>

enum {
    THREADS = 256, /* as in ceilings.cu, */
    SLOTS = 1024,
    VECTOR_BYTES = 16,
    SHARED_PASSES = 8192,
    CHUNK_BYTES = 4 << 20
};
static const uint64_t ITERATION_BYTES = UINT64_C(4) << 30;
static const uint32_t WORD_FACTOR = UINT32_C(0x9e3779b1); /*   and these as well */
static const uint32_t WRITTEN_WORD = UINT32_C(0xc3a5c85c);

static const char *const access_names[] = {
    [ACCESS_READ] = "read",
    [ACCESS_WRITE] = "write",
    [ACCESS_COPY] = "copy",
    [ACCESS_TRIAD] = "triad",
};

static int32_t load(struct ceilings *ceilings, const char *memory)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", memory, access_names[ceilings->roof->access]);
    return cuda_ceilings_load(ceilings, name);
}

/* --- what is right --- */

static uint32_t word_at(uint64_t i)
{
    return (uint32_t)i * WORD_FACTOR;
}

static float number_at(uint64_t i, uint32_t which)
{
    return (float)((int32_t)word_at(i + which) >> 12);
}

/* The sum of the first n words. */
static uint32_t sum_of_words(uint64_t n)
{
    const uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2);
    return (uint32_t)pairs * WORD_FACTOR;
}

static bool is_right(const struct ceilings *ceilings, uint64_t i, uint32_t word)
{
    float number;
    switch (ceilings->roof->access) {
    case ACCESS_WRITE:
        return word == WRITTEN_WORD;
    case ACCESS_COPY:
        return word == word_at(i);
    default:
        memcpy(&number, &word, sizeof number);
        return number == number_at(i, 1) + 3.0f * number_at(i, 2);
    }
}

static double count_right(const struct ceilings *ceilings, const uint32_t *words, uint64_t n,
                          uint64_t first)
{
    uint64_t n_right = 0;
    for (uint64_t i = 0; i < n; i++)
        n_right += is_right(ceilings, first + i, words[i]);
    return (double)n_right;
}

/* Words of an array in parts, each of which begins with word `begin` of its part or of the whole.
 */
static int32_t check_words(struct ceilings *ceilings, const void *array, uint64_t bytes,
                           uint64_t part_bytes, bool is_each_alike)
{
    const struct gb_host *host = ceilings->host;
    const uint64_t n = quotient_up(bytes, part_bytes);
    int32_t status = GB_OK;
    double *output = host_memory(host, n * sizeof *output, &status);
    double *reference = host_memory(host, n * sizeof *reference, &status);
    void *part = device_memory(host, part_bytes, GB_MEMORY_PINNED, &status);
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        const uint64_t begin = i * part_bytes;
        const uint64_t length = smaller(bytes - begin, part_bytes);
        const uint64_t n_words = length / sizeof(uint32_t);
        if (host->cancelled(host) != 0)
            return GB_CANCELLED;
        status = host->device_copy(host, part, (const char *)array + begin, length);
        if (status == GB_OK)
            output[i] = count_right(ceilings, part, n_words,
                                    is_each_alike ? 0 : begin / sizeof(uint32_t));
        reference[i] = (double)n_words;
    }
    if (status != GB_OK)
        return status;
    return check_exactly(ceilings->host, "right words in each part", GB_F64, n, output, reference);
}

/* --- the device's memory and its cache --- */

static bool is_of_cache(const struct ceilings *ceilings)
{
    return ceilings->roof->level == LEVEL_L2;
}

/* As in ceilings.cu: vectors of a tile for each thread. */
static uint64_t tile_bytes(const struct ceilings *ceilings)
{
    static const uint64_t n_vectors[][2] = {
        /* of memory, of a cache */
        [ACCESS_READ] = {4, 4},
        [ACCESS_WRITE] = {1, 4},
        [ACCESS_COPY] = {1, 4},
        [ACCESS_TRIAD] = {1, 2},
    };
    return THREADS * VECTOR_BYTES * n_vectors[ceilings->roof->access][is_of_cache(ceilings)];
}

/* A third of the cache leaves room for what else goes through it; of memory, many times what it
 * holds. */
static int32_t choose_bytes(const struct ceilings *ceilings, uint64_t *ret)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const uint64_t l2_bytes = (uint64_t)cuda->l2_bytes;
    size_t free_bytes = 0;
    size_t all_bytes = 0;
    *ret = ceilings->params->bytes > 0 ? ceilings->params->bytes : l2_bytes / 3;
    if (ceilings->params->bytes > 0 || is_of_cache(ceilings))
        return GB_OK;
    const CUresult result = cuda->kernels.driver.memory_info(&free_bytes, &all_bytes);
    *ret = ITERATION_BYTES > 8 * l2_bytes ? ITERATION_BYTES : 8 * l2_bytes;
    if (*ret > free_bytes / 2)
        *ret = free_bytes / 2;
    return driver_status(&cuda->kernels.driver, ceilings->host, result, "querying free memory");
}

static int32_t plan_global(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const uint64_t n_arrays = roof_arrays(ceilings->roof);
    uint64_t bytes = 0;
    const int32_t status = choose_bytes(ceilings, &bytes);
    const uint64_t n_tiles = bytes / (n_arrays * tile_bytes(ceilings));
    unsigned n_blocks = (unsigned)(cuda->n_units * (cuda->threads_per_unit / THREADS));
    cuda->n_tiles = n_tiles > 0 ? (unsigned)n_tiles : 1;
    cuda->tile_step = n_blocks % cuda->n_tiles;
    cuda->array_bytes = cuda->n_tiles * tile_bytes(ceilings);
    const uint64_t n_passes = (ITERATION_BYTES - 1) / (cuda->array_bytes * n_arrays) + 1;
    cuda->n_uses = cuda->n_tiles * n_passes;
    /* See ceilings.cu; blocks that only read leave a sum each, so they stay. */
    if (!is_of_cache(ceilings) && ceilings->roof->access != ACCESS_READ)
        n_blocks = (unsigned)cuda->n_uses;
    cuda->launch = (struct cuda_launch){.columns = n_blocks, .threads = THREADS};
    ceilings->working_set_bytes = cuda->array_bytes * n_arrays;
    ceilings->array_bytes = (double)cuda->array_bytes * (double)n_passes;
    ceilings->element_bytes = sizeof(float);
    return status;
}

/* What is written starts out wrong. */
static void make_array(struct ceilings *ceilings, const struct gb_queue *queue, uint32_t i,
                       int32_t *status)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const bool is_triad = ceilings->roof->access == ACCESS_TRIAD;
    unsigned long long n = cuda->array_bytes / sizeof(uint32_t);
    const struct cuda_launch fill = {.arguments = {&cuda->arrays[i], &n, &i}};
    if (i == 0 && ceilings->roof->access != ACCESS_READ) {
        cuda->arrays[0] = device_filled(ceilings->host, cuda->array_bytes, 0xff, status);
        return;
    }
    cuda->arrays[i] = device_memory(ceilings->host, cuda->array_bytes, GB_MEMORY_DEVICE, status);
    if (*status == GB_OK)
        *status = cuda_ceilings_fill(ceilings, queue, is_triad ? "fill_numbers" : "fill_words",
                                     fill);
}

static int32_t prepare_global(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const bool is_read = ceilings->roof->access == ACCESS_READ;
    void *arguments[] = {&cuda->arrays[0], &cuda->arrays[is_read ? 0 : 1],
                         &cuda->arrays[2], &cuda->n_tiles,
                         &cuda->tile_step, &cuda->n_uses,
                         &cuda->sums};
    int32_t status = load(ceilings, is_of_cache(ceilings) ? "cache" : "memory");
    if (is_read)
        cuda->sums = device_memory(ceilings->host, cuda->launch.columns * sizeof(uint32_t),
                                   GB_MEMORY_DEVICE, &status);
    for (uint32_t i = 0; i < roof_arrays(ceilings->roof); i++)
        make_array(ceilings, queue, i, &status);
    memcpy(cuda->launch.arguments, arguments, sizeof arguments);
    return status;
}

static int32_t verify_global(struct ceilings *ceilings)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const uint32_t n_passes = (uint32_t)(cuda->n_uses / cuda->n_tiles);
    const double wanted = n_passes * sum_of_words(cuda->array_bytes / sizeof(uint32_t));
    uint32_t sum = 0;
    int32_t status = GB_OK;
    if (ceilings->roof->access != ACCESS_READ)
        return check_words(ceilings, cuda->arrays[0], cuda->array_bytes, CHUNK_BYTES, false);
    const uint32_t *sums = host_copy_of(ceilings->host, cuda->sums,
                                        cuda->launch.columns * sizeof *sums, &status);
    for (unsigned i = 0; status == GB_OK && i < cuda->launch.columns; i++)
        sum += sums[i];
    const double output = sum;
    return status == GB_OK
               ? check_exactly(ceilings->host, "sum of all words", GB_F64, 1, &output, &wanted)
               : status;
}

const struct cuda_way cuda_global = {
    .plan = plan_global, .prepare = prepare_global, .verify = verify_global};

/* --- shared memory --- */

static int32_t plan_shared(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    if (ceilings->params->bytes > 0)
        return ceilings_skip(ceilings, "has arrays of 16 KiB in each block: bytes is for memory "
                                       "and caches");
    cuda->launch = (struct cuda_launch){.columns = (unsigned)cuda->n_units, .threads = SLOTS};
    cuda->n_repeats = SHARED_PASSES;
    cuda->array_bytes = (uint64_t)SLOTS * VECTOR_BYTES; /* of a block */
    const unsigned n_blocks = cuda->launch.columns;
    ceilings->working_set_bytes = cuda->array_bytes * roof_arrays(ceilings->roof) * n_blocks;
    ceilings->array_bytes = (double)cuda->array_bytes * (double)SHARED_PASSES * n_blocks;
    ceilings->element_bytes = sizeof(float);
    return GB_OK;
}

static int32_t prepare_shared(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    void *arguments[] = {&cuda->ends, &cuda->n_repeats, &cuda->sums};
    const uint64_t n_blocks = cuda->launch.columns;
    (void)queue;
    int32_t status = load(ceilings, "shared");
    cuda->sums = device_memory(ceilings->host, n_blocks * sizeof(uint32_t), GB_MEMORY_DEVICE,
                               &status);
    cuda->ends = device_filled(ceilings->host, n_blocks * cuda->array_bytes, 0xff, &status);
    memcpy(cuda->launch.arguments, arguments, sizeof arguments);
    return status;
}

static int32_t verify_shared(struct ceilings *ceilings)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct gb_host *host = ceilings->host;
    const uint64_t n_blocks = cuda->launch.columns;
    const uint32_t wanted = SHARED_PASSES * sum_of_words(cuda->array_bytes / sizeof(uint32_t));
    int32_t status = GB_OK;
    if (ceilings->roof->access != ACCESS_READ)
        return check_words(ceilings, cuda->ends, n_blocks * cuda->array_bytes, cuda->array_bytes,
                           true);
    const uint32_t *sums = host_copy_of(host, cuda->sums, n_blocks * sizeof *sums, &status);
    double *output = host_memory(host, n_blocks * sizeof *output, &status);
    double *reference = host_memory(host, n_blocks * sizeof *reference, &status);
    for (uint64_t i = 0; status == GB_OK && i < n_blocks; i++) {
        output[i] = sums[i];
        reference[i] = wanted;
    }
    return status == GB_OK
               ? check_exactly(host, "sums of blocks", GB_F64, n_blocks, output, reference)
               : status;
}

const struct cuda_way cuda_shared = {
    .plan = plan_shared, .prepare = prepare_shared, .verify = verify_shared};
