/*
 * visit.h - what a run is made of: visits, each one round of one case on a device.
 *
 * A case may have several devices (NAME:all, or auto where `devices = all`). If the run spreads
 * cases, it is one visit for any of the equal devices among them; else one visit for each device.
 * Which of the two it is, and which devices a case has, is decided here and nowhere else.
 */
#pragma once

#include "core/base/host_clock.h"
#include "core/config/search_settings.h"
#include "core/config/sides.h"
#include "core/run/claims.h"
#include "core/run/probe.h"

/* Devices that a case has; the array is the arena's that was given. */
struct device_set {
    const struct known_device **items;
    size_t n;
};

/*
 * The devices that a case may be measured on, one at least: chosen for `device = auto`, else what
 * it names. Of several that a run spreads cases over only those are taken that are of the first
 * one's model. GB_NOT_FOUND: there is none, and why; GB_INVALID: it is not clear which.
 */
int32_t devices_choose(const struct device_list *devices, const struct bench_case *bench_case,
                       int32_t distribute, struct arena *arena, struct device_set *ret,
                       struct gb_error *error);
/* Does no device of the kind that the case names exist here (`auto`: that it could use)? A single
 * one that is named, and a kind that something went wrong with, are expected to be there. */
bool devices_lack(const struct device_list *devices, const struct bench_case *bench_case);

struct visit {
    struct arena arena;
    struct bench_case bench_case;      /* as it is recorded: an index only if the case is bound to
                                          the device */
    struct device_set devices;         /* any of which will do; empty: refused */
    size_t n_case_devices;             /* of the case, its other visits' included; 1 at least */
    const struct known_device *device; /* that it was given to; NULL: none yet */
    const char *environment;           /* of the worker, as one text: "A=1\nB=2\n" */
    uint32_t n_starts;                 /* workers that ended before they took it */
    uint32_t round;
    uint32_t attempt;     /* of a claimed case */
    char uuid[UUID_TEXT]; /* of its record, where that is not to be a random one; "" */
    struct text label;
    char uid[CASE_UID_TEXT];
    char refusal[1024];      /* why it cannot be measured at all; "" if it can */
    int ahead;               /* AHEAD_... */
    double build_ns;         /* that this took, stops included; 0: it was not */
    struct collector *ended; /* AHEAD_ENDED: the record, with its status */
};

/* Is the visit built on a lane before it is measured? */
enum {
    AHEAD_NOT,
    AHEAD_WANTED,
    AHEAD_BEGUN,
    AHEAD_BUILT,
    AHEAD_ENDED /* and is not measured: its case has ended there */
};

/* Fixes the device, one of visit->devices; the label names it if the case has several. */
void visit_give(struct visit *visit, const struct known_device *device);
/* The case as it is sent to a worker, once the device is fixed. Texts and lists stay the visit's.
 */
struct bench_case visit_given_case(const struct visit *visit);
/* Is nothing else to be measured beside it? */
bool visit_is_exclusive(const struct visit *visit);
void visit_free(struct visit *visit); /* NULL allowed */

/* What distinguishes the visits of a run. Of a case that is spread over devices, or has only one,
 * name and index are not looked at. */
struct visit_key {
    uint64_t position;
    uint32_t round;
    int32_t device_index;
    const char *device_name;
};
int visit_key_compare(const void *a, const void *b); /* for qsort */

/*
 * All visits in order: rounds one after the other, the cases in the sweep's order in each. Or,
 * where there are pairs, those alone, both cases of a pair one after the other: in blocks of two
 * rounds, one that begins with the base and one with the other side, at random which comes first.
 */
struct schedule {
    struct sweep *sweep;
    const struct side_pair *pairs; /* NULL: all cases */
    size_t n_pairs;
    uint64_t seed;               /* of the order of sides */
    const struct claims *claims; /* after schedule_count: its batch alone; NULL: all cases */
    const struct device_list *devices;
    int32_t distribute; /* DISTRIBUTE_... */
    bool repeats;       /* any case does (bench_case_repeats): set by schedule_count */
    const bool *open;   /* by position: the cases that the round to come is of; NULL: all that have
                           so many, or a pair */
    bool breakdown;     /* of every case, as `breakdown = yes` */
    bool profiles;      /* one visit alone, of the case at `profiled`, for a profiler */
    uint64_t profiled;
    const bool *is_searched; /* by position: a search decides about the case, which comes by
                                `wanted` alone; NULL: none is */
    struct wanted_visit {
        uint64_t position;
        uint32_t round;
        uint64_t n_samples;     /* exactly so many; 0: as the case's policy says */
        bool is_first_look;     /* another visit follows if the case may be the best */
    } wanted[SEARCH_LANES_MAX]; /* before all others, in order: see schedule_want */
    size_t n_wanted;
    uint32_t n_lanes;  /* more than 1: wanted visits are built ahead, so many at a time */
    bool is_under_way; /* some of those that were wanted are not stored yet */
    bool is_given_up;  /* set by who wanted them: these are not wanted any more */
    const struct visit_key *done; /* in an earlier run that is resumed, ascending */
    size_t n_done;
    uint32_t n_rounds; /* the most that any case asks for: set by schedule_count; with pairs 1, more
                          are given by who decides (struct run_plan, repeats.h) */
    /* where it stands */
    uint64_t next_position;
    uint32_t next_round;
    size_t next_device;
};

/* How many visits there are, and how many of them are done. *notes says which devices are left out
 * because they are not equal to the others, one line each. */
int32_t schedule_count(struct schedule *schedule, uint64_t *ret_n, uint64_t *ret_n_done,
                       struct text *notes, struct gb_error *error);

/* A visit that is to come before all others, after those wanted before; up to SEARCH_LANES_MAX that
 * schedule_next has not given yet. */
void schedule_want(struct schedule *schedule, const struct wanted_visit *wanted);

/* The next visit that is not done; *ret is NULL after the last. */
int32_t schedule_next(struct schedule *schedule, struct visit **ret, struct gb_error *error);
