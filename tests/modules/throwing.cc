/*
 * throwing.cc - throws a C++ exception out of the callback named by `where`, which C code cannot
 * catch. gbrun must report the case as crashed (SIGABRT, std::terminate) and go on. It is also the
 * fixture that the headers serve C++.
 */
#include <gbrun/gbrun.h>

#include <stdexcept>

namespace
{

const char *const places[] = {"create", "prepare", "run", "reset", "verify", "work", "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

struct bench {
    int32_t where;
};

const gb_option options[] = {
    GB_CHOICE(bench, where, "run", places, "the callback that throws"),
};

int32_t act(void *object, int32_t where)
{
    if (static_cast<bench *>(object)->where == where)
        throw std::runtime_error("thrown by a plugin");
    return GB_OK;
}

int32_t create(const gb_host *, const void *params, void **ret_bench)
{
    *ret_bench = new bench(*static_cast<const bench *>(params));
    return act(*ret_bench, CREATE);
}

template <int32_t where> int32_t untimed(void *object, const gb_queue *)
{
    return act(object, where);
}

int32_t run(void *object, const gb_queue *, uint64_t)
{
    return act(object, RUN);
}

int32_t work(void *object, gb_work *work)
{
    work->items = 1;
    return act(object, WORK);
}

void destroy(void *object)
{
    act(object, DESTROY);
    delete static_cast<bench *>(object);
}

const gb_bench_ops ops = {sizeof ops,      0,    create,  untimed<PREPARE>, run,     untimed<RESET>,
                          untimed<VERIFY>, work, destroy, nullptr,          nullptr, 0,
                          nullptr};

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
                          sizeof(bench),
                          &ops,
                          nullptr};

} // namespace

GB_MODULE(&plugin)
