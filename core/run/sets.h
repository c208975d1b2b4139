/*
 * sets.h - objects of one benchmark, each with inputs and outputs of its own, that are run once
 * each after their inputs were renewed and their outputs poisoned, in an order that is drawn anew.
 * Which are compared afterwards is drawn after they ran. They are run in the judged process
 * (judge.h), or in this one (strict.h).
 */
#pragma once

#include "core/run/case_state.h"

enum {
    SETS_MAX = 4096,
    SETS_DRAWN = 3,    /* of a sample that are compared at least */
    SETS_COMPARING = 2 /* takes so many times as long as the sample, if there is as much to compare:
                          what is done in nearly all runs is nearly never missed */
};

struct sets {
    struct case_state *state;
    const struct gb_bench_ops *ops; /* of the benchmark */
    const void *params;
    void **benches;
    uint32_t n;
    uint32_t order[SETS_MAX]; /* of the last runs */
    bool is_ordered;          /* it is that of their making, as of runs that are one graph */
    bool is_trial;            /* a wrong result is none of the case's */
    bool has_run;             /* and was not compared since */
    double last_ns;           /* what the last runs took */
    double comparing_ns;      /* and comparing some of them, before */
    uint64_t n_samples;
};

void sets_begin(struct sets *sets, struct case_state *state, const struct gb_bench_ops *ops,
                const void *params);
/* Calls create and prepare: what all but the first say goes nowhere. */
int32_t sets_add(struct sets *sets);

/* Another order; that of their making if it is_ordered. */
void sets_reorder(struct sets *sets, uint32_t n);
/* New inputs for n that are drawn, poisoned outputs, another order, of which they are the first. */
int32_t sets_renew(struct sets *sets, uint32_t n);
/* They were run in that order, which took so long. */
void sets_have_run(struct sets *sets, double time_ns);
/* The one that was run at this place in the order. */
int32_t sets_compare(struct sets *sets, uint32_t place);
/* How long a sample's sets may be compared. is_last: of the case, of which more are compared. */
double sets_comparing_ns(const struct sets *sets, bool is_last);
/* Some of these, drawn now, and the last one to be run; of those that take long to compare, after
 * samples that are drawn, too. */
int32_t sets_compare_drawn(struct sets *sets, bool is_last);

/* As of a benchmark. verify: as the last call of the case; reports how many were compared. */
int32_t sets_verify(struct sets *sets);
int32_t sets_work(const struct sets *sets, struct gb_work *work);
void sets_free(struct sets *sets);

/* A set of inputs, drawn from as many as were asked for. */
uint64_t case_input_set(const struct case_state *state);

/* A number that no one can foresee. */
uint64_t secret(void);
/* One of n numbers, drawn, which changes places with the first of them. */
uint32_t sets_draw(uint32_t *numbers, uint32_t n);
