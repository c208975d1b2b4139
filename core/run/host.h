/*
 * host.h - the services behind struct gb_host, as a worker gives them to one plugin object.
 *
 * What a plugin says goes to a sink; what it allocates is remembered and freed with the host.
 * Nothing a plugin passes is trusted: texts are cut, NULL is read as "", names are made printable.
 */
#pragma once

#include "core/config/bench_case.h"
#include "core/run/series.h"
#include "core/run/shared_memory.h"
#include "core/run/wire.h"
#include "core/store/record.h"
#include "core/verify/verify.h"

#include <gbrun/judging.h>

enum { HOST_TEXT_MAX = 4096, HOST_NAME_BYTES = 64 };

/* Where a plugin's words and numbers go, as records that hold during the call. type: WIRE_LOG,
 * METRIC, CHECK (one metric of one comparison; where it is only measured tolerance is NaN and text
 * empty), SUMMARY (all else of the comparison), WORST (an element that is most off; the worst come
 * first). */
struct host_sink {
    void *context;
    void (*take)(void *context, uint32_t type, const void *record);
};

/* How comparisons are judged, and what becomes of their arrays. */
struct host_checks {
    const struct check_tolerance *tolerances; /* outlive the host, as do the texts */
    size_t n_tolerances;
    const struct common_params *common; /* its check_... members; outlives the host */
    const char *uid;                    /* of the case, for the names of files */
};

/* The device that a benchmark's memory comes from; ops NULL: none. */
struct host_device {
    const struct gb_device_ops *ops;
    void *device;
    const struct gb_device_info *info;
    const struct host *host; /* the device's own: holds its words after a failure */
    /* NULL: it has no queues, or nothing is judged there. */
    const struct gb_judging_device *judging;
};

struct host {
    struct gb_host
        interface; /* what plugins see: the first member. Its folder, of the configuration,
                      and iterations, of the calls of run that come now and of those of
                      reset before them, are set by who calls the plugin */
    const struct fact *facts; /* of the device, those that are known; they outlive the host */
    size_t n_facts;
    const struct gb_judging *judging; /* NULL: the plugin's objects are not judged */
    struct shared_memory *shared; /* the device's memory is taken from it; NULL: from the device */
    uint64_t n_bytes;             /* that the plugin allocated */
    struct shared_memory *common; /* of the host, for those that are judged; NULL: there is none */
    bool is_muted;                /* what the plugin says goes nowhere: metrics, comparisons, log */
    /* What the plugin asked for. */
    bool wants_exclusive;         /* that nothing else is measured meanwhile */
    bool keeps;                   /* that what the process has by now is no trace of it */
    struct series_set series;     /* samples that it gives itself */
    struct gb_bench_ops replaced; /* functions in the place of its descriptor's; size 0: none */
    char reason[HOST_TEXT_MAX];   /* its words for its failure or for being skipped; "" */
    /* Private: */
    struct host_sink sink;
    struct host_device device;
    struct host_checks checks;
    struct host_allocation *allocations;
};

/* checks NULL: benchmarks' own tolerances, nothing is dumped. */
struct host *host_new(uint64_t seed, const struct host_sink *sink, const struct host_device *device,
                      const struct host_checks *checks);

/* The services for objects that are judged. */
struct gb_judging host_judging(bool is_judge);

/* Called from a signal handler as well: from now on cancelled() says so, in every host. */
void host_cancel(void);
bool host_cancelled(void);
/* Takes back host_cancel; from now on `asks` is asked, too, in this process's only session. NULL:
 * nothing is. */
void host_cancel_reset(bool (*asks)(void *context), void *context);

/* The plugin's words for its failure where it gave some, else those of the status. */
const char *host_words(const struct host *host, int32_t status);

/* Frees all that the plugin allocated through it. NULL allowed. */
void host_free(struct host *host);
