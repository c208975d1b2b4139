/* call_library.c - see call_library.h. Plugin side. */
#define _GNU_SOURCE /* dladdr1 */
#include "call_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_driver.h"
#endif

/* Where the loader does not look. */
static void *open_elsewhere(const char *name)
{
#ifdef PLUGIN_WITH_CUDA
    const char *const names[] = {name, NULL};
    return strchr(name, '/') == NULL ? cuda_library_open(names) : NULL;
#else
    (void)name;
    return NULL;
#endif
}

/* Is a name without a folder that of a file beside the configuration, where the loader does not
 * look?
 */
static bool is_beside(const char *name, const char *folder)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : ".", name);
    return strchr(name, '/') == NULL && n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

static void *open_one(const char *name, const char *folder, char reason[LIBRARY_REASON_BYTES])
{
    char path[4096];
    const bool is_relative = strchr(name, '/') != NULL && name[0] != '/' && folder != NULL;
    const int n = snprintf(path, sizeof path, "%s%s%s", is_relative ? folder : "",
                           is_relative ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof path) {
        snprintf(reason, LIBRARY_REASON_BYTES, "the path is too long");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *words = dlerror();
        snprintf(reason, LIBRARY_REASON_BYTES, "%.400s%s", words != NULL ? words : path,
                 is_beside(name, folder)
                     ? "; one of that name beside the configuration is written ./NAME"
                     : "");
        library = open_elsewhere(name);
    }
    return library;
}

/*
 * Opens the first of some names or paths. One with a slash is relative to `folder`; a name is
 * looked for where the loader does, then where the CUDA Toolkit keeps its own. It stays open for
 * the life of the process. NULL: none, and the reason says why.
 */
static void *library_open(const struct gb_list *names, const char *folder,
                          char reason[LIBRARY_REASON_BYTES])
{
    const char *const *items = names->items;
    void *library = NULL;
    snprintf(reason, LIBRARY_REASON_BYTES, "no library is named");
    for (uint64_t i = 0; i < names->n && library == NULL; i++)
        library = open_one(items[i], folder, reason);
    return library;
}

void *library_symbol(void *library, struct span name, char reason[LIBRARY_REASON_BYTES])
{
    char word[256];
    if (name.n >= sizeof word) {
        snprintf(reason, LIBRARY_REASON_BYTES, "the name has %zu bytes: expected up to %zu", name.n,
                 sizeof word - 1);
        return NULL;
    }
    memcpy(word, name.text, name.n);
    word[name.n] = '\0';
    void *address = dlsym(library, word);
    if (address == NULL)
        snprintf(reason, LIBRARY_REASON_BYTES, "the library has no function '%s'", word);
    return address;
}

/* According to the symbol table of the library. */
static bool is_variable(void *address)
{
#ifdef __GLIBC__ /* musl does not show its tables */
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *found = NULL;
    if (dladdr1(address, &info, &found, RTLD_DL_SYMENT) == 0 || found == NULL ||
        info.dli_saddr != address)
        return false;
    symbol = found;
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
#else
    (void)address;
    return false;
#endif
}

/* What the parts of linking share. */
struct linker {
    const struct plan *plan;
    struct reporter *reporter;
    struct linkage *linkage;
    bool is_complete;
};

static void miss(struct linker *linker, const char *option, size_t at, const char *reason)
{
    if (linker->reporter != NULL)
        report(linker->reporter, option, at, "%s", reason);
    else if (linker->is_complete)
        snprintf(linker->linkage->reason, LIBRARY_REASON_BYTES, "%.60s: %.440s", option, reason);
    linker->is_complete = false;
}

static void *find(struct linker *linker, void *library, const char *option, size_t at,
                  struct span name)
{
    char reason[LIBRARY_REASON_BYTES];
    void *address = library_symbol(library, name, reason);
    if (address == NULL)
        miss(linker, option, at, reason);
    return address;
}

static void *find_function(struct linker *linker, void *library, const char *option, size_t at,
                           struct span name)
{
    char reason[LIBRARY_REASON_BYTES];
    void *address = find(linker, library, option, at, name);
    if (address == NULL || !is_variable(address))
        return address;
    snprintf(reason, sizeof reason, "'%.*s' is a variable of the library: expected a function",
             (int)(name.n < 255 ? name.n : 255), name.text);
    miss(linker, option, at, reason);
    return NULL;
}

/* Is what `option` says of this function what the compiler wrote? Asked before anything is
 * measured, not in the process that measures. */
static void compare_described(struct linker *linker, void *function, const char *option,
                              const struct signature *signature)
{
    char reason[DEBUG_REASON_BYTES];
    if (linker->reporter != NULL && function != NULL &&
        debug_contradicts(function, signature, reason))
        miss(linker, option, 0, reason);
}

static void find_entries(struct linker *linker, void *library, const struct entry *entries,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char option[64];
        snprintf(option, sizeof option, "%s.%.48s", entries[i].map, entries[i].key);
        if (entries[i].value.kind == VALUE_SYMBOL)
            find(linker, library, option, entries[i].value.at, entries[i].value.text);
    }
}

static void find_calls(struct linker *linker, const char *option, const struct call *calls,
                       size_t n)
{
    void *library = linker->linkage->library;
    for (size_t i = 0; i < n; i++) {
        find_function(linker, library, option, calls[i].at, calls[i].function);
        for (size_t j = 0; j < calls[i].n; j++)
            if (calls[i].arguments[j].value.kind == VALUE_SYMBOL)
                find(linker, library, option, calls[i].arguments[j].value.at,
                     calls[i].arguments[j].value.text);
    }
}

static const char *folder_of(const struct plan *plan)
{
    return GB_HAS(plan->host, folder) ? plan->host->folder : NULL;
}

static void find_reference(struct linker *linker)
{
    const struct plan *plan = linker->plan;
    const struct params *params = plan->params;
    struct linkage *linkage = linker->linkage;
    char reason[LIBRARY_REASON_BYTES];
    const bool has_own = params->reference_library.n > 0;
    linkage->reference_library = has_own ? library_open(&params->reference_library, folder_of(plan),
                                                        reason)
                                         : linkage->library;
    if (linkage->reference_library == NULL && has_own)
        miss(linker, "reference_library", 0, reason);
    if (linkage->reference_library == NULL)
        return;
    const struct span name = {params->reference, strlen(params->reference)};
    linkage->reference = find_function(linker, linkage->reference_library, "reference", 0, name);
    compare_described(linker, linkage->reference,
                      *params->reference_signature != '\0' ? "reference_signature" : "reference",
                      &plan->reference.signature);
    find_entries(linker, linkage->reference_library, plan->ref_entries, plan->n_ref_entries);
}

bool link_reference(const struct plan *plan, struct reporter *reporter, struct linkage *ret)
{
    struct linker linker = {plan, reporter, ret, true};
    *ret = (struct linkage){0};
    find_reference(&linker);
    return linker.is_complete;
}

bool link_plan(const struct plan *plan, struct reporter *reporter, struct linkage *ret)
{
    char reason[LIBRARY_REASON_BYTES];
    struct linker linker = {plan, reporter, ret, true};
    *ret = (struct linkage){
        .library = library_open(&plan->params->library, folder_of(plan), reason)};
    if (ret->library == NULL) {
        miss(&linker, "library", 0, reason);
    } else {
        const bool is_option = *plan->params->function != '\0';
        const size_t at = is_option ? 0 : (size_t)(plan->function.text - plan->params->signature);
        if (plan->function.n > 0)
            ret->function = find_function(&linker, ret->library,
                                          is_option ? "function" : "signature", at, plan->function);
        compare_described(&linker, ret->function, "signature", &plan->routine.signature);
        find_entries(&linker, ret->library, plan->entries, plan->n_entries);
        find_calls(&linker, "before", plan->before, plan->n_before);
        find_calls(&linker, "after", plan->after, plan->n_after);
    }
    if (plan->has_reference)
        find_reference(&linker);
    return linker.is_complete;
}
