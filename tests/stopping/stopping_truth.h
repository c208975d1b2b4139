/*
 * stopping_truth.h - what is true of a family of traces: its median, and how many samples a policy
 * that knew everything but the median would need.
 */
#pragma once

#include "tests/stopping/trace_generators.h"

struct truth {
    double median_ns; /* by theory where the family has it, else as simulated */
    double simulated_ns;
    double tau;                /* samples that are worth one independent one */
    double samples_to_know;    /* at which the confidence sequence is as narrow as was asked, or, of
                                  families whose modes are to be reported, that of each mode;
                                  +infinity: never */
    double samples_to_resolve; /* at which 95 % of such intervals are: their ends vary */
    double samples_to_mix;     /* at which there are as many effective samples as `steady` asks for
                                  (steady_attempt.h, mixing), by 95 % of the estimates that it
                                  has of them */
    double samples_to_bound;   /* at which half of its bounds of a trend are narrow enough
                                  (steady_attempt.h, trend bound) */
};

/* Simulates n_traces traces of n samples each, from where the family has settled; 64 times 32768
 * give medians to some 0.03 %. */
struct truth truth_of(const struct trace_setting *setting, double precision, uint64_t seed,
                      uint32_t n_traces, uint64_t n);
