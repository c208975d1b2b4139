/* judge_batch.c - see judge_batch.h. */
#include "core/run/judge_batch.h"

#include <math.h>

static bool is_short(const struct judge_batch *batch, uint32_t most)
{
    return batch->least_ns < JUDGE_BATCH_NS && batch->n <= most / 2;
}

void judge_batch_add(struct judge_batch *batch, double ns, uint32_t most)
{
    batch->least_ns = batch->n_runs++ == 0 ? ns : fmin(batch->least_ns, ns);
    if (is_short(batch, most))
        *batch = (struct judge_batch){.n = 2 * batch->n};
}

bool judge_batch_is_done(const struct judge_batch *batch, uint32_t most)
{
    return batch->n_runs >= JUDGE_BATCHES && !is_short(batch, most);
}

double judge_batch_call_ns(const struct judge_batch *batch, double error_ns)
{
    return batch->n_runs > 0
               ? fmax(batch->least_ns - JUDGE_BATCH_COLD_NS - 2 * error_ns, 0) / batch->n
               : 0;
}
