/*
 * benchmark.h - files written for Google Benchmark, compiled as they are and timed by gbrun: put
 * the folder above this one on the include path (pkg-config --cflags gbrun-benchmark). What is
 * served, and what it means here: docs/library.md.
 *
 *   c++ -O2 -fPIC -shared sort.cc -o sort.so      a module: a family is a plugin, its arguments are
 *                                                 options, and `gbrun run` measures it
 *   c++ -O2 sort.cc -o sort $(pkg-config --libs gbrun-benchmark)
 *                                                 a program, with BENCHMARK_MAIN in it or with
 *                                                 benchmark_main.cc: libgbrun measures it
 *
 * A benchmark's loop is entered once a visit, and its samples are parts of it: what stands before
 * and after the loop is not timed. C++11; GCC and Clang on x86-64 and AArch64.
 */
#ifndef GBRUN_GOOGLE_BENCHMARK_H
#define GBRUN_GOOGLE_BENCHMARK_H

#include <gbrun/gbrun.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace benchmark
{

typedef int64_t IterationCount;
typedef int64_t ComplexityN;
enum TimeUnit { kNanosecond, kMicrosecond, kMillisecond, kSecond };
enum BigO { oNone, o1, oN, oNSquared, oNCubed, oLogN, oNLogN, oAuto, oLambda };
typedef double BigOFunc(IterationCount);
enum StatisticUnit { kTime, kPercentage };
typedef double StatisticsFunc(const std::vector<double> &);

/* A number beside the time. It is computed when the loop has ended, of all its iterations. */
class Counter
{
  public:
    enum Flags {
        kDefaults = 0,
        kIsRate = 1,     /* divided by the time */
        kAvgThreads = 2, /* by the number of threads, which is one */
        kAvgThreadsRate = kIsRate | kAvgThreads,
        kIsIterationInvariant = 4, /* multiplied by the number of iterations */
        kIsIterationInvariantRate = kIsRate | kIsIterationInvariant,
        kAvgIterations = 8, /* divided by it */
        kAvgIterationsRate = kIsRate | kAvgIterations,
        kInvert = 1 << 31
    };
    enum OneK { kIs1000 = 1000, kIs1024 = 1024 };

    double value;
    Flags flags;
    OneK oneK;

    /* NOLINTNEXTLINE(google-explicit-constructor): `counters["n"] = 5` is what files say */
    Counter(double v = 0, Flags f = kDefaults, OneK k = kIs1000) : value(v), flags(f), oneK(k)
    {
    }
    operator const double &() const
    {
        return value;
    }
    operator double &()
    {
        return value;
    }
};
inline Counter::Flags operator|(Counter::Flags a, Counter::Flags b)
{
    return static_cast<Counter::Flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
typedef std::map<std::string, Counter> UserCounters;

class State;
typedef std::function<void(const State &)> callback_function;

namespace internal
{

typedef void Function(State &);

/* Who decides how many turns of its loop a benchmark makes, and when. */
class Loop
{
  public:
    virtual ~Loop()
    {
    }
    virtual int64_t next() = 0; /* so many turns follow; 0: none */
    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual void took(double seconds) = 0;
};

/* State::max_iterations: a loop of gbrun has no last turn that could be known before. */
struct Turns {
    int64_t n;
    mutable bool is_used;
    operator int64_t() const
    {
        is_used = true;
        return n;
    }
};

#pragma GCC visibility push(hidden)
class Running;
class Plugins;
class Program;
#pragma GCC visibility pop

} // namespace internal

class State
{
    struct __attribute__((unused)) Value {
    };

  public:
    class StateIterator
    {
      public:
        typedef std::forward_iterator_tag iterator_category;
        typedef Value value_type, reference, pointer;
        typedef std::ptrdiff_t difference_type;

        StateIterator(State *state, int64_t left) : state_(state), left_(left)
        {
        }
        Value operator*() const
        {
            return Value();
        }
        StateIterator &operator++()
        {
            --left_;
            return *this;
        }
        bool operator!=(const StateIterator &)
        {
            if (__builtin_expect(left_ != 0, 1))
                return true;
            left_ = state_->more(1);
            return left_ != 0;
        }

      private:
        State *state_;
        int64_t left_;
    };

    internal::Turns max_iterations;
    UserCounters counters;

    State(const State &) = delete;
    State &operator=(const State &) = delete;

    StateIterator begin()
    {
        return StateIterator(this, 0);
    }
    StateIterator end()
    {
        return StateIterator(this, 0);
    }
    bool KeepRunning()
    {
        return KeepRunningBatch(1);
    }
    /* A turn of the loop is n iterations: gbrun's iteration is the turn. */
    bool KeepRunningBatch(IterationCount n)
    {
        if (__builtin_expect(left_ == 0, 0))
            left_ = more(n);
        if (left_ == 0)
            return false;
        --left_;
        return true;
    }

    void PauseTiming()
    {
        loop_->pause();
    }
    void ResumeTiming()
    {
        loop_->resume();
    }
    void SetIterationTime(double seconds)
    {
        loop_->took(seconds);
    }

    void SkipWithError(const std::string &text)
    {
        skip(GB_FAILED, text);
    }
    void SkipWithMessage(const std::string &text)
    {
        skip(GB_SKIPPED, text);
    }
    bool skipped() const
    {
        return status_ != GB_OK;
    }
    bool error_occurred() const
    {
        return status_ == GB_FAILED;
    }

    void SetBytesProcessed(int64_t n)
    {
        bytes_ = n;
    }
    int64_t bytes_processed() const
    {
        return bytes_;
    }
    void SetItemsProcessed(int64_t n)
    {
        items_ = n;
    }
    int64_t items_processed() const
    {
        return items_;
    }
    void SetComplexityN(ComplexityN n)
    {
        complexity_n_ = n;
    }
    ComplexityN complexity_length_n() const
    {
        return complexity_n_;
    }
    void SetLabel(const std::string &label)
    {
        label_ = label;
    }

    int64_t range(size_t i = 0) const
    {
        return args_.at(i);
    }
    size_t range_size() const
    {
        return args_.size();
    }
    int threads() const
    {
        return 1;
    }
    int thread_index() const
    {
        return 0;
    }
    std::string name() const
    {
        return name_;
    }
    IterationCount iterations() const
    {
        return (done_ + given_ - left_) * batch_;
    }

  private:
    friend class internal::Running;

    State(const std::string &name, const std::vector<int64_t> &args, internal::Loop *loop)
        : max_iterations{1, false}, name_(name), args_(args), loop_(loop)
    {
    }
    __attribute__((noinline)) int64_t more(int64_t batch)
    {
        done_ += given_;
        batch_ = batch;
        given_ = 0;
        if (status_ == GB_OK)
            given_ = loop_->next();
        return given_;
    }
    void skip(int32_t status, const std::string &text)
    {
        if (status_ != GB_OK)
            return;
        status_ = status;
        why_ = text;
    }

    std::string name_;
    std::vector<int64_t> args_;
    internal::Loop *loop_;
    int64_t done_ = 0, given_ = 0, left_ = 0; /* turns */
    int64_t batch_ = 1;                       /* iterations of a turn */
    int64_t bytes_ = 0, items_ = 0, complexity_n_ = 0;
    int32_t status_ = GB_OK;
    std::string why_, label_;
};

/* Of what Google Benchmark says of the machine: files choose numbers of threads by it. */
struct CPUInfo {
    int num_cpus;
    static const CPUInfo &Get()
    {
        static const CPUInfo info = {static_cast<int>(std::thread::hardware_concurrency())};
        return info;
    }
};

/* Between its constructor and destructor nothing is timed. */
class ScopedPauseTiming
{
  public:
    explicit ScopedPauseTiming(State &state) : state_(state)
    {
        state_.PauseTiming();
    }
    ~ScopedPauseTiming()
    {
        state_.ResumeTiming();
    }
    ScopedPauseTiming(const ScopedPauseTiming &) = delete;
    ScopedPauseTiming &operator=(const ScopedPauseTiming &) = delete;

  private:
    State &state_;
};

/* What the compiler must compute, and memory that it must take as read and written. */
template <class T> inline __attribute__((always_inline)) void DoNotOptimize(const T &value)
{
    GB_KEEP(value);
}
#ifdef __clang__
template <class T> inline __attribute__((always_inline)) void DoNotOptimize(T &value)
{
    __asm__ volatile("" : "+r,m"(value) : : "memory");
}
#else
template <class T>
inline __attribute__((always_inline))
typename std::enable_if<std::is_trivially_copyable<T>::value && sizeof(T) <= sizeof(T *)>::type
DoNotOptimize(T &value)
{
    __asm__ volatile("" : "+m,r"(value) : : "memory");
}
template <class T>
inline __attribute__((always_inline))
typename std::enable_if<!std::is_trivially_copyable<T>::value || (sizeof(T) > sizeof(T *))>::type
DoNotOptimize(T &value)
{
    __asm__ volatile("" : "+m"(value) : : "memory");
}
#endif
inline __attribute__((always_inline)) void ClobberMemory()
{
    GB_CLOBBER();
}

/* low, the powers of the multiplier between them, high; negative ones in the mirror. */
inline std::vector<int64_t> CreateRange(int64_t low, int64_t high, int multiplier)
{
    std::vector<int64_t> negative, all;
    if (low > high || multiplier < 2)
        throw std::invalid_argument("a range ends before it begins, or has no multiplier");
    const double factor = multiplier;
    for (double power = 1; low < 0 && power < -static_cast<double>(low); power *= factor)
        if (-power < static_cast<double>(high))
            negative.push_back(-static_cast<int64_t>(power));
    all.push_back(low);
    all.insert(all.end(), negative.rbegin(), negative.rend());
    if (low < 0 && high > 0)
        all.push_back(0);
    for (double power = 1; power < static_cast<double>(high); power *= factor)
        if (power > static_cast<double>(low))
            all.push_back(static_cast<int64_t>(power));
    if (high != low)
        all.push_back(high);
    return all;
}
inline std::vector<int64_t> CreateDenseRange(int64_t low, int64_t high, int step)
{
    std::vector<int64_t> all;
    if (low > high || step < 1)
        throw std::invalid_argument("a range ends before it begins, or has no step");
    for (; low <= high; low += step)
        all.push_back(low);
    return all;
}

namespace internal
{

/* A family: what is run, and with which arguments. Each function returns this. */
class Benchmark
{
  public:
    explicit Benchmark(const std::string &name) : name_(name)
    {
    }
    virtual ~Benchmark()
    {
    }
    Benchmark(const Benchmark &) = delete;
    Benchmark &operator=(const Benchmark &) = delete;
    virtual void Run(State &state) = 0;

    Benchmark *Name(const std::string &name)
    {
        name_ = name;
        return this;
    }
    Benchmark *Arg(int64_t value)
    {
        return Args({value});
    }
    Benchmark *Args(const std::vector<int64_t> &args)
    {
        if (!args_.empty() && args_[0].size() != args.size())
            throw std::invalid_argument(name_ + ": arguments of different numbers");
        args_.push_back(args);
        return this;
    }
    Benchmark *ArgPair(int64_t x, int64_t y)
    {
        return Args({x, y});
    }
    Benchmark *Range(int64_t low, int64_t high)
    {
        return ArgsProduct({CreateRange(low, high, multiplier_)});
    }
    Benchmark *DenseRange(int64_t low, int64_t high, int step = 1)
    {
        return ArgsProduct({CreateDenseRange(low, high, step)});
    }
    Benchmark *Ranges(const std::vector<std::pair<int64_t, int64_t>> &ranges)
    {
        std::vector<std::vector<int64_t>> lists;
        for (const std::pair<int64_t, int64_t> &range : ranges)
            lists.push_back(CreateRange(range.first, range.second, multiplier_));
        return ArgsProduct(lists);
    }
    Benchmark *RangePair(int64_t low_x, int64_t high_x, int64_t low_y, int64_t high_y)
    {
        return Ranges({{low_x, high_x}, {low_y, high_y}});
    }
    /* Each of the first list with each of the second and so on; the last one moves fastest. */
    Benchmark *ArgsProduct(const std::vector<std::vector<int64_t>> &lists)
    {
        size_t n = 1;
        for (const std::vector<int64_t> &list : lists)
            n *= list.size();
        for (size_t i = 0; i < n; i++) {
            std::vector<int64_t> args(lists.size());
            for (size_t k = lists.size(), rest = i; k-- > 0; rest /= lists[k].size())
                args[k] = lists[k][rest % lists[k].size()];
            Args(args);
        }
        return this;
    }
    Benchmark *ArgName(const std::string &name)
    {
        return ArgNames({name});
    }
    Benchmark *ArgNames(const std::vector<std::string> &names)
    {
        arg_names_ = names;
        return this;
    }
    Benchmark *RangeMultiplier(int multiplier)
    {
        multiplier_ = multiplier;
        return this;
    }
    /* Of a function, which may be one of an overloaded name or of a template; of anything else. */
    Benchmark *Apply(void (*function)(Benchmark *))
    {
        function(this);
        return this;
    }
    template <class F> Benchmark *Apply(F &&function)
    {
        function(this);
        return this;
    }
    Benchmark *Setup(callback_function function)
    {
        setup_ = std::move(function);
        return this;
    }
    Benchmark *Teardown(callback_function function)
    {
        teardown_ = std::move(function);
        return this;
    }

    Benchmark *Unit(TimeUnit unit)
    {
        unit_ = unit;
        return this;
    }
    TimeUnit GetTimeUnit() const
    {
        return unit_;
    }
    Benchmark *Iterations(IterationCount n)
    {
        iterations_ = n;
        return this;
    }
    Benchmark *MinTime(double seconds)
    {
        min_time_ = seconds;
        return this;
    }
    Benchmark *MinWarmUpTime(double seconds)
    {
        warmup_ = seconds;
        return this;
    }
    Benchmark *Repetitions(int n)
    {
        repetitions_ = n;
        return this;
    }
    Benchmark *UseRealTime() /* gbrun has no other time of a CPU */
    {
        return this;
    }
    Benchmark *UseManualTime()
    {
        is_manual_ = true;
        return this;
    }
    Benchmark *Threads(int n)
    {
        if (n == 1)
            is_single_ = true;
        else
            is_threaded_ = true;
        return this;
    }
    Benchmark *ThreadRange(int low, int high)
    {
        return each_threads(CreateRange(low, high, 2));
    }
    Benchmark *DenseThreadRange(int low, int high, int step = 1)
    {
        return each_threads(CreateDenseRange(low, high, step));
    }
    Benchmark *ThreadPerCpu()
    {
        return Threads(0);
    }

    /* What is a matter of Google Benchmark's report, of which this one is no copy. */
    Benchmark *ReportAggregatesOnly(bool = true)
    {
        return this;
    }
    Benchmark *DisplayAggregatesOnly(bool = true)
    {
        return this;
    }
    Benchmark *MeasureProcessCPUTime()
    {
        return without("MeasureProcessCPUTime: wall time is measured");
    }
    Benchmark *ComputeStatistics(const std::string &name, StatisticsFunc *, StatisticUnit = kTime)
    {
        return without("ComputeStatistics: \"" + name + "\" is not computed");
    }
    template <class F = BigO> Benchmark *Complexity(F = F())
    {
        return without("Complexity: no curve is fitted to the times");
    }

  private:
    friend class Running;
    friend class Plugins;
    friend class Program;

    Benchmark *each_threads(const std::vector<int64_t> &numbers)
    {
        for (int64_t n : numbers)
            Threads(static_cast<int>(n));
        return this;
    }
    Benchmark *without(const std::string &text)
    {
        notes_.push_back(text);
        return this;
    }

    std::string name_;
    std::vector<std::vector<int64_t>> args_;
    std::vector<std::string> arg_names_;
    std::vector<std::string> notes_; /* what is not served of what the file asks for */
    callback_function setup_, teardown_;
    int multiplier_ = 8;
    TimeUnit unit_ = kNanosecond;
    bool is_manual_ = false;
    bool is_single_ = false, is_threaded_ = false; /* it asks for one thread, for several */
    int64_t iterations_ = 0;
    int repetitions_ = 0;
    double min_time_ = 0, warmup_ = 0;
};

class FunctionBenchmark : public Benchmark
{
  public:
    FunctionBenchmark(const std::string &name, std::function<void(State &)> function)
        : Benchmark(name), function_(std::move(function))
    {
    }
    void Run(State &state) override
    {
        function_(state);
    }

  private:
    std::function<void(State &)> function_;
};

/* Of a module its own: two of them in one process must not share it. */
#pragma GCC visibility push(hidden)
inline std::vector<std::unique_ptr<Benchmark>> &families()
{
    static std::vector<std::unique_ptr<Benchmark>> all;
    return all;
}
inline Benchmark *RegisterBenchmarkInternal(Benchmark *benchmark)
{
    families().emplace_back(benchmark);
    return benchmark;
}
#pragma GCC visibility pop

} // namespace internal

using internal::Benchmark;

/* The base of a class of data, which BENCHMARK_F and the others give a function. */
class Fixture : public internal::Benchmark
{
  public:
    Fixture() : internal::Benchmark("")
    {
    }
    void Run(State &state) override
    {
        SetUp(state);
        BenchmarkCase(state);
        TearDown(state);
    }
    virtual void SetUp(const State &)
    {
    }
    virtual void TearDown(const State &)
    {
    }
    virtual void SetUp(State &state)
    {
        SetUp(static_cast<const State &>(state));
    }
    virtual void TearDown(State &state)
    {
        TearDown(static_cast<const State &>(state));
    }

  protected:
    virtual void BenchmarkCase(State &) = 0;
};

/* The arguments are copied, as there: files go on with what they gave by std::move. */
template <class F, class... Arguments>
internal::Benchmark *RegisterBenchmark(const std::string &name, F &&function, Arguments &&...a)
{
    return internal::RegisterBenchmarkInternal(new internal::FunctionBenchmark(
        name, std::bind(std::forward<F>(function), std::placeholders::_1, a...)));
}
inline void ClearRegisteredBenchmarks()
{
    internal::families().clear();
}

} // namespace benchmark

#include <benchmark/gbrun_macros.hpp>
#include <benchmark/gbrun_running.hpp>

#include <benchmark/gbrun_plugins.hpp>

#include <benchmark/gbrun_program.hpp>

#endif
