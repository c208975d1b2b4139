/*
 * kernel.c - a kernel of the user's own, measured and tuned from the configuration. Plugin side.
 *
 * settings.c reads what to launch; check.c looks at the files before anything runs, and
 * asks NVRTC about them; build.c compiles, or takes from the cache; launch.c loads and launches.
 * Arguments are those of the plugin `call`.
 */
#define _GNU_SOURCE
#include "build.h"
#include "cache.h"
#include "files.h"
#include "launch.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/call/call_compare.h"
#include "plugins/common/call/call_invoke.h"
#include "plugins/common/measuring.h"
#include "plugins/common/validation.h"

#include <gbrun/judging.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P struct kernel_params

static const struct gb_option options[] = {
    TEXT(source, NULL,
         "File with the kernel: .cu, .ptx, .cubin or .fatbin, relative to the folder of the "
         "configuration"),
    TEXT(entry, NULL,
         "The kernel; of a .cu as C++ names it, such as my::scale<float, {tile}>, of others as the "
         "file does"),
    TEXT(signature, NULL, "Types of its parameters, such as void(pointer, float, int)"),
    TEXTS(arg, "Argument 1, 2, ..., or a named value that arguments can use"),
    TEXT(grid, NULL, "Blocks: up to three numbers, such as {(n + 255) / 256}, 1"),
    TEXT(block, NULL, "Threads of a block: up to three numbers"),
    TEXT(shared, "0", "Bytes of shared memory of a block beyond those that the kernel declares"),
    TEXT(cluster, "", "Blocks of a cluster: up to three numbers; empty: no clusters"),
    TEXTS(define, "A macro of this name with this value, as by -D"),
    TEXT(options, "", "Further options of NVRTC, separated by blanks, such as --use_fast_math"),
    GB_LIST(P, include, GB_TYPE_STRING, "", NULL, NULL,
            "Folders of headers, in addition to that of the source"),
    GB_OPTION_OF(GB_TYPE_STRING, GB_OPTION_NOT_IDENTITY, P, cache_folder, "", NULL, 0, NULL, NULL,
                 "Where compiled kernels are kept; empty: gbrun/kernels in $XDG_CACHE_HOME or "
                 "~/.cache; none: nowhere"),
    TEXTS(input, "File with the initial contents of buffer arg.KEY: .npy, or raw elements"),
    TEXTS(output, "File with the expected final contents of buffer arg.KEY"),
    TEXT(reference_entry, "", "A reference kernel, with whose results the results are compared"),
    TEXT(reference_source, "", "Its file; empty: the same file"),
    TEXT(reference_grid, "", "Its blocks; empty: the same number"),
    TEXT(reference_block, "", "Its threads of a block; empty: the same number"),
    TEXT(reference_shared, "", "Its bytes of shared memory; empty: the same number"),
    TEXT(reference, "", "Name of a function of the host, compared instead of a kernel"),
    GB_LIST(P, reference_library, GB_TYPE_STRING, "", NULL, NULL,
            "Its library: names or paths; the first one found is used"),
    TEXT(reference_signature, "", "Signature of either reference; empty: the same signature"),
    TEXTS(ref, "Its arguments, if they differ; arg.N in them means its own copies"),
    TEXTS(work, "Work of a launch: work.flops, work.math (fp32 vector), work.bytes_read, "
                "work.bytes_written, work.items and work.item, the name of an item"),
};

/* --- making the kernel --- */

struct kernel_bench {
    const struct gb_host *host;
    struct settings settings;
    struct driver driver;
    CUmodule module, reference_module; /* the second NULL: there is none, or it is the first */
    struct world world;
    struct world reference_world; /* made in the first comparison */
    bool has_reference_world;
    struct launch launch, reference;
    const struct gb_judging *judging; /* NULL: it is not judged */
    bool is_counted;                  /* among the users of what judged objects have in common */
};

/* Line by line, as many at once as fit a message. */
static void log_lines(const struct gb_host *host, const char *log)
{
    enum { MESSAGE_BYTES = 3000 };
    char part[MESSAGE_BYTES];
    while (*log != '\0') {
        size_t n = 0;
        do {
            const size_t line = strcspn(log + n, "\n") + 1;
            if (n > 0 && n + line >= MESSAGE_BYTES)
                break;
            n += line;
        } while (log[n - 1] != '\0');
        n -= log[n - 1] == '\0';
        snprintf(part, sizeof part, "%.*s", (int)(n < MESSAGE_BYTES ? n : MESSAGE_BYTES - 1), log);
        host->log(host, GB_LOG_INFO, part);
        log += n;
    }
}

static void report_build(const struct gb_host *host, struct build *build)
{
    double stores = 0;
    double loads = 0;
    host->metric(host, "compile_ms", build->compile_ms, "ms");
    host->metric(host, "cached", build->is_cached ? 1 : 0, "");
    if (build_spills(build->log, build->names[0], &stores, &loads))
        host->metric(host, "spill_bytes", stores, "bytes");
    build_trim_log(build->log);
    log_lines(host, build->log);
    if (build->note[0] != '\0')
        host->log(host, GB_LOG_WARNING, build->note);
    if (build->unused[0] != '\0')
        host->log(host, GB_LOG_WARNING, build->unused);
}

static int32_t find_kernels(struct kernel_bench *bench, CUmodule module, const char *const *names,
                            CUfunction **ret, size_t n)
{
    const struct driver *driver = &bench->driver;
    CUresult result = CUDA_SUCCESS;
    char doing[300] = "";
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++) {
        result = driver->module_function(ret[i], module, names[i]);
        snprintf(doing, sizeof doing, "looking for the kernel %.250s", names[i]);
    }
    return driver_status(driver, bench->host, result, doing);
}

/* A file, and which kernels of it are used. */
struct unit {
    const struct source *source;
    const char *entries[ENTRIES_MAX];
    size_t n;
};

/* A reference in the same file is made along with the kernel. */
static size_t find_units(const struct settings *settings, struct unit ret[2])
{
    const struct kernel_params *params = settings->params;
    const bool has_own_file = settings->has_reference_kernel && *params->reference_source != '\0';
    ret[0] = (struct unit){&settings->source,
                           {params->entry, params->reference_entry},
                           settings->has_reference_kernel && !has_own_file ? 2 : 1};
    ret[1] = (struct unit){&settings->reference_source, {params->reference_entry}, 1};
    return has_own_file ? 2 : 1;
}

static int32_t compile(const struct gb_host *host, const struct settings *settings,
                       const struct unit *unit, int architecture, bool is_ahead, struct build *ret)
{
    char *cache = cache_folder(settings->params->cache_folder, settings_folder(host));
    char reason[BUILD_REASON_BYTES];
    const struct build_request request = {
        .path = unit->source->path,
        .architecture = architecture,
        .entries = unit->entries,
        .n_entries = unit->n,
        .options = settings->options,
        .n_options = settings->n_options,
        .folders = settings->folders,
        .n_folders = settings->n_folders,
        .cache = cache,
        .is_ahead = is_ahead,
    };
    const bool is_made = build_make(&request, ret, reason);
    free(cache);
    if (is_made)
        return GB_OK;
    log_lines(host, ret->log != NULL ? ret->log : "");
    return host->fail(host, reason);
}

static int32_t load_compiled(struct kernel_bench *bench, const struct unit *unit,
                             CUfunction **ret_kernels, CUmodule *ret)
{
    const struct settings *settings = &bench->settings;
    char log[LOADING_LOG_BYTES];
    struct build build = {0};
    int architecture = 0;
    int32_t status = driver_architecture(&bench->driver, bench->host, &architecture);
    if (status == GB_OK)
        status = compile(bench->host, settings, unit, architecture, false, &build);
    if (status == GB_OK && unit->source == &settings->source)
        report_build(bench->host, &build);
    if (status == GB_OK)
        status = launch_load(&bench->launch, unit->source->path, build.image, log, ret);
    if (status == GB_OK)
        status = find_kernels(bench, *ret, (const char *const *)build.names, ret_kernels, unit->n);
    build_free(&build);
    return status;
}

/* PTX is compiled as it is loaded. */
static int32_t load_image(struct kernel_bench *bench, const struct unit *unit,
                          CUfunction **ret_kernels, CUmodule *ret)
{
    const struct gb_host *host = bench->host;
    const struct source *source = unit->source;
    char reason[FILE_REASON_BYTES], log[LOADING_LOG_BYTES];
    size_t bytes = 0;
    double stores = 0;
    double loads = 0;
    char *image = file_read(source->path, &bytes, reason);
    if (image == NULL)
        return host->fail(host, reason);
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    int32_t status = launch_load(&bench->launch, source->path, image, log, ret);
    free(image);
    if (status == GB_OK && source == &bench->settings.source && source->kind == SOURCE_PTX) {
        host->metric(host, "compile_ms", 1e-6 * (clock_ns(CLOCK_MONOTONIC) - begin_ns), "ms");
        if (build_spills(log, unit->entries[0], &stores, &loads))
            host->metric(host, "spill_bytes", stores, "bytes");
    }
    return status == GB_OK ? find_kernels(bench, *ret, unit->entries, ret_kernels, unit->n)
                           : status;
}

/* From the first unit on, or the second, up to unit `end`. */
static int32_t load_units(struct kernel_bench *bench, size_t begin, size_t end)
{
    CUfunction *kernels[] = {&bench->launch.function, &bench->reference.function};
    CUmodule *modules[] = {&bench->module, &bench->reference_module};
    struct unit units[2];
    const size_t n = find_units(&bench->settings, units);
    int32_t status = GB_OK;
    for (size_t i = begin; i < n && i < end && status == GB_OK; i++)
        status = (units[i].source->kind == SOURCE_CUDA ? load_compiled : load_image)(
            bench, &units[i], kernels + i, modules[i]);
    return status;
}

/* What all judged objects of a case have in common: the kernel, or that of the judge, which does
 * not load the other one. */
static struct {
    size_t n_users;
    CUmodule module;
    CUfunction kernel;
} judged;

static int32_t load_judged(struct kernel_bench *bench)
{
    const size_t unit = bench->judging->is_judge ? 1 : 0;
    CUfunction *kernel = unit == 1 ? &bench->reference.function : &bench->launch.function;
    CUmodule *module = unit == 1 ? &bench->reference_module : &bench->module;
    bench->is_counted = true;
    if (judged.n_users++ == 0) {
        const int32_t status = load_units(bench, unit, unit + 1);
        judged.kernel = *kernel;
        judged.module = *module;
        return status;
    }
    *kernel = judged.kernel;
    *module = judged.module;
    return GB_OK;
}

static int32_t load(struct kernel_bench *bench)
{
    return bench->judging != NULL ? load_judged(bench) : load_units(bench, 0, 2);
}

static void check_judging(const struct gb_host *host, struct reporter *reporter,
                          const struct settings *settings)
{
    const struct kernel_params *params = settings->params;
    if (host->extension(host, GB_JUDGING) == NULL)
        return;
    if (!settings->plan.has_reference ||
        (settings->has_reference_kernel && *params->reference_source == '\0'))
        report(reporter, "reference_source", 0,
               "verify = judge: the judge cannot take the reference from the submission, which it "
               "does not load: expected reference_entry and reference_source, or reference and "
               "reference_library");
    if (params->output.n > 0)
        report(reporter, "output", 0,
               "verify = judge: files hold the results of one set of inputs: expected a reference");
}

/* The first problem is the reason for GB_FAILED. */
static int32_t make_settings(const struct gb_host *host, const void *params, struct settings *ret)
{
    struct first_problem first = {host, GB_OK};
    struct reporter reporter = {fail_first, &first, 0};
    const int32_t status = settings_make(host, params, &reporter, ret);
    if (status == GB_OK && reporter.n == 0)
        check_judging(host, &reporter, ret);
    return status == GB_OK && reporter.n > 0 ? GB_FAILED : status;
}

/* Into the cache, from which prepare takes it. */
static int32_t build_ahead(const struct gb_host *host, const void *params)
{
    int32_t status = GB_OK;
    struct settings *settings = host_memory(host, sizeof *settings, &status);
    const char *capability = host->device_fact(host, "compute_capability");
    struct unit units[2];
    int major = 0;
    int minor = 0;
    if (status == GB_OK)
        status = make_settings(host, params, settings);
    if (status != GB_OK)
        return status;
    if (capability == NULL || sscanf(capability, "%d.%d", &major, &minor) != 2)
        return GB_OK;
    const size_t n = find_units(settings, units);
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        struct build build = {0};
        if (units[i].source->kind == SOURCE_CUDA)
            status = compile(host, settings, &units[i], 10 * major + minor, true, &build);
        build_free(&build);
    }
    return status;
}

/* --- what buffers hold before it runs --- */

/* The elements that a file has for a buffer; free with array_file_free. */
static int32_t read_array(const struct kernel_bench *bench, const struct entry *entry,
                          const char *file, struct array_file *ret)
{
    const struct gb_host *host = bench->host;
    const struct buffer *buffer = &entry->value.buffer;
    char reason[FILE_REASON_BYTES];
    char *path = path_in(settings_folder(host), file);
    const bool is_read = path != NULL &&
                         array_file_read(path, buffer->element, buffer->n, ret, reason);
    const int32_t status = is_read ? GB_OK : path == NULL ? GB_NO_MEMORY : host->fail(host, reason);
    free(path);
    return status;
}

static int32_t read_input(const struct kernel_bench *bench, const struct world *world,
                          const char *key, const char *file)
{
    const struct gb_host *host = bench->host;
    const struct entry *entry = settings_buffer(&bench->settings, key);
    const struct buffer *buffer = &entry->value.buffer;
    const struct made *made = world_made(world, entry);
    const uint64_t bytes = buffer_bytes(buffer);
    struct array_file array = {0};
    int32_t status = read_array(bench, entry, file, &array);
    if (status == GB_OK && array.element != buffer->element)
        status = host->fail(host,
                            "input: the file has elements of a different type from the buffer");
    else if (status == GB_OK && (world->is_on_host || buffer->memory == MEMORY_HOST))
        memcpy(made->memory, array.elements, bytes);
    else
        copy_memory(host, made->memory, array.elements, bytes, &status);
    if (made->pristine != NULL && !world->is_on_host)
        copy_memory(host, made->pristine, array.elements, bytes, &status);
    array_file_free(&array);
    return status;
}

static int32_t read_inputs(const struct kernel_bench *bench, const struct world *world)
{
    const struct gb_map *input = &bench->settings.params->input;
    int32_t status = GB_OK;
    for (uint64_t i = 0; i < input->n && status == GB_OK; i++)
        status = read_input(bench, world, input->keys[i], input->values[i]);
    return status;
}

static CUresult restore(const struct kernel_bench *bench, CUstream stream)
{
    const struct plan *plan = &bench->settings.plan;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < plan->n_entries && result == CUDA_SUCCESS; i++) {
        const struct made *made = &bench->world.made[i];
        if (made->pristine != NULL)
            result = bench->driver.copy_async((CUdeviceptr)(uintptr_t)made->memory,
                                              (CUdeviceptr)(uintptr_t)made->pristine,
                                              buffer_bytes(&plan->entries[i].value.buffer), stream);
    }
    return result;
}

/* --- the benchmark --- */

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    int32_t status = GB_OK;
    struct kernel_bench *bench = host_memory(host, sizeof *bench, &status);
    if (status == GB_OK)
        status = make_settings(host, params, &bench->settings);
    if (status != GB_OK)
        return status;
    bench->host = host;
    bench->judging = host->extension(host, GB_JUDGING);
    bench->world.is_shared = bench->judging != NULL;
    bench->launch = (struct launch){.driver = &bench->driver,
                                    .host = host,
                                    .shape = bench->settings.shape,
                                    .cluster = bench->settings.cluster};
    bench->reference = (struct launch){
        .driver = &bench->driver, .host = host, .shape = bench->settings.reference_shape};
    *ret_bench = bench;
    return GB_OK;
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct kernel_bench *bench = object;
    const struct gb_host *host = bench->host;
    const struct plan *plan = &bench->settings.plan;
    const struct routine *routine = &plan->routine;
    const bool is_judge = bench->judging != NULL && bench->judging->is_judge;
    char reason[512];
    bench->world.queue = bench->judging != NULL ? queue : NULL;
    bench->world.filling = queue;
    if (!driver_open(&bench->driver, reason, sizeof reason))
        return host->fail(host, reason);
    int32_t status = load(bench);
    if (status == GB_OK && !is_judge)
        status = launch_prepare(&bench->launch, &routine->signature);
    if (status == GB_OK)
        status = world_new(plan, &bench->world);
    if (status == GB_OK)
        status = launch_bind(&bench->launch, &bench->world, routine);
    if (status == GB_OK)
        status = world_complete(&bench->world);
    if (status == GB_OK)
        status = read_inputs(bench, &bench->world);
    return status == GB_OK && !is_judge ? launch_report(&bench->launch) : status;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct kernel_bench *bench = object;
    CUresult result = CUDA_SUCCESS;
    for (; iterations > 0 && result == CUDA_SUCCESS; iterations--)
        result = launch_once(&bench->launch, queue->native);
    return driver_status(&bench->driver, bench->host, result, "launching the kernel");
}

static int32_t reset(void *object, const struct gb_queue *queue)
{
    const struct kernel_bench *bench = object;
    return driver_status(&bench->driver, bench->host, restore(bench, queue->native),
                         "restoring buffers");
}

/* What files hold is right for the first set only. */
static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    struct kernel_bench *bench = object;
    const bool has_files = bench->settings.params->output.n > 0;
    (void)queue;
    if (!has_files && !plan_compares(&bench->settings.plan))
        return GB_SKIPPED;
    const int32_t status = world_refresh(&bench->world, has_files ? 0 : set);
    return status == GB_OK ? read_inputs(bench, &bench->world) : status;
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct kernel_bench *bench = object;
    plan_work(&bench->settings.plan, work);
    return GB_OK;
}

/* --- once more --- */

static int32_t wait(const struct kernel_bench *bench, CUstream stream, CUresult result,
                    const char *doing)
{
    const struct driver *driver = &bench->driver;
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(stream);
    return driver_status(driver, bench->host, result, doing);
}

/* What the timed launches left is compared; where buffers are restored, what one more leaves. */
static int32_t launch_once_more(const struct kernel_bench *bench, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    if (world_restores(&bench->settings.plan) && bench->judging == NULL) {
        result = restore(bench, stream);
        if (result == CUDA_SUCCESS)
            result = launch_once(&bench->launch, stream);
    }
    return wait(bench, stream, result, "running the kernel once more");
}

/* --- references --- */

/* Made, or as it was made. */
static int32_t reference_world(struct kernel_bench *bench)
{
    struct world *world = &bench->reference_world;
    if (bench->has_reference_world)
        return world_refresh(world, bench->world.set);
    *world = (struct world){.is_on_host = !bench->settings.has_reference_kernel,
                            .set = bench->world.set,
                            .queue = bench->world.queue,
                            .filling = bench->world.filling,
                            .like = &bench->world};
    const int32_t status = world_new(&bench->settings.plan, world);
    bench->has_reference_world = status == GB_OK;
    return status;
}

static int32_t make_world(const struct kernel_bench *bench, struct world *world)
{
    const int32_t status = world_complete(world);
    return status == GB_OK ? read_inputs(bench, world) : status;
}

static int32_t run_kernel(struct kernel_bench *bench, struct world *world, CUstream stream)
{
    const struct routine *routine = &bench->settings.plan.reference;
    const struct gb_host *host = bench->host;
    struct launch *launch = &bench->reference;
    int32_t status = launch_prepare(launch, &routine->signature);
    if (status == GB_SKIPPED)
        return host->fail(host, "the reference kernel does not fit this device");
    if (status == GB_OK)
        status = launch_bind(launch, world, routine);
    if (status == GB_OK)
        status = make_world(bench, world);
    if (status != GB_OK)
        return status;
    return wait(bench, stream, launch_once(launch, stream), "running the reference kernel");
}

static int32_t run_function(const struct kernel_bench *bench, struct world *world)
{
    const struct gb_host *host = bench->host;
    const struct plan *plan = &bench->settings.plan;
    struct linkage linkage;
    struct invocation *call = host->allocate(host, sizeof *call);
    if (call == NULL)
        return GB_NO_MEMORY;
    if (!link_reference(plan, NULL, &linkage))
        return host->fail(host, linkage.reason);
    world->library = linkage.reference_library;
    call->is_foreign = true;
    int32_t status = invocation_bind(world, &plan->reference, linkage.reference, call);
    if (status == GB_OK)
        status = make_world(bench, world);
    if (status == GB_OK)
        invocation_run(call, 1);
    return status;
}

/* --- comparisons --- */

static int32_t compare_file(const struct kernel_bench *bench, const char *key, const char *file)
{
    const struct entry *entry = settings_buffer(&bench->settings, key);
    const struct buffer *buffer = &entry->value.buffer;
    char name[64];
    struct array_file array = {0};
    const void *output = NULL;
    int32_t status = world_read(&bench->world, entry, &output);
    if (status == GB_OK)
        status = read_array(bench, entry, file, &array);
    snprintf(name, sizeof name, "output.%.48s", key);
    const struct comparison comparison = {.name = name,
                                          .type = buffer->element,
                                          .wanted_type = array.element,
                                          .n = buffer->n,
                                          .output = output,
                                          .wanted = array.elements};
    if (status == GB_OK)
        status = compare(bench->host, &comparison);
    array_file_free(&array);
    return status;
}

static int32_t compare_all(const struct kernel_bench *bench, const struct world *reference)
{
    const struct gb_map *files = &bench->settings.params->output;
    int32_t first = compare_buffers(&bench->world, reference);
    for (uint64_t i = 0; i < files->n; i++) {
        const int32_t status = compare_file(bench, files->keys[i], files->values[i]);
        first = first == GB_OK ? status : first;
    }
    return first;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct kernel_bench *bench = object;
    const struct settings *settings = &bench->settings;
    struct world *world = &bench->reference_world;
    int32_t status = launch_once_more(bench, queue->native);
    if (status == GB_OK && settings->plan.has_reference) {
        status = reference_world(bench);
        if (status == GB_OK)
            status = settings->has_reference_kernel ? run_kernel(bench, world, queue->native)
                                                    : run_function(bench, world);
    }
    return status == GB_OK ? compare_all(bench, settings->plan.has_reference ? world : NULL)
                           : status;
}

static void destroy(void *object)
{
    struct kernel_bench *bench = object;
    if (bench == NULL)
        return;
    world_free(&bench->world);
    if (bench->has_reference_world)
        world_free(&bench->reference_world);
    if (bench->is_counted && --judged.n_users > 0)
        return;
    if (bench->module != NULL)
        bench->driver.module_unload(bench->module);
    if (bench->reference_module != NULL)
        bench->driver.module_unload(bench->reference_module);
}

static int32_t validate(const struct gb_host *host, const void *params, gb_problem_fn *problem,
                        void *context)
{
    struct reporter reporter = {problem, context, 0};
    int32_t status = GB_OK;
    struct settings *settings = host_memory(host, sizeof *settings, &status);
    if (status == GB_OK)
        status = settings_make(host, params, &reporter, settings);
    if (status == GB_OK && reporter.n == 0)
        check_judging(host, &reporter, settings);
    if (status == GB_OK && reporter.n == 0)
        settings_check_files(settings, &reporter);
    return status;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .reset = reset,
    .verify = verify,
    .work = work,
    .destroy = destroy,
    .refresh = refresh,
    .build = build_ahead,
};

JUDGED_VALIDATION_EXTENSION(.validate = validate);

static const char help_text[] =
    "A .cu is compiled by NVRTC for the device; the result is cached and used again as long as the "
    "source, its headers, macros, options and NVRTC are the same. Signature and arguments are "
    "those of the benchmark call: numbers, struct(...), null and buffers such as "
    "buffer(float[1Mi], out) or buffer(int[{n}], uniform=-9:9). Results are compared with those of "
    "another kernel, of a function of the host, with a file, or with expect= of a buffer.\n"
    "A case whose kernel needs more registers or shared memory than a block can have is skipped. "
    "Metrics: compile_ms, cached (1: taken from the cache), registers, spill_bytes, local_bytes, "
    "shared_bytes, blocks, blocks_per_unit and occupancy.";

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "kernel",
    .version = "1.0",
    .summary = "A kernel of your own in a .cu, .ptx or .cubin, described in the configuration",
    .help = help_text,
    .devices = "cuda",
    GB_OPTIONS(options, struct kernel_params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
