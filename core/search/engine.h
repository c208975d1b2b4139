/*
 * engine.h - a search at work: asks for proposals, hands observations over, keeps the guards.
 *
 * The same for cases that are measured now and for a recorded space. The engine holds what is
 * known of the cases; its caller measures what it asks for, on as many lanes as there are, and
 * returns the observations in any order. A search that breaks a rule only ends itself: the rule is
 * the reason, and what was measured still has a best.
 */
#pragma once

#include "core/search/space.h"

enum {
    ENGINE_LANES_MAX = 256,
    ENGINE_VISITS_MAX = 100,      /* of one case */
    ENGINE_SAMPLES_MAX = 1000000, /* in one visit */
};

/* 0: no such limit; but tolerance, which is, and confidence, in (0, 1). */
struct engine_limits {
    double tolerance, confidence;
    double budget_ns;
    uint64_t budget_cases, patience_cases;
    uint32_t lanes; /* 1 to ENGINE_LANES_MAX */
};

enum {
    ENGINE_MEASURE, /* what the step says */
    ENGINE_WAIT,    /* for an observation: at least one proposal is open */
    ENGINE_END      /* nothing is open */
};

struct engine_step {
    int action; /* ENGINE_... */
    uint64_t proposal, i;
    uint64_t n_samples; /* 0: what the case's policy asks for */
    uint32_t visit;     /* which of the case, from 0 */
    char reason[128];   /* of the proposal, or "" */
};

/* What a search ended with, made sound. */
struct engine_report {
    int32_t scope; /* GB_SCOPE_... */
    uint64_t best; /* GB_NO_CASE: no case could be measured */
    double value;  /* its median; NaN: there is no best */
    double low, high, share;
    const uint64_t *open; /* ascending, without the best; the engine's */
    uint64_t n_open;
    uint64_t n_proposals, n_cases, n_ok; /* cases observed; of them those that may be the best */
    double elapsed_ns;
    bool is_broken;   /* the search broke a rule of search.h: the reason or the note says which */
    char reason[256]; /* why it ended */
    char note[256];   /* "": nothing */
};

struct engine;

/* All that is given must outlive it. Errors carry the status of create. */
int32_t engine_new(const struct gb_search_ops *ops, const void *params, const struct gb_host *host,
                   const struct space *space, const struct engine_limits *limits,
                   struct engine **ret, struct gb_error *error);

/* What to do next. */
void engine_next(struct engine *engine, struct engine_step *ret);

/* What came of a proposal that is open, in any order of them; all is copied. GB_INVALID: it is not
 * open, or a value is not finite. */
int32_t engine_observe(struct engine *engine, const struct gb_observation *observation,
                       struct gb_error *error);

/* Once, at the end. */
void engine_report(struct engine *engine, struct engine_report *ret);

void engine_free(struct engine *engine); /* NULL allowed */
