/*
 * tiny_module.c - its module struct claims a size of 4, so that no member lies inside. gbrun must
 * refuse it without reading past the size: what follows is garbage.
 */
#include <gbrun/gbrun.h>

static const struct gb_module module = {
    .size = 4,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 0xFFFFFFFFu,
    .plugins = (const struct gb_plugin *const *)16,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
