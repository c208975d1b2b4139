/* test_html.c - pages of results: well-formed, escaped, whole, small. */
#include "core/report/html_report.h"
#include "tests/check_main.h"
#include "tests/report/markup.h"
#include "tests/view/views_fixture.h"

static int32_t write_page(const char *file, const char *baseline, const char *where,
                          struct text *out, struct gb_error *error)
{
    const char *page = fixture_path("page.html");
    const struct html_input input = {.path = fixture_path(file)},
                            base = {.path = fixture_path(baseline ? baseline : "")};
    const struct html_options options = {.where = where, .baseline = baseline ? &base : NULL};
    int32_t status = html_report_write(&input, 1, &options, page, error);
    text_clear(out);
    if (status == GB_OK) {
        views_read(page, out);
        unlink(page);
    }
    return status;
}

static const char *page_of(const char *file, const char *baseline)
{
    static struct text page;
    struct gb_error error = {0};
    ck_assert_msg(write_page(file, baseline, NULL, &page, &error) == GB_OK, "%s", error.text);
    ck_assert_str_eq(markup_error(text_get(&page)), "");
    EXPECT_NO(text_get(&page), "http:", "https:", ">nan", "\"nan", " nan");
    return text_get(&page);
}

static void expect_in_order(const char *page, const char *const *parts)
{
    for (; *parts; parts++) {
        EXPECT(page, *parts);
        page = strstr(page, *parts);
    }
}
#define EXPECT_IN_ORDER(page, ...) expect_in_order(page, (const char *const[]){__VA_ARGS__, NULL})

TEST_FIXTURE(fixture_begin, fixture_end)

TEST(parts_are_in_order)
{
    views_make_file("results.gbr");
    const char *page = page_of("results.gbr", NULL);
    EXPECT_IN_ORDER(
        page, "<!DOCTYPE html>", "default-src 'none'", "script-src 'sha256-", "<b>10</b>cases",
        "failed", "Before you trust this: ", "streams streams=4: crashed (SIGSEGV)",
        "the governor is powersave", "not certified: ", "still falling by 0.4 % a second",
        "<h2>Cases</h2>", "crashed (SIGSEGV)", "<h2>Each case</h2>", "The same in all cases",
        "<canvas class=\"bins\"", "<canvas class=\"order\"", "stop reason", "<h2>Verification</h2>",
        "0.5</td>", "4000</td>", "<h2>Machine", "Example CPU 9000", "The configuration used",
        "<script>");
    ck_assert_uint_eq(views_count(page, "<details id="), 10);
    ck_assert_uint_eq(views_count(page, "<canvas class=\"order\""),
                      8); /* not of the crashed and the skipped one */
    ck_assert_uint_eq(views_count(page, "<script>"), 1);
    const char *script = strstr(page, "<script>");
    ck_assert_uint_le(strlen(script), 8192);
}

TEST(rounds_are_one_case)
{
    views_make_rounds("rounds.gbr");
    const char *page = page_of("rounds.gbr", "rounds.gbr");
    ck_assert_uint_eq(views_count(page, "<details id="), 4);
    ck_assert_uint_eq(views_count(page, "data-rounds=\"0 20 40\""), 4);
    ck_assert_uint_eq(views_count(page, "data-v=\"1\""), 4);
}

/* Of four cases one was wrong in its second round: it alone is listed openly, once. */
TEST(rounds_of_a_check_are_one_row)
{
    views_make_rounds("checked.gbr");
    EXPECT_IN_ORDER(page_of("checked.gbr", NULL), "<h2>Verification</h2>",
                    "<summary>4 of 4 checks");
    fixture_change("checked.gbr", "UPDATE check_result SET passed = 0, value = 77 WHERE case_id ="
                                  " (SELECT id FROM bench_case WHERE position = 2 AND round = 1)");
    const char *page = strstr(page_of("checked.gbr", NULL), "<h2>Verification</h2>");
    ck_assert_ptr_nonnull(page);
    EXPECT_IN_ORDER(page, "dtype=bf16", ">77</td>", ">1 of 3</td>",
                    "<summary>3 of 4 checks passed");
    ck_assert_uint_eq(views_count(page, ">0 of 3</td>"), 3);
}

/* Of 301 samples each, four to a bucket; one double stands for all of them. */
TEST(rounds_share_no_bucket)
{
    views_make("long.gbr", 1, "1e3,1e3,1e3 streams +streams=1\n",
               "DELETE FROM samples WHERE name != 'wall';"
               "UPDATE samples SET n = 301, data = x'0000000000408F40';"
               "UPDATE bench_case SET n_samples = 301");
    ck_assert_uint_eq(views_count(page_of("long.gbr", "long.gbr"), "data-rounds=\"0 76 152\""), 1);
}

static const char *const hostile[] = {"<script>alert(1)</script>", "\"''><img src=x onerror=y>",
                                      "a\nb]]>&amp;", "\u202Eright-to-left", "-->"};

static void make_hostile(const char *name, unsigned n)
{
    CLEANUP(text_free) struct text cases = {0}, sql = {0};
    for (unsigned i = 1; i <= n; i++)
        text_printf(&cases, "1e6 b streams=%u +note=words\n", i);
    for (int i = 0; i < 5; i++)
        text_printf(&sql,
                    "UPDATE bench_case SET bench = '%s' WHERE id %% 5 = %d;"
                    "UPDATE bench_case SET stop_reason = '%s' WHERE id %% 5 = %d;"
                    "UPDATE parameter SET value = '%s' WHERE name = 'note' AND case_id %% 5 = %d;"
                    "UPDATE check_result SET name = '%s' WHERE case_id %% 5 = %d;"
                    "UPDATE check_summary SET name = '%s' WHERE case_id %% 5 = %d;"
                    "INSERT INTO message SELECT id, 0, 2, '%s' FROM bench_case WHERE id %% 5 = %d;",
                    hostile[i], (i + 1) % 5, hostile[i], i, hostile[i], i, hostile[i], i,
                    hostile[i], i, hostile[i], i);
    views_make(name, 1, text_get(&cases), text_get(&sql));
}

TEST(words_are_no_markup)
{
    make_hostile("hostile.gbr", 10);
    const char *page = page_of("hostile.gbr", NULL);
    EXPECT_NO(page, "<script>alert", "<img");
    EXPECT(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
}

/* Each column of text of each table, one after another; pages of what cannot be read are not made.
 */
TEST(no_text_of_a_file_is_markup)
{
    CLEANUP(text_free) struct text file = {0}, page = {0}, sql = {0};
    struct gb_error error = {0};
    unsigned n_pages = 0;
    views_make_file("fates.gbr");
    views_read(fixture_path("fates.gbr"), &file);
    CLEANUP(free_pointer)
    char *columns = strdup(fixture_ask(
        "fates.gbr",
        "SELECT group_concat('UPDATE OR IGNORE ' || t.name || ' SET ' || c.name || ' = ', '|')"
        " FROM sqlite_schema AS t, pragma_table_info(t.name) AS c"
        " WHERE t.type = 'table' AND c.type = 'TEXT'"));
    for (char *save = NULL, *at = strtok_r(columns, "|", &save); at;
         at = strtok_r(NULL, "|", &save)) {
        FILE *copy = fopen(fixture_path("one.gbr"), "w");
        ck_assert(copy && fwrite(text_get(&file), 1, file.length, copy) == file.length);
        ck_assert_int_eq(fclose(copy), 0);
        text_clear(&sql);
        text_printf(&sql, "%s'<base href=\"//x\"><!--' || abs(random())", at);
        fixture_change("one.gbr", text_get(&sql));
        if (write_page("one.gbr", NULL, NULL, &page, &error) != GB_OK)
            continue;
        n_pages++;
        ck_assert_msg(!strstr(text_get(&page), "<base") && !strstr(text_get(&page), "<!--"), "%s",
                      at);
        ck_assert_str_eq(markup_error(text_get(&page)), "");
    }
    ck_assert_uint_gt(n_pages, 50);
}

TEST(no_case_and_many)
{
    CLEANUP(text_free) struct text page = {0};
    struct gb_error error = {0};
    views_make("empty.gbr", 1, "", NULL);
    ck_assert_int_eq(write_page("empty.gbr", NULL, NULL, &page, &error), GB_NOT_FOUND);
    ck_assert_str_eq(error.text, "there is nothing to report: no case");
    make_hostile("many.gbr", 1000);
    ck_assert_int_eq(write_page("many.gbr", NULL, "streams = 77", &page, &error), GB_OK);
    ck_assert_uint_eq(views_count(text_get(&page), "<details id="), 1);
    ck_assert_int_eq(write_page("many.gbr", NULL, "streams = 0", &page, &error), GB_NOT_FOUND);
    const char *all = page_of("many.gbr", NULL);
    ck_assert_uint_eq(views_count(all, "<details id="), 1000);
    ck_assert_uint_le(strlen(all) / 1000, 60000);
}
