/*
 * gaussian.h - regression by a Gaussian process over the indices of cases. Plugin side.
 *
 * Rasmussen and Williams, Gaussian Processes for Machine Learning (2006): prediction 2.25, 2.26,
 * marginal likelihood 2.30. The kernel is the product over the axes of (1 + share exp(-difference /
 * length)) / (1 + share), a sum of the kernels of all subsets of the axes (Stitson et al., Support
 * vector regression with ANOVA decomposition kernels, 1999): what one axis does alone is learned
 * from few points, what several do together from more. The difference of ordered axes is that of
 * their ranks, from 0 to 1, that of words is 0 or 1. Variance and mean follow from the data
 * (concentrated likelihood); each length, the share and the noise are chosen on a grid.
 */
#ifndef GAUSSIAN_H
#define GAUSSIAN_H

#include <gbrun/gbrun.h>

enum { GAUSSIAN_POINTS_MAX = 1000, GAUSSIAN_TARGETS = 2, GAUSSIAN_LEVELS_MAX = 1024 };

/* Of the space's axis, with a level for each value: its rank, or that of some neighbours together
 * where there are many. Of whole numbers also how often 2 divides them, as what is fast on a
 * processor is often a matter of that. */
struct gaussian_axis {
    uint32_t axis, n_levels;
    int are_words;
    double length;
    uint16_t *level; /* by index */
    float *factors;  /* of the kernel, by difference of levels */
};

/* Zero-initialize, then gaussian_new; gaussian_free always. */
struct gaussian {
    uint32_t n_axes; /* of places: those with more than one value, some of them twice */
    struct gaussian_axis *axes;
    double share;      /* of each axis in the kernel */
    double noise;      /* variance of an observation over that of the process */
    uint32_t n;        /* points */
    uint32_t capacity; /* points that there is room for */
    uint16_t *places;  /* of the points, n_axes each */
    double ceiling;    /* first targets above it count as this one: how bad is no matter */
    double *targets;   /* GAUSSIAN_TARGETS by point */
    double *factor;    /* lower triangle of Cholesky, by rows */
    double *weights;   /* factor^-1 (target - mean), `capacity` of each target */
    double *ones;      /* factor^-1 1, by point */
    double mean[GAUSSIAN_TARGETS], variance[GAUSSIAN_TARGETS]; /* gaussian_solve */
};

int32_t gaussian_new(struct gaussian *model, const struct gb_search_space *space);
void gaussian_free(struct gaussian *model);

/* Where a case is, for the model: n_axes numbers. */
void gaussian_place(const struct gaussian *model, const uint32_t *indices, uint16_t *ret_place);
/* The kernel of two places; 1 for the same. */
double gaussian_kernel(const struct gaussian *model, const uint16_t *a, const uint16_t *b);

/* One more point, in O(n^2); its targets may be changed until gaussian_solve. GB_NO_MEMORY; at most
 * GAUSSIAN_POINTS_MAX. */
int32_t gaussian_add(struct gaussian *model, const uint16_t *place, const double *targets);
/* Means, variances and weights by the targets as they are, O(n^2). At least one point. */
void gaussian_solve(struct gaussian *model);
/* Chooses lengths, share and noise by the first n_fit points, of the first target: about
 * GAUSSIAN_FIT_STEPS n_fit^3 / 6 steps for each axis. Then the factor is made again, O(n^3). */
enum { GAUSSIAN_FIT_STEPS = 4 };
void gaussian_fit(struct gaussian *model, uint32_t n_fit);

/* factor^-1 (kernel of the place with each point): n numbers, O(n^2). Returns the sum of the
 * kernels' squares. */
double gaussian_project(const struct gaussian *model, const uint16_t *place, double *ret);

#endif
