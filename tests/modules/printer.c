/*
 * printer.c - writes to stdout and stderr in the callback named by `where`: whole lines, parts of
 * lines that no newline ends, bytes that are no text, a line of 1 MiB. gbrun's own stdout must
 * hold none of it; on stderr each line must bear the case's name.
 */
#include <gbrun/gbrun.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

static const char *const kinds[] = {"all", "lines", "partial", "binary", "huge_line", "unflushed"};
enum { ALL, LINES, PARTIAL, BINARY, HUGE_LINE, UNFLUSHED };

struct params {
    int32_t where;
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "all", kinds, "what it writes"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static void write_huge_line(FILE *stream)
{
    for (int i = 0; i < 1 << 20; i++)
        putc('x', stream);
    putc('\n', stream);
}

static void print(int32_t what, FILE *stream, const char *name)
{
    if (what == ALL || what == LINES)
        fprintf(stream, "first line on %s\nsecond line on %s\n", name, name);
    if (what == ALL || what == BINARY)
        fwrite("\0\x01\xff\xfe\x1b[31m\r\n", 1, 12, stream);
    if (what == ALL || what == HUGE_LINE)
        write_huge_line(stream);
    if (what == ALL || what == PARTIAL)
        fprintf(stream, "no newline on %s", name);
    if (what != UNFLUSHED)
        fflush(stream);
    else
        fprintf(stream, "unflushed on %s", name);
}

static int32_t act(struct bench *bench, int32_t where)
{
    if (where == bench->params.where) {
        print(bench->params.what, stdout, "stdout");
        print(bench->params.what, stderr, "stderr");
    }
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
    .id = "printer",
    .version = "1.0",
    .summary = "writes to stdout and stderr",
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
