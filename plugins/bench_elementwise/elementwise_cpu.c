/* elementwise_cpu.c - see elementwise.h: threads, each with a part of the elements. Plugin side. */
#include "elementwise.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/simd.h"
#include "plugins/common/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* --- the kernels, compiled for several processors --- */

#ifdef __x86_64__
/* Processors with AVX2 have instructions for halves as well. */
#define FOR_AVX2_HALVES __attribute__((target("avx2,fma,f16c")))
#define FOR_AVX512_HALVES __attribute__((target("avx512f,avx2,fma,f16c")))
#endif

enum { TERM_ITSELF, TERM_EXPONENTIAL, TERM_SQUARE };

#define COPY(name, element)                                                                        \
    static void name(struct way_part *part)                                                        \
    {                                                                                              \
        memcpy(part->to, part->a, part->n * sizeof(element));                                      \
    }
COPY(copy, float)
COPY(copy_fp16, uint16_t)
COPY(copy_fp64, double)

#define WAY(what) what##_portable
#define TARGET
#define VECTOR_BYTES 16
#include "ways_formats.h"

#ifdef __x86_64__
#define WAY(what) what##_avx2
#define TARGET FOR_AVX2_HALVES
#define VECTOR_BYTES 32
#define WIDEN_HALVES(at) ((FLOATS)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(at))))
#define NARROW_HALVES(at, floats)                                                                  \
    _mm_storeu_si128((__m128i *)(void *)(at),                                                      \
                     _mm256_cvtps_ph((__m256)(floats), _MM_FROUND_TO_NEAREST_INT))
#include "ways_formats.h"

#define WAY(what) what##_avx512
#define TARGET FOR_AVX512_HALVES
#define VECTOR_BYTES 64
#define WIDEN_HALVES(at) ((FLOATS)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(at))))
/* All lanes: without a mask, GCC 12's is a macro at -O0, with a conversion that it warns of. */
#define NARROW_HALVES(at, floats)                                                                  \
    _mm256_storeu_si256((__m256i *)(void *)(at), _mm512_maskz_cvtps_ph(0xFFFF, (__m512)(floats),   \
                                                                       _MM_FROUND_TO_NEAREST_INT))
#include "ways_formats.h"
#endif

static bool always(void)
{
    return true;
}

#define KERNELS_OF(suffix, copy_)                                                                  \
    {                                                                                              \
        copy_, scale_##suffix, add_##suffix, triad_##suffix, gelu_##suffix, relu_##suffix,         \
            softmax_##suffix, layernorm_##suffix, batchnorm_##suffix, maxpool_##suffix,            \
            sum_##suffix                                                                           \
    }
#define WAYS(way, is_here)                                                                         \
    {                                                                                              \
#way, is_here,                                                                             \
        {                                                                                          \
            KERNELS_OF(fp32_##way, copy), KERNELS_OF(fp16_##way, copy_fp16),                       \
                KERNELS_OF(bf16_##way, copy_fp16), KERNELS_OF(fp64_##way, copy_fp64)               \
        }                                                                                          \
    }

const struct ways ways[] = {
#ifdef __x86_64__
    WAYS(avx512, has_avx512),
    WAYS(avx2, has_avx2),
#endif
    WAYS(portable, always),
};
const uint32_t n_ways = sizeof ways / sizeof ways[0];

static const struct ways *ways_here(void)
{
    uint32_t i = 0;
    while (!ways[i].is_here())
        i++;
    return &ways[i];
}

/* In each block a lane's sum, of the fewest lanes that vectors have, with what is left over, and
 * the four together; sums of blocks are doubles, of at most 16 lanes, and so is what threads add.
 */
uint64_t ways_sum_depth(int32_t dtype, uint64_t n)
{
    const uint64_t lanes = dtype == DTYPE_FP64 ? 2 : 4;
    const uint64_t in_block = WAY_SUM_BLOCK / (4 * lanes) + 4 + 2;
    const uint64_t n_blocks = quotient_up(n, WAY_SUM_BLOCK);
    return in_block + (dtype == DTYPE_FP64 ? n_blocks * 8 : 1);
}

/* --- threads --- */

/* Parts begin at such elements, which are whole cache lines, or at rows. */
enum { GRAIN_VALUES = WAY_SUM_BLOCK };

struct elementwise_cpu {
    struct team *team;
    way_fn *fn;
    uint32_t n_threads;
    uint32_t cpus[TEAM_MAX];
    /* On other cache lines than the next thread's. */
    struct share {
        struct way_part part;
        char apart[128 - sizeof(struct way_part)];
    } shares[TEAM_MAX];
};

static int32_t create(struct elementwise *elementwise)
{
    const struct gb_host *host = elementwise->host;
    struct elementwise_cpu *cpu = elementwise->own;
    if (elementwise->params->block != BLOCK_DEFAULT)
        return host->skip(host, "block is for CUDA: the CPU has no blocks of threads");
    const int32_t status = team_size(host, elementwise->params->threads, cpu->cpus,
                                     &cpu->n_threads);
    if (status == GB_OK && cpu->n_threads > 1)
        take_machine(host);
    return status;
}

/* Number i of n parts of `total`, from where on, in whole grains. */
static uint64_t first_of(uint64_t total, uint64_t grain, uint64_t i, uint64_t n)
{
    return smaller(quotient_up(total, grain) * i / n * grain, total);
}

static const void *input_at(const struct elementwise *elementwise, uint32_t input, uint64_t i)
{
    const char *array = elementwise->inputs[input];
    return array != NULL ? array + i * elementwise->element_bytes : NULL;
}

static void share_out(const struct elementwise *elementwise, struct elementwise_cpu *cpu)
{
    const uint64_t grain = elementwise->kernel->has_rows ? elementwise->row : GRAIN_VALUES;
    const bool is_sum = elementwise->params->kernel == KERNEL_SUM;
    for (uint32_t i = 0; i < cpu->n_threads; i++) {
        const uint64_t first = first_of(elementwise->n, grain, i, cpu->n_threads);
        const uint64_t end = first_of(elementwise->n, grain, i + 1, cpu->n_threads);
        char *to = elementwise->output;
        cpu->shares[i].part = (struct way_part){
            .to = is_sum ? NULL : to + first * elementwise->element_bytes,
            .a = input_at(elementwise, 0, first),
            .b = input_at(elementwise, 1, first),
            .n = end - first,
            .columns = elementwise->columns,
        };
    }
}

static int32_t prepare(struct elementwise *elementwise, const struct gb_queue *queue)
{
    (void)queue;
    struct elementwise_cpu *cpu = elementwise->own;
    const struct params *params = elementwise->params;
    const bool is_sum = params->kernel == KERNEL_SUM;
    cpu->fn = ways_here()->fn[params->dtype][params->kernel];
    elementwise->sum_depth = ways_sum_depth(params->dtype,
                                            is_sum ? elementwise->n : elementwise->columns) +
                             (is_sum && params->dtype == DTYPE_FP64 ? cpu->n_threads : 0);
    share_out(elementwise, cpu);
    return team_open(elementwise->host, cpu->cpus, cpu->n_threads, &cpu->team);
}

static void run_share(void *context, uint32_t thread)
{
    struct elementwise_cpu *cpu = context;
    cpu->fn(&cpu->shares[thread].part);
}

static void add_up(const struct elementwise *elementwise, const struct elementwise_cpu *cpu)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < cpu->n_threads; i++)
        sum += cpu->shares[i].part.sum;
    if (elementwise->output_format == GB_F64)
        *(double *)elementwise->output = sum;
    else
        *(float *)elementwise->output = (float)sum;
}

static int32_t run(const struct elementwise *elementwise, const struct gb_queue *queue,
                   uint64_t iterations)
{
    struct elementwise_cpu *cpu = elementwise->own;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        team_run(cpu->team, run_share, cpu);
        if (elementwise->params->kernel == KERNEL_SUM)
            add_up(elementwise, cpu);
        GB_CLOBBER();
    }
    return GB_OK;
}

static void destroy(void *object)
{
    struct elementwise_cpu *cpu = object;
    team_stop(cpu->team);
}

const struct backend elementwise_cpu = {
    .own_bytes = sizeof(struct elementwise_cpu),
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
