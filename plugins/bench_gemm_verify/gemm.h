/*
 * gemm.h - what the parts of gemm_verify share: one case, and what a kind of device does for it.
 * Plugin side.
 */
#pragma once

#include "fault.h"
#include "sums.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/with_cuda.h"
#include "plugins/common/verified_sums.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>

enum {
    DTYPE_FP16,
    DTYPE_BF16,
    DTYPE_FP32,
    DTYPE_TF32,
    DTYPE_FP64,
    DTYPE_E4M3,
    DTYPE_E5M2,
    DTYPE_INT8
};
enum { LAYOUT_NN, LAYOUT_NT, LAYOUT_TN, LAYOUT_TT };
enum {
    KERNEL_AUTO,
    KERNEL_SCALAR,
    KERNEL_SIMD,
    KERNEL_BLOCKED,
    KERNEL_CUDA,
    KERNEL_TENSOR,
    KERNEL_CUBLAS
};
#define GEMM_KERNEL_WORDS "auto", "scalar", "simd", "blocked", "cuda", "tensor", "cublas"
enum { FLUSH_NONE, FLUSH_INPUT, FLUSH_OUTPUT, FLUSH_BOTH };
enum { REFERENCE_AUTO, REFERENCE_CPU, REFERENCE_GPU, REFERENCE_GPU_TENSOR };

struct params {
    int64_t m, n, k;
    int32_t dtype;
    const char *range;
    int32_t integral, layout, kernel, accumulate, flush_subnormals;
    int64_t split_k;
    int32_t reference, reference_accumulate, reference_flush, fault;
};

/* How a sum is rounded; see struct gb_check. */
struct sum_model {
    uint64_t n_products;
    uint32_t accumulate, summation, products_at_once, extra_bits;
};

struct gemm {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own; /* the backend's; NULL before its create */
    struct product_shape shape;
    struct range range;
    const struct gb_formats *formats;
    const struct gb_format *input, *output;
    int32_t kernel, reference, accumulate; /* what AUTO stands for */
    struct sum_model model;                /* of the kernel under test */
    struct verified_array arrays[ARRAYS];  /* A, B, C */
    struct verification *verification;     /* arrays of gemm_check, made in its first call */
};

/* create chooses kernel and reference and sets `model`; destroy also after a create that failed. */
struct backend {
    BACKEND_FUNCTIONS(struct gemm);
    /* [untimed] A reference that is not of the CPU, and how its sums are rounded; may be NULL.
     * squares: the sum of the squares of each element's products to single precision, if all inputs
     * are 1e-8 to 1e8 or far below the largest; NULL: not wanted. */
    int32_t (*reference)(struct gemm *gemm, const struct gb_queue *queue, double *sum,
                         double *magnitude, double *squares, struct sum_model *ret_model);
};

extern const struct backend gemm_cuda; /* where PLUGIN_WITH_CUDA is defined */

/* Skips the case: "OPTION = WORD: REASON". */
static inline int32_t gemm_skip(const struct gemm *gemm, const char *option, const char *word,
                                const char *reason)
{
    return host_skip(gemm->host, "%s = %s: %s", option, word, reason);
}
static inline int32_t gemm_skip_kernel(const struct gemm *gemm, const char *reason)
{
    static const char *const words[] = {GEMM_KERNEL_WORDS};
    return gemm_skip(gemm, "kernel", words[gemm->kernel], reason);
}

/* How sums of the CPU are rounded. */
struct sum_model gemm_model_of_sums(const struct sums_request *request);

bool gemm_is_a_transposed(const struct gemm *gemm);
bool gemm_is_b_transposed(const struct gemm *gemm);

/* ACCUMULATE_... of the reference. */
int32_t gemm_reference_mode(const struct gemm *gemm);

/* Results must be right to the last bit. */
bool gemm_is_exact(const struct gemm *gemm);

/* The fault of the case; without a and b. */
struct fault_request gemm_fault_request_of(const struct gemm *gemm);

/* Verify of bench.h. */
int32_t gemm_check(void *object, const struct gb_queue *queue);

/* A as m x k by rows and B as n x k, by columns, whatever the layout; flushed if asked. */
void gemm_load_a(const struct gemm *gemm, bool is_flushed, double *ret);
void gemm_load_b(const struct gemm *gemm, bool is_flushed, double *ret);
