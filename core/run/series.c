/* series.c - see series.h. */
#include "core/run/series.h"

#include "core/base/members.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- buffers ---- */

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
} given = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &given.buffers, .once = PTHREAD_ONCE_INIT};

static _Thread_local struct buffer *own;

/* A thread ends: the next new one takes its buffer over, with what is in it. */
static void leave(void *object)
{
    struct buffer *buffer = object;
    pthread_mutex_lock(&given.lock);
    buffer->is_owned = false;
    pthread_mutex_unlock(&given.lock);
}

static void make_key(void)
{
    pthread_key_create(&given.owner, leave);
}

/* With the lock. Written to, as a page that never was would fault in the timed region. */
static struct chunk *get_chunk(void)
{
    struct chunk *chunk = given.spare;
    if (chunk) {
        given.spare = atomic_load_explicit(&chunk->next, memory_order_relaxed);
    } else {
        chunk = given.n_chunks < SAMPLE_CHUNKS_MAX ? malloc(sizeof *chunk) : NULL;
        if (!chunk)
            return NULL;
        memset(chunk, 0xFF, sizeof *chunk);
        given.n_chunks++;
    }
    atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&chunk->n, 0, memory_order_relaxed);
    return chunk;
}

static struct buffer *find_buffer(void)
{
    struct buffer *buffer = given.buffers;
    while (buffer && buffer->is_owned)
        buffer = buffer->next;
    if (buffer)
        return buffer;
    buffer = calloc(1, sizeof *buffer);
    if (!buffer || !(buffer->read = buffer->write = get_chunk())) {
        free(buffer);
        return NULL;
    }
    *given.last = buffer;
    given.last = &buffer->next;
    return buffer;
}

/* The chunk that the thread can write to; NULL: there is no more room. */
static struct chunk *make_room(void)
{
    struct chunk *chunk = NULL;
    pthread_once(&given.once, make_key);
    pthread_mutex_lock(&given.lock);
    if (!own) {
        own = find_buffer();
        if (own) {
            own->is_owned = true;
            pthread_setspecific(given.owner, own);
        }
    }
    if (own && atomic_load_explicit(&own->write->n, memory_order_relaxed) < SAMPLE_CHUNK) {
        chunk = own->write;
    } else if (own && (chunk = get_chunk())) {
        atomic_store_explicit(&own->write->next, chunk, memory_order_release);
        own->write = chunk;
    }
    pthread_mutex_unlock(&given.lock);
    return chunk;
}

void sample_buffers_put(uint32_t series, double value)
{
    struct chunk *chunk = own ? own->write : NULL;
    size_t n = chunk ? atomic_load_explicit(&chunk->n, memory_order_relaxed) : SAMPLE_CHUNK;
    if (n == SAMPLE_CHUNK) {
        chunk = make_room();
        if (!chunk) {
            atomic_fetch_add_explicit(&given.n_dropped, 1, memory_order_relaxed);
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
    pthread_mutex_lock(&given.lock);
    atomic_store_explicit(&done->next, given.spare, memory_order_relaxed);
    given.spare = done;
    pthread_mutex_unlock(&given.lock);
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
    pthread_mutex_lock(&given.lock);
    for (struct buffer *buffer = given.buffers; buffer; buffer = buffer->next) {
        const struct chunk *last = buffer->write;
        pthread_mutex_unlock(&given.lock);
        n_taken += take_buffer(buffer, last, thread++, take, context);
        pthread_mutex_lock(&given.lock);
    }
    pthread_mutex_unlock(&given.lock);
    return n_taken;
}

uint64_t sample_buffers_dropped(void)
{
    return atomic_exchange(&given.n_dropped, 0);
}

/* Forgets all values and gives memory back that is not needed for a few. */
static void clear_buffers(void)
{
    sample_buffers_take(NULL, NULL);
    sample_buffers_dropped();
    pthread_mutex_lock(&given.lock);
    while (given.spare) {
        struct chunk *next = atomic_load_explicit(&given.spare->next, memory_order_relaxed);
        free(given.spare);
        given.spare = next;
        given.n_chunks--;
    }
    pthread_mutex_unlock(&given.lock);
}

/* ---- series ---- */

/* Names of columns that a case's samples have, or that say that they are times on a clock. */
static const char *const taken_names[] = {"time",     "elapsed",  "iterations",
                                          "clock_hz", "throttle", "flags"};

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t length = strnlen(name, SERIES_NAME_MAX + 1);
    if (length == 0 || length > SERIES_NAME_MAX || !strchr(letters, *name) ||
        strspn(name, all) < length)
        return false;
    const size_t n_taken = sizeof taken_names / sizeof *taken_names;
    return !text_is_among(taken_names, n_taken, name);
}

static bool is_unit(const char *unit)
{
    const size_t length = strnlen(unit, SERIES_UNIT_MAX + 1);
    for (size_t i = 0; i < length; i++)
        if (unit[i] < '!' || unit[i] > '~')
            return false;
    return length <= SERIES_UNIT_MAX;
}

uint32_t series_named(const struct series_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (text_equal(set->items[i].name, name))
            return i + 1;
    return 0;
}

/* GB_OK, or what is wrong with it. */
static int32_t check(const struct series_set *set, const char *name, const char *unit,
                     struct gb_error *error)
{
    const uint32_t known = series_named(set, name);
    if (!is_name(name))
        return error_set(error, GB_INVALID,
                         "series \"%.60s\": expected a name as [a-z][a-z0-9_]*, of at most %d "
                         "bytes, that no column of samples has",
                         name, SERIES_NAME_MAX);
    if (!is_unit(unit))
        return error_set(error, GB_INVALID,
                         "series %s: the unit \"%.60s\": expected at most %d visible characters",
                         name, unit, SERIES_UNIT_MAX);
    if (known && !text_equal(set->items[known - 1].unit, unit))
        return error_set(error, GB_INVALID, "series %s: the unit \"%s\": expected \"%s\" as before",
                         name, unit, set->items[known - 1].unit);
    if (!known && set->n == SERIES_MAX)
        return error_set(error, GB_INVALID, "series %s: expected at most %d of a benchmark", name,
                         SERIES_MAX);
    return GB_OK;
}

uint32_t series_declare(struct series_set *set, const char *name, const char *unit,
                        struct gb_error *error)
{
    name = name ? name : "";
    unit = unit ? unit : "";
    if (check(set, name, unit, error) != GB_OK)
        return 0;
    const uint32_t known = series_named(set, name);
    if (known)
        return known;
    struct series *series = &set->items[set->n++];
    snprintf(series->name, sizeof series->name, "%s", name);
    snprintf(series->unit, sizeof series->unit, "%s", unit);
    series->distribution = distribution_new();
    return set->n;
}

double series_to_ns(const struct series *series)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text_equal(units[i].unit, series->unit))
            return units[i].ns;
    return 0;
}

struct taking {
    struct series_set *set;
    uint32_t wanted;
    struct series_values *values;
};

static void keep(struct series_values *values, size_t thread, double value)
{
    if (values->n == values->capacity) {
        values->capacity = values->capacity ? 2 * values->capacity : SAMPLE_CHUNK;
        values->values = memory_resize(values->values, values->capacity * sizeof *values->values);
        values->threads = memory_resize(values->threads,
                                        values->capacity * sizeof *values->threads);
    }
    values->threads[values->n] = thread;
    values->values[values->n++] = value;
}

static void take(void *context, size_t thread, const struct given_sample *samples, size_t n)
{
    const struct taking *taking = context;
    struct series_set *set = taking->set;
    for (size_t i = 0; i < n; i++) {
        const uint32_t number = samples[i].series;
        if (number == 0 || number > set->n) {
            set->n_strange++;
            continue;
        }
        struct series *series = &set->items[number - 1];
        if (!distribution_add(series->distribution, samples[i].value)) {
            series->n_refused++;
            continue;
        }
        series_order_add(&series->order, series->distribution, ++series->n, samples[i].value);
        if (number == taking->wanted)
            keep(taking->values, thread, samples[i].value);
    }
}

/* A value with its place among those of its thread, from 0 to 1. */
struct placed {
    double place, value;
    size_t number;
};

ORDER_BY_NUMBERS(compare_places, struct placed, place, number)

/* Values come thread by thread. */
static void merge_threads(struct series_values *values, size_t first)
{
    const size_t n = values->n - first;
    double *at = values->values + first;
    const size_t *threads = values->threads + first;
    if (n == 0 || threads[0] == threads[n - 1])
        return;
    CLEANUP(free_pointer) struct placed *placed = memory_allocate(n * sizeof *placed);
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        for (end = begin; end < n && threads[end] == threads[begin]; end++)
            ;
        for (size_t i = begin; i < end; i++)
            placed[i] = (struct placed){((double)(i - begin) + 0.5) / (double)(end - begin), at[i],
                                        i};
    }
    qsort(placed, n, sizeof *placed, compare_places);
    for (size_t i = 0; i < n; i++)
        at[i] = placed[i].value;
}

void series_take(struct series_set *set, uint32_t wanted, struct series_values *ret)
{
    struct taking taking = {set, wanted, ret};
    const size_t first = wanted ? ret->n : 0;
    sample_buffers_take(take, &taking);
    set->n_dropped += sample_buffers_dropped();
    if (wanted)
        merge_threads(ret, first);
}

uint64_t series_discard(void)
{
    return sample_buffers_take(NULL, NULL) + sample_buffers_dropped();
}

void series_values_free(struct series_values *values)
{
    free(values->values);
    free(values->threads);
    *values = (struct series_values){0};
}

void series_free(struct series_set *set)
{
    for (uint32_t i = 0; i < set->n; i++) {
        distribution_free(set->items[i].distribution);
        free(set->items[i].order);
    }
    *set = (struct series_set){0};
    clear_buffers();
}
