/*
 * callback.h - a subject of libgbrun as a benchmark: what the program gave stands in for a plugin's
 * functions.
 */
#pragma once

#include <gbrun/bench.h>
#include <gbrun/measure.h>
#include <gbrun/module.h>

#include <stdbool.h>

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
