/* test_elementwise.c - elementwise: every kernel is right in every type, on the CPU in all ways
 * that the processor has and, kernel by kernel, as CUDA would; what is wrong by little is found. */
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "plugins/bench_elementwise/elementwise.h"
#include "plugins/common/policy/exact_sum.h"
#include "tests/plugins/verified.h"

static const char *const dtype_names[DTYPES] = {"fp32", "fp16", "bf16", "fp64"};
static const uint32_t formats[DTYPES] = {GB_F32, GB_F16, GB_BF16, GB_F64};
static const uint32_t computed_formats[DTYPES] = {GB_F32, GB_F32, GB_F32, GB_F64};

/* --- the benchmark --- */

TEST_FIXTURE(verify_really, unload)

/* Of an image the longest row with which there are whole images. */
static uint64_t columns_for(int32_t kernel, uint64_t n, uint64_t columns)
{
    uint64_t longest = 1;
    for (uint64_t i = 1; i <= 1024 && i * i <= n; i++)
        longest = n % (i * i) == 0 ? i : longest;
    return kernel == KERNEL_MAXPOOL ? longest : columns;
}

static void make_kernel(int32_t kernel, int32_t dtype, uint64_t n, uint64_t columns,
                        const char *options)
{
    make("elementwise", "kernel = %s; dtype = %s; n = %d; columns = %d; %s", kernels[kernel].name,
         dtype_names[dtype], (int)n, (int)columns_for(kernel, n, columns), options);
}

/* Not a number before it is run; then right after any number of iterations. */
TEST_TIMES(every_kernel_is_right, KERNELS *DTYPES)
{
    static const uint64_t sizes[][2] = {
        {1, 1}, {35, 7}, {6000, 1000}, {6000, 6000}, {1100000, 1000}};
    const int32_t at = _i / DTYPES;
    const bool is_long = test_is_long() ||
                         (at % DTYPES == _i % DTYPES &&
                          (at == KERNEL_COPY || at == KERNEL_SUM || kernels[at].has_images));
    for (size_t i = 0; i < (is_long ? 9 : 8); i++) { /* the last is more than a chunk of values */
        const uint64_t n = sizes[i / 2][0];
        make_kernel(at, _i % DTYPES, n, sizes[i / 2][1],
                    i % 2 == 0 ? "threads = 0" : "threads = 1");
        expect_wrong();
        run_bench(1);
        run_bench(2);
        expect_right();
        ck_assert_uint_eq(compared.n, at == KERNEL_SUM ? 1 : n);
    }
}

TEST_TIMES(every_range_is_right, KERNELS)
{
    static const char *const ranges[] = {"low = -1000; high = 1000", "low = 999; high = 1000",
                                         "low = 0; high = 0", "low = -20; high = -4",
                                         "low = -1e-7; high = 1e-7"};
    for (int32_t i = 0; i < 5 * DTYPES; i++) {
        if (_i == KERNEL_BATCHNORM && i % DTYPES == DTYPE_FP16 && i / DTYPES < 2)
            continue; /* a million is no half */
        make_kernel(_i, i % DTYPES, 5000, 1000, ranges[i / DTYPES]);
        run_bench(1);
        expect_right();
    }
}

/* Bytes of each array once; flops by the table of `gbrun help elementwise`. */
TEST_TIMES(work_is_what_the_kernel_does, KERNELS)
{
    static const double flops[KERNELS] = {0, 1, 1, 2, 7, 1, 4, 6, 2, 8, 1};
    static const double reads[KERNELS] = {1, 1, 2, 2, 1, 1, 1, 1, 1.02, 1, 1};
    static const double bytes[DTYPES] = {4, 2, 2, 8};
    for (int32_t i = 0; i < DTYPES; i++) {
        make_kernel(_i, i, 3000, 100, "threads = 1");
        expect_work(3000 * flops[_i], 3000 * bytes[i] * reads[_i],
                    _i == KERNEL_SUM ? (i == DTYPE_FP64 ? 8 : 4) : 3000 * bytes[i]);
        ck_assert_double_eq(work_of().items, 3000);
        ck_assert_str_eq(work_of().item, "element");
    }
}

/* Of an element of the output the last bits; of an input, which the reference is not made of. */
TEST_TIMES(what_is_wrong_is_found, KERNELS)
{
    const uint64_t at = _i == KERNEL_SUM ? 0 : 777;
    for (int32_t i = 0; i < DTYPES; i++) {
        make_kernel(_i, i, 4000, 1000, "threads = 2; low = 0.5");
        run_bench(1);
        expect_right();
        const struct gb_format *format = number_format_of(_i == KERNEL_SUM ? computed_formats[i]
                                                                           : formats[i]);
        void *output = fake->device_blocks[0];
        const double value = number_load(format->format, output, at);
        const double step = kernels[_i].has_sums ? 8192 : kernels[_i].roundings > 0 ? 64 : 1;
        const double more = format->bytes == 2 ? fmin(step, 3) : step;
        number_store(format->format, output, at, value * (1 + more * ldexp(1, 1 - format->digits)));
        expect_wrong();
        number_store(formats[i], fake->device_blocks[2], 777, 400.0);
        run_bench(1);
        expect_wrong();
    }
}

static const void *nothing_more(const struct gb_host *host, const char *id)
{
    return NULL;
}

TEST(an_older_host_is_refused)
{
    load_bench("elementwise");
    fake->host.extension = nothing_more;
    expect_refusal(GB_FAILED, "this version of gbrun has no gbrun.formats/1: expected a newer one");
}

/* --- kernels on arrays of the test's --- */

enum { VALUES_MAX = 9000, BEYOND = 64, MARK = 0x5a };

static struct {
    _Alignas(64) unsigned char inputs[2][(VALUES_MAX + BEYOND) * sizeof(double)];
    _Alignas(64) unsigned char output[(VALUES_MAX + BEYOND) * sizeof(double)];
    double values[2][VALUES_MAX];
    double reference[VALUES_MAX], magnitude[VALUES_MAX];
} arrays;

static void fill_arrays(int32_t dtype, uint64_t n, double low, double high)
{
    const struct gb_format *format = number_format_of(formats[dtype]);
    memset(arrays.output, MARK, sizeof arrays.output);
    for (uint32_t i = 0; i < 2; i++) {
        const struct gb_fill fill = {
            .size = sizeof fill, .format = formats[dtype], .stream = i, .low = low, .high = high};
        memset(arrays.inputs[i], 0xff, sizeof arrays.inputs[i]);
        ck_assert_int_eq(random_fill(7, arrays.inputs[i], n, &fill), GB_OK);
        number_load_array(format->format, arrays.inputs[i], 0, n, arrays.values[i]);
    }
}

/* By the reference and the bound; nothing is written beyond. */
static void check_arrays(int32_t kernel, int32_t dtype, uint64_t n, uint64_t columns,
                         uint64_t depth, const char *what)
{
    const bool is_sum = kernel == KERNEL_SUM;
    const bool is_rounded_once = kernels[kernel].roundings == 0;
    const struct gb_format *computed = number_format_of(computed_formats[dtype]);
    const struct gb_format *format = is_sum ? computed : number_format_of(formats[dtype]);
    const struct reference_request request = {
        .a = arrays.values[0],
        .b = arrays.values[1],
        .n = n,
        .columns = columns,
        .smallest = ldexp(1.0, computed->min_exponent + computed->digits)};
    const struct gb_check check = {
        .size = sizeof check,
        .format = format->format,
        .name = what,
        .n = is_sum ? 1 : n,
        .output = arrays.output,
        .reference = arrays.reference,
        .magnitude = arrays.magnitude,
        .n_products = kernels[kernel].roundings + (kernels[kernel].has_sums ? depth : 0),
        .accumulate = computed->format,
        .default_metric = is_rounded_once ? "ulp" : "bound",
        .default_tolerance = is_rounded_once ? 0.5 : 1.0,
        .safety = dtype == DTYPE_FP64 ? 2.0 : 1.0,
    };
    kernels[kernel].reference(&request, arrays.reference, arrays.magnitude);
    char text[128];
    snprintf(text, sizeof text, "%s, %s, %s, %u by %u", what, kernels[kernel].name,
             dtype_names[dtype], (unsigned)n, (unsigned)columns);
    ck_assert_msg(real_check(NULL, &check) == GB_OK, "%s: bound %g at %u", text,
                  compared.metrics[VERIFY_BOUND].value,
                  (unsigned)compared.metrics[VERIFY_BOUND].index);
    size_t end = sizeof arrays.output;
    while (end > 0 && arrays.output[end - 1] == MARK)
        end--;
    ck_assert_msg(end <= check.n * format->bytes, "%s: wrote byte %u", text, (unsigned)end - 1);
}

static const struct {
    uint64_t n, columns;
} shapes[] = {{1, 1},   {2, 1},     {3, 3},       {15, 5},      {16, 16},     {33, 33},
              {64, 32}, {255, 255}, {1025, 1025}, {4100, 2050}, {8191, 8191}, {9000, 90}};

/* Squares are rounded before they are added: the sum is that of float64 values, to the bit. */
TEST(sums_of_products_are_exact)
{
    struct exact_sum fused = {0};
    struct exact_sum sum = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        const double x = random_unit(1, 0, i);
        volatile double again = x; /* the compiler must not see the same product twice */
        volatile double square = again * again;
        exact_sum_add(&fused, x * x);
        exact_sum_add(&sum, square);
    }
    ck_assert_double_eq(fused.high, sum.high);
    ck_assert_double_eq(fused.low, sum.low);
}

TEST_TIMES(every_way_is_right, KERNELS *DTYPES)
{
    const int32_t kernel = _i / DTYPES;
    const int32_t dtype = _i % DTYPES;
    for (uint32_t i = 0; i < n_ways; i++) {
        for (size_t j = 0; j < N_OF(shapes) && ways[i].is_here(); j++) {
            struct way_part part = {.to = arrays.output,
                                    .a = arrays.inputs[0],
                                    .b = arrays.inputs[1],
                                    .n = shapes[j].n,
                                    .columns = columns_for(kernel, shapes[j].n, shapes[j].columns)};
            fill_arrays(dtype, part.n, -12.0, 12.0);
            ways[i].fn[dtype][kernel](&part);
            if (kernel == KERNEL_SUM) {
                const float sum = (float)part.sum;
                memcpy(arrays.output, dtype == DTYPE_FP64 ? (const void *)&part.sum : &sum,
                       dtype == DTYPE_FP64 ? sizeof part.sum : sizeof sum);
            }
            check_arrays(kernel, dtype, part.n, part.columns, ways_sum_depth(dtype, part.n),
                         ways[i].name);
        }
    }
}

/* All halves and all of bf16 whose triple is finite. */
TEST_TIMES(every_half_is_converted, 2)
{
    const int32_t dtype = _i == 0 ? DTYPE_FP16 : DTYPE_BF16;
    const struct gb_format *format = number_format_of(formats[dtype]);
    for (uint32_t way = 0; way < n_ways; way++) {
        for (uint32_t first = 0; first < 0x10000 && ways[way].is_here(); first += 0x100) {
            uint16_t in[0x100];
            uint16_t out[0x100];
            double values[0x100];
            struct way_part part = {.to = out, .a = in, .n = 0x100};
            for (uint32_t i = 0; i < 0x100; i++)
                in[i] = (uint16_t)(first + i);
            number_load_array(format->format, in, 0, 0x100, values);
            ways[way].fn[dtype][KERNEL_SCALE](&part);
            uint32_t n_right = 0;
            for (uint32_t i = 0; i < 0x100; i++) {
                uint16_t wanted = 0;
                number_store(format->format, &wanted, 0, 3.0 * values[i]);
                n_right += out[i] == wanted || !(fabs(3.0 * values[i]) <= format->largest);
            }
            ck_assert_msg(n_right == 0x100, "%s: triples of %u numbers from %#x on are wrong",
                          ways[way].name, 0x100 - n_right, (unsigned)first);
        }
    }
}

/* --- the kernels of CUDA on the host --- */

#ifdef WITH_CXX

typedef void kernel_fn(void);

enum { KIND_MAP, KIND_ROWS };

static void (*launch)(int kind, kernel_fn *kernel, uint32_t n_blocks, uint32_t n_threads, void *to,
                      const void *a, const void *b, unsigned long long n, uint32_t number);
static void (*launch_sum)(kernel_fn *kernel, uint32_t n_blocks, uint32_t n_threads, void *to,
                          const void *from, unsigned long long n, void *partial, uint32_t *ticket,
                          bool goes_back);

static kernel_fn *kernel_of(int32_t kernel, const char *infix, int32_t dtype)
{
    void *library = fake_library("tests/modules/.libs/elementwise_kernels.so");
    char name[64];
    kernel_fn *fn = NULL;
    *(void **)&launch = fake_symbol(library, "elementwise_launch");
    *(void **)&launch_sum = fake_symbol(library, "elementwise_launch_sum");
    snprintf(name, sizeof name, "%s_%s%s", kernels[kernel].name, infix, dtype_names[dtype]);
    *(void **)&fn = fake_symbol(library, name);
    return fn;
}

static uint32_t quotient_up(uint64_t a, uint64_t b)
{
    return a > 0 ? (uint32_t)((a + b - 1) / b) : 1;
}

TEST_TIMES(cuda_maps_are_right, KERNEL_SOFTMAX *DTYPES)
{
    const int32_t kernel = _i / DTYPES;
    const int32_t dtype = _i % DTYPES;
    const uint64_t in_vector = 16 / number_format_of(formats[dtype])->bytes;
    kernel_fn *fn = kernel_of(kernel, "", dtype);
    for (size_t i = 0; i < 2 * N_OF(shapes); i++) {
        const uint64_t n = shapes[i / 2].n;
        const uint32_t many = i % 2 == 0 ? 1 : 4 / kernels[kernel].n_inputs;
        const uint32_t n_threads = 32 + 64 * (uint32_t)(i % 3);
        fill_arrays(dtype, n, -12.0, 12.0);
        launch(KIND_MAP, fn, quotient_up(n / in_vector, n_threads * many), n_threads, arrays.output,
               arrays.inputs[0], kernels[kernel].n_inputs == 2 ? arrays.inputs[1] : NULL, n, many);
        check_arrays(kernel, dtype, n, 1, 0, "a map");
    }
}

/* Rows and images that whole blocks and parts of them end in. */
TEST_TIMES(cuda_planes_are_right, 2 * DTYPES)
{
    static const uint64_t lines[] = {1, 2, 3, 5, 8};
    const int32_t kernel = KERNEL_BATCHNORM + _i / DTYPES;
    const int32_t dtype = _i % DTYPES;
    kernel_fn *fn = kernel_of(kernel, "", dtype);
    const uint64_t in_vector = 16 / number_format_of(formats[dtype])->bytes;
    for (size_t i = 0; i < N_OF(lines); i++) {
        const uint64_t columns = lines[i] * in_vector;
        const uint64_t row = kernels[kernel].has_images ? columns * columns : columns;
        const uint64_t n = VALUES_MAX / row < 3 ? VALUES_MAX / row * row : 3 * row;
        const uint32_t n_threads = 32 + 64 * (uint32_t)(i % 3);
        fill_arrays(dtype, n, -12.0, 12.0);
        launch(KIND_MAP, fn, quotient_up(n / in_vector, n_threads), n_threads, arrays.output,
               arrays.inputs[0], arrays.inputs[1], n / in_vector, (uint32_t)columns);
        check_arrays(kernel, dtype, n, columns, 0, "planes");
    }
}

/* By warps as long as those hold rows; by blocks always. */
TEST_TIMES(cuda_rows_are_right, 2 * DTYPES)
{
    static const uint64_t lengths[] = {1, 2, 31, 32, 33, 127, 256, 257, 512};
    const int32_t kernel = KERNEL_SOFTMAX + _i / DTYPES;
    const int32_t dtype = _i % DTYPES;
    kernel_fn *by_blocks = kernel_of(kernel, "block_", dtype);
    kernel_fn *by_warps = kernel_of(kernel, "warp_", dtype);
    const uint64_t in_vector = 16 / number_format_of(formats[dtype])->bytes;
    for (size_t i = 0; i < N_OF(lengths); i++) {
        const uint64_t columns = lengths[i] * in_vector;
        const uint64_t n_rows = VALUES_MAX / columns < 7 ? VALUES_MAX / columns : 7;
        const uint64_t n = columns * n_rows;
        fill_arrays(dtype, n, -12.0, 12.0);
        launch(KIND_ROWS, by_blocks, (uint32_t)n_rows, 160, arrays.output, arrays.inputs[0], NULL,
               n_rows, (uint32_t)columns);
        check_arrays(kernel, dtype, n, columns, 4 * in_vector + 10, "blocks");
        if (lengths[i] > 256)
            continue;
        fill_arrays(dtype, n, -12.0, 12.0);
        launch(KIND_ROWS, by_warps, quotient_up(n_rows, 3), 96, arrays.output, arrays.inputs[0],
               NULL, n_rows, (uint32_t)columns);
        check_arrays(kernel, dtype, n, columns, 8 * in_vector + 5, "warps");
    }
}

/* As in elementwise.c. */
static uint64_t depth_of_sum(uint64_t n_vectors, uint32_t n_blocks, uint32_t n_threads)
{
    const uint32_t n_tiles = quotient_up(n_vectors, 4 * n_threads);
    return 3 + 2 + quotient_up(n_tiles, n_blocks) + 2 + 10 + quotient_up(n_blocks, n_threads) + 10;
}

/* Launch after launch with the same ticket; no matter which block comes last, to the bit. */
TEST_TIMES(cuda_sums_are_right, DTYPES)
{
    static const uint32_t grids[][2] = {{1, 32}, {3, 64}, {40, 32}, {2, 1024}, {70, 32}, {5, 160}};
    enum { GRIDS = N_OF(grids), SHAPES = N_OF(shapes) };
    static double partial[300];
    uint32_t ticket = 0;
    kernel_fn *fn = kernel_of(KERNEL_SUM, "", _i);
    /* Each type has each shape on another grid, each grid several shapes; LONG: two each. */
    for (size_t i = 0; i < (test_is_long() ? 2 : 1) * SHAPES; i++) {
        const uint32_t *grid = grids[(i + i / SHAPES * GRIDS / 2 + (size_t)_i) % GRIDS];
        const uint64_t n = shapes[i % SHAPES].n;
        const uint64_t n_vectors = n * number_format_of(formats[_i])->bytes / 16;
        unsigned char sums[2][sizeof(double)];
        for (int j = 0; j < 2; j++) {
            fill_arrays(_i, n, -12.0, 12.0);
            memset(partial, 0xff, sizeof partial);
            launch_sum(fn, grid[0], grid[1], arrays.output, arrays.inputs[0], n, partial, &ticket,
                       j == 1);
            check_arrays(KERNEL_SUM, _i, n, 1, depth_of_sum(n_vectors, grid[0], grid[1]), "sums");
            memcpy(sums[j], arrays.output, sizeof sums[j]);
        }
        ck_assert_mem_eq(sums[0], sums[1], sizeof sums[0]);
    }
}

#endif
