/*
 * throwing.cc - throws a C++ exception out of the callback named by `where`, which C code cannot
 * catch. gbrun must report the case as crashed (SIGABRT, std::terminate) and go on. It is also the
 * fixture that the headers serve C++.
 */
#include <gbrun/gbrun.h>

#include <stdexcept>

namespace
{

const char *const places[] = {"create", "run"};
enum { CREATE, RUN };

struct params {
    int32_t where;
};

const gb_option options[] = {
    GB_CHOICE(params, where, "run", places, "the callback that throws"),
};

int32_t act(const void *object, int32_t where)
{
    if (static_cast<const params *>(object)->where == where)
        throw std::runtime_error("thrown by a plugin");
    return GB_OK;
}

int32_t create(const gb_host *, const void *params, void **ret_bench)
{
    *ret_bench = const_cast<void *>(params);
    return act(params, CREATE);
}

int32_t run(void *bench, const gb_queue *, uint64_t)
{
    return act(bench, RUN);
}

const gb_bench_ops ops = {sizeof ops, 0,       create,  nullptr, run,     nullptr, nullptr, nullptr,
                          nullptr,    nullptr, nullptr, 0,       nullptr, nullptr, nullptr};

const gb_plugin plugin = {sizeof plugin,
                          GB_PLUGIN_BENCH,
                          "throwing",
                          "1.0",
                          "throws out of a callback",
                          nullptr,
                          nullptr,
                          options,
                          sizeof options / sizeof options[0],
                          0,
                          sizeof(params),
                          &ops,
                          nullptr};

} // namespace

GB_MODULE(&plugin)
