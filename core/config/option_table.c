/* option_table.c - see option_table.h. */
#include "core/config/option_table.h"

#include "core/base/plain_text.h"
#include "core/base/table.h"

#include <string.h>

struct option_table option_table_of(const struct gb_plugin *plugin)
{
    return (struct option_table){plugin->options, plugin->options ? plugin->n_options : 0};
}

const struct gb_option *option_at(struct option_table table, uint32_t i)
{
    return (const struct gb_option *)((const char *)table.first + (size_t)i * table.first->size);
}

const struct gb_option *option_required(struct option_table table)
{
    for (uint32_t i = 0; i < table.n; i++)
        if (!option_at(table, i)->default_value && option_at(table, i)->type != GB_TYPE_MAP)
            return option_at(table, i);
    return NULL;
}

struct gb_option option_entry(struct option_table table, uint32_t i)
{
    const struct gb_option *option = option_at(table, i);
    struct gb_option copy = {0};
    memcpy(&copy, option, option->size < sizeof copy ? option->size : sizeof copy);
    return copy;
}

static uint32_t element_type(const struct gb_option *option)
{
    return option->type & ~(uint32_t)GB_TYPE_LIST;
}

static bool is_list(const struct gb_option *option)
{
    return option->type & GB_TYPE_LIST;
}

/* Bytes that a type takes in the params struct; 0 for a type that is not known. */
static size_t option_width(uint32_t type)
{
    static const size_t widths[] = {
        [GB_TYPE_INT] = sizeof(int64_t),     [GB_TYPE_FLOAT] = sizeof(double),
        [GB_TYPE_BOOL] = sizeof(int32_t),    [GB_TYPE_STRING] = sizeof(const char *),
        [GB_TYPE_CHOICE] = sizeof(int32_t),  [GB_TYPE_BYTES] = sizeof(uint64_t),
        [GB_TYPE_DURATION] = sizeof(double), [GB_TYPE_MAP] = sizeof(struct gb_map),
    };
    uint32_t element = type & ~(uint32_t)GB_TYPE_LIST;
    if (type & GB_TYPE_LIST)
        return element >= GB_TYPE_INT && element < GB_TYPE_MAP ? sizeof(struct gb_list) : 0;
    return type <= GB_TYPE_MAP ? widths[type] : 0;
}

/* KEY of "NAME.KEY", or NULL if the key does not begin with "NAME." or nothing follows. */
static const char *map_key(const struct gb_option *option, const char *key)
{
    size_t n = strlen(option->name);
    if (option->type != GB_TYPE_MAP || strncmp(key, option->name, n) != 0 || key[n] != '.')
        return NULL;
    return key[n + 1] ? key + n + 1 : NULL;
}

const struct gb_option *option_find(struct option_table table, const char *key,
                                    const char **ret_map_key)
{
    for (uint32_t i = 0; i < table.n; i++) {
        struct gb_option option = option_entry(table, i);
        const char *rest = map_key(&option, key);
        if (rest || (option.type != GB_TYPE_MAP && text_equal(option.name, key))) {
            if (ret_map_key)
                *ret_map_key = rest;
            return option_at(table, i);
        }
    }
    return NULL;
}

bool option_is_rest(const struct gb_option *option)
{
    return option->type == GB_TYPE_MAP && option->flags & GB_OPTION_REST;
}

const struct gb_option *option_rest(struct option_table table, const char *key)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const bool is_word = *key && key[strspn(key, word)] == 0 && !strchr("0123456789_", *key);
    for (uint32_t i = 0; i < table.n && is_word; i++)
        if (option_is_rest(option_at(table, i)))
            return option_at(table, i);
    return NULL;
}

const char *option_nearest(struct option_table table, const char *key)
{
    struct text_column names = TEXTS_OF(table.first, table.n, name);
    if (table.n)
        names.item_bytes = table.first->size;
    return text_nearest(names, key);
}

/* The canonical items of a list, as one would write them. */
static const char *list_text(const struct value_list *list, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    for (size_t i = 0; i < list->n; i++)
        text_printf(&text, "%s%s", i ? "," : "", text_quote(list->items[i].text, ',', arena));
    return arena_text(arena, text_get(&text));
}

int32_t option_read(const struct gb_option *option, const struct setting *setting,
                    struct arena *arena, const char **ret_text, struct gb_error *error)
{
    struct value value;
    struct value_list list;
    int32_t status = GB_OK;
    if (option->type == GB_TYPE_MAP) {
        *ret_text = arena_text(arena, setting->text);
    } else if (is_list(option)) {
        status = value_list_read(option, setting->text, setting->origin, arena, &list, error);
        if (status == GB_OK)
            *ret_text = list_text(&list, arena);
    } else {
        status = value_read(option, setting->text, setting->origin, arena, &value, error);
        if (status == GB_OK)
            *ret_text = text_quote(value.text, 0, arena);
    }
    return status;
}

struct origin setting_place(const struct setting *setting, const struct setting_source *source,
                            const struct gb_option *option, size_t offset)
{
    const char *written = source->written ? source->written : setting->text;
    size_t length = strlen(written), i = source->map.n;
    while (i > 0 && source->map.pieces[i - 1].at > offset)
        i--;
    if (i > 0) {
        const struct text_piece *piece = &source->map.pieces[i - 1];
        offset = piece->source + (piece->is_copy ? offset - piece->at : 0);
    }
    /* A value in quotes is read without them. */
    if (*written == '"' && option->type == GB_TYPE_STRING)
        for (size_t k = 0; k <= offset && k < length; k++)
            offset += k == 0 || (written[k] == '\\' && written[++k]);
    return origin_at(setting->origin, written, offset < length ? offset : length);
}

/* A params struct on its way to being filled. */
struct filling {
    struct option_table table;
    const struct setting *settings;
    size_t n_settings;
    unsigned char *params;
    uint64_t params_size;
    struct arena *arena;
    struct gb_error *error;
    bool is_over; /* what no setting is for stays */
};

/* The setting of an option that is not a map, or NULL. */
static const struct setting *setting_of(const struct filling *filling, const char *name)
{
    return ITEM_NAMED(filling->settings, filling->n_settings, key, name);
}

static int32_t unknown_option(const struct filling *filling, const struct setting *setting)
{
    const char *near = option_nearest(filling->table, setting->key);
    if (near && text_equal(near, setting->key))
        return error_set_at(filling->error, GB_INVALID, setting->origin,
                            "option '%s' is a set of keys: \1expected %s.KEY", near, near);
    return error_set_at(filling->error, GB_INVALID, setting->origin, "unknown option '%s'%s%s%s",
                        setting->key, DID_YOU_MEAN(near, ""));
}

static int32_t check_settings(const struct filling *filling)
{
    for (size_t k = 0; k < filling->n_settings; k++) {
        const struct setting *setting = &filling->settings[k];
        if (setting_of(filling, setting->key) != setting)
            return error_set_at(filling->error, GB_INVALID, setting->origin,
                                "option '%s' is given twice", setting->key);
        if (!option_find(filling->table, setting->key, NULL) &&
            !option_rest(filling->table, setting->key))
            return unknown_option(filling, setting);
    }
    return GB_OK;
}

static void store(uint32_t type, const struct value *value, void *to)
{
    int32_t index = (int32_t)value->integer;
    const void *const members[] = {
        [GB_TYPE_INT] = &value->integer,
        [GB_TYPE_FLOAT] = &value->number,
        [GB_TYPE_BOOL] = &index,
        [GB_TYPE_STRING] = &value->text,
        [GB_TYPE_CHOICE] = &index,
        [GB_TYPE_BYTES] = &value->bytes,
        [GB_TYPE_DURATION] = &value->number,
    };
    memcpy(to, members[type], option_width(type));
}

static int32_t fill_list(struct filling *filling, const struct gb_option *option,
                         const struct setting *setting, void *to)
{
    struct value_list list;
    uint32_t type = element_type(option);
    int32_t status = value_list_read(option, setting->text, setting->origin, filling->arena, &list,
                                     filling->error);
    if (status != GB_OK || list.n == 0)
        return status;
    size_t width = option_width(type);
    unsigned char *items = arena_allocate(filling->arena, width * list.n);
    for (size_t k = 0; k < list.n; k++)
        store(type, &list.items[k], items + k * width);
    struct gb_list result = {list.n, items};
    memcpy(to, &result, sizeof result);
    return GB_OK;
}

static int32_t missing(const struct filling *filling, const struct gb_option *option,
                       const char *key)
{
    return error_set(filling->error, GB_INVALID, "option '%s%s' is missing: it has no default (%s)",
                     option->name, key, option->help ? option->help : "");
}

static int32_t fill_map(struct filling *filling, const struct gb_option *option, void *to)
{
    const char **keys = ARENA_ARRAY(filling->arena, const char *, filling->n_settings);
    const char **values = ARENA_ARRAY(filling->arena, const char *, filling->n_settings);
    struct gb_map map = {0, keys, values};
    for (size_t k = 0; k < filling->n_settings; k++) {
        const char *whole = filling->settings[k].key;
        const bool is_rest = option_is_rest(option) && !option_find(filling->table, whole, NULL);
        const char *key = is_rest ? whole : map_key(option, whole);
        if (!key)
            continue;
        keys[map.n] = arena_text(filling->arena, key);
        values[map.n++] = arena_text(filling->arena, filling->settings[k].text);
    }
    if (!map.n && !option->default_value)
        return missing(filling, option, ".KEY");
    memcpy(to, &map, sizeof map);
    return GB_OK;
}

static int32_t fill_one(struct filling *filling, const struct gb_option *option)
{
    size_t width = option_width(option->type);
    if (width == 0 || width > filling->params_size || option->offset > filling->params_size - width)
        return error_set(filling->error, GB_CORRUPT,
                         "option '%s' has no place in the params struct", option->name);
    void *to = filling->params + option->offset;
    if (option->type == GB_TYPE_MAP)
        return fill_map(filling, option, to);
    struct setting standard = {option->name, option->default_value, {0}};
    const struct setting *setting = setting_of(filling, option->name);
    if (!setting && filling->is_over)
        return GB_OK;
    if (!setting)
        setting = &standard;
    if (!setting->text)
        return missing(filling, option, "");
    if (is_list(option))
        return fill_list(filling, option, setting, to);
    struct value value;
    int32_t status = value_read(option, setting->text, setting->origin, filling->arena, &value,
                                filling->error);
    if (status == GB_OK)
        store(option->type, &value, to);
    return status;
}

static int32_t fill_all(struct filling *filling)
{
    int32_t status = check_settings(filling);
    for (uint32_t i = 0; status == GB_OK && i < filling->table.n; i++) {
        struct gb_option option = option_entry(filling->table, i);
        status = fill_one(filling, &option);
    }
    return status;
}

int32_t option_fill(struct option_table table, const struct setting *settings, size_t n_settings,
                    void *params, uint64_t params_size, struct arena *arena, struct gb_error *error)
{
    struct filling filling = {table,       settings, n_settings, params,
                              params_size, arena,    error,      false};
    if (params_size)
        memset(params, 0, params_size);
    return fill_all(&filling);
}

int32_t option_fill_over(struct option_table table, const struct setting *settings,
                         size_t n_settings, void *params, uint64_t params_size, struct arena *arena,
                         struct gb_error *error)
{
    struct filling filling = {table, settings, n_settings, params, params_size, arena, error, true};
    return fill_all(&filling);
}

const char *option_type_word(uint32_t type)
{
    static const char *const words[] = {"",       "int",   "float",    "bool", "string",
                                        "choice", "bytes", "duration", "map"};
    type &= ~(uint32_t)GB_TYPE_LIST;
    return words[type < sizeof words / sizeof *words ? type : 0];
}

/* What may be written, in words: "integer (rows), 1:65536", "one of cold, warm". */
static void describe(const struct gb_option *option, struct text *out)
{
    uint32_t type = element_type(option);
    const char *words = type_words(option->type);
    if (type == GB_TYPE_CHOICE) {
        text_add(out, is_list(option) ? "list of " : "one of ");
        text_add_joined(out, WORDS_OF(option->choices, option->n_choices));
        return;
    }
    text_add(out, strchr(words, ' ') + 1);
    bool is_plain_number = type == GB_TYPE_INT || type == GB_TYPE_FLOAT;
    if (option->unit && is_plain_number)
        text_printf(out, " (%s)", option->unit);
    if (option->range)
        text_printf(out, ", %s", option->range);
}

/* The left half of a line: "rows = 32", "rows (required)", "arg.KEY". */
static void describe_key(const struct gb_option *option, struct text *out)
{
    text_add(out, option->name);
    if (option->type == GB_TYPE_MAP)
        text_add(out, ".KEY");
    if (!option->default_value)
        text_add(out, " (required)");
    else if (option->type != GB_TYPE_MAP)
        text_printf(out, " =%s%s", *option->default_value ? " " : "", option->default_value);
}

static void help_plain(const struct gb_option *option, size_t width, struct text *out)
{
    enum { INDENT = 6 };
    CLEANUP(text_free) struct text words = {0};
    text_add(out, "  ");
    describe_key(option, out);
    text_printf(&words, "%s\n", option->help);
    describe(option, &words);
    text_printf(out, "\n%*s", INDENT, "");
    text_add_wrapped(out, text_get(&words), INDENT, INDENT, width);
    text_add(out, "\n");
}

void help_add_roff(const char *words, struct text *out)
{
    bool is_code = false;
    if (*words == '.' || *words == '\'')
        text_add(out, "\\&");
    for (; *words; words++) {
        if (*words == '`')
            text_add(out, (is_code = !is_code) ? "\\fB" : "\\fR");
        else if (*words == '\\')
            text_add(out, "\\e");
        else if (*words == '~')
            text_add(out, "\\(ti");
        else
            text_printf(out, "%s%c", *words == '-' ? "\\" : "", *words);
    }
}

static void help_roff(const struct gb_option *option, struct text *out)
{
    CLEANUP(text_free) struct text key = {0}, type = {0};
    describe_key(option, &key);
    describe(option, &type);
    text_add(out, ".TP\n\\fB");
    help_add_roff(text_get(&key), out);
    text_add(out, "\\fR\n");
    help_add_roff(option->help, out);
    text_add(out, "\n.br\n");
    help_add_roff(text_get(&type), out);
    text_add(out, "\n");
}

static void help_markdown(struct option_table options, struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    table_columns(&table, "option|default|value|meaning");
    for (uint32_t i = 0; i < options.n; i++) {
        struct gb_option option = option_entry(options, i);
        table_row(&table);
        table_cell_printf(&table, "`%s%s`", option.name, option.type == GB_TYPE_MAP ? ".KEY" : "");
        if (option.default_value && *option.default_value)
            table_cell_printf(&table, "`%s`", option.default_value);
        else
            table_cell(&table, option.default_value ? "" : "required");
        describe(&option, table_words(&table));
        table_cell(&table, option.help);
    }
    table_write(&table, TABLE_MARKDOWN, out);
}

void option_table_help(struct option_table table, int style, size_t width, struct text *out)
{
    if (style == HELP_MARKDOWN) {
        help_markdown(table, out);
        return;
    }
    for (uint32_t i = 0; i < table.n; i++) {
        struct gb_option option = option_entry(table, i);
        if (style == HELP_ROFF)
            help_roff(&option, out);
        else
            help_plain(&option, width, out);
    }
}

/* ---- is a table sound? ---- */

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
    if (text_is_among(checking->reserved, checking->n_reserved, name))
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
    if (width == 0 || width > size || option->offset > size - width)
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
    if (element_type(option) != GB_TYPE_CHOICE)
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
    switch (element_type(option)) {
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
    int32_t status = option_read(option, &setting, checking->arena, &canonical, checking->error);
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
