/*
 * python.c - the benchmark `python`: a function of a file in Python. Plugin side.
 *
 * The library of Python is opened at run time, and only functions of its stable ABI are called, so
 * that one build serves every Python from 3.8 on. What runs in it is gbrun.py, which is embedded
 * here: both ends of struct python_case are of one version. gbrun.py imports the file, calls the
 * function with the options of the section, and fills in the callbacks of what is timed. With
 * verify = judge that is judged.py, in two processes.
 */
#define _GNU_SOURCE
#include "plugins/common/bench_memory.h"
#include "plugins/common/process.h"
#include "plugins/common/symbols.h"
#include "plugins/common/validation.h"

#include <errno.h>
#include <fcntl.h>
#include <gbrun/gbrun.h>
#include <gbrun/judging.h>
#include <gbrun/measure.h>
#include <gbrun/warm.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A case as gbrun.py sees it (_Case): what to call, and what it sets in `prepare`. Lives
 * from "open" to "close". */
struct python_case {
    const struct gb_host *host;
    int32_t (*fail)(const struct gb_host *host, const char *text);
    int32_t (*skip)(const struct gb_host *host, const char *text);
    int32_t (*check)(const struct gb_host *host, const struct gb_check *check);
    int32_t (*checked)(const struct gb_host *host, const char *name, int32_t passed,
                       const char *text);
    void (*log)(const struct gb_host *host, int32_t severity, const char *text);
    const char *path;     /* of the file, absolute unless the configuration's folder is not */
    const char *function; /* in it */
    uint64_t n_arguments;
    const char *const *keys;
    const char *const *values; /* as of GB_OPTION_REST */
    int32_t gpu;               /* number of the GPU; -1: none */
    uint32_t reserved;
    void *stream; /* of the queue; NULL: none */

    struct gbrun_subject subject; /* what is measured */
    struct gbrun_subject nothing; /* the same of a function that does nothing */

    /* The rest is of judged.py. */
    const char *reference; /* a path */
    const char *layout;
    int32_t is_judge, subject_of; /* subject_of: what is measured, of subjects */
    void *(*share)(const struct gb_host *host, uint64_t bytes);
    int32_t (*allocate)(const struct gb_host *host, uint64_t bytes, uint32_t kind, void **ret);
};

/* --- Python in this process --- */

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
EMBED(python_judged_py, "plugins/bench_python/judged.py");
EMBED(python_tolerance_py, "plugins/bench_python/tolerance.py");

enum {
    OLDEST = 308,
    FILE_INPUT = 257 /* Py_file_input */,
    PATH_ROOM = 4096,
    ANSWER_ROOM = 1 << 16
};

struct object; /* PyObject */

/* What is needed of the stable ABI of CPython; X(result, name, parameters). */
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
    char *answer;          /* it gave */
    struct object *module; /* gbrun.py */
    struct object *judged; /* judged.py; NULL: not needed yet */
#define MEMBER(result, name, parameters) result(*name) parameters;
    API(MEMBER)
#undef MEMBER
} python;

/* What the program says of itself: lines of ask.py. */
struct answer {
    const char *library, *words, *version, *home, *rest;
};

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
        return host_fail(host, "python3 was not found in PATH: expected it there, or python = the "
                               "folder of a virtual environment, or an interpreter");
    return host_fail(
        host, "python = %s: expected the folder of a virtual environment, or an interpreter", name);
}

/* Its standard output, up to room - 1 bytes, as a text. */
static int32_t ask(const struct gb_host *host, char *file, char *text, size_t room)
{
    char *const arguments[] = {file, "-c", (char *)(uintptr_t)python_ask_py, NULL};
    const struct program program = {arguments, file, ".", 0};
    int ends[2], status = 0;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return host_fail(host, "python: a pipe cannot be created: %s", strerror(errno));
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
                           "python: %s did not run as a Python interpreter: expected one, or the "
                           "folder of a virtual environment",
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
        return host_fail(host, "python: %s did not answer as a Python interpreter", file);
    if (strtol(ret->version, NULL, 10) < OLDEST)
        return host_fail(host, "python: %s is too old: expected Python 3.8 or newer", ret->words);
    return GB_OK;
}

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
static void own_path(const char *name, char path[PATH_ROOM])
{
    Dl_info facts;
    const char *file = dladdr(&python, &facts) != 0 ? facts.dli_fname : "";
    const char *slash = strrchr(file, '/');
    snprintf(path, PATH_ROOM, "%.*s/%s.py", slash != NULL ? (int)(slash - file) : 1,
             slash != NULL ? file : ".", name);
}

/* A module in the folder of this plugin, whose source is embedded; NULL: what is wrong is printed.
 */
static struct object *import(const char *name, const char *source)
{
    char path[PATH_ROOM];
    struct object *module = NULL;
    own_path(name, path);
    struct object *code = python.Py_CompileString(source, path, FILE_INPUT);
    if (code != NULL) {
        module = python.PyImport_ExecCodeModuleEx(name, code, path);
        python.Py_DecRef(code);
    }
    if (module == NULL)
        python.PyErr_Print();
    return module;
}

static bool import_gbrun(const struct answer *answer)
{
    struct object *done = NULL;
    python.module = import("gbrun", python_gbrun_py);
    if (python.module == NULL)
        return false;
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

static int32_t open_program(const struct gb_host *host, char *file, const char *given)
{
    struct answer answer;
    int32_t status = GB_OK;
    char *text = host_memory(host, ANSWER_ROOM, &status);
    if (status == GB_OK && given != NULL)
        snprintf(text, ANSWER_ROOM, "%s", given);
    else if (status == GB_OK)
        status = ask(host, file, text, ANSWER_ROOM);
    if (status == GB_OK)
        python.answer = strdup(text);
    if (status == GB_OK)
        status = read_answer(host, file, text, &answer);
    if (status == GB_OK)
        status = open_library(host, &answer);
    if (status != GB_OK)
        return status;
    start(&answer);
    if (!import_gbrun(&answer))
        status = host_fail(host, "python: %s cannot run gbrun.py: see its output", answer.words);
    python.PyEval_SaveThread();
    return status;
}

/* One interpreter a process: found by asking the program of the name (empty: python3), and opened
 * by the first call. given: what it answers; NULL: it is asked. GB_FAILED: host->fail has said why.
 */
static int32_t interpreter_open(const struct gb_host *host, const char *name, const char *given)
{
    char *file;
    int32_t status = find_program(host, name, &file);
    if (status != GB_OK)
        return status;
    if (python.program != NULL)
        return strcmp(python.program, file) == 0
                   ? GB_OK
                   : host_fail(host,
                               "python = %s: this process has already opened %s: expected isolate "
                               "= yes, which gives each case a process of its own",
                               file, python.program);
    status = open_program(host, file, given);
    if (status == GB_OK)
        python.program = strdup(file);
    return status;
}

static struct object *judged_module(void)
{
    if (python.judged == NULL && import("gbrun_tolerance", python_tolerance_py) != NULL)
        python.judged = import("gbrun_judged", python_judged_py);
    return python.judged;
}

/* What a call has returned, which is freed; GB_FAILED: an exception, which is printed. */
static int32_t number_of(struct object *found)
{
    long number = GB_FAILED;
    if (found == NULL) {
        python.PyErr_Print();
    } else {
        number = python.PyLong_AsLong(found);
        python.Py_DecRef(found);
    }
    return (int32_t)number;
}

/* A step of gbrun.py's _plugin or of judged.py: "open", "prepare", "close". Returns its status. */
static int32_t interpreter_step(const char *step, struct python_case *python_case)
{
    int32_t status = GB_FAILED;
    const bool is_judged = python_case->share != NULL;
    const int state = python.PyGILState_Ensure();
    struct object *module = is_judged ? judged_module() : python.module;
    if (module != NULL)
        status = number_of(python.PyObject_CallMethod(module, is_judged ? "step" : "_plugin", "sK",
                                                      step,
                                                      (unsigned long long)(uintptr_t)python_case));
    python.PyGILState_Release(state);
    return status;
}

/* What a function of gbrun.py returns, of a file or, NULL, of nothing. */
static int32_t interpreter_call(const char *function, const char *file)
{
    const int state = python.PyGILState_Ensure();
    const int32_t number = number_of(
        python.PyObject_CallMethod(python.module, function, file != NULL ? "s" : NULL, file));
    python.PyGILState_Release(state);
    return number;
}

/* --- the benchmark --- */

struct params {
    const char *call;
    const char *python;
    const char *reference;
    int32_t subject, layout;
    struct gb_map arg;
};
static const char *const subjects[] = {"function", "reference", "compiled"};
static const char *const layouts[] = {"auto", "gpumode", "kernelbench"};

#define P struct params
static const struct gb_option options[] = {
    GB_STRING(P, call, NULL,
              "A file, from the folder of the configuration, and a function in it: "
              "sums.py:add; with verify = judge the file of a submission, without a function "
              "where the layout names it"),
    GB_STRING(P, python, "",
              "The interpreter, or the folder of a virtual environment; empty: python3 from PATH"),
    GB_STRING(
        P, reference, "",
        "With verify = judge: the file that generates inputs and computes the correct results"),
    GB_CHOICE(P, subject, "function", subjects,
              "What is measured: the submission, or the reference instead, as it is or compiled by "
              "torch.compile"),
    GB_CHOICE(P, layout, "auto", layouts,
              "What the files define: gpumode: generate_input, ref_kernel, optionally "
              "check_implementation, and custom_kernel; kernelbench: Model, get_inputs, "
              "get_init_inputs, and ModelNew"),
    GB_OPTION_OF(GB_TYPE_MAP, GB_OPTION_REST, P, arg, "", NULL, 0, NULL, NULL,
                 "An argument of the function; `arg.` may be left out where gbrun has no key of "
                 "that name: n = 1000, sweep.n = 10, 100"),
};

struct bench {
    const struct params *params;
    struct python_case seen; /* by gbrun.py */
    bool is_open;
};

/* The colon between file and function; NULL: there is none, or nothing on one of its sides. */
static const char *colon_of(const char *call)
{
    const char *colon = strrchr(call, ':');
    return colon != NULL && colon > call && colon[1] != '\0' ? colon : NULL;
}

static void name_function(const struct params *params, const char *colon, char *path,
                          struct python_case *ret)
{
    if (colon != NULL)
        path[strlen(path) - strlen(colon)] = '\0';
    ret->path = path;
    ret->function = colon != NULL ? colon + 1 : "";
    ret->n_arguments = params->arg.n;
    ret->keys = params->arg.keys;
    ret->values = params->arg.values;
}

static unsigned n_judged; /* objects of the case */

/* Of a case that is judged. The interpreter is asked by the judge, before the other process is. */
static int32_t open_judged(const struct gb_host *host, struct bench *bench,
                           const struct gb_judging *judging)
{
    const struct params *params = bench->params;
    struct python_case *seen = &bench->seen;
    char *answer = n_judged == 0 ? judging->share(host, ANSWER_ROOM) : NULL;
    if (n_judged == 0 && answer == NULL)
        return GB_NO_MEMORY;
    seen->reference = path_of(host, params->reference);
    seen->layout = layouts[params->layout];
    seen->is_judge = (int32_t)judging->is_judge;
    seen->subject_of = params->subject;
    seen->share = judging->share;
    seen->allocate = host->device_allocate;
    const int32_t status = interpreter_open(host, params->python,
                                            seen->is_judge || answer == NULL ? NULL : answer);
    if (status == GB_OK && answer != NULL && seen->is_judge)
        memcpy(answer, python.answer, strlen(python.answer) + 1);
    n_judged += status == GB_OK;
    return status;
}

static int32_t open_case(const struct gb_host *host, struct bench *bench)
{
    const struct params *params = bench->params;
    const char *colon = colon_of(params->call);
    const struct gb_judging *judging = host->extension(host, GB_JUDGING);
    struct python_case *seen = &bench->seen;
    if (colon == NULL && judging == NULL)
        return host_fail(host, "call = %s: expected FILE.py:FUNCTION", params->call);
    char *path = path_of(host, params->call);
    if (path == NULL)
        return GB_NO_MEMORY;
    seen->host = host;
    seen->fail = host->fail;
    seen->skip = host->skip;
    seen->check = host->check;
    seen->checked = host->checked;
    seen->log = host->log;
    seen->gpu = strcmp(host->device->backend, "cuda") == 0 ? (int32_t)host->device->index : -1;
    name_function(params, colon, path, seen);
    if (access(path, R_OK) != 0)
        return host_fail(host, "call: %s cannot be read: %s", path, strerror(errno));
    if (judging != NULL)
        return open_judged(host, bench, judging);
    const int32_t status = interpreter_open(host, params->python, NULL);
    return status == GB_OK ? interpreter_step("open", seen) : status;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    int32_t status = GB_OK;
    struct bench *bench = host_memory(host, sizeof *bench, &status);
    if (status != GB_OK)
        return status;
    bench->params = params;
    status = open_case(host, bench);
    if (status != GB_OK)
        return status;
    if (GB_HAS(host, keep))
        host->keep(host);
    bench->is_open = true;
    *ret_bench = bench;
    return GB_OK;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct gbrun_subject *subject = &((const struct bench *)object)->seen.subject;
    return subject->run(subject->user, queue->native, iterations);
}

static int32_t run_empty(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct gbrun_subject *nothing = &((const struct bench *)object)->seen.nothing;
    return nothing->run(nothing->user, queue->native, iterations);
}

static int32_t reset(void *object, const struct gb_queue *queue)
{
    const struct gbrun_subject *subject = &((const struct bench *)object)->seen.subject;
    return subject->reset(subject->user, queue->native);
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct gbrun_subject *subject = &((const struct bench *)object)->seen.subject;
    return subject->verify(subject->user, queue->native);
}

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t number)
{
    const struct gbrun_subject *subject = &((const struct bench *)object)->seen.subject;
    return subject->refresh(subject->user, queue->native, number);
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct gbrun_subject *subject = &((const struct bench *)object)->seen.subject;
    work->flops = subject->flops;
    work->bytes_read = subject->bytes_read;
    work->bytes_written = subject->bytes_written;
    work->items = subject->items;
    return GB_OK;
}

static void destroy(void *object)
{
    struct bench *bench = object;
    n_judged -= bench->seen.share != NULL;
    if (bench->is_open)
        interpreter_step("close", &bench->seen);
}

static int32_t prepare(void *object, const struct gb_queue *queue);

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .work = work,
    .destroy = destroy,
    .refresh = refresh,
};

/* The least of some: a call of run that does nothing, so many times. */
static double nothing_ns(const struct gbrun_subject *nothing, uint64_t iterations)
{
    enum { ROUNDS = 20 };
    double shortest = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        nothing->run(nothing->user, NULL, iterations);
        clock_gettime(CLOCK_MONOTONIC, &end);
        shortest = fmin(shortest, (double)(end.tv_sec - begin.tv_sec) * 1e9 +
                                      (double)(end.tv_nsec - begin.tv_nsec));
    }
    return shortest;
}

/* What the time holds of Python alone: a call in the loop there; the way to it, once a sample. */
static double call_overhead_ns(const struct python_case *seen, double *ret_entry_ns)
{
    enum { MANY = 2000 };
    const double one_ns = nothing_ns(&seen->nothing, 1);
    const double call_ns = (nothing_ns(&seen->nothing, MANY) - one_ns) / (MANY - 1);
    *ret_entry_ns = fmax(0, one_ns - call_ns);
    return call_ns;
}

/* Which functions there are, and how it may be called, is known now. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    struct python_case *seen = &bench->seen;
    const struct gb_host *host = seen->host;
    seen->stream = queue->native;
    const int32_t status = interpreter_step("prepare", seen);
    if (status != GB_OK || seen->share != NULL)
        return status;
    struct gb_bench_ops own = ops;
    own.flags = seen->subject.flags;
    own.reset = seen->subject.reset != NULL ? reset : NULL;
    own.run_empty = seen->nothing.run != NULL ? run_empty : NULL;
    own.verify = seen->subject.verify != NULL ? verify : NULL;
    own.refresh = seen->subject.refresh != NULL ? refresh : NULL;
    if (!GB_HAS(host, replace))
        return host_fail(host, "this version of gbrun is older than the plugin");
    if (seen->gpu < 0)
        host->metric(host, "call_overhead_ns", call_overhead_ns(seen, &own.entry_ns), "ns");
    host->replace(host, &own);
    return GB_OK;
}

static void check_file(const struct gb_host *host, const char *option, const char *file,
                       gb_problem_fn *problem, void *context)
{
    char words[4400];
    const char *path = path_of(host, file);
    if (path == NULL || access(path, R_OK) == 0)
        return;
    snprintf(words, sizeof words, "%s cannot be read: %s", path, strerror(errno));
    problem(context, option, 0, words);
}

static int32_t validate(const struct gb_host *host, const void *object, gb_problem_fn *problem,
                        void *context)
{
    const struct params *params = object;
    const char *colon = colon_of(params->call);
    const bool is_judged = host->extension(host, GB_JUDGING) != NULL;
    char file[PATH_ROOM];
    if (colon == NULL && !is_judged)
        problem(context, "call", 0, "expected FILE.py:FUNCTION");
    if (is_judged && *params->reference == '\0')
        problem(context, "reference", 0,
                "verify = judge: the judge cannot take the reference from the submission, which it "
                "does not load: expected FILE.py");
    if (!is_judged && *params->reference != '\0')
        problem(context, "reference", 0, "it is for judging only: expected verify = judge");
    snprintf(file, sizeof file, "%.*s",
             (int)(strlen(params->call) - (colon != NULL ? strlen(colon) : 0)), params->call);
    if (colon != NULL || is_judged)
        check_file(host, "call", file, problem, context);
    if (is_judged && *params->reference != '\0')
        check_file(host, "reference", params->reference, problem, context);
    return GB_OK;
}

/* Of the file that a process runs before any that is not trusted, in one that others are forked
 * from. */
static int32_t call_for_file(const struct gb_host *host, const struct params *params,
                             const char *function)
{
    const bool is_judged = *params->reference != '\0';
    const char *colon = colon_of(params->call);
    char file[PATH_ROOM];
    const int32_t status = interpreter_open(host, params->python, NULL);
    if (status != GB_OK)
        return status;
    snprintf(file, sizeof file, "%.*s",
             (int)(strlen(params->call) - (colon != NULL ? strlen(colon) : 0)), params->call);
    const char *path = path_of(host, is_judged ? params->reference : file);
    return path != NULL ? interpreter_call(function, path) : GB_NO_MEMORY;
}

static int32_t is_cold(const struct gb_host *host, const void *params)
{
    return call_for_file(host, params, "_is_cold");
}

static int32_t warm(const struct gb_host *host, const void *object)
{
    const struct params *params = object;
    const int32_t status = call_for_file(host, params, "_warm");
    if (status != GB_OK || *params->reference == '\0')
        return status;
    const int state = python.PyGILState_Ensure();
    const bool is_there = judged_module() != NULL;
    python.PyGILState_Release(state);
    return is_there ? GB_OK : GB_FAILED;
}

static int32_t fork_interpreter(void)
{
    return interpreter_call("_fork", NULL);
}

static const void *extension(const char *id)
{
    static const struct gb_validation validation = {.size = sizeof validation,
                                                    .validate = validate};
    static const struct gb_judging judging = {.size = sizeof judging};
    static const struct gb_warm warmed = {
        .size = sizeof warmed, .is_cold = is_cold, .warm = warm, .fork = fork_interpreter};
    const struct {
        const char *id;
        const void *is;
    } all[] = {{GB_VALIDATION, &validation}, {GB_JUDGING, &judging}, {GB_WARM, &warmed}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(id, all[i].id) == 0)
            return all[i].is;
    return NULL;
}

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "python", "1.0", "A function in a Python file"),
    .help = "The function is called once, untimed, with the options of the section as keyword "
            "arguments. If it returns a callable, that is timed; otherwise the function itself. By "
            "a gbrun.Bench it returns the callable with a reference to compare with, what is done "
            "before each sample, and the work of a call. On a GPU it is called on gbrun's stream, "
            "which is the current one of PyTorch and CuPy. docs/python.md has more.\n"
            "call_overhead_ns is the time of a call to an empty function.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
