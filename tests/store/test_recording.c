/*
 * test_recording.c - recordings of many samples: what they cost in memory and in the file, and that
 * nothing is left of one that was broken off.
 */
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

#include "core/run/collector.h"
#include "core/run/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/wait.h>

TEST_FIXTURE(fixture_begin, fixture_end)

/* ---- what is stored ---- */

enum { LONG = 3 * STORE_CHUNK + 1000 };

struct long_columns {
    double *wall, *clock_hz, *flags, *cpu;
};

static double *new_column(void)
{
    double *values = malloc(LONG * sizeof *values);
    ck_assert_ptr_nonnull(values);
    return values;
}

/* Times that are not in order; a constant clock rate; a flag now and then; a clock
 * without any time. */
static struct long_columns new_columns(void)
{
    struct long_columns columns = {new_column(), new_column(), new_column(), new_column()};
    for (size_t i = 0; i < LONG; i++) {
        columns.wall[i] = 1000 + (double)(i * 7919 % 10007) / 3;
        columns.clock_hz[i] = 1.98e9;
        columns.flags[i] = i % 70000 == 69999 ? GB_SAMPLE_INTERRUPTED : 0;
        columns.cpu[i] = NAN;
    }
    return columns;
}

static void free_columns(struct long_columns *columns)
{
    free(columns->wall);
    free(columns->clock_hz);
    free(columns->flags);
    free(columns->cpu);
}

/* In parts of 65537 samples, the last with the case itself. */
static void store_in_parts(struct store *store, int64_t run_id, struct fixture_case *c,
                           const struct long_columns *columns)
{
    enum { PART = STORE_CHUNK + 1 };
    for (uint64_t first = 0;; first += PART) {
        struct sample_column part[] = {{"wall", columns->wall + first},
                                       {"clock_hz", columns->clock_hz + first},
                                       {"flags", columns->flags + first},
                                       {"cpu", columns->cpu + first}};
        if (LONG - first > PART) {
            ck_assert_int_eq(store_samples(store, run_id, &c->record, first, PART, part, 4, NULL),
                             GB_OK);
            continue;
        }
        memcpy(c->columns, part, sizeof part);
        c->record.n_columns = 4;
        c->record.n_samples = LONG - first;
        fixture_store(store, run_id, c);
        return;
    }
}

static void expect_column(struct store *store, const char *name, const double *expected, double gap)
{
    double *values = new_column();
    static const uint64_t begins[] = {0, 1, STORE_CHUNK, 69999, LONG - 10};
    static const uint64_t lengths[] = {LONG, STORE_CHUNK, STORE_CHUNK + 2, 1, 10};
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
        ck_assert_int_eq(store_samples_read(store, 1, name, begins[k], lengths[k], values, NULL),
                         GB_OK);
        for (uint64_t i = 0; i < lengths[k]; i++) {
            double value = isnan(values[i]) ? gap : values[i];
            ck_assert_msg(value == expected[begins[k] + i], "%s[%llu] is %g", name,
                          (unsigned long long)(begins[k] + i), values[i]);
        }
    }
    free(values);
}

TEST(columns_that_say_little_cost_little)
{
    struct long_columns columns = new_columns();
    struct fixture_case c;
    fixture_case(&c, 0, 1, 100);
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    store_in_parts(store, fixture_begin_run(store, 1), &c, &columns);
    ck_assert_int_eq(fixture_query(store, "SELECT sum(length(data)) FROM samples"
                                          " WHERE name = 'wall'"),
                     LONG * 8);
    ck_assert_int_le(fixture_query(store, "SELECT sum(length(data)) FROM samples"
                                          " WHERE name = 'clock_hz'"),
                     8 * 8);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM samples WHERE name = 'flags'"), 2);
    ck_assert_int_le(fixture_query(store, "SELECT sum(length(data)) FROM samples"
                                          " WHERE name = 'flags'"),
                     2 * 256 * 8);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM samples WHERE name = 'cpu'"), 0);
    expect_column(store, "wall", columns.wall, NAN);
    expect_column(store, "clock_hz", columns.clock_hz, NAN);
    expect_column(store, "flags", columns.flags, 0);
    fixture_close(store);
    free_columns(&columns);
}

TEST(a_recording_in_parts_has_the_summary_of_all_samples)
{
    struct long_columns columns = new_columns();
    struct fixture_case c;
    columns.wall[17] = NAN;
    columns.wall[STORE_CHUNK + 17] = INFINITY;
    fixture_case(&c, 0, 1, 100);
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    store_in_parts(store, fixture_begin_run(store, 1), &c, &columns);
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_case got;
    ck_assert_int_eq(store_case_read(store, 1, &arena, &got, NULL), GB_OK);
    size_t kept = 0;
    for (size_t i = 0; i < LONG; i++)
        if (isfinite(columns.wall[i]))
            columns.wall[kept++] = columns.wall[i];
    struct summary expected = summary_of(columns.wall, kept);
    ck_assert_uint_eq(got.record.n_samples, LONG);
    ck_assert_double_eq(got.summary.median, expected.median);
    ck_assert_double_eq(got.summary.q1, expected.q1);
    ck_assert_double_eq(got.summary.p99, expected.p99);
    ck_assert_double_eq(got.summary.min, expected.min);
    ck_assert_double_eq(got.summary.max, expected.max);
    ck_assert_double_eq(got.summary.mean, expected.mean);
    ck_assert_double_eq(got.summary.stdev, expected.stdev);
    fixture_close(store);
    free_columns(&columns);
}

static void count_done(void *context, uint64_t position, uint32_t round, const char *device_name,
                       int32_t device_index)
{
    (void)position, (void)round, (void)device_name, (void)device_index;
    ++*(int *)context;
}

TEST(nothing_is_left_of_a_part)
{
    struct long_columns columns = new_columns();
    struct fixture_case c;
    int n_done = 0;
    uint64_t next = 0;
    fixture_case(&c, 0, 1, 100);
    struct store *store = fixture_open("results.gbr", STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    struct sample_column part = {"wall", columns.wall};
    ck_assert_int_eq(store_samples(store, run_id, &c.record, 0, STORE_CHUNK, &part, 1, NULL),
                     GB_OK);
    fixture_close(store);
    store = fixture_open("results.gbr", STORE_WRITE);
    ck_assert_int_eq(store_resume(store, run_id, count_done, &n_done, &next, NULL), GB_OK);
    ck_assert_int_eq(n_done, 0);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM samples"), 0);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case"), 0);
    fixture_close(store);
    free_columns(&columns);
}

/* ---- what arrives ---- */

/* Ends the message, hands it over and frees it. */
static int32_t deliver(struct collector *collector, uint32_t type, struct wire_writer *writer)
{
    wire_end(writer);
    struct wire_reader reader = {.data = (const unsigned char *)writer->bytes.data +
                                         WIRE_HEADER_BYTES,
                                 .length = writer->bytes.length - WIRE_HEADER_BYTES};
    int32_t status = collector_take(collector, type, &reader);
    wire_writer_free(writer);
    return status;
}

/* Two samples, with the columns named, of which the i-th value is i + 10 times the column. */
static int32_t collect(struct collector *collector, const char *const *names, uint32_t n)
{
    struct wire_writer writer = {0};
    wire_begin(&writer, WIRE_SAMPLES);
    wire_put_u64(&writer, 2);
    wire_put_u32(&writer, n);
    for (uint32_t i = 0; i < n; i++) {
        wire_put_text(&writer, names[i]);
        wire_put_f64s(&writer, (const double[]){10.0 * i, 10.0 * i + 1}, 2);
    }
    return deliver(collector, WIRE_SAMPLES, &writer);
}

TEST(columns_may_come_and_go)
{
    struct collector collector;
    collector_begin(&collector, NULL, "0123", 0);
    collector.record.clock = "wall";
    ck_assert_int_eq(collect(&collector, (const char *[]){"cpu", "wall"}, 2), GB_OK);
    ck_assert_int_eq(collect(&collector, (const char *[]){"wall", "flags", "elapsed"}, 3), GB_OK);
    collector_finish(&collector, CASE_OK, "");
    const struct case_record *record = &collector.record;
    ck_assert_uint_eq(record->n_samples, 4);
    ck_assert_uint_eq(record->n_columns, 4);
    static const struct {
        const char *name;
        double values[4];
    } expected[] = {{"cpu", {0, 1, NAN, NAN}},
                    {"wall", {10, 11, 0, 1}},
                    {"flags", {0, 0, 10, 11}},
                    {"elapsed", {NAN, NAN, 20, 21}}};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(record->columns[i].name, expected[i].name);
        for (size_t j = 0; j < 4; j++) {
            double value = record->columns[i].values[j], wanted = expected[i].values[j];
            ck_assert_msg(value == wanted || (isnan(value) && isnan(wanted)), "%s[%zu] is %g",
                          expected[i].name, j, value);
        }
    }
    collector_free(&collector);
}

TEST(too_many_columns_are_refused)
{
    char words[COLLECTOR_COLUMNS_MAX + 1][8];
    const char *names[COLLECTOR_COLUMNS_MAX + 1];
    struct collector collector;
    for (size_t i = 0; i <= COLLECTOR_COLUMNS_MAX; i++) {
        snprintf(words[i], sizeof words[i], "c%zu", i);
        names[i] = words[i];
    }
    collector_begin(&collector, NULL, "0123", 0);
    ck_assert_int_eq(collect(&collector, names, 0), GB_CORRUPT);
    ck_assert_int_eq(collect(&collector, names, COLLECTOR_COLUMNS_MAX), GB_OK);
    ck_assert_int_eq(collect(&collector, names, COLLECTOR_COLUMNS_MAX + 1), GB_CORRUPT);
    ck_assert_int_eq(collect(&collector, names + COLLECTOR_COLUMNS_MAX, 1), GB_CORRUPT);
    ck_assert_uint_eq(collector.n, 2);
    collector_finish(&collector, CASE_OK, "");
    collector_free(&collector);
}

static void collect_metric(struct collector *collector, const char *name, double value)
{
    struct wire_writer writer = {0};
    wire_begin(&writer, WIRE_METRIC);
    wire_put_fields(&writer, metric_fields, &(struct metric_record){name, value, "B"});
    ck_assert_int_eq(deliver(collector, WIRE_METRIC, &writer), GB_OK);
}

TEST(a_metric_has_its_last_value)
{
    struct collector collector;
    collector_begin(&collector, NULL, "0123", 0);
    collect_metric(&collector, "heap", 1);
    collect_metric(&collector, "stack", 2);
    collect_metric(&collector, "heap", 3);
    collector_finish(&collector, CASE_OK, "");
    ck_assert_uint_eq(collector.record.n_metrics, 2);
    ck_assert_str_eq(collector.record.metrics[0].name, "heap");
    ck_assert_double_eq(collector.record.metrics[0].value, 3);
    ck_assert_double_eq(collector.record.metrics[1].value, 2);
    collector_free(&collector);
}

/* As many as there is room for, in their order; of a case that went well none. */
static const int ends[] = {CASE_OK, CASE_CRASHED};

TEST_EACH(the_last_lines_printed_are_kept, ends)
{
    for (int lines = 1; lines <= COLLECTOR_PRINTED_LINES + 5; lines++) {
        struct collector collector;
        struct text expected = {0};
        int first = lines > COLLECTOR_PRINTED_LINES ? lines - COLLECTOR_PRINTED_LINES : 0;
        collector_begin(&collector, NULL, "0123", 0);
        if (first > 0)
            text_printf(&expected, "printed (the last %d of %d lines): ", COLLECTOR_PRINTED_LINES,
                        lines);
        else
            text_printf(&expected, "printed: ");
        for (int i = 0; i < lines; i++) {
            char line[32];
            snprintf(line, sizeof line, "line %d", i);
            collector_printed(&collector, line);
            if (i >= first)
                text_printf(&expected, "%s%s", i > first ? "\n" : "", line);
        }
        collector_finish(&collector, ends[_i], "");
        ck_assert_uint_eq(collector.record.n_messages, ends[_i] != CASE_OK);
        if (collector.record.n_messages > 0)
            ck_assert_str_eq(collector.record.messages[0].text, text_get(&expected));
        text_free(&expected);
        collector_free(&collector);
    }
}

/* ---- the program ---- */

/* The program, silent. arguments: after its name, 6 at most, the last NULL. */
static pid_t launch(const char *const *arguments)
{
    const char *program = getenv("GBRUN"), *all[8] = {program ? program : "./gbrun"};
    for (size_t i = 0; i < 6 && arguments[i]; i++)
        all[i + 1] = arguments[i];
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0)
        return child;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    setenv("GBRUN_PLUGIN_PATH", fixture_path("plugins"), 1);
    execv(all[0], (char *const *)(uintptr_t)all);
    _exit(127);
}

/* The program on n samples of a device whose clock is arithmetic. */
static pid_t start(const char *policy, uint64_t n_samples)
{
    static const char *const modules[] = {"good.so", "device_fake.so"};
    const char *top = getenv("top_builddir");
    mkdir(fixture_path("plugins"), 0777);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
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
    return launch((const char *[]){"-q", "-c", fixture_path("long.ini"), "-o",
                                   fixture_path("long.gbr"), NULL});
}

static void expect_success(pid_t child, struct rusage *usage)
{
    int status = -1;
    ck_assert_int_eq(wait4(child, &status, 0, usage), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

/* The most memory that the program or one of its workers has held, in KiB. */
static long peak_kib(const char *policy, uint64_t n_samples)
{
    struct rusage usage;
    unlink(fixture_path("long.gbr"));
    expect_success(start(policy, n_samples), &usage);
    struct store *store = fixture_open("long.gbr", STORE_READ);
    ck_assert_int_eq(fixture_query(store, "SELECT n_samples FROM bench_case"), (int64_t)n_samples);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case WHERE status = 'ok' AND"
                                          " estimate_ns BETWEEN low_ns AND high_ns"),
                     1);
    fixture_close(store);
    return usage.ru_maxrss;
}

static const char *const policies[] = {"plugin = fixed\nsamples = 1000000000",
                                       "plugin = budget\ntime = 1000 s"};

/* Up to 300,000 samples fill buffers and SQLite's cache; 400,000 more are 3.2 MB in every array
 * that would hold them. */
TEST_EACH(memory_does_not_grow_with_the_recording, policies)
{
    if (getenv("SANITIZE"))
        TEST_SKIP("freed memory is kept under a sanitizer, so as to be watched");
    if (getenv("TEST_RUNNER"))
        TEST_SKIP("it starts gbrun, a program for another machine");
    long small = peak_kib(policies[_i], 350000), large = peak_kib(policies[_i], 750000);
    ck_assert_msg(large - small < 2000, "%ld KiB for 350000 samples, %ld KiB for 750000", small,
                  large);
}

static int64_t stored_samples(void)
{
    struct store *store = NULL;
    struct gb_error error = {0};
    if (store_open(fixture_path("long.gbr"), STORE_READ, &store, &error) != GB_OK)
        return 0;
    int64_t n = fixture_query(store, "SELECT ifnull(max(n_samples), 0) FROM bench_case");
    fixture_close(store);
    return n;
}

TEST(a_recording_that_was_killed_is_measured_again)
{
    enum { N = 400000 };
    char changes[4096];
    if (getenv("TEST_RUNNER"))
        TEST_SKIP("it starts gbrun, a program for another machine");
    const int watch = inotify_init1(IN_CLOEXEC);
    ck_assert_int_ge(inotify_add_watch(watch, fixture_folder, IN_MODIFY | IN_CREATE), 0);
    pid_t child = start(policies[0], N);
    while (stored_samples() == 0)
        ck_assert_int_gt(read(watch, changes, sizeof changes), 0);
    close(watch);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    child = launch((const char *[]){"run", "-q", "--resume", fixture_path("long.gbr"), NULL});
    expect_success(child, NULL);
    struct store *store = fixture_open("long.gbr", STORE_READ);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case WHERE status = 'ok'"),
                     1);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM bench_case"), 1);
    ck_assert_int_eq(fixture_query(store, "SELECT sum(n) FROM samples WHERE name = 'synthetic'"),
                     N);
    ck_assert_int_eq(fixture_query(store, "SELECT count(*) FROM samples WHERE case_id NOT IN"
                                          " (SELECT id FROM bench_case)"),
                     0);
    fixture_close(store);
}
