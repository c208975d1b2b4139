/* test_call_outputs.c - what a callback computed, compared in a call of gbrun/measure.h. */
#include "tests/library/measure_fixture.h"

TEST_FIXTURE(go_to_folder, NULL)

static const double exact[] = {1, 2, 3}, same[] = {1, 2, 3}, off[] = {1, 2 + 1e-9, 3};
static const double far[] = {1, 2.001, 3}, undefined[] = {1, NAN, 3};
static const float sums[] = {1, 2.0000005f, 3};
static const int64_t whole[] = {1, INT64_C(1) << 60, 3}, equal[] = {1, INT64_C(1) << 60, 3};
static const int64_t other[] = {1, (INT64_C(1) << 60) + 1, 3};

#define CHECK(element, with, ...)                                                                  \
    {                                                                                              \
        sizeof(struct gb_check), .format = element, .n = 3, .output = with, __VA_ARGS__            \
    }
#define F64(with) CHECK(GB_F64, with, .reference = exact)
#define SUMS(of) CHECK(GB_F32, sums, .reference = of, .magnitude = exact, .n_products = 4)

/* Without settings the tolerance is derived, of float64 8 * 2^-53 = 8.9e-16. */
static const struct {
    struct gb_check check;
    const char *settings;
    int32_t status;
    const char *words, *metric; /* the metric that judged it has a tolerance; NULL: none judged */
} comparisons_made[] = {
    {F64(same), "", GB_OK, "", "rms"},
    {F64(off), "", GB_WRONG_RESULT, "output: rms", "rms"},
    {F64(off), "check.rms = 1e-6", GB_OK, "", "rms"},
    {F64(off), "check.abs = 1e-10", GB_WRONG_RESULT, "output: abs", "abs"},
    {F64(undefined), "check.rms = 1", GB_WRONG_RESULT, "got nan", "rms"},
    {F64(same), "check.rmz = 1", GB_INVALID, "check.rmz", NULL},
    {CHECK(GB_I64, whole, .reference_exact = equal), "", GB_OK, "", "abs"},
    {CHECK(GB_I64, whole, .reference_exact = other), "", GB_WRONG_RESULT, "output: ", "abs"},
    {SUMS(exact), "", GB_OK, "", "bound"},
    {SUMS(far), "", GB_WRONG_RESULT, "bound", "bound"},
    {{.n = 3}, "", GB_FAILED, "too short", NULL},
};

static const struct gb_check *to_compare;
static int n_verified;

static int32_t compare_outputs(void *user, void *stream)
{
    n_verified++;
    return gbrun_check(to_compare);
}

TEST_EACH(outputs_are_compared, comparisons_made)
{
    struct work work = {.of.verify = compare_outputs};
    const char *metric = comparisons_made[_i].metric;
    char settings[200];
    bool is_found = false;
    to_compare = &comparisons_made[_i].check;
    snprintf(settings, sizeof settings, QUICK "%s", comparisons_made[_i].settings);
    const struct gbrun_result *found = expect(measure(&work, settings), comparisons_made[_i].status,
                                              comparisons_made[_i].words);
    ck_assert_int_eq(n_verified, found->status != GB_INVALID);
    ck_assert_int_eq(found->n_checks > 0, metric != NULL);
    ck_assert_int_eq(found->time_ns > 0, metric != NULL);
    for (uint64_t i = 0; i < found->n_checks; i++) {
        ck_assert_str_eq(found->checks[i].name, "output");
        is_found |= strcmp(found->checks[i].metric, metric) == 0 &&
                    found->checks[i].tolerance >= (to_compare->format == GB_I64 ? 0 : 1e-30);
        if (strcmp(found->checks[i].metric, "abs") == 0 && to_compare->output == off) {
            ck_assert_double_eq(found->checks[i].value, off[1] - 2);
            ck_assert_uint_eq(found->checks[i].index, 1);
            ck_assert_double_eq(found->checks[i].output, off[1]);
        }
    }
    ck_assert_int_eq(is_found, metric != NULL);
    ck_assert_int_eq(gbrun_check(to_compare), GB_INVALID); /* outside of a call */
}

/* Of a benchmark with inputs that are renewed. */
static int64_t input, output, first_output;
static int n_renewed;

static int32_t renew(void *user, void *stream, uint64_t number)
{
    n_renewed++;
    input = (int64_t)(number % 1000) + 1;
    return GB_OK;
}

static int32_t triple(void *user, void *stream, uint64_t iterations)
{
    output = 3 * input;
    return GB_OK;
}

static int32_t triple_once(void *user, void *stream, uint64_t iterations)
{
    first_output = first_output ? first_output : 3 * input;
    output = first_output;
    return GB_OK;
}

static int32_t compare_triple(void *user, void *stream)
{
    return output == 3 * input ? gbrun_checked("triple", 1, "")
                               : gbrun_checked("triple", 0, "kept from before");
}

static const struct {
    int32_t (*run)(void *user, void *stream, uint64_t iterations);
    const char *settings;
    int32_t status;
    const char *words;
    bool renews;
} renewals[] = {
    {triple, "", GB_OK, "", true},
    {triple, "verify = end", GB_OK, "", false},
    {triple_once, "verify = end", GB_OK, "", false},
    {triple_once, "", GB_WRONG_RESULT, "kept from before", true},
    {triple, "inputs = 2", GB_INVALID, "no sets of inputs", false},
    {triple, "verify = judge", GB_FAILED, "callback", false},
};

TEST_EACH(inputs_are_renewed, renewals)
{
    struct work work = {.of = {.flags = GBRUN_SINGLE,
                               .run = renewals[_i].run,
                               .verify = compare_triple,
                               .refresh = renew}};
    char settings[200];
    input = 1;
    snprintf(settings, sizeof settings, QUICK "%s", renewals[_i].settings);
    expect(measure(&work, settings), renewals[_i].status, renewals[_i].words);
    ck_assert_int_eq(n_renewed > 0, renewals[_i].renews);
}

static int32_t compare_itself(void *user, void *stream)
{
    return gbrun_checked("order", 0, "not sorted");
}

TEST(comparisons_are_in_results_files)
{
    struct work work = {.of.verify = compare_itself};
    expect(measure(&work, QUICK "results = compared.gbr"), GB_WRONG_RESULT, "not sorted");
    ck_assert_int_eq(gbrun_checked("order", 1, ""), GB_INVALID);
    ck_assert_str_eq(exported("export --columns status,verified,status_text compared.gbr"),
                     "status,verified,status_text wrong result,failed,order: not sorted ");
}
