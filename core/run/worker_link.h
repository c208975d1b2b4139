/*
 * worker_link.h - where messages about a case go: to the supervisor, from a worker; or to a
 * function of the same process, where there is no supervisor (core/library).
 *
 * Messages go over the socket; what the worker is calling right now stands in a page that both
 * processes map, so that the supervisor can say where a worker died, and naming it costs one store.
 * If the supervisor is gone, or the plugin has closed the socket, the worker ends at once, as no
 * process is left to report to. A child that a plugin forked ends as soon as it uses the link.
 */
#pragma once

#include "core/run/host.h"
#include "core/run/wire.h"
#include "core/store/record.h"

#include <pthread.h>
#include <sys/types.h>

/* What a worker is in the middle of. X(name, words after "crashed (SIGSEGV) ") */
#define PHASE_MAP(X)                                                                               \
    X(IDLE, "before it took the case")                                                             \
    X(LOAD, "while loading a module")                                                              \
    X(DESCRIBE, "while describing devices")                                                        \
    X(EXAMINE, "while examining devices")                                                          \
    X(LIST, "while listing counters")                                                              \
    X(VALIDATE, "while checking the settings")                                                     \
    X(OPEN, "while opening the device")                                                            \
    X(FLUSH, "while flushing the device's cache")                                                  \
    X(BUILD, "in build")                                                                           \
    X(CREATE, "in create")                                                                         \
    X(WAIT, "while waiting to be alone")                                                           \
    X(COOL, "while waiting for cool_below or clock_at_least")                                      \
    X(PREPARE, "in prepare")                                                                       \
    X(WORK, "in work")                                                                             \
    X(CALIBRATE, "in run, while warming up")                                                       \
    X(RUN, "in run")                                                                               \
    X(COLLECT, "in collect")                                                                       \
    X(SENTINEL, "while timing the device's own reference work")                                    \
    X(TELEMETRY, "while reading the device's telemetry")                                           \
    X(POLICY, "in the policy")                                                                     \
    X(SEARCH, "in the search")                                                                     \
    X(COUNT, "while counting")                                                                     \
    X(BREAK_DOWN, "while listing its kernels")                                                     \
    X(PROFILE, "while marking a profiler's range")                                                 \
    X(VERIFY, "in verify")                                                                         \
    X(DESTROY, "in destroy")

enum {
#define PHASE_CONSTANT(name, words) PHASE_##name,
    PHASE_MAP(PHASE_CONSTANT)
#undef PHASE_CONSTANT
        PHASES
};
const char *phase_words(uint32_t phase);

/* The page that both map. */
struct worker_page {
    volatile uint32_t phase;
    volatile uint32_t is_cut;  /* 1: the worker ends because it could not send any more */
    volatile uint32_t is_left; /* 1: the process that it has forked ends to make room for another */
};

/* A variable of a worker: its addresses must be the same each time. */
#define WORKER_FIXED "GBRUN_FIXED_ADDRESSES"
enum { WORKER_SOCKET = 3, WORKER_PAGE = 4 }; /* file descriptors in a worker */
enum { OPENING_WARNINGS_MAX = 16 };

/* Takes one message, whose payload is valid during the call. One thread at a time calls it. */
typedef void link_receiver_fn(void *context, uint32_t type, struct wire_reader *payload);

struct worker_link {
    int socket;
    pid_t process; /* the worker */
    struct worker_page *page;
    pthread_mutex_t lock; /* plugins may log from threads of their own */
    struct wire_writer writer;
    bool is_held;
    struct wire_writer held; /* messages that wait */
    struct wire_input input;
    link_receiver_fn *receiver; /* NULL: the supervisor, over the socket */
    void *receiver_context;
    struct worker_page own_page; /* where there is a receiver */
    struct host_sink sink;       /* for plugins: what they say becomes messages */
    /* What the device warned of while it was opened holds for every case that it serves. Guarded by
     * the lock. */
    struct arena arena; /* of the texts */
    struct message_record warnings[OPENING_WARNINGS_MAX];
    size_t n_warnings;
};

/* Takes over both descriptors. A link, once opened, is not to be moved. */
void link_open(struct worker_link *link, int socket, int page_descriptor);
/* Within a process: all that is sent is handed to the receiver, which grants all that is waited
 * for. Nothing ends the process. */
void link_open_within(struct worker_link *link, link_receiver_fn *receiver);
void link_free(struct worker_link *link);

/* Begins a message of a type; link_send sends it. Between the two the link is locked. */
struct wire_writer *link_begin(struct worker_link *link, uint32_t type);
void link_send(struct worker_link *link);
/* Until the next phase, messages of this process itself wait, to be sent together: no code of a
 * plugin may run meanwhile. What a plugin says, from a thread of its own, ends that. */
void link_hold(struct worker_link *link);
/* A message that is a struct, whole. */
void link_send_fields(struct worker_link *link, uint32_t type, const struct wire_field *fields,
                      const void *object);

/* Likewise a record of the case (put_record). */
void link_send_record(struct worker_link *link, uint32_t type, const void *record);
/* Likewise a message of gbrun's own about the case, of severity GB_LOG_..., and a metric. */
void link_say(struct worker_link *link, int32_t severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void link_metric(struct worker_link *link, const char *name, double value, const char *unit);
/* Once more, for the case that comes now: what the device warned of as it was opened. */
void link_repeat_warnings(struct worker_link *link);

/* The supervisor's next message; its payload is valid until the next call. False: it has closed
 * the connection. Blocks. */
bool link_receive(struct worker_link *link, uint32_t *ret_type, struct wire_reader *ret_payload);

/* Asks the supervisor to measure nothing else meanwhile, and waits until it grants that, which it
 * does at once if the case is alone; of a run that is stopped too, once the others have ended. */
void link_wait_alone(struct worker_link *link);

void link_phase(struct worker_link *link, uint32_t phase);
