/*
 * search_hostile.c - a search that breaks the rule named by `way`, in the third proposal where the
 * way does not say otherwise. gbrun must end the search, say why, claim nothing that is not true,
 * keep what was measured and go on with the rest of the run.
 *   missing, repeat, wait, crash, exit, hang, moody (a case by chance, from its own source),
 * action, samples (more than there can be), many (the most there can be), text (that steers a
 * terminal) in propose create, hang_create, hang_observe, fail_observe never: a visit of each case,
 * again and again claim (what it has not measured), wrong (a case that is wrong is the best), lie
 * (of what was measured, a case that is worse), list (of cases that do not exist), report (crash),
 * hang_report
 */
#include "tests/modules/hurry.h"

#include <fcntl.h>
#include <gbrun/gbrun.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *const ways[] = {
    "missing",      "repeat",       "wait",    "crash",       "exit",        "hang",
    "moody",        "action",       "samples", "many",        "text",        "create",
    "never",        "claim",        "wrong",   "lie",         "hang_create", "list",
    "hang_observe", "fail_observe", "report",  "hang_report", "slow"};
enum {
    MISSING,
    REPEAT,
    WAIT,
    CRASH,
    EXIT,
    HANG,
    MOODY,
    ACTION,
    SAMPLES,
    MANY,
    TEXT,
    CREATE,
    NEVER,
    CLAIM,
    WRONG,
    LIE,
    HANG_CREATE,
    LIST,
    HANG_OBSERVE,
    FAIL_OBSERVE,
    REPORT,
    HANG_REPORT,
    SLOW
};

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
    uint64_t list[2];
};

static void hang(void)
{
    hurry_hang(0);
    for (;;)
        pause();
}

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    if (!search)
        return GB_NO_MEMORY;
    search->space = space;
    search->way = ((const struct params *)params)->way;
    *ret_search = search;
    if (search->way == HANG_CREATE)
        hang();
    return search->way == CREATE ? host->fail(host, "does not like the space") : GB_OK;
}

/* One that another process, or the same one at another time, would not choose. */
static uint64_t by_chance(uint64_t n)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_nsec / 64 + (uint64_t)getpid()) % n;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    const uint64_t n_cases = search->space->n_cases;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->n_samples = 2;
    proposal->i = search->n++;
    if (search->way == REPEAT)
        proposal->i = 0;
    if (search->way == SLOW)
        hurry_think(50e9);
    if (search->way == NEVER || search->way == SLOW)
        proposal->i %= n_cases;
    if (search->way == MOODY)
        proposal->i = by_chance(n_cases);
    if (search->way == REPEAT || search->way == NEVER || search->way == SLOW ||
        (search->way == MOODY && search->n <= 12) || search->n <= 2)
        return GB_OK;
    switch (search->way) {
    case CRASH:
        raise(SIGSEGV);
        break;
    case EXIT:
        exit(0);
    case HANG:
        hang();
        break;
    case WAIT:
        proposal->action = GB_PROPOSE_WAIT;
        break;
    case MISSING:
        proposal->i = n_cases + 7;
        break;
    case ACTION:
        proposal->action = 77;
        break;
    case SAMPLES:
        proposal->n_samples = UINT64_MAX;
        proposal->i = 0;
        break;
    case MANY:
        proposal->action = search->n == 3 ? GB_PROPOSE_MEASURE : GB_PROPOSE_DONE;
        proposal->n_samples = 1000000;
        proposal->i = 0;
        break;
    case TEXT:
        proposal->action = GB_PROPOSE_DONE;
        snprintf(proposal->reason, sizeof proposal->reason, "\033[2Jall is well\nbest: nop\r");
        break;
    default:
        proposal->action = GB_PROPOSE_DONE;
    }
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_observation *observation)
{
    const struct search *search = object;
    if (search->way == HANG_OBSERVE && observation->proposal == 1)
        hang();
    return search->way == FAIL_OBSERVE && observation->proposal == 1 ? GB_FAILED : GB_OK;
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    if (search->way == REPORT)
        raise(SIGABRT);
    if (search->way == HANG_REPORT)
        hang();
    claim->scope = search->way == LIE || search->way == LIST ? GB_SCOPE_MEASURED : GB_SCOPE_ALL;
    claim->best = search->way == WRONG ? search->space->n_cases - 1 : 0;
    if (search->way == LIST) {
        search->list[1] = search->space->n_cases;
        claim->open = search->list;
        claim->n_open = 2;
    }
    return GB_OK;
}

static const struct gb_search_ops ops = {
    .size = sizeof ops, .create = create, .propose = propose, .observe = observe, .report = report};

static const struct gb_plugin plugin = {
    GB_PLUGIN(SEARCH, "hostile", "1.0", "breaks the rules of searches"),
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
