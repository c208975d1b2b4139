/*
 * exceptions.cc - benchmarks by bench.hpp, each of which throws or has an option of each type: what
 * is thrown must become the status and the words of its case.
 */
#include <gbrun/bench.hpp>

#include <stdexcept>

namespace
{

const char *const places[] = {"nowhere", "prepare", "reset", "run", "verify", "refresh"};
const char *const kinds[] = {"error", "memory", "skip", "number", "status"};

struct thrower : gbrun::bench {
    gbrun::choice where{this, "where", places, "the function that throws"};
    gbrun::choice what{this, "what", kinds, "what it throws"};
    int calls = 0;

    void act(int32_t place)
    {
        if (where != place)
            return;
        switch (what) {
        case 0:
            throw std::runtime_error("thrown in so many words");
        case 1:
            throw std::bad_alloc();
        case 2:
            throw gbrun::stop(GB_SKIPPED, "not on this machine");
        case 3:
            throw 7;
        default:
            gbrun::require(GB_UNSUPPORTED);
        }
    }
    void prepare()
    {
        act(1);
    }
    void reset()
    {
        act(2);
    }
    void run(const gb_queue &, uint64_t iterations)
    {
        for (; iterations > 0; iterations--)
            GB_KEEP(calls++);
        act(3);
    }
    void verify()
    {
        act(4);
        expect("first", true);
        expect("second", where != 0 || what != 4, "the second is wrong");
        expect("third", true);
    }
    void refresh(uint64_t)
    {
        act(5);
    }
};

/* Its options as text, for a script to compare. */
struct options : gbrun::bench {
    static constexpr const char *version = "2.5";
    static constexpr const char *help = "A paragraph.";
    gbrun::integer whole{this, "whole", "3", "an integer", "1:9", "pieces"};
    gbrun::number real{this, "real", "0.5", "a number"};
    gbrun::flag yes{this, "yes", "on", "a flag"};
    gbrun::text word{this, "word", "abc", "a text"};
    gbrun::bytes size{this, "size", "2 KiB", "a size"};
    gbrun::duration wait{this, "wait", "1 us", "a time"};
    gbrun::integers several{this, "several", "4, 5", "integers"};
    gbrun::numbers ratios{this, "ratios", "0.25", "numbers", "0:1"};
    gbrun::text needed{this, "needed", nullptr, "a text that must be given"};

    void prepare()
    {
        work.items = 2;
        work.item = "thing";
        host->metric(host, "whole", static_cast<double>(whole), "");
        host->metric(
            host, "sum",
            real + yes + static_cast<double>(size) + wait +
                static_cast<double>(static_cast<const int64_t *>(gb_list(several).items)[1]) +
                static_cast<const double *>(gb_list(ratios).items)[0],
            "");
        host->log(host, GB_LOG_WARNING, word);
        host->log(host, GB_LOG_WARNING, needed);
    }
    double run()
    {
        return real;
    }
};

} // namespace

GB_BENCHMARKS(list)
{
    list.add<thrower>("thrower", "throws an exception where it is asked to");
    list.add<options>("options", "has an option of each type");
    list.add("bare", "a lambda alone", [n = 0]() mutable { return ++n; });
}
