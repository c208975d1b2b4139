/*
 * test_recording.c - recordings of many samples: what they cost in memory and in the file. That
 * nothing is left of one that was broken off is in test_store.c and tests/hostile/test_kills.sh.
 */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

TEST_FIXTURE(fixture_begin, fixture_end)

/* ---- what is stored ---- */

enum { LONG = 3 * STORE_CHUNK + 1000, PART = STORE_CHUNK + 1 };
enum { WALL, CLOCK_HZ, FLAGS, CPU, COLUMNS };
static const char *const column_names[COLUMNS] = {"wall", "clock_hz", "flags", "cpu"};
static double columns[COLUMNS][LONG];

/* Times that are not in order, and two that are lost; a constant clock rate; a flag now and then; a
 * clock without any time. In parts of 65537 samples, the last with the case itself. */
static struct store *store_in_parts(void)
{
    struct fixture_case c;
    struct sample_column part[COLUMNS];
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    for (size_t i = 0; i < LONG; i++) {
        columns[WALL][i] = 1000 + (double)(i * 7919 % 10007) / 3;
        columns[CLOCK_HZ][i] = 1.98e9;
        columns[FLAGS][i] = i % 70000 == 69999 ? GB_SAMPLE_INTERRUPTED : 0;
        columns[CPU][i] = NAN;
    }
    columns[WALL][17] = NAN;
    columns[WALL][STORE_CHUNK + 17] = INFINITY;
    fixture_case(&c, 0, 1, 100);
    for (uint64_t first = 0; first < LONG; first += PART) {
        for (int i = 0; i < COLUMNS; i++)
            part[i] = (struct sample_column){column_names[i], columns[i] + first};
        if (LONG - first > PART)
            FIXTURE_OK(store_samples(store, run_id, &c.record, first, PART, part, COLUMNS,
                                     &fixture_problem));
        else
            c.record.n_samples = LONG - first;
    }
    c.record.columns = part;
    c.record.n_columns = COLUMNS;
    fixture_store(store, run_id, &c);
    return store;
}

static void expect_column(struct store *store, int column, double gap)
{
    static double values[LONG];
    static const struct {
        uint64_t first, n;
    } parts[] = {{0, LONG}, {1, STORE_CHUNK}, {STORE_CHUNK, PART + 1}, {69999, 1}, {LONG - 10, 10}};
    for (size_t k = 0; k < N_OF(parts); k++) {
        FIXTURE_OK(store_samples_read(store, 1, column_names[column], parts[k].first, parts[k].n,
                                      values, &fixture_problem));
        for (uint64_t i = 0; i < parts[k].n; i++) {
            double value = isnan(values[i]) ? gap : values[i];
            double expected = columns[column][parts[k].first + i];
            ck_assert_msg(value == expected || (isnan(value) && isnan(expected)), "%s[%llu] is %g",
                          column_names[column], (unsigned long long)(parts[k].first + i), value);
        }
    }
}

TEST(columns_that_say_little_cost_little)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    struct store *store = store_in_parts();
    /* The recording is 3 chunks and a bit; each part and each chunk begins a blob. */
    ck_assert_str_eq(fixture_rows(store, "SELECT name, count(*), sum(length(data)) / 8 FROM samples"
                                         " GROUP BY name"),
                     "clock_hz|7|7\nflags|2|512\nwall|7|197608");
    expect_column(store, WALL, NAN);
    expect_column(store, CLOCK_HZ, NAN);
    expect_column(store, FLAGS, 0);
    /* The summary is that of all samples. */
    FIXTURE_OK(store_case_read(store, 1, &arena, &got, &fixture_problem));
    size_t kept = 0;
    for (size_t i = 0; i < LONG; i++)
        if (isfinite(columns[WALL][i]))
            columns[WALL][kept++] = columns[WALL][i];
    const struct summary expected = summary_of(columns[WALL], kept);
    ck_assert_uint_eq(got.record.n_samples, LONG);
    FIXTURE_SAME(&got.summary, &expected, min);
    fixture_close(store);
}

/* ---- the program ---- */

/* The program, silent, on n samples of a device whose clock is arithmetic. */
static pid_t start(const char *policy, uint64_t n_samples)
{
    static const char *const modules[] = {"good.so", "device_fake.so"};
    const char *top = getenv("top_builddir"), *program = getenv("GBRUN");
    mkdir(fixture_path("plugins"), 0777);
    for (size_t i = 0; i < N_OF(modules); i++) {
        char built[4096], path[64];
        snprintf(built, sizeof built, "%s/tests/modules/.libs/%s", top ? top : ".", modules[i]);
        snprintf(path, sizeof path, "plugins/%s", modules[i]);
        ck_assert(symlink(built, fixture_path(path)) == 0 || errno == EEXIST);
    }
    FILE *file = fopen(fixture_path("long.ini"), "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "[policy many]\n%s\n[bench good]\ndevice = fake\npolicy = many\niterations = 1\n"
            "max_samples = %llu\nmax_time = 500 s\ntime_limit = 500 s\n",
            policy, (unsigned long long)n_samples);
    fclose(file);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0)
        return child;
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
    dup2(1, 2);
    setenv("GBRUN_PLUGIN_PATH", fixture_path("plugins"), 1);
    execl(program ? program : "./gbrun", "gbrun", "-q", "-c", fixture_path("long.ini"), "-o",
          fixture_path("long.gbr"), NULL);
    _exit(127);
}

/* The most memory that the program or one of its workers has held, in KiB. */
static long peak_kib(const char *policy, uint64_t n_samples)
{
    struct rusage usage;
    char expected[32];
    int status = -1;
    unlink(fixture_path("long.gbr"));
    pid_t child = start(policy, n_samples);
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    snprintf(expected, sizeof expected, "ok|1|%llu", (unsigned long long)n_samples);
    ck_assert_str_eq(fixture_ask("long.gbr", "SELECT status, estimate_ns BETWEEN low_ns AND"
                                             " high_ns, n_samples FROM bench_case"),
                     expected);
    return usage.ru_maxrss;
}

static const char *const policies[] = {"plugin = fixed\nsamples = 1000000000",
                                       "plugin = budget\ntime = 1000 s"};

/* Up to 300,000 samples fill buffers and SQLite's cache; 400,000 more are 3.2 MB in every array
 * that would hold them. */
TEST_EACH(memory_does_not_grow_with_the_recording, policies)
{
    if (_i > 0 && !test_is_long())
        TEST_SKIP("as many samples of another policy are taken by make check-long");
    if (getenv("SANITIZE"))
        TEST_SKIP("freed memory is kept under a sanitizer, so as to be watched");
    if (getenv("TEST_RUNNER"))
        TEST_SKIP("it starts gbrun, a program for another machine");
    long small = peak_kib(policies[_i], 350000), large = peak_kib(policies[_i], 750000);
    ck_assert_msg(large - small < 2000, "%ld KiB for 350000 samples, %ld KiB for 750000", small,
                  large);
}
