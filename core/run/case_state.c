/* case_state.c - see case_state.h. */
#include "core/run/case_state.h"

#include "core/base/host_clock.h"

#include <math.h>
#include <stdio.h>

int32_t case_stop(struct case_state *state, int status, const char *format, ...)
{
    if (state->outcome->status != CASE_OK)
        return GB_FAILED;
    state->outcome->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->outcome->text, sizeof state->outcome->text, format, arguments);
    va_end(arguments);
    return GB_FAILED;
}

/* words: the plugin's own, may be empty. */
static int32_t judge(struct case_state *state, const char *function, int32_t status,
                     const char *words)
{
    if (status == GB_OK)
        return GB_OK;
    char without_words[128];
    snprintf(without_words, sizeof without_words, "%s: %s", function, status_words(status));
    const char *text = *words ? words : without_words;
    switch (status) {
    case GB_SKIPPED:
        return case_stop(state, CASE_SKIPPED, "%s", *words ? words : function);
    case GB_WRONG_RESULT:
        return case_stop(state, CASE_WRONG_RESULT, "%s", text);
    case GB_CANCELLED:
        return case_stop(state, host_cancelled() ? CASE_CANCELLED : CASE_FAILED, "%s", text);
    case GB_DEVICE_ERROR:
        state->outcome->is_poisoned = true;
        return case_stop(state, CASE_DEVICE_ERROR, "%s", text);
    default:
        return case_stop(state, CASE_FAILED, "%s", text);
    }
}

int32_t case_judge_bench(struct case_state *state, const char *function, int32_t status)
{
    return status == GB_DEVICE_ERROR ? case_judge_both(state, function, status)
                                     : judge(state, function, status, state->host->reason);
}

int32_t case_judge_device(struct case_state *state, const char *function, int32_t status)
{
    return judge(state, function, status, state->device->host->reason);
}

int32_t case_judge_both(struct case_state *state, const char *function, int32_t status)
{
    const char *words = state->host->reason;
    return judge(state, function, status, *words ? words : state->device->host->reason);
}

int32_t case_wrong(struct case_state *state, const char *where)
{
    snprintf(state->wrong, sizeof state->wrong, "%s (%s)", state->host->reason, where);
    *state->host->reason = 0;
    const int32_t verify = state->bench_case->common.verify;
    if (verify == VERIFY_AUTO)
        return GB_OK;
    state->host->is_muted = false;
    const struct gb_host *host = &state->host->interface;
    return host->checked(host, verify == VERIFY_JUDGE ? "judged" : "renewed", 0, state->wrong);
}

void case_keep_process(struct case_state *state)
{
    struct process_state *process = state->process;
    if (process && state->host->keeps) {
        process_state_take(process);
        state->outcome->before = process->size;
    }
    if (process && state->bench_case->common.verify == VERIFY_JUDGE) /* they end with the case */
        process_state_forget_files(process);
}

void case_end_phase(struct case_state *state, double *duration_ns)
{
    const double now_ns = host_clock_ns();
    *duration_ns += now_ns - state->phase_begin_ns - state->waited_ns;
    state->phase_begin_ns = now_ns;
    state->waited_ns = 0;
}

int32_t case_wait(struct case_state *state, const char *function)
{
    const struct open_device *device = state->device;
    return case_judge_device(state, function,
                             device->ops->queue_synchronize(device->device, device->queue));
}

int32_t case_telemetry(struct case_state *state, struct gb_telemetry *ret)
{
    const struct open_device *device = state->device;
    const struct gb_telemetry unknown = {.size = sizeof unknown,
                                         .clock_hz = NAN,
                                         .memory_clock_hz = NAN,
                                         .temperature_celsius = NAN,
                                         .power_watts = NAN,
                                         .energy_joules = NAN,
                                         .without_energy = ret->without_energy};
    *ret = unknown;
    link_phase(state->link, PHASE_TELEMETRY);
    int32_t status = device->ops->telemetry(device->device, ret);
    if (status == GB_DEVICE_ERROR)
        return case_judge_device(state, "telemetry", status);
    *device->host->reason = 0;
    if (status != GB_OK)
        *ret = unknown;
    ret->throttle_text[sizeof ret->throttle_text - 1] = 0;
    if (state->bench_case->common.verify == VERIFY_JUDGE && ret->n_others > 0)
        ret->n_others--; /* the judged process */
    return GB_OK;
}

/* ---- the range that a profiler is shown ---- */

int32_t case_profile_begin(struct case_state *state)
{
    const struct open_device *device = state->device;
    const char *name = state->bench_case->profile;
    int32_t status = GB_SKIPPED;
    if (!*name)
        return GB_OK;
    link_phase(state->link, PHASE_PROFILE);
    if (device->profile)
        status = device->profile->begin(device->device, name);
    if (status == GB_DEVICE_ERROR)
        return case_judge_device(state, "profile", status);
    const char *reason = device->profile ? device->host->reason
                                         : "this device has none for profilers";
    state->has_range = status == GB_OK;
    link_say(state->link, GB_LOG_WARNING,
             "measured with --profile: times under a profiler are unreliable%s%s",
             state->has_range ? "" : "; no range is marked: ",
             state->has_range ? ""
             : *reason        ? reason
                              : status_words(status));
    *device->host->reason = 0;
    return GB_OK;
}

int32_t case_profile_end(struct case_state *state)
{
    if (!state->has_range || state->outcome->is_poisoned)
        return GB_OK;
    link_phase(state->link, PHASE_PROFILE);
    return case_judge_device(state, "profile", state->device->profile->end(state->device->device));
}
