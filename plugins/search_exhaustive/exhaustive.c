/*
 * exhaustive.c - the searches that follow nothing: `exhaustive`, every case as its policy asks for,
 * and `random`, cases drawn by chance. Plugin side.
 */
#include "../common/search/search.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>

enum { STREAM = 0x6f72 };

struct params {
    int64_t samples;
};

struct search {
    const struct gb_host *host;
    const struct gb_search_space *space;
    uint64_t samples;
    struct search_order order; /* of random */
    uint64_t n_proposed, n_observed;
};

static const struct gb_option exhaustive_options[] = {
    GB_INT(struct params, samples, "0", "0:1000000", "samples",
           "samples of each case; 0: what its policy asks for"),
};
static const struct gb_option random_options[] = {
    GB_INT(struct params, samples, "3", "0:1000000", "samples",
           "samples of each case; 0: what its policy asks for"),
};

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    if (search == NULL)
        return GB_NO_MEMORY;
    search->host = host;
    search->space = space;
    search->samples = (uint64_t)((const struct params *)params)->samples;
    *ret_search = search;
    return GB_OK;
}

static int32_t create_random(const struct gb_host *host, const struct gb_search_space *space,
                             const void *params, void **ret_search)
{
    struct search *search;
    const int32_t status = create(host, space, params, ret_search);
    if (status != GB_OK)
        return status;
    search = *ret_search;
    return search_order_new(&search->order, host, space->n_cases, STREAM);
}

static int32_t propose_case(struct search *search, uint64_t i, struct gb_proposal *proposal)
{
    if (i == GB_NO_CASE) {
        snprintf(proposal->reason, sizeof proposal->reason, "every case is measured");
        return GB_OK;
    }
    search->n_proposed++;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->i = i;
    proposal->n_samples = search->samples;
    return GB_OK;
}

static int32_t propose_next(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    const uint64_t next = search->n_proposed;
    return propose_case(search, next < search->space->n_cases ? next : GB_NO_CASE, proposal);
}

static int32_t propose_random(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    return propose_case(search, search_order_draw(&search->order), proposal);
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    const int32_t status = search_claim_measured(search->host, search->space, claim);
    if (status == GB_OK && claim->best != GB_NO_CASE && claim->n_open == 0 &&
        search->n_observed == search->space->n_cases)
        claim->scope = GB_SCOPE_ALL;
    return status;
}

static int32_t observe(void *object, const struct gb_observation *observation)
{
    struct search *search = object;
    (void)observation;
    search->n_observed++;
    return GB_OK;
}

/* None of n draws is among the best share q with probability (1 - q)^n. */
static int32_t report_random(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    const int32_t status = report(search, claim);
    if (status == GB_OK && claim->scope == GB_SCOPE_MEASURED) {
        claim->scope = GB_SCOPE_SHARE;
        claim->share = -expm1(log1p(-search->space->confidence) / (double)search->n_observed);
    }
    return status;
}

static const struct gb_search_ops exhaustive_ops = SEARCH_OPS(create, propose_next, report, NULL);
static const struct gb_search_ops random_ops = SEARCH_OPS(create_random, propose_random,
                                                          report_random, NULL);

static const struct gb_plugin exhaustive = {
    GB_PLUGIN(SEARCH, "exhaustive", "1.0", "every case, in the order of the configuration"),
    .help = "Measures every case once. Claims the best of all cases where the sign test rules out "
            "every other one: which takes six samples or more of each, and more of the best, since "
            "it was chosen among all. Otherwise it claims the best of those measured.",
    GB_OPTIONS(exhaustive_options, struct params),
    .ops = &exhaustive_ops,
};

static const struct gb_plugin random_search = {
    GB_PLUGIN(SEARCH, "random", "1.0", "cases drawn at random, each once"),
    .help = "Measures cases in random order until budget, cases or patience end it. Claims that "
            "the best one measured is among a share of all cases: of n cases drawn, one is in the "
            "best 1 - (1 - confidence)^(1/n), whatever the space looks like.",
    GB_OPTIONS(random_options, struct params),
    .ops = &random_ops,
};

GB_MODULE(&exhaustive, &random_search)
