/*
 * callback.h - a subject of libgbrun as a benchmark: what the program gave stands in for a plugin's
 * functions.
 */
#pragma once

#include <gbrun/measure.h>
#include <gbrun/module.h>

#include <stdbool.h>

/* The id of such benchmarks, in results files, too. */
#define CALLBACK_ID "callback"

struct callback;

/* Of the calling thread, which is in none. Copies the subject. */
struct callback *callback_begin(const struct gbrun_subject *subject);
/* The plugin, for session_lend; valid until callback_end. */
const struct gb_plugin *callback_plugin(const struct callback *callback);
/* Its description, for a catalogue. Constant. */
const struct gb_plugin *callback_description(void);
/* Does the program want to stop? Takes a struct callback. */
bool callback_polls(void *context);
void callback_end(struct callback *callback);

/* Is this thread in a call? */
bool callback_is_inside(void);
