/* python.h - the benchmark `python`: what its files share. Plugin side. */
#pragma once

#include <gbrun/gbrun.h>
#include <gbrun/measure.h>

/* A case as gbrun.py sees it (_Case): what is to be called, and what it sets in `prepare`. Lives
 * from "open" to "close". */
struct python_case {
    const struct gb_host *host;
    int32_t (*fail)(const struct gb_host *host, const char *text);
    int32_t (*skip)(const struct gb_host *host, const char *text);
    int32_t (*check)(const struct gb_host *host, const struct gb_check *check);
    int32_t (*checked)(const struct gb_host *host, const char *name, int32_t passed,
                       const char *text);
    const char *path;     /* of the file, absolute unless the configuration's folder is not */
    const char *function; /* in it */
    uint64_t n_arguments;
    const char *const *keys;
    const char *const *values; /* as of GB_OPTION_REST */
    int32_t gpu;               /* number of the GPU; -1: none */
    uint32_t reserved;
    void *stream; /* of the queue; NULL: none */

    struct gbrun_subject subject; /* what is measured */
    struct gbrun_subject nothing; /* the same of a function that does nothing */
};

/* One interpreter a process: found by asking the program that `python` names (empty: python3), and
 * opened by the first who calls. GB_FAILED: host->fail has said why. */
int32_t interpreter_open(const struct gb_host *host, const char *python);
/* A step of gbrun.py's _plugin: "open", "prepare", "close". Returns its status. */
int32_t interpreter_step(const char *step, struct python_case *python_case);
