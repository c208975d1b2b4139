/* record.c - see record.h. */
#include "core/store/record.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *word;
    bool done, bad;
} statuses[CASE_STATUSES] = {
#define STATUS_ENTRY(name, word, done, bad) {word, done, bad},
    CASE_STATUS_MAP(STATUS_ENTRY)
#undef STATUS_ENTRY
};

static bool is_status(int status)
{
    return status >= 0 && status < CASE_STATUSES;
}

const char *case_status_word(int status)
{
    return is_status(status) ? statuses[status].word : "unknown";
}

int case_status_named(const char *word)
{
    const size_t i = text_index(TEXTS_OF(statuses, CASE_STATUSES, word), word);
    return i < CASE_STATUSES ? (int)i : -1;
}

bool case_status_is_done(int status)
{
    return is_status(status) && statuses[status].done;
}

bool case_status_is_bad(int status)
{
    return !is_status(status) || statuses[status].bad;
}

void case_status_describe(int status, const char *words, struct text *out)
{
    text_add(out, case_status_word(status));
    if (!words || !*words)
        return;
    if (status == CASE_CRASHED || status == CASE_DEVICE_ERROR)
        text_printf(out, " (%s)", words);
    else if (status == CASE_TIMED_OUT)
        text_printf(out, " %s", words);
    else
        text_printf(out, ": %s", words);
}

static const struct {
    int32_t verdict;
    const char *words;
} verdicts[] = {
#define VERDICT_ENTRY(name, value, words) {value, words},
    GB_VERDICT_MAP(VERDICT_ENTRY)
#undef VERDICT_ENTRY
};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

const char *verdict_words(int32_t verdict)
{
    for (int i = 0; i < VERDICTS; i++)
        if (verdicts[i].verdict == verdict)
            return verdicts[i].words;
    return verdict_words(GB_VERDICT_NONE);
}

int32_t verdict_named(const char *words)
{
    const size_t i = text_index(TEXTS_OF(verdicts, VERDICTS, words), words);
    return i < VERDICTS ? verdicts[i].verdict : GB_VERDICT_NONE;
}

int32_t verdict_of_visit(int32_t verdict)
{
    return verdict == GB_VERDICT_CERTIFIED ? GB_VERDICT_CERTIFIED_IN_VISIT : verdict;
}

bool verdict_holds(int32_t verdict)
{
    return verdict == GB_VERDICT_CERTIFIED || verdict == GB_VERDICT_CERTIFIED_IN_VISIT ||
           verdict == GB_VERDICT_MULTIMODAL || verdict == GB_VERDICT_EXACT;
}

bool clock_is_counting(const char *clock)
{
    return text_starts_with(clock, CLOCK_INSTRUCTIONS);
}

int32_t verdict_of_case(int32_t visit, const struct rounds_interval *visits, double precision,
                        struct text *note)
{
    if (verdict_of_visit(visit) != GB_VERDICT_CERTIFIED_IN_VISIT)
        return visit;
    if (visits->n < ROUNDS_LEAST || !(precision > 0))
        return GB_VERDICT_CERTIFIED_IN_VISIT;
    if (rounds_hold(visits, precision))
        return rounds_are_apart(visits) && rounds_are_spread(visits)
                   ? GB_VERDICT_CERTIFIED
                   : GB_VERDICT_CERTIFIED_IN_VISIT;
    const double half_ratio = 0.5 * (visits->high - visits->low) / visits->centre;
    if (note && visits->next_ratio > precision)
        text_printf(note, "visits differ: after %zu of them, the next may differ by %.2g %%",
                    visits->n, 100 * visits->next_ratio);
    else if (note)
        text_printf(note, "interval of %.2g %% after %zu visits", 100 * half_ratio, visits->n);
    return GB_VERDICT_UNCONVERGED;
}

const char *fact_of(const struct fact *facts, size_t n, const char *name)
{
    const struct fact *fact = ITEM_NAMED(facts, n, name, name);
    return fact ? fact->value : "";
}

double device_number(const struct device_record *device, const char *fact)
{
    return device ? strtod(FACT(device, fact), NULL) : 0;
}

static const char *const activity_words[] = {[GB_ACTIVITY_KERNEL] = "kernel",
                                             [GB_ACTIVITY_COPY] = "copy",
                                             [GB_ACTIVITY_FILL] = "fill",
                                             [GB_ACTIVITY_OTHER] = "other"};

const char *activity_word(int32_t kind)
{
    return kind >= GB_ACTIVITY_KERNEL && kind < GB_ACTIVITY_OTHER
               ? activity_words[kind]
               : activity_words[GB_ACTIVITY_OTHER];
}

int32_t activity_named(const char *word)
{
    for (int32_t kind = GB_ACTIVITY_KERNEL; kind < GB_ACTIVITY_OTHER; kind++)
        if (text_equal(activity_words[kind], word))
            return kind;
    return GB_ACTIVITY_OTHER;
}

uint32_t others_on_device(const struct case_record *record)
{
    const struct telemetry_record *begin = &record->telemetry[TELEMETRY_BEGIN];
    const struct telemetry_record *end = &record->telemetry[TELEMETRY_END];
    if (!begin->is_known || !end->is_known)
        return 0;
    return begin->values.n_others < end->values.n_others ? begin->values.n_others
                                                         : end->values.n_others;
}

double activity_blocks(const struct gb_activity *activity)
{
    return (double)activity->grid[0] * activity->grid[1] * activity->grid[2];
}

const struct check_record *record_main_check(const struct case_record *record)
{
    const struct check_record *judged = NULL;
    for (size_t i = 0; i < record->n_checks; i++) {
        const struct check_record *check = &record->checks[i];
        if (!check->passed)
            return check;
        if (!judged && !isnan(check->tolerance))
            judged = check;
    }
    return judged;
}

int record_verified(const struct case_record *record)
{
    const struct check_record *check = record_main_check(record);
    if (!check)
        return VERIFIED_UNCHECKED;
    return check->passed ? VERIFIED_OK : VERIFIED_FAILED;
}

const char *verified_word(int verified)
{
    static const char *const words[] = {"unchecked", "ok", "failed"};
    return words[verified];
}

const struct series_level series_levels[SERIES_LEVELS] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};

/* The middle of a class may lie beyond all values in it. */
static double within(const struct series_record *series, double value)
{
    return isfinite(value) ? fmin(fmax(value, series->min), series->max)
           : series->n > 0 ? value
                           : NAN;
}

void series_find_quantiles(struct series_record *series)
{
    static const double confidence = 0.95;
    const size_t n_bins = (size_t)series->n_bins;
    for (size_t i = 0; i < SERIES_LEVELS; i++) {
        const double p = series_levels[i].p;
        const struct bins_interval range = bins_quantile_interval(
            series->bins, n_bins, series->n, series->n_effective[i], p, confidence);
        series->quantiles[i] = (struct series_quantile){
            within(series, bins_quantile(series->bins, n_bins, series->n, p)),
            within(series, range.low), within(series, range.high)};
    }
}
