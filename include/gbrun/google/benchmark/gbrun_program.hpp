/*
 * gbrun_program.hpp - RunSpecifiedBenchmarks and BENCHMARK_MAIN, part of benchmark.h: the
 * benchmarks of a program are measured in it by libgbrun, one line of standard output for each.
 * Options are those that `--help` lists; any other that begins as Google Benchmark's do is refused.
 */
#ifndef GBRUN_GOOGLE_PROGRAM_HPP
#define GBRUN_GOOGLE_PROGRAM_HPP

#include <gbrun/measure.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex.h> /* <regex> takes a second to compile in each file */

/* Missing in a module, which does not call them. */
extern "C" {
__attribute__((weak)) const struct gbrun_result *gbrun_measure(const struct gbrun_subject *subject,
                                                               const char *settings);
__attribute__((weak)) void gbrun_free(const struct gbrun_result *result);
__attribute__((weak)) int32_t gbrun_fail(const char *text);
}

namespace benchmark
{
namespace internal
{

#pragma GCC visibility push(hidden)

class Program
{
  public:
    static Program &self()
    {
        static Program program;
        return program;
    }
    static int main(int argc, char **argv)
    {
        self().take(&argc, argv);
        if (self().has_unknown(argc, argv))
            return 1;
        self().run_all();
        return self().n_failed_ > 0;
    }

    /* Takes its options out of the arguments. */
    void take(int *argc, char **argv)
    {
        int n = 0;
        for (int i = 0; i < *argc; i++)
            if (i == 0 || !take_option(argv[i]))
                argv[n++] = argv[i];
        *argc = n;
        argv[n] = nullptr;
    }
    bool has_unknown(int argc, char **argv) const
    {
        for (int i = 1; i < argc; i++)
            std::fprintf(stderr, "%s: unknown argument '%s': expected what --help lists\n", argv[0],
                         argv[i]);
        return argc > 1;
    }
    void set(const std::string &key, const std::string &value)
    {
        set_[key] = value;
    }
    size_t run_all()
    {
        if (!plugin_.empty())
            return print_configuration();
        if (!gbrun_measure || !gbrun_free || !gbrun_fail)
            stop("libgbrun is not linked: add what `pkg-config --libs gbrun-benchmark` prints");
        size_t n = 0;
        for (const std::unique_ptr<Benchmark> &family : families()) {
            size_t n_visited = 0;
            for (const std::vector<int64_t> &args : arguments(*family))
                n_visited += visit(*family, args);
            for (const std::string &note : family->notes_)
                if (n_visited > 0 && !is_listing_)
                    std::fprintf(stderr, "%s: %s\n", family->name_.c_str(), note.c_str());
            n += n_visited;
        }
        return n;
    }

  private:
    typedef std::map<std::string, std::string> Settings;

    static void stop(const std::string &text)
    {
        std::fprintf(stderr, "%s\n", text.c_str());
        std::exit(1);
    }
    static void help()
    {
        std::puts(
            "--benchmark_filter=REGEX    only benchmarks whose names it is found in; all others "
            "after a '-'\n"
            "--benchmark_list_tests      print their names\n"
            "--benchmark_repetitions=N   the setting rounds\n"
            "--gbrun_set=KEY=VALUE       a setting of libgbrun: precision=0.5%, results=FILE\n"
            "--gbrun_configuration=FILE  print bench.ini for this file compiled to the module "
            "FILE");
        std::exit(0);
    }
    bool take_option(const char *text)
    {
        const std::string option(text);
        const size_t equals = option.find('=');
        const std::string name = option.substr(0, equals);
        const std::string value = equals == std::string::npos ? "true" : option.substr(equals + 1);
        const size_t second = value.find('=');
        if (name == "--benchmark_filter")
            filter_ = value == "all" ? "" : value;
        else if (name == "--benchmark_list_tests")
            is_listing_ = value != "false";
        else if (name == "--benchmark_repetitions")
            set("rounds", value);
        else if (name == "--gbrun_set" && second != std::string::npos)
            set(value.substr(0, second), value.substr(second + 1));
        else if (name == "--gbrun_configuration" && equals != std::string::npos)
            plugin_ = value;
        else if (name == "--help")
            help();
        else if (name.compare(0, 12, "--benchmark_") == 0 || name.compare(0, 8, "--gbrun_") == 0)
            stop("'" + option + "' is not supported: --help lists the flags that are");
        else
            return false;
        return true;
    }
    size_t print_configuration() const
    {
        for (const std::unique_ptr<Benchmark> &family : families()) {
            const std::string id = Plugins::id(*family);
            std::printf("[bench %s]\nplugin = %s:%s\n%s\n", id.c_str(), plugin_.c_str(), id.c_str(),
                        Plugins::settings(*family).c_str());
        }
        return families().size();
    }

    static std::vector<std::vector<int64_t>> arguments(const Benchmark &family)
    {
        return family.args_.empty() ? std::vector<std::vector<int64_t>>(1) : family.args_;
    }
    static std::string name(const Benchmark &family, const std::vector<int64_t> &args)
    {
        std::string name = family.name_;
        for (size_t i = 0; i < args.size(); i++) {
            const bool has_name = i < family.arg_names_.size() && !family.arg_names_[i].empty();
            name += "/" + (has_name ? family.arg_names_[i] + ":" : "") + std::to_string(args[i]);
        }
        return name;
    }
    bool is_wanted(const std::string &name) const
    {
        const bool is_without = !filter_.empty() && filter_[0] == '-';
        regex_t filter;
        char why[128];
        const int code = regcomp(&filter, filter_.c_str() + is_without, REG_EXTENDED | REG_NOSUB);
        if (code != 0) {
            regerror(code, &filter, why, sizeof why);
            stop("--benchmark_filter=" + filter_ + ": " + why);
        }
        const bool is_found = regexec(&filter, name.c_str(), 0, nullptr, 0) == 0;
        regfree(&filter);
        return is_found != is_without;
    }
    Settings settings(const Benchmark &family, const std::vector<int64_t> &args,
                      bool is_pausing) const
    {
        Settings all;
        all["device"] = "cpu";
        all["name"] = Plugins::id(family);
        for (size_t i = 0; i < args.size(); i++)
            all["let." + Plugins::argument(family, i)] = std::to_string(args[i]);
        if (family.iterations_ > 0 && !is_pausing)
            all["iterations"] = std::to_string(family.iterations_);
        if (family.repetitions_ > 0)
            all["rounds"] = std::to_string(family.repetitions_);
        if (family.warmup_ > 0)
            all["warmup"] = std::to_string(family.warmup_) + " s";
        if (family.min_time_ > 0 && !set_.count("policy"))
            all["floor_wall"] = std::to_string(family.min_time_) + " s";
        for (const Settings::value_type &entry : set_)
            all[entry.first] = entry.second;
        return all;
    }

    static int32_t concluded(const Running &running, bool is_well)
    {
        return is_well ? GB_OK : gbrun_fail(running.why().c_str());
    }
    static int32_t run(void *user, void *, uint64_t iterations)
    {
        Running &running = *static_cast<Running *>(user);
        return concluded(running, running.run(iterations));
    }
    static int32_t run_empty(void *user, void *, uint64_t iterations)
    {
        Running &running = *static_cast<Running *>(user);
        return concluded(running, running.run_empty(iterations));
    }
    static int32_t reset(void *user, void *)
    {
        Running &running = *static_cast<Running *>(user);
        return concluded(running, running.reset());
    }
    size_t visit(Benchmark &family, const std::vector<int64_t> &args)
    {
        const std::string title = name(family, args);
        if (!is_wanted(title))
            return 0;
        std::printf("%-40s", title.c_str());
        if (!is_listing_)
            measure(family, args);
        std::puts("");
        std::fflush(stdout);
        return 1;
    }
    void measure(Benchmark &family, const std::vector<int64_t> &args)
    {
        Running running(family, args);
        if (family.is_manual_)
            return failed("UseManualTime is served in a module of gbrun only");
        if (!running.begin()) {
            if (running.status() == GB_SKIPPED)
                std::printf(" skipped: %s", running.why().c_str());
            else
                failed(running.why());
            return;
        }
        gbrun_subject subject = gbrun_subject();
        subject.size = sizeof subject;
        subject.flags = running.is_pausing() ? static_cast<uint32_t>(GBRUN_SINGLE) : 0u;
        subject.user = &running;
        subject.run = run;
        subject.run_empty = run_empty;
        subject.reset = running.is_pausing() ? reset : nullptr;
        subject.bytes_read = running.bytes();
        subject.items = running.items();
        std::string text;
        for (const Settings::value_type &entry : settings(family, args, running.is_pausing()))
            text += entry.first + " = " + entry.second + "\n";
        const gbrun_result *result = gbrun_measure(&subject, text.c_str());
        if (result->status != GB_OK)
            failed(result->error);
        else if (!running.end())
            failed(running.why());
        else
            print(family, running, *result);
        gbrun_free(result);
    }
    void failed(const std::string &text)
    {
        std::printf(" failed: %s", text.c_str());
        n_failed_++;
    }
    static void print(const Benchmark &family, const Running &running, const gbrun_result &result)
    {
        static const struct {
            const char *name;
            double ns;
        } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
        const double unit_ns = units[family.unit_].ns * static_cast<double>(running.batch());
        const gbrun_metric *const metrics = result.metrics, *const end = metrics + result.n_metrics;
        const gbrun_metric *const counted = std::find_if(metrics, end, [](const gbrun_metric &one) {
            return std::strcmp(one.name, "instructions") == 0;
        });
        if (result.n_samples == 0 && counted != end)
            std::printf(" %10.10g instructions",
                        counted->value / static_cast<double>(running.batch()));
        else
            std::printf(" %10.4g %s", result.time_ns / unit_ns, units[family.unit_].name);
        if (std::isfinite(result.low_ns))
            std::printf("  %.4g to %.4g", result.low_ns / unit_ns, result.high_ns / unit_ns);
        std::printf("  %s", result.verdict_text);
        const double turn_s = result.time_ns / 1e9;
        if (running.bytes() > 0)
            std::printf("  bytes_per_second=%.4g", running.bytes() / turn_s);
        if (running.items() > 0)
            std::printf("  items_per_second=%.4g", running.items() / turn_s);
        for (const UserCounters::value_type &entry : running.counters())
            std::printf("  %s=%.4g%s", entry.first.c_str(), running.value(entry.second, turn_s),
                        entry.second.flags & Counter::kIsRate ? "/s" : "");
        if (!running.label().empty())
            std::printf("  %s", running.label().c_str());
    }

    std::string filter_, plugin_;
    Settings set_;
    bool is_listing_ = false;
    size_t n_failed_ = 0;
};

#pragma GCC visibility pop

} // namespace internal

inline void Initialize(int *argc, char **argv, void (*)() = nullptr)
{
    internal::Program::self().take(argc, argv);
}
inline void MaybeReenterWithoutASLR(int, char **) /* by settings of libgbrun where it matters */
{
}
inline bool ReportUnrecognizedArguments(int argc, char **argv)
{
    return internal::Program::self().has_unknown(argc, argv);
}
inline size_t RunSpecifiedBenchmarks()
{
    return internal::Program::self().run_all();
}
inline void Shutdown()
{
}
/* A label of the run, where its results are kept. */
inline void AddCustomContext(const std::string &key, const std::string &value)
{
    internal::Program::self().set("label." + key, value);
}

} // namespace benchmark

#endif
