/*
 * fuzz_value.c - any text as a value or a list. The first byte says what the rest is read
 * as. What is read obeys its limits, and its canonical text is read as the same again.
 */
#include "core/base/text.h"
#include "core/config/value.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

enum { LONGEST_AGAIN = 1000 };

static const char *const words[] = {"cold", "warm", "every 4"};
static const struct origin origin = {"fuzz", 1, 1};

static bool same(const struct value *a, const struct value *b)
{
    return a->type == b->type && a->integer == b->integer && a->bytes == b->bytes &&
           text_equal(a->text, b->text) &&
           (a->number == b->number || (isnan(a->number) && isnan(b->number))) &&
           !signbit(a->number) == !signbit(b->number);
}

static void try_scalar(const struct gb_option *option, const char *text, struct arena *arena)
{
    struct value value, again;
    struct gb_error error;
    if (value_read(option, text, origin, arena, &value, &error) != GB_OK) {
        REQUIRE(error.text[0] && error.origin.line <= 1);
        return;
    }
    REQUIRE(isnan(value.number) == (option->type == GB_TYPE_STRING));
    bool is_string = option->type == GB_TYPE_STRING;
    const char *canonical = is_string ? text_quote(value.text, 0, arena) : value.text;
    REQUIRE(value_read(option, canonical, origin, arena, &again, &error) == GB_OK);
    REQUIRE(same(&value, &again));
}

static void try_list(const struct gb_option *option, const char *text, struct arena *arena)
{
    struct value_list list, again;
    struct gb_error error;
    if (value_list_read(option, text, origin, arena, &list, &error) != GB_OK) {
        REQUIRE(error.text[0]);
        return;
    }
    REQUIRE(list.n <= VALUE_LIST_MAX);
    if (list.n > LONGEST_AGAIN)
        return;
    struct text canonical = {0};
    for (size_t i = 0; i < list.n; i++)
        text_printf(&canonical, "%s%s", i ? "," : "", text_quote(list.items[i].text, ',', arena));
    REQUIRE(value_list_read(option, text_get(&canonical), origin, arena, &again, &error) == GB_OK);
    REQUIRE(list.n == again.n);
    for (size_t i = 0; i < list.n; i++)
        REQUIRE(same(&list.items[i], &again.items[i]));
    text_free(&canonical);
}

static void try_split(const char *text, struct arena *arena)
{
    struct text_list outer, inner;
    struct gb_error error;
    if (text_split(text, '|', origin, arena, &outer, &error) != GB_OK)
        return;
    for (size_t i = 0; i < outer.n; i++) {
        REQUIRE(*outer.items[i]);
        text_split(outer.items[i], ',', outer.origins[i], arena, &inner, &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct arena arena = {0};
    const char *text = arena_text_n(&arena, (const char *)data + 1, size - 1);
    uint32_t what = data[0] % 32;
    struct gb_option option = {.size = sizeof option, .name = "x", .type = what % 8};
    option.range = what >= 24 ? "1:1000" : NULL;
    if (option.type == GB_TYPE_CHOICE) {
        option.choices = words;
        option.n_choices = sizeof words / sizeof words[0];
    }
    if (what % 8 == 0 && what <= 8)
        try_split(text, &arena);
    else if (what < 16)
        try_scalar(&option, text, &arena);
    else
        try_list(&option, text, &arena);
    arena_free(&arena);
    return 0;
}
