/* verify.c - see verify.h. Plugin side. */
#include "verify.h"

#include "convolution.h"
#include "plugins/common/verified_sums.h"
#include "reference.h"

#include <time.h>

/* Made in the first comparison of a case. */
struct verification {
    double *inputs[2]; /* ARRAY_LEFT, ARRAY_RIGHT */
    double *sum, *magnitude;
    double *squares; /* of products, then of partial sums */
};

static int32_t take(const struct convolution *convolution, int array, double **ret)
{
    const struct gb_host *host = convolution->host;
    *ret = host->allocate(host, convolution->lengths[array] * sizeof **ret);
    return *ret != NULL ? GB_OK : GB_NO_MEMORY;
}

static int32_t take_arrays(struct convolution *convolution)
{
    const struct gb_host *host = convolution->host;
    struct verification *verification = convolution->verification;
    if (verification != NULL)
        return GB_OK;
    verification = host->allocate(host, sizeof *verification);
    if (verification == NULL ||
        take(convolution, ARRAY_LEFT, &verification->inputs[ARRAY_LEFT]) != GB_OK ||
        take(convolution, ARRAY_RIGHT, &verification->inputs[ARRAY_RIGHT]) != GB_OK ||
        take(convolution, ARRAY_OUTPUT, &verification->sum) != GB_OK ||
        take(convolution, ARRAY_OUTPUT, &verification->magnitude) != GB_OK ||
        take(convolution, ARRAY_OUTPUT, &verification->squares) != GB_OK)
        return GB_NO_MEMORY;
    convolution->verification = verification;
    return GB_OK;
}

static void make_reference(const struct convolution *convolution)
{
    const struct verification *verification = convolution->verification;
    const int direction = convolution->params->direction;
    const struct sum_order order = {
        .k = window_count(&convolution->view.depth), .n_slices = 1, .at_once = 1};
    struct reference_request request = {
        .shape = &convolution->shape,
        .direction = direction,
        .x = verification->inputs[ARRAY_RIGHT],
        .f = verification->inputs[ARRAY_LEFT],
        .y = verification->inputs[direction == DIRECTION_DATA ? ARRAY_RIGHT : ARRAY_LEFT],
        .sum = verification->sum,
        .magnitude = verification->magnitude,
        .squares = verification->squares,
    };
    for (int i = ARRAY_LEFT; i <= ARRAY_RIGHT; i++)
        convolution->formats->load(convolution->format->format, convolution->host_arrays[i], 0,
                                   convolution->lengths[i], verification->inputs[i]);
    convolution_reference(&request);
    for (uint64_t i = 0; i < convolution->lengths[ARRAY_OUTPUT]; i++)
        verification->squares[i] = expected_partial_squares(&order, verification->sum[i],
                                                            verification->squares[i]);
}

/* The reference's own error is that of so many roundings in fp32. */
static uint64_t n_products(const struct convolution *convolution)
{
    const uint64_t depth = (uint64_t)window_count(&convolution->view.depth);
    return convolution->n_roundings + 1 + (depth >> 29);
}

static int32_t compare(const struct convolution *convolution)
{
    static const char *const names[DIRECTIONS] = {
        [DIRECTION_FORWARD] = "y", [DIRECTION_DATA] = "dx", [DIRECTION_WEIGHTS] = "df"};
    const struct gb_host *host = convolution->host;
    const struct verification *verification = convolution->verification;
    const bool is_exact = convolution->params->integral != 0;
    const struct gb_check check = {
        .size = sizeof check,
        .format = convolution->format->format,
        .name = names[convolution->params->direction],
        .n = convolution->lengths[ARRAY_OUTPUT],
        .output = convolution->host_arrays[ARRAY_OUTPUT],
        .reference = verification->sum,
        .magnitude = verification->magnitude,
        .n_products = n_products(convolution),
        .accumulate = GB_F32,
        .flags = is_exact ? GB_CHECK_EXACT : 0u,
        .default_metric = "bound",
        .default_tolerance = 1.0,
        .partial_squares = verification->squares,
    };
    return host->check(host, &check);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int32_t convolution_verify(void *object, const struct gb_queue *queue)
{
    struct convolution *convolution = object;
    const struct gb_host *host = convolution->host;
    (void)queue;
    /* Before anything that takes time, in which a kernel that has not ended could go on. */
    int32_t status = host->device_copy(
        host, convolution->host_arrays[ARRAY_OUTPUT], convolution->arrays[ARRAY_OUTPUT],
        convolution->lengths[ARRAY_OUTPUT] * convolution->format->bytes);
    if (status == GB_OK)
        status = take_arrays(convolution);
    if (status != GB_OK)
        return status;
    const double before = seconds_now();
    make_reference(convolution);
    host->metric(host, "reference_time", seconds_now() - before, "s");
    return compare(convolution);
}
