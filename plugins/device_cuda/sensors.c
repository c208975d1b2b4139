/* sensors.c - see sensors.h. Plugin side. */
#define _GNU_SOURCE
#include "sensors.h"

#include "plugins/common/measuring.h"

#include <math.h>

static const double READ_EVERY_NS = 250e6;
static const double IDLE_AFTER_NS = 1e9;
static const double TELEMETRY_LASTS_NS = 100e6;
static const double REASON_LASTS_NS = 1e9;

/* Under the lock, which is released while NVML is asked: taking samples must not wait for it. */
static void read_once(struct sensors *sensors)
{
    const uint64_t benchmark = sensors->benchmark;
    sensors->read_ns = clock_ns(CLOCK_MONOTONIC);
    pthread_mutex_unlock(&sensors->lock);
    const uint64_t throttle = nvml_throttle(sensors->nvml);
    const double clock_hz = nvml_clock_hz(sensors->nvml);
    pthread_mutex_lock(&sensors->lock);
    if (benchmark != sensors->benchmark)
        return;
    sensors->throttle = throttle;
    sensors->seen |= throttle;
    sensors->clock_hz = clock_hz;
}

static void wait_until(struct sensors *sensors, double at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / 1e9),
                                .tv_nsec = (long)(at_ns - 1e9 * (double)(time_t)(at_ns / 1e9))};
    pthread_cond_timedwait(&sensors->changed, &sensors->lock, &at);
}

static void *watch(void *object)
{
    struct sensors *sensors = object;
    pthread_mutex_lock(&sensors->lock);
    while (!sensors->is_closing) {
        const double now = clock_ns(CLOCK_MONOTONIC);
        if (now - sensors->used_ns > IDLE_AFTER_NS)
            pthread_cond_wait(&sensors->changed, &sensors->lock);
        else if (now - sensors->read_ns < READ_EVERY_NS)
            wait_until(sensors, sensors->read_ns + READ_EVERY_NS);
        else
            read_once(sensors);
    }
    pthread_mutex_unlock(&sensors->lock);
    return NULL;
}

void sensors_open(struct sensors *sensors, const struct nvml *nvml)
{
    pthread_condattr_t attributes;
    *sensors = (struct sensors){.nvml = nvml};
    if (nvml->functions == NULL)
        return;
    pthread_mutex_init(&sensors->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sensors->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    sensors->has_thread = pthread_create(&sensors->thread, NULL, watch, sensors) == 0;
    if (sensors->has_thread)
        return;
    pthread_cond_destroy(&sensors->changed);
    pthread_mutex_destroy(&sensors->lock);
}

void sensors_close(struct sensors *sensors)
{
    if (!sensors->has_thread)
        return;
    pthread_mutex_lock(&sensors->lock);
    sensors->is_closing = true;
    pthread_cond_signal(&sensors->changed);
    pthread_mutex_unlock(&sensors->lock);
    pthread_join(sensors->thread, NULL);
    pthread_cond_destroy(&sensors->changed);
    pthread_mutex_destroy(&sensors->lock);
    sensors->has_thread = false;
}

void sensors_take(struct sensors *sensors, double *ret_clock_hz, uint64_t *ret_throttle)
{
    *ret_clock_hz = 0.0;
    *ret_throttle = 0;
    if (!sensors->has_thread)
        return;
    pthread_mutex_lock(&sensors->lock);
    const double now = clock_ns(CLOCK_MONOTONIC);
    if (now - sensors->used_ns > IDLE_AFTER_NS)
        pthread_cond_signal(&sensors->changed);
    sensors->used_ns = now;
    *ret_clock_hz = sensors->clock_hz;
    *ret_throttle = sensors->seen | sensors->throttle;
    sensors->seen = 0;
    pthread_mutex_unlock(&sensors->lock);
}

/* NVML gives a reason for some time after the load that it was for. */
static void wait_without_reason(const struct nvml *nvml)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const double until_ns = clock_ns(CLOCK_MONOTONIC) + REASON_LASTS_NS;
    while (nvml_throttle(nvml) != 0 && clock_ns(CLOCK_MONOTONIC) < until_ns)
        nanosleep(&pause, NULL);
}

void sensors_forget(struct sensors *sensors)
{
    if (!sensors->has_thread)
        return;
    pthread_mutex_lock(&sensors->lock);
    const bool was_throttled = (sensors->seen | sensors->throttle) != 0;
    sensors->benchmark++;
    sensors->used_ns = sensors->read_ns = sensors->clock_hz = 0.0;
    sensors->throttle = sensors->seen = 0;
    pthread_mutex_unlock(&sensors->lock);
    sensors->telemetry.throttle = 0;
    sensors->telemetry.throttle_text[0] = '\0';
    if (was_throttled)
        wait_without_reason(sensors->nvml);
}

void sensors_telemetry(struct sensors *sensors, struct gb_telemetry *telemetry)
{
    const double now = clock_ns(CLOCK_MONOTONIC);
    if (sensors->telemetry_ns == 0.0 || now - sensors->telemetry_ns > TELEMETRY_LASTS_NS) {
        nvml_telemetry(sensors->nvml, &sensors->telemetry);
        sensors->telemetry_ns = now;
    }
    sensors->telemetry.energy_joules = GB_HAS(telemetry, without_energy) &&
                                               telemetry->without_energy
                                           ? (double)NAN
                                           : nvml_energy_joules(sensors->nvml);
    copy_known(telemetry, &sensors->telemetry, sizeof *telemetry);
}
