/*
 * simple.h - less to write in C, for a benchmark of the CPU. Its object is the struct that the
 * option table fills: options, then what else it needs, which is zero at first, and
 * `const struct gb_host *host`, which is set before prepare.
 *
 *   struct clear {
 *       const struct gb_host *host;
 *       uint64_t bytes;
 *       char *memory;
 *   };
 *   static const struct gb_option options[] = {GB_BYTES(struct clear, bytes, "1MiB", "1:",
 * "size")};
 *
 *   GB_UNTIMED(prepare, struct clear, clear)
 *   {
 *       clear->memory = clear->host->allocate(clear->host, clear->bytes);
 *       return clear->memory ? GB_OK : GB_NO_MEMORY;
 *   }
 *   GB_TIMED(run, struct clear, clear)
 *   {
 *       memset(clear->memory, 0, clear->bytes);
 *   }
 *   GB_BENCH(clear, struct clear, options, "sets memory to zero", .prepare = prepare, .run = run)
 *   GB_MODULE(&clear)
 */
#ifndef GBRUN_SIMPLE_H
#define GBRUN_SIMPLE_H

#include <gbrun/bench.h>
#include <gbrun/module.h>

/* The head of a prepare, reset or verify: its body returns a status. */
#define GB_UNTIMED(function, type, object)                                                         \
    static int32_t function##_body(type *object);                                                  \
    static int32_t function(void *object, const struct gb_queue *queue)                            \
    {                                                                                              \
        (void)queue;                                                                               \
        return function##_body((type *)object);                                                    \
    }                                                                                              \
    static int32_t function##_body(type *object)

/* The head of a run: its body does one iteration and returns nothing. */
#define GB_TIMED(function, type, object)                                                           \
    static void function##_body(type *object);                                                     \
    static int32_t function(void *object, const struct gb_queue *queue, uint64_t iterations)       \
    {                                                                                              \
        (void)queue;                                                                               \
        for (; iterations > 0; iterations--) {                                                     \
            function##_body((type *)object);                                                       \
            GB_CLOBBER(); /* no iteration is left out */                                           \
        }                                                                                          \
        return GB_OK;                                                                              \
    }                                                                                              \
    static void function##_body(type *object)

/* A whole work: the members of struct gb_work, as values of the object.
 *   GB_WORK(work, struct clear, clear, .bytes_written = (double)clear->bytes) */
#define GB_WORK(function, type, object, ...)                                                       \
    static int32_t function(void *object##_object, struct gb_work *ret)                            \
    {                                                                                              \
        const type *object = (const type *)object##_object;                                        \
        const struct gb_work known = {.size = ret->size, __VA_ARGS__};                             \
        (void)object;                                                                              \
        /* A host that knows less has less room. */                                                \
        __builtin_memcpy(ret, &known, ret->size < sizeof known ? ret->size : sizeof known);        \
        return GB_OK;                                                                              \
    }

/* The plugin `name`, which is its id, with the functions of struct gb_bench_ops that follow. Its
 * create copies what the options say into an object of the type. */
#define GB_BENCH(name, type, options_, summary_, ...)                                              \
    GB_BENCH_ON("cpu", name, type, options_, summary_, __VA_ARGS__)
/* The same for other devices than the CPU: their ids with blanks between. */
#define GB_BENCH_ON(devices_, name, type, options_, summary_, ...)                                 \
    static int32_t name##_create(const struct gb_host *host, const void *params, void **ret_bench) \
    {                                                                                              \
        type *object = (type *)host->allocate(host, sizeof *object);                               \
        if (!object)                                                                               \
            return GB_NO_MEMORY;                                                                   \
        *object = *(const type *)params;                                                           \
        object->host = host;                                                                       \
        *ret_bench = object;                                                                       \
        return GB_OK;                                                                              \
    }                                                                                              \
    static const struct gb_bench_ops name##_ops = {                                                \
        .size = (uint32_t)sizeof name##_ops, .create = name##_create, __VA_ARGS__};                \
    static const struct gb_plugin name = {GB_PLUGIN(BENCH, #name, "1.0", summary_),                \
                                          .devices = devices_, GB_OPTIONS(options_, type),         \
                                          .ops = &name##_ops};

/* An array of n random numbers from low to high, whole ones if `integral`: `array` itself filled
 * anew, or if that is NULL one from the host. NULL: out of memory, or no such format. `stream` as
 * in struct gb_fill. */
static inline void *gb_random(const struct gb_host *host, void *array, uint32_t format, int64_t n,
                              double low, double high, uint64_t stream)
{
    const struct gb_formats *formats = (const struct gb_formats *)host->extension(host, GB_FORMATS);
    const struct gb_format *known = formats ? formats->describe(format) : NULL;
    struct gb_fill fill;
    __builtin_memset(&fill, 0, sizeof fill);
    fill.size = sizeof fill;
    fill.format = format;
    fill.stream = stream;
    fill.low = low;
    fill.high = high;
    if (!array && known)
        array = host->allocate(host, (uint64_t)n * known->bytes);
    return array && host->fill(host, array, (uint64_t)n, &fill) == GB_OK ? array : NULL;
}

/* [verify] Compares one number with a reference computed in another way, by the relative error. */
static inline int32_t gb_check_number(const struct gb_host *host, const char *name, double output,
                                      double reference, double tolerance)
{
    struct gb_check check;
    __builtin_memset(&check, 0, sizeof check);
    check.size = sizeof check;
    check.format = GB_F64;
    check.name = name;
    check.n = 1;
    check.output = &output;
    check.reference = &reference;
    check.default_metric = "rel";
    check.default_tolerance = tolerance;
    return host->check(host, &check);
}

#endif
