/* search_process.c - see search_process.h. */
#include "core/run/search_process.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/run/messages.h"
#include "core/run/supervisor.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { CASES_IN_MESSAGE = 1024 };

/* ---- what is sent ---- */

static void send_cases(struct search_process *process, const struct space *space, uint64_t first)
{
    const struct gb_search_axis *const *axes = space_axis_list(space);
    const size_t n_axes = space_axes(space);
    CLEANUP(free_pointer) uint32_t *place = memory_allocate(n_axes * sizeof *place);
    struct gb_error gone; /* the next answer will not come */
    const uint64_t left = space_size(space) - first;
    const uint64_t n = left < CASES_IN_MESSAGE ? left : CASES_IN_MESSAGE;
    struct wire_writer *writer = worker_begin(&process->worker, WIRE_SEARCH_CASES);
    wire_put_u32(writer, (uint32_t)n);
    for (uint64_t i = first; i < first + n; i++) {
        space_place(space, i, place);
        for (size_t axis = 0; axis < n_axes; axis++)
            wire_put_text(writer, axes[axis]->texts[place[axis]]);
    }
    worker_send(&process->worker, &gone);
}

int32_t search_process_start(struct search_process *process, const struct search_settings *settings,
                             uint64_t seed, uint32_t lanes, const struct space *space,
                             struct gb_error *error)
{
    const struct search_params *params = &settings->params;
    const size_t n_axes = space_axes(space);
    struct gb_error gone;
    if (worker_start(&process->worker, NULL, 0, error) != GB_OK)
        return error->status;
    process->is_running = true;
    process->params = params;
    process->thought_ns = 0;
    process->n_steps = process->n_observed = 0;
    process->lanes = lanes;
    process->n_cases = space_size(space);
    CLEANUP(free_pointer) const char **axes = memory_allocate((n_axes + 1) * sizeof *axes);
    for (size_t i = 0; i < n_axes; i++)
        axes[i] = space_axis_list(space)[i]->name;
    const struct search_order order = {.plugin = *settings->plugin,
                                       .seed = seed,
                                       .limits = search_limits(params, lanes),
                                       .n_cases = space_size(space),
                                       .axes = axes,
                                       .n_axes = n_axes};
    worker_send_fields(&process->worker, WIRE_SEARCH, search_order_fields, &order, &gone);
    for (uint64_t first = 0; first < space_size(space); first += CASES_IN_MESSAGE)
        send_cases(process, space, first);
    return GB_OK;
}

void search_process_observe(struct search_process *process,
                            const struct gb_observation *observation)
{
    struct gb_error gone;
    process->n_observed++;
    worker_send_fields(&process->worker, WIRE_SEARCH_OBSERVED, observation_fields, observation,
                       &gone);
}

/* ---- what is answered ---- */

/* The engine in the worker has checked it; but a plugin can write to what the engine says. */
static bool take_step(struct search_process *process, struct wire_reader *message,
                      struct engine_step *ret)
{
    *ret = (struct engine_step){0};
    wire_get_fields(message, NULL, step_fields, ret);
    if (ret->action == ENGINE_WAIT && process->lanes > 1)
        return wire_complete(message) && process->n_steps > process->n_observed;
    return wire_complete(message) && ret->action == ENGINE_MEASURE &&
           ret->proposal == process->n_steps++ &&
           ret->proposal < process->n_observed + process->lanes && ret->i < process->n_cases &&
           ret->visit < ENGINE_VISITS_MAX && ret->n_samples <= ENGINE_SAMPLES_MAX;
}

static bool take_report(struct search_process *process, struct wire_reader *message,
                        struct engine_report *ret)
{
    struct search_end end = {0};
    wire_get_fields(message, &process->arena, search_end_fields, &end);
    const bool has_failed = end.outcome.status != GB_OK;
    *ret = end.report;
    ret->is_broken = ret->is_broken || has_failed;
    bool is_sound = ret->best == GB_NO_CASE || ret->best < process->n_cases;
    for (uint64_t i = 0; i < ret->n_open; i++)
        is_sound = is_sound && ret->open[i] < process->n_cases;
    if (has_failed)
        snprintf(ret->reason, sizeof ret->reason, "the search failed: %s", end.outcome.words);
    make_plain_line(ret->reason);
    return wire_complete(message) && is_sound;
}

static void take_log(struct search_process *process, struct wire_reader *message)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct message_record log;
    get_record(message, &arena, WIRE_LOG, &log);
    if (wire_complete(message) && log.severity >= GB_LOG_WARNING)
        process->line(process->context, log.text);
}

struct engine_report search_failure(const char *reason)
{
    struct engine_report report = {
        .best = GB_NO_CASE, .value = NAN, .low = NAN, .high = NAN, .share = NAN, .is_broken = true};
    snprintf(report.reason, sizeof report.reason, "%s", reason);
    return report;
}

/* Why it did not answer. */
static struct engine_report find_death(struct search_process *process)
{
    struct worker_process *worker = &process->worker;
    CLEANUP(text_free) struct text reason = {0};
    char how[64];
    for (int i = 0; i < 100 && !worker_reap(worker); i += !worker_waits_for_processor(worker))
        poll(NULL, 0, 1);
    worker_read_output(worker, process->line, process->context);
    worker_flush_output(worker, process->line, process->context);
    worker_death(worker, how, sizeof how);
    text_printf(&reason, "the search crashed (%s) %s",
                worker->has_exited ? how : "closed its connection",
                phase_words(worker->page->phase));
    return search_failure(text_get(&reason));
}

static struct engine_report find_delay(const struct search_process *process)
{
    const struct search_params *params = process->params;
    const bool is_budget = params->budget_ns > 0 &&
                           process->thought_ns >= params->budget_ns + params->time_limit_ns;
    CLEANUP(text_free) struct text reason = {0};
    char limit[NUMBER_TEXT_MAX];
    format_time(is_budget ? params->budget_ns : params->time_limit_ns, 3, limit);
    text_printf(&reason, "the search %s: %s = %s",
                is_budget ? "spent its budget on its own computing" : "did not answer",
                is_budget ? "budget" : "time_limit", limit);
    return search_failure(text_get(&reason));
}

enum { ANSWER_NONE, ANSWER_STEP, ANSWER_REPORT, ANSWER_WRONG };

static int take_answer(struct search_process *process, struct engine_step *step,
                       struct engine_report *report)
{
    struct wire_reader message;
    struct gb_error error;
    uint32_t type;
    int32_t status;
    while ((status = wire_input_next(&process->worker.input, &type, &message, &error)) > 0) {
        if (type == WIRE_LOG)
            take_log(process, &message);
        else if (type == WIRE_SEARCH_STEP)
            return take_step(process, &message, step) ? ANSWER_STEP : ANSWER_WRONG;
        else if (type == WIRE_SEARCHED)
            return take_report(process, &message, report) ? ANSWER_REPORT : ANSWER_WRONG;
    }
    return status < 0 ? ANSWER_WRONG : ANSWER_NONE;
}

int search_process_next(struct search_process *process, struct engine_step *ret_step,
                        struct engine_report *ret_report)
{
    const struct search_params *params = process->params;
    const double begin_ns = awake_clock_ns(), thought_ns = process->thought_ns;
    double limit_ns = params->time_limit_ns;
    bool is_open = true;
    int answer = take_answer(process, ret_step, ret_report); /* that came with the one before */
    if (params->budget_ns > 0)
        limit_ns = fmin(limit_ns, params->budget_ns + params->time_limit_ns - thought_ns);
    while (is_open && answer == ANSWER_NONE && !supervise_is_stopped() &&
           process->thought_ns - thought_ns < limit_ns) {
        is_open = worker_listen(&process->worker, process->line, process->context);
        answer = take_answer(process, ret_step, ret_report);
        process->thought_ns = thought_ns + awake_clock_ns() - begin_ns;
    }
    if (answer == ANSWER_STEP)
        return SEARCH_STEP;
    const bool is_stopped = is_open && answer == ANSWER_NONE && supervise_is_stopped();
    if (answer == ANSWER_WRONG)
        *ret_report = search_failure("the search's process sent an invalid message");
    else if (answer == ANSWER_NONE)
        *ret_report = is_open ? find_delay(process) : find_death(process);
    worker_end(&process->worker, false);
    process->is_running = false;
    return is_stopped ? SEARCH_STOPPED : SEARCH_ENDED;
}

void search_process_free(struct search_process *process)
{
    if (process->is_running)
        worker_end(&process->worker, false);
    process->is_running = false;
    arena_free(&process->arena);
}
