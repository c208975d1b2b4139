/* policy_run.c - see policy_run.h. */
#include "core/run/policy_run.h"

#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t say(const struct policy_run *run, const char *what, int32_t status,
                   struct gb_error *error)
{
    const char *reason = run->host->reason;
    return error_set(error, status, "policy: %s%s%s", *reason ? reason : what,
                     *reason ? "" : " failed: ", *reason ? "" : status_words(status));
}

int32_t policy_run_ask(struct policy_run *run, struct gb_error *error)
{
    run->next = (struct gb_next){.size = sizeof run->next};
    int32_t status = run->ops->next(run->policy, &run->next);
    if (status != GB_OK)
        return say(run, "next", status, error);
    run->next.reason[sizeof run->next.reason - 1] = 0;
    if (run->next.decision != GB_MORE && run->next.decision != GB_DONE)
        run->next.decision = GB_GAVE_UP;
    return GB_OK;
}

/* An explicit number wins over a default. */
static void make_usual(struct guards *guards, uint32_t flags)
{
    const bool is_counted = flags & GB_POLICY_COUNTS;
    uint64_t min = is_counted ? 1 : USUAL_MIN_SAMPLES;
    uint64_t max = is_counted ? UINT64_MAX : USUAL_MAX_SAMPLES;
    if (guards->min_samples == 0)
        guards->min_samples = guards->max_samples && guards->max_samples < min ? guards->max_samples
                                                                               : min;
    if (guards->max_samples == 0)
        guards->max_samples = guards->min_samples > max ? guards->min_samples : max;
}

int32_t policy_run_new(const struct gb_plugin *plugin, const void *params, struct host *host,
                       const struct guards *guards, struct policy_run **ret, struct gb_error *error)
{
    struct policy_run *run = memory_allocate(sizeof *run);
    *run = (struct policy_run){.ops = plugin->ops, .host = host, .guards = *guards};
    make_usual(&run->guards, run->ops->flags);
    int32_t status = run->ops->create(&host->interface, params, &run->policy);
    if (status != GB_OK)
        say(run, "create", status, error);
    else
        status = policy_run_ask(run, error);
    if (status != GB_OK) {
        policy_run_free(run);
        return status;
    }
    *ret = run;
    return GB_OK;
}

static void end(struct policy_run *run, const char *format, const char *value)
{
    run->ended = true;
    snprintf(run->reason, sizeof run->reason, format, value);
}

/* The columns from sample `first` on, n of them. */
static struct gb_samples part_of(const struct gb_samples *samples, uint64_t first, uint64_t n)
{
    struct gb_samples part = *samples;
    part.n = n;
    part.time_ns += first;
    part.elapsed_ns += first;
    part.iterations += first;
    part.clock_hz = part.clock_hz ? part.clock_hz + first : NULL;
    part.throttle = part.throttle ? part.throttle + first : NULL;
    part.flags = part.flags ? part.flags + first : NULL;
    return part;
}

/* Is the policy to be asked after so many samples? One that is done is, once there are enough. */
static bool is_look(const struct policy_run *run, uint64_t count, double elapsed_ns)
{
    return run->next.decision == GB_MORE
               ? count >= run->next.n_samples && elapsed_ns >= run->next.elapsed_ns
               : count >= run->guards.min_samples;
}

static double time_limit_ns(const struct policy_run *run, uint64_t count)
{
    const struct guards *guards = &run->guards;
    bool is_undecided = count < guards->min_samples ||
                        (run->next.decision == GB_MORE && *run->next.reason);
    return is_undecided ? fmax(guards->max_time_ns, guards->max_undecided_ns) : guards->max_time_ns;
}

static void end_by_time(struct policy_run *run)
{
    char value[NUMBER_TEXT_MAX];
    double limit_ns = policy_run_time_limit(run);
    end(run, limit_ns > run->guards.max_time_ns ? "max_time_undecided %s" : "max_time %s",
        format_time(limit_ns, 3, value));
}

/* How many of the samples from `first` on bring it to the next look, or to a guard. */
static uint64_t until_look(const struct policy_run *run, const struct gb_samples *samples,
                           uint64_t first)
{
    uint64_t n = 0;
    while (first + n < samples->n) {
        double elapsed = samples->elapsed_ns[first + n];
        uint64_t count = run->count + ++n;
        if (is_look(run, count, elapsed) || count >= run->guards.max_samples ||
            elapsed >= time_limit_ns(run, count))
            break;
    }
    return n;
}

static void keep_guards(struct policy_run *run)
{
    char value[NUMBER_TEXT_MAX];
    if (run->next.decision != GB_MORE && run->count >= run->guards.min_samples) {
        end(run, "%s", run->next.reason);
    } else if (run->elapsed_ns >= policy_run_time_limit(run)) {
        end_by_time(run);
    } else if (run->count >= run->guards.max_samples) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)run->guards.max_samples);
        end(run, "max_samples %s", value);
    }
}

int32_t policy_run_feed(struct policy_run *run, const struct gb_samples *samples,
                        uint64_t *ret_taken, struct gb_error *error)
{
    uint64_t first = 0;
    while (!run->ended && first < samples->n) {
        uint64_t n = until_look(run, samples, first);
        struct gb_samples part = part_of(samples, first, n);
        int32_t status = run->ops->observe(run->policy, &part);
        if (status != GB_OK)
            return say(run, "observe", status, error);
        first += n;
        run->count += n;
        run->elapsed_ns = samples->elapsed_ns[first - 1];
        if (is_look(run, run->count, run->elapsed_ns)) {
            status = policy_run_ask(run, error);
            if (status != GB_OK)
                return status;
        }
        keep_guards(run);
    }
    *ret_taken = first;
    return GB_OK;
}

void policy_run_expire(struct policy_run *run)
{
    if (!run->ended)
        end_by_time(run);
}

double policy_run_time_limit(const struct policy_run *run)
{
    return time_limit_ns(run, run->count);
}

uint64_t policy_run_wanted(const struct policy_run *run, double cost_ns)
{
    uint64_t target = run->next.decision == GB_MORE ? run->next.n_samples : run->guards.min_samples;
    if (run->next.decision == GB_MORE && run->next.elapsed_ns > run->elapsed_ns && cost_ns > 0) {
        double more = ceil((run->next.elapsed_ns - run->elapsed_ns) / cost_ns);
        if (more < 1e15 && run->count + (uint64_t)more > target)
            target = run->count + (uint64_t)more;
    }
    /* A policy that looks at every sample must not cost a synchronization for each: some more are
     * measured ahead. */
    if (target < run->count + run->count / 8)
        target = run->count + run->count / 8;
    if (target > run->guards.max_samples)
        target = run->guards.max_samples;
    return target > run->count ? target - run->count : 1;
}

static bool has_sound_modes(const struct gb_estimate *estimate)
{
    bool is_sound = estimate->n_modes <= GB_MODES_MAX;
    for (uint32_t i = 0; is_sound && i < estimate->n_modes; i++) {
        const struct gb_mode *mode = &estimate->modes[i];
        is_sound = isfinite(mode->median_ns) && mode->weight >= 0 && mode->weight <= 1 &&
                   !(mode->low_ns > mode->high_ns);
    }
    return is_sound;
}

static void make_sound(struct policy_run *run, struct gb_estimate *estimate)
{
    const struct gb_host *host = &run->host->interface;
    estimate->statistic[sizeof estimate->statistic - 1] = 0;
    estimate->note[sizeof estimate->note - 1] = 0;
    estimate->n = run->count;
    bool known = estimate->verdict >= GB_VERDICT_NONE && estimate->verdict <= GB_VERDICT_GAVE_UP;
    if (!known || !has_sound_modes(estimate) || estimate->low_ns > estimate->high_ns) {
        host->log(host, GB_LOG_PLUGIN_BUG,
                  "the policy's report is invalid: verdict, modes or interval are not valid");
        estimate->verdict = known ? estimate->verdict : GB_VERDICT_GAVE_UP;
        estimate->n_modes = 0;
        estimate->low_ns = estimate->high_ns = NAN;
    }
}

int32_t policy_run_report(struct policy_run *run, struct gb_estimate *ret, struct gb_error *error)
{
    *ret = (struct gb_estimate){.size = sizeof *ret};
    int32_t status = run->ops->report(run->policy, ret);
    if (status != GB_OK)
        return say(run, "report", status, error);
    make_sound(run, ret);
    ret->low_ns -= fmax(run->error_ns, 0);
    ret->high_ns += fmax(run->error_ns, 0);
    return GB_OK;
}

void policy_run_free(struct policy_run *run)
{
    if (!run)
        return;
    if (run->policy && run->ops->destroy)
        run->ops->destroy(run->policy);
    free(run);
}
