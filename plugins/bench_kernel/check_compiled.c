/* check_compiled.c - NVRTC asked about kernels before anything runs; see check_kernel.h. Plugin
 * side. */
#define _GNU_SOURCE
#include "build.h"
#include "check_kernel.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "plugins/common/cuda/nvrtc_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

void check_compiled(const struct wanted *wanted, size_t n, double seconds)
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
