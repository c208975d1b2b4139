/* build.c - see build.h. Plugin side. */
#define _GNU_SOURCE
#include "build.h"

#include "cache.h"
#include "files.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "plugins/common/measuring.h"
#include "scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS_MAX = 256, NAME_MAX_SHOWN = 100 };

/* --- the options --- */

struct options {
    char *items[OPTIONS_MAX];
    size_t n;
    bool is_binary;
};

/* Takes the option; NULL: there was no memory for it. */
static bool add(struct options *options, char *option)
{
    if (option == NULL || options->n == OPTIONS_MAX) {
        free(option);
        return false;
    }
    options->items[options->n++] = option;
    return true;
}

static bool add_joint(struct options *options, const char *name, const char *value)
{
    char *option = NULL;
    return asprintf(&option, "%s%s", name, value) >= 0 && add(options, option);
}

static bool add_folder(struct options *options, const char *folder)
{
    return add_joint(options, "--include-path=", folder);
}

/* What stands behind one of the spellings of an option, or NULL: it is another one. */
static const char *option_value(const char *option, const char *const *spellings)
{
    for (; *spellings != NULL; spellings++) {
        const size_t n = strlen(*spellings);
        if (strncmp(option, *spellings, n) == 0)
            return option + n + (option[n] == '=');
    }
    return NULL;
}

static const char *find_option(const struct build_request *request, const char *const *spellings)
{
    const char *value = NULL;
    for (size_t i = 0; i < request->n_options; i++) {
        const char *here = option_value(request->options[i], spellings);
        value = here != NULL ? here : value;
    }
    return value;
}

static const char *const target_spellings[] = {"--gpu-architecture", "-arch", NULL};
static const char *const standard_spellings[] = {"--std", "-std", NULL};
static const char *const folder_spellings[] = {"--include-path", "-I", NULL};
static const char *const header_spellings[] = {"--pre-include", "-include", NULL};

/* The user's own architecture counts, such as sm_90a. For a trial PTX is enough. */
static bool add_target(struct options *options, const struct build_request *request,
                       char reason[BUILD_REASON_BYTES])
{
    static const char name[] = "--gpu-architecture=", binary[] = "sm_";
    const size_t n = sizeof binary - 1;
    char made[NVRTC_TARGET_BYTES];
    const char *target = find_option(request, target_spellings);
    if (target == NULL) {
        if (!nvrtc_target(request->architecture, made, &options->is_binary, reason,
                          BUILD_REASON_BYTES))
            return false;
        target = made + sizeof name - 1;
    }
    options->is_binary = strncmp(target, binary, n) == 0;
    const bool is_changed = request->is_trial && options->is_binary;
    options->is_binary = options->is_binary && !is_changed;
    return is_changed ? add_joint(options, "--gpu-architecture=compute_", target + n)
                      : add_joint(options, name, target);
}

/* Adds a folder inside another one if it is there. */
static bool add_inside(struct options *options, const char *home, const char *inside)
{
    char *folder = path_in(home, inside);
    const bool is_missing = folder != NULL && access(folder, X_OK) != 0;
    const bool is_added = is_missing || (folder != NULL && add_folder(options, folder));
    free(folder);
    return is_added;
}

/* Headers of CUDA, such as cuda_fp16.h, which NVRTC does not bring along; from CUDA 13 on those of
 * C++, which cooperative_groups.h needs, have a folder of their own. */
static bool add_toolkit(struct options *options)
{
    const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const size_t n_before = options->n;
        if (homes[i] != NULL && !add_inside(options, homes[i], "include"))
            return false;
        if (options->n > n_before)
            return add_inside(options, homes[i], "include/cccl");
    }
    return true;
}

static bool make_options(const struct build_request *request, struct options *ret,
                         char reason[BUILD_REASON_BYTES])
{
    char *folder = path_folder(request->path);
    reason[0] = '\0';
    bool is_made = folder != NULL && add_target(ret, request, reason);
    if (is_made && find_option(request, standard_spellings) == NULL)
        is_made = add(ret, strdup("--std=c++17"));
    if (is_made && ret->is_binary)
        is_made = add(ret, strdup("--ptxas-options=-v"));
    for (size_t i = 0; is_made && i < request->n_options; i++)
        if (option_value(request->options[i], target_spellings) == NULL)
            is_made = add(ret, strdup(request->options[i]));
    is_made = is_made && add_folder(ret, folder);
    for (size_t i = 0; is_made && i < request->n_folders; i++)
        is_made = add_folder(ret, request->folders[i]);
    is_made = is_made && add_toolkit(ret);
    free(folder);
    if (!is_made && reason[0] == '\0')
        snprintf(reason, BUILD_REASON_BYTES, "too many options for the compiler: expected up to %d",
                 OPTIONS_MAX);
    return is_made;
}

/* --- bytes one behind the other --- */

struct bytes {
    char *data;
    size_t n;
};

/* With its length before it, so that no two lists look the same. */
static void put_block(FILE *to, const char *data, size_t n)
{
    const uint64_t length = n;
    fwrite(&length, sizeof length, 1, to);
    fwrite(data, 1, n, to);
}

static void put_text(FILE *to, const char *text)
{
    put_block(to, text, strlen(text));
}

/* Closes a list; false: there was no memory for all of it. */
static bool put_end(FILE *to)
{
    const bool has_failed = ferror(to) != 0;
    return fclose(to) == 0 && !has_failed;
}

struct reader {
    const char *data;
    size_t left;
    bool has_failed;
};

static const char *take(struct reader *reader, size_t n)
{
    const char *data = reader->data;
    reader->has_failed = reader->has_failed || n > reader->left;
    if (reader->has_failed)
        return NULL;
    reader->data += n;
    reader->left -= n;
    return data;
}

static char *take_block(struct reader *reader, size_t *ret_bytes)
{
    uint64_t length = 0;
    const char *head = take(reader, sizeof length);
    if (head != NULL)
        memcpy(&length, head, sizeof length);
    const char *data = head != NULL ? take(reader, (size_t)length) : NULL;
    char *copy = data != NULL ? malloc((size_t)length + 1) : NULL;
    reader->has_failed = reader->has_failed || copy == NULL;
    if (copy == NULL)
        return NULL;
    memcpy(copy, data, (size_t)length);
    copy[length] = '\0';
    if (ret_bytes != NULL)
        *ret_bytes = (size_t)length;
    return copy;
}

/* --- the key --- */

/* The headers that the options name are part of it; so are the folders, by what is found there. */
static void add_named_headers(struct source_set *set, const struct build_request *request,
                              const char *const *folders, size_t n_folders)
{
    for (size_t i = 0; i < request->n_options; i++) {
        const char *name = option_value(request->options[i], header_spellings);
        if (name != NULL && *name != '\0')
            source_set_add(set, name, folders, n_folders);
    }
}

static bool read_sources(const struct build_request *request, struct source_set *ret,
                         char reason[BUILD_REASON_BYTES])
{
    const char *folders[OPTIONS_MAX];
    char *own = path_folder(request->path);
    size_t n = 0;
    folders[n++] = own != NULL ? own : ".";
    for (size_t i = 0; i < request->n_options && n < OPTIONS_MAX; i++) {
        const char *folder = option_value(request->options[i], folder_spellings);
        if (folder != NULL && *folder != '\0')
            folders[n++] = folder;
    }
    for (size_t i = 0; i < request->n_folders && n < OPTIONS_MAX; i++)
        folders[n++] = request->folders[i];
    const bool is_read = source_set_read(request->path, folders, n, ret, reason);
    if (is_read)
        add_named_headers(ret, request, folders, n);
    free(own);
    return is_read;
}

static bool make_key(const struct build_request *request, const struct options *options,
                     const struct source_set *sources, struct bytes *ret,
                     char reason[BUILD_REASON_BYTES])
{
    char compiler[NVRTC_IDENTITY_BYTES];
    if (!nvrtc_identity(compiler, reason, BUILD_REASON_BYTES))
        return false;
    snprintf(reason, BUILD_REASON_BYTES, "out of memory for the source");
    FILE *to = open_memstream(&ret->data, &ret->n);
    if (to == NULL)
        return false;
    put_text(to, compiler);
    for (size_t i = 0; i < request->n_entries; i++)
        put_text(to, request->entries[i]);
    put_text(to, "");
    for (size_t i = 0; i < options->n; i++)
        put_text(to, options->items[i]);
    put_text(to, "");
    for (size_t i = 0; i < sources->n; i++) {
        const struct source_file *file = &sources->files[i];
        const struct cache_digest digest = cache_digest(file->text, file->bytes);
        put_text(to, file->path);
        fwrite(&digest, sizeof digest, 1, to);
    }
    return put_end(to);
}

/* --- the value --- */

static bool from_cache(const struct build_request *request, const struct bytes *key,
                       struct build *ret)
{
    size_t bytes = 0;
    char *value = cache_read(request->cache, key->data, key->n, &bytes);
    if (value == NULL)
        return false;
    struct reader reader = {value, bytes, false};
    const char *time = take(&reader, sizeof ret->compile_ms);
    if (time != NULL)
        memcpy(&ret->compile_ms, time, sizeof ret->compile_ms);
    for (size_t i = 0; i < request->n_entries; i++)
        ret->names[i] = take_block(&reader, NULL);
    ret->log = take_block(&reader, NULL);
    ret->image = take_block(&reader, &ret->image_bytes);
    free(value);
    ret->is_cached = !reader.has_failed && reader.left == 0;
    if (!ret->is_cached)
        build_free(ret);
    return ret->is_cached;
}

static void to_cache(const struct build_request *request, const struct bytes *key,
                     struct build *build)
{
    char reason[CACHE_REASON_BYTES];
    struct bytes value = {0};
    FILE *to = open_memstream(&value.data, &value.n);
    snprintf(reason, sizeof reason, "out of memory for it");
    if (to != NULL) {
        fwrite(&build->compile_ms, sizeof build->compile_ms, 1, to);
        for (size_t i = 0; i < request->n_entries; i++)
            put_text(to, build->names[i]);
        put_text(to, build->log);
        put_block(to, build->image, build->image_bytes);
    }
    if (to == NULL || !put_end(to) ||
        !cache_write(request->cache, key->data, key->n, value.data, value.n, reason))
        snprintf(build->note, sizeof build->note,
                 "the compiled kernel was not cached, so it will be compiled again: %s", reason);
    free(value.data);
}

/* --- macros --- */

static bool is_used(const struct build_request *request, const struct source_set *sources,
                    size_t macro, const char *name, size_t n)
{
    for (size_t i = 0; i < sources->n; i++)
        if (scan_has_word(sources->files[i].text, name, n))
            return true;
    for (size_t i = 0; i < request->n_entries; i++)
        if (scan_has_word(request->entries[i], name, n))
            return true;
    for (size_t i = 0; i < request->n_options; i++)
        if (i != macro && scan_has_word(request->options[i], name, n))
            return true;
    return false;
}

/* A name that is misspelt would be a sweep over nothing. Headers of others may use any. */
static void find_unused(const struct build_request *request, const struct source_set *sources,
                        struct build *ret)
{
    static const char mark[] = "--define-macro=";
    for (size_t i = 0; i < request->n_options && ret->unused[0] == '\0'; i++) {
        const char *name = request->options[i] + sizeof mark - 1;
        if (sources->is_incomplete || sources->has_others ||
            strncmp(request->options[i], mark, sizeof mark - 1) != 0)
            continue;
        const size_t n = strcspn(name, "=");
        if (!is_used(request, sources, i, name, n))
            snprintf(ret->unused, sizeof ret->unused,
                     "the macro %.*s has no effect: neither %.300s nor a header that it includes "
                     "uses it",
                     (int)(n < NAME_MAX_SHOWN ? n : NAME_MAX_SHOWN), name, request->path);
    }
}

/* --- compiling --- */

static bool is_error(const char *line, size_t n)
{
    static const char *const marks[] = {"error: ", "error #", "ptxas error", "ptxas fatal"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (memmem(line, n, marks[i], strlen(marks[i])) != NULL)
            return true;
    return false;
}

/* Which entry an error is about: the compiler shows the line in which it reads it. */
static size_t entry_of(const struct build_request *request, const char *line)
{
    static const char mark[] = "nv_mangled_name ";
    const char *shown = strstr(line, mark);
    for (size_t i = 0; shown != NULL && i < request->n_entries; i++) {
        const char *entry = request->entries[i], *at = shown + sizeof mark - 1;
        const size_t n = strcspn(at, "\n");
        if (strlen(entry) == n && strncmp(at, entry, n) == 0)
            return i;
    }
    return 0;
}

/* The line of the first error; about an entry, which the compiler reads in a file of its own, with
 * the entry in place of that file. */
static void explain(const struct build_request *request, const char *words, struct build *build,
                    char reason[BUILD_REASON_BYTES])
{
    static const char own_file[] = "__nv_name_map(";
    const char *line = build->log;
    while (line != NULL && *line != '\0') {
        const size_t n = strcspn(line, "\n");
        if (is_error(line, n))
            break;
        line = line[n] != '\0' ? line + n + 1 : NULL;
    }
    const char *error = line != NULL ? strstr(line, "error: ") : NULL;
    build->is_entry_wrong = error != NULL && strncmp(line, own_file, sizeof own_file - 1) == 0;
    if (line == NULL || *line == '\0') {
        snprintf(reason, BUILD_REASON_BYTES, "%.300s: %.300s", request->path, words);
    } else if (build->is_entry_wrong) {
        build->wrong_entry = entry_of(request, line);
        snprintf(reason, BUILD_REASON_BYTES, "'%.200s' in %.300s: %.*s",
                 request->entries[build->wrong_entry], request->path, (int)strcspn(error, "\n"),
                 error);
    } else {
        snprintf(reason, BUILD_REASON_BYTES, "%.*s", (int)strcspn(line, "\n"), line);
    }
}

static bool compile(const struct build_request *request, const struct options *options,
                    const struct source_set *sources, struct build *ret,
                    char reason[BUILD_REASON_BYTES])
{
    struct nvrtc_output output = {0};
    char words[256];
    const struct nvrtc_request program = {
        .name = request->path,
        .source = sources->files[0].text,
        .options = (const char *const *)options->items,
        .n_options = options->n,
        .expressions = request->entries,
        .n_expressions = request->n_entries,
        .is_binary = options->is_binary,
    };
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    const bool is_compiled = nvrtc_build(&program, &output, words, sizeof words);
    ret->compile_ms = 1e-6 * (clock_ns(CLOCK_MONOTONIC) - begin_ns);
    ret->log = output.log;
    output.log = NULL;
    if (!is_compiled)
        explain(request, words, ret, reason);
    for (size_t i = 0; is_compiled && i < output.n_names; i++) {
        ret->names[i] = output.names[i];
        output.names[i] = NULL;
    }
    ret->image = output.image;
    ret->image_bytes = output.image_bytes + (options->is_binary ? 0 : 1);
    output.image = NULL;
    nvrtc_output_free(&output);
    return is_compiled;
}

bool build_make(const struct build_request *request, struct build *ret,
                char reason[BUILD_REASON_BYTES])
{
    struct options options = {0};
    struct source_set sources = {0};
    struct bytes key = {0};
    *ret = (struct build){0};
    bool is_made = make_options(request, &options, reason) &&
                   read_sources(request, &sources, reason) &&
                   make_key(request, &options, &sources, &key, reason);
    const bool has_cache = request->cache != NULL && !sources.is_incomplete;
    const bool is_wanted = has_cache || !request->is_ahead;
    if (is_made && is_wanted && !(has_cache && from_cache(request, &key, ret))) {
        is_made = compile(request, &options, &sources, ret, reason);
        if (is_made && has_cache)
            to_cache(request, &key, ret);
        else if (is_made && request->cache != NULL)
            snprintf(ret->note, sizeof ret->note,
                     "the compiled kernel was not cached: the headers of %.300s are unknown, as a "
                     "macro or #include_next names one",
                     request->path);
    }
    if (is_made)
        find_unused(request, &sources, ret);
    free(key.data);
    source_set_free(&sources);
    for (size_t i = 0; i < options.n; i++)
        free(options.items[i]);
    return is_made;
}

void build_free(struct build *build)
{
    for (size_t i = 0; i < ENTRIES_MAX; i++)
        free(build->names[i]);
    free(build->image);
    free(build->log);
    *build = (struct build){0};
}

/* --- what the compiler's log says of a kernel --- */

bool build_spills(const char *log, const char *name, double *ret_stores, double *ret_loads)
{
    static const char about[] = "Function properties for ";
    const size_t n = strlen(name);
    for (const char *at = strstr(log, about); at != NULL; at = strstr(at + 1, about)) {
        const char *word = at + sizeof about - 1;
        const char *numbers = strstr(word, "bytes stack frame,");
        if (strncmp(word, name, n) != 0 || (word[n] != '\n' && word[n] != '\r') || numbers == NULL)
            continue;
        return sscanf(numbers, "bytes stack frame, %lf bytes spill stores, %lf bytes spill loads",
                      ret_stores, ret_loads) == 2;
    }
    return false;
}

void build_trim_log(char *log)
{
    char *to = log;
    for (const char *line = log; *line != '\0';) {
        const size_t n = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        const bool is_info = strncmp(line, "ptxas info", 10) == 0 ||
                             strncmp(line, "ptxas         .", 15) == 0;
        if (!is_info)
            memmove(to, line, n);
        to += is_info ? 0 : n;
        line += n;
    }
    *to = '\0';
}
