/* renewal.c - see renewal.h. */
#include "core/run/renewal.h"

#include "core/base/rounds.h"

#include <math.h>

void renewal_start(struct renewal *renewal, uint32_t round, double now_ns)
{
    renewal->is_renewed = renewal->closed_ns > 0;
    if (!(renewal->begin_ns > 0))
        renewal->begin_ns = now_ns;
    renewal->closed_ns = 0;
    renewal->is_used = false;
    renewal->n_renewed += renewal->is_renewed;
    renewal->round = renewal->asked_round = round;
}

void renewal_end(struct renewal *renewal, double now_ns)
{
    renewal->end_ns = renewal->closed_ns > 0 ? now_ns - renewal->closed_ns : 0;
}

void renewal_visit(struct renewal *renewal, struct renewal_case *of, uint32_t round, double open_ns,
                   double beside_ns)
{
    double fresh_ns = fmax(0, beside_ns - open_ns);
    if (round != renewal->round) {
        of->used_ns = (float)fresh_ns;
        return;
    }
    of->fresh_ns = (float)fresh_ns;
    fresh_ns = fmax(0, fresh_ns - (double)of->used_ns);
    if (!renewal->is_used) {
        renewal->open_ns = open_ns + (renewal->is_renewed ? renewal->end_ns : 0);
        fresh_ns += renewal->open_ns;
    }
    renewal->is_used = true;
    const double hidden_ns = fmin(renewal->slack_ns, fresh_ns);
    renewal->slack_ns -= hidden_ns;
    renewal->spent_ns += renewal->is_renewed ? fresh_ns - hidden_ns : 0;
}

bool renewal_is_due(struct renewal *renewal, const struct renewal_case *cases, const bool *open,
                    uint64_t n, uint32_t round, double now_ns, double slack_ns)
{
    const double share = 1 + renewal->n_renewed < ROUNDS_PROCESSES_LEAST ? RENEWAL_SHARE_FEW
                                                                         : RENEWAL_SHARE;
    double cost_ns = renewal->open_ns - slack_ns;
    if (round <= renewal->asked_round)
        return false;
    renewal->asked_round = round;
    for (uint64_t i = 0; i < n; i++)
        if (!open || open[i])
            cost_ns += fmax(0, (double)(cases[i].fresh_ns - cases[i].used_ns));
    if (renewal->spent_ns + fmax(0, cost_ns) > share * (now_ns - renewal->begin_ns))
        return false;
    renewal->slack_ns = slack_ns;
    renewal->closed_ns = now_ns;
    return true;
}
