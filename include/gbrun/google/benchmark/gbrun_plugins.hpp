/*
 * gbrun_plugins.hpp - the module of a file that is compiled into a shared library, part of
 * benchmark.h. Each family is a plugin: its id is the family's name in small letters with _ for all
 * that is neither letter nor digit; its options are `benchmark`, the name as it stands, and arg0,
 * arg1 ... or arg_NAME for the arguments, with the first ones that are registered by default.
 */
#ifndef GBRUN_GOOGLE_PLUGINS_HPP
#define GBRUN_GOOGLE_PLUGINS_HPP

#include <list>

namespace benchmark
{
namespace internal
{

#pragma GCC visibility push(hidden)

class Plugins
{
  public:
    static const gb_module *module()
    {
        static Plugins all;
        return &all.module_;
    }
    /* "bm_sort_int" of "BM_Sort<int>"; the same each time, with a number where others have it. */
    static std::string id(const Benchmark &family)
    {
        size_t n_same = 1;
        for (const std::unique_ptr<Benchmark> &other : families()) {
            if (other.get() == &family)
                break;
            n_same += word(other->name_) == word(family.name_);
        }
        return word(family.name_) + (n_same > 1 ? "_" + std::to_string(n_same) : "");
    }
    static std::string argument(const Benchmark &family, size_t i)
    {
        const bool has_name = i < family.arg_names_.size() && !family.arg_names_[i].empty();
        return has_name ? word("arg_" + family.arg_names_[i]) : "arg" + std::to_string(i);
    }
    /* Keys of a configuration for what is registered: arguments, iterations, rounds. */
    static std::string settings(const Benchmark &family)
    {
        std::string text, names, values;
        const size_t n = family.args_.empty() ? 0 : family.args_[0].size();
        for (size_t i = 0; i < n; i++)
            names += (i ? ", " : "") + argument(family, i);
        std::set<std::vector<int64_t>> listed;
        for (const std::vector<int64_t> &args : family.args_)
            for (size_t i = 0; i < n && (i > 0 || listed.insert(args).second); i++)
                values += (i                ? ", "
                           : values.empty() ? ""
                           : n > 1          ? " | "
                                            : ", ") +
                          std::to_string(args[i]);
        if (n == 1)
            text += "sweep." + names + " = " + values + "\n";
        else if (n > 1)
            text += "zip.args = " + names + ": " + values + "\n";
        if (family.iterations_ > 0)
            text += "iterations = " + std::to_string(family.iterations_) + "\n";
        if (family.repetitions_ > 0)
            text += "rounds = " + std::to_string(family.repetitions_) + "\n";
        if (family.warmup_ > 0)
            text += "warmup = " + std::to_string(family.warmup_) + " s\n";
        return text + (family.is_manual_ ? "measure = manual_time\n" : "");
    }

  private:
    struct params {
        const char *name;
        int64_t args[1]; /* as many as the family has */
    };
    struct plugin {
        std::string id, summary, help;
        std::list<std::string> texts;
        std::vector<gb_option> options;
        gb_plugin described;
    };
    struct object {
        const gb_host *host;
        Running running;
        uint32_t series;
        object(const gb_host *host_, Benchmark &family, const std::vector<int64_t> &args)
            : host(host_), running(family, args), series(0)
        {
        }
    };

    Plugins()
    {
        for (const std::unique_ptr<Benchmark> &family : families())
            describe(*family);
        module_.size = sizeof module_;
        module_.abi_major = GB_ABI_MAJOR;
        module_.abi_minor = GB_ABI_MINOR;
        module_.n_plugins = static_cast<uint32_t>(listed_.size());
        module_.plugins = listed_.data();
    }
    static std::string word(const std::string &name)
    {
        std::string word;
        for (char c : name) {
            const bool is_big = c >= 'A' && c <= 'Z';
            if (is_big || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9' && !word.empty()))
                word += static_cast<char>(is_big ? c - 'A' + 'a' : c);
            else if (!word.empty() && word.back() != '_')
                word += '_';
        }
        while (!word.empty() && word.back() == '_')
            word.pop_back();
        return word.empty() ? "benchmark" : word.substr(0, 36);
    }
    static void add_option(plugin &plugin, uint32_t type, size_t offset, const std::string &name,
                           const std::string &value, const char *help)
    {
        plugin.texts.push_back(name);
        gb_option option = gb_option();
        option.size = sizeof option;
        option.type = type;
        option.offset = offset;
        option.name = plugin.texts.back().c_str();
        plugin.texts.push_back(value);
        option.default_value = plugin.texts.back().c_str();
        option.help = help;
        plugin.options.push_back(option);
    }
    void describe(const Benchmark &family)
    {
        plugins_.emplace_back();
        plugin &made = plugins_.back();
        made.id = id(family);
        made.summary = family.name_ + ", written for Google Benchmark";
        made.help = "As registered:\n\n" + settings(family);
        for (const std::string &note : family.notes_)
            made.help += "\n" + note + ".\n";
        const size_t n = family.args_.empty() ? 0 : family.args_[0].size();
        add_option(made, GB_TYPE_STRING, 0, "benchmark", family.name_, "its name in the source");
        for (size_t i = 0; i < n; i++)
            add_option(made, GB_TYPE_INT, sizeof(params) + (i - 1) * sizeof(int64_t),
                       argument(family, i), std::to_string(family.args_[0][i]),
                       "an argument of the benchmark");
        gb_plugin &described = made.described;
        described = gb_plugin();
        described.size = sizeof described;
        described.kind = GB_PLUGIN_BENCH;
        described.id = made.id.c_str();
        described.version = "1.0";
        described.summary = made.summary.c_str();
        described.help = made.help.c_str();
        described.devices = "cpu";
        described.options = made.options.data();
        described.n_options = static_cast<uint32_t>(made.options.size());
        described.params_size = sizeof(params) + n * sizeof(int64_t);
        described.ops = functions(false);
        listed_.push_back(&described);
    }

    static int32_t create(const gb_host *host, const void *given, void **ret_bench)
    {
        const params *wanted = static_cast<const params *>(given);
        for (const std::unique_ptr<Benchmark> &family : families()) {
            if (family->name_ != wanted->name)
                continue;
            const size_t n = family->args_.empty() ? 0 : family->args_[0].size();
            const int64_t *args = wanted->args;
            *ret_bench = new object(host, *family, std::vector<int64_t>(args, args + n));
            return GB_OK;
        }
        return host->fail(host, "benchmark: the module has none of this name");
    }
    static int32_t concluded(object &self, bool is_well)
    {
        const Running &running = self.running;
        return is_well                          ? GB_OK
               : running.status() == GB_SKIPPED ? self.host->skip(self.host, running.why().c_str())
                                                : self.host->fail(self.host, running.why().c_str());
    }
    static int32_t prepare(void *bench, const gb_queue *)
    {
        object &self = *static_cast<object *>(bench);
        const gb_host *host = self.host;
        if (self.running.is_manual()) {
            self.series = host->series(host, "manual_time", "ns");
            self.running.on_time = [&self](double ns) {
                self.host->sample(self.host, self.series, ns);
            };
        }
        const bool is_well = self.running.begin();
        for (const std::string &note : self.running.notes())
            host->log(host, GB_LOG_WARNING, note.c_str());
        if (self.running.is_pausing())
            host->replace(host, functions(true));
        return concluded(self, is_well);
    }
    static int32_t reset(void *bench, const gb_queue *)
    {
        object &self = *static_cast<object *>(bench);
        return concluded(self, self.running.reset());
    }
    static int32_t run(void *bench, const gb_queue *, uint64_t iterations)
    {
        object &self = *static_cast<object *>(bench);
        return self.running.run(iterations) ? GB_OK : concluded(self, false);
    }
    static int32_t run_empty(void *bench, const gb_queue *, uint64_t iterations)
    {
        object &self = *static_cast<object *>(bench);
        return concluded(self, self.running.run_empty(iterations));
    }
    static int32_t work(void *bench, gb_work *work)
    {
        const Running &running = static_cast<object *>(bench)->running;
        work->bytes_read = running.bytes();
        work->items = running.items();
        return GB_OK;
    }
    static int32_t verify(void *bench, const gb_queue *)
    {
        object &self = *static_cast<object *>(bench);
        Running &running = self.running;
        const gb_host *host = self.host;
        const bool is_well = running.end();
        for (const UserCounters::value_type &entry : running.counters()) {
            const bool is_rate = entry.second.flags & Counter::kIsRate;
            host->metric(host, (entry.first + (is_rate ? "_per_turn" : "")).c_str(),
                         running.value(entry.second, 0), "1");
        }
        if (running.complexity_n() > 0)
            host->metric(host, "complexity_n", static_cast<double>(running.complexity_n()), "1");
        if (!running.label().empty())
            host->log(host, GB_LOG_INFO, running.label().c_str());
        return concluded(self, is_well);
    }
    static void destroy(void *bench)
    {
        delete static_cast<object *>(bench);
    }
    static const gb_bench_ops *functions(bool is_pausing)
    {
        static gb_bench_ops both[2];
        gb_bench_ops &ops = both[is_pausing];
        ops.size = sizeof ops;
        ops.flags = is_pausing ? static_cast<uint32_t>(GB_BENCH_SINGLE) : 0u;
        ops.create = create;
        ops.prepare = prepare;
        ops.run = run;
        ops.run_empty = run_empty;
        ops.reset = is_pausing ? reset : nullptr;
        ops.verify = verify;
        ops.work = work;
        ops.destroy = destroy;
        return &ops;
    }

    std::list<plugin> plugins_;
    std::vector<const gb_plugin *> listed_;
    gb_module module_;
};

#pragma GCC visibility pop

} // namespace internal
} // namespace benchmark

/* Of all files of a module one. */
extern "C" __attribute__((weak, used, visibility("default"))) const struct gb_module *
gb_module_v1(void)
{
    return ::benchmark::internal::Plugins::module();
}

#endif
