/* call_foreign.c - see call_foreign.h. Plugin side. */
#include "call_foreign.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

static ffi_type *scalar_type(enum type_id id)
{
    static ffi_type *const integers[2][4] = {
        {&ffi_type_uint8, &ffi_type_uint16, &ffi_type_uint32, &ffi_type_uint64},
        {&ffi_type_sint8, &ffi_type_sint16, &ffi_type_sint32, &ffi_type_sint64}};
    const struct type_info *info = type_info(id);
    if (info->kind == KIND_VOID)
        return &ffi_type_void;
    if (info->kind == KIND_POINTER)
        return &ffi_type_pointer;
    if (info->kind == KIND_FLOAT)
        return id == TYPE_FLOAT ? &ffi_type_float : &ffi_type_double;
    return integers[info->is_signed][__builtin_ctz(info->bytes)];
}

static ffi_type *any_type(struct foreign *foreign, const struct type *type, size_t place)
{
    if (type->id != TYPE_STRUCT)
        return scalar_type(type->id);
    ffi_type *made = &foreign->structs[place];
    ffi_type **elements = foreign->members[place];
    size_t n = 0, end = 0;
    for (size_t i = 0; i < type->n_members; i++) {
        const size_t bytes = type_info(type->members[i])->bytes;
        /* The end of a struct within; libffi itself aligns the member. */
        for (; end + bytes <= type->offsets[i]; end++)
            elements[n++] = &ffi_type_uint8;
        elements[n++] = scalar_type(type->members[i]);
        end = type->offsets[i] + bytes;
    }
    elements[n] = NULL;
    *made = (ffi_type){.type = FFI_TYPE_STRUCT, .elements = elements};
    return made;
}

bool foreign_make(const struct signature *signature, struct foreign *ret)
{
    const unsigned n = (unsigned)signature->n;
    for (size_t i = 0; i < signature->n; i++)
        ret->arguments[i] = any_type(ret, &signature->parameters[i], i);
    ffi_type *result = any_type(ret, &signature->result, PARAMETERS_MAX);
    if (signature->is_variadic)
        return ffi_prep_cif_var(&ret->cif, FFI_DEFAULT_ABI, (unsigned)signature->n_fixed, n, result,
                                ret->arguments) == FFI_OK;
    return ffi_prep_cif(&ret->cif, FFI_DEFAULT_ABI, n, result, ret->arguments) == FFI_OK;
}

/* ---- functions ---- */

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
