/* cuda_rates.c - rates on CUDA of instructions on registers: multiply-adds of ordinary cores,
 * matrix products of tensor cores. Plugin side. */
#include "ceilings_cuda.h"
#include "fragments.h"
#include "rates.h"

#include "plugins/common/bench_steps.h"

#include <stdio.h>
#include <string.h>

enum {
    THREADS = 256, /* as in ceilings.cu, */
    CHAINS = 8,    /*   as there */
    LANES = 32,
    CHAIN_BLOCKS = 4, /* of a multiprocessor */
    MMA_BLOCKS = 2,
    CHAIN_PAIRS = 8192,
    MMA_PAIRS = 4096
};

static const char *const number_names[] = {
    [NUMBER_FP64] = "fp64", [NUMBER_FP32] = "fp32", [NUMBER_TF32] = "tf32", [NUMBER_FP16] = "fp16",
    [NUMBER_BF16] = "bf16", [NUMBER_FP8] = "fp8",   [NUMBER_INT8] = "int8",
};

static int32_t load(struct ceilings *ceilings, const char *unit)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", unit, number_names[ceilings->roof->number]);
    return cuda_ceilings_load(ceilings, name);
}

static int32_t upload(struct ceilings *ceilings, const void *from, uint64_t bytes, void **ret)
{
    const int32_t status = cuda_ceilings_allocate(ceilings, bytes, ret);
    return status == GB_OK ? ceilings->host->device_copy(ceilings->host, *ret, from, bytes)
                           : status;
}

/* Ends of all blocks, wrong at first. */
static int32_t allocate_ends(struct ceilings *ceilings, uint64_t word_bytes)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const uint64_t bytes = cuda->n_blocks * cuda->n_words * word_bytes;
    const int32_t status = cuda_ceilings_allocate(ceilings, bytes, &cuda->ends);
    return status == GB_OK ? ceilings->host->device_fill(ceilings->host, cuda->ends, 0xff, bytes)
                           : status;
}

/* Blocks all do the same, and in them each group of n_wanted words. Right words of each block. */
static int32_t check_ends(struct ceilings *ceilings, uint64_t word_bytes, const void *wanted,
                          uint64_t n_wanted)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct gb_host *host = ceilings->host;
    const uint64_t block_bytes = cuda->n_words * word_bytes;
    double *output = host->allocate(host, cuda->n_blocks * sizeof *output);
    double *reference = host->allocate(host, cuda->n_blocks * sizeof *reference);
    unsigned char *ends = host->allocate(host, cuda->n_blocks * block_bytes);
    if (output == NULL || reference == NULL || ends == NULL)
        return GB_NO_MEMORY;
    const int32_t status = host->device_copy(host, ends, cuda->ends, cuda->n_blocks * block_bytes);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < cuda->n_blocks; i++) {
        const unsigned char *block = ends + i * block_bytes;
        uint64_t at = 0; /* in `wanted` */
        for (uint64_t j = 0; j < cuda->n_words; j++) {
            output[i] += memcmp(block + j * word_bytes, (const char *)wanted + at * word_bytes,
                                word_bytes) == 0;
            at = at + 1 < n_wanted ? at + 1 : 0;
        }
        reference[i] = (double)cuda->n_words;
    }
    return check_exactly(ceilings->host, "right ends in each block", GB_F64, cuda->n_blocks, output,
                         reference);
}

/* --- multiply-adds --- */

/* Numbers in a word: two of those with 16 bits. */
static uint32_t numbers_of_word(const struct ceilings *ceilings)
{
    return number_bytes(ceilings->roof->number) == 2 ? 2 : 1;
}

static uint32_t bytes_of_word(const struct ceilings *ceilings)
{
    return number_bytes(ceilings->roof->number) * numbers_of_word(ceilings);
}

static int32_t plan_chains(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    if (ceilings->roof->number == NUMBER_BF16 && cuda->major < 8)
        return ceilings_skip(ceilings, "is for devices of compute capability 8.0 or later");
    cuda->n_blocks = (unsigned)cuda->n_units * CHAIN_BLOCKS;
    cuda->n_threads = THREADS;
    cuda->n_repeats = CHAIN_PAIRS;
    cuda->n_words = THREADS * CHAINS;
    ceilings->flops = 2.0 * 2.0 * (double)CHAIN_PAIRS * numbers_of_word(ceilings) *
                      (double)cuda->n_words * cuda->n_blocks;
    return GB_OK;
}

static void put_number(const struct ceilings *ceilings, void *array, uint64_t i, double value)
{
    const uint32_t bytes = number_bytes(ceilings->roof->number);
    const uint64_t bits = number_bits(ceilings->roof->number, value);
    memcpy((char *)array + i * bytes, &bits,
           bytes); /* the low bytes: all of these are little-endian */
}

/* Where the chains of a warp begin: random, from 1 to 2. */
static int32_t make_starts(const struct ceilings *ceilings, double **ret, uint32_t *ret_n)
{
    const struct gb_host *host = ceilings->host;
    const struct gb_fill fill = {.size = sizeof fill, .format = GB_F64, .low = 1.0, .high = 2.0};
    const uint32_t n = LANES * CHAINS * numbers_of_word(ceilings);
    double *starts = host->allocate(host, n * sizeof *starts);
    const int32_t status = starts != NULL ? host->fill(host, starts, n, &fill) : GB_NO_MEMORY;
    for (uint32_t i = 0; i < n && status == GB_OK; i++)
        starts[i] = rate_round(starts[i], number_digits(ceilings->roof->number));
    *ret = starts;
    *ret_n = n;
    return status;
}

static int32_t upload_chains(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct rate_constants c = rate_constants_for(number_digits(ceilings->roof->number));
    const double constants[] = {c.a, c.b, c.c, c.d};
    const uint32_t in_word = numbers_of_word(ceilings);
    unsigned char words[LANES * CHAINS * sizeof(double)];
    double *starts = NULL;
    uint32_t n = 0;
    int32_t status = make_starts(ceilings, &starts, &n);
    for (uint32_t i = 0; i < n && status == GB_OK; i++)
        put_number(ceilings, words, i, starts[i]);
    if (status == GB_OK)
        status = upload(ceilings, words, (uint64_t)n * number_bytes(ceilings->roof->number),
                        &cuda->starts);
    for (uint32_t i = 0; i < 4 * in_word; i++)
        put_number(ceilings, words, i, constants[i / in_word]);
    return status == GB_OK
               ? upload(ceilings, words, 4 * (uint64_t)bytes_of_word(ceilings), &cuda->constants)
               : status;
}

static int32_t prepare_chains(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    void *arguments[] = {&cuda->starts, &cuda->ends, &cuda->constants, &cuda->n_repeats};
    (void)queue;
    int32_t status = load(ceilings, "fma");
    if (status == GB_OK)
        status = upload_chains(ceilings);
    if (status == GB_OK)
        status = allocate_ends(ceilings, bytes_of_word(ceilings));
    memcpy(cuda->arguments, arguments, sizeof arguments);
    return status;
}

static int32_t verify_chains(struct ceilings *ceilings)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const int digits = number_digits(ceilings->roof->number);
    unsigned char words[LANES * CHAINS * sizeof(double)];
    double *starts = NULL;
    uint32_t n = 0;
    const int32_t status = make_starts(ceilings, &starts, &n);
    if (status != GB_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        put_number(ceilings, words, i,
                   rate_end(starts[i], 2 * (uint64_t)cuda->n_repeats, digits, true));
    return check_ends(ceilings, bytes_of_word(ceilings), words, LANES * CHAINS);
}

const struct cuda_way cuda_chains = {.plan = plan_chains,
                                     .prepare = prepare_chains,
                                     .run = cuda_ceilings_launch,
                                     .verify = verify_chains};

/* --- tensor cores --- */

static int32_t plan_mma(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct fragments fragments = fragments_of(ceilings->roof->number);
    const uint32_t n_warps = THREADS / LANES;
    if (cuda->major < 8)
        return ceilings_skip(ceilings, "with method = mma is for devices of compute capability 8.0 "
                                       "or later");
    if (ceilings->roof->number == NUMBER_FP8 &&
        (cuda->major == 9 || 10 * cuda->major + cuda->minor < 89))
        return ceilings_skip(ceilings, "with method = mma: the device has no such instruction for "
                                       "fp8");
    cuda->n_blocks = (unsigned)cuda->n_units * MMA_BLOCKS;
    cuda->n_threads = THREADS;
    cuda->n_repeats = MMA_PAIRS;
    cuda->n_words = (uint64_t)n_warps * FRAGMENTS_PRODUCTS * LANES * fragments.c_words;
    ceilings->flops = 2.0 * fragments.rows * fragments.columns * fragments.depth *
                      (double)FRAGMENTS_PRODUCTS * (2.0 * (double)MMA_PAIRS + 1.0) * n_warps *
                      cuda->n_blocks;
    return GB_OK;
}

static int32_t prepare_mma(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct fragments fragments = fragments_of(ceilings->roof->number);
    void *words = ceilings->host->allocate(ceilings->host, fragments_bytes(&fragments));
    void *arguments[] = {&cuda->starts, &cuda->ends, &cuda->n_repeats};
    (void)queue;
    if (words == NULL)
        return GB_NO_MEMORY;
    fragments_fill(&fragments, words);
    int32_t status = load(ceilings, "mma");
    if (status == GB_OK)
        status = upload(ceilings, words, fragments_bytes(&fragments), &cuda->starts);
    if (status == GB_OK)
        status = allocate_ends(ceilings, fragments.word_bytes);
    memcpy(cuda->arguments, arguments, sizeof arguments);
    return status;
}

static void put_sum(int32_t number, void *array, uint64_t i, double value)
{
    const int32_t whole = (int32_t)value;
    const float sum = (float)value;
    if (number == NUMBER_FP64)
        memcpy((char *)array + i * sizeof value, &value, sizeof value);
    else if (number == NUMBER_INT8)
        memcpy((char *)array + i * sizeof whole, &whole, sizeof whole);
    else
        memcpy((char *)array + i * sizeof sum, &sum, sizeof sum);
}

static int32_t verify_mma(struct ceilings *ceilings)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct fragments fragments = fragments_of(ceilings->roof->number);
    const uint32_t n = FRAGMENTS_PRODUCTS * LANES * fragments.c_words;
    void *wanted = ceilings->host->allocate(ceilings->host, (uint64_t)n * fragments.word_bytes);
    if (wanted == NULL)
        return GB_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t part = i / fragments.c_words;
        put_sum(fragments.number, wanted, i,
                fragments_end(&fragments, part / LANES, part % LANES, i % fragments.c_words,
                              cuda->n_repeats));
    }
    return check_ends(ceilings, fragments.word_bytes, wanted, n);
}

const struct cuda_way cuda_mma = {
    .plan = plan_mma, .prepare = prepare_mma, .run = cuda_ceilings_launch, .verify = verify_mma};
