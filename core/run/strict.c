/* strict.c - see strict.h. */
#include "core/run/strict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct strict {
    struct gb_bench_ops own;
    struct sets sets;
    bool is_full; /* there can be no further objects */
    bool repeats; /* its inputs, with cold caches */
    /* What stood in its place. */
    const struct gb_bench_ops *ops;
    void *bench;
};

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct strict *strict = object;
    const struct sets *sets = &strict->sets;
    int32_t (*const call)(void *, const struct gb_queue *, uint64_t) = sets->ops->run;
    int32_t status = GB_OK;
    for (uint64_t i = 0; i < iterations && status == GB_OK; i++)
        status = call(sets->benches[sets->order[i % sets->n]], queue, 1);
    return status;
}

static int32_t for_each(const struct strict *strict, const struct gb_queue *queue,
                        int32_t (*function)(void *, const struct gb_queue *))
{
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < strict->sets.n && status == GB_OK; i++)
        status = function(strict->sets.benches[i], queue);
    return status;
}

static int32_t reset(void *object, const struct gb_queue *queue)
{
    const struct strict *strict = object;
    return for_each(strict, queue, strict->ops->reset);
}

/* Before each sample, whenever the queue takes it: what is measured now may have been launched
 * before. Nothing is enqueued, or it could be captured, and done without new inputs. */
static int32_t renew(void *object, const struct gb_queue *queue)
{
    const struct strict *strict = object;
    const struct sets *sets = &strict->sets;
    return sets->ops->refresh(sets->benches[0], queue, case_input_set(sets->state));
}

static int32_t collect(void *object, const struct gb_queue *queue)
{
    const struct strict *strict = object;
    return for_each(strict, queue, strict->ops->collect);
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct strict *strict = object;
    (void)queue;
    return sets_verify(&strict->sets);
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct strict *strict = object;
    return sets_work(&strict->sets, work);
}

static void destroy(void *object)
{
    struct strict *strict = object;
    sets_free(&strict->sets);
    free(strict);
}

void strict_begin(struct case_state *state)
{
    const struct gb_queue *queue = state->device->queue;
    struct strict *strict = memory_allocate(sizeof *strict);
    strict->ops = state->ops;
    strict->bench = state->bench;
    /* Those of an older plugin are shorter. */
    memcpy(&strict->own, state->ops,
           state->ops->size < sizeof strict->own ? state->ops->size : sizeof strict->own);
    strict->own.size = sizeof strict->own;
    strict->own.run = run;
    strict->own.verify = verify;
    strict->own.work = work;
    strict->own.destroy = destroy;
    strict->own.reset = queue->native ? renew : strict->own.reset ? reset : NULL;
    strict->own.collect = strict->own.collect ? collect : NULL;
    sets_begin(&strict->sets, state, state->ops, state->params);
    strict->sets.benches[strict->sets.n++] = state->bench;
    /* Of calls on a queue each is a sample; who replaces functions has one object. */
    strict->is_full = queue->native || state->host->replaced.size > 0;
    state->ops = &strict->own;
    state->bench = strict;
    state->strict = strict;
}

void strict_end(struct case_state *state)
{
    struct strict *strict = state->strict;
    if (!strict)
        return;
    state->ops = strict->ops;
    state->bench = strict->bench;
    state->strict = NULL;
    strict->sets.benches[0] = strict->sets.benches[--strict->sets.n];
    destroy(strict);
}

int32_t strict_grow(struct case_state *state, uint64_t *n)
{
    struct strict *strict = state->strict;
    if (!strict)
        return GB_OK;
    struct sets *sets = &strict->sets;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) / 4 * (double)sysconf(_SC_PAGESIZE);
    const double room = memory / ((double)state->host->n_bytes / (double)sets->n + 1);
    int32_t status = GB_OK;
    while (sets->n < *n && sets->n < SETS_MAX && sets->n < room && !strict->is_full) {
        status = sets_add(sets);
        strict->is_full = status != GB_OK;
    }
    *n = sets->n;
    if (status == GB_DEVICE_ERROR)
        return case_judge_bench(state, "create", status);
    *state->host->reason = 0;
    return GB_OK;
}

void strict_repeat(struct case_state *state)
{
    state->strict->repeats = true;
}

/* Writes more than one processor's caches hold, which then have nothing of the last sample. */
static void make_cold(void)
{
    enum { BYTES = 8 << 20, LINE = 64 };
    volatile unsigned char *others = memory_allocate(BYTES);
    for (size_t i = 0; i < BYTES; i += LINE)
        others[i]++;
    free((void *)others);
}

int32_t strict_before(struct case_state *state)
{
    if (state->strict && state->strict->repeats) {
        make_cold();
        return GB_OK;
    }
    return state->strict && !state->device->queue->native
               ? case_judge_bench(state, "refresh",
                                  sets_renew(&state->strict->sets, state->strict->sets.n))
               : GB_OK;
}

int32_t strict_after(struct case_state *state, double time_ns)
{
    if (!state->strict)
        return GB_OK;
    sets_have_run(&state->strict->sets, time_ns);
    return case_judge_bench(state, "verify", sets_compare_drawn(&state->strict->sets, false));
}
