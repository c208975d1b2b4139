/* libcupti.c - see libcupti.h. Plugin side. */
#include "libcupti.h"

#include "plugins/common/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>

bool libcupti_load(const char *path, const struct libcupti_functions *functions, char *reason,
                   size_t bytes)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
    void *library = path[0] != '\0' ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                                    : cuda_library_open(names);
    if (library == NULL) {
        const char *words = path[0] != '\0' ? dlerror() : NULL;
        snprintf(reason, bytes, "%s",
                 words != NULL ? words
                               : "libcupti was not found; it is part of the CUDA Toolkit (set "
                                 "CUDA_HOME or LD_LIBRARY_PATH)");
        return false;
    }
    for (size_t i = 0; i < functions->n; i++) {
        *functions->members[i] = dlsym(library, functions->names[i]);
        if (*functions->members[i] == NULL) {
            snprintf(reason, bytes, "this libcupti has no %s%s", functions->names[i],
                     functions->remedy);
            return false;
        }
    }
    return true;
}
