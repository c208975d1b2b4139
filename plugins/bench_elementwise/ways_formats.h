/*
 * ways_formats.h - all kernels for one processor, included once for each. Plugin side.
 *
 * Takes WAY(what), the name of what, TARGET, VECTOR_BYTES, and WIDEN_HALVES(at) and
 * NARROW_HALVES(at, floats), if the processor has instructions for that; undefines them all.
 */
typedef float WAY(floats) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t WAY(words) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t WAY(halves) __attribute__((vector_size(VECTOR_BYTES / 2)));
#define FLOATS WAY(floats)
#define WORDS WAY(words)

EVERYWHERE TARGET WORDS WAY(load_words)(const void *at)
{
    const WAY(halves) halves = ((const UNALIGNED(uint16_t, VECTOR_BYTES / 2) *)at)->vector;
    return __builtin_convertvector(halves, WORDS);
}

EVERYWHERE TARGET void WAY(store_words)(void *at, WORDS words)
{
    ((UNALIGNED(uint16_t, VECTOR_BYTES / 2) *)at)->vector = __builtin_convertvector(words,
                                                                                    WAY(halves));
}

#ifndef WIDEN_HALVES
/* The exponent's bias is 15, that of a float 127; subnormal numbers come right by the product. */
EVERYWHERE TARGET FLOATS WAY(widen_halves)(const void *at)
{
    const WORDS words = WAY(load_words)(at);
    const FLOATS magnitude = (FLOATS)((words & 0x7fff) << 13) * 0x1p112f;
    return (FLOATS)((WORDS)magnitude | (words & 0x8000) << 16);
}

/* To nearest, ties to even. Below 2^-14 the unit in the last place is that of 0.5 as a float. What
 * is 65520 or more, which these kernels do not make, is left out. */
EVERYWHERE TARGET void WAY(narrow_halves)(void *at, FLOATS x)
{
    const WORDS sign = (WORDS)x & 0x80000000;
    const WORDS magnitude = (WORDS)x ^ sign;
    const WORDS is_normal = (WORDS)(magnitude >= 0x38800000);
    const WORDS normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const WORDS subnormal = (WORDS)((FLOATS)magnitude + 0.5f) - 0x3f000000;
    WAY(store_words)(at, (normal & is_normal) | (subnormal & ~is_normal) | sign >> 16);
}
#define WIDEN_HALVES(at) WAY(widen_halves)(at)
#define NARROW_HALVES(at, floats) WAY(narrow_halves)(at, floats)
#endif

EVERYWHERE TARGET void WAY(narrow_brain)(void *at, FLOATS x)
{
    const WORDS words = (WORDS)x;
    WAY(store_words)(at, (words + 0x7fff + (words >> 16 & 1)) >> 16);
}

#define NAME(what) WAY(what##_fp32)
#define STORED float
#define WIDEN(at) (((const UNALIGNED(float, VECTOR_BYTES) *)(at))->vector)
#define NARROW(at, numbers) ((void)(((UNALIGNED(float, VECTOR_BYTES) *)(at))->vector = (numbers)))
#include "ways_float.h"

#define NAME(what) WAY(what##_fp16)
#define STORED uint16_t
#define WIDEN(at) WIDEN_HALVES(at)
#define NARROW(at, numbers) NARROW_HALVES(at, numbers)
#include "ways_float.h"

#define NAME(what) WAY(what##_bf16)
#define STORED uint16_t
#define WIDEN(at) ((FLOATS)(WAY(load_words)(at) << 16))
#define NARROW(at, numbers) WAY(narrow_brain)(at, numbers)
#include "ways_float.h"

#define NAME(what) WAY(what##_fp64)
#include "ways_double.h"

#undef FLOATS
#undef WORDS
#undef WAY
#undef TARGET
#undef VECTOR_BYTES
#undef WIDEN_HALVES
#undef NARROW_HALVES
