/*
 * fuzz_results.c - a results file that was changed, as show and export read it. The input is a list
 * of changes to a sound file: three bytes that say where, one that says what; a last one or two
 * bytes cut the file. The highest bit puts the change into the texts of rows, where small numbers
 * stand for markup. The file is shown as a table, as JSON with all samples and as a page that is
 * well-formed, or refused with words.
 */
#include "core/base/input_file.h"
#include "core/report/html_report.h"
#include "core/view/views.h"
#include "tests/fuzz/fuzz.h"

#include <check.h>

/* The fixture outside of a test. */
#undef ck_assert_int_eq
#undef ck_assert_msg
#undef ck_assert_ptr_nonnull
#define ck_assert_int_eq(a, b) REQUIRE((a) == (b))
#define ck_assert_msg(condition, ...) REQUIRE(condition)
#define ck_assert_ptr_nonnull(pointer) REQUIRE((pointer) != NULL)
#include "tests/report/markup.h"
#include "tests/store/store_fixture.h"

enum { CHANGE_BYTES = 4, FILE_BYTES = 1 << 20, PAGE_BYTES = 1 << 26, IN_TEXT = 0x80 };
/* Texts of rows; what is longer is SQL of the schema. */
enum { TEXT_LEAST = 4, TEXT_MOST = 100 };
static unsigned char sound[FILE_BYTES], changed[FILE_BYTES];
static size_t sound_bytes, texts[FILE_BYTES], n_texts;
static FILE *nowhere;

static void clean_up(void)
{
    fixture_end();
    fclose(nowhere);
}

static void find_texts(void)
{
    for (size_t at = 0, n = 0; at < sound_bytes; at += n + 1) {
        for (n = 0; at + n < sound_bytes && isprint(sound[at + n]); n++)
            continue;
        for (size_t i = 0; n >= TEXT_LEAST && n <= TEXT_MOST && i < n; i++)
            texts[n_texts++] = at + i;
    }
}

static void make_sound(void)
{
    fixture_begin();
    atexit(clean_up);
    fixture_make_file("results.gbr", 1, 3);
    FILE *file = fopen(fixture_path("results.gbr"), "rb");
    REQUIRE(file && (nowhere = fopen("/dev/null", "w")));
    sound_bytes = fread(sound, 1, sizeof sound, file);
    fclose(file);
    REQUIRE(sound_bytes > 0 && sound_bytes < sizeof sound);
    find_texts();
    REQUIRE(n_texts > 0);
}

static void change(const uint8_t *data)
{
    static const char *const markup[] = {"<b>", "</script>", "<!--", "]]>", "\"",
                                         "'",   "&",         "\n",   "\xff"};
    const size_t where = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];
    if (!(data[0] & IN_TEXT)) {
        changed[where % sound_bytes] = data[3];
        return;
    }
    const char *put = data[3] < sizeof markup / sizeof *markup ? markup[data[3]] : NULL;
    for (size_t i = where % n_texts, n = 0; i < n_texts && (put ? put[n] : n == 0); i++, n++)
        changed[texts[i]] = put ? (unsigned char)put[n] : data[3];
}

static void make_changed(const uint8_t *data, size_t size)
{
    size_t bytes = sound_bytes;
    memcpy(changed, sound, sound_bytes);
    for (; size >= CHANGE_BYTES; size -= CHANGE_BYTES, data += CHANGE_BYTES)
        change(data);
    if (size > 0)
        bytes = sound_bytes * (size == 1 ? data[0] : (size_t)data[0] << 8 | data[1]) >>
                (size == 1 ? 8 : 16);
    FILE *file = fopen(fixture_path("changed.gbr"), "wb");
    REQUIRE(file && fwrite(changed, 1, bytes, file) == bytes);
    fclose(file);
}

static void check_page(void)
{
    const struct html_input input = {.path = fixture_path("changed.gbr")};
    const struct html_options options = {0};
    const char *path = fixture_path("page.html");
    static struct text page;
    struct gb_error error = {0};
    const int32_t status = html_report_write(&input, 1, &options, path, &error);
    REQUIRE(status == GB_OK || error.text[0]);
    if (status != GB_OK)
        return;
    text_clear(&page);
    REQUIRE(input_read(path, PAGE_BYTES, &page, &error) == GB_OK);
    REQUIRE_OF(*markup_error(text_get(&page)) == 0, text_get(&page));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view_options table = {.format = FORMAT_TABLE, .run = RUN_ALL, .verbose = true},
                              json = {.format = FORMAT_JSON, .run = RUN_ALL, .rows = ROWS_SAMPLE};
    struct store *store = NULL;
    struct text text = {0};
    struct gb_error error = {0};
    if (sound_bytes == 0)
        make_sound();
    make_changed(data, size);
    int32_t status = store_open(fixture_path("changed.gbr"), STORE_READ, &store, &error);
    REQUIRE(status == GB_OK || error.text[0]);
    if (status == GB_OK) {
        status = view_show(store, &table, &text, &error);
        REQUIRE(status == GB_OK || error.text[0]);
        status = view_export(store, &json, nowhere, &error);
        REQUIRE(status == GB_OK || error.text[0]);
        store_close(store, NULL);
        check_page();
    }
    text_free(&text);
    return 0;
}
