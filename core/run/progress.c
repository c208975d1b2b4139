/* progress.c - see progress.h. */
#include "core/run/progress.h"

#include "core/base/host_clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_COLUMNS = 20, NARROWEST = 40, USUAL_COLUMNS = 80 };
static const double redraw_ns = 100e6;

void progress_begin(struct progress *progress, FILE *out, bool is_quiet, uint64_t n_total,
                    uint64_t n_known)
{
    const char *terminal = getenv("TERM");
    *progress = (struct progress){.out = out,
                                  .is_quiet = is_quiet,
                                  .n_total = n_total,
                                  .n_known = n_known,
                                  .begin_ns = host_clock_ns()};
    progress->is_terminal = !is_quiet && isatty(fileno(out)) && terminal && *terminal &&
                            !text_equal(terminal, "dumb");
}

static void erase(struct progress *progress)
{
    if (progress->live_columns > 0)
        fputs("\r\033[K", progress->out);
    progress->live_columns = 0;
}

static size_t terminal_columns(const struct progress *progress)
{
    struct winsize size;
    if (ioctl(fileno(progress->out), TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST)
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
    uint64_t n_done = progress->n_known + progress->n_done;
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
    fputs(text_get(&shown), progress->out);
    fflush(progress->out);
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
    if (progress->is_terminal && host_clock_ns() - progress->drawn_ns > redraw_ns)
        draw(progress);
}

static void print_lines(struct progress *progress, const char *text)
{
    erase(progress);
    fputs(text, progress->out);
    fputc('\n', progress->out);
    if (progress->is_terminal)
        draw(progress);
    else
        fflush(progress->out);
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
    if (progress->is_quiet && !is_bad)
        return;
    CLEANUP(text_free) struct text line = {0};
    char time[NUMBER_TEXT_MAX];
    text_printf(&line, "%llu/%llu  %s  ",
                (unsigned long long)(progress->n_known + progress->n_done),
                (unsigned long long)progress->n_total, label);
    if (record->has_estimate) {
        text_add(&line, format_time(record->estimate.value_ns, 4, time));
        add_interval(&record->estimate, &line);
        text_printf(&line, "  n=%llu  %s", (unsigned long long)record->estimate.n,
                    record->stop_reason);
    }
    if (record->status != CASE_OK) {
        text_add(&line, record->has_estimate ? "  " : "");
        case_status_describe(record->status, record->status_text, &line);
    }
    print_lines(progress, text_get(&line));
}

void progress_line(struct progress *progress, const char *format, ...)
{
    char text[4096 + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_lines(progress, text);
}

void progress_end(struct progress *progress)
{
    erase(progress);
    fflush(progress->out);
    text_free(&progress->label);
}
