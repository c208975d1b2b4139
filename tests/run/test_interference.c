/* test_interference.c - what other processes do is reported where the interval of a case does not
 * allow for it. */
#include "tests/check_main.h"

#include "core/run/interference.h"

#include <sys/wait.h>
#include <time.h>
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

TEST_EACH(judged, cases)
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

TEST(own_time_is_not_that_of_others)
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

/* Burns processor time for so long. */
static void burn(double seconds)
{
    const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < end)
        continue;
}

TEST(nor_is_that_of_siblings)
{
    int found[2];
    double siblings_ns = 0;
    ck_assert_int_eq(pipe(found), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        struct interference begin, end;
        if (fork() == 0) {
            burn(0.5);
            _exit(0);
        }
        if (fork() == 0) {
            interference_begin(&begin);
            burn(0.2);
            sleep(2);
            interference_begin(&end);
            siblings_ns = end.siblings_cpu_ns - begin.siblings_cpu_ns;
            _exit(write(found[1], &siblings_ns, sizeof siblings_ns) != sizeof siblings_ns);
        }
        sleep(5); /* what has ended and was not waited for is still a child */
        _exit(0);
    }
    ck_assert_int_eq(read(found[0], &siblings_ns, sizeof siblings_ns), sizeof siblings_ns);
    ck_assert_double_ge(siblings_ns, 0.2e9);
    ck_assert_double_le(siblings_ns, 0.6e9);
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
}
