/*
 * fuzz_ini.c - any bytes as an INI file, its first line also as an override. What is read obeys the
 * limits of the reader and, written as key=value, is read as the same again.
 */
#include "core/base/text.h"
#include "core/config/ini.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST_NAME = 49 };

static void check_again(const struct ini_entry *entry, struct arena *arena)
{
    struct ini again;
    struct error_list errors = {0};
    const char *text = arena_printf(arena, "[a]\n%s=%s\n", entry->key, entry->value);
    REQUIRE(ini_read_text("again", text, strlen(text), arena, &again, &errors) == GB_OK);
    REQUIRE(again.n == 1 && again.sections[0].n == 1);
    REQUIRE(text_equal(again.sections[0].entries[0].key, entry->key));
    REQUIRE(text_equal(again.sections[0].entries[0].value, entry->value));
    error_list_free(&errors);
}

static void check_section(const struct ini_section *section, struct arena *arena)
{
    REQUIRE(*section->kind && section->origin.line > 0);
    for (size_t i = 0; i < section->n; i++) {
        const struct ini_entry *entry = &section->entries[i];
        REQUIRE(*entry->key && strlen(entry->key) <= LONGEST_NAME);
        REQUIRE(entry->origin.line > section->origin.line);
        REQUIRE(entry->value_origin.line >= entry->origin.line);
        check_again(entry, arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct error_list errors = {0};
    struct ini ini;
    int32_t status = ini_read_text("fuzz", (const char *)data, size, &arena, &ini, &errors);
    REQUIRE((status == GB_OK) == error_list_empty(&errors));
    for (size_t i = 0; i < ini.n; i++)
        check_section(&ini.sections[i], &arena);
    char *line = arena_text_n(&arena, (const char *)data, size);
    line[strcspn(line, "\n")] = 0;
    const char *const overrides[] = {line, "gbrun.seed=1"};
    ini_override(&ini, overrides, 2, &arena, &errors);
    error_list_free(&errors);
    arena_free(&arena);
    return 0;
}
