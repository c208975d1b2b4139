/* peer_work.h - what sort_ten.c and push.c do, for other frameworks to measure. */
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

struct ten {
    std::int32_t numbers[10];
};

inline std::vector<ten> random_tens(std::size_t n)
{
    std::mt19937 generator(1);
    std::uniform_int_distribution<std::int32_t> numbers(-1000000, 1000000);
    std::vector<ten> tens(n);
    for (ten &each : tens)
        for (std::int32_t &number : each.numbers)
            number = numbers(generator);
    return tens;
}

inline void sort_ten(ten &array)
{
    for (int i = 1; i < 10; i++) {
        const std::int32_t value = array.numbers[i];
        int j = i;
        for (; j > 0 && array.numbers[j - 1] > value; j--)
            array.numbers[j] = array.numbers[j - 1];
        array.numbers[j] = value;
    }
}

/* An array that grows to 2^20 items and begins anew. */
class growing
{
    std::vector<std::int64_t> items_ = std::vector<std::int64_t>(1 << 20);
    std::vector<std::int64_t> spare_ = std::vector<std::int64_t>(1 << 20);
    std::size_t n_ = 0, capacity_ = 64;

  public:
    /* Seconds that one insertion took. */
    double timed_push(std::int64_t value)
    {
        const auto begin = std::chrono::steady_clock::now();
        if (n_ == capacity_) {
            std::memcpy(spare_.data(), items_.data(), n_ * sizeof value);
            items_.swap(spare_);
            capacity_ *= 2;
        }
        items_[n_++] = value;
        const auto end = std::chrono::steady_clock::now();
        if (n_ == items_.size()) {
            n_ = 0;
            capacity_ = 64;
        }
        return std::chrono::duration<double>(end - begin).count();
    }
};
