/*
 * nvrtc.c - see nvrtc.h. Plugin side.
 *
 * The functions are declared here: they are the same in every version from 11.2 on, and the header
 * is not part of every CUDA installation.
 */
#define _GNU_SOURCE
#include "nvrtc.h"

#include "cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVRTC_OPTIONS_MAX = 64 };

struct nvrtc_program; /* the library's own */

/* All return 0 for success. */
struct nvrtc_functions {
    int (*create)(struct nvrtc_program **ret, const char *source, const char *name, int n_headers,
                  const char *const *headers, const char *const *include_names);
    int (*destroy)(struct nvrtc_program **program);
    int (*compile)(struct nvrtc_program *program, int n_options, const char *const *options);
    int (*log_size)(struct nvrtc_program *program, size_t *ret);
    int (*log)(struct nvrtc_program *program, char *log);
    int (*binary_size)(struct nvrtc_program *program, size_t *ret);
    int (*binary)(struct nvrtc_program *program, char *binary);
    int (*ptx_size)(struct nvrtc_program *program, size_t *ret);
    int (*ptx)(struct nvrtc_program *program, char *ptx);
    int (*n_architectures)(int *ret);
    int (*architectures)(int *ret);
    const char *(*words)(int result);
};

/* --- the library --- */

static bool load(struct nvrtc_functions *nvrtc, char *reason, size_t bytes)
{
    const struct {
        void **member;
        const char *symbol;
    } table[] = {
        {(void **)&nvrtc->create, "nvrtcCreateProgram"},
        {(void **)&nvrtc->destroy, "nvrtcDestroyProgram"},
        {(void **)&nvrtc->compile, "nvrtcCompileProgram"},
        {(void **)&nvrtc->log_size, "nvrtcGetProgramLogSize"},
        {(void **)&nvrtc->log, "nvrtcGetProgramLog"},
        {(void **)&nvrtc->binary_size, "nvrtcGetCUBINSize"},
        {(void **)&nvrtc->binary, "nvrtcGetCUBIN"},
        {(void **)&nvrtc->ptx_size, "nvrtcGetPTXSize"},
        {(void **)&nvrtc->ptx, "nvrtcGetPTX"},
        {(void **)&nvrtc->n_architectures, "nvrtcGetNumSupportedArchs"},
        {(void **)&nvrtc->architectures, "nvrtcGetSupportedArchs"},
        {(void **)&nvrtc->words, "nvrtcGetErrorString"},
    };
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    void *library = cuda_library_open(names);
    if (library == NULL) {
        snprintf(reason, bytes,
                 "libnvrtc was not found; it is part of the CUDA Toolkit (set CUDA_HOME or "
                 "LD_LIBRARY_PATH)");
        return false;
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        *table[i].member = dlsym(library, table[i].symbol);
        if (*table[i].member == NULL) {
            snprintf(reason, bytes, "this libnvrtc has no %s: 11.2 or newer is needed",
                     table[i].symbol);
            return false;
        }
    }
    return true;
}

/* --- one program --- */

static bool knows(const struct nvrtc_functions *nvrtc, int architecture)
{
    int all[256];
    int n = 0;
    if (nvrtc->n_architectures(&n) != 0 || n <= 0 || n > 256 || nvrtc->architectures(all) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        if (all[i] == architecture)
            return true;
    }
    return false;
}

/* The newest one that is older: its PTX is translated by the driver. */
static int newest_before(const struct nvrtc_functions *nvrtc, int architecture)
{
    int all[256];
    int n = 0;
    int newest = 50;
    if (nvrtc->n_architectures(&n) != 0 || n <= 0 || n > 256 || nvrtc->architectures(all) != 0)
        return newest;
    for (int i = 0; i < n; i++) {
        if (all[i] <= architecture && all[i] > newest)
            newest = all[i];
    }
    return newest;
}

static void explain(const struct nvrtc_functions *nvrtc, struct nvrtc_program *program, int result,
                    char *reason, size_t bytes)
{
    size_t size = 0;
    char *log = NULL;
    if (program != NULL && nvrtc->log_size(program, &size) == 0 && size > 1)
        log = calloc(1, size + 1);
    if (log != NULL && nvrtc->log(program, log) == 0)
        snprintf(reason, bytes, "%s:\n%s", nvrtc->words(result), log);
    else
        snprintf(reason, bytes, "%s", nvrtc->words(result));
    free(log);
}

static int take_image(const struct nvrtc_functions *nvrtc, struct nvrtc_program *program,
                      bool is_binary, void **ret_image)
{
    size_t size = 0;
    int result = (is_binary ? nvrtc->binary_size : nvrtc->ptx_size)(program, &size);
    char *image = result == 0 ? calloc(1, size + 1) : NULL;
    if (image == NULL)
        return result;
    result = (is_binary ? nvrtc->binary : nvrtc->ptx)(program, image);
    if (result == 0)
        *ret_image = image;
    else
        free(image);
    return result;
}

bool nvrtc_compile(const char *name, const char *source, size_t length, int architecture,
                   const char *const *options, void **ret_image, char *reason, size_t bytes)
{
    struct nvrtc_functions nvrtc;
    const char *all[NVRTC_OPTIONS_MAX];
    char target[64];
    int n = 0;
    struct nvrtc_program *program = NULL;
    *ret_image = NULL;
    if (!load(&nvrtc, reason, bytes))
        return false;
    const bool is_binary = knows(&nvrtc, architecture);
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", is_binary ? "sm" : "compute",
             is_binary ? architecture : newest_before(&nvrtc, architecture));
    all[n++] = target;
    all[n++] = "--std=c++17";
    for (; options != NULL && *options != NULL && n < NVRTC_OPTIONS_MAX; options++)
        all[n++] = *options;
    char *text = strndup(source, length);
    int result = text == NULL ? 1 : nvrtc.create(&program, text, name, 0, NULL, NULL);
    if (result == 0)
        result = nvrtc.compile(program, n, all);
    if (result == 0)
        result = take_image(&nvrtc, program, is_binary, ret_image);
    if (*ret_image == NULL)
        explain(&nvrtc, program, result, reason, bytes);
    if (program != NULL)
        nvrtc.destroy(&program);
    free(text);
    return *ret_image != NULL;
}
