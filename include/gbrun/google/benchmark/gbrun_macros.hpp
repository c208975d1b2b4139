/*
 * gbrun_macros.hpp - what registers families when a program or module is started, part of
 * benchmark.h, and the main function.
 */
#ifndef GBRUN_GOOGLE_MACROS_HPP
#define GBRUN_GOOGLE_MACROS_HPP

#define GBRUN_GOOGLE_JOIN_(a, b) a##b
#define GBRUN_GOOGLE_JOIN(a, b) GBRUN_GOOGLE_JOIN_(a, b)
#define GBRUN_GOOGLE_REGISTERED(...)                                                               \
    static ::benchmark::internal::Benchmark *GBRUN_GOOGLE_JOIN(gbrun_google_, __COUNTER__)         \
        __attribute__((unused)) = ::benchmark::internal::RegisterBenchmarkInternal(__VA_ARGS__)
#define GBRUN_GOOGLE_FUNCTION(name, ...)                                                           \
    GBRUN_GOOGLE_REGISTERED(new ::benchmark::internal::FunctionBenchmark(name, __VA_ARGS__))

/* The cast chooses among functions of one name. */
#define GBRUN_GOOGLE_POINTER(name, ...)                                                            \
    GBRUN_GOOGLE_FUNCTION(name, static_cast<::benchmark::internal::Function *>(__VA_ARGS__))

#define BENCHMARK(...) GBRUN_GOOGLE_POINTER(#__VA_ARGS__, __VA_ARGS__)
#define BENCHMARK_CAPTURE(function, name, ...)                                                     \
    GBRUN_GOOGLE_FUNCTION(#function "/" #name,                                                     \
                          [](::benchmark::State &state) { function(state, __VA_ARGS__); })
#define BENCHMARK_NAMED(function, name) GBRUN_GOOGLE_POINTER(#function "/" #name, function)
#define BENCHMARK_TEMPLATE(function, ...)                                                          \
    GBRUN_GOOGLE_POINTER(#function "<" #__VA_ARGS__ ">", function<__VA_ARGS__>)
#define BENCHMARK_TEMPLATE1(function, a) BENCHMARK_TEMPLATE(function, a)
#define BENCHMARK_TEMPLATE2(function, a, b)                                                        \
    GBRUN_GOOGLE_POINTER(#function "<" #a "," #b ">", function<a, b>)
#define BENCHMARK_TEMPLATE1_CAPTURE(function, a, name, ...)                                        \
    BENCHMARK_CAPTURE(function<a>, name, __VA_ARGS__)
#define BENCHMARK_TEMPLATE2_CAPTURE(function, a, b, name, ...)                                     \
    GBRUN_GOOGLE_FUNCTION(#function "<" #a "," #b ">/" #name,                                      \
                          [](::benchmark::State &state) { function<a, b>(state, __VA_ARGS__); })
#define BENCHMARK_WITH_ARG(function, a) BENCHMARK(function)->Arg(a)
#define BENCHMARK_WITH_ARG2(function, a, b) BENCHMARK(function)->Args({(a), (b)})
#define BENCHMARK_WITH_UNIT(function, unit) BENCHMARK(function)->Unit(unit)
#define BENCHMARK_RANGE(function, low, high) BENCHMARK(function)->Range(low, high)
#define BENCHMARK_RANGE2(function, low1, high1, low2, high2)                                       \
    BENCHMARK(function)->RangePair(low1, high1, low2, high2)

/* A class of the fixture's with the name of the family; what follows is the body of its loop. */
#define GBRUN_GOOGLE_CLASS(fixture, method) GBRUN_GOOGLE_JOIN(fixture##_##method, _Benchmark)
#define GBRUN_GOOGLE_DECLARED(fixture, method, name, ...)                                          \
    class GBRUN_GOOGLE_CLASS(fixture, method) : public __VA_ARGS__                                 \
    {                                                                                              \
      public:                                                                                      \
        GBRUN_GOOGLE_CLASS(fixture, method)()                                                      \
        {                                                                                          \
            this->Name(name);                                                                      \
        }                                                                                          \
                                                                                                   \
      protected:                                                                                   \
        void BenchmarkCase(::benchmark::State &) override;                                         \
    };
#define GBRUN_GOOGLE_BODY(fixture, method) void GBRUN_GOOGLE_CLASS(fixture, method)::BenchmarkCase

#define BENCHMARK_DEFINE_F(fixture, method)                                                        \
    GBRUN_GOOGLE_DECLARED(fixture, method, #fixture "/" #method, fixture)                          \
    GBRUN_GOOGLE_BODY(fixture, method)
#define BENCHMARK_TEMPLATE_DEFINE_F(fixture, method, ...)                                          \
    GBRUN_GOOGLE_DECLARED(fixture, method, #fixture "<" #__VA_ARGS__ ">/" #method,                 \
                          fixture<__VA_ARGS__>)                                                    \
    GBRUN_GOOGLE_BODY(fixture, method)
#define BENCHMARK_TEMPLATE1_DEFINE_F(fixture, method, a)                                           \
    BENCHMARK_TEMPLATE_DEFINE_F(fixture, method, a)
#define BENCHMARK_TEMPLATE2_DEFINE_F(fixture, method, a, b)                                        \
    BENCHMARK_TEMPLATE_DEFINE_F(fixture, method, a, b)
#define BENCHMARK_REGISTER_F(fixture, method)                                                      \
    GBRUN_GOOGLE_REGISTERED(new GBRUN_GOOGLE_CLASS(fixture, method)())
#define BENCHMARK_F(fixture, method)                                                               \
    GBRUN_GOOGLE_DECLARED(fixture, method, #fixture "/" #method, fixture)                          \
    BENCHMARK_REGISTER_F(fixture, method);                                                         \
    GBRUN_GOOGLE_BODY(fixture, method)
#define BENCHMARK_TEMPLATE_F(fixture, method, ...)                                                 \
    GBRUN_GOOGLE_DECLARED(fixture, method, #fixture "<" #__VA_ARGS__ ">/" #method,                 \
                          fixture<__VA_ARGS__>)                                                    \
    BENCHMARK_REGISTER_F(fixture, method);                                                         \
    GBRUN_GOOGLE_BODY(fixture, method)
#define BENCHMARK_TEMPLATE1_F(fixture, method, a) BENCHMARK_TEMPLATE_F(fixture, method, a)
#define BENCHMARK_TEMPLATE2_F(fixture, method, a, b) BENCHMARK_TEMPLATE_F(fixture, method, a, b)
#define BENCHMARK_TEMPLATE_METHOD_F(fixture, method)                                               \
    template <class... Types> class GBRUN_GOOGLE_CLASS(fixture, method) : public fixture<Types...> \
    {                                                                                              \
        typedef fixture<Types...> Base;                                                            \
                                                                                                   \
      protected:                                                                                   \
        void BenchmarkCase(::benchmark::State &) override;                                         \
    };                                                                                             \
    template <class... Types> void GBRUN_GOOGLE_CLASS(fixture, method)<Types...>::BenchmarkCase
#define BENCHMARK_TEMPLATE_INSTANTIATE_F(fixture, method, ...)                                     \
    GBRUN_GOOGLE_REGISTERED((new GBRUN_GOOGLE_CLASS(fixture, method) < __VA_ARGS__ > ())           \
                                ->Name(#fixture "<" #__VA_ARGS__ ">/" #method))

#define BENCHMARK_MAIN()                                                                           \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return ::benchmark::internal::Program::main(argc, argv);                                   \
    }                                                                                              \
    int main(int, char **)

#define BENCHMARK_HAS_CXX11
#define BENCHMARK_OVERRIDE override
#define BENCHMARK_EXPORT
#define BENCHMARK_UNUSED __attribute__((unused))
#define BENCHMARK_ALWAYS_INLINE __attribute__((always_inline))
#define BENCHMARK_BUILTIN_EXPECT(x, y) __builtin_expect(x, y)
#define BENCHMARK_UNREACHABLE() __builtin_unreachable()
#ifdef __clang__
#define BENCHMARK_DONT_OPTIMIZE __attribute__((optnone))
#else
#define BENCHMARK_DONT_OPTIMIZE __attribute__((optimize(0)))
#endif

#endif
