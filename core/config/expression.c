/* expression.c - see expression.h. They are compiled twice. First against a real table, because
 * only reads of a real table reach the authorizer; then, with what is read known, over bound
 * parameters, which is fast to evaluate. */
#include "core/config/expression_engine.h"

#include "core/base/plain_text.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct expression {
    struct expression_engine *engine;
    sqlite3_stmt *statement;
    struct origin origin;
    size_t n_reads;
    size_t *reads; /* which columns, in the order of the statement's parameters */
    char **names;  /* of those */
};

static void add_name(struct text *sql, const char *name)
{
    text_add(sql, "\"");
    text_add_valid(sql, name, '"', "\"\"");
    text_add(sql, "\"");
}

static void add_column(struct text *sql, const char *name)
{
    text_add(sql, ",");
    add_name(sql, name);
}

/* Makes a table with the columns, and with every other name of the text: so the authorizer sees
 * which unknown ones are read, and SQLite finds them all. The first column, which no text can name,
 * lets there be a table in any case. */
static int32_t create_table(struct expression_engine *engine, struct origin origin,
                            struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    text_add(&sql, "CREATE TABLE " EXPRESSION_TABLE "(\"\"");
    for (size_t i = 0; i < engine->n_columns; i++)
        if (expression_engine_column(engine, engine->columns[i].name) == i)
            add_column(&sql, engine->columns[i].name);
    for (size_t i = 0; i < engine->tokens.n; i++)
        if (expression_engine_unknown(engine, engine->tokens.items[i].name) == i)
            add_column(&sql, engine->tokens.items[i].name);
    text_add(&sql, ")");
    if (sqlite3_exec(engine->database, text_get(&sql), NULL, NULL, NULL) == SQLITE_OK)
        return GB_OK;
    return error_set_at(error, GB_FAILED, origin, "these names cannot be used in expressions: %s",
                        sqlite3_errmsg(engine->database));
}

static int32_t check_expression(struct expression_engine *engine, const char *text,
                                struct origin origin, struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    int32_t status = create_table(engine, origin, error);
    if (status != GB_OK)
        return status;
    text_printf(&sql, EXPRESSION_PREFIX "%s) FROM " EXPRESSION_TABLE, text);
    sqlite3_stmt *statement = NULL;
    const char *rest = text_get(&sql);
    engine->mode = MODE_CHECK;
    engine->n_selects = 0;
    engine->refusal[0] = 0;
    engine->refused_at = 0;
    engine->first_unknown = engine->tokens.n;
    int code = sqlite3_prepare_v2(engine->database, text_get(&sql), -1, &statement, &rest);
    engine->mode = MODE_OWN;
    size_t stopped = *rest ? (size_t)(rest - text_get(&sql)) - strlen(EXPRESSION_PREFIX) : SIZE_MAX;
    if (code != SQLITE_OK || engine->first_unknown < engine->tokens.n)
        status = expression_engine_error(engine, text, stopped, origin, error);
    sqlite3_finalize(statement);
    sqlite3_exec(engine->database, "DROP TABLE " EXPRESSION_TABLE, NULL, NULL, NULL);
    return status;
}

static int32_t prepare_expression(struct expression *expression, const char *text,
                                  struct gb_error *error)
{
    struct expression_engine *engine = expression->engine;
    CLEANUP(text_free) struct text sql = {0};
    if (expression->n_reads > 0) {
        text_add(&sql, "WITH " EXPRESSION_TABLE "(");
        for (size_t i = 0; i < expression->n_reads; i++) {
            text_add(&sql, i ? "," : "");
            add_name(&sql, expression->names[i]);
        }
        text_add(&sql, ") AS (SELECT ");
        for (size_t i = 0; i < expression->n_reads; i++)
            text_printf(&sql, "%s?%zu", i ? "," : "", i + 1);
        text_add(&sql, ") ");
    }
    text_printf(&sql, EXPRESSION_PREFIX "%s)%s", text,
                expression->n_reads > 0 ? " FROM " EXPRESSION_TABLE : "");
    engine->mode = MODE_RUN;
    int code = sqlite3_prepare_v2(engine->database, text_get(&sql), -1, &expression->statement,
                                  NULL);
    engine->mode = MODE_OWN;
    if (code == SQLITE_OK)
        return GB_OK;
    return error_set_at(error, GB_INVALID, expression->origin, "%s",
                        sqlite3_errmsg(engine->database));
}

static void note_reads(struct expression *expression, const bool *is_read)
{
    const struct expression_engine *engine = expression->engine;
    expression->reads = memory_allocate(engine->n_columns * sizeof *expression->reads);
    expression->names = memory_allocate(engine->n_columns * sizeof *expression->names);
    for (size_t i = 0; i < engine->n_columns; i++) {
        if (!is_read[i])
            continue;
        expression->reads[expression->n_reads] = i;
        expression->names[expression->n_reads++] = memory_copy_text(engine->columns[i].name);
    }
}

int32_t expression_compile(struct expression_engine *engine, const char *text, struct origin origin,
                           const struct expression_column *columns, size_t n,
                           struct expression **ret, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(free_pointer) bool *is_read = memory_allocate(n * sizeof *is_read);
    size_t at = 0;
    engine->tokens = (struct expression_tokens){0};
    const char *fault = expression_tokens_read(text, &arena, &engine->tokens, &at);
    if (fault)
        return error_set_at(error, GB_INVALID, origin_at(origin, text, at), "%s", fault);
    engine->columns = columns;
    engine->n_columns = n;
    engine->is_read = is_read;
    engine->steps_left = EXPRESSION_STEPS;
    int32_t status = check_expression(engine, text, origin, error);
    if (status != GB_OK)
        return status;
    struct expression *expression = memory_allocate(sizeof *expression);
    expression->engine = engine;
    expression->origin = origin;
    note_reads(expression, is_read);
    status = prepare_expression(expression, text, error);
    if (status == GB_OK)
        *ret = expression;
    else
        expression_free(expression);
    return status;
}

void expression_free(struct expression *expression)
{
    if (!expression)
        return;
    sqlite3_finalize(expression->statement);
    for (size_t i = 0; i < expression->n_reads; i++)
        free(expression->names[i]);
    free(expression->names);
    free(expression->reads);
    free(expression);
}

static void bind_value(sqlite3_stmt *statement, int parameter, const struct value *value)
{
    switch (value->type) {
    case 0:
        sqlite3_bind_null(statement, parameter);
        break;
    case GB_TYPE_INT:
    case GB_TYPE_BOOL:
        sqlite3_bind_int64(statement, parameter, value->integer);
        break;
    case GB_TYPE_BYTES:
        if (value->bytes <= INT64_MAX)
            sqlite3_bind_int64(statement, parameter, (int64_t)value->bytes);
        else
            sqlite3_bind_double(statement, parameter, (double)value->bytes);
        break;
    case GB_TYPE_FLOAT:
    case GB_TYPE_DURATION:
        sqlite3_bind_double(statement, parameter, value->number);
        break;
    default:
        sqlite3_bind_text(statement, parameter, value->text, -1, SQLITE_STATIC);
        break;
    }
}

/* Leaves the statement at its row; the caller resets it. */
static int32_t step(struct expression *expression, const struct expression_column *columns,
                    struct gb_error *error)
{
    struct expression_engine *engine = expression->engine;
    for (size_t i = 0; i < expression->n_reads; i++)
        bind_value(expression->statement, (int)i + 1, &columns[expression->reads[i]].value);
    engine->mode = MODE_RUN;
    engine->steps_left = EXPRESSION_STEPS;
    int code = sqlite3_step(expression->statement);
    engine->mode = MODE_OWN;
    if (code == SQLITE_ROW)
        return GB_OK;
    if (code == SQLITE_INTERRUPT)
        return error_set_at(error, GB_INVALID, expression->origin,
                            "takes too long: stopped after %d steps", EXPRESSION_STEPS);
    return error_set_at(error, GB_INVALID, expression->origin, "%s",
                        sqlite3_errmsg(engine->database));
}

/* The texts that were bound belong to the caller. */
static void leave_row(struct expression *expression)
{
    sqlite3_reset(expression->statement);
    sqlite3_clear_bindings(expression->statement);
}

int32_t expression_test(struct expression *expression, const struct expression_column *columns,
                        bool *ret, struct gb_error *error)
{
    int32_t status = step(expression, columns, error);
    if (status == GB_OK)
        *ret = sqlite3_column_double(expression->statement, 0) != 0;
    leave_row(expression);
    return status;
}

static int32_t read_text(struct expression *expression, struct arena *arena, struct value *ret,
                         struct gb_error *error)
{
    const char *text = (const char *)sqlite3_column_text(expression->statement, 0);
    if (!text)
        return error_set_at(error, GB_NO_MEMORY, expression->origin, "out of memory");
    *ret = (struct value){
        .type = GB_TYPE_STRING, .number = NAN, .text = make_plain(arena_text(arena, text))};
    return text_equal(ret->text, text)
               ? GB_OK
               : error_set_at(
                     error, GB_INVALID, expression->origin,
                     "gives control characters or bytes that are not UTF-8: \1expected plain text");
}

static int32_t read_result(struct expression *expression, struct arena *arena, struct value *ret,
                           struct gb_error *error)
{
    sqlite3_stmt *statement = expression->statement;
    switch (sqlite3_column_type(statement, 0)) {
    case SQLITE_INTEGER: {
        int64_t integer = sqlite3_column_int64(statement, 0);
        *ret = (struct value){.type = GB_TYPE_INT,
                              .integer = integer,
                              .number = (double)integer,
                              .text = arena_printf(arena, "%lld", (long long)integer)};
        return GB_OK;
    }
    case SQLITE_FLOAT: {
        double number = sqlite3_column_double(statement, 0);
        *ret = (struct value){.type = GB_TYPE_FLOAT,
                              .number = number,
                              .text = arena_text(arena, DOUBLE_TEXT(number))};
        return GB_OK;
    }
    case SQLITE_TEXT:
        return read_text(expression, arena, ret, error);
    case SQLITE_NULL:
        *ret = (struct value){.number = NAN, .text = ""};
        return GB_OK;
    default:
        return error_set_at(error, GB_INVALID, expression->origin,
                            "gives a blob: \1expected a number or a text");
    }
}

int32_t expression_evaluate_or_null(struct expression *expression,
                                    const struct expression_column *columns, struct arena *arena,
                                    struct value *ret, struct gb_error *error)
{
    int32_t status = step(expression, columns, error);
    if (status == GB_OK)
        status = read_result(expression, arena, ret, error);
    leave_row(expression);
    return status;
}

int32_t expression_evaluate(struct expression *expression, const struct expression_column *columns,
                            struct arena *arena, struct value *ret, struct gb_error *error)
{
    int32_t status = expression_evaluate_or_null(expression, columns, arena, ret, error);
    if (status == GB_OK && !ret->type)
        return error_set_at(error, GB_INVALID, expression->origin,
                            "gives no value (NULL): \1expected a number or a text");
    return status;
}

bool expression_reads(const struct expression *expression, const char *column)
{
    for (size_t i = 0; i < expression->n_reads; i++)
        if (strcasecmp(expression->names[i], column) == 0)
            return true;
    return false;
}
