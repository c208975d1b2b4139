/* host_clock.h - the host's clocks, and names that no other run will have. */
#pragma once

#include <stdint.h>

/* Nanoseconds on CLOCK_MONOTONIC: for deadlines and durations, the same in all processes. */
double host_clock_ns(void);

/*
 * A clock for time limits: it stands still while this process does (Ctrl-Z, a slow disk, a
 * suspended machine), so that no case is charged for that. It advances by AWAKE_MAX_NS at most
 * from call to call: a loop that waits must call it more often. For the main thread.
 */
#define AWAKE_MAX_NS 500e6
double awake_clock_ns(void);

/* Now in UTC, ISO 8601 with milliseconds: "2026-03-01T12:34:56.789Z". */
enum { UTC_TEXT = 32 };
void utc_text(char buffer[UTC_TEXT]);
/* Nanoseconds since 1970 of such a text; NaN: it is none. */
double utc_ns(const char *text);

/* A random UUID (RFC 4122, version 4) in lower case: "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx". */
enum { UUID_TEXT = 37 };
void uuid_new(char ret_uuid[UUID_TEXT]);
/* The same of 16 bytes, such as the beginning of a hash, but of version 8. */
void uuid_of_bytes(const uint8_t *bytes, char ret_uuid[UUID_TEXT]);
