/*
 * nvrtc_program.c - see nvrtc_program.h. Plugin side.
 *
 * The functions are declared here: they are the same in every version from 11.2 on, and the header
 * is not part of every CUDA installation.
 */
#define _GNU_SOURCE
#include "nvrtc_program.h"

#include "cuda_driver.h"
#include "plugins/common/measuring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ARCHITECTURES_MAX = 256, OLDEST_ARCHITECTURE = 50, NO_MEMORY = 1 /* NVRTC's own */ };

/* X(member, symbol, result, parameters); those that return an int return 0 for success. `program`
 * is the library's own. */
#define NVRTC_FUNCTIONS(X)                                                                         \
    X(version, nvrtcVersion, int, (int *ret_major, int *ret_minor))                                \
    X(create, nvrtcCreateProgram, int,                                                             \
      (void **ret, const char *source, const char *name, int n_headers,                            \
       const char *const *headers, const char *const *include_names))                              \
    X(destroy, nvrtcDestroyProgram, int, (void **program))                                         \
    X(add_expression, nvrtcAddNameExpression, int, (void *program, const char *expression))        \
    X(compile, nvrtcCompileProgram, int,                                                           \
      (void *program, int n_options, const char *const *options))                                  \
    X(lowered_name, nvrtcGetLoweredName, int,                                                      \
      (void *program, const char *expression, const char **ret))                                   \
    X(log_size, nvrtcGetProgramLogSize, int, (void *program, size_t *ret))                         \
    X(log, nvrtcGetProgramLog, int, (void *program, char *log))                                    \
    X(binary_size, nvrtcGetCUBINSize, int, (void *program, size_t *ret))                           \
    X(binary, nvrtcGetCUBIN, int, (void *program, char *binary))                                   \
    X(ptx_size, nvrtcGetPTXSize, int, (void *program, size_t *ret))                                \
    X(ptx, nvrtcGetPTX, int, (void *program, char *ptx))                                           \
    X(n_architectures, nvrtcGetNumSupportedArchs, int, (int *ret))                                 \
    X(architectures, nvrtcGetSupportedArchs, int, (int *ret))                                      \
    X(words, nvrtcGetErrorString, const char *, (int result))

struct nvrtc_functions {
    NVRTC_FUNCTIONS(SYMBOL_FUNCTION)
};

/* --- the library --- */

/* NVRTC looks for its second library where the loader looks, and not beside itself: that works only
 * once it is loaded, where the Toolkit was found by CUDA_HOME. */
static void open_builtins(const struct nvrtc_functions *nvrtc)
{
    char name[64];
    const char *const names[] = {name, NULL};
    int major = 0, minor = 0;
    if (nvrtc->version(&major, &minor) != 0)
        return;
    snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", major, minor);
    cuda_library_open(names);
}

static bool load(struct nvrtc_functions *functions, char *reason, size_t bytes)
{
    const struct symbol symbols[] = {NVRTC_FUNCTIONS(SYMBOL_LINE)};
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    void *library = cuda_library_open(names);
    if (library == NULL) {
        snprintf(reason, bytes,
                 "libnvrtc was not found; it is part of the CUDA Toolkit (set CUDA_HOME or "
                 "LD_LIBRARY_PATH)");
        return false;
    }
    const char *missing = FIND_SYMBOLS(library, symbols);
    if (missing != NULL) {
        snprintf(reason, bytes, "this libnvrtc has no %s: expected version 11.2 or later", missing);
        return false;
    }
    open_builtins(functions);
    return true;
}

bool nvrtc_identity(char text[NVRTC_IDENTITY_BYTES], char *reason, size_t bytes)
{
    struct nvrtc_functions nvrtc;
    Dl_info library;
    struct stat facts = {0};
    int major = 0, minor = 0;
    if (!load(&nvrtc, reason, bytes))
        return false;
    const int result = nvrtc.version(&major, &minor);
    if (result != 0) {
        snprintf(reason, bytes, "%s", nvrtc.words(result));
        return false;
    }
    char *path = dladdr(*(void **)&nvrtc.version, &library) != 0 ? realpath(library.dli_fname, NULL)
                                                                 : NULL;
    if (path != NULL && stat(path, &facts) != 0)
        facts.st_size = 0;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    snprintf(text, NVRTC_IDENTITY_BYTES, "NVRTC %d.%d, %.64s, %lld bytes", major, minor,
             slash != NULL ? slash + 1 : "", (long long)facts.st_size);
    free(path);
    return true;
}

bool nvrtc_target(int architecture, char option[NVRTC_TARGET_BYTES], bool *ret_is_binary,
                  char *reason, size_t bytes)
{
    struct nvrtc_functions nvrtc;
    int all[ARCHITECTURES_MAX];
    int n = 0;
    int newest = OLDEST_ARCHITECTURE;
    if (!load(&nvrtc, reason, bytes))
        return false;
    if (nvrtc.n_architectures(&n) != 0 || n < 0 || n > ARCHITECTURES_MAX ||
        nvrtc.architectures(all) != 0)
        n = 0;
    for (int i = 0; i < n; i++) {
        if (all[i] <= architecture && all[i] > newest)
            newest = all[i];
    }
    *ret_is_binary = newest == architecture;
    snprintf(option, NVRTC_TARGET_BYTES, "--gpu-architecture=%s_%d",
             *ret_is_binary ? "sm" : "compute", newest);
    return true;
}

/* --- one program --- */

static char *take_log(const struct nvrtc_functions *nvrtc, void *program)
{
    size_t size = 0;
    if (nvrtc->log_size(program, &size) != 0)
        size = 0;
    char *log = calloc(1, size + 1);
    if (log != NULL && size > 1 && nvrtc->log(program, log) != 0)
        log[0] = '\0';
    return log;
}

/* The options are looked at in their order, so where the last one is what NVRTC does not know, all
 * is well with those before it. */
bool nvrtc_knows_option(const char *option, char *reason, size_t bytes)
{
    static const char last[] = "--gbrun-has-no-such-option", mark[] = "error: ";
    const char *const options[] = {option, last};
    struct nvrtc_functions nvrtc;
    void *program = NULL;
    if (!load(&nvrtc, reason, bytes) || nvrtc.create(&program, "", "", 0, NULL, NULL) != 0)
        return true;
    nvrtc.compile(program, 2, options);
    char *log = take_log(&nvrtc, program);
    nvrtc.destroy(&program);
    const char *error = log != NULL ? strstr(log, mark) : NULL;
    const bool is_known = error == NULL || strstr(log, last) != NULL;
    if (!is_known) {
        error += sizeof mark - 1;
        snprintf(reason, bytes, "%.*s", (int)strcspn(error, "\n"), error);
    }
    free(log);
    return is_known;
}

static int take_image(const struct nvrtc_functions *nvrtc, void *program, bool is_binary,
                      struct nvrtc_output *ret)
{
    size_t size = 0;
    int result = (is_binary ? nvrtc->binary_size : nvrtc->ptx_size)(program, &size);
    char *image = result == 0 ? calloc(1, size + 1) : NULL;
    if (image == NULL)
        return result != 0 ? result : NO_MEMORY;
    result = (is_binary ? nvrtc->binary : nvrtc->ptx)(program, image);
    if (result == 0) {
        ret->image = image;
        ret->image_bytes = size;
        ret->is_binary = is_binary;
    } else {
        free(image);
    }
    return result;
}

static int take_names(const struct nvrtc_functions *nvrtc, void *program,
                      const struct nvrtc_request *request, struct nvrtc_output *ret)
{
    int result = 0;
    ret->names = calloc(request->n_expressions + 1, sizeof *ret->names);
    if (ret->names == NULL)
        return NO_MEMORY;
    for (size_t i = 0; result == 0 && i < request->n_expressions; i++) {
        const char *name = NULL;
        result = nvrtc->lowered_name(program, request->expressions[i], &name);
        ret->names[i] = result == 0 ? strdup(name) : NULL;
        ret->n_names = i + 1;
        if (result == 0 && ret->names[i] == NULL)
            return NO_MEMORY;
    }
    return result;
}

bool nvrtc_build(const struct nvrtc_request *request, struct nvrtc_output *ret, char *reason,
                 size_t bytes)
{
    struct nvrtc_functions nvrtc;
    void *program = NULL;
    *ret = (struct nvrtc_output){0};
    if (!load(&nvrtc, reason, bytes))
        return false;
    int result = nvrtc.create(&program, request->source, request->name, 0, NULL, NULL);
    for (size_t i = 0; result == 0 && i < request->n_expressions; i++)
        result = nvrtc.add_expression(program, request->expressions[i]);
    if (result == 0) {
        result = nvrtc.compile(program, (int)request->n_options, request->options);
        ret->log = take_log(&nvrtc, program);
    }
    if (result == 0)
        result = take_names(&nvrtc, program, request, ret);
    if (result == 0)
        result = take_image(&nvrtc, program, request->is_binary, ret);
    if (result != 0)
        snprintf(reason, bytes, "%s", nvrtc.words(result));
    if (program != NULL)
        nvrtc.destroy(&program);
    return result == 0;
}

void nvrtc_output_free(struct nvrtc_output *output)
{
    for (size_t i = 0; i < output->n_names; i++)
        free(output->names[i]);
    free(output->names);
    free(output->image);
    free(output->log);
    *output = (struct nvrtc_output){0};
}

bool nvrtc_compile(struct nvrtc_request request, size_t length, int architecture,
                   struct nvrtc_output *ret, double *ret_ns, char *reason, size_t bytes)
{
    enum { NVRTC_OPTIONS_MAX = 64 };
    char target[NVRTC_TARGET_BYTES], words[256];
    const char *all[NVRTC_OPTIONS_MAX] = {target, "--std=c++17"};
    size_t n = 2;
    *ret = (struct nvrtc_output){0};
    if (!nvrtc_target(architecture, target, &request.is_binary, reason, bytes)) /* loads NVRTC */
        return false;
    for (size_t i = 0; i < request.n_options && n < NVRTC_OPTIONS_MAX; i++)
        all[n++] = request.options[i];
    char *text = strndup(request.source, length);
    request.source = text;
    request.options = all;
    request.n_options = n;
    snprintf(words, sizeof words, "out of memory for the source");
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    const bool is_built = text != NULL && nvrtc_build(&request, ret, words, sizeof words);
    *ret_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
    const bool has_log = ret->log != NULL && *ret->log != '\0';
    if (!is_built)
        snprintf(reason, bytes, "%s%s%s", words, has_log ? ":\n" : "", has_log ? ret->log : "");
    free(text);
    return is_built;
}
