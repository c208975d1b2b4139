/* zygote.c - see zygote.h. */
#include "core/run/zygote.h"

#include "core/base/command.h"
#include "core/run/messages.h"
#include "core/run/module.h"
#include "core/run/warm.h"

#include <errno.h>
#include <gbrun/judging.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_MAX = 2 };

struct answer {
    int32_t pid; /* 0: there is no process */
    char why[HOST_TEXT_MAX];
};

/* Room for descriptors beside a message. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(FILES_MAX * sizeof(int))];
};

/* ---- in the judge ---- */

static struct {
    pid_t pid; /* 0: none */
    int socket;
    bool is_refused; /* one had no process to give */
} zygote;

extern char **environ;

static void end(void)
{
    close(zygote.socket);
    command_kill(zygote.pid);
    zygote.pid = 0;
}

static int start(void)
{
    static const char *const arguments[] = {"gbrun", ZYGOTE_ARGUMENT, NULL};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    const int files[] = {-1, STDOUT_FILENO, STDERR_FILENO, [ZYGOTE_SOCKET] = ends[1]};
    const int code = command_start(program_image(), arguments, environ, files,
                                   sizeof files / sizeof *files, true, &zygote.pid);
    close(ends[1]);
    zygote.socket = ends[0];
    if (code == 0)
        return 0;
    close(ends[0]);
    zygote.pid = 0;
    return code;
}

static bool send_order(const struct zygote_order *order, const int *files)
{
    union control control = {0};
    const size_t bytes = (size_t)order->n_files * sizeof *files;
    struct iovec content = {(void *)(uintptr_t)order, sizeof *order};
    const struct msghdr message = {.msg_iov = &content,
                                   .msg_iovlen = 1,
                                   .msg_control = control.bytes,
                                   .msg_controllen = CMSG_SPACE(bytes)};
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(bytes)};
    memcpy(CMSG_DATA(&control.header), files, bytes);
    return sendmsg(zygote.socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *order;
}

/* What it loads may take long: the case's time limit counts. */
static bool receive(struct answer *ret)
{
    enum { LOOK_MS = 100 };
    struct pollfd waited = {.fd = zygote.socket, .events = POLLIN};
    while (poll(&waited, 1, LOOK_MS) == 0 && !host_cancelled())
        continue;
    return recv(zygote.socket, ret, sizeof *ret, MSG_DONTWAIT) == (ssize_t)sizeof *ret;
}

pid_t zygote_fork(const struct zygote_order *order, const int *files, char why[HOST_TEXT_MAX])
{
    struct answer answer = {.why = "it has ended"};
    const int code = zygote.pid > 0 || zygote.is_refused ? 0 : start();
    if (code != 0)
        snprintf(answer.why, sizeof answer.why, "%s", reason_of(code));
    else if (zygote.pid > 0 && send_order(order, files) && receive(&answer) && answer.pid > 0)
        return answer.pid;
    answer.why[sizeof answer.why - 1] = 0;
    snprintf(why, HOST_TEXT_MAX, "%s", zygote.is_refused ? "" : answer.why);
    zygote.is_refused = true;
    if (zygote.pid > 0)
        end();
    return 0;
}

bool zygote_is_there(void)
{
    return zygote.pid > 0;
}

/* ---- the process ---- */

static void ignore(void *context, uint32_t type, const void *record)
{
    (void)context, (void)type, (void)record;
}

static const struct host_sink sink = {.take = ignore};

/* False: the judge has closed its end. */
static bool take_order(struct zygote_order *ret, int files[FILES_MAX])
{
    union control control = {0};
    struct iovec content = {ret, sizeof *ret};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do
        n = recvmsg(ZYGOTE_SOCKET, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    const size_t bytes = (size_t)ret->n_files * sizeof *files;
    if (n != (ssize_t)sizeof *ret || ret->n_files < 1 || ret->n_files > FILES_MAX ||
        control.header.cmsg_len != CMSG_LEN(bytes))
        return false;
    memcpy(files, CMSG_DATA(&control.header), bytes);
    return true;
}

/* Loads what the case needs. *ret: by which the process is forked. */
static int32_t load(struct session *session, const struct judged_page *page, struct arena *arena,
                    const struct gb_warm **ret, struct gb_error *error)
{
    struct wire_reader reader = {.data = page->bench_case, .length = page->case_bytes};
    struct case_order given;
    CLEANUP(warm_free) struct warm warm = {0};
    wire_get_fields(&reader, arena, case_order_fields, &given);
    if (!wire_complete(&reader))
        return error_set(error, GB_CORRUPT, "the case is incomplete");
    if (warm_find(session, &sink, &given.bench_case, arena, &warm, error) != GB_OK)
        return error->status;
    *ret = warm.by;
    return warm_load(&warm, error);
}

static int32_t load_for(struct session *session, int file, const struct gb_warm **ret,
                        struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct judged_page *page = arena_allocate(&arena, sizeof *page);
    if (pread(file, page, sizeof *page, 0) != (ssize_t)sizeof *page ||
        page->case_bytes > sizeof page->bench_case)
        return error_set(error, GB_CORRUPT, "the page cannot be read");
    return load(session, page, &arena, ret, error);
}

/* The judge's child once the process between has ended. Nothing untrusted runs yet. */
static void become_judged(const struct zygote_order *order, const int *files, pid_t between)
{
    const struct answer answer = {.pid = getpid()};
    while (getppid() == between)
        sched_yield();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    setpgid(0, 0);
    if (getppid() != order->judge ||
        send(ZYGOTE_SOCKET, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer)
        _exit(EXIT_FAILURE);
    for (int i = 0; i < order->n_files; i++) /* they came in ascending order, above these */
        dup2(files[i], JUDGED_FILE + i);
    _exit(judged_serve(order->base, order->bytes, order->folder));
}

/* Ends as soon as it has a child, which so becomes the judge's. */
static void stand_between(const struct gb_warm *warmed, const struct zygote_order *order,
                          const int *files)
{
    const pid_t self = getpid(), pid = warmed->fork();
    if (pid == 0)
        become_judged(order, files, self);
    _exit(pid > 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static int32_t serve(struct session *session, const struct zygote_order *order, const int *files,
                     struct gb_error *error)
{
    struct environment_variable variables[JUDGED_VARIABLES];
    const struct gb_warm *warmed = NULL;
    int wait_status = 0;
    judged_environment(order->folder, variables);
    for (size_t i = 0; i < JUDGED_VARIABLES; i++)
        setenv(variables[i].name, variables[i].value, 1);
    if (load_for(session, files[0], &warmed, error) != GB_OK ||
        warm_check(warmed, files, order->n_files, error) != GB_OK)
        return error->status;
    const pid_t between = warmed->fork();
    if (between == 0)
        stand_between(warmed, order, files);
    const bool has_ended = between > 0 && waitpid(between, &wait_status, 0) == between;
    return has_ended && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == EXIT_SUCCESS
               ? GB_OK
               : error_set(error, GB_FAILED, "no process can be forked: %s", reason_of(errno));
}

int zygote_main(void)
{
    struct zygote_order order = {0};
    struct session *session = session_new(&sink);
    int files[FILES_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* or a submission could look into it */
    while (take_order(&order, files)) {
        struct answer answer = {0};
        struct gb_error error;
        const int32_t status = serve(session, &order, files, &error);
        for (int i = 0; i < order.n_files; i++)
            close(files[i]);
        if (status == GB_OK)
            continue;
        snprintf(answer.why, sizeof answer.why, "%s", error.text);
        send(ZYGOTE_SOCKET, &answer, sizeof answer, MSG_NOSIGNAL);
    }
    return EXIT_SUCCESS;
}
