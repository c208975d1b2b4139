/*
 * bench.h - a benchmark: code to be timed.
 *
 * Order of calls for one case:
 *   [build,] create, prepare, work, ((reset, run)..., collect)..., verify, destroy
 * The host starts and stops every clock. Functions marked optional may be NULL. Each returns a
 * status of abi.h; call host->fail or host->skip for the words that go with it.
 */
#ifndef GBRUN_BENCH_H
#define GBRUN_BENCH_H

#include <gbrun/host.h>

/* What one iteration does; 0 where it does not apply. Rates and intensity are derived from it. */
struct gb_work {
    uint32_t size;
    uint32_t reserved;
    double flops;         /* floating-point operations */
    double bytes_read;    /* from memory, each byte once */
    double bytes_written; /* to memory, each byte once */
    double items;         /* whatever else is counted: elements, messages, keys */
    const char *item;     /* the items' name in the singular, or NULL; lives as long as the bench */
    uint32_t math_format; /* GB_F64 ...: of the numbers that are multiplied; 0: not said */
    uint32_t math_unit;   /* GB_MATH_...: what computes; 0: not said */
};

/* Units that compute. With the format they name the roof that a rate of flops is compared with. */
enum {
    GB_MATH_SCALAR = 1, /* a CPU, one number an instruction */
    GB_MATH_VECTOR = 2, /* vectors of a CPU, ordinary cores of a GPU */
    GB_MATH_TENSOR = 3  /* tensor cores */
};

/* [work] Sets both where the host knows of them: an older one has less room in *work. */
#define GB_WORK_MATH(work, format, unit)                                                           \
    do {                                                                                           \
        if (GB_HAS(work, math_unit)) {                                                             \
            (work)->math_format = (format);                                                        \
            (work)->math_unit = (unit);                                                            \
        }                                                                                          \
    } while (0)

enum {
    /* run waits for the device itself: samples cannot be queued ahead */
    GB_BENCH_SYNCHRONIZES = 1u,
    /* run must be called with iterations == 1: what is shorter than the clock can resolve cannot be
     * measured. A run that uses up its input needs no flag, if reset prepares host->iterations */
    GB_BENCH_SINGLE = 2u,
    /* uses the whole machine: nothing else is run beside it */
    GB_BENCH_EXCLUSIVE = 4u,
    /* run must be called for every sample, as it counts its calls or swaps buffers: what one call
     * enqueued must not be launched a second time */
    GB_BENCH_EVERY_CALL = 8u,
    /* run may be called by several threads at the same time, as many as the case's `threads`: each
     * does `iterations` iterations of its share, and GB_THREAD(queue) says which it is */
    GB_BENCH_THREADS = 16u,
    /* `launch = auto` means a graph also where run enqueues several kernels, if they can be one:
     * for code that launches so slowly that the gaps between its kernels in a stream are no part of
     * what is measured */
    GB_BENCH_PREFERS_GRAPH = 32u
};

struct gb_counting; /* counters.h */

struct gb_bench_ops {
    uint32_t size;
    uint32_t flags; /* GB_BENCH_... */

    /* [create] params: the struct filled from the option table, valid until destroy. On success
     * *ret_bench is the object passed to all else; on failure it is left alone. */
    int32_t (*create)(const struct gb_host *host, const void *params, void **ret_bench);

    /* [untimed] Allocates, fills, uploads; enqueued work is waited for afterwards. Optional. */
    int32_t (*prepare)(void *bench, const struct gb_queue *queue);

    /* [timed] The region that is measured: does its work `iterations` times. Enqueues on the queue
     * and returns, or computes and returns. What it enqueues may be captured and launched many
     * times, unless GB_BENCH_EVERY_CALL says that it must not. May fork to its own streams if it
     * joins them back to the queue. Does not allocate, log or check. */
    int32_t (*run)(void *bench, const struct gb_queue *queue, uint64_t iterations);

    /* [untimed] Called before every sample, to undo what run did to its inputs: to prepare those of
     * host->iterations iterations. Optional. */
    int32_t (*reset)(void *bench, const struct gb_queue *queue);

    /* [untimed] Called after the last sample, and after those on what `refresh` made: compares the
     * outputs through host->check and returns what that returned. Optional: without it the case is
     * shown as unchecked. */
    int32_t (*verify)(void *bench, const struct gb_queue *queue);

    /* [untimed] Fills in what one iteration does; work->size is set. Optional. */
    int32_t (*work)(void *bench, struct gb_work *work);

    /* [untimed] Frees what create and prepare took elsewhere than from the host. Optional. */
    void (*destroy)(void *bench);

    /* [untimed] Called before samples (after it: reset) that verify follows at once. Makes new
     * inputs in the memory of the old ones, a function of the seed and the number `set`, with 0
     * those of prepare; and fills the outputs with other numbers that could be results, so that run
     * cannot see that they are none. verify copies outputs before it does anything that takes time.
     * There may be further objects of the same params, which are run in turn: where create cannot
     * make them it returns GB_SKIPPED. GB_SKIPPED from refresh: nothing of this case is compared.
     * Optional: without it results are verified at the end only, where one from an earlier call
     * looks like one of the last. */
    int32_t (*refresh)(void *bench, const struct gb_queue *queue, uint64_t set);

    /* [untimed] Called after each batch of samples, when all their work is done: gives by
     * host->sample what they have recorded elsewhere, such as stamps in memory of the device, and
     * makes room for further ones. After a warm-up too; what it gives then is left out. Optional.
     */
    int32_t (*collect)(void *bench, const struct gb_queue *queue);

    /* What a call of run takes beside its iterations, such as the way into an interpreter, up to a
     * millisecond: where run computes itself, a sample has as many iterations as make this a
     * thousandth of it, if that may be chosen. 0: a few instructions, as of compiled code. */
    double entry_ns;

    /* Does without a device what prepare would have to do once for these params, such as compiling,
     * and leaves it where prepare finds it: in a folder, whatever others do there at the same time.
     * Called in a process of its own without create, beside cases that are built or measured; it
     * may be stopped for seconds while one is measured, so it holds no lock that prepare waits for.
     * host->device says for which device, host->device_fact more of it; beside them allocate, log,
     * fail, skip, cancelled, random and folder are of use. GB_OK also where there is nothing to do.
     * Any other status is that of the case, which is not measured then. Not always called: prepare
     * does what it does not find. Optional. */
    int32_t (*build)(const struct gb_host *host, const void *params);

    /* [untimed] Of a clock that counts (GB_CLOCK_COUNTS): run with nothing to do in the place of
     * what is measured, the way to it included. What this takes is no part of the count. Optional:
     * a function that returns at once. */
    int32_t (*run_empty)(void *bench, const struct gb_queue *queue, uint64_t iterations);

    /* [untimed] In the place of the device's count, for such a clock: run starts what is
     * counted, another process. A reset comes before. Optional. */
    int32_t (*count)(void *bench, const struct gb_queue *queue, struct gb_counting *counting);
};

/*
 * Receives one error in the params: in the value of which option ("rows", of a map "arg.1"), at
 * which of its bytes from 0, and what is wrong. The texts are copied.
 */
typedef void gb_problem_fn(void *context, const char *option, uint64_t offset, const char *text);

/* What params say of the sums of products; zeroed: to nearest, of both signs. */
struct gb_sums {
    uint32_t size;
    uint32_t summation;    /* GB_SUM_... */
    uint32_t has_one_sign; /* 1: the products of a sum all have the same sign */
    uint32_t reserved;
};

/* What extension(GB_VALIDATION) of a benchmark's descriptor gives, if it checks its params. */
#define GB_VALIDATION "gbrun.validation/1"
struct gb_validation {
    uint32_t size;
    uint32_t reserved;

    /* Before anything is run, also for `gbrun check`: reports all errors in the params of a case
     * that the option table cannot find. It runs in a process of its own without a device:
     * host->device is NULL, and only allocate, log and folder of the host are of use. GB_OK also
     * where problems were reported. */
    int32_t (*validate)(const struct gb_host *host, const void *params, gb_problem_fn *problem,
                        void *context);

    /* What is known of the sums that will be compared, under the same conditions: a bound that does
     * not hold for them (check.bound_kind) is refused. Called after a `validate` that reported
     * nothing; ret->size is set. Optional, as is `validate` beside it. */
    int32_t (*sums)(const struct gb_host *host, const void *params, struct gb_sums *ret);
};

/* Compiler barriers (DoNotOptimize): the value counts as used; all memory as read and written. */
#define GB_KEEP(value) __asm__ volatile("" : : "r,m"(value) : "memory")
#define GB_CLOBBER() __asm__ volatile("" : : : "memory")

/* A product that must be rounded before it is added to anything: a number or a vector in a
 * register. Without it GCC and Clang fuse the two where the processor can, such as on every
 * AArch64, and the last digits depend on machine and options. */
#if defined(__x86_64__)
#define GB_ROUND(product) __asm__("" : "+x"(product))
#elif defined(__aarch64__)
#define GB_ROUND(product) __asm__("" : "+w"(product))
#else
#define GB_ROUND(product) __asm__("" : "+m"(product))
#endif

#endif
