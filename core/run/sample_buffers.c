/* sample_buffers.c - see sample_buffers.h. */
#include "core/run/sample_buffers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* One writer, one reader: the writer publishes n after the value, next after the chunk is full. */
struct chunk {
    struct chunk *_Atomic next;
    _Atomic size_t n;
    struct given_sample samples[SAMPLE_CHUNK];
};

struct buffer {
    struct buffer *next;
    struct chunk *read, *write; /* the oldest and the newest chunk */
    size_t n_read;              /* of the oldest one */
    bool is_owned;              /* by a thread that lives */
};

static struct {
    pthread_mutex_t lock; /* for all members, and all of buffers but writing and reading values */
    struct buffer *buffers, **last;
    struct chunk *spare;
    size_t n_chunks; /* spare ones included */
    _Atomic uint64_t n_dropped;
    pthread_key_t owner;
    pthread_once_t once;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &all.buffers, .once = PTHREAD_ONCE_INIT};

static _Thread_local struct buffer *own;

/* A thread ends: the next new one takes its buffer over, with what is in it. */
static void leave(void *object)
{
    struct buffer *buffer = object;
    pthread_mutex_lock(&all.lock);
    buffer->is_owned = false;
    pthread_mutex_unlock(&all.lock);
}

static void make_key(void)
{
    pthread_key_create(&all.owner, leave);
}

/* With the lock. Written to, as a page that never was would fault in the timed region. */
static struct chunk *get_chunk(void)
{
    struct chunk *chunk = all.spare;
    if (chunk) {
        all.spare = atomic_load_explicit(&chunk->next, memory_order_relaxed);
    } else {
        chunk = all.n_chunks < SAMPLE_CHUNKS_MAX ? malloc(sizeof *chunk) : NULL;
        if (!chunk)
            return NULL;
        memset(chunk, 0xFF, sizeof *chunk);
        all.n_chunks++;
    }
    atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&chunk->n, 0, memory_order_relaxed);
    return chunk;
}

static struct buffer *find_buffer(void)
{
    struct buffer *buffer = all.buffers;
    while (buffer && buffer->is_owned)
        buffer = buffer->next;
    if (buffer)
        return buffer;
    buffer = calloc(1, sizeof *buffer);
    if (!buffer || !(buffer->read = buffer->write = get_chunk())) {
        free(buffer);
        return NULL;
    }
    *all.last = buffer;
    all.last = &buffer->next;
    return buffer;
}

/* The chunk that the thread can write to; NULL: there is no more room. */
static struct chunk *make_room(void)
{
    struct chunk *chunk = NULL;
    pthread_once(&all.once, make_key);
    pthread_mutex_lock(&all.lock);
    if (!own) {
        own = find_buffer();
        if (own) {
            own->is_owned = true;
            pthread_setspecific(all.owner, own);
        }
    }
    if (own && atomic_load_explicit(&own->write->n, memory_order_relaxed) < SAMPLE_CHUNK) {
        chunk = own->write;
    } else if (own && (chunk = get_chunk())) {
        atomic_store_explicit(&own->write->next, chunk, memory_order_release);
        own->write = chunk;
    }
    pthread_mutex_unlock(&all.lock);
    return chunk;
}

void sample_buffers_put(uint32_t series, double value)
{
    struct chunk *chunk = own ? own->write : NULL;
    size_t n = chunk ? atomic_load_explicit(&chunk->n, memory_order_relaxed) : SAMPLE_CHUNK;
    if (n == SAMPLE_CHUNK) {
        chunk = make_room();
        if (!chunk) {
            atomic_fetch_add_explicit(&all.n_dropped, 1, memory_order_relaxed);
            return;
        }
        n = atomic_load_explicit(&chunk->n, memory_order_relaxed);
    }
    chunk->samples[n] = (struct given_sample){value, series};
    atomic_store_explicit(&chunk->n, n + 1, memory_order_release);
}

/* The next chunk of a buffer whose oldest one was read to its end; NULL: there is none yet. */
static struct chunk *advance(struct buffer *buffer)
{
    struct chunk *done = buffer->read;
    struct chunk *next = atomic_load_explicit(&done->next, memory_order_acquire);
    if (!next)
        return NULL;
    buffer->read = next;
    buffer->n_read = 0;
    pthread_mutex_lock(&all.lock);
    atomic_store_explicit(&done->next, all.spare, memory_order_relaxed);
    all.spare = done;
    pthread_mutex_unlock(&all.lock);
    return next;
}

/* Up to the chunk that was the newest, as a thread may put values in faster than they are taken. */
static uint64_t take_buffer(struct buffer *buffer, const struct chunk *last, size_t thread,
                            sample_take_fn *take, void *context)
{
    uint64_t n_taken = 0;
    struct chunk *chunk = buffer->read;
    while (chunk) {
        const bool is_last = chunk == last;
        const size_t n = atomic_load_explicit(&chunk->n, memory_order_acquire);
        if (take && n > buffer->n_read)
            take(context, thread, chunk->samples + buffer->n_read, n - buffer->n_read);
        n_taken += n - buffer->n_read;
        buffer->n_read = n;
        chunk = n == SAMPLE_CHUNK ? advance(buffer) : NULL;
        if (is_last)
            break;
    }
    return n_taken;
}

uint64_t sample_buffers_take(sample_take_fn *take, void *context)
{
    uint64_t n_taken = 0;
    size_t thread = 0;
    pthread_mutex_lock(&all.lock);
    for (struct buffer *buffer = all.buffers; buffer; buffer = buffer->next) {
        const struct chunk *last = buffer->write;
        pthread_mutex_unlock(&all.lock);
        n_taken += take_buffer(buffer, last, thread++, take, context);
        pthread_mutex_lock(&all.lock);
    }
    pthread_mutex_unlock(&all.lock);
    return n_taken;
}

uint64_t sample_buffers_dropped(void)
{
    return atomic_exchange(&all.n_dropped, 0);
}

void sample_buffers_clear(void)
{
    sample_buffers_take(NULL, NULL);
    sample_buffers_dropped();
    pthread_mutex_lock(&all.lock);
    while (all.spare) {
        struct chunk *next = atomic_load_explicit(&all.spare->next, memory_order_relaxed);
        free(all.spare);
        all.spare = next;
        all.n_chunks--;
    }
    pthread_mutex_unlock(&all.lock);
}
