/* nvml.c - see sensors.h. Plugin side. */
#define _GNU_SOURCE
#include "sensors.h"

#include "plugins/common/symbols.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEMORY = 2,
    NVML_TEMPERATURE_GPU = 0,
    NVML_THRESHOLD_SLOWDOWN = 1,
    PROCESSES_MAX = 64
};
static const uint64_t NVML_THROTTLE_IDLE = 1;
static const uint64_t NVML_THROTTLE_OWNER = 2; /* application clocks are set, or clocks locked */

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

/* X(member, symbol, parameters). All return 0 for success; those that this NVML does not have are
 * NULL. */
#define NVML_FUNCTIONS(X)                                                                          \
    X(init, nvmlInit_v2, (void))                                                                   \
    X(by_pci, nvmlDeviceGetHandleByPciBusId_v2, (const char *pci, void **ret_device))              \
    X(driver_version, nvmlSystemGetDriverVersion, (char *text, unsigned bytes))                    \
    X(clock, nvmlDeviceGetClockInfo, (void *device, int type, unsigned *ret_mhz))                  \
    X(clock_max, nvmlDeviceGetMaxClockInfo, (void *device, int type, unsigned *ret_mhz))           \
    X(temperature, nvmlDeviceGetTemperature, (void *device, int sensor, unsigned *ret_celsius))    \
    X(threshold, nvmlDeviceGetTemperatureThreshold,                                                \
      (void *device, int which, unsigned *ret_celsius))                                            \
    X(power, nvmlDeviceGetPowerUsage, (void *device, unsigned *ret_mw))                            \
    X(power_limit, nvmlDeviceGetEnforcedPowerLimit, (void *device, unsigned *ret_mw))              \
    X(energy, nvmlDeviceGetTotalEnergyConsumption, (void *device, unsigned long long *ret_mj))     \
    X(throttle, nvmlDeviceGetCurrentClocksThrottleReasons,                                         \
      (void *device, unsigned long long *ret_bits))                                                \
    X(persistence, nvmlDeviceGetPersistenceMode, (void *device, unsigned *ret_is_on))              \
    X(compute_mode, nvmlDeviceGetComputeMode, (void *device, unsigned *ret_mode))                  \
    X(ecc, nvmlDeviceGetEccMode, (void *device, unsigned *ret_current, unsigned *ret_pending))     \
    X(mig, nvmlDeviceGetMigMode, (void *device, unsigned *ret_current, unsigned *ret_pending))     \
    X(memory, nvmlDeviceGetMemoryInfo, (void *device, struct nvml_memory *ret))                    \
    X(link_width, nvmlDeviceGetCurrPcieLinkWidth, (void *device, unsigned *ret))                   \
    X(link_width_max, nvmlDeviceGetMaxPcieLinkWidth, (void *device, unsigned *ret))                \
    X(processes, nvmlDeviceGetComputeRunningProcesses_v3,                                          \
      (void *device, unsigned *n, struct nvml_process *ret))

struct nvml_functions {
#define NVML_MEMBER(member, symbol, parameters) int(*member) parameters;
    NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

/* --- the library --- */

static bool load(struct nvml_functions *functions)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const struct symbol symbols[] = {NVML_FUNCTIONS(SYMBOL_LINE)};
    if (library == NULL)
        return false;
    FIND_SYMBOLS(library, symbols);
    return functions->init != NULL && functions->by_pci != NULL;
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

/* True if there is such a function and it has answered. */
#define ASK(nvml, function, ...)                                                                   \
    ((nvml)->functions != NULL && (nvml)->functions->function != NULL &&                           \
     (nvml)->functions->function((nvml)->device, __VA_ARGS__) == 0)

/* --- what changes --- */

double nvml_clock_hz(const struct nvml *nvml)
{
    unsigned mhz = 0;
    return ASK(nvml, clock, NVML_CLOCK_SM, &mhz) ? mhz * 1e6 : 0.0;
}

uint64_t nvml_throttle(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    return ASK(nvml, throttle, &bits) ? bits & ~(NVML_THROTTLE_IDLE | NVML_THROTTLE_OWNER) : 0;
}

bool nvml_clock_is_set(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    return ASK(nvml, throttle, &bits) && (bits & NVML_THROTTLE_OWNER) != 0;
}

double nvml_energy_joules(const struct nvml *nvml)
{
    unsigned long long energy_mj = 0;
    return ASK(nvml, energy, &energy_mj) ? (double)energy_mj * 1e-3 : (double)NAN;
}

void nvml_throttle_words(uint64_t bits, char *text, size_t bytes)
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

/* Workers of one run have the same parent, and may not have ended yet. */
static bool is_sibling(unsigned pid)
{
    char path[32];
    unsigned parent = 0;
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool is_known = fscanf(file, "%*u (%*[^)]) %*c %u", &parent) == 1;
    fclose(file);
    return is_known && parent == (unsigned)getppid();
}

/* With a context: NVML lists this process as well, in a container by a number that is unknown
 * here. */
static uint32_t others_beside_us(const struct nvml *nvml)
{
    struct nvml_process processes[PROCESSES_MAX];
    unsigned n = PROCESSES_MAX;
    uint32_t n_ours = 0;
    memset(processes, 0, sizeof processes);
    if (!ASK(nvml, processes, &n, processes) || n > PROCESSES_MAX)
        return 0;
    for (unsigned i = 0; i < n; i++)
        n_ours += processes[i].pid == (unsigned)getpid() || is_sibling(processes[i].pid);
    return n - (n_ours > 0 ? n_ours : n > 0);
}

/* What was asked for, in `value`, in other units; NaN: not known. */
#define KNOWN(unit, ...) (ASK(nvml, __VA_ARGS__) ? value * (unit) : (double)NAN)

void nvml_telemetry(const struct nvml *nvml, struct gb_telemetry *telemetry)
{
    unsigned value = 0;
    telemetry->clock_hz = KNOWN(1e6, clock, NVML_CLOCK_SM, &value);
    telemetry->memory_clock_hz = KNOWN(1e6, clock, NVML_CLOCK_MEMORY, &value);
    telemetry->temperature_celsius = KNOWN(1.0, temperature, NVML_TEMPERATURE_GPU, &value);
    telemetry->power_watts = KNOWN(1e-3, power, &value);
    telemetry->n_others = others_beside_us(nvml);
    telemetry->throttle = nvml_throttle(nvml);
    nvml_throttle_words(telemetry->throttle, telemetry->throttle_text,
                        sizeof telemetry->throttle_text);
}

/* --- what mostly stays --- */

static int count_other_processes(const struct nvml *nvml)
{
    struct nvml_process processes[PROCESSES_MAX];
    unsigned n = PROCESSES_MAX;
    int n_others = 0;
    memset(processes, 0, sizeof processes);
    if (!ASK(nvml, processes, &n, processes))
        return -1;
    for (unsigned i = 0; i < n && i < PROCESSES_MAX; i++)
        n_others += processes[i].pid != (unsigned)getpid();
    return n_others;
}

/* What was asked for, in `value`. */
#define STATE(...) (ASK(nvml, __VA_ARGS__) ? (int)value : -1)

void nvml_read_state(const struct nvml *nvml, struct nvml_state *state)
{
    unsigned value = 0;
    unsigned pending = 0;
    struct nvml_memory memory = {0, 0, 0};
    *state = (struct nvml_state){.free_bytes = -1.0};
    state->persistence = STATE(persistence, &value);
    state->compute_mode = STATE(compute_mode, &value);
    state->ecc = STATE(ecc, &value, &pending);
    state->ecc_pending = state->ecc < 0 ? -1 : (int)pending;
    state->mig = STATE(mig, &value, &pending);
    state->clock_mhz = STATE(clock, NVML_CLOCK_SM, &value);
    state->clock_max_mhz = STATE(clock_max, NVML_CLOCK_SM, &value);
    state->memory_clock_max_mhz = STATE(clock_max, NVML_CLOCK_MEMORY, &value);
    state->temperature_celsius = STATE(temperature, NVML_TEMPERATURE_GPU, &value);
    state->slowdown_celsius = STATE(threshold, NVML_THRESHOLD_SLOWDOWN, &value);
    state->power_limit_mw = STATE(power_limit, &value);
    state->link_width = STATE(link_width, &value);
    state->link_width_max = STATE(link_width_max, &value);
    state->n_processes = count_other_processes(nvml);
    if (ASK(nvml, memory, &memory))
        state->free_bytes = (double)memory.free;
    if (nvml->functions == NULL || nvml->functions->driver_version == NULL ||
        nvml->functions->driver_version(state->driver, sizeof state->driver) != 0)
        state->driver[0] = '\0';
}
