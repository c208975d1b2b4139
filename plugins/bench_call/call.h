/* call.h - a case of the benchmark `call`. Plugin side. */
#pragma once

#include "plugins/common/call/call_invoke.h"

struct call_bench {
    const struct gb_host *host;
    bool waits; /* run may wait for the device */
    struct plan plan;
    struct linkage linkage;
    struct world world;
    struct world reference_world; /* made in the first comparison */
    bool has_reference_world;
    struct invocation invocation;
    struct invocation scratch; /* of calls before and after, and of the reference: through libffi */
    struct signature scratch_signature;
    bool is_set_up; /* all calls of `before` were made */
    void *fence;    /* device memory that is copied from to wait for the device; NULL: not needed */
};

/* Makes the calls, one after the other. what: "before" or "after", for messages. */
int32_t make_calls(struct call_bench *bench, const char *what, const struct call *calls, size_t n);

/* Waits until the device has done all that was enqueued. */
int32_t wait_for_device(struct call_bench *bench);

/* verify of the benchmark. */
int32_t call_verify(void *object, const struct gb_queue *queue);
