/*
 * cuda_kernels.c - work on a GPU whose time is known, and work that fails there: kernels written in
 * PTX, put on the queue by the driver API. For tests of the device cuda.
 */
#include "plugins/common/cuda/cuda_driver.h"
#include "tests/modules/words.h"

#include <gbrun/simple.h>

/* X(word, the kernel, what is done with it if that is no launch on the stream). Aside: a spin on
 * the legacy stream, which the queue does not wait for. */
#define KINDS(X)                                                                                   \
    X(empty, "empty", )                                                                            \
    X(spin, "spin", )                                                                              \
    X(copy, "empty", return driver->copy_device_async(to, from, bench->bytes, stream))             \
    X(fill, "empty", return driver->fill_async(to, 1, bench->bytes, stream))                       \
    X(many, "spin", n = bench->kernels)                                                            \
    X(waits, "spin", waits = 1)                                                                    \
    X(nothing, "empty", n = 0)                                                                     \
    X(illegal, "store", )                                                                          \
    X(trap, "trap_here", )                                                                         \
    X(misaligned, "store", )                                                                       \
    X(endless, "spin", )                                                                           \
    X(too_much, "empty", )                                                                         \
    X(assertion, "assertion", )                                                                    \
    X(reset, "empty", return driver->context_reset(0))                                             \
    X(bad_launch, "spin",                                                                          \
      return driver->launch(bench->function, 1, 1, 1, 4096, 1, 1, 0, stream, NULL, NULL))          \
    X(aside, "spin", stream = NULL)
#define ENTRY(word, entry, statement) entry,
#define CASE(word, entry, statement) WORD_CASE(word, statement)
static const char *const kinds[] = {KINDS(WORD)};
static const char *const entries[] = {KINDS(ENTRY)};
enum { KINDS(WORD_NUMBER) };

static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .entry empty(.param .u64 a) { ret; }\n"
                          ".visible .entry spin(.param .u64 a)\n"
                          "{\n"
                          "    .reg .u64 %r<4>;\n"
                          "    .reg .pred %p;\n"
                          "    ld.param.u64 %r1, [a];\n"
                          "    mov.u64 %r2, %globaltimer;\n"
                          "    add.u64 %r2, %r2, %r1;\n"
                          "again:\n"
                          "    mov.u64 %r3, %globaltimer;\n"
                          "    setp.lt.u64 %p, %r3, %r2;\n"
                          "    @%p bra again;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry store(.param .u64 a)\n"
                          "{\n"
                          "    .reg .u64 %r<2>;\n"
                          "    .reg .u32 %w;\n"
                          "    ld.param.u64 %r1, [a];\n"
                          "    mov.u32 %w, 1;\n"
                          "    st.global.u32 [%r1], %w;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry trap_here(.param .u64 a) { trap; }\n"
                          ".global .align 1 .b8 words[2] = {49, 0};\n"
                          ".extern .func __assertfail(.param .b64 message, .param .b64 file,\n"
                          "    .param .b32 line, .param .b64 function, .param .b64 size);\n"
                          ".visible .entry assertion(.param .u64 a)\n"
                          "{\n"
                          "    .reg .u64 %r<3>;\n"
                          "    .param .b64 message, file, function, size;\n"
                          "    .param .b32 line;\n"
                          "    mov.u64 %r1, words;\n"
                          "    cvta.global.u64 %r1, %r1;\n"
                          "    mov.u64 %r2, 1;\n"
                          "    st.param.b64 [message], %r1;\n"
                          "    st.param.b64 [file], %r1;\n"
                          "    st.param.b32 [line], 7;\n"
                          "    st.param.b64 [function], %r1;\n"
                          "    st.param.b64 [size], %r2;\n"
                          "    call.uni __assertfail, (message, file, line, function, size);\n"
                          "    ret;\n"
                          "}\n";

struct bench {
    int32_t kind;
    double duration;
    uint64_t bytes;
    int64_t kernels;
    int64_t number;
    const struct gb_host *host;
    struct driver driver;
    CUmodule module;
    CUfunction function;
    uint64_t argument;
    void *from, *to;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct bench, kind, "spin", kinds, "what is put on the queue"),
    GB_DURATION(struct bench, duration, "5us", "0:", "of a spin, by the device's global timer"),
    GB_BYTES(struct bench, bytes, "1MiB", "1:", "of a copy or fill"),
    GB_INT(struct bench, kernels, "4", "1:", NULL, "spins in a sample of `many`"),
    GB_INT(struct bench, number, "0", NULL, NULL, "tells cases apart that are otherwise equal"),
};

static int32_t judge(const struct bench *bench, CUresult result)
{
    char words[128];
    if (result == CUDA_SUCCESS)
        return GB_OK;
    driver_error_words(&bench->driver, result, words, sizeof words);
    return bench->host->fail(bench->host, words);
}

static void destroy(void *object)
{
    struct bench *bench = object;
    if (bench->module != NULL)
        bench->driver.module_unload(bench->module);
}

static int32_t load(struct bench *bench)
{
    const struct driver *driver = &bench->driver;
    const int32_t status = judge(bench, driver->module_load(&bench->module, ptx));
    return status == GB_OK ? judge(bench, driver->module_function(&bench->function, bench->module,
                                                                  entries[bench->kind]))
                           : status;
}

GB_UNTIMED(prepare, struct bench, bench)
{
    const struct gb_host *host = bench->host;
    const uint64_t bytes = bench->kind == IS_too_much ? UINT64_C(1) << 42 : bench->bytes;
    char reason[256];
    int32_t status = driver_open(&bench->driver, reason, sizeof reason) ? load(bench)
                                                                        : host->fail(host, reason);
    if (status == GB_OK)
        status = host->device_allocate(host, bytes, GB_MEMORY_DEVICE, &bench->from);
    if (status == GB_OK)
        status = host->device_allocate(host, bytes, GB_MEMORY_DEVICE, &bench->to);
    bench->argument = bench->kind == IS_illegal      ? 16
                      : bench->kind == IS_misaligned ? (uint64_t)(uintptr_t)bench->from + 1
                      : bench->kind == IS_endless    ? UINT64_C(1) << 62
                                                     : (uint64_t)bench->duration;
    return status;
}

static CUresult once(struct bench *bench, CUstream stream)
{
    const struct driver *driver = &bench->driver;
    const CUdeviceptr from = (CUdeviceptr)(uintptr_t)bench->from;
    const CUdeviceptr to = (CUdeviceptr)(uintptr_t)bench->to;
    void *arguments[] = {&bench->argument};
    CUresult result = CUDA_SUCCESS;
    int64_t n = 1;
    int waits = 0;
    switch (bench->kind) {
        KINDS(CASE)
    default:
        break;
    }
    for (int64_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = driver->launch(bench->function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
    return waits && result == CUDA_SUCCESS ? driver->stream_synchronize(stream) : result;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = once(bench, queue->native);
    return judge(bench, result);
}

GB_BENCH_ON("cuda", cuda_kernels, struct bench, options, "kernels whose time or failure is known",
            .prepare = prepare, .run = run, .destroy = destroy)
GB_MODULE(&cuda_kernels)
