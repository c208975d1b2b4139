/* arguments.c - see arguments.h. */
#include "core/cli/arguments.h"

#include "core/base/table.h"
#include "core/config/option_table.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_LONG = 256 };

/* getopt_long left the text it did not understand just before optind. */
static int32_t refuse(const struct verb *verb, char **argv, int code, struct gb_error *error)
{
    const char *text = argv[optind - 1];
    if (code == ':')
        return error_set(error, GB_INVALID, "%s: %s needs a value", verb->name, text);
    if (text_starts_with(text, "--")) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
        const char *nearest = text_nearest(TEXTS_OF(verb->options, verb->n_options, name), name);
        return nearest
                   ? error_set(error, GB_INVALID, "%s: unknown option --%s; \1did you mean --%s?",
                               verb->name, name, nearest)
                   : error_set(error, GB_INVALID, "%s: unknown option --%s: \1see `gbrun help %s`",
                               verb->name, name, verb->name);
    }
    return error_set(error, GB_INVALID, "%s: unknown option -%c: \1see `gbrun help %s`", verb->name,
                     optopt, verb->name);
}

static void make_getopt_tables(const struct verb *verb, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* a missing value is not an unknown option */
    for (size_t i = 0; i < verb->n_options; i++) {
        const struct verb_option *option = &verb->options[i];
        longs[i] = (struct option){.name = option->name,
                                   .has_arg = option->argument ? required_argument : no_argument,
                                   .val = FIRST_LONG + (int)i};
        if (option->letter) {
            *shorts++ = option->letter;
            if (option->argument)
                *shorts++ = ':';
        }
    }
    *shorts = 0;
}

static size_t option_index(const struct verb *verb, int code)
{
    if (code >= FIRST_LONG)
        return (size_t)(code - FIRST_LONG);
    for (size_t i = 0; i < verb->n_options; i++)
        if (verb->options[i].letter == code)
            return i;
    return 0;
}

int32_t arguments_parse(struct verb_table verbs, const struct verb *verb, int argc, char **argv,
                        struct arena *arena, struct arguments *ret, struct gb_error *error)
{
    struct option longs[OPTIONS_MAX + 1] = {{0}};
    char shorts[2 * OPTIONS_MAX + 2];
    *ret = (struct arguments){.verbs = verbs, .verb = verb};
    make_getopt_tables(verb, longs, shorts);
    opterr = 0;
    optind = 0;
    int code;
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (code == '?' || code == ':')
            return refuse(verb, argv, code, error);
        const struct verb_option *option = &verb->options[option_index(verb, code)];
        struct words *given = &ret->given[option - verb->options];
        if (given->n && option->argument && !text_ends_with(option->argument, "..."))
            return error_set(error, GB_INVALID, "%s: --%s is given twice, %s and %s", verb->name,
                             option->name, given->items[0], optarg);
        ARENA_APPEND(arena, given->items, given->n, optarg ? optarg : "");
    }
    ret->operands = (struct words){(const char **)(argv + optind), (size_t)(argc - optind)};
    return GB_OK;
}

struct words argument_all(const struct arguments *arguments, const char *name)
{
    const struct verb *verb = arguments->verb;
    const size_t i = text_index(TEXTS_OF(verb->options, verb->n_options, name), name);
    return i < verb->n_options ? arguments->given[i] : (struct words){0};
}

const char *argument(const struct arguments *arguments, const char *name)
{
    const struct words given = argument_all(arguments, name);
    return given.n ? given.items[given.n - 1] : NULL;
}

const char *argument_among(const struct arguments *arguments, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (argument(arguments, names[i]))
            return names[i];
    return NULL;
}

static void add_switches(const struct verb_option *option, const char *dash, struct text *out)
{
    if (option->letter)
        text_printf(out, "%s%c, ", dash, option->letter);
    text_printf(out, "%s%s%s", dash, dash, option->name);
    if (option->argument)
        text_printf(out, " %s", option->argument);
}

static void help_roff(const struct verb *verb, struct text *out)
{
    text_printf(out, ".SS gbrun %s [\\fIOPTION\\fR...] %s\n%s.\n.PP\n", verb->name, verb->operands,
                verb->summary);
    help_add_roff(verb->help, out);
    text_add(out, "\n");
    for (size_t i = 0; i < verb->n_options; i++) {
        text_add(out, ".TP\n.B ");
        add_switches(&verb->options[i], "\\-", out);
        text_add(out, "\n");
        help_add_roff(verb->options[i].help, out);
        text_add(out, ".\n");
    }
}

static void help_markdown(const struct verb *verb, struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    table_columns(&table, "option|meaning");
    for (size_t i = 0; i < verb->n_options; i++) {
        CLEANUP(text_free) struct text switches = {0};
        add_switches(&verb->options[i], "-", &switches);
        table_row(&table);
        table_cell_printf(&table, "`%s`", text_get(&switches));
        table_cell(&table, verb->options[i].help);
    }
    if (verb->n_options)
        table_write(&table, TABLE_MARKDOWN, out);
}

void verb_help(const struct verb *verb, int style, size_t width, struct text *out)
{
    if (style == HELP_ROFF) {
        help_roff(verb, out);
        return;
    }
    if (style == HELP_MARKDOWN) {
        help_markdown(verb, out);
        return;
    }
    text_printf(out, "usage: gbrun %s%s%s%s\n\n%s.\n\n", verb->name,
                verb->n_options ? " [OPTION...]" : "", *verb->operands ? " " : "", verb->operands,
                verb->summary);
    text_add_wrapped(out, verb->help, 0, 0, width);
    text_add(out, "\n");
    for (size_t i = 0; i < verb->n_options; i++) {
        enum { HELP_COLUMN = 34 };
        CLEANUP(text_free) struct text switches = {0};
        add_switches(&verb->options[i], "-", &switches);
        text_printf(out, "%s  %-*s  ", i ? "" : "\noptions:\n", HELP_COLUMN - 4,
                    text_get(&switches));
        text_add_wrapped(out, verb->options[i].help, HELP_COLUMN, HELP_COLUMN, width);
        text_add(out, "\n");
    }
}
