/* expression_functions.c - see expression_functions.h. Mathematical functions are defined as SQLite
 * defines them where it is built with them: https://sqlite.org/lang_mathfunc.html */
#include "core/config/expression_functions.h"

#include "core/base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <strings.h>

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

static const char *function_name(const void *unused, size_t i)
{
    (void)unused;
    return i < N_MATHEMATICALS ? mathematicals[i].name : others[i - N_MATHEMATICALS];
}

bool expression_function_allowed(const char *name)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (strcasecmp(function_name(NULL, i), name) == 0)
            return true;
    return false;
}

const char *expression_function_nearest(const char *name)
{
    return text_nearest(name, N_FUNCTIONS, function_name, NULL);
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

bool expression_functions_add(struct expression_engine *engine)
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
