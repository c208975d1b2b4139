/* stopping_trial.c - see stopping_trial.h. */
#include "tests/stopping/stopping_trial.h"

#include "core/base/text.h"
#include "core/config/option_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- policies --- */

static const double PRECISION = 0.01; /* of those that promise none */

/* The program stands two folders below the top of a build tree, or in the bundle. */
static void find_folders(struct arena *arena, struct words *ret)
{
    char *folder = arena_text(arena, program_path());
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    module_folders(NULL, 0, NULL, NULL, arena, ret);
    module_folders_beside(arena_printf(arena, "%s/../../gbrun", folder), arena, ret);
}

/* The latest of the folders' modules that has it: a worker looks in the same order. */
static int32_t find(const char *id, struct arena *arena, const struct gb_plugin **ret,
                    struct gb_error *error)
{
    struct words folders, files;
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
    host->interface.share = policy->share;
    host->interface.load_ns = trace ? trace->load_ns : 0;
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
        digest = hash_number(digest, bytes[i]);
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

/* --- looks: a policy is put inside another one, which passes every call on and keeps its time, so
 * that all goes the way of every other trial --- */

enum { LOOKS_MAX = 4096, REPEATS = 5, BATCH = 4096 };

/* The policy inside, and its calls. */
static struct {
    const struct stopping_policy *policy;
    const struct gb_policy_ops *ops;
    void *object;
    uint64_t n, n_looks;
    double last_ns;  /* it took in the last sample before the look */
    double total_ns; /* of all calls */
    double report_ns;
    struct {
        uint64_t n;
        double ns;
    } looks[LOOKS_MAX];
} inside;

/* Of this thread alone: what else the machine does is not the policy's. */
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double call_ns(double begin_ns)
{
    const double ns = now_ns() - begin_ns;
    inside.total_ns += ns;
    return ns;
}

/* The least of the repeats; a policy that looks at every sample fills the table, and the rest is
 * not kept. */
static void keep(double ns)
{
    if (inside.n_looks == LOOKS_MAX)
        return;
    const uint64_t i = inside.n_looks++;
    inside.looks[i].ns = inside.looks[i].n == 0 ? ns : fmin(ns, inside.looks[i].ns);
    inside.looks[i].n = inside.n;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    (void)params;
    *ret_policy = &inside;
    return inside.ops->create(host, inside.policy->params, &inside.object);
}

/* In batches, which count like looks, and the last sample apart from the others: what is put off
 * until a look is due, or done at its last sample, is part of the look. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    (void)object;
    struct gb_samples part = *samples;
    int32_t status = GB_OK;
    for (uint64_t left = samples->n; left > 0 && status == GB_OK; left -= part.n) {
        const uint64_t first = samples->n - left;
        part.n = left == 1 ? 1 : left - 1 < BATCH ? left - 1 : BATCH;
        part.time_ns = samples->time_ns + first;
        part.elapsed_ns = samples->elapsed_ns + first;
        part.iterations = samples->iterations + first;
        part.flags = samples->flags + first;
        double begin_ns = now_ns();
        status = inside.ops->observe(inside.object, &part);
        inside.last_ns = call_ns(begin_ns);
        inside.n += part.n;
        if (left > 1)
            keep(inside.last_ns);
    }
    return status;
}

static int32_t next(void *object, struct gb_next *next)
{
    (void)object;
    double begin_ns = now_ns();
    int32_t status = inside.ops->next(inside.object, next);
    keep(call_ns(begin_ns) + inside.last_ns);
    inside.last_ns = 0;
    return status;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    (void)object;
    double begin_ns = now_ns();
    int32_t status = inside.ops->report(inside.object, estimate);
    inside.report_ns = fmin(call_ns(begin_ns), inside.report_ns);
    return status;
}

static void destroy(void *object)
{
    if (object && inside.ops->destroy)
        inside.ops->destroy(inside.object);
}

/* Traces on which the precision is out of reach, or nearly so: slow correlation, many different
 * values, few of them, an order that costs some ways of selecting dear. */
#define SLOW .noise = trace_autoregressive, .noise_parameters = {0.9999, 0.1}
static const struct trace_family hard_families[] = {
    {.name = "slow", SLOW},
    {.name = "slow on a timer", .tick_ns = 1000, SLOW},
    {.name = "slow on a dithered timer", .flags = TRACE_DITHERED, .tick_ns = 1000, SLOW},
    {.name = "ascending", .level = trace_ramp, .level_parameters = {-0.9, 1e11}},
    {.name = "regimes",
     .noise = trace_normal_noise,
     .noise_parameters = {0.02},
     .level = trace_regimes,
     .level_parameters = {0.3, 1e9, 1e9}},
};

struct worst_look stopping_looks(const struct stopping_policy *policy, uint64_t max_samples,
                                 uint64_t seed)
{
    static const struct gb_policy_ops ops = {sizeof ops, 0, create, observe, next, report, destroy};
    struct gb_plugin plugin = *policy->plugin;
    const struct stopping_policy outside = {.plugin = &plugin};
    struct guards guards = stopping_guards;
    struct worst_look worst = {0};
    struct trace trace = {0};
    plugin.ops = &ops;
    guards.max_samples = max_samples;
    for (size_t i = 0; i < sizeof hard_families / sizeof hard_families[0]; i++) {
        const struct trace_setting setting = {&hard_families[i], 1e4, 3e3};
        trace_begin(&trace, &setting, seed, 0);
        double a_sample_ns = INFINITY;
        memset(&inside, 0, sizeof inside);
        inside.policy = policy;
        inside.ops = policy->plugin->ops;
        inside.report_ns = INFINITY;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            inside.n = inside.n_looks = 0;
            inside.total_ns = inside.last_ns = 0;
            stopping_trial(&outside, &guards, NULL, &trace, 0);
            a_sample_ns = fmin(a_sample_ns, inside.total_ns / (double)inside.n);
        }
        worst.a_sample_ns = fmax(worst.a_sample_ns, a_sample_ns);
        worst.report_ns = fmax(worst.report_ns, inside.report_ns);
        worst.n_looks += inside.n_looks;
        for (uint64_t j = 0; j < inside.n_looks; j++) {
            if (inside.looks[j].ns > worst.ns) {
                worst.ns = inside.looks[j].ns;
                worst.n = inside.looks[j].n;
                worst.family = hard_families[i].name;
            }
        }
    }
    trace_free(&trace);
    return worst;
}
