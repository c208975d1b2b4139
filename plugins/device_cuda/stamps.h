/*
 * stamps.h - time stamps on the device: a kernel of one thread that stores the device's own timer
 * and how many cycles its multiprocessor has counted. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/cuda_driver.h"

enum { STAMPS_MAX = 4096 };

/* Zero-initialize. */
struct stamps {
    const struct driver *driver;
    CUmodule module;
    CUfunction stamp, idle, empty, reference;
    CUdeviceptr on_device;  /* STAMPS_MAX of them */
    struct stamp *read;     /* the host's copy */
    uint64_t step_ns;       /* to which times are cut; 0: as they are */
    uint32_t dither_clocks; /* the longest random wait; 0: none */
};

/* In the current context. step_ns: as above. */
CUresult stamps_open(struct stamps *stamps, const struct driver *driver, uint64_t step_ns);
void stamps_close(struct stamps *stamps);

/* From now on a stamp that begins a sample waits at random for up to a step of the timer, so that
 * the phase of samples against it is uniform. clock_hz: of the multiprocessors, at most. */
void stamps_dither(struct stamps *stamps, double step_ns, double clock_hz);

/* Put on a stream, or into what is captured from it: a stamp with a number; the one that begins a
 * sample; nothing for so long; a kernel that does nothing. */
CUresult stamps_put(const struct stamps *stamps, CUstream stream, uint32_t number);
CUresult stamps_put_first(const struct stamps *stamps, CUstream stream, uint32_t number);
CUresult stamps_put_idle(const struct stamps *stamps, CUstream stream, double ns);
CUresult stamps_put_empty(const struct stamps *stamps, CUstream stream);

/* Fixed work of one thread between two stamps, `number` and the next: 40,000 products and sums,
 * each of which waits for the one before. Only their times are set. */
enum { STAMPS_REFERENCE = 1 }; /* version of the work */
CUresult stamps_put_reference(const struct stamps *stamps, CUstream stream, uint32_t number);

/* A stamp with a number as a node of a graph; its arguments lie in the caller's memory. */
void stamps_node(const struct stamps *stamps, uint32_t number, uint64_t address[1],
                 uint32_t wait[1], void *arguments[2], CUDA_KERNEL_NODE_PARAMS *ret);

/* Waits for the stream and copies the first n stamps to the host. */
CUresult stamps_read(const struct stamps *stamps, CUstream stream, uint32_t n);

/* ns between two stamps that were read. */
double stamps_between(const struct stamps *stamps, uint32_t first, uint32_t last);

/* The clock of the multiprocessors between two stamps that were read, by the cycles of the one on
 * which both ran: to 0.03 %. 0: they are less than 100 us apart, or ran on two. */
double stamps_clock_hz(const struct stamps *stamps, uint32_t first, uint32_t last);
