/* probe_cases.c - see probe.h: benchmarks check the settings of their cases. */
#include "core/run/probe.h"
#include "core/run/probe_worker.h"

#include "core/config/option_table.h"

enum { PROBLEMS_MAX = 1000 };

struct validation {
    struct error_list *errors;
    const struct bench_case *bench_case; /* that is looked at; NULL: none yet */
    size_t n_problems;                   /* of it */
    struct origin origin;                /* of its section */
    const char **reported;               /* options of the section with an error of theirs */
    size_t n_reported;
};

/* Says of a further time whether it is one. */
static bool is_reported(struct probe *probe, const char *option)
{
    struct validation *validation = probe->context;
    for (size_t i = 0; i < validation->n_reported; i++)
        if (text_equal(validation->reported[i], option))
            return true;
    ARENA_APPEND(probe->arena, validation->reported, validation->n_reported, option);
    return false;
}

static struct origin place_of(const struct validation *validation, const char *option,
                              uint64_t offset)
{
    const struct bench_case *bench_case = validation->bench_case;
    const struct gb_option *known = option_find(option_table_of(&bench_case->info->plugin), option,
                                                NULL);
    for (size_t i = 0; known && i < bench_case->n_settings; i++)
        if (text_equal(bench_case->settings[i].key, option))
            return setting_place(&bench_case->settings[i], &bench_case->sources[i], known,
                                 offset < INT32_MAX ? (size_t)offset : 0);
    return validation->origin;
}

static int32_t take(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    struct validation *validation = probe->context;
    if (type != WIRE_PROBLEM)
        return GB_OK;
    struct problem problem;
    struct gb_error error;
    if (validation->n_problems++ == PROBLEMS_MAX)
        return GB_CORRUPT;
    wire_get_fields(message, probe->arena, problem_fields, &problem);
    if (!wire_complete(message) || is_reported(probe, problem.option))
        return GB_OK;
    error_set_at(&error, GB_INVALID, place_of(validation, problem.option, problem.offset), "%s: %s",
                 problem.option, problem.text);
    error_seek_hint(&error);
    error_list_take(validation->errors, &error);
    return GB_OK;
}

static bool same_environment(const struct bench_case *a, const struct bench_case *b)
{
    bool is_same = a->n_environment == b->n_environment;
    for (size_t i = 0; is_same && i < a->n_environment; i++)
        is_same = text_equal(a->environment[i].name, b->environment[i].name) &&
                  text_equal(a->environment[i].value, b->environment[i].value);
    return is_same;
}

/* A case is looked at by the worker of the case before it, unless that has another environment. */
static int32_t validate_case(struct probe *probe, const struct bench_case *bench_case,
                             struct gb_error *error)
{
    struct validation *validation = probe->context;
    struct plugin_settings settings = {.name = bench_case->bench,
                                       .info = bench_case->info,
                                       .settings = bench_case->settings,
                                       .n_settings = bench_case->n_settings};
    if (validation->bench_case && !same_environment(validation->bench_case, bench_case))
        probe_end(probe);
    validation->bench_case = bench_case;
    validation->n_problems = 0;
    if ((!probe->worker.pid && worker_start(&probe->worker, bench_case->environment,
                                            bench_case->n_environment, error) != GB_OK) ||
        probe_begin(probe, WIRE_VALIDATE, &settings, error) != GB_OK)
        return error->status;
    wire_put_text(&probe->worker.writer, bench_case->folder);
    wire_put_u32(&probe->worker.writer, (uint32_t)bench_case->common.check_bound_kind);
    probe_listen(probe);
    if (!probe->is_complete)
        probe_end(probe);
    if (*probe->outcome.words && !is_reported(probe, "")) {
        CLEANUP(text_free) struct text label = {0};
        bench_case_label(bench_case, &label);
        error_list_add(validation->errors, validation->origin, "in case '%.300s': plugin '%s' %s",
                       text_get(&label), bench_case->info->plugin.id, probe->outcome.words);
    }
    return GB_OK;
}

static int32_t validate_part(struct probe *probe, struct sweep *sweep, struct sweep_part part,
                             struct gb_error *error)
{
    struct validation *validation = probe->context;
    uint64_t n = part.n < VALIDATED_MAX ? part.n : VALIDATED_MAX;
    int32_t status = GB_OK;
    validation->origin = part.origin;
    validation->n_reported = 0;
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        struct bench_case *bench_case = ARENA_NEW(probe->arena, struct bench_case);
        uint64_t step = n > 1 ? i * (part.n - 1) / (n - 1) : 0;
        status = sweep_case_at(sweep, part.first + step, probe->arena, bench_case, error);
        if (status == GB_OK)
            status = validate_case(probe, bench_case, error);
    }
    return status;
}

int32_t cases_validate(struct sweep *sweep, struct error_list *errors)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct validation validation = {.errors = errors};
    struct probe probe = {.arena = &arena,
                          .take = take,
                          .context = &validation,
                          .restarts = WIRE_PROBLEM,
                          .last = WIRE_VALIDATE_END};
    struct gb_error error;
    size_t n_before = error_list_count(errors);
    int32_t status = GB_OK;
    for (size_t i = 0; i < sweep_parts(sweep) && status == GB_OK; i++) {
        struct sweep_part part = sweep_part(sweep, i);
        if (part.info->flags & PLUGIN_VALIDATES)
            status = validate_part(&probe, sweep, part, &error);
    }
    probe_end(&probe);
    if (status != GB_OK)
        error_list_take(errors, &error);
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}
