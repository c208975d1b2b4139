/* system_file.c - see system_file.h. Plugin side. */
#define _GNU_SOURCE
#include "plugins/common/system/system_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, LINE_BYTES = 8192, TEXT_BYTES = 256 };

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    const size_t blanks = strspn(text, " \t");
    memmove(text, text + blanks, length - blanks + 1);
}

bool system_file_line(char *buffer, size_t bytes, const char *path_format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    buffer[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool got = fgets(buffer, (int)bytes, file) != NULL;
    fclose(file);
    trim(buffer);
    return got && buffer[0] != '\0';
}

bool system_file_value(const char *path, const char *key, char *buffer, size_t bytes)
{
    char line[LINE_BYTES];
    const size_t length = strlen(key);
    buffer[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (buffer[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = line + length + strspn(line + length, " \t");
        if (strncmp(line, key, length) != 0 || *colon != ':')
            continue;
        trim(line + (colon - line) + 1);
        snprintf(buffer, bytes, "%s", colon + 1);
    }
    fclose(file);
    return buffer[0] != '\0';
}

int system_file_open(const char *path_format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, path_format);
    vsnprintf(path, sizeof path, path_format, arguments);
    va_end(arguments);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool system_file_number(int file, double *ret)
{
    char text[64];
    if (file < 0)
        return false;
    const ssize_t n = pread(file, text, sizeof text - 1, 0);
    if (n <= 0)
        return false;
    text[n] = '\0';
    char *end = NULL;
    const long long value = strtoll(text, &end, 10);
    if (end == text)
        return false;
    *ret = (double)value;
    return true;
}

void system_file_close(int file)
{
    if (file >= 0)
        close(file);
}

/* --- the processor --- */

bool cpu_cache_read(const char *folder, uint32_t cpu, uint32_t index, struct cpu_cache *ret)
{
    static const char format[] = "%s/cpu%u/cache/index%u/%s";
    char text[TEXT_BYTES], *unit = "";
    *ret = (struct cpu_cache){.first_cpu = cpu};
    if (!system_file_line(text, sizeof text, format, folder, cpu, index, "level"))
        return false;
    ret->level = (uint32_t)strtoul(text, NULL, 10);
    if (system_file_line(text, sizeof text, format, folder, cpu, index, "type"))
        ret->kind = text[0] == 'D' ? 'd' : text[0] == 'I' ? 'i' : 0;
    if (system_file_line(text, sizeof text, format, folder, cpu, index, "size"))
        ret->bytes = strtoull(text, &unit, 10);
    ret->bytes <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
    if (system_file_line(text, sizeof text, format, folder, cpu, index, "shared_cpu_list"))
        ret->first_cpu = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

enum {
    ARM = 0x41,
    FUJITSU = 0x46,
    HISILICON = 0x48,
    NVIDIA = 0x4e,
    QUALCOMM = 0x51,
    APPLE = 0x61,
    MICROSOFT = 0x6d,
    AMPERE = 0xc0
};

/* Fields Implementer and PartNum of MIDR_EL1. */
static const struct part {
    uint32_t implementer, number;
    const char *name;
} parts[] = {
    {ARM, 0xd03, "Cortex-A53"},
    {ARM, 0xd05, "Cortex-A55"},
    {ARM, 0xd07, "Cortex-A57"},
    {ARM, 0xd08, "Cortex-A72"},
    {ARM, 0xd0b, "Cortex-A76"},
    {ARM, 0xd0c, "Neoverse-N1"},
    {ARM, 0xd40, "Neoverse-V1"},
    {ARM, 0xd41, "Cortex-A78"},
    {ARM, 0xd42, "Cortex-A78AE"},
    {ARM, 0xd44, "Cortex-X1"},
    {ARM, 0xd49, "Neoverse-N2"},
    {ARM, 0xd4a, "Neoverse-E1"},
    {ARM, 0xd4f, "Neoverse-V2"},
    {ARM, 0xd83, "Neoverse-V3AE"},
    {ARM, 0xd84, "Neoverse-V3"},
    {ARM, 0xd85, "Cortex-X925"},
    {ARM, 0xd87, "Cortex-A725"},
    {ARM, 0xd8e, "Neoverse-N3"},
    {FUJITSU, 0x001, "A64FX"},
    {HISILICON, 0xd01, "Kunpeng-920"},
    {NVIDIA, 0x004, "Carmel"},
    {QUALCOMM, 0x001, "Oryon"},
    {APPLE, 0x022, "Apple M1 Icestorm"},
    {APPLE, 0x023, "Apple M1 Firestorm"},
    {APPLE, 0x024, "Apple M1 Pro Icestorm"},
    {APPLE, 0x025, "Apple M1 Pro Firestorm"},
    {APPLE, 0x028, "Apple M1 Max Icestorm"},
    {APPLE, 0x029, "Apple M1 Max Firestorm"},
    {APPLE, 0x032, "Apple M2 Blizzard"},
    {APPLE, 0x033, "Apple M2 Avalanche"},
    {MICROSOFT, 0xd49, "Azure Cobalt 100"},
    {AMPERE, 0xac3, "AmpereOne"},
    {AMPERE, 0xac4, "AmpereOne AC04"},
};

/* What the same core is sold as, by a file that begins so: the SoC's identity from the firmware
 * (SMCCC, JEP-106 code of the maker), or the maker of the machine. */
static const struct product {
    uint32_t number; /* 0: any */
    const char *path, *begin, *name;
} products[] = {
    {0xd4f, "/sys/devices/soc0/soc_id", "jep106:036b:0241", "NVIDIA Grace"},
    {0xd4f, "/sys/class/dmi/id/sys_vendor", "NVIDIA", "NVIDIA Grace"},
    {0xd08, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "AWS Graviton"},
    {0xd0c, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "AWS Graviton2"},
    {0xd40, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "AWS Graviton3"},
    {0xd4f, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "AWS Graviton4"},
    {0xd0c, "/sys/devices/soc0/soc_id", "jep106:0a16", "Ampere Altra"},
    {0xd0c, "/sys/class/dmi/id/sys_vendor", "Ampere", "Ampere Altra"},
    {0, "/sys/firmware/devicetree/base/model", "", NULL}, /* as the file says */
};

/* A product or maker in the machine's tables (SMBIOS) or its device tree that is a hypervisor. */
static const struct sign {
    const char *path, *begin, *name;
} signs[] = {
    {"/sys/hypervisor/type", "xen", "Xen"},
    {"/sys/class/dmi/id/product_name", "KVM", "KVM"},
    {"/sys/class/dmi/id/product_name", "VMware", "VMware"},
    {"/sys/class/dmi/id/product_name", "VirtualBox", "VirtualBox"},
    {"/sys/class/dmi/id/product_name", "Virtual Machine", "Hyper-V"},
    {"/sys/class/dmi/id/product_name", "Google Compute Engine", "KVM"},
    {"/sys/class/dmi/id/product_name", "Apple Virtualization", "Apple Virtualization"},
    {"/sys/class/dmi/id/product_name", "BHYVE", "bhyve"},
    {"/sys/class/dmi/id/sys_vendor", "QEMU", "QEMU"},
    {"/sys/class/dmi/id/sys_vendor", "Xen", "Xen"},
    {"/sys/class/dmi/id/sys_vendor", "Parallels", "Parallels"},
    {"/sys/class/dmi/id/sys_vendor", "OpenStack", "KVM"},
    {"/sys/class/dmi/id/sys_vendor", "Alibaba Cloud", "KVM"},
    {"/sys/firmware/devicetree/base/hypervisor/compatible", "linux,kvm", "KVM"},
    {"/sys/firmware/devicetree/base/hypervisor/compatible", "xen,xen", "Xen"},
    {"/sys/firmware/devicetree/base/compatible", "linux,dummy-virt", "yes"},
};

static bool begins(const char *root, const char *path, const char *begin, char *line, size_t bytes)
{
    return system_file_line(line, bytes, "%s%s", root, path) &&
           strncmp(line, begin, strlen(begin)) == 0;
}

bool processor_hypervisor(const char *root, char *buffer, size_t bytes)
{
    char text[LINE_BYTES];
    const bool is_amazon =
        begins(root, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", text, sizeof text) &&
        system_file_line(text, sizeof text, "%s/sys/class/dmi/id/product_name", root) &&
        strstr(text, ".metal") == NULL;
    const char *name = is_amazon ? "KVM" : "";
    for (size_t i = 0; i < sizeof signs / sizeof signs[0] && *name == '\0'; i++)
        if (begins(root, signs[i].path, signs[i].begin, text, sizeof text))
            name = signs[i].name;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    if (*name == '\0' && system_file_value(path, "flags", text, sizeof text) &&
        strstr(text, " hypervisor") != NULL)
        name = "yes";
    snprintf(buffer, bytes, "%s", name);
    return *name != '\0';
}

/* Some processors pad their names with blanks. */
static void squeeze_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (!isspace((unsigned char)*from) || (to > text && to[-1] != ' '))
            *to++ = *from;
    }
    *to = '\0';
}

static const char *name_of_part(uint32_t implementer, uint32_t number)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].implementer == implementer && parts[i].number == number)
            return parts[i].name;
    return NULL;
}

/* The CPUs of /proc/cpuinfo in their order, each kind once: "Apple M1 Icestorm + Apple M1
 * Firestorm". */
static size_t parts_text(const char *root, char *buffer, size_t bytes, uint32_t *ret_number)
{
    char path[PATH_BYTES];
    char line[TEXT_BYTES];
    size_t used = 0;
    uint32_t implementer = 0;
    uint64_t seen = 0; /* implementer and number, as last written */
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && used < bytes && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (value == NULL)
            continue;
        const uint32_t number = (uint32_t)strtoul(value + 1, NULL, 0);
        if (strncmp(line, "CPU implementer", 15) == 0)
            implementer = number;
        const uint64_t part = (uint64_t)implementer << 32 | number;
        if (strncmp(line, "CPU part", 8) != 0 || part == seen)
            continue;
        const char *name = name_of_part(implementer, number);
        char numbers[64];
        snprintf(numbers, sizeof numbers, "implementer 0x%02x part 0x%03x", implementer, number);
        name = name != NULL ? name : numbers;
        if (strstr(buffer, name) == NULL)
            used += (size_t)snprintf(buffer + used, bytes - used, "%s%s", used > 0 ? " + " : "",
                                     name);
        seen = part;
        *ret_number = number;
    }
    if (file != NULL)
        fclose(file);
    return used;
}

bool processor_name(const char *root, char *buffer, size_t bytes)
{
    char text[TEXT_BYTES];
    char path[PATH_BYTES];
    uint32_t number = 0;
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    if (system_file_value(path, "model name", buffer, bytes)) {
        squeeze_blanks(buffer);
        return true;
    }
    buffer[0] = '\0';
    const size_t used = parts_text(root, buffer, bytes, &number);
    for (size_t i = 0; i < sizeof products / sizeof products[0] && used > 0 && used < bytes; i++) {
        const struct product *product = &products[i];
        if ((product->number == 0 || product->number == number) &&
            begins(root, product->path, product->begin, text, sizeof text)) {
            snprintf(buffer + used, bytes - used, " (%s)",
                     product->name != NULL ? product->name : text);
            break;
        }
    }
    return used > 0;
}

/* --- the quota --- */

/* A line of /proc/self/mountinfo: "id parent device root point options [tags] - type source
 * options"; and whether it is a hierarchy that limits processors. */
struct cgroup_mount {
    char root[PATH_BYTES], point[PATH_BYTES];
    bool is_v1;
};

/* Blanks and backslashes, which names of systemd's units have, are three octal digits there. */
static void read_octals(char *text)
{
    enum { DIGITS = 3 };
    char *to = text;
    for (const char *at = text; *at != '\0'; to++) {
        const bool is_octal = *at == '\\' && strspn(at + 1, "01234567") >= DIGITS;
        *to = *at;
        if (is_octal)
            *to = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
        at += is_octal ? 1 + DIGITS : 1;
    }
    *to = '\0';
}

static bool read_mount(const char *line, struct cgroup_mount *ret)
{
    char type[32], options[PATH_BYTES], among[PATH_BYTES + 2];
    const char *behind = strstr(line, " - ");
    if (behind == NULL || sscanf(line, "%*s %*s %*s %1023s %1023s", ret->root, ret->point) != 2 ||
        sscanf(behind, " - %31s %*s %1023s", type, options) != 2)
        return false;
    read_octals(ret->root);
    read_octals(ret->point);
    snprintf(among, sizeof among, ",%s,", options);
    ret->is_v1 = strcmp(type, "cgroup") == 0 && strstr(among, ",cpu,") != NULL;
    return ret->is_v1 || strcmp(type, "cgroup2") == 0;
}

/* Of a line "number:controllers:path": the path, if it is of that hierarchy; NULL. */
static const char *path_in(char *line, bool is_v1)
{
    char *controllers = strchr(line, ':');
    char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL)
        return NULL;
    *controllers = ',';
    *path++ = '\0';
    trim(path);
    char among[PATH_BYTES];
    snprintf(among, sizeof among, "%.200s,", controllers);
    return (is_v1 ? strstr(among, ",cpu,") != NULL : strcmp(among, ",,") == 0) ? path : NULL;
}

/* The folder of this process under the mount. Where the mount shows another part of the hierarchy,
 * that is its point. */
static void find_folder(const char *root, const struct cgroup_mount *mount, char *ret, size_t bytes)
{
    char line[LINE_BYTES];
    const char *path = NULL;
    const size_t above = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "re");
    while (file != NULL && path == NULL && fgets(line, sizeof line, file) != NULL)
        path = path_in(line, mount->is_v1);
    if (file != NULL)
        fclose(file);
    if (path == NULL || strncmp(path, mount->root, above) != 0 || strstr(path, "/..") != NULL ||
        (path[above] != '/' && path[above] != '\0'))
        path = "";
    else
        path += above;
    snprintf(ret, bytes, "%s%s", mount->point, strcmp(path, "/") == 0 ? "" : path);
}

/* In processors; 0: no limit. */
static double quota_of(const char *root, const char *folder, bool is_v1, char *file, size_t bytes)
{
    char line[TEXT_BYTES], period[TEXT_BYTES], *end;
    snprintf(file, bytes, "%s/%s", folder, is_v1 ? "cpu.cfs_quota_us" : "cpu.max");
    if (!system_file_line(line, sizeof line, "%s%s", root, file))
        return 0;
    const double quota_us = strtod(line, &end);
    if (is_v1 && system_file_line(period, sizeof period, "%s%s/cpu.cfs_period_us", root, folder))
        end = period;
    const double period_us = strtod(end, NULL);
    return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

double processor_quota(const char *root, char *file, size_t bytes)
{
    char line[LINE_BYTES], folder[2 * PATH_BYTES], here[2 * PATH_BYTES + 32];
    struct cgroup_mount mount;
    double least = 0;
    *file = '\0';
    snprintf(line, sizeof line, "%s/proc/self/mountinfo", root);
    FILE *mounts = fopen(line, "re");
    while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
        if (!read_mount(line, &mount))
            continue;
        find_folder(root, &mount, folder, sizeof folder);
        for (bool is_top = false; !is_top; *strrchr(folder, '/') = '\0') {
            is_top = strlen(folder) <= strlen(mount.point);
            const double quota = quota_of(root, folder, mount.is_v1, here, sizeof here);
            if (quota > 0 && (least == 0 || quota < least)) {
                least = quota;
                snprintf(file, bytes, "%s", here);
            }
        }
    }
    if (mounts != NULL)
        fclose(mounts);
    return least;
}
