/* cuda_device.c - see cuda_device.h. Plugin side. */
#define _GNU_SOURCE
#include "cuda_device.h"

#include "cupti.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double GIB = 1073741824.0;

/* --- errors --- */

int32_t cuda_status(const struct cuda_device *device, CUresult result, const char *doing)
{
    return driver_status(&device->driver, device->host, result, doing);
}

int32_t cuda_still_there(const struct cuda_device *device)
{
    unsigned flags = 0;
    int is_active = 1;
    if (!device->is_primary)
        return GB_OK;
    const CUresult result = device->driver.context_state(device->number, &flags, &is_active);
    return result != CUDA_SUCCESS || is_active != 0
               ? GB_OK
               : cuda_status(device, CUDA_ERROR_CONTEXT_IS_DESTROYED, "measuring");
}

int32_t cuda_failure_status(const struct cuda_device *device, const struct gb_queue *queue,
                            int32_t status)
{
    if (status == GB_SKIPPED || status == GB_DEVICE_ERROR)
        return status;
    const int32_t is_there = cuda_still_there(device);
    if (is_there != GB_OK)
        return is_there;
    const CUresult result = device->driver.stream_synchronize(queue->native);
    return driver_error_is_sticky(result) ? cuda_status(device, result, "measuring") : status;
}

CUresult cuda_fill(const struct cuda_device *device, CUdeviceptr at, unsigned char byte,
                   size_t bytes)
{
    const CUresult result = device->driver.fill_async(at, byte, bytes, device->stream);
    return result == CUDA_SUCCESS ? device->driver.stream_synchronize(device->stream) : result;
}

int32_t cuda_no_memory(const struct cuda_device *device, uint64_t bytes)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    char text[512];
    device->driver.memory_info(&free_bytes, &total_bytes);
    snprintf(text, sizeof text,
             "out of memory (CUDA_ERROR_OUT_OF_MEMORY): %.3g GiB asked for, %.3g of %.3g GiB free "
             "on the device",
             (double)bytes / GIB, (double)free_bytes / GIB, (double)total_bytes / GIB);
    device->host->fail(device->host, text);
    return GB_NO_MEMORY;
}

/* --- contexts --- */

/* The primary context of a device, if it is active: nothing else keeps it so for this program. */
static bool is_primary(const struct driver *driver, CUcontext context, CUdevice number)
{
    CUcontext primary = NULL;
    unsigned flags = 0;
    int is_active = 0;
    if (driver->context_state(number, &flags, &is_active) != CUDA_SUCCESS || is_active == 0 ||
        driver->context_retain(&primary, number) != CUDA_SUCCESS)
        return false;
    driver->context_release(number);
    return primary == context;
}

/* False: none is current. */
static bool find_current(const struct driver *driver, CUcontext *ret, CUdevice *ret_number)
{
    return driver->context_get(ret) == CUDA_SUCCESS && *ret != NULL &&
           driver->context_device(ret_number) == CUDA_SUCCESS;
}

/* The current context, if it is one of the device's but not its primary one; else NULL. */
static CUcontext guest_context(const struct driver *driver, CUdevice number)
{
    CUcontext current = NULL;
    CUdevice of = 0;
    return find_current(driver, &current, &of) && of == number &&
                   !is_primary(driver, current, number)
               ? current
               : NULL;
}

CUresult cuda_take_context(struct cuda_device *device)
{
    const struct driver *driver = &device->driver;
    CUresult result = CUDA_SUCCESS;
    device->context = guest_context(driver, device->number);
    if (device->context == NULL) {
        result = driver->context_retain(&device->context, device->number);
        device->is_primary = result == CUDA_SUCCESS;
    }
    return result == CUDA_SUCCESS ? driver->context_set(device->context) : result;
}

int32_t cuda_enter(const struct cuda_device *device, const char *doing)
{
    const int32_t status = cuda_still_there(device);
    if (status != GB_OK)
        return status;
    return cuda_status(device, device->driver.context_set(device->context), doing);
}

/* --- programs that have gbrun as a library --- */

static int32_t index_of(const struct driver *driver, CUdevice number)
{
    int n = 0;
    CUdevice one = 0;
    driver->device_count(&n);
    for (int i = 0; i < n; i++)
        if (driver->device_get(&one, i) == CUDA_SUCCESS && one == number)
            return i;
    return -1;
}

static void enter(struct gb_guest_state *state)
{
    struct driver driver;
    char reason[256];
    CUcontext current = NULL;
    CUdevice number = 0;
    state->index = -1;
    if (!driver_open(&driver, reason, sizeof reason) || !find_current(&driver, &current, &number))
        return;
    state->index = index_of(&driver, number);
    state->key = is_primary(&driver, current, number) ? 0 : (uint64_t)(uintptr_t)current;
    state->current = current;
}

static void leave(const struct gb_guest_state *state)
{
    struct driver driver;
    char reason[256];
    if (driver_open(&driver, reason, sizeof reason))
        driver.context_set(state->current);
}

const struct gb_guest cuda_guest = {.size = sizeof cuda_guest, .enter = enter, .leave = leave};

/* --- what samples need --- */

int32_t cuda_reserve_flush(struct cuda_device *device)
{
    if (device->flush != 0)
        return GB_OK;
    if (device->flush_bytes == 0)
        return device->host->fail(device->host,
                                  "the size of the cache is unknown: expected flush = SIZE");
    const CUresult result = device->driver.allocate(&device->flush, device->flush_bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_no_memory(device, device->flush_bytes);
    return cuda_status(device, result, "allocating memory that flushes the cache");
}

enum { PCI_BYTES = 64, TEXT_BYTES = 256, NEAR_SLOWDOWN_CELSIUS = 10 };

/* --- what is known of a device without opening it --- */

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
    tell(fact, context, "free_memory", state.free_bytes >= 0.0, "%.1f GiB", state.free_bytes / GIB);
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

/* A state that may not be known, and, where it is noisy, why and what to do about it. */
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
               "the device is throttled: times are longer than with pace = burst, and stable with "
               "pace = sustained only",
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
        snprintf(text, sizeof text, "%d C, throttled from %d C on", state->temperature_celsius,
                 state->slowdown_celsius);
    const bool is_near = state->slowdown_celsius > 0 &&
                         state->temperature_celsius + NEAR_SLOWDOWN_CELSIUS >=
                             state->slowdown_celsius;
    find(examination, "temperature", text, is_near ? "the device is about to throttle" : "", "");
}

static void examine_cupti(const struct examination *examination, const char *cupti)
{
    char reason[TEXT_BYTES];
    if (strcmp(cupti, "no") == 0)
        find(examination, "CUPTI", "off (cupti = no)", "", "");
    else if (cupti_find(cupti, reason, sizeof reason))
        find(examination, "CUPTI", "there", "", "");
    else
        find(examination, "CUPTI", reason, "counters and the clock `record` need it", "");
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
               "results before and after the reset are not comparable", "", "%s",
               state.ecc != state.ecc_pending ? "changes with the next reset"
                                              : mode_words(state.ecc));
    find_state(&examination, "compute mode", state.compute_mode >= 0, false, "", "", "%s",
               compute_mode_words(state.compute_mode));
    find_state(&examination, "PCI Express", state.link_width > 0 && state.link_width_max > 0,
               state.link_width < state.link_width_max,
               "copies to and from the host are slower than they could be", "", "%d of %d lanes",
               state.link_width, state.link_width_max);
}
