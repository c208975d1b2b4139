/* stopping_tables.c - see stopping_tables.h. */
#include "tests/stopping/stopping_tables.h"

#include "core/base/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns by a text, "family|>T|>overhead": > stands before those of numbers. */
static void columns(struct table *table, const char *heads)
{
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", heads);
    for (char *head = strtok_r(copy, "|", &rest); head; head = strtok_r(NULL, "|", &rest))
        table_column(table, head + (*head == '>'), *head == '>');
}

static void cell_number(struct table *table, const char *format, double value)
{
    char text[NUMBER_TEXT_MAX];
    snprintf(text, sizeof text, format, value);
    table_cell(table, isnan(value) ? "-" : text);
}

static void cell_percent(struct table *table, uint64_t k, uint64_t n)
{
    cell_number(table, "%.3g", percent(k, n));
}

static void cell_scenario(struct table *table, const struct scenario *scenario)
{
    char time[NUMBER_TEXT_MAX], overhead[NUMBER_TEXT_MAX];
    table_row(table);
    table_cell(table, scenario->setting.family->name);
    table_cell(table, format_time(scenario->setting.time_ns, 3, time));
    table_cell(table, format_time(scenario->setting.overhead_ns, 3, overhead));
}

static void finish(struct table *table, const char *title, struct text *out)
{
    text_printf(out, "\n%s\n\n", title);
    table_write(table, TABLE_PLAIN, out);
    table_free(table);
}

void table_of_policies(const struct experiment *experiment, struct text *out)
{
    struct table table = {0};
    columns(&table, "family|>T|>overhead");
    for (size_t p = 0; p < experiment->n_policies; p++)
        table_column(&table, experiment->policies[p].text, true);
    for (size_t i = 0; i < experiment->n_scenarios; i++) {
        cell_scenario(&table, &experiment->scenarios[i]);
        for (size_t p = 0; p < experiment->n_policies; p++) {
            struct outcome outcome = outcome_of(experiment, i, p);
            char covered[NUMBER_TEXT_MAX] = "-";
            if (outcome.n_intervals > 0)
                snprintf(covered, sizeof covered, "%.3g",
                         percent(outcome.n_covered, outcome.n_intervals));
            table_cell_printf(&table, "%.0f / %.2g / %s", outcome.median_samples,
                              100 * outcome.error_95, covered);
        }
    }
    finish(&table, "Median samples / 95th percentile of the error, % / coverage, %", out);
}

void table_of_verdicts(const struct experiment *experiment, size_t policy, struct text *out)
{
    static const int verdicts[] = {
        GB_VERDICT_CERTIFIED,   GB_VERDICT_MULTIMODAL, GB_VERDICT_RESOLUTION_LIMITED,
        GB_VERDICT_UNCONVERGED, GB_VERDICT_GAVE_UP,    GB_VERDICT_NONE};
    struct table table = {0};
    columns(&table, "family|>T|>overhead|class|>false|>blind|>certified|>multimodal|>limited|"
                    ">unconverged|>gave up|>none|>samples to know|>to resolve|>to mix");
    for (size_t i = 0; i < experiment->n_scenarios; i++) {
        const struct scenario *scenario = &experiment->scenarios[i];
        struct outcome outcome = outcome_of(experiment, i, policy);
        cell_scenario(&table, scenario);
        table_cell(&table, trace_class_words(scenario->setting.family->class));
        cell_percent(&table, outcome.n_false - outcome.n_blind_false, outcome.n);
        cell_percent(&table, outcome.n_blind_false, outcome.n);
        for (size_t j = 0; j < sizeof verdicts / sizeof verdicts[0]; j++)
            cell_percent(&table, outcome.verdicts[verdicts[j]], outcome.n);
        table_cell_printf(&table, "%.3g", scenario->truth.samples_to_know);
        table_cell_printf(&table, "%.3g", scenario->truth.samples_to_resolve);
        table_cell_printf(&table, "%.3g", scenario->truth.samples_to_mix);
    }
    CLEANUP(text_free) struct text title = {0};
    text_printf(&title, "%s: verdicts and false certificates, blind ones apart, %%",
                experiment->policies[policy].text);
    finish(&table, text_get(&title), out);
}

/* --- recordings --- */

static void row_of_recording(const struct experiment *experiment, size_t kernel, size_t policy,
                             struct table *table)
{
    const struct scenario *s = &experiment->scenarios[kernel];
    const struct outcome o = outcome_of(experiment, kernel, policy);
    const double of_baseline = outcome_of(experiment, kernel, experiment->baseline).median_samples;
    const double median_ns = s->truth.median_ns;
    const bool is_first = policy == 0;
    char time[NUMBER_TEXT_MAX];
    table_row(table);
    table_cell(table, is_first ? s->words : "");
    table_cell(table, is_first ? format_time(median_ns, 4, time) : "");
    cell_number(table, "%.2g", is_first ? 100 * s->visits->tick_ns / median_ns : NAN);
    cell_number(table, "%.2g", is_first ? 100 * s->spread : NAN);
    table_cell(table, experiment->policies[policy].text);
    cell_number(table, "%.0f", o.median_samples);
    cell_number(table, "%.3g", 100 * o.median_samples / of_baseline);
    cell_number(table, "%.2g", 100 * o.error_95);
    const uint64_t shares[] = {o.n_false,
                               o.n_false_in_visit,
                               o.n_covered,
                               o.n_covered_in_visit,
                               o.verdicts[GB_VERDICT_CERTIFIED],
                               o.verdicts[GB_VERDICT_MULTIMODAL],
                               o.verdicts[GB_VERDICT_RESOLUTION_LIMITED],
                               o.verdicts[GB_VERDICT_UNCONVERGED]};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        cell_percent(table, shares[i], o.n);
    table_cell_printf(table, "%llu", (unsigned long long)o.n);
    table_cell_printf(table, "%llu", (unsigned long long)o.n_short);
}

void table_of_recordings(const struct experiment *experiment, struct text *out)
{
    struct table table = {0};
    columns(&table, "kernel|>median|>tick %|>visits +- %|policy|>samples|"
                    ">of base %|>error %|>false|>in visit|>covers|>visit's|>certified|>multimodal|"
                    ">limited|>unconverged|>replays|>short");
    for (size_t kernel = 0; kernel < experiment->n_scenarios; kernel++)
        for (size_t policy = 0; policy < experiment->n_policies; policy++)
            row_of_recording(experiment, kernel, policy, &table);
    table_write(&table, TABLE_PLAIN, out);
    table_free(&table);
}
