/* test_exchange.c - core/view/exchange.h: what other tools read. */
#include "core/view/exchange.h"
#include "tests/check_main.h"
#include "tests/report/markup.h"
#include "tests/view/views_fixture.h"

static const char *const formats[] = {"google", "nvbench", "hyperfine", "pyperf",      "jmh",  "t4",
                                      "github", "bmf",     "junit",     "openmetrics", "trace"};
enum { FORMATS_OF_TOOLS = N_OF(formats) };

static int32_t try_export(const char *file, const char *format, const struct view_options *options,
                          const char *path, struct text *out, struct gb_error *error)
{
    struct store *store = fixture_open(file, STORE_READ);
    char *data = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&data, &n);
    int32_t status = exchange_export(store, options, exchange_named(format), path, stream, error);
    fclose(stream);
    text_clear(out);
    text_add_n(out, data, n);
    free(data);
    fixture_close(store);
    return status;
}

/* With the samples of a trace, a line each, come three cases at most. */
static const char *export_of(const char *file, const char *format, int rows)
{
    static struct text out;
    struct gb_error error = {0};
    const bool is_long = rows == ROWS_CASE && strcmp(format, "trace") == 0;
    const struct view_options options = {.rows = rows, .where = is_long ? "streams < 2" : NULL};
    ck_assert_msg(try_export(file, format, &options, NULL, &out, &error) == GB_OK, "%s: %s", format,
                  error.text);
    return text_get(&out);
}

TEST_FIXTURE(fixture_begin, fixture_end)

TEST_TIMES(rounds_are_repetitions, FORMATS_OF_TOOLS)
{
    CLEANUP(text_free) struct text name = {0};
    views_make_rounds("rounds.gbr");
    if (strcmp(formats[_i], "openmetrics") == 0)
        fixture_change("rounds.gbr", "DELETE FROM bench_case WHERE position > 1");
    if (strcmp(formats[_i], "trace") == 0) /* one line a sample */
        fixture_change("rounds.gbr", "DELETE FROM bench_case WHERE position > 0 OR round = 0;"
                                     "UPDATE samples SET n = 4, data = substr(data, 1, 32);"
                                     "UPDATE bench_case SET n_samples = 4");
    text_printf(&name, "exchange_%s.txt", formats[_i]);
    views_expect_golden(text_get(&name), export_of("rounds.gbr", formats[_i], ROWS_CASE));
}

/* Ten cases: one crashed, one wrong, one skipped. */
TEST(failures_have_no_times)
{
    views_make_file("fates.gbr");
    ck_assert_uint_eq(views_count(export_of("fates.gbr", "google", ROWS_CASE), "\"real_time\""), 7);
    ck_assert_uint_eq(views_count(export_of("fates.gbr", "github", ROWS_CASE), "\"value\""), 7);
    const char *t4 = export_of("fates.gbr", "t4", ROWS_CASE);
    ck_assert_uint_eq(views_count(t4, "\"invalidity\":\"correct\""), 7);
    ck_assert_uint_eq(views_count(t4, "\"invalidity\":\"correctness\""), 1);
    ck_assert_uint_eq(views_count(t4, "\"invalidity\":\"runtime\""), 1);
    ck_assert_uint_eq(views_count(t4, "\"invalidity\":\"constraints\""), 1);
    const char *junit = export_of("fates.gbr", "junit", ROWS_CASE);
    ck_assert_str_eq(markup_error(junit), "");
    EXPECT(junit, "tests=\"10\" failures=\"2\" errors=\"0\" skipped=\"1\"",
           "message=\"crashed (SIGSEGV)\"", "a|b, &quot;c&quot;");
    ck_assert_uint_eq(
        views_count(export_of("fates.gbr", "nvbench", ROWS_CASE), "\"is_skipped\":true"), 3);
    ck_assert_uint_eq(views_count(export_of("fates.gbr", "openmetrics", ROWS_CASE), "gbrun_ok{"),
                      10);
    for (size_t i = 0; i < FORMATS_OF_TOOLS; i++) {
        const char *got = export_of("fates.gbr", formats[i], ROWS_CASE);
        EXPECT_NO(got, "nan", "inf");
    }
}

TEST(clocks_of_a_trace_are_in_MHz)
{
    views_make("clock.gbr", 1, "1000 streams +streams=1\n", /* 1.5e9 stands for all samples */
               "INSERT INTO samples VALUES (1, 'clock_hz', 0, 20, x'000000C00B5AD641')");
    const char *clock = strstr(export_of("clock.gbr", "trace", ROWS_CASE), "clock, MHz");
    ck_assert_ptr_nonnull(clock);
    EXPECT(clock, ":1500}");
}

TEST(rows_are_chosen)
{
    views_make_rounds("rounds.gbr");
    ck_assert_uint_eq(
        views_count(export_of("rounds.gbr", "google", ROWS_COMBINED), "\"real_time\""), 4);
    ck_assert_uint_eq(views_count(export_of("rounds.gbr", "google", ROWS_SAMPLE), "\"real_time\""),
                      240);
    ck_assert_uint_eq(views_count(export_of("rounds.gbr", "pyperf", ROWS_SAMPLE), "\"values\""),
                      12);
}

TEST(samples_in_files)
{
    CLEANUP(text_free) struct text out = {0};
    struct gb_error error = {0};
    char bin[400];
    float samples[100];
    views_make_rounds("rounds.gbr");
    const char *path = fixture_path("x.json");
    ck_assert_int_eq(
        try_export("rounds.gbr", "nvbench", &(struct view_options){0}, path, &out, &error), GB_OK);
    EXPECT(text_get(&out), "\"value\":\"x.json-bin/3.bin\"");
    for (int i = 0; i < 4; i++) {
        snprintf(bin, sizeof bin, "%s-bin/%d.bin", path, i);
        FILE *file = fopen(bin, "rb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fread(samples, sizeof *samples, 100, file), 60);
        fclose(file);
        ck_assert_float_eq_tol(*samples, (float)(1e-6 * (i + 1)), 1e-12F);
    }
    ck_assert_int_eq(try_export("rounds.gbr", "nvbench", &(struct view_options){0},
                                "/nowhere/x.json", &out, &error),
                     GB_IO);
}

TEST(options_without_a_meaning)
{
    CLEANUP(text_free) struct text out = {0};
    struct gb_error error = {0};
    views_make_rounds("rounds.gbr");
    const struct view_options options[] = {
        {.pivot = "streams"}, {.group_by = "bench"}, {.columns = "bench"}, {.run = RUN_ALL}};
    for (size_t i = 0; i < N_OF(options); i++)
        ck_assert_int_eq(try_export("rounds.gbr", "bmf", &options[i], NULL, &out, &error),
                         GB_INVALID);
    ck_assert_str_eq(error.text, "--run all: --format bmf is of one run");
    ck_assert_int_eq(exchange_named("csv"), -1);
}
