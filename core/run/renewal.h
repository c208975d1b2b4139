/*
 * renewal.h - when a device's worker is replaced by a fresh one, so that the visits of a case are
 * not all of one process.
 *
 * What a process fixes for as long as it lives (where memory lies, what was compiled, the device's
 * context) is the same for all visits in it, and no visit can see it. So where a new round begins
 * its visits get a fresh process, if that and those before it take RENEWAL_SHARE of the time since
 * the first at most; of RENEWAL_SHARE_FEW until there are as many as a certificate wants. What a
 * round would wait after it for the next one to begin costs nothing. It is known what that takes:
 * what a case's visit took beside its samples, counts and verification where it was the first in a
 * worker, beyond what another one of the case took (libraries, interpreters, compilation; all of it
 * while there is no other), and to end the old one and to open the device.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RENEWAL_SHARE 0.1
#define RENEWAL_SHARE_FEW 0.2

/* Of a case, the last visit of each kind, beside these; 0: there was none. */
struct renewal_case {
    float fresh_ns, used_ns;
};

/* Of a device; zero-initialize. Times are of host_clock_ns. */
struct renewal {
    double begin_ns;      /* of the first worker; 0: there was none */
    uint32_t round;       /* that the present one began with */
    uint32_t asked_round; /* the last one that it was asked for */
    uint32_t n_renewed;   /* how many have replaced another */
    bool is_renewed;      /* it has */
    bool is_used;         /* it has had a visit */
    double open_ns;       /* to end the one before, and to open the device */
    double closed_ns;     /* when one was ended for a fresh one; 0: it was not */
    double end_ns;        /* what that took */
    double slack_ns;      /* that may be spent and costs nothing */
    double spent_ns;      /* on those that replaced another */
};

/* A worker is started for a visit of a round. */
void renewal_start(struct renewal *renewal, uint32_t round, double now_ns);

/* A worker has ended: a wait for a lock may follow. */
void renewal_end(struct renewal *renewal, double now_ns);

/* A visit has ended, in a process that took open_ns for its device. */
void renewal_visit(struct renewal *renewal, struct renewal_case *of, uint32_t round, double open_ns,
                   double beside_ns);

/* Before a visit of a round, of these n cases; open: which of them are in it, NULL: all. Is the
 * worker to be replaced? True: then it is taken that it is. Asked once for a round. slack: how long
 * the rounds wait for each other. */
bool renewal_is_due(struct renewal *renewal, const struct renewal_case *cases, const bool *open,
                    uint64_t n, uint32_t round, double now_ns, double slack_ns);
