/*
 * search_hostile.c - a search that breaks the rule named by `way`: proposes a case that does not
 * exist, the same case for ever, waits for nothing, claims what it has not measured, calls a wrong
 * case the best, crashes in propose or in report, cannot be made. gbrun must end the search, say
 * why, claim nothing, keep what was measured and go on with the rest of the run.
 */
#include <gbrun/gbrun.h>
#include <signal.h>

static const char *const ways[] = {"missing", "repeat", "wait",   "claim",
                                   "wrong",   "crash",  "report", "create"};
enum { MISSING, REPEAT, WAIT, CLAIM, WRONG, CRASH, REPORT, CREATE };

struct params {
    int32_t way;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, way, "missing", ways, "the rule that it breaks"),
};

struct search {
    const struct gb_search_space *space;
    int32_t way;
    uint64_t n;
};

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    if (!search)
        return GB_NO_MEMORY;
    search->space = space;
    search->way = ((const struct params *)params)->way;
    *ret_search = search;
    return search->way == CREATE ? host->fail(host, "does not like the space") : GB_OK;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->n_samples = 2;
    proposal->i = search->n++;
    if (search->way == REPEAT)
        proposal->i = 0;
    if (search->n <= 2 || search->way == REPEAT)
        return GB_OK;
    if (search->way == CRASH)
        raise(SIGSEGV);
    proposal->action = search->way == WAIT      ? GB_PROPOSE_WAIT
                       : search->way == MISSING ? GB_PROPOSE_MEASURE
                                                : GB_PROPOSE_DONE;
    proposal->i = search->space->n_cases + 7;
    return GB_OK;
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    const struct search *search = object;
    if (search->way == REPORT)
        raise(SIGABRT);
    claim->scope = GB_SCOPE_ALL;
    claim->best = search->way == WRONG ? search->space->n_cases - 1 : 0;
    return GB_OK;
}

static const struct gb_search_ops ops = {
    .size = sizeof ops, .create = create, .propose = propose, .report = report};

static const struct gb_plugin plugin = {
    GB_PLUGIN(SEARCH, "hostile", "1.0", "breaks the rules of searches"),
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
