/*
 * verified.h - a fake host whose random numbers, fills and comparisons are those of gbrun, for
 * tests of benchmarks that are verified by the bound. For one test program each.
 */
#pragma once

#include "core/base/random.h"
#include "core/verify/verify.h"
#include "tests/fake_host.h"

#include <check.h>
#include <stdio.h>

static struct fake_host *fake;
static const struct gb_plugin *plugin;
static const struct gb_bench_ops *ops;
static void *params;
static void *bench;
static struct gb_queue queue = {.size = sizeof queue};
static struct gb_check checked;       /* the last check; its arrays live as long as the host */
static struct verify_result compared; /* what came of it */

static uint64_t real_random(const struct gb_host *host, uint64_t stream, uint64_t index)
{
    return random_bits(host->seed, stream, index);
}

static int32_t real_fill(const struct gb_host *host, void *data, uint64_t n,
                         const struct gb_fill *fill)
{
    return random_fill(host->seed, data, n, fill);
}

static int32_t real_check(const struct gb_host *host, const struct gb_check *check)
{
    struct gb_error error;
    (void)host;
    checked = *check;
    ck_assert_str_eq(check->default_metric, "bound");
    ck_assert_int_eq(verify_compare(check, 1e-3, &compared, &error), GB_OK);
    return verify_passes(&compared, check, VERIFY_BOUND, check->default_tolerance)
               ? GB_OK
               : GB_WRONG_RESULT;
}

static void set(const char *name, const char *text)
{
    fake_params_set(plugin, params, name, text);
}

static void set_number(const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    set(name, text);
}

/* The plugin of the id, in a module named after it, with the defaults of its options. */
static void load(const char *id, uint64_t seed)
{
    char module[64];
    snprintf(module, sizeof module, "bench_%s", id);
    fake = fake_host_new();
    fake->host.seed = seed;
    fake->host.random = real_random;
    fake->host.fill = real_fill;
    fake->host.check = real_check;
    plugin = fake_plugin(module, GB_PLUGIN_BENCH, id);
    ops = plugin->ops;
    params = fake_params_new(plugin);
    bench = NULL;
}

static void unload(void)
{
    ops->destroy(bench);
    fake_params_free(plugin, params);
    fake_host_free(fake);
}

static int32_t created(void)
{
    return ops->create(&fake->host, params, &bench);
}

static int32_t verified(void)
{
    ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
    ck_assert_int_eq(ops->run(bench, &queue, 1), GB_OK);
    return ops->verify(bench, &queue);
}
