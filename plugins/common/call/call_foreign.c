/* call_foreign.c - see call_foreign.h. Plugin side. */
#include "call_foreign.h"

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
