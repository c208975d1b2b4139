/* test_interference.c - what other processes do is reported where the interval of a case does not
 * allow for it. */
#include "tests/check_main.h"

#include "core/run/interference.h"

#include <unistd.h>

static const struct busy_case {
    const char *clock;
    double half;                        /* of the interval, as a share; 0: none */
    double own, others, stolen, waited; /* shares of the time; of one processor, of all, of all */
    const char *words;
} cases[] = {
    {"wall", 0.01, 1, 0.05, 0, 0, NULL},
    {"wall", 0.01, 1, 0.2, 0, 0,
     "the machine was busy: other processes had 20 % of the processors; the interval allows for "
     "1 %"},
    {"wall", 0.5, 1, 0.2, 0, 0, NULL},
    {"wall", 0.01, 0.9, 0, 0, 0.1,
     "the machine was busy: its threads waited 10 % of the time that they could have run; the "
     "interval allows for 1 %"},
    {"wall", 0.2, 0.9, 0, 0, 0.1, NULL},
    {"wall", 0, 0.9, 0, 0, 0.1,
     "the machine was busy: its threads waited 10 % of the time that they could have run; the "
     "interval allows for 1 %"},
    {"wall", 0.01, 1, 0, 0.03, 0,
     "the machine was busy: other guests of the host 3 %; the interval allows for 1 %"},
    {"kernel", 0.01, 0.5, 1, 0.5, 0.5, NULL}, /* these clocks do not see it */
    {"thread", 0.01, 0.5, 1, 0.5, 0.5, NULL},
};

START_TEST(judged)
{
    const struct busy_case *busy = &cases[_i];
    const double sampled_ns = 10e9, all_ns = sampled_ns * (double)sysconf(_SC_NPROCESSORS_ONLN);
    struct case_record record = {.clock = busy->clock,
                                 .has_estimate = true,
                                 .estimate = {.value_ns = 100,
                                              .low_ns = 100 - 100 * busy->half,
                                              .high_ns = 100 + 100 * busy->half},
                                 .interference = {.is_known = true,
                                                  .sampled_ns = sampled_ns,
                                                  .own_cpu_ns = busy->own * sampled_ns,
                                                  .others_cpu_ns = busy->others * all_ns,
                                                  .stolen_ns = busy->stolen * all_ns,
                                                  .waited_cpu_ns = busy->waited * sampled_ns}};
    struct text words = {0};
    ck_assert(interference_matters(&record, &words) == (busy->words != NULL));
    ck_assert_str_eq(text_get(&words), busy->words ? busy->words : "");
    record.interference.is_known = false;
    ck_assert(!interference_matters(&record, &words));
    text_free(&words);
}
END_TEST

START_TEST(own_time_is_not_that_of_others)
{
    struct interference begin;
    struct interference_record found;
    interference_begin(&begin);
    do
        interference_end(&begin, &found);
    while (found.own_cpu_ns < 200e6);
    ck_assert(found.is_known);
    ck_assert_double_ge(found.sampled_ns, 100e6);
    const double all_ns = found.sampled_ns * (double)sysconf(_SC_NPROCESSORS_ONLN);
    ck_assert_double_le(found.others_cpu_ns + found.own_cpu_ns, 1.1 * all_ns + 100e6);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("interference");
    TCase *test = tcase_create("interference");
    suite_add_tcase(suite, test);
    tcase_add_loop_test(test, judged, 0, sizeof cases / sizeof *cases);
    tcase_add_test(test, own_time_is_not_that_of_others);
    return suite;
}
