/*
 * beside.c - cases that look at each other through a file, the log, to which each adds lines:
 * `made` in create, `begin` before its samples and `end` after the last, with its number and the
 * device's index. It can wait for such lines of others, so that what must happen side by side is
 * proven by its happening, within the case's time limit; and can ask to be alone, in which case no
 * line of another case may stand between its own `begin` and `end`. The log can be a FIFO that a
 * test listens to, if nobody waits for lines.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/modules/hurry.h"

#include <fcntl.h>
#include <gbrun/gbrun.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct params {
    const char *log;
    int64_t number;
    int64_t meet_made, meet_begun, meet_killed;
    int32_t alone;
    double linger;
    int32_t until_cancelled, deaf;
    int64_t crash_on;
    int32_t killed_waiting;
    int64_t held_from, held_after;
};

static const struct gb_option options[] = {
    GB_STRING(struct params, log, NULL, "the file"),
    GB_INT(struct params, number, "0", "0:", NULL, "tells cases apart"),
    GB_INT(struct params, meet_made, "0", "0:", NULL, "create waits for so many lines `made`"),
    GB_INT(struct params, meet_begun, "0", "0:", NULL, "run waits for so many lines `begin`"),
    GB_INT(struct params, meet_killed, "0", "0:", NULL,
           "run waits until so many are killed, and their processes gone"),
    GB_BOOL(struct params, alone, "no", "asks to be the only case"),
    GB_DURATION(struct params, linger, "0", "0:", "how long the first sample takes at least"),
    GB_BOOL(struct params, until_cancelled, "no", "the first sample ends when the run is stopped"),
    GB_BOOL(struct params, deaf, "no", "the first sample hangs, from then on"),
    GB_INT(struct params, crash_on, "-1", "-1:", NULL, "index of the device to crash on"),
    GB_BOOL(struct params, killed_waiting, "no",
            "is killed, while it waits, once another case has begun"),
    GB_INT(struct params, held_from, "1000", "0:", NULL,
           "where 8 number + index of the device is not below, the first sample waits for LOG.go"),
    GB_INT(struct params, held_after, "0", "0:", NULL,
           "so does that of each case from so many lines `begin` on; 0: of none"),
};

struct bench {
    const struct gb_host *host;
    const struct params *params;
    int has_run;
};

static void pause_for(double ns)
{
    struct timespec time;
    time.tv_sec = (time_t)(ns / 1e9);
    time.tv_nsec = (long)(ns - 1e9 * (double)time.tv_sec);
    nanosleep(&time, NULL);
}

/* One write each, so that lines of several processes do not mix. */
static void note(const struct bench *bench, const char *word)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s %lld on %u\n", word, (long long)bench->params->number,
                     (unsigned)bench->host->device->index);
    int file = open(bench->params->log, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, line, (size_t)n) != n)
        abort();
    close(file);
}

static int64_t count_lines(const struct bench *bench, const char *word)
{
    FILE *file = fopen(bench->params->log, "re");
    char line[64];
    int64_t n = 0;
    while (file && fgets(line, sizeof line, file))
        n += strncmp(line, word, strlen(word)) == 0;
    if (file)
        fclose(file);
    return n;
}

/* Ends with the run; a case that waits in vain is ended by its time limit. */
static void wait_for(const struct bench *bench, const char *word, int64_t n)
{
    while (n > 0 && count_lines(bench, word) < n && !bench->host->cancelled(bench->host))
        pause_for(1e6);
}

/* Lines `killed PROCESS` are written before it happens: once the process is gone gbrun knows. */
static void wait_for_deaths(const struct bench *bench, int64_t n)
{
    FILE *file;
    char line[64];
    wait_for(bench, "killed", n);
    file = n > 0 ? fopen(bench->params->log, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        const pid_t process = strncmp(line, "killed ", 7) == 0 ? (pid_t)strtol(line + 7, NULL, 10)
                                                               : 0;
        while (process > 0 && kill(process, 0) == 0 && !bench->host->cancelled(bench->host))
            pause_for(1e6);
    }
    if (file)
        fclose(file);
}

static void wait_for_go(const struct bench *bench)
{
    const struct params *params = bench->params;
    char path[4096];
    if (8 * params->number + (int64_t)bench->host->device->index < params->held_from &&
        (params->held_after == 0 || count_lines(bench, "begin") < params->held_after))
        return;
    snprintf(path, sizeof path, "%s.go", params->log);
    while (access(path, F_OK) != 0)
        pause_for(1e6);
}

static void have_it_killed(const struct bench *bench)
{
    const pid_t victim = getpid();
    char word[32];
    if (fork() != 0)
        return;
    wait_for(bench, "begin", 1);
    snprintf(word, sizeof word, "killed %d of", (int)victim);
    note(bench, word); /* before: gbrun ends this process with its parent */
    kill(victim, SIGKILL);
    _exit(0);
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (!bench)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = params;
    note(bench, "made");
    wait_for(bench, "made", bench->params->meet_made);
    if (bench->params->alone)
        host->exclusive(host);
    if (bench->params->killed_waiting)
        have_it_killed(bench);
    *ret_bench = bench;
    return GB_OK;
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    (void)queue;
    note(bench, "begin");
    bench->host->metric(bench->host, "index", bench->host->device->index, "");
    return GB_OK;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    (void)queue;
    (void)iterations;
    if (bench->has_run)
        return GB_OK;
    bench->has_run = 1;
    if (bench->params->crash_on == (int64_t)bench->host->device->index)
        abort();
    wait_for(bench, "begin", bench->params->meet_begun);
    wait_for_deaths(bench, bench->params->meet_killed);
    wait_for_go(bench);
    if (bench->params->linger > 0)
        pause_for(bench->params->linger);
    while (bench->params->until_cancelled && !bench->host->cancelled(bench->host))
        pause_for(1e6);
    if (bench->params->deaf)
        hurry_hang(0);
    while (bench->params->deaf)
        pause_for(1e9);
    return GB_OK;
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    note(bench, "end");
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops, .create = create, .prepare = prepare, .run = run, .verify = verify};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "beside",
    .version = "1.0",
    .summary = "looks at the cases beside it",
    .devices = "fake cpu",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
