/* search_goal.c - see search_goal.h. */
#include "core/view/search_goal.h"

#include "core/base/text.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t search_goal_check(const struct search_goal *goal, struct gb_error *error)
{
    struct view_column column;
    const char *word = goal->expression;
    const bool is_word = word[strspn(word, "abcdefghijklmnopqrstuvwxyz_0123456789")] == 0;
    if (goal->is_time || !is_word || text_starts_with(word, METRIC_PREFIX) ||
        result_column_named(word, &column))
        return GB_OK;
    return error_set(error, GB_INVALID,
                     "goal '%s': there is no such column: `gbrun help columns` lists them; metrics "
                     "are metric.NAME",
                     word);
}

static int32_t status_of(int status)
{
    return status == CASE_OK             ? GB_OBSERVED_OK
           : status == CASE_SKIPPED      ? GB_OBSERVED_SKIPPED
           : status == CASE_WRONG_RESULT ? GB_OBSERVED_WRONG
           : status == CASE_CONTRADICTED ? GB_OBSERVED_WRONG
           : status == CASE_CRASHED      ? GB_OBSERVED_CRASHED
           : status == CASE_TIMED_OUT    ? GB_OBSERVED_TIMED_OUT
                                         : GB_OBSERVED_FAILED;
}

/* Times as the case's clock gave them; those that are none are left out. */
static int32_t read_times(struct store *store, const struct stored_case *c, struct arena *arena,
                          struct gb_observation *ret, struct gb_error *error)
{
    const uint64_t n = c->record.n_samples;
    double *times = ARENA_ARRAY(arena, double, n + 1);
    int32_t status = n == 0 ? GB_OK
                            : store_samples_read(store, c->id, c->record.clock, 0, n, times, error);
    for (uint64_t i = 0; i < n && status == GB_OK; i++)
        if (isfinite(times[i]))
            times[ret->n_samples++] = times[i];
    ret->samples = times;
    return status;
}

struct goal_reader {
    struct store *store;
    const struct search_goal *goal;
    const char *where;
    struct view view;
    struct view_options options;       /* of the view */
    struct view_expression *is_wanted; /* NULL: every record is */
    struct view_column column;         /* of a goal that is not the time */
    bool has_view;
};

struct goal_reader *goal_reader_new(struct store *store, int64_t run_number,
                                    const struct search_goal *goal, const char *where)
{
    struct goal_reader *reader = memory_allocate(sizeof *reader);
    *reader = (struct goal_reader){
        .store = store,
        .goal = goal,
        .where = where,
        .options = {.run = run_number, .has_names = true, .selects_none = true}};
    return reader;
}

static void close_view(struct goal_reader *reader)
{
    if (reader->has_view)
        view_close(&reader->view);
    reader->has_view = false;
    reader->is_wanted = NULL;
}

void goal_reader_free(struct goal_reader *reader)
{
    if (reader)
        close_view(reader);
    free(reader);
}

/* Once it is needed: where every case failed no name need be known. */
static int32_t open_view(struct goal_reader *reader, struct gb_error *error)
{
    if (reader->has_view)
        return GB_OK;
    int32_t status = view_open(reader->store, &reader->options, reader->options.run, &reader->view,
                               error);
    reader->has_view = status == GB_OK;
    if (status == GB_OK && *reader->where)
        status = view_expression_new(&reader->view, reader->where, (struct origin){.file = "where"},
                                     &reader->is_wanted, error);
    if (status == GB_OK && !reader->goal->is_time)
        status = view_column_asked(&reader->view, reader->goal->expression,
                                   (struct origin){.file = "goal"}, &reader->column, error);
    if (status != GB_OK)
        close_view(reader);
    return status;
}

static int32_t read_columns(struct goal_reader *reader, const struct stored_case *c,
                            struct arena *arena, struct gb_observation *ret, struct gb_error *error)
{
    struct view_row row;
    bool is_wanted = true;
    int32_t status = view_row_of(&reader->view, 0, c, arena, &row, error);
    if (status == GB_OK && reader->is_wanted)
        status = view_expression_test(reader->is_wanted, &row, &is_wanted, error);
    if (status == GB_OK && !is_wanted)
        ret->status = GB_OBSERVED_SKIPPED;
    if (status != GB_OK || reader->goal->is_time)
        return status;
    const struct cell cell = cell_of(&row, &reader->column);
    double *value = ARENA_ARRAY(arena, double, 1);
    *value = cell.kind == CELL_INTEGER ? (double)cell.integer
             : cell.kind == CELL_REAL  ? cell.real
                                       : NAN;
    *value = reader->goal->is_max ? -*value : *value;
    ret->samples = value;
    ret->n_samples = isfinite(*value) ? 1 : 0;
    return view_expressions_status(&reader->view, error);
}

static double or_zero(double value)
{
    return isfinite(value) && value > 0 ? value : 0;
}

int32_t goal_reader_read(struct goal_reader *reader, const struct stored_case *c,
                         struct arena *arena, struct gb_observation *ret, struct gb_error *error)
{
    int32_t status = GB_OK;
    const struct phases_record *phases = &c->record.phases;
    const double build_ns = or_zero(c->record.build_ns);
    *ret = (struct gb_observation){.size = sizeof *ret,
                                   .status = status_of(c->record.status),
                                   .warmup_ns = or_zero(phases->warmup_ns),
                                   .prepare_ns = build_ns + or_zero(phases->open_ns) +
                                                 or_zero(phases->prepare_ns),
                                   .wall_ns = build_ns + or_zero(c->record.wall_ns)};
    if (ret->status != GB_OBSERVED_OK)
        return GB_OK;
    if (reader->goal->is_time)
        status = read_times(reader->store, c, arena, ret, error);
    if (status != GB_OK || (reader->goal->is_time && !*reader->where))
        return status;
    status = open_view(reader, error);
    return status == GB_OK ? read_columns(reader, c, arena, ret, error) : status;
}

int32_t search_goal_observe(struct store *store, int64_t run_number, const struct search_goal *goal,
                            const char *where, int64_t case_id, struct arena *arena,
                            struct stored_case *ret_case, struct gb_observation *ret,
                            struct gb_error *error)
{
    int32_t status = store_case_read(store, case_id, arena, ret_case, error);
    if (status != GB_OK)
        return status;
    struct goal_reader *reader = goal_reader_new(store, run_number, goal, where);
    reader->options.names_of = case_id;
    status = goal_reader_read(reader, ret_case, arena, ret, error);
    if (status == GB_INVALID) { /* a name that only other cases have is no mistake */
        close_view(reader);
        reader->options.names_of = 0;
        status = goal_reader_read(reader, ret_case, arena, ret, error);
    }
    goal_reader_free(reader);
    return status;
}

double search_visit_end(const struct stored_case *c, const struct gb_observation *observation,
                        double begun_ns, double free_ns)
{
    const double build_ns = or_zero(c->record.build_ns);
    return fmax(free_ns, begun_ns + build_ns) + (observation->wall_ns - build_ns);
}
