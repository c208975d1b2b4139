/* stopping_tables.c - see stopping_tables.h. */
#include "tests/stopping/stopping_tables.h"

#include "core/base/table.h"

#include <math.h>
#include <stdio.h>

/* > stands before those of numbers. */
static const char *const heads[] = {
    "scenario", ">median",  ">tick %",      ">visits +- %", ">to know", ">to resolve",
    ">to mix",  "policy",   ">samples",     ">of base %",   ">error %", ">false",
    ">blind",   ">covers",  ">in visit",    ">visit's",     ">none",    ">certified",
    ">modes",   ">limited", ">unconverged", ">gave up",     ">n",       ">short"};

static void cell_number(struct table *table, const char *format, double value)
{
    char text[NUMBER_TEXT_MAX];
    snprintf(text, sizeof text, format, value);
    table_cell(table, isnan(value) ? "-" : text);
}

/* What is known of the scenario, in the row of its first policy. */
static void add_scenario(const struct scenario *s, struct table *table)
{
    const bool is_family = s->setting.family != NULL;
    const double tick_ns = is_family ? s->setting.family->tick_ns : s->visits->tick_ns;
    char median[NUMBER_TEXT_MAX];
    table_cell(table, s->words);
    table_cell(table, format_time(s->truth.median_ns, 4, median));
    cell_number(table, "%.2g", 100 * tick_ns / s->truth.median_ns);
    cell_number(table, "%.2g", is_family ? NAN : 100 * s->spread);
    cell_number(table, "%.3g", is_family ? s->truth.samples_to_know : NAN);
    cell_number(table, "%.3g", is_family ? s->truth.samples_to_resolve : NAN);
    cell_number(table, "%.3g", is_family ? s->truth.samples_to_mix : NAN);
}

static void add_row(const struct experiment *experiment, size_t scenario, size_t policy,
                    struct table *table)
{
    const struct scenario *s = &experiment->scenarios[scenario];
    const struct outcome o = outcome_of(experiment, scenario, policy);
    const struct outcome base = outcome_of(experiment, scenario, experiment->baseline);
    const uint64_t n_in_visit = s->setting.family ? 0 : o.n;
    table_row(table);
    if (policy == 0)
        add_scenario(s, table);
    for (int i = 0; i < 7 && policy > 0; i++)
        table_cell(table, "");
    table_cell(table, experiment->policies[policy].text);
    cell_number(table, "%.0f", o.median_samples);
    cell_number(table, "%.3g", 100 * o.median_samples / base.median_samples);
    cell_number(table, "%.2g", 100 * o.error_95);
    cell_number(table, "%.3g", percent(o.n_false - o.n_blind_false, o.n));
    cell_number(table, "%.3g", percent(o.n_blind_false, o.n));
    cell_number(table, "%.3g", percent(o.n_covered, o.n_intervals));
    cell_number(table, "%.3g", percent(o.n_false_in_visit, n_in_visit));
    cell_number(table, "%.3g", percent(o.n_covered_in_visit, n_in_visit));
    for (size_t i = 0; i < sizeof o.verdicts / sizeof *o.verdicts; i++)
        cell_number(table, "%.3g", percent(o.verdicts[i], o.n));
    cell_number(table, "%.0f", (double)o.n);
    cell_number(table, "%.0f", (double)o.n_short);
}

void table_of_outcomes(const struct experiment *experiment, struct text *out)
{
    struct table table = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_column(&table, heads[i] + (*heads[i] == '>'), *heads[i] == '>');
    for (size_t scenario = 0; scenario < experiment->n_scenarios; scenario++)
        for (size_t policy = 0; policy < experiment->n_policies; policy++)
            add_row(experiment, scenario, policy, &table);
    table_write(&table, TABLE_PLAIN, out);
    table_free(&table);
}
