/* test_judge_batch.c - how little a call of a submission can take, from batches whose times are
 * given: nothing honest is above its own time, nor far below it, and what is done at once for all
 * sets is counted for each. */
#include "core/run/judge_batch.h"

#include "tests/check_main.h"

enum { MANY = 4096 };

/* As the judge does; the number of batches. */
static uint32_t take_batches(struct judge_batch *batch, double once_ns, double each_ns,
                             uint32_t most)
{
    uint32_t n = 0;
    for (; !judge_batch_is_done(batch, most); n++) {
        ck_assert_uint_lt(n, 1000);
        judge_batch_add(batch, once_ns + each_ns * batch->n, most);
    }
    return n;
}

static const struct {
    double once_ns, each_ns; /* what a batch takes, and each call of it */
    uint32_t most, n;        /* sets; calls of the last batches */
    double call_ns;
} submissions[] = {
    /* Honest ones, of which each order is 5 us longer. */
    {5e3, 100, MANY, 1024, 84.375},
    {5e3, 300, MANY, 512, 268.75},
    {5e3, 1e3, MANY, 128, 875},
    {5e3, 5e3, MANY, 32, 4500},
    {5e3, 5e4, MANY, 2, 42e3},
    {5e3, 1e5, 10, 1, 84e3},
    {5e3, 5e5, 2, 1, 484e3},
    {5e3, 1e7, 2, 1, 9.984e6},
    /* Few sets: no batch is long. */
    {5e3, 1e3, 64, 64, 48e3 / 64},
    {5e3, 1e3, 100, 64, 48e3 / 64},
    {5e3, 1e3, 2, 2, 0},
    /* All sets at once. */
    {5e5, 0, MANY, 1, 479e3},
    {1e5, 10, MANY, 1, 79010},
    {9e4, 0, MANY, 4096, 69e3 / 4096},
};

TEST_EACH(calls_take_at_least, submissions)
{
    struct judge_batch batch = {.n = 1};
    take_batches(&batch, submissions[_i].once_ns, submissions[_i].each_ns, submissions[_i].most);
    ck_assert_uint_eq(batch.n, submissions[_i].n);
    ck_assert_double_eq_tol(judge_batch_call_ns(&batch, 500), submissions[_i].call_ns, 1e-6);
}

TEST(the_least_of_them_counts)
{
    struct judge_batch batch = {.n = 1};
    ck_assert_double_eq(judge_batch_call_ns(&batch, 0), 0); /* of none */
    for (uint32_t i = 0; i < JUDGE_BATCHES; i++) {
        ck_assert(!judge_batch_is_done(&batch, MANY));
        judge_batch_add(&batch, i == 3 ? 2e5 : 9e5, MANY);
    }
    ck_assert(judge_batch_is_done(&batch, MANY));
    ck_assert_double_eq(judge_batch_call_ns(&batch, 0), 180e3);
    judge_batch_add(&batch, 15e4, MANY);
    ck_assert_double_eq(judge_batch_call_ns(&batch, 0), 130e3);
    judge_batch_add(&batch, 9e4, MANY); /* too short, after all */
    ck_assert_uint_eq(batch.n, 2);
    ck_assert(!judge_batch_is_done(&batch, MANY));
}

/* What was as long as there were sets for is too short with more; slower batches change nothing. */
TEST(sets_that_were_added_make_longer_ones)
{
    struct judge_batch batch = {.n = 1};
    take_batches(&batch, 0, 1e3, 64);
    ck_assert(judge_batch_is_done(&batch, 64));
    ck_assert(!judge_batch_is_done(&batch, MANY));
    judge_batch_add(&batch, 5e6, MANY);
    ck_assert_uint_eq(batch.n, 128);
    ck_assert_uint_eq(take_batches(&batch, 0, 1e3, MANY), JUDGE_BATCHES);
    ck_assert_double_eq(judge_batch_call_ns(&batch, 0), 108e3 / 128);
}
