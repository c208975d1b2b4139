/*
 * cupti.c - see cupti.h. Plugin side.
 *
 * CUPTI asks for buffers and hands them back full, from threads of its own, through callbacks
 * without a context. They only move buffers between two lists; records are read by the thread
 * that measures, between batches.
 *
 * Only members that stand at the same place in the records of CUDA 12 and 13 are used: newer
 * records are older ones with members appended.
 */
#define _GNU_SOURCE
#include "cupti.h"

#include "plugins/common/cuda/cuda_driver.h"

#include <cupti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 17, BUFFERS_AT_START = 8, BUFFERS_MAX = 2048 };

#define CUPTI_FUNCTIONS(X)                                                                         \
    X(register_callbacks, cuptiActivityRegisterCallbacks)                                          \
    X(enable, cuptiActivityEnable)                                                                 \
    X(disable, cuptiActivityDisable)                                                               \
    X(flush, cuptiActivityFlushAll)                                                                \
    X(next_record, cuptiActivityGetNextRecord)                                                     \
    X(dropped, cuptiActivityGetNumDroppedRecords)                                                  \
    X(set_attribute, cuptiActivitySetAttribute)                                                    \
    X(words, cuptiGetResultString)

struct functions {
    CUPTI_FUNCTIONS(SYMBOL_MEMBER)
};

struct buffer {
    struct buffer *next;
    size_t valid_bytes;
    _Alignas(16) uint8_t bytes[BUFFER_BYTES];
};

static struct functions cupti;
static bool is_open, is_tracing;

static struct pool {
    pthread_mutex_t lock; /* of the lists */
    struct buffer *free, *full;
    _Atomic size_t n, n_refused;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- buffers --- */

static void push(struct buffer **list, struct buffer *buffer)
{
    pthread_mutex_lock(&pool.lock);
    buffer->next = *list;
    *list = buffer;
    pthread_mutex_unlock(&pool.lock);
}

static struct buffer *pop(struct buffer **list)
{
    pthread_mutex_lock(&pool.lock);
    struct buffer *buffer = *list;
    if (buffer != NULL)
        *list = buffer->next;
    pthread_mutex_unlock(&pool.lock);
    return buffer;
}

/* NULL: there is no memory, or there are enough. */
static struct buffer *new_buffer(void)
{
    struct buffer *buffer = pool.n < BUFFERS_MAX ? malloc(sizeof *buffer) : NULL;
    if (buffer == NULL)
        return NULL;
    memset(buffer, 0, sizeof *buffer); /* no page is first touched while samples are taken */
    pool.n++;
    return buffer;
}

static void CUPTIAPI buffer_requested(uint8_t **ret_bytes, size_t *ret_size, size_t *ret_records)
{
    struct buffer *buffer = pop(&pool.free);
    if (buffer == NULL)
        buffer = new_buffer();
    pool.n_refused += buffer == NULL;
    *ret_bytes = buffer != NULL ? buffer->bytes : NULL;
    *ret_size = buffer != NULL ? BUFFER_BYTES : 0;
    *ret_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *bytes,
                                      size_t size, size_t valid_bytes)
{
    (void)context;
    (void)stream;
    (void)size;
    if (bytes == NULL)
        return;
    struct buffer *buffer = (void *)(bytes - offsetof(struct buffer, bytes));
    buffer->valid_bytes = valid_bytes;
    push(&pool.full, buffer);
}

static void fill_pool(void)
{
    struct buffer *buffer = NULL;
    while (pool.n < BUFFERS_AT_START && (buffer = new_buffer()) != NULL)
        push(&pool.free, buffer);
}

/* --- the library --- */

bool cupti_is_wanted(const char *option, char *reason, size_t bytes)
{
    const bool is_wanted = strcmp(option, "no") != 0;
    if (!is_wanted)
        snprintf(reason, bytes, "the device's option cupti is no");
    return is_wanted;
}

bool cupti_load(const char *option, const struct symbol *symbols, size_t n, const char *remedy,
                char *reason, size_t bytes)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
    const bool is_path = option[0] != '\0' && strcmp(option, "auto") != 0;
    void *library = is_path ? dlopen(option, RTLD_NOW | RTLD_LOCAL) : cuda_library_open(names);
    if (library == NULL) {
        const char *words = is_path ? dlerror() : NULL;
        snprintf(reason, bytes, "%s",
                 words != NULL ? words
                               : "libcupti was not found; it is part of the CUDA Toolkit (set "
                                 "CUDA_HOME or LD_LIBRARY_PATH)");
        return false;
    }
    const char *missing = find_symbols(library, symbols, n);
    if (missing != NULL)
        snprintf(reason, bytes, "this libcupti has no %s%s", missing, remedy);
    return missing == NULL;
}

static bool load(const char *option, char *reason, size_t bytes)
{
    struct functions *functions = &cupti;
    const struct symbol symbols[] = {CUPTI_FUNCTIONS(SYMBOL_LINE)};
    return cupti_load(option, symbols, sizeof symbols / sizeof *symbols, "", reason, bytes);
}

static bool explain(CUptiResult result, char *reason, size_t bytes)
{
    const char *words = NULL;
    if (result == CUPTI_SUCCESS)
        return true;
    cupti.words(result, &words);
    const char *why = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                          ? "CUPTI is busy: another profiler is attached"
                      : result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
                          ? "CUPTI is forbidden to this user"
                          : "CUPTI does not start";
    snprintf(reason, bytes, "%s (%s)", why, words != NULL ? words : "unknown error");
    return false;
}

bool cupti_find(const char *option, char *reason, size_t bytes)
{
    return cupti_is_wanted(option, reason, bytes) && (is_open || load(option, reason, bytes));
}

static bool start(const char *option, char *reason, size_t bytes)
{
    uint8_t yes = 1;
    size_t size = sizeof yes;
    if (!load(option, reason, bytes))
        return false;
    fill_pool();
    /* Buffers are handed over zeroed, or CUPTI would do it between launches. */
    cupti.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
    return explain(cupti.register_callbacks(buffer_requested, buffer_completed), reason, bytes);
}

/* --- tracing --- */

#define TIMES_OF(record) offsetof(record, start), offsetof(record, end)
static const struct {
    CUpti_ActivityKind kind;
    size_t start, end; /* where a record has them */
} kinds[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, TIMES_OF(CUpti_ActivityKernel9)},
    {CUPTI_ACTIVITY_KIND_MEMCPY, TIMES_OF(CUpti_ActivityMemcpy5)},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, TIMES_OF(CUpti_ActivityMemcpyPtoP4)},
    {CUPTI_ACTIVITY_KIND_MEMSET, TIMES_OF(CUpti_ActivityMemset4)},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

bool cupti_open(const char *option, char *reason, size_t bytes)
{
    if (!cupti_is_wanted(option, reason, bytes))
        return false;
    if (!is_open)
        is_open = start(option, reason, bytes);
    for (size_t i = 0; i < KINDS && is_open && !is_tracing; i++)
        if (!explain(cupti.enable(kinds[i].kind), reason, bytes))
            return false;
    is_tracing = is_open;
    return is_open;
}

void cupti_close(void)
{
    for (size_t i = 0; i < KINDS && is_tracing; i++)
        cupti.disable(kinds[i].kind);
    is_tracing = false;
}

/* --- records --- */

static void read_record(const CUpti_Activity *any, struct cupti_span *span)
{
    const CUpti_ActivityKind kind = any->kind == CUPTI_ACTIVITY_KIND_KERNEL
                                        ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                                        : any->kind;
    size_t i = 0;
    uint64_t start_ns = 0, end_ns = 0;
    while (i < KINDS && kinds[i].kind != kind)
        i++;
    if (i == KINDS)
        return;
    memcpy(&start_ns, (const char *)any + kinds[i].start, sizeof start_ns);
    memcpy(&end_ns, (const char *)any + kinds[i].end, sizeof end_ns);
    if (start_ns == 0 || end_ns < start_ns)
        span->is_lost = true;
    if (span->n == 0 || start_ns < span->start_ns)
        span->start_ns = start_ns;
    if (span->n == 0 || end_ns > span->end_ns)
        span->end_ns = end_ns;
    span->n++;
}

static void flush(struct cupti_span *span)
{
    struct buffer *buffer;
    size_t n_dropped = 0;
    cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    while ((buffer = pop(&pool.full)) != NULL) {
        CUpti_Activity *record = NULL;
        while (buffer->valid_bytes > 0 &&
               cupti.next_record(buffer->bytes, buffer->valid_bytes, &record) == CUPTI_SUCCESS)
            read_record(record, span);
        memset(buffer->bytes, 0, buffer->valid_bytes);
        push(&pool.free, buffer);
    }
    cupti.dropped(NULL, 0, &n_dropped);
    span->is_lost |= n_dropped + atomic_exchange(&pool.n_refused, 0) > 0;
}

void cupti_discard(void)
{
    struct cupti_span span = {0};
    flush(&span);
}

/* Records may come a little after the work is done: once some are there, until no more come. */
void cupti_collect(struct cupti_span *ret)
{
    enum { TRIES = 20 };
    *ret = (struct cupti_span){0};
    for (int i = 0; i < TRIES; i++) {
        const uint32_t n_before = ret->n;
        flush(ret);
        if (ret->is_lost || (i > 0 && n_before > 0 && ret->n == n_before))
            return;
    }
}
