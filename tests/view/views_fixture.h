/*
 * views_fixture.h - results files made of texts, one in which every kind of case occurs, and what
 * is printed of them. Long outputs are compared with tests/golden/; UPDATE_GOLDEN=1 in the
 * environment writes them anew, to be read before they are committed.
 */
#pragma once

#include "core/report/plot.h"
#include "core/view/views.h"
#include "tests/store/store_fixture.h"

#define SET "UPDATE bench_case SET "

/* A case from its time and the rest of its line, which it keeps and changes. */
static inline void views_read_case(const char *time, char *rest, unsigned number,
                                   struct fixture_case *c)
{
    char *save = NULL, *end;
    const double ns = strtod(time, &end), step = *end == '~' ? strtod(end + 1, NULL) : 0;
    fixture_case(c, number, 1, step > 0 ? ns : ns - 9.5);
    c->bench_case.n_parameters = 0;
    c->bench_case.bench = strtok_r(rest, " ", &save);
    c->record.iterations = 1;
    for (int i = 0; i < FIXTURE_SAMPLES && step > 0; i++)
        c->wall[i] = ns * (1 + step * i);
    for (char *name; (name = strtok_r(NULL, " ", &save));) {
        const bool is_axis = *name == '+';
        char *value = strchr(name, '=');
        *value++ = 0;
        name += is_axis;
        const int64_t n = strtoll(value, &end, 10);
        fixture_add(c, *end ? fixture_words(name, value, is_axis)
                            : fixture_integer(c, name, n, is_axis));
    }
    if (*time != '-' && *time != '!')
        return;
    struct case_record *record = &c->record;
    record->status = *time == '!' ? CASE_CRASHED : CASE_SKIPPED;
    record->status_text = *time == '!' ? "SIGSEGV" : "";
    record->stop_reason = "";
    record->has_estimate = false;
    record->n_samples = record->n_columns = record->n_checks = record->n_summaries = 0;
}

/*
 * Adds a run to a file, a case a line: "NS,NS... BENCH OPTION=VALUE +AXIS=VALUE". Each NS is a
 * round, after those of the other cases; it is the estimate, and samples take NS - 9.5 ... NS + 9.5
 * ns; of NS~STEP sample i takes NS (1 + i STEP). Rounds without samples: - was skipped, ! crashed.
 * The uid comes from the line. Then the statements (NULL: none) are run.
 */
static inline void views_make(const char *file, unsigned run, const char *cases, const char *sql)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct store *store = fixture_open(file, STORE_WRITE);
    const int64_t run_id = fixture_begin_run(store, run);
    struct case_line {
        char *times, *rest, *next;
    } *lines = NULL;
    size_t n_lines = 0, n_left = 1;
    char *next = NULL;
    for (char *line = strtok_r(arena_text(&arena, cases), "\n", &next); line;
         line = strtok_r(NULL, "\n", &next)) {
        char *rest = strchr(line, ' ');
        *rest++ = 0;
        ARENA_APPEND(&arena, lines, n_lines, (struct case_line){line, rest, NULL});
    }
    for (unsigned round = 0, number = 0; n_left > 0; round++) {
        n_left = 0;
        for (unsigned i = 0; i < n_lines; i++) {
            struct fixture_case c;
            unsigned uid = 0;
            char *time = strtok_r(round ? NULL : lines[i].times, ",", &lines[i].next);
            if (!time)
                continue;
            for (const char *at = lines[i].rest; *at; at++)
                uid = uid * 31 + (unsigned char)*at;
            views_read_case(time, arena_text(&arena, lines[i].rest), number, &c);
            c.record.round = round;
            c.bench_case.position = i;
            fixture_uuid(0xBF + run, number++, c.record.uuid);
            snprintf(c.record.uid, sizeof c.record.uid, "%032x", uid);
            fixture_store(store, run_id, &c);
            n_left++;
        }
    }
    fixture_end_run(store, run_id);
    fixture_close(store);
    if (sql)
        fixture_change(file, sql);
}

/* What stands in a file, at the end of the text. */
static inline void views_read(const char *path, struct text *out)
{
    char block[4096];
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is missing", path);
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        text_add_n(out, block, n);
    fclose(file);
}

static inline void views_golden_path(const char *name, struct text *out)
{
    const char *top = getenv("top_srcdir");
    text_printf(out, "%s/tests/golden/%s", top ? top : ".", name);
}

/* Run 1: eight cases of one bench, one of each fate, and two of another. */
static inline void views_make_file(const char *name)
{
    CLEANUP(text_free) struct text path = {0}, sql = {0};
    views_golden_path("fates.sql", &path);
    views_read(text_get(&path), &sql);
    views_make(name, 1,
               "1e6~.001 streams rows=32 +streams=1\n"
               "5e5~.001 streams rows=32 +streams=2\n"
               "333333.3333333333~.001 streams rows=32 +streams=3\n"
               "! streams rows=32 +streams=4\n"
               "2e5~.001 streams rows=32 +streams=5\n"
               "166666.66666666666~.001 streams rows=32 +streams=6\n"
               "142857.14285714287~.001 streams rows=32 +streams=7\n"
               "125e3~.001 streams rows=32 +streams=8\n"
               "11.5 floor +note=quoted\n"
               "- floor +note=plain\n",
               text_get(&sql));
}

/* Run 1: two axes, three rounds each, interleaved. */
static inline void views_make_rounds(const char *name)
{
    views_make(name, 1,
               "1009.5,1019.5,1029.5 streams rows=32 +streams=1 +dtype=fp16\n"
               "2009.5,2019.5,2029.5 streams rows=32 +streams=2 +dtype=fp16\n"
               "3009.5,3019.5,3029.5 streams rows=32 +streams=1 +dtype=bf16\n"
               "4009.5,4019.5,4029.5 streams rows=32 +streams=2 +dtype=bf16\n",
               "UPDATE bench_case SET iterations = 10;"
               "UPDATE bench_case SET open_ns = 1e4, prepare_ns = 2e4, warmup_ns = 3e5,"
               " measure_ns = 4e5, count_ns = 0, verify_ns = 1e5 WHERE round = 2");
}

/* ---- what is printed ---- */

static inline int32_t views_try(const char *file, const struct view_options *options, bool is_shown,
                                struct text *out, struct gb_error *error)
{
    struct store *store = fixture_open(file, STORE_READ);
    int32_t status = (is_shown ? view_show : fixture_export)(store, options, out, error);
    fixture_close(store);
    return status;
}

/* Is there until four more were asked for. */
static inline const char *views_print(const char *file, const struct view_options *options,
                                      bool is_shown)
{
    static struct text texts[4];
    static unsigned next;
    struct text *out = &texts[next++ % 4];
    struct gb_error error = {0};
    text_clear(out);
    int32_t status = views_try(file, options, is_shown, out, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    return text_get(out);
}
#define SHOWN(file, ...) views_print(file, &(struct view_options){__VA_ARGS__}, true)
#define EXPORTED(file, ...) views_print(file, &(struct view_options){__VA_ARGS__}, false)
#define EXPORTED_CSV(file, ...) EXPORTED(file, .format = FORMAT_CSV, __VA_ARGS__)

/* What is refused where it is exported, and where it is shown unless it is of a format or of
 * samples; column: of the place; 0: none. */
static inline void views_expect_error(const char *file, int32_t status, uint32_t column,
                                      const char *text, struct view_options options)
{
    const bool is_for_both = options.rows == ROWS_CASE && options.format == FORMAT_TABLE;
    for (int is_shown = 0; is_shown <= is_for_both; is_shown++) {
        struct gb_error error = {0};
        CLEANUP(text_free) struct text got = {0};
        if (options.format == FORMAT_TABLE || is_shown)
            options.format = is_shown ? FORMAT_TABLE : FORMAT_CSV;
        ck_assert_int_eq(views_try(file, &options, is_shown, &got, &error), status);
        ck_assert_str_eq(fixture_error(&error), text);
        ck_assert_uint_eq(error.origin.column, column);
        ck_assert_str_eq(text_get(&got), "");
    }
}

static inline void views_expect_parts(const char *got, bool is_there, const char *const *parts)
{
    for (; *parts; parts++)
        ck_assert_msg((strstr(got, *parts) != NULL) == is_there, "%s: is%s in\n%s", *parts,
                      is_there ? " not" : "", got);
}
#define EXPECT(got, ...) views_expect_parts(got, true, (const char *const[]){__VA_ARGS__, NULL})
#define EXPECT_NO(got, ...) views_expect_parts(got, false, (const char *const[]){__VA_ARGS__, NULL})

static inline size_t views_count(const char *text, const char *words)
{
    size_t n = 0;
    for (const char *at = strstr(text, words); at; at = strstr(at + 1, words))
        n++;
    return n;
}

/* No line is longer. */
static inline void views_expect_width(const char *shown, size_t width)
{
    CLEANUP(text_free) struct text copy = {0};
    char *save = NULL;
    text_add(&copy, shown);
    for (char *line = strtok_r(copy.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ck_assert_msg(text_columns(line) <= width, "%s", line);
}

/* Long texts: only the first line that differs is shown. */
static inline void views_expect_text(const char *name, const char *expected, const char *got)
{
    int line = 1;
    for (; *expected && *expected == *got; expected++, got++)
        line += *expected == '\n';
    ck_assert_msg(*expected == *got,
                  "%s differs in line %d from here on: expected\n%.300s\ngot\n%.300s", name, line,
                  expected, got);
}

/* What is shown below the lines on the run and its devices. */
static inline const char *views_below_head(const char *shown)
{
    return strstr(shown, "\n\n") + 2;
}

static inline void views_expect_golden(const char *name, const char *got)
{
    CLEANUP(text_free) struct text path = {0}, expected = {0};
    views_golden_path(name, &path);
    if (getenv("UPDATE_GOLDEN")) {
        FILE *file = fopen(text_get(&path), "w");
        ck_assert_ptr_nonnull(file);
        fputs(got, file);
        fclose(file);
    }
    views_read(text_get(&path), &expected);
    views_expect_text(text_get(&path), text_get(&expected), got);
}

#define SHOWS(golden, file, ...) views_expect_golden(golden, SHOWN(file, __VA_ARGS__))
#define SHOWS_BELOW_HEAD(golden, file, ...)                                                        \
    views_expect_golden(golden, views_below_head(SHOWN(file, __VA_ARGS__)))
#define EXPORTS(golden, file, ...) views_expect_golden(golden, EXPORTED(file, __VA_ARGS__))

/* Of a page as SVG; until it is called again. */
static inline const char *views_picture(const struct plot_page *page)
{
    static struct text picture;
    text_clear(&picture);
    plot_svg(page, false, &picture);
    return text_get(&picture);
}
