/*
 * measure.hpp - libgbrun for C++17: gbrun::measure times any callable; see measure.h.
 *
 *   auto m = gbrun::measure([&](cudaStream_t s) { kernel<<<64, 256, 0, s>>>(x, y, n); });
 *   std::printf("%g us\n", m->time_ns / 1000);
 *
 *   auto m = gbrun::measure([&] { std::sort(a.begin(), a.end()); }, "precision = 1%",
 *                           [&] { a = unsorted; });
 *
 * A callable takes a stream, by its pointer type or as gbrun::stream, or nothing; it may take the
 * number of iterations after it, and does its work as often then. With a stream it runs on a GPU
 * (device = cuda), without one on the CPU, unless the settings name a device. It fails by throwing,
 * which measure throws again; what goes wrong otherwise is a gbrun::measure_error. Header only;
 * link with libgbrun.
 */
#ifndef GBRUN_MEASURE_HPP
#define GBRUN_MEASURE_HPP

#include <gbrun/measure.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace gbrun
{

/* A failure of a call; what() are the words of the result. */
class measure_error : public std::runtime_error
{
  public:
    explicit measure_error(const gbrun_result &result)
        : std::runtime_error(result.error), status_(result.status)
    {
    }
    int32_t status() const noexcept /* GB_SKIPPED, GB_INVALID ... */
    {
        return status_;
    }

  private:
    int32_t status_;
};

/* What a callable is given: becomes a CUstream or a cudaStream_t, or any other pointer. */
struct stream {
    void *native;
    template <class T> operator T *() const noexcept
    {
        return static_cast<T *>(native);
    }
};

/* The result, which it owns: m->time_ns and all the other members of struct gbrun_result. */
class measurement
{
  public:
    explicit measurement(const gbrun_result *result) : result_(result)
    {
    }
    const gbrun_result *operator->() const noexcept
    {
        return result_.get();
    }
    const gbrun_result &operator*() const noexcept
    {
        return *result_;
    }

  private:
    struct release {
        void operator()(const gbrun_result *result) const noexcept
        {
            gbrun_free(result);
        }
    };
    std::unique_ptr<const gbrun_result, release> result_;
};

namespace detail
{

template <class F>
constexpr bool takes_stream = std::is_invocable_v<F &, stream> ||
                              std::is_invocable_v<F &, stream, uint64_t>;

template <class F> void call(F &function, void *native, uint64_t iterations)
{
    if constexpr (std::is_invocable_v<F &, stream, uint64_t>)
        function(stream{native}, iterations);
    else
        for (uint64_t i = 0; i < iterations; i++)
            if constexpr (std::is_invocable_v<F &, stream>)
                function(stream{native});
            else
                function();
}

/* The callables of a call, and what one of them threw. No exception crosses the C library. */
template <class F, class R> struct callables {
    F &function;
    R &before;
    std::exception_ptr thrown;

    template <class G> int32_t guarded(G &callable, void *native, uint64_t iterations) noexcept
    {
        try {
            call(callable, native, iterations);
            return GB_OK;
        } catch (...) {
            if (!thrown) /* what it throws while it is captured may be different later */
                thrown = std::current_exception();
            return gbrun_fail("an exception was thrown");
        }
    }
    static int32_t run(void *user, void *native, uint64_t iterations)
    {
        auto &self = *static_cast<callables *>(user);
        return self.guarded(self.function, native, iterations);
    }
    static int32_t reset(void *user, void *native)
    {
        auto &self = *static_cast<callables *>(user);
        return self.guarded(self.before, native, 1);
    }
};

struct nothing {
    void operator()() const noexcept
    {
    }
};

/* Do the settings say so themselves? */
inline bool names_device(const std::string &settings)
{
    return settings.rfind("device", 0) == 0 || settings.find("\ndevice") != std::string::npos;
}

} /* namespace detail */

/* Measures the callable; reset, if given, is called before each sample, untimed. */
template <class F, class R = detail::nothing>
measurement measure(F &&function, std::string settings = "", R &&reset = R{})
{
    using callables = detail::callables<std::remove_reference_t<F>, std::remove_reference_t<R>>;
    callables state{function, reset, nullptr};
    gbrun_subject subject{};
    subject.size = sizeof subject;
    subject.user = &state;
    subject.run = callables::run;
    if constexpr (!std::is_same_v<std::decay_t<R>, detail::nothing>)
        subject.reset = callables::reset;
    /* A GPU's work would fail unseen on the CPU's stream, which is NULL. */
    if (!detail::names_device(settings))
        settings += detail::takes_stream<std::remove_reference_t<F>> ? "\ndevice = cuda"
                                                                     : "\ndevice = cpu";
    measurement result(gbrun_measure(&subject, settings.c_str()));
    if (result->status != GB_OK && state.thrown)
        std::rethrow_exception(state.thrown);
    if (result->status != GB_OK)
        throw measure_error(*result);
    return result;
}

} /* namespace gbrun */

#endif
