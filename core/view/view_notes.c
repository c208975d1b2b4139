/* view_notes.c - what follows a table: failures, messages, doubts. */
#include "core/store/sentinel.h"
#include "core/view/hash_index.h"
#include "core/view/view_writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_SHOWN = 8, LISTED_MAX = 20, VALUES_SHOWN = 8, FEW_SKIPS = 5, FEW_NOTES = 3 };

/* What notes tell of cases, what matters most first: sections of their own, and lists with a
 * heading. mark: of the times that the heading is about. Where notes are few each list is a line:
 * its heading, of causes with the most frequent one. */
enum { SECTION = 1, CAUSES = 2 };
#define NOTE_LISTS(X)                                                                              \
    X(FAILURES, COLOUR_BAD, SECTION, "", "failures")                                               \
    X(SKIPS, COLOUR_FAINT, SECTION, "", "skipped")                                                 \
    X(ERRORS, COLOUR_BAD, SECTION | CAUSES, "", "errors")                                          \
    X(CHANGES, COLOUR_NONE, CAUSES, "", "the machine changed, according to its reference work")    \
    X(OBSTACLES, COLOUR_NONE, 0, "?",                                                              \
      "not certified: interval wider or less stable than requested")                               \
    X(LIMITED, COLOUR_NONE, 0, "~", "limited by the timer resolution")                             \
    X(GAVE_UP, COLOUR_NONE, 0, "!", "the policy gave up")                                          \
    X(MODES, COLOUR_NONE, 0, MODES_MARK, "several modes")                                          \
    X(MESSAGES, COLOUR_NONE, SECTION | CAUSES, "", "messages")                                     \
    X(THROTTLES, COLOUR_NONE, CAUSES, "", "throttled samples")                                     \
    X(UNPACED, COLOUR_NONE, 0, "",                                                                 \
      "power or heat changed the clock: choose pace = burst or pace = sustained")                  \
    X(LOST, COLOUR_NONE, CAUSES, "", "samples whose times were lost")                              \
    X(DIFFERING, COLOUR_NONE, 0, "", "rounds differ by more than their intervals explain")         \
    X(NOISY, COLOUR_NONE, CAUSES, "", "noise, and its likely cause")                               \
    X(OUTLYING, COLOUR_NONE, CAUSES, "", "outliers, and their likely cause")                       \
    X(OF_VISIT, COLOUR_NONE, 0, "", "certified in this visit: the next one may differ")            \
    X(SHORT, COLOUR_NONE, 0, "",                                                                   \
      "short samples: the timer overhead is more than 1 % and is not subtracted")                  \
    X(PACES, COLOUR_NONE, 0, "", "pace")                                                           \
    X(GRAPHS, COLOUR_NONE, 0, "", "several launches per sample: a graph would be faster")          \
    X(SMALL, COLOUR_NONE, 0, "",                                                                   \
      "fewer blocks than multiprocessors: the time depends on their placement")                    \
    X(CALLS, COLOUR_NONE, 0, "", "the time includes the call overhead")
enum {
#define NOTE_LIST_CONSTANT(name, colour, flags, mark, heading) name,
    NOTE_LISTS(NOTE_LIST_CONSTANT)
#undef NOTE_LIST_CONSTANT
        LISTS
};
static const struct {
    int colour, flags;
    const char *mark, *heading;
} list_heads[LISTS] = {
#define NOTE_LIST_HEAD(name, colour, flags, mark, heading) {colour, flags, mark, heading},
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

enum { CASES_KEPT = 8 };

/* Words that are said of some cases. */
struct note {
    const char *words;             /* "": the heading says it all */
    const char *cases[CASES_KEPT]; /* labels of the first; "" where the words are of no case */
    uint64_t count;                /* of the cases */
    uint64_t last_case;            /* number of the last of them */
    /* Words that some of the cases differ in: they belong before words[values_at]. */
    struct words values;
    size_t values_at;
};
struct note_list {
    struct note all; /* its cases, without words */
    struct note *items;
    size_t n;
    struct hash_index by_words;
};
struct notes {
    struct arena *arena;
    bool verbose;
    int extent; /* NOTES_...; of a few, words that differ in numbers only are one */
    struct note_list lists[LISTS];
    struct note_lines lines;
    uint64_t n_cases; /* so far; the rounds of a case are one */
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

/* The number or range a and the number b as one range: "3..12". */
static void add_range(struct text *out, const char *a, size_t n_a, const char *b, size_t n_b)
{
    const char *dots = strstr(a, ".."), *end = a + n_a;
    const bool is_range = dots && dots < end;
    const char *low_end = is_range ? dots : end, *high = is_range ? dots + 2 : a;
    const double value = strtod(b, NULL);
    if (value < strtod(a, NULL))
        text_printf(out, "%.*s..%.*s", (int)n_b, b, (int)(end - high), high);
    else if (value > strtod(high, NULL))
        text_printf(out, "%.*s..%.*s", (int)(low_end - a), a, (int)n_b, b);
    else
        text_add_n(out, a, n_a);
}

/* Words that are equal but for numbers, with the ranges of these. */
static const char *join_numbers(const char *a, const char *b, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    do {
        const size_t n = strcspn(a, digits);
        const size_t n_a = strspn(a + n, digits), n_b = strspn(b + n, digits);
        text_add_n(&words, a, n);
        add_range(&words, a + n, n_a, b + n, n_b);
        a += n + n_a;
        b += n + n_b;
    } while (*a && *b);
    return arena_text(arena, text_get(&words));
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

static void count_case(const struct notes *notes, struct note *note, const char *label)
{
    if (note->last_case == notes->n_cases)
        return;
    if (note->count < CASES_KEPT)
        note->cases[note->count] = arena_text(notes->arena, label);
    note->last_case = notes->n_cases;
    note->count++;
}

/* One list entry for equal words, with the number of cases that they were said of. */
static struct note *list_add(struct notes *notes, int kind, const char *words, const char *label)
{
    struct note_list *list = &notes->lists[kind];
    const bool joins_numbers = list_heads[kind].flags & CAUSES &&
                               (notes->extent == NOTES_FEW ||
                                (list_heads[kind].flags & SECTION && !notes->verbose));
    const uint64_t hash = joins_numbers ? hash_but_for_numbers(words)
                                        : hash_text(HASH_START, words);
    count_case(notes, &list->all, label);
    for (size_t at = 0, i; (i = hash_index_next(&list->by_words, hash, &at)) != HASH_NONE;) {
        struct note *item = &list->items[i];
        const bool is_equal = text_equal(item->words, words);
        if (!is_equal && !(joins_numbers && are_equal_but_for_numbers(item->words, words)))
            continue;
        if (!is_equal)
            item->words = join_numbers(item->words, words, notes->arena);
        count_case(notes, item, label);
        return item;
    }
    hash_index_add(&list->by_words, hash, list->n, notes->arena);
    struct note *added = ARENA_ADD(notes->arena, list->items, list->n);
    *added = (struct note){.words = arena_text(notes->arena, words)};
    count_case(notes, added, label);
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
    words_add_new(&note->values, notes->arena, value);
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
    for (size_t i = 0; i < c->record.n_messages; i++) {
        const struct message_record *message = &c->record.messages[i];
        if (message->severity < GB_LOG_WARNING && !notes->verbose)
            continue;
        text_clear(&words);
        text_printf(&words, "%s: ",
                    message->severity >= 0 && message->severity < 6 ? severities[message->severity]
                                                                    : "message");
        text_add_line(&words, message->text);
        list_add(notes, message->severity > GB_LOG_WARNING ? ERRORS : MESSAGES, text_get(&words),
                 label);
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
             arena_printf(notes->arena, "%s, as a graph %s", format_time(median_ns, 3, now),
                          format_time(record->graph_ns, 3, then)),
             label);
}

/* "160.0 us +-0.62 % (61 %), 190.0 us +-0.53 % (39 %)" */
static void add_modes(struct notes *notes, const struct gb_estimate *estimate, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    char number[NUMBER_TEXT_MAX];
    if (estimate->n_modes < 2)
        return;
    for (uint32_t i = 0; i < estimate->n_modes; i++) {
        const struct gb_mode *mode = &estimate->modes[i];
        bool is_interval = view_is_interval(mode->low_ns, mode->high_ns);
        text_printf(&words, "%s%s", i ? ", " : "", format_time(mode->median_ns, 4, number));
        if (is_interval) {
            text_add(&words, " ");
            text_add_interval(&words, mode->median_ns, mode->low_ns, mode->high_ns);
        }
        text_printf(&words, " (%.0f %%%s)", 100 * mode->weight, is_interval ? "" : ", no interval");
    }
    list_add(notes, MODES, text_get(&words), label);
}

/* "idle for 352.1 us after each sample (burst)" */
static void add_pace(struct notes *notes, const struct stored_case *c, const char *label)
{
    const struct pace_record *pace = &c->record.pace;
    CLEANUP(text_free) struct text words = {0};
    char number[NUMBER_TEXT_MAX];
    if (c->record.n_samples == 0)
        return;
    if (pace->waited_ns > 0)
        text_printf(&words, "waited %s", format_time(pace->waited_ns, 3, number));
    const double settled_ns = text_equal(c->pace, pace_word(PACE_SUSTAINED)) ? pace->load_ns : 0;
    if (pace->gap_ns > 0 || settled_ns > 0)
        text_add(&words, words.length ? ", " : "");
    if (pace->gap_ns > 0)
        text_printf(&words, "%sidle for %s after each sample",
                    pace->is_missed ? "throttled or below its highest clock although " : "",
                    format_time(pace->gap_ns, 4, number));
    if (settled_ns > 0)
        text_printf(&words, "%s %s of load",
                    pace->is_missed ? "not settled after" : "settled after",
                    format_time(settled_ns, 3, number));
    if (!words.length)
        return;
    text_printf(&words, " (%s)", c->pace);
    list_add(notes, PACES, text_get(&words), label);
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
                 arena_printf(notes->arena, "%s of %s", format_time(metric->value, 3, overhead),
                              format_time(c->summary.median, 3, time)),
                 label);
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

static void add_throttles(struct notes *notes, const struct stored_case *c, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    const char *reasons = throttle_words(c);
    if (c->n_throttled == 0)
        return;
    text_printf(&words, "%llu of %llu", (unsigned long long)c->n_throttled,
                (unsigned long long)c->record.n_samples);
    if (reasons && *reasons)
        text_printf(&words, ": %s", reasons);
    list_add_line(notes, THROTTLES, text_get(&words), label);
}

static void add_record(struct notes *notes, const struct view_row *row)
{
    const struct stored_case *c = &row->c;
    const struct case_record *record = &c->record;
    CLEANUP(text_free) struct text line = {0};
    text_add_line(&line, row->label);
    const char *label = text_get(&line);
    add_outcome(notes, c, label);
    add_messages(notes, c, label);
    add_reading(notes, c, label);
    add_modes(notes, &record->estimate, label);
    if (notes->verbose)
        histograms_add(&notes->lines.histograms, record, label, notes->arena);
    add_throttles(notes, c, label);
    add_pace(notes, c, label);
    add_small_grid(notes, row, label);
    add_call_overhead(notes, c, label);
    /* The overhead is a sample's, the median an iteration's. */
    const double n_iterations = record->iterations ? (double)record->iterations : 1;
    if (record->overhead_ns / n_iterations > 0.01 * c->summary.median)
        list_add(notes, SHORT, "", label);
    if (is_of_no_pace(c))
        list_add(notes, UNPACED, "", label);
    if (record->n_lost > 0)
        list_add(notes, LOST,
                 arena_printf(notes->arena, "%llu of %llu", (unsigned long long)record->n_lost,
                              (unsigned long long)record->n_samples),
                 label);
}

/* Of a case, its rounds combined. */
static void add_verdict(struct notes *notes, const struct view_row *row, const char *label)
{
    static const struct {
        int32_t verdict;
        int kind;
    } kinds[] = {{GB_VERDICT_UNCONVERGED, OBSTACLES},
                 {GB_VERDICT_RESOLUTION_LIMITED, LIMITED},
                 {GB_VERDICT_GAVE_UP, GAVE_UP},
                 {GB_VERDICT_CERTIFIED_IN_VISIT, OF_VISIT}};
    const struct case_record *record = &row->c.record;
    for (size_t i = 0; record->has_estimate && i < sizeof kinds / sizeof *kinds; i++)
        if (record->estimate.verdict == kinds[i].verdict)
            list_add_line(notes, kinds[i].kind,
                          kinds[i].kind == OBSTACLES ? record->estimate.note : "", label);
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

/* "streams=4 and 2 more: crashed (SIGSEGV)" */
static void add_words(const struct note *note, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    const size_t n = note->values.n < VALUES_SHOWN ? note->values.n : VALUES_SHOWN;
    text_add(out, note->cases[0]);
    if (note->count > 1)
        text_printf(out, " and %llu more", (unsigned long long)note->count - 1);
    text_add(out, *note->cases[0] ? ": " : "");
    text_add_n(&words, note->words, note->values_at);
    for (size_t i = 0; i < n; i++)
        text_printf(&words, "%s%s", i ? ", " : "", note->values.items[i]);
    text_add(&words, note->values.n > n ? ", ..." : "");
    text_add(&words, note->words + note->values_at);
    text_add_line(out, text_get(&words));
}

/* " (2 of 11 cases: streams streams=2, half range=r0)", as many of them as take up to `most`
 * columns; " (all 11 cases)". */
static void add_cases(const struct notes *notes, const struct note *note, size_t most,
                      struct text *out)
{
    CLEANUP(text_free) struct text cases = {0};
    const bool is_all = note->count == notes->n_cases;
    const uint64_t n = is_all ? 0 : note->count < CASES_KEPT ? note->count : CASES_KEPT;
    uint64_t i = 0;
    if (notes->n_cases < 2 || !*note->cases[0])
        return;
    if (is_all && note->count == 2)
        text_add(&cases, "both cases");
    else if (is_all)
        text_printf(&cases, "all %llu cases", (unsigned long long)note->count);
    else if (note->count > 1)
        text_printf(&cases, "%llu of %llu cases", (unsigned long long)note->count,
                    (unsigned long long)notes->n_cases);
    for (; i < n; i++) {
        const size_t rest = sizeof " ()" - 1 + (i + 1 < note->count ? sizeof ", ..." - 1 : 0);
        const char *before = i > 0 ? ", " : cases.length > 0 ? ": " : "";
        if (text_columns(text_get(&cases)) + strlen(before) + text_columns(note->cases[i]) + rest >
            most)
            break;
        text_printf(&cases, "%s%s", before, note->cases[i]);
    }
    text_add(&cases, i > 0 && i < note->count ? ", ..." : "");
    if (cases.length)
        text_printf(out, " (%s)", text_get(&cases));
}

static void add_message(const struct notes *notes, const struct note *note, struct text *out)
{
    text_add(out, note->words);
    add_cases(notes, note, SIZE_MAX, out);
}

static void add_entries(struct notes *notes, int kind, int level, size_t most)
{
    const struct note_list *list = &notes->lists[kind];
    const bool all = notes->verbose || notes->extent == NOTES_ALL;
    const size_t n = all || list->n <= most ? list->n : most;
    for (size_t i = 0; i < n; i++) {
        CLEANUP(text_free) struct text words = {0};
        if (list_heads[kind].flags & CAUSES && list_heads[kind].flags & SECTION)
            add_message(notes, &list->items[i], &words);
        else
            add_words(&list->items[i], &words);
        add_line(notes, level, "%s", text_get(&words));
    }
    if (list->n > n)
        add_line(notes, level, "and %zu more", list->n - n)->is_rest = true;
}

/* "14:02" */
static const char *minute_of(const char *at, struct arena *arena)
{
    enum { HOUR = 11, MINUTE_END = 16 };
    return strlen(at) >= MINUTE_END ? arena_printf(arena, "%.*s", MINUTE_END - HOUR, at + HOUR)
                                    : at;
}

/* "run 2: cpu:0 became 2.1 % slower at 14:02 UTC" */
static void add_change(struct notes *notes, const struct view *view, size_t run,
                       const struct sentinel_change *change, int64_t device_id)
{
    const struct stored_device *device = stored_device_of(&view->devices[run], device_id);
    const char *from = minute_of(change->from, notes->arena);
    const char *to = minute_of(change->to, notes->arena);
    CLEANUP(text_free) struct text words = {0};
    if (view->n_runs > 1)
        text_printf(&words, "run %lld: ", (long long)view->runs[run].number);
    if (device)
        text_printf(&words, "%s:%u ", device->record.name, device->record.index);
    text_printf(&words, "became %.2g %% %s ", 100 * expm1(fabs(change->size)),
                change->size > 0 ? "slower" : "faster");
    if (change->is_drift && !text_equal(from, to))
        text_printf(&words, "from %s to %s", from, to);
    else
        text_printf(&words, "at %s", to);
    text_add(&words, " UTC");
    list_add(notes, CHANGES, text_get(&words), "");
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

static void add_section(struct notes *notes, int kind, size_t most)
{
    if (!notes->lists[kind].n)
        return;
    add_line(notes, 0, "%s", list_heads[kind].heading)->colour = list_heads[kind].colour;
    add_entries(notes, kind, 1, most);
}

static void add_lines(struct notes *notes)
{
    for (int i = 0; i < LISTS; i++)
        if (list_heads[i].flags & SECTION)
            add_section(notes, i, LISTED_MAX);
    const size_t n = notes->lines.n;
    notes->lines.n_before_histograms = n;
    add_line(notes, 0, "notes");
    for (int i = 0; i < LISTS; i++) {
        CLEANUP(text_free) struct text cases = {0};
        const struct note_list *list = &notes->lists[i];
        if (!list->n || list_heads[i].flags & SECTION)
            continue;
        const bool has_entries = *list->items[0].words;
        add_cases(notes, &list->all, has_entries ? 0 : SIZE_MAX, &cases);
        add_line(notes, 1, "%s%s%s", list_heads[i].heading, text_get(&cases),
                 has_entries ? ":" : "")
            ->mark = list_heads[i].mark;
        if (has_entries)
            add_entries(notes, i, 2, LIST_SHOWN);
    }
    if (notes->lines.n == n + 1) /* the heading alone */
        notes->lines.n = n;
}

/* "? not certified: ... (2 of 11 cases: streams streams=2, half range=r0)", one line. */
static void add_few_of(struct notes *notes, int kind, size_t width)
{
    CLEANUP(text_free) struct text all = {0}, words = {0}, cases = {0};
    const struct note_list *list = &notes->lists[kind];
    const int flags = list_heads[kind].flags;
    const char *mark = list_heads[kind].mark;
    const size_t room = width - 2 - (*mark ? strlen(mark) + 1 : 0);
    const struct note *most = &list->items[0];
    for (size_t i = 1; i < list->n; i++)
        most = list->items[i].count > most->count ? &list->items[i] : most;
    text_add(&all, flags & SECTION ? "" : list_heads[kind].heading);
    if (flags & CAUSES)
        text_printf(&all, "%s%s", all.length ? ": " : "", most->words);
    const struct note *of = flags & CAUSES ? most : &list->all;
    add_cases(notes, of, 0, &cases);
    const size_t least = text_columns(text_get(&cases));
    text_add_shortened(&words, text_get(&all), room > least ? room - least : room);
    const size_t used = text_columns(text_get(&words));
    add_cases(notes, of, room > used ? room - used : 0, &words);
    add_line(notes, 1, "%s", text_get(&words))->mark = mark;
}

/* What failed and what was skipped, then the notes that matter most. */
static void add_few_lines(struct notes *notes, size_t width)
{
    uint64_t n = 0, n_more = 0;
    bool has_details = false;
    add_section(notes, FAILURES, LISTED_MAX);
    add_section(notes, SKIPS, FEW_SKIPS);
    notes->lines.n_before_histograms = notes->lines.n;
    for (int i = 0; i < LISTS; i++) {
        if (i == FAILURES || i == SKIPS || !notes->lists[i].n)
            continue;
        if (n == 0)
            add_line(notes, 0, "notes");
        if (n++ < FEW_NOTES)
            add_few_of(notes, i, width);
        n_more += n > FEW_NOTES                  ? notes->lists[i].n
                  : list_heads[i].flags & CAUSES ? notes->lists[i].n - 1
                                                 : 0;
        has_details |= *notes->lists[i].items[0].words;
    }
    if (n_more)
        add_line(notes, 1, "and %llu more", (unsigned long long)n_more)->is_rest = true;
    else if (has_details)
        add_line(notes, 1, "details")->is_rest = true;
}

static void add_case(struct notes *notes, const struct view *view, const struct group *group)
{
    const double least_ratio = 0.001; /* many samples tell rounds apart that hardly differ */
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text words = {0}, label = {0}, cause = {0};
    const struct view_row *rows = view_group_rows(view, group, &arena);
    notes->n_cases++;
    for (size_t i = 0; i < group->n; i++)
        add_record(notes, &rows[i]);
    const struct shown shown = combine_rounds(rows, group->n, &arena);
    text_add_line(&label, shown.row.label);
    add_verdict(notes, &shown.row, text_get(&label));
    if (group->n > 1 && shown.differs && shown.row.apart_ratio >= least_ratio) {
        text_add(&words, "rounds differ by ");
        text_add_percent(&words, shown.row.apart_ratio);
        list_add(notes, DIFFERING, text_get(&words), text_get(&label));
        text_clear(&words);
    }
    const int noise = noise_words(rows, group->n, &shown,
                                  notes->extent == NOTES_FEW ? NULL : &words, &cause);
    text_printf(&words, "%s%s", words.length ? ": " : "", text_get(&cause));
    if (noise != NOISE_NONE)
        list_add(notes, noise == NOISE_SCATTER ? NOISY : OUTLYING, text_get(&words),
                 text_get(&label));
}

struct note_lines notes_of(struct view *view)
{
    const int extent = view->options->verbose ? NOTES_ALL : view->options->notes;
    struct notes notes = {
        .arena = &view->arena, .verbose = view->options->verbose, .extent = extent};
    size_t n = 0;
    struct group *groups = group_rounds(view, view->survey.last_round > 0, &n);
    for (size_t i = 0; i < n; i++)
        add_case(&notes, view, &groups[i]);
    if (view->options->group_by && !notes.verbose) /* each group has its pass rate */
        notes.lists[FAILURES].n = notes.lists[SKIPS].n = 0;
    add_changes(&notes, view);
    if (extent == NOTES_FEW)
        add_few_lines(&notes, view_width(view));
    else
        add_lines(&notes);
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
        if (line->is_rest)
            text_add(out, view->options->path ? ": gbrun show --notes " : ": --verbose shows all");
        if (line->is_rest && view->options->path)
            text_add_line(out, view->options->path);
        text_add(out, "\n");
    }
}
