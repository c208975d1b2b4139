/*
 * no_entry.c - a shared object that is no module: it exports a function, but not the entry. gbrun
 * must say that it exports no gb_module_v1, and must not guess another name.
 */
#include <gbrun/abi.h>

GB_EXPORT int32_t benchmark_entry(void);

int32_t benchmark_entry(void)
{
    return GB_OK;
}
