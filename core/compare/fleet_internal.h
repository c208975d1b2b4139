/* fleet_internal.h - what the files of fleets share. */
#pragma once

#include "core/compare/compare_internal.h"
#include "core/compare/fleet.h"

/* A host, or a device of one: whatever the model of devices. */
struct fleet_unit {
    const char *name, *host;
    const char *started; /* of the run that the facts are of: the newest */
    const struct fact *facts;
    size_t n_facts;
    const struct fact *device_facts;
    size_t n_device_facts;
};

/* A case in one run, on one device of a unit. */
struct fleet_reading {
    uint64_t key;       /* of the case */
    uint64_t device;    /* in its unit */
    size_t unit, place; /* place: in the order they were added */
    const char *label, *bench, *uid;
    const char *model; /* "": no device was opened */
    const char *started;
    double *values;
    size_t n;
    double step_ratio, interval_ratio;
    const char *failure;
    bool is_skipped, is_certified;
};

struct fleet {
    struct arena arena;
    struct compare_options options;
    struct fleet_unit *units;
    size_t n_units;
    struct fleet_reading *readings;
    size_t n_readings;
    const char **run_uuids;
    size_t n_run_uuids;
    size_t *unit_of_node;
    size_t first_of_run; /* reading of the run before, whose texts are shared */
    bool by_device;
    struct fleet_result result;
};
