/*
 * throwing.cc - throws a C++ exception out of the callback named by `where`, which C code cannot
 * catch. gbrun must report the case as crashed (SIGABRT, std::terminate) and go on. It is also the
 * fixture that the headers serve C++.
 */
#include <gbrun/gbrun.h>

#include <new>
#include <stdexcept>

namespace
{

const char *const places[] = {"create", "prepare", "run", "reset", "verify", "work", "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

struct params {
    int32_t where;
    int32_t caught;
};

const gb_option options[] = {
    GB_CHOICE(params, where, "run", places, "the callback that throws"),
    GB_BOOL(params, caught, "no", "catch it inside and fail as one should"),
};

struct bench {
    const gb_host *host;
    params settings;
};

void act(const bench &object, int32_t where)
{
    if (where == object.settings.where)
        throw std::runtime_error("thrown by a plugin");
}

int32_t guarded(void *object, int32_t where)
{
    const bench &self = *static_cast<bench *>(object);
    if (!self.settings.caught) {
        act(self, where);
        return GB_OK;
    }
    try {
        act(self, where);
    } catch (const std::exception &error) {
        return self.host->fail(self.host, error.what());
    }
    return GB_OK;
}

int32_t create(const gb_host *host, const void *settings, void **ret_bench)
{
    bench *object = new (std::nothrow) bench{host, *static_cast<const params *>(settings)};
    if (!object)
        return GB_NO_MEMORY;
    int32_t status = guarded(object, CREATE);
    if (status != GB_OK)
        delete object;
    else
        *ret_bench = object;
    return status;
}

int32_t prepare(void *object, const gb_queue *)
{
    return guarded(object, PREPARE);
}

int32_t run(void *object, const gb_queue *, uint64_t)
{
    return guarded(object, RUN);
}

int32_t reset(void *object, const gb_queue *)
{
    return guarded(object, RESET);
}

int32_t verify(void *object, const gb_queue *)
{
    return guarded(object, VERIFY);
}

int32_t work(void *object, gb_work *work)
{
    work->items = 1;
    return guarded(object, WORK);
}

void destroy(void *object)
{
    if (object)
        guarded(object, DESTROY);
    delete static_cast<bench *>(object);
}

const gb_bench_ops ops = {sizeof ops, 0,       create,  prepare, run, reset,  verify,
                          work,       destroy, nullptr, nullptr, 0,   nullptr};

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
const gb_plugin *const plugins[] = {&plugin};
const gb_module module = {sizeof module, GB_ABI_MAJOR, GB_ABI_MINOR, 1, plugins};

} // namespace

const gb_module *gb_module_v1(void)
{
    return &module;
}
