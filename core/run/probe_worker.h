/*
 * probe_worker.h - one conversation with a worker that is asked about plugins and may die of it.
 */
#ifndef GBRUN_CORE_PROBE_WORKER_H
#define GBRUN_CORE_PROBE_WORKER_H

#include "core/run/messages.h"
#include "core/run/worker_process.h"

struct probe {
    struct arena *arena; /* of what is found */
    /* Takes a message of the answer; sets is_complete at the last one. An error ends the answer. */
    int32_t (*take)(struct probe *probe, uint32_t type, struct wire_reader *message);
    void *context; /* of take */
    struct worker_process worker;
    double deadline_ns;
    bool is_complete;
    struct outcome outcome; /* words: the answer's own, or why it is not complete; "" */
    struct text printed;    /* the worker's last words */
};

/* Gives the worker its full time again, from within take. */
void probe_restart_clock(struct probe *probe);
/* The message that ends an answer. */
void probe_take_outcome(struct probe *probe, struct wire_reader *message);

/* Begins a question about a plugin, in a worker of its own unless one is there; what else it has is
 * put into probe->worker.writer. */
int32_t probe_begin(struct probe *probe, uint32_t question, const struct plugin_settings *settings,
                    struct gb_error *error);
/* Sends the question that was begun, and listens until the answer is complete or cannot be any
 * more. */
void probe_listen(struct probe *probe);
void probe_end(struct probe *probe); /* ends the worker, if there is one; probe may ask again */

#endif
