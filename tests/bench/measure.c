/*
 * measure.c - runs a command and says what it cost: "WALL_SECONDS PEAK_BYTES EXIT_CODE" on standard
 * error's last line. The peak is that of the command itself, without the processes it starts.
 * usage: measure COMMAND [ARGUMENT...]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* VmHWM of a process that has ended but was not waited for is gone, so it is read while it runs. */
static unsigned long peak_kib(pid_t pid)
{
    char path[64], line[256];
    unsigned long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lu", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double begin = seconds_now();
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status = 0;
    unsigned long peak = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        unsigned long now = peak_kib(pid);
        peak = now > peak ? now : peak;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    fprintf(stderr, "%.3f %llu %d\n", seconds_now() - begin, (unsigned long long)peak * 1024,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
