/*
 * probe_worker.h - one conversation with a worker that is asked about plugins and may die of it.
 */
#pragma once

#include "core/run/messages.h"
#include "core/run/worker_process.h"

struct probe {
    struct arena *arena; /* of what is found */
    /* Takes a message of the answer, but for the last one. GB_CORRUPT,
     * or a message that it found too short, ends the answer. */
    int32_t (*take)(struct probe *probe, uint32_t type, struct wire_reader *message);
    void *context;     /* of take */
    uint32_t last;     /* the message with the outcome, WIRE_..._END; 0: take sets is_complete */
    uint32_t restarts; /* the message that begins its time anew; 0: time is for the whole answer */
    struct worker_process worker;
    double deadline_ns;  /* of awake_clock_ns */
    size_t bytes_before; /* of the arena */
    bool is_complete;
    char violation[sizeof((struct gb_error){0}.text)]; /* what the worker must not send; "" */
    struct outcome outcome; /* words: the answer's own, or why it is not complete; "" */
    struct text printed;    /* the worker's last words */
};

/* Begins a question about a plugin, in a worker of its own unless one is there; what else it has is
 * put into probe->worker.writer. */
int32_t probe_begin(struct probe *probe, uint32_t question, const struct plugin_settings *settings,
                    struct gb_error *error);
/* Sends the question that was begun, and listens until the answer is complete or cannot be any
 * more. */
void probe_listen(struct probe *probe);
/* Gives the worker away, with nothing left of what it printed. */
void probe_keep(struct probe *probe, struct worker_process *ret_worker);
void probe_end(struct probe *probe); /* ends the worker, if there is one; probe may ask again */
