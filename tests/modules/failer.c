/*
 * failer.c - fails in the callback named by `where`: with words, without any, with a status that
 * nobody knows, with GB_DEVICE_ERROR and others, with words but success, twice, with text that is
 * no UTF-8. gbrun must show the words or a fallback, cost this case only, and end the worker after
 * GB_DEVICE_ERROR.
 */
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"words",        "silent",    "unknown",   "unknown_positive",
                                    "device_error", "no_memory", "cancelled", "wrong_result",
                                    "success",      "twice",     "null_text", "invalid_utf8",
                                    "long"};
enum {
    WORDS,
    SILENT,
    UNKNOWN,
    UNKNOWN_POSITIVE,
    DEVICE_ERROR,
    NO_MEMORY,
    CANCELLED,
    WRONG,
    SUCCESS,
    TWICE,
    NULL_TEXT,
    INVALID_UTF8,
    LONG
};

struct params {
    int32_t where;
    int32_t kind;
    const char *text;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "run", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, kind, "words", kinds, "how it fails"),
    GB_STRING(struct params, text, "the planned failure", "what it says"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t fail_at_length(const struct gb_host *host)
{
    enum { LENGTH = 1 << 20 };
    char *text = malloc(LENGTH + 1);
    if (!text)
        return GB_NO_MEMORY;
    memset(text, 'w', LENGTH);
    text[LENGTH] = 0;
    host->fail(host, text);
    free(text); /* the host has copied it */
    return GB_FAILED;
}

static int32_t fail(const struct gb_host *host, const struct params *params)
{
    switch (params->kind) {
    case WORDS:
        return host->fail(host, params->text);
    case UNKNOWN:
        return -77;
    case UNKNOWN_POSITIVE:
        return 77;
    case DEVICE_ERROR:
        host->fail(host, params->text);
        return GB_DEVICE_ERROR;
    case NO_MEMORY:
        return GB_NO_MEMORY;
    case CANCELLED:
        return GB_CANCELLED;
    case WRONG:
        return GB_WRONG_RESULT; /* although nothing was compared */
    case SUCCESS:
        host->fail(host, params->text);
        return GB_OK; /* a plugin that forgot to return what fail returned has failed all the same
                       */
    case TWICE:
        host->fail(host, params->text);
        return host->fail(host, "a second failure");
    case NULL_TEXT:
        return host->fail(host, NULL);
    case INVALID_UTF8:
        return host->fail(host, "caf\xe9 \xff\xc0\x80\xed\xa0\x80 \xc3\xa9");
    case LONG:
        return fail_at_length(host);
    default:
        return GB_FAILED;
    }
}

static int32_t act(struct bench *bench, int32_t where)
{
    return where == bench->params.where ? fail(bench->host, &bench->params) : GB_OK;
}

#define MODULE_ID "failer"
#define MODULE_SUMMARY "fails"
#include "tests/modules/callbacks.h"
