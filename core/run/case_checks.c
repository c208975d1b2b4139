/*
 * case_checks.c - see case_state.h: samples on renewed inputs and outputs, whose results are
 * verified. They find what a verification at the end cannot: a result that is kept from an earlier
 * call, calls that do nothing, work that is not done when run has returned or its queue is empty.
 */
#include "core/run/strict.h"

#include <stdio.h>

int32_t case_checks_begin(struct case_state *state)
{
    CLEANUP(text_free) struct text why = {0};
    const struct bench_case *bench_case = state->bench_case;
    const struct common_params *common = &bench_case->common;
    const bool renews = GB_HAS(state->ops, refresh) && state->ops->refresh && state->ops->verify;
    if (common->verify == VERIFY_JUDGE)
        return GB_OK;
    if (!renews && renewal_refused(common, bench_case->info->plugin.id, &why))
        return case_stop(state, CASE_FAILED, "%s", text_get(&why));
    state->has_no_checks = !renews;
    if (common->verify == VERIFY_STRICT)
        strict_begin(state);
    return GB_OK;
}

bool case_can_renew(const struct case_state *state)
{
    return state->bench_case->common.verify == VERIFY_AUTO && !state->has_no_checks &&
           !*state->wrong;
}

int32_t case_renew(struct case_state *state, uint64_t set)
{
    int32_t status;
    link_phase(state->link, PHASE_VERIFY);
    CALL_BENCH(state, status, state->ops->refresh(state->bench, state->device->queue, set));
    state->has_no_checks |= status == GB_SKIPPED;
    if (status == GB_SKIPPED) {
        *state->host->reason = 0;
        return GB_OK;
    }
    return case_judge_bench(state, "refresh", status) == GB_OK ? case_wait(state, "refresh")
                                                               : GB_FAILED;
}

int32_t case_call(struct case_state *state, uint64_t iterations)
{
    const struct open_device *device = state->device;
    int32_t status = GB_OK;
    state->host->interface.iterations = iterations;
    if (state->ops->reset)
        CALL_BENCH(state, status, state->ops->reset(state->bench, device->queue));
    if (status == GB_OK)
        CALL_BENCH(state, status, state->ops->run(state->bench, device->queue, iterations));
    return case_judge_bench(state, "run", status) == GB_OK ? case_wait(state, "run") : GB_FAILED;
}

int32_t case_check(struct case_state *state)
{
    char where[64];
    int32_t status;
    link_phase(state->link, PHASE_VERIFY);
    state->n_checked++;
    state->host->is_muted = true;
    CALL_BENCH(state, status, state->ops->verify(state->bench, state->device->queue));
    state->host->is_muted = false;
    snprintf(where, sizeof where, "sample %llu on renewed inputs and outputs",
             (unsigned long long)state->n_checked);
    if (status == GB_WRONG_RESULT)
        status = case_wrong(state, where);
    return case_judge_bench(state, "verify", status);
}

void case_checks_end(struct case_state *state)
{
    const struct gb_host *host = &state->host->interface;
    if (state->bench_case->common.verify != VERIFY_AUTO || state->n_checked == 0)
        return;
    link_metric(state->link, "checked_calls", (double)state->n_checked + 1, "1");
    if (*state->wrong && state->outcome->status == CASE_OK)
        case_judge_bench(state, "verify", host->checked(host, "renewed", 0, state->wrong));
}
