/*
 * settings.h - what a configuration asks for: the meaning of bench.ini.
 *
 * Two steps, so that only needed modules are looked at:
 *   settings_parse    sections and keys, defaults and `like` applied; which plugins are named
 *   settings_resolve  every value checked through the plugins' own tables; sweeps ready to expand
 * Both report all errors they find. See gbrun.ini(5) for the language.
 */
#pragma once

#include "core/config/bench_case.h"
#include "core/config/ini.h"
#include "core/config/search_settings.h"

/* The [gbrun] section; filled from run_options(). */
struct run_params {
    const char *results; /* path of the results file: "results.gbr" */
    const char *roofs; /* a results file with roofs of the devices, relative to the INI file; "" */
    struct gb_list benchmarks; /* const char *: names or patterns (fnmatch); empty: all */
    const char *where;         /* SQL: over the names of its case, as `only` */
    int64_t sample;            /* number of cases, drawn at random; 0: all */
    const char *shard;         /* "I/N": this part of the cases; "" */
    const char *costs; /* a results file: what cases take, which shards are balanced by; "" */
    int64_t seed;
    int32_t order;          /* ORDER_... */
    struct gb_list devices; /* const char *: what `device = auto` chooses from, in order; empty: all
                               found; "all" alone: likewise, and auto uses all of one plugin */
    int32_t distribute;     /* DISTRIBUTE_...: of a case that has several devices */
    int32_t durability;     /* DURABILITY_...: what cases survive that were announced */
    struct gb_list plugin_path; /* const char *: folders, relative to the INI file */
    int64_t jobs;               /* workers that measure at the same time; 0: as many as the case
                                   has devices */
    int64_t gpus_per_case;      /* 0: a case sees all */
    int64_t rounds;             /* of every benchmark without its own */
    double apart_ns;            /* between the rounds of a case that has as many as it needs */
    int32_t lock;               /* other gbrun processes on the device are waited for */
    double lock_limit_ns;       /* for so long */
    double claim_limit_ns;
    int32_t sentinel;    /* the device's reference work is timed beside the samples */
    struct gb_map label; /* label.NAME: facts of the run */
};
enum { ORDER_LISTED, ORDER_SHUFFLED };
enum {
    DISTRIBUTE_SPREAD, /* measured once, on whichever of the devices is idle */
    DISTRIBUTE_EACH    /* measured on each of them */
};
enum { DURABILITY_FULL /* a power cut */, DURABILITY_PROCESS /* the end of gbrun */ };
struct option_table run_options(void);

/* A plugin that a section names: an id, or a path (with a slash; made absolute from the INI file's
 * folder). */
struct plugin_request {
    uint32_t kind;
    const char *id;   /* with a path: which of the module's plugins, NULL: not given */
    const char *path; /* NULL: wherever the id is found */
    struct origin origin;
};

struct settings; /* opaque */

int32_t settings_parse(const struct ini *ini, const char *folder, struct arena *arena,
                       struct settings **ret, struct error_list *errors);
/* The same of [gbrun] and [policy NAME] alone, for what needs policies but measures nothing: what
 * benchmarks and devices need may not be on this machine. */
int32_t settings_parse_policies(const struct ini *ini, const char *folder, struct arena *arena,
                                struct settings **ret, struct error_list *errors);
const struct run_params *settings_run(const struct settings *settings);
size_t settings_requests(const struct settings *settings, const struct plugin_request **ret);

/* `rounds` of [gbrun] or a section ends up in each case's common.rounds. A setting of the command
 * line (ini_override, ini_set) that changes nothing is an error that says why. */
int32_t settings_resolve(struct settings *settings, const struct catalogue *catalogue,
                         struct error_list *errors);

/*
 * All devices that a case may name. The first *ret_n_auto of them are what `device = auto` chooses
 * from, in order of preference: `devices` of [gbrun]; without it all [device NAME] sections in file
 * order, then the known plugins that no section uses, the CPU after all others.
 * bench_case.device.settings points into the same array.
 */
size_t settings_devices(const struct settings *settings, const struct plugin_settings **ret,
                        size_t *ret_n_auto);
/* Whether a case may be measured on that one of them. */
bool settings_need_device(const struct settings *settings, size_t device);

/* Each [policy NAME] without errors, and the plugins that cases name by their id. */
size_t settings_policies(const struct settings *settings, const struct plugin_settings **ret);

/* A [search NAME], or a search plugin that benchmarks name by its id. */
struct search_settings {
    const struct plugin_settings *plugin;
    struct search_params params;
    struct origin goal_origin; /* where its text begins; file NULL: it is the default */
};

/*
 * The settings actually used as a valid, commented INI file: every value as it was written, with
 * where it came from; defaults and `like` applied. Read again from the same folder it gives the
 * same cases.
 */
void settings_print(const struct settings *settings, struct text *out);
/* What decides which cases there are and how each is measured, in a canonical encoding: names and
 * values, each behind its length; not their origins, nor what concerns only where, when and beside
 * what cases are measured. */
void settings_encode_plan(const struct settings *settings, struct text *out);

/*
 * The cases. A sweep is never held as a whole: sweep_new finds which points of the product survive
 * only, exclude and where, takes the sample of them that is asked for, and orders it; sweep_case
 * makes case i of n in the caller's arena (texts of fixed values stay those of the settings, which
 * must outlive both). Errors in let and only come out of sweep_new, with their origin and the first
 * case they arose in; more than cases_max before only and exclude are one. A sweep is used by one
 * thread at a time.
 */
enum { SWEEP_CASES_MAX = 10000000 };
struct sweep;
int32_t sweep_new(const struct settings *settings, uint64_t cases_max, struct sweep **ret,
                  struct error_list *errors);
uint64_t sweep_size(const struct sweep *sweep);
/* Of case i of n: its position in file order. */
uint64_t sweep_position(const struct sweep *sweep, uint64_t i);
/* How many positions there are: as many as cases, until some of them are left to others. */
uint64_t sweep_positions(const struct sweep *sweep);
/* Cases at other positions are not measured here: sweep_size counts those that are, in the same
 * order. */
void sweep_keep(struct sweep *sweep, const bool *is_kept);
/* device.settings is NULL in the case where `device = auto` is still to be chosen (supervisor's
 * job). */
int32_t sweep_case(struct sweep *sweep, uint64_t i, struct arena *arena, struct bench_case *ret,
                   struct gb_error *error);
void sweep_free(struct sweep *sweep);

/* One [bench NAME] of a sweep: its cases are those at n positions from `first` on. */
struct sweep_part {
    const char *name;
    struct origin origin;
    const struct plugin_info *info;
    uint64_t first, n;
    const struct search_settings *search; /* NULL: all cases are measured. All benchmarks that have
                                             the same are one space. */
};
size_t sweep_parts(const struct sweep *sweep);
struct sweep_part sweep_part(const struct sweep *sweep, size_t i);
/* As sweep_case, by the position in file order. */
int32_t sweep_case_at(struct sweep *sweep, uint64_t position, struct arena *arena,
                      struct bench_case *ret, struct gb_error *error);
