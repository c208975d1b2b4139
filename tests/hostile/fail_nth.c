/*
 * fail_nth.c - a library to be preloaded, by which one call of a program fails:
 *   FAIL_WHAT   memory, files, processes, sqlite or wire: which functions
 *   FAIL_AT     which call of them, from 1
 *   FAIL_IN     supervisor or worker: in which processes of gbrun calls are counted
 *   FAIL_MARK   a file that is made when the call fails and says which function it was; where it
 *               is, none fails any more
 *   FAIL_SIGNAL if not 0, the process gets this signal before that call, which does not fail
 *   FAIL_TELL   a pipe that is written to first
 * The functions are those that gbrun and SQLite import, of glibc and of SQLite. With sanitizers
 * memory is theirs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { MEMORY, FILES, PROCESSES, SQLITE, WIRE, KINDS };
static const char *const kinds[] = {"memory", "files", "processes", "sqlite", "wire"};
static int kind = KINDS; /* until it is known: none fails */
static long at, n_calls;
static char mark[4096];

/* By the system call itself: open is one of the functions that may fail. */
static int open_mark(int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, mark, flags | O_CLOEXEC, 0666);
}

__attribute__((constructor)) static void begin(void)
{
    const char *what = getenv("FAIL_WHAT"), *in = getenv("FAIL_IN"), *number = getenv("FAIL_AT");
    const char *path = getenv("FAIL_MARK");
    char command[256] = "";
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY, 0);
    ssize_t n = syscall(SYS_read, file, command, sizeof command - 1);
    close(file);
    bool is_worker = n > 0 && memmem(command, (size_t)n, "--worker", 8);
    if (!what || !in || !number || !path || is_worker != (strcmp(in, "worker") == 0))
        return;
    snprintf(mark, sizeof mark, "%s", path);
    at = atol(number);
    file = open_mark(O_RDONLY);
    if (file >= 0)
        close(file);
    for (int i = 0; file < 0 && i < KINDS; i++)
        if (strcmp(what, kinds[i]) == 0)
            kind = i;
}

static void write_mark(const char *text)
{
    int file = open_mark(O_WRONLY | O_CREAT);
    if (file < 0 || syscall(SYS_write, file, text, strlen(text)) < 0)
        _exit(99);
    close(file);
}

static bool fails(int called, const char *function)
{
    if (called != kind || __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED) != at)
        return false;
    const char *signal_text = getenv("FAIL_SIGNAL"), *tell = getenv("FAIL_TELL");
    const int number = signal_text ? atoi(signal_text) : 0;
    kind = KINDS;
    write_mark(function);
    const int pipe = tell ? (int)syscall(SYS_openat, AT_FDCWD, tell, O_WRONLY | O_CLOEXEC, 0) : -1;
    if (pipe >= 0 && syscall(SYS_write, pipe, "\n", 1) == 1)
        close(pipe);
    if (number)
        kill(getpid(), number);
    return !number;
}

/* The function of that name that would have been called. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next)                                                                                     \
    next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* X(kind, result, name, parameters, arguments, what it returns as it fails, errno) */
#define FUNCTIONS(X)                                                                               \
    X(FILES, ssize_t, write, (int f, const void *b, size_t n), (f, b, n), -1, ENOSPC)              \
    X(FILES, ssize_t, pwrite64, (int f, const void *b, size_t n, off64_t o), (f, b, n, o), -1,     \
      ENOSPC)                                                                                      \
    X(FILES, size_t, fwrite, (const void *b, size_t s, size_t n, FILE *f), (b, s, n, f), 0,        \
      ENOSPC)                                                                                      \
    X(FILES, FILE *, fopen, (const char *p, const char *m), (p, m), NULL, EMFILE)                  \
    X(FILES, FILE *, fdopen, (int f, const char *m), (f, m), NULL, ENOMEM)                         \
    X(FILES, int, fsync, (int f), (f), -1, EIO)                                                    \
    X(FILES, int, fdatasync, (int f), (f), -1, EIO)                                                \
    X(FILES, int, ftruncate, (int f, off_t n), (f, n), -1, ENOSPC)                                 \
    X(FILES, int, ftruncate64, (int f, off64_t n), (f, n), -1, ENOSPC)                             \
    X(FILES, int, rename, (const char *a, const char *b), (a, b), -1, ENOSPC)                      \
    X(FILES, int, unlink, (const char *p), (p), -1, EIO)                                           \
    X(FILES, int, linkat, (int f, const char *a, int g, const char *b, int h), (f, a, g, b, h),    \
      -1, ENOSPC)                                                                                  \
    X(WIRE, ssize_t, send, (int f, const void *b, size_t n, int o), (f, b, n, o), -1, EPIPE)       \
    X(PROCESSES, pid_t, fork, (void), (), -1, EAGAIN)                                              \
    X(PROCESSES, int, posix_spawn,                                                                 \
      (pid_t * r, const char *p, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b,  \
       char *const *v, char *const *e),                                                            \
      (r, p, a, b, v, e), EAGAIN, EAGAIN)                                                          \
    X(PROCESSES, int, socketpair, (int d, int t, int p, int r[2]), (d, t, p, r), -1, EMFILE)       \
    X(PROCESSES, int, pipe2, (int r[2], int f), (r, f), -1, EMFILE)                                \
    X(PROCESSES, int, memfd_create, (const char *n, unsigned f), (n, f), -1, EMFILE)               \
    X(SQLITE, int, sqlite3_open, (const char *p, sqlite3 **r), (p, r), SQLITE_CANTOPEN, EMFILE)    \
    X(SQLITE, int, sqlite3_open_v2, (const char *p, sqlite3 **r, int f, const char *v),            \
      (p, r, f, v), SQLITE_CANTOPEN, EMFILE)                                                       \
    X(SQLITE, int, sqlite3_exec,                                                                   \
      (sqlite3 * d, const char *s, int (*c)(void *, int, char **, char **), void *o, char **e),    \
      (d, s, c, o, e), SQLITE_IOERR, EIO)                                                          \
    X(SQLITE, int, sqlite3_prepare_v2,                                                             \
      (sqlite3 * d, const char *s, int n, sqlite3_stmt **r, const char **t), (d, s, n, r, t),      \
      SQLITE_NOMEM, ENOMEM)                                                                        \
    X(SQLITE, int, sqlite3_step, (sqlite3_stmt * s), (s), SQLITE_IOERR, EIO)                       \
    X(SQLITE, int, sqlite3_bind_double, (sqlite3_stmt * s, int i, double v), (s, i, v),            \
      SQLITE_NOMEM, ENOMEM)                                                                        \
    X(SQLITE, int, sqlite3_bind_int64, (sqlite3_stmt * s, int i, sqlite3_int64 v), (s, i, v),      \
      SQLITE_NOMEM, ENOMEM)                                                                        \
    X(SQLITE, int, sqlite3_bind_text,                                                              \
      (sqlite3_stmt * s, int i, const char *v, int n, void (*d)(void *)), (s, i, v, n, d),         \
      SQLITE_NOMEM, ENOMEM)                                                                        \
    X(SQLITE, int, sqlite3_bind_blob64,                                                            \
      (sqlite3_stmt * s, int i, const void *v, sqlite3_uint64 n, void (*d)(void *)),               \
      (s, i, v, n, d), SQLITE_NOMEM, ENOMEM)                                                       \
    X(SQLITE, int, sqlite3_bind_value, (sqlite3_stmt * s, int i, const sqlite3_value *v),          \
      (s, i, v), SQLITE_NOMEM, ENOMEM)                                                             \
    X(SQLITE, const unsigned char *, sqlite3_column_text, (sqlite3_stmt * s, int i), (s, i), NULL, \
      ENOMEM)                                                                                      \
    X(SQLITE, const void *, sqlite3_column_blob, (sqlite3_stmt * s, int i), (s, i), NULL, ENOMEM)

/* What SQLite calls of itself would be taken for its own success: only the outer call counts. */
static _Thread_local int depth;

#define DEFINE(kind, result, name, parameters, arguments, failure, number)                         \
    EXPORT result name parameters                                                                  \
    {                                                                                              \
        const int inner = (kind) == SQLITE;                                                        \
        NEXT(name);                                                                                \
        if ((!inner || depth == 0) && fails(kind, #name)) {                                        \
            errno = number;                                                                        \
            return failure;                                                                        \
        }                                                                                          \
        depth += inner;                                                                            \
        result value = next arguments;                                                             \
        depth -= inner;                                                                            \
        return value;                                                                              \
    }
FUNCTIONS(DEFINE)

#define DEFINE_OPEN(name)                                                                          \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = va_arg(arguments, mode_t);                                                   \
        va_end(arguments);                                                                         \
        NEXT(name);                                                                                \
        if (!fails(FILES, #name))                                                                  \
            return next(path, flags, mode);                                                        \
        errno = EMFILE;                                                                            \
        return -1;                                                                                 \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#ifndef __SANITIZE_ADDRESS__
/* These are needed before any name can be looked up. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

EXPORT void *malloc(size_t n)
{
    return fails(MEMORY, "malloc") ? errno = ENOMEM, NULL : __libc_malloc(n);
}

EXPORT void *calloc(size_t n, size_t size)
{
    return fails(MEMORY, "calloc") ? errno = ENOMEM, NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *block, size_t n)
{
    return fails(MEMORY, "realloc") ? errno = ENOMEM, NULL : __libc_realloc(block, n);
}
#endif
