/* search.c - see gbrun/measure.h: a search whose cases the program measures. */
#include "core/base/host_clock.h"
#include "core/library/library.h"
#include "core/run/host.h"
#include "core/run/search_process.h"

#include <math.h>
#include <stdlib.h>

struct search {
    struct gbrun_search seen; /* the program's; first, as it is given back */
    struct arena arena;
    struct request request;
    struct session *session;
    struct host *host;
    struct space *space;
    struct engine *engine;
    struct engine_step step;
    struct engine_report report;
    double begin_ns;
};

static const char *const scopes[] = {
#define WORDS(name, value, words) [value] = (words),
    GB_SCOPE_MAP(WORDS)
#undef WORDS
};

static struct search *search_of(struct gbrun_search *seen)
{
    return (struct search *)(void *)seen;
}

/* What went wrong; the first error counts. */
static void fail(struct search *search, int32_t status, const char *text)
{
    if (search->seen.status != GB_OK)
        return;
    search->seen.status = status;
    search->seen.error = arena_text(&search->arena, text);
}

static void ignore(void *context, uint32_t type, const void *record)
{
    (void)context, (void)type, (void)record;
}

/* What a search says while it runs is of no use to the program; why it fails is. */
static const struct host_sink sink = {.take = ignore};

static int32_t read_settings(struct search *search, const char *settings)
{
    struct error_list errors = {0};
    struct gb_error error;
    const struct catalogue *catalogue;
    if (library_catalogue(&catalogue, &error) != GB_OK)
        fail(search, error.status, error.text);
    else if (request_read_search(settings ? settings : "", catalogue, &search->arena,
                                 &search->request, &errors) != GB_OK)
        fail(search, GB_INVALID, error_lines(&errors, &search->arena));
    error_list_free(&errors);
    return search->seen.status;
}

static int32_t make_space(struct search *search, const char *const *axes, uint64_t n_axes,
                          const char *const *values, uint64_t n_cases)
{
    struct gb_error error;
    if (n_axes == 0) {
        fail(search, GB_INVALID, "gbrun_search_new: there is no axis");
        return GB_INVALID;
    }
    search->space = space_new(axes, n_axes);
    for (uint64_t i = 0; i < n_cases; i++)
        space_add(search->space, values + i * n_axes);
    if (space_finish(search->space, &error) != GB_OK)
        fail(search, error.status, error.text);
    return search->seen.status;
}

/* One lane by default, as only the program knows how it prepares cases. */
static struct engine_limits limits_for(const struct search_params *params)
{
    uint32_t lanes = 1;
    struct gb_error error;
    search_lanes_read(params->lanes, &lanes, &error); /* it was checked */
    return search_limits(params, lanes == SEARCH_LANES_AUTO ? 1 : lanes);
}

static void open_search(struct search *search)
{
    const struct search_settings *settings = search->request.search;
    const struct engine_limits limits = limits_for(&settings->params);
    const uint64_t seed = (uint64_t)settings_run(search->request.settings)->seed;
    const struct gb_plugin *plugin;
    struct gb_error error;
    void *params;
    search->session = session_new(&sink);
    search->host = host_new(seed, &sink, NULL, NULL);
    int32_t status = session_prepare(search->session, settings->plugin, &search->arena, &plugin,
                                     &params, &error);
    if (status == GB_OK)
        status = engine_new(plugin->ops, params, &search->host->interface, search->space, &limits,
                            &search->engine, &error);
    if (status != GB_OK)
        fail(search, status, *search->host->reason ? search->host->reason : error.text);
    search->seen.tolerance = limits.tolerance;
    search->seen.confidence = limits.confidence;
    search->begin_ns = host_clock_ns();
}

struct gbrun_search *gbrun_search_new(const char *const *axes, uint64_t n_axes,
                                      const char *const *values, uint64_t n_cases,
                                      const char *settings)
{
    struct search *search = memory_allocate(sizeof *search);
    search->seen = (struct gbrun_search){.size = sizeof search->seen,
                                         .error = "",
                                         .why = "",
                                         .scope_text = scopes[GB_SCOPE_NONE],
                                         .best = GBRUN_NO_CASE,
                                         .value_ns = NAN,
                                         .low_ns = NAN,
                                         .high_ns = NAN,
                                         .share = NAN,
                                         .reason = "",
                                         .note = ""};
    const char *why = turn_begin(); /* plugins are loaded by one thread */
    if (why) {
        fail(search, GB_FAILED, why);
        return &search->seen;
    }
    if (read_settings(search, settings) == GB_OK &&
        make_space(search, axes, n_axes, values, n_cases) == GB_OK)
        open_search(search);
    turn_end();
    return &search->seen;
}

static void conclude(struct search *search)
{
    struct gbrun_search *seen = &search->seen;
    struct engine_report *report = &search->report;
    engine_report(search->engine, report);
    seen->scope = report->scope;
    seen->scope_text = scopes[report->scope];
    seen->best = report->best;
    seen->value_ns = report->value;
    seen->low_ns = report->low;
    seen->high_ns = report->high;
    seen->share = report->share;
    seen->n_open = report->n_open;
    seen->open = report->open;
    seen->n_visits = report->n_proposals;
    seen->n_cases = report->n_cases;
    seen->reason = report->reason;
    seen->note = report->note;
}

int32_t gbrun_search_next(struct gbrun_search *seen)
{
    static const int32_t actions[] = {[ENGINE_MEASURE] = GBRUN_SEARCH_MEASURE,
                                      [ENGINE_WAIT] = GBRUN_SEARCH_WAIT,
                                      [ENGINE_END] = GBRUN_SEARCH_ENDED};
    struct search *search = search_of(seen);
    const bool has_ended = *search->report.reason;
    if (seen->status != GB_OK || has_ended)
        return seen->action = GBRUN_SEARCH_ENDED;
    engine_next(search->engine, &search->step);
    seen->action = actions[search->step.action];
    seen->i = search->step.i;
    seen->proposal = search->step.proposal;
    seen->visit = search->step.visit;
    seen->n_samples = search->step.n_samples;
    seen->why = search->step.reason;
    if (seen->action == GBRUN_SEARCH_ENDED)
        conclude(search);
    return seen->action;
}

int32_t gbrun_search_observe(struct gbrun_search *seen, uint64_t proposal, int32_t observed,
                             const double *samples_ns, uint64_t n, double prepare_ns,
                             double wall_ns)
{
    struct search *search = search_of(seen);
    const struct gb_observation observation = {.status = observed,
                                               .proposal = proposal,
                                               .n_samples = n,
                                               .samples = samples_ns,
                                               .prepare_ns = prepare_ns,
                                               .wall_ns = wall_ns,
                                               .elapsed_ns = host_clock_ns() - search->begin_ns};
    struct gb_error error;
    if (seen->status != GB_OK)
        return seen->status;
    if (observed < GB_OBSERVED_OK || observed > GB_OBSERVED_TIMED_OUT)
        fail(search, GB_INVALID, "gbrun_search_observe: observed is none of GB_OBSERVED_...");
    else if (engine_observe(search->engine, &observation, &error) != GB_OK)
        fail(search, error.status, error.text);
    return seen->status;
}

void gbrun_search_free(struct gbrun_search *seen)
{
    if (!seen)
        return;
    struct search *search = search_of(seen);
    engine_free(search->engine);
    if (search->host)
        host_free(search->host);
    if (search->session)
        session_free(search->session);
    space_free(search->space);
    arena_free(&search->arena);
    free(search);
}
