/*
 * run_state.h - what a supervisor knows of its run, and the parts that work on it.
 */
#pragma once

#include "core/base/sha256.h"
#include "core/config/search_settings.h"
#include "core/run/collector.h"
#include "core/run/renewal.h"
#include "core/run/supervisor.h"
#include "core/run/worker_process.h"

enum {
    SLOTS_MAX = 64,                           /* that measure */
    SLOTS_ALL = SLOTS_MAX + SEARCH_LANES_MAX, /* the others are lanes */
    WINDOW = 64 /* visits looked at ahead, for one whose device is free */
};

enum { KILLED_NOT, KILLED_FOR_TIME, KILLED_BY_USER, KILLED_FOR_PROTOCOL };
enum { ALONE_NOT, ALONE_ASKED /* its worker waits */, ALONE_GRANTED };

/*
 * A lock between the gbrun processes of a machine, so that they do not measure on one device at the
 * same time.
 *
 * A lock is a file that any user may open, and in it one place, or one for each CPU: record locks
 * of fcntl(), which the kernel drops when the process ends and of which it names the holder.
 * Nothing is read from these files or written to them. A process that waits holds the turn, so that
 * a process which takes the lock for one case after the other leaves it to others in between.
 */
enum { LOCK_FREE, LOCK_SHARED, LOCK_ALONE };
enum { LOCK_RANGES_MAX = 64 };

struct lock {
    char path[512];
    struct lock_range {
        off_t first, n;
    } ranges[LOCK_RANGES_MAX];
    size_t n_ranges;
    int file; /* -1: not open */
    int state;
    bool has_turn;
    pid_t holder;      /* who kept it from being taken; 0: not known, as in another container */
    char problem[640]; /* why it cannot be used at all; "": it can */
};

/* A worker, and what it is doing. */
struct slot {
    struct run *run;
    bool is_alive;
    struct worker_process process;
    const struct known_device *device;
    bool is_fresh;        /* its process has had no visit */
    bool has_opened;      /* the device */
    char *environment;    /* of the worker, as visits have it */
    struct visit *visit;  /* NULL: idle */
    bool has_begun;       /* the worker has sent a message of the visit */
    struct so_far so_far; /* for events and the live line */
    double reported_ns;   /* when they said it last */
    /* Visits with verify = judge, others: its worker has had one kind. */
    bool has_judged, has_measured;
    struct collector collector;
    double begin_ns;
    double deadline_ns;       /* of awake_clock_ns, as all times of this struct but begin_ns */
    double processor_ns;      /* of the worker, when its time was last prolonged */
    int alone;                /* ALONE_...: has the case asked to be the only one? */
    double asked_ns, left_ns; /* when, and how much of its time limit was left */
    bool is_cut;              /* its connection is closed */
    int killed;
    double killed_ns;
    bool is_left;             /* it was killed, and does not end */
    bool is_closing;          /* it has no visit any more, was killed and has not ended yet */
    struct child_lines lines; /* printed since its last visit ended */
    char violation[sizeof((struct gb_error){0}.text)]; /* of the protocol */
};

struct run {
    const struct run_plan *plan;
    struct schedule schedule;
    struct run_counts counts;
    struct slot slots[SLOTS_ALL];
    bool lanes_wait; /* they are stopped, as a case is measured that they would disturb */
    bool has_news;   /* a visit was stored since on_round was called */
    struct visit *window[WINDOW + SLOTS_MAX]; /* with those that came back */
    size_t n_window;
    bool *open;                        /* cases that have another round: see repeats.h; NULL */
    struct renewal_case *renewals;     /* by position */
    double begin_ns, repeats_begin_ns; /* repeats: the first round of them */
    double round_begin_ns, slack_ns;   /* slack: for how long it was waited for */
    uint64_t sequence;
    struct known_build {
        const struct plugin_info *info;
        char sha256[SHA256_TEXT];
    } * builds; /* that were stored */
    size_t n_builds;
    struct device_state {
        int64_t id;          /* as the store knows it; 0: not stored yet */
        bool is_lost;        /* could not be opened */
        bool has_said_users; /* to the user: other processes that compute on it */
        bool is_stuck;       /* its worker was killed and does not end: it is not used any more */
        struct renewal renewal;
        /* run_locks.c */
        struct lock lock, *others; /* of the rest of its group */
        size_t n_others, n_taken;  /* taken: of the others */
        int has;                   /* which locks */
        bool is_tried, is_used;    /* in this turn of the loop; by a case */
        double wait_begin_ns;      /* 0: no case waits */
        const struct lock *wanted; /* while somebody does */
        bool has_said_wait;        /* to the user */
        bool has_given_up;         /* lock_limit is over, and it was not free since */
        double waited_ns;          /* by the case that has it */
        struct text note;          /* for that case: why it is measured without a lock; "" */
    } * devices;                   /* by known_device */
    struct lock machine, **locks;  /* those of the devices */
    size_t n_sharing;              /* devices for which the machine's is held */
    bool has_said_problem, is_waiting;
    /* of claims */
    size_t batch_size; /* 0: none was measured yet */
    double batch_begin_ns;
    bool has_said_held, has_said_beat;
    bool is_cancelled, is_killed;
    int n_stops;      /* requests of the user to stop that were answered */
    double synced_ns; /* when it was last done */
    struct gb_error error;
    int32_t status;
};

/* ---- run_state.c ---- */

/* The first error ends the run. */
void run_fail(struct run *run, const struct gb_error *error);

/* Does it build, and measures nothing? */
bool slot_is_lane(const struct slot *slot);

struct device_state *run_device(const struct run *run, const struct known_device *device);

/* The slots that have a visit, one after the other: begin with NULL; NULL after the last. busy: of
 * those that measure; at_work: of lanes as well. */
struct slot *run_next_busy(struct run *run, struct slot *slot);
struct slot *run_next_at_work(struct run *run, struct slot *slot);
size_t run_count_busy(struct run *run);
bool run_is_closing(const struct run *run); /* any of its workers */

void run_fill_window(struct run *run);
/* Takes visit i out of the window: it is the caller's. */
struct visit *run_pick(struct run *run, size_t i);

/* ---- assign.c: which worker measures what, and when ---- */

/* Gives out visits while there are workers to take them. */
void assign_visits(struct run *run);
/* One of the cases that have asked to be alone continues once no case is measured. */
void assign_turn(struct run *run);

/* Gives idle lanes the visits that are built before their turn; those that
 * were stopped continue if nothing is measured any more. */
void lanes_assign(struct run *run);
/* Ends all that are at work; their visits stay. */
void lanes_drop(struct run *run);

/* ---- run_locks.c: other gbrun processes on this machine ---- */

/* name: letters, digits, points and dashes of it are kept. cpus: a list such as 0-3,8 for a lock of
 * these CPUs; NULL: of one place. */
void lock_new(struct lock *lock, const char *name, const char *cpus);

/*
 * Tries to take it, shared or alone; does not wait. False: another process has it, or the turn; the
 * turn may be held then, until it is taken or released. True as well if it cannot be used: see
 * problem. One that is held shared already only lets those go first who wait for it.
 */
bool lock_take(struct lock *lock, int state);

/* others: locks of this process, among them this one; what they hold in the same file stays. */
void lock_release(struct lock *lock, struct lock *const *others, size_t n_others);
void lock_free(struct lock *lock);

void run_locks_new(struct run *run);
void run_locks_free(struct run *run);
/*
 * May a case begin on the device, alone on the machine or beside others? Then the device's lock and
 * the machine's are held for it, shared or alone, or a note of the device's state says why not.
 * False: it has to wait; to be asked again soon.
 */
bool run_lock(struct run *run, const struct known_device *device, bool is_alone);
/* The case has ended, or waits. */
void run_unlock(struct run *run, const struct known_device *device);
/* Around a turn of the loop: a device that no case asked for in it stops waiting. */
void run_locks_begin(struct run *run);
void run_locks_settle(struct run *run);

/* ---- slot.c: what a worker sends and prints of its case, and how both end ---- */

/* Gives the slot a worker that can take the visit, on that device. False: none can be started, and
 * the run has failed. */
bool slot_open(struct slot *slot, struct run *run, struct visit *visit,
               const struct known_device *device);
/* The visit and its record begin, and their time. */
void slot_begin(struct slot *slot, struct visit *visit);
/* Must a fresh worker take the visit? */
bool slot_is_unfit(struct slot *slot, const struct visit *visit);
/* Keeps its worker for another run, if it is idle and may serve any visit. */
void slot_give_back(struct slot *slot, struct spare_worker *spare);
/* Takes in all that has arrived, without blocking; ends the visit, and the worker, if that is due.
 */
void slot_listen(struct slot *slot);
/* Sends a message that is a struct, whole. */
void slot_send(struct slot *slot, uint32_t type, const struct wire_field *fields,
               const void *object);
/* At the end of the time of a case that counts, which other processes do not disturb but delay:
 * what is left of its limit as time of a processor, of which it had used before_ns when that was
 * last asked. 0: nothing, or it has hardly used any since then. */
double slot_time_left(double limit_ns, double before_ns, double used_ns);
/* The first reason, KILLED_..., counts. */
void slot_kill(struct slot *slot, int reason);
/* It was killed and does not end: its case does, and its device is not used any more. */
void slot_leave(struct slot *slot);
/* It sent what it must not send, or nothing can be sent to it. */
void slot_kill_for_protocol(struct slot *slot, const char *violation);
/* Ends the worker, if there is one, without waiting: slot_check_closing frees the slot once it has
 * ended, or does not end in WORKER_END_SECONDS. */
void slot_close(struct slot *slot);
/* Its next visit, of this environment, gets a process that has had none: another one of the worker,
 * if that forks them; else the same as slot_close. */
void slot_renew(struct slot *slot, const char *environment);
void slot_check_closing(struct slot *slot);
void slot_end(struct slot *slot); /* the same, and waits */

/* Adds to the record how long it waited for the device's lock, and the note. */
void record_lock(struct collector *collector, const struct device_state *state);
/* Stores the record of a visit that no worker can be given; frees the visit. */
void record_refusal(struct run *run, struct visit *visit);
/* Of a visit that a lane has ended, likewise. */
void record_ended(struct run *run, struct visit *visit);
