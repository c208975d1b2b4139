/*
 * null_module.c - its entry returns NULL. gbrun must refuse the module.
 */
#include <gbrun/gbrun.h>

const struct gb_module *gb_module_v1(void)
{
    return NULL;
}
