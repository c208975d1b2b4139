/* test_host.c - core/run/host.c and core/verify/check_dump.c: how a comparison is judged with the
 * user's settings, what is reported of it, and its arrays as files. */
#include "core/base/random.h"
#include "core/run/fills.h"
#include "core/run/host.h"
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

static struct {
    unsigned n_summaries, n_checks;
    struct check_summary_record summary;
    struct verify_metric metrics[VERIFY_METRICS]; /* of the comparison told last */
    unsigned n_worst;
    struct worst_record worst;
    char warning[512];
} told;

static void take_log(const struct message_record *message)
{
    ck_assert(message->severity == GB_LOG_WARNING || message->severity == GB_LOG_INFO);
    if (message->severity == GB_LOG_WARNING)
        snprintf(told.warning, sizeof told.warning, "%s", message->text);
}

static void take_check(const struct check_record *check)
{
    if (*check->metric)
        told.metrics[verify_metric_named(check->metric)] = (struct verify_metric){
            check->value, check->index, check->reference, check->output};
    told.n_checks++;
}

static void take(void *context, uint32_t type, const void *record)
{
    if (type == WIRE_LOG)
        take_log(record);
    else if (type == WIRE_CHECK)
        take_check(record);
    else if (type == WIRE_SUMMARY)
        told.summary = *(const struct check_summary_record *)record;
    else if (type == WIRE_WORST)
        told.worst = *(const struct worst_record *)record;
    told.n_summaries += type == WIRE_SUMMARY;
    told.n_worst += type == WIRE_WORST;
    ck_assert(type != WIRE_WORST || text_equal(told.worst.name, "C"));
}

static const struct host_sink sink = {.take = take};

static const double reference[] = {1, 2, 3, 4};
static const float right[] = {1, 2, 3, 4}, wrong[] = {1, 2, 3, 5};

/* Of each test: a host, and what the user and the benchmark ask of a comparison; it passes. */
static struct host *host;
static const struct gb_host *interface;
static struct common_params common;
static struct gb_check check;
static char folder[320]; /* of dumps, if they are asked for */

static void set_up(void)
{
    CLEANUP(arena_free) struct arena arena = {0};
    fixture_begin();
    memset(&told, 0, sizeof told);
    host = host_new(1, &sink, NULL, NULL);
    interface = &host->interface;
    ck_assert_int_eq(option_fill(common_options(), NULL, 0, &common, sizeof common, &arena, NULL),
                     GB_OK);
    common.check_dump = "";
    check = (struct gb_check){sizeof check,
                              .format = GB_F32,
                              .name = "C",
                              .n = 4,
                              .output = right,
                              .reference = reference,
                              .default_metric = "abs",
                              .default_tolerance = 1e-3};
}

static void tear_down(void)
{
    host_free(host);
    fixture_end();
}

static void dump_into(const char *name)
{
    snprintf(folder, sizeof folder, "%s", fixture_path(name));
    common.check_dump = folder;
}

/* A comparison in a host of its own. */
static int32_t compare_as(const struct gb_check *asked)
{
    struct host_checks checks = {.common = &common, .uid = "0123"};
    struct host *own = host_new(1, &sink, NULL, &checks);
    memset(&told, 0, sizeof told);
    int32_t status = own->interface.check(&own->interface, asked);
    host_free(own);
    return status;
}

static int32_t compare(void)
{
    return compare_as(&check);
}

/* What a comparison reads in a metric. */
static double compared(int metric)
{
    compare();
    return told.metrics[metric].value;
}

TEST_FIXTURE(set_up, tear_down)

TEST(formats_are_a_service)
{
    static const struct gb_format e4m3 = {
        sizeof e4m3, .format = GB_F8_E4M3, .name = "e4m3",    .bytes = 1,
        .digits = 4, .min_exponent = -6,   .max_exponent = 8, .largest = 448};
    const double values[] = {-400.0, 1e9, 0x1.8p-24}, expected[] = {-400.0, INFINITY, 0x1p-23};
    double back[3] = {0};
    uint16_t halves[5] = {1, 1, 1, 1, 1};
    const struct gb_formats *formats = interface->extension(interface, GB_FORMATS);
    ck_assert(formats && GB_HAS(formats, store));
    ck_assert_ptr_null(interface->extension(interface, "gbrun.formats/2"));
    ck_assert_ptr_null(interface->extension(interface, NULL));
    const struct gb_format *format = formats->describe(GB_F8_E4M3);
    ck_assert_str_eq(format->name, "e4m3");
    ck_assert_mem_eq(format, &e4m3, offsetof(struct gb_format, name));
    FIXTURE_SAME(format, &e4m3, bytes);
    ck_assert_uint_eq(formats->describe(GB_I32)->is_integer, 1);
    ck_assert_ptr_null(formats->describe(99));
    formats->store(GB_F16, halves, 1, 3, values);
    ck_assert_uint_eq(halves[0], 1);
    ck_assert_uint_eq(halves[4], 1);
    formats->load(GB_F16, halves, 1, 3, back);
    ck_assert_mem_eq(back, expected, sizeof back); /* of two as near the even one */
}

TEST(a_comparison_is_told_once)
{
    check.output = wrong;
    ck_assert_int_eq(compare(), GB_WRONG_RESULT);
    ck_assert_uint_eq(told.n_summaries, 1);
    ck_assert_uint_eq(told.n_checks, VERIFY_DETAILS);
    ck_assert_uint_eq(told.summary.n, 4);
    ck_assert_uint_eq(told.summary.n_exact, 3);
    ck_assert_uint_eq(told.summary.histogram[VERIFY_CLASS_EQUAL], 3);
}

/* With what a plugin of the first day has in memory after its shorter struct. */
TEST(a_short_struct_is_not_read_beyond_its_end)
{
    struct gb_check old;
    check.magnitude = reference;
    check.n_products = 16;
    check.default_metric = "bound";
    memset(&old, 0xFF, sizeof old);
    memcpy(&old, &check, offsetof(struct gb_check, safety));
    old.size = offsetof(struct gb_check, safety);
    ck_assert_int_eq(compare_as(&old), GB_OK);
    old.size = offsetof(struct gb_check, default_tolerance);
    ck_assert_int_eq(compare_as(&old), GB_FAILED);
    ck_assert_uint_eq(told.n_summaries, 0);
}

TEST(the_users_bound_wins)
{
    static const double magnitude[] = {2, 4, 6, 8}, off[] = {1, 2, 3, 4 + 1e-6};
    check.reference = off;
    check.magnitude = magnitude;
    check.n_products = 10000;
    check.bound = GB_BOUND_DETERMINISTIC;
    const double plain = compared(VERIFY_BOUND);
    ck_assert(plain > 0);
    common.check_safety = 2;
    ck_assert_double_eq_tol(compared(VERIFY_BOUND), plain / 2, plain / 100);
    common.check_safety = 0;
    common.check_bound_kind = GB_BOUND_PROBABILISTIC;
    const double probabilistic = compared(VERIFY_BOUND);
    ck_assert(probabilistic > 2 * plain);
    check.bound = GB_BOUND_PROBABILISTIC;
    common.check_bound_kind = GB_BOUND_AUTO;
    ck_assert_double_eq(compared(VERIFY_BOUND), probabilistic);
    common.check_bound_kind = GB_BOUND_DETERMINISTIC;
    ck_assert_double_eq(compared(VERIFY_BOUND), plain);
}

TEST(a_second_look_is_taken_on_request)
{
    check.output = wrong;
    ck_assert_double_eq(compared(VERIFY_NORM), 0); /* not reported */
    common.check_details = 1;
    ck_assert_double_eq(compared(VERIFY_MEAN_ABS), 0.25);
    ck_assert_uint_eq(told.n_checks, VERIFY_METRICS);
    common.check_details = 0;
    common.check_worst = 3;
    compare();
    ck_assert_uint_eq(told.n_worst, 1); /* the others are equal */
    ck_assert_uint_eq(told.worst.index, 3);
    ck_assert_double_eq(told.worst.reference, 4);
    ck_assert_double_eq(told.worst.output, 5);
    ck_assert_double_eq(told.worst.ulps, 0x1p21);
    common.check_worst = 0;
    common.check_atol = 0.5;
    common.check_rtol = 0.125;
    check.default_metric = "allclose";
    check.default_tolerance = 1;
    ck_assert_int_eq(compare(), GB_OK);
    ck_assert_double_eq(told.metrics[VERIFY_ALLCLOSE].value, 1);
    common.check_rtol = 0.0625;
    ck_assert_int_eq(compare(), GB_WRONG_RESULT);
}

TEST(the_users_floor_counts)
{
    static const float wrong_at_1[] = {2, 2, 3, 4};
    check.output = wrong_at_1;
    ck_assert_double_eq(compared(VERIFY_REL_FLOOR), 1);
    common.check_floor = 1;
    ck_assert_double_eq(compared(VERIFY_REL_FLOOR), 0);
}

TEST(overflow_can_be_allowed)
{
    static const double infinite[] = {1, 2, 3, INFINITY};
    static const float output[] = {1, 2, 3, INFINITY};
    check.output = output;
    check.reference = infinite;
    ck_assert_int_eq(compare(), GB_WRONG_RESULT);
    common.check_allow_overflow = 1;
    ck_assert_int_eq(compare(), GB_OK);
}

/* ---- files ---- */

enum { HEADER_BYTES = 128 };

static void expect_numpy(const char *name, const char *type, const void *data, size_t bytes)
{
    static unsigned char content[1024];
    char expected[80];
    FILE *file = fopen(fixture_path(name), "r");
    ck_assert_msg(file != NULL, "%s is missing", name);
    size_t n = fread(content, 1, sizeof content, file);
    fclose(file);
    ck_assert_uint_eq(n, HEADER_BYTES + bytes);
    ck_assert_mem_eq(content, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_uint_eq(content[HEADER_BYTES - 1], '\n');
    snprintf(expected, sizeof expected, "{'descr': '%s', 'fortran_order': False, 'shape': (4,), } ",
             type);
    ck_assert_mem_eq(content + 10, expected, strlen(expected));
    ck_assert_mem_eq(content + HEADER_BYTES, data, bytes);
}

TEST(a_failing_comparison_is_dumped)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 5e-324};
    static const float output[] = {-INFINITY, NAN, 1e-45f, 4};
    dump_into("deep/er");
    check.output = output;
    check.reference = odd;
    check.name = "C/../x";
    ck_assert_int_eq(compare(), GB_WRONG_RESULT);
    ck_assert_str_eq(told.warning, "");
    expect_numpy("deep/er/0123-C_.._x-reference.npy", "<f8", odd, sizeof odd);
    expect_numpy("deep/er/0123-C_.._x-output.npy", "<f4", output, sizeof output);
}

TEST(a_passing_comparison_is_dumped_if_asked)
{
    dump_into("dump");
    ck_assert_int_eq(compare(), GB_OK);
    ck_assert_int_ne(access(fixture_path("dump"), F_OK), 0);
    common.check_dump_always = 1;
    ck_assert_int_eq(compare(), GB_OK);
    expect_numpy("dump/0123-C-output.npy", "<f4", right, sizeof right);
}

static const struct {
    uint32_t format;
    const char *type;
    size_t bytes;
    char output[32], written[32]; /* four numbers */
} formats[] = {
    {GB_F16, "<f2", 8, "\0\x3C\1\0\0\x7C\0\x7E", "\0\x3C\1\0\0\x7C\0\x7E"},
    {GB_BF16, "<f4", 16, "\x80\x3F\x40\xC0\x80\x7F\1",
     "\0\0\x80\x3F\0\0\x40\xC0\0\0\x80\x7F\0\0\1"},
    {GB_F8_E4M3, "<f4", 16, "\x38\xB8\0\x40", "\0\0\x80\x3F\0\0\x80\xBF\0\0\0\0\0\0\0\x40"},
    {GB_I8, "|i1", 4, "\1\2\xFF\x80", "\1\2\xFF\x80"},
    {GB_U32, "<u4", 16, "\1\0\0\0\0\0\0\x80", "\1\0\0\0\0\0\0\x80"},
};

TEST_EACH(an_output_keeps_its_format_or_becomes_float32, formats)
{
    dump_into("dump");
    common.check_dump_always = 1;
    check.output = formats[_i].output;
    check.format = formats[_i].format;
    compare();
    expect_numpy("dump/0123-C-output.npy", formats[_i].type, formats[_i].written,
                 formats[_i].bytes);
}

static void expect_warning(const char *words)
{
    CLEANUP(text_free) struct text expected = {0};
    ck_assert_int_eq(compare(), GB_OK);
    text_printf(&expected, "check.dump: %s%s", folder, words);
    ck_assert_str_eq(told.warning, text_get(&expected));
}

TEST(files_that_can_not_be_written_lose_no_case)
{
    FILE *file = fopen(fixture_path("file"), "w"); /* no folder can be made in it */
    fclose(file);
    common.check_dump_always = 1;
    dump_into("file/dump");
    *strrchr(folder, '/') = 0; /* which is what is named */
    expect_warning(": the folder cannot be made: Not a directory");
    /* A folder stands where a file should be. */
    dump_into("dump");
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    ck_assert_int_eq(mkdir(fixture_path("dump/0123-C-reference.npy"), 0777), 0);
    expect_warning("/0123-C-reference.npy: cannot be written: Is a directory");
    ck_assert_int_eq(rmdir(fixture_path("dump/0123-C-reference.npy")), 0);
    ck_assert_msg(rmdir(folder) == 0, "a part of a file was left");
}

TEST(a_benchmark_may_compare_itself)
{
    ck_assert_int_eq(interface->checked(interface, "sorted", 1, NULL), GB_OK);
    ck_assert_str_eq(host->reason, "");
    ck_assert_int_eq(interface->checked(interface, "sorted", 0, "3 stands before 2"),
                     GB_WRONG_RESULT);
    ck_assert_str_eq(host->reason, "sorted: 3 stands before 2");
    ck_assert_int_eq(interface->checked(interface, NULL, 0, ""), GB_WRONG_RESULT);
    ck_assert_str_eq(host->reason, "sorted: 3 stands before 2");
    ck_assert_uint_eq(told.n_checks, 3);
    ck_assert_uint_eq(told.n_summaries, 0);
}

/* What is longer than there is room for says so at its end. */
TEST(long_reasons_are_cut)
{
    static char text[2 * HOST_TEXT_MAX];
    memset(text, 'x', HOST_TEXT_MAX - 1);
    ck_assert_int_eq((interface->fail)(interface, text), GB_FAILED);
    ck_assert_str_eq(host->reason, text);
    memset(text, 'x', sizeof text - 1);
    ck_assert_int_eq(interface->skip(interface, text), GB_SKIPPED);
    ck_assert_uint_eq(strlen(host->reason), HOST_TEXT_MAX - 1);
    ck_assert_str_eq(host->reason + HOST_TEXT_MAX - 7, "xx ...");
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    return GB_OK;
}

/* Also those of a plugin that knows a shorter struct. */
TEST(functions_are_replaced)
{
    struct gb_bench_ops ops = {.size = offsetof(struct gb_bench_ops, collect),
                               .flags = GB_BENCH_SINGLE,
                               .run = run,
                               .entry_ns = 5};
    ck_assert_uint_eq(host->replaced.size, 0);
    ck_assert(!host->keeps);
    interface->keep(interface);
    ck_assert(host->keeps);
    interface->replace(interface, &ops);
    ops.flags = 0;
    const struct gb_bench_ops *replaced = &host->replaced;
    ck_assert(replaced->run == run);
    ck_assert_uint_eq(replaced->size, sizeof *replaced);
    ck_assert_uint_eq(replaced->flags, GB_BENCH_SINGLE);
    ck_assert_double_eq(replaced->entry_ns, 0);
}

/* Whatever was asked for before, and is kept: each of these is asked for twice in turn, and there
 * is room for some. */
TEST(inputs_are_those_of_the_seed)
{
    enum { N = 1 << 16, TURNS = 3 };
    static const struct {
        uint64_t seed, n;
        struct gb_fill fill;
    } rows[] = {
        {1, N, {sizeof(struct gb_fill), GB_F32, 0, -1, 1, 0, 0}},
        {2, N, {sizeof(struct gb_fill), GB_F32, 0, -1, 1, 0, 0}},
        {1, N, {sizeof(struct gb_fill), GB_F32, 1, -1, 1, 0, 0}},
        {1, N, {sizeof(struct gb_fill), GB_F32, 0, -1, 2, 0, 0}},
        {1, N, {sizeof(struct gb_fill), GB_F32, 0, -1, 1, 0, 0}},
        {1, N, {sizeof(struct gb_fill), GB_F32, 0, -2, 1, 1, 0}},
        {1, N, {sizeof(struct gb_fill), GB_I32, 0, -2, 1, 0, 0}},
        {1, N, {sizeof(struct gb_fill), GB_F64, 0, -1, 1, 0, 0}},
        {1, N + 7, {sizeof(struct gb_fill), GB_F32, 0, -1, 1, 0, 0}},
        {1, 7, {sizeof(struct gb_fill), GB_F32, 0, -1, 1, 0, 0}},
    };
    static double made[N + 7], expected[N + 7];
    for (size_t i = 0; i < 2 * TURNS * N_OF(rows); i++) {
        const size_t row = i / 2 % N_OF(rows);
        memset(made, 0, sizeof made);
        memset(expected, 0, sizeof expected);
        ck_assert_int_eq(fills_make(rows[row].seed, made, rows[row].n, &rows[row].fill), GB_OK);
        random_fill(rows[row].seed, expected, rows[row].n, &rows[row].fill);
        ck_assert_mem_eq(made, expected, sizeof made);
    }
    const struct gb_fill none = {sizeof none, GB_F32, 0, 1, -1, 0, 0};
    ck_assert_int_eq(fills_make(1, made, N, &none), GB_INVALID);
}

/* Of a long output the first elements show it, or do not: then all are looked at. */
TEST(tolerances_that_any_number_passes_are_reported)
{
    enum { N = 1 << 18 };
    static const struct {
        const char *metric;
        double tolerance, first, others;
        const char *warning;
    } rows[] = {
        {"abs", 0.5, 1, 1.25, "C: the mean of the reference would pass, too"},
        {"abs", 2, 1, 1.25, "C: zeros would pass, too"},
        {"abs", 0.01, 1, 1.25, ""},
        {"abs", 0.01, 0, 1.25, ""},
        {"rms", 2, 0, 1.25, "C: zeros would pass, too"},
        {"rms", 0.5, 1, 1.25, "C: the mean of the reference would pass, too"},
        {"rms", 0.01, 1, 1.25, ""},
        {"rms", 0.01, 0, 1.25, ""},
        {"rms", 0.3, 100, 0.25, "C: zeros would pass, too"},
        {"rms", 0.2, 100, 0.25, ""},
    };
    static double references[N];
    static float outputs[N];
    for (size_t row = 0; row < N_OF(rows); row++) {
        for (size_t i = 0; i < N; i++)
            outputs[i] = (float)(references[i] = i < N / 16 ? rows[row].first : rows[row].others);
        check.n = N;
        check.reference = references;
        check.output = outputs;
        check.default_metric = rows[row].metric;
        check.default_tolerance = rows[row].tolerance;
        ck_assert_int_eq(compare(), GB_OK);
        ck_assert_msg(text_equal(told.warning, rows[row].warning), "row %zu: %s", row,
                      told.warning);
    }
}
