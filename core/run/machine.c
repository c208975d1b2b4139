/* machine.c - see machine.h. */
#include "core/run/machine.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "plugins/common/system/system_file.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FACTS_MAX = 32, FINDINGS_MAX = 16, LINE_BYTES = 512 };

/* Of the first line of a file that begins with `name` and one or more of the separators, what
 * follows them, up to a character of `ends`; NULL if there is none. In the arena.
 */
static const char *find_in(struct arena *arena, const char *path, const char *name,
                           const char *separators, const char *ends)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "re");
    const char *found = NULL;
    const size_t length = strlen(name);
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = line + length;
        if (strncmp(line, name, length) != 0 || (*separators && !strchr(separators, *value)))
            continue;
        value += strspn(value, separators);
        found = arena_text_n(arena, value, strcspn(value, ends));
    }
    if (file)
        fclose(file);
    return found;
}

static const char *first_line(struct arena *arena, const char *path)
{
    return find_in(arena, path, "", "", "\n");
}

/* The value of "name<blanks>: value" in a file such as /proc/cpuinfo; NULL. */
static const char *field_of(struct arena *arena, const char *path, const char *name)
{
    return find_in(arena, path, name, " \t:", "\n");
}

/* The first line of /proc/stat, in ticks: "cpu  user nice system idle iowait irq softirq steal";
 * guests are part of user. Zeros: it cannot be read. */
enum { STAT_IDLE = 3, STAT_IOWAIT = 4, STAT_STEAL = 7, STAT_FIELDS = 8 };
static void read_stat(double ret[STAT_FIELDS])
{
    char line[LINE_BYTES];
    system_file_line(line, sizeof line, "/proc/stat");
    char *at = text_starts_with(line, "cpu ") ? line + strlen("cpu ") : NULL;
    for (int field = 0; field < STAT_FIELDS; field++)
        ret[field] = at ? strtod(at, &at) : 0;
}

struct governors {
    const char *usual; /* of CPU 0; NULL: none */
    int n, n_slow;     /* CPUs that have one, that have another than performance */
};

static struct governors read_governors(struct arena *arena)
{
    struct governors governors = {0};
    long n = sysconf(_SC_NPROCESSORS_CONF);
    for (long i = 0; i < n; i++) {
        const char *governor = first_line(arena,
                                          arena_printf(arena,
                                                       "/sys/devices/system/cpu/cpu%ld/cpufreq/"
                                                       "scaling_governor",
                                                       i));
        if (!governor)
            continue;
        if (!governors.usual)
            governors.usual = governor;
        governors.n++;
        governors.n_slow += !text_equal(governor, "performance");
    }
    return governors;
}

struct facts {
    struct arena *arena;
    struct fact *items;
    size_t n;
};

static void add_fact(struct facts *facts, const char *name, const char *value)
{
    if (value && *value && facts->n < FACTS_MAX)
        facts->items[facts->n++] = (struct fact){name,
                                                 make_plain_line(arena_text(facts->arena, value))};
}

void machine_facts(struct arena *arena, struct fact **ret, size_t *ret_n)
{
    struct facts facts = {arena, ARENA_ARRAY(arena, struct fact, FACTS_MAX), 0};
    struct utsname names;
    if (uname(&names) == 0) {
        add_fact(&facts, "host", names.nodename);
        add_fact(&facts, "kernel",
                 arena_printf(arena, "%s %s %s", names.sysname, names.release, names.version));
        add_fact(&facts, "architecture", names.machine);
    }
    add_fact(&facts, "os", find_in(arena, "/etc/os-release", "PRETTY_NAME", "=\"", "\"\n"));
    add_fact(&facts, "machine_id", first_line(arena, "/etc/machine-id"));
    char text[LINE_BYTES];
    if (processor_name("", text, sizeof text))
        add_fact(&facts, "cpu", text);
    add_fact(&facts, "microcode", field_of(arena, "/proc/cpuinfo", "microcode"));
    add_fact(&facts, "cpus", arena_printf(arena, "%ld", sysconf(_SC_NPROCESSORS_ONLN)));
    const double quota = processor_quota("", text, sizeof text);
    add_fact(&facts, "cpu_quota", quota > 0 ? arena_printf(arena, "%g", quota) : NULL);
    add_fact(
        &facts, "memory_bytes",
        arena_printf(arena, "%lld", (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)));
    add_fact(&facts, "governor", read_governors(arena).usual);
    add_fact(&facts, "boost", first_line(arena, "/sys/devices/system/cpu/cpufreq/boost"));
    add_fact(&facts, "no_turbo",
             first_line(arena, "/sys/devices/system/cpu/intel_pstate/no_turbo"));
    add_fact(&facts, "smt", first_line(arena, "/sys/devices/system/cpu/smt/control"));
    bool is_virtual = processor_hypervisor("", text, sizeof text);
    add_fact(&facts, "virtual", is_virtual ? "yes" : "no");
    add_fact(&facts, "hypervisor", is_virtual && !text_equal(text, "yes") ? text : NULL);
    add_fact(&facts, "clocksource",
             first_line(arena, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    add_fact(&facts, "load_average", first_line(arena, "/proc/loadavg"));
    add_fact(&facts, "transparent_hugepages",
             first_line(arena, "/sys/kernel/mm/transparent_hugepage/enabled"));
    *ret = facts.items;
    *ret_n = facts.n;
}

struct findings {
    struct arena *arena;
    struct finding *items;
    size_t n;
};

static void find(struct findings *findings, const char *subject, const char *state, bool is_noisy,
                 const char *why, const char *fix)
{
    if (findings->n < FINDINGS_MAX)
        findings->items[findings->n++] = (struct finding){
            subject, make_plain_line(arena_text(findings->arena, state)), is_noisy,
            is_noisy ? why : "", is_noisy ? fix : ""};
}

static void examine_governor(struct findings *findings)
{
    struct governors governors = read_governors(findings->arena);
    if (!governors.usual) {
        find(findings, "frequency governor", FINDING_UNSEEN, false, "", "");
        return;
    }
    const char *state = arena_printf(findings->arena, "%s; %d of %d CPUs not on performance",
                                     governors.usual, governors.n_slow, governors.n);
    find(findings, "frequency governor", state, governors.n_slow > 0,
         "the clock rate follows the load, so the first samples are slower",
         "sudo cpupower frequency-set --governor performance");
}

static void examine_turbo(struct findings *findings)
{
    static const struct {
        const char *path, *off, *fix;
    } switches[] = {{"/sys/devices/system/cpu/intel_pstate/no_turbo", "1",
                     "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"},
                    {"/sys/devices/system/cpu/cpufreq/boost", "0",
                     "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"}};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        const char *state = first_line(findings->arena, switches[i].path);
        bool is_off = state && text_equal(state, switches[i].off);
        if (state) {
            find(findings, "turbo", is_off ? "off" : "on", !is_off,
                 "the clock depends on heat and on the other cores", switches[i].fix);
            return;
        }
    }
    find(findings, "turbo", FINDING_UNSEEN, false, "", "");
}

static void examine_smt(struct findings *findings)
{
    const char *active = first_line(findings->arena, "/sys/devices/system/cpu/smt/active");
    if (!active)
        return;
    find(findings, "simultaneous multithreading", text_equal(active, "1") ? "on" : "off",
         text_equal(active, "1"),
         "two threads share a core: results depend on what the other one does",
         "echo off | sudo tee /sys/devices/system/cpu/smt/control");
}

struct load {
    double average; /* over a minute; NaN: not known */
    long n_running; /* now, without this process */
    long n_cpus;
    bool is_high;
};

/* The average lags behind, and what runs just now may be gone the next moment: of that more is
 * needed. */
static struct load read_load(struct arena *arena)
{
    struct load load = {.average = NAN, .n_cpus = sysconf(_SC_NPROCESSORS_ONLN)};
    const char *line = first_line(arena, "/proc/loadavg");
    char *at = NULL;
    if (!line)
        return load;
    load.average = strtod(line, &at);
    strtod(at, &at);
    strtod(at, &at);
    load.n_running = strtol(at, NULL, 10) - 1;
    load.is_high = load.average > 0.2 * (double)load.n_cpus ||
                   (load.n_running > 1 && 2 * load.n_running > load.n_cpus);
    return load;
}

const char *machine_load(struct arena *arena)
{
    const struct load load = read_load(arena);
    if (!load.is_high)
        return NULL;
    return arena_printf(arena, "load %.2f, %ld processes running on %ld CPUs", load.average,
                        load.n_running, load.n_cpus);
}

bool machine_load_is_ignored(void)
{
    const char *value = getenv("GBRUN_IGNORE_LOAD");
    return value && *value;
}

static void examine_quota(struct findings *findings)
{
    char file[PATH_MAX];
    const double quota = processor_quota("", file, sizeof file);
    const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const bool is_v1 = strstr(file, "cfs_quota_us") != NULL;
    find(findings, "CPU quota",
         quota > 0 ? arena_printf(findings->arena, "%g of %ld CPUs, by %s", quota, n_cpus, file)
                   : "none",
         quota > 0 && quota < (double)n_cpus,
         "a process that has used up its quota waits for the next period, usually of 100 ms",
         arena_printf(findings->arena, "echo %s | sudo tee %s", is_v1 ? "-1" : "max", file));
}

static void examine_load(struct findings *findings)
{
    const struct load load = read_load(findings->arena);
    if (!isnan(load.average))
        find(findings, "load",
             arena_printf(findings->arena, "%.2f on %ld CPUs", load.average, load.n_cpus),
             load.is_high, "other programs take CPU time and cache",
             "ps -eo pcpu,pid,args --sort=-pcpu | head");
}

/* Time that the hypervisor gave to others, as a share of all time since the machine was started. */
static void examine_virtualization(struct findings *findings)
{
    char hypervisor[LINE_BYTES];
    double ticks[STAT_FIELDS];
    bool is_guest = processor_hypervisor("", hypervisor, sizeof hypervisor);
    double all = 0;
    read_stat(ticks);
    for (int field = 0; field < STAT_FIELDS; field++)
        all += ticks[field];
    double share = all > 0 ? ticks[STAT_STEAL] / all : 0;
    find(findings, "virtual machine",
         is_guest ? arena_printf(findings->arena, "%s; %.2f %% of its time was stolen", hypervisor,
                                 100 * share)
                  : "no",
         is_guest, "other guests share the caches, the memory and perhaps the cores", "");
}

static void examine_clock(struct findings *findings)
{
    const char *source = first_line(
        findings->arena, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!source)
        return;
    bool is_fast = text_equal(source, "tsc") || text_equal(source, "kvm-clock") ||
                   text_equal(source, "arch_sys_counter");
    find(findings, "clock source", source, !is_fast, "reading the clock is a system call",
         "sudo dmesg | grep -i clocksource");
}

static void examine_swap(struct findings *findings)
{
    const char *total = field_of(findings->arena, "/proc/meminfo", "SwapTotal");
    const char *unused = field_of(findings->arena, "/proc/meminfo", "SwapFree");
    if (!total || !unused)
        return;
    double used = strtod(total, NULL) - strtod(unused, NULL);
    char bytes[NUMBER_TEXT_MAX];
    find(findings, "swap in use", arena_text(findings->arena, format_bytes(used * 1024, bytes)),
         used > 0, "swapped memory may be read back during a sample",
         "sudo swapoff -a && sudo swapon -a");
}

static void examine_settings(struct findings *findings)
{
    const char *isolated = first_line(findings->arena, "/sys/devices/system/cpu/isolated");
    const char *layout = first_line(findings->arena, "/proc/sys/kernel/randomize_va_space");
    if (isolated)
        find(findings, "isolated CPUs", *isolated ? isolated : "none", false, "", "");
    if (layout)
        find(findings, "address space layout", text_equal(layout, "0") ? "fixed" : "random", false,
             "", "");
}

void machine_examine(struct arena *arena, struct finding **ret, size_t *ret_n)
{
    struct findings findings = {arena, ARENA_ARRAY(arena, struct finding, FINDINGS_MAX), 0};
    examine_load(&findings);
    examine_quota(&findings);
    examine_swap(&findings);
    examine_governor(&findings);
    examine_turbo(&findings);
    examine_clock(&findings);
    examine_smt(&findings);
    examine_virtualization(&findings);
    examine_settings(&findings);
    *ret = findings.items;
    *ret_n = findings.n;
}

/* ---- what the rest of the machine did while a case was sampled ---- */

/* Of all processors; times of /proc/stat come in ticks, of 10 ms mostly. */
static const double others_share = 0.1, others_least_ns = 50e6;
static const double waited_least_ns = 1e6, usual_precision = 0.01;

static double cpu_ns(int who, uint64_t *n_preempted)
{
    struct rusage usage = {0};
    getrusage(who, &usage);
    *n_preempted += (uint64_t)usage.ru_nivcsw;
    return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void read_all(struct interference *ret)
{
    const double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
    double ticks[STAT_FIELDS];
    read_stat(ticks);
    ret->stolen_ns = ticks[STAT_STEAL] * tick_ns;
    for (int field = 0; field < STAT_STEAL; field++)
        if (field != STAT_IDLE && field != STAT_IOWAIT)
            ret->all_cpu_ns += ticks[field] * tick_ns;
}

/* Of one process: "pid (name) state ppid ... utime stime", fields 14 and 15, in ticks. */
static double cpu_of_process_ns(long pid)
{
    enum { FIELDS_BETWEEN = 10 };
    char text[1024] = "";
    system_file_line(text, sizeof text, "/proc/%ld/stat", pid);
    char *at = strrchr(text, ')');
    if (!at || strlen(at) < 4)
        return 0;
    at += 3; /* behind the state */
    for (int i = 0; i < FIELDS_BETWEEN; i++)
        strtoll(at, &at, 10);
    const double user = strtod(at, &at);
    return (user + strtod(at, NULL)) * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* Of this run's other workers, which measure on other devices meanwhile. */
static double read_siblings(void)
{
    char path[64];
    long pid;
    double cpu_ns = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)getppid(), (long)getppid());
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%ld", &pid) == 1)
        if (pid != (long)getpid())
            cpu_ns += cpu_of_process_ns(pid);
    if (file)
        fclose(file);
    return cpu_ns;
}

double schedstat_waited_ns(const char *path)
{
    char text[96] = "", *end;
    system_file_line(text, sizeof text, "%s", path);
    strtod(text, &end);
    return strtod(end, NULL);
}

/* Of this process's threads, those that have ended left out. */
static double read_waited(void)
{
    double waited_ns = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        char path[64];
        if (*task->d_name == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", task->d_name);
        waited_ns += schedstat_waited_ns(path);
    }
    if (tasks)
        closedir(tasks);
    return waited_ns;
}

static void read_own(struct interference *ret)
{
    uint64_t of_children = 0;
    ret->siblings_cpu_ns = read_siblings();
    ret->waited_cpu_ns = read_waited();
    ret->own_cpu_ns = cpu_ns(RUSAGE_SELF, &ret->n_preempted) +
                      cpu_ns(RUSAGE_CHILDREN, &of_children);
}

/* All that is counted lies between the two times, however long this process waits meanwhile. */
void interference_begin(struct interference *ret)
{
    *ret = (struct interference){.at_ns = host_clock_ns()};
    read_own(ret);
    read_all(ret);
}

void interference_end(const struct interference *begin, struct interference_record *ret)
{
    struct interference end = {0};
    read_all(&end);
    read_own(&end);
    end.at_ns = host_clock_ns();
    *ret = (struct interference_record){
        .is_known = end.all_cpu_ns > 0,
        .sampled_ns = end.at_ns - begin->at_ns,
        .own_cpu_ns = end.own_cpu_ns - begin->own_cpu_ns,
        .waited_cpu_ns = fmax(0, end.waited_cpu_ns - begin->waited_cpu_ns),
        .stolen_ns = end.stolen_ns - begin->stolen_ns,
        .n_preempted = end.n_preempted - begin->n_preempted};
    const double siblings_ns = fmax(0, end.siblings_cpu_ns - begin->siblings_cpu_ns);
    ret->others_cpu_ns = fmax(0,
                              end.all_cpu_ns - begin->all_cpu_ns - ret->own_cpu_ns - siblings_ns);
}

static double precision_of(const struct case_record *record)
{
    const struct gb_estimate *estimate = &record->estimate;
    const double half = (estimate->high_ns - estimate->low_ns) / 2 / estimate->value_ns;
    return record->has_estimate && isfinite(half) && half > 0 ? half : usual_precision;
}

/* "0.57 %", "12 %", "100 %". */
static void add_percent(struct text *out, double share)
{
    text_printf(out, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
}

static void add_share(struct text *out, bool is_much, const char *who, double share,
                      const char *of_what)
{
    if (!is_much)
        return;
    text_printf(out, "%s%s ", out->length ? ", " : "", who);
    add_percent(out, share);
    text_add(out, of_what);
}

bool interference_on_device(const struct case_record *record, struct text *out)
{
    const uint32_t n = others_on_device(record);
    if (n > 0)
        text_printf(out, "the device was shared: %s",
                    n > 1 ? "other processes computed on it" : "another process computed on it");
    return n > 0;
}

bool interference_matters(const struct case_record *record, struct text *out)
{
    const struct interference_record *found = &record->interference;
    const double allowed = precision_of(record), waited_ns = found->waited_cpu_ns;
    if (!found->is_known || !text_equal(record->clock, "wall"))
        return false;
    static long n_cpus; /* asking opens a file */
    n_cpus = n_cpus > 0 ? n_cpus : sysconf(_SC_NPROCESSORS_ONLN);
    const double of_all_ns = found->sampled_ns * (double)n_cpus;
    const double others = found->others_cpu_ns / of_all_ns, stolen = found->stolen_ns / of_all_ns;
    const double waited = waited_ns / (waited_ns + found->own_cpu_ns);
    CLEANUP(text_free) struct text words = {0};
    add_share(&words, waited_ns > waited_least_ns && waited > allowed, "its threads waited", waited,
              " of their runnable time");
    add_share(&words,
              found->others_cpu_ns > others_least_ns && others > fmax(allowed, others_share),
              "other processes had", others, " of the processors");
    add_share(&words, found->stolen_ns > others_least_ns && stolen > allowed,
              "other guests of the host", stolen, "");
    if (words.length > 0) {
        text_printf(out, "the machine was busy: %s; the interval tolerates ", text_get(&words));
        add_percent(out, allowed);
    }
    return words.length > 0;
}
