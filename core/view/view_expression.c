/* view_expression.c - expressions of columns: --where, and what --columns and --sort compute. */
#include "core/view/view_cases.h"

#include "core/config/expression.h"

#include <math.h>
#include <stdlib.h>

struct view_expression {
    struct view *view;
    struct expression *compiled;
    struct arena arena; /* of the last value's text */
};

static void add_column(struct view_expressions *all, struct view_column column, const char *name)
{
    for (size_t i = 0; i < all->n_columns; i++)
        if (text_equal(all->values[i].name, name))
            return;
    all->columns[all->n_columns] = column;
    all->values[all->n_columns++].name = name;
}

/* Where a parameter has the name of a result column it stands in its place (cell_of). */
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
        struct view_column column = view_metric_column(&view->arena, view->metrics[i]);
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
        view_explain_unknown(error);
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
        struct cell cell = cell_of(row, &all->columns[i]);
        all->values[i].value = value_of_cell(&cell);
    }
}

int32_t view_expression_test(struct view_expression *expression, const struct view_row *row,
                             bool *ret, struct gb_error *error)
{
    take_row(expression, row);
    return expression_test(expression->compiled, expression->view->expressions.values, ret, error);
}

struct cell view_expression_cell(struct view_expression *expression, const struct view_row *row)
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
