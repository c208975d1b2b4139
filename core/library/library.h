/*
 * library.h - the parts of libgbrun: a call's settings become a case, its subject a benchmark;
 * devices stay open between calls; results are appended to files. measure.c puts them together,
 * versus.c compares two. For one thread at a time.
 */
#pragma once

#include "core/config/settings.h"
#include "core/config/sides.h"
#include "core/run/collector.h"
#include "core/run/session.h"
#include "core/run/visit.h"
#include "core/run/worker_link.h"

#include <gbrun/bench.h>
#include <gbrun/guest.h>
#include <gbrun/measure.h>
#include <gbrun/module.h>

/*
 * ---- request.c: the lines of the caller become sections of a configuration, which is read as any
 * other is
 */

/* What a call asks for; all of it lies in the arena that was given. */
struct request {
    struct settings *settings;
    struct bench_case bench_case;          /* its device.settings NULL: auto */
    const struct plugin_settings *devices; /* all, of which auto chooses among the first n_auto */
    size_t n_devices, n_auto;
    const char *results; /* absolute path of the results file; NULL: none */
    const char *run;     /* UUID of the run there; NULL: that of the process */
    int side;            /* as it was asked for */
    struct ab_params ab; /* of a comparison */
    const struct search_settings *search;
};

/* A side of a comparison, SIDE_BASE or SIDE_NEW; or none. */
enum { SIDE_NONE = -1 };

/* All that is wrong is added to errors, with its line. The case of a side has the axis `side`, and
 * takes no longer than a visit. */
int32_t request_read(const char *text, int side, const struct catalogue *catalogue,
                     struct arena *arena, struct request *ret, struct error_list *errors);

/* Those of a [search NAME], with its plugin as `search`, and `seed`: of *ret settings and search
 * are set. */
int32_t request_read_search(const char *text, const struct catalogue *catalogue,
                            struct arena *arena, struct request *ret, struct error_list *errors);

/* ---- callback.c: what the program gave stands in for a plugin's functions ---- */

/* The id of such benchmarks, in results files, too. */
#define CALLBACK_ID "callback"

struct callback {
    struct gb_plugin plugin; /* for session_lend; valid until callback_end */
    /* Private. */
    struct gbrun_subject subject;
    struct gb_bench_ops ops;
    const struct gb_host *host;
};
/* Its description, for a catalogue. */
extern const struct gb_plugin callback_description;

/* Of the calling thread, which is in none. Copies the subject. */
struct callback *callback_begin(const struct gbrun_subject *subject);
/* Does the program want to stop? Takes a struct callback. */
bool callback_polls(void *context);
void callback_end(struct callback *callback);

/* Is this thread in a call? */
bool callback_is_inside(void);

/* ---- devices.c: the plugins that were found, the devices that were opened ---- */

/* An open device, or one that a case is about to open. */
struct open_session {
    struct worker_link link; /* its receiver_context is the call's */
    struct session *session;
    char *key;                    /* what it is the session of */
    const struct gb_guest *guest; /* NULL: its plugin has nothing current */
};

/* What a device plugin has for guests; NULL: nothing. */
const struct gb_guest *guest_of(const struct plugin_info *info);
/* As the guest has it; without one index -1. */
struct gb_guest_state guest_enter(const struct gb_guest *guest);
void guest_leave(const struct gb_guest *guest, const struct gb_guest_state *state);

/* Devices, policies and searches found beside the library, and the callback's description; found at
 * the first call. Lives as long as the process: what was loaded is never unloaded. */
int32_t library_catalogue(const struct catalogue **ret, struct gb_error *error);

/* The devices that a case may use, all of its one plugin; in the arena. What is known of a plugin's
 * devices is kept until devices_release. */
int32_t devices_known(const struct plugin_settings *settings, size_t n, size_t n_auto,
                      const struct bench_case *bench_case, struct arena *arena,
                      struct device_list *ret, struct gb_error *error);

/* The session for a device with these settings, and with what the program has current on it (the
 * key of a guest's state); made if there is none. */
struct open_session *device_session(const struct known_device *device, uint64_t guest_key,
                                    link_receiver_fn *receiver);
/* Closes it: what it has open cannot be used any more. */
void device_close(struct open_session *session);

/* Closes all, and forgets what is known. */
void devices_release(void);

/* ---- result.c ---- */

/* What a call gives back, while it is gathered and as the program sees it. */
struct result {
    struct gbrun_result seen; /* the program's; first, as gbrun_free is given it */
    struct arena arena;       /* of the request, too, which the record points to */
    struct collector collector;
    bool has_collector;
    bool is_corrupt;      /* a message could not be taken */
    struct result *first; /* of a further visit: that of the first, whose request it is; NULL */
};

struct result *result_new(void);
/* What went wrong; the first error counts. */
void result_fail(struct result *result, int32_t status, const char *text);
/* Takes a message of the case: a link_receiver_fn, whose context is the result. */
void result_take(void *context, uint32_t type, struct wire_reader *payload);
/* The record, as the program sees it, once the collector has finished. */
void result_fill(struct result *result, const struct known_device *device);
/* Its estimate alone. */
void result_fill_estimate(struct gbrun_result *seen, struct arena *arena,
                          const struct gb_estimate *estimate, int32_t verdict);
/* What comparisons of results files compare, too: see store_outcomes.h. */
double result_value(const struct gbrun_result *result);

/* ---- measure.c ---- */

/* False: the subject cannot be measured, and the result says why. function: for its words. */
bool subject_is_sound(const struct gbrun_subject *subject, const char *function,
                      struct result *result);
/* In a turn. Fills the result in, and returns it, or that of a later visit, which failed. side:
 * SIDE_NONE, or one of a comparison, whose settings ret_ab gets. */
struct result *measure_side(const struct gbrun_subject *subject, const char *settings, int side,
                            struct result *result, struct ab_params *ret_ab);

/* Until turn_end no other thread measures in this process. NULL, or why it cannot be: the thread
 * that has the turn is not in a child, which would wait for ever. */
const char *turn_begin(void);
void turn_end(void);
/* All of them, a line for each; in the arena. */
const char *error_lines(const struct error_list *errors, struct arena *arena);

/*
 * ---- append.c: results files
 *
 * The calls of a process that name the same file and the same labels are one run, or those of any
 * processes that name its UUID; those of one case (the same name, variables and settings) in one
 * process its rounds. The file is closed between calls.
 */

/* Appends the record, which has finished, unless the request names no file. */
int32_t results_append(const struct request *request, const struct known_device *device,
                       struct collector *collector, struct gb_error *error);

/* The next calls begin runs of their own. */
void results_release(void);
