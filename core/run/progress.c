/* progress.c - see progress.h. */
#include "core/run/progress.h"

#include "core/base/colour.h"
#include "core/base/host_clock.h"
#include "core/base/plain_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_COLUMNS = 20, NARROWEST = 40, USUAL_COLUMNS = 80, USUAL_ROWS = 24, BLOCK_LINES = 10 };
static const double redraw_ns = 100e6;

void progress_begin(struct progress *progress, bool is_quiet, const char *color, uint64_t n_total,
                    uint64_t n_known)
{
    const char *terminal = getenv("TERM");
    *progress = (struct progress){.has_colours = colour_is_wanted(color, STDERR_FILENO),
                                  .is_quiet = is_quiet,
                                  .n_total = n_total,
                                  .n_known = n_known,
                                  .begin_ns = host_clock_ns()};
    line_output_open(&progress->output, STDERR_FILENO);
    progress->is_terminal = !is_quiet && isatty(STDERR_FILENO) && terminal && *terminal &&
                            !text_equal(terminal, "dumb");
}

static void erase(struct progress *progress)
{
    if (progress->live_lines > 1)
        text_printf(&progress->output.pending, "\033[%zuA", progress->live_lines - 1);
    if (progress->live_lines > 0)
        text_add(&progress->output.pending, "\r\033[J");
    progress->live_lines = 0;
}

bool progress_use_block(struct progress *progress, const char *head)
{
    progress->is_block = progress->is_terminal && isatty(STDOUT_FILENO);
    if (progress->is_block)
        text_add(&progress->head, head ? head : "");
    return progress->is_block;
}

static void add_time_left(const struct progress *progress, struct text *line)
{
    uint64_t left = progress->n_total - progress->n_known - progress->n_done;
    if (progress->n_done == 0)
        return;
    double seconds = (host_clock_ns() - progress->begin_ns) / 1e9 / (double)progress->n_done *
                     (double)left;
    unsigned long whole = (unsigned long)ceil(seconds);
    if (whole < 60)
        text_printf(line, "  %lu s left", whole);
    else if (whole < 3600)
        text_printf(line, "  %lu:%02lu min left", whole / 60, whole % 60);
    else
        text_printf(line, "  %lu:%02lu h left", whole / 3600, whole / 60 % 60);
}

/* " ±0.42 %"; nothing where no interval is known. */
static void add_interval(double value, double low, double high, struct text *line)
{
    CLEANUP(text_free) struct text interval = {0};
    text_add_interval(&interval, value, low, high);
    text_printf(line, "%s%s", interval.length ? " " : "", text_get(&interval));
}

static struct winsize size_of(const struct progress *progress)
{
    struct winsize size = {0};
    if (ioctl(progress->output.fd, TIOCGWINSZ, &size) != 0 || size.ws_col < NARROWEST)
        size = (struct winsize){.ws_row = USUAL_ROWS, .ws_col = USUAL_COLUMNS};
    return size;
}

static void add_live_line(const struct progress *progress, size_t columns, struct text *ret)
{
    struct text line = {0};
    uint64_t n_done = progress->n_known + progress->n_done - progress->n_held;
    uint64_t filled = progress->n_total ? n_done * BAR_COLUMNS / progress->n_total : 0;
    text_add(&line, "[");
    text_pad(&line, '#', filled);
    text_pad(&line, '.', BAR_COLUMNS - filled);
    text_printf(&line, "] %llu/%llu", (unsigned long long)n_done,
                (unsigned long long)progress->n_total);
    if (progress->n_bad)
        text_printf(&line, ", %llu failed", (unsigned long long)progress->n_bad);
    add_time_left(progress, &line);
    if (progress->n_running > 1)
        text_printf(&line, "  %zu at once", progress->n_running);
    text_add(&line, "  ");
    text_add_cut(&line, text_get(&progress->label), columns / 3); /* the time stands behind it */
    if (progress->n_samples > 0) {
        const struct so_far_median *so_far = &progress->so_far;
        char time[NUMBER_TEXT_MAX];
        text_printf(&line, "  %s", format_time(so_far->median_ns, 4, time));
        add_interval(so_far->median_ns, so_far->low_ns, so_far->high_ns, &line);
        text_printf(&line, "  n=%llu", (unsigned long long)progress->n_samples);
    }
    *ret = line;
}

/* Keeps the lines that there is room for above the live line. */
static void cut_block(struct progress *progress, size_t n_rows)
{
    struct text *block = &progress->block;
    size_t n = 0, most = n_rows / 2 < BLOCK_LINES ? n_rows / 2 : BLOCK_LINES;
    for (size_t i = block->length; i-- > 0;)
        if (block->data[i] == '\n' && n++ == most) {
            block->length -= i + 1;
            memmove(block->data, block->data + i + 1, block->length + 1);
            return;
        }
}

/* A line that fits, so that it is one on the terminal. */
static void add_line(struct progress *progress, const char *line, size_t columns)
{
    text_add_shortened(&progress->output.pending, line, columns - 1);
    text_add(&progress->output.pending, progress->has_colours ? "\033[0m" : "");
    progress->live_lines++;
}

static void add_block(struct progress *progress, size_t columns)
{
    char *save = NULL;
    CLEANUP(text_free) struct text lines = {0};
    if (progress->head.length) {
        add_line(progress, text_get(&progress->head), columns);
        text_add(&progress->output.pending, "\n");
    }
    text_add(&lines, text_get(&progress->block));
    for (char *line = strtok_r(lines.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        add_line(progress, line, columns);
        text_add(&progress->output.pending, "\n");
    }
}

static void draw(struct progress *progress)
{
    CLEANUP(text_free) struct text line = {0};
    const struct winsize size = size_of(progress);
    erase(progress);
    cut_block(progress, size.ws_row);
    add_block(progress, size.ws_col);
    add_live_line(progress, size.ws_col, &line);
    add_line(progress, text_get(&line), size.ws_col);
    line_output_flush(&progress->output);
    progress->drawn_ns = host_clock_ns();
}

void progress_sampled(struct progress *progress, const char *label, uint64_t n_samples,
                      const struct so_far *so_far)
{
    text_clear(&progress->label);
    text_add(&progress->label, label);
    progress->n_samples = n_samples;
    if (!progress->is_terminal || progress->output.pending.length > 0 ||
        host_clock_ns() - progress->drawn_ns < redraw_ns)
        return;
    progress->so_far = so_far_median(so_far);
    draw(progress);
}

static void print_lines(struct progress *progress, const char *text)
{
    erase(progress);
    text_add(&progress->output.pending, text);
    text_add(&progress->output.pending, "\n");
    if (progress->is_terminal)
        draw(progress);
    else
        line_output_flush(&progress->output);
}

/* Each that is not the last one said. */
static void add_warnings(struct progress *progress, const struct case_record *record)
{
    for (size_t i = 0; i < record->n_messages; i++) {
        const struct message_record *message = &record->messages[i];
        if (message->severity < GB_LOG_WARNING ||
            text_equal(text_get(&progress->warning), message->text))
            continue;
        text_clear(&progress->warning);
        text_add(&progress->warning, message->text);
        text_add(&progress->held, "gbrun: warning: ");
        text_add_line(&progress->held, message->text);
        text_add(&progress->held, "\n");
    }
}

void progress_finished(struct progress *progress, const char *label,
                       const struct case_record *record)
{
    bool is_bad = case_status_is_bad(record->status);
    progress->n_done++;
    if (progress->has_warnings)
        add_warnings(progress, record);
    progress->n_bad += is_bad;
    progress->n_held++;
    if ((progress->is_quiet || progress->is_brief) && !is_bad)
        return;
    struct text *line = &progress->held;
    char time[NUMBER_TEXT_MAX];
    text_printf(line, "%llu/%llu  ", (unsigned long long)(progress->n_known + progress->n_done),
                (unsigned long long)progress->n_total);
    text_add_cut(line, label, progress->is_block ? size_of(progress).ws_col / 2 : SIZE_MAX);
    text_add(line, "  ");
    if (record->has_estimate && clock_is_counting(record->clock)) {
        const struct metric_record *count = ITEM_NAMED(record->metrics, record->n_metrics, name,
                                                       CLOCK_INSTRUCTIONS);
        text_printf(line, "%.17g " CLOCK_INSTRUCTIONS "  %s", count ? count->value : NAN,
                    record->stop_reason);
    } else if (record->has_estimate) {
        text_add(line, format_time(record->estimate.value_ns, 4, time));
        add_interval(record->estimate.value_ns, record->estimate.low_ns, record->estimate.high_ns,
                     line);
        text_printf(line, "  n=%llu  %s", (unsigned long long)record->estimate.n,
                    record->stop_reason);
    }
    if (record->status != CASE_OK) {
        text_add(line, record->has_estimate ? "  " : "");
        const int colour = !progress->has_colours ? COLOUR_NONE
                           : is_bad               ? COLOUR_BAD
                                                  : COLOUR_FAINT;
        colour_begin(line, colour);
        case_status_describe(record->status, record->status_text, line);
        colour_end(line, colour);
    }
    text_add(line, "\n");
}

void progress_announce(struct progress *progress)
{
    struct text *lines = &progress->held;
    progress->n_held = 0;
    if (lines->length == 0)
        return;
    if (progress->is_block) {
        text_add(&progress->block, text_get(lines));
        draw(progress);
    } else {
        lines->data[lines->length - 1] = 0; /* print_lines ends the last one */
        print_lines(progress, lines->data);
    }
    text_clear(lines);
}

void progress_line(struct progress *progress, const char *format, ...)
{
    char text[4096 + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_lines(progress, make_plain(text));
}

void progress_child_line(struct progress *progress, struct child_lines *lines, const char *who,
                         const char *line)
{
    enum { PENDING_MAX = 8 << 20 }; /* bytes that wait to be printed: no more of these lines then */
    if (lines->n++ < LINES_SHOWN && progress->output.pending.length <= PENDING_MAX)
        progress_line(progress, "[%s] %.*s", who, 4000, line);
    else
        lines->n_hidden++;
}

void progress_child_end(struct progress *progress, struct child_lines *lines, const char *who,
                        const char *of)
{
    if (lines->n_hidden > 0)
        progress_line(progress, "[%s] %llu more lines: at most %d of %s are shown", who,
                      (unsigned long long)lines->n_hidden, LINES_SHOWN, of);
    *lines = (struct child_lines){0};
}

void progress_end(struct progress *progress, bool waits)
{
    erase(progress);
    line_output_wait(&progress->output, waits ? -1 : 0);
    line_output_close(&progress->output);
    text_free(&progress->label);
    text_free(&progress->held);
    text_free(&progress->warning);
    text_free(&progress->head);
    text_free(&progress->block);
}
