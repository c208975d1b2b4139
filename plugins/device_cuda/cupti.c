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
    X(set_attribute, cuptiActivitySetAttribute)                                                    \
    X(words, cuptiGetResultString)

struct functions {
    CUPTI_FUNCTIONS(SYMBOL_MEMBER)
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

/* Buffers are handed over zeroed, or CUPTI would do it between launches. */
static void set_attributes(void)
{
    uint8_t yes = 1;
    size_t size = sizeof yes;
    cupti.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
}

static bool start(const char *option, char *reason, size_t bytes)
{
    if (!load(option, reason, bytes))
        return false;
    fill_pool();
    set_attributes();
    return explain(cupti.register_callbacks(buffer_requested, buffer_completed), reason, bytes);
}

/* --- tracing --- */

static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

bool cupti_open(const char *option, char *reason, size_t bytes)
{
    if (!cupti_is_wanted(option, reason, bytes))
        return false;
    if (!is_open)
        is_open = start(option, reason, bytes);
    for (size_t i = 0; i < KINDS && is_open && !is_tracing; i++)
        if (!explain(cupti.enable(kinds[i]), reason, bytes))
            return false;
    is_tracing = is_open;
    return is_open;
}

void cupti_close(void)
{
    for (size_t i = 0; i < KINDS && is_tracing; i++)
        cupti.disable(kinds[i]);
    is_tracing = false;
}

/* --- records --- */

static void add(struct cupti_span *span, uint64_t start_ns, uint64_t end_ns)
{
    if (start_ns == 0 || end_ns < start_ns)
        span->is_lost = true;
    if (span->n == 0 || start_ns < span->start_ns)
        span->start_ns = start_ns;
    if (span->n == 0 || end_ns > span->end_ns)
        span->end_ns = end_ns;
    span->n++;
}

static void read_record(const CUpti_Activity *any, struct cupti_span *span)
{
    switch (any->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const CUpti_ActivityKernel9 *kernel = (const void *)any;
        add(span, kernel->start, kernel->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const CUpti_ActivityMemcpy5 *copy = (const void *)any;
        add(span, copy->start, copy->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const CUpti_ActivityMemcpyPtoP4 *copy = (const void *)any;
        add(span, copy->start, copy->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
        const CUpti_ActivityMemset4 *fill = (const void *)any;
        add(span, fill->start, fill->end);
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

static void flush(struct cupti_span *span)
{
    struct buffer *buffer;
    cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    while ((buffer = take_full()) != NULL) {
        CUpti_Activity *record = NULL;
        while (buffer->valid_bytes > 0 &&
               cupti.next_record(buffer->bytes, buffer->valid_bytes, &record) == CUPTI_SUCCESS)
            read_record(record, span);
        give_back(buffer);
    }
    span->is_lost |= take_n_dropped() > 0;
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
