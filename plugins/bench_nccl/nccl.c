/*
 * nccl.c - the benchmark `nccl`: a collective of NCCL over several GPUs. Plugin side.
 *
 * One thread of one process serves all ranks, in calls that are grouped. NCCL's documentation warns
 * that a graph of several GPUs' collectives, captured in one process, can deadlock (user guide,
 * Using NCCL with CUDA Graphs), and a communicator does not end before the graphs that it was
 * captured into: so every sample calls run.
 */
#include "library.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/gpu_group.h"
#include "plugins/common/validation.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- NCCL, opened when it is needed --- */

/* NULL: the case is skipped. */
static void *open_library(const struct gb_host *host, const char *library)
{
    char path[4096];
    const char *const names[] = {library, NULL};
    const bool is_path = strchr(library, '/') != NULL;
    const bool is_relative = is_path && library[0] != '/' && host->folder != NULL;
    snprintf(path, sizeof path, "%.2000s%s%.2000s", is_relative ? host->folder : "",
             is_relative ? "/" : "", library);
    void *handle = is_path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : cuda_library_open(names);
    if (handle == NULL && is_path) {
        const char *words = dlerror();
        host_skip(host, "library: %.400s", words != NULL ? words : path);
    } else if (handle == NULL) {
        host_skip(host,
                  "%.64s was not found, neither in the loader's path nor in the CUDA Toolkit: "
                  "expected its path as option library",
                  library);
    }
    return handle;
}

/*
 * Opens the library: a name, which is looked for where the loader does and in the CUDA Toolkit, or
 * a path, which starts from host->folder. GB_SKIPPED, with a reason, where it is not found or lacks
 * a function. It stays open for the life of the process.
 */
static int32_t nccl_open(struct nccl *functions, const struct gb_host *host, const char *library)
{
    const struct symbol symbols[] = {NCCL_FUNCTIONS(SYMBOL_LINE)};
    const struct symbol newer[] = {{"ncclGetLastError", &functions->last_error}};
    void *handle = open_library(host, library);
    if (handle == NULL)
        return GB_SKIPPED;
    const char *missing = FIND_SYMBOLS(handle, symbols);
    FIND_SYMBOLS(handle, newer);
    return missing != NULL ? host_skip(host, "%.400s has no %s", library, missing) : GB_OK;
}

/* GB_OK for ncclSuccess; else GB_FAILED, reported to the host with what was being done. */
static int32_t nccl_status(const struct nccl *nccl, const struct gb_host *host, int result,
                           const char *doing)
{
    if (result == 0)
        return GB_OK;
    const char *details = nccl->last_error != NULL ? nccl->last_error(NULL) : NULL;
    const bool has_details = details != NULL && details[0] != '\0';
    return host_fail(host, "NCCL: %.160s while %s%s%.200s", nccl->error_string(result), doing,
                     has_details ? ": " : "", has_details ? details : "");
}

/*
 * --- what collectives do: which elements are where, and how many bytes that takes ---
 *
 * Inputs are small whole numbers, so that every sum is exact in every format, whatever its order.
 */

/* In the order of the words below. */
enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST };
enum { OP_SUM, OP_MAX, OP_MIN };

enum { COLLECTIVE_ROOT = 0 }; /* of a broadcast */

struct collective {
    const struct gb_host *host; /* for random numbers */
    int32_t kind, op;
    uint32_t n_ranks;
    int64_t largest;      /* of the inputs, which go from its negative to it */
    uint64_t n_part;      /* elements that one rank has for, or gets from, one rank */
    uint64_t n_in, n_out; /* elements of a rank's input and output */
};

enum { LARGEST = 15 };

static bool has_parts(const struct collective *collective)
{
    return collective->kind != ALL_REDUCE && collective->kind != BROADCAST;
}

/* bytes: of the larger one of a rank's two buffers, at most; 0 parts, if they are too few for one
 * element for each rank. digits: of the format's significand. */
static void collective_make(struct collective *collective, const struct gb_host *host,
                            uint64_t bytes, const struct gb_format *format)
{
    const uint32_t n = collective->n_ranks;
    const uint64_t exact = ((UINT64_C(1) << format->digits) - 1) / n;
    collective->host = host;
    collective->largest = (int64_t)smaller(exact, LARGEST);
    collective->n_part = bytes / format->bytes / (has_parts(collective) ? n : 1);
    const uint64_t whole = collective->n_part * (has_parts(collective) ? n : 1);
    collective->n_in = collective->kind == ALL_GATHER ? collective->n_part : whole;
    collective->n_out = collective->kind == REDUCE_SCATTER ? collective->n_part : whole;
}

/* n elements of a rank's input, from element `first` on. A random word serves eight elements, a
 * byte each. */
static void collective_input(const struct collective *collective, uint32_t rank, uint64_t first,
                             uint64_t n, double *ret)
{
    const struct gb_host *host = collective->host;
    const uint64_t n_values = 2 * (uint64_t)collective->largest + 1;
    uint64_t word = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = first + i;
        if (i == 0 || at % 8 == 0)
            word = host->random(host, rank, at / 8);
        const uint64_t byte = word >> at % 8 * 8 & 0xff;
        ret[i] = (double)((int64_t)(byte * n_values / 256) - collective->largest);
    }
}

static double reduced(int32_t op, double a, double b)
{
    switch (op) {
    case OP_MAX:
        return a > b ? a : b;
    case OP_MIN:
        return a < b ? a : b;
    default:
        return a + b;
    }
}

static void reduce(const struct collective *collective, uint64_t first, uint64_t n, double *ret)
{
    enum { AT_ONCE = 512 };
    double values[AT_ONCE];
    for (uint64_t done = 0; done < n; done += AT_ONCE) {
        const uint64_t m = smaller(n - done, AT_ONCE);
        collective_input(collective, 0, first + done, m, ret + done);
        for (uint32_t rank = 1; rank < collective->n_ranks; rank++) {
            collective_input(collective, rank, first + done, m, values);
            for (uint64_t i = 0; i < m; i++)
                ret[done + i] = reduced(collective->op, ret[done + i], values[i]);
        }
    }
}

/* Part after part, each from another rank: what that one has of its own, or has for this rank. */
static void gather(const struct collective *collective, uint64_t from, uint64_t first, uint64_t n,
                   double *ret)
{
    const uint64_t n_part = collective->n_part;
    for (uint64_t done = 0; done < n;) {
        const uint64_t at = first + done;
        const uint64_t m = smaller(n - done, n_part - at % n_part);
        collective_input(collective, (uint32_t)(at / n_part), from + at % n_part, m, ret + done);
        done += m;
    }
}

/* The same of its output, as it has to be. */
static void collective_output(const struct collective *collective, uint32_t rank, uint64_t first,
                              uint64_t n, double *ret)
{
    switch (collective->kind) {
    case ALL_GATHER:
        gather(collective, 0, first, n, ret);
        return;
    case ALL_TO_ALL:
        gather(collective, rank * collective->n_part, first, n, ret);
        return;
    case REDUCE_SCATTER:
        reduce(collective, rank * collective->n_part + first, n, ret);
        return;
    case BROADCAST:
        collective_input(collective, COLLECTIVE_ROOT, first, n, ret);
        return;
    default:
        reduce(collective, first, n, ret);
    }
}

/* Where they are in one buffer of max(n_in, n_out) elements, for a collective in place. */
static uint64_t collective_input_at(const struct collective *collective, uint32_t rank)
{
    return collective->kind == ALL_GATHER ? rank * collective->n_part : 0;
}

static uint64_t collective_output_at(const struct collective *collective, uint32_t rank)
{
    return collective->kind == REDUCE_SCATTER ? rank * collective->n_part : 0;
}

/* Bytes that count for the two bandwidths of nccl-tests (its doc/PERFORMANCE.md): the size of the
 * operation, and what each rank's link has to carry of it if the algorithm is the best one. */
static double collective_bytes(const struct collective *collective, uint32_t element_bytes)
{
    const uint64_t n = collective->n_in > collective->n_out ? collective->n_in : collective->n_out;
    return (double)n * element_bytes;
}

static double collective_bus_factor(const struct collective *collective)
{
    const double n = collective->n_ranks;
    switch (collective->kind) {
    case ALL_REDUCE:
        return 2.0 * (n - 1.0) / n;
    case BROADCAST:
        return 1.0;
    default:
        return (n - 1.0) / n;
    }
}

/* --- the benchmark --- */

enum { BLOCK = 4096, CHUNK = 256 * BLOCK }; /* elements */

struct params {
    int32_t collective;
    uint64_t bytes;
    int32_t dtype;
    int32_t op; /* OP_... */
    int32_t in_place;
    int64_t ranks;
    const char *library;
};

static const char *const collectives[] = {"all_reduce", "all_gather", "reduce_scatter",
                                          "all_to_all", "broadcast"};
static const char *const ops_words[] = {"sum", "max", "min"};
static const int op_codes[] = {0, 2, 3}; /* ncclRedOp_t */
static const char *const dtypes[] = {"fp32", "fp16", "bf16", "fp64", "int32", "int64", "int8"};
static const struct {
    uint32_t format;
    int code; /* ncclDataType_t */
} types[] = {{GB_F32, 7}, {GB_F16, 6}, {GB_BF16, 9}, {GB_F64, 8},
             {GB_I32, 2}, {GB_I64, 4}, {GB_I8, 0}};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, collective, "all_reduce", collectives,
              "operation that the GPUs do together"),
    GB_BYTES(struct params, bytes, "64MiB", "1:1TiB",
             "the larger of the two buffers of each rank, as nccl-tests count sizes; rounded down "
             "to whole elements for each rank"),
    GB_CHOICE(struct params, dtype, "fp32", dtypes, "type of the elements"),
    GB_CHOICE(struct params, op, "sum", ops_words, "how elements are reduced"),
    GB_BOOL(struct params, in_place, "no",
            "output over input, where the collective has both in one buffer"),
    GB_INT(struct params, ranks, "0", "0:64", "GPUs",
           "number of GPUs, beginning with the case's own; 0: all visible ones"),
    GB_STRING(struct params, library, "libnccl.so.2",
              "NCCL: a name, or a path relative to the folder of the configuration"),
};

struct rank {
    void *communicator;
    unsigned char *in, *out; /* in place: in one buffer */
};

struct bench {
    const struct gb_host *host;
    const struct params *params;
    const struct gb_formats *formats;
    const struct gb_format *format;
    struct driver driver;
    struct gpu_group group;
    struct nccl nccl;
    struct collective collective;
    struct rank ranks[GPU_GROUP_MAX];
    unsigned char *chunk; /* CHUNK elements, through which memory of GPUs is reached, */
    double *values;       /*   as many of them, and what they should be */
    double *wanted;
};

/* --- create --- */

static void check_params(const struct params *params, gb_problem_fn *problem, void *context)
{
    if (params->ranks == 1)
        problem(context, "ranks", 0, "expected 0, for all GPUs, or at least 2");
    if (params->in_place != 0 && params->collective == ALL_TO_ALL)
        problem(context, "in_place", 0, "all_to_all of NCCL needs two buffers: expected no");
    if (params->library[0] == '\0')
        problem(context, "library", 0, "expected a name or a path");
}

static int32_t make_collective(struct bench *bench)
{
    const struct params *params = bench->params;
    const struct gb_host *host = bench->host;
    bench->formats = host->extension(host, GB_FORMATS);
    bench->format = bench->formats->describe(types[params->dtype].format);
    bench->collective = (struct collective){
        .kind = params->collective, .op = params->op, .n_ranks = bench->group.n};
    collective_make(&bench->collective, host, params->bytes, bench->format);
    if (bench->collective.n_part > 0)
        return GB_OK;
    return host_skip(host, "bytes = %llu: %u ranks need an element of %u bytes each",
                     (unsigned long long)params->bytes, (unsigned)bench->group.n,
                     (unsigned)bench->format->bytes);
}

static void report(const struct bench *bench)
{
    int version = 0;
    bench->host->metric(bench->host, "ranks", bench->group.n, "");
    if (bench->nccl.version(&version) == 0)
        bench->host->metric(bench->host, "nccl_version", version, "");
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const struct params *settings = params;
    struct first_problem first = {host, GB_OK};
    char reason[512];
    int32_t status = GB_OK;
    struct bench *bench = host_memory(host, sizeof *bench, &status);
    if (status != GB_OK)
        return status;
    bench->host = host;
    bench->params = settings;
    check_params(settings, fail_first, &first);
    status = first.status;
    if (status == GB_OK && !driver_open(&bench->driver, reason, sizeof reason))
        status = host->fail(host, reason);
    if (status == GB_OK)
        status = gpu_group_find(&bench->group, &bench->driver, host, (uint32_t)settings->ranks);
    if (status == GB_OK)
        status = nccl_open(&bench->nccl, host, settings->library);
    if (status == GB_OK)
        status = make_collective(bench);
    if (status != GB_OK)
        return status;
    report(bench);
    *ret_bench = bench;
    return GB_OK;
}

/* --- run --- */

static int call_all_to_all(const struct bench *bench, const struct rank *rank, void *stream)
{
    const struct nccl *nccl = &bench->nccl;
    const uint64_t n = bench->collective.n_part;
    const uint64_t bytes = n * bench->format->bytes;
    const int type = types[bench->params->dtype].code;
    int result = 0;
    for (uint32_t peer = 0; peer < bench->group.n && result == 0; peer++) {
        result = nccl->send(rank->in + peer * bytes, n, type, (int)peer, rank->communicator,
                            stream);
        if (result == 0)
            result = nccl->receive(rank->out + peer * bytes, n, type, (int)peer, rank->communicator,
                                   stream);
    }
    return result;
}

static int call_one(const struct bench *bench, const struct rank *rank, void *stream)
{
    const struct nccl *nccl = &bench->nccl;
    const struct params *params = bench->params;
    const uint64_t n = bench->collective.n_part;
    const int type = types[params->dtype].code;
    const int op = op_codes[params->op];
    switch (params->collective) {
    case ALL_GATHER:
        return nccl->all_gather(rank->in, rank->out, n, type, rank->communicator, stream);
    case REDUCE_SCATTER:
        return nccl->reduce_scatter(rank->in, rank->out, n, type, op, rank->communicator, stream);
    case ALL_TO_ALL:
        return call_all_to_all(bench, rank, stream);
    case BROADCAST:
        return nccl->broadcast(rank->in, rank->out, n, type, COLLECTIVE_ROOT, rank->communicator,
                               stream);
    default:
        return nccl->all_reduce(rank->in, rank->out, n, type, op, rank->communicator, stream);
    }
}

/* A group that has been started is ended whatever happens: the thread's next one would be in it. */
static int call_all(const struct bench *bench)
{
    int result = bench->nccl.group_start();
    for (uint32_t i = 0; i < bench->group.n && result == 0; i++)
        result = call_one(bench, &bench->ranks[i], bench->group.gpus[i].stream);
    const int end = bench->nccl.group_end();
    return result != 0 ? result : end;
}

/* Forked and joined once, so that iterations follow each other as in a program, and as nccl-tests
 * have them. */
static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct bench *bench = object;
    CUresult result = gpu_group_fork(&bench->group, queue->native);
    int of_nccl = 0;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS && of_nccl == 0; i++)
        of_nccl = call_all(bench);
    if (result == CUDA_SUCCESS)
        result = gpu_group_join(&bench->group, queue->native);
    const int32_t status = nccl_status(&bench->nccl, bench->host, of_nccl,
                                       "calling the collective");
    if (status != GB_OK)
        return status;
    return driver_status(&bench->driver, bench->host, result, "joining the streams of the GPUs");
}

/* --- memory --- */

static int32_t allocate_rank(struct bench *bench, uint32_t i)
{
    struct rank *rank = &bench->ranks[i];
    const struct collective *collective = &bench->collective;
    const uint64_t bytes = bench->format->bytes;
    const uint64_t all = (uint64_t)collective_bytes(collective, bench->format->bytes);
    const bool is_in_place = bench->params->in_place != 0;
    unsigned char *first = NULL;
    int32_t status = gpu_group_allocate(&bench->group, i,
                                        is_in_place ? all : collective->n_in * bytes, &first);
    rank->in = first;
    if (status == GB_OK && !is_in_place)
        return gpu_group_allocate(&bench->group, i, collective->n_out * bytes, &rank->out);
    if (status == GB_OK) {
        rank->in = first + collective_input_at(collective, i) * bytes;
        rank->out = first + collective_output_at(collective, i) * bytes;
    }
    return status;
}

static int32_t upload_inputs(const struct bench *bench)
{
    const struct gb_host *host = bench->host;
    const uint64_t n = bench->collective.n_in;
    const uint32_t bytes = bench->format->bytes;
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < bench->group.n; i++) {
        for (uint64_t at = 0; at < n && status == GB_OK; at += CHUNK) {
            const uint64_t m = smaller(n - at, CHUNK);
            if (host->cancelled(host) != 0)
                return GB_CANCELLED;
            collective_input(&bench->collective, i, at, m, bench->values);
            bench->formats->store(bench->format->format, bench->chunk, 0, m, bench->values);
            status = host->device_copy(host, bench->ranks[i].in + at * bytes, bench->chunk,
                                       m * bytes);
        }
    }
    return status;
}

/* Bits that no element may have in the end: no number, or -1. */
static int32_t spoil_outputs(const struct bench *bench)
{
    const struct gb_host *host = bench->host;
    const uint64_t n = bench->collective.n_out;
    const uint32_t bytes = bench->format->bytes;
    int32_t status = GB_OK;
    memset(bench->chunk, 0xff, (size_t)CHUNK * bytes);
    for (uint32_t i = 0; i < bench->group.n; i++) {
        for (uint64_t at = 0; at < n && status == GB_OK; at += CHUNK)
            status = host->device_copy(host, bench->ranks[i].out + at * bytes, bench->chunk,
                                       smaller(n - at, CHUNK) * bytes);
    }
    return status;
}

static int32_t take_memory(struct bench *bench)
{
    const struct gb_host *host = bench->host;
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < bench->group.n && status == GB_OK; i++)
        status = allocate_rank(bench, i);
    bench->chunk = device_memory(host, (uint64_t)CHUNK * bench->format->bytes, GB_MEMORY_PINNED,
                                 &status);
    bench->values = host_memory(host, CHUNK * sizeof *bench->values, &status);
    bench->wanted = host_memory(host, CHUNK * sizeof *bench->wanted, &status);
    return status;
}

/* --- prepare and destroy --- */

static int32_t connect(struct bench *bench)
{
    void *communicators[GPU_GROUP_MAX] = {NULL};
    int devices[GPU_GROUP_MAX] = {0};
    const uint32_t n = bench->group.n;
    for (uint32_t i = 0; i < n; i++)
        devices[i] = bench->group.gpus[i].device;
    const int result = bench->nccl.init_all(communicators, (int)n, devices);
    for (uint32_t i = 0; i < n && result == 0; i++)
        bench->ranks[i].communicator = communicators[i];
    return nccl_status(&bench->nccl, bench->host, result, "creating the communicators");
}

static int32_t call_once(struct bench *bench, const struct gb_queue *queue)
{
    const int32_t status = run(bench, queue, 1);
    if (status != GB_OK)
        return status;
    return driver_status(&bench->driver, bench->host,
                         bench->driver.stream_synchronize(queue->native),
                         "waiting for the collective");
}

/* The first call of a collective connects the ranks and waits for that, so it is not a sample. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    int32_t status = gpu_group_start(&bench->group);
    if (status == GB_OK)
        status = connect(bench);
    if (status == GB_OK)
        status = take_memory(bench);
    if (status == GB_OK)
        status = upload_inputs(bench);
    if (status == GB_OK)
        status = call_once(bench, queue);
    return status == GB_OK && bench->params->in_place == 0 ? spoil_outputs(bench) : status;
}

static void destroy(void *object)
{
    struct bench *bench = object;
    if (bench == NULL)
        return;
    for (uint32_t i = 0; i < bench->group.n; i++) {
        if (bench->group.gpus[i].stream != NULL)
            bench->driver.stream_synchronize(bench->group.gpus[i].stream);
    }
    for (uint32_t i = 0; i < bench->group.n; i++) {
        if (bench->ranks[i].communicator != NULL)
            bench->nccl.destroy(bench->ranks[i].communicator);
    }
    gpu_group_free(&bench->group);
}

/* --- verify --- */

/* Of the elements from `first` on, as many as a chunk has at most: the right ones of each block. */
static int32_t count_chunk(const struct bench *bench, uint32_t rank, uint64_t first, uint64_t n,
                           int32_t *right)
{
    const struct gb_host *host = bench->host;
    const uint32_t bytes = bench->format->bytes;
    const int32_t status = host->device_copy(host, bench->chunk,
                                             bench->ranks[rank].out + first * bytes, n * bytes);
    if (status != GB_OK)
        return status;
    bench->formats->load(bench->format->format, bench->chunk, 0, n, bench->values);
    collective_output(&bench->collective, rank, first, n, bench->wanted);
    for (uint64_t i = 0; i < n; i++)
        right[i / BLOCK] += bench->values[i] == bench->wanted[i];
    return GB_OK;
}

/* Right elements are counted block by block, which says where an output is wrong without a
 * reference of eight bytes for each element. */
static int32_t verify_rank(const struct bench *bench, uint32_t rank, int32_t *right, double *wanted)
{
    const struct gb_host *host = bench->host;
    const uint64_t n = bench->collective.n_out;
    const uint64_t n_blocks = quotient_up(n, BLOCK);
    char name[64];
    memset(right, 0, n_blocks * sizeof *right);
    for (uint64_t at = 0; at < n; at += CHUNK) {
        const int32_t status = count_chunk(bench, rank, at, smaller(n - at, CHUNK),
                                           right + at / BLOCK);
        if (status != GB_OK)
            return status;
    }
    for (uint64_t i = 0; i < n_blocks; i++)
        wanted[i] = (double)smaller(n - i * BLOCK, BLOCK);
    snprintf(name, sizeof name, "rank %u: right elements in each 4 Ki", (unsigned)rank);
    return check_exactly(host, name, GB_I32, n_blocks, right, wanted);
}

/* In place the samples have reduced again and again what they left themselves, so that one more
 * call is made with fresh inputs. */
static int32_t call_anew(struct bench *bench, const struct gb_queue *queue)
{
    int32_t status = spoil_outputs(bench);
    if (status == GB_OK)
        status = upload_inputs(bench);
    return status == GB_OK ? call_once(bench, queue) : status;
}

/* All ranks are compared, also after one that is wrong. */
static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    const uint64_t n_blocks = quotient_up(bench->collective.n_out, BLOCK);
    int32_t worst = GB_OK;
    int32_t *right = host_memory(host, n_blocks * sizeof *right, &worst);
    double *wanted = host_memory(host, n_blocks * sizeof *wanted, &worst);
    if (worst == GB_OK && bench->params->in_place != 0)
        worst = call_anew(bench, queue);
    for (uint32_t i = 0; i < bench->group.n && (worst == GB_OK || worst == GB_WRONG_RESULT); i++) {
        const int32_t status = verify_rank(bench, i, right, wanted);
        worst = status != GB_OK ? status : worst;
    }
    return worst;
}

/* --- the plugin --- */

/* So that the rate of bytes is the bus bandwidth, and that of items the algorithm's. */
static int32_t work(void *object, struct gb_work *work)
{
    const struct bench *bench = object;
    const struct collective *collective = &bench->collective;
    work->items = collective_bytes(collective, bench->format->bytes);
    work->item = "byte";
    work->bytes_read = work->items * collective_bus_factor(collective);
    return GB_OK;
}

static int32_t validate(const struct gb_host *host, const void *params, gb_problem_fn *problem,
                        void *context)
{
    (void)host;
    check_params(params, problem, context);
    return GB_OK;
}

VALIDATION_EXTENSION(.validate = validate);

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .flags = GB_BENCH_EXCLUSIVE | GB_BENCH_EVERY_CALL,
    .create = create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .work = work,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "nccl", "1.0", "collectives of NCCL over several GPUs"),
    .help =
        "One process has a rank on each GPU, the first on the device of the case. Each rank has a "
        "stream, forked from the queue and joined to it once a sample, so that a sample ends when "
        "all ranks have; with `iterations = 20`, the number that nccl-tests use, collectives "
        "follow each other as they do there.\n\n"
        "bytes_per_s (GB/s) is the bus bandwidth as nccl-tests define it, for n ranks that of the "
        "algorithm times 2 (n - 1) / n (all_reduce), (n - 1) / n (all_gather, reduce_scatter, "
        "all_to_all) or 1 (broadcast); items_per_s is the algorithm's: bytes over time. all_to_all "
        "is sends and receives in one group; a broadcast comes from rank 0.\n\n"
        "Inputs are small whole numbers, so that results are exact in every type; each element of "
        "every rank is compared. `cache = cold` flushes the first GPU only. Collectives are "
        "enqueued anew for each sample, never as a graph, which NCCL warns of for several GPUs in "
        "one process. `op` matters to all_reduce and reduce_scatter.\n\n"
        "Metrics: ranks and nccl_version (22809 is 2.28.9). Skipped, with a reason, where NCCL is "
        "not found or there are fewer GPUs.",
    .devices = "cuda",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
