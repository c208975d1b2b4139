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
    return state->bench_case->common.verify == VERIFY_AUTO && !state->has_no_checks;
}

int32_t case_renew(struct case_state *state, uint64_t set)
{
    int32_t status;
    link_phase(state->link, PHASE_VERIFY);
    CALL_BENCH(state, status, state->ops->refresh(state->bench, state->device->queue, set));
    state->has_no_checks = status == GB_SKIPPED;
    if (status == GB_SKIPPED) {
        *state->host->reason = 0;
        return GB_OK;
    }
    return case_judge_bench(state, "refresh", status) == GB_OK ? case_wait(state, "refresh")
                                                               : GB_FAILED;
}

/* What was wrong is kept as a check of its own: those of `verify` are of the case's last call. */
int32_t case_check(struct case_state *state)
{
    char text[HOST_TEXT_MAX + 64];
    const struct gb_host *host = &state->host->interface;
    int32_t status;
    link_phase(state->link, PHASE_VERIFY);
    state->n_checked++;
    state->host->is_muted = true;
    CALL_BENCH(state, status, state->ops->verify(state->bench, state->device->queue));
    state->host->is_muted = false;
    if (status != GB_WRONG_RESULT)
        return case_judge_bench(state, "verify", status);
    snprintf(text, sizeof text, "%s (sample %llu on renewed inputs and outputs)",
             state->host->reason, (unsigned long long)state->n_checked);
    *state->host->reason = 0;
    return case_judge_bench(state, "verify", host->checked(host, "renewed", 0, text));
}
