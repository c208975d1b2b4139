/* google.cc - a file written for Google Benchmark, with all that gbrun's benchmark.h serves and
 * what it refuses. Each function counts what happens to it, so that the tests need no clock: what
 * it counts is in its counters. */
#include <benchmark/benchmark.h>
#include <stdexcept>

static void loop(benchmark::State &state)
{
    int64_t setups = 0, turns = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(turns++);
        benchmark::ClobberMemory();
    }
    setups++;
    state.counters["setups"] = static_cast<double>(setups);
    state.counters["left"] = static_cast<double>(turns - state.iterations());
    state.counters["every"] = benchmark::Counter(2 * static_cast<double>(turns),
                                                 benchmark::Counter::kAvgIterations);
    state.counters["rate"] = benchmark::Counter(3 * static_cast<double>(turns),
                                                benchmark::Counter::kIsRate);
    state.counters["invariant"] = benchmark::Counter(
        5, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kAvgThreads);
    state.counters["inverse"] = benchmark::Counter(4, benchmark::Counter::kInvert);
    state.SetBytesProcessed(state.iterations() * 7);
    state.SetItemsProcessed(state.iterations() * 11);
    state.SetComplexityN(13);
    state.SetLabel("a label");
}
BENCHMARK(loop)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(0.001)
    ->MinWarmUpTime(0.0001)
    ->Repetitions(2)
    ->UseRealTime();

static void keep_running(benchmark::State &state)
{
    while (state.KeepRunning())
        state.counters["turns"] += 1;
    state.counters["turns"] -= static_cast<double>(state.iterations());
}
BENCHMARK(keep_running)->Complexity(benchmark::oN)->MeasureProcessCPUTime();

static void batches(benchmark::State &state)
{
    double turns = 0;
    while (state.KeepRunningBatch(10))
        turns++;
    state.counters["batch"] = static_cast<double>(state.iterations()) / turns;
    state.counters["of_one"] = benchmark::Counter(10 * turns, benchmark::Counter::kAvgIterations);
}
BENCHMARK(batches)->Name("KeepRunning.Batch");

/* Each turn finds what its pause has made, and a turn is a sample. */
static void pausing(benchmark::State &state)
{
    int made = 0, used = 0;
    for (auto _ : state) {
        state.PauseTiming();
        if (made != used)
            state.SkipWithError("a pause was left out");
        made++;
        state.ResumeTiming();
        used++;
    }
    state.counters["pauses"] = benchmark::Counter(made, benchmark::Counter::kAvgIterations);
}
BENCHMARK(pausing);
static void scoped(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::ScopedPauseTiming pause(state);
}
BENCHMARK(scoped);
static void pauses_twice(benchmark::State &state)
{
    for (auto _ : state)
        for (int i = 0; i < 2; i++) {
            state.PauseTiming();
            state.ResumeTiming();
        }
}
BENCHMARK(pauses_twice);
static void pauses_at_times(benchmark::State &state)
{
    int turns = 0;
    for (auto _ : state)
        if (turns++ == 3) {
            state.PauseTiming();
            state.ResumeTiming();
        }
}
BENCHMARK(pauses_at_times);
static void pauses_at_first(benchmark::State &state)
{
    int turns = 0;
    for (auto _ : state)
        if (turns++ == 0) {
            state.PauseTiming();
            state.ResumeTiming();
        }
}
BENCHMARK(pauses_at_first);

static void manual(benchmark::State &state)
{
    for (auto _ : state)
        state.SetIterationTime(5e-6);
}
BENCHMARK(manual)->UseManualTime()->Iterations(1);

static void args(benchmark::State &state)
{
    for (auto _ : state)
        ;
    state.counters["sum"] = static_cast<double>(state.range(0) + 1000 * state.range(1));
}
BENCHMARK(args)->ArgNames({"N", ""})->Args({1, 2})->Args({3, 4})->ArgsProduct({{5, 6}, {7}});
static void range(benchmark::State &state)
{
    for (auto _ : state)
        ;
    state.counters["value"] = static_cast<double>(state.range());
}
BENCHMARK(range)->Arg(-1)->RangeMultiplier(4)->Range(2, 40)->DenseRange(50, 54, 2)->Ranges({{-3,
                                                                                             3}});
static void more(benchmark::internal::Benchmark *family)
{
    family->Arg(21)->Arg(22)->ArgName("x");
}
template <class Text> static void more(Text); /* a name that is overloaded */
static const auto registered = benchmark::RegisterBenchmark("registered", range) -> Apply(more);

static void sized(benchmark::State &state, const std::string &text)
{
    for (auto _ : state)
        ;
    state.counters["size"] = static_cast<double>(text.size());
}
static std::string common = "given";
static const auto given = benchmark::RegisterBenchmark("given", sized, std::move(common));
static const auto given_again = benchmark::RegisterBenchmark("given_again", sized, common);

template <class T, int n> static void templated(benchmark::State &state)
{
    for (auto _ : state)
        ;
    state.counters["bytes"] = static_cast<double>(sizeof(T) * n);
}
BENCHMARK_TEMPLATE(templated, char, 3);
BENCHMARK_TEMPLATE2(templated, int16_t, 3);
static void captured(benchmark::State &state, int a, const char *text)
{
    for (auto _ : state)
        ;
    state.counters["a"] = a;
    state.SetLabel(text);
}
BENCHMARK_CAPTURE(captured, five, 5, "said");

struct data : benchmark::Fixture {
    void SetUp(benchmark::State &state) override
    {
        values.assign(static_cast<size_t>(state.range(0)), 1);
    }
    void TearDown(benchmark::State &state) BENCHMARK_OVERRIDE
    {
        state.counters["torn"] = 1;
    }
    std::vector<int> values;
};
BENCHMARK_DEFINE_F(data, size)(benchmark::State &state)
{
    for (auto _ : state)
        ;
    state.counters["size"] = static_cast<double>(values.size());
}
BENCHMARK_REGISTER_F(data, size)->Arg(17);
template <class T> struct empty : benchmark::Fixture {
    T value = 19;
};
BENCHMARK_TEMPLATE_F(empty, of_int, int)(benchmark::State &state)
{
    for (auto _ : state)
        ;
    state.counters["value"] = value;
}
struct bare : benchmark::Fixture {
};
BENCHMARK_F(bare, fixture)(benchmark::State &state)
{
    for (auto _ : state)
        ;
}

static void skips(benchmark::State &state)
{
    if (state.range(0) == 0)
        state.SkipWithMessage("not on this machine");
    if (state.range(0) == 1)
        state.SkipWithError("an error before");
    int64_t turns = 0;
    for (auto _ : state) {
        if (state.range(0) == 2 && ++turns > 3) {
            state.SkipWithError("an error inside");
            break;
        }
        if (state.range(0) == 3)
            throw std::runtime_error("thrown");
        if (state.range(0) == 4 && ++turns > 3)
            return;
    }
    if (state.range(0) == 5)
        benchmark::DoNotOptimize(turns += state.max_iterations);
}
BENCHMARK(skips)->DenseRange(0, 5);
static void no_loop(benchmark::State &)
{
}
BENCHMARK(no_loop);
BENCHMARK(loop)->Name("threads")->ThreadRange(2, 4);

BENCHMARK_MAIN();
