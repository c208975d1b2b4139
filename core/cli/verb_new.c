/* verb_new.c - gbrun new: a folder with a plugin, or a configuration, to start from. */
#include "core/base/output_file.h"
#include "core/cli/verbs.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MAX_BYTES = 30 }; /* ids have at most 40, and the template of a device adds a word */

static const struct verb_option new_options[] = {
    {"c", 0, NULL, "a benchmark in C, the default"},
    {"cpp", 0, NULL, "a benchmark in C++"},
    {"cuda", 0, NULL, "a benchmark of a CUDA kernel"},
    {"policy", 0, NULL, "a stopping policy, in C"},
    {"device", 0, NULL, "a device, in C"},
    {"ini", 0, NULL, "only a configuration, bench.ini, here; it runs as it is"},
};

/* What is written, by option. */
struct plugin_form {
    const char *option;
    const char *source, *configuration; /* templates */
    const char *suffix;                 /* of the source */
    const char *language;               /* for CMake */
};
static const struct plugin_form forms[] = {
    {"c", "bench.c", "bench.ini", "c", "C"},
    {"cpp", "bench.cc", "bench.ini", "cc", "CXX"},
    {"cuda", "bench.cu", "bench.ini", "cu", "CXX CUDA"},
    {"policy", "policy.c", "policy.ini", "c", "C"},
    {"device", "device.c", "device.ini", "c", "C"},
    {"ini", NULL, "sweep.ini", NULL, NULL},
};

/* ---- templates, which the program holds, so that it finds them wherever it is ---- */

/* A file of plugins/templates/. Words in them stand for something else: plugin_name for the
 * plugin's name, @SOURCE@ for its source, @LANGUAGE@ for CMake's word for the language. */
struct template
{
    const char *name; /* in the folder */
    const char *begin, *end;
};

/* Where the sources are, with a slash, if the build is elsewhere. */
#ifndef GBRUN_SOURCES
#define GBRUN_SOURCES ""
#endif

/* X(symbol, file) */
#define TEMPLATE_MAP(X)                                                                            \
    X(cmakelists, "CMakeLists.txt")                                                                \
    X(makefile, "Makefile")                                                                        \
    X(bench_c, "bench.c")                                                                          \
    X(bench_cc, "bench.cc")                                                                        \
    X(bench_cu, "bench.cu")                                                                        \
    X(bench_ini, "bench.ini")                                                                      \
    X(device_c, "device.c")                                                                        \
    X(device_ini, "device.ini")                                                                    \
    X(policy_c, "policy.c")                                                                        \
    X(policy_ini, "policy.ini")                                                                    \
    X(sweep_ini, "sweep.ini")

/* Global symbols, as with link-time optimization the table may be assembled elsewhere. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl template_" #symbol ", template_" #symbol "_end\n"                              \
            ".hidden template_" #symbol ", template_" #symbol "_end\n"                             \
            "template_" #symbol ":\n"                                                              \
            ".incbin \"" GBRUN_SOURCES "plugins/templates/" file "\"\n"                            \
            "template_" #symbol "_end:\n"                                                          \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char template_##symbol[] __attribute__((visibility("hidden")));                   \
    extern const char template_##symbol##_end[] __attribute__((visibility("hidden")));
TEMPLATE_MAP(EMBED)

/* NULL: there is none of that name. */
static const struct template *template_named(const char *name)
{
#define TEMPLATE_ROW(symbol, file) {file, template_##symbol, template_##symbol##_end},
    static const struct template templates[] = {TEMPLATE_MAP(TEMPLATE_ROW)};
    return ITEM_NAMED(templates, sizeof templates / sizeof *templates, name, name);
}

/* ---- the files of a plugin ---- */

/* A file to be written. */
struct new_file {
    const char *path, *content;
};
enum { NEW_FILES = 4 };

struct new_plugin {
    struct arena arena;
    const char *name;
    const struct plugin_form *form;
    const char *source; /* its file in the folder */
    struct new_file files[NEW_FILES];
    size_t n;
};

static bool is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

/* Is it a word of the text? */
static bool has_word(const char *begin, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = begin; (at = memmem(at, (size_t)(end - at), word, n)); at += n)
        if ((at == begin || !is_word_byte(at[-1])) && (at + n == end || !is_word_byte(at[n])))
            return true;
    return false;
}

/* The template with its words replaced. */
static const char *expand(const struct template *template, struct new_plugin *plugin)
{
    const struct {
        const char *word, *value;
    } words[] = {{"plugin_name", plugin->name},
                 {"@SOURCE@", plugin->source},
                 {"@LANGUAGE@", plugin->form->language}};
    CLEANUP(text_free) struct text out = {0};
    const char *at = template->begin;
    while (at < template->end) {
        size_t i = 0, n_words = sizeof words / sizeof *words, left = (size_t)(template->end - at);
        while (i < n_words && (strlen(words[i].word) > left ||
                               memcmp(at, words[i].word, strlen(words[i].word)) != 0))
            i++;
        if (i < n_words)
            text_add(&out, words[i].value);
        else
            text_add_n(&out, at, 1);
        at += i < n_words ? strlen(words[i].word) : 1;
    }
    return arena_text(&plugin->arena, text_get(&out));
}

/* Words that mean something else wherever they stand: keywords of C23 and C++20, macros that
 * compilers and headers define in spite of their names, and CMake's targets. Some are in the
 * templates. */
static const char reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq "
    "assert complex errno hpux i386 imaginary linux main mips noreturn offsetof sparc sun unix vax "
    "all clean edit_cache help install package package_source preinstall rebuild_cache test ";

/* Also types of POSIX, and what the C library has, which a compiler knows without its header. */
static bool is_reserved(const char *name)
{
    return has_word(reserved, reserved + strlen(reserved), name) || text_ends_with(name, "_t") ||
           dlsym(RTLD_DEFAULT, name);
}

static int check_name(const char *name, const struct plugin_form *form)
{
    const struct template *template = template_named(form->source);
    size_t n = strlen(name), good = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || good < n || n > NAME_MAX_BYTES || !islower((unsigned char)name[0]))
        return fail_usage("new: '%s' cannot be the name of a plugin: expected at most %d of a-z, "
                          "0-9 and _, a letter first",
                          name, NAME_MAX_BYTES);
    if (is_reserved(name))
        return fail_usage("new: '%s' is reserved: a word of C, C++, CMake or the C library: choose "
                          "another name, such as %s_1",
                          name, name);
    if (has_word(template->begin, template->end, name))
        return fail_usage("new: '%s' is a word of the source that would be written: choose "
                          "another name, such as %s_1",
                          name, name);
    return EXIT_FINE;
}

static void add_file(struct new_plugin *plugin, const char *name, const char *template)
{
    const char *path = plugin->name ? arena_printf(&plugin->arena, "%s/%s", plugin->name, name)
                                    : name;
    plugin->files[plugin->n++] = (struct new_file){path, expand(template_named(template), plugin)};
}

/* Nothing is written if any of the files is there. */
static int write_files(const struct new_plugin *plugin)
{
    struct stat found;
    struct gb_error error;
    for (size_t i = 0; i < plugin->n; i++)
        if (lstat(plugin->files[i].path, &found) == 0)
            return fail_usage("new: %s is there already: choose another name or remove it; "
                              "nothing was written",
                              plugin->files[i].path);
    if (plugin->name && mkdir(plugin->name, 0777) != 0 &&
        (errno != EEXIST || stat(plugin->name, &found) != 0 || !S_ISDIR(found.st_mode)))
        return fail_usage("new: the folder %s cannot be made: %s", plugin->name, reason_of(errno));
    for (size_t i = 0; i < plugin->n; i++) {
        CLEANUP(text_free) struct text content = {0};
        text_add(&content, plugin->files[i].content);
        if (output_text(plugin->files[i].path, &content, &error) != GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
        printf("%s\n", plugin->files[i].path);
    }
    if (plugin->name)
        say("now: cd %s && make && gbrun -c bench.ini", plugin->name);
    else
        say("now: gbrun bench.ini");
    return EXIT_FINE;
}

/* The one form that is asked for; NULL: several are. */
static const struct plugin_form *form_of(const struct arguments *arguments)
{
    const struct plugin_form *found = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!argument(arguments, forms[i].option))
            continue;
        if (found)
            return NULL;
        found = &forms[i];
    }
    return found ? found : &forms[0];
}

static int run(const struct arguments *arguments)
{
    struct new_plugin plugin = {.form = form_of(arguments)};
    if (!plugin.form)
        return fail_usage("new: expected one of --c, --cpp, --cuda, --policy, --device and --ini");
    const bool has_source = plugin.form->source != NULL;
    if (arguments->operands.n != has_source)
        return fail_usage(has_source ? "new: expected one name, of the plugin and of its folder: "
                                       "see `gbrun help new`"
                                     : "new: --ini takes no name: it writes bench.ini");
    if (has_source) {
        plugin.name = arguments->operands.items[0];
        if (check_name(plugin.name, plugin.form) != EXIT_FINE)
            return EXIT_USAGE;
        plugin.source = arena_printf(&plugin.arena, "%s.%s", plugin.name, plugin.form->suffix);
        add_file(&plugin, plugin.source, plugin.form->source);
        add_file(&plugin, "Makefile", "Makefile");
        add_file(&plugin, "CMakeLists.txt", "CMakeLists.txt");
    }
    add_file(&plugin, "bench.ini", plugin.form->configuration);
    const int code = write_files(&plugin);
    arena_free(&plugin.arena);
    return code;
}

const struct verb verb_new = {
    .name = "new",
    .operands = "[NAME]",
    .summary = "Write a plugin, or a configuration, to start from",
    .help = "Makes a folder NAME with a plugin of that name, which compiles, runs and has an "
            "option and a check, its configuration bench.ini, a Makefile and a CMakeLists.txt. "
            "With --ini and no name only a bench.ini, here, which runs as it is. Existing files "
            "are never overwritten: if there are any, nothing is written.\n\nThe Makefile finds "
            "the headers by pkg-config or beside the gbrun on PATH, CMake by find_package(gbrun).",
    VERB_OPTIONS(new_options),
    .run = run,
};
