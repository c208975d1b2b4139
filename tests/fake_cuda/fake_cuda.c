/* fake_cuda.c - see fake_cuda.h. */
#include "tests/fake_cuda/fake_cuda.h"

#include "plugins/bench_multistream_matmul/stamps.h"
#include "tests/fake_cuda/fake_driver.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Contexts are known by their addresses, as are the others. */
struct CUctx_st {
    bool is_dead;
    int32_t n_retained;
    uint32_t reached; /* bit i: may use memory of primary context i */
};
struct CUstream_st {
    CUcontext context;
    int32_t number, priority;
    int32_t n_launched, n_joined;
    bool is_forked;
    uint64_t now_ns; /* when all of its work is done */
};
struct CUevent_st {
    CUcontext context;
    CUstream stream; /* last recorded on; */
    int32_t n;       /*   launches before that */
};
struct CUmod_st {
    CUcontext context;
};

static struct CUctx_st primaries[FAKE_DEVICES_MAX]; /* the first is in use by the host */
static struct CUctx_st green;
static CUcontext current = primaries;
static struct CUstream_st queue = {.context = primaries, .number = -1};
static int32_t n_streams;

__attribute__((visibility("default"))) struct fake_cuda fake_cuda = {.queue = &queue};

#pragma GCC visibility push(default)

static CUresult next_call(void)
{
    fake_cuda.n_calls++;
    return fake_cuda.n_calls == fake_cuda.fail_at ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

static CUresult expect(bool is_right)
{
    fake_cuda.n_wrong += !is_right;
    return is_right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static void *make(size_t bytes)
{
    void *object = next_call() == CUDA_SUCCESS ? calloc(1, bytes) : NULL;
    fake_cuda.n_live += object != NULL;
    return object;
}

static CUresult end(void *object, CUcontext context)
{
    const CUresult result = expect(!context->is_dead);
    fake_cuda.n_live--;
    free(object);
    return result;
}

/* --- device and contexts --- */

/* A number from the environment. */
static int from_environment(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? (int)strtol(text, NULL, 10) : otherwise;
}

RETURNS((CUresult)from_environment("FAKE_CUDA_INIT", CUDA_SUCCESS), cuInit, (unsigned flags))
SUCCEEDS(cuDriverGetVersion, (int *ret), *ret = from_environment("FAKE_CUDA_VERSION", CUDA_VERSION))
SUCCEEDS(cuDeviceGetCount, (int *ret), *ret = fake_cuda.n_devices > 0 ? fake_cuda.n_devices : 1)
SUCCEEDS(cuCtxGetCurrent, (CUcontext * ret), *ret = current)
SUCCEEDS(cuCtxGetDevice, (CUdevice * ret), *ret = 0)

SUCCEEDS(cuGetErrorName, (CUresult result, const char **ret),
         *ret = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                                   : "CUDA_ERROR_OTHER")

static bool is_primary(CUcontext context)
{
    return context >= primaries && context < primaries + FAKE_DEVICES_MAX;
}

RETURNS(expect(context == primaries || (context == &green && !green.is_dead) ||
               (is_primary(context) && context->n_retained > 0)),
        cuCtxSetCurrent, (CUcontext context), current = context)
SUCCEEDS(cuCtxSynchronize, (void))

SUCCEEDS(cuDeviceGetAttribute, (int *ret, CUdevice_attribute attribute, CUdevice device),
         *ret = attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED ? fake_cuda.has_pools : 0)

SUCCEEDS(cuCtxGetStreamPriorityRange, (int *ret_lowest, int *ret_highest), *ret_lowest = 0;
         *ret_highest = -5)

/* --- several devices --- */

RETURNS(expect(device != peer), cuDeviceCanAccessPeer, (int *ret, CUdevice device, CUdevice peer),
        *ret = fake_cuda.has_no_access == 0)

CUresult cuDevicePrimaryCtxRetain(CUcontext *ret, CUdevice device)
{
    const CUresult result = next_call();
    if (result != CUDA_SUCCESS)
        return result;
    *ret = &primaries[device];
    fake_cuda.n_live += primaries[device].n_retained++ > 0; /* the first may stay */
    fake_cuda.n_contexts += primaries[device].n_retained == 1;
    return CUDA_SUCCESS;
}

RETURNS(expect(primaries[device].n_retained-- > 0), cuDevicePrimaryCtxRelease, (CUdevice device),
        fake_cuda.n_live -= primaries[device].n_retained > 1)

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    const uint32_t bit = UINT32_C(1) << (peer - primaries);
    const CUresult result = next_call();
    if (result != CUDA_SUCCESS)
        return result;
    if ((current->reached & bit) != 0)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    current->reached |= bit;
    fake_cuda.n_access++;
    return expect(flags == 0 && peer != current && is_primary(peer));
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    const uint32_t bit = UINT32_C(1) << (peer - primaries);
    const CUresult result = expect((current->reached & bit) != 0);
    current->reached &= ~bit;
    fake_cuda.n_access--;
    return result;
}

/* --- green contexts --- */

SUCCEEDS(cuDeviceGetDevResource, (CUdevice device, CUdevResource *ret, CUdevResourceType type),
         ret->type = type;
         ret->sm.smCount = FAKE_UNITS)

CUresult cuDevSmResourceSplitByCount(CUdevResource *ret, unsigned *n, const CUdevResource *whole,
                                     CUdevResource *rest, unsigned flags, unsigned wanted)
{
    const unsigned step = (unsigned)fake_cuda.unit_steps;
    if (step == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    *ret = *whole;
    ret->sm.smCount = (wanted + step - 1) / step * step;
    *n = ret->sm.smCount <= whole->sm.smCount ? 1 : 0;
    return CUDA_SUCCESS;
}

SUCCEEDS(cuDevResourceGenerateDesc, (CUdevResourceDesc * ret, CUdevResource *parts, unsigned n),
         fake_cuda.n_given_units = (int32_t)parts->sm.smCount;
         *ret = NULL)

CUresult cuGreenCtxCreate(CUgreenCtx *ret, CUdevResourceDesc description, CUdevice device,
                          unsigned flags)
{
    *ret = make(1);
    green.is_dead = false;
    return *ret == NULL                           ? CUDA_ERROR_OUT_OF_MEMORY
           : flags == CU_GREEN_CTX_DEFAULT_STREAM ? CUDA_SUCCESS
                                                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGreenCtxDestroy(CUgreenCtx handle)
{
    const CUresult result = end(handle, &green);
    green.is_dead = true;
    expect(current == primaries);
    return result;
}

RETURNS(next_call(), cuCtxFromGreenCtx, (CUcontext * ret, CUgreenCtx handle), *ret = &green)

/* --- memory --- */

/* Memory of devices, to tell copies between two of them; more than there is room for is as host's.
 */
enum { BLOCKS_MAX = 256 };
static struct block {
    CUdeviceptr start;
    size_t bytes;
    CUcontext context;
} blocks[BLOCKS_MAX];

static CUcontext owner_of(CUdeviceptr address)
{
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        if (address >= blocks[i].start && address < blocks[i].start + blocks[i].bytes)
            return blocks[i].context;
    return NULL;
}

CUresult cuMemAllocAsync(CUdeviceptr *ret, size_t bytes, CUstream stream)
{
    size_t i = 0;
    void *memory = make(bytes);
    *ret = (CUdeviceptr)(uintptr_t)memory;
    while (i < BLOCKS_MAX && blocks[i].bytes > 0)
        i++;
    if (memory != NULL && i < BLOCKS_MAX)
        blocks[i] = (struct block){*ret, bytes, current};
    return memory != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

RETURNS(cuMemAllocAsync(ret, bytes, NULL), cuMemAlloc, (CUdeviceptr * ret, size_t bytes))

CUresult cuMemFree(CUdeviceptr memory)
{
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        if (blocks[i].start == memory)
            blocks[i] = (struct block){0};
    return end((void *)(uintptr_t)memory, primaries);
}

CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned value, size_t n, CUstream stream)
{
    unsigned *words = (unsigned *)(uintptr_t)memory;
    for (size_t i = 0; i < n; i++)
        words[i] = value;
    return next_call();
}

/* --- streams and events --- */

CUresult cuStreamCreateWithPriority(CUstream *ret, unsigned flags, int priority)
{
    CUstream stream = make(sizeof *stream);
    if (stream == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *stream = (struct CUstream_st){.context = current, .number = n_streams++, .priority = priority};
    *ret = stream;
    return expect(flags == CU_STREAM_NON_BLOCKING);
}

RETURNS(cuStreamCreateWithPriority(ret, flags, 0), cuStreamCreate, (CUstream * ret, unsigned flags))
RETURNS(end(stream, stream->context), cuStreamDestroy, (CUstream stream), n_streams--)
RETURNS(expect(!stream->context->is_dead), cuStreamSynchronize, (CUstream stream))

CUresult cuEventCreate(CUevent *ret, unsigned flags)
{
    CUevent event = make(sizeof *event);
    if (event == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->context = current;
    *ret = event;
    return expect(flags == CU_EVENT_DISABLE_TIMING);
}

RETURNS(end(event, event->context), cuEventDestroy, (CUevent event))
RETURNS(expect(event->context == stream->context), cuEventRecord, (CUevent event, CUstream stream),
        event->stream = stream;
        event->n = stream->n_launched)

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    if (event->stream == &queue) {
        stream->is_forked = true;
        stream->now_ns = queue.now_ns;
    } else if (stream == &queue) {
        if (event->stream->now_ns > queue.now_ns)
            queue.now_ns = event->stream->now_ns;
        fake_cuda.n_unjoined -= event->n - event->stream->n_joined;
        event->stream->n_joined = event->n;
        event->stream->is_forked = false;
    }
    return expect(event->stream != NULL);
}

/* The queue has its work in order; what is put on another stream is to be joined to it. */
__typeof__(fake_cuda_enqueue_fn) fake_cuda_enqueue;
int32_t fake_cuda_enqueue(void *object)
{
    CUstream stream = object;
    if (stream == &queue)
        return true;
    fake_cuda.n_unjoined++;
    stream->n_launched++;
    return stream->is_forked;
}

/* --- copies --- */

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const CUcontext owner = owner_of(from);
    const CUcontext other = owner_of(to);
    if (owner != NULL && other != NULL && owner != other) {
        expect(is_primary(owner) && is_primary(other) &&
               (owner->reached >> (other - primaries) & 1) != 0);
        bytes -= (size_t)fake_cuda.is_short;
    }
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    fake_cuda.n_copies++;
    return expect(fake_cuda_enqueue(stream) != 0);
}

/* --- kernels --- */

CUresult cuModuleLoadData(CUmodule *ret, const void *image)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    CUmodule module = make(sizeof *module);
    if (module == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    module->context = current;
    *ret = module;
    return expect(memcmp(image, fatbin, sizeof fatbin) == 0);
}

RETURNS(end(module, module->context), cuModuleUnload, (CUmodule module))

CUresult cuModuleGetFunction(CUfunction *ret, CUmodule module, const char *name)
{
    memcpy(ret, &module, sizeof *ret);
    const bool is_there = strcmp(name, "multiply") == 0 || strcmp(name, "multiply_in_memory") == 0;
    return is_there ? next_call() : CUDA_ERROR_NOT_FOUND;
}

static void multiply(void **arguments, int64_t n_rows, int64_t n_cols)
{
    const float *a = *(const float **)arguments[0];
    const float *b = *(const float **)arguments[1];
    float *c = *(float **)arguments[2];
    const int rows = *(int *)arguments[3];
    const int cols = *(int *)arguments[4];
    const int aligned = *(int *)arguments[5];
    for (int64_t i = 0; i < n_rows * n_cols; i++) {
        const int64_t row = i / n_cols;
        const int64_t col = i % n_cols;
        float sum = 0.0f;
        if (row >= rows || col >= cols)
            continue;
        for (int64_t k = 0; k < aligned; k++)
            sum += a[row * aligned + k] * b[k * cols + col];
        c[row * cols + col] = sum;
    }
}

/* Stream number s runs on multiprocessor s, where a problem takes 1000 + 100 s ns. */
static void stamp(struct block_log *logs, uint64_t n_blocks, CUstream stream)
{
    const uint64_t start_ns = stream->now_ns;
    stream->now_ns += 1000 + 100 * (uint64_t)stream->number;
    for (uint64_t i = 0; logs != NULL && i < n_blocks; i++) {
        logs[i].runs[logs[i].n_runs++ % RUNS_KEPT] = (struct stamp){
            .start_ns = start_ns, .end_ns = stream->now_ns, .unit = (unsigned)stream->number};
    }
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra)
{
    const int32_t i = fake_cuda.n_launches++ % FAKE_LAUNCHES_MAX;
    CUmodule module;
    memcpy(&module, &function, sizeof module);
    multiply(arguments, (int64_t)grid_y * block_y, (int64_t)grid_x * block_x);
    stamp(*(struct block_log **)arguments[6], (uint64_t)grid_x * grid_y, stream);
    fake_cuda.launches[i].stream = stream->number;
    fake_cuda.launches[i].priority = stream->priority;
    fake_cuda.launches[i].c = *(const float **)arguments[2];
    return expect(fake_cuda_enqueue(stream) != 0 && grid_z == 1 && block_z == 1 && shared == 0 &&
                  extra == NULL && module->context == stream->context &&
                  stream->context == current);
}

#pragma GCC visibility pop
