/* test_convolution.c - convolution: cases worked out by hand, shapes of every kind against sums
 * over all seven indices, wrong results that must be found; the kernels as CUDA would run them. */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "plugins/bench_convolution/window.h"
#include "tests/plugins/verified.h"

static const char *const directions[] = {"forward", "backward_data", "backward_weight"};
static const char *const methods[] = {"direct", "implicit_gemm"};
static const char *const layouts[] = {"nchw", "nhwc"};
static const char *const dtypes[] = {"fp32", "fp16", "bf16"};
static const uint32_t formats[] = {GB_F32, GB_F16, GB_BF16};

struct setting {
    int n, c, h, w, k, r, s, stride, pad, dilation, groups;
};

/* Ends before, at and after tiles and vectors; windows that hang over, holes, channels apart. */
static const struct setting settings[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},   {2, 6, 11, 9, 4, 3, 2, 2, 1, 1, 2},
    {3, 8, 7, 7, 8, 3, 3, 1, 2, 2, 8},   {1, 3, 10, 10, 5, 5, 1, 3, 0, 1, 1},
    {2, 4, 5, 6, 3, 1, 1, 2, 2, 1, 1},   {1, 2, 4, 17, 7, 3, 5, 1, 2, 1, 1},
    {1, 5, 9, 33, 13, 3, 3, 1, 1, 1, 1}, {2, 3, 6, 5, 2, 2, 2, 3, 3, 3, 1},
    {1, 1, 3, 3, 1, 2, 2, 2, 4, 1, 1},   {1, 40, 8, 8, 12, 3, 3, 1, 1, 1, 4},
    {5, 2, 3, 70, 2, 1, 3, 2, 0, 2, 2},
};

static struct window_shape shape_of(const struct setting *at, bool is_nhwc)
{
    const int p = (at->h + 2 * at->pad - at->dilation * (at->r - 1) - 1) / at->stride + 1;
    const int q = (at->w + 2 * at->pad - at->dilation * (at->s - 1) - 1) / at->stride + 1;
    const int n_c = at->c / at->groups;
    struct window_shape shape = {
        .n = at->n,
        .c = at->c,
        .h = at->h,
        .w = at->w,
        .k = at->k,
        .r = at->r,
        .s = at->s,
        .p = p,
        .q = q,
        .stride = at->stride,
        .pad = at->pad,
        .dilation = at->dilation,
        .groups = at->groups,
        .x = {at->c * at->h * at->w, at->h * at->w, at->w, 1},
        .f = {n_c * at->r * at->s, at->r * at->s, at->s, 1},
        .y = {at->k * p * q, p * q, q, 1},
    };
    if (is_nhwc) {
        shape.x = (struct distances){shape.x.image, 1, at->w * at->c, at->c};
        shape.f = (struct distances){shape.f.image, 1, at->s * n_c, n_c};
        shape.y = (struct distances){shape.y.image, 1, q * at->k, at->k};
    }
    return shape;
}

static void apply(const struct setting *at)
{
    set("n = %d; c = %d; h = %d; w = %d; k = %d; r = %d; s = %d; stride = %d; pad = %d; "
        "dilation = %d; groups = %d",
        at->n, at->c, at->h, at->w, at->k, at->r, at->s, at->stride, at->pad, at->dilation,
        at->groups);
}

TEST_FIXTURE(verify_really, unload)

/* --- by hand --- */

/* One image of 3 x 3, one filter of 2 x 2, both of numbers 1, 2, 3 ... */
static const struct {
    const char *options;
    float output[9];
} by_hand[] = {
    {"direction = forward; pad = 0; stride = 1", {37, 47, 67, 77}},
    {"direction = forward; pad = 1; stride = 2", {4, 18, 36, 77}},
    {"direction = backward_data; pad = 0; stride = 1", {1, 4, 4, 6, 20, 16, 9, 24, 16}},
    {"direction = backward_weight; pad = 0; stride = 1", {37, 47, 67, 77}},
    {"direction = backward_data; pad = 1; stride = 2", {4, 6, 8, 6, 4, 8, 12, 12, 16}},
};

TEST_TIMES(cases_worked_out_by_hand, N_OF(by_hand) * N_OF(methods))
{
    static const float counting[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const size_t i = (size_t)_i / N_OF(methods);
    make("convolution", "c = 1; h = 3; w = 3; k = 1; r = 2; s = 2; %s; method = %s",
         by_hand[i].options, methods[(size_t)_i % N_OF(methods)]);
    float *output = fake->device_blocks[2];
    const bool is_image = strstr(by_hand[i].options, "backward_data") != NULL;
    memcpy(fake->device_blocks[0], counting, 4 * sizeof(float));
    memcpy(fake->device_blocks[1], counting, (is_image ? 4 : 9) * sizeof(float));
    run_bench(1);
    for (size_t j = 0; j < (is_image ? 9 : 4); j++)
        ck_assert_float_eq(output[j], by_hand[i].output[j]);
}

/* --- by all seven indices --- */

enum { LONGEST = 4096 };
static double left[LONGEST], right[LONGEST], sum[LONGEST], magnitude[LONGEST];

static void add_product(const struct window_shape *at, int direction, const int i[7])
{
    const int n = i[0], k = i[1], c = i[2], p = i[3], q = i[4], r = i[5], s = i[6];
    const int row = p * at->stride - at->pad + r * at->dilation;
    const int column = q * at->stride - at->pad + s * at->dilation;
    const int group = k / (at->k / at->groups);
    if (row < 0 || row >= at->h || column < 0 || column >= at->w)
        return;
    const int x = n * at->x.image + (group * (at->c / at->groups) + c) * at->x.channel +
                  row * at->x.row + column * at->x.column;
    const int f = k * at->f.image + c * at->f.channel + r * at->f.row + s * at->f.column;
    const int y = n * at->y.image + k * at->y.channel + p * at->y.row + q * at->y.column;
    const int to = direction == 0 ? y : direction == 1 ? x : f;
    const double product = direction == 0   ? left[f] * right[x]
                           : direction == 1 ? left[f] * right[y]
                                            : left[y] * right[x];
    sum[to] += product;
    magnitude[to] += fabs(product);
}

static uint64_t length_of(const struct window_shape *at, int array)
{
    return (uint64_t)(array == 0   ? at->n * at->y.image
                      : array == 1 ? at->n * at->x.image
                                   : at->k * at->f.image);
}

/* The lengths of the left factor, the right one and the output. */
static void lengths_of(const struct window_shape *at, int direction, uint64_t ret[3])
{
    ret[0] = length_of(at, direction == 2 ? 0 : 2);
    ret[1] = length_of(at, direction == 1 ? 0 : 1);
    ret[2] = length_of(at, direction);
}

/* Of the factors in two arrays. Returns how many sums there are. */
static uint64_t sum_all(const struct window_shape *at, int direction, uint32_t format,
                        const void *left_array, const void *right_array)
{
    const int counts[7] = {at->n, at->k, at->c / at->groups, at->p, at->q, at->r, at->s};
    int i[7] = {0};
    uint64_t lengths[3];
    lengths_of(at, direction, lengths);
    ck_assert(lengths[0] <= LONGEST && lengths[1] <= LONGEST && lengths[2] <= LONGEST);
    number_load_array(format, left_array, 0, lengths[0], left);
    number_load_array(format, right_array, 0, lengths[1], right);
    memset(sum, 0, sizeof sum);
    memset(magnitude, 0, sizeof magnitude);
    for (int digit = 0; digit < 7;) {
        add_product(at, direction, i);
        for (digit = 0; digit < 7 && ++i[digit] == counts[digit]; digit++)
            i[digit] = 0;
    }
    return lengths[2];
}

static void reference_is_right(const struct window_shape *shape, int direction)
{
    const uint64_t n = sum_all(shape, direction, checked.format, fake->device_blocks[0],
                               fake->device_blocks[1]);
    ck_assert_uint_eq(checked.n, n);
    for (uint64_t i = 0; i < n; i++) {
        const double rounding = 1e-13 * magnitude[i];
        ck_assert_double_le(fabs(checked.reference[i] - sum[i]), rounding);
        ck_assert_double_le(fabs(checked.magnitude[i] - magnitude[i]), rounding);
    }
}

/* Each type in all ways; LONG: every shape in all of them. */
TEST_TIMES(every_shape_is_right, 3 * N_OF(settings))
{
    const struct setting *setting = &settings[(size_t)_i / 3];
    const size_t step = test_is_long() ? 1 : 3;
    for (size_t i = test_is_long() ? 0 : (size_t)_i / 3 % 3; i < 24; i += step) {
        load_bench("convolution");
        fake->host.seed = 1 + i;
        apply(setting);
        set("direction = %s; method = %s; layout = %s; integral = %s; dtype = %s; range = -2..3",
            directions[_i % 3], methods[i % 2], layouts[i / 2 % 2], i / 4 % 2 == 0 ? "no" : "yes",
            dtypes[i / 8]);
        ck_assert_int_eq(created(), GB_OK);
        ck_assert_msg(verified() == GB_OK, "%s", made_of);
        const struct window_shape shape = shape_of(setting, i / 2 % 2 != 0);
        reference_is_right(&shape, _i % 3);
    }
}

/* --- wrong results --- */

/* A product less, an output that was not written, two that were swapped, all of them zero. */
static void spoil(int fault, float *output, const float *a, const float *b)
{
    const float first = output[0];
    if (fault == 0)
        output[0] -= a[0] * b[0];
    else if (fault == 1)
        memset(&output[7], 0xff, sizeof *output);
    else if (fault == 3)
        memset(output, 0, checked.n * sizeof *output);
    else {
        output[0] = output[1];
        output[1] = first;
    }
}

TEST_TIMES(wrong_results_are_found, 3 * 4)
{
    load_bench("convolution");
    set("h = 14; w = 14; k = 16; direction = %s", directions[_i % 3]);
    ck_assert_int_eq(created(), GB_OK);
    ck_assert_int_eq(verified(), GB_OK);
    spoil(_i / 3, fake->device_blocks[2], fake->device_blocks[0], fake->device_blocks[1]);
    expect_wrong();
}

/* --- kernels of CUDA --- */

#ifdef WITH_CXX

typedef void kernel_fn(void);
typedef void launch_fn(kernel_fn *kernel, unsigned columns, unsigned rows, unsigned groups,
                       const struct window_shape *shape, const void *left, const void *right,
                       void *output);

static void try_kernel(void *library, const char *name, const struct window_shape *shape,
                       int direction, bool is_direct, uint32_t format)
{
    const struct product_view view = window_view(shape, direction);
    const unsigned tile = is_direct ? 1 : 16;
    const unsigned width = is_direct ? 256 : 16;
    launch_fn *launch;
    kernel_fn *kernel;
    uint64_t lengths[3];
    *(void **)&launch = fake_symbol(library, "convolution_launch");
    *(void **)&kernel = fake_symbol(library, name);
    lengths_of(shape, direction, lengths);
    void *arrays[3];
    for (int i = 0; i < 3; i++) {
        arrays[i] = calloc(lengths[i], sizeof(float));
        for (uint64_t j = 0; j < lengths[i]; j++)
            number_store(format, arrays[i], j,
                         i == 2 ? (double)NAN : (double)random_below(3, (uint64_t)i, j, 5) - 2.0);
    }
    launch(kernel, ((unsigned)window_count(&view.columns) + width - 1) / width,
           ((unsigned)view.rows + tile - 1) / tile, (unsigned)shape->groups, shape, arrays[0],
           arrays[1], arrays[2]);
    const uint64_t n = sum_all(shape, direction, format, arrays[0], arrays[1]);
    for (uint64_t i = 0; i < n; i++) {
        const double output = number_load(format, arrays[2], i);
        ck_assert_msg(output == number_round(format, sum[i]), "%s, element %llu: %g, not %g", name,
                      (unsigned long long)i, output, sum[i]);
    }
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
}

TEST_TIMES(kernels_are_right_in_every_shape, 3 * N_OF(settings))
{
    static const char *const names[] = {"forward", "data", "weights"};
    void *library = fake_library("tests/modules/.libs/convolution_kernels.so");
    for (int i = 0; i < 12; i++) {
        const struct window_shape shape = shape_of(&settings[_i / 3], i % 2 != 0);
        char name[64];
        snprintf(name, sizeof name, "%s_%s_%s", methods[i / 2 % 2], names[_i % 3], dtypes[i / 4]);
        try_kernel(library, name, &shape, _i % 3, i / 2 % 2 == 0, formats[i / 4]);
    }
}

#endif
