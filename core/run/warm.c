/* warm.c - see warm.h. */
#include "core/run/warm.h"

#include "plugins/common/system/system_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t warm_find(struct session *session, const struct host_sink *sink,
                  const struct bench_case *bench_case, struct arena *arena, struct warm *ret,
                  struct gb_error *error)
{
    const struct plugin_settings settings = bench_case_plugin(bench_case);
    const struct gb_plugin *plugin = NULL;
    void *params = NULL;
    if (session_prepare(session, &settings, arena, &plugin, &params, error) != GB_OK)
        return error->status;
    ret->by = plugin->extension ? plugin->extension(GB_WARM) : NULL;
    ret->params = params;
    if (ret->by) {
        ret->host = host_new(0, sink, NULL, NULL);
        ret->host->interface.folder = bench_case->folder;
    }
    return GB_OK;
}

void warm_free(struct warm *warm)
{
    if (warm->host)
        host_free(warm->host);
}

bool warm_is_cold(const struct warm *warm)
{
    return warm->by && warm->by->is_cold(&warm->host->interface, warm->params) == 1;
}

int32_t warm_load(const struct warm *warm, struct gb_error *error)
{
    const int32_t status = warm->by->warm(&warm->host->interface, warm->params);
    return status == GB_OK ? GB_OK : error_set(error, status, "%s", host_words(warm->host, status));
}

static long count_threads(void)
{
    char text[32] = "";
    system_file_value("/proc/self/status", "Threads", text, sizeof text);
    return strtol(text, NULL, 10);
}

static bool is_among(long number, const int *numbers, int n)
{
    for (int i = 0; i < n; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* A driver that was begun is of no use in a process that is forked. */
static bool has_opened_gpu(const int *given, int n)
{
    char path[512], target[16] = "";
    bool is_found = false;
    DIR *files = opendir("/proc/self/fd");
    for (const struct dirent *file; files && !is_found && (file = readdir(files)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", file->d_name);
        is_found = !is_among(strtol(file->d_name, NULL, 10), given, n) &&
                   readlink(path, target, sizeof target) > 0 &&
                   strncmp(target, "/dev/nvidia", sizeof "/dev/nvidia" - 1) == 0;
    }
    if (files)
        closedir(files);
    return is_found;
}

/* Threads would be missing in what is forked; libraries of linear algebra end theirs at a fork, and
 * begin them again when they need them. */
int32_t warm_check(const struct gb_warm *by, const int *given, int n, struct gb_error *error)
{
    if (count_threads() > 1) {
        const pid_t pid = by->fork();
        if (pid == 0)
            _exit(EXIT_SUCCESS);
        waitpid(pid, NULL, 0);
    }
    const long n_threads = count_threads();
    if (n_threads != 1)
        return error_set(error, GB_UNSUPPORTED, "what is imported has begun %ld threads",
                         n_threads - 1);
    return has_opened_gpu(given, n)
               ? error_set(error, GB_UNSUPPORTED, "what is imported has opened a GPU")
               : GB_OK;
}
