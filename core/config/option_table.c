/* option_table.c - see option_table.h. */
#include "core/config/option_table.h"

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

size_t option_width(uint32_t type)
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

static const char *name_of(const void *table, size_t i)
{
    return option_entry(*(const struct option_table *)table, (uint32_t)i).name;
}

const char *option_nearest(struct option_table table, const char *key)
{
    return text_nearest(key, table.n, name_of, &table);
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
                    struct arena *arena, const char **ret_text, struct value *ret_value,
                    struct gb_error *error)
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
        if (status != GB_OK)
            return status;
        *ret_text = text_quote(value.text, 0, arena);
        if (ret_value)
            *ret_value = value;
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
};

/* The setting of an option that is not a map, or NULL. */
static const struct setting *setting_of(const struct filling *filling, const char *name)
{
    for (size_t k = 0; k < filling->n_settings; k++)
        if (text_equal(filling->settings[k].key, name))
            return &filling->settings[k];
    return NULL;
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

/* KEY of a setting of the map, or NULL. */
static const char *key_of(const struct filling *filling, const struct gb_option *option,
                          const char *key)
{
    const bool is_rest = option_is_rest(option) && !option_find(filling->table, key, NULL);
    return is_rest ? key : map_key(option, key);
}

static int32_t fill_map(struct filling *filling, const struct gb_option *option, void *to)
{
    const char **keys = ARENA_ARRAY(filling->arena, const char *, filling->n_settings);
    const char **values = ARENA_ARRAY(filling->arena, const char *, filling->n_settings);
    struct gb_map map = {0, keys, values};
    for (size_t k = 0; k < filling->n_settings; k++) {
        const char *key = key_of(filling, option, filling->settings[k].key);
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

int32_t option_fill(struct option_table table, const struct setting *settings, size_t n_settings,
                    void *params, uint64_t params_size, struct arena *arena, struct gb_error *error)
{
    struct filling filling = {table, settings, n_settings, params, params_size, arena, error};
    if (params_size)
        memset(params, 0, params_size);
    int32_t status = check_settings(&filling);
    for (uint32_t i = 0; status == GB_OK && i < table.n; i++) {
        struct gb_option option = option_entry(table, i);
        status = fill_one(&filling, &option);
    }
    return status;
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
        for (uint32_t k = 0; k < option->n_choices; k++)
            text_printf(out, "%s%s", k ? ", " : "", option->choices[k]);
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
    static const char *const heads[] = {"option", "default", "value", "meaning"};
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++)
        table_column(&table, heads[k], false);
    for (uint32_t i = 0; i < options.n; i++) {
        struct gb_option option = option_entry(options, i);
        CLEANUP(text_free) struct text type = {0};
        describe(&option, &type);
        table_row(&table);
        table_cell_printf(&table, "`%s%s`", option.name, option.type == GB_TYPE_MAP ? ".KEY" : "");
        if (option.default_value && *option.default_value)
            table_cell_printf(&table, "`%s`", option.default_value);
        else
            table_cell(&table, option.default_value ? "" : "required");
        table_cell(&table, text_get(&type));
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
