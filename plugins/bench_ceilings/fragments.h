/*
 * fragments.h - the matrices that tensor cores multiply in registers, as the words that each lane
 * of a warp gives to the instruction, and what must come out. Plugin side.
 *
 * C_j = n (A0 + A1) B_j + A0 B_j. Elements are random whole numbers with about as many digits as
 * the type has, A1 = E - A0 with a single 1 in each row of E: sums stay so small that they are
 * exact, and yet count n. The sums of fp8 have few digits on some devices: there E = 0.
 *
 * Where elements lie is specified by the PTX ISA, "Matrix Fragments for mma.m16n8k8/k16/k32" and,
 * for fp64, "mma.m8n8k4".
 */
#pragma once

#include <stdint.h>

enum { FRAGMENTS_PRODUCTS = 8, FRAGMENTS_LANES = 32 }; /* B_0 to B_7 */

struct fragments {
    int32_t number;                     /* NUMBER_... of roofs.h */
    uint32_t rows, depth, columns;      /* of A; of sums; of B and C */
    uint32_t a_words, b_words, c_words; /* of a lane */
    uint32_t word_bytes;                /* 4, fp64: 8; of C, too */
};

/* All types but fp32. */
struct fragments fragments_of(int32_t number);

/* Bytes of A0, A1 and then all B, lane by lane; and the words themselves. */
uint64_t fragments_bytes(const struct fragments *fragments);
void fragments_fill(const struct fragments *fragments, void *words);

/* Word `word` of a lane's part of C_j after n pairs. */
double fragments_end(const struct fragments *fragments, uint32_t j, uint32_t lane, uint32_t word,
                     uint32_t n_pairs);

/* Elements: whole numbers. which: 0 or 1. */
int64_t fragments_a(const struct fragments *fragments, uint32_t which, uint32_t row, uint32_t k);
int64_t fragments_b(const struct fragments *fragments, uint32_t j, uint32_t k, uint32_t column);

/* --- numbers of the types whose rates are measured, as their bits --- */

/* Of a NUMBER_... of roofs.h; fp8 is e4m3. */
uint32_t number_bytes(int32_t number);
int number_digits(int32_t number); /* of the significand, the hidden one included; int8: 0 */

/* The bits of a value that the type has exactly: 0, a normal number, a whole number for int8. */
uint64_t number_bits(int32_t number, double value);

/* Random bits: the last step of MurmurHash3 (Appleby, 2011). */
uint32_t number_scramble(uint32_t x);
