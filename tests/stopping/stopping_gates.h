/*
 * stopping_gates.h - what is asked of a stopping policy, each demand with its figure and limit, and
 * what came of an experiment as a table.
 */
#pragma once

#include "core/base/text.h"
#include "tests/stopping/stopping_experiment.h"

enum { AT_MOST, AT_LEAST };

struct gate {
    const char *name;
    const char *where; /* the family or scenario that the figure is of; "" for all */
    int side;          /* of the limit that the figure has to be on */
    double figure, limit;
    const char *unit;
    bool passed; /* a figure that is not a number does not pass */
};

struct gates {
    struct gate *items;
    size_t n;
    struct arena *arena; /* of items and texts */
};

void gate_add(struct gates *gates, const char *name, const char *where, int side, double figure,
              double limit, const char *unit);
const struct gate *gate_named(const struct gates *gates, const char *name); /* NULL: none */
size_t gates_failed(const struct gates *gates);
/* One line a gate. */
void gates_write(const struct gates *gates, struct text *out);

/*
 * All that an experiment on families can say about one policy. Where: errors count against the
 * precision that it certifies.
 *  - false certificates: certified or multimodal, and wrong by more than the precision;
 *  - resolved: certified, multimodal, or limited by the resolution where there is a timer's step.
 *    Asked where the budget holds as many samples as make 95 % of the right intervals narrow, and
 *    as many effective ones as the policy asks for;
 *  - samples: as samples_allowed has it, where a quarter at most is left out.
 */
void gates_of(const struct experiment *experiment, size_t policy, struct gates *gates);

/*
 * Of a kernel's replays at most 5 % are false in their visit and of all of them 1 %; of several
 * modes each is judged by what of the visit lies nearest to it. Intervals, a tick wider at either
 * end, hold the visit's median in 95 %. Visits differ by more than their samples say, which no
 * policy sees from one of them: so at most 5 % of a kernel's replays of all visits as one are false
 * on the recording, and 95 % of the intervals of those hold its median. Replays of one visit are
 * not independent, so these are plain shares.
 */
void gates_of_recordings(const struct experiment *experiment, size_t policy, struct gates *gates);

/*
 * What a policy may take of the baseline's samples, in percent: 20 of independent ones, 35 where
 * they are longer than 0.2 ms, 60 of correlated ones, 55 of ramps. NaN where it is not asked:
 *  - of other classes;
 *  - below a precision of 1 %: the baseline knows no precision and takes as many for any, while the
 *    least wall time of a policy and the samples that it needs grow as the precision shrinks;
 *  - where one that knew everything but the median would need more than that, and of ramps four
 *    times what they last;
 *  - of correlated samples, where the 75 effective ones that a policy must have seen to know how
 *    correlated they are are more than that: 0.5 s of samples of 1 ms, fourteen of which are worth
 *    one independent one, hold 36.
 */
double samples_allowed(const struct trace_setting *setting, const struct truth *truth,
                       double precision, double baseline);

/* A row a scenario and policy: what is known of the one, how many samples the other takes, the 95th
 * percentile of its error, and in percent of the replications how often it is wrong, its interval
 * holds (of those that are not multimodal), and which verdict it gives. */
void table_of_outcomes(const struct experiment *experiment, struct text *out);
