/* stamps.c - see stamps.h. Plugin side. */
#include "stamps.h"

#include <math.h>

/*
 * gbrun_stamp(times + number, clocks): waits for a pseudo-random part of `clocks` (the finalizer of
 * MurmurHash3 over the SM's clock), then stores the timer. gbrun_idle(ns): sleeps. The driver
 * compiles them for the device at hand.
 */
static const char image[] = ".version 6.3\n"
                            ".target sm_70\n"
                            ".address_size 64\n"
                            ".visible .entry gbrun_stamp(.param .u64 to, .param .u32 clocks)\n"
                            "{\n"
                            "    .reg .u32 %r<6>;\n"
                            "    .reg .u64 %d<4>;\n"
                            "    .reg .pred %p<2>;\n"
                            "    ld.param.u64 %d0, [to];\n"
                            "    cvta.to.global.u64 %d0, %d0;\n"
                            "    ld.param.u32 %r0, [clocks];\n"
                            "    setp.eq.u32 %p0, %r0, 0;\n"
                            "    @%p0 bra read;\n"
                            "    mov.u32 %r1, %clock;\n"
                            "    shr.u32 %r2, %r1, 16;\n"
                            "    xor.b32 %r2, %r2, %r1;\n"
                            "    mul.lo.u32 %r2, %r2, 0x85ebca6b;\n"
                            "    shr.u32 %r3, %r2, 13;\n"
                            "    xor.b32 %r2, %r2, %r3;\n"
                            "    mul.lo.u32 %r2, %r2, 0xc2b2ae35;\n"
                            "    shr.u32 %r3, %r2, 16;\n"
                            "    xor.b32 %r2, %r2, %r3;\n"
                            "    mul.hi.u32 %r2, %r2, %r0;\n"
                            "wait:\n"
                            "    mov.u32 %r4, %clock;\n"
                            "    sub.u32 %r4, %r4, %r1;\n"
                            "    setp.lt.u32 %p1, %r4, %r2;\n"
                            "    @%p1 bra wait;\n"
                            "read:\n"
                            "    mov.u64 %d1, %globaltimer;\n"
                            "    st.global.u64 [%d0], %d1;\n"
                            "    ret;\n"
                            "}\n"
                            ".visible .entry gbrun_idle(.param .u64 ns)\n"
                            "{\n"
                            "    .reg .u32 %r<2>;\n"
                            "    .reg .u64 %d<4>;\n"
                            "    .reg .pred %p<1>;\n"
                            "    ld.param.u64 %d0, [ns];\n"
                            "    mov.u64 %d1, %globaltimer;\n"
                            "    mov.u32 %r0, 500;\n"
                            "sleep:\n"
                            "    nanosleep.u32 %r0;\n"
                            "    mov.u64 %d2, %globaltimer;\n"
                            "    sub.u64 %d2, %d2, %d1;\n"
                            "    setp.lt.u64 %p0, %d2, %d0;\n"
                            "    @%p0 bra sleep;\n"
                            "    ret;\n"
                            "}\n"
                            ".visible .entry gbrun_empty()\n"
                            "{\n"
                            "    ret;\n"
                            "}\n";

CUresult stamps_open(struct stamps *stamps, const struct driver *driver, uint64_t step_ns)
{
    static const char *const names[] = {"gbrun_stamp", "gbrun_idle", "gbrun_empty"};
    CUfunction *const functions[] = {&stamps->stamp, &stamps->idle, &stamps->empty};
    const size_t bytes = STAMPS_MAX * sizeof stamps->times[0];
    void *times = NULL;
    stamps->driver = driver;
    stamps->step_ns = step_ns;
    CUresult result = driver->module_load(&stamps->module, image);
    for (size_t i = 0; i < 3 && result == CUDA_SUCCESS; i++)
        result = driver->module_function(functions[i], stamps->module, names[i]);
    if (result == CUDA_SUCCESS)
        result = driver->allocate(&stamps->device_times, bytes);
    if (result == CUDA_SUCCESS)
        result = driver->host_allocate(&times, bytes, 0);
    stamps->times = times;
    return result;
}

void stamps_close(struct stamps *stamps)
{
    const struct driver *driver = stamps->driver;
    if (stamps->times != NULL)
        driver->host_free(stamps->times);
    if (stamps->device_times != 0)
        driver->free(stamps->device_times);
    if (stamps->module != NULL)
        driver->module_unload(stamps->module);
    *stamps = (struct stamps){0};
}

void stamps_dither(struct stamps *stamps, double step_ns, double clock_hz)
{
    stamps->dither_clocks = (uint32_t)fmin(ceil(step_ns * clock_hz / 1e9), 1e6);
}

void stamps_node(const struct stamps *stamps, uint64_t address[1], uint32_t wait[1],
                 void *arguments[2], CUDA_KERNEL_NODE_PARAMS *ret)
{
    arguments[0] = address;
    arguments[1] = wait;
    *ret = (CUDA_KERNEL_NODE_PARAMS){.func = stamps->stamp,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 1,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = arguments};
}

static CUresult put(const struct stamps *stamps, CUstream stream, uint32_t number, uint32_t wait)
{
    uint64_t to = stamps->device_times + number * sizeof(uint64_t);
    void *arguments[] = {&to, &wait};
    return stamps->driver->launch(stamps->stamp, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

CUresult stamps_put(const struct stamps *stamps, CUstream stream, uint32_t number)
{
    return put(stamps, stream, number, 0);
}

CUresult stamps_put_first(const struct stamps *stamps, CUstream stream, uint32_t number)
{
    return put(stamps, stream, number, stamps->dither_clocks);
}

CUresult stamps_put_idle(const struct stamps *stamps, CUstream stream, double ns)
{
    uint64_t whole_ns = (uint64_t)ns;
    void *arguments[] = {&whole_ns};
    return stamps->driver->launch(stamps->idle, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

CUresult stamps_put_empty(const struct stamps *stamps, CUstream stream)
{
    return stamps->driver->launch(stamps->empty, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
}

CUresult stamps_read(const struct stamps *stamps, CUstream stream, uint32_t n)
{
    const struct driver *driver = stamps->driver;
    const CUresult result = driver->copy_async((CUdeviceptr)(uintptr_t)stamps->times,
                                               stamps->device_times, n * sizeof stamps->times[0],
                                               stream);
    return result == CUDA_SUCCESS ? driver->stream_synchronize(stream) : result;
}

double stamps_between(const struct stamps *stamps, uint32_t first, uint32_t last)
{
    uint64_t from = stamps->times[first];
    uint64_t to = stamps->times[last];
    if (stamps->step_ns > 0) {
        from -= from % stamps->step_ns;
        to -= to % stamps->step_ns;
    }
    return (double)(int64_t)(to - from);
}
