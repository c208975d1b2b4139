/* test_prediction.c - how long streams take by the times of their problems. */
#include "plugins/bench_multistream_matmul/prediction.h"
#include "tests/check_main.h"

enum { BLOCKS = 2, LOGS_MAX = 16 };

static struct block_log logs[LOGS_MAX];

/* A run in which problem i of n is on the unit i and another, from start[i] on for length[i]. */
static void add_run(const uint64_t *start, const uint64_t *length, uint64_t n)
{
    for (uint64_t i = 0; i < n * BLOCKS; i++) {
        const uint64_t problem = i / BLOCKS;
        const bool is_last = i % BLOCKS == 1; /* begins later, and ends the problem */
        logs[i].runs[logs[i].n_runs++ % RUNS_KEPT] = (struct stamp){
            .start_ns = start[problem] + (is_last ? 3 : 0),
            .end_ns = start[problem] + length[problem] - (is_last ? 0 : 5),
            .unit = (unsigned)problem + (is_last ? 100 : 0),
        };
    }
}

/* The log of what runs next. */
static struct stamped stamped_of(uint64_t n_problems, uint64_t n_streams)
{
    memset(logs, 0, sizeof logs);
    return (struct stamped){
        .logs = logs, .n_problems = n_problems, .n_streams = n_streams, .n_blocks = BLOCKS};
}

/* Five problems; on two streams 0, 2, 4 and 1, 3. */
static const uint64_t lengths[] = {100, 300, 110, 200, 120};
static const struct {
    uint64_t n_streams;
    uint64_t starts[5];
    double predicted, measured;
} expected[] = {
    {1, {1000, 1100, 1400, 1510, 1710}, 830, 830}, {2, {1000, 1000, 1100, 1300, 1210}, 500, 500},
    {3, {1000, 1000, 1000, 1100, 1300}, 420, 420}, {5, {1000, 1000, 1000, 1000, 1000}, 300, 300},
    {2, {1000, 1050, 1100, 1350, 1210}, 500, 550}, /* a stream that begins late */
    {2, {1000, 1000, 1100, 1340, 1210}, 500, 540}, /* a gap within a stream */
};

TEST_EACH(slowest_stream_is_predicted, expected)
{
    struct prediction run;
    const struct stamped stamped = stamped_of(5, expected[_i].n_streams);
    add_run(expected[_i].starts, lengths, 5);
    ck_assert(predict(&stamped, &run));
    ck_assert_double_eq(run.predicted_ns, expected[_i].predicted);
    ck_assert_double_eq(run.measured_ns, expected[_i].measured);
    ck_assert_double_eq(run.one_by_one_ns, 830);
    ck_assert_double_eq(run.fastest_ns, 100);
    ck_assert_double_eq(run.slowest_ns, 300);
    ck_assert_uint_eq(run.n_units, 10);
}

/* A problem ends with its last block; units are counted once; nothing is said before all ran. */
TEST(runs_are_read_block_by_block)
{
    static const uint64_t starts[] = {1000, 2000};
    struct prediction run;
    const struct stamped stamped = stamped_of(2, 2);
    ck_assert(!predict(&stamped, &run));
    add_run(starts, lengths, 1);
    ck_assert(!predict(&stamped, &run));
    stamped_of(2, 2);
    add_run(starts, lengths, 2);
    const struct problem_time time = problem_time(&stamped, 1, 0);
    ck_assert_uint_eq(time.start_ns, 2000);
    ck_assert_uint_eq(time.end_ns, 2300);
    ck_assert_uint_eq(time.unit, 101);
    logs[0].runs[0].unit = logs[3].runs[0].unit = 131;
    predict_run(&stamped, 0, &run);
    ck_assert_uint_eq(run.n_units, 3);
}

/* Runs take 10, 20, 30 ... ns; of the last 16 that of the median is taken, of two the shorter. */
static const struct {
    uint64_t n_runs, run;
} medians[] = {{1, 0}, {2, 0}, {3, 1}, {16, 7}, {17, 8}, {40, 31}};

TEST_EACH(run_of_median_time_is_taken, medians)
{
    struct prediction run;
    const uint64_t n = medians[_i].n_runs;
    const struct stamped stamped = stamped_of(1, 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t start = 1000 * (n - i);
        const uint64_t length = 10 * (i + 1);
        add_run(&start, &length, 1);
    }
    ck_assert(predict(&stamped, &run));
    ck_assert_uint_eq(run.run, medians[_i].run);
    ck_assert_double_eq(run.measured_ns, (double)(10 * (run.run + 1)));
}
