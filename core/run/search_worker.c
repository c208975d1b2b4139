/* search_worker.c - see worker.h: the engine of a search is asked for visits. */
#include "core/run/worker.h"

#include "core/run/messages.h"
#include "core/search/engine.h"

#include <stdio.h>
#include <unistd.h>

struct searching {
    struct worker_link *link;
    struct plugin_settings settings;
    struct engine_limits limits;
    uint64_t seed, n_cases;
    struct space *space;
    struct engine *engine;
};

/* The supervisor's next message, which is to be of that type; it is done for where it is gone. */
static int32_t receive(struct searching *searching, uint32_t wanted, struct wire_reader *ret,
                       struct gb_error *error)
{
    uint32_t type;
    if (!link_receive(searching->link, &type, ret))
        _exit(0);
    return type == wanted ? GB_OK : error_set(error, GB_CORRUPT, "expected another message");
}

static void take_axes(struct searching *searching, struct wire_reader *message, struct arena *arena)
{
    const uint32_t n = wire_get_count(message, sizeof(uint32_t));
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = wire_get_word(message, arena);
    searching->space = space_new(names, n);
}

/* A part of the cases: their values, one axis after the other. */
static int32_t take_cases(struct searching *searching, uint64_t *ret_n, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const size_t n_axes = space_axes(searching->space);
    struct wire_reader message;
    int32_t status = receive(searching, WIRE_SEARCH_CASES, &message, error);
    if (status != GB_OK)
        return status;
    const uint32_t n = wire_get_count(&message, n_axes * sizeof(uint32_t));
    const char **texts = ARENA_ARRAY(&arena, const char *, n_axes + 1);
    for (uint32_t i = 0; i < n; i++) {
        for (size_t axis = 0; axis < n_axes; axis++)
            texts[axis] = wire_get_word(&message, &arena);
        space_add(searching->space, texts);
    }
    *ret_n = n;
    return n > 0 && wire_complete(&message)
               ? GB_OK
               : error_set(error, GB_CORRUPT, "cases arrived in a form that cannot be read");
}

static int32_t take_space(struct searching *searching, struct gb_error *error)
{
    int32_t status = GB_OK;
    uint64_t n = 0;
    for (uint64_t done = 0; done < searching->n_cases && status == GB_OK; done += n)
        status = take_cases(searching, &n, error);
    return status == GB_OK ? space_finish(searching->space, error) : status;
}

static void send_step(struct searching *searching, const struct engine_step *step)
{
    link_send_fields(searching->link, WIRE_SEARCH_STEP, step_fields, step);
}

static int32_t take_observation(struct searching *searching, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_observation observation = {.size = sizeof observation};
    struct wire_reader message;
    int32_t status = receive(searching, WIRE_SEARCH_OBSERVED, &message, error);
    if (status != GB_OK)
        return status;
    wire_get_fields(&message, NULL, observation_fields, &observation);
    observation.samples = wire_get_f64s(&message, &arena, &observation.n_samples);
    if (!wire_complete(&message))
        return error_set(error, GB_CORRUPT, "an observation arrived that cannot be read");
    return engine_observe(searching->engine, &observation, error);
}

static int32_t search_all(struct searching *searching, struct gb_error *error)
{
    struct engine_step step;
    const bool has_lanes = searching->limits.lanes > 1;
    int32_t status = GB_OK;
    for (engine_next(searching->engine, &step); step.action != ENGINE_END && status == GB_OK;
         engine_next(searching->engine, &step)) {
        if (step.action == ENGINE_MEASURE || has_lanes)
            send_step(searching, &step);
        if (step.action == ENGINE_WAIT || !has_lanes)
            status = take_observation(searching, error);
    }
    return status;
}

static void send_report(struct searching *searching, int32_t status, const struct gb_error *error)
{
    struct engine_report report = {.best = GB_NO_CASE};
    if (searching->engine)
        engine_report(searching->engine, &report);
    struct wire_writer *writer = link_begin(searching->link, WIRE_SEARCHED);
    wire_put_u32(writer, (uint32_t)status);
    wire_put_text(writer, error->text);
    wire_put_fields(writer, report_fields, &report);
    wire_put_u32(writer, (uint32_t)report.n_open);
    for (uint64_t i = 0; i < report.n_open; i++)
        wire_put_u64(writer, report.open[i]);
    link_send(searching->link);
}

void search_serve(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct worker_link *link = &worker->link;
    struct searching searching = {.link = link};
    const struct gb_plugin *plugin = NULL;
    struct gb_error error = {0};
    void *params = NULL;
    get_plugin_settings(message, arena, GB_PLUGIN_SEARCH, &searching.settings);
    searching.seed = wire_get_u64(message);
    wire_get_fields(message, NULL, limits_fields, &searching.limits);
    searching.n_cases = wire_get_u64(message);
    take_axes(&searching, message, arena);
    struct host *host = host_new(searching.seed, &worker->link.sink, NULL, NULL);
    int32_t status = take_space(&searching, &error);
    link_phase(link, PHASE_LOAD);
    if (status == GB_OK)
        status = session_prepare(worker->session, &searching.settings, arena, &plugin, &params,
                                 &error);
    link_phase(link, PHASE_SEARCH);
    if (status == GB_OK)
        status = engine_new(plugin->ops, params, &host->interface, searching.space,
                            &searching.limits, &searching.engine, &error);
    if (status != GB_OK && *host->reason)
        error_set(&error, status, "%s", host->reason);
    if (status == GB_OK)
        status = search_all(&searching, &error);
    send_report(&searching, status, &error);
    engine_free(searching.engine);
    host_free(host);
    space_free(searching.space);
    fflush(NULL); /* what the search printed belongs to it */
    link_phase(link, PHASE_IDLE);
}
