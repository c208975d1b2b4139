/*
 * matmul_cuda.c - the products on streams of CUDA. Plugin side.
 *
 * run forks from the queue to the streams and joins them by events only, so that it can be captured
 * as a graph and a sample be held back on the queue until all of it is launched. One stream is
 * forked to as well: the time on one is what those on several are compared with.
 */
#define _GNU_SOURCE
#include "matmul.h"
#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/cuda_image.h"
#include "plugins/common/symbols.h"
#include "prediction.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- contexts with some of a device's multiprocessors only --- */

struct green_context {
    void *handle;      /* CUgreenCtx; NULL: there is none */
    CUcontext context; /* to be made current; what is made there must be destroyed before it */
    uint32_t n_units;  /* multiprocessors it was given, at least as many as were asked for */
};

#if CUDA_VERSION >= 12040

/* CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, which the first headers do not name: any even
 * number of multiprocessors, as no kernel here is made of clusters. */
enum { SPLIT_FINELY = 1 };

#define GREEN_FUNCTIONS(X)                                                                         \
    X(resource, cuDeviceGetDevResource)                                                            \
    X(split, cuDevSmResourceSplitByCount)                                                          \
    X(describe, cuDevResourceGenerateDesc)                                                         \
    X(create, cuGreenCtxCreate)                                                                    \
    X(destroy, cuGreenCtxDestroy)                                                                  \
    X(context_from, cuCtxFromGreenCtx)

/* Not in the driver's table: drivers older than 12.4 do not have them. */
struct green_functions {
    GREEN_FUNCTIONS(SYMBOL_MEMBER)
};

/* The name after the header's macros, which choose the version of a symbol. */
#define SYMBOL_TEXT(symbol) #symbol

static bool load(const struct driver *driver, struct green_functions *functions)
{
    const struct symbol symbols[] = {
#define GREEN_SYMBOL(member, symbol) {SYMBOL_TEXT(symbol), &functions->member},
        GREEN_FUNCTIONS(GREEN_SYMBOL)
#undef GREEN_SYMBOL
    };
    return FIND_SYMBOLS(driver->library, symbols) == NULL;
}

/* What a driver answers that has green contexts, but not on this device or not in this size. */
static bool is_refusal(CUresult result)
{
    return result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_NOT_PERMITTED ||
           result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_RESOURCE_TYPE ||
           result == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

static int32_t green_status(const struct driver *driver, const struct gb_host *host,
                            uint32_t n_units, CUresult result)
{
    char words[128];
    if (!is_refusal(result))
        return driver_status(driver, host, result, "creating a green context");
    driver_error_words(driver, result, words, sizeof words);
    return host_skip(host, "units = %u: the driver cannot create a green context of that size: %s",
                     n_units, words);
}

/* One part of the device, of at least n_units. */
static CUresult take_part(const struct green_functions *functions, const CUdevResource *whole,
                          uint32_t n_units, CUdevResource *ret)
{
    static const unsigned flags[] = {SPLIT_FINELY, 0};
    CUresult result = CUDA_SUCCESS;
    if (n_units == whole->sm.smCount) {
        *ret = *whole;
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        unsigned n_parts = 1;
        result = functions->split(ret, &n_parts, whole, NULL, flags[i], n_units);
        if (result == CUDA_SUCCESS && n_parts == 1)
            return CUDA_SUCCESS;
    }
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION : result;
}

/*
 * Makes one on the device of the current context, which it leaves current. GB_SKIPPED where the
 * driver or the device cannot do it, with the reason reported to the host.
 */
static int32_t green_context_make(const struct driver *driver, const struct gb_host *host,
                                  uint32_t n_units, struct green_context *ret)
{
    struct green_functions functions;
    CUdevice device = 0;
    CUdevResource whole;
    CUdevResource part;
    CUdevResourceDesc description = NULL;
    CUgreenCtx handle = NULL;
    if (!load(driver, &functions))
        return host_skip(
            host,
            "units = %u: the driver has no green contexts: expected one for CUDA 12.4 or later",
            n_units);
    CUresult result = driver->context_device(&device);
    if (result == CUDA_SUCCESS)
        result = functions.resource(device, &whole, CU_DEV_RESOURCE_TYPE_SM);
    if (result == CUDA_SUCCESS && n_units > whole.sm.smCount)
        return host_skip(host, "units = %u: the device has %u multiprocessors", n_units,
                         whole.sm.smCount);
    if (result == CUDA_SUCCESS)
        result = take_part(&functions, &whole, n_units, &part);
    if (result == CUDA_SUCCESS)
        result = functions.describe(&description, &part, 1);
    if (result == CUDA_SUCCESS)
        result = functions.create(&handle, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
    if (result == CUDA_SUCCESS) {
        *ret = (struct green_context){.handle = handle, .n_units = part.sm.smCount};
        result = functions.context_from(&ret->context, handle);
    }
    return green_status(driver, host, n_units, result);
}

/* Allowed where none was made. */
static void green_context_destroy(const struct driver *driver, struct green_context *green)
{
    struct green_functions functions;
    if (green->handle != NULL && load(driver, &functions))
        functions.destroy(green->handle);
    *green = (struct green_context){0};
}

#else

static int32_t green_context_make(const struct driver *driver, const struct gb_host *host,
                                  uint32_t n_units, struct green_context *ret)
{
    (void)driver;
    (void)ret;
    return host_skip(host,
                     "units = %u: this build has no green contexts: expected one with the headers "
                     "of CUDA 12.4 or later",
                     n_units);
}

static void green_context_destroy(const struct driver *driver, struct green_context *green)
{
    (void)driver;
    (void)green;
}

#endif

#define STAMPS "plugins/bench_multistream_matmul/stamps.h"
CUDA_IMAGE_AFTER(image, STAMPS, "plugins/bench_multistream_matmul/matmul");

enum { N_MATRICES = 3, STAMPED_BLOCKS_MAX = 65536 };

struct cuda_matmul {
    struct driver driver;
    CUcontext home; /* the device's primary context; */
    CUcontext work; /*   where streams, their events and the kernel are: it, or that of units */
    struct green_context green;
    CUmodule module;
    CUfunction multiply;
    CUevent fork; /* of the context home */
    CUstream *streams;
    CUevent *joins;
    uint64_t n_streams, n_joins; /* made so far */
    CUdeviceptr pooled[N_MATRICES];
    uint32_t n_pooled;
    unsigned columns, rows; /* of blocks in a problem's grid */
    struct block_log *logs; /* on the device, of all blocks; NULL: without stamps */
};

static int32_t status_of(const struct matmul *matmul, CUresult result, const char *doing)
{
    const struct cuda_matmul *cuda = matmul->own;
    return driver_status(&cuda->driver, matmul->host, result, doing);
}

/* --- create --- */

static int32_t require_pools(const struct matmul *matmul)
{
    const struct cuda_matmul *cuda = matmul->own;
    int has_pools = 1;
    const struct driver_question question = {&has_pools,
                                             CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED};
    const int32_t status = driver_ask(&cuda->driver, matmul->host, &question, 1,
                                      "querying memory pools");
    return has_pools != 0 ? status
                          : matmul->host->skip(matmul->host,
                                               "allocation = pool: the device has no memory pools");
}

static int32_t create(struct matmul *matmul)
{
    const struct gb_host *host = matmul->host;
    char reason[512];
    struct cuda_matmul *cuda = matmul->own;
    if (matmul->a_size > INT32_MAX || matmul->b_size > INT32_MAX)
        return host->skip(host,
                          "a matrix is too large for CUDA: expected fewer than 2^31 elements");
    if (!driver_open(&cuda->driver, reason, sizeof reason))
        return host->fail(host, reason);
    const int32_t status = status_of(matmul, cuda->driver.context_get(&cuda->home),
                                     "querying the context");
    cuda->work = cuda->home;
    if (status != GB_OK || matmul->params->allocation != ALLOCATION_POOL)
        return status;
    return require_pools(matmul);
}

/* --- memory --- */

static int32_t allocate(struct matmul *matmul, const struct gb_queue *queue, uint64_t bytes,
                        float **ret)
{
    struct cuda_matmul *cuda = matmul->own;
    int32_t status = GB_OK;
    if (matmul->params->allocation != ALLOCATION_POOL) {
        *ret = device_memory(matmul->host, bytes, GB_MEMORY_DEVICE, &status);
        return status;
    }
    CUdeviceptr *pooled = &cuda->pooled[cuda->n_pooled];
    status = status_of(matmul, cuda->driver.allocate_async(pooled, (size_t)bytes, queue->native),
                       "allocating from the device's pool");
    cuda->n_pooled += status == GB_OK;
    *ret = (float *)(uintptr_t)*pooled;
    return status;
}

static int32_t set(struct matmul *matmul, const struct gb_queue *queue, float *to, uint64_t n,
                   float value)
{
    const struct cuda_matmul *cuda = matmul->own;
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return status_of(
        matmul,
        cuda->driver.fill_words_async((CUdeviceptr)(uintptr_t)to, bits, (size_t)n, queue->native),
        "filling a matrix");
}

/* --- streams --- */

/* From the highest on the first stream to the lowest on the last; lower numbers are higher. */
static CUresult priority_of(const struct matmul *matmul, uint64_t stream, int *ret)
{
    const struct cuda_matmul *cuda = matmul->own;
    int lowest = 0;
    int highest = 0;
    *ret = 0;
    if (matmul->params->priority == PRIORITY_UNIFORM || matmul->n_streams < 2)
        return CUDA_SUCCESS;
    const CUresult result = cuda->driver.stream_priorities(&lowest, &highest);
    *ret = highest +
           (int)((int64_t)(lowest - highest) * (int64_t)stream / (int64_t)(matmul->n_streams - 1));
    return result;
}

static CUresult make_stream(const struct matmul *matmul, uint64_t stream)
{
    struct cuda_matmul *cuda = matmul->own;
    int priority = 0;
    CUresult result = priority_of(matmul, stream, &priority);
    if (result == CUDA_SUCCESS)
        result = cuda->driver.stream_create_with_priority(&cuda->streams[stream],
                                                          CU_STREAM_NON_BLOCKING, priority);
    if (result != CUDA_SUCCESS)
        return result;
    cuda->n_streams++;
    result = cuda->driver.event_create(&cuda->joins[stream], CU_EVENT_DISABLE_TIMING);
    cuda->n_joins += result == CUDA_SUCCESS;
    return result;
}

/* In the context that they belong to. */
static int32_t make_streams_and_kernel(struct matmul *matmul)
{
    struct cuda_matmul *cuda = matmul->own;
    int32_t status = cuda_image_load(&cuda->driver, matmul->host, &image, &cuda->module);
    if (status == GB_OK)
        status = cuda_image_function(
            &cuda->driver, matmul->host, cuda->module,
            matmul->params->sum == SUM_MEMORY ? "multiply_in_memory" : "multiply", &cuda->multiply);
    for (uint64_t i = 0; status == GB_OK && i < matmul->n_streams; i++)
        status = status_of(matmul, make_stream(matmul, i), "creating streams");
    return status;
}

static int32_t choose_units(struct matmul *matmul)
{
    struct cuda_matmul *cuda = matmul->own;
    const struct gb_host *host = matmul->host;
    if (matmul->params->units == 0)
        return GB_OK;
    const int32_t status = green_context_make(&cuda->driver, host, (uint32_t)matmul->params->units,
                                              &cuda->green);
    if (status != GB_OK)
        return status;
    cuda->work = cuda->green.context;
    host->metric(host, "units", cuda->green.n_units, "multiprocessors");
    return GB_OK;
}

static CUresult go_to(const struct cuda_matmul *cuda, CUcontext context)
{
    return cuda->work == cuda->home ? CUDA_SUCCESS : cuda->driver.context_set(context);
}

static int32_t plan_blocks(struct matmul *matmul)
{
    struct cuda_matmul *cuda = matmul->own;
    const struct params *params = matmul->params;
    int32_t status = GB_OK;
    cuda->columns = (unsigned)quotient_up((uint64_t)params->cols, (uint64_t)params->block);
    cuda->rows = (unsigned)quotient_up((uint64_t)params->rows, (uint64_t)params->block);
    const uint64_t n = (uint64_t)params->problems * cuda->columns * cuda->rows;
    if (params->stamps != STAMPS_NO && n <= STAMPED_BLOCKS_MAX)
        cuda->logs = device_filled(matmul->host, n * sizeof *cuda->logs, 0, &status);
    return status;
}

static int32_t prepare(struct matmul *matmul, const struct gb_queue *queue)
{
    (void)queue;
    struct cuda_matmul *cuda = matmul->own;
    const struct gb_host *host = matmul->host;
    int32_t status = GB_OK;
    cuda->streams = host_memory(host, matmul->n_streams * sizeof *cuda->streams, &status);
    cuda->joins = host_memory(host, matmul->n_streams * sizeof *cuda->joins, &status);
    if (status == GB_OK)
        status = plan_blocks(matmul);
    if (status == GB_OK)
        status = status_of(matmul, cuda->driver.event_create(&cuda->fork, CU_EVENT_DISABLE_TIMING),
                           "creating events");
    if (status == GB_OK)
        status = choose_units(matmul);
    if (status == GB_OK)
        status = status_of(matmul, go_to(cuda, cuda->work), "entering a green context");
    if (status == GB_OK)
        status = make_streams_and_kernel(matmul);
    const CUresult result = go_to(cuda, cuda->home);
    return status != GB_OK ? status : status_of(matmul, result, "leaving a green context");
}

/* --- run --- */

static CUresult launch_problem(const struct matmul *matmul, uint64_t problem, CUstream stream)
{
    const struct cuda_matmul *cuda = matmul->own;
    const struct params *params = matmul->params;
    const unsigned block = (unsigned)params->block;
    const float *a = matmul->a + problem * matmul->a_size;
    const float *b = matmul->b + problem * matmul->b_size;
    float *c = matmul->c + problem * matmul->c_size;
    int rows = (int)params->rows;
    int cols = (int)params->cols;
    int aligned = (int)params->aligned;
    struct block_log *logs = cuda->logs != NULL ? cuda->logs + problem * cuda->columns * cuda->rows
                                                : NULL;
    void *arguments[] = {&a, &b, &c, &rows, &cols, &aligned, &logs};
    return cuda->driver.launch(cuda->multiply, cuda->columns, cuda->rows, 1, block, block, 1, 0,
                               stream, arguments, NULL);
}

/* What is done on the streams, between the fork and the join on the queue. */
static CUresult launch_problems(const struct matmul *matmul)
{
    const struct cuda_matmul *cuda = matmul->own;
    const uint64_t n_problems = (uint64_t)matmul->params->problems;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < matmul->n_streams; i++)
        result = cuda->driver.stream_wait_event(cuda->streams[i], cuda->fork, 0);
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < n_problems; i++) {
        const struct launch *launch = &matmul->launches[i];
        result = launch_problem(matmul, launch->problem, cuda->streams[launch->stream]);
    }
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < matmul->n_streams; i++)
        result = cuda->driver.event_record(cuda->joins[i], cuda->streams[i]);
    return result;
}

/* An event is recorded in its own context; waiting for one of another is allowed. */
static CUresult run_once(const struct matmul *matmul, CUstream queue)
{
    const struct cuda_matmul *cuda = matmul->own;
    CUresult result = cuda->driver.event_record(cuda->fork, queue);
    if (result == CUDA_SUCCESS)
        result = go_to(cuda, cuda->work);
    if (result == CUDA_SUCCESS)
        result = launch_problems(matmul);
    const CUresult back = go_to(cuda, cuda->home);
    if (result == CUDA_SUCCESS)
        result = back;
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < matmul->n_streams; i++)
        result = cuda->driver.stream_wait_event(queue, cuda->joins[i], 0);
    return result;
}

static int32_t run(const struct matmul *matmul, const struct gb_queue *queue, uint64_t iterations)
{
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < iterations; i++)
        result = run_once(matmul, queue->native);
    return status_of(matmul, result, "launching products");
}

/* --- verify: what the stamps say --- */

static void report_each(const struct gb_host *host, const struct stamped *stamped, uint64_t run)
{
    char name[64];
    for (uint64_t i = 0; i < stamped->n_problems; i++) {
        const struct problem_time time = problem_time(stamped, i, run);
        snprintf(name, sizeof name, "problem_%" PRIu64, i);
        host->metric(host, name, (double)(time.end_ns - time.start_ns), "ns");
        snprintf(name, sizeof name, "problem_%" PRIu64 "_unit", i);
        host->metric(host, name, time.unit, "");
    }
}

static void report(const struct gb_host *host, const struct prediction *run)
{
    host->metric(host, "fastest_problem", run->fastest_ns, "ns");
    host->metric(host, "slowest_problem", run->slowest_ns, "ns");
    host->metric(host, "units_used", run->n_units, "multiprocessors");
    host->metric(host, "predicted_time", run->predicted_ns, "ns");
    host->metric(host, "predicted_speedup", run->one_by_one_ns / run->predicted_ns, "");
    host->metric(host, "measured_to_predicted", run->measured_ns / run->predicted_ns, "");
}

static int32_t verify(struct matmul *matmul, const struct gb_queue *queue)
{
    (void)queue;
    const struct cuda_matmul *cuda = matmul->own;
    const struct gb_host *host = matmul->host;
    struct stamped stamped = {
        .n_problems = (uint64_t)matmul->params->problems,
        .n_streams = matmul->n_streams,
        .n_blocks = (uint64_t)cuda->columns * cuda->rows,
    };
    const uint64_t bytes = stamped.n_problems * stamped.n_blocks * sizeof *cuda->logs;
    struct prediction run;
    if (cuda->logs == NULL)
        return GB_OK;
    int32_t status = GB_OK;
    stamped.logs = host_copy_of(host, cuda->logs, bytes, &status);
    if (status != GB_OK || !predict(&stamped, &run))
        return status;
    report(host, &run);
    if (matmul->params->stamps == STAMPS_EACH)
        report_each(host, &stamped, run.run);
    return GB_OK;
}

/* --- destroy --- */

static void destroy_streams_and_kernel(struct cuda_matmul *cuda)
{
    const struct driver *driver = &cuda->driver;
    for (uint64_t i = 0; i < cuda->n_streams; i++) {
        driver->stream_synchronize(cuda->streams[i]);
        driver->stream_destroy(cuda->streams[i]);
    }
    for (uint64_t i = 0; i < cuda->n_joins; i++)
        driver->event_destroy(cuda->joins[i]);
    if (cuda->module != NULL)
        driver->module_unload(cuda->module);
}

/* Memory of the pool is freed when nothing uses it: all work was waited for. */
static void destroy(void *object)
{
    struct cuda_matmul *cuda = object;
    const struct driver *driver = &cuda->driver;
    if (go_to(cuda, cuda->work) == CUDA_SUCCESS)
        destroy_streams_and_kernel(cuda);
    go_to(cuda, cuda->home);
    if (cuda->fork != NULL)
        driver->event_destroy(cuda->fork);
    green_context_destroy(driver, &cuda->green);
    if (cuda->n_pooled > 0)
        driver->context_synchronize();
    for (uint32_t i = 0; i < cuda->n_pooled; i++)
        driver->free(cuda->pooled[i]);
}

const struct backend matmul_cuda = {
    .own_bytes = sizeof(struct cuda_matmul),
    .has_b_by_rows = true,
    .create = create,
    .allocate = allocate,
    .set = set,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .destroy = destroy,
};
