/* check.c - an output of gemm_verify compared with its reference. Plugin side. */
#include "gemm.h"
#include "plugins/common/measuring.h"
#include "plugins/common/product_reference.h"

#include <math.h>

static const int32_t reference_modes[] = {ACCUMULATE_FP64, ACCUMULATE_FP32, ACCUMULATE_FP16,
                                          ACCUMULATE_EVERY4, ACCUMULATE_EVERY4_NEAREST};

int32_t gemm_reference_mode(const struct gemm *gemm)
{
    return reference_modes[gemm->params->reference_accumulate];
}

struct fault_request gemm_fault_request_of(const struct gemm *gemm)
{
    return (struct fault_request){
        .shape = gemm->shape,
        .fault = gemm->params->fault,
        .formats = gemm->formats,
        .output = gemm->output,
        .place = gemm->host->random(gemm->host, UINT64_MAX, 0) >> 8,
    };
}

bool gemm_is_exact(const struct gemm *gemm)
{
    return gemm->params->integral != 0 || gemm->params->dtype == DTYPE_INT8;
}

/* --- inputs --- */

bool gemm_is_a_transposed(const struct gemm *gemm)
{
    return gemm->params->layout == LAYOUT_TN || gemm->params->layout == LAYOUT_TT;
}

bool gemm_is_b_transposed(const struct gemm *gemm)
{
    return gemm->params->layout == LAYOUT_NT || gemm->params->layout == LAYOUT_TT;
}

/* Lines of k elements out of a matrix whose columns they are. */
static void load_columns(const struct gemm *gemm, const void *matrix, uint64_t n_lines, double *ret)
{
    double values[256];
    const uint64_t most = sizeof values / sizeof values[0];
    for (uint64_t i = 0; i < gemm->shape.k; i++)
        for (uint64_t first = 0; first < n_lines; first += most) {
            const uint64_t n = smaller(most, n_lines - first);
            gemm->formats->load(gemm->input->format, matrix, i * n_lines + first, n, values);
            for (uint64_t j = 0; j < n; j++)
                ret[(first + j) * gemm->shape.k + i] = values[j];
        }
}

/* Lines of k elements out of a matrix whose lines are those, or whose columns are. */
static void load(const struct gemm *gemm, const void *matrix, uint64_t n_lines, bool is_by_lines,
                 bool is_flushed, double *ret)
{
    if (is_by_lines)
        gemm->formats->load(gemm->input->format, matrix, 0, n_lines * gemm->shape.k, ret);
    else
        load_columns(gemm, matrix, n_lines, ret);
    if (is_flushed)
        sums_flush(gemm->input, ret, n_lines * gemm->shape.k);
}

void gemm_load_a(const struct gemm *gemm, bool is_flushed, double *ret)
{
    load(gemm, gemm->arrays[ARRAY_LEFT].host, gemm->shape.m, !gemm_is_a_transposed(gemm),
         is_flushed, ret);
}

void gemm_load_b(const struct gemm *gemm, bool is_flushed, double *ret)
{
    load(gemm, gemm->arrays[ARRAY_RIGHT].host, gemm->shape.n, gemm_is_b_transposed(gemm),
         is_flushed, ret);
}

/* --- the reference --- */

/* Once a case. */
static void take(const struct gemm *gemm, uint64_t n, double **array, int32_t *status)
{
    if (*array == NULL)
        *array = host_memory(gemm->host, n * sizeof **array, status);
}

/* What the reference, the fault and the check share. */
struct verification {
    double *a, *b; /* as gemm_load_a and gemm_load_b give them */
    double *sum, *magnitude;
    double *partial_squares; /* at first of products; NULL: not known */
    struct sum_model model;  /* of the reference */
};

/* Numbers so far from the ends of fp32 that neither products nor sums of them reach there. */
static bool is_single(const struct gemm *gemm)
{
    const double largest = range_largest(&gemm->range);
    return gemm->params->dtype != DTYPE_FP64 && largest >= 1e-8 && largest <= 1e14;
}

static int32_t float64_reference(const struct gemm *gemm, struct verification *verification)
{
    const struct reference_request request = {
        .shape = gemm->shape,
        .a = verification->a,
        .b = verification->b,
        .is_single = is_single(gemm),
        .has_one_sign = range_has_one_sign(&gemm->range),
    };
    verification->model = (struct sum_model){
        .n_products = gemm->shape.k, .accumulate = GB_F64, .products_at_once = 1};
    int32_t status = reference_product(&request, verification->sum, verification->magnitude);
    if (status != GB_OK || gemm_is_exact(gemm) || gemm_reference_mode(gemm) != ACCUMULATE_FP64)
        return status;
    take(gemm, gemm->shape.m * gemm->shape.n, &verification->partial_squares, &status);
    return status == GB_OK ? reference_squares(&request, verification->partial_squares) : status;
}

struct sum_model gemm_model_of_sums(const struct sums_request *request)
{
    const bool is_every4 = sums_is_every4(request->accumulate);
    return (struct sum_model){
        .n_products = sums_steps(request) * (is_every4 ? 4 : 1),
        .accumulate = request->accumulate == ACCUMULATE_FP16   ? GB_F16
                      : request->accumulate == ACCUMULATE_FP64 ? GB_F64
                                                               : GB_F32,
        .summation = request->accumulate == ACCUMULATE_EVERY4 ? GB_SUM_TRUNCATED : GB_SUM_NEAREST,
        .products_at_once = is_every4 ? 4 : 1,
    };
}

/* The reference imitates hardware: one sum after the other, kept in something less than float64. */
static void imitated_reference(const struct gemm *gemm, struct verification *verification)
{
    const struct sums_request request = {
        .shape = gemm->shape,
        .accumulate = gemm_reference_mode(gemm),
        .order = ORDER_SCALAR,
        .n_slices = 1,
    };
    imitation_product(&gemm->shape, verification->a, verification->b, request.accumulate,
                      verification->sum);
    verification->model = gemm_model_of_sums(&request);
}

static int32_t cpu_reference(const struct gemm *gemm, struct verification *verification)
{
    const int32_t flush = gemm->params->reference_flush;
    const uint64_t n = gemm->shape.m * gemm->shape.n;
    int32_t status = float64_reference(gemm, verification);
    if (status == GB_OK && gemm_reference_mode(gemm) != ACCUMULATE_FP64)
        imitated_reference(gemm, verification);
    if (status != GB_OK || (flush != FLUSH_OUTPUT && flush != FLUSH_BOTH))
        return status;
    sums_flush(gemm->output, verification->sum, n);
    return GB_OK;
}

/* What the noise needs, where the reference is in float64 and squares stay within floats. */
static bool has_squares(const struct gemm *gemm)
{
    const double largest = range_largest(&gemm->range);
    return gemm->reference == REFERENCE_GPU && !gemm_is_exact(gemm) && largest >= 1e-8 &&
           largest <= 1e8;
}

static int32_t device_reference(struct gemm *gemm, const struct gb_queue *queue,
                                struct verification *verification)
{
    int32_t status = GB_OK;
    if (has_squares(gemm))
        take(gemm, gemm->shape.m * gemm->shape.n, &verification->partial_squares, &status);
    if (status != GB_OK)
        return status;
    return gemm->backend->reference(gemm, queue, verification->sum, verification->magnitude,
                                    verification->partial_squares, &verification->model);
}

/* Squares of products become those of partial sums of the kernel under test. */
static void find_partial_squares(const struct gemm *gemm, const struct verification *verification)
{
    const uint64_t k = gemm->shape.k, length = sums_slice(k, (uint64_t)gemm->params->split_k);
    const struct sum_order order = {.k = (double)k,
                                    .n_slices = ceil((double)k / (double)length),
                                    .at_once = gemm->model.products_at_once};
    double *squares = verification->partial_squares;
    for (uint64_t i = 0; squares != NULL && i < gemm->shape.m * gemm->shape.n; i++)
        squares[i] = expected_partial_squares(&order, verification->sum[i], squares[i]);
}

/* The inputs as the reference takes them, and the reference. */
static int32_t make_reference(struct gemm *gemm, const struct gb_queue *queue,
                              struct verification *verification)
{
    const struct product_shape *shape = &gemm->shape;
    const int32_t flush = gemm->params->reference_flush;
    const bool is_flushed = flush == FLUSH_INPUT || flush == FLUSH_BOTH;
    const bool needs_inputs = gemm->reference == REFERENCE_CPU || gemm->params->fault != FAULT_NONE;
    int32_t status = GB_OK;
    take(gemm, shape->m * shape->n, &verification->sum, &status);
    take(gemm, shape->m * shape->n, &verification->magnitude, &status);
    if (needs_inputs) {
        take(gemm, shape->m * shape->k, &verification->a, &status);
        take(gemm, shape->n * shape->k, &verification->b, &status);
    }
    if (status != GB_OK)
        return status;
    if (needs_inputs) {
        gemm_load_a(gemm, is_flushed, verification->a);
        gemm_load_b(gemm, is_flushed, verification->b);
    }
    if (gemm->reference == REFERENCE_CPU)
        return cpu_reference(gemm, verification);
    return device_reference(gemm, queue, verification);
}

/* The relative error of one step, as the bound has it (see gb_check). */
static double step_error(const struct gemm *gemm, const struct sum_model *model)
{
    const double u = ldexp(1.0, -gemm->formats->describe(model->accumulate)->digits);
    return model->summation == GB_SUM_NEAREST ? u
           : model->summation == GB_SUM_TRUNCATED
               ? 2.0 * u
               : 2.0 * u *
                     (1.0 + (model->products_at_once + 1) * ldexp(1.0, -(int)model->extra_bits));
}

static double n_steps(const struct sum_model *model)
{
    return ceil((double)model->n_products / model->products_at_once);
}

/* The reference's own error as so many products more in the kernel's sums. */
static uint64_t products_with_reference(const struct gemm *gemm, const struct sum_model *reference)
{
    const double more = n_steps(reference) * step_error(gemm, reference) /
                        step_error(gemm, &gemm->model);
    return gemm->model.n_products + (uint64_t)ceil(more) * gemm->model.products_at_once;
}

static int32_t compare(const struct gemm *gemm, const struct verification *verification)
{
    const struct gb_host *host = gemm->host;
    const struct gb_check check = {
        .size = sizeof check,
        .format = gemm->output->format,
        .name = "C",
        .n = gemm->shape.m * gemm->shape.n,
        .output = gemm->arrays[ARRAY_OUTPUT].host,
        .reference = verification->sum,
        .magnitude = verification->magnitude,
        .n_products = gemm_is_exact(gemm) ? gemm->shape.k
                                          : products_with_reference(gemm, &verification->model),
        .accumulate = gemm->model.accumulate,
        .flags = gemm_is_exact(gemm) ? GB_CHECK_EXACT : 0u,
        .default_metric = "bound",
        .default_tolerance = 1.0,
        .summation = gemm->model.summation,
        .products_at_once = gemm->model.products_at_once,
        .extra_bits = gemm->model.extra_bits,
        .partial_squares = verification->partial_squares,
        .n_terms = gemm->shape.k,
    };
    return host->check(host, &check);
}

int32_t gemm_check(void *object, const struct gb_queue *queue)
{
    struct gemm *gemm = object;
    const struct gb_host *host = gemm->host;
    int32_t status = GB_OK;
    if (gemm->verification == NULL)
        gemm->verification = host_memory(host, sizeof *gemm->verification, &status);
    /* Before anything that takes time, in which a kernel that has not ended could continue. */
    arrays_read_output(gemm->arrays, host, &status);
    if (status != GB_OK)
        return status;
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    status = make_reference(gemm, queue, gemm->verification);
    if (status != GB_OK)
        return status;
    find_partial_squares(gemm, gemm->verification);
    host->metric(host, "reference_time", 1e-9 * (clock_ns(CLOCK_MONOTONIC) - begin_ns), "s");
    if (gemm->params->fault != FAULT_NONE) {
        struct fault_request request = gemm_fault_request_of(gemm);
        request.a = gemm->verification->a;
        request.b = gemm->verification->b;
        fault_plant(&request, gemm->arrays[ARRAY_OUTPUT].host);
    }
    return compare(gemm, gemm->verification);
}
