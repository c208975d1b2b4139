/* test_trace_file.c - files of samples: what is read of them, and what is said of those that are
 * none. */
#include "core/replay/replay.h"
#include "tests/text_case.h"

static char path[200];

static void write_file(const char *suffix, const void *bytes, size_t n)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.150s/trace%s", folder ? folder : "/tmp", suffix);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

/* The lowest one that nothing has open. */
static int free_descriptor(void)
{
    const int descriptor = dup(STDERR_FILENO);
    close(descriptor);
    return descriptor;
}

/* The values in ns with blanks between, or "LINE:COLUMN: error". */
static const char *reading(const char *suffix, const void *bytes, size_t n,
                           const struct trace_file_options *options)
{
    static char result[1200];
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct trace_file trace;
    struct gb_error error = {0};
    write_file(suffix, bytes, n);
    const int free_before = free_descriptor();
    int32_t status = trace_file_read(path, options, &arena, &trace, &error);
    ck_assert_int_eq(free_descriptor(), free_before);
    unlink(path);
    if (status == GB_OK) {
        char number[NUMBER_TEXT_MAX];
        for (uint64_t i = 0; i < trace.n; i++)
            text_printf(&text, "%s%s", i ? " " : "", format_double(trace.time_ns[i], number));
        free(trace.time_ns);
    } else {
        const char *words = error.text;
        if (text_starts_with(words, path))
            words += strlen(path) + 2;
        text_printf(&text, "%u:%u: %s", error.origin.line, error.origin.column, words);
        ck_assert_int_eq(status, error.status);
    }
    snprintf(result, sizeof result, "%s", text_get(&text));
    return result;
}

#define EMPTY "the file is empty: expected samples"
#define NO_UNIT                                                                                    \
    "the unit of the times is not known: give --unit ns, us, ms or s, or a header such as time_ns"
#define NO_NUMBER "is not a number: expected a time"
#define NO_TIME "is not a time: expected a finite number of at least 0"
#define NO_COLUMN ": expected a number from 1 to 2 or one of 'a', 'b'"

/* Column, unit, and the file. */
static void add_times(char *input, uint32_t with, struct text *out)
{
    const char *column = strsep(&input, "|"), *unit = strsep(&input, "|");
    struct trace_file_options options = {.column = *column ? column : NULL,
                                         .unit_ns = *unit ? trace_unit_ns(unit) : 0};
    (void)with;
    text_add(out, reading(".csv", input, strlen(input), &options));
}

static const struct text_cases csv_cases[] = {
    /* one column */
    {{add_times, 0},
     {"|us|1\n2.5\n1e3\n -> 1000 2500 1000000", "|ns|1\n2 -> 1 2",
      "|ns|\xEF\xBB\xBF"
      "1\r\n2\r\n -> 1 2",
      "|ns|# by hand\n\n1\n   \n# more\n2\n -> 1 2", "|ns| 1 \n\"2\"\n -> 1 2", "|s|0\n -> 0"}},
    /* heads and their units */
    {{add_times, 0},
     {"||time_us\n3\n -> 3000", "|ms|time_us\n3\n -> 3000000", "||GPU Time (sec)\n2e-6\n -> 2000",
      "||t [ms]\n2\n -> 2000000", "||n,time_ns\n1,7\n2,8\n -> 7 8",
      "the \"time\"_ns||n,\"the \"\"time\"\"_ns\"\n1,7\n -> 7", "2|ns|n,x\n1,7\n -> 7",
      "2|ns|1,7\n2,8\n -> 7 8", "b|ns|a;b\n1;7\n -> 7", "b_us||a,1\tb_us\n1\t7\n -> 7000",
      "real_time||name,real_time,cpu_time,time_unit\nf,1.5,1,us\nf,2,1,ms\n -> 1500 2000000",
      "2|ns|2,1\n5,6\n -> 1 6"}},
    /* mistakes */
    {{add_times, 0},
     {"|ns| -> 0:0: " EMPTY, "|ns|# nothing\n -> 0:0: " EMPTY,
      "||time_ns\n -> 0:0: there is a header and nothing else: expected samples",
      "||1\n -> 1:0: " NO_UNIT, "||seconds\n1\n -> 1:0: " NO_UNIT,
      "||time_ns\n1\nx2\n -> 3:1: 'x2' " NO_NUMBER,
      "||a,time_ns\n1,1\n2,3 4\n -> 3:3: '3 4' " NO_NUMBER,
      "||a,time_ns\n1,\n -> 2:3: the field is empty: expected a time",
      "||a,time_ns\n1\n -> 2:0: the line has 1 field: expected a time in field 2",
      "|ns|1\nnan\n -> 2:1: 'nan' " NO_TIME, "|ns|inf\n -> 1:1: 'inf' " NO_TIME,
      "|s|1e308\n -> 1:1: '1e308' " NO_TIME, "|ns|1\n-3\n -> 2:1: '-3' " NO_TIME,
      "|ns|a,b\n1,2\n -> 1:0: which of 2 columns has the times? Give --column NAME or a number "
      "from 1: 'a', 'b'",
      "c|ns|a,b\n1,2\n -> 1:0: there is no column 'c'" NO_COLUMN,
      "3|ns|a,b\n1,2\n -> 1:0: there is no column '3'" NO_COLUMN,
      "0|ns|a,b\n1,2\n -> 1:0: there is no column '0'" NO_COLUMN,
      "||time_ns\n\"1\n -> 2:1: the quote is not closed on its line"}},
    {{add_times, 0},
     {"||time_ns\n\"1\"2\n -> 2:1: text follows the closing quote",
      "x||x,time_unit\n1,us\n2,h\n -> 3:3: 'h' is not a unit of time: expected ns, us, ms or s",
      "x||x,time_unit\n1,us\n2\n -> 3:0: the line has no time_unit"}},
};

TEST_TEXT_CASES(text_files, csv_cases)

TEST(bytes_that_are_no_text)
{
    struct trace_file_options options = {.unit_ns = 1};
    ck_assert_str_eq(reading(".csv", "1\n2\0003\n", 7, &options),
                     "2:2: a byte of value 0: expected text; for binary files give "
                     "--input f32 or f64");
}

TEST(many_fields_and_long_lines)
{
    struct trace_file_options options = {.unit_ns = 1, .column = "4096"};
    char *line = malloc(3 * 5000);
    size_t n = 0;
    for (int i = 0; i < 4096; i++)
        n += (size_t)sprintf(line + n, "%s7", i ? "," : "");
    line[n] = '\n';
    ck_assert_str_eq(reading(".csv", line, n + 1, &options), "7");
    line[n++] = ',';
    line[n++] = '7';
    ck_assert_str_eq(reading(".csv", line, n, &options), "1:0: the line has more than 4096 fields");
    free(line);
}

/* So many that they are read in several blocks. */
TEST_TIMES(blocks_join, 2)
{
    enum { N = 100000 };
    static double values[N];
    CLEANUP(text_free) struct text text = {0};
    CLEANUP(arena_free) struct arena arena = {0};
    struct trace_file trace;
    struct gb_error error;
    struct trace_file_options options = {.unit_ns = 1};
    for (int i = 0; i < N; i++) {
        values[i] = i + 0.25;
        text_printf(&text, "%d.25\n", i);
    }
    if (_i == 0)
        write_file(".csv", text_get(&text), text.length);
    else
        write_file(".f64", values, sizeof values);
    ck_assert_int_eq(trace_file_read(path, &options, &arena, &trace, &error), GB_OK);
    ck_assert_uint_eq(trace.n, N);
    ck_assert_mem_eq(trace.time_ns, values, sizeof values);
    ck_assert_ptr_null(trace.column);
    free(trace.time_ns);
    unlink(path);
}

/* 1.5 and 2 as little-endian numbers, on any machine; what is no time. */
static const unsigned char singles[] = {0, 0, 0xC0, 0x3F, 0, 0, 0, 0x40};
static const unsigned char doubles[] = {0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x40};
static const unsigned char nan_second[] = {0, 0, 0xC0, 0x3F, 0, 0, 0xC0, 0x7F};
static const unsigned char negative[] = {0, 0, 0xC0, 0xBF};

#define CUT_OFF "the file is cut off, or of another type than "
#define NO_BINARY_TIME ": expected a finite time of at least 0; is it f32 of that unit?"
static const struct {
    const char *suffix;
    const unsigned char *bytes;
    size_t n;
    struct trace_file_options options;
    const char *expected;
} binaries[] = {
    {".f32", singles, 8, {0}, "1500000000 2000000000"},
    {".bin", singles, 8, {.unit_ns = 1e3}, "1500 2000"},
    {".f64", doubles, 16, {.unit_ns = 1e3}, "1500 2000"},
    {".data", doubles, 16, {.format = TRACE_F64}, "1500000000 2000000000"},
    {".f64", singles, 8, {.format = TRACE_F32}, "1500000000 2000000000"},
    {".f32",
     singles,
     7,
     {0},
     "0:0: 3 bytes are left over after 1 values of 4 bytes: " CUT_OFF "f32"},
    {".f64",
     doubles,
     12,
     {0},
     "0:0: 4 bytes are left over after 1 values of 8 bytes: " CUT_OFF "f64"},
    {".f32", singles, 0, {0}, "0:0: " EMPTY},
    {".f32", nan_second, 8, {0}, "0:0: value 2 (at byte 4) is nan" NO_BINARY_TIME},
    {".f32", negative, 4, {0}, "0:0: value 1 (at byte 0) is -1.5" NO_BINARY_TIME},
};

TEST_EACH(binary_files, binaries)
{
    ck_assert_str_eq(
        reading(binaries[_i].suffix, binaries[_i].bytes, binaries[_i].n, &binaries[_i].options),
        binaries[_i].expected);
}

TEST(files_that_are_not_there)
{
    struct arena arena = {0};
    struct trace_file trace;
    struct gb_error error;
    struct trace_file_options options = {0};
    ck_assert_int_eq(trace_file_read("/nowhere/x.csv", &options, &arena, &trace, &error), GB_IO);
    ck_assert_str_eq(error.text, "/nowhere/x.csv: cannot be opened: No such file or directory");
    ck_assert_int_eq(trace_file_read("/", &options, &arena, &trace, &error), GB_IO);
    ck_assert_str_eq(error.text, "/: cannot be read: Is a directory");
}

TEST(words)
{
    static const struct {
        const char *word;
        double unit_ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"h", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        ck_assert_double_eq(trace_unit_ns(units[i].word), units[i].unit_ns);
    ck_assert_int_eq(trace_format_named("csv"), TRACE_CSV);
    ck_assert_int_eq(trace_format_named("f64"), TRACE_F64);
    ck_assert_int_eq(trace_format_named("auto"), -1);
}
