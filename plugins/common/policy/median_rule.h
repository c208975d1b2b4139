/*
 * median_rule.h - the rule of the policies `median_ci` and `median_cs`: until an interval of the
 * median is narrow enough, for one look or for all looks together. Plugin side.
 */
#ifndef GBRUN_PLUGINS_COMMON_MEDIAN_RULE_H
#define GBRUN_PLUGINS_COMMON_MEDIAN_RULE_H

#include "median_estimate.h"

#include <gbrun/policy.h>

/* Zero-initialize all but the first four, which are settings; free `samples`. */
struct median_rule {
    double precision;  /* half width of the interval to reach, over the median */
    double confidence; /* of the interval */
    double n_optimal;  /* of median_sequence_of; 0: the interval is for one look */
    uint64_t min;      /* samples before the first look */
    struct sample_array samples;
    struct median_estimate estimate; /* of the last look */
    uint64_t looked_at;              /* samples seen by then */
    uint64_t next_look;
    int32_t verdict; /* GB_VERDICT_NONE: go on */
};

/* As the policy's next and report; samples go to sample_array_add. */
int32_t median_rule_next(struct median_rule *rule, struct gb_next *next);
int32_t median_rule_report(struct median_rule *rule, struct gb_estimate *estimate);

#endif
