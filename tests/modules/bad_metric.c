/*
 * bad_metric.c - hands the host metrics and log lines that make no sense: NaN, infinities, names
 * that are empty, missing, very long or repeated, text that is no UTF-8, severities that do not
 * exist, a line of 1 MiB. gbrun must store what can be stored, write valid CSV and JSON, and never
 * crash.
 */
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"values", "names", "utf8", "log", "all"};
enum { ALL = 4 };

struct params {
    int32_t where;
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "verify", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "all", kinds, "what it hands over"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static char *long_text(size_t length)
{
    char *text = malloc(length + 1);
    if (text) {
        memset(text, 'm', length);
        text[length] = 0;
    }
    return text;
}

static void hand_over_values(const struct gb_host *host)
{
    host->metric(host, "not_a_number", (double)NAN, "s");
    host->metric(host, "infinite", (double)INFINITY, "s");
    host->metric(host, "minus_infinite", -(double)INFINITY, "s");
    host->metric(host, "huge", 1.7976931348623157e308, "s");
    host->metric(host, "repeated", 1, "s");
    host->metric(host, "repeated", 2, "s"); /* the one that counts */
}

static void hand_over_names(const struct gb_host *host)
{
    char *name = long_text(10000);
    host->metric(host, "", 1, "");
    host->metric(host, NULL, 2, "s");
    host->metric(host, "no_unit", 3, NULL);
    host->metric(host, "quotes \" ' , ; | \n \t \\", 4, "a|b,\"c\"");
    if (name)
        host->metric(host, name, 5, name);
    free(name);
}

static void hand_over_utf8(const struct gb_host *host)
{
    host->metric(host, "caf\xe9", 1, "\xff");
    host->metric(host, "overlong \xc0\x80", 2, "\xed\xa0\x80");
    host->log(host, GB_LOG_INFO, "cut short: \xe2\x82");
}

static void hand_over_log(const struct gb_host *host)
{
    char *line = long_text(1 << 20);
    host->log(host, GB_LOG_INFO, NULL);
    host->log(host, GB_LOG_INFO, "");
    host->log(host, GB_LOG_WARNING, "two\nlines");
    host->log(host, -5, "severity below all");
    host->log(host, 1000, "severity above all");
    if (line)
        host->log(host, GB_LOG_ERROR, line);
    free(line);
}

/* By kinds[]. */
static void (*const hand_over[])(const struct gb_host *) = {hand_over_values, hand_over_names,
                                                            hand_over_utf8, hand_over_log};

static int32_t act(struct bench *bench, int32_t where)
{
    for (int32_t i = 0; i < ALL && where == bench->params.where; i++) {
        if (bench->params.what == ALL || bench->params.what == i)
            hand_over[i](bench->host);
    }
    return GB_OK;
}

#define MODULE_ID "bad_metric"
#define MODULE_SUMMARY "reports nonsense"
#include "tests/modules/callbacks.h"
