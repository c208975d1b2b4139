/*
 * measure.h - libgbrun: times a function of the calling process, as `gbrun run` times a plugin.
 *
 *   static int32_t run(void *user, void *stream, uint64_t iterations)
 *   {
 *       for (uint64_t i = 0; i < iterations; i++)
 *           work(user);
 *       return GB_OK;
 *   }
 *   const struct gbrun_subject subject = {.size = sizeof subject, .user = &data, .run = run};
 *   const struct gbrun_result *result = gbrun_measure(&subject, "device = cpu\nprecision = 1%");
 *   if (result->status != GB_OK) ... result->error ... else ... result->time_ns ...
 *   gbrun_free(result);
 *
 * The library is found by `pkg-config --libs libgbrun`; it finds devices and policies in the folder
 * gbrun/ beside itself, as gbrun does, and in the folders of GBRUN_PLUGIN_PATH.
 *
 * What it does not do: print, end the process (but where the system has no memory left for a few
 * kilobytes), set signal handlers, locale, environment or working directory, start threads or
 * processes. (A device plugin may start threads of its libraries, such as CUDA's.)
 *
 * Threads: every function may be called from any thread. One thing is measured at a time in a
 * process, as two would disturb each other: a call from a second thread waits for the first. A call
 * from within a callback is refused. All callbacks come on the thread that called. A forked child
 * may measure on the CPU, but not on a GPU that its parent has opened; where another thread
 * measured when it was forked, its calls are refused.
 *
 * CUDA: the context that is current on the calling thread is used, and is current again when the
 * call returns, also after an error; `device = cuda` without an index is that context's device.
 * Without a current context, or with one of another device than is asked for, it is the device's
 * primary context, which is the CUDA runtime's, too.
 *
 * Callbacks return; they leave neither by longjmp nor by an exception (gbrun/measure.hpp catches
 * those of C++ and throws them again once the call has ended).
 *
 * The structs begin with their size and grow at the end only. Texts are UTF-8.
 */
#ifndef GBRUN_MEASURE_H
#define GBRUN_MEASURE_H

#include <gbrun/abi.h>
#include <gbrun/check.h>
#include <gbrun/formats.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GBRUN_API __attribute__((visibility("default")))

/* Flags of a subject. */
enum {
    /* run waits for the device itself: samples cannot be queued ahead, nor captured */
    GBRUN_SYNCHRONIZES = 1u,
    /* run can only do one iteration a call */
    GBRUN_SINGLE = 2u,
    /* run must be called for every sample, as it counts its calls or swaps buffers: what one call
     * enqueued must not be launched a second time */
    GBRUN_EVERY_CALL = 8u,
    /* several kernels are launched as a graph, too, if they can be one; without it only one is */
    GBRUN_PREFERS_GRAPH = 32u
};

/*
 * What is measured. Zeroed but for size, user and run it is complete. Callbacks return GB_OK, or
 * the value of gbrun_fail or gbrun_skip, which end the call; any other value ends it as a failure,
 * too.
 */
struct gbrun_subject {
    uint32_t size;  /* sizeof(struct gbrun_subject) */
    uint32_t flags; /* GBRUN_... */
    void *user;     /* handed to every callback */

    /*
     * Timed: does its work `iterations` times, one after the other: on the CPU at once, on a GPU by
     * putting it on the stream. stream: CUDA: the CUstream, which is also a cudaStream_t; a CPU:
     * NULL.
     *
     * On a GPU it is called a few times to see what it does, then perhaps captured into a graph,
     * which is launched for the samples without another call (not with GBRUN_EVERY_CALL or
     * `launch = stream`). While it is captured, it must neither wait for the device nor allocate
     * memory on it in ways that CUDA cannot capture. What cannot be captured is launched in the
     * stream instead. Work on other streams has to be joined back to this one by events.
     */
    int32_t (*run)(void *user, void *stream, uint64_t iterations);

    /* Before each sample, untimed: undoes what run did to its inputs. NULL: there is nothing to do.
     */
    int32_t (*reset)(void *user, void *stream);

    /* Asked between batches of samples, on the whole at least five times a second: other than 0
     * ends the call with GB_CANCELLED. NULL: never. gbrun_cancel does the same from elsewhere.
     */
    int32_t (*poll)(void *user);

    /* What one iteration does, finite and not negative; 0: not said. Rates in results files are
     * derived from them. */
    double flops;
    double bytes_read;
    double bytes_written;
    double items;

    /* What a call of run takes beside its iterations, such as the way into an interpreter, up to a
     * millisecond: on a CPU a sample has as many iterations as make this a thousandth of it, if
     * that may be chosen. 0: a few instructions, as of compiled code. */
    double entry_ns;

    /* After the last sample, and after others with `refresh`: calls gbrun_check for each output
     * that the sample left, and returns GB_OK, or what did not. NULL: results are not compared. */
    int32_t (*verify)(void *user, void *stream);

    /* Before samples that verify may follow, untimed, before reset: makes new inputs in the memory
     * of the old ones, a function of the number, with 0 those that run had first; and fills the
     * outputs with other values, which could be results. NULL: results are compared once, after the
     * last sample, where one from an earlier call looks like one of the last. */
    int32_t (*refresh)(void *user, void *stream, uint64_t number);

    /* With clock = instructions: as run, of work that is nothing. What it takes is no part of the
     * count. NULL: a function that returns at once. */
    int32_t (*run_empty)(void *user, void *stream, uint64_t iterations);
};

/* [in a callback] The words for a failure, copied; returns the status that the callback is to
 * return: GB_FAILED, and of skip GB_SKIPPED: "needs compute capability 9.0". Outside of a callback
 * they only return it. */
GBRUN_API int32_t gbrun_fail(const char *text);
GBRUN_API int32_t gbrun_skip(const char *text);

/*
 * [in verify] Compares an output with its reference, as `gbrun run` compares those of a benchmark:
 * the same metrics, bounds and words. Both are host memory (gbrun/check.h says what to set:
 * size, format, n, output, reference). The settings `check.KEY = VALUE` say what is judged:
 * check.rms = 1e-3, check.atol ...; without any the check's default_metric, and where that is NULL
 * what is derived: of integers equality; with magnitude and n_products `bound` 1; else 8 units of
 * round-off of the output's format, as `rms`, of one element as `rel`. Returns GB_OK,
 * GB_WRONG_RESULT; GB_INVALID: the check, with words as those of gbrun_fail.
 */
GBRUN_API int32_t gbrun_check(const struct gb_check *check);
/* [in verify] What the program compared itself. text: what was found; where it has not passed, how
 * it differs. */
GBRUN_API int32_t gbrun_checked(const char *name, int32_t passed, const char *text);

/* A kernel, copy or fill of one sample, in order. */
struct gbrun_activity {
    uint32_t size;
    uint32_t kind;    /* 1 kernel, 2 copy, 3 fill, 4 other */
    const char *name; /* of the kernel, readable; else "copy device to host" and the like */
    uint32_t grid[3], block[3];
    uint32_t registers; /* of a thread */
    uint32_t parallel;  /* 0: follows the one before; n: beside the others with the same n */
    uint64_t shared_bytes;
    uint64_t bytes;         /* copied or filled */
    double occupancy;       /* NaN: not known */
    double time_ns;         /* its own time, with `breakdown = yes`; NaN: not asked for */
    double low_ns, high_ns; /* its 95 % interval */
    double gap_ns;          /* since the end of the one before */
};

/* One of several modes (clusters) of the samples. */
struct gbrun_mode {
    double median_ns, low_ns, high_ns;
    double weight; /* share of the samples, 0 to 1 */
};

struct gbrun_message {
    int32_t severity; /* GB_LOG_... */
    uint32_t reserved;
    const char *text;
};

/* A number beside the time: of the policy ("outliers"), of counters ("counter.dram_bytes"). */
struct gbrun_metric {
    const char *name;
    double value;
    const char *unit; /* "1": none */
};

/* One metric of a comparison (docs/verification.md). */
struct gbrun_compared {
    const char *name;         /* of what was compared: "output" */
    const char *metric;       /* "rms" */
    double value;             /* NaN: it does not apply */
    double tolerance;         /* NaN: it is only measured */
    uint64_t index;           /* of maxima: the element where it is */
    double reference, output; /* both values there; NaN without such an element */
    const char *text;         /* as `gbrun run` words it */
    int32_t passed;           /* 1: yes, or only measured */
    uint32_t reserved;
};

/* Bits of flags of a result. */
enum {
    GBRUN_THROTTLED = 1u, /* the device was throttled during some samples */
    GBRUN_DITHERED = 2u,  /* the mean is finer than the clock's tick */
    GBRUN_GRAPH = 4u,     /* launched as a graph; else each sample by a call of run */
    GBRUN_COLD = 8u       /* the cache was flushed before each sample */
};

/*
 * What came of it. Read-only; it and all it points to belong to the library until gbrun_free. No
 * pointer is NULL but those of arrays with a count of 0. Of a call that failed, times are NaN, and
 * what was known by then is there: samples, messages.
 */
struct gbrun_result {
    uint32_t size;
    int32_t status;    /* GB_OK; GB_INVALID: subject or settings; GB_FAILED, GB_SKIPPED,
                          GB_CANCELLED, GB_DEVICE_ERROR: the case; GB_WRONG_RESULT: it was measured,
                          and its result is wrong; GB_IO ...: the results file */
    const char *error; /* "" if GB_OK; several lines where several settings are wrong */

    /* The estimate of the policy, of one iteration. */
    double time_ns;
    double low_ns, high_ns;   /* its interval; NaN: the policy claims none; -inf, +inf: no end */
    double confidence;        /* of the interval: 0.95 */
    const char *statistic;    /* what is estimated: "median", "mean" */
    int32_t verdict;          /* GB_VERDICT_... of gbrun/policy.h; 6, not 1, of few or at once */
    uint32_t flags;           /* GBRUN_THROTTLED ... */
    const char *verdict_text; /* "certified", "certified in this visit", "exact", "multimodal",
                                 "resolution limited", "unconverged" */
    const char *reason;       /* why it ended: "interval within 0.5 %", "max_time 15 s" */
    const char *note;         /* what prevents a better verdict; "" */
    uint64_t n_discarded;     /* samples at the start that the estimate leaves out, as warm-up */
    double n_effective;       /* effective sample size of the others; 0: not known */

    /* The samples, in the order measured, of one iteration each. */
    uint64_t n_samples;
    const double *samples_ns; /* by the clock that counts */
    const double *elapsed_ns; /* of the end of each, since the start of the first */
    uint64_t iterations;      /* of a sample */
    uint64_t n_lost;          /* samples whose times were lost */
    uint64_t n_throttled;     /* samples with GBRUN_THROTTLED */

    /* How they were taken. */
    const char *clock;      /* "kernel", "event", "wall" */
    double tick_ns;         /* resolution of the clock */
    double overhead_ns;     /* its reading without any work, not subtracted */
    double offset_ns;       /* the constant that was subtracted from each sample */
    double offset_error_ns; /* half the width of its 95 % interval, which is in low and high */
    double graph_ns;        /* of work in the stream: its time as a graph; 0: not known */
    const char *way;        /* why samples are not read as asked for, or as others are; "" */
    double load_ns;         /* of load before the first sample, by this or other calls */
    double clock_mean_hz;   /* of the device, over the samples; 0: not known */

    /* The device. */
    const char *device;       /* "cuda:0", "cpu" */
    const char *device_model; /* "NVIDIA H200" */
    const char *device_uuid;

    /* What one sample puts on it; n_activities_known 0: not known. */
    uint32_t activities_known;
    uint32_t n_modes; /* 0: one mode only */
    uint64_t n_activities;
    const struct gbrun_activity *activities;
    uint64_t n_kernels; /* among all there are */
    const struct gbrun_mode *modes;

    uint64_t n_messages;
    const struct gbrun_message *messages;
    uint64_t n_metrics;
    const struct gbrun_metric *metrics;

    double median_ns; /* of the samples, whatever the policy estimates */

    uint64_t n_checks; /* 0: nothing was compared */
    const struct gbrun_compared *checks;

    double clock_low_hz, clock_high_hz; /* as clock_mean_hz: the lowest and the highest */

    /* The visits: time_ns ... note and modes are of all, samples and the rest of the first; of a
     * call that failed all but these are of the visit that failed. */
    uint64_t n_rounds;       /* that came to their end */
    const double *rounds_ns; /* the centre of each, in order */
};

/*
 * Measures the subject, and returns once the policy has decided or a limit was reached.
 *
 * settings: lines `key = value` as in a [bench] section of bench.ini, with its comments and units;
 * NULL or "": all as by default.
 *   device policy clock cache launch pace iterations warmup min_samples max_samples max_time
 *   max_time_undecided rounds pace_limit cool_below clock_at_least counters breakdown
 *                     as in bench.ini; device also cuda:1; default: device = auto, rounds = auto
 *   precision ...     any option of the policy, which is steady by default (gbrun help steady)
 *   flush ...         any option of the device that is named (gbrun help cuda)
 *   check.rms ...     what verify's comparisons are judged by
 *   verify            how much is compared, as in bench.ini; of a subject with verify and refresh
 *   name              of the benchmark in the results file; default: measure
 *   let.NAME          a parameter of the case there, which tells it from others: let.rows = 32
 *   results           a results file that the case is appended to: the calls of a process that name
 *                     the same file and labels are one run, the visits of one case its rounds
 *   run               the UUID of that run, which several processes can add cases to, one after
 *                     the other
 *   label.NAME        a label of the run
 * An unknown key, a value out of range and the like are GB_INVALID with a text that names the line
 * and what was expected.
 *
 * Never NULL. To be freed with gbrun_free.
 *
 * The device stays open for the next call, until gbrun_release. On a GPU the first call costs about
 * half a second more than the following.
 */
GBRUN_API const struct gbrun_result *gbrun_measure(const struct gbrun_subject *subject,
                                                   const char *settings);

GBRUN_API void gbrun_free(const struct gbrun_result *result); /* NULL allowed */

/* What a comparison found. The numbers stay. */
enum {
    GBRUN_UNCLEAR = 0, /* not decided after max_rounds */
    GBRUN_SAME = 1,    /* the interval lies within the margin on both sides of 1 */
    GBRUN_CHANGED = 2, /* it excludes 1, the ratio is within the margin */
    GBRUN_FASTER = 3,  /* it excludes 1, the ratio is beyond the margin */
    GBRUN_SLOWER = 4
};

/* Flags of a comparison. */
enum {
    GBRUN_IN_THIS_PROCESS = 1, /* the visits shared one: what differs from process to process, such
                                  as where memory lies, may be the difference that was found */
    GBRUN_GOES_ON = 2 /* of gbrun_compare_rounds: not decided, and max_rounds not reached */
};

/* One subject against another. Read-only, as a result is. */
struct gbrun_comparison {
    uint32_t size;
    int32_t status;    /* as of a result; a visit that fails ends the comparison */
    const char *error; /* "new: ..." where it is one side's; "" if GB_OK */

    double ratio;                 /* the time of `new` over that of `base`: 0.9 takes 10 % less */
    double ratio_low, ratio_high; /* its interval; all three NaN: fewer than four rounds */
    int32_t verdict;              /* GBRUN_UNCLEAR ... */
    uint32_t flags;               /* GBRUN_IN_THIS_PROCESS ... */
    const char *verdict_text;     /* "unclear", "same", "changed", "faster", "slower" */
    double margin, alpha;         /* as the settings say */
    uint64_t n_needed; /* rounds that would decide what is unclear, in all; 0: not known */

    double base_ns, new_ns; /* geometric means of the rounds */
    uint64_t n_rounds;
    const double *base_rounds_ns, *new_rounds_ns; /* the centre of each visit, in order */

    /* Of the last visit to each: kernels, clock, messages. NULL: there was none. */
    const struct gbrun_result *base_result, *new_result;
};

/*
 * Measures two subjects in turn, visit by visit, until it is certain which takes longer: by the
 * rule of `gbrun ab` (a sequence of intervals that holds the ratio at 1 - alpha however often it is
 * looked at; docs/compare.md). In blocks of two rounds each comes first once, at random in which.
 *
 * settings: those of gbrun_measure but for max_time, and those of [ab NAME]:
 *   margin            differences up to this are no reason to call it slower or faster: 1 %
 *   alpha             how often two that are the same may be called different: 5 %
 *   visit             how long a visit measures, warm-up not counted: 0.1 s
 *   max_rounds        after so many it is unclear: 40
 * With `results`, `gbrun compare FILE --by side --base base` says the same again.
 *
 * Never NULL. To be freed with gbrun_comparison_free.
 */
GBRUN_API const struct gbrun_comparison *gbrun_compare(const struct gbrun_subject *base,
                                                       const struct gbrun_subject *other,
                                                       const char *settings);

/*
 * The same of rounds that were measured before, such as by gbrun_measure in processes of their own:
 * n of both sides, in order, in nanoseconds above 0. step: what a step of the clock is of a time;
 * 0: nothing. settings as of gbrun_compare; all but those of [ab NAME] are only looked at.
 */
GBRUN_API const struct gbrun_comparison *gbrun_compare_rounds(const double *base_ns,
                                                              const double *new_ns, uint64_t n,
                                                              double step, const char *settings);
GBRUN_API void gbrun_comparison_free(const struct gbrun_comparison *comparison); /* NULL allowed */

/*
 * ---- which of some cases is the best
 *
 * A search, as `gbrun run` has them (docs/search.md), over cases that the program itself knows how
 * to measure: by gbrun_measure, or in any other way. It says which case comes next, is given what
 * was observed, and says at its end what may be claimed:
 *
 *   struct gbrun_search *search = gbrun_search_new(axes, 1, values, 30, "tolerance = 1%");
 *   while (gbrun_search_next(search) != GBRUN_SEARCH_ENDED)
 *       ... measure case search->i with search->n_samples samples, gbrun_search_observe ...
 *   ... search->best, search->scope ... gbrun_search_free(search)
 */
enum {
    GBRUN_SEARCH_ENDED = 0,   /* nothing is open; the claim is there, or an error */
    GBRUN_SEARCH_MEASURE = 1, /* measure case i, then gbrun_search_observe */
    GBRUN_SEARCH_WAIT = 2     /* nothing more before the next observation */
};

#define GBRUN_NO_CASE UINT64_MAX

/* Written by the functions below; the program reads it. Texts and arrays are the search's. */
struct gbrun_search {
    uint32_t size;
    int32_t status;    /* GB_OK; GB_INVALID: settings, cases, an observation */
    const char *error; /* "" if GB_OK */

    /* What gbrun_search_next returned, of MEASURE which visit. */
    int32_t action;
    uint32_t visit; /* which of the case, from 0 */
    uint64_t i, proposal;
    uint64_t n_samples; /* 0: as many as the policy wants */
    const char *why;    /* "first look", "not ruled out" */

    /* Once it has ended. Values are those that were observed. */
    int32_t scope; /* GB_SCOPE_... of gbrun/search.h: 3, no case is better by more than tolerance */
    uint32_t reserved;
    const char *scope_text; /* "none", "measured", "share", "all" */
    uint64_t best;          /* GBRUN_NO_CASE: none could be measured */
    double value_ns;        /* the median of its samples */
    double low_ns, high_ns; /* its interval; NaN: none is claimed */
    double share, tolerance, confidence;
    uint64_t n_open; /* cases that are not ruled out as better than the best */
    const uint64_t *open;
    uint64_t n_visits, n_cases; /* observed */
    const char *reason;         /* why it ended */
    const char *note;           /* what prevents a better claim; "" */
};

/*
 * axes: the names of n_axes parameters, at least one. values: those of case 0 on each axis, of case
 * 1 ..., as texts; no two cases have the same. Numbers are ordered, which searches that know of
 * neighbours use.
 *
 * settings: lines as in a [search] section (docs/search.md):
 *   - search: the plugin, race (default), exhaustive, guided, local or random;
 *   - tolerance, confidence, budget, cases, patience;
 *   - lanes: visits that may be open at a time, such as while they are prepared; 1 by default;
 *   - rounds and any other option of the plugin (gbrun help race);
 *   - seed: of its random numbers.
 *
 * Never NULL. To be freed with gbrun_search_free. A search is for one thread at a time; several
 * may be open.
 */
GBRUN_API struct gbrun_search *gbrun_search_new(const char *const *axes, uint64_t n_axes,
                                                const char *const *values, uint64_t n_cases,
                                                const char *settings);
/* Returns GBRUN_SEARCH_... */
GBRUN_API int32_t gbrun_search_next(struct gbrun_search *search);
/*
 * What came of a proposal that is open, in any order of them. observed: GB_OBSERVED_... of
 * gbrun/search.h, 0 as measured, 1 as failed. samples_ns: n of them, in order; copied. wall_ns: of
 * the whole visit, which includes prepare_ns; 0: not known. Returns GB_OK, or what status has.
 */
GBRUN_API int32_t gbrun_search_observe(struct gbrun_search *search, uint64_t proposal,
                                       int32_t observed, const double *samples_ns, uint64_t n,
                                       double prepare_ns, double wall_ns);
GBRUN_API void gbrun_search_free(struct gbrun_search *search); /* NULL allowed */

/* Ends the call that is measuring now, if there is one, within a quarter of a second, with
 * GB_CANCELLED. May be called from a signal handler and from any thread. */
GBRUN_API void gbrun_cancel(void);

/* Closes the devices that earlier calls have opened, once no call is measuring. Not needed before
 * the process ends; with CUDA to be called before the caller destroys the context that was used. */
GBRUN_API void gbrun_release(void);

/* "0.1.0" */
GBRUN_API const char *gbrun_version(void);

#ifdef __cplusplus
}
#endif

#endif
