/* interference.c - see interference.h. */
#include "core/run/interference.h"

#include "core/base/host_clock.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "plugins/common/system/system_file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of all processors; times of /proc/stat come in ticks, of 10 ms mostly. */
static const double others_share = 0.1, others_least_ns = 50e6;
static const double waited_least_ns = 1e6, usual_precision = 0.01;

static double cpu_ns(int who, uint64_t *n_preempted)
{
    struct rusage usage = {0};
    getrusage(who, &usage);
    *n_preempted += (uint64_t)usage.ru_nivcsw;
    return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* "cpu  user nice system idle iowait irq softirq steal"; guests are part of user. */
static void read_all(struct interference *ret)
{
    enum { IDLE = 3, IOWAIT = 4, STEAL = 7, FIELDS_READ = 8 };
    char line[256] = "";
    const double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
    system_file_line(line, sizeof line, "/proc/stat");
    char *at = text_starts_with(line, "cpu ") ? line + 4 : NULL;
    for (int field = 0; at && field < FIELDS_READ; field++) {
        const double value_ns = strtod(at, &at) * tick_ns;
        if (field == STEAL)
            ret->stolen_ns = value_ns;
        else if (field != IDLE && field != IOWAIT)
            ret->all_cpu_ns += value_ns;
    }
}

/* Of one process: "pid (name) state ppid ... utime stime", fields 14 and 15, in ticks. */
static double cpu_of_process_ns(long pid)
{
    enum { FIELDS_BETWEEN = 10 };
    char text[1024] = "";
    system_file_line(text, sizeof text, "/proc/%ld/stat", pid);
    char *at = strrchr(text, ')');
    if (!at || strlen(at) < 4)
        return 0;
    at += 3; /* behind the state */
    for (int i = 0; i < FIELDS_BETWEEN; i++)
        strtoll(at, &at, 10);
    const double user = strtod(at, &at);
    return (user + strtod(at, NULL)) * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* Of this run's other workers, which measure on other devices meanwhile. */
static double read_siblings(void)
{
    char path[64];
    long pid;
    double cpu_ns = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)getppid(), (long)getppid());
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%ld", &pid) == 1)
        if (pid != (long)getpid())
            cpu_ns += cpu_of_process_ns(pid);
    if (file)
        fclose(file);
    return cpu_ns;
}

/* Of this process's threads, those that have ended left out: "ran waited n". */
static double read_waited(void)
{
    double waited_ns = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        char text[96] = "", *end;
        if (*task->d_name == '.')
            continue;
        system_file_line(text, sizeof text, "/proc/self/task/%.20s/schedstat", task->d_name);
        strtod(text, &end);
        waited_ns += strtod(end, NULL);
    }
    if (tasks)
        closedir(tasks);
    return waited_ns;
}

static void read_own(struct interference *ret)
{
    uint64_t of_children = 0;
    ret->siblings_cpu_ns = read_siblings();
    ret->waited_cpu_ns = read_waited();
    ret->own_cpu_ns = cpu_ns(RUSAGE_SELF, &ret->n_preempted) +
                      cpu_ns(RUSAGE_CHILDREN, &of_children);
}

/* All that is counted lies between the two times, however long this process waits meanwhile. */
void interference_begin(struct interference *ret)
{
    *ret = (struct interference){.at_ns = host_clock_ns()};
    read_own(ret);
    read_all(ret);
}

void interference_end(const struct interference *begin, struct interference_record *ret)
{
    struct interference end = {0};
    read_all(&end);
    read_own(&end);
    end.at_ns = host_clock_ns();
    *ret = (struct interference_record){
        .is_known = end.all_cpu_ns > 0,
        .sampled_ns = end.at_ns - begin->at_ns,
        .own_cpu_ns = end.own_cpu_ns - begin->own_cpu_ns,
        .waited_cpu_ns = fmax(0, end.waited_cpu_ns - begin->waited_cpu_ns),
        .stolen_ns = end.stolen_ns - begin->stolen_ns,
        .n_preempted = end.n_preempted - begin->n_preempted};
    const double siblings_ns = fmax(0, end.siblings_cpu_ns - begin->siblings_cpu_ns);
    ret->others_cpu_ns = fmax(0,
                              end.all_cpu_ns - begin->all_cpu_ns - ret->own_cpu_ns - siblings_ns);
}

static double precision_of(const struct case_record *record)
{
    const struct gb_estimate *estimate = &record->estimate;
    const double half = (estimate->high_ns - estimate->low_ns) / 2 / estimate->value_ns;
    return record->has_estimate && isfinite(half) && half > 0 ? half : usual_precision;
}

/* "0.57 %", "12 %", "100 %". */
static void add_percent(struct text *out, double share)
{
    text_printf(out, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
}

static void add_share(struct text *out, bool is_much, const char *who, double share,
                      const char *of_what)
{
    if (!is_much)
        return;
    text_printf(out, "%s%s ", out->length ? ", " : "", who);
    add_percent(out, share);
    text_add(out, of_what);
}

bool interference_on_device(const struct case_record *record, struct text *out)
{
    const uint32_t n = others_on_device(record);
    if (n > 0)
        text_printf(out, "the device was shared: %s",
                    n > 1 ? "other processes computed on it" : "another process computed on it");
    return n > 0;
}

bool interference_matters(const struct case_record *record, struct text *out)
{
    const struct interference_record *found = &record->interference;
    const double allowed = precision_of(record), waited_ns = found->waited_cpu_ns;
    if (!found->is_known || !text_equal(record->clock, "wall"))
        return false;
    const double of_all_ns = found->sampled_ns * (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double others = found->others_cpu_ns / of_all_ns, stolen = found->stolen_ns / of_all_ns;
    const double waited = waited_ns / (waited_ns + found->own_cpu_ns);
    CLEANUP(text_free) struct text words = {0};
    add_share(&words, waited_ns > waited_least_ns && waited > allowed, "its threads waited", waited,
              " of the time that they could have run");
    add_share(&words,
              found->others_cpu_ns > others_least_ns && others > fmax(allowed, others_share),
              "other processes had", others, " of the processors");
    add_share(&words, found->stolen_ns > others_least_ns && stolen > allowed,
              "other guests of the host", stolen, "");
    if (words.length > 0) {
        text_printf(out, "the machine was busy: %s; the interval allows for ", text_get(&words));
        add_percent(out, allowed);
    }
    return words.length > 0;
}
