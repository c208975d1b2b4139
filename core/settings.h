/*
 * settings.h - what a configuration asks for: the meaning of bench.ini. Floor 2.
 *
 * Two steps, so that only needed modules are looked at:
 *   settings_parse    sections and keys, defaults and `like` applied; which plugins are named
 *   settings_resolve  every value checked through the plugins' own tables; sweeps ready to expand
 * Both report all errors they find. See gbrun.ini(5) for the language.
 */
#ifndef GBRUN_CORE_SETTINGS_H
#define GBRUN_CORE_SETTINGS_H

#include "core/bench_case.h"
#include "core/ini.h"

/* The [gbrun] section; filled from run_options(). */
struct run_params {
    const char *results; /* path of the results file: "results.gbr" */
    int64_t seed;
    int32_t order; /* ORDER_... */
    struct gb_list
        devices; /* const char *: what `device = auto` chooses from, in order; empty: all found */
    struct gb_list plugin_path; /* const char *: folders, relative to the INI file */
    int64_t jobs;               /* workers that measure at the same time */
};
enum { ORDER_LISTED, ORDER_SHUFFLED };
struct option_table run_options(void);

/* A plugin that a section names: an id, or a path (with a slash; made absolute from the INI file's
 * folder). */
struct plugin_request {
    uint32_t kind;
    const char *id;   /* NULL if path is set */
    const char *path; /* NULL if id is set */
    struct origin origin;
};

struct settings; /* opaque */

int32_t settings_parse(const struct ini *ini, const char *folder, struct arena *arena,
                       struct settings **ret, struct error_list *errors);
const struct run_params *settings_run(const struct settings *settings);
size_t settings_requests(const struct settings *settings, const struct plugin_request **ret);

/* `rounds` of [gbrun] or a section ends up in each case's common.rounds. */
int32_t settings_resolve(struct settings *settings, const struct catalogue *catalogue,
                         struct error_list *errors);

/* All [device NAME] and implicit devices, for `device = auto`: in order of preference. */
size_t settings_devices(const struct settings *settings, const struct plugin_settings **ret);

/* The settings actually used as a valid, commented INI file: every value with where it came from.
 */
void settings_print(const struct settings *settings, struct text *out);

/*
 * The cases. A sweep is never held as a whole: sweep_new finds which points of the product survive
 * only and exclude, and orders them; sweep_case makes case i of n in the caller's arena. Errors in
 * let and only come out of sweep_new, with their origin and the case they arose in.
 */
struct sweep;
int32_t sweep_new(const struct settings *settings, struct sweep **ret, struct error_list *errors);
uint64_t sweep_size(const struct sweep *sweep);
/* device.settings is NULL in the case where `device = auto` is still to be chosen (supervisor's
 * job). */
int32_t sweep_case(struct sweep *sweep, uint64_t i, struct arena *arena, struct bench_case *ret,
                   struct gb_error *error);
void sweep_free(struct sweep *sweep);

#endif
