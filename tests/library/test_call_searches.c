/* test_call_searches.c - the best of some cases, which the program measures, by gbrun/measure.h. */
#include "tests/check_main.h"

#include <gbrun/measure.h>

static const char *const sizes[] = {"1", "2", "4", "8", "16"};

/* Case 1 fails; of the others the one in the middle takes least. */
TEST(a_search_finds_the_best_case)
{
    const char *const axes[] = {"size"};
    struct gbrun_search *search = gbrun_search_new(axes, 1, sizes, 5, "seed = 3\nlanes = 2");
    double samples[64];
    uint64_t n = 0, waits = 0;
    for (; gbrun_search_next(search) != GBRUN_SEARCH_ENDED; n += search->n_samples) {
        if (search->action == GBRUN_SEARCH_WAIT) {
            waits++;
            search->n_samples = 0;
            continue;
        }
        ck_assert_uint_le(search->n_samples, 64);
        for (uint64_t i = 0; i < search->n_samples; i++)
            samples[i] = 1000 + 100 * fabs((double)search->i - 2) + (double)((n + i) % 3);
        const bool fails = search->i == 1;
        ck_assert_int_eq(gbrun_search_observe(search, search->proposal, fails, samples,
                                              fails ? 0 : search->n_samples, 0, 1e6),
                         GB_OK);
    }
    ck_assert_msg(search->status == GB_OK, "%s", search->error);
    ck_assert_str_eq(search->scope_text, "all");
    ck_assert_uint_eq(search->best, 2);
    ck_assert_double_eq(search->value_ns, 1001);
    ck_assert(search->low_ns >= 1000 && search->high_ns <= 1002);
    ck_assert_uint_eq(search->n_open, 0);
    ck_assert_uint_eq(search->n_cases, 5);
    ck_assert_uint_ge(n, 4 * 6);
    ck_assert_str_eq(search->reason, "all other cases are ruled out");
    ck_assert_int_eq(gbrun_search_next(search), GBRUN_SEARCH_ENDED); /* and stays so */
    ck_assert_int_eq(gbrun_search_observe(search, 0, 0, samples, 1, 0, 0), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(search->error, "which is not open"));
    gbrun_search_free(search);
}

static const struct {
    uint64_t n_axes, n_cases;
    const char *settings, *words;
} no_searches[] = {
    {0, 5, NULL, "there is no axis"},
    {1, 0, "", "has 0 cases"},
    {1, 6, "", "are the same: size=1"},
    {1, 5, "search = rice", "rice"},
    {1, 5, "tolerance = -1", "settings:1:13: "},
    {1, 5, "\npatence = 3", "settings:2:1: "},
    {1, 5, "goal = max gflops", "the least is best"},
    {1, 5, "[search]", "expected lines KEY = VALUE"},
};

TEST_EACH(searches_that_cannot_be, no_searches)
{
    const char *const axes[] = {"size"};
    const char *const twice[] = {"1", "2", "4", "8", "16", "1"};
    struct gbrun_search *search = gbrun_search_new(
        axes, no_searches[_i].n_axes, twice, no_searches[_i].n_cases, no_searches[_i].settings);
    ck_assert_int_eq(search->status, GB_INVALID);
    ck_assert_msg(strstr(search->error, no_searches[_i].words), "%s", search->error);
    ck_assert_int_eq(gbrun_search_next(search), GBRUN_SEARCH_ENDED);
    ck_assert_uint_eq(search->best, GBRUN_NO_CASE);
    gbrun_search_free(search);
}
