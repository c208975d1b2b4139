/* view_survey.c - what the selected cases have and in what they differ. */
#include "core/view/view_cases.h"

#include <math.h>

static struct survey_bench *bench_of(struct survey *survey, const char *name)
{
    struct survey_bench *known = ITEM_NAMED(survey->benches, survey->n_benches, name, name);
    if (known)
        return known;
    known = ARENA_ADD(survey->arena, survey->benches, survey->n_benches);
    *known = (struct survey_bench){.name = name};
    return known;
}

static struct survey_parameter *parameter_of(struct survey *survey, struct survey_bench *bench,
                                             const char *name)
{
    struct survey_parameter *known = ITEM_NAMED(bench->parameters, bench->n_parameters, name, name);
    if (known)
        return known;
    known = ARENA_ADD(survey->arena, bench->parameters, bench->n_parameters);
    *known = (struct survey_parameter){.name = name, .is_number = true};
    return known;
}

static void add_parameters(struct survey *survey, const struct view_row *row)
{
    struct survey_bench *bench = bench_of(survey, row->c.bench);
    for (size_t i = 0; i < row->c.n_parameters; i++) {
        const struct parameter *have = &row->c.parameters[i];
        struct survey_parameter *known = parameter_of(survey, bench, have->name);
        known->is_axis |= have->is_axis;
        known->is_number &= !isnan(have->value.number) ||
                            text_starts_with(have->name, PAPER_PREFIX); /* may have no figure */
        if (!known->first) {
            known->first = have->value.text;
            known->varies |= bench->n_cases > 0;
        } else if (!known->varies) {
            known->varies = !text_equal(known->first, have->value.text);
        }
    }
    bench->n_cases++;
    bench->n_skipped += row->c.record.status == CASE_SKIPPED;
}

static void add_metric(struct survey *survey, const char *name, const char *unit)
{
    if (!ITEM_NAMED(survey->metrics, survey->n_metrics, name, name))
        ARENA_APPEND(survey->arena, survey->metrics, survey->n_metrics,
                     (struct survey_metric){name, unit});
}

/* Ratios to a document's figures come first, they are asked for. */
static void add_metrics(struct survey *survey, const struct view_row *row)
{
    const struct case_record *record = &row->c.record;
    for (size_t i = 0; i < row->c.n_parameters; i++) {
        const char *ratio = paper_ratio_of(row->c.parameters[i].name, survey->arena);
        if (ratio)
            add_metric(survey, ratio, "");
    }
    for (size_t i = 0; i < record->n_metrics; i++)
        add_metric(survey, record->metrics[i].name, record->metrics[i].unit);
}

bool device_is_numbered(const struct device_record *device)
{
    return device->index > 0 || *device->uuid;
}

const char *device_label(const struct view_row *row, struct arena *arena)
{
    if (row->device)
        return device_is_numbered(&row->device->record)
                   ? arena_printf(arena, "%s:%u", row->device->record.name,
                                  row->device->record.index)
                   : row->device->record.name;
    return row->c.device_index > 0
               ? arena_printf(arena, "%s:%d", row->c.device_name, row->c.device_index)
               : row->c.device_name;
}

/* Keeps the first of a series of words; true if another one differs. */
static bool differs(struct survey *survey, const char **first, const char *word)
{
    if (!*first)
        *first = arena_text(survey->arena, word);
    return !text_equal(*first, word);
}

static void count_record(struct view_counts *counts, const struct case_record *record)
{
    int32_t verdict = record->has_estimate ? record->estimate.verdict : GB_VERDICT_NONE;
    counts->n++;
    counts->n_bad += case_status_is_bad(record->status);
    counts->n_skipped += record->status == CASE_SKIPPED;
    counts->n_uncertified += record->status == CASE_OK && !verdict_holds(verdict);
}

/* A case that declares none differs from others that do. */
static void add_work(struct survey *survey, const struct gb_work *work)
{
    const struct gb_work *first = &survey->work;
    const bool has_work = work->flops + work->bytes_read + work->bytes_written + work->items > 0;
    if (survey->n_cases == 0)
        survey->work = *work;
    survey->any_work |= has_work;
    survey->several_works |= work->flops != first->flops || work->bytes_read != first->bytes_read ||
                             work->bytes_written != first->bytes_written ||
                             work->items != first->items;
}

void survey_add(struct survey *survey, const struct view_row *row)
{
    const struct case_record *record = &row->c.record;
    CLEANUP(arena_free) struct arena arena = {0};
    add_parameters(survey, row);
    add_metrics(survey, row);
    survey->several_devices |= differs(survey, &survey->device, device_label(row, &arena));
    survey->several_policies |= differs(survey, &survey->policy, row->c.policy);
    survey->several_clocks |= *record->clock && differs(survey, &survey->clock, record->clock);
    survey->several_launches |= *record->clock &&
                                differs(survey, &survey->launch, launched_word(&row->c));
    survey->several_runs |= !survey->is_united && survey->n_cases && survey->run_id != row->run->id;
    survey->run_id = row->run->id;
    if (record->round > survey->last_round)
        survey->last_round = record->round;
    survey->any_bad |= case_status_is_bad(record->status);
    survey->any_skipped |= record->status == CASE_SKIPPED;
    add_work(survey, &record->work);
    survey->any_flops |= record->work.flops > 0;
    survey->any_bytes |= record->work.bytes_read + record->work.bytes_written > 0;
    survey->any_items |= record->work.items > 0;
    survey->several_items |= record->work.items > 0 &&
                             differs(survey, &survey->item, record->work.item);
    survey->any_roof |= row->roofline.roof != NULL;
    survey->any_check |= record->n_checks > 0;
    survey->any_estimate |= record->has_estimate;
    survey->any_timed |= record->n_samples > 0;
    survey->any_counted |= clock_is_counting(record->clock);
    survey->any_pace |= !text_equal(row->c.pace, pace_word(PACE_FREE));
    for (size_t i = 0; i < TELEMETRY_COLUMNS; i++) {
        const struct telemetry_column telemetry = telemetry_column(i);
        survey->any_telemetry[i] |= cell_of_known(row, &telemetry.column).kind == CELL_REAL;
    }
    count_record(&survey->counts, record);
    survey->n_done += case_status_is_done(record->status);
    survey->n_cases++;
}

bool survey_shows(const struct survey_parameter *parameter)
{
    return parameter->is_axis || parameter->varies;
}

struct survey_parameter survey_of(const struct survey *survey, const char *bench, const char *name)
{
    struct survey_parameter all = {.name = name, .is_number = true};
    for (size_t i = 0; i < survey->n_benches; i++) {
        const struct survey_bench *of = &survey->benches[i];
        const struct survey_parameter *one = ITEM_NAMED(of->parameters, of->n_parameters, name,
                                                        name);
        if (!one || (bench && !text_equal(of->name, bench)))
            continue;
        all.is_axis |= one->is_axis;
        all.varies |= one->varies;
        all.is_number &= one->is_number;
    }
    return all;
}

size_t survey_union(const struct survey *survey, bool shown_only, struct arena *arena,
                    const struct survey_parameter ***ret)
{
    size_t most = 0, n = 0;
    for (size_t i = 0; i < survey->n_benches; i++)
        most += survey->benches[i].n_parameters;
    const struct survey_parameter **all = ARENA_ARRAY(arena, const struct survey_parameter *,
                                                      most + 1);
    for (size_t i = 0; i < survey->n_benches; i++)
        for (size_t j = 0; j < survey->benches[i].n_parameters; j++) {
            const struct survey_parameter *parameter = &survey->benches[i].parameters[j];
            size_t k = 0;
            while (k < n && !text_equal(all[k]->name, parameter->name))
                k++;
            if (k == n && (!shown_only || survey_shows(parameter)))
                all[n++] = parameter;
        }
    *ret = all;
    return n;
}
