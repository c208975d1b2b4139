/* probe_devices.c - see probe.h: device plugins say which devices there are, what is noisy about
 * them and what they can count. */
#include "core/run/probe.h"
#include "core/run/probe_worker.h"

enum { FACTS_MAX = 200, FINDINGS_MAX = 1000, COUNTERS_MAX = 200000 };

static int32_t ask(struct probe *probe, uint32_t question, const struct plugin_settings *settings,
                   struct gb_error *error)
{
    int32_t status = probe_begin(probe, question, settings, error);
    if (status == GB_OK)
        probe_listen(probe);
    return status;
}

/* ---- which there are ---- */

struct search {
    struct device_list *devices;
    struct known_device next; /* the device that facts are about */
};

static int32_t take_device(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    struct search *search = probe->context;
    struct known_device *next = &search->next;
    if (type == WIRE_FACT) {
        struct fact fact;
        wire_get_fields(message, probe->arena, fact_fields, &fact);
        if (next->n_facts == FACTS_MAX)
            return GB_CORRUPT;
        if (wire_complete(message) && *fact.name)
            ARENA_APPEND(probe->arena, next->facts, next->n_facts, fact);
    } else if (type == WIRE_DEVICE) {
        next->info = (struct gb_device_info){.size = sizeof next->info};
        wire_get_fields(message, NULL, device_info_fields, &next->info);
        if (wire_complete(message))
            ARENA_APPEND(probe->arena, search->devices->items, search->devices->n, *next);
        next->facts = NULL;
        next->n_facts = 0;
    }
    return GB_OK;
}

int32_t devices_find(const struct plugin_settings *settings, size_t n, size_t n_auto,
                     struct arena *arena, struct device_list *ret, struct spare_worker *ret_spare,
                     struct gb_error *error)
{
    struct search search = {.devices = ret};
    struct probe probe = {
        .arena = arena, .take = take_device, .context = &search, .last = WIRE_DEVICES_END};
    *ret = (struct device_list){.absent = ARENA_ARRAY(arena, struct absent_device, n)};
    if (ret_spare)
        *ret_spare = (struct spare_worker){0};
    for (size_t i = 0; i < n; i++) {
        search.next = (struct known_device){.settings = &settings[i], .is_auto = i < n_auto};
        int32_t status = ask(&probe, WIRE_DEVICES, &settings[i], error);
        if (ret_spare && !ret_spare->process.pid && probe.is_complete && ret->n > 0) {
            probe_keep(&probe, &ret_spare->process);
            ret_spare->settings = &settings[i];
        }
        probe_end(&probe);
        if (status != GB_OK)
            return error->status;
        if (*probe.outcome.words)
            ret->absent[ret->n_absent++] = (struct absent_device){&settings[i], i < n_auto,
                                                                  probe.outcome.words};
    }
    return GB_OK;
}

/* ---- what is noisy about them ---- */

struct inquiry {
    struct examination *examination;
    size_t n_findings; /* of this plugin */
};

/* Findings of one device come one after the other. */
static void add_finding(struct probe *probe, const struct device_finding *found)
{
    struct examination *examination = ((struct inquiry *)probe->context)->examination;
    struct examined_device *last = examination->n ? &examination->devices[examination->n - 1]
                                                  : NULL;
    if (!last || !text_equal(last->name, found->device)) {
        ARENA_APPEND(probe->arena, examination->devices, examination->n,
                     (struct examined_device){.name = found->device});
        last = &examination->devices[examination->n - 1];
    }
    ARENA_APPEND(probe->arena, last->findings, last->n, found->finding);
}

static int32_t take_finding(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    struct inquiry *inquiry = probe->context;
    if (type != WIRE_FINDING)
        return GB_OK;
    struct device_finding found;
    if (inquiry->n_findings++ == FINDINGS_MAX)
        return GB_CORRUPT;
    wire_get_fields(message, probe->arena, finding_fields, &found);
    if (wire_complete(message))
        add_finding(probe, &found);
    return GB_OK;
}

int32_t devices_examine(const struct plugin_settings *settings, size_t n, struct arena *arena,
                        struct examination *ret, struct gb_error *error)
{
    struct inquiry inquiry = {.examination = ret};
    struct probe probe = {.arena = arena,
                          .take = take_finding,
                          .context = &inquiry,
                          .restarts = WIRE_FINDING,
                          .last = WIRE_EXAMINE_END};
    *ret = (struct examination){.unexamined = ARENA_ARRAY(arena, struct unexamined, n)};
    for (size_t i = 0; i < n; i++) {
        inquiry.n_findings = 0;
        int32_t status = ask(&probe, WIRE_EXAMINE, &settings[i], error);
        probe_end(&probe);
        if (status != GB_OK)
            return error->status;
        if (*probe.outcome.words)
            ret->unexamined[ret->n_unexamined++] = (struct unexamined){
                &settings[i], probe.outcome.status == GB_OK, probe.outcome.words};
    }
    return GB_OK;
}

/* ---- what they can count ---- */

struct count_list {
    struct gb_counter *items;
    size_t n;
};

static int32_t take_counter(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    struct count_list *counters = probe->context;
    if (type != WIRE_COUNTER)
        return GB_OK;
    struct gb_counter counter = {.size = sizeof counter};
    wire_get_fields(message, probe->arena, counter_fields, &counter);
    if (!wire_complete(message) || counters->n == COUNTERS_MAX)
        return GB_CORRUPT;
    ARENA_APPEND(probe->arena, counters->items, counters->n, counter);
    return GB_OK;
}

int32_t counters_find(const struct plugin_settings *settings, uint32_t index, const char *model,
                      const char *whole, struct arena *arena, struct counter_list *ret,
                      struct gb_error *error)
{
    struct count_list found = {0};
    struct probe probe = {.arena = arena,
                          .take = take_counter,
                          .context = &found,
                          .restarts = WIRE_COUNTER,
                          .last = WIRE_COUNTERS_END,
                          .outcome.words = ""};
    int32_t status = probe_begin(&probe, WIRE_COUNTERS, settings, error);
    if (status == GB_OK) {
        wire_put_u32(&probe.worker.writer, index);
        wire_put_text(&probe.worker.writer, model);
        wire_put_text(&probe.worker.writer, whole);
        probe_listen(&probe);
    }
    probe_end(&probe);
    *ret = (struct counter_list){found.items, found.n, probe.outcome.words};
    return status;
}
