/* run_claims.c - see run_state.h. */
#include "core/run/run_state.h"

#include "core/base/host_clock.h"

#include <poll.h>

/* A batch takes about a second: short enough to be measured again, long enough that taking it and
 * the sync of its end cost nothing. With rounds other cases are to come between those of one. */
static const double short_ns = 500e6, long_ns = 2e9;
enum { LEAST_WITH_ROUNDS = 8, WAIT_MS = 100 };

static size_t least_batch(const struct run *run)
{
    const size_t n = run->schedule.devices->n, least = n ? n : 1;
    return run->schedule.n_rounds > 1 && least < LEAST_WITH_ROUNDS ? LEAST_WITH_ROUNDS : least;
}

static void choose_batch(struct run *run)
{
    const double took_ns = awake_clock_ns() - run->batch_begin_ns;
    if (run->batch_size > 0 && took_ns < short_ns)
        run->batch_size *= 2;
    else if (took_ns > long_ns)
        run->batch_size /= 2;
    if (run->batch_size < least_batch(run))
        run->batch_size = least_batch(run);
    if (run->batch_size > CLAIM_BATCH_MAX)
        run->batch_size = CLAIM_BATCH_MAX;
}

static void say_waiting(struct run *run)
{
    if (!run->has_said_held)
        progress_line(run->plan->progress, "gbrun: the cases that are left are measured by other "
                                           "tasks: waiting until they are done");
    run->has_said_held = true;
}

bool run_claim(struct run *run)
{
    struct claims *claims = run->plan->claims;
    struct gb_error error;
    bool is_over = false;
    if (claims_batch(claims)->n > 0)
        choose_batch(run);
    if (claims_finish(claims, &error) != GB_OK ||
        claims_take(claims, run->batch_size > 0 ? run->batch_size : least_batch(run), &is_over,
                    &error) != GB_OK) {
        run_fail(run, &error);
        return false;
    }
    run->batch_begin_ns = awake_clock_ns();
    run->schedule.next_position = run->schedule.next_round = 0;
    run->schedule.next_device = 0;
    if (claims_batch(claims)->n == 0 && !is_over) {
        say_waiting(run);
        poll(NULL, 0, WAIT_MS);
    }
    return !is_over || claims_batch(claims)->n > 0;
}

void run_beat(struct run *run)
{
    struct gb_error error;
    if (!run->plan->claims || claims_beat(run->plan->claims, &error) == GB_OK)
        return;
    if (!run->has_said_beat)
        progress_line(run->plan->progress, "gbrun: %s: other tasks take this one for gone",
                      error.text);
    run->has_said_beat = true;
}
