/* command.c - see command.h. */
#include "core/run/command.h"

#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int start(const char *const *arguments, int output, pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int code = posix_spawnp(ret, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static void read_all(int input, struct text *output)
{
    char buffer[4096];
    ssize_t n;
    while ((n = read(input, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            text_add_n(output, buffer, (size_t)n);
}

int32_t command_run(const char *const *arguments, struct text *output, int *ret_code,
                    struct gb_error *error)
{
    enum { SIGNALLED = 128 };
    int ends[2] = {-1, STDERR_FILENO}, status = 0;
    pid_t pid;
    if (output && pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, GB_FAILED, "%s: no pipe for what it prints: %s", arguments[0],
                         reason_of(errno));
    int code = start(arguments, ends[1], &pid);
    if (output)
        close(ends[1]);
    if (output && code == 0)
        read_all(ends[0], output);
    if (output)
        close(ends[0]);
    if (code != 0)
        return error_set(error, GB_FAILED, "%s: cannot be started: %s", arguments[0],
                         reason_of(code));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
    return GB_OK;
}

int32_t command_shell(const char *what, const char *line, struct gb_error *error)
{
    const char *const arguments[] = {"/bin/sh", "-c", line, NULL};
    int code = 0;
    int32_t status = command_run(arguments, NULL, &code, error);
    if (status == GB_OK && code != 0)
        return error_set(error, GB_FAILED, "%s '%s': ended with code %d", what, line, code);
    return status;
}
