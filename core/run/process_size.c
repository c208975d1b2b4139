/* process_size.c - see process_size.h. */
#include "core/run/process_size.h"

#include "core/base/number_text.h"
#include "core/base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than these are reported: the next case must find the memory that it needs, and what is
 * mapped may be touched any time. */
static const uint64_t resident_left_bytes = (uint64_t)256 << 20;
static const uint64_t mapped_left_bytes = (uint64_t)4 << 30;

void process_size_take(struct process_size *ret)
{
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    *ret = (struct process_size){0};
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        const uint64_t number = value ? strtoull(value + 1, NULL, 10) : 0;
        if (text_starts_with(line, "RssAnon:") || text_starts_with(line, "RssShmem:"))
            ret->resident_bytes += number << 10;
        else if (text_starts_with(line, "VmData:"))
            ret->mapped_bytes = number << 10;
        else if (text_starts_with(line, "TracerPid:"))
            ret->is_traced = number != 0 && number == (uint64_t)getppid();
        else if (text_starts_with(line, "Threads:"))
            ret->n_threads = (uint32_t)number;
    }
    if (file)
        fclose(file);
}

/* Of a line of /proc/PID/stat: the state follows the name, which may hold anything. */
static bool is_running(const char *task)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", task);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(file, line, sizeof line - 1);
    close(file);
    line[n > 0 ? n : 0] = 0;
    const char *state = strrchr(line, ')');
    return state && text_starts_with(state, ") R");
}

static bool is_any_other_running(void)
{
    char own[32];
    bool is_any = false;
    snprintf(own, sizeof own, "%ld", (long)gettid());
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && !is_any && (task = readdir(tasks)) != NULL;)
        is_any = *task->d_name != '.' && !text_equal(task->d_name, own) && is_running(task->d_name);
    if (tasks)
        closedir(tasks);
    return is_any;
}

/* Do other threads compute, and go on for a quarter of a second? Those of a pool that wait for work
 * in a loop soon sleep. */
static bool has_busy_threads(void)
{
    enum { LOOKS = 250 }; /* a millisecond apart */
    int n = 0;
    while (n < LOOKS && is_any_other_running()) {
        poll(NULL, 0, 1);
        n++;
    }
    return n == LOOKS;
}

/* Running, or not waited for. */
static bool has_any_child(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
}

static void add_bytes(struct text *out, uint64_t before, uint64_t now, uint64_t most,
                      const char *what)
{
    char bytes[NUMBER_TEXT_MAX];
    if (now > before + most)
        text_printf(out, "%sleft %s of %s behind", out->length ? ", " : "",
                    format_bytes((double)(now - before), bytes), what);
}

static void add(struct text *out, bool is_left, const char *words)
{
    if (is_left)
        text_printf(out, "%s%s", out->length ? ", " : "", words);
}

void process_size_compare(const struct process_size *before, uint32_t n_threads, bool has_children,
                          struct text *out)
{
    struct process_size now;
    process_size_take(&now);
    add(out, has_children && has_any_child(), "left child processes behind");
    add(out, now.n_threads != 1 && has_busy_threads(), "left threads behind that compute");
    if (before->n_threads == 0) /* it was not reached */
        return;
    const uint32_t allowed = THREADS_LEFT + 2 * (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (now.n_threads > before->n_threads && now.n_threads > n_threads + allowed)
        text_printf(out, "%sleft threads behind: %u more than when the device was opened",
                    out->length ? ", " : "", now.n_threads - n_threads);
    add(out, now.is_traced && !before->is_traced, "left the process traced");
    add_bytes(out, before->resident_bytes, now.resident_bytes, resident_left_bytes, "memory");
    add_bytes(out, before->mapped_bytes, now.mapped_bytes, mapped_left_bytes, "mapped memory");
}
