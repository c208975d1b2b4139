// google.cc - under Google Benchmark, what gbrun measures beside it: the loops of loop_module.c,
// and the examples sort_ten and push, with fresh inputs by a pause in each iteration and by a copy,
// which is timed, and with own times by SetIterationTime, of which the mean is kept. Prints a name
// and nanoseconds a line, with a tab between; of repetitions the median.
#include "tests/bench/peer_work.h"
#include "tests/bench/step.h"

#include <benchmark/benchmark.h>
#include <cstdio>

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

static void sort(benchmark::State &state, bool is_paused)
{
    const auto pool = random_tens(1 << 16);
    std::size_t i = 0;
    for (auto _ : state) {
        if (is_paused)
            state.PauseTiming();
        ten array = pool[i++ % pool.size()];
        benchmark::DoNotOptimize(array);
        if (is_paused)
            state.ResumeTiming();
        sort_ten(array);
        benchmark::DoNotOptimize(array);
    }
}
BENCHMARK_CAPTURE(sort, paused, true)->Name("sort of ten\tGoogle Benchmark, paused");
BENCHMARK_CAPTURE(sort, copied, false)->Name("sort of ten\tGoogle Benchmark, with a copy");

static void push(benchmark::State &state)
{
    growing array;
    for (auto _ : state)
        state.SetIterationTime(array.timed_push(1));
}
BENCHMARK(push)->UseManualTime()->Name("push\tGoogle Benchmark, mean");

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
            if (run.repetitions <= 1 || run.aggregate_name == "median")
                std::printf("%s\t%.4f\n", run.run_name.function_name.c_str(),
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
