// benchmark_main.cc - compiled into a program whose files have no BENCHMARK_MAIN.
#include <benchmark/benchmark.h>
BENCHMARK_MAIN();
