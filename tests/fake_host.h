/*
 * fake_host.h - a small host for tests of plugins: loads their modules from the build tree, fills
 * their params and gives them services whose effects can be looked at.
 */
#pragma once

#include <gbrun/gbrun.h>

enum { FAKE_BLOCKS_MAX = 128, FAKE_TEXT_BYTES = 512, FAKE_METRICS_MAX = 32 };

struct fake_host {
    struct gb_host host;          /* first: services find the rest through it */
    char reason[FAKE_TEXT_BYTES]; /* of fail or skip */
    char log[FAKE_TEXT_BYTES];    /* the last line */
    struct {
        char name[64];
        double value;
    } metrics[FAKE_METRICS_MAX]; /* in order */
    size_t n_metrics;
    uint64_t n_checks, n_compared, n_wrong;
    int32_t is_exclusive, keeps;   /* 1: that was asked for */
    int32_t is_cancelled;          /* 1: the run is */
    void *blocks[FAKE_BLOCKS_MAX]; /* of allocate */
    size_t n_blocks;
    void *device_blocks[FAKE_BLOCKS_MAX]; /* of device_allocate, in order */
    size_t n_device_blocks;
    uint64_t n_drawn; /* buffers that the device filled with random numbers */
    struct gb_device_info device;
};

struct fake_host *fake_host_new(void);
void fake_host_free(struct fake_host *fake);

/* The last value of a metric; fails the test if there is none. */
double fake_metric_named(const struct fake_host *fake, const char *name);

/* The whole path of a file of the build tree, until the next call; a library by its path there, and
 * a symbol of it, without which the test fails. */
const char *fake_path(const char *path);
void *fake_library(const char *path);
void *fake_symbol(void *library, const char *name);

/* A plugin of the module $top_builddir/plugins/FOLDER/.libs/FOLDER.so; fails the test without. */
const struct gb_plugin *fake_plugin(const char *folder, uint32_t kind, const char *id);

/* The same of a policy, by its id alone. */
const struct gb_plugin *fake_policy(const char *id);

/* Params with the defaults of the table, and then one option set, as in bench.ini. Freed by
 * fake_params_free. */
void *fake_params_new(const struct gb_plugin *plugin);
void fake_params_set(const struct gb_plugin *plugin, void *params, const char *name,
                     const char *text);
void fake_params_free(const struct gb_plugin *plugin, void *params);

/* Random numbers for tests: in [0, 1), and standard normal. */
double fake_unit(uint64_t *state);
double fake_normal(uint64_t *state);
