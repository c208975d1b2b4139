/* events.c - see events.h. Plugin side. */
#include "events.h"

#include <linux/perf_event.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define HARDWARE(name, unit, what, is_common, help)                                                \
    {                                                                                              \
        name, unit, help, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what, 0, is_common                   \
    }
#define CACHE(name, level, result, help)                                                           \
    {                                                                                              \
        name, "", help, PERF_TYPE_HW_CACHE,                                                        \
            PERF_COUNT_HW_CACHE_##level | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 |             \
                (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16,                               \
            0, false                                                                               \
    }
#define SOFTWARE(name, unit, what, help)                                                           \
    {                                                                                              \
        name, unit, help, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what, 0, false                       \
    }

static const struct event everywhere[] = {
    HARDWARE("instructions", "", INSTRUCTIONS, true, "instructions retired"),
    HARDWARE("cycles", "", CPU_CYCLES, true, "cycles of the processors while they ran"),
    HARDWARE("cache-references", "", CACHE_REFERENCES, true, "accesses to the last-level cache"),
    HARDWARE("cache-misses", "", CACHE_MISSES, true, "accesses that it had to pass on"),
    HARDWARE("branch-misses", "", BRANCH_MISSES, true, "branches that were predicted wrongly"),
    HARDWARE("branches", "", BRANCH_INSTRUCTIONS, false, "branches retired"),
    HARDWARE("ref-cycles", "", REF_CPU_CYCLES, false, "cycles at a frequency that never changes"),
    CACHE("L1-dcache-loads", L1D, ACCESS, "loads from the first-level data cache"),
    CACHE("L1-dcache-load-misses", L1D, MISS, "loads that it had to pass on"),
    CACHE("LLC-loads", LL, ACCESS, "loads from the last-level cache"),
    CACHE("LLC-load-misses", LL, MISS, "loads that it had to pass on"),
    CACHE("dTLB-load-misses", DTLB, MISS, "loads whose page was not known to the processor"),
    SOFTWARE("page-faults", "", PAGE_FAULTS, "pages that the kernel had to provide"),
    SOFTWARE("task-clock", "ns", TASK_CLOCK, "processor time of all threads"),
};
enum { N_EVERYWHERE = sizeof everywhere / sizeof everywhere[0] };

/* FP_ARITH_INST_RETIRED, event C7h: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 3, performance-monitoring events. A fused multiply-add is counted twice. */
#define FP_ARITH(name, mask, flops, what)                                                          \
    {                                                                                              \
        "fp_arith_inst_retired." name, "", what " retired; a fused multiply-add counts twice",     \
            PERF_TYPE_RAW, 0xC7 | (uint64_t)(mask) << 8, flops, true                               \
    }

static const struct event intel[] = {
    FP_ARITH("scalar_double", 0x01, 1, "scalar instructions of double precision"),
    FP_ARITH("scalar_single", 0x02, 1, "scalar instructions of single precision"),
    FP_ARITH("128b_packed_double", 0x04, 2, "instructions on 2 values of double precision"),
    FP_ARITH("128b_packed_single", 0x08, 4, "instructions on 4 values of single precision"),
    FP_ARITH("256b_packed_double", 0x10, 4, "instructions on 4 values of double precision"),
    FP_ARITH("256b_packed_single", 0x20, 8, "instructions on 8 values of single precision"),
    FP_ARITH("512b_packed_double", 0x40, 8, "instructions on 8 values of double precision"),
    FP_ARITH("512b_packed_single", 0x80, 16, "instructions on 16 values of single precision"),
};
enum { N_INTEL = sizeof intel / sizeof intel[0], N_INTEL_256 = N_INTEL - 2 };

#if defined(__x86_64__) || defined(__i386__)

/* Models of family 6 from Broadwell on, without those that have cores of two sorts: only one sort
 * counts these. */
static bool is_known_model(uint32_t model)
{
    static const uint8_t models[] = {
        0x3D, 0x47, 0x4F, 0x56,                   /* Broadwell */
        0x4E, 0x5E, 0x55, 0x8E, 0x9E, 0xA5, 0xA6, /* Skylake to Comet Lake */
        0x6A, 0x6C, 0x7D, 0x7E, 0x8C, 0x8D, 0xA7, /* Ice, Tiger and Rocket Lake */
        0x8F, 0xCF, 0xAD, 0xAE,                   /* Sapphire, Emerald, Granite Rapids */
    };
    for (size_t i = 0; i < sizeof models; i++) {
        if (models[i] == model)
            return true;
    }
    return false;
}

static bool is_known_intel(void)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0, &a, &b, &c, &d) == 0 || b != signature_INTEL_ebx ||
        c != signature_INTEL_ecx || d != signature_INTEL_edx || __get_cpuid(1, &a, &b, &c, &d) == 0)
        return false;
    const unsigned family = a >> 8 & 0xF;
    const unsigned model = (a >> 4 & 0xF) | (a >> 12 & 0xF0);
    return family == 6 && is_known_model(model);
}

static size_t n_flop_events(void)
{
    return !is_known_intel() ? 0 : __builtin_cpu_supports("avx512f") ? N_INTEL : N_INTEL_256;
}

#else

static size_t n_flop_events(void)
{
    return 0;
}

#endif

const struct event *event_at(size_t i)
{
    if (i < N_EVERYWHERE)
        return &everywhere[i];
    return i - N_EVERYWHERE < n_flop_events() ? &intel[i - N_EVERYWHERE] : NULL;
}

const struct event *event_named(const char *name)
{
    const struct event *event = NULL;
    for (size_t i = 0; (event = event_at(i)) != NULL; i++) {
        if (strcmp(event->name, name) == 0)
            return event;
    }
    return NULL;
}
