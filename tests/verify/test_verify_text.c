/* test_verify_text.c - core/verify/verify_text.c: what is refused. Other messages are with the
 * comparisons of test_verify.c. */
#include "tests/verify/verify_fixture.h"

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
