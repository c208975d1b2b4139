/* test_cpu_counters.c - counters of the CPU device. What no machine lacks is what the kernel
 * counts itself, such as page faults; where even that is forbidden, the reason is tested. */
#include "tests/plugins/device_fixture.h"

#include <gbrun/counters.h>
#include <pthread.h>
#include <sys/mman.h>

enum { PAGES = 256, SLACK = 24, VALUES_MAX = 64 };

static const struct gb_counters *counters;
static struct gb_counting counting;

/* --- a benchmark that touches fresh pages --- */

enum { HERE, OLD_THREAD, NEW_THREAD };

struct toucher {
    int where;
    int n_run, n_reset;
    int fail_run_at, fail_reset_at;
    pthread_t thread;
    pthread_barrier_t begin, end;
};
static struct toucher toucher;

static void setup(void)
{
    load_device("device_cpu", "cpu");
    counting = (struct gb_counting){.size = sizeof counting};
    toucher = (struct toucher){.where = HERE};
    counters = plugin->extension(GB_COUNTERS);
    ck_assert_ptr_nonnull(counters);
    set("flush", "64KiB");
    open_device();
}

TEST_FIXTURE(setup, close_device)

static void *touch(void *context)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, (size_t)(PAGES * bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    madvise(memory, (size_t)(PAGES * bytes), MADV_NOHUGEPAGE);
    for (long i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * bytes] = 1;
    munmap(memory, (size_t)(PAGES * bytes));
    return NULL;
}

static void *touch_when_asked(void *object)
{
    for (;;) {
        pthread_barrier_wait(&toucher.begin);
        if (toucher.where != OLD_THREAD)
            return NULL;
        touch(NULL);
        pthread_barrier_wait(&toucher.end);
    }
}

static void touch_there(void)
{
    pthread_t thread;
    switch (toucher.where) {
    case HERE:
        touch(NULL);
        break;
    case NEW_THREAD:
        ck_assert_int_eq(pthread_create(&thread, NULL, touch, NULL), 0);
        pthread_join(thread, NULL);
        break;
    default:
        pthread_barrier_wait(&toucher.begin);
        pthread_barrier_wait(&toucher.end);
    }
}

static int32_t run(void *object, const struct gb_queue *on, uint64_t iterations)
{
    ck_assert_ptr_eq(object, &toucher);
    for (uint64_t i = 0; i < iterations; i++)
        touch_there();
    return ++toucher.n_run == toucher.fail_run_at ? GB_UNSUPPORTED : GB_OK;
}

static int32_t reset(void *object, const struct gb_queue *on)
{
    return ++toucher.n_reset == toucher.fail_reset_at ? GB_WRONG_RESULT : GB_OK;
}

static const struct gb_bench_ops bench = {.size = sizeof bench, .run = run, .reset = reset};

/* --- counting --- */

static struct values {
    size_t n;
    char names[VALUES_MAX][64];
    double values[VALUES_MAX];
} told;

static void take(void *context, const char *name, double value, const char *unit)
{
    ck_assert_ptr_eq(context, &told);
    ck_assert_ptr_nonnull(unit);
    ck_assert_uint_lt(told.n, VALUES_MAX);
    snprintf(told.names[told.n], sizeof told.names[0], "%s", name);
    told.values[told.n++] = value;
}

static int32_t count(const char *const *names, uint32_t n)
{
    counting.iterations = 2;
    counting.bench_ops = &bench;
    counting.bench = &toucher;
    counting.n_names = n;
    counting.names = names;
    counting.count = take;
    counting.context = &told;
    for (int i = 0; i < GB_COUNTED_KINDS; i++)
        counting.work[i] = NAN;
    told.n = 0;
    return counters->count(device, &counting);
}

static bool is_forbidden(void)
{
    if (strstr(counting.missing, "forbidden to this user") == NULL &&
        strstr(counting.missing, "no perf_event_open") == NULL)
        return false;
    ck_assert_uint_eq(told.n, 0);
    ck_assert_uint_eq(counting.n_passes, 0);
    return true;
}

static const char *const faults[] = {"page-faults"};

static void count_faults(void)
{
    ck_assert_int_eq(count(faults, 1), GB_OK);
    if (is_forbidden())
        return;
    ck_assert_str_eq(counting.missing, "");
    ck_assert_uint_eq(counting.n_passes, 1);
    ck_assert_uint_eq(told.n, 1);
    ck_assert_str_eq(told.names[0], "page-faults");
    ck_assert_msg(told.values[0] >= (double)PAGES && told.values[0] <= (double)(PAGES + SLACK),
                  "%g", told.values[0]);
    ck_assert_int_eq(toucher.n_run, 2); /* one before, as the cache is warm */
    ck_assert_int_eq(toucher.n_reset, 2);
}

TEST_TIMES(iterations_and_threads_that_they_start_are_counted, 2)
{
    toucher.where = _i == 0 ? HERE : NEW_THREAD;
    count_faults();
}

TEST(threads_from_before_are_counted)
{
    toucher.where = OLD_THREAD;
    pthread_barrier_init(&toucher.begin, NULL, 2);
    pthread_barrier_init(&toucher.end, NULL, 2);
    ck_assert_int_eq(pthread_create(&toucher.thread, NULL, touch_when_asked, NULL), 0);
    count_faults();
    toucher.where = HERE;
    pthread_barrier_wait(&toucher.begin);
    pthread_join(toucher.thread, NULL);
}

TEST(a_cold_sample_needs_no_run_before)
{
    counting.cache = GB_CACHE_COLD;
    ck_assert_int_eq(count(faults, 1), GB_OK);
    if (is_forbidden())
        return;
    ck_assert_int_eq(toucher.n_run, 1);
    ck_assert_int_eq(toucher.n_reset, 1);
}

/* On a real processor there is more; in no case is anything told without a name. */
TEST(work_is_told_as_far_as_the_machine_counts)
{
    counting.wants_work = 1;
    ck_assert_int_eq(count(NULL, 0), GB_OK);
    for (size_t i = 0; i < told.n; i++)
        ck_assert_msg(isnan(told.values[i]) || told.values[i] >= 0, "%s", told.names[i]);
    ck_assert_uint_eq(counting.n_passes, told.n);
    ck_assert_msg(told.n > 0 || counting.missing[0] != '\0', "neither a count nor a reason");
    ck_assert(isnan(counting.work[GB_COUNTED_DRAM_READ]));
    ck_assert(isnan(counting.work[GB_COUNTED_FLOPS]) == (counting.made_from[0] == '\0'));
}

TEST(names_that_are_not_known_are_told)
{
    static const char *const names[] = {"no-such-event", "page-faults", "dram__bytes.sum",
                                        "page-faults"};
    ck_assert_int_eq(count(names, 4), GB_OK);
    ck_assert_ptr_eq(strstr(counting.missing,
                            "no-such-event, dram__bytes.sum: no counter of this machine; `gbrun"),
                     counting.missing);
    ck_assert_uint_le(told.n, 1); /* twice is once */
}

TEST(many_long_names_are_cut)
{
    enum { MANY = 400 };
    static char name[1000];
    const char *names[MANY];
    memset(name, 'n', sizeof name - 1);
    for (int i = 0; i < MANY; i++)
        names[i] = name;
    ck_assert_int_eq(count(names, MANY), GB_OK);
    ck_assert_ptr_nonnull(strstr(counting.missing, "...: no counter of this machine"));
}

TEST(what_run_or_reset_returns_is_handed_back)
{
    toucher.fail_run_at = 2;
    const int32_t status = count(faults, 1);
    if (is_forbidden())
        return;
    ck_assert_int_eq(status, GB_UNSUPPORTED);
    ck_assert_uint_eq(told.n, 0);
    toucher = (struct toucher){.where = HERE, .fail_reset_at = 1};
    ck_assert_int_eq(count(faults, 1), GB_WRONG_RESULT);
    ck_assert_int_eq(toucher.n_run, 0);
}

/* --- what there is --- */

static int n_listed, n_faults;

static void take_counter(void *context, const struct gb_counter *counter)
{
    n_listed++;
    n_faults += strcmp(counter->name, "page-faults") == 0;
    ck_assert_uint_eq(counter->size, sizeof *counter);
    ck_assert(counter->name[0] != '\0' && counter->help[0] != '\0' && counter->unit != NULL);
}

static int32_t list_counters(uint32_t number, const char *chip)
{
    n_listed = n_faults = 0;
    return counters->list(&fake->host, params, number, chip, NULL, take_counter, NULL);
}

TEST(counters_are_listed)
{
    ck_assert_int_eq(list_counters(0, NULL), GB_OK);
    ck_assert_int_ge(n_listed, 14);
    ck_assert_int_eq(n_faults, 1);
    ck_assert_int_eq(list_counters(1, NULL), GB_NOT_FOUND);
    ck_assert_int_eq(list_counters(0, "GH100"), GB_SKIPPED);
    ck_assert_str_eq(fake->reason, "unknown chip: only this machine's processors are known");
    ck_assert_ptr_null(plugin->extension("gbrun.counters/99"));
}
