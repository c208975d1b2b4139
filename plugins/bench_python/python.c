/*
 * python.c - the benchmark `python`: a function of a file in Python. Plugin side.
 *
 * The interpreter is this process's (interpreter.c); gbrun.py, in it, imports the file, calls the
 * function with the options of the section, and fills in the callbacks of what is to be timed.
 */
#include "python.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/process.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct params {
    const char *call;
    const char *python;
    struct gb_map arg;
};

#define P struct params
static const struct gb_option options[] = {
    GB_STRING(P, call, NULL,
              "A file, from the folder of the configuration, and a function in it: "
              "sums.py:add"),
    GB_STRING(P, python, "",
              "The interpreter, or the folder of a virtual environment; empty: python3 as PATH "
              "has it"),
    GB_OPTION_OF(GB_TYPE_MAP, GB_OPTION_REST, P, arg, "", NULL, 0, NULL, NULL,
                 "An argument of the function; without the `arg.` where gbrun has no key of that "
                 "name: n = 1000, sweep.n = 10, 100"),
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
    path[strlen(path) - strlen(colon)] = '\0';
    ret->path = path;
    ret->function = colon + 1;
    ret->n_arguments = params->arg.n;
    ret->keys = params->arg.keys;
    ret->values = params->arg.values;
}

static int32_t open_case(const struct gb_host *host, struct bench *bench)
{
    const char *colon = colon_of(bench->params->call);
    struct python_case *seen = &bench->seen;
    if (colon == NULL)
        return host_fail(host, "call = %s: expected FILE.py:FUNCTION", bench->params->call);
    char *path = path_of(host, bench->params->call);
    if (path == NULL)
        return GB_NO_MEMORY;
    seen->host = host;
    seen->fail = host->fail;
    seen->skip = host->skip;
    seen->check = host->check;
    seen->checked = host->checked;
    seen->gpu = strcmp(host->device->backend, "cuda") == 0 ? (int32_t)host->device->index : -1;
    name_function(bench->params, colon, path, seen);
    if (access(path, R_OK) != 0)
        return host_fail(host, "call: %s cannot be read: %s", path, strerror(errno));
    const int32_t status = interpreter_open(host, bench->params->python);
    return status == GB_OK ? interpreter_step("open", seen) : status;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (bench == NULL)
        return GB_NO_MEMORY;
    bench->params = params;
    const int32_t status = open_case(host, bench);
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
    if (bench->is_open)
        interpreter_step("close", &bench->seen);
}

static int32_t prepare(void *object, const struct gb_queue *queue);

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .work = work,
    .destroy = destroy,
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
    if (status != GB_OK)
        return status;
    struct gb_bench_ops own = ops;
    own.flags = seen->subject.flags;
    own.reset = seen->subject.reset != NULL ? reset : NULL;
    own.verify = seen->subject.verify != NULL ? verify : NULL;
    if (!GB_HAS(host, replace))
        return host_fail(host, "this version of gbrun is older than the plugin");
    if (seen->gpu < 0)
        host->metric(host, "call_overhead_ns", call_overhead_ns(seen, &own.entry_ns), "ns");
    host->replace(host, &own);
    return GB_OK;
}

static int32_t validate(const struct gb_host *host, const void *object, gb_problem_fn *problem,
                        void *context)
{
    const struct params *params = object;
    const char *colon = colon_of(params->call);
    char words[4400];
    if (colon == NULL) {
        problem(context, "call", 0, "expected FILE.py:FUNCTION");
        return GB_OK;
    }
    char *path = path_of(host, params->call);
    if (path == NULL)
        return GB_NO_MEMORY;
    path[strlen(path) - strlen(colon)] = '\0';
    if (access(path, R_OK) != 0) {
        snprintf(words, sizeof words, "%s cannot be read: %s", path, strerror(errno));
        problem(context, "call", 0, words);
    }
    return GB_OK;
}

static const void *extension(const char *id)
{
    static const struct gb_validation validation = {.size = sizeof validation,
                                                    .validate = validate};
    return strcmp(id, GB_VALIDATION) == 0 ? &validation : NULL;
}

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "python", "1.0", "A function of a file in Python"),
    .help = "The function is called once, untimed, with the options of the section as keyword "
            "arguments. What it returns is timed, if it can be called; else the function itself. "
            "With gbrun.Bench it returns what is timed together with a reference to compare with, "
            "what is done before each sample, and what a call does. On a GPU it is called on "
            "gbrun's stream, which is the current one of PyTorch and CuPy. docs/python.md has "
            "more.\n"
            "call_overhead_ns is what calling a function that does nothing takes.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
