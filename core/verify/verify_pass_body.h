/*
 * verify_pass_body.h - the passes of verify_pass.h, written once.
 *
 * Included by verify_pass_portable.c, verify_pass_avx2.c and verify_pass_avx512.c, which define
 * before:
 *   PASS_LANES         numbers in a register
 *   vector, mask, counts   types: the numbers, what a comparison gives, 64-bit integers
 *   PASS_FUNCTION      attributes of functions in that instruction set
 *   SET_ALL LOAD STORE STORE_COUNTS ADD SUB MUL DIV ABS MAX MIN
 *   MAX_ABS(a, b)      max(a, |b|) for a >= 0
 *   LIFTER(a, bits, add)   (a & bits) + add, as integers
 *   GREATER AT_LEAST   comparisons; BOTH: of masks; PICK(m, a, b): by lane
 *   OVER(d, a)         sign bit set where d > a
 *   OVER_EXACT(d, a, b), OVER_PRODUCT(d, a, b)
 *                      sign bit set where d > a b, d >= 0, b >= 0, or where a < 0; for d not 0 may
 *                      be set also where both are equal to the last bit; a b fits a double exactly
 *                      in the first
 *   EITHER, ANY_SIGN   of sign bits
 *   COUNT(n, m)        n + 1 where m
 *   BITS(m)            where it pays: a bit for each lane of a mask
 *   MAY_EXCEED_SUM(d, a, b, x, y)
 *                      sign bit set where d > a b + x y, may be set where both are nearly equal but
 *                      not 0; may be fused
 *   OUT_OF_RANGE(s, a)     s, and whether a is negative, NaN or above OUT_OF_RANGE_ABOVE
 *   IS_OUT_OF_RANGE(s)
 *
 * and, where it is faster to make floats of a block of outputs first, in place of LOAD_F16
 * LOAD_BF16 LOAD_E4M3 LOAD_E5M2:
 *
 *   FLOATS             that many in a register of type floats
 *   FLOATS_F16 FLOATS_BF16 FLOATS_E4M3 FLOATS_E5M2   of outputs at an address
 *   NO_FLOATS STORE_FLOATS
 *   MAX_ABS_FLOATS(a, b)   max(a, |b|) as integers, of type float_codes; FLOATS_OF them
 *
 * A product that is added must be rounded before: MUL is not contracted with ADD.
 */
#include "core/verify/verify_pass.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef BITS
#define tally uint64_t
#define NO_TALLY 0
#define TALLY_TOTAL(n) (n)
#define ONES(bits) (uint64_t) __builtin_popcount(bits)
#else
#define tally counts
#define NO_TALLY NO_COUNTS
#define TALLY_TOTAL(n) total_of(n)
#endif

#ifdef FLOATS
enum { EXPANDS = true };
#else
enum { EXPANDS = false };
#endif

#define INLINE __attribute__((always_inline)) PASS_FUNCTION static inline

static const double lane_numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

enum { PARTS = VERIFY_LANES / PASS_LANES };

#define EXPONENT_BITS 0x7FF0000000000000u

/* Maxima and what follows from them: what an element must reach to be looked at closely. */
struct filters {
    vector absolute;         /* |r - c| */
    vector relative;         /* |r - c| / |r| */
    vector ulps;             /* |r - c| over the binade of e */
    vector sum, rounding;    /* of the bound, times its maximum */
    vector most_ulps, worst; /* float64: the maxima themselves */
};

/* Of a pass_input, the output as given or as floats. */
struct arrays {
    const double *exact, *magnitude, *partials;
    const void *output;
};

/* What an element is compared with, and what is found where it is looked at closely. */
struct state {
    const struct pass_input *input;
    const struct pass_format *format;
    struct arrays arrays;
    struct filters filters;
    vector maxima[PASS_MAXIMA];
    vector places[PASS_MAXIMA]; /* index in the block, where a maximum has risen */
    counts zero_mismatch;
    counts close_above[VERIFY_EDGES], close_large_above[VERIFY_EDGES];
};

/* What every element is added to. They are separate from the state so that they stay in registers.
 */
struct sums {
    vector squares[PARTS], noise[PARTS];
    vector largest_exact, largest_output;
    tally equal, above, large, large_equal, large_above; /* large: |r| above rel_floor */
    counts out_of_range;
};

/* The loop's own copies: what has an address that a function knows is read again and again. */
struct held {
    struct arrays arrays;
    struct pass_format format;
    struct filters filters;
    struct sums sums;
};

/* Rounding errors of the filter itself, when sums are fused or not. */
#define SLACK (1 - 0x1p-40)

INLINE void set_filters(struct state *state)
{
    const struct pass_format *format = state->format;
    vector zero = SET_ALL(0);
    vector floor = state->maxima[PASS_REL_FLOOR], bound = state->maxima[PASS_BOUND];
    vector relative = MUL(floor, SET_ALL(format->ties));
    state->filters.absolute = state->maxima[PASS_ABS];
    state->filters.relative = MIN(relative, SET_ALL(format->close_edge));
    state->filters.most_ulps = state->maxima[PASS_ULP];
    state->filters.worst = bound;
    state->filters.ulps = MUL(state->filters.most_ulps, SET_ALL(format->ulp_unit));
    /* Products that are subnormal would not be accurate to the slack. */
    bound = PICK(GREATER(SET_ALL(0x1p-700), bound), MIN(bound, zero), bound);
    state->filters.sum = MUL(bound, SET_ALL(format->factors.sum * SLACK));
    state->filters.rounding = MUL(bound, SET_ALL(format->rough_rounding * SLACK));
}

INLINE vector tolerance_of(const struct pass_format *format, vector magnitude, vector size)
{
    vector sum = MUL(SET_ALL(format->factors.sum), magnitude);
    sum = ADD(sum, MUL(SET_ALL(format->factors.rounding), size));
    return ADD(sum, SET_ALL(format->factors.smallest));
}

/* `given` is e as it came, of integers `exact` is r; clamped from below, max(|e|, least), and its
 * binade. */
struct element {
    vector given, exact, clamped, binade, reference, output, difference, distance, magnitude;
};

INLINE void raise_maximum(struct state *state, int metric, mask counts_too, vector value,
                          vector place)
{
    mask rises = BOTH(counts_too, GREATER(value, state->maxima[metric]));
    state->maxima[metric] = PICK(rises, value, state->maxima[metric]);
    state->places[metric] = PICK(rises, place, state->places[metric]);
}

/* Some of these elements may be new maxima, or belong into the histogram's upper classes. */
INLINE void judge_closely(struct state *state, const struct element *element, bool has_bound,
                          vector place)
{
    const struct pass_format *format = state->format;
    vector zero = SET_ALL(0), difference = element->difference;
    vector size = ABS(element->reference);
    mask differs = GREATER(difference, zero), is_there = GREATER(size, zero);
    mask is_large = GREATER(size, SET_ALL(format->rel_floor));
    vector relative = DIV(difference, size);
    raise_maximum(state, PASS_ABS, AT_LEAST(difference, zero), difference, place);
    raise_maximum(state, PASS_REL, is_there, relative, place);
    raise_maximum(state, PASS_REL_FLOOR, is_large, relative, place);
    vector binade = LIFTER(MAX(size, SET_ALL(format->least)), EXPONENT_BITS, 0);
    vector ulps = DIV(DIV(difference, SET_ALL(format->ulp_unit)), binade);
    raise_maximum(state, PASS_ULP, AT_LEAST(ulps, zero), ulps, place);
    if (has_bound) {
        vector tolerance = tolerance_of(format, element->magnitude, ABS(element->exact));
        vector ratio = DIV(element->distance, tolerance);
        ratio = PICK(GREATER(element->distance, zero), ratio, zero);
        raise_maximum(state, PASS_BOUND, AT_LEAST(ratio, zero), ratio, place);
    }
    state->zero_mismatch = COUNT(state->zero_mismatch, BOTH(differs, AT_LEAST(zero, size)));
    for (int edge = format->n_implied + 1; edge < VERIFY_EDGES; edge++) {
        mask is_above = AT_LEAST(difference, MUL(SET_ALL(verify_edges[edge]), size));
        is_above = BOTH(differs, is_above);
        state->close_above[edge] = COUNT(state->close_above[edge], is_above);
        state->close_large_above[edge] = COUNT(state->close_large_above[edge],
                                               BOTH(is_large, is_above));
    }
    set_filters(state);
}

/* Whether numbers of a kind are made floats before. */
INLINE bool is_expanded(int kind)
{
    return EXPANDS &&
           (kind == PASS_F16 || kind == PASS_BF16 || kind == PASS_E4M3 || kind == PASS_E5M2);
}

INLINE vector load_output(const void *array, int kind, uint64_t i)
{
    const char *output = array;
    if (kind == PASS_F32 || is_expanded(kind))
        return LOAD_F32(output + i * 4);
#ifdef LOAD_F16
    if (kind == PASS_F16)
        return LOAD_F16(output + i * 2);
    if (kind == PASS_BF16)
        return LOAD_BF16(output + i * 2);
    if (kind == PASS_E4M3)
        return LOAD_E4M3(output + i);
    if (kind == PASS_E5M2)
        return LOAD_E5M2(output + i);
#endif
#ifdef LOAD_I8
    if (kind == PASS_I8)
        return LOAD_I8(output + i);
    if (kind == PASS_I32)
        return LOAD_I32(output + i * 4);
#endif
    return LOAD(output + i * 8);
}

/* Against the binade of e, which r is in as well, or in the one above. In float64 binades reach so
 * far down that it has to be done the other way round. Where digits are so few that r often is in
 * the one above, it takes r's own. */
INLINE vector may_be_most_ulps(const struct filters *filters, const struct pass_format *format,
                               int kind, const struct element *element)
{
    vector difference = element->difference, binade = element->binade;
    if (kind == PASS_F64)
        return OVER_EXACT(MUL(difference, SET_ALL(0x1p52)), filters->most_ulps, binade);
    if (kind == PASS_E4M3 || kind == PASS_E5M2)
        binade = LIFTER(MAX_ABS(SET_ALL(format->least), element->reference), EXPONENT_BITS, 0);
    return OVER_EXACT(difference, filters->ulps, binade);
}

INLINE vector may_be_worst_bound(const struct filters *filters, const struct pass_format *format,
                                 int kind, const struct element *element)
{
    if (kind == PASS_F64)
        return OVER_PRODUCT(element->distance, filters->worst,
                            tolerance_of(format, element->magnitude, ABS(element->exact)));
    return MAY_EXCEED_SUM(element->distance, element->magnitude, filters->sum, element->clamped,
                          filters->rounding);
}

/* PASS_LANES elements from i on. */
INLINE struct element element_at(const struct arrays *arrays, const struct pass_format *format,
                                 int kind, bool has_bound, uint64_t i)
{
    struct element element;
    element.given = element.exact = LOAD(arrays->exact + i);
    element.output = load_output(arrays->output, kind, i);
    element.clamped = MAX_ABS(SET_ALL(format->least), element.exact);
    element.binade = LIFTER(element.clamped, EXPONENT_BITS, 0);
    element.reference = element.exact;
    if (kind != PASS_F64) { /* a sum with the binade, lifted, is rounded */
        vector lifter = LIFTER(element.clamped, EXPONENT_BITS,
                               format->lift << 52 | (uint64_t)1 << 51);
        element.reference = SUB(ADD(element.exact, lifter), lifter);
    }
    element.difference = ABS(SUB(element.reference, element.output));
    if (has_bound) {
        bool is_integer = kind == PASS_I8 || kind == PASS_I32;
        element.magnitude = LOAD(arrays->magnitude + i);
        element.exact = is_integer ? element.reference : element.exact;
        element.distance = ABS(SUB(element.exact, element.output));
    }
    return element;
}

/* The sign bit is set where an element must be looked at closely. */
INLINE vector may_matter(const struct filters *filters, const struct pass_format *format, int kind,
                         bool has_bound, const struct element *element)
{
    vector size = ABS(element->reference);
    vector close = OVER(element->difference, filters->absolute);
    close = EITHER(close, OVER_PRODUCT(element->difference, filters->relative, size));
    close = EITHER(close, may_be_most_ulps(filters, format, kind, element));
    if (kind == PASS_F64) /* the product of an edge and |r| may be subnormal */
        close = EITHER(close, OVER(SET_ALL(0x1p-1000), size));
    if (has_bound)
        close = EITHER(close, may_be_worst_bound(filters, format, kind, element));
    return close;
}

/* PASS_LANES elements from i on; to sum `part` of squares. */
INLINE void add_up(struct sums *sums, int kind, bool has_bound, const struct element *element,
                   int part)
{
    vector difference = element->difference;
    sums->squares[part] = ADD(sums->squares[part], MUL(difference, difference));
    sums->largest_exact = MAX_ABS(sums->largest_exact, element->given);
    if (!is_expanded(kind))
        sums->largest_output = MAX_ABS(sums->largest_output, element->output);
    if (has_bound)
        sums->out_of_range = OUT_OF_RANGE(sums->out_of_range, element->magnitude);
}

/* PASS_LANES elements from i on, likewise. */
INLINE void add_noise(struct held *held, const struct element *element, uint64_t i, int part)
{
    const struct noise_factors *factors = &held->format.noise;
    vector sum = MUL(SET_ALL(factors->sum), LOAD(held->arrays.partials + i));
    vector rounding = MUL(MUL(SET_ALL(factors->rounding), element->clamped), element->clamped);
    vector variance = ADD(ADD(sum, rounding), SET_ALL(factors->smallest));
    vector square = MUL(element->distance, element->distance);
    held->sums.noise[part] = ADD(held->sums.noise[part], DIV(square, variance));
}

/* Which differences reach the open edge. */
INLINE mask above_open_edge(const struct pass_format *format, int kind, vector difference,
                            vector size)
{
    vector least = MUL(SET_ALL(format->open_edge), size);
    return kind == PASS_F64 ? BOTH(GREATER(difference, SET_ALL(0)), AT_LEAST(difference, least))
                            : GREATER(difference, least);
}

/* Of VERIFY_LANES elements, those that are equal and those above the open edge; the same of those
 * above the floor, and how many these are. */
INLINE void count(struct sums *sums, const struct pass_format *format, int kind,
                  const struct element elements[PARTS])
{
    vector zero = SET_ALL(0), floor = SET_ALL(format->rel_floor);
#ifdef BITS /* by the integer units, which have little else to do */
    unsigned equal = 0, above = 0, large = 0;
#pragma GCC unroll 4
    for (int part = 0; part < PARTS; part++) {
        vector difference = elements[part].difference, size = ABS(elements[part].reference);
        const int at = part * PASS_LANES;
        equal |= BITS(AT_LEAST(zero, difference)) << at;
        large |= BITS(GREATER(size, floor)) << at;
        above |= BITS(above_open_edge(format, kind, difference, size)) << at;
    }
    sums->equal += ONES(equal);
    sums->above += ONES(above);
    sums->large += ONES(large);
    sums->large_equal += ONES(large & equal);
    sums->large_above += ONES(large & above);
#else
#pragma GCC unroll 4
    for (int part = 0; part < PARTS; part++) {
        vector difference = elements[part].difference, size = ABS(elements[part].reference);
        mask is_equal = AT_LEAST(zero, difference), is_large = GREATER(size, floor);
        mask is_above = above_open_edge(format, kind, difference, size);
        sums->equal = COUNT(sums->equal, is_equal);
        sums->above = COUNT(sums->above, is_above);
        sums->large = COUNT(sums->large, is_large);
        sums->large_equal = COUNT(sums->large_equal, BOTH(is_large, is_equal));
        sums->large_above = COUNT(sums->large_above, BOTH(is_large, is_above));
    }
#endif
}

/* VERIFY_LANES elements from i on. */
INLINE void look_closely(struct state *state, int kind, uint64_t i)
{
    const struct pass_format *format = state->format;
    for (uint64_t j = i; j < i + VERIFY_LANES; j += PASS_LANES) {
        struct element element = element_at(&state->arrays, format, kind, format->has_bound, j);
        vector place = ADD(SET_ALL((double)j), LOAD(lane_numbers));
        if (ANY_SIGN(may_matter(&state->filters, format, kind, format->has_bound, &element)))
            judge_closely(state, &element, format->has_bound, place);
    }
}

/* The largest of the lanes, and where it was seen first if that is above `before`. */
INLINE double maximum_of(vector maxima, vector places, double before, uint64_t *ret_place)
{
    double values[PASS_LANES], at[PASS_LANES];
    int best = 0;
    *ret_place = 0;
    if (!ANY_SIGN(OVER(maxima, SET_ALL(before))))
        return before;
    STORE(values, maxima);
    STORE(at, places);
    for (int lane = 1; lane < PASS_LANES; lane++)
        if (values[lane] > values[best] || (values[lane] == values[best] && at[lane] < at[best]))
            best = lane;
    *ret_place = (uint64_t)at[best];
    return values[best];
}

INLINE double largest_of(vector lanes)
{
    double numbers[PASS_LANES], largest;
    STORE(numbers, lanes);
    largest = numbers[0];
    for (int lane = 1; lane < PASS_LANES; lane++)
        largest = numbers[lane] > largest ? numbers[lane] : largest;
    return largest;
}

INLINE uint64_t total_of(counts lanes)
{
    uint64_t numbers[PASS_LANES], total = 0;
    STORE_COUNTS(numbers, lanes);
    for (int lane = 0; lane < PASS_LANES; lane++)
        total += numbers[lane];
    return total;
}

INLINE double sum_of(const vector parts[PARTS])
{
    double numbers[VERIFY_LANES], sum = 0;
    for (int part = 0; part < PARTS; part++)
        STORE(numbers + part * PASS_LANES, parts[part]);
    for (int lane = 0; lane < VERIFY_LANES; lane++)
        sum += numbers[lane];
    return sum;
}

INLINE void begin(struct state *state, const struct pass_input *input)
{
    state->input = input;
    state->format = input->format;
    state->arrays = (struct arrays){input->exact, input->magnitude, input->partials, input->output};
    for (int metric = 0; metric < PASS_MAXIMA; metric++) {
        state->maxima[metric] = SET_ALL(input->best[metric]);
        state->places[metric] = SET_ALL(0);
    }
    state->zero_mismatch = NO_COUNTS;
    for (int edge = 0; edge < VERIFY_EDGES; edge++)
        state->close_above[edge] = state->close_large_above[edge] = NO_COUNTS;
    set_filters(state);
}

INLINE void end(const struct state *state, const struct sums *sums, bool has_bound, bool has_noise,
                struct pass_totals *ret)
{
    int open = state->format->n_implied;
    for (int metric = 0; metric < PASS_MAXIMA; metric++)
        ret->maxima[metric] = maximum_of(state->maxima[metric], state->places[metric],
                                         state->input->best[metric], &ret->places[metric]);
    ret->sum_of_squares = sum_of(sums->squares);
    ret->noise = has_noise ? sum_of(sums->noise) : 0;
    ret->largest_exact = largest_of(sums->largest_exact);
    ret->largest_output = largest_of(sums->largest_output);
    ret->n_differ = state->input->n - TALLY_TOTAL(sums->equal);
    ret->n_zero_mismatch = total_of(state->zero_mismatch);
    ret->out_of_range = has_bound && IS_OUT_OF_RANGE(sums->out_of_range);
    ret->n_large = TALLY_TOTAL(sums->large);
    ret->n_large_equal = TALLY_TOTAL(sums->large_equal);
    for (int edge = 0; edge < VERIFY_EDGES; edge++) {
        ret->n_above[edge] = edge < open    ? ret->n_differ
                             : edge == open ? TALLY_TOTAL(sums->above)
                                            : total_of(state->close_above[edge]);
        ret->n_large_above[edge] = edge < open    ? ret->n_large - ret->n_large_equal
                                   : edge == open ? TALLY_TOTAL(sums->large_above)
                                                  : total_of(state->close_large_above[edge]);
    }
}

#ifdef FLOATS
INLINE floats floats_of(const char *output, int kind)
{
    return kind == PASS_F16    ? FLOATS_F16(output)
           : kind == PASS_BF16 ? FLOATS_BF16(output)
           : kind == PASS_E4M3 ? FLOATS_E4M3(output)
                               : FLOATS_E5M2(output);
}

/* The largest of them. */
INLINE float expand(const void *output, int kind, uint64_t n, float *ret)
{
    const uint64_t bytes = kind == PASS_F16 || kind == PASS_BF16 ? 2 : 1;
    float_codes lanes = NO_FLOATS;
    float numbers[FLOATS], largest = 0;
    for (uint64_t i = 0; i < n; i += FLOATS) {
        floats values = floats_of((const char *)output + i * bytes, kind);
        STORE_FLOATS(ret + i, values);
        lanes = MAX_ABS_FLOATS(lanes, values);
    }
    STORE_FLOATS(numbers, FLOATS_OF(lanes));
    for (int lane = 0; lane < FLOATS; lane++)
        largest = numbers[lane] > largest ? numbers[lane] : largest;
    return largest;
}
#endif

/* What the processor fetches ahead by itself is too little: four times this were as good. */
enum { FETCH_AHEAD = 256 };

/* VERIFY_LANES elements from i on; whether some must be looked at closely. */
INLINE bool take(struct held *held, int kind, bool has_bound, bool has_noise, uint64_t i)
{
    struct element elements[PARTS];
    vector close = SET_ALL(0);
    __builtin_prefetch(held->arrays.exact + i + FETCH_AHEAD);
    if (has_bound)
        __builtin_prefetch(held->arrays.magnitude + i + FETCH_AHEAD);
    if (has_noise)
        __builtin_prefetch(held->arrays.partials + i + FETCH_AHEAD);
#pragma GCC unroll 4
    for (int part = 0; part < PARTS; part++) {
        struct element *element = &elements[part];
        *element = element_at(&held->arrays, &held->format, kind, has_bound,
                              i + (uint64_t)part * PASS_LANES);
        add_up(&held->sums, kind, has_bound, element, part);
        if (has_noise)
            add_noise(held, element, i + (uint64_t)part * PASS_LANES, part);
        close = EITHER(close, may_matter(&held->filters, &held->format, kind, has_bound, element));
    }
    count(&held->sums, &held->format, kind, elements);
    return __builtin_expect(ANY_SIGN(close), 0);
}

INLINE struct sums no_sums(void)
{
    struct sums sums = {.largest_exact = SET_ALL(0),
                        .largest_output = SET_ALL(0),
                        .equal = NO_TALLY,
                        .above = NO_TALLY,
                        .large = NO_TALLY,
                        .large_equal = NO_TALLY,
                        .large_above = NO_TALLY,
                        .out_of_range = NO_COUNTS};
    for (int part = 0; part < PARTS; part++)
        sums.squares[part] = sums.noise[part] = SET_ALL(0);
    return sums;
}

typedef void look_fn(struct state *state, uint64_t i);

INLINE void pass(const struct pass_input *input, int kind, bool has_bound, bool has_noise,
                 look_fn *look_closely_at, struct pass_totals *ret)
{
    struct state state;
    struct held held = {.format = *input->format, .sums = no_sums()};
    begin(&state, input);
#ifdef FLOATS
    float expanded[VERIFY_BLOCK];
    if (is_expanded(kind)) {
        float largest = expand(input->output, kind, input->n, expanded);
        held.sums.largest_output = SET_ALL((double)largest);
        state.arrays.output = expanded;
    }
#endif
    held.arrays = state.arrays;
    held.filters = state.filters;
    for (uint64_t i = 0; i < input->n; i += VERIFY_LANES) {
        if (take(&held, kind, has_bound, has_noise, i)) {
            look_closely_at(&state, i);
            held.filters = state.filters;
        }
    }
    end(&state, &held.sums, has_bound, has_noise, ret);
}

/* Looking closely is a function of its own, which leaves the registers to the loop. */
#define DEFINE_PASS(name, kind)                                                                    \
    __attribute__((noinline))                                                                      \
    PASS_FUNCTION static void name##_closely(struct state *state, uint64_t i)                      \
    {                                                                                              \
        look_closely(state, kind, i);                                                              \
    }                                                                                              \
    PASS_FUNCTION static void name(const struct pass_input *input, struct pass_totals *ret)        \
    {                                                                                              \
        if (input->format->has_noise)                                                              \
            pass(input, kind, true, true, name##_closely, ret);                                    \
        else if (input->format->has_bound)                                                         \
            pass(input, kind, true, false, name##_closely, ret);                                   \
        else                                                                                       \
            pass(input, kind, false, false, name##_closely, ret);                                  \
    }
DEFINE_PASS(pass_doubles, PASS_DOUBLES)
DEFINE_PASS(pass_f32, PASS_F32)
DEFINE_PASS(pass_f64, PASS_F64)
#ifdef LOAD_I8
DEFINE_PASS(pass_f16, PASS_F16)
DEFINE_PASS(pass_bf16, PASS_BF16)
DEFINE_PASS(pass_e4m3, PASS_E4M3)
DEFINE_PASS(pass_e5m2, PASS_E5M2)
DEFINE_PASS(pass_i8, PASS_I8)
DEFINE_PASS(pass_i32, PASS_I32)
#endif

verify_pass_fn *const PASS_TABLE[PASS_KINDS] = {
    [PASS_DOUBLES] = pass_doubles, [PASS_F32] = pass_f32,   [PASS_F64] = pass_f64,
#ifdef LOAD_I8
    [PASS_F16] = pass_f16,         [PASS_BF16] = pass_bf16, [PASS_E4M3] = pass_e4m3,
    [PASS_E5M2] = pass_e5m2,       [PASS_I8] = pass_i8,     [PASS_I32] = pass_i32,
#endif
};
