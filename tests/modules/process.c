/*
 * process.c - reports what it finds of the process it runs in, as metrics: its pid, how many CPUs
 * it may use, the number in the environment variable GBRUN_TEST (-1: not set), how many devices
 * FAKE_VISIBLE names (0: not set), and how often this process has made the benchmark. gbrun must
 * give each value of env.NAME, and each case that is isolated, a process of its own, and reuse one
 * for all others.
 */
#define _GNU_SOURCE
#include <gbrun/gbrun.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int n_made;

static int n_visible(void)
{
    const char *list = getenv("FAKE_VISIBLE");
    int n = list != NULL;
    while (list && (list = strchr(list, ',')) != NULL) {
        list++;
        n++;
    }
    return n;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const char *number = getenv("GBRUN_TEST");
    cpu_set_t cpus;
    (void)params;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    host->metric(host, "pid", (double)getpid(), "");
    host->metric(host, "cpus", (double)CPU_COUNT(&cpus), "");
    host->metric(host, "variable", number ? strtod(number, NULL) : -1, "");
    host->metric(host, "visible", n_visible(), "");
    host->metric(host, "made", (double)++n_made, "");
    *ret_bench = host->allocate(host, 1);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    for (; iterations > 0; iterations--)
        GB_CLOBBER();
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "process",
    .version = "1.0",
    .summary = "reports the process it runs in",
    .ops = &ops,
};

GB_MODULE(&plugin)
