/*
 * templates.h - the files of plugins/templates/, which `gbrun new` writes. They are in the program,
 * so that it finds them wherever it is.
 *
 * Words in them stand for something else: plugin_name for the plugin's name, @SOURCE@ for its
 * source, @LANGUAGE@ for CMake's word for the language.
 */
#pragma once

#include <stddef.h>

struct template
{
    const char *name; /* in plugins/templates/ */
    const char *begin, *end;
};

/* NULL: there is none of that name. */
const struct template *template_named(const char *name);
