/*
 * callbacks.h - for benchmarks each of whose callbacks does nothing but what the function of the
 * benchmark does, where the option `where` names it. Included after struct params, which has an
 * int32_t where.
 */
#pragma once

#include "tests/modules/words.h"

#include <gbrun/gbrun.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

struct bench {
    const struct gb_host *host;
    const struct params *params;
    int32_t (*act)(struct bench *bench);
    int64_t n_calls; /* of act */
};

static int32_t act(struct bench *bench, int32_t where)
{
    return where == bench->params->where ? bench->act(bench) : GB_OK;
}

static int32_t create(const struct gb_host *host, const struct params *params,
                      int32_t (*does)(struct bench *), void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (!bench)
        return GB_NO_MEMORY;
    *bench = (struct bench){host, params, does, 0};
    const int32_t status = act(bench, CREATE);
    if (status == GB_OK)
        *ret_bench = bench;
    return status;
}

#define UNTIMED(function, where)                                                                   \
    static int32_t function(void *bench, const struct gb_queue *queue)                             \
    {                                                                                              \
        (void)queue;                                                                               \
        return act(bench, where);                                                                  \
    }
UNTIMED(prepare, PREPARE)
UNTIMED(reset, RESET)
UNTIMED(verify, VERIFY)

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    return act(bench, RUN);
}

static int32_t work(void *bench, struct gb_work *work)
{
    work->items = 1;
    return act(bench, WORK);
}

static void destroy(void *bench)
{
    act(bench, DESTROY);
}

/* The benchmark `name`, whose function is name_act; behind the place where it acts if nothing is
 * said its summary and its options. */
#define ACTS_IN(name, where_, summary_, ...)                                                       \
    static const struct gb_option name##_options[] = {                                             \
        GB_CHOICE(struct params, where, where_, places, "the callback that misbehaves"),           \
        __VA_ARGS__};                                                                              \
    static int32_t name##_create(const struct gb_host *host, const void *params, void **ret_bench) \
    {                                                                                              \
        return create(host, params, name##_act, ret_bench);                                        \
    }                                                                                              \
    static const SIZED(gb_bench_ops, name##_ops, .create = name##_create, .prepare = prepare,      \
                       .run = run, .reset = reset, .verify = verify, .work = work,                 \
                       .destroy = destroy);                                                        \
    static const struct gb_plugin name = {GB_PLUGIN(BENCH, #name, "1.0", summary_),                \
                                          GB_OPTIONS(name##_options, struct params),               \
                                          .ops = &name##_ops};

/* crash_words[], and crash_do(bench, i), which executes the statement of the i-th word. */
#define WORDS(name, LIST)                                                                          \
    static const char *const name##_words[] = {LIST(WORD)};                                        \
    static int32_t name##_do(const struct bench *bench, int32_t i)                                 \
    {                                                                                              \
        enum { LIST(WORD_NUMBER) };                                                                \
        const struct gb_host *host = bench->host;                                                  \
        const struct params *params = bench->params;                                               \
        (void)host, (void)params;                                                                  \
        switch (i) {                                                                               \
            LIST(WORD_CASE)                                                                        \
        default:                                                                                   \
            break;                                                                                 \
        }                                                                                          \
        return GB_OK;                                                                              \
    }
