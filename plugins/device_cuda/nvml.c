/* nvml.c - see nvml.h. Plugin side. */
#define _GNU_SOURCE
#include "nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_TEMPERATURE_GPU = 0 };
static const uint64_t NVML_THROTTLE_IDLE = 1;

struct nvml_memory {
    unsigned long long total, free, used;
};

/* All return 0 for success. */
struct nvml_functions {
    int (*init)(void);
    int (*by_pci)(const char *pci, void **ret_device);
    int (*driver_version)(char *text, unsigned bytes);
    int (*clock)(void *device, int type, unsigned *ret_mhz);
    int (*clock_max)(void *device, int type, unsigned *ret_mhz);
    int (*temperature)(void *device, int sensor, unsigned *ret_celsius);
    int (*power)(void *device, unsigned *ret_mw);
    int (*power_limit)(void *device, unsigned *ret_mw);
    int (*energy)(void *device, unsigned long long *ret_mj);
    int (*throttle)(void *device, unsigned long long *ret_bits);
    int (*persistence)(void *device, int *ret_is_on);
    int (*compute_mode)(void *device, int *ret_mode);
    int (*ecc)(void *device, int *ret_current, int *ret_pending);
    int (*mig)(void *device, unsigned *ret_current, unsigned *ret_pending);
    int (*memory)(void *device, struct nvml_memory *ret);
    int (*link_width)(void *device, unsigned *ret);
};

static bool load(struct nvml_functions *functions)
{
    const struct {
        void **member;
        const char *symbol;
    } table[] = {
        {(void **)&functions->init, "nvmlInit_v2"},
        {(void **)&functions->by_pci, "nvmlDeviceGetHandleByPciBusId_v2"},
        {(void **)&functions->driver_version, "nvmlSystemGetDriverVersion"},
        {(void **)&functions->clock, "nvmlDeviceGetClockInfo"},
        {(void **)&functions->clock_max, "nvmlDeviceGetMaxClockInfo"},
        {(void **)&functions->temperature, "nvmlDeviceGetTemperature"},
        {(void **)&functions->power, "nvmlDeviceGetPowerUsage"},
        {(void **)&functions->power_limit, "nvmlDeviceGetEnforcedPowerLimit"},
        {(void **)&functions->energy, "nvmlDeviceGetTotalEnergyConsumption"},
        {(void **)&functions->throttle, "nvmlDeviceGetCurrentClocksThrottleReasons"},
        {(void **)&functions->persistence, "nvmlDeviceGetPersistenceMode"},
        {(void **)&functions->compute_mode, "nvmlDeviceGetComputeMode"},
        {(void **)&functions->ecc, "nvmlDeviceGetEccMode"},
        {(void **)&functions->mig, "nvmlDeviceGetMigMode"},
        {(void **)&functions->memory, "nvmlDeviceGetMemoryInfo"},
        {(void **)&functions->link_width, "nvmlDeviceGetCurrPcieLinkWidth"},
    };
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library != NULL && i < sizeof table / sizeof table[0]; i++) {
        *table[i].member = dlsym(library, table[i].symbol);
        if (*table[i].member == NULL)
            return false;
    }
    return library != NULL;
}

/* Loaded and started once in a process. */
static const struct nvml_functions *functions_of_process(void)
{
    static struct nvml_functions functions;
    static enum { UNKNOWN, ABSENT, PRESENT } state;
    if (state == UNKNOWN)
        state = load(&functions) && functions.init() == 0 ? PRESENT : ABSENT;
    return state == PRESENT ? &functions : NULL;
}

void nvml_open(struct nvml *nvml, const char *pci)
{
    *nvml = (struct nvml){.functions = functions_of_process()};
    if (nvml->functions != NULL && nvml->functions->by_pci(pci, &nvml->device) != 0)
        nvml->functions = NULL;
}

double nvml_clock_hz(const struct nvml *nvml)
{
    unsigned mhz = 0;
    if (nvml->functions == NULL || nvml->functions->clock(nvml->device, NVML_CLOCK_SM, &mhz) != 0)
        return 0.0;
    return mhz * 1e6;
}

uint64_t nvml_throttle(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    if (nvml->functions == NULL || nvml->functions->throttle(nvml->device, &bits) != 0)
        return 0;
    return bits & ~NVML_THROTTLE_IDLE;
}

static void throttle_words(uint64_t bits, char *text, size_t bytes)
{
    static const char *const words[] = {
        "idle",
        "clocks set by its owner",
        "power cap",
        "hardware slowdown",
        "sync boost",
        "too hot",
        "hardware: too hot",
        "hardware: power brake",
        "display clocks",
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((bits >> i & 1u) == 0 || used >= bytes)
            continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "", words[i]);
    }
    if (bits != 0 && used == 0)
        snprintf(text, bytes, "reasons 0x%llx", (unsigned long long)bits);
}

void nvml_telemetry(const struct nvml *nvml, struct gb_telemetry *telemetry)
{
    const struct nvml_functions *functions = nvml->functions;
    const double unknown = (double)NAN;
    telemetry->clock_hz = unknown;
    telemetry->memory_clock_hz = unknown;
    telemetry->temperature_celsius = unknown;
    telemetry->power_watts = unknown;
    telemetry->energy_joules = unknown;
    telemetry->throttle = nvml_throttle(nvml);
    throttle_words(telemetry->throttle, telemetry->throttle_text, sizeof telemetry->throttle_text);
    if (functions == NULL)
        return;
    unsigned value = 0;
    unsigned long long energy_mj = 0;
    if (functions->clock(nvml->device, NVML_CLOCK_SM, &value) == 0)
        telemetry->clock_hz = value * 1e6;
    if (functions->clock(nvml->device, NVML_CLOCK_MEMORY, &value) == 0)
        telemetry->memory_clock_hz = value * 1e6;
    if (functions->temperature(nvml->device, NVML_TEMPERATURE_GPU, &value) == 0)
        telemetry->temperature_celsius = value;
    if (functions->power(nvml->device, &value) == 0)
        telemetry->power_watts = value * 1e-3;
    if (functions->energy(nvml->device, &energy_mj) == 0)
        telemetry->energy_joules = (double)energy_mj * 1e-3;
}

static void mode_facts(const struct nvml *nvml, gb_fact_fn *fact, void *context)
{
    static const char *const compute_modes[] = {"default", "exclusive thread", "prohibited",
                                                "exclusive process"};
    const struct nvml_functions *functions = nvml->functions;
    int state = 0;
    int pending = 0;
    unsigned mig = 0;
    unsigned mig_pending = 0;
    if (functions->persistence(nvml->device, &state) == 0)
        fact(context, "persistence", state != 0 ? "on" : "off");
    if (functions->compute_mode(nvml->device, &state) == 0 && state >= 0 && state < 4)
        fact(context, "compute_mode", compute_modes[state]);
    if (functions->ecc(nvml->device, &state, &pending) == 0)
        fact(context, "ecc", state != 0 ? "on" : "off");
    if (functions->mig(nvml->device, &mig, &mig_pending) == 0)
        fact(context, "mig", mig != 0 ? "on" : "off");
}

void nvml_facts(const struct nvml *nvml, gb_fact_fn *fact, void *context)
{
    const struct nvml_functions *functions = nvml->functions;
    struct nvml_memory memory;
    char text[96];
    unsigned value = 0;
    if (functions == NULL) {
        fact(context, "nvml", "absent: clocks, power and throttling are not known");
        return;
    }
    if (functions->driver_version(text, sizeof text) == 0)
        fact(context, "driver", text);
    mode_facts(nvml, fact, context);
    if (functions->clock_max(nvml->device, NVML_CLOCK_SM, &value) == 0) {
        snprintf(text, sizeof text, "%u MHz", value);
        fact(context, "clock_max", text);
    }
    if (functions->clock_max(nvml->device, NVML_CLOCK_MEMORY, &value) == 0) {
        snprintf(text, sizeof text, "%u MHz", value);
        fact(context, "memory_clock_max", text);
    }
    if (functions->power_limit(nvml->device, &value) == 0) {
        snprintf(text, sizeof text, "%.0f W", value * 1e-3);
        fact(context, "power_limit", text);
    }
    if (functions->link_width(nvml->device, &value) == 0) {
        snprintf(text, sizeof text, "x%u", value);
        fact(context, "pcie_width", text);
    }
    if (functions->memory(nvml->device, &memory) == 0) {
        snprintf(text, sizeof text, "%.1f GiB", (double)memory.free / 1073741824.0);
        fact(context, "free_memory", text);
    }
}
