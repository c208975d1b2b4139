/* test_measure.c - gbrun/measure.h as a program uses it: results, errors, and what a call leaves as
 * it was. */
#include "tests/library/measure_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

TEST_FIXTURE(go_to_folder, NULL)

/* Before each run. */
static int32_t reset(void *user, void *stream)
{
    struct work *work = user;
    ck_assert(!stream || has_stream);
    ck_assert_uint_eq(work->n_resets++, work->n_runs);
    return GB_OK;
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

static int32_t poll_third(void *user)
{
    return ++((struct work *)user)->n_polls >= 3;
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
