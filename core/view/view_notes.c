/* view_notes.c - what follows a table: failures, messages, doubts. */
#include "core/view/hash_index.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_SHOWN = 8, LISTED_MAX = 20, THROTTLES_SHOWN = 4, VALUES_SHOWN = 8 };

/* Words that are said of some cases. */
struct note {
    const char *words;
    const char *first;  /* label of the first case it was said of */
    uint64_t count;     /* of the cases */
    uint64_t last_case; /* number of the last of them */
    bool varies;        /* in numbers, among the cases */
    /* Words that some of the cases differ in: they stand before words[values_at]. */
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
    bool has_colours;
    struct note_list failures, skips, messages, modes, throttles, paces, differing, graphs, small,
        calls;
    struct note_list noisy, outlying; /* cases whose samples scatter, with the likely cause */
    struct note_list obstacles;       /* what keeps cases from being certified */
    struct histograms histograms;     /* of each comparison of each case */
    uint64_t n_cases;                 /* so far; the rounds of a case are one */
    uint64_t n_short;                 /* cases with an overhead above 1 % of the median */
    double short_overhead_ns;
    uint64_t throttled_cases, throttled_samples, samples_of_throttled;
    uint64_t of_no_pace;
    uint64_t lost_cases, lost_samples;
    uint64_t unconverged, limited, gave_up;
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
static struct note *list_add(struct notes *notes, struct note_list *list, const char *words,
                             const char *label)
{
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

static void add_value(struct notes *notes, struct note *note, const char *value)
{
    for (size_t i = 0; i < note->n_values; i++)
        if (text_equal(note->values[i], value))
            return;
    ARENA_APPEND(notes->arena, note->values, note->n_values, arena_text(notes->arena, value));
}

/* Reasons that differ in the value of an axis are one: "roof = l3_read is for CPUs" and the same of
 * l3_write. The words are kept without the value. */
static void add_skip(struct notes *notes, const struct stored_case *c, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    const char *reason = *c->record.status_text ? c->record.status_text : "no reason given";
    const char *value = NULL, *at = axis_value_in(reason, c, &value);
    if (!at) {
        list_add(notes, &notes->skips, reason, label);
        return;
    }
    text_printf(&words, "%.*s%s", (int)(at - reason), reason, at + strlen(value));
    struct note *note = list_add(notes, &notes->skips, text_get(&words), label);
    note->values_at = (size_t)(at - reason);
    add_value(notes, note, value);
}

static const char *severity_word(int32_t severity)
{
    static const char *const words[] = {"debug", "info",       "warning",
                                        "error", "plugin bug", "gbrun bug"};
    return severity >= 0 && severity < 6 ? words[severity] : "message";
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
        list_add(notes, &notes->failures, text_get(&words), label);
}

static void add_messages(struct notes *notes, const struct stored_case *c, const char *label,
                         bool verbose)
{
    CLEANUP(text_free) struct text words = {0};
    notes->messages.joins_numbers = !verbose;
    for (size_t i = 0; i < c->record.n_messages; i++) {
        const struct message_record *message = &c->record.messages[i];
        if (message->severity < GB_LOG_WARNING && !verbose)
            continue;
        text_clear(&words);
        text_printf(&words, "%s: ", severity_word(message->severity));
        text_add_line(&words, message->text);
        list_add(notes, &notes->messages, text_get(&words), label);
    }
    for (size_t i = 0; verbose && i < c->record.n_worst; i++) {
        const struct worst_record *worst = &c->record.worst[i];
        text_clear(&words);
        text_add_line(&words, worst->name);
        text_printf(&words, "[%llu]: expected %.9g, got %.9g (%.3g ulp)",
                    (unsigned long long)worst->index, worst->reference, worst->output, worst->ulps);
        list_add(notes, &notes->messages, text_get(&words), label);
    }
}

/* What stands in the way of an interval that can be certified. */
static void add_obstacle(struct notes *notes, const struct gb_estimate *estimate, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    if (!*estimate->note || estimate->verdict != GB_VERDICT_UNCONVERGED)
        return;
    text_add_line(&words, estimate->note);
    list_add(notes, &notes->obstacles, text_get(&words), label);
}

/* How samples were read, where that is not as others are, and what a graph would save. */
static void add_reading(struct notes *notes, const struct stored_case *c, const char *label)
{
    const double worth_saying_ratio = 0.02;
    const struct case_record *record = &c->record;
    const double median_ns = central_ns(c);
    CLEANUP(text_free) struct text words = {0};
    char now[NUMBER_TEXT_MAX], then[NUMBER_TEXT_MAX];
    if (*record->reading_note) {
        text_add_line(&words, record->reading_note);
        list_add(notes, &notes->messages, text_get(&words), label);
    }
    if (!(record->graph_ns > 0 && record->graph_ns < (1 - worth_saying_ratio) * median_ns) ||
        c->n_throttled > 0) /* a graph was tried before the load */
        return;
    text_clear(&words);
    text_printf(&words, "%s: %s, as a graph %s", label, format_time(median_ns, 3, now),
                format_time(record->graph_ns, 3, then));
    list_add(notes, &notes->graphs, text_get(&words), "");
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
    list_add(notes, &notes->modes, text_get(&words), "");
}

/* Why the device was throttled, as far as it still was when it was asked. */
static void add_throttle(struct notes *notes, const struct stored_case *c, const char *label)
{
    CLEANUP(text_free) struct text words = {0};
    const char *reasons = throttle_words(c);
    if (c->n_throttled == 0 || !reasons || !*reasons)
        return;
    text_add_line(&words, reasons);
    list_add(notes, &notes->throttles, text_get(&words), label);
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
    list_add(notes, &notes->paces, arena_printf(notes->arena, "%s: %s", label, text_get(&words)),
             "");
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
    list_add(notes, &notes->small, text_get(&words), label);
}

/* What libffi, or an interpreter, adds to a function is worth saying from 1 % of the time on. */
static void add_call_overhead(struct notes *notes, const struct stored_case *c, const char *label)
{
    const double worth_saying_ratio = 0.01;
    char overhead[NUMBER_TEXT_MAX], time[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < c->record.n_metrics; i++) {
        const struct metric_record *metric = &c->record.metrics[i];
        if (!text_equal(metric->name, "call_overhead_ns") ||
            !(metric->value > worth_saying_ratio * c->summary.median))
            continue;
        list_add(notes, &notes->calls,
                 arena_printf(notes->arena, "%s: %s of %s", label,
                              format_time(metric->value, 3, overhead),
                              format_time(c->summary.median, 3, time)),
                 "");
    }
}

static void add_record(struct notes *notes, const struct view_row *row, bool verbose)
{
    const struct stored_case *c = &row->c;
    const struct case_record *record = &c->record;
    CLEANUP(text_free) struct text label = {0};
    text_add_line(&label, row->label);
    add_outcome(notes, c, text_get(&label));
    add_messages(notes, c, text_get(&label), verbose);
    add_reading(notes, c, text_get(&label));
    add_modes(notes, &record->estimate, text_get(&label));
    if (verbose)
        histograms_add(&notes->histograms, record, text_get(&label), notes->arena);
    add_throttle(notes, c, text_get(&label));
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
    if (!record->has_estimate)
        return;
    add_obstacle(notes, &record->estimate, text_get(&label));
    notes->unconverged += record->estimate.verdict == GB_VERDICT_UNCONVERGED;
    notes->limited += record->estimate.verdict == GB_VERDICT_RESOLUTION_LIMITED;
    notes->gave_up += record->estimate.verdict == GB_VERDICT_GAVE_UP;
}

/* What the rounds of a case say together. */
static void add_rounds(struct notes *notes, const struct shown *shown)
{
    const double worth_saying_ratio = 0.001; /* many samples tell rounds apart that hardly differ */
    CLEANUP(text_free) struct text words = {0};
    if (!shown->differs || shown->row.apart_ratio < worth_saying_ratio)
        return;
    text_add_line(&words, shown->row.label);
    text_add(&words, ": rounds differ by ");
    view_add_percent(&words, shown->row.apart_ratio);
    list_add(notes, &notes->differing, text_get(&words), "");
}

static void add_noise(struct notes *notes, const struct view_row *rows, size_t n,
                      const struct shown *shown)
{
    CLEANUP(text_free) struct text words = {0}, label = {0};
    const int noise = noise_words(rows, n, shown, &words);
    if (noise == NOISE_NONE)
        return;
    text_add_line(&label, shown->row.label);
    list_add(notes, noise == NOISE_SCATTER ? &notes->noisy : &notes->outlying, text_get(&words),
             text_get(&label));
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

static void write_left_out(size_t n, struct text *out)
{
    if (n)
        text_printf(out, "  and %zu more; --verbose shows all\n", n);
}

static void add_words(const struct note *note, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    size_t n = note->n_values < VALUES_SHOWN ? note->n_values : VALUES_SHOWN;
    text_add_n(&words, note->words, note->values_at);
    for (size_t i = 0; i < n; i++)
        text_printf(&words, "%s%s", i ? ", " : "", note->values[i]);
    text_add(&words, note->n_values > n ? ", ..." : "");
    text_add(&words, note->words + note->values_at);
    text_add_line(out, text_get(&words));
}

/* "streams=1 and 2 more: ", of the cases. */
static void add_cases(const struct note *note, struct text *out)
{
    text_add(out, note->first);
    if (note->count > 1)
        text_printf(out, " and %llu more", (unsigned long long)note->count - 1);
    text_add(out, ": ");
}

static void add_coloured(const struct notes *notes, int colour, const char *words, struct text *out)
{
    colour_add(out, notes->has_colours ? colour : COLOUR_NONE, words);
}

/* "  streams=4: crashed (SIGSEGV)", or with a count where several cases share the words. */
static void write_outcomes(const struct note_list *list, bool verbose, struct text *out)
{
    size_t n = verbose || list->n <= LISTED_MAX ? list->n : LISTED_MAX;
    for (size_t i = 0; i < n; i++) {
        text_add(out, "  ");
        add_cases(&list->items[i], out);
        add_words(&list->items[i], out);
        text_add(out, "\n");
    }
    write_left_out(list->n - n, out);
}

static void write_messages(const struct note_list *list, bool verbose, struct text *out)
{
    size_t n = verbose || list->n <= LISTED_MAX ? list->n : LISTED_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct note *note = &list->items[i];
        const unsigned long long n_others = note->count - 1;
        text_printf(out, "  %s", note->words);
        if (note->count == 1)
            text_printf(out, " (%s)\n", note->first);
        else if (note->varies)
            text_printf(out, " (%s, and with other numbers %llu more)\n", note->first, n_others);
        else
            text_printf(out, " (%llu cases, first in %s)\n", n_others + 1, note->first);
    }
    write_left_out(list->n - n, out);
}

/* "2 cases have throttled samples: 5 of their 40 (power limit; too hot)" */
static void write_throttles(const struct notes *notes, struct text *out)
{
    const struct note_list *list = &notes->throttles;
    size_t n = list->n < THROTTLES_SHOWN ? list->n : THROTTLES_SHOWN;
    if (!notes->throttled_cases)
        return;
    text_printf(out, "  %llu %s throttled samples: %llu of %s %llu",
                (unsigned long long)notes->throttled_cases,
                plural(notes->throttled_cases, "case has", "cases have"),
                (unsigned long long)notes->throttled_samples,
                plural(notes->throttled_cases, "its", "their"),
                (unsigned long long)notes->samples_of_throttled);
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%s", i ? "; " : " (", list->items[i].words);
    text_printf(out, "%s%s\n", list->n > n ? "; ..." : "", n ? ")" : "");
}

static void write_entries(const struct note_list *list, bool verbose, struct text *out)
{
    size_t n = verbose || list->n <= LIST_SHOWN ? list->n : LIST_SHOWN;
    for (size_t i = 0; i < n; i++) {
        text_add(out, "    ");
        if (*list->items[i].first)
            add_cases(&list->items[i], out);
        text_printf(out, "%s\n", list->items[i].words);
    }
    if (list->n > n)
        text_printf(out, "    and %zu more; --verbose shows all\n", list->n - n);
}

static void write_counts(const struct notes *notes, bool verbose, struct text *out)
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
    };
    if (notes->n_short)
        text_printf(out,
                    "  %llu %s short samples: the timer overhead (up to %s) is more than 1 %% of "
                    "each; it is not subtracted\n",
                    (unsigned long long)notes->n_short,
                    plural(notes->n_short, "case has", "cases have"),
                    format_time(notes->short_overhead_ns, 3, number));
    write_throttles(notes, out);
    if (notes->of_no_pace)
        text_printf(out,
                    "  %llu %s measured while power or heat changed the clock: neither pace = "
                    "burst nor pace = sustained, choose one\n",
                    (unsigned long long)notes->of_no_pace,
                    plural(notes->of_no_pace, "case was", "cases were"));
    if (notes->lost_cases)
        text_printf(
            out, "  %llu %s lost the times of %llu %s\n", (unsigned long long)notes->lost_cases,
            plural(notes->lost_cases, "case", "cases"), (unsigned long long)notes->lost_samples,
            plural(notes->lost_samples, "sample", "samples"));
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        if (!verdicts[i].n)
            continue;
        text_add(out, "  ");
        add_coloured(notes, COLOUR_DOUBT, view_verdict_mark(verdicts[i].verdict), out);
        text_printf(out, " %llu %s%s\n", (unsigned long long)verdicts[i].n,
                    plural(verdicts[i].n, verdicts[i].one, verdicts[i].many),
                    i == 0 && notes->obstacles.n ? ":" : "");
        if (i == 0)
            write_entries(&notes->obstacles, verbose, out);
    }
}

/* mark: "", or that of the times which the heading is about. */
static void write_list(const struct notes *notes, const struct note_list *list, const char *mark,
                       const char *heading, bool verbose, struct text *out)
{
    if (!list->n)
        return;
    text_add(out, "  ");
    add_coloured(notes, COLOUR_DOUBT, mark, out);
    text_printf(out, "%s%s:\n", *mark ? " " : "", heading);
    write_entries(list, verbose, out);
}

static void write_notes(const struct notes *notes, bool verbose, struct text *out)
{
    CLEANUP(text_free) struct text doubts = {0};
    const struct {
        const struct note_list *list;
        const char *heading;
        int colour;
        void (*write)(const struct note_list *list, bool verbose, struct text *out);
    } sections[] = {{&notes->failures, "failures", COLOUR_BAD, write_outcomes},
                    {&notes->skips, "skipped", COLOUR_FAINT, write_outcomes},
                    {&notes->messages, "messages", COLOUR_NONE, write_messages}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (!sections[i].list->n)
            continue;
        text_add(out, "\n");
        add_coloured(notes, sections[i].colour, sections[i].heading, out);
        text_add(out, "\n");
        sections[i].write(sections[i].list, verbose, out);
    }
    histograms_write(&notes->histograms, out);
    write_counts(notes, verbose, &doubts);
    const struct {
        const struct note_list *list;
        const char *mark, *heading;
    } lists[] = {
        {&notes->paces, "", "pace"},
        {&notes->noisy, "", "noise, and its likely cause"},
        {&notes->outlying, "", "outliers, and their likely cause"},
        {&notes->modes, MODES_MARK,
         "several modes: their medians, intervals and shares of the samples"},
        {&notes->graphs, "", "several launches a sample, which would be quicker as a graph"},
        {&notes->differing, "", "rounds differ by more than their own intervals allow"},
        {&notes->small, "",
         "fewer blocks than multiprocessors: where they run is part of the number"},
        {&notes->calls, "", "the time includes that of calling the function"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        write_list(notes, lists[i].list, lists[i].mark, lists[i].heading, verbose, &doubts);
    if (doubts.length)
        text_printf(out, "\nnotes\n%s", text_get(&doubts));
}

static void add_case(struct notes *notes, const struct view *view, const struct group *group)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const struct view_row *rows = view_group_rows(view, group, &arena);
    notes->n_cases++;
    for (size_t i = 0; i < group->n; i++)
        add_record(notes, &rows[i], view->options->verbose);
    const struct shown shown = combine_rounds(rows, group->n, &arena);
    if (group->n > 1)
        add_rounds(notes, &shown);
    add_noise(notes, rows, group->n, &shown);
}

void notes_show(struct view *view, struct text *out)
{
    struct notes notes = {.arena = &view->arena, .has_colours = view->options->has_colours};
    bool verbose = view->options->verbose;
    size_t n = 0;
    struct group *groups = group_rounds(view, view->survey.last_round > 0, &n);
    for (size_t i = 0; i < n; i++)
        add_case(&notes, view, &groups[i]);
    free(groups);
    if (view->options->group_by && !verbose) /* each group has its pass rate */
        notes.failures.n = notes.skips.n = 0;
    write_notes(&notes, verbose, out);
}
