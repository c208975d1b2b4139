/*
 * ways_body.h - the kernels for one processor and one type of elements, included once for each.
 * Plugin side.
 *
 * Takes NAME(what), TARGET (an attribute or nothing), VECTOR_BYTES; NUMBER, what is computed in,
 * INTEGER, signed and of its size, STORED, WIDEN(at) and NARROW(at, numbers), which load and store
 * whole vectors, and EXPONENTIAL (constants below). Undefines those after the semicolon.
 */
typedef NUMBER NAME(numbers) __attribute__((vector_size(VECTOR_BYTES)));
typedef INTEGER NAME(integers) __attribute__((vector_size(VECTOR_BYTES)));
#define NUMBERS NAME(numbers)
#define INTEGERS NAME(integers)
#define LANES (VECTOR_BYTES / sizeof(NUMBER))

EVERYWHERE TARGET NUMBERS NAME(all)(NUMBER x)
{
    return x - (NUMBERS){0};
}

/* a where the mask is set, else b. */
EVERYWHERE TARGET NUMBERS NAME(either)(INTEGERS mask, NUMBERS a, NUMBERS b)
{
    return (NUMBERS)(((INTEGERS)a & mask) | ((INTEGERS)b & ~mask));
}

EVERYWHERE TARGET NUMBERS NAME(larger)(NUMBERS a, NUMBERS b)
{
    return NAME(either)(a > b, a, b);
}

/* Set in the first n lanes. */
EVERYWHERE TARGET INTEGERS NAME(first_lanes)(uint64_t n)
{
    INTEGERS lanes = {0};
    for (uint64_t i = 0; i < LANES; i++)
        lanes[i] = i < n ? -1 : 0;
    return lanes;
}

/* The first n lanes only, of the others the first's copies. */
EVERYWHERE TARGET NUMBERS NAME(load)(const STORED *at, uint64_t n)
{
    STORED elements[LANES];
    if (n >= LANES)
        return WIDEN(at);
    for (uint64_t i = 0; i < LANES; i++)
        elements[i] = at[i < n ? i : 0];
    return WIDEN(elements);
}

EVERYWHERE TARGET void NAME(store)(STORED *at, NUMBERS x, uint64_t n)
{
    STORED elements[LANES];
    if (n >= LANES) {
        NARROW(at, x);
        return;
    }
    NARROW(elements, x);
    memcpy(at, elements, n * sizeof *at);
}

/*
 * exp(x) = 2^k exp(r) with x = k log(2) + r, |r| <= log(2) / 2 and a little, by Taylor's series. It
 * is cut where the rest is below a tenth of a unit in the last place: r^8 / 8! for 24 digits,
 * r^14 / 14! for 53. Adding `rounder` rounds to a whole number, which then stands in the low bits.
 */
EVERYWHERE TARGET NUMBERS NAME(exponential)(NUMBERS x)
{
    static const NUMBER terms[] = EXPONENTIAL_TERMS;
    const NUMBERS inside = NAME(either)((x >= EXPONENTIAL_LOW) & (x <= EXPONENTIAL_HIGH), x,
                                        NAME(all)(0));
    const NUMBERS rounded = inside * EXPONENTIAL_LOG2E + EXPONENTIAL_ROUNDER;
    const NUMBERS k = rounded - EXPONENTIAL_ROUNDER;
    const NUMBERS r = (inside - k * EXPONENTIAL_LN2_HIGH) - k * EXPONENTIAL_LN2_LOW;
    NUMBERS result = NAME(all)(terms[0]);
    for (size_t i = 1; i < sizeof terms / sizeof terms[0]; i++)
        result = result * r + terms[i];
    result = (NUMBERS)((INTEGERS)result + ((INTEGERS)rounded << EXPONENTIAL_DIGITS));
    result = NAME(either)(x < EXPONENTIAL_LOW, NAME(all)(0), result);
    return NAME(either)(x > EXPONENTIAL_HIGH, NAME(all)((NUMBER)INFINITY), result);
}

/* --- one element each --- */

#define EACH(kernel, expression)                                                                   \
    static TARGET void NAME(kernel)(struct way_part * part)                                        \
    {                                                                                              \
        const STORED *a = part->a;                                                                 \
        const STORED *b = part->b != NULL ? part->b : part->a;                                     \
        STORED *to = part->to;                                                                     \
        uint64_t i = 0;                                                                            \
        for (; i + LANES <= part->n; i += LANES) {                                                 \
            const NUMBERS x = WIDEN(a + i);                                                        \
            const NUMBERS y = WIDEN(b + i);                                                        \
            NARROW(to + i, expression);                                                            \
            (void)y;                                                                               \
        }                                                                                          \
        if (i < part->n) {                                                                         \
            const NUMBERS x = NAME(load)(a + i, part->n - i);                                      \
            const NUMBERS y = NAME(load)(b + i, part->n - i);                                      \
            NAME(store)(to + i, expression, part->n - i);                                          \
            (void)y;                                                                               \
        }                                                                                          \
    }

EVERYWHERE TARGET NUMBERS NAME(gelu_of)(NUMBERS x)
{
    const NUMBER linear = (NUMBER)GELU_LINEAR;
    const NUMBER cubic = (NUMBER)(GELU_LINEAR * GELU_CUBIC);
    return x / (1 + NAME(exponential)(x * (linear + cubic * (x * x))));
}

EACH(scale, x *(NUMBER)ELEMENTWISE_SCALE)
EACH(add, x + y)
EACH(triad, x + (NUMBER)ELEMENTWISE_SCALE * y)
EACH(gelu, NAME(gelu_of)(x))
EACH(relu, NAME(larger)(x, NAME(all)(0)))

/* --- rows --- */

EVERYWHERE TARGET NUMBERS NAME(term)(int term, NUMBERS x, NUMBERS shift)
{
    switch (term) {
    case TERM_EXPONENTIAL:
        return NAME(exponential)(x - shift);
    case TERM_SQUARE:
        return (x - shift) * (x - shift);
    default:
        return x;
    }
}

/* Of TERM_... of each element; `kept`, if not NULL, receives the terms. */
EVERYWHERE TARGET double NAME(sum_of)(int term, const STORED *from, uint64_t n, NUMBER shift_by,
                                      STORED *kept)
{
    const NUMBERS shift = NAME(all)(shift_by);
    double sum = 0.0;
    for (uint64_t first = 0; first < n; first += WAY_SUM_BLOCK) {
        const uint64_t end = n - first < WAY_SUM_BLOCK ? n : first + WAY_SUM_BLOCK;
        NUMBERS sums[4] = {{0}};
        uint64_t i = first;
        for (; i + 4 * LANES <= end; i += 4 * LANES) {
            for (uint64_t j = 0; j < 4; j++) {
                const NUMBERS x = NAME(term)(term, WIDEN(from + i + j * LANES), shift);
                sums[j] += x;
                if (kept != NULL)
                    NARROW(kept + i + j * LANES, x);
            }
        }
        for (; i < end; i += LANES) {
            const NUMBERS x = NAME(term)(term, NAME(load)(from + i, end - i), shift);
            sums[0] += NAME(either)(NAME(first_lanes)(end - i), x, NAME(all)(0));
            if (kept != NULL)
                NAME(store)(kept + i, x, end - i);
        }
        sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        for (uint64_t j = 0; j < LANES; j++)
            sum += (double)sums[0][j];
    }
    return sum;
}

EVERYWHERE TARGET NUMBER NAME(largest_of)(const STORED *from, uint64_t n)
{
    NUMBERS largest = NAME(load)(from, n);
    for (uint64_t i = LANES; i < n; i += LANES)
        largest = NAME(larger)(largest, NAME(load)(from + i, n - i));
    NUMBER result = largest[0];
    for (uint64_t i = 1; i < LANES; i++)
        result = largest[i] > result ? largest[i] : result;
    return result;
}

/* Exponentials are kept in the output where that loses nothing, and else computed twice. */
static TARGET void NAME(softmax)(struct way_part *part)
{
    const bool is_kept = sizeof(STORED) > 2;
    for (uint64_t row = 0; row < part->n; row += part->columns) {
        const STORED *from = (const STORED *)part->a + row;
        STORED *to = (STORED *)part->to + row;
        const NUMBER largest = NAME(largest_of)(from, part->columns);
        const NUMBER factor = (NUMBER)(1.0 / NAME(sum_of)(TERM_EXPONENTIAL, from, part->columns,
                                                          largest, is_kept ? to : NULL));
        for (uint64_t i = 0; i < part->columns; i += LANES) {
            const uint64_t left = part->columns - i;
            const NUMBERS x = is_kept ? NAME(load)(to + i, left)
                                      : NAME(exponential)(NAME(load)(from + i, left) - largest);
            NAME(store)(to + i, x * factor, left);
        }
    }
}

static TARGET void NAME(layernorm)(struct way_part *part)
{
    const double n = (double)part->columns;
    for (uint64_t row = 0; row < part->n; row += part->columns) {
        const STORED *from = (const STORED *)part->a + row;
        STORED *to = (STORED *)part->to + row;
        const NUMBER mean = (NUMBER)(NAME(sum_of)(TERM_ITSELF, from, part->columns, 0, NULL) / n);
        const double squares = NAME(sum_of)(TERM_SQUARE, from, part->columns, mean, NULL);
        const NUMBER factor = (NUMBER)(1.0 / sqrt(squares / n + LAYERNORM_EPSILON));
        for (uint64_t i = 0; i < part->columns; i += LANES) {
            const uint64_t left = part->columns - i;
            NAME(store)(to + i, (NAME(load)(from + i, left) - mean) * factor, left);
        }
    }
}

static TARGET void NAME(batchnorm)(struct way_part *part)
{
    for (uint64_t row = 0; row < part->n; row += part->columns) {
        const STORED *from = (const STORED *)part->a + row;
        const STORED *parameters = (const STORED *)part->b + row;
        STORED *to = (STORED *)part->to + row;
        const NUMBER factor = NAME(load)(parameters, 1)[0];
        const NUMBER shift = NAME(load)(parameters + part->columns - 1, 1)[0];
        for (uint64_t i = 0; i < part->columns; i += LANES) {
            const uint64_t left = part->columns - i;
            NAME(store)(to + i, NAME(load)(from + i, left) * factor + shift, left);
        }
    }
}

/* --- images --- */

/* Of `n` elements from `at` on, the larger of each and those beside it, of which there are some. */
EVERYWHERE TARGET NUMBERS NAME(largest_in_line)(const STORED *at, uint64_t n, bool has_left,
                                                bool has_right)
{
    const NUMBERS here = NAME(load)(at, n);
    const NUMBERS left = has_left ? NAME(load)(at - 1, n) : here;
    const NUMBERS right = has_right ? NAME(load)(at + 1, n) : here;
    return NAME(larger)(NAME(larger)(here, left), right);
}

/* Those of an image's line whose neighbours are all there in whole vectors, the others one by one.
 */
static TARGET void NAME(maxpool_line)(const STORED *image, uint64_t columns, uint64_t row,
                                      STORED *to)
{
    const uint64_t first = row > 0 ? row - 1 : 0;
    const uint64_t last = row + 1 < columns ? row + 1 : row;
    uint64_t n = 1;
    for (uint64_t x = 0; x < columns; x += n) {
        n = x > 0 && x + LANES < columns ? LANES : 1;
        NUMBERS largest = NAME(load)(image + row * columns + x, n);
        for (uint64_t line = first; line <= last; line++)
            largest = NAME(larger)(largest, NAME(largest_in_line)(image + line * columns + x, n,
                                                                  x > 0, x + n < columns));
        NAME(store)(to + x, largest, n);
    }
}

static TARGET void NAME(maxpool)(struct way_part *part)
{
    const uint64_t columns = part->columns;
    for (uint64_t line = 0; line < part->n / columns; line++)
        NAME(maxpool_line)
    ((const STORED *)part->a + line / columns * columns * columns, columns, line % columns,
     (STORED *)part->to + line * columns);
}

static TARGET void NAME(sum)(struct way_part *part)
{
    part->sum = NAME(sum_of)(TERM_ITSELF, part->a, part->n, 0, NULL);
}

#undef EACH
#undef LANES
#undef INTEGERS
#undef NUMBERS
#undef NAME
#undef NUMBER
#undef INTEGER
#undef STORED
#undef WIDEN
#undef NARROW
#undef EXPONENTIAL_TERMS
#undef EXPONENTIAL_LOW
#undef EXPONENTIAL_HIGH
#undef EXPONENTIAL_LOG2E
#undef EXPONENTIAL_LN2_HIGH
#undef EXPONENTIAL_LN2_LOW
#undef EXPONENTIAL_ROUNDER
#undef EXPONENTIAL_DIGITS
