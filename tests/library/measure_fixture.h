/*
 * measure_fixture.h - a callback that works a little, what a call of gbrun/measure.h is expected to
 * end with, and the devices of tests/modules/device_fake.c, whose times are arithmetic. Results
 * files lie in the test's folder.
 */
#pragma once

#include "tests/check_main.h"
#include "tests/modules/fake_current.h"

#include <gbrun/measure.h>
#include <gbrun/module.h>

#include <dlfcn.h>

/* Short and without any claim. */
#define QUICK "device = cpu\npolicy = fixed\nsamples = 20\n"

struct work {
    uint64_t n_runs, n_iterations, n_resets, n_polls;
    uint64_t fail_at; /* the run that fails; 0: none */
    int32_t status;   /* with which */
    const char *words;
    struct gbrun_subject of; /* callbacks other than run */
    double state;
};

static bool has_stream; /* fake devices have one, the CPU has none */
static char order[64];  /* of callbacks that have words: their first letters, each turn once */

static inline void note(char letter)
{
    const size_t n = strlen(order);
    if (n + 1 < sizeof order && (n == 0 || order[n - 1] != letter))
        order[n] = letter;
}

static inline int32_t run(void *user, void *stream, uint64_t iterations)
{
    struct work *work = user;
    ck_assert(!stream || has_stream);
    work->n_runs++;
    work->n_iterations += iterations;
    if (work->words)
        note(*work->words);
    if (work->n_runs == work->fail_at) {
        return work->status == GB_SKIPPED ? gbrun_skip(work->words)
               : work->words              ? gbrun_fail(work->words)
                                          : work->status;
    }
    for (uint64_t i = 0; i < 100 * iterations; i++) {
        work->state = work->state * 0.5 + 1;
        __asm__ volatile("" : : "m"(work->state) : "memory");
    }
    return GB_OK;
}

static inline void go_to_folder(void)
{
    const char *folder = getenv("TMPDIR");
    ck_assert_int_eq(chdir(folder ? folder : "/tmp"), 0);
}

static inline struct gbrun_subject subject_of(struct work *work)
{
    struct gbrun_subject subject = work->of;
    subject.size = sizeof subject;
    subject.user = work;
    if (!subject.run)
        subject.run = run;
    return subject;
}

static inline const struct gbrun_result *measure(struct work *work, const char *settings)
{
    const struct gbrun_subject subject = subject_of(work);
    return gbrun_measure(&subject, settings);
}

/* A call is expected to end so; its result is there until the next. */
static inline const struct gbrun_result *expect(const struct gbrun_result *result, int32_t status,
                                                const char *words)
{
    static const struct gbrun_result *kept;
    gbrun_free(kept);
    kept = result;
    ck_assert_msg(result->status == status && strstr(result->error, words), "%d: %s",
                  result->status, result->error);
    return result;
}

static inline const struct gbrun_result *sound(const struct gbrun_result *result)
{
    return expect(result, GB_OK, "");
}

/* ---- fake devices ---- */

#define FAKE "device = fake\npolicy = fixed\nsamples = 21\n"

static inline const char *module_file(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/tests/modules/.libs/%s", getenv("top_builddir"), name);
    return path;
}

static inline void find_fakes(void)
{
    setenv("GBRUN_PLUGIN_PATH", module_file(""), 1);
    has_stream = true;
}

/* What is current of the fake devices. */
static inline struct fake_current *fake_current(void)
{
    const struct gb_module *(*get)(void) = NULL;
    void *module = dlopen(module_file("device_fake.so"), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(module, "%s", dlerror());
    void *symbol = dlsym(module, GB_ENTRY_SYMBOL);
    memcpy(&get, &symbol, sizeof get);
    return (struct fake_current *)(uintptr_t)get()->plugins[0]->extension(FAKE_CURRENT);
}

/* What a query of gbrun's own says, lines in one. */
static inline const char *exported(const char *arguments)
{
    static char text[2000];
    char command[1200];
    snprintf(command, sizeof command, "'%s' %s 2>&1 | tr -d '\\r' | tr '\\n' ' '", getenv("GBRUN"),
             arguments);
    FILE *output = popen(command, "r");
    text[fread(text, 1, sizeof text - 1, output)] = 0;
    pclose(output);
    return text;
}
