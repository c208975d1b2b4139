/* check.c - the files that settings name, looked at before anything runs. Plugin side. */
#define _GNU_SOURCE
#include "check_kernel.h"

#include "array_file.h"
#include "plugins/common/call/call_library.h"
#include "plugins/common/cuda/nvrtc_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Compiling ends before gbrun gives a check up, after ten seconds; what takes longer is checked
 * when it is run. */
enum { NAME_MAX_SHOWN = 100, CHECK_SECONDS = 8 };

/* --- parameters, as PTX has them --- */

static bool suits(const struct scan_parameter *parameter, const struct type *type)
{
    const enum type_kind kind = type_kind(type);
    if (parameter->bytes != type_bytes(type))
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

void check_kernel(const struct wanted *wanted, const char *place, const struct scan_kernel *kernel)
{
    static const char *const words[] = {[SCAN_UNKNOWN] = "a value",
                                        [SCAN_INTEGER] = "an integer",
                                        [SCAN_FLOAT] = "a float",
                                        [SCAN_POINTER] = "a pointer"};
    const struct signature *signature = wanted->signature;
    if (kernel->n != signature->n)
        report(wanted->reporter, wanted->signature_option, 0,
               "it has %zu parameter%s, but the kernel in %s has %zu", signature->n,
               signature->n == 1 ? "" : "s", place, kernel->n);
    for (size_t i = 0; kernel->n == signature->n && i < kernel->n; i++) {
        const struct scan_parameter *parameter = &kernel->parameters[i];
        const struct type *type = &signature->parameters[i];
        if (!suits(parameter, type))
            report(wanted->reporter, wanted->signature_option, 0,
                   "parameter %zu is %s, but in %s it is %s of %u bytes", i + 1,
                   type->id == TYPE_STRUCT ? "a struct" : type_info(type->id)->name, place,
                   words[parameter->kind], parameter->bytes);
    }
}

/* --- sources --- */

/* A macro may stand for the name. */
static bool is_in_options(const struct settings *settings, const char *word, size_t n)
{
    for (size_t i = 0; i < settings->n_options; i++) {
        const char *option = settings->options[i];
        if (scan_has_word(option + (strncmp(option, "-D", 2) == 0 ? 2 : 0), word, n))
            return true;
    }
    return false;
}

/* That the name of the kernel is a word of the source, or of what it includes. Where there is no
 * NVRTC, no more than that is checked. */
static void check_name(const struct wanted *wanted)
{
    const struct settings *settings = wanted->settings;
    char reason[FILE_REASON_BYTES], names[SCAN_LIST_BYTES] = "";
    struct source_set set = {0};
    size_t n = 0;
    const char *word = scan_base_name(wanted->entry, &n);
    if (!source_set_read(wanted->source->path, settings->folders, settings->n_folders, &set,
                         reason)) {
        report(wanted->reporter, wanted->source_option, 0, "%s", reason);
        return;
    }
    bool is_there = n == 0 || set.is_incomplete || is_in_options(settings, word, n);
    for (size_t i = 0; i < set.n && !is_there; i++) {
        const char *text = set.files[i].text;
        /* It may be put together by ##. */
        is_there = scan_has_word(text, word, n) || strstr(text, "##") != NULL;
        if (names[0] == '\0')
            scan_list(text, names);
    }
    source_set_free(&set);
    if (!is_there)
        report(wanted->reporter, wanted->entry_option, 0, "there is no '%.*s' in %.250s%s%s",
               (int)(n < NAME_MAX_SHOWN ? n : NAME_MAX_SHOWN), word, wanted->source->path,
               names[0] != '\0' ? ", only " : "", names);
}

/* --- PTX and binaries --- */

static void check_image(const struct wanted *wanted)
{
    const struct source *source = wanted->source;
    char reason[FILE_REASON_BYTES], names[SCAN_LIST_BYTES] = "", place[400];
    size_t bytes = 0;
    bool is_elf = true;
    struct scan_kernel kernel = {0};
    char *text = file_read(source->path, &bytes, reason);
    if (text == NULL) {
        report(wanted->reporter, wanted->source_option, 0, "%s", reason);
        return;
    }
    const bool is_ptx = source->kind == SOURCE_PTX;
    const bool is_there = is_ptx ? scan_ptx(text, wanted->entry, &kernel)
                                 : scan_elf(text, bytes, wanted->entry, &is_elf);
    if (is_ptx)
        scan_list_ptx(text, names);
    free(text);
    snprintf(place, sizeof place, "%.300s:%zu", source->path, kernel.line);
    for (size_t i = 0; i < kernel.n; i++) /* who writes PTX may take words of any kind */
        kernel.parameters[i].kind = SCAN_UNKNOWN;
    if (is_there && is_ptx)
        check_kernel(wanted, place, &kernel);
    else if (!is_there && is_elf) /* a fatbin has its kernels compressed */
        report(wanted->reporter, wanted->entry_option, 0,
               "there is no kernel '%.100s' in %.200s%s%s: expected its name as the compiler wrote "
               "it there",
               wanted->entry, source->path, names[0] != '\0' ? ", only " : "", names);
}

/* Two kernels of one source are one compilation. */
static void check_sources(const struct wanted *wanted, size_t n)
{
    const uint64_t n_before = wanted->reporter->n;
    const size_t n_each = n == 2 && wanted[0].source == wanted[1].source ? 2 : 1;
    for (size_t i = 0; i < n && wanted->reporter->n == n_before; i++) {
        if (wanted[i].source->kind == SOURCE_CUDA)
            check_name(&wanted[i]);
        else
            check_image(&wanted[i]);
    }
    for (size_t i = 0; i < n && wanted->reporter->n == n_before; i += n_each)
        if (wanted[i].source->kind == SOURCE_CUDA)
            check_compiled(&wanted[i], n_each, (double)CHECK_SECONDS * (double)n_each / (double)n);
}

/* --- all else --- */

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
    const bool is_same = *params->reference_source == '\0';
    const bool has_own_signature = *params->reference_signature != '\0';
    const struct wanted wanted[] = {
        {
            .settings = settings,
            .reporter = reporter,
            .source = &settings->source,
            .entry = params->entry,
            .entry_option = "entry",
            .source_option = "source",
            .signature_option = "signature",
            .signature_text = params->signature,
            .signature = &settings->plan.routine.signature,
        },
        {
            .settings = settings,
            .reporter = reporter,
            .source = is_same ? &settings->source : &settings->reference_source,
            .entry = params->reference_entry,
            .entry_option = "reference_entry",
            .source_option = is_same ? "source" : "reference_source",
            .signature_option = has_own_signature ? "reference_signature" : "signature",
            .signature_text = has_own_signature ? params->reference_signature : params->signature,
            .signature = &settings->plan.reference.signature,
        }};
    const uint64_t n_before = reporter->n;
    struct linkage linkage;
    check_options(settings, reporter);
    check_folders(settings, reporter);
    if (reporter->n == n_before)
        check_sources(wanted, settings->has_reference_kernel ? 2 : 1);
    if (*params->reference != '\0')
        link_reference(&settings->plan, reporter, &linkage);
    check_arrays(settings, reporter, &params->input, "input");
    check_arrays(settings, reporter, &params->output, "output");
}
