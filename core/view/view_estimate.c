/* view_estimate.c - what a policy reported, in a table and after it. */
#include "core/view/view_writers.h"

#include <math.h>

void view_add_percent(struct text *out, double ratio)
{
    double percent = 100 * ratio;
    if (isfinite(percent))
        text_printf(out, percent >= 10 ? "%.1f %%" : "%.2f %%", percent);
    else
        text_add(out, "-");
}

bool view_is_interval(double low_ns, double high_ns)
{
    return isfinite(low_ns) || isfinite(high_ns);
}

void view_add_interval(struct text *out, double central_ns, double low_ns, double high_ns)
{
    char low[NUMBER_TEXT_MAX], high[NUMBER_TEXT_MAX];
    if (!isfinite(low_ns) || !isfinite(high_ns)) {
        if (isfinite(low_ns))
            text_printf(out, "\u2265 %s", format_time(low_ns, 4, low));
        else if (isfinite(high_ns))
            text_printf(out, "\u2264 %s", format_time(high_ns, 4, high));
        return;
    }
    double below = central_ns - low_ns, above = high_ns - central_ns;
    bool alike = below >= 0 && above >= 0 && fabs(above - below) <= 0.5 * fmax(above, below);
    if (alike && central_ns > 0) {
        text_add(out, "\u00B1");
        view_add_percent(out, (above + below) / 2 / central_ns);
    } else {
        text_printf(out, "[%s, %s]", format_time(low_ns, 4, low), format_time(high_ns, 4, high));
    }
}

void shown_add_interval(struct text *out, const struct shown *shown)
{
    const struct case_record *record = &shown->row.c.record;
    if (!shown->has_interval || !view_is_interval(shown->low_ns, shown->high_ns)) {
        text_add(out, record->has_estimate ? "none" : "");
        return;
    }
    if (*record->estimate.statistic && !estimate_is_central(record))
        text_printf(out, "%s ", record->estimate.statistic);
    view_add_interval(out, shown->central_ns, shown->low_ns, shown->high_ns);
}

const char *view_verdict_mark(int32_t verdict)
{
    switch (verdict) {
    case GB_VERDICT_RESOLUTION_LIMITED:
        return "~";
    case GB_VERDICT_UNCONVERGED:
        return "?";
    case GB_VERDICT_GAVE_UP:
        return "!";
    default:
        return "";
    }
}

static bool has_modes(const struct gb_estimate *estimate)
{
    return estimate->n_modes > 1 || estimate->verdict == GB_VERDICT_MULTIMODAL;
}

void shown_add_central(struct text *out, const struct shown *shown)
{
    char number[NUMBER_TEXT_MAX];
    const struct case_record *record = &shown->row.c.record;
    text_add(out, isnan(shown->central_ns) ? "-" : format_time(shown->central_ns, 4, number));
    if (!record->has_estimate)
        return;
    text_add(out, has_modes(&record->estimate) ? MODES_MARK : "");
    text_add(out, view_verdict_mark(record->estimate.verdict));
}

int shown_colour(const struct shown *shown)
{
    const struct case_record *record = &shown->row.c.record;
    const bool is_marked = record->has_estimate && (has_modes(&record->estimate) ||
                                                    *view_verdict_mark(record->estimate.verdict));
    return is_marked ? COLOUR_DOUBT : COLOUR_NONE;
}

int view_status_colour(int status)
{
    return status == CASE_OK ? COLOUR_GOOD : case_status_is_bad(status) ? COLOUR_BAD : COLOUR_FAINT;
}

static void add_verdict(struct text *out, const struct shown *shown)
{
    text_add(out, verdict_words(shown->row.c.record.estimate.verdict));
}

/* Nobody has a part of an independent sample. */
static void add_effective(struct text *out, const struct shown *shown)
{
    double n = shown->row.c.record.estimate.n_effective;
    if (n > 0 && isfinite(n))
        text_printf(out, "%.0f", n);
}

static void add_discarded(struct text *out, const struct shown *shown)
{
    text_printf(out, "%llu", (unsigned long long)shown->row.c.record.estimate.n_discarded);
}

static void add_excluded(struct text *out, const struct shown *shown)
{
    double weight = shown->row.c.record.estimate.detectable_mode_weight;
    if (weight > 0 && isfinite(weight))
        text_printf(out, "< %.2g %%", 100 * weight);
}

static const struct {
    struct estimate_column column;
    void (*add)(struct text *out, const struct shown *shown);
} columns[ESTIMATE_COLUMNS] = {
    {{"verdict", false}, add_verdict},
    {{"effective", true}, add_effective},
    {{"discarded", true}, add_discarded},
    {{"other modes", true}, add_excluded},
};

const struct estimate_column *estimate_column(size_t i)
{
    return &columns[i].column;
}

void estimate_cell(const struct shown *shown, size_t i, struct text *out)
{
    if (shown->row.c.record.has_estimate)
        columns[i].add(out, shown);
}
