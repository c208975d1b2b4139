/* sha256_digest.c - see sha256_digest.h. */
#include "sha256_digest.h"

#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* FIPS 180-4, 4.2.2: fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8 };

static uint32_t rotate_right(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static void expand(const uint8_t block[BLOCK_BYTES], uint32_t schedule[64])
{
    for (size_t t = 0; t < 16; t++, block += 4)
        schedule[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
                      (uint32_t)block[2] << 8 | block[3];
    for (size_t t = 16; t < 64; t++) {
        uint32_t x = schedule[t - 15], y = schedule[t - 2];
        uint32_t small0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
        uint32_t small1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10;
        schedule[t] = schedule[t - 16] + small0 + schedule[t - 7] + small1;
    }
}

/* FIPS 180-4, 6.2.2; letters as there. */
static void compress(uint32_t state[8], const uint8_t block[BLOCK_BYTES])
{
    uint32_t schedule[64];
    expand(block, schedule);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t t = 0; t < 64; t++) {
        uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + round_constants[t] + schedule[t];
        uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t change[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++)
        state[i] += change[i];
}

#ifdef __x86_64__
/* As compress(), by the instructions that processors have for it: modules are hashed in each
 * process that loads them. */
__attribute__((target("sha,sse4.1"))) static void compress_fast(uint32_t state[8],
                                                                const uint8_t block[BLOCK_BYTES])
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i *const whole = (__m128i *)(void *)state, words[4];
    const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(whole), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(whole + 1), 0x1b);
    const __m128i abef_before = _mm_alignr_epi8(cdab, efgh, 8);
    const __m128i cdgh_before = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i abef = abef_before, cdgh = cdgh_before;
    for (size_t t = 0; t < 16; t++) {
        __m128i *const four = &words[t % 4];
        if (t < 4) {
            *four = _mm_loadu_si128((const __m128i *)(const void *)block + t);
            *four = _mm_shuffle_epi8(*four, big_endian);
        } else {
            const __m128i last = words[(t + 3) % 4];
            *four = _mm_sha256msg1_epu32(*four, words[(t + 1) % 4]);
            *four = _mm_add_epi32(*four, _mm_alignr_epi8(last, words[(t + 2) % 4], 4));
            *four = _mm_sha256msg2_epu32(*four, last);
        }
        const __m128i sum = _mm_add_epi32(
            *four, _mm_loadu_si128((const __m128i *)(const void *)round_constants + t));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
    _mm_storeu_si128(whole, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(whole + 1, _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_sha(void)
{
    static int known; /* 1: no, 2: yes; asking is slow in a virtual machine */
    unsigned a, b = 0, c, d;
    if (known == 0)
        known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA ? 2 : 1;
    return known == 2;
}
#endif

/* One of many blocks in a row; those that are filled piece by piece are left to compress(). */
static void compress_next(uint32_t state[8], const uint8_t block[BLOCK_BYTES])
{
#ifdef __x86_64__
    if (has_sha()) {
        compress_fast(state, block);
        return;
    }
#endif
    compress(state, block);
}

void sha256_begin(struct sha256 *hash)
{
    *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                      0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *hash, const void *data, size_t n)
{
    const uint8_t *bytes = data;
    size_t used = (size_t)(hash->n_bytes % BLOCK_BYTES);
    hash->n_bytes += n;
    while (n > 0) {
        if (used == 0 && n >= BLOCK_BYTES) {
            compress_next(hash->state, bytes);
            bytes += BLOCK_BYTES;
            n -= BLOCK_BYTES;
            continue;
        }
        size_t taken = n < BLOCK_BYTES - used ? n : BLOCK_BYTES - used;
        memcpy(hash->block + used, bytes, taken);
        used += taken;
        bytes += taken;
        n -= taken;
        if (used == BLOCK_BYTES) {
            compress(hash->state, hash->block);
            used = 0;
        }
    }
}

void sha256_end(struct sha256 *hash, uint8_t ret_digest[SHA256_BYTES])
{
    static const uint8_t padding[BLOCK_BYTES] = {0x80};
    uint64_t n_bits = hash->n_bytes * 8;
    size_t used = (size_t)(hash->n_bytes % BLOCK_BYTES);
    size_t room = BLOCK_BYTES - LENGTH_BYTES;
    sha256_add(hash, padding, used < room ? room - used : BLOCK_BYTES + room - used);
    uint8_t length[LENGTH_BYTES];
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        length[i] = (uint8_t)(n_bits >> (56 - 8 * i));
    sha256_add(hash, length, sizeof length);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        ret_digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
