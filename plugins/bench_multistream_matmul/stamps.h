/*
 * stamps.h - when and where each block of the products ran, as the kernel writes it. Plugin side;
 * read by compilers of C and of CUDA C++.
 */
#pragma once

enum { RUNS_KEPT = 16 };

struct stamp {
    unsigned long long start_ns, end_ns; /* by a timer that all multiprocessors share */
    unsigned unit;                       /* the multiprocessor */
    unsigned reserved;
};

/* Of one block of one problem; zeros before the first run. */
struct block_log {
    unsigned long long n_runs;
    unsigned long long start_ns;  /* of the run under way */
    struct stamp runs[RUNS_KEPT]; /* the last ones: run i is at i % RUNS_KEPT */
};
