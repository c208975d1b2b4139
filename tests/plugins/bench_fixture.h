/* bench_fixture.h - a benchmark of a plugin on a fake host: made of options, run, verified. For one
 * file of tests each. */
#pragma once

#include "tests/fake_host.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct fake_host *fake;
static const struct gb_plugin *plugin;
static const struct gb_bench_ops *ops;
static void *params;
static void *bench;
static struct gb_queue queue = {.size = sizeof queue};

static inline void set(const char *name, const char *text)
{
    fake_params_set(plugin, params, name, text);
}

static inline void set_number(const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    set(name, text);
}

/* Names and values by turns, of which NULL ends less than n. */
static inline void set_all(const char *const *settings, size_t n)
{
    for (size_t i = 0; i < n && settings[i] != NULL; i += 2)
        set(settings[i], settings[i + 1]);
}

/* The plugin of the id, in a module named after it, with the defaults of its options. */
static inline void load_on(const char *backend, const char *id)
{
    char module[64];
    snprintf(module, sizeof module, "%s%s", strcmp(id, "skeleton") == 0 ? "" : "bench_", id);
    fake = fake_host_new();
    snprintf(fake->device.backend, sizeof fake->device.backend, "%s", backend);
    plugin = fake_plugin(module, GB_PLUGIN_BENCH, id);
    ops = plugin->ops;
    params = fake_params_new(plugin);
    bench = NULL;
}

static inline void load_bench(const char *id)
{
    load_on("cpu", id);
}

static inline void unload(void)
{
    if (ops->destroy != NULL) {
        ops->destroy(bench);
        ops->destroy(NULL);
    }
    fake_params_free(plugin, params);
    fake_host_free(fake);
}

static inline int32_t created(void)
{
    return ops->create(&fake->host, params, &bench);
}

static inline int32_t create_and_prepare(void)
{
    const int32_t status = created();
    return status == GB_OK && ops->prepare != NULL ? ops->prepare(bench, &queue) : status;
}

static inline void ready(void)
{
    ck_assert_msg(create_and_prepare() == GB_OK, "%s", fake->reason);
    ck_assert_ptr_nonnull(bench);
}

static inline void expect_refusal(int32_t status, const char *reason)
{
    ck_assert_int_eq(created(), status);
    ck_assert_str_eq(fake->reason, reason);
    ck_assert_ptr_null(bench);
}

/* Of a device that the plugin may not be built for. */
static inline void expect_skipped_on(const char *backend, const char *reason)
{
    const bool is_built = strstr(plugin->devices, backend) != NULL;
    snprintf(fake->device.backend, sizeof fake->device.backend, "%s", backend);
    expect_refusal(GB_SKIPPED,
                   is_built ? reason : "this build of the benchmark is not for this device");
    ck_assert_int_eq(fake->is_exclusive, 0);
}

static inline void run_bench(uint64_t iterations)
{
    ck_assert_int_eq(ops->run(bench, &queue, iterations), GB_OK);
}

/* Samples as a device takes them. */
static inline void run_samples(uint64_t n, uint64_t iterations)
{
    for (uint64_t i = 0; i < n; i++) {
        if (ops->reset != NULL)
            ck_assert_int_eq(ops->reset(bench, &queue), GB_OK);
        run_bench(iterations);
    }
}

static inline void expect_right(void)
{
    ck_assert_int_eq(ops->verify(bench, &queue), GB_OK);
}

static inline void expect_wrong(void)
{
    ck_assert_int_eq(ops->verify(bench, &queue), GB_WRONG_RESULT);
}

static inline void expect_n_wrong(uint64_t n)
{
    expect_wrong();
    ck_assert_uint_eq(fake->n_wrong, n);
}

static inline struct gb_work work_of(void)
{
    struct gb_work work = {.size = sizeof work};
    ck_assert_int_eq(ops->work(bench, &work), GB_OK);
    return work;
}

static inline void expect_work(double flops, double bytes_read, double bytes_written)
{
    const struct gb_work work = work_of();
    ck_assert_double_eq(work.flops, flops);
    ck_assert_double_eq(work.bytes_read, bytes_read);
    ck_assert_double_eq(work.bytes_written, bytes_written);
}
