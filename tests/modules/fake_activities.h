/*
 * fake_activities.h - what the fake device lists as the activities of a sample, by its option
 * `listing`. Times are arithmetic; whatever can be wrong with a list occurs in one of them.
 */
#pragma once

#include "tests/modules/words.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel of time_ns +- 1 %, 500 ns after the one before. */
static struct gb_activity fake_kernel(const char *name, uint32_t blocks, double time_ns)
{
    SIZED(gb_activity, ret, .kind = GB_ACTIVITY_KERNEL, .grid = {blocks, 2, 1},
          .block = {16, 16, 1}, .registers = 40, .shared_bytes = 48 << 10, .occupancy = 0.5,
          .time_ns = time_ns, .low_ns = 0.99 * time_ns, .high_ns = 1.01 * time_ns, .gap_ns = 500);
    snprintf(ret.name, sizeof ret.name, "%s", name);
    return ret;
}

static void list_several(gb_activity_fn *activity, void *context)
{
    struct gb_activity first = fake_kernel("fill device memory", 0, 1000);
    struct gb_activity second = fake_kernel(
        "void lab::reduce<float, lab::plus<float>, 256, true>(float const *, float *, long)", 66,
        20000);
    struct gb_activity third = fake_kernel("finish", 1, 2000);
    first.kind = GB_ACTIVITY_FILL;
    first.bytes = 1 << 20;
    first.gap_ns = NAN;
    second.grid[1] = 1;
    activity(context, &first);
    activity(context, &second);
    activity(context, &third);
}

static void list_parallel(gb_activity_fn *activity, void *context)
{
    struct gb_activity left = fake_kernel("left", 4, 10000);
    struct gb_activity right = fake_kernel("right", 8, 10000);
    struct gb_activity join = fake_kernel("join", 1, 2000);
    left.parallel = right.parallel = 1;
    activity(context, &left);
    activity(context, &right);
    activity(context, &join);
}

static void list_many(gb_activity_fn *activity, void *context)
{
    for (int i = 0; i < 3000; i++) {
        struct gb_activity one = fake_kernel("step", 9, 1000);
        one.kind = i % 3 ? GB_ACTIVITY_KERNEL : GB_ACTIVITY_COPY;
        one.parallel = i % 3 && i > 2000 ? (uint32_t)i / 3 : 0;
        activity(context, &one);
    }
}

static void list_hostile(gb_activity_fn *activity, void *context)
{
    struct gb_activity odd = fake_kernel("odd\n\033[31m", 1, HUGE_VAL);
    struct gb_activity shorter = fake_kernel("shorter", 1, 1);
    odd.kind = 77;
    odd.grid[0] = odd.grid[1] = odd.grid[2] = UINT32_MAX;
    odd.registers = UINT32_MAX;
    odd.shared_bytes = odd.bytes = UINT64_MAX;
    odd.occupancy = -3;
    odd.gap_ns = -HUGE_VAL;
    activity(context, &odd);
    odd = fake_kernel("", 1, 1000);
    memset(odd.name, 'x', sizeof odd.name);
    odd.low_ns = 2000;
    odd.high_ns = 1;
    activity(context, &odd);
    shorter.size = offsetof(struct gb_activity, gap_ns);
    activity(context, &shorter);
    activity(context, NULL);
    odd = fake_kernel("well", 1, 1000);
    for (int i = 0; i < 2000000; i++)
        activity(context, &odd);
}

#define LISTINGS(X)                                                                                \
    X(none, return host->skip(host, "there is no list"))                                           \
    X(one, activity(context, &one))                                                                \
    X(several, list_several(activity, context))                                                    \
    X(parallel, list_parallel(activity, context))                                                  \
    X(many, list_many(activity, context))                                                          \
    X(late, activity(context, &one))                                                               \
    X(wrong, return (activity(context, &one), host->fail(host, "the list is lost")))               \
    X(hostile, list_hostile(activity, context))                                                    \
    X(error, return (host->fail(host, "the list broke the device"), GB_DEVICE_ERROR))              \
    X(crash, abort())
enum { LISTINGS(WORD_NUMBER) };

static int32_t list_fake(const struct gb_host *host, int32_t listing, uint64_t n_samples,
                         gb_activity_fn *activity, void *context)
{
    const struct gb_activity one = fake_kernel("only", 1, (double)n_samples);
    switch (listing) {
        LISTINGS(WORD_CASE)
    default:
        break;
    }
    return GB_OK;
}
