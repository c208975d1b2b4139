/* test_sample_buffers.c - core/run/series.c: values from many threads; core/run/case_columns.c:
 * what cases measure into. */
#include "core/run/series.h"

#include "core/base/memory.h"
#include "core/run/case_columns.h"
#include "tests/check_main.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct series_set set;
static struct series_values values;

static void tear_down(void)
{
    series_values_free(&values);
    series_free(&set);
}

TEST_FIXTURE(NULL, tear_down)

static uint32_t declare(const char *name, const char *unit)
{
    struct gb_error error;
    return series_declare(&set, name, unit, &error);
}

TEST(names_and_units)
{
    static const char long_name[] = "a23456789012345678901234567890123456789012";
    const char *const wrong[] = {"",        "a b",      "A",    "1a",         "a-b",
                                 "flags",   "clock_hz", "time", "\n",         "a\303\244",
                                 "elapsed", long_name,  NULL,   long_name + 2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_uint_eq(declare(wrong[i], "ns"), 0);
    ck_assert_uint_eq(declare("latency", "a b"), 0);
    ck_assert_uint_eq(declare("latency", "a unit that is much longer than one"), 0);
    ck_assert_uint_eq(declare("latency", "us"), 1);
    ck_assert_uint_eq(declare("depth", NULL), 2);
    ck_assert_uint_eq(declare("latency", "us"), 1);
    ck_assert_uint_eq(declare("latency", "ns"), 0);
    ck_assert_uint_eq(series_named(&set, "depth"), 2);
    ck_assert_uint_eq(series_named(&set, "other"), 0);
    ck_assert_double_eq(series_to_ns(&set.items[0]), 1000);
    ck_assert_double_eq(series_to_ns(&set.items[1]), 0);
    for (char name[] = "a"; set.n < SERIES_MAX; ++*name)
        ck_assert_uint_gt(declare(name, "ns"), 0);
    ck_assert_uint_eq(declare("z", "ns"), 0);
}

enum { THREADS = 8, LENGTH = 3 * SAMPLE_CHUNK + 17 };
static pthread_barrier_t all_are_done;

/* No thread ends before all have given theirs, or another one would take its buffer over. */
static void *give(void *object)
{
    const double first = *(const double *)object;
    for (int i = 0; i < LENGTH; i++)
        sample_buffers_put(1, first + i);
    pthread_barrier_wait(&all_are_done);
    return NULL;
}

TEST(threads_do_not_lose_values)
{
    pthread_t threads[THREADS];
    double firsts[THREADS];
    uint64_t counts[LENGTH] = {0};
    ck_assert_uint_eq(declare("latency", "ns"), 1);
    for (int round = 0; round < 3; round++) {
        pthread_barrier_init(&all_are_done, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) {
            firsts[i] = (double)LENGTH * i;
            pthread_create(&threads[i], NULL, give, &firsts[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&all_are_done);
        values.n = 0;
        series_take(&set, 1, &values);
        ck_assert_uint_eq(values.n, (size_t)THREADS * LENGTH);
        /* Each has given its own evenly: the k-th of all stand together. */
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < values.n; i++) {
            const int k = (int)fmod(values.values[i], LENGTH);
            ck_assert_int_eq(k, (int)(i / THREADS));
            counts[k]++;
        }
        for (int k = 0; k < LENGTH; k++)
            ck_assert_uint_eq(counts[k], THREADS);
    }
    ck_assert_uint_eq(distribution_summary(set.items[0].distribution).n, 3u * THREADS * LENGTH);
    ck_assert_uint_eq(set.n_strange + set.n_dropped, 0);
}

static void *give_one(void *object)
{
    sample_buffers_put(1, 1);
    return object;
}

static void note_thread(void *context, size_t thread, const struct given_sample *samples, size_t n)
{
    ck_assert_uint_eq(n, 1);
    ck_assert_double_eq(samples->value, 1);
    *(size_t *)context = thread;
}

TEST(the_next_thread_takes_over_the_buffer_of_one_that_ended)
{
    size_t first = 0, last = 0;
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, give_one, NULL);
        pthread_join(thread, NULL);
        ck_assert_uint_eq(sample_buffers_take(note_thread, i ? &last : &first), 1);
    }
    ck_assert_uint_eq(last, first);
}

TEST(what_makes_no_sense_is_counted)
{
    ck_assert_uint_eq(declare("latency", "ns"), 1);
    sample_buffers_put(1, NAN);
    sample_buffers_put(1, -INFINITY);
    sample_buffers_put(1, 1e300);
    sample_buffers_put(0, 1);
    sample_buffers_put(2, 1);
    sample_buffers_put(UINT32_MAX, 1);
    sample_buffers_put(1, 42);
    series_take(&set, 1, &values);
    ck_assert_uint_eq(values.n, 1);
    ck_assert_double_eq(values.values[0], 42);
    ck_assert_uint_eq(set.items[0].n_refused, 3);
    ck_assert_uint_eq(set.n_strange, 3);
    sample_buffers_put(1, 43);
    ck_assert_uint_eq(series_discard(), 1);
    ck_assert_uint_eq(series_discard(), 0);
}

static atomic_int stops;
static atomic_ullong n_given;

static void *give_on(void *object)
{
    uint64_t n = 0;
    while (!atomic_load_explicit(&stops, memory_order_relaxed))
        sample_buffers_put(1, (double)++n);
    atomic_store(&n_given, n);
    return NULL;
}

/* While a thread puts values in without end, taking ends, and none is lost or comes twice. */
TEST(values_are_taken_while_they_are_given)
{
    pthread_t thread;
    ck_assert_uint_eq(declare("latency", "ns"), 1);
    pthread_create(&thread, NULL, give_on, NULL);
    while (values.n < 1000000)
        series_take(&set, 1, &values);
    atomic_store(&stops, 1);
    pthread_join(thread, NULL);
    series_take(&set, 1, &values);
    ck_assert_uint_eq(values.n + set.n_dropped, atomic_load(&n_given));
    for (size_t i = 1; i < values.n; i++)
        ck_assert_double_gt(values.values[i], values.values[i - 1]);
}

/* Millions at a time; what has no room is counted, and there is room again afterwards. */
TEST(memory_has_an_end)
{
    const uint64_t most = (uint64_t)SAMPLE_CHUNKS_MAX * SAMPLE_CHUNK;
    ck_assert_uint_eq(declare("latency", "ns"), 1);
    for (uint64_t i = 0; i < most + 100; i++)
        sample_buffers_put(1, 1);
    const uint64_t n_taken = sample_buffers_take(NULL, NULL), n_dropped = sample_buffers_dropped();
    ck_assert_uint_eq(n_taken + n_dropped, most + 100);
    ck_assert_uint_ge(n_dropped, 100);
    ck_assert_uint_le(n_dropped, 100 + SAMPLE_CHUNK);
    sample_buffers_put(1, 1);
    ck_assert_uint_eq(series_discard(), 1);
}

/* What one case has measured is not seen by the next one, whichever columns that leaves alone. */
TEST(columns_are_as_new)
{
    const char *const names[] = {"wall"};
    struct batch *fresh = memory_allocate(sizeof *fresh);
    struct batch *batch = batch_new();
    memcpy(fresh, batch, sizeof *fresh);
    for (int i = 0; i < 2; i++) {
        batch->n_used = i == 0 ? 3 : BATCH_MAX;
        for (uint64_t j = 0; j < batch->n_used; j++) {
            batch->clocks[GB_CLOCKS_MAX - 1][j] = batch->begin_ns[j] = batch->end_ns[j] = 1;
            batch->time_ns[j] = batch->elapsed_ns[j] = batch->clock_hz[j] = 1;
            batch->iterations[j] = batch->throttle[j] = batch->flags[j] = 1;
        }
        batch_free(batch);
        batch = batch_new();
        ck_assert_mem_eq(batch, fresh, sizeof *fresh);
    }
    struct outbox *outbox = outbox_new(names, 1);
    outbox_add(outbox, batch, 5, 1);
    outbox_free(outbox);
    outbox = outbox_new(names, 1);
    ck_assert_uint_eq(outbox->n, 0);
    outbox_free(outbox);
    batch_free(batch);
    free(fresh);
}
