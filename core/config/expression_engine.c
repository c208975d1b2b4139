/* expression_engine.c - see expression_engine.h. */
#include "core/config/expression_engine.h"

#include "core/base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    STEPS_BETWEEN_CALLS = 1000,
    TEXT_LIMIT = 100000,
    PATTERN_LIMIT = 64, /* matching is exponential in the number of wildcards */
    DEPTH_LIMIT = 100,
    ARGUMENT_LIMIT = 64,
    WIDTH_LIMIT = 1000
};

/* ---- functions: their results depend on their arguments alone. The mathematical ones are our own,
 * because not every SQLite has them, defined as in https://sqlite.org/lang_mathfunc.html ---- */

enum result { REAL, AS_ARGUMENT, INTEGER };

struct mathematical {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
    enum result result; /* AS_ARGUMENT: an integer of an integer */
};

static double degrees(double x)
{
    return x * (180 / M_PI);
}

static double radians(double x)
{
    return x * (M_PI / 180);
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static double positive_ln(double x)
{
    return x > 0 ? log(x) : NAN;
}

static double positive_log2(double x)
{
    return x > 0 ? log2(x) : NAN;
}

static double positive_log10(double x)
{
    return x > 0 ? log10(x) : NAN;
}

static double log_to_base(double base, double x)
{
    return base > 1 ? positive_ln(x) / log(base) : NAN;
}

static const struct mathematical mathematicals[] = {
    {"acos", .of_one = acos},
    {"acosh", .of_one = acosh},
    {"asin", .of_one = asin},
    {"asinh", .of_one = asinh},
    {"atan", .of_one = atan},
    {"atan2", .of_two = atan2},
    {"atanh", .of_one = atanh},
    {"ceil", .of_one = ceil, .result = AS_ARGUMENT},
    {"cos", .of_one = cos},
    {"ceiling", .of_one = ceil, .result = AS_ARGUMENT},
    {"cosh", .of_one = cosh},
    {"degrees", .of_one = degrees},
    {"exp", .of_one = exp},
    {"floor", .of_one = floor, .result = AS_ARGUMENT},
    {"log", .of_one = positive_log10},
    {"ln", .of_one = positive_ln},
    {"log2", .of_one = positive_log2},
    {"log10", .of_one = positive_log10},
    {"mod", .of_two = fmod},
    {"log", .of_two = log_to_base},
    {"pi", .of_one = NULL},
    {"pow", .of_two = pow},
    {"radians", .of_one = radians},
    {"power", .of_two = pow},
    {"sin", .of_one = sin},
    {"sign", .of_one = sign, .result = INTEGER},
    {"sinh", .of_one = sinh},
    {"sqrt", .of_one = sqrt},
    {"tan", .of_one = tan},
    {"trunc", .of_one = trunc, .result = AS_ARGUMENT},
    {"tanh", .of_one = tanh},
};
enum { N_MATHEMATICALS = sizeof mathematicals / sizeof mathematicals[0] };

/* Functions of SQLite itself. */
static const char *const others[] = {
    "abs",   "char",   "coalesce", "format", "glob",     "hex",        "ifnull", "iif",
    "instr", "length", "like",     "likely", "lower",    "likelihood", "ltrim",  "max",
    "min",   "nullif", "printf",   "quote",  "replace",  "round",      "rtrim",  "substr",
    "trim",  "typeof", "unicode",  "upper",  "unlikely", "substring"};
enum { N_FUNCTIONS = N_MATHEMATICALS + sizeof others / sizeof others[0] };

static const char *function_name(size_t i)
{
    return i < N_MATHEMATICALS ? mathematicals[i].name : others[i - N_MATHEMATICALS];
}

static bool function_is_allowed(const char *name)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (strcasecmp(function_name(i), name) == 0)
            return true;
    return false;
}

/* NULL for what is no number, and, as SQLite does with NaN, for what is not defined. */
static void call(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct mathematical *function = sqlite3_user_data(context);
    bool is_integer = false;
    double numbers[2] = {0};
    for (int i = 0; i < n; i++) {
        int type = sqlite3_value_numeric_type(values[i]);
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
            return;
        is_integer = type == SQLITE_INTEGER;
        numbers[i] = sqlite3_value_double(values[i]);
    }
    if (function->result == INTEGER)
        sqlite3_result_int64(context, (int64_t)function->of_one(numbers[0]));
    else if (function->result == AS_ARGUMENT && is_integer)
        sqlite3_result_int64(context, sqlite3_value_int64(values[0]));
    else if (function->of_two)
        sqlite3_result_double(context, function->of_two(numbers[0], numbers[1]));
    else
        sqlite3_result_double(context, function->of_one ? function->of_one(numbers[0]) : M_PI);
}

/* Gives the engine's SQLite the mathematical functions; false: it refused one. */
static bool add_functions(struct expression_engine *engine)
{
    for (size_t i = 0; i < N_MATHEMATICALS; i++) {
        const struct mathematical *function = &mathematicals[i];
        int n = function->of_two ? 2 : function->of_one ? 1 : 0;
        if (sqlite3_create_function_v2(engine->database, function->name, n,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)function, call,
                                       NULL, NULL, NULL) != SQLITE_OK)
            return false;
    }
    return true;
}

/* ---- the engine ---- */

size_t expression_engine_column(const struct expression_engine *engine, const char *name)
{
    size_t n = engine->n_columns, found = n;
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(engine->columns[i].name, name) != 0)
            continue;
        if (found < n)
            return n;
        found = i;
    }
    return found;
}

static size_t find_token(const struct expression_engine *engine, const char *name, bool is_called)
{
    const struct expression_tokens *tokens = &engine->tokens;
    size_t i = 0;
    while (i < tokens->n && (!tokens->items[i].name || tokens->items[i].is_called != is_called ||
                             strcasecmp(tokens->items[i].name, name) != 0))
        i++;
    return i;
}

size_t expression_engine_unknown(const struct expression_engine *engine, const char *name)
{
    if (!name || expression_engine_column(engine, name) < engine->n_columns)
        return engine->tokens.n;
    return find_token(engine, name, false);
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
    if (strcasecmp(table, EXPRESSION_TABLE) != 0)
        return refuse(engine, "tables cannot be read");
    size_t i = expression_engine_column(engine, column);
    size_t token = expression_engine_unknown(engine, column);
    if (i < engine->n_columns)
        engine->is_read[i] = true;
    else if (token < engine->first_unknown)
        engine->first_unknown = token;
    return SQLITE_OK;
}

/* Not all are written as calls: current_time. */
static int authorize_function(struct expression_engine *engine, const char *name)
{
    const struct expression_tokens *tokens = &engine->tokens;
    char words[sizeof engine->refusal];
    if (function_is_allowed(name))
        return SQLITE_OK;
    size_t called = find_token(engine, name, true), named = find_token(engine, name, false);
    size_t i = called < tokens->n ? called : named;
    if (!engine->refusal[0] && i < tokens->n)
        engine->refused_at = tokens->items[i].at;
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
    engine->steps_left -= STEPS_BETWEEN_CALLS;
    return engine->steps_left < 0;
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

/* Is a width or precision more than can be wanted? SQLite writes as many characters before it finds
 * that they are too many. values: the format, then what it prints. */
static bool is_wide(const char *format, int n, sqlite3_value **values)
{
    int next = 1;
    while ((format = strchr(format, '%')) != NULL) {
        format += 1 + strspn(format + 1, "-+ 0#,!");
        for (int part = 0; part < 2; part++) { /* the width; behind a point, the precision */
            size_t digits = strspn(format, "0123456789");
            double wide = digits > 0 ? (double)strtol(format, NULL, 10) : 0;
            if (*format == '*' && next < n)
                wide = fabs(sqlite3_value_double(values[next++]));
            if (wide > (double)WIDTH_LIMIT)
                return true;
            format += *format == '*' ? 1 : digits;
            format += *format == '.' && part == 0;
        }
        if (*format == '%')
            format++;
        else
            next++;
    }
    return false;
}

/* printf and format, by SQLite's own in another connection. */
static void print_bounded(sqlite3_context *context, int n, sqlite3_value **values)
{
    sqlite3_stmt *print = sqlite3_user_data(context);
    const char *format = n > 0 ? (const char *)sqlite3_value_text(values[0]) : NULL;
    if (format && is_wide(format, n, values)) {
        sqlite3_result_error(context, "printf: a width or precision is above 1000", -1);
        return;
    }
    for (int i = 0; i < n; i++)
        sqlite3_bind_value(print, i + 1, values[i]);
    if (sqlite3_step(print) == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(print, 0));
    else
        sqlite3_result_error_toobig(context);
    sqlite3_reset(print);
    sqlite3_clear_bindings(print);
}

static bool bound_printf(struct expression_engine *engine)
{
    static const char *const names[] = {"printf", "format"};
    CLEANUP(text_free) struct text sql = {0};
    text_printf(&sql, "SELECT %s(?", names[0]);
    for (int i = 1; i < ARGUMENT_LIMIT; i++)
        text_add(&sql, ",?");
    text_add(&sql, ")");
    if (sqlite3_open(":memory:", &engine->printer) != SQLITE_OK)
        return false;
    sqlite3_limit(engine->printer, SQLITE_LIMIT_LENGTH, TEXT_LIMIT);
    if (sqlite3_prepare_v2(engine->printer, text_get(&sql), -1, &engine->print, NULL) != SQLITE_OK)
        return false;
    for (int i = 0; i < 2; i++)
        if (sqlite3_create_function(engine->database, names[i], -1,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC, engine->print,
                                    print_bounded, NULL, NULL) != SQLITE_OK)
            return false;
    return true;
}

int32_t expression_engine_new(struct expression_engine **ret, struct gb_error *error)
{
    struct expression_engine *engine = memory_allocate(sizeof *engine);
    if (sqlite3_open_v2(":memory:", &engine->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        !add_functions(engine) || !bound_printf(engine)) {
        sqlite3 *failed = sqlite3_errcode(engine->database) == SQLITE_OK ? engine->printer
                                                                         : engine->database;
        int32_t status = error_set(error, GB_FAILED, "SQLite cannot be started: %s",
                                   sqlite3_errmsg(failed));
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
    sqlite3_finalize(engine->print);
    sqlite3_close(engine->printer);
    free(engine);
}

/* Texts are often written in double quotes, which are for names. */
static int32_t unknown_name(const struct expression_engine *engine,
                            const struct expression_token *token, struct origin origin,
                            struct gb_error *error)
{
    const char *name = token->name;
    const char *nearest = text_nearest(TEXTS_OF(engine->columns, engine->n_columns, name), name);
    if (nearest && strcasecmp(nearest, name) == 0)
        return error_set_at(error, GB_INVALID, origin,
                            "'%.80s' is the name of several that differ in case only", name);
    if (token->kind == TOKEN_QUOTED_NAME)
        return error_set_at(
            error, GB_INVALID, origin,
            "unknown name '%.80s'%s%s%s (text is written in single quotes: '%.80s')", name,
            DID_YOU_MEAN(nearest, ""), name);
    return error_set_at(error, GB_INVALID, origin, "unknown name '%.80s'%s%s%s", name,
                        DID_YOU_MEAN(nearest, ": \1expected an option or a variable, or a text in "
                                              "single quotes"));
}

/* Does SQLite itself have a function of that name? */
static bool is_sqlite_function(struct expression_engine *engine, const char *name)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(engine->database,
                       "SELECT 1 FROM pragma_function_list WHERE name = ?1 COLLATE NOCASE", -1,
                       &statement, NULL);
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    bool is_there = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return is_there;
}

static const struct expression_token *unknown_function(struct expression_engine *engine)
{
    for (size_t i = 0; i < engine->tokens.n; i++) {
        const struct expression_token *token = &engine->tokens.items[i];
        if (token->name && token->is_called && !function_is_allowed(token->name) &&
            !sqlite3_keyword_check(token->name, (int)strlen(token->name)) &&
            !is_sqlite_function(engine, token->name))
            return token;
    }
    return NULL;
}

/* SQLite stopped after the token that it did not expect; text[end] is behind it. */
static int32_t syntax_error(const struct expression_engine *engine, const char *text, size_t end,
                            struct origin origin, struct gb_error *error)
{
    const struct expression_tokens *tokens = &engine->tokens;
    size_t i = 0;
    while (i < tokens->n && tokens->items[i].end < end)
        i++;
    if (i == tokens->n)
        return error_set_at(error, GB_INVALID, origin_at(origin, text, strlen(text)),
                            "the expression ends too early");
    const struct expression_token *token = &tokens->items[i];
    bool is_column = token->kind == TOKEN_WORD &&
                     expression_engine_column(engine, token->name) < engine->n_columns;
    return error_set_at(error, GB_INVALID, origin_at(origin, text, token->at),
                        "syntax error at '%.*s'%s", (int)(token->end - token->at), text + token->at,
                        is_column ? " (a name that is a word of SQL needs double quotes)" : "");
}

int32_t expression_engine_error(struct expression_engine *engine, const char *text, size_t stopped,
                                struct origin origin, struct gb_error *error)
{
    const struct expression_tokens *tokens = &engine->tokens;
    if (engine->refusal[0])
        return error_set_at(error, GB_INVALID, origin_at(origin, text, engine->refused_at), "%s",
                            engine->refusal);
    if (engine->first_unknown < tokens->n) {
        const struct expression_token *token = &tokens->items[engine->first_unknown];
        return unknown_name(engine, token, origin_at(origin, text, token->at), error);
    }
    CLEANUP(text_free) struct text words = {0}; /* before it is asked about functions */
    text_add(&words, sqlite3_errmsg(engine->database));
    const struct expression_token *function = unknown_function(engine);
    if (function) {
        const char *names[N_FUNCTIONS];
        for (size_t i = 0; i < N_FUNCTIONS; i++)
            names[i] = function_name(i);
        const char *nearest = text_nearest(WORDS_OF(names, N_FUNCTIONS), function->name);
        return error_set_at(error, GB_INVALID, origin_at(origin, text, function->at),
                            "unknown function '%.80s'%s%s%s", function->name,
                            DID_YOU_MEAN(nearest, ""));
    }
    /* It also stops where an expression gets too deep, which one with few tokens cannot be. */
    if (stopped < SIZE_MAX && tokens->n <= DEPTH_LIMIT)
        return syntax_error(engine, text, stopped, origin, error);
    return error_set_at(error, GB_INVALID, origin, "%s", text_get(&words));
}
