/*
 * environment.c - changes the process around it in the callback named by `where`: locale, working
 * folder, signal handlers and mask (SIGINT and SIGTERM ignored and blocked), rounding mode, flush-
 * to-zero, umask, environment variables, nice value; `what` picks one or all. gbrun must give
 * right numbers and texts for this case and every later one, and Ctrl-C must still end the run.
 */
#define _GNU_SOURCE
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"locale", "cwd",       "signals", "rounding", "flush_to_zero",
                                    "umask",  "variables", "nice",    "all"};
enum { ALL = 8 };

struct params {
    int32_t where;
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "all", kinds, "what it changes"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t change_locale(void)
{
    /* The first two write 0.5 as "0,5"; one is enough, and none may be installed. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
    return GB_OK;
}

static int32_t change_folder(void)
{
    return chdir("/") == 0 ? GB_OK : GB_IO;
}

static int32_t change_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGSEGV, SIGABRT};
    sigset_t all;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    sigfillset(&all);
    return sigprocmask(SIG_BLOCK, &all, NULL) == 0 ? GB_OK : GB_IO;
}

static int32_t add_to_float_control(uint32_t bits)
{
#if defined(__x86_64__)
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= bits;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#else
    (void)bits;
#endif
    return GB_OK;
}

static int32_t change_rounding(void)
{
    return add_to_float_control(0x4000); /* upward */
}

static int32_t change_flush_to_zero(void)
{
    return add_to_float_control(0x8040); /* results and operands */
}

static int32_t change_umask(void)
{
    umask(0777);
    return GB_OK;
}

static int32_t change_variables(void)
{
    setenv("PATH", "/nowhere", 1);
    setenv("TMPDIR", "/nowhere", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("GBRUN_PLUGIN_PATH", "/nowhere", 1);
    return unsetenv("HOME") == 0 ? GB_OK : GB_IO;
}

static int32_t change_nice(void)
{
    return nice(5) >= -20 ? GB_OK : GB_IO;
}

/* By kinds[]. */
static int32_t (*const changes[])(void) = {
    change_locale,        change_folder, change_signals,   change_rounding,
    change_flush_to_zero, change_umask,  change_variables, change_nice,
};

static int32_t act(struct bench *bench, int32_t where)
{
    int32_t status = GB_OK;
    if (where != bench->params.where)
        return GB_OK;
    for (int32_t i = 0; i < ALL && status == GB_OK; i++) {
        if (bench->params.what == ALL || bench->params.what == i)
            status = changes[i]();
    }
    return status;
}

/* Right in any rounding mode: what the case is judged by must not be its own environment. */
static int32_t verify(void *bench, const struct gb_queue *queue)
{
    static const float output[] = {0.5f, 1.0f / 3, 0x1p-140f};
    static const double reference[] = {0.5, 1.0 / 3, 0x1p-140};
    const struct gb_host *host = ((struct bench *)bench)->host;
    struct gb_check check = {0};
    int32_t status = act(bench, VERIFY);
    (void)queue;
    if (status != GB_OK)
        return status;
    host->metric(host, "half", 0.5, "");
    check.size = sizeof check;
    check.format = GB_F32;
    check.name = "thirds";
    check.n = 3;
    check.output = output;
    check.reference = reference;
    check.flags = GB_CHECK_EXACT;
    check.default_metric = "abs";
    return host->check(host, &check);
}

#define MODULE_ID "environment"
#define MODULE_SUMMARY "changes the process around it"
#define MODULE_HAS_VERIFY
#include "tests/modules/callbacks.h"
