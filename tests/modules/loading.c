/*
 * loading.c - what goes wrong with a module before any of its plugins runs. It is compiled once
 * for each name, MODULE_NAME:
 *   crash_on_load  segfaults in a constructor
 *   exit_on_load   ends the process there, with exit code 0: a run must not end in silence
 *   hang_on_load   never comes back from there, if HANG_ON_LOAD is set; nothing may be left running
 *   noisy_on_load  prints and changes locale, working folder, umask and signal handling there, and
 *                  is a benchmark that works: gbrun's stdout must stay clean, paths and numbers
 *                  right
 *   null_module    its entry returns NULL
 *   tiny_module    its struct claims 4 bytes, so that no member lies inside: what follows is
 *                  garbage and must not be read
 *   wrong_abi      claims ABI major 2 behind the entry of major 1; gbrun must name both numbers
 *   steering_id    its benchmark's id is an escape sequence: what refuses it names it
 */
#include "tests/modules/hurry.h"
#include "tests/modules/words.h"

#include <gbrun/gbrun.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>

#ifndef MODULE_NAME
#define MODULE_NAME "noisy_on_load"
#endif

static int is_named(const char *name)
{
    return strcmp(MODULE_NAME, name) == 0;
}

static void make_noise(void)
{
    printf("noise on stdout\nand no newline");
    fprintf(stderr, "noise on stderr\n");
    fflush(stdout);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
    if (chdir("/") != 0)
        perror("chdir");
    umask(0777);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

__attribute__((constructor)) static void on_load(void)
{
    volatile int *volatile nowhere = NULL;
    if (is_named("crash_on_load"))
        *nowhere = 1;
    if (is_named("exit_on_load"))
        exit(0);
    if (is_named("hang_on_load") && getenv("HANG_ON_LOAD"))
        hang();
    if (is_named("noisy_on_load"))
        make_noise();
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    *ret_bench = host->allocate(host, 8);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run};
static struct gb_plugin plugin = {GB_PLUGIN(BENCH, MODULE_NAME, "1.0", "loud, but works"),
                                  .ops = &ops};
static const struct gb_plugin *const plugins[] = {&plugin};

const struct gb_module *gb_module_v1(void)
{
    static SIZED(gb_module, module, .abi_major = GB_ABI_MAJOR, .abi_minor = GB_ABI_MINOR,
                 .n_plugins = 1, .plugins = plugins);
    if (is_named("steering_id"))
        plugin.id = "\033]0;title\a\xc2\x9b\xff";
    if (is_named("wrong_abi")) {
        module.abi_major = 2;
        module.abi_minor = 0;
    }
    if (is_named("tiny_module")) {
        module.size = 4;
        module.n_plugins = 0xFFFFFFFFu;
        module.plugins = (const struct gb_plugin *const *)16;
    }
    return is_named("null_module") ? NULL : &module;
}
