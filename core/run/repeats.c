/* repeats.c - see repeats.h. */
#include "core/run/repeats.h"

#include "core/base/members.h"
#include "core/store/store_outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By case and device. */
ORDER_BY(compare_outcomes, struct outcome, ORDER_OF(x->position, y->position),
         strcmp(x->device_name, y->device_name), ORDER_OF(x->device_index, y->device_index))

int32_t repeats_verdict(const struct outcome *visits, size_t n, struct rounds_interval *ret)
{
    struct round rounds[ROUNDS_MOST];
    ret->centre = NAN;
    for (size_t i = 0; i < n; i++) {
        if (visits[i].status != CASE_OK || visits[i].verdict != GB_VERDICT_CERTIFIED)
            return visits[i].verdict;
        rounds[i] = (struct round){visits[i].value,    visits[i].low_ns,    visits[i].high_ns,
                                   visits[i].fixed_ns, visits[i].n_samples, visits[i].begun_ns,
                                   visits[i].pid};
    }
    *ret = rounds_combine(rounds, n, visits->confidence);
    return verdict_of_case(GB_VERDICT_CERTIFIED, ret, visits->precision, NULL);
}

bool repeats_is_open(const struct outcome *visits, size_t n, double max_time_ns)
{
    struct rounds_interval said;
    double sum_ns = 0;
    for (size_t i = 0; i < n; i++)
        sum_ns += visits[i].sampled_ns;
    if (n >= ROUNDS_MOST || sum_ns + PART_SHARE * max_time_ns > max_time_ns)
        return false;
    const int32_t verdict = repeats_verdict(visits, n, &said);
    return !isnan(said.centre) && (n != ROUNDS_LEAST || verdict == GB_VERDICT_UNCONVERGED);
}

double repeats_wait_ns(uint32_t round, double since_ns, double run_ns)
{
    const double wait_ns = fmax(0, round * ROUNDS_APART_NS - since_ns);
    const bool is_last = round + 1 == ROUNDS_LEAST || round + 1 == ROUNDS_MOST;
    return is_last && wait_ns <= REPEATS_WAIT_SHARE * run_ns ? wait_ns : 0;
}

/* ---- all cases ---- */

static size_t end_of_case(const struct outcome *outcomes, size_t n, size_t first)
{
    size_t end = first + 1;
    while (end < n && compare_outcomes(&outcomes[first], &outcomes[end]) == 0)
        end++;
    return end;
}

int32_t repeats_next(struct schedule *schedule, struct store *store, int64_t run_id, bool *open,
                     uint64_t *ret_n, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct outcome_metric metric = {.name = ""};
    struct outcome *outcomes;
    size_t n, round = ROUNDS_MOST;
    *ret_n = 0;
    int32_t status = store_outcomes(store, run_id, &metric, &arena, &outcomes, &n, error);
    if (status == GB_OK && n > 0)
        qsort(outcomes, n, sizeof *outcomes, compare_outcomes);
    memset(open, 0, (size_t)sweep_positions(schedule->sweep) * sizeof *open);
    for (size_t i = 0, end; status == GB_OK && i < n; i = end) {
        CLEANUP(arena_free) struct arena scratch = {0};
        struct bench_case bench_case;
        const uint64_t position = outcomes[i].position;
        end = end_of_case(outcomes, n, i);
        status = sweep_case_at(schedule->sweep, position, &scratch, &bench_case, error);
        if (status != GB_OK || (schedule->is_searched && schedule->is_searched[position]) ||
            !bench_case_repeats(&bench_case) ||
            !repeats_is_open(&outcomes[i], end - i, bench_case.common.max_time_ns) ||
            end - i > round)
            continue;
        if (end - i < round) { /* of a run that is resumed some may have had more */
            memset(open, 0, (size_t)sweep_positions(schedule->sweep) * sizeof *open);
            *ret_n = 0;
            round = end - i;
        }
        open[position] = true;
        ++*ret_n;
    }
    if (*ret_n > 0) {
        schedule->open = open;
        schedule->next_position = 0;
        schedule->next_device = 0;
        schedule->next_round = (uint32_t)round;
        schedule->n_rounds = (uint32_t)round + 1;
    }
    return status;
}
