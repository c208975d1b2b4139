/*
 * rates.h - multiply-adds in registers: as many chains as keep the CPU's units busy, and what comes
 * out of them. Plugin side.
 *
 * A step is x = a x + b, the next one x = c x + d. c is nearly 1 / a, so that x neither grows nor
 * settles: all its digits change with each step, and its last value shows how many there were.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RATES_CHAINS_MAX = 24 * 16 }; /* chains times lanes */

struct rate_constants {
    double a, b, c, d;
};

struct rate_way {
    const char *name;
    int32_t number, unit; /* NUMBER_FP64 or NUMBER_FP32; UNIT_SCALAR or UNIT_FMA */
    uint32_t n_chains;    /* lanes counted */
    bool is_fused;        /* a step is rounded once */
    bool (*is_here)(void);
    /* n_chains numbers each; n_steps is even. */
    void (*run)(const struct rate_constants *constants, const void *start, void *end,
                uint64_t n_steps);
};

extern const struct rate_way rate_ways[];
extern const uint32_t n_rate_ways;

/* The best way that is here; NULL: this type and unit are not for CPUs. */
const struct rate_way *rate_way_here(int32_t number, int32_t unit);

/* Rounded to 53, 24 or fewer bits of significand, to nearest, ties to even; for values that are
 * neither too large nor too small for the type. */
double rate_round(double value, int digits);

/* The constants as numbers with so many bits: 53, 24, 11 or 8. */
struct rate_constants rate_constants_for(int digits);

/* Where a chain ends that starts at x, a number with so many bits. */
double rate_end(double x, uint64_t n_steps, int digits, bool is_fused);
