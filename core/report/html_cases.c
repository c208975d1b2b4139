/* html_cases.c - see html_page.h: the table of cases, their intervals and their ratios; of each
 * case its distribution, its samples, its earlier runs, all that is known. */
#include "core/report/html_page.h"

#include "core/base/members.h"
#include "core/compare/compare_text.h"

#include <math.h>
#include <stdio.h>

enum {
    SORTED = 1 << 16,
    BUCKETS = 300,      /* of a case, */
    BUCKETS_LEAST = 80, /* and where cases are so many that a page would be large */
    BUCKETS_ALL = 60000,
    BINS = 60,
    BINS_LEAST = 12,
    SERIES_CURVE = 300,
    HEIGHT = 170
};

/* ---- the table ---- */

enum { MINI_MIDDLE = 75, MINI_REACH = 70 };
/* Relative to an estimate: wider intervals end with an arrow. */
static const double WIDEST = 0.2;

/* The reach of most intervals: what fills a small picture. */
static double find_scale(const struct html_run *run)
{
    double scale = 0.002;
    for (size_t i = 0; i < run->n; i++) {
        const struct shown *shown = &run->cases[i].shown;
        double reach = fmax(shown->high_ns / shown->central_ns - 1,
                            1 - shown->low_ns / shown->central_ns);
        if (shown->has_interval && isfinite(reach))
            scale = fmin(fmax(scale, reach), WIDEST);
    }
    return scale;
}

static double mini_x(double ratio, double scale)
{
    double place = (ratio - 1) / scale;
    return MINI_MIDDLE + MINI_REACH * fmin(fmax(place, -1.05), 1.05);
}

/* A cell of an interval around 1, which is at its middle. */
static void add_mini(struct text *out, double low, double high, double scale)
{
    const bool is_known = isfinite(low) && isfinite(high);
    text_add(out, "<td class=\"iv\">");
    if (is_known)
        text_printf(out, "<i style=\"--a:%.0f;--b:%.0f\"></i>", mini_x(low, scale),
                    mini_x(high, scale) - mini_x(low, scale));
    text_add(out, "</td>");
}

static void add_ratio(const struct compared *c, struct text *out)
{
    const struct comparison *result = c ? &c->result : NULL;
    if (!c) {
        text_add(out, "<td></td><td></td><td></td>");
        return;
    }
    int verdict = result->verdict;
    bool is_bad = compared_is_bad(verdict, false);
    if (isfinite(result->theta)) {
        text_printf(out, "<td class=\"n\" data-v=\"%.6g\">", exp(result->theta));
        compare_add_ratio(result->theta, result->low, result->high, out);
        text_add(out, "</td>");
        add_mini(out, exp(result->low), exp(result->high), 0.1);
    } else {
        text_add(out, "<td></td><td></td>");
    }
    html_cell(out,
              is_bad                       ? "bad"
              : verdict == COMPARED_FASTER ? "good"
                                           : "",
              compared_word(verdict));
}

static void add_time(const struct html_case *one, double scale, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    const struct shown *shown = &one->shown;
    const double central = shown->central_ns;
    text_printf(out, "<td class=\"n\" data-v=\"%.9g\">", central);
    xml_print(out, "%s</td>", one->words);
    add_mini(out, shown->has_interval ? shown->low_ns / central : NAN,
             shown->has_interval ? shown->high_ns / central : NAN, scale);
    shown_add_interval(&words, shown);
    html_cell(out, "n", text_get(&words));
}

static void add_row(const struct html_run *run, const struct html_case *one, double scale)
{
    CLEANUP(text_free) struct text words = {0};
    struct text *out = run->out;
    const struct case_record *record = &one->shown.row.c.record;
    xml_print(out, "<tr><td><a href=\"#%s\">%s</a></td>", one->anchor, one->shown.row.label);
    if (one->is_measured) {
        add_time(one, scale, out);
        if (run->against)
            add_ratio(one->compared, out);
    } else {
        text_printf(out, "<td class=\"bad\" colspan=\"%d\">", run->against ? 6 : 3);
        xml_print(out, "%s</td>", one->words);
    }
    text_printf(out, "<td class=\"n\">%llu</td><td class=\"n\">%zu</td>",
                (unsigned long long)record->n_samples, one->n);
    html_cell(out, record_verified(record) == VERIFIED_FAILED ? "bad" : "",
              one->shown.row.check ? one->shown.row.check : "");
    roof_cell(&one->shown.row, &words);
    if (run->combined->survey.any_roof)
        html_cell(out, "n", text_get(&words));
    text_add(out, "</tr>\n");
}

void html_cases(const struct html_run *run)
{
    CLEANUP(text_free) struct text heads = {0};
    struct text *out = run->out;
    const double scale = find_scale(run);
    html_heading(out, "Cases");
    text_printf(out,
                "<p class=\"hint\">Intervals are drawn relative to their own estimates: the width "
                "is \u00B1%.2g %%.%s Click a heading to sort.</p>\n"
                "<p><input class=\"filter\" hidden placeholder=\"filter cases\"></p>\n",
                100 * scale, run->against ? " Ratios to the baseline: \u00B110 %." : "");
    text_printf(&heads, "case|>time||>interval|%s>samples|>rounds|check%s",
                run->against ? ">ratio||verdict|" : "",
                run->combined->survey.any_roof ? "|>roof" : "");
    html_table(out, "sort", text_get(&heads));
    for (size_t i = 0; i < run->n; i++)
        add_row(run, &run->cases[i], scale);
    html_table_end(out);
}

/* ---- numbers that the browser draws ---- */

/* What is not known is 0. */
static void add_numbers(struct text *out, const char *name, const double *values, size_t n,
                        double unit)
{
    text_printf(out, " data-%s=\"", name);
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i]))
            text_printf(out, "%s%.5g", i ? " " : "", values[i] / unit);
        else
            text_add(out, i ? " 0" : "0");
    }
    text_add(out, "\"");
}

static void add_places(struct text *out, const char *name, const size_t *values, size_t n)
{
    text_printf(out, " data-%s=\"", name);
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%zu", i ? " " : "", values[i]);
    text_add(out, "\"");
}

/* ---- the distribution ---- */

/* What is shown of the samples: outliers beyond four times the quartiles' distance are counted. */
struct clip {
    double low, high;
    uint64_t n_below, n_above; /* of those sorted */
};

static struct clip clip_of(const struct case_samples *samples)
{
    const double *sorted = samples->sorted;
    size_t n = samples->n_sorted;
    double q1 = quantile_of_sorted(sorted, n, 0.25), q3 = quantile_of_sorted(sorted, n, 0.75);
    double reach = 4 * (q3 - q1) + 0.005 * fabs(q3);
    struct clip clip = {fmax(sorted[0], q1 - reach), fmin(sorted[n - 1], q3 + reach), 0, 0};
    if (!(clip.high > clip.low)) {
        clip.low -= 0.005 * fabs(clip.low);
        clip.high += 0.005 * fabs(clip.high) + 1e-3;
    }
    for (size_t i = 0; i < n; i++) {
        clip.n_below += sorted[i] < clip.low;
        clip.n_above += sorted[i] > clip.high;
    }
    return clip;
}

/* How many samples are in each bin. A bin is a whole number of the timer's steps, or some would be
 * empty and others full by its arithmetic alone. */
static void add_bins(const struct case_samples *samples, const struct clip *clip, double step_ns,
                     double unit_ns, struct text *out)
{
    size_t counts[2 * BINS] = {0};
    double n_wanted = fmin(fmax(2 * sqrt((double)samples->n_sorted), BINS_LEAST), BINS);
    double width = (clip->high - clip->low) / n_wanted, low = clip->low;
    if (step_ns > 0 && width < 20 * step_ns) {
        width = step_ns * fmax(1, round(width / step_ns));
        low = (floor(low / step_ns) - 0.5) * step_ns;
    }
    size_t n_bins = (size_t)fmin(fmax(ceil((clip->high - low) / width), 1), 2 * BINS);
    for (size_t i = 0; i < samples->n_sorted; i++) {
        double bin = floor((samples->sorted[i] - low) / width);
        if (bin >= 0 && bin < (double)n_bins)
            counts[(size_t)bin]++;
    }
    text_printf(out, " data-bins=\"%.6g %.6g\"", low / unit_ns, width / unit_ns);
    if (clip->n_below)
        text_printf(out, " data-below=\"%llu\"", (unsigned long long)clip->n_below);
    add_places(out, "n", counts, n_bins);
}

static double timer_step_ns(const struct case_record *record)
{
    return record->is_dithered || record->iterations == 0
               ? 0
               : record->tick_ns / (double)record->iterations;
}

/* Lines: the estimate, both ends of its interval, the baseline. */
static void add_distribution(const struct shown *shown, const struct compared *c,
                             const struct case_samples *samples, const struct clip *clip,
                             double unit_ns, struct text *out)
{
    const double lines[] = {shown->central_ns, shown->has_interval ? shown->low_ns : NAN,
                            shown->has_interval ? shown->high_ns : NAN, c ? c->base_value : NAN};
    const double n = (double)samples->n_sorted;
    text_add(out, "<canvas class=\"bins\"");
    add_bins(samples, clip, timer_step_ns(&shown->row.c.record), unit_ns, out);
    add_numbers(out, "lines", lines, c ? 4 : 3, unit_ns);
    if (clip->n_below + clip->n_above > 0)
        text_printf(out, " data-out=\"%.3g %% outside\"",
                    100 * (double)(clip->n_below + clip->n_above) / n);
    text_add(out, "></canvas>\n");
}

/* ---- samples in order ---- */

/* Places between low and high, two letters each: so many cases have so many samples. */
static void add_scaled(struct text *out, const char *name, const double *values, size_t n,
                       const struct clip *clip)
{
    static const char letters[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    text_printf(out, " data-%s=\"", name);
    for (size_t i = 0; i < n; i++) {
        const double share = (values[i] - clip->low) / (clip->high - clip->low);
        const long place = lrint(4095 * fmin(fmax(share, 0), 1));
        text_add_n(out, &letters[place >> 6], 1);
        text_add_n(out, &letters[place & 63], 1);
    }
    text_add(out, "\"");
}

static void add_samples(const struct case_samples *samples, const struct clip *clip, double unit_ns,
                        struct text *out)
{
    const struct sample_buckets *buckets = &samples->buckets;
    const double range[] = {clip->low, clip->high};
    bool has_clock = false, any_discarded = false;
    for (size_t i = 0; i < samples->n_rounds; i++)
        any_discarded = any_discarded || buckets->discarded[i] > 0;
    for (size_t i = 0; i < buckets->n && !has_clock; i++)
        has_clock = isfinite(buckets->clock_hz[i]);
    text_add(out, "<canvas class=\"order\"");
    add_numbers(out, "range", range, 2, unit_ns);
    add_scaled(out, "low", buckets->low, buckets->n, clip);
    if (buckets->per_bucket > 1)
        add_scaled(out, "high", buckets->high, buckets->n, clip);
    if (has_clock)
        add_numbers(out, "clock", buckets->clock_hz, buckets->n, 1e6);
    if (samples->n_rounds > 1)
        add_places(out, "rounds", buckets->first, samples->n_rounds);
    if (any_discarded)
        add_places(out, "discarded", buckets->discarded, samples->n_rounds);
    if (buckets->per_bucket > 1)
        text_printf(out, " data-per=\"%llu\"", (unsigned long long)buckets->per_bucket);
    text_add(out, "></canvas>\n");
}

/* ---- earlier runs ---- */

static void add_past(const struct history_case *history, double unit_ns, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    double *numbers = ARENA_ARRAY(&arena, double, 3 * history->n);
    size_t *runs = ARENA_ARRAY(&arena, size_t, history->n), n_known = 0;
    for (size_t i = 0; i < history->n; i++) {
        const struct history_point *point = &history->points[i];
        if (!isfinite(point->value))
            continue;
        runs[n_known] = (size_t)point->side->run->number;
        numbers[n_known] = point->value;
        numbers[history->n + n_known] = point->low;
        numbers[2 * history->n + n_known++] = point->high;
    }
    if (n_known < 2)
        return;
    text_add(out, "<canvas class=\"runs\"");
    add_places(out, "runs", runs, n_known);
    add_numbers(out, "v", numbers, n_known, unit_ns);
    add_numbers(out, "low", numbers + history->n, n_known, unit_ns);
    add_numbers(out, "high", numbers + 2 * history->n, n_known, unit_ns);
    text_add(out, "></canvas>\n");
}

/* ---- samples that the benchmark reports itself ---- */

static void add_quantile(const struct series_quantile *quantile, struct text *out)
{
    char words[96];
    if (isfinite(quantile->low) && isfinite(quantile->high))
        snprintf(words, sizeof words, "%.5g [%.5g, %.5g]", quantile->value, quantile->low,
                 quantile->high);
    else if (isfinite(quantile->low))
        snprintf(words, sizeof words, "%.5g [%.5g, ...", quantile->value, quantile->low);
    else
        snprintf(words, sizeof words, "%.5g", quantile->value);
    html_cell(out, "n", words);
}

static void add_series_row(const struct series_record *series, uint32_t round, struct text *out)
{
    char number[64];
    text_add(out, "<tr>");
    html_cell(out, "", series->name);
    html_cell(out, "", series->unit);
    html_number(out, "n", "%.0f", round);
    html_number(out, "n", "%.0f", (double)series->n);
    snprintf(number, sizeof number, "%.5g", series->mean);
    html_cell(out, "n", number);
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        add_quantile(&series->quantiles[i], out);
    snprintf(number, sizeof number, "%.5g", series->max);
    html_cell(out, "n", number);
    text_add(out, "</tr>\n");
}

/* The share of the values up to each, without the last thousandth. */
static void add_series_curve(const struct case_series *series, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    double *x = ARENA_ARRAY(&arena, double, SERIES_CURVE),
           *share = ARENA_ARRAY(&arena, double, SERIES_CURVE);
    const double middle = quantile_of_sorted(series->sorted, series->n_sorted, 0.5);
    const struct time_unit *unit = time_unit_of(fabs(middle));
    const double scale = series->is_time ? unit->ns : 1;
    for (size_t i = 0; i < SERIES_CURVE; i++) {
        share[i] = 100.0 * (double)i / SERIES_CURVE;
        x[i] = quantile_of_sorted(series->sorted, series->n_sorted, (double)i / SERIES_CURVE) /
               scale;
    }
    struct plot_series curve = {
        .kind = PLOT_LINE, .n = SERIES_CURVE, .x = x, .y = share, .colour = 0};
    struct plot_panel panel = {
        .title = arena_printf(&arena, "%s: share up to each value, %%", series->record.name),
        .x_label = series->is_time ? unit->name : series->unit,
        .series = &curve,
        .n_series = 1,
        .height = HEIGHT};
    html_panels(out, &panel, 1);
}

static void begin_series(struct text *out)
{
    CLEANUP(text_free) struct text heads = {0};
    text_add(&heads, "series|unit|>round|>values|>mean");
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        text_printf(&heads, "|>%s", series_levels[i].name);
    text_add(&heads, "|>max");
    text_add(out, "<h3>Samples reported by the benchmark</h3>\n");
    html_table(out, "", text_get(&heads));
}

static int32_t add_series(struct view *view, const struct view_row *rows, size_t n,
                          struct arena *arena, struct text *out, struct gb_error *error)
{
    bool any = false;
    int32_t status = GB_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < rows[i].c.record.n_series; j++) {
            if (!any)
                begin_series(out);
            any = true;
            add_series_row(&rows[i].c.record.series[j], rows[i].c.record.round, out);
        }
    if (any)
        html_table_end(out);
    for (size_t j = 0; n > 0 && status == GB_OK && j < rows[0].c.record.n_series; j++) {
        struct case_series series;
        status = case_series_read(view, rows, n, rows[0].c.record.series[j].name, arena, &series,
                                  error);
        if (status == GB_OK && series.n_sorted > 0)
            add_series_curve(&series, out);
    }
    return status;
}

/* ---- words ---- */

/* A line of what is known of a case; those that all cases share are written once. */
enum { FACT_RESULT, FACT_OPTION, FACT_METRIC, FACT_GROUPS };
struct case_fact {
    int group;
    const char *name, *value;
};
struct case_facts {
    struct case_fact *items;
    size_t n;
};

struct fact_adder {
    struct arena *arena;
    struct case_facts facts;
};

static void add_fact(struct fact_adder *adder, int group, const char *name, const char *value)
{
    if (value && *value)
        ARENA_APPEND(adder->arena, adder->facts.items, adder->facts.n,
                     ((struct case_fact){group, name, arena_text(adder->arena, value)}));
}

/* "222.53, 223.41, 224.19 ns": of known numbers, in the unit of the middle one. */
static void add_times(struct fact_adder *adder, const char *name, const double *ns, size_t n)
{
    CLEANUP(text_free) struct text words = {0};
    const struct time_unit *unit = time_unit_of(fabs(ns[n / 2]));
    for (size_t i = 0; i < n; i++)
        if (isfinite(ns[i]))
            text_printf(&words, "%s%.5g", words.length ? ", " : "", ns[i] / unit->ns);
    if (words.length) {
        text_printf(&words, " %s", unit->name);
        add_fact(adder, FACT_RESULT, name, text_get(&words));
    }
}

static void add_estimate_facts(struct fact_adder *adder, const struct shown *shown)
{
    CLEANUP(text_free) struct text words = {0};
    const struct stored_case *c = &shown->row.c;
    const struct case_record *record = &c->record;
    const struct gb_estimate *estimate = &record->estimate;
    text_printf(&words, "%s%s%s",
                record->has_estimate ? verdict_words(estimate->verdict) : "no estimate",
                *estimate->note ? ": " : "", estimate->note);
    add_fact(adder, FACT_RESULT, "verdict", text_get(&words));
    add_fact(adder, FACT_RESULT, "stop reason", record->stop_reason);
    const double times[] = {c->summary.min, c->summary.q1,  c->summary.median,
                            c->summary.q3,  c->summary.p99, c->summary.max};
    add_times(adder, "minimum, quartiles, p99, maximum", times, sizeof times / sizeof *times);
    add_times(adder, "mean", &c->summary.mean, 1);
    text_clear(&words);
    for (uint32_t i = 0; estimate->n_modes > 1 && i < estimate->n_modes && i < GB_MODES_MAX; i++) {
        text_printf(&words, "%s%s (%.0f %%)", i ? ", " : "",
                    TIME_TEXT(estimate->modes[i].median_ns, 4), 100 * estimate->modes[i].weight);
    }
    add_fact(adder, FACT_RESULT, "modes", text_get(&words));
    text_clear(&words);
    text_add_percent(&words, shown->relative_iqr);
    add_fact(adder, FACT_RESULT, "relative IQR", text_get(&words));
    if (shown->row.n_rounds > 1) {
        text_clear(&words);
        text_add_percent(&words, shown->row.apart_ratio);
        add_fact(adder, FACT_RESULT, "round variation", text_get(&words));
    }
}

static void add_telemetry_facts(struct fact_adder *adder, const struct view_row *rows, size_t n)
{
    CLEANUP(text_free) struct text words = {0};
    for (size_t i = 0; i < TELEMETRY_COLUMNS; i++) {
        text_clear(&words);
        telemetry_cell(rows, n, i, adder->arena, &words);
        if (!text_equal(text_get(&words), "-"))
            add_fact(adder, FACT_RESULT, telemetry_column(i).head, text_get(&words));
    }
    add_fact(adder, FACT_RESULT, "throttled", throttle_words(&rows[0].c));
}

static void add_setting_facts(struct fact_adder *adder, const struct stored_case *c)
{
    char iterations[NUMBER_TEXT_MAX];
    const struct case_record *record = &c->record;
    snprintf(iterations, sizeof iterations, "%llu", (unsigned long long)record->iterations);
    const struct {
        const char *name, *value;
    } settings[] = {
        {"policy", c->policy},
        {"clock", record->clock},
        {"reading", record->reading_note},
        {"timer resolution", TIME_TEXT(record->tick_ns, 3)},
        {"timer overhead", TIME_TEXT(record->overhead_ns, 3)},
        {"cache", c->cache},
        {"launched", launched_word(c)},
        {"pace", c->pace},
        {"iterations per sample", iterations},
        {"environment", c->environment},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        add_fact(adder, FACT_RESULT, settings[i].name, settings[i].value);
}

static struct case_facts facts_of(const struct shown *shown, const struct view_row *rows, size_t n,
                                  struct arena *arena)
{
    struct fact_adder adder = {.arena = arena};
    const struct case_record *record = &shown->row.c.record;
    add_estimate_facts(&adder, shown);
    add_telemetry_facts(&adder, rows, n);
    add_setting_facts(&adder, &shown->row.c);
    for (size_t i = 0; i < shown->row.c.n_parameters; i++)
        if (!shown->row.c.parameters[i].is_axis) /* which its name has */
            add_fact(&adder, FACT_OPTION, shown->row.c.parameters[i].name,
                     shown->row.c.parameters[i].value.text);
    for (size_t i = 0; i < record->n_metrics; i++) {
        const struct metric_record *metric = &record->metrics[i];
        char number[2 * NUMBER_TEXT_MAX];
        snprintf(number, sizeof number, "%.6g %.24s", metric->value,
                 metric->unit ? metric->unit : "");
        add_fact(&adder, FACT_METRIC, metric->name, number);
    }
    return adder.facts;
}

/* hint: where it is in most lists. */
static bool has_fact(const struct case_facts *facts, const struct case_fact *fact, size_t hint)
{
    for (size_t i = 0; i < facts->n; i++) {
        const struct case_fact *other = &facts->items[(hint + i) % facts->n];
        if (other->group == fact->group && text_equal(other->name, fact->name))
            return text_equal(other->value, fact->value);
    }
    return false;
}

/* Those of the first case that all have; of one case none. */
static struct case_facts common_facts(const struct case_facts *facts, size_t n, struct arena *arena)
{
    struct case_facts common = {0};
    for (size_t i = 0; n > 1 && i < facts[0].n; i++) {
        bool is_common = true;
        for (size_t j = 1; j < n && is_common; j++)
            is_common = has_fact(&facts[j], &facts[0].items[i], i);
        if (is_common)
            ARENA_APPEND(arena, common.items, common.n, facts[0].items[i]);
    }
    return common;
}

/* but: those that are not written. */
static void write_facts(const struct case_facts *facts, const struct case_facts *but,
                        struct text *out)
{
    static const char *const begins[FACT_GROUPS] = {"<dl>\n", "<h3>Options</h3>\n<dl>\n",
                                                    "<h3>Metrics</h3>\n<dl>\n"};
    int group = -1;
    for (size_t i = 0; i < facts->n; i++) {
        const struct case_fact *fact = &facts->items[i];
        if (but && has_fact(but, fact, 0))
            continue;
        if (fact->group != group) {
            text_add(out, group >= 0 ? "</dl>\n" : "");
            text_add(out, begins[fact->group]);
        }
        group = fact->group;
        html_fact(out, fact->name, fact->value);
    }
    text_add(out, group >= 0 ? "</dl>\n" : "");
}

static void add_messages(const struct view_row *rows, size_t n, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < rows[i].c.record.n_messages; j++) {
            text_add(out, any ? "" : "<ul>\n");
            any = true;
            xml_print(out, "<li><bdi>%s</bdi></li>\n", rows[i].c.record.messages[j].text);
        }
    text_add(out, any ? "</ul>\n" : "");
}

/* ---- each case ---- */

static int32_t add_case(const struct html_run *run, const struct html_case *one,
                        const struct case_facts *facts, const struct case_facts *common,
                        struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct text *out = run->out;
    struct case_samples samples;
    const size_t most = BUCKETS_ALL / run->n;
    int32_t status = case_samples_read(run->view, one->rows, one->n, SORTED,
                                       most > BUCKETS         ? BUCKETS
                                       : most < BUCKETS_LEAST ? BUCKETS_LEAST
                                                              : most,
                                       &arena, &samples, error);
    if (status != GB_OK)
        return status;
    const struct time_unit *unit = time_unit_of(
        samples.n_sorted ? samples.sorted[samples.n_sorted / 2] : NAN);
    xml_print(out,
              "<details id=\"%s\" data-unit=\"%s\"><summary><bdi>%s</bdi> \u00A0"
              "<b class=\"%s\">%s</b></summary>\n",
              one->anchor, unit->name, one->shown.row.label, one->is_measured ? "" : "bad",
              one->words);
    if (samples.n_sorted > 0) {
        const struct clip clip = clip_of(&samples);
        add_distribution(&one->shown, one->compared, &samples, &clip, unit->ns, out);
        add_samples(&samples, &clip, unit->ns, out);
        if (one->past)
            add_past(one->past, unit->ns, out);
    }
    status = add_series(run->view, one->rows, one->n, &arena, out, error);
    write_facts(facts, common, out);
    add_messages(one->rows, one->n, out);
    text_add(out, "</details>\n");
    return status;
}

int32_t html_case_details(const struct html_run *run, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena own = {0};
    struct case_facts *facts = ARENA_ARRAY(&own, struct case_facts, run->n + 1);
    int32_t status = GB_OK;
    for (size_t i = 0; i < run->n; i++)
        facts[i] = facts_of(&run->cases[i].shown, run->cases[i].rows, run->cases[i].n, &own);
    const struct case_facts common = common_facts(facts, run->n, &own);
    html_heading(run->out, "Each case");
    text_add(run->out, "<p class=\"nojs hint\">A script draws the samples of a case.</p>\n");
    if (common.n) {
        text_add(run->out, "<h3>The same in all cases</h3>\n");
        write_facts(&common, NULL, run->out);
    }
    for (size_t i = 0; i < run->n && status == GB_OK; i++)
        status = add_case(run, &run->cases[i], &facts[i], &common, error);
    return status;
}
