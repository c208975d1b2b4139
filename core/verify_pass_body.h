/*
 * verify_pass_body.h - the passes of verify_pass.h, written once. Floor 1.
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
 *   MAY_EXCEED(d, a)   sign bit set where d > a, may be set where both are equal but not 0
 *   EITHER, ANY_SIGN   of sign bits
 *   COUNT(n, m)        n + 1 where m
 *   SENSELESS(s, a)    s, and whether a is negative, NaN or above 2^900; IS_SENSELESS(s)
 *   ROUGH_BOUND(...)   a b + c d + e; may be fused
 * A product that is added must be rounded before: MUL is not contracted with ADD.
 */
#include "core/verify_pass.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define INLINE __attribute__((always_inline)) PASS_FUNCTION static inline

static const double lane_numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

enum { PARTS = VERIFY_LANES / PASS_LANES };

#define EXPONENT_BITS 0x7FF0000000000000u

/* Maxima and what follows from them: what an element must reach to be looked at closely. */
struct filters {
    vector relative;                /* |r - c| / |r| */
    vector ulps;                    /* |r - c| over the binade of e */
    vector sum, rounding, smallest; /* the bound times its maximum */
};

struct state {
    const struct pass_input *input;
    const struct pass_format *format;
    struct filters filters;
    vector sums[PARTS];
    vector maxima[PASS_MAXIMA];
    vector places[PASS_MAXIMA]; /* index in the block, where a maximum has risen */
    vector largest_exact, largest_output;
    counts differ, above, zero_mismatch, senseless;
    counts close_above[VERIFY_EDGES];
};

/* Rounding errors of the filter itself, when sums are fused or not. */
#define SLACK (1 - 0x1p-40)

INLINE void set_filters(struct state *state)
{
    const struct pass_format *format = state->format;
    vector zero = SET_ALL(0);
    vector floor = state->maxima[PASS_REL_FLOOR], bound = state->maxima[PASS_BOUND];
    vector relative = MUL(floor, SET_ALL(format->ties));
    state->filters.relative = MIN(relative, SET_ALL(format->close_edge));
    state->filters.ulps = MUL(state->maxima[PASS_ULP], SET_ALL(format->ulp_unit));
    /* Products that are subnormal would not be accurate to the slack. */
    bound = PICK(GREATER(SET_ALL(0x1p-700), bound), MIN(bound, zero), bound);
    state->filters.sum = MUL(bound, SET_ALL(format->factors.sum * SLACK));
    state->filters.rounding = MUL(bound, SET_ALL(format->factors.rounding * SLACK));
    state->filters.smallest = MUL(bound, SET_ALL(format->factors.smallest * SLACK));
}

INLINE vector tolerance_of(const struct pass_format *format, vector magnitude, vector size)
{
    vector sum = MUL(SET_ALL(format->factors.sum), magnitude);
    sum = ADD(sum, MUL(SET_ALL(format->factors.rounding), size));
    return ADD(sum, SET_ALL(format->factors.smallest));
}

struct element {
    vector place, exact, reference, output, difference, distance, magnitude;
};

INLINE void raise_maximum(struct state *state, int metric, mask counts_too, vector value,
                          vector place)
{
    mask rises = BOTH(counts_too, GREATER(value, state->maxima[metric]));
    state->maxima[metric] = PICK(rises, value, state->maxima[metric]);
    state->places[metric] = PICK(rises, place, state->places[metric]);
}

/* Some of these elements may be new maxima, or belong into the histogram's upper classes. */
INLINE void look_closely(struct state *state, const struct element *element, bool has_bound)
{
    const struct pass_format *format = state->format;
    vector zero = SET_ALL(0), difference = element->difference, place = element->place;
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
        state->close_above[edge] = COUNT(state->close_above[edge], BOTH(differs, is_above));
    }
    set_filters(state);
}

INLINE vector load_output(const struct pass_input *input, int kind, uint64_t i)
{
    const char *output = (const char *)input->output;
#ifdef LOAD_F16
    if (kind == PASS_F16)
        return LOAD_F16(output + i * 2);
    if (kind == PASS_BF16)
        return LOAD_BF16(output + i * 2);
    if (kind == PASS_E4M3)
        return LOAD_E4M3(output + i);
    if (kind == PASS_E5M2)
        return LOAD_E5M2(output + i);
    if (kind == PASS_I8)
        return LOAD_I8(output + i);
    if (kind == PASS_I32)
        return LOAD_I32(output + i * 4);
#endif
    if (kind == PASS_F32)
        return LOAD_F32(output + i * 4);
    return LOAD(output + i * 8);
}

/* Against the binade of e, which r is in as well, or in the one above. In float64 binades reach so
 * far down that it has to be done the other way round. Where digits are so few that r often is in
 * the one above, it takes r's own. */
INLINE vector may_be_most_ulps(const struct state *state, int kind, const struct element *element,
                               vector binade)
{
    vector difference = element->difference;
    if (kind == PASS_F64)
        return OVER_EXACT(MUL(difference, SET_ALL(0x1p52)), state->maxima[PASS_ULP], binade);
    if (kind == PASS_E4M3 || kind == PASS_E5M2)
        binade = LIFTER(MAX_ABS(SET_ALL(state->format->least), element->reference), EXPONENT_BITS,
                        0);
    return OVER_EXACT(difference, state->filters.ulps, binade);
}

INLINE vector may_be_worst_bound(const struct state *state, int kind, const struct element *element)
{
    const struct filters *filters = &state->filters;
    vector size = ABS(element->exact);
    if (kind == PASS_F64)
        return OVER_PRODUCT(element->distance, state->maxima[PASS_BOUND],
                            tolerance_of(state->format, element->magnitude, size));
    return MAY_EXCEED(element->distance, ROUGH_BOUND(element->magnitude, filters->sum, size,
                                                     filters->rounding, filters->smallest));
}

/* PASS_LANES elements from i on, in sum `part`. */
INLINE void take(struct state *state, int kind, bool has_bound, uint64_t i, int part)
{
    const struct pass_format *format = state->format;
    struct element element;
    element.exact = LOAD(state->input->exact + i);
    element.output = load_output(state->input, kind, i);
    /* Clamped from below, with the exponent alone: the binade. Lifted into it, a sum is rounded. */
    vector clamped = MAX_ABS(SET_ALL(format->least), element.exact);
    vector lifter = LIFTER(clamped, EXPONENT_BITS, format->lift << 52 | (uint64_t)1 << 51);
    vector binade = LIFTER(clamped, EXPONENT_BITS, 0);
    element.reference = element.exact;
    if (kind != PASS_F64)
        element.reference = SUB(ADD(element.exact, lifter), lifter);
    element.difference = ABS(SUB(element.reference, element.output));
    mask differs = GREATER(element.difference, SET_ALL(0));
    state->differ = COUNT(state->differ, differs);
    state->sums[part] = ADD(state->sums[part], MUL(element.difference, element.difference));
    state->largest_exact = MAX_ABS(state->largest_exact, element.exact);
    state->largest_output = MAX_ABS(state->largest_output, element.output);

    vector size = ABS(element.reference);
    mask is_above = AT_LEAST(element.difference, MUL(SET_ALL(format->open_edge), size));
    state->above = COUNT(state->above, BOTH(differs, is_above));
    vector close = OVER(element.difference, state->maxima[PASS_ABS]);
    close = EITHER(close, OVER_PRODUCT(element.difference, state->filters.relative, size));
    close = EITHER(close, may_be_most_ulps(state, kind, &element, binade));
    if (kind == PASS_F64) /* the product of an edge and |r| may be subnormal */
        close = EITHER(close, OVER(SET_ALL(0x1p-1000), size));
    if (has_bound) {
        bool is_integer = kind == PASS_I8 || kind == PASS_I32;
        element.magnitude = LOAD(state->input->magnitude + i);
        element.exact = is_integer ? element.reference : element.exact;
        element.distance = ABS(SUB(element.exact, element.output));
        state->senseless = SENSELESS(state->senseless, element.magnitude);
        close = EITHER(close, may_be_worst_bound(state, kind, &element));
    }
    if (__builtin_expect(ANY_SIGN(close), 0)) {
        element.place = ADD(SET_ALL((double)i), LOAD(lane_numbers));
        look_closely(state, &element, has_bound);
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

INLINE double sum_of(const struct state *state)
{
    double numbers[VERIFY_LANES], sum = 0;
    for (int part = 0; part < PARTS; part++)
        STORE(numbers + part * PASS_LANES, state->sums[part]);
    for (int lane = 0; lane < VERIFY_LANES; lane++)
        sum += numbers[lane];
    return sum;
}

INLINE void begin(struct state *state, const struct pass_input *input)
{
    const struct pass_format *format = input->format;
    vector zero = SET_ALL(0);
    state->input = input;
    state->format = format;
    for (int part = 0; part < PARTS; part++)
        state->sums[part] = zero;
    for (int metric = 0; metric < PASS_MAXIMA; metric++) {
        state->maxima[metric] = SET_ALL(input->best[metric]);
        state->places[metric] = zero;
    }
    state->largest_exact = state->largest_output = zero;
    state->differ = state->above = state->zero_mismatch = state->senseless = NO_COUNTS;
    for (int edge = 0; edge < VERIFY_EDGES; edge++)
        state->close_above[edge] = NO_COUNTS;
    set_filters(state);
}

INLINE void end(const struct state *state, bool has_bound, struct pass_totals *ret)
{
    int open = state->format->n_implied;
    for (int metric = 0; metric < PASS_MAXIMA; metric++)
        ret->maxima[metric] = maximum_of(state->maxima[metric], state->places[metric],
                                         state->input->best[metric], &ret->places[metric]);
    ret->sum_of_squares = sum_of(state);
    ret->largest_exact = largest_of(state->largest_exact);
    ret->largest_output = largest_of(state->largest_output);
    ret->n_differ = total_of(state->differ);
    ret->n_zero_mismatch = total_of(state->zero_mismatch);
    ret->senseless = has_bound && IS_SENSELESS(state->senseless);
    for (int edge = 0; edge < VERIFY_EDGES; edge++)
        ret->n_above[edge] = edge < open    ? ret->n_differ
                             : edge == open ? total_of(state->above)
                                            : total_of(state->close_above[edge]);
}

/* What the processor fetches ahead by itself is too little: four times this were as good. */
enum { FETCH_AHEAD = 256 };

INLINE void pass(const struct pass_input *input, int kind, bool has_bound, struct pass_totals *ret)
{
    struct state state;
    begin(&state, input);
    for (uint64_t i = 0; i < input->n; i += VERIFY_LANES) {
        __builtin_prefetch(input->exact + i + FETCH_AHEAD);
        if (has_bound)
            __builtin_prefetch(input->magnitude + i + FETCH_AHEAD);
        take(&state, kind, has_bound, i, 0);
#if PASS_LANES <= 4
        take(&state, kind, has_bound, i + PASS_LANES, 1);
#endif
#if PASS_LANES == 2
        take(&state, kind, has_bound, i + 2 * PASS_LANES, 2);
        take(&state, kind, has_bound, i + 3 * PASS_LANES, 3);
#endif
    }
    end(&state, has_bound, ret);
}

#define DEFINE_PASS(name, kind)                                                                    \
    PASS_FUNCTION static void name(const struct pass_input *input, struct pass_totals *ret)        \
    {                                                                                              \
        if (input->format->has_bound)                                                              \
            pass(input, kind, true, ret);                                                          \
        else                                                                                       \
            pass(input, kind, false, ret);                                                         \
    }
DEFINE_PASS(pass_doubles, PASS_DOUBLES)
DEFINE_PASS(pass_f32, PASS_F32)
DEFINE_PASS(pass_f64, PASS_F64)
#ifdef LOAD_F16
DEFINE_PASS(pass_f16, PASS_F16)
DEFINE_PASS(pass_bf16, PASS_BF16)
DEFINE_PASS(pass_e4m3, PASS_E4M3)
DEFINE_PASS(pass_e5m2, PASS_E5M2)
DEFINE_PASS(pass_i8, PASS_I8)
DEFINE_PASS(pass_i32, PASS_I32)
#endif

verify_pass_fn *const PASS_TABLE[PASS_KINDS] = {
    [PASS_DOUBLES] = pass_doubles, [PASS_F32] = pass_f32,   [PASS_F64] = pass_f64,
#ifdef LOAD_F16
    [PASS_F16] = pass_f16,         [PASS_BF16] = pass_bf16, [PASS_E4M3] = pass_e4m3,
    [PASS_E5M2] = pass_e5m2,       [PASS_I8] = pass_i8,     [PASS_I32] = pass_i32,
#endif
};
