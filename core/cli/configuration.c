/* configuration.c - how every verb comes by a configuration. See verbs.h. */
#include "core/cli/ab_builds.h"
#include "core/cli/shard.h"
#include "core/view/search_goal.h"
#include "core/view/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    const char *folder = !slash          ? "."
                         : slash == path ? "/"
                                         : arena_text_n(arena, path, (size_t)(slash - path));
    return path_from(".", folder, arena);
}

/* Which code a configuration chooses that the user did not give: nothing of it is loaded so far. */
static void say_what_is_loaded(struct configuration *configuration,
                               const struct plugin_request *requests, size_t n)
{
    const struct gb_list *folders = &settings_run(configuration->settings)->plugin_path;
    for (size_t i = 0; i < folders->n; i++)
        say("%s: plugins are loaded from %s", configuration->path,
            path_from(configuration->folder, ((const char *const *)folders->items)[i],
                      &configuration->arena));
    for (size_t i = 0; i < n; i++)
        if (requests[i].path)
            say("%s: plugins are loaded from %s", configuration->path, requests[i].path);
}

/* What a document says of a column that there is not would never be shown. */
static int32_t check_papers(struct configuration *configuration, struct error_list *errors)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < sweep_parts(configuration->sweep) && status == GB_OK; i++) {
        const struct sweep_part part = sweep_part(configuration->sweep, i);
        struct bench_case first = {.n_parameters = 0};
        struct gb_error error;
        if (part.n > 0)
            status = sweep_case_at(configuration->sweep, part.first, &configuration->arena, &first,
                                   &error);
        if (status != GB_OK)
            error_list_take(errors, &error);
        for (size_t j = 0; j < first.n_parameters; j++) {
            const char *name = first.parameters[j].name;
            if (!text_starts_with(name, PAPER_PREFIX) ||
                is_paper_column(name + sizeof PAPER_PREFIX - 1))
                continue;
            error_list_add(
                errors, part.origin,
                "[bench %s]: '%s': \1expected paper. and a column that is a number, such "
                "as median_ns or metric.NAME: see 'gbrun help columns'",
                part.name, name);
            status = GB_INVALID;
        }
    }
    return status;
}

/* Has a benchmark of the search an axis of that name? */
static int32_t find_axis(struct sweep *sweep, const struct search_settings *search,
                         const char *name, struct arena *arena, bool *ret, struct gb_error *error)
{
    *ret = text_equal(name, "bench");
    for (size_t i = 0; i < sweep_parts(sweep) && !*ret; i++) {
        const struct sweep_part part = sweep_part(sweep, i);
        struct bench_case first;
        if (part.search != search || part.n == 0)
            continue;
        if (sweep_case_at(sweep, part.first, arena, &first, error) != GB_OK)
            return error->status;
        for (size_t j = 0; j < first.n_parameters; j++)
            *ret |= first.parameters[j].is_axis && text_equal(first.parameters[j].name, name);
    }
    return GB_OK;
}

static int32_t check_goal(struct sweep *sweep, const struct search_settings *search,
                          const struct search_goal *goal, struct arena *arena,
                          struct gb_error *error)
{
    bool is_axis;
    if (search_goal_check(goal, error) == GB_OK)
        return GB_OK;
    struct gb_error unknown = *error;
    int32_t status = find_axis(sweep, search, goal->expression, arena, &is_axis, error);
    if (status != GB_OK || is_axis)
        return status;
    *error = unknown;
    error_prefix(error, "search %s: ", search->plugin->name);
    error->origin = search->goal_origin;
    if (error->origin.column > 0)
        error->origin.column += (uint32_t)goal->offset;
    return GB_INVALID;
}

/* Of each search that benchmarks of the sweep name: is a goal one word that is neither a result
 * column nor an axis of its space? Such goals are added to the errors, where they stand:
 * GB_INVALID. */
static int32_t check_search_goals(struct sweep *sweep, struct arena *arena,
                                  struct error_list *errors)
{
    int32_t ret = GB_OK;
    for (size_t i = 0; i < sweep_parts(sweep); i++) {
        const struct search_settings *search = sweep_part(sweep, i).search;
        struct search_goals goals = {.n = 0};
        struct gb_error error;
        bool is_new = search != NULL;
        for (size_t k = 0; k < i; k++)
            is_new = is_new && sweep_part(sweep, k).search != search;
        if (!is_new)
            continue;
        int32_t status = search_goals_read(search->params.goal, arena, &goals, &error);
        for (size_t k = 0; k < goals.n && status == GB_OK; k++) {
            if (check_goal(sweep, search, &goals.items[k], arena, &error) == GB_OK)
                continue;
            error_list_take(errors, &error);
            ret = GB_INVALID;
        }
    }
    return ret;
}

/* What the command line says, over what the section says. */
static void put_given(const struct arguments *arguments, const struct ab_given *given,
                      struct ini_section *section, struct arena *arena)
{
    static const char *const origins[SIDES] = {"--base", "--new"};
    const char *const settings[][3] = {
        {"margin", "--margin", given->margin ? given->margin : argument(arguments, "margin")},
        {"alpha", "--alpha", argument(arguments, "alpha")},
        {"max_rounds", "--max-rounds",
         given->max_rounds ? given->max_rounds : argument(arguments, "max-rounds")},
        {"visit", "--visit", given->visit ? given->visit : argument(arguments, "visit")}};
    for (int side = 0; side < SIDES; side++) {
        CLEANUP(text_free) struct text list = {0};
        const struct words changes = given->changes[side];
        for (size_t i = 0; i < changes.n; i++)
            text_printf(&list, "%s%s", i ? ", " : "", text_quote(changes.items[i], ',', arena));
        if (list.length)
            ini_put_text(section, side_words[side], arena_text(arena, text_get(&list)),
                         (struct origin){.file = origins[side]}, arena);
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i][2])
            ini_put_text(section, settings[i][0], settings[i][2],
                         (struct origin){.file = settings[i][1]}, arena);
}

/* The sections of both sides, unless they are there already. */
static int32_t take_sides(const struct arguments *arguments, struct configuration *configuration,
                          struct error_list *errors)
{
    const struct ab_given *given = configuration->source.ab;
    struct arena *arena = &configuration->arena;
    struct ini_section *section = ab_section_choose(&configuration->ini, given->name,
                                                    given->is_without_section, arena, errors);
    if (!section)
        return GB_INVALID;
    put_given(arguments, given, section, arena);
    int32_t status = ab_section_read(section, arena, &configuration->ab, errors);
    configuration->ab.has_fresh_processes = !given->shares_processes;
    if (configuration->source.text)
        return status;
    if (status == GB_OK && given->builds)
        status = ab_builds_make(given->builds, configuration, errors);
    sides_make(&configuration->ini, &configuration->ab, arena, errors);
    return status;
}

/* ---- what the command line changes ---- */

/* Options that stand for settings: see SELECT_OPTIONS and SETTING_OPTIONS. */
static const struct shortcut {
    const char *option, *section, *key;
} shortcuts[] = {
    {"where", "gbrun", "where"}, {"sample", "gbrun", "sample"},
    {"shard", "gbrun", "shard"}, {"costs", "gbrun", "costs"},
    {"policy", "*", "policy"},   {"max-time", "*", "max_time"},
    {"rounds", "*", "rounds"},   {"device", "*", "device"},
    {"jobs", "gbrun", "jobs"},   {"gpus-per-case", "gbrun", "gpus_per_case"},
    {"search", "*", "search"},   {"precision", "policy *", "precision"},
};
/* Those before the last come before --set, which may say otherwise for one section; the last one
 * needs to know which policies are used. */
enum { N_SHORTCUTS = sizeof shortcuts / sizeof *shortcuts, N_SELECTING = 4 };

bool is_configuration(const char *operand)
{
    return text_ends_with(operand, ".ini");
}

/* What a verb's option says; `list` has a --device that is no setting. */
static const char *shortcut_value(const struct arguments *arguments, size_t i)
{
    bool is_setting = i < N_SELECTING || !text_equal(arguments->verb->name, "list");
    return is_setting ? argument(arguments, shortcuts[i].option) : NULL;
}

const char *configuration_argument(const struct arguments *arguments, const char *allowed)
{
    for (size_t i = 0; i < N_SHORTCUTS; i++)
        if (shortcut_value(arguments, i) && !text_equal(shortcuts[i].option, allowed))
            return shortcuts[i].option;
    return arguments->operands.n ? arguments->operands.items[0] : NULL;
}

/* The operands that are about the configuration. */
static struct words own_operands(const struct arguments *arguments,
                                 const struct configuration_source *source)
{
    const struct words all = arguments->operands;
    const bool has_own = !source->ab && !source->made && !source->text;
    return has_own && source->first_operand < all.n
               ? (struct words){all.items + source->first_operand, all.n - source->first_operand}
               : (struct words){0};
}

/* "a, b*": what the operands name. */
static void select_benchmarks(const struct arguments *arguments,
                              struct configuration *configuration, struct error_list *errors)
{
    CLEANUP(text_free) struct text list = {0};
    const struct words own = own_operands(arguments, &configuration->source);
    for (size_t i = 0; i < own.n; i++)
        if (!is_configuration(own.items[i]))
            text_printf(&list, "%s%s", list.length ? ", " : "", own.items[i]);
    if (list.length)
        ini_set(&configuration->ini, "gbrun", "benchmarks", text_get(&list), NULL,
                &configuration->arena, errors);
}

/* Of a file or an option as a whole. */
static void report_at(const char *file, struct gb_error *error, struct error_list *errors)
{
    error->status = GB_INVALID;
    error->origin = (struct origin){.file = file};
    error_list_take(errors, error);
}

static void apply_shortcut(const struct arguments *arguments, size_t i,
                           struct configuration *configuration, struct error_list *errors)
{
    const char *value = shortcut_value(arguments, i);
    struct gb_error error;
    if (value && text_equal(shortcuts[i].option, "shard") &&
        shard_option(value, &configuration->arena, &value, &error) != GB_OK)
        report_at("--shard", &error, errors);
    else if (value)
        ini_set(&configuration->ini, shortcuts[i].section, shortcuts[i].key, value,
                arena_printf(&configuration->arena, "--%s", shortcuts[i].option),
                &configuration->arena, errors);
}

static void apply_arguments(const struct arguments *arguments, struct configuration *configuration,
                            struct error_list *errors)
{
    const struct words overrides = argument_all(arguments, "set");
    for (size_t i = 0; i + 1 < N_SHORTCUTS; i++)
        apply_shortcut(arguments, i, configuration, errors);
    ini_override(&configuration->ini, overrides.items, overrides.n, &configuration->arena, errors);
    apply_shortcut(arguments, N_SHORTCUTS - 1, configuration, errors);
    select_benchmarks(arguments, configuration, errors);
}

/* Continues after errors where that makes sense, so that all are reported at once. */
static int32_t resolve(const struct arguments *arguments, struct configuration *configuration,
                       struct error_list *errors)
{
    struct arena *arena = &configuration->arena;
    struct gb_error error;
    apply_arguments(arguments, configuration, errors);
    if (configuration->source.ab)
        take_sides(arguments, configuration, errors);
    settings_parse(&configuration->ini, configuration->folder, arena, &configuration->settings,
                   errors);
    const struct words given = argument_all(arguments, "plugin-path");
    module_folders(given.items, given.n, &settings_run(configuration->settings)->plugin_path,
                   configuration->folder, arena, &configuration->folders);
    const struct plugin_request *requests;
    size_t n_requests = settings_requests(configuration->settings, &requests);
    if (configuration->source.text)
        say_what_is_loaded(configuration, requests, n_requests);
    if (catalogue_load(&configuration->folders, requests, n_requests, arena,
                       &configuration->catalogue, &error) != GB_OK) {
        error_list_take(errors, &error);
        return GB_FAILED;
    }
    settings_resolve(configuration->settings, &configuration->catalogue, errors);
    if (!error_list_empty(errors))
        return GB_INVALID;
    int32_t status = sweep_new(configuration->settings, SWEEP_CASES_MAX, &configuration->sweep,
                               errors);
    if (status == GB_OK && sweep_positions(configuration->sweep) == 0) {
        struct origin whole_file = {.file = configuration->ini.path};
        error_list_add(errors, whole_file,
                       "there is no case to measure: \1expected a [bench NAME] with cases left "
                       "after only, exclude and where");
        return GB_INVALID;
    }
    if (status == GB_OK && shard_deal(configuration, &error) != GB_OK) {
        report_at(configuration->ini.path, &error, errors);
        return GB_INVALID;
    }
    if (status == GB_OK)
        status = check_papers(configuration, errors);
    if (status == GB_OK)
        status = check_search_goals(configuration->sweep, arena, errors);
    return status == GB_OK ? cases_validate(configuration->sweep, errors) : status;
}

/* The files of --config, then the operands that are configurations. */
static struct words find_files(const struct arguments *arguments,
                               struct configuration *configuration)
{
    const struct words given = argument_all(arguments, "config");
    const struct words own = own_operands(arguments, &configuration->source);
    struct words files = {0};
    for (size_t i = 0; i < given.n + own.n; i++)
        if (i < given.n || is_configuration(own.items[i - given.n]))
            ARENA_APPEND(&configuration->arena, files.items, files.n,
                         i < given.n ? given.items[i] : own.items[i - given.n]);
    return files;
}

/* The file, or its text as ab has it. */
static int32_t read_file(struct configuration *configuration, const char *path, size_t i,
                         struct ini *ret, struct error_list *errors)
{
    const struct ab_given *given = configuration->source.ab;
    if (!given || !given->texts)
        return ini_read_file(path, &configuration->arena, ret, errors);
    return ini_read_text(path, given->texts[i], strlen(given->texts[i]), &configuration->arena, ret,
                         errors);
}

/* GB_IO: there is nothing to go on with. */
static int32_t read_files(struct words files, struct configuration *ret, struct error_list *errors)
{
    ret->path = files.items[0];
    ret->folder = folder_of(ret->path, &ret->arena);
    int32_t status = read_file(ret, files.items[0], 0, &ret->ini, errors);
    for (size_t i = 1; i < files.n && status != GB_IO; i++) {
        struct ini later;
        status = read_file(ret, files.items[i], i, &later, errors);
        ini_merge(&ret->ini, &later, &ret->arena);
    }
    return status;
}

int configuration_read_quietly(const struct arguments *arguments,
                               struct configuration_source source, struct configuration *ret,
                               struct error_list *errors)
{
    int32_t status = GB_OK;
    *ret = (struct configuration){.path = source.path, .folder = source.folder, .source = source};
    const struct words files = find_files(arguments, ret);
    if (source.made) {
        ret->ini = *source.made;
        ret->path = source.made->path;
        ret->folder = path_from(".", ".", &ret->arena);
    } else if (source.text) {
        ini_read_text(ret->path, source.text, strlen(source.text), &ret->arena, &ret->ini, errors);
    } else if (files.n == 0) {
        return fail_usage("no configuration: expected FILE.ini or -c FILE");
    } else {
        status = read_files(files, ret, errors);
    }
    if (status != GB_IO)
        resolve(arguments, ret, errors);
    error_list_sort(errors);
    return error_list_empty(errors) ? EXIT_FINE : EXIT_USAGE;
}

/* The word that an error is in, and a mark below its place. */
static void say_word(const struct ini *made, const struct origin *place)
{
    for (size_t i = 0; i < made->n; i++)
        for (size_t j = 0; j < made->sections[i].n; j++) {
            const struct ini_entry *entry = &made->sections[i].entries[j];
            if (place->column == 0 || entry->value_origin.file != place->file ||
                place->column > strlen(entry->value) + 1)
                continue;
            say("    %s", entry->value);
            say("    %*s^", (int)place->column - 1, "");
            return;
        }
}

int configuration_read(const struct arguments *arguments, struct configuration_source source,
                       struct configuration *ret)
{
    CLEANUP(error_list_free) struct error_list errors = {0};
    const int code = configuration_read_quietly(arguments, source, ret, &errors);
    if (!source.made)
        say_errors(&errors);
    for (size_t i = 0; i < errors.n && source.made; i++) {
        say_error(&errors.items[i]);
        say_word(source.made, &errors.items[i].origin);
    }
    return code;
}

void configuration_free(struct configuration *configuration)
{
    sweep_free(configuration->sweep);
    arena_free(&configuration->arena);
}

int catalogue_read(const struct arguments *arguments, struct arena *arena, struct catalogue *ret)
{
    const struct words given = argument_all(arguments, "plugin-path");
    struct words folders;
    struct gb_error error;
    module_folders(given.items, given.n, NULL, NULL, arena, &folders);
    return catalogue_load_all(&folders, arena, ret, &error) == GB_OK
               ? EXIT_FINE
               : fail_with(&error, EXIT_INTERNAL);
}

int device_settings_read(const struct arguments *arguments, struct configuration *configuration,
                         const struct plugin_settings **ret, size_t *ret_n, size_t *ret_n_auto)
{
    *configuration = (struct configuration){0};
    *ret_n = *ret_n_auto = 0;
    if (argument(arguments, "config")) {
        int code = configuration_read(
            arguments, (struct configuration_source){.first_operand = SIZE_MAX}, configuration);
        if (code == EXIT_FINE)
            *ret_n = settings_devices(configuration->settings, ret, ret_n_auto);
        return code;
    }
    struct catalogue *catalogue = &configuration->catalogue;
    int code = catalogue_read(arguments, &configuration->arena, catalogue);
    struct plugin_settings *all = ARENA_ARRAY(&configuration->arena, struct plugin_settings,
                                              catalogue->n_plugins);
    for (size_t i = 0; i < catalogue->n_plugins; i++)
        if (catalogue->plugins[i].plugin.kind == GB_PLUGIN_DEVICE)
            all[(*ret_n)++] = (struct plugin_settings){.name = catalogue->plugins[i].plugin.id,
                                                       .info = &catalogue->plugins[i]};
    *ret = all;
    return code;
}
