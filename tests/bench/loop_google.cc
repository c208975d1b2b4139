// loop_google.cc - the same loops under Google Benchmark. Prints "NAME NANOSECONDS" a line.
#include "tests/bench/step.h"

#include <benchmark/benchmark.h>
#include <cstdio>

static void empty_loop(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::ClobberMemory();
}
BENCHMARK(empty_loop)->Name("empty");

static void step_loop(benchmark::State &state)
{
    uint64_t x = 1;
    for (auto _ : state) {
        x = step(x);
        benchmark::DoNotOptimize(x);
    }
}
BENCHMARK(step_loop)->Name("step");

// Only medians, in a form that a script reads.
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
            if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median")
                std::printf("%s %.4f\n", run.run_name.function_name.c_str(),
                            run.GetAdjustedRealTime());
    }
};

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    Lines lines;
    benchmark::RunSpecifiedBenchmarks(&lines);
    return 0;
}
