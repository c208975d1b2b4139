/* view_group.c - --group-by: a row for each group of cases, with averages and the like. */
#include "core/compare/comparison.h"
#include "core/view/hash_index.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <string.h>

/* X(name, word, head, unit, help): of --columns, all but the last two as WORD(COLUMN). */
#define AGGREGATE_MAP(X)                                                                           \
    X(AVERAGE, "avg", "avg(COLUMN)", "",                                                           \
      "Mean of a column of numbers over the cases of the group that have it")                      \
    X(LARGEST, "max", "max(COLUMN)", "", "Its largest value")                                      \
    X(SMALLEST, "min", "min(COLUMN)", "", "Its smallest value")                                    \
    X(MEDIAN, "median", "median(COLUMN)", "", "Its median")                                        \
    X(GEOMEAN, "geomean", "geomean(COLUMN)", "",                                                   \
      "Its geometric mean; of `ratio` over the cases that are not the base, each once")            \
    X(GEOMEAN_LOW, "geomean_low", "geomean_low(COLUMN)", "",                                       \
      "Lower end of the 95 % interval of that, Student's t over the logarithms")                   \
    X(GEOMEAN_HIGH, "geomean_high", "geomean_high(COLUMN)", "", "Its upper end")                   \
    X(COUNT, "count", "count", "", "Number of cases in the group, counting each round")            \
    X(PASS_RATE, "pass_rate", "pass_rate", "ratio",                                                \
      "Share of status ok among the cases that were measured")
enum {
#define AGGREGATE_CONSTANT(name, word, head, unit, help) AGGREGATE_##name,
    AGGREGATE_MAP(AGGREGATE_CONSTANT)
#undef AGGREGATE_CONSTANT
        AGGREGATES
};
enum { OF_COLUMN = AGGREGATE_COUNT }; /* those before it are of a column */
static const char *const aggregate_words[AGGREGATES] = {
#define AGGREGATE_WORD(name, word, head, unit, help) word,
    AGGREGATE_MAP(AGGREGATE_WORD)
#undef AGGREGATE_WORD
};
static const struct help_entry aggregate_helps[AGGREGATES] = {
#define AGGREGATE_HELP(name, word, head, unit, help) {head, unit, help},
    AGGREGATE_MAP(AGGREGATE_HELP)
#undef AGGREGATE_HELP
};
#define NO_PIVOT SIZE_MAX
static const char EXPECTED[] = "expected avg, max, min, median or geomean of a column, such as "
                               "avg(median_ns); count, or pass_rate";

bool aggregate_column_help(size_t i, struct help_entry *ret)
{
    if (i < AGGREGATES)
        *ret = aggregate_helps[i];
    return i < AGGREGATES;
}

struct aggregate {
    int kind; /* AGGREGATE_... */
    const char *head;
    size_t source; /* kind < OF_COLUMN: which of the sources */
};

/* A column of numbers that aggregates are made of. */
struct source {
    struct view_column column;
    int unit;
    bool is_there;  /* some case has it */
    bool *is_taken; /* of a ratio, which the rounds of a case share: by its index; NULL */
};

/* The values that a source has in some cases: all that are known. */
struct values {
    double *items;
    size_t n;
};

/* What is known of the cases of a group with one value of --pivot; without it of all of them. */
struct part {
    uint64_t n_cases, n_measured, n_ok;
    struct values *values; /* by source */
};

/* Cases with equal values of the --group-by columns. */
struct bundle {
    struct cell *heads;
    struct part *parts;
    size_t n_parts; /* fewer than there are values of --pivot if the last have no case here */
};

struct grouping {
    struct view *view;
    struct view_column *heads;
    size_t n_heads;
    struct view_column pivot;
    struct cell *pivots; /* its values, in order of appearance */
    size_t n_pivots;     /* 1 without --pivot */
    struct source *sources;
    size_t n_sources;
    struct aggregate *aggregates;
    size_t n_aggregates;
    struct bundle *bundles;
    size_t n_bundles;
    struct hash_index bundles_by_heads;
};

/* ---- what is asked for ---- */

static size_t source_of(struct grouping *grouping, const struct view_column *column)
{
    const size_t known = text_index(TEXTS_OF(grouping->sources, grouping->n_sources, column.head),
                                    column->head);
    if (known < grouping->n_sources)
        return known;
    struct source *source = &grouping->sources[grouping->n_sources];
    const struct view *view = grouping->view;
    *source = (struct source){.column = *column};
    if (column->kind == COLUMN_RESULT && result_column_is_relative((size_t)column->result))
        source->is_taken = ARENA_ARRAY(&grouping->view->arena, bool,
                                       relatives_count(view->relatives) + 1);
    return grouping->n_sources++;
}

/* "avg(median_ns)"; for people with the unit of a metric, which no name has. */
static const char *aggregate_of(const struct grouping *grouping, int kind,
                                const struct view_column *column)
{
    const struct view *view = grouping->view;
    int format = view->options->format;
    bool is_for_people = format == FORMAT_TABLE || format == FORMAT_MARKDOWN;
    const char *unit = is_for_people && column->kind == COLUMN_METRIC ? column->unit : "";
    return arena_printf(&grouping->view->arena, *unit ? "%s(%s) (%s)" : "%s(%s)",
                        aggregate_words[kind], *unit ? column->name : column->head, unit);
}

/* title: what it is called, or NULL. */
static void add_aggregate(struct grouping *grouping, int kind, const struct view_column *column,
                          const char *title)
{
    grouping->aggregates[grouping->n_aggregates++] = (struct aggregate){
        .kind = kind,
        .head = title    ? title
                : column ? aggregate_of(grouping, kind, column)
                         : aggregate_words[kind],
        .source = column ? source_of(grouping, column) : 0};
}

/* AGGREGATE_... of the first n letters of an item; AGGREGATES: it is none. */
static int aggregate_named(const char *item, size_t n)
{
    int kind = 0;
    while (kind < AGGREGATES &&
           (strlen(aggregate_words[kind]) != n || strncmp(aggregate_words[kind], item, n) != 0))
        kind++;
    return kind;
}

/* One item of --columns. */
static int32_t read_aggregate(struct grouping *grouping, const char *written, struct origin origin,
                              struct gb_error *error)
{
    struct view *view = grouping->view;
    struct view_column column;
    char *item = arena_text(&view->arena, written);
    const char *title = view_take_title(item);
    size_t length = strcspn(item, "("), n = strlen(item);
    int kind = aggregate_named(item, length);
    for (size_t i = 0; length == n && i < grouping->n_heads; i++)
        if (text_equal(grouping->heads[i].head, item) || text_equal(grouping->heads[i].name, item))
            return GB_OK; /* it comes before the others anyway */
    if (kind == AGGREGATES || (length < n) != (kind < OF_COLUMN) ||
        (length < n && item[n - 1] != ')'))
        return error_set(error, GB_INVALID, "--columns: '%s' with --group-by: %s", item, EXPECTED);
    if (length == n) {
        add_aggregate(grouping, kind, NULL, title);
        return GB_OK;
    }
    const char *name = arena_text_n(&view->arena, item + length + 1, n - length - 2);
    origin.column += (uint32_t)length + 1;
    int32_t status = view_column_asked(view, name, origin, &column, error);
    if (status == GB_OK && column_is_words(view, &column))
        return error_set(error, GB_INVALID, "--columns: %s: '%s' is text: expected numbers", item,
                         name);
    if (status == GB_OK)
        add_aggregate(grouping, kind, &column, title);
    return status;
}

static int32_t read_heads(struct grouping *grouping, struct gb_error *error)
{
    struct view *view = grouping->view;
    struct text_list names = {0};
    int32_t status = view_split(view, view->options->group_by, "--group-by", &names, error);
    if (status != GB_OK)
        return status;
    grouping->heads = ARENA_ARRAY(&view->arena, struct view_column, names.n);
    for (; status == GB_OK && grouping->n_heads < names.n; grouping->n_heads++)
        status = view_column_named(view, names.items[grouping->n_heads], "--group-by",
                                   &grouping->heads[grouping->n_heads], error);
    if (status == GB_OK && view->options->pivot)
        status = view_column_named(view, view->options->pivot, "--pivot", &grouping->pivot, error);
    return status;
}

static void add_named(struct grouping *grouping, int kind, const char *name)
{
    struct view_column column;
    if (result_column_named(name, &column))
        add_aggregate(grouping, kind, &column, NULL);
}

/* Without --columns: times, ratios, all metrics of comparisons; drop_absent leaves those that there
 * are. */
enum { CHOSEN_MOST = 4 + 3 + 2 * VERIFY_METRICS };
static void choose_aggregates(struct grouping *grouping)
{
    add_aggregate(grouping, AGGREGATE_COUNT, NULL, NULL);
    add_aggregate(grouping, AGGREGATE_PASS_RATE, NULL, NULL);
    add_named(grouping, AGGREGATE_MEDIAN, "median_ns");
    add_named(grouping, AGGREGATE_GEOMEAN, "median_ns");
    if (grouping->view->relatives) {
        add_named(grouping, AGGREGATE_GEOMEAN, "ratio");
        add_named(grouping, AGGREGATE_GEOMEAN_LOW, "ratio");
        add_named(grouping, AGGREGATE_GEOMEAN_HIGH, "ratio");
    }
    for (int metric = 0; metric < VERIFY_METRICS; metric++) {
        const char *name = arena_printf(&grouping->view->arena, "check.%s",
                                        verify_metric_name(metric));
        add_named(grouping, AGGREGATE_AVERAGE, name);
        add_named(grouping, AGGREGATE_LARGEST, name);
    }
}

static int32_t read_aggregates(struct grouping *grouping, struct gb_error *error)
{
    struct view *view = grouping->view;
    struct text_list items = {0};
    int32_t status = GB_OK;
    if (view->options->columns)
        status = view_split(view, view->options->columns, "--columns", &items, error);
    size_t most = items.n + CHOSEN_MOST;
    grouping->aggregates = ARENA_ARRAY(&view->arena, struct aggregate, most);
    grouping->sources = ARENA_ARRAY(&view->arena, struct source, most);
    for (size_t i = 0; status == GB_OK && i < items.n; i++)
        status = read_aggregate(grouping, items.items[i], items.origins[i], error);
    if (status == GB_OK && !view->options->columns)
        choose_aggregates(grouping);
    return status;
}

static void drop_absent(struct grouping *grouping)
{
    size_t kept = 0;
    for (size_t i = 0; i < grouping->n_aggregates; i++) {
        const struct aggregate *aggregate = &grouping->aggregates[i];
        if (aggregate->kind >= OF_COLUMN || grouping->sources[aggregate->source].is_there)
            grouping->aggregates[kept++] = *aggregate;
    }
    grouping->n_aggregates = kept;
}

/* ---- cases ---- */

/* The number of the case's value of --pivot; NO_PIVOT: it has none. */
static size_t pivot_of(struct grouping *grouping, const struct view_row *row)
{
    if (!grouping->view->options->pivot)
        return 0;
    struct cell cell = cell_of(row, &grouping->pivot);
    if (cell.kind == CELL_NULL)
        return NO_PIVOT;
    for (size_t i = 0; i < grouping->n_pivots; i++)
        if (cell_compare(&grouping->pivots[i], &cell) == 0)
            return i;
    ARENA_APPEND(&grouping->view->arena, grouping->pivots, grouping->n_pivots, cell);
    return grouping->n_pivots - 1;
}

static struct bundle *bundle_of(struct grouping *grouping, const struct view_row *row)
{
    CLEANUP(text_free) struct text words = {0};
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < grouping->n_heads; i++) {
        struct cell cell = cell_of(row, &grouping->heads[i]);
        text_clear(&words);
        cell_exact(&cell, &words);
        hash = hash_text(hash, text_get(&words));
    }
    size_t at = 0, known = hash_index_next(&grouping->bundles_by_heads, hash, &at);
    if (known != HASH_NONE)
        return &grouping->bundles[known];
    hash_index_add(&grouping->bundles_by_heads, hash, grouping->n_bundles, &grouping->view->arena);
    struct bundle *bundle = ARENA_ADD(&grouping->view->arena, grouping->bundles,
                                      grouping->n_bundles);
    *bundle = (struct bundle){
        .heads = ARENA_ARRAY(&grouping->view->arena, struct cell, grouping->n_heads)};
    for (size_t i = 0; i < grouping->n_heads; i++)
        bundle->heads[i] = cell_of(row, &grouping->heads[i]);
    return bundle;
}

static struct part *part_of(struct grouping *grouping, struct bundle *bundle, size_t pivot)
{
    struct arena *arena = &grouping->view->arena;
    while (bundle->n_parts <= pivot)
        ARENA_APPEND(
            arena, bundle->parts, bundle->n_parts,
            (struct part){.values = ARENA_ARRAY(arena, struct values, grouping->n_sources)});
    return &bundle->parts[pivot];
}

/* Was the ratio of the row's case taken from another round? */
static bool is_again(const struct grouping *grouping, struct source *source,
                     const struct view_row *row)
{
    if (!source->is_taken)
        return false;
    bool *taken = &source->is_taken[relatives_index(grouping->view->relatives, row->relative)];
    bool is_taken = *taken;
    *taken = true;
    return is_taken;
}

static void add_case(struct grouping *grouping, const struct view_row *row)
{
    size_t pivot = pivot_of(grouping, row);
    if (pivot == NO_PIVOT)
        return;
    const int status = row->c.record.status;
    struct part *part = part_of(grouping, bundle_of(grouping, row), pivot);
    part->n_cases++;
    part->n_measured += case_status_is_done(status) && status != CASE_SKIPPED;
    part->n_ok += status == CASE_OK;
    for (size_t i = 0; i < grouping->n_sources; i++) {
        struct source *source = &grouping->sources[i];
        struct values *values = &part->values[i];
        struct cell cell = cell_of(row, &source->column);
        if (cell.kind == CELL_NULL || cell.kind == CELL_TEXT || is_again(grouping, source, row))
            continue;
        source->is_there = true;
        source->unit = cell.unit;
        ARENA_APPEND(&grouping->view->arena, values->items, values->n, cell.real);
    }
}

/* ---- what comes of them ---- */

/* NaN where there are values that have no logarithm. */
static double geometric_mean(int kind, const struct values *values)
{
    static const double confidence = 0.95;
    CLEANUP(free_pointer) double *logs = memory_allocate(values->n * sizeof *logs);
    for (size_t i = 0; i < values->n; i++)
        logs[i] = values->items[i] > 0 ? log(values->items[i]) : NAN;
    struct geometric_mean mean = compare_mean(logs, values->n, confidence);
    double log = kind == AGGREGATE_GEOMEAN       ? mean.theta
                 : kind == AGGREGATE_GEOMEAN_LOW ? mean.low
                                                 : mean.high;
    return isfinite(log) ? exp(log) : NAN;
}

static double aggregate_values(int kind, struct values *values)
{
    if (!values->n)
        return NAN;
    double sum = 0, smallest = INFINITY, largest = -INFINITY;
    for (size_t i = 0; i < values->n; i++) {
        sum += values->items[i];
        smallest = fmin(smallest, values->items[i]);
        largest = fmax(largest, values->items[i]);
    }
    switch (kind) {
    case AGGREGATE_AVERAGE:
        return sum / (double)values->n;
    case AGGREGATE_LARGEST:
        return largest;
    case AGGREGATE_SMALLEST:
        return smallest;
    case AGGREGATE_GEOMEAN:
    case AGGREGATE_GEOMEAN_LOW:
    case AGGREGATE_GEOMEAN_HIGH:
        return geometric_mean(kind, values);
    default:
        return median_of_known(values->items, values->n);
    }
}

/* NULL where there is no case with that value of --pivot. */
static struct cell aggregate_cell(const struct grouping *grouping, const struct bundle *bundle,
                                  size_t pivot, const struct aggregate *aggregate)
{
    if (pivot >= bundle->n_parts || !bundle->parts[pivot].n_cases)
        return (struct cell){0};
    const struct part *part = &bundle->parts[pivot];
    if (aggregate->kind == AGGREGATE_COUNT)
        return (struct cell){
            .kind = CELL_INTEGER, .integer = (int64_t)part->n_cases, .real = (double)part->n_cases};
    bool is_rate = aggregate->kind == AGGREGATE_PASS_RATE;
    struct cell cell = cell_REAL(
        is_rate ? (double)part->n_ok / (double)part->n_measured /* of none: NaN */
                : aggregate_values(aggregate->kind, &part->values[aggregate->source]));
    cell.unit = is_rate ? UNIT_RATIO : grouping->sources[aggregate->source].unit;
    return cell;
}

static int32_t open_grouping(struct view *view, struct grouping *ret, struct gb_error *error)
{
    *ret = (struct grouping){.view = view, .n_pivots = view->options->pivot ? 0 : 1};
    int32_t status = GB_OK;
    if (view->options->rows == ROWS_SAMPLE)
        return error_set(error, GB_INVALID, "--group-by is for cases, not for --rows sample");
    status = read_heads(ret, error);
    if (status == GB_OK)
        status = read_aggregates(ret, error);
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);)
        add_case(ret, at.row);
    if (!view->options->columns)
        drop_absent(ret);
    return status;
}

/* ---- as a grid ---- */

static bool same_levels(const struct bundle *a, const struct bundle *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cell_compare(&a->heads[i], &b->heads[i]) != 0)
            return false;
    return true;
}

/* Those whose first n levels are the same one after the other, else in order. */
static void gather(const struct bundle **bundles, size_t n_bundles, size_t n)
{
    for (size_t first = 0, end; first < n_bundles; first = end) {
        end = first + 1;
        for (size_t i = end; i < n_bundles; i++) {
            const struct bundle *bundle = bundles[i];
            if (!same_levels(bundle, bundles[first], n))
                continue;
            memmove(&bundles[end + 1], &bundles[end], (i - end) * sizeof(bundles[0]));
            bundles[end++] = bundle;
        }
    }
}

static const struct bundle **bundles_by_levels(const struct grouping *grouping)
{
    const size_t n = grouping->n_bundles;
    const struct bundle **ret = ARENA_ARRAY(&grouping->view->arena, const struct bundle *, n + 1);
    for (size_t i = 0; i < n; i++)
        ret[i] = &grouping->bundles[i];
    for (size_t level = 1; level < grouping->n_heads; level++)
        gather(ret, n, level);
    return ret;
}

/* A row for each group, and value of --pivot, with these as its heads; then turned. */
static struct grid make_transposed(const struct grouping *grouping)
{
    const struct view_options *options = grouping->view->options;
    const size_t n_heads = grouping->n_heads + (options->pivot != NULL);
    struct grid grid = {.arena = &grouping->view->arena};
    const struct bundle **bundles = bundles_by_levels(grouping);
    for (size_t i = 0; i < grouping->n_heads; i++)
        grid_column(&grid, grouping->heads[i].head, false);
    if (options->pivot)
        grid_column(&grid, options->pivot, false);
    for (size_t i = 0; i < grouping->n_aggregates; i++)
        grid_column(&grid, grouping->aggregates[i].head, true);
    for (size_t k = 0; k < grouping->n_bundles; k++)
        for (size_t j = 0; j < grouping->n_pivots; j++) {
            for (size_t i = 0; i < grouping->n_heads; i++)
                grid_cell(&grid, bundles[k]->heads[i]);
            if (options->pivot)
                grid_cell(&grid, grouping->pivots[j]);
            for (size_t i = 0; i < grouping->n_aggregates; i++)
                grid_cell(&grid, aggregate_cell(grouping, bundles[k], j, &grouping->aggregates[i]));
        }
    struct grid turned = grid_transposed(&grid, n_heads);
    if (options->format != FORMAT_TABLE)
        turned.columns[0].head = options->group_by;
    return turned;
}

static struct grid make_grid(const struct grouping *grouping)
{
    CLEANUP(text_free) struct text head = {0};
    struct grid grid = {.arena = &grouping->view->arena};
    for (size_t i = 0; i < grouping->n_heads; i++)
        grid_column(&grid, grouping->heads[i].head,
                    !column_is_words(grouping->view, &grouping->heads[i]));
    for (size_t i = 0; i < grouping->n_aggregates; i++)
        for (size_t j = 0; j < grouping->n_pivots; j++) {
            text_clear(&head);
            text_add(&head, grouping->aggregates[i].head);
            if (grouping->view->options->pivot) { /* "avg(check.ulp)\nbox" */
                text_add(&head, "\n");
                cell_short(&grouping->pivots[j], &head);
            }
            grid_column(&grid, text_get(&head), true);
        }
    for (size_t k = 0; k < grouping->n_bundles; k++) {
        const struct bundle *bundle = &grouping->bundles[k];
        for (size_t i = 0; i < grouping->n_heads; i++)
            grid_cell(&grid, bundle->heads[i]);
        for (size_t i = 0; i < grouping->n_aggregates; i++)
            for (size_t j = 0; j < grouping->n_pivots; j++)
                grid_cell(&grid, aggregate_cell(grouping, bundle, j, &grouping->aggregates[i]));
    }
    return grid;
}

int32_t groups_write(struct view *view, void (*cell)(const struct cell *cell, struct text *out),
                     struct text *out, struct gb_error *error)
{
    struct grouping grouping;
    int32_t status = open_grouping(view, &grouping, error);
    if (status == GB_OK) {
        struct grid grid = view->options->transpose ? make_transposed(&grouping)
                                                    : make_grid(&grouping);
        grid_write(&grid, view->options->format, cell, out);
    }
    return status;
}
