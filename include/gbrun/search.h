/*
 * search.h - a search: which case of a space is measured next, and what may be claimed of the best.
 *
 * A search sees observations only, never a clock or a device, and draws random numbers from the
 * host alone: the same observations give the same proposals, whether they are measured now, fed
 * from a results file or replayed from a recorded space. Order of calls:
 *   create, { propose | observe }..., report, destroy
 * Observations are handed over in the order of their proposals, each once, however many lanes
 * prepare cases at a time. The host keeps budget, patience and limits on repetitions whatever a
 * search does: it may end it at any moment after create. report is called once, when all that was
 * proposed has been observed.
 *
 * Values are of the goal, in its unit (ns of one iteration for times), turned so that the smaller
 * one is better: where the goal is a maximum they are negated. "Within tolerance t of b" is
 * a - b <= t * |b|.
 */
#ifndef GBRUN_SEARCH_H
#define GBRUN_SEARCH_H

#include <gbrun/host.h>

#define GB_NO_CASE UINT64_MAX

enum {
    GB_AXIS_NUMBERS = 1, /* ordered: a distance between values means something */
    GB_AXIS_WORDS = 2    /* a set of names */
};

/* One axis of a space. */
struct gb_search_axis {
    uint32_t size;
    uint32_t kind; /* GB_AXIS_... */
    uint32_t n;    /* values, at least 1 */
    uint32_t reserved;
    const char *name;
    const char *const *texts; /* n of them: the values as they are written */
    const double *numbers;    /* n of them, ascending and distinct; NULL where they are words */
};

/*
 * How an observation ended. X(name, value, words)
 *   OK        with samples, or without where the device gave none that count
 *   FAILED    an error: of the benchmark, of its preparation, of the device
 *   WRONG     a comparison with the reference did not pass: it is never the best
 *   SKIPPED   cannot be run here
 *   CRASHED   its process ended
 *   TIMED_OUT its process was killed, as it took too long
 */
#define GB_OBSERVED_MAP(X)                                                                         \
    X(OK, 0, "ok")                                                                                 \
    X(FAILED, 1, "failed")                                                                         \
    X(WRONG, 2, "wrong result")                                                                    \
    X(SKIPPED, 3, "skipped")                                                                       \
    X(CRASHED, 4, "crashed")                                                                       \
    X(TIMED_OUT, 5, "timed out")

enum {
#define GB_OBSERVED_CONSTANT(name, value, words) GB_OBSERVED_##name = (value),
    GB_OBSERVED_MAP(GB_OBSERVED_CONSTANT)
#undef GB_OBSERVED_CONSTANT
};

/* All that is known of a case: what `known` gives. */
struct gb_known {
    uint32_t size;
    int32_t status;    /* of the observation that was worst; GB_OBSERVED_OK: it may be the best */
    uint32_t n_visits; /* observations; 0: the case has not been observed, the rest is 0 */
    uint32_t reserved;
    uint64_t n_samples;
    const double *samples; /* in the order measured; valid until the next call of observe */
    double median;         /* of them; NaN without samples */
    double cost_ns;        /* wall time of all its visits */
};

/*
 * The space, and what the host knows of it. It and all it points to stay valid until the search has
 * been destroyed. Its functions take the struct itself first and may be called from create,
 * propose, observe and report. Cases are 0 to n_cases - 1, in the order of the configuration.
 */
struct gb_search_space {
    uint32_t size;
    uint32_t n_axes;
    uint64_t n_cases;                         /* at least 1 */
    const struct gb_search_axis *const *axes; /* n_axes of them; the last one varies fastest */
    double tolerance;                         /* of the claim: 0.01; at least 0 */
    double confidence;                        /* of the claim: 0.95; above 0, below 1 */
    /* What the host ends the search by; 0: no such limit. */
    double budget_ns;        /* wall time */
    uint64_t budget_cases;   /* different cases */
    uint64_t patience_cases; /* different cases since the best one got better */
    uint32_t lanes;          /* proposals that may be open at a time, at least 1 */
    uint32_t reserved;

    /* The case's value on each axis: n_axes indices. GB_INVALID: there is no such case. */
    int32_t (*place)(const struct gb_search_space *space, uint64_t i, uint32_t *ret_indices);

    /* The case with these values, or GB_NO_CASE: a constraint leaves it out, or an index is none.
     */
    uint64_t (*find)(const struct gb_search_space *space, const uint32_t *indices);

    /* What observations said of a case. The host has set ret->size. GB_INVALID: there is no such
     * case. */
    int32_t (*known)(const struct gb_search_space *space, uint64_t i, struct gb_known *ret);
};

/* GB_PROPOSE_... */
enum {
    GB_PROPOSE_DONE = 0,    /* the search has ended; `reason` says why */
    GB_PROPOSE_MEASURE = 1, /* a visit of case i */
    GB_PROPOSE_WAIT = 2     /* not before the next observation; an end where none is open */
};

/* Filled in by propose. The host has set size and zeroed the rest. */
struct gb_proposal {
    uint32_t size;
    int32_t action;     /* GB_PROPOSE_... */
    uint64_t i;         /* the case */
    uint64_t n_samples; /* so many, in a visit of their own; 0: what the case's policy asks for */
    /* DONE: "every case is measured". MEASURE: what for, for the log: "neighbour", or "". */
    char reason[128];
};

/* What came of a proposal. Valid during the call. */
struct gb_observation {
    uint32_t size;
    int32_t status;    /* GB_OBSERVED_... */
    uint64_t proposal; /* which, from 0 */
    uint64_t i;        /* its case */
    uint64_t n_samples;
    const double *samples; /* values of the goal, in the order measured, all finite. Of a goal that
                              single samples do not have, such as a metric: one for the visit. */
    double warmup_ns;      /* time of the first call, which is no sample; 0: not known */
    double prepare_ns;     /* wall time before it: compiling, allocating; 0: not known */
    double wall_ns;        /* of the visit as a whole, prepare_ns included */
    double elapsed_ns;     /* since the search began, when this one was known; never falls */
};

/*
 * What is claimed of the best case. X(name, value, words)
 *   NONE      nothing
 *   MEASURED  best of the cases measured; those in `open` may be as good
 *   SHARE     best of those measured, and among the best `share` of all cases, with the confidence
 *   ALL       no case of the space that can be run is better by more than the tolerance, with the
 *             confidence. The host takes it only if all cases have been observed.
 */
#define GB_SCOPE_MAP(X)                                                                            \
    X(NONE, 0, "none")                                                                             \
    X(MEASURED, 1, "measured")                                                                     \
    X(SHARE, 2, "share")                                                                           \
    X(ALL, 3, "all")

enum {
#define GB_SCOPE_CONSTANT(name, value, words) GB_SCOPE_##name = (value),
    GB_SCOPE_MAP(GB_SCOPE_CONSTANT)
#undef GB_SCOPE_CONSTANT
};

/* Filled in by report. The host has set size, best to GB_NO_CASE, low, high and share to NaN, and
 * zeroed the rest. */
struct gb_search_claim {
    uint32_t size;
    int32_t scope;        /* GB_SCOPE_... */
    uint64_t best;        /* a case observed as OK with samples; GB_NO_CASE: there is none */
    double low, high;     /* interval of the best one's median; NaN: none is claimed */
    double share;         /* of GB_SCOPE_SHARE: above 0, at most 1 */
    uint64_t n_open;      /* cases that are not ruled out as better than the best */
    const uint64_t *open; /* n_open of them, any order; the search's, valid until destroy */
    char note[128];       /* what prevents a better claim, on one line; "": nothing */
};

/* Flags of a search. */
enum {
    /* What it claims of all cases rests on later visits of the best one: of a case's first visit
     * only the last result is verified, where `verify = auto` would also verify samples. */
    GB_SEARCH_CONFIRMS = 1u
};

struct gb_search_ops {
    uint32_t size;
    uint32_t flags; /* GB_SEARCH_... */
    /* [create] `host` has no device; its random numbers are those of the search's seed. */
    int32_t (*create)(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search);
    /* [untimed] Says what is next. Called again only after MEASURE, or after an observation. */
    int32_t (*propose)(void *search, struct gb_proposal *proposal);
    /* [untimed] Takes in what came of a proposal; space->known has it already. Optional. */
    int32_t (*observe)(void *search, const struct gb_observation *observation);
    /* [untimed] Says what it guarantees. */
    int32_t (*report)(void *search, struct gb_search_claim *claim);
    /* [untimed] As in bench.h. Optional. */
    void (*destroy)(void *search);
};

#endif
