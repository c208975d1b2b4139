/* device_fixture.h - a device on a fake host: loaded, opened, measured with, closed. */
#pragma once

#include "tests/check_main.h"
#include "tests/fake_host.h"

static struct fake_host *fake;
static const struct gb_plugin *plugin;
static const struct gb_device_ops *ops;
static void *params;
static void *device;
static struct gb_queue *queue;

/* Of a measurement: what the clocks read, when samples began and ended, the clock of the device. */
enum { SAMPLES = 200, BEGIN = 4, END, CLOCK_HZ, COLUMNS };
static double columns[COLUMNS][SAMPLES];
static uint64_t throttle[SAMPLES];
static uint32_t flags[SAMPLES];

static inline void load_device(const char *module, const char *id)
{
    fake = fake_host_new();
    plugin = fake_plugin(module, GB_PLUGIN_DEVICE, id);
    ops = plugin->ops;
    params = fake_params_new(plugin);
    device = NULL;
}

static inline void close_device(void)
{
    ops->close(device);
    queue = NULL;
    fake_params_free(plugin, params);
    fake_host_free(fake);
}

static inline void set(const char *name, const char *text)
{
    fake_params_set(plugin, params, name, text);
}

static inline void open_device(void)
{
    ck_assert_msg(ops->open(&fake->host, params, 0, &device) == GB_OK, "%s", fake->reason);
}

/* That the reason begins with these words. */
static inline void expect_reason(const char *words)
{
    ck_assert_msg(strncmp(fake->reason, words, strlen(words)) == 0, "%s", fake->reason);
}

static inline void expect_closed(const char *words)
{
    ck_assert_int_eq(ops->open(&fake->host, params, 0, &device), GB_FAILED);
    ck_assert_ptr_null(device);
    expect_reason(words);
}

static inline struct gb_measurement measurement_of(const struct gb_bench_ops *bench_ops,
                                                   void *bench, uint64_t n)
{
    memset(columns, 0xff, sizeof columns);
    memset(flags, 0xff, sizeof flags);
    return (struct gb_measurement){
        .size = sizeof(struct gb_measurement),
        .n_samples = n,
        .iterations = 1,
        .bench_ops = bench_ops,
        .bench = bench,
        .queue = queue,
        .time_ns = {columns[0], columns[1], columns[2], columns[3]},
        .begin_ns = columns[BEGIN],
        .end_ns = columns[END],
        .clock_hz = columns[CLOCK_HZ],
        .throttle = throttle,
        .flags = flags,
    };
}

static inline void measured(struct gb_measurement *measurement, uint64_t n)
{
    ck_assert_msg(ops->measure(device, measurement) == GB_OK, "%s", fake->reason);
    ck_assert_uint_eq(measurement->n_done, n);
}
