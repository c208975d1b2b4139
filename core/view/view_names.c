/* view_names.c - the columns that a user names: by their names, and as expressions of them in
 * --where, --columns and --sort. */
#include "core/view/view_cases.h"

#include "core/config/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Headings of columns of tables for people that are not names, and the names to write for them. */
static const struct table_head {
    const char *head, *names;
} heads[] = {
    {"median", "median_ns or estimate_ns"},
    {"interval", "low_ns and high_ns"},
    {"rel. IQR", "relative_iqr"},
    {"rounds", "n_rounds"},
    {"round variation", "round_variation"},
    {"ratio", "ratio, ratio_low and ratio_high, with --relative-to"},
    {"samples", "n_samples"},
    {"stop reason", "stop_reason"},
    {"GFLOP/s", "gflops"},
    {"GB/s", "bytes_per_s"},
    {"items/s", "items_per_s"},
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
    {"time", "median_ns or estimate_ns"}, /* no heading, but a likely word */
};
enum { HEADS = sizeof heads / sizeof *heads };

bool table_head_help(size_t i, struct help_entry *ret)
{
    if (i < HEADS)
        *ret = (struct help_entry){heads[i].head, "", heads[i].names};
    return i < HEADS;
}

/* Where an expression has the word over a column for a name, the error says what to write. */
static void explain_unknown(struct gb_error *error)
{
    for (size_t i = 0; i < HEADS; i++) {
        char words[64];
        snprintf(words, sizeof words, "unknown name '%s'", heads[i].head);
        if (text_starts_with(error->text, words))
            error_set(error, GB_INVALID, "%s: \1write %s", words, heads[i].names);
    }
}

/* Of all names that a user may write: parameters, metrics, result columns. */
static const char *nearest_name(const struct view *view, const char *name)
{
    CLEANUP(free_pointer) const char **names = NULL;
    size_t n = 0;
    for (size_t i = 0; i < view->n_parameters; i++)
        MEMORY_APPEND(names, n, view->parameters[i]);
    for (size_t i = 0; i < view->n_metrics; i++)
        MEMORY_APPEND(names, n, view->metrics[i]);
    for (size_t i = 0; i < result_columns(); i++)
        MEMORY_APPEND(names, n, result_column_name(i));
    return text_nearest(WORDS_OF(names, n), name);
}

static struct view_column metric_column(struct arena *arena, const char *name)
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
    const struct table_head *known = ITEM_NAMED(heads, HEADS, head, name);
    if (known)
        return error_set(error, GB_INVALID, "%s: no column '%s': \1write %s", option, name,
                         known->names);
    const char *nearest = nearest_name(view, name);
    return nearest ? error_set(error, GB_INVALID, "%s: no column '%s': \1did you mean '%s'?",
                               option, name, nearest)
                   : error_set(error, GB_INVALID,
                               "%s: no column '%s': \1expected a parameter, a metric or a result"
                               " column such as median_ns",
                               option, name);
}

int32_t view_column_named(const struct view *view, const char *name, const char *option,
                          struct view_column *ret, struct gb_error *error)
{
    struct arena *arena = (struct arena *)&view->arena;
    if (result_column_named(name, ret))
        return view->relatives || !result_column_is_relative((size_t)ret->result)
                   ? GB_OK
                   : error_set(error, GB_INVALID, "%s: '%s' needs --relative-to BASE", option,
                               name);
    name = arena_text(arena, name);
    if (text_is_among(view->parameters, view->n_parameters, name)) {
        *ret = (struct view_column){
            .kind = COLUMN_PARAMETER, .name = name, .head = name, .unit = ""};
        return GB_OK;
    }
    const char *metric = name;
    if (text_starts_with(name, METRIC_PREFIX))
        metric += sizeof METRIC_PREFIX - 1;
    if (text_is_among(view->metrics, view->n_metrics, metric)) {
        *ret = metric_column(arena, metric);
        return GB_OK;
    }
    return no_such_column(view, name, option, error);
}

const char *view_column_title(const struct view_column *column)
{
    return column->title                   ? column->title
           : column->kind == COLUMN_METRIC ? column->name
                                           : column->head;
}

/* ---- expressions ---- */

struct view_expression {
    struct view *view;
    struct expression *compiled;
    struct arena arena; /* of the last value's text */
};

static void add_column(struct view_expressions *all, struct view_column column, const char *name)
{
    if (ITEM_NAMED(all->values, all->n_columns, name, name))
        return;
    all->columns[all->n_columns] = column;
    all->values[all->n_columns++].name = name;
}

/* A parameter hides a result column of the same name (cell_of_known). */
static int32_t open_engine(struct view *view, struct gb_error *error)
{
    struct view_expressions *all = &view->expressions;
    size_t most = view->n_parameters + result_columns() + 2 * view->n_metrics;
    if (all->engine)
        return GB_OK;
    all->columns = ARENA_ARRAY(&view->arena, struct view_column, most);
    all->values = ARENA_ARRAY(&view->arena, struct expression_column, most);
    for (size_t i = 0; i < result_columns(); i++)
        if (view->relatives || !result_column_is_relative(i))
            add_column(all, result_column(i), result_column_name(i));
    for (size_t i = 0; i < view->n_parameters; i++)
        add_column(all, (struct view_column){.kind = COLUMN_PARAMETER, .name = view->parameters[i]},
                   view->parameters[i]);
    for (size_t i = 0; i < view->n_metrics; i++) {
        struct view_column column = metric_column(&view->arena, view->metrics[i]);
        add_column(all, column, column.head);
        add_column(all, column, column.name);
    }
    return expression_engine_new(&all->engine, error);
}

int32_t view_expression_new(struct view *view, const char *text, struct origin origin,
                            struct view_expression **ret, struct gb_error *error)
{
    struct view_expressions *all = &view->expressions;
    struct expression *compiled = NULL;
    int32_t status = open_engine(view, error);
    if (status == GB_OK)
        status = expression_compile(all->engine, text, origin, all->values, all->n_columns,
                                    &compiled, error);
    if (status != GB_OK) {
        explain_unknown(error);
        return status;
    }
    *ret = ARENA_ARRAY(&view->arena, struct view_expression, 1);
    (*ret)->view = view;
    (*ret)->compiled = compiled;
    ARENA_APPEND(&view->arena, all->items, all->n, *ret);
    return GB_OK;
}

static struct value value_of_cell(const struct cell *cell)
{
    static const uint32_t types[] = {[CELL_NULL] = 0,
                                     [CELL_INTEGER] = GB_TYPE_INT,
                                     [CELL_REAL] = GB_TYPE_FLOAT,
                                     [CELL_BOOL] = GB_TYPE_BOOL,
                                     [CELL_TEXT] = GB_TYPE_STRING};
    bool is_whole = cell->kind == CELL_INTEGER || cell->kind == CELL_BOOL;
    return (struct value){.type = types[cell->kind],
                          .integer = cell->integer,
                          .number = is_whole                  ? (double)cell->integer
                                    : cell->kind == CELL_REAL ? cell->real
                                                              : NAN,
                          .text = cell->kind == CELL_TEXT ? cell->text : ""};
}

static void take_row(struct view_expression *expression, const struct view_row *row)
{
    struct view_expressions *all = &expression->view->expressions;
    for (size_t i = 0; i < all->n_columns; i++) {
        if (!expression_reads(expression->compiled, all->values[i].name))
            continue;
        struct cell cell = cell_of_known(row, &all->columns[i]);
        all->values[i].value = value_of_cell(&cell);
    }
}

int32_t view_expression_test(struct view_expression *expression, const struct view_row *row,
                             bool *ret, struct gb_error *error)
{
    take_row(expression, row);
    return expression_test(expression->compiled, expression->view->expressions.values, ret, error);
}

static struct cell expression_cell(struct view_expression *expression, const struct view_row *row)
{
    struct view_expressions *all = &expression->view->expressions;
    struct value value = {0};
    struct gb_error error = {0};
    arena_free(&expression->arena);
    take_row(expression, row);
    if (expression_evaluate_or_null(expression->compiled, all->values, &expression->arena, &value,
                                    &error) != GB_OK) {
        if (all->trouble.status == GB_OK)
            all->trouble = error;
        return (struct cell){0};
    }
    switch (value.type) {
    case GB_TYPE_INT:
        return (struct cell){.kind = CELL_INTEGER, .integer = value.integer, .real = value.number};
    case GB_TYPE_FLOAT:
        return cell_REAL(value.number);
    case 0:
        return (struct cell){0};
    default:
        return cell_TEXT(value.text);
    }
}

struct cell cell_of(const struct view_row *row, const struct view_column *column)
{
    return column->kind == COLUMN_EXPRESSION ? expression_cell(column->expression, row)
                                             : cell_of_known(row, column);
}

int32_t view_expressions_status(const struct view *view, struct gb_error *error)
{
    const struct gb_error *trouble = &view->expressions.trouble;
    if (trouble->status != GB_OK && error)
        *error = *trouble;
    return trouble->status;
}

void view_expressions_free(struct view *view)
{
    struct view_expressions *all = &view->expressions;
    for (size_t i = 0; i < all->n; i++) {
        expression_free(all->items[i]->compiled);
        arena_free(&all->items[i]->arena);
    }
    if (all->engine)
        expression_engine_free(all->engine);
}

/* ---- lists ---- */

/* Where a part of an expression that begins at text[i] ends: a quoted one as a whole, else one
 * character. *depth: of parentheses. */
static size_t part_end(const char *text, size_t i, int *depth)
{
    char quote = text[i];
    *depth += (quote == '(') - (quote == ')');
    if (quote != '"' && quote != '\'')
        return i + 1;
    const char *end = strchr(text + i + 1, quote);
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

int32_t view_split(struct view *view, const char *list, const char *option, struct text_list *ret,
                   struct gb_error *error)
{
    struct arena *arena = &view->arena;
    const struct origin origin = {.file = option, .line = 1, .column = 1};
    size_t length = strlen(list);
    for (size_t start = 0, end; start <= length; start = end + 1) {
        int depth = 0;
        for (end = start; list[end] && (depth > 0 || list[end] != ',');)
            end = part_end(list, end, &depth);
        const char *item = list + start;
        size_t n = end - start;
        text_trim(&item, &n);
        struct origin at = origin_at(origin, list, (size_t)(item - list));
        if (n == 0)
            return ret->n == 0 && end == length
                       ? error_set(error, GB_INVALID, "%s: it is empty: expected names of columns",
                                   option)
                       : error_set_at(error, GB_INVALID, at,
                                      "item %zu is empty: expected the name of a column",
                                      ret->n + 1);
        ret->items = arena_grow(arena, ret->items, ret->n, sizeof *ret->items);
        ret->origins = arena_grow(arena, ret->origins, ret->n, sizeof *ret->origins);
        ret->items[ret->n] = arena_text_n(arena, item, n);
        ret->origins[ret->n++] = at;
    }
    return GB_OK;
}

/* The last "as" of an item outside parentheses and quotes, with blanks around; NULL: there is none.
 */
static char *find_as(char *item)
{
    char *found = NULL;
    int depth = 0;
    for (size_t i = 0; item[i]; i = part_end(item, i, &depth))
        if (depth == 0 && i > 0 && isspace((unsigned char)item[i - 1]) &&
            strncasecmp(item + i, "as", 2) == 0 && isspace((unsigned char)item[i + 2]))
            found = item + i;
    return found;
}

const char *view_take_title(char *item)
{
    char *as = find_as(item);
    if (!as)
        return NULL;
    const char *title = as + 2;
    size_t n = strlen(title), length = (size_t)(as - item);
    text_trim(&title, &n);
    while (length > 0 && isspace((unsigned char)item[length - 1]))
        length--;
    item[length] = 0;
    if (n > 1 && title[0] == '"' && title[n - 1] == '"') {
        as[title - as + (ptrdiff_t)n - 1] = 0;
        title++;
    }
    return title;
}

/* A word that can be a name only, or a heading. */
static bool is_name(const char *item)
{
    bool is_word = true;
    if (ITEM_NAMED(heads, HEADS, head, item))
        return true;
    for (const char *c = item; *c; c++)
        is_word &= isalpha((unsigned char)*c) || strchr("_.", *c) ||
                   (isdigit((unsigned char)*c) && c > item);
    return is_word;
}

int32_t view_column_asked(struct view *view, const char *item, struct origin origin,
                          struct view_column *ret, struct gb_error *error)
{
    char *text = arena_text(&view->arena, item);
    const char *title = view_take_title(text);
    size_t n = strlen(text);
    bool is_quoted = n > 2 && *text == '"' && strchr(text + 1, '"') == text + n - 1;
    const char *name = is_quoted ? arena_text_n(&view->arena, text + 1, n - 2) : text;
    int32_t status = view_column_named(view, name, origin.file, ret, error);
    if (status != GB_OK && !is_name(text)) {
        *ret = (struct view_column){
            .kind = COLUMN_EXPRESSION, .name = text, .head = text, .unit = ""};
        status = view_expression_new(view, text, origin, &ret->expression, error);
    }
    for (size_t i = 0; status == GB_OK && i < view->survey.n_metrics; i++)
        if (ret->kind == COLUMN_METRIC && text_equal(view->survey.metrics[i].name, ret->name))
            ret->unit = view->survey.metrics[i].unit;
    if (title) {
        ret->title = title;
        ret->head = title;
    }
    return status;
}

int32_t view_columns_asked(struct view *view, struct view_column **ret, size_t *ret_n,
                           struct gb_error *error)
{
    struct text_list items = {0};
    int32_t status = view_split(view, view->options->columns, "--columns", &items, error);
    struct view_column *columns = ARENA_ARRAY(&view->arena, struct view_column, items.n + 1);
    for (size_t i = 0; status == GB_OK && i < items.n; i++)
        status = view_column_asked(view, items.items[i], items.origins[i], &columns[i], error);
    *ret = columns;
    *ret_n = items.n;
    return status;
}
