// sorts.cc - std::sort and std::stable_sort of random numbers, new ones before each call.
#include <algorithm>
#include <gbrun/bench.hpp>

struct sorts : gbrun::bench {
    gbrun::integer n{this, "n", "10k", "numbers to sort", "1:2^28"};
    std::vector<double> values;
    uint64_t n_samples = 0;

    void reset()
    {
        random(values, n, -1, 1, n_samples++);
    }
    void verify()
    {
        expect("order", std::is_sorted(values.begin(), values.end()));
    }
};

GB_BENCHMARKS(list)
{
    list.add<sorts>("sort", "std::sort",
                    [](sorts &a) { std::sort(a.values.begin(), a.values.end()); });
    list.add<sorts>("stable_sort", "std::stable_sort",
                    [](sorts &a) { std::stable_sort(a.values.begin(), a.values.end()); });
}
