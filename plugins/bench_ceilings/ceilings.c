/*
 * ceilings.c - the benchmark `ceilings`: how fast a device can be at all. Plugin side.
 *
 * A roofline wants bounds that programs can reach: they are measured here by code that does
 * nothing else, not taken from a data sheet. Each bound has a name, the option `roof`, and its
 * stored case declares its work to the byte, so that others find bounds in a results file.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#endif
#include "ceilings.h"

#include "memory.h"
#include "plugins/common/system/system_file.h"
#include "plugins/common/team.h"
#include "rates.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const roof_names[] = {
#define ROOF_NAME(name, level, access, number, unit) #name,
    ROOFS(ROOF_NAME)
#undef ROOF_NAME
};
static const char *const methods[] = {"auto", "mma", "cublas"};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, roof, "dram_copy", roof_names,
              "the bound: LEVEL_ACCESS is a bandwidth, TYPE_UNIT a rate of operations"),
    GB_CHOICE(struct params, method, "auto", methods,
              "rates of tensor cores: by instructions of a warp (mma) or by products of large "
              "matrices (cublas, the default)"),
    GB_INT(struct params, threads, "0", "0:1024", "threads",
           "CPU: number of threads, each on its own CPU; 0: one for each CPU of the device"),
    GB_BYTES(struct params, bytes, "0", "0:1TiB",
             "bandwidths: total size of the arrays of all threads; 0: a size that fits the level, "
             "from the sizes of the caches"),
    GB_INT(struct params, size, "8192", "256:65536", "rows",
           "method = cublas: rows and columns of the matrices, a multiple of 64"),
};

/* --- on the CPU: threads, each with memory or registers of its own --- */

enum {
    LINE_BYTES = 64,
    UNIT_BYTES = 4096, /* arrays have whole ones, so that all threads' memory is alike */
    GAP_BYTES = 65536,
    ARRAYS_MAX = 3,
    STEPS = 4096, /* of a chain before it starts anew, */
    REPEATS = 64  /*   in an iteration: together well above what a team's start takes */
};
static const uint64_t ITERATION_BYTES = UINT64_C(32) << 20; /* at least, in each thread */
static const uint64_t DRAM_BYTES_MIN = UINT64_C(256) << 20;
static const uint64_t WRITTEN_WORD = UINT64_C(0xc3a5c85c97cb3127);

/* What one thread has; nothing of it shares a cache line with another's. */
struct share {
    _Alignas(LINE_BYTES) unsigned char *arrays[ARRAYS_MAX]; /* arrays[0] is written, if any is */
    uint64_t first;                                         /* number of its first word */
    uint64_t sum; /* read: of all passes of an iteration */
    uint64_t n_right;
    void *mapped;                  /* NULL or MAP_FAILED: nothing is */
    double ends[RATES_CHAINS_MAX]; /* rates: as doubles or as floats */
};

struct cpu_ceilings {
    struct team *team;
    uint32_t n_threads;
    uint32_t cpus[TEAM_MAX];
    struct share *shares;
    const struct memory_ways *memory;
    uint64_t array_bytes, mapped_bytes; /* of one thread */
    uint64_t n_passes;                  /* in an iteration */
    const struct rate_way *rate;
    struct rate_constants constants;
    double starts[RATES_CHAINS_MAX]; /* as doubles or as floats */
};

/* What a round of the team is given. */
struct round {
    const struct ceilings *ceilings;
    uint64_t iterations;
};

static uint64_t memory_limit_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages / 4 * (uint64_t)page_bytes : UINT64_MAX;
}

static uint64_t dram_bytes(const struct cpu_ceilings *cpu)
{
    const uint64_t limit = memory_limit_bytes();
    uint64_t bytes = 4 * caches_last_level(CPU_FOLDER, cpu->cpus, cpu->n_threads);
    bytes = bytes > DRAM_BYTES_MIN ? bytes : DRAM_BYTES_MIN;
    return bytes < limit ? bytes : limit;
}

/* Half of the way, by factors, from the level below, whose part in it is then small, to where this
 * level is full. Of the first level half. */
static uint64_t cache_bytes(const struct cpu_ceilings *cpu, uint32_t level)
{
    const uint64_t here = caches_share(CPU_FOLDER, cpu->cpus, cpu->n_threads, level);
    if (level == 1)
        return here / 2;
    const uint64_t below = caches_share(CPU_FOLDER, cpu->cpus, cpu->n_threads, level - 1);
    return below < here ? (uint64_t)sqrt((double)below * (double)here) : here / 2;
}

/* Of all arrays and threads; 0: the level's size is not known. */
static uint64_t working_set_bytes(const struct ceilings *ceilings)
{
    static const uint32_t levels[] = {[LEVEL_L3] = 3, [LEVEL_L2] = 2, [LEVEL_L1] = 1};
    const struct cpu_ceilings *cpu = ceilings->own;
    if (ceilings->params->bytes > 0)
        return ceilings->params->bytes;
    if (ceilings->roof->level == LEVEL_DRAM)
        return dram_bytes(cpu);
    return cpu->n_threads * cache_bytes(cpu, levels[ceilings->roof->level]);
}

static int32_t plan_memory(struct ceilings *ceilings)
{
    struct cpu_ceilings *cpu = ceilings->own;
    const uint64_t n_arrays = roof_arrays(ceilings->roof);
    const uint64_t bytes = working_set_bytes(ceilings);
    if (bytes == 0)
        return ceilings_skip(
            ceilings,
            "needs a CPU with this cache whose size the system reports: expected bytes otherwise");
    const uint64_t pages = bytes / (UNIT_BYTES * n_arrays * cpu->n_threads);
    cpu->array_bytes = (pages > 0 ? pages : 1) * UNIT_BYTES;
    /* What a processor prefetches behind the arrays would else be taken from another thread's
     * cache. */
    cpu->mapped_bytes = cpu->array_bytes * n_arrays + GAP_BYTES;
    cpu->n_passes = (ITERATION_BYTES - 1) / (cpu->array_bytes * n_arrays) + 1;
    cpu->memory = memory_ways_here(ceilings->roof->level == LEVEL_DRAM);
    ceilings->working_set_bytes = cpu->array_bytes * n_arrays * cpu->n_threads;
    ceilings->array_bytes = (double)cpu->array_bytes * (double)cpu->n_passes * cpu->n_threads;
    ceilings->element_bytes = sizeof(double);
    return GB_OK;
}

static int32_t plan_rate(struct ceilings *ceilings)
{
    struct cpu_ceilings *cpu = ceilings->own;
    const struct roof *roof = ceilings->roof;
    cpu->rate = rate_way_here(roof->number, roof->unit);
    if (cpu->rate == NULL)
        return ceilings_skip(ceilings, "is for GPUs");
    cpu->constants = rate_constants_for(roof->number == NUMBER_FP64 ? 53 : 24);
    ceilings->flops = 2.0 * cpu->rate->n_chains * (double)STEPS * (double)REPEATS * cpu->n_threads;
    return GB_OK;
}

static int32_t cpu_create(struct ceilings *ceilings)
{
    const struct gb_host *host = ceilings->host;
    if (ceilings->roof->level == LEVEL_SHARED || ceilings->roof->unit == UNIT_TENSOR)
        return ceilings_skip(ceilings, "is for GPUs");
    struct cpu_ceilings *cpu = ceilings->own;
    take_machine(host);
    const int32_t status = team_size(host, ceilings->params->threads, cpu->cpus, &cpu->n_threads);
    if (status != GB_OK)
        return status;
    return ceilings->roof->access == ACCESS_NONE ? plan_rate(ceilings) : plan_memory(ceilings);
}

/* Touched first, and with it placed, by the thread that uses it; large pages, where the system has
 * them, spare the misses of address translation. What is written starts out wrong. */
static void fill_share(void *context, uint32_t thread)
{
    const struct round *round = context;
    const struct ceilings *ceilings = round->ceilings;
    const struct cpu_ceilings *cpu = ceilings->own;
    struct share *share = &cpu->shares[thread];
    const uint64_t bytes = cpu->array_bytes;
    const uint32_t n_arrays = roof_arrays(ceilings->roof);
    share->mapped = mmap(NULL, cpu->mapped_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (share->mapped == MAP_FAILED)
        return;
    madvise(share->mapped, cpu->mapped_bytes, MADV_HUGEPAGE);
    for (uint32_t i = 0; i < n_arrays; i++)
        share->arrays[i] = (unsigned char *)share->mapped + i * bytes;
    share->first = thread * (bytes / sizeof(uint64_t));
    memory_fill(share->arrays[n_arrays == 1 ? 0 : 1], bytes, share->first);
    if (n_arrays > 1)
        memset(share->arrays[0], 0xff, bytes);
    for (uint32_t i = 1; ceilings->roof->access == ACCESS_TRIAD && i < n_arrays; i++)
        memory_fill_triad(share->arrays[i], bytes, share->first, i);
}

static int32_t fill_memory(struct ceilings *ceilings)
{
    const struct cpu_ceilings *cpu = ceilings->own;
    struct round round = {ceilings, 0};
    team_run(cpu->team, fill_share, &round);
    for (uint32_t i = 0; i < cpu->n_threads; i++) {
        if (cpu->shares[i].mapped == MAP_FAILED) {
            host_fail(ceilings->host, "out of memory for a working set of %llu bytes",
                      (unsigned long long)ceilings->working_set_bytes);
            return GB_NO_MEMORY;
        }
    }
    return GB_OK;
}

static int32_t fill_chains(struct ceilings *ceilings)
{
    struct cpu_ceilings *cpu = ceilings->own;
    const struct gb_fill fill = {
        .size = sizeof fill,
        .format = ceilings->roof->number == NUMBER_FP64 ? GB_F64 : GB_F32,
        .low = 1.0,
        .high = 2.0,
    };
    return ceilings->host->fill(ceilings->host, cpu->starts, cpu->rate->n_chains, &fill);
}

static int32_t cpu_prepare(struct ceilings *ceilings, const struct gb_queue *queue)
{
    struct cpu_ceilings *cpu = ceilings->own;
    const struct gb_host *host = ceilings->host;
    int32_t status = GB_OK;
    (void)queue;
    cpu->shares = host_memory(host, cpu->n_threads * sizeof *cpu->shares, &status);
    if (status == GB_OK)
        status = team_open(host, cpu->cpus, cpu->n_threads, &cpu->team);
    if (status != GB_OK)
        return status;
    return cpu->rate != NULL ? fill_chains(ceilings) : fill_memory(ceilings);
}

static void use_memory(const struct ceilings *ceilings, const struct cpu_ceilings *cpu,
                       struct share *share)
{
    const struct memory_ways *memory = cpu->memory;
    unsigned char *const *arrays = share->arrays;
    const uint64_t bytes = cpu->array_bytes;
    switch (ceilings->roof->access) {
    case ACCESS_READ:
        share->sum = memory->read(arrays[0], bytes, cpu->n_passes);
        break;
    case ACCESS_WRITE:
        memory->write(arrays[0], bytes, cpu->n_passes, WRITTEN_WORD);
        break;
    case ACCESS_COPY:
        memory->copy(arrays[0], arrays[1], bytes, cpu->n_passes);
        break;
    default:
        memory->triad(arrays[0], arrays[1], arrays[2], bytes, cpu->n_passes);
        break;
    }
}

static void run_memory(void *context, uint32_t thread)
{
    const struct round *round = context;
    const struct cpu_ceilings *cpu = round->ceilings->own;
    for (uint64_t i = 0; i < round->iterations; i++)
        use_memory(round->ceilings, cpu, &cpu->shares[thread]);
}

static void run_rate(void *context, uint32_t thread)
{
    const struct round *round = context;
    const struct cpu_ceilings *cpu = round->ceilings->own;
    struct share *share = &cpu->shares[thread];
    for (uint64_t i = 0; i < round->iterations * REPEATS; i++) {
        cpu->rate->run(&cpu->constants, cpu->starts, share->ends, STEPS);
        GB_CLOBBER();
    }
}

static int32_t cpu_run(const struct ceilings *ceilings, const struct gb_queue *queue,
                       uint64_t iterations)
{
    const struct cpu_ceilings *cpu = ceilings->own;
    struct round round = {ceilings, iterations};
    (void)queue;
    team_run(cpu->team, cpu->rate != NULL ? run_rate : run_memory, &round);
    return GB_OK;
}

static void count_right(void *context, uint32_t thread)
{
    const struct round *round = context;
    const struct cpu_ceilings *cpu = round->ceilings->own;
    const int32_t access = round->ceilings->roof->access;
    const uint64_t bytes = cpu->array_bytes;
    struct share *share = &cpu->shares[thread];
    if (access == ACCESS_READ)
        share->n_right = share->sum ==
                         cpu->n_passes * memory_sum(share->first, bytes, cpu->memory->n_lanes);
    else
        share->n_right = memory_right(access, share->arrays[0], bytes, share->first, WRITTEN_WORD);
}

static int32_t verify_memory(struct ceilings *ceilings, double *output, double *reference)
{
    const struct cpu_ceilings *cpu = ceilings->own;
    const bool is_read = ceilings->roof->access == ACCESS_READ;
    const uint64_t n_words = cpu->array_bytes / sizeof(uint64_t);
    struct round round = {ceilings, 0};
    team_run(cpu->team, count_right, &round);
    for (uint32_t i = 0; i < cpu->n_threads; i++) {
        output[i] = (double)cpu->shares[i].n_right;
        reference[i] = is_read ? 1.0 : (double)n_words;
    }
    return check_exactly(ceilings->host,
                         is_read ? "right sums of threads" : "right words of threads", GB_F64,
                         cpu->n_threads, output, reference);
}

static double number_in(const double *numbers, uint32_t i, bool is_double)
{
    float number;
    if (is_double)
        return numbers[i];
    memcpy(&number, (const char *)numbers + i * sizeof number, sizeof number);
    return (double)number;
}

static int32_t verify_rate(struct ceilings *ceilings, double *output, double *reference)
{
    const struct cpu_ceilings *cpu = ceilings->own;
    const uint32_t n_chains = cpu->rate->n_chains;
    const bool is_double = ceilings->roof->number == NUMBER_FP64;
    for (uint32_t i = 0; i < n_chains; i++)
        reference[i] = rate_end(number_in(cpu->starts, i, is_double), STEPS, is_double ? 53 : 24,
                                cpu->rate->is_fused);
    for (uint32_t i = 0; i < cpu->n_threads * n_chains; i++) {
        output[i] = number_in(cpu->shares[i / n_chains].ends, i % n_chains, is_double);
        reference[i] = reference[i % n_chains];
    }
    return check_exactly(ceilings->host, "ends of chains", GB_F64, cpu->n_threads * n_chains,
                         output, reference);
}

static int32_t cpu_verify(struct ceilings *ceilings, const struct gb_queue *queue)
{
    const struct cpu_ceilings *cpu = ceilings->own;
    const uint64_t n = cpu->n_threads * (cpu->rate != NULL ? cpu->rate->n_chains : 1);
    int32_t status = GB_OK;
    (void)queue;
    double *output = host_memory(ceilings->host, n * sizeof *output, &status);
    double *reference = host_memory(ceilings->host, n * sizeof *reference, &status);
    if (status != GB_OK)
        return status;
    return cpu->rate != NULL ? verify_rate(ceilings, output, reference)
                             : verify_memory(ceilings, output, reference);
}

static void cpu_destroy(void *object)
{
    struct cpu_ceilings *cpu = object;
    team_stop(cpu->team);
    for (uint32_t i = 0; cpu->shares != NULL && i < cpu->n_threads; i++) {
        if (cpu->shares[i].mapped != NULL && cpu->shares[i].mapped != MAP_FAILED)
            munmap(cpu->shares[i].mapped, cpu->mapped_bytes);
    }
}

static const struct backend ceilings_cpu = {
    .own_bytes = sizeof(struct cpu_ceilings),
    .create = cpu_create,
    .prepare = cpu_prepare,
    .run = cpu_run,
    .verify = cpu_verify,
    .destroy = cpu_destroy,
};

/* --- the benchmark --- */

/* An option that has no effect on the case would make two cases of one. */
static int32_t set_up(struct ceilings *ceilings)
{
    const struct params *params = ceilings->params;
    ceilings->roof = &roofs[params->roof];
    if (params->method != METHOD_AUTO && ceilings->roof->unit != UNIT_TENSOR)
        return ceilings_skip(ceilings, "has one method: mma and cublas are for tensor cores");
    if (params->bytes != 0 && ceilings->roof->access == ACCESS_NONE)
        return ceilings_skip(ceilings, "is a rate: bytes is for bandwidths");
    return GB_OK;
}

static void tell_metrics(const struct ceilings *ceilings)
{
    const struct gb_host *host = ceilings->host;
    const bool is_rate = ceilings->roof->access == ACCESS_NONE;
    const double datasheet = roof_datasheet(ceilings->roof, host->device->model);
    if (!is_rate)
        host->metric(host, "working_set", (double)ceilings->working_set_bytes, "bytes");
    if (datasheet > 0.0)
        host->metric(host, "datasheet", datasheet, is_rate ? "FLOP/s" : "bytes/s");
}

BACKEND_OPS(struct ceilings, ceilings_cpu, ceilings_cuda, set_up);

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const int32_t status = backend_create(host, params, ret_bench);
    if (status == GB_OK)
        tell_metrics(*ret_bench);
    return status;
}

/* Bytes as STREAM counts them (McCalpin, 1995): what the program reads and writes, without the
 * reads that a cache makes of lines that are written. */
static void tell_rate(const struct ceilings *ceilings, struct gb_work *work)
{
    static const uint32_t formats[] = {
        [NUMBER_FP64] = GB_F64, [NUMBER_FP32] = GB_F32,  [NUMBER_TF32] = GB_TF32,
        [NUMBER_FP16] = GB_F16, [NUMBER_BF16] = GB_BF16, [NUMBER_FP8] = GB_F8_E4M3,
        [NUMBER_INT8] = GB_I8,
    };
    static const uint32_t units[] = {
        [UNIT_SCALAR] = GB_MATH_SCALAR,
        [UNIT_FMA] = GB_MATH_VECTOR,
        [UNIT_TENSOR] = GB_MATH_TENSOR,
    };
    work->flops = ceilings->flops;
    GB_WORK_MATH(work, formats[ceilings->roof->number], units[ceilings->roof->unit]);
}

static int32_t work(void *object, struct gb_work *work)
{
    static const struct {
        double reads, writes, flops; /* flops: for each number written */
    } accesses[] = {
        [ACCESS_NONE] = {0, 0, 0}, [ACCESS_READ] = {1, 0, 0},  [ACCESS_WRITE] = {0, 1, 0},
        [ACCESS_COPY] = {1, 1, 0}, [ACCESS_TRIAD] = {2, 1, 2},
    };
    const struct ceilings *ceilings = object;
    const int32_t access = ceilings->roof->access;
    const double bytes = ceilings->array_bytes;
    if (access == ACCESS_NONE) {
        tell_rate(ceilings, work);
        return GB_OK;
    }
    work->bytes_read = accesses[access].reads * bytes;
    work->bytes_written = accesses[access].writes * bytes;
    if (access == ACCESS_TRIAD) {
        work->flops = accesses[access].flops * bytes / ceilings->element_bytes;
        GB_WORK_MATH(work, ceilings->element_bytes == sizeof(double) ? GB_F64 : GB_F32,
                     GB_MATH_VECTOR);
    }
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = backend_prepare,
    .run = backend_run,
    .verify = backend_verify,
    .work = work,
    .destroy = backend_destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "ceilings", "1.0",
              "measures the bandwidths and peak rates that bound a device"),
    .help =
        "A bandwidth is named after its level (`dram`, `l3`, `l2`, `l1`, `shared`) and how memory "
        "is used: `read` (combines all words), `write`, `copy`, or `triad`, a = b + 3 c. Bytes are "
        "those that the program reads and writes; cache lines that are read only because they are "
        "written are not counted.\n\n"
        "A rate is named after its type and its unit: `scalar` and `fma` (vectors on the CPU, "
        "ordinary cores on a GPU) are chains of fused multiply-adds in registers, `tensor` is a "
        "GPU's tensor cores. All digits of the numbers are random. For int8, operations are "
        "integer operations.\n\n"
        "`method = mma` keeps its matrices in registers; from Hopper on these instructions do not "
        "reach the peak of the tensor cores. `method = cublas` multiplies large matrices. The roof "
        "is the higher of the two.\n\n"
        "Results are checked: sums of the words read, every word written, the end of each chain, "
        "elements of the matrix product.\n\n"
        "On the CPU each thread runs on its own CPU and in its own memory, which it touched first. "
        "For dram, stores bypass the caches where the processor has such instructions. The size of "
        "a level is the geometric mean of that cache and the one below it, for dram four times the "
        "last level of cache, at most a quarter of the memory.\n\n"
        "The metric `datasheet` is what the vendor states, for some GPUs: bytes/s, or FLOP/s "
        "without sparsity. Roofs that a device does not have are skipped with the reason.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
