/*
 * ceilings.c - the benchmark `ceilings`: how fast a device can be at all. Plugin side.
 *
 * A roofline wants bounds that programs can reach: they are measured here by code that does
 * nothing else, not taken from a data sheet. Each bound has a name, the option `roof`, and its
 * stored case declares its work to the byte, so that others find bounds in a results file.
 */
#include "ceilings.h"

#include "plugins/common/bench_steps.h"

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
              "matrices (cublas, which auto stands for)"),
    GB_INT(struct params, threads, "0", "0:1024", "threads",
           "CPU: how many, each on a CPU of its own; 0: one for each CPU of the device"),
    GB_BYTES(struct params, bytes, "0", "0:1TiB",
             "bandwidths: memory that is gone through, all arrays and threads together; 0: what "
             "shows the level, from the sizes of the caches"),
    GB_INT(struct params, size, "8192", "256:65536", "rows",
           "method = cublas: rows and columns of the matrices, a multiple of 64"),
};

int32_t ceilings_skip(const struct ceilings *ceilings, const char *reason)
{
    return host_skip(ceilings->host, "roof = %s %s", ceilings->roof->name, reason);
}

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
        "is used: `read` (mixes all words), `write`, `copy`, or `triad`, a = b + 3 c. Bytes are "
        "those that the program reads and writes; lines that a cache reads because they are "
        "written are not counted.\n\n"
        "A rate is named after its type and its unit: `scalar` and `fma` (vectors on the CPU, "
        "ordinary cores on a GPU) are chains of fused multiply-adds in registers, `tensor` is a "
        "GPU's tensor cores. Numbers have random digits throughout. For int8 they are integer "
        "operations.\n\n"
        "`method = mma` keeps its matrices in registers; from Hopper on such instructions do not "
        "reach what the tensor cores can do. `method = cublas` multiplies large matrices. The "
        "roof is the higher of both cases.\n\n"
        "Results are checked: sums of what was read, every word that was written, each chain's "
        "end, elements of the matrix product.\n\n"
        "On the CPU each thread is on a CPU of its own and goes through memory of its own, which "
        "it touched first. For dram, what is written goes past the caches where the processor has "
        "such stores. The size of a level is the geometric mean of that cache and the one below "
        "it, for dram four times the last level of cache, at most a quarter of the memory.\n\n"
        "The metric `datasheet` is what the vendor states, for some GPUs: bytes/s, or FLOP/s "
        "without sparsity. Roofs that a device has not are skipped and say why.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
