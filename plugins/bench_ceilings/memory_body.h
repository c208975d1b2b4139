/*
 * memory_body.h - the ways through memory for one processor, included once for each. Plugin side.
 *
 * Takes NAME(way), TARGET (an attribute or nothing), VECTOR_BYTES, STORE(at, a, b) of two vectors,
 * FINISH, what makes such stores visible, and XOR3(a, b, c); undefines them all.
 *
 * What is read is mixed two vectors at a time, since adding each of them takes longer than loading
 * it where vectors are wide.
 *
 * Eight vectors a step, written out and held until all are loaded: of a plain loop the compiler
 * would make a call of memcpy.
 */
typedef uint64_t NAME(words) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double NAME(numbers) __attribute__((vector_size(VECTOR_BYTES), may_alias));
#define WORDS NAME(words)
#define NUMBERS NAME(numbers)
#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define PAIRS(DO) DO(0, 1) DO(2, 3) DO(4, 5) DO(6, 7)

static TARGET uint64_t NAME(read)(const void *from, uint64_t bytes, uint64_t n_passes)
{
    enum { LANES = VECTOR_BYTES / sizeof(uint64_t) };
    const WORDS *at = from;
    WORDS total = {0};
    uint64_t lanes[LANES];
    uint64_t sum = 0;
    for (uint64_t pass = 0; pass < n_passes; pass++) {
        WORDS mixed[4] = {0};
        for (uint64_t i = 0; i < bytes / VECTOR_BYTES; i += 8) {
#define MIX(j) mixed[j] = XOR3(mixed[j], at[i + 2 * (j)], at[i + 2 * (j) + 1])
            MIX(0);
            MIX(1);
            MIX(2);
            MIX(3);
#undef MIX
            GB_CLOBBER();
        }
        total += mixed[0] ^ mixed[1] ^ mixed[2] ^ mixed[3];
    }
    memcpy(lanes, &total, sizeof lanes);
    for (int i = 0; i < LANES; i++)
        sum += lanes[i];
    return sum;
}

static TARGET void NAME(write)(void *to, uint64_t bytes, uint64_t n_passes, uint64_t word)
{
    WORDS *at = to;
    const WORDS vector = (WORDS){0} + word;
    for (uint64_t pass = 0; pass < n_passes; pass++) {
        for (uint64_t i = 0; i < bytes / VECTOR_BYTES; i += 8) {
#define SET(j, k) STORE(&at[i + (j)], vector, vector);
            PAIRS(SET)
#undef SET
            GB_CLOBBER();
        }
    }
    FINISH;
}

static TARGET void NAME(copy)(void *to, const void *from, uint64_t bytes, uint64_t n_passes)
{
    WORDS *at = to;
    const WORDS *source = from;
    for (uint64_t pass = 0; pass < n_passes; pass++) {
        for (uint64_t i = 0; i < bytes / VECTOR_BYTES; i += 8) {
#define LOAD(j) const WORDS held##j = source[i + (j)];
#define SET(j, k) STORE(&at[i + (j)], held##j, held##k);
            EIGHT(LOAD)
            PAIRS(SET)
#undef LOAD
#undef SET
            GB_CLOBBER();
        }
    }
    FINISH;
}

static TARGET void NAME(triad)(void *to, const void *b, const void *c, uint64_t bytes,
                               uint64_t n_passes)
{
    WORDS *at = to;
    const NUMBERS *left = b;
    const NUMBERS *right = c;
    for (uint64_t pass = 0; pass < n_passes; pass++) {
        for (uint64_t i = 0; i < bytes / VECTOR_BYTES; i += 8) {
#define COMBINE(j) const NUMBERS held##j = left[i + (j)] + MEMORY_SCALE * right[i + (j)];
#define SET(j, k) STORE(&at[i + (j)], (WORDS)held##j, (WORDS)held##k);
            EIGHT(COMBINE)
            PAIRS(SET)
#undef COMBINE
#undef SET
            GB_CLOBBER();
        }
    }
    FINISH;
}

#undef WORDS
#undef NUMBERS
#undef EIGHT
#undef PAIRS
#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef STORE
#undef FINISH
#undef XOR3
