/*
 * breakdown.h - a captured sample cut into sections that follow each other, and the time of each: a
 * stamp is put between them. Plugin side.
 *
 * A cut is where all that comes before must have ended before anything after it begins; what runs
 * side by side is one section.
 */
#pragma once

#include "timed_device.h"

enum { BREAKDOWN_SECTIONS_MAX = 1024 };

/* As CUgraphEdgeData, which older headers have not. */
struct edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};

/* The work of one captured sample. Zero-initialize. */
struct breakdown {
    CUgraph graph;
    CUgraphNode *nodes; /* of the work, in an order in which they can run */
    size_t n_nodes;
    uint32_t *section; /* of each node, from 0 */
    uint32_t n_sections;
    CUgraphNode first, last; /* the stamps around the work */
    CUgraphNode *from, *to;  /* edges of the graph, */
    struct edge_data *data;  /*   and what they are */
    size_t n_edges;
    bool is_cut; /* else there is one section, as the edges are not known or have to stay */
};

/* ns over the samples; a gap is before the section, 0 before the first. */
struct section_time {
    double mean_ns, low_ns, high_ns, gap_ns;
};

/* Captures a sample. GB_SKIPPED after host->skip: it cannot be captured. */
int32_t breakdown_new(const struct cuda_device *device, const struct gb_measurement *measurement,
                      struct breakdown *ret);
void breakdown_free(const struct cuda_device *device, struct breakdown *breakdown);

/* times holds n_sections values. */
int32_t breakdown_measure(struct timed_device *timed, const struct gb_measurement *measurement,
                          uint64_t n_samples, const struct breakdown *breakdown,
                          struct section_time *times);
