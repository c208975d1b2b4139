/* verb_help.c - gbrun help and gbrun doctor: words for people. */
#include "core/cli/verbs.h"
#include "core/config/option_table.h"
#include "core/run/machine.h"

#include <stdio.h>
#include <string.h>

static const struct verb_option help_options[] = {
    {"markdown", 0, NULL, "print the options as a Markdown table"},
    {"roff", 0, NULL, "print the options for a manual page"},
    {"plugin-path", 'p', "FOLDER", "look for plugins in FOLDER first; may be repeated"},
};

/* Tables that belong to no plugin. */
static const struct topic {
    const char *name;
    const char *words;
    struct option_table (*table)(void);
} topics[] = {
    {"gbrun", "Keys of the section [gbrun]: the run.", run_options},
    {"bench", "Keys that every [bench NAME] and [defaults] has beside a benchmark's own options.",
     common_options},
};

static void print_overview(void)
{
    const struct verb *const *verbs;
    size_t n = verbs_all(&verbs);
    printf(
        "usage: gbrun VERB [OPTION...]\n       gbrun -c FILE   (the same as gbrun run -c FILE)\n\n"
        "Measures code that lives in plugins: kernels on GPUs and CPUs.\n\nverbs:\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-8s  %s\n", verbs[i]->name, verbs[i]->summary);
    printf("\n`gbrun help VERB`, `gbrun help PLUGIN`, `gbrun help gbrun` (the section [gbrun]),\n"
           "`gbrun help bench` (keys of every benchmark), `gbrun help OPTION`.\n"
           "`gbrun list plugins` names the plugins; `gbrun --version` prints the version.\n");
}

static void print_table(struct option_table table, int style)
{
    struct text text = {0};
    if (table.n > 0)
        option_table_help(table, style, &text);
    fputs(text_get(&text), stdout);
    text_free(&text);
}

static void print_paragraph(const char *words, const char *end)
{
    CLEANUP(text_free) struct text text = {0};
    text_add_wrapped(&text, words, 0, 0, HELP_COLUMNS);
    printf("%s%s", text_get(&text), end);
}

static void print_plugin(const struct plugin_info *info, int style)
{
    const struct gb_plugin *plugin = &info->plugin;
    if (style == HELP_PLAIN) {
        printf("%s %s, version %s\n", plugin_kind_words(plugin->kind), plugin->id, plugin->version);
        print_paragraph(plugin->summary, ".\n");
        if (plugin->help && *plugin->help) {
            putchar('\n');
            print_paragraph(plugin->help, "\n");
        }
        if (plugin->devices)
            printf("\nruns on: %s\n", plugin->devices);
        printf("module: %s\n", info->path);
        if (plugin->n_options)
            printf("\noptions:\n");
    }
    print_table(option_table_of(plugin), style);
}

/* An option by its name, wherever it is: "precision" of two policies, say. */
static size_t print_option(const struct catalogue *catalogue, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        const struct gb_option *option = option_find(topics[i].table(), name, NULL);
        if (option) {
            printf("%s[%s] %s\n", n++ ? "\n" : "", topics[i].name, name);
            print_table((struct option_table){option, 1}, HELP_PLAIN);
        }
    }
    for (size_t i = 0; i < catalogue->n_plugins; i++) {
        const struct gb_plugin *plugin = &catalogue->plugins[i].plugin;
        const struct gb_option *option = option_find(option_table_of(plugin), name, NULL);
        if (option) {
            printf("%s%s %s: %s\n", n++ ? "\n" : "", plugin_kind_words(plugin->kind), plugin->id,
                   name);
            print_table((struct option_table){option, 1}, HELP_PLAIN);
        }
    }
    return n;
}

static int help_on_plugin(const struct arguments *arguments, const char *name, int style)
{
    struct arena arena = {0};
    struct catalogue catalogue;
    size_t n = 0;
    int code = catalogue_read(arguments, &arena, &catalogue);
    for (size_t i = 0; i < catalogue.n_plugins && code == EXIT_FINE; i++)
        if (text_equal(catalogue.plugins[i].plugin.id, name)) {
            if (n++ > 0)
                putchar('\n');
            print_plugin(&catalogue.plugins[i], style);
        }
    if (code == EXIT_FINE && n == 0 && style == HELP_PLAIN)
        n = print_option(&catalogue, name);
    if (code == EXIT_FINE && n == 0)
        code = fail_usage("help %s: no verb, plugin, section or option is called so", name);
    arena_free(&arena);
    return code;
}

static int run_help(const struct arguments *arguments)
{
    const char *const *operands;
    size_t n = argument_operands(arguments, &operands);
    int style = argument(arguments, "roff")       ? HELP_ROFF
                : argument(arguments, "markdown") ? HELP_MARKDOWN
                                                  : HELP_PLAIN;
    if (n == 0) {
        print_overview();
        return EXIT_FINE;
    }
    const struct verb *verb = verb_named(operands[0]);
    if (verb) {
        struct text text = {0};
        verb_help(verb, style, &text);
        fputs(text_get(&text), stdout);
        text_free(&text);
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (text_equal(topics[i].name, operands[0])) {
            if (style == HELP_PLAIN)
                printf("%s\n\n", topics[i].words);
            print_table(topics[i].table(), style);
            return EXIT_FINE;
        }
    return help_on_plugin(arguments, operands[0], style);
}

const struct verb verb_help_on = {
    .name = "help",
    .operands = "[VERB|PLUGIN|SECTION|OPTION]",
    .summary = "Explain a verb, a plugin, a section of the configuration or an option",
    .help = "Sections are gbrun and bench. Everything is printed from the tables that the program "
            "itself\n"
            "and the plugins are read by.",
    .options = help_options,
    .n_options = sizeof help_options / sizeof *help_options,
    .run = run_help,
};

/* ---- doctor ---- */

static const struct verb_option doctor_options[] = {CONFIG_OPTIONS};

/* Returns how many of them are noisy. */
static size_t print_findings(const struct finding *findings, size_t n)
{
    size_t n_noisy = 0;
    for (size_t i = 0; i < n; i++) {
        n_noisy += findings[i].is_noisy;
        printf("%-5s  %-28s  %s\n", findings[i].is_noisy ? "noisy" : "ok", findings[i].subject,
               findings[i].state);
        if (*findings[i].why)
            printf("       %-28s  %s\n", "", findings[i].why);
        if (*findings[i].fix)
            printf("       %-28s  $ %s\n", "", findings[i].fix);
    }
    return n_noisy;
}

static void print_examination(const struct examination *examination, size_t *n, size_t *n_noisy)
{
    for (size_t i = 0; i < examination->n; i++) {
        const struct examined_device *device = &examination->devices[i];
        printf("\n%s\n", device->name);
        *n_noisy += print_findings(device->findings, device->n);
        *n += device->n;
    }
    fflush(stdout);
    for (size_t i = 0; i < examination->n_unexamined; i++)
        fprintf(stderr, "%s: %s: %s\n", examination->unexamined[i].settings->name,
                examination->unexamined[i].is_absent ? "absent" : "cannot be examined",
                examination->unexamined[i].reason);
}

static int run_doctor(const struct arguments *arguments)
{
    const char *const *operands;
    if (argument_operands(arguments, &operands) > 0)
        return fail_usage("'%s': doctor takes no operand", operands[0]);
    struct configuration configuration;
    const struct plugin_settings *settings = NULL;
    struct examination examination = {0};
    struct finding *findings = NULL;
    struct gb_error error;
    size_t n, n_noisy = 0, n_settings, n_auto;
    int code = device_settings_read(arguments, &configuration, &settings, &n_settings, &n_auto);
    if (code == EXIT_FINE) {
        machine_examine(&configuration.arena, &findings, &n);
        n_noisy = print_findings(findings, n);
        fflush(stdout);
        if (devices_examine(settings, n_settings, &configuration.arena, &examination, &error) !=
            GB_OK)
            code = fail_with(&error, EXIT_INTERNAL);
        print_examination(&examination, &n, &n_noisy);
        printf("\n%zu of %zu look noisy; nothing was changed\n", n_noisy, n);
    }
    configuration_free(&configuration);
    return code;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Say what makes measurements on this machine noisy",
    .help = "Only looks. Prints the command that would cure what it finds; runs none of them. The "
            "devices\n"
            "are those of the configuration, or of all device plugins with their default settings.",
    .options = doctor_options,
    .n_options = sizeof doctor_options / sizeof *doctor_options,
    .run = run_doctor,
};
