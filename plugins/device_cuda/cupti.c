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

#include "libcupti.h"

#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 17, BUFFER_ALIGNMENT = 8, BUFFERS_AT_START = 8, BUFFERS_MAX = 2048 };

#define CUPTI_FUNCTIONS(X)                                                                         \
    X(register_callbacks, cuptiActivityRegisterCallbacks)                                          \
    X(enable, cuptiActivityEnable)                                                                 \
    X(disable, cuptiActivityDisable)                                                               \
    X(flush, cuptiActivityFlushAll)                                                                \
    X(next_record, cuptiActivityGetNextRecord)                                                     \
    X(dropped, cuptiActivityGetNumDroppedRecords)                                                  \
    X(push, cuptiActivityPushExternalCorrelationId)                                                \
    X(pop, cuptiActivityPopExternalCorrelationId)                                                  \
    X(set_attribute, cuptiActivitySetAttribute)                                                    \
    X(words, cuptiGetResultString)

struct functions {
#define CUPTI_MEMBER(member, function) __typeof__(function) *member;
    CUPTI_FUNCTIONS(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

struct buffer {
    struct buffer *next;
    size_t valid_bytes;
    uint8_t *bytes;
};

static struct functions cupti;
static bool is_open, is_tracing;

static struct pool {
    pthread_mutex_t lock;
    struct buffer *free, *full, *lent;
    size_t n;
    uint64_t n_refused;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- buffers --- */

static struct buffer *new_buffer(void)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    void *bytes = NULL;
    if (buffer == NULL)
        return NULL;
    if (posix_memalign(&bytes, BUFFER_ALIGNMENT, BUFFER_BYTES) != 0) {
        free(buffer);
        return NULL;
    }
    memset(bytes, 0, BUFFER_BYTES); /* so that no page is first touched while samples are taken */
    buffer->bytes = bytes;
    return buffer;
}

static struct buffer *take_buffer(void)
{
    struct buffer *buffer = pool.free;
    if (buffer != NULL) {
        pool.free = buffer->next;
        return buffer;
    }
    if (pool.n == BUFFERS_MAX)
        return NULL;
    buffer = new_buffer();
    pool.n += buffer != NULL;
    return buffer;
}

static void CUPTIAPI buffer_requested(uint8_t **ret_bytes, size_t *ret_size, size_t *ret_records)
{
    pthread_mutex_lock(&pool.lock);
    struct buffer *buffer = take_buffer();
    if (buffer != NULL) {
        buffer->next = pool.lent;
        pool.lent = buffer;
    } else {
        pool.n_refused++;
    }
    pthread_mutex_unlock(&pool.lock);
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
    pthread_mutex_lock(&pool.lock);
    struct buffer **at = &pool.lent;
    while (*at != NULL && (*at)->bytes != bytes)
        at = &(*at)->next;
    struct buffer *buffer = *at;
    if (buffer != NULL) {
        *at = buffer->next;
        buffer->valid_bytes = valid_bytes;
        buffer->next = pool.full;
        pool.full = buffer;
    }
    pthread_mutex_unlock(&pool.lock);
}

static void fill_pool(void)
{
    while (pool.n < BUFFERS_AT_START) {
        struct buffer *buffer = new_buffer();
        if (buffer == NULL)
            return;
        buffer->next = pool.free;
        pool.free = buffer;
        pool.n++;
    }
}

/* --- the library --- */

static bool load(const char *path, char *reason, size_t bytes)
{
    static const char *const symbols[] = {
#define CUPTI_SYMBOL(member, function) #function,
        CUPTI_FUNCTIONS(CUPTI_SYMBOL)
#undef CUPTI_SYMBOL
    };
    void **const members[] = {
#define CUPTI_ADDRESS(member, function) (void **)&cupti.member,
        CUPTI_FUNCTIONS(CUPTI_ADDRESS)
#undef CUPTI_ADDRESS
    };
    const struct libcupti_functions functions = {symbols, members,
                                                 sizeof symbols / sizeof symbols[0], ""};
    return libcupti_load(path, &functions, reason, bytes);
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

bool cupti_find(const char *path, char *reason, size_t bytes)
{
    return is_open || load(path, reason, bytes);
}

/* Buffers are handed over zeroed, or CUPTI would do it between launches. */
static void set_attributes(void)
{
    uint8_t yes = 1;
    size_t size = sizeof yes;
    cupti.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
}

bool cupti_open(const char *path, char *reason, size_t bytes)
{
    if (is_open)
        return true;
    if (!load(path, reason, bytes))
        return false;
    fill_pool();
    set_attributes();
    is_open = explain(cupti.register_callbacks(buffer_requested, buffer_completed), reason, bytes);
    return is_open;
}

/* --- tracing --- */

/* The calls of both API are traced since only what is traced is linked to a sample. */
static bool switch_kinds(bool is_on, char *reason, size_t bytes)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2,
        CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME,
        CUPTI_ACTIVITY_KIND_DRIVER,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const CUptiResult result = is_on ? cupti.enable(kinds[i]) : cupti.disable(kinds[i]);
        if (is_on && !explain(result, reason, bytes))
            return false;
    }
    return true;
}

bool cupti_trace(bool is_on, bool graphs_are_whole, char *reason, size_t bytes)
{
    static bool traces_graphs;
    const bool wants_graphs = is_on && graphs_are_whole;
    if (is_tracing != is_on) {
        if (!switch_kinds(is_on, reason, bytes))
            return false;
        is_tracing = is_on;
    }
    if (traces_graphs == wants_graphs)
        return true;
    traces_graphs = wants_graphs;
    return explain(wants_graphs ? cupti.enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
                                : cupti.disable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE),
                   reason, bytes);
}

void cupti_sample_begin(uint64_t sample)
{
    cupti.push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, sample);
}

void cupti_sample_end(void)
{
    uint64_t sample = 0;
    cupti.pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &sample);
}

/* --- records --- */

static void read_record(const CUpti_Activity *any, struct records *records, uint64_t first)
{
    switch (any->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const CUpti_ActivityExternalCorrelation *link = (const void *)any;
        if (link->externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 &&
            link->externalId >= first && link->externalId - first < UINT32_MAX)
            records_add_link(records, link->correlationId, (uint32_t)(link->externalId - first));
        break;
    }
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const CUpti_ActivityKernel9 *kernel = (const void *)any;
        records_add_activity(records, kernel->correlationId, kernel->start, kernel->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const CUpti_ActivityMemcpy5 *copy = (const void *)any;
        records_add_activity(records, copy->correlationId, copy->start, copy->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const CUpti_ActivityMemcpyPtoP4 *copy = (const void *)any;
        records_add_activity(records, copy->correlationId, copy->start, copy->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
        const CUpti_ActivityMemset4 *fill = (const void *)any;
        records_add_activity(records, fill->correlationId, fill->start, fill->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: {
        const CUpti_ActivityGraphTrace *graph = (const void *)any;
        records_add_activity(records, graph->correlationId, graph->start, graph->end);
        break;
    }
    default:
        break;
    }
}

static struct buffer *take_full(void)
{
    pthread_mutex_lock(&pool.lock);
    struct buffer *buffer = pool.full;
    if (buffer != NULL)
        pool.full = buffer->next;
    pthread_mutex_unlock(&pool.lock);
    return buffer;
}

static void give_back(struct buffer *buffer)
{
    memset(buffer->bytes, 0, buffer->valid_bytes);
    pthread_mutex_lock(&pool.lock);
    buffer->next = pool.free;
    pool.free = buffer;
    pthread_mutex_unlock(&pool.lock);
}

static uint64_t take_n_dropped(void)
{
    size_t n = 0;
    cupti.dropped(NULL, 0, &n);
    pthread_mutex_lock(&pool.lock);
    const uint64_t n_refused = pool.n_refused;
    pool.n_refused = 0;
    pthread_mutex_unlock(&pool.lock);
    return n + n_refused;
}

uint64_t cupti_collect(struct records *records, uint64_t first)
{
    struct buffer *buffer;
    cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    while ((buffer = take_full()) != NULL) {
        CUpti_Activity *record = NULL;
        while (buffer->valid_bytes > 0 &&
               cupti.next_record(buffer->bytes, buffer->valid_bytes, &record) == CUPTI_SUCCESS)
            read_record(record, records, first);
        give_back(buffer);
    }
    return take_n_dropped();
}
