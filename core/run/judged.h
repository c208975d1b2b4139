/*
 * judged.h - the process that runs what is measured where it is not trusted (verify = judge), and
 * the page that it shares with the judge (judge.h).
 *
 * The judge numbers its orders; the process carries out one after the other, and stops itself after
 * each, with all its threads. On a device with queues it is ready for an order before it may begin
 * it. What the process writes into the page is not trusted.
 */
#pragma once

#include "core/run/sandbox.h"
#include "core/run/sets.h"

#include <stdatomic.h>

/* The program's first argument; behind it the address and the size of the shared memory, whose file
 * is JUDGED_FILE, and the folder of the process. JUDGED_BLOCK_FILE: of a device's memory, if there
 * is one. */
#define JUDGED_ARGUMENT "--judged"
enum { JUDGED_FILE = 3, JUDGED_BLOCK_FILE = 4 };

/*
 * What is ordered: nothing; the case's device opened; the case read, its device opened; n further
 * objects of the benchmark; one run of each of n objects. On a device with queues, after whose work
 * the process waits: n ns in which it is kept busy; a graph made of runs of n objects, in the order
 * of their making; its launch; the second stage of the sandbox.
 */
enum {
    JUDGED_NOTHING,
    JUDGED_PARK,
    JUDGED_OPEN,
    JUDGED_MAKE,
    JUDGED_RUN,
    JUDGED_IDLE,
    JUDGED_CAPTURE,
    JUDGED_LAUNCH,
    JUDGED_CLOSE
};
enum { JUDGED_CASE_MAX = 1 << 20 };

/* At the beginning of the shared memory. */
struct judged_page {
    _Atomic uint32_t order; /* the number of the last one */
    _Atomic uint32_t done;  /* that of the last one that was carried out */
    uint32_t what, n;
    _Atomic uint32_t ready, go; /* that of the one that is begun; that may be */
    int32_t status;
    char text[HOST_TEXT_MAX];     /* why, unless status is GB_OK */
    uint64_t used, device_used;   /* of the shared memory, by all objects */
    struct gb_shared_block block; /* the device's; bytes 0: there is none */
    uint32_t is_captured;         /* there is a graph */
    uint32_t objects[SETS_MAX];   /* which, in the order of their runs */
    uint32_t case_bytes;
    unsigned char bench_case[JUDGED_CASE_MAX]; /* the payload of a WIRE_CASE */
};

/* What the process finds in its environment: what compiles and tunes keeps its files in its folder,
 * whose path is not copied. */
enum { JUDGED_VARIABLES = 7 };
void judged_environment(const char *folder, struct environment_variable ret[JUDGED_VARIABLES]);

/* Never return to the caller's work: the exit code of the process. judged_serve: JUDGED_FILE is
 * open, as is JUDGED_BLOCK_FILE where the page says so; all others from there on are closed. */
int judged_main(int argc, char **argv);
int judged_serve(uint64_t base, uint64_t bytes, const char *folder);
