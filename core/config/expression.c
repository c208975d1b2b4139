/* expression.c - see expression.h. */
#include "core/config/expression.h"

#include "core/base/text.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Expressions are compiled twice. First against a real table, because only reads of a real table
 * reach the authorizer; then, with what is read known, over bound parameters, which is fast to
 * evaluate. */
#define TABLE_NAME "settings"
#define PREFIX "SELECT ("

enum {
    STEPS_BETWEEN_CALLS = 1000,
    TEXT_LIMIT = 100000,
    PATTERN_LIMIT = 64, /* matching is exponential in the number of wildcards */
    DEPTH_LIMIT = 100,
    ARGUMENT_LIMIT = 64
};

/* What is being prepared. */
enum engine_mode {
    MODE_OWN, /* statements of this file: all is allowed */
    MODE_CHECK /* an expression over the real table */,
    MODE_RUN /* the same text again, over parameters */
};

struct expression_engine {
    sqlite3 *database;
    enum engine_mode mode;
    const struct expression_column *columns; /* of the expression being checked */
    size_t n_columns;
    bool *is_read; /* by column */
    int n_selects;
    char refusal[160]; /* why the authorizer refused; empty: it did not */
    int calls_left;
};

struct expression {
    struct expression_engine *engine;
    sqlite3_stmt *statement;
    struct origin origin;
    size_t n_reads;
    size_t *reads; /* which columns, in the order of the statement's parameters */
    char **names;  /* of those */
};

/* Functions of SQLite whose result is a function of their arguments. */
static const char *const functions[] = {
    "abs",    "acos",     "acosh",   "asin",    "asinh",     "atan",    "atan2",      "atanh",
    "ceil",   "ceiling",  "char",    "cos",     "cosh",      "degrees", "exp",        "floor",
    "format", "coalesce", "glob",    "hex",     "ifnull",    "iif",     "instr",      "length",
    "like",   "likely",   "ln",      "log",     "log10",     "log2",    "lower",      "ltrim",
    "max",    "min",      "mod",     "nullif",  "pi",        "pow",     "power",      "printf",
    "quote",  "radians",  "replace", "round",   "rtrim",     "sign",    "sin",        "sinh",
    "sqrt",   "substr",   "tan",     "tanh",    "substring", "trim",    "likelihood", "trunc",
    "typeof", "unicode",  "upper",   "unlikely"};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const char *function_name(const void *table, size_t i)
{
    (void)table;
    return functions[i];
}

static bool is_function(const char *name)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (strcasecmp(functions[i], name) == 0)
            return true;
    return false;
}

static int refuse(struct expression_engine *engine, const char *what)
{
    if (!engine->refusal[0])
        snprintf(engine->refusal, sizeof engine->refusal, "%s", what);
    return SQLITE_DENY;
}

static int authorize_read(struct expression_engine *engine, const char *table, const char *column)
{
    if (engine->mode == MODE_RUN)
        return SQLITE_OK;
    if (strcasecmp(table, TABLE_NAME) != 0)
        return refuse(engine, "tables cannot be read");
    if (!*column) /* the table is named, nothing of it is read */
        return SQLITE_OK;
    for (size_t i = 0; i < engine->n_columns; i++)
        if (strcasecmp(engine->columns[i].name, column) == 0) {
            engine->is_read[i] = true;
            return SQLITE_OK;
        }
    return refuse(engine, "row numbers cannot be read");
}

static int authorize_function(struct expression_engine *engine, const char *name)
{
    char words[sizeof engine->refusal];
    if (is_function(name))
        return SQLITE_OK;
    snprintf(words, sizeof words, "function '%.80s' is not allowed in expressions", name);
    return refuse(engine, words);
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    struct expression_engine *engine = context;
    (void)database;
    (void)trigger;
    if (engine->mode == MODE_OWN)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
        if (engine->mode == MODE_CHECK && ++engine->n_selects > 1)
            return refuse(engine, "queries are not allowed in expressions");
        return SQLITE_OK;
    case SQLITE_READ:
        return authorize_read(engine, first, second);
    case SQLITE_FUNCTION:
        return authorize_function(engine, second);
    default:
        return refuse(engine, "only names, operators and functions are allowed in expressions");
    }
}

static int count_steps(void *context)
{
    struct expression_engine *engine = context;
    return engine->calls_left-- <= 0;
}

static void set_limits(sqlite3 *database)
{
    static const struct {
        int id, value;
    } limits[] = {{SQLITE_LIMIT_LENGTH, TEXT_LIMIT},
                  {SQLITE_LIMIT_SQL_LENGTH, TEXT_LIMIT},
                  {SQLITE_LIMIT_EXPR_DEPTH, DEPTH_LIMIT},
                  {SQLITE_LIMIT_FUNCTION_ARG, ARGUMENT_LIMIT},
                  {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_LIMIT},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    static const struct {
        int id, value;
    } switches[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_DQS_DDL, 0},
                    {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(database, limits[i].id, limits[i].value);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        sqlite3_db_config(database, switches[i].id, switches[i].value, NULL);
}

int32_t expression_engine_new(struct expression_engine **ret, struct gb_error *error)
{
    struct expression_engine *engine = memory_allocate(sizeof *engine);
    if (sqlite3_open_v2(":memory:", &engine->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        int32_t status = error_set(error, GB_FAILED, "SQLite cannot be started: %s",
                                   sqlite3_errmsg(engine->database));
        expression_engine_free(engine);
        return status;
    }
    set_limits(engine->database);
    sqlite3_set_authorizer(engine->database, authorize, engine);
    sqlite3_progress_handler(engine->database, STEPS_BETWEEN_CALLS, count_steps, engine);
    *ret = engine;
    return GB_OK;
}

void expression_engine_free(struct expression_engine *engine)
{
    if (!engine)
        return;
    sqlite3_close(engine->database);
    free(engine);
}

/* The end of what is quoted from text[i] on, or of the text if the quote does not end. */
static size_t skip_quoted(const char *text, size_t i)
{
    char end = text[i] == '[' ? ']' : text[i];
    for (i++; text[i] && text[i] != end; i++)
        ;
    return i;
}

/*
 * What would let a text leave the parentheses it is put into, or NULL. *ret_at: where.
 */
static const char *shape_fault(const char *text, size_t *ret_at)
{
    size_t opened_at = 0, depth = 0, i;
    for (i = 0; text[i]; i++) {
        *ret_at = i;
        if (strchr("'\"`[", text[i])) {
            i = skip_quoted(text, i);
            if (!text[i])
                return "a quote that does not end";
        } else if (text[i] == '(') {
            if (depth++ == 0)
                opened_at = i;
        } else if (text[i] == ')') {
            if (depth-- == 0)
                return "')' without '('";
        } else if (text[i] == ';' || strncmp(text + i, "--", 2) == 0 ||
                   strncmp(text + i, "/*", 2) == 0) {
            return "comments and ';' are not allowed in expressions";
        }
    }
    *ret_at = opened_at;
    if (depth > 0)
        return "'(' without ')'";
    *ret_at = 0;
    return text[strspn(text, " \t\r\n")] ? NULL : "expected an expression, got nothing";
}

static const char *column_name(const void *table, size_t i)
{
    return ((const struct expression_column *)table)[i].name;
}

static int32_t unknown_name(const struct expression_engine *engine, const char *name,
                            struct origin origin, struct gb_error *error)
{
    const char *nearest = text_nearest(name, engine->n_columns, column_name, engine->columns);
    if (nearest)
        return error_set_at(error, GB_INVALID, origin, "unknown name '%.80s'; did you mean '%s'?",
                            name, nearest);
    return error_set_at(error, GB_INVALID, origin,
                        "unknown name '%.80s': expected an option or a variable, or a text in "
                        "single quotes",
                        name);
}

static int32_t unknown_function(const char *name, struct origin origin, struct gb_error *error)
{
    const char *nearest = text_nearest(name, N_FUNCTIONS, function_name, NULL);
    return error_set_at(error, GB_INVALID, origin, "unknown function '%.80s'%s%s%s", name,
                        nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
}

/* Do words like `near "order": syntax error` name a setting? SQL may have another use for it. */
static bool names_setting(const struct expression_engine *engine, const char *words)
{
    static const char before[] = "near \"", after[] = "\": syntax error";
    size_t around = strlen(before) + strlen(after);
    if (!text_starts_with(words, before) || !text_ends_with(words, after) || strlen(words) < around)
        return false;
    for (size_t i = 0; i < engine->n_columns; i++) {
        const char *name = engine->columns[i].name;
        if (strlen(name) == strlen(words) - around &&
            strncasecmp(name, words + strlen(before), strlen(name)) == 0)
            return true;
    }
    return false;
}

/* Words for what settings may be written as and expressions may not: `2^31`, `64Ki`. NULL:
 * the words are of something else. */
static const char *token_hint(const char *words)
{
    static const char before[] = "unrecognized token: \"";
    if (!text_starts_with(words, before))
        return NULL;
    const char *token = words + strlen(before);
    if (*token == '^')
        return "no '^' in expressions: 2^31 is 1 << 31, x^2 is x * x or power(x, 2)";
    if (*token >= '0' && *token <= '9')
        return "numbers in expressions have no unit: 64Ki is 64 * 1024";
    return NULL;
}

/* Turns SQLite's error in PREFIX + text into one in the text. */
static int32_t compile_error(const struct expression_engine *engine, const char *text,
                             struct origin origin, struct gb_error *error)
{
    static const char no_column[] = "no such column: ", no_function[] = "no such function: ";
    const char *words = sqlite3_errmsg(engine->database);
    int offset = sqlite3_error_offset(engine->database) - (int)strlen(PREFIX);
    if (offset >= 0 && (size_t)offset < strlen(text))
        origin = origin_at(origin, text, (size_t)offset);
    if (engine->refusal[0])
        return error_set_at(error, GB_INVALID, origin, "%s", engine->refusal);
    if (text_starts_with(words, no_column))
        return unknown_name(engine, words + strlen(no_column), origin, error);
    if (text_starts_with(words, no_function))
        return unknown_function(words + strlen(no_function), origin, error);
    if (names_setting(engine, words))
        return error_set_at(error, GB_INVALID, origin,
                            "%s (a name that is a word of SQL needs double quotes)", words);
    const char *hint = token_hint(words);
    if (hint)
        return error_set_at(error, GB_INVALID, origin, "%s", hint);
    if (text_equal(words, "row value misused"))
        return error_set_at(error, GB_INVALID, origin, "expected one value, not a list of them");
    if (text_ends_with(words, "syntax error") && offset >= 0 && (size_t)offset >= strlen(text))
        return error_set_at(error, GB_INVALID, origin, "the expression ends too early");
    return error_set_at(error, GB_INVALID, origin, "%s", words);
}

static void add_name(struct text *sql, const char *name)
{
    text_add(sql, "\"");
    for (; *name; name++)
        text_add_n(sql, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    text_add(sql, "\"");
}

static bool is_ambiguous(const struct expression_column *columns, size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++)
        if (j != i && strcasecmp(columns[i].name, columns[j].name) == 0)
            return true;
    return false;
}

/* Makes a table with the columns; false if there is none to make. */
static int32_t create_table(struct expression_engine *engine, bool *ret_made,
                            struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    *ret_made = false;
    text_add(&sql, "CREATE TABLE " TABLE_NAME "(");
    for (size_t i = 0; i < engine->n_columns; i++) {
        if (is_ambiguous(engine->columns, engine->n_columns, i))
            continue;
        text_add(&sql, *ret_made ? "," : "");
        add_name(&sql, engine->columns[i].name);
        *ret_made = true;
    }
    text_add(&sql, ")");
    if (!*ret_made || sqlite3_exec(engine->database, text_get(&sql), NULL, NULL, NULL) == SQLITE_OK)
        return GB_OK;
    *ret_made = false;
    return error_set(error, GB_FAILED, "these names cannot be used in expressions: %s",
                     sqlite3_errmsg(engine->database));
}

static int32_t check_expression(struct expression_engine *engine, const char *text,
                                struct origin origin, struct gb_error *error)
{
    CLEANUP(text_free) struct text sql = {0};
    bool made;
    int32_t status = create_table(engine, &made, error);
    if (status != GB_OK)
        return status;
    text_printf(&sql, PREFIX "%s)%s", text, made ? " FROM " TABLE_NAME : "");
    sqlite3_stmt *statement = NULL;
    engine->mode = MODE_CHECK;
    engine->n_selects = 0;
    engine->refusal[0] = 0;
    if (sqlite3_prepare_v2(engine->database, text_get(&sql), -1, &statement, NULL) != SQLITE_OK)
        status = compile_error(engine, text, origin, error);
    else if (sqlite3_bind_parameter_count(statement) > 0)
        status = error_set_at(error, GB_INVALID, origin,
                              "parameters such as '?' and ':name' are not allowed in expressions");
    sqlite3_finalize(statement);
    engine->mode = MODE_OWN;
    if (made)
        sqlite3_exec(engine->database, "DROP TABLE " TABLE_NAME, NULL, NULL, NULL);
    return status;
}

static int32_t prepare_expression(struct expression *expression, const char *text,
                                  struct gb_error *error)
{
    struct expression_engine *engine = expression->engine;
    CLEANUP(text_free) struct text sql = {0};
    if (expression->n_reads > 0) {
        text_add(&sql, "WITH " TABLE_NAME "(");
        for (size_t i = 0; i < expression->n_reads; i++) {
            text_add(&sql, i ? "," : "");
            add_name(&sql, expression->names[i]);
        }
        text_add(&sql, ") AS (SELECT ");
        for (size_t i = 0; i < expression->n_reads; i++)
            text_printf(&sql, "%s?%zu", i ? "," : "", i + 1);
        text_add(&sql, ") ");
    }
    text_printf(&sql, PREFIX "%s)%s", text, expression->n_reads > 0 ? " FROM " TABLE_NAME : "");
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
    size_t at = 0;
    const char *fault = shape_fault(text, &at);
    if (fault)
        return error_set_at(error, GB_INVALID, origin_at(origin, text, at), "%s", fault);
    CLEANUP(free_pointer) bool *is_read = memory_allocate(n * sizeof *is_read);
    engine->columns = columns;
    engine->n_columns = n;
    engine->is_read = is_read;
    engine->calls_left = EXPRESSION_STEPS / STEPS_BETWEEN_CALLS;
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
    engine->calls_left = EXPRESSION_STEPS / STEPS_BETWEEN_CALLS;
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
        char digits[NUMBER_TEXT_MAX];
        double number = sqlite3_column_double(statement, 0);
        *ret = (struct value){.type = GB_TYPE_FLOAT,
                              .number = number,
                              .text = arena_text(arena, format_double(number, digits))};
        return GB_OK;
    }
    case SQLITE_TEXT:
        *ret = (struct value){
            .type = GB_TYPE_STRING,
            .number = NAN,
            .text = arena_text(arena, (const char *)sqlite3_column_text(statement, 0))};
        return GB_OK;
    case SQLITE_NULL:
        return error_set_at(error, GB_INVALID, expression->origin,
                            "gives no value (NULL): expected a number or a text");
    default:
        return error_set_at(error, GB_INVALID, expression->origin,
                            "gives a blob: expected a number or a text");
    }
}

int32_t expression_evaluate(struct expression *expression, const struct expression_column *columns,
                            struct arena *arena, struct value *ret, struct gb_error *error)
{
    int32_t status = step(expression, columns, error);
    if (status == GB_OK)
        status = read_result(expression, arena, ret, error);
    leave_row(expression);
    return status;
}

int32_t expression_value(struct expression *expression, const struct expression_column *columns,
                         struct arena *arena, const char **ret, struct gb_error *error)
{
    struct value value;
    int32_t status = expression_evaluate(expression, columns, arena, &value, error);
    if (status == GB_OK)
        *ret = value.text;
    return status;
}

bool expression_reads(const struct expression *expression, const char *column)
{
    for (size_t i = 0; i < expression->n_reads; i++)
        if (strcasecmp(expression->names[i], column) == 0)
            return true;
    return false;
}
