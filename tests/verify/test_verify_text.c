/* test_verify_text.c - core/verify/verify_text.c: each message, and what is refused. */
#include "tests/verify/verify_fixture.h"

static const struct {
    int metric;
    double tolerance;
    const char *text;
} descriptions[] = {
    {VERIFY_ABS, 1e-6, "abs 3e-05 > 1e-06 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ABS, 0.001, "abs 3e-05 <= 0.001 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ABS, NAN, "abs 3e-05 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ABS, 3e-5, "abs 3.004e-05 > 3e-05 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_ULP, 1, "ulp 252 > 1 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_REL, 1e-4, "rel 2e-05 <= 0.0001 at [17]: expected 1.5, got 1.50003"},
    {VERIFY_RMS, 1e-6, "rms 1.25e-06 > 1e-06"},
    {VERIFY_RMS, 0.1, "rms 1.25e-06 <= 0.1"},
};

TEST_EACH(description_of_one_wrong_value, descriptions)
{
    double reference[256];
    float output[256];
    for (int i = 0; i < 256; i++) {
        reference[i] = 1.5;
        output[i] = i == 17 ? 1.50003f : 1.5f;
    }
    struct gb_check check = check_of(GB_F32, 256, output, reference);
    struct verify_result result = compare(&check);
    ck_assert_str_eq(
        description(&result, &check, descriptions[_i].metric, descriptions[_i].tolerance),
        descriptions[_i].text);
    ck_assert_int_eq(
        verify_passes(&result, &check, descriptions[_i].metric, descriptions[_i].tolerance),
        strstr(descriptions[_i].text, "<=") != NULL);
}

TEST(description_is_cut_at_the_buffers_end)
{
    const double reference[] = {1};
    const float output[] = {2};
    char buffer[8] = "xxxxxxx";
    struct gb_check check = check_of(GB_F32, 1, output, reference);
    struct verify_result result = compare(&check);
    verify_describe(&result, &check, VERIFY_ABS, 0, buffer, sizeof buffer);
    ck_assert_str_eq(buffer, "abs 1 >");
}

static double shared[4];
#define ASKED(type, ...)                                                                           \
    {                                                                                              \
        .format = type, .name = "C", .n = 4, __VA_ARGS__                                           \
    }
#define OF_SHARED(...) ASKED(GB_F32, .output = "", .reference = shared, __VA_ARGS__)
static const struct {
    struct gb_check check;
    const char *text;
} refused[] = {
    {{.size = 4}, "check: its size is 4, expected at least 80"},
    {ASKED(77, .output = "", .reference = shared), "check C: unknown number format 77"},
    {OF_SHARED(.accumulate = 78), "check C: unknown number format 78 of the sums"},
    {ASKED(GB_F32, .reference = shared), "check C: the output is NULL"},
    {{.format = GB_F32, .n = 4, .output = ""}, "check output: the reference is NULL"},
    {ASKED(GB_F64, .output = shared, .reference = shared),
     "check C: the output is its own reference"},
    {ASKED(GB_I64, .output = shared, .reference_exact = shared),
     "check C: the output is its own reference"},
    {OF_SHARED(.safety = -1), "check C: the safety is -1, expected 0.001 to 1e+06"},
    {OF_SHARED(.safety = NAN), "check C: the safety is nan, expected 0.001 to 1e+06"},
    {OF_SHARED(.bound = 3), "check C: unknown bound 3"},
    {OF_SHARED(.summation = 3), "check C: unknown summation 3"},
};

TEST_EACH(broken_requests_are_refused, refused)
{
    struct gb_check check = refused[_i].check;
    check.size = check.size ? check.size : sizeof check;
    struct verify_result result;
    struct gb_error error = {0};
    ck_assert_int_eq(verify_compare(&check, 1e-3, &result, &error), GB_INVALID);
    ck_assert_int_eq(error.status, GB_INVALID);
    ck_assert_str_eq(error.text, refused[_i].text);
}
