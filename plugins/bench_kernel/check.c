/* check.c - the files that settings name, looked at before anything runs. Plugin side. */
#define _GNU_SOURCE
#include "build.h"
#include "files.h"
#include "plugins/common/call/call_library.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "plugins/common/cuda/elf_function.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "scan.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Compiling ends before gbrun gives a check up, after ten seconds; what takes longer is checked
 * when it is run. */
enum { NAME_MAX_SHOWN = 100, CHECK_SECONDS = 8 };

/* Where a kernel is and what is expected of it. */
struct wanted {
    const struct settings *settings;
    struct reporter *reporter;
    const struct source *source;
    const char *entry, *entry_option, *source_option, *signature_option;
    const char *signature_text;
    const struct signature *signature;
};

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

/* Compares the parameters of a signature with those that PTX has; place: of the kernel, for
 * messages. */
static void check_kernel(const struct wanted *wanted, const char *place,
                         const struct scan_kernel *kernel)
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
                                 : elf_function_bytes(text, bytes, wanted->entry, &is_elf) >= 0;
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

/* --- NVRTC asked, before anything runs --- */

/* What there is to report, one problem of each kernel; shorter than PIPE_BUF, so it arrives whole.
 */
struct answer {
    size_t n;
    struct {
        char option[64], text[1024];
    } problems[ENTRIES_MAX];
};

static void keep_problem(void *context, const char *option, uint64_t offset, const char *text)
{
    struct answer *answer = context;
    (void)offset;
    if (answer->n == ENTRIES_MAX)
        return;
    snprintf(answer->problems[answer->n].option, sizeof answer->problems[0].option, "%s", option);
    snprintf(answer->problems[answer->n++].text, sizeof answer->problems[0].text, "%s", text);
}

/* That of the newest device here, found without a context; else later than any that NVRTC knows. */
static int architecture_here(void)
{
    enum { LATEST = 999 };
    struct driver driver;
    char reason[256];
    int newest = 0, n = 0;
    if (!driver_open(&driver, reason, sizeof reason) || driver.device_count(&n) != CUDA_SUCCESS)
        n = 0;
    for (int i = 0; i < n; i++) {
        CUdevice device = 0;
        int major = 0, minor = 0;
        driver.device_get(&device, i);
        driver.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
        driver.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
        newest = 10 * major + minor > newest ? 10 * major + minor : newest;
    }
    return newest > 0 ? newest : LATEST;
}

/* A source that refuses some of its macros or template arguments is sound: such cases fail alone
 * when they are run. */
static bool is_refusal(const char *reason)
{
    return strstr(reason, "static assertion failed") != NULL ||
           strstr(reason, "#error directive") != NULL;
}

static void compile(const struct wanted *wanted, size_t n, struct answer *ret)
{
    const struct settings *settings = wanted->settings;
    const char *entries[ENTRIES_MAX] = {0};
    char reason[BUILD_REASON_BYTES];
    struct build build = {0};
    struct reporter reporter = {keep_problem, ret, 0};
    for (size_t i = 0; i < n; i++)
        entries[i] = wanted[i].entry;
    const struct build_request request = {.path = wanted->source->path,
                                          .architecture = architecture_here(),
                                          .entries = entries,
                                          .n_entries = n,
                                          .options = settings->options,
                                          .n_options = settings->n_options,
                                          .folders = settings->folders,
                                          .n_folders = settings->n_folders,
                                          .is_trial = true};
    if (!build_make(&request, &build, reason)) {
        if (!is_refusal(reason))
            report(&reporter,
                   build.is_entry_wrong ? wanted[build.wrong_entry].entry_option
                                        : wanted->source_option,
                   0, "%s", reason);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct wanted one = wanted[i];
        struct scan_kernel kernel;
        one.reporter = &reporter;
        if (scan_ptx(build.image, build.names[i], &kernel))
            check_kernel(&one, one.source->path, &kernel);
    }
}

static void compile_apart(const struct wanted *wanted, size_t n, double seconds, struct answer *ret)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            compile(wanted, n, ret);
        _exit(write(ends[1], ret, sizeof *ret) == (ssize_t)sizeof *ret ? EXIT_SUCCESS
                                                                       : EXIT_FAILURE);
    }
    close(ends[1]);
    if (child > 0) {
        struct pollfd ready = {.fd = ends[0], .events = POLLIN};
        if (poll(&ready, 1, (int)(seconds * 1e3)) <= 0 ||
            read(ends[0], ret, sizeof *ret) != (ssize_t)sizeof *ret)
            *ret = (struct answer){0};
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    close(ends[0]);
}

/* --- what was compiled in this process --- */

struct compiled {
    char *text; /* the source and the names of the kernels, then all else that counts */
    size_t n_kernel;
    struct answer answer;
};
static struct compiled *compiled;
static size_t n_compiled;

/* NULL: there is no memory. */
static char *text_of(const struct wanted *wanted, size_t n, size_t *ret_n_kernel)
{
    const struct settings *settings = wanted->settings;
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (to == NULL)
        return NULL;
    fprintf(to, "%s\n", wanted->source->path);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%.*s\n", (int)strcspn(wanted[i].entry, "<"), wanted[i].entry);
    fflush(to);
    *ret_n_kernel = bytes;
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%s\n%s\n", wanted[i].entry, wanted[i].signature_text);
    for (size_t i = 0; i < settings->n_options; i++)
        fprintf(to, "%s\n", settings->options[i]);
    for (size_t i = 0; i < settings->n_folders; i++)
        fprintf(to, "%s\n", settings->folders[i]);
    return fclose(to) == 0 ? text : NULL;
}

/* Takes the text. *ret_is_due: it is a new one, and to be compiled. NULL: there is no memory. */
static struct compiled *find_compiled(char *text, size_t n_kernel, bool *ret_is_due)
{
    size_t n = 1, next = 1;
    *ret_is_due = false;
    for (size_t i = 0; i < n_compiled; i++) {
        if (strcmp(compiled[i].text, text) == 0) {
            free(text);
            return &compiled[i];
        }
        n += compiled[i].n_kernel == n_kernel && memcmp(compiled[i].text, text, n_kernel) == 0;
    }
    struct compiled *grown = realloc(compiled, (n_compiled + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    compiled = grown;
    compiled[n_compiled] = (struct compiled){.text = text, .n_kernel = n_kernel};
    while (next < n)
        next *= 4;
    *ret_is_due = n == next;
    return &compiled[n_compiled++];
}

/*
 * Asks NVRTC, where there is one, about n kernels of one source: by compiling them to PTX, which
 * needs no device, in a process of its own, which is killed after these seconds.
 *
 * The cases of a sweep are checked one after the other, and those that differ in buffers or blocks
 * only are compiled once. Of a kernel that is compiled in many ways the first is, and another one
 * each time that there are four times as many: 5 of 1000. All others are compiled when they are
 * run.
 */
static void check_compiled(const struct wanted *wanted, size_t n, double seconds)
{
    char identity[NVRTC_IDENTITY_BYTES], reason[256];
    bool is_due = false;
    size_t n_kernel = 0;
    char *text = nvrtc_identity(identity, reason, sizeof reason) ? text_of(wanted, n, &n_kernel)
                                                                 : NULL;
    struct compiled *own = text != NULL ? find_compiled(text, n_kernel, &is_due) : NULL;
    if (own == NULL)
        return;
    if (is_due)
        compile_apart(wanted, n, seconds, &own->answer);
    for (size_t i = 0; i < own->answer.n; i++)
        report(wanted->reporter, own->answer.problems[i].option, 0, "%s",
               own->answer.problems[i].text);
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

/* If NVRTC is here. */
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
