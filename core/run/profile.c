/* profile.c - see profile.h. */
#include "core/run/profile.h"

#include <stdio.h>

int32_t case_profile_begin(struct case_state *state)
{
    const struct open_device *device = state->device;
    const char *name = state->bench_case->profile;
    char text[512];
    int32_t status = GB_SKIPPED;
    if (!*name)
        return GB_OK;
    link_phase(state->link, PHASE_PROFILE);
    if (device->profile)
        status = device->profile->begin(device->device, name);
    if (status == GB_DEVICE_ERROR)
        return case_judge_device(state, "profile", status);
    const char *reason = device->profile ? host_reason(device->host)
                                         : "this device has none for profilers";
    state->has_range = status == GB_OK;
    snprintf(text, sizeof text,
             "measured with --profile: times under a profiler are not to be trusted%s%s",
             state->has_range ? "" : "; no range is marked: ",
             state->has_range ? ""
             : *reason        ? reason
                              : status_words(status));
    state->sink->log(state->sink->context, GB_LOG_WARNING, text);
    host_clear_reason(device->host);
    return GB_OK;
}

int32_t case_profile_end(struct case_state *state)
{
    if (!state->has_range || state->outcome->is_poisoned)
        return GB_OK;
    link_phase(state->link, PHASE_PROFILE);
    return case_judge_device(state, "profile", state->device->profile->end(state->device->device));
}
