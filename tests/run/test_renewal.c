/* test_renewal.c - core/run/renewal.c: in which rounds the worker is a fresh one, and what that
 * costs. */
#include "core/run/renewal.h"

#include "tests/check_main.h"

#include <math.h>

TEST_FIXTURE(NULL, NULL)

enum { ROUNDS = 8, CASES = 2 };

/* Two cases, one round after the other: how far apart they begin, what to end a worker and to open
 * the device takes, what a visit of the first and of the second case takes beside samples, in a
 * fresh worker and in a used one, and how long samples of the first and of later visits are;
 * whether the second case has more visits than one; whose workers are fresh. */
static const struct {
    double apart_ms, end_ms, open_ms, fresh_ms[CASES], used_ms[CASES], first_ms, later_ms;
    bool has_both;
    const char *fresh;
} runs[] = {
    {0, 0, 4, {1, 1}, {1, 1}, 1000, 50, true, "++++++++"},
    {0, 0, 4, {1, 1}, {1, 1}, 50, 5, true, "+++..+.."}, /* short ones: not each time */
    {0, 0, 4, {21, 21}, {20, 20}, 50, 5, true, "+.++++++"},
    {0, 0, 4, {1, 5000}, {1, 1}, 1000, 50, true, "+......."},  /* a library that loads for long */
    {0, 0, 4, {1, 5000}, {1, 1}, 1000, 50, false, "++++++++"}, /* for one that has no further visit
                                                                */
    {0, 0, 300, {50, 50}, {50, 50}, 1000, 100, true, "++..+..."},
    {0, 0, 300, {50, 50}, {50, 50}, 2000, 150, true, "+++....."},
    {0, 150, 150, {50, 50}, {50, 50}, 2000, 150, true, "+++....."},
    {1000, 0, 300, {50, 50}, {50, 50}, 1000, 50, true, "++++++++"}, /* while rounds wait */
    {1000, 500, 900, {50, 50}, {50, 50}, 1000, 50, true, "+.+.+..."},
    {0, 0, 0, {0, 0}, {0, 0}, 1, 1, true, "++++++++"},
};

TEST_EACH(rounds_with_a_fresh_worker, runs)
{
    struct renewal renewal = {0};
    struct renewal_case cases[CASES] = {0};
    const bool first_alone[CASES] = {true, false};
    char fresh[ROUNDS + 1] = "";
    double now_ns = 1e9, spent_ns = 0, begin_ns = -INFINITY;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool *open = round > 0 && !runs[_i].has_both ? first_alone : NULL;
        const double slack_ns = fmax(0, begin_ns + 1e6 * runs[_i].apart_ms - now_ns);
        begin_ns = now_ns += slack_ns;
        const bool is_fresh = round == 0 ||
                              renewal_is_due(&renewal, cases, open, CASES, round, now_ns, slack_ns);
        ck_assert(!renewal_is_due(&renewal, cases, open, CASES, round, now_ns, slack_ns) ||
                  round == 0);
        fresh[round] = is_fresh ? '+' : '.';
        const double end_ns = round > 0 && is_fresh ? 1e6 * runs[_i].end_ms : 0;
        if (is_fresh) {
            now_ns += end_ns;
            renewal_end(&renewal, now_ns);
            renewal_start(&renewal, round, now_ns + (round > 0 ? 1e9 : 0)); /* after a lock */
        }
        spent_ns += end_ns - (round > 0 && is_fresh ? slack_ns : 0);
        for (int i = 0; i < CASES && (i == 0 || !open); i++) {
            const double open_ns = is_fresh && i == 0 ? 1e6 * runs[_i].open_ms : 0;
            const double ms = is_fresh ? runs[_i].fresh_ms[i] : runs[_i].used_ms[i];
            renewal_visit(&renewal, &cases[i], round, open_ns, open_ns + 1e6 * ms);
            spent_ns += round > 0 ? open_ns + 1e6 * (ms - runs[_i].used_ms[i]) : 0;
            now_ns += open_ns + 1e6 * (ms + (round > 0 ? runs[_i].later_ms : runs[_i].first_ms));
        }
    }
    ck_assert_str_eq(fresh, runs[_i].fresh);
    ck_assert_double_le(spent_ns, RENEWAL_SHARE_FEW * (now_ns - 1e9));
}
