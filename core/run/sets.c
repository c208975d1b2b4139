/* sets.c - see sets.h. */
#include "core/run/sets.h"

#include "core/base/host_clock.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* Comparing after a sample may take this time in any case, */
static const double unnoticed_ns = 5e6;
static const double last_ns = 1e8; /* and after the last one this */

uint64_t secret(void)
{
    uint64_t bits = 0;
    while (getrandom(&bits, sizeof bits, 0) != sizeof bits)
        continue;
    return bits;
}

void sets_begin(struct sets *sets, struct case_state *state, const struct gb_bench_ops *ops,
                const void *params)
{
    *sets = (struct sets){.state = state, .ops = ops, .params = params};
    sets->benches = memory_allocate(SETS_MAX * sizeof *sets->benches);
}

int32_t sets_add(struct sets *sets)
{
    struct case_state *state = sets->state;
    const struct gb_host *host = &state->host->interface;
    void *bench = NULL;
    int32_t status;
    state->host->is_muted = sets->n > 0;
    CALL_BENCH(state, status, sets->ops->create(host, sets->params, &bench));
    if (status == GB_OK && sets->ops->prepare)
        CALL_BENCH(state, status, sets->ops->prepare(bench, state->device->queue));
    state->host->is_muted = false;
    if (status == GB_OK)
        sets->benches[sets->n++] = bench;
    else if (bench && sets->ops->destroy)
        sets->ops->destroy(bench);
    return status;
}

uint64_t case_input_set(const struct case_state *state)
{
    const int64_t asked = state->bench_case->common.inputs;
    return asked > 0 ? secret() % (uint64_t)asked : secret();
}

uint32_t sets_draw(uint32_t *numbers, uint32_t n)
{
    const uint32_t place = n > 1 ? (uint32_t)(secret() % n) : 0, drawn = numbers[place];
    numbers[place] = numbers[0];
    numbers[0] = drawn;
    return drawn;
}

void sets_reorder(struct sets *sets, uint32_t n)
{
    for (uint32_t i = 0; i < sets->n; i++)
        sets->order[i] = i;
    for (uint32_t i = 0; i < n && !sets->is_ordered; i++)
        sets_draw(sets->order + i, sets->n - i);
}

int32_t sets_renew(struct sets *sets, uint32_t n)
{
    struct case_state *state = sets->state;
    const struct gb_queue *queue = state->device->queue;
    int32_t status = GB_OK;
    sets_reorder(sets, n);
    for (uint32_t i = 0; i < n && status == GB_OK; i++)
        CALL_BENCH(state, status,
                   sets->ops->refresh(sets->benches[sets->order[i]], queue, case_input_set(state)));
    if (status == GB_SKIPPED)
        return case_stop(state, CASE_FAILED,
                         "verify = %s: this case compares no output: expected verify = end",
                         verify_word(state->bench_case->common.verify));
    return status == GB_OK ? case_wait(state, "refresh") : status;
}

void sets_have_run(struct sets *sets, double time_ns)
{
    sets->has_run = true;
    sets->last_ns = time_ns;
    sets->n_samples++;
}

int32_t sets_compare(struct sets *sets, uint32_t place)
{
    struct case_state *state = sets->state;
    char where[64];
    int32_t status;
    state->n_checked++;
    state->host->interface.iterations = 1;
    CALL_BENCH(state, status,
               sets->ops->verify(sets->benches[sets->order[place]], state->device->queue));
    snprintf(where, sizeof where, "sample %llu, run %u of %u", (unsigned long long)sets->n_samples,
             place + 1, sets->n);
    return status == GB_WRONG_RESULT && !sets->is_trial ? case_wrong(state, where) : status;
}

/* What takes long is not done after each sample: whether it is, is drawn. */
static bool is_compared(const struct sets *sets)
{
    const double affordable_ns = fmax(SETS_COMPARING * sets->last_ns, unnoticed_ns);
    return sets->n_samples <= SETS_DRAWN ||
           (double)(secret() >> 11) * 0x1p-53 * sets->comparing_ns < affordable_ns;
}

double sets_comparing_ns(const struct sets *sets, bool is_last)
{
    return fmax(is_last ? last_ns : 0, SETS_COMPARING * sets->last_ns);
}

int32_t sets_compare_drawn(struct sets *sets, bool is_last)
{
    struct case_state *state = sets->state;
    const double begin_ns = host_clock_ns();
    const double end_ns = begin_ns + sets_comparing_ns(sets, is_last);
    uint32_t places[SETS_MAX];
    int32_t status = GB_OK;
    const bool is_due = sets->has_run && (is_last || is_compared(sets));
    sets->has_run = false;
    if (!is_due)
        return GB_OK;
    state->host->is_muted = true;
    for (uint32_t i = 0; i < sets->n; i++)
        places[i] = i;
    for (uint32_t i = 0; i < sets->n && status == GB_OK && !*state->wrong &&
                         (i < SETS_DRAWN || host_clock_ns() < end_ns);
         i++)
        status = sets_compare(sets, i == 0 ? sets->n - 1 : sets_draw(places + i - 1, sets->n - i));
    state->host->is_muted = false;
    sets->comparing_ns = host_clock_ns() - begin_ns;
    return status;
}

int32_t sets_verify(struct sets *sets)
{
    struct case_state *state = sets->state;
    int32_t status = sets_compare_drawn(sets, true);
    if (status == GB_OK) /* once more, to be seen */
        CALL_BENCH(state, status,
                   sets->ops->verify(sets->benches[sets->order[0]], state->device->queue));
    link_metric(state->link, "checked_calls", (double)state->n_checked, "1");
    return status;
}

int32_t sets_work(const struct sets *sets, struct gb_work *work)
{
    return sets->ops->work ? sets->ops->work(sets->benches[0], work) : GB_OK;
}

void sets_free(struct sets *sets)
{
    for (uint32_t i = 0; i < sets->n && sets->ops->destroy; i++)
        sets->ops->destroy(sets->benches[i]);
    free(sets->benches);
    malloc_trim(0); /* of so many objects, or it looks like a leak */
}
