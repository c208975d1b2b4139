/* nvrtc.c - see nvrtc.h. Plugin side. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include "nvrtc_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVRTC_OPTIONS_MAX = 64 };

bool nvrtc_compile(const char *name, const char *source, size_t length, int architecture,
                   const char *const *options, void **ret_image, char *reason, size_t bytes)
{
    const char *all[NVRTC_OPTIONS_MAX];
    char target[NVRTC_TARGET_BYTES], words[256];
    struct nvrtc_request request = {.name = name, .options = all};
    struct nvrtc_output output = {0};
    *ret_image = NULL;
    if (!nvrtc_target(architecture, target, &request.is_binary, reason, bytes))
        return false;
    all[request.n_options++] = target;
    all[request.n_options++] = "--std=c++17";
    for (; options != NULL && *options != NULL && request.n_options < NVRTC_OPTIONS_MAX; options++)
        all[request.n_options++] = *options;
    char *text = strndup(source, length);
    request.source = text;
    snprintf(words, sizeof words, "there is no memory for the source");
    if (text == NULL || !nvrtc_build(&request, &output, words, sizeof words)) {
        const bool has_log = output.log != NULL && *output.log != '\0';
        snprintf(reason, bytes, "%s%s%s", words, has_log ? ":\n" : "", has_log ? output.log : "");
    }
    *ret_image = output.image;
    output.image = NULL;
    nvrtc_output_free(&output);
    free(text);
    return *ret_image != NULL;
}
