/*
 * steady.c - the policies `steady`: until the median's interval is narrow enough and can be
 * trusted, and `quantiles`: `steady`, and the tails at 10 % and 90 % as well. Plugin side.
 *
 * Until an interval of the median holds although one looks repeatedly, samples are correlated,
 * clocks ramp, modes exist and timers tick. Here is when to look, and what comes of it.
 */
#include "clock_history.h"
#include "plugins/common/bench_steps.h"
#include "plugins/common/policy/median_estimate.h"
#include "rank_index.h"
#include "steady_attempt.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 5, MIN_PART = 6 /* samples of a further visit of a case */ };

static const double SETTLED_FLOORS = 2.0;
static const double AHEAD_NS = 1e9;   /* that a certificate speaks for */
static const double OWN_FLOOR = 0.25; /* of the floor at 1 %: always measured in this visit */

/* Looks at more samples are prepared in steps, in all of up to 2.4 times as many. */
enum { PREPARED_FROM = 32768, PREPARED_WHILE = 16, PREPARED_STEPS = 40, CATCH_UP = 2 };

/* The params of `steady`, and the first of those of `quantiles`. */
struct steady_options {
    double precision;
    double confidence;
    int64_t optimal;
    double floor_wall;
    int64_t floor_samples;
    double busy;
    int64_t min;
    double growth;
    double discard;
    double min_mode;
    int64_t visits;
    const char *without;
};

/* Their lines in an option table. */
#define STEADY_OPTIONS                                                                             \
    GB_FLOAT(struct steady_options, precision, "1%", "1e-6:20%", NULL,                             \
             "largest distance from the median to either end of the interval, as a share of the "  \
             "median"),                                                                            \
        GB_FLOAT(struct steady_options, confidence, "95%", "0.5:0.999999", NULL,                   \
                 "probability that the intervals hold, over all looks together"),                  \
        GB_INT(struct steady_options, optimal, "256", "1:1000000000", "samples",                   \
               "effective sample size at which intervals are tightest"),                           \
        GB_DURATION(struct steady_options, floor_wall, "0.1s", "0:1000 h",                         \
                    "wall time before the first look, at a precision of 1 % or more"),             \
        GB_INT(struct steady_options, floor_samples, "150", "1:1000000000", "samples",             \
               "samples before the first look, unless `busy` is reached"),                         \
        GB_DURATION(struct steady_options, busy, "0.25s", "0:1000 h",                              \
                    "time of the samples themselves that replaces `floor_samples`"),               \
        GB_INT(struct steady_options, min, "16", "2:1000000000", "samples",                        \
               "samples before the first look in any case"),                                       \
        GB_FLOAT(struct steady_options, growth, "1.25", "1.01:10", NULL,                           \
                 "samples at a look, relative to the look before"),                                \
        GB_FLOAT(struct steady_options, discard, "25%", "0:0.9", NULL,                             \
                 "largest share of the samples to discard as warm-up"),                            \
        GB_FLOAT(struct steady_options, min_mode, "2%", "0:20%", NULL,                             \
                 "smallest share of the samples that counts as a mode"),                           \
        GB_INT(struct steady_options, visits, "6", "0:1000000", NULL,                              \
               "times that each minor mode must have been entered"),                               \
        GB_STRING(struct steady_options, without, "",                                              \
                  "rules to disable, to see the effect of each")

struct params {
    struct steady_options steady;
    double tails; /* of quantiles; 0: the median alone */
};

static const struct gb_option steady_table[] = {STEADY_OPTIONS};
static const struct gb_option quantiles_table[] = {
    STEADY_OPTIONS,
    GB_FLOAT(struct params, tails, "3%", "1e-6:20%", NULL,
             "half width to reach for the intervals of the tails, as a share of each"),
};

struct steady {
    const struct gb_host *host;
    const struct steady_options *options;
    struct steady_limits limits;
    struct sample_array samples;
    struct rank_index index;
    struct clock_history clocks;
    uint64_t min;                /* samples before the first look */
    double floor_ns;             /* wall time before the first look, under load from before on */
    double own_ns;               /*   and of this visit alone */
    double busy_ns;              /* the samples' own time */
    uint64_t next_look;          /* 0: the first is still to come */
    uint64_t begun_at;           /* samples of a look that is under way; 0: none is */
    uint64_t looked_at;          /* samples seen by then */
    struct steady_attempt found; /* at the last look: what passed, or came nearest */
};

/* --- words of `without` --- */

static const struct {
    const char *word;
    unsigned bit;
} rules[] = {
#define STEADY_RULE_WORD(name, word, bit) {word, STEADY_##name},
    STEADY_RULE_MAP(STEADY_RULE_WORD)
#undef STEADY_RULE_WORD
};

enum { RULES = sizeof rules / sizeof rules[0] };

static int32_t unknown_rule(const struct gb_host *host, const char *word, size_t length)
{
    char text[256];
    int used = snprintf(text, sizeof text, "without: unknown rule '%.*s', expected",
                        length < 64 ? (int)length : 64, word);
    for (size_t i = 0; i < RULES; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s", i > 0 ? "," : "",
                         rules[i].word);
    return host->fail(host, text);
}

static int32_t read_rules(const struct gb_host *host, const char *text, unsigned *ret)
{
    for (const char *word = text + strspn(text, ", "); *word != '\0'; word += strspn(word, ", ")) {
        const size_t length = strcspn(word, ", ");
        size_t i = 0;
        while (i < RULES &&
               (strlen(rules[i].word) != length || strncmp(rules[i].word, word, length) != 0))
            i++;
        if (i == RULES)
            return unknown_rule(host, word, length);
        *ret |= rules[i].bit;
        word += length;
    }
    return GB_OK;
}

static int32_t create(const struct gb_host *host, const void *object, void **ret_policy)
{
    const struct params *params = object;
    const struct steady_options *options = &params->steady;
    const double n_intervals = params->tails > 0.0 ? 3.0 : 1.0; /* share the confidence */
    struct steady *steady = host->allocate(host, sizeof *steady);
    if (steady == NULL)
        return GB_NO_MEMORY;
    steady->host = host;
    steady->options = options;
    const double share = visit_share(host);
    steady->min = larger(smaller(MIN_PART, (uint64_t)options->min),
                         (uint64_t)ceil(share * (double)options->min));
    steady->floor_ns = share * wall_floor(options->floor_wall, options->precision);
    steady->own_ns = share * OWN_FLOOR * options->floor_wall * 0.01 / options->precision;
    steady->limits = (struct steady_limits){
        .precision = options->precision,
        .width = visit_width(share, options->precision),
        .share = share,
        .tails = params->tails,
        .alpha = (1.0 - options->confidence) / n_intervals,
        .optimal = (double)options->optimal,
        .min_mode = options->min_mode,
        .visits = (uint64_t)ceil(share * (double)options->visits),
        .ahead_ns = AHEAD_NS,
        .settling_ns = SETTLED_FLOORS * steady->floor_ns,
        .without = share < 1.0 ? STEADY_OF_FIRST_VISIT : 0,
    };
    *ret_policy = steady;
    return read_rules(host, options->without, &steady->limits.without);
}

/* --- samples --- */

static bool is_throttled(const struct gb_samples *samples, uint64_t i)
{
    if (samples->flags != NULL && (samples->flags[i] & GB_SAMPLE_THROTTLED) != 0)
        return true;
    return samples->throttle != NULL && samples->throttle[i] != 0;
}

/* A device that was under load at this clock has settled: what is left is the case's own. */
static double load_before_ns(const struct steady *steady)
{
    return GB_HAS(steady->host, load_ns) ? steady->host->load_ns : 0.0;
}

static double first_look_ns(const struct steady *steady)
{
    return fmax(fmin(steady->own_ns, steady->floor_ns), steady->floor_ns - load_before_ns(steady));
}

/* Then it goes with 1 / precision, as the least time does: 40 times as long. */
static double ahead_ns(const struct steady *steady)
{
    return load_before_ns(steady) >= steady->floor_ns
               ? AHEAD_NS * fmin(1.0, 0.01 / steady->limits.precision)
               : AHEAD_NS;
}

static bool is_first_look_due(const struct steady *steady)
{
    const struct steady_options *options = steady->options;
    const uint64_t n = sample_array_seen(&steady->samples);
    return n >= steady->min &&
           ((steady->limits.without & STEADY_WALL_FLOOR) != 0 ||
            steady->samples.elapsed_ns >= first_look_ns(steady)) &&
           ((double)n >= steady->limits.share * (double)options->floor_samples ||
            steady->busy_ns >= steady->limits.share * options->busy);
}

static bool is_look_due(const struct steady *steady)
{
    if (steady->found.verdict != GB_VERDICT_NONE)
        return false;
    return steady->next_look > 0 ? sample_array_seen(&steady->samples) >= steady->next_look
                                 : is_first_look_due(steady);
}

/* What a look needs sorted is sorted here, so that the look itself is quick. What came while one
 * was under way is caught up with afterwards. */
static int32_t prepare(struct steady *steady, uint64_t n_new)
{
    const struct sample_array *samples = &steady->samples;
    const uint64_t taken = steady->index.n + steady->index.intake.n;
    const bool is_taking = steady->begun_at == 0 && steady->found.verdict == GB_VERDICT_NONE;
    if (steady->begun_at > 0)
        rank_index_continue(&steady->index, PREPARED_STEPS * n_new);
    return rank_index_take(&steady->index, samples->times,
                           is_taking ? smaller(samples->n, taken + CATCH_UP * n_new) : 0);
}

/* Costs about 250 ns for each sample, and never much more at once: a look at many samples is
 * prepared while a sixteenth as many come in, and says then what it would have said at once. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct steady *steady = object;
    const int32_t status = sample_array_add(&steady->samples, samples);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < samples->n; i++) {
        const double time_ns = samples->time_ns[i];
        if (!isfinite(time_ns))
            continue;
        steady->busy_ns += time_ns *
                           (samples->iterations != NULL ? (double)samples->iterations[i] : 1.0);
        clock_history_add(&steady->clocks, samples->clock_hz != NULL ? samples->clock_hz[i] : 0.0,
                          is_throttled(samples, i));
    }
    return prepare(steady, samples->n);
}

/* --- looks --- */

static struct steady_evidence evidence_of(const struct steady *steady)
{
    return (struct steady_evidence){steady->samples.tick_ns,
                                    (steady->samples.traits & GB_SAMPLES_DITHERED) != 0,
                                    steady->samples.elapsed_ns, &steady->clocks};
}

/* The first attempt that passes, or the one with the narrowest interval. All samples first: that is
 * never recurring. */
static struct steady_attempt try_all(const struct steady *steady, struct retained *retained)
{
    const uint64_t n = retained->n;
    const double share = steady->options->discard / (ATTEMPTS - 1);
    const struct steady_evidence evidence = evidence_of(steady);
    const int attempts = (steady->limits.without & STEADY_DISCARD) != 0 ? 1 : ATTEMPTS;
    struct steady_attempt best;
    steady_attempt_make(&steady->limits, &evidence, retained, &best);
    for (int i = 1; i < attempts && best.verdict == GB_VERDICT_NONE; i++) {
        struct steady_attempt attempt;
        retained_leave_out(retained, (uint64_t)floor(i * share * (double)n));
        steady_attempt_make(&steady->limits, &evidence, retained, &attempt);
        if (attempt.is_recurring)
            continue;
        if (attempt.verdict != GB_VERDICT_NONE ||
            attempt.centre.high - attempt.centre.low < best.centre.high - best.centre.low)
            best = attempt;
    }
    return best;
}

/* Of a look that is under way, only what it began with; else all there is. */
static int32_t complete_index(struct steady *steady, bool is_last)
{
    const struct sample_array *samples = &steady->samples;
    if (steady->begun_at == 0 || is_last)
        return rank_index_update(&steady->index, samples->times, samples->n);
    rank_index_continue(&steady->index, UINT64_MAX);
    return GB_OK;
}

static int32_t look(struct steady *steady, bool is_last, struct steady_attempt *ret)
{
    const struct sample_array *samples = &steady->samples;
    steady->looked_at = sample_array_seen(samples);
    if (samples->n_not_finite > samples->n) {
        *ret = (struct steady_attempt){.verdict = GB_VERDICT_GAVE_UP, .centre = {NAN, NAN, NAN}};
        return GB_OK;
    }
    const int32_t status = complete_index(steady, is_last);
    if (status != GB_OK)
        return status;
    struct retained retained = retained_all(&steady->index);
    steady->limits.ahead_ns = ahead_ns(steady);
    *ret = try_all(steady, &retained);
    return GB_OK;
}

/* --- words --- */

static const char *const NUMBERS[] = {"no",   "one", "two",   "three", "four",
                                      "five", "six", "seven", "eight"};

static void explain(const struct steady *steady, struct gb_next *next)
{
    const struct steady_attempt *found = &steady->found;
    const double percent = 100.0 * steady->limits.width;
    const double tick = steady->samples.tick_ns;
    const char *throttled = found->is_throttled ? ", throttled" : "";
    next->decision = found->verdict == GB_VERDICT_GAVE_UP ? GB_GAVE_UP : GB_DONE;
    switch (found->verdict) {
    case GB_VERDICT_CERTIFIED:
        snprintf(next->reason, sizeof next->reason, "interval within %g %%%s", percent, throttled);
        break;
    case GB_VERDICT_MULTIMODAL:
        snprintf(next->reason, sizeof next->reason, "%s modes, each within %g %%%s",
                 NUMBERS[found->n_modes], percent, throttled);
        break;
    case GB_VERDICT_RESOLUTION_LIMITED:
        snprintf(next->reason, sizeof next->reason,
                 "timer resolution of %.3g ns is %.2g %% of the median", tick,
                 100.0 * tick / found->centre.value);
        break;
    default:
        snprintf(next->reason, sizeof next->reason, "times are zero, negative or not finite");
        break;
    }
}

/* Before the first look. */
static void note_floor(const struct steady *steady, char *ret, size_t size)
{
    const struct steady_options *options = steady->options;
    const long long n = (long long)sample_array_seen(&steady->samples);
    const double elapsed_ns = steady->samples.elapsed_ns;
    if (elapsed_ns < first_look_ns(steady))
        snprintf(ret, size, "%.3g s needed at this precision, %.2g s so far",
                 1e-9 * first_look_ns(steady), 1e-9 * elapsed_ns);
    else
        snprintf(ret, size, "%lld samples needed, %lld so far",
                 n < (long long)steady->min
                     ? (long long)steady->min
                     : (long long)ceil(steady->limits.share * (double)options->floor_samples),
                 n);
}

/* Two digits, more where the whole part has more. */
static const char *percent_text(double ratio, char *buffer, size_t size)
{
    snprintf(buffer, size, ratio < 0.995 ? "%.2g" : "%.0f", 100.0 * ratio);
    return buffer;
}

static void note_width(const struct steady *steady, double reach, char *ret, size_t size)
{
    const struct steady_attempt *found = &steady->found;
    const double precision = steady->limits.width;
    char times[24], percent[32];
    if (!isfinite(reach))
        snprintf(ret, size, "%llu samples count as %.0f independent ones: too few",
                 (unsigned long long)found->n, floor(found->n_effective));
    else if (reach > precision)
        snprintf(ret, size, "interval of %s %% to one side: needs about %s times the samples",
                 percent_text(reach, percent, sizeof percent),
                 samples_needed(reach / precision, times, sizeof times));
}

/* The obstacle, and what would help; nothing where there is none. */
static void explain_obstacle(const struct steady *steady, char *ret, size_t size)
{
    char percent[32];
    const struct steady_attempt *found = &steady->found;
    const double first = found->figures[0];
    const double second = found->figures[1];
    switch (found->obstacle) {
    case OBSTACLE_THROTTLED:
        snprintf(ret, size, "throttled: %.2g s needed then, %.2g s so far", 1e-9 * first,
                 1e-9 * steady->samples.elapsed_ns);
        break;
    case OBSTACLE_CLOCK:
        snprintf(ret, size, "the clock %s, and times follow it", first > 0.0 ? "rises" : "falls");
        break;
    case OBSTACLE_SETTLING:
        snprintf(ret, size, "%.2g s needed after the warm-up, %.2g s so far", 1e-9 * first,
                 1e-9 * second);
        break;
    case OBSTACLE_VISITS:
        snprintf(ret, size, "a minor mode (%.2g %%) was entered %.0f of %llu times", 100.0 * first,
                 second, (unsigned long long)steady->limits.visits);
        break;
    case OBSTACLE_TAIL:
        if (isfinite(second))
            snprintf(ret, size, "interval of the %.0f %% quantile: %s %% to one side",
                     100.0 * first, percent_text(second, percent, sizeof percent));
        else
            snprintf(ret, size, "too few independent samples for the %.0f %% quantile",
                     100.0 * first);
        break;
    case OBSTACLE_WIDTH:
        note_width(steady, first, ret, size);
        break;
    case OBSTACLE_MIXING:
        snprintf(ret, size, "%.0f effective samples needed, %.0f so far: samples are correlated",
                 ceil(first), floor(second));
        break;
    case OBSTACLE_TREND:
        snprintf(ret, size, "still %s by %.2g %% a second", first > 0.0 ? "rising" : "falling",
                 100.0 * fabs(first));
        break;
    case OBSTACLE_BOUND:
        snprintf(ret, size, "a trend of up to %.2g %% a second is not excluded yet", 100.0 * first);
        break;
    default:
        break;
    }
}

/* The time of the samples is no condition that a host knows: it asks at each sample until the
 * number that always is enough. */
static void ask_for_first_look(const struct steady *steady, struct gb_next *next)
{
    next->n_samples = larger(sample_array_seen(&steady->samples) + 1, steady->min);
    if ((steady->limits.without & STEADY_WALL_FLOOR) == 0)
        next->elapsed_ns = first_look_ns(steady);
}

static int32_t begin_look(struct steady *steady)
{
    const struct sample_array *samples = &steady->samples;
    const uint64_t n = sample_array_seen(samples);
    const int32_t status = rank_index_take(&steady->index, samples->times, samples->n);
    if (status != GB_OK)
        return status;
    steady->begun_at = n;
    steady->next_look = n + n / PREPARED_WHILE;
    return rank_index_begin(&steady->index);
}

static int32_t end_look(struct steady *steady)
{
    const uint64_t seen = sample_array_seen(&steady->samples);
    const int32_t status = look(steady, false, &steady->found);
    if (status != GB_OK)
        return status;
    const uint64_t n = steady->begun_at > 0 ? steady->begun_at : seen;
    steady->begun_at = 0;
    steady->next_look = (uint64_t)ceil(steady->options->growth * (double)n);
    if (steady->next_look <= seen)
        steady->next_look = seen + 1;
    return GB_OK;
}

static int32_t next(void *object, struct gb_next *next)
{
    struct steady *steady = object;
    if (is_look_due(steady)) {
        const bool is_prepared = steady->begun_at > 0 || steady->samples.n < PREPARED_FROM;
        const int32_t status = is_prepared ? end_look(steady) : begin_look(steady);
        if (status != GB_OK)
            return status;
    }
    next->decision = GB_MORE;
    if (steady->found.verdict != GB_VERDICT_NONE) {
        explain(steady, next);
    } else if (steady->next_look > 0) {
        next->n_samples = steady->next_look;
        explain_obstacle(steady, next->reason, sizeof next->reason);
    } else {
        ask_for_first_look(steady, next);
        note_floor(steady, next->reason, sizeof next->reason);
    }
    return GB_OK;
}

/* --- report --- */

/* Of the samples that the index holds, which are those of the look that found it. */
static void describe(struct steady *steady)
{
    const struct steady_evidence evidence = evidence_of(steady);
    if (steady->found.n == 0)
        return;
    struct retained retained = retained_all(&steady->index);
    retained_leave_out(&retained, steady->found.first);
    steady_attempt_describe(&steady->limits, &evidence, &retained, &steady->found);
}

/* What came after the last look counts as well, unless it takes back what was guaranteed. */
static int32_t look_last(struct steady *steady)
{
    struct steady_attempt last;
    const bool is_due = steady->next_look > 0 || is_first_look_due(steady);
    if (steady->begun_at == 0)
        describe(steady);
    if (steady->looked_at == sample_array_seen(&steady->samples))
        return GB_OK;
    const int32_t status = look(steady, true, &last);
    steady->begun_at = 0;
    if (status != GB_OK)
        return status;
    if (last.verdict == GB_VERDICT_NONE && steady->found.verdict != GB_VERDICT_NONE)
        return GB_OK;
    if (!is_due)
        last.verdict = GB_VERDICT_NONE;
    steady->found = last;
    describe(steady);
    return GB_OK;
}

static void report_metrics(const struct steady *steady)
{
    const struct steady_attempt *found = &steady->found;
    const double share = found->is_throttled
                             ? clock_history_throttled_share(&steady->clocks, found->first)
                             : 0.0;
    const struct {
        const char *name, *unit;
        double value;
        bool is_known;
    } metrics[] = {
        {"p10", "ns", found->tails[0].value, steady->limits.tails > 0.0},
        {"p10_low", "ns", found->tails[0].low, steady->limits.tails > 0.0},
        {"p10_high", "ns", found->tails[0].high, steady->limits.tails > 0.0},
        {"p90", "ns", found->tails[1].value, steady->limits.tails > 0.0},
        {"p90_low", "ns", found->tails[1].low, steady->limits.tails > 0.0},
        {"p90_high", "ns", found->tails[1].high, steady->limits.tails > 0.0},
        {"throttled", "", share, found->is_throttled},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        if (found->n_effective > 0.0 && metrics[i].is_known && isfinite(metrics[i].value))
            steady->host->metric(steady->host, metrics[i].name, metrics[i].value, metrics[i].unit);
    }
}

/* Looks at what came since the last look, too. Further numbers go to the host as metrics. */
static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct steady *steady = object;
    const int32_t status = look_last(steady);
    if (status != GB_OK)
        return status;
    const struct steady_attempt *found = &steady->found;
    const bool is_known = found->n > 0;
    const bool is_look_done = steady->next_look > 0 || is_first_look_due(steady);
    const struct steady_interval centre = is_known ? found->centre
                                                   : (struct steady_interval){NAN, NAN, NAN};
    const struct median_estimate median = {found->n,   found->is_mean, centre.value,
                                           centre.low, centre.high,    found->n_effective};
    median_estimate_put(&steady->samples, &median, steady->options->confidence,
                        found->verdict != GB_VERDICT_NONE ? found->verdict
                                                          : (int32_t)GB_VERDICT_UNCONVERGED,
                        estimate);
    estimate->n_discarded = found->first;
    estimate->precision = steady->limits.precision;
    if (found->n_modes > 1)
        estimate->n_modes = found->n_modes;
    memcpy(estimate->modes, found->modes, sizeof estimate->modes);
    if (found->verdict == GB_VERDICT_NONE && is_known && !is_look_done)
        note_floor(steady, estimate->note, sizeof estimate->note);
    else if (found->verdict == GB_VERDICT_NONE)
        explain_obstacle(steady, estimate->note, sizeof estimate->note);
    report_metrics(steady);
    return GB_OK;
}

static void destroy(void *object)
{
    struct steady *steady = object;
    if (steady == NULL)
        return;
    sample_array_free(&steady->samples);
    rank_index_free(&steady->index);
}

static const struct gb_policy_ops ops = POLICY_OPS(GB_POLICY_CERTIFIES, next);

static const struct gb_plugin steady_plugin = {
    GB_PLUGIN(POLICY, "steady", "1.0",
              "until the interval of the median is narrow enough and can be trusted"),
    .help =
        "Stops when the median is known to within `precision` on either side:\n"
        "- repeated looks: the interval is one of a confidence sequence, so that it holds with "
        "probability `confidence` at all of them;\n"
        "- correlated samples: it rests on the effective sample size, which must be 26 or more, "
        "for the median and for the quantiles at 10 and 90 %; and 75 or more for the median where "
        "there are more than two samples for an effective one. Below a precision of 1 % those of "
        "correlated samples grow with its square, four times as many at 0.5 %;\n"
        "- trends: nothing is certified while times change significantly in one direction, by more "
        "than a quarter of `precision` in a second, or in the time measured if that is longer; "
        "and, as noise may hide one, until it is 99 % certain that none changes the median of the "
        "second that follows by more than `precision`, or by the noise of a sample where that is "
        "more. Where cases before count, as below, the time ahead is shorter above 1 %: 0.2 s at 5 "
        "%;\n"
        "- warm-up: up to `discard` of the samples is left out at the start, unless that warm-up "
        "recurs later at the same clock; what is retained must then last twice `floor_wall`;\n"
        "- timer resolution: ticks are interpolated where samples are spread over several; where "
        "not, the interval is at least a tick to either side, and half a tick in any case;\n"
        "- dithered timers: where the quartiles are at most two ticks apart and the phase against "
        "the ticks is uniform, as some clocks guarantee, the mean is estimated instead of the "
        "median, from the samples near the median;\n"
        "- modes: each minor mode must have been entered `visits` times;\n"
        "- clocks: nothing is certified while the device's clock drifts and times follow it by "
        "more than half of `precision`; a throttled device takes 3 s.\n\n"
        "The first look is at `min` samples or more, after `floor_wall` of wall time and either "
        "`floor_samples` or `busy`; each further look at `growth` times as many. Below a precision "
        "of 1 % `floor_wall` is longer: twice as long at 0.5 %. The time for which earlier cases "
        "have loaded the device at its current clock is part of it, except for a quarter of "
        "`floor_wall`, in proportion to 1 % over `precision`.\n\n"
        "Verdicts:\n"
        "- certified: the interval is as narrow as requested;\n"
        "- multimodal: there are several modes, each known as precisely as requested;\n"
        "- resolution limited: the timer resolution is too coarse for `precision`.\n\n"
        "`without` disables rules. It is a list of wall_floor, effective_size, mid_quantile, "
        "sequence (the interval is then one for a single look), discard, recurrence, modes, "
        "resolution, clocks, mixing (of the quantiles at 10 and 90 %, 26 and 75), settling "
        "(twice), dithering, trend and trend_bound.",
    GB_OPTIONS(steady_table, struct params),
    .ops = &ops,
};

static const struct gb_plugin quantiles_plugin = {
    GB_PLUGIN(POLICY, "quantiles", "1.0",
              "until the median and the quantiles at 10 % and 90 % are known well enough"),
    .help = "Like `steady`, and the intervals of the quantiles at 10 % and 90 % must be within "
            "`tails` of them. The three intervals hold together with probability `confidence`. The "
            "tails are the metrics p10, p10_low, p10_high, p90, p90_low and p90_high.",
    GB_OPTIONS(quantiles_table, struct params),
    .ops = &ops,
};

GB_MODULE(&steady_plugin, &quantiles_plugin)
