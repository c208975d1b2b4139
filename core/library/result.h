/*
 * result.h - what a call of libgbrun gives back, while it is gathered and as the program sees it.
 */
#pragma once

#include "core/run/collector.h"

#include <gbrun/measure.h>

struct result {
    struct gbrun_result seen; /* the program's; first, as gbrun_free is given it */
    struct arena arena;       /* of the request, too, which the record points to */
    struct collector collector;
    bool has_collector;
    bool is_corrupt; /* a message could not be taken */
};

struct result *result_new(void);
/* What went wrong; the first error counts. */
void result_fail(struct result *result, int32_t status, const char *text);
/* All errors, a line for each. */
void result_fail_with(struct result *result, const struct error_list *errors);
/* Takes a message of a case; context: a struct result whose collector was begun. */
void result_take(void *context, uint32_t type, struct wire_reader *payload);
/* Once the collector has finished: what the record says. device: "cuda:0". */
void result_fill(struct result *result, const char *device, const struct gb_device_info *info);
