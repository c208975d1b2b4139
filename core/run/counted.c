/*
 * counted.c - see case_state.h: a case whose clock counts instructions. There are no samples: a
 * fixed number of calls, then a fixed number of counts, which agree or do not.
 *
 * Metrics of the case, of one iteration: instructions and, where the means counts them, what else
 * `names` has, the middle one of the counts each; empty_instructions, what was subtracted; and
 * instructions_least, instructions_most where the counts do not agree.
 */
#include "core/run/case_state.h"

#include "core/base/statistics.h"
#include "core/run/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>

enum { WARM_CALLS = 16, WARM_RUNS = 1 /* of whole programs */, COUNTS = 3 };

static const char *const names[] = {CLOCK_INSTRUCTIONS, "branches", "L1-dcache-load-misses",
                                    "LLC-load-misses"};
enum { NAMES = sizeof names / sizeof *names };

struct counts {
    double values[NAMES][COUNTS];
    size_t n[NAMES];
    double empty[NAMES]; /* the least */
};

static void keep_count(void *context, const char *name, double value, const char *unit)
{
    struct counts *counts = context;
    const bool is_empty = text_starts_with(name, GB_EMPTY);
    const size_t i = text_index(WORDS_OF(names, NAMES), name + (is_empty ? strlen(GB_EMPTY) : 0));
    (void)unit;
    if (i == NAMES || !isfinite(value))
        return;
    if (is_empty)
        counts->empty[i] = counts->n[i] > 1 ? fmin(counts->empty[i], value) : value;
    else if (counts->n[i] < COUNTS)
        counts->values[i][counts->n[i]++] = value;
}

/* Of values of axes and formulas; others are refused in the file. */
static int32_t refuse(struct case_state *state)
{
    const char *expected = counts_expected(&state->bench_case->common);
    return expected ? case_stop(state, CASE_FAILED, "clock = " CLOCK_INSTRUCTIONS ": expected %s",
                                expected)
                    : GB_OK;
}

static int32_t count_once(struct case_state *state, struct gb_counting *asked)
{
    const struct gb_bench_ops *ops = state->ops;
    const struct open_device *device = state->device;
    const bool counts_itself = GB_HAS(ops, count) && ops->count;
    int32_t status = GB_OK;
    if (counts_itself && ops->reset)
        CALL_BENCH(state, status, ops->reset(state->bench, device->queue));
    if (status == GB_OK && counts_itself)
        CALL_BENCH(state, status, ops->count(state->bench, device->queue, asked));
    else if (status == GB_OK)
        CALL_BENCH(state, status, device->counters->count(device->device, asked));
    return case_judge_both(state, "counting", status);
}

static int32_t count_all(struct case_state *state, struct counts *counts, uint32_t *ret_means)
{
    const struct common_params *common = &state->bench_case->common;
    const bool is_single = state->ops->flags & GB_BENCH_SINGLE;
    struct gb_counting asked = {.size = sizeof asked,
                                .cache = (uint32_t)common->cache,
                                .iterations = state->iterations,
                                .bench_ops = state->ops,
                                .bench = state->bench,
                                .queue = state->device->queue,
                                .n_names = NAMES,
                                .names = names,
                                .count = keep_count,
                                .context = counts,
                                .is_exact = 1,
                                .means = (uint32_t)common->count_by,
                                .limit = (uint64_t)common->count_limit};
    int32_t status = GB_OK;
    link_phase(state->link, PHASE_CALIBRATE);
    for (int i = 0; status == GB_OK && i < (is_single ? WARM_RUNS : WARM_CALLS); i++)
        status = host_cancelled() ? case_stop(state, CASE_CANCELLED, "%s", "")
                                  : case_call(state, state->iterations);
    link_phase(state->link, PHASE_COUNT);
    for (int i = 0; status == GB_OK && i < COUNTS; i++)
        status = host_cancelled() ? case_stop(state, CASE_CANCELLED, "%s", "")
                                  : count_once(state, &asked);
    *ret_means = asked.means;
    return status;
}

static void send_timing(struct case_state *state, uint32_t means)
{
    char clock[64];
    const bool is_fixed = personality(0xffffffff) & ADDR_NO_RANDOMIZE;
    snprintf(clock, sizeof clock, CLOCK_INSTRUCTIONS " by %s", count_word(means));
    const struct case_record timing = {
        .clock = clock,
        .iterations = state->iterations,
        .tick_ns = NAN,
        .overhead_ns = NAN,
        .offset_ns = NAN,
        .offset_error_ns = NAN,
        .graph_ns = NAN,
        .launched = launch_word(GB_LAUNCH_STREAM),
        .reading_note = is_fixed ? ""
                                 : "addresses are randomized in this process: counts of code that "
                                   "depends on them vary from run to run"};
    link_send_record(state->link, WIRE_TIMING, &timing);
}

static void send_counts(struct case_state *state, struct counts *counts)
{
    struct gb_estimate estimate = {.size = sizeof estimate,
                                   .value_ns = NAN,
                                   .low_ns = NAN,
                                   .high_ns = NAN,
                                   .confidence = NAN,
                                   .verdict = GB_VERDICT_EXACT};
    char reason[96];
    for (size_t i = 0; i < NAMES; i++) {
        for (size_t j = 0; j < counts->n[i]; j++)
            counts->values[i][j] -= counts->empty[i];
        sort_values(counts->values[i], counts->n[i]);
        if (counts->n[i] == COUNTS)
            link_metric(state->link, names[i], counts->values[i][COUNTS / 2], "");
    }
    if (counts->empty[0] > 0)
        link_metric(state->link, GB_EMPTY CLOCK_INSTRUCTIONS, counts->empty[0], "");
    const double least = counts->values[0][0], most = counts->values[0][COUNTS - 1];
    snprintf(reason, sizeof reason, "%d counts agree", COUNTS);
    if (most > least) {
        const double range = (most - least) / most;
        link_metric(state->link, "instructions_least", least, "");
        link_metric(state->link, "instructions_most", most, "");
        snprintf(reason, sizeof reason, "%d counts differ by %.2g %%", COUNTS, 100 * range);
        snprintf(estimate.note, sizeof estimate.note, "counts from %.17g to %.17g", least, most);
        estimate.verdict = range > COUNTS_AGREEMENT ? GB_VERDICT_UNCONVERGED : GB_VERDICT_CERTIFIED;
    }
    put_estimate(link_begin(state->link, WIRE_ESTIMATE), &estimate, reason, 0);
    link_send(state->link);
}

int32_t case_count_exactly(struct case_state *state)
{
    const struct common_params *common = &state->bench_case->common;
    struct counts counts = {.n = {0}};
    uint32_t means = 0;
    state->iterations = common->iterations > 0 ? (uint64_t)common->iterations : 1;
    if (refuse(state) != GB_OK || count_all(state, &counts, &means) != GB_OK)
        return GB_FAILED;
    if (counts.n[0] < COUNTS || means > GB_COUNT_BY_VALGRIND)
        return case_stop(state, CASE_FAILED, "device %s: gave no count of instructions",
                         state->device->name);
    send_timing(state, means);
    send_counts(state, &counts);
    case_end_phase(state, &state->phases.measure_ns);
    return GB_OK;
}
