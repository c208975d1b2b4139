/*
 * fuzz_settings.c - any bytes as a configuration over a fixed catalogue: read, resolved, expanded.
 * What makes cases is printed, read again, and makes the same cases.
 */
#include "tests/config/settings_fixture.h"

#include "tests/fuzz/fuzz.h"

enum { CASES_MAX = 300, LONGEST_INPUT = 4096 };

static void read_within(struct loaded *loaded, const char *text, size_t length)
{
    load_settings(loaded, text, length, NULL, 0);
    if (error_list_empty(&loaded->errors))
        sweep_new(loaded->settings, CASES_MAX, &loaded->sweep, &loaded->errors);
    note_words(loaded);
}

static void make_uid(struct loaded *loaded, uint64_t i, char ret[CASE_UID_TEXT],
                     const char *printed)
{
    struct arena arena = {0};
    struct bench_case made;
    struct gb_error error = {0};
    REQUIRE_OF(sweep_case(loaded->sweep, i, &arena, &made, &error) == GB_OK, printed);
    bench_case_uid(&made, "model", ret);
    struct matmul_params params;
    if (text_equal(made.info->plugin.id, "matmul"))
        REQUIRE_OF(option_fill(option_table_of(&made.info->plugin), made.settings, made.n_settings,
                               &params, sizeof params, &arena, &error) == GB_OK,
                   printed);
    arena_free(&arena);
}

static void check_printed(struct loaded *loaded)
{
    struct text printed = {0};
    struct loaded again = {0};
    settings_print(loaded->settings, &printed);
    read_within(&again, text_get(&printed), printed.length);
    REQUIRE_OF(again.sweep, text_get(&printed));
    uint64_t n = sweep_size(loaded->sweep);
    REQUIRE_OF(n == sweep_size(again.sweep), text_get(&printed));
    for (uint64_t i = 0; i < n; i++) {
        char uid[CASE_UID_TEXT], uid_again[CASE_UID_TEXT];
        make_uid(loaded, i, uid, text_get(&printed));
        make_uid(&again, i, uid_again, text_get(&printed));
        REQUIRE_OF(text_equal(uid, uid_again), text_get(&printed));
    }
    unload(&again);
    text_free(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct loaded loaded = {0};
    if (size > LONGEST_INPUT)
        return 0;
    read_within(&loaded, (const char *)data, size);
    if (loaded.sweep)
        check_printed(&loaded);
    else
        REQUIRE(loaded.errors.n > 0);
    unload(&loaded);
    return 0;
}
