/* hold.c - see hold.h. Plugin side. */
#define _GNU_SOURCE
#include "hold.h"

#include <stdlib.h>
#include <time.h>

/* A sample is released by the thread when it is seen held in two ticks. */
static const int64_t TICK_NS = 10000000;

static void release(struct hold *hold, uint32_t sample)
{
    /* Late, when the next sample may be held already, this does nothing. */
    uint32_t before = sample - 1;
    atomic_compare_exchange_strong(hold->word, &before, sample);
}

static void tick(struct hold *hold, uint32_t *seen)
{
    uint32_t held = atomic_load(&hold->held);
    if (held != 0 && held == *seen && atomic_compare_exchange_strong(&hold->held, &held, 0))
        release(hold, *seen);
    *seen = held;
}

static void *watch(void *object)
{
    struct hold *hold = object;
    uint32_t seen = 0;
    pthread_mutex_lock(&hold->lock);
    while (!hold->is_closing) {
        if (!hold->is_active) {
            pthread_cond_wait(&hold->changed, &hold->lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&hold->changed, &hold->lock, &until);
        tick(hold, &seen);
    }
    pthread_mutex_unlock(&hold->lock);
    return NULL;
}

static bool make_word(struct hold *hold)
{
    const struct driver *driver = hold->driver;
    void *word = NULL;
    if (driver->host_allocate(&word, sizeof *hold->word, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS)
        return false;
    hold->word = word;
    atomic_store(hold->word, 0);
    return driver->host_device_pointer(&hold->address, word, 0) == CUDA_SUCCESS;
}

struct hold *hold_new(const struct driver *driver)
{
    struct hold *hold = calloc(1, sizeof *hold);
    if (hold == NULL)
        return NULL;
    hold->driver = driver;
    pthread_mutex_init(&hold->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&hold->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (make_word(hold))
        hold->has_thread = pthread_create(&hold->thread, NULL, watch, hold) == 0;
    if (!hold->has_thread) {
        hold_free(hold);
        return NULL;
    }
    return hold;
}

static void set_state(struct hold *hold, bool is_active, bool is_closing)
{
    pthread_mutex_lock(&hold->lock);
    hold->is_active = is_active;
    hold->is_closing = is_closing;
    pthread_cond_signal(&hold->changed);
    pthread_mutex_unlock(&hold->lock);
}

void hold_free(struct hold *hold)
{
    if (hold == NULL)
        return;
    if (hold->has_thread) {
        set_state(hold, false, true);
        pthread_join(hold->thread, NULL);
    }
    pthread_cond_destroy(&hold->changed);
    pthread_mutex_destroy(&hold->lock);
    if (hold->word != NULL)
        hold->driver->host_free(hold->word);
    free(hold);
}

void hold_switch(struct hold *hold, bool is_on)
{
    if (hold != NULL)
        set_state(hold, is_on, false);
}

CUresult hold_begin(struct hold *hold, CUstream stream)
{
    const uint32_t sample = hold->sample + 1;
    const CUresult result = hold->driver->stream_wait_value(stream, hold->address, sample,
                                                            CU_STREAM_WAIT_VALUE_GEQ);
    if (result != CUDA_SUCCESS)
        return result;
    hold->sample = sample;
    atomic_store(&hold->held, sample);
    return CUDA_SUCCESS;
}

bool hold_release(struct hold *hold)
{
    const bool was_held = atomic_exchange(&hold->held, 0) != 0;
    release(hold, hold->sample);
    return was_held;
}
