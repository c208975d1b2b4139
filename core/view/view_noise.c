/*
 * view_noise.c - cases whose samples scatter or have outliers, and what was recorded that explains
 * it.
 */
#include "core/run/machine.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>

/* The rounds of a case, and the case they make; and the noise that a cause must explain. */
struct evidence {
    const struct view_row *rows;
    size_t n;
    const struct shown *shown;
    double cpus;
    /* sums over the rounds */
    double sampled_ns, others_cpu_ns, stolen_ns, waited_ns, n_preempted, n_samples;
    double low_hz, high_hz; /* of the clock */
    double spread_ns;       /* between times that a cause has to tell apart */
    double share;           /* of the samples, that the cause must have slowed */
};

/* Slowing that share of the samples by that much takes this part of the time. */
static double least_share(const struct evidence *found)
{
    return found->share * found->spread_ns / found->shown->row.c.summary.median;
}

static struct evidence gather(const struct view_row *rows, size_t n, const struct shown *shown)
{
    const struct run_record *run = &rows->run->record;
    struct evidence found = {
        .rows = rows, .n = n, .shown = shown, .low_hz = INFINITY, .high_hz = 0};
    found.cpus = strtod(fact_of(run->facts, run->n_facts, "cpus"), NULL);
    for (size_t i = 0; i < n; i++) {
        const struct case_record *record = &rows[i].c.record;
        const struct interference_record *others = &record->interference;
        found.n_samples += (double)record->n_samples;
        if (record->pace.clock_low_hz > 0) {
            found.low_hz = fmin(found.low_hz, record->pace.clock_low_hz);
            found.high_hz = fmax(found.high_hz, record->pace.clock_high_hz);
        }
        if (!others->is_known || !text_equal(record->clock, "wall"))
            continue;
        found.sampled_ns += others->sampled_ns;
        found.others_cpu_ns += others->others_cpu_ns;
        found.stolen_ns += others->stolen_ns;
        found.waited_ns += others->waited_cpu_ns;
        found.n_preempted += (double)others->n_preempted;
    }
    return found;
}

/* ---- likely causes, the most telling first: each adds words, if what was recorded can be one ----
 */

static bool add_throttled(const struct evidence *found, struct text *out)
{
    const double n = (double)found->shown->row.c.n_throttled;
    if (n == 0 || n < found->share * found->n_samples)
        return false;
    text_printf(out, "the device was throttled in ");
    text_add_percent(out, n / found->n_samples);
    text_add(out, " of them");
    return true;
}

/* By half of the spread: the extremes of the clock are not those of each sample. */
static bool add_clock(const struct evidence *found, struct text *out)
{
    const double ratio = found->spread_ns / found->shown->row.c.summary.median;
    if (!(found->high_hz > (1 + ratio / 2) * found->low_hz))
        return false;
    text_printf(out, "the clock moved between %s and %s", SI_TEXT(found->low_hz, "Hz", 3),
                SI_TEXT(found->high_hz, "Hz", 3));
    return true;
}

/* Of the processors' time while samples were taken. */
static void add_share(const struct evidence *found, double ns, const char *words, struct text *out)
{
    text_add(out, words);
    text_add_percent(out, ns / (found->sampled_ns * found->cpus));
    text_add(out, " of the processors");
}

static bool add_stolen(const struct evidence *found, struct text *out)
{
    if (!(found->stolen_ns > 0 && found->stolen_ns >= least_share(found) * found->sampled_ns))
        return false;
    add_share(found, found->stolen_ns, "other guests of the host took ", out);
    return true;
}

static bool add_waited(const struct evidence *found, struct text *out)
{
    if (!(found->n_preempted >= 1 && (found->n_preempted >= found->share * found->n_samples ||
                                      found->waited_ns >= least_share(found) * found->sampled_ns)))
        return false;
    text_printf(out, "its threads were preempted %.0f time%s and waited %s for a processor",
                found->n_preempted, found->n_preempted == 1 ? "" : "s",
                TIME_TEXT(found->waited_ns, 3));
    return true;
}

/* They share caches and memory, too: what that costs is not recorded. */
static bool add_others(const struct evidence *found, struct text *out)
{
    static const double noticed_share = 0.1;
    if (!(found->others_cpu_ns > noticed_share * found->sampled_ns * found->cpus))
        return false;
    add_share(found, found->others_cpu_ns, "other processes had ", out);
    return true;
}

static bool add_mode_count(const struct evidence *found, struct text *out)
{
    const uint32_t n = found->shown->row.c.record.estimate.n_modes;
    if (!found->shown->row.c.record.has_estimate || n < 2)
        return false;
    text_printf(out, "its times have %u modes", n);
    return true;
}

static bool add_rounds(const struct evidence *found, struct text *out)
{
    const double apart_ns = found->shown->row.apart_ratio * found->shown->row.c.summary.median;
    if (found->n < 2 || !found->shown->differs || !(apart_ns >= found->spread_ns / 2))
        return false;
    text_add(out, "its rounds differ by ");
    text_add_percent(out, found->shown->row.apart_ratio);
    return true;
}

/* Readings of one duration lie on two steps, or three. */
static bool add_resolution(const struct evidence *found, struct text *out)
{
    const struct case_record *record = &found->shown->row.c.record;
    const double step_ns = record->tick_ns / (record->iterations ? (double)record->iterations : 1);
    if (!(found->spread_ns <= 2 * step_ns))
        return false;
    text_printf(out, "the timer's resolution, %s of an iteration", TIME_TEXT(step_ns, 3));
    return true;
}

/* Causes from other programs are left out where the load of the machine is ignored. */
static void add_cause(const struct evidence *found, struct text *out)
{
    static const struct {
        bool (*add)(const struct evidence *found, struct text *out);
        bool is_of_others;
    } causes[] = {{add_throttled, false}, {add_clock, false},     {add_stolen, true},
                  {add_waited, true},     {add_others, true},     {add_mode_count, false},
                  {add_rounds, false},    {add_resolution, false}};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (!(causes[i].is_of_others && machine_load_is_ignored()) && causes[i].add(found, out))
            return;
    text_add(out, "no recorded cause; try gbrun doctor");
}

int noise_words(const struct view_row *rows, size_t n, const struct shown *shown, struct text *ret,
                struct text *ret_cause)
{
    static const double noisy_ratio = 0.05, outlying_ratio = 1.5, spreads = 3;
    static const double outlying_share = 0.01, scattered_share = 0.25;
    enum { FEWEST = 100 }; /* of which the highest hundredth is a sample */
    const struct summary *summary = &shown->row.c.summary;
    struct evidence found = gather(rows, n, shown);
    if (shown->row.c.record.status != CASE_OK || !(summary->median > 0))
        return NOISE_NONE;
    if (shown->relative_iqr > noisy_ratio) {
        found.spread_ns = summary->q3 - summary->q1;
        found.share = scattered_share;
        if (ret) {
            text_add(ret, "the middle half of the samples spans ");
            text_add_percent(ret, shown->relative_iqr);
            text_add(ret, " of the median");
        }
        add_cause(&found, ret_cause);
        return NOISE_SCATTER;
    }
    if (found.n_samples >= FEWEST && summary->p99 > outlying_ratio * summary->median &&
        summary->p99 > summary->q3 + spreads * (summary->q3 - summary->q1)) {
        found.spread_ns = summary->p99 - summary->median;
        found.share = outlying_share;
        if (ret)
            text_printf(ret, "1 %% of the samples took %.3g times the median or more",
                        summary->p99 / summary->median);
        add_cause(&found, ret_cause);
        return NOISE_OUTLIERS;
    }
    return NOISE_NONE;
}
