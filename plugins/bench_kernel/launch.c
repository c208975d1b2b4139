/* launch.c - see launch.h. Plugin side. */
#define _GNU_SOURCE
#include "launch.h"

#include "plugins/common/bench_steps.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t status_of(const struct launch *launch, CUresult result, const char *doing)
{
    return driver_status(launch->driver, launch->host, result, doing);
}

static CUresult device_value(const struct launch *launch, CUdevice_attribute attribute, int *ret)
{
    CUdevice device = 0;
    const CUresult result = launch->driver->context_device(&device);
    return result == CUDA_SUCCESS ? launch->driver->device_attribute(ret, attribute, device)
                                  : result;
}

/* "k.ptx(11): error: ..." of "ptxas application ptx input, line 11; error   : ..." */
static bool read_line(const char *path, const char *errors, char *ret, size_t bytes)
{
    static const char mark[] = "line ", end_of_ptx[] = ".ptx";
    const size_t n = strlen(path), n_end = sizeof end_of_ptx - 1;
    const bool is_ptx = n > n_end && strcmp(path + n - n_end, end_of_ptx) == 0;
    const char *at = is_ptx ? strstr(errors, mark) : NULL;
    char *end = NULL;
    const unsigned long line = at != NULL ? strtoul(at + sizeof mark - 1, &end, 10) : 0;
    if (line == 0 || *end != ';')
        return false;
    end += 1 + strspn(end + 1, " ");
    snprintf(ret, bytes, "%.500s(%lu): %.*s", path, line, (int)strcspn(end, "\r\n"), end);
    return true;
}

/* The first error is the reason; all of them are logged. */
static int32_t explain_loading(const struct launch *launch, const char *path, CUresult result,
                               const char *errors)
{
    char doing[400], reason[1024];
    int architecture = 0;
    if (errors[0] != '\0')
        launch->host->log(launch->host, GB_LOG_INFO, errors);
    if (read_line(path, errors, reason, sizeof reason))
        return launch->host->fail(launch->host, reason);
    const int32_t status = driver_architecture(launch->driver, launch->host, &architecture);
    if (status != GB_OK)
        return status;
    snprintf(doing, sizeof doing, "loading %.300s for this device, which is sm_%d", path,
             architecture);
    return status_of(launch, result, doing);
}

int32_t launch_load(const struct launch *launch, const char *path, const char *image,
                    char log[LOADING_LOG_BYTES], CUmodule *ret)
{
    char errors[LOADING_LOG_BYTES] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE};
    enum { N_OPTIONS = sizeof options / sizeof options[0] };
    /* As the driver takes them: numbers in the places of pointers. */
    void *values[N_OPTIONS] = {errors, (void *)(uintptr_t)sizeof errors, log,
                               (void *)(uintptr_t)LOADING_LOG_BYTES, (void *)(uintptr_t)1};
    log[0] = '\0';
    const CUresult result = launch->driver->module_load_with(ret, image, N_OPTIONS, options,
                                                             values);
    errors[sizeof errors - 1] = '\0';
    return result == CUDA_SUCCESS ? GB_OK : explain_loading(launch, path, result, errors);
}

int32_t launch_bind(struct launch *launch, struct world *world, const struct routine *routine)
{
    for (size_t i = 0; i < routine->signature.n; i++)
        launch->arguments[i] = launch->values[i].bytes;
    return world_arguments(world, routine, launch->values);
}

/* --- does it fit? --- */

/* From CUDA 12.4 on; before that how many parameters a kernel has is not known. */
static int32_t check_parameters(const struct launch *launch, const struct signature *signature)
{
    CUresult (*parameter)(CUfunction function, size_t i, size_t * ret_offset, size_t * ret_bytes);
    size_t n = 0, offset = 0, bytes = 0;
    *(void **)&parameter = dlsym(launch->driver->library, "cuFuncGetParamInfo");
    if (parameter == NULL)
        return GB_OK;
    while (n < SHRT_MAX && parameter(launch->function, n, &offset, &bytes) == CUDA_SUCCESS) {
        const size_t wanted = n < signature->n ? type_bytes(&signature->parameters[n]) : bytes;
        n++;
        if (bytes == wanted)
            continue;
        return host_fail(launch->host,
                         "signature: parameter %zu has %zu bytes, but that of the kernel %zu", n,
                         wanted, bytes);
    }
    if (n == signature->n)
        return GB_OK;
    return host_fail(launch->host, "signature: it has %zu parameters, but the kernel %zu",
                     signature->n, n);
}

static int32_t check_threads(const struct launch *launch)
{
    const struct dims *block = &launch->shape.block;
    const uint64_t n = (uint64_t)block->x * block->y * block->z;
    int most = 0;
    int registers = 0;
    CUresult result = launch->driver->function_attribute(
        &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, launch->function);
    if (result == CUDA_SUCCESS)
        result = launch->driver->function_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                                    launch->function);
    if (result != CUDA_SUCCESS || n <= (uint64_t)most)
        return status_of(launch, result, "querying the kernel's resources");
    return host_skip(launch->host,
                     "a block of %llu threads does not fit: this kernel, which has %d registers, "
                     "takes up to %d",
                     (unsigned long long)n, registers, most);
}

static int32_t check_cluster(const struct launch *launch)
{
    enum { PORTABLE = 8, FIRST_ARCHITECTURE = 90 };
    const struct dims *cluster = &launch->cluster;
    int architecture = 0;
    int32_t status = driver_architecture(launch->driver, launch->host, &architecture);
    if (status == GB_OK && architecture < FIRST_ARCHITECTURE)
        return launch->host->skip(launch->host, "this device does not support clusters of blocks");
    if (status == GB_OK && cluster->x * cluster->y * cluster->z > PORTABLE)
        status = status_of(
            launch,
            launch->driver->function_set(launch->function,
                                         CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
            "enabling clusters of more than 8 blocks");
    return status;
}

/* Beyond 48 KiB, and less what the kernel itself has, it must be asked for. */
static int32_t ask_for_shared(const struct launch *launch)
{
    const int wanted = (int)launch->shape.shared;
    int own = 0;
    int most = 0;
    CUresult result = launch->driver->function_attribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                                         launch->function);
    if (result == CUDA_SUCCESS)
        result = device_value(launch, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &most);
    if (result == CUDA_SUCCESS && wanted > most - own)
        return host_skip(launch->host,
                         "shared = %d does not fit: a block has up to %d bytes, of which the "
                         "kernel itself takes %d",
                         wanted, most, own);
    if (result == CUDA_SUCCESS && wanted > 0)
        result = launch->driver->function_set(
            launch->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wanted);
    return status_of(launch, result, "requesting shared memory");
}

int32_t launch_prepare(const struct launch *launch, const struct signature *signature)
{
    int32_t status = check_parameters(launch, signature);
    if (status == GB_OK)
        status = check_threads(launch);
    if (status == GB_OK)
        status = ask_for_shared(launch);
    if (status == GB_OK && launch->cluster.x > 0)
        status = check_cluster(launch);
    return status;
}

/* --- metrics --- */

/* A block takes whole warps. */
static int32_t report_occupancy(const struct launch *launch)
{
    enum { WARP = 32 };
    const struct dims *block = &launch->shape.block;
    const int n_threads = (int)(block->x * block->y * block->z);
    int n_blocks = 0;
    int most = 0;
    CUresult result = launch->driver->occupancy(&n_blocks, launch->function, n_threads,
                                                launch->shape.shared);
    if (result == CUDA_SUCCESS)
        result = device_value(launch, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &most);
    if (result == CUDA_SUCCESS && most > 0) {
        const int n_taken = (n_threads + WARP - 1) / WARP * WARP;
        launch->host->metric(launch->host, "blocks_per_unit", n_blocks, "blocks");
        launch->host->metric(launch->host, "occupancy", (double)n_blocks * n_taken / most, "ratio");
    }
    return status_of(launch, result, "querying the occupancy");
}

int32_t launch_report(const struct launch *launch)
{
    static const struct {
        const char *name, *unit;
        CUfunction_attribute attribute;
        bool counts_asked; /* with what is asked for at the launch */
    } metrics[] = {
        {"registers", "registers", CU_FUNC_ATTRIBUTE_NUM_REGS, false},
        {"local_bytes", "bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, false},
        {"shared_bytes", "bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, true},
    };
    const struct dims *grid = &launch->shape.grid;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && i < sizeof metrics / sizeof metrics[0]; i++) {
        int value = 0;
        result = launch->driver->function_attribute(&value, metrics[i].attribute, launch->function);
        if (result == CUDA_SUCCESS)
            launch->host->metric(launch->host, metrics[i].name,
                                 (double)value +
                                     (metrics[i].counts_asked ? launch->shape.shared : 0),
                                 metrics[i].unit);
    }
    launch->host->metric(launch->host, "blocks", (double)grid->x * grid->y * grid->z, "blocks");
    if (result != CUDA_SUCCESS)
        return status_of(launch, result, "querying the kernel's resources");
    return report_occupancy(launch);
}

/* --- launching --- */

CUresult launch_once(const struct launch *launch, CUstream stream)
{
    const struct dims *grid = &launch->shape.grid, *block = &launch->shape.block;
    /* The driver reads the arguments only. */
    void **arguments = (void **)(uintptr_t)launch->arguments;
    if (launch->cluster.x == 0)
        return launch->driver->launch(launch->function, grid->x, grid->y, grid->z, block->x,
                                      block->y, block->z, launch->shape.shared, stream, arguments,
                                      NULL);
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.clusterDim.x = launch->cluster.x;
    cluster.value.clusterDim.y = launch->cluster.y;
    cluster.value.clusterDim.z = launch->cluster.z;
    const CUlaunchConfig config = {.gridDimX = grid->x,
                                   .gridDimY = grid->y,
                                   .gridDimZ = grid->z,
                                   .blockDimX = block->x,
                                   .blockDimY = block->y,
                                   .blockDimZ = block->z,
                                   .sharedMemBytes = launch->shape.shared,
                                   .hStream = stream,
                                   .attrs = &cluster,
                                   .numAttrs = 1};
    return launch->driver->launch_with(&config, launch->function, arguments, NULL);
}
