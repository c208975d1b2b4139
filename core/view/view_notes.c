/* view_notes.c - what follows a table: failures, messages, doubts. */
#include "core/store/sentinel.h"
#include "core/view/hash_index.h"
#include "core/view/view_writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { LIST_SHOWN = 8, LISTED_MAX = 20, THROTTLES_SHOWN = 4, VALUES_SHOWN = 8 };

/* What notes tell of cases: sections of their own, what the counts refer to, lists with a heading.
 * mark: of the times that the heading is about. */
#define NOTE_LISTS(X)                                                                              \
    X(FAILURES, COLOUR_BAD, "", "failures")                                                        \
    X(SKIPS, COLOUR_FAINT, "", "skipped")                                                          \
    X(MESSAGES, COLOUR_NONE, "", "messages")                                                       \
    X(OBSTACLES, COLOUR_NONE, "", "") /* why cases are not certified */                            \
    X(THROTTLES, COLOUR_NONE, "", "") /* why the device was throttled */                           \
    X(PACES, COLOUR_NONE, "", "pace")                                                              \
    X(NOISY, COLOUR_NONE, "", "noise, and its likely cause")                                       \
    X(OUTLYING, COLOUR_NONE, "", "outliers, and their likely cause")                               \
    X(MODES, COLOUR_NONE, MODES_MARK,                                                              \
      "several modes: their medians, intervals and shares of the samples")                         \
    X(GRAPHS, COLOUR_NONE, "", "several launches a sample, which would be quicker as a graph")     \
    X(DIFFERING, COLOUR_NONE, "", "rounds differ by more than their own intervals allow")          \
    X(SMALL, COLOUR_NONE, "",                                                                      \
      "fewer blocks than multiprocessors: where they run is part of the number")                   \
    X(CALLS, COLOUR_NONE, "", "the time includes that of calling the function")
enum {
#define NOTE_LIST_CONSTANT(name, colour, mark, heading) name,
    NOTE_LISTS(NOTE_LIST_CONSTANT)
#undef NOTE_LIST_CONSTANT
        LISTS
};
static const struct {
    int colour;
    const char *mark, *heading;
} list_heads[LISTS] = {
#define NOTE_LIST_HEAD(name, colour, mark, heading) {colour, mark, heading},
    NOTE_LISTS(NOTE_LIST_HEAD)
#undef NOTE_LIST_HEAD
};

/* ---- how far outputs are from their references, a column for each comparison ---- */

enum { PER_TABLE = 4 }; /* columns of one table: 24 + 4 x 20 characters */

/* Elements whose reference is above the floor, by class; then the others, equal or not. Where the
 * floor is not known, all of them by class. */
enum { SMALL_EQUAL = VERIFY_CLASSES, SMALL_DIFFER, ROWS };

struct histogram {
    const char *label;
    uint64_t counts[ROWS], n;
    double floor;
    double largest, reference,
        output; /* the largest difference above the floor; NaN: not measured */
};

static void find_worst(const struct case_record *record, const char *name, struct histogram *ret)
{
    const char *metric = verify_metric_name(VERIFY_REL_FLOOR);
    ret->largest = ret->reference = ret->output = NAN;
    for (size_t i = record->n_checks; i-- > 0;) {
        const struct check_record *check = &record->checks[i];
        if (!text_equal(check->name, name) || !text_equal(check->metric, metric))
            continue;
        ret->largest = check->value;
        ret->reference = check->reference;
        ret->output = check->output;
    }
}

/* A reference of 0 and what is not finite are no matter of the floor. */
static void count_rows(const struct check_summary_record *summary, struct histogram *ret)
{
    for (int class = 0; class < VERIFY_CLASSES; class ++) {
        const bool has_floor = class < VERIFY_CLASS_ZERO && !isnan(summary->floor);
        const uint64_t n = summary->histogram[class];
        ret->counts[class] = has_floor ? summary->above_floor[class] : n;
        ret->counts[class == VERIFY_CLASS_EQUAL ? SMALL_EQUAL : SMALL_DIFFER] += n -
                                                                                 ret->counts[class];
    }
    ret->floor = summary->floor;
}

static void histograms_add(struct histograms *histograms, const struct case_record *record,
                           const char *label, struct arena *arena)
{
    for (size_t i = 0; i < record->n_summaries; i++) {
        const struct check_summary_record *summary = &record->summaries[i];
        CLEANUP(text_free) struct text words = {0};
        struct histogram histogram = {.n = summary->n};
        text_printf(&words, "%s: ", label);
        text_add_line(&words, summary->name);
        histogram.label = arena_text(arena, text_get(&words));
        find_worst(record, summary->name, &histogram);
        count_rows(summary, &histogram);
        ARENA_APPEND(arena, histograms->items, histograms->n, histogram);
    }
}

static void write_table(const struct histogram *items, size_t first, size_t n, struct text *out)
{
    static const struct {
        const char *head;
        size_t offset;
    } numbers[] = {{"largest", offsetof(struct histogram, largest)},
                   {"reference there", offsetof(struct histogram, reference)},
                   {"output there", offsetof(struct histogram, output)},
                   {"floor", offsetof(struct histogram, floor)}};
    CLEANUP(table_free) struct table table = {0};
    table_column(&table, "relative difference", false);
    for (size_t i = 0; i < n; i++) {
        char head[32];
        snprintf(head, sizeof head, "(%zu)", first + i + 1);
        table_column(&table, head, true);
        text_printf(out, "(%zu) %s\n", first + i + 1, items[i].label);
    }
    for (int row = 0; row < ROWS; row++) {
        table_row(&table);
        table_cell(&table, row == SMALL_EQUAL    ? "reference below: equal"
                           : row == SMALL_DIFFER ? "reference below: differs"
                                                 : verify_class_name(row));
        for (size_t i = 0; i < n; i++)
            table_cell_printf(&table, "%" PRIu64 " (%.4f %%)", items[i].counts[row],
                              items[i].n ? 100 * (double)items[i].counts[row] / (double)items[i].n
                                         : 0.0);
    }
    for (size_t row = 0; row < sizeof numbers / sizeof *numbers; row++) {
        table_row(&table);
        table_cell(&table, numbers[row].head);
        for (size_t i = 0; i < n; i++) {
            const void *member = (const char *)&items[i] + numbers[row].offset;
            const double value = *(const double *)member;
            if (isnan(value))
                table_cell(&table, "-");
            else
                table_cell_printf(&table, "%.9g", value);
        }
    }
    table_write(&table, TABLE_PLAIN, out);
}

static void histograms_write(const struct histograms *histograms, struct text *out)
{
    if (!histograms->n)
        return;
    text_add(out, "\nrelative differences where the reference is above the floor, in magnitude\n");
    for (size_t i = 0; i < histograms->n; i += PER_TABLE) {
        const size_t left = histograms->n - i;
        text_add(out, i ? "\n" : "");
        write_table(histograms->items + i, i, left < PER_TABLE ? left : PER_TABLE, out);
    }
}

/* ---- notes ---- */

/* Words that are said of some cases. */
struct note {
    const char *words;
    const char *first;  /* label of the first case it was said of */
    uint64_t count;     /* of the cases */
    uint64_t last_case; /* number of the last of them */
    bool varies;        /* in numbers, among the cases */
    /* Words that some of the cases differ in: they belong before words[values_at]. */
    const char **values;
    size_t n_values, values_at;
};
struct note_list {
    struct note *items;
    size_t n;
    struct hash_index by_words;
    bool joins_numbers; /* words that differ in numbers only are one entry */
};
struct notes {
    struct arena *arena;
    bool verbose;
    struct note_list lists[LISTS];
    struct note_lines lines;
    uint64_t n_cases; /* so far; the rounds of a case are one */
    uint64_t n_short; /* cases with an overhead above 1 % of the median */
    double short_overhead_ns;
    uint64_t throttled_cases, throttled_samples, samples_of_throttled;
    uint64_t of_no_pace;
    uint64_t lost_cases, lost_samples;
    uint64_t unconverged, limited, gave_up, in_visit;
};

static const char digits[] = "0123456789.";

static bool are_equal_but_for_numbers(const char *a, const char *b)
{
    do {
        size_t n = strcspn(a, digits);
        if (n != strcspn(b, digits) || memcmp(a, b, n) != 0)
            return false;
        a += n + strspn(a + n, digits);
        b += n + strspn(b + n, digits);
    } while (*a && *b);
    return *a == *b;
}

/* The same for those that are equal. */
static uint64_t hash_but_for_numbers(const char *words)
{
    uint64_t hash = HASH_START;
    do {
        for (size_t n = strcspn(words, digits); n > 0; n--)
            hash = hash_number(hash, (unsigned char)*words++);
        hash = hash_number(hash, 0);
        words += strspn(words, digits);
    } while (*words);
    return hash;
}

/* One list entry for equal words, with the number of cases that they were said of. label: "" where
 * the words have it. */
static struct note *list_add(struct notes *notes, int kind, const char *words, const char *label)
{
    struct note_list *list = &notes->lists[kind];
    const uint64_t hash = list->joins_numbers ? hash_but_for_numbers(words)
                                              : hash_text(HASH_START, words);
    for (size_t at = 0, i; (i = hash_index_next(&list->by_words, hash, &at)) != HASH_NONE;) {
        struct note *item = &list->items[i];
        const bool is_equal = text_equal(item->words, words);
        if (!is_equal && !(list->joins_numbers && are_equal_but_for_numbers(item->words, words)))
            continue;
        item->count += item->last_case != notes->n_cases;
        item->last_case = notes->n_cases;
        item->varies = item->varies || !is_equal;
        return item;
    }
    hash_index_add(&list->by_words, hash, list->n, notes->arena);
    struct note *added = ARENA_ADD(notes->arena, list->items, list->n);
    *added = (struct note){.words = arena_text(notes->arena, words),
                           .first = arena_text(notes->arena, label),
                           .count = 1,
                           .last_case = notes->n_cases};
    return added;
}

static void list_add_line(struct notes *notes, int kind, const char *text, const char *label)
{
    CLEANUP(text_free) struct text line = {0};
    text_add_line(&line, text);
    list_add(notes, kind, text_get(&line), label);
}

/* Where the words say "NAME = VALUE" of an axis of the case: the value; NULL: nowhere. */
static const char *axis_value_in(const char *words, const struct stored_case *c,
                                 const char **ret_value)
{
    CLEANUP(text_free) struct text said = {0};
    for (size_t i = 0; i < c->n_parameters; i++) {
        const struct parameter *parameter = &c->parameters[i];
        text_clear(&said);
        text_printf(&said, "%s = %s", parameter->name, parameter->value.text);
        const char *at = parameter->is_axis && *parameter->value.text
                             ? strstr(words, text_get(&said))
                             : NULL;
        if (at && (at == words || at[-1] == ' ') && strchr(" ,;:)", at[said.length])) {
            *ret_value = parameter->value.text;
            return at + said.length - strlen(parameter->value.text);
        }
    }
    return NULL;
}

/* Reasons that differ in the value of an axis are one: "roof = l3_read is for CPUs" and the same of
 * l3_write. The words are kept without the value. */
static void add_skip(struct notes *notes, const struct stored_case *c, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    const char *reason = *c->record.status_text ? c->record.status_text : "no reason given";
    const char *value = NULL, *at = axis_value_in(reason, c, &value);
    if (!at) {
        list_add(notes, SKIPS, reason, label);
        return;
    }
    text_printf(&words, "%.*s%s", (int)(at - reason), reason, at + strlen(value));
    struct note *note = list_add(notes, SKIPS, text_get(&words), label);
    note->values_at = (size_t)(at - reason);
    if (!view_has_name(note->values, note->n_values, value))
        ARENA_APPEND(notes->arena, note->values, note->n_values, arena_text(notes->arena, value));
}

static void add_outcome(struct notes *notes, const struct stored_case *c, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    case_status_describe(c->record.status, c->record.status_text, &words);
    if (c->record.status == CASE_WRONG_RESULT && !*c->record.status_text &&
        record_main_check(&c->record))
        text_printf(&words, ": %s", record_main_check(&c->record)->text);
    if (c->record.status == CASE_SKIPPED)
        add_skip(notes, c, label);
    else if (case_status_is_bad(c->record.status))
        list_add(notes, FAILURES, text_get(&words), label);
}

static void add_messages(struct notes *notes, const struct stored_case *c, const char *label)
{
    static const char *const severities[] = {"debug", "info",       "warning",
                                             "error", "plugin bug", "gbrun bug"};
    CLEANUP(text_free) struct text words = {0};
    notes->lists[MESSAGES].joins_numbers = !notes->verbose;
    for (size_t i = 0; i < c->record.n_messages; i++) {
        const struct message_record *message = &c->record.messages[i];
        if (message->severity < GB_LOG_WARNING && !notes->verbose)
            continue;
        text_clear(&words);
        text_printf(&words, "%s: ",
                    message->severity >= 0 && message->severity < 6 ? severities[message->severity]
                                                                    : "message");
        text_add_line(&words, message->text);
        list_add(notes, MESSAGES, text_get(&words), label);
    }
    for (size_t i = 0; notes->verbose && i < c->record.n_worst; i++) {
        const struct worst_record *worst = &c->record.worst[i];
        text_clear(&words);
        text_add_line(&words, worst->name);
        text_printf(&words, "[%llu]: expected %.9g, got %.9g (%.3g ulp)",
                    (unsigned long long)worst->index, worst->reference, worst->output, worst->ulps);
        list_add(notes, MESSAGES, text_get(&words), label);
    }
}

/* How samples were read, where that is not as others are, and what a graph would save. */
static void add_reading(struct notes *notes, const struct stored_case *c, const char *label)
{
    const double least_ratio = 0.02;
    const struct case_record *record = &c->record;
    const double median_ns = central_ns(c);
    char now[NUMBER_TEXT_MAX], then[NUMBER_TEXT_MAX];
    if (*record->reading_note)
        list_add_line(notes, MESSAGES, record->reading_note, label);
    if (!(record->graph_ns > 0 && record->graph_ns < (1 - least_ratio) * median_ns) ||
        c->n_throttled > 0) /* a graph was tried before the load */
        return;
    list_add(notes, GRAPHS,
             arena_printf(notes->arena, "%s: %s, as a graph %s", label,
                          format_time(median_ns, 3, now), format_time(record->graph_ns, 3, then)),
             "");
}

/* "streams streams=6: 160.0 us +-0.62 % (61 %), 190.0 us +-0.53 % (39 %)" */
static void add_modes(struct notes *notes, const struct gb_estimate *estimate, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    char number[NUMBER_TEXT_MAX];
    if (estimate->n_modes < 2)
        return;
    text_printf(&words, "%s:", label);
    for (uint32_t i = 0; i < estimate->n_modes; i++) {
        const struct gb_mode *mode = &estimate->modes[i];
        bool is_interval = view_is_interval(mode->low_ns, mode->high_ns);
        text_printf(&words, "%s %s", i ? "," : "", format_time(mode->median_ns, 4, number));
        if (is_interval) {
            text_add(&words, " ");
            view_add_interval(&words, mode->median_ns, mode->low_ns, mode->high_ns);
        }
        text_printf(&words, " (%.0f %%%s)", 100 * mode->weight, is_interval ? "" : ", no interval");
    }
    list_add(notes, MODES, text_get(&words), "");
}

/* "gemm n=4096: idle for 352.1 us after each sample (burst)" */
static void add_pace(struct notes *notes, const struct stored_case *c, const char *label)
{
    const struct pace_record *pace = &c->record.pace;
    CLEANUP(text_free) struct text words = {0};
    char number[NUMBER_TEXT_MAX];
    if (c->record.n_samples == 0)
        return;
    if (pace->waited_ns > 0)
        text_printf(&words, "waited %s", format_time(pace->waited_ns, 3, number));
    if (pace->gap_ns > 0 || pace->load_ns > 0)
        text_add(&words, words.length ? ", " : "");
    if (pace->gap_ns > 0)
        text_printf(&words, "%sidle for %s after each sample",
                    pace->is_missed ? "throttled or below its clock although " : "",
                    format_time(pace->gap_ns, 4, number));
    if (pace->load_ns > 0)
        text_printf(&words, "%s %s of load",
                    pace->is_missed ? "not settled after" : "settled after",
                    format_time(pace->load_ns, 3, number));
    if (!words.length)
        return;
    text_printf(&words, " (%s)", c->pace);
    list_add(notes, PACES, arena_printf(notes->arena, "%s: %s", label, text_get(&words)), "");
}

/* With fewer blocks than multiprocessors it matters which of these have them. */
static void add_small_grid(struct notes *notes, const struct view_row *row, const char *label)
{
    enum { NAME_MOST = 40 };
    CLEANUP(text_free) struct text words = {0}, name = {0};
    const double n_units = row->device ? device_number(&row->device->record, "units") : 0;
    const struct gb_activity *largest = NULL;
    for (size_t i = 0; i < row->c.record.n_activities; i++) {
        const struct gb_activity *activity = &row->c.record.activities[i];
        if (activity->kind == GB_ACTIVITY_KERNEL &&
            (!largest || activity_blocks(activity) > activity_blocks(largest)))
            largest = activity;
    }
    if (!largest || activity_blocks(largest) >= n_units)
        return;
    const double n_blocks = activity_blocks(largest);
    text_add_line(&name, largest->name);
    text_add_cut(&words, text_get(&name), NAME_MOST);
    text_printf(&words, " has %.0f block%s for %.0f multiprocessors", n_blocks,
                n_blocks == 1 ? "" : "s", n_units);
    list_add(notes, SMALL, text_get(&words), label);
}

/* What libffi, or an interpreter, adds to a function, from 1 % of the time on. */
static void add_call_overhead(struct notes *notes, const struct stored_case *c, const char *label)
{
    const double least_ratio = 0.01;
    char overhead[NUMBER_TEXT_MAX], time[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < c->record.n_metrics; i++) {
        const struct metric_record *metric = &c->record.metrics[i];
        if (!text_equal(metric->name, "call_overhead_ns") ||
            !(metric->value > least_ratio * c->summary.median))
            continue;
        list_add(notes, CALLS,
                 arena_printf(notes->arena, "%s: %s of %s", label,
                              format_time(metric->value, 3, overhead),
                              format_time(c->summary.median, 3, time)),
                 "");
    }
}

/* Did power or heat change what was measured, and nothing was done about it: with pace = free the
 * device was throttled, or its clock moved by itself? The clock of a device whose power
 * is known depends on that; others' on settings of the system, which doctor shows. */
static bool is_of_no_pace(const struct stored_case *c)
{
    const double moved_ratio = 0.98;
    const struct pace_record *pace = &c->record.pace;
    bool has_moved = pace->clock_low_hz < moved_ratio * pace->clock_high_hz &&
                     !isnan(telemetry_at(c, TELEMETRY_END)->power_watts);
    return text_equal(c->pace, pace_word(PACE_FREE)) && (c->n_throttled > 0 || has_moved);
}

static void add_record(struct notes *notes, const struct view_row *row)
{
    const struct stored_case *c = &row->c;
    const struct case_record *record = &c->record;
    CLEANUP(text_free) struct text label = {0};
    text_add_line(&label, row->label);
    add_outcome(notes, c, text_get(&label));
    add_messages(notes, c, text_get(&label));
    add_reading(notes, c, text_get(&label));
    add_modes(notes, &record->estimate, text_get(&label));
    if (notes->verbose)
        histograms_add(&notes->lines.histograms, record, text_get(&label), notes->arena);
    if (c->n_throttled > 0 && throttle_words(c) && *throttle_words(c))
        list_add_line(notes, THROTTLES, throttle_words(c), text_get(&label));
    add_pace(notes, c, text_get(&label));
    add_small_grid(notes, row, text_get(&label));
    add_call_overhead(notes, c, text_get(&label));
    /* The overhead is a sample's, the median an iteration's. */
    double overhead_ns = record->overhead_ns /
                         (record->iterations ? (double)record->iterations : 1);
    if (overhead_ns > 0.01 * c->summary.median) {
        notes->n_short++;
        notes->short_overhead_ns = fmax(notes->short_overhead_ns, record->overhead_ns);
    }
    notes->samples_of_throttled += c->n_throttled > 0 ? record->n_samples : 0;
    notes->throttled_cases += c->n_throttled > 0;
    notes->throttled_samples += c->n_throttled;
    notes->of_no_pace += is_of_no_pace(c);
    notes->lost_cases += record->n_lost > 0;
    notes->lost_samples += record->n_lost;
}

/* Of a case, its rounds combined. */
static void add_verdict(struct notes *notes, const struct view_row *row)
{
    const struct case_record *record = &row->c.record;
    CLEANUP(text_free) struct text label = {0};
    text_add_line(&label, row->label);
    if (!record->has_estimate)
        return;
    if (*record->estimate.note && record->estimate.verdict == GB_VERDICT_UNCONVERGED)
        list_add_line(notes, OBSTACLES, record->estimate.note, text_get(&label));
    notes->unconverged += record->estimate.verdict == GB_VERDICT_UNCONVERGED;
    notes->limited += record->estimate.verdict == GB_VERDICT_RESOLUTION_LIMITED;
    notes->gave_up += record->estimate.verdict == GB_VERDICT_GAVE_UP;
    notes->in_visit += record->estimate.verdict == GB_VERDICT_CERTIFIED_IN_VISIT;
}

/* ---- as lines ---- */

__attribute__((format(printf, 3, 4))) static struct note_line *
add_line(struct notes *notes, int level, const char *format, ...)
{
    CLEANUP(text_free) struct text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&words, format, arguments);
    va_end(arguments);
    struct note_line *line = ARENA_ADD(notes->arena, notes->lines.items, notes->lines.n);
    *line = (struct note_line){
        .level = level, .mark = "", .words = arena_text(notes->arena, text_get(&words))};
    return line;
}

/* "streams=4 and 2 more: crashed (SIGSEGV)", the cases where the words do not have them. */
static void add_words(const struct note *note, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    const size_t n = note->n_values < VALUES_SHOWN ? note->n_values : VALUES_SHOWN;
    text_add(out, note->first);
    if (note->count > 1 && *note->first)
        text_printf(out, " and %llu more", (unsigned long long)note->count - 1);
    text_add(out, *note->first ? ": " : "");
    text_add_n(&words, note->words, note->values_at);
    for (size_t i = 0; i < n; i++)
        text_printf(&words, "%s%s", i ? ", " : "", note->values[i]);
    text_add(&words, note->n_values > n ? ", ..." : "");
    text_add(&words, note->words + note->values_at);
    text_add_line(out, text_get(&words));
}

static void add_message(const struct note *note, struct text *out)
{
    const unsigned long long n_others = note->count - 1;
    text_add(out, note->words);
    if (note->count == 1)
        text_printf(out, " (%s)", note->first);
    else if (note->varies)
        text_printf(out, " (%s, and with other numbers %llu more)", note->first, n_others);
    else
        text_printf(out, " (%llu cases, first in %s)", n_others + 1, note->first);
}

static void add_entries(struct notes *notes, int kind, int level, size_t most)
{
    const struct note_list *list = &notes->lists[kind];
    const size_t n = notes->verbose || list->n <= most ? list->n : most;
    for (size_t i = 0; i < n; i++) {
        CLEANUP(text_free) struct text words = {0};
        (kind == MESSAGES ? add_message : add_words)(&list->items[i], &words);
        add_line(notes, level, "%s", text_get(&words));
    }
    if (list->n > n)
        add_line(notes, level, "and %zu more", list->n - n)->is_rest = true;
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* "2 cases have throttled samples: 5 of their 40 (power limit; too hot)" */
static void add_throttles(struct notes *notes)
{
    CLEANUP(text_free) struct text reasons = {0};
    const struct note_list *list = &notes->lists[THROTTLES];
    const size_t n = list->n < THROTTLES_SHOWN ? list->n : THROTTLES_SHOWN;
    if (!notes->throttled_cases)
        return;
    for (size_t i = 0; i < n; i++)
        text_printf(&reasons, "%s%s", i ? "; " : " (", list->items[i].words);
    text_printf(&reasons, "%s%s", list->n > n ? "; ..." : "", n ? ")" : "");
    add_line(notes, 1, "%llu %s throttled samples: %llu of %s %llu%s",
             (unsigned long long)notes->throttled_cases,
             plural(notes->throttled_cases, "case has", "cases have"),
             (unsigned long long)notes->throttled_samples,
             plural(notes->throttled_cases, "its", "their"),
             (unsigned long long)notes->samples_of_throttled, text_get(&reasons));
}

/* "14:02" */
static const char *minute_of(const char *at, struct arena *arena)
{
    enum { HOUR = 11, MINUTE_END = 16 };
    return strlen(at) >= MINUTE_END ? arena_printf(arena, "%.*s", MINUTE_END - HOUR, at + HOUR)
                                    : at;
}

/* "run 2: the machine (cpu:0) became 2.1 % slower at 14:02 UTC, by its reference work" */
static void add_change(struct notes *notes, const struct view *view, size_t run,
                       const struct sentinel_change *change, int64_t device_id)
{
    const struct view_devices *devices = &view->devices[run];
    const char *from = minute_of(change->from, notes->arena);
    const char *to = minute_of(change->to, notes->arena);
    CLEANUP(text_free) struct text words = {0};
    if (view->n_runs > 1)
        text_printf(&words, "run %lld: ", (long long)view->runs[run].number);
    text_add(&words, "the machine");
    for (size_t i = 0; i < devices->n; i++)
        if (devices->items[i].id == device_id)
            text_printf(&words, " (%s:%u)", devices->items[i].record.name,
                        devices->items[i].record.index);
    text_printf(&words, " became %.2g %% %s ", 100 * expm1(fabs(change->size)),
                change->size > 0 ? "slower" : "faster");
    if (change->is_drift && !text_equal(from, to))
        text_printf(&words, "from %s to %s", from, to);
    else
        text_printf(&words, "at %s", to);
    add_line(notes, 1, "%s UTC, by its reference work", text_get(&words));
}

static void add_changes(struct notes *notes, const struct view *view)
{
    for (size_t run = 0; run < view->n_runs; run++) {
        struct sentinel_reading *readings = NULL;
        struct sentinel_change change;
        struct gb_error error;
        size_t n = 0;
        if (store_sentinel(view->store, view->runs[run].id, notes->arena, &readings, &n, &error) !=
            GB_OK)
            return; /* no note is a reason to show nothing */
        for (size_t i = 0, of_device; i < n; i += of_device) {
            of_device = sentinel_group(&readings[i], n - i);
            if (sentinel_find_change(&readings[i], of_device, &change))
                add_change(notes, view, run, &change, readings[i].device_id);
        }
    }
}

static void add_counts(struct notes *notes)
{
    char number[NUMBER_TEXT_MAX];
    const struct {
        uint64_t n;
        int32_t verdict;
        const char *one, *many;
    } verdicts[] = {
        {notes->unconverged, GB_VERDICT_UNCONVERGED, "case is not certified",
         "cases are not certified"},
        {notes->limited, GB_VERDICT_RESOLUTION_LIMITED, "case is limited by the timer resolution",
         "cases are limited by the timer resolution"},
        {notes->gave_up, GB_VERDICT_GAVE_UP, "case was given up by its policy",
         "cases were given up by their policy"},
        {notes->in_visit, GB_VERDICT_CERTIFIED_IN_VISIT,
         "case is certified in this visit: the next one may differ",
         "cases are certified in this visit: the next one may differ"},
    };
    if (notes->n_short)
        add_line(notes, 1,
                 "%llu %s short samples: the timer overhead (up to %s) is more than 1 %% of each; "
                 "it is not subtracted",
                 (unsigned long long)notes->n_short,
                 plural(notes->n_short, "case has", "cases have"),
                 format_time(notes->short_overhead_ns, 3, number));
    add_throttles(notes);
    if (notes->of_no_pace)
        add_line(notes, 1,
                 "%llu %s measured while power or heat changed the clock: neither pace = burst nor "
                 "pace = sustained, choose one",
                 (unsigned long long)notes->of_no_pace,
                 plural(notes->of_no_pace, "case was", "cases were"));
    if (notes->lost_cases)
        add_line(notes, 1, "%llu %s lost the times of %llu %s",
                 (unsigned long long)notes->lost_cases, plural(notes->lost_cases, "case", "cases"),
                 (unsigned long long)notes->lost_samples,
                 plural(notes->lost_samples, "sample", "samples"));
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        if (!verdicts[i].n)
            continue;
        const bool has_reasons = i == 0 && notes->lists[OBSTACLES].n;
        add_line(notes, 1, "%llu %s%s", (unsigned long long)verdicts[i].n,
                 plural(verdicts[i].n, verdicts[i].one, verdicts[i].many), has_reasons ? ":" : "")
            ->mark = view_verdict_mark(verdicts[i].verdict);
        if (has_reasons)
            add_entries(notes, OBSTACLES, 2, LIST_SHOWN);
    }
}

static void add_lines(struct notes *notes, const struct view *view)
{
    for (int i = FAILURES; i <= MESSAGES; i++)
        if (notes->lists[i].n) {
            add_line(notes, 0, "%s", list_heads[i].heading)->colour = list_heads[i].colour;
            add_entries(notes, i, 1, LISTED_MAX);
        }
    const size_t n = notes->lines.n;
    notes->lines.n_before_histograms = n;
    add_line(notes, 0, "notes");
    add_changes(notes, view);
    add_counts(notes);
    for (int i = PACES; i < LISTS; i++)
        if (notes->lists[i].n) {
            add_line(notes, 1, "%s:", list_heads[i].heading)->mark = list_heads[i].mark;
            add_entries(notes, i, 2, LIST_SHOWN);
        }
    if (notes->lines.n == n + 1) /* the heading alone */
        notes->lines.n = n;
}

static void add_case(struct notes *notes, const struct view *view, const struct group *group)
{
    const double least_ratio = 0.001; /* many samples tell rounds apart that hardly differ */
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text words = {0}, label = {0};
    const struct view_row *rows = view_group_rows(view, group, &arena);
    notes->n_cases++;
    for (size_t i = 0; i < group->n; i++)
        add_record(notes, &rows[i]);
    const struct shown shown = combine_rounds(rows, group->n, &arena);
    add_verdict(notes, &shown.row);
    if (group->n > 1 && shown.differs && shown.row.apart_ratio >= least_ratio) {
        text_printf(&words, "%s: rounds differ by ", shown.row.label);
        view_add_percent(&words, shown.row.apart_ratio);
        list_add_line(notes, DIFFERING, text_get(&words), "");
    }
    text_clear(&words);
    const int noise = noise_words(rows, group->n, &shown, &words);
    text_add_line(&label, shown.row.label);
    if (noise != NOISE_NONE)
        list_add(notes, noise == NOISE_SCATTER ? NOISY : OUTLYING, text_get(&words),
                 text_get(&label));
}

struct note_lines notes_of(struct view *view)
{
    struct notes notes = {.arena = &view->arena, .verbose = view->options->verbose};
    size_t n = 0;
    struct group *groups = group_rounds(view, view->survey.last_round > 0, &n);
    for (size_t i = 0; i < n; i++)
        add_case(&notes, view, &groups[i]);
    if (view->options->group_by && !notes.verbose) /* each group has its pass rate */
        notes.lists[FAILURES].n = notes.lists[SKIPS].n = 0;
    add_lines(&notes, view);
    return notes.lines;
}

void notes_show(struct view *view, struct text *out)
{
    const struct note_lines lines = notes_of(view);
    for (size_t i = 0; i <= lines.n; i++) {
        if (i == lines.n_before_histograms)
            histograms_write(&lines.histograms, out);
        if (i == lines.n)
            break;
        const struct note_line *line = &lines.items[i];
        const int colour = line->level == 0 ? line->colour : COLOUR_DOUBT;
        text_pad(out, line->level ? ' ' : '\n', line->level ? 2 * (size_t)line->level : 1);
        colour_add(out, view->options->has_colours ? colour : COLOUR_NONE,
                   line->level ? line->mark : line->words);
        if (line->level)
            text_printf(out, "%s%s", *line->mark ? " " : "", line->words);
        text_add(out, line->is_rest ? "; --verbose shows all\n" : "\n");
    }
}
