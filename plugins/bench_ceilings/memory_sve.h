/*
 * memory_sve.h - the ways through memory with vectors of SVE, of whatever length the processor has,
 * up to 64 bytes. Included by memory.c for AArch64. Plugin side.
 *
 * As in memory_body.h: eight vectors a step, all loaded before the first is stored.
 */
#define SVE_EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define SVE_LOAD(j) "ld1d {z" #j ".d}, p0/z, [%[from], #" #j ", mul vl]\n"
#define SVE_LOAD_MORE(j) "ld1d {z1" #j ".d}, p0/z, [%[more], #" #j ", mul vl]\n"
#define SVE_MIX(j) "eor z1" #j ".d, z1" #j ".d, z" #j ".d\n"
#define SVE_SCALE(j) "fmla z" #j ".d, p0/m, z1" #j ".d, z20.d\n"
#define SVE_AGAIN(pointer) "addvl %[" #pointer "], %[" #pointer "], #8\n"
#define SVE_REPEAT "subs %[n], %[n], #1\n b.ne 1b\n"

static uint64_t sve_steps(uint64_t bytes)
{
    uint64_t vector_bytes;
    __asm__(".arch_extension sve\n rdvl %0, #1" : "=r"(vector_bytes));
    return bytes / (8 * vector_bytes);
}

static uint64_t read_sve(const void *memory, uint64_t bytes, uint64_t n_passes)
{
#define ZERO(j) "mov z1" #j ".d, #0\n"
    uint64_t lanes[8] = {0};
    uint64_t sum = 0;
    for (uint64_t pass = 0; pass < n_passes; pass++) {
        const void *from = memory;
        uint64_t n = sve_steps(bytes);
        __asm__ volatile(SVE_BEGIN SVE_EACH(ZERO) "1:\n" SVE_EACH(SVE_LOAD) SVE_EACH(SVE_MIX)
                             SVE_AGAIN(from) SVE_REPEAT
                         "eor z10.d, z10.d, z11.d\n eor z12.d, z12.d, z13.d\n"
                         "eor z14.d, z14.d, z15.d\n eor z16.d, z16.d, z17.d\n"
                         "eor z10.d, z10.d, z12.d\n eor z14.d, z14.d, z16.d\n"
                         "eor z10.d, z10.d, z14.d\n"
                         "ld1d {z0.d}, p0/z, [%[lanes]]\n add z0.d, z0.d, z10.d\n"
                         "st1d {z0.d}, p0, [%[lanes]]\n"
                         : [from] "+r"(from), [n] "+r"(n)
                         : [lanes] "r"(lanes)
                         : SVE_CLOBBERED);
    }
    for (int i = 0; i < 8; i++)
        sum += lanes[i];
    return sum;
#undef ZERO
}

/* With `store` an instruction: st1d, or stnt1d, which is not to leave the memory in the caches. */
#define SVE_WAYS(suffix, store)                                                                    \
    static void write_##suffix(void *memory, uint64_t bytes, uint64_t n_passes, uint64_t word)     \
    {                                                                                              \
        for (uint64_t pass = 0; pass < n_passes; pass++) {                                         \
            void *to = memory;                                                                     \
            uint64_t n = sve_steps(bytes);                                                         \
            __asm__ volatile(SVE_BEGIN "mov z0.d, %[word]\n 1:\n" SVE_EACH(SVE_SET_##store)        \
                                 SVE_AGAIN(to) SVE_REPEAT                                          \
                             : [to] "+r"(to), [n] "+r"(n)                                          \
                             : [word] "r"(word)                                                    \
                             : SVE_CLOBBERED);                                                     \
        }                                                                                          \
    }                                                                                              \
    static void copy_##suffix(void *memory, const void *source, uint64_t bytes, uint64_t n_passes) \
    {                                                                                              \
        for (uint64_t pass = 0; pass < n_passes; pass++) {                                         \
            void *to = memory;                                                                     \
            const void *from = source;                                                             \
            uint64_t n = sve_steps(bytes);                                                         \
            __asm__ volatile(SVE_BEGIN "1:\n" SVE_EACH(SVE_LOAD) SVE_EACH(SVE_STORE_##store)       \
                                 SVE_AGAIN(from) SVE_AGAIN(to) SVE_REPEAT                          \
                             : [to] "+r"(to), [from] "+r"(from), [n] "+r"(n)                       \
                             :                                                                     \
                             : SVE_CLOBBERED);                                                     \
        }                                                                                          \
    }                                                                                              \
    static void triad_##suffix(void *memory, const void *b, const void *c, uint64_t bytes,         \
                               uint64_t n_passes)                                                  \
    {                                                                                              \
        const double scale = MEMORY_SCALE;                                                         \
        for (uint64_t pass = 0; pass < n_passes; pass++) {                                         \
            void *to = memory;                                                                     \
            const void *from = b;                                                                  \
            const void *more = c;                                                                  \
            uint64_t n = sve_steps(bytes);                                                         \
            __asm__ volatile(SVE_BEGIN "ld1rd {z20.d}, p0/z, [%[scale]]\n 1:\n" SVE_EACH(SVE_LOAD) \
                                 SVE_EACH(SVE_LOAD_MORE) SVE_EACH(SVE_SCALE)                       \
                                     SVE_EACH(SVE_STORE_##store) SVE_AGAIN(from) SVE_AGAIN(more)   \
                                         SVE_AGAIN(to) SVE_REPEAT                                  \
                             : [to] "+r"(to), [from] "+r"(from), [more] "+r"(more), [n] "+r"(n)    \
                             : [scale] "r"(&scale)                                                 \
                             : SVE_CLOBBERED);                                                     \
        }                                                                                          \
    }
#define SVE_STORE_st1d(j) "st1d {z" #j ".d}, p0, [%[to], #" #j ", mul vl]\n"
#define SVE_STORE_stnt1d(j) "stnt1d {z" #j ".d}, p0, [%[to], #" #j ", mul vl]\n"
#define SVE_SET_st1d(j) "st1d {z0.d}, p0, [%[to], #" #j ", mul vl]\n"
#define SVE_SET_stnt1d(j) "stnt1d {z0.d}, p0, [%[to], #" #j ", mul vl]\n"
SVE_WAYS(sve, st1d)
SVE_WAYS(sve_stream, stnt1d)
