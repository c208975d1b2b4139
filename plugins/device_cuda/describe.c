/* describe.c - facts about a device for the record, and what makes measurements on it noisy; see
 * cuda_device.h. Plugin side. */
#define _GNU_SOURCE
#include "cuda_device.h"

#include "cupti.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PCI_BYTES = 64, TEXT_BYTES = 256, NEAR_SLOWDOWN_CELSIUS = 10 };

/* --- the device itself --- */

uint32_t cuda_attribute(const struct driver *driver, CUdevice number, CUdevice_attribute which)
{
    int value = 0;
    driver->device_attribute(&value, which, number);
    return value > 0 ? (uint32_t)value : 0;
}

/* As nvidia-smi and CUDA_VISIBLE_DEVICES have it: of an instance of MIG the driver gives that one's
 * UUID, and a name that says so, such as "NVIDIA H100 80GB HBM3 MIG 1g.10gb". */
static void write_uuid(const CUuuid *uuid, const char *model, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "%s", strstr(model, " MIG ") ? "MIG" : "GPU");
    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        const bool has_dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        used += (size_t)snprintf(text + used, bytes - used, "%s%02x", has_dash ? "-" : "",
                                 (unsigned char)uuid->bytes[i]);
    }
}

void cuda_describe(const struct driver *driver, CUdevice number, uint32_t index,
                   struct gb_device_info *info)
{
    CUuuid uuid;
    size_t memory = 0;
    info->index = index;
    snprintf(info->backend, sizeof info->backend, "cuda");
    driver->device_name(info->model, sizeof info->model, number);
    if (driver->device_uuid(&uuid, number) == CUDA_SUCCESS)
        write_uuid(&uuid, info->model, info->uuid, sizeof info->uuid);
    driver->device_memory(&memory, number);
    info->memory_bytes = memory;
    info->cache_bytes = cuda_attribute(driver, number, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    info->n_units = cuda_attribute(driver, number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

/* --- facts --- */

/* What is not known is left out. */
static __attribute__((format(printf, 5, 6))) void
tell(gb_fact_fn *fact, void *context, const char *name, bool is_known, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_known)
        fact(context, name, text);
}

static const char *mode_words(int mode)
{
    return mode != 0 ? "on" : "off";
}

static const char *compute_mode_words(int mode)
{
    static const char *const words[] = {"default", "exclusive thread", "prohibited",
                                        "exclusive process"};
    return mode >= 0 && mode < (int)(sizeof words / sizeof words[0]) ? words[mode] : "unknown";
}

static void tell_state(const struct nvml *nvml, gb_fact_fn *fact, void *context)
{
    struct nvml_state state;
    if (nvml->functions == NULL) {
        fact(context, "nvml", "absent: clocks, power and throttling are not known");
        return;
    }
    nvml_read_state(nvml, &state);
    if (state.driver[0] != '\0')
        fact(context, "driver", state.driver);
    tell(fact, context, "persistence", state.persistence >= 0, "%s", mode_words(state.persistence));
    tell(fact, context, "compute_mode", state.compute_mode >= 0, "%s",
         compute_mode_words(state.compute_mode));
    tell(fact, context, "ecc", state.ecc >= 0, "%s", mode_words(state.ecc));
    tell(fact, context, "mig", state.mig >= 0, "%s", mode_words(state.mig));
    tell(fact, context, "clock_max", state.clock_max_mhz >= 0, "%d MHz", state.clock_max_mhz);
    tell(fact, context, "memory_clock_max", state.memory_clock_max_mhz >= 0, "%d MHz",
         state.memory_clock_max_mhz);
    tell(fact, context, "power_limit", state.power_limit_mw >= 0, "%.0f W",
         state.power_limit_mw * 1e-3);
    tell(fact, context, "pcie_width", state.link_width >= 0, "x%d", state.link_width);
    tell(fact, context, "other_processes", state.n_processes >= 0, "%d", state.n_processes);
    tell(fact, context, "free_memory", state.free_bytes >= 0.0, "%.1f GiB",
         state.free_bytes / 1073741824.0);
}

void cuda_facts(const struct driver *driver, CUdevice number, gb_fact_fn *fact, void *context)
{
    char pci[PCI_BYTES] = "";
    struct nvml nvml;
    tell(fact, context, "cuda", true, "%d.%d", driver->version / 1000, driver->version % 1000 / 10);
    tell(fact, context, "compute_capability", true, "%u.%u",
         cuda_attribute(driver, number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
         cuda_attribute(driver, number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    if (driver->device_pci(pci, sizeof pci, number) != CUDA_SUCCESS)
        return;
    fact(context, "pci", pci);
    fact(context, "visible_by", "CUDA_VISIBLE_DEVICES");
    nvml_open(&nvml, pci);
    tell_state(&nvml, fact, context);
}

/* --- what is noisy --- */

struct examination {
    gb_finding_fn *finding;
    void *context;
    const char *pci; /* nvidia-smi -i takes it */
};

static void find(const struct examination *examination, const char *subject, const char *state,
                 const char *why, const char *cure)
{
    const struct gb_finding finding = {.size = sizeof finding,
                                       .is_noisy = why[0] != '\0',
                                       .subject = subject,
                                       .state = state,
                                       .why = why,
                                       .cure = cure};
    examination->finding(examination->context, &finding);
}

/* The same of a state that may not be known; why it is noisy, and the cure, where it is. */
static __attribute__((format(printf, 7, 8))) void
find_state(const struct examination *examination, const char *subject, bool is_known, bool is_noisy,
           const char *why, const char *cure, const char *format, ...)
{
    char state[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state, sizeof state, format, arguments);
    va_end(arguments);
    is_noisy = is_noisy && is_known;
    find(examination, subject, is_known ? state : "not visible here", is_noisy ? why : "",
         is_noisy ? cure : "");
}

/* Whether a clock is locked at its highest cannot be read; an idle device whose clock has fallen is
 * not. */
static void examine_clock(const struct examination *examination, const struct nvml *nvml,
                          const struct nvml_state *state)
{
    char cure[TEXT_BYTES];
    snprintf(cure, sizeof cure, "sudo nvidia-smi -i %s --lock-gpu-clocks=%d", examination->pci,
             state->clock_max_mhz);
    find_state(examination, "clock", state->clock_mhz >= 0 && state->clock_max_mhz >= 0,
               state->clock_mhz < state->clock_max_mhz && !nvml_clock_is_set(nvml),
               "it is not locked: it follows the load, so the first samples are slower, and "
               "long load is throttled; or choose: pace = burst, pace = sustained",
               cure, "%d MHz now, %d MHz at most", state->clock_mhz, state->clock_max_mhz);
}

static void examine_throttle(const struct examination *examination, uint64_t throttle)
{
    char text[TEXT_BYTES];
    nvml_throttle_words(throttle, text, sizeof text);
    find_state(examination, "throttling", true, throttle != 0,
               "the device is throttled: times are longer than those of pace = burst, and "
               "settled with pace = sustained only",
               "", "%s", throttle != 0 ? text : "none now");
}

static void examine_temperature(const struct examination *examination,
                                const struct nvml_state *state)
{
    char text[TEXT_BYTES];
    if (state->temperature_celsius < 0)
        return;
    snprintf(text, sizeof text, "%d C", state->temperature_celsius);
    if (state->slowdown_celsius > 0)
        snprintf(text, sizeof text, "%d C, slower from %d C on", state->temperature_celsius,
                 state->slowdown_celsius);
    const bool is_near = state->slowdown_celsius > 0 &&
                         state->temperature_celsius + NEAR_SLOWDOWN_CELSIUS >=
                             state->slowdown_celsius;
    find(examination, "temperature", text, is_near ? "heat is about to lower the clock" : "", "");
}

static void examine_cupti(const struct examination *examination, const char *cupti)
{
    char reason[TEXT_BYTES];
    if (strcmp(cupti, "no") == 0)
        find(examination, "CUPTI", "off (cupti = no)", "", "");
    else if (cupti_find(cupti, reason, sizeof reason))
        find(examination, "CUPTI", "there", "", "");
    else
        find(examination, "CUPTI", reason, "without it there are no counters and no clock `record`",
             "");
}

void cuda_examine(const struct driver *driver, CUdevice number, const char *cupti,
                  gb_finding_fn *finding, void *context)
{
    char pci[PCI_BYTES] = "";
    char cure[TEXT_BYTES];
    struct nvml nvml;
    struct nvml_state state;
    driver->device_pci(pci, sizeof pci, number);
    const struct examination examination = {finding, context, pci};
    examine_cupti(&examination, cupti);
    nvml_open(&nvml, pci);
    if (nvml.functions == NULL) {
        find(&examination, "NVML", "absent", "clocks, power and throttling cannot be watched", "");
        return;
    }
    nvml_read_state(&nvml, &state);
    snprintf(cure, sizeof cure, "sudo nvidia-smi -i %s --persistence-mode=1", pci);
    find_state(&examination, "persistence mode", state.persistence >= 0, state.persistence != 1,
               "the driver releases the device between runs: starting takes longer, and clocks "
               "fall back",
               cure, "%s", mode_words(state.persistence));
    examine_clock(&examination, &nvml, &state);
    examine_throttle(&examination, nvml_throttle(&nvml));
    examine_temperature(&examination, &state);
    find_state(&examination, "other processes", state.n_processes >= 0, state.n_processes > 0,
               "they share the device's time, memory and power",
               "nvidia-smi --query-compute-apps=pid,name,gpu_bus_id --format=csv", "%d",
               state.n_processes);
    find_state(&examination, "MIG mode", state.mig >= 0, state.mig != 0,
               "the device is divided: other instances share its memory, power and clock", "", "%s",
               mode_words(state.mig));
    find_state(&examination, "ECC", state.ecc >= 0, state.ecc != state.ecc_pending,
               "results before and after the reset do not compare", "", "%s",
               state.ecc != state.ecc_pending ? "changes with the next reset"
                                              : mode_words(state.ecc));
    find_state(&examination, "compute mode", state.compute_mode >= 0, false, "", "", "%s",
               compute_mode_words(state.compute_mode));
    find_state(&examination, "PCI Express", state.link_width > 0 && state.link_width_max > 0,
               state.link_width < state.link_width_max,
               "copies from and to the host are slower than they could be", "", "%d of %d lanes",
               state.link_width, state.link_width_max);
}
