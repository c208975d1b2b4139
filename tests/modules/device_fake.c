/*
 * device_fake.c - a device that is not there, `fake`: three of them, or as many as an option or the
 * variable FAKE_DEVICES says, whose clock is arithmetic, so that samples are the same on every
 * machine and in every run. It calls reset and run as a device does, but no time passes between.
 * gbrun must record the times below exactly, count the lost, and after GB_DEVICE_ERROR or a crash
 * cost one case and use a fresh worker. `absent` counts 0 devices and says why. `shorter` is `fake`
 * by an older header: no graphs, nothing to examine, and nothing behind list in its counters.
 *
 * Sample k of a device (k from 0, counted since open; lost ones too) of i iterations takes
 *   i (time + step (k mod 7)) ns on clock 0, `synthetic`, and 100 ns more on clock 1, `offset`;
 * it begins 1000 ns after the one before has ended, the first at 1 s. From a graph it takes half of
 * that, without the gaps that it needs half as long again, and while it settles from 0.8 of it on,
 * with a clock as much higher. Queues point to the number of samples since open, so that a
 * benchmark can see that it was not called.
 *
 * Its counters, in two passes, say what the benchmark declares, times the option excess, and
 * fake.cycles: 1000 an iteration, fake.share: 50, fake.broken: not a number.
 */
#define _GNU_SOURCE
#include "fake_activities.h"

#include "fake_current.h"
#include "fake_judging.h"
#include "tests/modules/harm.h"

#include <gbrun/gbrun.h>
#include <gbrun/guest.h>
#include <math.h>

static const char *const places[] = {"none", "describe", "open", "measure", "telemetry", "examine"};
enum { NONE, DESCRIBE, OPEN, MEASURE, TELEMETRY, EXAMINE };

static const char *const countings[] = {"fine", "forbidden", "garbage", "error", "crash", "exact"};
enum { FINE, FORBIDDEN, GARBAGE, COUNT_ERROR, COUNT_CRASH, EXACT };

static const char *const listings[] = {LISTINGS(WORD)};

static const char *const kinds[] = {"crash", "error", "loop"};
enum { CRASH, ERROR };

struct params {
    double time, step;
    int64_t lose_every, error_at, throttle_from;
    int32_t leaves_garbage, where, kind;
    int64_t n_devices, processes, closed_device;
    const char *warning, *note;
    struct gb_list models, uuids;
    int32_t is_chosen, counting, listing;
    double excess, asked;
    double needs_gap, settles_in, energy_step;
    int64_t heat, spent_from, spent_asked;
    int32_t ignores_gaps, spares_energy, refuses_profile, replays, is_dithered, by_items,
        counts_clock;
    double tick, offset, offset_error, as_graph;
    double state;
    const char *opened;
};

static const struct gb_option options[] = {
    GB_DURATION(struct params, time, "1us", "0:", "time of an iteration"),
    GB_DURATION(struct params, step, "10ns", "0:", "how much longer each of seven samples is"),
    GB_INT(struct params, lose_every, "0", "0:", "samples",
           "lose the times of every so many samples; 0: of none"),
    GB_INT(struct params, error_at, "-1", "-1:", "samples",
           "return GB_DEVICE_ERROR at this sample since open; -1: never"),
    GB_INT(struct params, throttle_from, "-1", "-1:", "samples",
           "throttled from this sample on; -1: never"),
    GB_BOOL(struct params, leaves_garbage, "no",
            "write the times of the clock `offset`, but do not say that they are filled"),
    GB_CHOICE(struct params, where, "none", places, "the function that misbehaves"),
    GB_CHOICE(struct params, kind, "crash", kinds, "how it misbehaves"),
    GB_INT(struct params, n_devices, "3", "0:8", "devices", "how many there are"),
    GB_STRING(struct params, warning, "", "what it warns of when it is opened; empty: of nothing"),
    GB_LIST(struct params, models, GB_TYPE_STRING, "Fake 1000, Fake 1000, Fake 2000", NULL, NULL,
            "their models; the last one's is that of all behind it"),
    GB_LIST(struct params, uuids, GB_TYPE_STRING, "", NULL, NULL,
            "their UUIDs; FAKE-INDEX where none is given"),
    GB_INT(struct params, processes, "0", "0:", NULL, "that it says compute on it"),
    GB_BOOL(struct params, is_chosen, "no", "devices are chosen by UUID in FAKE_VISIBLE"),
    GB_INT(struct params, closed_device, "-1", "-1:", NULL, "index of one that cannot be opened"),
    GB_CHOICE(struct params, counting, "fine", countings, "what its counters do"),
    GB_CHOICE(struct params, listing, "none", listings, "what it lists as its activities"),
    GB_BOOL(struct params, refuses_profile, "no", "there is no profiler to mark a range for"),
    GB_FLOAT(struct params, asked, "4", "0:", NULL, "bytes of L1 for each that is declared"),
    GB_FLOAT(struct params, excess, "1", "-1e300:1e300", NULL,
             "counters say so much of what was declared"),
    GB_FLOAT(struct params, needs_gap, "0", "0:", "lengths",
             "throttled unless it idles so long after each sample; 0: never"),
    GB_DURATION(struct params, settles_in, "0", "0:", "load until times have settled"),
    GB_DURATION(struct params, energy_step, "0", "0:", "the counter of energy moves so often"),
    GB_BOOL(struct params, spares_energy, "no", "reads that only where it is of use"),
    GB_BOOL(struct params, ignores_gaps, "no", "knows nothing of idle gaps"),
    GB_INT(struct params, heat, "0", "0:", "C", "degrees that it is hotter than usual at first"),
    GB_BOOL(struct params, replays, "no", "launch again what run enqueued for the first sample"),
    GB_BOOL(struct params, is_dithered, "no", "its clock is dithered"),
    GB_BOOL(struct params, counts_clock, "no", "clock_hz is counted"),
    GB_DURATION(struct params, tick, "1ns", "0:", "timer resolution"),
    GB_DURATION(struct params, offset, "0", "0:", "what it says that it subtracts"),
    GB_DURATION(struct params, offset_error, "0", "0:", "and how well that is known"),
    GB_DURATION(struct params, as_graph, "0", "0:", "what it says that a sample takes as a graph"),
    GB_BOOL(struct params, by_items, "no",
            "an iteration takes its time as often as the benchmark declares items"),
    GB_STRING(struct params, note, "", "what it says of how samples are read"),
    GB_FLOAT(
        struct params, state, "0", "0:1", NULL,
        "times are so much longer in each process but every third, and twice that in the next"),
    GB_STRING(struct params, opened, "", "file that counts processes: a byte for each that opened"),
    GB_INT(struct params, spent_from, "-1", "-1:", "samples",
           "the process is spent from this sample on; -1: never"),
    GB_INT(struct params, spent_asked, "0", "0:", NULL,
           "the process is spent from this time on that it is asked; 0: never"),
};

struct device {
    const struct gb_host *host;
    const struct params *params;
    uint32_t index;
    uint64_t n_samples; /* since open */
    uint64_t n_asked;   /* for telemetry */
    double now_ns, load_ns;
    double stretch;   /* of times, in this process */
    double gap_ratio; /* idle after the last sample, over its time */
    uint64_t n_profiled_before;
    gb_activity_fn *kept; /* of a list that has returned */
};

static int32_t act(const struct gb_host *host, const struct params *params, int32_t where)
{
    if (params->where != where)
        return GB_OK;
    if (params->kind == CRASH)
        abort();
    if (params->kind != ERROR)
        compute_for_ever();
    host->fail(host, "the fake device's planned failure");
    return GB_DEVICE_ERROR;
}

static int32_t act_on(const struct device *device, int32_t where)
{
    return act(device->host, device->params, where);
}

/* The i-th UUID of a variable that is as CUDA_VISIBLE_DEVICES; NULL: it is not set, or has not so
 * many. */
static const char *visible(uint32_t i, char *uuid, size_t bytes)
{
    const char *list = getenv("FAKE_VISIBLE");
    for (; list && i > 0; i--) {
        list = strchr(list, ',');
        list += list != NULL;
    }
    if (!list || !*list)
        return NULL;
    snprintf(uuid, bytes, "%.*s", (int)strcspn(list, ","), list);
    return uuid;
}

static uint32_t count_visible(void)
{
    char uuid[64];
    uint32_t n = 0;
    while (visible(n, uuid, sizeof uuid))
        n++;
    return n;
}

static int32_t count(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    const char *number = getenv("FAKE_DEVICES");
    *ret_n = number ? (uint32_t)strtoul(number, NULL, 10)
                    : (uint32_t)((const struct params *)params)->n_devices;
    if (getenv("FAKE_VISIBLE"))
        *ret_n = count_visible();
    return GB_OK;
}

static const char *item(const struct gb_list *list, uint64_t i)
{
    return ((const char *const *)list->items)[i];
}

static int32_t describe(const struct gb_host *host, const void *object, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *fact_context)
{
    const struct params *params = object;
    uint64_t last = params->models.n - 1;
    info->index = index;
    strcpy(info->backend, "fake");
    snprintf(info->model, sizeof info->model, "%s",
             item(&params->models, index < last ? index : last));
    if (index < params->uuids.n)
        snprintf(info->uuid, sizeof info->uuid, "%s", item(&params->uuids, index));
    else
        snprintf(info->uuid, sizeof info->uuid, "FAKE-%u", (unsigned)index);
    visible(index, info->uuid, sizeof info->uuid);
    info->memory_bytes = (uint64_t)1 << 30;
    info->cache_bytes = (uint64_t)1 << 20;
    info->n_units = 4;
    if (fact) {
        fact(fact_context, "driver", "0.1");
        if (params->is_chosen)
            fact(fact_context, "visible_by", "FAKE_VISIBLE");
        fact(fact_context, "slot", index == 0 ? "first" : "another");
        if (params->processes > 0) {
            char n[24];
            snprintf(n, sizeof n, "%lld", (long long)params->processes);
            fact(fact_context, "other_processes", n);
        }
    }
    return act(host, params, DESCRIBE);
}

/* What is current on the thread, as CUDA has a context: of which device, and the program's name for
 * it. Opening and measuring make the device's own current. */
static struct fake_current current = {-1, 0, 0};

static void enter(struct gb_guest_state *state)
{
    state->index = current.index;
    state->key = current.key;
}

static void leave(const struct gb_guest_state *state)
{
    current = (struct fake_current){state->index, state->key, 0};
}

static const struct gb_guest guest = {.size = sizeof guest, .enter = enter, .leave = leave};

/* How many opened it before. */
static long count_opened(const char *path)
{
    FILE *file = *path ? fopen(path, "a") : NULL;
    if (!file)
        return 0;
    fseek(file, 0, SEEK_END);
    const long n = ftell(file);
    fputc('+', file);
    fclose(file);
    return n;
}

static int32_t open_device(const struct gb_host *host, const void *object, uint32_t index,
                           void **ret_device)
{
    const struct params *params = object;
    current = (struct fake_current){(int32_t)index, 0, 0};
    const int32_t status = act(host, params, OPEN);
    if (status != GB_OK)
        return status;
    if (params->closed_device == (int64_t)index) {
        host->fail(host, "closed by its option");
        return GB_DEVICE_ERROR;
    }
    if (*params->warning)
        host->log(host, GB_LOG_WARNING, params->warning);
    struct device *device = calloc(1, sizeof *device);
    if (!device)
        return GB_NO_MEMORY;
    *device = (struct device){.host = host, .params = params, .index = index, .now_ns = 1e9};
    device->stretch = 1 + params->state * (double)(count_opened(params->opened) % 3);
    *ret_device = device;
    return GB_OK;
}

static void close_device(void *device)
{
    free(device);
}

static int32_t allocate(void *device, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    *ret_memory = calloc(1, bytes ? bytes : 1);
    return *ret_memory ? GB_OK : GB_NO_MEMORY;
}

static void release(void *device, void *memory)
{
    free(memory);
}

static int32_t copy(void *device, void *to, const void *from, uint64_t bytes)
{
    memmove(to, from, bytes);
    return GB_OK;
}

static int32_t fill(void *device, void *memory, uint32_t byte, uint64_t bytes)
{
    memset(memory, (int)byte, bytes);
    return GB_OK;
}

static int32_t queue_create(void *object, struct gb_queue **ret_queue)
{
    struct device *device = object;
    struct gb_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return GB_NO_MEMORY;
    *queue = (struct gb_queue){.size = sizeof *queue, .native = &device->n_samples};
    *ret_queue = queue;
    return GB_OK;
}

static void queue_destroy(void *device, struct gb_queue *queue)
{
    free(queue);
}

static int32_t queue_synchronize(void *object, struct gb_queue *queue)
{
    struct device *device = object;
    if (device->kept)
        device->kept(NULL, NULL);
    device->kept = NULL;
    return GB_OK;
}

static int32_t clock_of(void *device, uint32_t i, struct gb_clock *clock)
{
    static const char *const names[] = {"synthetic", "offset", "instructions"};
    const struct params *params = ((struct device *)device)->params;
    if (i >= (params->counting == EXACT ? 3 : 2))
        return GB_NOT_FOUND;
    strcpy(clock->name, names[i]);
    strcpy(clock->help, "arithmetic");
    clock->flags = (params->is_dithered ? GB_CLOCK_DITHERED : 0) | (i == 2 ? GB_CLOCK_COUNTS : 0);
    clock->tick_ns = params->tick;
    clock->overhead_ns = i == 0 ? 5 : 105;
    return GB_OK;
}

static int32_t run_once(const struct gb_bench_ops *ops, void *bench, const struct gb_queue *queue,
                        uint64_t iterations)
{
    const int32_t status = GB_HAS(ops, reset) && ops->reset ? ops->reset(bench, queue) : GB_OK;
    return status == GB_OK ? ops->run(bench, queue, iterations) : status;
}

static int is_replayed(const struct device *device, const struct gb_measurement *measurement)
{
    return measurement->launch == GB_LAUNCH_GRAPH ||
           (measurement->launch == GB_LAUNCH_AUTO && device->params->replays);
}

static void say_how_read(const struct device *device, const struct gb_measurement *measurement)
{
    const struct params *params = device->params;
    struct gb_reading *reading = measurement->reading;
    reading->launch = is_replayed(device, measurement) ? GB_LAUNCH_GRAPH : GB_LAUNCH_STREAM;
    reading->offset_ns = params->offset;
    reading->offset_error_ns = params->offset_error;
    reading->graph_ns = params->as_graph;
    reading->flags |= params->counts_clock ? GB_CLOCK_CYCLES : 0;
    snprintf(reading->note, sizeof reading->note, "%s", params->note);
}

static int is_throttled(const struct device *device)
{
    const struct params *params = device->params;
    return (params->throttle_from >= 0 && device->n_samples >= (uint64_t)params->throttle_from) ||
           device->gap_ratio < params->needs_gap;
}

/* Of its time, that a sample takes. */
static double unsettled(const struct device *device)
{
    const struct params *params = device->params;
    return device->load_ns < params->settles_in ? 0.8 + 0.2 * device->load_ns / params->settles_in
                                                : 1;
}

static double clock_hz(const struct device *device)
{
    return is_throttled(device) ? 1e9 : 2e9 / unsettled(device);
}

static void write_sample(struct device *device, struct gb_measurement *measurement, double time_ns)
{
    uint64_t i = measurement->n_done++;
    int held_down = is_throttled(device);
    if (measurement->time_ns[0])
        measurement->time_ns[0][i] = time_ns;
    if (measurement->time_ns[1])
        measurement->time_ns[1][i] = time_ns + 100;
    measurement->begin_ns[i] = device->now_ns;
    measurement->end_ns[i] = device->now_ns + time_ns;
    measurement->clock_hz[i] = clock_hz(device);
    measurement->throttle[i] = held_down ? 4 : 0;
    measurement->flags[i] = held_down ? GB_SAMPLE_THROTTLED : 0;
}

static double iteration_ns(const struct params *params, const struct gb_measurement *measurement)
{
    struct gb_work work = {0};
    if (!params->by_items)
        return params->time;
    measurement->bench_ops->work(measurement->bench, &work);
    return params->time * work.items;
}

static int32_t measure_one(struct device *device, struct gb_measurement *measurement, int is_first)
{
    const struct params *params = device->params;
    uint64_t k = device->n_samples;
    double gap_ns = params->ignores_gaps ? 0 : measurement->gap_ns;
    double time_ns = (double)measurement->iterations * unsettled(device) *
                     (device->gap_ratio < params->needs_gap ? 1.5 : 1) * device->stretch *
                     (iteration_ns(params, measurement) + params->step * (double)(k % 7)) *
                     (is_replayed(device, measurement) ? 0.5 : 1);
    int32_t status = GB_OK;
    if (params->error_at >= 0 && k == (uint64_t)params->error_at) {
        device->host->fail(device->host, "illegal address");
        return GB_DEVICE_ERROR;
    }
    if (is_first || !params->replays || !is_replayed(device, measurement))
        status = run_once(measurement->bench_ops, measurement->bench, measurement->queue,
                          measurement->iterations);
    if (status != GB_OK)
        return status;
    if (current.stretch > 0)
        time_ns *= current.stretch;
    if (params->lose_every > 0 && (k + 1) % (uint64_t)params->lose_every == 0)
        measurement->n_lost++;
    else
        write_sample(device, measurement, time_ns);
    device->now_ns += time_ns + 1000 + gap_ns;
    device->load_ns += time_ns;
    device->gap_ratio = gap_ns / (time_ns > 0 ? time_ns : 1);
    device->n_samples++;
    return GB_OK;
}

static int32_t measure(void *object, struct gb_measurement *measurement)
{
    struct device *device = object;
    current = (struct fake_current){(int32_t)device->index, 0, 0};
    int32_t status = act_on(device, MEASURE);
    if (GB_HAS(measurement, reading) && measurement->reading)
        say_how_read(device, measurement);
    for (uint64_t i = 0; i < measurement->n_samples && status == GB_OK; i++)
        status = measure_one(device, measurement, i == 0);
    measurement->clocks_filled = device->params->leaves_garbage ? 1 : 3;
    return status;
}

static int32_t flush_cache(void *device, const struct gb_queue *queue)
{
    return GB_OK;
}

static int32_t telemetry(void *object, struct gb_telemetry *telemetry)
{
    struct device *device = object;
    const struct params *params = device->params;
    uint64_t heat = (uint64_t)params->heat;
    uint64_t left = device->n_asked < heat ? heat - device->n_asked : 0;
    device->n_asked++;
    telemetry->clock_hz = params->heat > 0 && left > 0 ? 1e9 : 2e9;
    telemetry->memory_clock_hz = 1e9;
    telemetry->temperature_celsius = 40 + device->index + (double)left;
    telemetry->power_watts = 100;
    telemetry->n_others = (uint32_t)params->processes;
    telemetry->energy_joules = params->energy_step > 0
                                   ? 100e-9 * params->energy_step *
                                         (double)(uint64_t)(device->now_ns / params->energy_step)
                                   : (double)device->n_samples;
    if (params->spares_energy && telemetry->without_energy)
        telemetry->energy_joules = (double)NAN;
    telemetry->throttle = params->throttle_from >= 0 ? 4 : 0;
    if (telemetry->throttle)
        strcpy(telemetry->throttle_text, "throttled by its option");
    return act_on(device, TELEMETRY);
}

static int32_t is_spent(void *object)
{
    static int64_t n_asked; /* in this process */
    const struct device *device = object;
    const struct params *params = device->params;
    n_asked++;
    return (params->spent_from >= 0 && device->n_samples >= (uint64_t)params->spent_from) ||
           (params->spent_asked > 0 && n_asked >= params->spent_asked);
}

static int32_t examine(const struct gb_host *host, const void *params, uint32_t index,
                       gb_finding_fn *finding, void *context)
{
    const SIZED(gb_finding, mode, .is_noisy = index == 0, .subject = "persistence of arithmetic",
                .state = index == 0 ? "off" : "on",
                .why = index == 0 ? "numbers are forgotten" : "",
                .cure = index == 0 ? "sudo remember --all" : "");
    const struct gb_finding others = {
        .size = sizeof others, .subject = "other programs", .state = "none\nat\tall"};
    int32_t status;
    finding(context, &mode);
    status = act(host, params, EXAMINE);
    if (status == GB_OK)
        finding(context, &others);
    return status;
}

/* --- counters --- */

static void tell_counter(gb_counter_fn *counter, void *context, const char *name, const char *unit,
                         const char *help)
{
    const struct gb_counter told = {.size = sizeof told, .name = name, .unit = unit, .help = help};
    counter(context, &told);
}

static void list_garbage(gb_counter_fn *counter, void *context)
{
    struct gb_counter none = {0};
    static char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    counter(context, NULL);
    counter(context, &none);
    tell_counter(counter, context, NULL, NULL, NULL);
    tell_counter(counter, context, "fake.odd", NULL, "with\na\033[31m line");
    tell_counter(counter, context, longer, longer, longer);
}

static int32_t list_counters(const struct gb_host *host, const void *object, uint32_t index,
                             const char *model, const char *whole, gb_counter_fn *counter,
                             void *context)
{
    const struct params *params = object;
    if (params->counting == COUNT_CRASH)
        abort();
    if (params->counting == COUNT_ERROR) {
        host->fail(host, "the counters' list is lost");
        return GB_IO;
    }
    if (params->counting == FORBIDDEN)
        return host->skip(host, "counters are forbidden by an option");
    if (model && strcmp(model, "FK1") != 0)
        return host->skip(host, "the only chip is FK1");
    if (index >= (uint64_t)params->n_devices)
        return GB_NOT_FOUND;
    if (params->counting == GARBAGE)
        list_garbage(counter, context);
    tell_counter(counter, context, "fake.cycles", "cycle", "cycles of arithmetic");
    tell_counter(counter, context, "fake.share", "percent", "half of everything");
    if (whole && strcmp(whole, "fake.cycles") == 0)
        tell_counter(counter, context, "fake.cycles.max", "cycle", "the most of them");
    return GB_OK;
}

static void tell_garbage(struct gb_counting *counting)
{
    static char longer[5000];
    char name[32];
    memset(longer, 'x', sizeof longer - 1);
    counting->count(counting->context, NULL, 1, "");
    counting->count(counting->context, "", 1, "");
    counting->count(counting->context, "fake.no_unit", 1, NULL);
    counting->count(counting->context, "fake\n.line", 1, "");
    counting->count(counting->context, longer, 1, "");
    counting->count(counting->context, "fake.negative", -3, "");
    counting->count(counting->context, "fake.infinite", HUGE_VAL, "");
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "fake.many.%d", i);
        counting->count(counting->context, name, i, "");
    }
    for (int i = 0; i < GB_COUNTED_KINDS; i++)
        counting->work[i] = i % 2 ? -5 : HUGE_VAL;
    counting->work[GB_COUNTED_DRAM_WRITE] = 100;
    memset(counting->missing, 'm', sizeof counting->missing);
    memset(counting->made_from, '\033', sizeof counting->made_from);
}

/* Of a run and of one of nothing, which differ. */
static void tell_instructions(struct gb_counting *counting)
{
    static const double empty[] = {7, 5, 6};
    static unsigned n;
    counting->means = GB_COUNT_BY_PERF;
    counting->count(counting->context, "instructions", 1005, "");
    counting->count(counting->context, GB_EMPTY "instructions", empty[n++ % 3], "");
}

static void tell_names(struct gb_counting *counting)
{
    for (uint32_t i = 0; i < counting->n_names; i++) {
        const char *name = counting->names[i];
        if (strcmp(name, "fake.cycles") == 0)
            counting->count(counting->context, name, 1000, "cycle");
        else if (strcmp(name, "fake.share") == 0)
            counting->count(counting->context, name, 50, "percent");
        else if (strcmp(name, "fake.format") == 0 && GB_HAS(counting, math_format))
            counting->count(counting->context, name, counting->math_format, "");
        else if (strcmp(name, "fake.unit") == 0 && GB_HAS(counting, math_unit))
            counting->count(counting->context, name, counting->math_unit, "");
        else if (strcmp(name, "fake.broken") == 0)
            counting->count(counting->context, name, strtod("nan", NULL), "");
        else
            snprintf(counting->missing, sizeof counting->missing, "%s: no counter", name);
    }
}

static int32_t count_it(void *object, struct gb_counting *counting)
{
    const struct device *device = object;
    const double excess = device->params->excess;
    struct gb_work work = {0};
    int32_t status = GB_OK;
    if (device->params->counting == COUNT_CRASH)
        abort();
    if (device->params->counting == COUNT_ERROR) {
        device->host->fail(device->host, "the counters broke the device");
        return GB_DEVICE_ERROR;
    }
    if (device->params->counting == FORBIDDEN) {
        strcpy(counting->missing, "forbidden to this user: be another");
        return GB_OK;
    }
    for (counting->n_passes = 0; counting->n_passes < 2 && status == GB_OK; counting->n_passes++)
        status = run_once(counting->bench_ops, counting->bench, counting->queue,
                          counting->iterations);
    if (status != GB_OK)
        return status;
    if (device->params->counting == EXACT)
        tell_instructions(counting);
    tell_names(counting);
    if (device->params->counting == GARBAGE)
        tell_garbage(counting);
    if (device->params->counting == GARBAGE || !counting->wants_work || !counting->bench_ops->work)
        return GB_OK;
    work.size = sizeof work;
    counting->bench_ops->work(counting->bench, &work);
    counting->work[GB_COUNTED_FLOPS] = excess * work.flops;
    counting->work[GB_COUNTED_BYTES_L1] = device->params->asked *
                                          (work.bytes_read + work.bytes_written);
    counting->work[GB_COUNTED_BYTES_L2] = 2 * (work.bytes_read + work.bytes_written);
    counting->work[GB_COUNTED_DRAM_READ] = excess * work.bytes_read;
    counting->work[GB_COUNTED_DRAM_WRITE] = work.bytes_written;
    strcpy(counting->made_from, "what was declared");
    return GB_OK;
}

static const struct gb_counters counters = {
    .size = sizeof counters, .list = list_counters, .count = count_it};
static const struct gb_counters short_counters = {
    .size = offsetof(struct gb_counters, count), .list = list_counters, .count = count_it};

/* --- activities and profilers --- */

static int32_t list_activities(void *object, const struct gb_measurement *measurement,
                               uint64_t n_samples, gb_activity_fn *activity, void *context)
{
    struct device *device = object;
    int32_t status = GB_OK;
    if (device->params->listing != IS_none)
        status = measurement->bench_ops->run(measurement->bench, measurement->queue,
                                             measurement->iterations);
    if (status == GB_OK && device->params->listing == IS_late)
        device->kept = activity;
    return status == GB_OK
               ? list_fake(device->host, device->params->listing, n_samples, activity, context)
               : status;
}

static int32_t begin_profile(void *object, const char *name)
{
    struct device *device = object;
    char text[512];
    if (device->params->refuses_profile)
        return device->host->skip(device->host, "no profiler is there");
    device->n_profiled_before = device->n_samples;
    snprintf(text, sizeof text, "range begins in process %ld: %s%s", (long)getpid(), name,
             getenv("FAKE_DEVICES") ? ", where FAKE_DEVICES is set" : "");
    device->host->log(device->host, GB_LOG_INFO, text);
    return GB_OK;
}

static int32_t end_profile(void *object)
{
    struct device *device = object;
    char text[64];
    snprintf(text, sizeof text, "range ends after %llu samples",
             (unsigned long long)(device->n_samples - device->n_profiled_before));
    device->host->log(device->host, GB_LOG_INFO, text);
    return GB_OK;
}

static const struct gb_activities activities = {.size = sizeof activities, .list = list_activities};
static const struct gb_profile profile = {
    .size = sizeof profile, .begin = begin_profile, .end = end_profile};

static const void *extension(const char *id)
{
    return strcmp(id, GB_COUNTERS) == 0         ? (const void *)&counters
           : strcmp(id, GB_ACTIVITIES) == 0     ? (const void *)&activities
           : strcmp(id, GB_PROFILE) == 0        ? (const void *)&profile
           : strcmp(id, GB_GUEST) == 0          ? (const void *)&guest
           : strcmp(id, FAKE_CURRENT) == 0      ? (const void *)&current
           : strcmp(id, GB_JUDGING_DEVICE) == 0 ? (const void *)&judging
                                                : NULL;
}

static const void *short_extension(const char *id)
{
    return strcmp(id, GB_COUNTERS) == 0 ? &short_counters : NULL;
}

#define ALL_BUT_COUNT                                                                              \
    .describe = describe, .open = open_device, .close = close_device, .allocate = allocate,        \
    .release = release, .copy = copy, .fill = fill, .queue_create = queue_create,                  \
    .queue_destroy = queue_destroy, .queue_synchronize = queue_synchronize, .clock = clock_of,     \
    .measure = measure, .flush_cache = flush_cache, .telemetry = telemetry, .examine = examine
static const SIZED(gb_device_ops, ops, .flags = GB_DEVICE_GRAPHS, .count = count, ALL_BUT_COUNT,
                   .is_spent = is_spent);

static int32_t count_none(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    *ret_n = 0;
    return host->skip(host, "no such hardware was ever built");
}

static const struct gb_device_ops absent_ops = {
    .size = sizeof absent_ops, .count = count_none, ALL_BUT_COUNT};

/* As built against a header that did not know examine: what lies behind the struct's end is no
 * function of it. */
static const struct gb_device_ops short_ops = {
    .size = offsetof(struct gb_device_ops, examine), .count = count, ALL_BUT_COUNT};

static const struct gb_plugin fake = {
    GB_PLUGIN(DEVICE, "fake", "1.0", "devices made of arithmetic"),
    GB_OPTIONS(options, struct params), .ops = &ops, .extension = extension};
static const struct gb_plugin absent = {
    GB_PLUGIN(DEVICE, "absent", "1.0", "a device that no machine has"), .ops = &absent_ops};
static const struct gb_plugin shorter = {
    GB_PLUGIN(DEVICE, "shorter", "1.0", "the same behind a shorter struct"),
    GB_OPTIONS(options, struct params), .ops = &short_ops, .extension = short_extension};

GB_MODULE(&fake, &absent, &shorter)
