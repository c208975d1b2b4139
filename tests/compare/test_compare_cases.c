/* test_compare_cases.c - core/compare/compare.h: which cases belong together, verdicts, refusals,
 * formats. */
#include "core/compare/compare_text.h"
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

/* A record of bench streams, streams = axis, in a round. */
struct spec {
    int64_t streams;
    uint32_t round;
    double ns;
    int status;
    const char *bench, *model, *clock;
};

#define AT(streams_, round_, ns_, ...)                                                             \
    {                                                                                              \
        .streams = (streams_), .round = (round_), .ns = (ns_), __VA_ARGS__                         \
    }
#define THREE(streams, ns)                                                                         \
    AT(streams, 0, ns), AT(streams, 1, (ns)*1.001), AT(streams, 2, (ns)*0.999)

static unsigned n_stored;

static void store_spec(struct store *store, int64_t run_id, const struct spec *spec)
{
    struct fixture_case c;
    struct gb_error error;
    struct device_record device = fixture_device_record();
    fixture_case(&c, (unsigned)spec->streams, spec->streams, spec->ns - 9.5);
    fixture_uuid(0xE0, ++n_stored, c.record.uuid);
    c.bench_case.bench = spec->bench ? spec->bench : "streams";
    c.record.sequence = n_stored;
    c.record.round = spec->round;
    c.record.status = spec->status;
    c.record.status_text = spec->status == CASE_CRASHED ? "SIGSEGV" : "";
    c.record.clock = spec->clock ? spec->clock : "wall";
    c.columns[0].name = c.record.clock;
    c.record.n_checks = c.record.n_summaries = 0;
    c.metrics[0] = (struct metric_record){"instructions", 100 * (double)spec->streams, ""};
    c.metrics[1] = (struct metric_record){"rate", 1e9 / spec->ns, "items/s"};
    c.record.n_metrics = 2;
    if (spec->status != CASE_OK)
        c.record.has_estimate = false;
    if (spec->status != CASE_OK)
        c.record.n_samples = c.record.n_columns = 0;
    if (spec->model) {
        device.model = spec->model;
        snprintf(c.record.uid, sizeof c.record.uid, "%032x", 0x100 + (unsigned)spec->streams);
    }
    ck_assert_int_eq(store_device(store, run_id, &device, &c.record.device_id, &error), GB_OK);
    ck_assert_msg(store_case(store, run_id, &c.record, &error) == GB_OK, "%s", error.text);
}

static void store_run(const char *file, unsigned number, const struct spec *specs, size_t n)
{
    struct store *store = fixture_open(file, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, number);
    for (size_t i = 0; i < n; i++)
        store_spec(store, run_id, &specs[i]);
    fixture_end_run(store, run_id);
    fixture_close(store);
}
#define STORE_RUN(file, number, specs)                                                             \
    store_run(file, number, specs, sizeof(specs) / sizeof *(specs))

static const struct compare_options usual = {.margin = 0.01, .confidence = 0.95, .metric = ""};

static int32_t add_run(struct compare *compare, const char *file, const char *run,
                       struct gb_error *error)
{
    struct store *store = fixture_open(file, STORE_READ);
    int32_t status = compare_add_run(compare, store, file, run, file, error);
    fixture_close(store);
    return status;
}

static struct compare *compare_files(const struct compare_options *options, const char *base,
                                     const char *new, int32_t expected)
{
    struct gb_error error = {0};
    struct compare *compare = compare_new(options);
    int32_t status = add_run(compare, base, "newest", &error);
    if (status == GB_OK)
        status = add_run(compare, new, "newest", &error);
    if (status == GB_OK)
        status = compare_finish(compare, &error);
    ck_assert_msg(status == expected, "%d: %s", status, error.text);
    return compare;
}

#define COMPARE_RUNS(options, from, to)                                                            \
    (STORE_RUN("old.gbr", 1, from), STORE_RUN("new.gbr", 2, to),                                   \
     compare_files(options, "old.gbr", "new.gbr", GB_OK))

/* "streams streams=1: slower\n" ... */
static const char *verdicts_of(struct compare *compare)
{
    static char words[2000];
    const struct compare_against *against = &compare_result(compare)->against[0];
    size_t length = 0;
    words[0] = 0;
    for (size_t i = 0; i < against->n; i++)
        length += (size_t)snprintf(words + length, sizeof words - length, "%s: %s%s%s\n",
                                   against->cases[i].label,
                                   compared_word(against->cases[i].result.verdict),
                                   *against->cases[i].note ? ", " : "", against->cases[i].note);
    return words;
}

static const struct spec old_run[] = {
    THREE(1, 1e6),
    THREE(2, 2e6),
    THREE(3, 3e6),
    THREE(4, 4e6),
    THREE(5, 5e6),
    AT(6, 0, 6e6),
    AT(6, 1, 6.2e6),
    AT(6, 2, 5.8e6), /* too noisy to tell */
    AT(7, 0, 7e6),
    AT(7, 1, 7e6, .status = CASE_CRASHED),
    AT(8, 0, 8e6, .status = CASE_CRASHED),
    AT(9, 0, 0, .status = CASE_SKIPPED),
    AT(10, 0, 1e6),
    AT(10, 1, 1e6, .status = CASE_CANCELLED),
};
static const struct spec new_run[] = {
    THREE(1, 1.05e6),
    THREE(2, 1.8e6),
    THREE(3, 3.0001e6),
    THREE(4, 4e6),
    AT(4, 3, 4e6, .status = CASE_CRASHED),
    AT(6, 0, 6.1e6),
    AT(6, 1, 6.2e6),
    AT(6, 2, 5.8e6),
    THREE(7, 7e6),
    AT(8, 0, 8e6, .status = CASE_TIMED_OUT),
    AT(9, 0, 9e6),
    AT(10, 0, 1.2e6),
    THREE(11, 1e6),
};
static const char expected_verdicts[] = "streams streams=1: slower\n"
                                        "streams streams=2: faster\n"
                                        "streams streams=3: same\n"
                                        "streams streams=4: broken, crashed (SIGSEGV)\n"
                                        "streams streams=5: missing\n"
                                        "streams streams=6: unclear, 3 rounds, about 181 would "
                                        "decide\n"
                                        "streams streams=7: fixed, crashed (SIGSEGV)\n"
                                        "streams streams=8: failed, timed out\n"
                                        "streams streams=9: skipped\n"
                                        "streams streams=10: slower, in this visit\n"
                                        "streams streams=11: new\n";

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(each_kind_of_case_has_its_verdict)
{
    struct compare *compare = COMPARE_RUNS(&usual, old_run, new_run);
    ck_assert_str_eq(verdicts_of(compare), expected_verdicts);
    const struct compare_against *against = &compare_result(compare)->against[0];
    ck_assert_int_eq(compare_exit_code(compare_result(compare), false), 3);
    ck_assert_uint_eq(against->mean.n, 5);
    ck_assert_double_eq_tol(exp(against->cases[0].result.theta), 1.05, 1e-9);
    ck_assert_double_eq_tol(against->cases[0].base_value, 1e6, 2);
    ck_assert(isnan(against->cases[3].result.theta)); /* no ratio of a case that fails */
    compare_free(compare);
}

TEST(formats_are_as_they_were)
{
    static const char *const goldens[] = {"compare.txt",  "compare.md",    "compare.csv",
                                          "compare.json", "compare.junit", "compare.github"};
    struct compare *compare = COMPARE_RUNS(&usual, old_run, new_run);
    for (int format = 0; format < COMPARE_FORMATS; format++) {
        CLEANUP(text_free) struct text text = {0};
        compare_write(compare_result(compare), format, false, 80, false, &text);
        views_expect_golden(goldens[format], text_get(&text));
    }
    compare_free(compare);
}

/* What the exit code of two runs of so many records is. */
static void expect_exit(const struct spec *from, size_t n_from, const struct spec *to, size_t n_to,
                        int code, int strict_code)
{
    static unsigned n_files;
    char files[2][32];
    for (int i = 0; i < 2; i++)
        snprintf(files[i], sizeof files[i], "exit%u.gbr", n_files++);
    store_run(files[0], 1, from, n_from);
    store_run(files[1], 2, to, n_to);
    struct compare *compare = compare_files(&usual, files[0], files[1], GB_OK);
    ck_assert_int_eq(compare_exit_code(compare_result(compare), false), code);
    ck_assert_int_eq(compare_exit_code(compare_result(compare), true), strict_code);
    compare_free(compare);
}

TEST(exit_codes_say_what_matters)
{
    static const struct spec usual_case[] = {THREE(1, 1e6)}, slower[] = {THREE(1, 1.1e6)};
    static const struct spec crashed[] = {AT(1, 0, 1e6, .status = CASE_CRASHED)};
    static const struct spec skipped[] = {AT(1, 0, 1e6, .status = CASE_SKIPPED)};
    static const struct spec noisy[] = {AT(1, 0, 1e6), AT(1, 1, 1.1e6), AT(1, 2, 0.9e6)};
    static const struct spec two[] = {THREE(1, 1e6), THREE(2, 1e6)};
    expect_exit(usual_case, 3, usual_case, 3, 0, 0);
    expect_exit(usual_case, 3, slower, 3, 3, 3);
    expect_exit(slower, 3, usual_case, 3, 0, 0);
    expect_exit(usual_case, 3, crashed, 1, 3, 3);
    expect_exit(crashed, 1, crashed, 1, 1, 1);
    expect_exit(crashed, 1, usual_case, 3, 1, 1); /* fixed, and nothing was compared */
    expect_exit(usual_case, 3, noisy, 3, 0, 3);
    expect_exit(two, 6, usual_case, 3, 3, 3);
    expect_exit(usual_case, 3, two, 6, 0, 0);
    expect_exit(skipped, 1, skipped, 1, 1, 3);
    expect_exit(usual_case, 0, usual_case, 0, 1, 1); /* empty */
    expect_exit(usual_case, 3, usual_case, 0, 3, 3);
}

TEST(a_renamed_section_is_found_by_its_uid)
{
    static const struct spec from[] = {THREE(1, 1e6)};
    static const struct spec to[] = {AT(1, 0, 1e6, .bench = "other"),
                                     AT(1, 1, 1e6, .bench = "other")};
    struct compare *compare = COMPARE_RUNS(&usual, from, to);
    ck_assert_str_eq(verdicts_of(compare), "streams streams=1: same\n");
    compare_free(compare);
}

TEST(another_device_is_refused)
{
    static const struct spec from[] = {THREE(1, 1e6)};
    static const struct spec to[] = {AT(1, 0, 1e6, .model = "Example CPU 1"),
                                     AT(1, 1, 1e6, .model = "Example CPU 1")};
    struct compare_options forced = usual;
    forced.is_forced = true;
    STORE_RUN("old.gbr", 1, from);
    STORE_RUN("new.gbr", 2, to);
    compare_free(compare_files(&usual, "old.gbr", "new.gbr", GB_INVALID));
    struct compare *compare = compare_files(&forced, "old.gbr", "new.gbr", GB_OK);
    const struct compare_against *against = &compare_result(compare)->against[0];
    ck_assert_uint_eq(against->n, 1);
    ck_assert_str_eq(against->cases[0].conflict, "device model");
    ck_assert_uint_eq(against->n_differences, 1);
    ck_assert_str_eq(against->differences[0], "device model: Example CPU 9000, now Example CPU 1");
    compare_free(compare);
}

TEST(another_clock_is_refused)
{
    static const struct spec from[] = {THREE(1, 1e6)};
    static const struct spec to[] = {AT(1, 0, 1e6, .clock = "cpu")};
    STORE_RUN("old.gbr", 1, from);
    STORE_RUN("new.gbr", 2, to);
    compare_free(compare_files(&usual, "old.gbr", "new.gbr", GB_INVALID));
}

static struct compare *compare_metric(const char *metric, int32_t expected)
{
    static struct compare_options options;
    options = usual;
    options.metric = metric;
    return compare_files(&options, "old.gbr", "new.gbr", expected);
}

TEST(metrics_have_a_direction)
{
    static const struct spec from[] = {THREE(1, 1e6)}, to[] = {THREE(1, 1.2e6)};
    STORE_RUN("old.gbr", 1, from);
    STORE_RUN("new.gbr", 2, to);
    struct compare *compare = compare_metric("rate", GB_OK);
    ck_assert_str_eq(verdicts_of(compare), "streams streams=1: slower\n");
    ck_assert_double_eq_tol(exp(compare_result(compare)->against[0].cases[0].result.theta), 1 / 1.2,
                            1e-9);
    compare_free(compare);
    compare = compare_metric("instructions", GB_OK);
    ck_assert_str_eq(verdicts_of(compare), "streams streams=1: same\n");
    ck_assert(compare_result(compare)->against[0].cases[0].result.is_exact);
    compare_free(compare);
    compare = compare_metric("min_ns", GB_OK);
    ck_assert_str_eq(verdicts_of(compare), "streams streams=1: slower\n");
    compare_free(compare);
    compare_free(compare_metric("nonesuch", GB_NOT_FOUND));
}

static struct compare *compare_by(const char *by, const char *base, int32_t expected)
{
    struct gb_error error = {0};
    struct store *store = fixture_open("old.gbr", STORE_READ);
    struct compare *compare = compare_new(&usual);
    int32_t status = compare_add_by(compare, store, "old.gbr", "newest", by, base, &error);
    fixture_close(store);
    if (status == GB_OK)
        status = compare_finish(compare, &error);
    ck_assert_msg(status == expected, "%d: %s", status, error.text);
    return compare;
}

/* Drift that both sides have is not between them. */
TEST(values_of_an_axis_are_paired_by_rounds)
{
    static const struct spec run[] = {AT(1, 0, 1e6),     AT(2, 0, 1.02e6), AT(1, 1, 1.1e6),
                                      AT(2, 1, 1.123e6), AT(1, 2, 1.2e6),  AT(2, 2, 1.223e6),
                                      AT(1, 3, 1.3e6),   AT(2, 4, 9e6)};
    STORE_RUN("old.gbr", 1, run);
    struct compare *compare = compare_by("streams", "1", GB_OK);
    ck_assert_str_eq(verdicts_of(compare), "streams: slower\n");
    const struct compared *c = &compare_result(compare)->against[0].cases[0];
    ck_assert(c->result.is_paired && c->n_base == 3 && c->n_new == 3);
    ck_assert_str_eq(compare_result(compare)->against[0].side->name, "2");
    compare_free(compare);
    compare = compare_by("streams", "2", GB_OK);
    ck_assert_str_eq(verdicts_of(compare), "streams: faster\n");
    compare_free(compare);
    compare_free(compare_by("streams", "3", GB_NOT_FOUND));
    compare_free(compare_by("nonesuch", "3", GB_NOT_FOUND));
    compare_free(compare_by("rows", "32", GB_NOT_FOUND)); /* all have it */
}

TEST(runs_are_selected_by_number_and_name)
{
    struct fact facts[2][2] = {{{"label.commit", "0123456789ab"}, {"host", "a"}},
                               {{"label.commit", "fedcba987654"}, {"host", "a"}}};
    struct stored_run runs[2] = {{.number = 1, .record = {.facts = facts[0], .n_facts = 2}},
                                 {.number = 2, .record = {.facts = facts[1], .n_facts = 2}}};
    static const struct {
        const char *text;
        size_t index; /* 9: not found */
    } all[] = {{"1", 0},
               {"2", 1},
               {"newest", 1},
               {"previous", 0},
               {"host=a", 1},
               {"commit=0123456789ab", 0},
               {"commit=0123456", 0},
               {"commit=012345", 9},
               {"label.commit=fedcba9", 1},
               {"3", 9},
               {"0", 9},
               {"x", 9},
               {"", 9},
               {"commit=", 9}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct gb_error error;
        size_t found = 9;
        run_select(runs, 2, "f.gbr", all[i].text, &found, &error);
        ck_assert_msg(found == all[i].index, "%s: %zu", all[i].text, found);
    }
    struct gb_error error;
    size_t found;
    ck_assert_int_eq(run_select(runs, 1, "f.gbr", "previous", &found, &error), GB_NOT_FOUND);
}
