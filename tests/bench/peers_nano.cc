// peers_nano.cc - the example sort_ten under nanobench, which has no pause and no times of one's
// own: the copy of the input is timed. Compiled by numbers.sh where NANOBENCH is the folder of
// nanobench.h. Prints a line of peers.sh.
#define ANKERL_NANOBENCH_IMPLEMENT
#include "tests/bench/peer_work.h"

#include <cstdio>
#include <nanobench.h>

int main()
{
    const auto pool = random_tens(1 << 16);
    std::size_t i = 0;
    ankerl::nanobench::Bench bench;
    bench.output(nullptr).minEpochTime(std::chrono::milliseconds(50)).run("sort", [&] {
        ten array = pool[i++ % pool.size()];
        ankerl::nanobench::doNotOptimizeAway(array);
        sort_ten(array);
        ankerl::nanobench::doNotOptimizeAway(array);
    });
    using Measure = ankerl::nanobench::Result::Measure;
    std::printf("sort of ten\tnanobench, with a copy\t%.4f\n",
                1e9 * bench.results().front().median(Measure::elapsed));
    return 0;
}
