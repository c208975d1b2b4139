/* test_processor.c - processors, hypervisors, sensors of machines whose files are written here. */
#include "plugins/common/system/system_file.h"
#include "plugins/device_cpu/cpu_device.h"
#include "plugins/device_cpu/cpu_list.h"
#include "tests/plugins/files.h"

static char root[256];

static void setup(void)
{
    snprintf(root, sizeof root, "%s", fresh_folder("root"));
}

static void write_file(const char *path, const char *text)
{
    char full[1024];
    snprintf(full, sizeof full, "%s%s", root, path);
    write_text(full, text);
}

TEST_FIXTURE(setup, NULL)

#define VENDOR "/sys/class/dmi/id/sys_vendor"
#define PRODUCT "/sys/class/dmi/id/product_name"
#define DEVICE_TREE "/sys/firmware/devicetree/base"

#define CPU(implementer, part) "CPU implementer\t: " implementer "\nCPU part\t: " part "\n"

static const struct machine {
    const char *cpuinfo;
    const char *path, *text, *other_path, *other_text;
    const char *name, *hypervisor;
} machines[] = {
    {"model name\t: Some  Processor   9000 \nflags\t\t: fpu hypervisor avx\n",
     .name = "Some Processor 9000", .hypervisor = "yes"},
    {"model name\t: Some Processor\nflags\t\t: fpu avx\n", .name = "Some Processor"},
    {CPU("0x41", "0xd4f"), .name = "Neoverse-V2"},
    {CPU("0x41", "0xd4f"), "/sys/devices/soc0/soc_id", "jep106:036b:0241\n", VENDOR, "Supermicro\n",
     "Neoverse-V2 (NVIDIA Grace)", NULL},
    {CPU("0x41", "0xd40"), VENDOR, "Amazon EC2\n", PRODUCT, "c7g.large\n",
     "Neoverse-V1 (AWS Graviton3)", "KVM"},
    {CPU("0x41", "0xd4f"), VENDOR, "Amazon EC2\n", PRODUCT, "m8g.metal-24xl\n",
     "Neoverse-V2 (AWS Graviton4)", NULL},
    {CPU("0x41", "0xd0c"), "/sys/devices/soc0/soc_id", "jep106:0a16:0001\n", NULL, NULL,
     "Neoverse-N1 (Ampere Altra)", NULL},
    {CPU("0xc0", "0xac3"), VENDOR, "QEMU\n", PRODUCT, "KVM Virtual Machine\n", "AmpereOne", "KVM"},
    {"processor\t: 0\n" CPU("0x61", "0x022") "processor\t: 1\n" CPU(
         "0x61", "0x022") "processor\t: 2\n" CPU("0x61", "0x023"),
     DEVICE_TREE "/model", "Apple Mac mini (M1, 2020)", NULL, NULL,
     "Apple M1 Icestorm + Apple M1 Firestorm (Apple Mac mini (M1, 2020))", NULL},
    {CPU("0x7f", "0x00a"), DEVICE_TREE "/compatible", "linux,dummy-virt", NULL, NULL,
     "implementer 0x7f part 0x00a", "yes"},
    {CPU("0x41", "0xd08"), "/sys/hypervisor/type", "xen\n", NULL, NULL, "Cortex-A72", "Xen"},
    {"", .name = ""},
    {"uarch\t: rocket\n", DEVICE_TREE "/model", "a board", PRODUCT, "Virtual Machine\n", "",
     "Hyper-V"},
};

TEST_EACH(machines_are_known_by_their_files, machines)
{
    const struct machine *machine = &machines[_i];
    const char *const hypervisor = machine->hypervisor ? machine->hypervisor : "";
    char text[128] = "before";
    if (*machine->cpuinfo != '\0')
        write_file("/proc/cpuinfo", machine->cpuinfo);
    if (machine->path)
        write_file(machine->path, machine->text);
    if (machine->other_path)
        write_file(machine->other_path, machine->other_text);
    ck_assert(processor_name(root, text, sizeof text) == (*machine->name != '\0'));
    ck_assert_str_eq(text, machine->name);
    ck_assert(processor_hypervisor(root, text, sizeof text) == (*hypervisor != '\0'));
    ck_assert_str_eq(text, hypervisor);
    ck_assert(processor_name(root, text, 8) == (*machine->name != '\0'));
    ck_assert_uint_lt(strlen(text), 8);
}

#define HWMON "/sys/class/hwmon"

/* As NVIDIA Grace has them, and a driver that counts energy. */
TEST(power_and_energy_come_from_hwmon)
{
    struct sensors sensors = {0};
    struct gb_telemetry telemetry = {.size = sizeof telemetry};
    write_file(HWMON "/hwmon0/temp1_input", "42000\n");
    write_file(HWMON "/hwmon1/power1_oem_info", "Module Power Socket 0\n");
    write_file(HWMON "/hwmon1/power1_average", "300000000\n");
    write_file(HWMON "/hwmon2/power1_oem_info", "CPU Power Socket 0\n");
    write_file(HWMON "/hwmon2/power1_average", "81500000\n");
    write_file(HWMON "/hwmon3/energy1_label", "Ecore000\n");
    write_file(HWMON "/hwmon3/energy1_input", "7\n");
    write_file(HWMON "/hwmon3/energy2_label", "Esocket0\n");
    write_file(HWMON "/hwmon3/energy2_input", "1000000\n");
    sensors_open(&sensors, root, 0);
    write_file(HWMON "/hwmon3/energy2_input", "3500000\n");
    sensors_telemetry(&sensors, 0.0, &telemetry);
    ck_assert_double_eq(telemetry.power_watts, 81.5);
    ck_assert_double_eq(telemetry.energy_joules, 2.5);
    sensors_close(&sensors);
}

#define CPU3 "/sys/devices/system/cpu/cpu3"
#define ZONE "/sys/class/thermal/thermal_zone"
#define RAPL "/sys/class/powercap/intel-rapl:0"

/* RAPL, whose counter wraps at its range, comes before hwmon. */
TEST(telemetry_is_in_its_units)
{
    struct sensors sensors = {0};
    struct gb_telemetry telemetry = {.size = sizeof telemetry};
    write_file(CPU3 "/cpufreq/scaling_cur_freq", "2400000\n"); /* kHz */
    write_file(CPU3 "/thermal_throttle/core_throttle_count", "7\n");
    write_file(CPU3 "/thermal_throttle/package_throttle_count", "3\n");
    write_file(ZONE "0/type", "acpitz\n");
    write_file(ZONE "1/type", "x86_pkg_temp\n");
    write_file(ZONE "1/temp", "61500\n");
    write_file(RAPL "/energy_uj", "900000000\n");
    write_file(RAPL "/max_energy_range_uj", "1000000000\n");
    write_file(HWMON "/hwmon0/energy1_label", "Esocket0\n");
    write_file(HWMON "/hwmon0/energy1_input", "5\n");
    sensors_open(&sensors, root, 3);
    write_file(RAPL "/energy_uj", "950000000\n");
    sensors_telemetry(&sensors, 0.0, &telemetry);
    ck_assert_double_eq(telemetry.clock_hz, 2.4e9);
    ck_assert_double_eq_tol(telemetry.temperature_celsius, 61.5, 1e-9);
    ck_assert_double_eq_tol(telemetry.energy_joules, 50, 1e-6);
    ck_assert(isnan(telemetry.power_watts));
    ck_assert_uint_eq(telemetry.throttle, 0);
    ck_assert_str_eq(telemetry.throttle_text, "");
    write_file(RAPL "/energy_uj", "20000000\n"); /* 70 J more */
    write_file(CPU3 "/thermal_throttle/package_throttle_count", "4\n");
    sensors_telemetry(&sensors, 0.0, &telemetry);
    ck_assert_double_eq_tol(telemetry.energy_joules, 120, 1e-6);
    ck_assert_uint_eq(telemetry.throttle, THROTTLE_PACKAGE);
    ck_assert_str_eq(telemetry.throttle_text, "package too hot");
    sensors_telemetry(&sensors, 0.0, &telemetry);
    ck_assert_uint_eq(telemetry.throttle, 0); /* since the last reading */
    sensors_close(&sensors);
}

TEST_TIMES(positions_count_from_the_first_cpu, 6)
{
    static const char *const lists[][3] = {
        {"0-7", "0-3", "0-3"}, {"4-7", "4,6", "0,2"}, {"0-3,8-11", "2,8-9", "2,4-5"},
        {"1,3", "3", "1"},     {"5", "0-7", "0"},     {"64-127", "0,64,100", "0,36"},
    };
    char text[64];
    struct cpu_list list;
    struct cpu_list others;
    ck_assert(cpu_list_read(lists[_i][0], &list, text, sizeof text));
    ck_assert(cpu_list_read(lists[_i][1], &others, text, sizeof text));
    const struct cpu_list positions = cpu_list_positions(&list, &others);
    cpu_list_write(&positions, text, sizeof text);
    ck_assert_str_eq(text, lists[_i][2]);
}

/* --- where threads run --- */

/* Two packages of two cores with two threads each; siblings are four apart, as on many machines. */
static void write_topology(void)
{
    for (int cpu = 0; cpu < 8; cpu++) {
        char path[128], text[16];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
        snprintf(text, sizeof text, "%d\n", cpu % 2);
        write_file(path, text);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 cpu);
        snprintf(text, sizeof text, "%d\n", cpu % 4 / 2);
        write_file(path, text);
    }
}

static const struct {
    const char *pin, *allowed;
    int has_topology;
    const char *order;
} pins[] = {
    {"compact", "0-7", 1, "0 4 1 5 2 6 3 7 "},
    {"scatter", "0-7", 1, "0 2 1 3 4 6 5 7 "},
    {"compact", "1,3,5-7", 1, "1 5 6 3 7 "},
    {"scatter", "1,3,5-7", 1, "1 6 3 5 7 "},
    {"3,1-2", "0-7", 1, "1 2 3 "},
    {"compact", "0-3", 0, "0 1 2 3 "}, /* the system does not say where they are */
    {"scatter", "0-3", 0, "0 1 2 3 "},
};

TEST_EACH(threads_are_placed_by_the_topology, pins)
{
    char error[256], got[64] = "";
    int kind = -1;
    struct cpu_list list = {{0}}, allowed;
    uint32_t cpus[PIN_MAX];
    if (pins[_i].has_topology)
        write_topology();
    ck_assert(cpu_list_read(pins[_i].allowed, &allowed, error, sizeof error));
    ck_assert(pin_read(pins[_i].pin, &kind, &list, error, sizeof error));
    const uint32_t n = pin_order(root, kind == PIN_LIST ? &list : &allowed, kind, cpus);
    for (uint32_t i = 0; i < n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%u ", cpus[i]);
    ck_assert_str_eq(got, pins[_i].order);
}

TEST(other_pins_and_nodes_are_refused)
{
    char error[256];
    int kind;
    struct cpu_list list;
    ck_assert(!pin_read("dense", &kind, &list, error, sizeof error));
    ck_assert_str_eq(error, "'dense': expected none, compact, scatter or CPUs such as 0-3,8");
    ck_assert(!pin_read("1-", &kind, &list, error, sizeof error));
    ck_assert(!node_cpus(root, 0, &list, error, sizeof error));
    ck_assert_str_eq(error, "this system shows no nodes in /sys/devices/system/node");
    write_file("/sys/devices/system/node/online", "0-1\n");
    write_file("/sys/devices/system/node/node1/cpulist", "4-7\n");
    ck_assert(node_cpus(root, 1, &list, error, sizeof error));
    ck_assert_uint_eq(cpu_list_first(&list), 4);
    ck_assert_uint_eq(cpu_list_count(&list), 4);
    ck_assert(!node_cpus(root, 2, &list, error, sizeof error));
    ck_assert_str_eq(error, "unknown node: expected one of 0-1");
}

/* ---- the quota ---- */

#define V2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup rw,nsdelegate\n"
#define V1(root)                                                                                   \
    "33 31 0:30 " root " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define OTHER_V1 "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
#define HYBRID "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define CGROUP "/sys/fs/cgroup"
#define CPU_V1 CGROUP "/cpu,cpuacct"
#define DEEP                                                                                       \
    "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0123456789abcdef0123456789ab"  \
    "cdef.slice/cri-containerd-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
    const char *mounts, *cgroup;
    struct {
        const char *path, *text;
    } files[4];
    double quota;
    const char *file;
} quotas[] = {
    {"", "", {{0}}, 0, ""},
    {V2, "0::/\n", {{CGROUP "/cpu.max", "max 100000\n"}}, 0, ""},
    {V2, "0::/\n", {{CGROUP "/cpu.max", "250000 100000\n"}}, 2.5, CGROUP "/cpu.max"},
    /* of its own group, of one above it, of both, of one beside */
    {V2, "0::/a/b\n", {{CGROUP "/a/b/cpu.max", "50000 100000\n"}}, 0.5, CGROUP "/a/b/cpu.max"},
    {V2,
     "0::/a/b\n",
     {{CGROUP "/a/cpu.max", "150000 50000\n"}, {CGROUP "/a/b/cpu.max", "max 100000\n"}},
     3,
     CGROUP "/a/cpu.max"},
    {V2,
     "0::/a/b\n",
     {{CGROUP "/a/cpu.max", "100000 100000\n"}, {CGROUP "/a/b/cpu.max", "400000 100000\n"}},
     1,
     CGROUP "/a/cpu.max"},
    {V2, "0::/a\n", {{CGROUP "/b/cpu.max", "100000 100000\n"}}, 0, ""},
    {V2, "0::" DEEP "\n", {{CGROUP DEEP "/cpu.max", "1000 2000\n"}}, 0.5, CGROUP DEEP "/cpu.max"},
    /* a namespace whose root is below the process */
    {V2, "0::/../x\n", {{CGROUP "/cpu.max", "100000 100000\n"}}, 1, CGROUP "/cpu.max"},
    {V1("/") OTHER_V1,
     "7:cpuset:/set\n4:cpu,cpuacct:/job\n",
     {{CPU_V1 "/job/cpu.cfs_quota_us", "150000\n"},
      {CPU_V1 "/job/cpu.cfs_period_us", "100000\n"},
      {CPU_V1 "/cpu.cfs_quota_us", "-1\n"}},
     1.5,
     CPU_V1 "/job/cpu.cfs_quota_us"},
    /* a container that sees its own part */
    {V1("/docker/1"),
     "4:cpuacct,cpu:/docker/1\n0::/docker/1\n",
     {{CPU_V1 "/cpu.cfs_quota_us", "200000\n"}, {CPU_V1 "/cpu.cfs_period_us", "100000\n"}},
     2,
     CPU_V1 "/cpu.cfs_quota_us"},
    {V1("/docker/1"),
     "4:cpu,cpuacct:/docker/12\n",
     {{CPU_V1 "/2/cpu.cfs_quota_us", "200000\n"}, {CPU_V1 "/2/cpu.cfs_period_us", "100000\n"}},
     0,
     ""},
    /* what mountinfo writes as octal numbers: a backslash of systemd's */
    {V1("/vm.slice/vm\\134x2d1.scope"),
     "4:cpu,cpuacct:/vm.slice/vm\\x2d1.scope/in\n",
     {{CPU_V1 "/in/cpu.cfs_quota_us", "200000\n"}, {CPU_V1 "/in/cpu.cfs_period_us", "100000\n"}},
     2,
     CPU_V1 "/in/cpu.cfs_quota_us"},
    /* both: the tighter */
    {HYBRID V1("/"),
     "4:cpu,cpuacct:/\n0::/u\n",
     {{CPU_V1 "/cpu.cfs_quota_us", "200000\n"},
      {CPU_V1 "/cpu.cfs_period_us", "100000\n"},
      {CGROUP "/unified/u/cpu.max", "10000 100000\n"}},
     0.1,
     CGROUP "/unified/u/cpu.max"},
};

TEST_EACH(the_tightest_quota_on_the_way_up_holds, quotas)
{
    char file[1024] = "before";
    write_file("/proc/self/mountinfo", quotas[_i].mounts);
    write_file("/proc/self/cgroup", quotas[_i].cgroup);
    for (size_t i = 0; i < 4 && quotas[_i].files[i].path; i++)
        write_file(quotas[_i].files[i].path, quotas[_i].files[i].text);
    ck_assert_double_eq_tol(processor_quota(root, file, sizeof file), quotas[_i].quota, 1e-12);
    ck_assert_str_eq(file, quotas[_i].file);
}
