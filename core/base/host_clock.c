/* host_clock.c - see host_clock.h. */
#include "core/base/host_clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

double host_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double awake_clock_ns(void)
{
    static double awake_ns, last_ns;
    double now_ns = host_clock_ns();
    awake_ns += fmin(now_ns - last_ns, AWAKE_MAX_NS);
    last_ns = now_ns;
    return awake_ns;
}

void utc_text(char buffer[UTC_TEXT])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(buffer, UTC_TEXT, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(buffer + used, UTC_TEXT - used, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

double utc_ns(const char *text)
{
    struct tm utc = {0};
    double seconds = 0;
    if (!text || sscanf(text, "%d-%d-%dT%d:%d:%lf", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                        &utc.tm_hour, &utc.tm_min, &seconds) != 6)
        return NAN;
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    return 1e9 * ((double)timegm(&utc) + seconds);
}

enum { UUID_BYTES = 16 };

static void uuid_print(const uint8_t *bytes, uint8_t version, char *at)
{
    for (size_t i = 0; i < UUID_BYTES; i++) {
        uint8_t byte = bytes[i];
        if (i == 6)
            byte = (uint8_t)((byte & 0x0F) | version << 4);
        if (i == 8)
            byte = (uint8_t)((byte & 0x3F) | 0x80); /* the RFC's variant */
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        at += snprintf(at, 3, "%02x", byte);
    }
}

void uuid_of_bytes(const uint8_t *bytes, char ret_uuid[UUID_TEXT])
{
    enum { VERSION_OF_OTHERS = 8 };
    uuid_print(bytes, VERSION_OF_OTHERS, ret_uuid);
}

void uuid_new(char ret_uuid[UUID_TEXT])
{
    enum { VERSION_RANDOM = 4 };
    uint8_t bytes[UUID_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        /* A kernel without random numbers: time and address are unlikely enough to meet again. */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t words[2] = {(uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec,
                             (uint64_t)(uintptr_t)&now};
        memcpy(bytes, words, sizeof bytes);
    }
    uuid_print(bytes, VERSION_RANDOM, ret_uuid);
}
