/* test_roofs.c - what cases are compared with: the rule, where roofs are looked for, and what
 * tables and reports show of them. */
#include "core/report/report.h"
#include "core/view/view_cases.h"
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

/* ---- the rule ---- */

static struct roof known[] = {
    {"dram_read", 100e9, false},  {"dram_copy", 80e9, false},    {"dram_triad", 90e9, false},
    {"dram_write", 50e9, false},  {"l2_copy", 400e9, false},     {"fp32_fma", 1e12, false},
    {"fp64_scalar", 10e9, false}, {"bf16_tensor", 10e12, false}, {"fp8_tensor", 20e12, false}};
static const struct roofs all = {known, N_OF(known)};

/* What computes; and that a case has no intensity and no ridge. */
#define VECTOR GB_F32, GB_MATH_VECTOR
#define VECTOR_64 GB_F64, GB_MATH_VECTOR
#define NO_RIDGE NAN, NAN
/* The roof is that of the arithmetic where that bounds, else that of the memory. */
static const struct {
    const char *name;
    double flops, read, written;
    uint32_t format, unit;
    const char *memory, *math; /* "" is none */
    int bound;
    double intensity, ridge, model_ns;
} rules[] = {
    {"a copy", 0, 500, 500, 0, 0, "dram_copy", "", BOUND_MEMORY, NO_RIDGE, 12.5},
    {"reads", 0, 1000, 0, 0, 0, "dram_read", "", BOUND_MEMORY, NO_RIDGE, 10},
    {"a third is written", 0, 600, 300, 0, 0, "dram_triad", "", BOUND_MEMORY, NO_RIDGE, 10},
    {"writes", 0, 100, 900, 0, 0, "dram_write", "", BOUND_MEMORY, NO_RIDGE, 20},
    {"midway: fewer writes", 0, 500, 100, 0, 0, "dram_read", "", BOUND_MEMORY, NO_RIDGE, 6},
    {"below the ridge", 5000, 1000, 0, VECTOR, "dram_read", "fp32_fma", BOUND_MEMORY, 5, 10, 10},
    {"on the ridge", 10000, 1000, 0, VECTOR, "dram_read", "fp32_fma", BOUND_MEMORY, 10, 10, 10},
    {"above the ridge", 20000, 1000, 0, VECTOR, "dram_read", "fp32_fma", BOUND_MATH, 20, 10, 20},
    {"tensor cores", 20000, 1000, 0, GB_BF16, GB_MATH_TENSOR, "dram_read", "bf16_tensor",
     BOUND_MEMORY, 20, 100, 10},
    {"either fp8", 2e6, 0, 0, GB_F8_E5M2, GB_MATH_TENSOR, "", "fp8_tensor", BOUND_MATH, NO_RIDGE,
     100},
    {"scalar", 100, 0, 0, GB_F64, GB_MATH_SCALAR, "", "fp64_scalar", BOUND_MATH, NO_RIDGE, 10},
    {"rate not known", 1e9, 1000, 0, VECTOR_64, "dram_read", "", BOUND_UNKNOWN, 1e6, NAN, 10},
    {"unit not said", 1e9, 1000, 0, 0, 0, "dram_read", "", BOUND_UNKNOWN, 1e6, NAN, 10},
    {"no such unit", 1e9, 0, 0, 99, 77, "", "", BOUND_UNKNOWN, NO_RIDGE, NAN},
    {"nothing declared", 0, 0, 0, VECTOR, "", "", BOUND_UNKNOWN, NO_RIDGE, NAN},
    {"nonsense", NAN, -5, INFINITY, VECTOR, "", "", BOUND_UNKNOWN, NO_RIDGE, NAN},
};

static void expect_roof(const char *what, const char *expected, const struct roof *got)
{
    const char *name = got ? got->name : "";
    ck_assert_msg(strcmp(name, expected) == 0, "%s: expected %s, got %s", what, expected, name);
}

static void expect_number(const char *what, double expected, double got)
{
    ck_assert_msg(isnan(expected) ? isnan(got) : fabs(got - expected) <= 1e-9 * fabs(expected),
                  "%s: expected %g, got %g", what, expected, got);
}

/* No file of the user who runs the tests is looked at. */
static void setup(void)
{
    fixture_begin();
    setenv("XDG_DATA_HOME", fixture_folder, 1);
    ck_assert_int_eq(mkdir(fixture_path("gbrun"), 0755), 0);
}

TEST_FIXTURE(setup, fixture_end)

TEST_EACH(cases_are_held_against, rules)
{
    const char *name = rules[_i].name;
    struct gb_work work = {.size = sizeof work,
                           .flops = rules[_i].flops,
                           .bytes_read = rules[_i].read,
                           .bytes_written = rules[_i].written,
                           .math_format = rules[_i].format,
                           .math_unit = rules[_i].unit};
    struct roofline got;
    roofline_of(&all, &work, LEVEL_DRAM, &got);
    expect_roof(name, rules[_i].memory, got.memory);
    expect_roof(name, rules[_i].math, got.math);
    expect_roof(name, rules[_i].bound == BOUND_MATH ? rules[_i].math : rules[_i].memory, got.roof);
    ck_assert_msg(got.bound == rules[_i].bound, "%s: bound %d", name, got.bound);
    expect_number(name, rules[_i].intensity, got.intensity);
    expect_number(name, rules[_i].ridge, got.ridge);
    expect_number(name, rules[_i].model_ns, got.model_ns);
}

/* Where nothing is known of a level, the next one that is farther out bounds a case. */
TEST(levels_stand_for_each_other)
{
    static const struct {
        int level;
        const char *roof;
    } levels[] = {{LEVEL_DRAM, "dram_copy"},
                  {LEVEL_LAST, "l2_copy"},
                  {LEVEL_L1, "l2_copy"},
                  {LEVEL_L3, "dram_copy"}};
    struct roof more[] = {{"l2_read", 400e9, false}, {"l3_read", 200e9, false}};
    const struct roofs both = {more, 2}, none = {0};
    struct gb_work work = {.size = sizeof work, .bytes_read = 500, .bytes_written = 500};
    struct roofline got;
    for (size_t i = 0; i < N_OF(levels); i++) {
        roofline_of(&all, &work, levels[i].level, &got);
        expect_roof("level", levels[i].roof, got.memory);
    }
    work.bytes_written = 0;
    roofline_of(&all, &work, LEVEL_LAST, &got); /* of which copy alone is known */
    expect_roof("the last cache", "l2_copy", got.memory);
    roofline_of(&both, &work, LEVEL_LAST, &got); /* it is L3 where there is one */
    expect_roof("the last cache", "l3_read", got.memory);
    roofline_of(&both, &work, LEVEL_DRAM, &got);
    ck_assert_ptr_null(got.memory); /* a cache's bandwidth says nothing of DRAM */
    roofline_of(&none, &work, LEVEL_LAST, &got);
    ck_assert_ptr_null(got.roof);
}

/* ---- the rule on a device ---- */

enum { WORDS_MAX = 8 };

/* "NAME=VALUE NAME=VALUE" */
static size_t read_words(struct arena *arena, const char *words, struct fact *facts)
{
    char *save = NULL;
    size_t n = 0;
    for (char *name = strtok_r(arena_text(arena, words), " ", &save); name;
         name = strtok_r(NULL, " ", &save)) {
        char *value = strchr(name, '=');
        *value++ = 0;
        facts[n++] = (struct fact){name, value};
    }
    return n;
}

static struct roofs read_roofs(struct arena *arena, const char *words)
{
    struct fact facts[WORDS_MAX];
    struct roofs roofs = {.n = read_words(arena, words, facts)};
    roofs.items = ARENA_ARRAY(arena, struct roof, roofs.n + 1);
    for (size_t i = 0; i < roofs.n; i++)
        roofs.items[i] = (struct roof){facts[i].name, strtod(facts[i].value, NULL), false};
    return roofs;
}

/* The roof of a case of so many threads (NaN: it has no such option), on a device of these roofs,
 * roofs of one thread, and facts; of what it returns, until it is called again. */
static struct roofline roofline_on(const char *roofs, const char *of_one, const char *facts,
                                   double threads, struct stored_case *c)
{
    static struct arena arena;
    arena_free(&arena);
    struct fact items[WORDS_MAX];
    const struct device_record device = {.facts = items,
                                         .n_facts = read_words(&arena, facts, items)};
    const struct roof_set set = {.roofs = read_roofs(&arena, roofs),
                                 .of_one_thread = read_roofs(&arena, of_one),
                                 .model = "A"};
    struct parameter parameter = {.name = "threads", .value = {.number = threads}};
    struct roofline got;
    c->plugin = "copy";
    c->parameters = &parameter;
    c->n_parameters = isnan(threads) ? 0U : 1U;
    roofline_of_case(&set, c, &device, &got);
    return got;
}

/* What a case with so many operations runs on: a GPU with so much of its last cache; a CPU of 4
 * with 32 KiB of L1, 1 MiB of L2 and 8 MiB that all share; eight CPUs with as much, each or for
 * several, the last cache for all or for four; one where one roof of one thread is known, not the
 * other. */
#define GPU "dram_read=10e9 l2_read=50e9", ""
#define OF_4                                                                                       \
    "dram_read=20e9 l1_read=1000e9 l2_read=500e9", "dram_read=10e9 l1_read=100e9 l2_read=50e9",    \
        "units=4 l1_bytes=32768 l2_bytes=1048576 cache_bytes=8388608"
#define OF_8                                                                                       \
    "dram_read=10e9 l1_read=100e9 l2_read=50e9 l3_read=20e9", "",                                  \
        "units=8 l1_bytes=32768 l2_bytes=1048576 cache_bytes=8388608"
#define ONE_OF_ONE "dram_read=40e9 fp32_fma=100e9", "dram_read=10e9", "units=4 l1_bytes=32768"
static const struct device_setting {
    const char *roofs, *of_one, *facts, *cache;
    double flops;
} gpu = {GPU, "cache_bytes=8000000", "warm", 0}, gpu_cold = {GPU, "cache_bytes=8000000", "cold", 0},
  gpu_small = {GPU, "cache_bytes=7999999", "warm", 0},
  gpu_nonsense = {GPU, "cache_bytes=many", "warm", 0}, gpu_not_said = {GPU, "", "warm", 0},
  cpu = {OF_4, "warm", 0}, cpu_cold = {OF_4, "cold", 0},
  own = {OF_8 " l1_shared_by=0 l2_shared_by=0 l3_shared_by=0-7", "warm", 0},
  cluster = {OF_8 " l1_shared_by=0 l2_shared_by=0-3 l3_shared_by=0-7", "warm", 0},
  siblings = {OF_8 " l1_shared_by=0,4 l2_shared_by=0,4 l3_shared_by=0-7", "warm", 0},
  complexes = {OF_8 " l1_shared_by=0 l2_shared_by=0 l3_shared_by=0-3", "warm", 0},
  not_said = {OF_8, "warm", 0}, little = {ONE_OF_ONE, "cold", 1e6},
  much = {ONE_OF_ONE, "cold", 1e9};

/* Of so many threads' bytes. */
static const struct {
    const char *name;
    const struct device_setting *on;
    double bytes, threads, time_ns; /* threads NaN: no such option */
    const char *roof;
    double model_ns;
    int bound;
} devices[] = {
    {"a cache that is large enough", &gpu, 8e6, NAN, 1e9, "l2_read", 160e3, BOUND_MEMORY},
    {"cold", &gpu_cold, 8e6, NAN, 1e9, "dram_read", 800e3, BOUND_MEMORY},
    {"too small", &gpu_small, 8e6, NAN, 1e9, "dram_read", 800e3, BOUND_MEMORY},
    {"nonsense", &gpu_nonsense, 8e6, NAN, 1e9, "dram_read", 800e3, BOUND_MEMORY},
    {"not known", &gpu_not_said, 8e6, NAN, 1e9, "dram_read", 800e3, BOUND_MEMORY},
    {"one thread in L1", &cpu, 32768, 1, 1000, "l1_read", 327.68, BOUND_MEMORY},
    {"no option: one", &cpu, 32768, NAN, 1000, "l1_read", 327.68, BOUND_MEMORY},
    {"above L1", &cpu, 32769, 1, 1000, "l2_read", 655.38, BOUND_MEMORY},
    {"L1 of two", &cpu, 65536, 2, 1000, "l1_read", 65.536, BOUND_LATENCY},
    {"all CPUs", &cpu, 131072, 0, 500, "l1_read", 131.072, BOUND_MEMORY},
    {"more threads than CPUs", &cpu, 131073, 8, 500, "l2_read", 262.146, BOUND_MEMORY},
    {"above L2: no roof of L3", &cpu, 2e6, 1, 1e6, "dram_read", 200000, BOUND_MEMORY},
    {"above all", &cpu, 9e6, 0, 1e6, "dram_read", 450000, BOUND_MEMORY},
    {"cold", &cpu_cold, 32768, 1, 1e4, "dram_read", 3276.8, BOUND_MEMORY},
    {"little, just near enough", &cpu, 8000, 1, 320, "l1_read", 80, BOUND_MEMORY},
    {"little, far", &cpu, 8000, 1, 321, "l1_read", 80, BOUND_LATENCY},
    {"much, far", &cpu, 9e6, 0, 1e8, "dram_read", 450000, BOUND_MEMORY},
    {"a core's L2", &own, 8 << 20, 8, 1e9, "l2_read", 167772.16, BOUND_MEMORY},
    {"a cluster's L2, alone", &cluster, 1 << 20, 1, 1e9, "l2_read", 20971.52, BOUND_MEMORY},
    {"a cluster's L2, of two", &cluster, 1 << 20, 2, 1e9, "l2_read", 20971.52, BOUND_MEMORY},
    {"above a cluster's, of two", &cluster, (1 << 20) + 2, 2, 1e9, "l3_read", 52428.9,
     BOUND_MEMORY},
    {"two clusters' L2", &cluster, 2 << 20, 8, 1e9, "l2_read", 41943.04, BOUND_MEMORY},
    {"above two clusters' L2", &cluster, (2 << 20) + 8, 8, 1e9, "l3_read", 104858, BOUND_MEMORY},
    {"far siblings, half of them", &siblings, 4 * 32768, 4, 1e9, "l1_read", 1310.72, BOUND_MEMORY},
    {"far siblings, all", &siblings, 4 * 32768, 8, 1e9, "l1_read", 1310.72, BOUND_MEMORY},
    {"far siblings, above", &siblings, 4 * 32768 + 8, 8, 1e9, "l2_read", 2621.6, BOUND_MEMORY},
    {"a complex, alone", &complexes, (8 << 20) + 1, 1, 1e9, "dram_read", 838860.9, BOUND_MEMORY},
    {"two complexes", &complexes, 16 << 20, 8, 1e9, "l3_read", 838860.8, BOUND_MEMORY},
    {"above both", &complexes, (16 << 20) + 8, 8, 1e9, "dram_read", 1677722.4, BOUND_MEMORY},
    {"all in one", &own, (8 << 20) + 8, 8, 1e9, "dram_read", 838861.6, BOUND_MEMORY},
    {"not known", &not_said, (8 << 20) + 8, 8, 1e9, "dram_read", 838861.6, BOUND_MEMORY},
    {"not known, of a core", &not_said, 8 << 20, 8, 1e9, "l2_read", 167772.16, BOUND_MEMORY},
    {"little arithmetic", &little, 1e7, NAN, 1e9, "dram_read", 1e6, BOUND_UNKNOWN},
    {"much arithmetic", &much, 1e7, NAN, 1e9, "fp32_fma", 1e7, BOUND_MATH},
};

TEST_EACH(device_level_and_threads_choose_the_roof, devices)
{
    const struct device_setting *on = devices[_i].on;
    struct stored_case c = {.cache = on->cache,
                            .summary.median = devices[_i].time_ns,
                            .record.work = {.bytes_read = devices[_i].bytes,
                                            .flops = on->flops,
                                            .math_format = GB_F32,
                                            .math_unit = GB_MATH_VECTOR}};
    struct roofline got = roofline_on(on->roofs, on->of_one, on->facts, devices[_i].threads, &c);
    expect_roof(devices[_i].name, devices[_i].roof, got.roof);
    expect_number(devices[_i].name, devices[_i].model_ns, got.model_ns);
    ck_assert_msg(got.bound == devices[_i].bound, "%s: got %d", devices[_i].name, got.bound);
}

TEST(without_a_device_caches_do_not_count_and_without_roofs_nothing)
{
    struct roof roofs[] = {{"dram_read", 10e9, false}, {"l2_read", 50e9, false}};
    const struct roof_set set = {.roofs = {roofs, 2}, .model = "A"};
    struct stored_case c = {.plugin = "copy", .cache = "warm", .record.work.bytes_read = 8e6};
    struct roofline got;
    roofline_of_case(&set, &c, NULL, &got);
    expect_roof("no device", "dram_read", got.roof);
    roofline_of_case(NULL, &c, &(struct device_record){0}, &got);
    ck_assert_ptr_null(got.roof);
}

/* Kernels that read for about 4 us what DRAM reads in 1, or compute what takes 2, on `units`. */
static const struct {
    const char *name;
    uint32_t blocks[2], parallel; /* 0 blocks: no kernel */
    double occupancy, time_ns, flops;
    bool has_copy;
    uint64_t n_unlisted; /* kernels */
    const char *units;
    int bound;
} latencies[] = {
    {"few blocks", {131}, 0, 0.5, 4001, 0, false, 0, "132", BOUND_LATENCY},
    {"not far enough", {131}, 0, 0.5, 3999, 0, false, 0, "132", BOUND_MEMORY},
    {"enough blocks", {132}, 0, 0.1, 4001, 0, false, 0, "132", BOUND_MEMORY},
    {"low occupancy", {132}, 0, 0.09, 4001, 0, false, 0, "132", BOUND_LATENCY},
    {"occupancy is not known", {132}, 0, NAN, 4001, 0, false, 0, "132", BOUND_MEMORY},
    {"the largest counts", {2, 132}, 0, 0.5, 4001, 0, false, 0, "132", BOUND_MEMORY},
    {"one after the other", {131, 131}, 0, 0.5, 4001, 0, false, 0, "132", BOUND_LATENCY},
    {"side by side", {66, 66}, 1, 0.5, 4001, 0, false, 0, "132", BOUND_MEMORY},
    {"side by side, few", {65, 66}, 1, 0.5, 4001, 0, false, 0, "132", BOUND_LATENCY},
    {"occupancies add up", {66, 66}, 1, 0.06, 4001, 0, false, 0, "132", BOUND_MEMORY},
    {"a copy may take the time", {131}, 0, 0.5, 4001, 0, true, 0, "132", BOUND_MEMORY},
    {"not all are listed", {131}, 0, 0.5, 4001, 0, false, 1, "132", BOUND_MEMORY},
    {"how many units?", {1}, 0, 0.01, 4001, 0, false, 0, "", BOUND_MEMORY},
    {"nothing is known", {0}, 0, 0.5, 4001, 0, false, 0, "132", BOUND_MEMORY},
    /* On 13 of 132 multiprocessors arithmetic takes 20.31 us. */
    {"arithmetic of a few", {13}, 0, 0.5, 81200, 2e6, false, 0, "132", BOUND_MATH},
    {"far from it", {13}, 0, 0.5, 81300, 2e6, false, 0, "132", BOUND_LATENCY},
};

TEST_EACH(kernels_that_cannot_fill_a_device, latencies)
{
    struct gb_activity activities[3];
    char units[16];
    struct stored_case c = {.cache = "cold",
                            .summary.median = latencies[_i].time_ns,
                            .record = {.activities = activities,
                                       .work = {.bytes_read = 1e6,
                                                .flops = latencies[_i].flops,
                                                .math_format = GB_F32,
                                                .math_unit = GB_MATH_VECTOR}}};
    struct case_record *record = &c.record;
    for (; record->n_kernels < 2 && latencies[_i].blocks[record->n_kernels]; record->n_kernels++) {
        struct gb_activity *kernel = &activities[record->n_activities++];
        *kernel = fixture_kernel("k", latencies[_i].blocks[record->n_kernels], NAN);
        kernel->occupancy = latencies[_i].occupancy;
        kernel->parallel = latencies[_i].parallel;
    }
    if (latencies[_i].has_copy)
        activities[record->n_activities++] = (struct gb_activity){.kind = GB_ACTIVITY_COPY};
    record->n_kernels += latencies[_i].n_unlisted;
    snprintf(units, sizeof units, "units=%s", latencies[_i].units);
    struct roofline got = roofline_on("dram_read=1e12 fp32_fma=1e12", "", units, NAN, &c);
    ck_assert_msg(got.bound == latencies[_i].bound, "%s: got %d", latencies[_i].name, got.bound);
    expect_roof(latencies[_i].name, latencies[_i].flops > 0 ? "fp32_fma" : "dram_read", got.roof);
}

/* ---- files with roofs ---- */

/* Cases that measured a roof: in 1000 ns what makes the rate, in GB/s or GFLOP/s. */
static const char roofs_sql[] =
    "UPDATE bench_case SET plugin = 'ceilings', iterations = 10, math_format = '', math_unit = '',"
    " bytes_read = 0, flops = (SELECT nullif(1e3 * value, 0) FROM parameter WHERE case_id = id"
    " AND name = 'rate') WHERE id IN (SELECT case_id FROM parameter WHERE name = 'rate');"
    "UPDATE bench_case SET bytes_read = flops, flops = 0 WHERE bytes_read = 0 AND id IN"
    " (SELECT case_id FROM parameter WHERE name = 'roof' AND value NOT LIKE 'fp%');"
    "DELETE FROM parameter WHERE name = 'rate';";

/* Cases of one benchmark whose bytes are read at 8 GB/s and that compute at 10 to 160 GFLOP/s. */
static const char products[] = "1e6 streams rows=32 +streams=1\n"
                               "1e6 streams rows=32 +streams=2\n"
                               "1e6 streams rows=32 +streams=4\n"
                               "1e6 streams rows=32 +streams=8\n"
                               "1e6 streams rows=32 +streams=16\n";
static const char products_sql[] =
    "UPDATE bench_case SET bytes_read = 8e6, math_format = 'fp32', math_unit = 'vector',"
    " flops = (SELECT 1e7 * number FROM parameter WHERE case_id = id AND name = 'streams')"
    " WHERE bench = 'streams';"
    "INSERT OR IGNORE INTO metric SELECT case_id, column1, column2, column3, column4 FROM"
    " parameter, (VALUES (0, 'counted_flops', 9e7, '1'), (1, 'counted_bytes_l2', 40e6, 'bytes'),"
    " (2, 'counted_bytes_dram', 9e6, 'bytes')) WHERE parameter.name = 'streams' AND value = '8';";

/* Run `run` of a file: roofs scaled by that number, and cases if asked. */
static void make_file(const char *name, unsigned run, bool has_roofs, bool has_cases)
{
    CLEANUP(text_free) struct text cases = {0};
    if (has_roofs)
        text_printf(&cases,
                    "1e3 ceilings +roof=dram_read rate=%u\n"
                    "1e3 ceilings +roof=dram_read rate=%u\n"
                    "1e3 ceilings +roof=dram_read rate=%u\n"
                    "1e3 ceilings +roof=fp32_fma rate=%u\n"
                    "1e3 ceilings +roof=l2_copy rate=%u\n"
                    "1e3 ceilings +roof=fp64_fma rate=none\n",
                    10 * run, 9 * run, 99 * run, 100 * run, 50 * run);
    text_add(&cases, has_cases ? products : "");
    views_make(name, run, text_get(&cases), roofs_sql);
    fixture_change(name, products_sql);
    fixture_change(name, SET "status = 'wrong result' WHERE bench = 'ceilings' AND position = 2");
}

#define COLUMNS "roof_name,roof_ratio,roofs_source"

/* The roof of the first product in results.gbr, and where it is from. */
static void expect_roofs(const char *roofs, int64_t run, const char *roof, const char *source)
{
    CLEANUP(text_free) struct text expected = {0};
    text_printf(&expected, COLUMNS "\n%s,%s\n", roof, source);
    ck_assert_str_eq(EXPORTED_CSV("results.gbr", .run = run, .columns = COLUMNS, .roofs = roofs,
                                  .where = "streams = 1 AND plugin = 'multistream'"),
                     text_get(&expected));
}

TEST(roofs_are_looked_for_in_order)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const char *chosen = arena_text(&arena, fixture_path("chosen.gbr"));
    make_file("results.gbr", 1, false, true);
    expect_roofs(NULL, RUN_NEWEST, ",", "");
    make_file("gbrun/roofs.gbr", 4, true, false);
    expect_roofs(NULL, RUN_NEWEST, "dram_read,0.2",
                 arena_printf(&arena, "\"run 1 of %s/gbrun/roofs.gbr, 2026-01-04 10:00:00 UTC\"",
                              fixture_folder));
    make_file("results.gbr", 2, true, false); /* newer, in the same file */
    expect_roofs(NULL, 1, "dram_read,0.4", "\"run 2 of this file, 2026-01-02 10:00:00 UTC\"");
    make_file("results.gbr", 4, true, false);
    expect_roofs(NULL, 1, "dram_read,0.2", "\"run 3 of this file, 2026-01-04 10:00:00 UTC\"");
    make_file("chosen.gbr", 5, true, false);
    expect_roofs(chosen, 1, "dram_read,0.16",
                 arena_printf(&arena, "\"run 1 of %s, 2026-01-05 10:00:00 UTC\"", chosen));
}

TEST(a_run_prefers_its_own_roofs)
{
    make_file("results.gbr", 1, true, true);
    make_file("results.gbr", 2, true, true);
    expect_roofs(NULL, RUN_ALL, "dram_read,0.8",
                 "\"run 1 of this file, 2026-01-01 10:00:00 UTC\"\n"
                 "dram_read,0.4,\"run 2 of this file, 2026-01-02 10:00:00 UTC\"");
}

/* A cache that is slower than memory is not believed, nor is what was undecided certain. */
TEST(roofs_that_contradict_and_doubtful_ones)
{
    CLEANUP(text_free) struct text cases = {0};
    text_printf(&cases,
                "1e3 ceilings +roof=dram_read rate=10\n"
                "1e3 ceilings +roof=l3_read rate=9.85\n" /* as near as measured */
                "1e3 ceilings +roof=l2_read rate=9.7\n"
                "1e3 ceilings +roof=l2_write rate=9.7\n" /* another access */
                "1e3 ceilings +roof=fp32_fma rate=100\n"
                "1e3 ceilings +roof=dram_read rate=9\n" /* a lower one */
                "%s",
                products);
    views_make("results.gbr", 1, text_get(&cases), roofs_sql);
    fixture_change("results.gbr", products_sql);
    fixture_change("results.gbr", SET "verdict = 'unconverged' WHERE id IN (5, 6)");
    expect_roofs(NULL, 1, "dram_read,0.8",
                 "\"run 1 of this file, 2026-01-01 10:00:00 UTC; left out, as a level farther out "
                 "is faster: l2_read; not certified or disturbed: fp32_fma\"");
}

TEST(roofs_of_another_model_are_of_no_use)
{
    struct roof_set sets[] = {{.model = "A", .run_uuid = "1"},
                              {.model = "B", .run_uuid = "2"},
                              {.model = "A", .run_uuid = "3"},
                              {.model = "A", .run_uuid = "4", .is_chosen = true}};
    struct roof_set *pointers[] = {&sets[0], &sets[1], &sets[2], &sets[3]};
    struct roof_library library = {.sets = pointers, .n = 3};
    ck_assert_ptr_eq(roof_library_find(&library, "A", "9"), &sets[0]);
    ck_assert_ptr_eq(roof_library_find(&library, "A", "3"), &sets[2]);
    ck_assert_ptr_eq(roof_library_find(&library, "A", "2"), &sets[0]);
    ck_assert_ptr_null(roof_library_find(&library, "C", "2"));
    library.n = 4;
    ck_assert_ptr_eq(roof_library_find(&library, "A", "3"), &sets[3]);
}

TEST(a_file_that_is_no_results_file)
{
    CLEANUP(text_free) struct text got = {0};
    struct gb_error error = {0};
    make_file("results.gbr", 1, false, true);
    FILE *file = fopen(fixture_path("gbrun/roofs.gbr"), "w");
    fputs("nothing of the kind", file);
    fclose(file);
    /* the user's own: only a note tells of it */
    EXPECT(SHOWN("results.gbr", 0), "\nroofs that cannot be used: ");
    const struct view_options options = {.format = FORMAT_CSV,
                                         .roofs = fixture_path("gbrun/roofs.gbr")};
    ck_assert_int_ne(views_try("results.gbr", &options, false, &got, &error), GB_OK);
    EXPECT(error.text, "not a results file");
}

/* ---- what is printed ---- */

TEST(tables_show_them)
{
    make_file("results.gbr", 1, true, true);
    SHOWS_BELOW_HEAD("show_roofs.txt", "results.gbr", 0);
    EXPORTS("roofs.csv", "results.gbr", .format = FORMAT_CSV,
            .columns = "label,math_format,math_unit,intensity,bound,ridge,roof_name,roof_ratio,"
                       "model_ns",
            .where = "roof_ratio > 0.5", .sort = "-roof_ratio");
    fixture_change("results.gbr", "DELETE FROM check_summary; DELETE FROM check_histogram");
    SHOWS_BELOW_HEAD("show_roofs_verbose.txt", "results.gbr", .verbose = true,
                     .where = "plugin = 'multistream'");
}

/* How near a case is to its roof is what details of checks, samples, rates and the policy's reason
 * make room for. */
TEST(a_narrow_table_keeps_the_roof)
{
    make_file("results.gbr", 1, true, true);
    EXPECT(SHOWN("results.gbr", .width = 100),
           "\nbench     roof       streams    median  interval  GFLOP/s   GB/s  "
           "            roof  status\n");
}

static void make_report(const char *file, const char *pivot, bool has_roofline, struct report *ret)
{
    struct store *store = fixture_open(file, STORE_READ);
    const struct view_options options = {.run = RUN_ALL, .rows = ROWS_COMBINED, .has_names = true};
    struct gb_error error = {0};
    struct view view;
    *ret = (struct report){.chart.request = {.kind = CHART_BARS, .x = pivot}};
    ck_assert_int_eq(view_open(store, &options, RUN_ALL, &view, &error), GB_OK);
    if (has_roofline)
        ck_assert_int_eq(report_add_rooflines(ret, &view, NULL, &error), GB_OK);
    if (pivot)
        ck_assert_int_eq(chart_add(&ret->chart, &view, NULL, &error), GB_OK);
    view_close(&view);
    fixture_close(store);
}

static const char *text_of(const char *file, const char *pivot, bool has_roofline)
{
    static struct text text;
    struct report report;
    text_clear(&text);
    make_report(file, pivot, has_roofline, &report);
    report_text(&report, &text);
    report_free(&report);
    return text_get(&text);
}

TEST(reports_as_text)
{
    make_file("results.gbr", 1, true, true);
    views_expect_golden("report_roofline.txt", text_of("results.gbr", NULL, true));
    views_make_rounds("rounds.gbr");
    views_expect_golden("report_bars.txt", text_of("rounds.gbr", "streams", false));
    views_make_file("fates.gbr");
    const char *got = text_of("fates.gbr", "streams", true);
    EXPECT(got,
           "roofline of Example CPU 9000\nno roofs of this device are known: measure them with "
           "the benchmark ceilings (gbrun -c ceilings.ini), and name the file with --roofs\n\n"
           " 100 GFLOP/s |\n",
           "  10 GFLOP/s |                            f\n             |                            "
           "*\n",
           "100                                                                  1000  FLOP/byte\n"
           "*: several marks\n");
    views_expect_golden("report_no_roofs.txt", strstr(got, "*: several marks"));
}

static const char *picture_of(const struct report *report)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct plot_page page;
    report_page(report, &arena, &page);
    return views_picture(&page);
}

TEST(reports_as_pages)
{
    struct report report;
    make_file("results.gbr", 1, true, true);
    make_report("results.gbr", "streams", true, &report);
    const char *picture = picture_of(&report);
    report_free(&report);
    EXPECT(picture, ">Example CPU 9000</text>", ">arithmetic intensity (FLOP/byte)</text>",
           ">performance</text>", ">100 GFLOP/s</text>", "rotate(", ">dram_read 10.0 GB/s</text>",
           ">l2_copy 50.0 GB/s</text>", /* for what was counted there */
           ">fp32_fma 100 GFLOP/s</text>", ">80 %</text>", ">streams streams=1</text>",
           ">roofs: run 1 of this file, 2026-01-01 10:00:00 UTC</text>", ">counted at DRAM</text>",
           ">left out: 1 case not measured, or not ok; 1 case without declared work", ">10</text>",
           ">median, ms</text>", ">streams on Example CPU 9000</text>", "h6m-3 0V");
}

/* Of too many, one of which has no case. */
TEST(many_groups_stay_on_the_page)
{
    CLEANUP(text_free) struct text text = {0};
    struct report_case one = {.label = "it's\na %s `case`",
                              .flops_per_s = INFINITY,
                              .bytes_per_s = NAN,
                              .intensity = {2, NAN, NAN, NAN},
                              .measured_ns = 1,
                              .model_ns = NAN,
                              .ratio = NAN,
                              .ridge = NAN};
    struct report_chart charts[REPORT_PANELS + 2];
    for (size_t i = 0; i < REPORT_PANELS + 2; i++)
        charts[i] = (struct report_chart){.model = "", .cases = &one, .n = i != 1};
    struct report report = {.charts = charts, .n_charts = REPORT_PANELS + 2};
    const char *picture = picture_of(&report);
    EXPECT(picture, "(the first 12 of 14 charts)");
    EXPECT_NO(picture, "it's");
    report_text(&report, &text);
    EXPECT(text_get(&text), "no roofs of this device are known", "there is nothing to draw");
}
