/*
 * interpreter.c - Python in this process; see python.h. Plugin side.
 *
 * Its library is opened at run time, and only functions of its stable ABI are called, so that one
 * build serves every Python from 3.8 on. What runs in it is gbrun.py, which is embedded here: both
 * ends of struct python_case are of one version.
 */
#define _GNU_SOURCE
#include "python.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/process.h"
#include "plugins/common/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the sources are, with a slash, if the build is elsewhere. */
#ifndef GBRUN_SOURCES
#define GBRUN_SOURCES ""
#endif

/* Global symbols, as with link-time optimization those who use them may be assembled elsewhere. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n" #symbol ":\n"                                                  \
            ".incbin \"" GBRUN_SOURCES file "\"\n"                                                 \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char symbol[] __attribute__((visibility("hidden")))
EMBED(python_gbrun_py, "python/gbrun.py");
EMBED(python_ask_py, "plugins/bench_python/ask.py");

enum { OLDEST = 308, FILE_INPUT = 257 /* Py_file_input */, PATH_ROOM = 4096 };

struct object; /* PyObject */

/* The stable ABI of CPython, as far as it is needed; X(result, name, parameters). */
#define API(X)                                                                                     \
    X(void, Py_InitializeEx, (int))                                                                \
    X(void *, PyEval_SaveThread, (void))                                                           \
    X(int, PyGILState_Ensure, (void))                                                              \
    X(void, PyGILState_Release, (int))                                                             \
    X(struct object *, Py_CompileString, (const char *, const char *, int))                        \
    X(struct object *, PyImport_ExecCodeModuleEx, (const char *, struct object *, const char *))   \
    X(struct object *, PyObject_CallMethod, (struct object *, const char *, const char *, ...))    \
    X(long, PyLong_AsLong, (struct object *))                                                      \
    X(void, PyErr_Print, (void))                                                                   \
    X(void, Py_DecRef, (struct object *))

static struct {
    char *program;         /* that was asked; NULL: not open */
    struct object *module; /* gbrun.py */
#define MEMBER(result, name, parameters) result(*name) parameters;
    API(MEMBER)
#undef MEMBER
} python;

/* What the program says of itself: lines of ask.py. */
struct answer {
    const char *library, *words, *version, *home, *rest;
};

/* ---- which interpreter ---- */

static bool is_folder(const char *path)
{
    struct stat facts;
    return path != NULL && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int32_t find_in_environment(const struct gb_host *host, const char *folder, char **ret)
{
    const size_t bytes = strlen(folder) + sizeof "/bin/python3";
    *ret = host->allocate(host, bytes);
    if (*ret == NULL)
        return GB_NO_MEMORY;
    snprintf(*ret, bytes, "%s/bin/python3", folder);
    return process_may_run(*ret)
               ? GB_OK
               : host_fail(host,
                           "python: %s has no bin/python3: expected a virtual environment, or an "
                           "interpreter",
                           folder);
}

/* A folder is a virtual environment; a path, or a file beside the configuration, an interpreter; a
 * name one in PATH. */
static int32_t find_program(const struct gb_host *host, const char *name, char **ret)
{
    char *path = path_of(host, name);
    if (*name != '\0' && is_folder(path))
        return find_in_environment(host, path, ret);
    if (strchr(name, '/') == NULL)
        path = process_find(host, *name != '\0' ? name : "python3");
    *ret = path;
    if (path != NULL && process_may_run(path))
        return GB_OK;
    if (*name == '\0')
        return host_fail(host, "there is no python3 in the folders of PATH: expected one, or "
                               "python = the folder of a virtual environment, or an interpreter");
    return host_fail(
        host, "python = %s: expected the folder of a virtual environment, or an interpreter", name);
}

/* ---- what it is ---- */

/* Its standard output, up to room - 1 bytes, as a text. */
static int32_t ask(const struct gb_host *host, char *file, char *text, size_t room)
{
    char *const arguments[] = {file, "-c", (char *)(uintptr_t)python_ask_py, NULL};
    const struct program program = {arguments, file, ".", 0};
    int ends[2], status = 0;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return host_fail(host, "python: a pipe: %s", strerror(errno));
    const int streams[3] = {open("/dev/null", O_RDONLY | O_CLOEXEC), ends[1], STDERR_FILENO};
    const int code = process_start(&program, streams, &pid);
    close(streams[0]);
    close(ends[1]);
    text[code == 0 ? process_read(ends[0], text, room - 1) : 0] = '\0';
    close(ends[0]);
    if (code != 0)
        return host_fail(host, "python: %s cannot be started: %s", file, strerror(code));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? GB_OK
               : host_fail(host,
                           "python: %s does not run as an interpreter of Python does: expected "
                           "one, or the folder of a virtual environment",
                           file);
}

/* Takes a line off the text. */
static const char *next_line(char **text)
{
    char *line = *text;
    *text += strcspn(line, "\n");
    if (**text == '\n')
        *(*text)++ = '\0';
    return line;
}

static int32_t read_answer(const struct gb_host *host, const char *file, char *text,
                           struct answer *ret)
{
    ret->library = next_line(&text);
    ret->words = next_line(&text);
    ret->version = next_line(&text);
    ret->home = next_line(&text);
    ret->rest = next_line(&text);
    if (*ret->rest != '{')
        return host_fail(host, "python: %s does not answer as an interpreter of Python does", file);
    if (strtol(ret->version, NULL, 10) < OLDEST)
        return host_fail(host, "python: %s is too old: expected Python 3.8 or newer", ret->words);
    return GB_OK;
}

/* ---- opening it ---- */

static int32_t open_library(const struct gb_host *host, const struct answer *answer)
{
    static const struct symbol symbols[] = {
#define PYTHON_SYMBOL(result, name, parameters) {#name, &python.name},
        API(PYTHON_SYMBOL)
#undef PYTHON_SYMBOL
    };
    /* Modules of Python take its functions from the process, and stay for its lifetime. */
    void *library = dlopen(answer->library, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        return host_fail(host,
                         "python: %s has no shared library that can be opened: %s: expected a "
                         "Python built with --enable-shared, or the package that has its "
                         "libpython",
                         answer->words, dlerror());
    const char *missing = FIND_SYMBOLS(library, symbols);
    return missing != NULL ? host_fail(host, "python: %s lacks %s", answer->library, missing)
                           : GB_OK;
}

/* gbrun.py says that it is in the folder of this plugin, around which it finds libgbrun. */
static void own_path(char path[PATH_ROOM])
{
    Dl_info facts;
    const char *file = dladdr(&python, &facts) != 0 ? facts.dli_fname : "";
    const char *slash = strrchr(file, '/');
    snprintf(path, PATH_ROOM, "%.*s/gbrun.py", slash != NULL ? (int)(slash - file) : 1,
             slash != NULL ? file : ".");
}

static bool import_gbrun(const struct answer *answer)
{
    char path[PATH_ROOM];
    own_path(path);
    struct object *code = python.Py_CompileString(python_gbrun_py, path, FILE_INPUT);
    struct object *done = NULL;
    if (code != NULL) {
        python.module = python.PyImport_ExecCodeModuleEx("gbrun", code, path);
        python.Py_DecRef(code);
    }
    if (python.module != NULL)
        done = python.PyObject_CallMethod(python.module, "_adopt", "s", answer->rest);
    if (done == NULL)
        python.PyErr_Print();
    else
        python.Py_DecRef(done);
    return done != NULL;
}

/* It sets the locale of the process, which others read numbers by. */
static void start(const struct answer *answer)
{
    char *locale = strdup(setlocale(LC_ALL, NULL));
    setenv("PYTHONHOME", answer->home, 1);
    python.Py_InitializeEx(0);
    setlocale(LC_ALL, locale != NULL ? locale : "C");
    free(locale);
}

static int32_t open_program(const struct gb_host *host, char *file)
{
    enum { ROOM = 1 << 16 };
    struct answer answer;
    char *text = host->allocate(host, ROOM);
    if (text == NULL)
        return GB_NO_MEMORY;
    int32_t status = ask(host, file, text, ROOM);
    if (status == GB_OK)
        status = read_answer(host, file, text, &answer);
    if (status == GB_OK)
        status = open_library(host, &answer);
    if (status != GB_OK)
        return status;
    start(&answer);
    if (!import_gbrun(&answer))
        status = host_fail(host, "python: %s cannot run gbrun.py: see what it has printed",
                           answer.words);
    python.PyEval_SaveThread();
    return status;
}

int32_t interpreter_open(const struct gb_host *host, const char *name)
{
    char *file;
    int32_t status = find_program(host, name, &file);
    if (status != GB_OK)
        return status;
    if (python.program != NULL)
        return strcmp(python.program, file) == 0
                   ? GB_OK
                   : host_fail(host,
                               "python = %s: this process has opened %s before: expected isolate "
                               "= yes, which gives each case a process of its own",
                               file, python.program);
    status = open_program(host, file);
    if (status == GB_OK)
        python.program = strdup(file);
    return status;
}

int32_t interpreter_step(const char *step, struct python_case *python_case)
{
    long status = GB_FAILED;
    const int state = python.PyGILState_Ensure();
    struct object *found = python.PyObject_CallMethod(python.module, "_plugin", "sK", step,
                                                      (unsigned long long)(uintptr_t)python_case);
    if (found != NULL) {
        status = python.PyLong_AsLong(found);
        python.Py_DecRef(found);
    } else {
        python.PyErr_Print();
    }
    python.PyGILState_Release(state);
    return (int32_t)status;
}
