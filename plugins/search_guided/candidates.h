/*
 * candidates.h - the cases that the model predicts at each proposal. Plugin side.
 *
 * All cases of a space while there are not too many of them, else a random part. What the model's
 * points say of a candidate is kept, so that one more point costs O(points) for each.
 */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "gaussian.h"

enum { CANDIDATES_MAX = 16384 };

/* What is thought of a case: logarithms of its value and of what a visit costs. */
struct prediction {
    double mean, deviation, cost;
    double p_ok; /* that it can be measured */
};

/* Cases that cannot be measured, by their places. */
struct failures {
    uint16_t *places;
    size_t n, capacity;
    double p_ok; /* of all cases observed */
};

struct candidates {
    uint32_t n, n_rows;
    uint64_t *cases;
    uint16_t *places;                 /* n_axes by candidate */
    float *rows[GAUSSIAN_POINTS_MAX]; /* by point: factor^-1 kernel, by candidate */
    float *squares;                   /* sum of rows^2 */
    float *means[GAUSSIAN_TARGETS];   /* candidates_predict */
    float *n_good, *n_bad;            /* neighbours that could be measured, or not, by kernel^2 */
    size_t n_failures;                /* that n_bad has */
};

int32_t failures_add(struct failures *failures, const struct gaussian *model,
                     const uint16_t *place);

/* Chooses n of the space's cases, from index `first` of a stream of random numbers on. */
int32_t candidates_choose(struct candidates *candidates, const struct gb_host *host,
                          const struct gb_search_space *space, const struct gaussian *model,
                          uint32_t n, uint64_t first);
/* Takes in the points that the model has got, and failures; then means by the weights as they are.
 */
int32_t candidates_predict(struct candidates *candidates, const struct gaussian *model,
                           const struct failures *failures);
/* All points are to be taken in anew: lengths have changed. */
void candidates_forget(struct candidates *candidates);
void candidates_free(struct candidates *candidates);

void candidates_get(const struct candidates *candidates, const struct gaussian *model,
                    const struct failures *failures, uint32_t i, struct prediction *ret);
/* The same of any place, O(n^2). scratch: GAUSSIAN_POINTS_MAX. */
void predict_place(const struct gaussian *model, const struct failures *failures,
                   const uint16_t *place, double *scratch, struct prediction *ret);

#endif
