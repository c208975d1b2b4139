/* stopping_trial.c - see stopping_trial.h. */
#include "tests/stopping/stopping_trial.h"

#include <math.h>
#include <stdio.h>

const struct guards stopping_guards = {
    .min_samples = 10, .max_samples = 1000000000, .max_time_ns = 15e9};

static void hear_log(void *context, int32_t severity, const char *text)
{
    bool *has_failed = context;
    if (severity == GB_LOG_PLUGIN_BUG || severity == GB_LOG_ERROR) {
        fprintf(stderr, "stopping: policy: %s\n", text);
        *has_failed = true;
    }
}

static void hear_metric(void *context, const char *name, double value, const char *unit)
{
    (void)context, (void)name, (void)value, (void)unit;
}

static void hear_check(void *context, const char *name, const char *metric,
                       const struct verify_metric *measured, double tolerance, bool passed,
                       const char *text)
{
    (void)context, (void)name, (void)metric, (void)measured, (void)tolerance, (void)passed;
    (void)text;
}

struct trial {
    struct host *host;
    struct policy_run *run;
    double elapsed_ns;
    bool has_failed;
};

static void fail(struct trial *trial, const struct gb_error *error)
{
    fprintf(stderr, "stopping: %s\n", error->text);
    trial->has_failed = true;
}

static void begin(struct trial *trial, const struct stopping_policy *policy,
                  const struct guards *guards)
{
    struct host_sink sink = {
        .context = &trial->has_failed, .log = hear_log, .metric = hear_metric, .check = hear_check};
    struct gb_error error;
    *trial = (struct trial){.host = host_new(1, &sink, NULL, NULL)};
    if (policy_run_new(policy->plugin, policy->params, trial->host, guards, &trial->run, &error) !=
        GB_OK)
        fail(trial, &error);
}

static bool has_ended(const struct trial *trial)
{
    return trial->has_failed || policy_run_ended(trial->run);
}

static void feed(struct trial *trial, const struct gb_samples *samples)
{
    struct gb_error error;
    uint64_t taken = 0;
    if (samples->n == 0)
        return;
    if (policy_run_feed(trial->run, samples, &taken, &error) != GB_OK)
        fail(trial, &error);
    else if (taken > 0)
        trial->elapsed_ns = samples->elapsed_ns[taken - 1];
}

static struct stop finish(struct trial *trial)
{
    struct gb_estimate estimate = {.value_ns = NAN, .low_ns = NAN, .high_ns = NAN};
    struct gb_error error;
    if (!trial->has_failed && policy_run_report(trial->run, &estimate, &error) != GB_OK)
        fail(trial, &error);
    struct stop stop = {.n = estimate.n,
                        .verdict = estimate.verdict,
                        .n_modes = estimate.n_modes,
                        .elapsed_ns = trial->elapsed_ns,
                        .value_ns = estimate.value_ns,
                        .low_ns = estimate.low_ns,
                        .high_ns = estimate.high_ns,
                        .has_ended = has_ended(trial),
                        .has_failed = trial->has_failed};
    for (uint32_t i = 0; i < TRACE_MODES_MAX; i++)
        stop.modes_ns[i] = i < estimate.n_modes ? estimate.modes[i].median_ns : NAN;
    policy_run_free(trial->run);
    host_free(trial->host);
    return stop;
}

struct stop stopping_trial(const struct stopping_policy *policy, const struct guards *guards,
                           struct trace *trace, uint64_t batch)
{
    struct trial trial;
    begin(&trial, policy, guards);
    for (uint64_t taken = 0; !has_ended(&trial);) {
        uint64_t wanted = batch ? batch : policy_run_wanted(trial.run, 0);
        trace_extend(trace, taken + wanted);
        uint64_t n = batch ? batch : trace->n - taken;
        struct gb_samples part = trace_part(trace, taken, n);
        feed(&trial, &part);
        taken += n;
    }
    return finish(&trial);
}

struct stop stopping_trial_on(const struct stopping_policy *policy, const struct guards *guards,
                              const struct gb_samples *samples)
{
    struct trial trial;
    begin(&trial, policy, guards);
    if (!has_ended(&trial))
        feed(&trial, samples);
    return finish(&trial);
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
