/* halving.c - a search in 100 lines: every case is measured once; the better half of them again,
 * with twice as many samples; and so on until one is left. */
#include <gbrun/gbrun.h>
#include <math.h>
#include <stdlib.h>

struct search {
    const struct gb_search_space *space;
    struct entry {
        double median;
        uint64_t i;
    } * left;           /* cases that are still in, n of them */
    uint64_t n, next;   /* the next to be measured */
    uint64_t n_samples; /* of each */
    uint64_t n_open;    /* proposed, and not observed yet */
};

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    if (search == NULL)
        return GB_NO_MEMORY;
    search->left = host->allocate(host, space->n_cases * sizeof *search->left);
    if (search->left == NULL)
        return GB_NO_MEMORY;
    search->space = space;
    search->n_samples = 2;
    for (; search->n < space->n_cases; search->n++)
        search->left[search->n].i = search->n;
    *ret_search = search;
    return GB_OK;
}

/* Infinite: the case failed, or was not measured. */
static double median_of(const struct search *search, uint64_t i)
{
    struct gb_known known = {.size = sizeof known};
    search->space->known(search->space, i, &known);
    return known.status == GB_OBSERVED_OK && known.n_samples > 0 ? known.median : INFINITY;
}

static int compare(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    if (first->median != second->median)
        return first->median < second->median ? -1 : 1;
    return first->i < second->i ? -1 : 1;
}

/* Keeps the better half of those that worked. False: there is nothing to decide any more. */
static int halve(struct search *search)
{
    uint64_t n = 0;
    for (uint64_t j = 0; j < search->n; j++) {
        const struct entry entry = {median_of(search, search->left[j].i), search->left[j].i};
        if (entry.median < INFINITY)
            search->left[n++] = entry;
    }
    qsort(search->left, n, sizeof *search->left, compare);
    search->n = (n + 1) / 2;
    search->next = 0;
    search->n_samples *= 2;
    return search->n > 1;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    if (search->next == search->n && search->n_open > 0) {
        proposal->action = GB_PROPOSE_WAIT;
        return GB_OK;
    }
    if (search->next == search->n && !halve(search))
        return GB_OK; /* with the action GB_PROPOSE_DONE, which is 0 */
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->i = search->left[search->next++].i;
    proposal->n_samples = search->n_samples;
    search->n_open++;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_observation *observation)
{
    (void)observation; /* space->known has its samples, too */
    ((struct search *)object)->n_open--;
    return GB_OK;
}

/* The best of those measured: of others nothing is known. */
static int32_t report(void *object, struct gb_search_claim *claim)
{
    const struct search *search = object;
    double best = INFINITY;
    for (uint64_t i = 0; i < search->space->n_cases; i++) {
        if (median_of(search, i) < best) {
            best = median_of(search, i);
            claim->best = i;
            claim->scope = GB_SCOPE_MEASURED;
        }
    }
    return GB_OK;
}

static const struct gb_search_ops ops = {
    .size = sizeof ops, .create = create, .propose = propose, .observe = observe, .report = report};

static const struct gb_plugin halving = {
    GB_PLUGIN(SEARCH, "halving", "1.0", "the better half again and again, with more samples"),
    .ops = &ops,
};

GB_MODULE(&halving)
