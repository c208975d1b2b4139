/* option_table_check.c - is a plugin's option table sound? See option_table.h. */
#include "core/config/option_table.h"

#include "core/base/plain_text.h"

#include <string.h>

enum { NAME_MAX_BYTES = 40, OPTIONS_MAX = 1024, CHOICES_MAX = 1024, PARAMS_MAX_BYTES = 1 << 20 };

/* A table on its way through the checks: entry i of it and what is already known. */
struct checking {
    struct option_table table;
    uint64_t params_size;
    const char *const *reserved;
    size_t n_reserved;
    uint32_t i;
    struct gb_option option;
    struct arena *arena;
    struct gb_error *error;
};

static int32_t refuse(struct checking *checking, const char *what)
{
    return error_set(checking->error, GB_INVALID, "%s", what);
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    size_t n = strnlen(name, NAME_MAX_BYTES + 1);
    return n && n <= NAME_MAX_BYTES && strchr(letters, name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

static int32_t check_name(struct checking *checking)
{
    const char *name = checking->option.name;
    if (!name)
        return refuse(checking, "its name is missing");
    if (!is_name(name))
        return refuse(checking, "its name is malformed: expected [a-z][a-z0-9_]*, up to 40 bytes");
    for (uint32_t k = 0; k < checking->i; k++)
        if (text_equal(option_at(checking->table, k)->name, name))
            return error_set(checking->error, GB_INVALID, "'%s' is also the name of option %u",
                             name, k + 1);
    for (size_t k = 0; k < checking->n_reserved; k++)
        if (text_equal(checking->reserved[k], name))
            return error_set(checking->error, GB_INVALID,
                             "the name '%s' is reserved: \1expected another one", name);
    return GB_OK;
}

static int32_t check_type(struct checking *checking)
{
    if (option_width(checking->option.type))
        return GB_OK;
    return error_set(checking->error, GB_INVALID, "its type %u is not known",
                     checking->option.type);
}

static int32_t check_place(struct checking *checking)
{
    const struct gb_option *option = &checking->option;
    uint64_t width = option_width(option->type), size = checking->params_size;
    uint64_t alignment = width < _Alignof(struct gb_list) ? width : _Alignof(struct gb_list);
    if (width > size || option->offset > size - width)
        return refuse(checking, "its place lies outside the params struct");
    if (option->offset % alignment)
        return refuse(checking, "its place in the params struct is not aligned");
    for (uint32_t k = 0; k < checking->i; k++) {
        const struct gb_option *other = option_at(checking->table, k);
        if (option->offset < other->offset + option_width(other->type) &&
            other->offset < option->offset + width)
            return error_set(checking->error, GB_INVALID, "its place overlaps that of '%s'",
                             other->name);
    }
    return GB_OK;
}

/* A word that can be written in a list without quotes and shown in one line. */
static bool is_choice_word(const char *word)
{
    if (!word || !is_plain_line(word) || strpbrk(word, ",\"|;#"))
        return false;
    size_t n = strlen(word);
    return word[0] != ' ' && word[n - 1] != ' ';
}

static int32_t check_choices(struct checking *checking)
{
    const struct gb_option *option = &checking->option;
    bool has_choices = option->n_choices || option->choices;
    if ((option->type & ~(uint32_t)GB_TYPE_LIST) != GB_TYPE_CHOICE)
        return has_choices ? refuse(checking, "it has choices, but is not of type choice") : GB_OK;
    if (!option->n_choices || !option->choices)
        return refuse(checking, "it has no choices");
    if (option->n_choices > CHOICES_MAX)
        return error_set(checking->error, GB_INVALID, "it has %u choices: \1expected up to %d",
                         option->n_choices, CHOICES_MAX);
    for (uint32_t k = 0; k < option->n_choices; k++) {
        if (!is_choice_word(option->choices[k]))
            return error_set(checking->error, GB_INVALID,
                             "its choice %u is malformed: \1expected a word without , \" | ; #",
                             k + 1);
        for (uint32_t l = 0; l < k; l++)
            if (text_equal(option->choices[k], option->choices[l]))
                return error_set(checking->error, GB_INVALID, "its choice '%s' is there twice",
                                 option->choices[k]);
    }
    return GB_OK;
}

static int32_t check_flags(struct checking *checking)
{
    const struct gb_option *option = &checking->option;
    bool is_text = option->type == GB_TYPE_STRING || option->type == GB_TYPE_MAP;
    if ((option->flags & GB_OPTION_TEMPLATE) && !is_text)
        return refuse(checking, "it is a template, but neither a string nor a map");
    if (!(option->flags & GB_OPTION_REST))
        return GB_OK;
    if (option->type != GB_TYPE_MAP || option->flags & GB_OPTION_TEMPLATE)
        return refuse(checking, "it takes the other keys: expected a map that is no template");
    for (uint32_t k = 0; k < checking->i; k++)
        if (option_is_rest(option_at(checking->table, k)))
            return error_set(checking->error, GB_INVALID, "'%s' takes the other keys already",
                             option_at(checking->table, k)->name);
    return GB_OK;
}

static int32_t check_texts(struct checking *checking)
{
    const struct gb_option *option = &checking->option;
    if (!option->help || !is_plain_line(option->help))
        return refuse(checking, "its help is missing: expected one sentence");
    if (option->unit && !is_plain_line(option->unit))
        return refuse(checking, "its unit is malformed: expected a word or NULL");
    return GB_OK;
}

static int32_t check_range(struct checking *checking)
{
    const struct gb_option *option = &checking->option;
    struct value_range range;
    switch (option->type & ~(uint32_t)GB_TYPE_LIST) {
    case GB_TYPE_INT:
    case GB_TYPE_FLOAT:
    case GB_TYPE_BYTES:
    case GB_TYPE_DURATION:
        return value_range_read(option, checking->arena, &range, checking->error);
    default:
        return option->range ? refuse(checking, "it has a range, but is not a number") : GB_OK;
    }
}

static int32_t check_default(struct checking *checking)
{
    const struct gb_option *option = &checking->option;
    const char *text = option->default_value;
    if (!text)
        return GB_OK;
    if (*text && !is_plain_line(text))
        return refuse(checking, "its default holds control characters");
    if (option->type == GB_TYPE_MAP)
        return *text ? refuse(checking, "its default must be empty, as that of every map") : GB_OK;
    struct setting setting = {option->name, text, {0}};
    const char *canonical;
    int32_t status = option_read(option, &setting, checking->arena, &canonical, NULL,
                                 checking->error);
    return status == GB_OK ? GB_OK : error_prefix(checking->error, "default: ");
}

/* The name is checked first: from then on messages can use it. */
static int32_t check_entry(struct checking *checking)
{
    static int32_t (*const checks[])(struct checking *) = {
        check_type,  check_place, check_choices, check_flags,
        check_texts, check_range, check_default,
    };
    if (check_name(checking) != GB_OK)
        return error_prefix(checking->error, "option %u: ", checking->i + 1);
    for (size_t k = 0; k < sizeof checks / sizeof checks[0]; k++)
        if (checks[k](checking) != GB_OK)
            return error_prefix(checking->error, "option '%s': ", checking->option.name);
    return GB_OK;
}

/* Before anything else of an entry is looked at: is it as long as it has to be? */
static int32_t check_size(struct checking *checking)
{
    uint32_t size = option_at(checking->table, checking->i)->size;
    uint32_t stride = checking->table.first->size;
    if (size < sizeof(struct gb_option) || size % _Alignof(struct gb_option))
        return error_set(checking->error, GB_INVALID,
                         "option %u: its size is %u: \1expected at least %zu, in steps of %zu",
                         checking->i + 1, size, sizeof(struct gb_option),
                         _Alignof(struct gb_option));
    if (size != stride)
        return error_set(checking->error, GB_INVALID,
                         "option %u: its size is %u, that of the first is %u: \1expected the same",
                         checking->i + 1, size, stride);
    return GB_OK;
}

static int32_t check_table(struct checking *checking)
{
    struct option_table table = checking->table;
    if (table.n && !table.first)
        return error_set(checking->error, GB_INVALID,
                         "the option table is missing, but has %u entries by its count", table.n);
    if (table.n > OPTIONS_MAX)
        return error_set(checking->error, GB_INVALID,
                         "the option table has %u entries: \1expected up to %d", table.n,
                         OPTIONS_MAX);
    if (checking->params_size > PARAMS_MAX_BYTES)
        return error_set(checking->error, GB_INVALID,
                         "the params struct has %llu bytes: \1expected up to %d",
                         (unsigned long long)checking->params_size, PARAMS_MAX_BYTES);
    return GB_OK;
}

int32_t option_table_check(struct option_table table, uint64_t params_size,
                           const char *const *reserved, size_t n_reserved, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_error unused = {0};
    struct checking checking = {.table = table,
                                .params_size = params_size,
                                .reserved = reserved,
                                .n_reserved = n_reserved,
                                .arena = &arena,
                                .error = error ? error : &unused};
    int32_t status = check_table(&checking);
    for (; status == GB_OK && checking.i < table.n; checking.i++) {
        status = check_size(&checking);
        if (status != GB_OK)
            break;
        checking.option = option_entry(table, checking.i);
        status = check_entry(&checking);
    }
    return status;
}
