// sum.cc - a plugin in C++20, or in C++17 with GNU extensions: the sum of a std::vector, checked.
#include <gbrun/gbrun.h>
#include <numeric>
#include <vector>

namespace {

struct Params {
    int64_t n;
};

struct Sum {
    const gb_host *host;
    std::vector<double> values;
    double total = 0;
};

int32_t create(const gb_host *host, const void *params, void **ret_bench)
{
    const auto n = static_cast<size_t>(static_cast<const Params *>(params)->n);
    try { // no exception may leave a function that gbrun calls
        auto *sum = new Sum{host, std::vector<double>(n)};
        std::iota(sum->values.begin(), sum->values.end(), 1.0);
        *ret_bench = sum;
        return GB_OK;
    } catch (const std::bad_alloc &) {
        return GB_NO_MEMORY;
    }
}

int32_t run(void *bench, const gb_queue *, uint64_t iterations)
{
    auto *sum = static_cast<Sum *>(bench);
    for (; iterations > 0; iterations--) {
        sum->total = std::accumulate(sum->values.begin(), sum->values.end(), 0.0);
        GB_KEEP(sum);
    }
    return GB_OK;
}

int32_t verify(void *bench, const gb_queue *)
{
    const auto *sum = static_cast<const Sum *>(bench);
    const auto n = static_cast<double>(sum->values.size());
    const double reference = n * (n + 1) / 2;
    const gb_check check = {.size = sizeof check, .format = GB_F64, .name = "total", .n = 1,
        .output = &sum->total, .reference = &reference, .flags = GB_CHECK_EXACT};
    return sum->host->check(sum->host, &check);
}

void destroy(void *bench)
{
    delete static_cast<Sum *>(bench);
}

const gb_option options[] = {GB_INT(Params, n, "64Ki", "1:2^26", "elements", "length")};

const gb_bench_ops ops = {
    .size = sizeof ops, .create = create, .run = run, .verify = verify, .destroy = destroy};
const gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH, .id = "sum",
    .version = "1.0", .summary = "sum of an array, in C++", .devices = "cpu",
    GB_OPTIONS(options, Params), .ops = &ops};

} // namespace

GB_MODULE(&plugin)
