/* call_invoke.c - see call_invoke.h. Plugin side. */
#include "call_invoke.h"

#include <string.h>
#include <time.h>

/*
 * System V ABI for AMD64, 3.2.3: the first six integers and the first eight floating-point numbers
 * are passed in registers, each kind in its own order, the rest in eight bytes each on the stack,
 * in the order of all. A function does not see what it has no parameter for, so that one prototype
 * serves all signatures that need no more registers and stack than it has.
 */
#if defined(__x86_64__) && defined(__LP64__)
enum { HAS_DIRECT_CALLS = 1 };
#else
enum { HAS_DIRECT_CALLS = 0 };
#endif

#define U64 uint64_t
#define INTEGERS U64, U64, U64, U64, U64, U64
#define PASS_INTEGERS i0, i1, i2, i3, i4, i5
#define PASS_FLOATS f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
#define PASS_EIGHT(s) (s)[0], (s)[1], (s)[2], (s)[3], (s)[4], (s)[5], (s)[6], (s)[7]

/* Structs of up to 16 bytes come back in two registers, each of the kind of its half. */
struct two_integers {
    U64 a, b;
};
struct two_floats {
    double a, b;
};
struct integer_float {
    U64 a;
    double b;
};
struct float_integer {
    double a;
    U64 b;
};

/*
 * X(name, what it returns, parameters, arguments): a loop for each shape of a call. An ellipsis
 * lets the compiler tell the number of floating-point registers, as variadic functions want it.
 */
#define SHAPES(X)                                                                                  \
    X(integers, U64, (INTEGERS), (PASS_INTEGERS))                                                  \
    X(floats, U64, (U64, ...), (PASS_INTEGERS, PASS_FLOATS))                                       \
    X(stack8, U64, (U64, ...), (PASS_INTEGERS, PASS_FLOATS, PASS_EIGHT(s)))                        \
    X(to_float, double, (U64, ...), (PASS_INTEGERS, PASS_FLOATS))                                  \
    X(stack8_to_float, double, (U64, ...), (PASS_INTEGERS, PASS_FLOATS, PASS_EIGHT(s)))            \
    X(all, U64, (U64, ...), PASS_ALL)                                                              \
    X(most, U64, (U64, ...), PASS_MOST)                                                            \
    X(most_to_float, double, (U64, ...), PASS_MOST)                                                \
    X(all_to_float, double, (U64, ...), PASS_ALL)                                                  \
    X(all_to_two_integers, struct two_integers, (U64, ...), PASS_ALL)                              \
    X(all_to_two_floats, struct two_floats, (U64, ...), PASS_ALL)                                  \
    X(all_to_integer_float, struct integer_float, (U64, ...), PASS_ALL)                            \
    X(all_to_float_integer, struct float_integer, (U64, ...), PASS_ALL)
#define PASS_ALL (PASS_INTEGERS, PASS_FLOATS, PASS_EIGHT(s), PASS_EIGHT(s + 8))
#define PASS_MOST                                                                                  \
    (PASS_INTEGERS, PASS_FLOATS, PASS_EIGHT(s), PASS_EIGHT(s + 8), PASS_EIGHT(s + 16),             \
     PASS_EIGHT(s + 24))

/* All loops have the same parameters and locals; not each uses all of them. */
#define LOOP(name, returned, parameters, arguments)                                                \
    static void loop_##name(struct invocation *invocation, uint64_t iterations)                    \
    {                                                                                              \
        typedef returned function_type parameters;                                                 \
        function_type *function;                                                                   \
        const U64 *const i = invocation->integers, *const s = invocation->stack;                   \
        const U64 i0 = i[0], i1 = i[1], i2 = i[2], i3 = i[3], i4 = i[4], i5 = i[5];                \
        const double *const f = invocation->floats;                                                \
        const U64 mask = invocation->mask, ok = invocation->ok;                                    \
        U64 status = 0, wrong = 0;                                                                 \
        returned result;                                                                           \
        (void)s;                                                                                   \
        (void)f;                                                                                   \
        memset(&result, 0, sizeof result);                                                         \
        memcpy(&function, &invocation->function, sizeof function);                                 \
        for (; iterations > 0; iterations--) {                                                     \
            result = function arguments;                                                           \
            memcpy(&status, &result, sizeof status);                                               \
            wrong |= (status ^ ok) & mask;                                                         \
        }                                                                                          \
        invocation->wrong |= wrong;                                                                \
        if (!invocation->returns_memory)                                                           \
            memcpy(invocation->result.bytes, &result, sizeof result);                              \
    }
SHAPES(LOOP)

static void loop_foreign(struct invocation *invocation, uint64_t iterations)
{
    void (*function)(void);
    const uint64_t mask = invocation->mask, ok = invocation->ok;
    uint64_t status = 0, wrong = 0;
    memcpy(&function, &invocation->function, sizeof function);
    for (; iterations > 0; iterations--) {
        ffi_call(&invocation->foreign.cif, function, invocation->result.bytes, invocation->places);
        memcpy(&status, invocation->result.bytes, sizeof status);
        wrong |= (status ^ ok) & mask;
    }
    invocation->wrong |= wrong;
}

void invocation_run(struct invocation *invocation, uint64_t iterations)
{
    invocation->loop(invocation, iterations);
}

/* ---- classes of arguments ---- */

enum { HALVES_MAX = 2 };

/* As the callee may rely on: shorter integers with their sign in all of a register. */
static uint64_t widened(const struct raw *value, const struct type_info *info)
{
    uint64_t bits = 0;
    memcpy(&bits, value->bytes, info->bytes);
    const unsigned unused = 64u - 8u * info->bytes;
    return info->is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

static void add_integer(struct invocation *invocation, uint64_t bits)
{
    invocation->integers[invocation->n_integers++] = bits;
}

static void add_float(struct invocation *invocation, uint64_t bits)
{
    memcpy(&invocation->floats[invocation->n_floats++], &bits, sizeof bits);
}

static bool add_stack(struct invocation *invocation, uint64_t bits)
{
    if (invocation->n_stack == STACK_MAX)
        return false;
    invocation->stack[invocation->n_stack++] = bits;
    return true;
}

static bool add_scalar(struct invocation *invocation, const struct raw *value, enum type_id type)
{
    const struct type_info *info = type_info(type);
    const uint64_t bits = widened(value, info);
    if (info->kind == KIND_FLOAT && invocation->n_floats < REGISTERS_FLOAT)
        add_float(invocation, bits);
    else if (info->kind != KIND_FLOAT && invocation->n_integers < REGISTERS_INTEGER)
        add_integer(invocation, bits);
    else
        return add_stack(invocation, bits);
    return true;
}

/* How many halves of eight bytes a struct has, and which of them hold floating-point numbers only;
 * 0: too many for registers. */
static size_t halves_of(const struct type *type, bool is_float[HALVES_MAX])
{
    const size_t n = (type_bytes(type) + 7) / 8;
    if (n > HALVES_MAX)
        return 0;
    is_float[0] = is_float[1] = true;
    for (size_t i = 0; i < type->n_members; i++)
        if (type_info(type->members[i])->kind != KIND_FLOAT)
            is_float[type->offsets[i] / 8] = false;
    return n;
}

static bool add_struct(struct invocation *invocation, const struct raw *value,
                       const struct type *type)
{
    bool is_float[HALVES_MAX] = {false, false};
    uint64_t words[RAW_BYTES / 8];
    size_t n_floats = 0;
    const size_t n = halves_of(type, is_float);
    memcpy(words, value->bytes, sizeof words);
    for (size_t i = 0; i < n; i++)
        n_floats += is_float[i];
    const bool fits = n > 0 && invocation->n_floats + n_floats <= REGISTERS_FLOAT &&
                      invocation->n_integers + n - n_floats <= REGISTERS_INTEGER;
    for (size_t i = 0; i < (type_bytes(type) + 7) / 8; i++) {
        if (!fits && !add_stack(invocation, words[i]))
            return false;
        if (fits && is_float[i])
            add_float(invocation, words[i]);
        else if (fits)
            add_integer(invocation, words[i]);
    }
    return true;
}

/* ---- shapes ---- */

/* What those of some shapes have on the stack; of STACK_MAX there are none that return two
 * registers. */
enum { STACK_EIGHT = 8, STACK_ALL = 16 };

static invocation_loop_fn *scalar_loop(const struct invocation *invocation, bool returns_float)
{
    const bool has_floats = invocation->n_floats > 0 || invocation->signature->is_variadic;
    if (invocation->n_stack > STACK_ALL)
        return returns_float ? loop_most_to_float : loop_most;
    if (invocation->n_stack > STACK_EIGHT)
        return returns_float ? loop_all_to_float : loop_all;
    if (invocation->n_stack > 0)
        return returns_float ? loop_stack8_to_float : loop_stack8;
    return returns_float ? loop_to_float : has_floats ? loop_floats : loop_integers;
}

static invocation_loop_fn *loop_of(const struct invocation *invocation)
{
    static invocation_loop_fn *const pairs[2][2] = {
        {loop_all_to_two_integers, loop_all_to_integer_float},
        {loop_all_to_float_integer, loop_all_to_two_floats}};
    const struct type *result = &invocation->signature->result;
    bool is_float[HALVES_MAX];
    if (result->id != TYPE_STRUCT)
        return scalar_loop(invocation, type_kind(result) == KIND_FLOAT);
    const size_t n = halves_of(result, is_float);
    return n == 2 ? pairs[is_float[0]][is_float[1]]
                  : scalar_loop(invocation, n == 1 && is_float[0]);
}

static bool make_direct(struct invocation *invocation)
{
    const struct signature *signature = invocation->signature;
    bool is_float[HALVES_MAX];
    invocation->n_integers = invocation->n_floats = invocation->n_stack = 0;
    invocation->returns_memory = signature->result.id == TYPE_STRUCT &&
                                 halves_of(&signature->result, is_float) == 0;
    if (!HAS_DIRECT_CALLS)
        return false;
    if (invocation->returns_memory) /* at the address that is the first argument */
        add_integer(invocation, (uint64_t)(uintptr_t)invocation->result.bytes);
    for (size_t i = 0; i < signature->n; i++) {
        const struct type *type = &signature->parameters[i];
        const struct raw *value = &invocation->values[i];
        if (!(type->id == TYPE_STRUCT ? add_struct(invocation, value, type)
                                      : add_scalar(invocation, value, type->id)))
            return false;
    }
    return invocation->n_stack <= STACK_ALL || signature->result.id != TYPE_STRUCT ||
           invocation->returns_memory;
}

bool invocation_make(struct invocation *invocation)
{
    for (size_t i = 0; i < PARAMETERS_MAX; i++)
        invocation->places[i] = invocation->values[i].bytes;
    const bool is_direct = !invocation->is_foreign && make_direct(invocation);
    invocation->loop = is_direct ? loop_of(invocation) : loop_foreign;
    return foreign_make(invocation->signature, &invocation->foreign);
}

void invocation_expect(struct invocation *invocation, const struct number *ok)
{
    const uint32_t bytes = type_info(invocation->signature->result.id)->bytes;
    invocation->mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    invocation->ok = ok->is_negative ? UINT64_C(0) - ok->magnitude : ok->magnitude;
}

/* ---- what a call costs ---- */

static void empty(void)
{
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The shortest of some rounds: whatever else the machine does only makes them longer. */
double invocation_overhead_ns(const struct invocation *invocation)
{
    enum { ROUNDS = 20, CALLS = 1000 };
    /* Volatile, so that no compiler sees which function it is and that nothing is done. */
    static void (*volatile function)(void) = empty;
    void (*const called)(void) = function;
    struct invocation idle = *invocation;
    double shortest = 0;
    memcpy(&idle.function, &called, sizeof idle.function);
    invocation_make(&idle);
    for (int i = 0; i < ROUNDS; i++) {
        const double begin = now_ns();
        invocation_run(&idle, CALLS);
        const double duration = now_ns() - begin;
        shortest = i == 0 || duration < shortest ? duration : shortest;
    }
    return shortest / CALLS;
}
