/* verify.c - what a kernel finds in its buffers, and what it left there compared with what is
 * wanted. Plugin side. */
#define _GNU_SOURCE
#include "files.h"
#include "kernel.h"
#include "plugins/common/call/call_compare.h"
#include "plugins/common/call/call_invoke.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- before it runs --- */

static int32_t read_input(const struct kernel_bench *bench, const struct world *world,
                          const char *key, const char *file)
{
    const struct gb_host *host = bench->host;
    const struct entry *entry = settings_buffer(&bench->settings, key);
    const struct buffer *buffer = &entry->value.buffer;
    const struct made *made = world_made(world, entry);
    const uint64_t bytes = buffer_bytes(buffer);
    char reason[FILE_REASON_BYTES];
    struct array_file array = {0};
    char *path = path_in(settings_folder(host), file);
    int32_t status = GB_OK;
    if (path == NULL)
        return GB_NO_MEMORY;
    if (!array_file_read(path, buffer->element, buffer->n, &array, reason))
        status = host->fail(host, reason);
    else if (array.element != buffer->element)
        status = host->fail(host, "input: the file has elements of another type than the buffer");
    else if (world->is_on_host || buffer->memory == MEMORY_HOST)
        memcpy(made->memory, array.elements, bytes);
    else
        status = host->device_copy(host, made->memory, array.elements, bytes);
    if (status == GB_OK && made->pristine != NULL && !world->is_on_host)
        status = host->device_copy(host, made->pristine, array.elements, bytes);
    array_file_free(&array);
    free(path);
    return status;
}

int32_t kernel_read_inputs(const struct kernel_bench *bench, const struct world *world)
{
    const struct gb_map *input = &bench->settings.params->input;
    int32_t status = GB_OK;
    for (uint64_t i = 0; i < input->n && status == GB_OK; i++)
        status = read_input(bench, world, input->keys[i], input->values[i]);
    return status;
}

CUresult kernel_restore(const struct kernel_bench *bench, CUstream stream)
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
    if (world_restores(&bench->settings.plan)) {
        result = kernel_restore(bench, stream);
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
                            .like = &bench->world};
    const int32_t status = world_new(&bench->settings.plan, world);
    bench->has_reference_world = status == GB_OK;
    return status;
}

static int32_t make_world(const struct kernel_bench *bench, struct world *world)
{
    const int32_t status = world_complete(world);
    return status == GB_OK ? kernel_read_inputs(bench, world) : status;
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

static int32_t compare_file(const struct kernel_bench *bench, const struct entry *entry,
                            const char *key, const char *file)
{
    const struct gb_host *host = bench->host;
    const struct buffer *buffer = &entry->value.buffer;
    char reason[FILE_REASON_BYTES], name[64];
    struct array_file array = {0};
    const void *output = NULL;
    char *path = path_in(settings_folder(host), file);
    int32_t status = path != NULL ? world_read(&bench->world, entry, &output) : GB_NO_MEMORY;
    if (status == GB_OK && !array_file_read(path, buffer->element, buffer->n, &array, reason))
        status = host->fail(host, reason);
    snprintf(name, sizeof name, "output.%.48s", key);
    const struct comparison comparison = {.name = name,
                                          .type = buffer->element,
                                          .wanted_type = array.element,
                                          .n = buffer->n,
                                          .output = output,
                                          .wanted = array.elements};
    if (status == GB_OK)
        status = compare(host, &comparison);
    array_file_free(&array);
    free(path);
    return status;
}

static int32_t compare_all(const struct kernel_bench *bench, const struct world *reference)
{
    const struct settings *settings = &bench->settings;
    const struct gb_map *files = &settings->params->output;
    int32_t first = compare_buffers(&bench->world, reference);
    for (uint64_t i = 0; i < files->n; i++) {
        const struct entry *entry = settings_buffer(settings, files->keys[i]);
        const int32_t status = compare_file(bench, entry, files->keys[i], files->values[i]);
        first = first == GB_OK ? status : first;
    }
    return first;
}

int32_t kernel_verify(void *object, const struct gb_queue *queue)
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
