/*
 * with_cuda.h - for plugins that run on the CPU and, where the CUDA Toolkit was there when they
 * were built, on GPUs. Plugin side; needs no header of CUDA.
 *
 * What a device does in its own way is a `struct backend` of functions, defined once for the CPU
 * and once for CUDA, which a benchmark declares in its header:
 *
 *     struct backend {
 *         BACKEND_FUNCTIONS(struct copy);
 *     };
 *     extern const struct backend copy_cpu, copy_cuda;
 *
 * where struct copy, the benchmark's object, has the members host, params, backend (pointers to
 * const struct gb_host, params and backend) and `void *own`, which is the backend's: own_bytes of
 * the host's memory, zeroed, before its create. BACKEND_OPS(struct copy, copy_cpu, copy_cuda, NULL)
 * in the main file then defines those functions for its struct gb_bench_ops that only call the
 * backend's.
 */
#pragma once

#include <gbrun/bench.h>
#include <stddef.h>
#include <string.h>

/* For `devices` of the descriptor; and the address of the struct for CUDA, which need not be
 * defined where CUDA was not there. */
#ifdef PLUGIN_WITH_CUDA
#define PLUGIN_DEVICES "cpu cuda"
#define PLUGIN_CUDA(backend) (&(backend))
#else
#define PLUGIN_DEVICES "cpu"
#define PLUGIN_CUDA(backend) NULL
#endif

/* The one of the two that is for the host's device. NULL: this build has none for it, and the case
 * is skipped. */
static inline const void *plugin_backend(const struct gb_host *host, const void *cpu,
                                         const void *cuda)
{
    const char *device = host->device->backend;
    const void *backend = strcmp(device, "cpu") == 0    ? cpu
                          : strcmp(device, "cuda") == 0 ? cuda
                                                        : NULL;
    if (backend == NULL)
        host->skip(host, "this build of the benchmark does not support this device");
    return backend;
}

/*
 * Called as the functions of the same name of bench.h are. `create` skips or refuses what the
 * device does not have and fills in `own`; where it fails it leaves nothing behind that destroy
 * would free. `destroy` gets `own` and frees what prepare took elsewhere than from the host; it may
 * have failed half way. Each but run may be NULL where nothing calls it.
 */
#define BACKEND_FUNCTIONS(type)                                                                    \
    uint64_t own_bytes; /* 0: none, or create sets it */                                           \
    int32_t (*create)(type * bench);                                                               \
    int32_t (*prepare)(type * bench, const struct gb_queue *queue);                                \
    int32_t (*run)(const type *bench, const struct gb_queue *queue, uint64_t iterations);          \
    int32_t (*reset)(const type *bench, const struct gb_queue *queue);                             \
    int32_t (*verify)(type * bench, const struct gb_queue *queue);                                 \
    void (*destroy)(void *own)

/*
 * backend_create is a whole create; what a benchmark has to do before that of its backend, such as
 * to refuse parameters, is `set_up`, or backend_nothing. The others are those of the backend. A
 * benchmark may leave some of them unused.
 */
#define BACKEND_OP __attribute__((unused)) static inline
#define BACKEND_OPS(type, cpu, cuda, set_up)                                                       \
    BACKEND_OP int32_t backend_nothing(const type *bench)                                          \
    {                                                                                              \
        (void)bench;                                                                               \
        return GB_OK;                                                                              \
    }                                                                                              \
    BACKEND_OP int32_t backend_create(const struct gb_host *host, const void *params,              \
                                      void **ret_bench)                                            \
    {                                                                                              \
        type *bench = host->allocate(host, sizeof *bench);                                         \
        if (bench == NULL)                                                                         \
            return GB_NO_MEMORY;                                                                   \
        bench->host = host;                                                                        \
        bench->params = params;                                                                    \
        bench->backend = plugin_backend(host, &(cpu), PLUGIN_CUDA(cuda));                          \
        if (bench->backend == NULL)                                                                \
            return GB_SKIPPED;                                                                     \
        int32_t status = set_up(bench);                                                            \
        if (status == GB_OK && bench->backend->own_bytes > 0) {                                    \
            bench->own = host->allocate(host, bench->backend->own_bytes);                          \
            status = bench->own != NULL ? GB_OK : GB_NO_MEMORY;                                    \
        }                                                                                          \
        if (status == GB_OK && bench->backend->create != NULL)                                     \
            status = bench->backend->create(bench);                                                \
        if (status == GB_OK)                                                                       \
            *ret_bench = bench;                                                                    \
        return status;                                                                             \
    }                                                                                              \
    BACKEND_OP int32_t backend_prepare(void *object, const struct gb_queue *queue)                 \
    {                                                                                              \
        type *bench = object;                                                                      \
        return bench->backend->prepare != NULL ? bench->backend->prepare(bench, queue) : GB_OK;    \
    }                                                                                              \
    BACKEND_OP int32_t backend_run(void *object, const struct gb_queue *queue,                     \
                                   uint64_t iterations)                                            \
    {                                                                                              \
        const type *bench = object;                                                                \
        return bench->backend->run(bench, queue, iterations);                                      \
    }                                                                                              \
    BACKEND_OP int32_t backend_reset(void *object, const struct gb_queue *queue)                   \
    {                                                                                              \
        const type *bench = object;                                                                \
        return bench->backend->reset(bench, queue);                                                \
    }                                                                                              \
    BACKEND_OP int32_t backend_verify(void *object, const struct gb_queue *queue)                  \
    {                                                                                              \
        type *bench = object;                                                                      \
        return bench->backend->verify(bench, queue);                                               \
    }                                                                                              \
    BACKEND_OP void backend_destroy(void *object)                                                  \
    {                                                                                              \
        type *bench = object;                                                                      \
        if (bench != NULL && bench->backend->destroy != NULL)                                      \
            bench->backend->destroy(bench->own);                                                   \
    }                                                                                              \
    struct backend
