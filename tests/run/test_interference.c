/* test_interference.c - what other processes do is reported where the interval of a case does not
 * allow for it. */
#include "tests/check_main.h"

#include "core/run/machine.h"

#include <sys/wait.h>
#include <time.h>

#define BUSY(words) "the machine was busy: " words "; the interval tolerates 1 %"
#define WAITED BUSY("its threads waited 10 % of their runnable time")
static const struct busy_case {
    const char *clock;
    double half;                        /* of the interval, as a share; 0: none */
    double own, others, stolen, waited; /* shares of the time; of one processor, of all, of all */
    const char *words;
} cases[] = {
    {"wall", 0.01, 1, 0.05, 0, 0, ""},
    {"wall", 0.01, 1, 0.2, 0, 0, BUSY("other processes had 20 % of the processors")},
    {"wall", 0.5, 1, 0.2, 0, 0, ""},
    {"wall", 0.01, 0.9, 0, 0, 0.1, WAITED},
    {"wall", 0.2, 0.9, 0, 0, 0.1, ""},
    {"wall", 0, 0.9, 0, 0, 0.1, WAITED},
    {"wall", 0.01, 1, 0, 0.03, 0, BUSY("other guests of the host 3 %")},
    {"kernel", 0.01, 0.5, 1, 0.5, 0.5, ""}, /* these clocks do not see it */
    {"thread", 0.01, 0.5, 1, 0.5, 0.5, ""},
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
    CLEANUP(text_free) struct text words = {0};
    ck_assert(interference_matters(&record, &words) == (*busy->words != 0));
    ck_assert_str_eq(text_get(&words), busy->words);
    record.interference.is_known = false;
    ck_assert(!interference_matters(&record, &words));
}

/* Burns processor time for so long. */
static void burn(double seconds)
{
    const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < end)
        continue;
}

/* Processor times are counted, those of all are a sum over the machine: no load changes that the
 * own are no part of the others'. */
TEST(own_time_is_not_that_of_others)
{
    struct interference begin, end;
    struct interference_record found;
    interference_begin(&begin);
    burn(0.2);
    interference_end(&begin, &found);
    interference_begin(&end);
    ck_assert(found.is_known);
    ck_assert_double_gt(found.sampled_ns, 0);
    ck_assert_double_ge(found.own_cpu_ns, 190e6);
    /* what follows is as sure as that both read the same counters of the system, by ticks */
    ck_assert_double_le(found.others_cpu_ns + found.own_cpu_ns,
                        end.all_cpu_ns - begin.all_cpu_ns + 100e6);
}

/* A child of the parent that burned; it has ended and is not waited for until the run's worker,
 * its other child, has read what it counts. */
TEST(nor_is_that_of_siblings)
{
    int found[2], begun[2], ended[2];
    double siblings_ns = 0;
    char byte = 0;
    ck_assert(pipe(found) == 0 && pipe(begun) == 0 && pipe(ended) == 0);
    const pid_t parent = fork();
    if (parent == 0) {
        siginfo_t info;
        const pid_t sibling = fork();
        if (sibling == 0) {
            burn(read(begun[0], &byte, 1) == 1 ? 0.3 : 0);
            _exit(0);
        }
        const pid_t worker = fork();
        if (worker == 0) {
            struct interference begin, end;
            interference_begin(&begin);
            if (write(begun[1], &byte, 1) != 1 || read(ended[0], &byte, 1) != 1)
                _exit(1);
            interference_begin(&end);
            siblings_ns = end.siblings_cpu_ns - begin.siblings_cpu_ns;
            _exit(write(found[1], &siblings_ns, sizeof siblings_ns) != sizeof siblings_ns);
        }
        waitid(P_PID, (id_t)sibling, &info, WEXITED | WNOWAIT);
        if (write(ended[1], &byte, 1) == 1)
            waitpid(worker, NULL, 0);
        _exit(0);
    }
    ck_assert_int_eq(read(found[0], &siblings_ns, sizeof siblings_ns), sizeof siblings_ns);
    ck_assert_double_ge(siblings_ns, 0.25e9);
    ck_assert_double_le(siblings_ns, 0.4e9);
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
}
