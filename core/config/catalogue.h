/*
 * catalogue.h - which plugins there are, as descriptions only.
 *
 * The descriptions come from a probe process (probe.h) or, in tests, from tables in memory: nothing
 * here loads or calls plugin code.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <gbrun/module.h>

struct plugin_info {
    const char *path;        /* of the module, absolute */
    const char *sha256;      /* of the module's file, 64 hexadecimal digits; "": see probe.h */
    struct gb_plugin plugin; /* a copy whose ops and extension are NULL */
    uint32_t flags;          /* GB_BENCH_... of its ops, and the following */
};
#define PLUGIN_VALIDATES (1u << 31) /* a benchmark that validates its params */
#define PLUGIN_RENEWS (1u << 30)    /* ... that renews its inputs, and verifies its outputs */
#define PLUGIN_BUILDS (1u << 29)    /* ... that can be built without its device */
#define PLUGIN_CERTIFIES (1u << 28) /* a policy that can certify */
#define PLUGIN_CONFIRMS (1u << 27)  /* a search that does: GB_SEARCH_CONFIRMS */

/* A module that could not be used, and why: shown by `gbrun list plugins` and when it is asked for.
 */
struct module_failure {
    const char *path;
    const char *reason; /* "crashed while loading (SIGSEGV)", "exports no gb_module_v1" */
};

struct catalogue {
    struct plugin_info *plugins;
    size_t n_plugins;
    struct module_failure *failures;
    size_t n_failures;
    struct words folders; /* searched, in order, for messages */
};

/* The first plugin of a kind with an id, or NULL. */
const struct plugin_info *catalogue_find(const struct catalogue *catalogue, uint32_t kind,
                                         const char *id);

/* The plugin of a kind in the module at a path (absolute); NULL if there is none or more than one
 * and id is NULL. */
const struct plugin_info *catalogue_find_in(const struct catalogue *catalogue, uint32_t kind,
                                            const char *path, const char *id);
/* The failure recorded for a module path, or for one named [KIND_]ID.so; or NULL. */
const struct module_failure *catalogue_failure(const struct catalogue *catalogue,
                                               const char *path_or_id);

/* Does a benchmark run on devices of a plugin? */
bool plugin_runs_on(const struct plugin_info *bench, const char *device_plugin);

const char *plugin_kind_words(uint32_t kind); /* "benchmark", "policy", "device", "search" */
