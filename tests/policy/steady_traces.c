/*
 * steady_traces.c - what the policy built from the sources beside it says about traces made without
 * a library for mathematics, to the last bit; tests/cli/test_steady_builds.sh compares builds.
 */
#include "plugins/policy_steady/steady.c"

#include <stdio.h>
#include <stdlib.h>

enum { TRACES = 60, TRACE = 20000 };

static void *allocate(const struct gb_host *host, uint64_t bytes)
{
    (void)host;
    return calloc(1, (size_t)bytes);
}

static void metric(const struct gb_host *host, const char *name, double value, const char *unit)
{
    (void)host;
    printf(" %s %a%s", name, value, unit);
}

/* In [0, 1). */
static double unit(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* A coarse one is dithered. */
static double tick_of(unsigned number)
{
    return number % 8 == 7 ? 2048.0 : number % 4 == 3 ? 256.0 : 0.0;
}

/* About 100 us: a sum of twelve uniform numbers, drifting, with a second mode, on a timer's tick.
 */
static void make_trace(unsigned number, double *times, double *elapsed)
{
    uint64_t state = number + 1;
    double drift = 0.0;
    double wall = 0.0;
    for (unsigned i = 0; i < TRACE; i++) {
        double normal = -6.0;
        for (unsigned j = 0; j < 12; j++)
            normal += unit(&state);
        drift = drift * 0.9 + normal;
        const double mode = number % 3 == 1 && unit(&state) < 0.4 ? 1.12 : 1.0;
        const double x = number % 2 == 0 ? drift : normal;
        times[i] = 1e5 * mode * (1.0 + 0.004 * (1.0 + number % 5) * x);
        if (tick_of(number) > 0.0)
            times[i] = tick_of(number) * (double)(int64_t)(times[i] / tick_of(number));
        wall += times[i] + 2e4;
        elapsed[i] = wall;
    }
}

/* The only symbol of a module. */
const struct gb_module *gb_module_v1(void);

static void run(const struct gb_policy_ops *ops, unsigned number, const double *times,
                const double *elapsed)
{
    static const double precisions[] = {0.01, 0.002, 0.0005};
    const struct params params = {
        {precisions[number % 3], 0.95, 256, 1e8, 150, 2.5e8, 16, 1.25, 0.25, 0.02, 6, ""}, 0.03};
    const struct gb_host host = {.size = sizeof host, .allocate = allocate, .metric = metric};
    void *policy = NULL;
    if (ops->create(&host, &params, &policy) != GB_OK)
        return;
    struct gb_next next = {.size = sizeof next};
    ops->next(policy, &next);
    uint64_t n = 0;
    while (next.decision == GB_MORE && n < TRACE) {
        uint64_t end = n + 1;
        while (end < TRACE && (end < next.n_samples || elapsed[end - 1] < next.elapsed_ns))
            end++;
        const struct gb_samples samples = {.size = sizeof samples,
                                           .traits = number % 8 == 7 ? GB_SAMPLES_DITHERED : 0,
                                           .n = end - n,
                                           .time_ns = times + n,
                                           .elapsed_ns = elapsed + n,
                                           .tick_ns = tick_of(number)};
        ops->observe(policy, &samples);
        n = end;
        next = (struct gb_next){.size = sizeof next};
        ops->next(policy, &next);
    }
    struct gb_estimate estimate = {.size = sizeof estimate};
    ops->report(policy, &estimate);
    printf(" %llu %d %s %s %a %a %a %a %llu", (unsigned long long)n, estimate.verdict, next.reason,
           estimate.statistic, estimate.value_ns, estimate.low_ns, estimate.high_ns,
           estimate.n_effective, (unsigned long long)estimate.n_discarded);
    for (uint32_t i = 0; i < estimate.n_modes && estimate.n_modes > 1; i++)
        printf(" (%a %a %a %a)", estimate.modes[i].median_ns, estimate.modes[i].low_ns,
               estimate.modes[i].high_ns, estimate.modes[i].weight);
    printf("\n");
    ops->destroy(policy);
    free(policy);
}

int main(void)
{
    static double times[TRACE];
    static double elapsed[TRACE];
    const struct gb_policy_ops *ops = gb_module_v1()->plugins[0]->ops;
    for (unsigned number = 0; number < TRACES; number++) {
        make_trace(number, times, elapsed);
        printf("%u:", number);
        run(ops, number, times, elapsed);
    }
    return 0;
}
