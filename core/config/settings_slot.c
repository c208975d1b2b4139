/* settings_slot.c - the slots of a benchmark, and reading the values of one: an option, a common
 * setting, a variable, a variable of the environment. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <math.h>
#include <string.h>

#define NO_FIGURE "none" /* of a document, for one of its cases */

/* As one may write some numbers of common settings. */
static const struct {
    const char *name, *word, *number;
} number_words[] = {{"iterations", "auto", "0"},
                    {"seed", "run", SEED_OF_RUN_TEXT},
                    {"seed", "each round", SEED_EACH_ROUND_TEXT}};

static struct value string_value(const char *text)
{
    return (struct value){.type = GB_TYPE_STRING, .number = NAN, .text = text};
}

/* A value of something that has no type is kept as it is written, and is a number to expressions if
 * it looks like one. */
static struct value untyped_value(const char *text, struct arena *arena)
{
    struct value value;
    struct origin nowhere = {0};
    if (value_read_type(GB_TYPE_INT, text, nowhere, arena, &value, NULL) != GB_OK &&
        value_read_type(GB_TYPE_FLOAT, text, nowhere, arena, &value, NULL) != GB_OK)
        return string_value(text);
    value.text = text;
    return value;
}

/* A variable is a number if it looks like one and is not in quotes. */
static int32_t read_variable(const char *text, struct origin origin, struct arena *arena,
                             struct value *ret, struct gb_error *error)
{
    if (value_read_type(GB_TYPE_INT, text, origin, arena, ret, NULL) == GB_OK ||
        value_read_type(GB_TYPE_FLOAT, text, origin, arena, ret, NULL) == GB_OK)
        return GB_OK;
    return value_read_type(GB_TYPE_STRING, text, origin, arena, ret, error);
}

/* Of a variable, or what goes to a plugin as a number or a text. */
static bool is_typed_by_value(const struct slot *slot)
{
    return slot->kind == SLOT_VARIABLE || (slot->map_key && option_is_rest(slot->option));
}

static bool is_list(const struct slot *slot)
{
    return slot->option && (slot->option->type & GB_TYPE_LIST);
}

static const char *number_meant(const struct slot *slot, const char *text)
{
    for (size_t i = 0; i < sizeof number_words / sizeof number_words[0]; i++)
        if (slot->kind == SLOT_COMMON && text_equal(slot->name, number_words[i].name) &&
            text_equal(text, number_words[i].word))
            return number_words[i].number;
    return text;
}

int32_t slot_read(const struct slot *slot, const char *text, struct origin origin,
                  struct arena *arena, struct value *ret, struct gb_error *error)
{
    if (is_typed_by_value(slot))
        return read_variable(text, origin, arena, ret, error);
    if (slot->kind == SLOT_ENVIRONMENT) {
        int32_t status = value_read_type(GB_TYPE_STRING, text, origin, arena, ret, error);
        if (status == GB_OK)
            *ret = untyped_value(ret->text, arena);
        return status;
    }
    if (slot->map_key) {
        *ret = untyped_value(arena_text(arena, text), arena);
        return GB_OK;
    }
    if (is_list(slot)) {
        struct setting setting = {slot->name, text, origin};
        *ret = string_value("");
        return option_read(slot->option, &setting, arena, &ret->text, NULL, error);
    }
    if (slot->kind == SLOT_PAPER && text_equal(text, NO_FIGURE)) {
        *ret = (struct value){.type = slot->option->type, .number = NAN, .text = NO_FIGURE};
        return GB_OK;
    }
    return value_read(slot->option, number_meant(slot, text), origin, arena, ret, error);
}

int32_t slot_compute(const struct slot *slot, const struct value *result, struct origin origin,
                     struct arena *arena, struct value *ret, struct gb_error *error)
{
    uint32_t type = slot->option ? slot->option->type : GB_TYPE_STRING;
    const char *text = result->text;
    if (slot->kind == SLOT_VARIABLE) {
        *ret = *result;
        return GB_OK;
    }
    if (slot->map_key || type == GB_TYPE_STRING) {
        *ret = slot->option && !slot->map_key ? string_value(text) : *result;
        return GB_OK;
    }
    if (type == GB_TYPE_DURATION && result->type != GB_TYPE_STRING && isfinite(result->number))
        text = arena_printf(arena, "%sns", text);
    return slot_read(slot, text, origin, arena, ret, error);
}

/* ---- lists ---- */

const char *slot_item(const struct slot *slot, const struct text_list *items, size_t i,
                      struct arena *arena)
{
    return items->is_quoted[i] && is_typed_by_value(slot) ? text_in_quotes(items->items[i], arena)
                                                          : items->items[i];
}

struct values {
    struct arena *arena;
    struct value_list list;
};

static void add_value(struct values *values, const struct value *value, struct origin origin)
{
    struct value_list *list = &values->list;
    list->items = arena_grow(values->arena, list->items, list->n, sizeof *list->items);
    list->origins = arena_grow(values->arena, list->origins, list->n, sizeof *list->origins);
    list->items[list->n] = *value;
    list->origins[list->n++] = origin;
}

/* A range such as 1:8 or 8:64:x2 among values that have no type of their own. */
static bool add_range(struct values *values, const struct slot *slot, const char *text,
                      struct origin origin)
{
    struct gb_option number = {.size = sizeof number, .type = GB_TYPE_INT, .name = slot->name};
    struct value_list list;
    if (!strchr(text, ':'))
        return false;
    if (value_list_read(&number, text, origin, values->arena, &list, NULL) != GB_OK) {
        number.type = GB_TYPE_FLOAT;
        if (!is_typed_by_value(slot) ||
            value_list_read(&number, text, origin, values->arena, &list, NULL) != GB_OK)
            return false;
    }
    for (size_t i = 0; i < list.n; i++) {
        struct value value = is_typed_by_value(slot)
                                 ? list.items[i]
                                 : untyped_value(list.items[i].text, values->arena);
        add_value(values, &value, origin);
    }
    return true;
}

/* One item of a list that value_list_read does not know how to read. */
static int32_t add_item(struct values *values, const struct slot *slot, const char *text,
                        struct origin origin, bool ranges, struct gb_error *error)
{
    struct value value;
    int32_t status = GB_OK;
    if (ranges && add_range(values, slot, text, origin))
        return GB_OK;
    if (slot->kind == SLOT_ENVIRONMENT || (slot->map_key && !is_typed_by_value(slot)))
        value = untyped_value(text, values->arena);
    else
        status = slot_read(slot, text, origin, values->arena, &value, error);
    if (status == GB_OK)
        add_value(values, &value, origin);
    return status;
}

/* A list of iterations may have auto among its numbers. */
static int32_t add_count(struct values *values, const struct slot *slot, const char *text,
                         struct origin origin, struct gb_error *error)
{
    struct value_list list;
    int32_t status = value_list_read(slot->option, number_meant(slot, text), origin, values->arena,
                                     &list, error);
    for (size_t i = 0; status == GB_OK && i < list.n; i++)
        add_value(values, &list.items[i], origin);
    return status;
}

int32_t slot_read_list(const struct slot *slot, const char *text, struct origin origin,
                       struct arena *arena, struct value_list *ret, struct gb_error *error)
{
    bool is_count = slot->kind == SLOT_COMMON && text_equal(slot->name, "iterations");
    if (slot->option && !slot->map_key && !is_list(slot) && !is_count)
        return value_list_read(slot->option, text, origin, arena, ret, error);
    struct values values = {.arena = arena};
    struct text_list items = {0};
    bool may_range = !slot->option || slot->map_key;
    int32_t status = text_split(text, ',', origin, arena, &items, error);
    for (size_t i = 0; status == GB_OK && i < items.n; i++)
        status = is_count ? add_count(&values, slot, items.items[i], items.origins[i], error)
                          : add_item(&values, slot, slot_item(slot, &items, i, arena),
                                     items.origins[i], may_range && !items.is_quoted[i], error);
    if (status == GB_OK && values.list.n > VALUE_LIST_MAX)
        status = error_set_at(error, GB_INVALID, origin,
                              "the list is too long: \1expected up to %d values", VALUE_LIST_MAX);
    *ret = values.list;
    return status;
}

/* ---- a list where one value is expected ---- */

/* "1,000,000" */
static bool has_grouped_digits(const char *text)
{
    enum { GROUP = 3 };
    size_t n = strspn(text, "0123456789");
    bool is_grouped = false;
    if (n == 0 || n > GROUP)
        return false;
    for (text += n; *text == ','; text += GROUP + 1) {
        if (strspn(text + 1, "0123456789") != GROUP)
            return false;
        is_grouped = true;
    }
    return is_grouped && !*text;
}

/* Every `from` becomes `to`, blanks around it left out. */
static char *replaced(const char *text, const char *from, const char *to, struct arena *arena)
{
    CLEANUP(text_free) struct text out = {0};
    const size_t n = strlen(from);
    for (const char *at = strstr(text, from); at; at = strstr(text, from)) {
        text_add_n(&out, text, (size_t)(at - text));
        text_add(&out, to);
        text = at + n;
    }
    text_add(&out, text);
    return arena_text(arena, text_get(&out));
}

static char *without_brackets(const char *text, struct arena *arena)
{
    size_t n = strlen(text);
    bool has_them = n > 2 && strchr("[{(", text[0]) && strchr("]})", text[n - 1]);
    return has_them ? arena_text_n(arena, text + 1, n - 2) : arena_text(arena, text);
}

const char *hint_of_values(const struct slot *slot, const char *text, struct arena *arena)
{
    static const char *const slips[][2] = {{"", ""},   {"...", ":"}, {"..", ":"}, {":*", ":x"},
                                           {"-", ":"}, {";", ","},   {" ", ", "}};
    const char *inner = without_brackets(text, arena);
    if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY || slot->map_key ||
        has_grouped_digits(text))
        return NULL;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        struct value_list values = {0};
        const char *meant = *slips[i][0] ? replaced(inner, slips[i][0], slips[i][1], arena) : inner;
        if (slot_read_list(slot, meant, (struct origin){0}, arena, &values, NULL) == GB_OK &&
            values.n > 1)
            return meant;
    }
    return NULL;
}

/* ---- the slots of a benchmark ---- */

struct slot *bench_slot(const struct bench_section *bench, const char *name)
{
    for (size_t i = 0; i < bench->n_slots; i++)
        if (bench->slots[i].kind != SLOT_BENCH && text_equal(bench->slots[i].name, name))
            return &bench->slots[i];
    return NULL;
}

struct expression_column *bench_columns(const struct bench_section *bench, struct arena *arena)
{
    struct expression_column *columns = ARENA_ARRAY(arena, struct expression_column,
                                                    bench->n_slots);
    for (size_t i = 0; i < bench->n_slots; i++)
        columns[i] = (struct expression_column){bench->slots[i].name, bench->slots[i].value};
    return columns;
}

const struct axis_column *bench_axis_of(const struct bench_section *bench, size_t slot,
                                        size_t *ret_n)
{
    for (size_t i = 0; i < bench->n_axes; i++)
        for (size_t j = 0; j < bench->axes[i].n_columns; j++)
            if (bench->axes[i].columns[j].slot == slot && bench->axes[i].columns[j].values) {
                *ret_n = bench->axes[i].n;
                return &bench->axes[i].columns[j];
            }
    return NULL;
}
