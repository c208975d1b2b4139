/*
 * stopping_policy.h - policies described by text, as they ship: "steady precision=0.5%".
 */
#pragma once

#include "core/run/module.h"

struct stopping_policy {
    const char *text;
    const struct gb_plugin *plugin;
    const void *params; /* not changed by anybody */
    double precision;   /* half of the interval that it certifies, relative; 1 % if it has no such
                           option */
};

/*
 * Finds the policy's module in the folders given (none: the build tree or the bundle that the
 * program is part of), loads it and fills its options. All memory is the arena's.
 */
int32_t stopping_policy_load(const char *text, const struct path_list *folders, struct arena *arena,
                             struct stopping_policy *ret, struct gb_error *error);

/* Where modules are looked for; `given` may be NULL. */
void stopping_policy_folders(const char *given, struct arena *arena, struct path_list *ret);
