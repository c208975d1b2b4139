/* recorded.c - see recorded.h. */
#include "core/search/recorded.h"

#include "core/base/json_reader.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 256 };

/* A file while it is read. */
struct reading {
    struct json_reader json;
    struct recording *recording;
    struct arena arena;
    const char *axes[AXES_MAX];
    struct text values[AXES_MAX]; /* of the case that is read; empty: not seen yet */
    size_t n_axes;
    bool has_axes;   /* all of them */
    bool is_partial; /* the file ends before its end, which is fine */
    double unit_ns;  /* of times */
    double value;    /* of the case: its time without single runs; NaN: none */
};

/* ---- words of both formats ---- */

struct word {
    const char *word;
    double value;
};

/* `miliseconds` is how the hub's files spell it. */
static const struct word units[] = {
    {"ns", 1},       {"nanoseconds", 1},   {"us", 1e3}, {"microseconds", 1e3}, {"ms", 1e6},
    {"millis", 1e6}, {"miliseconds", 1e6}, {"s", 1e9},  {"milliseconds", 1e6}, {"seconds", 1e9},
};

static const struct word statuses[] = {
    {"correct", GB_OBSERVED_OK},
    {"compile", GB_OBSERVED_FAILED},
    {"runtime", GB_OBSERVED_FAILED},
    {"correctness", GB_OBSERVED_WRONG},
    {"constraints", GB_OBSERVED_SKIPPED},
    {"timeout", GB_OBSERVED_TIMED_OUT},
    /* of Kernel Tuner */
    {"CompilationFailedConfig", GB_OBSERVED_FAILED},
    {"RuntimeFailedConfig", GB_OBSERVED_FAILED},
    {"InvalidConfig", GB_OBSERVED_SKIPPED},
};

static int32_t find_word(struct reading *reading, const char *what, const struct word *words,
                         size_t n, double *ret)
{
    const char *word = text_get(&reading->json.text);
    const struct word *found = ITEM_NAMED(words, n, word, word);
    if (found)
        *ret = found->value;
    return found ? GB_OK
                 : json_refuse(&reading->json, "'%s' is an unknown %s; expected '%s', '%s', ...",
                               word, what, words[0].word, words[1].word);
}
#define FIND_WORD(reading, what, words, ret)                                                       \
    find_word((reading), (what), (words), sizeof(words) / sizeof *(words), (ret))

/* ---- objects and arrays, by what reads their members ---- */

typedef int32_t take_member(struct reading *reading, const char *key, enum json_token token);

static int32_t status_of(const struct reading *reading)
{
    return reading->json.error.status;
}

static int32_t skip(struct reading *reading, enum json_token token)
{
    json_skip(&reading->json, token);
    return status_of(reading);
}

static int32_t read_object(struct reading *reading, enum json_token token, const char *what,
                           take_member *take)
{
    if (token != JSON_OBJECT_BEGIN)
        return json_refuse(&reading->json, "'%s' is not an object", what);
    while (json_read(&reading->json) == JSON_KEY) {
        CLEANUP(free_pointer) char *key = memory_copy_text(text_get(&reading->json.text));
        int32_t status = take(reading, key, json_read(&reading->json));
        if (status != GB_OK)
            return status;
    }
    return status_of(reading);
}

/* key: its name, for each item. */
static int32_t read_array(struct reading *reading, enum json_token token, const char *key,
                          take_member *take)
{
    if (token != JSON_ARRAY_BEGIN)
        return json_refuse(&reading->json, "'%s' is not an array", key);
    while ((token = json_read(&reading->json)) != JSON_ARRAY_END && token != JSON_BROKEN) {
        int32_t status = take(reading, key, token);
        if (status != GB_OK)
            return status;
    }
    return status_of(reading);
}

/* ---- a case ---- */

static struct recorded_case *current(const struct reading *reading)
{
    return &reading->recording->cases[reading->recording->n_cases - 1];
}

static void begin_case(struct reading *reading)
{
    struct recording *recording = reading->recording;
    MEMORY_APPEND(recording->cases, recording->n_cases,
                  (struct recorded_case){.first = recording->n_runs});
    reading->value = NAN;
    for (size_t i = 0; i < reading->n_axes; i++)
        text_clear(&reading->values[i]);
}

static void add_axis(struct reading *reading, const char *name)
{
    reading->axes[reading->n_axes++] = arena_text(&reading->arena, name);
}

static size_t find_axis(const struct reading *reading, const char *name)
{
    return text_index(WORDS_OF(reading->axes, reading->n_axes), name);
}

static int32_t take_value(struct reading *reading, const char *key, enum json_token token)
{
    const size_t i = find_axis(reading, key);
    if (i == reading->n_axes && reading->has_axes)
        return json_refuse(&reading->json, "the parameter '%s' is missing in earlier cases", key);
    if (i == AXES_MAX)
        return json_refuse(&reading->json, "more than %d parameters", AXES_MAX);
    if (token < JSON_STRING || token == JSON_BROKEN)
        return json_refuse(&reading->json, "the parameter '%s' is not a number or a text", key);
    if (i == reading->n_axes)
        add_axis(reading, key);
    text_clear(&reading->values[i]);
    text_add(&reading->values[i], text_get(&reading->json.text));
    return GB_OK;
}

static int32_t take_run(struct reading *reading, const char *key, enum json_token token)
{
    struct recording *recording = reading->recording;
    const double ns = reading->json.number;
    if (token != JSON_NUMBER || !(ns > 0) || !isfinite(ns))
        return json_refuse(&reading->json, "'%s' has a value that is not a positive number", key);
    MEMORY_APPEND(recording->runs, recording->n_runs, ns);
    current(reading)->n_runs++;
    return GB_OK;
}

static int32_t take_preparation(struct reading *reading, const char *key, enum json_token token)
{
    const double time = reading->json.number;
    if (token != JSON_NULL && (token != JSON_NUMBER || !(time >= 0) || !isfinite(time)))
        return json_refuse(&reading->json, "'%s' is not a number of at least 0", key);
    current(reading)->prepare_ns = token == JSON_NULL ? 0 : time;
    return GB_OK;
}

static int32_t end_case(struct reading *reading)
{
    const char *values[AXES_MAX];
    struct recording *recording = reading->recording;
    struct recorded_case *done = current(reading);
    if (reading->n_axes == 0)
        return json_refuse(&reading->json, "the case has no parameters");
    if (!recording->space)
        recording->space = space_new(reading->axes, reading->n_axes);
    reading->has_axes = true;
    for (size_t i = 0; i < reading->n_axes; i++) {
        values[i] = text_get(&reading->values[i]);
        if (!reading->values[i].length)
            return json_refuse(&reading->json, "the case has no parameter '%s'", reading->axes[i]);
    }
    if (done->n_runs == 0 && reading->value > 0 && isfinite(reading->value)) {
        MEMORY_APPEND(recording->runs, recording->n_runs, reading->value);
        done->n_runs = 1;
    }
    if (done->status == GB_OBSERVED_OK && done->n_runs == 0)
        done->status = GB_OBSERVED_FAILED;
    space_add(recording->space, values);
    return GB_OK;
}

/* ---- T4 ---- */

static int32_t take_time(struct reading *reading, const char *key, enum json_token token)
{
    if (text_equal(key, "runtimes"))
        return read_array(reading, token, key, take_run);
    if (text_equal(key, "compilation") || text_equal(key, "compilation_time"))
        return take_preparation(reading, key, token);
    return skip(reading, token);
}

static int32_t take_measurement(struct reading *reading, const char *key, enum json_token token)
{
    if (text_equal(key, "value") && token == JSON_NUMBER)
        reading->value = reading->json.number;
    return skip(reading, token);
}

/* The first one stands for the time where no single runs were recorded. */
static int32_t take_measurements(struct reading *reading, const char *key, enum json_token token)
{
    return isnan(reading->value) ? read_object(reading, token, key, take_measurement)
                                 : skip(reading, token);
}

static int32_t take_t4_member(struct reading *reading, const char *key, enum json_token token)
{
    double status = 0;
    if (text_equal(key, "configuration"))
        return read_object(reading, token, key, take_value);
    if (text_equal(key, "times") && token == JSON_OBJECT_BEGIN)
        return read_object(reading, token, key, take_time);
    if (text_equal(key, "measurements"))
        return read_array(reading, token, key, take_measurements);
    if (!text_equal(key, "invalidity"))
        return skip(reading, token);
    if (FIND_WORD(reading, "invalidity", statuses, &status) != GB_OK)
        return status_of(reading);
    current(reading)->status = (int32_t)status;
    return GB_OK;
}

static int32_t take_result(struct reading *reading, const char *key, enum json_token token)
{
    begin_case(reading);
    int32_t status = read_object(reading, token, key, take_t4_member);
    return status == GB_OK ? end_case(reading) : status;
}

static int32_t take_metadata(struct reading *reading, const char *key, enum json_token token)
{
    if (text_equal(key, "timeunit"))
        return FIND_WORD(reading, "unit of time", units, &reading->unit_ns);
    return skip(reading, token);
}

/* ---- Kernel Tuner ---- */

static int32_t take_key(struct reading *reading, const char *key, enum json_token token)
{
    if (token != JSON_STRING || reading->n_axes == AXES_MAX)
        return json_refuse(&reading->json, "'%s' has an invalid name, or more than %d", key,
                           AXES_MAX);
    add_axis(reading, text_get(&reading->json.text));
    return GB_OK;
}

/* `time` is a number, or a text that says what went wrong. */
static int32_t take_cached_time(struct reading *reading, enum json_token token)
{
    double status = 0;
    if (token == JSON_NUMBER)
        reading->value = reading->json.number;
    else if (token != JSON_STRING || FIND_WORD(reading, "kind of failure", statuses, &status))
        return json_refuse(&reading->json, "'time' is not a number or the name of a failure");
    current(reading)->status = (int32_t)status;
    return GB_OK;
}

static int32_t take_cache_member(struct reading *reading, const char *key, enum json_token token)
{
    if (find_axis(reading, key) < reading->n_axes)
        return take_value(reading, key, token);
    if (text_equal(key, "times"))
        return token == JSON_NULL ? GB_OK : read_array(reading, token, key, take_run);
    if (text_equal(key, "compile_time"))
        return take_preparation(reading, key, token);
    if (text_equal(key, "time") || (text_equal(key, "__error__") && token == JSON_STRING))
        return take_cached_time(reading, token);
    return skip(reading, token);
}

static int32_t take_cached(struct reading *reading, const char *key, enum json_token token)
{
    begin_case(reading);
    reading->has_axes = reading->n_axes > 0;
    int32_t status = read_object(reading, token, key, take_cache_member);
    return status == GB_OK ? end_case(reading) : status;
}

/* Kernel Tuner closes its file at the end of a run only: without that, what is there is whole but
 * for a case that has been begun. */
static int32_t read_cache(struct reading *reading, enum json_token token)
{
    uint64_t n_before = 0, n_runs = 0;
    if (reading->n_axes == 0)
        return json_refuse(&reading->json, "'cache' without 'tune_params_keys' before it");
    if (token != JSON_OBJECT_BEGIN)
        return json_refuse(&reading->json, "'cache' is not an object");
    while (json_read(&reading->json) == JSON_KEY) {
        n_before = reading->recording->n_cases;
        n_runs = reading->recording->n_runs;
        CLEANUP(free_pointer) char *key = memory_copy_text(text_get(&reading->json.text));
        if (take_cached(reading, key, json_read(&reading->json)) != GB_OK)
            break;
        n_before = reading->recording->n_cases;
        n_runs = reading->recording->n_runs;
    }
    if (!reading->json.is_cut || n_before == 0)
        return status_of(reading);
    reading->recording->n_cases = n_before;
    reading->recording->n_runs = n_runs;
    reading->is_partial = true;
    return GB_OK;
}

/* ---- the file ---- */

static int32_t take_top(struct reading *reading, const char *key, enum json_token token)
{
    if (text_equal(key, "metadata"))
        return read_object(reading, token, key, take_metadata);
    if (text_equal(key, "results"))
        return read_array(reading, token, key, take_result);
    if (text_equal(key, "tune_params_keys"))
        return read_array(reading, token, key, take_key);
    return text_equal(key, "cache") ? read_cache(reading, token) : skip(reading, token);
}

static int32_t read_file(struct reading *reading)
{
    int32_t status = read_object(reading, json_read(&reading->json), "the file", take_top);
    if (reading->is_partial)
        return GB_OK;
    if (status == GB_OK && reading->recording->n_cases == 0)
        return json_refuse(&reading->json, "the file has no cases: expected a space as T4 (with "
                                           "'results') or Kernel Tuner's cache (with 'cache')");
    return status;
}

static void scale(const struct recording *recording, double unit_ns)
{
    for (uint64_t i = 0; i < recording->n_runs; i++)
        recording->runs[i] *= unit_ns;
    for (uint64_t i = 0; i < recording->n_cases; i++)
        recording->cases[i].prepare_ns *= unit_ns;
}

int32_t recorded_read(const char *name, const char *json, size_t n, struct recording *ret,
                      struct gb_error *error)
{
    struct recording recording = {0};
    struct reading *reading = memory_allocate(sizeof *reading);
    reading->recording = &recording;
    reading->unit_ns = 1e6; /* of both formats, if they do not say */
    json_read_begin(&reading->json, name, json, n);
    int32_t status = read_file(reading);
    if (status != GB_OK && error)
        *error = reading->json.error;
    if (status == GB_OK)
        status = space_finish(recording.space, error);
    scale(&recording, reading->unit_ns);
    json_read_end(&reading->json);
    for (size_t i = 0; i < AXES_MAX; i++)
        text_free(&reading->values[i]);
    arena_free(&reading->arena);
    free(reading);
    if (status == GB_OK)
        *ret = recording;
    else
        recorded_free(&recording);
    return status;
}

double recorded_median(const struct recording *recording, uint64_t i)
{
    const struct recorded_case *recorded = &recording->cases[i];
    const uint64_t warmup = recorded->n_runs > 1, n = recorded->n_runs - warmup;
    if (recorded->status != GB_OBSERVED_OK)
        return NAN;
    CLEANUP(free_pointer) double *runs = memory_allocate(n * sizeof *runs);
    memcpy(runs, recording->runs + recorded->first + warmup, n * sizeof *runs);
    return sort_to_median(runs, n);
}

void recorded_free(struct recording *recording)
{
    space_free(recording->space);
    free(recording->cases);
    free(recording->runs);
    *recording = (struct recording){0};
}
