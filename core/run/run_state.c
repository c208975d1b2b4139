/* run_state.c - see run_state.h. */
#include "core/run/run_state.h"

#include <string.h>

void run_fail(struct run *run, const struct gb_error *error)
{
    if (run->status == GB_OK) {
        run->status = error->status;
        run->error = *error;
    }
}

struct device_state *run_device(const struct run *run, const struct known_device *device)
{
    return &run->devices[device - run->schedule.devices->items];
}

bool slot_is_lane(const struct slot *slot)
{
    return slot - slot->run->slots >= SLOTS_MAX;
}

static struct slot *next_of(struct run *run, struct slot *slot, size_t n)
{
    for (slot = slot ? slot + 1 : run->slots; slot < run->slots + n; slot++)
        if (slot->is_alive && slot->visit)
            return slot;
    return NULL;
}

struct slot *run_next_busy(struct run *run, struct slot *slot)
{
    return next_of(run, slot, SLOTS_MAX);
}

struct slot *run_next_at_work(struct run *run, struct slot *slot)
{
    return next_of(run, slot, SLOTS_ALL);
}

size_t run_count_busy(struct run *run)
{
    size_t n = 0;
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;)
        n++;
    return n;
}

bool run_is_closing(const struct run *run)
{
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (run->slots[i].is_alive && run->slots[i].is_closing)
            return true;
    return false;
}

void run_fill_window(struct run *run)
{
    struct gb_error error;
    while (run->n_window < WINDOW && run->status == GB_OK) {
        struct visit *visit;
        if (schedule_next(&run->schedule, &visit, &error) != GB_OK)
            run_fail(run, &error);
        else if (visit)
            run->window[run->n_window++] = visit;
        else
            break;
    }
}

struct visit *run_pick(struct run *run, size_t i)
{
    struct visit *visit = run->window[i];
    run->n_window--;
    memmove(&run->window[i], &run->window[i + 1], (run->n_window - i) * sizeof *run->window);
    return visit;
}
