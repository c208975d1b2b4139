/*
 * rates_body.h - chains of multiply-adds for one processor and type, included once for each. Plugin
 * side.
 *
 * Takes NAME, TARGET (an attribute or nothing), ELEMENT, NUMBERS (a vector of it, or itself),
 * CHAINS(DO), which writes DO(0) and so on for each chain, FUSE(x, a, b) and HOLD(x), which keeps
 * the compiler from making vectors of scalars; undefines them all. Chains are variables of their
 * own, since an array may be kept in memory.
 */
static TARGET void NAME(const struct rate_constants *constants, const void *start, void *end,
                        uint64_t n_steps)
{
    const NUMBERS zero = {0};
    const NUMBERS a = zero + (ELEMENT)constants->a;
    const NUMBERS b = zero + (ELEMENT)constants->b;
    const NUMBERS c = zero + (ELEMENT)constants->c;
    const NUMBERS d = zero + (ELEMENT)constants->d;
#define LOAD(j)                                                                                    \
    NUMBERS x##j;                                                                                  \
    memcpy(&x##j, (const char *)start + (j) * sizeof x##j, sizeof x##j);
#define FIRST(j)                                                                                   \
    x##j = FUSE(x##j, a, b);                                                                       \
    HOLD(x##j);
#define SECOND(j)                                                                                  \
    x##j = FUSE(x##j, c, d);                                                                       \
    HOLD(x##j);
#define STORE(j) memcpy((char *)end + (j) * sizeof x##j, &x##j, sizeof x##j);
    CHAINS(LOAD)
    /* Counting the steps takes a unit from the chains: seldom, then. */
    _Pragma("GCC unroll 8") for (uint64_t i = 0; i < n_steps;
                                 i += 2){CHAINS(FIRST) CHAINS(SECOND)} CHAINS(STORE)
#undef LOAD
#undef FIRST
#undef SECOND
#undef STORE
}
#undef NAME
#undef TARGET
#undef ELEMENT
#undef NUMBERS
#undef CHAINS
#undef FUSE
#undef HOLD
