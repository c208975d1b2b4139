/* run_search.c - see run_search.h. */
#include "core/cli/run_search.h"

#include "core/base/members.h"
#include "core/run/search_process.h"
#include "core/run/supervisor.h"
#include "core/view/search_goal.h"
#include "core/view/search_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_VALUE "-" /* of an axis that a benchmark of the space does not have */
#define BENCH_AXIS "bench"

/* One search, and the benchmarks that name it. */
struct one_search {
    const struct search_settings *settings;
    struct search_goal goal; /* the first one */
    struct space *space;
    uint64_t *positions; /* in the sweep, by case of the space */
    uint64_t n;
    struct words axes;
    size_t n_benches;
    struct text benches; /* names, blanks between */
    bool builds;         /* one of them, without its device */
    uint32_t lanes;      /* once it has begun */
};

/* A visit that the search asked for, and whose result it does not have yet. */
struct open_visit {
    struct engine_step step;
    double begun_ns; /* of the search's time */
    bool was_given;  /* to the schedule, or is stored */
};

struct run_search {
    struct arena arena;
    struct run_job *job;
    struct one_search *items;
    size_t n, at;
    bool *is_searched; /* by position */
    struct search_process process;
    bool has_begun, is_waiting; /* the one at `at`; for an observation */
    size_t n_repeated;          /* of the job's done_in_order */
    struct open_visit open[SEARCH_LANES_MAX];
    size_t n_open;
    struct child_lines lines; /* of the one at `at` */
    double elapsed_ns;
    uint64_t n_visits, n_cases, n_ok; /* that it has had */
};

/* ---- spaces ---- */

static struct one_search *search_of(struct run_search *searches,
                                    const struct search_settings *settings)
{
    for (size_t i = 0; i < searches->n; i++)
        if (searches->items[i].settings == settings)
            return &searches->items[i];
    return MEMORY_APPEND(searches->items, searches->n, (struct one_search){.settings = settings}),
           &searches->items[searches->n - 1];
}

/* Where the benchmark's cases lie, and what their axes are. */
static int32_t add_part(struct run_search *searches, const struct sweep_part *part,
                        const bool *is_case, struct gb_error *error)
{
    struct one_search *search = search_of(searches, part->search);
    CLEANUP(arena_free) struct arena arena = {0};
    struct bench_case first;
    if (part->n == 0)
        return GB_OK;
    if (sweep_case_at(searches->job->configuration.sweep, part->first, &arena, &first, error) !=
        GB_OK)
        return error->status;
    search->builds = search->builds || (first.info->flags & PLUGIN_BUILDS);
    words_add_new(&search->axes, &searches->arena, BENCH_AXIS);
    for (size_t i = 0; i < first.n_parameters; i++)
        if (first.parameters[i].is_axis)
            words_add_new(&search->axes, &searches->arena, first.parameters[i].name);
    text_printf(&search->benches, "%s%s", search->n_benches++ ? " " : "", part->name);
    for (uint64_t position = part->first; position < part->first + part->n; position++)
        if (is_case[position]) {
            MEMORY_APPEND(search->positions, search->n, position);
            searches->is_searched[position] = true;
        }
    return GB_OK;
}

static const char *value_on(const struct bench_case *bench_case, const char *axis)
{
    if (text_equal(axis, BENCH_AXIS))
        return bench_case->bench;
    const struct parameter *parameter = ITEM_NAMED(bench_case->parameters, bench_case->n_parameters,
                                                   name, axis);
    return parameter ? parameter->value.text : NO_VALUE;
}

static int32_t make_space(struct run_search *searches, struct one_search *search,
                          struct gb_error *error)
{
    CLEANUP(free_pointer)
    const char **texts = memory_allocate((search->axes.n + 1) * sizeof *texts);
    search->space = space_new(search->axes.items, search->axes.n);
    for (uint64_t i = 0; i < search->n; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct bench_case bench_case;
        if (sweep_case_at(searches->job->configuration.sweep, search->positions[i], &arena,
                          &bench_case, error) != GB_OK)
            return error->status;
        for (size_t axis = 0; axis < search->axes.n; axis++)
            texts[axis] = value_on(&bench_case, search->axes.items[axis]);
        space_add(search->space, texts);
    }
    struct search_goals goals;
    int32_t status = space_finish(search->space, error);
    if (status == GB_OK)
        status = search_goals_read(search->settings->params.goal, &searches->arena, &goals, error);
    if (status == GB_OK)
        search->goal = goals.items[0];
    return status == GB_OK ? status
                           : error_prefix(error, "search %s: ", search->settings->plugin->name);
}

static void say_line(void *context, const char *line)
{
    struct run_search *searches = context;
    progress_child_line(&searches->job->progress, &searches->lines,
                        searches->items[searches->at].settings->plugin->name, line);
}

int32_t run_search_new(struct run_job *job, struct run_search **ret, struct gb_error *error)
{
    const struct sweep *sweep = job->configuration.sweep;
    const size_t n_parts = sweep_parts(sweep);
    const size_t n_positions = (size_t)sweep_positions(sweep);
    bool any = false;
    int32_t status = GB_OK;
    *ret = NULL;
    for (size_t i = 0; i < n_parts; i++)
        any = any || sweep_part(sweep, i).search;
    if (!any)
        return GB_OK;
    struct run_search *searches = memory_allocate(sizeof *searches);
    /* The positions that the run's `where` and `sample` have left. */
    CLEANUP(free_pointer) bool *is_case = memory_allocate(n_positions + 1);
    for (uint64_t i = 0; i < sweep_size(sweep); i++)
        is_case[sweep_position(sweep, i)] = true;
    searches->job = job;
    searches->is_searched = ARENA_ARRAY(&searches->arena, bool, n_positions + 1);
    searches->process = (struct search_process){.line = say_line, .context = searches};
    for (size_t i = 0; i < n_parts && status == GB_OK; i++) {
        const struct sweep_part part = sweep_part(sweep, i);
        if (part.search)
            status = add_part(searches, &part, is_case, error);
    }
    for (size_t i = 0; i < searches->n && status == GB_OK; i++)
        if (searches->items[i].n > 0)
            status = make_space(searches, &searches->items[i], error);
    if (status == GB_OK)
        *ret = searches;
    else
        run_search_free(searches);
    return status;
}

const bool *run_search_cases(const struct run_search *searches)
{
    return searches->is_searched;
}

void run_search_free(struct run_search *searches)
{
    if (!searches)
        return;
    search_process_free(&searches->process);
    for (size_t i = 0; i < searches->n; i++) {
        free(searches->items[i].positions);
        space_free(searches->items[i].space);
        text_free(&searches->items[i].benches);
    }
    free(searches->items);
    arena_free(&searches->arena);
    free(searches);
}

/* ---- how it ended ---- */

struct facts {
    struct arena arena;
    struct fact *items;
    size_t n;
    const char *search;
};

__attribute__((format(printf, 3, 4))) static void add_fact(struct facts *facts, const char *key,
                                                           const char *format, ...)
{
    CLEANUP(text_free) struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    struct fact *fact = ARENA_ADD(&facts->arena, facts->items, facts->n);
    fact->name = arena_printf(&facts->arena, SEARCH_FACT "%s.%s", facts->search, key);
    fact->value = arena_text(&facts->arena, text_get(&text));
}

/* "copy bytes=1024", as tables have it. */
static void add_label(const struct run_search *searches, uint64_t position, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct bench_case bench_case;
    struct gb_error error;
    if (sweep_case_at(searches->job->configuration.sweep, position, &arena, &bench_case, &error) ==
        GB_OK)
        bench_case_label(&bench_case, out);
}

static const char *const scopes[] = {
#define SCOPE_WORDS(name, value, words) [value] = (words),
    GB_SCOPE_MAP(SCOPE_WORDS)
#undef SCOPE_WORDS
};

static void add_best(const struct run_search *searches, const struct one_search *search,
                     const struct engine_report *report, struct facts *facts)
{
    const double sign = search->goal.is_max ? -1 : 1;
    CLEANUP(text_free) struct text label = {0};
    if (report->best == GB_NO_CASE)
        return;
    add_label(searches, search->positions[report->best], &label);
    add_fact(facts, "best", "%s", text_get(&label));
    add_fact(facts, "best_position", "%llu", (unsigned long long)search->positions[report->best]);
    add_fact(facts, "value", "%.17g", sign * report->value);
    if (isfinite(report->low) && isfinite(report->high)) {
        add_fact(facts, "low", "%.17g", search->goal.is_max ? -report->high : report->low);
        add_fact(facts, "high", "%.17g", search->goal.is_max ? -report->low : report->high);
    }
    if (report->scope == GB_SCOPE_SHARE)
        add_fact(facts, "share", "%.17g", report->share);
}

static void add_open(const struct one_search *search, const struct engine_report *report,
                     struct facts *facts)
{
    enum { LISTED = 1000 };
    CLEANUP(text_free) struct text list = {0};
    add_fact(facts, "not_ruled_out", "%llu", (unsigned long long)report->n_open);
    for (uint64_t i = 0; i < report->n_open && i < LISTED; i++)
        text_printf(&list, "%s%llu", i ? " " : "",
                    (unsigned long long)search->positions[report->open[i]]);
    if (list.length)
        add_fact(facts, "not_ruled_out_positions", "%s", text_get(&list));
}

/* Which search it is: known before anything is measured. */
static void describe(const struct one_search *search, struct facts *facts)
{
    const struct search_params *params = &search->settings->params;
    const struct plugin_settings *plugin = search->settings->plugin;
    CLEANUP(text_free) struct text options = {0};
    for (size_t i = 0; i < plugin->n_settings; i++)
        text_printf(&options, "%s%s=%s", i ? " " : "", plugin->settings[i].key,
                    plugin->settings[i].text);
    add_fact(facts, "plugin", "%s", plugin->info->plugin.id);
    add_fact(facts, "options", "%s", text_get(&options));
    add_fact(facts, "benches", "%s", text_get(&search->benches));
    add_fact(facts, "goal", "%s", params->goal);
    add_fact(facts, "where", "%s", params->where);
    add_fact(facts, "tolerance", "%.6g", params->tolerance);
    add_fact(facts, "confidence", "%.6g", params->confidence);
    add_fact(facts, "cases", "%llu", (unsigned long long)search->n);
    add_fact(facts, "lanes", "%u", search->lanes);
}

/* How it ended; NULL: it has not. */
static int32_t store_report(struct run_search *searches, const struct engine_report *report,
                            struct gb_error *error)
{
    const struct one_search *search = &searches->items[searches->at];
    struct facts facts = {.search = search->settings->plugin->name};
    describe(search, &facts);
    if (report) {
        add_fact(&facts, "scope", "%s",
                 report->scope >= 0 && report->scope <= GB_SCOPE_ALL ? scopes[report->scope]
                                                                     : "none");
        add_fact(&facts, "cases_measured", "%llu", (unsigned long long)report->n_cases);
        add_fact(&facts, "cases_ok", "%llu", (unsigned long long)report->n_ok);
        add_fact(&facts, "visits", "%llu", (unsigned long long)report->n_proposals);
        add_fact(&facts, "elapsed_ns", "%.17g", report->elapsed_ns);
        add_fact(&facts, "reason", "%s", report->reason);
        add_fact(&facts, "note", "%s", report->note);
        add_best(searches, search, report, &facts);
        add_open(search, report, &facts);
    }
    int32_t status = store_run_facts(searches->job->store, searches->job->run_id, facts.items,
                                     facts.n, error);
    arena_free(&facts.arena);
    return status;
}

/* ---- going on ---- */

ORDER_BY(compare_positions, uint64_t, ORDER_OF(*x, *y))

/* The next visit that the current search had in the run that is resumed; NULL: it has repeated them
 * all. */
static const struct visit_key *next_before(struct run_search *searches)
{
    const struct run_job *job = searches->job;
    const struct one_search *search = &searches->items[searches->at];
    for (; searches->n_repeated < job->n_done; searches->n_repeated++) {
        const struct visit_key *key = &job->done_in_order[searches->n_repeated];
        if (searches->is_searched[key->position])
            return bsearch(&key->position, search->positions, (size_t)search->n,
                           sizeof key->position, compare_positions)
                       ? key
                       : NULL;
    }
    return NULL;
}

/* The same observations give the same proposals. False, with the reason: not here. */
static bool repeats_itself(struct run_search *searches, const struct engine_step *step,
                           struct text *ret_reason)
{
    const struct one_search *search = &searches->items[searches->at];
    const struct visit_key *before = next_before(searches);
    const uint64_t position = search->positions[step->i];
    CLEANUP(text_free) struct text was = {0}, is = {0};
    if (!before)
        return true;
    searches->n_repeated++;
    if (before->position == position && before->round == step->visit)
        return true;
    add_label(searches, before->position, &was);
    add_label(searches, position, &is);
    text_printf(ret_reason,
                "the search is not deterministic: it proposed visit %u of %s before, and visit %u "
                "of %s now",
                before->round, text_get(&was), step->visit, text_get(&is));
    return false;
}

/* What is known of it all the same, where its process has said nothing. */
static struct engine_report fail_search(const struct run_search *searches, const char *reason)
{
    struct engine_report report = search_failure(reason);
    report.n_proposals = searches->n_visits;
    report.n_cases = searches->n_cases;
    report.n_ok = searches->n_ok;
    report.elapsed_ns = searches->elapsed_ns;
    return report;
}

static int32_t end_search(struct run_search *searches, struct schedule *schedule,
                          const struct engine_report *report, struct gb_error *error)
{
    struct one_search *search = &searches->items[searches->at];
    CLEANUP(text_free) struct text label = {0};
    if (report->best < search->n)
        add_label(searches, search->positions[report->best], &label);
    progress_child_end(&searches->job->progress, &searches->lines, search->settings->plugin->name,
                       "a search");
    progress_line(&searches->job->progress, "search %s: %s%s%s", search->settings->plugin->name,
                  report->reason, label.length ? "; best: " : "", text_get(&label));
    if (*report->note)
        progress_line(&searches->job->progress, "search %s: %s", search->settings->plugin->name,
                      report->note);
    int32_t status = store_report(searches, report, error);
    while (next_before(searches)) /* what it would have to repeat is not the next one's */
        searches->n_repeated++;
    search_process_free(&searches->process);
    schedule->is_given_up |= searches->n_open > 0;
    schedule->n_lanes = 1;
    searches->at++;
    searches->n_open = 0;
    searches->has_begun = searches->is_waiting = false;
    return status;
}

/* ---- visits ---- */

static int32_t find_visit(const struct run_search *searches, const struct open_visit *visit,
                          int64_t *ret_id, struct gb_error *error)
{
    const struct one_search *search = &searches->items[searches->at];
    return store_case_find(searches->job->store, searches->job->run_id,
                           search->positions[visit->step.i], visit->step.visit, ret_id, error);
}

/* Tells the search of the visit that it asked for first. GB_NOT_FOUND: it is not stored yet. */
static int32_t observe(struct run_search *searches, struct gb_error *error)
{
    const struct one_search *search = &searches->items[searches->at];
    const struct run_job *job = searches->job;
    const struct open_visit *visit = &searches->open[0];
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_observation observation;
    struct stored_case c;
    int64_t id = 0;
    int32_t status = find_visit(searches, visit, &id, error);
    if (status == GB_OK)
        status = search_goal_observe(job->store, job->run_number, &search->goal,
                                     search->settings->params.where, id, &arena, &c, &observation,
                                     error);
    if (status == GB_INVALID)
        error_prefix(error, "search %s: ", search->settings->plugin->name);
    if (status != GB_OK)
        return status;
    searches->elapsed_ns = search_visit_end(&c, &observation, visit->begun_ns,
                                            searches->elapsed_ns);
    searches->n_visits++;
    searches->n_cases += visit->step.visit == 0;
    searches->n_ok += visit->step.visit == 0 && observation.status == GB_OBSERVED_OK &&
                      observation.n_samples > 0;
    observation.proposal = visit->step.proposal;
    observation.elapsed_ns = searches->elapsed_ns;
    search_process_observe(&searches->process, &observation);
    searches->n_open--;
    memmove(searches->open, searches->open + 1, searches->n_open * sizeof *searches->open);
    searches->is_waiting = false;
    return GB_OK;
}

/* Those that are neither stored nor given to the schedule yet. */
static void want(struct run_search *searches, struct schedule *schedule)
{
    const struct one_search *search = &searches->items[searches->at];
    struct progress *progress = &searches->job->progress;
    const bool confirms = search->settings->plugin->info->flags & PLUGIN_CONFIRMS;
    struct gb_error error;
    int64_t id;
    for (size_t i = 0; i < searches->n_open; i++) {
        struct open_visit *visit = &searches->open[i];
        if (!visit->was_given && find_visit(searches, visit, &id, &error) != GB_OK)
            schedule_want(schedule, &(struct wanted_visit){
                                        .position = search->positions[visit->step.i],
                                        .round = visit->step.visit,
                                        .n_samples = visit->step.n_samples,
                                        .is_first_look = confirms && visit->step.visit == 0});
        visit->was_given = true;
    }
    const uint64_t n_least = progress->n_known + progress->n_done + searches->n_open;
    progress->n_total = progress->n_total > n_least ? progress->n_total : n_least;
}

/* As many as the run began with, if it is resumed: the search's proposals depend on it. */
static int32_t find_lanes(const struct run_search *searches, struct one_search *search,
                          struct gb_error *error)
{
    const struct run_job *job = searches->job;
    const char *name = search->settings->plugin->name;
    CLEANUP(arena_free) struct arena arena = {0};
    struct run_record run = {0};
    struct lane_cpus cpus;
    uint32_t lanes = SEARCH_LANES_AUTO;
    int64_t id;
    int32_t status = store_run_read(job->store, job->run_number, &arena, &id, &run, error);
    if (status != GB_OK)
        return status;
    const char *before = FACT(&run, arena_printf(&arena, SEARCH_FACT "%s.lanes", name));
    const char *plugin = FACT(&run, arena_printf(&arena, SEARCH_FACT "%s.plugin", name));
    status = search_lanes_read(*before   ? before
                               : *plugin ? "1" /* there were none in earlier versions */
                                         : search->settings->params.lanes,
                               &lanes, error);
    if (status != GB_OK)
        return status;
    if (lanes > 1 && !search->builds)
        progress_line(&searches->job->progress,
                      "search %s: lanes = %u has no effect: none of its benchmarks can be built "
                      "without its device",
                      name, lanes);
    lane_cpus_find(&cpus);
    if (lanes == SEARCH_LANES_AUTO)
        lanes = cpus.n_cores < SEARCH_LANES_MAX ? cpus.n_cores : SEARCH_LANES_MAX;
    search->lanes = search->builds ? lanes : 1;
    return GB_OK;
}

static int32_t begin(struct run_search *searches, struct schedule *schedule, struct gb_error *error)
{
    struct one_search *search = &searches->items[searches->at];
    int32_t status = find_lanes(searches, search, error);
    if (status == GB_OK)
        status = store_report(searches, NULL, error);
    if (status == GB_OK)
        status = search_process_start(
            &searches->process, search->settings,
            (uint64_t)settings_run(searches->job->configuration.settings)->seed, search->lanes,
            search->space, error);
    schedule->n_lanes = search->lanes;
    searches->has_begun = status == GB_OK;
    searches->elapsed_ns = 0;
    searches->n_visits = searches->n_cases = searches->n_ok = 0;
    return status;
}

/* The next step of the current search, which may be its end. *ret_is_stopped: by the user. */
static int32_t step(struct run_search *searches, struct schedule *schedule, bool *ret_is_stopped,
                    struct gb_error *error)
{
    CLEANUP(text_free) struct text reason = {0};
    struct engine_report report;
    struct engine_step next;
    int32_t status = searches->has_begun ? GB_OK : begin(searches, schedule, error);
    if (status != GB_OK)
        return status;
    const int how = search_process_next(&searches->process, &next, &report);
    *ret_is_stopped = how == SEARCH_STOPPED;
    if (how == SEARCH_STEP && next.action == ENGINE_MEASURE &&
        !repeats_itself(searches, &next, &reason)) {
        report = fail_search(searches, text_get(&reason));
        return end_search(searches, schedule, &report, error);
    }
    if (how == SEARCH_ENDED && report.is_broken && report.n_proposals == 0) {
        text_add(&reason, report.reason);
        report = fail_search(searches, text_get(&reason));
    }
    if (how == SEARCH_STEP) /* with one lane a search waits after each step, and does not say so */
        searches->is_waiting = next.action == ENGINE_WAIT ||
                               searches->items[searches->at].lanes == 1;
    if (how == SEARCH_STEP && next.action == ENGINE_MEASURE)
        searches->open[searches->n_open++] = (struct open_visit){.step = next,
                                                                 .begun_ns = searches->elapsed_ns};
    return how == SEARCH_ENDED ? end_search(searches, schedule, &report, error) : GB_OK;
}

int32_t run_search_round(void *context, struct schedule *schedule, bool *ret_goes_on,
                         struct gb_error *error)
{
    struct run_search *searches = context;
    bool is_stopped = false;
    *ret_goes_on = false;
    while (searches->at < searches->n && !is_stopped) {
        if (searches->items[searches->at].n == 0) {
            searches->at++;
            continue;
        }
        int32_t status = GB_OK;
        if (!searches->is_waiting)
            status = step(searches, schedule, &is_stopped, error);
        if (status == GB_OK && !searches->is_waiting)
            continue;
        if (status == GB_OK)
            status = observe(searches, error);
        if (status == GB_NOT_FOUND && (!searches->open[0].was_given || schedule->is_under_way)) {
            want(searches, schedule);
            *ret_goes_on = true;
            return GB_OK;
        }
        if (status != GB_OK)
            return status;
    }
    return GB_OK;
}
