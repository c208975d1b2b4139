/*
 * records.h - which activities of the device belong to which sample, and what time they took.
 * Plugin side.
 *
 * A trace has two sorts of records, in any order: a link says that an API call with a correlation
 * id was made for a sample, an activity (kernel, copy, fill, graph) that something ran from start
 * to end for the call with that id. Activities of calls without a link belong to no sample.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_RECORDS_H
#define GBRUN_PLUGINS_DEVICE_CUDA_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_link {
    uint32_t correlation;
    uint32_t sample;
};

struct record_activity {
    uint32_t correlation;
    uint64_t start_ns, end_ns; /* 0: the device did not say */
};

struct records {
    struct record_link *links;
    size_t n_links, links_size;
    struct record_activity *activities;
    size_t n_activities, activities_size;
    bool is_incomplete; /* memory ran out */
};

/* What became of one sample. */
struct record_sum {
    uint64_t start_ns, end_ns; /* of the first and the last activity */
    uint64_t busy_ns;          /* the activities' own times added up */
    uint32_t n_activities;
    bool is_lost; /* an activity without times */
};

/* Room for this many of each, so that nothing is allocated while samples are taken. */
bool records_reserve(struct records *records, size_t n);
void records_free(struct records *records);
void records_clear(struct records *records);
void records_add_link(struct records *records, uint32_t correlation, uint32_t sample);
void records_add_activity(struct records *records, uint32_t correlation, uint64_t start_ns,
                          uint64_t end_ns);

/* Sums up each of n samples; returns how many have at least one activity. */
size_t records_sum(struct records *records, struct record_sum *sums, size_t n);

#endif
