/* progress.c - see progress.h. */
#include "core/run/progress.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_COLUMNS = 20, NARROWEST = 40, USUAL_COLUMNS = 80, PENDING_MAX = 8 << 20 };
static const double redraw_ns = 100e6;

void progress_begin(struct progress *progress, bool is_quiet, uint64_t n_total, uint64_t n_known)
{
    const char *terminal = getenv("TERM");
    *progress = (struct progress){
        .is_quiet = is_quiet, .n_total = n_total, .n_known = n_known, .begin_ns = host_clock_ns()};
    line_output_open(&progress->output, STDERR_FILENO);
    progress->is_terminal = !is_quiet && isatty(STDERR_FILENO) && terminal && *terminal &&
                            !text_equal(terminal, "dumb");
}

static void erase(struct progress *progress)
{
    if (progress->live_columns > 0)
        text_add(&progress->output.pending, "\r\033[K");
    progress->live_columns = 0;
}

static size_t terminal_columns(const struct progress *progress)
{
    struct winsize size;
    if (ioctl(progress->output.fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST)
        return size.ws_col;
    return USUAL_COLUMNS;
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

static void draw(struct progress *progress)
{
    CLEANUP(text_free) struct text line = {0}, shown = {0};
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
    text_printf(&line, "  %s", text_get(&progress->label));
    if (progress->recent_ns > 0) {
        char time[NUMBER_TEXT_MAX];
        text_printf(&line, "  %s  n=%llu", format_time(progress->recent_ns, 4, time),
                    (unsigned long long)progress->n_samples);
    }
    text_add_shortened(&shown, text_get(&line), terminal_columns(progress) - 1);
    erase(progress);
    text_add(&progress->output.pending, text_get(&shown));
    progress_flush(progress);
    progress->live_columns = text_columns(text_get(&shown));
    progress->drawn_ns = host_clock_ns();
}

void progress_sampled(struct progress *progress, const char *label, uint64_t n_samples,
                      double recent_ns)
{
    text_clear(&progress->label);
    text_add(&progress->label, label);
    progress->n_samples = n_samples;
    progress->recent_ns = recent_ns;
    if (progress->is_terminal && progress->output.pending.length == 0 &&
        host_clock_ns() - progress->drawn_ns > redraw_ns)
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
        progress_flush(progress);
}

/* " ±0.42 %", or the interval itself where it is not around the estimate. */
static void add_interval(const struct gb_estimate *estimate, struct text *line)
{
    double below = estimate->value_ns - estimate->low_ns;
    double above = estimate->high_ns - estimate->value_ns;
    if (isnan(below) || isnan(above))
        return;
    if (isinf(below) || isinf(above))
        text_add(line, " (no interval)");
    else
        text_printf(line, " \u00b1%.2g %%", 50 * (below + above) / estimate->value_ns);
}

void progress_finished(struct progress *progress, const char *label,
                       const struct case_record *record)
{
    bool is_bad = case_status_is_bad(record->status);
    progress->n_done++;
    progress->n_bad += is_bad;
    progress->n_held++;
    if ((progress->is_quiet || progress->is_brief) && !is_bad)
        return;
    struct text *line = &progress->held;
    char time[NUMBER_TEXT_MAX];
    text_printf(line, "%llu/%llu  %s  ", (unsigned long long)(progress->n_known + progress->n_done),
                (unsigned long long)progress->n_total, label);
    if (record->has_estimate) {
        text_add(line, format_time(record->estimate.value_ns, 4, time));
        add_interval(&record->estimate, line);
        text_printf(line, "  n=%llu  %s", (unsigned long long)record->estimate.n,
                    record->stop_reason);
    }
    if (record->status != CASE_OK) {
        text_add(line, record->has_estimate ? "  " : "");
        case_status_describe(record->status, record->status_text, line);
    }
    text_add(line, "\n");
}

void progress_announce(struct progress *progress)
{
    struct text *lines = &progress->held;
    progress->n_held = 0;
    if (lines->length == 0)
        return;
    lines->data[lines->length - 1] = 0; /* print_lines ends the last one */
    print_lines(progress, lines->data);
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

void progress_flush(struct progress *progress)
{
    line_output_flush(&progress->output);
}

bool progress_is_full(const struct progress *progress)
{
    return progress->output.pending.length > PENDING_MAX;
}

void progress_end(struct progress *progress, bool waits)
{
    erase(progress);
    line_output_wait(&progress->output, waits ? -1 : 0);
    line_output_close(&progress->output);
    text_free(&progress->label);
    text_free(&progress->held);
}
