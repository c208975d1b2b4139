/* exchange_ci.c - see exchange.h: what CI systems and monitoring read as text. */
#include "core/view/exchange_writers.h"

#include "core/base/xml_text.h"

#include <ctype.h>
#include <math.h>

/* ---- JUnit ---- */

static void add_property(struct text *out, const char *name, double value)
{
    if (!isfinite(value))
        return;
    text_add(out, "<property");
    xml_add_attribute(out, "name", name);
    xml_add_attribute(out, "value", DOUBLE_TEXT(value));
    text_add(out, "/>");
}

static void junit_add(struct exchange *exchange, const struct exchange_case *c)
{
    CLEANUP(text_free) struct text reason = {0};
    struct text *out = &exchange->families[0];
    const struct case_record *record = &c->shown.row.c.record;
    char seconds[NUMBER_TEXT_MAX];
    const bool has_time = isfinite(record->wall_ns);
    text_add(out, "<testcase");
    xml_add_attribute(out, "classname", c->shown.row.c.bench);
    xml_add_attribute(out, "name", c->name);
    snprintf(seconds, sizeof seconds, "%.6f", has_time ? record->wall_ns / 1e9 : 0);
    if (has_time)
        xml_add_attribute(out, "time", seconds);
    text_add(out, ">");
    if (c->is_ok) {
        text_add(out, "<properties>");
        add_property(out, "median_ns", c->shown.central_ns);
        add_property(out, "low_ns", c->shown.low_ns);
        add_property(out, "high_ns", c->shown.high_ns);
        text_add(out, "</properties>");
    } else {
        case_status_describe(record->status, record->status_text, &reason);
        bool is_skipped = record->status == CASE_SKIPPED;
        text_add(out, is_skipped ? "<skipped" : "<failure");
        xml_add_attribute(out, "message", text_get(&reason));
        text_add(out, "/>");
    }
    text_add(out, "</testcase>\n");
    exchange->n_files++;
}

static void junit_end(struct exchange *exchange)
{
    struct text *out = &exchange->text;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    xml_add_attribute(out, "name", "gbrun");
    xml_add_attribute(out, "hostname",
                      fact_of(exchange->run->facts, exchange->run->n_facts, "host"));
    xml_add_attribute(out, "timestamp", exchange->run->started);
    text_printf(out, " tests=\"%llu\" failures=\"%llu\" errors=\"0\" skipped=\"%llu\">\n",
                (unsigned long long)exchange->n_files, (unsigned long long)exchange->n_failed,
                (unsigned long long)exchange->n_skipped);
    text_add(out, text_get(&exchange->families[0]));
    text_add(out, "</testsuite>\n</testsuites>\n");
}

const struct exchange_writer exchange_junit = {
    .name = "junit",
    .help = "JUnit's XML: a test for each case, failed if the case failed",
    .takes_failures = true,
    .add = junit_add,
    .end = junit_end,
};

/* ---- OpenMetrics ---- */

/* Samples of a family have to be together. */
static const struct {
    const char *name, *unit, *help;
} families[] = {
    {"gbrun_ok", "", "1: the case was measured and verified, 0: it failed"},
    {"gbrun_time_seconds", "seconds", "estimate of one iteration's time"},
    {"gbrun_time_low_seconds", "seconds", "lower end of its interval"},
    {"gbrun_time_high_seconds", "seconds", "upper end of its interval"},
    {"gbrun_certified", "", "1: the policy guarantees the interval"},
    {"gbrun_samples", "", "samples taken"},
    {"gbrun_flops", "", "operations per second"},
    {"gbrun_bytes_per_second", "", "bytes read and written a second"},
};
enum { FAMILIES = sizeof families / sizeof *families };
_Static_assert((int)FAMILIES <= (int)EXCHANGE_FAMILIES, "a family for each");

/* Names of labels are letters, digits and underscores. */
static void add_label(struct text *out, const char *name, const char *value, bool is_first)
{
    CLEANUP(text_free) struct text line = {0};
    text_add_line(&line, value);
    text_add(out, is_first ? "{" : ",");
    for (const char *at = name; *at; at++)
        text_add_n(out, isalnum((unsigned char)*at) ? at : "_", 1);
    text_add(out, "=\"");
    for (const char *at = text_get(&line); *at; at++) {
        if (*at == '"' || *at == '\\')
            text_add(out, "\\");
        text_add_n(out, at, 1);
    }
    text_add(out, "\"");
}

static void add_labels(struct text *out, const struct view_row *row)
{
    CLEANUP(text_free) struct text device = {0};
    add_label(out, "bench", row->c.bench, true);
    add_label(out, "device", row->device ? row->device->record.model : row->c.device_name, false);
    text_printf(&device, row->c.device_index < 0 ? "%s" : "%s:%d", row->c.device_name,
                row->c.device_index);
    add_label(out, "device_name", text_get(&device), false);
    add_label(out, "policy", row->c.policy, false);
    add_label(out, "uid", row->c.record.uid, false);
    for (size_t i = 0; i < row->c.n_parameters; i++) {
        CLEANUP(text_free) struct text name = {0};
        text_printf(&name, "option_%s", row->c.parameters[i].name);
        if (row->c.parameters[i].is_axis)
            add_label(out, text_get(&name), row->c.parameters[i].value.text, false);
    }
    text_add(out, "} ");
}

static void openmetrics_add(struct exchange *exchange, const struct exchange_case *c)
{
    const struct case_record *record = &c->shown.row.c.record;
    const struct gb_work *work = &record->work;
    double seconds = c->is_ok ? c->shown.central_ns / 1e9 : NAN;
    double bytes = work->bytes_read + work->bytes_written;
    const double values[FAMILIES] = {
        c->is_ok,
        seconds,
        c->is_ok && c->shown.has_interval ? c->shown.low_ns / 1e9 : NAN,
        c->is_ok && c->shown.has_interval ? c->shown.high_ns / 1e9 : NAN,
        record->has_estimate ? record->estimate.verdict == GB_VERDICT_CERTIFIED ||
                                   record->estimate.verdict == GB_VERDICT_EXACT
                             : NAN,
        c->is_ok ? (double)record->n_samples : NAN,
        work->flops > 0 ? work->flops / seconds : NAN,
        bytes > 0 ? bytes / seconds : NAN,
    };
    for (size_t i = 0; i < FAMILIES; i++) {
        if (!isfinite(values[i]))
            continue;
        text_add(&exchange->families[i], families[i].name);
        add_labels(&exchange->families[i], c->rounds);
        text_printf(&exchange->families[i], "%s\n", DOUBLE_TEXT(values[i]));
    }
}

static void openmetrics_end(struct exchange *exchange)
{
    struct text *out = &exchange->text;
    for (size_t i = 0; i < FAMILIES; i++) {
        if (exchange->families[i].length == 0)
            continue;
        text_printf(out, "# TYPE %s gauge\n", families[i].name);
        if (*families[i].unit)
            text_printf(out, "# UNIT %s %s\n", families[i].name, families[i].unit);
        text_printf(out, "# HELP %s %s\n", families[i].name, families[i].help);
        text_add_n(out, text_get(&exchange->families[i]), exchange->families[i].length);
    }
    text_add(out, "# EOF\n");
}

const struct exchange_writer exchange_openmetrics = {
    .name = "openmetrics",
    .help = "OpenMetrics text: the text-file collector of Prometheus' node exporter",
    .takes_failures = true,
    .add = openmetrics_add,
    .end = openmetrics_end,
};
