/*
 * beside.c - cases that look at each other through a file, the log, to which each adds lines:
 * `made` in create, `begin` before its samples and `end` after the last, with its number and the
 * device's index. It can wait for such lines of others, so that what must happen side by side is
 * proven by its happening, within the case's time limit; and can ask to be alone, in which case no
 * line of another case may stand between its own `begin` and `end`. The log can be a FIFO that a
 * test listens to, if nobody waits for lines.
 */
#include "tests/modules/host_time.h"
#include "tests/modules/hurry.h"

#include <gbrun/simple.h>
#include <signal.h>

struct bench {
    const char *log;
    int64_t number;
    int64_t meet_made, meet_begun, meet_killed;
    int32_t alone;
    double linger;
    int32_t until_cancelled, deaf;
    int64_t crash_on;
    int32_t killed_waiting;
    int64_t held_from, held_after;
    const char *wanted;
    int64_t wanted_until;
    const struct gb_host *host;
    int has_run;
};

static const struct gb_option options[] = {
    GB_STRING(struct bench, log, NULL, "the file"),
    GB_INT(struct bench, number, "0", "0:", NULL, "tells cases apart"),
    GB_INT(struct bench, meet_made, "0", "0:", NULL, "create waits for so many lines `made`"),
    GB_INT(struct bench, meet_begun, "0", "0:", NULL, "run waits for so many lines `begin`"),
    GB_INT(struct bench, meet_killed, "0", "0:", NULL,
           "run waits until so many are killed, and their processes gone"),
    GB_BOOL(struct bench, alone, "no", "asks to be the only case"),
    GB_DURATION(struct bench, linger, "0", "0:", "how long the first sample takes at least"),
    GB_BOOL(struct bench, until_cancelled, "no", "the first sample ends when the run is stopped"),
    GB_BOOL(struct bench, deaf, "no", "the first sample hangs, from then on"),
    GB_INT(struct bench, crash_on, "-1", "-1:", NULL, "index of the device to crash on"),
    GB_BOOL(struct bench, killed_waiting, "no",
            "is killed, while it waits, once another case has begun"),
    GB_INT(struct bench, held_from, "1000", "0:", NULL,
           "where 8 number + index of the device is not below, the first sample waits for LOG.go"),
    GB_INT(struct bench, held_after, "0", "0:", NULL,
           "so does that of each case from so many lines `begin` on; 0: of none"),
    GB_STRING(struct bench, wanted, "", "the first sample ends when a run waits for this lock"),
    GB_INT(struct bench, wanted_until, "0", "0:", NULL, "or when there are so many lines `begin`"),
};

/* One write each, so that lines of several processes do not mix. */
static void note(const struct bench *bench, const char *word)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s %lld on %u\n", word, (long long)bench->number,
                     (unsigned)bench->host->device->index);
    int file = open(bench->log, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, line, (size_t)n) != n)
        abort();
    close(file);
}

static int64_t count_lines(const struct bench *bench, const char *word)
{
    FILE *file = fopen(bench->log, "re");
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
        wait_ns(1e6);
}

/* Lines `killed PROCESS` are written before it happens: once the process is gone gbrun knows. */
static void wait_for_deaths(const struct bench *bench, int64_t n)
{
    FILE *file;
    char line[64];
    wait_for(bench, "killed", n);
    file = n > 0 ? fopen(bench->log, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        const pid_t process = strncmp(line, "killed ", 7) == 0 ? (pid_t)strtol(line + 7, NULL, 10)
                                                               : 0;
        while (process > 0 && kill(process, 0) == 0 && !bench->host->cancelled(bench->host))
            wait_ns(1e6);
    }
    if (file)
        fclose(file);
}

static void wait_for_go(const struct bench *bench)
{
    char path[4096];
    if (8 * bench->number + (int64_t)bench->host->device->index < bench->held_from &&
        (bench->held_after == 0 || count_lines(bench, "begin") < bench->held_after))
        return;
    snprintf(path, sizeof path, "%s.go", bench->log);
    while (access(path, F_OK) != 0)
        wait_ns(1e6);
}

/* Who waits for a lock holds its turn (core/run/lock.c). */
static void wait_until_wanted(const struct bench *bench)
{
    const off_t turn = 1 << 20;
    const int file = open(bench->wanted, O_RDWR | O_CLOEXEC);
    struct flock held = {.l_type = F_UNLCK};
    while (held.l_type == F_UNLCK && count_lines(bench, "begin") < bench->wanted_until) {
        held = (struct flock){.l_type = F_WRLCK, .l_start = turn, .l_len = turn};
        if (fcntl(file, F_GETLK, &held) != 0)
            abort();
        wait_ns(1e6);
    }
    close(file);
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
    *bench = *(const struct bench *)params;
    bench->host = host;
    note(bench, "made");
    wait_for(bench, "made", bench->meet_made);
    if (bench->alone)
        host->exclusive(host);
    if (bench->killed_waiting)
        have_it_killed(bench);
    *ret_bench = bench;
    return GB_OK;
}

GB_UNTIMED(prepare, const struct bench, bench)
{
    note(bench, "begin");
    bench->host->metric(bench->host, "index", bench->host->device->index, "");
    return GB_OK;
}

GB_TIMED(run, struct bench, bench)
{
    if (bench->has_run)
        return;
    bench->has_run = 1;
    if (bench->crash_on == (int64_t)bench->host->device->index)
        abort();
    wait_for(bench, "begin", bench->meet_begun);
    wait_for_deaths(bench, bench->meet_killed);
    wait_for_go(bench);
    if (*bench->wanted)
        wait_until_wanted(bench);
    if (bench->linger > 0)
        wait_ns(bench->linger);
    while (bench->until_cancelled && !bench->host->cancelled(bench->host))
        wait_ns(1e6);
    if (bench->deaf)
        hang();
}

GB_UNTIMED(verify, const struct bench, bench)
{
    note(bench, "end");
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops, .create = create, .prepare = prepare, .run = run, .verify = verify};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "beside", "1.0", "looks at the cases beside it"), .devices = "fake cpu",
    GB_OPTIONS(options, struct bench), .ops = &ops};

GB_MODULE(&plugin)
