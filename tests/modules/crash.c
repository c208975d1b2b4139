/*
 * crash.c - dies in the callback named by `where`, in the way named by `kind`, at the call after
 * the first `after` ones. gbrun must report the case as crashed (signal or exit code; loop: timed
 * out), keep the samples that arrived before, and go on with the next case in a fresh worker.
 */
#include <gbrun/gbrun.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

static const char *const kinds[] = {
    "segv", "abort", "exit0", "exit3", "stack_overflow", "loop", "illegal_instruction",
    "fpe",  "none"};
enum { SEGV, ABORT, EXIT0, EXIT3, STACK_OVERFLOW, LOOP, ILLEGAL_INSTRUCTION, FPE };

struct params {
    int32_t where;
    int32_t kind;
    int64_t after;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "run", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, kind, "segv", kinds, "how it dies"),
    GB_INT(struct params, after, "0", "0:", "calls", "calls of that callback that go well before"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
    int64_t n_calls;
};

static int deepen(volatile int *depth)
{
    volatile char page[4096];
    page[0] = (char)*depth;
    *depth += 1;
    return *depth < 0 ? 0 : deepen(depth) + page[0];
}

static void die(int32_t kind)
{
    static volatile int depth = 0;
    volatile int *volatile nowhere = NULL;
    volatile int zero = 0;
    switch (kind) {
    case SEGV:
        *nowhere = 1;
        break;
    case ABORT:
        abort();
    case EXIT0:
        exit(0);
    case EXIT3:
        _exit(3);
    case STACK_OVERFLOW:
        depth = deepen(&depth);
        break;
    case LOOP:
        while (!zero)
            continue;
        break;
    case ILLEGAL_INSTRUCTION:
        __builtin_trap();
    case FPE:
        zero = 1 / zero; /* NOLINT(clang-analyzer-core.DivideZero): on purpose */
        raise(SIGFPE);   /* where dividing by zero does not trap */
        break;
    default:
        break;
    }
}

static int32_t act(struct bench *bench, int32_t where)
{
    if (where == bench->params.where && bench->n_calls++ >= bench->params.after)
        die(bench->params.kind);
    return GB_OK;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = calloc(1, sizeof *bench);
    int32_t status;
    if (!bench)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = *(const struct params *)params;
    status = act(bench, CREATE);
    if (status != GB_OK)
        free(bench);
    else
        *ret_bench = bench;
    return status;
}

static int32_t prepare(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, PREPARE);
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    (void)iterations;
    return act(bench, RUN);
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, RESET);
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, VERIFY);
}

static int32_t work(void *bench, struct gb_work *work)
{
    work->items = 1;
    return act(bench, WORK);
}

static void destroy(void *bench)
{
    if (bench)
        act(bench, DESTROY);
    free(bench);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .reset = reset,
    .verify = verify,
    .work = work,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "crash",
    .version = "1.0",
    .summary = "dies",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};
static const struct gb_plugin *const plugins[] = {&plugin};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 1,
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
