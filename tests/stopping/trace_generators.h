/*
 * trace_generators.h - samples as machines make them, from a seed: families of traces for the proof
 * of stopping policies.
 *
 * A sample's time is T x a level that changes with wall time x noise, read on a timer with steps;
 * wall time goes on by the sample's own time and an overhead. A trace is a function of (family, T,
 * overhead, seed, replication) alone and is made as far as it is asked for, the same bits in
 * every build.
 *
 * Only additions, multiplications, divisions and square roots are used, each of which IEEE 754
 * rounds in one way, and never a function of libm, whose last bit depends on library and processor.
 * Programs that include it are compiled with -ffp-contract=off for the same reason.
 */
#pragma once

#include <gbrun/policy.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- random numbers --- */

/* xoshiro256++ (Blackman, Vigna: Scrambled linear pseudorandom number generators, 2021). */
struct trace_random {
    uint64_t state[4];
};

/* Independent for each (seed, stream, index). */
void trace_random_begin(struct trace_random *random, uint64_t seed, uint64_t stream,
                        uint64_t index);

static inline uint64_t trace_rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline uint64_t trace_bits(struct trace_random *random)
{
    uint64_t *s = random->state, ret = trace_rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = trace_rotate(s[3], 45);
    return ret;
}

/* In (0, 1), never an end. */
static inline double trace_uniform(struct trace_random *random)
{
    return ((double)(trace_bits(random) >> 12) + 0.5) * 0x1p-52;
}

/* Standard normal: the quantile of a uniform number (Wichura: Algorithm AS 241, PPND16, 1988). */
double trace_normal(struct trace_random *random);

/* Natural logarithm of a positive, normal number, and exponential within +-700: to some 1e-15. */
static inline double trace_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    if (x > 1.4142135623730951) {
        x *= 0.5;
        exponent++;
    }
    /* 2 artanh(z), |z| < 0.172 */
    double z = (x - 1) / (x + 1), w = z * z, sum = 0;
    for (int i = 19; i >= 1; i -= 2)
        sum = sum * w + 1.0 / i;
    return exponent * 0.6931471805599453 + 2 * z * sum;
}

static inline double trace_exp(double x)
{
    double scaled = x * 1.4426950408889634, power = scaled < 0 ? scaled - 0.5 : scaled + 0.5;
    int64_t n = (int64_t)power;
    double r = (x - (double)n * 0.693147180369123816490) - (double)n * 1.90821492927058770002e-10;
    static const double factorials[14] = {
        6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1};
    double sum = 0;
    for (int i = 0; i < 14; i++)
        sum = sum * r + 1.0 / factorials[i];
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return sum * factor;
}

/* Mean 1. */
static inline double trace_exponential(struct trace_random *random)
{
    return -trace_log(trace_uniform(random));
}

/* The sine of a whole turn times x. */
double trace_sine_turns(double x);

/* --- traces --- */

/* What is asked of a policy on a family depends on it. */
enum {
    TRACE_STATIONARY,
    TRACE_CORRELATED,
    TRACE_RAMP, /* or a step */
    TRACE_MODES,
    TRACE_TICK,
    TRACE_REGIME,
    TRACE_CLASSES
};

enum {
    TRACE_HELD_OUT = 1,      /* no page of the design names it */
    TRACE_UNIMODAL = 2,      /* a policy that says multimodal is wrong */
    TRACE_MULTIMODAL = 4,    /* one that does not is */
    TRACE_HAS_CLOCK = 8,     /* clock_hz follows the level */
    TRACE_HAS_THROTTLE = 16, /* throttle bits are set while the level is above 1 */
    TRACE_DITHERED = 32,     /* the samples say that the timer's phase is uniform */
    TRACE_LONG_MEMORY = 64,  /* moves over any time as much as over a shorter one: no visit shows
                                how far it will have moved after the next */
};

enum { TRACE_PARAMETERS = 5, TRACE_MODES_MAX = 5, TRACE_PARTS = 4 };

struct trace;
typedef double trace_factor_fn(struct trace *trace, const double *numbers);

struct trace_family {
    const char *name;
    const char *words; /* what it does, with its numbers */
    int class;
    int flags;
    double time_ns; /* T that it has; 0: any */
    double tick_ns;
    double phase_dwell_ns; /* how long the timer's phase stays; 0: each sample has its own */
    /* The factor of one sample, and the factor that holds at its start. NULL: 1. */
    trace_factor_fn *noise;
    double noise_parameters[TRACE_PARAMETERS];
    trace_factor_fn *level;
    double level_parameters[TRACE_PARAMETERS];
    double cycle_ns, cycle_samples; /* from one entry of a regime to the next, one or the other */
    double settled_ns;              /* wall time after which it is within 1 % of what its
                              median is of */
    double median_factor;           /* true median over T, by theory; 0: found by simulation */
    double modes[TRACE_MODES_MAX];  /* true medians of the modes over T, 0: no further */
};

extern const struct trace_family trace_families[];
extern const size_t n_trace_families;
const struct trace_family *trace_family_named(const char *name); /* NULL: none */

struct trace_setting {
    const struct trace_family *family;
    double time_ns, overhead_ns;
};

/* Noise and levels, for families elsewhere; their numbers stand at each in trace_families.c. */
trace_factor_fn trace_normal_noise, trace_autoregressive, trace_ramp, trace_regimes;

/* Zero-initialize; trace_begin starts another one in the same memory. */
struct trace {
    struct trace_setting setting;
    struct trace_random random;
    double elapsed_ns;                  /* end of the last sample */
    double state;                       /* of the noise */
    double level_state, level_until_ns; /* of the level */
    double hidden_ns, load_ns;          /* see trace_load */
    double begun_ns;                    /* of a visit (visits.h): time of its world, */
    uint64_t process;                   /*   its process, */
    uint64_t world;                     /*   and which that is */
    double parts[TRACE_PARTS];          /* of a level that is a sum */
    int n_parts;
    double phase, phase_until_ns;
    /* When it first went to another level, and back; infinite: not yet; NaN: it never does. */
    double changed_ns, returned_ns;
    /* Of the samples: clock_hz and throttle are seen, GB_SAMPLES_... and resolution. */
    bool has_clock, has_throttle;
    uint32_t traits;
    double tick_ns;
    uint64_t n, capacity; /* samples there are, and fit in */
    double *time_ns, *sample_elapsed_ns, *clock_hz;
    uint64_t *throttle, *iterations;
    uint32_t *flags;
};

/* Whether its regimes do not come six times in the 15 s of a visit, as often as a policy must have
 * seen a mode: rounds have to see them. */
bool trace_needs_rounds(const struct trace_setting *setting);

void trace_begin(struct trace *trace, const struct trace_setting *setting, uint64_t seed,
                 uint64_t replication);
/* Of a trace that has just begun: other cases have had its first second, and it is what follows.
 * Its level is that of the device's clock, which is seen; load_ns is that second if it stayed. */
void trace_load(struct trace *trace);
void trace_reserve(struct trace *trace, uint64_t n); /* room, for one iteration each */
/* Makes samples until there are at least n; more than are asked for, so that it is called seldom.
 */
void trace_extend(struct trace *trace, uint64_t n);
/* The samples from `first` on, n of them, which must be there. */
struct gb_samples trace_part(const struct trace *trace, uint64_t first, uint64_t n);
/* All of them from there on, as if it had begun there. elapsed_ns is the caller's array, of as many
 * values. */
struct gb_samples trace_from(const struct trace *trace, uint64_t first, double *elapsed_ns);
void trace_free(struct trace *trace);
