/* reporter.h - what Google Benchmark has in it is in benchmark.h here. */
#include <benchmark/benchmark.h>
