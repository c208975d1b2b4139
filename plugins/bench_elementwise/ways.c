/* ways.c - see elementwise.h. Plugin side. */
#include "elementwise.h"

#include "plugins/common/simd.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
/* Processors with AVX2 have instructions for halves as well. */
#define FOR_AVX2_HALVES __attribute__((target("avx2,fma,f16c")))
#define FOR_AVX512_HALVES __attribute__((target("avx512f,avx2,fma,f16c")))
#endif

enum { TERM_ITSELF, TERM_EXPONENTIAL, TERM_SQUARE };

static void copy(struct way_part *part)
{
    memcpy(part->to, part->a, part->n * sizeof(uint32_t));
}

static void copy_fp16(struct way_part *part)
{
    memcpy(part->to, part->a, part->n * sizeof(uint16_t));
}

static void copy_fp64(struct way_part *part)
{
    memcpy(part->to, part->a, part->n * sizeof(double));
}

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

const struct ways *ways_here(void)
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
    const uint64_t n_blocks = (n + WAY_SUM_BLOCK - 1) / WAY_SUM_BLOCK;
    return in_block + (dtype == DTYPE_FP64 ? n_blocks * 8 : 1);
}
