/*
 * roofline.h - what bounds a case: the roofline model (Williams, Waterman, Patterson: "Roofline: an
 * insightful visual performance model for multicore architectures", CACM 52 (4), 2009).
 *
 *   time = max(bytes / bandwidth, operations / rate)    as if both overlapped perfectly
 *   a case is math-bound if operations / bytes > rate / bandwidth, the ridge point
 *
 * Roofs are measured by the benchmark `ceilings` and have its names: LEVEL_ACCESS is a bandwidth in
 * bytes/s (dram_copy, l2_read), FORMAT_UNIT a rate in operations/s (fp32_fma, bf16_tensor).
 */
#pragma once

#include <gbrun/bench.h>
#include <stdbool.h>

struct roof {
    const char *name;
    double rate;      /* bytes/s or operations/s; finite, above 0 */
    bool is_doubtful; /* what measured it was not certified, or disturbed */
};

struct roofs {
    struct roof *items; /* each name once */
    size_t n;
};

enum { BOUND_UNKNOWN, BOUND_MEMORY, BOUND_MATH, BOUND_LATENCY };
const char *bound_word(int bound); /* "memory-bound" ...; NULL: unknown */

/* Where a case stands under its roofs. What is not known is NaN or NULL. */
struct roofline {
    double intensity;          /* operations a byte; NaN unless both are declared */
    const struct roof *memory; /* what its bytes are compared with */
    const struct roof *math;   /* what its operations are compared with */
    double ridge;              /* operations a byte: math over memory */
    int bound;                 /* BOUND_... */
    const struct roof *roof;   /* the one that gives model_ns */
    double model_ns;           /* of an iteration */
};

/* Where the bytes of a case are. LEVEL_LAST: in the last cache, whichever that is. */
enum { LEVEL_DRAM, LEVEL_LAST, LEVEL_L3, LEVEL_L2, LEVEL_L1, LEVELS };

/*
 * Bytes are compared with the bandwidth of their level (LEVEL_LAST: l3 where there are roofs of it,
 * else l2), or, where none was measured, of the next outer level: of those measured the one whose
 * share of writes (read 0, triad 1/3, copy 1/2, write 1) is nearest to the work's; of two as near
 * the one with fewer writes. Operations are compared with the rate of the format and unit that the
 * work names, or else not at all: no rate is guessed. Where both are declared and one roof is not
 * known, the other gives model_ns, but the bound is unknown. Amounts that are not finite and above
 * 0 are not declared.
 */
void roofline_of(const struct roofs *roofs, const struct gb_work *work, int level,
                 struct roofline *ret);

/* The roof of that name, or NULL. */
const struct roof *roof_named(const struct roofs *roofs, const char *name);
/* Is it a bandwidth? False: a rate of operations. */
bool roof_is_memory(const char *name);

/* Words that are stored for work->math_unit: "vector"; "" for 0 and what is unknown. */
const char *math_unit_word(uint32_t unit);
uint32_t math_unit_named(const char *word); /* 0: none of them */
/* Likewise for work->math_format: "fp32". */
const char *math_format_word(uint32_t format);
uint32_t math_format_named(const char *word);
