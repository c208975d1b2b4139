/*
 * forker.c - leaves something running, in the callback named by `where`: a child process that
 * inherits every descriptor, the worker's socket with them, and sleeps for a minute; threads that
 * never end; or both. gbrun must not wait for them: a worker that is done or dead is noticed
 * although a child still holds its socket.
 */
#define _GNU_SOURCE
#include <gbrun/gbrun.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

static const char *const kinds[] = {"child", "threads", "both"};
enum { CHILD, THREADS };

struct params {
    int32_t where;
    int32_t kind;
    int64_t seconds;
    int32_t dies;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, kind, "both", kinds, "what it leaves running"),
    GB_INT(struct params, seconds, "60", "0:600", "s", "life of the child"),
    GB_BOOL(struct params, dies, "no", "abort when the child has been forked"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static void *sleep_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int32_t start_threads(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
            return GB_NO_MEMORY;
    }
    return GB_OK;
}

static int32_t start_child(int64_t seconds)
{
    pid_t child = fork();
    if (child == 0) {
        sleep((unsigned)seconds);
        _exit(0);
    }
    return child > 0 ? GB_OK : GB_NO_MEMORY;
}

static int32_t act(struct bench *bench, int32_t where)
{
    int32_t status = GB_OK;
    if (where != bench->params.where)
        return GB_OK;
    if (bench->params.kind != THREADS)
        status = start_child(bench->params.seconds);
    if (bench->params.dies)
        abort();
    if (status == GB_OK && bench->params.kind != CHILD)
        status = start_threads();
    return status;
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
    .id = "forker",
    .version = "1.0",
    .summary = "leaves a child and threads running",
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
