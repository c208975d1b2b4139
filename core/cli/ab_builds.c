/* ab_builds.c - see ab_builds.h. */
#include "core/cli/ab_builds.h"

#include "core/base/command.h"
#include "core/base/output_file.h"
#include "core/run/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const keys[] = {"plugin", "library"};
enum { KEYS = sizeof keys / sizeof *keys };
static const char *const commands[SIDES] = {"--base-build", "--new-build"};

/* ---- which file a side has ---- */

/* As the section has it, by `like` if need be. */
static const char *written_value(const struct ini *ini, const struct ini_section *section,
                                 const char *key)
{
    const struct ini_entry *entry = NULL;
    for (size_t depth = 0; section && !entry && depth <= ini->n; depth++) {
        const struct ini_entry *like = ini_entry_of(section, "like");
        entry = ini_entry_of(section, key);
        section = like ? ini_section_of(ini, "bench", like->value) : NULL;
    }
    return entry ? entry->value : NULL;
}

/* As the side changes it. */
static const char *value_of(const struct ini *ini, const struct ini_section *section,
                            const struct text_list *changes, const char *key, struct arena *arena)
{
    const char *of_all = arena_printf(arena, "%s=", key);
    const char *of_one = arena_printf(arena, "%s.%s=", section->name, key);
    const char *value = NULL;
    for (size_t i = 0; i < changes->n; i++) {
        const char *text = changes->items[i];
        if (text_starts_with(text, of_all))
            value = text + strlen(of_all);
        else if (text_starts_with(text, of_one))
            value = text + strlen(of_one);
    }
    return value ? value : written_value(ini, section, key);
}

/* ---- copies ---- */

static int32_t copy_file(const char *from, const char *to, struct gb_error *error)
{
    enum { ALL_MAY_RUN_IT = 0755 };
    CLEANUP(text_free) struct text content = {0};
    const bool is_read = text_add_file(&content, from, SIZE_MAX) == FILE_READ;
    if (is_read && output_text(to, &content, error) != GB_OK)
        return error_prefix(error, "%s cannot be copied: ", from);
    if (is_read && chmod(to, ALL_MAY_RUN_IT) == 0)
        return GB_OK;
    return error_set(error, GB_IO, "%s cannot be copied to %s: %s", from, to, reason_of(errno));
}

static int32_t make_folder(struct ab_builds *builds, struct gb_error *error)
{
    if (*builds->folder)
        return GB_OK;
    snprintf(builds->folder, sizeof builds->folder, "gbrun-ab-XXXXXX");
    if (mkdtemp(builds->folder))
        return GB_OK;
    error_set(error, GB_IO, "%s: cannot be made here, for copies of plugins: %s", builds->folder,
              reason_of(errno));
    *builds->folder = 0;
    return GB_IO;
}

/* Copies the file that a value names, and makes the copy the side's. A plugin may be PATH:ID. */
static int32_t copy_value(struct ab_builds *builds, struct configuration *configuration, int side,
                          const char *bench, const char *key, const char *value,
                          struct gb_error *error)
{
    struct arena *arena = &configuration->arena;
    struct text_list *changes = &configuration->ab.changes[side];
    size_t n_path = text_equal(key, "plugin") ? strcspn(value, ":") : strlen(value);
    const char *path = arena_text_n(arena, value, n_path);
    const char *base = strrchr(path, '/') + 1;
    int32_t status = make_folder(builds, error);
    if (status != GB_OK)
        return status;
    char *copy = arena_printf(arena, "%s/%s-%zu-%s", builds->folder, side_words[side],
                              builds->copies.n, base);
    status = copy_file(path_from(configuration->folder, path, arena), copy, error);
    if (status != GB_OK)
        return status;
    ARENA_APPEND(&builds->arena, builds->copies.items, builds->copies.n,
                 arena_text(&builds->arena, copy));
    const char *change = arena_printf(arena, "%s.%s=%s%s", bench, key, path_from(".", copy, arena),
                                      value + n_path);
    size_t n = changes->n;
    ARENA_APPEND(arena, changes->items, n, change);
    ARENA_APPEND(arena, changes->origins, changes->n, ((struct origin){.file = commands[side]}));
    return GB_OK;
}

/* A path to one file, as it is written. */
static bool is_path(const char *value)
{
    return value && strchr(value, '/') && !strpbrk(value, ",{\"");
}

static int32_t copy_side(struct ab_builds *builds, struct configuration *configuration, int side,
                         struct gb_error *error)
{
    const struct ini *ini = &configuration->ini;
    int32_t status = GB_OK;
    for (size_t i = 0; i < ini->n && status == GB_OK; i++) {
        const struct ini_section *section = &ini->sections[i];
        if (!text_equal(section->kind, "bench"))
            continue;
        for (size_t k = 0; k < KEYS && status == GB_OK; k++) {
            const char *value = value_of(ini, section, &configuration->ab.changes[side], keys[k],
                                         &configuration->arena);
            if (is_path(value))
                status = copy_value(builds, configuration, side, section->name, keys[k], value,
                                    error);
        }
    }
    return status;
}

int32_t ab_builds_make(struct ab_builds *builds, struct configuration *configuration,
                       struct error_list *errors)
{
    struct gb_error error;
    int32_t status = GB_OK;
    for (int side = 0; side < SIDES && status == GB_OK; side++)
        if (!builds->commands[side])
            status = copy_side(builds, configuration, side, &error);
    for (int side = 0; side < SIDES && status == GB_OK; side++) {
        if (!builds->commands[side])
            continue;
        status = command_shell(commands[side], builds->commands[side], &error);
        if (status == GB_OK)
            status = copy_side(builds, configuration, side, &error);
    }
    if (status == GB_OK && builds->copies.n == 0)
        status = error_set(&error, GB_INVALID,
                           "there is nothing to build: no [bench NAME] has a path as its plugin or "
                           "library, such as plugin = ./NAME.so");
    if (status != GB_OK)
        error_list_take(errors, &error);
    return status;
}

void ab_builds_free(struct ab_builds *builds, bool is_kept)
{
    for (size_t i = 0; i < builds->copies.n && !is_kept; i++)
        unlink(builds->copies.items[i]);
    if (*builds->folder && !is_kept)
        rmdir(builds->folder);
    arena_free(&builds->arena);
}
