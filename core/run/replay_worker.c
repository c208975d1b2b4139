/* replay_worker.c - see worker.h: a policy is given recorded samples. */
#include "core/run/worker.h"

#include "core/run/messages.h"
#include "core/run/policy_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct replay {
    struct worker_link *link;
    const struct gb_plugin *plugin;
    void *params;
    struct host *host;
    struct policy_run *run;
    double tick_ns;
    uint32_t traits;   /* of the samples */
    double elapsed_ns; /* of the last sample taken */
    bool is_whole;     /* there are no more samples */
};

/* A column as it was sent: n values, or one that stands for all. */
static const double *take_column(struct wire_reader *message, struct arena *arena, uint64_t n)
{
    uint64_t n_sent;
    const double *sent = wire_get_f64s(message, arena, &n_sent);
    if (n_sent == n || message->failed)
        return sent;
    double *all = ARENA_ARRAY(arena, double, n);
    for (uint64_t i = 0; i < n; i++)
        all[i] = n_sent > 0 ? sent[0] : 0;
    return all;
}

static uint64_t as_integer(double value)
{
    return value > 0 && value < 0x1p63 ? (uint64_t)value : 0;
}

static const uint64_t *take_integers(struct wire_reader *message, struct arena *arena, uint64_t n)
{
    const double *column = take_column(message, arena, n);
    uint64_t *integers = ARENA_ARRAY(arena, uint64_t, n);
    for (uint64_t i = 0; column && i < n; i++)
        integers[i] = as_integer(column[i]);
    return integers;
}

static int32_t take_samples(struct replay *replay, struct wire_reader *message,
                            struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_samples samples = {
        .size = sizeof samples, .traits = replay->traits, .tick_ns = replay->tick_ns};
    samples.n = wire_get_count(message, sizeof(double));
    if (samples.n == 0) {
        replay->is_whole = true;
        return GB_OK;
    }
    samples.time_ns = take_column(message, &arena, samples.n);
    samples.elapsed_ns = take_column(message, &arena, samples.n);
    samples.iterations = take_integers(message, &arena, samples.n);
    samples.clock_hz = take_column(message, &arena, samples.n);
    samples.throttle = take_integers(message, &arena, samples.n);
    const uint64_t *flags = take_integers(message, &arena, samples.n);
    uint32_t *narrow = ARENA_ARRAY(&arena, uint32_t, samples.n);
    for (uint64_t i = 0; i < samples.n; i++)
        narrow[i] = (uint32_t)flags[i];
    samples.flags = narrow;
    if (!wire_complete(message))
        return error_set(error, GB_CORRUPT, "samples arrived in a form that cannot be read");
    uint64_t n_taken = 0;
    int32_t status = policy_run_feed(replay->run, &samples, &n_taken, error);
    if (n_taken > 0)
        replay->elapsed_ns = samples.elapsed_ns[n_taken - 1];
    return status;
}

static int32_t ask_for_samples(struct replay *replay, struct gb_error *error)
{
    struct wire_reader message;
    uint32_t type;
    link_begin(replay->link, WIRE_TRACE_WANTED);
    link_send(replay->link);
    if (!link_receive(replay->link, &type, &message))
        _exit(0);
    return type == WIRE_TRACE ? take_samples(replay, &message, error)
                              : error_set(error, GB_CORRUPT, "expected samples");
}

static int32_t send_estimate(struct replay *replay, struct gb_error *error)
{
    struct gb_estimate estimate;
    if (replay->run->count == 0)
        return GB_OK;
    int32_t status = policy_run_report(replay->run, &estimate, error);
    if (status != GB_OK)
        return status;
    struct wire_writer *writer = link_begin(replay->link, WIRE_ESTIMATE);
    put_estimate(writer, &estimate);
    wire_put_text(writer, replay->run->reason);
    wire_put_u64(writer, 0);
    link_send(replay->link);
    return GB_OK;
}

static int32_t replay_all(struct replay *replay, const struct guards *guards, double error_ns,
                          struct gb_error *error)
{
    int32_t status = policy_run_new(replay->plugin, replay->params, replay->host, guards,
                                    &replay->run, error);
    if (status == GB_OK)
        replay->run->error_ns = error_ns;
    while (status == GB_OK && !replay->is_whole && !replay->run->ended)
        status = ask_for_samples(replay, error);
    return status == GB_OK ? send_estimate(replay, error) : status;
}

void replay_serve(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct worker_link *link = &worker->link;
    struct replay replay = {.link = link};
    struct plugin_settings settings;
    struct guards guards;
    struct gb_error error = {0};
    get_plugin_settings(message, arena, GB_PLUGIN_POLICY, &settings);
    guards.min_samples = wire_get_u64(message);
    guards.max_samples = wire_get_u64(message);
    guards.max_time_ns = wire_get_f64(message);
    guards.max_undecided_ns = wire_get_f64(message);
    replay.tick_ns = wire_get_f64(message);
    replay.traits = wire_get_u32(message) ? GB_SAMPLES_DITHERED : 0;
    const double error_ns = wire_get_f64(message);
    replay.host = host_new(wire_get_u64(message), &worker->link.sink, NULL, NULL);
    link_phase(link, PHASE_LOAD);
    int32_t status = session_prepare(worker->session, &settings, arena, &replay.plugin,
                                     &replay.params, &error);
    link_phase(link, PHASE_POLICY);
    if (status == GB_OK)
        status = replay_all(&replay, &guards, error_ns, &error);
    bool has_ended = replay.run && replay.run->ended;
    uint64_t n = replay.run ? replay.run->count : 0;
    policy_run_free(replay.run);
    host_free(replay.host);
    fflush(NULL); /* what the policy printed belongs to this replay */
    link_phase(link, PHASE_IDLE);
    struct wire_writer *writer = link_begin(link, WIRE_REPLAYED);
    wire_put_u32(writer, (uint32_t)status);
    wire_put_text(writer, error.text);
    wire_put_u32(writer, has_ended);
    wire_put_u64(writer, n);
    wire_put_f64(writer, replay.elapsed_ns);
    link_send(link);
}
