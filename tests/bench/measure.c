/*
 * measure.c - runs a command and says what it cost: "WALL_SECONDS PEAK_BYTES EXIT_CODE" on standard
 * error's last line; the peak is that of the largest of its processes.
 * usage: measure COMMAND [ARGUMENT...]
 */
#include "tests/modules/host_time.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double begin_ns = now_ns();
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    wait4(pid, &status, 0, &usage);
    fprintf(stderr, "%.3f %ld %d\n", 1e-9 * (now_ns() - begin_ns), 1024 * usage.ru_maxrss,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
