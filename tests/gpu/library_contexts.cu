// library_contexts.cu - a program with contexts of its own that uses libgbrun on a GPU: what is
// current is the same after each call, also after errors, and the program's context is usable.
// usage: library_contexts [quick | costs | sticky | mean CACHE]; prints pass|NAME or
// fail|NAME|WHAT.
#include <gbrun/measure.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// ---- the driver's functions, opened as no library of CUDA is linked ----

template <class F> F driver(const char *name)
{
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol) {
        std::printf("fail|driver|%s is not there\n", name);
        std::exit(1);
    }
    return reinterpret_cast<F>(symbol);
}
static CUcontext current()
{
    CUcontext context = nullptr;
    driver<CUresult (*)(CUcontext *)>("cuCtxGetCurrent")(&context);
    return context;
}
static void make_current(CUcontext context)
{
    driver<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context);
}
static CUcontext new_context()
{
    CUcontext context = nullptr;
    driver<CUresult (*)(CUcontext *, unsigned, CUdevice)>("cuCtxCreate_v2")(&context, 0, 0);
    return context;
}

// ---- what is measured ----

__global__ void add(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
__global__ void write_to(float *x)
{
    *x = 1;
}

enum { N = 1 << 20 };
static const std::string quick = "device = cuda\npolicy = fixed\nsamples = 64\nmin_samples = 2\n";

// An array of the program's own, and work on it.
struct array {
    float *x = nullptr;
    array()
    {
        cudaMalloc(&x, N * sizeof *x);
    }
    ~array()
    {
        cudaFree(x);
    }
    void operator()(cudaStream_t stream) const
    {
        add<<<N / 256, 256, 0, stream>>>(x, N);
    }
};

static void report(const std::string &name, bool is_right, const std::string &what = "")
{
    std::printf("%s|%s|%s\n", is_right ? "pass" : "fail", name.c_str(),
                is_right ? "" : what.c_str());
    std::fflush(stdout);
}

// Does the program's own work still run?
static bool is_usable()
{
    float *x = nullptr, y = 0;
    if (cudaMalloc(&x, N * sizeof *x) != cudaSuccess ||
        cudaMemset(x, 0, N * sizeof *x) != cudaSuccess)
        return false;
    add<<<N / 256, 256>>>(x, N);
    const bool is = cudaMemcpy(&y, x + N - 1, sizeof y, cudaMemcpyDeviceToHost) == cudaSuccess &&
                    y == 1;
    return cudaFree(x) == cudaSuccess && is;
}

template <class F> std::string error_of(F &&f, const std::string &settings = quick)
{
    try {
        gbrun::measure(f, settings);
        return "";
    } catch (const std::exception &error) {
        return *error.what() ? error.what() : "?";
    }
}

// ---- the same in each context ----

static void in_context(const std::string &name)
{
    const array array;
    const CUcontext mine = current(); // the runtime makes the primary one current where none was
    const auto stays = [&](const char *what, const std::string &found, const char *expected = "") {
        const bool is_said = *expected ? found.find(expected) != std::string::npos : found.empty();
        report(name + ": " + what, is_said && current() == mine && is_usable(),
               found + (current() == mine ? "" : "; another context is current") +
                   (is_usable() ? "" : "; the context cannot be used"));
    };
    int n = 0;
    const auto fifth_fails = [&](cudaStream_t s) {
        if (++n == 5)
            throw std::runtime_error("the fifth");
        array(s);
    };
    const auto waits = [&](cudaStream_t s) {
        array(s);
        cudaStreamSynchronize(s);
    };
    const auto allocates = [&](cudaStream_t s) {
        float *y = nullptr;
        cudaMallocAsync(&y, 1024, s);
        array(s);
        cudaFreeAsync(y, s);
    };
    const auto is_refused = [&](cudaStream_t s) {
        add<<<1, 4096, 0, s>>>(array.x, N);
        if (const cudaError_t error = cudaGetLastError())
            throw std::runtime_error(cudaGetErrorString(error));
    };
    stays("a kernel", error_of(array));
    stays("cold, by events", error_of(array, quick + "cache = cold\nclock = event"));
    stays("an unknown key", error_of(array, quick + "colour = red"), "unknown key 'colour'");
    stays("a device that is not there", error_of(array, "device = cuda:63"), "device cuda:63");
    stays("an exception in the fifth call", error_of(fifth_fails, quick + "launch = stream"),
          "fifth");
    n = 4;
    stays("an exception", error_of(fifth_fails), "the fifth");
    stays("a wait, which cannot be captured", error_of(waits));
    stays("memory taken and given back", error_of(allocates));
    stays("a launch that is refused", error_of(is_refused), "invalid");
    stays("nothing on the stream", error_of([](cudaStream_t) {}), "put no work on its queue");
    gbrun_release();
    stays("after a release", error_of(array));
    gbrun_release();
    report(name + ": after another release", current() == mine && is_usable());
}

static void contexts()
{
    make_current(nullptr);
    {
        const array array;
        make_current(nullptr);
        const std::string found = error_of([&](gbrun::stream s) { array(s); });
        report("no context: none is current afterwards", found.empty() && !current(), found);
    }
    cudaSetDevice(0);
    cudaFree(nullptr);
    in_context("the primary context");
    const CUcontext primary = current(), own = new_context();
    make_current(own);
    in_context("its own context");
    make_current(primary);
    in_context("the primary context again");
    // In turn: each has a device of its own, which stays open.
    for (int i = 0; i < 8; i++) {
        const CUcontext mine = i % 2 ? own : primary;
        make_current(mine);
        const array array;
        const std::string found = error_of(array);
        report("in turn", found.empty() && current() == mine, found);
    }
    gbrun_release();
    make_current(primary);
}

static void threads()
{
    std::vector<std::thread> all;
    std::vector<std::string> found(4);
    for (int i = 0; i < 4; i++)
        all.emplace_back([&found, i] {
            const array array;
            for (int j = 0; j < 3; j++)
                found[i] += error_of(array);
            if (!is_usable())
                found[i] += "not usable";
        });
    for (auto &thread : all)
        thread.join();
    for (auto &words : found)
        report("four threads", words.empty(), words);
}

// ---- several kernels ----

static int32_t run_two(void *user, void *stream, uint64_t iterations)
{
    for (uint64_t i = 0; i < 2 * iterations; i++)
        add<<<N / 256, 256, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<float *>(user), N);
    return GB_OK;
}

static void several()
{
    static const struct {
        const char *name;
        uint32_t flags;
        const char *settings;
        bool is_graph;
    } cases[] = {
        {"two kernels are launched in the stream", 0, "", false},
        {"as a graph for who prefers it", GBRUN_PREFERS_GRAPH, "", true},
        {"but where the stream is asked for", GBRUN_PREFERS_GRAPH, "launch = stream", false},
        {"or each call", GBRUN_PREFERS_GRAPH | GBRUN_EVERY_CALL, "", false},
    };
    const array array;
    for (auto &c : cases) {
        const gbrun_subject subject{sizeof subject, c.flags, array.x, run_two};
        const gbrun_result *result = gbrun_measure(&subject, (quick + c.settings).c_str());
        const bool is_said = std::string(result->way).find("as a graph of 2 operations") !=
                             std::string::npos;
        const bool is_graph = result->flags & GBRUN_GRAPH;
        report(c.name, result->status == GB_OK && is_graph == c.is_graph && is_said == c.is_graph,
               std::string(result->error) + result->way);
        gbrun_free(result);
    }
}

// ---- a hundred failures ----

static void failures()
{
    const array array;
    int n_right = 0;
    for (int i = 0; i < 100; i++) {
        int n = 0;
        const std::string words = "number " + std::to_string(i);
        const auto fails = [&](cudaStream_t s) {
            array(s);
            if (i % 5 == 1)
                cudaStreamSynchronize(s);
            if (++n > i / 10)
                throw std::runtime_error(words);
        };
        const char *settings = i < 10  ? "cache = cold"
                               : i % 2 ? "launch = stream"
                                       : "launch = stream\ncache = cold";
        n_right += error_of(fails, quick + settings) == words;
        n_right += is_usable();
    }
    report("a hundred failures", n_right == 200, std::to_string(n_right) + " of 200");
}

// ---- figures ----

static double resident_bytes()
{
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages; // the second number
    return static_cast<double>(pages) * 4096;
}

static double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// What a call costs, of that beside its samples, and whether memory stays as it is. At 1 % samples
// take 0.1 s, or longer where times go one way, as those of a card do that leaves its rest: then a
// call takes more than 0.15 s, and what it takes beside its samples is the library's part.
static void costs(int n_calls)
{
    const array array;
    std::size_t free_before = 0, free_after = 0, all = 0;
    const double first = seconds();
    gbrun::measure(array, "device = cuda\nprecision = 1%");
    std::printf("figure|first call|%.3f s\n", seconds() - first);
    for (const char *cache : {"warm", "cold"}) {
        double most = 0, least = 1e300;
        std::vector<double> took_s, beside_s;
        for (int i = 0; i < 10; i++) {
            const double begin = seconds();
            auto m = gbrun::measure(array,
                                    std::string("device = cuda\nprecision = 1%\ncache = ") + cache);
            took_s.push_back(seconds() - begin);
            beside_s.push_back(took_s.back() - 1e-9 * m->elapsed_ns[m->n_samples - 1]);
            most = std::fmax(most, m->time_ns);
            least = std::fmin(least, m->time_ns);
        }
        std::sort(took_s.begin(), took_s.end());
        std::sort(beside_s.begin(), beside_s.end());
        std::printf("figure|10 calls, %s, 1 %%|%.3f to %.3f s, median %.3f, beside samples %.3f; "
                    "%.4f to %.4f us (%.2f %%)\n",
                    cache, took_s.front(), took_s.back(), took_s[5], beside_s[5], least / 1000,
                    most / 1000, 100 * (most / least - 1));
        report(std::string("half of the calls take at most 0.15 s, ") + cache, took_s[5] <= 0.15,
               std::to_string(took_s[5]));
        report(std::string("half of the calls take at most 0.05 s beside their samples, ") + cache,
               beside_s[5] <= 0.05, std::to_string(beside_s[5]));
    }
    double before = 0;
    for (int i = 0; i < 100 + n_calls; i++) {
        gbrun::measure(array, quick);
        if (i == 99) {
            before = resident_bytes();
            cudaMemGetInfo(&free_before, &all);
        }
    }
    cudaMemGetInfo(&free_after, &all);
    const double more = resident_bytes() - before;
    std::printf("figure|%d calls|%.0f bytes more, on the device %.0f\n", n_calls, more,
                static_cast<double>(free_before) - static_cast<double>(free_after));
    report("memory is flat", more < 2 << 20 && free_before == free_after, std::to_string(more));
}

// An error that ends the context: it is said, and the process goes on.
static void sticky()
{
    cudaFree(nullptr);
    const CUcontext before = current();
    const std::string found = error_of(
        [&](cudaStream_t s) { write_to<<<1, 1, 0, s>>>(reinterpret_cast<float *>(16)); });
    report("an illegal address is said", found.find("ILLEGAL_ADDRESS") != std::string::npos, found);
    report("the context is the same", current() == before);
    const std::string again = error_of([&](cudaStream_t s) { add<<<1, 1, 0, s>>>(nullptr, 0); });
    report("the next call says that it is lost", !again.empty(), again);
    volatile int n = 0;
    const std::string on_cpu = error_of([&] { n = n + 1; },
                                        "device = cpu\npolicy = fixed\nsamples = 20");
    report("the CPU is measured", on_cpu.empty() && n >= 20, on_cpu);
    gbrun_release();
}

// What the clock reads of 4 MiB, in ns, as gbrun run is asked for it.
static void mean(const std::string &cache)
{
    const array array;
    auto m = gbrun::measure(array,
                            "device = cuda\npolicy = fixed\nsamples = 2000\ncache = " + cache);
    double sum = 0;
    for (uint64_t i = 0; i < m->n_samples; i++)
        sum += m->samples_ns[i];
    std::printf("%.3f\n", sum / static_cast<double>(m->n_samples));
}

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "mean") {
        mean(argc > 2 ? argv[2] : "warm");
        return 0;
    }
    if (what == "costs") {
        costs(argc > 2 ? std::atoi(argv[2]) : 200);
    } else if (what == "sticky") {
        sticky();
    } else {
        contexts();
        threads();
        several();
        if (what != "quick")
            failures();
    }
    gbrun_release();
    std::printf("end\n");
    return 0;
}
