/*
 * model.h - regression by a Gaussian process over the indices of cases, and what it predicts of the
 * candidates that each proposal is chosen from. Plugin side.
 *
 * Rasmussen and Williams, Gaussian Processes for Machine Learning (2006): prediction 2.25, 2.26,
 * marginal likelihood 2.30. The kernel is the product over the axes of (1 + share exp(-difference /
 * length)) / (1 + share), a sum of the kernels of all subsets of the axes (Stitson et al., Support
 * vector regression with ANOVA decomposition kernels, 1999): what one axis does alone is learned
 * from few points, what several do together from more. The difference of ordered axes is that of
 * their ranks, from 0 to 1, that of words is 0 or 1. Variance and mean follow from the data
 * (concentrated likelihood); each length, the share and the noise are chosen on a grid.
 */
#pragma once

#include <gbrun/gbrun.h>

enum { MODEL_POINTS_MAX = 1000, MODEL_TARGETS = 2, MODEL_LEVELS_MAX = 1024 };

/* Of the space's axis, with a level for each value: its rank, or that of some neighbours together
 * where there are many. Of whole numbers also how often 2 divides them, as what is fast on a
 * processor is often a matter of that. */
struct model_axis {
    uint32_t axis, n_levels;
    int are_words;
    double length;
    uint16_t *level; /* by index */
    float *factors;  /* of the kernel, by difference of levels */
};

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

/* All cases of a space while there are not too many of them, else a random part. What the model's
 * points say of a candidate is kept, so that one more point costs O(points) for each. */
struct candidates {
    uint32_t n, n_rows;
    uint64_t *cases;
    uint16_t *places;              /* n_axes by candidate */
    float *rows[MODEL_POINTS_MAX]; /* by point: factor^-1 kernel, by candidate */
    float *squares;                /* sum of rows^2 */
    float *means[MODEL_TARGETS];   /* candidates_predict */
    float *n_good, *n_bad;         /* neighbours that could be measured, or not, by kernel^2 */
    size_t n_failures;             /* that n_bad has */
};

/* Zero-initialize, then model_new; model_free always. */
struct model {
    uint32_t n_axes; /* of places: those with more than one value, some of them twice */
    struct model_axis *axes;
    double share;      /* of each axis in the kernel */
    double noise;      /* variance of an observation over that of the process */
    uint32_t n;        /* points */
    uint32_t capacity; /* points that there is room for */
    uint16_t *places;  /* of the points, n_axes each */
    double ceiling;    /* first targets above it count as this one: how bad is no matter */
    double *targets;   /* MODEL_TARGETS by point */
    double *factor;    /* lower triangle of Cholesky, by rows */
    double *weights;   /* factor^-1 (target - mean), `capacity` of each target */
    double *ones;      /* factor^-1 1, by point */
    double mean[MODEL_TARGETS], variance[MODEL_TARGETS]; /* model_solve */
    struct candidates candidates;
    struct failures failures;
};

int32_t model_new(struct model *model, const struct gb_search_space *space);
void model_free(struct model *model);

/* Where a case is, for the model: n_axes numbers. */
void model_place(const struct model *model, const uint32_t *indices, uint16_t *ret_place);
/* The kernel of two places; 1 for the same. */
double model_kernel(const struct model *model, const uint16_t *a, const uint16_t *b);

/* One more point, in O(n^2); its targets may be changed until model_solve. GB_NO_MEMORY; at most
 * MODEL_POINTS_MAX. */
int32_t model_add(struct model *model, const uint16_t *place, const double *targets);
/* Means, variances and weights by the targets as they are, O(n^2). At least one point. */
void model_solve(struct model *model);
/* Chooses lengths, share and noise by the first n_fit points, of the first target: about
 * MODEL_FIT_STEPS n_fit^3 / 6 steps for each axis. Then the factor is made again, O(n^3). */
enum { MODEL_FIT_STEPS = 4 };
void model_fit(struct model *model, uint32_t n_fit);

/* A case that cannot be measured, by its place. GB_NO_MEMORY. */
int32_t model_add_failure(struct model *model, const uint16_t *place);

/* Chooses n of the space's cases as candidates, from index `first` of a stream of random numbers
 * on.
 */
int32_t candidates_choose(struct model *model, const struct gb_host *host,
                          const struct gb_search_space *space, uint32_t n, uint64_t first);
/* Takes in the points that the model has got, and failures; then means by the weights as they are.
 */
int32_t candidates_predict(struct model *model);
/* All points must be taken in anew: lengths have changed. */
void candidates_forget(struct candidates *candidates);

void candidates_get(const struct model *model, uint32_t i, struct prediction *ret);
/* The same of any place, O(n^2). scratch: MODEL_POINTS_MAX. */
void predict_place(const struct model *model, const uint16_t *place, double *scratch,
                   struct prediction *ret);
