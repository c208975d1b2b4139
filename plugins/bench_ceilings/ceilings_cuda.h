/* ceilings_cuda.h - what the ways to measure a roof on CUDA share. Plugin side. */
#pragma once

#include "ceilings.h"
#include "plugins/common/cuda/cublas.h"
#include "plugins/common/cuda/cuda_launch.h"

struct cublas_lt_functions;

/* Products of fp8 matrices. Zero-initialize; free with cublas_lt_free. */
struct cublas_lt {
    const struct cublas_lt_functions *functions;
    void *handle, *product; /* product: what is computed, and how */
    void *inputs, *output;  /* layouts */
};

struct cuda_ceilings {
    struct cuda_kernels kernels;
    const struct cuda_image *image;
    const struct cuda_way *way;
    int major, minor;                        /* of the device's compute capability */
    int n_units, threads_per_unit, l2_bytes; /* multiprocessors and what they hold */
    struct cuda_launch launch;

    void *arrays[3]; /* bandwidths of the device's memory; arrays[0] is written */
    uint64_t array_bytes;
    unsigned n_tiles, tile_step;
    unsigned long long n_uses;

    unsigned n_repeats; /* passes through shared memory, pairs of multiply-adds, of products */
    uint64_t n_words;   /* of ends, in a block */
    void *sums, *starts, *constants, *ends;

    struct cublas cublas;
    struct cublas_lt lt;
    void *matrices[3], *workspace;
};

/* Functions as those of struct backend. */
struct cuda_way {
    int32_t (*plan)(struct ceilings *ceilings); /* [create] */
    int32_t (*prepare)(struct ceilings *ceilings, const struct gb_queue *queue);
    int32_t (*run)(const struct ceilings *ceilings, const struct gb_queue *queue,
                   uint64_t iterations); /* NULL: the launch is made */
    int32_t (*verify)(struct ceilings *ceilings);
    void (*destroy)(struct cuda_ceilings *cuda); /* NULL: there is nothing to free */
};

extern const struct cuda_way cuda_global, cuda_shared; /* cuda_memory.c */
extern const struct cuda_way cuda_chains, cuda_mma;    /* cuda_rates.c */
extern const struct cuda_way cuda_products;            /* cuda_products.c */

/* Loads the kernel of the launch; the module stays loaded for cuda_ceilings_fill. */
static inline int32_t cuda_ceilings_load(struct ceilings *ceilings, const char *name)
{
    struct cuda_ceilings *cuda = ceilings->own;
    return cuda_kernels_load(&cuda->kernels, cuda->image, name, &cuda->launch.function);
}

/* Launches another kernel of the module once, by 256 threads in each of enough blocks. */
static inline int32_t cuda_ceilings_fill(const struct ceilings *ceilings,
                                         const struct gb_queue *queue, const char *name,
                                         struct cuda_launch fill)
{
    enum { THREADS = 256, BLOCKS_OF_UNIT = 8 };
    const struct cuda_ceilings *cuda = ceilings->own;
    fill.columns = (unsigned)cuda->n_units * BLOCKS_OF_UNIT;
    fill.threads = THREADS;
    const int32_t status = cuda_image_function(&cuda->kernels.driver, ceilings->host,
                                               cuda->kernels.module, name, &fill.function);
    return status == GB_OK ? cuda_launch(&cuda->kernels, &fill, queue, 1, "filling memory")
                           : status;
}
