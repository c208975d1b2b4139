/* gemm_cpu.c - products on one CPU, with sums in three orders. Plugin side. */
#include "gemm.h"

struct cpu_gemm {
    struct sums_request request;
    double *lines; /* one matrix as doubles, as long as that takes */
    void *a, *b;   /* as the sums take them */
    double *sums;
};

static const struct {
    int32_t kernel, order;
} orders[] = {
    {KERNEL_SCALAR, ORDER_SCALAR},
    {KERNEL_SIMD, ORDER_SIMD},
    {KERNEL_BLOCKED, ORDER_BLOCKED},
};

static int32_t create(struct gemm *gemm)
{
    struct cpu_gemm *cpu = gemm->own;
    if (gemm->kernel == KERNEL_AUTO)
        gemm->kernel = KERNEL_SIMD;
    if (gemm->reference == REFERENCE_AUTO)
        gemm->reference = REFERENCE_CPU;
    if (gemm->reference != REFERENCE_CPU)
        return gemm_skip(gemm, "reference", gemm->reference == REFERENCE_GPU ? "gpu" : "gpu_tensor",
                         "is for CUDA");
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (orders[i].kernel != gemm->kernel)
            continue;
        cpu->request = (struct sums_request){
            .shape = gemm->shape,
            .accumulate = gemm->accumulate,
            .order = orders[i].order,
            .n_slices = (uint64_t)gemm->params->split_k,
        };
        gemm->model = gemm_model_of_sums(&cpu->request);
        return GB_OK;
    }
    return gemm_skip_kernel(gemm, "is for CUDA");
}

static int32_t prepare(struct gemm *gemm, const struct gb_queue *queue)
{
    struct cpu_gemm *cpu = gemm->own;
    const struct gb_host *host = gemm->host;
    const struct product_shape *shape = &gemm->shape;
    const uint64_t n_lines = shape->m > shape->n ? shape->m : shape->n;
    const uint64_t bytes = sums_element_bytes(gemm->accumulate);
    (void)queue;
    cpu->lines = host->allocate(host, n_lines * shape->k * sizeof(double));
    cpu->a = host->allocate(host, shape->m * shape->k * bytes);
    cpu->b = host->allocate(host, shape->n * shape->k * bytes);
    cpu->sums = host->allocate(host, shape->m * shape->n * sizeof(double));
    if (cpu->lines == NULL || cpu->a == NULL || cpu->b == NULL || cpu->sums == NULL)
        return GB_NO_MEMORY;
    cpu->request.a = cpu->a;
    cpu->request.b = cpu->b;
    return GB_OK;
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
    gemm->formats->store(gemm->output->format, gemm->c, 0, shape->m * shape->n, cpu->sums);
}

static int32_t run(const struct gemm *gemm, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++)
        multiply(gemm);
    return GB_OK;
}

const struct backend gemm_cpu = {
    .own_bytes = sizeof(struct cpu_gemm),
    .create = create,
    .prepare = prepare,
    .run = run,
};
