/*
 * search_hostile.c - a search that breaks the rule named by `way`, in the third proposal where the
 * way does not say otherwise. gbrun must end the search, say why, claim nothing that is not true,
 * keep what was measured and go on with the rest of the run.
 * never: a visit of each case, again and again; moody: a case by chance, from its own source;
 * samples: more than there can be; many: the most there can be; text: that steers a terminal;
 * claim: what it has not measured; wrong: a case that is wrong is the best; lie: of what was
 * measured, a case that is worse; list: of cases that do not exist; report: a crash there.
 */
#include "tests/modules/hurry.h"
#include "tests/modules/words.h"

#include <gbrun/gbrun.h>
#include <signal.h>
#include <stdio.h>

/* What each does with its third proposal. */
#define DONE proposal->action = GB_PROPOSE_DONE
/* clang-format off */
#define WAYS(X)                                                                                    \
    X(missing, proposal->i = n_cases + 7)                                                          \
    X(wait, proposal->action = GB_PROPOSE_WAIT)                                                    \
    X(crash, raise(SIGSEGV))                                                                       \
    X(words, (print_much(), DONE))                                                                 \
    X(exit, exit(0))                                                                               \
    X(hang, hang())                                                                                \
    X(action, proposal->action = 77)                                                               \
    X(samples, (proposal->n_samples = UINT64_MAX, proposal->i = 0))                                \
    X(many, (proposal->action = search->n == 3 ? GB_PROPOSE_MEASURE : GB_PROPOSE_DONE,             \
             proposal->n_samples = 1000000, proposal->i = 0))                                      \
    X(text, (DONE, strcpy(proposal->reason, "\033[2Jall is well\nbest: nop\r")))                   \
    X(moody, DONE) X(create, DONE) X(claim, DONE) X(wrong, DONE) X(lie, DONE) X(list, DONE)        \
    X(fail_observe, DONE) X(report, DONE) X(hang_create, DONE) X(hang_observe, DONE)               \
    X(hang_report, DONE) X(repeat, ) X(never, ) X(slow, )
/* clang-format on */
static const char *const ways[] = {WAYS(WORD)};
enum { WAYS(WORD_NUMBER) };

struct params {
    int32_t way;
};

/* To both outputs, and without an end of the line at last. */
static void print_much(void)
{
    for (int i = 0; i < 50000; i++)
        fprintf(i % 2 ? stderr : stdout, "line %d\n", i);
    for (int i = 0; i < 1000; i++) /* stderr has no buffer: a call writes at once */
        fprintf(stderr, "%05000d", 0);
}

static const struct gb_option options[] = {
    GB_CHOICE(struct params, way, "missing", ways, "the rule that it breaks"),
};

struct search {
    const struct gb_search_space *space;
    int32_t way;
    uint64_t n;
    uint64_t list[2];
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
    if (search->way == IS_hang_create)
        hang();
    return search->way == IS_create ? host->fail(host, "does not like the space") : GB_OK;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    const uint64_t n_cases = search->space->n_cases;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->n_samples = 2;
    proposal->i = search->n++;
    if (search->way == IS_repeat)
        proposal->i = 0;
    if (search->way == IS_slow)
        hurry_think(50e9);
    if (search->way == IS_never || search->way == IS_slow)
        proposal->i %= n_cases;
    if (search->way == IS_moody) /* that another process, or this one later, would not choose */
        proposal->i = ((uint64_t)now_ns() / 64 + (uint64_t)getpid()) % n_cases;
    if (search->way == IS_repeat || search->way == IS_never || search->way == IS_slow ||
        (search->way == IS_moody && search->n <= 12) || search->n <= 2)
        return GB_OK;
    switch (search->way) {
        WAYS(WORD_CASE)
    default:
        break;
    }
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_observation *observation)
{
    const struct search *search = object;
    if (search->way == IS_hang_observe && observation->proposal == 1)
        hang();
    return search->way == IS_fail_observe && observation->proposal == 1 ? GB_FAILED : GB_OK;
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    if (search->way == IS_report)
        raise(SIGABRT);
    if (search->way == IS_hang_report)
        hang();
    claim->scope = search->way == IS_lie || search->way == IS_list ? GB_SCOPE_MEASURED
                                                                   : GB_SCOPE_ALL;
    claim->best = search->way == IS_wrong ? search->space->n_cases - 1 : 0;
    if (search->way == IS_list) {
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
    GB_OPTIONS(options, struct params), .ops = &ops};

GB_MODULE(&plugin)
