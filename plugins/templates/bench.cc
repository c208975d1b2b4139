// plugin_name.cc - y = factor * x of arrays: a benchmark to start from. Change what is computed.
#include <gbrun/bench.hpp>
#include <stdexcept>

struct arrays : gbrun::bench {
    gbrun::integer n{this, "n", "64Ki", "length of the arrays", "1:2^28", "elements"};
    gbrun::number factor{this, "factor", "0.5", "what they are multiplied by"};
    std::vector<double> x, y;

    void prepare() // once, untimed; what is thrown is why the case failed
    {
        if (factor == 0)
            throw std::invalid_argument(
                "factor = 0 makes all outputs zero: expected another value");
        random(x, n, -1, 1);
        y.resize(x.size());
        work.flops = static_cast<double>(n); // of one iteration: rates are computed from it
        work.bytes_read = work.bytes_written = 8 * static_cast<double>(n);
    }
    void run() // one iteration of what is timed
    {
        for (size_t i = 0; i < x.size(); i++)
            y[i] = factor * x[i];
    }
    void verify() // after the last sample: against a reference, computed in another way
    {
        std::vector<double> reference(x.size());
        for (size_t i = 0; i < x.size(); i++)
            reference[i] = static_cast<double>(static_cast<long double>(x[i]) * factor);
        check("y", y, reference, "rel", 1e-15);
    }
};

GB_BENCHMARKS(list)
{
    list.add<arrays>("plugin_name", "y = factor * x of arrays");
}
