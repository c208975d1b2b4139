/* perf_events.c - see perf_events.h. Plugin side. */
#define _GNU_SOURCE
#include "perf_events.h"

#include "plugins/common/system/system_file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_event_open(const struct perf_event *event, pid_t thread)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = event->type;
    attributes.config = event->config;
    attributes.disabled = 1;
    attributes.inherit = 1;
    attributes.pinned = event->is_exact;
    attributes.enable_on_exec = event->is_of_programs;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

double perf_event_read(int file, bool is_exact)
{
    uint64_t values[3] = {0}; /* count, time enabled, time running */
    if (read(file, values, sizeof values) != (ssize_t)sizeof values)
        return NAN;
    if (values[2] == 0)
        return values[1] > 0 ? NAN : 0.0;
    if (is_exact && values[1] != values[2])
        return NAN;
    return (double)values[0] * ((double)values[1] / (double)values[2]);
}

bool perf_event_counts(const struct perf_event *event, char *ret_why, size_t bytes)
{
    const int file = perf_event_open(event, 0);
    if (file < 0) {
        perf_event_explain(errno, ret_why, bytes);
        return false;
    }
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
    ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
    const double n = perf_event_read(file, event->is_exact);
    close(file);
    snprintf(ret_why, bytes, "%s",
             n > 0      ? ""
             : isnan(n) ? "in use by other programs"
                        : "opened, but counting nothing, on this machine");
    return n > 0;
}

void perf_event_explain(int error, char *text, size_t bytes)
{
    char paranoia[16];
    if (error == EACCES || error == EPERM)
        snprintf(text, bytes,
                 "forbidden to this user: sysctl kernel.perf_event_paranoid=2 (it is %ld), or in a "
                 "container permit perf_event_open",
                 system_file_line(paranoia, sizeof paranoia, "/proc/sys/kernel/perf_event_paranoid")
                     ? strtol(paranoia, NULL, 10)
                     : -1);
    else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        snprintf(text, bytes, "not counted by this machine, as is usual for virtual machines");
    else if (error == ENOSYS)
        snprintf(text, bytes, "this kernel has no perf_event_open");
    else
        snprintf(text, bytes, "%s", strerror(error));
}
