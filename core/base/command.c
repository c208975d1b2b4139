/* command.c - see command.h. */
#include "core/base/command.h"

#include "core/base/host_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void set_apart(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
}

int command_start(const char *file, const char *const *arguments, char *const *environment,
                  const int *files, int n_files, bool is_apart, pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < n_files; i++)
        if (files[i] < 0)
            posix_spawn_file_actions_addopen(&actions, i, "/dev/null",
                                             i == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
        else if (files[i] != i)
            posix_spawn_file_actions_adddup2(&actions, files[i], i);
    posix_spawnattr_init(&attributes);
    if (is_apart)
        set_apart(&attributes);
    int code = posix_spawnp(ret, file, &actions, &attributes, (char *const *)arguments,
                            environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

void command_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* What it prints until it ends, or until that is enough. False: not in time, or not at all. */
static bool read_output(int input, const struct command *command)
{
    char buffer[4096];
    const double patience_ns = command->patience_ns > 0 ? command->patience_ns : INFINITY;
    const double end_ns = host_clock_ns() + patience_ns;
    size_t left = command->output_most ? command->output_most : SIZE_MAX;
    while (left > 0) {
        struct pollfd waited = {.fd = input, .events = POLLIN};
        const double left_ns = end_ns - host_clock_ns();
        if (left_ns <= 0)
            return false;
        const int ready = poll(&waited, 1, isfinite(left_ns) ? (int)(left_ns / 1e6) + 1 : -1);
        const size_t most = left < sizeof buffer ? left : sizeof buffer;
        const ssize_t n = ready > 0 ? read(input, buffer, most) : -1;
        if (n == 0)
            break;
        if (n < 0 && ready != 0 && errno != EINTR && errno != EAGAIN)
            return false;
        text_add_n(command->output, buffer, n > 0 ? (size_t)n : 0);
        left -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* A file in memory that a program reads from its beginning, or writes; -1: errno says why. */
static int open_in_memory(const struct text *content)
{
    const int file = memfd_create("gbrun", MFD_CLOEXEC);
    const size_t length = content ? content->length : 0;
    for (size_t done = 0; file >= 0 && done < length;) {
        const ssize_t n = pwrite(file, content->data + done, length - done, (off_t)done);
        if (n < 0 && errno != EINTR) {
            close(file);
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return file;
}

/* What was written to a file in memory, which is closed. */
static void take_from_memory(int file, struct text *out)
{
    char buffer[4096];
    off_t at = 0;
    for (ssize_t n; (n = pread(file, buffer, sizeof buffer, at)) > 0; at += n)
        text_add_n(out, buffer, (size_t)n);
    close(file);
}

int32_t command_run(const struct command *command, int *ret_code, struct gb_error *error)
{
    enum { SIGNALLED = 128 };
    const char *name = command->arguments[0];
    int ends[2] = {-1, STDERR_FILENO}, status = 0;
    pid_t pid;
    if (command->output && pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, GB_FAILED, "%s: cannot create a pipe for its output: %s", name,
                         reason_of(errno));
    const int files[] = {command->input ? open_in_memory(command->input) : -1, ends[1],
                         command->complaints  ? open_in_memory(NULL)
                         : command->is_silent ? -1
                                              : STDERR_FILENO};
    const bool has_files = (!command->input || files[0] >= 0) &&
                           (!command->complaints || files[2] >= 0);
    const int code = has_files
                         ? command_start(name, command->arguments,
                                         command->environment ? command->environment : environ,
                                         files, 3, false, &pid)
                         : errno;
    bool is_read = true;
    if (command->output) {
        close(ends[1]);
        is_read = code != 0 || read_output(ends[0], command);
        close(ends[0]);
    }
    if (!is_read)
        kill(pid, SIGKILL);
    while (code == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (command->input)
        close(files[0]);
    if (command->complaints)
        take_from_memory(files[2], command->complaints);
    if (code != 0)
        return error_set(error, GB_FAILED, "%s: cannot be started: %s", name, reason_of(code));
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
    return is_read ? GB_OK : error_set(error, GB_FAILED, "%s: took too long", name);
}

int32_t command_shell(const char *what, const char *line, struct gb_error *error)
{
    const struct command command = {
        .arguments = (const char *const[]){"/bin/sh", "-c", line, NULL}};
    int code = 0;
    int32_t status = command_run(&command, &code, error);
    if (status == GB_OK && code != 0)
        return error_set(error, GB_FAILED, "%s '%s': ended with code %d", what, line, code);
    return status;
}
