/*
 * histogram.c - the benchmark `histogram`: how many values fall into each bin. Plugin side.
 *
 * The values are made chunk by chunk, counted as they are made, and uploaded: nothing of their size
 * stays on the host, and what is compared in the end never passed through the device.
 */
#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/with_cuda.h"
#include "plugins/common/team.h"

#include <gbrun/gbrun.h>
#include <inttypes.h>
#include <string.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_launch.h"
#endif

/* In the order of the words below. */
enum { DISTRIBUTION_UNIFORM, DISTRIBUTION_ONE, DISTRIBUTION_SKEWED };
enum { METHOD_PRIVATE, METHOD_GLOBAL };
enum { BLOCK_DEFAULT = 256, THREADS_DEFAULT = 0 };

struct params {
    int64_t n, bins;
    int32_t distribution;
    int32_t method;  /* METHOD_... */
    int64_t block;   /* of CUDA */
    int64_t threads; /* of the CPU; 0: as many as it has processors */
};

struct histogram {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own;           /* of the backend, taken from the host */
    uint32_t *values;    /* params->n, memory of the device */
    uint32_t *counts;    /* params->bins, memory of the device: modulo 2^32 */
    uint64_t *expected;  /* params->bins: of one iteration */
    uint64_t iterations; /* of the last run */
};

/* reset sets all counts to 0; run adds to them, `iterations` times. */
struct backend {
    BACKEND_FUNCTIONS(struct histogram);
};

/* Bins divide the range of values evenly. */
static uint32_t histogram_bin(uint32_t value, uint32_t bins)
{
    return (uint32_t)((uint64_t)value * bins >> 32);
}

enum { CHUNK_VALUES = 1 << 20 };

static const char *const distributions[] = {"uniform", "one", "skewed"};
static const char *const methods[] = {"private", "global"};

static const struct gb_option options[] = {
    GB_INT(struct params, n, "16Mi", "1:2^32", "values", "values of 32 bits to count"),
    GB_INT(struct params, bins, "256", "1:2^24", "bins",
           "number of bins, which divide the range of values evenly"),
    GB_CHOICE(struct params, distribution, "uniform", distributions,
              "all values equally likely; all values equal; low ones up to 32 times as likely"),
    GB_CHOICE(struct params, method, "private", methods,
              "a histogram for each block or thread, summed at the end, or one for all"),
    GB_INT(struct params, block, "256", "1:1024", "threads", "CUDA: threads in a block"),
    GB_INT(struct params, threads, "0", "0:1024", "threads",
           "CPU: threads; 0: as many as the device has processors"),
};

/* --- the values --- */

/* Skewed: shifted down by 0 to 7 places, each as often. */
static int32_t make_values(const struct histogram *histogram, uint64_t chunk, uint32_t *values,
                           uint64_t n)
{
    const struct gb_host *host = histogram->host;
    const struct gb_fill uniform = {
        .size = sizeof uniform, .format = GB_U32, .stream = 1 + chunk, .high = UINT32_MAX};
    const int32_t distribution = histogram->params->distribution;
    const uint32_t constant = (uint32_t)host->random(host, 0, 0);
    const int32_t status = host->fill(host, values, n, &uniform);
    for (uint64_t i = 0; i < n && distribution != DISTRIBUTION_UNIFORM; i++)
        values[i] = distribution == DISTRIBUTION_ONE ? constant : values[i] >> (values[i] & 7);
    return status;
}

static int32_t fill_in(const struct histogram *histogram, uint32_t *chunk)
{
    const struct gb_host *host = histogram->host;
    const uint64_t n = (uint64_t)histogram->params->n;
    const uint32_t bins = (uint32_t)histogram->params->bins;
    for (uint64_t first = 0; first < n; first += CHUNK_VALUES) {
        const uint64_t part = smaller(n - first, CHUNK_VALUES);
        if (host->cancelled(host) != 0)
            return GB_CANCELLED;
        int32_t status = make_values(histogram, first / CHUNK_VALUES, chunk, part);
        for (uint64_t i = 0; i < part; i++)
            histogram->expected[histogram_bin(chunk[i], bins)]++;
        copy_memory(host, histogram->values + first, chunk, part * sizeof *chunk, &status);
        if (status != GB_OK)
            return status;
    }
    return GB_OK;
}

/* --- on the CPU: threads count, each a part of the values --- */

enum { LINE_WORDS = 16 };

struct histogram_cpu {
    struct team *team;
    uint32_t n_threads;
    uint32_t *private_counts; /* of each thread; NULL: there are none */
    uint64_t stride;          /* from one thread's to the next one's, on other cache lines */
};

/* The part of one of n that share `total`. */
static uint64_t first_of(uint64_t total, uint64_t member, uint64_t n)
{
    return total * member / n;
}

static void count_atomically(void *object, uint32_t member)
{
    const struct histogram *histogram = object;
    const struct histogram_cpu *own = histogram->own;
    const uint32_t bins = (uint32_t)histogram->params->bins;
    const uint64_t total = (uint64_t)histogram->params->n;
    const uint64_t end = first_of(total, member + 1, own->n_threads);
    for (uint64_t i = first_of(total, member, own->n_threads); i < end; i++)
        __atomic_fetch_add(&histogram->counts[histogram_bin(histogram->values[i], bins)], 1,
                           __ATOMIC_RELAXED);
}

static void count_privately(void *object, uint32_t member)
{
    const struct histogram *histogram = object;
    const struct histogram_cpu *own = histogram->own;
    const uint32_t bins = (uint32_t)histogram->params->bins;
    const uint64_t total = (uint64_t)histogram->params->n;
    const uint64_t end = first_of(total, member + 1, own->n_threads);
    uint32_t *counts = own->private_counts + member * own->stride;
    memset(counts, 0, bins * sizeof *counts);
    for (uint64_t i = first_of(total, member, own->n_threads); i < end; i++)
        counts[histogram_bin(histogram->values[i], bins)]++;
}

/* Each thread adds up a part of the bins. */
static void add_up(void *object, uint32_t member)
{
    const struct histogram *histogram = object;
    const struct histogram_cpu *own = histogram->own;
    const uint64_t bins = (uint64_t)histogram->params->bins;
    const uint64_t end = first_of(bins, member + 1, own->n_threads);
    for (uint64_t thread = 0; thread < own->n_threads; thread++) {
        const uint32_t *counts = own->private_counts + thread * own->stride;
        for (uint64_t bin = first_of(bins, member, own->n_threads); bin < end; bin++)
            histogram->counts[bin] += counts[bin];
    }
}

static int32_t cpu_create(struct histogram *histogram)
{
    const struct gb_host *host = histogram->host;
    const struct params *params = histogram->params;
    if (params->block != BLOCK_DEFAULT)
        return host->skip(host, "block is for CUDA: the CPU has no blocks of threads");
    struct histogram_cpu *own = histogram->own;
    const uint64_t n = params->threads > 0 ? (uint64_t)params->threads : host->device->n_units;
    own->n_threads = n > 0 ? (uint32_t)smaller(n, TEAM_MAX) : 1;
    if (own->n_threads > 1)
        take_machine(host);
    return GB_OK;
}

static int32_t cpu_prepare(struct histogram *histogram, const struct gb_queue *queue)
{
    struct histogram_cpu *own = histogram->own;
    int32_t status = GB_OK;
    (void)queue;
    own->stride = quotient_up((uint64_t)histogram->params->bins, LINE_WORDS) * LINE_WORDS;
    if (histogram->params->method == METHOD_PRIVATE)
        own->private_counts = device_memory(histogram->host,
                                            own->n_threads * own->stride * sizeof(uint32_t),
                                            GB_MEMORY_DEVICE, &status);
    return status == GB_OK ? team_open(histogram->host, NULL, own->n_threads, &own->team) : status;
}

static int32_t cpu_reset(const struct histogram *histogram, const struct gb_queue *queue)
{
    (void)queue;
    memset(histogram->counts, 0, (size_t)histogram->params->bins * sizeof *histogram->counts);
    return GB_OK;
}

static int32_t cpu_run(const struct histogram *histogram, const struct gb_queue *queue,
                       uint64_t iterations)
{
    const struct histogram_cpu *own = histogram->own;
    void *context = (void *)(uintptr_t)histogram;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        if (own->private_counts != NULL) {
            team_run(own->team, count_privately, context);
            team_run(own->team, add_up, context);
        } else {
            team_run(own->team, count_atomically, context);
        }
        GB_CLOBBER();
    }
    return GB_OK;
}

static void cpu_destroy(void *object)
{
    const struct histogram_cpu *own = object;
    team_stop(own->team);
}

static const struct backend histogram_cpu = {
    .own_bytes = sizeof(struct histogram_cpu),
    .create = cpu_create,
    .prepare = cpu_prepare,
    .reset = cpu_reset,
    .run = cpu_run,
    .destroy = cpu_destroy,
};

/* --- on CUDA: a kernel counts --- */

#ifdef PLUGIN_WITH_CUDA

CUDA_IMAGE(histogram_image, "plugins/bench_histogram/histogram");

enum { VECTOR = 4, SHARED_BYTES = 48 * 1024 }; /* what a block has of shared memory unasked */

struct histogram_cuda {
    struct cuda_kernels kernels;
    struct cuda_launch launch;
    unsigned long long n;
    unsigned bins;
};

static int32_t cuda_create(struct histogram *histogram)
{
    const struct gb_host *host = histogram->host;
    const struct params *params = histogram->params;
    if (params->threads != THREADS_DEFAULT)
        return host->skip(host, "threads is for the CPU: those of a GPU are in blocks, see block");
    if (params->method == METHOD_PRIVATE && params->bins > SHARED_BYTES / 4)
        return host_skip(
            host, "bins = %" PRId64 " with method = private: a block has shared memory for %d",
            params->bins, SHARED_BYTES / 4);
    return cuda_kernels_open(histogram->own, host);
}

/* As many blocks as the device has room for, each of which continues until all is counted: private
 * counts are then added up as seldom as possible. */
static int32_t size_grid(const struct histogram *histogram, struct histogram_cuda *cuda)
{
    const uint64_t block = (uint64_t)histogram->params->block;
    const uint64_t wanted = quotient_up(cuda->n, block * VECTOR);
    int units = 0;
    int threads = 0;
    const int32_t status = driver_units(&cuda->kernels.driver, histogram->host, &units, &threads);
    const uint64_t room = (uint64_t)units * ((uint64_t)threads / block);
    cuda->launch.columns = (unsigned)smaller(wanted, room);
    return status;
}

static int32_t cuda_prepare(struct histogram *histogram, const struct gb_queue *queue)
{
    struct histogram_cuda *cuda = histogram->own;
    const struct params *params = histogram->params;
    const bool is_private = params->method == METHOD_PRIVATE;
    (void)queue;
    cuda->n = (unsigned long long)params->n;
    cuda->bins = (unsigned)params->bins;
    cuda->launch = (struct cuda_launch){
        .threads = (unsigned)params->block,
        .shared = is_private ? cuda->bins * (unsigned)sizeof(uint32_t) : 0,
        .arguments = {&histogram->counts, &histogram->values, &cuda->n, &cuda->bins},
    };
    const int32_t status = cuda_kernels_load(&cuda->kernels, &histogram_image,
                                             is_private ? "histogram_private" : "histogram_global",
                                             &cuda->launch.function);
    return status == GB_OK ? size_grid(histogram, cuda) : status;
}

static int32_t cuda_reset(const struct histogram *histogram, const struct gb_queue *queue)
{
    const struct histogram_cuda *cuda = histogram->own;
    const struct driver *driver = &cuda->kernels.driver;
    const CUresult result = driver->fill_words_async((CUdeviceptr)(uintptr_t)histogram->counts, 0,
                                                     cuda->bins, queue->native);
    return driver_status(driver, histogram->host, result, "setting the counts to 0");
}

static int32_t cuda_run(const struct histogram *histogram, const struct gb_queue *queue,
                        uint64_t iterations)
{
    const struct histogram_cuda *cuda = histogram->own;
    return cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations, "launching a histogram");
}

static const struct backend histogram_cuda = {
    .own_bytes = sizeof(struct histogram_cuda),
    .create = cuda_create,
    .prepare = cuda_prepare,
    .reset = cuda_reset,
    .run = cuda_run,
    .destroy = cuda_kernels_free,
};

#endif

/* --- the benchmark --- */

BACKEND_OPS(struct histogram, histogram_cpu, histogram_cuda, backend_nothing);

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct histogram *histogram = object;
    const struct gb_host *host = histogram->host;
    const uint64_t n = (uint64_t)histogram->params->n;
    const uint64_t bins = (uint64_t)histogram->params->bins;
    int32_t status = GB_OK;
    histogram->values = device_memory(host, n * sizeof(uint32_t), GB_MEMORY_DEVICE, &status);
    histogram->counts = device_memory(host, bins * sizeof(uint32_t), GB_MEMORY_DEVICE, &status);
    uint32_t *chunk = device_memory(host, smaller(n, CHUNK_VALUES) * sizeof *chunk,
                                    GB_MEMORY_PINNED, &status);
    histogram->expected = host_memory(host, bins * sizeof *histogram->expected, &status);
    if (status == GB_OK)
        status = fill_in(histogram, chunk);
    return status == GB_OK ? backend_prepare(object, queue) : status;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct histogram *histogram = object;
    histogram->iterations = iterations;
    return backend_run(object, queue, iterations);
}

/* The counts are those of all iterations since the last reset, modulo 2^32. */
static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct histogram *histogram = object;
    const struct gb_host *host = histogram->host;
    const uint64_t bins = (uint64_t)histogram->params->bins;
    int32_t status = GB_OK;
    (void)queue;
    uint32_t *counts = host_copy_of(host, histogram->counts, bins * sizeof *counts, &status);
    double *reference = host_memory(host, bins * sizeof *reference, &status);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < bins; i++)
        reference[i] = (double)(uint32_t)(histogram->expected[i] * histogram->iterations);
    return check_exactly(host, "counts", GB_U32, bins, counts, reference);
}

/* The counts are left out: they stay in caches, whatever their number of accesses. */
static int32_t work(void *object, struct gb_work *work)
{
    const struct histogram *histogram = object;
    work->bytes_read = (double)histogram->params->n * sizeof(uint32_t);
    work->items = (double)histogram->params->n;
    work->item = "value";
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = backend_create,
    .prepare = prepare,
    .run = run,
    .reset = backend_reset,
    .verify = verify,
    .work = work,
    .destroy = backend_destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "histogram", "1.0", "counts how many values fall into each bin"),
    .help =
        "Random values of 32 bits are counted; afterwards every count is compared with that of the "
        "same values on the host. The bin of a value is value * bins / 2^32. An iteration adds all "
        "values to the counts once more; they are set to 0 before each sample, outside its "
        "time.\n\n"
        "With `method = global` all threads add to the same counts with atomic operations: its "
        "speed depends on how often two threads update the same count at once, which "
        "`distribution` and `bins` determine. In the distribution `skewed` values are uniform ones "
        "shifted right by 0 to 7 bits. With `method = private` each block of a GPU counts in its "
        "shared memory, with atomic operations too, and each thread of a CPU in memory of its own; "
        "summing the results is timed as well.\n\n"
        "48 KiB of shared memory hold 12288 bins; cases with more are skipped. `block` is for "
        "CUDA, `threads` for the CPU; a case that sets the other's is skipped.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
