/* check.c - the files that settings name, looked at before anything runs. Plugin side. */
#define _GNU_SOURCE
#include "array_file.h"
#include "plugins/common/call/call_library.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "scan.h"
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MAX_SHOWN = 100 };

/* Where a kernel is and what it is to be like. */
struct wanted {
    const struct settings *settings;
    struct reporter *reporter;
    const struct source *source;
    const char *entry, *entry_option, *signature_option;
    const struct signature *signature;
};

static const char *kind_words(enum scan_kind kind)
{
    static const char *const words[] = {[SCAN_UNKNOWN] = "something else",
                                        [SCAN_INTEGER] = "an integer",
                                        [SCAN_FLOAT] = "a float",
                                        [SCAN_POINTER] = "a pointer"};
    return words[kind];
}

static bool suits(const struct scan_parameter *parameter, const struct type *type)
{
    const enum type_kind kind = type_kind(type);
    const size_t bytes = settings_parameter_bytes(type);
    if (parameter->bytes != 0 && parameter->bytes != bytes)
        return false;
    switch (parameter->kind) {
    case SCAN_POINTER:
        return kind == KIND_POINTER;
    case SCAN_FLOAT:
        return kind == KIND_FLOAT;
    case SCAN_INTEGER:
        return kind == KIND_INTEGER || kind == KIND_BITS;
    case SCAN_UNKNOWN:
        break;
    }
    return true;
}

static void check_parameters(const struct wanted *wanted, const char *path,
                             const struct scan_kernel *kernel)
{
    const struct signature *signature = wanted->signature;
    for (size_t i = 0; i < kernel->n; i++) {
        const struct scan_parameter *parameter = &kernel->parameters[i];
        char words[64] = "a struct", size[32] = "";
        if (suits(parameter, &signature->parameters[i]))
            continue;
        if (signature->parameters[i].id != TYPE_STRUCT)
            snprintf(words, sizeof words, "%s", type_info(signature->parameters[i].id)->name);
        if (parameter->bytes != 0)
            snprintf(size, sizeof size, " of %u bytes", parameter->bytes);
        report(wanted->reporter, wanted->signature_option, 0,
               "parameter %zu is %s, but in %.100s:%zu it is %s%s", i + 1, words, path,
               kernel->line, kind_words(parameter->kind), size);
    }
}

/* Of several, such as those of both branches of an #if, one has to suit. */
static void check_kernels(const struct wanted *wanted, const char *path,
                          const struct scan_kernel *kernels, size_t n)
{
    const struct scan_kernel *suiting = NULL;
    size_t n_suiting = 0;
    for (size_t i = 0; i < n; i++) {
        if (!kernels[i].is_certain)
            return;
        if (kernels[i].n != wanted->signature->n)
            continue;
        suiting = &kernels[i];
        n_suiting++;
    }
    if (n > 0 && n_suiting == 0)
        report(wanted->reporter, wanted->signature_option, 0,
               "it has %zu parameter%s, but the kernel in %.100s:%zu has %zu", wanted->signature->n,
               wanted->signature->n == 1 ? "" : "s", path, kernels[0].line, kernels[0].n);
    else if (n_suiting == 1)
        check_parameters(wanted, path, suiting);
}

/* NVRTC has words for neither, or none that name the entry. */
static void check_template(const struct wanted *wanted, const char *path,
                           const struct scan_kernel *kernels, size_t n)
{
    size_t n_given = 0;
    const bool is_given = scan_template_arguments(wanted->entry, &n_given);
    const bool is_cut = !is_given && strchr(wanted->entry, '<') != NULL;
    for (size_t i = 0; i < n; i++) {
        const struct scan_template *own = &kernels[i].template;
        const bool suits = is_given ? own->is_one && n_given >= own->least && n_given <= own->most
                                    : !own->is_one && !is_cut;
        if (suits || !own->is_certain)
            return;
    }
    const struct scan_template *first = &kernels[0].template;
    if (n == 0)
        return;
    if (is_cut)
        report(wanted->reporter, wanted->entry_option, 0, "'%.200s': expected '>' at its end",
               wanted->entry);
    else if (!first->is_one)
        report(wanted->reporter, wanted->entry_option, 0,
               "'%.200s': the kernel in %.200s:%zu is no template: expected no <...>",
               wanted->entry, path, kernels[0].line);
    else if (first->most == SIZE_MAX)
        report(wanted->reporter, wanted->entry_option, 0,
               "'%.200s': the kernel in %.200s:%zu is a template: expected its arguments, %zu or "
               "more, in <...>",
               wanted->entry, path, kernels[0].line, first->least);
    else
        report(wanted->reporter, wanted->entry_option, 0,
               "'%.200s': the kernel in %.200s:%zu is a template: expected its %zu argument%s in "
               "<...>",
               wanted->entry, path, kernels[0].line, first->most, first->most == 1 ? "" : "s");
}

/* A macro may stand for the name. */
static bool is_in_options(const struct settings *settings, const char *word, size_t n)
{
    for (size_t i = 0; i < settings->n_options; i++)
        if (scan_has_word(settings->options[i], word, n))
            return true;
    return false;
}

/* Or for arguments of a template, perhaps several. */
static bool has_macro_argument(const struct settings *settings, const char *entry)
{
    const char *open = strchr(entry, '<');
    const struct gb_map *macros = &settings->params->define;
    for (uint64_t i = 0; open != NULL && i < macros->n; i++)
        if (scan_has_word(open, macros->keys[i], strlen(macros->keys[i])))
            return true;
    return false;
}

/* In the source, and in what it includes as far as that is not CUDA's own. */
static void check_cuda(const struct wanted *wanted)
{
    const struct settings *settings = wanted->settings;
    const char *path = wanted->source->path;
    char reason[FILE_REASON_BYTES];
    struct source_set set = {0};
    size_t n_word = 0, n_kernels = 0;
    struct scan_kernel *kernels = calloc(SCAN_KERNELS_MAX, sizeof *kernels);
    const char *word = scan_base_name(wanted->entry, &n_word);
    if (kernels == NULL ||
        !source_set_read(path, settings->folders, settings->n_folders, &set, reason)) {
        if (kernels != NULL)
            report(wanted->reporter,
                   wanted->source == &settings->source ? "source" : "reference_source", 0, "%s",
                   reason);
        free(kernels);
        return;
    }
    bool is_there = n_word == 0 || set.is_incomplete || is_in_options(settings, word, n_word);
    bool is_macro = has_macro_argument(settings, wanted->entry);
    char names[SCAN_LIST_BYTES] = "";
    const char *found_in = path;
    for (size_t i = 0; i < set.n && n_kernels == 0 && n_word > 0; i++) {
        char *text = scan_strip(set.files[i].text);
        if (text != NULL) {
            n_kernels = scan_kernels(text, word, n_word, kernels, SCAN_KERNELS_MAX);
            /* A name may be put together by ##, or be an argument of a macro. */
            is_there = is_there || scan_has_word(text, word, n_word) || strstr(text, "##") != NULL;
            is_macro = is_macro || scan_defines_argument(text, wanted->entry);
            if (names[0] == '\0')
                scan_list(text, names);
        }
        found_in = set.files[i].path;
        free(text);
    }
    if (!is_there)
        report(wanted->reporter, wanted->entry_option, 0, "there is no '%.*s' in %.250s%s%s",
               (int)(n_word < NAME_MAX_SHOWN ? n_word : NAME_MAX_SHOWN), word, path,
               names[0] != '\0' ? ", only " : "", names);
    if (is_there && !is_macro)
        check_template(wanted, found_in, kernels, n_kernels);
    if (is_there)
        check_kernels(wanted, found_in, kernels, n_kernels);
    source_set_free(&set);
    free(kernels);
}

static void check_image(const struct wanted *wanted)
{
    const struct source *source = wanted->source;
    char reason[FILE_REASON_BYTES];
    size_t bytes = 0;
    bool is_elf = true, is_there = false;
    struct scan_kernel kernel = {0};
    char names[SCAN_LIST_BYTES] = "";
    char *text = file_read(source->path, &bytes, reason);
    if (text == NULL) {
        report(wanted->reporter,
               source == &wanted->settings->source ? "source" : "reference_source", 0, "%s",
               reason);
        return;
    }
    if (source->kind == SOURCE_PTX)
        scan_list_ptx(text, names);
    if (source->kind == SOURCE_PTX)
        is_there = scan_ptx(text, wanted->entry, &kernel);
    else /* a fatbin has its kernels compressed */
        is_there = scan_elf(text, bytes, wanted->entry, &is_elf) || !is_elf;
    free(text);
    if (!is_there)
        report(wanted->reporter, wanted->entry_option, 0,
               "there is no kernel '%.100s' in %.200s%s%s: expected its name as the compiler wrote "
               "it there",
               wanted->entry, source->path, names[0] != '\0' ? ", only " : "", names);
    else if (source->kind == SOURCE_PTX)
        check_kernels(wanted, source->path, &kernel, 1);
}

static void check_source(const struct wanted *wanted)
{
    if (wanted->source->kind == SOURCE_CUDA)
        check_cuda(wanted);
    else
        check_image(wanted);
}

/* As far as NVRTC is here to be asked. */
static void check_options(const struct settings *settings, struct reporter *reporter)
{
    for (size_t i = settings->params->define.n; i < settings->n_options; i++) {
        char reason[256];
        if (!nvrtc_knows_option(settings->options[i], reason, sizeof reason))
            report(reporter, "options", settings->option_places[i], "NVRTC says: %s", reason);
    }
}

static void check_folders(const struct settings *settings, struct reporter *reporter)
{
    for (size_t i = 0; i < settings->n_folders; i++) {
        struct stat facts;
        if (stat(settings->folders[i], &facts) != 0)
            report(reporter, "include", 0, "%.300s: %s", settings->folders[i], strerror(errno));
        else if (!S_ISDIR(facts.st_mode))
            report(reporter, "include", 0, "%.300s: expected a folder", settings->folders[i]);
    }
}

static void check_function(const struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    const struct span name = {params->reference, strlen(params->reference)};
    char reason[LIBRARY_REASON_BYTES];
    void *library = library_open(&params->reference_library, settings_folder(settings->host),
                                 reason);
    if (library == NULL)
        report(reporter, "reference_library", 0, "%s", reason);
    else if (library_symbol(library, name, reason) == NULL)
        report(reporter, "reference", 0, "%s", reason);
}

static void check_arrays(const struct settings *settings, struct reporter *reporter,
                         const struct gb_map *map, const char *name)
{
    for (uint64_t i = 0; i < map->n; i++) {
        const struct entry *entry = settings_buffer(settings, map->keys[i]);
        const struct buffer *buffer = &entry->value.buffer;
        struct array_file array = {0};
        char reason[FILE_REASON_BYTES], option[64];
        snprintf(option, sizeof option, "%s.%.48s", name, map->keys[i]);
        char *path = path_in(settings_folder(settings->host), map->values[i]);
        if (path != NULL && !array_file_read(path, buffer->element, buffer->n, &array, reason))
            report(reporter, option, 0, "%s", reason);
        else if (path != NULL && strcmp(name, "input") == 0 && array.element != buffer->element)
            report(reporter, option, 0, "%.300s has elements of %s: expected %s, as the buffer has",
                   path, type_info(array.element)->name, type_info(buffer->element)->name);
        array_file_free(&array);
        free(path);
    }
}

void settings_check_files(const struct settings *settings, struct reporter *reporter)
{
    const struct kernel_params *params = settings->params;
    const struct wanted own = {settings,
                               reporter,
                               &settings->source,
                               params->entry,
                               "entry",
                               "signature",
                               &settings->plan.routine.signature};
    const bool is_same = *params->reference_source == '\0';
    const struct wanted other = {settings,
                                 reporter,
                                 is_same ? &settings->source : &settings->reference_source,
                                 params->reference_entry,
                                 "reference_entry",
                                 *params->reference_signature != '\0' ? "reference_signature"
                                                                      : "signature",
                                 &settings->plan.reference.signature};
    const uint64_t n_before = reporter->n;
    check_options(settings, reporter);
    check_folders(settings, reporter);
    check_source(&own);
    if (settings->has_reference_kernel && reporter->n == n_before)
        check_source(&other);
    if (*params->reference != '\0')
        check_function(settings, reporter);
    check_arrays(settings, reporter, &params->input, "input");
    check_arrays(settings, reporter, &params->output, "output");
}
