/*
 * flood.c - sends `n` of `what` to its host, or prints them, in the callback named by `where`: more
 * than gbrun keeps of a case. What is dropped must be counted and reported, and the case stay ok.
 * for_ever: it prints without end, and its time limit must hold.
 */
#include "tests/modules/hurry.h"
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kinds[] = {"metrics", "updates", "messages",
                                    "checks",  "lines",   "for_ever"};
enum { METRICS, UPDATES, MESSAGES, CHECKS, LINES, FOR_EVER };

#define LONG "a text that is as long as it can be, so that few of them are many bytes together"

struct params {
    int32_t where;
    int32_t what;
    int64_t n;
    int32_t fails;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "metrics", kinds, "what it sends"),
    GB_INT(struct params, n, "2500", "0:", NULL, "how many"),
    GB_BOOL(struct params, fails, "no", "fail afterwards"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t send_one(const struct gb_host *host, int32_t what, long i)
{
    static const double output = 1, reference = 1;
    char text[32];
    const struct gb_check check = {.size = sizeof check,
                                   .format = GB_F64,
                                   .name = text,
                                   .n = 1,
                                   .output = &output,
                                   .reference = &reference,
                                   .default_metric = "abs"};
    snprintf(text, sizeof text, "number %ld", i);
    if (what == METRICS)
        host->metric(host, text, (double)i, "");
    else if (what == UPDATES)
        host->metric(host, LONG, (double)i, LONG);
    else if (what == MESSAGES)
        host->log(host, GB_LOG_WARNING, text);
    else if (what == CHECKS)
        return host->check(host, &check);
    else
        puts(text);
    return GB_OK;
}

static int32_t act(struct bench *bench, int32_t where)
{
    enum { MORE_THAN_IS_SHOWN = 20000 };
    const struct params *params = &bench->params;
    int32_t status = GB_OK;
    if (where != params->where)
        return GB_OK;
    for (long i = 1; status == GB_OK && (params->what == FOR_EVER || i <= params->n); i++) {
        if (params->what == FOR_EVER && i == MORE_THAN_IS_SHOWN)
            hurry_hang(0);
        status = send_one(bench->host, params->what, i);
    }
    fflush(stdout);
    return params->fails ? bench->host->fail(bench->host, "the planned failure") : status;
}

#define MODULE_ID "flood"
#define MODULE_SUMMARY "sends more than is kept"
#include "tests/modules/callbacks.h"
