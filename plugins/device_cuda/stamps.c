/* stamps.c - see stamps.h. Plugin side. */
#include "stamps.h"

#include <math.h>

/* A stamp as it lies in memory. */
struct stamp {
    uint64_t time_ns;
    uint64_t cycles; /* of the multiprocessor's clock, in CYCLE_BITS; its number above them */
};
enum { CYCLE_BITS = 48, REFERENCE_TURNS = 4000 };

static const double CLOCK_SPAN_NS = 100e3; /* steps of timers are small beside it: 32 ns, 0.03 % */

#define STEP "    fma.rn.f32 %f0, %f0, %f1, %f2;\n"

/*
 * gbrun_stamp(stamps + number, clocks): waits for a pseudo-random part of `clocks` (the finalizer
 * of MurmurHash3 over the multiprocessor's clock), then stores a struct stamp. gbrun_idle(ns):
 * sleeps. gbrun_reference(stamps + number, turns): a struct stamp, turns times ten products and
 * sums each of which waits for the one before, and a stamp. Turns are a parameter, as the driver,
 * which compiles all of this for its device, unrolls loops whose length it knows: 40,000 steps took
 * it 18 s.
 */
static const char image[] = ".version 6.3\n"
                            ".target sm_70\n"
                            ".address_size 64\n"
                            ".visible .entry gbrun_stamp(.param .u64 to, .param .u32 clocks)\n"
                            "{\n"
                            "    .reg .u32 %r<6>;\n"
                            "    .reg .u64 %d<5>;\n"
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
                            "    mov.u32 %r5, %smid;\n"
                            "    cvt.u64.u32 %d2, %r5;\n"
                            "    shl.b64 %d2, %d2, 48;\n"
                            "    mov.u64 %d3, %clock64;\n"
                            "    and.b64 %d3, %d3, 0xffffffffffff;\n"
                            "    or.b64 %d2, %d2, %d3;\n"
                            "    mov.u64 %d1, %globaltimer;\n"
                            "    st.global.v2.u64 [%d0], {%d1, %d2};\n"
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
                            ".visible .entry gbrun_reference(.param .u64 to, .param .u32 turns)\n"
                            "{\n"
                            "    .reg .u32 %r<3>;\n"
                            "    .reg .u64 %d<4>;\n"
                            "    .reg .f32 %f<3>;\n"
                            "    .reg .pred %p<1>;\n"
                            "    ld.param.u64 %d0, [to];\n"
                            "    cvta.to.global.u64 %d0, %d0;\n"
                            "    mov.f32 %f0, 0f3F800000;\n" /* 1 */
                            "    mov.f32 %f1, 0f3F000000;\n" /* 1 / 2 */
                            "    mov.f32 %f2, 0f3F800000;\n"
                            "    ld.param.u32 %r0, [turns];\n"
                            "    mov.u64 %d1, %globaltimer;\n"
                            "step:\n" STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
                            "    sub.u32 %r0, %r0, 1;\n"
                            "    setp.ne.u32 %p0, %r0, 0;\n"
                            "    @%p0 bra step;\n"
                            "    mov.u64 %d2, %globaltimer;\n"
                            "    mov.b32 %r1, %f0;\n" /* the result is wanted */
                            "    cvt.u64.u32 %d3, %r1;\n"
                            "    st.global.v2.u64 [%d0], {%d1, %d3};\n"
                            "    st.global.v2.u64 [%d0 + 16], {%d2, %d3};\n"
                            "    ret;\n"
                            "}\n"
                            ".visible .entry gbrun_empty()\n"
                            "{\n"
                            "    ret;\n"
                            "}\n";

CUresult stamps_open(struct stamps *stamps, const struct driver *driver, uint64_t step_ns)
{
    static const char *const names[] = {"gbrun_stamp", "gbrun_idle", "gbrun_empty",
                                        "gbrun_reference"};
    CUfunction *const functions[] = {&stamps->stamp, &stamps->idle, &stamps->empty,
                                     &stamps->reference};
    const size_t bytes = STAMPS_MAX * sizeof(struct stamp);
    void *read = NULL;
    stamps->driver = driver;
    stamps->step_ns = step_ns;
    CUresult result = driver->module_load(&stamps->module, image);
    for (size_t i = 0; i < sizeof names / sizeof *names && result == CUDA_SUCCESS; i++)
        result = driver->module_function(functions[i], stamps->module, names[i]);
    if (result == CUDA_SUCCESS)
        result = driver->allocate(&stamps->on_device, bytes);
    if (result == CUDA_SUCCESS)
        result = driver->host_allocate(&read, bytes, 0);
    stamps->read = read;
    return result;
}

void stamps_close(struct stamps *stamps)
{
    const struct driver *driver = stamps->driver;
    if (stamps->read != NULL)
        driver->host_free(stamps->read);
    if (stamps->on_device != 0)
        driver->free(stamps->on_device);
    if (stamps->module != NULL)
        driver->module_unload(stamps->module);
    *stamps = (struct stamps){0};
}

void stamps_dither(struct stamps *stamps, double step_ns, double clock_hz)
{
    stamps->dither_clocks = (uint32_t)fmin(ceil(step_ns * clock_hz / 1e9), 1e6);
}

static uint64_t address_of(const struct stamps *stamps, uint32_t number)
{
    return stamps->on_device + number * sizeof(struct stamp);
}

void stamps_node(const struct stamps *stamps, uint32_t number, uint64_t address[1],
                 uint32_t wait[1], void *arguments[2], CUDA_KERNEL_NODE_PARAMS *ret)
{
    address[0] = address_of(stamps, number);
    wait[0] = 0;
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
    uint64_t to = address_of(stamps, number);
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

CUresult stamps_put_reference(const struct stamps *stamps, CUstream stream, uint32_t number)
{
    uint64_t to = address_of(stamps, number);
    uint32_t turns = REFERENCE_TURNS;
    void *arguments[] = {&to, &turns};
    return stamps->driver->launch(stamps->reference, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

CUresult stamps_read(const struct stamps *stamps, CUstream stream, uint32_t n)
{
    const struct driver *driver = stamps->driver;
    const CUresult result = driver->copy_async((CUdeviceptr)(uintptr_t)stamps->read,
                                               stamps->on_device, n * sizeof(struct stamp), stream);
    return result == CUDA_SUCCESS ? driver->stream_synchronize(stream) : result;
}

double stamps_between(const struct stamps *stamps, uint32_t first, uint32_t last)
{
    uint64_t from = stamps->read[first].time_ns;
    uint64_t to = stamps->read[last].time_ns;
    if (stamps->step_ns > 0) {
        from -= from % stamps->step_ns;
        to -= to % stamps->step_ns;
    }
    return (double)(int64_t)(to - from);
}

double stamps_clock_hz(const struct stamps *stamps, uint32_t first, uint32_t last)
{
    const struct stamp from = stamps->read[first];
    const struct stamp to = stamps->read[last];
    const double span_ns = (double)(int64_t)(to.time_ns - from.time_ns);
    if (span_ns < CLOCK_SPAN_NS || (from.cycles ^ to.cycles) >> CYCLE_BITS != 0)
        return 0.0;
    return (double)((to.cycles - from.cycles) & ((1ull << CYCLE_BITS) - 1)) / span_ns * 1e9;
}
