/* test_wire.c - frames and messages: what is written is what is read, and what is broken is found.
 */
#include "core/run/collector.h"
#include "core/run/messages.h"
#include "core/run/wire.h"
#include "core/run/worker_link.h"
#include "core/store/store_table.h"
#include "tests/check_main.h"
#include "tests/config/settings_fixture.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of each test: what is written, and what is read of it. */
static struct wire_writer writer;
static struct wire_input input;
static struct wire_reader reader;
static struct arena arena;
static struct gb_error error;
static uint32_t type;
static struct collector collector;

static void set_up(void)
{
    collector_begin(&collector, NULL, "0123", 0);
}

static void tear_down(void)
{
    collector_free(&collector);
    wire_input_free(&input);
    text_free(&writer.bytes);
    arena_free(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static void feed(const void *data, size_t n)
{
    memcpy(wire_input_space(&input, n), data, n);
    input.end += n;
}

static int32_t next_frame(void)
{
    return wire_input_next(&input, &type, &reader, &error);
}

/* The payload of the message that was written, as a reader. */
static struct wire_reader payload(void)
{
    return (struct wire_reader){.data = (const unsigned char *)writer.bytes.data +
                                        WIRE_HEADER_BYTES,
                                .length = writer.bytes.length - WIRE_HEADER_BYTES};
}

TEST(fields_come_back)
{
    static const char *const texts[] = {"caf\xc3\xa9", NULL, ""};
    static const double numbers[] = {1.5, -0.0, INFINITY};
    uint64_t n;
    wire_begin(&writer, WIRE_LOG);
    wire_put_u32(&writer, 0xFFFFFFFFu);
    wire_put_u64(&writer, 0x0123456789ABCDEFu);
    for (int i = 0; i < 3; i++)
        wire_put_text(&writer, texts[i]);
    wire_put_f64s(&writer, numbers, 3);
    wire_end(&writer);
    feed(writer.bytes.data, writer.bytes.length);
    ck_assert_int_eq(next_frame(), 1);
    ck_assert_uint_eq(type, WIRE_LOG);
    ck_assert_uint_eq(wire_get_u32(&reader), 0xFFFFFFFFu);
    ck_assert_uint_eq(wire_get_u64(&reader), 0x0123456789ABCDEFu);
    for (int i = 0; i < 3; i++)
        ck_assert_pstr_eq(wire_get_text(&reader, &arena), texts[i]);
    const double *back = wire_get_f64s(&reader, &arena, &n);
    ck_assert_uint_eq(n, 3);
    ck_assert_mem_eq(back, numbers, sizeof numbers);
    ck_assert(wire_complete(&reader));
    wire_get_u32(&reader);
    ck_assert(!wire_complete(&reader));
}

TEST(frames_in_pieces)
{
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < 100; i++) {
        wire_begin(&writer, WIRE_METRIC);
        wire_put_u32(&writer, i);
        wire_put_text(&writer, "some words that make the frame longer");
        wire_end(&writer);
        for (size_t at = 0; at < writer.bytes.length; at++) {
            feed(writer.bytes.data + at, 1);
            int32_t status = next_frame();
            ck_assert_int_eq(status, at + 1 == writer.bytes.length);
            if (status == 1)
                ck_assert_uint_eq(wire_get_u32(&reader), n_found++);
        }
    }
    ck_assert_uint_eq(n_found, 100);
}

TEST(broken_frames_are_found)
{
    wire_begin(&writer, WIRE_METRIC);
    wire_put_text(&writer, "gflops");
    wire_put_u64(&writer, 12345);
    wire_end(&writer);
    for (size_t bit = 0; bit < 8 * writer.bytes.length; bit++) {
        input = (struct wire_input){0};
        writer.bytes.data[bit / 8] = (char)(writer.bytes.data[bit / 8] ^ 1 << bit % 8);
        feed(writer.bytes.data, writer.bytes.length);
        /* A longer length asks for more bytes; anything else is known to be broken. */
        ck_assert_int_le(next_frame(), 0);
        writer.bytes.data[bit / 8] = (char)(writer.bytes.data[bit / 8] ^ 1 << bit % 8);
        wire_input_free(&input);
    }
    feed("GET / HTTP/1.1\r\n\r\n", 18);
    ck_assert_int_eq(next_frame(), GB_CORRUPT);
    ck_assert_str_eq(error.text, "sent something that is not a message");
}

TEST(announced_counts_are_not_believed)
{
    uint64_t n;
    wire_begin(&writer, WIRE_SAMPLES);
    wire_put_u64(&writer, UINT64_MAX / 8); /* so many doubles */
    wire_put_u64(&writer, 1);
    reader = payload();
    ck_assert_ptr_null(wire_get_f64s(&reader, &arena, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert(reader.failed);
    reader = payload();
    ck_assert_uint_eq(wire_get_count(&reader, 4), 0);
    ck_assert(reader.failed);
}

TEST(sockets)
{
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    wire_begin(&writer, WIRE_CASE_END);
    wire_put_u32(&writer, 7);
    wire_end(&writer);
    ck_assert_int_eq(wire_send(ends[0], &writer, &error), GB_OK);
    ck_assert_int_eq(wire_receive(ends[1], &input, &type, &reader, &error), GB_OK);
    ck_assert_uint_eq(wire_get_u32(&reader), 7);
    close(ends[0]);
    ck_assert_int_eq(wire_receive(ends[1], &input, &type, &reader, &error), GB_NOT_FOUND);
    ck_assert_str_eq(error.text, "the connection was closed");
    ck_assert_int_eq(wire_send(ends[1], &writer, &error), GB_IO);
    close(ends[1]);
}

/* ---- structs ---- */

/* Is a struct what was written, from a member on? */
#define ASSERT_SAME(a, b, member)                                                                  \
    ck_assert_mem_eq(&(a)->member, &(b)->member, sizeof *(a)-offsetof(typeof(*(a)), member))

TEST(descriptions_come_back)
{
    const struct gb_bench_ops ops = {sizeof ops, .flags = GB_BENCH_SINGLE};
    struct gb_plugin plugin = fixture_plugins[0].plugin, back;
    CLEANUP(text_free) struct text out = {0};
    plugin.ops = &ops;
    const struct plugin_info sent = describe_plugin(&plugin, "12", &arena);
    struct plugin_info received = {0};
    wire_begin(&writer, WIRE_PLUGIN);
    wire_put_fields(&writer, description_fields, &sent);
    reader = payload();
    wire_get_fields(&reader, &arena, description_fields, &received);
    back = received.plugin;
    ck_assert(wire_complete(&reader));
    ck_assert_str_eq(received.sha256, "12");
    ck_assert_uint_eq(back.options[1].size, sizeof *back.options);
    ck_assert_ptr_null(back.help);
    ck_assert_ptr_null(back.ops);
    ck_assert_uint_eq(back.n_options, plugin.n_options);
    text_printf(&out, "%s %s %s %u %s %s %u", back.id, back.version, back.devices, received.flags,
                back.options[1].range, back.options[4].choices[1],
                (unsigned)back.options[1].offset);
    ck_assert_str_eq(text_get(&out), "matmul 1.0 cpu cuda 2 1:65536 fp16 8");
}

TEST(cases_come_back)
{
    struct loaded loaded = {0};
    struct bench_case sent;
    load(&loaded,
         "[policy quick]\nplugin = fixed\nsamples = 3\n[device left]\nplugin = cpu\ncpus = 1\n"
         "[bench streams]\nplugin = matmul\nrows = 16\npolicy = quick\ndevice = left:3\n"
         "cache = cold\nlaunch = graph\nmax_samples = 1000\ncheck.rms = 3e-5\n"
         "check.floor = 0.5\ncheck.safety = 2\ncheck.bound_kind = probabilistic\n"
         "check.allow_overflow = yes\ncheck.dump = /d\ncheck.dump_always = yes\n");
    ck_assert_msg(loaded.sweep, "%s", text_get(&loaded.words));
    ck_assert_int_eq(sweep_case(loaded.sweep, 0, &loaded.arena, &sent, &error), GB_OK);
    sent.uid = "0123";
    sent.common.verify = VERIFY_STRICT; /* as this benchmark could not */
    sent.common.inputs = 5;
    /* A worker hears nothing of these. */
    sent.common.seed = sent.common.rounds = sent.common.isolate = 0;
    struct case_order order = {.record = "0190-ab", .bench_case = sent};
    CLEANUP(text_free) struct text out = {0};
    wire_begin(&writer, WIRE_CASE);
    wire_put_fields(&writer, case_order_fields, &order);
    reader = payload();
    /* Whatever is cut off is noticed. */
    for (size_t length = 0; length <= reader.length; length++) {
        struct wire_reader cut = {reader.data, length, 0, false};
        memset(&order, 0, sizeof order);
        wire_get_fields(&cut, &arena, case_order_fields, &order);
        ck_assert(wire_complete(&cut) == (length == reader.length));
    }
    struct bench_case back = order.bench_case;
    text_printf(&out, "%s %s %s %s %s %s:%d %s %g %s %u %s %s", order.record, back.bench,
                back.info->path, back.settings[0].text, back.policy->info->plugin.id,
                back.device.settings->name, back.device.index, back.tolerances[0].metric,
                back.tolerances[0].tolerance, back.uid, (unsigned)back.seed, back.common.clock,
                back.common.check_dump);
    ck_assert_str_eq(text_get(&out), "0190-ab streams /plugins/bench_matmul.so 16 fixed left:3 rms "
                                     "3e-05 0123 42 auto /d");
    ck_assert_str_eq(back.common.measure, sent.common.measure);
    back.common.clock = sent.common.clock; /* their texts are the same */
    back.common.check_dump = sent.common.check_dump;
    back.common.measure = sent.common.measure;
    back.common.counters = sent.common.counters;
    ck_assert_mem_eq(&back.common, &sent.common, sizeof sent.common);
    unload(&loaded);
}

TEST(findings_come_back_fit_to_be_printed)
{
    const struct device_finding found = {
        "fake:0 Fake",
        {.is_noisy = true, .subject = "mode", .state = "off\n\033[2Jnow", .fix = "sudo fix"}};
    struct device_finding back;
    CLEANUP(text_free) struct text out = {0};
    wire_begin(&writer, WIRE_FINDING);
    wire_put_fields(&writer, finding_fields, &found);
    reader = payload();
    wire_get_fields(&reader, &arena, finding_fields, &back);
    ck_assert(wire_complete(&reader));
    text_printf(&out, "%s|%d|%s|%s|%s|%s", back.device, back.finding.is_noisy, back.finding.subject,
                back.finding.state, back.finding.why, back.finding.fix);
    ck_assert_str_eq(text_get(&out), "fake:0 Fake|1|mode|off ?[2Jnow||sudo fix");
    /* What the sender would have cut. */
    char longer[1000] = {0};
    memset(longer, 'x', sizeof longer - 1);
    wire_begin(&writer, WIRE_FINDING);
    wire_put_text(&writer, longer);
    wire_put_u32(&writer, 0);
    for (int i = 0; i < 4; i++)
        wire_put_text(&writer, "");
    reader = payload();
    wire_get_fields(&reader, &arena, finding_fields, &back);
    ck_assert(!wire_complete(&reader));
    ck_assert_str_eq(back.device, "");
}

/* ---- what a collector is sent ---- */

static int32_t take(uint32_t message)
{
    reader = payload();
    return collector_take(&collector, message, &reader);
}

/* Of the message that was written, cut off anywhere and then whole. */
static int32_t collect(uint32_t message)
{
    reader = payload();
    for (size_t length = 0; length < reader.length; length++) {
        struct wire_reader cut = {reader.data, length, 0, false};
        ck_assert_int_eq(collector_take(&collector, message, &cut), GB_CORRUPT);
    }
    return take(message);
}

TEST(telemetry_comes_back)
{
    static const struct telemetry_record sent = {
        true, .elapsed_ns = 2e9, .iterations = 20,
        .values = {sizeof sent.values, .clock_hz = 1.98e9, .memory_clock_hz = 2.6e9,
                   .temperature_celsius = 40, .power_watts = NAN, .energy_joules = 1e6,
                   .throttle = 4, .throttle_text = "power limit"}};
    const struct telemetry_record *back = &collector.record.telemetry[TELEMETRY_END];
    for (uint32_t moment = TELEMETRY_END; moment <= TELEMETRY_MOMENTS; moment++) {
        wire_begin(&writer, WIRE_TELEMETRY);
        wire_put_u32(&writer, moment);
        put_record(&writer, WIRE_TELEMETRY, &sent);
        ck_assert_int_eq(collect(WIRE_TELEMETRY), moment < TELEMETRY_MOMENTS ? GB_OK : GB_CORRUPT);
    }
    ck_assert(back->is_known);
    ASSERT_SAME(back, &sent, elapsed_ns);
}

static int32_t collect_summary(const struct check_summary_record *result)
{
    wire_begin(&writer, WIRE_SUMMARY);
    put_record(&writer, WIRE_SUMMARY, result);
    return collect(WIRE_SUMMARY);
}

/* Of ten elements nine are equal and one is no number. */
#define COUNTS                                                                                     \
    .name = "C", .n = 10, .n_exact = 9, .n_overflowed = 2, .n_nan = 1, .n_infinite_mismatch = 3,   \
    .n_zero_mismatch = 4, .floor = 1e-3,                                                           \
    .histogram = {[VERIFY_CLASS_EQUAL] = 9, [VERIFY_CLASS_NOT_FINITE] = 1},                        \
    .above_floor = {[VERIFY_CLASS_EQUAL] = 7}
static const struct check_summary_record sound = {COUNTS};

TEST(summaries_come_back)
{
    for (int i = 0; i < 3 * COLLECTOR_NOTES_MAX; i++)
        ck_assert_int_eq(collect_summary(&sound), GB_OK);
    collector_finish(&collector, CASE_OK, "");
    ck_assert_uint_eq(collector.record.n_summaries, COLLECTOR_NOTES_MAX); /* a flood is bounded */
    const struct check_summary_record *last = &collector.record.summaries[COLLECTOR_NOTES_MAX - 1];
    ck_assert_str_eq(last->name, "C");
    ASSERT_SAME(last, &sound, n);
}

TEST(summaries_that_make_no_sense_are_refused)
{
    struct check_summary_record lies[] = {sound, sound, sound, sound, sound};
    lies[0].histogram[VERIFY_CLASS_ONE] = 1;          /* adds up to more than n */
    lies[1].histogram[VERIFY_CLASS_ONE] = UINT64_MAX; /* adds up to less if it wraps round */
    lies[2].n_nan = 11;
    lies[3].n = (uint64_t)1 << 63;
    lies[3].histogram[VERIFY_CLASS_NOT_FINITE] = lies[3].n - 9;
    lies[4].above_floor[VERIFY_CLASS_EQUAL] = 10; /* of 9 */
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        ck_assert_int_eq(collect_summary(&lies[i]), GB_CORRUPT);
    ck_assert_uint_eq(collector.record.n_summaries, 0);
}

static int32_t collect_series(uint64_t n, uint64_t n_effective, const struct bin *bins)
{
    const struct series_record series = {.name = "latency",
                                         .unit = "us",
                                         .n = n,
                                         .min = 1,
                                         .max = 3,
                                         .n_effective = {n_effective},
                                         .bins = bins,
                                         .n_bins = 2};
    wire_begin(&writer, WIRE_SERIES);
    put_record(&writer, WIRE_SERIES, &series);
    return collect(WIRE_SERIES);
}

TEST(series_come_back_if_they_make_sense)
{
    static const struct bin good[] = {{1, 2}, {3, 1}};
    static const struct bin lies[][2] = {
        {{1, 2}, {1, 1}},     {{3, 2}, {1, 1}},     {{1, 0}, {3, 3}},
        {{1, 1.5}, {3, 1.5}}, {{1, -1}, {3, 4}},    {{1, 2}, {INFINITY, 1}},
        {{NAN, 2}, {3, 1}},   {{1, 1e300}, {3, 1}}, {{1, 0x1p63}, {3, 3}}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        ck_assert_int_eq(collect_series(3, 3, lies[i]), GB_CORRUPT);
    ck_assert_int_eq(collect_series(4, 3, good), GB_CORRUPT);
    ck_assert_int_eq(collect_series(3, 4, good), GB_CORRUPT);
    ck_assert_uint_eq(collector.record.n_series, 0);
    for (int i = 0; i < SERIES_MAX; i++)
        ck_assert_int_eq(collect_series(3, 3, good), GB_OK);
    ck_assert_str_eq(collector.series[0].name, "latency");
    ck_assert_double_eq(collector.series[0].quantiles[0].value, 1);
    ck_assert_int_eq(collect_series(3, 3, good), GB_CORRUPT);
    collector_finish(&collector, CASE_OK, "");
    ck_assert_uint_eq(collector.record.n_series, SERIES_MAX);
    ck_assert_uint_eq(collector.record.n_metrics, 3 * SERIES_LEVELS); /* of one name */
}

/* Two samples, with the columns named, of which the i-th value is i + 10 times the column. */
static int32_t collect_samples(const char *const *names, uint32_t n)
{
    wire_begin(&writer, WIRE_SAMPLES);
    wire_put_u64(&writer, 2);
    wire_put_u32(&writer, n);
    for (uint32_t i = 0; i < n; i++) {
        wire_put_text(&writer, names[i]);
        wire_put_f64s(&writer, (const double[]){10.0 * i, 10.0 * i + 1}, 2);
    }
    return take(WIRE_SAMPLES);
}

TEST(columns_may_come_and_go)
{
    CLEANUP(text_free) struct text out = {0};
    const struct case_record *record = &collector.record;
    collector.record.clock = "wall";
    ck_assert_int_eq(collect_samples((const char *[]){"cpu", "wall"}, 2), GB_OK);
    ck_assert_int_eq(collect_samples((const char *[]){"wall", "flags", "elapsed"}, 3), GB_OK);
    collector_finish(&collector, CASE_OK, "");
    ck_assert_uint_eq(record->n_samples, 4);
    for (size_t i = 0; i < record->n_columns; i++) {
        const double *values = record->columns[i].values;
        text_printf(&out, "%s %g %g %g %g;", record->columns[i].name, values[0], values[1],
                    values[2], values[3]);
    }
    ck_assert_str_eq(text_get(&out),
                     "cpu 0 1 nan nan;wall 10 11 0 1;flags 0 0 10 11;elapsed nan nan 20 21;");
}

TEST(too_many_columns_are_refused)
{
    char words[COLLECTOR_COLUMNS_MAX + 1][8];
    const char *names[COLLECTOR_COLUMNS_MAX + 1];
    for (size_t i = 0; i <= COLLECTOR_COLUMNS_MAX; i++) {
        snprintf(words[i], sizeof words[i], "c%zu", i);
        names[i] = words[i];
    }
    ck_assert_int_eq(collect_samples(names, 0), GB_CORRUPT);
    ck_assert_int_eq(collect_samples(names, COLLECTOR_COLUMNS_MAX), GB_OK);
    ck_assert_int_eq(collect_samples(names, COLLECTOR_COLUMNS_MAX + 1), GB_CORRUPT);
    ck_assert_int_eq(collect_samples(names + COLLECTOR_COLUMNS_MAX, 1), GB_CORRUPT);
    ck_assert_uint_eq(collector.n, 2);
    collector_finish(&collector, CASE_OK, "");
}

static const struct case_record measured = {
    .clock = "wall",
    .iterations = 7,
    .tick_ns = 32,
    .overhead_ns = 40,
    .launched = "graph",
    .offset_ns = 608,
    .offset_error_ns = 2,
    .graph_ns = 9,
    .is_dithered = true,
    .reading_note = "as a graph",
    .work = {sizeof measured.work, 0, 1e9, 2e9, 3e9, 4e9, "key", GB_F32, GB_MATH_TENSOR},
    .pace = {1, 2, 3, 4e9, 5e9, 6e9, true},
    .interference = {true, 1, 2, 3, 4, 5, 6},
    .phases = {1, 2, 3, 4, 5, 6}};

/* What the record of a case has of a message is what was measured; the rest stays as it was. */
TEST(members_of_a_record_come_back)
{
    static const uint32_t sent[] = {WIRE_WORK, WIRE_PACE, WIRE_PHASES, WIRE_INTERFERENCE};
    struct case_record copy = measured, *const record = &collector.record;
    collector.record.stop_reason = "it stays";
    wire_begin(&writer, WIRE_TIMING);
    put_record(&writer, WIRE_TIMING, &measured);
    ck_assert_int_eq(collect(WIRE_TIMING), GB_OK);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        wire_begin(&writer, sent[i]);
        put_record(&writer, sent[i], part_of_record(sent[i], &copy));
        ck_assert_int_eq(collect(sent[i]), GB_OK);
    }
    ck_assert_mem_eq(&record->pace, &measured.pace, sizeof measured.pace);
    ck_assert_mem_eq(&record->phases, &measured.phases, sizeof measured.phases);
    ck_assert_mem_eq(&record->interference, &measured.interference, sizeof measured.interference);
    ck_assert_str_eq(record->work.item, "key");
    record->work.item = measured.work.item;
    ck_assert_mem_eq(&record->work, &measured.work, sizeof measured.work);
    CLEANUP(text_free) struct text out = {0};
    text_printf(&out, "%s %d %g %g %s %g %g %g %d %s, %s", record->clock, (int)record->iterations,
                record->tick_ns, record->overhead_ns, record->launched, record->offset_ns,
                record->offset_error_ns, record->graph_ns, record->is_dithered,
                record->reading_note, record->stop_reason);
    ck_assert_str_eq(text_get(&out), "wall 7 32 40 graph 608 2 9 1 as a graph, it stays");
}

TEST(an_estimate_comes_back)
{
    struct gb_estimate estimate = {sizeof estimate,
                                   GB_VERDICT_CERTIFIED,
                                   .value_ns = 5,
                                   .low_ns = 4,
                                   .high_ns = INFINITY,
                                   .confidence = 0.95,
                                   .statistic = "median",
                                   .n = 100,
                                   .n_discarded = 3,
                                   .n_effective = 50,
                                   .detectable_mode_weight = 0.1,
                                   .n_modes = 2,
                                   .modes = {{5, 4, 6, 0.75}, {9, 8, 10, 0.25}},
                                   .note = "falls"};
    struct gb_estimate back;
    const char *reason;
    uint64_t n_lost;
    wire_begin(&writer, WIRE_ESTIMATE);
    put_estimate(&writer, &estimate, "enough", 7);
    reader = payload();
    get_estimate(&reader, &arena, &back, &reason, &n_lost);
    ck_assert(wire_complete(&reader));
    ck_assert_str_eq(reason, "enough");
    ck_assert_uint_eq(n_lost, 7);
    ck_assert_mem_eq(&back, &estimate, sizeof back);
    wire_begin(&writer, WIRE_ESTIMATE);
    put_record(&writer, WIRE_ESTIMATE, &estimate);
    put_rows(&writer, TABLE_MODE, &(struct gb_mode[GB_MODES_MAX + 1]){0}, GB_MODES_MAX + 1);
    reader = payload();
    get_estimate(&reader, &arena, &back, &reason, &n_lost);
    ck_assert(!wire_complete(&reader));
    ck_assert_uint_eq(back.n_modes, 0);
}

TEST(a_metric_has_its_last_value)
{
    static const struct metric_record sent[] = {
        {"heap", 1, "B"}, {"stack", 2, "B"}, {"heap", 3, "B"}};
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        wire_begin(&writer, WIRE_METRIC);
        put_record(&writer, WIRE_METRIC, &sent[i]);
        ck_assert_int_eq(collect(WIRE_METRIC), GB_OK);
    }
    collector_finish(&collector, CASE_OK, "");
    ck_assert_uint_eq(collector.record.n_metrics, 2);
    ck_assert_str_eq(collector.record.metrics[0].name, "heap");
    ck_assert_double_eq(collector.record.metrics[0].value, 3);
    ck_assert_double_eq(collector.record.metrics[1].value, 2);
}

/* As many as there is room for, in their order; of a case that went well none. */
TEST_TIMES(the_last_lines_printed_are_kept, COLLECTOR_PRINTED_LINES + 5)
{
    const int lines = _i + 1, most = COLLECTOR_PRINTED_LINES;
    const int first = lines > most ? lines - most : 0;
    for (int is_crashed = 0; is_crashed < 2; is_crashed++) {
        CLEANUP(text_free) struct text expected = {0};
        tear_down();
        set_up();
        text_add(&expected, "printed");
        if (first > 0)
            text_printf(&expected, " (the last %d of %d lines)", most, lines);
        for (int i = 0; i < lines; i++) {
            const char *line = arena_printf(&arena, "line %d", i);
            collector_printed(&collector, line);
            if (i >= first)
                text_printf(&expected, "%s%s", i > first ? "\n" : ": ", line);
        }
        collector_finish(&collector, is_crashed ? CASE_CRASHED : CASE_OK, "");
        ck_assert_int_eq((int)collector.record.n_messages, is_crashed);
        if (is_crashed)
            ck_assert_str_eq(collector.record.messages[0].text, text_get(&expected));
    }
}

static struct gb_activity activities[ACTIVITIES_MAX + 1];

static const struct {
    size_t n;
    uint64_t n_kernels;
    int32_t status;
} sent[] = {
    {0, 0, GB_OK},
    {3, 2, GB_OK},
    {ACTIVITIES_MAX, (uint64_t)1 << 40, GB_OK},
    {ACTIVITIES_MAX + 1, 1, GB_CORRUPT},
    {1, UINT64_MAX, GB_CORRUPT},
};

/* A worker cannot send more of them than are kept. */
TEST_EACH(activities_come_back, sent)
{
    for (uint32_t i = 0; i <= ACTIVITIES_MAX; i++)
        activities[i] = (struct gb_activity){sizeof *activities,
                                             .kind = GB_ACTIVITY_KERNEL,
                                             .name = "void lab::reduce<float>(float const *)",
                                             .grid = {i, 2, 3},
                                             .block = {4, 5, 6},
                                             .registers = 40,
                                             .parallel = 7,
                                             .shared_bytes = 48 << 10,
                                             .bytes = 1 << 20,
                                             .occupancy = 0.5,
                                             .time_ns = i,
                                             .low_ns = NAN,
                                             .high_ns = INFINITY,
                                             .gap_ns = 500};
    ck_assert(!collector.record.has_activities);
    wire_begin(&writer, WIRE_ACTIVITIES);
    wire_put_u64(&writer, sent[_i].n_kernels);
    put_rows(&writer, TABLE_ACTIVITY, activities, sent[_i].n);
    ck_assert_int_eq(take(WIRE_ACTIVITIES), sent[_i].status);
    if (sent[_i].status != GB_OK)
        return;
    ck_assert(collector.record.has_activities);
    ck_assert_uint_eq(collector.record.n_kernels, sent[_i].n_kernels);
    ck_assert_uint_eq(collector.record.n_activities, sent[_i].n);
    for (size_t i = 0; i < sent[_i].n; i++)
        ASSERT_SAME(&collector.record.activities[i], &activities[i], size);
}

/* The type of the next message that has been sent; WIRE_TYPES: none has. */
static uint32_t next_sent(int socket)
{
    enum { MOST = 4096 };
    const ssize_t n = recv(socket, wire_input_space(&input, MOST), MOST, MSG_DONTWAIT);
    input.end += n > 0 ? (size_t)n : 0;
    return next_frame() == 1 ? type : WIRE_TYPES;
}

/* The next phase, and what a plugin says, send what waits, in its order. */
TEST(messages_wait_until_code_of_a_plugin_runs)
{
    const struct metric_record metric = {"loss", 1, ""};
    const struct message_record message = {GB_LOG_INFO, "last words"};
    struct worker_link link;
    int ends[2];
    const int page = memfd_create("page", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(page, sizeof *link.page), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    link_open(&link, ends[0], page);
    for (int speaks = 0; speaks < 2; speaks++) {
        link_hold(&link);
        link_send_record(&link, WIRE_METRIC, &metric);
        ck_assert_uint_eq(next_sent(ends[1]), WIRE_TYPES);
        if (speaks)
            link.sink.take(link.sink.context, WIRE_LOG, &message);
        else
            link_phase(&link, PHASE_RUN);
        ck_assert_uint_eq(next_sent(ends[1]), WIRE_METRIC);
        ck_assert_uint_eq(next_sent(ends[1]), speaks ? WIRE_LOG : WIRE_TYPES);
        link_send_record(&link, WIRE_METRIC, &metric); /* nothing waits any more */
        ck_assert_uint_eq(next_sent(ends[1]), WIRE_METRIC);
    }
    munmap(link.page, sizeof *link.page);
    link_free(&link);
    close(ends[0]);
    close(ends[1]);
}
