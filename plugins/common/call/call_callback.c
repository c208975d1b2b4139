/* call_callback.c - see call_callback.h. Plugin side. */
#include "call_callback.h"

#include "call_foreign.h"

#include <stdlib.h>
#include <string.h>

/* One for each type; the parser refuses those that C has no numbers for. */
#define COMPARISON(constant, name, kind, type, is_signed, format)                                  \
    static int compare_##constant(const void *a, const void *b)                                    \
    {                                                                                              \
        type const first = *(type const *)a;                                                       \
        type const second = *(type const *)b;                                                      \
        return (first > second) - (first < second);                                                \
    }
TYPE_MAP(COMPARISON)

typedef int comparison_fn(const void *a, const void *b);

void *compare_function(enum type_id type)
{
    static comparison_fn *const functions[TYPES] = {
#define COMPARISON_ENTRY(constant, name, kind, type, is_signed, format) compare_##constant,
        TYPE_MAP(COMPARISON_ENTRY)};
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
    const bool is_float = type_info(type)->kind == KIND_FLOAT;
    if (type == TYPE_VOID)
        return;
    closure->result_bytes = is_float ? type_info(type)->bytes : sizeof(ffi_arg);
    if (number == NULL)
        return;
    number_store(number, type, closure->result);
    const uint64_t wide = element_bits(type, closure->result);
    memcpy(closure->result, &wide, closure->result_bytes);
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
