/* view_table.c - tables of cases for people: what there is room for, and what a row says. */
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is room for ---- */

/* When a column has to go: NEVER, or the higher the earlier. What answers comes first: rates, the
 * verdict and how many samples it has; then checks, which the status repeats, and the plugin's own
 * metrics, METRICS_SHOWN of them. */
enum { METRICS_SHOWN = 3 };
enum {
    NEVER,
    RANK_SETTING, /* device, policy, clock ... */
    RANK_ROOF,
    RANK_FLOPS,
    RANK_BYTES,
    RANK_ITEMS,
    RANK_VERDICT,
    RANK_SAMPLES,
    RANK_CHECK,
    RANK_METRICS,
    RANK_ROUNDS = RANK_METRICS + METRICS_SHOWN,
    RANK_STOP_REASON,
    RANK_RELATIVE_IQR,
    RANK_EQUAL,  /* options that are the same in all rows */
    RANK_COUNTED /* what counters of the device found, and what measuring itself took */
};

/* A table with the rank of each of its columns. */
struct case_table {
    struct table table;
    size_t *ranks;
    size_t first_option, n_options; /* columns that tell cases apart */
};

enum { GAP = 2 };

static void case_table_column(struct case_table *table, const char *head, bool right, size_t rank)
{
    size_t i = table->table.n_columns;
    table->ranks = memory_resize(table->ranks, (i + 1) * sizeof *table->ranks);
    table->ranks[i] = rank;
    table_column(&table->table, head, right);
}

static void case_table_remove(struct case_table *table, size_t i)
{
    table_remove_column(&table->table, i);
    memmove(table->ranks + i, table->ranks + i + 1,
            (table->table.n_columns - i) * sizeof *table->ranks);
    if (i < table->first_option)
        table->first_option--;
    else if (i < table->first_option + table->n_options)
        table->n_options--;
}

/* Removes blank columns that may be left out, without listing them. */
static void case_table_remove_blank(struct case_table *table)
{
    for (size_t i = table->table.n_columns; i-- > 0;) {
        bool is_blank = table->ranks[i] != NEVER;
        for (size_t row = 0; is_blank && row < table->table.n_rows; row++)
            is_blank = !*table_cell_at(&table->table, row, i);
        if (is_blank)
            case_table_remove(table, i);
    }
}

/* A table being fitted: the widths of its columns, then those they are cut to. */
struct fit {
    struct case_table *table;
    size_t width;
    size_t *widths, *cells; /* by column; cells: the widest, without the head */
};

static void measure(struct fit *fit)
{
    const struct table *table = &fit->table->table;
    for (size_t i = 0; i < table->n_columns; i++) {
        fit->cells[i] = 0;
        for (size_t row = 0; row < table->n_rows; row++) {
            const size_t columns = text_columns(table_cell_at(table, row, i));
            fit->cells[i] = columns > fit->cells[i] ? columns : fit->cells[i];
        }
        const size_t head = text_columns(text_get(&table->heads[i]));
        fit->widths[i] = fit->cells[i] > head ? fit->cells[i] : head;
    }
}

/* Are the columns up to the rank too wide? */
static bool is_too_wide(const struct fit *fit, size_t rank)
{
    size_t used = 0;
    for (size_t i = 0; i < fit->table->table.n_columns; i++)
        used += fit->table->ranks[i] <= rank ? fit->widths[i] + GAP : 0;
    return used > fit->width + GAP;
}

static void shorten_checks(struct fit *fit)
{
    for (size_t i = 0; i < fit->table->table.n_columns; i++)
        if (fit->table->ranks[i] == RANK_CHECK)
            table_keep_first_word(&fit->table->table, i);
    measure(fit);
}

/* Words, or heads of numbers that are wider than these: the widest first, each down to `least`. */
static void cut(struct fit *fit, bool is_number, size_t rank, size_t least)
{
    while (is_too_wide(fit, rank)) {
        size_t widest = 0, most = least;
        for (size_t i = 0; i < fit->table->table.n_columns; i++) {
            const bool may_be_cut = fit->table->table.right[i] == is_number &&
                                    fit->table->ranks[i] <= rank &&
                                    (!is_number || fit->widths[i] > fit->cells[i]);
            if (fit->widths[i] > most && may_be_cut) {
                widest = i;
                most = fit->widths[i];
            }
        }
        if (most == least)
            return;
        fit->widths[widest]--;
    }
}

/* Finds widths with which the columns up to the rank have room, if there are such. */
static void make_room(struct fit *fit, size_t rank)
{
    enum { HEAD_LEAST = 8, NAME_LEAST = 12, LEAST_OF_ALL = 5 };
    if (is_too_wide(fit, rank))
        shorten_checks(fit);
    cut(fit, false, rank, NAME_LEAST);
    cut(fit, true, rank, HEAD_LEAST);
    cut(fit, false, NEVER, LEAST_OF_ALL);
    cut(fit, true, NEVER, LEAST_OF_ALL);
}

/* Of the columns that may be left out, in the order of their ranks, those stay that there is room
 * for. */
static void choose_columns(struct fit *fit, struct words *left_out, struct arena *arena)
{
    struct case_table *table = fit->table;
    size_t n = table->table.n_columns, used = 0, last_rank = 0;
    bool *stays = ARENA_ARRAY(arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        stays[i] = table->ranks[i] == NEVER;
        used += stays[i] ? fit->widths[i] + GAP : 0;
        last_rank = table->ranks[i] > last_rank ? table->ranks[i] : last_rank;
    }
    for (size_t rank = NEVER + 1; rank <= last_rank; rank++)
        for (size_t i = 0; i < n; i++)
            if (table->ranks[i] == rank && used + fit->widths[i] <= fit->width) {
                stays[i] = true;
                used += fit->widths[i] + GAP;
            }
    for (size_t i = 0; i < n; i++)
        if (!stays[i])
            words_add_new(left_out, arena, text_get(&table->table.heads[i]));
    for (size_t i = n; i-- > 0;)
        if (!stays[i])
            case_table_remove(table, i);
}

/*
 * Makes every row fit. If columns up to RANK_CHECK would not: checks become one word, then words
 * and heads of numbers are cut. Of those that may be left out the ones stay, in the order of their
 * ranks, that there is still room for; where even the others have none, options go from the last
 * on.
 */
static void case_table_fit(struct case_table *table, size_t width, struct words *left_out,
                           struct arena *arena)
{
    const size_t n = table->table.n_columns + 1;
    struct fit fit = {.table = table,
                      .width = width,
                      .widths = ARENA_ARRAY(arena, size_t, n),
                      .cells = ARENA_ARRAY(arena, size_t, n)};
    measure(&fit);
    make_room(&fit, RANK_CHECK);
    choose_columns(&fit, left_out, arena);
    for (;;) { /* only what stays is cut, and no more than needed */
        measure(&fit);
        make_room(&fit, SIZE_MAX);
        if (table->n_options == 0 || !is_too_wide(&fit, SIZE_MAX))
            break;
        const size_t last = table->first_option + table->n_options - 1;
        words_add_new(left_out, arena, text_get(&table->table.heads[last]));
        case_table_remove(table, last);
    }
    for (size_t i = 0; i < table->table.n_columns; i++)
        table_cut_column(&table->table, i, fit.widths[i]);
}

/* ---- what a row says ---- */

enum { RATE_DECIMALS = 6, BLANK_COLUMNS_MAX = 4, STOP_REASON_MOST = 28 };

/* "8.696 G" of what the column's head says; a missing rate is empty. */
static void add_item_rate(struct text *out, const struct shown *shown)
{
    double rate = shown->row.c.record.work.items / shown->central_ns * 1e9;
    if (!(shown->row.c.record.work.items > 0))
        return;
    if (isfinite(rate))
        view_add_si(out, rate);
    else
        text_add(out, "-");
}

/* In the unit of the column's head: 1e9 a second. */
static void add_rate(struct text *out, const struct shown *shown, double amount)
{
    double rate = amount / shown->central_ns;
    if (!(amount > 0))
        return;
    if (!isnormal(rate)) {
        text_add(out, "-");
        return;
    }
    int decimals = 3 - (int)floor(log10(rate * 1.00005)); /* 0.99999 is 1.000 */
    text_printf(out, "%.*f",
                decimals < 0               ? 0
                : decimals > RATE_DECIMALS ? RATE_DECIMALS
                                           : decimals,
                rate);
}

/* One table: which columns it has. */
struct layout {
    const struct survey *survey;
    bool bench, device, policy, clock, launch, pace, rounds, flops, bytes, items, roof, check,
        status, ratio, times;
    const struct survey_parameter **parameters;
    size_t n_parameters, n_metrics;
    bool telemetry[TELEMETRY_COLUMNS];
    bool estimate;  /* what the policy reported beside its interval */
    bool model;     /* what the case's roof comes from */
    bool variation; /* between rounds */
    bool narrow;    /* as wide as a terminal: columns are left out, words shortened */
};

static const char *metric_head(const struct survey_metric *metric, struct arena *arena)
{
    return !view_metric_has_unit(metric->unit)
               ? arena_printf(arena, "%s (%s)", metric->name, metric->unit)
               : metric->name;
}

static size_t metric_rank(const struct survey_metric *metric, size_t i)
{
    static const char *const of_measuring[] = {"call_overhead_ns", "checked_calls", "renewed_ns",
                                               "spawn_overhead_ns"};
    bool is_own = i < METRICS_SHOWN && !text_starts_with(metric->name, "counted_");
    for (size_t j = 0; j < sizeof of_measuring / sizeof *of_measuring; j++)
        is_own &= !text_equal(metric->name, of_measuring[j]);
    return is_paper_ratio(metric->name) ? NEVER : !is_own ? RANK_COUNTED + i : RANK_METRICS + i;
}

/* "? unconverged"; nothing where the policy claims nothing. */
static void add_verdict(const struct layout *layout, const struct shown *shown, struct text *out)
{
    const struct case_record *record = &shown->row.c.record;
    const int32_t verdict = record->estimate.verdict;
    const char *mark = verdict == GB_VERDICT_MULTIMODAL ? MODES_MARK : view_verdict_mark(verdict);
    if (layout->narrow && record->has_estimate && verdict == GB_VERDICT_CERTIFIED_IN_VISIT)
        text_add(out, "this visit");
    else if (record->has_estimate && verdict != GB_VERDICT_NONE)
        text_printf(out, "%s%s%s", mark, *mark ? " " : "", verdict_words(verdict));
}

/* Independent samples are whole. */
static void add_effective(struct text *out, const struct shown *shown)
{
    double n = shown->row.c.record.estimate.n_effective;
    if (n > 0 && isfinite(n))
        text_printf(out, "%.0f", n);
}

static void add_discarded(struct text *out, const struct shown *shown)
{
    text_printf(out, "%llu", (unsigned long long)shown->row.c.record.estimate.n_discarded);
}

static void add_excluded(struct text *out, const struct shown *shown)
{
    double weight = shown->row.c.record.estimate.detectable_mode_weight;
    if (weight > 0 && isfinite(weight))
        text_printf(out, "< %.2g %%", 100 * weight);
}

/* What a verbose table shows of the policy's report. */
enum { ESTIMATE_COLUMNS = 3 };
static const struct {
    const char *head;
    bool right; /* numbers */
    void (*add)(struct text *out, const struct shown *shown);
} estimate_columns[ESTIMATE_COLUMNS] = {
    {"effective", true, add_effective},
    {"discarded", true, add_discarded},
    {"other modes", true, add_excluded},
};

/* What a verbose table shows of roofs: heads and result columns. */
enum { ROOF_COLUMNS = 4 };
static const struct {
    const char *head, *name;
} roof_columns[ROOF_COLUMNS] = {
    {"FLOP/byte", "intensity"}, {"bound", "bound"}, {"ridge", "ridge"}, {"model", "model_ns"}};

static void add_columns(const struct layout *layout, struct case_table *table)
{
    const struct survey *survey = layout->survey;
    const bool is_one_item = survey->item && *survey->item && !survey->several_items;
    if (layout->bench)
        case_table_column(table, "bench", false, NEVER);
    for (size_t i = 0; i < layout->n_parameters; i++)
        case_table_column(table, layout->parameters[i]->name, layout->parameters[i]->is_number,
                          NEVER);
    const struct {
        bool wanted;
        const char *head;
        bool right;
        size_t rank;
    } fixed[] = {{layout->device, "device", false, RANK_SETTING},
                 {layout->policy, "policy", false, RANK_SETTING},
                 {layout->clock, "clock", false, RANK_SETTING},
                 {layout->launch, "launch", false, RANK_SETTING},
                 {layout->pace, "pace", false, RANK_SETTING},
                 {layout->times, "median", true, NEVER},
                 {layout->times, "interval", true, NEVER},
                 {layout->ratio, "ratio", true, NEVER},
                 {layout->times, "rel. IQR", true, RANK_RELATIVE_IQR},
                 {layout->rounds, "rounds", true, RANK_ROUNDS},
                 {layout->variation, "round variation", true, NEVER},
                 {layout->times, "samples", true, RANK_SAMPLES},
                 {survey->any_estimate, "verdict", false, RANK_VERDICT},
                 {true, "stop reason", false, RANK_STOP_REASON},
                 {layout->flops, "GFLOP/s", true, RANK_FLOPS},
                 {layout->bytes, "GB/s", true, RANK_BYTES},
                 {layout->items,
                  is_one_item ? arena_printf(survey->arena, "%ss/s", survey->item) : "items/s",
                  true, RANK_ITEMS},
                 {layout->roof, "roof", true, RANK_ROOF}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].wanted)
            case_table_column(table, fixed[i].head, fixed[i].right, fixed[i].rank);
    for (size_t i = 0; layout->model && i < ROOF_COLUMNS; i++)
        case_table_column(table, roof_columns[i].head, true, NEVER);
    for (size_t i = 0; layout->estimate && i < ESTIMATE_COLUMNS; i++)
        case_table_column(table, estimate_columns[i].head, estimate_columns[i].right, NEVER);
    for (size_t i = 0; i < layout->n_metrics; i++)
        case_table_column(table, metric_head(&survey->metrics[i], survey->arena), true,
                          metric_rank(&survey->metrics[i], i));
    for (size_t i = 0; i < TELEMETRY_COLUMNS; i++)
        if (layout->telemetry[i])
            case_table_column(table, telemetry_column(i).head, true, NEVER);
    if (layout->check)
        case_table_column(table, "check", false, RANK_CHECK);
    if (layout->status)
        case_table_column(table, "status", false, NEVER);
}

static bool columns_are_equal(const struct table *table, size_t a, size_t b)
{
    for (size_t row = 0; row < table->n_rows; row++)
        if (!text_equal(table_cell_at(table, row, a), table_cell_at(table, row, b)))
            return false;
    return true;
}

/* Takes out options that follow an axis and say the same in each row: `let.m = size`. */
static void remove_repeats(const struct layout *layout, struct case_table *table,
                           struct words *left_out, struct arena *arena)
{
    const struct survey_parameter *const *parameters = layout->parameters;
    size_t first = layout->bench, n = layout->n_parameters;
    const char **equal = ARENA_ARRAY(arena, const char *, n + 1); /* the axis; NULL: none */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; !parameters[i]->is_axis && j < n; j++)
            if (parameters[j]->is_axis && columns_are_equal(&table->table, first + i, first + j))
                equal[i] = parameters[j]->name;
    for (size_t i = 0; i < n; i++)
        if (equal[i])
            words_add_new(left_out, arena,
                          arena_printf(arena, "%s (= %s)", parameters[i]->name, equal[i]));
    for (size_t i = n; i-- > 0;)
        if (equal[i])
            case_table_remove(table, first + i);
}

/* Options that are the same in all rows may be left out. */
static void rank_equal(const struct layout *layout, struct case_table *table)
{
    for (size_t i = layout->bench; i < layout->bench + layout->n_parameters; i++) {
        bool is_equal = table->table.n_rows > 1;
        for (size_t row = 1; is_equal && row < table->table.n_rows; row++)
            is_equal = text_equal(table_cell_at(&table->table, row, i),
                                  table_cell_at(&table->table, 0, i));
        if (is_equal)
            table->ranks[i] = RANK_EQUAL;
    }
}

static void add_metric(const struct shown *shown, const struct survey_metric *metric,
                       struct text *out)
{
    const struct view_column column = {.kind = COLUMN_METRIC, .name = metric->name};
    struct cell cell = cell_of(&shown->row, &column);
    if (cell.kind == CELL_REAL)
        view_add_metric(out, cell.real, metric->unit);
}

/* A case without the parameter may still have the setting: of two benches one sweeps it. */
static struct cell place_cell(const struct view_row *row, const char *name, struct arena *arena)
{
    struct view_column column = {.kind = COLUMN_PARAMETER, .name = name};
    struct cell cell = cell_of(row, &column);
    if (cell.kind == CELL_NULL && text_equal(name, "device"))
        return (struct cell){.kind = CELL_TEXT, .text = device_label(row, arena)};
    if (cell.kind == CELL_NULL && is_setting_column(name) && result_column_named(name, &column))
        return cell_of(row, &column);
    return cell;
}

static void add_place(const struct layout *layout, const struct shown *shown, struct table *table,
                      struct arena *arena)
{
    const struct stored_case *c = &shown->row.c;
    if (layout->bench)
        table_cell(table, c->bench);
    for (size_t i = 0; i < layout->n_parameters; i++) {
        struct cell value = place_cell(&shown->row, layout->parameters[i]->name, arena);
        cell_readable(&value, table_words(table));
    }
    if (layout->device)
        table_cell(table, device_label(&shown->row, arena));
    if (layout->policy)
        table_cell(table, c->policy);
    if (layout->clock)
        table_cell(table, c->record.clock);
    if (layout->launch)
        table_cell(table, launched_word(c));
    if (layout->pace)
        table_cell(table, c->pace);
}

static void add_stop_reason(const struct layout *layout, const char *reason, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    text_add_line(&words, reason);
    text_add_shortened(out, text_get(&words), layout->narrow ? STOP_REASON_MOST : SIZE_MAX);
}

static void add_model(const struct layout *layout, const struct shown *shown, struct table *table)
{
    for (size_t i = 0; layout->model && i < ROOF_COLUMNS; i++) {
        struct view_column column;
        result_column_named(roof_columns[i].name, &column);
        struct cell cell = cell_of(&shown->row, &column);
        cell_readable(&cell, table_words(table));
    }
}

static int colour_of_check(const char *check)
{
    return text_starts_with(check, "ok")     ? COLOUR_GOOD
           : text_starts_with(check, "FAIL") ? COLOUR_BAD
                                             : COLOUR_FAINT;
}

static void add_row(const struct layout *layout, const struct view_row *rows, size_t n,
                    struct table *table)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct shown shown = combine_rounds(rows, n, &arena);
    const struct case_record *record = &shown.row.c.record;
    table_row(table);
    add_place(layout, &shown, table, &arena);
    if (layout->times) {
        shown_add_central(table_words(table), &shown);
        table_colour(table, shown_colour(&shown));
        shown_add_interval(table_words(table), &shown);
    }
    if (layout->ratio)
        view_add_ratio(table_words(table), shown.row.relative);
    if (layout->times)
        text_add_percent(table_words(table), shown.relative_iqr);
    if (layout->rounds) /* one of them may not count */
        table_cell_printf(table, shown.row.n_rounds < shown.n_rounds ? "%zu of %zu" : "%zu",
                          shown.row.n_rounds, shown.n_rounds);
    if (layout->variation)
        text_add_percent(table_words(table), shown.row.apart_ratio);
    if (layout->times)
        table_cell_printf(table, "%llu", (unsigned long long)record->n_samples);
    if (layout->survey->any_estimate)
        add_verdict(layout, &shown, table_words(table));
    add_stop_reason(layout, record->stop_reason, table_words(table));
    if (layout->flops)
        add_rate(table_words(table), &shown, record->work.flops);
    if (layout->bytes)
        add_rate(table_words(table), &shown, record->work.bytes_read + record->work.bytes_written);
    if (layout->items)
        add_item_rate(table_words(table), &shown);
    if (layout->roof)
        roof_cell(&shown.row, table_words(table));
    add_model(layout, &shown, table);
    for (size_t i = 0; layout->estimate && i < ESTIMATE_COLUMNS; i++) {
        struct text *cell = table_words(table);
        if (record->has_estimate)
            estimate_columns[i].add(cell, &shown);
    }
    for (size_t i = 0; i < layout->n_metrics; i++)
        add_metric(&shown, &layout->survey->metrics[i], table_words(table));
    for (size_t i = 0; i < TELEMETRY_COLUMNS; i++)
        if (layout->telemetry[i])
            telemetry_cell(rows, n, i, &arena, table_words(table));
    if (layout->check) {
        table_cell(table, shown.row.check);
        table_colour(table, colour_of_check(shown.row.check));
    }
    if (layout->status) {
        const int status = shown.worst ? shown.worst->c.record.status : CASE_OK;
        table_cell(table, case_status_word(status));
        table_colour(table, status == CASE_OK            ? COLOUR_GOOD
                            : case_status_is_bad(status) ? COLOUR_BAD
                                                         : COLOUR_FAINT);
    }
}

/* One bench's shown parameters, or those of all benches if that leaves few cells blank. */
static bool one_table_does(const struct survey *survey, const struct survey_parameter ***ret,
                           size_t *ret_n)
{
    *ret_n = survey_union(survey, true, survey->arena, ret);
    if (*ret_n <= BLANK_COLUMNS_MAX)
        return true;
    for (size_t i = 0; i < survey->n_benches; i++) {
        size_t shown = 0;
        for (size_t j = 0; j < survey->benches[i].n_parameters; j++)
            shown += survey_shows(&survey->benches[i].parameters[j]);
        if (shown != *ret_n)
            return false;
    }
    return true;
}

static bool is_shown(const struct survey_parameter **parameters, size_t n, const char *name)
{
    bool is_any = false;
    for (size_t i = 0; i < n; i++)
        is_any |= text_equal(parameters[i]->name, name);
    return is_any;
}

static struct layout layout_of(const struct view *view, bool bench_column,
                               const struct survey_parameter **parameters, size_t n)
{
    const struct survey *survey = &view->survey;
    size_t most = view->options->verbose ? survey->n_metrics : METRICS_SHOWN;
    const bool is_timed = survey->any_timed || !survey->any_counted;
    struct layout layout = {
        .survey = survey,
        .bench = bench_column,
        .parameters = parameters,
        .n_parameters = n,
        .device = survey->several_devices && !is_shown(parameters, n, "device"),
        .policy = survey->several_policies && !is_shown(parameters, n, "policy"),
        .clock = survey->several_clocks && !is_shown(parameters, n, "clock"),
        .launch = survey->several_launches && !is_shown(parameters, n, "launch"),
        .pace = survey->any_pace && !is_shown(parameters, n, "pace"),
        .rounds = survey->last_round > 0,
        .flops = survey->any_flops && is_timed,
        .bytes = survey->any_bytes && is_timed,
        .items = survey->any_items && is_timed,
        .roof = survey->any_roof,
        .model = view->options->verbose && survey->any_roof,
        .check = survey->any_check,
        .status = survey->any_bad || survey->any_skipped,
        .ratio = view->relatives != NULL,
        .times = is_timed,
        .n_metrics = survey->n_metrics < most ? survey->n_metrics : most,
        .estimate = view->options->verbose && survey->any_estimate,
        .variation = view->options->verbose && survey->last_round > 0,
        .narrow = view->options->format == FORMAT_TABLE && !view->options->verbose,
    };
    for (size_t i = 0; i < TELEMETRY_COLUMNS; i++)
        layout.telemetry[i] = view->options->verbose && survey->any_telemetry[i];
    return layout;
}

/* The groups of one bench, or of all (bench NULL), as a table. */
static void write_table(struct view *view, const struct layout *layout, const char *bench,
                        const struct group *groups, size_t n_groups, struct words *left_out,
                        struct text *out)
{
    struct case_table table = {.table.has_colours = view->options->has_colours,
                               .first_option = layout->bench,
                               .n_options = layout->n_parameters};
    add_columns(layout, &table);
    for (size_t i = 0; i < n_groups; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const char *of = view->entries[groups[i].first].row->c.bench;
        if (!bench || text_equal(of, bench))
            add_row(layout, view_group_rows(view, &groups[i], &arena), groups[i].n, &table.table);
    }
    if (layout->narrow) {
        rank_equal(layout, &table);
        remove_repeats(layout, &table, left_out, &view->arena);
        case_table_remove_blank(&table);
        case_table_fit(&table, view_width(view), left_out, &view->arena);
    }
    for (size_t i = layout->n_metrics; i < layout->survey->n_metrics; i++)
        words_add_new(left_out, &view->arena,
                      metric_head(&layout->survey->metrics[i], &view->arena));
    table_write(&table.table, table_style(view->options->format), out);
    table_free(&table.table);
    free(table.ranks);
}

/* One line: "left out: rel. IQR, rounds and 2 more; --verbose shows them". */
static void write_left_out(const struct words *left_out, size_t width, struct text *out)
{
    static const char end[] = "; --verbose shows all columns\n";
    CLEANUP(text_free) struct text line = {0};
    if (!left_out->n)
        return;
    for (size_t i = 0, before; i < left_out->n; i++) {
        before = line.length;
        text_printf(&line, "%s%s", i ? ", " : "left out: ", left_out->items[i]);
        const size_t rest = i + 1 < left_out->n ? sizeof " and 99 more" : 0;
        if (i == 0 || text_columns(text_get(&line)) + rest + sizeof end - 2 <= width)
            continue;
        text_cut(&line, before);
        text_printf(&line, " and %zu more", left_out->n - i);
        break;
    }
    text_printf(out, "\n%s%s", text_get(&line), end);
}

void tables_show(struct view *view, struct text *out)
{
    const struct survey *survey = &view->survey;
    const struct survey_parameter **shared = NULL;
    struct words left_out = {0};
    size_t n_shared = 0, n_groups = 0;
    struct group *groups = group_rounds(view, survey->last_round > 0, &n_groups);
    size_t n_skipped = 0;
    for (size_t i = 0; i < survey->n_benches; i++)
        n_skipped += survey->benches[i].n_skipped == survey->benches[i].n_cases;
    if (view->options->format == FORMAT_TABLE && !view->options->verbose &&
        n_skipped == survey->n_benches)
        text_add(out, "all cases were skipped\n");
    else if (one_table_does(survey, &shared, &n_shared)) {
        struct layout layout = layout_of(view, true, shared, n_shared);
        write_table(view, &layout, NULL, groups, n_groups, &left_out, out);
    } else {
        for (size_t i = 0; i < survey->n_benches; i++) {
            struct survey one = *survey;
            one.benches = &survey->benches[i];
            one.n_benches = 1;
            n_shared = survey_union(&one, true, &view->arena, &shared);
            struct layout layout = layout_of(view, false, shared, n_shared);
            text_printf(out, "%s%s\n", i ? "\n" : "", survey->benches[i].name);
            if (layout.narrow && survey->benches[i].n_skipped == survey->benches[i].n_cases) {
                text_add(out, "all cases were skipped\n");
                continue;
            }
            write_table(view, &layout, survey->benches[i].name, groups, n_groups, &left_out, out);
        }
    }
    write_left_out(&left_out, view_width(view), out);
}
