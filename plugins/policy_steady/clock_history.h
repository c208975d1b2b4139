/*
 * clock_history.h - what the device's clock did while samples were taken. Plugin side.
 *
 * In fixed memory: samples are summed up in stretches, whose length doubles as they become many.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_STRETCHES = 1024 };

/* Zero-initialize. */
struct clock_history {
    uint64_t n;      /* samples */
    uint64_t length; /* of a stretch */
    struct clock_stretch {
        double sum;     /* of the clocks that are known */
        double squares; /* of the steps from one known clock to the next */
        uint64_t n_known, n_throttled;
    } stretches[CLOCK_STRETCHES];
    double last_hz;            /* known; 0: none yet */
    uint64_t behind_throttled; /* the last throttled sample's place + 1; 0: none was */
};

/* The next sample's clock, 0 if it is not known, and whether it was throttled. */
void clock_history_add(struct clock_history *history, double clock_hz, bool is_throttled);

/* Whether the device was throttled at a sample from `first` on, and for which share of these; to
 * within a stretch at the start. */
bool clock_history_is_throttled(const struct clock_history *history, uint64_t first);
double clock_history_throttled_share(const struct clock_history *history, uint64_t first);

/* The clock went from one level to another and did not come back. */
struct clock_trend {
    bool is_there, is_rising;
    uint64_t turn; /* the sample at which it passed the middle of the two, to within an eighth */
};

/*
 * Of the samples from `first` on: the means of eight equal parts span more than `tolerance` of
 * their mean and more than eight standard errors, and pass the middle of that span only once.
 * Standard errors are from the steps between neighbouring samples (von Neumann, Distribution of the
 * ratio of the mean square successive difference to the variance, 1941). None where a part has no
 * known clock.
 */
struct clock_trend clock_history_trend(const struct clock_history *history, uint64_t first,
                                       double tolerance);

/*
 * Whether the clock of the first n samples did not come again: its mean lies outside of what the
 * means of eight equal parts of the samples from `first` on span, by more than `tolerance` of it
 * and more than eight standard errors. False where it is not known.
 */
bool clock_history_has_left(const struct clock_history *history, uint64_t n, uint64_t first,
                            double tolerance);
