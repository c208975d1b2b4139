/* plain.c - benchmarks that behave well, each with one trait that a test is about. */
#define _GNU_SOURCE
#include <gbrun/simple.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of whose arguments most are not looked at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static const struct gb_option none[] = {};

static int32_t do_nothing(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    return GB_OK;
}

/* ---- single: its run does one iteration only, in no time. It fails if it is given more, as a host
 * would that lengthens samples until the clock can resolve them. ---- */

struct without_options {
    const struct gb_host *host;
};

static int32_t run_one(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct gb_host *host = ((struct without_options *)object)->host;
    return iterations == 1 ? GB_OK : host->fail(host, "run was given more than one iteration");
}

GB_BENCH_ON(NULL, single, struct without_options, none, "does one iteration at a time",
            .flags = GB_BENCH_SINGLE, .run = run_one)

/* ---- two_second: says that it waits for the device inside run ---- */

GB_BENCH_ON(NULL, two_second, struct without_options, none, "waits for the device",
            .flags = GB_BENCH_SYNCHRONIZES, .run = do_nothing)

/* ---- lasting: lasts as long as it says, on a device that goes by what it says (`fake` with
 * by_items): `duration` times `kernels` are its items. ---- */

struct lasting {
    double duration;
    int64_t kernels;
    double shift;
    const struct gb_host *host;
};

static const struct gb_option lasting_options[] = {
    GB_DURATION(struct lasting, duration, "10us", "0:", "what a kernel of it takes"),
    GB_INT(struct lasting, kernels, "1", "1:", "kernels", "in an iteration"),
    GB_FLOAT(struct lasting, shift, "0", "0:1", NULL,
             "longer or shorter by up to this share, as the seed says"),
};

static int32_t lasting_work(void *object, struct gb_work *work)
{
    const struct lasting *lasting = object;
    const double random = 0x1p-63 * (double)lasting->host->random(lasting->host, 1, 0) - 1;
    work->items = lasting->duration * (double)lasting->kernels * (1 + lasting->shift * random);
    work->item = "ns";
    return GB_OK;
}

GB_BENCH_ON(NULL, lasting, struct lasting, lasting_options, "says how long it lasts",
            .run = do_nothing, .work = lasting_work)

/* ---- terse: many options whose texts are as short as they may be: it must be found. ---- */

struct terse {
    const char *texts[24];
    const struct gb_host *host;
};

#define TERSE(i, name_)                                                                            \
    {                                                                                              \
        .size = sizeof(struct gb_option), .type = GB_TYPE_STRING, .name = (name_),                 \
        .offset = (i) * sizeof(char *), .default_value = "", .help = "x"                           \
    }
static const struct gb_option terse_options[] = {
    TERSE(0, "a"),  TERSE(1, "b"),  TERSE(2, "c"),  TERSE(3, "d"),  TERSE(4, "e"),  TERSE(5, "f"),
    TERSE(6, "g"),  TERSE(7, "h"),  TERSE(8, "i"),  TERSE(9, "j"),  TERSE(10, "k"), TERSE(11, "l"),
    TERSE(12, "m"), TERSE(13, "n"), TERSE(14, "o"), TERSE(15, "p"), TERSE(16, "q"), TERSE(17, "r"),
    TERSE(18, "s"), TERSE(19, "t"), TERSE(20, "u"), TERSE(21, "v"), TERSE(22, "w"), TERSE(23, "x")};

static int32_t terse_create(const struct gb_host *host, const void *params, void **ret_bench)
{
    *ret_bench = (void *)(uintptr_t)host;
    return GB_OK;
}

static const struct gb_bench_ops terse_ops = {
    .size = sizeof terse_ops, .flags = GB_BENCH_SINGLE, .create = terse_create, .run = do_nothing};
static const struct gb_plugin terse = {GB_PLUGIN(BENCH, "terse", "", ""),
                                       GB_OPTIONS(terse_options, struct terse), .ops = &terse_ops};

/* ---- process: reports what it finds of the process it runs in, as metrics: its pid, how many CPUs
 * it may use, the number in the environment variable GBRUN_TEST (-1: not set), how many devices
 * FAKE_VISIBLE names (0: not set), and how often this process has made the benchmark. gbrun must
 * give each value of env.NAME, and each case that is isolated, a process of its own, and reuse one
 * for all others. ---- */

static int n_visible(void)
{
    const char *list = getenv("FAKE_VISIBLE");
    int n = list != NULL;
    while (list && (list = strchr(list, ',')) != NULL) {
        list++;
        n++;
    }
    return n;
}

GB_UNTIMED(process_prepare, struct without_options, process)
{
    static int n_made;
    const struct gb_host *host = process->host;
    const char *number = getenv("GBRUN_TEST");
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    host->metric(host, "pid", (double)getpid(), "");
    host->metric(host, "cpus", (double)CPU_COUNT(&cpus), "");
    host->metric(host, "variable", number ? strtod(number, NULL) : -1, "");
    host->metric(host, "visible", n_visible(), "");
    host->metric(host, "made", (double)++n_made, "");
    return GB_OK;
}

GB_TIMED(process_run, struct without_options, process)
{
}

GB_BENCH_ON(NULL, process, struct without_options, none, "reports the process it runs in",
            .prepare = process_prepare, .run = process_run)

/* ---- batches: run uses up one input an iteration, and reset prepares as many as the host says
 * will be needed. It fails if run gets another number, or if an input is used twice. ---- */

enum { MOST = 1 << 17 };
struct batches {
    const struct gb_host *host;
    uint64_t n_prepared;
    unsigned char *is_fresh;
};

GB_UNTIMED(batches_prepare, struct batches, batches)
{
    batches->is_fresh = batches->host->allocate(batches->host, MOST);
    return batches->is_fresh ? GB_OK : GB_NO_MEMORY;
}

GB_UNTIMED(batches_reset, struct batches, batches)
{
    const struct gb_host *host = batches->host;
    batches->n_prepared = GB_HAS(host, iterations) ? host->iterations : 0;
    if (batches->n_prepared == 0 || batches->n_prepared > MOST)
        return host->fail(host, "reset: no usable number of iterations");
    memset(batches->is_fresh, 1, batches->n_prepared);
    return GB_OK;
}

static int32_t batches_run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    struct batches *batches = bench;
    const struct gb_host *host = batches->host;
    if (iterations != batches->n_prepared)
        return host->fail(host, "run: not the number of iterations announced");
    for (uint64_t i = 0; i < iterations; i++) {
        if (!batches->is_fresh[i])
            return host->fail(host, "run: an input was used already");
        batches->is_fresh[i] = 0;
        GB_CLOBBER();
    }
    return GB_OK;
}

static int32_t batches_refresh(void *bench, const struct gb_queue *queue, uint64_t set)
{
    ((struct batches *)bench)->n_prepared = 0;
    return GB_OK;
}

GB_UNTIMED(batches_verify, const struct batches, batches)
{
    const int32_t is_right = batches->n_prepared > 0 && !batches->is_fresh[0] &&
                             batches->host->iterations == batches->n_prepared;
    return batches->host->checked(batches->host, "used up", is_right, "");
}

GB_BENCH(batches, struct batches, none, "uses up one input an iteration",
         .prepare = batches_prepare, .run = batches_run, .reset = batches_reset,
         .verify = batches_verify, .refresh = batches_refresh)

GB_MODULE(&single, &two_second, &lasting, &terse, &process, &batches)
