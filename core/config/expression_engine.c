/* expression_engine.c - see expression_engine.h. */
#include "core/config/expression_engine.h"

#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    STEPS_BETWEEN_CALLS = 1000,
    TEXT_LIMIT = 100000,
    PATTERN_LIMIT = 64, /* matching is exponential in the number of wildcards */
    DEPTH_LIMIT = 100,
    ARGUMENT_LIMIT = 64
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
    if (strcasecmp(table, EXPRESSION_TABLE) != 0)
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

static const char *column_name(const void *table, size_t i)
{
    return ((const struct expression_column *)table)[i].name;
}

static int32_t unknown_name(const struct expression_engine *engine, const char *name,
                            struct origin origin, struct gb_error *error)
{
    const char *nearest = text_nearest(name, engine->n_columns, column_name, engine->columns);
    return error_set_at(error, GB_INVALID, origin, "unknown name '%.80s'%s%s%s", name,
                        DID_YOU_MEAN(nearest, ": expected an option or a variable, or a text in "
                                              "single quotes"));
}

static int32_t unknown_function(const char *name, struct origin origin, struct gb_error *error)
{
    const char *nearest = text_nearest(name, N_FUNCTIONS, function_name, NULL);
    return error_set_at(error, GB_INVALID, origin, "unknown function '%.80s'%s%s%s", name,
                        DID_YOU_MEAN(nearest, ""));
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

int32_t expression_engine_error(const struct expression_engine *engine, const char *text,
                                struct origin origin, struct gb_error *error)
{
    static const char no_column[] = "no such column: ", no_function[] = "no such function: ";
    const char *words = sqlite3_errmsg(engine->database);
    int offset = sqlite3_error_offset(engine->database) - (int)strlen(EXPRESSION_PREFIX);
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
