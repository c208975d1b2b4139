/*
 * host.h - the services that gbrun gives a plugin, as a struct handed over at create.
 *
 * The struct and all it points to stay valid until the object has been destroyed. Every function
 * takes the struct itself first. Tags say when a function may be called:
 *   [create] inside create   [untimed] inside any other function but run   [timed] also inside run
 *   [any] everywhere, from any thread of the plugin
 * Unless tagged [any], call from the thread that gbrun called the plugin on.
 */
#ifndef GBRUN_HOST_H
#define GBRUN_HOST_H

#include <gbrun/check.h>
#include <gbrun/formats.h>

/* Kinds of memory. */
enum {
    GB_MEMORY_DEVICE = 1, /* where the device computes; on the CPU plain memory */
    GB_MEMORY_PINNED = 2  /* of the host, reached by the device directly; on the CPU plain memory */
};

/* What a device is; constant while it is open. */
struct gb_device_info {
    uint32_t size;
    uint32_t index;   /* among the devices of its plugin, from 0 */
    char backend[32]; /* the device plugin's id: "cpu", "cuda" */
    char model[128];  /* the same on every machine with this hardware: part of a case's identity */
    char uuid[64];    /* of this piece of hardware, or empty */
    uint64_t memory_bytes; /* installed */
    uint64_t cache_bytes;  /* the last level of cache */
    uint32_t n_units;      /* processors in use, or multiprocessors */
    uint32_t reserved;
};

/* Something that work is put on in order. On the CPU `native` is NULL: run computes and returns. */
struct gb_queue {
    uint32_t size;
    uint32_t reserved;
    void *native; /* CUDA: the CUstream, which is also the runtime's cudaStream_t */
    /* Of a benchmark with GB_BENCH_THREADS: which thread calls run with this queue, from 0, and how
     * many do; elsewhere 0 of so many, or 0 of 1. */
    uint32_t thread;
    uint32_t n_threads; /* 0: as 1 */
};

/* [any] The same of a queue of any version of gbrun. */
#define GB_THREAD(queue) (GB_HAS(queue, thread) ? (queue)->thread : UINT32_C(0))
#define GB_THREADS(queue)                                                                          \
    (GB_HAS(queue, n_threads) && (queue)->n_threads > 1 ? (queue)->n_threads : UINT32_C(1))

/* Uniform random fill; counter-based: element i is the same on every device and thread count. */
struct gb_fill {
    uint32_t size;
    uint32_t format; /* GB_F64 ...: of the elements; floating formats are rounded to nearest even */
    uint64_t stream; /* which of the independent sequences of the case's seed: one for each array */
    double low, high;  /* values in [low, high]; integers: whole numbers, both ends included */
    uint32_t integral; /* 1: whole numbers also for floating formats */
    uint32_t reserved;
};

struct gb_bench_ops; /* bench.h */

struct gb_host {
    uint32_t size;
    uint32_t reserved;
    uint64_t seed; /* of the case; the same wherever the case is run */

    /* [create] [untimed] Zeroed host memory, aligned to 64 bytes; freed by the host after destroy.
     * NULL if there is none: then return GB_NO_MEMORY. */
    void *(*allocate)(const struct gb_host *host, uint64_t bytes);

    /* [create] [untimed] [timed] Records why the case failed; returns GB_FAILED, to be returned. */
    int32_t (*fail)(const struct gb_host *host, const char *text);

    /* [create] [untimed] Records why the case cannot be run here; returns GB_SKIPPED, to be
     * returned. */
    int32_t (*skip)(const struct gb_host *host, const char *reason);

    /* [any] but run: a line for the user, stored with the case. severity: GB_LOG_... */
    void (*log)(const struct gb_host *host, int32_t severity, const char *text);

    /* [create] [untimed] A number stored and shown with the case; of a name the last value
     * counts. */
    void (*metric)(const struct gb_host *host, const char *name, double value, const char *unit);

    /* [any] Random 64 bits: a function of seed, stream and index alone. */
    uint64_t (*random)(const struct gb_host *host, uint64_t stream, uint64_t index);

    /* [create] [untimed] Fills n elements of host memory. GB_INVALID: unknown format, or low >
     * high. */
    int32_t (*fill)(const struct gb_host *host, void *data, uint64_t n, const struct gb_fill *fill);

    /* [untimed] Compares. GB_OK: passed; GB_WRONG_RESULT: did not, to be returned from verify. */
    int32_t (*check)(const struct gb_host *host, const struct gb_check *check);

    /* [any] 1 if the user wants to stop: long untimed work should return GB_CANCELLED. */
    int32_t (*cancelled)(const struct gb_host *host);

    /* The device the object was made for: benchmarks only, NULL for policies and devices. */
    const struct gb_device_info *device;

    /* [create] [untimed] Memory of the device, GB_MEMORY_...; freed by the host after destroy. */
    int32_t (*device_allocate)(const struct gb_host *host, uint64_t bytes, uint32_t kind,
                               void **ret_memory);

    /* [untimed] Copies between any two of host, device and pinned memory; done on return. */
    int32_t (*device_copy)(const struct gb_host *host, void *to, const void *from, uint64_t bytes);

    /* [untimed] Sets every byte; done on return. */
    int32_t (*device_fill)(const struct gb_host *host, void *memory, uint32_t byte, uint64_t bytes);

    /* [any] A further service by id, GB_FORMATS (formats.h), or NULL. */
    const void *(*extension)(const struct gb_host *host, const char *id);

    /* [create] Asks that no other case is measured while this one is: it needs what all devices of
     * the machine share, such as the processors or the bus. Benchmarks that always need it have
     * the flag GB_BENCH_EXCLUSIVE instead. */
    void (*exclusive)(const struct gb_host *host);

    /* The folder of the configuration, which relative paths in options start from; NULL: not
     * known. */
    const char *folder;

    /* [untimed] What the benchmark has compared itself: passed is 0 if it was wrong, the text says
     * in what, and is the reason then. One of each name a case. Returns GB_OK or GB_WRONG_RESULT,
     * to be returned from verify. */
    int32_t (*checked)(const struct gb_host *host, const char *name, int32_t passed,
                       const char *text);

    /* [untimed] How many iterations the next call of run will do, from the first reset or run on:
     * reset prepares so many inputs, and run takes a fresh one for each. On every device. 0: not
     * known, of policies and devices. */
    uint64_t iterations;

    /* [create] [untimed] A series of samples of the benchmark's own, beside the times that gbrun
     * takes: latencies of messages, times that a kernel wrote, depths of a queue. name as an id of
     * a plugin; unit: ns, us, ms or s of times, else any. Returns its number for `sample`, from 1;
     * 0: name or unit is refused, and a message of the case says why. */
    uint32_t (*series)(const struct gb_host *host, const char *name, const char *unit);

    /* [any] One value of a series. Costs a few instructions: each thread has a buffer of its own,
     * which is emptied between batches of samples. What is given while samples that count are
     * measured, or in `collect`, is kept; in a warm-up or in verify it is not. */
    void (*sample)(const struct gb_host *host, uint32_t series, double value);

    /* [create] What the process has got by the end of `create` stays in it for later cases: an
     * interpreter, libraries, their memory, threads and variables of the environment. It is no
     * trace of this case; nor is memory that it has got by the end of the warm-up. Benchmarks
     * only. */
    void (*keep)(const struct gb_host *host);

    /* [create], and in prepare: functions and flags of this object in place of those of its
     * descriptor, copied, from work on; for what depends on params, such as a
     * reset that only some need. The flags GB_BENCH_EXCLUSIVE and GB_BENCH_THREADS are the
     * descriptor's. Benchmarks only. */
    void (*replace)(const struct gb_host *host, const struct gb_bench_ops *ops);

    /* In `build`: what is known of the device beside host->device, by the names in the table
     * device_fact of results files, such as "compute_capability". NULL: nothing. Lives until build
     * returns. */
    const char *(*device_fact)(const struct gb_host *host, const char *name);

    /* Of policies: which part of the case's samples this visit is to take, as the case has several
     * visits that are judged together. Least times and numbers of samples are this part of what one
     * visit alone would need, and its interval may be 2.5 times as wide. 1 or 0: all. */
    double share;

    /* [untimed] As `fill`, the same numbers, of memory of device_allocate, by the device itself,
     * which is many times as fast; enqueued only. GB_UNSUPPORTED: it does not fill memory, or not
     * in this format; nothing was done. */
    int32_t (*device_draw)(const struct gb_host *host, const struct gb_queue *queue, void *memory,
                           uint64_t n, const struct gb_fill *fill);
    /* Of policies, at the first sample: for how long the device had been under load before, at the
     * clock that it has now, which it counts. 0: not known. */
    double load_ns;
};

#endif
