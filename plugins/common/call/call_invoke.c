/*
 * call_invoke.c - see call_invoke.h. Plugin side.
 *
 * Why loops without libffi are sound: in the System V ABI for AMD64 (3.2.3) the first six integers
 * and the first eight floating-point numbers are passed in registers, each kind in its own order,
 * and the rest in eight bytes each on the stack, in the order of all. A callee reads no register
 * and no word of stack that it has no parameter for, and the caller removes the stack, so one
 * prototype serves all signatures that need no more registers and stack than it has. The ABI allows
 * it; C does not, as the function is called through a pointer of another type. Tools that check
 * such pointers
 * (-fsanitize=cfi, function) end the process at the call: configure turns these loops off with any
 * -fsanitize=, on other processors the preprocessor does, and `./configure --with-libffi-only` does
 * on request.
 */
#include "call_invoke.h"

#include "plugins/common/measuring.h"

#if defined(__x86_64__) && defined(__LP64__) && !defined(CALL_LIBFFI_ONLY)

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
 * makes the compiler pass the number of floating-point registers, as variadic functions need it.
 */
#define SHAPES(X)                                                                                  \
    X(integers, U64, (INTEGERS), (PASS_INTEGERS))                                                  \
    X(floats, U64, (U64, ...), (PASS_INTEGERS, PASS_FLOATS))                                       \
    X(stack8, U64, (U64, ...), (PASS_INTEGERS, PASS_FLOATS, PASS_EIGHT(s)))                        \
    X(to_float, double, (U64, ...), (PASS_INTEGERS, PASS_FLOATS))                                  \
    X(stack8_to_float, double, (U64, ...), (PASS_INTEGERS, PASS_FLOATS, PASS_EIGHT(s)))            \
    X(all, U64, (U64, ...), PASS_ALL)                                                              \
    X(all_to_float, double, (U64, ...), PASS_ALL)                                                  \
    X(most, U64, (U64, ...), PASS_MOST)                                                            \
    X(most_to_float, double, (U64, ...), PASS_MOST)                                                \
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
        const struct direct *const direct = &invocation->direct;                                   \
        const U64 *const i = direct->integers, *const s = direct->stack;                           \
        const U64 i0 = i[0], i1 = i[1], i2 = i[2], i3 = i[3], i4 = i[4], i5 = i[5];                \
        const double *const f = direct->floats;                                                    \
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
        if (!direct->returns_memory)                                                               \
            memcpy(invocation->result.bytes, &result, sizeof result);                              \
    }
SHAPES(LOOP)

/* ---- classes of arguments ---- */

enum { HALVES_MAX = 2 };

static void add_integer(struct direct *direct, uint64_t bits)
{
    direct->integers[direct->n_integers++] = bits;
}

static void add_float(struct direct *direct, uint64_t bits)
{
    memcpy(&direct->floats[direct->n_floats++], &bits, sizeof bits);
}

static bool add_stack(struct direct *direct, uint64_t bits)
{
    if (direct->n_stack == STACK_MAX)
        return false;
    direct->stack[direct->n_stack++] = bits;
    return true;
}

static bool add_scalar(struct direct *direct, const struct raw *value, enum type_id type)
{
    const struct type_info *info = type_info(type);
    /* As the callee may rely on: shorter integers with their sign in all of a register. */
    const uint64_t bits = element_bits(type, value->bytes);
    if (info->kind == KIND_FLOAT && direct->n_floats < REGISTERS_FLOAT)
        add_float(direct, bits);
    else if (info->kind != KIND_FLOAT && direct->n_integers < REGISTERS_INTEGER)
        add_integer(direct, bits);
    else
        return add_stack(direct, bits);
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

static bool add_struct(struct direct *direct, const struct raw *value, const struct type *type)
{
    bool is_float[HALVES_MAX] = {false, false};
    uint64_t words[RAW_BYTES / 8];
    size_t n_floats = 0;
    const size_t n = halves_of(type, is_float);
    memcpy(words, value->bytes, sizeof words);
    for (size_t i = 0; i < n; i++)
        n_floats += is_float[i];
    const bool fits = n > 0 && direct->n_floats + n_floats <= REGISTERS_FLOAT &&
                      direct->n_integers + n - n_floats <= REGISTERS_INTEGER;
    for (size_t i = 0; i < (type_bytes(type) + 7) / 8; i++) {
        if (!fits && !add_stack(direct, words[i]))
            return false;
        if (fits && is_float[i])
            add_float(direct, words[i]);
        else if (fits)
            add_integer(direct, words[i]);
    }
    return true;
}

/* ---- shapes ---- */

/* Words of stack that these pass; none of the loops with STACK_MAX returns two registers. */
enum { STACK_EIGHT = 8, STACK_ALL = 16 };

static invocation_loop_fn *scalar_loop(const struct direct *direct, bool is_variadic,
                                       bool returns_float)
{
    if (direct->n_stack > STACK_ALL)
        return returns_float ? loop_most_to_float : loop_most;
    if (direct->n_stack > STACK_EIGHT)
        return returns_float ? loop_all_to_float : loop_all;
    if (direct->n_stack > 0)
        return returns_float ? loop_stack8_to_float : loop_stack8;
    if (returns_float)
        return loop_to_float;
    return direct->n_floats > 0 || is_variadic ? loop_floats : loop_integers;
}

static invocation_loop_fn *loop_of(const struct direct *direct, const struct signature *signature)
{
    static invocation_loop_fn *const pairs[2][2] = {
        {loop_all_to_two_integers, loop_all_to_integer_float},
        {loop_all_to_float_integer, loop_all_to_two_floats}};
    const struct type *result = &signature->result;
    bool is_float[HALVES_MAX];
    if (result->id != TYPE_STRUCT)
        return scalar_loop(direct, signature->is_variadic, type_kind(result) == KIND_FLOAT);
    const size_t n = halves_of(result, is_float);
    if (n < 2)
        return scalar_loop(direct, signature->is_variadic, n == 1 && is_float[0]);
    return direct->n_stack > STACK_ALL ? NULL : pairs[is_float[0]][is_float[1]];
}

/* Sorts the values of an invocation; the loop that calls its function with them. NULL: libffi is
 * needed, for this signature or in this build. */
static invocation_loop_fn *direct_loop(struct invocation *invocation)
{
    const struct signature *signature = invocation->signature;
    struct direct *direct = &invocation->direct;
    bool is_float[HALVES_MAX];
    direct->n_integers = direct->n_floats = direct->n_stack = 0;
    direct->returns_memory = signature->result.id == TYPE_STRUCT &&
                             halves_of(&signature->result, is_float) == 0;
    if (direct->returns_memory) /* at the address that is the first argument */
        add_integer(direct, (uint64_t)(uintptr_t)invocation->result.bytes);
    for (size_t i = 0; i < signature->n; i++) {
        const struct type *type = &signature->parameters[i];
        const struct raw *value = &invocation->values[i];
        if (!(type->id == TYPE_STRUCT ? add_struct(direct, value, type)
                                      : add_scalar(direct, value, type->id)))
            return NULL;
    }
    return loop_of(direct, signature);
}

#else

static invocation_loop_fn *direct_loop(struct invocation *invocation)
{
    (void)invocation;
    return NULL;
}

#endif

/* ---- invocations ---- */

/* libffi 3.4 lets a place point to its own copy of a large struct, which is gone after the call. */
static void loop_foreign(struct invocation *invocation, uint64_t iterations)
{
    void (*function)(void);
    void *places[PARAMETERS_MAX];
    const size_t bytes = invocation->signature->n * sizeof *places;
    const uint64_t mask = invocation->mask, ok = invocation->ok;
    uint64_t status = 0, wrong = 0;
    memcpy(&function, &invocation->function, sizeof function);
    for (; iterations > 0; iterations--) {
        memcpy(places, invocation->places, bytes);
        ffi_call(&invocation->foreign.cif, function, invocation->result.bytes, places);
        memcpy(&status, invocation->result.bytes, sizeof status);
        wrong |= (status ^ ok) & mask;
    }
    invocation->wrong |= wrong;
}

void invocation_run(struct invocation *invocation, uint64_t iterations)
{
    invocation->loop(invocation, iterations);
}

bool invocation_make(struct invocation *invocation)
{
    for (size_t i = 0; i < PARAMETERS_MAX; i++)
        invocation->places[i] = invocation->values[i].bytes;
    invocation_loop_fn *direct = invocation->is_foreign ? NULL : direct_loop(invocation);
    invocation->loop = direct != NULL ? direct : loop_foreign;
    return foreign_make(invocation->signature, &invocation->foreign);
}

int32_t invocation_bind(struct world *world, const struct routine *routine, void *function,
                        struct invocation *ret)
{
    const struct gb_host *host = world->plan->host;
    ret->function = function;
    ret->signature = &routine->signature;
    ret->mask = ret->wrong = 0;
    const int32_t status = world_arguments(world, routine, ret->values);
    if (status != GB_OK)
        return status;
    return invocation_make(ret) ? GB_OK
                                : host->fail(host, "libffi does not support this signature");
}

void invocation_expect(struct invocation *invocation, const struct number *ok)
{
    const uint32_t bytes = type_info(invocation->signature->result.id)->bytes;
    invocation->mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    invocation->ok = ok->is_negative ? UINT64_C(0) - ok->magnitude : ok->magnitude;
}

/* ---- what a call costs ---- */

static void do_nothing(void)
{
}

void invocation_empty(const struct invocation *invocation, struct invocation *ret)
{
    /* Volatile, so that no compiler sees which function it is and that nothing is done. */
    static void (*volatile function)(void) = do_nothing;
    void (*const called)(void) = function;
    *ret = *invocation;
    memcpy(&ret->function, &called, sizeof ret->function);
    ret->mask = 0;
    invocation_make(ret);
}

/* The shortest of some rounds: whatever else the machine does only makes them longer. */
double invocation_overhead_ns(struct invocation *empty)
{
    enum { ROUNDS = 20, CALLS = 1000 };
    double shortest = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double begin = clock_ns(CLOCK_MONOTONIC);
        invocation_run(empty, CALLS);
        const double duration = clock_ns(CLOCK_MONOTONIC) - begin;
        shortest = i == 0 || duration < shortest ? duration : shortest;
    }
    return shortest / (double)CALLS;
}
