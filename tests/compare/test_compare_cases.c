/* test_compare_cases.c - core/compare/compare.h: which cases belong together, verdicts, refusals,
 * formats. */
#include "core/compare/compare_text.h"
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

static const struct compare_options usual = {.margin = 0.01, .confidence = 0.95, .metric = ""};

#define METRICS                                                                                    \
    "INSERT INTO metric SELECT case_id, 0, 'instructions', 100 * number, '' FROM parameter;"       \
    "INSERT INTO metric SELECT id, 1, 'rate', 1e9 / estimate_ns, 'items/s' FROM bench_case;"

/* Run 1 of old.gbr and run 2 of new.gbr, made anew, in which statements change something. */
static void make_runs(const char *from, const char *to, const char *sql)
{
    unlink(fixture_path("old.gbr"));
    unlink(fixture_path("new.gbr"));
    views_make("old.gbr", 1, from, METRICS);
    views_make("new.gbr", 2, to, METRICS);
    fixture_change("new.gbr", sql);
}

static int32_t add_run(struct compare *compare, const char *file, struct gb_error *error)
{
    struct store *store = fixture_open(file, STORE_READ);
    int32_t status = compare_add_run(compare, store, file, "newest", file, error);
    fixture_close(store);
    return status;
}

static struct compare *compare_files(const struct compare_options *options, int32_t expected)
{
    struct gb_error error = {0};
    struct compare *compare = compare_new(options);
    int32_t status = add_run(compare, "old.gbr", &error);
    if (status == GB_OK)
        status = add_run(compare, "new.gbr", &error);
    if (status == GB_OK)
        status = compare_finish(compare, &error);
    ck_assert_msg(status == expected, "%d: %s", status, error.text);
    return compare;
}

/* "streams streams=1: slower\n" ... */
static void expect_verdicts(struct compare *compare, const char *expected)
{
    CLEANUP(text_free) struct text words = {0};
    const struct compare_against *against = &compare_result(compare)->against[0];
    for (size_t i = 0; i < against->n; i++)
        text_printf(&words, "%s: %s%s%s\n", against->cases[i].label,
                    compared_word(against->cases[i].result.verdict),
                    *against->cases[i].note ? ", " : "", against->cases[i].note);
    ck_assert_str_eq(text_get(&words), expected);
}

static const char old_run[] = "1e6,1.001e6,.999e6 streams +streams=1\n"
                              "2e6,2.002e6,1.998e6 streams +streams=2\n"
                              "3e6,3.003e6,2.997e6 streams +streams=3\n"
                              "4e6,4.004e6,3.996e6 streams +streams=4\n"
                              "5e6,5.005e6,4.995e6 streams +streams=5\n"
                              "6e6,6.2e6,5.8e6 streams +streams=6\n" /* too noisy to tell */
                              "7e6,! streams +streams=7\n"
                              "! streams +streams=8\n"
                              "- streams +streams=9\n"
                              "1e6,- streams +streams=10\n";
static const char new_run[] = "1.05e6,1.05105e6,1.04895e6 streams +streams=1\n"
                              "1.8e6,1.8018e6,1.7982e6 streams +streams=2\n"
                              "3.0001e6,3.0031001e6,2.9970999e6 streams +streams=3\n"
                              "4e6,4.004e6,3.996e6,! streams +streams=4\n"
                              "6.1e6,6.2e6,5.8e6 streams +streams=6\n"
                              "7e6,7.007e6,6.993e6 streams +streams=7\n"
                              "! streams +streams=8\n"
                              "9e6 streams +streams=9\n"
                              "1.2e6 streams +streams=10\n"
                              "1e6,1.001e6,.999e6 streams +streams=11\n";

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(formats_are_as_they_were)
{
    static const char *const goldens[] = {"compare.txt",  "compare.md",    "compare.csv",
                                          "compare.json", "compare.junit", "compare.github"};
    make_runs(old_run, new_run, SET "status = 'timed out', status_text = '' WHERE position = 6");
    fixture_change("old.gbr",
                   SET "status = 'cancelled', done = 0 WHERE position = 9 AND round = 1");
    struct compare *compare = compare_files(&usual, GB_OK);
    for (int format = 0; format < COMPARE_FORMATS; format++) {
        CLEANUP(text_free) struct text text = {0};
        compare_write(compare_result(compare), format, false, 80, false, &text);
        views_expect_golden(goldens[format], text_get(&text));
    }
    const struct compare_against *against = &compare_result(compare)->against[0];
    ck_assert_int_eq(compare_exit_code(compare_result(compare), false), 3);
    ck_assert_uint_eq(against->mean.n, 5);
    ck_assert_double_eq_tol(exp(against->cases[0].result.theta), 1.05, 1e-9);
    ck_assert_double_eq_tol(against->cases[0].base_value, 1e6, 2);
    ck_assert(isnan(against->cases[3].result.theta)); /* no ratio of a case that fails */
    compare_free(compare);
}

#define USUAL "1e6,1.001e6,.999e6 streams +streams=1\n"
#define SLOWER "1.1e6,1.1011e6,1.0989e6 streams +streams=1\n"
#define TWO USUAL "1e6,1.001e6,.999e6 streams +streams=2\n"
static const struct {
    const char *from, *to;
    int code, strict_code;
} exits[] = {
    {USUAL, USUAL, 0, 0},
    {USUAL, SLOWER, 3, 3},
    {SLOWER, USUAL, 0, 0},
    {USUAL, "! streams +streams=1", 3, 3},
    {"! streams +streams=1", "! streams +streams=1", 1, 1},
    {"! streams +streams=1", USUAL, 1, 1}, /* fixed, and nothing was compared */
    {USUAL, "1e6,1.1e6,.9e6 streams +streams=1", 0, 3},
    {TWO, USUAL, 3, 3},
    {USUAL, TWO, 0, 0},
    {"- streams +streams=1", "- streams +streams=1", 1, 3},
    {"", "", 1, 1},
    {USUAL, "", 3, 3},
};

TEST_EACH(exit_codes_say_what_matters, exits)
{
    make_runs(exits[_i].from, exits[_i].to, "");
    struct compare *compare = compare_files(&usual, GB_OK);
    ck_assert_int_eq(compare_exit_code(compare_result(compare), false), exits[_i].code);
    ck_assert_int_eq(compare_exit_code(compare_result(compare), true), exits[_i].strict_code);
    compare_free(compare);
}

TEST(a_renamed_section_is_found_by_its_uid)
{
    make_runs(USUAL, "1e6,1e6 streams +streams=1\n", SET "bench = 'other'");
    struct compare *compare = compare_files(&usual, GB_OK);
    expect_verdicts(compare, "streams streams=1: same\n");
    compare_free(compare);
}

TEST(another_device_is_unclear_unless_it_is_forced)
{
    struct compare_options forced = usual;
    forced.is_forced = true;
    make_runs(USUAL, "1e6,1e6 streams +streams=1\n",
              "UPDATE device SET model = 'Example CPU 1'; UPDATE bench_case SET uid = 'another'");
    struct compare *compare = compare_files(&usual, GB_OK);
    const struct compared *unclear = &compare_result(compare)->against[0].cases[0];
    ck_assert_int_eq(unclear->result.verdict, COMPARED_UNCLEAR);
    ck_assert_str_eq(unclear->note,
                     "another device model (Example CPU 1, the base has Example CPU 9000)");
    ck_assert(isfinite(unclear->result.theta)); /* it is shown */
    ck_assert_int_eq(compare_exit_code(compare_result(compare), false), 0);
    ck_assert_int_eq(compare_exit_code(compare_result(compare), true), 3);
    compare_free(compare);
    compare = compare_files(&forced, GB_OK);
    const struct compare_against *against = &compare_result(compare)->against[0];
    ck_assert_uint_eq(against->n, 1);
    ck_assert_str_eq(against->cases[0].conflict, "device model");
    ck_assert_uint_eq(against->n_differences, 1);
    ck_assert_str_eq(against->differences[0], "device model: Example CPU 9000, now Example CPU 1");
    compare_free(compare);
}

TEST(another_clock_is_refused)
{
    make_runs(USUAL, "1e6 streams +streams=1\n",
              SET "clock = 'cpu'; UPDATE samples SET name = 'cpu' WHERE name = 'wall'");
    compare_free(compare_files(&usual, GB_INVALID));
}

static struct compare *compare_metric(const char *metric, const char *verdicts)
{
    static struct compare_options options;
    options = usual;
    options.metric = metric;
    struct compare *compare = compare_files(&options, verdicts ? GB_OK : GB_NOT_FOUND);
    if (verdicts)
        expect_verdicts(compare, verdicts);
    return compare;
}

TEST(metrics_have_a_direction)
{
    make_runs(USUAL, "1.2e6,1.2012e6,1.1988e6 streams +streams=1\n", "");
    struct compare *compare = compare_metric("rate", "streams streams=1: slower\n");
    ck_assert_double_eq_tol(exp(compare_result(compare)->against[0].cases[0].result.theta), 1 / 1.2,
                            1e-9);
    compare_free(compare);
    compare = compare_metric("instructions", "streams streams=1: same\n");
    ck_assert(compare_result(compare)->against[0].cases[0].result.is_exact);
    compare_free(compare);
    compare_free(compare_metric("min_ns", "streams streams=1: slower\n"));
    compare_free(compare_metric("nonesuch", NULL));
}

static struct compare *compare_rounds_by(const struct compare_options *options, const char *by,
                                         const char *base, const char *verdicts)
{
    struct gb_error error = {0};
    struct store *store = fixture_open("old.gbr", STORE_READ);
    struct compare *compare = compare_new(options);
    int32_t status = compare_add_by(compare, store, "old.gbr", "newest", by, base, &error);
    fixture_close(store);
    if (status == GB_OK)
        status = compare_finish(compare, &error);
    ck_assert_msg(status == (verdicts ? GB_OK : GB_NOT_FOUND), "%d: %s", status, error.text);
    if (verdicts)
        expect_verdicts(compare, verdicts);
    return compare;
}

static struct compare *compare_by(const char *by, const char *base, const char *verdicts)
{
    return compare_rounds_by(&usual, by, base, verdicts);
}

/* What the sequence leaves open after the last round is judged by all rounds together; what it has
 * decided stays as it was then. */
TEST(a_last_look_is_narrower_than_the_sequence)
{
    static const struct {
        double last_share;
        bool goes_on;
        const char *verdicts;
    } looks[] = {
        {0, false,
         "streams rows=16: unclear, 5 rounds, about 13 would decide\nstreams rows=32: slower\n"},
        {0.8, true,
         "streams rows=16: unclear, 5 rounds, about 18 would decide\nstreams rows=32: slower\n"},
        {0.8, false, "streams rows=16: slower\nstreams rows=32: slower\n"},
    };
    views_make("old.gbr", 1,
               "1e6,1e6,1e6,1e6,1e6 streams +rows=16 +streams=1\n"
               "1.01e6,1.03e6,1.02e6,1.028e6,1.012e6 streams +rows=16 +streams=2\n"
               "1e6,1e6,1e6,1e6,1e6,1e6 streams +rows=32 +streams=1\n"
               "2e6,2.01e6,2.02e6,2.01e6,2e6,9e6 streams +rows=32 +streams=2\n",
               "");
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct compare_options options = usual;
        options.is_sequential = true;
        options.last_share = looks[i].last_share;
        options.goes_on = looks[i].goes_on;
        struct compare *compare = compare_rounds_by(&options, "streams", "1", looks[i].verdicts);
        ck_assert_uint_lt(compare_result(compare)->against[0].cases[1].n_base, 6);
        compare_free(compare);
    }
}

/* Drift that both sides have is not between them. */
TEST(values_of_an_axis_are_paired_by_rounds)
{
    views_make("old.gbr", 1,
               "1e6,1.1e6,1.2e6,1.3e6 streams rows=32 +streams=1\n"
               "1.02e6,1.123e6,1.223e6,9e6 streams rows=32 +streams=2\n",
               SET "round = 4 WHERE position > 0 AND round = 3"); /* which the other lacks */
    struct compare *compare = compare_by("streams", "1", "streams: slower\n");
    const struct compared *c = &compare_result(compare)->against[0].cases[0];
    ck_assert(c->result.is_paired && c->n_base == 3 && c->n_new == 3);
    ck_assert_str_eq(compare_result(compare)->against[0].side->name, "2");
    compare_free(compare);
    compare_free(compare_by("streams", "2", "streams: faster\n"));
    compare_free(compare_by("streams", "3", NULL));
    compare_free(compare_by("nonesuch", "3", NULL));
    compare_free(compare_by("rows", "32", NULL)); /* all have it */
}

TEST(runs_are_selected_by_number_and_name)
{
    struct fact facts[2][2] = {{{"label.commit", "0123456789ab"}, {"host", "a"}},
                               {{"label.commit", "fedcba987654"}, {"host", "a"}}};
    struct stored_run runs[2] = {{.number = 1, .record = {.facts = facts[0], .n_facts = 2}},
                                 {.number = 2, .record = {.facts = facts[1], .n_facts = 2}}};
    static const char *const selected[][6] = {
        {"1", "previous", "commit=0123456789ab", "commit=0123456"},
        {"2", "newest", "host=a", "label.commit=fedcba9"},
        {"3", "0", "x", "", "commit=", "commit=012345"}, /* none */
    };
    struct gb_error error;
    size_t found;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 6 && selected[i][j]; j++) {
            found = 2;
            run_select(runs, 2, "f.gbr", selected[i][j], &found, &error);
            ck_assert_msg(found == i, "%s: %zu", selected[i][j], found);
        }
    ck_assert_int_eq(run_select(runs, 1, "f.gbr", "previous", &found, &error), GB_NOT_FOUND);
}
