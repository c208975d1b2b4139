/* verify_pass_avx2.c - verify_pass.h for AVX2, FMA and F16C. */
#if defined(__x86_64__)

#include <immintrin.h>

#include <string.h>

/* _mm_loadu_si32, which GCC has since 11. */
static inline __attribute__((target("avx2"))) __m128i bytes_4(const void *address)
{
    int bytes;
    memcpy(&bytes, address, sizeof bytes);
    return _mm_cvtsi32_si128(bytes);
}

#define PASS_LANES 4
#define PASS_TABLE verify_passes_avx2
#define PASS_FUNCTION __attribute__((target("avx2,fma,f16c,popcnt")))
#define vector __m256d
#define mask __m256d
#define counts __m256i

#define SET_ALL(number) _mm256_set1_pd(number)
#define BITS_ALL(bits) _mm256_set1_epi64x((long long)(bits))
#define LOAD(address) _mm256_loadu_pd((const double *)(const void *)(address))
#define STORE(address, a) _mm256_storeu_pd(address, a)
#define STORE_COUNTS(address, a) _mm256_storeu_si256((__m256i_u *)(void *)(address), a)
#define ADD(a, b) _mm256_add_pd(a, b)
#define SUB(a, b) _mm256_sub_pd(a, b)
#define MUL(a, b) product_of(a, b)
#define DIV(a, b) _mm256_div_pd(a, b)
#define ABS(a) _mm256_and_pd(a, _mm256_castsi256_pd(BITS_ALL(INT64_MAX)))
#define MAX(a, b) _mm256_max_pd(a, b)
#define MIN(a, b) _mm256_min_pd(a, b)
#define MAX_ABS(a, b) MAX(a, ABS(b))
#define LIFTER(a, bits, add)                                                                       \
    _mm256_castsi256_pd(                                                                           \
        _mm256_add_epi64(_mm256_and_si256(_mm256_castpd_si256(a), BITS_ALL(bits)), BITS_ALL(add)))
#define GREATER(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define AT_LEAST(a, b) _mm256_cmp_pd(a, b, _CMP_GE_OQ)
#define BOTH(m, n) _mm256_and_pd(m, n)
/* Differences have the signs wanted: a difference of 0 is +0, whatever a and b. */
#define OVER(d, a) _mm256_sub_pd(a, d)
#define OVER_EXACT(d, a, b) _mm256_fmsub_pd(a, b, d)
#define OVER_PRODUCT(d, a, b) _mm256_fmsub_pd(a, b, d)
#define MAY_EXCEED_SUM(d, a, b, x, y) _mm256_fmadd_pd(a, b, _mm256_fmsub_pd(x, y, d))
#define EITHER(a, b) _mm256_or_pd(a, b)
#define ANY_SIGN(a) (_mm256_movemask_pd(a) != 0)
#define PICK(m, a, b) _mm256_blendv_pd(b, a, m)
#define NO_COUNTS _mm256_setzero_si256()
#define COUNT(n, m) _mm256_sub_epi64(n, _mm256_castpd_si256(m))
#define BITS(m) (unsigned)_mm256_movemask_pd(m)
/* By the high words: as unsigned integers, NaN and negative numbers are above all others. */
#define OUT_OF_RANGE(s, a) _mm256_max_epu32(s, _mm256_castpd_si256(a))
#define IS_OUT_OF_RANGE(s)                                                                         \
    ANY_SIGN(                                                                                      \
        _mm256_castsi256_pd(_mm256_cmpgt_epi32(_mm256_xor_si256(s, _mm256_set1_epi32(INT32_MIN)),  \
                                               _mm256_set1_epi32(INT32_MIN ^ 0x78300000))))
#define BYTES_4(address) bytes_4(address)
#define BYTES_8(address) _mm_loadl_epi64((const __m128i_u *)(const void *)(address))
#define BYTES_16(address) _mm_loadu_si128((const __m128i_u *)(const void *)(address))
#define floats __m256
#define FLOATS 8
#define float_codes __m256i
#define FLOATS_OF(codes) _mm256_castsi256_ps(codes)
#define NO_FLOATS _mm256_setzero_si256()
#define STORE_FLOATS(address, a) _mm256_storeu_ps(address, a)
#define MAX_ABS_FLOATS(a, b)                                                                       \
    _mm256_max_epi32(a, _mm256_and_si256(_mm256_castps_si256(b), _mm256_set1_epi32(INT32_MAX)))
#define FLOATS_F16(address) _mm256_cvtph_ps(BYTES_16(address))
#define FLOATS_BF16(address)                                                                       \
    _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(BYTES_16(address)), 16))
#define FLOATS_E5M2(address) _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(BYTES_8(address)), 8))
/* As fp16 with the exponent's bias of e4m3; the code of NaN becomes 480, above all others. */
#define E4M3_CODES(address)                                                                        \
    _mm_srai_epi16(_mm_slli_epi16(_mm_cvtepu8_epi16(BYTES_8(address)), 8), 1)
#define FLOATS_E4M3(address)                                                                       \
    _mm256_mul_ps(                                                                                 \
        _mm256_cvtph_ps(_mm_and_si128(E4M3_CODES(address), _mm_set1_epi16((short)0xBFFF))),        \
        _mm256_set1_ps(256))
#define LOAD_I8(address) _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(BYTES_4(address)))
#define LOAD_I32(address)                                                                          \
    _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i_u *)(const void *)(address)))
#define LOAD_F32(address) _mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)(address)))

/* Rounded, whatever it is added to afterwards: a compiler would fuse the two. */
PASS_FUNCTION static inline __m256d product_of(__m256d a, __m256d b)
{
    __m256d product = _mm256_mul_pd(a, b);
    __asm__("" : "+x"(product));
    return product;
}

#include "core/verify/verify_pass_body.h"

#endif
