/* search_goals_check.c - see search_goals_check.h. */
#include "core/cli/search_goals_check.h"

#include "core/view/search_goal.h"

/* Has a benchmark of the search an axis of that name? */
static int32_t find_axis(struct sweep *sweep, const struct search_settings *search,
                         const char *name, struct arena *arena, bool *ret, struct gb_error *error)
{
    *ret = text_equal(name, "bench");
    for (size_t i = 0; i < sweep_parts(sweep) && !*ret; i++) {
        const struct sweep_part part = sweep_part(sweep, i);
        struct bench_case first;
        if (part.search != search || part.n == 0)
            continue;
        if (sweep_case_at(sweep, part.first, arena, &first, error) != GB_OK)
            return error->status;
        for (size_t j = 0; j < first.n_parameters; j++)
            *ret |= first.parameters[j].is_axis && text_equal(first.parameters[j].name, name);
    }
    return GB_OK;
}

static int32_t check_goal(struct sweep *sweep, const struct search_settings *search,
                          const struct search_goal *goal, struct arena *arena,
                          struct gb_error *error)
{
    bool is_axis;
    if (search_goal_check(goal, error) == GB_OK)
        return GB_OK;
    struct gb_error unknown = *error;
    int32_t status = find_axis(sweep, search, goal->expression, arena, &is_axis, error);
    if (status != GB_OK || is_axis)
        return status;
    *error = unknown;
    error_prefix(error, "search %s: ", search->plugin->name);
    error->origin = search->goal_origin;
    if (error->origin.column > 0)
        error->origin.column += (uint32_t)goal->offset;
    return GB_INVALID;
}

static bool is_first_of_search(const struct sweep *sweep, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (sweep_part(sweep, k).search == sweep_part(sweep, i).search)
            return false;
    return sweep_part(sweep, i).search != NULL;
}

int32_t search_goals_check(struct sweep *sweep, struct arena *arena, struct error_list *errors)
{
    int32_t ret = GB_OK;
    for (size_t i = 0; i < sweep_parts(sweep); i++) {
        const struct search_settings *search = sweep_part(sweep, i).search;
        struct search_goals goals = {.n = 0};
        struct gb_error error;
        if (!is_first_of_search(sweep, i))
            continue;
        int32_t status = search_goals_read(search->params.goal, arena, &goals, &error);
        for (size_t k = 0; k < goals.n && status == GB_OK; k++) {
            if (check_goal(sweep, search, &goals.items[k], arena, &error) == GB_OK)
                continue;
            error_list_take(errors, &error);
            ret = GB_INVALID;
        }
    }
    return ret;
}
