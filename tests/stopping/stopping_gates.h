/*
 * stopping_gates.h - what is asked of a stopping policy, each demand with its figure and limit.
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
size_t gates_failed(const struct gates *gates);
/* One line a gate. */
void gates_write(const struct gates *gates, struct text *out);

/*
 * All that the experiment can say about one policy; the other, of the same experiment, is what its
 * samples are counted against. Where: errors count against the precision that it certifies.
 *  - false certificates: certified or multimodal, and wrong by more than the precision;
 *  - resolved: certified, multimodal, or limited by the resolution where there is a timer's step.
 *    Asked where one that knew the correlation would need half of the budget's samples at most;
 *  - samples: asked where such a one, that leaves out a quarter at most, would need no more than
 *    the limit allows.
 */
void gates_of(const struct experiment *experiment, size_t policy, size_t baseline,
              struct gates *gates);

/* "regimes T=100 us +60 us". */
const char *scenario_words(const struct scenario *scenario, struct arena *arena);
