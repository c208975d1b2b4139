/* test_sensors.c - what the CUDA device reads while samples are taken, with an NVML made here:
 * which benchmark a reading belongs to, and how old it may be. */
#include "plugins/device_cuda/sensors.h"
#include "tests/check_main.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

/* ---- NVML, of whose handle nothing is looked at ---- */

#pragma GCC diagnostic ignored "-Wunused-parameter"

static _Atomic uint64_t throttle;
static _Atomic int n_ended, is_held;
static sem_t begun, released; /* of a reading that is held */
static double energy_joules;

uint64_t nvml_throttle(const struct nvml *nvml)
{
    const uint64_t reasons = throttle;
    if (is_held) {
        sem_post(&begun);
        sem_wait(&released);
    }
    n_ended++;
    return reasons;
}

double nvml_clock_hz(const struct nvml *nvml)
{
    return 1e9;
}

double nvml_energy_joules(const struct nvml *nvml)
{
    return energy_joules++;
}

void nvml_telemetry(const struct nvml *nvml, struct gb_telemetry *telemetry)
{
    telemetry->throttle = throttle;
    snprintf(telemetry->throttle_text, sizeof telemetry->throttle_text, "%s",
             throttle != 0 ? "power cap" : "");
}

/* ---- tests ---- */

static const char library;
static const struct nvml nvml = {.functions = (const void *)&library};
static struct sensors sensors;
static double clock_hz;
static uint64_t reasons;

static void setup(void)
{
    throttle = 4;
    n_ended = is_held = 0;
    sem_init(&begun, 0, 0);
    sem_init(&released, 0, 0);
    energy_joules = 0;
    sensors_open(&sensors, &nvml);
}

static void teardown(void)
{
    sensors_close(&sensors);
}

static void take(void)
{
    sensors_take(&sensors, &clock_hz, &reasons);
}

TEST_FIXTURE(setup, teardown)

TEST(readings_belong_to_their_benchmark)
{
    for (take(); reasons == 0; take())
        sched_yield();
    ck_assert_uint_eq(reasons, 4);
    ck_assert_double_eq(clock_hz, 1e9);
    take();
    ck_assert_uint_eq(reasons, 4); /* still so, as the newest reading says */
    throttle = 0;
    sensors_forget(&sensors);
    take();
    ck_assert_uint_eq(reasons, 0);
    ck_assert_double_eq(clock_hz, 0);
    for (take(); clock_hz == 0; take())
        sched_yield();
    ck_assert_uint_eq(reasons, 0);
}

TEST(a_reading_that_was_begun_before_is_dropped)
{
    is_held = 1;
    take();
    sem_wait(&begun);
    throttle = 0;
    sensors_forget(&sensors);
    is_held = 0;
    sem_post(&released);
    for (take(); n_ended < 2 || clock_hz == 0; take()) {
        ck_assert_uint_eq(reasons, 0);
        sched_yield();
    }
    ck_assert_uint_eq(reasons, 0);
}

TEST(energy_is_read_each_time)
{
    struct gb_telemetry first = {.size = sizeof first}, second = first;
    sensors_telemetry(&sensors, &first);
    sensors_telemetry(&sensors, &second);
    ck_assert_double_gt(second.energy_joules, first.energy_joules);
    ck_assert_str_eq(second.throttle_text, "power cap");
    throttle = 0;
    sensors_forget(&sensors);
    sensors_telemetry(&sensors, &second);
    ck_assert_uint_eq(second.throttle, 0);
    ck_assert_str_eq(second.throttle_text, "");
    second.without_energy = 1;
    sensors_telemetry(&sensors, &second);
    ck_assert_double_nan(second.energy_joules);
}
