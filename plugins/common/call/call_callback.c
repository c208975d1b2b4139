/* call_callback.c - see call_callback.h. Plugin side. */
#include "call_callback.h"

#include "call_foreign.h"

#include <stdlib.h>
#include <string.h>

/* X(constant, C type) */
#define COMPARED_TYPES(X)                                                                          \
    X(BOOL, uint8_t)                                                                               \
    X(INT8, int8_t)                                                                                \
    X(UINT8, uint8_t)                                                                              \
    X(INT16, int16_t)                                                                              \
    X(UINT16, uint16_t)                                                                            \
    X(INT32, int32_t)                                                                              \
    X(UINT32, uint32_t)                                                                            \
    X(INT64, int64_t)                                                                              \
    X(UINT64, uint64_t)                                                                            \
    X(FLOAT, float)                                                                                \
    X(DOUBLE, double)

#define COMPARISON(constant, type)                                                                 \
    static int compare_##constant(const void *a, const void *b)                                    \
    {                                                                                              \
        const type first = *(const type *)a, second = *(const type *)b;                            \
        return (first > second) - (first < second);                                                \
    }
COMPARED_TYPES(COMPARISON)

typedef int comparison_fn(const void *a, const void *b);

void *compare_function(enum type_id type)
{
    static comparison_fn *const functions[TYPES] = {
#define COMPARISON_ENTRY(constant, c_type) [TYPE_##constant] = compare_##constant,
        COMPARED_TYPES(COMPARISON_ENTRY)};
    void *address;
    memcpy(&address, &functions[type], sizeof address);
    return address;
}

struct closure {
    struct closure *next;
    ffi_closure *closure;
    struct foreign foreign;
    size_t result_bytes;
    unsigned char result[sizeof(ffi_arg)];
};

/* libffi takes integers shorter than a register as a whole one. */
static void answer(ffi_cif *cif, void *result, void **arguments, void *context)
{
    const struct closure *closure = context;
    (void)cif;
    (void)arguments;
    memcpy(result, closure->result, closure->result_bytes);
}

static void set_result(struct closure *closure, enum type_id type, const struct number *number)
{
    const struct type_info *info = type_info(type);
    ffi_sarg wide = 0;
    if (info->kind == KIND_VOID)
        return;
    closure->result_bytes = info->bytes > sizeof wide ? info->bytes : sizeof wide;
    if (info->kind == KIND_FLOAT && number != NULL) {
        closure->result_bytes = info->bytes;
        number_store(number, type, closure->result);
        return;
    }
    if (number != NULL)
        wide = (ffi_sarg)(number->is_negative ? UINT64_C(0) - number->magnitude
                                              : number->magnitude);
    memcpy(closure->result, &wide, sizeof wide);
}

void *closure_new(const struct signature *signature, const struct number *number,
                  struct closure **chain)
{
    void *code = NULL;
    struct closure *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->closure = ffi_closure_alloc(sizeof *made->closure, &code);
    set_result(made, signature->result.id, number);
    made->next = *chain;
    *chain = made;
    if (made->closure == NULL || !foreign_make(signature, &made->foreign) ||
        ffi_prep_closure_loc(made->closure, &made->foreign.cif, answer, made, code) != FFI_OK)
        return NULL;
    return code;
}

void closure_free(struct closure *chain)
{
    while (chain != NULL) {
        struct closure *next = chain->next;
        if (chain->closure != NULL)
            ffi_closure_free(chain->closure);
        free(chain);
        chain = next;
    }
}
