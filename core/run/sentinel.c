/* sentinel.c - see sentinel.h. */
#include "core/run/sentinel.h"

#include "core/base/host_clock.h"
#include "core/run/messages.h"
#include "core/store/record.h"

#include <math.h>

static const double most_share = 0.01, usual_cost_ns = 0.3e6;

static bool is_wanted(const struct case_state *state, double now_ns)
{
    const struct gb_device_ops *ops = state->device->ops;
    const struct sentinel *sentinel = state->device->sentinel;
    return state->bench_case->has_sentinel && state->bench_case->common.verify != VERIFY_JUDGE &&
           GB_HAS(ops, reference) && ops->reference &&
           sentinel->spent_ns + fmax(sentinel->cost_ns, usual_cost_ns) <=
               most_share * (now_ns - sentinel->begin_ns);
}

static void send_reading(struct case_state *state, uint32_t moment,
                         const struct gb_reference *reference)
{
    struct sentinel_record record = {.version = reference->version, .time_ns = reference->time_ns};
    utc_text(record.at);
    struct wire_writer *writer = link_begin(state->link, WIRE_SENTINEL);
    wire_put_u32(writer, moment);
    put_record(writer, WIRE_SENTINEL, &record);
    link_send(state->link);
}

int32_t case_sentinel(struct case_state *state, uint32_t moment)
{
    const struct open_device *device = state->device;
    struct sentinel *sentinel = device->sentinel;
    struct gb_reference reference = {.size = sizeof reference};
    const double begin_ns = session_clock_ns(device);
    if (!is_wanted(state, begin_ns))
        return GB_OK;
    link_phase(state->link, PHASE_SENTINEL);
    const int32_t status = device->ops->reference(device->device, &reference);
    if (status == GB_DEVICE_ERROR)
        return case_judge_device(state, "reference", status);
    *device->host->reason = 0;
    const double cost_ns = session_clock_ns(device) - begin_ns;
    sentinel->spent_ns += cost_ns;
    sentinel->cost_ns = fmax(sentinel->cost_ns, cost_ns);
    if (status == GB_OK && isfinite(reference.time_ns) && reference.time_ns > 0)
        send_reading(state, moment, &reference);
    return GB_OK;
}
