/* test_further_visits.c - core/run/repeats.c: whether a case that has as many visits as it needs
 * gets another one. */
#include "core/run/repeats.h"

#include "core/base/rounds.h"
#include "tests/check_main.h"

TEST_FIXTURE(NULL, NULL)

/* Visits of 1 s of samples each, slower by so much from one to the next; a further one may take 4 %
 * of max_time. */
static const struct {
    double slower;
    size_t n;
    double max_time_ns;
    bool is_open;
} visits_so_far[] = {
    {0, 1, 1e10, true},
    {0, ROUNDS_LEAST - 1, 1e10, true},
    {0, ROUNDS_LEAST, 1e10, false},  /* they agree */
    {0.1, ROUNDS_LEAST, 1e10, true}, /* they differ */
    {0.1, ROUNDS_LEAST, 8.4e9, true},
    {0.1, ROUNDS_LEAST, 8.3e9, false}, /* which a further one would exceed */
    {0.1, ROUNDS_MOST, 1e12, false},
};

/* Seconds since the first round ended, and of the whole run; how long the round waits. */
static const struct {
    uint32_t round;
    double since, run, wait;
} waits[] = {
    {ROUNDS_LEAST - 1, 6, 20, 0.65}, {ROUNDS_LEAST - 1, 6, 6.4, 0}, /* which is more than a tenth */
    {ROUNDS_LEAST - 1, 8, 20, 0},    {ROUNDS_LEAST - 2, 5, 20, 0},  /* another one follows */
    {ROUNDS_MOST - 1, 10, 20, 0.45},
};

TEST_EACH(the_last_round_waits_for_what_its_visits_lack, waits)
{
    ck_assert_double_eq_tol(
        repeats_wait_ns(waits[_i].round, 1e9 * waits[_i].since, 1e9 * waits[_i].run) / 1e9,
        waits[_i].wait, 1e-9);
}

TEST_EACH(a_case_is_visited_again, visits_so_far)
{
    struct outcome visits[ROUNDS_MOST];
    for (size_t i = 0; i < ROUNDS_MOST; i++) {
        const double value = 1000 * (1 + visits_so_far[_i].slower * (double)i);
        visits[i] = (struct outcome){.status = CASE_OK,
                                     .value = value,
                                     .low_ns = value - 1,
                                     .high_ns = value + 1,
                                     .verdict = GB_VERDICT_CERTIFIED,
                                     .precision = 0.01,
                                     .confidence = 0.95,
                                     .begun_ns = 1e10 * (double)i,
                                     .sampled_ns = 1e9};
    }
    ck_assert_int_eq(repeats_is_open(visits, visits_so_far[_i].n, visits_so_far[_i].max_time_ns),
                     visits_so_far[_i].is_open);
}
