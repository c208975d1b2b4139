/* lane_worker.c - see worker.h: a case is built before its turn. */
#include "core/run/worker.h"

#include "core/run/messages.h"

#include <stdio.h>

struct order {
    struct gb_device_info device;
    struct fact *facts;
    uint32_t n_facts;
    struct bench_case bench_case;
    const char *record;
};

/* As lanes.c has put it: the device that it is for, and the case as WIRE_CASE has it. */
static void get_order(struct wire_reader *message, struct arena *arena, struct order *ret)
{
    const char *label;
    *ret = (struct order){.device.size = sizeof ret->device};
    wire_get_fields(message, arena, device_info_fields, &ret->device);
    ret->n_facts = wire_get_count(message, wire_fields_bytes(fact_fields));
    ret->facts = ARENA_ARRAY(arena, struct fact, ret->n_facts + 1);
    for (uint32_t i = 0; i < ret->n_facts; i++)
        wire_get_fields(message, arena, fact_fields, &ret->facts[i]);
    get_case(message, arena, &ret->bench_case, &label, &ret->record);
}

/* The plugin's words count; the error's are of a module that cannot be loaded. */
static int32_t build(struct worker *worker, struct host *host, const struct order *order,
                     struct arena *arena, struct gb_error *error)
{
    struct worker_link *link = &worker->link;
    const struct bench_case *bench_case = &order->bench_case;
    const struct plugin_settings settings = {.info = bench_case->info,
                                             .settings = bench_case->settings,
                                             .n_settings = bench_case->n_settings};
    const struct gb_plugin *plugin = NULL;
    void *params = NULL;
    link_phase(link, PHASE_LOAD);
    int32_t status = session_prepare(worker->session, &settings, arena, &plugin, &params, error);
    if (status != GB_OK)
        return status;
    link_send_fields(
        link, WIRE_BUILD, build_fields,
        &(struct build){plugin->kind, session_build(worker->session, bench_case->info)});
    const struct gb_bench_ops *ops = plugin->ops;
    link_phase(link, PHASE_BUILD);
    status = GB_HAS(ops, build) && ops->build ? ops->build(&host->interface, params) : GB_OK;
    if (status != GB_OK && *host->reason)
        error_set(error, status, "%s", host->reason);
    else if (status != GB_OK)
        error_set(error, status, "build: %s", status_words(status));
    return status;
}

void lane_serve(struct worker *worker, struct wire_reader *message, struct arena *arena)
{
    struct worker_link *link = &worker->link;
    struct order order;
    struct gb_error error = {0};
    get_order(message, arena, &order);
    const struct host_device device = {.info = &order.device};
    struct host *host = host_new(order.bench_case.seed, &worker->link.sink, &device, NULL);
    host->interface.folder = order.bench_case.folder;
    host->facts = order.facts;
    host->n_facts = order.n_facts;
    const int32_t status = build(worker, host, &order, arena, &error);
    host_free(host);
    fflush(NULL); /* what the plugin printed belongs to this case */
    if (status == GB_OK) {
        link_begin(link, WIRE_BUILT);
        link_send(link);
    } else {
        const int ended = status == GB_SKIPPED ? CASE_SKIPPED : CASE_FAILED;
        link_send_fields(link, WIRE_CASE_END, case_end_fields,
                         &(struct case_end){order.record, ended, error.text, false, ""});
    }
    link_phase(link, PHASE_IDLE);
}
