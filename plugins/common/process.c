/* process.c - see process.h. Plugin side. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#include "process.h"

#include "measuring.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *path_of(const struct gb_host *host, const char *path)
{
    const char *folder = GB_HAS(host, folder) && host->folder != NULL ? host->folder : ".";
    const size_t bytes = strlen(folder) + strlen(path) + 2;
    char *whole = host->allocate(host, bytes);
    if (whole != NULL && path[0] == '/')
        snprintf(whole, bytes, "%s", path);
    else if (whole != NULL)
        snprintf(whole, bytes, "%s%s%s", folder, path[0] != '\0' ? "/" : "", path);
    return whole;
}

bool process_may_run(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

char *process_find(const struct gb_host *host, const char *name)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders != NULL ? folders : "/usr/bin:/bin"; at != NULL;
         at = strchr(at, ':') != NULL ? strchr(at, ':') + 1 : NULL) {
        const size_t n = strcspn(at, ":");
        const size_t bytes = n + strlen(name) + 2;
        char *path = host->allocate(host, bytes);
        if (path == NULL)
            return NULL;
        snprintf(path, bytes, "%.*s/%s", (int)n, at, name);
        if (n > 0 && process_may_run(path))
            return path;
    }
    return NULL;
}

size_t process_read(int from, char *to, size_t room)
{
    size_t n = 0;
    while (n < room) {
        const ssize_t got = read(from, to + n, room - n);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    return n;
}

static int set_attributes(posix_spawnattr_t *attributes, pid_t group)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setpgroup(attributes, group);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETSIGMASK);
}

int process_start(const struct program *program, const int streams[3], pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0)
        code = set_attributes(&attributes, program->group);
    for (int i = 0; i < 3 && code == 0; i++)
        code = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
    if (code == 0)
        code = posix_spawn_file_actions_addchdir_np(&actions, program->folder);
    if (code == 0)
        code = posix_spawn(ret, program->file, &actions, &attributes, program->arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int process_group_begin(struct process_group *ret)
{
    static char *const arguments[] = {"sh", "-c", "read -r _; kill -KILL 0", NULL};
    const struct program shell = {arguments, "/bin/sh", "/", 0};
    int ends[2];
    *ret = (struct process_group){0, -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int code = nowhere < 0
                         ? errno
                         : process_start(&shell, (int[]){ends[0], nowhere, nowhere}, &ret->leader);
    close(nowhere);
    close(ends[0]);
    ret->pipe = ends[1];
    if (code != 0)
        process_group_end(ret);
    return code;
}

void process_group_end(struct process_group *group)
{
    if (group->leader > 0) {
        kill(group->leader, SIGKILL);
        while (waitpid(group->leader, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (group->pipe >= 0)
        close(group->pipe);
    *group = (struct process_group){0, -1};
}

static double time_ns(const struct timeval *time)
{
    return (double)time->tv_sec * 1e9 + (double)time->tv_usec * 1e3;
}

bool process_wait(pid_t pid, bool (*is_over)(void *context), void *context, struct outcome *ret)
{
    enum { BYTES_OF_MAXRSS = 1024 };
    struct rusage usage;
    int status;
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR || is_over(context))
            return false;
    *ret = (struct outcome){.status = status,
                            .user_ns = time_ns(&usage.ru_utime),
                            .system_ns = time_ns(&usage.ru_stime),
                            .peak_bytes = (uint64_t)usage.ru_maxrss * BYTES_OF_MAXRSS};
    return true;
}

void process_kill(pid_t pid)
{
    const pid_t group = getpgid(pid);
    kill(group > 0 ? -group : pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

double process_overhead_ns(const struct program *program, const int streams[3])
{
    enum { ROUNDS = 50 };
    struct program none = *program;
    double shortest = 0;
    none.file = "/nonexistent/program";
    for (int i = 0; i < ROUNDS; i++) {
        pid_t pid;
        const double begin_ns = clock_ns(CLOCK_MONOTONIC);
        process_start(&none, streams, &pid);
        const double duration = clock_ns(CLOCK_MONOTONIC) - begin_ns;
        shortest = i == 0 || duration < shortest ? duration : shortest;
    }
    return shortest;
}
