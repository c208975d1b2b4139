/* plan.c - see plan.h. */
#include "core/cli/plan.h"

#include "core/base/members.h"
#include "core/view/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* They are few. */
static void find_models(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_times; i++) {
        const struct case_time *time = &plan->times[i];
        size_t j = 0;
        while (j < plan->n_models && !(text_equal(plan->models[j].plugin, time->plugin) &&
                                       text_equal(plan->models[j].model, time->model)))
            j++;
        if (j == plan->n_models)
            ARENA_APPEND(&plan->arena, plan->models, plan->n_models,
                         (struct plan_model){time->plugin, time->model, 0, 0});
        plan->models[j].sum_ns += time->wall_ns;
        plan->models[j].n++;
    }
}

int32_t plan_read(struct plan *plan, const char *path, struct gb_error *error)
{
    CLEANUP(store_leave) struct store *store = NULL;
    int32_t status = store_open(path, STORE_READ, &store, error);
    if (status == GB_OK)
        status = store_case_times(store, &plan->arena, &plan->times, &plan->n_times, error);
    find_models(plan);
    plan->path = path;
    return status;
}

ORDER_BY_TEXT(compare_uids, struct case_time, uid)

static const struct case_time *find(const struct plan *plan, const struct bench_case *bench_case,
                                    const char *model)
{
    char uid[CASE_UID_TEXT];
    bench_case_uid(bench_case, model, uid);
    const struct case_time key = {.uid = uid};
    return plan->n_times ? bsearch(&key, plan->times, plan->n_times, sizeof key, compare_uids)
                         : NULL;
}

/* On whichever device the file has it. */
static const struct case_time *find_anywhere(const struct plan *plan,
                                             const struct bench_case *bench_case)
{
    const struct case_time *found = NULL;
    for (size_t i = 0; i < plan->n_models && !found; i++)
        if (text_equal(plan->models[i].plugin, bench_case->info->plugin.id))
            found = find(plan, bench_case, plan->models[i].model);
    return found;
}

/* Of the cases of a plugin; NaN: there are none. */
static double mean_of_plugin(const struct plan *plan, const char *plugin)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_models; i++)
        if (text_equal(plan->models[i].plugin, plugin)) {
            sum += plan->models[i].sum_ns;
            n += plan->models[i].n;
        }
    return n ? sum / (double)n : NAN;
}

/* What the time that is expected of a case comes from. */
enum basis { BASIS_MAX_TIME, BASIS_CASE, BASIS_CASE_CUT, BASIS_PLUGIN };

/* Expected for all rounds. A visit that took longer than it may now takes that; where a case has as
 * many as it needs, all together do. */
static double expect(const struct plan *plan, const struct bench_case *bench_case,
                     const char *model, enum basis *ret_basis)
{
    const struct common_params *common = &bench_case->common;
    const double limit = fmin(fmax(common->max_time_ns, common->max_time_undecided_ns),
                              common->time_limit_ns);
    const struct case_time *found = model ? find(plan, bench_case, model)
                                          : find_anywhere(plan, bench_case);
    const double past = found ? found->wall_ns : mean_of_plugin(plan, bench_case->info->plugin.id);
    *ret_basis = isnan(past)    ? BASIS_MAX_TIME
                 : past > limit ? BASIS_CASE_CUT
                 : found        ? BASIS_CASE
                                : BASIS_PLUGIN;
    if (bench_case_repeats(bench_case))
        return fmin(past * (1 + PART_SHARE * (ROUNDS_LEAST - 1)), limit);
    return fmin(past, limit) * (double)bench_case_rounds(bench_case); /* limit: past is not known */
}

static const char *basis_words(struct plan *plan, enum basis basis, const char *plugin)
{
    switch (basis) {
    case BASIS_MAX_TIME:
        return "at most: max_time";
    case BASIS_CASE_CUT:
        return arena_printf(&plan->arena, "max_time, below that of %s", plan->path);
    case BASIS_CASE:
        return arena_printf(&plan->arena, "as in %s", plan->path);
    case BASIS_PLUGIN:
        return arena_printf(&plan->arena, "mean of %s in %s", plugin, plan->path);
    }
    return "";
}

double plan_expected_ns(struct plan *plan, const struct bench_case *bench_case)
{
    enum basis ignored;
    return expect(plan, bench_case, NULL, &ignored);
}

void plan_add(struct plan *plan, const struct bench_case *bench_case, const char *label,
              const char *device, const char *model, const char *refusal)
{
    const char *why = refusal;
    char expected[NUMBER_TEXT_MAX] = "-";
    const uint64_t rounds = bench_case_repeats(bench_case)
                                ? ROUNDS_LEAST
                                : (uint64_t)bench_case_rounds(bench_case);
    if (!plan->table.n_columns)
        table_columns(&plan->table, ">#|case|policy|device|>rounds|>expected|why");
    if (!*refusal) {
        enum basis basis;
        const double ns = expect(plan, bench_case, model, &basis);
        *(basis == BASIS_MAX_TIME ? &plan->bound_ns : &plan->known_ns) += ns;
        why = basis_words(plan, basis, bench_case->info->plugin.id);
        format_time(ns, 3, expected);
    }
    plan->n_cases++;
    plan->n_visits += rounds;
    plan->n_rounds = rounds > plan->n_rounds ? rounds : plan->n_rounds;
    table_row(&plan->table);
    table_cell_printf(&plan->table, "%llu", (unsigned long long)plan->n_cases);
    table_cell(&plan->table, label);
    table_cell(&plan->table, bench_case->policy->name);
    table_cell(&plan->table, device);
    table_cell_printf(&plan->table, "%llu%s", (unsigned long long)rounds,
                      bench_case_repeats(bench_case) ? "+" : "");
    table_cell(&plan->table, expected);
    table_cell_printf(&plan->table, "%s%s", *refusal ? "skipped: " : "", why);
}

void plan_write(const struct plan *plan, int format, struct text *out)
{
    table_write(&plan->table,
                format == FORMAT_CSV        ? TABLE_CSV
                : format == FORMAT_MARKDOWN ? TABLE_MARKDOWN
                                            : TABLE_PLAIN,
                out);
}

void plan_summary(const struct plan *plan, size_t n_at_once, struct text *out)
{
    char known[NUMBER_TEXT_MAX], bound[NUMBER_TEXT_MAX];
    const double n = (double)n_at_once;
    format_time(plan->known_ns / n, 3, known);
    format_time(plan->bound_ns / n, 3, bound);
    text_printf(out, "%llu case%s, %llu visit%s", (unsigned long long)plan->n_cases,
                plan->n_cases == 1 ? "" : "s", (unsigned long long)plan->n_visits,
                plan->n_visits == 1 ? "" : "s");
    if (plan->n_rounds > 1)
        text_add(out, ": in this order once, then again for each further round");
    if (n_at_once > 1)
        text_printf(out, "; up to %zu at once", n_at_once);
    if (plan->known_ns > 0)
        text_printf(out, "; expected to take %s by %s", known, plan->path);
    if (plan->bound_ns > 0)
        text_printf(out, "; %s %s by max_time, which limits sampling only",
                    plan->known_ns > 0 ? "the rest at most" : "at most", bound);
    text_add(out, "\n");
}

void plan_free(struct plan *plan)
{
    table_free(&plan->table);
    arena_free(&plan->arena);
}
