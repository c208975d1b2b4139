/*
 * hold.h - holds a stream back until the host has put all of a sample's work on it, so that the
 * host's gaps between launches are not timed. Plugin side.
 *
 * The stream waits for a word in host memory. A thread releases a sample that is held too long: its
 * run waits for the device itself, or has put more on the stream than the device queues.
 */
#pragma once

#include "plugins/common/cuda/cuda_driver.h"

#include <pthread.h>
#include <stdatomic.h>

struct hold {
    const struct driver *driver;
    CUdeviceptr address;    /* of the word, for the device */
    _Atomic uint32_t *word; /* for the host: the last sample that may run */
    uint32_t sample;        /* the last that was held */
    _Atomic uint32_t held;  /* 0: none at present */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread, is_active, is_closing; /* under the lock */
};

/* NULL if the driver or the device cannot do it. */
struct hold *hold_new(const struct driver *driver);
void hold_free(struct hold *hold);

/* On before a batch and off behind it: the thread is awake in between only. NULL is nothing. */
void hold_switch(struct hold *hold, bool is_on);

/* What is put on the stream from here on waits, */
CUresult hold_begin(struct hold *hold, CUstream stream);
/* until this. False: it was released before. */
bool hold_release(struct hold *hold);
