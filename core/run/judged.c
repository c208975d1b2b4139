/* judged.c - see judged.h. */
#include "core/run/judged.h"

#include "core/config/bench_case.h"
#include "core/run/messages.h"
#include "core/run/session.h"

#include <gbrun/judging.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct judged {
    struct judged_page *page;
    const char *folder;
    struct shared_memory memory;
    struct shared_memory device_memory; /* of a device with queues */
    struct arena arena;
    struct session *session;
    struct bench_case bench_case;
    const struct open_device *device;
    struct host *host;
    const struct gb_bench_ops *ops;
    const void *params;
    void *benches[SETS_MAX];
    uint32_t n;
    bool is_mapped;      /* the memory of a device */
    uint32_t n_captured; /* in the graph */
    void *graph;
};

/* What the benchmark says: warnings. All else the judge's objects say, too. */
static void take(void *context, uint32_t type, const void *record)
{
    const struct message_record *message = record;
    (void)context;
    if (type == WIRE_LOG && message->severity >= GB_LOG_WARNING)
        fprintf(stderr, "%s\n", message->text);
}

static const struct host_sink sink = {.take = take};

/* ---- orders ---- */

static int32_t read_case(struct judged *judged, struct gb_error *error)
{
    struct wire_reader reader = {.data = judged->page->bench_case,
                                 .length = judged->page->case_bytes};
    struct case_order given;
    wire_get_fields(&reader, &judged->arena, case_order_fields, &given);
    judged->bench_case = given.bench_case;
    if (!judged->session)
        judged->session = session_new(&sink);
    return wire_complete(&reader) ? GB_OK : error_set(error, GB_CORRUPT, "the case is incomplete");
}

/* With the memory that its objects are in; once. */
static int32_t open_device(struct judged *judged, struct gb_error *error)
{
    const struct gb_shared_block block = judged->page->block;
    if (session_open(judged->session, &judged->bench_case.device, &judged->device, error) != GB_OK)
        return error->status;
    const struct open_device *device = judged->device;
    if (!device->queue->native || judged->is_mapped)
        return GB_OK;
    judged->is_mapped = true;
    judged->device_memory = (struct shared_memory){
        .file = -1, .base = block.base, .bytes = block.bytes};
    const int32_t status = device->judging->map(device->device, device->queue, &block);
    return status == GB_OK ? GB_OK
                           : error_set(error, status, "%s", host_words(device->host, status));
}

static int32_t park(struct judged *judged, struct gb_error *error)
{
    return read_case(judged, error) == GB_OK ? open_device(judged, error) : error->status;
}

static int32_t set_up(struct judged *judged, struct gb_error *error)
{
    static struct gb_judging judging;
    struct bench_case *bench_case = &judged->bench_case;
    const struct gb_plugin *plugin = NULL;
    void *params = NULL;
    if (read_case(judged, error) != GB_OK)
        return error->status;
    const struct plugin_settings settings = bench_case_plugin(bench_case);
    /* Landlock is of this thread and those that it starts. A GPU's driver does not start there. */
    const bool is_first = sandbox_landlock_version() > 0 && judged->page->block.bytes == 0;
    if (is_first && sandbox_prepare(judged->folder, error) != GB_OK)
        return error->status;
    if (session_prepare(judged->session, &settings, &judged->arena, &plugin, &params, error) !=
            GB_OK ||
        open_device(judged, error) != GB_OK)
        return error->status;
    const struct host_device device = {judged->device->ops, judged->device->device,
                                       &judged->device->info, judged->device->host,
                                       judged->device->judging};
    judging = host_judging(false);
    judged->host = host_new(bench_case->seed, &sink, &device, NULL);
    judged->host->interface.folder = bench_case->folder;
    judged->host->interface.iterations = 1;
    judged->host->judging = &judging;
    judged->ops = plugin->ops;
    judged->params = params;
    judged->host->common = &judged->memory;
    judged->host->shared = judged->is_mapped ? &judged->device_memory : &judged->memory;
    return is_first ? GB_OK : sandbox_prepare(judged->folder, error);
}

static int32_t make_one(struct judged *judged, struct gb_error *error)
{
    const struct gb_host *host = &judged->host->interface;
    void *bench = NULL;
    const char *function = "create";
    int32_t status = judged->ops->create(host, judged->params, &bench);
    if (status == GB_OK && judged->ops->prepare) {
        function = "prepare";
        status = judged->ops->prepare(bench, judged->device->queue);
    }
    if (status != GB_OK)
        return error_set(error, status, "%s: %s", function, host_words(judged->host, status));
    judged->benches[judged->n++] = bench;
    return GB_OK;
}

static int32_t make(struct judged *judged, uint32_t n, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < n && judged->n < SETS_MAX && status == GB_OK; i++)
        status = make_one(judged, error);
    judged->page->used = judged->memory.used;
    judged->page->device_used = judged->device_memory.used;
    return status;
}

/* Nothing but calls of run: this is what is timed. */
static int32_t call_runs(struct judged *judged, const struct gb_queue *queue, uint32_t n,
                         const struct gb_judging_device *joining)
{
    int32_t (*const call)(void *, const struct gb_queue *, uint64_t) = judged->ops->run;
    const uint32_t *objects = judged->page->objects;
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < n && status == GB_OK; i++) {
        status = call(judged->benches[objects[i]], queue, 1);
        if (joining && status == GB_OK)
            status = joining->join(judged->device->device);
    }
    return status;
}

/* On a device with queues no call begins before all that those before it have launched has ended.
 */
static int32_t run(struct judged *judged, uint32_t n)
{
    const struct open_device *device = judged->device;
    const struct gb_judging_device *judging = device->queue->native ? device->judging : NULL;
    return call_runs(judged, device->queue, n,
                     judging && GB_HAS(judging, join) && judging->join ? judging : NULL);
}

/* ---- on a device with queues ---- */

static int32_t wait(struct judged *judged, int32_t status)
{
    const struct open_device *device = judged->device;
    return device->queue->native && status == GB_OK ? device->judging->wait(device->device)
                                                    : status;
}

static int32_t keep_busy(struct judged *judged, uint32_t ns)
{
    const struct open_device *device = judged->device;
    return wait(judged, device->judging->idle(device->device, device->queue, ns));
}

static int32_t call_captured(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    (void)iterations;
    struct judged *judged = object;
    return call_runs(judged, queue, judged->n_captured, NULL);
}

/* What cannot be captured may have an error left to report, which its next run does. */
static int32_t capture(struct judged *judged, uint32_t n)
{
    static const struct gb_bench_ops ops = {.size = sizeof ops, .run = call_captured};
    const struct open_device *device = judged->device;
    judged->n_captured = n;
    const int32_t status = device->judging->capture(device->device, device->queue, &ops, judged,
                                                    &judged->graph);
    judged->page->is_captured = judged->graph != NULL;
    if (status != GB_SKIPPED)
        return status;
    wait(judged, run(judged, 1));
    return GB_OK;
}

static int32_t launch(struct judged *judged)
{
    const struct open_device *device = judged->device;
    return wait(judged, device->judging->launch(device->device, device->queue, judged->graph));
}

/* ---- any ---- */

static int32_t obey_order(struct judged *judged, uint32_t what, uint32_t n, struct gb_error *error)
{
    switch (what) {
    case JUDGED_PARK:
        return park(judged, error);
    case JUDGED_OPEN:
        return set_up(judged, error);
    case JUDGED_MAKE:
        return make(judged, n, error);
    case JUDGED_RUN:
        return wait(judged, run(judged, n));
    case JUDGED_IDLE:
        return keep_busy(judged, n);
    case JUDGED_CAPTURE:
        return capture(judged, n);
    case JUDGED_LAUNCH:
        return launch(judged);
    case JUDGED_CLOSE:
        return sandbox_enter(error);
    default:
        return GB_OK;
    }
}

/* Words of the benchmark, else of the device. */
static const char *words(const struct judged *judged, int32_t status)
{
    const struct host *of_device = judged->device ? judged->device->host : NULL;
    const bool is_device = of_device && *of_device->reason && !*judged->host->reason;
    return host_words(is_device ? of_device : judged->host, status);
}

static void obey(struct judged *judged)
{
    struct judged_page *page = judged->page;
    struct gb_error error = {0};
    page->status = obey_order(judged, page->what, page->n, &error);
    if (page->status != GB_OK)
        snprintf(page->text, sizeof page->text, "%s",
                 *error.text ? error.text : words(judged, page->status));
}

static void stand_by(struct judged_page *page)
{
    const uint32_t order = atomic_load(&page->order);
    atomic_store(&page->ready, order);
    while (page->block.bytes > 0 && atomic_load(&page->go) != order)
        sched_yield();
}

void judged_environment(const char *folder, struct environment_variable ret[JUDGED_VARIABLES])
{
    static const char *const folders[] = {"TMPDIR",           "HOME",
                                          "XDG_CACHE_HOME",   "CUDA_CACHE_PATH",
                                          "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"};
    size_t n = 0;
    while (n < sizeof folders / sizeof *folders) {
        ret[n] = (struct environment_variable){folders[n], folder};
        n++;
    }
    ret[n] = (struct environment_variable){"TORCHINDUCTOR_COMPILE_THREADS", "1"};
}

int judged_main(int argc, char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return argc == 5
               ? judged_serve(strtoull(argv[2], NULL, 16), strtoull(argv[3], NULL, 16), argv[4])
               : EXIT_FAILURE;
}

int judged_serve(uint64_t base, uint64_t bytes, const char *folder)
{
    struct judged judged = {.folder = folder};
    if (!shared_memory_map(JUDGED_FILE, (uintptr_t)base, bytes, &judged.memory))
        return EXIT_FAILURE;
    judged.page = shared_memory_take(&judged.memory, sizeof *judged.page);
    /* What gbrun was started with. */
    syscall(SYS_close_range, JUDGED_FILE + (judged.page->block.bytes > 0 ? 2 : 0), UINT_MAX, 0);
    for (;;) {
        stand_by(judged.page);
        obey(&judged);
        atomic_store(&judged.page->done, atomic_load(&judged.page->order));
        kill(getpid(), SIGSTOP);
    }
}
