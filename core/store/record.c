/* record.c - see record.h. */
#include "core/store/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static const struct {
    const char *word;
    bool done, bad;
} statuses[CASE_STATUSES] = {
#define STATUS_ENTRY(name, word, done, bad) {word, done, bad},
    CASE_STATUS_MAP(STATUS_ENTRY)
#undef STATUS_ENTRY
};

static bool is_status(int status)
{
    return status >= 0 && status < CASE_STATUSES;
}

const char *case_status_word(int status)
{
    return is_status(status) ? statuses[status].word : "unknown";
}

int case_status_named(const char *word)
{
    for (int i = 0; i < CASE_STATUSES; i++)
        if (text_equal(statuses[i].word, word))
            return i;
    return -1;
}

bool case_status_is_done(int status)
{
    return is_status(status) && statuses[status].done;
}

bool case_status_is_bad(int status)
{
    return !is_status(status) || statuses[status].bad;
}

void case_status_describe(int status, const char *words, struct text *out)
{
    text_add(out, case_status_word(status));
    if (!words || !*words)
        return;
    if (status == CASE_CRASHED || status == CASE_DEVICE_ERROR)
        text_printf(out, " (%s)", words);
    else if (status == CASE_TIMED_OUT)
        text_printf(out, " %s", words);
    else
        text_printf(out, ": %s", words);
}

const char *verdict_words(int32_t verdict)
{
    switch (verdict) {
#define VERDICT_WORDS(name, value, words)                                                          \
    case value:                                                                                    \
        return words;
        GB_VERDICT_MAP(VERDICT_WORDS)
#undef VERDICT_WORDS
    default:
        return "none";
    }
}

void uuid_new(char ret_uuid[UUID_TEXT])
{
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        /* A kernel without random numbers: time and address are unlikely enough to meet again. */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t words[2] = {(uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec,
                             (uint64_t)(uintptr_t)&now};
        memcpy(bytes, words, sizeof bytes);
    }
    bytes[6] = (uint8_t)((bytes[6] & 0x0F) | 0x40); /* RFC 4122, version 4 */
    bytes[8] = (uint8_t)((bytes[8] & 0x3F) | 0x80);
    char *at = ret_uuid;
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        at += snprintf(at, 3, "%02x", bytes[i]);
    }
}
