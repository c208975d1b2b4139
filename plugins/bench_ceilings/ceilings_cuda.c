/* ceilings_cuda.c - see ceilings.h: which way measures a roof on CUDA. Plugin side. */
#include "ceilings_cuda.h"

CUDA_IMAGE(ceilings_image, "plugins/bench_ceilings/ceilings");

static int32_t ask_device(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct driver_question questions[] = {
        {&cuda->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {&cuda->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {&cuda->n_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&cuda->threads_per_unit, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&cuda->l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    };
    return driver_ask(&cuda->kernels.driver, ceilings->host, questions,
                      sizeof questions / sizeof questions[0], "querying the device");
}

static int32_t choose_way(struct ceilings *ceilings)
{
    struct cuda_ceilings *cuda = ceilings->own;
    const struct roof *roof = ceilings->roof;
    if (roof->level == LEVEL_DRAM || roof->level == LEVEL_L2)
        cuda->way = &cuda_global;
    else if (roof->level == LEVEL_SHARED)
        cuda->way = &cuda_shared;
    else if (roof->unit == UNIT_FMA)
        cuda->way = &cuda_chains;
    else
        cuda->way = ceilings->params->method == METHOD_MMA ? &cuda_mma : &cuda_products;
    return cuda->way->plan(ceilings);
}

static int32_t create(struct ceilings *ceilings)
{
    const struct gb_host *host = ceilings->host;
    const struct roof *roof = ceilings->roof;
    if (roof->level == LEVEL_L1 || roof->level == LEVEL_L3 || roof->unit == UNIT_SCALAR)
        return ceilings_skip(ceilings, "is for CPUs");
    if (ceilings->params->threads != 0)
        return host->skip(host, "threads is for CPUs: a GPU's roofs are those of the whole GPU");
    struct cuda_ceilings *cuda = ceilings->own;
    cuda->image = &ceilings_image;
    int32_t status = cuda_kernels_open(&cuda->kernels, host);
    if (status == GB_OK)
        status = ask_device(ceilings);
    return status == GB_OK ? choose_way(ceilings) : status;
}

static int32_t prepare(struct ceilings *ceilings, const struct gb_queue *queue)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    return cuda->way->prepare(ceilings, queue);
}

static int32_t run(const struct ceilings *ceilings, const struct gb_queue *queue,
                   uint64_t iterations)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    return cuda->way->run != NULL ? cuda->way->run(ceilings, queue, iterations)
                                  : cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations,
                                                "launching a kernel");
}

static int32_t verify(struct ceilings *ceilings, const struct gb_queue *queue)
{
    const struct cuda_ceilings *cuda = ceilings->own;
    (void)queue;
    return cuda->way->verify(ceilings);
}

static void destroy(void *object)
{
    struct cuda_ceilings *cuda = object;
    if (cuda->way != NULL && cuda->way->destroy != NULL)
        cuda->way->destroy(cuda);
    cuda_kernels_free(&cuda->kernels);
}

const struct backend ceilings_cuda = {
    .own_bytes = sizeof(struct cuda_ceilings),
    .create = create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .destroy = destroy,
};
