/*
 * link_sink.h - what plugins say, as messages of a link.
 */
#pragma once

#include "core/run/host.h"
#include "core/run/worker_link.h"
#include "core/store/record.h"

enum { OPENING_WARNINGS_MAX = 16 };

/* What the device warned of while it was opened holds for every case that it serves: it is kept.
 * Guarded by the link's lock. */
struct link_sink {
    struct worker_link *link;
    struct arena arena;
    struct message_record warnings[OPENING_WARNINGS_MAX];
    size_t n_warnings;
    struct host_sink sink; /* for plugins, once begun */
};

/* Not to be moved; the link must outlive it. */
void link_sink_begin(struct link_sink *sink, struct worker_link *link);
/* To the case that comes now, what the device warned of in an earlier one. */
void link_sink_repeat_warnings(struct link_sink *sink);
void link_sink_free(struct link_sink *sink);
