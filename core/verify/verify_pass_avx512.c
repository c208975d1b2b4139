/* verify_pass_avx512.c - verify_pass.h for AVX-512 (F, DQ). */
#if defined(__x86_64__)

#include <immintrin.h>

#define PASS_LANES 8
#define PASS_TABLE verify_passes_avx512
#define PASS_FUNCTION __attribute__((target("avx512f,avx512dq,f16c,popcnt")))
#define vector __m512d
#define mask __mmask8
#define counts __m512i

#define SET_ALL(number) _mm512_set1_pd(number)
#define BITS_ALL(bits) _mm512_set1_epi64((long long)(bits))
#define LOAD(address) _mm512_loadu_pd(address)
#define STORE(address, a) _mm512_storeu_pd(address, a)
#define STORE_COUNTS(address, a) _mm512_storeu_si512(address, a)
#define ADD(a, b) _mm512_add_pd(a, b)
#define SUB(a, b) _mm512_sub_pd(a, b)
#define MUL(a, b) product_of(a, b)
#define DIV(a, b) _mm512_div_pd(a, b)
#define ABS(a) _mm512_abs_pd(a)
#define MAX(a, b) _mm512_max_pd(a, b)
#define MIN(a, b) _mm512_min_pd(a, b)
#define MAX_ABS(a, b) larger_magnitude(a, b)
#define LIFTER(a, bits, add)                                                                       \
    _mm512_castsi512_pd(                                                                           \
        _mm512_add_epi64(_mm512_and_si512(_mm512_castpd_si512(a), BITS_ALL(bits)), BITS_ALL(add)))
#define GREATER(a, b) _mm512_cmplt_pd_mask(b, a)
#define AT_LEAST(a, b) _mm512_cmple_pd_mask(b, a)
#define BOTH(m, n) (__mmask8)((m) & (n))
/* Differences have the signs wanted: a difference of 0 is +0, whatever a and b. */
#define OVER(d, a) _mm512_sub_pd(a, d)
#define OVER_EXACT(d, a, b) _mm512_fmsub_pd(a, b, d)
#define OVER_PRODUCT(d, a, b) _mm512_fmsub_pd(a, b, d)
#define MAY_EXCEED_SUM(d, a, b, x, y) _mm512_fmadd_pd(a, b, _mm512_fmsub_pd(x, y, d))
#define EITHER(a, b) _mm512_or_pd(a, b)
#define ANY_SIGN(a) (_mm512_movepi64_mask(_mm512_castpd_si512(a)) != 0)
#define PICK(m, a, b) _mm512_mask_blend_pd(m, b, a)
#define NO_COUNTS _mm512_setzero_si512()
#define COUNT(n, m) _mm512_mask_sub_epi64(n, m, n, _mm512_set1_epi64(-1))
#define BITS(m) (unsigned)(m)
/* As unsigned integers, NaN and negative numbers are above all others. */
#define OUT_OF_RANGE(s, a) _mm512_max_epu64(s, _mm512_castpd_si512(a))
#define IS_OUT_OF_RANGE(s)                                                                         \
    (_mm512_cmpgt_epu64_mask(s, _mm512_castpd_si512(SET_ALL(OUT_OF_RANGE_ABOVE))) != 0)
#define LOAD_F16(address)                                                                          \
    _mm512_cvtps_pd(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)(const void *)(address))))
#define LOAD_BF16(address)                                                                         \
    _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_slli_epi32(                                         \
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)(const void *)(address))), 16)))
#define BYTES_8(address) _mm_loadl_epi64((const __m128i_u *)(const void *)(address))
#define HALVES(codes) _mm512_cvtps_pd(_mm256_cvtph_ps(codes))
#define LOAD_E5M2(address) HALVES(_mm_slli_epi16(_mm_cvtepu8_epi16(BYTES_8(address)), 8))
/* As fp16 with the exponent's bias of e4m3; the code of NaN becomes 480, above all others. */
#define E4M3_CODES(address)                                                                        \
    _mm_srai_epi16(_mm_slli_epi16(_mm_cvtepu8_epi16(BYTES_8(address)), 8), 1)
#define LOAD_E4M3(address)                                                                         \
    MUL(HALVES(_mm_and_si128(E4M3_CODES(address), _mm_set1_epi16((short)0xBFFF))), SET_ALL(256))
#define LOAD_I8(address) _mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(BYTES_8(address)))
#define LOAD_I32(address)                                                                          \
    _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i_u *)(const void *)(address)))
#define LOAD_F32(address) _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)(address)))

/* Rounded, whatever it is added to afterwards: a compiler would fuse the two. */
PASS_FUNCTION static inline __m512d product_of(__m512d a, __m512d b)
{
    __m512d product = _mm512_mul_pd(a, b);
    __asm__("" : "+v"(product));
    return product;
}

/* Without optimization the header has macros, and in this one a conversion that GCC warns of. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
PASS_FUNCTION static inline __m512d larger_magnitude(__m512d a, __m512d b)
{
    enum { LARGER_MAGNITUDE = 3, POSITIVE = 2 << 2 };
    return _mm512_range_pd(a, b, LARGER_MAGNITUDE | POSITIVE);
}
#pragma GCC diagnostic pop

#include "core/verify/verify_pass_body.h"

#endif
