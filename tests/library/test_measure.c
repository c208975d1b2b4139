/* test_measure.c - gbrun/measure.h as a program uses it: results, errors, and what a call leaves as
 * it was. */
#include "tests/check_main.h"
#include "tests/modules/fake_current.h"

#include <gbrun/measure.h>
#include <gbrun/module.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* Short and without any claim. */
#define QUICK "device = cpu\npolicy = fixed\nsamples = 20\n"

struct work {
    uint64_t n_runs, n_iterations, n_resets, n_polls;
    uint64_t fail_at; /* the run that fails; 0: none */
    int32_t status;   /* with which */
    const char *words;
    struct gbrun_subject of; /* callbacks other than run */
    double state;
};

static bool has_stream; /* fake devices have one, the CPU has none */
static char order[64];  /* of callbacks that have words: their first letters, each turn once */

static void note(char letter)
{
    const size_t n = strlen(order);
    if (n + 1 < sizeof order && (n == 0 || order[n - 1] != letter))
        order[n] = letter;
}

static int32_t run(void *user, void *stream, uint64_t iterations)
{
    struct work *work = user;
    ck_assert(!stream || has_stream);
    work->n_runs++;
    work->n_iterations += iterations;
    if (work->words)
        note(*work->words);
    if (work->n_runs == work->fail_at) {
        return work->status == GB_SKIPPED ? gbrun_skip(work->words)
               : work->words              ? gbrun_fail(work->words)
                                          : work->status;
    }
    for (uint64_t i = 0; i < 100 * iterations; i++) {
        work->state = work->state * 0.5 + 1;
        __asm__ volatile("" : : "m"(work->state) : "memory");
    }
    return GB_OK;
}

/* Before each run. */
static int32_t reset(void *user, void *stream)
{
    struct work *work = user;
    ck_assert(!stream || has_stream);
    ck_assert_uint_eq(work->n_resets++, work->n_runs);
    return GB_OK;
}

static int32_t poll_third(void *user)
{
    return ++((struct work *)user)->n_polls >= 3;
}

/* Results files lie in the test's folder. */
static void go_to_folder(void)
{
    const char *folder = getenv("TMPDIR");
    ck_assert_int_eq(chdir(folder ? folder : "/tmp"), 0);
}

TEST_FIXTURE(go_to_folder, NULL)

static struct gbrun_subject subject_of(struct work *work)
{
    struct gbrun_subject subject = work->of;
    subject.size = sizeof subject;
    subject.user = work;
    if (!subject.run)
        subject.run = run;
    return subject;
}

static const struct gbrun_result *measure(struct work *work, const char *settings)
{
    const struct gbrun_subject subject = subject_of(work);
    return gbrun_measure(&subject, settings);
}

/* A call is expected to end so; its result is there until the next. */
static const struct gbrun_result *expect(const struct gbrun_result *result, int32_t status,
                                         const char *words)
{
    static const struct gbrun_result *kept;
    gbrun_free(kept);
    kept = result;
    ck_assert_msg(result->status == status && strstr(result->error, words), "%d: %s",
                  result->status, result->error);
    return result;
}

static const struct gbrun_result *sound(const struct gbrun_result *result)
{
    return expect(result, GB_OK, "");
}

/* ---- the devices of tests/modules/device_fake.c, whose times are arithmetic ---- */

#define FAKE "device = fake\npolicy = fixed\nsamples = 21\n"

static const char *module_file(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/tests/modules/.libs/%s", getenv("top_builddir"), name);
    return path;
}

static void find_fakes(void)
{
    setenv("GBRUN_PLUGIN_PATH", module_file(""), 1);
    has_stream = true;
}

/* What is current of the fake devices. */
static struct fake_current *fake_current(void)
{
    const struct gb_module *(*get)(void) = NULL;
    void *module = dlopen(module_file("device_fake.so"), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(module, "%s", dlerror());
    void *symbol = dlsym(module, GB_ENTRY_SYMBOL);
    memcpy(&get, &symbol, sizeof get);
    return (struct fake_current *)(uintptr_t)get()->plugins[0]->extension(FAKE_CURRENT);
}

TEST(measures_a_callback)
{
    struct work work = {.of.reset = reset};
    const struct gbrun_result *result = sound(measure(&work, QUICK "iterations = 7\n"));
    ck_assert_str_eq(result->error, "");
    ck_assert_uint_eq(result->n_samples, 20);
    ck_assert_uint_eq(result->iterations, 7);
    ck_assert_uint_eq(work.n_iterations, 7 * work.n_runs);
    ck_assert_uint_ge(work.n_runs, 20);
    ck_assert_uint_eq(work.n_resets, work.n_runs);
    ck_assert(result->time_ns > 0 && result->time_ns < 1e9);
    ck_assert_str_eq(result->verdict_text, "none");
    ck_assert_str_eq(result->reason, "20 samples");
    ck_assert_str_eq(result->clock, "wall");
    ck_assert_str_eq(result->device, "cpu:0");
    ck_assert(*result->device_model);
    double least = INFINITY, most = 0;
    for (uint64_t i = 0; i < result->n_samples; i++) {
        least = fmin(least, result->samples_ns[i]);
        most = fmax(most, result->samples_ns[i]);
        ck_assert(i == 0 || result->elapsed_ns[i] > result->elapsed_ns[i - 1]);
    }
    ck_assert(least <= result->time_ns && result->time_ns <= most);
}

TEST(policy_and_its_options)
{
    struct work work = {0};
    find_fakes();
    const struct gbrun_result *result = sound(measure(
        &work,
        "; a comment\ndevice = fake\npolicy = median_ci\nprecision = 20%\nmin_samples = 30"));
    ck_assert_str_eq(result->verdict_text, "certified in this visit");
    ck_assert_str_eq(result->statistic, "median");
    ck_assert(result->low_ns <= result->time_ns && result->time_ns <= result->high_ns);
    ck_assert_double_eq(result->confidence, 0.95);
    ck_assert_uint_ge(result->n_samples, 30);
}

TEST(modes_are_several_or_none)
{
    struct work work = {0};
    const struct gbrun_result *result = sound(
        measure(&work, "device = cpu\npolicy = steady\nprecision = 20%\nmax_time = 200 ms"));
    ck_assert_uint_ne(result->n_modes, 1);
    for (uint32_t i = 0; i < result->n_modes; i++)
        ck_assert(result->modes[i].weight > 0 && result->modes[i].median_ns > 0);
}

/* The CPU's clocks, for a test that says what time its work takes: a microsecond an iteration. */
static _Atomic int64_t made_up_ns; /* 0: the time is the machine's */

GB_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (made_up_ns == 0)
        return (int)syscall(SYS_clock_gettime, clock, now);
    const int64_t ns = atomic_fetch_add(&made_up_ns, 20) + 20;
    *now = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return 0;
}

static int32_t run_on_made_up_time(void *user, void *stream, uint64_t iterations)
{
    made_up_ns += 1000 * (int64_t)iterations;
    return GB_OK;
}

/* A way into an interpreter of 2 us is at most a thousandth of a sample. */
TEST(samples_outweigh_their_entry)
{
    struct work work = {.of = {.run = run_on_made_up_time, .entry_ns = 2000}};
    made_up_ns = 1;
    const struct gbrun_result *result = sound(measure(&work, QUICK));
    ck_assert_uint_ge(result->iterations, 2000);
    ck_assert_uint_le(result->iterations, 4000);
    ck_assert_double_eq_tol(result->time_ns, 1000, 1);
    result = sound(measure(&work, QUICK "iterations = 7\n"));
    made_up_ns = 0;
    ck_assert_uint_eq(result->iterations, 7);
}

/* ---- visits ---- */

/* On that clock, an iteration of each longer by as many nanoseconds. */
static struct {
    int64_t longer_ns;
    uint64_t n; /* that were verified */
    uint64_t fails_in, wrong_in, stopped_in;
} visit;

static int32_t run_visit(void *user, void *stream, uint64_t iterations)
{
    ((struct work *)user)->n_iterations += iterations;
    made_up_ns += (1000 + visit.longer_ns * (int64_t)visit.n) * (int64_t)iterations;
    return visit.fails_in == visit.n + 1 ? gbrun_fail("out of luck") : GB_OK;
}

static int32_t verify_visit(void *user, void *stream)
{
    visit.n++;
    return gbrun_checked("sum", visit.wrong_in != visit.n, "is another");
}

static int32_t poll_visit(void *user)
{
    return visit.stopped_in == visit.n + 1;
}

static const struct gbrun_result *visited(const char *settings, uint64_t *ret_n_iterations)
{
    struct work work = {.of = {.run = run_visit, .verify = verify_visit, .poll = poll_visit}};
    char text[500];
    snprintf(text, sizeof text, "device = cpu\nprecision = 1%%\n%s", settings);
    made_up_ns = 1;
    visit.n = 0;
    const struct gbrun_result *result = measure(&work, text);
    made_up_ns = 0;
    if (ret_n_iterations)
        *ret_n_iterations = work.n_iterations;
    return result;
}

static const struct {
    const char *settings;
    int64_t longer_ns;
    uint64_t n_rounds;
    const char *verdict;
    double time_ns;
} visits[] = {
    {"", 0, 8, "certified in this visit", 1000}, /* all within a second */
    {"rounds = auto", 1, 8, "certified in this visit", 1003.5},
    {"", 50, 12, "unconverged", 1275},
    {"max_time = 0.135 s\nrounds = auto", 50, 6, "certified in this visit", 1125},
    {"rounds = 1", 50, 1, "certified in this visit", 1000},
    {"rounds = 6", 0, 6, "certified in this visit", 1000},
    {"rounds = 9", 0, 9, "certified in this visit", 1000},
    {"policy = median_ci\nmin_samples = 30", 0, 8, "certified in this visit", 1000},
};

TEST_EACH(a_call_has_visits, visits)
{
    visit.longer_ns = visits[_i].longer_ns;
    const struct gbrun_result *result = visited(visits[_i].settings, NULL);
    sound(result);
    ck_assert_str_eq(result->verdict_text, visits[_i].verdict);
    ck_assert_uint_eq(result->n_rounds, visits[_i].n_rounds);
    ck_assert_uint_eq(visit.n, visits[_i].n_rounds);
    ck_assert_double_eq_tol(result->time_ns, visits[_i].time_ns, 2);
    for (uint64_t i = 0; i < result->n_rounds; i++)
        ck_assert_double_eq_tol(result->rounds_ns[i],
                                1000 + (double)(i * (uint64_t)visit.longer_ns), 2);
    ck_assert(result->low_ns <= result->time_ns && result->time_ns <= result->high_ns);
    ck_assert_uint_gt(result->n_samples, result->n_discarded);
}

TEST(all_visits_take_little_more_than_one)
{
    uint64_t n_one, n_all;
    sound(visited("rounds = 1", &n_one));
    sound(visited("", &n_all));
    ck_assert_uint_gt(n_all, n_one);
    ck_assert_uint_le(10 * n_all, 13 * n_one);
}

TEST(a_later_visit_that_ends_the_call)
{
    visit.fails_in = 2;
    const struct gbrun_result *result = expect(visited("", NULL), GB_FAILED, "out of luck");
    ck_assert(isnan(result->time_ns) && result->n_rounds == 1 && result->rounds_ns[0] > 0);
    visit.fails_in = 0;
    visit.wrong_in = 3;
    result = expect(visited("", NULL), GB_WRONG_RESULT, "is another");
    ck_assert(result->n_checks == 1 && result->n_rounds == 2);
    visit.wrong_in = 0;
    visit.stopped_in = 2;
    result = expect(visited("", NULL), GB_CANCELLED, "");
    ck_assert_uint_eq(result->n_rounds, 1);
}

/* ---- errors ---- */

static const struct {
    const char *settings, *words;
} mistakes[] = {
    {"device = cpu\n\nprecison = 1%",
     "settings:3:1: unknown key 'precison'; did you mean 'precision'?"},
    {"device = cpu\nprecision = fast", "settings:2:13: "},
    {"device = cpu\nmax_time = 3", "settings:2:12: '3' is not a duration"},
    {"device = npu", "unknown device 'npu'"},
    {"policy = mean", "unknown policy 'mean'"},
    {"device = cpu:7", "device cpu:7: there is only cpu:0"},
    {"device = cpu\nclock = kernel", "clock 'kernel' is not offered by device cpu"},
    {"device = cpu\nsamples = 5",
     "'samples' is an option of the policy fixed, which is not in use"},
    {"device = cpu\nrounds = -1", "settings:2:10: "},
    {"sweep.n = 1, 2", "settings:1:1: 'sweep.n': a call measures one case"},
    {"env.X = 1", "'env.X': the environment is the calling process's"},
    {"check.abs = 1", "'check.abs': nothing is compared: expected a subject with verify"},
    {"[bench x]\ndevice = cpu", "sections are for bench.ini"},
    {"device", "settings:1:"},
    {"name = a b\ndevice = cpu", "a name has no blanks"},
    {"device = cpu\nresults = x.gbr\nrun = 7", "settings:3:7: 'run': expected a UUID, such as"},
    {"run = 01234567-89ab-cdef-0123-456789abcdef\ndevice = cpu",
     "settings:1:1: 'run': nothing is stored: expected results = FILE"},
    {"device = cpu\xFF", "UTF-8"},
    {"device = cpu\ndevice = cpu", "'device' is there twice"},
    {"device = cpu\nlaunch = graph", "launch = graph: device cpu cannot launch graphs"},
    {"device = cpu\nx = 1\nmin_samples = -1",
     "settings:2:1: unknown key 'x'\nsettings:3:"}, /* all of them are said */
};

TEST_EACH(mistakes_in_settings, mistakes)
{
    struct work work = {0};
    const struct gbrun_result *result = measure(&work, mistakes[_i].settings);
    expect(result, result->status, mistakes[_i].words);
    ck_assert_int_ne(result->status, GB_OK);
    ck_assert(isnan(result->time_ns));
    ck_assert_uint_eq(work.n_runs, 0);
}

TEST(subjects_that_cannot_be)
{
    struct work work = {0};
    struct gbrun_subject without_run = subject_of(&work), without_size = without_run,
                         flagged = without_run, timeless = without_run;
    without_run.run = NULL;
    without_size.size = 0;
    flagged.flags = 1u << 20;
    timeless.entry_ns = NAN;
    expect(gbrun_measure(NULL, QUICK), GB_INVALID, "the subject is NULL");
    expect(gbrun_measure(&without_run, QUICK), GB_INVALID, "has no run");
    expect(gbrun_measure(&without_size, QUICK), GB_INVALID, "size is not set");
    expect(gbrun_measure(&flagged, QUICK), GB_INVALID, "a flag that is not known");
    expect(gbrun_measure(&timeless, QUICK), GB_INVALID, "entry_ns is not from 0 to 1e6");
    gbrun_free(NULL);
    ck_assert_uint_eq(work.n_runs, 0);
}

TEST(amounts_of_work_are_finite)
{
    static const size_t members[] = {
        offsetof(struct gbrun_subject, flops), offsetof(struct gbrun_subject, bytes_read),
        offsetof(struct gbrun_subject, bytes_written), offsetof(struct gbrun_subject, items)};
    static const double wrong[] = {NAN, INFINITY, -INFINITY, -1};
    struct work work = {0};
    for (size_t i = 0; i < 16; i++) {
        struct gbrun_subject subject = subject_of(&work);
        memcpy((char *)&subject + members[i / 4], &wrong[i % 4], sizeof wrong[0]);
        expect(gbrun_measure(&subject, QUICK), GB_INVALID, "expected finite numbers");
    }
    ck_assert_uint_eq(work.n_runs, 0);
}

/* A program that was built with an earlier header: what that had not is 0. */
TEST(a_shorter_subject)
{
    struct work work = {0};
    struct gbrun_subject subject = subject_of(&work);
    subject.size = offsetof(struct gbrun_subject, reset);
    subject.reset = (int32_t(*)(void *, void *))(uintptr_t)1;
    sound(gbrun_measure(&subject, QUICK));
}

static const struct {
    struct work work;
    int32_t status;
    const char *words;
} failures[] = {
    {{.fail_at = 1, .words = "out of luck"}, GB_FAILED, "out of luck"},
    {{.fail_at = 9, .words = "out of luck"}, GB_FAILED, "out of luck"},
    {{.fail_at = 1, .status = -7777}, GB_FAILED, "run: failed"},
    {{.fail_at = 1, .status = 12}, GB_FAILED, "run: failed"},
    {{.fail_at = 2, .status = GB_SKIPPED, .words = "too old"}, GB_SKIPPED, "too old"},
    {{.fail_at = 3, .status = GB_DEVICE_ERROR}, GB_DEVICE_ERROR, "run: device error"},
};

TEST_EACH(callbacks_that_fail, failures)
{
    struct work work = failures[_i].work, other = {0};
    const struct gbrun_result *result = expect(measure(&work, QUICK), failures[_i].status, "");
    ck_assert_str_eq(result->error, failures[_i].words);
    ck_assert(isnan(result->time_ns));
    ck_assert_uint_eq(work.n_runs, work.fail_at);
    sound(measure(&other, QUICK));
}

TEST(words_outside_of_a_callback)
{
    ck_assert_int_eq(gbrun_fail("nobody hears it"), GB_FAILED);
    ck_assert_int_eq(gbrun_skip(NULL), GB_SKIPPED);
}

TEST(polling_ends_a_call)
{
    struct work work = {.of.poll = poll_third}, other = {0};
    const struct gbrun_result *result = expect(
        measure(&work, "device = cpu\npolicy = fixed\nsamples = 1000000\nmax_time = 60 s"),
        GB_CANCELLED, "");
    ck_assert_str_eq(result->error, "cancelled");
    ck_assert_uint_eq(work.n_polls, 3);
    sound(measure(&other, QUICK));
}

static int32_t run_and_cancel(void *user, void *stream, uint64_t iterations)
{
    gbrun_cancel();
    return run(user, stream, iterations);
}

TEST(cancelled_from_elsewhere)
{
    struct work work = {.of.run = run_and_cancel};
    expect(measure(&work, QUICK "max_time = 60 s"), GB_CANCELLED, "");
}

static int32_t run_a_call(void *user, void *stream, uint64_t iterations)
{
    struct work inner = {0};
    expect(measure(&inner, QUICK), GB_INVALID, "from within a callback");
    gbrun_release();
    return GB_FAILED;
}

TEST(a_call_within_a_call)
{
    struct work work = {.of.run = run_a_call};
    expect(measure(&work, QUICK), GB_FAILED, "run: failed");
}

/* ---- what a call leaves as it was ---- */

static uint64_t n_descriptors(const char *folder)
{
    uint64_t n = 0;
    DIR *directory = opendir(folder);
    while (readdir(directory))
        n++;
    closedir(directory);
    return n;
}

static int32_t run_abroad(void *user, void *stream, uint64_t iterations)
{
    if (fegetround() != FE_UPWARD)
        return gbrun_fail("the rounding mode is not the program's");
    return run(user, stream, iterations);
}

TEST(the_process_stays_as_it_was)
{
    struct work work = {0};
    struct sigaction before[65] = {0}, after;
    locale_t of_thread = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0), old;
    ck_assert(of_thread != (locale_t)0);
    gbrun_free(measure(&work, QUICK)); /* opens the device */
    for (int i = 1; i < 65; i++)
        sigaction(i, NULL, &before[i]);
    const uint64_t n_files = n_descriptors("/proc/self/fd"),
                   n_threads = n_descriptors("/proc/self/task");
    old = uselocale(of_thread);
    fesetround(FE_UPWARD);
    work.of.run = run_abroad;
    expect(measure(&work, QUICK "precision = 1"), GB_INVALID, "");
    sound(measure(&work, QUICK));
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    ck_assert(uselocale(old) == of_thread);
    freelocale(of_thread);
    ck_assert_uint_eq(n_descriptors("/proc/self/fd"), n_files);
    ck_assert_uint_eq(n_descriptors("/proc/self/task"), n_threads);
    for (int i = 1; i < 65; i++)
        ck_assert(sigaction(i, NULL, &after) != 0 || after.sa_handler == before[i].sa_handler);
}

/* Bytes in use, counted here: what malloc says of itself has its caches in it. */
#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
#define COUNTS_MEMORY 1
static int64_t n_bytes;
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

static void *counted(void *block, int sign)
{
    const int64_t bytes = (int64_t)malloc_usable_size(block); /* NULL: 0 */
    __atomic_add_fetch(&n_bytes, sign * bytes, __ATOMIC_RELAXED);
    return block;
}

#define COUNTED(name, parameters, block)                                                           \
    GB_EXPORT void *name parameters                                                                \
    {                                                                                              \
        return counted(block, 1);                                                                  \
    }
COUNTED(malloc, (size_t bytes), __libc_malloc(bytes))
COUNTED(calloc, (size_t n, size_t bytes), __libc_calloc(n, bytes))
COUNTED(realloc, (void *block, size_t bytes), __libc_realloc(counted(block, -1), bytes))
COUNTED(aligned_alloc, (size_t alignment, size_t bytes), __libc_memalign(alignment, bytes))

GB_EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = aligned_alloc(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

GB_EXPORT void free(void *block)
{
    __libc_free(counted(block, -1));
}
#else
#define COUNTS_MEMORY 0 /* the sanitizers look for leaks */
static const int64_t n_bytes;
#endif

TEST_TIMES(a_thousand_calls_are_flat, COUNTS_MEMORY)
{
    enum { CALLS = 1000, FIRST = 200, SLACK = 1000 };
    struct work work = {0};
    int64_t bytes = 0;
    for (int i = 0; i <= CALLS; i++) {
        const struct gbrun_result *result = measure(
            &work, i % 10 ? "device = cpu\npolicy = fixed\nsamples = 2\nmin_samples = 2\n"
                            "iterations = 1"
                          : "device = cpu\nbad = key");
        expect(result, i % 10 ? GB_OK : GB_INVALID, "");
        if (i == FIRST)
            bytes = n_bytes;
    }
    ck_assert_msg(n_bytes < bytes + SLACK, "%lld bytes more", (long long)(n_bytes - bytes));
    gbrun_release();
}

/* ---- comparisons ---- */

#define VISITS "device = fake\npolicy = fixed\nsamples = 20\nvisit = 2 s\n"

/* A comparison of two ends so; as expect. */
static const struct gbrun_comparison *compared(struct work works[2], const char *settings,
                                               int32_t status, const char *words)
{
    static const struct gbrun_comparison *kept;
    const struct gbrun_subject base = subject_of(&works[0]), other = subject_of(&works[1]);
    find_fakes();
    gbrun_comparison_free(kept);
    kept = gbrun_compare(&base, &other, settings);
    ck_assert_msg(kept->status == status && strstr(kept->error, words), "%d: %s", kept->status,
                  kept->error);
    return kept;
}

static int32_t run_twice(void *user, void *stream, uint64_t iterations)
{
    fake_current()->stretch = 2;
    return run(user, stream, iterations);
}

TEST(two_that_differ)
{
    struct work works[2] = {{0}, {.of.run = run_twice}};
    const struct gbrun_comparison *found = compared(works, VISITS "margin = 5%", GB_OK, "");
    ck_assert_int_eq(found->verdict, GBRUN_SLOWER);
    ck_assert_str_eq(found->verdict_text, "slower");
    ck_assert(found->ratio > 1.05 && found->ratio_low > 1 && found->ratio_low <= found->ratio &&
              found->ratio <= found->ratio_high);
    ck_assert_uint_ge(found->n_rounds, 4);
    ck_assert_double_eq(found->margin, 0.05);
    for (uint64_t i = 0; i < found->n_rounds; i++)
        ck_assert(found->base_rounds_ns[i] > 0 && found->new_rounds_ns[i] > 0);
    ck_assert_uint_eq(found->base_result->n_samples, 20);
    ck_assert_uint_eq(found->new_result->n_samples, 20);
}

/* In blocks of two rounds with either order, at random which comes first: ba ab, ab ba, ba. */
TEST(visits_alternate_until_the_last_round)
{
    struct work works[2] = {{.words = "a"}, {.words = "b"}};
    ck_assert_uint_eq(compared(works, VISITS "margin = 0\nmax_rounds = 5", GB_OK, "")->n_rounds, 5);
    ck_assert_str_eq(order, "bababab");
}

static const struct {
    const char *settings, *words;
} ab_mistakes[] = {
    {VISITS "margin = 1 s", "settings:5:10: "},
    {VISITS "margni = 1%", "unknown key 'margni'; did you mean 'margin'?"},
    {VISITS "max_time = 1 s", "settings:5:1: 'max_time': of a comparison each visit has a time"},
    {VISITS "max_rounds = 3", "settings:5:14: "},
    {VISITS "rounds = 3", "settings:5:1: 'rounds': a comparison has as many as it needs"},
    {VISITS "base = x", "settings:5:1: unknown key 'base'"},
};

TEST_EACH(mistakes_in_comparisons, ab_mistakes)
{
    struct work works[2] = {{0}};
    ck_assert(
        isnan(compared(works, ab_mistakes[_i].settings, GB_INVALID, ab_mistakes[_i].words)->ratio));
    ck_assert_uint_eq(works[0].n_runs + works[1].n_runs, 0);
}

TEST(a_side_that_fails)
{
    struct work works[2] = {{0}, {.fail_at = 30, .words = "out of luck"}};
    const struct gbrun_comparison *found = compared(works, VISITS, GB_FAILED, "");
    ck_assert_str_eq(found->error, "new: out of luck");
    ck_assert_str_eq(found->verdict_text, "unclear");
    ck_assert_str_eq(found->new_result->error, "out of luck");
}

/* Rounds of a file, a program or other processes: undecided until there are enough of them. */
static const struct {
    double factor;
    uint64_t n;
    const char *settings;
    int32_t verdict;
    bool goes_on;
} measured_before[] = {
    {1.02, 26, "", GBRUN_UNCLEAR, true}, {1.02, 26, "max_rounds = 26", GBRUN_UNCLEAR, false},
    {1.02, 27, "", GBRUN_SLOWER, false}, {1.02, 27, "margin = 5%", GBRUN_CHANGED, false},
    {0.5, 4, "", GBRUN_FASTER, false},   {1, 4, "", GBRUN_SAME, false},
    {1, 2, "", GBRUN_UNCLEAR, true},
};

TEST_EACH(rounds_measured_before, measured_before)
{
    double base[27], new[27];
    find_fakes();
    for (size_t i = 0; i < 27; i++) {
        base[i] = 1000 + (double)(i % 3);
        new[i] = measured_before[_i].factor *base[i];
    }
    const struct gbrun_comparison *found = gbrun_compare_rounds(base, new, measured_before[_i].n, 0,
                                                                measured_before[_i].settings);
    ck_assert_msg(found->status == GB_OK, "%s", found->error);
    ck_assert_int_eq(found->verdict, measured_before[_i].verdict);
    ck_assert_uint_eq(found->flags, measured_before[_i].goes_on ? GBRUN_GOES_ON : 0);
    ck_assert_uint_eq(found->n_rounds, measured_before[_i].n);
    gbrun_comparison_free(found);
    base[1] = 0;
    found = gbrun_compare_rounds(base, new, 4, 0, "");
    ck_assert_int_eq(found->status, GB_INVALID);
    ck_assert_str_eq(found->error, "base: a round takes no time above 0");
    gbrun_comparison_free(found);
    found = gbrun_compare_rounds(new, new, 4, 0, "margn = 1");
    ck_assert_int_eq(found->status, GB_INVALID);
    ck_assert_ptr_nonnull(strstr(found->error, "unknown key 'margn'"));
    gbrun_comparison_free(found);
}

/* ---- the best of some cases, which the program measures ---- */

static const char *const sizes[] = {"1", "2", "4", "8", "16"};

/* Case 1 fails; of the others the one in the middle takes least. */
TEST(a_search_finds_the_best_case)
{
    const char *const axes[] = {"size"};
    struct gbrun_search *search = gbrun_search_new(axes, 1, sizes, 5, "seed = 3\nlanes = 2");
    double samples[64];
    uint64_t n = 0, waits = 0;
    for (; gbrun_search_next(search) != GBRUN_SEARCH_ENDED; n += search->n_samples) {
        if (search->action == GBRUN_SEARCH_WAIT) {
            waits++;
            search->n_samples = 0;
            continue;
        }
        ck_assert_uint_le(search->n_samples, 64);
        for (uint64_t i = 0; i < search->n_samples; i++)
            samples[i] = 1000 + 100 * fabs((double)search->i - 2) + (double)((n + i) % 3);
        const bool fails = search->i == 1;
        ck_assert_int_eq(gbrun_search_observe(search, search->proposal, fails, samples,
                                              fails ? 0 : search->n_samples, 0, 1e6),
                         GB_OK);
    }
    ck_assert_msg(search->status == GB_OK, "%s", search->error);
    ck_assert_str_eq(search->scope_text, "all");
    ck_assert_uint_eq(search->best, 2);
    ck_assert_double_eq(search->value_ns, 1001);
    ck_assert(search->low_ns >= 1000 && search->high_ns <= 1002);
    ck_assert_uint_eq(search->n_open, 0);
    ck_assert_uint_eq(search->n_cases, 5);
    ck_assert_uint_ge(n, 4 * 6);
    ck_assert_str_eq(search->reason, "all other cases are ruled out");
    ck_assert_int_eq(gbrun_search_next(search), GBRUN_SEARCH_ENDED); /* and stays so */
    ck_assert_int_eq(gbrun_search_observe(search, 0, 0, samples, 1, 0, 0), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(search->error, "which is not open"));
    gbrun_search_free(search);
}

static const struct {
    uint64_t n_axes, n_cases;
    const char *settings, *words;
} no_searches[] = {
    {0, 5, NULL, "there is no axis"},
    {1, 0, "", "has 0 cases"},
    {1, 6, "", "are the same: size=1"},
    {1, 5, "search = rice", "rice"},
    {1, 5, "tolerance = -1", "settings:1:13: "},
    {1, 5, "\npatence = 3", "settings:2:1: "},
    {1, 5, "goal = max gflops", "the least is best"},
    {1, 5, "[search]", "expected lines KEY = VALUE"},
};

TEST_EACH(searches_that_cannot_be, no_searches)
{
    const char *const axes[] = {"size"};
    const char *const twice[] = {"1", "2", "4", "8", "16", "1"};
    struct gbrun_search *search = gbrun_search_new(
        axes, no_searches[_i].n_axes, twice, no_searches[_i].n_cases, no_searches[_i].settings);
    ck_assert_int_eq(search->status, GB_INVALID);
    ck_assert_msg(strstr(search->error, no_searches[_i].words), "%s", search->error);
    ck_assert_int_eq(gbrun_search_next(search), GBRUN_SEARCH_ENDED);
    ck_assert_uint_eq(search->best, GBRUN_NO_CASE);
    gbrun_search_free(search);
}

TEST(a_side_that_is_not_there)
{
    struct work work = {0};
    const struct gbrun_subject base = subject_of(&work);
    const struct gbrun_comparison *found = gbrun_compare(&base, NULL, "device = cpu");
    ck_assert_int_eq(found->status, GB_INVALID);
    ck_assert_str_eq(found->error, "new: gbrun_compare: the subject is NULL");
    ck_assert_ptr_null(found->base_result);
    gbrun_comparison_free(found);
    gbrun_comparison_free(NULL);
}

/* ---- devices ---- */

TEST(what_a_device_says_arrives)
{
    struct work work = {0};
    find_fakes();
    const struct gbrun_result *result = sound(measure(
        &work, FAKE "time = 3us\nstep = 10ns\ntick = 4ns\noffset = 600ns\noffset_error = 2ns\n"
                    "note = read otherwise\nlisting = several\nthrottle_from = 15\n"
                    "iterations = 2\nwarning = it is hot"));
    ck_assert_double_eq_tol(result->median_ns, 3030, 1e-9);
    for (uint64_t i = 0; i < result->n_samples; i++)
        ck_assert(result->samples_ns[i] >= 3000 - 1e-9 && result->samples_ns[i] <= 3060 + 1e-9);
    ck_assert_uint_eq(result->iterations, 2);
    ck_assert_str_eq(result->clock, "synthetic");
    ck_assert_double_eq(result->tick_ns, 4);
    ck_assert_double_eq(result->offset_ns, 600);
    ck_assert_double_eq(result->offset_error_ns, 2);
    ck_assert_str_eq(result->way, "read otherwise");
    ck_assert_str_eq(result->device, "fake:0");
    ck_assert_str_eq(result->device_model, "Fake 1000");
    ck_assert(result->n_throttled > 0 && result->flags & GBRUN_THROTTLED);
    ck_assert_uint_eq(result->activities_known, 1);
    ck_assert_uint_gt(result->n_activities, 1);
    ck_assert(*result->activities[0].name && result->n_kernels > 0);
    result = sound(measure(&work, FAKE "settles_in = 50ms\ntime = 1ms"));
    ck_assert(result->clock_low_hz >= 2e9 && result->clock_low_hz < result->clock_mean_hz);
    ck_assert(result->clock_mean_hz < result->clock_high_hz && result->clock_high_hz <= 2.5e9);
    /* What it warned of when it was opened is said to each case. */
    for (int i = 0; i < 2; i++) {
        result = sound(measure(&work, FAKE "warning = it is hot"));
        ck_assert_uint_ge(result->n_messages, 1);
        ck_assert_str_eq(result->messages[0].text, "it is hot");
    }
}

/* settings, the device that is used; "": none, as it fails. */
static const struct {
    const char *settings, *device, *words;
    int32_t status;
} guests[] = {
    {"device = fake", "fake:2", "", GB_OK},
    {"device = fake:1", "fake:1", "", GB_OK},
    {"device = fake\nbad = key", "", "unknown key 'bad'", GB_INVALID},
    {"device = fake\nwhere = open\nkind = error", "fake:2", "planned failure", GB_DEVICE_ERROR},
    {"device = fake\nwhere = measure\nkind = error", "fake:2", "planned failure", GB_DEVICE_ERROR},
    {"device = fake:1\nwhere = measure\nkind = error", "fake:1", "planned failure",
     GB_DEVICE_ERROR},
    {"device = cpu\niterations = 1", "cpu:0", "", GB_OK},
};

TEST_EACH(what_is_current_stays_so, guests)
{
    find_fakes();
    struct fake_current *current = fake_current();
    struct work work = {0};
    const struct gbrun_result *result = NULL;
    char settings[500];
    *current = (struct fake_current){.index = 2, .key = 77};
    for (int i = 0; i < 2; i++) {
        snprintf(settings, sizeof settings, "%s\npolicy = fixed\nsamples = 21",
                 guests[_i].settings);
        result = expect(measure(&work, settings), guests[_i].status, guests[_i].words);
        ck_assert_str_eq(result->device, guests[_i].device);
        ck_assert_int_eq(current->index, 2);
        ck_assert_uint_eq(current->key, 77);
    }
    gbrun_release();
    ck_assert_str_eq(result->device, guests[_i].device); /* results stay */
    ck_assert_int_eq(current->index, 2);
    ck_assert_uint_eq(current->key, 77);
}

/* The fake device's stream points to the number of samples since it was opened. */
static int32_t run_and_note(void *user, void *stream, uint64_t iterations)
{
    struct work *work = user;
    if (work->n_runs++ == 0)
        work->n_iterations = *(const uint64_t *)stream;
    return GB_OK;
}

static uint64_t samples_before(uint64_t key)
{
    struct work work = {.of.run = run_and_note};
    *fake_current() = (struct fake_current){.key = key};
    sound(measure(&work, FAKE));
    ck_assert_uint_eq(fake_current()->key, key);
    return work.n_iterations;
}

TEST(a_device_for_each_context)
{
    find_fakes();
    ck_assert_uint_eq(samples_before(5), 0);
    ck_assert_uint_eq(samples_before(6), 0);
    ck_assert_uint_gt(samples_before(5), 0); /* it is still open */
    ck_assert_uint_gt(samples_before(6), 0);
    gbrun_release();
    ck_assert_uint_eq(samples_before(5), 0);
}

/* ---- results files ---- */

/* What a query of gbrun's own says, lines in one. */
static const char *exported(const char *arguments)
{
    static char text[2000];
    char command[1200];
    snprintf(command, sizeof command, "'%s' %s 2>&1 | tr -d '\\r' | tr '\\n' ' '", getenv("GBRUN"),
             arguments);
    FILE *output = popen(command, "r");
    text[fread(text, 1, sizeof text - 1, output)] = 0;
    pclose(output);
    return text;
}

TEST(results_are_appended)
{
    find_fakes();
    struct work work = {0}, sides[2] = {{0}}, failing = {.fail_at = 1, .words = "out of luck"};
    for (int i = 0; i < 5; i++) {
        char settings[1200];
        snprintf(settings, sizeof settings,
                 QUICK "results = x.gbr\nname = %s\nlet.n = %d\nlabel.branch = main",
                 i == 4 ? "other" : "one", i / 2);
        expect(measure(i == 4 ? &failing : &work, settings), i == 4 ? GB_FAILED : GB_OK, "");
    }
    ck_assert_str_eq(exported("export --columns bench,n,round,n_samples,status --run all "
                              "--format csv x.gbr"),
                     "bench,n,round,n_samples,status one,0,0,20,ok one,0,1,20,ok one,1,0,20,ok "
                     "one,1,1,20,ok other,2,0,0,failed ");
    ck_assert_ptr_nonnull(strstr(exported("list runs --format csv x.gbr"), "branch=main"));
    gbrun_release(); /* the next call begins a run of its own */
    sound(measure(&work, "device = fake\npolicy = median_ci\nmin_samples = 30\nresults = z.gbr"));
    ck_assert_str_eq(exported("export --columns round,verdict z.gbr --where 'round > 5'"),
                     "round,verdict 6,certified in this visit 7,certified in this visit ");
    ck_assert_str_eq(exported("export --rows combined --columns n_rounds,verdict z.gbr"),
                     "n_rounds,verdict 8,certified in this visit ");
    compared(sides, VISITS "results = y.gbr\nmax_rounds = 4", GB_OK, "");
    ck_assert_ptr_nonnull(
        strstr(exported("compare y.gbr --by side --base base --format csv"), "measure,"));
    sound(measure(&work, QUICK "results = x.gbr"));
    ck_assert_ptr_nonnull(
        strstr(exported("export --columns run,bench --run all x.gbr"), "2,measure "));
}

TEST(processes_that_name_a_run_add_to_it)
{
    struct work work = {0};
    const char *settings = QUICK "results = shared.gbr\nname = %s\n"
                                 "run = 01234567-89ab-cdef-0123-456789abcdef";
    static const char *const names[] = {"a.py::one", "two", "a.py::one"};
    for (int i = 0; i < 3; i++) {
        char text[400];
        int status = 0;
        snprintf(text, sizeof text, settings, names[i]);
        if (i == 1 && fork() != 0) {
            ck_assert(wait(&status) > 0 && status == 0);
            continue;
        }
        sound(measure(&work, text));
        if (i == 1)
            _exit(0);
    }
    ck_assert_str_eq(
        exported(
            "export --columns run,run_uuid,bench,position,round,sequence --format csv shared.gbr"),
        "run,run_uuid,bench,position,round,sequence "
        "1,01234567-89ab-cdef-0123-456789abcdef,a.py::one,0,0,0 "
        "1,01234567-89ab-cdef-0123-456789abcdef,a.py::one,0,1,2 "
        "1,01234567-89ab-cdef-0123-456789abcdef,two,1,0,1 ");
}

TEST(a_forked_child_begins_a_run_of_its_own)
{
    struct work work = {0};
    const char *settings = QUICK "results = forked.gbr";
    int status = 0;
    sound(measure(&work, settings));
    if (fork() == 0) {
        sound(measure(&work, settings));
        _exit(0);
    }
    ck_assert(wait(&status) > 0 && status == 0);
    sound(measure(&work, settings));
    ck_assert_str_eq(exported("export --columns run,round --run all forked.gbr"),
                     "run,round 1,0 1,1 2,0 ");
}

TEST(a_results_file_that_cannot_be)
{
    struct work work = {0};
    const struct gbrun_result *result = expect(measure(&work, QUICK "results = /nowhere/x.gbr"),
                                               GB_IO, "/nowhere/x.gbr");
    ck_assert_uint_eq(result->n_samples, 20); /* what was measured is there */
    ck_assert(result->time_ns > 0);
}

/* ---- threads ---- */

static _Atomic int n_inside;

static int32_t run_alone(void *user, void *stream, uint64_t iterations)
{
    const int n = ++n_inside;
    int32_t status = run(user, stream, iterations);
    n_inside--;
    return n == 1 ? status : gbrun_fail("two at a time");
}

static void *thread_main(void *argument)
{
    struct work work = {.of.run = run_alone};
    for (int i = 0; i < 10; i++) {
        const struct gbrun_result *result = measure(&work, QUICK);
        if (result->status != GB_OK)
            snprintf(argument, 200, "%s", result->error);
        gbrun_free(result);
    }
    return NULL;
}

TEST(threads_wait_for_each_other)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    char words[THREADS][200] = {{0}};
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_main, words[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_str_eq(words[i], "");
    }
}

/* ---- comparisons of outputs ---- */

static const double exact[] = {1, 2, 3}, same[] = {1, 2, 3}, off[] = {1, 2 + 1e-9, 3};
static const double far[] = {1, 2.001, 3}, undefined[] = {1, NAN, 3};
static const float sums[] = {1, 2.0000005f, 3};
static const int64_t whole[] = {1, INT64_C(1) << 60, 3}, equal[] = {1, INT64_C(1) << 60, 3};
static const int64_t other[] = {1, (INT64_C(1) << 60) + 1, 3};

#define CHECK(element, with, ...)                                                                  \
    {                                                                                              \
        sizeof(struct gb_check), .format = element, .n = 3, .output = with, __VA_ARGS__            \
    }
#define F64(with) CHECK(GB_F64, with, .reference = exact)
#define SUMS(of) CHECK(GB_F32, sums, .reference = of, .magnitude = exact, .n_products = 4)

/* Without settings the tolerance is derived, of float64 8 * 2^-53 = 8.9e-16. */
static const struct {
    struct gb_check check;
    const char *settings;
    int32_t status;
    const char *words, *metric; /* the metric that judged it has a tolerance; NULL: none judged */
} comparisons_made[] = {
    {F64(same), "", GB_OK, "", "rms"},
    {F64(off), "", GB_WRONG_RESULT, "output: rms", "rms"},
    {F64(off), "check.rms = 1e-6", GB_OK, "", "rms"},
    {F64(off), "check.abs = 1e-10", GB_WRONG_RESULT, "output: abs", "abs"},
    {F64(undefined), "check.rms = 1", GB_WRONG_RESULT, "got nan", "rms"},
    {F64(same), "check.rmz = 1", GB_INVALID, "check.rmz", NULL},
    {CHECK(GB_I64, whole, .reference_exact = equal), "", GB_OK, "", "abs"},
    {CHECK(GB_I64, whole, .reference_exact = other), "", GB_WRONG_RESULT, "output: ", "abs"},
    {SUMS(exact), "", GB_OK, "", "bound"},
    {SUMS(far), "", GB_WRONG_RESULT, "bound", "bound"},
    {{.n = 3}, "", GB_FAILED, "too short", NULL},
};

static const struct gb_check *to_compare;
static int n_verified;

static int32_t compare_outputs(void *user, void *stream)
{
    n_verified++;
    return gbrun_check(to_compare);
}

TEST_EACH(outputs_are_compared, comparisons_made)
{
    struct work work = {.of.verify = compare_outputs};
    const char *metric = comparisons_made[_i].metric;
    char settings[200];
    bool is_found = false;
    to_compare = &comparisons_made[_i].check;
    snprintf(settings, sizeof settings, QUICK "%s", comparisons_made[_i].settings);
    const struct gbrun_result *found = expect(measure(&work, settings), comparisons_made[_i].status,
                                              comparisons_made[_i].words);
    ck_assert_int_eq(n_verified, found->status != GB_INVALID);
    ck_assert_int_eq(found->n_checks > 0, metric != NULL);
    ck_assert_int_eq(found->time_ns > 0, metric != NULL);
    for (uint64_t i = 0; i < found->n_checks; i++) {
        ck_assert_str_eq(found->checks[i].name, "output");
        is_found |= strcmp(found->checks[i].metric, metric) == 0 &&
                    found->checks[i].tolerance >= (to_compare->format == GB_I64 ? 0 : 1e-30);
        if (strcmp(found->checks[i].metric, "abs") == 0 && to_compare->output == off) {
            ck_assert_double_eq(found->checks[i].value, off[1] - 2);
            ck_assert_uint_eq(found->checks[i].index, 1);
            ck_assert_double_eq(found->checks[i].output, off[1]);
        }
    }
    ck_assert_int_eq(is_found, metric != NULL);
    ck_assert_int_eq(gbrun_check(to_compare), GB_INVALID); /* outside of a call */
}

/* Of a benchmark with inputs that are renewed. */
static int64_t input, output, first_output;
static int n_renewed;

static int32_t renew(void *user, void *stream, uint64_t number)
{
    n_renewed++;
    input = (int64_t)(number % 1000) + 1;
    return GB_OK;
}

static int32_t triple(void *user, void *stream, uint64_t iterations)
{
    output = 3 * input;
    return GB_OK;
}

static int32_t triple_once(void *user, void *stream, uint64_t iterations)
{
    first_output = first_output ? first_output : 3 * input;
    output = first_output;
    return GB_OK;
}

static int32_t compare_triple(void *user, void *stream)
{
    return output == 3 * input ? gbrun_checked("triple", 1, "")
                               : gbrun_checked("triple", 0, "kept from before");
}

static const struct {
    int32_t (*run)(void *user, void *stream, uint64_t iterations);
    const char *settings;
    int32_t status;
    const char *words;
    bool renews;
} renewals[] = {
    {triple, "", GB_OK, "", true},
    {triple, "verify = end", GB_OK, "", false},
    {triple_once, "verify = end", GB_OK, "", false},
    {triple_once, "", GB_WRONG_RESULT, "kept from before", true},
    {triple, "inputs = 2", GB_INVALID, "no sets of inputs", false},
    {triple, "verify = judge", GB_FAILED, "callback", false},
};

TEST_EACH(inputs_are_renewed, renewals)
{
    struct work work = {.of = {.flags = GBRUN_SINGLE,
                               .run = renewals[_i].run,
                               .verify = compare_triple,
                               .refresh = renew}};
    char settings[200];
    input = 1;
    snprintf(settings, sizeof settings, QUICK "%s", renewals[_i].settings);
    expect(measure(&work, settings), renewals[_i].status, renewals[_i].words);
    ck_assert_int_eq(n_renewed > 0, renewals[_i].renews);
}

static int32_t compare_itself(void *user, void *stream)
{
    return gbrun_checked("order", 0, "not sorted");
}

TEST(comparisons_are_in_results_files)
{
    struct work work = {.of.verify = compare_itself};
    expect(measure(&work, QUICK "results = compared.gbr"), GB_WRONG_RESULT, "not sorted");
    ck_assert_int_eq(gbrun_checked("order", 1, ""), GB_INVALID);
    ck_assert_str_eq(exported("export --columns status,verified,status_text compared.gbr"),
                     "status,verified,status_text wrong result,failed,order: not sorted ");
}
