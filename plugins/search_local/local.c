/*
 * local.c - the search `local`: from a case to a better one that differs on one axis, from anew
 * where there is none. Plugin side.
 */
#include "../common/search/search.h"

#include <gbrun/gbrun.h>
#include <stdio.h>

enum { STARTS = 0x5354, NEIGHBOURS = 0x10000 };

struct params {
    int64_t samples, restarts;
};

struct search {
    const struct gb_host *host;
    const struct gb_search_space *space;
    const struct params *params;
    struct search_order starts;     /* cases to begin at */
    struct search_order neighbours; /* of the case that it stands on: changes of one axis */
    uint64_t here;                  /* GB_NO_CASE: it is to begin anew */
    uint64_t n_starts, n_proposed, n_observed;
    uint32_t *place; /* of `here` */
    uint8_t *is_proposed;
};

static const struct gb_option options[] = {
    GB_INT(struct params, samples, "3", "0:1000000", "samples",
           "samples of each case; 0: what its policy asks for"),
    GB_INT(struct params, restarts, "0", "0:1000000000", "restarts",
           "maximum number of restarts; 0: until every case is measured"),
};

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    uint64_t n = 0;
    int32_t status;
    if (search == NULL)
        return GB_NO_MEMORY;
    search->host = host;
    search->space = space;
    search->params = params;
    search->here = GB_NO_CASE;
    search->place = host->allocate(host, space->n_axes * sizeof *search->place);
    search->is_proposed = host->allocate(host, space->n_cases);
    if (search->place == NULL || search->is_proposed == NULL)
        return GB_NO_MEMORY;
    for (uint32_t axis = 0; axis < space->n_axes; axis++)
        n += space->axes[axis]->n - 1;
    status = search_order_new(&search->starts, host, space->n_cases, STARTS);
    if (status == GB_OK)
        status = search_order_new(&search->neighbours, host, n, NEIGHBOURS);
    *ret_search = search;
    return status;
}

static int is_better(const struct search *search, uint64_t i)
{
    const struct gb_known there = search_known(search->space, i),
                          here = search_known(search->space, search->here);
    return search_may_be_best(&there) && (!search_may_be_best(&here) || there.median < here.median);
}

/* Its neighbours are drawn in another order than those of the case before. */
static void stand_on(struct search *search, uint64_t i)
{
    search->here = i;
    search->space->place(search->space, i, search->place);
    search->neighbours.n_drawn = 0;
    search->neighbours.stream++;
}

/* The case that differs by change number `change` of all changes of one axis; or GB_NO_CASE. */
static uint64_t neighbour(struct search *search, uint64_t change)
{
    uint32_t axis = 0, before;
    uint64_t found;
    while (change >= search->space->axes[axis]->n - 1) {
        change -= search->space->axes[axis]->n - 1;
        axis++;
    }
    before = search->place[axis];
    search->place[axis] = (uint32_t)change + (change >= before);
    found = search->space->find(search->space, search->place);
    search->place[axis] = before;
    return found;
}

/* The next neighbour that was not proposed yet. One that is known as better is stepped on at once.
 */
static uint64_t draw_neighbour(struct search *search)
{
    uint64_t change;
    while ((change = search_order_draw(&search->neighbours)) != GB_NO_CASE) {
        const uint64_t i = neighbour(search, change);
        if (i == GB_NO_CASE)
            continue;
        if (!search->is_proposed[i])
            return i;
        if (is_better(search, i))
            stand_on(search, i);
    }
    return GB_NO_CASE;
}

static uint64_t draw_start(struct search *search)
{
    uint64_t i;
    const uint64_t most = (uint64_t)search->params->restarts;
    if (most > 0 && search->n_starts > most)
        return GB_NO_CASE;
    do
        i = search_order_draw(&search->starts);
    while (i != GB_NO_CASE && search->is_proposed[i]);
    if (i != GB_NO_CASE) {
        search->n_starts++;
        stand_on(search, i);
    }
    return i;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    const char *why = "neighbour";
    uint64_t i = search->here == GB_NO_CASE ? GB_NO_CASE : draw_neighbour(search);
    if (i == GB_NO_CASE && search->n_observed < search->n_proposed) {
        proposal->action = GB_PROPOSE_WAIT;
        return GB_OK;
    }
    if (i == GB_NO_CASE) {
        why = "start";
        i = draw_start(search);
    }
    if (i == GB_NO_CASE) {
        snprintf(proposal->reason, sizeof proposal->reason, "%s",
                 search->n_proposed == search->space->n_cases ? "every case is measured"
                                                              : "restarts are used up");
        return GB_OK;
    }
    search->is_proposed[i] = 1;
    search->n_proposed++;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->i = i;
    proposal->n_samples = (uint64_t)search->params->samples;
    snprintf(proposal->reason, sizeof proposal->reason, "%s", why);
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_observation *observation)
{
    struct search *search = object;
    search->n_observed++;
    if (observation->i != search->here && is_better(search, observation->i))
        stand_on(search, observation->i);
    return GB_OK;
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    return search_claim_measured(search->host, search->space, claim);
}

static const struct gb_search_ops ops = SEARCH_OPS(create, propose, report, NULL);

static const struct gb_plugin local = {
    GB_PLUGIN(SEARCH, "local", "1.0", "step by step to better neighbours, from many starts"),
    .help = "Begins at a random case and measures, in random order, the cases that differ from it "
            "on one axis, by any of its values. It continues at the first better one. Where "
            "there is none it restarts at a case that was not measured yet. Budget, cases, "
            "patience or restarts end it.\n\n"
            "It claims the best of those measured.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&local)
