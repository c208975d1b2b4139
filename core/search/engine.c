/* engine.c - see engine.h. */
#include "core/search/engine.h"

#include "core/base/members.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_SAMPLES = 16 };

/* What is known of a case: 16 bytes and its samples, as there may be millions. Those of one visit
 * with few samples are in the engine's arena; of the others their median is kept, too, before
 * them. */
struct seen {
    double cost_ns;
    uint32_t n_samples;
    uint16_t n_visits; /* at most ENGINE_VISITS_MAX */
    uint8_t status;
    bool is_small;
    double values[];
};

/* A proposal whose observation the search does not have yet. */
struct open_proposal {
    uint64_t i;
    bool is_here; /* its observation has come, before that of an earlier one */
    struct gb_observation observation;
    double *samples;
};

struct engine {
    const struct gb_search_ops *ops;
    void *search;
    const struct space *space;
    struct engine_limits limits;
    struct gb_search_space view; /* as the search sees it */
    struct seen **seen;          /* by case; NULL: not observed */
    uint8_t *n_proposed;         /* visits, by case */
    struct arena arena;
    struct open_proposal *open; /* in order of proposals; limits.lanes of them at most */
    size_t n_open;
    uint64_t n_proposals, n_reported, n_cases, n_ok;
    uint64_t n_cases_proposed, n_since_better; /* cases */
    uint64_t best;
    double elapsed_ns;
    bool is_waiting, has_ended, is_broken;
    char reason[256];
    uint64_t *not_ruled_out;
};

static struct engine *engine_of(const struct gb_search_space *view)
{
    return (struct engine *)(uintptr_t)((const char *)view - offsetof(struct engine, view));
}

static const double *samples_of(const struct seen *seen)
{
    return seen->values + !seen->is_small;
}

static double median_of(const struct seen *seen)
{
    double few[FEW_SAMPLES];
    if (seen->n_samples == 0)
        return NAN;
    if (!seen->is_small)
        return seen->values[0];
    memcpy(few, seen->values, seen->n_samples * sizeof *few);
    return sort_to_median(few, seen->n_samples);
}

/* ---- what a search may ask ---- */

static int32_t view_place(const struct gb_search_space *view, uint64_t i, uint32_t *ret_indices)
{
    return space_place(engine_of(view)->space, i, ret_indices);
}

static uint64_t view_find(const struct gb_search_space *view, const uint32_t *indices)
{
    return space_find(engine_of(view)->space, indices);
}

/* What is known of a case; as in search.h. */
static int32_t known_of(const struct engine *engine, uint64_t i, struct gb_known *ret)
{
    if (i >= space_size(engine->space))
        return GB_INVALID;
    const struct seen *seen = engine->seen[i];
    struct gb_known known = {.size = ret->size, .median = NAN};
    if (seen) {
        known.status = seen->status;
        known.n_visits = seen->n_visits;
        known.n_samples = seen->n_samples;
        known.samples = samples_of(seen);
        known.median = median_of(seen);
        known.cost_ns = seen->cost_ns;
    }
    memcpy(ret, &known, ret->size < sizeof known ? ret->size : sizeof known);
    return GB_OK;
}

static int32_t view_known(const struct gb_search_space *view, uint64_t i, struct gb_known *ret)
{
    return known_of(engine_of(view), i, ret);
}

/* ---- its life ---- */

int32_t engine_new(const struct gb_search_ops *ops, const void *params, const struct gb_host *host,
                   const struct space *space, const struct engine_limits *limits,
                   struct engine **ret, struct gb_error *error)
{
    struct engine *engine = memory_allocate(sizeof *engine);
    const uint64_t n = space_size(space);
    *engine = (struct engine){.ops = ops, .space = space, .limits = *limits, .best = GB_NO_CASE};
    engine->view = (struct gb_search_space){.size = sizeof engine->view,
                                            .n_axes = (uint32_t)space_axes(space),
                                            .n_cases = n,
                                            .axes = space_axis_list(space),
                                            .tolerance = limits->tolerance,
                                            .confidence = limits->confidence,
                                            .budget_ns = limits->budget_ns,
                                            .budget_cases = limits->budget_cases,
                                            .patience_cases = limits->patience_cases,
                                            .lanes = limits->lanes,
                                            .place = view_place,
                                            .find = view_find,
                                            .known = view_known};
    engine->seen = memory_allocate((size_t)n * sizeof *engine->seen);
    engine->n_proposed = memory_allocate((size_t)n * sizeof *engine->n_proposed);
    engine->open = memory_allocate(limits->lanes * sizeof *engine->open);
    int32_t status = ops->create(host, &engine->view, params, &engine->search);
    if (status != GB_OK) {
        engine_free(engine);
        return error_set(error, status, "search: create failed with status %d", status);
    }
    *ret = engine;
    return GB_OK;
}

__attribute__((format(printf, 2, 3))) static void end(struct engine *engine, const char *format,
                                                      ...)
{
    va_list arguments;
    if (engine->has_ended)
        return;
    engine->has_ended = true;
    va_start(arguments, format);
    vsnprintf(engine->reason, sizeof engine->reason, format, arguments);
    va_end(arguments);
}

/* ---- proposals ---- */

/* Why the proposal cannot be taken: it breaks the rules; "" if it can. */
static void find_fault(const struct engine *engine, const struct gb_proposal *proposal,
                       struct text *ret)
{
    const unsigned long long i = proposal->i, n = space_size(engine->space);
    if (proposal->i >= n) {
        text_printf(ret, "proposed case %llu, which does not exist: there are %llu", i, n);
        return;
    }
    const struct seen *seen = engine->seen[i];
    if (proposal->n_samples > ENGINE_SAMPLES_MAX)
        text_printf(ret, "proposed %llu samples: expected at most %d",
                    (unsigned long long)proposal->n_samples, ENGINE_SAMPLES_MAX);
    else if (seen && seen->status != GB_OBSERVED_OK)
        text_printf(ret,
                    "proposed case %llu again, which cannot be the best: it was observed as not ok",
                    i);
    else if (engine->n_proposed[i] >= ENGINE_VISITS_MAX)
        text_printf(ret, "proposed case %llu more often than %d times", i, ENGINE_VISITS_MAX);
}

static void take_proposal(struct engine *engine, const struct gb_proposal *proposal,
                          struct engine_step *ret)
{
    const uint64_t i = proposal->i;
    ret->action = ENGINE_MEASURE;
    ret->proposal = engine->n_proposals++;
    ret->i = i;
    ret->n_samples = proposal->n_samples;
    ret->visit = engine->n_proposed[i]++;
    engine->n_cases_proposed += ret->visit == 0;
    snprintf(ret->reason, sizeof ret->reason, "%s", proposal->reason);
    engine->open[engine->n_open++] = (struct open_proposal){.i = i};
}

/* Asks the search. What cannot be taken ends it. */
static void ask(struct engine *engine, struct engine_step *ret)
{
    CLEANUP(text_free) struct text fault = {0};
    struct gb_proposal proposal = {.size = sizeof proposal};
    const struct engine_limits *limits = &engine->limits;
    int32_t status = engine->ops->propose(engine->search, &proposal);
    proposal.reason[sizeof proposal.reason - 1] = 0;
    if (status != GB_OK) {
        engine->is_broken = true;
        end(engine, "the search failed: propose returned status %d", status);
    } else if (proposal.action == GB_PROPOSE_DONE) {
        end(engine, "%s", *proposal.reason ? proposal.reason : "the search is done");
    } else if (proposal.action == GB_PROPOSE_WAIT) {
        engine->is_waiting = true;
        engine->is_broken |= engine->n_open == 0;
        if (engine->n_open == 0)
            end(engine, "the search waits although nothing is being measured");
    } else if (proposal.action != GB_PROPOSE_MEASURE) {
        engine->is_broken = true;
        end(engine, "the search proposed an unknown action: %d", proposal.action);
    } else {
        find_fault(engine, &proposal, &fault);
        if (fault.length) {
            engine->is_broken = true;
            end(engine, "the search %s", text_get(&fault));
        } else if (limits->budget_cases && engine->n_proposed[proposal.i] == 0 &&
                   engine->n_cases_proposed >= limits->budget_cases) {
            end(engine, "cases = %llu", (unsigned long long)limits->budget_cases);
        } else {
            take_proposal(engine, &proposal, ret);
        }
    }
}

void engine_next(struct engine *engine, struct engine_step *ret)
{
    *ret = (struct engine_step){.action = ENGINE_WAIT};
    if (!engine->has_ended && !engine->is_waiting && engine->n_open < engine->limits.lanes)
        ask(engine, ret);
    if (ret->action == ENGINE_WAIT && engine->n_open == 0)
        ret->action = ENGINE_END;
}

/* ---- observations ---- */

static bool may_be_best(const struct seen *seen)
{
    return seen && seen->status == GB_OBSERVED_OK && seen->n_samples > 0;
}

/* The last best one may have got worse by its new samples. */
static void find_best(struct engine *engine)
{
    double lowest = INFINITY;
    engine->best = GB_NO_CASE;
    for (uint64_t i = 0; i < space_size(engine->space); i++) {
        const double median = may_be_best(engine->seen[i]) ? median_of(engine->seen[i]) : NAN;
        if (median < lowest) {
            lowest = median;
            engine->best = i;
        }
    }
}

/* The case's with the observation's samples after those before. */
static struct seen *extended(struct engine *engine, const struct seen *before,
                             const struct gb_observation *observation)
{
    const uint32_t n_before = before ? before->n_samples : 0,
                   n_more = (uint32_t)observation->n_samples;
    const uint32_t n = n_before + n_more;
    const bool is_small = !before && n <= FEW_SAMPLES;
    const size_t bytes = sizeof(struct seen) + (n + (size_t)!is_small) * sizeof(double);
    struct seen *seen = is_small ? arena_allocate(&engine->arena, bytes) : memory_allocate(bytes);
    seen->is_small = is_small;
    seen->n_samples = n;
    double *samples = seen->values + !is_small;
    if (before) {
        seen->cost_ns = before->cost_ns;
        seen->n_visits = before->n_visits;
        seen->status = before->status;
        memcpy(samples, samples_of(before), n_before * sizeof *samples);
    }
    if (n_more > 0)
        memcpy(samples + n_before, observation->samples, n_more * sizeof *samples);
    if (!is_small && n > 0) {
        CLEANUP(free_pointer) double *copy = memory_allocate(n * sizeof *copy);
        memcpy(copy, samples, n * sizeof *copy);
        seen->values[0] = sort_to_median(copy, n);
    }
    return seen;
}

static void keep(struct engine *engine, const struct gb_observation *observation)
{
    const uint64_t i = observation->i;
    struct seen *seen = engine->seen[i];
    const bool is_new = !seen, was_good = may_be_best(seen);
    const double best_median = engine->best == GB_NO_CASE ? INFINITY
                                                          : median_of(engine->seen[engine->best]);
    struct seen *before = seen;
    seen = extended(engine, before, observation);
    if (before && !before->is_small)
        free(before);
    seen->n_visits++;
    seen->cost_ns += observation->wall_ns;
    seen->status = seen->status == GB_OBSERVED_OK ? (uint8_t)observation->status : seen->status;
    engine->seen[i] = seen;
    engine->n_cases += is_new;
    engine->n_ok += may_be_best(seen);
    engine->n_ok -= was_good;
    engine->n_since_better += is_new;
    if (i == engine->best)
        find_best(engine);
    else if (may_be_best(seen) && median_of(seen) < best_median)
        engine->best = i;
    if (engine->best != GB_NO_CASE && median_of(engine->seen[engine->best]) < best_median)
        engine->n_since_better = 0;
}

static void keep_guards(struct engine *engine)
{
    const struct engine_limits *limits = &engine->limits;
    if (limits->budget_ns > 0 && engine->elapsed_ns >= limits->budget_ns)
        end(engine, "budget = %s", TIME_TEXT(limits->budget_ns, 3));
    else if (limits->patience_cases && engine->n_since_better >= limits->patience_cases)
        end(engine, "patience = %llu", (unsigned long long)limits->patience_cases);
}

/* Hands over the observation of the proposal that is open for longest. */
static void tell(struct engine *engine)
{
    struct open_proposal first = engine->open[0];
    first.observation.samples = first.samples;
    engine->n_open--;
    memmove(engine->open, engine->open + 1, engine->n_open * sizeof *engine->open);
    engine->n_reported++;
    engine->is_waiting = false;
    engine->elapsed_ns = fmax(engine->elapsed_ns, first.observation.elapsed_ns);
    first.observation.elapsed_ns = engine->elapsed_ns;
    keep(engine, &first.observation);
    int32_t status = engine->ops->observe && !engine->is_broken
                         ? engine->ops->observe(engine->search, &first.observation)
                         : GB_OK;
    if (status != GB_OK) {
        engine->is_broken = true;
        end(engine, "the search failed: observe returned status %d", status);
    }
    keep_guards(engine);
    free(first.samples);
}

int32_t engine_observe(struct engine *engine, const struct gb_observation *observation,
                       struct gb_error *error)
{
    const uint64_t n = observation->n_samples, offset = observation->proposal - engine->n_reported;
    if (offset >= engine->n_open || engine->open[offset].is_here)
        return error_set(error, GB_INVALID, "observation of proposal %llu, which is not open",
                         (unsigned long long)observation->proposal);
    for (uint64_t i = 0; i < n; i++)
        if (!isfinite(observation->samples[i]))
            return error_set(error, GB_INVALID, "observation of proposal %llu: value %llu is %g",
                             (unsigned long long)observation->proposal, (unsigned long long)i,
                             observation->samples[i]);
    struct open_proposal *open = &engine->open[offset];
    open->is_here = true;
    open->observation = *observation;
    open->observation.size = sizeof open->observation;
    open->observation.i = open->i;
    open->samples = memory_allocate((size_t)(n + 1) * sizeof *open->samples);
    if (n > 0)
        memcpy(open->samples, observation->samples, (size_t)n * sizeof *open->samples);
    while (engine->n_open > 0 && engine->open[0].is_here)
        tell(engine);
    return GB_OK;
}

/* ---- the claim ---- */

ORDER_BY(compare_cases, uint64_t, ORDER_OF(*x, *y))

/* A copy of the list, ascending, without the best one and repetitions. False: there is no such
 * case in it. */
static bool take_open(struct engine *engine, const struct gb_search_claim *claim,
                      struct engine_report *ret)
{
    const uint64_t n = claim->n_open;
    if (n > space_size(engine->space) || (n > 0 && !claim->open))
        return false;
    uint64_t *open = memory_allocate((size_t)(n + 1) * sizeof *open);
    engine->not_ruled_out = open;
    if (n > 0)
        memcpy(open, claim->open, (size_t)n * sizeof *open);
    qsort(open, (size_t)n, sizeof *open, compare_cases);
    if (n > 0 && open[n - 1] >= space_size(engine->space))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (open[i] != claim->best && (ret->n_open == 0 || open[ret->n_open - 1] != open[i]))
            open[ret->n_open++] = open[i];
    ret->open = open;
    return true;
}

/* A measured case that is better than the best by more than the tolerance, and that the report
 * rules out; or GB_NO_CASE. */
static uint64_t find_better(const struct engine *engine, const struct engine_report *report)
{
    const double best = median_of(engine->seen[report->best]);
    const double limit = best - rounded_product(engine->limits.tolerance, fabs(best));
    for (uint64_t i = 0; i < space_size(engine->space); i++)
        if (may_be_best(engine->seen[i]) && median_of(engine->seen[i]) < limit &&
            !bsearch(&i, report->open, (size_t)report->n_open, sizeof i, compare_cases))
            return i;
    return GB_NO_CASE;
}

/* Why the claim cannot be true; "" if it can. */
static void find_lie(struct engine *engine, const struct gb_search_claim *claim,
                     struct engine_report *report, struct text *ret)
{
    const uint64_t best = claim->best, n = space_size(engine->space);
    if (claim->scope < GB_SCOPE_NONE || claim->scope > GB_SCOPE_ALL)
        text_printf(ret, "claims an unknown scope: %d", claim->scope);
    else if (best != GB_NO_CASE && (best >= n || !may_be_best(engine->seen[best])))
        text_printf(ret, "calls case %llu the best, which was not measured as ok",
                    (unsigned long long)best);
    else if (best == GB_NO_CASE && claim->scope != GB_SCOPE_NONE)
        text_printf(ret, "claims something of no case");
    else if (!take_open(engine, claim, report))
        text_printf(ret, "lists cases as not ruled out that do not exist");
    else if (claim->scope == GB_SCOPE_ALL && engine->n_cases < n)
        text_printf(ret, "claims the best of all cases, of which %llu were not measured",
                    (unsigned long long)(n - engine->n_cases));
    else if (claim->scope == GB_SCOPE_ALL && report->n_open > 0)
        text_printf(ret, "claims the best of all cases, of which it has not ruled out %llu",
                    (unsigned long long)report->n_open);
    else if (claim->scope == GB_SCOPE_SHARE && !(claim->share > 0 && claim->share <= 1))
        text_printf(ret, "claims a share of %g", claim->share);
    else if (claim->low > claim->high)
        text_printf(ret, "claims an interval from %g to %g", claim->low, claim->high);
}

static void take_claim(struct engine *engine, const struct gb_search_claim *claim,
                       struct engine_report *ret)
{
    CLEANUP(text_free) struct text lie = {0};
    struct engine_report report = *ret;
    find_lie(engine, claim, &report, &lie);
    report.best = claim->best == GB_NO_CASE ? engine->best : claim->best;
    if (!lie.length && report.best != GB_NO_CASE && claim->scope != GB_SCOPE_NONE) {
        const uint64_t better = find_better(engine, &report);
        if (better != GB_NO_CASE)
            text_printf(&lie, "has ruled out case %llu, whose samples are better than the best's",
                        (unsigned long long)better);
    }
    if (lie.length) {
        ret->is_broken = true;
        snprintf(ret->note, sizeof ret->note, "nothing is claimed: the search %s", text_get(&lie));
        return;
    }
    *ret = report;
    ret->scope = claim->scope;
    ret->low = claim->low;
    ret->high = claim->high;
    ret->share = claim->share;
    snprintf(ret->note, sizeof ret->note, "%.*s", (int)sizeof claim->note - 1, claim->note);
}

void engine_report(struct engine *engine, struct engine_report *ret)
{
    struct gb_search_claim claim = {
        .size = sizeof claim, .best = GB_NO_CASE, .low = NAN, .high = NAN, .share = NAN};
    *ret = (struct engine_report){.best = engine->best,
                                  .low = NAN,
                                  .high = NAN,
                                  .share = NAN,
                                  .n_proposals = engine->n_proposals,
                                  .n_cases = engine->n_cases,
                                  .n_ok = engine->n_ok,
                                  .elapsed_ns = engine->elapsed_ns,
                                  .is_broken = engine->is_broken};
    snprintf(ret->reason, sizeof ret->reason, "%s", engine->reason);
    int32_t status = engine->is_broken ? GB_OK : engine->ops->report(engine->search, &claim);
    if (status != GB_OK) {
        ret->is_broken = true;
        snprintf(ret->note, sizeof ret->note, "nothing is claimed: report returned status %d",
                 status);
    } else if (!engine->is_broken) {
        take_claim(engine, &claim, ret);
    }
    ret->value = ret->best == GB_NO_CASE ? NAN : median_of(engine->seen[ret->best]);
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    if (engine->search && engine->ops->destroy)
        engine->ops->destroy(engine->search);
    for (uint64_t i = 0; i < space_size(engine->space); i++)
        if (engine->seen[i] && !engine->seen[i]->is_small)
            free(engine->seen[i]);
    arena_free(&engine->arena);
    for (size_t i = 0; i < engine->n_open; i++)
        free(engine->open[i].samples);
    free(engine->seen);
    free(engine->n_proposed);
    free(engine->open);
    free(engine->not_ruled_out);
    free(engine);
}
