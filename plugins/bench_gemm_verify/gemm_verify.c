/*
 * gemm_verify.c - the benchmark `gemm_verify`: matrix products in every type of number, compared
 * with a float64 reference. Plugin side.
 *
 * What is asked is not only how fast a product is, but how far it is from the right one, and how
 * that depends on numbers, types, order of summation and reference.
 */
#include "gemm.h"

#include "plugins/common/validation.h"

#include <inttypes.h>
#include <string.h>

static const char *const dtypes[] = {"fp16", "bf16",     "fp32",     "tf32",
                                     "fp64", "fp8_e4m3", "fp8_e5m2", "int8"};
static const char *const layouts[] = {"nn", "nt", "tn", "tt"};
static const char *const kernels[] = {GEMM_KERNEL_WORDS};
static const char *const accumulations[] = {"auto", "fp32",   "fp64",
                                            "fp16", "every4", "every4_nearest"};
static const char *const reference_accumulations[] = {"fp64", "fp32", "fp16", "every4",
                                                      "every4_nearest"};
static const char *const flushes[] = {"none", "input", "output", "both"};
static const char *const references[] = {"auto", "cpu", "gpu", "gpu_tensor"};
static const char *const faults[] = {
    "none",         "dropped_product", "skipped_k_step", "stale_tile",
    "swapped_rows", "unwritten",       "wrong_scale",    "nan",
    "inf",          "all_zero"};

static const struct gb_option options[] = {
    GB_INT(struct params, m, "256", "1:65536", "rows", "rows of A and of C"),
    GB_INT(struct params, n, "256", "1:65536", "columns", "columns of B and of C"),
    GB_INT(struct params, k, "512", "1:1048576", "products",
           "columns of A and rows of B: the length of each sum"),
    GB_CHOICE(
        struct params, dtype, "fp16", dtypes,
        "number type of A and B, and of C except with fp8 (fp32), tf32 (fp32) and int8 (int32)"),
    GB_STRING(struct params, range, "r0",
              "range of the inputs: r0 (-1..1), r1 (-10..10), r4 (1..5), r5 (5..10), LOW..HIGH, or "
              "several of these separated by |"),
    GB_BOOL(struct params, integral, "no",
            "integers only, so that the result must be exact to the last bit"),
    GB_CHOICE(struct params, layout, "nn", layouts,
              "how A and B are stored: n by rows, t by columns"),
    GB_CHOICE(struct params, kernel, "auto", kernels,
              "implementation: on the CPU scalar, simd (auto) or blocked sums, on CUDA ordinary "
              "cores, tensor cores (auto, where they have the type) or cuBLAS"),
    GB_CHOICE(struct params, accumulate, "auto", accumulations,
              "format of the sums: the usual one of the type, another, or four products added "
              "exactly and then truncated (every4) or rounded (every4_nearest) to fp32"),
    GB_CHOICE(struct params, flush_subnormals, "none", flushes,
              "subnormal numbers become 0 in the kernel"),
    GB_INT(struct params, split_k, "1", "1:1024", "slices",
           "number of parts of each sum, added separately"),
    GB_CHOICE(struct params, reference, "auto", references,
              "reference: float64 on all CPUs, float64 on the GPU, or cuBLAS in the same type"),
    GB_CHOICE(struct params, reference_accumulate, "fp64", reference_accumulations,
              "reference = cpu: like accumulate, for the reference"),
    GB_CHOICE(struct params, reference_flush, "none", flushes,
              "reference = cpu: like flush_subnormals, for the reference"),
    GB_CHOICE(struct params, fault, "none", faults,
              "a typical error of kernels, injected into C to test whether it is found"),
};

static const struct {
    uint32_t input, output;
    int32_t accumulate; /* what auto stands for */
} types[] = {
    [DTYPE_FP16] = {GB_F16, GB_F16, ACCUMULATE_FP32},
    [DTYPE_BF16] = {GB_BF16, GB_BF16, ACCUMULATE_FP32},
    [DTYPE_FP32] = {GB_F32, GB_F32, ACCUMULATE_FP32},
    [DTYPE_TF32] = {GB_TF32, GB_F32, ACCUMULATE_FP32},
    [DTYPE_FP64] = {GB_F64, GB_F64, ACCUMULATE_FP64},
    [DTYPE_E4M3] = {GB_F8_E4M3, GB_F32, ACCUMULATE_FP32},
    [DTYPE_E5M2] = {GB_F8_E5M2, GB_F32, ACCUMULATE_FP32},
    [DTYPE_INT8] = {GB_I8, GB_I32, ACCUMULATE_INT32},
};

/* --- on one CPU, with sums in three orders --- */

struct cpu_gemm {
    struct sums_request request;
    double *lines; /* one matrix as doubles, as long as that takes */
    void *a, *b;   /* as the sums take them */
    double *sums;
};

static int32_t cpu_create(struct gemm *gemm)
{
    struct cpu_gemm *cpu = gemm->own;
    if (gemm->kernel == KERNEL_AUTO)
        gemm->kernel = KERNEL_SIMD;
    if (gemm->reference == REFERENCE_AUTO)
        gemm->reference = REFERENCE_CPU;
    if (gemm->reference != REFERENCE_CPU)
        return gemm_skip(gemm, "reference", gemm->reference == REFERENCE_GPU ? "gpu" : "gpu_tensor",
                         "is for CUDA");
    if (gemm->kernel < KERNEL_SCALAR || gemm->kernel > KERNEL_BLOCKED)
        return gemm_skip_kernel(gemm, "is for CUDA");
    cpu->request = (struct sums_request){
        .shape = gemm->shape,
        .accumulate = gemm->accumulate,
        .order = gemm->kernel - KERNEL_SCALAR + ORDER_SCALAR, /* the enums are in one order */
        .n_slices = (uint64_t)gemm->params->split_k,
    };
    gemm->model = gemm_model_of_sums(&cpu->request);
    return GB_OK;
}

static int32_t cpu_prepare(struct gemm *gemm, const struct gb_queue *queue)
{
    struct cpu_gemm *cpu = gemm->own;
    const struct gb_host *host = gemm->host;
    const struct product_shape *shape = &gemm->shape;
    const uint64_t n_lines = shape->m > shape->n ? shape->m : shape->n;
    const uint64_t bytes = sums_element_bytes(gemm->accumulate);
    int32_t status = GB_OK;
    (void)queue;
    cpu->lines = host_memory(host, n_lines * shape->k * sizeof(double), &status);
    cpu->a = host_memory(host, shape->m * shape->k * bytes, &status);
    cpu->b = host_memory(host, shape->n * shape->k * bytes, &status);
    cpu->sums = host_memory(host, shape->m * shape->n * sizeof(double), &status);
    cpu->request.a = cpu->a;
    cpu->request.b = cpu->b;
    return status;
}

/* Numbers are unpacked in each run: that is part of multiplying them. */
static void multiply(const struct gemm *gemm)
{
    struct cpu_gemm *cpu = gemm->own;
    const struct product_shape *shape = &gemm->shape;
    const int32_t flush = gemm->params->flush_subnormals;
    const bool is_input_flushed = flush == FLUSH_INPUT || flush == FLUSH_BOTH;
    const bool is_output_flushed = flush == FLUSH_OUTPUT || flush == FLUSH_BOTH;
    gemm_load_a(gemm, is_input_flushed, cpu->lines);
    sums_elements(gemm->accumulate, cpu->lines, shape->m * shape->k, cpu->a);
    gemm_load_b(gemm, is_input_flushed, cpu->lines);
    sums_elements(gemm->accumulate, cpu->lines, shape->n * shape->k, cpu->b);
    sums_product(&cpu->request, cpu->sums);
    if (is_output_flushed)
        sums_flush(gemm->output, cpu->sums, shape->m * shape->n);
    gemm->formats->store(gemm->output->format, gemm->arrays[ARRAY_OUTPUT].device, 0,
                         shape->m * shape->n, cpu->sums);
}

static int32_t cpu_run(const struct gemm *gemm, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++)
        multiply(gemm);
    return GB_OK;
}

static const struct backend gemm_cpu = {
    .own_bytes = sizeof(struct cpu_gemm),
    .create = cpu_create,
    .prepare = cpu_prepare,
    .run = cpu_run,
};

/* --- create --- */

static int32_t refuse_accumulation(const struct gemm *gemm)
{
    const struct params *params = gemm->params;
    const char *word = accumulations[params->accumulate];
    if (params->accumulate == ACCUMULATE_AUTO)
        return GB_OK;
    if (params->dtype == DTYPE_INT8)
        return gemm_skip(gemm, "accumulate", word, "sums of int8 are kept in int32");
    if (params->dtype == DTYPE_FP64 && params->accumulate != ACCUMULATE_FP64)
        return gemm_skip(gemm, "accumulate", word, "sums of fp64 are kept in fp64");
    if (params->accumulate == ACCUMULATE_FP16 && params->dtype != DTYPE_FP16)
        return gemm_skip(gemm, "accumulate", word, "only sums of fp16 are kept in fp16");
    return GB_OK;
}

/* The largest whole number up to which all are numbers of the accumulator. */
static double exact_limit(int32_t accumulate)
{
    return accumulate == ACCUMULATE_INT32  ? 2147483647.0
           : accumulate == ACCUMULATE_FP64 ? 0x1p53
           : accumulate == ACCUMULATE_FP16 ? 0x1p11
                                           : 0x1p24;
}

static int32_t refuse_reference(const struct gemm *gemm)
{
    const struct gb_host *host = gemm->host;
    const bool is_plain = gemm_reference_mode(gemm) == ACCUMULATE_FP64;
    if (!is_plain && gemm->params->dtype == DTYPE_INT8)
        return host->skip(host, "reference_accumulate: sums of int8 are exact");
    if (gemm->reference != REFERENCE_CPU &&
        !(is_plain && gemm->params->reference_flush == FLUSH_NONE))
        return host->skip(host, "reference_accumulate and reference_flush are for reference = cpu");
    if (gemm->reference == REFERENCE_CPU)
        take_machine(host);
    return GB_OK;
}

static int32_t choose_range(struct gemm *gemm)
{
    char reason[240];
    if (!range_parse(gemm->params->range, &gemm->range, reason, sizeof reason))
        return gemm->host->fail(gemm->host, reason);
    const struct fault_request request = gemm_fault_request_of(gemm);
    const char *refusal = fault_refusal(&request);
    if (refusal != NULL)
        return gemm_skip(gemm, "fault", faults[gemm->params->fault], refusal);
    if (gemm->params->split_k > gemm->params->k)
        return gemm->host->skip(gemm->host, "split_k exceeds k");
    return GB_OK;
}

static int32_t set_up(struct gemm *gemm)
{
    const struct gb_host *host = gemm->host;
    const struct params *params = gemm->params;
    gemm->shape = (struct product_shape){(uint64_t)params->m, (uint64_t)params->n,
                                         (uint64_t)params->k};
    gemm->kernel = params->kernel;
    gemm->reference = params->reference;
    gemm->accumulate = params->accumulate != ACCUMULATE_AUTO ? params->accumulate
                                                             : types[params->dtype].accumulate;
    int32_t status = host_formats(host, &gemm->formats);
    if (status != GB_OK)
        return status;
    gemm->input = gemm->formats->describe(types[params->dtype].input);
    gemm->output = gemm->formats->describe(types[params->dtype].output);
    const struct product_shape *shape = &gemm->shape;
    const uint64_t lengths[] = {shape->m * shape->k, shape->n * shape->k, shape->m * shape->n};
    arrays_describe(gemm->arrays, lengths, gemm->input, gemm->output);
    status = choose_range(gemm);
    if (status == GB_OK)
        status = refuse_accumulation(gemm);
    return status == GB_OK && gemm_is_exact(gemm)
               ? range_refuse_inexact(&gemm->range, host, gemm->input, dtypes[params->dtype],
                                      (double)gemm->shape.k, exact_limit(gemm->accumulate))
               : status;
}

BACKEND_OPS(struct gemm, gemm_cpu, gemm_cuda, set_up);

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    void *gemm = NULL;
    int32_t status = backend_create(host, params, &gemm);
    if (status == GB_OK)
        status = refuse_reference(gemm);
    if (status == GB_OK)
        *ret_bench = gemm;
    return status;
}

/* --- prepare --- */

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    const struct gemm *gemm = object;
    (void)queue;
    return arrays_refresh(gemm->arrays, gemm->host, &gemm->range, gemm->params->integral != 0, set);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct gemm *gemm = object;
    int32_t status = arrays_take(gemm->arrays, gemm->host, false);
    if (status == GB_OK)
        status = refresh(object, queue, 0);
    return status == GB_OK ? backend_prepare(object, queue) : status;
}

/* --- the plugin --- */

/* What a CPU and ordinary cores compute with is wider than what they read; cuBLAS takes tensor
 * cores for all types but fp32, which is asked for as such. */
static void tell_math(const struct gemm *gemm, struct gb_work *work)
{
    static const uint32_t computed[] = {
        [ACCUMULATE_FP32] = GB_F32,  [ACCUMULATE_FP64] = GB_F64,
        [ACCUMULATE_FP16] = GB_F16,  [ACCUMULATE_EVERY4] = GB_F64,
        [ACCUMULATE_INT32] = GB_I32, [ACCUMULATE_EVERY4_NEAREST] = GB_F64,
    };
    const bool is_tensor = gemm->kernel == KERNEL_TENSOR ||
                           (gemm->kernel == KERNEL_CUBLAS && gemm->params->dtype != DTYPE_FP32);
    if (is_tensor)
        GB_WORK_MATH(work, types[gemm->params->dtype].input, GB_MATH_TENSOR);
    else
        GB_WORK_MATH(work, computed[gemm->accumulate],
                     gemm->kernel == KERNEL_SCALAR ? GB_MATH_SCALAR : GB_MATH_VECTOR);
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct gemm *gemm = object;
    const double m = (double)gemm->shape.m;
    const double n = (double)gemm->shape.n;
    const double k = (double)gemm->shape.k;
    work->flops = 2.0 * m * n * k;
    work->bytes_read = (m * k + k * n) * gemm->input->bytes;
    work->bytes_written = m * n * gemm->output->bytes;
    tell_math(gemm, work);
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = backend_run,
    .verify = gemm_check,
    .work = work,
    .destroy = backend_destroy,
    .refresh = refresh,
};

/* --- before a run --- */

static int32_t validate(const struct gb_host *host, const void *object, gb_problem_fn *problem,
                        void *context)
{
    const struct params *params = object;
    (void)host;
    range_validate(params->range, problem, context);
    return GB_OK;
}

/* Of kernels of a GPU that AUTO stands for nothing is known here. */
static int32_t describe_sums(const struct gb_host *host, const void *object, struct gb_sums *ret)
{
    const struct params *params = object;
    const bool is_single = params->dtype == DTYPE_FP32 || params->dtype == DTYPE_FP64;
    (void)host;
    ret->has_one_sign = range_text_has_one_sign(params->range);
    if (params->accumulate == ACCUMULATE_EVERY4)
        ret->summation = GB_SUM_TRUNCATED;
    else if (!is_single && (params->kernel == KERNEL_TENSOR || params->kernel == KERNEL_CUBLAS))
        ret->summation = GB_SUM_ALIGNED;
    return GB_OK;
}

VALIDATION_EXTENSION(.validate = validate, .sums = describe_sums);

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "gemm_verify", "1.0",
              "matrix products in every type of number, compared with a float64 reference"),
    .help = "C = A B with A m x k and B k x n. Inputs are drawn in their own type; the reference "
            "uses the same values and is rounded once, by the comparison. The tolerance follows "
            "from the number of roundings that the kernel makes (check.bound = 1); set others "
            "(check.ulp, check.rms ...) to see which errors they would accept.\n\n"
            "reference = cpu uses all CPUs of the machine, while no other case is measured. "
            "reference = gpu_tensor, cuBLAS in the same type, has rounding errors of its own, "
            "which are added to the tolerance. What cannot be computed on a device, or by the code "
            "under test, is skipped or refused.\n\n"
            "reference_accumulate and reference_flush make the reference imitate hardware, to find "
            "the cause of a difference: four products at a time, truncated (every4) or rounded "
            "(every4_nearest) to fp32, or numbers that became 0. The tolerance does not allow for "
            "flushing in the kernel.\n\n"
            "A fault is injected into the output after the run. dropped_product: one product is "
            "missing in one element; skipped_k_step: 16 in each of a tile of 16 x 16; stale_tile: "
            "a tile holds the values of its neighbour; wrong_scale: C is a sixteenth too large; "
            "unwritten: an element keeps its value from before the run.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
