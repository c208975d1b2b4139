/*
 * copy.c - the benchmark `copy`: memory to memory. Plugin side.
 *
 * What is copied is a sequence in which no two words are alike, so that a word in a wrong place is
 * found; it is made again where it is needed, so that no second copy of it is kept.
 */
#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/with_cuda.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>
#include <string.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_launch.h"
#include "plugins/common/cuda/gpu_group.h"
#endif

/* In the order of the words below. */
enum { METHOD_AUTO, METHOD_MEMCPY, METHOD_LOOP, METHOD_STREAM, METHOD_KERNEL };
enum { PLACE_DEVICE, PLACE_PINNED, PLACE_PAGEABLE, PLACE_PEER };
enum { DIRECTIONS_ONE, DIRECTIONS_BOTH, DIRECTIONS_ALL };

struct params {
    uint64_t bytes;
    int32_t method;   /* METHOD_... */
    int64_t width;    /* bytes that a thread of the kernel moves at once */
    int32_t from, to; /* PLACE_... */
    int32_t directions;
};

struct transfer {
    unsigned char *from, *to; /* params->bytes each */
};

struct copy {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own;                  /* of the backend, taken from the host */
    struct transfer *transfers; /* what an iteration copies, */
    uint32_t n_transfers;       /*   at once */
    unsigned char *chunk;       /* host memory through which all are reached, part by part */
};

/* create sets n_transfers; prepare sets transfers, to memory that host->device_copy reaches. */
struct backend {
    BACKEND_FUNCTIONS(struct copy);
};

enum { BLOCK_BYTES = 4096, CHUNK_BYTES = 4 << 20 }; /* a chunk is whole blocks */
static const uint64_t COMPLEMENT = UINT64_MAX;

static const char *const methods[] = {"auto", "memcpy", "loop", "stream", "kernel"};
static const char *const places[] = {"device", "pinned", "pageable", "peer"};
static const char *const directions[] = {"one", "both", "all"};

static const struct gb_option options[] = {
    GB_BYTES(struct params, bytes, "1MiB", "1:1TiB", "bytes to copy in an iteration"),
    GB_CHOICE(
        struct params, method, "auto", methods,
        "the library's copy, a loop over words, stores that bypass caches, or a GPU's kernel"),
    GB_INT(struct params, width, "16", "1:16", "bytes",
           "bytes that one thread of the kernel moves at once: 1, 2, 4, 8 or 16"),
    GB_CHOICE(struct params, from, "device", places,
              "memory that is read: the device's, the host's, or that of the next GPU"),
    GB_CHOICE(struct params, to, "device", places, "memory that is written"),
    GB_CHOICE(struct params, directions, "one", directions,
              "from `from` to `to`; both ways at once; or from each GPU to all others"),
};

/* Skips what the device does not have: "method = loop is ..." and the words. */
static int32_t skip_method(const struct copy *copy, const char *words)
{
    return host_skip(copy->host, "method = %s is %s", methods[copy->params->method], words);
}

static int32_t skip_place(const struct copy *copy, const char *words)
{
    const struct params *params = copy->params;
    return host_skip(copy->host, "from = %s, to = %s is %s", places[params->from],
                     places[params->to], words);
}

/* --- on the CPU: one thread copies --- */

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct copy_cpu {
    void (*once)(unsigned char *restrict to, const unsigned char *restrict from, uint64_t bytes);
};

static void copy_memcpy(unsigned char *restrict to, const unsigned char *restrict from,
                        uint64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

/* Each word is read and written by itself: the clobber keeps the compiler from making a call of
 * memcpy out of the loop. */
static void copy_loop(unsigned char *restrict to, const unsigned char *restrict from,
                      uint64_t bytes)
{
    const uint64_t words = bytes / sizeof(uint64_t);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, from + i * sizeof word, sizeof word);
        memcpy(to + i * sizeof word, &word, sizeof word);
        GB_CLOBBER();
    }
    for (uint64_t i = words * sizeof(uint64_t); i < bytes; i++)
        to[i] = from[i];
}

#ifdef __SSE2__
static void copy_stream(unsigned char *restrict to, const unsigned char *restrict from,
                        uint64_t bytes)
{
    const uint64_t lines = bytes / 64;
    for (uint64_t i = 0; i < lines; i++) {
        const __m128i *source = (const __m128i *)(const void *)(from + i * 64);
        __m128i *target = (__m128i *)(void *)(to + i * 64);
        for (int j = 0; j < 4; j++)
            _mm_stream_si128(target + j, _mm_load_si128(source + j));
    }
    _mm_sfence();
    memcpy(to + lines * 64, from + lines * 64, (size_t)(bytes - lines * 64));
}
#else
#define copy_stream NULL
#endif

static int32_t cpu_create(struct copy *copy)
{
    static const struct copy_cpu ways[] = {
        [METHOD_AUTO] = {copy_memcpy}, [METHOD_MEMCPY] = {copy_memcpy},
        [METHOD_LOOP] = {copy_loop},   [METHOD_STREAM] = {copy_stream},
        [METHOD_KERNEL] = {NULL},
    };
    const struct params *params = copy->params;
    if (params->method == METHOD_KERNEL)
        return skip_method(copy, "for GPUs");
    if (ways[params->method].once == NULL)
        return skip_method(copy, "for processors with SSE2, and this build is for others");
    if (params->directions != DIRECTIONS_ONE)
        return host_skip(copy->host, "directions = %s is for GPUs", directions[params->directions]);
    if (params->from != PLACE_DEVICE || params->to != PLACE_DEVICE)
        return skip_place(copy, "for GPUs: the CPU has one kind of memory, device");
    struct copy_cpu *own = copy->own;
    *own = ways[params->method];
    copy->n_transfers = 1;
    return GB_OK;
}

static int32_t cpu_prepare(struct copy *copy, const struct gb_queue *queue)
{
    const uint64_t bytes = copy->params->bytes;
    int32_t status = GB_OK;
    (void)queue;
    copy->transfers->from = device_memory(copy->host, bytes, GB_MEMORY_DEVICE, &status);
    copy->transfers->to = device_memory(copy->host, bytes, GB_MEMORY_DEVICE, &status);
    return status;
}

static int32_t cpu_run(const struct copy *copy, const struct gb_queue *queue, uint64_t iterations)
{
    const struct copy_cpu *own = copy->own;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        own->once(copy->transfers->to, copy->transfers->from, copy->params->bytes);
        GB_CLOBBER();
    }
    return GB_OK;
}

static const struct backend copy_cpu = {
    .own_bytes = sizeof(struct copy_cpu),
    .create = cpu_create,
    .prepare = cpu_prepare,
    .run = cpu_run,
};

/* --- what is copied --- */

/* Word i of the sequence: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, 2014), which is one to one. */
static uint64_t word_at(uint64_t seed, uint64_t i)
{
    uint64_t x = seed + i * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The words of a transfer that hold the bytes from `first`, a multiple of eight, on; what hangs
 * over is written as well. Bits of `flip` are inverted. */
static void make_words(const struct gb_host *host, uint32_t transfer, uint64_t first,
                       uint64_t bytes, uint64_t flip, unsigned char *out)
{
    const uint64_t seed = host->random(host, transfer, 0);
    for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        const uint64_t word = word_at(seed, (first + at) / sizeof word) ^ flip;
        memcpy(out + at, &word, sizeof word);
    }
}

static int32_t upload(const struct copy *copy, uint32_t transfer, unsigned char *to, uint64_t flip)
{
    const struct gb_host *host = copy->host;
    const uint64_t bytes = copy->params->bytes;
    int32_t status = GB_OK;
    for (uint64_t first = 0; first < bytes && status == GB_OK; first += CHUNK_BYTES) {
        const uint64_t n = smaller(bytes - first, CHUNK_BYTES);
        if (host->cancelled(host) != 0)
            return GB_CANCELLED;
        make_words(host, transfer, first, n, flip, copy->chunk);
        status = host->device_copy(host, to + first, copy->chunk, n);
    }
    return status;
}

/* --- on CUDA: a kernel copies, or the driver --- */

#ifdef PLUGIN_WITH_CUDA

CUDA_IMAGE(copy_image, "plugins/bench_copy/copy");

enum { THREADS = 256, UNROLLED = 4 };

struct copy_cuda {
    struct cuda_kernels kernels;
    struct cuda_launch launch; /* function NULL: the driver copies */
    CUdeviceptr from, to;      /* as the kernel reaches them */
    struct gpu_group group;    /* of no member: one GPU and its queue are enough */
    unsigned per_thread;
};

/* Addresses are unified and peers reach each other's memory, so that the driver needs no contexts.
 * cuMemcpyPeerAsync, which takes them, cannot be captured into a graph. */
static CUresult copy_by_driver(const struct copy *copy, uint64_t transfer, CUstream stream)
{
    const struct copy_cuda *cuda = copy->own;
    return cuda->kernels.driver.copy_async((CUdeviceptr)(uintptr_t)copy->transfers[transfer].to,
                                           (CUdeviceptr)(uintptr_t)copy->transfers[transfer].from,
                                           copy->params->bytes, stream);
}

/* Each stream has as many transfers, and works on them while the others do. */
static CUresult copy_at_once(const struct copy *copy, CUstream queue, uint64_t iterations)
{
    const struct copy_cuda *cuda = copy->own;
    const uint32_t n_streams = cuda->group.n;
    const uint64_t on_each = copy->n_transfers / n_streams;
    CUresult result = gpu_group_fork(&cuda->group, queue);
    for (uint64_t i = 0; i < iterations * copy->n_transfers && result == CUDA_SUCCESS; i++) {
        const uint64_t stream = i % n_streams;
        const uint64_t transfer = stream * on_each + i / n_streams % on_each;
        result = copy_by_driver(copy, transfer, cuda->group.gpus[stream].stream);
    }
    return result == CUDA_SUCCESS ? gpu_group_join(&cuda->group, queue) : result;
}

static bool is_on_host(int32_t place)
{
    return place == PLACE_PINNED || place == PLACE_PAGEABLE;
}

static bool has_place(const struct params *params, int32_t place)
{
    return params->from == place || params->to == place;
}

static bool is_by_kernel(const struct params *params)
{
    if (params->method == METHOD_AUTO)
        return params->from == PLACE_DEVICE && params->to == PLACE_DEVICE &&
               params->directions == DIRECTIONS_ONE;
    return params->method == METHOD_KERNEL;
}

static int32_t check_case(const struct copy *copy)
{
    const struct params *params = copy->params;
    if (params->method == METHOD_LOOP || params->method == METHOD_STREAM)
        return skip_method(copy, "for the CPU");
    if (params->method == METHOD_KERNEL && params->directions != DIRECTIONS_ONE)
        return skip_method(copy, "for directions = one: the others are for memcpy");
    if (is_by_kernel(params) && has_place(params, PLACE_PAGEABLE))
        return skip_place(copy, "not accessible to a kernel: expected method = memcpy");
    if (!is_by_kernel(params) && is_on_host(params->from) && is_on_host(params->to))
        return skip_place(copy, "a copy within host memory: expected device or peer on one side");
    return GB_OK;
}

/* This GPU and the next one, or all of them; for both directions without a peer, two streams. */
static int32_t find_gpus(struct copy *copy, struct copy_cuda *cuda)
{
    const struct params *params = copy->params;
    const struct driver *driver = &cuda->kernels.driver;
    int32_t status = GB_OK;
    if (has_place(params, PLACE_PEER))
        status = gpu_group_find(&cuda->group, driver, copy->host,
                                params->directions == DIRECTIONS_ALL ? 0 : 2);
    else if (params->directions != DIRECTIONS_ONE)
        status = gpu_group_here(&cuda->group, driver, copy->host, 2);
    if (status == GB_OK)
        status = gpu_group_require_access(&cuda->group);
    return status;
}

static int32_t cuda_create(struct copy *copy)
{
    struct copy_cuda *cuda = copy->own;
    int32_t status = check_case(copy);
    if (status == GB_OK)
        status = cuda_kernels_open(&cuda->kernels, copy->host);
    if (status == GB_OK)
        status = find_gpus(copy, cuda);
    const uint32_t n = cuda->group.n;
    copy->n_transfers = copy->params->directions == DIRECTIONS_ALL    ? n * (n - 1)
                        : copy->params->directions == DIRECTIONS_BOTH ? 2
                                                                      : 1;
    return status;
}

static int32_t take_memory(const struct copy *copy, int32_t place, unsigned char **ret)
{
    struct copy_cuda *cuda = copy->own;
    const uint64_t bytes = copy->params->bytes;
    int32_t status = GB_OK;
    if (place == PLACE_PEER)
        return gpu_group_allocate(&cuda->group, 1, bytes, ret);
    *ret = place == PLACE_PAGEABLE
               ? host_memory(copy->host, bytes, &status)
               : device_memory(copy->host, bytes,
                               place == PLACE_PINNED ? GB_MEMORY_PINNED : GB_MEMORY_DEVICE,
                               &status);
    return status;
}

static int32_t take_one(const struct copy *copy, uint32_t i, int32_t from, int32_t to)
{
    const int32_t status = take_memory(copy, from, &copy->transfers[i].from);
    return status == GB_OK ? take_memory(copy, to, &copy->transfers[i].to) : status;
}

/* Member i copies to those after it, the first after the last: in each step every GPU sends to one
 * and receives from one. */
static int32_t take_all(const struct copy *copy, struct gpu_group *group)
{
    const uint64_t bytes = copy->params->bytes;
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < copy->n_transfers && status == GB_OK; i++) {
        const uint32_t from = i / (group->n - 1);
        const uint32_t to = (from + 1 + i % (group->n - 1)) % group->n;
        status = gpu_group_allocate(group, from, bytes, &copy->transfers[i].from);
        if (status == GB_OK)
            status = gpu_group_allocate(group, to, bytes, &copy->transfers[i].to);
    }
    return status;
}

static int32_t take_transfers(const struct copy *copy, struct gpu_group *group)
{
    const struct params *params = copy->params;
    int32_t status = group->n > 0 ? gpu_group_start(group) : GB_OK;
    if (status == GB_OK)
        status = gpu_group_enable_access(group);
    if (status == GB_OK && params->directions == DIRECTIONS_ALL)
        return take_all(copy, group);
    if (status == GB_OK)
        status = take_one(copy, 0, params->from, params->to);
    if (status == GB_OK && params->directions == DIRECTIONS_BOTH)
        status = take_one(copy, 1, params->to, params->from);
    return status;
}

/* One vector a thread spreads a small copy over all multiprocessors; when each of their threads
 * would have more than one, several loads under way in each thread hide more latency. */
static int32_t size_grid(const struct copy *copy, struct copy_cuda *cuda)
{
    const uint64_t n = copy->params->bytes / (uint64_t)copy->params->width;
    int units = 0;
    int threads = 0;
    const int32_t status = driver_units(&cuda->kernels.driver, copy->host, &units, &threads);
    const uint64_t in_one_go = (uint64_t)threads * (uint64_t)units;
    cuda->per_thread = n > in_one_go ? UNROLLED : 1;
    const uint64_t in_block = (uint64_t)THREADS * cuda->per_thread;
    cuda->launch.columns = n > 0 ? (unsigned)quotient_up(n, in_block) : 1;
    return status;
}

/* Where the kernel reaches memory: of what is not the host's, at its address. */
static CUresult map(const struct driver *driver, int32_t place, void *memory, CUdeviceptr *ret)
{
    *ret = (CUdeviceptr)(uintptr_t)memory;
    return place == PLACE_PINNED ? driver->host_device_pointer(ret, memory, 0) : CUDA_SUCCESS;
}

static int32_t prepare_kernel(struct copy *copy, struct copy_cuda *cuda)
{
    const struct params *params = copy->params;
    const struct driver *driver = &cuda->kernels.driver;
    char name[32];
    snprintf(name, sizeof name, "copy_%d", (int)params->width);
    cuda->launch = (struct cuda_launch){
        .threads = THREADS,
        .arguments = {&cuda->to, &cuda->from, (void *)(uintptr_t)&params->bytes, &cuda->per_thread},
    };
    int32_t status = cuda_kernels_load(&cuda->kernels, &copy_image, name, &cuda->launch.function);
    if (status == GB_OK)
        status = size_grid(copy, cuda);
    if (status != GB_OK)
        return status;
    CUresult result = map(driver, params->from, copy->transfers->from, &cuda->from);
    if (result == CUDA_SUCCESS)
        result = map(driver, params->to, copy->transfers->to, &cuda->to);
    return driver_status(driver, copy->host, result, "mapping pinned memory");
}

static int32_t cuda_prepare(struct copy *copy, const struct gb_queue *queue)
{
    struct copy_cuda *cuda = copy->own;
    (void)queue;
    const int32_t status = take_transfers(copy, &cuda->group);
    return status == GB_OK && is_by_kernel(copy->params) ? prepare_kernel(copy, cuda) : status;
}

static int32_t cuda_run(const struct copy *copy, const struct gb_queue *queue, uint64_t iterations)
{
    static const char doing[] = "launching a copy";
    const struct copy_cuda *cuda = copy->own;
    CUresult result = CUDA_SUCCESS;
    if (cuda->launch.function != NULL)
        return cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations, doing);
    if (copy->params->directions != DIRECTIONS_ONE)
        return driver_status(&cuda->kernels.driver, copy->host,
                             copy_at_once(copy, queue->native, iterations), doing);
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = copy_by_driver(copy, 0, queue->native);
    return driver_status(&cuda->kernels.driver, copy->host, result, doing);
}

static void cuda_destroy(void *object)
{
    struct copy_cuda *cuda = object;
    cuda_kernels_free(&cuda->kernels);
    if (cuda->group.n > 0)
        cuda->kernels.driver.context_synchronize();
    gpu_group_free(&cuda->group);
}

static const struct backend copy_cuda = {
    .own_bytes = sizeof(struct copy_cuda),
    .create = cuda_create,
    .prepare = cuda_prepare,
    .run = cuda_run,
    .destroy = cuda_destroy,
};

#endif

/* --- the benchmark --- */

static bool is_on_device(const struct params *params)
{
    return params->from == PLACE_DEVICE && params->to == PLACE_DEVICE;
}

static int32_t set_up(struct copy *copy)
{
    const struct gb_host *host = copy->host;
    const struct params *params = copy->params;
    const int64_t width = params->width;
    if (params->directions == DIRECTIONS_ALL &&
        (params->from != PLACE_DEVICE || params->to != PLACE_PEER))
        return host->fail(host, "directions = all: expected from = device and to = peer");
    if ((width & (width - 1)) == 0)
        return GB_OK;
    return host_fail(host, "width = %lld: expected 1, 2, 4, 8 or 16", (long long)width);
}

BACKEND_OPS(struct copy, copy_cpu, copy_cuda, set_up);

/* Copies from or to other memory than the device's own share a bus with other devices. */
static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const int32_t status = backend_create(host, params, ret_bench);
    if (status == GB_OK && !is_on_device(params))
        take_machine(host);
    return status;
}

/* The targets start out wrong in every byte, so that none can be left uncopied unseen. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct copy *copy = object;
    const struct gb_host *host = copy->host;
    int32_t status = GB_OK;
    copy->transfers = host_memory(host, copy->n_transfers * sizeof *copy->transfers, &status);
    if (status == GB_OK)
        status = backend_prepare(object, queue);
    copy->chunk = device_memory(host, smaller(copy->params->bytes + sizeof(uint64_t), CHUNK_BYTES),
                                GB_MEMORY_PINNED, &status);
    for (uint32_t i = 0; i < copy->n_transfers && status == GB_OK; i++) {
        status = upload(copy, i, copy->transfers[i].from, 0);
        if (status == GB_OK)
            status = upload(copy, i, copy->transfers[i].to, COMPLEMENT);
    }
    return status;
}

static int32_t count_right(const struct gb_host *host, uint32_t transfer, uint64_t first,
                           uint64_t bytes, const unsigned char *output)
{
    unsigned char wanted[BLOCK_BYTES];
    int32_t n = 0;
    make_words(host, transfer, first, bytes, 0, wanted);
    if (memcmp(output, wanted, (size_t)bytes) == 0)
        return (int32_t)bytes;
    for (uint64_t i = 0; i < bytes; i++)
        n += output[i] == wanted[i];
    return n;
}

/* Counts the right bytes of each block, and how many there should be. */
static int32_t count_blocks(const struct copy *copy, uint32_t transfer, int32_t *right,
                            double *wanted)
{
    const struct gb_host *host = copy->host;
    const uint64_t bytes = copy->params->bytes;
    int32_t status = GB_OK;
    for (uint64_t at = 0; at < bytes; at += BLOCK_BYTES) {
        const uint64_t in_chunk = at % CHUNK_BYTES;
        const uint64_t n = smaller(bytes - at, BLOCK_BYTES);
        if (in_chunk == 0)
            copy_memory(host, copy->chunk, copy->transfers[transfer].to + at,
                        smaller(bytes - at, CHUNK_BYTES), &status);
        if (status != GB_OK)
            return status;
        right[at / BLOCK_BYTES] = count_right(host, transfer, at, n, copy->chunk + in_chunk);
        wanted[at / BLOCK_BYTES] = (double)n;
    }
    return GB_OK;
}

/* Every byte is compared, and the right ones are counted block by block, those of the first
 * transfer first: that says where a copy went wrong without eight bytes of reference for each byte
 * copied. */
static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct copy *copy = object;
    const struct gb_host *host = copy->host;
    const uint64_t in_one = quotient_up(copy->params->bytes, BLOCK_BYTES);
    const uint64_t n_blocks = in_one * copy->n_transfers;
    int32_t status = GB_OK;
    (void)queue;
    int32_t *right = host_memory(host, n_blocks * sizeof *right, &status);
    double *wanted = host_memory(host, n_blocks * sizeof *wanted, &status);
    for (uint32_t i = 0; i < copy->n_transfers && status == GB_OK; i++)
        status = count_blocks(copy, i, right + i * in_one, wanted + i * in_one);
    if (status != GB_OK)
        return status;
    return check_exactly(host, "right bytes in each 4 KiB", GB_I32, n_blocks, right, wanted);
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct copy *copy = object;
    const double bytes = (double)copy->params->bytes * copy->n_transfers;
    work->bytes_read = bytes;
    work->bytes_written = bytes;
    if (!is_on_device(copy->params)) {
        work->items = bytes;
        work->item = "byte";
    }
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = backend_run,
    .verify = verify,
    .work = work,
    .destroy = backend_destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "copy", "1.0", "copies memory to memory"),
    .help =
        "Random bytes are copied; afterwards every byte is compared. Rates count each byte once as "
        "read and once as written; a bus or a link carries half of that, which items_per_s counts. "
        "With cache = warm, sizes that fit into a cache show the bandwidth of that cache.\n\n"
        "On the CPU one thread copies: `method = memcpy` (which auto stands for), `loop` or "
        "`stream`.\n\n"
        "On CUDA a copy within the device's memory is made by a kernel in which each thread loads "
        "`width` bytes at once, four times before it stores them where the device's threads cannot "
        "load all of them in one step; `method = memcpy` is the driver's copy, and what auto "
        "stands for elsewhere. `from` and `to` name other memory: `pinned`, which the kernel reads "
        "and writes over the bus; `pageable`, for memcpy only; `peer`, the memory of the next GPU, "
        "if this one can access it. No other case is measured at the same time.\n\n"
        "`directions = both` copies as many bytes back at the same time, on a second stream, by "
        "memcpy: over a link to a peer, or over the bus to pinned memory. `directions = all`, with "
        "from = device and to = peer, copies `bytes` from each GPU to each other one: each GPU has "
        "a stream and copies to the others in turn, beginning with the next. Streams are forked "
        "from the queue and joined to it once a sample; with more `iterations` this weighs "
        "less.\n\n"
        "The driver copies pageable memory in pieces and may wait for the device itself: such "
        "samples cannot be held back until they are launched, which the device detects and "
        "reports.\n\n"
        "Cases that a device does not support are skipped with the reason.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
