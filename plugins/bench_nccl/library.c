/* library.c - see library.h. Plugin side. */
#include "library.h"

#include "plugins/common/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

/* NULL: reason says why. */
static void *open_library(const struct gb_host *host, const char *library, char *reason)
{
    char path[4096];
    const char *const names[] = {library, NULL};
    const bool is_path = strchr(library, '/') != NULL;
    const bool is_relative = is_path && library[0] != '/' && host->folder != NULL;
    snprintf(path, sizeof path, "%.2000s%s%.2000s", is_relative ? host->folder : "",
             is_relative ? "/" : "", library);
    void *handle = is_path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : cuda_library_open(names);
    if (handle == NULL && is_path) {
        const char *words = dlerror();
        snprintf(reason, TEXT_BYTES, "library: %.400s", words != NULL ? words : path);
    } else if (handle == NULL) {
        snprintf(reason, TEXT_BYTES,
                 "%.64s was not found, neither where the loader looks nor in the CUDA Toolkit: "
                 "give its path as option library",
                 library);
    }
    return handle;
}

/* The name of the first function that the library lacks, or NULL. */
static const char *find_functions(void *library, struct nccl *nccl)
{
#define NCCL_FIND(member, symbol)                                                                  \
    *(void **)&nccl->member = dlsym(library, #symbol);                                             \
    if (nccl->member == NULL)                                                                      \
        return #symbol;
    NCCL_FUNCTIONS(NCCL_FIND)
#undef NCCL_FIND
    *(void **)&nccl->last_error = dlsym(library, "ncclGetLastError");
    return NULL;
}

int32_t nccl_open(struct nccl *nccl, const struct gb_host *host, const char *library)
{
    char reason[TEXT_BYTES];
    void *handle = open_library(host, library, reason);
    const char *missing = handle != NULL ? find_functions(handle, nccl) : NULL;
    if (missing != NULL)
        snprintf(reason, sizeof reason, "%.400s has no %s", library, missing);
    return handle == NULL || missing != NULL ? host->skip(host, reason) : GB_OK;
}

int32_t nccl_status(const struct nccl *nccl, const struct gb_host *host, int result,
                    const char *doing)
{
    char text[TEXT_BYTES];
    if (result == 0)
        return GB_OK;
    const char *details = nccl->last_error != NULL ? nccl->last_error(NULL) : NULL;
    const bool has_details = details != NULL && details[0] != '\0';
    snprintf(text, sizeof text, "NCCL: %.160s while %s%s%.200s", nccl->error_string(result), doing,
             has_details ? ": " : "", has_details ? details : "");
    return host->fail(host, text);
}
