/* test_sides.c - comparisons of two callbacks and of rounds by gbrun/measure.h, and results files
 * of calls. */
#include "tests/library/measure_fixture.h"

#include <sys/wait.h>

TEST_FIXTURE(go_to_folder, NULL)

#define VISITS "device = fake\npolicy = fixed\nsamples = 20\nvisit = 2 s\n"

/* A comparison of two ends so; as expect. */
static const struct gbrun_comparison *compared(struct work works[2], const char *settings,
                                               int32_t status, const char *words)
{
    static const struct gbrun_comparison *kept;
    const struct gbrun_subject base = subject_of(&works[0]), other = subject_of(&works[1]);
    find_fakes();
    gbrun_comparison_free(kept);
    kept = gbrun_compare(&base, &other, settings);
    ck_assert_msg(kept->status == status && strstr(kept->error, words), "%d: %s", kept->status,
                  kept->error);
    return kept;
}

static int32_t run_twice(void *user, void *stream, uint64_t iterations)
{
    fake_current()->stretch = 2;
    return run(user, stream, iterations);
}

TEST(two_that_differ)
{
    struct work works[2] = {{0}, {.of.run = run_twice}};
    const struct gbrun_comparison *found = compared(works, VISITS "margin = 5%", GB_OK, "");
    ck_assert_int_eq(found->verdict, GBRUN_SLOWER);
    ck_assert_str_eq(found->verdict_text, "slower");
    ck_assert(found->ratio > 1.05 && found->ratio_low > 1 && found->ratio_low <= found->ratio &&
              found->ratio <= found->ratio_high);
    ck_assert_uint_ge(found->n_rounds, 4);
    ck_assert_double_eq(found->margin, 0.05);
    for (uint64_t i = 0; i < found->n_rounds; i++)
        ck_assert(found->base_rounds_ns[i] > 0 && found->new_rounds_ns[i] > 0);
    ck_assert_uint_eq(found->base_result->n_samples, 20);
    ck_assert_uint_eq(found->new_result->n_samples, 20);
}

/* In blocks of two rounds with either order, at random which comes first: ba ab, ab ba, ba. */
TEST(visits_alternate_until_the_last_round)
{
    struct work works[2] = {{.words = "a"}, {.words = "b"}};
    ck_assert_uint_eq(compared(works, VISITS "margin = 0\nmax_rounds = 5", GB_OK, "")->n_rounds, 5);
    ck_assert_str_eq(order, "bababab");
}

static const struct {
    const char *settings, *words;
} ab_mistakes[] = {
    {VISITS "margin = 1 s", "settings:5:10: "},
    {VISITS "margni = 1%", "unknown key 'margni'; did you mean 'margin'?"},
    {VISITS "max_time = 1 s", "settings:5:1: 'max_time': of a comparison each visit has a time"},
    {VISITS "max_rounds = 3", "settings:5:14: "},
    {VISITS "rounds = 3", "settings:5:1: 'rounds': a comparison chooses their number"},
    {VISITS "base = x", "settings:5:1: unknown key 'base'"},
};

TEST_EACH(mistakes_in_comparisons, ab_mistakes)
{
    struct work works[2] = {{0}};
    ck_assert(
        isnan(compared(works, ab_mistakes[_i].settings, GB_INVALID, ab_mistakes[_i].words)->ratio));
    ck_assert_uint_eq(works[0].n_runs + works[1].n_runs, 0);
}

TEST(a_side_that_fails)
{
    struct work works[2] = {{0}, {.fail_at = 30, .words = "out of luck"}};
    const struct gbrun_comparison *found = compared(works, VISITS, GB_FAILED, "");
    ck_assert_str_eq(found->error, "new: out of luck");
    ck_assert_str_eq(found->verdict_text, "unclear");
    ck_assert_str_eq(found->new_result->error, "out of luck");
}

/* Rounds of a file, a program or other processes: undecided until there are enough of them. */
static const struct {
    double factor;
    uint64_t n;
    const char *settings;
    int32_t verdict;
    bool goes_on;
} measured_before[] = {
    {1.02, 26, "", GBRUN_UNCLEAR, true}, {1.02, 26, "max_rounds = 26", GBRUN_UNCLEAR, false},
    {1.02, 27, "", GBRUN_SLOWER, false}, {1.02, 27, "margin = 5%", GBRUN_CHANGED, false},
    {0.5, 4, "", GBRUN_FASTER, false},   {1, 4, "", GBRUN_SAME, false},
    {1, 2, "", GBRUN_UNCLEAR, true},
};

TEST_EACH(rounds_measured_before, measured_before)
{
    double base[27], new[27];
    find_fakes();
    for (size_t i = 0; i < 27; i++) {
        base[i] = 1000 + (double)(i % 3);
        new[i] = measured_before[_i].factor *base[i];
    }
    const struct gbrun_comparison *found = gbrun_compare_rounds(base, new, measured_before[_i].n, 0,
                                                                measured_before[_i].settings);
    ck_assert_msg(found->status == GB_OK, "%s", found->error);
    ck_assert_int_eq(found->verdict, measured_before[_i].verdict);
    ck_assert_uint_eq(found->flags, measured_before[_i].goes_on ? GBRUN_GOES_ON : 0);
    ck_assert_uint_eq(found->n_rounds, measured_before[_i].n);
    gbrun_comparison_free(found);
    base[1] = 0;
    found = gbrun_compare_rounds(base, new, 4, 0, "");
    ck_assert_int_eq(found->status, GB_INVALID);
    ck_assert_str_eq(found->error, "base: a round takes no time above 0");
    gbrun_comparison_free(found);
    found = gbrun_compare_rounds(new, new, 4, 0, "margn = 1");
    ck_assert_int_eq(found->status, GB_INVALID);
    ck_assert_ptr_nonnull(strstr(found->error, "unknown key 'margn'"));
    gbrun_comparison_free(found);
}

TEST(a_side_that_is_not_there)
{
    struct work work = {0};
    const struct gbrun_subject base = subject_of(&work);
    const struct gbrun_comparison *found = gbrun_compare(&base, NULL, "device = cpu");
    ck_assert_int_eq(found->status, GB_INVALID);
    ck_assert_str_eq(found->error, "new: gbrun_compare: the subject is NULL");
    ck_assert_ptr_null(found->base_result);
    gbrun_comparison_free(found);
    gbrun_comparison_free(NULL);
}

/* ---- results files ---- */

TEST(results_are_appended)
{
    find_fakes();
    struct work work = {0}, sides[2] = {{0}}, failing = {.fail_at = 1, .words = "out of luck"};
    for (int i = 0; i < 5; i++) {
        char settings[1200];
        snprintf(settings, sizeof settings,
                 QUICK "results = x.gbr\nname = %s\nlet.n = %d\nlabel.branch = main",
                 i == 4 ? "other" : "one", i / 2);
        expect(measure(i == 4 ? &failing : &work, settings), i == 4 ? GB_FAILED : GB_OK, "");
    }
    ck_assert_str_eq(exported("export --columns bench,n,round,n_samples,status --run all "
                              "--format csv x.gbr"),
                     "bench,n,round,n_samples,status one,0,0,20,ok one,0,1,20,ok one,1,0,20,ok "
                     "one,1,1,20,ok other,2,0,0,failed ");
    ck_assert_ptr_nonnull(strstr(exported("list runs --format csv x.gbr"), "branch=main"));
    gbrun_release(); /* the next call begins a run of its own */
    sound(measure(&work, "device = fake\npolicy = median_ci\nmin_samples = 30\nresults = z.gbr"));
    ck_assert_str_eq(exported("export --columns round,verdict z.gbr --where 'round > 5'"),
                     "round,verdict 6,certified in this visit 7,certified in this visit ");
    ck_assert_str_eq(exported("export --rows combined --columns n_rounds,verdict z.gbr"),
                     "n_rounds,verdict 8,certified in this visit ");
    compared(sides, VISITS "results = y.gbr\nmax_rounds = 4", GB_OK, "");
    ck_assert_ptr_nonnull(
        strstr(exported("compare y.gbr --by side --base base --format csv"), "measure,"));
    sound(measure(&work, QUICK "results = x.gbr"));
    ck_assert_ptr_nonnull(
        strstr(exported("export --columns run,bench --run all x.gbr"), "2,measure "));
}

TEST(processes_that_name_a_run_add_to_it)
{
    struct work work = {0};
    const char *settings = QUICK "results = shared.gbr\nname = %s\n"
                                 "run = 01234567-89ab-cdef-0123-456789abcdef";
    static const char *const names[] = {"a.py::one", "two", "a.py::one"};
    for (int i = 0; i < 3; i++) {
        char text[400];
        int status = 0;
        snprintf(text, sizeof text, settings, names[i]);
        if (i == 1 && fork() != 0) {
            ck_assert(wait(&status) > 0 && status == 0);
            continue;
        }
        sound(measure(&work, text));
        if (i == 1)
            _exit(0);
    }
    ck_assert_str_eq(
        exported(
            "export --columns run,run_uuid,bench,position,round,sequence --format csv shared.gbr"),
        "run,run_uuid,bench,position,round,sequence "
        "1,01234567-89ab-cdef-0123-456789abcdef,a.py::one,0,0,0 "
        "1,01234567-89ab-cdef-0123-456789abcdef,a.py::one,0,1,2 "
        "1,01234567-89ab-cdef-0123-456789abcdef,two,1,0,1 ");
}

TEST(a_forked_child_begins_a_run_of_its_own)
{
    struct work work = {0};
    const char *settings = QUICK "results = forked.gbr";
    int status = 0;
    sound(measure(&work, settings));
    if (fork() == 0) {
        sound(measure(&work, settings));
        _exit(0);
    }
    ck_assert(wait(&status) > 0 && status == 0);
    sound(measure(&work, settings));
    ck_assert_str_eq(exported("export --columns run,round --run all forked.gbr"),
                     "run,round 1,0 1,1 2,0 ");
}

TEST(a_results_file_that_cannot_be)
{
    struct work work = {0};
    const struct gbrun_result *result = expect(measure(&work, QUICK "results = /nowhere/x.gbr"),
                                               GB_IO, "/nowhere/x.gbr");
    ck_assert_uint_eq(result->n_samples, 20); /* what was measured is there */
    ck_assert(result->time_ns > 0);
}
