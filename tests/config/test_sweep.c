/* test_sweep.c - which cases a configuration makes, in which order, with which values. */
#include "tests/check_main.h"

#include "tests/config/settings_fixture.h"

#include "core/base/random.h"

#include <stdlib.h>

static struct loaded loaded;

static void teardown(void)
{
    unload(&loaded);
    loaded = (struct loaded){0};
}

static struct bench_case case_at(struct loaded *from, uint64_t i, struct arena *arena)
{
    struct bench_case made;
    struct gb_error error = {0};
    ck_assert_msg(sweep_case(from->sweep, i, arena, &made, &error) == GB_OK, "case %d: %s", (int)i,
                  error.text);
    return made;
}

static void add_labels(struct loaded *from, struct text *out)
{
    for (uint64_t i = 0; i < sweep_size(from->sweep); i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct bench_case made = case_at(from, i, &arena);
        bench_case_label(&made, out);
        text_add(out, "\n");
    }
}

static const struct parameter *parameter(const struct bench_case *of, const char *name)
{
    for (size_t i = 0; i < of->n_parameters; i++)
        if (text_equal(of->parameters[i].name, name))
            return &of->parameters[i];
    return NULL;
}

#define MATMUL "[bench b]\nplugin = matmul\n"

static const struct {
    const char *text;
    const char *labels;
} sweeps[] = {
    {MATMUL, "b\n"},
    {MATMUL "sweep.rows = 1:2\nsweep.cols = 3, 4\n",
     "b rows=1 cols=3\nb rows=1 cols=4\nb rows=2 cols=3\nb rows=2 cols=4\n"},
    /* axes multiply in file order, whatever the order of the table */
    {MATMUL "sweep.cols = 3, 4\nsweep.rows = 1:2\n",
     "b rows=1 cols=3\nb rows=2 cols=3\nb rows=1 cols=4\nb rows=2 cols=4\n"},
    {MATMUL "sweep.rows = 1,2\nzip.x = cols,dtype: 3,fp16 | 4,bf16\n",
     "b rows=1 cols=3 dtype=fp16\nb rows=1 cols=4 dtype=bf16\nb rows=2 cols=3 dtype=fp16\n"
     "b rows=2 cols=4 dtype=bf16\n"},
    {MATMUL "zip.x = label,cores: \"a|b\",\"1,2\" | c d,3\n",
     "b label=a|b cores=1,2\nb label=\"c d\" cores=3\n"},
    {MATMUL "sweep.cores = \"1:3\", 7\n", "b cores=1,2,3\nb cores=7\n"},
    {MATMUL "sweep.size = 1 KiB:4 KiB:x2\nsweep.pause = 1 ms, 0.5 s\n",
     "b size=1024 pause=1000000ns\nb size=1024 pause=500000000ns\nb size=2048 pause=1000000ns\n"
     "b size=2048 pause=500000000ns\nb size=4096 pause=1000000ns\nb size=4096 pause=500000000ns\n"},
    {MATMUL "sweep.streams = 1:16\nonly = streams % 5 = 0\nexclude = streams = 10\n",
     "b streams=5\nb streams=15\n"},
    {MATMUL "sweep.streams = 1:3\nonly = streams > 3\n", ""},
    {MATMUL "sweep.env.A = 1:2, x\nsweep.env.B = \"1:2\", y\n",
     "b env.A=1 env.B=1:2\nb env.A=1 env.B=y\nb env.A=2 env.B=1:2\nb env.A=2 env.B=y\n"
     "b env.A=x env.B=1:2\nb env.A=x env.B=y\n"},
    {MATMUL "sweep.define.TILE = 8:32:x2\nonly = \"define.TILE\" >= 8 + 8\n",
     "b define.TILE=16\nb define.TILE=32\n"},
    {MATMUL "sweep.env.N = 2, 10, 0x9, many\nonly = \"env.N\" < 10\n", "b env.N=2\nb env.N=0x9\n"},
    {MATMUL "sweep.cache = warm, cold\nsweep.iterations = auto, 1:2\nonly = cache = 'cold'\n",
     "b cache=cold iterations=0\nb cache=cold iterations=1\nb cache=cold iterations=2\n"},
    {MATMUL "sweep.device = cpu, cuda:1\nsweep.policy = steady\n",
     "b device=cpu policy=steady\nb device=cuda:1 policy=steady\n"},
    {MATMUL "sweep.streams = 1:3\nexclude = device = 'auto' and bench = 'b' and policy = "
            "'steady' and clock = 'auto' and min_samples = 0 and warmup = 0 and streams = 2\n",
     "b streams=1\nb streams=3\n"},
    /* an axis that is not an option feeds formulas */
    {MATMUL "sweep.tile = 8, 1.5, x\nlet.label = tile || typeof(tile)\n",
     "b tile=8\nb tile=1.5\nb tile=x\n"},
    {MATMUL "sweep.tile = 1:4:x2\nlet.rows = tile * 2\nonly = rows < 8\n", "b tile=1\nb tile=2\n"},
    /* a formula of an axis transforms it if it reads it, and gives way if it does not */
    {MATMUL "sweep.rows = 1:2\nlet.rows = rows * 32\n", "b rows=32\nb rows=64\n"},
    {MATMUL "sweep.rows = 1:2\nlet.rows = cols * 32\n", "b rows=1\nb rows=2\n"},
    {MATMUL "let.x = 5\nsweep.x = 1, 2\nlet.rows = x\n", "b x=1\nb x=2\n"},
    /* filters come before formulas that they do not need */
    {MATMUL "sweep.streams = 0:2\nlet.rows = 32 / streams\nonly = streams > 0\n",
     "b streams=0: error"},
    {MATMUL "sweep.problems = 1:3\nlet.rows = 32 / (problems - 1)\nonly = problems > 1\n",
     "b problems=2\nb problems=3\n"},
    {"[bench nop]\n[bench c]\nlike = nop\nsweep.cache = warm, cold\n[bench d]\nlike = nop\n",
     "nop\nc cache=warm\nc cache=cold\nd\n"},
    /* like: own keys replace, in the place of what they replace */
    {MATMUL "sweep.rows = 1, 2\nsweep.cols = 3, 4\nonly = rows = 1\n"
            "[bench c]\nlike = b\nrows = 1\n[bench d]\nlike = c\nsweep.rows = 1, 9\n"
            "only = rows = 9\n",
     "b rows=1 cols=3\nb rows=1 cols=4\nc cols=3\nc cols=4\nd rows=9 cols=3\nd rows=9 cols=4\n"},
    {MATMUL "only = bench <> 'b'\nsweep.rows = 1, 2\nsweep.cols = 3, 4\n"
            "[bench c]\nlike = b\nsweep.rows = 5, 6\n",
     "c rows=5 cols=3\nc rows=5 cols=4\nc rows=6 cols=3\nc rows=6 cols=4\n"},
    {MATMUL "rows = 1\nsweep.cols = 2, 3\nlet.streams = 4\n[bench c]\nlike = b\n"
            "zip.x = rows,cols,streams: 5,6,7\n",
     "b cols=2\nb cols=3\nc rows=5 cols=6 streams=7\n"},
};

TEST_FIXTURE(NULL, teardown)

TEST_EACH(sweep, sweeps)
{
    struct text labels = {0};
    load(&loaded, sweeps[_i].text);
    if (strstr(sweeps[_i].labels, "error")) {
        ck_assert_ptr_null(loaded.sweep);
        return;
    }
    ck_assert_str_eq(text_get(&loaded.words), "");
    add_labels(&loaded, &labels);
    ck_assert_str_eq(text_get(&labels), sweeps[_i].labels);
    text_free(&labels);
}

TEST(case_in_full)
{
    CLEANUP(arena_free) struct arena arena = {0};
    load(&loaded, "[gbrun]\nseed = 7\nrounds = 3\n"
                  "[defaults]\ncache = cold\nenv.Z = last\nenv.A = \"a b\"\ncheck.rel = 1e-3\n"
                  "check.abs = 1\n"
                  "[policy precise]\nplugin = steady\nprecision = 0.1%\n"
                  "[device pinned]\nplugin = cpu\ncpus = 0:2\n"
                  "[bench b]\nplugin = matmul\nrows = 64\ncache = warm\npolicy = precise\n"
                  "device = pinned:1\nsweep.streams = 2, 4\nsweep.max_time = 1 s, 2 s\n"
                  "let.cols = streams * 8\nlet.half = streams / 2.0\nlabel = \"\\\"x\\\" \"\n"
                  "define.N = 1 + 1\ncheck.abs = 2\nthreads = 8\nwarmup = 1.5 ms\nisolate = yes\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_uint_eq(sweep_size(loaded.sweep), 4);
    struct bench_case made = case_at(&loaded, 3, &arena);
    ck_assert_uint_eq(made.position, 3);
    ck_assert_str_eq(made.bench, "b");
    ck_assert_str_eq(made.info->plugin.id, "matmul");
    ck_assert_uint_eq(made.seed, 7);
    ck_assert_str_eq(made.policy->name, "precise");
    ck_assert_str_eq(made.policy->info->plugin.id, "steady");
    ck_assert_uint_eq(made.policy->n_settings, 1);
    ck_assert_str_eq(made.policy->settings[0].key, "precision");
    ck_assert_str_eq(made.policy->settings[0].text, "0.1%");
    ck_assert_str_eq(made.device.settings->name, "pinned");
    ck_assert_int_eq(made.device.index, 1);
    ck_assert_int_eq(made.common.cache, GB_CACHE_WARM);
    ck_assert_int_eq(made.common.isolate, 1);
    ck_assert_str_eq(made.common.clock, "auto");
    ck_assert_int_eq(made.common.rounds, 3);
    ck_assert_double_eq(made.common.warmup_ns, 1.5e6);
    ck_assert_double_eq(made.common.max_time_ns, 2e9);
    ck_assert_double_eq(made.common.time_limit_ns, 60e9);
    ck_assert_uint_eq(made.n_tolerances, 2);
    ck_assert_str_eq(made.tolerances[0].metric, "abs");
    ck_assert_double_eq(made.tolerances[0].tolerance, 2);
    ck_assert_str_eq(made.tolerances[1].metric, "rel");
    ck_assert_uint_eq(made.n_environment, 2);
    ck_assert_str_eq(made.environment[0].name, "A");
    ck_assert_str_eq(made.environment[0].value, "a b");
    ck_assert_str_eq(made.environment[1].name, "Z");
    static const struct {
        const char *name, *text;
        bool is_axis, is_default, is_variable, is_identity;
    } expected[] = {
        {"rows", "64", false, false, false, true},
        {"cols", "32", false, false, false, true},
        {"streams", "4", true, false, false, true},
        {"problems", "16", false, true, false, true},
        {"dtype", "fp32", false, true, false, true},
        {"check", "yes", false, true, false, true},
        {"size", "1048576", false, true, false, true},
        {"pause", "1000000ns", false, true, false, true},
        {"scale", "1", false, true, false, true},
        {"label", "\"x\" ", false, false, false, true},
        {"cores", "", false, true, false, true},
        {"threads", "8", false, false, false, false},
        {"define.N", "1 + 1", false, false, false, true},
        {"max_time", "2000000000ns", true, false, false, false},
        {"half", "2", false, false, true, false},
    };
    ck_assert_uint_eq(made.n_parameters, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < made.n_parameters; i++) {
        const struct parameter *found = parameter(&made, expected[i].name);
        ck_assert_msg(found, "%s", expected[i].name);
        ck_assert_str_eq(found->value.text, expected[i].text);
        ck_assert_int_eq(found->is_axis, expected[i].is_axis);
        ck_assert_int_eq(found->is_default, expected[i].is_default);
        ck_assert_int_eq(found->is_variable, expected[i].is_variable);
        ck_assert_int_eq(found->is_identity, expected[i].is_identity);
    }
    ck_assert_uint_eq(parameter(&made, "half")->value.type, GB_TYPE_FLOAT);
}

static double tolerance(const struct bench_case *made, const char *metric)
{
    for (size_t i = 0; i < made->n_tolerances; i++)
        if (strcmp(made->tolerances[i].metric, metric) == 0)
            return made->tolerances[i].tolerance;
    return -1;
}

/* Swept, zipped, computed, and given: each case has its own; what a section says itself takes the
 * place of what it has from elsewhere. */
TEST(tolerances_of_each_case)
{
    static const double ulp[] = {0, 0, 1, 1}, rms[] = {1e-3, 0.5, 1e-3, 0.5};
    CLEANUP(arena_free) struct arena arena = {0};
    load(&loaded,
         "[defaults]\ncheck.rel = 0.25\ncheck.ulp = 9\n" MATMUL
         "sweep.check.ulp = 0:1\nzip.z = rows, check.rms: 8, 1e-3 | 16, 50%\n"
         "let.check.abs = rows / 4.0\ncheck.noise = {rows * 1e-2}\nonly = \"check.ulp\" < 2\n"
         "[bench c]\nlike = b\ncheck.ulp = 0.5\ncheck.rel = 1\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_uint_eq(sweep_size(loaded.sweep), 6);
    for (uint64_t i = 0; i < 4; i++) {
        struct bench_case made = case_at(&loaded, i, &arena);
        ck_assert_uint_eq(made.n_tolerances, 5);
        ck_assert_double_eq(tolerance(&made, "noise"), i % 2 ? 0.16 : 0.08);
        ck_assert_double_eq(tolerance(&made, "ulp"), ulp[i]);
        ck_assert_double_eq(tolerance(&made, "rms"), rms[i]);
        ck_assert_double_eq(tolerance(&made, "abs"), i % 2 ? 4 : 2);
        ck_assert_double_eq(tolerance(&made, "rel"), 0.25);
        ck_assert(parameter(&made, "check.ulp")->is_axis);
        ck_assert(!parameter(&made, "check.ulp")->is_identity);
        ck_assert_ptr_null(parameter(&made, "check.rel"));
    }
    struct bench_case made = case_at(&loaded, 4, &arena);
    ck_assert_double_eq(tolerance(&made, "ulp"), 0.5);
    ck_assert_double_eq(tolerance(&made, "rel"), 1);
    ck_assert_double_eq(tolerance(&made, "rms"), 1e-3);
}

TEST(seeds_of_each_case)
{
    static const uint64_t seeds[] = {7, 8, 42, 42, 3, 42};
    CLEANUP(arena_free) struct arena arena = {0};
    load(&loaded, MATMUL "sweep.seed = 7, 8, -1, -2\n"
                         "[bench c]\nlike = b\nseed = 3\n[bench d]\nlike = b\nseed = each round\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    for (uint64_t i = 0; i < 6; i++) {
        struct bench_case made = case_at(&loaded, i, &arena);
        ck_assert_uint_eq(made.seed, seeds[i]);
        ck_assert_int_eq(made.common.seed == SEED_EACH_ROUND, i == 3 || i == 5);
    }
}

/* What the worker does with a case's settings gives the values that were meant. */
TEST(settings_fill_the_params)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct matmul_params params;
    struct gb_error error = {0};
    load(&loaded, MATMUL "sweep.label = \"a, \\\"b\\\"\", c\nzip.z = cores,dtype: \"1:3\",bf16\n"
                         "let.pause = 3 * 1e6\nlet.size = rows * 1024\nsweep.define.X = 1:2\n"
                         "define.Y = \"y\"\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    struct bench_case made = case_at(&loaded, 0, &arena);
    ck_assert_msg(option_fill(option_table_of(&made.info->plugin), made.settings, made.n_settings,
                              &params, sizeof params, &arena, &error) == GB_OK,
                  "%s", error.text);
    ck_assert_str_eq(params.label, "a, \"b\"");
    ck_assert_uint_eq(params.cores.n, 3);
    ck_assert_int_eq(((const int64_t *)params.cores.items)[2], 3);
    ck_assert_int_eq(params.dtype, 2);
    ck_assert_double_eq(params.pause, 3e6);
    ck_assert_uint_eq(params.size, 32 * 1024);
    ck_assert_int_eq(params.rows, 32);
    ck_assert_uint_eq(params.define.n, 2);
    ck_assert_str_eq(params.define.keys[0], "X");
    ck_assert_str_eq(params.define.values[0], "1");
    ck_assert_str_eq(params.define.values[1], "\"y\"");
}

/* Keys that nothing else knows: numbers as such, all else in quotes. */
TEST(the_rest_goes_to_the_plugin)
{
    static const char *const expected[][2] = {{"cache", "\"old\""}, {"word", "\"a \\\"b\\\"\""},
                                              {"text", "\"16\""},   {"half", "0.5"},
                                              {"M", "1048576"},     {"n", "2"},
                                              {"k", "\"x\""},       {"twice", "4"}};
    CLEANUP(arena_free) struct arena arena = {0};
    struct open_params params;
    struct gb_error error = {0};
    load(&loaded, "[bench open]\narg.cache = old\ncache = cold\nword = \"a \\\"b\\\"\"\n"
                  "text = \"16\"\nhalf = 50%\nM = 2^20\nsweep.n = 1:2\n"
                  "zip.z = k,_l: \"x\",8\nlet.twice = n * 2\nlet._m = n + _l\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    struct bench_case made = case_at(&loaded, 1, &arena);
    ck_assert_msg(option_fill(option_table_of(&made.info->plugin), made.settings, made.n_settings,
                              &params, sizeof params, &arena, &error) == GB_OK,
                  "%s", error.text);
    ck_assert_uint_eq(params.arg.n, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < params.arg.n; i++) {
        ck_assert_str_eq(params.arg.keys[i], expected[i][0]);
        ck_assert_str_eq(params.arg.values[i], expected[i][1]);
    }
    for (size_t i = 0; i < made.n_parameters; i++)
        if (text_equal(made.parameters[i].name, "n")) {
            ck_assert_uint_eq(made.parameters[i].value.type, GB_TYPE_INT);
            ck_assert(made.parameters[i].is_axis && made.parameters[i].is_identity);
        }
}

/* A key of every benchmark that a formula computes has another value in each case. */
TEST(formulas_fill_the_common_params)
{
    load(&loaded, MATMUL "sweep.streams = 1, 2\nlet.max_samples = streams * 1000\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    for (uint64_t i = 0; i < 2; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct bench_case made = case_at(&loaded, i, &arena);
        ck_assert_int_eq(made.common.max_samples, 1000 * ((int64_t)i + 1));
    }
}

TEST(devices_are_shared)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const struct plugin_settings *devices;
    load(&loaded, "[bench a]\nplugin = nop\ndevice = cuda\n[bench b]\nplugin = nop\n");
    struct bench_case named = case_at(&loaded, 0, &arena), any = case_at(&loaded, 1, &arena);
    size_t n_auto;
    settings_devices(loaded.settings, &devices, &n_auto);
    ck_assert_uint_eq(n_auto, 2);
    ck_assert_ptr_eq(named.device.settings, &devices[0]);
    ck_assert_int_eq(named.device.index, DEVICE_INDEX_ANY);
    ck_assert_ptr_null(any.device.settings);
}

TEST(no_such_case)
{
    struct arena arena = {0};
    struct bench_case made;
    struct gb_error error;
    load(&loaded, "[bench nop]\n");
    ck_assert_int_eq(sweep_case(loaded.sweep, 1, &arena, &made, &error), GB_NOT_FOUND);
    ck_assert_str_eq(error.text, "there is no case 1: the sweep has 1");
}

TEST(hundred_thousand_cases)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct text label = {0};
    load(&loaded, MATMUL "sweep.rows = 1:1000\nsweep.cols = 1:200\n"
                         "let.problems = (rows + 15) / 16 * cols\nonly = (rows + cols) % 2 = 0\n");
    ck_assert_uint_eq(sweep_size(loaded.sweep), 100000);
    static const struct {
        uint64_t i;
        const char *label, *problems;
    } some[] = {{0, "b rows=1 cols=1", "1"},
                {100, "b rows=2 cols=2", "2"},
                {50050, "b rows=501 cols=101", "3232"},
                {99999, "b rows=1000 cols=200", "12600"}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct bench_case made = case_at(&loaded, some[i].i, &arena);
        text_clear(&label);
        bench_case_label(&made, &label);
        ck_assert_str_eq(text_get(&label), some[i].label);
        ck_assert_str_eq(parameter(&made, "problems")->value.text, some[i].problems);
        ck_assert_uint_eq(made.position, some[i].i);
    }
    text_free(&label);
}

TEST(largest_sweep)
{
    load(&loaded, "[bench b]\nplugin = matmul\nsweep.rows = 1:10000\nsweep.cols = 1:1000\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_uint_eq(sweep_size(loaded.sweep), SWEEP_CASES_MAX);
}

/* The benchmarks count together, and one more case is too many. */
TEST(too_large_sweep)
{
    load(&loaded, "[bench b]\nplugin = matmul\nsweep.rows = 1:10000\nsweep.cols = 1:1000\n"
                  "only = 0\n[bench nop]\n");
    ck_assert_str_eq(text_get(&loaded.words),
                     "6:1: with [bench nop] the sweep has more than 10000000 cases before 'only' "
                     "and 'exclude'\n");
}

static void add_positions(const char *seed, struct text *out)
{
    struct loaded shuffled = {0};
    struct text text = {0};
    text_printf(&text,
                "[gbrun]\norder = shuffled\nseed = %s\n" MATMUL
                "sweep.rows = 1:50\n[bench nop]\nsweep.rounds = 1:50\n",
                seed);
    load(&shuffled, text_get(&text));
    bool seen[100] = {false};
    ck_assert_uint_eq(sweep_size(shuffled.sweep), 100);
    for (uint64_t i = 0; i < 100; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct bench_case made = case_at(&shuffled, i, &arena);
        ck_assert_uint_lt(made.position, 100);
        ck_assert(!seen[made.position]);
        seen[made.position] = true;
        ck_assert_str_eq(made.bench, made.position < 50 ? "b" : "nop");
        text_printf(out, "%d ", (int)made.position);
    }
    unload(&shuffled);
    text_free(&text);
}

TEST(shuffled_order)
{
    struct text one = {0}, same = {0}, other = {0}, listed = {0};
    add_positions("1", &one);
    add_positions("1", &same);
    add_positions("2", &other);
    for (int i = 0; i < 100; i++)
        text_printf(&listed, "%d ", i);
    ck_assert_str_eq(text_get(&one), text_get(&same));
    ck_assert_str_ne(text_get(&one), text_get(&other));
    ck_assert_str_ne(text_get(&one), text_get(&listed));
    text_free(&one);
    text_free(&same);
    text_free(&other);
    text_free(&listed);
}

/* The order of four cases as a number in base 4. */
static int order_of_four(int seed)
{
    struct loaded shuffled = {0};
    struct text text = {0};
    int order = 0;
    text_printf(&text, "[gbrun]\norder = shuffled\nseed = %d\n" MATMUL "sweep.rows = 1:4\n", seed);
    load(&shuffled, text_get(&text));
    for (uint64_t i = 0; i < 4; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        order = 4 * order + (int)case_at(&shuffled, i, &arena).position;
    }
    unload(&shuffled);
    text_free(&text);
    return order;
}

/* Each of the 24 orders is as likely as any other: 40 of 960 seeds on average, with a standard
 * deviation of 6.2. An order that leaves cases in place is among them. */
TEST(orders_are_equally_likely)
{
    enum { SEEDS = 960, LEAST = 40 - 22, MOST = 40 + 22 };
    int counts[256] = {0}, n_orders = 0;
    for (int seed = 0; seed < SEEDS; seed++)
        counts[order_of_four(seed)]++;
    for (int order = 0; order < 256; order++)
        if (counts[order]) {
            ck_assert_msg(counts[order] >= LEAST && counts[order] <= MOST,
                          "order %d%d%d%d: %d times", order >> 6, order >> 4 & 3, order >> 2 & 3,
                          order & 3, counts[order]);
            n_orders++;
        }
    ck_assert_int_eq(n_orders, 24);
}

/* What is printed makes the very same cases. */
static void check_printed(const char *text)
{
    struct loaded first = {0}, again = {0};
    struct text printed = {0}, printed_again = {0};
    load(&first, text);
    ck_assert_msg(first.sweep, "%s\n%s", text, text_get(&first.words));
    settings_print(first.settings, &printed);
    load(&again, text_get(&printed));
    ck_assert_msg(again.sweep, "%s\n%s", text_get(&printed), text_get(&again.words));
    ck_assert_uint_eq(sweep_size(first.sweep), sweep_size(again.sweep));
    for (uint64_t i = 0; i < sweep_size(first.sweep); i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        char uid[CASE_UID_TEXT], uid_again[CASE_UID_TEXT];
        struct text label = {0}, label_again = {0};
        struct bench_case a = case_at(&first, i, &arena), b = case_at(&again, i, &arena);
        bench_case_uid(&a, "model", uid);
        bench_case_uid(&b, "model", uid_again);
        ck_assert_msg(text_equal(uid, uid_again), "case %d of\n%s", (int)i, text_get(&printed));
        bench_case_label(&a, &label);
        bench_case_label(&b, &label_again);
        ck_assert_str_eq(text_get(&label), text_get(&label_again));
        ck_assert_str_eq(a.policy->name, b.policy->name);
        ck_assert_int_eq(a.device.index, b.device.index);
        ck_assert_int_eq(a.common.rounds, b.common.rounds);
        ck_assert_double_eq(a.common.max_time_ns, b.common.max_time_ns);
        ck_assert_uint_eq(a.n_tolerances, b.n_tolerances);
        text_free(&label);
        text_free(&label_again);
    }
    unload(&first);
    unload(&again);
    text_free(&printed);
    text_free(&printed_again);
}

TEST_EACH(printed_sweeps, sweeps)
{
    if (!strstr(sweeps[_i].labels, "error"))
        check_printed(sweeps[_i].text);
}

static const char *one_of(uint64_t *draw, const char *const *words, size_t n)
{
    return words[random_below(42, 1, (*draw)++, n)];
}

/* Lines that go together in any number, each once. */
static const char *const lines[] = {
    "sweep.rows = 1, 2, 64Ki\n",
    "cols = 2^4\n",
    "zip.z = problems,dtype,label: 1,fp16,\"a|b, c\" | 2,bf16,\"; d\"\n",
    "sweep.pause = 1 ms, 2s\n",
    "size = 1.5 KiB\n",
    "sweep.scale = 0.1:0.3:0.1, 5%\n",
    "cores = 0:3, 8\n",
    "threads = 2\n",
    "let.half = problems / 2.0\n",
    "let.streams = cols * 2 + 1\n",
    "only = problems > 1 or streams % 2 = 1 and dtype <> 'x,  y'\n",
    "exclude = scale > 0.25 and pause > 1e6\n",
    "define.TILE = \"8\" # of the block\n",
    "sweep.define.KIND = a, \"b;c\", \" d \"\n",
    "sweep.cache = cold, warm\n",
    "iterations = auto\n",
    "max_time = 3 s\n",
    "sweep.env.MODE = 1:3, \"x, y\"\n",
    "env.PLAIN = \"a # b\"\n",
    "check.rms = 3e-5\n",
    "sweep.check.ulp = 1:3\n",
    "policy = precise\n",
    "device = pinned:2\n",
};
enum { N_LINES = sizeof lines / sizeof lines[0] };

TEST_TIMES(printed_at_random, 10)
{
    static const char *const heads[] = {
        "", "[gbrun]\nseed = 9\nrounds = 2\norder = shuffled\n",
        "[defaults]\ncache = cold\nenv.MODE = z\ncheck.abs = 1\nmax_time = 1 s\n",
        "[gbrun]\ndevices = pinned, cpu, cuda\n[defaults]\npolicy = precise\n"};
    static const char *const tails[] = {"", "[bench c]\nlike = b\nrows = 7\n"};
    for (uint64_t i = 20 * (uint64_t)_i; i < 20 * ((uint64_t)_i + 1); i++) {
        uint64_t draw = i * 1000;
        struct text text = {0};
        text_add(&text, one_of(&draw, heads, 4));
        text_add(&text, "[policy precise]\nplugin = steady\n"
                        "[device pinned]\nplugin = cpu\ncpus = 1:2\n" MATMUL);
        for (size_t k = 0; k < N_LINES; k++)
            if (random_below(42, 1, draw++, 3) == 0)
                text_add(&text, lines[k]);
        text_add(&text, one_of(&draw, tails, 2));
        check_printed(text_get(&text));
        text_free(&text);
    }
}

/* Overrides are printed too; one that a file could not hold as it stands is quoted. */
TEST(printed_overrides)
{
    static const char text[] = MATMUL "sweep.rows = 1:3\nlabel = old\n";
    static const char *const overrides[] = {"b.rows=2", "b.label=new # kept", "gbrun.seed=5",
                                            "defaults.cache=cold", "b.sweep.cols=1:2"};
    struct text printed = {0}, labels = {0};
    CLEANUP(arena_free) struct arena arena = {0};
    ini_read_text("bench.ini", text, strlen(text), &loaded.arena, &loaded.ini, &loaded.errors);
    ini_override(&loaded.ini, overrides, 5, &loaded.arena, &loaded.errors);
    settings_parse(&loaded.ini, "/conf", &loaded.arena, &loaded.settings, &loaded.errors);
    settings_resolve(loaded.settings, &fixture_catalogue, &loaded.errors);
    settings_print(loaded.settings, &printed);
    note_words(&loaded);
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "\nrows = 2  ; -s\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "\nlabel = \"new # kept\"  ; -s\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "\ncache = cold  ; [defaults], -s\n"));
    struct loaded again = {0};
    load(&again, text_get(&printed));
    ck_assert_str_eq(text_get(&again.words), "");
    add_labels(&again, &labels);
    ck_assert_str_eq(text_get(&labels), "b cols=1\nb cols=2\n");
    struct bench_case made = case_at(&again, 0, &arena);
    ck_assert_str_eq(parameter(&made, "label")->value.text, "new # kept");
    ck_assert_uint_eq(made.seed, 5);
    unload(&again);
    text_free(&printed);
    text_free(&labels);
}
