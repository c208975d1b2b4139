/*
 * case_checks.c - see case_state.h: calls of run that are no samples, on renewed inputs and
 * outputs, whose results are verified. They find what a verification at the end cannot: a result
 * that is kept from an earlier call, calls that do nothing, work that is not done when run has
 * returned or its queue is empty.
 */
#include "core/base/host_clock.h"
#include "core/base/random.h"
#include "core/run/case_state.h"

#include <math.h>
#include <stdio.h>

enum { CALLS_AT_ONCE = 2 /* one of each two that follow each other is seen to do nothing */ };
enum { MOMENTS = 3, CALLS_AFTER_MOST = 4, INPUTS_DEFAULT = 2 };
/* What `auto` may cost: a share of the samples' time, or as much as is not noticed. */
static const double share_of_time = 0.1;
static const double unnoticed_ns = 5e6;

static bool can_renew(const struct case_state *state)
{
    return GB_HAS(state->ops, refresh) && state->ops->refresh && state->ops->verify &&
           !state->has_no_checks;
}

int32_t case_checks_begin(struct case_state *state)
{
    CLEANUP(text_free) struct text why = {0};
    const struct bench_case *bench_case = state->bench_case;
    if (can_renew(state) ||
        !renewal_refused(&bench_case->common, bench_case->info->plugin.id, &why))
        return GB_OK;
    return case_stop(state, CASE_FAILED, "%s", text_get(&why));
}

/* Other inputs than before, in turn, if there are several sets. */
static int32_t renew(struct case_state *state)
{
    const int64_t asked = state->bench_case->common.inputs;
    int32_t status;
    state->input_set = (state->input_set + 1) % (uint64_t)(asked > 0 ? asked : INPUTS_DEFAULT);
    CALL_BENCH(state, status,
               state->ops->refresh(state->bench, state->device->queue, state->input_set));
    state->has_no_checks = status == GB_SKIPPED;
    if (status == GB_SKIPPED && state->bench_case->common.verify == VERIFY_SAMPLES)
        return case_stop(state, CASE_FAILED,
                         "verify = samples: nothing of this case is compared with anything: "
                         "expected verify = end");
    if (status == GB_SKIPPED)
        return GB_SKIPPED;
    if (case_judge_bench(state, "refresh", status) != GB_OK ||
        case_wait(state, "refresh") != GB_OK || !state->ops->reset)
        return state->outcome->status == CASE_OK ? GB_OK : GB_FAILED;
    CALL_BENCH(state, status, state->ops->reset(state->bench, state->device->queue));
    return case_judge_bench(state, "reset", status) == GB_OK ? case_wait(state, "reset")
                                                             : GB_FAILED;
}

/* What was wrong is kept as a check of its own: those of `verify` are of the case's last call. */
static int32_t report(struct case_state *state, int32_t status)
{
    char text[HOST_TEXT_MAX + 64];
    const struct gb_host *host = &state->host->interface;
    if (status != GB_WRONG_RESULT)
        return case_judge_bench(state, "verify", status);
    snprintf(text, sizeof text, "%s (call %llu on renewed inputs and outputs)", state->host->reason,
             (unsigned long long)state->n_checked);
    *state->host->reason = 0;
    return case_judge_bench(state, "verify", host->checked(host, "renewed", 0, text));
}

static int32_t check_call(struct case_state *state, uint64_t iterations)
{
    const struct gb_queue *queue = state->device->queue;
    int32_t status;
    link_phase(state->link, PHASE_VERIFY);
    state->host->interface.iterations = iterations;
    const int32_t renewed = renew(state);
    if (renewed != GB_OK)
        return renewed == GB_SKIPPED ? GB_OK : GB_FAILED;
    state->n_checked++;
    case_threads_run(state, iterations, &status);
    if (case_judge_bench(state, "run", status) != GB_OK || case_wait(state, "run") != GB_OK)
        return GB_FAILED;
    state->host->is_muted = true;
    CALL_BENCH(state, status, state->ops->verify(state->bench, queue));
    state->host->is_muted = false;
    return report(state, status);
}

static int32_t check_calls(struct case_state *state, uint64_t iterations, uint64_t n)
{
    int32_t status = GB_OK;
    for (uint64_t i = 0; i < n && status == GB_OK && can_renew(state) && !host_cancelled(); i++)
        status = check_call(state, iterations);
    return status;
}

int32_t case_check_between(struct case_state *state, uint64_t iterations, uint64_t n_batches)
{
    const uint64_t chance = random_bits((uint64_t)host_clock_ns(), 0, n_batches);
    if (state->bench_case->common.verify != VERIFY_SAMPLES || state->n_moments == MOMENTS ||
        n_batches < state->next_check)
        return GB_OK;
    /* Further and further apart, as it is not known how many there will be. */
    state->next_check = n_batches + 1 + chance % (2 * n_batches + 2);
    state->n_moments++;
    return check_calls(state, iterations, CALLS_AT_ONCE);
}

int32_t case_check_after(struct case_state *state, double verify_ns)
{
    const double call_ns = verify_ns + state->sample_ns;
    const double most_ns = fmax(share_of_time * state->sampling_ns, unnoticed_ns);
    const double affordable = most_ns / fmax(call_ns, 1);
    const int32_t verify = state->bench_case->common.verify;
    uint64_t n = CALLS_AFTER_MOST;
    if (!can_renew(state) || verify == VERIFY_END)
        return GB_OK;
    if (verify == VERIFY_AUTO && affordable < (double)n)
        n = affordable < CALLS_AT_ONCE ? 0 : (uint64_t)affordable;
    const int32_t status = check_calls(state, state->iterations, n);
    if (state->n_checked > 0)
        link_metric(state->link, "checked_calls", (double)state->n_checked, "1");
    return status;
}
