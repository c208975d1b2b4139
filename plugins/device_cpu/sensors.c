/* sensors.c - frequency, throttling, temperature and energy, where the system shows them. Plugin
 * side. */
#define _GNU_SOURCE
#include "cpu_device.h"
#include "plugins/common/system/system_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RAPL_FOLDER "/sys/class/powercap/intel-rapl:0"

enum { THERMAL_ZONES_MAX = 64, HWMON_MAX = 64, HWMON_SENSORS_MAX = 16 };
static const double FREQUENCY_AGE_MAX_NS = 50e6;

static int open_temperature(const char *root)
{
    static const char *const types[] = {"x86_pkg_temp", "cpu-thermal", "cpu_thermal",
                                        "soc_thermal"};
    char type[64];
    for (unsigned zone = 0; zone < THERMAL_ZONES_MAX; zone++) {
        if (!system_file_line(type, sizeof type, "%s/sys/class/thermal/thermal_zone%u/type", root,
                              zone))
            break;
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            if (strcmp(type, types[i]) == 0)
                return system_file_open("%s/sys/class/thermal/thermal_zone%u/temp", root, zone);
        }
    }
    return -1;
}

/* A sensor of the CPU that the kernel's hwmon has: Arm servers have no RAPL. -1: there is none. Of
 * several sockets the first. */
static int open_hwmon(const char *root, const char *const kinds[], const char *const labels[])
{
    char label[128];
    for (unsigned chip = 0; chip < HWMON_MAX; chip++) {
        const int folder = system_file_open("%s/sys/class/hwmon/hwmon%u", root, chip);
        if (folder < 0) /* numbers may have gaps */
            continue;
        system_file_close(folder);
        for (unsigned number = 1; number <= HWMON_SENSORS_MAX; number++) {
            for (size_t i = 0; labels[i] != NULL; i++) {
                if (!system_file_line(label, sizeof label, "%s/sys/class/hwmon/hwmon%u/%s%u_%s",
                                      root, chip, kinds[0], number, labels[i]) ||
                    (strstr(label, "CPU") == NULL && strstr(label, "Esocket") == NULL))
                    continue;
                for (size_t k = 1; kinds[k] != NULL; k++) {
                    const int file = system_file_open("%s/sys/class/hwmon/hwmon%u/%s%u_%s", root,
                                                      chip, kinds[0], number, kinds[k]);
                    if (file >= 0)
                        return file;
                }
            }
        }
    }
    return -1;
}

void sensors_open(struct sensors *sensors, const char *root, uint32_t cpu)
{
    static const char *const energy[] = {"energy", "input", NULL};
    static const char *const power[] = {"power", "average", "input", NULL};
    static const char *const labels[] = {"label", "oem_info", NULL};
    sensors->frequency_file = system_file_open("%s" CPU_FOLDER "/cpu%u/cpufreq/scaling_cur_freq",
                                               root, cpu);
    sensors->core_throttle_file = system_file_open(
        "%s" CPU_FOLDER "/cpu%u/thermal_throttle/core_throttle_count", root, cpu);
    sensors->package_throttle_file = system_file_open(
        "%s" CPU_FOLDER "/cpu%u/thermal_throttle/package_throttle_count", root, cpu);
    sensors->temperature_file = open_temperature(root);
    sensors->energy_file = system_file_open("%s" RAPL_FOLDER "/energy_uj", root);
    if (sensors->energy_file < 0)
        sensors->energy_file = open_hwmon(root, energy, labels);
    sensors->power_file = open_hwmon(root, power, labels);
    const int range_file = system_file_open("%s" RAPL_FOLDER "/max_energy_range_uj", root);
    system_file_number(range_file, &sensors->energy_range_uj);
    system_file_close(range_file);
    system_file_number(sensors->energy_file, &sensors->energy_uj);
    sensors->frequency_read_at_ns = -INFINITY;
    sensors_throttle_counts(sensors, sensors->throttle_counts);
}

void sensors_close(struct sensors *sensors)
{
    system_file_close(sensors->frequency_file);
    system_file_close(sensors->core_throttle_file);
    system_file_close(sensors->package_throttle_file);
    system_file_close(sensors->temperature_file);
    system_file_close(sensors->energy_file);
    system_file_close(sensors->power_file);
}

double sensors_frequency_hz(struct sensors *sensors, double now_ns)
{
    double khz = 0.0;
    if (now_ns - sensors->frequency_read_at_ns < FREQUENCY_AGE_MAX_NS)
        return sensors->frequency_hz;
    sensors->frequency_hz = system_file_number(sensors->frequency_file, &khz) ? khz * 1e3 : 0.0;
    sensors->frequency_read_at_ns = now_ns;
    return sensors->frequency_hz;
}

void sensors_throttle_counts(const struct sensors *sensors, double ret[2])
{
    ret[0] = 0.0;
    ret[1] = 0.0;
    system_file_number(sensors->core_throttle_file, &ret[0]);
    system_file_number(sensors->package_throttle_file, &ret[1]);
}

uint64_t sensors_throttled(const double before[2], const double after[2])
{
    return (after[0] > before[0] ? THROTTLE_CORE : 0u) |
           (after[1] > before[1] ? THROTTLE_PACKAGE : 0u);
}

/* The counter wraps at its range: what it went up by since the last reading is added up. */
static double energy_joules(struct sensors *sensors)
{
    double now_uj = 0.0;
    if (!system_file_number(sensors->energy_file, &now_uj))
        return (double)NAN;
    double used_uj = now_uj - sensors->energy_uj;
    if (used_uj < 0.0)
        used_uj += sensors->energy_range_uj;
    sensors->energy_uj = now_uj;
    sensors->energy_joules += used_uj * 1e-6;
    return sensors->energy_joules;
}

static double read_scaled(int file, double factor)
{
    double value = 0.0;
    return system_file_number(file, &value) ? value * factor : (double)NAN;
}

void sensors_telemetry(struct sensors *sensors, double now_ns, struct gb_telemetry *telemetry)
{
    static const char *const words[] = {"", "core too hot", "package too hot",
                                        "core and package too hot"};
    double counts[2];
    const double frequency_hz = sensors_frequency_hz(sensors, now_ns);
    sensors_throttle_counts(sensors, counts);
    telemetry->clock_hz = frequency_hz > 0.0 ? frequency_hz : (double)NAN;
    telemetry->memory_clock_hz = (double)NAN;
    telemetry->temperature_celsius = read_scaled(sensors->temperature_file, 1e-3);
    telemetry->power_watts = read_scaled(sensors->power_file, 1e-6);
    telemetry->energy_joules = energy_joules(sensors);
    telemetry->throttle = sensors_throttled(sensors->throttle_counts, counts);
    memcpy(sensors->throttle_counts, counts, sizeof counts);
    snprintf(telemetry->throttle_text, sizeof telemetry->throttle_text, "%s",
             words[telemetry->throttle]);
}
