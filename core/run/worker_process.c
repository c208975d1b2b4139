/* worker_process.c - see worker_process.h. */
#include "core/run/worker_process.h"

#include "core/base/command.h"
#include "core/base/memory.h"
#include "core/base/plain_text.h"
#include "core/run/machine.h"
#include "core/run/module.h"
#include "core/run/strays.h"
#include "core/run/worker.h"
#include "plugins/common/system/system_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 65536, LINE_MAX_BYTES = 4096, OWN_DESCRIPTORS = 10, SEND_SECONDS = 10 };

/* Above the numbers that file actions of a spawn dup to. Takes over `descriptor`, also when it
 * fails. */
static int move_up(int descriptor)
{
    int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS);
    const int why = errno == EINVAL ? EMFILE : errno; /* those numbers are beyond the limit */
    if (descriptor >= 0)
        close(descriptor);
    errno = why;
    return moved;
}

static void close_if_open(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* The ends of a worker's connections; -1: none. */
enum { SOCKET_HERE, SOCKET_THERE, OUTPUT_HERE, OUTPUT_THERE, PAGE, ENDS };

static void ends_close(int ends[ENDS])
{
    for (int i = 0; i < ENDS; i++)
        close_if_open(&ends[i]);
}

static int32_t ends_open(int ends[ENDS], struct gb_error *error)
{
    for (int i = 0; i < ENDS; i++)
        ends[i] = -1;
    bool is_complete =
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, &ends[SOCKET_HERE]) == 0 &&
        pipe2(&ends[OUTPUT_HERE], O_CLOEXEC) == 0 &&
        (ends[PAGE] = memfd_create("gbrun worker", MFD_CLOEXEC | MFD_ALLOW_SEALING)) >= 0 &&
        ftruncate(ends[PAGE], sizeof(struct worker_page)) == 0 &&
        fcntl(ends[PAGE], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    for (int i = 0; i < ENDS && is_complete; i++)
        is_complete = (ends[i] = move_up(ends[i])) >= 0;
    if (is_complete)
        return GB_OK;
    error_set(error, GB_IO, "a worker's connections cannot be made: %s", reason_of(errno));
    ends_close(ends);
    return GB_IO;
}

/* ---- a worker is started ---- */

static int spawn(const int ends[ENDS], char **environment, pid_t *ret_pid)
{
    const char *const arguments[] = {"gbrun", WORKER_ARGUMENT, NULL};
    const int files[] = {[STDIN_FILENO] = -1,
                         [STDOUT_FILENO] = ends[OUTPUT_THERE],
                         [STDERR_FILENO] = ends[OUTPUT_THERE],
                         [WORKER_SOCKET] = ends[SOCKET_THERE],
                         [WORKER_PAGE] = ends[PAGE]};
    return command_start(program_image(), arguments, environment, files,
                         sizeof files / sizeof *files, true, ret_pid);
}

/* Maps the page; what is kept of the ends is the worker's. */
static int32_t take_ends(struct worker_process *worker, int ends[ENDS], struct gb_error *error)
{
    void *page = mmap(NULL, sizeof *worker->page, PROT_READ | PROT_WRITE, MAP_SHARED, ends[PAGE],
                      0);
    if (page == MAP_FAILED)
        return error_set(error, GB_IO, "a worker's page cannot be mapped: %s", reason_of(errno));
    worker->page = page;
    worker->socket = ends[SOCKET_HERE];
    worker->output = ends[OUTPUT_HERE];
    ends[SOCKET_HERE] = ends[OUTPUT_HERE] = -1;
    /* A worker that a plugin has stopped must not stop the supervisor with it. */
    struct timeval patience = {.tv_sec = SEND_SECONDS};
    setsockopt(worker->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    fcntl(worker->output, F_SETFL, O_NONBLOCK);
    return GB_OK;
}

int32_t worker_start(struct worker_process *worker, const struct environment_variable *variables,
                     size_t n_variables, struct gb_error *error)
{
    int ends[ENDS];
    *worker = (struct worker_process){.socket = -1, .output = -1};
    if (ends_open(ends, error) != GB_OK)
        return error->status;
    strays_prepare();
    char **environment = environment_make(variables, n_variables);
    int32_t status = take_ends(worker, ends, error);
    int result = status == GB_OK ? spawn(ends, environment, &worker->pid) : 0;
    free(environment);
    ends_close(ends);
    if (worker->pid > 0 && result == 0)
        strays_except(worker->pid);
    if (result != 0) {
        worker->pid = 0;
        status = error_set(error, GB_IO, "%s: a worker cannot be started: %s", program_path(),
                           reason_of(result));
    }
    if (status != GB_OK)
        worker_end(worker, false);
    return status;
}

int32_t worker_become(struct worker_process *worker, const struct environment_variable *variables,
                      size_t n_variables, struct gb_error *error)
{
    int ends[ENDS];
    *worker = (struct worker_process){.socket = -1, .output = -1};
    if (ends_open(ends, error) != GB_OK)
        return error->status;
    fflush(NULL);
    pid_t supervisor = fork();
    if (supervisor < 0)
        error_set(error, GB_IO, "the worker cannot be started: %s", reason_of(errno));
    int32_t status = supervisor < 0 ? error->status : GB_OK;
    if (supervisor == 0)
        status = take_ends(worker, ends, error);
    if (supervisor <= 0) {
        ends_close(ends);
        return status;
    }
    close_if_open(&ends[SOCKET_HERE]);
    close_if_open(&ends[OUTPUT_HERE]);
    close_if_open(&ends[OUTPUT_THERE]);
    for (size_t i = 0; i < n_variables; i++)
        setenv(variables[i].name, variables[i].value, 1);
    exit(worker_serve(ends[SOCKET_THERE], ends[PAGE], supervisor));
}

struct wire_writer *worker_begin(struct worker_process *worker, uint32_t type)
{
    wire_begin(&worker->writer, type);
    return &worker->writer;
}

int32_t worker_send(struct worker_process *worker, struct gb_error *error)
{
    wire_end(&worker->writer);
    if (worker->socket < 0)
        return error_set(error, GB_IO, "the connection is closed");
    return wire_send(worker->socket, &worker->writer, error);
}

int32_t worker_send_fields(struct worker_process *worker, uint32_t type,
                           const struct wire_field *fields, const void *object,
                           struct gb_error *error)
{
    wire_put_fields(worker_begin(worker, type), fields, object);
    return worker_send(worker, error);
}

/* How many bytes have arrived; 0: none for now, or it was closed, and is closed here, too. */
static size_t read_some(int *descriptor, bool is_socket, void *buffer, size_t bytes)
{
    ssize_t n;
    do
        n = is_socket ? recv(*descriptor, buffer, bytes, MSG_DONTWAIT)
                      : read(*descriptor, buffer, bytes);
    while (n < 0 && errno == EINTR);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
        close_if_open(descriptor);
    return n > 0 ? (size_t)n : 0;
}

bool worker_read(struct worker_process *worker)
{
    size_t n = 1;
    while (worker->socket >= 0 && n > 0) {
        unsigned char *space = wire_input_space(&worker->input, READ_BYTES);
        n = read_some(&worker->socket, true, space, READ_BYTES);
        worker->input.end += n;
        if (worker->input.end - worker->input.begin >= WIRE_PAYLOAD_MAX)
            break; /* let the caller take frames out first */
    }
    return worker->socket >= 0;
}

static void give_lines(struct worker_process *worker, worker_line_fn *line, void *context)
{
    char *start = worker->line.data, *end;
    while (start && (end = strchr(start, '\n')) != NULL) {
        *end = 0;
        line(context, make_plain(start));
        start = end + 1;
    }
    size_t left = start ? strlen(start) : 0;
    if (left > 0)
        memmove(worker->line.data, start, left + 1);
    worker->line.length = left;
    if (left > LINE_MAX_BYTES)
        worker_flush_output(worker, line, context);
}

void worker_read_output(struct worker_process *worker, worker_line_fn *line, void *context)
{
    char buffer[READ_BYTES];
    if (worker->output < 0)
        return;
    size_t n = read_some(&worker->output, false, buffer, sizeof buffer);
    for (size_t i = 0; i < n; i++) /* where give_lines would see an end */
        if (!buffer[i])
            buffer[i] = '?';
    text_add_n(&worker->line, buffer, n);
    give_lines(worker, line, context);
}

bool worker_listen(struct worker_process *worker, worker_line_fn *line, void *context)
{
    enum { WAIT_MS = 200 };
    struct pollfd files[2] = {{.fd = worker->socket, .events = POLLIN},
                              {.fd = worker->output, .events = POLLIN}};
    poll(files, 2, WAIT_MS);
    worker_read_output(worker, line, context);
    return worker_read(worker);
}

void worker_flush_output(struct worker_process *worker, worker_line_fn *line, void *context)
{
    if (worker->line.length == 0)
        return;
    CLEANUP(text_free) struct text rest = worker->line;
    worker->line = (struct text){0};
    line(context, make_plain(rest.data));
}

bool worker_reap(struct worker_process *worker)
{
    int status = 0;
    if (worker->pid == 0) /* nothing else shows its end */
        return worker->socket < 0;
    if (worker->pid > 0 && !worker->has_exited) {
        pid_t pid = waitpid(worker->pid, &status, WNOHANG);
        bool is_end = pid == worker->pid && strays_child_has_ended(pid, status);
        worker->has_exited = is_end || (pid < 0 && errno == ECHILD);
        if (is_end)
            worker->wait_status = status;
    }
    return worker->has_exited;
}

void worker_kill(struct worker_process *worker)
{
    if (worker->pid > 0) {
        kill(-worker->pid, SIGKILL);
        if (!worker->has_exited)
            kill(worker->pid, SIGKILL);
    }
}

/* sigabbrev_np is in glibc since 2.32, and not in musl. */
void signal_name(int number, char *buffer, size_t bytes)
{
#define NAMED(signal) [signal] = #signal
    static const char *const names[] = {
        NAMED(SIGABRT), NAMED(SIGALRM), NAMED(SIGBUS),    NAMED(SIGFPE),  NAMED(SIGHUP),
        NAMED(SIGILL),  NAMED(SIGINT),  NAMED(SIGKILL),   NAMED(SIGPIPE), NAMED(SIGPROF),
        NAMED(SIGQUIT), NAMED(SIGSEGV), NAMED(SIGSYS),    NAMED(SIGTERM), NAMED(SIGTRAP),
        NAMED(SIGUSR1), NAMED(SIGUSR2), NAMED(SIGVTALRM), NAMED(SIGXCPU), NAMED(SIGXFSZ)};
#undef NAMED
    const char *name = number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
    if (name)
        snprintf(buffer, bytes, "%s", name);
    else
        snprintf(buffer, bytes, "signal %d", number);
}

void worker_death(const struct worker_process *worker, char *buffer, size_t bytes)
{
    int status = worker->wait_status;
    if (worker->pid == 0 || (worker->page && worker->page->is_cut)) {
        snprintf(buffer, bytes, "closed its connection");
    } else if (WIFSIGNALED(status)) {
        signal_name(WTERMSIG(status), buffer, bytes);
    } else {
        snprintf(buffer, bytes, "exit %d", WEXITSTATUS(status));
    }
}

bool worker_waits_for_processor(const struct worker_process *worker)
{
    char line[256];
    if (!system_file_line(line, sizeof line, "/proc/%ld/stat", (long)worker->pid))
        return false;
    /* Behind the name, which may hold anything but ends with the last parenthesis. */
    const char *name_end = strrchr(line, ')');
    return name_end && strncmp(name_end, ") R", 3) == 0;
}

double worker_waited_ns(const struct worker_process *worker)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)worker->pid);
    return schedstat_waited_ns(path);
}

double worker_processor_ns(const struct worker_process *worker)
{
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(worker->pid, &clock) == 0)
        clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

bool worker_end(struct worker_process *worker, bool is_left)
{
    close_if_open(&worker->socket);
    worker_kill(worker);
    for (int ms = 0; !worker_reap(worker) && !is_left && ms < 1000 * WORKER_END_SECONDS;
         ms += !worker_waits_for_processor(worker))
        poll(NULL, 0, 1);
    bool has_ended = worker->pid == 0 || worker->has_exited;
    if (worker->has_exited)
        strays_kill(worker->pid, worker->forked);
    close_if_open(&worker->output);
    if (worker->page)
        munmap(worker->page, sizeof *worker->page);
    text_free(&worker->writer.bytes);
    wire_input_free(&worker->input);
    text_free(&worker->line);
    *worker = (struct worker_process){.socket = -1, .output = -1};
    return has_ended;
}
