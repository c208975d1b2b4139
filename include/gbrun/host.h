/*
 * host.h - the services that gbrun gives a plugin, as a struct handed over at create.
 *
 * The struct and all it points to stay valid until the object has been destroyed. Every function
 * takes the struct itself first. Tags say when a function may be called:
 *   [create] inside create   [untimed] inside any other op but run   [timed] also inside run
 *   [any] everywhere, from any thread of the plugin
 * Unless tagged [any], call from the thread that gbrun called the plugin on.
 */
#ifndef GBRUN_HOST_H
#define GBRUN_HOST_H

#include <gbrun/abi.h>

/* Number formats of arrays that cross the border. */
enum {
    GB_F64 = 1,
    GB_F32 = 2,
    GB_F16 = 3,
    GB_BF16 = 4,
    GB_TF32 = 5, /* stored as 4 bytes, the 13 low bits of the significand zero */
    GB_F8_E4M3 = 6,
    GB_F8_E5M2 = 7,
    GB_I8 = 8,
    GB_I32 = 9,
    GB_I64 = 10,
    GB_U8 = 11,
    GB_U32 = 12,
    GB_U64 = 13
};

/* Kinds of memory. */
enum {
    GB_MEMORY_DEVICE = 1, /* where the device computes; on the CPU device plain memory */
    GB_MEMORY_PINNED = 2 /* host memory that the device reaches directly; on the CPU plain memory */
};

/* What a device is; constant while it is open. */
struct gb_device_info {
    uint32_t size;
    uint32_t index;   /* among the devices of its plugin, from 0 */
    char backend[32]; /* the device plugin's id: "cpu", "cuda" */
    char model[128];  /* the same on every machine with this hardware: part of a case's identity */
    char uuid[64];    /* one piece of hardware, or empty */
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
};

/* Uniform random fill; counter-based, so that element i is the same on every device and thread
 * count. */
struct gb_fill {
    uint32_t size;
    uint32_t format; /* GB_F64 ...: of the elements; floating formats are rounded to nearest even */
    uint64_t stream; /* which of the independent sequences of the case's seed: one for each array */
    double low, high;  /* values in [low, high]; integers: whole numbers, both ends included */
    uint32_t integral; /* 1: whole numbers also for floating formats */
    uint32_t reserved;
};

/*
 * One comparison of an output with its reference. Arrays hold n elements and are host memory.
 * The tolerances that count are the user's (check.abs, check.rms, ... in bench.ini); where he named
 * none, it is the benchmark's default_metric and default_tolerance.
 */
struct gb_check {
    uint32_t size;
    uint32_t format;         /* GB_F64 ...: of `output` */
    const char *name;        /* "C", for messages; one comparison of each name a case */
    uint64_t n;              /* elements */
    const void *output;      /* what the code under test computed */
    const double *reference; /* float64, not rounded to the output's format */
    const double *magnitude; /* for the bound: sum |a||b| an element; NULL if not known */
    uint64_t n_products;     /* for the bound: terms in each sum (K); 0 if not known */
    uint32_t accumulate;     /* for the bound: the format that sums are kept in; 0: the output's */
    uint32_t flags;          /* GB_CHECK_... */
    const char *default_metric; /* "abs", "rel", "rel_floor", "ulp", "rms" or "bound" */
    double default_tolerance;
    double safety;             /* for the bound: its factor; 0: 1 */
    uint32_t bound;            /* for the bound: GB_BOUND_... */
    uint32_t summation;        /* for the bound: GB_SUM_... */
    uint32_t products_at_once; /* for the bound: products in one step of a sum (b); 0: 1 */
    uint32_t extra_bits;       /* GB_SUM_ALIGNED: bits kept below those of the sum (f) */
};

/* What is assumed of the rounding errors in a sum. */
enum {
    GB_BOUND_DETERMINISTIC = 0, /* all of them the worst, all in one direction */
    GB_BOUND_PROBABILISTIC = 1  /* independent, of both directions: products of mixed signs only */
};

/* How the steps of a sum are rounded; b products that are one step are summed exactly in it. */
enum {
    GB_SUM_NEAREST = 0,   /* to nearest: ordinary arithmetic with b = 1 */
    GB_SUM_TRUNCATED = 1, /* towards zero */
    GB_SUM_ALIGNED = 2 /* tensor cores: b products and the sum so far are cut off f bits below the
                        * largest of them, added, and truncated. V100: b 4, f 0; A100 (fp16): 8, 1;
                        * H100: 16, 2 */
};

enum {
    GB_CHECK_EXACT = 1u,         /* every element must match to the bit; tolerances do not apply */
    GB_CHECK_ALLOW_OVERFLOW = 2u /* many infinities do not make the comparison vacuous */
};

struct gb_host {
    uint32_t size;
    uint32_t reserved;
    uint64_t seed; /* of the case; the same wherever the case is run */

    /* [create] [untimed] Zeroed host memory, aligned to 64 bytes; freed by the host after destroy.
     * NULL if there is none: then return GB_NO_MEMORY. */
    void *(*allocate)(const struct gb_host *host, uint64_t bytes);

    /* [create] [untimed] [timed] Says why the case failed; returns GB_FAILED, to be returned. */
    int32_t (*fail)(const struct gb_host *host, const char *text);

    /* [create] [untimed] Says why the case cannot be run here; returns GB_SKIPPED, to be returned.
     */
    int32_t (*skip)(const struct gb_host *host, const char *reason);

    /* [any] but run: a line for the user, stored with the case. severity: GB_LOG_... */
    void (*log)(const struct gb_host *host, int32_t severity, const char *text);

    /* [create] [untimed] A number stored and shown with the case; the last value of a name counts.
     */
    void (*metric)(const struct gb_host *host, const char *name, double value, const char *unit);

    /* [any] Random 64 bits: a function of seed, stream and index alone. */
    uint64_t (*random)(const struct gb_host *host, uint64_t stream, uint64_t index);

    /* [create] [untimed] Fills n elements of host memory. GB_INVALID: unknown format or low > high.
     */
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

    /* [any] A further service by id, or NULL. */
    const void *(*extension)(const struct gb_host *host, const char *id);

    /* [create] Asks that no other case is measured while this one is: it needs what all devices of
     * the machine share, such as the processors or the bus. Benchmarks that always need it have
     * the flag GB_BENCH_EXCLUSIVE instead. */
    void (*exclusive)(const struct gb_host *host);

    /* The folder of the configuration, from which relative paths in options start; NULL: none is
     * known. */
    const char *folder;
};

#endif
