// google.cc - the loops of loop_module.c under Google Benchmark.
#include "tests/bench/step.h"

#include <benchmark/benchmark.h>

static void empty(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::ClobberMemory();
}
BENCHMARK(empty);

static void one_step(benchmark::State &state)
{
    uint64_t x = 1;
    for (auto _ : state) {
        x = step(x);
        benchmark::DoNotOptimize(x);
    }
}
BENCHMARK(one_step)->Name("step");

BENCHMARK_MAIN();
