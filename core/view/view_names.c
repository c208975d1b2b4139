/* view_names.c - the columns that a user names. */
#include "core/view/view_cases.h"

#include <stdio.h>

bool view_has_name(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (text_equal(names[i], name))
            return true;
    return false;
}

/* What stands over a column of a table for people where that is not a name, and the names to write
 * for it. */
static const struct {
    const char *head, *names;
} heads[] = {
    {"median", "median_ns or estimate_ns"},
    {"interval", "low_ns and high_ns"},
    {"rel. IQR", "relative_iqr"},
    {"spread", "relative_iqr"}, /* this one and the next are former names */
    {"apart", "round_variation"},
    {"rounds", "n_rounds"},
    {"round variation", "round_variation"},
    {"samples", "n_samples"},
    {"stopped because", "stop_reason"},
    {"GFLOP/s", "gflops"},
    {"GB/s", "bytes_per_s"},
    {"M items/s", "items_per_s"},
    {"roof", "roof_ratio and roof_name"},
    {"FLOP/byte", "intensity"},
    {"model", "model_ns"},
    {"effective", "n_effective"},
    {"discarded", "n_discarded"},
    {"other modes", "detectable_mode_weight"},
    {"clock rate", "clock_end_hz"},
    {"temperature", "temperature_celsius"},
    {"power", "power_watts"},
    {"energy", "energy_joules"},
    {"time", "median_ns or estimate_ns"}, /* which stands nowhere, but is a likely word */
};

bool table_head_help(size_t i, struct help_entry *ret)
{
    const size_t n = sizeof heads / sizeof *heads;
    if (i < n)
        *ret = (struct help_entry){heads[i].head, "", heads[i].names};
    return i < n;
}

void view_explain_unknown(struct gb_error *error)
{
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char words[64];
        snprintf(words, sizeof words, "unknown name '%s'", heads[i].head);
        if (text_starts_with(error->text, words))
            error_set(error, GB_INVALID, "%s: write %s", words, heads[i].names);
    }
}

/* All names that a user may write: result columns, parameters, metrics. */
static const char *known_name(const void *table, size_t i)
{
    const struct view *view = table;
    if (i < view->n_parameters)
        return view->parameters[i];
    i -= view->n_parameters;
    return i < view->n_metrics ? view->metrics[i] : result_column_name(i - view->n_metrics);
}

struct view_column view_metric_column(struct arena *arena, const char *name)
{
    return (struct view_column){
        .kind = COLUMN_METRIC,
        .name = name,
        .head = is_paper_ratio(name) ? name : arena_printf(arena, "%s%s", METRIC_PREFIX, name),
        .unit = ""};
}

static int32_t no_such_column(const struct view *view, const char *name, const char *option,
                              struct gb_error *error)
{
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (text_equal(heads[i].head, name))
            return error_set(error, GB_INVALID, "%s: no column '%s': write %s", option, name,
                             heads[i].names);
    const char *nearest = text_nearest(
        name, view->n_parameters + view->n_metrics + result_columns(), known_name, view);
    return nearest ? error_set(error, GB_INVALID, "%s: no column '%s': did you mean '%s'?", option,
                               name, nearest)
                   : error_set(error, GB_INVALID,
                               "%s: no column '%s': expected a parameter, a metric or a result"
                               " column such as median_ns",
                               option, name);
}

int32_t view_column_named(const struct view *view, const char *name, const char *option,
                          struct view_column *ret, struct gb_error *error)
{
    struct arena *arena = (struct arena *)&view->arena;
    if (result_column_named(name, ret))
        return GB_OK;
    name = arena_text(arena, name);
    if (view_has_name(view->parameters, view->n_parameters, name)) {
        *ret = (struct view_column){
            .kind = COLUMN_PARAMETER, .name = name, .head = name, .unit = ""};
        return GB_OK;
    }
    const char *metric = name;
    if (text_starts_with(name, METRIC_PREFIX))
        metric += sizeof METRIC_PREFIX - 1;
    if (view_has_name(view->metrics, view->n_metrics, metric)) {
        *ret = view_metric_column(arena, metric);
        return GB_OK;
    }
    return no_such_column(view, name, option, error);
}

int32_t view_columns_asked(struct view *view, struct view_column **ret, size_t *ret_n,
                           struct gb_error *error)
{
    struct text_list names = {0};
    int32_t status = text_split(view->options->columns, ',', (struct origin){0}, &view->arena,
                                &names, error);
    if (status != GB_OK) {
        error_prefix(error, "--columns: ");
        return status;
    }
    struct view_column *columns = ARENA_ARRAY(&view->arena, struct view_column, names.n + 1);
    for (size_t i = 0; status == GB_OK && i < names.n; i++)
        status = view_column_named(view, names.items[i], "--columns", &columns[i], error);
    *ret = columns;
    *ret_n = names.n;
    return status;
}
