/* replay_page.c - see replay_page.h. */
#include "core/replay/replay_page.h"

#include "core/replay/replay_series.h"
#include "core/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 1100, HEIGHT = 1150, POLICY_COLUMNS = 36 };
enum { COLOUR_BAND = 4, COLOUR_OUTSIDE = 1, COLOUR_SAMPLES = 5, COLOUR_CURVE = 5 };

/* The time that a unit of the axes is. */
static const struct time_scale {
    const char *unit;
    double ns;
} scales[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

static const struct time_scale *scale_of(double ns)
{
    size_t i = 0;
    while (i < 3 && !(ns >= scales[i].ns))
        i++;
    return &scales[i];
}

static void scale(double *values, uint64_t n, double by)
{
    for (uint64_t i = 0; i < n; i++)
        values[i] *= by;
}

static void add_policy_name(struct text *out, const struct replay_policy *policy)
{
    const char *slash = strrchr(policy->label, '/');
    text_add_shortened(out, slash ? slash + 1 : policy->label, POLICY_COLUMNS);
}

/* One line for all policies that stop at the same place. */
static size_t make_verticals(const struct replay_policies *policies,
                             const struct replay_result *results, struct arena *arena,
                             struct plot_vertical *verticals)
{
    size_t n = 0;
    for (size_t i = 0; i < policies->n; i++) {
        CLEANUP(text_free) struct text label = {0};
        bool is_known = results[i].has_failed || !results[i].has_ended || results[i].n == 0;
        for (size_t j = 0; j < n && !is_known; j++)
            is_known = verticals[j].x == (double)results[i].n;
        if (is_known)
            continue;
        for (size_t j = i; j < policies->n; j++) {
            if (results[j].has_failed || !results[j].has_ended || results[j].n != results[i].n)
                continue;
            text_add(&label, label.length ? ", " : "");
            add_policy_name(&label, &policies->items[j]);
        }
        text_printf(&label, " %llu", (unsigned long long)results[i].n);
        verticals[n] = (struct plot_vertical){.x = (double)results[i].n,
                                              .label = arena_text(arena, text_get(&label)),
                                              .colour = (int)n};
        n++;
    }
    return n;
}

static const char *title_of(const struct trace *trace, struct arena *arena)
{
    CLEANUP(text_free) struct text title = {0};
    text_add(&title, trace->label);
    if (trace->has_rounds)
        text_printf(&title, ", round %u", trace->round + 1);
    if (trace->run > 0)
        text_printf(&title, " (run %lld)", (long long)trace->run);
    return arena_text(arena, text_get(&title));
}

/* Where it was measured, how many samples, and which policies have no line. */
static const char *subtitle_of(const struct trace *trace, const struct replay_policies *policies,
                               const struct replay_result *results, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    char elapsed[NUMBER_TEXT_MAX], median[NUMBER_TEXT_MAX];
    const char *before = ". Not yet stopped: ";
    if (*trace->device)
        text_printf(&text, "%s %s, ", trace->device, trace->row.device->record.model);
    if (*trace->clock)
        text_printf(&text, "%s %s, ", trace->clock, trace->view ? "clock" : "column");
    text_printf(&text, "%llu samples in %s, median %s", (unsigned long long)trace->n,
                format_time(trace->elapsed_ns, 3, elapsed),
                format_time(trace->median_ns, 5, median));
    for (size_t i = 0; i < policies->n; i++) {
        if (results[i].has_failed || results[i].has_ended)
            continue;
        text_add(&text, before);
        add_policy_name(&text, &policies->items[i]);
        before = ", ";
    }
    return arena_text(arena, text_get(&text));
}

static const char *samples_title(const struct replay_series *series, uint64_t n,
                                 struct arena *arena)
{
    uint64_t n_within = n - series->n_above - series->n_below;
    return series->n_shown < n_within
               ? arena_printf(arena, "time of a sample, %llu of %llu shown",
                              (unsigned long long)series->n_shown, (unsigned long long)n)
               : "time of a sample";
}

static const char *outside_label(const struct replay_series *series, struct arena *arena)
{
    CLEANUP(text_free) struct text label = {0};
    if (series->n_above)
        text_printf(&label, "%llu above", (unsigned long long)series->n_above);
    if (series->n_below)
        text_printf(&label, "%s%llu below", label.length ? ", " : "",
                    (unsigned long long)series->n_below);
    return label.length ? arena_text(arena, text_get(&label)) : NULL;
}

/* The fewer of them there is room for, the fainter each. */
static double opacity_of(uint64_t n)
{
    return n <= 500 ? 0.9 : n <= 2000 ? 0.6 : 0.35;
}

/* A range for the median that its first, wide intervals do not stretch. */
static void bound_median(const struct replay_series *series, struct plot_panel *panel)
{
    double low = INFINITY, high = -INFINITY;
    uint64_t first = series->n_points / 5;
    for (uint64_t i = first; i < series->n_points; i++) {
        double below = series->median_low_ns[i], above = series->median_high_ns[i];
        low = fmin(low, isnan(below) ? series->median_ns[i] : below);
        high = fmax(high, isnan(above) ? series->median_ns[i] : above);
    }
    double more = 0.15 * (high - low);
    if (!(more > 1e-6 * high))
        more = 0.01 * high;
    if (isfinite(low) && more > 0) {
        panel->y_low = low - more;
        panel->y_high = high + more;
    }
}

int32_t replay_page_write(const char *path, const struct trace *trace,
                          const struct replay_policies *policies,
                          const struct replay_result *results, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct replay_series series;
    int32_t status = replay_series_of(trace->time_ns, trace->n, &arena, &series, error);
    if (status != GB_OK)
        return status;
    const struct time_scale *unit = scale_of(trace->median_ns);
    uint64_t n = series.n_points;
    scale(series.shown_ns, series.n_shown, 1 / unit->ns);
    scale(series.outside_ns, series.n_outside, 1 / unit->ns);
    scale(series.median_ns, n, 1 / unit->ns);
    scale(series.median_low_ns, n, 1 / unit->ns);
    scale(series.median_high_ns, n, 1 / unit->ns);
    scale(series.stdev_ratio, n, 100);
    const struct plot_series samples[] = {{.kind = PLOT_POINTS,
                                           .n = series.n_shown,
                                           .x = series.shown_number,
                                           .y = series.shown_ns,
                                           .colour = COLOUR_SAMPLES,
                                           .opacity = opacity_of(series.n_shown),
                                           .size = series.n_shown > 500 ? 0.5 : 0.9},
                                          {.kind = PLOT_POINTS,
                                           .label = outside_label(&series, &arena),
                                           .n = series.n_outside,
                                           .x = series.outside_number,
                                           .y = series.outside_ns,
                                           .colour = COLOUR_OUTSIDE,
                                           .size = 0.7}};
    const struct plot_series stdev = {
        .n = n, .x = series.number, .y = series.stdev_ratio, .colour = COLOUR_CURVE};
    const struct plot_series entropy = {
        .n = n, .x = series.number, .y = series.entropy_bits, .colour = COLOUR_CURVE};
    const struct plot_series median[] = {{.kind = PLOT_BAND,
                                          .label = "95 % interval of independent samples",
                                          .n = n,
                                          .x = series.number,
                                          .y = series.median_low_ns,
                                          .high = series.median_high_ns,
                                          .colour = COLOUR_BAND,
                                          .opacity = 0.35},
                                         {.label = "median",
                                          .n = n,
                                          .x = series.number,
                                          .y = series.median_ns,
                                          .colour = COLOUR_CURVE}};
    struct plot_vertical *verticals = ARENA_ARRAY(&arena, struct plot_vertical, policies->n + 1);
    size_t n_verticals = make_verticals(policies, results, &arena, verticals);
    struct plot_vertical *silent = ARENA_ARRAY(&arena, struct plot_vertical, n_verticals + 1);
    for (size_t i = 0; i < n_verticals; i++)
        silent[i] = (struct plot_vertical){.x = verticals[i].x, .colour = verticals[i].colour};
    struct plot_panel panels[] = {
        {.title = samples_title(&series, trace->n, &arena),
         .y_label = unit->unit,
         .series = samples,
         .n_series = 2,
         .height = 1.7},
        {.title = "relative standard deviation of the samples so far",
         .y_label = "%",
         .series = &stdev,
         .n_series = 1},
        {.title = "entropy of the samples so far",
         .y_label = "bits",
         .series = &entropy,
         .n_series = 1},
        {.title = "median of the samples so far",
         .x_label = "number of samples",
         .y_label = unit->unit,
         .series = median,
         .n_series = 2,
         .height = 1.4},
    };
    enum { PANELS = sizeof panels / sizeof *panels };
    for (size_t i = 0; i < PANELS; i++) {
        panels[i].x_log = true;
        panels[i].x_is_count = true;
        panels[i].x_low = 0.9;
        panels[i].x_high = 1.1 * (double)(trace->n > 1 ? trace->n : 2);
        panels[i].verticals = i == 0 ? verticals : silent;
        panels[i].n_verticals = n_verticals;
    }
    bound_median(&series, &panels[PANELS - 1]);
    const struct plot_page page = {.title = title_of(trace, &arena),
                                   .subtitle = subtitle_of(trace, policies, results, &arena),
                                   .panels = panels,
                                   .n_panels = PANELS,
                                   .width = WIDTH,
                                   .height = HEIGHT};
    return plot_write(&page, path, error);
}
