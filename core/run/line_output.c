/* line_output.c - see line_output.h. */
#include "core/run/line_output.h"

#include "core/base/host_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writing to a file ends in any event. */
void line_output_open(struct line_output *output, int fd)
{
    char path[64];
    struct stat info = {.st_mode = 0};
    fstat(fd, &info);
    const bool is_anew = S_ISFIFO(info.st_mode) || isatty(fd);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int opened = is_anew ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    *output = (struct line_output){.fd = opened,
                                   .never_waits = opened >= 0 || S_ISSOCK(info.st_mode)};
    if (opened < 0)
        output->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static ssize_t write_part(const struct line_output *output, const char *part, size_t n)
{
    ssize_t sent = send(output->fd, part, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(output->fd, part, n) : sent;
}

/* Where a write may wait, a little at a time finds room. */
static size_t part_of(const struct line_output *output, size_t written)
{
    enum { LITTLE = 512 };
    const char *part = output->pending.data + written;
    const size_t left = output->pending.length - written;
    const size_t most = output->never_waits ? PIPE_BUF : LITTLE;
    if (left <= most)
        return left;
    const char *end = memrchr(part, '\n', most);
    return end ? (size_t)(end - part) + 1 : most;
}

static uint64_t count_lines(const struct text *text)
{
    uint64_t n = 0;
    for (const char *at = text_get(text); (at = strchr(at, '\n')) != NULL; at++)
        n++;
    return n;
}

static bool write_some(struct line_output *output, int wait_ms)
{
    struct pollfd file = {.fd = output->fd, .events = POLLOUT};
    struct text *pending = &output->pending;
    size_t written = 0;
    while (written < pending->length && !output->problem && poll(&file, 1, wait_ms) > 0) {
        ssize_t n = write_part(output, pending->data + written, part_of(output, written));
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            output->problem = errno;
        written += n > 0 ? (size_t)n : 0;
        if (n < 0)
            break;
    }
    if (written > 0) {
        pending->length -= written;
        memmove(pending->data, pending->data + written, pending->length + 1);
    }
    if (output->problem) {
        output->n_dropped += count_lines(pending);
        text_clear(pending);
    }
    return pending->length > 0;
}

void line_output_flush(struct line_output *output)
{
    write_some(output, 0);
}

int line_output_poll_fd(const struct line_output *output)
{
    return output->pending.length > 0 ? output->fd : -1;
}

void line_output_wait(struct line_output *output, int wait_ms)
{
    const double end_ns = host_clock_ns() + 1e6 * wait_ms;
    bool is_left = write_some(output, wait_ms);
    while (is_left && (wait_ms < 0 || host_clock_ns() < end_ns))
        is_left = write_some(output, wait_ms);
}

uint64_t line_output_close(struct line_output *output)
{
    const uint64_t n_lost = output->n_dropped + count_lines(&output->pending);
    close(output->fd);
    text_free(&output->pending);
    return n_lost;
}
