/* library.c - see library.h. Plugin side. */
#include "library.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cuda_driver.h"

#include <stdio.h>
#include <string.h>

/* NULL: the case is skipped. */
static void *open_library(const struct gb_host *host, const char *library)
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
        host_skip(host, "library: %.400s", words != NULL ? words : path);
    } else if (handle == NULL) {
        host_skip(host,
                  "%.64s was not found, neither where the loader looks nor in the CUDA Toolkit: "
                  "give its path as option library",
                  library);
    }
    return handle;
}

/* The name of the first function that the library lacks, or NULL. */
static const char *find_functions(void *library, struct nccl *functions)
{
    const struct symbol symbols[] = {NCCL_FUNCTIONS(SYMBOL_LINE)};
    const struct symbol newer[] = {{"ncclGetLastError", &functions->last_error}};
    FIND_SYMBOLS(library, newer);
    return FIND_SYMBOLS(library, symbols);
}

int32_t nccl_open(struct nccl *nccl, const struct gb_host *host, const char *library)
{
    void *handle = open_library(host, library);
    if (handle == NULL)
        return GB_SKIPPED;
    const char *missing = find_functions(handle, nccl);
    return missing != NULL ? host_skip(host, "%.400s has no %s", library, missing) : GB_OK;
}

int32_t nccl_status(const struct nccl *nccl, const struct gb_host *host, int result,
                    const char *doing)
{
    if (result == 0)
        return GB_OK;
    const char *details = nccl->last_error != NULL ? nccl->last_error(NULL) : NULL;
    const bool has_details = details != NULL && details[0] != '\0';
    return host_fail(host, "NCCL: %.160s while %s%s%.200s", nccl->error_string(result), doing,
                     has_details ? ": " : "", has_details ? details : "");
}
