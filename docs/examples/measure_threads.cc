// measure_threads.cc - several threads measure, one after the other, and one of them fails:
// c++ -std=c++17 measure_threads.cc $(pkg-config --cflags --libs libgbrun) -pthread
#include <gbrun/measure.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

static const std::string settings = "policy = median_ci\nprecision = 5%\nmax_time = 2 s";

static void sort_backwards(std::size_t n)
{
    std::vector<int> backwards(n), values(n);
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    try {
        auto m = gbrun::measure([&] { std::sort(values.begin(), values.end()); },
                                settings + "\niterations = 1", [&] { values = backwards; });
        std::printf("%zu values: %.3g us by %llu samples\n", n, m->time_ns / 1000,
                    static_cast<unsigned long long>(m->n_samples));
        gbrun::measure([&] { values.at(n) = 1; }, settings); // thrown by what is measured
    } catch (const std::out_of_range &) {
        std::printf("%zu values: out of range\n", n);
    } catch (const gbrun::measure_error &error) {
        std::printf("%zu values: %s\n", n, error.what());
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (std::size_t n : {1000u, 4000u, 16000u})
        threads.emplace_back(sort_backwards, n);
    for (auto &thread : threads)
        thread.join();
    gbrun_release();
}
