// sums.cc - an array is added in three ways: its data, options and check are a class.
#include <gbrun/bench.hpp>
#include <numeric>

struct sums : gbrun::bench {
    gbrun::integer n{this, "n", "64Ki", "numbers to add", "1:2^28"};
    std::vector<float> values;
    float total = 0;

    void prepare()
    {
        random(values, n, 0, 15);
        work.bytes_read = sizeof(float) * static_cast<double>(n);
    }
    void verify()
    {
        check("total", total, std::accumulate(values.begin(), values.end(), 0.0), "rel", 1e-3);
    }
};

GB_BENCHMARKS(list)
{
    list.add<sums>("sum_loop", "adds one by one", [](sums &a) {
        a.total = 0;
        for (float value : a.values)
            a.total += value;
    });
    list.add<sums>("sum_backward", "std::accumulate, from the last to the first", [](sums &a) {
        a.total = std::accumulate(a.values.rbegin(), a.values.rend(), 0.0f);
    });
    list.add<sums>("sum_reduce", "std::reduce, in any order",
                   [](sums &a) { a.total = std::reduce(a.values.begin(), a.values.end()); });
}
