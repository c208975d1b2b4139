/*
 * session.h - what a worker keeps open from case to case: modules, one device, its queue and
 * clocks.
 */
#pragma once

#include "core/config/bench_case.h"
#include "core/run/host.h"
#include "core/run/module.h"

#include <gbrun/activities.h>
#include <gbrun/counters.h>
#include <gbrun/judging.h>
#include <gbrun/profile.h>

struct session;

/* sink: for what the device plugin logs; must outlive the session. */
struct session *session_new(const struct host_sink *sink);

/* The plugin that is meant where a plugin_info has no path (""): the program's own, in no module.
 * Valid until the next call. */
void session_lend(struct session *session, const struct gb_plugin *own);

/* SHA-256 of the module that holds a plugin, as it was loaded; "": it was not. */
const char *session_build(const struct session *session, const struct plugin_info *info);

/* The plugin of a module, loaded at its first use, in the session's memory; its params, filled from
 * settings, in the arena. */
int32_t session_prepare(struct session *session, const struct plugin_settings *settings,
                        struct arena *arena, const struct gb_plugin **ret_plugin, void **ret_params,
                        struct gb_error *error);

/* A device, and what its plugin says of it; valid during the call back. */
struct described_device {
    struct gb_device_info info;
    const struct fact *facts;
    size_t n_facts;
};

/*
 * Asks a device plugin which devices there are. Calls back for each; *ret_reason says why there is
 * none ("" if there are some), in the session's memory.
 */
typedef void session_device_fn(void *context, const struct described_device *device);
int32_t session_devices(struct session *session, const struct plugin_settings *settings,
                        session_device_fn *device, void *context, const char **ret_reason,
                        struct gb_error *error);

/*
 * Asks a device plugin what is noisy about its devices, of which none is opened. Calls back with
 * the name of the device ("cuda:0 NVIDIA H200") for each finding. A plugin that examines nothing is
 * asked nothing. *ret_reason as above. One device's failure does not keep the others from being
 * examined; the first is returned.
 */
typedef void session_finding_fn(void *context, const char *device,
                                const struct gb_finding *finding);
int32_t session_examine(struct session *session, const struct plugin_settings *settings,
                        session_finding_fn *finding, void *context, const char **ret_reason,
                        struct gb_error *error);

/*
 * Asks a benchmark plugin what is wrong with the settings of a case; opens no device. folder: of
 * the configuration. is_judged: what is measured is not to be loaded. bound_kind: GB_BOUND_...,
 * which is reported as check.bound_kind where it does not hold for the benchmark's sums.
 */
int32_t session_validate(struct session *session, const struct plugin_settings *settings,
                         const char *folder, uint32_t bound_kind, bool is_judged,
                         gb_problem_fn *problem, void *context, struct gb_error *error);

/*
 * Asks a device plugin which counters there are on a device, which is not opened, or on a model of
 * one (NULL: on that device). Calls back for each; of the one called `whole` (NULL: none), for all
 * its forms. *ret_reason says why there are none, in the session's memory.
 */
int32_t session_counters(struct session *session, const struct plugin_settings *settings,
                         uint32_t index, const char *model, const char *whole,
                         gb_counter_fn *counter, void *context, const char **ret_reason,
                         struct gb_error *error);

/* What readings of the device's reference work have cost since it was opened, on its clock. */
struct sentinel {
    double begin_ns, spent_ns;
    double cost_ns; /* of the dearest reading so far */
};

/* For how long cases have loaded the device at one clock, which it counts: that from low to high.
 * The last of them ended at end_ns, on its clock. */
struct device_load {
    double ns, low_hz, high_hz, end_ns;
};

struct open_device {
    const char *name; /* of its settings */
    const struct gb_device_ops *ops;
    void *device;
    struct host *host; /* holds the device's own words after a failure */
    struct gb_queue *queue;
    const struct gb_counters *counters;     /* NULL: it has none */
    const struct gb_activities *activities; /* NULL: it does not say */
    const struct gb_profile *profile;       /* NULL: it marks no range for profilers */
    /* NULL: if it has queues, nothing is judged there. */
    const struct gb_judging_device *judging;
    struct sentinel *sentinel;
    struct device_load *load;
    struct gb_device_info info;
    struct gb_clock clocks[GB_CLOCKS_MAX];
    uint32_t n_clocks;
    bool counts; /* it has CLOCK_INSTRUCTIONS as well, which is none of these */
};

bool session_is_open(const struct session *session);
/* Opens a device, or gives the one that is open already; a session opens one device in its life.
 * One that cannot be opened whole, with a queue and a clock, is closed again. */
int32_t session_open(struct session *session, const struct device_choice *choice,
                     const struct open_device **ret, struct gb_error *error);

/* Now, on the clock that samples on the device begin and end by: its own, or the host's. */
double session_clock_ns(const struct open_device *device);

void session_free(struct session *session);
