/*
 * judged.h - the process that runs what is measured where it is not trusted (verify = judge), and
 * the page that it shares with the judge (judge.h).
 *
 * The judge numbers its orders; the process carries them out one after the other. What the process
 * writes into the page is not trusted.
 */
#pragma once

#include "core/run/sets.h"

#include <stdatomic.h>

/* The program's first argument; behind it the address and the size of the shared memory, whose file
 * is JUDGED_FILE, and the folder of the process. */
#define JUDGED_ARGUMENT "--judged"
enum { JUDGED_FILE = 3 };

/* What is ordered: nothing; n further objects of the benchmark; one run of each of n objects; the
 * second stage of the sandbox. */
enum { JUDGED_NOTHING, JUDGED_MAKE, JUDGED_RUN, JUDGED_CLOSE };
enum { JUDGED_CASE_MAX = 1 << 20 };

/* At the beginning of the shared memory. */
struct judged_page {
    _Atomic uint32_t order; /* the number of the last one; a futex */
    _Atomic uint32_t done;  /* that of the last one that was carried out; a futex */
    uint32_t what, n;
    int32_t status;
    char text[HOST_TEXT_MAX];   /* why, unless status is GB_OK */
    uint64_t used;              /* of the shared memory, by all objects */
    uint32_t objects[SETS_MAX]; /* which, in the order of their runs */
    uint32_t case_bytes;
    unsigned char bench_case[JUDGED_CASE_MAX]; /* the payload of a WIRE_CASE */
};

void futex_wake(_Atomic uint32_t *word);
/* Until the word is no longer `value`, or for some milliseconds. */
void futex_wait(_Atomic uint32_t *word, uint32_t value, int ms);

/* Never returns to the caller's work: the exit code of the process. */
int judged_main(int argc, char **argv);
