// peers_google.cc - the examples sort_ten and push under Google Benchmark: fresh inputs by a pause
// in each iteration and by a copy, which is timed; own times by SetIterationTime, of which the mean
// is kept. Prints "NAME NANOSECONDS" a line.
#include "tests/bench/peer_work.h"

#include <benchmark/benchmark.h>
#include <cstdio>

static void sort_paused(benchmark::State &state)
{
    const auto pool = random_tens(1 << 16);
    std::size_t i = 0;
    for (auto _ : state) {
        state.PauseTiming();
        ten array = pool[i++ % pool.size()];
        benchmark::DoNotOptimize(array);
        state.ResumeTiming();
        sort_ten(array);
        benchmark::DoNotOptimize(array);
    }
}
BENCHMARK(sort_paused);

static void sort_copied(benchmark::State &state)
{
    const auto pool = random_tens(1 << 16);
    std::size_t i = 0;
    for (auto _ : state) {
        ten array = pool[i++ % pool.size()];
        benchmark::DoNotOptimize(array);
        sort_ten(array);
        benchmark::DoNotOptimize(array);
    }
}
BENCHMARK(sort_copied);

static void push(benchmark::State &state)
{
    growing array;
    for (auto _ : state)
        state.SetIterationTime(array.timed_push(1));
}
BENCHMARK(push)->UseManualTime();

class Lines : public benchmark::BenchmarkReporter
{
  public:
    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs)
            std::printf("%s %.4f\n", run.run_name.function_name.c_str(), run.GetAdjustedRealTime());
    }
};

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    Lines lines;
    benchmark::RunSpecifiedBenchmarks(&lines);
    return 0;
}
