/* module.c - see module.h. */
#include "core/run/module.h"

#include "core/base/text.h"
#include "core/config/bench_case.h"
#include "core/config/catalogue.h"
#include "core/config/option_table.h"
#include "core/config/search_settings.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

const char *path_from(const char *folder, const char *path, struct arena *arena)
{
    if (path[0] == '/')
        return arena_text(arena, path);
    while (text_starts_with(path, "./"))
        path += 2;
    char here[PATH_MAX] = "";
    if (!folder || !*folder)
        folder = ".";
    bool is_folder = text_equal(path, ".");
    if (is_folder && folder[0] == '/')
        return arena_text(arena, folder);
    if (folder[0] != '/') {
        if (!getcwd(here, sizeof here))
            here[0] = 0;
        if (text_equal(folder, "."))
            return is_folder ? arena_text(arena, here) : arena_printf(arena, "%s/%s", here, path);
        return arena_printf(arena, "%s/%s/%s", here, folder, path);
    }
    return arena_printf(arena, "%s/%s", folder, path);
}

const char *program_path(void)
{
    static char path[PATH_MAX];
    if (!path[0]) {
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        const char *started_as = (const char *)getauxval(
            AT_EXECFN); /* where /proc is not mounted */
        path[n < 0 ? 0 : n] = 0;
        if (n < 0 && (!started_as || !realpath(started_as, path)))
            path[0] = 0;
    }
    return path;
}

const char *program_image(void)
{
    static const char self[] = "/proc/self/exe";
    static const char *image;
    struct stat running, named;
    if (!image) {
        bool is_emulated = stat(self, &running) != 0 ||
                           (stat(program_path(), &named) == 0 &&
                            (running.st_dev != named.st_dev || running.st_ino != named.st_ino));
        image = is_emulated ? program_path() : self;
    }
    return image;
}

void module_folders_add(struct words *list, struct arena *arena, const char *folder)
{
    struct stat info;
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return;
    char real[PATH_MAX];
    if (realpath(folder, real))
        words_add_new(list, arena, real);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* libtool leaves a module of the build tree in plugins/KIND_ID/.libs. */
static void add_build_tree(struct words *list, struct arena *arena, const char *program_folder)
{
    char *plugins = arena_printf(arena, "%s/plugins", program_folder);
    struct dirent **entries = NULL;
    int n = scandir(plugins, &entries, not_hidden, alphasort);
    for (int i = 0; i < n; i++) {
        module_folders_add(list, arena,
                           arena_printf(arena, "%s/%s/.libs", plugins, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
}

/* libtool leaves a library of the build tree in .libs, beside which there are the plugins. */
static void add_beside(struct words *list, struct arena *arena, const char *file)
{
    char *folder = arena_text(arena, file);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return;
    *slash = 0;
    add_build_tree(list, arena, folder);
    if (text_ends_with(folder, "/.libs"))
        add_build_tree(list, arena, arena_printf(arena, "%s/..", folder));
    module_folders_add(list, arena, arena_printf(arena, "%s/gbrun", folder));
    module_folders_add(list, arena, arena_printf(arena, "%s/../lib/gbrun", folder));
}

/* GBRUN_PLUGIN_PATH. */
static void add_environment(struct words *list, struct arena *arena)
{
    const char *path = getenv("GBRUN_PLUGIN_PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        if (length > 0)
            module_folders_add(list, arena,
                               path_from(NULL, arena_text_n(arena, path, length), arena));
        path += length + (path[length] == ':');
    }
}

void module_folders_beside(const char *file, struct arena *arena, struct words *ret)
{
    add_environment(ret, arena);
    add_beside(ret, arena, file);
}

static int is_module(const struct dirent *entry)
{
    return not_hidden(entry) && text_ends_with(entry->d_name, ".so");
}

void module_files(const struct words *folders, struct arena *arena, struct words *ret)
{
    *ret = (struct words){0};
    for (size_t i = 0; i < folders->n; i++) {
        struct dirent **entries = NULL;
        int n = scandir(folders->items[i], &entries, is_module, alphasort);
        for (int j = 0; j < n; j++) {
            ARENA_APPEND(arena, ret->items, ret->n,
                         arena_printf(arena, "%s/%s", folders->items[i], entries[j]->d_name));
            free(entries[j]);
        }
        free(entries);
    }
}

static bool is_file_of(const char *name, const char *id)
{
    size_t length = strcspn(name, ".");
    return length > 0 && text_equal(name + length, ".so") && strncmp(name, id, length) == 0 &&
           (id[length] == 0 || id[length] == '_');
}

bool module_file_names(const char *path, uint32_t kind, const char *id)
{
    static const char *const prefixes[] = {[GB_PLUGIN_BENCH] = "bench_",
                                           [GB_PLUGIN_POLICY] = "policy_",
                                           [GB_PLUGIN_DEVICE] = "device_",
                                           [GB_PLUGIN_SEARCH] = "search_"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return is_file_of(name, id) || (text_starts_with(name, prefixes[kind]) &&
                                    is_file_of(name + strlen(prefixes[kind]), id));
}

enum { KEYS_MAX = 96 };

/* The keys that an option may not be called: those of every section of its kind. `threads` is one
 * only where the benchmark is run in several: others had an option of that name before. */
static size_t reserved_keys(const struct gb_plugin *plugin, const char *ret[KEYS_MAX])
{
    static const char *const of_bench[] = {"device", "policy",  "like",  "sweep", "zip",  "let",
                                           "only",   "exclude", "check", "env",   "bench"};
    const bool is_bench = plugin->kind == GB_PLUGIN_BENCH;
    const bool has_threads = is_bench &&
                             ((const struct gb_bench_ops *)plugin->ops)->flags & GB_BENCH_THREADS;
    struct option_table table = {0};
    size_t n = 0;
    ret[n++] = "plugin";
    for (size_t i = 0; i < sizeof of_bench / sizeof *of_bench && is_bench; i++)
        ret[n++] = of_bench[i];
    if (is_bench)
        table = common_options();
    else if (plugin->kind == GB_PLUGIN_SEARCH)
        table = search_options();
    for (uint32_t i = 0; i < table.n && n < KEYS_MAX; i++)
        if (has_threads || !text_equal(option_at(table, i)->name, "threads"))
            ret[n++] = option_at(table, i)->name;
    return n;
}

static bool well_formed_id(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return id[0] >= 'a' && id[0] <= 'z' && length == strlen(id) && length <= 40;
}

/* Are the functions there that the host calls without asking? */
static const char *missing_op(const struct gb_plugin *plugin)
{
    const uint32_t *size = plugin->ops;
    if (plugin->kind == GB_PLUGIN_BENCH) {
        const struct gb_bench_ops *ops = plugin->ops;
        if (*size < offsetof(struct gb_bench_ops, destroy) + sizeof ops->destroy)
            return "a whole gb_bench_ops";
        return !ops->create ? "create" : !ops->run ? "run" : NULL;
    }
    if (plugin->kind == GB_PLUGIN_POLICY) {
        const struct gb_policy_ops *ops = plugin->ops;
        if (*size < offsetof(struct gb_policy_ops, destroy) + sizeof ops->destroy)
            return "a whole gb_policy_ops";
        return !ops->create    ? "create"
               : !ops->observe ? "observe"
               : !ops->next    ? "next"
               : !ops->report  ? "report"
                               : NULL;
    }
    if (plugin->kind == GB_PLUGIN_SEARCH) {
        const struct gb_search_ops *ops = plugin->ops;
        if (*size < offsetof(struct gb_search_ops, destroy) + sizeof ops->destroy)
            return "a whole gb_search_ops";
        return !ops->create ? "create" : !ops->propose ? "propose" : !ops->report ? "report" : NULL;
    }
    const struct gb_device_ops *ops = plugin->ops;
    if (*size < offsetof(struct gb_device_ops, telemetry) + sizeof ops->telemetry)
        return "a whole gb_device_ops";
    void (*const *function)(void) = (void (*const *)(void))(const void *)&ops->count;
    void (*const *last)(void) = (void (*const *)(void))(const void *)&ops->telemetry;
    for (; function <= last; function++)
        if (!*function)
            return "one of the functions that a device must have";
    return NULL;
}

static int32_t check_plugin(const struct gb_plugin *plugin, uint32_t index, struct gb_error *error)
{
    if (plugin->kind < GB_PLUGIN_BENCH || plugin->kind > GB_PLUGIN_SEARCH)
        return error_set(error, GB_INVALID, "plugin %u: kind %u is not known", index, plugin->kind);
    if (!plugin->id || !well_formed_id(plugin->id))
        return error_set(error, GB_INVALID,
                         "plugin %u: id '%.60s': expected [a-z][a-z0-9_]*, at most 40 bytes", index,
                         plugin->id ? plugin->id : "(none)");
    if (!plugin->version || !plugin->summary)
        return error_set(error, GB_INVALID, "plugin '%s': has no version or no summary",
                         plugin->id);
    if (!plugin->ops)
        return error_set(error, GB_INVALID, "plugin '%s': has no ops", plugin->id);
    const char *missing = missing_op(plugin);
    if (missing)
        return error_set(error, GB_INVALID, "plugin '%s': lacks %s", plugin->id, missing);
    const char *reserved[KEYS_MAX];
    const size_t n_reserved = reserved_keys(plugin, reserved);
    if (option_table_check(option_table_of(plugin), plugin->params_size, reserved, n_reserved,
                           error) != GB_OK)
        return error_prefix(error, "plugin '%s': ", plugin->id);
    return GB_OK;
}

static int32_t copy_plugins(const struct gb_module *descriptor, struct arena *arena,
                            struct module *ret, struct gb_error *error)
{
    enum { PLUGINS_MAX = 256 };
    if (descriptor->n_plugins == 0 || descriptor->n_plugins > PLUGINS_MAX || !descriptor->plugins)
        return error_set(error, GB_INVALID, "lists %u plugins: expected 1 to %d",
                         descriptor->n_plugins, PLUGINS_MAX);
    ret->n_plugins = descriptor->n_plugins;
    ret->plugins = ARENA_ARRAY(arena, struct gb_plugin, ret->n_plugins);
    for (uint32_t i = 0; i < ret->n_plugins; i++) {
        const struct gb_plugin *plugin = descriptor->plugins[i];
        if (!plugin || !GB_HAS(plugin, ops))
            return error_set(error, GB_INVALID,
                             "plugin %u: its description is missing or too short", i);
        size_t known = plugin->size < sizeof *plugin ? plugin->size : sizeof *plugin;
        memcpy(&ret->plugins[i], plugin, known);
        if (check_plugin(&ret->plugins[i], i, error) != GB_OK)
            return error->status;
        for (uint32_t j = 0; j < i; j++)
            if (ret->plugins[j].kind == plugin->kind && text_equal(ret->plugins[j].id, plugin->id))
                return error_set(error, GB_INVALID, "plugin '%s': is there twice", plugin->id);
    }
    return GB_OK;
}

/* ---- what is wrong with a file that cannot be a module, before the dynamic linker says so in its
 * own words ---- */

/* The beginning of an ELF file, the same in both classes. */
struct elf_head {
    unsigned char ident[EI_NIDENT];
    uint16_t type, machine;
};

static bool read_head(const char *path, struct elf_head *ret)
{
    *ret = (struct elf_head){.type = 0};
    FILE *file = fopen(path, "re");
    bool is_whole = file && fread(ret, sizeof *ret, 1, file) == 1;
    if (file)
        fclose(file);
    return is_whole && memcmp(ret->ident, ELFMAG, SELFMAG) == 0;
}

static const char *machine_words(const struct elf_head *head, char buffer[32])
{
    static const struct {
        uint16_t machine;
        const char *words;
    } known[] = {{EM_X86_64, "x86-64"}, {EM_386, "x86"},     {EM_AARCH64, "AArch64"},
                 {EM_ARM, "Arm"},       {EM_PPC64, "POWER"}, {EM_S390, "z"},
                 {EM_RISCV, "RISC-V"},  {EM_CUDA, "a GPU"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == head->machine)
            return known[i].words;
    snprintf(buffer, 32, "machine %u", head->machine);
    return buffer;
}

static bool is_source(const char *path)
{
    static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".cu", ".rs", ".h"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_ends_with(path, suffixes[i]))
            return true;
    return false;
}

/* Is it a shared object for this machine? The error says what it is instead. */
static int32_t check_file(const char *path, struct gb_error *error)
{
    struct stat info;
    struct elf_head head, own;
    char buffer[32], own_buffer[32];
    if (stat(path, &info) != 0)
        return error_set(error, GB_NOT_FOUND, "cannot be opened: %s", reason_of(errno));
    if (S_ISDIR(info.st_mode))
        return error_set(error, GB_NOT_FOUND,
                         "is a folder: expected a shared object in it, or plugin_path in [gbrun]");
    if (!read_head(path, &head))
        return error_set(error, GB_NOT_FOUND, "%s",
                         is_source(path) ? "is source code: expected the shared object compiled of "
                                           "it, as by cc -shared -fPIC"
                                         : "is not a shared object (.so)");
    if (!read_head(program_image(), &own))
        return GB_OK;
    if (head.ident[EI_CLASS] != own.ident[EI_CLASS] || head.ident[EI_DATA] != own.ident[EI_DATA] ||
        head.machine != own.machine)
        return error_set(error, GB_NOT_FOUND, "was built for %s, %d bits: gbrun is for %s, %d bits",
                         machine_words(&head, buffer), head.ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
                         machine_words(&own, own_buffer),
                         own.ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
    if (head.type == ET_REL)
        return error_set(error, GB_NOT_FOUND,
                         "is an object file: expected a shared object, linked with -shared");
    return GB_OK;
}

/* ---- loading ---- */

/* What changes when a file is replaced or written to. */
static bool is_same_build(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

struct build {
    struct stat info;
    char sha256[SHA256_TEXT];
};

/* What lies there now, by one and the same build. */
static void read_build(const char *path, struct build *ret)
{
    enum { TRIES = 100 };
    struct stat after;
    for (int i = 0; i < TRIES; i++) {
        *ret->sha256 = 0; /* one that cannot be read cannot be loaded either */
        if (stat(path, &ret->info) != 0 || sha256_file(path, ret->sha256, NULL) != GB_OK ||
            stat(path, &after) != 0 || is_same_build(&ret->info, &after))
            return;
    }
}

/* The number of the file that is mapped; 0: it is not known. */
static unsigned long loaded_inode(void *handle)
{
    const struct link_map *map = NULL;
    char line[PATH_MAX + 128];
    unsigned long found = 0;
    FILE *maps = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? fopen("/proc/self/maps", "re") : NULL;
    while (maps && found == 0 && fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        unsigned long inode;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %lu", &begin, &end, &inode) == 3 &&
            (uintptr_t)map->l_ld >= begin && (uintptr_t)map->l_ld < end)
            found = inode;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* Loads the file and finds the digest of what was loaded, though it is replaced meanwhile. It is
 * not loaded again: what a module did as it was loaded cannot be taken back. */
static int32_t load_and_hash(const char *path, void **ret_handle, char ret_sha256[SHA256_TEXT],
                             struct gb_error *error)
{
    struct build before = {.sha256 = ""}, after = {.sha256 = ""};
    const struct build *loaded = &before;
    struct stat info;
    read_build(path, &before);
    *ret_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*ret_handle && (stat(path, &info) != 0 || !is_same_build(&before.info, &info))) {
        const unsigned long inode = loaded_inode(*ret_handle);
        read_build(path, &after);
        if (after.info.st_ino == before.info.st_ino)
            loaded = text_equal(before.sha256, after.sha256) ? &before : NULL;
        else
            loaded = inode == before.info.st_ino  ? &before
                     : inode == after.info.st_ino ? &after
                                                  : NULL;
    }
    if (!loaded)
        return error_set(error, GB_IO, "was replaced while it was loaded");
    memcpy(ret_sha256, loaded->sha256, SHA256_TEXT);
    return GB_OK;
}

int32_t module_load(const char *path, bool hashes, struct arena *arena, struct module *ret,
                    struct gb_error *error)
{
    void *handle = NULL;
    int32_t status = check_file(path, error);
    *ret->sha256 = 0;
    if (status == GB_OK && hashes)
        status = load_and_hash(path, &handle, ret->sha256, error);
    else if (status == GB_OK)
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (status != GB_OK)
        return status;
    if (!handle) {
        const char *reason = dlerror();
        if (text_starts_with(reason, path) && reason[strlen(path)] == ':')
            reason += strlen(path) + 1 + (reason[strlen(path) + 1] == ' ');
        return error_set(error, GB_NOT_FOUND, "cannot be loaded: %s%s", reason, limits_of(ENOMEM));
    }
    void *entry = dlsym(handle, GB_ENTRY_SYMBOL);
    if (!entry)
        return error_set(error, GB_INVALID, "exports no " GB_ENTRY_SYMBOL ": not a gbrun module");
    /* dlsym also searches what the module depends on: the entry must be the module's own. */
    Dl_info info;
    char module_file[PATH_MAX], entry_file[PATH_MAX];
    if (!dladdr(entry, &info) || !realpath(path, module_file) ||
        !realpath(info.dli_fname, entry_file) || !text_equal(module_file, entry_file))
        return error_set(error, GB_INVALID,
                         GB_ENTRY_SYMBOL " lies in another file, not in the module itself");
    const struct gb_module *(*get_module)(void);
    memcpy(&get_module, &entry, sizeof get_module);
    const struct gb_module *descriptor = get_module();
    if (!descriptor || !GB_HAS(descriptor, plugins))
        return error_set(error, GB_INVALID,
                         GB_ENTRY_SYMBOL " returned no description, or one that is too short");
    if (descriptor->abi_major != GB_ABI_MAJOR)
        return error_set(error, GB_INVALID, "was built for ABI %u.%u: expected %u.x",
                         descriptor->abi_major, descriptor->abi_minor, GB_ABI_MAJOR);
    ret->path = arena_text(arena, path);
    return copy_plugins(descriptor, arena, ret, error);
}

const struct gb_plugin *module_find(const struct module *module, uint32_t kind, const char *id)
{
    for (uint32_t i = 0; i < module->n_plugins; i++)
        if (module->plugins[i].kind == kind && text_equal(module->plugins[i].id, id))
            return &module->plugins[i];
    return NULL;
}
