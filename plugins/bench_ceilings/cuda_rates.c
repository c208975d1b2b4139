/* cuda_rates.c - rates on CUDA of instructions on registers: multiply-adds of ordinary cores,
 * matrix products of tensor cores. Plugin side. */
#include "ceilings_cuda.h"
#include "fragments.h"
#include "rates.h"

#include "plugins/common/bench_memory.h"

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

/* The kernel, with ends of all blocks that are wrong at first. */
static int32_t prepare_ends(struct ceilings *ceilings, const char *unit, uint64_t word_bytes,
                            int32_t status)
{
    struct cuda_ceilings *cuda = ceilings->own;
    char name[32];
    snprintf(name, sizeof name, "%s_%s", unit, number_names[ceilings->roof->number]);
    if (status == GB_OK)
        status = cuda_ceilings_load(ceilings, name);
    cuda->ends = device_filled(ceilings->host, cuda->launch.columns * cuda->n_words * word_bytes,
                               0xff, &status);
    return status;
}

/* Blocks all do the same, and in them each group of n_wanted words. Right words of each block. */
static int32_t check_ends(struct ceilings *ceilings, uint64_t word_bytes, const void *wanted,
                          uint64_t n_wanted)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const struct gb_host *host = ceilings->host;
    const uint64_t block_bytes = cuda->n_words * word_bytes;
    const uint64_t n_blocks = cuda->launch.columns;
    int32_t status = GB_OK;
    double *output = host_memory(host, n_blocks * sizeof *output, &status);
    double *reference = host_memory(host, n_blocks * sizeof *reference, &status);
    const unsigned char *ends = host_copy_of(host, cuda->ends, n_blocks * block_bytes, &status);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < n_blocks; i++) {
        const unsigned char *block = ends + i * block_bytes;
        uint64_t at = 0; /* in `wanted` */
        for (uint64_t j = 0; j < cuda->n_words; j++) {
            output[i] += memcmp(block + j * word_bytes, (const char *)wanted + at * word_bytes,
                                word_bytes) == 0;
            at = at + 1 < n_wanted ? at + 1 : 0;
        }
        reference[i] = (double)cuda->n_words;
    }
    return check_exactly(host, "right ends in each block", GB_F64, n_blocks, output, reference);
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
    cuda->launch = (struct cuda_launch){
        .columns = (unsigned)cuda->n_units * CHAIN_BLOCKS,
        .threads = THREADS,
        .arguments = {&cuda->starts, &cuda->ends, &cuda->constants, &cuda->n_repeats},
    };
    cuda->n_repeats = CHAIN_PAIRS;
    cuda->n_words = THREADS * CHAINS;
    ceilings->flops = 2.0 * 2.0 * (double)CHAIN_PAIRS * numbers_of_word(ceilings) *
                      (double)cuda->n_words * cuda->launch.columns;
    return GB_OK;
}

static void put_number(const struct ceilings *ceilings, void *array, uint64_t i, double value)
{
    const uint32_t bytes = number_bytes(ceilings->roof->number);
    const uint64_t bits = number_bits(ceilings->roof->number, value);
    memcpy((char *)array + i * bytes, &bits,
           bytes); /* the low bytes: all of these are little-endian */
}

/* How many numbers a warp's chains have. */
static uint32_t n_starts(const struct ceilings *ceilings)
{
    return LANES * CHAINS * numbers_of_word(ceilings);
}

/* Where they begin: random, from 1 to 2. */
static double *make_starts(const struct ceilings *ceilings, int32_t *status)
{
    const struct gb_host *host = ceilings->host;
    const struct gb_fill fill = {.size = sizeof fill, .format = GB_F64, .low = 1.0, .high = 2.0};
    const uint32_t n = n_starts(ceilings);
    double *starts = host_memory(host, n * sizeof *starts, status);
    if (*status == GB_OK)
        *status = host->fill(host, starts, n, &fill);
    for (uint32_t i = 0; i < n && *status == GB_OK; i++)
        starts[i] = rate_round(starts[i], number_digits(ceilings->roof->number));
    return starts;
}

static int32_t prepare_chains(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct gb_host *host = ceilings->host;
    const struct rate_constants c = rate_constants_for(number_digits(ceilings->roof->number));
    const double constants[] = {c.a, c.b, c.c, c.d};
    const uint32_t in_word = numbers_of_word(ceilings), n = n_starts(ceilings);
    unsigned char words[LANES * CHAINS * sizeof(double)];
    int32_t status = GB_OK;
    (void)queue;
    const double *starts = make_starts(ceilings, &status);
    for (uint32_t i = 0; i < n && status == GB_OK; i++)
        put_number(ceilings, words, i, starts[i]);
    cuda->starts = device_copy_of(host, words, n * number_bytes(ceilings->roof->number), &status);
    for (uint32_t i = 0; i < 4 * in_word; i++)
        put_number(ceilings, words, i, constants[i / in_word]);
    cuda->constants = device_copy_of(host, words, 4 * bytes_of_word(ceilings), &status);
    return prepare_ends(ceilings, "fma", bytes_of_word(ceilings), status);
}

static int32_t verify_chains(struct ceilings *ceilings)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    const int digits = number_digits(ceilings->roof->number);
    unsigned char words[LANES * CHAINS * sizeof(double)];
    int32_t status = GB_OK;
    const double *starts = make_starts(ceilings, &status);
    if (status != GB_OK)
        return status;
    for (uint32_t i = 0; i < n_starts(ceilings); i++)
        put_number(ceilings, words, i,
                   rate_end(starts[i], 2 * (uint64_t)cuda->n_repeats, digits, true));
    return check_ends(ceilings, bytes_of_word(ceilings), words, LANES * CHAINS);
}

const struct cuda_way cuda_chains = {
    .plan = plan_chains, .prepare = prepare_chains, .verify = verify_chains};

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
    cuda->launch = (struct cuda_launch){
        .columns = (unsigned)cuda->n_units * MMA_BLOCKS,
        .threads = THREADS,
        .arguments = {&cuda->starts, &cuda->ends, &cuda->n_repeats},
    };
    cuda->n_repeats = MMA_PAIRS;
    cuda->n_words = (uint64_t)n_warps * FRAGMENTS_PRODUCTS * LANES * fragments.c_words;
    ceilings->flops = 2.0 * fragments.rows * fragments.columns * fragments.depth *
                      (double)FRAGMENTS_PRODUCTS * (2.0 * (double)MMA_PAIRS + 1.0) * n_warps *
                      cuda->launch.columns;
    return GB_OK;
}

static int32_t prepare_mma(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct fragments fragments = fragments_of(ceilings->roof->number);
    const uint64_t bytes = fragments_bytes(&fragments);
    int32_t status = GB_OK;
    (void)queue;
    void *words = host_memory(ceilings->host, bytes, &status);
    if (status == GB_OK)
        fragments_fill(&fragments, words);
    cuda->starts = device_copy_of(ceilings->host, words, bytes, &status);
    return prepare_ends(ceilings, "mma", fragments.word_bytes, status);
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

const struct cuda_way cuda_mma = {.plan = plan_mma, .prepare = prepare_mma, .verify = verify_mma};
