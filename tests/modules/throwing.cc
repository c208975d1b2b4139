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
    int32_t caught;
    const gb_host *host;
};

const gb_option options[] = {
    GB_CHOICE(bench, where, "run", places, "the callback that throws"),
    GB_BOOL(bench, caught, "no", "catch it inside and fail as one should"),
};

int32_t act(void *object, int32_t where)
{
    const bench &self = *static_cast<bench *>(object);
    if (self.where != where)
        return GB_OK;
    if (!self.caught)
        throw std::runtime_error("thrown by a plugin");
    try {
        throw std::runtime_error("thrown by a plugin");
    } catch (const std::exception &error) {
        return self.host->fail(self.host, error.what());
    }
}

int32_t create(const gb_host *host, const void *params, void **ret_bench)
{
    bench *object = new bench(*static_cast<const bench *>(params));
    object->host = host;
    const int32_t status = act(object, CREATE);
    if (status != GB_OK)
        delete object;
    else
        *ret_bench = object;
    return status;
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
