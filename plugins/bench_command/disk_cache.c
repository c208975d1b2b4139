/* disk_cache.c - see disk_cache.h. Plugin side. */
#define _GNU_SOURCE /* sync */
#include "disk_cache.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char drop_file[] = "/proc/sys/vm/drop_caches";

static int32_t read_all(int file)
{
    static char buffer[1 << 16];
    ssize_t n;
    while ((n = read(file, buffer, sizeof buffer)) > 0)
        continue;
    return n == 0 ? 0 : errno;
}

/* Only what is on the disk can be dropped. */
static int32_t drop(int file)
{
    return fsync(file) != 0 && errno != EINVAL && errno != EROFS
               ? errno
               : posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

static int32_t set_file(const struct gb_host *host, const char *name, bool is_warm)
{
    const char *path = path_of(host, name);
    if (path == NULL)
        return GB_NO_MEMORY;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int code = file < 0 ? errno : is_warm ? read_all(file) : drop(file);
    if (file >= 0)
        close(file);
    return code == 0 ? GB_OK
                     : host_fail(host, "files: %s cannot be %s: %s", path,
                                 is_warm ? "read" : "evicted from the page cache", strerror(code));
}

static int32_t drop_everything(const struct gb_host *host)
{
    sync();
    const int file = open(drop_file, O_WRONLY | O_CLOEXEC);
    const bool is_done = file >= 0 && write(file, "3", 1) == 1;
    const int code = errno;
    if (file >= 0)
        close(file);
    return is_done ? GB_OK
                   : host_fail(host,
                               "disk_cache = dropped: %s cannot be written: %s: expected to run "
                               "as root, or disk_cache = cold with the names of files",
                               drop_file, strerror(code));
}

int32_t disk_cache_check(const struct gb_host *host, int32_t state, const struct gb_list *files)
{
    const bool takes_files = state == DISK_WARM || state == DISK_COLD;
    if (takes_files != (files->n > 0))
        return host_fail(host, takes_files
                                   ? "disk_cache = warm and cold need 'files': expected their names"
                                   : "files: expected disk_cache = warm or cold, which use them");
    return GB_OK;
}

int32_t disk_cache_set(const struct gb_host *host, int32_t state, const struct gb_list *files)
{
    const char *const *names = files->items;
    int32_t status = GB_OK;
    if (state == DISK_DROPPED)
        return drop_everything(host);
    for (uint64_t i = 0; i < files->n && status == GB_OK; i++)
        status = set_file(host, names[i], state == DISK_WARM);
    return status;
}
