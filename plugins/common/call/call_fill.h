/* call_fill.h - what buffers hold at first. Plugin side. */
#ifndef GBRUN_PLUGINS_COMMON_CALL_FILL_H
#define GBRUN_PLUGINS_COMMON_CALL_FILL_H

#include "call_plan.h"

/*
 * Writes all of a buffer's elements to host memory. stream: of random numbers, one for each buffer.
 * What no key fills is 0, or all bits set where the function is to write it.
 */
int32_t buffer_fill(const struct gb_host *host, const struct buffer *buffer, uint64_t stream,
                    void *to);

/* What all bytes of a buffer are before that, and stay if no key fills it. */
uint8_t buffer_first_byte(const struct buffer *buffer);

/* n numbers as elements of a type, one behind the other. */
int32_t numbers_store(const struct gb_host *host, const struct number *numbers, size_t n,
                      enum type_id type, void *to);

#endif
