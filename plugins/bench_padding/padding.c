/*
 * padding.c - the benchmark `padding`: what it costs to ask, for every element of a tile, whether
 * it is still inside of the matrix, and two ways of not asking. Plugin side.
 *
 * After the test cases of local padding and of loop partitioning of DietCode; Shen et al., Nimble:
 * Efficiently Compiling Dynamic Neural Networks for Model Inference, MLSys 2021.
 */
#include "padding.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/simd.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- the reference: the product in float64, fast enough for outputs by the million --- */

/* Columns are taken 8 at a time, as many as fit into two vectors, and DEPTH steps at a time, so
 * that the panel of W stays in the first cache while all rows of X pass by. */
enum { COLUMNS = 8, WIDTH = 4, VECTORS = COLUMNS / WIDTH, ROWS = 2, DEPTH = 256 };

#define VECTOR VECTOR_OF(double, 8 * WIDTH)

/* Memory that reference_product needs, aligned to 64 bytes. */
static size_t reference_panel_bytes(void)
{
    return 2 * DEPTH * COLUMNS * sizeof(double);
}

/* The sums of ROWS x COLUMNS outputs over n_steps; the panel holds W by steps, then its absolute
 * values. */
EVERYWHERE void sum_tile(double sums[ROWS][COLUMNS], double sizes[ROWS][COLUMNS],
                         const float *const rows[ROWS], const double *panel, int64_t n_steps)
{
    VECTOR sum[ROWS][VECTORS] = {0};
    VECTOR size[ROWS][VECTORS] = {0};
    for (int64_t k = 0; k < n_steps; k++) {
        const UNALIGNED(double, 8 * WIDTH) *w = (const void *)(panel + k * COLUMNS);
        const UNALIGNED(double, 8 * WIDTH) *w_size = (const void *)(panel + (DEPTH + k) * COLUMNS);
#pragma GCC unroll 2
        for (int i = 0; i < ROWS; i++) {
            const double x = (double)rows[i][k];
            const double x_size = fabs(x);
#pragma GCC unroll 2
            for (int j = 0; j < VECTORS; j++) {
                sum[i][j] += x * w[j].vector;
                size[i][j] += x_size * w_size[j].vector;
            }
        }
    }
    memcpy(sums, sum, sizeof sum);
    memcpy(sizes, size, sizeof size);
}

static FOR_AVX2 void sum_tile_avx2(double sums[ROWS][COLUMNS], double sizes[ROWS][COLUMNS],
                                   const float *const rows[ROWS], const double *panel,
                                   int64_t n_steps)
{
    sum_tile(sums, sizes, rows, panel, n_steps);
}

static void sum_tile_portable(double sums[ROWS][COLUMNS], double sizes[ROWS][COLUMNS],
                              const float *const rows[ROWS], const double *panel, int64_t n_steps)
{
    sum_tile(sums, sizes, rows, panel, n_steps);
}

static int64_t fewer(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void load_panel(double *panel, const float *w, int64_t n_columns, int64_t n_steps,
                       int64_t length)
{
    memset(panel, 0, reference_panel_bytes());
    for (int64_t j = 0; j < n_columns; j++) {
        for (int64_t k = 0; k < n_steps; k++) {
            panel[k * COLUMNS + j] = (double)w[j * length + k];
            panel[(DEPTH + k) * COLUMNS + j] = fabs((double)w[j * length + k]);
        }
    }
}

/* Adds n_steps of all rows to n_columns of the outputs. A last row without a pair is taken twice.
 */
static void add_columns(const struct product_shape *shape, const float *x, const double *panel,
                        int64_t n_columns, int64_t n_steps, double *sums, double *sizes)
{
    for (int64_t row = 0; row < shape->m; row += ROWS) {
        double sum[ROWS][COLUMNS];
        double size[ROWS][COLUMNS];
        const float *rows[ROWS];
        const int64_t n_rows = fewer(shape->m - row, ROWS);
        for (int64_t i = 0; i < ROWS; i++)
            rows[i] = x + (row + fewer(i, n_rows - 1)) * shape->k;
        if (has_avx2())
            sum_tile_avx2(sum, size, rows, panel, n_steps);
        else
            sum_tile_portable(sum, size, rows, panel, n_steps);
        for (int64_t i = 0; i < n_rows; i++) {
            for (int64_t j = 0; j < n_columns; j++) {
                sums[(row + i) * shape->n + j] += sum[i][j];
                sizes[(row + i) * shape->n + j] += size[i][j];
            }
        }
    }
}

/* One product: sums[m,n] = X W^T and sizes[m,n] = |X| |W|^T, both float64 throughout. */
static void reference_product(const struct product_shape *shape, const float *x, const float *w,
                              double *sums, double *sizes, double *panel)
{
    const size_t n_outputs = (size_t)(shape->m * shape->n);
    memset(sums, 0, n_outputs * sizeof *sums);
    memset(sizes, 0, n_outputs * sizeof *sizes);
    for (int64_t column = 0; column < shape->n; column += COLUMNS) {
        const int64_t n_columns = fewer(shape->n - column, COLUMNS);
        for (int64_t step = 0; step < shape->k; step += DEPTH) {
            const int64_t n_steps = fewer(shape->k - step, DEPTH);
            load_panel(panel, w + column * shape->k + step, n_columns, n_steps, shape->k);
            add_columns(shape, x + step, panel, n_columns, n_steps, sums + column, sizes + column);
        }
    }
}

/* --- the benchmark --- */

static const char *const problems[] = {"dense", "batched"};
static const char *const schedules[] = {"baseline",      "partition", "pad",
                                        "partition_pad", "tuned",     "cublas"};

static const struct product_shape defaults[] = {
    [PROBLEM_DENSE] = {960, 2304, 770, 1},
    [PROBLEM_BATCHED] = {120, 120, 64, 192},
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, problem, "dense", problems,
              "one product whose last tiles are cut, or many small ones that are all cut alike"),
    GB_CHOICE(struct params, schedule, "baseline", schedules,
              "guards everywhere; loops parted in two; tiles filled up with zeros; both; the best "
              "that this plugin has; the library"),
    GB_INT(struct params, m, "0", "0:32768", "rows", "rows of X and Y; 0: 960, batched 120"),
    GB_INT(struct params, n, "0", "0:32768", "columns",
           "rows of W, columns of Y; 0: 2304, batched 120"),
    GB_INT(struct params, k, "0", "0:32768", "elements",
           "columns of X and W, the length of each sum; 0: 770, batched 64"),
    GB_INT(struct params, batch, "0", "0:65535", "products", "products; 0: 1, batched 192"),
    GB_CHOICE(
        struct params, tile, "auto", tile_names,
        "CUDA, schedule tuned: rows x columns of a tile, steps along K at a time, and how many "
        "blocks share them (on GPUs with clusters); auto: chosen for the shape and the number "
        "of multiprocessors"),
    GB_BOOL(struct params, compile, "no",
            "CUDA: compile the kernel once more, by itself, and report how long that takes and how "
            "large its code is"),
};

int32_t padding_skip_schedule(const struct padding *padding, const char *words)
{
    return host_skip(padding->host, "schedule = %s is %s", schedules[padding->params->schedule],
                     words);
}

void padding_tell_ratio(const struct padding *padding, double ratio)
{
    padding->host->metric(padding->host, "padding_ratio", ratio, "1");
}

/* --- create --- */

static int64_t or_default(int64_t given, int64_t otherwise)
{
    return given != 0 ? given : otherwise;
}

static struct product_shape shape_of(const struct params *params)
{
    const struct product_shape *otherwise = &defaults[params->problem];
    return (struct product_shape){
        .m = or_default(params->m, otherwise->m),
        .n = or_default(params->n, otherwise->n),
        .k = or_default(params->k, otherwise->k),
        .batch = or_default(params->batch, otherwise->batch),
    };
}

static int32_t set_up(struct padding *padding)
{
    const struct params *params = padding->params;
    padding->shape = shape_of(params);
    if (params->tile != TILE_AUTO && params->schedule != SCHEDULE_TUNED)
        return padding_skip_schedule(padding, "made of fixed tiles: tile is for schedule = tuned");
    return GB_OK;
}

BACKEND_OPS(struct padding, padding_cpu, padding_cuda, set_up);

/* --- prepare --- */

static uint64_t n_x(const struct padding *padding)
{
    return (uint64_t)(padding->shape.batch * padding->shape.m * padding->shape.k);
}

static uint64_t n_w(const struct padding *padding)
{
    return (uint64_t)(padding->shape.batch * padding->shape.n * padding->shape.k);
}

static uint64_t n_y(const struct padding *padding)
{
    return (uint64_t)(padding->shape.batch * padding->shape.m * padding->shape.n);
}

/* Takes memory for a matrix, and what the host fills for it: the same where it can. */
static int32_t take_input(const struct padding *padding, uint64_t n, float **ret, float **ret_host)
{
    int32_t status = GB_OK;
    *ret = device_memory(padding->host, n * sizeof **ret, GB_MEMORY_DEVICE, &status);
    if (status != GB_OK)
        return status;
    *ret_host = padding->backend->has_host_memory
                    ? *ret
                    : padding->host->allocate(padding->host, n * sizeof **ret_host);
    return *ret_host != NULL ? GB_OK : GB_NO_MEMORY;
}

static int32_t fill(const struct padding *padding, uint64_t stream, uint64_t n, float *device,
                    float *values)
{
    const struct gb_host *host = padding->host;
    const struct gb_fill uniform = {
        .size = sizeof uniform, .format = GB_F32, .stream = stream, .low = -0.1, .high = 0.1};
    const int32_t status = host->fill(host, values, n, &uniform);
    if (status != GB_OK || device == values)
        return status;
    return host->device_copy(host, device, values, n * sizeof *values);
}

/* Each set has two streams of random numbers. */
static int32_t fill_inputs(const struct padding *padding, uint64_t set)
{
    const int32_t status = fill(padding, 2 * set, n_x(padding), padding->x, padding->host_x);
    return status == GB_OK ? fill(padding, 2 * set + 1, n_w(padding), padding->w, padding->host_w)
                           : status;
}

/* All bits set is NaN, so that no output can be left unwritten unseen. */
static int32_t spoil_output(const struct padding *padding)
{
    const struct gb_host *host = padding->host;
    return host->device_fill(host, padding->y, 0xff, n_y(padding) * sizeof *padding->y);
}

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    (void)queue;
    const int32_t status = fill_inputs(object, set);
    return status == GB_OK ? spoil_output(object) : status;
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct padding *padding = object;
    int32_t status = take_input(padding, n_x(padding), &padding->x, &padding->host_x);
    if (status == GB_OK)
        status = take_input(padding, n_w(padding), &padding->w, &padding->host_w);
    padding->y = device_memory(padding->host, n_y(padding) * sizeof *padding->y, GB_MEMORY_DEVICE,
                               &status);
    if (status == GB_OK)
        status = fill_inputs(padding, 0);
    if (status == GB_OK)
        status = backend_prepare(object, queue);
    return status == GB_OK ? spoil_output(padding) : status;
}

/* --- verify --- */

static int32_t take_room(struct padding *padding)
{
    const struct gb_host *host = padding->host;
    const uint64_t n = n_y(padding);
    if (padding->panel != NULL)
        return GB_OK;
    padding->host_y = padding->backend->has_host_memory
                          ? padding->y
                          : host->allocate(host, n * sizeof *padding->host_y);
    padding->sums = host->allocate(host, n * sizeof *padding->sums);
    padding->sizes = host->allocate(host, n * sizeof *padding->sizes);
    if (padding->host_y == NULL || padding->sums == NULL || padding->sizes == NULL)
        return GB_NO_MEMORY;
    padding->panel = host->allocate(host, reference_panel_bytes());
    return padding->panel != NULL ? GB_OK : GB_NO_MEMORY;
}

static int32_t compute_reference(const struct padding *padding)
{
    const struct gb_host *host = padding->host;
    const struct product_shape *shape = &padding->shape;
    for (int64_t i = 0; i < shape->batch; i++) {
        if (host->cancelled(host) != 0)
            return GB_CANCELLED;
        reference_product(shape, padding->host_x + i * shape->m * shape->k,
                          padding->host_w + i * shape->n * shape->k,
                          padding->sums + i * shape->m * shape->n,
                          padding->sizes + i * shape->m * shape->n, padding->panel);
    }
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct padding *padding = object;
    const struct gb_host *host = padding->host;
    const uint64_t n = n_y(padding);
    (void)queue;
    int32_t status = take_room(padding);
    if (status == GB_OK && padding->host_y != padding->y)
        status = host->device_copy(host, padding->host_y, padding->y, n * sizeof *padding->host_y);
    if (status == GB_OK)
        status = compute_reference(padding);
    if (status != GB_OK)
        return status;
    const struct gb_check check = {
        .size = sizeof check,
        .format = GB_F32,
        .name = "Y",
        .n = n,
        .output = padding->host_y,
        .reference = padding->sums,
        .magnitude = padding->sizes,
        .n_products = (uint64_t)padding->shape.k,
        .accumulate = GB_F32,
        .default_metric = "bound",
        .default_tolerance = 1.0,
    };
    return host->check(host, &check);
}

/* --- the plugin --- */

static int32_t work(void *object, struct gb_work *work)
{
    const struct padding *padding = object;
    work->flops = 2.0 * (double)n_y(padding) * (double)padding->shape.k;
    work->bytes_read = (double)(n_x(padding) + n_w(padding)) * sizeof(float);
    work->bytes_written = (double)n_y(padding) * sizeof(float);
    GB_WORK_MATH(work, GB_F32, GB_MATH_VECTOR);
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = backend_create,
    .prepare = prepare,
    .run = backend_run,
    .verify = verify,
    .work = work,
    .destroy = backend_destroy,
    .refresh = refresh,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "padding", "1.0",
              "matrix products whose tiles hang over: guards, partitioning, padding"),
    .help =
        "Y[m,n] = X[m,k] W[n,k]^T in single precision is computed tile by tile, and the last tiles "
        "hang over the ends of the matrices. `baseline` guards every access and every "
        "multiply-add. `partition` has loops of their own, without guards, for the tiles and steps "
        "that lie inside. `pad` fills local tiles up with zeros on the way in, computes without "
        "guards and guards the way out. `partition_pad` does both. All outputs are compared with a "
        "float64 reference; inputs are uniform in [-0.1, 0.1].\n\n"
        "With problem = dense a few tiles of the last row and the last step along k hang over. "
        "With problem = batched every product is one tile that hangs over: no loop can be parted, "
        "and partition is the same code as baseline.\n\n"
        "On CUDA tiles are 128 x 128: dense by steps of 4 with 256 threads, 16 x 4 outputs each; "
        "batched by steps of 8 with 128 threads, 32 x 4 outputs each. Guards that the shape proves "
        "true are left out where a compiler that knows it would (columns of dense, steps of "
        "batched), and a tail whose rows are those of whole threads is guarded by thread. `tuned` "
        "is padded, has larger tiles of registers, copies ahead asynchronously and chooses its "
        "tile: the blocks of each multiprocessor in turn times the work of a block, filling it "
        "included, is least; conf/tune.ini is the search that found its kernels. `cublas` is "
        "cublasSgemm with pedantic math. Metrics: registers, "
        "spill_bytes and shared_bytes of the kernel, its blocks, and padding_ratio, the work that "
        "is computed over the work that is wanted. With compile = yes also compile_ms, what NVRTC "
        "takes for the kernel alone, and code_bytes, the size of its instructions; cublas has "
        "neither.\n\n"
        "On the CPU one thread computes tiles of 6 x 16 by steps of 4: with AVX2 and FMA where the "
        "processor has them, and with scalars where elements have guards. `tuned` packs both "
        "matrices into blocks that fit the caches and uses AVX-512 if it is there. There is no "
        "cublas, and tile does not apply.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
