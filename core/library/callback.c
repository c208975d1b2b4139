/* callback.c - see library.h. */
#include "core/library/library.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The call that this thread is in; NULL: none. */
static _Thread_local struct callback *current;

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    if (current->host)
        return GB_FAILED; /* there is one subject */
    current->host = host;
    *ret_bench = current;
    return GB_OK;
}

/* A further visit creates it anew. */
static void destroy(void *bench)
{
    ((struct callback *)bench)->host = NULL;
}

/* Other values than those of gbrun_fail and gbrun_skip mean nothing here. */
static int32_t status_of(int32_t returned)
{
    return returned == GB_OK || returned == GB_SKIPPED || returned == GB_DEVICE_ERROR ? returned
                                                                                      : GB_FAILED;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    const struct callback *callback = bench;
    return status_of(callback->subject.run(callback->subject.user, queue->native, iterations));
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    const struct callback *callback = bench;
    return status_of(callback->subject.reset(callback->subject.user, queue->native));
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    const struct callback *callback = bench;
    const int32_t status = callback->subject.verify(callback->subject.user, queue->native);
    return status == GB_WRONG_RESULT ? status : status_of(status);
}

static int32_t refresh(void *bench, const struct gb_queue *queue, uint64_t number)
{
    const struct callback *callback = bench;
    return status_of(callback->subject.refresh(callback->subject.user, queue->native, number));
}

static int32_t run_empty(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    const struct gbrun_subject *subject = &((const struct callback *)bench)->subject;
    return status_of(subject->run_empty(subject->user, queue->native, iterations));
}

static int32_t work(void *bench, struct gb_work *work)
{
    const struct gbrun_subject *subject = &((const struct callback *)bench)->subject;
    work->flops = subject->flops;
    work->bytes_read = subject->bytes_read;
    work->bytes_written = subject->bytes_written;
    work->items = subject->items;
    return GB_OK;
}

const struct gb_plugin callback_description = {
    GB_PLUGIN(BENCH, CALLBACK_ID, "1.0", "a function of a program that has gbrun as a library"),
};

struct callback *callback_begin(const struct gbrun_subject *subject)
{
    struct callback *callback = memory_allocate(sizeof *callback);
    const size_t known = subject->size < sizeof *subject ? subject->size : sizeof *subject;
    memcpy(&callback->subject, subject, known);
    callback->ops = (struct gb_bench_ops){.size = sizeof callback->ops,
                                          .flags = callback->subject.flags,
                                          .create = create,
                                          .destroy = destroy,
                                          .run = run,
                                          .reset = callback->subject.reset ? reset : NULL,
                                          .verify = callback->subject.verify ? verify : NULL,
                                          .refresh = callback->subject.refresh ? refresh : NULL,
                                          .work = work,
                                          .run_empty = callback->subject.run_empty ? run_empty
                                                                                   : NULL,
                                          .entry_ns = callback->subject.entry_ns};
    callback->plugin = callback_description;
    callback->plugin.ops = &callback->ops;
    current = callback;
    return callback;
}

bool callback_polls(void *context)
{
    const struct callback *callback = context;
    return callback->subject.poll && callback->subject.poll(callback->subject.user) != 0;
}

void callback_end(struct callback *callback)
{
    current = NULL;
    free(callback);
}

bool callback_is_inside(void)
{
    return current;
}

int32_t gbrun_fail(const char *text)
{
    return current && current->host ? current->host->fail(current->host, text) : GB_FAILED;
}

int32_t gbrun_skip(const char *text)
{
    return current && current->host ? current->host->skip(current->host, text) : GB_SKIPPED;
}

int32_t gbrun_check(const struct gb_check *check)
{
    return current && current->host ? current->host->check(current->host, check) : GB_INVALID;
}

int32_t gbrun_checked(const char *name, int32_t passed, const char *text)
{
    return current && current->host ? current->host->checked(current->host, name, passed, text)
                                    : GB_INVALID;
}
