/*
 * noisy_on_load.c - prints and changes locale, working folder, umask and signal handling in a
 * constructor. gbrun's stdout must stay clean (list, check and exports), relative paths and
 * numbers right, and the benchmark must run.
 */
#define _POSIX_C_SOURCE 200809L
#include <gbrun/gbrun.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((constructor)) static void make_noise(void)
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

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 8);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static void destroy(void *bench)
{
    (void)bench;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .run = run,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "noisy_on_load",
    .version = "1.0",
    .summary = "loud, but works",
    .ops = &ops,
};
static const struct gb_plugin *const plugins[] = {&plugin};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 1,
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
