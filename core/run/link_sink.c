/* link_sink.c - see link_sink.h. */
#include "core/run/link_sink.h"

#include "core/run/messages.h"

static void keep_warning(struct link_sink *sink, int32_t severity, const char *text)
{
    if (severity < GB_LOG_WARNING || sink->link->page->phase != PHASE_OPEN ||
        sink->n_warnings == OPENING_WARNINGS_MAX)
        return;
    sink->warnings[sink->n_warnings++] = (struct message_record){severity,
                                                                 arena_text(&sink->arena, text)};
}

static void send_log(void *context, int32_t severity, const char *text)
{
    struct link_sink *sink = context;
    const struct message_record message = {severity, text};
    put_record(link_begin(sink->link, WIRE_LOG), WIRE_LOG, &message);
    keep_warning(sink, severity, text);
    link_send(sink->link);
}

static void send_metric(void *context, const char *name, double value, const char *unit)
{
    struct link_sink *sink = context;
    link_send_record(sink->link, WIRE_METRIC, &(struct metric_record){name, value, unit});
}

static void send_check(void *context, const char *name, const char *metric,
                       const struct verify_metric *measured, double tolerance, bool passed,
                       const char *text)
{
    struct link_sink *sink = context;
    const struct check_record check = {.name = name,
                                       .metric = metric,
                                       .value = measured->value,
                                       .index = measured->index,
                                       .reference = measured->reference,
                                       .output = measured->output,
                                       .tolerance = tolerance,
                                       .passed = passed,
                                       .text = text};
    link_send_record(sink->link, WIRE_CHECK, &check);
}

static void send_summary(void *context, const char *name, const struct verify_result *result)
{
    struct link_sink *sink = context;
    put_summary(link_begin(sink->link, WIRE_SUMMARY), name, result);
    link_send(sink->link);
}

static void send_worst(void *context, const char *name, const struct verify_element *element)
{
    struct link_sink *sink = context;
    link_send_record(sink->link, WIRE_WORST,
                     &(struct worst_record){name, element->index, element->reference,
                                            element->output, element->ulps});
}

void link_sink_begin(struct link_sink *sink, struct worker_link *link)
{
    *sink = (struct link_sink){.link = link};
    sink->sink = (struct host_sink){sink,       send_log,     send_metric,
                                    send_check, send_summary, send_worst};
}

void link_sink_repeat_warnings(struct link_sink *sink)
{
    for (size_t i = 0; i < sink->n_warnings; i++)
        send_log(sink, sink->warnings[i].severity, sink->warnings[i].text);
}

void link_sink_free(struct link_sink *sink)
{
    arena_free(&sink->arena);
}
