/*
 * builder.c - a benchmark that has to be built: a file FOLDER/built.SIZE, made by `build`, or by
 * prepare where it is not there yet. Metric `late`: 1 if prepare had to; metric `awake`: processes
 * that were not stopped while they built other cases. Building leaves FOLDER/begun.SIZE with its
 * process, its niceness and how many processors it may use. With fault = interrupt run sends gbrun
 * a Ctrl-C, once.
 */
#define _GNU_SOURCE
#include "tests/modules/hurry.h"

#include <dirent.h>
#include <gbrun/simple.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

static const char *const faults[] = {"none", "crash", "hang", "fail", "skip", "fact", "interrupt"};
enum { NONE, CRASH, HANG, FAIL, SKIP, FACT, INTERRUPT };

struct params {
    const char *folder;
    int64_t size, at, together;
    double build_time, per_size;
    int32_t fault, in_turn;
    const struct gb_host *host; /* not of build */
};

static const struct gb_option options[] = {
    GB_STRING(struct params, folder, NULL, "where it is built"),
    GB_INT(struct params, size, "1", "0:", NULL, "of the case: run takes so many microseconds"),
    GB_INT(struct params, at, "0", NULL, NULL, "of the case that goes wrong"),
    GB_INT(struct params, together, "0", "0:", NULL, "how many are to be built at a time"),
    GB_DURATION(struct params, build_time, "0s", "0:", "how long building takes"),
    GB_DURATION(struct params, per_size, "0s", "0:", "and this for each microsecond of size"),
    GB_BOOL(struct params, in_turn, "no",
            "building goes on until the case whose size is one less has been measured"),
    GB_CHOICE(struct params, fault, "none", faults, "what building does where size is at"),
};

static void name_file(const struct params *params, const char *kind, char path[1024])
{
    snprintf(path, 1024, "%s/%s.%lld", params->folder, kind, (long long)params->size);
}

/* All of it is there at once, though this process is stopped meanwhile; into a pipe it is written.
 */
static void put_file(const struct params *params, const char *kind, const char *text)
{
    char path[1024], made[1024];
    name_file(params, kind, path);
    name_file(params, "made", made);
    const int is_pipe = access(path, F_OK) == 0;
    FILE *file = fopen(is_pipe ? path : made, "we");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
    if (file && !is_pipe)
        rename(made, path);
}

static int is_there(const struct params *params, const char *kind)
{
    char path[1024];
    name_file(params, kind, path);
    return access(path, F_OK) == 0;
}

static int64_t count_begun(const struct params *params)
{
    DIR *folder = opendir(params->folder);
    int64_t n = 0;
    for (struct dirent *file; folder && (file = readdir(folder)) != NULL;)
        n += strncmp(file->d_name, "begun.", 6) == 0;
    if (folder)
        closedir(folder);
    return n;
}

static int32_t make(const struct gb_host *host, const struct params *params)
{
    struct params before = *params;
    before.size--;
    char text[128];
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    snprintf(text, sizeof text, "%ld %d %d\n", (long)getpid(), getpriority(PRIO_PROCESS, 0),
             CPU_COUNT(&cpus));
    put_file(params, "begun", text);
    wait_ns(params->build_time + params->per_size * (double)params->size);
    while (count_begun(params) < params->together)
        wait_ns(1e7);
    while (params->in_turn && before.size > 0 && !is_there(&before, "measured"))
        wait_ns(1e7);
    const int32_t fault = params->size == params->at ? params->fault : NONE;
    if (fault == CRASH)
        abort();
    if (fault == HANG)
        hang();
    put_file(params, "built", ""); /* or at an end */
    if (fault == FAIL)
        return host->fail(host, "does not compile");
    if (fault == SKIP)
        return host->skip(host, "not for this device");
    return GB_OK;
}

static int32_t build(const struct gb_host *host, const void *object)
{
    const struct params *params = object;
    char text[512];
    if (params->fault == FACT && params->size == params->at) {
        const char *slot = host->device_fact(host, "slot"),
                   *other = host->device_fact(host, "no such");
        snprintf(text, sizeof text, "%s, slot %s, %s", host->device->backend, slot ? slot : "-",
                 other ? other : "-");
        return host->fail(host, text);
    }
    return make(host, params);
}

GB_UNTIMED(prepare, struct params, params)
{
    const int is_late = !is_there(params, "built");
    params->host->metric(params->host, "late", is_late, "");
    return is_late ? make(params->host, params) : GB_OK;
}

/* The state in /proc/PID/stat, "PID (name) S ..."; 0: there is no such process. */
static char state_of(long pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    const char *end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (file)
        fclose(file);
    return end ? end[2] : 0;
}

/* Is it stopped, or gone? A signal may take a while to reach it; but it builds no more. */
static int stops(const struct gb_host *host, long pid, const struct params *params)
{
    const int most = strcmp(host->device->backend, "cpu") == 0 ? 6000 : 0;
    char state = state_of(pid);
    for (int i = 0; i < most && state && state != 'T' && !is_there(params, "built"); i++) {
        wait_ns(1e7);
        state = state_of(pid);
    }
    return !state || state == 'T';
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct params *params = object;
    struct params other = *params;
    double n_awake = 0;
    for (other.size = 0; other.size <= 100; other.size++) {
        char path[1024];
        long pid = 0;
        name_file(&other, "begun", path);
        FILE *file = fopen(path, "re");
        if (file && fscanf(file, "%ld", &pid) == 1 && !is_there(&other, "built"))
            n_awake += !stops(params->host, pid, &other);
        if (file)
            fclose(file);
    }
    params->host->metric(params->host, "awake", n_awake, "");
    work->items = (double)params->size;
    return GB_OK;
}

GB_TIMED(run, const struct params, params)
{
    if (params->fault == INTERRUPT && params->size == params->at &&
        !is_there(params, "interrupted")) {
        put_file(params, "interrupted", "");
        kill(getppid(), SIGINT);
    }
    for (double end_ns = now_ns() + 1e3 * (double)params->size; now_ns() < end_ns;)
        continue;
}

static void destroy(void *object)
{
    put_file(object, "measured", "");
}

GB_BENCH_ON(NULL, builder, struct params, options, "has to be built", .prepare = prepare,
            .run = run, .work = work, .build = build, .destroy = destroy)
GB_MODULE(&builder)
