/*
 * bench.hpp - benchmarks in C++17, each a class or a lambda, over the interface of bench.h.
 *
 *   struct sum : gbrun::bench {
 *       gbrun::integer n{this, "n", "64Ki", "numbers to add", "1:2^28"};
 *       std::vector<double> values;
 *       double total = 0;
 *       void prepare() { random(values, n, -1, 1); }
 *       void run() { total = std::accumulate(values.begin(), values.end(), 0.0); }
 *   };
 *   GB_BENCHMARKS(list)
 *   {
 *       list.add<sum>("sum", "adds an array");
 *       list.add<sum>("reduce", "the same by std::reduce",
 *                     [](sum &a) { a.total = std::reduce(a.values.begin(), a.values.end()); });
 *   }
 *
 * Functions that a class may have are those of struct gb_bench_ops; all but run may be missing:
 *   void prepare()   void reset()   void verify()   void refresh(uint64_t set)   void collect()
 *   run(): one iteration; what it returns counts as used. Or, such as on a GPU,
 *   void run(uint64_t iterations), void run(const gb_queue &queue, uint64_t iterations)
 * A run that uses up its input takes the iterations, and reset prepares iterations() inputs.
 * The constructor only declares: it also runs where the benchmark is described, and options have
 * their values from prepare on. What is taken elsewhere than from the host the destructor frees.
 *
 * No exception leaves a function: the case fails with its text, after std::bad_alloc with "out of
 * memory", after gbrun::stop with its status.
 */
#ifndef GBRUN_BENCH_HPP
#define GBRUN_BENCH_HPP

#include <algorithm>
#include <cstring>
#include <exception>
#include <gbrun/gbrun.h>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace gbrun
{

/* Thrown to end a function with a status of abi.h; with GB_SKIPPED the text, a literal, is why. */
class stop : public std::exception
{
  public:
    explicit stop(int32_t status, const char *text = "stopped") noexcept
        : status_(status), text_(text)
    {
    }
    const char *what() const noexcept override
    {
        return text_;
    }
    int32_t status() const noexcept
    {
        return status_;
    }

  private:
    int32_t status_;
    const char *text_;
};

/* Throws unless the status, such as one that the host has returned, is GB_OK. */
inline void require(int32_t status)
{
    if (status != GB_OK)
        throw stop(status);
}

/* The constant of formats.h for a type of numbers. */
template <class T> constexpr uint32_t format_of()
{
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "gbrun has no format for this type");
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 8 ? GB_F64 : GB_F32;
    static_assert(sizeof(T) != 2, "gbrun has no format for integers of 16 bits");
    if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 8 ? GB_I64 : sizeof(T) == 4 ? GB_I32 : GB_I8;
    return sizeof(T) == 8 ? GB_U64 : sizeof(T) == 4 ? GB_U32 : GB_U8;
}

/* What any option is: a line of the option table, and where its value goes. */
struct entry {
    gb_option line;
    void *value;
    uint64_t bytes;
};

class bench;

/* A member that is a series of samples of the benchmark's own: its owner (this), name and unit as
 * in host.h. latency(1.5) gives one, in run too and from any thread. */
class series
{
  public:
    inline series(bench *owner, const char *name, const char *unit = "ns");
    series(const series &) = delete;
    series &operator=(const series &) = delete;

    void operator()(double value) const
    {
        host_->sample(host_, number_, value);
    }
    /* What gbrun calls. */
    void declare(const gb_host *host)
    {
        if (!GB_HAS(host, sample))
            throw stop(GB_UNSUPPORTED);
        host_ = host;
        number_ = host->series(host, name_, unit_);
    }

  private:
    const char *name_, *unit_;
    const gb_host *host_ = nullptr;
    uint32_t number_ = 0;
};

/* The base of all benchmarks. */
class bench
{
  public:
    /* What a derived class says otherwise if it declares it again. */
    static constexpr const char *version = "1.0";
    static constexpr const char *help = nullptr;
    static constexpr const char *devices = "cpu"; /* nullptr: any */
    static constexpr uint32_t flags = 0;          /* GB_BENCH_... */

    const gb_host *host = nullptr;   /* from prepare on */
    const gb_queue *queue = nullptr; /* of the untimed function that is called */
    gb_work work{};                  /* of one iteration; prepare fills it in */

    bench() = default;
    bench(const bench &) = delete;
    bench &operator=(const bench &) = delete;

    /* [not in the constructor] How many the next call of run will do: so many inputs are used up.
     */
    uint64_t iterations() const
    {
        if (!GB_HAS(host, iterations))
            throw stop(GB_UNSUPPORTED);
        return host->iterations;
    }

    /* Gives the array n numbers from low to high, whole ones if its type is. Arrays with different
     * `stream` are independent of each other. */
    template <class T>
    void random(std::vector<T> &array, int64_t n, double low, double high, uint64_t stream = 0)
    {
        array.resize(static_cast<size_t>(n));
        gb_fill fill{};
        fill.size = sizeof fill;
        fill.format = format_of<T>();
        fill.stream = stream;
        fill.low = low;
        fill.high = high;
        require(host->fill(host, array.data(), array.size(), &fill));
    }

    /* Memory of the device for n elements; freed by the host after the object. */
    template <class T> T *device_array(int64_t n)
    {
        void *memory = nullptr;
        require(host->device_allocate(host, static_cast<uint64_t>(n) * sizeof(T), GB_MEMORY_DEVICE,
                                      &memory));
        return static_cast<T *>(memory);
    }

    /* [verify] Compares with a reference computed in another way. The metric and the tolerance are
     * the default, as in struct gb_check. */
    template <class T>
    void check(const char *name, const std::vector<T> &output, const std::vector<double> &reference,
               const char *metric = "abs", double tolerance = 0)
    {
        if (output.size() != reference.size())
            return expect(name, false, "output and reference have different lengths");
        check(name, output.data(), reference.data(), output.size(), metric, tolerance);
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    void check(const char *name, const T &output, double reference, const char *metric = "abs",
               double tolerance = 0)
    {
        check(name, &output, &reference, 1, metric, tolerance);
    }
    template <class T>
    void check(const char *name, const T *output, const double *reference, uint64_t n,
               const char *metric, double tolerance)
    {
        gb_check wanted{};
        wanted.size = sizeof wanted;
        wanted.format = format_of<T>();
        wanted.name = name;
        wanted.n = n;
        wanted.output = output;
        wanted.reference = reference;
        wanted.default_metric = metric;
        wanted.default_tolerance = tolerance;
        conclude(host->check(host, &wanted));
    }
    /* [verify] Reports what the benchmark has compared itself; the text says what was wrong. */
    void expect(const char *name, bool passed, const char *text = "not as expected")
    {
        conclude(host->checked(host, name, passed, text));
    }

    /* What gbrun calls: options add themselves, and get their values before prepare. */
    void add_option(entry option)
    {
        option.line.offset = params_size_;
        params_size_ += (option.bytes + 7) / 8 * 8;
        options_.push_back(option);
    }
    void add_series(series *added)
    {
        series_.push_back(added);
    }
    void attach(const gb_host *given, const void *params)
    {
        host = given;
        for (series *own : series_)
            own->declare(given);
        for (const entry &option : options_)
            std::memcpy(option.value, static_cast<const char *>(params) + option.line.offset,
                        static_cast<size_t>(option.bytes));
    }
    const std::vector<entry> &options() const
    {
        return options_;
    }
    uint64_t params_size() const
    {
        return params_size_;
    }
    int32_t take_verdict()
    {
        return std::exchange(verdict_, GB_OK);
    }

  private:
    void conclude(int32_t status)
    {
        verdict_ = verdict_ == GB_OK ? status : verdict_;
    }

    std::vector<series *> series_;
    std::vector<entry> options_;
    uint64_t params_size_ = 0;
    int32_t verdict_ = GB_OK; /* of the comparisons so far */
};

series::series(bench *owner, const char *name, const char *unit) : name_(name), unit_(unit)
{
    owner->add_series(this);
}

/*
 * A member that is an option: its owner (this), its name, the default as a user would write it,
 * help without a full stop; range "LOW:HIGH" and unit as in option.h. A default of nullptr: the
 * user must give it. It stands where a value of its type does.
 */
template <uint32_t Type, class Value> class option
{
  public:
    option(bench *owner, const char *name, const char *standard, const char *help,
           const char *range = nullptr, const char *unit = nullptr)
        : option(owner, name, standard, help, range, unit, nullptr, 0)
    {
    }
    option(const option &) = delete;
    option &operator=(const option &) = delete;

    operator const Value &() const
    {
        return value_;
    }

  protected:
    option(bench *owner, const char *name, const char *standard, const char *help,
           const char *range, const char *unit, const char *const *words, uint32_t n_words)
    {
        gb_option line{};
        line.size = sizeof line;
        line.type = Type;
        line.n_choices = n_words;
        line.name = name;
        line.default_value = standard;
        line.range = range;
        line.choices = words;
        line.unit = unit;
        line.help = help;
        owner->add_option({line, &value_, sizeof value_});
    }

  private:
    Value value_{};
};

using integer = option<GB_TYPE_INT, int64_t>;
using number = option<GB_TYPE_FLOAT, double>;
using flag = option<GB_TYPE_BOOL, int32_t>;
using text = option<GB_TYPE_STRING, const char *>;
using bytes = option<GB_TYPE_BYTES, uint64_t>;
using duration = option<GB_TYPE_DURATION, double>;             /* nanoseconds */
using integers = option<GB_TYPE_INT | GB_TYPE_LIST, gb_list>;  /* of int64_t */
using numbers = option<GB_TYPE_FLOAT | GB_TYPE_LIST, gb_list>; /* of double */

/* One of several words, the first of which is the default: stands for its index. */
class choice : public option<GB_TYPE_CHOICE, int32_t>
{
  public:
    template <uint32_t N>
    choice(bench *owner, const char *name, const char *const (&words)[N], const char *help)
        : option(owner, name, words[0], help, nullptr, nullptr, words, N)
    {
    }
};

/* Each module has its own: tables of two modules with classes of one name must not become one. */
#pragma GCC visibility push(hidden)
namespace detail
{

/* Calls a function of a plugin; what it throws becomes the status. */
template <class Function> int32_t guarded(const gb_host *host, Function &&function) noexcept
{
    try {
        function();
        return GB_OK;
    } catch (const stop &reason) {
        return reason.status() == GB_SKIPPED ? host->skip(host, reason.what()) : reason.status();
    } catch (const std::bad_alloc &) {
        return GB_NO_MEMORY;
    } catch (const std::exception &reason) {
        return host->fail(host, reason.what());
    } catch (...) {
        return host->fail(host, "an exception that is not a std::exception");
    }
}

/* Which of the functions a class has. */
#define GBRUN_HAS(function, arguments)                                                             \
    template <class T, class = void> struct has_##function : std::false_type {                     \
    };                                                                                             \
    template <class T>                                                                             \
    struct has_##function<T, std::void_t<decltype(std::declval<T &>().function arguments)>>        \
        : std::true_type {                                                                         \
    };
GBRUN_HAS(prepare, ())
GBRUN_HAS(reset, ())
GBRUN_HAS(verify, ())
GBRUN_HAS(refresh, (uint64_t()))
GBRUN_HAS(collect, ())
#undef GBRUN_HAS

/* Calls the run of a class as if it were a lambda. */
struct own_run {
    template <class T> auto operator()(T &object) const -> decltype(object.run())
    {
        return object.run();
    }
    template <class T>
    auto operator()(T &object, const gb_queue &queue, uint64_t iterations) const
        -> decltype(object.run(queue, iterations))
    {
        return object.run(queue, iterations);
    }
    template <class T>
    auto operator()(T &object, uint64_t iterations) const -> decltype(object.run(iterations))
    {
        return object.run(iterations);
    }
};

/* One iteration; what it returns is stored, so that it is computed. */
template <class Function, class... Arguments> void keep(Function &function, Arguments &...a)
{
    if constexpr (std::is_void_v<std::invoke_result_t<Function &, Arguments &...>>) {
        function(a...);
        GB_CLOBBER();
    } else {
        const auto result = function(a...);
        GB_KEEP(&result);
    }
}

/* The functions of struct gb_bench_ops for a class and what is run of it. */
template <class T, class Run> struct functions {
    static inline Run *timed = nullptr;
    static inline const T *described = nullptr;
    static constexpr bool takes_queue = std::is_invocable_v<Run &, T &, const gb_queue &, uint64_t>;
    static constexpr bool takes_iterations = takes_queue ||
                                             std::is_invocable_v<Run &, T &, uint64_t>;

    static T &at(void *object, const gb_queue *queue)
    {
        T &self = *static_cast<T *>(object);
        self.queue = queue;
        return self;
    }
    static int32_t create(const gb_host *host, const void *params, void **ret_bench)
    {
        return guarded(host, [&] {
            auto object = std::make_unique<T>();
            object->attach(host, params);
            *ret_bench = object.release();
        });
    }
    static int32_t prepare(void *object, const gb_queue *queue)
    {
        T &self = at(object, queue);
        return guarded(self.host, [&] { self.prepare(); });
    }
    static int32_t run(void *object, const gb_queue *queue, uint64_t iterations)
    {
        T &self = *static_cast<T *>(object); /* perhaps in several threads */
        return guarded(self.host, [&] {
            if constexpr (takes_queue) {
                (*timed)(self, *queue, iterations);
            } else if constexpr (takes_iterations) {
                (*timed)(self, iterations);
            } else {
                for (; iterations > 0; iterations--) {
                    if constexpr (std::is_invocable_v<Run &, T &>)
                        keep(*timed, self);
                    else
                        keep(*timed);
                }
            }
        });
    }
    static int32_t reset(void *object, const gb_queue *queue)
    {
        T &self = at(object, queue);
        return guarded(self.host, [&] { self.reset(); });
    }
    static int32_t verify(void *object, const gb_queue *queue)
    {
        T &self = at(object, queue);
        const int32_t status = guarded(self.host, [&] { self.verify(); });
        const int32_t verdict = self.take_verdict();
        return status == GB_OK ? verdict : status;
    }
    static int32_t work(void *object, gb_work *work)
    {
        const gb_work &known = static_cast<T *>(object)->work;
        const uint32_t size = work->size; /* of a host that knows less, or more */
        std::memcpy(work, &known, std::min<size_t>(size, sizeof known));
        work->size = size;
        return GB_OK;
    }
    static void destroy(void *object)
    {
        delete static_cast<T *>(object);
    }
    static int32_t refresh(void *object, const gb_queue *queue, uint64_t set)
    {
        T &self = at(object, queue);
        return guarded(self.host, [&] { self.refresh(set); });
    }
    static int32_t collect(void *object, const gb_queue *queue)
    {
        T &self = at(object, queue);
        return guarded(self.host, [&] { self.collect(); });
    }

    /* What run spoils for the next iteration is restored before a sample, which then has one.
     */
    static const gb_bench_ops *table()
    {
        static gb_bench_ops ops{};
        ops.size = sizeof ops;
        ops.flags = T::flags;
        ops.create = create;
        ops.run = run;
        ops.work = work;
        ops.destroy = destroy;
        if constexpr (has_prepare<T>::value)
            ops.prepare = prepare;
        if constexpr (has_reset<T>::value)
            ops.reset = reset;
        if constexpr (has_reset<T>::value && !takes_iterations)
            ops.flags |= GB_BENCH_SINGLE;
        if constexpr (has_verify<T>::value)
            ops.verify = verify;
        if constexpr (has_refresh<T>::value)
            ops.refresh = refresh;
        if constexpr (has_collect<T>::value)
            ops.collect = collect;
        return &ops;
    }
};

/* The option table of a class, from an object that stays. */
inline void describe_options(const bench &object, gb_plugin *plugin)
{
    const size_t n = object.options().size();
    plugin->params_size = object.params_size();
    if (n == 0)
        return;
    auto *table = new gb_option[n];
    for (size_t i = 0; i < n; i++)
        table[i] = object.options()[i].line;
    plugin->options = table;
    plugin->n_options = static_cast<uint32_t>(n);
}

template <class T, class Run>
const gb_plugin *plugin(const char *id, const char *summary, Run &&timed)
{
    using made = functions<T, std::decay_t<Run>>;
    made::timed = new std::decay_t<Run>(std::forward<Run>(timed));
    made::described = new T;
    auto *plugin = new gb_plugin{};
    plugin->size = sizeof *plugin;
    plugin->kind = GB_PLUGIN_BENCH;
    plugin->id = id;
    plugin->version = T::version;
    plugin->summary = summary;
    plugin->help = T::help;
    plugin->devices = T::devices;
    describe_options(*made::described, plugin);
    plugin->ops = made::table();
    return plugin;
}

} // namespace detail
#pragma GCC visibility pop

/* The benchmarks of a module: made once a process, never freed, as modules are never unloaded. */
class list
{
  public:
    /* With the run of its class. */
    template <class T> void add(const char *id, const char *summary)
    {
        add(detail::plugin<T>(id, summary, detail::own_run{}));
    }
    /* With a function in place of it, which takes the object, T &, or nothing; or as run does. */
    template <class T = bench, class Run> void add(const char *id, const char *summary, Run &&timed)
    {
        add(detail::plugin<T>(id, summary, std::forward<Run>(timed)));
    }
    /* A plugin as the headers for C describe it. */
    void add(const gb_plugin *plugin)
    {
        plugins_.push_back(plugin);
        module_.n_plugins = static_cast<uint32_t>(plugins_.size());
        module_.plugins = plugins_.data();
    }
    const gb_module *module() const
    {
        return &module_;
    }

  private:
    std::vector<const gb_plugin *> plugins_;
    gb_module module_{sizeof(gb_module), GB_ABI_MAJOR, GB_ABI_MINOR, 0, nullptr};
};

} // namespace gbrun

/* The whole entry of a module, before the body of a function that adds its benchmarks:
 *   GB_BENCHMARKS(list)
 *   {
 *       list.add<sum>("sum", "adds an array");
 *   }
 */
#define GB_BENCHMARKS(list_)                                                                       \
    static void gbrun_add_benchmarks(::gbrun::list &list_);                                        \
    GB_EXPORT const struct gb_module *gb_module_v1(void)                                           \
    {                                                                                              \
        static const struct gb_module *const module = [] {                                         \
            auto *list = new ::gbrun::list;                                                        \
            gbrun_add_benchmarks(*list);                                                           \
            return list->module();                                                                 \
        }();                                                                                       \
        return module;                                                                             \
    }                                                                                              \
    static void gbrun_add_benchmarks(::gbrun::list &list_)

#endif
