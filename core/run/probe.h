/*
 * probe.h - finding out which plugins and devices there are, through a process that may die of it.
 */
#pragma once

#include "core/config/settings.h"
#include "core/run/machine.h"
#include "core/run/module.h"
#include "core/run/worker_process.h"
#include "core/store/record.h"

#include <gbrun/counters.h>

/*
 * Describes what is needed for n requests: modules whose file names say that they hold what is
 * asked for, explicit paths, and all device modules (for device = auto); every module of the
 * folders only if something is still missing. What cannot be loaded ends up among the failures.
 * Memory: the arena's.
 */
int32_t catalogue_load(const struct words *folders, const struct plugin_request *requests,
                       size_t n_requests, struct arena *arena, struct catalogue *ret,
                       struct gb_error *error);

/* Describes every module of the folders; which builds they are is not looked at (sha256 is ""). */
int32_t catalogue_load_all(const struct words *folders, struct arena *arena, struct catalogue *ret,
                           struct gb_error *error);

/* One device as its plugin describes it. */
struct known_device {
    const struct plugin_settings *settings;
    const char *label; /* "cuda:0" */
    bool is_auto;      /* one that `device = auto` may choose */
    struct gb_device_info info;
    const struct fact *facts;
    size_t n_facts;
    struct case_devices {
        struct environment_variable variable; /* by which its worker sees these alone, it first */
        const char *const *uuids;
        size_t n; /* 0: the device is in none */
    } group;      /* device_groups.h */
};

struct device_list {
    struct known_device *items;
    size_t n;
    struct absent_device {
        const struct plugin_settings *settings;
        bool is_auto;
        bool is_failure; /* something went wrong; else there is no such device */
        const char *reason;
    } * absent;
    size_t n_absent;
};

/* A worker that has loaded and initialized a plugin, and perhaps run cases, which those after that
 * then need not do again. */
struct spare_worker {
    struct worker_process process; /* pid 0: none */
    char *device;                  /* the name of the settings of the devices that it knows */
    char *opened;                  /* the label of the one that it has open; NULL: none */
};
void spare_worker_end(struct spare_worker *spare);

/* Asks each device plugin, with its settings, in a worker of its own, which devices there are;
 * opens none; only_chosen: those that a case may run on. `device = auto` may choose among the first
 * n_auto. *spare, unless NULL: the worker of
 * the first plugin that has devices; one that is there is asked about its own. */
int32_t devices_find(const struct plugin_settings *settings, size_t n, size_t n_auto,
                     bool only_chosen, struct arena *arena, struct device_list *ret,
                     struct spare_worker *spare, struct gb_error *error);

/* What was found about one device, by a plugin that examines its devices. */
struct examined_device {
    const char *name; /* "cuda:0 NVIDIA H200" */
    struct finding *findings;
    size_t n;
};

struct examination {
    struct examined_device *devices;
    size_t n;
    struct unexamined {
        const struct plugin_settings *settings;
        bool is_absent; /* there is no such device; else something went wrong */
        const char *reason;
    } * unexamined;
    size_t n_unexamined;
};

/* Asks each device plugin, with its settings, what is noisy about its devices; opens none. Findings
 * that were sent before a module failed are kept. Memory: the arena's. */
int32_t devices_examine(const struct plugin_settings *settings, size_t n, struct arena *arena,
                        struct examination *ret, struct gb_error *error);

/*
 * Lets benchmark plugins check the settings of their cases, in a process that opens no device. Of a
 * benchmark with more than VALIDATED_MAX cases as many, spread over them. What is wrong is added
 * with its place in the configuration, once for each option of a benchmark.
 */
enum { VALIDATED_MAX = 1000 };
int32_t cases_validate(struct sweep *sweep, struct error_list *errors);

/* The counters of one device, or of a model of one, as session_counters has them. */
struct counter_list {
    const struct gb_counter *items;
    size_t n;
    const char *reason; /* why there are none, or why these are not all; "": neither */
};

int32_t counters_find(const struct plugin_settings *settings, uint32_t index, const char *model,
                      const char *whole, struct arena *arena, struct counter_list *ret,
                      struct gb_error *error);
