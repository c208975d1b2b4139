/* test_padding.c - the benchmark padding: schedules at sizes that end anywhere in a tile, on the
 * CPU and, kernel by kernel, as CUDA would run them; the choice of kernels and tiles. */
#include "plugins/bench_padding/plan.h"
#include "tests/plugins/bench_fixture.h"

#include <sys/mman.h>

static const char *const schedules[] = {"baseline", "partition", "pad", "partition_pad", "tuned"};

/* Ends before, at and after tiles and steps of every kind, in both problems. */
static const struct batch_shape shapes[] = {
    {1, 1, 1, 1},       {1, 130, 3, 1},     {119, 121, 9, 1},  {121, 119, 10, 2},
    {127, 128, 130, 1}, {128, 127, 16, 1},  {128, 128, 8, 2},  {129, 129, 17, 1},
    {192, 256, 66, 1},  {144, 128, 130, 1}, {120, 120, 64, 3}, {260, 132, 33, 1},
    {6, 16, 4, 1},      {13, 35, 259, 1},   {97, 96, 24, 1},   {63, 65, 15, 2},
};

/* --- the plugin on the CPU --- */

static void set_shape(const struct batch_shape *shape)
{
    set("m = %d; n = %d; k = %d; batch = %d", (int)shape->m, (int)shape->n, (int)shape->k,
        (int)shape->batch);
}

TEST_FIXTURE(NULL, unload)

TEST_EACH(cpu_is_right_at_every_size, schedules)
{
    for (size_t i = 0; i < N_OF(shapes); i++) {
        const uint64_t n = (uint64_t)(shapes[i].batch * shapes[i].m * shapes[i].n);
        load_bench("padding");
        set("schedule = %s", schedules[_i]);
        set_shape(&shapes[i]);
        ready();
        expect_n_wrong(n);
        run_bench(2);
        expect_right();
        ck_assert_uint_eq(fake->n_compared, n);
    }
}

/* By less than a thousandth of the largest output. */
TEST(one_wrong_output_is_found)
{
    load_bench("padding");
    set_shape(&shapes[3]);
    ready();
    run_bench(1);
    ck_assert_uint_eq(fake->n_device_blocks, 3);
    ((float *)fake->device_blocks[2])[121 * 119 + 5] += 1e-5f;
    expect_n_wrong(1);
}

TEST(inputs_are_uniform_in_their_interval)
{
    float lowest = 0.0f;
    float highest = 0.0f;
    load_bench("padding");
    ready();
    /* Not fmin and fmax, of which GCC 12 makes an internal error for AArch64. */
    for (size_t i = 0; i < 960 * 770; i++) {
        const float input = ((const float *)fake->device_blocks[0])[i];
        lowest = input < lowest ? input : lowest;
        highest = input > highest ? input : highest;
    }
    ck_assert_double_ge(lowest, -0.1f);
    ck_assert_double_le(lowest, -0.0999);
    ck_assert_double_le(highest, 0.1f);
    ck_assert_double_ge(highest, 0.0999);
    ck_assert_int_ne(memcmp(fake->device_blocks[0], fake->device_blocks[1], 4096), 0);
}

TEST_TIMES(cpu_tells_how_much_is_padding, 4)
{
    const double padded = 24.0 * 48.0 * 20.0 / (20.0 * 35.0 * 17.0);
    const double wanted[] = {1.0, 1.0, padded, padded};
    make("padding", "schedule = %s; m = 20; n = 35; k = 17", schedules[_i]);
    ck_assert_double_eq_tol(fake_metric_named(fake, "padding_ratio"), wanted[_i], 1e-12);
}

/* --- plans --- */

static const struct batch_shape dense = {960, 2304, 770, 1};
static const struct batch_shape cut_columns = {960, 2300, 770, 1};
static const struct batch_shape cut_rows = {961, 2304, 770, 1};
static const struct batch_shape batched = {120, 120, 64, 192};
static const struct batch_shape cut_steps = {120, 120, 65, 192};
static const struct batch_shape wide = {300, 130, 64, 2};

static const struct {
    const struct batch_shape *shape;
    int32_t problem, schedule, tile;
    const char *blocks; /* kernel: columns x rows x products, threads */
    double padding_ratio;
} plans[] = {
    {&dense, PROBLEM_DENSE, SCHEDULE_BASELINE, 0, "dense_baseline_rk: 18 x 8 x 1, 256", 1},
    {&dense, PROBLEM_DENSE, SCHEDULE_PARTITION, 0, "dense_partition_t: 18 x 8 x 1, 256", 1},
    {&dense, PROBLEM_DENSE, SCHEDULE_PAD, 0, "dense_pad: 18 x 8 x 1, 256",
     1024.0 / 960 * 772 / 770},
    {&dense, PROBLEM_DENSE, SCHEDULE_PARTITION_PAD, 0, "dense_partition_pad: 18 x 8 x 1, 256",
     1024.0 / 960 * 772 / 770},
    {&cut_columns, PROBLEM_DENSE, SCHEDULE_BASELINE, 0, "dense_baseline_rck: 18 x 8 x 1, 256", 1},
    {&cut_columns, PROBLEM_DENSE, SCHEDULE_PARTITION, 0, "dense_partition_rc: 18 x 8 x 1, 256", 1},
    {&cut_rows, PROBLEM_DENSE, SCHEDULE_PARTITION, 0, "dense_partition_rc: 18 x 8 x 1, 256", 1},
    {&batched, PROBLEM_BATCHED, SCHEDULE_BASELINE, 0, "batched_baseline_rc: 1 x 1 x 192, 128", 1},
    {&batched, PROBLEM_BATCHED, SCHEDULE_PARTITION, 0, "batched_baseline_rc: 1 x 1 x 192, 128", 1},
    {&cut_steps, PROBLEM_BATCHED, SCHEDULE_PARTITION, 0, "batched_partition_rc: 1 x 1 x 192, 128",
     1},
    {&wide, PROBLEM_BATCHED, SCHEDULE_PARTITION, 0, "batched_partition_rc: 2 x 3 x 2, 128", 1},
    {&batched, PROBLEM_BATCHED, SCHEDULE_PAD, 0, "batched_pad: 1 x 1 x 192, 128",
     128.0 * 128 / (120 * 120)},
    {&dense, PROBLEM_DENSE, SCHEDULE_TUNED, 4, "tuned_128x128x8: 18 x 8 x 1, 128",
     1024.0 / 960 * 776 / 770},
};

TEST_EACH(plan_names_kernel_and_blocks, plans)
{
    const struct plan plan = plan_of(plans[_i].shape, plans[_i].problem, plans[_i].schedule,
                                     plans[_i].tile, 132);
    char blocks[64];
    snprintf(blocks, sizeof blocks, "%s: %u x %u x %u, %u", plan.kernel, plan.columns, plan.rows,
             plan.products, plan.threads);
    ck_assert_str_eq(blocks, plans[_i].blocks);
    ck_assert_double_eq_tol(plan.padding_ratio, plans[_i].padding_ratio, 1e-12);
}

static double work_of_busiest(const struct plan *plan, uint32_t n_units, int tile)
{
    int rows = 0;
    int columns = 0;
    int split = 1;
    ck_assert_int_ge(sscanf(tile_names[tile], "%dx%dx%*d/%d", &rows, &columns, &split), 2);
    return ceil((double)plan->columns * plan->rows * plan->products / n_units) * rows * columns /
           split;
}

/* auto is one of the tiles, and gives no multiprocessor half as much again as the best one does. */
TEST_TIMES(auto_spreads_the_work, 4)
{
    static const uint32_t n_units[] = {1, 16, 68, 82, 108, 114, 132, 144};
    static const struct batch_shape wanted[] = {
        {960, 2304, 770, 1}, {120, 120, 64, 192}, {4096, 4096, 4096, 1}, {1, 1, 1, 1}};
    for (size_t i = 0; i < N_OF(n_units); i++) {
        const struct batch_shape *shape = &wanted[_i];
        const struct plan chosen = plan_of(shape, 0, SCHEDULE_TUNED, TILE_AUTO, n_units[i]);
        double least = INFINITY;
        double its_own = INFINITY;
        for (int tile = 1; tile <= N_TILES; tile++) {
            const struct plan plan = plan_of(shape, 0, SCHEDULE_TUNED, tile, n_units[i]);
            const double work = work_of_busiest(&plan, n_units[i], tile);
            least = fmin(least, work);
            if (strcmp(plan.kernel, chosen.kernel) == 0)
                its_own = work;
        }
        ck_assert_double_lt(its_own, 1.5 * least);
    }
}

TEST(auto_fills_132_multiprocessors)
{
    const struct plan plan = plan_of(&dense, PROBLEM_DENSE, SCHEDULE_TUNED, TILE_AUTO, 132);
    const uint32_t blocks = plan.columns * plan.rows * plan.products;
    ck_assert_msg(blocks == 240 || blocks == 120, "%s: %u blocks", plan.kernel, blocks);
}

/* --- the kernels of CUDA on the host --- */

#ifdef WITH_CXX

typedef void kernel_fn(const float *x, const float *w, float *y, int m, int n, int k);
typedef void launch_fn(kernel_fn *kernel, unsigned columns, unsigned rows, unsigned products,
                       unsigned n_threads, const float *x, const float *w, float *y, int m, int n,
                       int k);

static size_t page_bytes(size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n * sizeof(float) + page - 1) / page * page;
}

/* n floats that end where the memory does: what is read or written beyond them is a crash. */
static float *take(size_t n)
{
    const size_t bytes = page_bytes(n), page = page_bytes(1);
    char *memory = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ck_assert_int_eq(mprotect(memory + bytes, page, PROT_NONE), 0);
    return (float *)(void *)(memory + bytes) - n;
}

static void give_back(float *values, size_t n)
{
    munmap((char *)(values + n) - page_bytes(n), page_bytes(n) + page_bytes(1));
}

static size_t count_wrong(const struct batch_shape *shape, const float *x, const float *w,
                          const float *y)
{
    size_t n_wrong = 0;
    for (int64_t i = 0; i < shape->batch * shape->m * shape->n; i++) {
        const float *left = x + i / shape->n * shape->k;
        const float *right = w + (i / (shape->m * shape->n) * shape->n + i % shape->n) * shape->k;
        double sum = 0.0;
        for (int64_t k = 0; k < shape->k; k++)
            sum += (double)left[k] * (double)right[k];
        n_wrong += !(fabs((double)y[i] - sum) <= 1e-6 * (double)shape->k);
    }
    return n_wrong;
}

/* Twice, as the second time shared memory holds what the first left there. */
static void try_plan(void *kernels, const struct batch_shape *shape, const struct plan *plan)
{
    const size_t n_x = (size_t)(shape->batch * shape->m * shape->k);
    const size_t n_w = (size_t)(shape->batch * shape->n * shape->k);
    const size_t n_y = (size_t)(shape->batch * shape->m * shape->n);
    uint64_t state = 7;
    float *x = take(n_x);
    float *w = take(n_w);
    float *y = take(n_y);
    kernel_fn *kernel = NULL;
    launch_fn *launch = NULL;
    *(void **)&kernel = fake_symbol(kernels, plan->kernel);
    *(void **)&launch = fake_symbol(kernels, "padding_launch");
    for (size_t i = 0; i < n_x; i++)
        x[i] = (float)fake_unit(&state) - 0.5f;
    for (size_t i = 0; i < n_w; i++)
        w[i] = (float)fake_unit(&state) - 0.5f;
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < n_y; j++)
            y[j] = NAN;
        launch(kernel, plan->columns, plan->rows, plan->products, plan->threads, x, w, y,
               (int)shape->m, (int)shape->n, (int)shape->k);
        const size_t n_wrong = count_wrong(shape, x, w, y);
        ck_assert_msg(n_wrong == 0, "%s: %lld x %lld x %lld: %zu wrong", plan->kernel,
                      (long long)shape->m, (long long)shape->n, (long long)shape->k, n_wrong);
    }
    give_back(x, n_x);
    give_back(w, n_w);
    give_back(y, n_y);
}

TEST_EACH(kernels_are_right_at_every_size, shapes)
{
    void *kernels = fake_library("tests/modules/.libs/padding_kernels.so");
    const struct batch_shape *shape = &shapes[_i];
    for (int32_t problem = PROBLEM_DENSE; problem <= PROBLEM_BATCHED; problem++) {
        for (int32_t schedule = SCHEDULE_BASELINE; schedule <= SCHEDULE_PARTITION_PAD; schedule++) {
            const struct plan plan = plan_of(shape, problem, schedule, TILE_AUTO, 132);
            try_plan(kernels, shape, &plan);
        }
    }
    const int32_t step = test_is_long() ? 1 : 3; /* every tile with a third of the shapes */
    for (int32_t tile = 1 + (step > 1 ? _i % step : 0); tile <= N_TILES; tile += step) {
        const struct plan plan = plan_of(shape, PROBLEM_DENSE, SCHEDULE_TUNED, tile, 132);
        try_plan(kernels, shape, &plan);
    }
}

#endif
