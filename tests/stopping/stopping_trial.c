/* stopping_trial.c - see stopping_trial.h. */
#include "tests/stopping/stopping_trial.h"

#include "core/config/option_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- policies --- */

static const double PRECISION = 0.01; /* of those that promise none */

/* The program stands two folders below the top of a build tree, or in the bundle. */
static void find_folders(struct arena *arena, struct path_list *ret)
{
    char *folder = arena_text(arena, program_path());
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    module_folders(".", NULL, 0, arena, ret);
    module_folders_beside(arena_printf(arena, "%s/../../gbrun", folder), arena, ret);
}

/* The latest of the folders' modules that has it: a worker looks in the same order. */
static int32_t find(const char *id, struct arena *arena, const struct gb_plugin **ret,
                    struct gb_error *error)
{
    struct path_list folders, files;
    find_folders(arena, &folders);
    module_files(&folders, arena, &files);
    for (size_t i = 0; i < files.n; i++) {
        struct module module;
        if (!module_file_names(files.items[i], GB_PLUGIN_POLICY, id))
            continue;
        int32_t status = module_load(files.items[i], false, arena, &module, error);
        *ret = status == GB_OK ? module_find(&module, GB_PLUGIN_POLICY, id) : NULL;
        if (status != GB_OK || *ret)
            return status;
    }
    return error_set(error, GB_NOT_FOUND, "policy \"%s\": no module of that name in %zu folders",
                     id, folders.n);
}

int32_t stopping_policy_load(const char *text, struct arena *arena, struct stopping_policy *ret,
                             struct gb_error *error)
{
    char *rest = NULL, *id = strtok_r(arena_text(arena, text), " ", &rest);
    struct setting *settings = NULL;
    size_t n = 0;
    if (!id)
        return error_set(error, GB_INVALID, "a policy has a name, as in \"steady precision=1%%\"");
    for (char *word; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        char *equal = strchr(word, '=');
        if (equal)
            *equal = 0;
        ARENA_APPEND(arena, settings, n,
                     (struct setting){.key = word, .text = equal ? equal + 1 : "yes"});
    }
    *ret = (struct stopping_policy){.text = arena_text(arena, text), .precision = PRECISION};
    int32_t status = find(id, arena, &ret->plugin, error);
    if (status != GB_OK)
        return status;
    struct option_table options = option_table_of(ret->plugin);
    void *params = arena_allocate(arena, ret->plugin->params_size + 1);
    status = option_fill(options, settings, n, params, ret->plugin->params_size, arena, error);
    if (status != GB_OK)
        return error_prefix(error, "policy \"%s\": ", text);
    ret->params = params;
    const struct gb_option *precision = option_find(options, "precision", NULL);
    if (precision && precision->type == GB_TYPE_FLOAT)
        memcpy(&ret->precision, (const char *)params + precision->offset, sizeof ret->precision);
    return GB_OK;
}

/* --- trials --- */

const struct guards stopping_guards = {
    .min_samples = 10, .max_samples = 1000000000, .max_time_ns = 15e9};

static void hear(void *context, uint32_t type, const void *record)
{
    bool *has_failed = context;
    const struct message_record *message = type == WIRE_LOG ? record : NULL;
    if (message && (message->severity == GB_LOG_PLUGIN_BUG || message->severity == GB_LOG_ERROR)) {
        fprintf(stderr, "stopping: policy: %s\n", message->text);
        *has_failed = true;
    }
}

struct stop stopping_trial(const struct stopping_policy *policy, const struct guards *guards,
                           const struct gb_samples *samples, struct trace *trace, uint64_t batch)
{
    struct stop stop = {0};
    struct host_sink sink = {&stop.has_failed, hear};
    struct host *host = host_new(1, &sink, NULL, NULL);
    struct gb_estimate estimate = {.value_ns = NAN, .low_ns = NAN, .high_ns = NAN};
    struct gb_error error;
    struct policy_run *run = NULL;
    uint64_t given = 0;
    int32_t status = policy_run_new(policy->plugin, policy->params, host, guards, &run, &error);
    while (status == GB_OK && !stop.has_failed && !run->ended && (!samples || given < samples->n)) {
        struct gb_samples part;
        uint64_t taken = 0;
        if (samples) {
            part = *samples;
        } else {
            uint64_t n = batch ? batch : policy_run_wanted(run, 0);
            trace_extend(trace, given + n);
            part = trace_part(trace, given, batch ? n : trace->n - given);
        }
        status = policy_run_feed(run, &part, &taken, &error);
        if (status == GB_OK && taken > 0)
            stop.elapsed_ns = part.elapsed_ns[taken - 1];
        given += part.n;
    }
    stop.has_ended = status == GB_OK && !stop.has_failed && run->ended;
    if (status == GB_OK && !stop.has_failed)
        status = policy_run_report(run, &estimate, &error);
    if (status != GB_OK)
        fprintf(stderr, "stopping: %s\n", error.text);
    stop.has_failed = stop.has_failed || status != GB_OK;
    stop.has_ended = stop.has_ended || stop.has_failed;
    stop.n = estimate.n;
    stop.verdict = estimate.verdict;
    stop.n_modes = estimate.n_modes;
    stop.value_ns = estimate.value_ns;
    stop.low_ns = estimate.low_ns;
    stop.high_ns = estimate.high_ns;
    for (uint32_t i = 0; i < TRACE_MODES_MAX; i++)
        stop.modes_ns[i] = i < estimate.n_modes ? estimate.modes[i].median_ns : NAN;
    policy_run_free(run);
    host_free(host);
    return stop;
}

static double error_of_modes(const struct stop *stop, const double *modes_ns)
{
    double worst = 0;
    for (int i = 0; i < TRACE_MODES_MAX && modes_ns[i] > 0; i++) {
        double nearest = INFINITY;
        for (uint32_t j = 0; j < stop->n_modes && j < TRACE_MODES_MAX; j++)
            nearest = fmin(nearest, fabs(stop->modes_ns[j] / modes_ns[i] - 1));
        worst = fmax(worst, nearest);
    }
    return worst;
}

double stop_error(const struct stop *stop, double median_ns, const double *modes_ns)
{
    if (stop->verdict == GB_VERDICT_MULTIMODAL && modes_ns && modes_ns[0] > 0)
        return error_of_modes(stop, modes_ns);
    return fabs(stop->value_ns / median_ns - 1);
}

bool stop_is_false(const struct stop *stop, double precision, double error)
{
    bool guaranteed = stop->verdict == GB_VERDICT_CERTIFIED ||
                      stop->verdict == GB_VERDICT_MULTIMODAL;
    return guaranteed && !(error <= precision);
}

bool stop_covers(const struct stop *stop, double median_ns, double wider_ns)
{
    return stop->low_ns - wider_ns <= median_ns && median_ns <= stop->high_ns + wider_ns;
}

static uint64_t add_bits(uint64_t digest, const void *data, size_t n)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ bytes[i]) * 1099511628211u; /* FNV-1a */
    return digest;
}

uint64_t stop_digest(uint64_t digest, const struct stop *stop, bool with_estimate)
{
    digest = add_bits(digest, &stop->n, sizeof stop->n);
    digest = add_bits(digest, &stop->verdict, sizeof stop->verdict);
    digest = add_bits(digest, &stop->n_modes, sizeof stop->n_modes);
    if (!with_estimate)
        return digest;
    const double values[] = {stop->value_ns, stop->low_ns, stop->high_ns};
    return add_bits(digest, values, sizeof values);
}
