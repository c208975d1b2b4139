/* host_clock.c - see host_clock.h. */
#include "core/base/host_clock.h"

#include <errno.h>
#include <gbrun/abi.h>
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

void utc_text(char buffer[UTC_TEXT])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(buffer, UTC_TEXT, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(buffer + used, UTC_TEXT - used, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

int32_t uuid4(char ret[37])
{
    unsigned char bytes[16];
    ssize_t n;
    do {
        n = getrandom(bytes, sizeof bytes, 0);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof bytes)
        return GB_IO;
    bytes[6] = (unsigned char)((bytes[6] & 0x0F) | 0x40); /* version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3F) | 0x80); /* the RFC's variant */
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *ret++ = '-';
        *ret++ = digits[bytes[i] >> 4];
        *ret++ = digits[bytes[i] & 15];
    }
    *ret = 0;
    return GB_OK;
}
